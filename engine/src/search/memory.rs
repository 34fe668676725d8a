//! How much memory the system can still give, where it tells.

use std::path::Path;

/// MiB that can be allocated without driving others out; `None` where the system does not tell.
pub(super) fn available_mib() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let system = kib(&info, "MemAvailable:")? / 1024;
    let group = Path::new("/sys/fs/cgroup");
    Some(group_mib(group).map_or(system, |most| most.min(system)))
}

/// The number behind a key of `/proc/meminfo`, in KiB.
fn kib(info: &str, key: &str) -> Option<u64> {
    let line = info.lines().find_map(|l| l.strip_prefix(key))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

/// What a control group's limit leaves.
fn group_mib(group: &Path) -> Option<u64> {
    let number = |file: &str| -> Option<u64> {
        let text = std::fs::read_to_string(group.join(file)).ok()?;
        text.trim().parse().ok()
    };
    let most = number("memory.max")?;
    Some(most.saturating_sub(number("memory.current").unwrap_or(0)) >> 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_found_among_others() {
        let info = "MemTotal:       8148124 kB\nMemFree:          200000 kB\nMemAvailable:    4194304 kB\n";
        assert_eq!(kib(info, "MemAvailable:"), Some(4_194_304));
        assert_eq!(kib(info, "Nothing:"), None);
    }
}
