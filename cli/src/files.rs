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
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Like any new file, or like the one that is replaced.
        let mode = path.metadata().map_or(0o666, |m| m.permissions().mode());
        builder.permissions(std::fs::Permissions::from_mode(mode));
    }
    let mut file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
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
    fn the_mode_is_that_of_the_file_replaced() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        std::fs::write(&path, "one").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        replace(&path, "two").unwrap();
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }
}
