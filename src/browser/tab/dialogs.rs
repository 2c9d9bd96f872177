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
    /// It is being answered: what the page does then is no longer held up. Nor is it gone before Chromium says so.
    is_answered: bool,
}

impl Open {
    pub(super) fn in_the_way(&self) -> Option<BrowserError> {
        (!self.is_answered).then(|| BrowserError::DialogOpen {
            kind: self.dialog.kind.clone(),
            message: self.dialog.message.clone(),
        })
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
            is_answered: false,
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
        let (answering, dialog, channel) = Answering::begin(self)?;
        let answer = HandleJavaScriptDialog {
            accept,
            prompt_text: prompt_text.map(str::to_owned),
        };
        let leaves = accept && dialog.kind == "beforeunload";
        self.acting(async {
            if leaves {
                // What was held up by the question goes on now; its beginning may have been told before.
                self.change(|state| state.navigations.asked());
            }
            let answered = channel.call(&answer).await;
            // It went by itself, with its page.
            let went = answered.as_ref().is_err_and(|error| error.says("No dialog is showing"));
            if went || answered.is_ok() {
                answering.done();
            }
            if went {
                return Err(BrowserError::NoDialog);
            }
            Ok(answered.map(drop)?)
        })
        .await?;
        Ok(dialog)
    }
}

/// A dialog that is being answered. Given up before Chromium has taken the answer, it is in the way again.
struct Answering<'a>(&'a Tab);

impl<'a> Answering<'a> {
    fn begin(tab: &'a Tab) -> Result<(Self, Dialog, Channel), BrowserError> {
        let mut state = tab.state();
        let open = state.dialog.as_mut().filter(|open| !open.is_answered);
        let open = open.ok_or(BrowserError::NoDialog)?;
        open.is_answered = true;
        Ok((Self(tab), open.dialog.clone(), open.channel.clone()))
    }

    /// The next one may be open by now.
    fn done(&self) {
        self.0
            .change(|state| drop(state.dialog.take_if(|open| open.is_answered)));
    }
}

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        self.0.change(|state| {
            if let Some(open) = &mut state.dialog {
                open.is_answered = false;
            }
        });
    }
}
