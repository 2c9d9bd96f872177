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
    injuries: Vec<Vec<String>>,
    vague: Vec<String>,
    changing: Vec<String>,
    facet: Vec<Facet>,
}

/// A facet: classes of words that exclude each other.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facet {
    pub name: String,
    aspects: Vec<String>,
    classes: Vec<Vec<String>>,
}

impl Facets {
    /// Returns the first word for an aspect of which this is another word, else the word itself.
    pub fn aspect<'t>(&'t self, word: &'t str) -> &'t str {
        let known = self.aspects.iter().find(|words| words.iter().any(|known| known == word));
        known.and_then(|words| words.first()).map_or(word, String::as_str)
    }

    /// True if a value denies something or is not exact.
    pub fn is_vague(&self, value: &str) -> bool {
        self.vague.iter().any(|word| value.contains(word.as_str()))
    }

    /// True if a text names something that changes from episode to episode.
    pub fn changes(&self, text: &str) -> bool {
        self.changing.iter().any(|word| text.contains(word.as_str()))
    }

    /// Returns true if two values of an aspect exclude each other, false if they agree, `None` if no facet has words of both.
    pub fn exclude(&self, aspect: &str, one: &str, other: &str) -> Option<bool> {
        let facets = self.facet.iter().filter(|facet| facet.aspects.iter().any(|known| known == self.aspect(aspect)));
        let results: Vec<bool> = facets.filter_map(|facet| facet.exclude(one, other)).collect();
        (!results.is_empty()).then(|| results.contains(&true))
    }

    /// Returns true if two texts name the same injury of the same part of the body on different sides, false if on the same
    /// side, `None` if they are not the same injury.
    pub fn sides_exclude(&self, one: &str, other: &str) -> Option<bool> {
        let has = |words: &[String]| {
            let is_in = |text: &str| words.iter().any(|word| text.contains(word.as_str()));
            is_in(one) && is_in(other)
        };
        let shares_part = self.body.iter().any(|part| has(std::slice::from_ref(part)));
        let shares_injury = self.injuries.iter().any(|words| has(words));
        let side = self.facet.iter().find(|facet| facet.name == "side").filter(|_| shares_part && shares_injury);
        side.and_then(|side| side.exclude(one, other))
    }
}

impl Facet {
    /// Returns true if both values have words of the facet and no class in common; `None` if one has none.
    fn exclude(&self, one: &str, other: &str) -> Option<bool> {
        let (one, other) = (self.classes_of(one), self.classes_of(other));
        (!one.is_empty() && !other.is_empty()).then(|| one.is_disjoint(&other))
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
        assert_eq!(FACETS.exclude("利き腕", "左", "右手"), Some(true));
        assert_eq!(FACETS.exclude("目の色", "灰色", "鳶色"), Some(true));
        assert_eq!(FACETS.exclude("髪", "黒く短い", "黒"), Some(false));
        assert_eq!(FACETS.exclude("瞳", "焦げ茶", "茶色"), Some(false));
        assert_eq!(FACETS.exclude("髪", "長い", "黒"), None);
        assert_eq!(FACETS.exclude("好物", "紅茶", "白あん"), None);
        assert_eq!(FACETS.sides_exclude("右の前腕が折れた", "左腕のギプス"), Some(true));
        assert_eq!(FACETS.sides_exclude("左足を骨折", "右足に擦り傷"), None);
        assert_eq!(FACETS.aspect("瞳の色"), FACETS.aspect("目"));
        assert_eq!(FACETS.exclude("毛", "灰色", "黒"), Some(true));
        assert_eq!(FACETS.exclude("髪の毛", "黒", "金色"), Some(true));
    }
}
