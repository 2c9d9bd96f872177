//! Dialogs: alert, confirm, prompt, and the question before a page is left. The page stands still until one is answered.

use super::{State, Tab};
use crate::{
    devtools::{
        Channel,
        protocol::page::{HandleJavaScriptDialog, JavascriptDialogOpening},
    },
    errors::BrowserError,
};

/// Longest message that is passed on, in characters: it is the page's text.
const MESSAGE: usize = 1_000;

/// A dialog of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    /// What it says, cut at 1,000 characters.
    pub message: String,
    /// What a prompt holds already.
    pub default_prompt: Option<String>,
}

/// An open dialog.
#[derive(Debug)]
pub(super) struct Open {
    dialog: Dialog,
    /// The session of the frame that opened it, by which it is answered.
    channel: Channel,
}

impl Open {
    pub(super) fn in_the_way(&self) -> BrowserError {
        BrowserError::DialogOpen {
            kind: self.dialog.kind.clone(),
            message: self.dialog.message.clone(),
        }
    }

    pub(super) fn dialog(&self) -> Dialog {
        self.dialog.clone()
    }

    pub(super) fn is_of(&self, channel: &Channel) -> bool {
        self.channel.session() == channel.session()
    }
}

impl State {
    pub(super) fn dialog_opened(&mut self, opening: JavascriptDialogOpening, channel: &Channel) {
        let cut = |text: String| text.chars().take(MESSAGE).collect();
        self.dialog = Some(Open {
            dialog: Dialog {
                kind: opening.kind,
                message: cut(opening.message),
                default_prompt: opening.default_prompt.filter(|text| !text.is_empty()).map(cut),
            },
            channel: channel.clone(),
        });
    }
}

impl Tab {
    /// The open dialog.
    #[must_use]
    pub fn dialog(&self) -> Option<Dialog> {
        self.state().dialog.as_ref().map(Open::dialog)
    }

    /// Answers the open dialog and waits for what the page does then. `prompt_text` is typed into a prompt.
    pub async fn handle_dialog(&self, accept: bool, prompt_text: Option<&str>) -> Result<Dialog, BrowserError> {
        let open = self.state().dialog.take().ok_or(BrowserError::NoDialog)?;
        let answer = HandleJavaScriptDialog {
            accept,
            prompt_text: prompt_text.map(str::to_owned),
        };
        let leaves = accept && open.dialog.kind == "beforeunload";
        self.acting(async {
            if leaves {
                // What was held up by the question goes on now; its beginning may have been told before.
                self.change(|state| state.navigations.asked());
            }
            match open.channel.call(&answer).await {
                // It went by itself, with its page.
                Err(error) if error.says("No dialog is showing") => Err(BrowserError::NoDialog),
                answered => answered.map(drop).map_err(BrowserError::from),
            }
        })
        .await?;
        Ok(open.dialog)
    }
}
