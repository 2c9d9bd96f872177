//! Names of persons and places that are spelled in two ways.
//!
//! Names come from the settings and, if they recur, from the text. A name is another spelling of one if it differs by a form
//! of a kanji, if it is read the same and differs by one kanji, if its kanji are easily confused, or if a full name of the
//! settings has one other kanji. Two frequent names are two persons, unless only forms of kanji differ.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fumi_base::text::BilingualText;

use super::{
    BookEpisode, BookFindingKind, FoundInBook, Occurrences, SourcePlace,
    same_name::{RARE, READING, RareName, UsualName, UsualNames, is_katakana, one_difference},
};
use crate::{
    checks::Severity,
    lexicons::BOOK,
    manuscript::is_kanji,
    morphology::{Morpheme, NameKind, NameLexicon, WordOrigin, katakana},
    project::YamlValue,
};

/// The maximum number of different names that are counted.
const NAMES: usize = 50_000;

/// The least number of occurrences of a name that others are compared with, unless the settings have it.
const FREQUENT: usize = 4;

/// The lengths of names in characters.
const SHORTEST: usize = 2;
const LONGEST: usize = 8;

/// A name of the settings, or a part of one.
#[derive(Clone, Debug)]
struct KnownName {
    reading: Option<String>,
    kind: NameKind,
}

/// A full name of the settings.
#[derive(Clone, Debug)]
struct FullName {
    family: String,
    given: String,
}

/// A name in the text.
#[derive(Clone, Debug, Default)]
struct NameUse {
    seen: Occurrences,
    reading: Option<String>,
    /// True if the dictionary or a suffix such as さん says that it is a person.
    is_person: bool,
}

/// The names of a novel.
#[derive(Debug, Default)]
pub(super) struct NameCheck {
    known: BTreeMap<String, KnownName>,
    full: Vec<FullName>,
    used: HashMap<String, NameUse>,
    /// Full names with another kanji, with the name of the settings.
    nearly: BTreeMap<(String, String), Occurrences>,
    /// Names in kana before a suffix, with the name of the settings.
    in_kana: BTreeMap<(String, String), Occurrences>,
}

impl NameCheck {
    /// Reads the names of the settings.
    pub(super) fn new(world: &[YamlValue]) -> Self {
        let mut check = Self::default();
        for file in world {
            for character in file.get("characters").map(YamlValue::items).unwrap_or_default() {
                check.add(character, "name", NameKind::Person);
                for alias in character.get("aliases").map(YamlValue::items).unwrap_or_default() {
                    check.add_name(&alias.words(), None, NameKind::Person);
                }
            }
            let places = file.get("places").map(YamlValue::items).unwrap_or_default();
            for place in file.get("place").into_iter().chain(places) {
                check.add(place, "name", NameKind::Place);
                for spot in place.get("spots").map(YamlValue::items).unwrap_or_default() {
                    check.add(spot, "name", NameKind::Place);
                }
            }
            for term in file.get("terms").map(YamlValue::items).unwrap_or_default() {
                check.add(term, "term", NameKind::Term);
            }
        }
        check
    }

    fn add(&mut self, yaml: &YamlValue, key: &str, kind: NameKind) {
        let text = |key| yaml.get(key).map(YamlValue::words).unwrap_or_default();
        self.add_name(&text(key), Some(&text("reading")), kind);
    }

    /// Adds a name, and its parts if it has a space: 久我 湊 is also 久我, 湊 and 久我湊.
    fn add_name(&mut self, name: &str, reading: Option<&str>, kind: NameKind) {
        let parts: Vec<&str> = name.split_whitespace().collect();
        let readings: Vec<&str> = reading.unwrap_or_default().split_whitespace().collect();
        let is_split = parts.len() > 1 && kind == NameKind::Person;
        if let ([family, given], true) = (parts.as_slice(), is_split) {
            self.full.push(FullName { family: (*family).to_owned(), given: (*given).to_owned() });
        }
        for (at, part) in parts.iter().enumerate().filter(|_| is_split) {
            let reading = readings.get(at).filter(|_| readings.len() == parts.len());
            self.insert((*part).to_owned(), reading.map(|reading| katakana(reading)), kind);
        }
        let whole = readings.concat();
        self.insert(parts.concat(), (!whole.is_empty()).then(|| katakana(&whole)), kind);
    }

    fn insert(&mut self, name: String, reading: Option<String>, kind: NameKind) {
        if !name.is_empty() {
            self.known.entry(name).or_insert(KnownName { reading, kind });
        }
    }

    /// Returns a lexicon with the parts of the names added: the text has 久我 and 湊 where the settings have 久我 湊.
    pub(super) fn lexicon(&self, mut lexicon: NameLexicon) -> NameLexicon {
        for (name, known) in self.known.iter().filter(|(_, known)| known.kind == NameKind::Person) {
            lexicon.add(name, known.reading.as_deref(), known.kind);
        }
        lexicon
    }

    pub(super) fn read(&mut self, episode: &BookEpisode<'_, '_>, focus: Option<u32>) {
        let material = episode.material;
        for (at, sentence) in material.sentences().iter().enumerate() {
            if sentence.is_story() {
                self.read_words(episode, material.words_of(at), focus);
            }
        }
    }

    fn read_words(&mut self, episode: &BookEpisode<'_, '_>, words: &[Morpheme<'_>], focus: Option<u32>) {
        let mut at = 0;
        while at < words.len() {
            let run = words[at..].iter().enumerate().take_while(|(nth, word)| {
                let touches = *nth == 0 || words[at + nth - 1].visible.end == word.visible.start;
                touches && is_name_part(word)
            });
            let run = &words[at..at + run.count()];
            if run.is_empty() {
                at += 1;
                continue;
            }
            let next = words.get(at + run.len());
            self.read_run(episode, run, next, focus);
            at += run.len();
        }
        self.read_kana(episode, words, focus);
    }

    /// Adds the names of a run of adjacent nouns in kanji or katakana.
    fn read_run(
        &mut self,
        episode: &BookEpisode<'_, '_>,
        run: &[Morpheme<'_>],
        next: Option<&Morpheme<'_>>,
        focus: Option<u32>,
    ) {
        let has_suffix = next.is_some_and(|next| next.has_parts(&["名詞", "接尾", "人名"]));
        let text = |words: &[Morpheme<'_>]| words.iter().map(|word| word.surface).collect::<String>();
        let place = |words: &[Morpheme<'_>]| {
            let range = words[0].source.start..words[words.len() - 1].source.end;
            SourcePlace::new(episode.number, &range)
        };
        for word in run.iter().filter(|word| word.has_parts(&["名詞", "固有名詞"])) {
            let is_person = word.has_parts(&["名詞", "固有名詞", "人名"]);
            self.add_use(
                word.surface.to_owned(),
                word.reading.map(str::to_owned),
                is_person,
                place(std::slice::from_ref(word)),
                focus,
            );
        }
        let is_name =
            run.iter().any(|word| word.has_parts(&["名詞", "固有名詞"]) || word.origin == WordOrigin::Unknown);
        if run.len() > 1 && (is_name || has_suffix) {
            let reading = run.iter().map(|word| word.reading).collect::<Option<String>>();
            self.add_use(text(run), reading, has_suffix, place(run), focus);
        } else if run.len() == 1 && run[0].origin == WordOrigin::Unknown
            || (run.len() == 1 && has_suffix && !run[0].has_parts(&["名詞", "固有名詞"]))
        {
            self.add_use(text(run), run[0].reading.map(str::to_owned), has_suffix, place(run), focus);
        }
        let whole = text(run);
        for FullName { family, given } in &self.full {
            let Some(near) = nearly(&whole, family, given).filter(|near| !self.known.contains_key(near)) else {
                continue;
            };
            let is_known = self.full.iter().any(|other| format!("{}{}", other.family, other.given) == near);
            if !is_known {
                self.nearly.entry((near, format!("{family}{given}"))).or_default().add(place(run), focus);
            }
        }
    }

    /// Adds names in hiragana before a suffix such as さん.
    fn read_kana(&mut self, episode: &BookEpisode<'_, '_>, words: &[Morpheme<'_>], focus: Option<u32>) {
        for (at, suffix) in words.iter().enumerate().skip(1) {
            if !suffix.has_parts(&["名詞", "接尾", "人名"]) {
                continue;
            }
            // The dictionary may have split the kana.
            let before = words[..at]
                .iter()
                .rev()
                .take_while(|word| word.surface.chars().all(|c| matches!(c, 'ぁ'..='ん' | 'ー')));
            let start = at - before.count();
            let kana: String = words[start..at].iter().map(|word| word.surface).collect();
            if kana.chars().count() < READING || self.known.contains_key(&kana) {
                continue;
            }
            let read = katakana(&kana);
            let named = self.known.iter().find(|(name, known)| {
                known.kind == NameKind::Person
                    && known.reading.as_deref() == Some(read.as_str())
                    && name.contains(is_kanji)
            });
            if let Some((name, _)) = named {
                let place = SourcePlace::new(episode.number, &(words[start].source.start..words[at - 1].source.end));
                self.in_kana.entry((kana, name.clone())).or_default().add(place, focus);
            }
        }
    }

    fn add_use(
        &mut self,
        name: String,
        reading: Option<String>,
        is_person: bool,
        place: SourcePlace,
        focus: Option<u32>,
    ) {
        let length = name.chars().count();
        if !(SHORTEST..=LONGEST).contains(&length) && !self.known.contains_key(&name) {
            return;
        }
        if self.used.len() >= NAMES && !self.used.contains_key(&name) {
            return;
        }
        let used = self.used.entry(name).or_default();
        used.seen.add(place, focus);
        used.is_person |= is_person;
        used.reading = used.reading.take().or(reading);
    }

    pub(super) fn findings(self) -> Vec<FoundInBook> {
        let Self { known, used, nearly, in_kana, .. } = self;
        let count_of = |name: &str| used.get(name).map_or(0, |used| used.seen.count);
        let mut found = Vec::new();
        let mut reported: BTreeSet<String> = BTreeSet::new();
        for ((near, name), seen) in nearly {
            reported.insert(near.clone());
            let severity = if seen.count <= RARE { Severity::High } else { Severity::Medium };
            found.push(finding(severity, &near, &name, count_of(&name), true, seen));
        }
        let usual = UsualNames::new(
            known
                .iter()
                .map(|(name, known)| {
                    let used = used.get(name);
                    let reading = known.reading.clone().or_else(|| used.and_then(|used| used.reading.clone()));
                    UsualName {
                        name: name.clone(),
                        reading,
                        count: used.map_or(0, |used| used.seen.count),
                        is_known: true,
                    }
                })
                .chain(
                    used.iter().filter(|(name, used)| !known.contains_key(*name) && used.seen.count >= FREQUENT).map(
                        |(name, used)| UsualName {
                            name: name.clone(),
                            reading: used.reading.clone(),
                            count: used.seen.count,
                            is_known: false,
                        },
                    ),
                ),
        );
        let mut rarer: Vec<(&String, &NameUse)> = used.iter().filter(|(name, _)| !known.contains_key(*name)).collect();
        rarer.sort_by_key(|(name, _)| (std::cmp::Reverse(name.chars().count()), *name));
        for (name, own) in rarer {
            // A part of a name that was reported says nothing new.
            if reported.iter().any(|longer| longer.contains(name.as_str())) {
                continue;
            }
            let rare =
                RareName { name, reading: own.reading.as_deref(), count: own.seen.count, is_person: own.is_person };
            if let Some(usual) = usual.usual_spelling(rare) {
                reported.insert(name.clone());
                found.push(finding(Severity::Medium, name, &usual.name, usual.count, usual.is_known, own.seen.clone()));
            }
        }
        for ((kana, name), seen) in in_kana {
            let count = count_of(&name);
            if seen.count < count {
                found.push(finding(Severity::Low, &kana, &name, count, true, seen));
            }
        }
        found
    }
}

fn finding(
    severity: Severity,
    name: &str,
    usual: &str,
    count: usize,
    is_known: bool,
    seen: Occurrences,
) -> FoundInBook {
    let own = seen.count;
    let (of_settings, of_settings_ja) =
        if is_known { (", as in the settings", "、設定集の表記") } else { ("", "") };
    FoundInBook {
        kind: BookFindingKind::Name,
        severity,
        message: BilingualText::new(
            format!("「{name}」 ({own}) looks like a misspelling of 「{usual}」 ({count}{of_settings})."),
            format!(
                "「{name}」（{own}か所）は「{usual}」（{count}か所{of_settings_ja}）の書き間違いではありませんか。"
            ),
        ),
        seen,
    }
}

/// True if a word may be a part of a name in kanji or katakana.
fn is_name_part(word: &Morpheme<'_>) -> bool {
    let is_other =
        word.has_parts(&["名詞", "数"]) || word.has_parts(&["名詞", "接尾"]) || word.has_parts(&["名詞", "非自立"]);
    // The dictionary splits a rare name into words of any kind: 渡 of 渡邊 is a verb there.
    !is_other && word.surface.chars().all(|c| is_kanji(c) || is_katakana(c))
}

/// Returns the full name in a text that has one other kanji than a name of the settings.
fn nearly(text: &str, family: &str, given: &str) -> Option<String> {
    let (of_family, of_given) = (family.chars().count(), given.chars().count());
    let whole = format!("{family}{given}");
    if of_family + of_given < SHORTEST + 1 || text.chars().count() != of_family + of_given {
        return None;
    }
    let (one, other) = one_difference(text, &whole)?;
    let are_kanji = is_kanji(one) && is_kanji(other);
    (are_kanji && !BOOK.are_birth_order(one, other)).then(|| text.to_owned())
}
