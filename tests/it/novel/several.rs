//! Two servers on one novel: one writes at a time, and a waiting caller learns who writes.

use std::{sync::Arc, time::Duration};

use fumi_kernel::{Answerer, CallProgress, Caller, Cx, ToolError, pipeline};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{
    script, unwritten,
    writing::{ok, submission},
};
use crate::sample::call;

#[tokio::test(flavor = "multi_thread")]
async fn the_second_writer_waits_or_learns_who_writes() {
    let sample = unwritten();
    let impatient = sample.app_with(&[], |config| config.pools.wait_seconds = 1);
    let other = sample.app();
    let asked = ok(&other, "noveler_write", json!({"episode": 1})).await;
    let project = other.kernel.roots.default_project();
    let work = CancellationToken::new();
    let turn = other.kernel.writers.acquire(project, "noveler_write session_x", &work).await.unwrap();
    let (tool, arguments) = submission(&asked);
    let reply = call(&impatient, &tool, arguments.clone()).await;
    let error = &reply.structured["error"];
    assert_eq!((&error["code"], &error["details"]["kind"]), (&json!("R004"), &json!("LEASE_HELD")), "{error}");
    assert!(error["details"]["holder"].as_str().unwrap().contains("session_x"), "{error}");
    assert!(error["details"]["retry_after_ms"].is_u64(), "{error}");
    // Reading is possible meanwhile, and a caller that waits long enough gets the lease.
    let waiting = tokio::spawn({
        let patient = sample.app();
        async move { call(&patient, &tool, arguments).await }
    });
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    assert!(!waiting.is_finished());
    turn.release().await;
    let reply = waiting.await.unwrap();
    assert!(!reply.is_error, "{}", reply.text);
}

/// By default a tool may work as long as it may wait for the lease; otherwise it would always time out first.
#[tokio::test(flavor = "multi_thread")]
async fn waiting_for_a_turn_does_not_use_up_the_time_of_the_call() {
    let sample = unwritten();
    let (waiting, other) = (sample.app_with(&[], |config| config.pools.wait_seconds = 1), sample.app());
    let project = other.kernel.roots.default_project();
    let work = CancellationToken::new();
    let turn = other.kernel.writers.acquire(project, "session_x", &work).await.unwrap();
    let cx = Cx {
        project: Arc::clone(project),
        actor: waiting.kernel.actor("write", &Caller::default()),
        caller: Caller::default(),
        answerer: Answerer::Host,
        cancel: work.child_token(),
        progress: CallProgress::default(),
        metrics: Arc::clone(&waiting.kernel.metrics),
        writers: Arc::clone(&waiting.kernel.writers),
        expectation: fumi_base::expectation::ResolvedExpectation::default(),
        batch: None,
        is_followed: false,
        turn: parking_lot::Mutex::default(),
        writing: tokio::sync::watch::Sender::default(),
        permit: std::sync::OnceLock::new(),
        notes: parking_lot::Mutex::default(),
    };
    let late = cx.run_exclusively("me", |_, _| Ok::<_, ToolError>(()));
    let refused = pipeline::run_with_timeout(Duration::from_millis(50), &work, &cx, late).await;
    let refused = refused.expect_err("it is held");
    assert!(refused.message().en.contains("session_x"), "{refused:?}");
    turn.release().await;
}

/// Two hosts answer the same session through two servers, as fast as they can. Every answer is used once.
#[tokio::test(flavor = "multi_thread")]
async fn two_servers_never_mix_two_drafts() {
    let sample = unwritten();
    let apps = [sample.app(), sample.app()];
    let asked = ok(&apps[0], "noveler_write", json!({"episode": 1})).await;
    let session = asked["session_id"].clone();
    for step in script::steps() {
        let arguments = json!({"episode": 1, "session_id": session, "step": step, "content": script::answer(&step)});
        let both = apps.each_ref().map(|app| {
            let (app, arguments) = (std::sync::Arc::clone(app), arguments.clone());
            tokio::spawn(async move { call(&app, "noveler_write", arguments).await })
        });
        let [one, other] = both;
        let replies = [one.await.unwrap(), other.await.unwrap()];
        let taken = replies.iter().filter(|reply| !reply.is_error).count();
        assert_eq!(taken, 1, "{step}: {} / {}", replies[0].text, replies[1].text);
    }
    let files = std::fs::read_dir(sample.root().join("40_原稿")).unwrap().count();
    assert_eq!(files, 3, "one manuscript for each episode");
    let text = sample.read(super::FIRST);
    assert!(text.ends_with(script::manuscript().trim_start_matches('\n')));
}

#[tokio::test(flavor = "multi_thread")]
async fn remains_of_dead_processes_are_removed() {
    let sample = unwritten();
    let left = ".noveler/locks/alive-00000000-000000000000";
    sample.file(left, "");
    let app = sample.app();
    ok(&app, "write", json!({"file_path": "x.md", "content": "x"})).await;
    assert!(!sample.root().join(left).exists());
}
