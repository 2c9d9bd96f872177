//! The `check_fix` tool: fixes the findings of the checks as far as a level allows, and reports what was not fixed and
//! why.
//!
//! The manuscript is backed up and replaced as a whole, in its own encoding. A dry run writes nothing.

use std::collections::BTreeSet;

use fumi_base::text::{BilingualText, Locale};
use fumi_kernel::{Cx, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{
    backups::BackupTime,
    change_set,
    checks::{self, CheckMaterial, FixLevel, FixRequest, FixResult, RuleGroup, Score, UnfixedReason},
    errors::reviewing::ReviewError,
    manuscript::ManuscriptOptions,
    reviewing::{
        self, CheckedManuscript, IssueResolution, ReplacedManuscript, StepExecution, can_be_written,
        prepare_replacement,
    },
    writing::UtcTime,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    CHECKS, CheckJob, EpisodeNumber, NovelDeps, Suggestion, WRITES, alone, artifact, now, stamp, tenths, texts, to_json,
};

/// The maximum number of fixes shown; the record has all of them.
const SHOWN: usize = 40;

#[derive(Debug)]
pub struct CheckFix;

/// The kinds of fixes that a call may apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RequestedFixLevel {
    /// Punctuation, widths and white space.
    #[default]
    Safe,
    /// Also spellings and forms of words.
    Standard,
    /// Also sentences.
    Aggressive,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: EpisodeNumber,
    /// The kinds of fixes to apply; by default `safe`, with `issue_ids` any.
    fix_level: Option<RequestedFixLevel>,
    /// The ids of the issues to fix; by default all.
    #[schemars(length(min = 1, max = 500), inner(length(max = 40)))]
    issue_ids: Option<Vec<String>>,
    /// True to report the fixes without writing them.
    dry_run: Option<bool>,
    /// True to list all fixes.
    #[serde(default)]
    verbose: bool,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    /// A summary in one line.
    summary: String,
    session_id: String,
    episode: u32,
    /// The path of the manuscript.
    manuscript: String,
    fix_level: &'static str,
    pub(super) dry_run: bool,
    /// The number of fixes.
    pub(super) fixed_count: usize,
    fixes_applied: Vec<AppliedFix>,
    /// The number of issues that are left unchanged.
    pub(super) skipped_count: usize,
    fixes_skipped: Vec<SkippedFix>,
    pub(super) quality_improvement: Improvement,
    /// The hash of the manuscript after the call; unchanged by a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    /// The id of the backup of the old manuscript.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) backup_id: Option<String>,
    next_suggested_actions: Vec<Suggestion>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct AppliedFix {
    issue_id: String,
    /// The name of the rule.
    fix_type: &'static str,
    /// The line, counted from 1, in the text to which the fix was applied.
    line: usize,
    /// The column in characters, counted from 1.
    col: usize,
    /// The change among the characters around it, in the form `そして[!→！]彼は`.
    excerpt: String,
    before: String,
    after: String,
    /// From 0 to 1.
    confidence: f64,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct SkippedFix {
    issue_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix_type: Option<&'static str>,
    /// The line, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    reason: String,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names are those of the specification")]
pub(super) struct Improvement {
    /// The score over the findings of all rules, from 0 to 100.
    pub(super) before_score: f64,
    pub(super) after_score: f64,
    improvement: f64,
}

impl Tool for CheckFix {
    const SPEC: ToolSpec = ToolSpec {
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

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let job = CheckJob::new("check_fix", args.episode, args.verbose, deps, cx)?;
        deps.check_manuscript(cx, args.episode.0).await?;
        let named = if args.issue_ids.is_some() { RequestedFixLevel::Aggressive } else { RequestedFixLevel::default() };
        let level = args.fix_level.unwrap_or(named).level();
        let is_dry = args.dry_run.unwrap_or(args.fix_level == Some(RequestedFixLevel::Aggressive));
        let only = args.issue_ids.map(BTreeSet::from_iter);
        let holder = format!("check_fix {}", args.episode.0);
        let at = stamp();
        let work = alone(job.novel.clone(), cx, &holder, move |cancel, _| {
            fix_manuscript(&job, level, only.as_ref(), is_dry, &at, &|| cancel.is_cancelled())
        });
        Ok(ToolOutcome::Done(work.await?))
    }
}

impl RequestedFixLevel {
    const fn level(self) -> FixLevel {
        match self {
            Self::Safe => FixLevel::Safe,
            Self::Standard => FixLevel::Standard,
            Self::Aggressive => FixLevel::Aggressive,
        }
    }
}

/// Fixes the manuscript before a check that asks for it.
pub(super) async fn fix_first(job: &CheckJob, level: RequestedFixLevel, cx: &Cx) -> Result<Output, ToolError> {
    // A caller with read access may call the check itself, so writing is checked here.
    cx.caller.access.check_tool_write(&CheckFix::SPEC, false)?;
    // Sentences are rewritten by `check_fix` alone, and only on explicit request.
    let is_dry = level == RequestedFixLevel::Aggressive;
    let holder = format!("{} {}", job.tool, job.episode);
    let (job, at) = (job.clone(), stamp());
    let fixed = alone(job.novel.clone(), cx, &holder, move |cancel, _| {
        fix_manuscript(&job, level.level(), None, is_dry, &at, &|| cancel.is_cancelled())
    });
    fixed.await
}

/// Fixes the manuscript and records the resolution of its issues.
fn fix_manuscript(
    job: &CheckJob,
    level: FixLevel,
    only: Option<&BTreeSet<String>>,
    is_dry: bool,
    at: &BackupTime,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Output, ReviewError> {
    let mut looked = reviewing::read_manuscript(&job.novel, job.episode, None, &job.tuning)?;
    looked.add_readings(&job.novel, job.episode)?;
    let fixing = FixRequest {
        reading: ManuscriptOptions::default(),
        context: &looked.context,
        tuning: &looked.tuning,
        morphology: checks::morphology(),
        level,
    };
    let source = looked.draft.manuscript.source();
    let fixed = checks::fix(source, fixing, only, is_cancelled).ok_or(ReviewError::Cancelled)?;
    if let Some(only) = only
        .filter(|only| fixed.skipped.iter().filter(|left| left.reason == UnfixedReason::Unknown).count() == only.len())
    {
        let mut ids: Vec<String> = only.iter().cloned().collect();
        ids.sort();
        return Err(ReviewError::NothingToFix { episode: job.episode, ids });
    }
    let before = score(&looked, source, is_cancelled)?;
    let mut after = score(&looked, &fixed.text, is_cancelled)?;
    let mut fixed = fixed;
    // Named issues are the author's decision.
    if after < before && only.is_none() {
        fixed = fixed.reverted();
        after = before;
    }
    let (written, change) = if is_dry {
        (None, None)
    } else {
        let (written, change) = prepare_replacement(&job.novel, &looked, &fixed.text, "before check_fix", at)?;
        (Some(written), change)
    };
    let mut output = answer(job, level, &fixed, written.as_ref(), [before, after], only.is_some());
    output.manuscript.clone_from(&looked.subject.manuscript);
    if looked.is_damaged || (is_dry && !can_be_written(&looked, &fixed.text)) {
        let said = BilingualText::new(
            format!("This file is not valid {} throughout; it cannot be written back.", looked.encoding),
            format!("このファイルは {} として書き戻せません。", looked.encoding),
        );
        output.remarks.push(said.get(job.locale).to_owned());
        output.next_suggested_actions.clear();
    }
    if let Some(written) = &written {
        keep(job, level, &looked, written, &fixed, &output)?;
        reviewing::remove_old_reviews(job.novel.project(), &job.id());
        let changes = change.into_iter().chain(reviewing::changes(job.caller_reviews.take()));
        change_set::apply(job.novel.project(), None, changes.collect())?;
    }
    Ok(output)
}

/// Returns the score of a text over the findings of all rules.
fn score(looked: &CheckedManuscript, text: &str, is_cancelled: &dyn Fn() -> bool) -> Result<f64, ReviewError> {
    let draft = checks::AnalysedDraft::read(text, ManuscriptOptions::default());
    let material = CheckMaterial::new(&draft, &looked.context, &looked.tuning, checks::morphology());
    let findings = checks::run_rules(&material, &RuleGroup::ALL, is_cancelled).ok_or(ReviewError::Cancelled)?;
    Ok(Score::from_findings(&findings, material.characters()).0)
}

fn answer(
    job: &CheckJob,
    level: FixLevel,
    fixed: &FixResult,
    written: Option<&ReplacedManuscript>,
    scores: [f64; 2],
    is_named: bool,
) -> Output {
    let [before, after] = scores;
    let (done, left, episode) = (fixed.applied.len(), fixed.skipped.len(), job.episode);
    let is_dry = written.is_none();
    let mended = if done == 1 { "fix" } else { "fixes" };
    let issues = if left == 1 { "issue" } else { "issues" };
    let summary = match (job.locale, is_dry) {
        (Locale::En, _) if done == 0 => format!(
            "nothing to fix in episode {} at fix_level {}; {left} {issues} left as they are, score {before}",
            episode.number(),
            level.name()
        ),
        (Locale::Ja, _) if done == 0 => format!(
            "第{}話に、fix_level {} で修正する箇所はありません。残り {left} 件、点数 {before}",
            episode.number(),
            level.name()
        ),
        (Locale::En, false) => format!(
            "{done} {mended} in episode {}, {left} {issues} left as they are; score {before} → {after}",
            episode.number()
        ),
        (Locale::En, true) => format!(
            "{done} {mended} would be made in episode {}, {left} {issues} left; score {before} → {after}; nothing was written",
            episode.number()
        ),
        (Locale::Ja, false) => {
            format!("第{}話: {done} 件を修正しました。残り {left} 件、点数 {before} → {after}", episode.number())
        }
        (Locale::Ja, true) => format!(
            "第{}話で修正できるのは {done} 件、残るのは {left} 件です。点数 {before} → {after}。まだ書き込んでいません",
            episode.number()
        ),
    };
    let most = if job.verbose { usize::MAX } else { SHOWN };
    let next = if done == 0 {
        None
    } else if is_dry {
        let write = job.suggestion("check_fix", "writes these fixes", "この修正を書き込む").without_dry_run();
        Some(if is_named {
            write.for_issues(fixed.applied.iter().map(|applied| applied.issue_id.clone()).collect())
        } else {
            write.at_level(level.name())
        })
    } else {
        Some(job.suggestion("check_basic", "looks at the text as it is now", "いまの本文をもう一度チェックする"))
    };
    Output {
        success: true,
        summary,
        session_id: job.id().to_string(),
        episode: episode.number(),
        manuscript: String::new(),
        fix_level: level.name(),
        dry_run: is_dry,
        fixed_count: done,
        fixes_applied: fixed
            .applied
            .iter()
            .take(most)
            .map(|applied| AppliedFix {
                issue_id: applied.issue_id.clone(),
                fix_type: applied.rule,
                line: applied.line,
                col: applied.column,
                excerpt: applied.excerpt.clone(),
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
            .map(|left| SkippedFix {
                issue_id: left.issue_id.clone(),
                fix_type: left.rule,
                line: left.line,
                reason: reason(left.reason).get(job.locale).to_owned(),
            })
            .collect(),
        quality_improvement: Improvement {
            before_score: before,
            after_score: after,
            improvement: tenths(after - before),
        },
        sha256: written.map(|written| written.sha256.clone()),
        backup_id: written.and_then(|written| written.backup.clone()),
        next_suggested_actions: next.into_iter().collect(),
        remarks: Vec::new(),
    }
}

fn reason(why: UnfixedReason) -> BilingualText {
    match why {
        UnfixedReason::Unknown => BilingualText::new("no issue in the text has this id", "この ID の指摘は本文にない"),
        UnfixedReason::NoFix => BilingualText::new("only the writer can fix it", "書き手が直すもの"),
        UnfixedReason::Level(level) => BilingualText::new(
            format!("fixed at fix_level {}", level.name()),
            format!("fix_level {} で直る", level.name()),
        ),
        UnfixedReason::Style => BilingualText::new(
            "a matter of style; fixed if named in issue_ids",
            "文体の問題。issue_ids で指定すれば直る",
        ),
        UnfixedReason::Proposed => BilingualText::new(
            "a proofreader's correction; applied if named in issue_ids",
            "校閲の赤字。issue_ids で指定すれば反映される",
        ),
        UnfixedReason::Worse => BilingualText::new("the text would score lower", "直すと点数が下がる"),
        UnfixedReason::Unsettled => BilingualText::new(
            "touches another fix; call check_fix again",
            "別の修正と重なる。もう一度 check_fix を呼ぶ",
        ),
    }
}

/// Records the resolution of each issue.
fn keep(
    job: &CheckJob,
    level: FixLevel,
    looked: &CheckedManuscript,
    written: &ReplacedManuscript,
    fixed: &FixResult,
    output: &Output,
) -> Result<(), ReviewError> {
    let end: UtcTime = now();
    // The subject of the record is the text after the fixes.
    let subject = reviewing::ReviewSubject { sha256: written.sha256.clone(), ..looked.subject.clone() };
    let mut review = job.reviews().begin(job.id(), subject.clone(), &job.begun);
    let resolution = |id: &str, what: &str| IssueResolution {
        issue_id: id.to_owned(),
        resolved_at: end.clone(),
        resolution: what.to_owned(),
        fix_level: level.name().to_owned(),
        before: None,
        after: None,
        reason: None,
    };
    let mut resolutions: Vec<IssueResolution> = Vec::new();
    for applied in &fixed.applied {
        resolutions.push(IssueResolution {
            before: Some(applied.before.clone()),
            after: Some(applied.after.clone()),
            ..resolution(&applied.issue_id, "fixed")
        });
    }
    for left in &fixed.skipped {
        resolutions.push(IssueResolution {
            reason: Some(reason(left.reason).en.into_owned()),
            ..resolution(&left.issue_id, "skipped")
        });
    }
    review.resolve(&resolutions)?;
    let execution = StepExecution {
        quality_score: Some(output.quality_improvement.after_score),
        issues_found: fixed.skipped.len(),
        ..StepExecution::done(job.tool, &job.begun, &end, &written.sha256)
    };
    review.record(subject, execution, &[], &to_json(output))
}

impl Render for Output {
    fn keep_callable(&mut self, can_call: &dyn Fn(&str) -> bool) {
        Suggestion::keep_callable(&mut self.next_suggested_actions, can_call);
    }

    fn text(&self, locale: Locale) -> String {
        let mut lines = vec![self.summary.clone()];
        lines.extend(self.written(locale));
        let applied = self.fixes_applied.iter();
        lines.extend(grouped(applied.map(|fix| {
            let row = format!("{}:{} {} {}", fix.line, fix.col, fix.excerpt, fix.issue_id);
            (fix.fix_type.to_owned(), row)
        })));
        lines.extend(grouped(self.fixes_skipped.iter().map(|left| {
            let line = left.line.map(|line| format!("{line} "));
            let row = format!("{}{} {}", line.unwrap_or_default(), left.fix_type.unwrap_or_default(), left.issue_id);
            let reason = match locale {
                Locale::En => format!("Left: {}", left.reason),
                Locale::Ja => format!("そのまま: {}", left.reason),
            };
            (reason, row)
        })));
        let hidden = self.fixed_count + self.skipped_count - self.fixes_applied.len() - self.fixes_skipped.len();
        if hidden > 0 {
            lines.push(match locale {
                Locale::En => format!("{hidden} more with verbose: true"),
                Locale::Ja => format!("ほか {hidden} 件（verbose: true で表示）"),
            });
        }
        lines.extend(self.remarks.iter().map(|remark| format!("! {remark}")));
        lines.extend(self.next_suggested_actions.iter().map(Suggestion::line));
        lines.join("\n")
    }
}

/// Returns rows below one heading for each kind, in the order of their first rows.
fn grouped(rows: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let mut groups: Vec<Vec<String>> = Vec::new();
    for (kind, row) in rows {
        let head = format!("{kind}:");
        match groups.iter_mut().find(|group| group[0] == head) {
            Some(group) => group.push(row),
            None => groups.push(vec![head, row]),
        }
    }
    groups.concat()
}

impl Output {
    /// Returns the manuscript that was written, with the id of its new text and of the backup.
    fn written(&self, locale: Locale) -> Option<String> {
        let (path, id) = (&self.manuscript, artifact(self.sha256.as_deref()?));
        let backup = self.backup_id.as_ref();
        Some(match (backup, locale) {
            (None, Locale::En) => format!("{path} ({id})"),
            (None, Locale::Ja) => format!("{path}（{id}）"),
            (Some(backup), Locale::En) => format!("{path} ({id}); backup_id {backup} has the old text"),
            (Some(backup), Locale::Ja) => format!("{path}（{id}）。元の本文は backup_id {backup}"),
        })
    }
}
