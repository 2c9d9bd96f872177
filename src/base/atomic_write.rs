//! Atomic replacing and removing of files of a project: each file is either old or new, never half written, even after
//! a power cut.
//!
//! Invariants: when a function of this module has returned, file and folder are flushed, so that of two writes the
//! second never outlives the first. Written files lie under the root, and no folder of their path is a link, so that
//! nothing lands on another file than the named one. The right to write is granted elsewhere; a lost lease is detected
//! here, at the last moment.

use std::{
    fs::{self, TryLockError},
    io::{self, Read},
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Component, Path, PathBuf},
};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, Metadata, OpenOptions};

use crate::{
    audit,
    errors::UserError,
    failpoints::reach,
    project::{BOOK, PathError, Project},
    project_locks::run_fenced,
    system::unless_unreadable,
    text::BilingualText,
};

/// The errors of writing or removing a file. A path is relative to the project root.
#[derive(Debug, UserError)]
pub enum WriteError {
    /// The path was refused before the disk was accessed.
    #[from]
    Path(PathError),
    /// A part of the path is a link or a file, or the name belongs to a folder or a link.
    PlaceTaken { path: String, reason: BilingualText },
    /// The file is not in the state that the caller expects ([`replace_if`]).
    ChangedMeanwhile { path: String },
    /// This process slept past the end of its lease, and another process has held it since ([`crate::project_locks`]).
    /// `written` are the paths written earlier under the lease, in that order; `holder` is its current or last holder.
    #[fact(written = written_paths(written))]
    TurnLost { path: String, holder: String, written: Vec<String> },
    /// Some of several files were replaced; the new contents of the others are saved, and will be written later.
    #[fact(reason = message_of(reason))]
    WriteUnfinished { reason: Box<WriteError> },
    /// The disk reported an error.
    #[entry("UNREADABLE")]
    #[fact(action = BilingualText::new("written", "書き込むことが"))]
    Io { path: String, source: io::Error },
}

fn message_of(error: &WriteError) -> BilingualText {
    error.error_message().message
}

fn written_paths(paths: &[String]) -> BilingualText {
    match paths {
        [] => BilingualText::new("nothing", "なし"),
        paths => BilingualText::new(paths.join(", "), paths.join("、")),
    }
}

/// Writes a whole file: to a temporary file in the same folder, flushed, then renamed over the old one, whose mode it gets;
/// then the folder is flushed. Missing folders are created. A name that exists in NFC or NFD keeps its spelling. Returns the
/// path relative to the root.
pub fn replace(project: &Project, raw: &str, bytes: &[u8]) -> Result<PathBuf, WriteError> {
    replace_from(project, raw, bytes)
}

/// Writes a whole file as [`replace`] does, from a reader in pieces: the file may be larger than memory.
pub fn replace_from(project: &Project, raw: &str, source: impl Read) -> Result<PathBuf, WriteError> {
    write_file(project, raw, source, None, || Ok(true))
}

/// Writes a whole file as [`replace`] does. A new file gets the mode of the file `model`, so that the copy of a private text is
/// private.
pub fn replace_with_mode_of(project: &Project, raw: &str, bytes: &[u8], model: &str) -> Result<PathBuf, WriteError> {
    write_file(project, raw, bytes, Some(model), || Ok(true))
}

/// Writes a whole file as [`replace`] does, if the old file is still in the state that the caller expects. `is_known`
/// is called last, right before the new file is renamed into place; if it fails, nothing is written.
pub fn replace_if(
    project: &Project,
    raw: &str,
    bytes: &[u8],
    is_known: impl FnOnce() -> Result<bool, PathError>,
) -> Result<PathBuf, WriteError> {
    write_file(project, raw, bytes, None, is_known)
}

fn write_file(
    project: &Project,
    raw: &str,
    source: impl Read,
    model: Option<&str>,
    is_known: impl FnOnce() -> Result<bool, PathError>,
) -> Result<PathBuf, WriteError> {
    let relative = project.relative(raw)?;
    let spellings = project.spellings(raw, &relative)?;
    let io = |source| WriteError::Io { path: raw.to_owned(), source };
    let mut relative = relative;
    for spelling in spellings {
        if unless_unreadable(project.dir().symlink_metadata(&spelling)).map_err(io)?.is_some() {
            relative = spelling;
            break;
        }
    }
    let (dir, name) = open_parent(project, raw, &relative, MissingFolder::Create)?;
    let there = unless_unreadable(dir.symlink_metadata(&name)).map_err(io)?;
    if there.as_ref().is_some_and(|meta| !meta.is_file()) {
        return Err(taken(raw, "the name is taken by a folder or a link", "同じ名前のフォルダーかリンクがあります"));
    }
    let of_model = || project.dir().symlink_metadata(project.relative(model?).ok()?).ok().filter(Metadata::is_file);
    let mode = there.or_else(of_model).map(|meta| cap_std::fs::MetadataExt::mode(&meta));
    let mut unfinished = write_temporary(&dir, &relative, mode, source).map_err(io)?;
    run_fenced(raw, || {
        if !is_known()? {
            return Err(WriteError::ChangedMeanwhile { path: raw.to_owned() });
        }
        unfinished.replace(&name).map_err(io)
    })?;
    reach("rename", &relative);
    audit::log_change("written", project, &relative);
    flush(&dir).map_err(io)?;
    reach("flush", &relative);
    Ok(relative)
}

/// Writes a whole file under the first of these paths that does not exist, and returns that path. Never replaces a file;
/// on a file system with hard links, not even one that another writer creates at the same time. The paths must be in one
/// folder, which is created if it is missing; if all of them exist, the error names the first.
pub fn write_unused(
    project: &Project,
    paths: impl IntoIterator<Item = String>,
    source: impl Read,
) -> Result<String, WriteError> {
    let mut paths = paths.into_iter().peekable();
    let first = paths.peek().cloned().unwrap_or_default();
    let io = |source| WriteError::Io { path: first.clone(), source };
    let relative = project.relative(&first)?;
    let (dir, _) = open_parent(project, &first, &relative, MissingFolder::Create)?;
    let mut unfinished = write_temporary(&dir, &relative, None, source).map_err(io)?;
    for path in paths {
        if !is_free(project, &path)? {
            continue;
        }
        let relative = project.relative(&path)?;
        let Some(name) = relative.file_name() else { continue };
        let io = |source| WriteError::Io { path: path.clone(), source };
        match run_fenced(&path, || unfinished.take_unused(Path::new(name)).map_err(io)) {
            Err(WriteError::Io { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(()) => {
                audit::log_change("written", project, &relative);
                // The name of the temporary file is removed before the flush.
                drop(unfinished);
                flush(&dir).map_err(io)?;
                return Ok(path);
            }
        }
    }
    Err(taken(
        &first,
        "it exists, as do its numbered variants; move some of them away",
        "この名前も番号付きの名前もすでにあります。いくつか移してください",
    ))
}

/// Writes a whole file of a folder that belongs to no project, as [`replace`] does.
pub(crate) fn replace_in(dir: &Dir, name: &Path, bytes: &[u8]) -> io::Result<()> {
    write_temporary(dir, name, None, bytes)?.replace(name)?;
    reach("rename", name);
    flush(dir)?;
    reach("flush", name);
    Ok(())
}

/// Writes a temporary file in a folder and flushes it. `mode` is that of the file that it is to replace.
fn write_temporary<'a>(
    dir: &'a Dir,
    relative: &Path,
    mode: Option<u32>,
    mut source: impl Read,
) -> io::Result<TempFile<'a>> {
    sweep(dir);
    reach("create", relative);
    let mut unfinished = TempFile::new(dir)?;
    // Before the content: a private text is at no time readable by others. A file system without modes has one for all.
    if let Some(mode) = mode.filter(|mode| unfinished.file.metadata().is_ok_and(|own| own.mode() != *mode)) {
        unfinished.file.set_permissions(fs::Permissions::from_mode(mode & 0o7777))?;
    }
    io::copy(&mut source, &mut unfinished.file)?;
    reach("write", relative);
    unfinished.file.sync_all()?;
    reach("fsync", relative);
    Ok(unfinished)
}

/// True if a name certainly does not exist, neither as a link that leads nowhere nor in the other spelling (NFC, NFD).
/// Returns an error if that cannot be determined, because the system failed or a part of the folder's path is a link.
pub fn is_free(project: &Project, raw: &str) -> Result<bool, WriteError> {
    let relative = project.relative(raw)?;
    let spellings = match project.spellings(raw, &relative) {
        Ok(spellings) => spellings,
        Err(PathError::AmbiguousPath { .. }) => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    for spelling in spellings {
        let io = |source| WriteError::Io { path: raw.to_owned(), source };
        let found = open_parent(project, raw, &spelling, MissingFolder::Refuse)
            .and_then(|(dir, name)| dir.symlink_metadata(&name).map_err(io));
        match found {
            Ok(_) => return Ok(false),
            Err(WriteError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

/// The prefix of unfinished files: hidden, so that they are not taken for manuscripts.
const TEMP_PREFIX: &str = ".fumi-new-";

/// The prefix of folders that are being removed: they are renamed first, so that no folder ever appears half removed.
const REMOVED_PREFIX: &str = ".fumi-gone-";

/// Returns a random name that does not exist yet.
fn random_name(prefix: &str) -> io::Result<String> {
    let mut random = [0; 8];
    getrandom::fill(&mut random)?;
    Ok(format!("{prefix}{:016x}", u64::from_le_bytes(random)))
}

/// A temporary file that has not been renamed yet. It is locked while it is written, so that [`sweep`] can distinguish
/// it from a leftover, and removed on drop. An unnamed file (`O_TMPFILE`) would be no help: it must get a name before it can
/// replace another file, and that name would remain if the process died.
struct TempFile<'a> {
    dir: &'a Dir,
    name: String,
    file: fs::File,
    has_gone: bool,
}

impl<'a> TempFile<'a> {
    fn new(dir: &'a Dir) -> io::Result<Self> {
        /// The number of attempts. A sweep rarely comes between the two steps; a file system whose files have no names
        /// would fail always.
        const TRIES: usize = 8;
        for _ in 0..TRIES {
            let name = random_name(TEMP_PREFIX)?;
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            let file = dir.open_with(&name, &options)?.into_std();
            // Where files cannot be locked, no process sweeps.
            let is_taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
            // A sweep may have removed the file before it was locked.
            if !is_taken && file.metadata()?.nlink() > 0 {
                return Ok(Self { dir, name, file, has_gone: false });
            }
            let _ = dir.remove_file(&name);
        }
        Err(io::Error::other("a temporary file was removed right after it was created"))
    }

    fn replace(&mut self, name: &Path) -> io::Result<()> {
        self.dir.rename(&self.name, self.dir, name)?;
        self.has_gone = true;
        Ok(())
    }

    /// Gives the file a name that the caller found unused. If the name exists by now, the error is
    /// [`io::ErrorKind::AlreadyExists`]; on a file system without hard links, the file with that name is replaced.
    fn take_unused(&mut self, name: &Path) -> io::Result<()> {
        match self.dir.hard_link(&self.name, self.dir, name) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => self.replace(name),
            linked => linked,
        }
    }
}

impl Drop for TempFile<'_> {
    fn drop(&mut self) {
        if !self.has_gone {
            let _ = self.dir.remove_file(&self.name);
        }
    }
}

/// Removes the leftovers of dead processes in a folder. Best effort: the next write tries again.
fn sweep(dir: &Dir) {
    let Ok(entries) = dir.entries() else { return };
    for name in entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()) {
        if name.starts_with(REMOVED_PREFIX) {
            let _ = dir.remove_dir_all(&name);
        }
        if !name.starts_with(TEMP_PREFIX) {
            continue;
        }
        let mut options = OpenOptions::new();
        options.write(true).follow(FollowSymlinks::No).nonblock(true);
        let Ok(left) = dir.open_with(&name, &options) else {
            continue;
        };
        // Keep the file locked until it is removed, so that a process that has just created it does not use it.
        let left = left.into_std();
        if left.try_lock().is_ok() {
            let _ = dir.remove_file(&name);
        }
    }
}

/// The maximum number of folders that [`sweep_below`] visits.
const MAX_SWEPT_FOLDERS: usize = 1_000;

/// Removes the leftovers of dead processes in a folder and all folders below it, without following links. Best effort:
/// leftovers do no harm.
pub fn sweep_below(project: &Project, raw: &str) {
    let in_it = project.relative(raw).map(|folder| folder.join("in it"));
    let top = in_it.map_err(WriteError::from).and_then(|path| open_parent(project, raw, &path, MissingFolder::Refuse));
    let mut folders: Vec<Dir> = top.map(|(dir, _)| dir).into_iter().collect();
    for _ in 0..MAX_SWEPT_FOLDERS {
        let Some(dir) = folders.pop() else { return };
        sweep(&dir);
        let inner = dir.entries().into_iter().flatten().flatten();
        let inner = inner.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        folders.extend(inner.filter_map(|entry| cap_fs_ext::DirExt::open_dir_nofollow(&dir, entry.file_name()).ok()));
    }
}

/// Flushes a folder, so that created, renamed and removed names survive a power cut.
fn flush(dir: &Dir) -> io::Result<()> {
    // The handle itself is not opened for reading, and cannot be flushed.
    dir.open(".")?.sync_all()
}

/// Removes a file. Succeeds if the file does not exist; refuses a link or a folder.
pub fn remove_file(project: &Project, raw: &str) -> Result<(), WriteError> {
    let relative = project.relative(raw)?;
    match project.dir().symlink_metadata(&relative) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && relative.components().next().is_some() => {
            return Ok(());
        }
        _ => {}
    }
    let (dir, name) = open_parent(project, raw, &relative, MissingFolder::Refuse)?;
    let io = |source| WriteError::Io { path: raw.to_owned(), source };
    let there = unless_unreadable(dir.symlink_metadata(&name)).map_err(io)?;
    if !there.is_some_and(|meta| meta.is_file()) {
        return Err(taken(raw, "it is not a file", "ファイルではありません"));
    }
    reach("unlink", &relative);
    run_fenced(raw, || dir.remove_file(&name).map_err(io))?;
    reach("unlinked", &relative);
    audit::log_change("removed", project, &relative);
    flush(&dir).map_err(io)
}

/// Removes a folder with its contents, so that it exists completely or not at all; targets of links in it stay.
/// Succeeds if the folder does not exist.
pub fn remove_folder(project: &Project, raw: &str) -> Result<(), WriteError> {
    let relative = project.relative(raw)?;
    match project.dir().symlink_metadata(&relative) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && relative.components().next().is_some() => {
            return Ok(());
        }
        _ => {}
    }
    let (dir, name) = open_parent(project, raw, &relative, MissingFolder::Refuse)?;
    let io = |source| WriteError::Io { path: raw.to_owned(), source };
    let there = unless_unreadable(dir.symlink_metadata(&name)).map_err(io)?;
    if !there.is_some_and(|meta| meta.is_dir()) {
        return Err(taken(raw, "it is not a folder", "フォルダーではありません"));
    }
    sweep(&dir);
    let gone = random_name(REMOVED_PREFIX).map_err(io)?;
    reach("hide", &relative);
    run_fenced(raw, || dir.rename(&name, &dir, &gone).map_err(io))?;
    reach("hidden", &relative);
    audit::log_change("removed", project, &relative);
    flush(&dir).map_err(io)?;
    reach("empty", &relative);
    // Best effort: the next sweep removes the rest.
    let _ = dir.remove_dir_all(&gone);
    reach("emptied", &relative);
    Ok(())
}

/// Renames a folder to a new name in the same parent, formed by appending a random suffix. Returns the new path,
/// relative to the root.
pub fn rename_aside(project: &Project, raw: &str) -> Result<String, WriteError> {
    let (dir, name) = open_parent(project, raw, &project.relative(raw)?, MissingFolder::Refuse)?;
    let io = |source| WriteError::Io { path: raw.to_owned(), source };
    let aside = random_name("-left-").map_err(io)?;
    let renamed = format!("{}{aside}", name.display());
    run_fenced(raw, || dir.rename(&name, &dir, &renamed).map_err(io))?;
    flush(&dir).map_err(io)?;
    Ok([raw, &aside].concat())
}

/// Opens a folder of a project without following a link; creates it if it is missing.
pub(crate) fn open_folder(project: &Project, raw: &str) -> Result<Dir, WriteError> {
    let (dir, name) = open_parent(project, raw, &project.relative(raw)?.join("in it"), MissingFolder::Create)?;
    debug_assert_eq!(name, Path::new("in it"));
    Ok(dir)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MissingFolder {
    Create,
    Refuse,
}

/// Opens the parent folder of a path, step by step without following a link. Returns it and the name in it.
fn open_parent(
    project: &Project,
    raw: &str,
    relative: &Path,
    missing: MissingFolder,
) -> Result<(Dir, PathBuf), WriteError> {
    let io = |source| WriteError::Io { path: raw.to_owned(), source };
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
    let mut path = PathBuf::new();
    for folder in parts {
        path.push(folder);
        match dir.symlink_metadata(folder) {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => {
                return Err(taken(
                    raw,
                    "a part of its folder is a link or a file",
                    "途中のフォルダーがリンクかファイルです",
                ));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && missing == MissingFolder::Create => {
                reach("folder", &path);
                match dir.create_dir(folder) {
                    Ok(()) => flush(&dir).map_err(io)?,
                    // Another write created it meanwhile. Opening it below shows what it is.
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    Err(source) => return Err(io(source)),
                }
            }
            Err(source) => return Err(io(source)),
        }
        dir = cap_fs_ext::DirExt::open_dir_nofollow(&dir, folder).map_err(io)?;
    }
    Ok((dir, name.to_path_buf()))
}

fn taken(raw: &str, en: &'static str, ja: &'static str) -> WriteError {
    WriteError::PlaceTaken { path: raw.to_owned(), reason: BilingualText::new(en, ja) }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::{
        TempFile, WriteError, is_free, remove_file, remove_folder, replace, replace_if, replace_with_mode_of,
        write_unused,
    };
    use crate::{errors::UserError, project::Project};

    #[test]
    fn file_whose_state_is_unknown_is_not_replaced() {
        let root = tempfile::tempdir().expect("a folder");
        let project = Project::open(root.path()).expect("a project");
        fs::write(root.path().join("a.md"), "old").expect("written");
        let unknown = || project.relative("../outside").map(|_| true);
        let refused = replace_if(&project, "a.md", b"new", unknown).expect_err("unknown");
        assert!(matches!(refused, WriteError::Path(_)), "{refused:?}");
        assert_eq!(fs::read(root.path().join("a.md")).expect("there"), b"old");
        assert_eq!(fs::read_dir(root.path()).expect("there").count(), 1);
    }

    #[test]
    fn a_file_is_replaced_whole_and_stays_inside() {
        let (root, outside) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let project = Project::open(root.path()).expect("a project");
        replace(&project, "原稿/第001話.md", "朝。".as_bytes()).expect("written");
        replace(&project, "原稿/第001話.md", "夜。".as_bytes()).expect("replaced");
        assert_eq!(fs::read_to_string(root.path().join("原稿/第001話.md")).expect("there"), "夜。");
        assert_eq!(fs::read_dir(root.path().join("原稿")).expect("there").count(), 1);
        std::os::unix::fs::symlink(outside.path(), root.path().join("外")).expect("a link");
        std::os::unix::fs::symlink(outside.path().join("x"), root.path().join("link.md")).expect("a link");
        for bad in ["外/x.md", "link.md", "原稿", "原稿/第001話.md/x", "../x", "/etc/x", "a\0b", "", "."] {
            let refused = replace(&project, bad, b"x").expect_err(bad);
            let lesson = refused.error_message();
            // The NUL is shown as an escape, which itself contains braces.
            let said = [&*lesson.message.en, &*lesson.message.ja].map(|text| text.replace("\\u{0}", ""));
            assert!(said.iter().all(|text| !text.contains('{')), "{lesson:?}");
        }
        assert_eq!(fs::read_dir(outside.path()).expect("there").count(), 0);
    }

    #[test]
    fn a_file_keeps_its_mode_and_a_copy_gets_it() {
        let root = tempfile::tempdir().expect("a folder");
        let project = Project::open(root.path()).expect("a project");
        let mode = |name: &str| fs::metadata(root.path().join(name)).expect("there").permissions().mode() & 0o7777;
        for (name, private) in [("a", 0o600), ("b", 0o755), ("c", 0o444)] {
            fs::write(root.path().join(name), "old").expect("written");
            fs::set_permissions(root.path().join(name), fs::Permissions::from_mode(private)).expect("set");
            replace(&project, name, b"new").expect("replaced");
            let copy = format!("backup/{name}");
            replace_with_mode_of(&project, &copy, b"new", name).expect("written");
            assert_eq!([mode(name), mode(&copy)], [private; 2]);
        }
        replace_with_mode_of(&project, "d", b"new", "missing").expect("written");
    }

    #[test]
    fn a_name_keeps_its_spelling() {
        let root = tempfile::tempdir().expect("a folder");
        let project = Project::open(root.path()).expect("a project");
        fs::write(root.path().join("か\u{3099}.md"), "old").expect("written");
        replace(&project, "が.md", b"new").expect("replaced");
        assert_eq!(fs::read_to_string(root.path().join("か\u{3099}.md")).expect("there"), "new");
        assert_eq!(fs::read_dir(root.path()).expect("there").count(), 1);
    }

    #[test]
    fn a_name_is_free_only_if_it_certainly_does_not_exist() {
        let root = tempfile::tempdir().expect("a folder");
        let project = Project::open(root.path()).expect("a project");
        fs::write(root.path().join("か\u{3099}.md"), "x").expect("written");
        std::os::unix::fs::symlink("nowhere", root.path().join("dangling")).expect("a link");
        std::os::unix::fs::symlink("/", root.path().join("外")).expect("a link");
        for (name, expected) in
            [("a.md", true), ("new/a.md", true), ("が.md", false), ("dangling", false), ("外", false)]
        {
            assert_eq!(is_free(&project, name).expect(name), expected, "{name}");
        }
        for unknown in ["外/a.md", "../a.md", &"a".repeat(300)] {
            is_free(&project, unknown).expect_err(unknown);
        }
    }

    #[test]
    fn many_first_writes_at_once_all_succeed() {
        for _ in 0..20 {
            let root = tempfile::tempdir().expect("a folder");
            let project = Project::open(root.path()).expect("a project");
            std::thread::scope(|scope| {
                for at in 0..8 {
                    let project = &project;
                    scope.spawn(move || replace(project, &format!("a/b/c/d/{at}.md"), b"x").expect("written"));
                }
            });
            let written = fs::read_dir(root.path().join("a/b/c/d")).expect("there").count();
            assert_eq!(written, 8);
        }
    }

    #[test]
    fn each_of_many_writers_gets_a_name_of_its_own() {
        let root = tempfile::tempdir().expect("a folder");
        let project = Project::open(root.path()).expect("a project");
        let write = |content: String| write_unused(&project, (1..=8).map(|n| format!("a/{n}.csv")), content.as_bytes());
        let mut paths: Vec<String> = std::thread::scope(|scope| {
            let writers: Vec<_> = (0..8).map(|at| scope.spawn(move || write(at.to_string()))).collect();
            let paths = writers.into_iter().map(|writer| writer.join().expect("no panic").expect("written"));
            paths.collect()
        });
        paths.sort();
        assert_eq!(paths, (1..=8).map(|n| format!("a/{n}.csv")).collect::<Vec<_>>());
        let mut contents: Vec<_> =
            paths.iter().map(|path| fs::read_to_string(root.path().join(path)).expect("there")).collect();
        contents.sort();
        assert_eq!(contents, (0..8).map(|at| at.to_string()).collect::<Vec<_>>());
        assert!(matches!(write("late".to_owned()), Err(WriteError::PlaceTaken { .. })));
        assert_eq!(fs::read_dir(root.path().join("a")).expect("there").count(), 8, "no temporary file is left");
    }

    #[test]
    fn sweep_removes_only_leftovers_of_dead_processes() {
        let root = tempfile::tempdir().expect("a folder");
        let project = Project::open(root.path()).expect("a project");
        fs::write(root.path().join(".fumi-new-0123456789abcdef"), "left").expect("written");
        let dir = project.dir().try_clone().expect("a handle");
        let mut living = TempFile::new(&dir).expect("made");
        replace(&project, "a.md", b"x").expect("written");
        let mut names: Vec<String> = fs::read_dir(root.path())
            .expect("there")
            .map(|entry| entry.expect("there").file_name().into_string().expect("text"))
            .collect();
        names.sort();
        assert_eq!(names, [living.name.as_str(), "a.md"]);
        living.replace(std::path::Path::new("b.md")).expect("the living file was not swept");
    }

    #[test]
    fn a_file_is_removed_and_nothing_else() {
        let (root, outside) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let project = Project::open(root.path()).expect("a project");
        fs::write(outside.path().join("x"), "").expect("written");
        replace(&project, "a/b.md", b"x").expect("written");
        std::os::unix::fs::symlink(outside.path().join("x"), root.path().join("a/link")).expect("a link");
        for bad in ["a", "a/link", "", "../x", "."] {
            assert!(remove_file(&project, bad).is_err(), "{bad}");
        }
        remove_file(&project, "a/b.md").expect("removed");
        remove_file(&project, "a/b.md").expect("a missing path is not an error");
        assert!(!root.path().join("a/b.md").exists() && outside.path().join("x").exists());
    }

    #[test]
    fn removing_folder_keeps_link_targets() {
        let (root, outside) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let project = Project::open(root.path()).expect("a project");
        fs::write(outside.path().join("x"), "").expect("written");
        replace(&project, "a/b/c.md", b"x").expect("written");
        std::os::unix::fs::symlink(outside.path(), root.path().join("a/link")).expect("a link");
        for bad in ["a/b/c.md", "a/link", "a/link/x", "", "../x"] {
            assert!(remove_folder(&project, bad).is_err(), "{bad}");
        }
        remove_folder(&project, "a").expect("removed");
        remove_folder(&project, "a").expect("a missing path is not an error");
        assert!(!root.path().join("a").exists() && outside.path().join("x").exists());
        assert!(matches!(remove_folder(&project, "."), Err(WriteError::PlaceTaken { .. })));
    }
}
