//! JavaScript dialogs: alert, confirm, prompt and beforeunload. The page is blocked until its dialog is answered.

use super::{Tab, TabState};
use crate::{
    devtools::{
        Channel,
        protocol::page::{HandleJavaScriptDialog, JavascriptDialogOpening},
    },
    errors::BrowserError,
};

/// The maximum length of a dialog's message, in characters: the page chooses the text.
const MESSAGE: usize = 1_000;

/// A JavaScript dialog of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageDialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    /// The text, cut at 1,000 characters.
    pub message: String,
    /// The text that a prompt is prefilled with.
    pub default_prompt: Option<String>,
}

/// An open dialog together with the session that can answer it.
#[derive(Clone, Debug)]
pub(super) struct OpenDialog {
    dialog: PageDialog,
    /// The whole text that a prompt is prefilled with.
    default_text: Option<String>,
    /// The session of the frame that opened the dialog. The answer is sent through it.
    channel: Channel,
    /// True while the dialog is being answered. It no longer blocks calls then, but remains open until Chromium reports
    /// that it closed.
    is_answered: bool,
}

impl OpenDialog {
    pub(super) fn blocking_error(&self) -> Option<BrowserError> {
        (!self.is_answered)
            .then(|| BrowserError::DialogOpen { kind: self.dialog.kind.clone(), message: self.dialog.message.clone() })
    }

    pub(super) fn dialog(&self) -> PageDialog {
        self.dialog.clone()
    }

    pub(super) fn belongs_to(&self, channel: &Channel) -> bool {
        self.channel.session() == channel.session()
    }
}

impl TabState {
    pub(super) fn dialog_opened(&mut self, opening: JavascriptDialogOpening, channel: &Channel) {
        let cut = |text: String| text.chars().take(MESSAGE).collect();
        self.dialog = Some(OpenDialog {
            dialog: PageDialog {
                kind: opening.kind,
                message: cut(opening.message),
                default_prompt: opening.default_prompt.clone().filter(|text| !text.is_empty()).map(cut),
            },
            default_text: opening.default_prompt,
            channel: channel.clone(),
            is_answered: false,
        });
    }
}

impl Tab {
    /// Returns the open dialog, if any.
    pub fn dialog(&self) -> Option<PageDialog> {
        self.state().dialog.as_ref().map(OpenDialog::dialog)
    }

    /// Answers the open dialog and waits until the page has settled. `prompt_text` is typed into a prompt, in place of
    /// the text that the prompt is prefilled with.
    pub async fn handle_dialog(&self, accept: bool, prompt_text: Option<&str>) -> Result<PageDialog, BrowserError> {
        let (answering, OpenDialog { dialog, default_text, channel, .. }) = DialogAnswerGuard::begin(self)?;
        // Without a text Chromium would return an empty one.
        let answer = HandleJavaScriptDialog { accept, prompt_text: prompt_text.map(str::to_owned).or(default_text) };
        let asks_to_leave = dialog.kind == "beforeunload";
        self.acting(async {
            if asks_to_leave && accept {
                // The navigation that the dialog held up continues now. Its start may have been reported before.
                self.change(|state| state.navigations.asked());
            }
            let answered = channel.call(&answer).await;
            // The dialog closed by itself, together with its page.
            let went = answered.as_ref().is_err_and(|error| error.says("No dialog is showing"));
            if went || answered.is_ok() {
                answering.done();
            }
            if went {
                return Err(BrowserError::NoDialog);
            }
            if asks_to_leave && !accept {
                self.change(TabState::stays);
            }
            Ok(answered.map(drop)?)
        })
        .await?;
        Ok(dialog)
    }
}

/// A guard for a dialog that is being answered. If it is dropped before Chromium has taken the answer, the dialog
/// blocks calls again.
struct DialogAnswerGuard<'a>(&'a Tab);

impl<'a> DialogAnswerGuard<'a> {
    fn begin(tab: &'a Tab) -> Result<(Self, OpenDialog), BrowserError> {
        let mut state = tab.state();
        let open = state.dialog.as_mut().filter(|open| !open.is_answered);
        let open = open.ok_or(BrowserError::NoDialog)?;
        open.is_answered = true;
        Ok((Self(tab), open.clone()))
    }

    /// Removes the answered dialog, but not a next one that may be open by now.
    fn done(&self) {
        self.0.change(|state| drop(state.dialog.take_if(|open| open.is_answered)));
    }
}

impl Drop for DialogAnswerGuard<'_> {
    fn drop(&mut self) {
        self.0.change(|state| {
            if let Some(open) = &mut state.dialog {
                open.is_answered = false;
            }
        });
    }
}
