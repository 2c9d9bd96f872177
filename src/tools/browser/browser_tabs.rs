//! `browser_tabs`: lists, opens, closes and selects the tabs of the session.

use fumi_base::expectation::Expectation;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ACTS,
    browser_navigate::with_scheme,
    expected,
    on_tab::{Nothing, On, TabTool},
    playwright::{self, Line},
    refused::Refused,
    texts,
};
use crate::tool::{Cx, Effect, Spec, ToolError};

#[derive(Debug)]
pub struct Tabs;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// What to do.
    pub action: Action,
    /// Which tab, from 0; the current one is closed without.
    pub index: Option<usize>,
    /// What a new tab opens.
    pub url: Option<String>,
}

/// What can be done to tabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Only lists them.
    List,
    /// Opens one.
    New,
    /// Closes one.
    Close,
    /// Makes one the current.
    Select,
}

impl TabTool for Tabs {
    const SPEC: Spec = Spec {
        name: "browser_tabs",
        texts: texts!("browser_tabs"),
        example: r#"{"action": "list"}"#,
        // A read-only caller may only list the tabs.
        effect: Effect::Session,
        ..ACTS
    };
    const DESPITE_DIALOG: bool = true;
    const SAYS_PLACE: bool = true;
    const CHANGES: usize = expected::WHOLE;
    type Args = Args;
    type Done = Nothing;

    fn expects(args: &Args) -> Expectation {
        match args.action {
            // A caller that lists the tabs wants the list and knows the page.
            Action::List => expected::listing(),
            _ => expected::arriving(),
        }
    }

    fn code(args: &Args) -> Vec<Line> {
        let at = args.index.unwrap_or_default();
        let line = match (args.action, args.index) {
            (Action::List, _) => return Vec::new(),
            (Action::New, _) => {
                let goto = address(args).map(|url| format!(".then(page => page.goto({}))", playwright::quoted(url)));
                format!("page.context().newPage(){}", goto.unwrap_or_default())
            }
            (Action::Close, None) => "page.close()".to_owned(),
            (Action::Close, Some(_)) => format!("page.context().pages()[{at}].close()"),
            (Action::Select, _) => format!("page.context().pages()[{at}].bringToFront()"),
        };
        vec![Line::raw(&line, Vec::new())]
    }

    fn check(args: &Args, _cx: &Cx) -> Result<(), ToolError> {
        address(args)
            .filter(|_| args.action == Action::New)
            .map_or(Ok(()), with_scheme)
    }

    async fn act(args: Args, on: &mut On<'_>, cx: &Cx) -> Result<Nothing, ToolError> {
        if args.action != Action::List {
            cx.caller.access.may(
                || "browser_tabs can only list the tabs there".to_owned(),
                || "browser_tabs ではタブの一覧だけが使えます".to_owned(),
            )?;
        }
        match args.action {
            Action::List => {}
            Action::New => drop(on.tabs.open(address(&args)).await?),
            Action::Close => on.tabs.close(args.index).await?,
            Action::Select => {
                let index = args.index.ok_or(Refused::Needs {
                    action: "select",
                    argument: "index",
                })?;
                on.tabs.select(index).await?;
            }
        }
        Ok(Nothing {})
    }
}

/// Returns the URL for a new tab. An empty URL counts as absent.
fn address(args: &Args) -> Option<&str> {
    args.url.as_deref().filter(|url| !url.is_empty())
}
