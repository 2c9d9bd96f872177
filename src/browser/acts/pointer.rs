//! Pointing at an element: the point is found, the pointer acts there, and the page's script confirms that it reached
//! the element.

use fumi_base::text::BilingualText;

use super::Aim;
use crate::{
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
            Aim::Point(x, y) => act(ViewportPoint { x: *x, y: *y }).await,
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
        Err(BrowserError::NotActionable {
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
            Aim::Point(x, y) => Ok(ViewportPoint { x: *x, y: *y }),
            Aim::Target(target) => {
                let located = self.locate(target).await?;
                let (_, point) = self.aim_or_relocate(&located, target, AimOptions::default()).await?;
                Ok(point)
            }
        }
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
            Err(BrowserError::Stale { .. } | BrowserError::NoMatch { .. }) => {
                let located = self.locate(target).await?;
                let point = self.aim(&located, options).await?;
                Ok((located, point))
            }
            aimed => Ok((located.clone(), aimed?)),
        }
    }
}
