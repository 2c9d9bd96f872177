//! Snapshots of a page as text, and the changes since the last snapshot.
//!
//! The script in each frame renders and shortens the frame's part. This module inserts the part of a child frame below
//! the line of the element that contains it, whichever process the frame runs in.

mod diff;
mod line_matching;
mod lines;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use crate::{
    devtools::protocol::dom::DescribeNode,
    errors::BrowserError,
    script_reply::ScriptReply,
    tab::{FRAME_TIMEOUT, Located, Tab, TabFrame},
    target::{RunPosition, Target},
};

/// The deepest level of nested frames that is shown.
const DEEPEST: usize = 6;
/// Frames that are shown in one snapshot.
const MOST: usize = 50;
/// Characters of the longest snapshot if the caller sets no limit. Long runs of similar elements are collapsed far
/// earlier.
const LONGEST: usize = 40_000;
/// Characters below which no further frame is shown.
const LEAST: usize = 200;
/// Characters of a snapshot for one token (o200k); a low estimate, so that limits in tokens hold.
const TOKEN: usize = 3;

/// The form of a snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PageSnapshotFormat {
    /// Roles, names, states and refs, as YAML.
    #[default]
    Aria,
    /// The readable text of the page.
    Text,
    /// HTML without scripts, styles and other clutter.
    Html,
}

#[derive(Clone, Debug, Default)]
pub struct SnapshotRequest {
    /// The element to show with its contents; `None` for the whole page.
    pub target: Option<Target>,
    /// Levels of descendants to show.
    pub depth: Option<u32>,
    /// The limit in characters that the caller asked for; 40,000 if `None`.
    pub max_length: Option<usize>,
    /// The characters that fit into the reply; the smaller of both limits applies.
    pub room: Option<usize>,
    pub format: PageSnapshotFormat,
    /// True to add the box of every element, in CSS pixels of its frame's viewport.
    pub boxes: bool,
}

/// A snapshot as text, with the extent of what was cut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageSnapshot {
    /// The text, with marks where lines were left out.
    pub text: String,
    /// True if something was left out.
    pub cut: bool,
    /// The full size if something was left out: the number of lines, or of characters for readable text and HTML, which
    /// have no marks in that case.
    pub of: Option<usize>,
}

/// The changes since the last snapshot of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageChanges {
    /// The changed lines; empty if nothing changed.
    pub text: String,
    /// True if `text` is the whole snapshot, because there was none before or because the list of changes would be
    /// longer.
    pub whole: bool,
    /// True if something was left out.
    pub cut: bool,
}

/// The argument of `fumi.snapshot` in the page's script.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct FrameSnapshotOptions<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<RunPosition>,
    max_length: usize,
    /// True if the caller set a limit, so that long runs may be shown.
    is_wide: bool,
    /// True if the caller can get more with a higher limit.
    can_grow: bool,
    format: PageSnapshotFormat,
    boxes: bool,
}

/// The reply of `fumi.snapshot` in the page's script.
#[derive(Deserialize)]
struct FrameSnapshot {
    text: String,
    #[serde(default)]
    truncated: Option<Truncated>,
    #[serde(default)]
    iframes: Vec<IframeLine>,
    #[serde(default)]
    acted: Option<ActedLines>,
}

/// The full size of a shortened part, in lines, or in characters for formats without lines.
#[derive(Deserialize)]
struct Truncated {
    of: usize,
}

/// The lines around the element that was acted on last, which the snapshot leaves out.
#[derive(Deserialize)]
struct ActedLines {
    was: String,
    /// The present lines; empty if the element is gone.
    is: String,
}

/// The line of an element that contains a frame.
#[derive(Deserialize)]
struct IframeLine {
    #[serde(rename = "ref")]
    reference: String,
    line: usize,
}

/// The remaining budget for frames, and the results collected so far.
struct SnapshotBudget {
    characters: usize,
    frames: usize,
    cut: bool,
    of: Option<usize>,
    acted: Option<ActedLines>,
}

impl Tab {
    /// Returns the page or a part of it as text.
    pub async fn snapshot(&self, request: &SnapshotRequest) -> Result<PageSnapshot, BrowserError> {
        let (target, from) = match request.target.as_ref().map(|target| (target, target.at_row())) {
            Some((_, Some((target, place)))) => (Some(target), Some(place)),
            Some((target, None)) => (Some(target.clone()), None),
            None => (None, None),
        };
        let located = match &target {
            Some(target) => Some(self.locate(target).await?),
            None => None,
        };
        let (snapshot, _) = self.take_snapshot(request, located.as_ref(), from).await?;
        // A snapshot that the caller's limits have cut cannot be compared with a whole one, so it is not stored.
        let is_whole = (request.max_length.is_none() && request.room.is_none()) || !snapshot.cut;
        if is_whole
            && request.target.is_none()
            && request.depth.is_none()
            && request.format == PageSnapshotFormat::Aria
            && !request.boxes
        {
            self.remember_snapshot(snapshot.text.clone());
        }
        Ok(snapshot)
    }

    /// Takes a first snapshot if there is none, so that later changes can be reported.
    pub async fn ensure_snapshot(&self) {
        if !self.has_snapshot() {
            self.renew_snapshot().await;
        }
    }

    /// Takes a snapshot that later changes are compared with: what the page shows now is not reported as new again. If
    /// it fails, the next call reports changes since the earlier one.
    pub async fn renew_snapshot(&self) {
        let taken = async {
            self.settle_pending().await?;
            self.snapshot(&SnapshotRequest::default()).await
        };
        if let Err(error) = taken.await {
            tracing::debug!(%error, "no snapshot before an act");
        }
    }

    /// Returns the changes since the last snapshot of the whole page, in at most `max_tokens` tokens, and stores the
    /// present snapshot as the last one.
    pub async fn changes(&self, max_tokens: usize) -> Result<PageChanges, BrowserError> {
        let (now, acted) = self.take_snapshot(&SnapshotRequest::default(), None, None).await?;
        let acted = acted.map(|acted| diff::lines(&acted.was, &acted.is)).unwrap_or_default();
        let room = max_tokens.saturating_mul(TOKEN);
        let limit = room.saturating_sub(acted.chars().count());
        let clicked = self.record_click(None);
        let (before, hidden) = self.remember_snapshot(now.text.clone());
        let before = before.map(|before| match clicked {
            Some(reference) => diff::with_focus(before, &now.text, &reference),
            None => before,
        });
        let changes = match (&before, &hidden) {
            (Some(before), Some(hidden)) => diff::changes_of_page_behind(hidden, before, &now.text, limit),
            (Some(before), None) => diff::changes(before, &now.text, limit),
            (None, _) => diff::SnapshotDiff::Full(now.text.clone()),
        };
        Ok(match changes {
            diff::SnapshotDiff::Unchanged => PageChanges { text: acted, ..PageChanges::default() },
            diff::SnapshotDiff::Part { text, cut } => {
                PageChanges { text: diff::joined(&acted, &text), whole: false, cut: cut > 0 }
            }
            diff::SnapshotDiff::Full(text) if text.chars().count() <= limit => {
                PageChanges { text, whole: true, cut: now.cut }
            }
            // The whole snapshot is too long: it is taken again with the limit, so that the page's script marks how to
            // continue.
            diff::SnapshotDiff::Full(_) => {
                let request = SnapshotRequest { max_length: Some(limit), ..SnapshotRequest::default() };
                let (snapshot, _) = self.take_snapshot(&request, None, None).await?;
                PageChanges { text: snapshot.text, whole: true, cut: snapshot.cut }
            }
        })
    }

    async fn take_snapshot(
        &self,
        request: &SnapshotRequest,
        located: Option<&Located>,
        from: Option<RunPosition>,
    ) -> Result<(PageSnapshot, Option<ActedLines>), BrowserError> {
        let frame = located.map_or_else(|| self.main(), |located| Arc::clone(&located.frame));
        let asked = request.max_length.unwrap_or(LONGEST);
        let characters = request.room.map_or(asked, |room| room.min(asked));
        let options = FrameSnapshotOptions {
            root: located.map(|located| located.reference.as_str()),
            depth: request.depth,
            from,
            max_length: characters,
            is_wide: request.max_length.is_some(),
            can_grow: match request.room {
                Some(_) => request.max_length.is_none() && request.target.is_none(),
                None => asked < LONGEST,
            },
            format: request.format,
            boxes: request.boxes,
        };
        let mut left = SnapshotBudget { characters, frames: MOST, cut: false, of: None, acted: None };
        let text = self.part(&frame, &options, &mut left, 0).await?;
        Ok((PageSnapshot { text, cut: left.cut, of: left.of }, left.acted))
    }

    /// Renders a frame together with the frames inside it.
    async fn part(
        &self,
        frame: &Arc<TabFrame>,
        options: &FrameSnapshotOptions<'_>,
        left: &mut SnapshotBudget,
        depth: usize,
    ) -> Result<String, BrowserError> {
        let options = FrameSnapshotOptions { max_length: left.characters, ..options.clone() };
        let said: ScriptReply<FrameSnapshot> = self.ask(frame, "snapshot", (&options,)).await?;
        let part = said.into_result(options.root.unwrap_or("the page"))?;
        left.cut |= part.truncated.is_some();
        left.of = left.of.or(part.truncated.map(|truncated| truncated.of));
        left.acted = part.acted.or(left.acted.take());
        left.characters = left.characters.saturating_sub(part.text.chars().count());
        if part.iframes.is_empty() || depth == DEEPEST {
            return Ok(part.text);
        }
        let mut text = String::with_capacity(part.text.len());
        let mut iframes = part.iframes.into_iter().peekable();
        for (number, line) in part.text.lines().enumerate() {
            if !text.is_empty() {
                text.push('\n');
            }
            let Some(iframe) = iframes.next_if(|iframe| iframe.line == number) else {
                text.push_str(line);
                continue;
            };
            let inside = self.inside(frame, &iframe, &options, left, depth).await;
            if inside.is_empty() {
                text.push_str(line);
                continue;
            }
            text.push_str(line.strip_suffix(':').unwrap_or(line));
            text.push(':');
            let indent = line.len() - line.trim_start().len() + 2;
            for line in inside.lines() {
                text.push_str(&format!("\n{:indent$}{line}", ""));
            }
        }
        Ok(text)
    }

    /// Renders the lines below an element that contains a frame. It does not fail, because a frame may disappear or
    /// hang at any time.
    async fn inside(
        &self,
        above: &Arc<TabFrame>,
        iframe: &IframeLine,
        options: &FrameSnapshotOptions<'_>,
        left: &mut SnapshotBudget,
        depth: usize,
    ) -> String {
        if left.frames == 0 || left.characters < LEAST {
            left.cut = true;
            return format!("- … content cut (snapshot target={})", iframe.reference);
        }
        left.frames -= 1;
        let options = FrameSnapshotOptions { root: None, from: None, ..options.clone() };
        let asked = async {
            let frame = self.contained_frame(above, &iframe.reference).await?;
            // Boxed because of the recursion: frames contain frames.
            Box::pin(self.part(&frame, &options, left, depth + 1)).await
        };
        match timeout(FRAME_TIMEOUT, asked).await {
            Ok(Ok(text)) => text,
            Ok(Err(error)) => {
                tracing::debug!(%error, "a frame without a snapshot");
                String::new()
            }
            Err(_) => "- … the frame does not answer".to_owned(),
        }
    }

    /// Returns the frame that an element contains.
    pub(crate) async fn contained_frame(
        &self,
        above: &Arc<TabFrame>,
        reference: &str,
    ) -> Result<Arc<TabFrame>, BrowserError> {
        let located = Located {
            frame: Arc::clone(above),
            called: reference.to_owned(),
            reference: reference.to_owned(),
            role: "iframe".to_owned(),
            name: String::new(),
        };
        let object = self.object(&located).await?;
        let object_id = object.id.clone();
        let node = object.channel().call(&DescribeNode { object_id }).await?.node;
        let frame = node.frame_id.and_then(|id| self.frame(&id));
        frame.ok_or_else(|| BrowserError::NoSuchElement { target: reference.to_owned(), nearest: Vec::new() })
    }
}
