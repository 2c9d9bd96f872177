//! A request's place in flight, which it gives back while its client's model is asked.
//!
//! Invariant: a call that waits for a model keeps no other from working, and the waiting calls are bounded too: beyond that a
//! call keeps its place. When the answer comes the place is taken again, if one is free; a call goes on without, because its work has pools of
//! its own.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use fumi_base::shares::{Share, Shares};

/// The place of one request, held while the request is served; its work finds a [`Rest`] in the extensions.
#[derive(Debug)]
pub struct Seat {
    who: Arc<str>,
    working: Shares,
    waiting: Shares,
    /// Std mutex: locked to put in and to take.
    place: Mutex<Option<Share>>,
}

/// A way to give the place back for a while, in the request's extensions. It keeps no place by itself.
#[derive(Clone, Debug)]
pub struct Rest(Weak<Seat>);

/// A place that is given back for as long as this lives.
#[derive(Debug)]
pub struct Resting {
    seat: Arc<Seat>,
    _waits: Share,
}

impl Seat {
    /// Takes a place of `working`. Returns `None` if there is none for this principal.
    #[must_use]
    pub fn take(who: &Arc<str>, working: &Shares, waiting: &Shares) -> Option<Arc<Self>> {
        let place = working.take(who)?;
        Some(Arc::new(Self {
            who: Arc::clone(who),
            working: working.clone(),
            waiting: waiting.clone(),
            place: Mutex::new(Some(place)),
        }))
    }

    /// For what runs inside the request.
    #[must_use]
    pub fn rest(self: &Arc<Self>) -> Rest {
        Rest(Arc::downgrade(self))
    }

    fn put(&self, place: Option<Share>) {
        *self.place.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }
}

impl Rest {
    /// Gives the place back. Returns `None` if the request has ended, or too many wait already.
    #[must_use]
    pub fn begin(&self) -> Option<Resting> {
        let seat = self.0.upgrade()?;
        let waits = seat.waiting.take(&seat.who)?;
        seat.put(None);
        Some(Resting { seat, _waits: waits })
    }
}

impl Drop for Resting {
    fn drop(&mut self) {
        self.seat.put(self.seat.working.take(&self.seat.who));
    }
}
