//! Writing a file for a caller: only if the caller knows its present contents, and never over files reserved for
//! programs.
//!
//! A replaced file is backed up first and replaced atomically: after a crash the file contains the old text, with
//! or without a backup, or the new one. Nothing is written through links.

use std::sync::Arc;

use fumi_base::{
    atomic_write::{WriteError, replace_if},
    project::{PathError, Project},
    text::BilingualText,
    watched_path,
};

use unicode_normalization::UnicodeNormalization as _;

use crate::{
    backups::{Backup, BackupTime, Backups},
    errors::saving::SaveError,
    references::{ContentHash, FileReference},
};

/// The number of attempts if a file changes during a write.
const TRIES: u32 = 5;

/// The caller's expectation of the file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectedFile {
    /// The file must not exist.
    Nothing,
    /// The file may have any contents or be missing.
    Anything,
    /// The file must still have this hash.
    Known(ContentHash),
}

/// The result of writing a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedFile {
    /// The reference of the new file.
    pub file: FileReference,
    /// The absolute path as the client writes it.
    pub absolute: String,
    /// The previous file; `None` for a new file.
    pub replaced: Option<PreviousFile>,
}

/// A file that existed before the write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviousFile {
    /// The reference of the previous file.
    pub file: FileReference,
    /// The backup; `None` if the file already had the new contents and nothing was written.
    pub backup: Option<Backup>,
}

/// Writes files of a project on behalf of a caller.
#[derive(Clone, Debug)]
pub struct FileWriter {
    project: Arc<Project>,
    backups: String,
}

impl FileWriter {
    /// Creates a writer for a project whose backups are in the given folder.
    pub fn new(project: Arc<Project>, backups: &str) -> Self {
        Self { project, backups: backups.trim_end_matches('/').nfc().collect() }
    }

    /// Writes a text to a file. If an error is returned, the file is unchanged.
    pub fn save(&self, path: &str, text: &str, over: &ExpectedFile, now: &BackupTime) -> Result<SavedFile, SaveError> {
        let mut tries = 1..TRIES;
        let replaced = loop {
            match self.try_to(path, text, over, now) {
                // The next attempt rejects the file or backs it up in its new state.
                Err(SaveError::Write(WriteError::ChangedMeanwhile { .. })) if tries.next().is_some() => {}
                done => break done?,
            }
        };
        let file = self.project.resolve(path)?;
        Ok(SavedFile { file: FileReference::read(&file)?, absolute: file.shown_absolute(), replaced })
    }

    /// Writes the text if the file is still the one that was checked and backed up.
    fn try_to(
        &self,
        path: &str,
        text: &str,
        over: &ExpectedFile,
        now: &BackupTime,
    ) -> Result<Option<PreviousFile>, SaveError> {
        let before = self.check(path, over)?;
        let known = before.as_ref().map(|before| before.hash.clone());
        let replaced = before.map(|before| self.back_up(before, text, now)).transpose()?;
        if replaced.as_ref().is_none_or(|replaced| replaced.backup.is_some()) {
            replace_if(&self.project, path, text.as_bytes(), || Ok(self.hash_of(path)? == known))?;
        }
        Ok(replaced)
    }

    /// Returns the hash of the present file; `None` if there is none.
    fn hash_of(&self, path: &str) -> Result<Option<ContentHash>, PathError> {
        let file = self.project.find(path)?;
        file.map(|file| FileReference::read(&file).map(|file| file.hash)).transpose()
    }

    /// Checks whether a file may be written and returns the present file, or an error with the reason. Nothing is
    /// written.
    pub fn check(&self, path: &str, over: &ExpectedFile) -> Result<Option<FileReference>, SaveError> {
        let there = self.project.find(path)?;
        reject_unexpanded_path(path)?;
        self.reject_reserved_path(path)?;
        let Some(file) = there else {
            return match over {
                ExpectedFile::Known(expected) => {
                    Err(SaveError::FileGone { path: path.to_owned(), expected_hash: expected.to_string() })
                }
                ExpectedFile::Nothing | ExpectedFile::Anything => Ok(None),
            };
        };
        // A link may lead elsewhere than its path says.
        self.reject_reserved_path(&file.shown())?;
        let before = FileReference::read(&file)?;
        let (path, hash) = (before.path.clone(), before.hash.to_string());
        match over {
            ExpectedFile::Known(expected) if !expected.is_prefix_match(&before.hash) => {
                Err(SaveError::HashMismatch { path, expected_hash: expected.to_string(), current_hash: hash })
            }
            ExpectedFile::Nothing => Err(SaveError::FileExists { path, current_hash: hash, size: before.size }),
            ExpectedFile::Anything | ExpectedFile::Known(_) => Ok(Some(before)),
        }
    }

    /// Backs up the present file unless it already equals the text.
    fn back_up(&self, before: FileReference, text: &str, now: &BackupTime) -> Result<PreviousFile, SaveError> {
        let becomes = ContentHash::from_bytes(text.as_bytes());
        let backup = if before.hash == becomes {
            None
        } else {
            let backups = Backups::new(Arc::clone(&self.project), &self.backups);
            let changes = [(before.path.as_str(), becomes.digits())];
            Some(backups.create_before(&changes, "before write", now)?)
        };
        Ok(PreviousFile { file: before, backup })
    }

    /// Rejects hidden files and backups: an outside text could break their format or make programs execute it.
    fn reject_reserved_path(&self, path: &str) -> Result<(), SaveError> {
        // The check also covers absolute paths and other spellings.
        let relative = watched_path::normalised_relative(&self.project, path)?;
        if relative != "." && relative.split('/').any(|part| part.starts_with('.')) {
            return Err(SaveError::KeptByPrograms { path: path.to_owned() });
        }
        let rest = relative.strip_prefix(&self.backups);
        let is_backup = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if is_backup {
            return Err(SaveError::KeptAsBackup { path: path.to_owned() });
        }
        Ok(())
    }
}

/// Rejects paths that a shell or URL decoder would expand; taken literally, they would create unintended folders.
fn reject_unexpanded_path(path: &str) -> Result<(), SaveError> {
    let lower = path.to_ascii_lowercase();
    let (en, ja) = if path.ends_with('/') {
        ("it ends with a slash", "スラッシュで終わっています")
    } else if path.starts_with('~') {
        ("it begins with '~'", "「~」で始まっています")
    } else if path.contains('\\') {
        ("it contains a backslash", "バックスラッシュを含んでいます")
    } else if lower.contains("%2e") || lower.contains("%2f") || lower.starts_with("file:") {
        ("it is a URL, not a path", "パスではなく URL です")
    } else if path.chars().any(char::is_control) {
        ("it contains a control character", "制御文字を含んでいます")
    } else {
        return Ok(());
    };
    Err(SaveError::Path(PathError::PathTraversal { path: path.to_owned(), reason: BilingualText::new(en, ja) }))
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use fumi_base::{errors::UserError, project::Project};

    use super::{ExpectedFile, FileWriter};
    use crate::{
        backups::{BackupTime, Backups},
        references::ContentHash,
    };

    const FOLDER: &str = "90_バックアップ";
    const PATH: &str = "40_原稿/第001話.md";

    fn made() -> (tempfile::TempDir, FileWriter, Backups) {
        let root = tempfile::tempdir().expect("a folder");
        let project = Project::open(root.path()).expect("a project");
        let backups = Backups::new(project.clone(), FOLDER);
        (root, FileWriter::new(project, FOLDER), backups)
    }

    fn now() -> BackupTime {
        BackupTime::parse("20260131T100000Z").expect("a time")
    }

    fn read(root: &Path, name: &str) -> String {
        fs::read_to_string(root.join(name)).expect("exists")
    }

    #[test]
    fn save_with_known_hash_replaces_and_backs_up() {
        let (root, saving, backups) = made();
        let new = saving.save(PATH, "朝。", &ExpectedFile::Nothing, &now()).expect("new");
        assert_eq!((new.file.size, new.replaced), (6, None));
        let hash = ContentHash::from_bytes("朝。".as_bytes());
        assert_eq!(new.file.hash, hash);
        let known = saving.save(PATH, "夜。", &ExpectedFile::Known(hash.clone()), &now()).expect("known");
        let replaced = known.replaced.expect("replaced");
        assert_eq!(replaced.file.hash, hash);
        let backup = replaced.backup.expect("a backup");
        assert_eq!(backups.verify(&backup.id).expect("exists"), []);
        backups.restore(&backup.id, None, &now()).expect("restored");
        assert_eq!(read(root.path(), PATH), "朝。");
        let same = saving.save(PATH, "朝。", &ExpectedFile::Anything, &now()).expect("the same");
        assert_eq!(same.replaced.expect("replaced").backup, None);
    }

    #[test]
    fn save_rejects_unknown_contents_and_reserved_paths() {
        let (root, saving, backups) = made();
        saving.save(PATH, "朝。", &ExpectedFile::Nothing, &now()).expect("new");
        let other = ExpectedFile::Known(ContentHash::from_bytes(b"other"));
        for (over, path, entry) in [
            (&ExpectedFile::Nothing, PATH, "FILE_EXISTS"),
            (&other, PATH, "HASH_MISMATCH"),
            (&other, "40_原稿/第002話.md", "FILE_GONE"),
            (&ExpectedFile::Anything, "40_原稿", "NOT_A_FILE"),
            (&ExpectedFile::Anything, "40_原稿/x/", "PATH_TRAVERSAL"),
            (&ExpectedFile::Anything, "~/x.md", "PATH_TRAVERSAL"),
            (&ExpectedFile::Anything, "file:///x.md", "PATH_TRAVERSAL"),
            (&ExpectedFile::Anything, "%2E%2e/x.md", "PATH_TRAVERSAL"),
            (&ExpectedFile::Anything, "40_原稿\\x.md", "PATH_TRAVERSAL"),
            (&ExpectedFile::Anything, "a\nb.md", "PATH_TRAVERSAL"),
            (&ExpectedFile::Anything, "../x", "PATH_TRAVERSAL"),
            (&ExpectedFile::Anything, ".noveler/sessions/x.yaml", "KEPT_BY_PROGRAMS"),
            (&ExpectedFile::Anything, "./.git/hooks/pre-commit", "KEPT_BY_PROGRAMS"),
            (&ExpectedFile::Anything, "sub/.git/config", "KEPT_BY_PROGRAMS"),
            (&ExpectedFile::Anything, "90_バックアップ/x.md", "KEPT_AS_BACKUP"),
            // The same name in another normalisation form.
            (&ExpectedFile::Anything, "90_ハ\u{3099}ックアッフ\u{309a}/x.md", "KEPT_AS_BACKUP"),
        ] {
            let refused = saving.save(path, "夜。", over, &now()).expect_err(path);
            assert_eq!(refused.entry(), entry, "{path}");
        }
        let absolute = root.path().canonicalize().expect("exists").join(".fumi/x");
        let refused = saving.save(&absolute.to_string_lossy(), "x", &ExpectedFile::Anything, &now());
        assert_eq!(refused.expect_err("absolute").entry(), "KEPT_BY_PROGRAMS");
        assert_eq!(read(root.path(), PATH), "朝。");
        assert_eq!(backups.list().expect("listed").0, []);
        assert_eq!(fs::read_dir(root.path()).expect("exists").count(), 1);
    }

    #[test]
    fn nothing_is_written_through_links() {
        let (root, saving, _) = made();
        let outside = tempfile::tempdir().expect("a folder");
        fs::create_dir(root.path().join(".noveler")).expect("a folder");
        fs::write(root.path().join(".noveler/a.yaml"), "a: 1").expect("written");
        fs::write(outside.path().join("x.md"), "外").expect("written");
        fs::write(root.path().join("in.md"), "中").expect("written");
        for (link, to) in [
            ("state", ".noveler".into()),
            ("a.yaml", ".noveler/a.yaml".into()),
            ("out", outside.path().to_path_buf()),
            ("out.md", outside.path().join("x.md")),
            ("new.md", outside.path().join("new.md")),
            ("other.md", "in.md".into()),
        ] {
            std::os::unix::fs::symlink(to, root.path().join(link)).expect("a link");
        }
        for path in ["state/b.yaml", "state/a.yaml", "a.yaml", "out/x.md", "out/y.md", "out.md", "new.md", "other.md"] {
            saving.save(path, "x", &ExpectedFile::Anything, &now()).expect_err(path);
        }
        assert_eq!(read(root.path(), ".noveler/a.yaml"), "a: 1");
        assert_eq!(read(root.path(), "in.md"), "中");
        assert_eq!(read(outside.path(), "x.md"), "外");
        assert_eq!(fs::read_dir(outside.path()).expect("exists").count(), 1);
    }
}
