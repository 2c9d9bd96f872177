//! The trace of a session: prompts and answers in order of time, in `.noveler/writes/ID/trace.yaml` beside the texts.
//!
//! The trace is for people who improve prompts, and for `verbose`. Nothing depends on it: a broken or missing trace is
//! started anew. A rejected answer leaves no entry, because a rejected call writes nothing.

use std::sync::Arc;

use fumi_base::project::{PathError, Project};
use serde::{Deserialize, Serialize};

use super::{
    session::WritingSession,
    stages::WritingStage,
    utc_time::{UtcTime, WritingSessionId},
    workflow::CONTENT_BYTES,
};
use crate::project::{read_if_readable, read_yaml};

/// The largest number of entries kept, from the newest: a session has 20, and more if stages are repeated.
const ENTRIES: usize = 400;

/// An accepted turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracedTurn {
    /// The tool that took the answer.
    pub tool_name: String,
    pub stage: WritingStage,
    /// The turn within the stage, from 1.
    pub turn: usize,
    /// The start of the turn: the time at which the previous answer was accepted.
    pub start: UtcTime,
    /// The time at which the answer was accepted.
    pub end: UtcTime,
    /// The constant `completed`.
    pub status: String,
    /// The path of the prompt, relative to the project root.
    pub prompt_file: String,
    /// The path of the answer, relative to the project root.
    pub answer_file: String,
}

/// The accepted turns of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SessionTrace {
    #[serde(default)]
    pub(super) execution_trace: Vec<TracedTurn>,
}

/// Returns the path of a session's trace.
pub(super) fn path_of(id: &WritingSessionId) -> String {
    format!(".noveler/writes/{id}/trace.yaml")
}

/// Reads the trace of a session from the disk.
pub(super) fn read_trace(project: &Arc<Project>, session: &WritingSession) -> Result<SessionTrace, PathError> {
    let bytes = read_if_readable(project, &path_of(session.id()), CONTENT_BYTES as u64)?;
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    Ok(SessionTrace::read(text.as_deref(), session.last_updated()))
}

impl SessionTrace {
    /// Parses a trace up to the last write of the session, because a crash may have left an entry of an answer that was
    /// not taken.
    pub(super) fn read(text: Option<&str>, until: &UtcTime) -> Self {
        let read = text.and_then(|text| read_yaml::<Option<Self>>("trace", text).ok());
        let mut read = read.flatten().unwrap_or_default();
        read.execution_trace.retain(|entry| entry.end <= *until);
        read
    }

    /// Adds an entry. The same answer to the same turn, sent again after a crash, is stored once.
    pub(super) fn add(&mut self, entry: TracedTurn) {
        let is_same = |other: &TracedTurn| {
            (other.stage, other.turn) == (entry.stage, entry.turn) && other.answer_file == entry.answer_file
        };
        self.execution_trace.retain(|other| !is_same(other));
        self.execution_trace.push(entry);
        let over = self.execution_trace.len().saturating_sub(ENTRIES);
        self.execution_trace.drain(..over);
    }

    /// Returns the contents of the trace file.
    ///
    /// # Panics
    /// Never: all values can be represented in YAML.
    pub(super) fn to_yaml(&self) -> String {
        serde_saphyr::to_string(self).expect("texts and numbers can be represented in YAML")
    }
}
