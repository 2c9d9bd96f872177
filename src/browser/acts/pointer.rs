//! Pointing at an element: the point is found, the pointer acts there, and the page's script confirms that it reached
//! the element.

use fumi_base::text::BilingualText;

use super::Aim;
use crate::{
    devtools::protocol::capture::GetLayoutMetrics,
    errors::BrowserError,
    tab::{AimOptions, Located, PointerAction, Tab, ViewportPoint},
    target::Target,
};

/// The maximum number of attempts to reach an element that the page moves away between the check and the action.
const ATTEMPTS: usize = 4;

impl Tab {
    /// Performs `act` at the point of an element or at a point (CSS pixels of the viewport).
    pub(super) async fn at<T, F>(
        &self,
        aim: &Aim,
        action: PointerAction,
        act: impl Fn(ViewportPoint) -> F,
    ) -> Result<T, BrowserError>
    where
        F: Future<Output = Result<T, BrowserError>>,
    {
        match aim {
            Aim::Point(x, y) => act(self.point_in_viewport(*x, *y).await?).await,
            Aim::Target(target) => {
                let located = self.locate(target).await?;
                self.at_element(&located, target, action, act).await
            }
        }
    }

    /// Performs `act` at the point of an element that was found before. Repeats it if the page moved the element away
    /// just before, so that the pointer hit something else; a press that does so has no effect.
    pub(super) async fn at_element<T, F>(
        &self,
        located: &Located,
        target: &Target,
        action: PointerAction,
        act: impl Fn(ViewportPoint) -> F,
    ) -> Result<T, BrowserError>
    where
        F: Future<Output = Result<T, BrowserError>>,
    {
        for _ in 0..ATTEMPTS {
            let before = self.act_baseline();
            let (located, point) = self.aim_or_relocate(located, target, action.into()).await?;
            let done = act(point).await?;
            if !self.has_missed(&located.frame, &before).await {
                return Ok(done);
            }
        }
        Err(BrowserError::ElementInert {
            target: target.to_string(),
            reason: BilingualText::new(
                "it moves away whenever the pointer reaches it",
                "ポインターを合わせるたびに位置が変わります",
            ),
        })
    }

    /// Returns the point that a pointer goes to, in CSS pixels of the viewport.
    pub(super) async fn point_of(&self, aim: &Aim) -> Result<ViewportPoint, BrowserError> {
        match aim {
            Aim::Point(x, y) => self.point_in_viewport(*x, *y).await,
            Aim::Target(target) => {
                let located = self.locate(target).await?;
                let (_, point) = self.aim_or_relocate(&located, target, AimOptions::default()).await?;
                Ok(point)
            }
        }
    }

    /// Returns the point that a caller named. Chromium takes points outside the viewport too, but no element would
    /// receive their events.
    pub(super) async fn point_in_viewport(&self, x: f64, y: f64) -> Result<ViewportPoint, BrowserError> {
        let seen = self.page().call(&GetLayoutMetrics {}).await?.css_visual_viewport;
        let (width, height) = (seen.client_width, seen.client_height);
        if (0.0..width).contains(&x) && (0.0..height).contains(&y) {
            return Ok(ViewportPoint { x, y });
        }
        let centre = format!("[{}, {}]", (width / 2.0).floor(), (height / 2.0).floor());
        let reason = BilingualText::new(
            format!(
                "[{x}, {y}] is outside the viewport, which has {width} × {height} CSS pixels (its centre is {centre}); a target is scrolled into view"
            ),
            format!(
                "[{x}, {y}] は表示領域の外です。表示領域は {width} × {height} CSS ピクセルです（中央は {centre}）。target を渡せば、その要素が見える位置までスクロールします"
            ),
        );
        Err(BrowserError::BadBrowserArgument { argument: "coordinate", reason })
    }

    /// Returns the point of an element that was found before. Finds it again once if the page has replaced it
    /// meanwhile.
    pub(super) async fn aim_or_relocate(
        &self,
        located: &Located,
        target: &Target,
        options: AimOptions,
    ) -> Result<(Located, ViewportPoint), BrowserError> {
        match self.aim(located, options).await {
            Err(BrowserError::StaleRef { .. } | BrowserError::NoSuchElement { .. }) => {
                let located = self.locate(target).await?;
                let point = self.aim(&located, options).await?;
                Ok((located, point))
            }
            aimed => Ok((located.clone(), aimed?)),
        }
    }
}
