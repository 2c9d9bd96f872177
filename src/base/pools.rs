//! Limits on concurrent work: a number of slots for each kind of job, and a fair queue with a maximum length and
//! waiting time.
//!
//! Invariants: never more jobs run than there are slots, in total and for each key. A permit occupies its slot until it
//! is dropped. A free slot goes at once to a waiting call that may use it. Waiting calls are served round-robin by
//! principal ([`crate::fair_queue`]), so that a flood of calls from one principal delays another by at most one call
//! for each slot. In a pool of at least three slots, a principal leaves one slot to the others, so that its long jobs do
//! not delay them at all; a caller without a principal uses every slot. Nested calls (a batch that already has a permit)
//! must not acquire again: with a single write slot they would wait for themselves.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::{
    errors::{Fact, UserError},
    fair_queue::{FairQueue, PushOutcome, Ticket},
    project::BOOK,
    text::BilingualText,
};

/// The kinds of jobs, each with slots and a queue of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, fumi_derive::Named)]
pub enum Pool {
    /// Code tools, file reads and all other short jobs.
    Analysis,
    Write,
    Check,
    Plot,
    Browser,
}

/// The sizes of the pools and their queues.
#[derive(Clone, Copy, Debug)]
pub struct PoolSizes {
    /// The maximum number of concurrent jobs of each pool, over all keys, in the order of [`Pool::ALL`].
    pub slots: [usize; 5],
    /// The maximum number of concurrent jobs for one key of [`WorkPools::acquire_for`].
    pub per_key: usize,
    /// The maximum number of calls waiting for one pool.
    pub queue: usize,
    /// The maximum waiting time of one call.
    pub wait: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolLoad {
    /// The maximum number of concurrent jobs.
    pub slots: usize,
    /// The number of running jobs.
    pub running: usize,
    /// The number of waiting calls.
    pub waiting: usize,
}

/// The errors of waiting for a slot.
#[derive(Debug, UserError)]
#[entry("BUSY")]
pub enum PoolError {
    #[fact(reason = BilingualText::new("the queue is full", "待ち行列が満杯です"))]
    QueueFull { pool: Pool, retry_after: Duration },
    /// Another caller got the place in the queue.
    #[fact(reason = BilingualText::new(
        "the queue is full, and most of it is yours",
        "待ち行列が満杯で、その多くがこの呼び出し元のものです",
    ))]
    Evicted { pool: Pool, retry_after: Duration },
    #[fact(skip(waited))]
    #[fact(reason = BilingualText::new(
        format!("waited {} s", waited.as_secs()),
        format!("{} 秒待ちました", waited.as_secs()),
    ))]
    WaitedTooLong { pool: Pool, waited: Duration, retry_after: Duration },
    /// The call was cancelled while it waited.
    #[entry("CANCELLED")]
    Cancelled,
}

impl Fact for Pool {
    fn fact(&self) -> Option<BilingualText> {
        Some(BilingualText::same(self.name()))
    }
}

/// The suggested delay before a retry when the queue is full.
const RETRY_FULL: Duration = Duration::from_secs(1);
/// The suggested delay before a retry when waiting timed out. It is longer because the running jobs are long.
const RETRY_LATE: Duration = Duration::from_secs(5);

/// All pools of the process.
#[derive(Debug)]
pub struct WorkPools {
    pools: [Arc<PoolState>; 5],
    wait: Duration,
}

/// The slots and the queue of one pool.
#[derive(Debug)]
struct PoolState {
    slots: usize,
    per_key: usize,
    /// Locked for single steps, never across an `.await` and never while a permit is dropped.
    state: Mutex<PoolOccupancy>,
}

#[derive(Debug)]
struct PoolOccupancy {
    running: RunningJobs,
    queue: FairQueue<oneshot::Sender<WaitOutcome>>,
}

/// The numbers of running jobs. The maps have no entries of zero.
#[derive(Debug, Default)]
struct RunningJobs {
    all: usize,
    by_principal: HashMap<Arc<str>, usize>,
    by_key: HashMap<Arc<str>, usize>,
}

/// The message sent to a waiting call.
#[derive(Debug)]
enum WaitOutcome {
    Granted(Permit),
    Evicted,
}

/// A slot in a pool, released on drop.
#[must_use]
#[derive(Debug)]
pub struct Permit {
    lane: Arc<PoolState>,
    principal: Arc<str>,
    key: Option<Arc<str>>,
    /// The time that the call waited for the slot.
    pub queued: Duration,
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.lane.release(&self.principal, self.key.as_ref());
    }
}

/// A call in the queue. Dropping it, for example with its future, removes the call from the queue.
#[derive(Debug)]
struct QueuedCall {
    lane: Arc<PoolState>,
    principal: Arc<str>,
    ticket: Ticket,
    /// Receives nothing after the call left the queue. A permit sent before that is dropped with the receiver, which
    /// passes the slot on.
    told: oneshot::Receiver<WaitOutcome>,
}

impl Drop for QueuedCall {
    fn drop(&mut self) {
        let left = self.lane.state().queue.remove(&self.principal, self.ticket);
        drop(left);
    }
}

impl RunningJobs {
    fn start(&mut self, principal: &Arc<str>, key: Option<&Arc<str>>) {
        self.all += 1;
        *self.by_principal.entry(Arc::clone(principal)).or_default() += 1;
        if let Some(key) = key {
            *self.by_key.entry(Arc::clone(key)).or_default() += 1;
        }
    }

    fn end(&mut self, principal: &Arc<str>, key: Option<&Arc<str>>) {
        self.all -= 1;
        decrement(&mut self.by_principal, principal);
        if let Some(key) = key {
            decrement(&mut self.by_key, key);
        }
    }
}

/// Subtracts one from a count, and removes it at zero.
fn decrement(counts: &mut HashMap<Arc<str>, usize>, name: &Arc<str>) {
    if let Some(count) = counts.get_mut(name) {
        *count -= 1;
        if *count == 0 {
            counts.remove(name);
        }
    }
}

impl PoolState {
    fn state(&self) -> MutexGuard<'_, PoolOccupancy> {
        self.state.lock()
    }

    fn permit(self: &Arc<Self>, principal: Arc<str>, key: Option<Arc<str>>) -> Permit {
        Permit { lane: Arc::clone(self), principal, key, queued: Duration::ZERO }
    }

    /// True if the limits for one principal and for one key allow another job.
    fn may_run(&self, running: &RunningJobs, principal: &str, key: Option<&str>) -> bool {
        let leaves_a_slot = self.slots >= 3 && !principal.is_empty();
        let per_principal = self.slots - usize::from(leaves_a_slot);
        let is_below = |counts: &HashMap<Arc<str>, usize>, name: &str, most: usize| {
            counts.get(name).is_none_or(|count| *count < most)
        };
        is_below(&running.by_principal, principal, per_principal)
            && key.is_none_or(|key| is_below(&running.by_key, key, self.per_key))
    }

    /// Returns a permit if a slot is free, or else adds the call to the queue.
    fn acquire_or_queue(
        self: &Arc<Self>,
        principal: &Arc<str>,
        key: Option<Arc<str>>,
        pool: Pool,
    ) -> Result<AcquireOutcome, PoolError> {
        let mut state = self.state();
        // Waiting calls cannot use a free slot: it would have been handed to one of them at once.
        if state.running.all < self.slots && self.may_run(&state.running, principal, key.as_deref()) {
            state.running.start(principal, key.as_ref());
            return Ok(AcquireOutcome::Granted(self.permit(Arc::clone(principal), key)));
        }
        let (tell, told) = oneshot::channel();
        let (ticket, away) = match state.queue.push(principal, key, tell) {
            PushOutcome::Added(ticket) => (ticket, None),
            PushOutcome::Replaced(ticket, away) => (ticket, Some(away)),
            PushOutcome::Full(_) => {
                return Err(PoolError::QueueFull { pool, retry_after: RETRY_FULL });
            }
        };
        drop(state);
        if let Some(away) = away {
            // The receiver may be gone already: then that call is leaving by itself.
            let _ = away.send(WaitOutcome::Evicted);
        }
        Ok(AcquireOutcome::Queued(QueuedCall {
            lane: Arc::clone(self),
            principal: Arc::clone(principal),
            ticket,
            told,
        }))
    }

    /// Ends a job and starts the waiting calls that may run now.
    fn release(self: &Arc<Self>, principal: &Arc<str>, key: Option<&Arc<str>>) {
        let mut state = self.state();
        state.running.end(principal, key);
        while state.running.all < self.slots {
            let PoolOccupancy { running, queue } = &mut *state;
            let next = queue.pop(|principal, key| self.may_run(running, principal, key));
            let Some(next) = next else { return };
            running.start(&next.principal, next.key.as_ref());
            let permit = self.permit(next.principal, next.key);
            drop(state);
            // If the receiver is gone, the permit is dropped here and locks the state again; the lock must be free.
            let _ = next.item.send(WaitOutcome::Granted(permit));
            state = self.state();
        }
    }
}

/// The result of asking for a slot.
enum AcquireOutcome {
    Granted(Permit),
    Queued(QueuedCall),
}

impl WorkPools {
    /// Creates pools of the given sizes; a size of zero counts as one.
    pub fn new(sizes: PoolSizes) -> Self {
        let lane = |places: usize| {
            Arc::new(PoolState {
                slots: places.max(1),
                per_key: sizes.per_key.max(1),
                state: Mutex::new(PoolOccupancy {
                    running: RunningJobs::default(),
                    queue: FairQueue::new(sizes.queue),
                }),
            })
        };
        Self { pools: sizes.slots.map(lane), wait: sizes.wait }
    }

    /// Returns the maximum waiting time of one call.
    pub fn wait(&self) -> Duration {
        self.wait
    }

    /// Waits for a slot. Principals are served in turn, the calls of one principal in their order.
    pub async fn acquire(
        &self,
        pool: Pool,
        principal: &Arc<str>,
        cancel: &CancellationToken,
    ) -> Result<Permit, PoolError> {
        self.wait_for(pool, None, principal, cancel).await
    }

    /// Waits for a slot that also counts against a key, such as a project that only one job may write to at a time. A
    /// call that waits for a busy key does not delay calls of other keys.
    pub async fn acquire_for(
        &self,
        pool: Pool,
        key: &str,
        principal: &Arc<str>,
        cancel: &CancellationToken,
    ) -> Result<Permit, PoolError> {
        self.wait_for(pool, Some(Arc::from(key)), principal, cancel).await
    }

    async fn wait_for(
        &self,
        pool: Pool,
        key: Option<Arc<str>>,
        principal: &Arc<str>,
        cancel: &CancellationToken,
    ) -> Result<Permit, PoolError> {
        let started = Instant::now();
        let mut waiting = match self.pools[pool as usize].acquire_or_queue(principal, key, pool)? {
            AcquireOutcome::Granted(permit) => return Ok(permit),
            AcquireOutcome::Queued(waiting) => waiting,
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(PoolError::Cancelled),
            told = &mut waiting.told => match told {
                Ok(WaitOutcome::Granted(mut permit)) => {
                    permit.queued = started.elapsed();
                    Ok(permit)
                }
                // The sender is dropped unused only if the queue is dropped together with its pools.
                Ok(WaitOutcome::Evicted) | Err(_) => Err(PoolError::Evicted {
                    pool,
                    retry_after: RETRY_FULL,
                }),
            },
            () = tokio::time::sleep(self.wait) => Err(PoolError::WaitedTooLong {
                pool,
                waited: self.wait,
                retry_after: RETRY_LATE,
            }),
        }
    }

    pub fn load(&self, pool: Pool) -> PoolLoad {
        let lane = &self.pools[pool as usize];
        let state = lane.state();
        PoolLoad { slots: lane.slots, running: state.running.all, waiting: state.queue.len() }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::HashMap,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
        time::Duration,
    };

    use parking_lot::Mutex;
    use tokio::{sync::Barrier, task::JoinHandle};
    use tokio_util::sync::CancellationToken;

    use super::{Permit, Pool, PoolError, PoolLoad, PoolSizes, WorkPools};

    fn pools(places: usize, queue: usize, wait: Duration) -> Arc<WorkPools> {
        Arc::new(WorkPools::new(PoolSizes { slots: [places; 5], per_key: 1, queue, wait }))
    }

    fn name(principal: &str) -> Arc<str> {
        Arc::from(principal)
    }

    const LONG: Duration = Duration::from_mins(1);

    #[tokio::test]
    async fn full_queue_refuses_and_free_slot_passes_on() {
        let pools = pools(1, 0, LONG);
        let (cancel, ann) = (CancellationToken::new(), name("ann"));
        let held = pools.acquire(Pool::Write, &ann, &cancel).await.expect("free");
        let refused = pools.acquire(Pool::Write, &ann, &cancel).await;
        assert!(matches!(refused, Err(PoolError::QueueFull { .. })));
        assert!(pools.acquire(Pool::Check, &ann, &cancel).await.is_ok(), "pools are independent");
        drop(held);
        assert!(pools.acquire(Pool::Write, &ann, &cancel).await.is_ok());
    }

    #[tokio::test]
    async fn waiting_ends_by_cancel_and_by_time() {
        let pools = pools(1, 8, Duration::from_millis(1));
        let (cancel, ann) = (CancellationToken::new(), name("ann"));
        let _held = pools.acquire(Pool::Plot, &ann, &cancel).await.expect("free");
        let late = pools.acquire(Pool::Plot, &ann, &cancel).await;
        assert!(matches!(late, Err(PoolError::WaitedTooLong { .. })));
        cancel.cancel();
        let cancelled = pools.acquire(Pool::Plot, &ann, &cancel).await;
        assert!(matches!(cancelled, Err(PoolError::Cancelled)));
        assert_eq!(pools.load(Pool::Plot).waiting, 0, "no call is left waiting");
    }

    /// Starts a call that acquires a permit, records its name and releases the permit.
    fn call(
        pools: &Arc<WorkPools>,
        principal: &str,
        key: Option<&str>,
        served: &Arc<Mutex<Vec<String>>>,
        says: &str,
    ) -> JoinHandle<Result<(), PoolError>> {
        let (pools, principal, served) = (Arc::clone(pools), name(principal), Arc::clone(served));
        let (key, says) = (key.map(str::to_owned), says.to_owned());
        tokio::spawn(async move {
            let cancel = CancellationToken::new();
            let permit = match &key {
                Some(key) => pools.acquire_for(Pool::Write, key, &principal, &cancel).await?,
                None => pools.acquire(Pool::Write, &principal, &cancel).await?,
            };
            served.lock().push(says);
            drop(permit);
            Ok(())
        })
    }

    /// Starts a call and returns once it is queued or has ended.
    async fn wait(
        pools: &Arc<WorkPools>,
        principal: &str,
        key: Option<&str>,
        served: &Arc<Mutex<Vec<String>>>,
        says: &str,
    ) -> JoinHandle<Result<(), PoolError>> {
        let before = pools.load(Pool::Write).waiting;
        let task = call(pools, principal, key, served, says);
        while pools.load(Pool::Write).waiting == before && !task.is_finished() {
            tokio::task::yield_now().await;
        }
        task
    }

    #[tokio::test]
    async fn a_flood_of_one_caller_does_not_hold_up_another() {
        let pools = pools(1, 64, LONG);
        let held = pools.acquire(Pool::Write, &name("flood"), &CancellationToken::new()).await.expect("free");
        let served = Arc::default();
        let mut tasks = Vec::new();
        for at in 0..20 {
            tasks.push(wait(&pools, "flood", None, &served, &format!("flood {at}")).await);
        }
        for at in 0..3 {
            tasks.push(wait(&pools, "ann", None, &served, &format!("ann {at}")).await);
        }
        assert_eq!(pools.load(Pool::Write), PoolLoad { slots: 1, running: 1, waiting: 23 });
        drop(held);
        for task in tasks {
            task.await.expect("no panic").expect("served");
        }
        let served = served.lock().clone();
        assert_eq!(served[..6], ["flood 0", "ann 0", "flood 1", "ann 1", "flood 2", "ann 2"]);
        let rest: Vec<String> = (3..20).map(|at| format!("flood {at}")).collect();
        assert_eq!(served[6..], rest[..]);
    }

    #[tokio::test]
    async fn full_queue_evicts_from_largest_principal() {
        let pools = pools(1, 4, LONG);
        let held = pools.acquire(Pool::Write, &name("flood"), &CancellationToken::new()).await.expect("free");
        let served = Arc::default();
        let mut flood = Vec::new();
        for _ in 0..4 {
            flood.push(wait(&pools, "flood", None, &served, "flood").await);
        }
        let fifth = wait(&pools, "flood", None, &served, "flood").await.await.expect("no panic");
        assert!(matches!(fifth, Err(PoolError::QueueFull { .. })));
        let ann = call(&pools, "ann", None, &served, "ann");
        let sent = flood.pop().expect("four").await.expect("no panic");
        assert!(matches!(sent, Err(PoolError::Evicted { .. })), "the newest is evicted at once");
        drop(held);
        ann.await.expect("no panic").expect("served");
        for task in flood {
            task.await.expect("no panic").expect("served");
        }
    }

    #[tokio::test]
    async fn limits_apply_per_key_and_in_total() {
        let pools = pools(2, 64, LONG);
        let (cancel, ann) = (CancellationToken::new(), name("ann"));
        let one = pools.acquire_for(Pool::Write, "one", &ann, &cancel).await.expect("free");
        let served = Arc::default();
        let again = wait(&pools, "ann", Some("one"), &served, "one again").await;
        let two = pools.acquire_for(Pool::Write, "two", &ann, &cancel).await.expect("another key");
        let three = wait(&pools, "ann", Some("three"), &served, "three").await;
        assert_eq!(pools.load(Pool::Write).waiting, 2, "its key is free, but no slot is");
        drop(two);
        three.await.expect("no panic").expect("served");
        assert_eq!(*served.lock(), ["three"], "served before the one whose key is taken");
        drop(one);
        again.await.expect("no panic").expect("served");
        assert_eq!(pools.load(Pool::Write).running, 0);
    }

    #[tokio::test]
    async fn a_principal_with_long_jobs_leaves_one_slot_to_the_others() {
        let pools = pools(3, 64, LONG);
        let (cancel, ann) = (CancellationToken::new(), name("ann"));
        let long = pools.acquire(Pool::Write, &ann, &cancel).await.expect("free");
        let _second = pools.acquire(Pool::Write, &ann, &cancel).await.expect("free");
        let served = Arc::default();
        let third = wait(&pools, "ann", None, &served, "ann").await;
        assert_eq!(pools.load(Pool::Write), PoolLoad { slots: 3, running: 2, waiting: 1 });
        call(&pools, "bob", None, &served, "bob").await.expect("no panic").expect("served at once");
        assert_eq!(*served.lock(), ["bob"], "ann waits for a slot of her own");
        drop(long);
        third.await.expect("no panic").expect("served");
        let mut alone = Vec::new();
        for _ in 0..3 {
            alone.push(
                pools.acquire(Pool::Check, &name(""), &cancel).await.expect("without principals every slot is used"),
            );
        }
    }

    #[tokio::test]
    async fn slot_of_aborted_call_passes_to_next() {
        let pools = pools(1, 64, LONG);
        let (cancel, ann) = (CancellationToken::new(), name("ann"));
        let held = pools.acquire(Pool::Write, &ann, &cancel).await.expect("free");
        let served = Arc::default();
        let gone = wait(&pools, "ann", None, &served, "gone").await;
        let next = wait(&pools, "ann", None, &served, "next").await;
        // The permit is sent before the task is aborted: nothing else runs on this thread in between.
        drop(held);
        gone.abort();
        next.await.expect("no panic").expect("served");
        assert_eq!(*served.lock(), ["next"]);
        assert_eq!(pools.load(Pool::Write).running, 0);
    }

    /// The counters of the stress test.
    #[derive(Debug, Default)]
    struct Counted {
        running: AtomicUsize,
        most: AtomicUsize,
        by_key: Mutex<HashMap<String, usize>>,
        served: AtomicUsize,
    }

    async fn work(counted: &Counted, key: Option<&str>, permit: Permit) {
        let running = counted.running.fetch_add(1, Ordering::SeqCst) + 1;
        counted.most.fetch_max(running, Ordering::SeqCst);
        if let Some(key) = key {
            let mut by_key = counted.by_key.lock();
            let running = by_key.entry(key.to_owned()).or_default();
            *running += 1;
            assert_eq!(*running, 1, "two of {key} at once");
        }
        tokio::task::yield_now().await;
        if let Some(key) = key {
            *counted.by_key.lock().get_mut(key).expect("it runs") -= 1;
        }
        counted.running.fetch_sub(1, Ordering::SeqCst);
        counted.served.fetch_add(1, Ordering::SeqCst);
        drop(permit);
    }

    /// Runs many tasks at once, some of which give up in every possible way. No call may wait for ever and no slot may
    /// leak.
    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn concurrent_callers_all_end_and_leak_no_slot() {
        const TASKS: usize = 600;
        const PLACES: usize = 3;
        for round in 0..10 {
            let pools = pools(PLACES, TASKS, LONG);
            let counted = Arc::new(Counted::default());
            let start = Arc::new(Barrier::new(TASKS));
            let tasks: Vec<_> = (0..TASKS)
                .map(|at| {
                    let (pools, counted, start) = (Arc::clone(&pools), Arc::clone(&counted), Arc::clone(&start));
                    tokio::spawn(async move {
                        let principal = name(["ann", "bob", "cat", ""][at % 4]);
                        let key = ["one", "two", "three"].get(at % 5).copied();
                        let cancel = CancellationToken::new();
                        start.wait().await;
                        let place = async {
                            match key {
                                Some(key) => pools.acquire_for(Pool::Write, key, &principal, &cancel).await,
                                None => pools.acquire(Pool::Write, &principal, &cancel).await,
                            }
                        };
                        match (at + round) % 7 {
                            0 => {
                                let (cancel, place) = (cancel.clone(), place);
                                let stop = async move {
                                    tokio::task::yield_now().await;
                                    cancel.cancel();
                                };
                                let (permit, ()) = tokio::join!(place, stop);
                                match permit {
                                    Ok(permit) => work(&counted, key, permit).await,
                                    Err(error) => assert!(matches!(error, PoolError::Cancelled), "{error}"),
                                }
                            }
                            1 => {
                                // Dropped after a few polls, perhaps with a permit already sent to it.
                                let looks = at % 50;
                                let gives_up = async {
                                    for _ in 0..looks {
                                        tokio::task::yield_now().await;
                                    }
                                };
                                tokio::select! {
                                    biased;
                                    () = gives_up => {}
                                    permit = place => work(&counted, key, permit.expect("long enough")).await,
                                }
                            }
                            _ => work(&counted, key, place.await.expect("the queue has room for all")).await,
                        }
                    })
                })
                .collect();
            for task in tasks {
                task.await.expect("no panic");
            }
            let load = pools.load(Pool::Write);
            assert_eq!((load.running, load.waiting), (0, 0));
            assert!(counted.most.load(Ordering::SeqCst) <= PLACES);
            assert!(counted.served.load(Ordering::SeqCst) >= TASKS * 5 / 7);
        }
    }
}
