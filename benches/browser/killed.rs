//! What is left of the browser when its server is killed.

use std::time::Duration;

use serde_json::json;

use super::{
    Bench, Started,
    measure::Pair,
    peers::{Fumi, Peer, Playwright},
    processes::{browsers_of, still_running},
    report::{Bar::AtMost, Report, Row},
};

/// How long the browser has to end.
const GRACE: Duration = Duration::from_secs(2);

pub(crate) async fn run(bench: &Bench, report: &mut Report) {
    let mut left = Pair::default();
    for one in &bench.started {
        let peer: Box<dyn Peer> = if one.peer.is_ours() {
            Box::new(Fumi { chromium: None })
        } else {
            Box::new(Playwright::find())
        };
        let mut started = Started::new(peer);
        let session = started.running.session(Duration::ZERO).await;
        let page = bench.site.url("/dashboard.html");
        session.done("browser_navigate", &json!({"url": page})).await;
        let browsers = browsers_of(started.running.id());
        assert!(!browsers.is_empty(), "{} runs no browser", one.peer.name());
        started.running.kill();
        tokio::time::sleep(GRACE).await;
        let count = Some(still_running(&browsers) as f64);
        eprintln!(
            "{}: {} processes of the browser before",
            one.peer.name(),
            browsers.len()
        );
        if one.peer.is_ours() {
            left.ours = count;
        } else {
            left.theirs = count;
        }
    }
    report.row(
        "end",
        Row::new(
            "left of the browser after SIGKILL of the server",
            "processes",
            left,
            Some(AtMost(0.0)),
        ),
    );
}
