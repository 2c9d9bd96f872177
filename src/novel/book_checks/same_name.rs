//! Two spellings of one name: what makes a rare name a misspelling of a usual one.

use std::collections::HashMap;

use crate::{lexicons::BOOK, manuscript::is_kanji};

/// The largest number of occurrences of a slip.
pub(super) const RARE: usize = 2;

/// The length from which a reading identifies a name.
pub(super) const READING: usize = 3;

/// The length from which a name in katakana with one other character is probably the same.
const LOAN: usize = 4;

/// A name that others are compared with.
#[derive(Debug)]
pub(super) struct UsualName {
    pub name: String,
    pub reading: Option<String>,
    /// The number of its occurrences.
    pub count: usize,
    /// True if the settings have it.
    pub is_known: bool,
}

/// A name that may be a misspelling.
#[derive(Clone, Copy, Debug)]
pub(super) struct RareName<'n> {
    pub name: &'n str,
    pub reading: Option<&'n str>,
    pub count: usize,
    pub is_person: bool,
}

/// The usual names, found by what a misspelling shares with them.
#[derive(Debug)]
pub(super) struct UsualNames {
    /// The names of the settings first, then the others; both by falling frequency.
    names: Vec<UsualName>,
    by_form: HashMap<String, Vec<usize>>,
    by_length: HashMap<usize, Vec<usize>>,
    by_reading: HashMap<String, Vec<usize>>,
    in_katakana: Vec<usize>,
}

impl UsualNames {
    pub(super) fn new(names: impl Iterator<Item = UsualName>) -> Self {
        let mut names: Vec<UsualName> = names.collect();
        names.sort_by(|one, other| {
            let key = |name: &UsualName| (std::cmp::Reverse(name.is_known), std::cmp::Reverse(name.count));
            key(one).cmp(&key(other)).then_with(|| one.name.cmp(&other.name))
        });
        let mut usual = Self {
            names: Vec::new(),
            by_form: HashMap::new(),
            by_length: HashMap::new(),
            by_reading: HashMap::new(),
            in_katakana: Vec::new(),
        };
        for (at, name) in names.iter().enumerate() {
            usual.by_form.entry(BOOK.with_one_form(&name.name)).or_default().push(at);
            usual.by_length.entry(name.name.chars().count()).or_default().push(at);
            if let Some(reading) = &name.reading {
                usual.by_reading.entry(reading.clone()).or_default().push(at);
            }
            if name.name.chars().all(is_katakana) {
                usual.in_katakana.push(at);
            }
        }
        Self { names, ..usual }
    }

    /// Returns the name of which a rare one is probably a misspelling.
    pub(super) fn usual_spelling(&self, rare: RareName<'_>) -> Option<&UsualName> {
        let of = |found: Option<&Vec<usize>>| found.cloned().unwrap_or_default();
        let mut same = of(self.by_form.get(&BOOK.with_one_form(rare.name)));
        if rare.count <= RARE {
            same.extend(of(self.by_length.get(&rare.name.chars().count())));
            same.extend(rare.reading.map(|reading| of(self.by_reading.get(reading))).unwrap_or_default());
            if rare.name.chars().all(is_katakana) {
                same.extend(&self.in_katakana);
            }
        }
        same.sort_unstable();
        same.dedup();
        let usual = same.into_iter().map(|at| &self.names[at]);
        usual.filter(|usual| usual.name != rare.name).find(|usual| is_misspelling(rare, usual))
    }
}

/// True if a rare name is probably a misspelling of a usual one.
fn is_misspelling(rare: RareName<'_>, usual: &UsualName) -> bool {
    let (name, other) = (rare.name, usual.name.as_str());
    if BOOK.with_one_form(name) == BOOK.with_one_form(other) {
        return usual.is_known || usual.count > rare.count;
    }
    if rare.count > RARE || !(usual.is_known || usual.count > rare.count * RARE) {
        return false;
    }
    let is_read_same = rare.reading.is_some() && rare.reading == usual.reading.as_deref();
    let identifies = is_read_same && rare.reading.is_some_and(|reading| reading.chars().count() >= READING);
    let kanji = one_difference(name, other).filter(|(one, other)| is_kanji(*one) && is_kanji(*other));
    if let Some((one, other)) = kanji {
        return !BOOK.are_birth_order(one, other) && (identifies || BOOK.are_lookalikes(one, other));
    }
    if usual.is_known && identifies && rare.is_person && name.chars().all(is_kanji) {
        return true;
    }
    let are_loans = name.chars().chain(other.chars()).all(is_katakana) && other.chars().count() >= LOAN;
    are_loans && is_one_off(name, other)
}

pub(super) fn is_katakana(c: char) -> bool {
    matches!(c, 'ァ'..='ヺ' | 'ー')
}

/// Returns the only pair of characters in which two texts of one length differ.
pub(super) fn one_difference(one: &str, other: &str) -> Option<(char, char)> {
    if one.chars().count() != other.chars().count() {
        return None;
    }
    let mut pairs = one.chars().zip(other.chars()).filter(|(one, other)| one != other);
    let first = pairs.next()?;
    pairs.next().is_none().then_some(first)
}

/// True if one text becomes the other by a long vowel, a small character, or another voicing of one character.
fn is_one_off(one: &str, other: &str) -> bool {
    let soft = |text: &str| -> String {
        let plain = |c: char| match c {
            'ァ' => 'ア',
            'ィ' => 'イ',
            'ゥ' => 'ウ',
            'ェ' => 'エ',
            'ォ' => 'オ',
            'ャ' => 'ヤ',
            'ュ' => 'ユ',
            'ョ' => 'ヨ',
            c => c,
        };
        text.chars().filter(|c| !matches!(c, 'ー' | 'ッ')).map(plain).collect()
    };
    let is_voiced = |(one, other): (char, char)| base_of(one) == base_of(other);
    soft(one) == soft(other) || one_difference(one, other).is_some_and(is_voiced)
}

/// Returns a kana without its voicing.
fn base_of(c: char) -> char {
    let mut base = c;
    let mut is_first = true;
    unicode_normalization::char::decompose_canonical(c, |part| {
        if std::mem::take(&mut is_first) {
            base = part;
        }
    });
    base
}

#[cfg(test)]
mod tests {
    use super::{RareName, UsualName, UsualNames};

    #[test]
    fn misspellings_are_told_from_names_of_others() {
        let usual = [
            ("渡辺", "ワタナベ", true),
            ("山田", "ヤマダ", false),
            ("健一", "ケンイチ", true),
            ("アレクセイ", "アレクセイ", true),
            ("航平", "コウヘイ", true),
        ];
        let usual = UsualNames::new(usual.into_iter().map(|(name, reading, is_known)| UsualName {
            name: name.to_owned(),
            reading: Some(reading.to_owned()),
            count: 20,
            is_known,
        }));
        for (name, reading, expected) in [
            ("渡邊", "ワタナベ", Some("渡辺")),
            ("耕平", "コウヘイ", Some("航平")),
            ("アレクゼイ", "アレクゼイ", Some("アレクセイ")),
            ("アレックセイ", "アレックセイ", Some("アレクセイ")),
            ("山本", "ヤマモト", None),
            ("健二", "ケンジ", None),
            ("アレクサンドル", "アレクサンドル", None),
        ] {
            let rare = RareName { name, reading: Some(reading), count: 1, is_person: true };
            assert_eq!(usual.usual_spelling(rare).map(|usual| usual.name.as_str()), expected, "{name}");
        }
        let often = RareName { name: "耕平", reading: Some("コウヘイ"), count: 9, is_person: true };
        assert!(usual.usual_spelling(often).is_none(), "a frequent name is another person");
    }
}
