//! `browser_type`: types into an element as a keyboard does.

use fumi_base::expectation::Expectation;
use fumi_browser::Typing;
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
pub struct Type;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// Where to type.
    pub target: Named,
    /// What to type.
    pub text: String,
    /// Enter afterwards.
    #[serde(default)]
    pub submit: bool,
    /// Key by key, with all the events of each.
    #[serde(default)]
    pub slowly: bool,
}

impl TabTool for Type {
    const SPEC: Spec = Spec {
        name: "browser_type",
        texts: texts!("browser_type"),
        example: r##"{"target": "#search", "text": "fumi", "submit": true}"##,
        ..ACTS
    };
    const IS_HASTY: bool = true;
    type Args = Args;
    type Done = Filled;

    fn expects(args: &Args) -> Expectation {
        // It is the Enter key that changes a page.
        if args.submit {
            expected::acting()
        } else {
            expected::touching()
        }
    }

    fn code(args: &Args) -> Vec<Line> {
        let call = if args.slowly { "pressSequentially" } else { "fill" };
        let text = playwright::quoted(&args.text);
        let mut lines = vec![Line::on(args.target.target(), &format!("{call}({text})"))];
        if args.submit {
            lines.push(Line::on(args.target.target(), "press('Enter')"));
        }
        lines
    }

    async fn act(args: Args, on: &mut On<'_>, _cx: &Cx) -> Result<Filled, ToolError> {
        let typing = Typing {
            text: args.text,
            slowly: args.slowly,
            submit: args.submit,
        };
        Ok(on.tab.type_text(&args.target.target(), &typing).await?.into())
    }
}
