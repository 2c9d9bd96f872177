//! `browser_press_key`: presses a key or chord in the focused element.

use fumi_kernel::{Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ACTS, DefaultExpectation,
    on_tab::{EmptyAnswer, TabContext, TabTool},
    playwright::{self, CodeLine},
    texts,
};

#[derive(Debug)]
pub struct PressKey;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The key, with the keys that are held: `Control+a`.
    #[schemars(length(min = 1))]
    pub key: String,
}

impl TabTool for PressKey {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_press_key",
        texts: texts!("browser_press_key"),
        example: r#"{"key": "Enter"}"#,
        ..ACTS
    };
    type Args = Args;
    type TabAnswer = EmptyAnswer;

    fn expects(args: &Args) -> DefaultExpectation {
        // Enter submits forms and follows links; the others reload the page or leave it.
        let key = args.key.rsplit('+').next().unwrap_or_default();
        let leaves = ["Control+r", "Alt+ArrowLeft", "Alt+ArrowRight"].contains(&args.key.as_str());
        if leaves || ["Enter", "NumpadEnter", "F5"].contains(&key) {
            DefaultExpectation::Act
        } else {
            DefaultExpectation::MinorAct
        }
    }

    fn code(args: &Args) -> Vec<CodeLine> {
        vec![CodeLine::page(&format!("keyboard.press({})", playwright::quoted(&args.key)))]
    }

    async fn act(args: Args, on: &mut TabContext<'_>, _cx: &Cx) -> Result<EmptyAnswer, ToolError> {
        on.tab.press(&args.key).await?;
        Ok(EmptyAnswer {})
    }
}
