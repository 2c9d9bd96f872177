//! Two real servers on one novel; one of them is stopped (SIGSTOP) for longer than its lease lasts, and then continued.

use std::{
    fs,
    io::{Seek as _, SeekFrom, Write as _},
};

use reqwest::StatusCode;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use serde_json::{Value, json};

use crate::{program::Served, sample::Sample};

/// Makes a call over REST and reads the whole answer.
pub(crate) async fn sent(url: &str, tool: &str, arguments: Value) -> (StatusCode, Value) {
    let url = format!("{}/v1/tools/{tool}", url.strip_suffix("/mcp").unwrap());
    let answer = reqwest::Client::new().post(url).json(&arguments).send().await.unwrap();
    (answer.status(), answer.json().await.unwrap())
}

/// Waits until the process is stopped, as a shell does.
pub(crate) async fn stopped(pid: Pid) {
    let wait = move || waitpid(Some(pid), WaitOptions::UNTRACED).unwrap().unwrap();
    let (_, status) = tokio::task::spawn_blocking(wait).await.unwrap();
    assert!(status.stopped(), "{status:?}");
}

/// Moves the end of the lease into the past, as if 30 seconds had passed.
pub(crate) fn end_the_lease(sample: &Sample) {
    let lease = sample.root().join(".noveler/locks/leases/write");
    let mut lease = fs::OpenOptions::new().write(true).open(lease).unwrap();
    lease.seek(SeekFrom::Start("fumi-store 1 ".len() as u64)).unwrap();
    lease.write_all(b"0000000000000000").unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_with_an_expired_lease_overwrites_nothing() {
    let sample = Sample::empty();
    sample.file("a.md", "before\n");
    let slow = Served::start(Served::command(&sample).env("FUMI_FAILPOINT", "freeze fsync a.md"));
    let other = Served::start(&mut Served::command(&sample));
    let pid = Pid::from_child(&slow.child);
    let write = |url: &str, content: &str| {
        let (url, arguments) = (url.to_owned(), json!({"file_path": "a.md", "content": content, "overwrite": true}));
        async move { sent(&url, "write", arguments).await }
    };
    let late = tokio::spawn(write(&slow.url, "the slow one\n"));
    stopped(pid).await;
    end_the_lease(&sample);
    let (status, written) = write(&other.url, "the other one\n").await;
    assert_eq!(status, StatusCode::OK, "{written}");
    kill_process(pid, Signal::CONT).unwrap();
    let (status, refused) = late.await.unwrap();
    assert_eq!(sample.read("a.md"), "the other one\n", "an acknowledged write is lost");
    let error = &refused["error"];
    assert_eq!(
        (status, &error["code"], &error["details"]["kind"]),
        (StatusCode::SERVICE_UNAVAILABLE, &json!("R004"), &json!("TURN_LOST")),
        "{refused}"
    );
    // The backup of the previous content.
    let before = error["details"]["written"].as_str().unwrap();
    assert!(error["details"]["path"] == "a.md" && before.ends_with("/manifest.yaml"), "{refused}");
    let (status, again) = write(&slow.url, "the slow one, again\n").await;
    assert_eq!((status, sample.read("a.md").as_str()), (StatusCode::OK, "the slow one, again\n"), "{again}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_an_editor_saves_during_the_call_is_not_overwritten() {
    let sample = Sample::empty();
    sample.file("a.md", "before\n");
    let slow = Served::start(Served::command(&sample).env("FUMI_FAILPOINT", "freeze fsync a.md"));
    let pid = Pid::from_child(&slow.child);
    let hash = fumi_base::files::sha256(b"before\n");
    let arguments = json!({"file_path": "a.md", "content": "the slow one\n", "expected_hash": hash});
    let url = slow.url.clone();
    let late = tokio::spawn(async move { sent(&url, "write", arguments).await });
    stopped(pid).await;
    sample.file("a.md", "by an editor\n");
    kill_process(pid, Signal::CONT).unwrap();
    let (status, refused) = late.await.unwrap();
    assert_eq!(sample.read("a.md"), "by an editor\n", "{refused}");
    assert_eq!((status, &refused["error"]["code"]), (StatusCode::CONFLICT, &json!("HASH_MISMATCH")));
}
