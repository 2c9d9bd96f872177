//! Backups of a novel's files: copies made before files are replaced, verified by hash, restored together.
//!
//! A backup is a folder with the copies and a manifest, which is written last: a backup without a manifest is
//! incomplete and never restored. A copy that differs from the manifest is never restored, and files replaced by a
//! restoration are backed up first. Times and names are supplied by the callers.

use std::{collections::BTreeSet, sync::Arc};

use fumi_base::{
    atomic_write::{remove_folder, replace, replace_with_mode_of},
    errors::unless_unreadable,
    files,
    listing::{FolderEntryKind, list_last},
    project::{PathError, Project, ProjectPath},
};
use serde::{Deserialize, Serialize};

use crate::{
    change_set::{self, FileChange},
    errors::backup::BackupError,
    project::{read_if_readable, read_yaml},
    references::{ContentHash, FILE_BYTES, FileWalk, WalkItem},
};

/// The file name of a backup's manifest.
const MANIFEST: &str = "manifest.yaml";

/// The folder of the copies in a backup, each under its own path.
const COPIES: &str = "files";

/// The largest number of files in one backup.
const FILES: usize = 2_000;

/// The largest manifest that is read, in bytes.
const MANIFEST_BYTES: u64 = 4 << 20;

/// The largest number of backups listed, from the newest.
const BACKUPS: usize = 10_000;

/// The number of newest automatic backups that are always kept.
const KEPT: usize = 200;

/// The number of new backups between two clean-ups.
const OVER: usize = 100;

/// A time in UTC to the second, as at the beginning of backup ids: `20260131T100000Z`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BackupTime(String);

impl BackupTime {
    /// Parses a time of this form; returns `None` for any other form.
    pub fn parse(time: &str) -> Option<Self> {
        let shape = |(c, wanted): (char, char)| if wanted == '0' { c.is_ascii_digit() } else { c == wanted };
        let fits = time.len() == 16 && time.chars().zip("00000000T000000Z".chars()).all(shape);
        fits.then(|| Self(time.to_owned()))
    }

    /// Returns the time in readable form: `2026-01-31T10:00:00Z`.
    pub fn shown(&self) -> String {
        let part = |from: usize, to: usize| &self.0[from..to];
        let (day, time) = ([part(0, 4), part(4, 6), part(6, 8)], [part(9, 11), part(11, 13), part(13, 15)]);
        format!("{}T{}Z", day.join("-"), time.join(":"))
    }
}

/// A complete backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Backup {
    /// The id: a time and eight digits of the hash of the contents.
    pub id: String,
    /// The reason for the backup.
    pub reason: String,
    /// The copied files.
    pub files: Vec<BackupFile>,
}

impl Backup {
    /// Returns the time of the backup, taken from its id.
    pub fn created_at(&self) -> Option<BackupTime> {
        BackupTime::parse(self.id.split('-').next()?)
    }
}

impl Default for Backup {
    /// Returns an invalid backup: an empty manifest has an id that belongs to no backup.
    fn default() -> Self {
        Self { id: String::new(), reason: String::new(), files: Vec::new() }
    }
}

/// A file in a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackupFile {
    /// The original path, relative to the project root.
    pub path: String,
    /// The SHA-256 hash of the file's bytes.
    pub sha256: String,
    pub size: u64,
    /// The SHA-256 hash of the replacement that fumi wrote; `None` for a requested backup.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub becomes: Option<String>,
}

/// The damage of a copy, with the path of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyDamage {
    /// The copy is missing or unreadable.
    Missing(String),
    /// The copy has other contents than the manifest states.
    Changed(String),
}

/// The result of a restoration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreOutcome {
    /// The restored files.
    pub paths: Vec<String>,
    /// The files that another program saved in the meantime; they are left unchanged.
    pub kept: Vec<String>,
    /// The backup of the replaced files; `None` if no file existed.
    pub replaced: Option<Backup>,
}

/// The backups in one folder of a project.
#[derive(Clone, Debug)]
pub struct Backups {
    project: Arc<Project>,
    folder: String,
}

impl Backups {
    /// Creates access to the backups in a folder, which may not exist yet.
    pub fn new(project: Arc<Project>, folder: &str) -> Self {
        Self { project, folder: folder.trim_end_matches('/').to_owned() }
    }

    /// Copies files, and the contents of folders except hidden files. A missing path is an error, and then nothing is
    /// written.
    pub fn create(&self, paths: &[&str], reason: &str, now: &BackupTime) -> Result<Backup, BackupError> {
        self.write_backup(paths, reason, now, |_| None)
    }

    /// Copies files before they are replaced; `changes` are their paths with the SHA-256 hash of each replacement.
    /// Cleans up first, so that the new backup is kept.
    pub fn create_before(
        &self,
        changes: &[(&str, &str)],
        reason: &str,
        now: &BackupTime,
    ) -> Result<Backup, BackupError> {
        // Errors are ignored; the next clean-up tries again.
        let _ = self.remove_redundant(None, now);
        self.copied_before(changes, reason, now)
    }

    fn copied_before(&self, changes: &[(&str, &str)], reason: &str, now: &BackupTime) -> Result<Backup, BackupError> {
        let paths: Vec<&str> = changes.iter().map(|(path, _)| *path).collect();
        let becomes = |path: &str| {
            let change = changes.iter().find(|(changed, _)| *changed == path);
            change.map(|(_, sha256)| (*sha256).to_owned())
        };
        self.write_backup(&paths, reason, now, becomes)
    }

    /// Removes automatic backups (made by [`Backups::create_before`]) beyond the newest [`KEPT`], but only those whose
    /// files are all in another backup, so that no content is lost. The backup `used` is kept.
    fn remove_redundant(&self, used: Option<&str>, now: &BackupTime) -> Result<(), BackupError> {
        let (listed, _) = list_last(&self.project.resolve(&self.folder)?, BACKUPS)?;
        let ids = listed.iter().filter(|entry| is_id(&entry.name));
        let count = ids.clone().count();
        let is_time = count > KEPT && count < BACKUPS && count.is_multiple_of(OVER);
        // If the clock was wrong, the oldest ids are not the oldest backups; and an interrupted restoration needs its
        // copies.
        let is_safe =
            ids.clone().all(|entry| entry.name.as_str() < now.0.as_str()) && !change_set::is_interrupted(&self.project);
        if !is_time || !is_safe {
            return Ok(());
        }
        let (mut stay, _) = self.list()?;
        let is_own = |backup: &Backup| backup.files.iter().all(|file| file.becomes.is_some());
        let own: Vec<Backup> = stay.iter().filter(|backup| is_own(backup)).cloned().collect();
        for old in own.iter().skip(KEPT).rev().filter(|old| Some(old.id.as_str()) != used) {
            let holds = |backup: &Backup, file: &BackupFile| {
                let has = |held: &BackupFile| held.path == file.path && held.sha256 == file.sha256;
                backup.id != old.id && backup.files.iter().any(has) && matches!(self.damage(&backup.id, file), Ok(None))
            };
            if old.files.iter().all(|file| stay.iter().any(|backup| holds(backup, file))) {
                remove_folder(&self.project, &format!("{}/{}", self.folder, old.id))?;
                stay.retain(|backup| backup.id != old.id);
            }
        }
        Ok(())
    }

    /// Makes a backup.
    ///
    /// # Panics
    /// Never: all values of a manifest can be represented in YAML.
    fn write_backup(
        &self,
        paths: &[&str],
        reason: &str,
        now: &BackupTime,
        becomes: impl Fn(&str) -> Option<String>,
    ) -> Result<Backup, BackupError> {
        let sources = self.sources(paths)?;
        if sources.is_empty() || sources.len() > FILES {
            return Err(BackupError::BackupFiles { count: sources.len(), most: FILES });
        }
        let mut copies = Vec::with_capacity(sources.len());
        for source in &sources {
            let bytes = files::read(source, FILE_BYTES)?;
            copies.push((source.shown(), ContentHash::from_bytes(&bytes), bytes));
        }
        let all: String = copies.iter().map(|(path, hash, _)| [path, "\0", hash.digits(), "\n"].concat()).collect();
        let content = ContentHash::from_bytes([all.as_str(), reason].concat().as_bytes());
        let id = format!("{}-{}", now.0, &content.digits()[..8]);
        let mut manifest =
            Backup { id: id.clone(), reason: reason.to_owned(), files: Vec::with_capacity(copies.len()) };
        for (path, hash, bytes) in copies {
            replace_with_mode_of(&self.project, &self.copy_of(&id, &path), &bytes, &path)?;
            manifest.files.push(BackupFile {
                size: bytes.len() as u64,
                sha256: hash.digits().to_owned(),
                becomes: becomes(&path),
                path,
            });
        }
        let text = serde_saphyr::to_string(&manifest).expect("texts, numbers and lists can be represented in YAML");
        replace(&self.project, &format!("{}/{id}/{MANIFEST}", self.folder), text.as_bytes())?;
        Ok(manifest)
    }

    /// Returns the backups, newest first, and the ids of backups that are incomplete or have an unreadable manifest.
    pub fn list(&self) -> Result<(Vec<Backup>, Vec<String>), BackupError> {
        let Some(folder) = self.project.find(&self.folder)? else {
            return Ok((Vec::new(), Vec::new()));
        };
        let (listed, _) = list_last(&folder, BACKUPS)?;
        let (mut complete, mut incomplete) = (Vec::new(), Vec::new());
        // The folder may contain other folders; only names that begin with a time are backups.
        let ids = listed.into_iter().filter(|entry| entry.kind == FolderEntryKind::Folder && is_id(&entry.name));
        for entry in ids {
            match unless_unreadable(self.manifest(&entry.name))? {
                Some(backup) => complete.push(backup),
                None => incomplete.push(entry.name),
            }
        }
        complete.reverse();
        Ok((complete, incomplete))
    }

    pub fn verify(&self, id: &str) -> Result<Vec<CopyDamage>, BackupError> {
        let backup = self.manifest(id)?;
        let mut damage = Vec::new();
        for file in &backup.files {
            damage.extend(self.damage(id, file)?);
        }
        Ok(damage)
    }

    /// Restores all files or the given ones. Nothing is changed unless every copy is intact. A restoration interrupted
    /// by a crash is completed by [`change_set::finish`].
    ///
    /// # Panics
    /// Never, for the same reason as [`Backups::create`].
    pub fn restore(&self, id: &str, paths: Option<&[&str]>, now: &BackupTime) -> Result<RestoreOutcome, BackupError> {
        // Errors are ignored; the next clean-up tries again.
        let _ = self.remove_redundant(Some(id), now);
        let backup = self.manifest(id)?;
        if let Some(unknown) = paths.and_then(|paths| {
            let known = |path: &&&str| backup.files.iter().any(|file| file.path == **path);
            paths.iter().find(|path| !known(path))
        }) {
            return Err(BackupError::NotInBackup { id: id.to_owned(), path: (*unknown).to_owned() });
        }
        let wanted = |file: &&BackupFile| paths.is_none_or(|paths| paths.contains(&file.path.as_str()));
        let wanted: Vec<&BackupFile> = backup.files.iter().filter(wanted).collect();
        let mut damage = Vec::new();
        for file in &wanted {
            // Anyone who can write to the project can edit the manifest.
            refuse_hidden(&file.path)?;
            damage.extend(self.damage(id, file)?);
        }
        if !damage.is_empty() {
            return Err(BackupError::BackupDamaged { id: id.to_owned(), damage });
        }
        let mut present = Vec::new();
        for file in &wanted {
            if self.project.find(&file.path)?.is_some() {
                present.push((file.path.as_str(), file.sha256.as_str()));
            }
        }
        let replaced = match present.as_slice() {
            [] => None,
            present => Some(self.copied_before(present, &format!("before restoring {id}"), now)?),
        };
        let before = |path: &str| {
            let mut files = replaced.iter().flat_map(|backup| &backup.files);
            files.find(|file| file.path == path).map(|file| file.sha256.as_str())
        };
        // A file saved after the backup of the present files is in no backup, so it is left unchanged.
        let changes = wanted
            .iter()
            .map(|file| {
                let copy = FileChange::copy(&file.path, self.copy_of(id, &file.path), &file.sha256);
                copy.unless_changed(before(&file.path))
            })
            .collect();
        let saved = change_set::apply(&self.project, Some(id), changes)?;
        let paths = wanted.iter().map(|file| file.path.clone());
        let (kept, paths) = paths.partition(|path| saved.contains(path));
        Ok(RestoreOutcome { paths, kept, replaced })
    }

    /// Removes all but the newest `keep` backups, and those without a manifest. Returns the ids of the removed ones.
    pub fn prune(&self, keep: usize) -> Result<Vec<String>, BackupError> {
        let (complete, incomplete) = self.list()?;
        let old = complete.into_iter().skip(keep).map(|backup| backup.id);
        // A backup whose manifest exists but cannot be read, now or by this version, may still be useful.
        let left = incomplete.into_iter().filter(|id| {
            let manifest = format!("{}/{id}/{MANIFEST}", self.folder);
            matches!(self.project.find(&manifest), Ok(None))
        });
        let gone: Vec<String> = old.chain(left).collect();
        for id in &gone {
            remove_folder(&self.project, &format!("{}/{id}", self.folder))?;
        }
        Ok(gone)
    }

    /// Returns the files at the given paths, each once; backups inside a given folder are skipped.
    fn sources(&self, paths: &[&str]) -> Result<Vec<ProjectPath>, BackupError> {
        let mut seen = BTreeSet::new();
        let mut sources = Vec::new();
        for path in paths {
            let top = self.project.resolve(path)?;
            refuse_hidden(&top.shown())?;
            let is_folder = top.is_dir()?;
            let is_backup = |source: &ProjectPath| is_folder && source.relative().starts_with(&self.folder);
            for met in FileWalk::new(&top)? {
                match met? {
                    WalkItem::File(source) if is_backup(&source) => {}
                    WalkItem::File(source) if seen.insert(source.shown()) => sources.push(source),
                    WalkItem::File(_) => {}
                    // An incomplete copy would not be a backup.
                    WalkItem::Skipped(path) => return Err(BackupError::BackupUnlisted { path }),
                }
                if sources.len() > FILES {
                    break;
                }
            }
        }
        Ok(sources)
    }

    /// Returns a complete backup.
    pub fn find(&self, id: &str) -> Result<Backup, BackupError> {
        self.manifest(id)
    }

    /// Returns the bytes of a copy; `None` if it is missing, unreadable or differs from the manifest.
    pub fn read_copy(&self, id: &str, file: &BackupFile) -> Result<Option<Vec<u8>>, BackupError> {
        // Anyone who can write to the project can edit the manifest.
        refuse_hidden(&file.path)?;
        let bytes = read_if_readable(&self.project, &self.copy_of(id, &file.path), FILE_BYTES)?;
        Ok(bytes.filter(|bytes| ContentHash::from_bytes(bytes).digits() == file.sha256))
    }

    fn copy_of(&self, id: &str, path: &str) -> String {
        format!("{}/{id}/{COPIES}/{path}", self.folder)
    }

    /// Returns the damage of a copy; `None` if it matches the manifest.
    fn damage(&self, id: &str, file: &BackupFile) -> Result<Option<CopyDamage>, PathError> {
        let copy = read_if_readable(&self.project, &self.copy_of(id, &file.path), FILE_BYTES)?;
        let damage = match copy {
            None => CopyDamage::Missing,
            Some(bytes) if ContentHash::from_bytes(&bytes).digits() == file.sha256 => return Ok(None),
            Some(_) => CopyDamage::Changed,
        };
        Ok(Some(damage(file.path.clone())))
    }

    fn manifest(&self, id: &str) -> Result<Backup, BackupError> {
        let unknown = || BackupError::BackupNotFound { id: id.to_owned() };
        if !is_id(id) {
            return Err(unknown());
        }
        let path = format!("{}/{id}/{MANIFEST}", self.folder);
        let file = self.project.find(&path)?.ok_or_else(unknown)?;
        let bytes = files::read(&file, MANIFEST_BYTES)?;
        let backup: Backup = read_yaml(&path, &String::from_utf8_lossy(&bytes))?;
        // A folder renamed or copied by hand contains the manifest of another backup.
        if backup.id == id { Ok(backup) } else { Err(unknown()) }
    }
}

/// Rejects hidden files: they belong to programs, and restoring one could change a program's behaviour.
fn refuse_hidden(path: &str) -> Result<(), BackupError> {
    if path != "." && path.split('/').any(|part| part.starts_with('.')) {
        return Err(BackupError::HiddenPath { path: path.to_owned() });
    }
    Ok(())
}

/// True if `copy` is the path of the copy of a file in a backup, in any backup folder.
pub(crate) fn is_copy_of(copy: &str, id: &str, path: &str) -> bool {
    is_id(id) && copy.ends_with(&format!("/{id}/{COPIES}/{path}"))
}

/// True if a name is a backup's id: a time, a hyphen, eight digits.
pub(crate) fn is_id(name: &str) -> bool {
    name.split_once('-').is_some_and(|(time, hash)| {
        BackupTime::parse(time).is_some() && hash.len() == 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path, sync::Arc};

    use fumi_base::{errors::UserError, project::Project};

    use super::{BackupTime, Backups, CopyDamage};
    use crate::references::ContentHash;

    const FOLDER: &str = "90_バックアップ";

    fn made(files: &[(&str, &str)]) -> (tempfile::TempDir, Backups) {
        let root = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            write(root.path(), name, text);
        }
        let project: Arc<Project> = Project::open(root.path()).expect("a project");
        (root, Backups::new(project, FOLDER))
    }

    fn write(root: &Path, name: &str, text: &str) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, text).expect("written");
    }

    fn read(root: &Path, name: &str) -> String {
        fs::read_to_string(root.join(name)).expect("exists")
    }

    fn at(second: u32) -> BackupTime {
        BackupTime::parse(&format!("20260131T1000{second:02}Z")).expect("a time")
    }

    #[test]
    fn restore_brings_back_files_and_backs_up_replaced_ones() {
        let (root, backups) = made(&[("40_原稿/第001話.md", "朝。"), ("a.md", "一")]);
        let backup = backups.create(&["40_原稿/第001話.md", "a.md", "./a.md"], "執筆前", &at(1)).expect("made");
        assert_eq!(backup.files.len(), 2);
        assert_eq!(backups.list().expect("listed"), (vec![backup.clone()], Vec::new()));
        assert_eq!(backups.verify(&backup.id).expect("verified"), []);
        write(root.path(), "40_原稿/第001話.md", "夜。");
        fs::remove_file(root.path().join("a.md")).expect("removed");
        let restored = backups.restore(&backup.id, None, &at(2)).expect("restored");
        assert_eq!((read(root.path(), "40_原稿/第001話.md"), read(root.path(), "a.md")), ("朝。".into(), "一".into()));
        let replaced = restored.replaced.expect("a backup");
        assert_eq!(replaced.files.len(), 1);
        let back = backups.restore(&replaced.id, None, &at(3)).expect("restored");
        assert_eq!(back.paths, ["40_原稿/第001話.md"]);
        assert_eq!(read(root.path(), "40_原稿/第001話.md"), "夜。");
        let one = backups.restore(&backup.id, Some(&["a.md"]), &at(4)).expect("restored");
        assert_eq!(one.paths, ["a.md"]);
        assert_eq!(read(root.path(), "40_原稿/第001話.md"), "夜。");
    }

    #[test]
    fn a_folder_is_backed_up_with_all_that_is_in_it_but_backups() {
        let (root, backups) = made(&[("40_原稿/上/第001話.md", "朝。"), ("40_原稿/.tmp", "x"), ("a.md", "一")]);
        let first = backups.create(&["40_原稿", "40_原稿/上/第001話.md"], "", &at(1)).expect("made");
        let paths =
            |files: &[super::BackupFile]| -> Vec<String> { files.iter().map(|file| file.path.clone()).collect() };
        assert_eq!(paths(&first.files), ["40_原稿/上/第001話.md"]);
        let second = backups.create(&["."], "", &at(2)).expect("made");
        assert_eq!(paths(&second.files), ["40_原稿/上/第001話.md", "a.md"]);
        assert_eq!(second.created_at().expect("a time").shown(), "2026-01-31T10:00:02Z");
        fs::remove_dir_all(root.path().join("40_原稿")).expect("removed");
        backups.restore(&first.id, None, &at(3)).expect("restored");
        assert_eq!(read(root.path(), "40_原稿/上/第001話.md"), "朝。");
        let deep = format!("深{}", "/深".repeat(14));
        fs::create_dir_all(root.path().join(&deep)).expect("folders");
        let refused = backups.create(&["深"], "", &at(4)).expect_err("too deep");
        assert_eq!(refused.entry(), "BACKUP_UNLISTED");
    }

    #[test]
    fn a_damaged_backup_restores_nothing() {
        let (root, backups) = made(&[("a.md", "一"), ("b.md", "二"), ("c.md", "三")]);
        let id = backups.create(&["a.md", "b.md", "c.md"], "", &at(1)).expect("made").id;
        let copies = root.path().join(FOLDER).join(&id).join("files");
        fs::write(copies.join("a.md"), "違う").expect("written");
        fs::remove_file(copies.join("b.md")).expect("removed");
        write(root.path(), "c.md", "今");
        let damage = vec![CopyDamage::Changed("a.md".to_owned()), CopyDamage::Missing("b.md".to_owned())];
        assert_eq!(backups.verify(&id).expect("verified"), damage);
        let refused = backups.restore(&id, None, &at(2)).expect_err("damaged");
        assert_eq!(refused.entry(), "BACKUP_DAMAGED");
        assert_eq!(read(root.path(), "c.md"), "今");
        backups.restore(&id, Some(&["c.md"]), &at(3)).expect("an intact copy");
        assert_eq!(read(root.path(), "c.md"), "三");
    }

    #[test]
    fn prune_removes_oldest_and_incomplete_backups() {
        let (root, backups) = made(&[("a.md", "一")]);
        let ids: Vec<String> =
            (1..=3).map(|second| backups.create(&["a.md"], "", &at(second)).expect("made").id).collect();
        write(root.path(), &format!("{FOLDER}/20260131T100000Z-0123abcd/files/a.md"), "半分");
        write(root.path(), &format!("{FOLDER}/手作業/a.md"), "人のもの");
        let (complete, incomplete) = backups.list().expect("listed");
        assert_eq!(complete.iter().map(|backup| &backup.id).collect::<Vec<_>>(), [&ids[2], &ids[1], &ids[0]]);
        assert_eq!(incomplete, ["20260131T100000Z-0123abcd"]);
        let gone = backups.prune(2).expect("pruned");
        assert_eq!(gone, [ids[0].as_str(), "20260131T100000Z-0123abcd"]);
        assert_eq!(backups.list().expect("listed").0.len(), 2);
        assert!(root.path().join(FOLDER).join("手作業/a.md").exists());
    }

    #[test]
    fn what_cannot_be_backed_up_or_restored_is_refused() {
        let (root, backups) = made(&[("a.md", "一"), (".git/config", "x")]);
        let outside = tempfile::tempdir().expect("a folder");
        fs::write(outside.path().join("x"), "秘密").expect("written");
        std::os::unix::fs::symlink(outside.path().join("x"), root.path().join("link.md")).expect("a link");
        for (paths, entry) in [
            (&[][..], "BACKUP_FILES"),
            (&["a.md", "nothing.md"][..], "FILE_NOT_FOUND"),
            (&["../x"][..], "PATH_TRAVERSAL"),
            (&["link.md"][..], "OUTSIDE_PROJECT"),
            (&[".git/config"][..], "HIDDEN_PATH"),
        ] {
            assert_eq!(backups.create(paths, "", &at(1)).expect_err(entry).entry(), entry);
        }
        assert_eq!(backups.list().expect("listed"), (Vec::new(), Vec::new()));
        for id in ["../x", "", "20260131T100001Z-00000000", "20260131T100001Z-zzzzzzzz"] {
            assert_eq!(backups.verify(id).expect_err(id).entry(), "BACKUP_NOT_FOUND");
        }
        let id = backups.create(&["a.md"], "", &at(1)).expect("made").id;
        let unknown = backups.restore(&id, Some(&["b.md"]), &at(2)).expect_err("unknown");
        assert_eq!(unknown.entry(), "NOT_IN_BACKUP");
        // A backup that was copied under another name.
        let copied = "20260131T100009Z-0123abcd";
        write(
            root.path(),
            &format!("{FOLDER}/{copied}/manifest.yaml"),
            &read(root.path(), &format!("{FOLDER}/{id}/manifest.yaml")),
        );
        assert_eq!(backups.verify(copied).expect_err("another").entry(), "BACKUP_NOT_FOUND");
        // A manifest that was edited by hand.
        let manifest = format!("{FOLDER}/{id}/manifest.yaml");
        let text = read(root.path(), &manifest);
        write(root.path(), &format!("{FOLDER}/{id}/files/.git/hooks"), "一");
        write(root.path(), &manifest, &text.replace("a.md", ".git/hooks"));
        assert_eq!(backups.restore(&id, None, &at(3)).expect_err("hidden").entry(), "HIDDEN_PATH");
        write(root.path(), &manifest, &text.replace("a.md", "../../../out.md"));
        assert!(backups.restore(&id, None, &at(3)).is_err());
        assert!(!root.path().join("../out.md").exists());
    }

    /// Makes automatic backups of `a.md`, one per minute of a year, each with one of the texts; the replacement has the
    /// same hash.
    fn made_before(root: &Path, year: u32, texts: &[&str]) -> Vec<String> {
        let made = texts.iter().enumerate().map(|(at, text)| {
            let sha256 = ContentHash::from_bytes(text.as_bytes());
            let id = format!("{year}0101T{:02}{:02}00Z-0123abcd", at / 60, at % 60);
            let (digits, size) = (sha256.digits(), text.len());
            let file = format!("- path: a.md\n  sha256: {digits}\n  size: {size}\n  becomes: {digits}\n");
            write(root, &format!("{FOLDER}/{id}/files/a.md"), text);
            write(root, &format!("{FOLDER}/{id}/manifest.yaml"), &format!("id: {id}\nreason: before\nfiles:\n{file}"));
            id
        });
        made.collect()
    }

    fn ids(backups: &Backups) -> Vec<String> {
        let (complete, _) = backups.list().expect("listed");
        complete.into_iter().map(|backup| backup.id).collect()
    }

    #[test]
    fn clean_up_removes_only_redundant_backups() {
        let (root, backups) = made(&[("a.md", "now")]);
        // fumi itself wrote both texts at some time, the first one in a restoration.
        let texts: Vec<&str> = ["theirs"].into_iter().chain(vec!["fixed"; 299]).collect();
        let made = made_before(root.path(), 2025, &texts);
        let new = backups.create_before(&[("a.md", "0")], "", &at(1)).expect("made").id;
        let left = ids(&backups);
        assert!(left.contains(&made[0]) && left.contains(&new));
        assert_eq!(left.len(), 202);
    }

    #[test]
    fn damaged_copies_do_not_make_a_backup_redundant() {
        let (root, backups) = made(&[("a.md", "now")]);
        let made = made_before(root.path(), 2025, &["fixed"; 300]);
        for id in &made[1..] {
            write(root.path(), &format!("{FOLDER}/{id}/files/a.md"), "damaged");
        }
        backups.create_before(&[("a.md", "0")], "", &at(1)).expect("made");
        assert!(ids(&backups).contains(&made[0]));
    }

    #[test]
    fn the_backup_that_is_restored_stays() {
        let (root, backups) = made(&[("a.md", "now")]);
        let made = made_before(root.path(), 2025, &["fixed"; 300]);
        backups.restore(&made[0], None, &at(1)).expect("restored");
        assert_eq!(read(root.path(), "a.md"), "fixed");
        assert!(ids(&backups).contains(&made[0]));
    }

    #[test]
    fn no_clean_up_with_backup_ids_in_the_future() {
        let (root, backups) = made(&[("a.md", "now")]);
        made_before(root.path(), 2099, &["now"; 300]);
        let new = backups.create_before(&[("a.md", "0")], "", &at(1)).expect("made").id;
        let left = ids(&backups);
        assert!(left.contains(&new));
        assert_eq!(left.len(), 301);
    }

    #[test]
    fn times_have_one_form() {
        for (time, is_one) in
            [("20260131T100000Z", true), ("2026-01-31T10:00:00Z", false), ("", false), ("2026013１T10000Z", false)]
        {
            assert_eq!(BackupTime::parse(time).is_some(), is_one, "{time}");
        }
    }
}
