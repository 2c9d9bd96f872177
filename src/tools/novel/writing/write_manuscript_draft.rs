//! The `write_manuscript_draft` tool: writes only the draft: in a session that has reached it, from the results of its
//! stages; without one, from the plot. The complete draft is placed among the manuscripts at once, and the file that it
//! replaces is backed up.

use fumi_base::text::Locale;
use fumi_kernel::{ArgumentRule, Cx, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{
    errors::writing::WritingError,
    writing::{NextStep, OpenedSession, StageRoute, WritingStage},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    RequestedSession, STAGE_TIMEOUT, StepRequest, Verbose, backup_note, edit_notice, edited_and_left, localized,
    method, one_stage, preview, question, redo_fields, redo_notices, run_step, text_of, verbose_argument, warnings,
};
use crate::novel::{EpisodeNumber, NovelDeps, WRITES, suggestion::call_line, texts};

#[derive(Debug)]
pub struct WriteManuscriptDraft;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: EpisodeNumber,
    session_id: Option<String>,
    #[schemars(range(min = 1000, max = 20000))]
    word_count_target: Option<u32>,
    content: Option<String>,
    #[schemars(regex(pattern = "^[a-z_]+:[1-3]$"))]
    step: Option<String>,
    /// True to begin a new draft although a session is open.
    #[serde(default)]
    restart: bool,
    /// True to return the whole text.
    #[serde(default)]
    include_text: bool,
    #[serde(default)]
    verbose: bool,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    summary: String,
    session_id: String,
    /// The whole text if it was requested, else at most 200 characters.
    manuscript_text: String,
    artifact_id: String,
    manuscript_path: String,
    word_count_actual: usize,
    quality_assessment: DraftAssessment,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_recommended_stage: Option<String>,
    execution_time_seconds: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    recovered_stages: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stale_stages: Vec<String>,
    /// A notice that the manuscript was edited outside of the session, and how this was handled.
    #[serde(skip_serializing_if = "Option::is_none")]
    manuscript_edited: Option<String>,
    /// The criteria that the last answer misses slightly.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    #[serde(flatten)]
    verbose: Option<Verbose>,
    #[serde(skip)]
    episode: u32,
    /// True if the whole text was requested.
    #[serde(skip)]
    is_whole: bool,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct DraftAssessment {
    /// `not_evaluated` if the draft was not judged.
    method: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    overall_score: Option<f64>,
}

impl Tool for WriteManuscriptDraft {
    const SPEC: ToolSpec = ToolSpec {
        name: "write_manuscript_draft",
        texts: texts!("write_manuscript_draft"),
        example: r#"{"episode": 1}"#,
        rules: &[ArgumentRule::Without("restart", &["session_id"])],
        timeout: STAGE_TIMEOUT,
        ..WRITES
    };
    const ASKS: bool = true;
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let (content, step, named) = (args.content, args.step, args.session_id.is_some());
        let act = move |opened: &OpenedSession| match content {
            Some(_) if !named => Err(WritingError::AnswerWithoutSession),
            content => one_stage(WritingStage::DRAFT, opened, content, step.as_deref()),
        };
        let worked = run_step(
            deps,
            cx,
            StepRequest {
                tool: Self::SPEC.name,
                episode: args.episode.0,
                wanted: RequestedSession::from_args(args.session_id, args.restart, StageRoute::Draft),
                target: args.word_count_target,
                places_draft: true,
                act,
            },
        )
        .await?;
        if let NextStep::Ask(asked) = &worked.next
            && asked.stage == WritingStage::DRAFT
        {
            let mut submit = verbose_argument(args.verbose);
            if args.include_text {
                submit.insert("include_text".to_owned(), json!(true));
            }
            let mut more = redo_fields(&worked);
            more.extend(Verbose::fields(Verbose::for_call(&worked, args.verbose)));
            let ask = question(&worked, asked, cx, Self::SPEC.name, submit, more).await?;
            return Ok(ToolOutcome::Ask(Box::new(ask)));
        }
        let session = &worked.session;
        let output = session.output(WritingStage::DRAFT).ok_or_else(ToolError::internal)?;
        let place = worked.delivered.as_ref();
        // The file's own text, if it was edited outside of the session and left in place.
        let (text, characters, sha256) = match (edited_and_left(&worked), place) {
            (Some(edited), Some(place)) => (edited.text.clone(), edited.characters, &place.sha256),
            _ => (text_of(cx, output.file()).await?, output.characters, &output.sha256),
        };
        Ok(ToolOutcome::Done(Output {
            success: true,
            summary: localized(
                cx.locale(),
                format!("The draft of episode {} has {characters} characters.", session.episode().number()),
                format!("{}の草稿ができました（{characters} 字）。", session.episode()),
            ),
            session_id: session.id().to_string(),
            manuscript_text: if args.include_text { text } else { preview(&text) },
            artifact_id: super::artifact(sha256),
            manuscript_path: place.map(|place| place.path.clone()).unwrap_or_default(),
            word_count_actual: characters,
            quality_assessment: DraftAssessment {
                method: method(output.quality_score),
                overall_score: output.quality_score,
            },
            backup_id: place.and_then(|place| place.backup.clone()),
            next_recommended_stage: session.current().map(|next| next.name().to_owned()),
            execution_time_seconds: 0.0,
            recovered_stages: super::names(worked.lost.clone()),
            stale_stages: super::names(session.stale()),
            manuscript_edited: edit_notice(&worked, cx.locale()),
            warnings: warnings(&worked.warnings, cx.locale()),
            verbose: Verbose::for_call(&worked, args.verbose),
            episode: session.episode().number(),
            is_whole: args.include_text,
        }))
    }
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let backup = backup_note(self.backup_id.as_deref(), locale);
        let place = format!("{}{backup} {}", self.manuscript_path, self.artifact_id);
        let mut lines = vec![self.summary.clone(), place];
        let edited = self.manuscript_edited.as_ref();
        lines.extend(edited.into_iter().chain(&self.warnings).map(|said| format!("! {said}")));
        // Only a text that was requested or edited elsewhere is new to the caller.
        lines.extend((self.is_whole || edited.is_some()).then(|| self.manuscript_text.clone()));
        lines.extend(redo_notices(&self.recovered_stages, &self.stale_stages, locale));
        lines.extend(self.verbose.iter().flat_map(Verbose::lines));
        lines.push(self.next_call());
        lines.join("\n")
    }
}

impl Output {
    /// Returns the call of the next stage of the session, or of a check if the session has only the draft.
    fn next_call(&self) -> String {
        match &self.next_recommended_stage {
            Some(next) => {
                let arguments = json!({"episode": self.episode, "stage": next, "session_id": self.session_id});
                call_line("write_stage", &arguments)
            }
            None => call_line("noveler_check", &json!({"episode": self.episode})),
        }
    }
}
