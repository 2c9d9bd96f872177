//! The identity of this program, by which files of other builds are recognized.

use std::{fs, sync::LazyLock};

use fumi_base::file_stamp::file_stamp;

/// Returns a hash of the program: what another one wrote is not read, because it may have counted or parsed otherwise. `None`
/// if it cannot be told: then nothing is kept.
pub(crate) fn program_stamp() -> Option<u64> {
    static PROGRAM: LazyLock<Option<u64>> = LazyLock::new(|| {
        // This names the program also after its file was replaced.
        let running = fs::metadata("/proc/self/exe");
        let program = running.or_else(|_| std::env::current_exe().and_then(fs::metadata));
        program.ok().map(|found| file_stamp(&found))
    });
    *PROGRAM
}
