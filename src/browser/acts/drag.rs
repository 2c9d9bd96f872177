//! Dragging with the pointer.
//!
//! What a page drags by itself (sliders, sortable lists made of pointer events) needs nothing but the pointer. What the
//! browser drags (`draggable`, links, images) is held back and announced by Chromium; its events then go through the page.
//! Which of both it is shows only while the pointer moves.

use std::{sync::Arc, time::Duration};

use super::{Aim, mouse::Mouse};
use crate::{
    devtools::{
        Channel, Nothing,
        protocol::input::{
            DispatchDragEvent, DispatchMouseEvent, DragData, DragEventType, Modifiers, MouseButton, SetInterceptDrags,
        },
    },
    errors::BrowserError,
    tab::{Frame, Point, Tab},
};

/// Moves between the two ends: pages that follow the pointer measure its speed and want more than one.
const STEPS: u8 = 8;
/// How long Chromium may take to announce a drag that the page has begun.
const ANNOUNCED: Duration = Duration::from_secs(1);
/// How long the pointer rests over the end each time, in milliseconds: some libraries look every 50 where it is.
const REST: u32 = 60;

impl Tab {
    /// Drags from one place to another.
    pub async fn drag(&self, from: &Aim, to: &Aim) -> Result<(), BrowserError> {
        let dragging = async {
            // Both ends must be found before anything is pressed; the second is measured again afterwards, since pages make
            // room while something is dragged.
            self.point_of(to).await?;
            let start = self.point_of(from).await?;
            let watching = self.watch_drags().await;
            self.forget_drag();
            let mouse = Mouse::new(self.page());
            let mut held = Held::press(self.page(), &mouse, start).await?;
            held.move_to(&mouse, nudged(start)).await?;
            let end = self.point_of(to).await?;
            if !self.seen_drags(&watching).await.started {
                for step in 1..=STEPS {
                    held.move_to(&mouse, between(start, end, f64::from(step) / f64::from(STEPS)))
                        .await?;
                    // The second move is the one that passes the threshold of some pages.
                    if step <= 2 && self.seen_drags(&watching).await.started {
                        break;
                    }
                }
            }
            if self.seen_drags(&watching).await.started
                && let Ok(data) = tokio::time::timeout(ANNOUNCED, self.held_back()).await
            {
                held.give_up();
                return self.carry(&data, end).await;
            }
            for place in [end, nudged(end), end] {
                held.move_to(&mouse, place).await?;
                let main = self.main();
                self.ask::<Nothing>(&main, "rest", (REST,)).await?;
            }
            held.release().await
        };
        self.acting(dragging).await
    }

    /// Lets the frames look for drags from now on; those that do. A page that is on its way to another document has nothing
    /// to drag.
    pub(super) async fn watch_drags(&self) -> Vec<Arc<Frame>> {
        let asked = self.in_frames(|frame| async move { self.ask::<Nothing>(&frame, "watchDrags", ()).await });
        asked
            .await
            .unwrap_or_default()
            .into_iter()
            .map(|(frame, _)| frame)
            .collect()
    }

    /// What these frames have seen since then.
    pub(super) async fn seen_drags(&self, watching: &[Arc<Frame>]) -> Seen {
        let asked = self.among(watching.to_vec(), |frame| async move {
            self.ask::<Seen>(&frame, "seenDrags", ()).await
        });
        let seen = asked.await.unwrap_or_default().into_iter();
        seen.fold(Seen::default(), |all, (_, seen)| Seen {
            started: all.started || seen.started,
            wanted: all.wanted || seen.wanted,
        })
    }

    /// Brings what is dragged over a place and lets it go there.
    async fn carry(&self, data: &DragData, to: Point) -> Result<(), BrowserError> {
        let cancel = Cancelled {
            page: Some(self.page()),
            data,
            at: to,
        };
        for kind in [
            DragEventType::DragEnter,
            DragEventType::DragOver,
            DragEventType::DragOver,
        ] {
            self.page().call(&dragged(kind, data, to)).await?;
        }
        cancel.disarm();
        self.page().call(&dragged(DragEventType::Drop, data, to)).await?;
        Ok(())
    }
}

/// What a frame has seen of drags.
#[derive(Default, serde::Deserialize)]
pub(super) struct Seen {
    /// One began.
    pub(super) started: bool,
    /// Something wants what is over it.
    pub(super) wanted: bool,
}

pub(super) fn dragged(kind: DragEventType, data: &DragData, at: Point) -> DispatchDragEvent<'_> {
    DispatchDragEvent {
        kind,
        x: at.x,
        y: at.y,
        data,
        modifiers: Modifiers::default(),
    }
}

/// A little to the side: some pages begin a drag only after a few pixels.
fn nudged(point: Point) -> Point {
    Point {
        x: point.x + 6.0,
        y: point.y + 2.0,
    }
}

fn between(start: Point, end: Point, share: f64) -> Point {
    Point {
        x: start.x + (end.x - start.x) * share,
        y: start.y + (end.y - start.y) * share,
    }
}

/// A button that is down while drags are held back: comes up again, whatever happens.
struct Held<'a> {
    page: &'a Channel,
    release: Option<DispatchMouseEvent>,
}

impl<'a> Held<'a> {
    async fn press(page: &'a Channel, mouse: &Mouse<'_>, at: Point) -> Result<Self, BrowserError> {
        page.call(&SetInterceptDrags { enabled: true }).await?;
        page.send(&mouse.moved(at, MouseButton::None));
        let held = Self {
            page,
            release: Some(mouse.released(at, MouseButton::Left, 1)),
        };
        page.call(&mouse.pressed(at, MouseButton::Left, 1)).await?;
        Ok(held)
    }

    async fn move_to(&mut self, mouse: &Mouse<'_>, at: Point) -> Result<(), BrowserError> {
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

    /// The browser has taken the pointer over: there is nothing to release.
    fn give_up(mut self) {
        self.release = None;
    }
}

impl std::ops::Drop for Held<'_> {
    fn drop(&mut self) {
        if let Some(release) = &self.release {
            self.page.send(release);
        }
        self.page.send(&SetInterceptDrags { enabled: false });
    }
}

/// A drag that is over a page: given up if nobody lets it go.
struct Cancelled<'a> {
    page: Option<&'a Channel>,
    data: &'a DragData,
    at: Point,
}

impl Cancelled<'_> {
    fn disarm(mut self) {
        self.page = None;
    }
}

impl std::ops::Drop for Cancelled<'_> {
    fn drop(&mut self) {
        if let Some(page) = self.page {
            page.send(&dragged(DragEventType::DragCancel, self.data, self.at));
        }
    }
}
