//! `browser_navigate_forward`: goes forward one entry in the history of the tab.

use fumi_kernel::{Cx, ToolError, ToolSpec};

use super::{
    ACTS, DefaultExpectation,
    browser_navigate::NavigateOutput,
    on_tab::{NoArgs, TabContext, TabTool},
    playwright::CodeLine,
    texts,
};

#[derive(Debug)]
pub struct NavigateForward;

impl TabTool for NavigateForward {
    const SPEC: ToolSpec =
        ToolSpec { name: "browser_navigate_forward", texts: texts!("browser_navigate_forward"), ..ACTS };
    const EXPECTS: DefaultExpectation = DefaultExpectation::Arrival;
    const REPORTS_URL: bool = true;
    type Args = NoArgs;
    type TabAnswer = NavigateOutput;

    fn code(_args: &NoArgs) -> Vec<CodeLine> {
        vec![CodeLine::page("goForward()")]
    }

    async fn act(_args: NoArgs, on: &mut TabContext<'_>, _cx: &Cx) -> Result<NavigateOutput, ToolError> {
        Ok(on.tab.forward().await?.into())
    }
}
