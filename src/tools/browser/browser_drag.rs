//! `browser_drag`: drags one element onto another.

use fumi_base::expectation::Expectation;
use fumi_browser::Aim;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ACTS, expected,
    on_tab::{Nothing, On, TabTool},
    playwright::{LOCATOR, Line},
    target::Named,
    texts,
};
use crate::tool::{Cx, Spec, ToolError};

#[derive(Debug)]
pub struct Drag;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// What is dragged.
    pub start_target: Named,
    /// Where it is dropped.
    pub end_target: Named,
}

impl TabTool for Drag {
    const SPEC: Spec = Spec {
        name: "browser_drag",
        texts: texts!("browser_drag"),
        example: r#"{"startTarget": "text=Task 1", "endTarget": "text=Done"}"#,
        ..ACTS
    };
    type Args = Args;
    type Done = Nothing;

    fn expects(_args: &Args) -> Expectation {
        expected::acting()
    }

    fn code(args: &Args) -> Vec<Line> {
        let call = format!("page.{LOCATOR}.dragTo(page.{LOCATOR})");
        vec![Line::raw(
            &call,
            vec![args.start_target.target(), args.end_target.target()],
        )]
    }

    async fn act(args: Args, on: &mut On<'_>, _cx: &Cx) -> Result<Nothing, ToolError> {
        let (from, to) = (args.start_target.target(), args.end_target.target());
        on.tab.drag(&Aim::Target(from), &Aim::Target(to)).await?;
        Ok(Nothing {})
    }
}
