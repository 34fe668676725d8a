//! `engine/benches/compare-revisions.sh`, all of it but the two builds: those take minutes, so that a `cargo` that puts the
//! tested program in place stands in for the real one.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A repository of two commits that has the script, and a folder with a `cargo` that counts how often it is called.
struct Repository {
    folder: TempDir,
}

impl Repository {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let repository = Self { folder };
        let script = "engine/benches/compare-revisions.sh";
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        fs::create_dir_all(repository.at("tree/engine/benches")).unwrap();
        fs::create_dir(repository.at("bin")).unwrap();
        fs::copy(root.join(script), repository.at("tree").join(script)).unwrap();
        let program = env!("CARGO_BIN_EXE_brouhaha");
        let cargo = format!(
            "#!/bin/sh
echo called >> {calls}
[ ! -e broken ] || exit 1
mkdir -p \"$CARGO_TARGET_DIR/release\"
printf '#!/bin/sh\\nexec {program} \"$@\"\\n' > \"$CARGO_TARGET_DIR/release/brouhaha\"
chmod +x \"$CARGO_TARGET_DIR/release/brouhaha\"
",
            calls = repository.at("calls").display()
        );
        fs::write(repository.at("bin/cargo"), cargo).unwrap();
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(repository.at("bin/cargo"), executable).unwrap();
        repository.git(&["init", "--quiet"]);
        repository.git(&["add", "."]);
        repository.commit("first");
        repository.commit("second");
        repository
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn git(&self, arguments: &[&str]) -> String {
        let mut git = Command::new("git");
        git.arg("-C").arg(self.at("tree")).args(arguments);
        let output = git.output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn commit(&self, message: &str) {
        let who = ["-c", "user.name=n", "-c", "user.email=e"];
        let commit = ["commit", "--quiet", "--allow-empty", "-m", message];
        self.git(&[&who[..], &commit].concat());
    }

    fn compare(&self, arguments: &[&str]) -> Output {
        let path = std::env::var("PATH").unwrap();
        let mut script = Command::new(self.at("tree/engine/benches/compare-revisions.sh"));
        script
            .args(arguments)
            .current_dir(self.folder.path())
            .env("PATH", format!("{}:{path}", self.at("bin").display()))
            .env("DATA", self.at("data"))
            // Another place is not to be played at, whatever the environment says.
            .env("BROUHAHA_COORDINATOR", "http://127.0.0.1:1")
            .env_remove("BROUHAHA")
            .stdin(Stdio::null());
        script.output().unwrap()
    }

    fn builds(&self) -> usize {
        fs::read_to_string(self.at("calls")).map_or(0, |calls| calls.lines().count())
    }

    /// No worktree but the repository's own is left.
    fn assert_clean(&self) {
        assert_eq!(self.git(&["worktree", "list"]).lines().count(), 1);
    }
}

#[test]
fn two_revisions_are_built_once_compared_and_cleaned_up() {
    let repository = Repository::new();
    let options = ["--variant", "chess", "--pairs", "1", "--limit", "nodes=30"];
    let arguments = [&["HEAD~1", "HEAD"], &options[..], &["--workers", "2"]].concat();
    let first = repository.compare(&arguments);
    let errors = String::from_utf8_lossy(&first.stderr);
    assert!(first.status.success(), "{errors}");
    let shown = String::from_utf8_lossy(&first.stdout);
    for (role, revision) in [("candidate", "HEAD"), ("base", "HEAD~1")] {
        let commit = repository.git(&["rev-parse", "--short=12", revision]);
        let named = format!("{role} (command:brouhaha-{} (", commit.trim());
        assert!(shown.contains(&named), "{shown}");
    }
    assert_eq!(repository.builds(), 2);
    repository.assert_clean();
    // Nothing is built or played again.
    let again = repository.compare(&arguments);
    assert_eq!(again.stdout, first.stdout);
    assert!(String::from_utf8_lossy(&again.stderr).contains("finished"));
    assert_eq!(repository.builds(), 2);
}

#[test]
fn what_cannot_be_compared_is_said_before_anything_is_built() {
    let repository = Repository::new();
    let options = ["--variant", "chess", "--pairs", "1"];
    type Case<'a> = (&'a [&'a str], &'a [&'a str], &'a str);
    let cases: [Case; 7] = [
        (&["HEAD~1"], &[], "compare-revisions.sh OLD NEW"),
        (
            &["HEAD~1", "nonsense"],
            &options,
            "`nonsense` is no revision",
        ),
        (&["--help", "HEAD"], &options, "`--help` is no revision"),
        (&["HEAD", "HEAD"], &options, "the same commit"),
        (
            &["HEAD~1", "HEAD"],
            &options[2..],
            "--variant VARIANT is missing",
        ),
        (&["HEAD~1", "HEAD"], &options[..2], "--pairs N or --sprt"),
        (
            &["HEAD~1", "HEAD", "--coordinator", "http://127.0.0.1:1"],
            &options,
            "have not got these two programs",
        ),
    ];
    for (revisions, options, problem) in cases {
        let output = repository.compare(&[revisions, options].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{revisions:?}: {errors}");
        assert!(errors.contains(problem), "{revisions:?}: {errors}");
    }
    assert_eq!(repository.builds(), 0);
    repository.assert_clean();
}

#[test]
fn a_revision_that_does_not_build_is_named_and_cleaned_up() {
    let repository = Repository::new();
    fs::write(repository.at("tree/broken"), "").unwrap();
    repository.git(&["add", "."]);
    repository.commit("third");
    let output = repository.compare(&["HEAD~1", "HEAD", "--variant", "chess", "--pairs", "1"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let commit = repository.git(&["rev-parse", "HEAD"]);
    let named = format!("revision {} cannot be built", commit.trim());
    assert!(errors.contains(&named), "{errors}");
    repository.assert_clean();
}
