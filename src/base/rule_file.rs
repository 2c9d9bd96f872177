//! Opening files with ignore rules by their name, wherever a link leads.

use std::{
    fs::{self, File, Metadata},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use rustix::fs::OFlags;

use crate::system::unless_unreadable;

/// Opening a pipe does not wait for its writer.
const NONBLOCK: i32 = OFlags::NONBLOCK.bits().cast_signed();

/// Folders whose files the kernel generates while they are read, so that their reported sizes are wrong.
const KERNEL_FOLDERS: [&str; 2] = ["/proc", "/sys"];

/// Opens a regular file whose reported size is correct, and returns it with its metadata. `None` for a pipe or a device,
/// which could block or never end, and for a file that the kernel generates. Never blocks, even if the file is replaced at
/// this moment.
///
/// # Errors
/// The file does not exist or cannot be opened.
pub fn open_rule_file(path: &Path) -> io::Result<Option<(File, Metadata)>> {
    let file = File::options().read(true).custom_flags(NONBLOCK).open(path)?;
    let found = file.metadata()?;
    let is_of_kernel = |real: PathBuf| KERNEL_FOLDERS.iter().any(|folder| real.starts_with(folder));
    let is_usual = found.is_file() && !unless_unreadable(fs::canonicalize(path))?.is_some_and(is_of_kernel);
    Ok(is_usual.then_some((file, found)))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::open_rule_file;

    #[test]
    fn opening_a_pipe_or_a_file_of_the_kernel_does_not_wait() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join(".ignore");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR, 0).expect("a pipe");
        for path in [&*pipe, Path::new("/dev/zero"), Path::new("/proc/self/status"), folder.path()] {
            assert!(open_rule_file(path).expect("opened").is_none(), "{}", path.display());
        }
        assert!(open_rule_file(&folder.path().join("none")).is_err());
    }
}
