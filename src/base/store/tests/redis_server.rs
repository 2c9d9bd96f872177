//! A Redis server for tests: a process of its own on a free port of this machine, which keeps nothing on disk.

#![allow(clippy::disallowed_methods, reason = "the tests start another process and wait for it")]

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// Runs the server until the pipe on the standard input closes: also when the test's process is killed.
const SUPERVISOR: &str = r#""$@" & read -r _; kill -9 $!; wait"#;
/// The timeout of the start.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running server. Killed when dropped, or when the test's process ends.
#[derive(Debug)]
pub(crate) struct RedisServer {
    pub(crate) port: u16,
    arguments: Vec<String>,
    /// A replica writes what it receives from its primary to a file here, which the next start would load.
    folder: TempDir,
    supervisor: Option<Child>,
}

impl RedisServer {
    /// Starts a server on a free port, with further arguments.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let found = Command::new("redis-server").arg("--version").stdout(Stdio::null()).status();
        assert!(
            found.is_ok(),
            "redis-server is missing; install it: apt-get install redis-server (its service need not run)"
        );
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port").port();
        let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let folder = tempfile::tempdir().expect("a folder");
        let mut server = Self { port, arguments, folder, supervisor: None };
        server.run();
        server
    }

    /// Starts the server again after [`Self::stop`], on the same port and with no data.
    pub(crate) fn run(&mut self) {
        let port = self.port.to_string();
        let _ = fs::remove_file(self.folder.path().join("dump.rdb"));
        let mut command = Command::new("sh");
        command
            .args(["-c", SUPERVISOR, "sh", "redis-server", "--bind", "127.0.0.1", "--port", &port])
            .args(["--save", "", "--appendonly", "no", "--dir"])
            .arg(self.folder.path())
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        self.supervisor = Some(command.spawn().expect("a shell"));
        let began = Instant::now();
        while self.try_command("PING").is_none() {
            assert!(began.elapsed() < PATIENCE, "redis-server does not start on port {port}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Kills the server.
    pub(crate) fn stop(&mut self) {
        if let Some(mut supervisor) = self.supervisor.take() {
            drop(supervisor.stdin.take());
            supervisor.wait().expect("it ends");
        }
    }

    /// Sends a command as one line, and returns the first line of the answer.
    pub(crate) fn command(&self, line: &str) -> String {
        self.try_command(line).expect("the server answers")
    }

    fn try_command(&self, line: &str) -> Option<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.write_all(format!("{line}\r\n").as_bytes()).ok()?;
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer).ok().filter(|bytes| *bytes > 0)?;
        Some(answer.trim().to_owned())
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.stop();
    }
}
