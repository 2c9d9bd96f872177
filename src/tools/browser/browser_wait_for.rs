//! `browser_wait_for`: waits until a text appears or disappears, or for a time.

use std::time::Duration;

use fumi_base::{expectation::Expectation, text::Locale};
use fumi_browser::{Find, Wait};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LOOKS, expected, length,
    on_tab::{Done, On, TabTool},
    playwright::{self, Line},
    texts,
};
use crate::tool::{Cx, Rule, Spec, ToolError};

#[derive(Debug)]
pub struct WaitFor;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// Seconds.
    #[schemars(range(min = 0, max = 30))]
    pub time: Option<f64>,
    /// Until this is there.
    #[schemars(length(min = 1))]
    pub text: Option<String>,
    /// Until this is gone.
    #[schemars(length(min = 1))]
    pub text_gone: Option<String>,
}

/// The maximum number of lines that are returned for the awaited text.
const LINES: usize = 2;

/// What it answers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Waited {
    /// Lines of the snapshot with the text that was waited for, with their refs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<String>,
}

impl Done for Waited {
    fn text(&self, _locale: Locale) -> String {
        self.lines.join("\n")
    }
}

impl TabTool for WaitFor {
    const SPEC: Spec = Spec {
        name: "browser_wait_for",
        texts: texts!("browser_wait_for"),
        example: r#"{"text": "Saved"}"#,
        rules: &[Rule::AnyOf(&["time", "text", "textGone"])],
        // Longer than the tool itself may wait.
        timeout: Duration::from_secs(40),
        ..LOOKS
    };
    type Args = Args;
    type Done = Waited;

    fn expects(_args: &Args) -> Expectation {
        expected::touching()
    }

    fn code(args: &Args) -> Vec<Line> {
        let wait = |text: &String, state: &str| {
            let text = playwright::quoted(text);
            Line::page(&format!("getByText({text}).first().waitFor({{ state: '{state}' }})"))
        };
        let time = args
            .time
            .map(|time| Line::page(&format!("waitForTimeout({})", time * 1_000.0)));
        let gone = args.text_gone.as_ref().map(|text| wait(text, "hidden"));
        let there = args.text.as_ref().map(|text| wait(text, "visible"));
        [time, gone, there].into_iter().flatten().collect()
    }

    async fn act(args: Args, on: &mut On<'_>, _cx: &Cx) -> Result<Waited, ToolError> {
        let wait = Wait {
            time: args.time.map(Duration::from_secs_f64),
            text: args.text.clone(),
            text_gone: args.text_gone,
        };
        on.tab.wait_for(&wait).await?;
        let lines = match args.text {
            // The text has appeared, so an error of this search is not an error of the wait.
            Some(text) => on.tab.find(&Find::Text(text)).await.unwrap_or_default().lines,
            None => Vec::new(),
        };
        let lines = lines.iter().take(LINES).map(|line| length::row(line)).collect();
        Ok(Waited { lines })
    }
}
