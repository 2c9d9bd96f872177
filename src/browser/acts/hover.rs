//! Moving the pointer over something.

use super::{Aim, mouse::Mouse};
use crate::{
    errors::BrowserError,
    refusal::Said,
    tab::{Popups, Tab},
    target::Target,
};

/// How long a popup may take to open under the pointer or after what was typed, in milliseconds.
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

    /// True if somebody is told of lists and menus that open. What changed can be told only of a page that was seen.
    pub(super) fn tells_popups(&self) -> bool {
        self.popups() != Popups::Ignored && self.has_snapshot()
    }

    /// Looks whether a menu or a list of an element is open now, for whoever observes the tab. An element that is gone, or a page
    /// that does not answer, has none.
    pub(super) async fn note_opened(&self, target: &Target) {
        let patience = match self.popups() {
            Popups::Ignored => return,
            Popups::Seen => 0,
            Popups::Awaited => OPENING,
        };
        // What may have to be stopped is not worth asking again.
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
