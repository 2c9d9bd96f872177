//! Work that gives way to calls.

use std::thread;

/// The nice value of such work, from -20 to 19: it gets about 3 % of a core that a call needs.
const NICE: i32 = 15;

/// Does work on a thread of low priority and returns its result. The caller must hold no lock that calls wait for: on a
/// busy machine the thread may stand still for long.
pub(super) fn at_low_priority<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let worker = scope.spawn(|| {
            // Of this thread, on Linux. A failure leaves the usual priority.
            let _ = rustix::process::setpriority_process(None, NICE);
            work()
        });
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
