//! The ledger of foreshadowing (伏線管理.yaml): the episodes in which it is planted and paid off.
//!
//! An entry counts by the episodes that it names; without an episode for its payoff it stays open. A keyword matches as
//! written or in another inflection, in the story only. The meaning of a match is not determined.

use std::ops::Range;

use crate::{checks::CheckMaterial, lexicons::Phrases, project::YamlValue};

/// An entry of the ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Foreshadowing {
    /// The id, such as `F001`.
    pub id: String,
    /// The title of the entry.
    pub title: String,
    pub plant: ForeshadowingStep,
    /// The hints between plant and payoff.
    pub hints: Vec<ForeshadowingStep>,
    pub payoff: ForeshadowingStep,
    /// The status in the file: planned, planted, resolved.
    pub status: String,
}

/// One step of an entry: plant, hint or payoff.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForeshadowingStep {
    /// The number of its episode; `None` if the file names none.
    pub episode: Option<u32>,
    /// The keywords of the step; one of them suffices as evidence.
    pub keywords: Vec<String>,
}

/// The ledger of foreshadowing of a novel.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// The entries in the order of the files.
    pub entries: Vec<Foreshadowing>,
}

impl Ledger {
    /// Reads the lists under `foreshadowing` in the management files of the novel.
    pub fn from_files(files: &[YamlValue]) -> Self {
        let lists = files.iter().filter_map(|file| file.get("foreshadowing"));
        Self { entries: lists.flat_map(YamlValue::items).map(entry).collect() }
    }

    /// Iterates over the entries to be planted in an episode.
    pub fn planted_in(&self, episode: u32) -> impl Iterator<Item = &Foreshadowing> {
        self.entries.iter().filter(move |entry| entry.plant.episode == Some(episode))
    }

    /// Iterates over the entries to be paid off in an episode, including overdue ones.
    pub fn due_in(&self, episode: u32) -> impl Iterator<Item = &Foreshadowing> {
        let is_due = move |entry: &&Foreshadowing| entry.payoff.episode == Some(episode) || entry.is_overdue(episode);
        self.entries.iter().filter(is_due)
    }
}

impl Foreshadowing {
    /// True if the payoff was due before an episode and the file does not mark the entry as resolved.
    pub fn is_overdue(&self, episode: u32) -> bool {
        self.payoff.episode.is_some_and(|due| due < episode) && !self.is_resolved()
    }

    /// True if the entry is planted by an episode and paid off after it. An entry without an episode for its payoff is
    /// open until the file marks it as resolved.
    pub fn is_open(&self, episode: u32) -> bool {
        let planted = self.plant.episode.is_some_and(|plant| plant <= episode);
        planted
            && match self.payoff.episode {
                Some(payoff) => payoff > episode,
                None => !self.is_resolved(),
            }
    }

    fn is_resolved(&self) -> bool {
        self.status == "resolved"
    }
}

impl ForeshadowingStep {
    /// Returns the places of the keywords in the story, as byte ranges in the source.
    pub fn places(&self, material: &CheckMaterial<'_>) -> Vec<Range<usize>> {
        let keywords = self.keywords.iter().filter(|keyword| !keyword.trim().is_empty());
        let phrases = Phrases::new(keywords.clone().cloned());
        let mut places = Vec::new();
        for (at, sentence) in material.sentences().iter().enumerate().filter(|(_, sentence)| sentence.is_story()) {
            let words = material.words_of(at);
            let hits = phrases.find(words);
            places.extend(
                hits.iter().map(|hit| words[hit.words.start].source.start..words[hit.words.end - 1].source.end),
            );
            // A keyword that the dictionary splits differently in this context is matched as written. A single
            // character only matches as a word: 弟 does not match in 弟子.
            for piece in &sentence.pieces {
                let text = &material.text()[piece.visible.clone()];
                for keyword in keywords.clone().filter(|keyword| keyword.chars().nth(1).is_some()) {
                    let found = text.match_indices(keyword.trim());
                    places.extend(found.map(|(from, found)| {
                        let from = piece.visible.start + from;
                        material.source_of(&(from..from + found.len()))
                    }));
                }
            }
        }
        places.sort_by_key(|place| (place.start, place.end));
        places.dedup();
        places
    }
}

fn entry(yaml: &YamlValue) -> Foreshadowing {
    let text = |key| yaml.get(key).map(YamlValue::words).unwrap_or_default().trim().to_owned();
    Foreshadowing {
        id: text("id"),
        title: text("title"),
        plant: yaml.get("plant").map(step).unwrap_or_default(),
        hints: yaml.get("hints").map(YamlValue::items).unwrap_or_default().into_iter().map(step).collect(),
        payoff: yaml.get("payoff").map(step).unwrap_or_default(),
        status: text("status"),
    }
}

fn step(yaml: &YamlValue) -> ForeshadowingStep {
    let keywords = yaml.get("keywords").map(YamlValue::items).unwrap_or_default();
    ForeshadowingStep {
        episode: yaml.get("episode").and_then(number),
        keywords: keywords.into_iter().map(YamlValue::words).collect(),
    }
}

/// Parses a number in free writing: 3, "3", 第3話.
fn number(yaml: &YamlValue) -> Option<u32> {
    let digits: String = yaml
        .words()
        .chars()
        .filter_map(|c| c.to_digit(10).or_else(|| wide(c)))
        .filter_map(|digit| char::from_digit(digit, 10))
        .collect();
    digits.parse().ok()
}

/// Returns the value of a full-width digit.
fn wide(c: char) -> Option<u32> {
    ('０'..='９').position(|digit| digit == c).and_then(|digit| u32::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::Ledger;
    use crate::project::YamlValue;

    #[test]
    fn due_entries_include_overdue_open_ones() {
        let text = "\
foreshadowing:
  - { id: A, plant: { episode: 1, keywords: 鍵 }, payoff: { episode: 3, keywords: [鍵] }, status: planned }
  - { id: B, plant: { episode: 第２話 }, payoff: { episode: 2 }, status: planted }
  - { id: C, payoff: { episode: \"1\" }, status: resolved }
  - { id: D, payoff: { episode: 4 } }
  - { id: E }
";
        let ledger = Ledger::from_files(&[YamlValue::read("ledger.yaml", text).expect("YAML")]);
        let due: Vec<&str> = ledger.due_in(3).map(|entry| entry.id.as_str()).collect();
        let planted: Vec<&str> = ledger.planted_in(2).map(|entry| entry.id.as_str()).collect();
        assert_eq!((due, planted), (vec!["A", "B"], vec!["B"]));
        assert_eq!(ledger.entries[0].plant.keywords, ["鍵"]);
        assert!(ledger.entries[1].is_overdue(3) && !ledger.entries[2].is_overdue(3));
    }

    #[test]
    fn entries_without_payoff_stay_open_until_resolved() {
        let text = "\
foreshadowing:
  - { id: A, plant: { episode: 2 } }
  - { id: B, plant: { episode: 2 }, payoff: { content: いつか }, status: resolved }
  - { id: C, plant: { episode: 1 }, payoff: { episode: 3 } }
  - { id: D }
";
        let ledger = Ledger::from_files(&[YamlValue::read("ledger.yaml", text).expect("YAML")]);
        let open = |episode| -> Vec<&str> {
            let open = ledger.entries.iter().filter(|entry| entry.is_open(episode));
            open.map(|entry| entry.id.as_str()).collect()
        };
        assert_eq!((open(1), open(2), open(3)), (vec!["C"], vec!["A", "C"], vec!["A"]));
    }
}
