//! The adapter of the browser tools: a [`TabTool`] does one thing on a tab, [`OnTab`] makes a tool of it.
//!
//! [`OnTab`] finds the session, waits for the lock on its tabs, returns an error while a dialog blocks the page, runs
//! the tool, and observes the tab afterwards. Only this module reads `expectation`, so that unwanted parts are not
//! computed.

use std::{marker::PhantomData, sync::Arc};

use fumi_base::{expectation::Expectation, text::Locale};
use fumi_browser::{BrowserError, PopupMode, SessionTabs, Tab, Target};
use fumi_kernel::{Block, Cx, ExclusiveGuard, Tool, ToolError, ToolOutcome, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;

use super::{
    BrowserDeps, DefaultExpectation,
    observe::{ObserveOptions, observe},
    playwright::{self, CodeLine},
    reply::BrowserReply,
    tab_lease::TabLease,
};

/// One operation on a tab. The file that implements the trait is the whole tool; its texts are in files beside it.
pub trait TabTool: Send + Sync + 'static {
    /// The tool's entry in the catalogue.
    const SPEC: ToolSpec;
    /// The tool's own arguments, without those that every browser tool takes.
    type Args: DeserializeOwned + JsonSchema + Send + Sync + 'static;
    /// The tool's own answer, without the observation.
    type TabAnswer: TabAnswer;

    /// True if the tool works while a dialog blocks the page.
    const DESPITE_DIALOG: bool = false;
    /// True if the reply always contains URL and title, even if they did not change.
    const REPORTS_URL: bool = false;
    /// True if the snapshot is the purpose of the call: then a failed snapshot fails the call. For other tools the act
    /// is done in any case, and the reply states why the snapshot is missing.
    const IS_SNAPSHOT_TOOL: bool = false;
    /// True if the tool finds its element itself on a page that has not settled, and need not wait for the page to
    /// settle if another step follows at once.
    const SKIPS_SETTLING: bool = false;
    /// The parts of the reply, if they do not depend on the arguments.
    const EXPECTS: DefaultExpectation = DefaultExpectation::Answer;

    /// Returns the default expectation of the tool's reply.
    fn expects(_args: &Self::Args) -> DefaultExpectation {
        Self::EXPECTS
    }

    /// Returns the part of the page that the snapshot shows.
    fn scope(_args: &Self::Args) -> SnapshotScope {
        SnapshotScope::default()
    }

    /// Returns the Playwright lines that do the same.
    fn code(_args: &Self::Args) -> Vec<CodeLine> {
        Vec::new()
    }

    /// Checks what can be checked before the browser is used: a path that leads outside the project, a file that may
    /// not be written.
    fn check(_args: &Self::Args, _cx: &Cx) -> Result<(), ToolError> {
        Ok(())
    }

    /// Runs the operation on the tab.
    fn act(
        args: Self::Args,
        on: &mut TabContext<'_>,
        cx: &Cx,
    ) -> impl Future<Output = Result<Self::TabAnswer, ToolError>> + Send;
}

/// The session's tabs and the current tab, on which a tool acts.
#[derive(Debug)]
pub struct TabContext<'t> {
    /// The session's tabs, locked for the duration of the call.
    pub tabs: &'t mut SessionTabs,
    pub tab: Arc<Tab>,
}

/// The part of a page that a snapshot shows.
#[derive(Debug, Default)]
pub struct SnapshotScope {
    /// The element below which the snapshot starts; the whole page if `None`.
    pub target: Option<Target>,
    /// The number of levels of the tree.
    pub depth: Option<u32>,
    /// True to include positions and sizes.
    pub boxes: bool,
}

/// A tool's own answer, without the observation.
pub trait TabAnswer: Serialize + JsonSchema + Send + Sync + 'static {
    /// True if the answer always stands below a heading, because the page chooses its text.
    const HAS_HEADING: bool = false;

    /// Returns the compact form for a model; empty if the answer has no content.
    fn text(&self, _locale: Locale) -> String {
        String::new()
    }

    /// Returns images to send beside the text.
    fn blocks(&self) -> Vec<Block> {
        Vec::new()
    }
}

/// The answer of a tool that has none of its own: its reply consists of the observation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EmptyAnswer {}

impl TabAnswer for EmptyAnswer {}

/// The arguments that every browser tool takes, and those of this tool.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct BrowserArgs<A> {
    #[serde(flatten)]
    own: A,
    /// The handle of the session.
    browser_session: Option<String>,
}

/// The arguments of a tool that takes none of its own.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct NoArgs {}

/// The adapter that makes a tool of a [`TabTool`].
#[derive(Debug)]
pub struct OnTab<T>(PhantomData<T>);

impl<T: TabTool> Tool for OnTab<T> {
    const SPEC: ToolSpec = T::SPEC;
    type Deps = BrowserDeps;
    type Args = BrowserArgs<T::Args>;
    type Output = BrowserReply<T::TabAnswer>;

    fn expects(args: &Self::Args) -> Expectation {
        T::expects(&args.own).into()
    }

    async fn acquire_exclusive(
        args: &Self::Args,
        deps: &BrowserDeps,
        cx: &Cx,
    ) -> Result<Option<ExclusiveGuard>, ToolError> {
        T::check(&args.own, cx)?;
        let turn = TabLease::wait(deps, cx, args.browser_session.as_deref()).await?;
        Ok(Some(Box::new(turn)))
    }

    async fn call(args: Self::Args, _deps: &BrowserDeps, cx: &Cx) -> Result<ToolOutcome<Self::Output>, ToolError> {
        let mut turn = TabLease::take(cx)?;
        let is_handle_news = args.browser_session.is_none() && cx.caller.session.is_none();
        let answer = tokio::select! {
            biased;
            answer = Self::answer(args.own, &mut turn, cx) => answer,
            // The code below does not check the cancellation token. The caller is informed that the call was cancelled.
            () = cx.cancel.cancelled() => Err(ToolError::internal()),
        };
        // A client without a session of its own finds the same browser again, even after an error.
        let named = |error: ToolError| error.with_detail("browser_session", json!(turn.handle()));
        let answer = answer.map(|reply| BrowserReply { is_handle_news, ..reply });
        answer.map(ToolOutcome::Done).map_err(named)
    }
}

impl<T: TabTool> OnTab<T> {
    async fn answer(args: T::Args, turn: &mut TabLease, cx: &Cx) -> Result<BrowserReply<T::TabAnswer>, ToolError> {
        let tab = turn.tabs().current().await?;
        if !T::DESPITE_DIALOG
            && let Some(dialog) = tab.dialog()
        {
            return Err(BrowserError::DialogOpen { kind: dialog.kind, message: dialog.message }.into());
        }
        // No observation follows before the next call: another step comes at once, or the tool leaves the page as it
        // is.
        let default = T::expects(&args);
        let leaves = Expectation::from(default).include_snapshot == Some(false);
        tab.set_hurried(T::SKIPS_SETTLING && !cx.expectation.snapshot && (cx.is_followed || leaves));
        tab.set_popup_mode(match (cx.expectation.no_snapshot, cx.is_followed) {
            (true, _) => PopupMode::Ignored,
            (false, true) => PopupMode::Seen,
            (false, false) => PopupMode::Awaited,
        });
        if !T::SKIPS_SETTLING {
            tab.settle_pending().await?;
        }
        let code = if cx.expectation.code { playwright::lines(&tab, &T::code(&args)).await } else { None };
        let look = ObserveOptions {
            began: Arc::clone(&tab),
            wanted: &cx.expectation,
            scope: T::scope(&args),
            says_place: T::REPORTS_URL,
            changes: default.change_tokens(),
            is_answer: T::IS_SNAPSHOT_TOOL,
            locale: cx.locale(),
        };
        // Changes need an earlier snapshot to compare with; a page that was navigated to is shown whole.
        if look.reports_changes() && !T::REPORTS_URL && !T::DESPITE_DIALOG {
            tab.ensure_snapshot().await;
        }
        let on = &mut TabContext { tabs: turn.tabs(), tab };
        let done = T::act(args, on, cx).await?;
        let seen = observe(turn.tabs(), &look, cx).await?;
        Ok(BrowserReply {
            success: true,
            done,
            seen,
            code,
            browser_session: turn.report_handle(),
            is_handle_news: true,
        })
    }
}
