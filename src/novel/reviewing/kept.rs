//! A review on the disk: its manifest, and the lines that grow with every step.

use std::{collections::BTreeMap, sync::Arc};

use fumi_base::{
    listing::list_last,
    project::{PathError, Project},
    writing::{WriteError, remove_folder, replace},
};
use serde::{Deserialize, Serialize};

use super::{
    id::ReviewId,
    lines::{self, json},
    scores,
    shelf::{Apart, Shelf},
};
use crate::{
    checks::{Issue, RULE_VERSION},
    errors::reviewing::ReviewError,
    project::Episode,
    references::ContentHash,
    together::Change,
    writing::Moment,
};

const FOLDER: &str = ".noveler/checks";
const MANIFEST: &str = "/manifest.json";
const MANIFEST_BYTES: u64 = 1 << 20;
/// How many reviews are looked at for a history, the newest.
const REVIEWS: usize = 20_000;
/// How many reviews stay.
const KEPT: usize = 500;
/// How many new ones there are before they are tidied again.
const OVER: usize = 100;
/// The tool whose score is an episode's score.
const WHOLE: &str = "noveler_check";
/// The form of the files.
const VERSION: u32 = 1;

/// What a review is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Subject {
    /// The episode.
    pub episode: u32,
    /// Its manuscript, relative to the project.
    pub manuscript: String,
    /// SHA-256 of the bytes that were read.
    pub sha256: String,
    /// Visible characters of the story.
    pub characters: usize,
}

/// What a review is, and how far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The form of the files.
    pub version: u32,
    /// Its name.
    pub session_id: ReviewId,
    /// When it began.
    pub created_at: Moment,
    /// When a step was last executed.
    pub last_updated: Moment,
    /// What it is about, as the last step met it.
    pub subject: Subject,
    /// The rules that judged.
    pub rule_version: String,
    /// The steps of the staged flow that are done, by number.
    #[serde(default)]
    pub completed_steps: Vec<u32>,
    /// How many executions there are.
    #[serde(default)]
    pub executions: usize,
}

/// A step that was executed, or a check that was called by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Execution {
    /// The step of the staged flow; none of a check that was called by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_id: Option<u32>,
    /// The tool.
    pub tool: String,
    /// When it ended.
    pub executed_at: Moment,
    /// Seconds.
    pub execution_time: f64,
    /// Whether it came to an end.
    pub success: bool,
    /// By whom it was judged.
    pub method: String,
    /// From 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality_score: Option<f64>,
    /// How many issues it found.
    pub issues_found: usize,
    /// What it looked at.
    pub sha256: String,
    /// What it was asked, if that is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_file: Option<String>,
    /// What it answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_file: Option<String>,
}

impl Execution {
    /// One that ended now, of a text: measured, without a score or an issue.
    #[must_use]
    pub fn done(tool: &str, begun: &Moment, end: &Moment, sha256: &str) -> Self {
        Self {
            step_id: None,
            tool: tool.to_owned(),
            executed_at: end.clone(),
            execution_time: end.since(begun).as_secs_f64(),
            success: true,
            method: "deterministic".to_owned(),
            quality_score: None,
            issues_found: 0,
            sha256: sha256.to_owned(),
            input_file: None,
            output_file: None,
        }
    }
}

/// An issue as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IssueLine {
    /// Its id.
    pub issue_id: String,
    /// Its rule.
    pub rule: String,
    /// How much it matters.
    pub severity: String,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    #[serde(alias = "column")]
    pub col: usize,
    /// Bytes of the source.
    pub span: (usize, usize),
    /// What was found, with a few characters around it.
    pub excerpt: String,
    /// What it is.
    pub message: String,
    /// What to do.
    pub suggestion: String,
    /// What a fix would write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<FixLine>,
    /// Of the words of its line.
    pub line_hash: String,
    /// The rules that found it.
    pub rule_version: String,
}

/// A fix as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FixLine {
    /// The level at which it is applied.
    pub level: String,
    /// What stands there.
    pub before: String,
    /// What would stand there.
    pub after: String,
    /// From 0 to 1.
    pub confidence: f64,
}

impl From<&Issue> for IssueLine {
    fn from(issue: &Issue) -> Self {
        Self {
            issue_id: issue.issue_id.clone(),
            rule: issue.rule.to_owned(),
            severity: issue.severity.name().to_owned(),
            line: issue.line,
            col: issue.column,
            span: issue.span,
            excerpt: issue.excerpt.clone(),
            message: issue.message.clone(),
            suggestion: issue.suggestion.clone(),
            fix: issue.fix.as_ref().map(|fix| FixLine {
                level: fix.level.name().to_owned(),
                before: fix.before.clone(),
                after: fix.after.clone(),
                confidence: fix.confidence,
            }),
            line_hash: issue.line_hash.clone(),
            rule_version: RULE_VERSION.to_owned(),
        }
    }
}

/// What became of an issue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resolution {
    /// The issue.
    pub issue_id: String,
    /// When.
    pub resolved_at: Moment,
    /// What was done: `fixed` or `skipped`.
    pub resolution: String,
    /// At which level.
    pub fix_level: String,
    /// What stood there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// What stands there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Why it was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The files of a review as changes that belong together.
#[must_use]
pub fn changes(files: BTreeMap<String, String>) -> Vec<Change> {
    let changes = files.into_iter().map(|(path, text)| Change::write(path, text));
    changes.collect()
}

/// Writes a review that was begun by the same call. Its manifest is last: without it there is no review.
pub fn write_new(project: &Project, files: BTreeMap<String, String>) -> Result<(), WriteError> {
    let (last, first): (Vec<_>, Vec<_>) = files.into_iter().partition(|(path, _)| path.ends_with(MANIFEST));
    for (path, text) in first.into_iter().chain(last) {
        replace(project, &path, text.as_bytes())?;
    }
    Ok(())
}

/// Removes old reviews before a new one is written: the newest [`KEPT`] stay, those with judgements or texts from a client,
/// and those whose score is the newest of an episode. Best effort: what stays is looked at again.
pub fn tidy(project: &Arc<Project>, new: &ReviewId) {
    let Ok(folder) = project.resolve(FOLDER) else { return };
    let Ok((listed, _)) = list_last(&folder, REVIEWS) else {
        return;
    };
    let ids: Vec<ReviewId> = listed.iter().filter_map(|entry| ReviewId::parse(&entry.name)).collect();
    // Names begin with the time of the review. Where the clock was wrong the first are not the oldest.
    if ids.len() <= KEPT || !ids.len().is_multiple_of(OVER) || ids.last() > Some(new) {
        return;
    }
    let Ok(scores) = scores::scores(project) else { return };
    let newest: BTreeMap<Episode, &ReviewId> = scores.iter().map(|score| (score.episode, &score.review)).collect();
    // What somebody judged, or gave to a step.
    let has = |id: &ReviewId, name: &str| project.resolve(&format!("{FOLDER}/{id}/{name}")).is_ok();
    let is_theirs = |id: &ReviewId| has(id, "judgements.jsonl") || has(id, "inputs");
    let old = ids.iter().take(ids.len() - KEPT);
    let gone = old.filter(|id| !newest.values().any(|kept| kept == id) && !is_theirs(id));
    for id in gone.take(2 * OVER) {
        let _ = remove_folder(project, &format!("{FOLDER}/{id}"));
    }
}

/// The reviews of a project.
#[derive(Clone, Debug)]
pub struct Reviews {
    shelf: Shelf,
}

/// One review.
#[derive(Clone, Debug)]
pub struct Review {
    shelf: Shelf,
    manifest: Manifest,
}

impl Reviews {
    /// Those of a project.
    #[must_use]
    pub fn of(project: Arc<Project>) -> Self {
        Self {
            shelf: Shelf::new(project, None),
        }
    }

    /// The same, with what is written going to another place.
    #[must_use]
    pub fn apart(project: Arc<Project>, apart: Apart) -> Self {
        Self {
            shelf: Shelf::new(project, Some(apart)),
        }
    }

    /// Begins a review. Nothing is written before its first step.
    #[must_use]
    pub fn begin(&self, id: ReviewId, subject: Subject, now: &Moment) -> Review {
        Review {
            shelf: self.shelf.clone(),
            manifest: Manifest {
                version: VERSION,
                session_id: id,
                created_at: now.clone(),
                last_updated: now.clone(),
                subject,
                rule_version: RULE_VERSION.to_owned(),
                completed_steps: Vec::new(),
                executions: 0,
            },
        }
    }

    /// A review that was begun.
    pub fn load(&self, id: &str) -> Result<Review, ReviewError> {
        let unknown = || ReviewError::NoReview { id: id.to_owned() };
        let known = ReviewId::parse(id).ok_or_else(unknown)?;
        let path = manifest_of(&known);
        let text = self.shelf.text(&path, MANIFEST_BYTES)?.ok_or_else(unknown)?;
        let manifest: Manifest = serde_json::from_str(&text).map_err(|error| ReviewError::Broken {
            path,
            reason: error.to_string(),
        })?;
        // A folder that was copied by hand is not the review that it is named after.
        if manifest.session_id != known {
            return Err(unknown());
        }
        Ok(Review {
            shelf: self.shelf.clone(),
            manifest,
        })
    }

    /// What was executed for an episode, the newest first, each with the review that it belongs to.
    pub fn history(&self, episode: Episode, limit: usize) -> Result<Vec<(ReviewId, Execution)>, ReviewError> {
        let folder = match self.shelf.project().resolve(FOLDER) {
            Ok(folder) => folder,
            Err(PathError::NotFound { .. }) => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        let (listed, _) = list_last(&folder, REVIEWS)?;
        let mut history = Vec::new();
        // Names begin with the time of the review, and are listed in their order.
        for entry in listed.iter().rev() {
            let Ok(review) = self.load(&entry.name) else { continue };
            if review.manifest.subject.episode != episode.number() {
                continue;
            }
            let executions = review.executions()?;
            let id = &review.manifest.session_id;
            history.extend(executions.into_iter().rev().map(|execution| (id.clone(), execution)));
            if history.len() >= limit {
                break;
            }
        }
        history.sort_by(|(_, one), (_, other)| other.executed_at.cmp(&one.executed_at));
        history.truncate(limit);
        Ok(history)
    }
}

/// Where the manifest of a review is.
pub(super) fn manifest_of(id: &ReviewId) -> String {
    format!("{FOLDER}/{id}{MANIFEST}")
}

impl Review {
    /// What it is, and how far.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> &ReviewId {
        &self.manifest.session_id
    }

    /// Where its issues are, relative to the project.
    #[must_use]
    pub fn issues_path(&self) -> String {
        self.path("issues.jsonl")
    }

    /// What was executed, the oldest first.
    pub fn executions(&self) -> Result<Vec<Execution>, ReviewError> {
        lines::read(&self.shelf, &self.path("step_executions.jsonl"))
    }

    /// The issues that were found, the oldest first.
    pub fn issues(&self) -> Result<Vec<IssueLine>, ReviewError> {
        lines::read(&self.shelf, &self.issues_path())
    }

    /// Writes down a step: what it answered, what it found, and that it was.
    pub fn record(
        &mut self,
        subject: Subject,
        mut execution: Execution,
        issues: &[Issue],
        output: &str,
    ) -> Result<(), ReviewError> {
        let number = self.manifest.executions + 1;
        let output_file = self.next_output(&execution.tool);
        self.shelf.write(&output_file, output)?;
        execution.output_file = Some(output_file);
        let known: Vec<String> = self.issues()?.into_iter().map(|issue| issue.issue_id).collect();
        let new = issues.iter().filter(|issue| !known.contains(&issue.issue_id));
        let new: Vec<IssueLine> = new.map(IssueLine::from).collect();
        lines::add(&self.shelf, &self.issues_path(), &new)?;
        // A text of its own is not the manuscript: its steps are not done for that.
        let step = execution.step_id.filter(|_| execution.input_file.is_none());
        if let Some(step) = step.filter(|step| !self.manifest.completed_steps.contains(step)) {
            self.manifest.completed_steps.push(step);
            self.manifest.completed_steps.sort_unstable();
        }
        self.manifest.last_updated = execution.executed_at.clone();
        if execution.input_file.is_none() {
            self.manifest.subject = subject;
        }
        self.manifest.executions = number;
        if execution.tool == WHOLE {
            let episode = Episode::new(self.manifest.subject.episode);
            scores::note(&self.shelf, episode, &self.manifest.session_id, number, &execution)?;
        }
        lines::add(&self.shelf, &self.path("step_executions.jsonl"), &[execution])?;
        self.write_manifest()
    }

    /// Where the answer of the next execution will be, relative to the project.
    #[must_use]
    pub fn next_output(&self, tool: &str) -> String {
        self.path(&format!("outputs/{:03}_{tool}.json", self.manifest.executions + 1))
    }

    /// Writes down what became of issues.
    pub fn resolve(&self, resolutions: &[Resolution]) -> Result<(), ReviewError> {
        if resolutions.is_empty() {
            return Ok(());
        }
        lines::add(&self.shelf, &self.path("issue_resolutions.jsonl"), resolutions)
    }

    /// Keeps something that a step was given.
    pub fn keep_input(&self, name: &str, text: &str) -> Result<String, ReviewError> {
        let hash = ContentHash::of(text.as_bytes());
        let path = self.path(&format!("inputs/{name}_{}.txt", &hash.digits()[..12]));
        self.shelf.write(&path, text)?;
        Ok(path)
    }

    /// Writes down that it was begun.
    pub fn write_down(&self) -> Result<(), ReviewError> {
        self.write_manifest()
    }

    fn write_manifest(&self) -> Result<(), ReviewError> {
        self.shelf.write(&manifest_of(self.id()), &json(&self.manifest))
    }

    pub(super) fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    pub(super) fn path(&self, name: &str) -> String {
        format!("{FOLDER}/{}/{name}", self.manifest.session_id)
    }
}
