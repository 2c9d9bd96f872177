//! The memory use of a process group.

use std::fs;

use rustix::process::Pid;

/// Returns the resident bytes of a process group, without file-backed pages: the pages of the executable are shared by
/// all processes and would be counted once for each. Returns 0 on a system without `/proc`.
pub(super) fn resident(group: Pid) -> u64 {
    let Ok(processes) = fs::read_dir("/proc") else {
        return 0;
    };
    processes
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .filter(|process| group_of(*process) == Some(group.as_raw_nonzero().get()))
        .filter_map(|process| fs::read_to_string(format!("/proc/{process}/status")).ok())
        .map(|status| kibibytes(&status, "RssAnon:") + kibibytes(&status, "RssShmem:"))
        .sum::<u64>()
        << 10
}

/// Returns the process group, the fifth field of `stat`. The second field is a name in parentheses that may contain any
/// character.
fn group_of(process: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, after) = stat.rsplit_once(')')?;
    after.split_whitespace().nth(2)?.parse().ok()
}

fn kibibytes(status: &str, name: &str) -> u64 {
    status.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_memory_includes_own_allocation() {
        let held = vec![1_u8; 8 << 20];
        assert!(resident(rustix::process::getpgrp()) >= 8 << 20);
        assert_eq!(held[held.len() - 1], 1);
    }
}
