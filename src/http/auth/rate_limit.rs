//! The rate limit of a principal: calls a minute, counted in this process and in the store of the replicas.

use std::{num::NonZeroU32, time::Duration};

use fumi_base::store::Store;
use governor::{
    DefaultDirectRateLimiter, Quota, RateLimiter,
    clock::{Clock as _, DefaultClock},
};
use tokio::time::{Instant, timeout};

use super::shared_rate;

/// The timeout of counting a call in the store: a store that is slow must not make calls slow.
const COUNTING: Duration = Duration::from_millis(500);

/// The time for which a store that did not answer is not asked again.
const ALONE: Duration = Duration::from_secs(5);

/// The rate limit of one principal.
#[derive(Debug)]
pub(super) struct PrincipalRate {
    per_minute: u32,
    limiter: DefaultDirectRateLimiter,
    /// The time until which the store is not asked, because it did not answer. Locked while it is asked.
    alone_until: tokio::sync::Mutex<Option<Instant>>,
}

/// The error of a call beyond the limit of a minute.
#[derive(Debug, PartialEq, Eq)]
pub struct RateLimitError {
    /// Calls allowed per minute.
    pub per_minute: u32,
    /// The time until the next call is accepted.
    pub wait: Duration,
}

impl PrincipalRate {
    /// Returns `None` if there is no limit (0).
    pub(super) fn new(per_minute: u32) -> Option<Self> {
        let quota = Quota::per_minute(NonZeroU32::new(per_minute)?);
        let limiter = RateLimiter::direct(quota);
        Some(Self { per_minute, limiter, alone_until: tokio::sync::Mutex::default() })
    }

    /// Counts one call, in this process and over all replicas, if there is a store of theirs. After a full minute's burst,
    /// permits return one by one. Without the store the count of this process alone is used.
    pub(super) async fn count(&self, principal: &str, replicas: Option<&dyn Store>) -> Result<(), RateLimitError> {
        let refused = |wait| RateLimitError { per_minute: self.per_minute, wait };
        self.limiter.check().map_err(|until| refused(until.wait_time_from(DefaultClock::default().now())))?;
        let Some(store) = replicas else { return Ok(()) };
        // One after the other: calls at once would repeat each other's conditional writes.
        let mut alone_until = self.alone_until.lock().await;
        if alone_until.is_some_and(|end| Instant::now() < end) {
            return Ok(());
        }
        let counted = timeout(COUNTING, shared_rate::count(store, principal, self.per_minute)).await;
        let Ok(Ok(wait)) = counted else {
            tracing::warn!("the store does not answer; calls are counted in this process alone for a while");
            *alone_until = Some(Instant::now() + ALONE);
            return Ok(());
        };
        wait.map_or(Ok(()), |wait| Err(refused(wait)))
    }
}
