//! The adapter of the browser's tools: a [`TabTool`] does one thing on a tab, [`OnTab`] makes a tool of it.
//!
//! Finds the session, waits for its turn, refuses while a dialog blocks the page, acts, and observes afterwards. Only here
//! `expectation` is read, so that what nobody asked for is not computed.

use std::{marker::PhantomData, sync::Arc};

use fumi_base::{expectation::Expectation, text::Locale};
use fumi_browser::{BrowserError, Popups, Tab, Tabs, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;

use super::{
    BrowserDeps,
    observed::Observed,
    observing::{Look, observe},
    playwright::{self, Line},
    turn::Mine,
};
use crate::tool::{Block, Cx, Outcome, Spec, Tool, ToolError, Turn};

/// One thing that is done on a tab. The file that implements it is the whole tool; its texts lie beside it.
pub trait TabTool: Send + Sync + 'static {
    /// What the catalogue knows of it.
    const SPEC: Spec;
    /// What the client sends, without what every browser tool takes.
    type Args: DeserializeOwned + JsonSchema + Send + Sync + 'static;
    /// What it answers, without what was observed.
    type Done: Done;

    /// Whether it works while a dialog blocks the page.
    const DESPITE_DIALOG: bool = false;
    /// Whether its answer always says where the tab is, also when that did not change.
    const SAYS_PLACE: bool = false;
    /// Whether the snapshot is what it is called for: then a look that fails is a call that failed. Elsewhere what was done
    /// is done, and the answer says that there is no snapshot, and why.
    const IS_LOOK: bool = false;
    /// Whether it finds its element by itself also on a page that has not come to rest, and need not leave one at rest to a
    /// step that follows at once.
    const IS_HASTY: bool = false;
    /// Most tokens of what changed. After an action few, since it is looked at for what it did.
    const CHANGES: usize = 400;

    /// What its answer tells unless the caller says otherwise.
    fn expects(args: &Self::Args) -> Expectation;

    /// Which part of the page its snapshot shows.
    fn scope(_args: &Self::Args) -> Scope {
        Scope::default()
    }

    /// The same in Playwright.
    fn code(_args: &Self::Args) -> Vec<Line> {
        Vec::new()
    }

    /// Refuses what can be refused before a browser is asked: a path that leads out, a file where none may be written.
    fn check(_args: &Self::Args, _cx: &Cx) -> Result<(), ToolError> {
        Ok(())
    }

    /// Does it.
    fn act(args: Self::Args, on: &mut On<'_>, cx: &Cx) -> impl Future<Output = Result<Self::Done, ToolError>> + Send;
}

/// What a tool acts on.
#[derive(Debug)]
pub struct On<'t> {
    /// The session's tabs, ours alone for the length of the call.
    pub tabs: &'t mut Tabs,
    /// The current one.
    pub tab: Arc<Tab>,
}

/// A part of a page.
#[derive(Debug, Default)]
pub struct Scope {
    /// Below this element; the whole page without.
    pub target: Option<Target>,
    /// Levels of the tree.
    pub depth: Option<u32>,
    /// Whether places and sizes are shown.
    pub boxes: bool,
}

/// What a tool answers, beside what was observed.
pub trait Done: Serialize + JsonSchema + Send + Sync + 'static {
    /// The compact form for a model; empty where there is nothing to say.
    fn text(&self, _locale: Locale) -> String {
        String::new()
    }

    /// Images beside the text.
    fn blocks(&self) -> Vec<Block> {
        Vec::new()
    }
}

/// The answer of a tool that has none of its own: what was observed says it all.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Nothing {}

impl Done for Nothing {}

/// What every browser tool takes, and what this one does.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct With<A> {
    #[serde(flatten)]
    own: A,
    /// A session by its handle.
    browser_session: Option<String>,
}

/// No arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct NoArgs {}

/// A [`TabTool`] as a tool.
#[derive(Debug)]
pub struct OnTab<T>(PhantomData<T>);

impl<T: TabTool> Tool for OnTab<T> {
    const SPEC: Spec = T::SPEC;
    type Deps = BrowserDeps;
    type Args = With<T::Args>;
    type Output = Observed<T::Done>;

    fn expects(args: &Self::Args) -> Expectation {
        T::expects(&args.own)
    }

    async fn turn(args: &Self::Args, deps: &BrowserDeps, cx: &Cx) -> Result<Option<Turn>, ToolError> {
        T::check(&args.own, cx)?;
        let turn = Mine::wait(deps, cx, args.browser_session.as_deref()).await?;
        Ok(Some(Box::new(turn)))
    }

    async fn call(args: Self::Args, _deps: &BrowserDeps, cx: &Cx) -> Result<Outcome<Self::Output>, ToolError> {
        let mut turn = Mine::of(cx)?;
        let answer = tokio::select! {
            biased;
            answer = Self::answer(args.own, &mut turn, cx) => answer,
            // Nothing below looks at the token. What the caller is told is that the call was stopped.
            () = cx.cancel.cancelled() => Err(ToolError::internal()),
        };
        // A client without a session of its own finds the same browser again, also after a failure.
        let named = |error: ToolError| error.with_detail("browser_session", json!(turn.handle()));
        answer.map(Outcome::Done).map_err(named)
    }
}

impl<T: TabTool> OnTab<T> {
    async fn answer(args: T::Args, turn: &mut Mine, cx: &Cx) -> Result<Observed<T::Done>, ToolError> {
        let tab = turn.tabs().current().await?;
        if !T::DESPITE_DIALOG
            && let Some(dialog) = tab.dialog()
        {
            return Err(BrowserError::DialogOpen {
                kind: dialog.kind,
                message: dialog.message,
            }
            .into());
        }
        // Nobody looks before the next call: another step comes at once, or the tool is one that leaves the page as it is.
        let leaves = T::expects(&args).include_snapshot == Some(false);
        tab.hurry(T::IS_HASTY && !cx.expectation.snapshot && (cx.is_followed || leaves));
        tab.tell_popups(match (cx.expectation.no_snapshot, cx.is_followed) {
            (true, _) => Popups::Ignored,
            (false, true) => Popups::Seen,
            (false, false) => Popups::Awaited,
        });
        if !T::IS_HASTY {
            tab.at_rest().await;
        }
        let code = if cx.expectation.code {
            playwright::lines(&tab, &T::code(&args)).await
        } else {
            None
        };
        let look = Look {
            began: Arc::clone(&tab),
            wanted: &cx.expectation,
            scope: T::scope(&args),
            says_place: T::SAYS_PLACE,
            changes: T::CHANGES,
            is_answer: T::IS_LOOK,
            locale: cx.locale(),
        };
        // What a page changes into is told by what it was; an address that is gone to is told whole.
        if look.tells_changes() && !T::SAYS_PLACE && !T::DESPITE_DIALOG {
            tab.see_first().await;
        }
        let on = &mut On { tabs: turn.tabs(), tab };
        let done = T::act(args, on, cx).await?;
        let seen = observe(turn.tabs(), &look, cx).await?;
        Ok(Observed {
            success: true,
            done,
            seen,
            code,
            browser_session: turn.tell(),
        })
    }
}
