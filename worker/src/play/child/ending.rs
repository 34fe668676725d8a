//! How an engine's process ended, and whether that was the engine's own doing.

use std::fmt;
use std::io;
use std::process::ExitStatus;

/// Signals by which a process is ended from outside: hang-up, interrupt, kill, terminate. Others are what a program does
/// to itself by its own faults.
const FROM_OUTSIDE: [i32; 4] = [1, 2, 9, 15];
/// The signal that the kernel ends a process with when there is no memory left.
const KILL: i32 = 9;
/// What a shell adds to the number of the signal that ended the program it ran.
const SHELL: i32 = 128;

/// How a process ended.
#[derive(Debug)]
pub enum Ending {
    /// It ended.
    Status(ExitStatus),
    /// It has closed a pipe to us, but goes on.
    GoesOn,
    /// The system does not say.
    Unknown,
}

impl Ending {
    /// Why it is not the engine's own doing: somebody ended it who was not this worker; none = it is its own.
    pub fn from_outside(&self) -> Option<&'static str> {
        let Self::Status(status) = self else {
            return None;
        };
        let by_shell = status.code().map(|code| code - SHELL);
        match signal(*status).or(by_shell) {
            Some(KILL) => Some("killed from outside, perhaps for want of memory"),
            Some(signal) if FROM_OUTSIDE.contains(&signal) => Some("ended from outside"),
            _ => None,
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // As std writes it: `exit status: 3`, or `signal: 11 (SIGSEGV) (core dumped)`.
            Self::Status(status) => status.fmt(f),
            Self::GoesOn => f.write_str("it closed its pipes but goes on"),
            Self::Unknown => f.write_str("its state is unknown"),
        }
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}

/// Why a process cannot be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoStart {
    /// There is something wrong with the program or with how it is called.
    Program(&'static str),
    /// The host has no room for another process.
    Host(&'static str),
}

impl NoStart {
    /// What the system's error means, with a remedy where there is one.
    pub fn of(error: &io::Error) -> Self {
        use io::ErrorKind as Kind;
        match error.kind() {
            Kind::NotFound => Self::Program("there is no such file, or no such working directory"),
            Kind::PermissionDenied => {
                Self::Program("it may not be executed: give the file that right with chmod +x")
            }
            Kind::NotADirectory => Self::Program("a part of its path is no folder"),
            Kind::ExecutableFileBusy => Self::Program("the file is still being written"),
            Kind::ArgumentListTooLong => Self::Program("its arguments are too long"),
            Kind::OutOfMemory => Self::Host(
                "this host has no memory left for another process: give the worker fewer slots",
            ),
            Kind::WouldBlock | Kind::ResourceBusy | Kind::QuotaExceeded => Self::Host(
                "this host has no room for another process: give the worker fewer slots, or raise the limit of processes",
            ),
            _ => Self::by_number(error),
        }
    }

    /// Errors that the standard library has no kind for.
    #[cfg(unix)]
    fn by_number(error: &io::Error) -> Self {
        use rustix::io::Errno;
        match Errno::from_io_error(error) {
            Some(Errno::NOEXEC) => Self::Program(
                "it is no program for this machine: built for another one, or a script without `#!` in its first line",
            ),
            Some(Errno::MFILE | Errno::NFILE) => Self::Host(
                "too many files are open: give the worker fewer slots, or raise the limit of open files",
            ),
            _ => Self::Program("the system refuses to"),
        }
    }

    #[cfg(not(unix))]
    fn by_number(_: &io::Error) -> Self {
        Self::Program("the system refuses to")
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn only_signals_of_others_are_from_outside() {
        let code = |code: i32| Ending::Status(ExitStatus::from_raw(code << 8));
        let signal = |signal: i32| Ending::Status(ExitStatus::from_raw(signal));
        for (ending, outside) in [
            (signal(9), Some("memory")),
            (signal(15), Some("from outside")),
            (signal(2), Some("from outside")),
            // A shell that ran an engine which was killed.
            (code(137), Some("memory")),
            (code(143), Some("from outside")),
            (signal(11), None),
            (signal(6), None),
            (code(139), None),
            (code(9), None),
            (code(0), None),
            (code(3), None),
            (Ending::GoesOn, None),
            (Ending::Unknown, None),
        ] {
            let said = ending.from_outside();
            match outside {
                Some(part) => assert!(said.is_some_and(|said| said.contains(part)), "{ending}"),
                None => assert_eq!(said, None, "{ending}"),
            }
        }
    }

    #[test]
    fn what_the_system_refuses_is_told_in_words() {
        use rustix::io::Errno;
        for (error, part, is_host) in [
            (Errno::NOENT, "no such file", false),
            (Errno::ACCESS, "chmod", false),
            (Errno::NOEXEC, "no program for this machine", false),
            (Errno::NOTDIR, "no folder", false),
            (Errno::AGAIN, "no room", true),
            (Errno::NOMEM, "no memory", true),
            (Errno::MFILE, "open files", true),
        ] {
            let problem = NoStart::of(&error.into());
            let (text, host) = match problem {
                NoStart::Program(text) => (text, false),
                NoStart::Host(text) => (text, true),
            };
            assert!(
                text.contains(part) && host == is_host,
                "{error:?}: {problem:?}"
            );
        }
    }
}
