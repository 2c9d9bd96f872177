//! `browser_wait_for`: waits until a text appears or disappears, or for a time.

use std::time::Duration;

use fumi_base::text::Locale;
use fumi_browser::{LineQuery, Wait};
use fumi_kernel::{ArgumentRule, Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    DefaultExpectation, LOOKS, limits,
    on_tab::{TabAnswer, TabContext, TabTool},
    playwright::{self, CodeLine},
    texts,
};

#[derive(Debug)]
pub struct WaitFor;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// The time in seconds: to wait, or as the timeout of a text.
    #[schemars(range(min = 0, max = 30))]
    pub time: Option<f64>,
    /// A text that must appear.
    #[schemars(length(min = 1))]
    pub text: Option<String>,
    /// A text that must disappear.
    #[schemars(length(min = 1))]
    pub text_gone: Option<String>,
}

/// The maximum number of lines that are returned for the awaited text.
const LINES: usize = 2;

#[derive(Debug, Serialize, JsonSchema)]
pub struct WaitForOutput {
    /// The lines of the snapshot that contain the awaited text, with their refs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<String>,
}

impl TabAnswer for WaitForOutput {
    fn text(&self, _locale: Locale) -> String {
        self.lines.join("\n")
    }
}

impl TabTool for WaitFor {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_wait_for",
        texts: texts!("browser_wait_for"),
        example: r#"{"text": "Saved"}"#,
        rules: &[ArgumentRule::AnyOf(&["time", "text", "textGone"])],
        // Longer than the tool itself may wait.
        timeout: Duration::from_secs(40),
        ..LOOKS
    };
    const EXPECTS: DefaultExpectation = DefaultExpectation::MinorAct;
    type Args = Args;
    type TabAnswer = WaitForOutput;

    fn code(args: &Args) -> Vec<CodeLine> {
        let wait = |text: &String, state: &str| {
            let text = playwright::quoted(text);
            CodeLine::page(&format!("getByText({text}).first().waitFor({{ state: '{state}' }})"))
        };
        let time = args.time.map(|time| CodeLine::page(&format!("waitForTimeout({})", time * 1_000.0)));
        let gone = args.text_gone.as_ref().map(|text| wait(text, "hidden"));
        let there = args.text.as_ref().map(|text| wait(text, "visible"));
        [time, gone, there].into_iter().flatten().collect()
    }

    async fn act(args: Args, on: &mut TabContext<'_>, cx: &Cx) -> Result<WaitForOutput, ToolError> {
        let wait =
            Wait { time: args.time.map(Duration::from_secs_f64), text: args.text.clone(), text_gone: args.text_gone };
        on.tab.wait_for(&wait).await?;
        let lines = match args.text {
            // The text has appeared, so an error of this search is not an error of the wait.
            Some(text) => on.tab.find(&LineQuery::Text(text)).await.unwrap_or_default().lines,
            None => Vec::new(),
        };
        // The next act must not report as its own effect what the caller has waited for. A caller that wants changes gets
        // them relative to the state before the wait.
        if !cx.expectation.snapshot && on.tab.has_snapshot() {
            on.tab.renew_snapshot().await;
        }
        let lines = lines.iter().take(LINES).map(|line| limits::truncate_row(line)).collect();
        Ok(WaitForOutput { lines })
    }
}
