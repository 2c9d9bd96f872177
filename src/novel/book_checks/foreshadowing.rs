//! Foreshadowing that is not paid off: by the ledger and the plots, and promises and questions of the recorded states.
//!
//! The ledger and the plots say in which episodes something is planted and paid off. Their keywords show whether the
//! episodes have it. A state has promises and questions without saying what became of them: one counts as dropped if later
//! episodes hardly use its words.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fumi_base::{errors::unless_unreadable, text::BilingualText};

use super::{BookEpisode, BookFindingKind, FoundInBook, QuotedPassages, SourcePlace, occurrences};
use crate::{
    checks::{
        NovelContext, Severity,
        features::{Foreshadowing, ForeshadowingStep, Ledger, content_words, is_characteristic},
    },
    errors::reviewing::ReviewError,
    memory::{EpisodeState, StoryFactKind},
    project::{EpisodePlot, NovelSurvey, YamlValue, read_yaml_text},
};

/// The number of later episodes from which a promise may be dropped.
const LATER: usize = 5;

/// A promise counts as taken up if later episodes use more than one in this many of its words.
const TAKEN_UP: usize = 3;

/// The least number of words that identify a promise.
const WORDS: usize = 3;

/// The maximum numbers of entries and promises that are followed.
const ENTRIES: usize = 2_000;
const PROMISES: usize = 5_000;

/// A promise or a question of an episode.
#[derive(Debug)]
struct OpenMatter {
    episode: u32,
    kind: StoryFactKind,
    value: String,
    quote: String,
    words: BTreeSet<String>,
}

/// The foreshadowing of a novel, followed through the episodes.
#[derive(Debug)]
pub(super) struct ForeshadowingCheck {
    entries: Vec<Foreshadowing>,
    /// For each entry, the first place of a keyword in the episode that plants it and in that which pays it off.
    found: Vec<[Option<SourcePlace>; 2]>,
    matters: Vec<OpenMatter>,
    /// The last episode with each word of a promise or a question.
    last_use: HashMap<String, u32>,
    /// The episodes that were read, in order.
    read: Vec<u32>,
}

impl ForeshadowingCheck {
    pub(super) fn new(
        states: &[EpisodeState],
        context: &NovelContext,
        survey: &NovelSurvey,
        quotes: &mut QuotedPassages,
    ) -> Result<Self, ReviewError> {
        let mut entries = Ledger::from_files(&context.ledger).entries;
        let known: BTreeSet<String> = entries.iter().map(|entry| entry.id.clone()).collect();
        entries.extend(of_plots(survey)?.into_iter().filter(|entry| !known.contains(&entry.id)));
        entries.truncate(ENTRIES);
        let mut matters = Vec::new();
        for state in states {
            let open = |kind| matches!(kind, StoryFactKind::Promise | StoryFactKind::Question);
            for fact in state.facts.iter().filter(|fact| open(fact.kind)) {
                let said = format!("{}。{}", fact.about.as_deref().unwrap_or_default(), fact.value);
                let words = content_words(&[said]).into_iter().filter(|word| is_characteristic(word)).collect();
                quotes.want(state.episode, &fact.quote);
                let (value, quote) = (fact.value.clone(), fact.quote.clone());
                matters.push(OpenMatter { episode: state.episode, kind: fact.kind, value, quote, words });
            }
        }
        matters.truncate(PROMISES);
        let last_use = matters.iter().flat_map(|matter| matter.words.iter().map(|word| (word.clone(), 0))).collect();
        Ok(Self { found: vec![[None; 2]; entries.len()], entries, matters, last_use, read: Vec::new() })
    }

    pub(super) fn read(&mut self, episode: &BookEpisode<'_, '_>) {
        let number = episode.number;
        self.read.push(number);
        for (entry, found) in self.entries.iter().zip(&mut self.found) {
            for (step, found) in [&entry.plant, &entry.payoff].into_iter().zip(found) {
                if step.episode == Some(number) && !step.keywords.is_empty() {
                    let place = step.places(episode.material).into_iter().next();
                    *found = place.map(|place| SourcePlace::new(number, &place));
                }
            }
        }
        if self.last_use.is_empty() {
            return;
        }
        for word in episode.material.words().iter().filter(|word| word.is_content()) {
            if let Some(last) = self.last_use.get_mut(word.base) {
                *last = number;
            }
        }
    }

    pub(super) fn findings(&self, quotes: &QuotedPassages, focus: Option<u32>) -> Vec<FoundInBook> {
        let Some(last) = self.read.last().copied() else { return Vec::new() };
        let entries = self.entries.iter().zip(&self.found);
        let mut found: Vec<FoundInBook> =
            entries.filter_map(|(entry, found)| self.of_entry(entry, *found, last, focus)).collect();
        found.extend(self.matters.iter().filter_map(|matter| self.of_matter(matter, quotes, focus)));
        found
    }

    fn of_entry(
        &self,
        entry: &Foreshadowing,
        found: [Option<SourcePlace>; 2],
        last: u32,
        focus: Option<u32>,
    ) -> Option<FoundInBook> {
        let has_read = |episode: Option<u32>| episode.filter(|episode| self.read.binary_search(episode).is_ok());
        let (planted, paid_off) = (entry.plant.episode, entry.payoff.episode);
        let has_keywords = |step: &ForeshadowingStep| step.keywords.iter().any(|keyword| !keyword.trim().is_empty());
        let is_resolved = entry.status == "resolved";
        let name = [entry.id.as_str(), entry.title.as_str()].into_iter().filter(|part| !part.is_empty());
        let name = name.collect::<Vec<_>>().join(" ");
        let (severity, en, ja) = match (planted, paid_off) {
            (Some(plant), Some(payoff)) if payoff < plant => (
                Severity::Medium,
                format!("it is paid off in episode {payoff}, before episode {plant} plants it"),
                format!("張る第{plant}話より前の第{payoff}話で回収することになっています"),
            ),
            (_, Some(payoff)) if payoff <= last && !is_resolved => (
                Severity::Medium,
                format!("it was due in episode {payoff} and is not marked as resolved"),
                format!("第{payoff}話で回収する予定でしたが、回収済み（resolved）になっていません"),
            ),
            (Some(plant), _) if has_read(planted).is_some() && has_keywords(&entry.plant) && found[0].is_none() => (
                Severity::Low,
                format!("episode {plant}, which plants it, has none of its keywords"),
                format!("張るはずの第{plant}話に、キーワードがありません"),
            ),
            (_, Some(payoff)) if has_read(paid_off).is_some() && has_keywords(&entry.payoff) && found[1].is_none() => (
                Severity::Low,
                format!("episode {payoff}, which pays it off, has none of its keywords"),
                format!("回収するはずの第{payoff}話に、キーワードがありません"),
            ),
            (Some(plant), None) if plant <= last && !is_resolved => (
                Severity::Info,
                format!(
                    "it was planted in episode {plant} and is open at episode {last}; the ledger names no episode for its payoff"
                ),
                format!("第{plant}話で張ったまま、第{last}話までに回収されていません。回収する話も決まっていません"),
            ),
            _ => return None,
        };
        let whole = [planted, paid_off].into_iter().map(|episode| has_read(episode).map(SourcePlace::of_episode));
        let places: Vec<SourcePlace> =
            found.into_iter().zip(whole).filter_map(|(found, whole)| found.or(whole)).collect();
        Some(FoundInBook {
            kind: BookFindingKind::Ledger,
            severity,
            message: BilingualText::new(format!("Foreshadowing 「{name}」: {en}."), format!("伏線「{name}」：{ja}。")),
            seen: occurrences(places, focus),
        })
    }

    fn of_matter(&self, matter: &OpenMatter, quotes: &QuotedPassages, focus: Option<u32>) -> Option<FoundInBook> {
        let place = quotes.place(matter.episode, &matter.quote)?;
        let later = self.read.len() - self.read.partition_point(|episode| *episode <= matter.episode);
        let used =
            matter.words.iter().filter(|word| self.last_use.get(*word).is_some_and(|last| *last > matter.episode));
        if later < LATER || matter.words.len() < WORDS || used.count() * TAKEN_UP > matter.words.len() {
            return None;
        }
        let value = &matter.value;
        let (en, ja) = match matter.kind {
            StoryFactKind::Question => ("question", "問い"),
            _ => ("promise", "約束・予定"),
        };
        Some(FoundInBook {
            kind: BookFindingKind::Ledger,
            severity: Severity::Low,
            message: BilingualText::new(
                format!(
                    "The {en} 「{value}」 of episode {} does not seem to come up in the {later} episodes after it.",
                    matter.episode
                ),
                format!("第{}話の{ja}「{value}」に、その後の{later}話で触れていないようです。", matter.episode),
            ),
            seen: occurrences([place], focus),
        })
    }
}

/// Returns the foreshadowing that the plots of the episodes plan, by its id. A broken plot is left out; `status` reports it.
fn of_plots(survey: &NovelSurvey) -> Result<Vec<Foreshadowing>, ReviewError> {
    let mut entries: BTreeMap<String, Foreshadowing> = BTreeMap::new();
    for (episode, files) in &survey.episodes {
        let [file] = files.plots.as_slice() else { continue };
        let Some(text) = unless_unreadable(read_yaml_text(file))? else { continue };
        let Ok(plot) = EpisodePlot::read(&file.shown(), &text) else { continue };
        for planned in &plot.foreshadowing {
            let text = |key: &str| planned.get(key).map(YamlValue::words).unwrap_or_default().trim().to_owned();
            let (id, role) = (text("id"), text("role"));
            if id.is_empty() {
                continue;
            }
            let entry = entries.entry(id.clone()).or_insert_with(|| Foreshadowing {
                id,
                title: text("content"),
                ..Foreshadowing::default()
            });
            let step = match role.as_str() {
                "plant" => &mut entry.plant,
                "payoff" => &mut entry.payoff,
                _ => continue,
            };
            step.episode = step.episode.or(Some(episode.number()));
        }
    }
    // A plot that pays off is the record of it: plots have no status.
    let entries = entries.into_values().map(|mut entry| {
        if entry.payoff.episode.is_some() {
            "resolved".clone_into(&mut entry.status);
        }
        entry
    });
    Ok(entries.collect())
}
