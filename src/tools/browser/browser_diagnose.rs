//! `browser_diagnose`: reports whether Chromium is available, how it is running, and what to do if it is not.

use fumi_base::{expectation::Expectation, text::Locale};
use fumi_browser::Diagnosis;
use fumi_kernel::{Cx, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BrowserDeps, LOOKS, default_expectation, texts};

#[derive(Debug)]
pub struct Diagnose;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The session with which the caller continues. It is not used here.
    browser_session: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// True if a Chromium can be used.
    success: bool,
    #[serde(flatten)]
    found: Diagnosis,
    /// The advice for the caller, if there is a problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    browser_session: Option<String>,
}

impl Tool for Diagnose {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_diagnose",
        texts: texts!("browser_diagnose"),
        ..LOOKS
    };
    type Deps = BrowserDeps;
    type Args = Args;
    type Output = Output;

    fn expects(_args: &Args) -> Expectation {
        default_expectation::answer_only()
    }

    async fn call(args: Args, deps: &BrowserDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let diagnosis = deps.browser.diagnose().await;
        let output = Output {
            success: diagnosis.executable.is_some(),
            advice: diagnosis
                .advice
                .as_ref()
                .map(|advice| advice.get(cx.locale()).to_owned()),
            found: diagnosis,
            browser_session: args.browser_session,
        };
        Ok(ToolOutcome::Done(output))
    }
}

impl Render for Output {
    fn text(&self, _locale: Locale) -> String {
        let found = &self.found;
        let program = found.executable.as_deref().unwrap_or("-");
        let version = found.version.as_deref().unwrap_or("-");
        let mut lines = vec![
            format!("Chromium: {program} ({version})"),
            format!(
                "running: {}, sessions: {}/{}, {} MiB",
                found.running, found.sessions, found.max_sessions, found.memory_mib
            ),
        ];
        lines.extend((!found.flags.is_empty()).then(|| format!("flags: {}", found.flags.join(" "))));
        lines.extend((!found.looked_for.is_empty()).then(|| format!("looked for: {}", found.looked_for.join(", "))));
        lines.extend(found.last_crash.as_ref().map(|crash| {
            let said = crash.said.join("\n  ");
            format!("last crash {} s ago: {}\n  {said}", crash.seconds_ago, crash.how)
        }));
        lines.extend(self.advice.clone());
        lines.join("\n")
    }
}
