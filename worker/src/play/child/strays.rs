//! Processes that an engine started and that left its process group.
//!
//! A child that calls `setsid` is out of reach of a signal to the group. It is found in `/proc` as a descendant of the engine,
//! or, when its parent is gone, by a mark in the environment that it was given. One that has both lost its parent
//! and emptied its environment is not found. Elsewhere than on Linux there is only the group.

/// The variable that holds an engine's mark.
pub const MARK: &str = "BROUHAHA_ENGINE_MARK";

#[cfg(target_os = "linux")]
pub use linux::Strays;

/// A mark that no other engine's process has had.
pub fn mark() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let random = getrandom::u64().unwrap_or_default();
    format!("{}-{count}-{random:016x}", std::process::id())
}

/// Elsewhere none are found.
#[cfg(not(target_os = "linux"))]
pub struct Strays;

#[cfg(not(target_os = "linux"))]
impl Strays {
    /// None.
    pub fn of(_: Option<u32>, _: &str) -> Self {
        Self
    }

    /// Nothing to do.
    pub fn kill(self) {}
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs::File;
    use std::io::Read;
    use std::os::fd::OwnedFd;
    use std::thread;
    use std::time::Duration;

    use rustix::process::{
        Pid, PidfdFlags, Signal, WaitOptions, pidfd_open, pidfd_send_signal, waitpid,
    };

    use super::MARK;

    /// How often it is looked for processes that came while others were killed.
    const ROUNDS: u32 = 20;
    /// Most of an environment that is looked at, in bytes.
    const MOST_ENVIRONMENT: u64 = 4 * 1024 * 1024;
    /// How often, and how long each time, the end of a killed process is waited for that became our own child.
    const REAPS: u32 = 20;
    const REAP: Duration = Duration::from_millis(5);

    /// What an engine started, as it was found.
    pub struct Strays {
        /// `NAME=VALUE` in the environment.
        entry: Vec<u8>,
        leader: Option<i32>,
        found: Vec<Stray>,
    }

    struct Stray {
        pid: Pid,
        /// Never another process, even if its number is used anew.
        handle: OwnedFd,
    }

    impl Strays {
        /// Looks for what the engine of this process number, if that is known, and of this mark has started. Its process must
        /// still be there for descendants to be found that have no mark.
        pub fn of(leader: Option<u32>, mark: &str) -> Self {
            let mut strays = Self {
                entry: format!("{MARK}={mark}").into_bytes(),
                leader: leader.and_then(|pid| i32::try_from(pid).ok()),
                found: Vec::new(),
            };
            strays.find();
            strays
        }

        /// Kills them all, with those that came meanwhile.
        pub fn kill(mut self) {
            let mut killed = Vec::new();
            for _ in 0..ROUNDS {
                if self.found.is_empty() {
                    break;
                }
                for stray in self.found.drain(..) {
                    // Fails only when it has ended already.
                    let _ = pidfd_send_signal(&stray.handle, Signal::KILL);
                    killed.push(stray.pid);
                }
                self.find();
            }
            if !self.found.is_empty() {
                tracing::warn!(
                    processes = self.found.len(),
                    "an engine starts processes faster than they can be killed"
                );
            }
            reap(&killed);
        }

        fn find(&mut self) {
            let processes = processes();
            // What is older than the engine is none of its: most of a machine's processes, whose environments are not read then.
            let since = self
                .leader
                .and_then(|leader| processes.get(&leader))
                .map_or(0, |leader| leader.began);
            let descendants = self
                .leader
                .map_or_else(BTreeSet::new, |leader| descendants(leader, &processes));
            for (&number, process) in &processes {
                let is_older = process.began < since;
                if Some(number) == self.leader || process.is_over || is_older {
                    continue;
                }
                let Some(pid) = Pid::from_raw(number) else {
                    continue;
                };
                // The handle goes first: what is read after it is of the same process, or the handle's is gone.
                let is_descendant = descendants.contains(&number);
                if !is_descendant && !has_entry(number, &self.entry) {
                    continue;
                }
                let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else {
                    continue;
                };
                let is_same = if is_descendant {
                    stat(number).is_some_and(|now| now.began == process.began)
                } else {
                    has_entry(number, &self.entry)
                };
                if is_same {
                    self.found.push(Stray { pid, handle });
                }
            }
        }
    }

    /// Takes notice of the end of those that became our children because nobody else takes care of them, as with a worker
    /// that is the first process of a container.
    fn reap(killed: &[Pid]) {
        let ours = rustix::process::getpid().as_raw_nonzero().get();
        let mut left: Vec<Pid> = killed.to_vec();
        for _ in 0..REAPS {
            left.retain(|&pid| {
                let is_ours =
                    stat(pid.as_raw_nonzero().get()).is_some_and(|process| process.parent == ours);
                is_ours && matches!(waitpid(Some(pid), WaitOptions::NOHANG), Ok(None))
            });
            if left.is_empty() {
                return;
            }
            thread::sleep(REAP);
        }
    }

    /// What is of interest of a process.
    struct Known {
        parent: i32,
        /// When it began: tells it from a later one of the same number.
        began: u64,
        /// It has ended and only waits for its parent to notice.
        is_over: bool,
    }

    fn processes() -> BTreeMap<i32, Known> {
        let Ok(entries) = std::fs::read_dir("/proc") else {
            return BTreeMap::new();
        };
        entries
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter_map(|number: i32| Some((number, stat(number)?)))
            .collect()
    }

    fn stat(number: i32) -> Option<Known> {
        parse_stat(&std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?)
    }

    /// Reads `NUMBER (NAME) STATE PARENT …`; the name may hold anything.
    fn parse_stat(text: &str) -> Option<Known> {
        let mut words = text.rsplit_once(')')?.1.split_whitespace();
        let state = words.next()?;
        Some(Known {
            is_over: matches!(state, "Z" | "X" | "x"),
            parent: words.next()?.parse().ok()?,
            // Field 22 of all.
            began: words.nth(17)?.parse().ok()?,
        })
    }

    fn descendants(leader: i32, processes: &BTreeMap<i32, Known>) -> BTreeSet<i32> {
        let mut found = BTreeSet::from([leader]);
        // Numbers do not grow with generations, so it takes as many passes as there are generations.
        loop {
            let before = found.len();
            let of_found = |process: &&i32| found.contains(&processes[*process].parent);
            let more: Vec<i32> = processes.keys().filter(of_found).copied().collect();
            found.extend(more);
            if found.len() == before {
                found.remove(&leader);
                return found;
            }
        }
    }

    fn has_entry(number: i32, entry: &[u8]) -> bool {
        let Ok(file) = File::open(format!("/proc/{number}/environ")) else {
            return false;
        };
        let mut environment = Vec::new();
        // What was read before an error is looked at all the same.
        let _ = file.take(MOST_ENVIRONMENT).read_to_end(&mut environment);
        environment.split(|&byte| byte == 0).any(|one| one == entry)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_process_is_read_whatever_its_name() {
            let text = "42 (odd) name) (x) S 7 42 42 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 987654 1000 2 3";
            let process = parse_stat(text).unwrap();
            assert_eq!((process.parent, process.is_over), (7, false));
            assert_eq!(process.began, 987_654);
            assert!(
                parse_stat("42 (x) Z 7 42 42 0 -1 4 1 2 3 4 5 6 7 8 20 0 1 0 9")
                    .unwrap()
                    .is_over
            );
            for broken in ["", "42", "42 (x) S", "42 (x) S x", "42 (x) S 7 1"] {
                assert!(parse_stat(broken).is_none(), "{broken}");
            }
        }

        #[test]
        fn descendants_are_of_all_generations_and_of_no_other_family() {
            let known = |parent| Known {
                parent,
                began: 0,
                is_over: false,
            };
            // Numbers that were used anew: a child may have a smaller one than its parent.
            let processes = BTreeMap::from([
                (1, known(0)),
                (9, known(1)),
                (5, known(9)),
                (3, known(5)),
                (12, known(3)),
                (7, known(1)),
            ]);
            assert_eq!(descendants(9, &processes), BTreeSet::from([5, 3, 12]));
            assert_eq!(descendants(7, &processes), BTreeSet::new());
        }
    }
}
