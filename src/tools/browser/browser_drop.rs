//! `browser_drop`: drops files or data on an element, as if they came from outside the page.

use std::collections::BTreeMap;

use fumi_browser as browser;
use fumi_kernel::{ArgumentRule, Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ACTS, DefaultExpectation, artifacts,
    on_tab::{EmptyAnswer, TabContext, TabTool},
    playwright::{self, CodeLine},
    target::TargetArg,
    texts,
};

#[derive(Debug)]
pub struct DropTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The element to drop on.
    pub target: TargetArg,
    /// Paths of files in the project.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Texts, by media type.
    #[serde(default)]
    pub data: Option<BTreeMap<String, String>>,
}

impl TabTool for DropTool {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_drop",
        texts: texts!("browser_drop"),
        example: r##"{"target": "#inbox", "data": {"text/plain": "hello"}}"##,
        rules: &[ArgumentRule::AnyOf(&["paths", "data"])],
        ..ACTS
    };
    const EXPECTS: DefaultExpectation = DefaultExpectation::Act;
    type Args = Args;
    type TabAnswer = EmptyAnswer;

    fn code(args: &Args) -> Vec<CodeLine> {
        let files = (!args.paths.is_empty()).then(|| format!("files: {}", playwright::list(&args.paths)));
        let data = args.data.as_ref().map(|data| {
            let pairs =
                data.iter().map(|(kind, text)| format!("{}: {}", playwright::quoted(kind), playwright::quoted(text)));
            format!("data: {{ {} }}", pairs.collect::<Vec<_>>().join(", "))
        });
        let what: Vec<_> = files.into_iter().chain(data).collect();
        vec![CodeLine::on(args.target.target(), &format!("drop({{ {} }})", what.join(", ")))]
    }

    fn check(args: &Args, cx: &Cx) -> Result<(), ToolError> {
        artifacts::upload_paths(cx, &args.paths).map(drop)
    }

    async fn act(args: Args, on: &mut TabContext<'_>, cx: &Cx) -> Result<EmptyAnswer, ToolError> {
        let drop = browser::DropContent {
            paths: artifacts::upload_paths(cx, &args.paths)?,
            data: args.data.into_iter().flatten().collect(),
        };
        on.tab.drop_on(&args.target.target(), &drop).await?;
        Ok(EmptyAnswer {})
    }
}
