//! Tools that run other tools: several calls in one.
//!
//! They only say what is to be done; the kernel checks and runs it, so that a step is a call like any other.

pub mod batch_execute;
pub mod browser_batch_execute;

use fumi_base::pools::Pool;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::tool::{self, Effect, SharedOption, ToolFamily, ToolSpec, ToolTextFiles};

/// What tools that run others have in common.
pub static FAMILY: ToolFamily = ToolFamily {
    name: "batch",
    renamed: &[],
    normalise: None,
    is_open_world: true,
    // A step may bring a manuscript, which is the longest that any family takes.
    max_string_bytes: 4 << 20,
    subject: &[],
    project: None,
    details: &[],
    book: None,
    unlisted: &[],
    guides: None,
};

/// What both tools say of themselves. The pool is never asked for a place, and the timeout is that of the steps together.
const BASE: ToolSpec = ToolSpec {
    name: "",
    aliases: &[],
    toolset: "code",
    other_toolsets: &[],
    family: &FAMILY,
    listed: true,
    texts: ToolTextFiles { en: "", ja: "" },
    example: "",
    options: &[SharedOption::Project, SharedOption::Timeout],
    rules: &[],
    pool: Pool::Analysis,
    exclusive: false,
    timeout: std::time::Duration::from_mins(30),
    cached: false,
    effect: Effect::OfSteps,
};

/// One call.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Step {
    tool: String,
    #[serde(default)]
    arguments: Map<String, Value>,
    #[serde(default)]
    continue_on_error: bool,
    /// Checked by the kernel, as that of every call.
    expectation: Option<Map<String, Value>>,
}

impl From<Step> for tool::batch::PlannedStep {
    fn from(step: Step) -> Self {
        Self {
            tool: step.tool,
            arguments: step.arguments,
            continue_on_error: step.continue_on_error,
            expectation: step.expectation.map(Value::Object),
        }
    }
}
