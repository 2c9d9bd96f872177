//! The lexicon of subjects that demand a noun as their predicate.

use std::{collections::HashSet, sync::LazyLock};

use serde::Deserialize;

use super::read;

/// The lexicon, loaded on first use.
pub static TOPICS: LazyLock<TopicLexicon> = LazyLock::new(|| read("topics", include_str!("topics.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopicLexicon {
    /// What someone wants or does.
    pub aims: HashSet<String>,
    /// The aims that consist in doing something.
    pub activities: HashSet<String>,
    /// Verbs of which an aim can be the object.
    pub carried_out: HashSet<String>,
    /// What is a reason or a fact.
    pub facts: HashSet<String>,
    /// The facts that are never an object.
    pub causes: HashSet<String>,
    /// What a clause about a habit does not say.
    pub stated: HashSet<String>,
    /// What someone has or is like.
    pub features: HashSet<String>,
    /// Adjectives of which a feature can be the subject.
    pub measures: HashSet<String>,
    /// Verbs of which a cause can be the object.
    pub known_by: HashSet<String>,
    /// Words that judge or feel.
    pub felt: HashSet<String>,
    /// Set phrases that can follow any subject.
    pub set_ends: Vec<String>,
}
