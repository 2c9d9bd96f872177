//! One call to a writing session on the disk: finds or begins the session, takes an answer, returns the next step.
//!
//! Invariant: the files of an answer are written first, then the manuscript (after a backup) together with the session.
//! After a crash, either the answer was taken or the same answer can be sent again. A rejected call writes nothing.
//! Locking is left to the caller.

use std::{collections::BTreeSet, sync::Arc};

use fumi_base::{
    errors::{UserError as _, unless_unreadable},
    files,
    project::Project,
    text::{BilingualText, Locale},
};

use super::{
    criteria::{self, MissedCriterion},
    material::WritingMaterial,
    prompt::{PromptData, WrittenTexts, render},
    session::{StageOutput, WritingSession},
    stages::{StageRoute, WritingStage},
    store::{RecoveredSession, WritingSessionStore, apply},
    trace::{self, SessionTrace, TracedTurn},
    utc_time::{UtcTime, WritingSessionId},
    workflow::{CONTENT_BYTES, FileWrite, NextStep, SessionTexts, TurnAnswer, Workflow, WorkflowStep},
};
use crate::{
    backups::{BackupTime, Backups},
    change_set::{self, FileChange},
    errors::{project::ProjectError, writing::WritingError},
    project::{EpisodeId, NovelProject},
    references::ContentHash,
};

/// The origin of an answer that the host sent.
const HOST: &str = "host";

/// The time and random number of a call, supplied from outside.
#[derive(Clone, Debug)]
pub struct CallTime {
    pub moment: UtcTime,
    /// The same time in the form used in backup ids.
    pub stamp: BackupTime,
    /// A random number for the id of a new session.
    pub random: u32,
}

/// The selection of the session for a call.
#[derive(Clone, Copy, Debug)]
pub enum SessionSelector<'a> {
    /// The session with this id.
    Named(&'a str),
    /// The session with this id, unless it is open and a newer one was begun in its place, which is an error.
    Resumed(&'a str),
    /// The open session of the episode with this route, otherwise a new one.
    Open(StageRoute),
    /// The newest session that writes the episode; a finished one only if the manuscript exists. A session with another
    /// route than this one is an error. Without such a session, a new one with this route, or with the project's.
    Latest(Option<StageRoute>),
    /// Always a new session, with this route, or with that of the episode's last session or else the project's.
    New(Option<StageRoute>),
}

/// The action of a call in a session.
#[derive(Clone, Debug)]
pub enum SessionAction {
    /// Return the next step without a change.
    Peek,
    /// Take an answer.
    Answer(TurnAnswer),
    /// Record feedback on a stage, or on one turn of it, and repeat it.
    Feedback(WritingStage, Option<usize>, String),
    /// Repeat a stage and those after it, without their last results.
    Repeat(WritingStage),
}

/// A session that was found or begun.
#[derive(Debug)]
pub struct OpenedSession {
    session: WritingSession,
    texts: SessionTexts,
    /// The stages to repeat because a file is missing or changed.
    pub lost: Vec<WritingStage>,
    /// True if the session is not on the disk yet.
    pub is_new: bool,
    /// True if the session differs from its file.
    is_changed: bool,
}

impl OpenedSession {
    pub fn session(&self) -> &WritingSession {
        &self.session
    }
}

/// The result of a call.
#[derive(Debug)]
pub struct StepOutcome {
    pub next: NextStep,
    /// The session after the call.
    pub session: WritingSession,
    /// The stages to repeat because a file is missing or changed.
    pub lost: Vec<WritingStage>,
    /// True if this call began the session.
    pub is_new: bool,
    /// The stage that this call completed.
    pub completed: Option<WritingStage>,
    /// The manuscript file, once the text was delivered.
    pub delivered: Option<DeliveredManuscript>,
    /// The manuscript at the beginning of the call, if another program changed it since the session last saw it.
    pub edited: Option<EditedManuscript>,
    /// The files written, with their sizes in bytes.
    pub written: Vec<(String, usize)>,
    /// The trace of accepted turns so far.
    pub trace: Vec<TracedTurn>,
    /// The criteria that the accepted answer misses slightly.
    pub warnings: Vec<MissedCriterion>,
    /// The hashes of the files that the author of this call's answer knows: those that its question listed, and those made
    /// of answers by the host. Empty unless the host answered.
    pub known: BTreeSet<String>,
    /// The settings that could not be read and were left out.
    pub faults: Vec<BilingualText>,
}

/// A manuscript file written or found by a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveredManuscript {
    /// The path relative to the project root.
    pub path: String,
    /// The SHA-256 hash of the file's bytes.
    pub sha256: String,
    /// The id of the backup of the previous file; `None` if nothing was replaced.
    pub backup: Option<String>,
}

/// A manuscript that was changed outside its session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedManuscript {
    /// The path relative to the project root.
    pub path: String,
    pub text: String,
    /// The number of visible characters.
    pub characters: usize,
    /// The SHA-256 hash of the file's bytes.
    pub sha256: String,
    /// True if the session continues from this text.
    pub is_taken: bool,
}

/// The prompt of a future turn.
#[derive(Clone, Debug)]
pub struct PlannedTurn {
    pub stage: WritingStage,
    /// The turn within the stage, from 1.
    pub turn: usize,
    /// The prompt as far as it is known before the earlier stages are done.
    pub instruction: String,
}

/// The writing service for one episode.
#[derive(Debug)]
pub struct WritingService {
    project: Arc<Project>,
    novel: NovelProject,
    episode: EpisodeId,
    material: WritingMaterial,
    locale: Locale,
}

impl WritingService {
    /// Collects the material for the episode. Returns an error if the episode has no plot.
    pub fn new(
        project: Arc<Project>,
        novel: NovelProject,
        episode: EpisodeId,
        locale: Locale,
    ) -> Result<Self, ProjectError> {
        let material = WritingMaterial::gather(&novel, episode)?;
        Ok(Self { project, novel, episode, material, locale })
    }

    /// Returns the material for the episode.
    pub fn material(&self) -> &WritingMaterial {
        &self.material
    }

    /// Returns the route by which the project writes its episodes.
    pub fn route(&self) -> StageRoute {
        self.material.settings.writing_route.map_or(StageRoute::Whole, StageRoute::from)
    }

    /// Returns the route of the open session of the episode, if there is one.
    pub fn open_route(&self) -> Result<Option<StageRoute>, WritingError> {
        let sessions = WritingSessionStore::new(Arc::clone(&self.project));
        let open = sessions.open(self.episode, StageRoute::writes_an_episode)?;
        Ok(open.map(|open| open.session.route()))
    }

    /// Finds a session, or creates a new one that is not written yet.
    pub fn open(
        &self,
        which: SessionSelector<'_>,
        target: Option<u32>,
        now: &CallTime,
    ) -> Result<OpenedSession, WritingError> {
        let sessions = WritingSessionStore::new(Arc::clone(&self.project));
        let known = |mut recovered: RecoveredSession| OpenedSession {
            is_changed: recovered.session.retarget(target),
            session: recovered.session,
            texts: recovered.texts,
            lost: recovered.lost,
            is_new: false,
        };
        let route = match which {
            SessionSelector::Named(id) => return sessions.load(id, self.episode).map(known),
            SessionSelector::Resumed(id) => return self.resumed(&sessions, id).map(known),
            SessionSelector::Open(route) => match self.open_session(&sessions, route)? {
                Some(recovered) => return Ok(known(recovered)),
                None => route,
            },
            SessionSelector::Latest(route) => {
                match sessions.latest(self.episode, |session| session.route().writes_an_episode())? {
                    Some(recovered) if recovered.session.current().is_some() || self.delivered()?.is_some() => {
                        let own = recovered.session.route();
                        if route.is_some_and(|route| route != own) {
                            let id = recovered.session.id().to_string();
                            return Err(WritingError::OtherRoute { id, route: own.name() });
                        }
                        return Ok(known(recovered));
                    }
                    _ => route.unwrap_or_else(|| self.route()),
                }
            }
            SessionSelector::New(Some(route)) => route,
            SessionSelector::New(None) => {
                let last = sessions.latest(self.episode, |session| session.route().writes_an_episode())?;
                last.map_or_else(|| self.route(), |last| last.session.route())
            }
        };
        let id = WritingSessionId::new(&now.moment, now.random);
        let mut session = WritingSession::new(route, id, self.episode, target, &now.moment);
        // If several files have this episode's number, no file counts as the manuscript yet.
        if let Some(there) = unless_unreadable(self.delivered())? {
            session.record_manuscript(there.as_ref().map(|there| &*there.sha256));
        }
        Ok(OpenedSession { session, texts: SessionTexts::new(), lost: Vec::new(), is_new: true, is_changed: false })
    }

    /// Returns a session to resume. An open session that was abandoned for a newer one is an error: when finished, its text
    /// would replace the text of the newer session.
    fn resumed(&self, sessions: &WritingSessionStore, id: &str) -> Result<RecoveredSession, WritingError> {
        let recovered = sessions.load(id, self.episode)?;
        if recovered.session.current().is_some()
            && let Some(newer) = sessions.latest(self.episode, |other| other.replaces(&recovered.session))?
        {
            let newer = newer.session.id().to_string();
            return Err(WritingError::SessionReplaced { id: id.to_owned(), newer, episode: self.episode });
        }
        Ok(recovered)
    }

    /// Returns the open session with a route. If the latest open session follows the short route, any other route is an error;
    /// if it follows the ten stages, the short route is an error. A new session beside it would supersede its texts.
    fn open_session(
        &self,
        sessions: &WritingSessionStore,
        route: StageRoute,
    ) -> Result<Option<RecoveredSession>, WritingError> {
        let latest = sessions.latest(self.episode, |session| session.route().writes_an_episode())?;
        if let Some(latest) = latest.filter(|latest| latest.session.current().is_some()) {
            let own = latest.session.route();
            if own != route && (own == StageRoute::Short || route == StageRoute::Short) {
                let stage = route.stages().next().unwrap_or(WritingStage::DRAFT);
                return Err(WritingError::StageOffRoute { stage, id: latest.session.id().to_string(), route: own });
            }
        }
        sessions.open(self.episode, |one| one == route)
    }

    /// Runs an action and returns the next step. `tool` is the calling tool, for the trace. If `places_draft` is true,
    /// a draft is written to the manuscripts as soon as it is complete; the finished text always is.
    pub fn run_step(
        &self,
        opened: OpenedSession,
        act: SessionAction,
        tool: &str,
        places_draft: bool,
        now: &CallTime,
    ) -> Result<StepOutcome, WritingError> {
        let OpenedSession { session, texts, lost, is_new, is_changed } = opened;
        let asked_at = session.last_updated().clone();
        let mut edited = self.edited(&session)?;
        let before = session.completed().len();
        let mut workflow = Workflow::new(session, texts, &self.material, self.locale);
        let mut trace = trace::read_trace(&self.project, workflow.session())?;
        let (mut warnings, mut known) = (Vec::new(), BTreeSet::new());
        let (next, mut writes) = match act {
            SessionAction::Peek => {
                let stepped = workflow.step(None, &now.moment)?;
                // A new session, or one that lost a stage, is written as it is.
                let writes = if is_new || is_changed || !lost.is_empty() { vec![workflow.write()] } else { Vec::new() };
                (stepped.next, writes)
            }
            SessionAction::Feedback(stage, turn, said) => {
                let asked = workflow.feedback(stage, turn, &said, &now.moment)?;
                let stepped = continue_edited(&mut workflow, edited.as_mut()).unwrap_or(asked);
                (stepped.next, stepped.writes)
            }
            SessionAction::Repeat(stage) => {
                let stepped = workflow.repeat(stage)?;
                (stepped.next, stepped.writes)
            }
            SessionAction::Answer(answer) => {
                let question = workflow.step(None, &now.moment)?.next;
                let elapsed = now.moment.since(&asked_at);
                let is_host = answer.written_by == HOST;
                if is_host {
                    known.extend(workflow.session().cited().iter().cloned());
                }
                let answer = TurnAnswer { elapsed, ..answer };
                let WorkflowStep { next, writes, warnings: missed } = workflow.step(Some(answer), &now.moment)?;
                warnings = missed;
                if is_host {
                    known.extend(workflow.session().written_by(HOST).map(str::to_owned));
                }
                let about = TraceContext { tool, asked_at: &asked_at, question: &question };
                (next, Self::with_trace(&workflow, &about, writes, &mut trace, now))
            }
        };
        let material = self.missing_material(&next)?;
        if matches!(next, NextStep::Done(_)) || places_draft {
            // Checked before anything is written: with several candidates for the manuscript, none is overwritten.
            self.delivered()?;
        }
        let mut last = writes.pop();
        apply(&self.project, material.as_slice())?;
        apply(&self.project, &writes)?;
        let draft = workflow.session().output(WritingStage::DRAFT).filter(|_| places_draft);
        let own = text_to_place(&workflow, &next, &writes, draft, edited.is_some());
        let placed = own.map(|(title, text)| self.prepare_delivery(title, text, &now.stamp)).transpose()?;
        // If no text is placed, the reply refers to the existing file.
        let shows_file = matches!(next, NextStep::Done(_)) || (draft.is_some() && edited.is_some());
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
        let session = last.as_ref().map(|last| FileChange::write(&*last.path, &*last.text));
        let placed = manuscript.as_ref().zip(delivered.as_ref());
        let placed = placed.map(|(change, delivered)| (delivered.path.clone(), change.length()));
        let changes = manuscript.into_iter().chain(session).collect();
        change_set::apply(&self.project, None, changes)?;
        writes.extend(last);
        writes.extend(material);
        let written = writes.into_iter().map(|write| (write.path, write.text.len()));
        Ok(StepOutcome {
            next,
            session: workflow.session().clone(),
            completed: workflow.session().completed().get(before).copied(),
            lost,
            is_new,
            delivered,
            edited,
            written: written.chain(placed).collect(),
            trace: trace.execution_trace,
            warnings,
            known,
            faults: self.material.faults.iter().map(|fault| fault.error_message().message).collect(),
        })
    }

    /// Returns the file of the material that a question cites, unless it exists unchanged.
    fn missing_material(&self, next: &NextStep) -> Result<Option<FileWrite>, WritingError> {
        let NextStep::Ask(ask) = next else { return Ok(None) };
        let Some(file) = &ask.material else { return Ok(None) };
        let is_there = match self.project.find(&file.path)? {
            Some(there) => files::read(&there, CONTENT_BYTES as u64).is_ok_and(|bytes| bytes == file.text.as_bytes()),
            None => false,
        };
        Ok((!is_there).then(|| file.clone()))
    }

    /// Returns the prompts of all turns of a route, without a session.
    pub fn plan(&self, route: StageRoute, target: Option<u32>, now: &CallTime) -> Vec<PlannedTurn> {
        let id = WritingSessionId::new(&now.moment, now.random);
        let session = WritingSession::new(route, id, self.episode, target, &now.moment);
        let turns = route.stages().flat_map(|stage| (1..=stage.turns().len()).map(move |turn| (stage, turn)));
        let planned = turns.map(|(stage, turn)| PlannedTurn {
            stage,
            turn,
            instruction: render(&PromptData {
                session: &session,
                stage,
                turn,
                material: &self.material,
                locale: self.locale,
                texts: &WrittenTexts::default(),
            }),
        });
        planned.collect()
    }

    /// Returns the manuscript if another program changed it since the session last saw it. An ambiguous manuscript is
    /// not an error here, only where it would be written.
    fn edited(&self, session: &WritingSession) -> Result<Option<EditedManuscript>, WritingError> {
        let Some(Some(there)) = unless_unreadable(self.delivered())? else {
            return Ok(None);
        };
        if !session.is_other_manuscript(&there.sha256) {
            return Ok(None);
        }
        let text = self.novel.manuscript_text(self.episode)?.text;
        let characters = criteria::characters(&text);
        let (path, sha256) = (there.path, there.sha256);
        Ok(Some(EditedManuscript { path, text, characters, sha256, is_taken: false }))
    }

    /// Adds the prompt and the trace entry to the writes of an accepted answer; the session stays last.
    fn with_trace(
        workflow: &Workflow<'_>,
        about: &TraceContext<'_>,
        mut writes: Vec<FileWrite>,
        trace: &mut SessionTrace,
        now: &CallTime,
    ) -> Vec<FileWrite> {
        let (Some(session), Some(answer), NextStep::Ask(ask)) = (writes.pop(), writes.first(), about.question) else {
            return writes;
        };
        let id = workflow.session().id();
        let (stage, turn) = (ask.stage, ask.submit.turn);
        let hash = ContentHash::from_bytes(ask.instruction.as_bytes());
        let prompt_file =
            format!(".noveler/writes/{id}/prompt_{:02}_turn_{turn}-{}.md", stage.number(), &hash.digits()[..12]);
        trace.add(TracedTurn {
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
        writes.push(FileWrite { path: prompt_file, text });
        writes.push(FileWrite { path: trace::path_of(id), text: trace.to_yaml() });
        writes.push(session);
        writes
    }

    /// Prepares a finished text as the episode's manuscript. An existing file keeps its name and is backed up unless
    /// its contents are the same.
    fn prepare_delivery(
        &self,
        title: &str,
        text: &str,
        stamp: &BackupTime,
    ) -> Result<(DeliveredManuscript, Option<FileChange>), WritingError> {
        let title = match title {
            "" => self.material.plot.episode_info.title.as_deref().unwrap_or_default(),
            title => title,
        };
        let text = manuscript(self.episode, title, text);
        place_manuscript(&self.project, &self.novel, self.episode, title, &text, stamp)
    }

    /// Returns the existing manuscript file of the episode, if there is one.
    fn delivered(&self) -> Result<Option<DeliveredManuscript>, WritingError> {
        let file = match self.novel.manuscript(self.episode) {
            Ok(file) => file,
            Err(ProjectError::ManuscriptNotFound { .. } | ProjectError::EpisodeNotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let bytes = files::read(&file, 4 * CONTENT_BYTES as u64)?;
        Ok(Some(DeliveredManuscript {
            path: file.shown(),
            sha256: ContentHash::from_bytes(&bytes).digits().to_owned(),
            backup: None,
        }))
    }
}

/// The question to which an answer belongs.
struct TraceContext<'a> {
    tool: &'a str,
    asked_at: &'a UtcTime,
    question: &'a NextStep,
}

/// Continues from a manuscript that was edited, if a reopened stage starts from it. Returns the next step.
fn continue_edited(workflow: &mut Workflow<'_>, edited: Option<&mut EditedManuscript>) -> Option<WorkflowStep> {
    let edited = edited?;
    let taken = workflow.take_manuscript(&edited.text, &edited.sha256)?;
    edited.is_taken = true;
    Some(taken)
}

/// Returns title and text that a step places among the manuscripts: a text written by this step, or an earlier draft
/// written through another tool. An earlier draft does not replace a manuscript that was edited since.
fn text_to_place<'a>(
    workflow: &'a Workflow<'_>,
    next: &'a NextStep,
    writes: &'a [FileWrite],
    draft: Option<&StageOutput>,
    is_edited: bool,
) -> Option<(&'a str, &'a str)> {
    let written = |path: &str| writes.iter().find(|write| write.path == path).map(|write| &*write.text);
    match next {
        NextStep::Done(done) => written(&done.manuscript.path).map(|text| (&*done.title, text)),
        NextStep::Ask(_) => {
            let path = &*draft?.output_file;
            let before = || workflow.text(path).filter(|_| !is_edited);
            written(path).or_else(before).map(|text| ("", text))
        }
    }
}

/// Formats a manuscript as a file: a heading, then the text.
pub fn manuscript(episode: EpisodeId, title: &str, text: &str) -> String {
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
    episode: EpisodeId,
    title: &str,
    text: &str,
    stamp: &BackupTime,
) -> Result<(DeliveredManuscript, Option<FileChange>), WritingError> {
    let there = match novel.manuscript(episode) {
        Ok(file) => Some(file),
        Err(ProjectError::ManuscriptNotFound { .. } | ProjectError::EpisodeNotFound { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let path = match &there {
        Some(file) => file.shown(),
        None => novel.new_manuscript(episode, title)?,
    };
    let sha256 = ContentHash::from_bytes(text.as_bytes()).digits().to_owned();
    let before = match &there {
        Some(file) => Some(files::read(file, 4 * CONTENT_BYTES as u64)?),
        None => None,
    };
    if before.as_deref() == Some(text.as_bytes()) {
        let backup = None;
        return Ok((DeliveredManuscript { path, sha256, backup }, None));
    }
    let backup = match &there {
        Some(_) => {
            let backups = Backups::new(Arc::clone(project), &novel.names().backups);
            let changes = [(path.as_str(), sha256.as_str())];
            Some(backups.create_before(&changes, "before a new manuscript", stamp)?.id)
        }
        None => None,
    };
    let before = before.map(|before| ContentHash::from_bytes(&before));
    let change = FileChange::write(&*path, text).if_still(before.as_ref().map(ContentHash::digits));
    Ok((DeliveredManuscript { path, sha256, backup }, Some(change)))
}
