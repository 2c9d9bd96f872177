//! The real program is killed: none of its Chromium processes remain.

use std::{
    fs,
    path::PathBuf,
    process::Command,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{
    site::Site,
    visit::{chromium, group},
};
use crate::{
    harness::{SESSION, Session},
    program::Served,
    sample::Sample,
};

/// Starts the program with a Chromium that has this flag, and its temporary files in the test's own folder.
fn start(sample: &Sample, flag: &str) -> Served {
    let config = sample.outside().join("fumi.toml");
    fs::write(&config, format!("[browser]\nargs = [{flag:?}]\n")).unwrap();
    let temporary = temporary(sample);
    fs::create_dir_all(&temporary).unwrap();
    let mut command = Served::command(sample);
    Served::start(command.env("TMPDIR", temporary).arg("--config").arg(config))
}

fn temporary(sample: &Sample) -> PathBuf {
    sample.outside().join("tmp")
}

/// The documented limit is two seconds, so this is timed.
async fn is_gone(leader: u32) {
    let since = Instant::now();
    while group(leader) > 0 {
        assert!(since.elapsed() < Duration::from_secs(2), "{} processes are left", group(leader));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn after_sigkill_no_chromium_is_left() {
    let sample = Sample::new();
    let site = Site::start().await;
    let flag = format!("--fumi-test={}", sample.root().display());
    // Once idle, once during a call.
    for is_busy in [false, true] {
        let mut program = start(&sample, &flag);
        let client = Session::open_at(&program.url, SESSION).await;
        let answer = client.call("browser_navigate", json!({"url": site.url("/frames/many.html")})).await;
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
#[ignore = "needs Chromium"]
async fn after_sigterm_no_chromium_is_left() {
    let sample = Sample::new();
    let flag = format!("--fumi-test={}", sample.root().display());
    let mut program = start(&sample, &flag);
    let client = Session::open_at(&program.url, SESSION).await;
    let answer = client.call("browser_navigate", json!({"url": "data:text/html,x"})).await;
    assert!(!answer.called().2, "{}", answer.raw);
    let leader = chromium(&flag).expect("Chromium runs");
    assert_ne!(fs::read_dir(temporary(&sample)).unwrap().count(), 0, "no profile is there");
    let status = Command::new("kill").arg(program.child.id().to_string()).status().unwrap();
    assert!(status.success());
    program.child.wait().unwrap();
    is_gone(leader).await;
    let left: Vec<_> = fs::read_dir(temporary(&sample)).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(left.is_empty(), "{left:?}");
}
