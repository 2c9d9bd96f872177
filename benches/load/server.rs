//! A running fumi.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

/// A fumi process. It is ended when this drops.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
}

impl Server {
    /// Starts one over a root, with its defaults and these settings, which are environment variables. The log goes nowhere.
    pub(crate) fn start(root: &Path, settings: &[(&str, &str)]) -> Self {
        Self::start_by(Command::new(env!("CARGO_BIN_EXE_fumi")), root, settings)
    }

    /// The same by another command, to which fumi's own is appended.
    pub(crate) fn start_by(command: Command, root: &Path, settings: &[(&str, &str)]) -> Self {
        Self::spawn(command, "memory", root, settings)
    }

    /// Starts one over a store: `memory` or a URL of Redis.
    pub(crate) fn start_over(store: &str, root: &Path, settings: &[(&str, &str)]) -> Self {
        Self::spawn(Command::new(env!("CARGO_BIN_EXE_fumi")), store, root, settings)
    }

    fn spawn(mut command: Command, store: &str, root: &Path, settings: &[(&str, &str)]) -> Self {
        let mut child = command
            .args(["serve", "--listen", "127.0.0.1:0", "--store", store, "--root"])
            .arg(root)
            .envs(settings.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        let output = child.stdout.as_mut().expect("it is piped");
        BufReader::new(output).read_line(&mut line).expect("readable");
        let address = line
            .trim()
            .strip_prefix("fumi listening on http://")
            .and_then(|url| url.strip_suffix("/mcp"))
            .unwrap_or_else(|| panic!("fumi did not start: {line:?}"));
        Self {
            address: address.to_owned(),
            child,
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks it to go down, and waits until it has.
    pub(crate) fn stop(mut self) {
        let kill = Command::new("kill").arg(self.id().to_string()).status();
        assert!(kill.is_ok_and(|status| status.success()), "kill failed");
        let status = self.child.wait().expect("it was started");
        assert!(status.success(), "fumi ended with {status}");
    }

    /// Resident memory now, and the most there ever was, in megabytes.
    pub(crate) fn memory(&self) -> (f64, f64) {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id())).expect("it runs");
        let of = |name: &str| {
            let line = status
                .lines()
                .find(|line| line.starts_with(name))
                .expect("the field is there");
            let kib: f64 = line
                .split_whitespace()
                .nth(1)
                .and_then(|kib| kib.parse().ok())
                .expect("a number");
            kib * 1_024.0 / 1e6
        };
        (of("VmRSS:"), of("VmHWM:"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The processor time that a process has used.
pub(crate) fn processor_time(id: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).expect("it runs");
    // proc(5): fields 14 and 15; the name in brackets may hold spaces, and what follows it begins with field 3.
    let rest = stat.rsplit_once(')').expect("a name in brackets").1;
    let ticks: u64 = rest
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(|field| field.parse::<u64>().expect("a number"))
        .sum();
    // USER_HZ is 100 on every architecture that fumi runs on.
    Duration::from_millis(ticks * 10)
}
