//! A folder that belongs to the server alone: its files are read whole, replaced whole, and locked.
//!
//! Invariant: whatever lies there, no link is followed, nothing is waited for, and no more is read than the caller wants.

use std::{
    fs::{DirBuilder, File, TryLockError},
    io::{self, Read as _},
    os::unix::fs::DirBuilderExt as _,
    path::Path,
};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::{
    ambient_authority,
    fs::{Dir, OpenOptions},
};

use crate::atomic_write::replace_in;

/// Access for the owner alone, because the files reveal names and contents of projects.
const MODE: u32 = 0o700;

/// A folder of the server.
#[derive(Debug)]
pub struct PrivateFolder(Dir);

impl PrivateFolder {
    /// Opens a folder. `None` if it does not exist, or is a link or a file.
    ///
    /// # Errors
    /// The folder cannot be opened.
    pub fn open(path: &Path) -> io::Result<Option<Self>> {
        if !path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            return Ok(None);
        }
        Dir::open_ambient_dir(path, ambient_authority()).map(|dir| Some(Self(dir)))
    }

    /// Creates a folder, and those above it, if it does not exist, and opens it.
    ///
    /// # Errors
    /// The folder cannot be created or opened, or is a link or a file.
    pub fn create(path: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(MODE).create(path)?;
        Self::open(path)?.ok_or_else(|| io::ErrorKind::NotADirectory.into())
    }

    /// Reads a file. `None` if there is no regular file of this name, or if it has more than `most` bytes.
    ///
    /// # Errors
    /// The file cannot be opened or read.
    pub fn read(&self, name: &str, most: u64) -> io::Result<Option<Vec<u8>>> {
        let file = match self.open_file(name, OpenOptions::new().read(true)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let found = file.metadata()?;
        if !found.is_file() || found.len() > most {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        file.take(most + 1).read_to_end(&mut bytes)?;
        Ok((bytes.len() as u64 <= most).then_some(bytes))
    }

    /// Writes a whole file: after a crash, it is the old one or the new one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        replace_in(&self.0, Path::new(name), bytes)
    }

    /// Locks a file, which is created if it does not exist, until the result is dropped. `None` if it is locked.
    ///
    /// # Errors
    /// The file cannot be opened or locked.
    pub fn lock(&self, name: &str) -> io::Result<Option<File>> {
        let file = self.open_file(name, OpenOptions::new().create(true).append(true).read(true))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Removes the files for whose names `keeps` returns false. Best effort; names that are not UTF-8 stay.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn keep_only(&self, keeps: impl Fn(&str) -> bool) -> io::Result<()> {
        for entry in self.0.entries()? {
            let name = entry?.file_name();
            if name.to_str().is_some_and(|name| !keeps(name)) {
                let _ = self.0.remove_file(&name);
            }
        }
        Ok(())
    }

    fn open_file(&self, name: &str, options: &mut OpenOptions) -> io::Result<File> {
        let options = options.follow(FollowSymlinks::No).nonblock(true);
        self.0.open_with(name, options).map(cap_std::fs::File::into_std)
    }
}
