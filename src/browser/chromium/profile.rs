//! The folder of a Chromium's profile: fresh for each start, removed with it.
//!
//! If fumi itself is killed nothing can remove it: a lock on a file inside tells the next start that nobody uses it any
//! more.

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

/// What no flag says: a PDF is a download. The build without windows has no viewer for it, and that of the others shows an empty page.
const PREFERENCES: &str = r#"{"plugins":{"always_open_pdf_externally":true}}"#;

/// Chromium puts a socket below its folder for temporary files; the path of a socket has at most 107 bytes.
const LONGEST: usize = 60;

/// A profile's folder; dropping it removes it.
#[derive(Debug)]
pub(super) struct Profile {
    // Removed before the lock is given back: nobody else may see it unlocked while it is there.
    folder: TempDir,
    _lock: File,
}

impl Profile {
    /// A fresh one; folders of servers that are gone are removed on the way.
    pub(super) fn new() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir()?;
        // Locked under another name first, so that nobody finds a lock that is not held yet.
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

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A folder for Chromium's temporary files inside it, if sockets fit there: those go with the profile then.
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
        // Without a lock file it is being made just now, or is somebody else's.
        let Some(lock) = existing_lock(&entry.path()) else {
            continue;
        };
        if lock.try_lock().is_ok()
            && let Err(error) = fs::remove_dir_all(entry.path())
        {
            tracing::debug!(%error, folder = %entry.path().display(), "an old profile stays");
        }
    }
}

/// The lock of a folder. Anybody may put something of that name where temporary files are: neither a pipe without a writer is
/// waited for nor a link followed.
fn existing_lock(folder: &Path) -> Option<File> {
    let flags = (OFlags::NONBLOCK | OFlags::NOFOLLOW).bits().cast_signed();
    let lock = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(folder.join(LOCK));
    lock.ok()
        .filter(|lock| lock.metadata().is_ok_and(|file| file.is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_the_dead_go_and_those_of_the_living_stay() {
        let living = Profile::new().expect("a profile");
        let around = living.path().parent().expect("a parent");
        let dead = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempdir_in(around)
            .expect("a folder");
        let unready = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempdir_in(around)
            .expect("a folder");
        fs::write(dead.path().join(LOCK), "").expect("a lock that nobody holds");
        let [pipe, link] = [(); 2].map(|()| {
            let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(around);
            folder.expect("a folder")
        });
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(
            rustix::fs::CWD,
            pipe.path().join(LOCK),
            rustix::fs::FileType::Fifo,
            mode,
            0,
        )
        .expect("a pipe");
        std::os::unix::fs::symlink(dead.path().join("elsewhere"), link.path().join(LOCK)).expect("a link");
        fs::write(dead.path().join("elsewhere"), "").expect("a file");
        let next = Profile::new().expect("a profile");
        assert!(!dead.path().exists());
        for stays in [living.path(), unready.path(), next.path(), pipe.path(), link.path()] {
            assert!(stays.exists(), "{}", stays.display());
        }
        let gone = living.path().to_path_buf();
        drop(living);
        assert!(!gone.exists());
    }
}
