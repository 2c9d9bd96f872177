//! The profile folder of a Chromium process: new at every start, removed at its end.
//!
//! If fumi itself is killed, it cannot remove the folder. A lock on a file inside shows the next start whether the
//! folder is still in use.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use rustix::fs::OFlags;
use tempfile::TempDir;

const PREFIX: &str = "fumi-chromium-";
const LOCK: &str = "fumi.lock";

/// Preferences that no flag can set: a PDF is downloaded. The build without windows has no viewer for it, and the
/// viewer of the desktop browser shows an empty page.
const PREFERENCES: &str = r#"{"plugins":{"always_open_pdf_externally":true}}"#;

/// Bytes of the longest path for temporary files. Chromium creates a socket below it, and the path of a socket has at
/// most 107 bytes.
const LONGEST: usize = 60;

/// A profile folder, removed on drop.
#[derive(Debug)]
pub(super) struct ProfileFolder {
    // Declared first, so that the folder is removed before the lock is released: no process may find the folder
    // unlocked.
    folder: TempDir,
    _lock: File,
}

impl ProfileFolder {
    /// Creates a new profile and removes the folders of servers that no longer run.
    pub(super) fn new() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir()?;
        // Locked under another name first, so that no process can find a lock file that is not locked yet.
        let draft = folder.path().join("fumi.new");
        let lock = File::create(&draft)?;
        lock.lock()?;
        fs::rename(&draft, folder.path().join(LOCK))?;
        let settings = folder.path().join("Default");
        fs::create_dir(&settings)?;
        fs::write(settings.join("Preferences"), PREFERENCES)?;
        sweep(folder.path().parent().unwrap_or(Path::new("/tmp")));
        Ok(Self { folder, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns a folder for Chromium's temporary files, which is removed with the profile. Returns `None` if its path
    /// is too long for sockets.
    pub(super) fn temporary(&self) -> Option<PathBuf> {
        let folder = self.path().join("t");
        (folder.as_os_str().len() <= LONGEST && fs::create_dir_all(&folder).is_ok()).then_some(folder)
    }
}

fn sweep(folder: &Path) {
    let Ok(entries) = folder.read_dir() else {
        return;
    };
    for entry in entries.flatten() {
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        // A folder without a lock file is being created right now, or belongs to another program.
        let Some(lock) = existing_lock(&entry.path()) else {
            continue;
        };
        if lock.try_lock().is_ok()
            && let Err(error) = fs::remove_dir_all(entry.path())
        {
            tracing::debug!(%error, folder = %entry.path().display(), "cannot remove an old profile");
        }
    }
}

/// Opens the lock file of a folder. Any user may place a file of that name in the folder for temporary files, so links
/// are not followed and a pipe without a writer does not block.
fn existing_lock(folder: &Path) -> Option<File> {
    let flags = (OFlags::NONBLOCK | OFlags::NOFOLLOW).bits().cast_signed();
    let lock = OpenOptions::new().read(true).custom_flags(flags).open(folder.join(LOCK));
    lock.ok().filter(|lock| lock.metadata().is_ok_and(|file| file.is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unlocked_profile_folders_are_removed() {
        let living = ProfileFolder::new().expect("a profile");
        let around = living.path().parent().expect("a parent");
        let dead = tempfile::Builder::new().prefix(PREFIX).tempdir_in(around).expect("a folder");
        let unready = tempfile::Builder::new().prefix(PREFIX).tempdir_in(around).expect("a folder");
        fs::write(dead.path().join(LOCK), "").expect("a lock file that is not locked");
        let [pipe, link] = [(); 2].map(|()| {
            let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(around);
            folder.expect("a folder")
        });
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, pipe.path().join(LOCK), rustix::fs::FileType::Fifo, mode, 0)
            .expect("a pipe");
        std::os::unix::fs::symlink(dead.path().join("elsewhere"), link.path().join(LOCK)).expect("a link");
        fs::write(dead.path().join("elsewhere"), "").expect("a file");
        let next = ProfileFolder::new().expect("a profile");
        assert!(!dead.path().exists());
        for stays in [living.path(), unready.path(), next.path(), pipe.path(), link.path()] {
            assert!(stays.exists(), "{}", stays.display());
        }
        let gone = living.path().to_path_buf();
        drop(living);
        assert!(!gone.exists());
    }
}
