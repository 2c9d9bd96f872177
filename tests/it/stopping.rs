//! A call that is cancelled or timed out stops working: no file is opened after its reply.
//!
//! The kernel (inotify) reports which files were opened. The tests do not measure time.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use fumi::app::App;
use fumi_base::{pools::Pool, text::Locale};
use fumi_kernel::{Caller, catalogue::ToolEntry};
use inotify::{Inotify, WatchMask};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    program::{Program, Raw, Served},
    sample::{Sample, call, call_as, whole, wide},
    taught::refused,
};

/// 12,000 files in 1,500 folders: more than a millisecond of work for a call that reads all of them.
fn large() -> Sample {
    Sample::large(1_500, 8)
}

/// Returns fumi's parts without the index, whose thread opens files in the background.
fn without_index(sample: &Sample) -> Arc<App> {
    sample.app_with(&[], |config| config.code.index.enabled = false)
}

/// Watches which files are opened below a project.
struct Opened {
    inotify: Inotify,
}

impl Opened {
    fn watch(sample: &Sample) -> Self {
        let inotify = Inotify::init().unwrap();
        let folders: BTreeSet<_> =
            sample.state().into_iter().filter(|(path, _)| path.is_dir()).map(|(path, _)| path).collect();
        for folder in folders {
            inotify.watches().add(folder, WatchMask::OPEN).unwrap();
        }
        Self { inotify }
    }

    /// Returns how many files and folders were opened since the last count.
    fn count(&mut self) -> usize {
        let mut buffer = vec![0; 1 << 20];
        let mut count = 0;
        while let Ok(events) = self.inotify.read_events(&mut buffer) {
            count += events.count();
        }
        count
    }
}

fn walks(entry: &ToolEntry) -> bool {
    entry.input["properties"].get("roots").is_some()
}

/// Changes the arguments to those of another call, which still reads every file.
fn vary(entry: &ToolEntry, arguments: &mut Map<String, Value>, flag: &str) {
    if entry.input["properties"].get(flag).is_some() {
        arguments.insert(flag.to_owned(), json!(true));
    } else {
        arguments.insert("exclude_globs".to_owned(), json!([format!("no_such_{flag}")]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_out_of_time_says_so_and_stops() {
    let sample = large();
    let app = without_index(&sample);
    for entry in app.catalogue.entries().iter().filter(|entry| walks(entry)) {
        let name = entry.spec.name;
        let mut arguments = wide(entry, &sample.example(entry));
        // The freshness check reads the folders once, before the timeout starts.
        let whole = call(&app, name, Value::Object(arguments.clone())).await;
        assert!(!whole.is_error, "{name}: {}", whole.text);
        // A call that is not cached.
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
        assert!(reply.structured["error"].get("results").is_none(), "{name} returns partial rows");
        assert!(until_reply < all, "{name} opened {until_reply} of {all} and did not stop");
        // Work that still runs would show in the meantime: this call walks the whole tree.
        let quiet = call(&app, "list_files", json!({"roots": ["docs"], "count_only": true})).await;
        assert!(!quiet.is_error);
        assert!(opened.count() <= 4, "{name} went on after its reply");
        assert_eq!(sample.state(), before);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_stops_and_opens_nothing_more() {
    let sample = large();
    let app = without_index(&sample);
    for entry in app.catalogue.entries().iter().filter(|entry| walks(entry)) {
        let name = entry.spec.name;
        let arguments = Value::Object(wide(entry, &sample.example(entry)));
        let mut opened = Opened::watch(&sample);
        // The first freshness check happens here, so that the next call begins its own work at once.
        let warm = call(&app, "list_files", json!({"roots": ["docs"], "count_only": true})).await;
        assert!(!warm.is_error);
        opened.count();
        let cancel = CancellationToken::new();
        let running = tokio::spawn({
            let (app, cancel, arguments) = (Arc::clone(&app), cancel.clone(), arguments.clone());
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
        assert!(opened_before_reply < all, "{name} opened {opened_before_reply} of {all} before it was cancelled");
    }
}

/// With a token that is cancelled before the call begins, no file is opened.
#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_does_not_begin() {
    let sample = Sample::new();
    let app = sample.app();
    let cancel = CancellationToken::new();
    cancel.cancel();
    for entry in app.catalogue.entries() {
        let arguments = Value::Object(sample.example(entry));
        let reply = call_as(&app, entry.spec.name, arguments, Caller::default(), cancel.clone()).await;
        // Each family has its own code for it.
        refused(&app, &reply, &["CANCELLED", "R005"]);
    }
}

/// A query that PCRE2 needs a second or more for on the one long line of `deep`, within its limit of steps.
const DEEP: &str = "(?:.{0,5}){0,4}[A-Z]{2}[0-9]";

/// Creates a project with one line of a million characters.
fn deep() -> Sample {
    let sample = Sample::empty();
    sample.file("prose.txt", "all work and no play makes a dull day ".repeat(26_000));
    sample
}

/// One match of PCRE2 cannot be interrupted: the call is answered in time, and its slot is released when the work has
/// ended.
#[tokio::test(flavor = "multi_thread")]
async fn work_that_continues_after_the_reply_keeps_its_slot() {
    let sample = deep();
    let app = sample.app();
    // Long enough for the match to begin.
    let arguments = json!({"query": DEEP, "pcre2": true, "roots": ["."], "timeout_ms": 500});
    let reply = call(&app, "search_content", arguments.clone()).await;
    refused(&app, &reply, &["TOOL_TIMEOUT"]);
    assert_eq!(app.kernel.pools.load(Pool::Analysis).running, 1);
    // A client that disconnected does not wait either.
    let (own, untimed) = (Arc::clone(&app), json!({"query": DEEP, "pcre2": true, "roots": ["."]}));
    let hung_up = tokio::spawn(async move { call(&own, "search_content", untimed).await });
    while app.kernel.pools.load(Pool::Analysis).running < 2 {
        tokio::task::yield_now().await;
    }
    tokio::task::yield_now().await;
    hung_up.abort();
    assert!(hung_up.await.is_err());
    while app.kernel.pools.load(Pool::Analysis).running > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The query of F7: 240 kB of plain prose kept a core busy for minutes.
#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_backtracks_too_far_says_so_by_name() {
    let sample = Sample::empty();
    let line = "The quick brown fox jumps over the lazy dog, and nobody has ever asked it why it does so every day.\n";
    sample.file("prose.txt", line.repeat(2_400)).file("short.txt", "AB1\n");
    let app = sample.app();
    for (locale, words) in [(Locale::En, "possessive"), (Locale::Ja, "バックトラック")] {
        let caller = Caller { locale, ..whole(&app) };
        let arguments = json!({"query": "(?:.{0,20}){0,4}[A-Z]{2}[0-9]", "pcre2": true, "roots": ["."]});
        let reply = call_as(&app, "search_content", arguments, caller, CancellationToken::new()).await;
        assert!(!reply.is_error, "{}", reply.text);
        assert_eq!(reply.structured["skipped"]["examples"], json!(["prose.txt (MatchLimit)"]));
        assert!(reply.text.contains("short.txt") && reply.text.contains(words), "{}", reply.text);
    }
}

/// The engine cannot be interrupted within a line, and its cache of states took gigabytes.
#[tokio::test(flavor = "multi_thread")]
async fn a_line_too_long_for_the_repetitions_of_the_query_is_skipped_by_name() {
    let sample = Sample::empty();
    sample.file("one-line.txt", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo".repeat(300_000)).file("short.txt", "A B!!\n");
    let app = sample.app();
    for (locale, words) in [(Locale::En, "use .* instead"), (Locale::Ja, "繰り返しを短く")] {
        let caller = Caller { locale, ..whole(&app) };
        let arguments = json!({"query": "A.{0,500}B.{0,500}!!", "files": ["one-line.txt", "short.txt"]});
        let reply = call_as(&app, "search_content", arguments, caller.clone(), CancellationToken::new()).await;
        assert!(!reply.is_error, "{}", reply.text);
        assert_eq!(reply.structured["skipped"]["examples"], json!(["one-line.txt (LongText)"]));
        assert!(reply.text.contains("short.txt") && reply.text.contains(words), "{}", reply.text);
        let arguments = json!({"query": "A.*B.*!!|B!{2,9}", "files": ["one-line.txt", "short.txt"]});
        let reply = call_as(&app, "search_content", arguments, caller, CancellationToken::new()).await;
        assert_eq!((&reply.structured["total_matches"], &reply.structured["skipped"]), (&json!(1), &json!(null)));
    }
}

/// A single query of the default engine over lines of 20 kB took 2.3 GB.
#[cfg(target_os = "linux")]
#[test]
fn large_repetitions_take_little_memory() {
    let sample = Sample::empty();
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[(state >> 58) as usize])
    };
    let lines: String = (0..100).map(|_| (0..20_000).map(|_| next()).collect::<String>() + "\n").collect();
    sample.file("a.txt", &lines).file("b.txt", &lines);
    let program = Program::start(&sample, &[]);
    let body = json!({"query": "A.{0,500}B.{0,500}!!", "total_only": true, "roots": ["."]}).to_string();
    let (host, length) = (&program.address, body.len());
    let request = format!(
        "POST /v1/tools/search_content HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    assert_eq!(program.ask(request.as_bytes()).status, 200);
    let peak = program.peak_memory();
    assert!(peak < 400 << 20, "{} MB", peak >> 20);
    program.survived();
}

/// SIGTERM ends the process even during work that cannot be interrupted.
#[test]
fn the_program_ends_although_work_goes_on() {
    let sample = deep();
    let program = Program::start(&sample, &[("SERVER__DRAIN_SECONDS", "1")]);
    let host = &program.address;
    let arguments = json!({"query": DEEP, "pcre2": true, "roots": ["."], "timeout_ms": 1});
    let body = arguments.to_string();
    let request = format!(
        "POST /v1/tools/search_content HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    for _ in 0..8 {
        let said = program.ask(request.as_bytes()).text();
        // The work of earlier calls may hold all slots of the pool for longer than a call waits for one.
        assert!(["TOOL_TIMEOUT", "BUSY"].iter().any(|code| said.contains(code)), "{said}");
    }
    let log = program.survived();
    assert!(log.contains("calls are still running"), "{log}");
}

/// The log goes to a pipe that is full: a paused terminal, or a log driver that hangs.
#[test]
fn a_log_that_is_not_read_stops_neither_answers_nor_the_end() {
    let sample = Sample::new();
    let (unread, log) = std::io::pipe().unwrap();
    let mut served = Served::start_logging(&mut Served::command(&sample), log);
    let address = served.url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
    // The kernel keeps 64 KiB of a pipe: a few hundred lines of the access log.
    for _ in 0..2_000 {
        let mut raw = Raw::connect(&address);
        raw.send(format!("GET /livez HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").as_bytes());
        assert_eq!(raw.answer().unwrap().status, 200);
    }
    let id = served.child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert_eq!(served.child.wait().unwrap().code(), Some(0));
    drop(unread);
}
