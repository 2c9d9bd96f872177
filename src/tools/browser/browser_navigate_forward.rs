//! `browser_navigate_forward`: goes forward one entry in the history of the tab.

use fumi_base::expectation::Expectation;

use super::{
    ACTS,
    browser_navigate::Arrived,
    expected,
    on_tab::{NoArgs, On, TabTool},
    playwright::Line,
    texts,
};
use crate::tool::{Cx, Spec, ToolError};

#[derive(Debug)]
pub struct NavigateForward;

impl TabTool for NavigateForward {
    const SPEC: Spec = Spec {
        name: "browser_navigate_forward",
        texts: texts!("browser_navigate_forward"),
        ..ACTS
    };
    const SAYS_PLACE: bool = true;
    const CHANGES: usize = expected::WHOLE;
    type Args = NoArgs;
    type Done = Arrived;

    fn expects(_args: &NoArgs) -> Expectation {
        expected::arriving()
    }

    fn code(_args: &NoArgs) -> Vec<Line> {
        vec![Line::page("goForward()")]
    }

    async fn act(_args: NoArgs, on: &mut On<'_>, _cx: &Cx) -> Result<Arrived, ToolError> {
        Ok(on.tab.forward().await?.into())
    }
}
