//! Where the files of reviews are: in the project, or apart from it until the whole is written, or for who may only read.
//!
//! What is written apart hides what the project has under the same path, and leaves it as it is. What becomes of it is decided by
//! whoever gave the [`Apart`].

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use fumi_base::{
    files,
    project::{PathError, Project},
    writing::replace,
};

use crate::errors::reviewing::ReviewError;

/// Files that are not in the project, by the paths that they would have. Cloned handles share them.
#[derive(Clone, Debug, Default)]
pub struct Apart(
    /// Std mutex: locked to copy.
    Arc<Mutex<BTreeMap<String, String>>>,
);

impl Apart {
    /// Takes files, in place of those that were there.
    pub fn fill(&self, files: BTreeMap<String, String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = files;
    }

    /// Takes all files out.
    #[must_use]
    pub fn take(&self) -> BTreeMap<String, String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// One file.
    fn get(&self, path: &str) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    /// All files.
    #[must_use]
    pub fn files(&self) -> BTreeMap<String, String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Reads and writes the files of reviews.
#[derive(Clone, Debug)]
pub(super) struct Shelf {
    project: Arc<Project>,
    apart: Option<Apart>,
}

impl Shelf {
    pub(super) fn new(project: Arc<Project>, apart: Option<Apart>) -> Self {
        Self { project, apart }
    }

    pub(super) fn project(&self) -> &Arc<Project> {
        &self.project
    }

    /// The text of a file; `None` where there is none.
    pub(super) fn text(&self, path: &str, most: u64) -> Result<Option<String>, ReviewError> {
        if let Some(text) = self.apart.as_ref().and_then(|apart| apart.get(path)) {
            return Ok(Some(text));
        }
        match self.project.resolve(path) {
            Ok(file) => Ok(Some(String::from_utf8_lossy(&files::read(&file, most)?).into_owned())),
            Err(PathError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn write(&self, path: &str, text: &str) -> Result<(), ReviewError> {
        match &self.apart {
            Some(apart) => {
                let mut files = apart.0.lock().unwrap_or_else(PoisonError::into_inner);
                files.insert(path.to_owned(), text.to_owned());
            }
            None => drop(replace(&self.project, path, text.as_bytes())?),
        }
        Ok(())
    }
}
