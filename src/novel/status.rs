//! The status of a novel: planned, drafted and finished episodes, open sessions, recent events, and remaining work.
//!
//! Invariant: an unfinished project is not an error. Missing or broken files become remarks, with a line number if
//! possible, and the rest is reported. Nothing is written and nothing is guessed: without measured stages there is no
//! time estimate, and without a judgement no score.

use fumi_base::{
    errors::UserError,
    listing::{FolderEntryKind, list},
    text::BilingualText,
};

use crate::{
    change_set::{self, InterruptedChanges},
    checks::items::EvaluationMethod,
    errors::project::ProjectError,
    finishing::{PublishRecord, finished},
    numbering::number_remarks,
    project::{
        EpisodeFiles, EpisodeId, EpisodePlot, FolderRole, NovelProject, NovelSurvey, YamlValue, read_yaml,
        read_yaml_text,
    },
    references::FileReference,
    reviewing::{self, EpisodeScore},
    writing::{SessionsOverview, StageRoute, TracedTurn, UtcTime, WritingSession, WritingSessionId, WritingStage},
};

/// The largest number of recent events.
const EVENTS: usize = 10;

/// The score, of 100, below which an episode is mentioned.
pub const THRESHOLD: f64 = 60.0;

/// The largest number of YAML files checked in one folder.
const YAML_FILES: usize = 5_000;

#[derive(Debug)]
pub struct NovelStatus {
    /// True if the folder contains any part of a novel.
    pub is_novel: bool,
    /// The title, or the name of the folder.
    pub name: String,
    /// Every episode with a plot or a manuscript, by number.
    pub episodes: Vec<EpisodeStatus>,
    /// The writing sessions that can be continued, newest first, one per episode.
    pub open: Vec<OpenWritingSession>,
    /// The recent events, newest first.
    pub activity: Vec<SessionEvent>,
    /// The number of writing stages left for all episodes together.
    pub stages_left: usize,
    /// The scores of complete reviews, by episode and then by time.
    pub scores: Vec<EpisodeScore>,
    /// The median duration of the measured stages, in seconds.
    pub stage_seconds: Option<f64>,
    /// Remarks for the owner of the project.
    pub remarks: Vec<BilingualText>,
}

#[derive(Clone, Debug)]
pub struct EpisodeStatus {
    pub episode: EpisodeId,
    /// The title from the names of the episode's files.
    pub title: Option<String>,
    pub progress: EpisodeProgress,
    /// The origin of the newest judgement of the manuscript, and its score from 0 to 100.
    pub judged: Option<(String, f64)>,
    /// True if there is a whole review of the present text, judged or not.
    pub is_checked: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EpisodeProgress {
    /// The episode has only a plot.
    Planned,
    /// The manuscript is not finished, or was changed since.
    Draft,
    /// The episode is finished.
    Completed,
}

/// A writing session that can be continued.
#[derive(Clone, Debug)]
pub struct OpenWritingSession {
    pub id: WritingSessionId,
    pub episode: EpisodeId,
    /// The next stage to write.
    pub stage: WritingStage,
    /// The number of completed stages.
    pub done: usize,
    pub stages: usize,
    /// The time of the last change.
    pub last_updated: UtcTime,
}

/// An event in a writing session.
#[derive(Clone, Debug)]
pub struct SessionEvent {
    pub at: UtcTime,
    pub session: WritingSessionId,
    pub episode: EpisodeId,
    pub what: SessionEventKind,
}

/// The kind of an event in a writing session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEventKind {
    /// The session began.
    Started,
    Completed(WritingStage),
    /// A turn of this stage was written.
    Worked(WritingStage),
    /// Feedback on this stage was given.
    Remarked(WritingStage),
    /// All stages were completed.
    Finished,
}

impl NovelStatus {
    /// Computes the status of a project. Returns an error only if the project cannot be read at all.
    pub fn read(novel: &NovelProject) -> Result<Self, ProjectError> {
        let survey = novel.survey()?;
        let sessions = SessionsOverview::read(novel.project())?;
        let nothing = survey.require_novel(novel.names()).err();
        let mut remarks: Vec<BilingualText> = Vec::new();
        if let Some(lesson) = nothing.as_ref().map(UserError::error_message) {
            remarks.extend([lesson.message, lesson.next]);
        }
        remarks.extend(survey.remarks.iter().map(crate::project::SurveyRemark::message));
        remarks.extend(number_remarks(&survey));
        remarks.extend(yaml_errors(&survey).iter().map(|error| error.error_message().message));
        remarks.extend(sessions.broken.iter().map(|error| error.error_message().message));
        match change_set::interrupted(novel.project()) {
            Ok(interrupted) => remarks.extend(interrupted.as_ref().map(InterruptedChanges::message)),
            Err(error) => remarks.push(error.error_message().message),
        }
        match change_set::abandoned_folders(novel.project()) {
            Ok(folders) => remarks.extend(folders.iter().map(|folder| change_set::abandoned_message(folder))),
            Err(error) => remarks.push(error.error_message().message),
        }
        let open = open(&sessions);
        let scores = reviewing::scores(novel.project()).unwrap_or_else(|error| {
            remarks.push(error.error_message().message);
            Vec::new()
        });
        let route = survey.settings.writing_route.map_or(StageRoute::Whole, StageRoute::from);
        let (mut episodes, mut stages_left) = (Vec::new(), 0);
        for (episode, files) in &survey.episodes {
            let record = finished(novel.project(), *episode, files).unwrap_or_else(|error| {
                remarks.push(error.error_message().message);
                None
            });
            let reviews: Vec<&EpisodeScore> = scores.iter().rev().filter(|one| one.episode == *episode).collect();
            let status = EpisodeStatus::new(*episode, files, record.as_ref(), &reviews);
            stages_left += count_stages_left(&status, &open, route);
            episodes.push(status);
        }
        let root = novel.project().root().file_name().map(|name| name.to_string_lossy().into_owned());
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

    pub fn count(&self, progress: EpisodeProgress) -> usize {
        self.episodes.iter().filter(|one| one.progress == progress).count()
    }

    pub fn first(&self, progress: EpisodeProgress) -> Option<EpisodeId> {
        let mut all = self.episodes.iter();
        all.find(|one| one.progress == progress).map(|one| one.episode)
    }
}

impl EpisodeStatus {
    /// Computes the status of one episode from its reviews, the newest first. A judged review of the present text takes
    /// precedence over the score in the record.
    fn new(
        episode: EpisodeId,
        files: &EpisodeFiles,
        record: Option<&PublishRecord>,
        reviews: &[&EpisodeScore],
    ) -> Self {
        let quality = record.map(|record| &record.quality);
        // Earlier versions recorded a score without a judgement.
        let quality = quality.filter(|quality| quality.method != EvaluationMethod::Deterministic.name());
        let of_record = quality.and_then(|quality| Some((quality.method.clone(), quality.overall_score?)));
        // A review holds only for the same text.
        let now = match files.manuscripts.as_slice() {
            [draft] if !reviews.is_empty() => FileReference::read(draft).ok(),
            _ => None,
        };
        let of_now = || {
            let is_of_now = |review: &&&EpisodeScore| now.as_ref().is_some_and(|now| review.is_of(now.hash.digits()));
            reviews.iter().filter(is_of_now)
        };
        let judged = of_now().find_map(|review| Some((review.method.clone(), review.score?)));
        let progress = match record {
            Some(_) => EpisodeProgress::Completed,
            None if files.manuscripts.is_empty() => EpisodeProgress::Planned,
            None => EpisodeProgress::Draft,
        };
        Self {
            episode,
            title: files.title.clone(),
            progress,
            is_checked: of_now().next().is_some(),
            judged: judged.or(of_record),
        }
    }
}

/// Returns the number of writing stages that an episode still needs. A manuscript without an open session needs none.
fn count_stages_left(status: &EpisodeStatus, open: &[OpenWritingSession], route: StageRoute) -> usize {
    let session = open.iter().find(|open| open.episode == status.episode);
    match (status.progress, session) {
        (EpisodeProgress::Completed, _) | (EpisodeProgress::Draft, None) => 0,
        (_, Some(session)) => session.stages - session.done,
        (EpisodeProgress::Planned, None) => route.length(),
    }
}

/// Returns the open session of each episode that was changed last, without those that were abandoned. A finished session
/// for which a change was only wished is not open.
fn open(overview: &SessionsOverview) -> Vec<OpenWritingSession> {
    let mut open: Vec<OpenWritingSession> = Vec::new();
    for session in overview.sessions.iter().filter(|session| !overview.abandoned.contains(session.id())) {
        let is_new = open.iter().all(|known| known.episode != session.episode()) && !session.awaits_wish();
        if let Some(stage) = session.current().filter(|_| is_new) {
            open.push(OpenWritingSession {
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
fn activity(sessions: &SessionsOverview) -> Vec<SessionEvent> {
    let traces = sessions.traces.iter().map(Vec::as_slice);
    let all = sessions.sessions.iter().zip(traces.chain(std::iter::repeat(&[][..])));
    let mut events: Vec<SessionEvent> = all.flat_map(|(session, trace)| events_of(session, trace)).collect();
    // The reversal makes the later of two simultaneous events the first one.
    events.reverse();
    events.sort_by(|a, b| b.at.cmp(&a.at));
    events.truncate(EVENTS);
    events
}

/// Returns the events of a session, in order, as far as its file and its trace contain them.
fn events_of(session: &WritingSession, trace: &[TracedTurn]) -> Vec<SessionEvent> {
    let event = |at: &UtcTime, what| SessionEvent {
        at: at.clone(),
        session: session.id().clone(),
        episode: session.episode(),
        what,
    };
    let mut events = vec![event(session.created_at(), SessionEventKind::Started)];
    let done = trace.iter().filter(|entry| entry.turn == session.turns_of(entry.stage));
    events.extend(done.map(|entry| event(&entry.end, SessionEventKind::Completed(entry.stage))));
    let remarks = session.feedback().iter();
    events.extend(remarks.map(|said| event(&said.timestamp, SessionEventKind::Remarked(said.stage))));
    let last = match (session.current(), session.completed().last()) {
        (None, _) => Some(SessionEventKind::Finished),
        (Some(stage), _) if !session.turns().is_empty() => Some(SessionEventKind::Worked(stage)),
        (Some(_), Some(stage)) => Some(SessionEventKind::Completed(*stage)),
        (Some(_), None) => None,
    };
    let now = session.last_updated();
    let is_told = events[1..].iter().any(|told| told.at == *now);
    if let Some(last) = last.filter(|last| *last == SessionEventKind::Finished || !is_told) {
        events.push(event(now, last));
    }
    events
}

/// Returns the median duration of the measured stages.
fn median(sessions: &[WritingSession]) -> Option<f64> {
    let stages = sessions.iter().flat_map(|session| WritingStage::all().filter_map(|stage| session.output(stage)));
    let mut seconds: Vec<f64> = stages.map(|output| output.execution_time).filter(|seconds| *seconds > 0.0).collect();
    seconds.sort_by(f64::total_cmp);
    let middle = seconds.len() / 2;
    match seconds.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(seconds[middle]),
        _ => Some(f64::midpoint(seconds[middle - 1], seconds[middle])),
    }
}

/// Returns the errors of unreadable YAML files: plots, settings, outline and ledger.
fn yaml_errors(survey: &NovelSurvey) -> Vec<ProjectError> {
    let mut faults = Vec::new();
    for files in survey.episodes.values() {
        for plot in &files.plots {
            let path = plot.shown();
            faults.extend(read_yaml_text(plot).and_then(|text| EpisodePlot::read(&path, &text)).err());
        }
    }
    for role in [FolderRole::ChapterPlots, FolderRole::World, FolderRole::Management] {
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
        for file in listed.iter().filter(|file| file.kind == FolderEntryKind::File && is_yaml(&file.name)) {
            let path = file.path.shown();
            faults.extend(read_yaml_text(&file.path).and_then(|text| read_yaml::<YamlValue>(&path, &text)).err());
        }
    }
    faults
}
