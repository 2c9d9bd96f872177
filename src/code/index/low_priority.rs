//! Work that gives way to calls.

use std::thread;

use crate::thread_budget::spawn_thread;

/// The nice value of such work, from -20 to 19: it gets about 3 % of a core that a call needs.
const NICE: i32 = 15;

/// Does work on a thread of low priority and returns its result; on this thread if the system gives no other. The caller
/// must not hold a lock that calls wait for: on a busy machine the thread may not run for a long time. A panic of the work is
/// passed on to the caller.
pub(super) fn at_low_priority<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let mut work = Some(work);
    let mut result = None;
    thread::scope(|scope| {
        spawn_thread(scope, || {
            // Of this thread, on Linux. A failure leaves the usual priority.
            let _ = rustix::process::setpriority_process(None, NICE);
            result = work.take().map(|work| work());
        });
    });
    match (result, work) {
        (Some(result), _) => result,
        (None, Some(work)) => work(),
        (None, None) => unreachable!("the scope has passed on the panic of its thread"),
    }
}
