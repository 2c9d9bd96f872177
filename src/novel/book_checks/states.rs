//! The recorded states: contradictions of their facts, missing states, and states that are older than the manuscript.

use std::collections::{BTreeMap, BTreeSet};

use fumi_base::text::BilingualText;

use super::{BookEpisode, BookFindingKind, FoundInBook, QuotedPassages, SourcePlace, days::DayCheck, occurrences};
use crate::{
    checks::{Contradiction, NovelContext, Severity, features::Cast},
    errors::reviewing::ReviewError,
    memory::{self, EpisodeState, KnownFacts},
    project::{EpisodeId, YamlValue},
};

/// The check of the states.
pub(super) struct StateCheck {
    /// The contradictions, each with its own episode.
    contradictions: Vec<(u32, Contradiction)>,
    days: DayCheck,
    /// The hash of the manuscript that each state was made from.
    recorded: BTreeMap<u32, String>,
    /// The episodes that were read and have no state.
    missing: BTreeSet<u32>,
    /// The episodes whose manuscript has changed since their state.
    stale: BTreeSet<u32>,
    /// The hash of each manuscript that was read.
    hashes: BTreeMap<u32, String>,
}

impl StateCheck {
    /// Compares the states of the episodes that exist.
    pub(super) fn new(
        states: &[EpisodeState],
        written: &BTreeSet<u32>,
        context: &NovelContext,
        quotes: &mut QuotedPassages,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Self, ReviewError> {
        let cast = Cast::from_settings(&context.world);
        let settings = memory::facts_of_settings(&context.world, &cast);
        let said = context.world.iter().map(YamlValue::words).collect::<Vec<_>>();
        let mut known = KnownFacts::new(&settings, &cast);
        let mut contradictions = Vec::new();
        for state in states.iter().filter(|state| written.contains(&state.episode)) {
            if is_cancelled() {
                return Err(ReviewError::Cancelled);
            }
            let mut found = known.compare(state);
            let noted = state.contradictions.iter().filter(|noted| !found.iter().any(|known| noted.is_same(known)));
            let noted: Vec<Contradiction> = noted.map(Contradiction::from).collect();
            found.extend(noted);
            // A passage of the settings is looked for here, those of episodes while they are read.
            found.retain(|one| one.episode != 0 || said.iter().any(|said| said.contains(one.other_quote.trim())));
            for one in found {
                quotes.want(state.episode, &one.quote);
                quotes.want(one.episode, &one.other_quote);
                contradictions.push((state.episode, one));
            }
        }
        Ok(Self {
            contradictions,
            days: DayCheck::new(states.iter().filter(|state| written.contains(&state.episode)), quotes),
            recorded: states.iter().map(|state| (state.episode, state.sha256.clone())).collect(),
            missing: BTreeSet::new(),
            stale: BTreeSet::new(),
            hashes: BTreeMap::new(),
        })
    }

    /// Returns the hash of each manuscript that was read, by episode.
    pub(super) fn hashes(&self) -> &BTreeMap<u32, String> {
        &self.hashes
    }

    pub(super) fn read(&mut self, episode: &BookEpisode<'_, '_>) {
        self.hashes.insert(episode.number, episode.sha256.clone());
        match self.recorded.get(&episode.number) {
            None => self.missing.insert(episode.number),
            Some(hash) if *hash != episode.sha256 => self.stale.insert(episode.number),
            Some(_) => false,
        };
    }

    pub(super) fn findings(
        self,
        quotes: &QuotedPassages,
        focus: Option<u32>,
        to_record: &mut Vec<EpisodeId>,
    ) -> Vec<FoundInBook> {
        let mut found: Vec<FoundInBook> = self
            .contradictions
            .iter()
            .filter_map(|(episode, one)| contradiction(*episode, one, quotes, focus))
            .collect();
        found.extend(self.days.findings(quotes, focus));
        let whole =
            |episodes: &BTreeSet<u32>| occurrences(episodes.iter().copied().map(SourcePlace::of_episode), focus);
        if !self.stale.is_empty() {
            found.push(FoundInBook {
                kind: BookFindingKind::State,
                severity: Severity::Low,
                message: BilingualText::new(
                    format!(
                        "The manuscript has changed since the state was recorded: {}.",
                        named(&self.stale, "episode ", "")
                    ),
                    format!("状態を記録した後で原稿が変わっています（{}）。", named(&self.stale, "第", "話")),
                ),
                seen: whole(&self.stale),
            });
        }
        // If the novel has no recorded state at all, the suggestion to record states says enough.
        if !self.missing.is_empty() && !self.recorded.is_empty() {
            found.push(FoundInBook {
                kind: BookFindingKind::State,
                severity: Severity::Info,
                message: BilingualText::new(
                    format!("No state is recorded: {}.", named(&self.missing, "episode ", "")),
                    format!("状態の記録がありません（{}）。", named(&self.missing, "第", "話")),
                ),
                seen: whole(&self.missing),
            });
        }
        let open = self.stale.iter().chain(&self.missing);
        to_record.extend(open.filter_map(|episode| EpisodeId::new(*episode)));
        found
    }
}

/// Returns a contradiction as a finding, if both passages are still there.
fn contradiction(
    episode: u32,
    one: &Contradiction,
    quotes: &QuotedPassages,
    focus: Option<u32>,
) -> Option<FoundInBook> {
    let own = quotes.place(episode, &one.quote)?;
    let other = (one.episode != 0).then(|| quotes.place(one.episode, &one.other_quote));
    let other = match other {
        Some(None) => return None,
        Some(place) => place,
        None => None,
    };
    let (en, ja) = match one.episode {
        0 => ("the settings".to_owned(), "設定".to_owned()),
        same if same == episode => ("itself".to_owned(), "同じ話".to_owned()),
        other => (format!("episode {other}"), format!("第{other}話")),
    };
    Some(FoundInBook {
        kind: BookFindingKind::Contradiction,
        severity: one.severity,
        message: BilingualText::new(
            format!("Episode {episode} contradicts {en}: {}.", one.reason.trim_end_matches(['。', '.'])),
            format!("第{episode}話が{ja}と食い違っています（{}）。", one.reason.trim_end_matches(['。', '.'])),
        ),
        seen: occurrences(other.into_iter().chain([own]), focus),
    })
}

/// Names the first episodes.
fn named(episodes: &BTreeSet<u32>, before: &str, after: &str) -> String {
    const NAMED: usize = 10;
    let first = episodes.iter().take(NAMED).map(|episode| format!("{before}{episode}{after}"));
    let mut named = first.collect::<Vec<_>>().join(if after.is_empty() { ", " } else { "、" });
    if episodes.len() > NAMED {
        named.push('…');
    }
    named
}
