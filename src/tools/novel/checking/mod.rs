//! Checks of a manuscript: the tools that check and the one that fixes. The findings come from `fumi-novel`; this
//! module presents them.
//!
//! Every reply of a check has a `session_id` under which the findings are stored: in `.noveler/checks/`, or in the
//! server's store if the caller may not write. A reply shows the most severe issues; the file that it names has all of
//! them.

pub mod check_basic;
pub mod check_book;
pub mod check_fix;
pub mod check_proofreading;
pub mod check_rhythm;
pub mod check_story_elements;
pub mod check_story_structure;
pub mod check_writing_expression;
pub mod execute_check_step;
pub mod get_check_history;
pub mod get_check_status;
pub mod get_check_tasks;
pub mod noveler_check;
pub mod record_episode_state;

mod aspect;
mod caller_reviews;
mod episode_state;
pub(in crate::novel) mod finishing;
mod issue;
mod judging;
mod literature;
mod proofreading;
mod review;
pub(in crate::novel) mod review_charts;
mod review_question;

use std::time::Duration;

use fumi_base::{
    errors::UserError as _,
    pools::Pool,
    text::{BilingualText, Locale},
};
use fumi_kernel::{Cx, Effect, Render, ToolError, ToolSpec};
use fumi_novel::{
    change_set,
    checks::{CheckIssue, CheckMaterial, Finding, FixLevel, RULE_VERSION, Score, Severity, Tuning},
    errors::reviewing::ReviewError,
    finishing::NOT_EVALUATED,
    project::{EpisodeId, NovelProject},
    reviewing::{self, CheckedManuscript, ReviewId, ReviewStore},
    status::THRESHOLD,
    writing::{CallTime, UtcTime},
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use self::{
    caller_reviews::CallerReviews,
    judging::{OpenItem, RejectedJudgement},
    review_charts::{Chart, ChartKind},
};
use super::{
    EpisodeNumber, NovelDeps, READS, REVIEW, WRITES, alone, now,
    rounding::{hundredths, tenths},
    stamp,
    suggestion::{Suggestion, call_line},
    texts,
    writing::{artifact, call_time},
};

/// The specification shared by tools that check: they record their findings and change nothing else.
const CHECKS: ToolSpec =
    ToolSpec { pool: Pool::Check, timeout: Duration::from_mins(1), effect: Effect::Records, ..READS };

/// The method of findings made without any model.
const DETERMINISTIC: &str = "deterministic";

/// The maximum number of corrections in a suggested call.
const SUGGESTED: usize = 20;

/// Returns true: the serde default of arguments that are on unless turned off.
const fn yes() -> bool {
    true
}

/// The context of a call of a check, as its blocking work needs it.
#[derive(Clone, Debug)]
struct CheckJob {
    tool: &'static str,
    novel: NovelProject,
    episode: EpisodeId,
    tuning: Tuning,
    locale: Locale,
    verbose: bool,
    /// The charts to be drawn.
    pictures: &'static [ChartKind],
    /// True if the findings may be stored in the project.
    may_store: bool,
    /// The store for the review's files; they go only there if the project must not be written.
    caller_reviews: CallerReviews,
    begun: UtcTime,
    random: u32,
}

impl CheckJob {
    fn new(
        tool: &'static str,
        episode: EpisodeNumber,
        verbose: bool,
        deps: &NovelDeps,
        cx: &Cx,
    ) -> Result<Self, ToolError> {
        let CallTime { moment, random, .. } = call_time()?;
        Ok(Self {
            tool,
            novel: deps.novel(cx),
            episode: episode.0,
            tuning: deps.checks.clone(),
            locale: cx.locale(),
            verbose,
            pictures: &[],
            may_store: !cx.caller.access.read_only,
            caller_reviews: CallerReviews::new(deps, cx),
            begun: moment,
            random,
        })
    }

    /// Returns the job with pictures, if they are wanted.
    fn with_pictures(self, wanted: bool, pictures: &'static [ChartKind]) -> Self {
        let pictures = if wanted { pictures } else { &[] };
        Self { pictures, ..self }
    }

    /// Returns the reviews of the novel that this caller can see. Their writes wait for [`CheckJob::write_down`].
    fn reviews(&self) -> ReviewStore {
        self.caller_reviews.reviews(self.novel.project())
    }

    /// Writes the call's part of its review to the project, unless the job must not: all of it or nothing.
    fn write_down(&self, looks: &review::ReviewOptions) -> Result<(), ReviewError> {
        let project = self.novel.project();
        if !self.may_store {
            return Ok(());
        }
        let files = self.caller_reviews.take();
        if looks.session_id.is_some() || looks.reading.is_some() {
            change_set::apply(project, None, reviewing::changes(files))?;
        } else {
            reviewing::remove_old_reviews(project, &self.id());
            reviewing::write_new(project, files)?;
        }
        Ok(())
    }

    fn id(&self) -> ReviewId {
        ReviewId::new(&self.begun, self.random)
    }

    fn suggestion(&self, tool: &'static str, en: &'static str, ja: &'static str) -> Suggestion {
        Suggestion::for_episode(tool, self.episode, &BilingualText::new(en, ja), self.locale)
    }
}

/// The material of a check before its own conclusions: the manuscript, its findings and its score.
struct CheckContext<'a> {
    job: &'a CheckJob,
    looked: &'a CheckedManuscript,
    material: &'a CheckMaterial<'a>,
    findings: &'a [Finding],
    issues: &'a [CheckIssue],
    score: Score,
}

impl CheckContext<'_> {
    /// Returns the issues of some rules, most severe first, cut to the number shown.
    fn issues_of(&self, is_asked: impl Fn(&str) -> bool) -> Vec<issue::IssueReport> {
        let mut asked: Vec<&CheckIssue> = self.issues.iter().filter(|issue| is_asked(issue.rule)).collect();
        asked.sort_by_key(|issue| (std::cmp::Reverse(issue.severity), issue.span));
        let most = if self.job.verbose { issue::VERBOSE_ISSUES } else { issue::SHOWN_ISSUES };
        asked.truncate(most);
        asked.into_iter().map(|issue| issue::IssueReport::from_issue(issue, self.job.verbose)).collect()
    }
}

/// The reply of a check: the common part, then the part of the check.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckReply<T> {
    success: bool,
    /// A summary in one line.
    summary: String,
    /// The id under which the findings are stored.
    session_id: String,
    episode: u32,
    /// The path of the manuscript; absent if the call passed a text.
    #[serde(skip_serializing_if = "String::is_empty")]
    manuscript: String,
    /// The id of the checked text for `fetch_artifact`.
    artifact_id: String,
    /// From 0 to 100; absent if nothing could be evaluated, or if judgements are missing. By rules alone it reflects
    /// detected faults, not literary quality.
    #[serde(skip_serializing_if = "Option::is_none")]
    quality_score: Option<f64>,
    /// The method of judging: `deterministic`, `host`, `llm_sampling`, `llm_provider` or `not_evaluated`.
    method: String,
    /// The number of visible characters of the story.
    characters: usize,
    #[serde(flatten)]
    own: T,
    issues_found: IssueCounts,
    /// False if nothing was written to the project, because the caller may only read; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    persisted: Option<bool>,
    /// The file with all issues, one per line; absent if nothing was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    detailed_report_reference: Option<String>,
    /// The stored files, relative to the project.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    /// The items that are open for judgement.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    items: Vec<OpenItem>,
    /// The charts, if they were requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    charts: Vec<Chart>,
    rule_version: &'static str,
    next_suggested_actions: Vec<Suggestion>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
    #[serde(skip)]
    tool: &'static str,
    #[serde(skip)]
    is_verbose: bool,
}

/// The number of issues, by severity.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
struct IssueCounts {
    total: usize,
    critical: usize,
    high: usize,
    medium: usize,
    low: usize,
    info: usize,
    /// The number of issues that `check_fix` can fix at `safe`.
    fixable_safe: usize,
    /// The number of further issues that it can fix at `standard`.
    fixable_standard: usize,
}

impl IssueCounts {
    fn count(issues: &[CheckIssue]) -> Self {
        let of = |severity| issues.iter().filter(|issue| issue.severity == severity).count();
        let at = |level| {
            let fixes = issues.iter().filter_map(|issue| issue.fix.as_ref());
            fixes.filter(|fix| fix.level == level).count()
        };
        Self {
            total: issues.len(),
            critical: of(Severity::Critical),
            high: of(Severity::High),
            medium: of(Severity::Medium),
            low: of(Severity::Low),
            info: of(Severity::Info),
            fixable_safe: at(FixLevel::Safe),
            fixable_standard: at(FixLevel::Standard),
        }
    }

    /// Returns the counts in the form `2 high, 5 low`, or a phrase for no issues.
    fn words(self, locale: Locale) -> String {
        severity_words([self.critical, self.high, self.medium, self.low, self.info], "no issues", locale)
    }
}

/// The names of the severities in Japanese, from info to critical.
const SEVERITIES_IN_JAPANESE: [&str; 5] = ["参考", "低", "中", "高", "重大"];

/// Returns the serialised name of a severity in Japanese.
fn severity_in_japanese(name: &str) -> &str {
    let known = Severity::ALL.into_iter().zip(SEVERITIES_IN_JAPANESE).find(|(severity, _)| severity.name() == name);
    known.map_or(name, |(_, ja)| ja)
}

/// Returns the counts of the severities, from critical to info, in the form `2 high, 5 low`. `none` is the English
/// phrase if all are 0.
fn severity_words(counts: [usize; 5], none: &str, locale: Locale) -> String {
    let names = Severity::ALL.into_iter().zip(SEVERITIES_IN_JAPANESE).rev();
    let some = counts.into_iter().zip(names).filter(|(count, _)| *count > 0);
    let words: Vec<String> = match locale {
        Locale::En => some.map(|(count, (severity, _))| format!("{count} {}", severity.name())).collect(),
        Locale::Ja => some.map(|(count, (_, ja))| format!("{ja} {count} 件")).collect(),
    };
    match (words.is_empty(), locale) {
        (false, Locale::En) => words.join(", "),
        (false, Locale::Ja) => words.join("、"),
        (true, Locale::En) => none.to_owned(),
        (true, Locale::Ja) => "指摘なし".to_owned(),
    }
}

/// A conclusion of a check that does not follow from its findings alone.
struct CheckVerdict {
    /// The score, from 0 to 100.
    score: Option<f64>,
    method: &'static str,
}

/// The part of a reply that is particular to one check.
trait CheckDetails: Serialize {
    /// Returns the check's own conclusion, if it has one.
    fn verdict(&self) -> Option<CheckVerdict> {
        None
    }
    /// Returns the lines of the text form, without the issues.
    fn lines(&self, locale: Locale) -> Vec<String>;
    /// Returns the judgements of the call that were not accepted.
    fn rejected(&self) -> &[RejectedJudgement] {
        &[]
    }
    /// Returns the argument that sends again what was not accepted, with an example; `None` if all was accepted.
    fn resend(&self) -> Option<(&'static str, serde_json::Value)> {
        Some(("judgements", judging::sample(self.rejected().first()?.item())))
    }
    /// Returns the items with two opinions that are far apart.
    fn unstable(&self) -> &[String] {
        &[]
    }
    /// True if a later call continues the review by its id.
    fn continues(&self) -> bool {
        true
    }
    /// Returns the step of a review step by step.
    fn step(&self) -> Option<u32> {
        None
    }
    /// Returns the next step of a review step by step.
    fn next_step(&self) -> Option<u32> {
        None
    }
    /// Returns the issues that the reply shows.
    fn shown(&self) -> Vec<&issue::IssueReport> {
        Vec::new()
    }
}

/// Builds the reply of a check from its own part and the parts common to all checks.
fn build_reply<T: CheckDetails>(seen: &CheckContext<'_>, session: &ReviewId, own: T) -> CheckReply<T> {
    let (job, counts) = (seen.job, IssueCounts::count(seen.issues));
    let characters = seen.material.characters();
    let verdict = own.verdict().unwrap_or(CheckVerdict {
        score: (characters > 0).then_some(seen.score.0),
        method: if characters > 0 { DETERMINISTIC } else { NOT_EVALUATED },
    });
    let words = counts.words(job.locale);
    let (episode, tool) = (job.episode, job.tool);
    let score = score_words(verdict.score, job.locale);
    let summary = match job.locale {
        Locale::En => format!("{tool} of episode {}: {score}, {characters} characters, {words}", episode.number()),
        Locale::Ja => format!("第{}話の {tool}: {score}、{characters} 字、{words}", episode.number()),
    };
    CheckReply {
        success: true,
        summary,
        session_id: session.to_string(),
        episode: episode.number(),
        manuscript: seen.looked.subject.manuscript.clone(),
        artifact_id: artifact(&seen.looked.subject.sha256),
        quality_score: verdict.score,
        method: verdict.method.to_owned(),
        characters,
        own,
        issues_found: counts,
        persisted: None,
        detailed_report_reference: None,
        files: Vec::new(),
        items: Vec::new(),
        charts: Vec::new(),
        rule_version: RULE_VERSION,
        next_suggested_actions: next(seen, counts),
        remarks: remarks(seen, verdict.score),
        tool,
        is_verbose: job.verbose,
    }
}

/// Returns a score out of 100 in words.
fn score_words(score: Option<f64>, locale: Locale) -> String {
    match (score, locale) {
        (Some(score), _) => format!("{score}/100"),
        (None, Locale::En) => "no score".to_owned(),
        (None, Locale::Ja) => "点数なし".to_owned(),
    }
}

/// Suggests the next calls for the issues.
fn next(seen: &CheckContext<'_>, counts: IssueCounts) -> Vec<Suggestion> {
    let job = seen.job;
    let mut next = Vec::new();
    let is_named = |issue: &&CheckIssue| issue.fix.as_ref().is_some_and(|fix| fix.level == FixLevel::Named);
    let corrections: Vec<String> =
        seen.issues.iter().filter(is_named).take(SUGGESTED).map(|issue| issue.issue_id.clone()).collect();
    if !corrections.is_empty() {
        let why = job.suggestion(
            "check_fix",
            "applies these corrections of the proofreader; leave out those that you reject",
            "校閲の赤字を反映する（採らないものは除く）",
        );
        next.push(why.for_issues(corrections));
    }
    if counts.fixable_safe > 0 {
        let why = job.suggestion(
            "check_fix",
            "fixes punctuation, widths and white space without changing a word",
            "語句に触れず、約物・全半角・空白を直す",
        );
        next.push(why.at_level("safe"));
    } else if counts.fixable_standard > 0 {
        let why = job.suggestion(
            "check_fix",
            "fixes spellings and forms of words in the narration",
            "地の文の表記と語形を直す",
        );
        next.push(why.at_level("standard"));
    }
    next
}

/// Formats the call that runs a step of a review.
fn next_step_line(episode: u32, session_id: &str, step: u32) -> String {
    let arguments = json!({"episode": episode, "session_id": session_id, "step_id": step});
    call_line("execute_check_step", &arguments)
}

/// Returns remarks about the text that a reader of the reply needs.
fn remarks(seen: &CheckContext<'_>, score: Option<f64>) -> Vec<String> {
    let mut remarks = Vec::new();
    let mut say = |en: String, ja: String| remarks.push(BilingualText::new(en, ja).get(seen.job.locale).to_owned());
    if seen.material.characters() == 0 {
        say(
            "The manuscript contains no story text, so there was nothing to check.".to_owned(),
            "原稿に本文がなく、チェックするものがありませんでした。".to_owned(),
        );
    }
    if let Some(score) = score.filter(|score| *score < THRESHOLD) {
        say(
            format!("{score} is below the threshold of {THRESHOLD}."),
            format!("{score} は基準の {THRESHOLD} を下回っています。"),
        );
    }
    if seen.looked.is_damaged {
        say(
            format!("Some bytes are not valid {}; check_fix will not write this file.", seen.looked.encoding),
            format!(
                "{} として読めないバイトがあります。check_fix はこのファイルを書き換えません。",
                seen.looked.encoding
            ),
        );
    }
    for fault in &seen.looked.faults {
        let message = fault.error_message().message;
        say(format!("Left out: {}", message.en), format!("使っていないファイルがあります: {}", message.ja));
    }
    if !seen.job.may_store {
        say(
            "Nothing was written to the project, because this caller may only read.".to_owned(),
            "読み取り専用のため、プロジェクトには何も記録していません。".to_owned(),
        );
    }
    let japanese = fumi_novel::text::ScriptCounts::of_story(seen.material.manuscript(), None);
    let letters = japanese.total() - japanese.marks;
    if letters > 0 && japanese.latin * 2 > letters {
        say(
            "Most of this text is in Latin letters; the checks are made for Japanese.".to_owned(),
            "本文の大半がラテン文字です。このチェックは日本語の文章のためのものです。".to_owned(),
        );
    }
    remarks
}

/// Serializes a reply as JSON.
///
/// # Panics
///
/// Never: replies consist of texts, numbers and lists.
fn to_json<T: Serialize>(value: &T) -> String {
    serde_json::to_string_pretty(value).expect("texts, numbers and lists are JSON")
}

impl<T> CheckReply<T> {
    fn head(&self, locale: Locale) -> String {
        if self.manuscript.is_empty() {
            return self.summary.clone();
        }
        let score = score_words(self.quality_score, locale);
        let (path, id, characters) = (&self.manuscript, &self.artifact_id, self.characters);
        let issues = self.issues_found.words(locale);
        match locale {
            Locale::En => format!("{path} ({id}): {score}, {characters} characters, {issues}"),
            Locale::Ja => format!("{path}（{id}）: {score}、{characters} 字、{issues}"),
        }
    }

    /// Says how to get the issues that are not shown.
    fn hidden(&self, shown: usize, locale: Locale) -> Option<String> {
        let more = self.issues_found.total.checked_sub(shown).filter(|more| *more > 0)?;
        let (most, file) = (issue::VERBOSE_ISSUES, self.detailed_report_reference.as_deref());
        let file = file.unwrap_or_default();
        let ways = match (locale, self.is_verbose, file.is_empty()) {
            (Locale::En, false, true) => format!(": verbose: true shows {most}"),
            (Locale::En, false, false) => format!(": verbose: true shows {most}; all are in {file}"),
            (Locale::En, true, false) => format!("; all are in {file}"),
            (Locale::Ja, false, true) => format!("（verbose: true で {most} 件まで）"),
            (Locale::Ja, false, false) => format!("（verbose: true で {most} 件まで、全件は {file}）"),
            (Locale::Ja, true, false) => format!("（全件は {file}）"),
            (_, true, true) => String::new(),
        };
        Some(match locale {
            Locale::En => format!("{more} more{ways}"),
            Locale::Ja => format!("ほか {more} 件{ways}"),
        })
    }
}

/// Returns the findings as text. The question of a check has them without the calls that continue the review.
fn report<T: CheckDetails>(reply: &CheckReply<T>, locale: Locale) -> String {
    let mut lines = vec![reply.head(locale)];
    lines.extend(reply.own.lines(locale));
    lines.extend(reply.own.rejected().iter().map(|one| one.line(locale)));
    let unstable = reply.own.unstable();
    lines.extend((!unstable.is_empty()).then(|| match locale {
        Locale::En => format!("! two judgements far apart: {}", unstable.join(", ")),
        Locale::Ja => format!("! 判定が大きく割れた項目: {}", unstable.join("、")),
    }));
    let shown = reply.own.shown();
    lines.extend(issue::lines(&shown, locale));
    lines.extend(reply.hidden(shown.len(), locale));
    lines.extend(reply.charts.iter().map(Chart::line));
    lines.extend(reply.remarks.iter().map(|remark| format!("! {remark}")));
    lines.extend(reply.next_suggested_actions.iter().map(Suggestion::line));
    lines.join("\n")
}

/// Returns the call that sends again what was not accepted.
fn send_again<T: CheckDetails>(reply: &CheckReply<T>, locale: Locale) -> Option<String> {
    let (argument, sample) = reply.own.resend()?;
    let mut arguments = json!({"episode": reply.episode, "session_id": reply.session_id});
    if let Some(step) = reply.own.step() {
        arguments["step_id"] = json!(step);
    }
    arguments[argument] = sample;
    let reason = match locale {
        Locale::En => "send what was rejected again",
        Locale::Ja => "受け付けられなかったものを送り直す",
    };
    Some(format!("{}: {reason}", call_line(reply.tool, &arguments)))
}

impl<T: CheckDetails + Clone + Send + Sync + 'static> Render for CheckReply<T> {
    fn keep_callable(&mut self, can_call: &dyn Fn(&str) -> bool) {
        Suggestion::keep_callable(&mut self.next_suggested_actions, can_call);
    }

    fn text(&self, locale: Locale) -> String {
        let mut lines = vec![report(self, locale)];
        let again = send_again(self, locale);
        let next = self.own.next_step();
        let next = next.map(|step| next_step_line(self.episode, &self.session_id, step));
        // These calls have the id.
        if self.own.continues() && again.is_none() && next.is_none() {
            lines.push(format!("session_id {}", self.session_id));
        }
        lines.extend(again.into_iter().chain(next));
        lines.join("\n")
    }
}
