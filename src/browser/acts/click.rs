//! Clicking with real input events: the pointer moves to the element, a button goes down and comes up.

use super::{Aim, ClickOptions, mouse::Mouse};
use crate::{
    errors::BrowserError,
    script_reply::ScriptReply,
    tab::{AimOptions, Located, Tab, ViewportPoint},
    target::Target,
};

impl Tab {
    /// Clicks an element or a point (CSS pixels of the viewport). A click on an option of a `<select>` chooses the
    /// option.
    pub async fn click(&self, aim: &Aim, click: &ClickOptions) -> Result<(), BrowserError> {
        let target = match aim {
            Aim::Point(x, y) => {
                return self
                    .acting(self.click_point(ViewportPoint { x: *x, y: *y }, click))
                    .await;
            }
            Aim::Target(target) => target,
        };
        let clicking = async {
            let (located, aimed) = self
                .locate_and(target, ("aim", (AimOptions::default(),)), Some("option"))
                .await?;
            self.record_click(Some(located.reference.clone()));
            if located.role == "option" && self.choose(&located).await? {
                return Ok(());
            }
            match aimed {
                Some(ScriptReply::Done(point)) => self.click_point(point, click).await,
                Some(ScriptReply::Refused(refusal)) if !refusal.is_gone() => {
                    Err(refusal.into_browser_error(&located.called))
                }
                _ => self.click_on(&located, target, click).await,
            }
        };
        self.acting(clicking).await
    }

    /// Clicks an element that was found before. Finds it again once if the page has replaced it meanwhile.
    pub(super) async fn click_on(
        &self,
        located: &Located,
        target: &Target,
        click: &ClickOptions,
    ) -> Result<(), BrowserError> {
        let point = self.aim_or_relocate(located, target).await?;
        self.click_point(point, click).await
    }

    /// Returns the point of an element that was found before. Finds it again once if the page has replaced it
    /// meanwhile.
    pub(super) async fn aim_or_relocate(
        &self,
        located: &Located,
        target: &Target,
    ) -> Result<ViewportPoint, BrowserError> {
        match self.aim(located).await {
            Err(BrowserError::Stale { .. } | BrowserError::NoMatch { .. }) => {
                let located = self.locate(target).await?;
                self.aim(&located).await
            }
            aimed => aimed,
        }
    }

    async fn click_point(&self, point: ViewportPoint, click: &ClickOptions) -> Result<(), BrowserError> {
        Mouse::new(self.page()).click(point, click).await
    }

    /// Chooses an option of a closed `<select>`, which has no box to click. Returns false if the element is not such an
    /// option.
    async fn choose(&self, located: &Located) -> Result<bool, BrowserError> {
        let said: ScriptReply<ChooseOptionReply> =
            self.ask(&located.frame, "chooseOption", (&located.reference,)).await?;
        Ok(said.into_result(&located.called)?.option)
    }
}

#[derive(serde::Deserialize)]
struct ChooseOptionReply {
    option: bool,
}
