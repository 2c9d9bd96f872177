//! `browser_resize`: sets the size of the viewport.

use fumi_base::expectation::Expectation;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ACTS, expected,
    on_tab::{Nothing, On, TabTool},
    playwright::Line,
    texts,
};
use crate::tool::{Cx, Spec, ToolError};

#[derive(Debug)]
pub struct Resize;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// CSS pixels.
    #[schemars(range(min = 1, max = 10_000))]
    pub width: u32,
    /// CSS pixels.
    #[schemars(range(min = 1, max = 10_000))]
    pub height: u32,
}

impl TabTool for Resize {
    const SPEC: Spec = Spec {
        name: "browser_resize",
        texts: texts!("browser_resize"),
        example: r#"{"width": 390, "height": 844}"#,
        ..ACTS
    };
    type Args = Args;
    type Done = Nothing;

    fn expects(_args: &Args) -> Expectation {
        expected::touching()
    }

    fn code(args: &Args) -> Vec<Line> {
        let Args { width, height } = args;
        vec![Line::page(&format!(
            "setViewportSize({{ width: {width}, height: {height} }})"
        ))]
    }

    async fn act(args: Args, on: &mut On<'_>, _cx: &Cx) -> Result<Nothing, ToolError> {
        on.tab.resize(args.width, args.height).await?;
        Ok(Nothing {})
    }
}
