//! Atomic changes of several files: all of them or none, even if the process stops in between.
//!
//! Invariant: all new contents and a journal are on disk before the first file changes; the journal is removed after
//! the last. An interrupted change set is completed, never rolled back, by the next start or write; files changed by
//! others since are left unchanged. Callers hold the project's write lock. A journal that cannot be completed is set
//! aside with its contents. It may come from a stranger, with a copied novel, so it may change only files that the
//! tools write.

use std::sync::Arc;

use fumi_base::{
    atomic_write::{WriteError, remove_file, remove_folder, rename_aside, replace, replace_if},
    files,
    listing::list,
    project::{PathError, Project},
    text::BilingualText,
};
use serde::{Deserialize, Serialize};

use crate::{
    backups::{CopyDamage, is_copy_of},
    errors::backup::BackupError,
    project::read_yaml,
    references::{ContentHash, FILE_BYTES, FileReference},
};

/// The folder for new contents and the journal.
pub const FOLDER: &str = ".noveler/together";

/// The path of the journal.
const NOTE: &str = ".noveler/together/note.yaml";

/// The hidden folders whose files the tools write. All other hidden files belong to other programs.
const STATE: [&str; 5] =
    [".noveler/checks/", ".noveler/publish/", ".noveler/sessions/", ".noveler/writes/", ".noveler/states/"];

/// The largest number of names listed beside the journal.
const BESIDE: usize = 1_000;

/// The largest journal that is read, in bytes: about 2,000 paths.
const NOTE_BYTES: u64 = 16 << 20;

#[derive(Clone, Debug)]
pub struct FileChange {
    path: String,
    becomes: NewFileState,
    known: ExpectedContent,
}

/// The state of a file that the caller expects.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ExpectedContent {
    /// Any state: the file is changed in every case.
    Nothing,
    /// This SHA-256 hash; `None` for a missing file. Any other state rejects the whole change set.
    As(Option<String>),
    /// This SHA-256 hash; `None` for a missing file. A file in any other state is left unchanged, and the others
    /// change.
    Unless(Option<String>),
}

#[derive(Clone, Debug)]
enum NewFileState {
    Bytes(Vec<u8>),
    /// A copy of another file, which has this SHA-256 hash.
    CopyOf(String, String),
    Gone,
}

impl FileChange {
    /// Creates a change that writes new contents.
    pub fn write(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self::new(path.into(), NewFileState::Bytes(bytes.into()))
    }

    /// Returns the number of bytes that the change itself contains.
    pub(crate) fn length(&self) -> usize {
        match &self.becomes {
            NewFileState::Bytes(bytes) => bytes.len(),
            NewFileState::CopyOf(..) | NewFileState::Gone => 0,
        }
    }

    /// Creates a change that copies another file.
    pub(crate) fn copy(path: &str, from: String, sha256: &str) -> Self {
        Self::new(path.to_owned(), NewFileState::CopyOf(from, sha256.to_owned()))
    }

    /// Creates a change that removes a file.
    pub fn remove(path: impl Into<String>) -> Self {
        Self::new(path.into(), NewFileState::Gone)
    }

    fn new(path: String, becomes: NewFileState) -> Self {
        let known = ExpectedContent::Nothing;
        Self { path, becomes, known }
    }

    /// Requires that the file still has this SHA-256 hash, or is still missing; otherwise the whole change set is
    /// rejected.
    pub fn if_still(self, sha256: Option<&str>) -> Self {
        let known = ExpectedContent::As(sha256.map(str::to_owned));
        Self { known, ..self }
    }

    /// Requires that the file still has this SHA-256 hash, or is still missing; otherwise this file is left unchanged,
    /// and the others change.
    pub(crate) fn unless_changed(self, sha256: Option<&str>) -> Self {
        let known = ExpectedContent::Unless(sha256.map(str::to_owned));
        Self { known, ..self }
    }

    fn sha256(&self) -> Option<String> {
        match &self.becomes {
            NewFileState::Bytes(bytes) => Some(ContentHash::from_bytes(bytes).digits().to_owned()),
            NewFileState::CopyOf(_, sha256) => Some(sha256.clone()),
            NewFileState::Gone => None,
        }
    }
}

/// The journal of a change set, as stored.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChangeJournal {
    /// The id of the backup that the change set restores, if it is a restoration.
    restores: Option<String>,
    files: Vec<JournalEntry>,
}

/// A file of the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JournalEntry {
    path: String,
    /// The path of the file with the new contents; `None` if the file is removed.
    from: Option<String>,
    /// The SHA-256 hash of the new contents.
    sha256: Option<String>,
    /// The SHA-256 hash of the previous file; `None` if it did not exist.
    before: Option<String>,
    /// True if the whole change set stops when the file no longer has that hash.
    guards: bool,
}

/// An interrupted change set with its progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterruptedChanges {
    /// The id of the backup to be restored, if it was a restoration.
    pub restores: Option<String>,
    /// The number of files to change.
    pub total: usize,
    /// The number of files changed so far.
    pub done: usize,
}

/// Applies changes together. Returns the files that another program changed in the meantime; they are left unchanged.
///
/// # Panics
/// Never: texts and lists can be represented in YAML.
pub fn apply(
    project: &Arc<Project>,
    restores: Option<&str>,
    changes: Vec<FileChange>,
) -> Result<Vec<String>, WriteError> {
    match finish(project) {
        // Its journal would be overwritten.
        Err(error) if is_interrupted(project) => return Err(as_write(error)),
        _ => {}
    }
    let mut note = ChangeJournal { restores: restores.map(str::to_owned), files: Vec::with_capacity(changes.len()) };
    let (mut contents, mut kept) = (Vec::new(), Vec::new());
    for change in changes {
        let (before, sha256) = (hash_at(project, &change.path)?, change.sha256());
        if matches!(&change.known, ExpectedContent::As(known) if *known != before) {
            return Err(WriteError::ChangedMeanwhile { path: change.path });
        }
        if before == sha256 {
            continue;
        }
        if matches!(&change.known, ExpectedContent::Unless(known) if *known != before) {
            kept.push(change.path);
            continue;
        }
        let waiting = format!("{FOLDER}/{}", note.files.len());
        let from = match change.becomes {
            NewFileState::Bytes(bytes) => {
                contents.push((waiting.clone(), bytes));
                Some(waiting)
            }
            NewFileState::CopyOf(path, _) => Some(path),
            NewFileState::Gone => None,
        };
        note.files.push(JournalEntry {
            path: change.path,
            from,
            sha256,
            before,
            guards: matches!(change.known, ExpectedContent::As(_)),
        });
    }
    match (note.files.as_slice(), contents.as_slice()) {
        ([], _) => return Ok(kept),
        // A single file is replaced atomically without a journal.
        ([only], [(_, bytes)]) => {
            let placed = replace_if(project, &only.path, bytes, || is_still(project, only));
            match placed {
                Err(WriteError::ChangedMeanwhile { path }) if !only.guards => kept.push(path),
                placed => drop(placed?),
            }
            return Ok(kept);
        }
        _ => {}
    }
    for (waiting, bytes) in &contents {
        replace(project, waiting, bytes)?;
    }
    let text = serde_saphyr::to_string(&note).expect("texts and lists can be represented in YAML");
    replace(project, NOTE, text.as_bytes())?;
    let saved = apply_journal(project, &note).map_err(|error| match as_write(error) {
        error @ WriteError::ChangedMeanwhile { .. } => error,
        error => WriteError::WriteUnfinished { reason: Box::new(error) },
    })?;
    kept.extend(saved);
    Ok(kept)
}

fn as_write(error: BackupError) -> WriteError {
    match error {
        BackupError::Write(error) => error,
        BackupError::Path(error) => error.into(),
        // Another program removed contents that were just written.
        error => WriteError::Io { path: NOTE.to_owned(), source: std::io::Error::other(error) },
    }
}

/// Completes an interrupted change set, if there is one. The caller holds the write lock. Returns the files that
/// another program changed since; they are left unchanged. A change set that can never be completed is set aside, and
/// [`abandoned_folders`] lists it.
pub fn finish(project: &Arc<Project>) -> Result<Vec<String>, BackupError> {
    match read_journal(project).and_then(|note| note.map_or(Ok(Vec::new()), |note| apply_journal(project, &note))) {
        // Another program changed a file on which the rest depends.
        Err(BackupError::Write(WriteError::ChangedMeanwhile { path })) => Ok(vec![path]),
        // The disk error may be temporary.
        Err(
            error @ (BackupError::Path(PathError::Unreadable { .. })
            | BackupError::Write(
                WriteError::Io { .. } | WriteError::TurnLost { .. } | WriteError::Path(PathError::Unreadable { .. }),
            )),
        ) => Err(error),
        Err(error) => {
            rename_aside(project, FOLDER)?;
            Err(error)
        }
        done => done,
    }
}

/// Returns the folders of change sets that could not be completed.
pub fn abandoned_folders(project: &Arc<Project>) -> Result<Vec<String>, PathError> {
    let (state, name) = FOLDER.split_once('/').unwrap_or_default();
    let Some(folder) = project.find(state)? else {
        return Ok(Vec::new());
    };
    let (listed, _) = list(&folder, BESIDE)?;
    let aside = listed.iter().filter(|entry| entry.name != name && entry.name.starts_with(name));
    Ok(aside.map(|entry| entry.path.shown()).collect())
}

/// Returns the message about a folder of [`abandoned_folders`], in both languages.
pub fn abandoned_message(folder: &str) -> BilingualText {
    BilingualText::new(
        format!(
            "An interrupted write of several files could not be completed and was moved to {folder}: note.yaml lists the files, and the numbered files beside it are their intended contents. Copy what you need, then delete the folder."
        ),
        format!(
            "複数のファイルへの書き込みが途中で止まり、最後まで済ませられなかったため、その内容を {folder} に移しました。対象のファイルは note.yaml に、書き込むはずだった内容は番号の付いたファイルにあります。必要なものを写してから、このフォルダーを削除してください。"
        ),
    )
}

/// Returns the interrupted change set, if there is one.
pub fn interrupted(project: &Arc<Project>) -> Result<Option<InterruptedChanges>, BackupError> {
    let Some(note) = read_journal(project)? else {
        return Ok(None);
    };
    let mut done = 0;
    for file in &note.files {
        done += usize::from(hash_at(project, &file.path)? == file.sha256);
    }
    Ok(Some(InterruptedChanges { restores: note.restores, total: note.files.len(), done }))
}

/// True if a change set was interrupted here, or if that cannot be told; the check is one file lookup.
pub fn is_interrupted(project: &Arc<Project>) -> bool {
    !matches!(project.find(NOTE), Ok(None))
}

fn read_journal(project: &Arc<Project>) -> Result<Option<ChangeJournal>, BackupError> {
    let Some(note) = project.find(NOTE)? else {
        return Ok(None);
    };
    let bytes = files::read(&note, NOTE_BYTES)?;
    let note: ChangeJournal = read_yaml(NOTE, &String::from_utf8_lossy(&bytes))?;
    match note.files.iter().find(|file| !is_allowed(&note, file)) {
        Some(file) => Err(BackupError::HiddenPath { path: file.path.clone() }),
        None => Ok(Some(note)),
    }
}

/// True if the tools may write this file: it does not belong to another program, and its new contents are beside the
/// journal or in the backup.
fn is_allowed(note: &ChangeJournal, file: &JournalEntry) -> bool {
    let path = STATE.iter().find_map(|folder| file.path.strip_prefix(folder));
    let mut parts = path.unwrap_or(&file.path).split('/');
    let waits = |from: &str| {
        let number = from.strip_prefix(FOLDER).and_then(|from| from.strip_prefix('/'));
        number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_copy = |from: &str| note.restores.as_deref().is_some_and(|id| is_copy_of(from, id, &file.path));
    parts.all(|part| !part.is_empty() && !part.starts_with('.'))
        && file.from.as_deref().is_none_or(|from| waits(from) || is_copy(from))
}

/// Applies the remaining files of a journal, then removes the journal.
fn apply_journal(project: &Arc<Project>, note: &ChangeJournal) -> Result<Vec<String>, BackupError> {
    let end = || remove_folder(project, FOLDER);
    let mut kept = Vec::new();
    for file in &note.files {
        let now = hash_at(project, &file.path)?;
        if now == file.sha256 {
            continue;
        }
        let placed = match &file.from {
            _ if now != file.before => Err(WriteError::ChangedMeanwhile { path: file.path.clone() }),
            None => remove_file(project, &file.path),
            Some(from) => {
                let bytes = content(project, note, file, from)?;
                replace_if(project, &file.path, &bytes, || is_still(project, file)).map(drop)
            }
        };
        match placed {
            Ok(()) => {}
            Err(WriteError::ChangedMeanwhile { path }) if !file.guards => kept.push(path),
            Err(error @ WriteError::ChangedMeanwhile { .. }) => {
                end()?;
                return Err(error.into());
            }
            Err(error) => return Err(error.into()),
        }
    }
    end()?;
    Ok(kept)
}

/// Returns the new contents of a file.
fn content(
    project: &Arc<Project>,
    note: &ChangeJournal,
    file: &JournalEntry,
    from: &str,
) -> Result<Vec<u8>, BackupError> {
    let bytes = project.resolve(from).and_then(|from| files::read(&from, FILE_BYTES));
    match bytes {
        Ok(bytes) if Some(ContentHash::from_bytes(&bytes).digits()) == file.sha256.as_deref() => Ok(bytes),
        Ok(_) | Err(PathError::FileNotFound { .. }) => Err(BackupError::BackupDamaged {
            id: note.restores.clone().unwrap_or_else(|| FOLDER.to_owned()),
            damage: vec![CopyDamage::Changed(file.path.clone())],
        }),
        Err(error) => Err(error.into()),
    }
}

/// True if the previous file is still in place.
fn is_still(project: &Arc<Project>, file: &JournalEntry) -> Result<bool, PathError> {
    Ok(hash_at(project, &file.path)? == file.before)
}

/// Returns the SHA-256 hash of the file at a path; `None` if the file does not exist.
fn hash_at(project: &Arc<Project>, path: &str) -> Result<Option<String>, PathError> {
    match project.find(path)? {
        Some(file) => Ok(Some(FileReference::read(&file)?.hash.digits().to_owned())),
        None => Ok(None),
    }
}

impl InterruptedChanges {
    /// Returns a sentence about the interrupted change set, in both languages.
    pub fn message(&self) -> BilingualText {
        let Self { restores, total, done } = self;
        let (what, what_ja) = match restores {
            Some(backup) => (format!("Restoring the backup {backup}"), format!("バックアップ {backup} の復元")),
            None => ("A write of several files".to_owned(), "複数のファイルの書き込み".to_owned()),
        };
        BilingualText::new(
            format!(
                "{what} was interrupted after {done} of {total} files. The next start of a server on this folder, or the next call that writes to this novel, completes the rest first."
            ),
            format!(
                "{what_ja}が途中で止まっています（{total} 件中 {done} 件まで完了）。このフォルダーでサーバーを次に起動したとき、または次にこの作品に書き込むときに、残りを先に済ませます。"
            ),
        )
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use fumi_base::{
        atomic_write::{WriteError, replace},
        errors::UserError,
        project::Project,
    };

    use super::{FileChange, NOTE, abandoned_folders, apply, finish, interrupted};
    use crate::references::ContentHash;

    fn read(root: &tempfile::TempDir, name: &str) -> Option<String> {
        fs::read_to_string(root.path().join(name)).ok()
    }

    #[test]
    fn files_change_together_and_leave_nothing() {
        let root = tempfile::tempdir().expect("a folder");
        let project = Project::open(root.path()).expect("a project");
        fs::write(root.path().join("old.md"), "old").expect("written");
        let changes =
            || vec![FileChange::write("a/b.md", "b"), FileChange::write("c.md", "c"), FileChange::remove("old.md")];
        assert_eq!(apply(&project, None, changes()).expect("applied"), [""; 0]);
        assert_eq!(
            (read(&root, "a/b.md"), read(&root, "c.md"), read(&root, "old.md")),
            (Some("b".into()), Some("c".into()), None)
        );
        assert_eq!(fs::read_dir(root.path().join(".noveler")).expect("exists").count(), 0);
        assert_eq!(apply(&project, None, changes()).expect("again"), [""; 0]);
    }

    #[test]
    fn journal_that_cannot_be_looked_up_is_not_overwritten() {
        let root = tempfile::tempdir().expect("a folder");
        let project = Project::open(root.path()).expect("a project");
        fs::create_dir(root.path().join(".noveler")).expect("a folder");
        // A link to itself: what it leads to cannot be told.
        let folder = root.path().join(super::FOLDER);
        std::os::unix::fs::symlink(&folder, &folder).expect("a link");
        assert!(super::is_interrupted(&project));
        let refused = apply(&project, None, vec![FileChange::write("a.md", "a")]).expect_err("unknown");
        assert_eq!((refused.entry(), read(&root, "a.md")), ("UNREADABLE", None));
    }

    #[test]
    fn rejected_change_set_changes_nothing() {
        let root = tempfile::tempdir().expect("a folder");
        let project = Project::open(root.path()).expect("a project");
        fs::create_dir(root.path().join("taken")).expect("a folder");
        let both = |last: FileChange| vec![FileChange::write("a.md", "a"), last];
        let refused = apply(&project, None, both(FileChange::write("taken", "x"))).expect_err("a folder");
        assert_eq!(refused.entry(), "NOT_A_FILE");
        fs::write(root.path().join("b.md"), "somebody's").expect("written");
        let known = FileChange::write("b.md", "b").if_still(None);
        let refused = apply(&project, None, both(known)).expect_err("changed");
        assert!(matches!(refused, WriteError::ChangedMeanwhile { .. }));
        assert_eq!(read(&root, "a.md"), None);
    }

    #[test]
    fn a_file_that_is_not_as_the_caller_knows_it_stays_and_the_others_change() {
        let root = tempfile::tempdir().expect("a folder");
        let project = Project::open(root.path()).expect("a project");
        let old = ContentHash::from_bytes(b"old");
        let change = |path: &str| FileChange::write(path, "new").unless_changed(Some(old.digits()));
        for (name, text) in [("a.md", "old"), ("b.md", "somebody's")] {
            fs::write(root.path().join(name), text).expect("written");
        }
        let kept = apply(&project, None, vec![change("a.md"), change("b.md"), change("gone.md")]).expect("applied");
        assert_eq!(kept, ["b.md", "gone.md"]);
        assert_eq!(
            (read(&root, "a.md"), read(&root, "b.md"), read(&root, "gone.md")),
            (Some("new".into()), Some("somebody's".into()), None)
        );
        // A file that already has the new contents does not count as changed.
        assert_eq!(apply(&project, None, vec![change("a.md")]).expect("again"), [""; 0]);
        assert_eq!(apply(&project, None, vec![change("b.md")]).expect("left unchanged"), ["b.md"]);
    }

    #[test]
    fn finish_skips_files_changed_by_others() {
        let root = tempfile::tempdir().expect("a folder");
        let project = Project::open(root.path()).expect("a project");
        let hash = |text: &str| ContentHash::from_bytes(text.as_bytes()).digits().to_owned();
        let file = |at: usize, path: &str| {
            format!(
                "- path: {path}\n  from: .noveler/together/{at}\n  sha256: {}\n  before: {}\n  guards: false\n",
                hash("new"),
                hash("old")
            )
        };
        let note = format!("restores: null\nfiles:\n{}{}{}", file(0, "a.md"), file(1, "b.md"), file(2, "c.md"));
        for (name, text) in [("a.md", "new"), ("b.md", "old"), ("c.md", "somebody's")] {
            fs::write(root.path().join(name), text).expect("written");
        }
        for at in 0..3 {
            replace(&project, &format!(".noveler/together/{at}"), b"new").expect("written");
        }
        replace(&project, NOTE, note.as_bytes()).expect("written");
        let left = interrupted(&project).expect("read").expect("exists");
        assert_eq!((left.done, left.total), (1, 3));
        assert_eq!(finish(&project).expect("finished"), ["c.md"]);
        assert_eq!((read(&root, "b.md"), read(&root, "c.md")), (Some("new".into()), Some("somebody's".into())));
        assert_eq!(interrupted(&project).expect("read"), None);
    }

    /// Creates a project with `a.md` and a journal that first removes it and then writes stored contents to another
    /// file.
    fn noted(path: &str, from: &str) -> (tempfile::TempDir, std::sync::Arc<Project>) {
        let root = tempfile::tempdir().expect("a folder");
        let project = Project::open(root.path()).expect("a project");
        fs::write(root.path().join("a.md"), "old").expect("written");
        fs::write(root.path().join("new"), "new").expect("written");
        let hash = |text: &str| ContentHash::from_bytes(text.as_bytes()).digits().to_owned();
        let (old, new) = (hash("old"), hash("new"));
        let note = format!(
            "restores: null\nfiles:\n- path: a.md\n  from: null\n  sha256: null\n  before: {old}\n  guards: false\n- path: {path}\n  from: {from}\n  sha256: {new}\n  before: null\n  guards: false\n"
        );
        replace(&project, NOTE, note.as_bytes()).expect("written");
        (root, project)
    }

    #[test]
    fn journal_cannot_change_foreign_files() {
        for (path, from) in [
            (".git/config", ".noveler/together/0"),
            (".noveler/other/x", ".noveler/together/0"),
            (".noveler/checks/../../.git/config", ".noveler/together/0"),
            ("b.md", "new"),
            ("b.md", ".noveler/together/../../new"),
        ] {
            let (root, project) = noted(path, from);
            replace(&project, ".noveler/together/0", b"new").expect("written");
            assert_eq!(finish(&project).expect_err(path).entry(), "HIDDEN_PATH", "{path}");
            assert_eq!(read(&root, "a.md"), Some("old".into()), "{path}");
            assert_eq!((read(&root, path), read(&root, "b.md")), (None, None));
        }
    }

    #[test]
    fn unfinishable_journal_is_set_aside() {
        let (root, project) = noted("b.md", ".noveler/together/0");
        let changes = || vec![FileChange::write("c.md", "c"), FileChange::write("d.md", "d")];
        apply(&project, None, changes()).expect("applied");
        assert_eq!(interrupted(&project).expect("read"), None);
        let aside = abandoned_folders(&project).expect("listed");
        assert_eq!(aside.len(), 1);
        assert!(read(&root, &format!("{}/note.yaml", aside[0])).is_some());
        assert_eq!(read(&root, "d.md"), Some("d".into()));
    }

    #[test]
    fn apply_first_completes_interrupted_changes() {
        let (root, project) = noted("b.md", ".noveler/together/0");
        replace(&project, ".noveler/together/0", b"new").expect("written");
        let changes = vec![FileChange::write("c.md", "c"), FileChange::write("d.md", "d")];
        apply(&project, None, changes).expect("applied");
        assert_eq!((read(&root, "a.md"), read(&root, "b.md")), (None, Some("new".into())));
        assert_eq!(read(&root, "d.md"), Some("d".into()));
    }
    #[test]
    fn a_content_that_cannot_be_read_for_a_moment_is_finished_later() {
        let (root, project) = noted("b.md", ".noveler/together/0");
        let waiting = root.path().join(".noveler/together/0");
        std::os::unix::fs::symlink("0", &waiting).expect("a link to itself");
        for _ in 0..2 {
            assert_eq!(finish(&project).expect_err("unreadable").entry(), "UNREADABLE");
            assert_eq!(abandoned_folders(&project).expect("listed"), [""; 0]);
        }
        fs::remove_file(&waiting).expect("removed");
        replace(&project, ".noveler/together/0", b"new").expect("written");
        assert_eq!(finish(&project).expect("finished"), [""; 0]);
        assert_eq!((read(&root, "a.md"), read(&root, "b.md")), (None, Some("new".into())));
    }
}
