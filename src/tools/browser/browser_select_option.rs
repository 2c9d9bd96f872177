//! `browser_select_option`: chooses options of a list.

use fumi_base::text::Locale;
use fumi_kernel::{Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ACTS, DefaultExpectation,
    on_tab::{TabAnswer, TabContext, TabTool},
    playwright::{self, CodeLine},
    target::TargetArg,
    texts,
};

#[derive(Debug)]
pub struct SelectOption;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The list to choose from.
    pub target: TargetArg,
    /// Values or labels of the options.
    pub values: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SelectOptionOutput {
    /// The options that are selected now.
    selected: Vec<String>,
}

impl TabAnswer for SelectOptionOutput {
    fn text(&self, _locale: Locale) -> String {
        format!("selected: {}", self.selected.join(", "))
    }
}

impl TabTool for SelectOption {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_select_option",
        texts: texts!("browser_select_option"),
        example: r#"{"target": "role=combobox[name=\"Language\"]", "values": ["ja"]}"#,
        ..ACTS
    };
    const EXPECTS: DefaultExpectation = DefaultExpectation::Act;
    const SKIPS_SETTLING: bool = true;
    type Args = Args;
    type TabAnswer = SelectOptionOutput;

    fn code(args: &Args) -> Vec<CodeLine> {
        let values = playwright::list(&args.values);
        vec![CodeLine::on(args.target.target(), &format!("selectOption({values})"))]
    }

    async fn act(args: Args, on: &mut TabContext<'_>, _cx: &Cx) -> Result<SelectOptionOutput, ToolError> {
        let selected = on.tab.select_option(&args.target.target(), &args.values).await?;
        Ok(SelectOptionOutput { selected })
    }
}
