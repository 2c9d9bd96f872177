//! `browser_select_option`: chooses options of a list.

use fumi_base::{expectation::Expectation, text::Locale};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ACTS, expected,
    on_tab::{Done, On, TabTool},
    playwright::{self, Line},
    target::Named,
    texts,
};
use crate::tool::{Cx, Spec, ToolError};

#[derive(Debug)]
pub struct SelectOption;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The list.
    pub target: Named,
    /// Values or labels.
    pub values: Vec<String>,
}

/// What it answers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Selected {
    /// The values that are chosen now.
    selected: Vec<String>,
}

impl Done for Selected {
    fn text(&self, _locale: Locale) -> String {
        format!("selected: {}", self.selected.join(", "))
    }
}

impl TabTool for SelectOption {
    const SPEC: Spec = Spec {
        name: "browser_select_option",
        texts: texts!("browser_select_option"),
        example: r#"{"target": "role=combobox[name=\"Language\"]", "values": ["ja"]}"#,
        ..ACTS
    };
    const IS_HASTY: bool = true;
    type Args = Args;
    type Done = Selected;

    fn expects(_args: &Args) -> Expectation {
        expected::acting()
    }

    fn code(args: &Args) -> Vec<Line> {
        let values = playwright::list(&args.values);
        vec![Line::on(args.target.target(), &format!("selectOption({values})"))]
    }

    async fn act(args: Args, on: &mut On<'_>, _cx: &Cx) -> Result<Selected, ToolError> {
        let selected = on.tab.select_option(&args.target.target(), &args.values).await?;
        Ok(Selected { selected })
    }
}
