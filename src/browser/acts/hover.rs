//! Moving the pointer over something.

use super::{Aim, mouse::Mouse};
use crate::{errors::BrowserError, refusal::Said, tab::Tab, target::Target};

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

    /// Looks whether a menu or a list of an element is open now, for whoever observes the tab. An element that is gone, or a page
    /// that does not answer, has none.
    pub(super) async fn note_opened(&self, target: &Target) {
        // What may have to be stopped is not worth asking again.
        if target.has_pattern() {
            return;
        }
        let number = target.frame().unwrap_or_default();
        let Some(frame) = self.frames().into_iter().find(|frame| frame.number == number) else {
            return;
        };
        let said: Result<Said<Opened>, _> = self.ask(&frame, "opened", (target,)).await;
        if let Ok(Said::Done(Opened { opened: true })) = said {
            self.has_opened();
        }
    }
}

#[derive(serde::Deserialize)]
struct Opened {
    opened: bool,
}
