//! `browser_batch_execute`: several steps in one tab. Works as `batch_execute`, with fewer arguments.
//!
//! The tool list of the browser must stay small, so only `batch_execute` publishes the schema of `expectation`.

use fumi_kernel::{
    Cx, Tool, ToolError, ToolOutcome, ToolSpec, ToolTextFiles,
    batch::{BatchPlan, BatchReply, PlannedStep},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{BASE, Step};
use crate::browser;

#[derive(Debug)]
pub struct BrowserBatchExecute;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    #[schemars(length(min = 1))]
    steps: Vec<Step>,
    /// True to stop at the first failure, false to go on after every failure; by default each step decides.
    stop_on_first_error: Option<bool>,
    /// The default expectation of the steps' replies.
    global_expectation: Option<Map<String, Value>>,
    /// The session of steps that name none.
    #[serde(rename = "browser_session")]
    session: Option<String>,
}

impl Tool for BrowserBatchExecute {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_batch_execute",
        toolset: browser::TOOLSET,
        texts: ToolTextFiles {
            en: include_str!("browser_batch_execute.en.md"),
            ja: include_str!("browser_batch_execute.ja.md"),
        },
        example: r#"{"steps": [{"tool": "browser_navigate", "arguments": {"url": "about:blank"}}, {"tool": "browser_snapshot"}]}"#,
        ..BASE
    };
    const RUNS_STEPS: bool = true;
    type Deps = ();
    type Args = Args;
    type Output = BatchReply;

    async fn call(mut args: Args, (): &(), _: &Cx) -> Result<ToolOutcome<BatchReply>, ToolError> {
        if let Some(session) = args.session {
            for step in &mut args.steps {
                let own = step.arguments.entry("browser_session");
                own.or_insert_with(|| Value::from(session.as_str()));
            }
        }
        let mut steps: Vec<PlannedStep> = args.steps.into_iter().map(Into::into).collect();
        if args.stop_on_first_error == Some(false) {
            for step in &mut steps {
                step.continue_on_error = true;
            }
        }
        Ok(ToolOutcome::Batch(BatchPlan {
            steps,
            stop_on_first_error: args.stop_on_first_error.unwrap_or_default(),
            parallel: false,
            expectation: args.global_expectation.map(Value::Object),
            only: Some(browser::TOOLSET),
        }))
    }
}
