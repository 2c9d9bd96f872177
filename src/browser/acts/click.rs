//! Clicking with real input events: the pointer moves to the element, a button goes down and comes up. The script
//! `page/aim.js` scrolls the element into view first and waits until it can receive the press.

use super::{Aim, ClickOptions, mouse::Mouse};
use crate::{
    errors::BrowserError,
    script_reply::ScriptReply,
    tab::{AimOptions, Located, PointerAction, Tab, ViewportPoint},
    target::Target,
};

impl Tab {
    /// Clicks an element or a point (CSS pixels of the viewport). A click on an option of a `<select>` chooses the
    /// option.
    pub async fn click(&self, aim: &Aim, click: &ClickOptions) -> Result<(), BrowserError> {
        let target = match aim {
            Aim::Point(x, y) => {
                let clicking = async { self.click_point(self.point_in_viewport(*x, *y).await?, click).await };
                return self.acting(clicking).await;
            }
            Aim::Target(target) => target,
        };
        let clicking = async {
            let before = self.act_baseline();
            let options = AimOptions::from(PointerAction::Press);
            let (located, aimed) = self.locate_and(target, ("aim", (options,)), Some("option")).await?;
            self.record_click(Some(located.reference.clone()));
            if located.role == "option" && self.choose(&located).await? {
                return Ok(());
            }
            match aimed {
                Some(ScriptReply::Done(point)) => {
                    self.click_point(point, click).await?;
                    if !self.has_missed(&located.frame, &before).await {
                        return Ok(());
                    }
                }
                Some(ScriptReply::Refused(refusal)) if !refusal.is_gone() => {
                    return Err(refusal.into_browser_error(&located.called));
                }
                // An inner frame, or an element that is gone: it is found and aimed at again, with retries.
                _ => {}
            }
            self.click_on(&located, target, click).await
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
        let press = |point| self.click_point(point, click);
        self.at_element(located, target, PointerAction::Press, press).await
    }

    async fn click_point(&self, point: ViewportPoint, click: &ClickOptions) -> Result<(), BrowserError> {
        Mouse::new(self.page()).click(point, click).await
    }

    /// Chooses an option of a closed `<select>`, which has no box to click. Returns false if the element is not such an
    /// option.
    async fn choose(&self, located: &Located) -> Result<bool, BrowserError> {
        let reply: ScriptReply<ChooseOptionReply> =
            self.ask(&located.frame, "chooseOption", (&located.reference,)).await?;
        Ok(reply.into_result(&located.called)?.option)
    }
}

#[derive(serde::Deserialize)]
struct ChooseOptionReply {
    option: bool,
}
