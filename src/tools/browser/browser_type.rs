//! `browser_type`: types into an element as a keyboard does.

use fumi_browser::Typing;
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
pub struct TypeTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The element to type into.
    pub target: TargetArg,
    /// The text to type.
    pub text: String,
    /// True to press Enter afterwards.
    #[serde(default)]
    pub submit: bool,
    /// True to type key by key, with all events of each key.
    #[serde(default)]
    pub slowly: bool,
}

impl TabTool for TypeTool {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_type",
        texts: texts!("browser_type"),
        example: r##"{"target": "#search", "text": "fumi", "submit": true}"##,
        ..ACTS
    };
    const SKIPS_SETTLING: bool = true;
    type Args = Args;
    type TabAnswer = FillOutput;

    fn expects(args: &Args) -> DefaultExpectation {
        // The Enter key is the part that may change the page.
        if args.submit { DefaultExpectation::Act } else { DefaultExpectation::MinorAct }
    }

    fn code(args: &Args) -> Vec<CodeLine> {
        let call = if args.slowly { "pressSequentially" } else { "fill" };
        let text = playwright::quoted(&args.text);
        let mut lines = vec![CodeLine::on(args.target.target(), &format!("{call}({text})"))];
        if args.submit {
            lines.push(CodeLine::on(args.target.target(), "press('Enter')"));
        }
        lines
    }

    async fn act(args: Args, on: &mut TabContext<'_>, _cx: &Cx) -> Result<FillOutput, ToolError> {
        let typing = Typing { text: args.text, slowly: args.slowly, submit: args.submit };
        Ok(on.tab.type_text(&args.target.target(), &typing).await?.into())
    }
}
