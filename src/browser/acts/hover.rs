//! Hovering, and the detection of popups (lists and menus) that open under the pointer or after typing.

use super::{Aim, mouse::Mouse};
use crate::{
    errors::BrowserError,
    refusal::Said,
    tab::{Popups, Tab},
    target::Target,
};

/// The maximum wait for a popup to open under the pointer or after typing, in milliseconds.
const OPENING: u32 = 400;

impl Tab {
    /// Moves the pointer over an element or to a point.
    pub async fn hover(&self, aim: &Aim) -> Result<(), BrowserError> {
        let hovering = async {
            let point = self.point_of(aim).await?;
            Mouse::new(self.page()).move_to(point).await
        };
        self.acting(hovering).await?;
        if let Aim::Target(target) = aim {
            self.note_opened(target).await;
        }
        Ok(())
    }

    /// True if popups that open are reported. A change can be reported only for a page of which a snapshot was taken.
    pub(super) fn tells_popups(&self) -> bool {
        self.popups() != Popups::Ignored && self.has_snapshot()
    }

    /// Checks whether a list or menu of an element is open now, and records it for the next observation. If the element
    /// is gone or the page does not answer, nothing is recorded.
    pub(super) async fn note_opened(&self, target: &Target) {
        let patience = match self.popups() {
            Popups::Ignored => return,
            Popups::Seen => 0,
            Popups::Awaited => OPENING,
        };
        // A query that may have to be aborted is not worth repeating.
        if target.has_pattern() || !self.tells_popups() {
            return;
        }
        if patience > 0 && self.is_fetching() {
            self.at_rest().await;
        }
        let number = target.frame().unwrap_or_default();
        let Some(frame) = self.frames().into_iter().find(|frame| frame.number == number) else {
            return;
        };
        let said: Result<Said<Opened>, _> = self.ask(&frame, "opened", (target, patience)).await;
        if let Ok(Said::Done(Opened { opened: true })) = said {
            self.has_opened();
        }
    }
}

#[derive(serde::Deserialize)]
struct Opened {
    opened: bool,
}
