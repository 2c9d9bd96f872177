//! A finding about a whole novel, with its first places.

use std::ops::Range;

use fumi_base::text::BilingualText;

use crate::checks::Severity;

/// The maximum number of places of a finding; the number of all is always counted.
pub const PLACES: usize = 3;

/// The subject of a finding about a novel, in the order in which they are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, fumi_base::Named)]
pub enum BookFindingKind {
    /// A recorded fact contradicts another one, or a reader noted it.
    Contradiction,
    /// A name is spelled in two ways.
    Name,
    /// The days of the episodes exclude each other.
    Timeline,
    /// Foreshadowing, a promise or a question that is not paid off.
    Ledger,
    /// A word is spelled in two ways.
    Spelling,
    /// A phrase recurs too often.
    WornPhrase,
    /// The state of an episode is missing or older than its manuscript.
    State,
}

/// A finding about a novel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookFinding {
    pub kind: BookFindingKind,
    pub severity: Severity,
    /// A sentence about the finding.
    pub message: BilingualText,
    /// The number of all places.
    pub count: usize,
    /// The number of episodes with such a place.
    pub episodes: usize,
    /// The first places.
    pub places: Vec<BookPlace>,
}

/// A place in the manuscript of an episode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookPlace {
    pub episode: u32,
    /// The line, from 1; `None` for a place that is not in a manuscript.
    pub line: Option<usize>,
    /// The passage with a few characters around it; empty for an episode as a whole.
    pub quote: String,
}

/// A finding whose places are not read yet.
#[derive(Clone, Debug)]
pub(super) struct FoundInBook {
    pub kind: BookFindingKind,
    pub severity: Severity,
    pub message: BilingualText,
    pub seen: Occurrences,
}

/// The place of an occurrence in the source of an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SourcePlace {
    pub episode: u32,
    /// The byte range in the source; `None` for an episode as a whole. Manuscripts are shorter than 4 GiB.
    range: Option<(u32, u32)>,
}

impl SourcePlace {
    pub(super) fn new(episode: u32, range: &Range<usize>) -> Self {
        let range = u32::try_from(range.start).ok().zip(u32::try_from(range.end).ok());
        Self { episode, range }
    }

    /// Returns the place for an episode as a whole.
    pub(super) const fn of_episode(episode: u32) -> Self {
        Self { episode, range: None }
    }

    pub(super) fn range(self) -> Option<Range<usize>> {
        self.range.map(|(start, end)| start as usize..end as usize)
    }
}

/// The number of occurrences of something, and the first places, in as many episodes as possible. Its size does not depend
/// on the number of occurrences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Occurrences {
    pub count: usize,
    pub episodes: usize,
    /// The last episode with an occurrence; 0 for none.
    pub last_episode: u32,
    /// True if one of them is in the episode in focus.
    pub is_in_focus: bool,
    places: [Option<SourcePlace>; PLACES],
}

impl Occurrences {
    /// Adds an occurrence. Episodes come in their order.
    pub(super) fn add(&mut self, place: SourcePlace, focus: Option<u32>) {
        self.count += 1;
        let is_new = self.last_episode != place.episode;
        if is_new {
            self.episodes += 1;
            self.last_episode = place.episode;
        }
        let is_focus = focus == Some(place.episode);
        let is_first_in_focus = is_focus && !self.is_in_focus;
        self.is_in_focus |= is_focus;
        if let Some(free) = self.places.iter_mut().find(|known| known.is_none()) {
            *free = Some(place);
        } else if is_new {
            let same = self
                .places
                .windows(2)
                .position(|pair| pair[0].map(|one| one.episode) == pair[1].map(|two| two.episode));
            // Otherwise the last place gives way only to the episode in focus.
            let out = same.map(|at| at + 1).or(is_first_in_focus.then_some(PLACES - 1));
            if let Some(out) = out {
                self.places[out..].rotate_left(1);
                self.places[PLACES - 1] = Some(place);
            }
        }
    }

    pub(super) fn places(&self) -> impl Iterator<Item = SourcePlace> + '_ {
        self.places.iter().flatten().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::{Occurrences, SourcePlace};

    #[test]
    fn the_first_places_come_from_as_many_episodes_as_possible() {
        let mut seen = Occurrences::default();
        for (episode, at) in [(1, 0), (1, 9), (1, 20), (2, 5), (2, 9), (4, 0), (5, 0), (6, 0)] {
            seen.add(SourcePlace::new(episode, &(at..at + 3)), Some(6));
        }
        let places: Vec<_> =
            seen.places().map(|place| (place.episode, place.range().map(|range| range.start))).collect();
        assert_eq!(places, [(1, Some(0)), (2, Some(5)), (6, Some(0))]);
        assert_eq!((seen.count, seen.episodes, seen.is_in_focus), (8, 5, true));
    }
}
