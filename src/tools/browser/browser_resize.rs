//! `browser_resize`: sets the size of the viewport.

use fumi_kernel::{Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ACTS, DefaultExpectation,
    on_tab::{EmptyAnswer, TabContext, TabTool},
    playwright::CodeLine,
    texts,
};

#[derive(Debug)]
pub struct Resize;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    #[schemars(range(min = 1, max = 10_000))]
    pub width: u32,
    #[schemars(range(min = 1, max = 10_000))]
    pub height: u32,
}

impl TabTool for Resize {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_resize",
        texts: texts!("browser_resize"),
        example: r#"{"width": 390, "height": 844}"#,
        ..ACTS
    };
    const EXPECTS: DefaultExpectation = DefaultExpectation::MinorAct;
    type Args = Args;
    type TabAnswer = EmptyAnswer;

    fn code(args: &Args) -> Vec<CodeLine> {
        let Args { width, height } = args;
        vec![CodeLine::page(&format!("setViewportSize({{ width: {width}, height: {height} }})"))]
    }

    async fn act(args: Args, on: &mut TabContext<'_>, _cx: &Cx) -> Result<EmptyAnswer, ToolError> {
        on.tab.resize(args.width, args.height).await?;
        Ok(EmptyAnswer {})
    }
}
