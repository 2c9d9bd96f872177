//! Files with ignore rules are opened by their name, wherever a link leads. This tells which of them can be read, and
//! whether a watched root has others.

use std::{
    ffi::OsStr,
    fs::{self, File, FileType, Metadata},
    io,
    path::Path,
};

/// The maximum size of an ignore file, in bytes. The largest ignore files of published projects have some 20 KB.
pub const MOST_FILE_BYTES: u64 = 128 << 10;

/// The maximum size of the ignore files of a folder and of those above it, in bytes: a walk keeps these in memory, as
/// compiled rules that take up to 500 times their size.
pub const MOST_CHAIN_BYTES: u64 = 256 << 10;

/// Folders whose files are made by the kernel while they are read: their size says nothing about their content.
const KERNEL_FOLDERS: [&str; 3] = ["/dev", "/proc", "/sys"];

/// Returns the metadata of a regular file, whose size is what can be read. `None` for a pipe or a device, which may be
/// waited for or never end, for a file of the kernel, and if there is no file.
#[must_use]
pub fn rule_file(path: &Path) -> Option<Metadata> {
    let found = path.metadata().ok().filter(Metadata::is_file)?;
    let real = fs::canonicalize(path).ok()?;
    (!KERNEL_FOLDERS.iter().any(|folder| real.starts_with(folder))).then_some(found)
}

/// Opens such a file; returns it with its size in bytes. `None` if the path is something else, or nothing.
///
/// # Errors
/// The file cannot be opened.
pub fn open_rule_file(path: &Path) -> io::Result<Option<(File, u64)>> {
    let Some(found) = rule_file(path) else { return Ok(None) };
    Ok(Some((File::open(path)?, found.len())))
}

/// What is known of the ignore files below a watched root.
#[derive(Debug, Default)]
pub(crate) struct SeenRuleFiles {
    /// The size of all that were seen, at each change again, in bytes.
    bytes: u64,
    has_unusual: bool,
}

impl SeenRuleFiles {
    /// Records an entry of a folder that may have ignore rules.
    pub(crate) fn note(&mut self, root: &Path, folder: &Path, name: &OsStr, kind: FileType) {
        let is_readable = match name.to_str() {
            // A walk only looks whether it exists.
            Some(".jj") => true,
            // The rules of a repository may lie elsewhere, or change without an event.
            Some(".git") => folder == root,
            _ if kind.is_dir() => true,
            _ => kind.is_file() && self.has_room(&folder.join(name)),
        };
        self.has_unusual |= !is_readable;
    }

    fn has_room(&mut self, file: &Path) -> bool {
        let bytes = file.symlink_metadata().map_or(0, |found| found.len());
        self.bytes = self.bytes.saturating_add(bytes);
        bytes <= MOST_FILE_BYTES && self.bytes <= MOST_CHAIN_BYTES
    }

    /// True if every ignore file below the root, but for those of its own repository, is a regular file, and all together
    /// are small.
    pub(crate) const fn are_usual(&self) -> bool {
        !self.has_unusual
    }
}
