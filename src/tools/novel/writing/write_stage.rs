//! The `write_stage` tool: executes one stage of an episode. Feedback has a stage done again.

use fumi_base::text::Locale;
use fumi_kernel::{ArgumentRule, Cx, QuestionReply, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{
    errors::writing::WritingError,
    writing::{NextStep, OpenedSession, SessionAction, StepOutcome, WritingStage},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::{
    PlacedManuscript, RequestedSession, STAGE_TIMEOUT, StageResult, StepRequest, Verbose, localized, names, one_stage,
    question, redo_fields, redo_notices, run_step, stage_result, verbose_argument,
};
use crate::novel::{EpisodeNumber, NovelDeps, WRITES, suggestion::call_line, texts};

#[derive(Debug)]
pub struct WriteStage;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: EpisodeNumber,
    /// The stage, by either of its names.
    stage: String,
    session_id: Option<String>,
    /// The same as `session_id`, for an interrupted session.
    resume_session: Option<String>,
    content: Option<String>,
    #[schemars(regex(pattern = "^[a-z_]+(:([1-9]|1[0-2]))?$"))]
    step: Option<String>,
    /// The change to make in a repeated stage; `approved` is only recorded.
    user_feedback: Option<String>,
    #[serde(default)]
    verbose: bool,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    summary: String,
    episode: u32,
    stage: String,
    session_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_recommended_stage: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stage_result: Option<StageResult>,
    #[serde(flatten)]
    placed: PlacedManuscript,
    execution_time_seconds: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    recovered_stages: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stale_stages: Vec<String>,
    #[serde(flatten)]
    verbose: Option<Verbose>,
}

/// The arguments of one stage, shared by all tools of single stages.
pub(super) struct OneStage {
    pub(super) tool: &'static str,
    pub(super) episode: EpisodeNumber,
    pub(super) stage: WritingStage,
    pub(super) session_id: Option<String>,
    pub(super) content: Option<String>,
    pub(super) step: Option<String>,
    pub(super) user_feedback: Option<String>,
}

impl OneStage {
    /// Runs the step. The first stage may begin a session; every other stage needs one.
    pub(super) async fn work(self, deps: &NovelDeps, cx: &Cx) -> Result<StepOutcome, ToolError> {
        let stage = self.stage;
        if self.session_id.is_none() && stage.number() > 1 {
            return Err(WritingError::SessionIdMissing { stage }.into());
        }
        let (content, step) = (self.content, self.step);
        let feedback = self.user_feedback.filter(|said| !said.trim().is_empty());
        let act = move |opened: &OpenedSession| match feedback {
            Some(said) => {
                let asked = step.as_deref().map(WritingStage::parse_step).transpose()?;
                if let Some((asked, _)) = asked.filter(|(asked, _)| *asked != stage) {
                    return Err(WritingError::OtherStage { stage, asked });
                }
                let turn = asked.and_then(|(_, turn)| turn);
                one_stage(stage, opened, None, None).map(|_| SessionAction::Feedback(stage, turn, said))
            }
            None => one_stage(stage, opened, content, step.as_deref()),
        };
        run_step(
            deps,
            cx,
            StepRequest {
                tool: self.tool,
                episode: self.episode.0,
                wanted: RequestedSession::from_args(self.session_id, false, stage.route()),
                target: None,
                places_draft: false,
                act,
            },
        )
        .await
    }
}

/// Returns the question of a stage, or `None` if it has no open question.
pub(super) async fn open_question(
    worked: &StepOutcome,
    stage: WritingStage,
    tool: &'static str,
    submit: Map<String, serde_json::Value>,
    verbose: Option<Verbose>,
    cx: &Cx,
) -> Result<Option<QuestionReply>, ToolError> {
    let NextStep::Ask(asked) = &worked.next else {
        return Ok(None);
    };
    if asked.stage != stage {
        return Ok(None);
    }
    let mut more = redo_fields(worked);
    more.extend(Verbose::fields(verbose));
    question(worked, asked, cx, tool, submit, more).await.map(Some)
}

impl Tool for WriteStage {
    const SPEC: ToolSpec = ToolSpec {
        name: "write_stage",
        texts: texts!("write_stage"),
        example: r#"{"episode": 1, "stage": "plot_data_preparation"}"#,
        rules: &[
            ArgumentRule::Without("user_feedback", &["content"]),
            ArgumentRule::Without("resume_session", &["session_id"]),
        ],
        timeout: STAGE_TIMEOUT,
        ..WRITES
    };
    const ASKS: bool = true;
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let stage = WritingStage::parse(&args.stage)?;
        let episode = args.episode.0.number();
        let one = OneStage {
            tool: Self::SPEC.name,
            episode: args.episode,
            stage,
            session_id: args.session_id.or(args.resume_session),
            content: args.content,
            step: args.step,
            user_feedback: args.user_feedback,
        };
        let worked = one.work(deps, cx).await?;
        let verbose = Verbose::for_call(&worked, args.verbose);
        let mut submit = verbose_argument(args.verbose);
        submit.insert("stage".to_owned(), json!(stage.name()));
        if let Some(ask) = open_question(&worked, stage, Self::SPEC.name, submit, verbose.clone(), cx).await? {
            return Ok(ToolOutcome::Ask(Box::new(ask)));
        }
        let session = &worked.session;
        let next = session.current();
        Ok(ToolOutcome::Done(Output {
            success: true,
            summary: localized(
                cx.locale(),
                format!("{stage} is done; {} of {} stages are.", session.completed().len(), session.route().length()),
                format!(
                    "{}が完了しました（{} 段階のうち {} 段階が完了）。",
                    stage.title().get(Locale::Ja),
                    session.route().length(),
                    session.completed().len()
                ),
            ),
            episode,
            stage: stage.name().to_owned(),
            session_id: session.id().to_string(),
            next_recommended_stage: next.map(|next| next.name().to_owned()),
            stage_result: stage_result(cx, session, stage).await?,
            placed: PlacedManuscript::for_call(&worked, cx.locale()),
            execution_time_seconds: 0.0,
            recovered_stages: names(worked.lost.clone()),
            stale_stages: names(session.stale()),
            verbose,
        }))
    }
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let mut lines = vec![self.summary.clone()];
        lines.extend(self.stage_result.as_ref().map(|result| result.line(locale)));
        lines.extend(self.placed.lines(locale));
        lines.extend(redo_notices(&self.recovered_stages, &self.stale_stages, locale));
        lines.extend(self.verbose.iter().flat_map(Verbose::lines));
        lines.extend(self.next_recommended_stage.as_ref().map(|next| {
            let arguments = json!({"episode": self.episode, "stage": next, "session_id": self.session_id});
            call_line("write_stage", &arguments)
        }));
        lines.join("\n")
    }
}
