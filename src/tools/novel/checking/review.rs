//! A review in one call: checks, measures, accepts judgements, stores everything, and reports the open items.
//!
//! Every check runs through this, from `check_basic` with rules alone to a step of the staged review. Each check builds
//! its own part of the reply.

use std::collections::BTreeMap;

use fumi_novel::{
    checks::{
        self, Group, Issue, Material as Novel, Score,
        items::{self, Evaluation, Judged},
    },
    errors::reviewing::ReviewError,
    project::Episode,
    reviewing::{self, Execution, Review, Subject},
};
use tokio_util::sync::CancellationToken;

use super::{
    Checked, Job, Own, Seen, alone, answer, json,
    judging::{self, Judging, Open, Rejected},
    now, pictures,
};
use crate::tool::{Cx, Progress, ToolError};

/// The rules, items and input of a review.
#[derive(Clone, Debug, Default)]
pub(super) struct Looks {
    /// The rules to apply, by group.
    pub(super) groups: &'static [Group],
    /// The items to evaluate.
    pub(super) items: Items,
    /// The step of the staged review, if the call executes one.
    pub(super) step: Option<u32>,
    /// The review to continue; `None` begins a new one.
    pub(super) session_id: Option<String>,
    /// A text to check instead of the manuscript.
    pub(super) given: Option<String>,
}

/// The selection of items that a call evaluates.
#[derive(Clone, Debug, Default)]
pub(super) enum Items {
    #[default]
    None,
    All,
    /// Only the items with these ids.
    Only(Vec<&'static str>),
}

impl Items {
    fn has(&self, id: &str) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Only(ids) => ids.contains(&id),
        }
    }
}

/// The complete material of a review before its own conclusions: the findings, evaluations and judgements.
pub(super) struct Whole<'a> {
    pub(super) seen: &'a Seen<'a>,
    pub(super) evaluations: &'a [Evaluation],
    /// Ids of items with two opinions that are far apart.
    pub(super) unstable: &'a [String],
    /// Judgements of this call that were not accepted.
    pub(super) rejected: &'a [Rejected],
}

/// Runs a check with rules alone.
pub(super) fn check<T: Own>(
    job: &Job,
    groups: &'static [Group],
    is_cancelled: &dyn Fn() -> bool,
    own: impl FnOnce(&Seen<'_>) -> T,
) -> Result<Checked<T>, ReviewError> {
    let looks = Looks {
        groups,
        ..Looks::default()
    };
    let (checked, _) = review(job, &looks, &Judging::default(), is_cancelled, |whole| own(whole.seen))?;
    Ok(checked)
}

/// Reviews a manuscript on a blocking thread. A continued review holds the project's lock, because its files grow with
/// every step.
pub(super) async fn reviewed<T: Own + Send + 'static>(
    job: &Job,
    looks: Looks,
    judging: Judging,
    cx: &Cx,
    own: impl FnOnce(&Whole<'_>) -> T + Send + 'static,
) -> Result<(Checked<T>, Option<Open>), ToolError> {
    let is_alone = job.keeps && looks.session_id.is_some();
    let (reader, id) = (
        job.apart.clone(),
        looks.session_id.clone().unwrap_or_else(|| job.id().to_string()),
    );
    if !job.keeps {
        reader.fetch(&id).await?;
    }
    let keeps = job.keeps;
    let (novel, job, holder) = (job.novel.clone(), job.clone(), format!("{} {}", job.tool, job.episode));
    let work =
        move |cancel: &CancellationToken, _: &Progress| review(&job, &looks, &judging, &|| cancel.is_cancelled(), own);
    let done = if is_alone {
        alone(novel, cx, &holder, work).await?
    } else {
        cx.blocking(work).await?
    };
    if !keeps {
        reader.keep(&id).await?;
    }
    Ok(done)
}

/// Reviews a manuscript. Returns the reply and the items that are open for judgement.
pub(super) fn review<T: Own>(
    job: &Job,
    looks: &Looks,
    judging: &Judging,
    is_cancelled: &dyn Fn() -> bool,
    own: impl FnOnce(&Whole<'_>) -> T,
) -> Result<(Checked<T>, Option<Open>), ReviewError> {
    let looked = reviewing::manuscript(&job.novel, job.episode, looks.given.as_deref(), &job.tuning)?;
    let material = Novel::of(&looked.draft, &looked.context, &looked.tuning, checks::morphology());
    let mut findings = checks::look(&material, looks.groups, is_cancelled).ok_or(ReviewError::Cancelled)?;
    if let Some(step) = looks.step.and_then(reviewing::review_step) {
        findings.retain(|finding| step.has_rule(finding.rule));
    }
    let issues = Issue::all(&material, &findings, job.locale);
    let mut review = opened(job, looks, &looked.subject)?;
    let (opinions, rejected) = judging::take(job, judging, &material, &review)?;
    let evaluations = evaluated(&material, &looks.items, &opinions.judged, is_cancelled)?;
    let seen = Seen {
        job,
        looked: &looked,
        material: &material,
        findings: &findings,
        issues: &issues,
        score: Score::of(&findings, material.characters()),
    };
    let whole = Whole {
        seen: &seen,
        evaluations: &evaluations,
        unstable: &opinions.unstable,
        rejected: &rejected,
    };
    let mut checked = answer(&seen, review.id(), own(&whole));
    checked.charts = pictures::drawn(&whole)?;
    keep(job, looks, &mut review, &seen, &mut checked)?;
    let open = judging::open(&seen, judging, &evaluations);
    Ok((checked, open))
}

fn evaluated(
    material: &Novel<'_>,
    items: &Items,
    judged: &BTreeMap<String, Judged>,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Vec<Evaluation>, ReviewError> {
    if matches!(items, Items::None) {
        return Ok(Vec::new());
    }
    items::evaluate(material, judged, |item| items.has(&item.id), is_cancelled).ok_or(ReviewError::Cancelled)
}

/// Returns the review that a call continues, or a new one.
fn opened(job: &Job, looks: &Looks, subject: &Subject) -> Result<Review, ReviewError> {
    let reviews = job.reviews();
    match &looks.session_id {
        None => Ok(reviews.begin(job.id(), subject.clone(), &job.begun)),
        Some(id) => {
            let review = reviews.load(id)?;
            let is_own = Episode::new(review.manifest().subject.episode) == Some(job.episode);
            if is_own {
                Ok(review)
            } else {
                Err(ReviewError::NoReview { id: id.clone() })
            }
        }
    }
}

/// Stores a reply and its issues, and adds their paths to the reply if they are in the project.
fn keep<T: Own>(
    job: &Job,
    looks: &Looks,
    review: &mut Review,
    seen: &Seen<'_>,
    checked: &mut Checked<T>,
) -> Result<(), ReviewError> {
    let end = now();
    if job.keeps {
        checked.detailed_report_reference = Some(review.issues_path());
        checked.files = vec![review.issues_path(), review.next_output(job.tool)];
    } else {
        checked.persisted = Some(false);
    }
    let input_file = match &looks.given {
        Some(text) => Some(review.keep_input("manuscript", text)?),
        None => None,
    };
    checked.files.extend(input_file.clone().filter(|_| job.keeps));
    let execution = Execution {
        step_id: looks.step,
        method: checked.method.clone(),
        quality_score: checked.quality_score,
        issues_found: seen.issues.len(),
        input_file,
        ..Execution::done(job.tool, &job.begun, &end, &seen.looked.subject.sha256)
    };
    review.record(seen.looked.subject.clone(), execution, seen.issues, &json(checked))?;
    job.write_down(looks)
}
