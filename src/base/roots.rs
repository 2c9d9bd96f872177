//! Which folders may be a project: the operator's allowed roots, and everything inside them.
//!
//! Invariant: a [`Project`] that this module hands out lies inside an allowed root, by its canonical path.
//! Which of them a call uses (argument, session, client, default) is decided by the callers.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    errors::{Book, Teach},
    project::{BOOK, MAX_PATH_BYTES, Project, quoted},
};

/// The roots that the operator allowed. Never empty.
#[derive(Debug)]
pub struct AllowedRoots {
    default: Arc<Project>,
    others: Vec<Arc<Project>>,
}

/// Why a folder cannot be the project root.
#[derive(Debug, thiserror::Error)]
#[error("root refused: {reason}")]
pub struct RootError {
    /// As the client wrote it.
    pub path: String,
    /// Why, in English.
    pub reason: &'static str,
    /// Why, in Japanese.
    pub reason_ja: &'static str,
    /// What would be allowed.
    pub allowed: Vec<PathBuf>,
}

impl Teach for RootError {
    fn entry(&self) -> &'static str {
        "ROOT_NOT_ALLOWED"
    }
    fn book(&self) -> &'static Book {
        &BOOK
    }
    fn facts(&self) -> Vec<(&'static str, String)> {
        let allowed: Vec<_> = self.allowed.iter().map(|root| root.display().to_string()).collect();
        vec![
            ("path", quoted(&self.path)),
            ("reason", self.reason.to_owned()),
            ("reason_ja", self.reason_ja.to_owned()),
            ("allowed", allowed.join(", ")),
        ]
    }
}

impl AllowedRoots {
    /// Opens the allowed roots; the first is the default project. `None` when the list is empty.
    pub fn open(roots: &[PathBuf]) -> Result<Option<Self>, (PathBuf, io::Error)> {
        let mut opened = Vec::with_capacity(roots.len());
        for root in roots {
            opened.push(Project::open(root).map_err(|error| (root.clone(), error))?);
        }
        let mut opened = opened.into_iter();
        Ok(opened.next().map(|default| Self {
            default,
            others: opened.collect(),
        }))
    }

    /// The project of a call that names none.
    #[must_use]
    pub fn default_project(&self) -> &Arc<Project> {
        &self.default
    }

    /// The canonical allowed roots, the default first.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.default)
            .chain(&self.others)
            .map(|project| project.root())
    }

    /// Opens a project by its absolute path, if it is an existing folder inside an allowed root.
    pub fn project(&self, raw: &str) -> Result<Arc<Project>, RootError> {
        let refuse = |reason, reason_ja| RootError {
            path: raw.to_owned(),
            reason,
            reason_ja,
            allowed: self.paths().map(Path::to_path_buf).collect(),
        };
        let path = Path::new(raw);
        if raw.len() > MAX_PATH_BYTES || raw.contains('\0') {
            return Err(refuse(
                "it is too long or contains NUL",
                "長すぎるか、NUL 文字を含んでいます",
            ));
        }
        if !path.is_absolute() {
            return Err(refuse("it is not absolute", "絶対パスではありません"));
        }
        if let Some(known) = std::iter::once(&self.default)
            .chain(&self.others)
            .find(|project| project.root() == path)
        {
            return Ok(Arc::clone(known));
        }
        let outside = || refuse("it is outside the allowed roots", "許可されたルートの外にあります");
        // Outside paths get one answer, whether they exist or not: nothing is learnt about the rest of the disk.
        let real = path.canonicalize().map_err(|_| {
            if self.paths().any(|root| path.starts_with(root)) {
                refuse("there is no such folder", "そのフォルダーは存在しません")
            } else {
                outside()
            }
        })?;
        if !self.paths().any(|root| real.starts_with(root)) {
            return Err(outside());
        }
        if !real.is_dir() {
            return Err(refuse("it is not a folder", "フォルダーではありません"));
        }
        Project::open(&real).map_err(|_| refuse("it cannot be opened", "開くことができません"))
    }
}

#[cfg(test)]
mod tests {
    use super::AllowedRoots;

    #[test]
    fn only_folders_inside_the_allowed_roots() {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().canonicalize().expect("real").join("allowed");
        std::fs::create_dir_all(root.join("inner")).expect("a folder");
        std::fs::write(root.join("file"), "").expect("a file");
        std::os::unix::fs::symlink("/", root.join("out")).expect("a link");
        let roots = AllowedRoots::open(std::slice::from_ref(&root))
            .expect("readable")
            .expect("one root");
        let at = |path: &str| root.join(path).to_string_lossy().into_owned();
        for (path, reason) in [
            (at("inner"), "ok"),
            (at(""), "ok"),
            (at("file"), "it is not a folder"),
            (at("missing"), "there is no such folder"),
            (at("out"), "it is outside the allowed roots"),
            (at("../"), "it is outside the allowed roots"),
            ("/etc".to_owned(), "it is outside the allowed roots"),
            ("/no/such/place".to_owned(), "it is outside the allowed roots"),
            ("inner".to_owned(), "it is not absolute"),
        ] {
            let answer = roots.project(&path).map_or_else(|error| error.reason, |_| "ok");
            assert_eq!(answer, reason, "{path}");
        }
    }
}
