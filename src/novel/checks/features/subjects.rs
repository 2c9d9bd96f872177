//! Subjects: the person whom a sentence of narration is about, if it names one.
//!
//! The subject is the person marked by は or も, else by が. A sentence that marks no person has no subject; the caller
//! decides whether it continues the previous one. 彼 and 彼女 refer to the person named last, except a first-person
//! narrator.

use std::collections::HashMap;

use super::{Cast, Viewpoint};
use crate::{
    checks::material::CheckMaterial,
    lexicons::{PEOPLE, VERBS},
    manuscript::TextVoice,
    morphology::{Morpheme, WordOrigin},
};

/// A person in the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Person {
    /// A character of the settings, by index in the cast.
    Member(usize),
    /// A first-person narrator who is not in the settings.
    Narrator,
    /// A person identified only by role or kinship, such as 老人.
    Role(&'static str),
    /// An unidentified person.
    Somebody,
}

impl Person {
    /// Returns the person of a viewpoint: its character, else the narrator.
    pub fn of_viewpoint(viewpoint: &Viewpoint) -> Self {
        viewpoint.member.map_or(Self::Narrator, Self::Member)
    }

    /// Returns the index in the cast if the person is a character of the settings.
    pub fn member(&self) -> Option<usize> {
        if let Self::Member(at) = self { Some(*at) } else { None }
    }
}

/// A lookup from names to characters.
#[derive(Clone, Debug, Default)]
pub struct CharacterNames {
    by_name: HashMap<String, Option<usize>>,
}

impl CharacterNames {
    /// Builds the lookup for a cast. A name that two characters share matches neither.
    pub fn from_cast(cast: &Cast) -> Self {
        let mut by_name = HashMap::new();
        for (at, member) in cast.members.iter().enumerate() {
            for name in member.names() {
                let known = by_name.entry(name.to_owned()).or_insert(Some(at));
                if *known != Some(at) {
                    *known = None;
                }
            }
        }
        Self { by_name }
    }

    /// Returns the character with a name.
    pub fn get(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied().flatten()
    }

    /// Returns the character whom a word names.
    pub fn member_named_by(&self, word: &Morpheme<'_>) -> Option<usize> {
        if word.origin == WordOrigin::Name { self.get(word.surface) } else { None }
    }
}

/// The subjects of the sentences of a text.
#[derive(Clone, Debug, Default)]
pub struct Subjects {
    of: Vec<Option<Person>>,
    /// For each sentence, true if it mentions a person.
    mentions: Vec<bool>,
    /// For each sentence, true if it has a verb of speech.
    speaks: Vec<bool>,
}

impl Subjects {
    pub(in crate::checks) fn from_material(material: &CheckMaterial<'_>) -> Self {
        let (names, viewpoint) = (material.names(), material.viewpoint());
        let mut subjects = Self::default();
        let i = Person::of_viewpoint(viewpoint);
        let mut last = None;
        for (at, sentence) in material.sentences().iter().enumerate() {
            let is_told = sentence.is_story() && sentence.voice == TextVoice::Narration;
            let people =
                if is_told { people(material.words_of(at), names, viewpoint, &mut last, &i) } else { Vec::new() };
            subjects.of.push(subject(material.words_of(at), &people));
            subjects.mentions.push(!people.is_empty());
            subjects.speaks.push(is_told && speaks(material.words_of(at)));
        }
        subjects
    }

    /// Returns the subject of a sentence, if it names one.
    pub fn get(&self, sentence: usize) -> Option<&Person> {
        self.of.get(sentence)?.as_ref()
    }

    /// True if a sentence of narration has a verb of speech.
    pub fn speaks(&self, sentence: usize) -> bool {
        self.speaks.get(sentence).copied().unwrap_or_default()
    }

    /// True if a sentence of narration mentions a person.
    pub fn mentions_somebody(&self, sentence: usize) -> bool {
        self.mentions.get(sentence).copied().unwrap_or_default()
    }
}

/// True if the words have a verb of speech. Naming as in 坊っちゃんと云う人 and silence as in 何も言わず do not count.
fn speaks(words: &[Morpheme<'_>]) -> bool {
    VERBS.speech.find(words).iter().any(|hit| {
        let following = words.get(hit.words.end);
        let last = &words[hit.words.end - 1];
        let is_name = matches!(words[hit.words.start].base, "言う" | "云う" | "いう")
            && hit.words.start.checked_sub(1).is_some_and(|at| words[at].surface == "と")
            && last.inflection.is_some_and(|inflection| inflection.form == "基本形")
            && following.is_some_and(|word| word.parts[0] == "名詞");
        let is_silent =
            following.is_some_and(|word| word.parts[0] == "助動詞" && matches!(word.base, "ない" | "ぬ" | "ん"));
        !is_name && !is_silent
    })
}

/// Returns the persons whom a sentence mentions, each with the index after its last word.
fn people(
    words: &[Morpheme<'_>],
    names: &CharacterNames,
    viewpoint: &Viewpoint,
    last: &mut Option<Person>,
    i: &Person,
) -> Vec<(usize, Person)> {
    let mut people: Vec<(usize, Person)> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if let Some(member) = names.member_named_by(word) {
            people.push((at + 1, Person::Member(member)));
        }
    }
    if viewpoint.is_first_person {
        let own = PEOPLE.pronouns.first.find(words).into_iter();
        people.extend(own.map(|hit| (hit.words.end, i.clone())));
    }
    let third = PEOPLE.pronouns.third.find(words).into_iter();
    people.extend(third.map(|hit| (hit.words.end, Person::Somebody)));
    let roles = PEOPLE.kin_and_roles.find(words).into_iter();
    // A name spelled like a role (じいちゃん) counts as the name.
    let roles = roles.filter(|hit| words[hit.words.clone()].iter().all(|word| word.origin != WordOrigin::Name));
    let role = |entry: usize| Person::Role(PEOPLE.kin_and_roles.entries()[entry].as_str());
    people.extend(roles.map(|hit| (hit.words.end, role(hit.entry))));
    people.sort_by_key(|(end, _)| *end);
    for (end, person) in &mut people {
        if *person == Person::Somebody && matches!(words[*end - 1].base, "彼" | "彼女") {
            *person = last.clone().unwrap_or(Person::Somebody);
        }
        let is_named = *person != Person::Somebody && !(viewpoint.is_first_person && person == i);
        if is_named {
            *last = Some(person.clone());
        }
    }
    people
}

/// Returns the person marked by は or も, else by が.
fn subject(words: &[Morpheme<'_>], people: &[(usize, Person)]) -> Option<Person> {
    let marked = |particles: &[(&str, &str)]| {
        let mut marked = people.iter().filter(|(end, _)| {
            let mut after = words[*end..].iter();
            let next = after.find(|word| !word.has_parts(&["名詞", "接尾"]));
            next.is_some_and(|word| {
                particles.iter().any(|(kind, base)| word.has_parts(&["助詞", kind]) && word.base == *base)
            })
        });
        marked.next().map(|(_, person)| person.clone())
    };
    marked(&[("係助詞", "は"), ("係助詞", "も")]).or_else(|| marked(&[("格助詞", "が")]))
}
