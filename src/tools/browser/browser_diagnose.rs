//! `browser_diagnose`: whether there is a Chromium, how it fares, and what to do if it does not.

use fumi_base::{expectation::Expectation, text::Locale};
use fumi_browser::Diagnosis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BrowserDeps, LOOKS, expected, texts};
use crate::tool::{Cx, Outcome, Render, Spec, Tool, ToolError};

/// See the module.
#[derive(Debug)]
pub struct Diagnose;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The session that goes on with; nothing is looked up by it.
    browser_session: Option<String>,
}

/// What it answers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Whether there is a Chromium to use.
    success: bool,
    /// Where it lies.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    /// Whether it runs; it is started by the first call that needs it.
    running: bool,
    flags: Vec<String>,
    /// Sessions that have one.
    contexts: usize,
    tabs: usize,
    /// Of all its processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_crash: Option<String>,
    /// What to do now, if there is something.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    browser_session: Option<String>,
}

impl Output {
    fn new(diagnosis: Diagnosis, browser_session: Option<String>, locale: Locale) -> Self {
        Self {
            success: diagnosis.path.is_some(),
            advice: advice(&diagnosis, locale),
            path: diagnosis.path.map(|path| path.to_string_lossy().into_owned()),
            version: diagnosis.version,
            running: diagnosis.running,
            flags: diagnosis.flags,
            contexts: diagnosis.contexts,
            tabs: diagnosis.tabs,
            memory_bytes: diagnosis.memory_bytes,
            last_crash: diagnosis.last_crash,
            browser_session,
        }
    }
}

/// The next step of somebody whose browser does not do what it should.
fn advice(diagnosis: &Diagnosis, locale: Locale) -> Option<&'static str> {
    let (en, ja) = if diagnosis.path.is_none() {
        (
            "No Chromium was found: install one (Debian: apt install chromium), or name it in the configuration ([browser] path).",
            "Chromium が見つかりません。インストールするか（Debian なら apt install chromium）、設定の [browser] path で場所を指定してください。",
        )
    } else if diagnosis.last_crash.is_some() {
        (
            "Chromium crashed and is started again by the next call. Its tabs are gone: begin with browser_navigate.",
            "Chromium が異常終了しました。次の呼び出しで自動的に起動し直しますが、タブは失われています。browser_navigate から始めてください。",
        )
    } else {
        return None;
    };
    Some(match locale {
        Locale::En => en,
        Locale::Ja => ja,
    })
}

impl Tool for Diagnose {
    const SPEC: Spec = Spec {
        name: "browser_diagnose",
        texts: texts!("browser_diagnose"),
        ..LOOKS
    };
    type Deps = BrowserDeps;
    type Args = Args;
    type Output = Output;

    fn expects(_args: &Args) -> Expectation {
        expected::answering()
    }

    async fn call(args: Args, deps: &BrowserDeps, cx: &Cx) -> Result<Outcome<Output>, ToolError> {
        let diagnosis = deps.browser.diagnose().await;
        let output = Output::new(diagnosis, args.browser_session, cx.locale());
        Ok(Outcome::Done(output))
    }
}

impl Render for Output {
    fn text(&self, _locale: Locale) -> String {
        let path = self.path.as_deref().unwrap_or("-");
        let version = self.version.as_deref().unwrap_or("-");
        let memory = self.memory_bytes.map(|bytes| format!(", {} MiB", bytes >> 20));
        let mut lines = vec![
            format!("Chromium: {path} ({version})"),
            format!(
                "running: {}, contexts: {}, tabs: {}{}",
                self.running,
                self.contexts,
                self.tabs,
                memory.unwrap_or_default()
            ),
            format!("flags: {}", self.flags.join(" ")),
        ];
        lines.extend(self.last_crash.as_ref().map(|crash| format!("last crash: {crash}")));
        lines.extend(self.advice.map(str::to_owned));
        lines.join("\n")
    }
}
