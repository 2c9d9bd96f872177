//! All sessions of a project at a glance: which are open, what was done last, how long stages take.
//!
//! Invariant: every open session is read; of the finished ones only the newest are. The files that sessions name are not compared
//! with their hashes here: whoever goes on with one does that. Nothing is written.

use std::sync::Arc;

use fumi_base::{
    files,
    listing::list,
    project::{PathError, Project, ProjectPath},
};

use super::{
    session::Session,
    store::{FOLDER, SESSION_BYTES, SESSIONS},
};
use crate::errors::{project::ProjectError, writing::WritingError};

/// How many finished sessions are read: enough for the last events and for how long a stage takes.
const FINISHED: usize = 30;

/// The sessions of a project.
#[derive(Debug, Default)]
pub struct Overview {
    /// The newest first.
    pub sessions: Vec<Session>,
    /// What could not be read.
    pub broken: Vec<WritingError>,
}

impl Overview {
    /// Reads them.
    pub fn of(project: &Arc<Project>) -> Result<Self, ProjectError> {
        let mut overview = Self::default();
        let folder = match project.resolve(FOLDER) {
            Ok(folder) => folder,
            Err(PathError::NotFound { .. }) => return Ok(overview),
            Err(error) => return Err(error.into()),
        };
        let (listed, _) = list(&folder, SESSIONS)?;
        let mut finished = 0;
        // Names begin with the time.
        for file in listed.iter().rev().filter(|file| file.name.ends_with(".yaml")) {
            match text_of(&file.path) {
                // A finished session has no such key. Reading YAML costs a hundred times what looking for a word does.
                Ok(text) if finished >= FINISHED && !text.contains("current_stage") => {}
                Ok(text) => match Session::read(&file.path.shown(), &text) {
                    Ok(session) => {
                        finished += usize::from(session.current().is_none());
                        overview.sessions.push(session);
                    }
                    Err(error) => overview.broken.push(error),
                },
                Err(error) => overview.broken.push(error),
            }
        }
        overview.sessions.sort_by(|a, b| b.last_updated().cmp(a.last_updated()));
        Ok(overview)
    }
}

fn text_of(file: &ProjectPath) -> Result<String, WritingError> {
    let bytes = files::read(file, SESSION_BYTES)?;
    let text = String::from_utf8(bytes).map_err(|_| ProjectError::Yaml {
        path: file.shown(),
        line: 0,
        column: 0,
        reason: "it has bytes that are no text in UTF-8".to_owned(),
    })?;
    Ok(text)
}
