//! A path that was found to lie inside its project, and the opening of its file through the handle of the root.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use cap_fs_ext::OpenOptionsSyncExt;
use cap_std::fs::{File, OpenOptions};

use super::{Project, path_error::PathError};
use crate::{system::unless_unreadable, text::BilingualText};

/// The proof that a path lies inside its project, and the only way to open it.
#[derive(Clone, Debug)]
pub struct ProjectPath {
    pub(super) project: Arc<Project>,
    /// The path relative to the root; empty for the root itself.
    pub(super) relative: PathBuf,
}

impl ProjectPath {
    pub fn project(&self) -> &Arc<Project> {
        &self.project
    }

    /// Returns the path relative to the root; empty for the root.
    pub fn relative(&self) -> &Path {
        &self.relative
    }

    /// Returns the absolute path, for walkers and matchers that need a name on the disk. Files are never opened by it:
    /// see [`ProjectPath::open`].
    pub fn absolute(&self) -> PathBuf {
        if self.relative.as_os_str().is_empty() {
            self.project.root.clone()
        } else {
            self.project.root.join(&self.relative)
        }
    }

    /// Returns the absolute path as the client writes it.
    pub fn shown_absolute(&self) -> String {
        self.project.maps.to_client(&self.absolute())
    }

    /// Returns the relative path with `/`, as replies show it; `.` for the root. Bytes that are not UTF-8 become
    /// U+FFFD.
    pub fn shown(&self) -> String {
        if self.relative.as_os_str().is_empty() { ".".to_owned() } else { slashed(&self.relative) }
    }

    /// Opens a regular file for reading, through the root's handle.
    ///
    /// Follows a link found by a walk if its target is an absolute path inside the project; refuses one whose target is
    /// outside. Never blocks on a pipe or device: those are refused because they are not regular files.
    pub fn open(&self) -> Result<File, PathError> {
        let mut options = OpenOptions::new();
        options.read(true).nonblock(true);
        let opened = self.record_failure(self.project.dir().open_with(&self.relative, &options));
        let file = match opened {
            Ok(file) => file,
            Err(error) => self.open_absolute_link(error, &options)?,
        };
        let meta = self.record_failure(file.metadata()).map_err(|source| self.unreadable(source))?;
        let kind = meta.file_type();
        if kind.is_file() {
            return Ok(file);
        }
        Err(if kind.is_dir() { PathError::is_folder(self.shown()) } else { PathError::is_special(self.shown()) })
    }

    /// True if the path is a folder now; false if it is gone or cannot be reached.
    ///
    /// # Errors
    /// A system failure: it may be a folder.
    pub fn is_dir(&self) -> Result<bool, PathError> {
        if self.relative.as_os_str().is_empty() {
            return Ok(true);
        }
        let found = unless_unreadable(self.record_failure(self.project.dir().metadata(&self.relative)));
        Ok(found.map_err(|source| self.unreadable(source))?.is_some_and(|meta| meta.is_dir()))
    }

    /// Records a system failure of the result and returns the result unchanged; see
    /// [`crate::system::SystemFailures::record`].
    pub fn record_failure<T>(&self, result: io::Result<T>) -> io::Result<T> {
        self.project.failures.record_at(&self.relative, result)
    }

    /// Opens a file through an absolute link. `RESOLVE_BENEATH` refuses every absolute link. One that stays inside is
    /// opened by its real path instead, again beneath the root, so a second swap gains nothing.
    fn open_absolute_link(&self, error: io::Error, options: &OpenOptions) -> Result<File, PathError> {
        match error.kind() {
            // ENXIO: a socket cannot be opened.
            _ if error.raw_os_error() == Some(6) => return Err(PathError::is_special(self.shown())),
            io::ErrorKind::NotFound => {
                return Err(PathError::FileNotFound { path: self.shown(), nearest: Vec::new() });
            }
            io::ErrorKind::IsADirectory => return Err(PathError::is_folder(self.shown())),
            _ => {}
        }
        let outside = || PathError::OutsideProject { path: self.shown() };
        let real = unless_unreadable(self.record_failure(self.absolute().canonicalize()));
        let Some(real) = real.map_err(|source| self.unreadable(source))? else {
            return Err(self.unreadable(error));
        };
        let inside = real.strip_prefix(&self.project.root).map_err(|_| outside())?;
        if inside == self.relative {
            return Err(self.unreadable(error));
        }
        self.record_failure(self.project.dir().open_with(inside, options)).map_err(|source| self.unreadable(source))
    }

    fn unreadable(&self, source: io::Error) -> PathError {
        PathError::Unreadable {
            path: self.shown(), action: BilingualText::new("read", "読み込むことが"), source
        }
    }
}

/// Formats a relative path with `/` between its parts on every system.
pub fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' { text.into_owned() } else { text.replace(std::path::MAIN_SEPARATOR, "/") }
}
