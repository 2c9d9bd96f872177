//! One call at a session, on the disk: the session is found or begun, an answer is taken, what follows is said.
//!
//! Invariant: the files of an answer are written first, then the manuscript (what it replaces is backed up before) and the session
//! together, so that after a crash either the answer was taken or the same answer can be sent again. A refused call has written
//! nothing. Who may write, and when, is decided by the caller.

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

/// What the domain does not know by itself.
#[derive(Clone, Debug)]
pub struct Now {
    /// The time.
    pub moment: Moment,
    /// The same for names of backups.
    pub stamp: Stamp,
    /// Something random, for the name of a session.
    pub random: u32,
}

/// Which session a call is about.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// The one of this name.
    Named(&'a str),
    /// The open one of the episode along this route, else a new one.
    Open(Route),
    /// The newest one of the episode along this route, also one that is finished while its manuscript is there; else a new one.
    Latest(Route),
    /// A new one, whatever there is.
    New(Route),
}

/// What is done in a session.
#[derive(Clone, Debug)]
pub enum Act {
    /// Nothing: what follows is asked.
    Look,
    /// An answer is taken.
    Answer(Answer),
    /// A stage is remarked upon.
    Feedback(Stage, String),
    /// A stage, and what comes after it, is done again.
    Reopen(Stage),
}

/// A session that was found or begun.
#[derive(Debug)]
pub struct Opened {
    session: Session,
    texts: Texts,
    /// The stages that are to be done again, because a file is missing or changed.
    pub lost: Vec<Stage>,
    /// Whether nothing of it is on the disk yet.
    pub is_new: bool,
    /// Whether it is otherwise than on the disk.
    is_changed: bool,
}

impl Opened {
    /// The session.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }
}

/// What came of a call.
#[derive(Debug)]
pub struct Worked {
    /// What follows.
    pub next: Step,
    /// The session as it is now.
    pub session: Session,
    /// The stages that are to be done again.
    pub lost: Vec<Stage>,
    /// Whether the session began with this call.
    pub is_new: bool,
    /// The stage that this call completed.
    pub completed: Option<Stage>,
    /// Where the finished manuscript is, once it is.
    pub delivered: Option<Delivered>,
    /// The manuscript that stood there when the call began, if somebody else has written it since the session last saw it.
    pub edited: Option<Edited>,
    /// What was written, in bytes of each file.
    pub written: Vec<(String, usize)>,
    /// What was asked and answered so far.
    pub trace: Vec<Traced>,
}

/// A manuscript in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// Relative to the project.
    pub path: String,
    /// Of its bytes.
    pub sha256: String,
    /// The backup of what stood there before; `None` where nothing else did.
    pub backup: Option<String>,
}

/// A manuscript that was changed outside a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// Relative to the project.
    pub path: String,
    /// Its text.
    pub text: String,
    /// How many visible characters it has.
    pub characters: usize,
}

/// A question that a session would ask.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The stage.
    pub stage: Stage,
    /// Its turn, from 1.
    pub turn: usize,
    /// What would be asked, as far as it is known before the stages before it are done.
    pub instruction: String,
}

/// Where an episode is written.
#[derive(Debug)]
pub struct Desk {
    project: Arc<Project>,
    novel: NovelProject,
    episode: Episode,
    material: Material,
    locale: Locale,
}

impl Desk {
    /// Gathers what the episode is written from. Fails where there is no plot.
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

    /// What it is written from.
    #[must_use]
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// Finds a session, or makes a new one that is not written yet.
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
        // Where several files call themselves this episode, none is the manuscript yet.
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

    /// Does it, and says what follows. `tool` is who asks, for the trace. With `places_draft` a draft goes to the manuscripts as
    /// soon as it is whole; the finished text always does.
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
                // A session that begins, or that lost a stage, is written as it is.
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
            // Before anything is written: a manuscript that cannot be told from another takes none.
            self.delivered()?;
        }
        let mut last = writes.pop();
        apply(&self.project, &writes)?;
        let draft = workflow.session().output(Stage::DRAFT).filter(|_| places_draft);
        let own = text_to_place(&workflow, &next, &writes, draft, edited.is_some());
        let placed = own
            .map(|(title, text)| self.deliver(title, text, &now.stamp))
            .transpose()?;
        // Replies are about the file where it stays as it is.
        let shows_file = matches!(next, Step::Done(_)) || (draft.is_some() && edited.is_some());
        let (delivered, manuscript) = match placed {
            Some((delivered, manuscript)) => {
                // Only the session's own text counts as seen. A file left as the author wrote it is reported by the next call too.
                if manuscript.is_some() || last.is_some() {
                    workflow.placed(&delivered.sha256);
                    last = Some(workflow.write());
                }
                (Some(delivered), manuscript)
            }
            None if shows_file => (self.delivered()?, None),
            None => (None, None),
        };
        // The manuscript and the session that says that it is there.
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

    /// What a session would ask, without one.
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

    /// The manuscript, if somebody else has written it since a session last saw it. One that cannot be told from another is refused
    /// where it matters.
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

    /// The writes of an accepted answer with its question and its entry in the trace, the session still last.
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

    /// Puts a finished text where manuscripts are. One that is there keeps its name, and is backed up unless it is the same.
    fn deliver(&self, title: &str, text: &str, stamp: &Stamp) -> Result<(Delivered, Option<Change>), WritingError> {
        let title = match title {
            "" => self.material.plot.episode_info.title.as_deref().unwrap_or_default(),
            title => title,
        };
        let text = manuscript(self.episode, title, text);
        place_manuscript(&self.project, &self.novel, self.episode, title, &text, stamp)
    }

    /// The manuscript of a session that was finished before, if it is still there.
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

/// What an answer answers.
struct About<'a> {
    tool: &'a str,
    asked_at: &'a Moment,
    question: &'a Step,
}

/// Returns the text that a step puts among the manuscripts, with its title: a text that the step has written, or a draft of before
/// that another tool wrote. A draft of before does not go over a manuscript that was edited since.
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

/// A manuscript as a file: a heading, then the text.
#[must_use]
pub fn manuscript(episode: Episode, title: &str, text: &str) -> String {
    let heading = match title.trim() {
        "" => format!("# 第{}話", episode.number()),
        title => format!("# 第{}話　{}", episode.number(), title.replace(['\n', '\r'], " ")),
    };
    format!("{heading}\n\n{}\n", text.trim_end())
}

/// Prepares the manuscript of an episode: where it goes, and what changes there, if anything does. One that is there keeps its name,
/// and is backed up unless it is the same.
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
