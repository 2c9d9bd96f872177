//! Resolution of a caller's target to an element of one frame, and to the point of the page where it is clicked.

use std::sync::Arc;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Tab, TabFrame};
use crate::{
    devtools::protocol::dom::ScrollIntoViewIfNeeded,
    errors::{BrowserError, FRAME_BEFORE},
    script_reply::ScriptReply,
    target::Target,
};

/// The maximum nesting of frames that is followed; deeper nesting is treated as a trap.
const DEEPEST: usize = 16;
/// The maximum number of candidates, of all frames together, that an error lists.
const CANDIDATES: usize = 16;

/// A point on the page, in CSS pixels of the tab's viewport.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct ViewportPoint {
    /// The distance from the left edge.
    pub x: f64,
    /// The distance from the top edge.
    pub y: f64,
}

/// An element that a target was resolved to, with its frame.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    pub(crate) frame: Arc<TabFrame>,
    /// The caller's description of the element, for messages, followed by the ref if the description is not the ref
    /// itself.
    pub(crate) called: String,
    /// The ref, including the frame's prefix.
    pub(crate) reference: String,
    pub(crate) role: String,
    pub(crate) name: String,
}

impl Located {
    fn new(frame: Arc<TabFrame>, named: &str, found: ResolvedElement) -> Self {
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
struct ResolvedElement {
    #[serde(rename = "ref")]
    reference: String,
    role: String,
    name: String,
    visible: bool,
}

/// The answer of `fumi.resolveAnd`.
#[derive(Deserialize)]
struct ResolveAndReply<R> {
    found: ScriptReply<ResolvedElement>,
    next: Option<ScriptReply<R>>,
}

/// The options of `fumi.aim`.
#[derive(Clone, Copy, Default, Serialize)]
pub(crate) struct AimOptions {
    /// The position relative to the element's upper left corner; by default the middle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) position: Option<ViewportPoint>,
    /// True to check only that the element is in view: a screenshot shows whatever is there.
    pub(crate) force: bool,
    /// The action of the pointer at the point. The page's script then watches whether it reaches the element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expects: Option<PointerAction>,
}

/// The action of a pointer at the point where it is aimed.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PointerAction {
    Press,
    Move,
}

impl From<PointerAction> for AimOptions {
    fn from(action: PointerAction) -> Self {
        Self { expects: Some(action), ..Self::default() }
    }
}

/// The matches of a target in several frames.
#[derive(Default)]
struct FrameMatches {
    count: usize,
    one: Option<Located>,
    candidates: Vec<String>,
}

impl FrameMatches {
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

/// The box of a frame element's document in the viewport of the parent frame.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameBox {
    x: f64,
    y: f64,
    scale_x: f64,
    scale_y: f64,
    /// The upper left corner of the element itself, including its border.
    #[serde(default)]
    left: f64,
    #[serde(default)]
    top: f64,
}

impl Tab {
    /// Finds the frame and the element of a target. A ref is looked up in the frame of its number. Any other target is
    /// looked up in the main frame and, only if nothing matches there, in all inner frames together.
    pub(crate) async fn locate(&self, target: &Target) -> Result<Located, BrowserError> {
        let located = self.locate_now(target).await;
        self.or_after_settling(target, located).await
    }

    /// Returns what was found. If nothing was found and the page has not settled, waits for it and looks again.
    async fn or_after_settling(
        &self,
        target: &Target,
        located: Result<Located, BrowserError>,
    ) -> Result<Located, BrowserError> {
        if located.is_ok() || !self.is_unsettled() {
            return located;
        }
        self.settle_pending().await?;
        self.locate_now(target).await
    }

    /// Finds an element and calls a function on it, in one call to the page if the element is in the main frame.
    /// Otherwise, or if the element's role is `unless`, returns only the element: the caller then makes the second call
    /// itself.
    pub(crate) async fn locate_and<R: DeserializeOwned>(
        &self,
        target: &Target,
        (function, args): (&str, impl Serialize),
        unless: Option<&str>,
    ) -> Result<(Located, Option<ScriptReply<R>>), BrowserError> {
        // A query that may have to be aborted is sent alone.
        if target.frame().is_none_or(|number| number == 0) && !target.has_pattern() {
            let main = self.main();
            let both: ResolveAndReply<R> = self.ask(&main, "resolveAnd", (target, function, args, unless)).await?;
            let named = target.to_string();
            let refused = match both.found {
                ScriptReply::Done(found) => return Ok((Located::new(main, &named, found), both.next)),
                ScriptReply::Refused(refusal) => Err(refusal.into_browser_error(&named)),
            };
            let located = match target.frame() {
                Some(_) => refused,
                None => self.or_in_inner_frames(target, refused).await,
            };
            return Ok((self.or_after_settling(target, located).await?, None));
        }
        Ok((self.locate(target).await?, None))
    }

    async fn locate_now(&self, target: &Target) -> Result<Located, BrowserError> {
        if let Some(number) = target.frame() {
            let frame = self.state().frames.by_number(number).cloned();
            let frame = frame.ok_or_else(|| BrowserError::StaleRef {
                reference: target.to_string(),
                was: FRAME_BEFORE.to_owned(),
                nearest: Vec::new(),
            })?;
            return self.resolve(&frame, target).await;
        }
        let in_main = self.resolve(&self.main(), target).await;
        self.or_in_inner_frames(target, in_main).await
    }

    /// Returns what was found in the main frame, or looks in the inner frames if nothing was found there.
    async fn or_in_inner_frames(
        &self,
        target: &Target,
        in_main: Result<Located, BrowserError>,
    ) -> Result<Located, BrowserError> {
        match in_main {
            // Boxed because the future is large and rarely needed, and nearly every act starts here.
            Err(BrowserError::NoSuchElement { nearest, .. }) => Box::pin(self.locate_inside(target, nearest)).await,
            located => located,
        }
    }

    /// Finds the one match in the inner frames. `nearest` contains the suggestions of the main frame; they take
    /// precedence over those of the inner frames.
    async fn locate_inside(&self, target: &Target, mut nearest: Vec<String>) -> Result<Located, BrowserError> {
        let named = target.to_string();
        let inner = self.frames().into_iter().filter(|frame| frame.number != 0).collect();
        let ask = |frame: Arc<TabFrame>| async move { self.resolved(&frame, target).await };
        let asked = if target.has_pattern() {
            self.query_in_order(inner, ask).await?
        } else {
            self.query_frames(inner, ask).await?
        };
        let (mut seen, mut hidden) = (FrameMatches::default(), FrameMatches::default());
        for (frame, said) in asked {
            match said {
                ScriptReply::Done(found) => {
                    let matches = if found.visible { &mut seen } else { &mut hidden };
                    matches.add(Located::new(frame, &named, found));
                }
                ScriptReply::Refused(refusal) => {
                    let matches = if refusal.is_visible() { &mut seen } else { &mut hidden };
                    match refusal.into_browser_error(&named) {
                        BrowserError::SeveralElements { count, candidates, .. } => {
                            matches.add_several(count, candidates);
                        }
                        BrowserError::NoSuchElement { nearest: here, .. } if nearest.is_empty() => nearest = here,
                        _ => {}
                    }
                }
            }
        }
        let matches = if seen.count > 0 { seen } else { hidden };
        match (matches.count, matches.one) {
            (0, _) => Err(BrowserError::NoSuchElement { target: named, nearest }),
            (1, Some(located)) => Ok(located),
            (count, _) => Err(BrowserError::SeveralElements { target: named, count, candidates: matches.candidates }),
        }
    }

    async fn resolve(&self, frame: &Arc<TabFrame>, target: &Target) -> Result<Located, BrowserError> {
        let named = target.to_string();
        let found = self.resolved(frame, target).await?.into_result(&named)?;
        Ok(Located::new(Arc::clone(frame), &named, found))
    }

    async fn resolved(&self, frame: &TabFrame, target: &Target) -> Result<ScriptReply<ResolvedElement>, BrowserError> {
        if target.has_pattern() {
            self.ask_with_pattern(frame, "resolve", (target,)).await
        } else {
            self.ask(frame, "resolve", (target,)).await
        }
    }

    /// Scrolls to an element, waits until it stops moving, and checks that it is visible, enabled and not covered, also
    /// in the parent frames. Returns the point in CSS pixels of the tab's viewport, where input is dispatched. The
    /// options apply in the element's own frame.
    pub(crate) async fn aim(&self, located: &Located, options: AimOptions) -> Result<ViewportPoint, BrowserError> {
        self.scroll_to(located).await?;
        let said: ScriptReply<ViewportPoint> = self.ask(&located.frame, "aim", (&located.reference, options)).await?;
        let mut point = said.into_result(&located.called)?;
        let mut frame = Arc::clone(&located.frame);
        for _ in 0..DEEPEST {
            let Some(above) = self.parent(&frame) else {
                return Ok(point);
            };
            point = self.to_parent_viewport(&frame, &above, point).await?.into_result(&located.called)?;
            frame = above;
        }
        Ok(point)
    }

    /// Scrolls an element of an inner frame into view in the parent frames: the script in a frame cannot scroll the
    /// content of another process. Within its own frame the script scrolls.
    pub(crate) async fn scroll_to(&self, located: &Located) -> Result<(), BrowserError> {
        if located.frame.number != 0 {
            let object = self.object(located).await?;
            let object_id = object.id.clone();
            // An error means an element without a box, which the script reports better.
            let _ = object.channel().call(&ScrollIntoViewIfNeeded { object_id }).await;
            // Input is dispatched to where the frame was last drawn, which may differ from its position by now.
            self.until_drawn().await;
        }
        Ok(())
    }

    pub(crate) fn parent(&self, frame: &TabFrame) -> Option<Arc<TabFrame>> {
        self.state().frames.parent(frame)
    }

    /// Converts a point of a frame's viewport to the parent frame's viewport. Returns a refusal if the frame's element
    /// is not hit there.
    async fn to_parent_viewport(
        &self,
        frame: &TabFrame,
        above: &TabFrame,
        point: ViewportPoint,
    ) -> Result<ScriptReply<ViewportPoint>, BrowserError> {
        let owner = self.owner(frame, above).await?;
        let inside = match self.ask_on::<ScriptReply<FrameBox>>(above, &owner, "frameBox", ()).await? {
            ScriptReply::Done(inside) => inside,
            ScriptReply::Refused(refusal) => return Ok(ScriptReply::Refused(refusal)),
        };
        let position = ViewportPoint {
            x: inside.x + point.x * inside.scale_x - inside.left,
            y: inside.y + point.y * inside.scale_y - inside.top,
        };
        let options = AimOptions { position: Some(position), ..AimOptions::default() };
        self.ask_on(above, &owner, "aim", (options,)).await
    }

    /// Returns the corner of a frame's document in the viewport of the parent frame, and the scale of its pixels.
    /// Returns `None` for the main frame.
    pub(crate) async fn frame_corner(
        &self,
        frame: &TabFrame,
    ) -> Result<Option<(ViewportPoint, ViewportPoint)>, BrowserError> {
        let Some(above) = self.parent(frame) else {
            return Ok(None);
        };
        let owner = self.owner(frame, &above).await?;
        let said: ScriptReply<FrameBox> = self.ask_on(&above, &owner, "frameBox", ()).await?;
        let inside = said.into_result(&frame.prefix())?;
        let corner = ViewportPoint { x: inside.x, y: inside.y };
        let scale = ViewportPoint { x: inside.scale_x, y: inside.scale_y };
        Ok(Some((corner, scale)))
    }
}
