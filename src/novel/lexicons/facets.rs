//! The lexicon of values that exclude each other, and of words for the same aspect of a thing.

use std::{collections::BTreeSet, sync::LazyLock};

use serde::Deserialize;

use super::read;

/// The lexicon, loaded on first use.
pub static FACETS: LazyLock<Facets> = LazyLock::new(|| read("facets", include_str!("facets.toml")));

/// Words for aspects, and facets of values.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facets {
    aspects: Vec<Vec<String>>,
    body: Vec<String>,
    facet: Vec<Facet>,
}

/// A facet: classes of words that exclude each other.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facet {
    pub name: String,
    classes: Vec<Vec<String>>,
}

impl Facets {
    /// Returns the first word for an aspect of which this is another word, else the word itself.
    pub fn aspect<'t>(&'t self, word: &'t str) -> &'t str {
        let known = self.aspects.iter().find(|words| words.iter().any(|known| known == word));
        known.and_then(|words| words.first()).map_or(word, String::as_str)
    }

    /// Returns the first facet in which two values exclude each other.
    pub fn conflict(&self, one: &str, other: &str) -> Option<&Facet> {
        self.facet.iter().find(|facet| facet.excludes(one, other))
    }

    /// Returns the facet with this name.
    pub fn facet(&self, name: &str) -> Option<&Facet> {
        self.facet.iter().find(|facet| facet.name == name)
    }

    /// True if two texts name the same part of the body.
    pub fn share_body_part(&self, one: &str, other: &str) -> bool {
        self.body.iter().any(|part| one.contains(part.as_str()) && other.contains(part.as_str()))
    }
}

impl Facet {
    /// True if both values have words of the facet and no class in common.
    pub fn excludes(&self, one: &str, other: &str) -> bool {
        let (one, other) = (self.classes_of(one), self.classes_of(other));
        !one.is_empty() && !other.is_empty() && one.is_disjoint(&other)
    }

    /// Returns the classes of the words in a value. A longer word hides the words that it contains.
    fn classes_of(&self, value: &str) -> BTreeSet<usize> {
        let classes = self.classes.iter().enumerate();
        let mut words: Vec<(usize, &str)> =
            classes.flat_map(|(class, words)| words.iter().map(move |word| (class, word.as_str()))).collect();
        words.sort_by_key(|(_, word)| std::cmp::Reverse(word.len()));
        let mut left = value.to_owned();
        let mut found = BTreeSet::new();
        for (class, word) in words {
            if left.contains(word) {
                found.insert(class);
                left = left.replace(word, "\u{0}");
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::FACETS;

    #[test]
    fn values_of_one_facet_exclude_each_other_unless_they_share_a_class() {
        let facet = |one, other| FACETS.conflict(one, other).map(|facet| facet.name.as_str());
        assert_eq!(facet("左", "右手"), Some("side"));
        assert_eq!(facet("灰色", "鳶色"), Some("colour"));
        assert_eq!(facet("黒く短い", "黒"), None);
        assert_eq!(facet("焦げ茶", "茶色"), None);
        assert_eq!(facet("長い", "黒"), None);
        assert_eq!(FACETS.aspect("瞳の色"), FACETS.aspect("目"));
    }
}
