//! A fair queue: round-robin between principals, first come first served within one.
//!
//! Invariants: every principal already waiting is served once before any principal is served twice. A full queue makes
//! room for a principal by evicting the newest entry of the principal that has the most, as long as that principal
//! has more than the newcomer would have. So a principal may fill the queue while it is alone, and gives way until all have
//! equal parts.
//!
//! Deliberately without time, locks and tasks: [`crate::pools`] has those. The waiting items are of any type.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

/// A queue of waiting items with a maximum length.
#[derive(Debug)]
pub(crate) struct FairQueue<T> {
    limit: usize,
    len: usize,
    tickets: u64,
    /// The principals with waiting items, the next one first. Each occurs once.
    turns: VecDeque<Arc<str>>,
    /// The waiting items by principal, without empty queues.
    waiting: HashMap<Arc<str>, VecDeque<QueuedItem<T>>>,
}

#[derive(Debug)]
struct QueuedItem<T> {
    ticket: Ticket,
    key: Option<Arc<str>>,
    item: T,
}

/// The identifier of one item in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket(u64);

/// The result of adding an item.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PushOutcome<T> {
    /// The item was added.
    Added(Ticket),
    /// The item was added, and another one was evicted for it.
    Replaced(Ticket, T),
    /// The queue is full; the item is returned.
    Full(T),
}

/// The next item to be served.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NextItem<T> {
    pub(crate) principal: Arc<str>,
    pub(crate) key: Option<Arc<str>>,
    pub(crate) item: T,
}

impl<T> FairQueue<T> {
    /// Creates a queue of at most `limit` items.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, len: 0, tickets: 0, turns: VecDeque::new(), waiting: HashMap::new() }
    }

    /// Returns the number of waiting items.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    fn waiting_of(&self, principal: &str) -> usize {
        self.waiting.get(principal).map_or(0, VecDeque::len)
    }

    /// Adds an item at the end of the principal's own queue.
    pub(crate) fn push(&mut self, principal: &Arc<str>, key: Option<Arc<str>>, item: T) -> PushOutcome<T> {
        let sent_away = if self.len < self.limit {
            None
        } else {
            let own = self.waiting_of(principal);
            match self.evict_newest(own + 1) {
                Some(other) => Some(other),
                None => return PushOutcome::Full(item),
            }
        };
        self.tickets += 1;
        self.len += 1;
        let ticket = Ticket(self.tickets);
        let line = self.waiting.entry(Arc::clone(principal)).or_default();
        if line.is_empty() {
            self.turns.push_back(Arc::clone(principal));
        }
        line.push_back(QueuedItem { ticket, key, item });
        match sent_away {
            Some(other) => PushOutcome::Replaced(ticket, other),
            None => PushOutcome::Added(ticket),
        }
    }

    /// Evicts the newest item of the principal that has the most, if it has more than `than`.
    fn evict_newest(&mut self, than: usize) -> Option<T> {
        let most = self.turns.iter().max_by_key(|principal| self.waiting_of(principal))?;
        let most = Arc::clone(most);
        let line = self.waiting.get_mut(&most).filter(|line| line.len() > than)?;
        let newest = line.pop_back()?;
        self.len -= 1;
        self.forget_if_empty(&most);
        Some(newest.item)
    }

    /// Removes and returns the next item whose principal and key may run.
    pub(crate) fn pop(&mut self, may_run: impl Fn(&str, Option<&str>) -> bool) -> Option<NextItem<T>> {
        let (turn, at) = self.turns.iter().enumerate().find_map(|(turn, principal)| {
            let may = |waiter: &QueuedItem<T>| may_run(principal, waiter.key.as_deref());
            let at = self.waiting.get(principal)?.iter().position(may)?;
            Some((turn, at))
        })?;
        let principal = self.turns.remove(turn)?;
        let line = self.waiting.get_mut(&principal)?;
        let waiter = line.remove(at)?;
        self.len -= 1;
        if line.is_empty() {
            self.waiting.remove(&principal);
        } else {
            self.turns.push_back(Arc::clone(&principal));
        }
        Some(NextItem { principal, key: waiter.key, item: waiter.item })
    }

    /// Removes an item; returns `None` if it is not in the queue any more.
    pub(crate) fn remove(&mut self, principal: &Arc<str>, ticket: Ticket) -> Option<T> {
        let line = self.waiting.get_mut(principal)?;
        let at = line.iter().position(|waiter| waiter.ticket == ticket)?;
        let waiter = line.remove(at)?;
        self.len -= 1;
        self.forget_if_empty(principal);
        Some(waiter.item)
    }

    fn forget_if_empty(&mut self, principal: &Arc<str>) {
        if self.waiting.get(principal).is_some_and(VecDeque::is_empty) {
            self.waiting.remove(principal);
            self.turns.retain(|other| other != principal);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, sync::Arc};

    use proptest::prelude::*;

    use super::{FairQueue, PushOutcome, Ticket};

    fn queue(limit: usize, waiting: &[(&str, u32)]) -> FairQueue<u32> {
        let mut queue = FairQueue::new(limit);
        for (principal, item) in waiting {
            let pushed = queue.push(&Arc::from(*principal), None, *item);
            assert!(matches!(pushed, PushOutcome::Added(_)));
        }
        queue
    }

    fn all(queue: &mut FairQueue<u32>) -> Vec<u32> {
        std::iter::from_fn(|| queue.pop(|_, _| true).map(|next| next.item)).collect()
    }

    #[test]
    fn principals_take_turns_and_each_keeps_its_own_order() {
        let mut queue = queue(9, &[("a", 1), ("a", 2), ("a", 3), ("b", 11), ("c", 21), ("c", 22)]);
        assert_eq!(all(&mut queue), [1, 11, 21, 2, 22, 3]);
        assert_eq!(queue.len(), 0);
    }

    #[test]
    fn full_queue_makes_room_for_other_principals() {
        let mut queue = queue(4, &[("a", 1), ("a", 2), ("a", 3), ("a", 4)]);
        let (a, b, c): (Arc<str>, Arc<str>, Arc<str>) = (Arc::from("a"), Arc::from("b"), Arc::from("c"));
        let sent_away = |pushed| match pushed {
            PushOutcome::Replaced(_, item) => Some(item),
            PushOutcome::Full(_) => None,
            PushOutcome::Added(_) => panic!("the queue is full"),
        };
        assert_eq!(sent_away(queue.push(&a, None, 5)), None, "its own queue is full");
        assert_eq!(sent_away(queue.push(&b, None, 11)), Some(4), "the newest is evicted");
        assert_eq!(sent_away(queue.push(&b, None, 12)), Some(3));
        assert_eq!(sent_away(queue.push(&b, None, 13)), None, "b has half of the queue already");
        assert_eq!(sent_away(queue.push(&a, None, 3)), None);
        let third = sent_away(queue.push(&c, None, 21));
        assert!(third == Some(12) || third == Some(2), "{third:?}");
        assert_eq!(queue.len(), 4);
        let mut none = FairQueue::new(0);
        assert_eq!(none.push(&a, None, 1), PushOutcome::Full(1));
    }

    #[test]
    fn busy_key_does_not_block_others() {
        let mut queue = FairQueue::new(9);
        let (a, b): (Arc<str>, Arc<str>) = (Arc::from("a"), Arc::from("b"));
        for (principal, key, item) in [(&a, Some("x"), 1), (&a, Some("y"), 2), (&a, None, 3), (&b, Some("x"), 11)] {
            queue.push(principal, key.map(Arc::from), item);
        }
        let mut next = |taken: &str| queue.pop(|_, key| key != Some(taken)).map(|next| next.item);
        assert_eq!(next("x"), Some(2));
        assert_eq!(next("x"), Some(3));
        assert_eq!(next("x"), None, "the rest waits for x");
        assert_eq!(next("y"), Some(11), "b's turn");
        assert_eq!(next("y"), Some(1));
    }

    #[test]
    fn removed_item_is_not_served() {
        let mut queue = queue(9, &[("a", 1), ("b", 11)]);
        let a: Arc<str> = Arc::from("a");
        let PushOutcome::Added(ticket) = queue.push(&a, None, 2) else {
            panic!("the queue has room");
        };
        assert_eq!(queue.remove(&a, ticket), Some(2));
        assert_eq!(queue.remove(&a, ticket), None);
        assert_eq!(all(&mut queue), [1, 11]);
    }

    #[derive(Clone, Debug)]
    enum QueueStep {
        Push(usize, Option<usize>),
        Next(usize),
        Leave(usize),
    }

    const PRINCIPALS: [&str; 4] = ["", "ann", "bob", "cat"];
    const KEYS: [&str; 3] = ["x", "y", "z"];

    fn steps() -> impl Strategy<Value = Vec<QueueStep>> {
        let step = prop_oneof![
            4 => (0..PRINCIPALS.len(), proptest::option::of(0..KEYS.len())).prop_map(|(who, key)| QueueStep::Push(who, key)),
            3 => (0..=KEYS.len()).prop_map(QueueStep::Next),
            1 => (0..32_usize).prop_map(QueueStep::Leave),
        ];
        proptest::collection::vec(step, 1..200)
    }

    /// A waiting item as the test models it.
    #[derive(Clone, Debug)]
    struct ModelItem {
        who: usize,
        key: Option<usize>,
        item: usize,
        ticket: Ticket,
        since: usize,
    }

    proptest! {
        #[test]
        fn nobody_is_lost_passed_over_or_starved(steps in steps(), limit in 0..12_usize) {
            let mut queue = FairQueue::new(limit);
            let mut known: Vec<ModelItem> = Vec::new();
            // The step at which each principal was last served.
            let mut served: BTreeMap<usize, usize> = BTreeMap::new();
            for (at, step) in steps.into_iter().enumerate() {
                match step {
                    QueueStep::Push(who, key) => {
                        let own = known.iter().filter(|other| other.who == who).count();
                        let most = (0..PRINCIPALS.len())
                            .map(|who| known.iter().filter(|other| other.who == who).count())
                            .max()
                            .unwrap_or_default();
                        let pushed = queue.push(&Arc::from(PRINCIPALS[who]), key.map(|key| Arc::from(KEYS[key])), at);
                        let ticket = match pushed {
                            PushOutcome::Added(ticket) => {
                                prop_assert!(known.len() < limit);
                                ticket
                            }
                            PushOutcome::Replaced(ticket, away) => {
                                prop_assert_eq!(known.len(), limit);
                                let place = known.iter().position(|other| other.item == away);
                                let gone = known.remove(place.expect("it waited"));
                                let left = known.iter().filter(|other| other.who == gone.who);
                                prop_assert_eq!(left.clone().count() + 1, most, "evicted from the principal with the most");
                                prop_assert!(most > own + 1);
                                prop_assert!(left.clone().all(|other| other.item < away), "the newest");
                                ticket
                            }
                            PushOutcome::Full(item) => {
                                prop_assert_eq!((item, known.len()), (at, limit));
                                prop_assert!(most <= own + 1, "an equal part is never refused");
                                continue;
                            }
                        };
                        known.push(ModelItem { who, key, item: at, ticket, since: at });
                    }
                    QueueStep::Next(taken) => {
                        let may_run = |_: &str, key: Option<&str>| key.is_none_or(|key| KEYS.get(taken) != Some(&key));
                        let may = |other: &ModelItem| other.key.is_none_or(|key| key != taken);
                        let Some(next) = queue.pop(may_run) else {
                            prop_assert!(!known.iter().any(may), "a waiting item could be served");
                            continue;
                        };
                        let place = known.iter().position(|other| other.item == next.item);
                        let gone = known.remove(place.expect("it waited"));
                        prop_assert!(may(&gone));
                        let earlier = known.iter().find(|other| other.who == gone.who && may(other) && other.item < gone.item);
                        prop_assert!(earlier.is_none(), "{earlier:?} came earlier");
                        // Every principal that was already waiting when this one was last served, and could be served
                        // now, was served since.
                        if let Some(last) = served.get(&gone.who) {
                            let starved = known.iter().find(|other| {
                                other.who != gone.who
                                    && may(other)
                                    && other.since < *last
                                    && served.get(&other.who).is_none_or(|at| at < last)
                            });
                            prop_assert!(starved.is_none(), "{starved:?} waits while {gone:?} is served again");
                        }
                        served.insert(gone.who, at);
                    }
                    QueueStep::Leave(which) => {
                        if known.is_empty() {
                            continue;
                        }
                        let gone = known.remove(which % known.len());
                        prop_assert_eq!(queue.remove(&Arc::from(PRINCIPALS[gone.who]), gone.ticket), Some(gone.item));
                    }
                }
                prop_assert_eq!(queue.len(), known.len());
            }
        }
    }
}
