//! `browser_drag`: drags one element onto another.

use fumi_browser::Aim;
use fumi_kernel::{Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ACTS, DefaultExpectation,
    on_tab::{EmptyAnswer, TabContext, TabTool},
    playwright::{CodeLine, LOCATOR},
    target::TargetArg,
    texts,
};

#[derive(Debug)]
pub struct Drag;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// The element to drag.
    pub start_target: TargetArg,
    /// The element to drop it on.
    pub end_target: TargetArg,
}

impl TabTool for Drag {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_drag",
        texts: texts!("browser_drag"),
        example: r#"{"startTarget": "text=Task 1", "endTarget": "text=Done"}"#,
        ..ACTS
    };
    const EXPECTS: DefaultExpectation = DefaultExpectation::Act;
    type Args = Args;
    type TabAnswer = EmptyAnswer;

    fn code(args: &Args) -> Vec<CodeLine> {
        let call = format!("page.{LOCATOR}.dragTo(page.{LOCATOR})");
        vec![CodeLine::raw(&call, vec![args.start_target.target(), args.end_target.target()])]
    }

    async fn act(args: Args, on: &mut TabContext<'_>, _cx: &Cx) -> Result<EmptyAnswer, ToolError> {
        let (from, to) = (args.start_target.target(), args.end_target.target());
        on.tab.drag(&Aim::Target(from), &Aim::Target(to)).await?;
        Ok(EmptyAnswer {})
    }
}
