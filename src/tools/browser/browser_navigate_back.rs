//! `browser_navigate_back`: goes back one entry in the history of the tab.

use fumi_kernel::{Cx, ToolError, ToolSpec};

use super::{
    ACTS, DefaultExpectation,
    browser_navigate::NavigateOutput,
    on_tab::{NoArgs, TabContext, TabTool},
    playwright::CodeLine,
    texts,
};

#[derive(Debug)]
pub struct NavigateBack;

impl TabTool for NavigateBack {
    const SPEC: ToolSpec = ToolSpec { name: "browser_navigate_back", texts: texts!("browser_navigate_back"), ..ACTS };
    const EXPECTS: DefaultExpectation = DefaultExpectation::Arrival;
    const REPORTS_URL: bool = true;
    type Args = NoArgs;
    type TabAnswer = NavigateOutput;

    fn code(_args: &NoArgs) -> Vec<CodeLine> {
        vec![CodeLine::page("goBack()")]
    }

    async fn act(_args: NoArgs, on: &mut TabContext<'_>, _cx: &Cx) -> Result<NavigateOutput, ToolError> {
        Ok(on.tab.back().await?.into())
    }
}
