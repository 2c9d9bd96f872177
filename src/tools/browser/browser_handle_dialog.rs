//! `browser_handle_dialog`: answers the open dialog.

use fumi_base::text::Locale;
use fumi_kernel::{Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ACTS, DefaultExpectation,
    on_tab::{TabAnswer, TabContext, TabTool},
    playwright::{self, CodeLine},
    reply::DialogPart,
    texts,
};

#[derive(Debug)]
pub struct HandleDialog;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// True for OK, false for Cancel.
    pub accept: bool,
    /// The text to enter into a prompt.
    pub prompt_text: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct HandleDialogOutput {
    /// The dialog that was answered.
    handled: DialogPart,
    /// True if the answer was OK, false if it was Cancel.
    accepted: bool,
}

impl TabAnswer for HandleDialogOutput {
    fn text(&self, locale: Locale) -> String {
        let answer = match (self.accepted, locale) {
            (true, Locale::En) => "accepted",
            (false, Locale::En) => "dismissed",
            (true, Locale::Ja) => "OK で応答",
            (false, Locale::Ja) => "キャンセルで応答",
        };
        format!("{answer}: {}", self.handled.line())
    }
}

impl TabTool for HandleDialog {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_handle_dialog",
        texts: texts!("browser_handle_dialog"),
        example: r#"{"accept": true}"#,
        ..ACTS
    };
    const EXPECTS: DefaultExpectation = DefaultExpectation::Act;
    const DESPITE_DIALOG: bool = true;
    type Args = Args;
    type TabAnswer = HandleDialogOutput;

    fn code(args: &Args) -> Vec<CodeLine> {
        // Playwright answers the next dialog: in a recorded test this line must come before the action that opens it.
        let text = args.prompt_text.as_deref().map(playwright::quoted).unwrap_or_default();
        let answer = if args.accept { format!("accept({text})") } else { "dismiss()".to_owned() };
        vec![CodeLine::raw(&format!("page.once('dialog', dialog => dialog.{answer})"), Vec::new())]
    }

    async fn act(args: Args, on: &mut TabContext<'_>, _cx: &Cx) -> Result<HandleDialogOutput, ToolError> {
        let text = args.prompt_text.as_deref();
        let handled = on.tab.handle_dialog(args.accept, text).await?.into();
        Ok(HandleDialogOutput { handled, accepted: args.accept })
    }
}
