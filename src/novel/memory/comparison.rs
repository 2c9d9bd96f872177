//! The comparison of facts with those of the settings and of earlier episodes.
//!
//! Only values that exclude each other are reported: two words of one facet (lexicon facets.toml), two numbers of one
//! unit, two pronouns, two forms of address, two writings of a name. A value that was stated before is not reported: it
//! was reported where it was new, or it is the right one.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use super::{EpisodeState, NotedContradiction, StoryFact, StoryFactKind};
use crate::{
    checks::{
        Contradiction, Severity,
        features::{Cast, content_words, normal, number, reading},
    },
    lexicons::{FACETS, PEOPLE},
    morphology::katakana,
    project::YamlValue,
};

/// The maps of a character sheet whose entries are traits.
const TRAITS: [&str; 4] = ["appearance", "attributes", "looks", "外見"];

/// The difference by which an age may grow between two episodes. A larger one contradicts.
const BIRTHDAYS: f64 = 1.0;

/// The episode number that stands for the settings.
pub(super) const SETTINGS: u32 = 0;

/// Returns the contradictions of an episode to the settings, to earlier episodes, and within itself: one for each of its
/// facts at most.
pub fn compare_with_earlier(
    own: &EpisodeState,
    earlier: &[EpisodeState],
    settings: &[StoryFact],
    cast: &Cast,
) -> Vec<Contradiction> {
    let mut known = KnownFacts::new(settings, cast);
    for state in earlier {
        known.add(state);
    }
    known.compare(own)
}

/// The facts of the settings and of the episodes so far, found by what they are about.
pub struct KnownFacts<'f> {
    names: Names<'f>,
    facts: Vec<(u32, StatedFact<'f>)>,
    by_key: HashMap<String, Vec<usize>>,
}

impl<'f> KnownFacts<'f> {
    pub fn new(settings: &'f [StoryFact], cast: &'f Cast) -> Self {
        let names = Names { cast, known: HashMap::new() };
        let mut known = Self { names, facts: Vec::new(), by_key: HashMap::new() };
        for fact in settings {
            known.push(SETTINGS, fact);
        }
        known
    }

    /// Adds the facts of an episode.
    pub fn add(&mut self, state: &'f EpisodeState) {
        for fact in &state.facts {
            self.push(state.episode, fact);
        }
    }

    /// Adds the facts of an episode, and returns its contradictions to the facts so far and within itself: one for each
    /// of its facts at most.
    pub fn compare(&mut self, own: &'f EpisodeState) -> Vec<Contradiction> {
        own.facts.iter().filter_map(|fact| self.push(own.episode, fact)).collect()
    }

    /// Adds a fact, and returns its contradiction to the facts before it.
    fn push(&mut self, episode: u32, fact: &'f StoryFact) -> Option<Contradiction> {
        let (at, compared) = self.place(episode, fact);
        let agrees = compared.iter().any(|(contradicts, _)| !contradicts);
        let (_, other) = *compared.first().filter(|_| !agrees)?;
        let ((_, fact), (episode, other)) = (&self.facts[at], &self.facts[other]);
        Some(Contradiction {
            quote: fact.fact.quote.clone(),
            episode: *episode,
            other_quote: other.fact.quote.clone(),
            reason: format!("{}：{}／{}", fact.title(), fact.fact.value, other.fact.value),
            severity: fact.severity(),
        })
    }

    /// Adds a fact. Returns its position, and the positions of the facts before it with which it can be compared, each
    /// with true if it contradicts it.
    fn place(&mut self, episode: u32, fact: &'f StoryFact) -> (usize, Vec<(bool, usize)>) {
        let fact = StatedFact::new(fact, &mut self.names);
        let keys = fact.keys();
        let same: BTreeSet<usize> = keys.iter().filter_map(|key| self.by_key.get(key)).flatten().copied().collect();
        let same = same.into_iter().map(|at| (at, &self.facts[at].1)).filter(|(_, other)| fact.is_about_same(other));
        let compared = same.filter_map(|(at, other)| Some((fact.contradicts(other)?, at))).collect();
        let at = self.facts.len();
        for key in keys {
            self.by_key.entry(key).or_default().push(at);
        }
        self.facts.push((episode, fact));
        (at, compared)
    }

    /// Returns the pairs of facts that a reader of an episode noted as contradicting: those of the two passages that are
    /// about the same thing, or else the only one of each about the same subject.
    fn noted_pairs(&self, noted: &NotedContradiction, episode: u32) -> Vec<(usize, usize)> {
        let quoting = |wanted: u32, quote: &str| -> Vec<usize> {
            let overlaps = |fact: &StoryFact| fact.quote.contains(quote.trim()) || quote.contains(fact.quote.trim());
            let facts = (0..).zip(&self.facts);
            facts.filter(|(_, (of, fact))| *of == wanted && overlaps(fact.fact)).map(|(at, _)| at).collect()
        };
        if noted.episode == SETTINGS {
            return Vec::new();
        }
        let (own, others) = (quoting(episode, &noted.quote), quoting(noted.episode, &noted.other_quote));
        let of_subject = own.iter().flat_map(|own| others.iter().map(move |other| (*own, *other))).filter(|pair| {
            let (one, other) = (&self.facts[pair.0].1, &self.facts[pair.1].1);
            one.fact.kind == other.fact.kind && one.subject == other.subject && one.fact.value != other.fact.value
        });
        let of_subject: Vec<(usize, usize)> = of_subject.collect();
        let is_same = |pair: &&(usize, usize)| self.facts[pair.0].1.is_about_same(&self.facts[pair.1].1);
        let same: Vec<(usize, usize)> = of_subject.iter().filter(is_same).copied().collect();
        if same.is_empty() && of_subject.len() == 1 { of_subject } else { same }
    }
}

/// Returns the groups of facts that contradict each other, each fact with its episode, in the order of the episodes. Facts
/// of the settings have the episode 0. Forms of address are left out: a person has several.
pub(super) fn contradicting_facts<'f>(
    states: &'f [EpisodeState],
    settings: &'f [StoryFact],
    cast: &'f Cast,
    is_wanted: impl Fn(&StoryFact) -> bool,
) -> Vec<Vec<(u32, &'f StoryFact)>> {
    let mut known = KnownFacts::new(&[], cast);
    let of_settings = settings.iter().map(|fact| (SETTINGS, fact));
    let of_states = states.iter().flat_map(|state| state.facts.iter().map(|fact| (state.episode, fact)));
    let mut certain: Vec<(usize, usize)> = Vec::new();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (episode, fact) in of_settings.chain(of_states) {
        if fact.kind == StoryFactKind::Address || !is_wanted(fact) {
            continue;
        }
        let (at, compared) = known.place(episode, fact);
        let agrees = compared.iter().any(|(contradicts, _)| !contradicts);
        let found = compared.iter().filter(|(contradicts, _)| *contradicts).map(|(_, other)| (at, *other));
        // A value that was stated before is contradicted only by a later one.
        if agrees || episode == SETTINGS { pairs.extend(found) } else { certain.extend(found) }
    }
    for state in states {
        certain.extend(state.contradictions.iter().flat_map(|noted| known.noted_pairs(noted, state.episode)));
    }
    let mut groups: Vec<BTreeSet<usize>> = Vec::new();
    for (one, other) in certain {
        let (mut joined, apart): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.contains(&one) || group.contains(&other));
        joined.push(BTreeSet::from([one, other]));
        groups = apart;
        groups.push(joined.into_iter().flatten().collect());
    }
    for (one, other) in pairs {
        let known = groups.iter_mut().find(|group| group.contains(&one) || group.contains(&other));
        if let Some(group) = known {
            group.extend([one, other]);
        }
    }
    let fact_at = |at: &usize| (known.facts[*at].0, known.facts[*at].1.fact);
    groups.iter().map(|group| group.iter().map(fact_at).collect()).collect()
}

/// A fact with its subject resolved.
struct StatedFact<'f> {
    fact: &'f StoryFact,
    subject: Arc<Named>,
    about: Option<Arc<Named>>,
}

/// The resolved names of a novel, each analysed once.
struct Names<'c> {
    cast: &'c Cast,
    known: HashMap<String, Arc<Named>>,
}

impl Names<'_> {
    fn resolve(&mut self, text: &str) -> Arc<Named> {
        let cast = self.cast;
        Arc::clone(self.known.entry(text.to_owned()).or_insert_with(|| Arc::new(Named::new(text, cast))))
    }
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
        if let Some(member) = member {
            return Self::Person(member.name.clone());
        }
        let mut words: BTreeSet<String> = content_words(std::slice::from_ref(&text)).into_iter().collect();
        if words.is_empty() {
            words.insert(text);
        }
        Self::Thing(words)
    }
}

impl<'f> StatedFact<'f> {
    fn new(fact: &'f StoryFact, names: &mut Names<'_>) -> Self {
        let about = fact.about.as_deref().map(|about| match fact.kind {
            StoryFactKind::Address => names.resolve(about),
            _ => names.resolve(FACETS.aspect(about.trim())),
        });
        Self { fact, subject: names.resolve(&fact.subject), about }
    }

    /// Returns the severity of a contradiction: people have several forms of address, and pronouns for the office.
    fn severity(&self) -> Severity {
        match self.fact.kind {
            StoryFactKind::Address => Severity::Info,
            StoryFactKind::FirstPerson => Severity::Medium,
            _ => Severity::High,
        }
    }

    fn is_age(&self) -> bool {
        self.fact.about.as_deref().map(str::trim).is_some_and(|about| FACETS.aspect(about) == "年齢")
    }

    fn is_name(&self) -> bool {
        let about = self.fact.about.as_deref().map(str::trim).unwrap_or_default();
        self.fact.kind == StoryFactKind::Name || FACETS.aspect(about) == "氏名"
    }

    /// Returns the keys under which the fact is found. Two facts about the same thing share a key, but facts that share a key
    /// may be about different things.
    fn keys(&self) -> Vec<String> {
        let is_value = matches!(self.fact.kind, StoryFactKind::Attribute | StoryFactKind::Number);
        let mut kinds = vec![if is_value { "value" } else { self.fact.kind.name() }];
        if self.is_name() && self.fact.kind != StoryFactKind::Name {
            kinds.push(StoryFactKind::Name.name());
        }
        let words = self.words();
        let keys = kinds.iter().flat_map(|kind| {
            let whole = words.as_ref().map(|words| format!("{kind} words {words:?}"));
            [Some(format!("{kind} {:?}", self.subject)), whole].into_iter().flatten()
        });
        keys.collect()
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
        let (Named::Thing(subject), Named::Thing(about)) = (&*self.subject, &**self.about.as_ref()?) else {
            return None;
        };
        Some(subject.union(about).collect())
    }

    /// Returns true if the values exclude each other, false if they agree, `None` if they cannot be compared.
    fn contradicts(&self, other: &Self) -> Option<bool> {
        let (one, two) = (without_notes(&self.fact.value), without_notes(&other.fact.value));
        let (one, two) = (one.as_str(), two.as_str());
        if bare(one) == bare(two) {
            return Some(false);
        }
        if FACETS.is_vague(one) || FACETS.is_vague(two) || self.changes() || other.changes() {
            return None;
        }
        let about = self.fact.about.as_deref().map(str::trim).unwrap_or_default();
        match self.fact.kind {
            _ if self.is_name() => Some(are_apart(one, two, |name| katakana(&bare(name)))),
            StoryFactKind::Attribute | StoryFactKind::Number => {
                let is_counted = self.is_age() || self.fact.kind == StoryFactKind::Number;
                let numbers = || is_counted.then(|| differ(one, two, self.is_age())).flatten();
                FACETS.exclude(about, one, two).or_else(numbers)
            }
            // Plural forms count as the singular: 僕たち is 僕.
            StoryFactKind::FirstPerson => Some(are_apart(one, two, reading)),
            // A person may address another one by a pronoun and by a name.
            StoryFactKind::Address => {
                let singular = |value: &str| value.trim_end_matches(['ら', '達']).trim_end_matches("たち").to_owned();
                let is_pronoun = |value: &str| {
                    PEOPLE.pronouns.second.entries().iter().any(|known| *known == value || *known == singular(value))
                };
                let is_compared = !is_pronoun(one) && !is_pronoun(two);
                is_compared.then(|| are_apart(one, two, |form| bare(&normal(form))))
            }
            StoryFactKind::Condition => {
                let whole = |fact: &StoryFact| {
                    format!("{}{}{}", fact.about.as_deref().unwrap_or_default(), fact.value, fact.quote)
                };
                FACETS.sides_exclude(&whole(self.fact), &whole(other.fact))
            }
            _ => None,
        }
    }

    /// True if the value is one that changes by itself: 今年までの数.
    fn changes(&self) -> bool {
        let about = self.fact.about.as_deref().unwrap_or_default();
        FACETS.changes(about) || FACETS.changes(&self.fact.subject)
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

/// Returns a value without what stands in parentheses.
fn without_notes(value: &str) -> String {
    let mut depth = 0_usize;
    let mut out = String::new();
    for c in value.chars() {
        match c {
            '（' | '(' => depth += 1,
            '）' | ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out.trim().to_owned()
}

/// True if no value of one list, such as 佐和、あいつ, contains one of the other or is contained in it.
fn are_apart(one: &str, other: &str, form: impl Fn(&str) -> String) -> bool {
    let forms = |list: &str| -> Vec<String> {
        let parts = list.split(['、', '，', ',', '・', '／', '/']).map(|part| form(part.trim()));
        parts.filter(|part| !part.is_empty()).collect()
    };
    let (one, other) = (forms(one), forms(other));
    !one.iter().any(|one| other.iter().any(|other| one.contains(other.as_str()) || other.contains(one.as_str())))
}

/// A value that is a number, with the text around it.
struct Numbered {
    before: String,
    number: f64,
    after: String,
}

/// Returns the number of a value, in kanji or digits; `None` if it has none or several.
fn numbered(value: &str) -> Option<Numbered> {
    let is_numeral =
        |c: char| "〇一二三四五六七八九十百千万億".contains(c) || c.is_ascii_digit() || ('０'..='９').contains(&c);
    let at = value.find(is_numeral)?;
    let digits = &value[at..];
    let end = digits.find(|c| !is_numeral(c)).unwrap_or(digits.len());
    let after = &digits[end..];
    let is_only = !after.contains(is_numeral);
    let number = number(&digits[..end]).filter(|_| is_only)?;
    Some(Numbered { before: bare(&value[..at]), number, after: bare(after) })
}

/// Returns true if two values have one number each, of the same unit and nothing else, and differ; false if they are equal;
/// `None` if they cannot be compared.
fn differ(one: &str, other: &str, is_age: bool) -> Option<bool> {
    let (one, other) = (numbered(one)?, numbered(other)?);
    let is_same = |one: &str, other: &str| one == other || one.is_empty() || other.is_empty();
    if !is_same(&one.before, &other.before) || !is_same(&one.after, &other.after) {
        return None;
    }
    let (one, other) = (one.number, other.number);
    Some(if is_age { one < other || one > other + BIRTHDAYS } else { (one - other).abs() > f64::EPSILON })
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
