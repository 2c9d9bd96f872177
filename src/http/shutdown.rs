//! Shuts down without losing work: the probe fails first, calls finish, then sessions end.

use std::time::Duration;

use tokio::{
    signal::unix::{SignalKind, signal},
    time::{Instant, sleep, sleep_until, timeout},
};

use super::router::Edge;

/// The time for streams to close once no call runs. With the time that the program waits for threads it is five
/// seconds.
const CLOSE: Duration = Duration::from_secs(4);
/// The time for the last messages to be sent.
const FLUSH: Duration = Duration::from_millis(100);
/// The time in which requests still arrive that another replica forwarded before this one left. They are served, because the
/// other replica could not know whether a request was executed if its connection were closed.
const LAST_FORWARDED: Duration = Duration::from_millis(500);
/// The time for calls to be answered after they are stopped.
const ANSWER: Duration = Duration::from_secs(1);
/// The interval at which running calls are counted while draining.
const LOOK: Duration = Duration::from_millis(20);

/// Waits for SIGTERM or an interrupt from the terminal. The handlers are installed by this call, not by the first poll.
pub fn requested() -> impl Future<Output = ()> {
    let signals = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
    async move {
        let (Ok(mut term), Ok(mut interrupt)) = signals else {
            // Without handlers the default action of the signals ends the process.
            return std::future::pending().await;
        };
        tokio::select! {
            _ = term.recv() => {}
            _ = interrupt.recv() => {}
        }
    }
}

/// Drains an edge. A call that outlasts `patience` is cancelled with its session. Returns only if connections stay open
/// longer than streams need to close: an idle peer must not keep the process alive.
pub async fn drain(edge: &Edge, patience: Duration) {
    edge.draining.cancel();
    let deadline = Instant::now() + patience;
    tracing::info!(calls = edge.sessions.running_calls(), "draining");
    calls_end(edge, deadline).await;
    edge.sessions.store_all_choices().await;
    if let Some(replicas) = &edge.app.replicas {
        replicas.leave().await;
        sleep(LAST_FORWARDED).await;
    }
    // Requests that were accepted before begin their calls; others are refused, so that no call begins after calls are stopped.
    edge.requests.close();
    let _ = timeout(ANSWER, edge.requests.wait()).await;
    calls_end(edge, deadline).await;
    // Calls are stopped before the library is: it would answer 500 to a request without a session whose call still runs.
    let had_calls = edge.sessions.running_calls() > 0;
    edge.sessions.stop_calls();
    calls_end(edge, Instant::now() + ANSWER).await;
    let deadline = Instant::now() + CLOSE;
    let had_streams = end_subscriptions(edge, deadline).await;
    if had_calls || had_streams {
        // The results of these calls and streams are in buffers whose state cannot be queried.
        sleep(FLUSH).await;
    }
    edge.closing.cancel();
    sleep_until(deadline).await;
    tracing::warn!("connections are still open; not waiting for them");
}

/// Waits until no call runs, until the deadline at most.
async fn calls_end(edge: &Edge, deadline: Instant) {
    while edge.sessions.running_calls() > 0 && Instant::now() < deadline {
        sleep(LOOK).await;
    }
}

/// Ends the streams of subscriptions with a result, by which a client distinguishes a shutdown from a broken network. Returns
/// true if there were any.
async fn end_subscriptions(edge: &Edge, deadline: Instant) -> bool {
    let subscriptions = edge.sessions.subscriptions();
    let had_streams = subscriptions.streams() > 0;
    subscriptions.end();
    while subscriptions.streams() > 0 && Instant::now() < deadline {
        sleep(LOOK).await;
    }
    had_streams
}
