//! A call that is cancelled or out of time stops working: no file is opened after its reply.
//!
//! The kernel of the machine is asked (inotify) what was opened. No test here measures time.

use std::collections::BTreeSet;

use fumi::tool::{Caller, catalogue::Entry};
use inotify::{Inotify, WatchMask};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    sample::{Sample, call, call_as, wide},
    taught::refused,
};

/// 12,000 files in 1,500 folders: more than a millisecond of work for whatever looks at all of them.
fn large() -> Sample {
    Sample::large(1_500, 8)
}

/// What is opened below a project from now on.
struct Opened {
    inotify: Inotify,
}

impl Opened {
    fn watch(sample: &Sample) -> Self {
        let inotify = Inotify::init().unwrap();
        let folders: BTreeSet<_> = sample
            .state()
            .into_iter()
            .filter(|(path, _)| path.is_dir())
            .map(|(path, _)| path)
            .collect();
        for folder in folders {
            inotify.watches().add(folder, WatchMask::OPEN).unwrap();
        }
        Self { inotify }
    }

    /// How many files and folders were opened since the last look.
    fn count(&mut self) -> usize {
        let mut buffer = vec![0; 1 << 20];
        let mut count = 0;
        while let Ok(events) = self.inotify.read_events(&mut buffer) {
            count += events.count();
        }
        count
    }
}

fn walks(entry: &Entry) -> bool {
    entry.input["properties"].get("roots").is_some()
}

/// Makes another call of these arguments, which still looks at every file.
fn vary(entry: &Entry, arguments: &mut Map<String, Value>, flag: &str) {
    if entry.input["properties"].get(flag).is_some() {
        arguments.insert(flag.to_owned(), json!(true));
    } else {
        arguments.insert("exclude_globs".to_owned(), json!([format!("no_such_{flag}")]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_out_of_time_says_so_and_stops() {
    let sample = large();
    let app = sample.app();
    for entry in app.catalogue.entries().iter().filter(|entry| walks(entry)) {
        let name = entry.spec.name;
        let mut arguments = wide(entry, &sample.example(entry));
        // Freshness looks at the folders once, before the clock starts.
        let whole = call(&app, name, Value::Object(arguments.clone())).await;
        assert!(!whole.is_error, "{name}: {}", whole.text);
        // Another call than the cached one.
        vary(entry, &mut arguments, "hidden");
        let mut opened = Opened::watch(&sample);
        let full = call(&app, name, Value::Object(arguments.clone())).await;
        assert!(!full.is_error, "{name}: {}", full.text);
        let all = opened.count();
        vary(entry, &mut arguments, "no_ignore");
        arguments.insert("timeout_ms".to_owned(), json!(1));
        let before = sample.state();
        opened.count();
        let reply = call(&app, name, Value::Object(arguments.clone())).await;
        let until_reply = opened.count();
        refused(&app, &reply, &["TOOL_TIMEOUT"]);
        assert_eq!(reply.structured["error"]["details"]["limit_ms"], "1");
        assert!(
            reply.structured["error"].get("results").is_none(),
            "{name} gives partial rows"
        );
        assert!(
            until_reply < all,
            "{name} opened {until_reply} of {all} and did not stop"
        );
        // Whatever is still at work would show in the meantime: this call walks the whole tree.
        let quiet = call(&app, "list_files", json!({"roots": ["docs"], "count_only": true})).await;
        assert!(!quiet.is_error);
        assert!(opened.count() <= 4, "{name} went on after its reply");
        assert_eq!(sample.state(), before);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_stops_and_opens_nothing_more() {
    let sample = large();
    let app = sample.app();
    for entry in app.catalogue.entries().iter().filter(|entry| walks(entry)) {
        let name = entry.spec.name;
        let arguments = Value::Object(wide(entry, &sample.example(entry)));
        let mut opened = Opened::watch(&sample);
        // The first look of freshness happens here, so that the next call does its own work at once.
        let warm = call(&app, "list_files", json!({"roots": ["docs"], "count_only": true})).await;
        assert!(!warm.is_error);
        opened.count();
        let cancel = CancellationToken::new();
        let running = tokio::spawn({
            let (app, cancel, arguments) = (std::sync::Arc::clone(&app), cancel.clone(), arguments.clone());
            async move { call_as(&app, name, arguments, Caller::default(), cancel).await }
        });
        // Cancelled as soon as it is seen to work.
        let mut seen = 0;
        while seen == 0 && !running.is_finished() {
            seen = opened.count();
            tokio::task::yield_now().await;
        }
        cancel.cancel();
        let reply = running.await.unwrap();
        let opened_before_reply = seen + opened.count();
        refused(&app, &reply, &["CANCELLED"]);
        let after = call(&app, "list_files", json!({"roots": ["docs"], "count_only": true})).await;
        assert!(!after.is_error);
        let opened_after = opened.count();
        assert!(opened_after <= 4, "{name} opened {opened_after} files after its reply");
        let whole = call(&app, name, arguments).await;
        assert!(!whole.is_error, "{name}: {}", whole.text);
        let all = opened.count();
        assert!(
            opened_before_reply < all,
            "{name} opened {opened_before_reply} of {all} before it was cancelled"
        );
    }
}

/// A token that is cancelled before the call begins: nothing is looked at.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_nobody_waits_for_does_not_begin() {
    let sample = Sample::new();
    let app = sample.app();
    let cancel = CancellationToken::new();
    cancel.cancel();
    for entry in app.catalogue.entries() {
        let arguments = Value::Object(sample.example(entry));
        let reply = call_as(&app, entry.spec.name, arguments, Caller::default(), cancel.clone()).await;
        // Each family has a code of its own for it.
        refused(&app, &reply, &["CANCELLED", "R005"]);
    }
}
