//! What a page is, as text: the snapshots of its frames in one, and what changed since the last.
//!
//! The page's script makes each frame's part, cut inside the page; here the part of a frame goes below the line of the element
//! that holds it, whichever process it lives in.

mod diff;
mod lines;
mod pairs;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use crate::{
    devtools::protocol::dom::DescribeNode,
    errors::BrowserError,
    refusal::Said,
    tab::{Frame, Located, PATIENCE, Tab},
    target::{Place, Target},
};

/// Frames in frames that are shown.
const DEEPEST: usize = 6;
/// Frames that are shown in one snapshot.
const MOST: usize = 50;
/// Longest snapshot if nobody says otherwise, in characters; long runs of alike are collapsed long before.
const LONGEST: usize = 40_000;
/// Too little room for anything of a frame.
const LEAST: usize = 200;
/// A token of o200k in characters of a snapshot, on the low side so that a limit in tokens holds.
const TOKEN: usize = 3;

/// The form of a snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SnapshotFormat {
    /// Roles, names, states and refs, as YAML.
    #[default]
    Aria,
    /// What a reader reads.
    Text,
    /// Cleaned HTML.
    Html,
}

/// What of a page is wanted.
#[derive(Clone, Debug, Default)]
pub struct SnapshotRequest {
    /// This element and what is in it; without one the page.
    pub target: Option<Target>,
    /// Levels below it.
    pub depth: Option<u32>,
    /// Characters, as a caller wants them; 40,000 if not given.
    pub max_length: Option<usize>,
    /// Characters that a reply has room for, if it is less.
    pub room: Option<usize>,
    /// Its form.
    pub format: SnapshotFormat,
    /// With the box of every element, in CSS pixels of its frame's viewport.
    pub boxes: bool,
}

/// A snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// With its marks, where something was cut.
    pub text: String,
    /// Whether something was.
    pub cut: bool,
    /// Where some are left out: how many lines there are in all; how many characters of readable text and of HTML, which have no
    /// mark then.
    pub of: Option<usize>,
}

/// What changed since the last snapshot of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Empty where nothing changed.
    pub text: String,
    /// Whether this is the whole snapshot: there was none before, or telling the changes would take more.
    pub whole: bool,
    /// Whether something was cut.
    pub cut: bool,
}

/// As `fumi.snapshot` takes it.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Options<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Place>,
    max_length: usize,
    /// A caller said how long, and has room for long runs.
    is_wide: bool,
    /// A caller who wants more gets more.
    can_grow: bool,
    format: SnapshotFormat,
    boxes: bool,
}

/// As `fumi.snapshot` answers.
#[derive(Deserialize)]
struct Part {
    text: String,
    #[serde(default)]
    truncated: Option<Truncated>,
    #[serde(default)]
    iframes: Vec<Iframe>,
    #[serde(default)]
    acted: Option<Acted>,
}

/// How much there is of what was cut, in lines, or in characters of what has none.
#[derive(Deserialize)]
struct Truncated {
    of: usize,
}

/// The lines around what was acted on last, which the snapshot leaves out.
#[derive(Deserialize)]
struct Acted {
    was: String,
    /// Empty if it is gone.
    is: String,
}

/// The line of an element that holds a frame.
#[derive(Deserialize)]
struct Iframe {
    #[serde(rename = "ref")]
    reference: String,
    line: usize,
}

/// What is left to spend on frames.
struct Left {
    characters: usize,
    frames: usize,
    cut: bool,
    of: Option<usize>,
    acted: Option<Acted>,
}

impl Tab {
    /// The page or a part of it as text.
    pub async fn snapshot(&self, request: &SnapshotRequest) -> Result<Snapshot, BrowserError> {
        let (target, from) = match request.target.as_ref().map(|target| (target, target.at_row())) {
            Some((_, Some((target, place)))) => (Some(target), Some(place)),
            Some((target, None)) => (Some(target.clone()), None),
            None => (None, None),
        };
        let located = match &target {
            Some(target) => Some(self.locate(target).await?),
            None => None,
        };
        let (snapshot, _) = self.taken(request, located.as_ref(), from).await?;
        // What a caller had cut is nothing to compare the whole with.
        let is_whole = (request.max_length.is_none() && request.room.is_none()) || !snapshot.cut;
        if is_whole
            && request.target.is_none()
            && request.depth.is_none()
            && request.format == SnapshotFormat::Aria
            && !request.boxes
        {
            self.remember_snapshot(snapshot.text.clone());
        }
        Ok(snapshot)
    }

    /// Looks at a page that nobody has seen yet, so that the difference to what it is now can be told.
    pub async fn see_first(&self) {
        if self.has_snapshot() {
            return;
        }
        self.at_rest().await;
        if let Err(error) = self.snapshot(&SnapshotRequest::default()).await {
            tracing::debug!(%error, "no snapshot before an act");
        }
    }

    /// What changed since the last snapshot of the whole page, in at most so many tokens; this one is the last from now on.
    pub async fn changes(&self, max_tokens: usize) -> Result<Changes, BrowserError> {
        let (now, acted) = self.taken(&SnapshotRequest::default(), None, None).await?;
        let acted = acted
            .map(|acted| diff::lines(&acted.was, &acted.is))
            .unwrap_or_default();
        let room = max_tokens.saturating_mul(TOKEN);
        let limit = room.saturating_sub(acted.chars().count());
        let before = self.remember_snapshot(now.text.clone());
        let changes = match &before {
            Some(before) => diff::changes(before, &now.text, limit),
            None => diff::Changes::Full(now.text.clone()),
        };
        Ok(match changes {
            diff::Changes::Unchanged => Changes {
                text: acted,
                ..Changes::default()
            },
            diff::Changes::Part { text, cut } => Changes {
                text: diff::joined(&acted, &text),
                whole: false,
                cut: cut > 0,
            },
            diff::Changes::Full(text) if text.chars().count() <= limit => Changes {
                text,
                whole: true,
                cut: now.cut,
            },
            // Too long as it is: taken again, so that the page says where to go on.
            diff::Changes::Full(_) => {
                let request = SnapshotRequest {
                    max_length: Some(limit),
                    ..SnapshotRequest::default()
                };
                let (snapshot, _) = self.taken(&request, None, None).await?;
                Changes {
                    text: snapshot.text,
                    whole: true,
                    cut: snapshot.cut,
                }
            }
        })
    }

    async fn taken(
        &self,
        request: &SnapshotRequest,
        located: Option<&Located>,
        from: Option<Place>,
    ) -> Result<(Snapshot, Option<Acted>), BrowserError> {
        let frame = located.map_or_else(|| self.main(), |located| Arc::clone(&located.frame));
        let asked = request.max_length.unwrap_or(LONGEST);
        let characters = request.room.map_or(asked, |room| room.min(asked));
        let options = Options {
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
        let mut left = Left {
            characters,
            frames: MOST,
            cut: false,
            of: None,
            acted: None,
        };
        let text = self.part(&frame, &options, &mut left, 0).await?;
        Ok((
            Snapshot {
                text,
                cut: left.cut,
                of: left.of,
            },
            left.acted,
        ))
    }

    /// A frame's part with those of the frames inside it.
    async fn part(
        &self,
        frame: &Arc<Frame>,
        options: &Options<'_>,
        left: &mut Left,
        depth: usize,
    ) -> Result<String, BrowserError> {
        let options = Options {
            max_length: left.characters,
            ..options.clone()
        };
        let said: Said<Part> = self.ask(frame, "snapshot", (&options,)).await?;
        let part = said.done(options.root.unwrap_or("the page"))?;
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

    /// What stands below the line of an element that holds a frame. It never fails: a frame may leave or hang at any time.
    async fn inside(
        &self,
        above: &Arc<Frame>,
        iframe: &Iframe,
        options: &Options<'_>,
        left: &mut Left,
        depth: usize,
    ) -> String {
        if left.frames == 0 || left.characters < LEAST {
            left.cut = true;
            return format!("- … content cut (snapshot target={})", iframe.reference);
        }
        left.frames -= 1;
        let options = Options {
            root: None,
            from: None,
            ..options.clone()
        };
        let asked = async {
            let frame = self.held_by(above, &iframe.reference).await?;
            // Boxed, since frames lie in frames.
            Box::pin(self.part(&frame, &options, left, depth + 1)).await
        };
        match timeout(PATIENCE, asked).await {
            Ok(Ok(text)) => text,
            Ok(Err(error)) => {
                tracing::debug!(%error, "a frame without a snapshot");
                String::new()
            }
            Err(_) => "- … the frame does not answer".to_owned(),
        }
    }

    /// The frame that an element of a frame holds.
    pub(crate) async fn held_by(&self, above: &Arc<Frame>, reference: &str) -> Result<Arc<Frame>, BrowserError> {
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
        frame.ok_or_else(|| BrowserError::NoMatch {
            target: reference.to_owned(),
            nearest: Vec::new(),
        })
    }
}
