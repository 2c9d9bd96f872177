//! The `rewrite_passage` tool: variants of a quoted passage by a model or the host, verified and checked, and the chosen
//! one put in place of the passage.
//!
//! Nothing is kept between the calls: each has the quotation, and the choice has the text itself. Only a call with
//! `replacement` writes; it fails unless the quotation still occurs exactly once.

use std::time::Duration;

use fumi_base::{
    pools::Pool,
    text::{BilingualText, Locale},
};
use fumi_kernel::{AnswerCall, AskStatus, Audience, Cx, QuestionReply, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{
    backups::BackupTime,
    change_set,
    checks::{self, AnalysedDraft, CheckIssue, CheckMaterial, RuleGroup, Tuning},
    errors::rewriting::RewriteError,
    manuscript::ManuscriptOptions,
    project::{EpisodeId, NovelProject},
    reviewing::{self, CheckedManuscript, can_be_written, prepare_replacement},
    rewriting::{
        ManuscriptPassage, NewText, PassageError, RewriteMode, RewriteQuestion, VARIANTS, VariantError, put_in,
        verify_variant,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::{artifact, call_time, localized, work_id};
use crate::novel::{EpisodeNumber, NovelDeps, REVIEW, WRITES, alone, stamp, suggestion::Suggestion, texts};

/// The number of variants of a question that names none.
const DEFAULT_VARIANTS: usize = 3;

/// The largest number of findings shown of one variant, the most severe first.
const FINDINGS: usize = 8;

#[derive(Debug)]
pub struct RewritePassage;

/// The way in which the passage is rewritten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum RequestedMode {
    /// The same content in other words.
    #[default]
    Rewrite,
    /// More detail.
    Expand,
    /// Fewer words.
    Tighten,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: EpisodeNumber,
    /// The passage, which occurs once in the manuscript.
    #[schemars(length(min = 1, max = 4000))]
    quote: String,
    #[serde(default)]
    mode: RequestedMode,
    /// The wish of the author.
    #[schemars(length(min = 1, max = 500))]
    wish: Option<String>,
    /// The number of variants.
    #[schemars(range(min = 1, max = 5))]
    variants: Option<usize>,
    /// The session of the question that is answered.
    #[schemars(length(max = 100))]
    session_id: Option<String>,
    /// The variants that answer the question.
    #[schemars(length(min = 1, max = 5), inner(length(min = 1, max = 14_000)))]
    passages: Option<Vec<String>>,
    /// The chosen text.
    #[schemars(length(min = 1, max = 40_000))]
    replacement: Option<String>,
}

/// The reply to variants, or to the choice of a text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    /// A summary in one line.
    summary: String,
    session_id: String,
    episode: u32,
    /// The path of the manuscript.
    manuscript: String,
    passage: PassageReport,
    /// The origin of the variants: `host`, `llm_sampling` or `llm_provider`.
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_method: Option<String>,
    /// The accepted variants; nothing was written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    variants: Vec<VariantReport>,
    /// The variants that were not accepted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rejected: Vec<RejectedVariant>,
    /// The text that was put in place of the passage.
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<VariantReport>,
    /// The id of the manuscript with the new text.
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact_id: Option<String>,
    /// The id of the backup of the old manuscript.
    #[serde(skip_serializing_if = "Option::is_none")]
    backup_id: Option<String>,
    /// How a variant is chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    choosing: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    next_suggested_actions: Vec<Suggestion>,
}

/// The passage in the manuscript.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct PassageReport {
    /// The line at which it begins, counted from 1.
    line: usize,
    /// The number of visible characters.
    characters: usize,
}

/// A text for the passage.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct VariantReport {
    /// The number in the answer, counted from 1.
    number: usize,
    text: String,
    /// The number of visible characters.
    characters: usize,
    /// The length in percent of the passage.
    percent: usize,
    /// The number of findings of all rules in the text, where it would stand.
    issues_found: usize,
    /// The most severe findings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    issues: Vec<VariantIssue>,
}

/// A finding in a text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct VariantIssue {
    rule: &'static str,
    /// `info`, `low`, `medium`, `high` or `critical`.
    severity: &'static str,
    excerpt: String,
    message: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct RejectedVariant {
    /// The number in the answer, counted from 1.
    number: usize,
    reason: String,
}

impl Tool for RewritePassage {
    const SPEC: ToolSpec = ToolSpec {
        name: "rewrite_passage",
        toolset: REVIEW,
        texts: texts!("rewrite_passage"),
        example: r#"{"episode": 1, "quote": "戸を開けると、インクと錆と、蚊取り線香のにおいがした。", "mode": "expand", "variants": 2}"#,
        pool: Pool::Check,
        timeout: Duration::from_mins(2),
        ..WRITES
    };
    const ASKS: bool = true;
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        if args.passages.is_some() && args.replacement.is_some() {
            return Err(RewriteError::PassagesAndReplacement.into());
        }
        let job = Job {
            novel: deps.novel(cx),
            episode: args.episode.0,
            tuning: deps.checks.clone(),
            quote: args.quote,
            mode: args.mode.mode(),
            wish: args.wish,
            wanted: args.variants.unwrap_or(DEFAULT_VARIANTS).clamp(1, VARIANTS),
            session_id: work_id(args.session_id.as_deref(), &call_time()?)?,
            method: cx.answerer.method(),
            locale: cx.locale(),
        };
        if let Some(text) = args.replacement {
            deps.check_manuscript(cx, job.episode).await?;
            let (holder, at) = (format!("rewrite_passage {}", job.episode), stamp());
            let work = alone(job.novel.clone(), cx, &holder, move |cancel, _| {
                job.replace(&text, &at, &|| cancel.is_cancelled())
            });
            return Ok(ToolOutcome::Done(work.await?));
        }
        let passages = args.passages;
        let work = cx.blocking(move |cancel, _| match passages {
            Some(passages) => job.judge(&passages, &|| cancel.is_cancelled()).map(ToolOutcome::Done),
            None => job.ask().map(|question| ToolOutcome::Ask(Box::new(question))),
        });
        work.await
    }
}

impl RequestedMode {
    const fn mode(self) -> RewriteMode {
        match self {
            Self::Rewrite => RewriteMode::Rewrite,
            Self::Expand => RewriteMode::Expand,
            Self::Tighten => RewriteMode::Tighten,
        }
    }
}

/// A call, as its blocking work needs it.
struct Job {
    novel: NovelProject,
    episode: EpisodeId,
    tuning: Tuning,
    quote: String,
    mode: RewriteMode,
    wish: Option<String>,
    /// The number of variants.
    wanted: usize,
    session_id: String,
    method: &'static str,
    locale: Locale,
}

impl Job {
    /// Reads the manuscript and finds the passage.
    fn look(&self) -> Result<(CheckedManuscript, ManuscriptPassage), RewriteError> {
        let looked = reviewing::read_manuscript(&self.novel, self.episode, None, &self.tuning)?;
        let passage = ManuscriptPassage::find(&looked.draft.manuscript, &self.quote);
        let passage = passage.map_err(|error| self.explained(error, &looked.subject.manuscript))?;
        Ok((looked, passage))
    }

    fn explained(&self, error: PassageError, path: &str) -> RewriteError {
        let (episode, quote, path) = (self.episode, self.quote.clone(), path.to_owned());
        match error {
            PassageError::Empty => RewriteError::QuoteEmpty,
            PassageError::NotInText => RewriteError::QuoteNotFound { episode, quote, path },
            PassageError::Ambiguous(count, lines) => RewriteError::QuoteAmbiguous { quote, path, count, lines },
            PassageError::CutsMarkup(markup) => RewriteError::QuoteCutsMarkup { quote, markup },
        }
    }

    /// Builds the question for variants.
    fn ask(&self) -> Result<QuestionReply, RewriteError> {
        let (looked, passage) = self.look()?;
        let material = CheckMaterial::new(&looked.draft, &looked.context, &looked.tuning, checks::morphology());
        let question = RewriteQuestion {
            episode: self.episode,
            passage: &passage,
            mode: self.mode,
            wish: self.wish.as_deref(),
            variants: self.wanted,
        };
        let arguments = [
            ("episode", json!(self.episode.number())),
            ("quote", json!(self.quote)),
            ("mode", json!(self.mode.name())),
            ("variants", json!(self.wanted)),
            ("session_id", json!(self.session_id)),
        ];
        let mut arguments: Map<_, _> = arguments.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        arguments.extend(self.wish.as_ref().map(|wish| ("wish".to_owned(), json!(wish))));
        let schema = json!({"type": "array", "minItems": 1, "maxItems": self.wanted, "items": {
            "type": "string", "minLength": 1, "maxLength": 14_000,
        }});
        let subject = &looked.subject;
        Ok(QuestionReply {
            status: AskStatus::NeedsText,
            session_id: self.session_id.clone(),
            step: self.mode.name().to_owned(),
            instruction: question.instruction(&material, self.locale),
            context: vec![format!(
                "{} {} ({})",
                artifact(&subject.sha256),
                subject.manuscript,
                BilingualText::new("manuscript", "原稿").get(self.locale)
            )],
            acceptance_criteria: question.criteria().iter().map(|one| one.get(self.locale).to_owned()).collect(),
            response_schema: schema.as_object().cloned(),
            submit: AnswerCall {
                tool: RewritePassage::SPEC.name,
                arguments,
                answer: "passages",
                sample: Some(json!(vec!["…"; self.wanted])),
            },
            // The instruction has the passage and the text around it.
            material: Vec::new(),
            audience: Audience::AnyModel,
            report: String::new(),
            title: Some(BilingualText::new("Rewriting a passage", "一か所の書き直し")),
            more: Map::new(),
        })
    }

    /// Verifies the variants of an answer and checks each where it would stand.
    fn judge(&self, passages: &[String], is_cancelled: &dyn Fn() -> bool) -> Result<Output, RewriteError> {
        let (looked, passage) = self.look()?;
        let manuscript = &looked.draft.manuscript;
        let (mut variants, mut rejected, mut misses) = (Vec::new(), Vec::new(), Vec::new());
        for (at, text) in passages.iter().enumerate() {
            let verified = verify_variant(manuscript, &passage, self.mode, text, &passages[..at])
                .map_err(|error| rejection_reason(&error))
                .and_then(|new| if can_be_written(&looked, &new.source) { Ok(new) } else { Err(not_in(&looked)) });
            match verified {
                Ok(new) => variants.push(variant(&looked, &passage, &new, at + 1, self.locale, is_cancelled)?),
                Err(why) => {
                    rejected.push(RejectedVariant { number: at + 1, reason: why.get(self.locale).to_owned() });
                    misses.push(BilingualText::new(
                        format!("{}: {}", at + 1, why.en),
                        format!("案{}: {}", at + 1, why.ja),
                    ));
                }
            }
        }
        if variants.is_empty() {
            return Err(RewriteError::PassagesNotTaken { misses });
        }
        let (count, all) = (variants.len(), passages.len());
        let number = self.episode.number();
        Ok(Output {
            summary: localized(
                self.locale,
                format!("Episode {number}, line {}: {count} of {all} variants accepted. Nothing was written.", passage.line),
                format!("第{number}話 {} 行目：{all} 案のうち {count} 案を受け付けました。まだ書き込んでいません。", passage.line),
            ),
            generation_method: Some(self.method.to_owned()),
            variants,
            rejected,
            choosing: Some(localized(
                self.locale,
                "To put one in place of the passage, call rewrite_passage with the same episode and quote, and its text as replacement.".to_owned(),
                "採用するには、同じ episode と quote に、選んだ案の文章を replacement として加え、rewrite_passage を呼びます。".to_owned(),
            )),
            ..self.output(&looked, &passage)
        })
    }

    /// Puts the chosen text in place of the passage.
    fn replace(&self, text: &str, at: &BackupTime, is_cancelled: &dyn Fn() -> bool) -> Result<Output, RewriteError> {
        let (looked, passage) = self.look()?;
        let new = put_in(&looked.draft.manuscript, &passage, text)
            .map_err(|error| RewriteError::ReplacementNotTaken { reason: rejection_reason(&error) })?;
        let report = variant(&looked, &passage, &new, 1, self.locale, is_cancelled)?;
        let (written, change) = prepare_replacement(&self.novel, &looked, &new.source, "before rewrite_passage", at)?;
        change_set::apply(self.novel.project(), None, change.into_iter().collect())?;
        let next = |tool, en, ja| Suggestion::for_episode(tool, self.episode, &BilingualText::new(en, ja), self.locale);
        let number = self.episode.number();
        Ok(Output {
            summary: localized(
                self.locale,
                format!(
                    "The passage at line {} of episode {number} is replaced: {} → {} characters.",
                    passage.line, passage.characters, new.characters
                ),
                format!(
                    "第{number}話 {} 行目の箇所を置き換えました（{} 字 → {} 字）。",
                    passage.line, passage.characters, new.characters
                ),
            ),
            written: Some(report),
            artifact_id: Some(artifact(&written.sha256)),
            backup_id: written.backup,
            next_suggested_actions: vec![
                next("compare_versions", "shows what changed", "変わった所を示します"),
                next("check_basic", "looks at the text as it is now", "いまの本文をもう一度見ます"),
            ],
            ..self.output(&looked, &passage)
        })
    }

    /// Returns what every reply has.
    fn output(&self, looked: &CheckedManuscript, passage: &ManuscriptPassage) -> Output {
        Output {
            success: true,
            summary: String::new(),
            session_id: self.session_id.clone(),
            episode: self.episode.number(),
            manuscript: looked.subject.manuscript.clone(),
            passage: PassageReport { line: passage.line, characters: passage.characters },
            generation_method: None,
            variants: Vec::new(),
            rejected: Vec::new(),
            written: None,
            artifact_id: None,
            backup_id: None,
            choosing: None,
            next_suggested_actions: Vec::new(),
        }
    }
}

/// Describes a text with the findings of all rules in it, where it would stand.
fn variant(
    looked: &CheckedManuscript,
    passage: &ManuscriptPassage,
    new: &NewText,
    number: usize,
    locale: Locale,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<VariantReport, RewriteError> {
    let draft = AnalysedDraft::read(new.source.as_str(), ManuscriptOptions::default());
    let material = CheckMaterial::new(&draft, &looked.context, &looked.tuning, checks::morphology());
    let findings = checks::run_rules(&material, &RuleGroup::ALL, is_cancelled).ok_or(RewriteError::Cancelled)?;
    let own: Vec<_> = findings
        .into_iter()
        .filter(|finding| finding.source.start < new.range.end && new.range.start < finding.source.end)
        .collect();
    let mut issues = CheckIssue::all(&material, &own, locale);
    let issues_found = issues.len();
    issues.sort_by_key(|issue| (std::cmp::Reverse(issue.severity), issue.span));
    let shown = issues.into_iter().take(FINDINGS).map(|issue| VariantIssue {
        rule: issue.rule,
        severity: issue.severity.name(),
        excerpt: issue.excerpt,
        message: issue.message,
    });
    Ok(VariantReport {
        number,
        text: new.passage.clone(),
        characters: new.characters,
        percent: (100 * new.characters + passage.characters / 2) / passage.characters.max(1),
        issues_found,
        issues: shown.collect(),
    })
}

/// Returns the reason for which a text is not accepted, as a sentence.
fn rejection_reason(error: &VariantError) -> BilingualText {
    match error {
        VariantError::Empty => BilingualText::new("It has no visible character.", "文字がありません。"),
        VariantError::Unchanged => BilingualText::new("It is the same as the passage.", "元の箇所と同じです。"),
        VariantError::Repeats(number) => {
            BilingualText::new(format!("It is the same as variant {number}."), format!("案{number}と同じです。"))
        }
        VariantError::StandsAlready => BilingualText::new(
            "It already stands in the manuscript, around the quotation.",
            "この文章は、引用した箇所を含めてすでに原稿にあります。",
        ),
        VariantError::Invisible => {
            BilingualText::new("It has invisible or control characters.", "見えない文字か制御文字が含まれています。")
        }
        VariantError::Markup => BilingualText::new(
            "It has brackets, ruby or other marks without their counterpart, or changes how the text around it is read.",
            "括弧やルビなどの記号の対が崩れているか、前後の文章の読まれ方が変わります。",
        ),
        VariantError::Lost(mark) => BilingualText::new(
            format!("It lacks or changes {mark}, which the passage has."),
            format!("元の箇所にある {mark} が、なくなっているか変わっています。"),
        ),
        VariantError::Length { length, least, most } => BilingualText::new(
            format!("It has {length} visible characters instead of {least} to {most}."),
            format!("可視文字が {length} 字です（{least}〜{most} 字で書きます）。"),
        ),
        VariantError::Remnants(found) => BilingualText::new(
            format!("It contains words that do not belong to the story (line: words): {}.", found.join(", ")),
            format!("本文ではない言葉が残っています（行: 言葉）: {}。", found.join("、")),
        ),
    }
}

/// Returns the reason for rejecting a text that the encoding of the file cannot represent.
fn not_in(looked: &CheckedManuscript) -> BilingualText {
    let encoding = &looked.encoding;
    BilingualText::new(
        format!("The file is {encoding}, which cannot represent this text."),
        format!("ファイルの文字コード {encoding} では書き表せません。"),
    )
}

impl VariantReport {
    fn lines(&self, locale: Locale) -> Vec<String> {
        let Self { number, characters, percent, issues_found, .. } = self;
        let head = match locale {
            Locale::En => format!("[{number}] {characters} characters ({percent} %), {issues_found} issues"),
            Locale::Ja => format!("［{number}］{characters} 字（{percent} %）、指摘 {issues_found} 件"),
        };
        let issues = self.issues.iter().map(|issue| {
            let VariantIssue { rule, severity, excerpt, message } = issue;
            format!("- {rule} ({severity}) {excerpt}: {message}")
        });
        [head, self.text.clone()].into_iter().chain(issues).collect()
    }
}

impl Render for Output {
    fn keep_callable(&mut self, can_call: &dyn Fn(&str) -> bool) {
        Suggestion::keep_callable(&mut self.next_suggested_actions, can_call);
    }

    fn text(&self, locale: Locale) -> String {
        let mut lines = vec![self.summary.clone()];
        if let (Some(id), Some(backup)) = (&self.artifact_id, &self.backup_id) {
            lines.push(match locale {
                Locale::En => format!("{} ({id}); backup_id {backup} has the old text", self.manuscript),
                Locale::Ja => format!("{}（{id}）。元の本文は backup_id {backup}", self.manuscript),
            });
        }
        // The caller of a replacement has its text.
        lines.extend(self.written.iter().flat_map(|written| written.lines(locale).into_iter().skip(2)));
        lines.extend(self.variants.iter().flat_map(|variant| variant.lines(locale)));
        lines.extend(self.rejected.iter().map(|one| match locale {
            Locale::En => format!("! rejected [{}]: {}", one.number, one.reason),
            Locale::Ja => format!("! 不採用［{}］: {}", one.number, one.reason),
        }));
        lines.extend(self.choosing.clone());
        lines.extend(self.next_suggested_actions.iter().map(Suggestion::line));
        lines.join("\n")
    }
}
