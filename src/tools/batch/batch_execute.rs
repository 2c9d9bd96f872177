//! `batch_execute`: several calls of any tools in one.

use fumi_base::expectation::Expectation;
use fumi_kernel::{
    ArgumentRule, Cx, ListedParts, Tool, ToolError, ToolOutcome, ToolSpec, ToolTextFiles,
    batch::{BatchPlan, BatchReply},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{BASE, Step};
use crate::browser;

#[derive(Debug)]
pub struct BatchExecute;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    #[schemars(length(min = 1))]
    steps: Vec<Step>,
    /// True to stop at the first failure.
    #[serde(default)]
    stop_on_first_error: bool,
    /// True to run all steps at once.
    #[serde(default)]
    parallel: bool,
    /// The default expectation of the steps' replies.
    global_expectation: Option<Expectation>,
}

impl Tool for BatchExecute {
    const SPEC: ToolSpec = ToolSpec {
        name: "batch_execute",
        // Every toolset includes this tool: a test compares the list with the catalogue.
        other_toolsets: &["novel", "novel-review", "novel-steps", "novel-data", "browser"],
        texts: ToolTextFiles { en: include_str!("batch_execute.en.md"), ja: include_str!("batch_execute.ja.md") },
        example: r#"{"steps": [{"tool": "search_content", "arguments": {"query": "def main", "roots": ["src"]}}, {"tool": "check_code_scale", "arguments": {"file_path": "${steps[0].result.results[0].file}"}}]}"#,
        rules: &[ArgumentRule::Without("parallel", &["stopOnFirstError"])],
        ..BASE
    };
    const RUNS_STEPS: bool = true;
    const LISTED_PARTS: Option<ListedParts> =
        Some(ListedParts { toolset: browser::TOOLSET, argument: "globalExpectation", names: &Expectation::OF_PAGES });
    type Deps = ();
    type Args = Args;
    type Output = BatchReply;

    async fn call(args: Args, (): &(), _: &Cx) -> Result<ToolOutcome<BatchReply>, ToolError> {
        Ok(ToolOutcome::Batch(BatchPlan {
            steps: args.steps.into_iter().map(Into::into).collect(),
            stop_on_first_error: args.stop_on_first_error,
            parallel: args.parallel,
            expectation: args.global_expectation.and_then(|said| serde_json::to_value(said).ok()),
            only: None,
        }))
    }
}
