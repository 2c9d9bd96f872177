//! What /proc says: which processes a server started, whether they still run, how much memory a server has.

use std::{fs, path::Path};

/// A process, so that another one with its number is not taken for it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Process {
    id: u32,
    /// Clock ticks since the machine started.
    began: u64,
}

/// All browser processes below a process, and those of the same profile that no longer are below it.
pub(crate) fn browsers_of(root: u32) -> Vec<Process> {
    let all = all();
    let mut below = vec![root];
    let mut at = 0;
    while let Some(parent) = below.get(at).copied() {
        below.extend(
            all.iter()
                .filter(|(_, father, ..)| *father == parent)
                .map(|(process, ..)| process.id),
        );
        at += 1;
    }
    let is_browser = |command: &str| command.contains("chrom");
    let profiles: Vec<String> = all
        .iter()
        .filter(|(process, ..)| below.contains(&process.id))
        .filter_map(|(.., command)| {
            let profile = command.split('\0').find(|word| word.starts_with("--user-data-dir="))?;
            Some(profile.to_owned())
        })
        .collect();
    let of_profile = |command: &str| profiles.iter().any(|profile| command.contains(profile));
    all.into_iter()
        .filter(|(process, _, command)| process.id != root && is_browser(command))
        .filter(|(process, _, command)| below.contains(&process.id) || of_profile(command))
        // Node and its like carry the browser's path in their arguments.
        .filter(|(_, _, command)| command.split('\0').next().is_some_and(is_browser))
        .map(|(process, ..)| process)
        .collect()
}

/// How many of them still run.
pub(crate) fn still_running(processes: &[Process]) -> usize {
    let all = all();
    processes
        .iter()
        .filter(|process| all.iter().any(|(one, ..)| one == *process))
        .count()
}

/// Resident memory in megabytes.
pub(crate) fn memory(id: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).expect("it runs");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .expect("the field is there");
    let kib: f64 = line
        .split_whitespace()
        .nth(1)
        .and_then(|kib| kib.parse().ok())
        .expect("a number");
    kib * 1_024.0 / 1e6
}

/// Every process that is not a zombie, its parent, and its command line with NULs between the words.
fn all() -> Vec<(Process, u32, String)> {
    let entries = fs::read_dir("/proc").expect("/proc is there");
    let ids = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter_map(|id| {
        let folder = format!("/proc/{id}");
        let folder = Path::new(&folder);
        let stat = fs::read_to_string(folder.join("stat")).ok()?;
        // proc(5): the name in brackets may hold spaces, and what follows it begins with field 3.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        if fields.first() == Some(&"Z") {
            return None;
        }
        let process = Process {
            id,
            began: fields.get(19)?.parse().ok()?,
        };
        let command = fs::read(folder.join("cmdline")).ok()?;
        Some((
            process,
            fields.get(1)?.parse().ok()?,
            String::from_utf8_lossy(&command).into_owned(),
        ))
    })
    .collect()
}
