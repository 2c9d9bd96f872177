//! `browser_snapshot`: returns the page as a tree of roles and names, with a ref for each element that can be acted on.

use fumi_kernel::{Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    DefaultExpectation, LOOKS,
    on_tab::{EmptyAnswer, SnapshotScope, TabContext, TabTool},
    target::TargetArg,
    texts,
};

#[derive(Debug)]
pub struct SnapshotTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The element below which the snapshot starts.
    pub target: Option<TargetArg>,
    /// The number of levels of the tree.
    #[schemars(range(min = 1))]
    pub depth: Option<u32>,
    /// True to include positions and sizes.
    #[serde(default)]
    pub boxes: bool,
}

impl TabTool for SnapshotTool {
    const SPEC: ToolSpec = ToolSpec { name: "browser_snapshot", texts: texts!("browser_snapshot"), ..LOOKS };
    const EXPECTS: DefaultExpectation = DefaultExpectation::Snapshot;
    const REPORTS_URL: bool = true;
    const IS_SNAPSHOT_TOOL: bool = true;
    type Args = Args;
    type TabAnswer = EmptyAnswer;

    fn scope(args: &Args) -> SnapshotScope {
        SnapshotScope { target: args.target.as_ref().map(TargetArg::target), depth: args.depth, boxes: args.boxes }
    }

    async fn act(_args: Args, _on: &mut TabContext<'_>, _cx: &Cx) -> Result<EmptyAnswer, ToolError> {
        // The observation itself is the answer.
        Ok(EmptyAnswer {})
    }
}
