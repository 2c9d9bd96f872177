//! Files with ignore rules are opened by their name, wherever a link leads. This tells which of them can be read, and
//! whether a watched root has others.

use std::{
    ffi::OsStr,
    fs::{self, File, FileType, Metadata},
    io,
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use rustix::fs::OFlags;

/// The maximum size of an ignore file, in bytes. The largest ignore files of published projects have some 20 KB.
pub const MOST_FILE_BYTES: u64 = 128 << 10;

/// The maximum size of the ignore files of a folder and of those above it, in bytes: a walk keeps these in memory, as
/// compiled rules that take up to 500 times their size.
pub const MOST_CHAIN_BYTES: u64 = 256 << 10;

/// Opening a pipe does not wait for its writer.
const NONBLOCK: i32 = OFlags::NONBLOCK.bits().cast_signed();

/// Folders whose files are made by the kernel while they are read: their size says nothing about their content.
const KERNEL_FOLDERS: [&str; 3] = ["/dev", "/proc", "/sys"];

/// Opens a regular file, whose size is what can be read; returns it with its metadata. `None` for a pipe or a device, which
/// may be waited for or never end, for a file of the kernel, and if there is no file. Never waits, also if the file is
/// replaced at this moment.
///
/// # Errors
/// The file cannot be opened.
pub fn open_rule_file(path: &Path) -> io::Result<Option<(File, Metadata)>> {
    let opened = File::options().read(true).custom_flags(NONBLOCK).open(path);
    let file = match opened {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let found = file.metadata()?;
    let is_of_kernel = |real: PathBuf| KERNEL_FOLDERS.iter().any(|folder| real.starts_with(folder));
    let is_usual = found.is_file() && !fs::canonicalize(path).is_ok_and(is_of_kernel);
    Ok(is_usual.then_some((file, found)))
}

/// The ignore files that were seen below a watched root, as far as a walk needs to know them.
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
        // It is gone: its return is noted.
        let Ok(found) = file.symlink_metadata() else {
            return true;
        };
        self.bytes = self.bytes.saturating_add(found.len());
        // A file with another name may grow without an event.
        found.nlink() == 1 && found.len() <= MOST_FILE_BYTES && self.bytes <= MOST_CHAIN_BYTES
    }

    /// True if every ignore file below the root, but for those of its own repository, is a regular file, and all together
    /// are small.
    pub(crate) const fn are_usual(&self) -> bool {
        !self.has_unusual
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::{SeenRuleFiles, open_rule_file};

    fn are_usual(root: &Path, name: &str) -> bool {
        let mut seen = SeenRuleFiles::default();
        let path = root.join(name);
        let kind = path.symlink_metadata().expect("there").file_type();
        let (folder, name) = path.parent().zip(path.file_name()).expect("below");
        seen.note(root, folder, name, kind);
        seen.are_usual()
    }

    #[test]
    fn only_small_regular_files_with_one_name_are_usual() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        fs::create_dir_all(root.join("a/.git")).expect("made");
        fs::create_dir(root.join(".git")).expect("made");
        fs::write(root.join("a/.ignore"), "x").expect("written");
        fs::write(root.join("a/.gitignore"), " ".repeat(200_000)).expect("written");
        fs::write(root.join("other"), "x").expect("written");
        fs::hard_link(root.join("other"), root.join("a/.rgignore")).expect("linked");
        std::os::unix::fs::symlink("other", root.join(".fdignore")).expect("linked");
        for (name, usual) in [
            (".git", true),
            ("a/.git", false),
            ("a/.ignore", true),
            ("a/.gitignore", false),
            ("a/.rgignore", false),
            (".fdignore", false),
        ] {
            assert_eq!(are_usual(root, name), usual, "{name}");
        }
    }

    #[test]
    fn opening_a_pipe_or_a_file_of_the_kernel_does_not_wait() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join(".ignore");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR, 0).expect("a pipe");
        for path in [
            &*pipe,
            Path::new("/dev/zero"),
            Path::new("/proc/self/status"),
            folder.path(),
        ] {
            assert!(open_rule_file(path).expect("opened").is_none(), "{}", path.display());
        }
        assert!(open_rule_file(&folder.path().join("none")).expect("no error").is_none());
    }
}
