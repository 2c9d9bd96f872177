//! A review on the disk: its manifest, and the files to which each step appends lines.

use std::{collections::BTreeMap, sync::Arc};

use fumi_base::{
    atomic_write::{WriteError, is_free, remove_folder, replace},
    listing::list_last,
    project::Project,
};
use serde::{Deserialize, Serialize};

use super::{
    id::ReviewId,
    json_lines::{self, json},
    review_files::{ReviewFiles, ReviewOverlay},
    scores,
};
use crate::{
    change_set::FileChange,
    checks::{CheckIssue, RULE_VERSION},
    errors::reviewing::ReviewError,
    project::EpisodeId,
    references::ContentHash,
    writing::UtcTime,
};

const FOLDER: &str = ".noveler/checks";
const MANIFEST: &str = "/manifest.json";
const MANIFEST_BYTES: u64 = 1 << 20;
/// The largest number of reviews read for a history, from the newest.
const REVIEWS: usize = 20_000;
/// The number of reviews kept.
const KEPT: usize = 500;
/// The number of new reviews between two clean-ups.
const OVER: usize = 100;
/// The tool whose score counts as the score of an episode.
const WHOLE: &str = "noveler_check";
/// The version of the file format.
const VERSION: u32 = 1;

/// The manuscript that a review examines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewSubject {
    /// The number of the episode.
    pub episode: u32,
    /// The path of the manuscript, relative to the project root.
    pub manuscript: String,
    /// The SHA-256 hash of the bytes that were read.
    pub sha256: String,
    /// The number of visible characters of the story.
    pub characters: usize,
}

/// The manifest of a review: its subject and its progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewManifest {
    /// The version of the file format.
    pub version: u32,
    /// The id of the review.
    pub session_id: ReviewId,
    pub created_at: UtcTime,
    /// The time of the last executed step.
    pub last_updated: UtcTime,
    /// The manuscript as the last step read it.
    pub subject: ReviewSubject,
    /// The version of the rules that were applied.
    pub rule_version: String,
    /// The numbers of the completed steps of the staged review.
    #[serde(default)]
    pub completed_steps: Vec<u32>,
    /// The number of executions so far.
    #[serde(default)]
    pub executions: usize,
}

/// An executed step, or a check that was called by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepExecution {
    /// The step of the staged review; `None` for a check that was called by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_id: Option<u32>,
    /// The name of the executed tool.
    pub tool: String,
    /// The time at which the execution ended.
    pub executed_at: UtcTime,
    /// The duration in seconds.
    pub execution_time: f64,
    /// True if the execution was completed.
    pub success: bool,
    /// The origin of the judgement, such as `deterministic` or `host`.
    pub method: String,
    /// The score from 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality_score: Option<f64>,
    /// The number of issues found.
    pub issues_found: usize,
    /// The SHA-256 hash of the checked text.
    pub sha256: String,
    /// The path of the stored input, if the input is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_file: Option<String>,
    /// The path of the stored output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_file: Option<String>,
}

impl StepExecution {
    /// Creates a completed deterministic execution without a score or issues.
    pub fn done(tool: &str, begun: &UtcTime, end: &UtcTime, sha256: &str) -> Self {
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

/// An issue as stored in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IssueLine {
    pub issue_id: String,
    /// The name of the rule.
    pub rule: String,
    /// The name of the severity.
    pub severity: String,
    /// The line number, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    #[serde(alias = "column")]
    pub col: usize,
    /// The byte range in the source.
    pub span: (usize, usize),
    /// The text found, with a few characters around it.
    pub excerpt: String,
    /// A description of the issue.
    pub message: String,
    /// A suggestion for correcting the issue.
    pub suggestion: String,
    /// The fix, if there is an automatic one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<FixLine>,
    /// The hash of the words of its line.
    pub line_hash: String,
    /// The version of the rules that found it.
    pub rule_version: String,
}

/// A fix as stored in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FixLine {
    /// The level from which the fix is applied.
    pub level: String,
    /// The text to be replaced.
    pub before: String,
    /// The replacement text.
    pub after: String,
    /// The confidence from 0 to 1.
    pub confidence: f64,
}

impl From<&CheckIssue> for IssueLine {
    fn from(issue: &CheckIssue) -> Self {
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

/// The outcome of an issue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IssueResolution {
    /// The id of the issue.
    pub issue_id: String,
    pub resolved_at: UtcTime,
    /// The outcome: `fixed` or `skipped`.
    pub resolution: String,
    /// The level at which fixes were applied.
    pub fix_level: String,
    /// The text before the fix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The text after the fix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The reason for skipping the issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Converts the files of a review to changes that are applied together.
pub fn changes(files: BTreeMap<String, String>) -> Vec<FileChange> {
    let changes = files.into_iter().map(|(path, text)| FileChange::write(path, text));
    changes.collect()
}

/// Writes a review that the same call began. The manifest is written last, because a review without it does not exist.
pub fn write_new(project: &Project, files: BTreeMap<String, String>) -> Result<(), WriteError> {
    let (last, first): (Vec<_>, Vec<_>) = files.into_iter().partition(|(path, _)| path.ends_with(MANIFEST));
    for (path, text) in first.into_iter().chain(last) {
        replace(project, &path, text.as_bytes())?;
    }
    Ok(())
}

/// Removes old reviews before a new one is written. The newest [`KEPT`] reviews, those with judgements or inputs of a
/// client, and those with the newest score of an episode are kept. Errors are ignored; the next clean-up tries again.
pub fn remove_old_reviews(project: &Arc<Project>, new: &ReviewId) {
    let Ok(Some(folder)) = project.find(FOLDER) else { return };
    let Ok((listed, _)) = list_last(&folder, REVIEWS) else {
        return;
    };
    let ids: Vec<ReviewId> = listed.iter().filter_map(|entry| ReviewId::parse(&entry.name)).collect();
    // Ids begin with the time of the review. If the clock was wrong, the first ids are not the oldest reviews.
    if ids.len() <= KEPT || !ids.len().is_multiple_of(OVER) || ids.last() > Some(new) {
        return;
    }
    let Ok(scores) = scores::scores(project) else { return };
    let newest: BTreeMap<EpisodeId, &ReviewId> = scores.iter().map(|score| (score.episode, &score.review)).collect();
    // True unless it is certain that no client judged the review or passed a text to a step.
    let has = |id: &ReviewId, name: &str| !is_free(project, &format!("{FOLDER}/{id}/{name}")).unwrap_or(false);
    let is_theirs = |id: &ReviewId| has(id, "judgements.jsonl") || has(id, "inputs");
    let old = ids.iter().take(ids.len() - KEPT);
    let gone = old.filter(|id| !newest.values().any(|kept| kept == id) && !is_theirs(id));
    for id in gone.take(2 * OVER) {
        let _ = remove_folder(project, &format!("{FOLDER}/{id}"));
    }
}

/// All reviews of a project.
#[derive(Clone, Debug)]
pub struct ReviewStore {
    shelf: ReviewFiles,
}

/// One review with its manifest.
#[derive(Clone, Debug)]
pub struct ManuscriptReview {
    shelf: ReviewFiles,
    manifest: ReviewManifest,
}

impl ReviewStore {
    /// Creates access to the reviews of a project.
    pub fn new(project: Arc<Project>) -> Self {
        Self { shelf: ReviewFiles::new(project, None) }
    }

    /// Creates access that writes to `apart` instead of the project.
    pub fn with_overlay(project: Arc<Project>, apart: ReviewOverlay) -> Self {
        Self { shelf: ReviewFiles::new(project, Some(apart)) }
    }

    pub(super) fn shelf(&self) -> &ReviewFiles {
        &self.shelf
    }

    /// Begins a review. Nothing is written before its first step.
    pub fn begin(&self, id: ReviewId, subject: ReviewSubject, now: &UtcTime) -> ManuscriptReview {
        ManuscriptReview {
            shelf: self.shelf.clone(),
            manifest: ReviewManifest {
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

    /// Loads an existing review.
    pub fn load(&self, id: &str) -> Result<ManuscriptReview, ReviewError> {
        let unknown = || ReviewError::ReviewNotFound { id: id.to_owned() };
        let known = ReviewId::parse(id).ok_or_else(unknown)?;
        let path = manifest_of(&known);
        let text = self.shelf.text(&path, MANIFEST_BYTES)?.ok_or_else(unknown)?;
        let manifest: ReviewManifest = serde_json::from_str(&text)
            .map_err(|error| ReviewError::ReviewBroken { path, reason: error.to_string() })?;
        // A folder copied by hand contains the manifest of another review.
        if manifest.session_id != known {
            return Err(unknown());
        }
        Ok(ManuscriptReview { shelf: self.shelf.clone(), manifest })
    }

    /// Returns the executions for an episode, newest first, each with the id of its review.
    pub fn history(&self, episode: EpisodeId, limit: usize) -> Result<Vec<(ReviewId, StepExecution)>, ReviewError> {
        let Some(folder) = self.shelf.project().find(FOLDER)? else {
            return Ok(Vec::new());
        };
        let (listed, _) = list_last(&folder, REVIEWS)?;
        let mut history = Vec::new();
        // Ids begin with the time of the review and are listed in order.
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

/// Returns the path of a review's manifest.
pub(super) fn manifest_of(id: &ReviewId) -> String {
    format!("{FOLDER}/{id}{MANIFEST}")
}

impl ManuscriptReview {
    pub fn manifest(&self) -> &ReviewManifest {
        &self.manifest
    }

    pub fn id(&self) -> &ReviewId {
        &self.manifest.session_id
    }

    /// Returns the path of the issues, relative to the project root.
    pub fn issues_path(&self) -> String {
        self.path("issues.jsonl")
    }

    /// Returns the executions, oldest first.
    pub fn executions(&self) -> Result<Vec<StepExecution>, ReviewError> {
        json_lines::read(&self.shelf, &self.path("step_executions.jsonl"))
    }

    /// Returns the issues found, oldest first.
    pub fn issues(&self) -> Result<Vec<IssueLine>, ReviewError> {
        json_lines::read(&self.shelf, &self.issues_path())
    }

    /// Records a step: its output, its new issues, its score and the execution itself.
    pub fn record(
        &mut self,
        subject: ReviewSubject,
        mut execution: StepExecution,
        issues: &[CheckIssue],
        output: &str,
    ) -> Result<(), ReviewError> {
        let number = self.manifest.executions + 1;
        let output_file = self.next_output(&execution.tool);
        self.shelf.write(&output_file, output)?;
        execution.output_file = Some(output_file);
        let known: Vec<String> = self.issues()?.into_iter().map(|issue| issue.issue_id).collect();
        let new = issues.iter().filter(|issue| !known.contains(&issue.issue_id));
        let new: Vec<IssueLine> = new.map(IssueLine::from).collect();
        json_lines::add(&self.shelf, &self.issues_path(), &new)?;
        // A step that checked a passed text is not completed for the manuscript.
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
            let episode = EpisodeId::new(self.manifest.subject.episode);
            scores::store_score(&self.shelf, episode, &self.manifest.session_id, number, &execution)?;
        }
        json_lines::add(&self.shelf, &self.path("step_executions.jsonl"), &[execution])?;
        self.write_manifest()
    }

    /// Returns the path of the next execution's output, relative to the project root.
    pub fn next_output(&self, tool: &str) -> String {
        self.path(&format!("outputs/{:03}_{tool}.json", self.manifest.executions + 1))
    }

    /// Appends outcomes of issues.
    pub fn resolve(&self, resolutions: &[IssueResolution]) -> Result<(), ReviewError> {
        if resolutions.is_empty() {
            return Ok(());
        }
        json_lines::add(&self.shelf, &self.path("issue_resolutions.jsonl"), resolutions)
    }

    /// Stores an input of a step and returns its path.
    pub fn store_input(&self, name: &str, text: &str) -> Result<String, ReviewError> {
        let hash = ContentHash::from_bytes(text.as_bytes());
        let path = self.path(&format!("inputs/{name}_{}.txt", &hash.digits()[..12]));
        self.shelf.write(&path, text)?;
        Ok(path)
    }

    /// Writes the manifest of a review that has no step yet.
    pub fn save_manifest(&self) -> Result<(), ReviewError> {
        self.write_manifest()
    }

    fn write_manifest(&self) -> Result<(), ReviewError> {
        self.shelf.write(&manifest_of(self.id()), &json(&self.manifest))
    }

    pub(super) fn shelf(&self) -> &ReviewFiles {
        &self.shelf
    }

    pub(super) fn path(&self, name: &str) -> String {
        format!("{FOLDER}/{}/{name}", self.manifest.session_id)
    }
}
