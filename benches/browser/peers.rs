//! The programs that are measured, each behind the same small face. Their tools have the same names and arguments, so a step is
//! one call for all of them; what only one of them can do, it says.

use std::{
    env,
    io::{BufRead as _, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use super::client::Session;

/// Packages and versions.
const PINNED: &str = include_str!("playwright.toml");

/// The browser that all of them drive: what fumi takes by itself where it is installed, and what Playwright would download.
pub(crate) const SHELL: &str = "/usr/lib/chromium/chromium-headless-shell";

/// The same engine with windows, which fumi takes where the other is not installed.
pub(crate) const WHOLE: &str = "/usr/bin/chromium";

/// A program that is measured.
pub(crate) trait Peer {
    fn name(&self) -> &'static str;

    /// A fresh process, whose files go into this folder.
    fn start(&self, folder: &Path) -> Running;

    /// Whether it can do several steps in one call, and leave out what is not asked for.
    fn is_ours(&self) -> bool {
        false
    }
}

/// A running server. It is killed when this drops.
pub(crate) struct Running {
    child: Child,
    url: String,
    folder: PathBuf,
}

/// The fumi of this build.
pub(crate) struct Fumi {
    /// Another browser than it would take.
    pub(crate) chromium: Option<&'static str>,
}

/// `@playwright/mcp`.
pub(crate) struct Playwright {
    home: PathBuf,
}

impl Peer for Fumi {
    fn name(&self) -> &'static str {
        "fumi"
    }

    fn start(&self, folder: &Path) -> Running {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fumi"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--store", "memory", "--root"]);
        command.arg(folder).stdout(Stdio::piped()).stderr(Stdio::null());
        if let Some(chromium) = self.chromium {
            command.env("FUMI__BROWSER__EXECUTABLE", installed(chromium));
        }
        let mut running = Running::start(
            command,
            |child| child.stdout.take().expect("piped"),
            "fumi listening on ",
            folder,
        );
        // `/mcp` lists the tools that suit the folder.
        running.url.push_str("/browser");
        running
    }

    fn is_ours(&self) -> bool {
        true
    }
}

impl Playwright {
    /// Finds what `./bench browser` installs, or says how to get it.
    pub(crate) fn find() -> Self {
        let home = env::var_os("FUMI_PLAYWRIGHT_MCP").map_or_else(
            || {
                env::home_dir()
                    .expect("a home folder")
                    .join(".cache/fumi/playwright-mcp")
            },
            PathBuf::from,
        );
        let peer = Self { home };
        for file in [peer.node(), peer.program()] {
            assert!(
                file.exists(),
                "\n{} is missing. ./bench browser installs it where npm reaches its registry; or set FUMI_PLAYWRIGHT_MCP to a \
                 folder in which this was run:\n  npm install node@VERSION {}\n",
                file.display(),
                packages("@"),
            );
        }
        peer
    }

    fn node(&self) -> PathBuf {
        self.home.join("node_modules/node/bin/node")
    }

    fn program(&self) -> PathBuf {
        self.home.join("node_modules/@playwright/mcp/cli.js")
    }
}

impl Peer for Playwright {
    fn name(&self) -> &'static str {
        "Playwright MCP"
    }

    fn start(&self, folder: &Path) -> Running {
        let mut command = Command::new(self.node());
        command
            .arg(self.program())
            .arg("--executable-path")
            .arg(installed(SHELL));
        command.args([
            "--headless",
            "--no-sandbox",
            "--isolated",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
        ]);
        // Otherwise it lets in only who calls it `localhost`.
        command.args(["--allowed-hosts", "*"]).arg("--output-dir").arg(folder);
        command.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::piped());
        Running::start(
            command,
            |child| child.stderr.take().expect("piped"),
            "Listening on ",
            folder,
        )
    }
}

/// The packages that are compared with, each with its version after a sign.
pub(crate) fn packages(sign: &str) -> String {
    let table: toml::Table = PINNED.parse().expect("a table of versions");
    let packages = table.iter();
    let named = packages.map(|(name, version)| format!("{name}{sign}{}", version.as_str().unwrap_or_default()));
    named.collect::<Vec<_>>().join(", ")
}

/// A browser, or how to get it.
pub(crate) fn installed(chromium: &'static str) -> &'static str {
    assert!(
        Path::new(chromium).exists(),
        "\n{chromium} is missing; install it: apt-get install chromium chromium-headless-shell\n"
    );
    chromium
}

impl Running {
    /// Starts it, and waits for the line that says where it listens.
    fn start<R: Read + Send + 'static>(
        mut command: Command,
        output: fn(&mut Child) -> R,
        sign: &'static str,
        folder: &Path,
    ) -> Self {
        let mut child = command.stdin(Stdio::null()).spawn().expect("it starts");
        let output = BufReader::new(output(&mut child));
        let (told, said) = mpsc::channel();
        // To its end: a program that can not write any more stops.
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if let Some((_, url)) = line.split_once(sign) {
                    let _ = told.send(url.trim().to_owned());
                }
            }
        });
        let url = said
            .recv_timeout(Duration::from_secs(30))
            .expect("it says where it listens");
        let url = if url.ends_with("/mcp") {
            url
        } else {
            format!("{url}/mcp")
        };
        Self {
            child,
            url,
            folder: folder.to_owned(),
        }
    }

    /// A session of its own, to whose calls this time is added.
    pub(crate) async fn session(&self, round_trip: Duration) -> Session {
        Session::open(&self.url, &self.folder, round_trip).await
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// SIGKILL: nothing that the program could do about it.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it was started");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Asked first: what it started ends with it.
        let asked = Command::new("kill")
            .arg(self.id().to_string())
            .stderr(Stdio::null())
            .status();
        if asked.is_ok_and(|status| status.success()) {
            for _ in 0..100 {
                if self.child.try_wait().is_ok_and(|ended| ended.is_some()) {
                    return;
                }
                thread::sleep(Duration::from_millis(50));
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
