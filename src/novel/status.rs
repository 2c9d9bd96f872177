//! The status of a novel: planned, drafted and finished episodes, open sessions, recent events, and remaining work.
//!
//! Invariant: an unfinished project is not an error. Missing or broken files become remarks, with a line number if
//! possible, and the rest is reported. Nothing is written and nothing is guessed: without measured stages there is no
//! time estimate, and without a judgement no score.

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

/// The largest number of recent events.
const EVENTS: usize = 10;

/// The score, of 100, below which an episode is mentioned.
pub const THRESHOLD: f64 = 60.0;

/// The largest number of YAML files checked in one folder.
const YAML_FILES: usize = 5_000;

/// The status of a novel.
#[derive(Debug)]
pub struct Status {
    /// True if the folder contains any part of a novel.
    pub is_novel: bool,
    /// The title, or the name of the folder.
    pub name: String,
    /// Every episode with a plot or a manuscript, by number.
    pub episodes: Vec<EpisodeStatus>,
    /// The writing sessions that can be continued, newest first, one per episode.
    pub open: Vec<Open>,
    /// The recent events, newest first.
    pub activity: Vec<Event>,
    /// The number of writing stages left for all episodes together.
    pub stages_left: usize,
    /// The scores of complete reviews, by episode and then by time.
    pub scores: Vec<EpisodeScore>,
    /// The median duration of the measured stages, in seconds.
    pub stage_seconds: Option<f64>,
    /// Remarks for the owner of the project.
    pub remarks: Vec<Text>,
}

/// The status of an episode.
#[derive(Clone, Debug)]
pub struct EpisodeStatus {
    pub episode: Episode,
    /// The title from the names of the episode's files.
    pub title: Option<String>,
    pub progress: Progress,
    /// The origin of the newest judgement of the manuscript, and its score from 0 to 100.
    pub judged: Option<(String, f64)>,
}

/// The progress of an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The episode has only a plot.
    Planned,
    /// The manuscript is not finished, or was changed since.
    Draft,
    /// The episode is finished.
    Completed,
}

/// A writing session that can be continued.
#[derive(Clone, Debug)]
pub struct Open {
    pub id: SessionId,
    pub episode: Episode,
    /// The next stage to write.
    pub stage: Stage,
    /// The number of completed stages.
    pub done: usize,
    /// The number of all stages.
    pub stages: usize,
    /// The time of the last change.
    pub last_updated: Moment,
}

/// An event in a writing session.
#[derive(Clone, Debug)]
pub struct Event {
    pub at: Moment,
    pub session: SessionId,
    pub episode: Episode,
    pub what: Happened,
}

/// The kind of an event in a writing session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happened {
    /// The session began.
    Started,
    /// This stage was completed.
    Completed(Stage),
    /// A turn of this stage was written.
    Worked(Stage),
    /// Feedback on this stage was given.
    Remarked(Stage),
    /// All stages were completed.
    Finished,
}

impl Status {
    /// Computes the status of a project. Returns an error only if the project cannot be read at all.
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

    /// Returns the number of episodes with this progress.
    #[must_use]
    pub fn count(&self, progress: Progress) -> usize {
        self.episodes.iter().filter(|one| one.progress == progress).count()
    }

    /// Returns the first episode with this progress.
    #[must_use]
    pub fn first(&self, progress: Progress) -> Option<Episode> {
        let mut all = self.episodes.iter();
        all.find(|one| one.progress == progress).map(|one| one.episode)
    }
}

impl EpisodeStatus {
    /// Computes the status of one episode. A review of the present text takes precedence over the score in the record.
    fn of(episode: Episode, files: &EpisodeFiles, record: Option<&Record>, newest: Option<&EpisodeScore>) -> Self {
        let of_record = record.and_then(|record| Some((record.quality.method.clone(), record.quality.overall_score?)));
        // A judgement holds only for the same text.
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

/// Returns the number of writing stages that an episode still needs. A manuscript without an open session needs none.
fn left(status: &EpisodeStatus, open: &[Open]) -> usize {
    let session = open.iter().find(|open| open.episode == status.episode);
    match (status.progress, session) {
        (Progress::Completed, _) | (Progress::Draft, None) => 0,
        (_, Some(session)) => session.stages - session.done,
        (Progress::Planned, None) => STAGES,
    }
}

/// Returns the newest open session of each episode.
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

/// Returns the recent events.
fn activity(sessions: &Overview) -> Vec<Event> {
    let traces = sessions.traces.iter().map(Vec::as_slice);
    let all = sessions.sessions.iter().zip(traces.chain(std::iter::repeat(&[][..])));
    let mut events: Vec<Event> = all.flat_map(|(session, trace)| events_of(session, trace)).collect();
    // The reversal makes the later of two simultaneous events the first one.
    events.reverse();
    events.sort_by(|a, b| b.at.cmp(&a.at));
    events.truncate(EVENTS);
    events
}

/// Returns the events of a session, in order, as far as its file and its trace contain them.
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

/// Returns the median duration of the measured stages.
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

/// Returns the errors of unreadable YAML files: plots, settings, outline and ledger.
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
