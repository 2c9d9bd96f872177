//! The only way from a client's string to a file: a [`Project`] resolves it to a [`ProjectPath`], and the path opens
//! itself.
//!
//! Invariant: every opened file lies under the project root at the moment of opening. Opening goes through a handle of
//! the root (`openat2` with `RESOLVE_BENEATH` on Linux, by `cap-std`), so a link swapped in after the check cannot lead
//! outside. Paths are never checked first and then opened by name.

mod path_error;
mod project_path;
mod resolve;

use parking_lot::RwLock;
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd as _;
use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use cap_std::{
    ambient_authority,
    fs::{Dir, MetadataExt as _},
};

use crate::{path_maps::PathMaps, root_watcher, system::SystemFailures, text::BilingualText};

pub(crate) use path_error::reason_of;
pub use path_error::{BOOK, PathError, quoted};
pub use project_path::{ProjectPath, slashed};
pub use resolve::MAX_PATH_BYTES;

/// A folder whose files may be read, with an open handle.
#[derive(Debug)]
pub struct Project {
    /// The canonical absolute path of the root.
    root: PathBuf,
    /// The root as the operator or client spelt it: absolute paths may begin with it too.
    alias: PathBuf,
    /// The mapping between the client's paths and the server's paths.
    maps: Arc<PathMaps>,
    failures: SystemFailures,
    /// The count that [`Project::unstamped`] returns.
    unstamped: AtomicU64,
    /// Locked only to copy or to replace the handle.
    handle: RwLock<OpenRoot>,
    /// The project through whose handle this one was opened; `None` for a project that the operator configured.
    parent: Option<Arc<Self>>,
}

/// An open handle of a folder.
#[derive(Clone, Debug)]
struct OpenRoot {
    dir: Arc<Dir>,
    /// Device and inode. They are unique while the handle is open.
    id: (u64, u64),
}

impl OpenRoot {
    fn new(dir: Dir) -> io::Result<Self> {
        let metadata = dir.dir_metadata()?;
        Ok(Self { dir: Arc::new(dir), id: (metadata.dev(), metadata.ino()) })
    }
}

impl Project {
    /// Opens a folder as a project of a client that sees the same paths.
    pub fn open(root: &Path) -> io::Result<Arc<Self>> {
        Self::open_mapped(root, Arc::default())
    }

    /// Opens a folder as a project of a client that may see other paths.
    pub fn open_mapped(root: &Path, maps: Arc<PathMaps>) -> io::Result<Arc<Self>> {
        let canonical = root.canonicalize()?;
        let dir = Dir::open_ambient_dir(&canonical, ambient_authority())?;
        let alias = if root.is_absolute() { root.to_path_buf() } else { canonical.clone() };
        Ok(Arc::new(Self {
            root: canonical,
            alias,
            maps,
            failures: SystemFailures::default(),
            unstamped: AtomicU64::default(),
            handle: RwLock::new(OpenRoot::new(dir)?),
            parent: None,
        }))
    }

    /// Returns the system failures that occurred while files of this project were accessed.
    pub fn failures(&self) -> &SystemFailures {
        &self.failures
    }

    /// Returns how often the project accessed something that no stamp covers: the contents of uncounted folders, and
    /// link targets (a link on the way may lie in an uncounted folder). An answer may be cached only if this count is
    /// the same before and after the work.
    pub fn unstamped(&self) -> u64 {
        self.unstamped.load(Relaxed)
    }

    /// Increments the count of [`Project::unstamped`].
    pub fn note_unstamped(&self) {
        self.unstamped.fetch_add(1, Relaxed);
    }

    /// Increments the count of [`Project::unstamped`] if the entry of a walk is an uncounted folder.
    pub fn note_entry(&self, entry: &Path) {
        if entry.file_name().is_some_and(root_watcher::is_uncounted) {
            self.note_unstamped();
        }
    }

    /// Returns an error if system failures occurred since the count of failures had the given value.
    ///
    /// # Errors
    /// `SYSTEM_FAILURE`.
    pub fn check_failures_since(&self, count: u64) -> Result<(), PathError> {
        if self.failures.count() == count {
            return Ok(());
        }
        Err(PathError::Unreadable {
            path: ".".to_owned(),
            action: BilingualText::new("read", "読み込むことが"),
            source: self.failures.last(),
        })
    }

    /// Opens a folder of this project as a separate project, by its canonical path. It is opened through this project's
    /// handle and must still have that name afterwards: a part of the path that was replaced by a link in the meantime
    /// is an error.
    pub fn open_inside(self: &Arc<Self>, real: &Path) -> io::Result<Arc<Self>> {
        Ok(Arc::new(Self {
            root: real.to_path_buf(),
            alias: real.to_path_buf(),
            maps: Arc::clone(&self.maps),
            failures: SystemFailures::default(),
            unstamped: AtomicU64::default(),
            handle: RwLock::new(self.open_beneath(real)?),
            parent: Some(Arc::clone(self)),
        }))
    }

    fn open_beneath(&self, real: &Path) -> io::Result<OpenRoot> {
        let outside = |_| io::Error::from(io::ErrorKind::NotFound);
        let relative = real.strip_prefix(&self.root).map_err(outside)?;
        let dir =
            if relative.as_os_str().is_empty() { self.dir().try_clone()? } else { self.dir().open_dir(relative)? };
        if name_of(&dir, real)? != real {
            return Err(io::ErrorKind::NotFound.into());
        }
        OpenRoot::new(dir)
    }

    /// Opens the root by its name, which must still be its real one: a link on the way could lead anywhere.
    fn open_by_name(&self) -> io::Result<OpenRoot> {
        let dir = Dir::open_ambient_dir(&self.root, ambient_authority())?;
        if name_of(&dir, &self.root)? != self.root {
            return Err(io::ErrorKind::NotFound.into());
        }
        OpenRoot::new(dir)
    }

    /// True if the root exists. If its name now refers to another folder than the open one (a fresh clone, a volume
    /// that was mounted again), the project switches to the new folder.
    pub fn ensure_open(&self) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let known = self.handle.read().id;
        let named = std::fs::symlink_metadata(&self.root);
        let Some(named) = named.ok().filter(std::fs::Metadata::is_dir) else {
            return false;
        };
        if (named.dev(), named.ino()) == known {
            return true;
        }
        let opened = match &self.parent {
            Some(parent) => parent.ensure_open().then(|| parent.open_beneath(&self.root)),
            None => Some(self.open_by_name()),
        };
        let Some(Ok(opened)) = opened else { return false };
        tracing::info!("the folder of a project was replaced; opening the new one");
        *self.handle.write() = opened;
        true
    }

    /// Opens the root once more and closes it again.
    ///
    /// # Errors
    /// The reason for which no file of the project can be opened.
    pub fn try_opening(&self) -> io::Result<()> {
        self.dir().open_dir(".").map(drop)
    }

    /// Returns the canonical absolute path of the root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the absolute path of the root as the client writes it.
    pub fn shown_root(&self) -> String {
        self.maps.to_client(&self.root)
    }

    /// Returns the root itself as a path of the project.
    pub fn root_path(self: &Arc<Self>) -> ProjectPath {
        ProjectPath { project: Arc::clone(self), relative: PathBuf::new() }
    }

    /// Returns the handle through which files of this project are written and inspected (see [`crate::files`] and
    /// [`crate::watched_path`]).
    pub(crate) fn dir(&self) -> Arc<Dir> {
        Arc::clone(&self.handle.read().dir)
    }
}

/// Returns the name that an open folder has now.
#[cfg(target_os = "linux")]
fn name_of(dir: &Dir, _expected: &Path) -> io::Result<PathBuf> {
    std::fs::read_link(format!("/proc/self/fd/{}", dir.as_raw_fd()))
}

/// Returns the expected name if it still refers to the open folder, else an empty path. Systems other than Linux offer
/// no more.
#[cfg(not(target_os = "linux"))]
fn name_of(dir: &Dir, expected: &Path) -> io::Result<PathBuf> {
    use std::os::unix::fs::MetadataExt as _;
    let (handle, named) = (dir.dir_metadata()?, std::fs::symlink_metadata(expected)?);
    let is_same = (handle.dev(), handle.ino()) == (named.dev(), named.ino());
    Ok(if is_same { expected.to_path_buf() } else { PathBuf::new() })
}

#[cfg(test)]
mod tests;
