//! Records the revision of the sources that this program is built from, where they are a git checkout.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!(
        "cargo::rustc-env=BROUHAHA_REVISION={}",
        revision().unwrap_or_default()
    );
}

/// The commit, with `-dirty` behind it if tracked files differ from it; none outside of a checkout or without git.
fn revision() -> Option<String> {
    // What changes with every commit. That files were changed since is seen only when something else has this run again: what
    // decides how the engine plays is named by the hash of its sources, not by this.
    for file in ["HEAD", "logs/HEAD"] {
        let path = git(&["rev-parse", "--git-path", file])?;
        if Path::new(&path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    let described = git(&[
        "describe",
        "--always",
        "--dirty",
        "--abbrev=12",
        "--exclude=*",
    ])?;
    (!described.is_empty()).then_some(described)
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
