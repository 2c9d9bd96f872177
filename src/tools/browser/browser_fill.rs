//! `browser_fill`: sets the value of one field at once.

use fumi_base::expectation::Expectation;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ACTS, expected,
    filled::Filled,
    on_tab::{On, TabTool},
    playwright::{self, Line},
    target::Named,
    texts,
};
use crate::tool::{Cx, Spec, ToolError};

#[derive(Debug)]
pub struct Fill;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The field.
    pub target: Named,
    /// What it holds afterwards.
    pub value: String,
}

impl TabTool for Fill {
    const SPEC: Spec = Spec {
        name: "browser_fill",
        texts: texts!("browser_fill"),
        example: r##"{"target": "#user", "value": "Mika"}"##,
        ..ACTS
    };
    const IS_HASTY: bool = true;
    type Args = Args;
    type Done = Filled;

    fn expects(_args: &Args) -> Expectation {
        expected::touching()
    }

    fn code(args: &Args) -> Vec<Line> {
        let value = playwright::quoted(&args.value);
        vec![Line::on(args.target.target(), &format!("fill({value})"))]
    }

    async fn act(args: Args, on: &mut On<'_>, _cx: &Cx) -> Result<Filled, ToolError> {
        Ok(on.tab.fill(&args.target.target(), &args.value).await?.into())
    }
}
