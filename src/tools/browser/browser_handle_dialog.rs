//! `browser_handle_dialog`: answers the open dialog.

use fumi_base::{expectation::Expectation, text::Locale};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ACTS, expected,
    observed::Dialog,
    on_tab::{Done, On, TabTool},
    playwright::{self, Line},
    texts,
};
use crate::tool::{Cx, Spec, ToolError};

#[derive(Debug)]
pub struct HandleDialog;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// OK, or Cancel.
    pub accept: bool,
    /// What a prompt asked for.
    pub prompt_text: Option<String>,
}

/// What it answers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Handled {
    /// The dialog that is closed now.
    handled: Dialog,
}

impl Done for Handled {
    fn text(&self, _locale: Locale) -> String {
        format!("handled: {}", self.handled.line())
    }
}

impl TabTool for HandleDialog {
    const SPEC: Spec = Spec {
        name: "browser_handle_dialog",
        texts: texts!("browser_handle_dialog"),
        example: r#"{"accept": true}"#,
        ..ACTS
    };
    const DESPITE_DIALOG: bool = true;
    type Args = Args;
    type Done = Handled;

    fn expects(_args: &Args) -> Expectation {
        expected::acting()
    }

    fn code(args: &Args) -> Vec<Line> {
        // Playwright answers the next dialog: in a recorded test this line must come before the action that opens it.
        let text = args.prompt_text.as_deref().map(playwright::quoted).unwrap_or_default();
        let answer = if args.accept {
            format!("accept({text})")
        } else {
            "dismiss()".to_owned()
        };
        vec![Line::raw(
            &format!("page.once('dialog', dialog => dialog.{answer})"),
            Vec::new(),
        )]
    }

    async fn act(args: Args, on: &mut On<'_>, _cx: &Cx) -> Result<Handled, ToolError> {
        let text = args.prompt_text.as_deref();
        let handled = on.tab.handle_dialog(args.accept, text).await?.into();
        Ok(Handled { handled })
    }
}
