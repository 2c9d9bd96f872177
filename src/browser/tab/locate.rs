//! From what a caller names to an element of one frame, and to the point of the page where it is pressed.

use std::sync::Arc;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Frame, Tab};
use crate::{
    devtools::protocol::dom::ScrollIntoViewIfNeeded,
    errors::{BrowserError, FRAME_BEFORE},
    refusal::Said,
    target::Target,
};

/// Frames in frames that are gone through; more is a trap.
const DEEPEST: usize = 16;
/// Candidates of all frames that are named.
const CANDIDATES: usize = 16;

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
    /// As the caller named it, for what is said about it: with the ref behind, where that is not the name.
    pub(crate) called: String,
    /// With its frame's prefix.
    pub(crate) reference: String,
    pub(crate) role: String,
    pub(crate) name: String,
}

impl Located {
    fn new(frame: Arc<Frame>, named: &str, found: Resolved) -> Self {
        Self {
            frame,
            called: if named == found.reference {
                named.to_owned()
            } else {
                format!("{named} (ref {})", found.reference)
            },
            reference: found.reference,
            role: found.role,
            name: found.name,
        }
    }
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
    visible: bool,
}

/// What `fumi.resolveAnd` says.
#[derive(Deserialize)]
struct Both<R> {
    found: Said<Resolved>,
    next: Option<Said<R>>,
}

/// How `fumi.aim` is asked.
#[derive(Default, Serialize)]
pub(crate) struct AimOptions {
    /// From the upper left corner; else the middle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) position: Option<Point>,
    /// No check but that it is in view: a picture shows what is there.
    pub(crate) force: bool,
}

/// What matches in several frames.
#[derive(Default)]
struct Matches {
    count: usize,
    one: Option<Located>,
    candidates: Vec<String>,
}

impl Matches {
    fn add(&mut self, located: Located) {
        self.add_several(1, vec![located.to_string()]);
        self.one = Some(located);
    }

    fn add_several(&mut self, count: usize, candidates: Vec<String>) {
        self.count += count;
        self.candidates.extend(candidates);
        self.candidates.truncate(CANDIDATES);
    }
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
    /// Finds the frame and the element: a ref by its frame's number, anything else in the main frame, and only if nothing
    /// there matches in those inside it, all together.
    pub(crate) async fn locate(&self, target: &Target) -> Result<Located, BrowserError> {
        let located = self.locate_now(target).await;
        self.or_at_rest(target, located).await
    }

    /// What was found, or what is there once the page has come to rest.
    async fn or_at_rest(
        &self,
        target: &Target,
        located: Result<Located, BrowserError>,
    ) -> Result<Located, BrowserError> {
        if located.is_ok() || !self.is_unsettled() {
            return located;
        }
        self.at_rest().await;
        self.locate_now(target).await
    }

    /// Finds an element and asks a function about it, in one question where it is in the main frame; else only the element comes
    /// back, as it does where its role is one that the caller goes on with by itself.
    pub(crate) async fn locate_and<R: DeserializeOwned>(
        &self,
        target: &Target,
        (function, args): (&str, impl Serialize),
        unless: Option<&str>,
    ) -> Result<(Located, Option<Said<R>>), BrowserError> {
        // What may have to be stopped is asked alone.
        if target.frame().is_none_or(|number| number == 0) && !target.has_pattern() {
            let main = self.main();
            let both: Both<R> = self.ask(&main, "resolveAnd", (target, function, args, unless)).await?;
            let named = target.to_string();
            let refused = match both.found {
                Said::Done(found) => return Ok((Located::new(main, &named, found), both.next)),
                Said::Refused(refusal) => Err(refusal.of(&named)),
            };
            let located = match target.frame() {
                Some(_) => refused,
                None => self.or_inside(target, refused).await,
            };
            return Ok((self.or_at_rest(target, located).await?, None));
        }
        Ok((self.locate(target).await?, None))
    }

    async fn locate_now(&self, target: &Target) -> Result<Located, BrowserError> {
        if let Some(number) = target.frame() {
            let frame = self.state().frames.by_number(number).cloned();
            let frame = frame.ok_or_else(|| BrowserError::Stale {
                reference: target.to_string(),
                was: FRAME_BEFORE.to_owned(),
                nearest: Vec::new(),
            })?;
            return self.resolve(&frame, target).await;
        }
        let in_main = self.resolve(&self.main(), target).await;
        self.or_inside(target, in_main).await
    }

    /// What was found in the main frame; where nothing was, what is in those inside it.
    async fn or_inside(
        &self,
        target: &Target,
        in_main: Result<Located, BrowserError>,
    ) -> Result<Located, BrowserError> {
        match in_main {
            // Boxed: it is large and seldom, and nearly every act begins with this.
            Err(BrowserError::NoMatch { nearest, .. }) => Box::pin(self.locate_inside(target, nearest)).await,
            located => located,
        }
    }

    /// The one match in the frames inside the page. `nearest`: what the main frame suggests, which is the best if it does.
    async fn locate_inside(&self, target: &Target, mut nearest: Vec<String>) -> Result<Located, BrowserError> {
        let named = target.to_string();
        let inner = self.frames().into_iter().filter(|frame| frame.number != 0).collect();
        let ask = |frame: Arc<Frame>| async move { self.resolved(&frame, target).await };
        let asked = if target.has_pattern() {
            self.one_by_one(inner, ask).await?
        } else {
            self.among(inner, ask).await?
        };
        let (mut seen, mut hidden) = (Matches::default(), Matches::default());
        for (frame, said) in asked {
            match said {
                Said::Done(found) => {
                    let matches = if found.visible { &mut seen } else { &mut hidden };
                    matches.add(Located::new(frame, &named, found));
                }
                Said::Refused(refusal) => {
                    let matches = if refusal.is_visible() { &mut seen } else { &mut hidden };
                    match refusal.of(&named) {
                        BrowserError::Several { count, candidates, .. } => matches.add_several(count, candidates),
                        BrowserError::NoMatch { nearest: here, .. } if nearest.is_empty() => nearest = here,
                        _ => {}
                    }
                }
            }
        }
        let matches = if seen.count > 0 { seen } else { hidden };
        match (matches.count, matches.one) {
            (0, _) => Err(BrowserError::NoMatch { target: named, nearest }),
            (1, Some(located)) => Ok(located),
            (count, _) => Err(BrowserError::Several {
                target: named,
                count,
                candidates: matches.candidates,
            }),
        }
    }

    async fn resolve(&self, frame: &Arc<Frame>, target: &Target) -> Result<Located, BrowserError> {
        let named = target.to_string();
        let found = self.resolved(frame, target).await?.done(&named)?;
        Ok(Located::new(Arc::clone(frame), &named, found))
    }

    async fn resolved(&self, frame: &Frame, target: &Target) -> Result<Said<Resolved>, BrowserError> {
        if target.has_pattern() {
            self.ask_with_pattern(frame, "resolve", (target,)).await
        } else {
            self.ask(frame, "resolve", (target,)).await
        }
    }

    /// Scrolls to an element, waits until it is at rest, and checks that it is visible, enabled and not covered, in the frames
    /// above too. The point is in CSS pixels of the tab's viewport, where input goes.
    pub(crate) async fn aim(&self, located: &Located) -> Result<Point, BrowserError> {
        self.aim_at(located, None).await
    }

    /// The same at a position from the element's upper left corner.
    pub(crate) async fn aim_at(&self, located: &Located, position: Option<Point>) -> Result<Point, BrowserError> {
        self.scroll_to(located).await?;
        let options = AimOptions {
            position,
            ..AimOptions::default()
        };
        let said: Said<Point> = self.ask(&located.frame, "aim", (&located.reference, options)).await?;
        let mut point = said.done(&located.called)?;
        let mut frame = Arc::clone(&located.frame);
        for _ in 0..DEEPEST {
            let Some(above) = self.parent(&frame) else {
                return Ok(point);
            };
            point = self.through(&frame, &above, point).await?.done(&located.called)?;
            frame = above;
        }
        Ok(point)
    }

    /// Brings an element of a frame into view in the frames above: the script in a frame cannot scroll what another process
    /// shows. In its own frame the script scrolls.
    pub(crate) async fn scroll_to(&self, located: &Located) -> Result<(), BrowserError> {
        if located.frame.number != 0 {
            let object = self.object(located).await?;
            let object_id = object.id.clone();
            // An element without a box: the script says it better.
            let _ = object.channel().call(&ScrollIntoViewIfNeeded { object_id }).await;
            // Input goes to where the frame was drawn last, which may be elsewhere than where it is by now.
            self.drawn().await;
        }
        Ok(())
    }

    pub(crate) fn parent(&self, frame: &Frame) -> Option<Arc<Frame>> {
        self.state().frames.parent(frame)
    }

    /// A point of a frame's viewport in that of the frame above, where the frame's element must receive what happens there.
    async fn through(&self, frame: &Frame, above: &Frame, point: Point) -> Result<Said<Point>, BrowserError> {
        let owner = self.owner(frame, above).await?;
        let inside = match self.ask_on::<Said<FrameBox>>(above, &owner, "frameBox", ()).await? {
            Said::Done(inside) => inside,
            Said::Refused(refusal) => return Ok(Said::Refused(refusal)),
        };
        let position = Point {
            x: inside.x + point.x * inside.scale_x - inside.left,
            y: inside.y + point.y * inside.scale_y - inside.top,
        };
        let options = AimOptions {
            position: Some(position),
            ..AimOptions::default()
        };
        self.ask_on(above, &owner, "aim", (options,)).await
    }

    /// The box of a frame's document in the viewport of the frame above: its corner and the scale of its pixels.
    pub(crate) async fn frame_corner(&self, frame: &Frame) -> Result<Option<(Point, Point)>, BrowserError> {
        let Some(above) = self.parent(frame) else {
            return Ok(None);
        };
        let owner = self.owner(frame, &above).await?;
        let said: Said<FrameBox> = self.ask_on(&above, &owner, "frameBox", ()).await?;
        let inside = said.done(&frame.prefix())?;
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
}
