//! `browser_diagnose`: reports whether Chromium is available, how it is running, and what to do if it is not.

use fumi_base::{expectation::Expectation, text::Locale};
use fumi_browser::Diagnosis;
use fumi_kernel::{Cx, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BrowserDeps, DefaultExpectation, LOOKS, texts};

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
    const SPEC: ToolSpec = ToolSpec { name: "browser_diagnose", texts: texts!("browser_diagnose"), ..LOOKS };
    type Deps = BrowserDeps;
    type Args = Args;
    type Output = Output;

    fn expects(_args: &Args) -> Expectation {
        DefaultExpectation::Answer.into()
    }

    async fn call(args: Args, deps: &BrowserDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let diagnosis = deps.browser.diagnose().await;
        let output = Output {
            success: diagnosis.executable.is_some(),
            advice: diagnosis.advice.as_ref().map(|advice| advice.get(cx.locale()).to_owned()),
            found: diagnosis,
            browser_session: args.browser_session,
        };
        Ok(ToolOutcome::Done(output))
    }
}

impl Output {
    /// Returns the line about the program and its state.
    fn chromium(&self, locale: Locale) -> String {
        let found = &self.found;
        let Some(program) = &found.executable else {
            return match locale {
                Locale::En => "Chromium: not found".to_owned(),
                Locale::Ja => "Chromium: 見つかりません".to_owned(),
            };
        };
        let version = found.version.as_ref().map(|version| format!(" ({version})"));
        let (version, starts) = (version.unwrap_or_default(), found.starts);
        let state = match (found.running, locale) {
            (true, Locale::En) => format!("running, start {starts}"),
            (false, Locale::En) => "not running; the next call starts it".to_owned(),
            (true, Locale::Ja) => format!("動作中（{starts} 回目の起動）"),
            (false, Locale::Ja) => "停止中。次の呼び出しで起動します".to_owned(),
        };
        format!("Chromium: {program}{version}, {state}")
    }
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let found = &self.found;
        let mut lines = vec![self.chromium(locale)];
        lines.extend((!found.looked_for.is_empty()).then(|| match locale {
            Locale::En => format!("Searched: {}", found.looked_for.join(", ")),
            Locale::Ja => format!("探した場所: {}", found.looked_for.join(", ")),
        }));
        let (sessions, most, memory) = (found.sessions, found.max_sessions, found.memory_mib);
        lines.push(match locale {
            Locale::En => format!("Sessions: {sessions} of at most {most}, {memory} MiB"),
            Locale::Ja => format!("セッション: {sessions}/{most}、{memory} MiB"),
        });
        lines.extend(found.policy.then(|| match locale {
            Locale::En => "Hosts are restricted ([browser.policy])".to_owned(),
            Locale::Ja => "開けるホストが制限されています（[browser.policy]）".to_owned(),
        }));
        if let Some(crash) = &found.last_crash {
            let (ago, how, said) = (crash.seconds_ago, &crash.how, crash.said.join("\n  "));
            lines.push(match locale {
                Locale::En => format!("Last crash {ago} s ago: {how}\n  {said}"),
                Locale::Ja => format!("直近のクラッシュ（{ago} 秒前）: {how}\n  {said}"),
            });
            // The flags matter only for the cause of a crash.
            lines.extend((!found.flags.is_empty()).then(|| format!("flags: {}", found.flags.join(" "))));
        }
        lines.extend(self.advice.clone());
        lines.join("\n")
    }
}
