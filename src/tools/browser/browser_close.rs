//! `browser_close`: ends the session with its tabs, cookies and storage.

use fumi_base::{expectation::Expectation, text::Locale};
use fumi_kernel::{Cx, Effect, ExclusiveGuard, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ACTS, BrowserDeps, DefaultExpectation, errors::BrowserCallError, owner, tab_lease::TabLease, texts};

#[derive(Debug)]
pub struct Close;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The handle of the session; without it, the caller's own session is closed.
    browser_session: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Always true.
    success: bool,
    /// The handle of the closed session.
    browser_session: String,
}

impl Tool for Close {
    const SPEC: ToolSpec =
        ToolSpec { name: "browser_close", texts: texts!("browser_close"), effect: Effect::Session, ..ACTS };
    type Deps = BrowserDeps;
    type Args = Args;
    type Output = Output;

    fn expects(_args: &Args) -> Expectation {
        DefaultExpectation::Answer.into()
    }

    async fn acquire_exclusive(args: &Args, deps: &BrowserDeps, cx: &Cx) -> Result<Option<ExclusiveGuard>, ToolError> {
        // No session is created only to be closed.
        if args.browser_session.is_none() && cx.batch.is_none() && deps.browser.existing_session(&owner(cx)).is_none() {
            return Err(BrowserCallError::NoSessionToClose.into());
        }
        // Waits until a call that is using the session has ended.
        let turn = TabLease::wait(deps, cx, args.browser_session.as_deref()).await?;
        Ok(Some(Box::new(turn)))
    }

    async fn call(_args: Args, deps: &BrowserDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let browser_session = TabLease::take(cx)?.release();
        deps.browser.close(&owner(cx), &browser_session).await?;
        Ok(ToolOutcome::Done(Output { success: true, browser_session }))
    }
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        match locale {
            Locale::En => format!("closed: {}", self.browser_session),
            Locale::Ja => format!("閉じました: {}", self.browser_session),
        }
    }
}
