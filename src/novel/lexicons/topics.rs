//! The lexicon of subjects that demand a noun as their predicate.

use std::{collections::HashSet, sync::LazyLock};

use serde::Deserialize;

use super::read;

/// The lexicon, loaded on first use.
pub static TOPICS: LazyLock<TopicLexicon> = LazyLock::new(|| read("topics", include_str!("topics.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopicLexicon {
    /// Subjects that are an aim or a habit.
    pub aims: HashSet<String>,
    /// The aims that consist in doing something.
    pub activities: HashSet<String>,
    /// Verbs of which an aim can be the object or the subject.
    pub carried_out: HashSet<String>,
    /// Subjects that are a reason or a fact.
    pub facts: HashSet<String>,
    /// The facts after which a clause with a subject and an object is a fault.
    pub causes: HashSet<String>,
    /// Subjects after which a clause with a subject and an object is a fault if it tells a habit or a state.
    pub stated: HashSet<String>,
    /// Subjects that are a feature.
    pub features: HashSet<String>,
    /// Adjectives of which a feature can be the subject.
    pub measures: HashSet<String>,
    /// Words of which a fact can be the object or the subject.
    pub known_by: HashSet<String>,
    /// Words that judge or feel.
    pub felt: HashSet<String>,
    /// Words near the end of a sentence with which an adjective is a set phrase.
    pub set_ends: Vec<String>,
    /// Ends of an obligation or an inability of a person.
    pub bound: Vec<String>,
    /// Subjects that are something said.
    pub said: HashSet<String>,
    /// Verbs of saying that must not be the predicate of a subject in `said`.
    pub saying: HashSet<String>,
    /// Verbs of what a person says, thinks or remembers.
    pub telling: HashSet<String>,
    /// Sources of a statement that are not persons, such as 見立て and 噂.
    pub sources: HashSet<String>,
    /// Subjects that a clause with a subject or an object of its own cannot tell of.
    pub identities: HashSet<String>,
    /// Verbs of which a subject in `identities` may be the object.
    pub acted_on: HashSet<String>,
    /// Verbs with an object of which a subject in `identities` may nevertheless be the subject.
    pub acting: HashSet<String>,
    /// Verbs, and nouns with する, that have no object.
    pub intransitive: HashSet<String>,
    /// Verbs of perception.
    pub perceived: HashSet<String>,
    /// Nouns that form an attitude with が.
    pub attitudes: HashSet<String>,
}
