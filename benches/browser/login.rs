//! Signing in on two sites: call by call, in one batch, and what a batch saves where the server is 100 ms away.

use std::time::Duration;

use serde_json::json;

use super::{
    Bench,
    flow::{Cost, FORM, Flow, SECOND_FACTOR, TASKS, WORK},
    measure::{Pair, in_turns},
    report::{
        Bar::{self, AtLeast, AtMost},
        Report, Row,
    },
};

/// What a call over a network takes longer than one over loopback. The client sleeps it before each request.
const AWAY: Duration = Duration::from_millis(100);

/// Between the opening of a tab and the flow in it.
const QUIET: Duration = Duration::from_millis(500);

/// Steps of a flow, and by how much one batch must be faster than single calls.
const SPEEDUPS: [(usize, f64); 4] = [(2, 1.5), (5, 3.0), (10, 5.0), (20, 5.0)];

pub(crate) async fn run(bench: &Bench, report: &mut Report) {
    near(bench, report, "form", &FORM).await;
    for (count, bar) in SPEEDUPS {
        let flow = if count > 10 { &WORK } else { &FORM };
        let what = &format!("{count} steps with 100 ms");
        away(bench, report, "form away", (what, flow, count), Some(AtLeast(bar))).await;
    }
    let what = "10 steps on one page with 100 ms";
    away(bench, report, "form away", (what, &TASKS, 10), Some(AtLeast(5.0))).await;
    near(bench, report, "factor", &SECOND_FACTOR).await;
    for (count, _) in SPEEDUPS.into_iter().filter(|(count, _)| *count <= 10) {
        let what = &format!("{count} steps with 100 ms");
        away(bench, report, "factor", (what, &SECOND_FACTOR, count), None).await;
    }
}

/// The first form once more, for those who have no other browser.
pub(crate) async fn in_whole_chromium(bench: &Bench, report: &mut Report) {
    near(bench, report, "whole", &FORM).await;
    let what = "10 steps with 100 ms";
    away(bench, report, "whole", (what, &FORM, 10), Some(AtLeast(5.0))).await;
}

/// Call by call, in both eras, and in one batch, over loopback.
async fn near(bench: &Bench, report: &mut Report, section: &'static str, flow: &Flow) {
    let (took, tokens) = in_turns(bench, async |started| {
        let session = started.running.session(Duration::ZERO).await;
        warm(bench, &session).await;
        let cost = flow.sequential(&session, &bench.site, 10, None).await;
        session.close().await;
        Some(cost)
    })
    .await;
    report.row(section, Row::new("ten calls", "ms", took.millis(), Some(AtMost(500.0))));
    report.row(
        section,
        Row::new("ten calls, their replies", "tokens", tokens.count(), None),
    );

    let (_, tokens) = in_turns(bench, async |started| {
        let session = started.running.session(Duration::ZERO).await;
        warm(bench, &session).await;
        let tokens = flow.looked_at(&session, &bench.site).await;
        session.close().await;
        let took = Duration::ZERO;
        Some(Cost { took, tokens })
    })
    .await;
    let what = "ten calls, with the snapshots in files that replies link to";
    report.row(section, Row::new(what, "tokens", tokens.count(), None));

    let (took, tokens) = in_turns(bench, async |started| {
        if !started.peer.is_ours() {
            return None;
        }
        let session = started.running.session(Duration::ZERO).await.stateless();
        warm(bench, &session).await;
        let cost = flow.sequential(&session, &bench.site, 10, None).await;
        session.done("browser_close", &json!({})).await;
        Some(cost)
    })
    .await;
    report.row(
        section,
        Row::new("ten calls, stateless era", "ms", took.millis(), Some(AtMost(500.0))),
    );
    report.row(
        section,
        Row::new(
            "ten calls, stateless era, their replies",
            "tokens",
            tokens.count(),
            None,
        ),
    );

    let (took, tokens) = in_turns(bench, async |started| {
        batched(bench, started, flow, 10, Duration::ZERO).await
    })
    .await;
    report.row(
        section,
        Row::new("one batch of ten steps", "ms", took.millis(), Some(AtMost(300.0))),
    );
    report.row(
        section,
        Row::new(
            "one batch of ten steps, its reply",
            "tokens",
            tokens.count(),
            Some(AtMost(1_000.0)),
        ),
    );
}

/// What a batch saves where each call costs a round trip. It saves no navigation.
async fn away(
    bench: &Bench,
    report: &mut Report,
    section: &'static str,
    (what, flow, count): (&str, &Flow, usize),
    bar: Option<Bar>,
) {
    let (single, _) = in_turns(bench, async |started| {
        let session = started.running.session(AWAY).await;
        warm(bench, &session).await;
        let cost = flow.sequential(&session, &bench.site, count, None).await;
        session.close().await;
        Some(cost)
    })
    .await;
    let (batch, _) = in_turns(bench, async |started| batched(bench, started, flow, count, AWAY).await).await;
    let single = single.millis();
    let batch = batch.millis();
    report.row(
        section,
        Row::new(&format!("{what} each, call by call"), "ms", single, None),
    );
    report.row(section, Row::new(&format!("{what}, one batch"), "ms", batch, None));
    let faster = Pair {
        ours: single.ours.zip(batch.ours).map(|(single, batch)| single / batch),
        theirs: None,
    };
    report.row(
        section,
        Row::new(&format!("{what}: the batch is faster"), "times", faster, bar),
    );
}

async fn batched(bench: &Bench, started: &super::Started, flow: &Flow, count: usize, away: Duration) -> Option<Cost> {
    if !started.peer.is_ours() {
        return None;
    }
    let session = started.running.session(away).await;
    warm(bench, &session).await;
    let cost = flow.batch(&session, &bench.site, count).await;
    session.close().await;
    Some(cost)
}

/// Opens the tab, and waits until the browsers have done what opening it and closing the one before has left to do, so that no flow
/// pays for either: a model that calls takes longer to think.
async fn warm(bench: &Bench, session: &super::client::Session) {
    let page = bench.site.url("/redirects/target.html");
    session.done("browser_navigate", &json!({"url": page})).await;
    tokio::time::sleep(QUIET).await;
}
