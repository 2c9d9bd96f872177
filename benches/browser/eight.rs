//! Eight sessions at once on one server: how long they take together, and whether any sees something of another.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{
    Bench, Started,
    client::{Reply, Session},
    flow::SECOND_FACTOR,
    measure::{Pair, median},
    report::{Bar::AtMost, Report, Row},
    site::Site,
};

const SESSIONS: usize = 8;

pub(crate) async fn run(bench: &Bench, report: &mut Report) {
    let (mut took, mut bleeds) = (Pair::default(), Pair::default());
    for started in &bench.started {
        let mut times = Vec::new();
        let mut seen = 0;
        for _ in 0..3.min(bench.rounds) {
            let (time, bled) = together(bench, started).await;
            times.push(time);
            seen += bled;
        }
        let time = median(times).map(|time| time.as_secs_f64() * 1e3);
        if started.peer.is_ours() {
            (took.ours, bleeds.ours) = (time, Some(seen as f64));
        } else {
            (took.theirs, bleeds.theirs) = (time, Some(seen as f64));
        }
    }
    report.row(
        "eight",
        Row::new("eight times the ten steps, and what is looked at", "ms", took, None),
    );
    report.row(
        "eight",
        Row::new(
            "sessions that saw something of another",
            "bleeds",
            bleeds,
            Some(AtMost(0.0)),
        ),
    );
}

/// All at once, each with a tab that is open. How long they took, and how many saw what is not theirs.
async fn together(bench: &Bench, started: &Started) -> (Duration, usize) {
    let mut sessions = Vec::new();
    for _ in 0..SESSIONS {
        let session = started.running.session(Duration::ZERO).await;
        let page = bench.site.url("/redirects/target.html");
        session.done("browser_navigate", &json!({"url": page})).await;
        sessions.push(session);
    }
    let began = Instant::now();
    let all = sessions
        .iter()
        .enumerate()
        .map(|(at, session)| alone(session, &bench.site, at));
    let bled = join_all(all.collect()).await.into_iter().filter(|bled| *bled).count();
    let took = began.elapsed();
    for session in sessions {
        session.close().await;
    }
    (took, bled)
}

/// One of them; whether it saw what is not its own.
async fn alone(session: &Session, site: &Site, at: usize) -> bool {
    SECOND_FACTOR.sequential(session, site, 10, None).await;
    let own = format!("person-{at}-");
    let set = site.url(&format!("/cookies/set?name=who&value={own}"));
    session.done("browser_navigate", &json!({"url": set})).await;
    let say = site.url(&format!("/console/say.html?text={own}"));
    session.done("browser_navigate", &json!({"url": say})).await;
    let shown = session.done("browser_snapshot", &json!({})).await;
    let console = session
        .done("browser_console_messages", &json!({"level": "warning"}))
        .await;
    let tabs = session.done("browser_tabs", &json!({"action": "list"})).await;
    session
        .done("browser_navigate", &json!({"url": site.url("/cookies")}))
        .await;
    let cookies = session.done("browser_snapshot", &json!({})).await;
    let others = |reply: &Reply| {
        let all = reply.all();
        assert!(
            all.contains("person-") || all.contains("Says what"),
            "nothing of its own: {all}"
        );
        let foreign = |other: usize| other != at && all.contains(&format!("person-{other}-"));
        (0..SESSIONS).any(foreign) || all.contains("person-") && !all.contains(&own)
    };
    [shown, console, tabs, cookies].iter().any(others)
}

/// Waits for all, in order.
async fn join_all<F: Future<Output = bool>>(all: Vec<F>) -> Vec<bool> {
    let mut all: Vec<_> = all.into_iter().map(|one| (Box::pin(one), None)).collect();
    std::future::poll_fn(move |context| {
        for (one, done) in all.iter_mut().filter(|(_, done)| done.is_none()) {
            if let std::task::Poll::Ready(bled) = one.as_mut().poll(context) {
                *done = Some(bled);
            }
        }
        match all.iter().map(|(_, done)| *done).collect() {
            Some(every) => std::task::Poll::Ready(every),
            None => std::task::Poll::Pending,
        }
    })
    .await
}
