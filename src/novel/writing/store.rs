//! Sessions on the disk: `.noveler/sessions/ID.yaml`, and what they name under `.noveler/writes/ID/`.
//!
//! Invariant: files of answers are named by their content and written before the session that names them, so that a session that
//! is there names what was there, whenever the machine stopped. What has been damaged since costs its stage and those after it,
//! and is told. Whose turn it is to write is decided elsewhere.

use std::sync::Arc;

use fumi_base::{
    files,
    listing::list_last,
    project::{PathError, Project},
    writing::replace,
};

use super::{
    moment::SessionId,
    session::Session,
    stages::{Route, Stage},
    trace::{self, Traced},
    workflow::{CONTENT_BYTES, Texts, Write},
};
use crate::{
    errors::{project::ProjectError, writing::WritingError},
    project::Episode,
    references::ContentHash,
};

/// The largest session file that is read.
pub(super) const SESSION_BYTES: u64 = 8 << 20;

/// Where sessions are.
pub(super) const FOLDER: &str = ".noveler/sessions";

/// How many characters of a session's name say its second: `session_20250904_103000`.
const SECOND: usize = 23;

/// How many sessions are looked at, the newest.
pub(super) const SESSIONS: usize = 20_000;

/// The sessions of a project.
#[derive(Clone, Debug)]
pub struct Sessions {
    project: Arc<Project>,
}

/// A session as far as its files are whole.
#[derive(Debug)]
pub struct Recovered {
    /// The session.
    pub session: Session,
    /// The texts that it names.
    pub texts: Texts,
    /// The stages that were done and are to be done again, because a file is missing or changed.
    pub lost: Vec<Stage>,
}

/// Where a session's file is.
pub(super) fn path_of(id: &SessionId) -> String {
    format!("{FOLDER}/{id}.yaml")
}

/// Writes files, in their order, each whole.
pub fn apply(project: &Project, writes: &[Write]) -> Result<(), WritingError> {
    for write in writes {
        replace(project, &write.path, write.text.as_bytes())?;
    }
    Ok(())
}

impl Sessions {
    /// Those of a project.
    #[must_use]
    pub fn of(project: Arc<Project>) -> Self {
        Self { project }
    }

    /// The session that a call to a stage names: the first stage may begin one, every other needs one.
    pub fn required(
        &self,
        stage: Stage,
        id: Option<&str>,
        episode: Episode,
    ) -> Result<Option<Recovered>, WritingError> {
        match id {
            Some(id) => self.load(id, episode).map(Some),
            None if stage.number() == 1 => Ok(None),
            None => Err(WritingError::NoSessionId { stage }),
        }
    }

    /// The session of an episode along a route that goes on, so that no second one is begun beside it: the newest, unless it is
    /// finished. Older ones were left for it.
    pub fn open(&self, episode: Episode, route: Route) -> Result<Option<Recovered>, WritingError> {
        let latest = self.latest(episode, route)?;
        Ok(latest.filter(|recovered| recovered.session.current().is_some()))
    }

    /// The newest session of an episode along a route, finished or not.
    pub fn latest(&self, episode: Episode, route: Route) -> Result<Option<Recovered>, WritingError> {
        let folder = match self.project.resolve(FOLDER) {
            Ok(folder) => folder,
            Err(PathError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let (listed, _) = list_last(&folder, SESSIONS)?;
        // Names begin with the time, to the second, and are listed in their order; of one second the file says which is newer.
        let second = |id: &str| id.get(..SECOND).unwrap_or(id).to_owned();
        let mut newest: Option<Recovered> = None;
        for id in listed.iter().rev().filter_map(|file| file.name.strip_suffix(".yaml")) {
            if let Some(found) = &newest
                && second(&found.session.id().to_string()) != second(id)
            {
                break;
            }
            match self.load(id, episode) {
                Ok(recovered) if recovered.session.route() == route => {
                    let is_newer = |found: &Recovered| recovered.session.created_at() > found.session.created_at();
                    if newest.as_ref().is_none_or(is_newer) {
                        newest = Some(recovered);
                    }
                }
                Ok(_) | Err(WritingError::NoSession { .. }) => {}
                // One that cannot be read may be the one that is meant: nothing is begun beside it unseen.
                Err(error) if self.is_about(id, episode) => return Err(error),
                Err(_) => {}
            }
        }
        Ok(newest)
    }

    /// What was asked and answered in a session so far.
    #[must_use]
    pub fn trace(&self, session: &Session) -> Vec<Traced> {
        trace::of(&self.project, session).execution_trace
    }

    /// Whether a session file that cannot be read says that it is about an episode.
    fn is_about(&self, id: &str, episode: Episode) -> bool {
        let file = self.project.resolve(&format!("{FOLDER}/{id}.yaml")).ok();
        let bytes = file
            .and_then(|file| files::read(&file, SESSION_BYTES).ok())
            .unwrap_or_default();
        let wanted = format!("episode: {}", episode.number());
        String::from_utf8_lossy(&bytes)
            .lines()
            .any(|line| line.trim_end() == wanted)
    }

    /// Reads a session of an episode, as far as its files are whole. Nothing is written.
    pub fn load(&self, id: &str, episode: Episode) -> Result<Recovered, WritingError> {
        let unknown = || WritingError::NoSession {
            id: id.to_owned(),
            episode,
        };
        let known = SessionId::parse(id).ok_or_else(unknown)?;
        let path = path_of(&known);
        let file = match self.project.resolve(&path) {
            Ok(file) => file,
            Err(PathError::NotFound { .. }) => return Err(unknown()),
            Err(error) => return Err(error.into()),
        };
        let text = String::from_utf8(files::read(&file, SESSION_BYTES)?).map_err(|_| ProjectError::Yaml {
            path: path.clone(),
            line: 0,
            column: 0,
            reason: "it has bytes that are no text in UTF-8".to_owned(),
        })?;
        let mut session = Session::read(&path, &text)?;
        // A file that was copied by hand is not the session that it is named after.
        if *session.id() != known || session.episode() != episode {
            return Err(unknown());
        }
        let own = format!(".noveler/writes/{known}/");
        let mut texts = Texts::new();
        for path in session.files().filter(|path| path.starts_with(&own)) {
            if let Some(text) = self.text(path)? {
                texts.insert(path.to_owned(), text);
            }
        }
        let lost = session.recover(|path, sha256| {
            let text = texts.get(path);
            text.is_some_and(|text| ContentHash::of(text.as_bytes()).digits() == sha256)
        });
        Ok(Recovered { session, texts, lost })
    }

    /// The text of a file; `None` where there is none, or none in UTF-8. That it cannot be read just now says nothing of it.
    fn text(&self, path: &str) -> Result<Option<String>, WritingError> {
        let read = self.project.resolve(path).and_then(|file| {
            // A manuscript is made of several answers.
            files::read(&file, 4 * CONTENT_BYTES as u64)
        });
        match read {
            Ok(bytes) => Ok(String::from_utf8(bytes).ok()),
            Err(PathError::Unreadable { .. }) => Err(read.map(drop).expect_err("it was looked at").into()),
            Err(_) => Ok(None),
        }
    }
}
