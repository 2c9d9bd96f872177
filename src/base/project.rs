//! The only way from a client's string to a file: a [`Project`] resolves it to a [`ProjectPath`], and the path opens
//! itself.
//!
//! Invariant: every opened file lies under the project root at the moment of opening. Opening goes through a handle of
//! the root (`openat2` with `RESOLVE_BENEATH` on Linux, by `cap-std`), so a link swapped in after the check cannot lead
//! outside. Paths are never checked first and then opened by name.

#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd as _;
use std::{
    io,
    path::{Component, Path, PathBuf},
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use cap_fs_ext::OpenOptionsSyncExt;
use cap_std::{
    ambient_authority,
    fs::{Dir, File, MetadataExt as _, OpenOptions},
};
use unicode_normalization::UnicodeNormalization;

use crate::{
    errors::{ErrorCatalog, UserError},
    path_maps::PathMaps,
    root_watcher,
    system::{SystemFailures, is_system_failure},
};

/// The maximum length of a path, in bytes (Linux `PATH_MAX`).
pub const MAX_PATH_BYTES: usize = 4_096;

/// The maximum number of similar names that an error offers; more do not help a reader.
const NEAREST: usize = 3;

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
    /// Std lock: taken only to copy or to replace the handle.
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
        Ok(Self {
            dir: Arc::new(dir),
            id: (metadata.dev(), metadata.ino()),
        })
    }
}

/// The proof that a path lies inside its project, and the only way to open it.
#[derive(Clone, Debug)]
pub struct ProjectPath {
    project: Arc<Project>,
    /// The path relative to the root; empty for the root itself.
    relative: PathBuf,
}

/// The errors of resolving and reading a path.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    #[error("path refused: {reason}")]
    Traversal {
        path: String,
        reason: &'static str,
        reason_ja: &'static str,
    },
    #[error("outside the project: {path}")]
    Outside { path: String },
    #[error("no such path: {path}")]
    NotFound { path: String, nearest: Vec<String> },
    #[error("ambiguous normalisation: {path}")]
    Ambiguous { path: String },
    #[error("not a regular file: {path}")]
    NotAFile {
        path: String,
        kind: &'static str,
        kind_ja: &'static str,
    },
    #[error("not a folder: {path}")]
    NotAFolder { path: String },
    #[error("{path} has {size} bytes, over {limit}")]
    TooLarge { path: String, size: u64, limit: u64 },
    #[error("{path}: {source}")]
    Unreadable {
        path: String,
        action: &'static str,
        action_ja: &'static str,
        source: io::Error,
    },
}

/// The error catalogue of this crate.
pub static BOOK: std::sync::LazyLock<ErrorCatalog> =
    std::sync::LazyLock::new(|| ErrorCatalog::embedded(include_str!("errors.toml")));

impl UserError for PathError {
    fn entry(&self) -> &'static str {
        match self {
            Self::Traversal { .. } => "PATH_TRAVERSAL",
            Self::Outside { .. } => "OUTSIDE_PROJECT",
            Self::NotFound { .. } => "FILE_NOT_FOUND",
            Self::Ambiguous { .. } => "AMBIGUOUS_PATH",
            Self::NotAFile { .. } => "NOT_A_FILE",
            Self::NotAFolder { .. } => "NOT_A_FOLDER",
            Self::TooLarge { .. } => "FILE_TOO_LARGE",
            Self::Unreadable { source, .. } if is_system_failure(source) => "SYSTEM_FAILURE",
            Self::Unreadable { .. } => "UNREADABLE",
        }
    }

    fn catalog(&self) -> &'static ErrorCatalog {
        &BOOK
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Traversal {
                path,
                reason,
                reason_ja,
            } => vec![
                ("path", quoted(path)),
                ("reason", (*reason).to_owned()),
                ("reason_ja", (*reason_ja).to_owned()),
            ],
            Self::Outside { path } | Self::Ambiguous { path } | Self::NotAFolder { path } => {
                vec![("path", quoted(path))]
            }
            Self::NotFound { path, nearest } => {
                let names = nearest.join(", ");
                let (en, ja) = if names.is_empty() {
                    (String::new(), String::new())
                } else {
                    (format!(" Nearest: {names}."), format!("近い名前: {names}。"))
                };
                let (glob, glob_ja) = if path.contains(['*', '?', '{']) {
                    (
                        " It looks like a glob: name a folder in roots and give the glob in include_globs, or in pattern with \"glob\": true (list_files).",
                        "glob を指定する場合は、roots にフォルダーを、include_globs（list_files では pattern と \"glob\": true）に glob を渡してください。",
                    )
                } else {
                    ("", "")
                };
                vec![
                    ("path", quoted(path)),
                    ("nearest", en),
                    ("nearest_ja", ja),
                    ("glob", glob.to_owned()),
                    ("glob_ja", glob_ja.to_owned()),
                    ("name", word_of(path)),
                ]
            }
            Self::NotAFile { path, kind, kind_ja } => vec![
                ("path", quoted(path)),
                ("folder", folder_of(path, kind)),
                ("kind", (*kind).to_owned()),
                ("kind_ja", (*kind_ja).to_owned()),
            ],
            Self::TooLarge { path, size, limit } => vec![
                ("path", quoted(path)),
                ("size", size.to_string()),
                ("limit", limit.to_string()),
            ],
            Self::Unreadable {
                path,
                action,
                action_ja,
                source,
            } => vec![
                ("path", quoted(path)),
                ("action", (*action).to_owned()),
                ("action_ja", (*action_ja).to_owned()),
                ("reason", reason_of(source)),
                ("reason_ja", reason_of(source)),
            ],
        }
    }
}

impl PathError {
    /// True if the system failed and the state of the file is unknown ([`crate::system`]).
    #[must_use]
    pub fn is_system_failure(&self) -> bool {
        matches!(self, Self::Unreadable { source, .. } if is_system_failure(source))
    }
}

/// Returns the search word for a missing file: the longest run of letters and digits in its name.
fn word_of(path: &str) -> String {
    let name = path
        .rsplit(['/', '\\'])
        .find(|part| !part.is_empty())
        .unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let words = |text: &str| {
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words
            .max_by_key(|word| word.chars().count())
            .unwrap_or_default()
            .to_owned()
    };
    match words(stem) {
        word if word.is_empty() => words(name),
        word => word,
    }
}

/// Returns the path itself for a folder, or the parent folder for anything else.
fn folder_of(path: &str, kind: &str) -> String {
    let folder = if kind == "a folder" {
        path
    } else {
        path.rsplit_once('/').map_or(".", |(folder, _)| folder)
    };
    if folder.is_empty() {
        ".".to_owned()
    } else {
        folder.to_owned()
    }
}

/// Returns the reason of a failed read: the system's own message for a system failure, else the name of the error's
/// kind.
pub(crate) fn reason_of(error: &io::Error) -> String {
    if is_system_failure(error) {
        error.to_string()
    } else {
        error.kind().to_string()
    }
}

/// Formats a client's string for an error: in quotes, cut at 200 characters, control characters as escapes such as
/// `\n`.
#[must_use]
pub fn quoted(raw: &str) -> String {
    let mut shown = String::new();
    for c in raw.chars().take(200) {
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    if raw.chars().nth(200).is_some() {
        shown.push('…');
    }
    format!("\"{shown}\"")
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
        let alias = if root.is_absolute() {
            root.to_path_buf()
        } else {
            canonical.clone()
        };
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
    #[must_use]
    pub fn failures(&self) -> &SystemFailures {
        &self.failures
    }

    /// Returns how often the project accessed something that no stamp covers: the contents of uncounted folders, and
    /// link targets (a link on the way may lie in an uncounted folder). An answer may be cached only if this count is
    /// the same before and after the work.
    #[must_use]
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
            action: "read",
            action_ja: "読み込むことが",
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
        let dir = if relative.as_os_str().is_empty() {
            self.dir().try_clone()?
        } else {
            self.dir().open_dir(relative)?
        };
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
    #[must_use]
    pub fn ensure_open(&self) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let known = self.handle.read().unwrap_or_else(PoisonError::into_inner).id;
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
        *self.handle.write().unwrap_or_else(PoisonError::into_inner) = opened;
        true
    }

    /// Returns the canonical absolute path of the root.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the absolute path of the root as the client writes it.
    #[must_use]
    pub fn shown_root(&self) -> String {
        self.maps.to_client(&self.root)
    }

    /// Returns the root itself as a path of the project.
    #[must_use]
    pub fn root_path(self: &Arc<Self>) -> ProjectPath {
        ProjectPath {
            project: Arc::clone(self),
            relative: PathBuf::new(),
        }
    }

    /// Resolves a client's string to an existing path of this project.
    ///
    /// Relative strings start at the root; absolute ones must lie under it. Links are followed, and their targets must
    /// be inside. Names are tried as given, then in NFC, then in NFD.
    pub fn resolve(self: &Arc<Self>, raw: &str) -> Result<ProjectPath, PathError> {
        let relative = self.relative(raw)?;
        for candidate in self.spellings(raw, &relative)? {
            match self.failures.record(self.root.join(&candidate).canonicalize()) {
                Ok(real) => {
                    let inside = real
                        .strip_prefix(&self.root)
                        .map_err(|_| PathError::Outside { path: raw.to_owned() })?;
                    if inside != candidate || inside.iter().any(root_watcher::is_uncounted) {
                        self.note_unstamped();
                    }
                    return Ok(ProjectPath {
                        project: Arc::clone(self),
                        relative: inside.to_path_buf(),
                    });
                }
                // A name too long for the file system cannot exist either.
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidFilename)
                        || error.raw_os_error() == Some(20) => {}
                Err(source) => {
                    return Err(PathError::Unreadable {
                        path: raw.to_owned(),
                        action: "opened",
                        action_ja: "開くことが",
                        source,
                    });
                }
            }
        }
        Err(PathError::NotFound {
            path: raw.to_owned(),
            nearest: self.nearest(&relative),
        })
    }

    /// Returns the path of a file that a walk of this project found. It is opened through the root's handle like every
    /// other.
    #[must_use]
    pub fn walked_path(self: &Arc<Self>, absolute: &Path) -> Option<ProjectPath> {
        let relative = absolute.strip_prefix(&self.root).ok()?;
        Some(ProjectPath {
            project: Arc::clone(self),
            relative: relative.to_path_buf(),
        })
    }

    /// Returns the handle through which files of this project are written and inspected (see [`crate::files`] and
    /// [`crate::watched_path`]).
    pub(crate) fn dir(&self) -> Arc<Dir> {
        Arc::clone(&self.handle.read().unwrap_or_else(PoisonError::into_inner).dir)
    }

    /// Checks a string without touching the disk: length, NUL, `..`, Unicode tricks, the root's prefix.
    pub(crate) fn relative(&self, raw: &str) -> Result<PathBuf, PathError> {
        let refuse = |reason, reason_ja| {
            Err(PathError::Traversal {
                path: raw.to_owned(),
                reason,
                reason_ja,
            })
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
            return refuse(
                "it becomes '..' after Unicode normalisation",
                "Unicode 正規化で「..」になります",
            );
        }
        let mapped = self.maps.to_server(raw);
        let path = mapped.as_deref().unwrap_or(Path::new(raw));
        let inside = if path.is_absolute() {
            path.strip_prefix(&self.root)
                .or_else(|_| path.strip_prefix(&self.alias))
                // A folder may have the same name on both sides.
                .or_else(|_| Path::new(raw).strip_prefix(&self.root))
                .map_err(|_| PathError::Outside { path: raw.to_owned() })?
        } else {
            path
        };
        Ok(inside
            .components()
            .filter(|part| matches!(part, Component::Normal(_)))
            .collect())
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
        let exists = |path: &Path| self.failures.record(self.root.join(path).symlink_metadata()).is_ok();
        if !exists(relative) && nfc != nfd && exists(&nfc) && exists(&nfd) {
            return Err(PathError::Ambiguous { path: raw.to_owned() });
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
            let folder = if parent.as_os_str().is_empty() {
                self.dir().entries()
            } else {
                self.dir().read_dir(parent)
            };
            let Ok(entries) = folder else { continue };
            let wanted = missing
                .strip_prefix(parent)
                .ok()
                .and_then(|rest| rest.components().next())
                .map(|first| first.as_os_str().to_string_lossy().into_owned())
                .unwrap_or_default();
            let mut near: Vec<(f64, String)> = entries
                .filter_map(Result::ok)
                .take(10_000)
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                // A dangling link has exactly the wanted name.
                .filter(|name| *name != wanted)
                .map(|name| (strsim::jaro_winkler(&wanted.to_lowercase(), &name.to_lowercase()), name))
                .filter(|(likeness, _)| *likeness >= 0.75)
                .collect();
            near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            return near
                .into_iter()
                .take(NEAREST)
                .map(|(_, name)| slashed(&parent.join(name)))
                .collect();
        }
        Vec::new()
    }
}

impl ProjectPath {
    #[must_use]
    pub fn project(&self) -> &Arc<Project> {
        &self.project
    }

    /// Returns the path relative to the root; empty for the root.
    #[must_use]
    pub fn relative(&self) -> &Path {
        &self.relative
    }

    /// Returns the absolute path, for walkers and matchers that need a name on the disk. Files are never opened by it:
    /// see [`ProjectPath::open`].
    #[must_use]
    pub fn absolute(&self) -> PathBuf {
        if self.relative.as_os_str().is_empty() {
            self.project.root.clone()
        } else {
            self.project.root.join(&self.relative)
        }
    }

    /// Returns the absolute path as the client writes it.
    #[must_use]
    pub fn shown_absolute(&self) -> String {
        self.project.maps.to_client(&self.absolute())
    }

    /// Returns the relative path with `/`, as replies show it; `.` for the root. Bytes that are not UTF-8 become
    /// U+FFFD.
    #[must_use]
    pub fn shown(&self) -> String {
        if self.relative.as_os_str().is_empty() {
            ".".to_owned()
        } else {
            slashed(&self.relative)
        }
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
        let meta = self
            .record_failure(file.metadata())
            .map_err(|source| self.unreadable(source))?;
        let kind = meta.file_type();
        if kind.is_file() {
            return Ok(file);
        }
        let (kind, kind_ja) = if kind.is_dir() {
            ("a folder", "フォルダー")
        } else {
            ("a device, pipe or socket", "デバイス、パイプ、ソケットなど")
        };
        Err(PathError::NotAFile {
            path: self.shown(),
            kind,
            kind_ja,
        })
    }

    /// True if the path is a folder now.
    #[must_use]
    pub fn is_dir(&self) -> bool {
        self.relative.as_os_str().is_empty()
            || self
                .record_failure(self.project.dir().metadata(&self.relative))
                .is_ok_and(|meta| meta.is_dir())
    }

    /// Records a system failure of the result and returns the result unchanged; see [`SystemFailures::record_failure`].
    pub fn record_failure<T>(&self, result: io::Result<T>) -> io::Result<T> {
        self.project.failures.record(result)
    }

    /// Opens a file through an absolute link. `RESOLVE_BENEATH` refuses every absolute link. One that stays inside is
    /// opened by its real path instead, again beneath the root, so a second swap gains nothing.
    fn open_absolute_link(&self, error: io::Error, options: &OpenOptions) -> Result<File, PathError> {
        let special = || PathError::NotAFile {
            path: self.shown(),
            kind: "a device, pipe or socket",
            kind_ja: "デバイス、パイプ、ソケットなど",
        };
        match error.kind() {
            // ENXIO: a socket cannot be opened.
            _ if error.raw_os_error() == Some(6) => return Err(special()),
            io::ErrorKind::NotFound => {
                return Err(PathError::NotFound {
                    path: self.shown(),
                    nearest: Vec::new(),
                });
            }
            io::ErrorKind::IsADirectory => {
                return Err(PathError::NotAFile {
                    path: self.shown(),
                    kind: "a folder",
                    kind_ja: "フォルダー",
                });
            }
            _ => {}
        }
        let outside = || PathError::Outside { path: self.shown() };
        let Ok(real) = self.record_failure(self.absolute().canonicalize()) else {
            return Err(self.unreadable(error));
        };
        let inside = real.strip_prefix(&self.project.root).map_err(|_| outside())?;
        if inside == self.relative {
            return Err(self.unreadable(error));
        }
        self.record_failure(self.project.dir().open_with(inside, options))
            .map_err(|source| self.unreadable(source))
    }

    fn unreadable(&self, source: io::Error) -> PathError {
        PathError::Unreadable {
            path: self.shown(),
            action: "read",
            action_ja: "読み込むことが",
            source,
        }
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
    Ok(if is_same {
        expected.to_path_buf()
    } else {
        PathBuf::new()
    })
}

/// Formats a relative path with `/` between its parts on every system.
#[must_use]
pub fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' {
        text.into_owned()
    } else {
        text.replace(std::path::MAIN_SEPARATOR, "/")
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{PathError, Project};
    use crate::errors::UserError;

    fn refused(project: &std::sync::Arc<Project>, raw: &str) -> String {
        match project.resolve(raw).and_then(|path| path.open().map(|_| path)) {
            Ok(path) => format!("opened {}", path.shown()),
            Err(error) => error.error_message().code,
        }
    }

    #[test]
    fn recreated_root_is_reopened() {
        let outer = tempfile::tempdir().expect("a folder");
        let (root, inner) = (outer.path().join("root"), outer.path().join("root/inner"));
        fs::create_dir_all(&inner).expect("folders");
        let project = Project::open(&root).expect("a project");
        let part = project.open_inside(&project.root().join("inner")).expect("inside");
        fs::remove_dir_all(&root).expect("removed");
        assert!(!project.ensure_open() && !part.ensure_open());
        fs::create_dir_all(&inner).expect("folders");
        fs::write(inner.join("x"), "new").expect("written");
        assert!(part.ensure_open() && project.ensure_open());
        let opened = [project.resolve("inner/x"), part.resolve("x")].map(|path| path.expect("there").open().is_ok());
        assert_eq!(opened, [true, true]);
    }

    #[test]
    fn a_socket_is_no_file_and_no_failure_of_the_system() {
        let root = tempfile::tempdir().expect("a folder");
        let _socket = std::os::unix::net::UnixListener::bind(root.path().join("app.sock")).expect("a socket");
        let project = Project::open(root.path()).expect("a project");
        assert_eq!(refused(&project, "app.sock"), "INVALID_ARGUMENTS");
        assert_eq!(project.failures().count(), 0);
    }

    #[test]
    fn only_paths_inside_are_opened() {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().join("project");
        fs::create_dir_all(root.join("src")).expect("a folder");
        fs::write(root.join("src/main.py"), "x = 1\n").expect("a file");
        fs::write(outer.path().join("secret"), "s").expect("a file");
        std::os::unix::fs::symlink("../secret", root.join("out")).expect("a link");
        std::os::unix::fs::symlink("/etc/passwd", root.join("passwd")).expect("a link");
        std::os::unix::fs::symlink(root.join("src/main.py"), root.join("inside")).expect("a link");
        let project = Project::open(&root).expect("a project");
        let absolute = root.join("src/main.py").to_string_lossy().into_owned();
        for (raw, expected) in [
            ("src/main.py", "opened src/main.py"),
            ("./src//main.py", "opened src/main.py"),
            (absolute.as_str(), "opened src/main.py"),
            ("inside", "opened src/main.py"),
            ("out", "OUTSIDE_PROJECT"),
            ("passwd", "OUTSIDE_PROJECT"),
            ("/etc/passwd", "OUTSIDE_PROJECT"),
            ("../secret", "PATH_TRAVERSAL"),
            ("src/../../secret", "PATH_TRAVERSAL"),
            ("..\\secret", "PATH_TRAVERSAL"),
            ("．．/secret", "PATH_TRAVERSAL"),
            ("src/main.py\0.txt", "PATH_TRAVERSAL"),
            ("src", "INVALID_ARGUMENTS"),
            ("src/mian.py", "FILE_NOT_FOUND"),
            ("src/main.py/x", "FILE_NOT_FOUND"),
        ] {
            assert_eq!(refused(&project, raw), expected, "{raw:?}");
        }
    }

    #[test]
    fn a_missing_name_offers_the_nearest() {
        let root = tempfile::tempdir().expect("a folder");
        fs::create_dir(root.path().join("src")).expect("a folder");
        fs::write(root.path().join("src/server.rs"), "").expect("a file");
        let project = Project::open(root.path()).expect("a project");
        let Err(PathError::NotFound { nearest, .. }) = project.resolve("src/sevrer.rs") else {
            panic!("it does not exist");
        };
        assert_eq!(nearest, ["src/server.rs"]);
    }

    #[test]
    fn a_link_swapped_in_after_the_check_does_not_leave() {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().join("project");
        fs::create_dir_all(root.join("d")).expect("a folder");
        fs::write(root.join("d/f"), "inside").expect("a file");
        fs::create_dir(outer.path().join("e")).expect("a folder");
        fs::write(outer.path().join("e/f"), "outside").expect("a file");
        let project = Project::open(&root).expect("a project");
        let proof = project.resolve("d/f").expect("inside");
        fs::rename(root.join("d"), root.join("was")).expect("renamed");
        std::os::unix::fs::symlink("../e", root.join("d")).expect("a link");
        assert!(matches!(proof.open(), Err(PathError::Outside { .. })));
    }

    #[test]
    fn names_match_across_normalisation_forms_unless_both_exist() {
        let root = tempfile::tempdir().expect("a folder");
        fs::write(root.path().join("か\u{3099}.txt"), "nfd").expect("a file");
        let project = Project::open(root.path()).expect("a project");
        assert_eq!(project.resolve("が.txt").expect("found").shown(), "か\u{3099}.txt");
        fs::write(root.path().join("が.txt"), "nfc").expect("a file");
        assert_eq!(project.resolve("が.txt").expect("as given").shown(), "が.txt");
        assert_eq!(
            project.resolve("か\u{3099}.txt").expect("as given").shown(),
            "か\u{3099}.txt"
        );
    }
}
