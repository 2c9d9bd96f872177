//! `browser_tabs`: lists, opens, closes and selects the tabs of the session.

use fumi_kernel::{Cx, Effect, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ACTS, DefaultExpectation,
    browser_navigate::with_scheme,
    errors::BrowserCallError,
    on_tab::{EmptyAnswer, TabContext, TabTool},
    playwright::{self, CodeLine},
    texts,
};

#[derive(Debug)]
pub struct TabsTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    pub action: TabAction,
    /// The index of the tab, from 0; `close` uses the current tab by default.
    pub index: Option<usize>,
    /// The URL that a new tab opens.
    pub url: Option<String>,
}

/// An operation on tabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TabAction {
    /// Only lists the tabs.
    List,
    /// Opens a tab.
    New,
    /// Closes a tab.
    Close,
    /// Makes a tab the current one.
    Select,
}

impl TabTool for TabsTool {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_tabs",
        texts: texts!("browser_tabs"),
        example: r#"{"action": "list"}"#,
        // A read-only caller may only list the tabs.
        effect: Effect::Session,
        ..ACTS
    };
    const DESPITE_DIALOG: bool = true;
    const REPORTS_URL: bool = true;
    type Args = Args;
    type TabAnswer = EmptyAnswer;

    fn expects(args: &Args) -> DefaultExpectation {
        match args.action {
            // A caller that lists the tabs wants the list and knows the page.
            TabAction::List => DefaultExpectation::TabList,
            _ => DefaultExpectation::Arrival,
        }
    }

    fn code(args: &Args) -> Vec<CodeLine> {
        let at = args.index.unwrap_or_default();
        let line = match (args.action, args.index) {
            (TabAction::List, _) => return Vec::new(),
            (TabAction::New, _) => {
                let goto = address(args).map(|url| format!(".then(page => page.goto({}))", playwright::quoted(url)));
                format!("page.context().newPage(){}", goto.unwrap_or_default())
            }
            (TabAction::Close, None) => "page.close()".to_owned(),
            (TabAction::Close, Some(_)) => format!("page.context().pages()[{at}].close()"),
            (TabAction::Select, _) => format!("page.context().pages()[{at}].bringToFront()"),
        };
        vec![CodeLine::raw(&line, Vec::new())]
    }

    fn check(args: &Args, _cx: &Cx) -> Result<(), ToolError> {
        address(args).filter(|_| args.action == TabAction::New).map_or(Ok(()), with_scheme)
    }

    async fn act(args: Args, on: &mut TabContext<'_>, cx: &Cx) -> Result<EmptyAnswer, ToolError> {
        if args.action != TabAction::List {
            cx.caller.access.check_write(
                || "browser_tabs can only list the tabs".to_owned(),
                || "browser_tabs ではタブの一覧だけが使えます".to_owned(),
            )?;
        }
        match args.action {
            TabAction::List => {}
            TabAction::New => drop(on.tabs.open(address(&args)).await?),
            TabAction::Close => on.tabs.close(args.index).await?,
            TabAction::Select => {
                let index = args.index.ok_or(BrowserCallError::ActionNeeds { action: "select", argument: "index" })?;
                on.tabs.select(index).await?;
            }
        }
        Ok(EmptyAnswer {})
    }
}

/// Returns the URL for a new tab. An empty URL counts as absent.
fn address(args: &Args) -> Option<&str> {
    args.url.as_deref().filter(|url| !url.is_empty())
}
