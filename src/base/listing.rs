//! The entries of one folder of a project, read through the handle of its root.
//!
//! Invariant: nothing outside the root is accessed; a link that leads out is listed as neither file nor folder. If the
//! system fails to tell what an entry is, the whole listing is an error. It does not walk: one folder, its names in order.

use std::{ffi::OsString, io};

use crate::{
    project::{PathError, ProjectPath},
    system::unless_unreadable,
    text::BilingualText,
};

#[derive(Clone, Debug)]
pub struct FolderEntry {
    /// The name as text; bytes that are not UTF-8 become U+FFFD.
    pub name: String,
    /// The path of the entry in the project.
    pub path: ProjectPath,
    /// The kind of the entry, or of the target of a link.
    pub kind: FolderEntryKind,
    /// True if the entry is a link: a walk must not follow it, to avoid cycles.
    pub is_link: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderEntryKind {
    File,
    Folder,
    /// A device, a broken link, or a link that leads out.
    Other,
}

/// Returns the first `limit` entries of a folder in order of their names, and true if there are more.
pub fn list(folder: &ProjectPath, limit: usize) -> Result<(Vec<FolderEntry>, bool), PathError> {
    list_folder(folder, |names| {
        let has_more = names.len() > limit;
        names.truncate(limit);
        has_more
    })
}

/// Returns the last `limit` entries, and true if there are more: the newest, where names begin with a time.
pub fn list_last(folder: &ProjectPath, limit: usize) -> Result<(Vec<FolderEntry>, bool), PathError> {
    list_folder(folder, |names| {
        let over = names.len().saturating_sub(limit);
        names.drain(..over);
        over > 0
    })
}

/// Lists a folder. All names are sorted before some are left out, since folders return them in any order.
fn list_folder(
    folder: &ProjectPath,
    cut: impl FnOnce(&mut Vec<(OsString, bool)>) -> bool,
) -> Result<(Vec<FolderEntry>, bool), PathError> {
    let project = folder.project();
    let dir = project.dir();
    let cannot_list = |path: &ProjectPath, source| PathError::Unreadable {
        path: path.shown(),
        action: BilingualText::new("listed", "一覧することが"),
        source,
    };
    let fault = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => PathError::FileNotFound { path: folder.shown(), nearest: Vec::new() },
        io::ErrorKind::NotADirectory => PathError::NotAFolder { path: folder.shown() },
        _ => cannot_list(folder, source),
    };
    let entries =
        if folder.relative().as_os_str().is_empty() { dir.entries() } else { dir.read_dir(folder.relative()) };
    let mut names = Vec::new();
    for entry in folder.record_failure(entries).map_err(fault)? {
        let entry = folder.record_failure(entry).map_err(fault)?;
        let kind = unless_unreadable(folder.record_failure(entry.file_type())).map_err(fault)?;
        names.push((entry.file_name(), kind.is_some_and(|kind| kind.is_symlink())));
    }
    names.sort();
    let has_more = cut(&mut names);
    let mut listed = Vec::new();
    for (name, is_link) in names {
        let absolute = folder.absolute().join(&name);
        let Some(path) = project.walked_path(&absolute) else {
            continue;
        };
        let found = unless_unreadable(path.record_failure(dir.metadata(path.relative())));
        let kind = match found.map_err(|source| cannot_list(&path, source))? {
            Some(meta) if meta.is_file() => FolderEntryKind::File,
            Some(meta) if meta.is_dir() => FolderEntryKind::Folder,
            _ => FolderEntryKind::Other,
        };
        listed.push(FolderEntry { name: name.to_string_lossy().into_owned(), path, kind, is_link });
    }
    Ok((listed, has_more))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{FolderEntryKind, list};
    use crate::project::{PathError, Project};

    #[test]
    fn a_folder_shows_its_names_and_nothing_outside() {
        let (root, outside) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        fs::create_dir(root.path().join("原稿")).expect("a folder");
        fs::write(root.path().join("原稿/b.md"), "").expect("a file");
        fs::create_dir(root.path().join("原稿/a")).expect("a folder");
        std::os::unix::fs::symlink(outside.path(), root.path().join("原稿/c")).expect("a link");
        std::os::unix::fs::symlink("b.md", root.path().join("原稿/d.md")).expect("a link");
        let project = Project::open(root.path()).expect("a project");
        let folder = project.resolve("原稿").expect("there");
        let (listed, has_more) = list(&folder, 10).expect("listed");
        let shown: Vec<(&str, FolderEntryKind)> =
            listed.iter().map(|entry| (entry.name.as_str(), entry.kind)).collect();
        assert_eq!(
            shown,
            [
                ("a", FolderEntryKind::Folder),
                ("b.md", FolderEntryKind::File),
                ("c", FolderEntryKind::Other),
                ("d.md", FolderEntryKind::File)
            ]
        );
        assert!(!has_more);
        assert_eq!(listed.iter().map(|entry| entry.is_link).collect::<Vec<_>>(), [false, false, true, true]);
        assert_eq!(listed[1].path.shown(), "原稿/b.md");
        let (few, has_more) = list(&folder, 3).expect("listed");
        assert_eq!((few.len(), has_more), (3, true));
        assert_eq!(list(&project.root_path(), 10).expect("listed").0.len(), 1);
        let file = project.resolve("原稿/b.md").expect("there");
        assert!(matches!(list(&file, 10), Err(PathError::NotAFolder { .. })));
    }

    #[test]
    fn entry_that_the_system_cannot_look_at_is_not_taken_for_a_device() {
        let root = tempfile::tempdir().expect("a folder");
        fs::write(root.path().join("a.md"), "").expect("a file");
        let project = Project::open(root.path()).expect("a project");
        project.failures().fail_at("a.md");
        let refused = list(&project.root_path(), 10).expect_err("unknown");
        assert!(refused.is_system_failure(), "{refused:?}");
    }
}
