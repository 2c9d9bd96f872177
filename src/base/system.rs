//! Detection of system failures: errors of input and output that do not depend on the file, and are often temporary.
//!
//! Invariant: a system failure ends a call with an error that may be retried; it is never treated as an absent or empty
//! file. Errors that belong to one file (no permission, vanished, a broken link, a name that is too long) are not
//! system failures.

use std::{
    error::Error,
    io::{self, ErrorKind},
    path::Path,
    sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed},
};

/// `EIO`, `ENODEV`, `ENFILE`, `EMFILE`, `ENOLCK`, `ENOLINK`, `EHOSTDOWN` and `EREMOTEIO` of Linux, which `ErrorKind`
/// does not name.
const NUMBERS: [i32; 8] = [5, 19, 23, 24, 37, 67, 112, 121];

/// True if an error is a system failure: no descriptor or memory left, a disk that is full, a disk or mount that does
/// not respond. A file system that is mounted read-only is not a failure.
pub fn is_system_failure(error: &io::Error) -> bool {
    let by_kind = matches!(
        error.kind(),
        ErrorKind::OutOfMemory
            | ErrorKind::StaleNetworkFileHandle
            | ErrorKind::StorageFull
            | ErrorKind::QuotaExceeded
            | ErrorKind::TimedOut
            | ErrorKind::WouldBlock
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkUnreachable
            | ErrorKind::NetworkDown
            | ErrorKind::NotConnected
            | ErrorKind::ConnectionAborted
            | ErrorKind::ConnectionReset
    );
    // A walk wraps the system's error in its own.
    let cause = || error.source()?.downcast_ref::<io::Error>()?.raw_os_error();
    by_kind
        || (cfg!(target_os = "linux")
            && error.raw_os_error().or_else(cause).is_some_and(|number| NUMBERS.contains(&number)))
}

/// True if an error means that no file can be opened, because the process or the system has no file descriptor left
/// (`EMFILE`, `ENFILE`).
pub fn is_out_of_descriptors(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(23 | 24))
}

/// Returns `None` for what is gone or cannot be read. A system failure stays an error: there may be a file.
pub fn unless_unreadable<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(read) => Ok(Some(read)),
        Err(error) if is_system_failure(&error) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Counts the system failures in one project. If the count is the same before and after some work, no file was wrongly
/// read as absent or empty because the system failed, however deep the failure was ignored.
#[derive(Debug, Default)]
pub struct SystemFailures {
    count: AtomicU64,
    /// The system's number of the last failure.
    last: AtomicI32,
    #[cfg(any(test, feature = "failpoints"))]
    failing: parking_lot::Mutex<std::collections::HashSet<std::path::PathBuf>>,
}

impl SystemFailures {
    /// Returns the result unchanged, after counting it if it is a system failure.
    pub fn record<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result
            && is_system_failure(error)
        {
            self.last.store(error.raw_os_error().unwrap_or_default(), Relaxed);
            self.count.fetch_add(1, Relaxed);
        }
        result
    }

    /// Records the result of accessing a path of the project, as [`SystemFailures::record`] does.
    pub fn record_at<T>(&self, path: &Path, result: io::Result<T>) -> io::Result<T> {
        self.record(self.unless_failing(path, result))
    }

    #[cfg(not(any(test, feature = "failpoints")))]
    #[expect(clippy::unused_self, reason = "only tests have failing paths")]
    fn unless_failing<T>(&self, _path: &Path, result: io::Result<T>) -> io::Result<T> {
        result
    }

    #[cfg(any(test, feature = "failpoints"))]
    fn unless_failing<T>(&self, path: &Path, result: io::Result<T>) -> io::Result<T> {
        if self.failing.lock().contains(path) { Err(io::Error::from_raw_os_error(NUMBERS[0])) } else { result }
    }

    /// Makes every later access to a path of the project fail with `EIO`. Releases do not have this.
    #[cfg(any(test, feature = "failpoints"))]
    pub fn fail_at(&self, path: &str) {
        self.failing.lock().insert(path.into());
    }

    /// Returns the number of failures so far.
    pub fn count(&self) -> u64 {
        self.count.load(Relaxed)
    }

    /// Returns the last failure.
    pub fn last(&self) -> io::Error {
        io::Error::from_raw_os_error(self.last.load(Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::is_system_failure;

    #[test]
    fn errors_are_split_into_system_and_file() {
        // EIO, ENOMEM, EAGAIN, ENODEV, ENFILE, EMFILE, ENOLCK, ETIMEDOUT, EHOSTDOWN, ESTALE
        for number in [5, 12, 11, 19, 23, 24, 37, 110, 112, 116] {
            assert!(is_system_failure(&io::Error::from_raw_os_error(number)), "{number}");
        }
        // ENOENT, ENXIO (a socket), EACCES, ENOTDIR, EISDIR, EROFS, ENAMETOOLONG, ELOOP
        for number in [2, 6, 13, 20, 21, 30, 36, 40] {
            assert!(!is_system_failure(&io::Error::from_raw_os_error(number)), "{number}");
        }
    }
}
