//! `browser_snapshot`: returns the page as a tree of roles and names, with a ref for each element that can be acted on.

use fumi_base::expectation::Expectation;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    LOOKS, expected,
    on_tab::{Nothing, On, Scope, TabTool},
    target::Named,
    texts,
};
use crate::tool::{Cx, Spec, ToolError};

#[derive(Debug)]
pub struct Snapshot;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// Only below this element.
    pub target: Option<Named>,
    /// Levels of the tree.
    #[schemars(range(min = 1))]
    pub depth: Option<u32>,
    /// With places and sizes.
    #[serde(default)]
    pub boxes: bool,
}

impl TabTool for Snapshot {
    const SPEC: Spec = Spec {
        name: "browser_snapshot",
        texts: texts!("browser_snapshot"),
        ..LOOKS
    };
    const SAYS_PLACE: bool = true;
    const IS_LOOK: bool = true;
    const CHANGES: usize = expected::WHOLE;
    type Args = Args;
    type Done = Nothing;

    fn expects(_args: &Args) -> Expectation {
        expected::seeing()
    }

    fn scope(args: &Args) -> Scope {
        Scope {
            target: args.target.as_ref().map(Named::target),
            depth: args.depth,
            boxes: args.boxes,
        }
    }

    async fn act(_args: Args, _on: &mut On<'_>, _cx: &Cx) -> Result<Nothing, ToolError> {
        // The observation itself is the answer.
        Ok(Nothing {})
    }
}
