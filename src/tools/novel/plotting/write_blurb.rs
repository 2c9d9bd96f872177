//! The `write_blurb` tool: returns the stored blurb of the novel with its catchphrase and tags, asks for one, or verifies
//! and stores the answer.

use std::time::Duration;

use fumi_base::{
    errors::UserError as _,
    pools::Pool,
    text::{BilingualText, Locale},
};
use fumi_kernel::{AnswerCall, AskStatus, Audience, Cx, QuestionReply, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{
    backups::BackupTime,
    blurb::{self, BlurbLimits, BlurbMaterial, StoredBlurb},
    errors::blurb::BlurbError,
    manuscript::CharacterCounts,
    project::NovelProject,
    publish::PostingSite,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::novel::{
    NovelDeps, REVIEW, WRITES, alone, stamp, texts,
    writing::{artifact, backup_note, call_time, localized, material, reference, warnings, work_id},
};

#[derive(Debug)]
pub struct WriteBlurb;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The sites that the texts must fit.
    #[schemars(length(min = 1, max = 2))]
    sites: Option<Vec<PostingSite>>,
    /// True to replace the stored texts.
    #[serde(default)]
    regenerate: bool,
    /// The session of the question that is answered.
    #[schemars(length(max = 100))]
    session_id: Option<String>,
    /// The texts that answer the question.
    #[schemars(length(min = 1, max = 100_000))]
    content: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    /// A summary in one line.
    summary: String,
    session_id: String,
    blurb: String,
    /// The number of visible characters of the blurb.
    characters: usize,
    catchphrase: String,
    tags: Vec<String>,
    /// The sites whose limits were checked.
    sites: Vec<&'static str>,
    /// The limits that the stored texts miss, after an edit or for other sites.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    blurb_file_path: String,
    artifact_id: String,
    /// The origin of the texts: `existing`, `host`, `llm_sampling` or `llm_provider`.
    generation_method: String,
    /// The id of the backup of the replaced file.
    #[serde(skip_serializing_if = "Option::is_none")]
    backup_id: Option<String>,
}

/// The result of examining the arguments and the project.
enum BlurbOutcome {
    Question(Box<BlurbMaterial>, BlurbLimits),
    Existing(Box<StoredBlurb>, BlurbLimits),
    Saved(Box<StoredBlurb>, BlurbLimits),
}

impl Tool for WriteBlurb {
    const SPEC: ToolSpec = ToolSpec {
        name: "write_blurb",
        toolset: REVIEW,
        texts: texts!("write_blurb"),
        example: r#"{"sites": ["narou", "kakuyomu"]}"#,
        pool: Pool::Plot,
        // Only storing the texts takes the project's lock, and that is short.
        exclusive: false,
        timeout: Duration::from_mins(2),
        ..WRITES
    };
    const ASKS: bool = true;
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let session_id = work_id(args.session_id.as_deref(), &call_time()?)?;
        let job = Job { novel: deps.novel(cx), sites: args.sites.unwrap_or_default(), regenerate: args.regenerate };
        let outcome = if let Some(content) = args.content {
            deps.check_novel(cx).await?;
            let at = stamp();
            alone(deps.novel(cx), cx, WriteBlurb::SPEC.name, move |_, _| job.answer(&content, &at)).await?
        } else {
            cx.blocking(move |_, _| job.look()).await?
        };
        Ok(match outcome {
            BlurbOutcome::Question(gathered, limits) => {
                let mut ask = question(&gathered, &limits, session_id, args.regenerate, cx.locale());
                // The prompt has the beginning of the first episode.
                ask.material = material(&gathered.references, cx).await?;
                ToolOutcome::Ask(Box::new(ask))
            }
            BlurbOutcome::Existing(stored, limits) => {
                ToolOutcome::Done(output(*stored, &limits, session_id, "existing", cx.locale()))
            }
            BlurbOutcome::Saved(stored, limits) => {
                ToolOutcome::Done(output(*stored, &limits, session_id, cx.answerer.method(), cx.locale()))
            }
        })
    }
}

/// A call, as its blocking work needs it.
struct Job {
    novel: NovelProject,
    /// The requested sites; empty for those of the stored blurb or of the project.
    sites: Vec<PostingSite>,
    regenerate: bool,
}

impl Job {
    /// Returns the stored blurb, or what a question for one needs.
    fn look(&self) -> Result<BlurbOutcome, BlurbError> {
        let existing = self.existing()?;
        let limits = self.limits(existing.as_ref())?;
        Ok(match existing {
            Some(existing) if !self.regenerate => BlurbOutcome::Existing(Box::new(existing), limits),
            _ => BlurbOutcome::Question(Box::new(BlurbMaterial::gather(&self.novel)?), limits),
        })
    }

    /// Verifies an answer and stores it.
    fn answer(&self, content: &str, at: &BackupTime) -> Result<BlurbOutcome, BlurbError> {
        let limits = self.limits(self.existing()?.as_ref())?;
        let answer = blurb::validate_answer(content, &limits)?;
        let stored = blurb::store_blurb(&self.novel, answer, self.regenerate, at)?;
        Ok(BlurbOutcome::Saved(Box::new(stored), limits))
    }

    /// Returns the stored blurb. One that is replaced anyway need not be readable.
    fn existing(&self) -> Result<Option<StoredBlurb>, BlurbError> {
        match blurb::existing(&self.novel) {
            Err(error) if self.regenerate && !error.is_system_failure() => {
                self.novel.survey()?.require_novel(self.novel.names())?;
                Ok(None)
            }
            existing => Ok(existing?),
        }
    }

    /// Returns the limits of the requested sites, otherwise those of the stored blurb, otherwise those of the preset.
    fn limits(&self, existing: Option<&StoredBlurb>) -> Result<BlurbLimits, BlurbError> {
        let stored = existing.map(|stored| stored.blurb.sites.as_slice()).unwrap_or_default();
        Ok(match (self.sites.as_slice(), stored) {
            ([], []) => {
                let settings = self.novel.settings()?.unwrap_or_default();
                BlurbLimits::of_sites(&blurb::sites_of_preset(settings.style_preset))
            }
            ([], stored) => BlurbLimits::of_sites(stored),
            (requested, _) => BlurbLimits::of_sites(requested),
        })
    }
}

fn question(
    gathered: &BlurbMaterial,
    limits: &BlurbLimits,
    session_id: String,
    regenerate: bool,
    locale: Locale,
) -> QuestionReply {
    let sites: Vec<&str> = limits.sites.iter().map(|site| site.id()).collect();
    // The answer is judged by the limits of this question.
    let mut arguments =
        Map::from_iter([("sites".to_owned(), json!(sites)), ("session_id".to_owned(), json!(session_id))]);
    if regenerate {
        arguments.insert("regenerate".to_owned(), json!(true));
    }
    let cited = gathered.references.iter().chain(&gathered.first_episode);
    let faults = gathered.faults.iter().map(|fault| format!("! {}", fault.error_message().message.get(locale)));
    QuestionReply {
        status: AskStatus::NeedsText,
        session_id,
        step: "blurb".to_owned(),
        instruction: gathered.instruction(limits, locale),
        context: cited.map(|cited| reference(cited, locale)).collect(),
        acceptance_criteria: blurb::criteria(limits).iter().map(|one| one.get(locale).to_owned()).collect(),
        response_schema: answer_schema(limits),
        submit: AnswerCall { tool: WriteBlurb::SPEC.name, arguments, answer: "content", sample: None },
        material: Vec::new(),
        report: faults.collect::<Vec<_>>().join("\n"),
        audience: Audience::AnyModel,
        title: Some(BilingualText::new("Presenting the novel", "紹介文の作成")),
        more: Map::new(),
    }
}

/// Returns the schema of an answer.
fn answer_schema(limits: &BlurbLimits) -> Option<Map<String, Value>> {
    let text = |least: usize, most: usize| json!({"type": "string", "minLength": least, "maxLength": most});
    let schema = json!({
        "type": "object",
        "properties": {
            "blurb": text(limits.blurb.min, limits.blurb.max),
            "catchphrase": text(1, limits.catchphrase),
            "tags": {
                "type": "array", "minItems": 1, "maxItems": limits.tags.count, "uniqueItems": true,
                "items": text(1, limits.tags.length),
            },
        },
        "required": ["blurb", "catchphrase", "tags"], "additionalProperties": false,
    });
    schema.as_object().cloned()
}

fn output(stored: StoredBlurb, limits: &BlurbLimits, session_id: String, method: &str, locale: Locale) -> Output {
    let StoredBlurb { blurb: texts, path, sha256, backup } = stored;
    let characters = CharacterCounts::count(&texts.blurb).characters;
    let names: Vec<&str> = limits.sites.iter().map(|site| site.name()).collect();
    let (sites, tags) = (names.join(if locale == Locale::En { ", " } else { "・" }), texts.tags.len());
    let summary = if method == "existing" {
        localized(
            locale,
            format!(
                "The novel already has a blurb: {characters} characters, {tags} tags. regenerate: true replaces it."
            ),
            format!(
                "この作品にはすでに紹介文があります（{characters} 字、タグ {tags} 個）。作り直すには regenerate: true を渡します。"
            ),
        )
    } else {
        localized(
            locale,
            format!("Saved the blurb: {characters} characters, {tags} tags. It fits {sites}."),
            format!("紹介文を保存しました（{characters} 字、タグ {tags} 個）。{sites}の入力欄に収まります。"),
        )
    };
    Output {
        success: true,
        summary,
        session_id,
        characters,
        warnings: warnings(&blurb::missed_criteria(&texts, limits), locale),
        blurb: texts.blurb,
        catchphrase: texts.catchphrase,
        tags: texts.tags,
        sites: limits.sites.iter().map(|site| site.id()).collect(),
        blurb_file_path: path,
        artifact_id: artifact(&sha256),
        generation_method: method.to_owned(),
        backup_id: backup,
    }
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let backup = backup_note(self.backup_id.as_deref(), locale);
        let tags = match locale {
            Locale::En => "Tags: ",
            Locale::Ja => "タグ：",
        };
        let mut lines = vec![self.summary.clone(), format!("{}{backup} {}", self.blurb_file_path, self.artifact_id)];
        lines.extend(self.warnings.iter().map(|said| format!("! {said}")));
        lines.extend([String::new(), self.catchphrase.clone(), String::new(), self.blurb.trim_end().to_owned()]);
        lines.extend([String::new(), format!("{tags}{}", self.tags.join(" "))]);
        lines.join("\n")
    }
}
