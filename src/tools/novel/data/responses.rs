//! The two forms of results, [`StandardResponse`] and [`ErrorResponse`], and the validation of values against them.
//!
//! The schemas that [`problems`] checks against are derived from these types, so values built from them are valid. The
//! conversion of other results is in `conversion.rs`.

use fumi_base::text::BilingualText;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::reference::HashedFile;
use crate::tool::{schema, validate};

/// A pattern for the beginning of an ISO 8601 time.
const TIME: &str = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}";

/// A command that did its work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StandardResponse {
    /// True.
    pub success: bool,
    /// What was run.
    pub command: String,
    /// How long it took; 0 where nobody says.
    #[schemars(range(min = 0))]
    pub execution_time_ms: f64,
    /// The files that it made, or that large parts of the result were moved to.
    pub outputs: OutputFiles,
    /// The rest of the result; a part that was moved is the id of its artifact.
    pub metadata: Map<String, Value>,
    /// When.
    #[schemars(regex(pattern = TIME))]
    pub created_at: String,
}

/// Files of a result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputFiles {
    /// Each by its content.
    pub files: Vec<HashedFile>,
    /// How many they are.
    pub total_files: u64,
    /// Their sizes together.
    pub total_size_bytes: u64,
}

impl OutputFiles {
    /// Returns files with their count and total size.
    #[must_use]
    pub fn from_files(files: Vec<HashedFile>) -> Self {
        Self {
            total_files: files.len() as u64,
            total_size_bytes: files.iter().map(|file| file.size_bytes).sum(),
            files,
        }
    }
}

/// A command that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErrorResponse {
    /// False.
    pub success: bool,
    /// Why.
    pub error: ErrorBody,
    /// What was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub execution_time_ms: Option<f64>,
    /// Files, as of a command that did its work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outputs: Option<OutputFiles>,
    /// The rest of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// What the call was made with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Map<String, Value>>,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = TIME))]
    pub created_at: Option<String>,
}

/// What a failure says of itself. Errors of fumi have this form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErrorBody {
    /// Its class.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its code.
    pub code: String,
    /// A sentence.
    pub message: String,
    /// The tool that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// The same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// Where in the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Map<String, Value>>,
    /// What happened, as data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Map<String, Value>>,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guidance: Option<ErrorGuidance>,
    /// The same under another name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claude_guidance: Option<ErrorGuidance>,
    /// What else could be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alternative_actions: Option<Vec<Map<String, Value>>>,
    /// Where to read on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub troubleshooting_url: Option<String>,
}

/// The next step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErrorGuidance {
    /// A tool.
    pub suggested_action: String,
    /// Its arguments.
    pub parameters: Map<String, Value>,
    /// Why.
    pub explanation: String,
}

/// Which of the two forms is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub enum ResponseForm {
    /// Of success.
    #[default]
    StandardResponse,
    /// Of failure.
    ErrorResponse,
}

impl ResponseForm {
    /// Returns the form that a result is meant to have: an error if it says so, or has an error field.
    #[must_use]
    pub fn detect(value: &Value) -> Self {
        if value["success"] == false || (value["success"] != true && value.get("error").is_some()) {
            Self::ErrorResponse
        } else {
            Self::StandardResponse
        }
    }
}

/// Returns the problems of a value: for each, its path and message. Empty for a valid response.
#[must_use]
pub fn problems(value: &Value) -> Vec<(String, BilingualText)> {
    let schema = match ResponseForm::detect(value) {
        ResponseForm::StandardResponse => schema::for_serialize::<StandardResponse>(),
        ResponseForm::ErrorResponse => schema::for_serialize::<ErrorResponse>(),
    };
    let mut problems: Vec<(String, BilingualText)> = validate::problems(&schema, value)
        .into_iter()
        .map(|problem| (problem.parameter, problem.text))
        .collect();
    // The sums cannot be expressed in a schema.
    if let Ok(outputs) = serde_json::from_value::<OutputFiles>(value["outputs"].clone()) {
        let right = OutputFiles::from_files(outputs.files.clone());
        for (name, said, is) in [
            ("outputs.total_files", outputs.total_files, right.total_files),
            (
                "outputs.total_size_bytes",
                outputs.total_size_bytes,
                right.total_size_bytes,
            ),
        ] {
            if said != is {
                let text = BilingualText::new(
                    format!("must be {is}, the sum over files, not {said}"),
                    format!("files の合計の {is} ではなく {said} になっています"),
                );
                problems.push((name.to_owned(), text));
            }
        }
    }
    problems
}
