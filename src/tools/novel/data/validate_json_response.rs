//! The `validate_json_response` tool: checks whether a result has one of the two forms, and lists its problems.

use fumi_base::text::Locale;
use fumi_kernel::{Cx, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    DATA, NovelDeps, READS,
    responses::{ResponseForm, problems},
    texts,
};

/// The maximum number of problems listed: a result with more has another form altogether.
const MAX_PROBLEMS: usize = 50;

#[derive(Debug)]
pub struct ValidateJsonResponse;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    json_data: Map<String, Value>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    valid: bool,
    /// The form against which the result was checked.
    model: ResponseForm,
    errors: Vec<ResponseProblem>,
    /// True if the result has more problems.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

/// A problem of the result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ResponseProblem {
    /// The path of the value; empty for the whole result.
    path: String,
    message: String,
}

impl Tool for ValidateJsonResponse {
    const SPEC: ToolSpec = ToolSpec {
        name: "validate_json_response",
        toolset: DATA,
        texts: texts!("validate_json_response"),
        example: r#"{"json_data": {"success": true, "command": "check 1", "execution_time_ms": 12, "outputs": {"files": [], "total_files": 0, "total_size_bytes": 0}, "metadata": {}, "created_at": "2026-01-31T10:00:00Z"}}"#,
        ..READS
    };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, _: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let locale = cx.locale();
        let value = Value::Object(args.json_data);
        let work = cx.blocking(move |_, _| {
            let found = problems(&value);
            let told = found.iter().take(MAX_PROBLEMS).map(|(path, text)| ResponseProblem {
                path: path.clone(),
                message: text.get(locale).chars().take(500).collect(),
            });
            Ok::<_, ToolError>(Output {
                success: true,
                valid: found.is_empty(),
                model: ResponseForm::detect(&value),
                errors: told.collect(),
                truncated: found.len() > MAX_PROBLEMS,
            })
        });
        Ok(ToolOutcome::Done(work.await?))
    }
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let verdict = match (locale, self.valid) {
            (Locale::En, true) => "valid",
            (Locale::En, false) => "not valid",
            (Locale::Ja, true) => "正しい形式です",
            (Locale::Ja, false) => "形式に誤りがあります",
        };
        let mut lines = vec![format!("{:?}: {verdict}", self.model)];
        lines.extend(self.errors.iter().map(|error| format!("- {}: {}", error.path, error.message)));
        if self.truncated {
            lines.push("…".to_owned());
        }
        lines.join("\n")
    }
}
