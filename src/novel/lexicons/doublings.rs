//! The lexicon of two words of the same meaning in one phrase (重言), which may have other words between them.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{PhraseHit, Phrases, read};
use crate::morphology::Morpheme;

/// The lexicon, loaded on first use.
pub static DOUBLINGS: LazyLock<Doublings> =
    LazyLock::new(|| Doublings::new(read("doublings", include_str!("doublings.toml"))));

/// The number of words between the two halves unless an entry states another.
const GAP: usize = 2;

/// The pairs of words of the same meaning.
#[derive(Debug)]
pub struct Doublings {
    firsts: Phrases,
    /// For each first half, its row.
    rows_of: Vec<usize>,
    rows: Vec<Row>,
    same: Phrases,
    /// For each phrase of `same`, the number of its group of words with one meaning.
    groups: Vec<usize>,
}

/// The second halves of some first halves.
#[derive(Debug)]
struct Row {
    seconds: Phrases,
    gap: usize,
    comma: bool,
    keep: Option<String>,
    /// True if the first half suffices without the second.
    keeps_first: bool,
}

/// Two halves of the same meaning in a text.
#[derive(Debug)]
pub struct Doubling<'d> {
    /// The range of both halves and of what is between them, as indices in the searched words.
    pub words: std::ops::Range<usize>,
    /// The half that suffices without the other, in its dictionary form.
    pub single: &'d str,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DoublingsFile {
    same: Vec<Vec<String>>,
    double: Vec<DoubleEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DoubleEntry {
    first: Vec<String>,
    second: Vec<String>,
    gap: Option<usize>,
    #[serde(default)]
    comma: bool,
    keep: Option<String>,
    #[serde(default)]
    keep_first: bool,
}

impl Doublings {
    fn new(file: DoublingsFile) -> Self {
        let (mut firsts, mut rows_of, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for entry in file.double {
            rows_of.extend(entry.first.iter().map(|_| rows.len()));
            firsts.extend(entry.first);
            let (seconds, gap) = (Phrases::new(entry.second), entry.gap.unwrap_or(GAP));
            rows.push(Row { seconds, gap, comma: entry.comma, keep: entry.keep, keeps_first: entry.keep_first });
        }
        let groups = file.same.iter().enumerate().flat_map(|(at, group)| group.iter().map(move |_| at)).collect();
        Self {
            firsts: Phrases::new(firsts),
            rows_of,
            rows,
            same: Phrases::new(file.same.into_iter().flatten()),
            groups,
        }
    }

    /// Finds the doublings among words, without overlaps.
    pub fn find(&self, words: &[Morpheme<'_>]) -> Vec<Doubling<'_>> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let here = self.pair(words, at).or_else(|| self.same(words, at));
            at = here.as_ref().map_or(at + 1, |here| here.words.end);
            found.extend(here);
        }
        found
    }

    /// Returns the first and second half that begin at a word.
    fn pair(&self, words: &[Morpheme<'_>], at: usize) -> Option<Doubling<'_>> {
        self.firsts.all_at(words, at).into_iter().find_map(|first| {
            let row = &self.rows[self.rows_of[first.entry]];
            let second = row.second(words, first.words.end)?;
            let single: &str = match &row.keep {
                Some(keep) => keep,
                None if row.keeps_first => self.firsts.entries()[first.entry].trim_end_matches('の'),
                None => &row.seconds.entries()[second.entry],
            };
            Some(Doubling { words: at..second.words.end, single })
        })
    }

    /// Returns two different words of one group that begin at a word.
    fn same(&self, words: &[Morpheme<'_>], at: usize) -> Option<Doubling<'_>> {
        self.same.all_at(words, at).into_iter().find_map(|one| {
            let other = self.same.at(words, one.words.end)?;
            let is_same = self.groups[one.entry] == self.groups[other.entry] && one.entry != other.entry;
            is_same.then(|| Doubling { words: at..other.words.end, single: &self.same.entries()[one.entry] })
        })
    }
}

impl Row {
    /// Returns the second half from a word on.
    fn second(&self, words: &[Morpheme<'_>], from: usize) -> Option<PhraseHit> {
        for at in from..words.len().min(from + self.gap + 1) {
            if let Some(hit) = self.seconds.at(words, at) {
                return Some(hit);
            }
            let is_comma = words[at].has_parts(&["記号", "読点"]);
            let ends =
                words[at].has_parts(&["動詞", "自立"]) || (words[at].has_parts(&["記号"]) && !(is_comma && self.comma));
            if ends {
                return None;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::DOUBLINGS;

    #[test]
    fn the_lexicon_is_read() {
        assert!(DOUBLINGS.rows.len() > 100 && DOUBLINGS.groups.len() > 80);
        let known: std::collections::HashSet<&String> = DOUBLINGS.same.entries().iter().collect();
        assert_eq!(known.len(), DOUBLINGS.groups.len(), "a word in two groups");
    }
}
