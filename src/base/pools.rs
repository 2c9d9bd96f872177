//! Bounded work: one semaphore per kind of job, with a queue that is bounded in length and in time.
//!
//! Invariant: a permit is held exactly as long as its guard lives. Nested calls (a batch inside its own permit) must not
//! ask again: with one write permit they would wait for themselves.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::{
    errors::{Book, Teach},
    project::BOOK,
};

/// The kinds of jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pool {
    /// Code tools, reads and everything short.
    Analysis,
    /// Writing novels.
    Write,
    /// Checking novels.
    Check,
    /// Plotting novels.
    Plot,
    /// Browser contexts.
    Browser,
}

impl Pool {
    /// Every pool.
    pub const ALL: [Self; 5] = [Self::Analysis, Self::Write, Self::Check, Self::Plot, Self::Browser];

    /// The name in metrics, the configuration and errors.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Analysis => "analysis",
            Self::Write => "write",
            Self::Check => "check",
            Self::Plot => "plot",
            Self::Browser => "browser",
        }
    }
}

/// How large the pools and their queues are.
#[derive(Clone, Copy, Debug)]
pub struct PoolSizes {
    /// Jobs at once in each pool, in the order of [`Pool::ALL`].
    pub places: [usize; 5],
    /// Calls that may wait for one pool.
    pub queue: usize,
    /// How long one call waits.
    pub wait: Duration,
}

/// No place was free.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the sentences stand in errors.toml")]
pub enum PoolError {
    #[error("the queue of {} is full", pool.name())]
    QueueFull { pool: Pool, retry_after: Duration },
    #[error("no place in {} within {waited:?}", pool.name())]
    WaitedTooLong {
        pool: Pool,
        waited: Duration,
        retry_after: Duration,
    },
    #[error("cancelled while waiting")]
    Cancelled,
}

impl Teach for PoolError {
    fn entry(&self) -> &'static str {
        match self {
            Self::Cancelled => "CANCELLED",
            _ => "BUSY",
        }
    }
    fn book(&self) -> &'static Book {
        &BOOK
    }
    fn facts(&self) -> Vec<(&'static str, String)> {
        let (pool, reason, reason_ja, retry_after) = match self {
            Self::Cancelled => return Vec::new(),
            Self::QueueFull { pool, retry_after } => (
                pool,
                "the queue is full".to_owned(),
                "待ち行列が満杯です".to_owned(),
                retry_after,
            ),
            Self::WaitedTooLong {
                pool,
                waited,
                retry_after,
            } => (
                pool,
                format!("waited {} s", waited.as_secs()),
                format!("{} 秒待ちました", waited.as_secs()),
                retry_after,
            ),
        };
        vec![
            ("pool", pool.name().to_owned()),
            ("reason", reason),
            ("reason_ja", reason_ja),
            ("retry_after_ms", retry_after.as_millis().to_string()),
        ]
    }
}

/// All pools of the process.
#[derive(Debug)]
pub struct Pools {
    lanes: [Lane; 5],
    queue: usize,
    wait: Duration,
}

#[derive(Debug)]
struct Lane {
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
}

/// A place in a pool, given back on drop.
#[derive(Debug)]
pub struct Permit {
    _place: OwnedSemaphorePermit,
    /// How long the call waited for it.
    pub queued: Duration,
}

/// Counts a waiting call for as long as it waits, also when its future is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Pools {
    /// Pools of the given sizes; a size of zero counts as one.
    #[must_use]
    pub fn new(sizes: PoolSizes) -> Self {
        Self {
            lanes: sizes.places.map(|places| Lane {
                places: Arc::new(Semaphore::new(places.max(1))),
                waiting: AtomicUsize::new(0),
            }),
            queue: sizes.queue,
            wait: sizes.wait,
        }
    }

    /// Waits for a place, first come first served.
    ///
    /// # Panics
    /// Never: the semaphores live as long as the process and are not closed.
    pub async fn acquire(&self, pool: Pool, cancel: &CancellationToken) -> Result<Permit, PoolError> {
        let lane = &self.lanes[pool as usize];
        let started = Instant::now();
        if let Ok(place) = Arc::clone(&lane.places).try_acquire_owned() {
            return Ok(Permit {
                _place: place,
                queued: Duration::ZERO,
            });
        }
        if lane.waiting.fetch_add(1, Ordering::Relaxed) >= self.queue {
            lane.waiting.fetch_sub(1, Ordering::Relaxed);
            return Err(PoolError::QueueFull {
                pool,
                retry_after: Duration::from_secs(1),
            });
        }
        let _waiting = Waiting(&lane.waiting);
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(PoolError::Cancelled),
            place = Arc::clone(&lane.places).acquire_owned() => Ok(Permit {
                _place: place.expect("the semaphores live as long as the process and are never closed"),
                queued: started.elapsed(),
            }),
            () = tokio::time::sleep(self.wait) => Err(PoolError::WaitedTooLong {
                pool,
                waited: self.wait,
                retry_after: Duration::from_secs(5),
            }),
        }
    }

    /// Jobs running and calls waiting in a pool.
    #[must_use]
    pub fn load(&self, pool: Pool) -> (usize, usize) {
        let lane = &self.lanes[pool as usize];
        (lane.places.available_permits(), lane.waiting.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio_util::sync::CancellationToken;

    use super::{Pool, PoolError, PoolSizes, Pools};

    fn pools(queue: usize, wait: Duration) -> Pools {
        Pools::new(PoolSizes {
            places: [1; 5],
            queue,
            wait,
        })
    }

    #[tokio::test]
    async fn a_full_queue_refuses_at_once_and_a_free_place_is_handed_on() {
        let pools = pools(0, Duration::from_secs(60));
        let cancel = CancellationToken::new();
        let held = pools.acquire(Pool::Write, &cancel).await.expect("free");
        let refused = pools.acquire(Pool::Write, &cancel).await;
        assert!(matches!(refused, Err(PoolError::QueueFull { .. })));
        assert!(pools.acquire(Pool::Check, &cancel).await.is_ok(), "pools are apart");
        drop(held);
        assert!(pools.acquire(Pool::Write, &cancel).await.is_ok());
    }

    #[tokio::test]
    async fn waiting_ends_by_cancel_and_by_time() {
        let pools = pools(8, Duration::from_millis(1));
        let cancel = CancellationToken::new();
        let _held = pools.acquire(Pool::Plot, &cancel).await.expect("free");
        let late = pools.acquire(Pool::Plot, &cancel).await;
        assert!(matches!(late, Err(PoolError::WaitedTooLong { .. })));
        cancel.cancel();
        let cancelled = pools.acquire(Pool::Plot, &cancel).await;
        assert!(matches!(cancelled, Err(PoolError::Cancelled)));
        assert_eq!(pools.load(Pool::Plot).1, 0, "nobody is left waiting");
    }
}
