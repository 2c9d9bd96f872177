//! Replacing and removing files of a project: each is either old or new, never half.
//!
//! Invariant: what is written lies under the root, and no folder on the way is a link, so that nothing lands on another file
//! than the one that was named. Who may write is decided elsewhere.

use std::{
    io::{self, Read},
    path::{Component, Path, PathBuf},
};

use cap_std::fs::Dir;

use crate::{
    audit,
    errors::{Book, Teach},
    failpoints::reach,
    project::{BOOK, PathError, Project, quoted},
};

/// Why a file is not written or removed.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The path is refused before the disk is asked.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A part of the way is a link or a file, or the name is taken by a folder or a link.
    #[error("{path} is taken: {reason}")]
    Taken {
        /// Project-relative.
        path: String,
        /// By what, in English.
        reason: &'static str,
        /// By what, in Japanese.
        reason_ja: &'static str,
    },
    /// The disk refused.
    #[error("cannot write {path}: {source}")]
    Io {
        /// Project-relative.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

impl Teach for WriteError {
    fn entry(&self) -> &'static str {
        match self {
            Self::Path(error) => error.entry(),
            Self::Taken { .. } => "PLACE_TAKEN",
            Self::Io { .. } => "UNREADABLE",
        }
    }

    fn book(&self) -> &'static Book {
        &BOOK
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Path(error) => error.facts(),
            Self::Taken {
                path,
                reason,
                reason_ja,
            } => vec![
                ("path", quoted(path)),
                ("reason", (*reason).to_owned()),
                ("reason_ja", (*reason_ja).to_owned()),
            ],
            Self::Io { path, source } => vec![
                ("path", quoted(path)),
                ("action", "written".to_owned()),
                ("action_ja", "書き込むことが".to_owned()),
                ("reason", source.kind().to_string()),
            ],
        }
    }
}

/// Writes a whole file: to a temporary file beside it, flushed, then renamed over it. Folders on the way are made. A name that
/// is there in NFC or NFD keeps its spelling. Returns the path relative to the root.
pub fn replace(project: &Project, raw: &str, bytes: &[u8]) -> Result<PathBuf, WriteError> {
    replace_from(project, raw, bytes)
}

/// The same with what is read from elsewhere, piece by piece: a file may be larger than memory.
pub fn replace_from(project: &Project, raw: &str, source: impl Read) -> Result<PathBuf, WriteError> {
    let relative = project.relative(raw)?;
    let spellings = project.spellings(raw, &relative)?;
    let is_there = |path: &&PathBuf| project.dir().symlink_metadata(path).is_ok();
    let relative = spellings.iter().find(is_there).unwrap_or(&relative).clone();
    put(project, raw, &relative, source)?;
    Ok(relative)
}

/// The same for a path that is relative to the root and spelt as it shall be.
pub(crate) fn put(project: &Project, raw: &str, relative: &Path, mut source: impl Read) -> Result<(), WriteError> {
    let (dir, name) = way(project, raw, relative, Missing::Make)?;
    if dir.symlink_metadata(&name).is_ok_and(|meta| !meta.is_file()) {
        return Err(taken(
            raw,
            "the name is taken by a folder or a link",
            "同じ名前のフォルダーかリンクがあります",
        ));
    }
    let io = |source| WriteError::Io {
        path: raw.to_owned(),
        source,
    };
    reach("create", relative);
    let mut temporary = cap_tempfile::TempFile::new(&dir).map_err(io)?;
    io::copy(&mut source, &mut temporary).map_err(io)?;
    reach("write", relative);
    temporary.as_file().sync_all().map_err(io)?;
    reach("fsync", relative);
    temporary.replace(&name).map_err(io)?;
    reach("rename", relative);
    audit::done("written", project, relative);
    Ok(())
}

/// Removes a file. One that is not there is removed; a link or a folder is refused.
pub fn remove_file(project: &Project, raw: &str) -> Result<(), WriteError> {
    let relative = project.relative(raw)?;
    match project.dir().symlink_metadata(&relative) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && relative.components().next().is_some() => {
            return Ok(());
        }
        _ => {}
    }
    let (dir, name) = way(project, raw, &relative, Missing::Refuse)?;
    if !dir.symlink_metadata(&name).is_ok_and(|meta| meta.is_file()) {
        return Err(taken(raw, "it is no file", "ファイルではありません"));
    }
    dir.remove_file(&name).map_err(|source| WriteError::Io {
        path: raw.to_owned(),
        source,
    })?;
    audit::done("removed", project, &relative);
    Ok(())
}

/// Removes a folder with all that is in it; what links in it lead to stays. A folder that is not there is removed.
pub fn remove_folder(project: &Project, raw: &str) -> Result<(), WriteError> {
    let relative = project.relative(raw)?;
    match project.dir().symlink_metadata(&relative) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && relative.components().next().is_some() => {
            return Ok(());
        }
        _ => {}
    }
    let (dir, name) = way(project, raw, &relative, Missing::Refuse)?;
    if !dir.symlink_metadata(&name).is_ok_and(|meta| meta.is_dir()) {
        return Err(taken(raw, "it is no folder", "フォルダーではありません"));
    }
    dir.remove_dir_all(&name).map_err(|source| WriteError::Io {
        path: raw.to_owned(),
        source,
    })?;
    audit::done("removed", project, &relative);
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Make,
    Refuse,
}

/// The folder of a path, opened step by step without following a link, and the name in it.
fn way(project: &Project, raw: &str, relative: &Path, missing: Missing) -> Result<(Dir, PathBuf), WriteError> {
    let io = |source| WriteError::Io {
        path: raw.to_owned(),
        source,
    };
    let mut parts: Vec<&Path> = relative
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(Path::new(name)),
            _ => None,
        })
        .collect();
    let Some(name) = parts.pop() else {
        return Err(taken(raw, "it is the project itself", "プロジェクトそのものです"));
    };
    let mut dir = project.dir().try_clone().map_err(io)?;
    for folder in parts {
        match dir.symlink_metadata(folder) {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => {
                return Err(taken(
                    raw,
                    "a part of its folder is a link or a file",
                    "途中のフォルダーがリンクかファイルです",
                ));
            }
            Err(_) if missing == Missing::Make => dir.create_dir(folder).map_err(io)?,
            Err(source) => return Err(io(source)),
        }
        dir = cap_fs_ext::DirExt::open_dir_nofollow(&dir, folder).map_err(io)?;
    }
    Ok((dir, name.to_path_buf()))
}

fn taken(raw: &str, reason: &'static str, reason_ja: &'static str) -> WriteError {
    WriteError::Taken {
        path: raw.to_owned(),
        reason,
        reason_ja,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{WriteError, remove_file, remove_folder, replace};
    use crate::{errors::Teach, project::Project};

    #[test]
    fn a_file_is_replaced_whole_and_stays_inside() {
        let (root, outside) = (
            tempfile::tempdir().expect("a folder"),
            tempfile::tempdir().expect("a folder"),
        );
        let project = Project::open(root.path()).expect("a project");
        replace(&project, "原稿/第001話.md", "朝。".as_bytes()).expect("written");
        replace(&project, "原稿/第001話.md", "夜。".as_bytes()).expect("replaced");
        assert_eq!(
            fs::read_to_string(root.path().join("原稿/第001話.md")).expect("there"),
            "夜。"
        );
        assert_eq!(fs::read_dir(root.path().join("原稿")).expect("there").count(), 1);
        std::os::unix::fs::symlink(outside.path(), root.path().join("外")).expect("a link");
        std::os::unix::fs::symlink(outside.path().join("x"), root.path().join("link.md")).expect("a link");
        for bad in [
            "外/x.md",
            "link.md",
            "原稿",
            "原稿/第001話.md/x",
            "../x",
            "/etc/x",
            "a\0b",
            "",
            ".",
        ] {
            let refused = replace(&project, bad, b"x").expect_err(bad);
            let lesson = refused.lesson();
            assert!(
                !lesson.message.en.contains('{') && !lesson.message.ja.contains('{'),
                "{lesson:?}"
            );
        }
        assert_eq!(fs::read_dir(outside.path()).expect("there").count(), 0);
    }

    #[test]
    fn a_name_keeps_its_spelling() {
        let root = tempfile::tempdir().expect("a folder");
        let project = Project::open(root.path()).expect("a project");
        fs::write(root.path().join("か\u{3099}.md"), "old").expect("written");
        replace(&project, "が.md", b"new").expect("replaced");
        assert_eq!(
            fs::read_to_string(root.path().join("か\u{3099}.md")).expect("there"),
            "new"
        );
        assert_eq!(fs::read_dir(root.path()).expect("there").count(), 1);
    }

    #[test]
    fn a_file_is_removed_and_nothing_else() {
        let (root, outside) = (
            tempfile::tempdir().expect("a folder"),
            tempfile::tempdir().expect("a folder"),
        );
        let project = Project::open(root.path()).expect("a project");
        fs::write(outside.path().join("x"), "").expect("written");
        replace(&project, "a/b.md", b"x").expect("written");
        std::os::unix::fs::symlink(outside.path().join("x"), root.path().join("a/link")).expect("a link");
        for bad in ["a", "a/link", "", "../x", "."] {
            assert!(remove_file(&project, bad).is_err(), "{bad}");
        }
        remove_file(&project, "a/b.md").expect("removed");
        remove_file(&project, "a/b.md").expect("it is gone");
        assert!(!root.path().join("a/b.md").exists() && outside.path().join("x").exists());
    }

    #[test]
    fn a_folder_is_removed_without_what_its_links_lead_to() {
        let (root, outside) = (
            tempfile::tempdir().expect("a folder"),
            tempfile::tempdir().expect("a folder"),
        );
        let project = Project::open(root.path()).expect("a project");
        fs::write(outside.path().join("x"), "").expect("written");
        replace(&project, "a/b/c.md", b"x").expect("written");
        std::os::unix::fs::symlink(outside.path(), root.path().join("a/link")).expect("a link");
        for bad in ["a/b/c.md", "a/link", "a/link/x", "", "../x"] {
            assert!(remove_folder(&project, bad).is_err(), "{bad}");
        }
        remove_folder(&project, "a").expect("removed");
        remove_folder(&project, "a").expect("it is gone");
        assert!(!root.path().join("a").exists() && outside.path().join("x").exists());
        assert!(matches!(remove_folder(&project, "."), Err(WriteError::Taken { .. })));
    }
}
