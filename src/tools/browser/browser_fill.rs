//! `browser_fill`: sets the value of one field at once.

use fumi_kernel::{Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ACTS, DefaultExpectation,
    fill_reply::FillOutput,
    on_tab::{TabContext, TabTool},
    playwright::{self, CodeLine},
    target::TargetArg,
    texts,
};

#[derive(Debug)]
pub struct Fill;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The field to set.
    pub target: TargetArg,
    /// The new value of the field.
    pub value: String,
}

impl TabTool for Fill {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_fill",
        texts: texts!("browser_fill"),
        example: r##"{"target": "#user", "value": "Mika"}"##,
        ..ACTS
    };
    const EXPECTS: DefaultExpectation = DefaultExpectation::MinorAct;
    const SKIPS_SETTLING: bool = true;
    type Args = Args;
    type TabAnswer = FillOutput;

    fn code(args: &Args) -> Vec<CodeLine> {
        let value = playwright::quoted(&args.value);
        vec![CodeLine::on(args.target.target(), &format!("fill({value})"))]
    }

    async fn act(args: Args, on: &mut TabContext<'_>, _cx: &Cx) -> Result<FillOutput, ToolError> {
        Ok(on.tab.fill(&args.target.target(), &args.value).await?.into())
    }
}
