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
    /// The aims that are often an object.
    pub worked_on: HashSet<String>,
    /// What is a reason or a fact.
    pub facts: HashSet<String>,
    /// The facts that someone has or is like.
    pub features: HashSet<String>,
    /// Verbs whose object the subject can be.
    pub known_by: HashSet<String>,
    /// Set phrases that can follow any subject.
    pub set_ends: Vec<String>,
    /// Words that judge or feel.
    pub felt: HashSet<String>,
}
