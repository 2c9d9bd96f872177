//! The real program, killed: nothing of its Chromium stays.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::json;

use super::{
    site::Site,
    visit::{chromium, group},
};
use crate::{
    harness::{SESSION, Session},
    sample::Sample,
};

/// The program, killed at the latest when the test ends.
struct Program {
    child: Child,
    url: String,
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Program {
    /// Starts it with a Chromium that has this flag.
    fn start(sample: &Sample, flag: &str) -> Self {
        let config = sample.outside().join("fumi.toml");
        fs::write(&config, format!("[browser]\nargs = [{flag:?}]\n")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_fumi"));
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("FUMI") || name.ends_with("_ROOT")) {
            command.env_remove(name);
        }
        let mut child = command
            .args(["serve", "--listen", "127.0.0.1:0", "--root"])
            .arg(sample.root())
            .arg("--state")
            .arg(sample.outside().join("state"))
            .arg("--config")
            .arg(config)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut ready = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut ready).unwrap();
        let url = ready
            .trim()
            .strip_prefix("fumi listening on ")
            .unwrap_or_else(|| panic!("{ready}"));
        Self {
            url: url.to_owned(),
            child,
        }
    }
}

/// Two seconds are what is promised, so that this is timed.
async fn is_gone(leader: u32) {
    let since = Instant::now();
    while group(leader) > 0 {
        assert!(
            since.elapsed() < Duration::from_secs(2),
            "{} processes are left",
            group(leader)
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_sigkill_no_chromium_is_left() {
    let sample = Sample::new();
    let site = Site::start().await;
    let flag = format!("--fumi-test={}", sample.root().display());
    // Once at rest, once in the middle of a call.
    for is_busy in [false, true] {
        let mut program = Program::start(&sample, &flag);
        let client = Session::open_at(&program.url, SESSION).await;
        let answer = client
            .call("browser_navigate", json!({"url": site.url("/frames/many.html")}))
            .await;
        assert!(!answer.called().2, "{}", answer.raw);
        let leader = chromium(&flag).expect("Chromium runs");
        assert!(group(leader) > 1);
        let busy = is_busy.then(|| {
            let url = site.url("/never/reply");
            let params = json!({"name": "browser_navigate", "arguments": {"url": url}});
            let message = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params});
            tokio::spawn(client.prepare(&message).send())
        });
        if is_busy {
            site.until("/never/reply", 1).await;
        }
        program.child.kill().unwrap();
        program.child.wait().unwrap();
        is_gone(leader).await;
        if let Some(busy) = busy {
            let _ = busy.await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_sigterm_no_chromium_is_left() {
    let sample = Sample::new();
    let flag = format!("--fumi-test={}", sample.root().display());
    let mut program = Program::start(&sample, &flag);
    let client = Session::open_at(&program.url, SESSION).await;
    let answer = client
        .call("browser_navigate", json!({"url": "data:text/html,x"}))
        .await;
    assert!(!answer.called().2, "{}", answer.raw);
    let leader = chromium(&flag).expect("Chromium runs");
    let status = Command::new("kill")
        .arg(program.child.id().to_string())
        .status()
        .unwrap();
    assert!(status.success());
    program.child.wait().unwrap();
    is_gone(leader).await;
}
