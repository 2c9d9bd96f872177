//! Writing a file for somebody: only where they say that they know what stands there, and never over what programs keep.
//!
//! What is replaced is backed up first and then replaced whole, so that after a crash there is the old text, with or without a
//! backup, or the new one. Nothing is written through links.

use std::sync::Arc;

use fumi_base::{
    files,
    project::{PathError, Project, ProjectPath},
    writing::replace,
};

use crate::{
    backups::{Backup, Backups, Stamp},
    errors::saving::SaveError,
    references::{ContentHash, FILE_BYTES, FileReference},
};

/// What the caller says of a file that is there already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Over {
    /// That there is none.
    Nothing,
    /// That it may be replaced whatever it is.
    Anything,
    /// That it is still what they read.
    Known(ContentHash),
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// As it is now.
    pub file: FileReference,
    /// Where that is, as the client writes it.
    pub absolute: String,
    /// What stood there before; `None` for a new file.
    pub replaced: Option<Replaced>,
}

/// A file that was there before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// As it was.
    pub file: FileReference,
    /// Its backup; `None` where it had this very content, and nothing was written.
    pub backup: Option<Backup>,
}

/// Writes files of a project.
#[derive(Clone, Debug)]
pub struct Saving {
    project: Arc<Project>,
    backups: String,
}

impl Saving {
    /// Into a project whose backups lie in a folder.
    #[must_use]
    pub fn to(project: Arc<Project>, backups: &str) -> Self {
        Self {
            project,
            backups: backups.trim_end_matches('/').to_owned(),
        }
    }

    /// Writes a text to a file. A refusal has written nothing.
    pub fn save(&self, path: &str, text: &str, over: &Over, now: &Stamp) -> Result<Saved, SaveError> {
        if path.ends_with('/') {
            return Err(folder(path));
        }
        let there = match self.project.resolve(path) {
            Ok(file) => Some(file),
            Err(PathError::NotFound { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        self.refuse_kept(path)?;
        let replaced = match &there {
            Some(file) if file.is_dir() => return Err(folder(path)),
            Some(file) => {
                // Named by a link it may be elsewhere than it says.
                self.refuse_kept(&file.shown())?;
                Some(self.replaced(file, text, over, now)?)
            }
            None => {
                if let Over::Known(expected) = over {
                    return Err(SaveError::Gone {
                        path: path.to_owned(),
                        expected: expected.to_string(),
                    });
                }
                None
            }
        };
        if replaced.as_ref().is_none_or(|replaced| replaced.backup.is_some()) {
            replace(&self.project, path, text.as_bytes())?;
        }
        let file = self.project.resolve(path)?;
        Ok(Saved {
            file: FileReference::of(&file)?,
            absolute: file.shown_absolute(),
            replaced,
        })
    }

    /// Backs up what stands there, if the caller knows of it.
    fn replaced(&self, file: &ProjectPath, text: &str, over: &Over, now: &Stamp) -> Result<Replaced, SaveError> {
        let path = file.shown();
        let before = FileReference::of(file)?;
        match over {
            Over::Anything => {}
            Over::Known(expected) if expected.names(&before.hash) => {}
            Over::Known(expected) => {
                return Err(SaveError::Other {
                    path,
                    expected: expected.to_string(),
                    hash: before.hash.to_string(),
                });
            }
            Over::Nothing => {
                return Err(SaveError::Exists {
                    path,
                    hash: before.hash.to_string(),
                    size: before.size,
                });
            }
        }
        if files::read(file, FILE_BYTES)? == text.as_bytes() {
            return Ok(Replaced {
                file: before,
                backup: None,
            });
        }
        let backups = Backups::of(Arc::clone(&self.project), &self.backups);
        let backup = backups.create(&[path.as_str()], "before write", now)?;
        Ok(Replaced {
            file: before,
            backup: Some(backup),
        })
    }

    /// What programs keep has a form that a text from outside would break, or lets programs do what it says.
    fn refuse_kept(&self, path: &str) -> Result<(), SaveError> {
        // Also as an absolute path, and in whatever spelling.
        let relative = fumi_base::place::relative(&self.project, path)?;
        if relative.split('/').any(|part| part.starts_with('.')) {
            return Err(SaveError::Hidden { path: path.to_owned() });
        }
        let is_backup = relative == self.backups || relative.starts_with(&format!("{}/", self.backups));
        if is_backup {
            return Err(SaveError::InBackups { path: path.to_owned() });
        }
        Ok(())
    }
}

fn folder(path: &str) -> SaveError {
    SaveError::Path(PathError::NotAFile {
        path: path.to_owned(),
        kind: "a folder",
        kind_ja: "フォルダー",
    })
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use fumi_base::{errors::Teach, project::Project};

    use super::{Over, Saving};
    use crate::{
        backups::{Backups, Stamp},
        references::ContentHash,
    };

    const FOLDER: &str = "90_バックアップ";
    const PATH: &str = "40_原稿/第001話.md";

    fn made() -> (tempfile::TempDir, Saving, Backups) {
        let root = tempfile::tempdir().expect("a folder");
        let project = Project::open(root.path()).expect("a project");
        let backups = Backups::of(project.clone(), FOLDER);
        (root, Saving::to(project, FOLDER), backups)
    }

    fn now() -> Stamp {
        Stamp::parse("20260131T100000Z").expect("a time")
    }

    fn read(root: &Path, name: &str) -> String {
        fs::read_to_string(root.join(name)).expect("there")
    }

    #[test]
    fn a_file_is_replaced_by_whoever_knows_it_and_the_old_one_comes_back() {
        let (root, saving, backups) = made();
        let new = saving.save(PATH, "朝。", &Over::Nothing, &now()).expect("new");
        assert_eq!((new.file.size, new.replaced), (6, None));
        let hash = ContentHash::of("朝。".as_bytes());
        assert_eq!(new.file.hash, hash);
        let known = saving.save(PATH, "夜。", &Over::Known(hash.clone()), &now()).expect("known");
        let replaced = known.replaced.expect("there was one");
        assert_eq!(replaced.file.hash, hash);
        let backup = replaced.backup.expect("a backup");
        assert_eq!(backups.verify(&backup.id).expect("there"), []);
        backups.restore(&backup.id, None, &now()).expect("restored");
        assert_eq!(read(root.path(), PATH), "朝。");
        let same = saving.save(PATH, "朝。", &Over::Anything, &now()).expect("the same");
        assert_eq!(same.replaced.expect("there was one").backup, None);
    }

    #[test]
    fn a_file_that_nobody_knows_stays() {
        let (root, saving, backups) = made();
        saving.save(PATH, "朝。", &Over::Nothing, &now()).expect("new");
        let other = Over::Known(ContentHash::of(b"other"));
        for (over, path, entry) in [
            (&Over::Nothing, PATH, "FILE_EXISTS"),
            (&other, PATH, "HASH_MISMATCH"),
            (&other, "40_原稿/第002話.md", "FILE_GONE"),
            (&Over::Anything, "40_原稿", "NOT_A_FILE"),
            (&Over::Anything, "40_原稿/x/", "NOT_A_FILE"),
            (&Over::Anything, "../x", "PATH_TRAVERSAL"),
            (&Over::Anything, ".noveler/sessions/x.yaml", "KEPT_BY_PROGRAMS"),
            (&Over::Anything, "./.git/hooks/pre-commit", "KEPT_BY_PROGRAMS"),
            (&Over::Anything, "sub/.git/config", "KEPT_BY_PROGRAMS"),
            (&Over::Anything, "90_バックアップ/x.md", "KEPT_AS_BACKUP"),
            // The same name in another normal form.
            (&Over::Anything, "90_ハ\u{3099}ックアッフ\u{309a}/x.md", "KEPT_AS_BACKUP"),
        ] {
            let refused = saving.save(path, "夜。", over, &now()).expect_err(path);
            assert_eq!(refused.entry(), entry, "{path}");
        }
        let absolute = root.path().canonicalize().expect("there").join(".fumi/x");
        let refused = saving.save(&absolute.to_string_lossy(), "x", &Over::Anything, &now());
        assert_eq!(refused.expect_err("absolute").entry(), "KEPT_BY_PROGRAMS");
        assert_eq!(read(root.path(), PATH), "朝。");
        assert_eq!(backups.list().expect("listed").0, []);
        assert_eq!(fs::read_dir(root.path()).expect("there").count(), 1);
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
            saving.save(path, "x", &Over::Anything, &now()).expect_err(path);
        }
        assert_eq!(read(root.path(), ".noveler/a.yaml"), "a: 1");
        assert_eq!(read(root.path(), "in.md"), "中");
        assert_eq!(read(outside.path(), "x.md"), "外");
        assert_eq!(fs::read_dir(outside.path()).expect("there").count(), 1);
    }
}
