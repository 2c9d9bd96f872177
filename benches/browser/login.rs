//! The ten steps of signing in: call by call, in one batch, and what a batch saves where the server is 100 ms away.

use std::time::Duration;

use serde_json::json;

use super::{
    Bench,
    flow::{self, Cost},
    measure::{Pair, in_turns},
    report::{
        Bar::{AtLeast, AtMost},
        Report, Row,
    },
};

/// What a call over a network takes longer than one over loopback. The client sleeps it before each request.
const AWAY: Duration = Duration::from_millis(100);

/// Steps of a flow, and by how much one batch must be faster than single calls.
const SPEEDUPS: [(usize, f64); 3] = [(2, 1.5), (5, 3.0), (10, 5.0)];

pub(crate) async fn run(bench: &Bench, report: &mut Report) {
    let (took, tokens) = in_turns(bench, async |started| {
        let session = started.running.session(Duration::ZERO).await;
        warm(bench, &session).await;
        let cost = flow::sequential(&session, &bench.site, 10, None).await;
        session.close().await;
        Some(cost)
    })
    .await;
    report.row("flow", Row::new("ten calls", "ms", took.millis(), Some(AtMost(500.0))));
    report.row(
        "flow",
        Row::new("ten calls, their replies", "tokens", tokens.count(), None),
    );

    let (_, tokens) = in_turns(bench, async |started| {
        let session = started.running.session(Duration::ZERO).await;
        warm(bench, &session).await;
        let tokens = flow::looked_at(&session, &bench.site).await;
        session.close().await;
        let took = Duration::ZERO;
        Some(Cost { took, tokens })
    })
    .await;
    let what = "ten calls, with the snapshots in files that replies link to";
    report.row("flow", Row::new(what, "tokens", tokens.count(), None));

    let (took, tokens) = in_turns(bench, async |started| {
        if !started.peer.is_ours() {
            return None;
        }
        let session = started.running.session(Duration::ZERO).await.stateless();
        warm(bench, &session).await;
        let cost = flow::sequential(&session, &bench.site, 10, None).await;
        session.done("browser_close", &json!({})).await;
        Some(cost)
    })
    .await;
    report.row(
        "flow",
        Row::new("ten calls, stateless era", "ms", took.millis(), Some(AtMost(500.0))),
    );
    report.row(
        "flow",
        Row::new(
            "ten calls, stateless era, their replies",
            "tokens",
            tokens.count(),
            None,
        ),
    );

    let (took, tokens) = in_turns(bench, async |started| batched(bench, started, 10, Duration::ZERO).await).await;
    report.row(
        "flow",
        Row::new("one batch of ten steps", "ms", took.millis(), Some(AtMost(300.0))),
    );
    report.row(
        "flow",
        Row::new(
            "one batch of ten steps, its reply",
            "tokens",
            tokens.count(),
            Some(AtMost(1_000.0)),
        ),
    );

    for (count, bar) in SPEEDUPS {
        let (single, _) = in_turns(bench, async |started| {
            let session = started.running.session(AWAY).await;
            warm(bench, &session).await;
            let cost = flow::sequential(&session, &bench.site, count, None).await;
            session.close().await;
            Some(cost)
        })
        .await;
        let (batch, _) = in_turns(bench, async |started| batched(bench, started, count, AWAY).await).await;
        let single = single.millis();
        let batch = batch.millis();
        report.row(
            "away",
            Row::new(&format!("{count} steps, call by call"), "ms", single, None),
        );
        report.row(
            "away",
            Row::new(&format!("{count} steps, one batch"), "ms", batch, None),
        );
        let faster = Pair {
            ours: single.ours.zip(batch.ours).map(|(single, batch)| single / batch),
            theirs: None,
        };
        report.row(
            "away",
            Row::new(
                &format!("{count} steps: the batch is faster"),
                "times",
                faster,
                Some(AtLeast(bar)),
            ),
        );
    }
}

async fn batched(bench: &Bench, started: &super::Started, count: usize, away: Duration) -> Option<Cost> {
    if !started.peer.is_ours() {
        return None;
    }
    let session = started.running.session(away).await;
    warm(bench, &session).await;
    let cost = flow::batch(&session, &bench.site, count).await;
    session.close().await;
    Some(cost)
}

/// Opens the tab, so that no flow pays for it.
async fn warm(bench: &Bench, session: &super::client::Session) {
    let page = bench.site.url("/redirects/target.html");
    session.done("browser_navigate", &json!({"url": page})).await;
}
