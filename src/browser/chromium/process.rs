//! The process group of Chromium: start, supervision and end.
//!
//! One task owns the child, its group and its profile. It disposes of all three when Chromium exits, when `stop` is
//! cancelled, and when the runtime drops the task, so none of them is left behind.

use std::{
    io,
    os::fd::OwnedFd,
    path::PathBuf,
    process::Stdio,
    sync::Arc,
    time::{Duration, Instant},
};

use command_fds::{CommandFdExt, FdMapping};
use rustix::process::Pid;
use tokio::{
    process::{Child, Command},
    sync::watch,
};
use tokio_util::sync::CancellationToken;

use super::{
    Launch, find, flags,
    group::ProcessGroup,
    memory,
    profile::ProfileFolder,
    stderr_tail::{self, StderrTail},
};
use crate::{
    devtools::{Channel, Connection, protocol::browser::GetVersion},
    errors::BrowserError,
};

/// The reason why a Chromium process ended.
#[derive(Clone, Debug)]
pub struct ProcessExit {
    /// The exit status, such as `exit status: 1` or `signal: 9 (SIGKILL)`.
    pub how: String,
    /// The last lines that it wrote to standard error.
    pub last_lines: Vec<String>,
    /// True if fumi ended the process.
    pub was_requested: bool,
}

/// A running Chromium process.
#[derive(Debug)]
pub(crate) struct ChromiumProcess {
    connection: Arc<Connection>,
    program: PathBuf,
    flags: Vec<String>,
    version: String,
    group: Pid,
    downloads: PathBuf,
    started: Instant,
    stop: CancellationToken,
    /// Cancelled if Chromium had gone before fumi asked it to stop.
    lost: CancellationToken,
    ended: watch::Receiver<Option<ProcessExit>>,
}

impl ChromiumProcess {
    /// Starts Chromium and waits for its first reply.
    pub(crate) async fn start(launch: &Launch, proxy: &[String]) -> Result<Self, BrowserError> {
        let program = find(launch)?.0;
        let broken =
            |error: io::Error| BrowserError::ChromiumFailed { reason: format!("could not be started: {error}") };
        // Runs on a blocking thread, because removing old profile folders may take a moment.
        let profile = tokio::task::spawn_blocking(ProfileFolder::new)
            .await
            .map_err(io::Error::other)
            .flatten()
            .map_err(broken)?;
        let flags = flags(launch, proxy, profile.path());
        let downloads = profile.path().join("downloads");
        let (mut child, connection) = spawn(&program, &flags, &profile).map_err(broken)?;
        let group = child
            .id()
            .and_then(|id| Pid::from_raw(i32::try_from(id).ok()?))
            .ok_or_else(|| broken(io::Error::other("it ended at once")))?;
        let words = StderrTail::default();
        if let Some(stderr) = child.stderr.take() {
            tokio::spawn(words.clone().listen(stderr));
        }
        let stop = CancellationToken::new();
        let lost = CancellationToken::new();
        let (end, ended) = watch::channel(None);
        tokio::spawn(watch(
            Owned { connection: Arc::clone(&connection), child, group: ProcessGroup(group), profile },
            words,
            (stop.clone(), lost.clone()),
            end,
        ));
        let mut process = Self {
            connection,
            program,
            flags,
            version: String::new(),
            group,
            downloads,
            started: Instant::now(),
            stop,
            lost,
            ended,
        };
        process.version = process.greet(launch.start).await?;
        tracing::info!(
            version = process.version,
            duration_ms = process.started.elapsed().as_millis(),
            "Chromium is up"
        );
        Ok(process)
    }

    /// Waits until Chromium replies with its version, exits, or exceeds `limit`.
    async fn greet(&mut self, limit: Duration) -> Result<String, BrowserError> {
        let browser = Channel::for_browser(Arc::clone(&self.connection));
        match tokio::time::timeout(limit, browser.call(&GetVersion {})).await {
            Ok(Ok(version)) => Ok(version.product),
            Ok(Err(error)) => {
                // The last lines on standard error explain the exit; they arrive together with it.
                let ended = tokio::time::timeout(limit, self.ended()).await;
                Err(BrowserError::ChromiumFailed {
                    reason: ended.map_or_else(|_| error.to_string(), |ended| ended.to_string()),
                })
            }
            Err(_) => {
                let ended = self.kill().await;
                Err(BrowserError::ChromiumFailed {
                    reason: format!(
                        "did not answer within {} s of its start{}",
                        limit.as_secs_f32(),
                        stderr_tail::last(&ended.last_lines)
                    ),
                })
            }
        }
    }

    /// Ends Chromium: closes the pipes, kills the group and removes the profile. Returns when all of this is done.
    pub(crate) async fn kill(&self) -> ProcessExit {
        self.stop();
        self.ended().await
    }

    /// Asks the owning task to end Chromium. If the pipe is already closed, Chromium exited on its own even if it has
    /// not been reaped yet.
    fn stop(&self) {
        if self.connection.is_closed() && !self.stop.is_cancelled() {
            self.lost.cancel();
        }
        self.stop.cancel();
    }

    /// Waits for the end of Chromium.
    pub(crate) async fn ended(&self) -> ProcessExit {
        let mut ended = self.ended.clone();
        let gone = ended.wait_for(Option::is_some).await.ok().and_then(|ended| ended.clone());
        gone.unwrap_or_else(|| ProcessExit {
            how: "the server is stopping".to_owned(),
            last_lines: Vec::new(),
            was_requested: true,
        })
    }

    /// Returns a receiver of the end; its value is `None` while Chromium runs.
    pub(crate) fn end(&self) -> watch::Receiver<Option<ProcessExit>> {
        self.ended.clone()
    }

    /// Returns the connection to Chromium.
    pub(crate) fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }

    pub(crate) fn program(&self) -> &PathBuf {
        &self.program
    }

    pub(crate) fn flags(&self) -> &[String] {
        &self.flags
    }

    /// Returns the version, such as `Chrome/156.0.8078.79`.
    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    #[cfg(test)]
    pub(crate) fn group(&self) -> Pid {
        self.group
    }

    /// Returns the time of the start.
    pub(crate) fn started(&self) -> Instant {
        self.started
    }

    /// Returns the folder for downloads, which is removed together with the profile.
    pub(crate) fn downloads(&self) -> &PathBuf {
        &self.downloads
    }

    /// Returns the bytes of memory that the processes of the group use.
    pub(crate) async fn memory(&self) -> u64 {
        let group = self.group;
        tokio::task::spawn_blocking(move || memory::resident(group)).await.unwrap_or_default()
    }
}

impl Drop for ChromiumProcess {
    fn drop(&mut self) {
        self.stop();
        self.connection.close();
    }
}

impl std::fmt::Display for ProcessExit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ended ({}){}", self.how, stderr_tail::last(&self.last_lines))
    }
}

#[expect(clippy::disallowed_methods, reason = "this is where the browser starts Chromium")]
fn spawn(program: &PathBuf, flags: &[String], profile: &ProfileFolder) -> io::Result<(Child, Arc<Connection>)> {
    let (for_it, to) = io::pipe()?;
    let (from, for_us) = io::pipe()?;
    let mut command = Command::new(program);
    command
        .args(flags)
        .current_dir(profile.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    if let Some(temporary) = profile.temporary() {
        command.env("TMPDIR", temporary);
    }
    command
        .fd_mappings(vec![
            FdMapping { parent_fd: for_it.into(), child_fd: 3 },
            FdMapping { parent_fd: for_us.into(), child_fd: 4 },
        ])
        .map_err(io::Error::other)?;
    let child = command.spawn()?;
    // The command owns the child's ends of the pipes. While they are open in this process, no end of file is seen.
    drop(command);
    let connection = Connection::open(OwnedFd::from(from), OwnedFd::from(to))?;
    Ok((child, connection))
}

/// The values that the supervising task owns. If the runtime drops the task, they are dropped in the order of the
/// fields.
struct Owned {
    connection: Arc<Connection>,
    group: ProcessGroup,
    child: Child,
    profile: ProfileFolder,
}

async fn watch(
    mut owned: Owned,
    words: StderrTail,
    (stop, lost): (CancellationToken, CancellationToken),
    end: watch::Sender<Option<ProcessExit>>,
) {
    let exit = tokio::select! {
        exit = owned.child.wait() => Some(exit),
        () = stop.cancelled() => None,
    };
    let wanted = exit.is_none() && !lost.is_cancelled();
    owned.connection.close();
    // The children of Chromium outlive it by a moment and would write into the profile while it is removed.
    owned.group.kill();
    let exit = match exit {
        Some(exit) => exit,
        None => owned.child.wait().await,
    };
    let Owned { group, profile, .. } = owned;
    group.wait_gone().await;
    if let Err(error) = tokio::task::spawn_blocking(move || drop(profile)).await {
        tracing::debug!(%error, "cannot remove the profile");
    }
    let ended = ProcessExit {
        how: exit.map_or_else(|error| error.to_string(), |status| status.to_string()),
        last_lines: words.all(),
        was_requested: wanted,
    };
    if !wanted {
        tracing::warn!(how = ended.how, said = ended.last_lines.last(), "Chromium ended by itself");
    }
    let _ = end.send(Some(ended));
}

#[cfg(test)]
mod tests {
    use rustix::process::test_kill_process_group;

    use super::*;

    #[tokio::test]
    #[ignore = "needs Chromium"]
    async fn kill_leaves_no_process_and_no_profile() {
        let process = ChromiumProcess::start(&Launch::default(), &[]).await.expect("Chromium");
        assert!(process.version().contains("Chrome/"), "{}", process.version());
        assert!(process.memory().await > 10 << 20);
        let (group, profile) = (process.group(), process.downloads().parent().expect("a folder").to_path_buf());
        assert!(profile.exists());
        assert!(process.kill().await.was_requested);
        assert!(test_kill_process_group(group).is_err() && !profile.exists());
        assert!(process.connection().is_closed());
    }

    #[tokio::test]
    async fn failed_start_reports_last_stderr_lines() {
        let launch = |script: &str, start| {
            Launch { executable: Some(PathBuf::from("/bin/sh")), args: Vec::new(), start, ..Launch::default() }
                .said(script)
        };
        let failed = async |launch| ChromiumProcess::start(&launch, &[]).await.expect_err("no browser").to_string();
        let ended = failed(launch("echo no display >&2; exit 3", Duration::from_secs(10))).await;
        assert!(ended.contains("exit status: 3") && ended.contains("no display"), "{ended}");
        let silent = failed(launch("exec sleep 100", Duration::from_millis(200))).await;
        assert!(silent.contains("did not answer"), "{silent}");
    }

    impl Launch {
        /// Replaces the program by a script that runs `script` and ignores its flags.
        fn said(mut self, script: &str) -> Self {
            use std::os::unix::fs::PermissionsExt;
            let folder = tempfile::tempdir().expect("a folder").keep();
            let program = folder.join("program");
            std::fs::write(&program, format!("#!/bin/sh\nrm -r {}\n{script}\n", folder.display())).expect("a file");
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("executable");
            self.executable = Some(program);
            self
        }
    }
}
