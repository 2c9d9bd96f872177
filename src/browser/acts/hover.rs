//! Hovering, and the detection of popups (lists and menus) that open under the pointer or after typing.

use super::{Aim, mouse::Mouse};
use crate::{
    errors::BrowserError,
    script_reply::ScriptReply,
    tab::{PointerAction, PopupMode, Tab},
    target::Target,
};

/// The maximum wait for a popup to open under the pointer or after typing, in milliseconds.
const OPENING: u32 = 400;

impl Tab {
    /// Moves the pointer over an element or to a point.
    pub async fn hover(&self, aim: &Aim) -> Result<(), BrowserError> {
        let move_to = async |point| Mouse::new(self.page()).move_to(point).await;
        self.acting(self.at(aim, PointerAction::Move, move_to)).await?;
        if let Aim::Target(target) = aim {
            self.detect_opened(target, "revealed").await;
        }
        Ok(())
    }

    /// True if popups that open are reported. A change can be reported only for a page of which a snapshot was taken.
    pub(super) fn reports_popups(&self) -> bool {
        self.popup_mode() != PopupMode::Ignored && self.has_snapshot()
    }

    /// Checks whether a list or menu of an element is open now, and records it for the next observation. If the element
    /// is gone or the page does not answer, nothing is recorded.
    pub(super) async fn detect_popup(&self, target: &Target) {
        self.detect_opened(target, "opened").await;
    }

    /// Checks the element with a function of the page's script, `opened` or `revealed`, and records the result. `revealed` also
    /// recognises content that is neither a list nor a menu.
    async fn detect_opened(&self, target: &Target, function: &str) {
        let patience = match self.popup_mode() {
            PopupMode::Ignored => return,
            PopupMode::Seen => 0,
            PopupMode::Awaited => OPENING,
        };
        // A query that may have to be aborted is not worth repeating.
        if target.has_pattern() || !self.reports_popups() {
            return;
        }
        if patience > 0
            && self.is_fetching()
            && let Err(error) = self.settle_pending().await
        {
            tracing::debug!(%error, "no popup is looked for");
            return;
        }
        let number = target.frame().unwrap_or_default();
        let Some(frame) = self.frames().into_iter().find(|frame| frame.number == number) else {
            return;
        };
        let said: Result<ScriptReply<PopupReply>, _> = self.ask(&frame, function, (target, patience)).await;
        if let Ok(ScriptReply::Done(PopupReply { opened: true })) = said {
            self.record_open_popup();
        }
    }
}

#[derive(serde::Deserialize)]
struct PopupReply {
    opened: bool,
}
