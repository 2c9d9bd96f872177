//! What was asked and answered in a session, in time: `.noveler/writes/ID/trace.yaml`, beside the texts themselves.
//!
//! It is for people who improve prompts, and for `verbose`. Nothing depends on it: one that is broken or gone is begun anew. A
//! refused answer leaves no entry, because a refused call writes nothing.

use std::sync::Arc;

use fumi_base::{files, project::Project};
use serde::{Deserialize, Serialize};

use super::{
    moment::{Moment, SessionId},
    session::Session,
    stages::Stage,
    workflow::CONTENT_BYTES,
};
use crate::project::read_yaml;

/// How many entries are kept, the newest: a session has 20, and more where stages are done again.
const ENTRIES: usize = 400;

/// A turn that was accepted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Traced {
    /// Which tool took the answer.
    pub tool_name: String,
    /// The stage.
    pub stage: Stage,
    /// Its turn, from 1.
    pub turn: usize,
    /// When it was asked: when the answer before it was accepted.
    pub start: Moment,
    /// When it was accepted.
    pub end: Moment,
    /// Always `completed`.
    pub status: String,
    /// The question, relative to the project.
    pub prompt_file: String,
    /// The answer, relative to the project.
    pub answer_file: String,
}

/// The trace of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Trace {
    #[serde(default)]
    pub(super) execution_trace: Vec<Traced>,
}

/// Where it is.
pub(super) fn path_of(id: &SessionId) -> String {
    format!(".noveler/writes/{id}/trace.yaml")
}

/// The trace of a session as it is on the disk.
pub(super) fn of(project: &Arc<Project>, session: &Session) -> Trace {
    let file = project.resolve(&path_of(session.id())).ok();
    let bytes = file.and_then(|file| files::read(&file, CONTENT_BYTES as u64).ok());
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    Trace::read(text.as_deref(), session.last_updated())
}

impl Trace {
    /// What there is of one, until the session was last written: a crash may have left an entry of an answer that was not taken.
    pub(super) fn read(text: Option<&str>, until: &Moment) -> Self {
        let read = text.and_then(|text| read_yaml::<Option<Self>>("trace", text).ok());
        let mut read = read.flatten().unwrap_or_default();
        read.execution_trace.retain(|entry| entry.end <= *until);
        read
    }

    /// Adds an entry. The same answer to the same turn, sent again after a crash, stands there once.
    pub(super) fn add(&mut self, entry: Traced) {
        let is_same = |other: &Traced| {
            (other.stage, other.turn) == (entry.stage, entry.turn) && other.answer_file == entry.answer_file
        };
        self.execution_trace.retain(|other| !is_same(other));
        self.execution_trace.push(entry);
        let over = self.execution_trace.len().saturating_sub(ENTRIES);
        self.execution_trace.drain(..over);
    }

    /// Its file.
    ///
    /// # Panics
    /// Never: everything in it is what YAML can hold.
    pub(super) fn to_yaml(&self) -> String {
        serde_saphyr::to_string(self).expect("texts and numbers are YAML")
    }
}
