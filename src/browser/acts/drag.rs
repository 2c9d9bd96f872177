//! Dragging with the pointer.
//!
//! Drags that the page implements itself (sliders, sortable lists based on pointer events) need only the pointer. Drags
//! of the browser (`draggable`, links, images) are intercepted and announced by Chromium; their drag events are then
//! dispatched explicitly. Which of the two kinds a drag is shows only while the pointer moves.

use std::{sync::Arc, time::Duration};

use super::{Aim, mouse::Mouse};
use crate::{
    devtools::{
        Channel, EmptyReply,
        protocol::input::{
            DispatchDragEvent, DispatchMouseEvent, DragData, DragEventType, Modifiers, MouseButton, SetInterceptDrags,
        },
    },
    errors::BrowserError,
    tab::{PointerAction, Tab, TabFrame, ViewportPoint},
};

/// The number of moves between the two ends: pages that follow the pointer measure its speed and need more than one.
const STEPS: u8 = 8;
/// The maximum wait for Chromium to announce a drag that the page has started.
const ANNOUNCED: Duration = Duration::from_secs(1);
/// The time that the pointer rests over the end each time, in milliseconds: some libraries poll its position every 50
/// ms.
const REST: u32 = 60;

impl Tab {
    /// Drags from one element or point to another.
    pub async fn drag(&self, from: &Aim, to: &Aim) -> Result<(), BrowserError> {
        let dragging = async {
            // Both ends must be found before anything is pressed. The second is measured again afterwards, since pages
            // shift their content while something is dragged.
            self.point_of(to).await?;
            let watching = self.start_recording_drags().await;
            self.forget_drag();
            let mouse = Mouse::new(self.page());
            let press = async |start| Ok((start, PressedButtonGuard::press(self.page(), &mouse, start).await?));
            let (start, mut held) = self.at(from, PointerAction::Press, press).await?;
            held.move_to(&mouse, nudged(start)).await?;
            let end = self.point_of(to).await?;
            if !self.recorded_drags(&watching).await.started {
                for step in 1..=STEPS {
                    held.move_to(&mouse, between(start, end, f64::from(step) / f64::from(STEPS))).await?;
                    // The second move is the one that passes the threshold of some pages.
                    if step <= 2 && self.recorded_drags(&watching).await.started {
                        break;
                    }
                }
            }
            if self.recorded_drags(&watching).await.started
                && let Ok(data) = tokio::time::timeout(ANNOUNCED, self.intercepted_drag()).await
            {
                held.forget_release();
                return self.drop_dragged_data(&data, end).await;
            }
            for place in [end, nudged(end), end] {
                held.move_to(&mouse, place).await?;
                let main = self.main();
                self.ask::<EmptyReply>(&main, "rest", (REST,)).await?;
            }
            held.release().await
        };
        self.acting(dragging).await
    }

    /// Starts recording drags in all frames, and returns the frames that do. A page that is navigating away has nothing
    /// to drag.
    pub(super) async fn start_recording_drags(&self) -> Vec<Arc<TabFrame>> {
        let asked =
            self.query_all_frames(|frame| async move { self.ask::<EmptyReply>(&frame, "watchDrags", ()).await });
        asked.await.unwrap_or_default().into_iter().map(|(frame, _)| frame).collect()
    }

    /// Returns the drag events of these frames since the recording was started.
    pub(super) async fn recorded_drags(&self, watching: &[Arc<TabFrame>]) -> RecordedDrags {
        let asked = self.query_frames(watching.to_vec(), |frame| async move {
            self.ask::<RecordedDrags>(&frame, "seenDrags", ()).await
        });
        let seen = asked.await.unwrap_or_default().into_iter();
        seen.fold(RecordedDrags::default(), |all, (_, seen)| RecordedDrags {
            started: all.started || seen.started,
            wanted: all.wanted || seen.wanted,
        })
    }

    /// Moves the dragged data over a point and drops it there.
    async fn drop_dragged_data(&self, data: &DragData, to: ViewportPoint) -> Result<(), BrowserError> {
        let cancel = DragCancelGuard { page: Some(self.page()), data, at: to };
        for kind in [DragEventType::DragEnter, DragEventType::DragOver, DragEventType::DragOver] {
            self.page().call(&drag_event(kind, data, to)).await?;
        }
        cancel.disarm();
        self.page().call(&drag_event(DragEventType::Drop, data, to)).await?;
        Ok(())
    }
}

/// The drag events that a frame has recorded.
#[derive(Default, serde::Deserialize)]
pub(super) struct RecordedDrags {
    /// True if a drag started.
    pub(super) started: bool,
    /// True if an element accepts the drag that is over it.
    pub(super) wanted: bool,
}

pub(super) fn drag_event(kind: DragEventType, data: &DragData, at: ViewportPoint) -> DispatchDragEvent<'_> {
    DispatchDragEvent { kind, x: at.x, y: at.y, data, modifiers: Modifiers::default() }
}

/// Returns a point a little to the side: some pages start a drag only after a few pixels.
fn nudged(point: ViewportPoint) -> ViewportPoint {
    ViewportPoint { x: point.x + 6.0, y: point.y + 2.0 }
}

fn between(start: ViewportPoint, end: ViewportPoint, share: f64) -> ViewportPoint {
    ViewportPoint { x: start.x + (end.x - start.x) * share, y: start.y + (end.y - start.y) * share }
}

/// A guard of a pressed mouse button while drags are intercepted. Dropping it releases the button and ends the
/// interception.
#[must_use]
struct PressedButtonGuard<'a> {
    page: &'a Channel,
    release: Option<DispatchMouseEvent>,
}

impl<'a> PressedButtonGuard<'a> {
    async fn press(page: &'a Channel, mouse: &Mouse<'_>, at: ViewportPoint) -> Result<Self, BrowserError> {
        page.call(&SetInterceptDrags { enabled: true }).await?;
        page.send(&mouse.moved(at, MouseButton::None));
        let held = Self { page, release: Some(mouse.released(at, MouseButton::Left, 1)) };
        page.call(&mouse.pressed(at, MouseButton::Left, 1)).await?;
        Ok(held)
    }

    async fn move_to(&mut self, mouse: &Mouse<'_>, at: ViewportPoint) -> Result<(), BrowserError> {
        self.release = Some(mouse.released(at, MouseButton::Left, 1));
        self.page.call(&mouse.moved(at, MouseButton::Left)).await?;
        Ok(())
    }

    async fn release(mut self) -> Result<(), BrowserError> {
        if let Some(release) = self.release.take() {
            self.page.call(&release).await?;
        }
        Ok(())
    }

    /// Forgets the release: the browser has taken over the pointer.
    fn forget_release(mut self) {
        self.release = None;
    }
}

impl std::ops::Drop for PressedButtonGuard<'_> {
    fn drop(&mut self) {
        if let Some(release) = &self.release {
            self.page.send(release);
        }
        self.page.send(&SetInterceptDrags { enabled: false });
    }
}

/// A guard of a drag over a page: dropping it cancels the drag, unless it was disarmed before the drop.
#[must_use]
struct DragCancelGuard<'a> {
    page: Option<&'a Channel>,
    data: &'a DragData,
    at: ViewportPoint,
}

impl DragCancelGuard<'_> {
    fn disarm(mut self) {
        self.page = None;
    }
}

impl std::ops::Drop for DragCancelGuard<'_> {
    fn drop(&mut self) {
        if let Some(page) = self.page {
            page.send(&drag_event(DragEventType::DragCancel, self.data, self.at));
        }
    }
}
