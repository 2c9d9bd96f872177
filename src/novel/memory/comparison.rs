//! The comparison of facts: which of them contradict what was stated first, by the settings or by an earlier episode.
//!
//! Only values that exclude each other are reported: two words of one facet (lexicon facets.toml), two numbers of one
//! unit, two pronouns, two forms of address, two writings of a name. A later fact is compared with the first statement
//! about the same thing, so that an episode that returns to it is right.

use std::collections::BTreeSet;

use super::{EpisodeState, StoryFact, StoryFactKind};
use crate::{
    checks::{
        Contradiction,
        features::{Cast, content_words, normal, number, reading},
    },
    lexicons::FACETS,
    project::YamlValue,
};

/// The maps of a character sheet whose entries are traits.
const TRAITS: [&str; 4] = ["appearance", "attributes", "looks", "外見"];

/// The difference by which an age may grow between two episodes. A larger one contradicts.
const BIRTHDAYS: f64 = 1.0;

/// Words of a value that denies something or is not exact. It is compared with nothing.
const VAGUE: [&str; 20] = [
    "ない",
    "なかった",
    "ず",
    "以外",
    "未満",
    "以上",
    "以下",
    "約",
    "およそ",
    "ほど",
    "くらい",
    "ぐらい",
    "前後",
    "過ぎ",
    "近く",
    "余り",
    "あまり",
    "数十",
    "不明",
    "？",
];

/// The episode number that stands for the settings.
const SETTINGS: u32 = 0;

/// Returns the contradictions of an episode to the settings, to earlier episodes, and within itself: one for each of its
/// facts at most.
pub fn compare_with_earlier(
    own: &EpisodeState,
    earlier: &[EpisodeState],
    settings: &[StoryFact],
    cast: &Cast,
) -> Vec<Contradiction> {
    let of_settings = settings.iter().map(|fact| (SETTINGS, fact));
    let of_earlier = earlier.iter().flat_map(|state| state.facts.iter().map(move |fact| (state.episode, fact)));
    let before: Vec<(u32, StatedFact<'_>)> =
        of_settings.chain(of_earlier).map(|(episode, fact)| (episode, StatedFact::new(fact, cast))).collect();
    let facts: Vec<StatedFact<'_>> = own.facts.iter().map(|fact| StatedFact::new(fact, cast)).collect();
    let mut found = Vec::new();
    for (at, fact) in facts.iter().enumerate() {
        let within = facts[..at].iter().map(|fact| (own.episode, fact));
        let all = before.iter().map(|(episode, fact)| (*episode, fact)).chain(within);
        let same: Vec<(u32, &StatedFact<'_>)> = all.filter(|(_, other)| fact.is_about_same(other)).collect();
        // A pronoun and a form of address may have several values; a known one is no news.
        if fact.may_vary() && same.iter().any(|(_, other)| !fact.contradicts(other)) {
            continue;
        }
        let Some((episode, other)) = same.first().filter(|(_, other)| fact.contradicts(other)) else { continue };
        found.push(Contradiction {
            quote: fact.fact.quote.clone(),
            episode: *episode,
            other_quote: other.fact.quote.clone(),
            reason: format!("{}：{}／{}", fact.title(), fact.fact.value, other.fact.value),
        });
    }
    found
}

/// A fact with its subject resolved.
struct StatedFact<'f> {
    fact: &'f StoryFact,
    subject: Named,
    about: Option<Named>,
}

/// The name of a person of the settings, or the content words of another subject.
#[derive(Debug, PartialEq, Eq)]
enum Named {
    Person(String),
    Thing(BTreeSet<String>),
}

impl Named {
    fn new(text: &str, cast: &Cast) -> Self {
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        let text = bare(text);
        let member = cast.members.iter().find(|member| {
            let parts = member.name.split_whitespace().filter(|part| *part != member.name);
            member.names().any(|name| bare(name) == text) || parts.into_iter().any(|part| part == text)
        });
        match member {
            Some(member) => Self::Person(member.name.clone()),
            None => {
                let mut words: BTreeSet<String> = content_words(std::slice::from_ref(&text)).into_iter().collect();
                if words.is_empty() {
                    words.insert(text);
                }
                Self::Thing(words)
            }
        }
    }
}

impl<'f> StatedFact<'f> {
    fn new(fact: &'f StoryFact, cast: &Cast) -> Self {
        let about = fact.about.as_deref().map(|about| match fact.kind {
            StoryFactKind::Address => Named::new(about, cast),
            _ => Named::new(FACETS.aspect(about.trim()), &Cast::default()),
        });
        Self { fact, subject: Named::new(&fact.subject, cast), about }
    }

    /// True if a person may have several values at once.
    fn may_vary(&self) -> bool {
        matches!(self.fact.kind, StoryFactKind::FirstPerson | StoryFactKind::Address)
    }

    fn is_age(&self) -> bool {
        self.fact.about.as_deref().map(str::trim).is_some_and(|about| FACETS.aspect(about) == "年齢")
    }

    fn is_name(&self) -> bool {
        let about = self.fact.about.as_deref().map(str::trim).unwrap_or_default();
        self.fact.kind == StoryFactKind::Name || FACETS.aspect(about) == "氏名"
    }

    /// True if both state something about the same thing, so that their values can be compared.
    fn is_about_same(&self, other: &Self) -> bool {
        let is_value = |fact: &Self| matches!(fact.fact.kind, StoryFactKind::Attribute | StoryFactKind::Number);
        let is_same_kind = self.fact.kind == other.fact.kind
            || (is_value(self) && is_value(other))
            || (self.is_name() && other.is_name());
        // The value of an injury may contain what it is about; a pronoun is about nothing else.
        let has_free_about = matches!(self.fact.kind, StoryFactKind::Condition | StoryFactKind::FirstPerson);
        let is_same = self.subject == other.subject && (self.about == other.about || has_free_about);
        is_same_kind && (is_same || self.words().is_some_and(|words| other.words().is_some_and(|other| words == other)))
    }

    /// Returns the words of subject and about together, if the subject is a thing: 塔の階段／段数 and 塔／階段の段数 are the
    /// same.
    fn words(&self) -> Option<BTreeSet<&String>> {
        let (Named::Thing(subject), Some(Named::Thing(about))) = (&self.subject, &self.about) else { return None };
        Some(subject.union(about).collect())
    }

    /// True if the values exclude each other.
    fn contradicts(&self, other: &Self) -> bool {
        let (one, two) = (self.fact.value.trim(), other.fact.value.trim());
        if is_vague(one) || is_vague(two) {
            return false;
        }
        match self.fact.kind {
            _ if self.is_name() => bare(one) != bare(two),
            StoryFactKind::Attribute | StoryFactKind::Number => {
                FACETS.conflict(one, two).is_some() || differ(&numbers(one), &numbers(two), self.is_age())
            }
            StoryFactKind::FirstPerson => {
                // 僕たち is 僕.
                let (one, two) = (reading(one), reading(two));
                !one.contains(&two) && !two.contains(&one)
            }
            StoryFactKind::Address => bare(&normal(one)) != bare(&normal(two)),
            StoryFactKind::Condition => {
                let whole = |fact: &StoryFact| format!("{}{}", fact.about.as_deref().unwrap_or_default(), fact.value);
                let (one, two) = (whole(self.fact), whole(other.fact));
                let side = FACETS.facet("side");
                FACETS.share_body_part(&one, &two) && side.is_some_and(|side| side.excludes(&one, &two))
            }
            _ => false,
        }
    }

    /// Returns what the fact is about, in the words of an editor.
    fn title(&self) -> String {
        let about = self.fact.about.as_deref().unwrap_or_default();
        let subject = self.fact.subject.trim();
        match self.fact.kind {
            StoryFactKind::FirstPerson => format!("{subject}の一人称"),
            StoryFactKind::Address => format!("{subject}から{about}への呼び方"),
            _ if about.is_empty() => subject.to_owned(),
            _ => format!("{subject}の{about}"),
        }
    }
}

fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && *c != '・').collect()
}

/// True if a value denies something, or is not exact.
fn is_vague(value: &str) -> bool {
    VAGUE.iter().any(|word| value.contains(word))
}

/// A number with the character after it, its unit.
type Numbered = (f64, Option<char>);

/// Returns the numbers of a value, in kanji or digits.
fn numbers(value: &str) -> Vec<Numbered> {
    let is_numeral =
        |c: char| "〇一二三四五六七八九十百千万億".contains(c) || c.is_ascii_digit() || ('０'..='９').contains(&c);
    let mut found = Vec::new();
    let mut rest = value;
    while let Some(at) = rest.find(is_numeral) {
        let digits = &rest[at..];
        let end = digits.find(|c| !is_numeral(c)).unwrap_or(digits.len());
        found.extend(number(&digits[..end]).map(|number| (number, digits[end..].chars().next())));
        rest = &digits[end..];
    }
    found
}

/// True if two values have one number of the same unit, or the same parts of a date, and differ.
fn differ(one: &[Numbered], other: &[Numbered], is_age: bool) -> bool {
    let is_date =
        |numbers: &[Numbered]| numbers.iter().all(|(_, unit)| unit.is_some_and(|unit| "年月日".contains(unit)));
    let is_comparable = one.len() == other.len()
        && (one.len() == 1 || (is_date(one) && is_date(other)))
        && one.iter().zip(other).all(|((_, one), (_, other))| one == other || one.is_none() || other.is_none());
    let is_other = |((one, _), (other, _)): (&Numbered, &Numbered)| {
        if is_age { one < other || *one > other + BIRTHDAYS } else { (one - other).abs() > f64::EPSILON }
    };
    is_comparable && one.iter().zip(other).any(is_other)
}

/// Returns the facts of the character sheets: ages, readings, pronouns, forms of address and traits.
pub fn facts_of_settings(world: &[YamlValue], cast: &Cast) -> Vec<StoryFact> {
    let mut facts = Vec::new();
    for member in &cast.members {
        for pronoun in &member.first_person {
            facts.push(fact(StoryFactKind::FirstPerson, &member.name, None, pronoun));
        }
        for (to, forms) in &member.addresses {
            facts.extend(forms.iter().map(|form| fact(StoryFactKind::Address, &member.name, Some(to), form)));
        }
    }
    let lists = world.iter().filter_map(|file| file.get("characters"));
    for sheet in lists.flat_map(YamlValue::items) {
        let Some(name) = sheet.get("name").map(YamlValue::words) else { continue };
        for (key, kind, about) in [("age", StoryFactKind::Attribute, "年齢"), ("reading", StoryFactKind::Name, "読み")]
        {
            facts.extend(sheet.get(key).map(|value| fact(kind, &name, Some(about), &value.words())));
        }
        let traits = TRAITS.iter().filter_map(|key| sheet.get(key)).flat_map(pairs);
        facts.extend(traits.map(|(key, value)| fact(StoryFactKind::Attribute, &name, Some(&key), &value)));
        let calls = sheet.get("calls").map(pairs).unwrap_or_default();
        facts.extend(calls.iter().map(|(to, form)| fact(StoryFactKind::Address, &name, Some(to), form)));
    }
    facts.retain(|fact| !fact.value.trim().is_empty());
    facts
}

fn pairs(map: &YamlValue) -> Vec<(String, String)> {
    let YamlValue::Map(pairs) = map else { return Vec::new() };
    pairs.iter().filter_map(|(key, value)| Some((key.as_str()?.to_owned(), value.words()))).collect()
}

fn fact(kind: StoryFactKind, subject: &str, about: Option<&str>, value: &str) -> StoryFact {
    StoryFact {
        kind,
        subject: subject.to_owned(),
        about: about.map(str::to_owned),
        value: value.to_owned(),
        quote: value.to_owned(),
    }
}
