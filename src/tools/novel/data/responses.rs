//! The two forms of results, [`StandardResponse`] and [`ErrorResponse`], and the validation of values against them.
//!
//! The schemas that [`problems`] checks against are derived from these types, so values built from them are valid. The
//! conversion of other results is in `conversion.rs`.

use fumi_base::text::BilingualText;
use fumi_kernel::{schema, validate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::reference::HashedFile;

/// A pattern for the beginning of an ISO 8601 time.
const TIME: &str = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}";

/// The response of a command that succeeded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StandardResponse {
    /// Always true.
    pub success: bool,
    /// The command that was run.
    pub command: String,
    /// The duration; 0 if it is not known.
    #[schemars(range(min = 0))]
    pub execution_time_ms: f64,
    /// The files that it made, or that large parts of the result were moved to.
    pub outputs: OutputFiles,
    /// The rest of the result. A part that was moved is replaced by the id of its artifact.
    pub metadata: Map<String, Value>,
    /// The creation time.
    #[schemars(regex(pattern = TIME))]
    pub created_at: String,
}

/// The files of a result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputFiles {
    /// The files, identified by content.
    pub files: Vec<HashedFile>,
    /// The number of files.
    pub total_files: u64,
    /// The total size.
    pub total_size_bytes: u64,
}

impl OutputFiles {
    /// Returns files with their count and total size.
    pub fn from_files(files: Vec<HashedFile>) -> Self {
        Self {
            total_files: files.len() as u64,
            total_size_bytes: files.iter().map(|file| file.size_bytes).sum(),
            files,
        }
    }
}

/// The response of a command that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErrorResponse {
    /// Always false.
    pub success: bool,
    pub error: ErrorBody,
    /// The command that was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub execution_time_ms: Option<f64>,
    /// The files that the command made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outputs: Option<OutputFiles>,
    /// The rest of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// The arguments of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Map<String, Value>>,
    /// The creation time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = TIME))]
    pub created_at: Option<String>,
}

/// The description of a failure. Errors of fumi have this form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErrorBody {
    /// The class of the error.
    #[serde(rename = "type")]
    pub kind: String,
    /// The code of the error.
    pub code: String,
    /// The message in one sentence.
    pub message: String,
    /// The tool that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// The tool that failed, under another name of the field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The time of the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// The part of the call that caused the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Map<String, Value>>,
    /// The details of the failure, as data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Map<String, Value>>,
    /// The advice for the next step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guidance: Option<ErrorGuidance>,
    /// The same advice, under another name of the field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claude_guidance: Option<ErrorGuidance>,
    /// Further actions that are possible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alternative_actions: Option<Vec<Map<String, Value>>>,
    /// The URL of a page about the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub troubleshooting_url: Option<String>,
}

/// The advice for the next step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErrorGuidance {
    /// The tool to call.
    pub suggested_action: String,
    /// The arguments of that tool.
    pub parameters: Map<String, Value>,
    /// The reason for the advice.
    pub explanation: String,
}

/// The form that a result is meant to have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub enum ResponseForm {
    /// The form of a success.
    #[default]
    StandardResponse,
    /// The form of a failure.
    ErrorResponse,
}

impl ResponseForm {
    /// Returns the form that a result is meant to have: an error if it says so, or has an error field.
    pub fn detect(value: &Value) -> Self {
        if value["success"] == false || (value["success"] != true && value.get("error").is_some()) {
            Self::ErrorResponse
        } else {
            Self::StandardResponse
        }
    }
}

/// Returns the problems of a value: for each, its path and message. Empty for a valid response.
pub fn problems(value: &Value) -> Vec<(String, BilingualText)> {
    let schema = match ResponseForm::detect(value) {
        ResponseForm::StandardResponse => schema::for_serialize::<StandardResponse>(),
        ResponseForm::ErrorResponse => schema::for_serialize::<ErrorResponse>(),
    };
    let mut problems: Vec<(String, BilingualText)> =
        validate::problems(&schema, value).into_iter().map(|problem| (problem.parameter, problem.text)).collect();
    // The sums cannot be expressed in a schema.
    if let Ok(outputs) = serde_json::from_value::<OutputFiles>(value["outputs"].clone()) {
        let right = OutputFiles::from_files(outputs.files.clone());
        for (name, said, is) in [
            ("outputs.total_files", outputs.total_files, right.total_files),
            ("outputs.total_size_bytes", outputs.total_size_bytes, right.total_size_bytes),
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
