//! Progress notifications for clients that asked: the first after two seconds, then every five and when a new step
//! begins.
//!
//! The work only counts; this task sends. It ends with the call: dropping the [`Ticker`] aborts it.

use std::time::Duration;

use fumi_base::text::Locale;
use fumi_kernel::CallProgress;
use rmcp::{RoleServer, model::ProgressNotificationParam, service::RequestContext};
use tokio::{task::JoinHandle, time::Instant};

/// The delay of the first notification; shorter calls send none.
const FIRST: Duration = Duration::from_secs(2);
/// The interval of notifications. The specification asks for at least one every 15 s.
const EVERY: Duration = Duration::from_secs(5);
/// The interval of checks for a new step.
const LOOK: Duration = Duration::from_secs(1);

/// The task that sends notifications; dropping this aborts it.
#[derive(Debug)]
pub struct Ticker(JoinHandle<()>);

impl Drop for Ticker {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Starts sending, if the client sent a progress token.
pub fn start_ticker(context: &RequestContext<RoleServer>, progress: &CallProgress, locale: Locale) -> Option<Ticker> {
    let token = context.meta.get_progress_token()?;
    let (peer, progress) = (context.peer.clone(), progress.clone());
    Some(Ticker(tokio::spawn(async move {
        tokio::time::sleep(FIRST).await;
        let (mut ticks, mut most) = (0.0, 0);
        loop {
            let (done, total) = progress.get();
            // The protocol requires a number that increases, even while the work counts nothing or restarts its count.
            most = most.max(done);
            ticks += 0.001;
            let mut param = ProgressNotificationParam::new(token.clone(), most as f64 + ticks);
            if let Some(total) = total {
                let total = total as f64;
                param = param.with_total(total);
            }
            let told = progress.current_step();
            if let Some(doing) = &told {
                param = param.with_message(doing.get(locale));
            }
            if peer.notify_progress(param).await.is_err() {
                return;
            }
            let again = Instant::now() + EVERY;
            while Instant::now() < again && progress.current_step() == told {
                tokio::time::sleep(LOOK).await;
            }
        }
    })))
}
