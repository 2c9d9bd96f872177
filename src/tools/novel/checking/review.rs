//! A review in one call: checks, measures, accepts judgements, stores everything, and reports the open items.
//!
//! Every check runs through this, from `check_basic` with rules alone to a step of the staged review. Each check builds
//! its own part of the reply.

use std::collections::BTreeMap;

use fumi_kernel::{CallProgress, Cx, ToolError};
use fumi_novel::{
    checks::{
        self, CheckIssue, CheckMaterial as Novel, RuleGroup, Score,
        items::{self, AcceptedJudgement, Evaluation},
    },
    errors::reviewing::ReviewError,
    project::EpisodeId,
    reviewing::{self, ManuscriptReview, ReviewSubject, StepExecution},
};
use tokio_util::sync::CancellationToken;

use super::{
    CheckContext, CheckDetails, CheckJob, CheckReply, alone, build_reply,
    episode_state::{self, AcceptedState, StateReading},
    judging::{self, Judging, RejectedJudgement},
    now,
    proofreading::{self, AcceptedCorrections, Proofreading},
    review_charts,
    review_question::ReviewQuestion,
    to_json,
};

/// The rules, items and input of a review.
#[derive(Clone, Debug, Default)]
pub(super) struct ReviewOptions {
    /// The rules to apply, by group.
    pub(super) groups: &'static [RuleGroup],
    /// The items to evaluate.
    pub(super) items: ItemSelection,
    /// The step of the staged review, if the call executes one.
    pub(super) step: Option<u32>,
    /// The review to continue; `None` begins a new one.
    pub(super) session_id: Option<String>,
    /// A text to check instead of the manuscript.
    pub(super) given: Option<String>,
    /// The purpose for which a model reads the manuscript besides judging it, if any.
    pub(super) reading: Option<ModelReading>,
}

/// The purpose for which a model reads a manuscript, with the model's answer or the request for one.
#[derive(Clone, Debug)]
pub(super) enum ModelReading {
    Proofreading(Proofreading),
    State(StateReading),
}

/// The selection of items that a call evaluates.
#[derive(Clone, Debug, Default)]
pub(super) enum ItemSelection {
    #[default]
    None,
    All,
    /// Only the items with these ids.
    Only(Vec<&'static str>),
}

impl ItemSelection {
    fn has(&self, id: &str) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Only(ids) => ids.contains(&id),
        }
    }
}

/// The complete material of a review before its own conclusions: the findings, evaluations and judgements.
pub(super) struct ReviewContext<'a> {
    pub(super) seen: &'a CheckContext<'a>,
    pub(super) evaluations: &'a [Evaluation],
    /// Ids of items with two opinions that are far apart.
    pub(super) unstable: &'a [String],
    /// Judgements of this call that were not accepted.
    pub(super) rejected: &'a [RejectedJudgement],
    /// The corrections of this call.
    pub(super) corrections: &'a AcceptedCorrections,
    /// The state of this call.
    pub(super) state: &'a AcceptedState,
}

/// Runs a check with rules alone.
pub(super) fn check<T: CheckDetails>(
    job: &CheckJob,
    groups: &'static [RuleGroup],
    is_cancelled: &dyn Fn() -> bool,
    own: impl FnOnce(&CheckContext<'_>) -> T,
) -> Result<CheckReply<T>, ReviewError> {
    let looks = ReviewOptions { groups, ..ReviewOptions::default() };
    let (checked, _) = review(job, &looks, &Judging::default(), is_cancelled, |whole| own(whole.seen))?;
    Ok(checked)
}

/// Reviews a manuscript on a blocking thread. A continued review holds the project's lock, because its files grow with
/// every step; so does the reading of a model, which changes the files of the episode.
pub(super) async fn review_blocking<T: CheckDetails + Send + 'static>(
    job: &CheckJob,
    looks: ReviewOptions,
    judging: Judging,
    cx: &Cx,
    own: impl FnOnce(&ReviewContext<'_>) -> T + Send + 'static,
) -> Result<(CheckReply<T>, Option<ReviewQuestion>), ToolError> {
    let is_alone = job.may_store && (looks.session_id.is_some() || looks.reading.is_some());
    let (reader, id) = (job.caller_reviews.clone(), looks.session_id.clone().unwrap_or_else(|| job.id().to_string()));
    if !job.may_store {
        reader.fetch(&id).await?;
    }
    let keeps = job.may_store;
    let (novel, job, holder) = (job.novel.clone(), job.clone(), format!("{} {}", job.tool, job.episode));
    let work = move |cancel: &CancellationToken, _: &CallProgress| {
        review(&job, &looks, &judging, &|| cancel.is_cancelled(), own)
    };
    let done = if is_alone { alone(novel, cx, &holder, work).await? } else { cx.blocking(work).await? };
    if !keeps {
        reader.keep(&id).await?;
    }
    Ok(done)
}

/// Reviews a manuscript. Returns the reply and the question to a judge or a proofreader, if the call asks one.
pub(super) fn review<T: CheckDetails>(
    job: &CheckJob,
    looks: &ReviewOptions,
    judging: &Judging,
    is_cancelled: &dyn Fn() -> bool,
    own: impl FnOnce(&ReviewContext<'_>) -> T,
) -> Result<(CheckReply<T>, Option<ReviewQuestion>), ReviewError> {
    let mut looked = reviewing::read_manuscript(&job.novel, job.episode, looks.given.as_deref(), &job.tuning)?;
    if looks.groups.contains(&RuleGroup::Proofreading) {
        looked.add_readings(&job.novel, job.episode)?;
    }
    let mut review = opened(job, looks, &looked.subject)?;
    let (mut corrections, mut state) = (AcceptedCorrections::default(), AcceptedState::default());
    match &looks.reading {
        Some(ModelReading::Proofreading(given)) => {
            corrections = proofreading::accept_corrections(job, given, &mut looked, &review)?;
        }
        Some(ModelReading::State(given)) => state = episode_state::accept_state(job, given, &mut looked, &review)?,
        None => {}
    }
    let material = Novel::new(&looked.draft, &looked.context, &looked.tuning, checks::morphology());
    let mut findings = checks::run_rules(&material, looks.groups, is_cancelled).ok_or(ReviewError::Cancelled)?;
    if let Some(step) = looks.step.and_then(reviewing::review_step) {
        findings.retain(|finding| step.has_rule(finding.rule));
    }
    if matches!(looks.reading, Some(ModelReading::State(_))) {
        findings.retain(|finding| finding.rule == "contradiction");
    }
    let issues = CheckIssue::all(&material, &findings, job.locale);
    let (opinions, rejected) = judging::accept_judgements(job, judging, &material, &review)?;
    let evaluations = evaluated(&material, &looks.items, &opinions.judged, is_cancelled)?;
    let seen = CheckContext {
        job,
        looked: &looked,
        material: &material,
        findings: &findings,
        issues: &issues,
        score: Score::from_findings(&findings, material.characters()),
    };
    let whole = ReviewContext {
        seen: &seen,
        evaluations: &evaluations,
        unstable: &opinions.unstable,
        rejected: &rejected,
        corrections: &corrections,
        state: &state,
    };
    let mut checked = build_reply(&seen, review.id(), own(&whole));
    checked.charts = review_charts::draw_charts(&whole)?;
    // May fail, so it comes before anything is written.
    let question = match &looks.reading {
        Some(ModelReading::Proofreading(given)) => proofreading::proofreading_question(&seen, given)?,
        Some(ModelReading::State(given)) => episode_state::state_question(&seen, given)?,
        None => judging::judgement_question(&seen, judging, &evaluations)?,
    };
    keep(job, looks, &mut review, &seen, &mut checked)?;
    Ok((checked, question))
}

fn evaluated(
    material: &Novel<'_>,
    items: &ItemSelection,
    judged: &BTreeMap<String, AcceptedJudgement>,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Vec<Evaluation>, ReviewError> {
    if matches!(items, ItemSelection::None) {
        return Ok(Vec::new());
    }
    items::evaluate(material, judged, |item| items.has(&item.id), is_cancelled).ok_or(ReviewError::Cancelled)
}

/// Returns the review that a call continues, or a new one.
fn opened(job: &CheckJob, looks: &ReviewOptions, subject: &ReviewSubject) -> Result<ManuscriptReview, ReviewError> {
    let reviews = job.reviews();
    match &looks.session_id {
        None => Ok(reviews.begin(job.id(), subject.clone(), &job.begun)),
        Some(id) => {
            let review = reviews.load(id)?;
            let is_own = EpisodeId::new(review.manifest().subject.episode) == Some(job.episode);
            if is_own { Ok(review) } else { Err(ReviewError::ReviewNotFound { id: id.clone() }) }
        }
    }
}

/// Stores a reply and its issues, and adds their paths to the reply if they are in the project.
fn keep<T: CheckDetails>(
    job: &CheckJob,
    looks: &ReviewOptions,
    review: &mut ManuscriptReview,
    seen: &CheckContext<'_>,
    checked: &mut CheckReply<T>,
) -> Result<(), ReviewError> {
    let end = now();
    if job.may_store {
        checked.detailed_report_reference = Some(review.issues_path());
        checked.files = vec![review.issues_path(), review.next_output(job.tool)];
    } else {
        checked.persisted = Some(false);
    }
    let input_file = match &looks.given {
        Some(text) => Some(review.store_input("manuscript", text)?),
        None => None,
    };
    checked.files.extend(input_file.clone().filter(|_| job.may_store));
    let execution = StepExecution {
        step_id: looks.step,
        method: checked.method.clone(),
        quality_score: checked.quality_score,
        issues_found: seen.issues.len(),
        input_file,
        ..StepExecution::done(job.tool, &job.begun, &end, &seen.looked.subject.sha256)
    };
    review.record(seen.looked.subject.clone(), execution, seen.issues, &to_json(checked))?;
    job.write_down(looks)
}
