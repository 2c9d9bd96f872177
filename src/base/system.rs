//! Which failures of input and output are the system's: they pass, and say nothing of the file that met them.
//!
//! Invariant: such a failure ends a call with an error that may be tried again; it never stands for an absent or empty
//! file. What belongs to one file (no permission, vanished, a broken link, a name that is too long) is not one of them.

use std::io::{self, ErrorKind};

/// `EIO`, `ENXIO`, `ENODEV`, `ENFILE`, `EMFILE`, `ENOLINK`, `EHOSTDOWN` and `EREMOTEIO` of Linux: `ErrorKind` has no names for
/// them.
const NUMBERS: [i32; 8] = [5, 6, 19, 23, 24, 67, 112, 121];

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
    by_kind || (cfg!(target_os = "linux") && error.raw_os_error().is_some_and(|number| NUMBERS.contains(&number)))
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::is_system_failure;

    #[test]
    fn a_full_table_is_the_systems_and_a_closed_file_is_its_own() {
        // EIO, ENXIO, ENOMEM, EAGAIN, ENODEV, ENFILE, EMFILE, ETIMEDOUT, EHOSTDOWN, ESTALE
        for number in [5, 6, 12, 11, 19, 23, 24, 110, 112, 116] {
            assert!(is_system_failure(&io::Error::from_raw_os_error(number)), "{number}");
        }
        // ENOENT, EACCES, ENOTDIR, EISDIR, ENAMETOOLONG, ELOOP
        for number in [2, 13, 20, 21, 36, 40] {
            assert!(!is_system_failure(&io::Error::from_raw_os_error(number)), "{number}");
        }
    }
}
