//! An overview of all writing sessions of a project: open sessions, recent events, durations of stages.
//!
//! Invariant: all open sessions are read, but only the newest finished ones. An open session is abandoned once a newer
//! one was begun in its place. The hashes of the files that sessions list are not checked here, only when a session is
//! continued. Nothing is written.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use fumi_base::{
    files,
    listing::list_last,
    project::{Project, ProjectPath},
};

use super::{
    session::WritingSession,
    store::{FOLDER, SESSION_BYTES, SESSIONS},
    trace::{self, SessionTrace, TracedTurn},
    utc_time::WritingSessionId,
};
use crate::errors::{project::ProjectError, writing::WritingError};

/// The number of finished sessions that are read: enough for recent events and for the durations of stages.
const FINISHED: usize = 30;

/// The number of most recently changed sessions whose trace is read.
const TRACED: usize = 10;

/// The sessions of a project.
#[derive(Debug, Default)]
pub struct SessionsOverview {
    /// The sessions, most recently changed first.
    pub sessions: Vec<WritingSession>,
    /// The traces of the first of those sessions; a missing or broken trace is empty.
    pub traces: Vec<Vec<TracedTurn>>,
    /// The open sessions in whose place a newer one was begun.
    pub abandoned: BTreeSet<WritingSessionId>,
    /// The errors of sessions that could not be read.
    pub broken: Vec<WritingError>,
}

impl SessionsOverview {
    /// Reads the sessions of a project.
    pub fn read(project: &Arc<Project>) -> Result<Self, ProjectError> {
        let mut overview = Self::default();
        let Some(folder) = project.find(FOLDER)? else {
            return Ok(overview);
        };
        let (listed, _) = list_last(&folder, SESSIONS)?;
        let mut finished = 0;
        // The episodes of finished sessions that are not read.
        let mut rewritten = BTreeSet::new();
        // File names begin with the time.
        let files = listed.iter().rev();
        for file in files.filter(|file| file.name.strip_suffix(".yaml").is_some()) {
            match text_of(&file.path) {
                // A finished session lacks this key. Parsing YAML takes a hundred times as long as searching for
                // a word.
                Ok(text) if finished >= FINISHED && !text.contains("current_stage") => {
                    // The session of a draft alone does not replace one that writes the episode.
                    let is_draft = text.lines().any(|line| line.trim_end() == "route: draft");
                    rewritten.extend(episode_in(&text).filter(|_| !is_draft));
                }
                Ok(text) => match WritingSession::read(&file.path.shown(), &text) {
                    Ok(session) => {
                        finished += usize::from(session.current().is_none());
                        if session.current().is_some() && rewritten.contains(&session.episode().number()) {
                            overview.abandoned.insert(session.id().clone());
                        }
                        overview.sessions.push(session);
                    }
                    Err(error) => overview.broken.push(error),
                },
                Err(error) => overview.broken.push(error),
            }
        }
        overview.abandoned.extend(abandoned(&overview.sessions));
        overview.sessions.sort_by(|a, b| b.last_updated().cmp(a.last_updated()));
        let traced = overview.sessions.iter().take(TRACED);
        overview.traces = traced.map(|session| trace_of(project, session)).collect();
        Ok(overview)
    }
}

/// Returns the ids of the open sessions in whose place a newer one was begun.
fn abandoned(sessions: &[WritingSession]) -> Vec<WritingSessionId> {
    // The newest session of each episode, for sessions that write the episode and for those of a draft alone.
    let mut newest: BTreeMap<(u32, bool), &WritingSession> = BTreeMap::new();
    for session in sessions {
        let last = newest.entry((session.episode().number(), session.route().writes_an_episode())).or_insert(session);
        if session.created_at() > last.created_at() {
            *last = session;
        }
    }
    let is_abandoned = |old: &&WritingSession| {
        let new = [true, false].map(|writes| newest.get(&(old.episode().number(), writes)));
        old.current().is_some() && new.into_iter().flatten().any(|new| new.replaces(old))
    };
    sessions.iter().filter(is_abandoned).map(|old| old.id().clone()).collect()
}

/// Returns the number of the episode in the text of a session's file, without parsing the file.
fn episode_in(text: &str) -> Option<u32> {
    text.lines().find_map(|line| line.strip_prefix("episode:")).and_then(|number| number.trim().parse().ok())
}

fn trace_of(project: &Arc<Project>, session: &WritingSession) -> Vec<TracedTurn> {
    let file = project.find(&trace::path_of(session.id())).ok().flatten();
    let text = file.and_then(|file| text_of(&file).ok());
    SessionTrace::read(text.as_deref(), session.last_updated()).execution_trace
}

fn text_of(file: &ProjectPath) -> Result<String, WritingError> {
    let bytes = files::read(file, SESSION_BYTES)?;
    let text = String::from_utf8(bytes).map_err(|_| ProjectError::BrokenYaml {
        path: file.shown(),
        line: 0,
        column: 0,
        reason: "it has bytes that are not valid UTF-8".to_owned(),
    })?;
    Ok(text)
}
