//! Files that the program writes.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};

/// Writes a file whole: until all of the text is on disk, what was there before stays.
///
/// # Errors
/// The folder or the file cannot be written to; the path is named.
pub fn replace(path: &Path, text: &str) -> Result<()> {
    write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if path.exists() && !path.is_file() {
        // A pipe or a device such as /dev/stdout cannot be replaced.
        return std::fs::write(path, text);
    }
    // What a link leads to is replaced, not the link.
    let before = path.canonicalize().ok();
    let path = before.as_deref().unwrap_or(path);
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Like any new file; temporary ones are their owner's alone.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
    if before.is_some() {
        file.as_file()
            .set_permissions(path.metadata()?.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        replace(&path, "one").unwrap();
        replace(&path, "two").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let missing = folder.path().join("none").join("a.toml");
        let error = replace(&missing, "x").unwrap_err().to_string();
        assert!(error.contains("none"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn mode_and_links_stay_as_they_were() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        std::fs::write(&path, "one").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        replace(&link, "two").unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o666);
    }
}
