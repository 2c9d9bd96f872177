//! The process-wide budget of walking and searching threads: concurrent calls share the cores instead of multiplying
//! them.
//!
//! Invariant: a call always gets at least one thread, and its permit returns the threads when dropped. It never waits:
//! the number of concurrent calls is bounded elsewhere (the analysis pool).

use std::{
    num::NonZeroUsize,
    sync::{
        LazyLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{self, Scope, available_parallelism},
};

/// The maximum number of threads of one call; more do not make a walk faster (ripgrep's own limit).
const MOST_PER_CALL: usize = 12;

/// The number of threads that no call uses now.
static FREE: LazyLock<AtomicUsize> = LazyLock::new(|| AtomicUsize::new(cores()));

/// A permit for the threads of one call, valid until dropped.
#[must_use]
#[derive(Debug)]
pub(crate) struct ThreadPermit {
    granted: usize,
    taken: usize,
}

impl ThreadPermit {
    /// Acquires the free threads, at least one, at most `wanted`.
    pub(crate) fn acquire(wanted: usize) -> Self {
        let wanted = wanted.clamp(1, MOST_PER_CALL);
        let mut taken = 0;
        // The closure always returns Some, so the update succeeds.
        let _ = FREE.fetch_update(Ordering::AcqRel, Ordering::Acquire, |free| {
            taken = free.min(wanted);
            Some(free - taken)
        });
        Self { granted: taken.max(1), taken }
    }

    /// Returns the number of threads that the call may use.
    pub(crate) const fn count(&self) -> usize {
        self.granted
    }
}

impl Drop for ThreadPermit {
    fn drop(&mut self) {
        FREE.fetch_add(self.taken, Ordering::AcqRel);
    }
}

/// Starts one of a call's threads. Returns false if the system provides none; the call then continues with those it
/// has.
pub(crate) fn spawn_thread<'scope>(scope: &'scope Scope<'scope, '_>, work: impl FnOnce() + Send + 'scope) -> bool {
    thread::Builder::new().spawn_scoped(scope, work).is_ok()
}

/// Returns the number of cores that this process may use. It is asked for once: the answer reads the files of the
/// control group.
pub(crate) fn cores() -> usize {
    static CORES: LazyLock<usize> = LazyLock::new(|| available_parallelism().map_or(1, NonZeroUsize::get));
    *CORES
}

#[cfg(test)]
mod tests {
    use super::ThreadPermit;

    #[test]
    fn permit_grants_at_least_one_and_at_most_the_wanted_threads() {
        let held: Vec<ThreadPermit> = (0..64).map(|_| ThreadPermit::acquire(usize::MAX)).collect();
        assert!(held.iter().all(|walkers| (1..=12).contains(&walkers.count())));
        assert_eq!(ThreadPermit::acquire(0).count(), 1);
    }
}
