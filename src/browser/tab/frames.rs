//! The frames of a tab: one tree, regardless of the processes that the frames live in.
//!
//! Invariants: a frame keeps its number for its lifetime, even if another process takes it over, and no number is used
//! twice in a tab; the main frame is 0. Only this module knows which frame is the child of which.

use std::{collections::HashMap, sync::Arc};

use parking_lot::{Mutex, MutexGuard};
use tokio::time::Instant;

use crate::devtools::{
    Channel,
    protocol::page::{FrameId, FrameInfo, FrameTree, LoaderId},
};

/// A frame of a tab: a place that shows one document after the other.
#[derive(Debug)]
pub(crate) struct TabFrame {
    pub(crate) id: FrameId,
    /// The number of the frame in its tab. It is the prefix of the frame's refs, except in the main frame.
    pub(crate) number: u32,
    // Locked for moves only, never across an `await`.
    inner: Mutex<FrameState>,
}

/// The mutable state of a frame.
#[derive(Debug)]
pub(super) struct FrameState {
    /// The session of the process that the frame lives in.
    pub(super) channel: Channel,
    pub(super) parent: Option<FrameId>,
    pub(super) children: Vec<FrameId>,
    pub(super) url: String,
    pub(super) loader: LoaderId,
    /// Fumi's own world in the document.
    pub(super) world: Option<World>,
    /// The page's own world in the document.
    pub(super) main: Option<World>,
    /// The last ref number that was used in any document of the frame.
    pub(super) last_ref: u64,
    pub(super) loading: Loading,
}

/// A JavaScript world (execution context) of a document.
#[derive(Clone, Debug)]
pub(crate) struct World {
    /// The number of the world within its process, for commands that accept nothing better.
    pub(crate) number: i64,
    /// The id that is unique among all worlds.
    pub(crate) unique: String,
}

/// The loading state of a frame's document.
#[derive(Clone, Debug, Default)]
pub(super) struct Loading {
    /// The document that a pending navigation leads to.
    pub(super) coming: Option<PendingDocument>,
    pub(super) is_ready: bool,
    pub(super) is_loaded: bool,
}

/// A document that was requested and has not arrived.
#[derive(Clone, Debug)]
pub(super) struct PendingDocument {
    pub(super) loader: LoaderId,
    pub(super) url: String,
    pub(super) since: Instant,
}

impl TabFrame {
    pub(super) fn inner(&self) -> MutexGuard<'_, FrameState> {
        self.inner.lock()
    }

    /// Returns the session of the process that the frame lives in now.
    pub(crate) fn channel(&self) -> Channel {
        self.inner().channel.clone()
    }

    pub(crate) fn url(&self) -> String {
        self.inner().url.clone()
    }

    /// Returns the prefix of the frame's refs: empty for the main frame, otherwise such as `f2`.
    pub(crate) fn prefix(&self) -> String {
        match self.number {
            0 => String::new(),
            number => format!("f{number}"),
        }
    }

    fn lives_in(&self, channel: &Channel) -> bool {
        self.inner().channel.session() == channel.session()
    }
}

/// The frame tree of a tab.
#[derive(Debug)]
pub(super) struct TabFrames {
    by_id: HashMap<FrameId, Arc<TabFrame>>,
    main: Arc<TabFrame>,
    next: u32,
}

impl TabFrames {
    pub(super) fn new(main: FrameId, url: String, channel: &Channel) -> Self {
        let main = Arc::new(TabFrame { id: main, number: 0, inner: Mutex::new(FrameState::new(channel, None, url)) });
        Self { by_id: HashMap::from([(main.id.clone(), Arc::clone(&main))]), main, next: 1 }
    }

    pub(super) fn main(&self) -> &Arc<TabFrame> {
        &self.main
    }

    pub(super) fn get(&self, id: &FrameId) -> Option<&Arc<TabFrame>> {
        self.by_id.get(id)
    }

    pub(super) fn by_number(&self, number: u32) -> Option<&Arc<TabFrame>> {
        self.by_id.values().find(|frame| frame.number == number)
    }

    /// Returns all frames: each before its children, which are in the order of their creation.
    pub(super) fn in_order(&self) -> Vec<Arc<TabFrame>> {
        let mut all = Vec::with_capacity(self.by_id.len());
        let mut left = vec![self.main.id.clone()];
        while let Some(frame) = left.pop().and_then(|id| self.by_id.get(&id)) {
            left.extend(frame.inner().children.iter().rev().cloned());
            all.push(Arc::clone(frame));
        }
        all
    }

    pub(super) fn parent(&self, frame: &TabFrame) -> Option<Arc<TabFrame>> {
        let parent = frame.inner().parent.clone()?;
        self.by_id.get(&parent).cloned()
    }

    /// Takes over the frame tree that a session reports when fumi attaches to it.
    pub(super) fn apply_tree(&mut self, tree: FrameTree, channel: &Channel) {
        let id = tree.frame.id.clone();
        if let Some(parent) = tree.frame.parent_id.clone() {
            self.attach(&id, &parent, channel);
        }
        if let Some(frame) = self.by_id.get(&id) {
            frame.inner().move_to_session(channel);
            let mut inner = frame.inner();
            inner.url = address(&tree.frame);
            inner.loader = tree.frame.loader_id;
        }
        for child in tree.child_frames {
            self.apply_tree(child, channel);
        }
    }

    /// Adds a new frame, or moves a frame that came back from another process.
    pub(super) fn attach(&mut self, id: &FrameId, parent: &FrameId, channel: &Channel) {
        if let Some(frame) = self.by_id.get(id).cloned() {
            if !frame.lives_in(channel) {
                self.remove_children(&frame);
                frame.inner().move_to_session(channel);
            }
            return;
        }
        let Some(above) = self.by_id.get(parent) else {
            return;
        };
        above.inner().children.push(id.clone());
        let number = self.next;
        self.next += 1;
        let frame = TabFrame {
            id: id.clone(),
            number,
            inner: Mutex::new(FrameState::new(channel, Some(parent.clone()), String::new())),
        };
        self.by_id.insert(id.clone(), Arc::new(frame));
    }

    /// Handles a frame that left this process: for another process (`swapped`), or for good.
    pub(super) fn detach(&mut self, id: &FrameId, swapped: bool, channel: &Channel) {
        let Some(frame) = self.by_id.get(id).cloned() else {
            return;
        };
        if swapped {
            // The events of the new process may have come first.
            if frame.lives_in(channel) {
                self.remove_children(&frame);
                let mut inner = frame.inner();
                (inner.world, inner.main) = (None, None);
            }
        } else {
            self.remove(&frame);
        }
    }

    /// Removes the frames that still live in a session that has ended, except the main frame.
    pub(super) fn remove_session(&mut self, channel: &Channel) {
        let gone: Vec<_> = self.by_id.values().filter(|frame| frame.lives_in(channel)).cloned().collect();
        for frame in gone {
            if frame.number != 0 {
                self.remove(&frame);
            }
        }
    }

    /// Records a new document of a frame and removes the children of the old one. A restored document is already
    /// loaded.
    pub(super) fn navigated(&mut self, info: FrameInfo, is_restored: bool, channel: &Channel) {
        if let Some(parent) = &info.parent_id {
            self.attach(&info.id, parent, channel);
        }
        let Some(frame) = self.by_id.get(&info.id).cloned() else {
            return;
        };
        self.remove_children(&frame);
        let mut inner = frame.inner();
        inner.channel = channel.clone();
        inner.url = address(&info);
        let is_same = inner.loader == info.loader_id;
        inner.loader = info.loader_id;
        if inner.loading.coming.as_ref().is_none_or(|coming| coming.loader == inner.loader) {
            inner.loading.coming = None;
        }
        if is_restored || !is_same {
            (inner.loading.is_ready, inner.loading.is_loaded) = (is_restored, is_restored);
        }
    }

    pub(super) fn world_made(&self, id: &FrameId, world: World, is_page: bool, channel: &Channel) {
        let Some(frame) = self.by_id.get(id).filter(|frame| frame.lives_in(channel)) else {
            return;
        };
        let mut inner = frame.inner();
        if is_page {
            inner.main = Some(world);
        } else {
            inner.world = Some(world);
        }
    }

    pub(super) fn world_ended(&self, unique: &str) {
        for frame in self.by_id.values() {
            let mut inner = frame.inner();
            for world in [true, false] {
                let slot = if world { &mut inner.world } else { &mut inner.main };
                if slot.as_ref().is_some_and(|world| world.unique == unique) {
                    *slot = None;
                }
            }
        }
    }

    pub(super) fn worlds_cleared(&self, channel: &Channel) {
        for frame in self.by_id.values().filter(|frame| frame.lives_in(channel)) {
            let mut inner = frame.inner();
            (inner.world, inner.main) = (None, None);
        }
    }

    fn remove(&mut self, frame: &Arc<TabFrame>) {
        self.remove_children(frame);
        if let Some(parent) = self.parent(frame) {
            parent.inner().children.retain(|id| *id != frame.id);
        }
        self.by_id.remove(&frame.id);
    }

    fn remove_children(&mut self, frame: &Arc<TabFrame>) {
        let children = std::mem::take(&mut frame.inner().children);
        for child in children {
            if let Some(child) = self.by_id.get(&child).cloned() {
                self.remove(&child);
            }
        }
    }
}

impl FrameState {
    fn new(channel: &Channel, parent: Option<FrameId>, url: String) -> Self {
        Self {
            channel: channel.clone(),
            parent,
            children: Vec::new(),
            url,
            loader: LoaderId::default(),
            world: None,
            main: None,
            last_ref: 0,
            loading: Loading::default(),
        }
    }

    fn move_to_session(&mut self, channel: &Channel) {
        if self.channel.session() != channel.session() {
            self.channel = channel.clone();
            (self.world, self.main) = (None, None);
        }
    }
}

/// Returns the URL as the address bar shows it.
fn address(info: &FrameInfo) -> String {
    let url = info.unreachable_url.as_ref().unwrap_or(&info.url);
    format!("{url}{}", info.url_fragment.as_deref().unwrap_or_default())
}
