//! References to files by the SHA-256 of their content: what was read is what is there, or the difference is told.
//!
//! A hash is always of the bytes on the disk. What a file means is not looked at; nothing is written here.

use std::{collections::BTreeMap, fmt, sync::Arc};

use fumi_base::{
    files,
    listing::{ListedKind, list},
    project::{PathError, Project, ProjectPath},
};

/// The largest file that is hashed: manuscripts, plots and packages are smaller.
pub(crate) const FILE_BYTES: u64 = 64 << 20;

/// How many names of one folder are looked at, and how deep folders are.
const NAMES_IN_FOLDER: usize = 20_000;
const DEPTH: usize = 12;

/// How many digits of a hash name a file at least.
const SHORTEST_HASH: usize = 12;

/// The SHA-256 of some bytes, or the beginning of one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash(String);

impl ContentHash {
    /// Of bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(files::sha256(bytes))
    }

    /// From 12 to 64 hexadecimal digits, with or without `sha256:` or `artifact:` before them.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.trim();
        let digits = digits
            .strip_prefix("sha256:")
            .or(digits.strip_prefix("artifact:"))
            .unwrap_or(digits);
        let is_hash =
            (SHORTEST_HASH..=64).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash.then(|| Self(digits.to_ascii_lowercase()))
    }

    /// The digits.
    #[must_use]
    pub fn digits(&self) -> &str {
        &self.0
    }

    /// Whether one of the two is the beginning of the other.
    #[must_use]
    pub fn names(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0) || other.0.starts_with(&self.0)
    }

    /// `artifact:` and twelve digits.
    #[must_use]
    pub fn artifact_id(&self) -> String {
        format!("artifact:{}", &self.0[..SHORTEST_HASH])
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A file as it was when it was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileReference {
    /// Relative to the root, with `/`.
    pub path: String,
    /// Of its bytes.
    pub hash: ContentHash,
    /// In bytes.
    pub size: u64,
    /// By its extension.
    pub content_type: &'static str,
    /// The encoding of a text, such as `utf-8`; `None` for what is no text.
    pub encoding: Option<String>,
}

impl FileReference {
    /// Looks at a file.
    pub fn of(file: &ProjectPath) -> Result<Self, PathError> {
        let bytes = files::read(file, FILE_BYTES)?;
        let path = file.shown();
        let content_type = content_type(&path);
        let is_text =
            content_type.starts_with("text/") || matches!(content_type, "application/yaml" | "application/json");
        Ok(Self {
            hash: ContentHash::of(&bytes),
            size: bytes.len() as u64,
            encoding: is_text.then(|| files::name_of(files::detect(&bytes))),
            content_type,
            path,
        })
    }
}

/// The type of a file by its extension.
fn content_type(path: &str) -> &'static str {
    let extension = path
        .rsplit_once('.')
        .map(|(_, extension)| extension.to_ascii_lowercase());
    match extension.as_deref() {
        Some("md") => "text/markdown",
        Some("txt") => "text/plain",
        Some("html") => "text/html",
        Some("yaml" | "yml") => "application/yaml",
        Some("json") => "application/json",
        Some("epub") => "application/epub+zip",
        _ => "application/octet-stream",
    }
}

/// References to what is below a folder, and what could not be looked at.
#[derive(Clone, Debug, Default)]
pub struct References {
    /// By path.
    pub files: Vec<FileReference>,
    /// Paths that could not be read, are too large, or lie too deep.
    pub skipped: Vec<String>,
    /// Whether there are more than were asked for.
    pub has_more: bool,
}

/// Looks at every file below a folder, hidden ones aside, in the order of their paths, at most `limit` of them.
pub fn below(folder: &ProjectPath, limit: usize) -> Result<References, PathError> {
    let mut found = References::default();
    // Names of folders, the last one first: the order of paths without recursion.
    let mut open = vec![(folder.clone(), 0, true)];
    while let Some((path, depth, is_folder)) = open.pop() {
        if !is_folder {
            if found.files.len() == limit {
                found.has_more = true;
                break;
            }
            match FileReference::of(&path) {
                Ok(reference) => found.files.push(reference),
                Err(_) => found.skipped.push(path.shown()),
            }
            continue;
        }
        if depth > DEPTH {
            found.skipped.push(path.shown());
            continue;
        }
        let listed = match list(&path, NAMES_IN_FOLDER) {
            Ok((listed, false)) => listed,
            Ok((listed, true)) => {
                found.skipped.push(path.shown());
                listed
            }
            Err(error) if depth == 0 => return Err(error),
            Err(_) => {
                found.skipped.push(path.shown());
                continue;
            }
        };
        for entry in listed.into_iter().rev().filter(|entry| !entry.name.starts_with('.')) {
            match entry.kind {
                ListedKind::File => open.push((entry.path, depth + 1, false)),
                // A folder by a link may lead to one of those around it.
                ListedKind::Folder if !entry.is_link => open.push((entry.path, depth + 1, true)),
                ListedKind::Folder | ListedKind::Other => {}
            }
        }
    }
    Ok(found)
}

/// What became of files that were looked at before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// As they were.
    pub unchanged: Vec<String>,
    /// Otherwise than they were.
    pub changed: Vec<FileReference>,
    /// Not there any more, or not readable.
    pub missing: Vec<String>,
}

/// Compares files with the hashes that they had.
#[must_use]
pub fn changes(project: &Arc<Project>, known: &BTreeMap<String, ContentHash>) -> Changes {
    let mut changes = Changes::default();
    for (path, hash) in known {
        let now = project.resolve(path).and_then(|file| FileReference::of(&file));
        match now {
            Ok(now) if now.hash.names(hash) => changes.unchanged.push(path.clone()),
            Ok(now) => changes.changed.push(now),
            Err(_) => changes.missing.push(path.clone()),
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, fs};

    use fumi_base::project::Project;

    use super::{ContentHash, FileReference, below, changes};

    #[test]
    fn hashes_are_named_by_twelve_digits_or_more() {
        let hash = ContentHash::of(b"abc");
        assert_eq!(hash.artifact_id(), "artifact:ba7816bf8f01");
        for (text, names) in [
            ("ba7816bf8f01", true),
            ("sha256:BA7816BF8F01CFEA", true),
            ("artifact:ba7816bf8f01", true),
            (hash.digits(), true),
            ("ba7816bf8f02", false),
        ] {
            assert_eq!(ContentHash::parse(text).expect(text).names(&hash), names, "{text}");
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
        let found = below(&project.top(), 10).expect("listed");
        let shown: Vec<(&str, u64, &str, Option<&str>)> = found
            .files
            .iter()
            .map(|file| {
                (
                    file.path.as_str(),
                    file.size,
                    file.content_type,
                    file.encoding.as_deref(),
                )
            })
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
        assert!(below(&project.top(), 2).expect("listed").has_more);
    }

    #[test]
    fn what_changed_is_told_from_what_is_gone() {
        let root = tempfile::tempdir().expect("a folder");
        let project = Project::open(root.path()).expect("a project");
        for name in ["same.md", "other.md", "gone.md"] {
            fs::write(root.path().join(name), name).expect("written");
        }
        let mut known: BTreeMap<String, ContentHash> = below(&project.top(), 10)
            .expect("listed")
            .files
            .into_iter()
            .map(|file| (file.path, file.hash))
            .collect();
        known.insert("../x".to_owned(), ContentHash::of(b""));
        fs::write(root.path().join("other.md"), "new").expect("written");
        fs::remove_file(root.path().join("gone.md")).expect("removed");
        let found = changes(&project, &known);
        assert_eq!(found.unchanged, ["same.md"]);
        assert_eq!(found.missing, ["../x", "gone.md"]);
        let now = FileReference::of(&project.resolve("other.md").expect("there")).expect("read");
        assert_eq!(found.changed, [now]);
    }
}
