//! All sessions of a project at a glance: which are open, what was done last, how long stages take.
//!
//! Invariant: every open session is read; of the finished ones only the newest are. The files that sessions name are not compared
//! with their hashes here: whoever goes on with one does that. Nothing is written.

use std::sync::Arc;

use fumi_base::{
    files,
    listing::list_last,
    project::{PathError, Project, ProjectPath},
};

use super::{
    session::Session,
    store::{FOLDER, SESSION_BYTES, SESSIONS},
    trace::{self, Trace, Traced},
};
use crate::errors::{project::ProjectError, writing::WritingError};

/// How many finished sessions are read: enough for the last events and for how long a stage takes.
const FINISHED: usize = 30;

/// Of how many sessions the trace is read, those that were changed last.
const TRACED: usize = 10;

/// The sessions of a project.
#[derive(Debug, Default)]
pub struct Overview {
    /// The ones that were changed last first.
    pub sessions: Vec<Session>,
    /// What was accepted when, of the first of them; a trace that is gone or broken is empty.
    pub traces: Vec<Vec<Traced>>,
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
        let (listed, _) = list_last(&folder, SESSIONS)?;
        let mut finished = 0;
        // Names begin with the time.
        let files = listed.iter().rev();
        for file in files.filter(|file| file.name.strip_suffix(".yaml").is_some()) {
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
        let traced = overview.sessions.iter().take(TRACED);
        overview.traces = traced.map(|session| trace_of(project, session)).collect();
        Ok(overview)
    }
}

fn trace_of(project: &Arc<Project>, session: &Session) -> Vec<Traced> {
    let file = project.resolve(&trace::path_of(session.id()));
    let text = file.ok().and_then(|file| text_of(&file).ok());
    Trace::read(text.as_deref(), session.last_updated()).execution_trace
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
