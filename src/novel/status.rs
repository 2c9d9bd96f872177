//! How far a novel is: what is planned, drafted and finished, what is open, what was done last, and what is left.
//!
//! Invariant: a half-made project is no failure. What is missing or broken is a remark, with its line where there is one, and the
//! rest is told. Nothing is written, and nothing is guessed: without a measured stage no time is estimated, without a judgement
//! there is no score.

use fumi_base::{
    errors::Teach,
    listing::{ListedKind, list},
    text::Text,
};

use crate::{
    completion::{Record, finished},
    errors::project::ProjectError,
    project::{Episode, EpisodeFiles, NovelProject, Plot, Role, Survey, Yaml, read_yaml, yaml_of},
    references::FileReference,
    reviewing::{self, EpisodeScore},
    together::{self, Interrupted},
    writing::{Moment, Overview, STAGES, Session, SessionId, Stage, Traced},
};

/// How many events are told.
const EVENTS: usize = 10;

/// Below this an episode is named, of 100.
pub const THRESHOLD: f64 = 60.0;

/// How many YAML files of one folder are looked at for faults.
const YAML_FILES: usize = 5_000;

/// How far a novel is.
#[derive(Debug)]
pub struct Status {
    /// Whether there is anything of a novel.
    pub is_novel: bool,
    /// The title, or the name of the folder.
    pub name: String,
    /// Every episode that has a plot or a manuscript, by number.
    pub episodes: Vec<EpisodeStatus>,
    /// Writing sessions that can go on, the newest first, one an episode.
    pub open: Vec<Open>,
    /// What was done last, the newest first.
    pub activity: Vec<Event>,
    /// Writing stages that are left for all episodes together.
    pub stages_left: usize,
    /// The scores of whole reviews, by episode and then by time.
    pub scores: Vec<EpisodeScore>,
    /// How long a stage takes, in seconds: the median of those that were measured.
    pub stage_seconds: Option<f64>,
    /// What its owner should know.
    pub remarks: Vec<Text>,
}

/// How far an episode is.
#[derive(Clone, Debug)]
pub struct EpisodeStatus {
    /// Which.
    pub episode: Episode,
    /// Its title, from the names of its files.
    pub title: Option<String>,
    /// How far.
    pub progress: Progress,
    /// By which method its manuscript has been judged, and the score from 0 to 100.
    pub judged: Option<(String, f64)>,
}

/// How far an episode is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It has a plot.
    Planned,
    /// It has a manuscript that is not finished, or that was changed since.
    Draft,
    /// It is finished.
    Completed,
}

/// A writing session that can go on.
#[derive(Clone, Debug)]
pub struct Open {
    /// Which.
    pub id: SessionId,
    /// Of which episode.
    pub episode: Episode,
    /// What is next.
    pub stage: Stage,
    /// How many stages are done.
    pub done: usize,
    /// How many it has.
    pub stages: usize,
    /// When it was last changed.
    pub last_updated: Moment,
}

/// Something that was done in a writing session.
#[derive(Clone, Debug)]
pub struct Event {
    /// When.
    pub at: Moment,
    /// In which session.
    pub session: SessionId,
    /// Of which episode.
    pub episode: Episode,
    /// What.
    pub what: Happened,
}

/// What was done in a writing session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happened {
    /// It was begun.
    Started,
    /// This stage was completed last.
    Completed(Stage),
    /// A part of this stage was written last.
    Worked(Stage),
    /// Something was said of this stage.
    Remarked(Stage),
    /// All stages are done.
    Finished,
}

impl Status {
    /// Looks at a project. Fails only where it cannot be read at all.
    pub fn of(novel: &NovelProject) -> Result<Self, ProjectError> {
        let survey = novel.survey()?;
        let sessions = Overview::of(novel.project())?;
        let nothing = survey.is_a_novel(novel.names()).err();
        let mut remarks: Vec<Text> = Vec::new();
        if let Some(lesson) = nothing.as_ref().map(Teach::lesson) {
            remarks.extend([lesson.message, lesson.next]);
        }
        remarks.extend(survey.remarks.iter().map(crate::project::Remark::message));
        remarks.extend(faults(&survey).iter().map(|error| error.lesson().message));
        remarks.extend(sessions.broken.iter().map(|error| error.lesson().message));
        match together::interrupted(novel.project()) {
            Ok(interrupted) => remarks.extend(interrupted.as_ref().map(Interrupted::message)),
            Err(error) => remarks.push(error.lesson().message),
        }
        match together::set_asides(novel.project()) {
            Ok(folders) => remarks.extend(folders.iter().map(|folder| together::aside_message(folder))),
            Err(error) => remarks.push(error.lesson().message),
        }
        let open = open(&sessions.sessions);
        let scores = reviewing::scores(novel.project()).unwrap_or_else(|error| {
            remarks.push(error.lesson().message);
            Vec::new()
        });
        let (mut episodes, mut stages_left) = (Vec::new(), 0);
        for (episode, files) in &survey.episodes {
            let record = finished(novel.project(), *episode, files).unwrap_or_else(|error| {
                remarks.push(error.lesson().message);
                None
            });
            let newest = scores.iter().rev().find(|score| score.episode == *episode);
            let status = EpisodeStatus::of(*episode, files, record.as_ref(), newest);
            stages_left += left(&status, &open);
            episodes.push(status);
        }
        let root = novel
            .project()
            .root()
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        Ok(Self {
            is_novel: nothing.is_none(),
            name: survey.settings.title.or(root).unwrap_or_default(),
            scores,
            activity: activity(&sessions),
            stage_seconds: median(&sessions.sessions),
            episodes,
            open,
            stages_left,
            remarks,
        })
    }

    /// How many episodes are so far.
    #[must_use]
    pub fn count(&self, progress: Progress) -> usize {
        self.episodes.iter().filter(|one| one.progress == progress).count()
    }

    /// The first episode that is so far.
    #[must_use]
    pub fn first(&self, progress: Progress) -> Option<Episode> {
        let mut all = self.episodes.iter();
        all.find(|one| one.progress == progress).map(|one| one.episode)
    }
}

impl EpisodeStatus {
    /// A finished episode has the score of its own text; a draft that of its newest review.
    fn of(episode: Episode, files: &EpisodeFiles, record: Option<&Record>, newest: Option<&EpisodeScore>) -> Self {
        let of_record = record.and_then(|record| Some((record.quality.method.clone(), record.quality.overall_score?)));
        // A judgement is of one text.
        let of_now = |newest: &&EpisodeScore| {
            let [draft] = files.manuscripts.as_slice() else {
                return false;
            };
            FileReference::of(draft).is_ok_and(|now| newest.is_of(now.hash.digits()))
        };
        let of_review = newest.filter(of_now);
        let progress = match record {
            Some(_) => Progress::Completed,
            None if files.manuscripts.is_empty() => Progress::Planned,
            None => Progress::Draft,
        };
        Self {
            episode,
            title: files.title.clone(),
            progress,
            judged: of_review
                .map(|newest| (newest.method.clone(), newest.score))
                .or(of_record),
        }
    }
}

/// How many writing stages an episode still needs. A manuscript that nobody writes on in a session needs none.
fn left(status: &EpisodeStatus, open: &[Open]) -> usize {
    let session = open.iter().find(|open| open.episode == status.episode);
    match (status.progress, session) {
        (Progress::Completed, _) | (Progress::Draft, None) => 0,
        (_, Some(session)) => session.stages - session.done,
        (Progress::Planned, None) => STAGES,
    }
}

/// The newest open session of each episode.
fn open(sessions: &[Session]) -> Vec<Open> {
    let mut open: Vec<Open> = Vec::new();
    for session in sessions {
        let is_new = open.iter().all(|known| known.episode != session.episode());
        if let Some(stage) = session.current().filter(|_| is_new) {
            open.push(Open {
                id: session.id().clone(),
                episode: session.episode(),
                stage,
                done: session.completed().len(),
                stages: session.route().length(),
                last_updated: session.last_updated().clone(),
            });
        }
    }
    open
}

/// What was done last.
fn activity(sessions: &Overview) -> Vec<Event> {
    let traces = sessions.traces.iter().map(Vec::as_slice);
    let all = sessions.sessions.iter().zip(traces.chain(std::iter::repeat(&[][..])));
    let mut events: Vec<Event> = all.flat_map(|(session, trace)| events_of(session, trace)).collect();
    // Of the same moment, what happened last comes first.
    events.reverse();
    events.sort_by(|a, b| b.at.cmp(&a.at));
    events.truncate(EVENTS);
    events
}

/// The past of a session, in order, as far as its file and its trace tell.
fn events_of(session: &Session, trace: &[Traced]) -> Vec<Event> {
    let event = |at: &Moment, what| Event {
        at: at.clone(),
        session: session.id().clone(),
        episode: session.episode(),
        what,
    };
    let mut events = vec![event(session.created_at(), Happened::Started)];
    let done = trace.iter().filter(|entry| entry.turn == entry.stage.turns().len());
    events.extend(done.map(|entry| event(&entry.end, Happened::Completed(entry.stage))));
    let remarks = session.feedback().iter();
    events.extend(remarks.map(|said| event(&said.timestamp, Happened::Remarked(said.stage))));
    let last = match (session.current(), session.completed().last()) {
        (None, _) => Some(Happened::Finished),
        (Some(stage), _) if !session.turns().is_empty() => Some(Happened::Worked(stage)),
        (Some(_), Some(stage)) => Some(Happened::Completed(*stage)),
        (Some(_), None) => None,
    };
    let now = session.last_updated();
    let is_told = events[1..].iter().any(|told| told.at == *now);
    if let Some(last) = last.filter(|last| *last == Happened::Finished || !is_told) {
        events.push(event(now, last));
    }
    events
}

/// How long a stage takes: of those that were measured, the one in the middle.
fn median(sessions: &[Session]) -> Option<f64> {
    let stages = sessions
        .iter()
        .flat_map(|session| Stage::all().filter_map(|stage| session.output(stage)));
    let mut seconds: Vec<f64> = stages
        .map(|output| output.execution_time)
        .filter(|seconds| *seconds > 0.0)
        .collect();
    seconds.sort_by(f64::total_cmp);
    let middle = seconds.len() / 2;
    match seconds.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(seconds[middle]),
        _ => Some(f64::midpoint(seconds[middle - 1], seconds[middle])),
    }
}

/// The YAML files that cannot be read: plots, settings, outline and ledger.
fn faults(survey: &Survey) -> Vec<ProjectError> {
    let mut faults = Vec::new();
    for files in survey.episodes.values() {
        for plot in &files.plots {
            let path = plot.shown();
            faults.extend(yaml_of(plot).and_then(|text| Plot::read(&path, &text)).err());
        }
    }
    for role in [Role::ChapterPlots, Role::World, Role::Management] {
        let Some(folder) = survey.folders.get(&role) else {
            continue;
        };
        let listed = match list(folder, YAML_FILES) {
            Ok((listed, _)) => listed,
            Err(error) => {
                faults.push(error.into());
                continue;
            }
        };
        let is_yaml = |name: &str| {
            let extension = name.rsplit_once('.').map(|(_, extension)| extension);
            matches!(extension, Some("yaml" | "yml"))
        };
        for file in listed
            .iter()
            .filter(|file| file.kind == ListedKind::File && is_yaml(&file.name))
        {
            let path = file.path.shown();
            faults.extend(
                yaml_of(&file.path)
                    .and_then(|text| read_yaml::<Yaml>(&path, &text))
                    .err(),
            );
        }
    }
    faults
}
