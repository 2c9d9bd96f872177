//! From what a caller names to an element of one frame, and to the point of the page where it is pressed.

use std::sync::Arc;

use fumi_base::text::Text;
use serde::{Deserialize, Serialize};

use super::{Frame, RemoteObject, Tab, Trouble};
use crate::{
    devtools::protocol::dom::{GetFrameOwner, ScrollIntoViewIfNeeded},
    errors::BrowserError,
    target::Target,
};

/// Frames in frames that are gone through; more is a trap.
const DEEPEST: usize = 16;

/// A place on the page, in CSS pixels of the viewport of the tab.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Point {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

/// An element that was found.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    pub(crate) frame: Arc<Frame>,
    /// With its frame's prefix.
    pub(crate) reference: String,
    pub(crate) role: String,
    pub(crate) name: String,
}

impl std::fmt::Display for Located {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?} [ref={}]", self.role, self.name, self.reference)
    }
}

#[derive(Deserialize)]
struct Resolved {
    #[serde(rename = "ref")]
    reference: String,
    role: String,
    name: String,
}

/// How `fumi.aim` is asked.
#[derive(Default, Serialize)]
struct AimOptions {
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<Point>,
    force: bool,
}

/// Where an element's document lies inside the viewport of the frame above.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameBox {
    x: f64,
    y: f64,
    scale_x: f64,
    scale_y: f64,
    /// The upper left corner of the element itself, its border included.
    #[serde(default)]
    left: f64,
    #[serde(default)]
    top: f64,
}

impl Tab {
    /// Finds the frame and the element: a ref by its frame's number, anything else in the main frame, then in those inside
    /// it in their order.
    pub(crate) async fn locate(&self, target: &Target) -> Result<Located, BrowserError> {
        if let Some(number) = target.frame() {
            let frame = self.state().frames.by_number(number).cloned();
            let frame = frame.ok_or_else(|| BrowserError::Stale {
                reference: target.to_string(),
                was: "an element of a frame that is gone".to_owned(),
                nearest: Vec::new(),
            })?;
            return self
                .resolve(&frame, target)
                .await?
                .map_err(|trouble| trouble.about(target));
        }
        let mut nearest = None;
        for frame in self.frames() {
            match self.resolve(&frame, target).await {
                Ok(Ok(located)) => return Ok(located),
                Ok(Err(trouble)) if trouble.error == "none" => {
                    let trouble = trouble.about(target);
                    // The main frame's own suggestions are the best, if it has any.
                    nearest = match nearest {
                        Some(BrowserError::NoMatch { nearest, target }) if !nearest.is_empty() => {
                            Some(BrowserError::NoMatch { target, nearest })
                        }
                        _ => Some(trouble),
                    };
                }
                Ok(Err(trouble)) => return Err(trouble.about(target)),
                // A frame that left meanwhile has no such element.
                Err(BrowserError::Stale { .. } | BrowserError::Protocol(_)) if frame.number != 0 => {}
                Err(error) => return Err(error),
            }
        }
        Err(nearest.unwrap_or_else(|| BrowserError::NoMatch {
            target: target.to_string(),
            nearest: Vec::new(),
        }))
    }

    async fn resolve(&self, frame: &Arc<Frame>, target: &Target) -> Result<Result<Located, Trouble>, BrowserError> {
        let resolved = self.try_ask::<Resolved>(frame, "resolve", (target,)).await?;
        Ok(resolved.map(|found| Located {
            frame: Arc::clone(frame),
            reference: found.reference,
            role: found.role,
            name: found.name,
        }))
    }

    /// Scrolls to an element, waits until it is at rest, and checks that it is visible, enabled and not covered, in the frames
    /// above too. The point is in CSS pixels of the tab's viewport, where input goes.
    pub(crate) async fn aim(&self, located: &Located) -> Result<Point, BrowserError> {
        self.aim_at(located, None).await
    }

    /// The same at a position from the element's upper left corner.
    pub(crate) async fn aim_at(&self, located: &Located, position: Option<Point>) -> Result<Point, BrowserError> {
        let target = Target::Written(located.reference.clone());
        if located.frame.number != 0 {
            // The script in a frame cannot scroll what another process shows.
            let object_id = self.object(located).await?;
            let scroll = ScrollIntoViewIfNeeded {
                object_id: object_id.id.clone(),
            };
            // An element without a box: the script says it better.
            let _ = object_id.channel().call(&scroll).await;
        }
        let options = AimOptions {
            position,
            ..AimOptions::default()
        };
        let aimed = self
            .try_ask::<Point>(&located.frame, "aim", (&located.reference, options))
            .await?;
        let mut point = aimed.map_err(|trouble| trouble.about(&target))?;
        let mut frame = Arc::clone(&located.frame);
        for _ in 0..DEEPEST {
            let Some(above) = self.parent(&frame) else {
                return Ok(point);
            };
            point = self
                .through(&frame, &above, point)
                .await?
                .map_err(|trouble| trouble.about(&target))?;
            frame = above;
        }
        Ok(point)
    }

    pub(crate) fn parent(&self, frame: &Frame) -> Option<Arc<Frame>> {
        self.state().frames.parent(frame)
    }

    /// A point of a frame's viewport in that of the frame above, where the frame's element must receive what happens there.
    async fn through(
        &self,
        frame: &Frame,
        above: &Frame,
        point: Point,
    ) -> Result<Result<Point, Trouble>, BrowserError> {
        let owner = self.owner(frame, above).await?;
        let inside = match self.try_ask_on::<FrameBox>(above, &owner, "frameBox", ()).await? {
            Ok(inside) => inside,
            Err(trouble) => return Ok(Err(trouble)),
        };
        let position = Point {
            x: inside.x + point.x * inside.scale_x - inside.left,
            y: inside.y + point.y * inside.scale_y - inside.top,
        };
        let options = AimOptions {
            position: Some(position),
            ..AimOptions::default()
        };
        self.try_ask_on::<Point>(above, &owner, "aim", (options,)).await
    }

    /// The box of a frame's document in the viewport of the frame above: its corner and the scale of its pixels.
    pub(crate) async fn frame_corner(&self, frame: &Frame) -> Result<Option<(Point, Point)>, BrowserError> {
        let Some(above) = self.parent(frame) else {
            return Ok(None);
        };
        let owner = self.owner(frame, &above).await?;
        let inside = self.try_ask_on::<FrameBox>(&above, &owner, "frameBox", ()).await?;
        let inside = inside.map_err(|trouble| trouble.about(&Target::Written(frame.prefix())))?;
        let corner = Point {
            x: inside.x,
            y: inside.y,
        };
        let scale = Point {
            x: inside.scale_x,
            y: inside.scale_y,
        };
        Ok(Some((corner, scale)))
    }

    /// The element that holds a frame, as an object of fumi's world in the frame above.
    pub(crate) async fn owner(&self, frame: &Frame, above: &Frame) -> Result<RemoteObject, BrowserError> {
        self.unless_stopped(async {
            let (channel, world) = self.world(above).await?;
            let owner = GetFrameOwner {
                frame_id: frame.id.clone(),
            };
            let node = channel.call(&owner).await?.backend_node_id;
            self.resolve_node(above, node, &channel, &world).await
        })
        .await
    }
}

impl Trouble {
    /// What the page's script said, as an error about a target.
    pub(crate) fn about(self, target: &Target) -> BrowserError {
        let target = target.to_string();
        let nearest = |nearest: &[super::world::Nearest]| nearest.iter().map(ToString::to_string).collect();
        let inert = |en, ja| BrowserError::Inert {
            target: target.clone(),
            reason: Text::new(en, ja),
        };
        match self.error.as_str() {
            "stale" => BrowserError::Stale {
                was: self.was,
                nearest: nearest(&self.nearest),
                reference: target,
            },
            "none" => BrowserError::NoMatch {
                nearest: nearest(&self.nearest),
                target,
            },
            "several" => BrowserError::Several {
                count: self.count,
                candidates: self.candidates.into_iter().map(|candidate| candidate.line).collect(),
                target,
            },
            "selector" => BrowserError::Selector {
                selector: target,
                reason: self.message,
            },
            "covered" => BrowserError::Covered { target, by: self.by },
            "invisible" => inert("it is not visible", "表示されていません"),
            "disabled" => inert("it is disabled", "無効になっています"),
            "readonly" => inert("it is read-only", "読み取り専用です"),
            "moving" => inert("it does not come to rest", "動き続けています"),
            "outside" => inert(
                "it lies outside of what can be scrolled to",
                "スクロールしても届かない位置にあります",
            ),
            other => {
                let reason = other.to_owned();
                BrowserError::Inert {
                    target,
                    reason: Text::new(reason.clone(), reason),
                }
            }
        }
    }
}

impl std::fmt::Display for super::world::Nearest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?} [ref={}]", self.role, self.name, self.reference)
    }
}
