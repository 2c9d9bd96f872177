//! `browser_navigate_forward`: goes forward one entry in the history of the tab.

use fumi_base::expectation::Expectation;
use fumi_kernel::{Cx, ToolError, ToolSpec};

use super::{
    ACTS,
    browser_navigate::NavigateOutput,
    default_expectation,
    on_tab::{NoArgs, TabContext, TabTool},
    playwright::CodeLine,
    texts,
};

#[derive(Debug)]
pub struct NavigateForward;

impl TabTool for NavigateForward {
    const SPEC: ToolSpec =
        ToolSpec { name: "browser_navigate_forward", texts: texts!("browser_navigate_forward"), ..ACTS };
    const REPORTS_URL: bool = true;
    const CHANGE_TOKENS: usize = default_expectation::WHOLE;
    type Args = NoArgs;
    type TabAnswer = NavigateOutput;

    fn expects(_args: &NoArgs) -> Expectation {
        default_expectation::after_arrival()
    }

    fn code(_args: &NoArgs) -> Vec<CodeLine> {
        vec![CodeLine::page("goForward()")]
    }

    async fn act(_args: NoArgs, on: &mut TabContext<'_>, _cx: &Cx) -> Result<NavigateOutput, ToolError> {
        Ok(on.tab.forward().await?.into())
    }
}
