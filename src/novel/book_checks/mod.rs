//! Checks of a whole novel, for which all episodes are needed: names, spellings, worn phrases, days, foreshadowing, and
//! recorded states.
//!
//! Episodes are read one after another and only counts and the first places are kept, so memory does not grow with the
//! text. Each file finds one kind of fault. A finding is reported only if the author can decide it from its places. Nothing
//! is written, and nothing is asked of a model.

mod days;
mod episode;
mod finding;
mod foreshadowing;
mod names;
mod plotted_names;
mod quotes;
mod same_name;
mod spellings;
mod states;
mod worn_phrases;

use std::collections::{BTreeMap, BTreeSet};

use fumi_base::{errors::UserError, text::BilingualText};

pub use finding::{BookFinding, BookFindingKind, BookPlace, PLACES};

use self::{
    episode::{BookEpisode, EpisodeText, read_text},
    finding::{FoundInBook, Occurrences, SourcePlace},
    foreshadowing::ForeshadowingCheck,
    names::NameCheck,
    quotes::QuotedPassages,
    spellings::SpellingCheck,
    states::StateCheck,
    worn_phrases::WornPhraseCheck,
};
use crate::{
    checks::{self, AnalysedDraft, CheckMaterial, NovelContext, Severity, Tuning, surrounded},
    errors::reviewing::ReviewError,
    manuscript::ManuscriptOptions,
    memory,
    morphology::NameLexicon,
    numbering,
    plotting::read_yaml_files,
    project::{EpisodeFiles, EpisodeId, FolderRole, NovelProject, NovelSurvey},
};

/// The maximum numbers of episodes and of their characters that one check reads: about 25 seconds on two cores.
const EPISODES: usize = 2_000;
const CHARACTERS: usize = 6_000_000;

/// The maximum number of characters of a passage that are quoted.
const QUOTED: usize = 40;

/// The last episode number.
const LAST: u32 = 99_999;

/// The choice of what a check reports.
#[derive(Clone, Copy, Debug)]
pub struct BookCheckOptions {
    /// The episode that findings must concern; `None` for all findings.
    pub focus: Option<EpisodeId>,
    /// The maximum number of findings that are returned with their places.
    pub shown: usize,
}

/// The result of a check.
#[derive(Clone, Debug, Default)]
pub struct BookReport {
    /// The number of episodes that were read.
    pub episodes: usize,
    /// The number of characters of their stories.
    pub characters: usize,
    /// The number of findings by kind and severity.
    pub counts: BTreeMap<(BookFindingKind, Severity), usize>,
    /// The most severe findings.
    pub findings: Vec<BookFinding>,
    /// The episodes that were not read, each with the reason.
    pub left_out: Vec<BilingualText>,
    /// The errors of states that were left out.
    pub remarks: Vec<BilingualText>,
    /// Numbers that differ from that of their file, and characters of plots whom the settings do not know.
    pub notes: Vec<BilingualText>,
    /// The episodes whose state is missing or older than the manuscript.
    pub to_record: Vec<EpisodeId>,
}

impl BookReport {
    /// Returns the number of findings of a severity or a higher one.
    pub fn count_from(&self, severity: Severity) -> usize {
        self.counts.iter().filter(|((_, own), _)| *own >= severity).map(|(_, count)| count).sum()
    }
}

/// Checks the episodes of a novel.
pub fn check_book(
    novel: &NovelProject,
    asked: BookCheckOptions,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<BookReport, ReviewError> {
    let survey = novel.survey()?;
    survey.require_novel(novel.names())?;
    if let Some(focus) = asked.focus {
        novel.manuscript(focus)?;
    }
    let mut report = BookReport::default();
    let written = written_episodes(&survey, &mut report);
    let world = read_yaml_files(&survey, FolderRole::World)?;
    let ledger = read_yaml_files(&survey, FolderRole::Management)?;
    let names = NameCheck::new(&world);
    let context = NovelContext {
        names: names.lexicon(NameLexicon::of_settings(&world)),
        world,
        ledger,
        settings: survey.settings.clone(),
        ..NovelContext::default()
    };
    let states = match EpisodeId::new(LAST) {
        Some(last) => memory::states_until(novel.project(), last)?,
        None => memory::EpisodeStates::default(),
    };
    report.remarks.extend(states.faults.iter().map(|fault| fault.error_message().message));
    let numbers: BTreeSet<u32> = written.iter().map(|(episode, _)| episode.number()).collect();
    let mut quotes = QuotedPassages::default();
    let mut book = BookChecks {
        names,
        spellings: SpellingCheck::default(),
        phrases: WornPhraseCheck::default(),
        states: StateCheck::new(&states.states, &numbers, &context, &mut quotes, is_cancelled)?,
        foreshadowing: ForeshadowingCheck::new(&states.states, &context, &survey, &mut quotes)?,
        quotes,
        focus: asked.focus.map(EpisodeId::number),
    };
    read_episodes(&written, &context, &mut book, &mut report, is_cancelled)?;
    report.notes.extend(plotted_names::unknown_names(&survey, &context.world));
    report.notes.extend(numbering::number_remarks(&survey));
    report.notes.extend(numbering::state_remarks(&states.states, book.states.hashes()));
    let mut found = book.findings(&context, report.characters, &mut report.to_record);
    if asked.focus.is_some() {
        found.retain(|one| one.seen.is_in_focus);
    }
    found.sort_by(|one, other| {
        let key =
            |found: &FoundInBook| (std::cmp::Reverse(found.severity), found.kind, std::cmp::Reverse(found.seen.count));
        key(one).cmp(&key(other)).then_with(|| one.message.en.cmp(&other.message.en))
    });
    for one in &found {
        *report.counts.entry((one.kind, one.severity)).or_default() += 1;
    }
    found.truncate(asked.shown);
    report.findings = with_places(found, &written)?;
    Ok(report)
}

/// Returns the episodes with a manuscript, in order. An episode with several is left out.
fn written_episodes<'s>(survey: &'s NovelSurvey, report: &mut BookReport) -> Vec<(EpisodeId, &'s EpisodeFiles)> {
    let with_text = survey.episodes.iter().filter(|(_, files)| !files.manuscripts.is_empty());
    let (several, single): (Vec<_>, Vec<_>) = with_text.partition(|(_, files)| files.manuscripts.len() > 1);
    report.left_out.extend(several.iter().map(|(episode, _)| {
        BilingualText::new(
            format!("Episode {}: it has several manuscripts.", episode.number()),
            format!("第{}話：原稿が複数あります。", episode.number()),
        )
    }));
    single.into_iter().map(|(episode, files)| (*episode, files)).collect()
}

/// Reads the episodes one after another.
fn read_episodes(
    written: &[(EpisodeId, &EpisodeFiles)],
    context: &NovelContext,
    book: &mut BookChecks,
    report: &mut BookReport,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<(), ReviewError> {
    let tuning = Tuning::default();
    for (episode, files) in written {
        if is_cancelled() {
            return Err(ReviewError::Cancelled);
        }
        if report.characters > CHARACTERS || report.episodes == EPISODES {
            report.left_out.push(BilingualText::new(
                format!("Episodes from {} on: the novel is longer than one check reads.", episode.number()),
                format!("第{}話以降：一度にチェックできる長さを超えています。", episode.number()),
            ));
            break;
        }
        let text = match read_text(*episode, files) {
            Ok(text) => text,
            Err(error) if error.is_system_failure() => return Err(error),
            Err(error) => {
                let message = error.error_message().message;
                report.left_out.push(BilingualText::new(
                    format!("Episode {}: {}", episode.number(), message.en),
                    format!("第{}話：{}", episode.number(), message.ja),
                ));
                continue;
            }
        };
        let EpisodeText { text, sha256 } = text;
        let draft = AnalysedDraft::read(text, ManuscriptOptions::default());
        let material = CheckMaterial::new(&draft, context, &tuning, checks::morphology());
        report.episodes += 1;
        report.characters += material.characters();
        book.read(&BookEpisode { number: episode.number(), sha256, material: &material });
    }
    Ok(())
}

/// The checks of one novel.
struct BookChecks {
    names: NameCheck,
    spellings: SpellingCheck,
    phrases: WornPhraseCheck,
    states: StateCheck,
    foreshadowing: ForeshadowingCheck,
    quotes: QuotedPassages,
    focus: Option<u32>,
}

impl BookChecks {
    fn read(&mut self, episode: &BookEpisode<'_, '_>) {
        self.quotes.read(episode);
        self.names.read(episode, self.focus);
        self.spellings.read(episode, self.focus);
        self.phrases.read(episode, self.focus);
        self.states.read(episode);
        self.foreshadowing.read(episode);
    }

    fn findings(self, context: &NovelContext, characters: usize, to_record: &mut Vec<EpisodeId>) -> Vec<FoundInBook> {
        let mut found = self.names.findings();
        found.extend(self.spellings.findings(context));
        found.extend(self.phrases.findings(characters));
        found.extend(self.foreshadowing.findings(&self.quotes, self.focus));
        found.extend(self.states.findings(&self.quotes, self.focus, to_record));
        found
    }
}

/// Reads the places of the findings. Each episode is read once more at most.
fn with_places(
    found: Vec<FoundInBook>,
    written: &[(EpisodeId, &EpisodeFiles)],
) -> Result<Vec<BookFinding>, ReviewError> {
    let needed: BTreeSet<u32> = found.iter().flat_map(|one| one.seen.places()).map(|place| place.episode).collect();
    let mut read: BTreeMap<(u32, usize, usize), (usize, String)> = BTreeMap::new();
    for (episode, files) in written.iter().filter(|(episode, _)| needed.contains(&episode.number())) {
        let Some(text) = fumi_base::errors::unless_unreadable(read_text(*episode, files))? else { continue };
        let places = found.iter().flat_map(|one| one.seen.places());
        for range in places.filter(|place| place.episode == episode.number()).filter_map(SourcePlace::range) {
            // The file may have been changed a moment ago.
            let Some(passage) = text.text.get(range.clone()) else { continue };
            let line = text.text[..range.start].matches('\n').count() + 1;
            let quote = surrounded(&text.text, &range, &shortened(passage));
            read.insert((episode.number(), range.start, range.end), (line, quote));
        }
    }
    let place = |place: SourcePlace| {
        let read = place.range().and_then(|range| read.get(&(place.episode, range.start, range.end)));
        let (line, quote) = read.cloned().unzip();
        BookPlace { episode: place.episode, line, quote: quote.unwrap_or_default() }
    };
    let findings = found.into_iter().map(|FoundInBook { kind, severity, message, seen }| BookFinding {
        kind,
        severity,
        message,
        count: seen.count,
        episodes: seen.episodes,
        places: seen.places().map(place).collect(),
    });
    Ok(findings.collect())
}

fn shortened(text: &str) -> String {
    let text = text.replace(['\r', '\n'], " ");
    match text.char_indices().nth(QUOTED) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// Returns the occurrences at some places.
fn occurrences(places: impl IntoIterator<Item = SourcePlace>, focus: Option<u32>) -> Occurrences {
    let mut places: Vec<SourcePlace> = places.into_iter().collect();
    places.sort_by_key(|place| place.episode);
    let mut seen = Occurrences::default();
    for place in places {
        seen.add(place, focus);
    }
    seen
}
