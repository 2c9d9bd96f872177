//! The checks as steps that finish an episode: the same reviews, stored in the same way, shown in one line.

use fumi_base::text::Locale;
use fumi_novel::{
    checks::{Group, aspects},
    errors::reviewing::ReviewError,
    reviewing,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Checked, EpisodeNumber, Job, NovelDeps, Own,
    check_fix::{Level, fix_first},
    check_story_elements::elements,
    check_story_structure::structure,
    check_writing_expression,
    issue::Shown,
    judging::Judging,
    review::{Items, Looks, Whole, review},
};
use crate::tool::{Cx, ToolError};

/// What a check of the episode found.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names are those of the specification")]
pub(in crate::tools::novel) struct Found {
    /// Under this name it is kept.
    session_id: String,
    method: String,
    /// From 0 to 100; absent where nothing could be evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    quality_score: Option<f64>,
    /// The score before, where there is one to compare with.
    #[serde(skip_serializing_if = "Option::is_none")]
    before_score: Option<f64>,
    issues_found: usize,
    /// Of the step that fixes.
    #[serde(skip_serializing_if = "Option::is_none")]
    fixed_count: Option<usize>,
}

/// The reply of a check without fields of its own.
#[derive(Clone, Debug, Serialize)]
struct Plain {}

impl Own for Plain {
    fn lines(&self, _: Locale) -> Vec<String> {
        Vec::new()
    }

    fn shown(&self) -> Vec<&Shown> {
        Vec::new()
    }
}

impl Found {
    /// Runs the check of a step, without requesting judgements.
    pub(in crate::tools::novel) async fn of(
        tool: &'static str,
        episode: EpisodeNumber,
        deps: &NovelDeps,
        cx: &Cx,
    ) -> Result<Self, ToolError> {
        let job = Job::of(tool, episode, false, deps, cx)?;
        if tool == "check_fix" {
            let fixed = fix_first(&job, Level::Safe, cx).await?;
            return Ok(Self {
                session_id: job.id().to_string(),
                method: super::DETERMINISTIC.to_owned(),
                quality_score: Some(fixed.quality_improvement.after_score),
                before_score: Some(fixed.quality_improvement.before_score),
                issues_found: fixed.skipped_count,
                fixed_count: Some(fixed.fixed_count),
            });
        }
        let work = cx.blocking(move |cancel, _| looked(&job, &|| cancel.is_cancelled()));
        work.await
    }

    /// Returns the result in the form `, 87.5/100, 3 issues`.
    pub(in crate::tools::novel) fn words(&self, locale: Locale) -> String {
        let score = self
            .quality_score
            .map_or_else(String::new, |score| format!("{score}/100"));
        let before = self.before_score;
        let issues = self.issues_found;
        match locale {
            Locale::En => {
                let before = before.map_or_else(String::new, |before| format!(" ({before} before)"));
                let fixed = self
                    .fixed_count
                    .map_or_else(String::new, |fixed| format!(", {fixed} fixed"));
                format!(", {score}{before}{fixed}, {issues} issues")
            }
            Locale::Ja => {
                let before = before.map_or_else(String::new, |before| format!("（以前は {before}）"));
                let fixed = self
                    .fixed_count
                    .map_or_else(String::new, |fixed| format!("、修正 {fixed} 件"));
                format!("、{score}{before}{fixed}、指摘 {issues} 件")
            }
        }
    }

    fn said<T: Own>(checked: &Checked<T>) -> Self {
        Self {
            session_id: checked.session_id.clone(),
            method: checked.method.clone(),
            quality_score: checked.quality_score,
            issues_found: checked.issues_found.total,
            ..Self::default()
        }
    }
}

fn looked(job: &Job, is_cancelled: &dyn Fn() -> bool) -> Result<Found, ReviewError> {
    let looks = |groups: &'static [Group], items: Items| Looks {
        groups,
        items,
        ..Looks::default()
    };
    let plainly = |groups| {
        let (checked, _) = review(
            job,
            &looks(groups, Items::None),
            &Judging::default(),
            is_cancelled,
            |_| Plain {},
        )?;
        Ok(Found::said(&checked))
    };
    match job.tool {
        "check_basic" => plainly(&[Group::Basic]),
        "check_rhythm" => plainly(&[Group::Rhythm]),
        "check_writing_expression" => {
            let looks = check_writing_expression::looks();
            let expression = check_writing_expression::expression;
            let (checked, _) = review(job, &looks, &Judging::default(), is_cancelled, expression)?;
            Ok(Found::said(&checked))
        }
        "check_story_structure" => {
            let items = aspects::STRUCTURE.iter().flat_map(|aspect| aspect.items).copied();
            let looks = looks(&[], Items::Only(items.collect()));
            let (checked, _) = review(job, &looks, &Judging::default(), is_cancelled, structure)?;
            Ok(Found::said(&checked))
        }
        "check_story_elements" => {
            let (checked, _) = review(
                job,
                &looks(&[], Items::All),
                &Judging::default(),
                is_cancelled,
                elements,
            )?;
            Ok(Found::said(&checked))
        }
        _ => {
            let before = reviewing::scores(job.novel.project())?;
            let before = before
                .iter()
                .rev()
                .find(|score| score.episode == job.episode)
                .map(|score| score.score);
            let looks = looks(&Group::ALL, Items::All);
            let everything = |whole: &Whole<'_>| super::noveler_check::everything(whole, None);
            let (checked, _) = review(job, &looks, &Judging::default(), is_cancelled, everything)?;
            Ok(Found {
                before_score: before,
                ..Found::said(&checked)
            })
        }
    }
}
