//! The states of the earlier episodes as a text for a model: the story so far, the lasting facts, and the state
//! at the end of the last episode.

use std::collections::HashMap;
use std::fmt::Write as _;

use fumi_base::text::Locale;

use super::{EpisodeState, StoryFact, StoryFactKind};

/// The shares in percent of the end of the last episode, of the lasting facts, and of promises and questions. The
/// summaries have what is left.
const SHARES: [usize; 3] = [20, 40, 15];

/// The choice and the length of a text for a model.
#[derive(Clone, Copy, Debug)]
pub struct Remembering<'t> {
    /// The maximum length in characters. What is nearest to the episode is the last to be left out.
    pub characters: usize,
    /// True to quote the passage of each fact, so that a reader can name the one that a new passage contradicts.
    pub with_quotes: bool,
    /// A text: of the lasting facts, only those of subjects that it names are given. `None` for all.
    pub named_in: Option<&'t str>,
    pub locale: Locale,
}

/// Returns the text; `None` if nothing is remembered.
pub fn remembered(states: &[EpisodeState], asked: Remembering<'_>) -> Option<String> {
    let Remembering { characters, with_quotes, named_in, locale } = asked;
    let last = states.last()?;
    let sections = [
        now(last, with_quotes, locale),
        lasting(states, named_in, with_quotes, locale),
        open(states, with_quotes, locale),
    ];
    let mut left = characters;
    let mut kept = Vec::new();
    for (section, share) in sections.iter().zip(SHARES).filter(|(section, _)| !section.is_empty()) {
        let cut = cut_lines(section, characters * share / 100);
        left -= cut.chars().count();
        kept.push(cut);
    }
    let summaries = summaries(states, left, locale);
    let text = std::iter::once(summaries).chain(kept).filter(|part| !part.trim().is_empty());
    Some(text.collect::<Vec<_>>().join("\n"))
}

fn title(locale: Locale, en: &str, ja: &str) -> String {
    match locale {
        Locale::En => format!("## {en}\n"),
        Locale::Ja => format!("## {ja}\n"),
    }
}

/// Returns the summaries of as many episodes as there is room for, the newest first taken, in the order of the story.
fn summaries(states: &[EpisodeState], characters: usize, locale: Locale) -> String {
    let mut left = characters;
    let mut lines: Vec<String> = Vec::new();
    for state in states.iter().rev() {
        let line = match locale {
            Locale::En => format!("- Episode {}: {}\n", state.episode, state.summary.trim()),
            Locale::Ja => format!("- 第{}話：{}\n", state.episode, state.summary.trim()),
        };
        let Some(rest) = left.checked_sub(line.chars().count()) else { break };
        left = rest;
        lines.push(line);
    }
    if lines.is_empty() {
        return String::new();
    }
    lines.reverse();
    title(locale, "The story so far", "これまでの話") + &lines.concat()
}

/// True if a text names the subject, or the family name or the given name of a person.
fn names(text: &str, subject: &str) -> bool {
    subject.split_whitespace().any(|part| text.contains(part))
}

/// Returns the newest value of each lasting fact, the newest facts first.
fn lasting(states: &[EpisodeState], named_in: Option<&str>, with_quotes: bool, locale: Locale) -> String {
    let all = states.iter().flat_map(|state| state.facts.iter().map(move |fact| (state.episode, fact)));
    let mut newest: HashMap<(StoryFactKind, &str, Option<&str>), (u32, &StoryFact)> = HashMap::new();
    let mut order = Vec::new();
    for (episode, fact) in
        all.filter(|(_, fact)| fact.kind.is_lasting() && named_in.is_none_or(|text| names(text, &fact.subject)))
    {
        let key = (fact.kind, fact.subject.as_str(), fact.about.as_deref());
        if newest.insert(key, (episode, fact)).is_none() {
            order.push(key);
        }
    }
    let mut facts: Vec<&(u32, &StoryFact)> = order.iter().filter_map(|key| newest.get(key)).collect();
    facts.sort_by_key(|(episode, _)| std::cmp::Reverse(*episode));
    let lines: String = facts.into_iter().map(|(episode, fact)| line(fact, *episode, with_quotes, locale)).collect();
    if lines.is_empty() { lines } else { title(locale, "Facts that last", "変わらない事実") + &lines }
}

/// Returns what was true at the end of the last episode.
fn now(last: &EpisodeState, with_quotes: bool, locale: Locale) -> String {
    let is_changing = |fact: &&StoryFact| {
        !fact.kind.is_lasting() && !matches!(fact.kind, StoryFactKind::Promise | StoryFactKind::Question)
    };
    let lines: String =
        last.facts.iter().filter(is_changing).map(|fact| line(fact, last.episode, with_quotes, locale)).collect();
    if lines.is_empty() {
        return lines;
    }
    title(locale, "At the end of the last episode", "前の話の終わり") + &lines
}

/// Returns promises and questions, the newest first.
fn open(states: &[EpisodeState], with_quotes: bool, locale: Locale) -> String {
    let is_open = |fact: &&StoryFact| matches!(fact.kind, StoryFactKind::Promise | StoryFactKind::Question);
    let lines: String = states
        .iter()
        .rev()
        .flat_map(|state| state.facts.iter().filter(is_open).map(|fact| line(fact, state.episode, with_quotes, locale)))
        .collect();
    if lines.is_empty() {
        lines
    } else {
        title(locale, "Promises and open questions", "約束と未解決の問い") + &lines
    }
}

fn line(fact: &StoryFact, episode: u32, with_quotes: bool, locale: Locale) -> String {
    let (subject, value, kind) = (&fact.subject, &fact.value, fact.kind.words(locale));
    let about = fact.about.as_deref().filter(|about| *about != kind);
    let about = about.map(|about| format!("／{about}")).unwrap_or_default();
    let quote = if with_quotes { format!("「{}」", fact.quote.trim()) } else { String::new() };
    match locale {
        Locale::En => format!("- {kind} {subject}{about}: {value} (episode {episode}{quote})\n"),
        Locale::Ja => format!("- {kind}　{subject}{about}：{value}（第{episode}話{quote}）\n"),
    }
}

/// Returns the first lines of a text that fit, and an ellipsis if some do not.
pub(crate) fn cut_lines(text: &str, characters: usize) -> String {
    let mut left = characters.saturating_sub(2);
    let mut kept = String::new();
    for line in text.lines() {
        let Some(rest) = left.checked_sub(line.chars().count() + 1) else {
            kept.push_str("…\n");
            break;
        };
        left = rest;
        let _ = writeln!(kept, "{line}");
    }
    kept
}
