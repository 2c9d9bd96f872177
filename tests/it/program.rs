//! The real program in a separate process, and bytes over TCP that a client library would not send.
//!
//! Every hostile test ends with [`Program::survived`]: the server still answers, ends on SIGTERM, and its log has no
//! panic.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, ChildStderr, Command, Stdio},
    thread::{self, JoinHandle},
    time::Duration,
};

use fumi_code::parser_pool::ParserPool;

use crate::sample::Sample;

/// The timeout of a test whose server never answers. The tests do not assert durations.
const PATIENCE: Duration = Duration::from_mins(1);

/// Returns the parser pool for fumi's parts in a test's process: its parser processes run the real program.
pub(crate) fn parsers() -> ParserPool {
    parsers_by(Path::new(env!("CARGO_BIN_EXE_fumi")))
}

/// Returns a pool whose processes run the program that has this path now.
pub(crate) fn parsers_by(program: &Path) -> ParserPool {
    ParserPool::new(fumi_code::parser_pool::ParserProgram {
        path: program.to_path_buf(),
        arguments: vec!["parser-process".to_owned()],
    })
}

/// Removes a developer's settings from a program's environment.
pub(crate) fn undisturbed(command: &mut Command) {
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("FUMI") || name.ends_with("_ROOT")) {
        // ./test sets this one to the Chromium that the browser tests use.
        if name != "FUMI__BROWSER__EXECUTABLE" {
            command.env_remove(name);
        }
    }
}

/// Returns the URL from the line by which the program reports its address.
#[track_caller]
fn address_of(child: &mut Child) -> String {
    let mut ready = String::new();
    let mut out = BufReader::new(child.stdout.as_mut().unwrap());
    out.read_line(&mut ready).unwrap();
    let url = ready.trim().strip_prefix("fumi listening on ");
    url.unwrap_or_else(|| panic!("it did not start: {ready:?}")).to_owned()
}

/// A running fumi that a test kills itself; killed when dropped at the latest.
pub(crate) struct Served {
    pub(crate) child: Child,
    pub(crate) url: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    /// Returns the command of a program that serves a sample and stores its state outside.
    pub(crate) fn command(sample: &Sample) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fumi"));
        undisturbed(&mut command);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--root"])
            .arg(sample.root())
            .arg("--state")
            .arg(sample.outside().join("state"));
        command
    }

    /// Starts it and waits until it listens.
    #[track_caller]
    pub(crate) fn start(command: &mut Command) -> Self {
        Self::start_logging(command, Stdio::null())
    }

    /// The same, with a place for the log.
    #[track_caller]
    pub(crate) fn start_logging(command: &mut Command, log: impl Into<Stdio>) -> Self {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        Self { url: address_of(&mut child), child }
    }
}

/// A running fumi. Killed when dropped.
pub(crate) struct Program {
    child: Child,
    log: Option<JoinHandle<String>>,
    pub(crate) address: String,
}

impl Program {
    /// Serves a sample, configured by environment variables (`SERVER__HEADER_SECONDS` and the like).
    pub(crate) fn start(sample: &Sample, settings: &[(&str, &str)]) -> Self {
        Self::start_by(Command::new(env!("CARGO_BIN_EXE_fumi")), sample, settings)
    }

    /// Starts the program under a limit of 2 GiB of address space; a server that outgrows it aborts.
    pub(crate) fn start_within_two_gib(sample: &Sample) -> Self {
        let mut command = Command::new("sh");
        let limited = "ulimit -v 2097152; exec \"$0\" \"$@\"";
        command.args(["-c", limited, env!("CARGO_BIN_EXE_fumi")]);
        Self::start_by(command, sample, &[])
    }

    /// The same with a command that runs fumi.
    pub(crate) fn start_by(mut command: Command, sample: &Sample, settings: &[(&str, &str)]) -> Self {
        undisturbed(&mut command);
        for (name, value) in settings {
            command.env(format!("FUMI__{name}"), value);
        }
        let mut child = command
            .current_dir(sample.root())
            .args(["serve", "--listen", "127.0.0.1:0", "--store", "memory"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = child.stderr.take().map(|log| thread::spawn(move || read_log(log)));
        let url = address_of(&mut child);
        let address = url.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp"));
        let address = address.unwrap_or_else(|| panic!("no address: {url}")).to_owned();
        Self { child, log, address }
    }

    /// Opens a new connection.
    pub(crate) fn connect(&self) -> Raw {
        Raw::connect(&self.address)
    }

    /// Sends bytes over a new connection and reads the first answer.
    pub(crate) fn ask(&self, request: &[u8]) -> Answer {
        let mut raw = self.connect();
        raw.send(request);
        raw.answer().expect("an answer")
    }

    /// Sets how many files the process may have open from now on; open files stay open.
    pub(crate) fn limit_open_files(&self, most: u64) {
        let id = self.child.id().to_string();
        let mut limit = Command::new("prlimit");
        let limited = limit.args(["--pid", &id, &format!("--nofile={most}:")]).status();
        assert!(limited.is_ok_and(|status| status.success()), "prlimit of util-linux is needed");
    }

    /// Returns the largest resident memory of the process so far, in bytes. Linux only.
    pub(crate) fn peak_memory(&self) -> u64 {
        self.memory("VmHWM:")
    }

    /// Returns the resident memory of the process, in bytes. Linux only.
    pub(crate) fn resident_memory(&self) -> u64 {
        self.memory("VmRSS:")
    }

    fn memory(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let found = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        let kibibytes: u64 = found.trim().trim_end_matches(" kB").parse().unwrap();
        kibibytes << 10
    }

    /// Asserts that the program still runs, ends properly and never panicked. Returns the log.
    #[track_caller]
    pub(crate) fn survived(mut self) -> String {
        let alive = self.ask(format!("GET /livez HTTP/1.1\r\nHost: {}\r\n\r\n", self.address).as_bytes());
        assert_eq!(alive.status, 200);
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        let log = self.log.take().unwrap().join().unwrap();
        assert!(!log.contains("panicked"), "{log}");
        log
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_log(mut log: ChildStderr) -> String {
    let mut text = Vec::new();
    let _ = log.read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// A raw TCP connection.
pub(crate) struct Raw(pub(crate) BufReader<TcpStream>);

/// One answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The names are in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Raw {
    pub(crate) fn connect(address: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Self(BufReader::new(stream))
    }

    /// Ignores that the server has closed already; the next read shows it.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        let _ = self.0.get_mut().write_all(bytes);
    }

    /// True if the bytes could be sent.
    pub(crate) fn try_send(&mut self, bytes: &[u8]) -> bool {
        self.0.get_mut().write_all(bytes).is_ok()
    }

    /// Returns the next answer, or `None` if the server closed the connection.
    pub(crate) fn answer(&mut self) -> Option<Answer> {
        let status = self.line()?;
        let status = status.split(' ').nth(1)?.parse().ok()?;
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut answer = Answer { status, headers, body: Vec::new() };
        if answer.header("transfer-encoding") == Some("chunked") {
            loop {
                let size = usize::from_str_radix(&self.line()?, 16).ok()?;
                self.take(size, &mut answer.body)?;
                self.line()?;
                if size == 0 {
                    break;
                }
            }
        } else if let Some(length) = answer.header("content-length") {
            let length = length.parse().ok()?;
            self.take(length, &mut answer.body)?;
        }
        Some(answer)
    }

    /// Reads until the server closes the connection.
    pub(crate) fn until_closed(&mut self) -> Vec<u8> {
        let mut all = Vec::new();
        match self.0.read_to_end(&mut all) {
            Ok(_) => all,
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => all,
            Err(error) => panic!("it was not closed: {error}"),
        }
    }

    fn line(&mut self) -> Option<String> {
        let mut line = Vec::new();
        match self.0.read_until(b'\n', &mut line) {
            Ok(0) => None,
            Ok(_) => Some(String::from_utf8_lossy(&line).trim_end().to_owned()),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => None,
            Err(error) => panic!("no answer: {error}"),
        }
    }

    fn take(&mut self, bytes: usize, body: &mut Vec<u8>) -> Option<()> {
        let start = body.len();
        body.resize(start + bytes, 0);
        self.0.read_exact(&mut body[start..]).ok()
    }
}
