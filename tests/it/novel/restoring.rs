//! A server is killed (SIGKILL) during a restoration: the next start finishes it, and the status reports it until then.

use reqwest::StatusCode;
use rustix::process::Pid;
use serde_json::{Value, json};

use super::{
    fencing::{sent, stopped},
    novel,
};
use crate::{program::Served, sample::Sample};

/// Returns the path of a manuscript.
fn path(number: usize) -> String {
    format!("40_原稿/第{number}話.md")
}

const MANUSCRIPTS: std::ops::Range<usize> = 101..301;

/// Returns how many manuscripts have this text.
fn count(sample: &Sample, text: &str) -> usize {
    MANUSCRIPTS.filter(|number| sample.read(&path(*number)) == text).count()
}

async fn ok(url: &str, tool: &str, arguments: Value) -> Value {
    let (status, answer) = sent(url, tool, arguments).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restoration_that_was_killed_is_finished_by_the_next_start() {
    let sample = novel();
    let fill = |text: &str| {
        for number in MANUSCRIPTS {
            sample.file(&path(number), text);
        }
    };
    fill("first\n");
    let server = Served::start(&mut Served::command(&sample));
    let made = ok(&server.url, "backup_management", json!({"action": "create", "paths": ["40_原稿"]})).await;
    let id = made["backup"]["backup_id"].clone();
    drop(server);
    fill("second\n");
    let freeze = format!("freeze rename {}", path(200));
    let mut dying = Served::start(Served::command(&sample).env("FUMI_FAILPOINT", freeze));
    let (url, restore) = (dying.url.clone(), json!({"action": "restore", "backup_id": id}));
    let lost = tokio::spawn(async move { sent(&url, "backup_management", restore).await });
    stopped(Pid::from_child(&dying.child)).await;
    dying.child.kill().unwrap();
    dying.child.wait().unwrap();
    lost.abort();
    assert_eq!((count(&sample, "first\n"), count(&sample, "second\n")), (100, 100));

    // The author changed one of them before the next start.
    sample.file(&path(300), "third\n");
    let status = super::writing::ok(&sample.app(), "status", json!({})).await;
    let remarks = status["remarks"].to_string();
    assert!(remarks.contains(id.as_str().unwrap()) && remarks.contains("interrupted"), "{status}");
    let next = Served::start(&mut Served::command(&sample));
    assert_eq!((count(&sample, "first\n"), sample.read(&path(300)).as_str()), (199, "third\n"));
    let status = ok(&next.url, "status", json!({})).await;
    assert!(!status["remarks"].to_string().contains("interrupted"), "{status}");
}
