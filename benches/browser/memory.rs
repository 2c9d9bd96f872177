//! Whether a server keeps what it should forget: many pages, and many long batches.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    Bench, Started,
    measure::Pair,
    processes::memory,
    report::{Bar::AtMost, Report, Row},
};

const NAVIGATIONS: usize = 500;
const BATCHES: usize = 100;
/// The most that a batch may have.
const STEPS: usize = 50;

/// Megabytes.
const MOST: f64 = 20.0;

/// Pages that leave something behind: elements, messages, requests.
const PAGES: [&str; 5] = [
    "/dashboard.html",
    "/console/many.html",
    "/network/",
    "/forms/",
    "/frames/many.html",
];

/// Of fumi alone: the peer needs minutes for the pages, and has no batches.
pub(crate) async fn run(bench: &Bench, report: &mut Report) {
    let (mut by_pages, mut by_batches) = (Pair::default(), Pair::default());
    if let Some(started) = bench.started.iter().find(|started| started.peer.is_ours()) {
        let session = started.running.session(Duration::ZERO).await;
        let visit = async |count: usize| {
            for at in 0..count {
                let page = bench.site.url(PAGES[at % PAGES.len()]);
                session.done("browser_navigate", &json!({"url": page})).await;
            }
        };
        by_pages.ours = Some(growth(started, visit, NAVIGATIONS).await);
        let steps = batch(bench);
        let execute = async |count: usize| {
            for _ in 0..count {
                let reply = session.done("browser_batch_execute", &steps).await;
                assert_eq!(reply.structure["succeeded"], STEPS, "not all steps: {}", reply.all());
            }
        };
        by_batches.ours = Some(growth(started, execute, BATCHES).await);
        session.close().await;
    }
    let pages = format!("growth by {NAVIGATIONS} navigations");
    report.row("end", Row::new(&pages, "MB", by_pages, Some(AtMost(MOST))));
    let batches = format!("growth by {BATCHES} batches of {STEPS} steps");
    report.row("end", Row::new(&batches, "MB", by_batches, Some(AtMost(MOST))));
}

/// What the server's memory grew by, after a tenth of the work was done before.
async fn growth(started: &Started, work: impl AsyncFn(usize), count: usize) -> f64 {
    work(count / 10).await;
    let before = memory(started.running.id());
    work(count).await;
    memory(started.running.id()) - before
}

/// A form that is opened, written into again and again, and looked at.
fn batch(bench: &Bench) -> Value {
    let mut steps = vec![json!({"tool": "browser_navigate", "arguments": {"url": bench.site.url("/login.html")}})];
    for at in 1..STEPS {
        steps.push(match at % 5 {
            0 => json!({"tool": "browser_snapshot", "arguments": {}}),
            _ => json!({"tool": "browser_type", "arguments": {"target": "#note", "text": format!("note {at}")}}),
        });
    }
    json!({"steps": steps})
}
