//! The slot of a request in flight, which the request releases while its client's model is asked.
//!
//! Invariant: a call that waits for a model does not block others, and the number of waiting calls is bounded too:
//! beyond that a call keeps its slot. When the answer arrives the slot is taken again if one is free; otherwise the
//! call continues without one, because its work has pools of its own.

use std::sync::{Arc, Weak};

use fumi_base::shares::{CapacityShare, Shares};
use parking_lot::Mutex;

/// The slot of one request, held while the request is served; its work finds a [`SlotHandle`] in the extensions.
#[derive(Debug)]
pub struct ReleasableSlot {
    who: Arc<str>,
    working: Shares,
    waiting: Shares,
    /// Empty while the slot is released. Locked only to replace the value.
    share: Mutex<Option<CapacityShare>>,
}

/// A handle to release the slot for a while, in the request's extensions. It does not keep the slot by itself.
#[must_use]
#[derive(Clone, Debug)]
pub struct SlotHandle(Weak<ReleasableSlot>);

/// A guard for whose lifetime the slot is released.
#[derive(Debug)]
pub struct ReleasedSlot {
    slot: Arc<ReleasableSlot>,
    _waits: CapacityShare,
}

impl ReleasableSlot {
    /// Takes a slot of `working`. Returns `None` if none is free for this principal.
    pub fn take(who: &Arc<str>, working: &Shares, waiting: &Shares) -> Option<Arc<Self>> {
        let share = working.take(who)?;
        Some(Arc::new(Self {
            who: Arc::clone(who),
            working: working.clone(),
            waiting: waiting.clone(),
            share: Mutex::new(Some(share)),
        }))
    }

    /// Returns a handle for the work of the request.
    pub fn handle(self: &Arc<Self>) -> SlotHandle {
        SlotHandle(Arc::downgrade(self))
    }

    fn put(&self, share: Option<CapacityShare>) {
        *self.share.lock() = share;
    }
}

impl SlotHandle {
    /// Releases the slot. Returns `None` if the request has ended, or too many calls wait already.
    pub fn release(&self) -> Option<ReleasedSlot> {
        let slot = self.0.upgrade()?;
        let waits = slot.waiting.take(&slot.who)?;
        slot.put(None);
        Some(ReleasedSlot { slot, _waits: waits })
    }
}

impl Drop for ReleasedSlot {
    fn drop(&mut self) {
        self.slot.put(self.slot.working.take(&self.slot.who));
    }
}
