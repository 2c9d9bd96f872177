//! The reaper: closes idle sessions and replaces Chromium processes that are old, too large or hang.
//!
//! A running call is only interrupted if memory has exceeded its limit for longer than `patience`, or if Chromium
//! hangs, in which case the call could not finish anyway.

use std::{
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use tokio_util::sync::CancellationToken;

use crate::{
    browser::BrowserService, chromium::ProcessExit, devtools::protocol::browser::GetVersion, reset_reason::ResetReason,
    running::RunningChromium, session::BrowserSession, settings::BrowserSettings,
};

/// The consecutive requests without a reply after which Chromium counts as hanging. A single one may be due to a stall
/// of the machine.
const MISSES: u32 = 2;

/// The interval between two passes: a quarter of the shortest watched duration, at least 20 ms and at most 5 s.
pub(crate) struct ReaperInterval(Duration);

impl ReaperInterval {
    pub(crate) fn from_settings(settings: &BrowserSettings) -> Self {
        let shortest = settings.idle.min(settings.forget).min(settings.patience) / 4;
        Self(shortest.clamp(Duration::from_millis(20), Duration::from_secs(5)))
    }
}

/// Runs the reaper until the browser is dropped or shut down.
pub(crate) async fn run_reaper(browser: Weak<BrowserService>, ending: CancellationToken, pace: ReaperInterval) {
    let mut over = None;
    loop {
        tokio::select! {
            () = tokio::time::sleep(pace.0) => {}
            () = ending.cancelled() => return,
        }
        let Some(browser) = browser.upgrade() else {
            return;
        };
        close_idle_sessions(&browser).await;
        retire_old_processes(&browser).await;
        enforce_memory_limit(&browser, &mut over).await;
    }
}

/// Checks repeatedly that a Chromium still replies, in a task of its own, and ends one that does not. A hanging
/// Chromium keeps its process and its pipe, so nothing else would notice.
pub(crate) async fn watch_liveness(browser: Weak<BrowserService>, running: Weak<RunningChromium>, limit: Duration) {
    let mut misses = 0;
    while misses < MISSES {
        tokio::time::sleep(limit / 2).await;
        // The strong reference is dropped before the request, because dropping the last one ends the process.
        let Some(channel) = running.upgrade().map(|running| running.channel().clone()) else {
            return;
        };
        match tokio::time::timeout(limit, channel.call(&GetVersion {})).await {
            Ok(Ok(_)) => misses = 0,
            // Chromium has exited, which is handled elsewhere.
            Ok(Err(_)) => return,
            Err(_) => misses += 1,
        }
    }
    let (Some(browser), Some(running)) = (browser.upgrade(), running.upgrade()) else {
        return;
    };
    tracing::warn!(limit_ms = limit.as_millis(), "Chromium hangs; ending it");
    browser.retire(&running);
    let ended = running.end(ResetReason::Crash).await;
    browser.note_crash(ProcessExit {
        how: format!("it did not answer for {} s", (limit * MISSES).as_secs_f32()),
        ..ended
    });
}

/// Removes sessions that were not used for `forget`, and closes the contexts of those not used for `idle`.
async fn close_idle_sessions(browser: &BrowserService) {
    let settings = browser.settings();
    for session in browser.all() {
        let idle = session.state.idle();
        if idle >= settings.forget {
            let Some(_turn) = session.try_lock() else {
                continue;
            };
            browser.forget(&session);
            if let Some(context) = session.state.close() {
                context.close().await;
            }
        } else if idle >= settings.idle && session.state.has_context() {
            close_context(&session, ResetReason::Idle).await;
        }
    }
}

/// Closes the context of a session unless a call uses the session.
async fn close_context(session: &BrowserSession, why: ResetReason) {
    // Locked until the context is closed; a call that comes meanwhile waits and gets a new context.
    let Some(_turn) = session.try_lock() else {
        return;
    };
    if let Some(context) = session.state.release(why) {
        context.close().await;
    }
}

/// Retires a Chromium that is old, so that it ends with its last context. If it is still up after `forget`, it is ended
/// as soon as no call uses it.
async fn retire_old_processes(browser: &BrowserService) {
    let settings = browser.settings();
    if let Some(current) = browser.current() {
        let is_old = current.process().started().elapsed() >= settings.recycle_after
            || current.served() >= settings.recycle_contexts;
        if is_old {
            browser.retire(&current);
        }
    }
    for running in up(browser) {
        let is_over = running.retired().is_some_and(|since| since >= settings.forget);
        if is_over && !has_running_call(browser, &running) {
            running.end(ResetReason::Age).await;
        }
    }
}

/// True if a call uses a context in this process.
fn has_running_call(browser: &BrowserService, running: &Arc<RunningChromium>) -> bool {
    browser.all().iter().any(|session| {
        let context = session.state.is_busy().then(|| session.state.live_context()).flatten();
        context.is_some_and(|context| Arc::ptr_eq(context.running(), running))
    })
}

/// Keeps the memory below its limit: closes idle contexts, one in each pass, and then ends Chromium itself.
async fn enforce_memory_limit(browser: &BrowserService, over: &mut Option<Instant>) {
    let settings = browser.settings();
    if settings.memory == 0 {
        return;
    }
    let up = up(browser);
    let mut held = 0;
    for running in &up {
        held += running.process().memory().await;
    }
    if held <= settings.memory {
        *over = None;
        return;
    }
    let since = *over.get_or_insert_with(Instant::now);
    let sessions = browser.all();
    let idle = sessions
        .iter()
        .filter(|session| !session.state.is_busy() && session.state.has_context())
        .max_by_key(|session| session.state.idle());
    tracing::warn!(held_bytes = held, limit_bytes = settings.memory, "Chromium uses too much memory");
    if let Some(session) = idle {
        close_context(session, ResetReason::Memory).await;
        *over = None;
    } else if up.iter().all(|running| running.contexts() == 0) {
        // A call that is about to create a context still holds a reference, and may do so.
        for running in &up {
            browser.retire(running);
        }
        *over = None;
    } else if since.elapsed() >= settings.patience {
        for running in up {
            browser.retire(&running);
            running.end(ResetReason::Memory).await;
        }
        *over = None;
    }
}

fn up(browser: &BrowserService) -> Vec<Arc<RunningChromium>> {
    let history = browser.history();
    history.up.iter().filter_map(Weak::upgrade).filter(|running| running.is_up()).collect()
}
