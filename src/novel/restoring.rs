//! A restoration that is under way, written down in the novel: one that a crash interrupted is finished by the next turn to write.
//!
//! Invariant: the note is there before the first file is put back, and gone after the last. Forward and not back: every copy was
//! verified before the note was written. A file that somebody changed since is left to them.

use std::{collections::HashMap, sync::Arc};

use fumi_base::{
    files,
    project::{PathError, Project},
    text::Text,
    writing::{WriteError, remove_file, replace},
};
use serde::{Deserialize, Serialize};

use crate::{backups::Backups, errors::backup::BackupError, project::read_yaml};

/// Where it is written down.
const NOTE: &str = ".noveler/restoring.yaml";

/// The largest note that is read: 2,000 paths.
const NOTE_BYTES: u64 = 16 << 20;

/// What is put back, and what stood there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Restoring {
    /// The backup that is restored.
    pub backup: String,
    /// Its files that are.
    pub paths: Vec<String>,
    /// The backup of what stood there; `None` where nothing did.
    pub replaced: Option<String>,
}

/// A restoration that was interrupted, as far as it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupted {
    /// The backup that was to be restored.
    pub backup: String,
    /// How many files were to be put back.
    pub total: usize,
    /// How many are.
    pub restored: usize,
}

/// What a file is, compared with the two backups.
enum Now {
    Restored,
    AsBefore,
    /// Somebody changed it since.
    Other,
}

impl Restoring {
    /// Writes it down.
    ///
    /// # Panics
    /// Never: texts and lists are YAML.
    pub(crate) fn begin(&self, project: &Project) -> Result<(), WriteError> {
        let note = serde_saphyr::to_string(self).expect("texts and lists are YAML");
        replace(project, NOTE, note.as_bytes()).map(drop)
    }

    /// Says that it is done.
    pub(crate) fn end(project: &Project) -> Result<(), WriteError> {
        remove_file(project, NOTE)
    }

    /// The one that was interrupted.
    fn left(project: &Arc<Project>) -> Result<Option<Self>, BackupError> {
        let note = match project.resolve(NOTE) {
            Ok(note) => note,
            Err(PathError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let bytes = files::read(&note, NOTE_BYTES)?;
        Ok(Some(read_yaml(NOTE, &String::from_utf8_lossy(&bytes))?))
    }
}

impl Backups {
    /// The restoration that was interrupted and not finished since.
    pub fn interrupted(&self) -> Result<Option<Interrupted>, BackupError> {
        let Some(left) = Restoring::left(self.project())? else {
            return Ok(None);
        };
        let now = self.compared(&left)?;
        Ok(Some(Interrupted {
            backup: left.backup,
            total: now.len(),
            restored: now.iter().filter(|(_, now)| matches!(now, Now::Restored)).count(),
        }))
    }

    /// Finishes the restoration that was interrupted, if there is one. For whoever has the turn to write. Returns the files that
    /// somebody changed since, which stay as they are.
    pub fn finish_interrupted(&self) -> Result<Vec<String>, BackupError> {
        let Some(left) = Restoring::left(self.project())? else {
            return Ok(Vec::new());
        };
        let backup = match self.manifest(&left.backup) {
            Ok(backup) => backup,
            Err(error @ BackupError::NoBackup { .. }) => {
                // It can never be finished.
                Restoring::end(self.project())?;
                return Err(error);
            }
            Err(error) => return Err(error),
        };
        let mut kept = Vec::new();
        for (path, now) in self.compared(&left)? {
            match now {
                Now::Restored => {}
                Now::Other => kept.push(path),
                Now::AsBefore => {
                    let bytes = self.whole_copy(&backup, &path)?;
                    replace(self.project(), &path, &bytes)?;
                }
            }
        }
        Restoring::end(self.project())?;
        Ok(kept)
    }

    /// Every file of a restoration as it is now.
    fn compared(&self, left: &Restoring) -> Result<Vec<(String, Now)>, BackupError> {
        let hashes = |id: &str| {
            let files = self.manifest(id)?.files;
            Ok::<_, BackupError>(files.into_iter().map(|file| (file.path, file.sha256)))
        };
        let wanted: HashMap<_, _> = hashes(&left.backup)?.collect();
        let before: HashMap<_, _> = match &left.replaced {
            Some(id) => hashes(id)?.collect(),
            None => HashMap::new(),
        };
        let compare = |path: &String| {
            let hash = self.hash_of(path);
            let now = if hash.is_some() && hash.as_ref() == wanted.get(path) {
                Now::Restored
            } else if hash.as_ref() == before.get(path) {
                Now::AsBefore
            } else {
                Now::Other
            };
            (path.clone(), now)
        };
        Ok(left.paths.iter().map(compare).collect())
    }
}

impl Interrupted {
    /// The remark as a sentence, in both languages.
    #[must_use]
    pub fn message(&self) -> Text {
        let Self {
            backup,
            total,
            restored,
        } = self;
        Text::new(
            format!(
                "Restoring the backup {backup} was interrupted: {restored} of {total} files are restored. The next call that writes to this novel restores the others first."
            ),
            format!(
                "バックアップ {backup} の復元が途中で止まっています（{total} 件中 {restored} 件を復元済み）。この作品に次に書き込むときに、残りを先に復元します。"
            ),
        )
    }
}
