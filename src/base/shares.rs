//! A fixed capacity that principals share: one principal takes at most as much as is still free.
//!
//! Invariant: a principal that takes all it can gets half of the capacity, a second one beside it half of the rest, and
//! so on, so that the next one finds some. Calls never wait here, and nothing is taken away again; for queues see
//! [`crate::pools`].

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The shared capacity. Clones refer to the same one.
#[derive(Clone, Debug)]
pub struct Shares(Arc<Room>);

#[derive(Debug)]
struct Room {
    total: usize,
    /// The number of units that one principal may take even if little is free.
    least: usize,
    /// Held for a few instructions, never across an `.await`.
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    by_all: usize,
    /// The units by principal, without principals that have none.
    by_one: HashMap<Arc<str>, usize>,
}

/// A part of the capacity, released on drop.
#[derive(Debug)]
pub struct Share {
    shares: Shares,
    who: Arc<str>,
    count: usize,
}

impl Shares {
    /// Creates a capacity of `total` units, of which one principal may always take `least` while that many are free.
    #[must_use]
    pub fn new(total: usize, least: usize) -> Self {
        Self(Arc::new(Room {
            total,
            least,
            taken: Mutex::default(),
        }))
    }

    /// Returns an empty share of a principal. An empty name means no authentication: such a caller has no competitors
    /// and may take the whole capacity.
    #[must_use]
    pub fn of(&self, who: &Arc<str>) -> Share {
        Share {
            shares: self.clone(),
            who: Arc::clone(who),
            count: 0,
        }
    }

    /// Takes one unit for a principal; returns `None` if the principal has its part, or all units are taken.
    #[must_use]
    pub fn take(&self, who: &Arc<str>) -> Option<Share> {
        let mut share = self.of(who);
        share.grow(1).then_some(share)
    }

    /// Returns the number of units taken.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.lock().by_all
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.0.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    /// Takes `count` more units. Returns false and changes nothing if the share would exceed the principal's part.
    #[must_use]
    pub fn grow(&mut self, count: usize) -> bool {
        let Room { total, least, .. } = *self.shares.0;
        let mut taken = self.shares.lock();
        let free = total - taken.by_all;
        let own = taken.by_one.get(&self.who).copied().unwrap_or_default() + count;
        if count > free || !(self.who.is_empty() || own <= free.max(least)) {
            return false;
        }
        if count > 0 {
            taken.by_all += count;
            taken.by_one.insert(Arc::clone(&self.who), own);
        }
        drop(taken);
        self.count += count;
        true
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.shares.lock();
        taken.by_all -= self.count;
        if let Some(own) = taken.by_one.get_mut(&self.who) {
            *own -= self.count;
            if *own == 0 {
                taken.by_one.remove(&self.who);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{iter::from_fn, sync::Arc};

    use super::{Share, Shares};

    fn all(shares: &Shares, who: &str) -> Vec<Share> {
        from_fn(|| shares.take(&Arc::from(who))).collect()
    }

    #[test]
    fn each_of_several_takes_half_of_what_is_free() {
        let shares = Shares::new(64, 1);
        let held = ["a", "b", "c"].map(|who| all(&shares, who));
        assert_eq!(held.each_ref().map(Vec::len), [32, 16, 8]);
        drop(held);
        assert_eq!(all(&shares, "a").len(), 32);
        assert_eq!(shares.taken(), 0);
    }

    #[test]
    fn the_least_is_given_as_long_as_it_is_there() {
        let shares = Shares::new(10, 4);
        let held = ["a", "b", "c"].map(|who| all(&shares, who));
        assert_eq!(held.each_ref().map(Vec::len), [5, 4, 1]);
    }

    #[test]
    fn without_authentication_all_of_the_room_is_one_part() {
        let shares = Shares::new(3, 1);
        assert_eq!(all(&shares, "").len(), 3);
    }

    #[test]
    fn a_share_that_cannot_grow_stays_as_it_is() {
        let shares = Shares::new(10, 1);
        let mut share = shares.of(&Arc::from("a"));
        assert!(share.grow(5) && !share.grow(1));
        assert_eq!(shares.taken(), 5);
        drop(share);
        assert_eq!(shares.taken(), 0);
    }
}
