//! Which platform an executable is for, as it says itself.

use std::path::Path;

use anyhow::{Context, Result, bail};
use object::{Architecture, BinaryFormat, Object as _};
use server::model::Platform;

/// The platform of an executable; any for a script.
///
/// # Errors
/// The file cannot be read, or is for a machine unknown here.
pub fn of(file: &Path) -> Result<Platform> {
    let named = || format!("`{}`", file.display());
    // One that is no file, as a pipe, may never end.
    let state = std::fs::metadata(file).with_context(named)?;
    if !state.is_file() || state.len() == 0 {
        bail!(
            "{} is no file with something in it; name an executable",
            named()
        );
    }
    let opened = std::fs::File::open(file).with_context(named)?;
    let cache = object::ReadCache::new(std::io::BufReader::new(opened));
    let Ok(program) = object::File::parse(&cache) else {
        // No format of executables: a script, or something that its own interpreter knows.
        return Ok(Platform::any());
    };
    let system = match program.format() {
        BinaryFormat::Elf => "linux",
        BinaryFormat::Pe => "windows",
        BinaryFormat::MachO => "macos",
        other => bail!(
            "{}: is a file of the format {other:?}; give --platform",
            named()
        ),
    };
    let processor = match program.architecture() {
        Architecture::X86_64 => "x86_64",
        Architecture::I386 => "x86",
        Architecture::Aarch64 => "aarch64",
        Architecture::Arm => "arm",
        Architecture::Riscv64 => "riscv64",
        Architecture::PowerPc64 => "powerpc64",
        other => bail!(
            "{}: is for the processor {other:?}; give --platform",
            named()
        ),
    };
    Ok(format!("{system}-{processor}").parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executables_say_what_they_are_for() {
        // This test is an executable of the platform that it runs on.
        let own = std::env::current_exe().unwrap();
        let expected = worker::executable::platform();
        assert_eq!(of(&own).unwrap().as_str(), expected);
        let script = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(script.path(), "#!/bin/sh\nexec my-engine\n").unwrap();
        assert!(of(script.path()).unwrap().is_any());
        assert!(of(Path::new("/no/such/file")).is_err());
    }
}
