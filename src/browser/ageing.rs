//! What ends by itself: sessions that nobody uses, a Chromium that is old or too large.
//!
//! Nothing is taken from a call that runs, except where a limit of memory asks for it and patience is at its end.

use std::{
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use tokio_util::sync::CancellationToken;

use crate::{browser::Browser, loss::Loss, running::Running, session::Session, settings::Settings};

/// How often is looked: a quarter of the shortest time that is watched, within reason.
pub(crate) struct Pace(Duration);

impl Pace {
    pub(crate) fn of(settings: &Settings) -> Self {
        let shortest = settings.idle.min(settings.forget).min(settings.patience) / 4;
        Self(shortest.clamp(Duration::from_millis(20), Duration::from_secs(5)))
    }
}

/// Looks after the browser until it goes.
pub(crate) async fn look_after(browser: Weak<Browser>, ending: CancellationToken, pace: Pace) {
    let mut over = None;
    loop {
        tokio::select! {
            () = tokio::time::sleep(pace.0) => {}
            () = ending.cancelled() => return,
        }
        let Some(browser) = browser.upgrade() else {
            return;
        };
        idle(&browser).await;
        age(&browser).await;
        memory(&browser, &mut over).await;
    }
}

/// Forgets and empties sessions that nobody uses.
async fn idle(browser: &Browser) {
    let settings = browser.settings();
    for session in browser.all() {
        let idle = session.state.idle();
        if idle >= settings.forget {
            let Some(_turn) = session.try_alone() else {
                continue;
            };
            browser.forget(session.handle());
            if let Some(context) = session.state.close() {
                context.close().await;
            }
        } else if idle >= settings.idle && session.state.has_context() {
            empty(&session, Loss::Idle).await;
        }
    }
}

/// Takes the context from a session, unless somebody uses it.
async fn empty(session: &Session, why: Loss) {
    // Held until the context is gone: whoever comes meanwhile waits, and gets another.
    let Some(_turn) = session.try_alone() else {
        return;
    };
    if let Some(context) = session.state.release(why) {
        context.close().await;
    }
}

/// Lets an old Chromium end with its last context, or after the time in which a handle is forgotten.
async fn age(browser: &Browser) {
    let settings = browser.settings();
    if let Some(current) = browser.current() {
        let is_old = current.process().started().elapsed() >= settings.recycle_after
            || current.served() >= settings.recycle_contexts;
        if is_old {
            browser.retire(&current);
        }
    }
    for running in up(browser) {
        if running.retired().is_some_and(|since| since >= settings.forget) {
            running.end(Loss::Age).await;
        }
    }
}

/// Keeps the memory under its limit: contexts that nobody uses go first, one at a time, then Chromium itself.
async fn memory(browser: &Browser, over: &mut Option<Instant>) {
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
    tracing::warn!(
        held_bytes = held,
        limit_bytes = settings.memory,
        "Chromium holds too much memory"
    );
    if let Some(session) = idle {
        empty(session, Loss::Memory).await;
        *over = None;
    } else if up.iter().all(|running| running.contexts() == 0) {
        // Whoever is about to make a context in it holds it, and may do so.
        for running in &up {
            browser.retire(running);
        }
        *over = None;
    } else if since.elapsed() >= settings.patience {
        for running in up {
            browser.retire(&running);
            running.end(Loss::Memory).await;
        }
        *over = None;
    }
}

fn up(browser: &Browser) -> Vec<Arc<Running>> {
    let history = browser.history();
    history
        .up
        .iter()
        .filter_map(Weak::upgrade)
        .filter(|running| running.is_up())
        .collect()
}
