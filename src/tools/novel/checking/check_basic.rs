//! The `check_basic` tool: the length of an episode, unwanted words, typography, typing errors.

use fumi_base::text::Locale;
use fumi_kernel::{Cx, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{
    checks::RuleGroup,
    project::EpisodePlot,
    writing::{LengthJudgement, LengthRange},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    CHECKS, CheckContext, CheckDetails, CheckJob, CheckReply, CheckVerdict, DETERMINISTIC, EpisodeNumber, NovelDeps,
    issue::IssueReport, review::check, tenths, texts,
};

/// Names of the rules for words that should not be in the text.
const UNWANTED: [&str; 5] =
    ["assistant_remnant", "placeholder", "author_aside", "overused_phrase", "forbidden_expression"];

/// Names of the rules for paragraphs.
const PARAGRAPHS: [&str; 6] = [
    "missing_indent",
    "indent_before_bracket",
    "leading_character",
    "long_paragraph",
    "single_sentence_paragraphs",
    "blank_lines",
];

#[derive(Debug)]
pub struct CheckBasic;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: EpisodeNumber,
    /// The number of characters that the episode should have.
    #[schemars(range(min = 100, max = 200_000))]
    word_count_target: Option<u32>,
    /// True for more issues, with their bytes and hashes.
    #[serde(default)]
    verbose: bool,
}

/// The part of the reply that only this check has.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BasicReport {
    /// The points out of 100 that remain after the findings.
    #[serde(skip)]
    rules_score: f64,
    word_count_check: WordCount,
    forbidden_expressions: ForbiddenExpressions,
    structure_issues: LayoutIssues,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct WordCount {
    /// The number of visible characters of the story, without white space.
    actual: usize,
    /// The middle of the target range.
    target: u32,
    min: u32,
    max: u32,
    /// The deviation from the target, in percent of the target.
    deviation_percentage: f64,
    /// `ok`, `warning`, `below_min` or `above_max`.
    status: &'static str,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ForbiddenExpressions {
    found_count: usize,
    violations: Vec<IssueReport>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct LayoutIssues {
    paragraph_issues: Vec<IssueReport>,
    formatting_issues: Vec<IssueReport>,
}

impl Tool for CheckBasic {
    const SPEC: ToolSpec =
        ToolSpec { name: "check_basic", texts: texts!("check_basic"), example: r#"{"episode": 1}"#, ..CHECKS };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = CheckReply<BasicReport>;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<CheckReply<BasicReport>>, ToolError> {
        let job = CheckJob::new("check_basic", args.episode, args.verbose, deps, cx)?;
        let target = args.word_count_target;
        let work = cx.blocking(move |cancel, _| {
            check(&job, &[RuleGroup::Basic], &|| cancel.is_cancelled(), |seen| basic(seen, target))
        });
        Ok(ToolOutcome::Done(work.await?))
    }
}

fn basic(seen: &CheckContext<'_>, target: Option<u32>) -> BasicReport {
    let is_unwanted = |rule: &str| UNWANTED.contains(&rule);
    let is_paragraph = |rule: &str| PARAGRAPHS.contains(&rule);
    BasicReport {
        rules_score: seen.score.0,
        word_count_check: WordCount::measure(seen, target),
        forbidden_expressions: ForbiddenExpressions {
            found_count: seen.findings.iter().filter(|finding| is_unwanted(finding.rule)).count(),
            violations: seen.issues_of(is_unwanted),
        },
        structure_issues: LayoutIssues {
            paragraph_issues: seen.issues_of(is_paragraph),
            formatting_issues: seen.issues_of(|rule| !is_unwanted(rule) && !is_paragraph(rule)),
        },
    }
}

impl WordCount {
    fn measure(seen: &CheckContext<'_>, asked: Option<u32>) -> Self {
        let nothing = EpisodePlot::default();
        let context = seen.material.context();
        let plot = context.plot.as_ref().unwrap_or(&nothing);
        let LengthRange { min, max } = LengthRange::resolve(asked, plot, &context.settings);
        let target = u32::midpoint(min, max);
        let actual = seen.material.characters();
        let deviation = (actual as f64 - f64::from(target)) / f64::from(target) * 100.0;
        // The tools that write the episode judge it in the same way.
        let status = match LengthJudgement::judge(actual, min as usize, max as usize) {
            LengthJudgement::Fits => "ok",
            LengthJudgement::Short { is_minor: true, .. } | LengthJudgement::Long { is_minor: true, .. } => "warning",
            LengthJudgement::Short { .. } => "below_min",
            LengthJudgement::Long { .. } => "above_max",
        };
        Self { actual, target, min, max, deviation_percentage: tenths(deviation), status }
    }
}

impl CheckDetails for BasicReport {
    /// Scales the score by the written share of the minimum length if the text is far too short.
    fn verdict(&self) -> Option<CheckVerdict> {
        let count = &self.word_count_check;
        let written = if count.status == "below_min" { count.actual as f64 / f64::from(count.min) } else { 1.0 };
        (count.actual > 0)
            .then_some(CheckVerdict { score: Some(tenths(self.rules_score * written)), method: DETERMINISTIC })
    }

    fn lines(&self, locale: Locale) -> Vec<String> {
        let count = &self.word_count_check;
        let (min, max, status) = (count.min, count.max, count.status);
        let (english, japanese) = match status {
            "below_min" => ("too short", "不足"),
            "above_max" => ("too long", "超過"),
            "warning" if count.actual < min as usize => ("slightly short", "やや不足"),
            "warning" => ("slightly long", "やや超過"),
            _ => ("ok", "適正"),
        };
        vec![match locale {
            Locale::En => {
                format!("length: {english} ({:+} %; {min} to {max} wanted)", count.deviation_percentage)
            }
            Locale::Ja => {
                format!("文字数: {japanese}（目標との差 {:+} %、許す範囲 {min}〜{max} 字）", count.deviation_percentage)
            }
        }]
    }

    fn continues(&self) -> bool {
        false
    }

    fn shown(&self) -> Vec<&IssueReport> {
        let structure = &self.structure_issues;
        let lists = [&self.forbidden_expressions.violations, &structure.paragraph_issues, &structure.formatting_issues];
        lists.into_iter().flatten().collect()
    }
}
