//! `browser_drop`: drops files or data on an element, as if they came from outside the page.

use std::collections::BTreeMap;

use fumi_base::expectation::Expectation;
use fumi_browser as browser;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ACTS, expected,
    on_tab::{Nothing, On, TabTool},
    playwright::{self, Line},
    saved,
    target::Named,
    texts,
};
use crate::tool::{Cx, Rule, Spec, ToolError};

#[derive(Debug)]
pub struct Drop;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// On what.
    pub target: Named,
    /// Files of the project.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Texts by media type.
    #[serde(default)]
    pub data: Option<BTreeMap<String, String>>,
}

impl TabTool for Drop {
    const SPEC: Spec = Spec {
        name: "browser_drop",
        texts: texts!("browser_drop"),
        example: r##"{"target": "#inbox", "data": {"text/plain": "hello"}}"##,
        rules: &[Rule::AnyOf(&["paths", "data"])],
        ..ACTS
    };
    type Args = Args;
    type Done = Nothing;

    fn expects(_args: &Args) -> Expectation {
        expected::acting()
    }

    fn code(args: &Args) -> Vec<Line> {
        let files = (!args.paths.is_empty()).then(|| format!("files: {}", playwright::list(&args.paths)));
        let data = args.data.as_ref().map(|data| {
            let pairs = data
                .iter()
                .map(|(kind, text)| format!("{}: {}", playwright::quoted(kind), playwright::quoted(text)));
            format!("data: {{ {} }}", pairs.collect::<Vec<_>>().join(", "))
        });
        let what: Vec<_> = files.into_iter().chain(data).collect();
        vec![Line::on(
            args.target.target(),
            &format!("drop({{ {} }})", what.join(", ")),
        )]
    }

    fn check(args: &Args, cx: &Cx) -> Result<(), ToolError> {
        saved::given(cx, &args.paths).map(drop)
    }

    async fn act(args: Args, on: &mut On<'_>, cx: &Cx) -> Result<Nothing, ToolError> {
        let drop = browser::Dropping {
            paths: saved::given(cx, &args.paths)?,
            data: args.data.into_iter().flatten().collect(),
        };
        on.tab.drop_on(&args.target.target(), &drop).await?;
        Ok(Nothing {})
    }
}
