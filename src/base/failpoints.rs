//! Failpoints for tests: steps at which the process can be stopped, between any two operations of a write on the disk.
//!
//! Releases and the container are built without them (the feature `failpoints`); there [`reach`] does nothing.
//! With `FUMI_FAILPOINT=list` each step is named on standard error. With a number the thread stops at that step for
//! ever, so that the parent process can kill it there. With `freeze WHAT PATH` the whole process stops (SIGSTOP) the
//! first time that step is reached, until SIGCONT.

/// Marks a step as reached.
#[cfg(not(feature = "failpoints"))]
pub(crate) fn reach(_what: &str, _path: &std::path::Path) {}

#[cfg(feature = "failpoints")]
pub(crate) use armed::reach;

#[cfg(feature = "failpoints")]
mod armed {
    use std::{
        path::Path,
        sync::{
            LazyLock,
            atomic::{AtomicUsize, Ordering},
        },
    };

    enum FailpointMode {
        Nothing,
        List,
        StopAt(usize),
        /// The step and the path at which to stop once.
        Freeze(String),
    }

    static WISH: LazyLock<FailpointMode> = LazyLock::new(|| match std::env::var("FUMI_FAILPOINT") {
        Ok(list) if list == "list" => FailpointMode::List,
        Ok(freeze) if freeze.starts_with("freeze ") => FailpointMode::Freeze(freeze["freeze ".len()..].to_owned()),
        Ok(number) => number.parse().map_or(FailpointMode::Nothing, FailpointMode::StopAt),
        Err(_) => FailpointMode::Nothing,
    });
    static REACHED: AtomicUsize = AtomicUsize::new(0);

    pub(crate) fn reach(what: &str, path: &Path) {
        if matches!(*WISH, FailpointMode::Nothing) {
            return;
        }
        if let FailpointMode::Freeze(wanted) = &*WISH {
            if *wanted == format!("{what} {}", path.display()) && REACHED.fetch_add(1, Ordering::SeqCst) == 0 {
                let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP);
                // Another thread may take the signal: wait here until it has stopped this thread, too.
                std::thread::park_timeout(std::time::Duration::from_millis(200));
            }
            return;
        }
        let number = REACHED.fetch_add(1, Ordering::SeqCst) + 1;
        match *WISH {
            FailpointMode::StopAt(wanted) if wanted != number => {}
            _ => eprintln!("failpoint {number} {what} {}", path.display()),
        }
        while matches!(*WISH, FailpointMode::StopAt(wanted) if wanted == number) {
            std::thread::park();
        }
    }
}
