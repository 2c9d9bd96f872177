//! The `convert_cli_to_json` tool: converts any result into one form, moves large parts to files, and reports the
//! tokens saved.

use fumi_base::{text::Locale, tokens};
use fumi_kernel::{Cx, Effect, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::artifacts::ArtifactStore;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    DATA, NovelDeps, READS,
    conversion::{Converted, convert},
    now,
    responses::{ErrorResponse, ResponseForm, StandardResponse},
    texts,
};
use crate::novel::rounding::tenths;

#[derive(Debug)]
pub struct ConvertCliToJson;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    cli_result: Map<String, Value>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    /// The form of the converted result.
    model: ResponseForm,
    /// The response of a command that succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<StandardResponse>,
    /// The response of a command that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_response: Option<ErrorResponse>,
    token_reduction: TokenReduction,
}

/// The estimated tokens that a model needs to read the result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TokenReduction {
    /// The tokens of the original result.
    tokens_before: usize,
    /// The tokens of the converted result.
    tokens_after: usize,
    /// The reduction in percent; negative for a small result, which becomes larger.
    #[serde(rename = "reduction_percent")]
    percent: f64,
}

impl TokenReduction {
    fn estimate(before: &str, after: &str) -> Self {
        let (before, after) = (tokens::estimate(before), tokens::estimate(after));
        let percent = 100.0 * (1.0 - after as f64 / before.max(1) as f64);
        Self { tokens_before: before, tokens_after: after, percent: tenths(percent) }
    }
}

impl Tool for ConvertCliToJson {
    const SPEC: ToolSpec = ToolSpec {
        name: "convert_cli_to_json",
        toolset: DATA,
        texts: texts!("convert_cli_to_json"),
        example: r#"{"cli_result": {"command": "check 1", "exit_code": 0, "stdout": "0 issues\n", "duration_ms": 12}}"#,
        // Files are named by their content, so no lock is needed, but read-only mode must refuse the call.
        effect: Effect::Write,
        ..READS
    };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let artifacts = ArtifactStore::new(deps.novel(cx));
        let work = cx.blocking(move |_, _| {
            let before = Value::Object(args.cli_result.clone()).to_string();
            let converted = convert(args.cli_result, &artifacts, &now().to_string())?;
            let token_reduction = TokenReduction::estimate(&before, &converted.to_value().to_string());
            let (model, response, error_response) = match converted {
                Converted::Standard(response) => (ResponseForm::StandardResponse, Some(*response), None),
                Converted::Error(response) => (ResponseForm::ErrorResponse, None, Some(*response)),
            };
            Ok::<_, ToolError>(Output { success: true, model, response, error_response, token_reduction })
        });
        Ok(ToolOutcome::Done(work.await?))
    }
}

impl Render for Output {
    fn text(&self, _: Locale) -> String {
        let TokenReduction { tokens_before, tokens_after, .. } = self.token_reduction;
        let form = serde_json::to_string(&self.response).ok().filter(|_| self.response.is_some());
        let form = form.or_else(|| serde_json::to_string(&self.error_response).ok());
        format!("{:?}: {tokens_before} → {tokens_after} tokens\n{}", self.model, form.unwrap_or_default())
    }
}
