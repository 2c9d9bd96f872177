//! From a client's string to a path of a project: its checks, its spellings, and the names nearest to a missing one.

use std::{
    io,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use unicode_normalization::UnicodeNormalization;

use super::{
    Project,
    path_error::PathError,
    project_path::{ProjectPath, slashed},
};
use crate::{nearest::nearest, root_watcher, system::unless_unreadable, text::BilingualText};

/// The maximum length of a path, in bytes (Linux `PATH_MAX`).
pub const MAX_PATH_BYTES: usize = 4_096;

/// The maximum number of similar names that an error offers; more do not help a reader.
const NEAREST: usize = 3;

impl Project {
    /// Resolves a client's string to an existing path of this project.
    ///
    /// Relative strings start at the root; absolute ones must lie under it. Links are followed, and their targets must
    /// be inside. Names are tried as given, then in NFC, then in NFD.
    pub fn resolve(self: &Arc<Self>, raw: &str) -> Result<ProjectPath, PathError> {
        match self.find(raw)? {
            Some(found) => Ok(found),
            None if matches!(self.root.try_exists(), Ok(false)) => {
                Err(PathError::ProjectMissing { path: raw.to_owned() })
            }
            None => Err(PathError::FileNotFound { path: raw.to_owned(), nearest: self.nearest(&self.relative(raw)?) }),
        }
    }

    /// Resolves a string as [`Project::resolve`] does. Returns `None` if nothing exists there, without the search for
    /// similar names that an error needs.
    pub fn find(self: &Arc<Self>, raw: &str) -> Result<Option<ProjectPath>, PathError> {
        let relative = self.relative(raw)?;
        for candidate in self.spellings(raw, &relative)? {
            match self.failures.record_at(&candidate, self.root.join(&candidate).canonicalize()) {
                Ok(real) => {
                    let inside = real
                        .strip_prefix(&self.root)
                        .map_err(|_| PathError::OutsideProject { path: raw.to_owned() })?;
                    if inside != candidate || inside.iter().any(root_watcher::is_uncounted) {
                        self.note_unstamped();
                    }
                    return Ok(Some(ProjectPath { project: Arc::clone(self), relative: inside.to_path_buf() }));
                }
                // Neither can a name exist that is too long, or below a file.
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::NotFound | io::ErrorKind::InvalidFilename | io::ErrorKind::NotADirectory
                    ) => {}
                Err(source) => return Err(cannot_open(raw, source)),
            }
        }
        Ok(None)
    }

    /// Returns the path of a file that a walk of this project found. It is opened through the root's handle like every
    /// other.
    pub fn walked_path(self: &Arc<Self>, absolute: &Path) -> Option<ProjectPath> {
        let relative = absolute.strip_prefix(&self.root).ok()?;
        Some(ProjectPath { project: Arc::clone(self), relative: relative.to_path_buf() })
    }

    /// Checks a string without touching the disk: length, NUL, `..`, Unicode tricks, the root's prefix.
    pub(crate) fn relative(&self, raw: &str) -> Result<PathBuf, PathError> {
        let refuse = |en: &'static str, ja: &'static str| {
            Err(PathError::PathTraversal { path: raw.to_owned(), reason: BilingualText::new(en, ja) })
        };
        if raw.len() > MAX_PATH_BYTES {
            return refuse("it is longer than 4,096 bytes", "4,096 バイトを超えています");
        }
        if raw.contains('\0') {
            return refuse("it contains a NUL character", "NUL 文字を含んでいます");
        }
        let climbs = |path: &str| path.split(['/', '\\']).any(|part| part == "..");
        if climbs(raw) {
            return refuse("it contains '..'", "「..」を含んでいます");
        }
        // Full-width dots and the like become `..` under compatibility normalisation, which other programs apply.
        if !raw.is_ascii() && climbs(&raw.nfkc().collect::<String>()) {
            return refuse("it becomes '..' after Unicode normalisation", "Unicode 正規化で「..」になります");
        }
        let mapped = self.maps.to_server(raw);
        let path = mapped.as_deref().unwrap_or(Path::new(raw));
        let inside = if path.is_absolute() {
            path.strip_prefix(&self.root)
                .or_else(|_| path.strip_prefix(&self.alias))
                // A folder may have the same name on both sides.
                .or_else(|_| Path::new(raw).strip_prefix(&self.root))
                .map_err(|_| PathError::OutsideProject { path: raw.to_owned() })?
        } else {
            path
        };
        Ok(inside.components().filter(|part| matches!(part, Component::Normal(_))).collect())
    }

    /// Returns the spellings to try: as given, NFC, NFD. If the NFC and NFD spellings are two different existing files,
    /// the path is ambiguous and an error.
    pub(crate) fn spellings(&self, raw: &str, relative: &Path) -> Result<Vec<PathBuf>, PathError> {
        let mut all = vec![relative.to_path_buf()];
        let Some(text) = relative.to_str().filter(|text| !text.is_ascii()) else {
            return Ok(all);
        };
        let nfc = PathBuf::from(text.nfc().collect::<String>());
        let nfd = PathBuf::from(text.nfd().collect::<String>());
        let exists = |path: &Path| {
            let found = self.failures.record_at(path, self.root.join(path).symlink_metadata());
            unless_unreadable(found).map(|found| found.is_some()).map_err(|source| cannot_open(raw, source))
        };
        if !exists(relative)? && nfc != nfd && exists(&nfc)? && exists(&nfd)? {
            return Err(PathError::AmbiguousPath { path: raw.to_owned() });
        }
        for other in [nfc, nfd] {
            if !all.contains(&other) {
                all.push(other);
            }
        }
        Ok(all)
    }

    /// Returns the names most similar to a missing one, in the deepest existing folder of its path.
    fn nearest(&self, missing: &Path) -> Vec<String> {
        let mut parent = missing;
        while let Some(up) = parent.parent() {
            parent = up;
            let folder = if parent.as_os_str().is_empty() { self.dir().entries() } else { self.dir().read_dir(parent) };
            let Ok(entries) = folder else { continue };
            let wanted = missing
                .strip_prefix(parent)
                .ok()
                .and_then(|rest| rest.components().next())
                .map(|first| first.as_os_str().to_string_lossy().into_owned())
                .unwrap_or_default();
            let names: Vec<String> = entries
                .filter_map(Result::ok)
                .take(10_000)
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                // A dangling link has exactly the wanted name.
                .filter(|name| *name != wanted)
                .collect();
            let near = nearest(&wanted, names.iter().map(String::as_str), NEAREST);
            return near.into_iter().map(|name| slashed(&parent.join(name))).collect();
        }
        Vec::new()
    }
}

fn cannot_open(raw: &str, source: io::Error) -> PathError {
    PathError::Unreadable { path: raw.to_owned(), action: BilingualText::new("opened", "開くことが"), source }
}
