//! Storage of sessions: `.noveler/sessions/ID.yaml`, and the listed files under `.noveler/writes/ID/`.
//!
//! Invariant: answer files are named by their hash and written before the session that lists them, so that after a
//! crash a session lists only existing files. A file damaged later invalidates its stage and those after it, which is
//! reported. Locking is done elsewhere.

use std::sync::Arc;

use fumi_base::{
    atomic_write::replace,
    errors::UserError as _,
    files,
    listing::list_last,
    project::{PathError, Project},
};

use super::{
    criteria::read_keys,
    session::WritingSession,
    stages::{StageRoute, WritingStage},
    trace::{self, TracedTurn},
    utc_time::WritingSessionId,
    workflow::{CONTENT_BYTES, FileWrite, SessionTexts},
};
use crate::{
    errors::{project::ProjectError, writing::WritingError},
    project::{EpisodeId, YamlValue, read_if_readable},
    references::ContentHash,
};

/// The largest session file that is read, in bytes.
pub(super) const SESSION_BYTES: u64 = 8 << 20;

/// The folder of sessions, relative to the project root.
pub(super) const FOLDER: &str = ".noveler/sessions";

/// The length of the part of a session id that contains the time to the second: `session_20250904_103000`.
const SECOND: usize = 23;

/// The largest number of sessions listed, from the newest.
pub(super) const SESSIONS: usize = 20_000;

/// The sessions of a project.
#[derive(Clone, Debug)]
pub struct WritingSessionStore {
    project: Arc<Project>,
}

/// A session, reset to the last state in which all its files are intact.
#[derive(Debug)]
pub struct RecoveredSession {
    pub session: WritingSession,
    /// The texts that the session lists.
    pub texts: SessionTexts,
    /// The completed stages to repeat because a file is missing or changed.
    pub lost: Vec<WritingStage>,
}

impl RecoveredSession {
    /// Returns the summary of the episode in the last answer of a finished session, if that answer has one.
    pub fn summary(&self) -> Option<String> {
        let last = self.session.output(self.session.route().last()).filter(|_| self.session.current().is_none())?;
        let said = YamlValue::Map(read_keys(self.texts.get(&last.turns.first()?.file)?).ok()?);
        let summary = said.get("summary").and_then(YamlValue::as_str)?.trim();
        (!summary.is_empty()).then(|| summary.to_owned())
    }
}

/// Returns the path of a session's file.
pub(super) fn path_of(id: &WritingSessionId) -> String {
    format!("{FOLDER}/{id}.yaml")
}

/// Writes files in order, each atomically.
pub fn apply(project: &Project, writes: &[FileWrite]) -> Result<(), WritingError> {
    for write in writes {
        replace(project, &write.path, write.text.as_bytes())?;
    }
    Ok(())
}

impl WritingSessionStore {
    /// Creates access to the sessions of a project.
    pub fn new(project: Arc<Project>) -> Self {
        Self { project }
    }

    /// Returns the session for a call to a stage: the first stage may begin a new session, every other stage needs one.
    pub fn required(
        &self,
        stage: WritingStage,
        id: Option<&str>,
        episode: EpisodeId,
    ) -> Result<Option<RecoveredSession>, WritingError> {
        match id {
            Some(id) => self.load(id, episode).map(Some),
            None if stage.number() == 1 => Ok(None),
            None => Err(WritingError::SessionIdMissing { stage }),
        }
    }

    /// Returns the open session of an episode with a wanted route, so that no second one is begun beside it: the newest one
    /// unless it is finished. Older sessions were abandoned for it.
    pub fn open(
        &self,
        episode: EpisodeId,
        is_wanted: impl Fn(StageRoute) -> bool,
    ) -> Result<Option<RecoveredSession>, WritingError> {
        let latest = self.latest(episode, |session| is_wanted(session.route()))?;
        Ok(latest.filter(|recovered| recovered.session.current().is_some()))
    }

    /// Returns the newest wanted session of an episode, finished or not.
    pub fn latest(
        &self,
        episode: EpisodeId,
        is_wanted: impl Fn(&WritingSession) -> bool,
    ) -> Result<Option<RecoveredSession>, WritingError> {
        let Some(folder) = self.project.find(FOLDER)? else {
            return Ok(None);
        };
        let (listed, _) = list_last(&folder, SESSIONS)?;
        // Ids begin with the time, to the second, and are listed in order; within one second, the file contains the
        // exact time.
        let second = |id: &str| id.get(..SECOND).unwrap_or(id).to_owned();
        let mut newest: Option<RecoveredSession> = None;
        for id in listed.iter().rev().filter_map(|file| file.name.strip_suffix(".yaml")) {
            if let Some(found) = &newest
                && second(&found.session.id().to_string()) != second(id)
            {
                break;
            }
            match self.load(id, episode) {
                Ok(recovered) if is_wanted(&recovered.session) => {
                    let is_newer =
                        |found: &RecoveredSession| recovered.session.created_at() > found.session.created_at();
                    if newest.as_ref().is_none_or(is_newer) {
                        newest = Some(recovered);
                    }
                }
                Ok(_) | Err(WritingError::WritingSessionNotFound { .. }) => {}
                // An unreadable session may be the one that is meant, so no new session is begun beside it silently.
                Err(error) if error.is_system_failure() || self.is_about(id, episode)? => return Err(error),
                Err(_) => {}
            }
        }
        Ok(newest)
    }

    /// Returns the trace of a session so far.
    pub fn trace(&self, session: &WritingSession) -> Result<Vec<TracedTurn>, WritingError> {
        Ok(trace::read_trace(&self.project, session)?.execution_trace)
    }

    /// True if an unreadable session file contains the episode's number.
    fn is_about(&self, id: &str, episode: EpisodeId) -> Result<bool, WritingError> {
        let bytes = read_if_readable(&self.project, &format!("{FOLDER}/{id}.yaml"), SESSION_BYTES)?.unwrap_or_default();
        let wanted = format!("episode: {}", episode.number());
        Ok(String::from_utf8_lossy(&bytes).lines().any(|line| line.trim_end() == wanted))
    }

    /// Loads a session of an episode and resets it to its intact files. Nothing is written.
    pub fn load(&self, id: &str, episode: EpisodeId) -> Result<RecoveredSession, WritingError> {
        let unknown = || WritingError::WritingSessionNotFound { id: id.to_owned(), episode };
        let known = WritingSessionId::parse(id).ok_or_else(unknown)?;
        let path = path_of(&known);
        let Some(file) = self.project.find(&path)? else {
            return Err(unknown());
        };
        let text = String::from_utf8(files::read(&file, SESSION_BYTES)?).map_err(|_| ProjectError::BrokenYaml {
            path: path.clone(),
            line: 0,
            column: 0,
            reason: "it has bytes that are not valid UTF-8".to_owned(),
        })?;
        let mut session = WritingSession::read(&path, &text)?;
        // A file copied by hand contains another session.
        if *session.id() != known || session.episode() != episode {
            return Err(unknown());
        }
        let own = format!(".noveler/writes/{known}/");
        let mut texts = SessionTexts::new();
        for path in session.files().filter(|path| path.starts_with(&own)) {
            if let Some(text) = self.text(path)? {
                texts.insert(path.to_owned(), text);
            }
        }
        let lost = session.recover(|path, sha256| {
            let text = texts.get(path);
            text.is_some_and(|text| ContentHash::from_bytes(text.as_bytes()).digits() == sha256)
        });
        Ok(RecoveredSession { session, texts, lost })
    }

    /// Returns the text of a file; `None` if it does not exist or is not valid UTF-8. A temporary read error is
    /// returned as an error, because it does not mean that the file is damaged.
    fn text(&self, path: &str) -> Result<Option<String>, WritingError> {
        let read = self.project.resolve(path).and_then(|file| {
            // A manuscript consists of several answers.
            files::read(&file, 4 * CONTENT_BYTES as u64)
        });
        match read {
            Ok(bytes) => Ok(String::from_utf8(bytes).ok()),
            Err(PathError::Unreadable { .. }) => Err(read.map(drop).expect_err("an error").into()),
            Err(_) => Ok(None),
        }
    }
}
