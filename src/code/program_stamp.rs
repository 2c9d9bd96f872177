//! The identity of this program, by which files of other builds are recognized.

use std::{fs, sync::LazyLock};

use fumi_base::file_stamp::file_stamp;

/// Returns a hash that identifies this build of fumi. Files of other builds are not read, because these may have counted or
/// parsed differently. `None` if the program cannot be identified; then nothing is kept on the disk.
pub(crate) fn program_stamp() -> Option<u64> {
    static PROGRAM: LazyLock<Option<u64>> = LazyLock::new(|| {
        // This names the program also after its file was replaced.
        let running = fs::metadata("/proc/self/exe");
        let program = running.or_else(|_| std::env::current_exe().and_then(fs::metadata));
        program.ok().map(|found| file_stamp(&found))
    });
    *PROGRAM
}
