//! Chromium's process group: started, watched, ended.
//!
//! One task owns the child, its group and its profile. It ends all three when Chromium exits, when it is told to, and when
//! the runtime drops it, so there is no way out that leaves one of them behind.

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
    group::Group,
    memory,
    profile::Profile,
    words::{self, LastWords},
};
use crate::{
    devtools::{Channel, Connection, protocol::browser::GetVersion},
    errors::BrowserError,
};

/// How Chromium ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// `exit status: 1`, `signal: 9 (SIGKILL)`.
    pub how: String,
    /// Its last lines on standard error.
    pub said: Vec<String>,
    /// Whether fumi ended it.
    pub wanted: bool,
}

/// A running Chromium.
#[derive(Debug)]
pub(crate) struct Process {
    connection: Arc<Connection>,
    program: PathBuf,
    flags: Vec<String>,
    version: String,
    group: Pid,
    downloads: PathBuf,
    started: Instant,
    stop: CancellationToken,
    /// It was gone before it was told to stop.
    lost: CancellationToken,
    ended: watch::Receiver<Option<Ended>>,
}

impl Process {
    /// Starts Chromium and waits until it answers.
    pub(crate) async fn start(launch: &Launch, gate: &[String]) -> Result<Self, BrowserError> {
        let program = find(launch)?.0;
        let broken = |error: io::Error| BrowserError::Broken {
            reason: format!("could not be started: {error}"),
        };
        // Sweeping and removing folders may take a moment.
        let profile = tokio::task::spawn_blocking(Profile::new)
            .await
            .map_err(io::Error::other)
            .flatten()
            .map_err(broken)?;
        let flags = flags(launch, gate, profile.path());
        let downloads = profile.path().join("downloads");
        let (mut child, connection) = spawn(&program, &flags, &profile).map_err(broken)?;
        let group = child
            .id()
            .and_then(|id| Pid::from_raw(i32::try_from(id).ok()?))
            .ok_or_else(|| broken(io::Error::other("it ended at once")))?;
        let words = LastWords::default();
        if let Some(stderr) = child.stderr.take() {
            tokio::spawn(words.clone().listen(stderr));
        }
        let stop = CancellationToken::new();
        let lost = CancellationToken::new();
        let (end, ended) = watch::channel(None);
        tokio::spawn(watch(
            Owned {
                connection: Arc::clone(&connection),
                child,
                group: Group(group),
                profile,
            },
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

    /// Waits until it says its version, is gone, or takes too long.
    async fn greet(&mut self, limit: Duration) -> Result<String, BrowserError> {
        let browser = Channel::of_browser(Arc::clone(&self.connection));
        match tokio::time::timeout(limit, browser.call(&GetVersion {})).await {
            Ok(Ok(version)) => Ok(version.product),
            Ok(Err(error)) => {
                // Why it went away stands in its last words, which come with its end.
                let ended = tokio::time::timeout(limit, self.ended()).await;
                Err(BrowserError::Broken {
                    reason: ended.map_or_else(|_| error.to_string(), |ended| ended.to_string()),
                })
            }
            Err(_) => {
                let ended = self.kill().await;
                Err(BrowserError::Broken {
                    reason: format!(
                        "did not answer within {} s of its start{}",
                        limit.as_secs_f32(),
                        words::last(&ended.said)
                    ),
                })
            }
        }
    }

    /// Ends it: the pipes close, the group is killed, the profile removed. Returns when all of that is done.
    pub(crate) async fn kill(&self) -> Ended {
        self.stop();
        self.ended().await
    }

    /// Tells it to stop. A Chromium whose pipe is closed already has ended by itself, though nobody has reaped it yet.
    fn stop(&self) {
        if self.connection.is_closed() && !self.stop.is_cancelled() {
            self.lost.cancel();
        }
        self.stop.cancel();
    }

    /// Waits for its end.
    pub(crate) async fn ended(&self) -> Ended {
        let mut ended = self.ended.clone();
        let gone = ended
            .wait_for(Option::is_some)
            .await
            .ok()
            .and_then(|ended| ended.clone());
        gone.unwrap_or_else(|| Ended {
            how: "the server is stopping".to_owned(),
            said: Vec::new(),
            wanted: true,
        })
    }

    /// Says how it ended, when it has.
    pub(crate) fn end(&self) -> watch::Receiver<Option<Ended>> {
        self.ended.clone()
    }

    /// What it is spoken to through.
    pub(crate) fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }

    /// The program.
    pub(crate) fn program(&self) -> &PathBuf {
        &self.program
    }

    /// Its flags.
    pub(crate) fn flags(&self) -> &[String] {
        &self.flags
    }

    /// `Chrome/156.0.8078.79`.
    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    /// Its process group.
    #[cfg(test)]
    pub(crate) fn group(&self) -> Pid {
        self.group
    }

    /// When it was started.
    pub(crate) fn started(&self) -> Instant {
        self.started
    }

    /// A folder for downloads that goes with it.
    pub(crate) fn downloads(&self) -> &PathBuf {
        &self.downloads
    }

    /// Bytes of memory that its processes hold.
    pub(crate) async fn memory(&self) -> u64 {
        let group = self.group;
        tokio::task::spawn_blocking(move || memory::resident(group))
            .await
            .unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stop();
        self.connection.close();
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ended ({}){}", self.how, words::last(&self.said))
    }
}

#[expect(clippy::disallowed_methods, reason = "this is where the browser starts Chromium")]
fn spawn(program: &PathBuf, flags: &[String], profile: &Profile) -> io::Result<(Child, Arc<Connection>)> {
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
            FdMapping {
                parent_fd: for_it.into(),
                child_fd: 3,
            },
            FdMapping {
                parent_fd: for_us.into(),
                child_fd: 4,
            },
        ])
        .map_err(io::Error::other)?;
    let child = command.spawn()?;
    // The command holds the child's ends: while they are open here, no end of file is seen.
    drop(command);
    let connection = Connection::open(OwnedFd::from(from), OwnedFd::from(to))?;
    Ok((child, connection))
}

/// What the task owns; the fields go in this order if the runtime drops it.
struct Owned {
    connection: Arc<Connection>,
    group: Group,
    child: Child,
    profile: Profile,
}

async fn watch(
    mut owned: Owned,
    words: LastWords,
    (stop, lost): (CancellationToken, CancellationToken),
    end: watch::Sender<Option<Ended>>,
) {
    let exit = tokio::select! {
        exit = owned.child.wait() => Some(exit),
        () = stop.cancelled() => None,
    };
    let wanted = exit.is_none() && !lost.is_cancelled();
    owned.connection.close();
    // Its children outlive it by a moment, and would write into the profile while that is removed.
    owned.group.kill();
    let exit = match exit {
        Some(exit) => exit,
        None => owned.child.wait().await,
    };
    let Owned { group, profile, .. } = owned;
    group.gone().await;
    if let Err(error) = tokio::task::spawn_blocking(move || drop(profile)).await {
        tracing::debug!(%error, "the profile stays");
    }
    let ended = Ended {
        how: exit.map_or_else(|error| error.to_string(), |status| status.to_string()),
        said: words.all(),
        wanted,
    };
    if !wanted {
        tracing::warn!(how = ended.how, said = ended.said.last(), "Chromium ended by itself");
    }
    let _ = end.send(Some(ended));
}

#[cfg(test)]
mod tests {
    use rustix::process::test_kill_process_group;

    use super::*;

    #[tokio::test]
    async fn it_comes_up_and_leaves_neither_process_nor_folder() {
        let process = Process::start(&Launch::default(), &[]).await.expect("Chromium");
        assert!(process.version().contains("Chrome/"), "{}", process.version());
        assert!(process.memory().await > 10 << 20);
        let (group, profile) = (
            process.group(),
            process.downloads().parent().expect("a folder").to_path_buf(),
        );
        assert!(profile.exists());
        assert!(process.kill().await.wanted);
        assert!(test_kill_process_group(group).is_err() && !profile.exists());
        assert!(process.connection().is_closed());
    }

    #[tokio::test]
    async fn a_start_that_fails_says_what_the_program_said() {
        let launch = |script: &str, start| {
            Launch {
                executable: Some(PathBuf::from("/bin/sh")),
                args: Vec::new(),
                start,
                ..Launch::default()
            }
            .said(script)
        };
        let failed = async |launch| Process::start(&launch, &[]).await.expect_err("no browser").to_string();
        let ended = failed(launch("echo no display >&2; exit 3", Duration::from_secs(10))).await;
        assert!(
            ended.contains("exit status: 3") && ended.contains("no display"),
            "{ended}"
        );
        let silent = failed(launch("exec sleep 100", Duration::from_millis(200))).await;
        assert!(silent.contains("did not answer"), "{silent}");
    }

    impl Launch {
        /// A program that does this, whatever its flags.
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
