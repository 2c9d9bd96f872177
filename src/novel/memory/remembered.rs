//! The states of the earlier episodes as a text for a model: the story so far, the lasting facts, and the state
//! at the end of the last episode.

use std::collections::HashMap;
use std::fmt::Write as _;

use fumi_base::text::Locale;

use super::{
    EpisodeState, StoryFact, StoryFactKind,
    comparison::{SETTINGS, contradicting_facts, facts_of_settings},
};
use crate::{checks::features::Cast, project::YamlValue};

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
    /// The settings, which name the characters and may state facts themselves.
    pub world: &'t [YamlValue],
    pub locale: Locale,
}

/// A group of facts that contradict each other, each with its episode.
type ContradictingFacts<'f> = Vec<(u32, &'f StoryFact)>;

/// Returns the text; `None` if nothing is remembered.
pub fn remembered(states: &[EpisodeState], asked: Remembering<'_>) -> Option<String> {
    let Remembering { characters, with_quotes, named_in, world, locale } = asked;
    let last = states.last()?;
    let cast = Cast::from_settings(world);
    let settings = facts_of_settings(world, &cast);
    let is_wanted = |fact: &StoryFact| is_asked_for(fact, named_in);
    let contradicting = contradicting_facts(states, &settings, &cast, is_wanted);
    let sections = [
        now(last, with_quotes, locale),
        contradicted(&contradicting, with_quotes, locale)
            + &lasting(states, &contradicting, named_in, with_quotes, locale),
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

/// Returns the summaries of the newest episodes, as many as there is room for, in the order of the story.
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

/// True for a lasting fact whose subject the text names.
fn is_asked_for(fact: &StoryFact, named_in: Option<&str>) -> bool {
    fact.kind.is_lasting() && named_in.is_none_or(|text| names(text, &fact.subject))
}

/// Returns the facts that contradict each other, with all of their values.
fn contradicted(groups: &[ContradictingFacts<'_>], with_quotes: bool, locale: Locale) -> String {
    let lines: String = groups.iter().filter_map(|group| values_line(group, with_quotes, locale)).collect();
    if lines.is_empty() {
        return lines;
    }
    let heading = title(
        locale,
        "Facts on which the records contradict each other (write none of the values until the author decides)",
        "記録が食い違っている事実（作者が決めるまで、どれとも書かないこと）",
    );
    heading + &lines
}

/// Returns the values of a group of facts, each with the episodes that state it.
fn values_line(group: &ContradictingFacts<'_>, with_quotes: bool, locale: Locale) -> Option<String> {
    let (_, newest) = group.last()?;
    let mut values: Vec<(&str, &str, Vec<u32>)> = Vec::new();
    for (episode, fact) in group {
        let (value, quote) = (fact.value.trim(), fact.quote.trim());
        match values.iter_mut().find(|(known, ..)| *known == value) {
            Some((.., episodes)) if episodes.contains(episode) => {}
            Some((.., episodes)) => episodes.push(*episode),
            None => values.push((value, quote, vec![*episode])),
        }
    }
    let said = values.into_iter().map(|(value, quote, episodes)| {
        let (places, is_quoted) = (places(&episodes, locale), with_quotes && episodes != [SETTINGS]);
        let quote = if is_quoted { format!("「{quote}」") } else { String::new() };
        match locale {
            Locale::En => format!("{value} ({places}{quote})"),
            Locale::Ja => format!("{value}（{places}{quote}）"),
        }
    });
    let (said, head) = (said.collect::<Vec<_>>(), head(newest, locale));
    Some(match locale {
        Locale::En => format!("- {head}: {}\n", said.join(" / ")),
        Locale::Ja => format!("- {head}：{}\n", said.join("／")),
    })
}

/// Names the episodes, and the settings.
fn places(episodes: &[u32], locale: Locale) -> String {
    let of_settings = episodes.contains(&SETTINGS);
    let numbers = episodes.iter().filter(|episode| **episode != SETTINGS);
    match locale {
        Locale::En => {
            let numbers: Vec<String> = numbers.map(u32::to_string).collect();
            let noun = if numbers.len() == 1 { "episode" } else { "episodes" };
            let stated = (!numbers.is_empty()).then(|| format!("{noun} {}", numbers.join(", ")));
            of_settings.then(|| "settings".to_owned()).into_iter().chain(stated).collect::<Vec<_>>().join(", ")
        }
        Locale::Ja => {
            let stated = numbers.map(|number| format!("第{number}話"));
            of_settings.then(|| "設定".to_owned()).into_iter().chain(stated).collect::<Vec<_>>().join("、")
        }
    }
}

/// Returns the newest value of each lasting fact that is not contradicted, the newest facts first.
fn lasting(
    states: &[EpisodeState],
    contradicting: &[ContradictingFacts<'_>],
    named_in: Option<&str>,
    with_quotes: bool,
    locale: Locale,
) -> String {
    let is_contradicted =
        |fact: &StoryFact| contradicting.iter().flatten().any(|(_, known)| std::ptr::eq(*known, fact));
    let all = states.iter().flat_map(|state| state.facts.iter().map(move |fact| (state.episode, fact)));
    let mut newest: HashMap<(StoryFactKind, &str, Option<&str>), (u32, &StoryFact)> = HashMap::new();
    let mut order = Vec::new();
    for (episode, fact) in all.filter(|(_, fact)| is_asked_for(fact, named_in) && !is_contradicted(fact)) {
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
    let (head, value) = (head(fact, locale), &fact.value);
    let quote = if with_quotes { format!("「{}」", fact.quote.trim()) } else { String::new() };
    match locale {
        Locale::En => format!("- {head}: {value} (episode {episode}{quote})\n"),
        Locale::Ja => format!("- {head}：{value}（第{episode}話{quote}）\n"),
    }
}

/// Returns the kind of a fact, its subject and what it is about.
fn head(fact: &StoryFact, locale: Locale) -> String {
    let (subject, kind) = (&fact.subject, fact.kind.words(locale));
    let about = fact.about.as_deref().filter(|about| *about != kind);
    let about = about.map(|about| format!("／{about}")).unwrap_or_default();
    match locale {
        Locale::En => format!("{kind} {subject}{about}"),
        Locale::Ja => format!("{kind}　{subject}{about}"),
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

#[cfg(test)]
mod tests {
    use fumi_base::text::Locale;

    use super::{Remembering, remembered};
    use crate::{memory::EpisodeState, project::YamlValue};

    fn state(episode: u32, rest: &str) -> EpisodeState {
        let head = format!(
            "episode: {episode}\nsha256: x\nmethod: host\nrecorded_at: \"2026-01-31T10:00:00Z\"\nsummary: あらすじ\n"
        );
        serde_saphyr::from_str(&(head + rest)).expect("a state")
    }

    fn text(states: &[EpisodeState], world: &str) -> String {
        let world = [YamlValue::read("w", world).expect("settings")];
        let asked =
            Remembering { characters: 2_000, with_quotes: false, named_in: None, world: &world, locale: Locale::Ja };
        remembered(states, asked).expect("a record")
    }

    const LEFT: &str = "facts:\n- {kind: attribute, subject: 相良, about: 利き手, value: 左, quote: 左手で取った}\n\
                        - {kind: attribute, subject: 棚, about: 番号, value: 六十四番, quote: 六十四番の棚}\n";

    #[test]
    fn contradicting_values_stand_side_by_side() {
        let right = "facts:\n- {kind: attribute, subject: 相良, about: 利き手, value: 右, quote: 利き手の右}\n";
        let said = text(&[state(1, LEFT), state(2, right)], "characters: [{name: 相良}]\n");
        assert!(said.contains("## 記録が食い違っている事実"), "{said}");
        assert!(said.contains("- 特徴　相良／利き手：左（第1話）／右（第2話）\n"), "{said}");
        assert!(said.contains("## 変わらない事実\n- 特徴　棚／番号：六十四番（第1話）\n"), "{said}");
    }

    #[test]
    fn a_contradiction_to_the_settings_names_them() {
        let said = text(&[state(1, LEFT)], "characters: [{name: 相良, attributes: {利き手: 右}}]\n");
        assert!(said.contains("- 特徴　相良／利き手：右（設定）／左（第1話）\n"), "{said}");
    }

    /// A reader may note what the comparison of values cannot see.
    #[test]
    fn a_contradiction_that_a_reader_noted_is_marked() {
        let other = "facts:\n- {kind: attribute, subject: 棚, about: 番号, value: 奥から二つ目, quote: 奥から二つ目の棚}\n\
                     contradictions: [{quote: 奥から二つ目の棚, episode: 1, other_quote: 六十四番の棚, reason: 別の棚}]\n";
        let said = text(&[state(1, LEFT), state(2, other)], "characters: []\n");
        assert!(said.contains("- 特徴　棚／番号：六十四番（第1話）／奥から二つ目（第2話）\n"), "{said}");
    }

    #[test]
    fn values_that_agree_are_facts() {
        let said = text(&[state(1, LEFT), state(2, LEFT)], "characters: [{name: 相良, attributes: {利き手: 左}}]\n");
        assert!(!said.contains("食い違っている"), "{said}");
    }
}
