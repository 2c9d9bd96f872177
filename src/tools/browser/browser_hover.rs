//! `browser_hover`: moves the pointer over an element or to a point.

use fumi_base::expectation::Expectation;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ACTS, expected,
    on_tab::{Nothing, On, TabTool},
    playwright::Line,
    target::{Named, aim},
    texts,
};
use crate::tool::{Cx, Rule, Spec, ToolError};

#[derive(Debug)]
pub struct Hover;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// What to hover over.
    pub target: Option<Named>,
    /// Where to hover instead, in CSS pixels of the viewport.
    pub coordinate: Option<[f64; 2]>,
}

impl TabTool for Hover {
    const SPEC: Spec = Spec {
        name: "browser_hover",
        texts: texts!("browser_hover"),
        example: r#"{"target": "text=Products"}"#,
        rules: &[Rule::ExactlyOne(&["target", "coordinate"])],
        ..ACTS
    };
    const IS_HASTY: bool = true;
    type Args = Args;
    type Done = Nothing;

    fn expects(_args: &Args) -> Expectation {
        expected::touching()
    }

    fn code(args: &Args) -> Vec<Line> {
        vec![match (&args.target, args.coordinate) {
            (Some(target), _) => Line::on(target.target(), "hover()"),
            (None, place) => {
                let [x, y] = place.unwrap_or_default();
                Line::page(&format!("mouse.move({x}, {y})"))
            }
        }]
    }

    async fn act(args: Args, on: &mut On<'_>, _cx: &Cx) -> Result<Nothing, ToolError> {
        on.tab.hover(&aim(args.target.as_ref(), args.coordinate)).await?;
        Ok(Nothing {})
    }
}
