//! `browser_hover`: moves the pointer over an element or to a point.

use fumi_kernel::{ArgumentRule, Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ACTS, DefaultExpectation,
    on_tab::{EmptyAnswer, TabContext, TabTool},
    playwright::CodeLine,
    target::{TargetArg, aim},
    texts,
};

#[derive(Debug)]
pub struct Hover;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The element to hover over.
    pub target: Option<TargetArg>,
    /// The point to hover over instead, in CSS pixels of the viewport.
    pub coordinate: Option<[f64; 2]>,
}

impl TabTool for Hover {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_hover",
        texts: texts!("browser_hover"),
        example: r#"{"target": "text=Products"}"#,
        rules: &[ArgumentRule::ExactlyOne(&["target", "coordinate"])],
        ..ACTS
    };
    const EXPECTS: DefaultExpectation = DefaultExpectation::MinorAct;
    const SKIPS_SETTLING: bool = true;
    type Args = Args;
    type TabAnswer = EmptyAnswer;

    fn code(args: &Args) -> Vec<CodeLine> {
        vec![match (&args.target, args.coordinate) {
            (Some(target), _) => CodeLine::on(target.target(), "hover()"),
            (None, place) => {
                let [x, y] = place.unwrap_or_default();
                CodeLine::page(&format!("mouse.move({x}, {y})"))
            }
        }]
    }

    async fn act(args: Args, on: &mut TabContext<'_>, _cx: &Cx) -> Result<EmptyAnswer, ToolError> {
        on.tab.hover(&aim(args.target.as_ref(), args.coordinate)).await?;
        Ok(EmptyAnswer {})
    }
}
