//! Which failures of input and output are the system's: they pass, and say nothing of the file that met them.
//!
//! Invariant: such a failure ends a call with an error that may be tried again; it never stands for an absent or empty
//! file. What belongs to one file (no permission, vanished, a broken link, a name that is too long) is not one of them.

use std::{
    error::Error,
    io::{self, ErrorKind},
    sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed},
};

/// `EIO`, `ENODEV`, `ENFILE`, `EMFILE`, `ENOLCK`, `ENOLINK`, `EHOSTDOWN` and `EREMOTEIO` of Linux: `ErrorKind` has no names for them.
const NUMBERS: [i32; 8] = [5, 19, 23, 24, 37, 67, 112, 121];

/// True if a failure is the system's: no descriptor or memory left, a disk or mount that does not answer.
#[must_use]
pub fn is_system_failure(error: &io::Error) -> bool {
    let by_kind = matches!(
        error.kind(),
        ErrorKind::OutOfMemory
            | ErrorKind::StaleNetworkFileHandle
            | ErrorKind::TimedOut
            | ErrorKind::WouldBlock
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkUnreachable
            | ErrorKind::NetworkDown
            | ErrorKind::NotConnected
            | ErrorKind::ConnectionAborted
            | ErrorKind::ConnectionReset
    );
    // A walk puts what the system said into an error of its own.
    let cause = || error.source()?.downcast_ref::<io::Error>()?.raw_os_error();
    by_kind
        || (cfg!(target_os = "linux")
            && error
                .raw_os_error()
                .or_else(cause)
                .is_some_and(|number| NUMBERS.contains(&number)))
}

/// Counts the system's failures in one project. A caller that sees the same count before and after its work knows that none of
/// what it read as absent or empty was so because the system failed, however far below the failure was passed over.
#[derive(Debug, Default)]
pub struct Failures {
    count: AtomicU64,
    /// The system's number of the last one.
    last: AtomicI32,
}

impl Failures {
    /// Returns the result as it is, counted if it is a failure of the system.
    pub fn noted<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result
            && is_system_failure(error)
        {
            self.last.store(error.raw_os_error().unwrap_or_default(), Relaxed);
            self.count.fetch_add(1, Relaxed);
        }
        result
    }

    /// How many there have been.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count.load(Relaxed)
    }

    /// The last one.
    #[must_use]
    pub fn last(&self) -> io::Error {
        io::Error::from_raw_os_error(self.last.load(Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::is_system_failure;

    #[test]
    fn a_full_table_is_the_systems_and_a_closed_file_is_its_own() {
        // EIO, ENOMEM, EAGAIN, ENODEV, ENFILE, EMFILE, ENOLCK, ETIMEDOUT, EHOSTDOWN, ESTALE
        for number in [5, 12, 11, 19, 23, 24, 37, 110, 112, 116] {
            assert!(is_system_failure(&io::Error::from_raw_os_error(number)), "{number}");
        }
        // ENOENT, ENXIO (a socket), EACCES, ENOTDIR, EISDIR, ENAMETOOLONG, ELOOP
        for number in [2, 6, 13, 20, 21, 36, 40] {
            assert!(!is_system_failure(&io::Error::from_raw_os_error(number)), "{number}");
        }
    }
}
