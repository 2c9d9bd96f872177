//! A fixed capacity that principals share. A principal may take units as long as it then holds no more than were free
//! before.
//!
//! Invariant: a principal that takes all it can gets half of the capacity, a second one beside it half of the rest, and
//! so on, so that the next one finds some. Calls never wait here, and nothing is taken away again; for queues see
//! [`crate::pools`].

use std::{collections::HashMap, sync::Arc};

use parking_lot::{Mutex, MutexGuard};

/// The shared capacity. Clones refer to the same one.
#[derive(Clone, Debug)]
pub struct Shares(Arc<SharedCapacity>);

#[derive(Debug)]
struct SharedCapacity {
    total: usize,
    /// The number of units that one principal may take even if little is free.
    least: usize,
    /// Held for a few instructions, never across an `.await`.
    taken: Mutex<TakenUnits>,
}

#[derive(Debug, Default)]
struct TakenUnits {
    by_all: usize,
    /// The units by principal, without principals that have none.
    by_one: HashMap<Arc<str>, usize>,
}

/// A part of the capacity, released on drop.
#[derive(Debug)]
pub struct CapacityShare {
    shares: Shares,
    who: Arc<str>,
    count: usize,
}

impl Shares {
    /// Creates a capacity of `total` units, of which one principal may always take `least` while that many are free.
    pub fn new(total: usize, least: usize) -> Self {
        Self(Arc::new(SharedCapacity { total, least, taken: Mutex::default() }))
    }

    /// Returns an empty share of a principal. An empty name means no authentication: such a caller has no competitors
    /// and may take the whole capacity.
    pub fn empty_share(&self, who: &Arc<str>) -> CapacityShare {
        CapacityShare { shares: self.clone(), who: Arc::clone(who), count: 0 }
    }

    /// Takes one unit for a principal; returns `None` if the principal has its part, or all units are taken.
    pub fn take(&self, who: &Arc<str>) -> Option<CapacityShare> {
        let mut share = self.empty_share(who);
        share.grow(1).then_some(share)
    }

    /// Returns the number of units taken.
    pub fn taken(&self) -> usize {
        self.lock().by_all
    }

    fn lock(&self) -> MutexGuard<'_, TakenUnits> {
        self.0.taken.lock()
    }
}

impl CapacityShare {
    /// Takes `count` more units. Returns false and changes nothing if the share would exceed the principal's part.
    pub fn grow(&mut self, count: usize) -> bool {
        let SharedCapacity { total, least, .. } = *self.shares.0;
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

impl Drop for CapacityShare {
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

    use super::{CapacityShare, Shares};

    fn all(shares: &Shares, who: &str) -> Vec<CapacityShare> {
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
    fn minimum_is_granted_while_free() {
        let shares = Shares::new(10, 4);
        let held = ["a", "b", "c"].map(|who| all(&shares, who));
        assert_eq!(held.each_ref().map(Vec::len), [5, 4, 1]);
    }

    #[test]
    fn anonymous_caller_may_take_all_capacity() {
        let shares = Shares::new(3, 1);
        assert_eq!(all(&shares, "").len(), 3);
    }

    #[test]
    fn a_share_that_cannot_grow_stays_as_it_is() {
        let shares = Shares::new(10, 1);
        let mut share = shares.empty_share(&Arc::from("a"));
        assert!(share.grow(5) && !share.grow(1));
        assert_eq!(shares.taken(), 5);
        drop(share);
        assert_eq!(shares.taken(), 0);
    }
}
