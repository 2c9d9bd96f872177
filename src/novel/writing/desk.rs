//! One call to a writing session on the disk: finds or begins the session, takes an answer, returns the next step.
//!
//! Invariant: the files of an answer are written first, then the manuscript (after a backup) together with the session.
//! After a crash, either the answer was taken or the same answer can be sent again. A rejected call writes nothing.
//! Locking is left to the caller.

use std::sync::Arc;

use fumi_base::{files, project::Project, text::Locale};

use super::{
    criteria,
    material::Material,
    moment::{Moment, SessionId},
    prompt,
    session::{Session, StageOutput},
    stages::{Route, Stage},
    store::{Recovered, Sessions, apply},
    trace::{self, Trace, Traced},
    workflow::{Answer, CONTENT_BYTES, Step, Stepped, Texts, Workflow, Write},
};
use crate::{
    backups::{Backups, Stamp},
    errors::{project::ProjectError, writing::WritingError},
    project::{Episode, NovelProject},
    references::ContentHash,
    together::{self, Change},
};

/// The time and random number of a call, supplied from outside.
#[derive(Clone, Debug)]
pub struct Now {
    pub moment: Moment,
    /// The same time in the form used in backup ids.
    pub stamp: Stamp,
    /// A random number for the id of a new session.
    pub random: u32,
}

/// The selection of the session for a call.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// The session with this id.
    Named(&'a str),
    /// The open session of the episode with this route, otherwise a new one.
    Open(Route),
    /// The newest session of the episode with this route; a finished one only if the manuscript exists. Otherwise a new
    /// one.
    Latest(Route),
    /// Always a new session.
    New(Route),
}

/// The action of a call in a session.
#[derive(Clone, Debug)]
pub enum Act {
    /// Return the next step without a change.
    Look,
    /// Take an answer.
    Answer(Answer),
    /// Record feedback on a stage.
    Feedback(Stage, String),
    /// Repeat a stage and those after it.
    Reopen(Stage),
}

/// A session that was found or begun.
#[derive(Debug)]
pub struct Opened {
    session: Session,
    texts: Texts,
    /// The stages to repeat because a file is missing or changed.
    pub lost: Vec<Stage>,
    /// True if the session is not on the disk yet.
    pub is_new: bool,
    /// True if the session differs from its file.
    is_changed: bool,
}

impl Opened {
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }
}

/// The result of a call.
#[derive(Debug)]
pub struct Worked {
    /// The next step.
    pub next: Step,
    /// The session after the call.
    pub session: Session,
    /// The stages to repeat because a file is missing or changed.
    pub lost: Vec<Stage>,
    /// True if this call began the session.
    pub is_new: bool,
    /// The stage that this call completed.
    pub completed: Option<Stage>,
    /// The manuscript file, once the text was delivered.
    pub delivered: Option<Delivered>,
    /// The manuscript at the beginning of the call, if another program changed it since the session last saw it.
    pub edited: Option<Edited>,
    /// The files written, with their sizes in bytes.
    pub written: Vec<(String, usize)>,
    /// The trace of accepted turns so far.
    pub trace: Vec<Traced>,
}

/// A manuscript file written or found by a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// The path relative to the project root.
    pub path: String,
    /// The SHA-256 hash of the file's bytes.
    pub sha256: String,
    /// The id of the backup of the previous file; `None` if nothing was replaced.
    pub backup: Option<String>,
}

/// A manuscript that was changed outside its session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The path relative to the project root.
    pub path: String,
    pub text: String,
    /// The number of visible characters.
    pub characters: usize,
}

/// The prompt of a future turn.
#[derive(Clone, Debug)]
pub struct Planned {
    pub stage: Stage,
    /// The turn within the stage, from 1.
    pub turn: usize,
    /// The prompt as far as it is known before the earlier stages are done.
    pub instruction: String,
}

/// The writing service for one episode.
#[derive(Debug)]
pub struct Desk {
    project: Arc<Project>,
    novel: NovelProject,
    episode: Episode,
    material: Material,
    locale: Locale,
}

impl Desk {
    /// Collects the material for the episode. Returns an error if the episode has no plot.
    pub fn of(
        project: Arc<Project>,
        novel: NovelProject,
        episode: Episode,
        locale: Locale,
    ) -> Result<Self, ProjectError> {
        let material = Material::gather(&novel, episode)?;
        Ok(Self {
            project,
            novel,
            episode,
            material,
            locale,
        })
    }

    /// Returns the material for the episode.
    #[must_use]
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// Finds a session, or creates a new one that is not written yet.
    pub fn open(&self, which: Which<'_>, target: Option<u32>, now: &Now) -> Result<Opened, WritingError> {
        let sessions = Sessions::of(Arc::clone(&self.project));
        let known = |mut recovered: Recovered| Opened {
            is_changed: recovered.session.retarget(target),
            session: recovered.session,
            texts: recovered.texts,
            lost: recovered.lost,
            is_new: false,
        };
        let route = match which {
            Which::Named(id) => return sessions.load(id, self.episode).map(known),
            Which::Open(route) => match sessions.open(self.episode, route)? {
                Some(recovered) => return Ok(known(recovered)),
                None => route,
            },
            Which::Latest(route) => match sessions.latest(self.episode, route)? {
                Some(recovered) if recovered.session.current().is_some() || self.delivered()?.is_some() => {
                    return Ok(known(recovered));
                }
                _ => route,
            },
            Which::New(route) => route,
        };
        let id = SessionId::new(&now.moment, now.random);
        let mut session = Session::along(route, id, self.episode, target, &now.moment);
        // If several files have this episode's number, no file counts as the manuscript yet.
        if let Ok(there) = self.delivered() {
            session.saw_manuscript(there.as_ref().map(|there| &*there.sha256));
        }
        Ok(Opened {
            session,
            texts: Texts::new(),
            lost: Vec::new(),
            is_new: true,
            is_changed: false,
        })
    }

    /// Runs an action and returns the next step. `tool` is the calling tool, for the trace. If `places_draft` is true,
    /// a draft is written to the manuscripts as soon as it is complete; the finished text always is.
    pub fn work(
        &self,
        opened: Opened,
        act: Act,
        tool: &str,
        places_draft: bool,
        now: &Now,
    ) -> Result<Worked, WritingError> {
        let Opened {
            session,
            texts,
            lost,
            is_new,
            is_changed,
        } = opened;
        let asked_at = session.last_updated().clone();
        let edited = self.edited(&session)?;
        let before = session.completed().len();
        let mut workflow = Workflow::new(session, texts, &self.material, self.locale);
        let mut trace = trace::of(&self.project, workflow.session());
        let (next, mut writes) = match act {
            Act::Look => {
                let stepped = workflow.step(None, &now.moment)?;
                // A new session, or one that lost a stage, is written as it is.
                let writes = if is_new || is_changed || !lost.is_empty() {
                    vec![workflow.write()]
                } else {
                    Vec::new()
                };
                (stepped.next, writes)
            }
            Act::Feedback(stage, said) => {
                let stepped = workflow.feedback(stage, &said, &now.moment)?;
                (stepped.next, stepped.writes)
            }
            Act::Reopen(stage) => {
                let stepped = workflow.reopen(stage)?;
                (stepped.next, stepped.writes)
            }
            Act::Answer(answer) => {
                let question = workflow.step(None, &now.moment)?.next;
                let elapsed = now.moment.since(&asked_at);
                let answer = Answer { elapsed, ..answer };
                let Stepped { next, writes } = workflow.step(Some(answer), &now.moment)?;
                let about = About {
                    tool,
                    asked_at: &asked_at,
                    question: &question,
                };
                (next, Self::traced(&workflow, &about, writes, &mut trace, now))
            }
        };
        if matches!(next, Step::Done(_)) || places_draft {
            // Checked before anything is written: with several candidates for the manuscript, none is overwritten.
            self.delivered()?;
        }
        let mut last = writes.pop();
        apply(&self.project, &writes)?;
        let draft = workflow.session().output(Stage::DRAFT).filter(|_| places_draft);
        let own = text_to_place(&workflow, &next, &writes, draft, edited.is_some());
        let placed = own
            .map(|(title, text)| self.deliver(title, text, &now.stamp))
            .transpose()?;
        // If no text is placed, the reply refers to the existing file.
        let shows_file = matches!(next, Step::Done(_)) || (draft.is_some() && edited.is_some());
        let (delivered, manuscript) = match placed {
            Some((delivered, manuscript)) => {
                // Only the session's own text counts as seen. A file that was left as the author wrote it is reported
                // by the next call too.
                if manuscript.is_some() || last.is_some() {
                    workflow.placed(&delivered.sha256);
                    last = Some(workflow.write());
                }
                (Some(delivered), manuscript)
            }
            None if shows_file => (self.delivered()?, None),
            None => (None, None),
        };
        // The manuscript is applied together with the session that records it.
        let session = last.as_ref().map(|last| Change::write(&*last.path, &*last.text));
        let placed = manuscript.as_ref().zip(delivered.as_ref());
        let placed = placed.map(|(change, delivered)| (delivered.path.clone(), change.length()));
        let changes = manuscript.into_iter().chain(session).collect();
        together::apply(&self.project, None, changes)?;
        writes.extend(last);
        let written = writes.into_iter().map(|write| (write.path, write.text.len()));
        Ok(Worked {
            next,
            session: workflow.session().clone(),
            completed: workflow.session().completed().get(before).copied(),
            lost,
            is_new,
            delivered,
            edited,
            written: written.chain(placed).collect(),
            trace: trace.execution_trace,
        })
    }

    /// Returns the prompts of all turns of a route, without a session.
    #[must_use]
    pub fn plan(&self, route: Route, target: Option<u32>, now: &Now) -> Vec<Planned> {
        let id = SessionId::new(&now.moment, now.random);
        let session = Session::along(route, id, self.episode, target, &now.moment);
        let turns = route
            .stages()
            .flat_map(|stage| (1..=stage.turns().len()).map(move |turn| (stage, turn)));
        let planned = turns.map(|(stage, turn)| Planned {
            stage,
            turn,
            instruction: prompt::render(&session, stage, turn, &self.material, self.locale),
        });
        planned.collect()
    }

    /// Returns the manuscript if another program changed it since the session last saw it. An ambiguous manuscript is
    /// not an error here, only where it would be written.
    fn edited(&self, session: &Session) -> Result<Option<Edited>, WritingError> {
        let Ok(Some(there)) = self.delivered() else {
            return Ok(None);
        };
        if !session.is_other_manuscript(&there.sha256) {
            return Ok(None);
        }
        let text = self.novel.manuscript_text(self.episode)?.text;
        Ok(Some(Edited {
            characters: criteria::characters(&text),
            text,
            path: there.path,
        }))
    }

    /// Adds the prompt and the trace entry to the writes of an accepted answer; the session stays last.
    fn traced(
        workflow: &Workflow<'_>,
        about: &About<'_>,
        mut writes: Vec<Write>,
        trace: &mut Trace,
        now: &Now,
    ) -> Vec<Write> {
        let (Some(session), Some(answer), Step::Ask(ask)) = (writes.pop(), writes.first(), about.question) else {
            return writes;
        };
        let id = workflow.session().id();
        let (stage, turn) = (ask.stage, ask.submit.turn);
        let hash = ContentHash::of(ask.instruction.as_bytes());
        let prompt_file = format!(
            ".noveler/writes/{id}/prompt_{:02}_turn_{turn}-{}.md",
            stage.number(),
            &hash.digits()[..12]
        );
        trace.add(Traced {
            tool_name: about.tool.to_owned(),
            stage,
            turn,
            start: about.asked_at.clone(),
            end: now.moment.clone(),
            status: "completed".to_owned(),
            prompt_file: prompt_file.clone(),
            answer_file: answer.path.clone(),
        });
        let text = ask.instruction.clone();
        writes.push(Write {
            path: prompt_file,
            text,
        });
        writes.push(Write {
            path: trace::path_of(id),
            text: trace.to_yaml(),
        });
        writes.push(session);
        writes
    }

    /// Prepares a finished text as the episode's manuscript. An existing file keeps its name and is backed up unless
    /// its contents are the same.
    fn deliver(&self, title: &str, text: &str, stamp: &Stamp) -> Result<(Delivered, Option<Change>), WritingError> {
        let title = match title {
            "" => self.material.plot.episode_info.title.as_deref().unwrap_or_default(),
            title => title,
        };
        let text = manuscript(self.episode, title, text);
        place_manuscript(&self.project, &self.novel, self.episode, title, &text, stamp)
    }

    /// Returns the existing manuscript file of the episode, if there is one.
    fn delivered(&self) -> Result<Option<Delivered>, WritingError> {
        let file = match self.novel.manuscript(self.episode) {
            Ok(file) => file,
            Err(ProjectError::NoManuscript { .. } | ProjectError::NoEpisode { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let bytes = files::read(&file, 4 * CONTENT_BYTES as u64)?;
        Ok(Some(Delivered {
            path: file.shown(),
            sha256: ContentHash::of(&bytes).digits().to_owned(),
            backup: None,
        }))
    }
}

/// The question to which an answer belongs.
struct About<'a> {
    tool: &'a str,
    asked_at: &'a Moment,
    question: &'a Step,
}

/// Returns title and text that a step places among the manuscripts: a text written by this step, or an earlier draft
/// written through another tool. An earlier draft does not replace a manuscript that was edited since.
fn text_to_place<'a>(
    workflow: &'a Workflow<'_>,
    next: &'a Step,
    writes: &'a [Write],
    draft: Option<&StageOutput>,
    is_edited: bool,
) -> Option<(&'a str, &'a str)> {
    let written = |path: &str| writes.iter().find(|write| write.path == path).map(|write| &*write.text);
    match next {
        Step::Done(done) => written(&done.manuscript.path).map(|text| (&*done.title, text)),
        Step::Ask(_) => {
            let path = &*draft?.output_file;
            let before = || workflow.text(path).filter(|_| !is_edited);
            written(path).or_else(before).map(|text| ("", text))
        }
    }
}

/// Formats a manuscript as a file: a heading, then the text.
#[must_use]
pub fn manuscript(episode: Episode, title: &str, text: &str) -> String {
    let heading = match title.trim() {
        "" => format!("# 第{}話", episode.number()),
        title => format!("# 第{}話　{}", episode.number(), title.replace(['\n', '\r'], " ")),
    };
    format!("{heading}\n\n{}\n", text.trim_end())
}

/// Prepares the manuscript of an episode: returns its file and the change, if there is one. An existing file keeps its
/// name and is backed up unless its contents are the same.
pub fn place_manuscript(
    project: &Arc<Project>,
    novel: &NovelProject,
    episode: Episode,
    title: &str,
    text: &str,
    stamp: &Stamp,
) -> Result<(Delivered, Option<Change>), WritingError> {
    let there = match novel.manuscript(episode) {
        Ok(file) => Some(file),
        Err(ProjectError::NoManuscript { .. } | ProjectError::NoEpisode { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let path = match &there {
        Some(file) => file.shown(),
        None => novel.new_manuscript(episode, title)?,
    };
    let sha256 = ContentHash::of(text.as_bytes()).digits().to_owned();
    let before = match &there {
        Some(file) => Some(files::read(file, 4 * CONTENT_BYTES as u64)?),
        None => None,
    };
    if before.as_deref() == Some(text.as_bytes()) {
        let backup = None;
        return Ok((Delivered { path, sha256, backup }, None));
    }
    let backup = match &there {
        Some(_) => {
            let backups = Backups::of(Arc::clone(project), &novel.names().backups);
            let changes = [(path.as_str(), sha256.as_str())];
            Some(backups.create_before(&changes, "before a new manuscript", stamp)?.id)
        }
        None => None,
    };
    let before = before.map(|before| ContentHash::of(&before));
    let change = Change::write(&*path, text).if_still(before.as_ref().map(ContentHash::digits));
    Ok((Delivered { path, sha256, backup }, Some(change)))
}
