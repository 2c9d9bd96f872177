//! The `check_fix` tool: fixes the findings of the checks as far as a level allows, and reports what was not fixed and
//! why.
//!
//! The manuscript is backed up and replaced as a whole, in its own encoding. A dry run writes nothing.

use std::collections::BTreeSet;

use fumi_base::text::{Locale, Text};
use fumi_novel::{
    backups::Stamp,
    checks::{self, FixLevel, Fixed, Fixing, Group, Material, Score, Why},
    errors::reviewing::ReviewError,
    manuscript::Reading,
    reviewing::{self, Execution, Looked, Resolution, Written, can_be_written, put_back},
    together,
    writing::Moment,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CHECKS, EpisodeNumber, Job, NovelDeps, Suggestion, WRITES, alone, json, now, stamp, tenths, texts};
use crate::tool::{Cx, Outcome, Render, Spec, Tool, ToolError};

/// The maximum number of fixes shown; the record has all of them.
const SHOWN: usize = 40;

#[derive(Debug)]
pub struct CheckFix;

/// How far fixes go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Signs, widths, white space.
    #[default]
    Safe,
    /// Also spellings and forms of words.
    Standard,
    /// Also sentences.
    Aggressive,
}

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// Which episode.
    episode: EpisodeNumber,
    /// How far fixes go.
    #[serde(default)]
    fix_level: Level,
    /// Only these issues.
    #[schemars(length(min = 1, max = 500), inner(length(max = 40)))]
    issue_ids: Option<Vec<String>>,
    /// Only says what would be done.
    dry_run: Option<bool>,
    /// All fixes.
    #[serde(default)]
    verbose: bool,
}

/// What it answers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    /// One line.
    summary: String,
    session_id: String,
    episode: u32,
    fix_level: &'static str,
    pub(super) dry_run: bool,
    /// How many fixes there are.
    pub(super) fixed_count: usize,
    fixes_applied: Vec<Fix>,
    /// How many issues are left as they are.
    pub(super) skipped_count: usize,
    fixes_skipped: Vec<Left>,
    pub(super) quality_improvement: Improvement,
    /// The manuscript after the call; as it was in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    /// Where the old one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) backup_id: Option<String>,
    next_suggested_actions: Vec<Suggestion>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names are those of the specification")]
struct Fix {
    issue_id: String,
    /// The rule.
    fix_type: &'static str,
    /// From 1; in the text as its fix met it.
    line: usize,
    before: String,
    after: String,
    /// From 0 to 1.
    confidence: f64,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Left {
    issue_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix_type: Option<&'static str>,
    reason: String,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names are those of the specification")]
pub(super) struct Improvement {
    /// Of all rules, from 0 to 100.
    pub(super) before_score: f64,
    pub(super) after_score: f64,
    improvement: f64,
}

impl Tool for CheckFix {
    const SPEC: Spec = Spec {
        name: "check_fix",
        texts: texts!("check_fix"),
        example: r#"{"episode": 1, "fix_level": "safe", "dry_run": true}"#,
        pool: CHECKS.pool,
        timeout: CHECKS.timeout,
        ..WRITES
    };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<Outcome<Output>, ToolError> {
        let job = Job::of("check_fix", args.episode, args.verbose, deps, cx)?;
        deps.check_manuscript(cx, args.episode.0).await?;
        let level = args.fix_level.level();
        let is_dry = args.dry_run.unwrap_or(level == FixLevel::Aggressive);
        let only = args.issue_ids.map(BTreeSet::from_iter);
        let holder = format!("check_fix {}", args.episode.0);
        let at = stamp();
        let work = alone(job.novel.clone(), cx, &holder, move |cancel, _| {
            mend(&job, level, only.as_ref(), is_dry, &at, &|| cancel.is_cancelled())
        });
        Ok(Outcome::Done(work.await?))
    }
}

impl Level {
    const fn level(self) -> FixLevel {
        match self {
            Self::Safe => FixLevel::Safe,
            Self::Standard => FixLevel::Standard,
            Self::Aggressive => FixLevel::Aggressive,
        }
    }
}

/// Fixes the manuscript before a check that asks for it.
pub(super) async fn fix_first(job: &Job, level: Level, cx: &Cx) -> Result<Output, ToolError> {
    // A caller with read access may call the check itself, so writing is checked here.
    cx.caller.access.may_write(&CheckFix::SPEC, false)?;
    // Sentences are rewritten by `check_fix` alone, and only on explicit request.
    let is_dry = level == Level::Aggressive;
    let holder = format!("{} {}", job.tool, job.episode);
    let (job, at) = (job.clone(), stamp());
    let fixed = alone(job.novel.clone(), cx, &holder, move |cancel, _| {
        mend(&job, level.level(), None, is_dry, &at, &|| cancel.is_cancelled())
    });
    fixed.await
}

/// Fixes the manuscript and records the resolution of its issues.
fn mend(
    job: &Job,
    level: FixLevel,
    only: Option<&BTreeSet<String>>,
    is_dry: bool,
    at: &Stamp,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Output, ReviewError> {
    let looked = reviewing::manuscript(&job.novel, job.episode, None, &job.tuning)?;
    let fixing = Fixing {
        reading: Reading::default(),
        context: &looked.context,
        tuning: &looked.tuning,
        morphology: checks::morphology(),
        level,
    };
    let source = looked.draft.manuscript.source();
    let fixed = checks::fix(source, fixing, only, is_cancelled).ok_or(ReviewError::Cancelled)?;
    if let Some(only) =
        only.filter(|only| fixed.skipped.iter().filter(|left| left.why == Why::Unknown).count() == only.len())
    {
        let mut ids: Vec<String> = only.iter().cloned().collect();
        ids.sort();
        return Err(ReviewError::NothingToFix {
            episode: job.episode,
            ids,
        });
    }
    let before = score(&looked, source, is_cancelled)?;
    let mut after = score(&looked, &fixed.text, is_cancelled)?;
    let mut fixed = fixed;
    if after < before {
        fixed = fixed.taken_back();
        after = before;
    }
    let (written, change) = if is_dry {
        (None, None)
    } else {
        let (written, change) = put_back(&job.novel, &looked, &fixed.text, at)?;
        (Some(written), change)
    };
    let mut output = answer(job, level, &fixed, written.as_ref(), [before, after]);
    if looked.is_damaged || (is_dry && !can_be_written(&looked, &fixed.text)) {
        let said = Text::new(
            format!(
                "This file is no whole text in {}; it cannot be written back.",
                looked.encoding
            ),
            format!("このファイルは {} として書き戻せません。", looked.encoding),
        );
        output.remarks.push(said.get(job.locale).to_owned());
        output.next_suggested_actions.clear();
    }
    if let Some(written) = &written {
        keep(job, level, &looked, written, &fixed, &output)?;
        reviewing::tidy(job.novel.project(), &job.id());
        let changes = change.into_iter().chain(reviewing::changes(job.apart.take()));
        together::apply(job.novel.project(), None, changes.collect())?;
    }
    Ok(output)
}

/// Returns the score of a text over the findings of all rules.
fn score(looked: &Looked, text: &str, is_cancelled: &dyn Fn() -> bool) -> Result<f64, ReviewError> {
    let draft = checks::Draft::read(text, Reading::default());
    let material = Material::of(&draft, &looked.context, &looked.tuning, checks::morphology());
    let findings = checks::look(&material, &Group::ALL, is_cancelled).ok_or(ReviewError::Cancelled)?;
    Ok(Score::of(&findings, material.characters()).0)
}

fn answer(job: &Job, level: FixLevel, fixed: &Fixed, written: Option<&Written>, scores: [f64; 2]) -> Output {
    let [before, after] = scores;
    let (done, left, episode) = (fixed.applied.len(), fixed.skipped.len(), job.episode);
    let is_dry = written.is_none();
    let mended = if done == 1 { "fix" } else { "fixes" };
    let issues = if left == 1 { "issue" } else { "issues" };
    let summary = match (job.locale, is_dry) {
        (Locale::En, false) => format!(
            "{done} {mended} in episode {}, {left} {issues} left as they are; score {before} → {after}",
            episode.number()
        ),
        (Locale::En, true) => format!(
            "{done} {mended} would be made in episode {}, {left} {issues} left; score {before} → {after}; nothing was written",
            episode.number()
        ),
        (Locale::Ja, false) => format!("{episode}を {done} 件修正、{left} 件はそのまま。スコア {before} → {after}"),
        (Locale::Ja, true) => format!(
            "{episode}で修正できるのは {done} 件、残り {left} 件。スコア {before} → {after}。まだ書き込んでいません"
        ),
    };
    let most = if job.verbose { usize::MAX } else { SHOWN };
    let next = if is_dry && done > 0 {
        job.suggestion(
            "check_fix",
            "writes these fixes with dry_run: false",
            "dry_run: false で、この修正を書き込みます",
        )
        .at_level(level.name())
        .for_real()
    } else {
        job.suggestion(
            "check_basic",
            "looks at the text as it is now",
            "いまの本文をもう一度見ます",
        )
    };
    Output {
        success: true,
        summary,
        session_id: job.id().to_string(),
        episode: episode.number(),
        fix_level: level.name(),
        dry_run: is_dry,
        fixed_count: done,
        fixes_applied: fixed
            .applied
            .iter()
            .take(most)
            .map(|applied| Fix {
                issue_id: applied.issue_id.clone(),
                fix_type: applied.rule,
                line: applied.line,
                before: applied.before.clone(),
                after: applied.after.clone(),
                confidence: applied.confidence,
            })
            .collect(),
        skipped_count: left,
        fixes_skipped: fixed
            .skipped
            .iter()
            .take(most)
            .map(|left| Left {
                issue_id: left.issue_id.clone(),
                fix_type: left.rule,
                reason: reason(left.why).get(job.locale).to_owned(),
            })
            .collect(),
        quality_improvement: Improvement {
            before_score: before,
            after_score: after,
            improvement: tenths(after - before),
        },
        sha256: written.map(|written| written.sha256.clone()),
        backup_id: written.and_then(|written| written.backup.clone()),
        next_suggested_actions: vec![next],
        remarks: Vec::new(),
    }
}

fn reason(why: Why) -> Text {
    match why {
        Why::Unknown => Text::new("no issue of the text has this id", "この ID の指摘は本文にない"),
        Why::NoFix => Text::new("only a writer can mend it", "書き手が直すもの"),
        Why::Level(level) => Text::new(
            format!("is mended at fix_level {}", level.name()),
            format!("fix_level {} で直る", level.name()),
        ),
        Why::Worse => Text::new("the text would score lower", "直すと点数が下がる"),
        Why::Unsettled => Text::new(
            "touches another fix; call check_fix again",
            "別の修正と重なる。もう一度 check_fix を呼ぶ",
        ),
    }
}

/// Records the resolution of each issue.
fn keep(
    job: &Job,
    level: FixLevel,
    looked: &Looked,
    written: &Written,
    fixed: &Fixed,
    output: &Output,
) -> Result<(), ReviewError> {
    let end: Moment = now();
    // The subject of the record is the text after the fixes.
    let subject = reviewing::Subject {
        sha256: written.sha256.clone(),
        ..looked.subject.clone()
    };
    let mut review = job.reviews().begin(job.id(), subject.clone(), &job.begun);
    let resolution = |id: &str, what: &str| Resolution {
        issue_id: id.to_owned(),
        resolved_at: end.clone(),
        resolution: what.to_owned(),
        fix_level: level.name().to_owned(),
        before: None,
        after: None,
        reason: None,
    };
    let mut resolutions: Vec<Resolution> = Vec::new();
    for applied in &fixed.applied {
        resolutions.push(Resolution {
            before: Some(applied.before.clone()),
            after: Some(applied.after.clone()),
            ..resolution(&applied.issue_id, "fixed")
        });
    }
    for left in &fixed.skipped {
        resolutions.push(Resolution {
            reason: Some(reason(left.why).en.into_owned()),
            ..resolution(&left.issue_id, "skipped")
        });
    }
    review.resolve(&resolutions)?;
    let execution = Execution {
        quality_score: Some(output.quality_improvement.after_score),
        issues_found: fixed.skipped.len(),
        ..Execution::done(job.tool, &job.begun, &end, &written.sha256)
    };
    review.record(subject, execution, &[], &json(output))
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let mut lines = vec![self.summary.clone()];
        for fix in &self.fixes_applied {
            lines.push(format!(
                "{} {}: {:?} → {:?} ({})",
                fix.line, fix.fix_type, fix.before, fix.after, fix.issue_id
            ));
        }
        for left in &self.fixes_skipped {
            lines.push(format!(
                "- {} {}: {}",
                left.issue_id,
                left.fix_type.unwrap_or("?"),
                left.reason
            ));
        }
        let hidden = self.fixed_count + self.skipped_count - self.fixes_applied.len() - self.fixes_skipped.len();
        if hidden > 0 {
            lines.push(match locale {
                Locale::En => format!("{hidden} more with verbose: true"),
                Locale::Ja => format!("ほか {hidden} 件は verbose: true で"),
            });
        }
        lines.extend(self.remarks.iter().map(|remark| format!("! {remark}")));
        if let Some(backup) = &self.backup_id {
            lines.push(format!("backup_id {backup}"));
        }
        lines.push(format!("session_id {}", self.session_id));
        lines.extend(self.next_suggested_actions.iter().map(Suggestion::line));
        lines.join("\n")
    }
}
