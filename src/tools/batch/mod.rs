//! Tools that run other tools: several calls in one.
//!
//! They only return a plan; the kernel checks and runs it, so that a step is a call like any other.

pub mod batch_execute;
pub mod browser_batch_execute;

use fumi_kernel::{Effect, SharedOption, ToolFamily, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The properties that the batch tools share.
pub static FAMILY: ToolFamily = ToolFamily {
    is_open_world: true,
    // A step may contain a manuscript, which is the longest text that any family accepts.
    max_string_bytes: 4 << 20,
    ..ToolFamily::new("batch")
};

/// The base specification of both tools. They need no slot of the pool, and the timeout is that of all steps together.
const BASE: ToolSpec = ToolSpec {
    options: &[SharedOption::Project, SharedOption::Timeout],
    timeout: std::time::Duration::from_mins(30),
    effect: Effect::OfSteps,
    ..ToolSpec::base("code", &FAMILY)
};

/// One step of a batch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Step {
    tool: String,
    #[serde(default)]
    arguments: Map<String, Value>,
    #[serde(default)]
    continue_on_error: bool,
    /// The expectation of this step, checked by the kernel as for every call.
    expectation: Option<Map<String, Value>>,
}

impl From<Step> for fumi_kernel::batch::PlannedStep {
    fn from(step: Step) -> Self {
        Self {
            tool: step.tool,
            arguments: step.arguments,
            continue_on_error: step.continue_on_error,
            expectation: step.expectation.map(Value::Object),
        }
    }
}
