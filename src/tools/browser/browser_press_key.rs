//! `browser_press_key`: presses a key or chord in the focused element.

use fumi_base::expectation::Expectation;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ACTS, expected,
    on_tab::{Nothing, On, TabTool},
    playwright::{self, Line},
    texts,
};
use crate::tool::{Cx, Spec, ToolError};

#[derive(Debug)]
pub struct PressKey;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The key, with those that are held: `Control+a`.
    #[schemars(length(min = 1))]
    pub key: String,
}

impl TabTool for PressKey {
    const SPEC: Spec = Spec {
        name: "browser_press_key",
        texts: texts!("browser_press_key"),
        example: r#"{"key": "Enter"}"#,
        ..ACTS
    };
    type Args = Args;
    type Done = Nothing;

    fn expects(args: &Args) -> Expectation {
        // Enter submits forms and follows links.
        let key = args.key.rsplit('+').next().unwrap_or_default();
        if ["Enter", "NumpadEnter"].contains(&key) {
            expected::acting()
        } else {
            expected::touching()
        }
    }

    fn code(args: &Args) -> Vec<Line> {
        vec![Line::page(&format!(
            "keyboard.press({})",
            playwright::quoted(&args.key)
        ))]
    }

    async fn act(args: Args, on: &mut On<'_>, _cx: &Cx) -> Result<Nothing, ToolError> {
        on.tab.press(&args.key).await?;
        Ok(Nothing {})
    }
}
