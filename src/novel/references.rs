//! References to files by the SHA-256 hash of their contents, so that changes since a file was read are detected.
//!
//! A hash always covers the bytes on the disk. The meaning of a file is not examined; nothing is written here.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
};

use fumi_base::{
    encoding, files,
    listing::{FolderEntryKind, list},
    project::{PathError, Project, ProjectPath},
};
use globset::{GlobBuilder, GlobMatcher};
use unicode_normalization::UnicodeNormalization as _;

use crate::errors::artifact::ArtifactError;

/// The largest file that is hashed, in bytes; manuscripts, plots and packages are smaller.
pub(crate) const FILE_BYTES: u64 = 64 << 20;

/// The largest number of names listed in one folder; `DEPTH` is the deepest folder level that is visited.
const NAMES_IN_FOLDER: usize = 20_000;
const DEPTH: usize = 12;

/// The largest number of files, and of bytes, read to find a content; no novel has that many.
const SEARCHED_FILES: usize = 20_000;
const SEARCHED_BYTES: u64 = 1 << 30;

/// The longest glob, in bytes.
const PATTERN_BYTES: usize = 1_000;

/// The smallest number of hash digits that identify a file.
const SHORTEST_HASH: usize = 12;

/// A SHA-256 hash, or the beginning of one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash(String);

impl ContentHash {
    /// Computes the hash of bytes.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(files::sha256(bytes))
    }

    /// Parses 12 to 64 hexadecimal digits, with or without the prefix `sha256:` or `artifact:`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.trim();
        let digits = digits.strip_prefix("sha256:").or(digits.strip_prefix("artifact:")).unwrap_or(digits);
        let is_hash =
            (SHORTEST_HASH..=64).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash.then(|| Self(digits.to_ascii_lowercase()))
    }

    /// Returns the hexadecimal digits.
    pub fn digits(&self) -> &str {
        &self.0
    }

    /// True if one of the two is a prefix of the other.
    pub fn is_prefix_match(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0) || other.0.starts_with(&self.0)
    }

    /// Returns `artifact:` and twelve digits.
    pub fn artifact_id(&self) -> String {
        format!("artifact:{}", &self.0[..SHORTEST_HASH])
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A file with the properties that it had when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileReference {
    /// The path relative to the project root, with `/`.
    pub path: String,
    /// The hash of the file's bytes.
    pub hash: ContentHash,
    pub size: u64,
    /// The media type, derived from the extension.
    pub content_type: &'static str,
    /// The encoding of a text, such as `utf-8`; `None` for a binary file.
    pub encoding: Option<String>,
}

impl FileReference {
    /// Reads a file and computes its reference.
    pub fn read(file: &ProjectPath) -> Result<Self, PathError> {
        let bytes = files::read(file, FILE_BYTES)?;
        let path = file.shown();
        let content_type = content_type(&path);
        let is_text = content_type.starts_with("text/")
            || matches!(content_type, "application/yaml" | "application/json" | "image/svg+xml");
        Ok(Self {
            hash: ContentHash::from_bytes(&bytes),
            size: bytes.len() as u64,
            encoding: is_text.then(|| encoding::name_of(encoding::detect(&bytes))),
            content_type,
            path,
        })
    }
}

/// Returns the media type of a file by its extension.
fn content_type(path: &str) -> &'static str {
    match extension(path).as_str() {
        "md" => "text/markdown",
        "txt" => "text/plain",
        "html" => "text/html",
        "yaml" | "yml" => "application/yaml",
        "json" => "application/json",
        "epub" => "application/epub+zip",
        "svg" => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

/// References to the files below a folder, and the paths that could not be read.
#[derive(Clone, Debug, Default)]
pub struct References {
    /// The references, sorted by path.
    pub files: Vec<FileReference>,
    /// Paths that could not be read, are too large, or lie too deep.
    pub skipped: Vec<String>,
    /// True if there are more files than the limit.
    pub has_more: bool,
}

#[derive(Clone, Debug)]
pub enum WalkItem {
    File(ProjectPath),
    /// A folder that could not be listed completely or lies too deep.
    Skipped(String),
}

/// An iterator over the files below a folder, without hidden ones, in the order of their paths. It does not read files. A
/// folder that the system fails to list is an error.
#[derive(Debug)]
pub struct FileWalk {
    /// The stack of items still to be visited: path order without recursion.
    open: Vec<PendingVisit>,
}

#[derive(Debug)]
enum PendingVisit {
    File(ProjectPath),
    Folder(ProjectPath, usize),
    Skipped(String),
}

impl FileWalk {
    /// Starts a walk at a folder; for a file, the walk yields only that file.
    pub fn new(top: &ProjectPath) -> Result<Self, PathError> {
        let mut walk = Self { open: Vec::new() };
        if top.is_dir()? {
            walk.enter(top, 0)?;
        } else {
            walk.open.push(PendingVisit::File(top.clone()));
        }
        Ok(walk)
    }

    fn enter(&mut self, folder: &ProjectPath, depth: usize) -> Result<(), PathError> {
        let (listed, has_more) = list(folder, NAMES_IN_FOLDER)?;
        for entry in listed.into_iter().rev().filter(|entry| !entry.name.starts_with('.')) {
            match entry.kind {
                FolderEntryKind::File => self.open.push(PendingVisit::File(entry.path)),
                // A linked folder may lead to one of its own parents.
                FolderEntryKind::Folder if !entry.is_link => {
                    self.open.push(PendingVisit::Folder(entry.path, depth + 1));
                }
                FolderEntryKind::Folder | FolderEntryKind::Other => {}
            }
        }
        if has_more {
            self.open.push(PendingVisit::Skipped(folder.shown()));
        }
        Ok(())
    }
}

impl Iterator for FileWalk {
    type Item = Result<WalkItem, PathError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.open.pop()? {
                PendingVisit::File(file) => return Some(Ok(WalkItem::File(file))),
                PendingVisit::Skipped(path) => return Some(Ok(WalkItem::Skipped(path))),
                PendingVisit::Folder(folder, depth) if depth > DEPTH => {
                    return Some(Ok(WalkItem::Skipped(folder.shown())));
                }
                PendingVisit::Folder(folder, depth) => match self.enter(&folder, depth) {
                    Ok(()) => {}
                    Err(error) if error.is_system_failure() => return Some(Err(error)),
                    Err(_) => return Some(Ok(WalkItem::Skipped(folder.shown()))),
                },
            }
        }
    }
}

/// References at most `limit` files below a folder, without hidden ones, in the order of their paths.
pub fn reference_files(folder: &ProjectPath, limit: usize) -> Result<References, PathError> {
    reference_matching(folder, limit, |_| true, || false)
}

/// References the files whose path is wanted, until `is_over` returns true.
pub fn reference_matching(
    folder: &ProjectPath,
    limit: usize,
    is_wanted: impl Fn(&str) -> bool,
    is_over: impl Fn() -> bool,
) -> Result<References, PathError> {
    let mut found = References::default();
    for met in FileWalk::new(folder)?.take_while(|_| !is_over()) {
        match met? {
            WalkItem::Skipped(path) => found.skipped.push(path),
            WalkItem::File(file) if !is_wanted(&file.shown()) => {}
            WalkItem::File(_) if found.files.len() == limit => {
                found.has_more = true;
                break;
            }
            WalkItem::File(file) => match FileReference::read(&file) {
                Ok(reference) => found.files.push(reference),
                Err(_) => found.skipped.push(file.shown()),
            },
        }
    }
    Ok(found)
}

/// A glob for files. Without a slash it is matched against the name, otherwise against the path from the project root.
#[derive(Clone, Debug)]
pub struct FilePattern {
    matcher: GlobMatcher,
    is_of_path: bool,
}

impl FilePattern {
    /// Parses a glob. Names in NFC and NFD match each other.
    pub fn parse(glob: &str) -> Result<Self, ArtifactError> {
        let text: String = glob.trim_start_matches("./").nfc().collect();
        let refuse = |reason: String| ArtifactError::InvalidFilePattern { pattern: glob.to_owned(), reason };
        // A longer glob may need a matcher that is too large to build.
        if text.len() > PATTERN_BYTES {
            return Err(refuse(format!("it has {} bytes, more than {PATTERN_BYTES}", text.len())));
        }
        let built = GlobBuilder::new(&text).literal_separator(true).build();
        let glob = built.map_err(|error| refuse(error.kind().to_string()))?;
        Ok(Self { matcher: glob.compile_matcher(), is_of_path: text.contains('/') })
    }

    /// True if the glob matches a path of the project.
    pub fn matches(&self, path: &str) -> bool {
        let path: String = path.nfc().collect();
        let name = path.rsplit('/').next().unwrap_or_default();
        self.matcher.is_match(if self.is_of_path { &path } else { name })
    }
}

/// The files with a content, and the extent of the search.
#[derive(Clone, Debug, Default)]
pub struct ContentMatches {
    /// The files, sorted by path.
    pub files: Vec<FileReference>,
    /// The number of files read.
    pub looked_at: usize,
    /// True if some files were not read because there were too many or they were unreadable.
    pub is_cut: bool,
}

impl ContentMatches {
    /// True if the files have different contents, so that the given digits are ambiguous.
    pub fn differ(&self) -> bool {
        self.files.windows(2).any(|pair| pair[0].hash != pair[1].hash)
    }
}

/// Searches the files below a folder for a content, until `is_over` returns true.
pub fn find_by_hash(
    folder: &ProjectPath,
    hash: &ContentHash,
    is_over: impl Fn() -> bool,
) -> Result<ContentMatches, PathError> {
    let mut matches = ContentMatches::default();
    let mut bytes = 0;
    for met in FileWalk::new(folder)?.take_while(|_| !is_over()) {
        if matches.looked_at == SEARCHED_FILES || bytes > SEARCHED_BYTES {
            matches.is_cut = true;
            break;
        }
        let reference = match met? {
            WalkItem::File(file) => FileReference::read(&file).ok(),
            WalkItem::Skipped(_) => None,
        };
        let Some(reference) = reference else {
            matches.is_cut = true;
            continue;
        };
        matches.looked_at += 1;
        bytes += reference.size;
        if hash.is_prefix_match(&reference.hash) {
            matches.files.push(reference);
        }
    }
    Ok(matches)
}

/// The result of comparing files with earlier references.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileChanges {
    /// Files with the same contents as before.
    pub unchanged: Vec<String>,
    /// Files with other contents than before.
    pub changed: Vec<FileReference>,
    /// Files that are missing or unreadable.
    pub missing: Vec<String>,
    /// New files in the folders of the known files, with an extension that occurs in that folder.
    pub new: Vec<String>,
}

/// Compares files with their earlier hashes. A path that leads out of the project is an error, because it cannot be an
/// earlier one.
pub fn changes(
    project: &Arc<Project>,
    known: &BTreeMap<String, ContentHash>,
    is_over: impl Fn() -> bool,
) -> Result<FileChanges, PathError> {
    let mut changes = FileChanges::default();
    let mut folders = KnownFolders::default();
    for (path, hash) in known.iter().take_while(|_| !is_over()) {
        folders.add(path);
        let Some(file) = project.find(path)? else {
            changes.missing.push(path.clone());
            continue;
        };
        folders.seen.insert(file.shown());
        match FileReference::read(&file) {
            Ok(now) if now.hash.is_prefix_match(hash) => changes.unchanged.push(path.clone()),
            Ok(now) => changes.changed.push(now),
            Err(_) => changes.missing.push(path.clone()),
        }
    }
    changes.new = folders.others(project);
    Ok(changes)
}

/// The folders of the known files, and the known files in them.
#[derive(Default)]
struct KnownFolders {
    /// For each folder, the extensions of its known files.
    extensions: BTreeMap<String, BTreeSet<String>>,
    seen: BTreeSet<String>,
}

impl KnownFolders {
    fn add(&mut self, path: &str) {
        let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
        self.extensions.entry(folder.to_owned()).or_default().insert(extension(name));
    }

    fn others(&self, project: &Arc<Project>) -> Vec<String> {
        let mut others = BTreeSet::new();
        for (folder, extensions) in &self.extensions {
            let listed = project.resolve(folder).and_then(|folder| list(&folder, NAMES_IN_FOLDER));
            // A missing folder contains no new files.
            let Ok((listed, _)) = listed else { continue };
            let files = listed.into_iter().filter(|entry| entry.kind == FolderEntryKind::File);
            let wanted =
                files.filter(|entry| !entry.name.starts_with('.') && extensions.contains(&extension(&entry.name)));
            others.extend(wanted.map(|entry| entry.path.shown()).filter(|path| !self.seen.contains(path)));
        }
        others.into_iter().collect()
    }
}

fn extension(name: &str) -> String {
    name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, fs};

    use fumi_base::project::Project;

    use super::{ContentHash, FilePattern, FileReference, changes, find_by_hash, reference_files, reference_matching};

    #[test]
    fn hashes_are_named_by_twelve_digits_or_more() {
        let hash = ContentHash::from_bytes(b"abc");
        assert_eq!(hash.artifact_id(), "artifact:ba7816bf8f01");
        for (text, names) in [
            ("ba7816bf8f01", true),
            ("sha256:BA7816BF8F01CFEA", true),
            ("artifact:ba7816bf8f01", true),
            (hash.digits(), true),
            ("ba7816bf8f02", false),
        ] {
            assert_eq!(ContentHash::parse(text).expect(text).is_prefix_match(&hash), names, "{text}");
        }
        for bad in ["ba7816bf8f0", "", "zzzzzzzzzzzz", &"a".repeat(65)] {
            assert_eq!(ContentHash::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn files_are_listed_with_what_they_are() {
        let root = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(root.path().join("原稿/上")).expect("folders");
        fs::write(root.path().join("原稿/第001話.md"), "朝。").expect("written");
        let (bytes, ..) = encoding_rs::SHIFT_JIS.encode("　吾輩は猫である。名前はまだ無い。");
        fs::write(root.path().join("原稿/上/a.txt"), &bytes).expect("written");
        fs::write(root.path().join("原稿/b.epub"), [0_u8, 159]).expect("written");
        fs::write(root.path().join("原稿/.hidden.md"), "").expect("written");
        std::os::unix::fs::symlink(".", root.path().join("原稿/輪")).expect("a link");
        let project = Project::open(root.path()).expect("a project");
        let found = reference_files(&project.root_path(), 10).expect("listed");
        let shown: Vec<(&str, u64, &str, Option<&str>)> = found
            .files
            .iter()
            .map(|file| (file.path.as_str(), file.size, file.content_type, file.encoding.as_deref()))
            .collect();
        assert_eq!(
            shown,
            [
                ("原稿/b.epub", 2, "application/epub+zip", None),
                ("原稿/上/a.txt", bytes.len() as u64, "text/plain", Some("shift_jis")),
                ("原稿/第001話.md", 6, "text/markdown", Some("utf-8")),
            ]
        );
        assert!(found.skipped.is_empty() && !found.has_more);
        assert!(reference_files(&project.root_path(), 2).expect("listed").has_more);
    }

    #[test]
    fn changes_separates_changed_missing_and_new() {
        let root = tempfile::tempdir().expect("a folder");
        let project = Project::open(root.path()).expect("a project");
        for name in ["same.md", "other.md", "gone.md"] {
            fs::write(root.path().join(name), name).expect("written");
        }
        let mut known: BTreeMap<String, ContentHash> = reference_files(&project.root_path(), 10)
            .expect("listed")
            .files
            .into_iter()
            .map(|file| (file.path, file.hash))
            .collect();
        fs::write(root.path().join("other.md"), "new").expect("written");
        fs::remove_file(root.path().join("gone.md")).expect("removed");
        fs::write(root.path().join("more.md"), "more").expect("written");
        fs::write(root.path().join("more.yaml"), "a: 1").expect("written");
        let found = changes(&project, &known, || false).expect("compared");
        assert_eq!(found.unchanged, ["same.md"]);
        assert_eq!(found.missing, ["gone.md"]);
        assert_eq!(found.new, ["more.md"], "files of another kind are ignored");
        let now = FileReference::read(&project.resolve("other.md").expect("exists")).expect("read");
        assert_eq!(found.changed, [now]);
        known.insert("../x".to_owned(), ContentHash::from_bytes(b""));
        assert!(changes(&project, &known, || false).is_err());
    }

    #[test]
    fn files_are_selected_by_name_or_path_and_a_search_stops() {
        let root = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(root.path().join("原稿/上")).expect("folders");
        for name in ["原稿/か\u{3099}.md", "原稿/上/b.md", "原稿/c.txt"] {
            fs::write(root.path().join(name), name).expect("written");
        }
        let project = Project::open(root.path()).expect("a project");
        let found = |glob: &str| -> Vec<String> {
            let pattern = FilePattern::parse(glob).expect(glob);
            let found = reference_matching(&project.root_path(), 10, |path| pattern.matches(path), || false);
            found.expect("listed").files.into_iter().map(|file| file.path).collect()
        };
        assert_eq!(found("*.md"), ["原稿/か\u{3099}.md", "原稿/上/b.md"]);
        assert_eq!(found("原稿/*.md"), ["原稿/か\u{3099}.md"]);
        assert_eq!(found("が.*"), ["原稿/か\u{3099}.md"]);
        assert_eq!(found("**/上/*"), ["原稿/上/b.md"]);
        assert!(FilePattern::parse("[").is_err() && FilePattern::parse(&"あ".repeat(400_000)).is_err());
        // The most expensive accepted glob can be built.
        assert!(FilePattern::parse(&"?".repeat(1_000)).is_ok());
        let none = reference_matching(&project.root_path(), 10, |_| true, || true).expect("listed");
        assert!(none.files.is_empty());
        let hash = ContentHash::from_bytes("原稿/c.txt".as_bytes());
        let matches = find_by_hash(&project.root_path(), &hash, || false).expect("searched");
        assert_eq!((matches.files.len(), matches.looked_at, matches.is_cut), (1, 3, false));
        fs::write(root.path().join("d.txt"), "原稿/c.txt").expect("written");
        let matches = find_by_hash(&project.root_path(), &hash, || false).expect("searched");
        assert!(matches.files.len() == 2 && !matches.differ());
    }
}
