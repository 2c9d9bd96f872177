//! Storage for review files: in the project, or in memory until everything is written or for read-only callers.
//!
//! A file in memory shadows the project's file of the same path, which stays unchanged. The owner of the [`ReviewOverlay`]
//! decides what happens to it.

use std::{collections::BTreeMap, sync::Arc};

use fumi_base::{atomic_write::replace, files, project::Project};
use parking_lot::Mutex;

use crate::errors::reviewing::ReviewError;

/// Files kept in memory under the paths that they would have in the project. Clones share the files.
#[derive(Clone, Debug, Default)]
pub struct ReviewOverlay(
    /// Locked only while the map is copied or changed.
    Arc<Mutex<BTreeMap<String, String>>>,
);

impl ReviewOverlay {
    /// Replaces all files.
    pub fn fill(&self, files: BTreeMap<String, String>) {
        *self.0.lock() = files;
    }

    /// Removes and returns all files.
    pub fn take(&self) -> BTreeMap<String, String> {
        std::mem::take(&mut *self.0.lock())
    }

    /// Returns one file.
    fn get(&self, path: &str) -> Option<String> {
        self.0.lock().get(path).cloned()
    }

    /// Returns a copy of all files.
    pub fn files(&self) -> BTreeMap<String, String> {
        self.0.lock().clone()
    }
}

/// Reads and writes the files of reviews.
#[derive(Clone, Debug)]
pub(super) struct ReviewFiles {
    project: Arc<Project>,
    apart: Option<ReviewOverlay>,
}

impl ReviewFiles {
    pub(super) fn new(project: Arc<Project>, apart: Option<ReviewOverlay>) -> Self {
        Self { project, apart }
    }

    pub(super) fn project(&self) -> &Arc<Project> {
        &self.project
    }

    /// Returns the text of a file; `None` if it does not exist.
    pub(super) fn text(&self, path: &str, most: u64) -> Result<Option<String>, ReviewError> {
        if let Some(text) = self.apart.as_ref().and_then(|apart| apart.get(path)) {
            return Ok(Some(text));
        }
        match self.project.find(path)? {
            Some(file) => Ok(Some(String::from_utf8_lossy(&files::read(&file, most)?).into_owned())),
            None => Ok(None),
        }
    }

    pub(super) fn write(&self, path: &str, text: &str) -> Result<(), ReviewError> {
        match &self.apart {
            Some(apart) => {
                let mut files = apart.0.lock();
                files.insert(path.to_owned(), text.to_owned());
            }
            None => drop(replace(&self.project, path, text.as_bytes())?),
        }
        Ok(())
    }
}
