//! The checks as steps that finish an episode: the same reviews, stored in the same way, shown in one line.

use fumi_base::text::Locale;
use fumi_kernel::{Cx, ToolError};
use fumi_novel::{
    checks::{RuleGroup, aspects},
    errors::reviewing::ReviewError,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    CheckDetails, CheckJob, CheckReply, EpisodeNumber, NovelDeps,
    check_fix::{RequestedFixLevel, fix_first},
    check_story_elements::elements,
    check_story_structure::structure,
    check_writing_expression,
    judging::Judging,
    review::{ItemSelection, ReviewContext, ReviewOptions, review},
};

/// The result of a check of the episode.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(in crate::novel) struct FinishingCheck {
    /// The id under which the review is stored.
    session_id: String,
    method: String,
    /// From 0 to 100; absent if nothing could be evaluated, or if judgements are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    quality_score: Option<f64>,
    /// The score before the step, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    before_score: Option<f64>,
    issues_found: usize,
    /// The number of fixes, for the step that fixes.
    #[serde(skip_serializing_if = "Option::is_none")]
    fixed_count: Option<usize>,
}

/// The reply of a check without fields of its own.
#[derive(Clone, Debug, Serialize)]
struct EmptyReport {}

impl CheckDetails for EmptyReport {
    fn lines(&self, _: Locale) -> Vec<String> {
        Vec::new()
    }
}

impl FinishingCheck {
    /// Runs the check of a step, without requesting judgements.
    pub(in crate::novel) async fn run(
        tool: &'static str,
        episode: EpisodeNumber,
        deps: &NovelDeps,
        cx: &Cx,
    ) -> Result<Self, ToolError> {
        let job = CheckJob::new(tool, episode, false, deps, cx)?;
        if tool == "check_fix" {
            let fixed = fix_first(&job, RequestedFixLevel::Safe, cx).await?;
            return Ok(Self {
                session_id: job.id().to_string(),
                method: super::DETERMINISTIC.to_owned(),
                quality_score: Some(fixed.quality_improvement.after_score),
                before_score: Some(fixed.quality_improvement.before_score),
                issues_found: fixed.skipped_count,
                fixed_count: Some(fixed.fixed_count),
            });
        }
        let work = cx.blocking(move |cancel, _| run_check(&job, &|| cancel.is_cancelled()));
        work.await
    }

    /// Returns the result in the form `, 87.5/100, 3 issues`, or `, 3 issues` without a score.
    pub(in crate::novel) fn words(&self, locale: Locale) -> String {
        let score = self.quality_score.map_or_else(String::new, |score| match locale {
            Locale::En => format!(", {score}/100"),
            Locale::Ja => format!("、{score}/100"),
        });
        let before = self.before_score;
        let issues = self.issues_found;
        match locale {
            Locale::En => {
                let before = before.map_or_else(String::new, |before| format!(" ({before} before)"));
                let fixed = self.fixed_count.map_or_else(String::new, |fixed| format!(", {fixed} fixed"));
                format!("{score}{before}{fixed}, {issues} issues")
            }
            Locale::Ja => {
                let before = before.map_or_else(String::new, |before| format!("（以前は {before}）"));
                let fixed = self.fixed_count.map_or_else(String::new, |fixed| format!("、修正 {fixed} 件"));
                format!("{score}{before}{fixed}、指摘 {issues} 件")
            }
        }
    }

    pub(in crate::novel) const fn has_issues(&self) -> bool {
        self.issues_found > 0
    }

    fn from_reply<T: CheckDetails>(checked: &CheckReply<T>) -> Self {
        Self {
            session_id: checked.session_id.clone(),
            method: checked.method.clone(),
            quality_score: checked.quality_score,
            issues_found: checked.issues_found.total,
            ..Self::default()
        }
    }
}

fn run_check(job: &CheckJob, is_cancelled: &dyn Fn() -> bool) -> Result<FinishingCheck, ReviewError> {
    let looks = |groups: &'static [RuleGroup], items: ItemSelection| ReviewOptions {
        groups,
        items,
        ..ReviewOptions::default()
    };
    let plainly = |groups| {
        let (checked, _) =
            review(job, &looks(groups, ItemSelection::None), &Judging::default(), is_cancelled, |_| EmptyReport {})?;
        Ok(FinishingCheck::from_reply(&checked))
    };
    match job.tool {
        "check_basic" => plainly(&[RuleGroup::Basic]),
        "check_rhythm" => plainly(&[RuleGroup::Rhythm]),
        "check_writing_expression" => {
            let looks = check_writing_expression::review_options();
            let expression = check_writing_expression::expression;
            let (checked, _) = review(job, &looks, &Judging::default(), is_cancelled, expression)?;
            Ok(FinishingCheck::from_reply(&checked))
        }
        "check_story_structure" => {
            let items = aspects::ASPECTS.structure.iter().flat_map(|aspect| &aspect.items).map(String::as_str);
            let looks = looks(&[], ItemSelection::Only(items.collect()));
            let (checked, _) = review(job, &looks, &Judging::default(), is_cancelled, structure)?;
            Ok(FinishingCheck::from_reply(&checked))
        }
        "check_story_elements" => {
            let (checked, _) =
                review(job, &looks(&[], ItemSelection::All), &Judging::default(), is_cancelled, elements)?;
            Ok(FinishingCheck::from_reply(&checked))
        }
        _ => {
            let looks = looks(&RuleGroup::ALL, ItemSelection::All);
            let everything = |whole: &ReviewContext<'_>| super::noveler_check::everything(whole, None);
            let (checked, _) = review(job, &looks, &Judging::default(), is_cancelled, everything)?;
            Ok(FinishingCheck::from_reply(&checked))
        }
    }
}
