//! A process group that is killed on drop, with a bounded wait for its end.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, test_kill_process_group, waitpgid};

/// The longest wait until a killed group is gone. The kernel has to free its memory first.
const GONE: Duration = Duration::from_secs(2);

/// A process group that is killed on drop.
pub(super) struct ProcessGroup(pub(super) Pid);

impl ProcessGroup {
    pub(super) fn kill(&self) {
        // An error means that the group has already exited.
        let _ = kill_process_group(self.0, Signal::KILL);
    }

    /// Waits until all processes of the group are gone, at most [`GONE`]. If fumi is the first process of a container,
    /// orphans become its children; they are reaped here, as they would stay zombies otherwise.
    pub(super) async fn wait_gone(&self) {
        let until = Instant::now() + GONE;
        loop {
            while let Ok(Some(_)) = waitpgid(self.0, WaitOptions::NOHANG) {}
            if test_kill_process_group(self.0).is_err() || Instant::now() > until {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    #[expect(clippy::disallowed_methods, reason = "a group needs processes")]
    async fn children_go_with_their_group() {
        let mut child = tokio::process::Command::new("/bin/sh")
            .args(["-c", "sleep 100 & sleep 100"])
            .process_group(0)
            .spawn()
            .expect("a shell");
        let id = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)).expect("an id");
        let group = ProcessGroup(id);
        assert!(test_kill_process_group(id).is_ok());
        group.kill();
        child.wait().await.expect("ended");
        group.wait_gone().await;
        // Zombies adopted by the machine's first process are reaped by that process, so they do not count here.
        let lives = std::fs::read_dir("/proc").expect("Linux").flatten().any(|process| {
            let stat = std::fs::read_to_string(process.path().join("stat")).unwrap_or_default();
            let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
            let state = fields.next();
            state != Some("Z") && fields.nth(1) == Some(&id.as_raw_nonzero().to_string())
        });
        assert!(!lives);
    }
}
