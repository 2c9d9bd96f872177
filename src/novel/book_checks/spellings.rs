//! Words that are spelled in two ways in different episodes.
//!
//! The groups of the rule `spelling_variant` are counted over all episodes. Other words are compared by reading and part of
//! speech: the same kanji with other okurigana, another form of a kanji, a final long vowel of a loanword. A word in kana
//! may be another one than the word in kanji, so it is reported only if every episode by itself has one spelling, and a
//! verb never.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fumi_base::text::BilingualText;

use super::{BookEpisode, BookFindingKind, FoundInBook, Occurrences, SourcePlace};
use crate::{
    checks::{NovelContext, Severity, narration_stretches, spelling_occurrences},
    lexicons::{BOOK, common_affixes, spellings::SPELLINGS},
    manuscript::is_kanji,
    morphology::{Morpheme, WordOrigin, katakana},
};

/// The maximum number of different words that are counted.
const WORDS: usize = 100_000;

/// The factor by which the usual spelling is more frequent if the other one is a slip.
const USUAL: usize = 4;

/// The least number of characters of a word in kana.
const KANA: usize = 3;

/// The least number of occurrences of each of two spellings in kana and kanji.
const REPEATED: usize = 2;

/// The occurrences of a spelling.
#[derive(Clone, Debug, Default)]
struct Spelling {
    seen: Occurrences,
    /// The episodes with it.
    episodes: BTreeSet<u32>,
}

impl Spelling {
    fn add(&mut self, place: SourcePlace, focus: Option<u32>) {
        self.seen.add(place, focus);
        self.episodes.insert(place.episode);
    }
}

/// The words that may be spelled in another way: reading and part of speech.
type WordKey = (String, &'static str);

/// The spellings of a novel.
#[derive(Debug, Default)]
pub(super) struct SpellingCheck {
    /// The occurrences of the lexicon's spellings.
    listed: BTreeMap<usize, Spelling>,
    /// For each word, its spellings.
    words: HashMap<WordKey, BTreeMap<String, Spelling>>,
    distinct: usize,
}

impl SpellingCheck {
    pub(super) fn read(&mut self, episode: &BookEpisode<'_, '_>, focus: Option<u32>) {
        let material = episode.material;
        let mut listed = BTreeSet::new();
        for one in spelling_occurrences(material).filter(|one| !one.is_spoken) {
            let (Some(first), Some(last)) = (one.words.first(), one.words.last()) else { continue };
            listed.extend(one.words.iter().map(|word| word.source.start));
            let range = first.source.start..last.source.end;
            // A ruby explains the spelling.
            if !material.is_protected(&range) {
                self.listed.entry(one.member).or_default().add(SourcePlace::new(episode.number, &range), focus);
            }
        }
        for words in narration_stretches(material) {
            for (at, word) in words.iter().enumerate() {
                let before = at.checked_sub(1).map(|before| &words[before]);
                if listed.contains(&word.source.start)
                    || material.is_protected(&word.source)
                    || is_part(before, word, words.get(at + 1))
                {
                    continue;
                }
                let Some(key) = word_key(word) else { continue };
                let is_known = self.words.get(&key).is_some_and(|spellings| spellings.contains_key(word.base));
                if !is_known && self.distinct == WORDS {
                    continue;
                }
                self.distinct += usize::from(!is_known);
                let spelling = self.words.entry(key).or_default().entry(word.base.to_owned()).or_default();
                spelling.add(SourcePlace::new(episode.number, &word.source), focus);
            }
        }
    }

    pub(super) fn findings(self, context: &NovelContext) -> Vec<FoundInBook> {
        let mut found = Vec::new();
        let mut groups: BTreeMap<usize, Vec<(usize, Spelling)>> = BTreeMap::new();
        for (member, spelling) in self.listed {
            groups.entry(SPELLINGS.group(member)).or_default().push((member, spelling));
        }
        for mut members in groups.into_values().filter(|members| members.len() > 1) {
            let is_term = |member: usize| {
                let text = &SPELLINGS.wording(member).text;
                context.names.names().iter().any(|name| name.surface == *text)
            };
            // Of equally frequent spellings the first of the group is kept, as in one episode.
            members.sort_by_key(|(member, spelling)| {
                (std::cmp::Reverse((is_term(*member), spelling.seen.count)), *member)
            });
            let mut members =
                members.into_iter().map(|(member, spelling)| (SPELLINGS.wording(member).text.as_str(), spelling));
            let Some((kept, usual)) = members.next() else { continue };
            found.extend(members.filter_map(|(text, rare)| finding((text, rare), (kept, &usual))));
        }
        // A base form with two readings may be either of two words: 割る and 割れる.
        let mut readings: HashMap<&str, usize> = HashMap::new();
        for text in self.words.values().flat_map(BTreeMap::keys) {
            *readings.entry(text).or_default() += 1;
        }
        let ambiguous: BTreeSet<String> =
            readings.into_iter().filter(|(_, count)| *count > 1).map(|(text, _)| text.to_owned()).collect();
        for ((_, part), spellings) in self.words.into_iter().filter(|(_, spellings)| spellings.len() > 1) {
            let mut spellings: Vec<(String, Spelling)> =
                spellings.into_iter().filter(|(text, _)| !ambiguous.contains(text)).collect();
            spellings.sort_by_key(|(_, spelling)| std::cmp::Reverse(spelling.seen.count));
            let kanji = spellings.iter().filter(|(text, _)| text.contains(is_kanji)).count();
            for (at, (text, rare)) in spellings.iter().enumerate() {
                let usual = spellings[..at].iter().find(|(kept, usual)| {
                    is_same_word(text, kept) || (part != "動詞" && is_drift((text, rare), (kept, usual), kanji))
                });
                let Some((kept, usual)) = usual else { continue };
                let one = finding((text.as_str(), rare.clone()), (kept.as_str(), usual));
                let severity = |own: Severity| if is_same_word(text, kept) { own } else { Severity::Info };
                found.extend(one.map(|one| FoundInBook { severity: severity(one.severity), ..one }));
            }
        }
        found
    }
}

/// Returns the finding about a rarer spelling; `None` if one episode has both alone, where the rule for one episode
/// reports them.
fn finding((text, rare): (&str, Spelling), (kept, usual): (&str, &Spelling)) -> Option<FoundInBook> {
    if rare.episodes.union(&usual.episodes).count() < 2 {
        return None;
    }
    let (count, of_kept, episodes) = (rare.seen.count, usual.seen.count, usual.seen.episodes);
    let is_slip = of_kept >= USUAL * count;
    Some(FoundInBook {
        kind: BookFindingKind::Spelling,
        severity: if is_slip { Severity::Medium } else { Severity::Low },
        message: BilingualText::new(
            format!("「{text}」 ({count}) is written 「{kept}」 elsewhere ({of_kept} times in {episodes} episodes)."),
            format!("「{text}」（{count}か所）は、ほかでは「{kept}」と書かれています（{episodes}話で{of_kept}か所）。"),
        ),
        seen: rare.seen,
    })
}

/// Returns the reading of the base form and the part of speech of a word whose spelling is compared.
fn word_key(word: &Morpheme<'_>) -> Option<WordKey> {
    let is_loan = word.base.chars().all(is_katakana) && word.has_parts(&["名詞"]);
    if is_loan && word.base.chars().count() > KANA {
        let reading = word.base.trim_end_matches('ー');
        return (word.origin != WordOrigin::Name).then(|| (reading.to_owned(), "名詞"));
    }
    let part = ["名詞", "動詞", "形容詞", "副詞"].into_iter().find(|part| word.has_parts(&[part]))?;
    let is_proper = word.has_parts(&["名詞", "固有名詞"]) || word.has_parts(&["名詞", "接尾"]);
    if word.origin != WordOrigin::Dictionary || is_proper || !word.is_content() {
        return None;
    }
    let reading = word.reading?;
    if word.surface == word.base {
        return Some((reading.to_owned(), part));
    }
    // 行なっ is read オコナッ: the end of the base form replaces that of the surface.
    let (head, _) = common_affixes(word.surface, word.base);
    let stem = reading.strip_suffix(katakana(&word.surface[head..]).as_str())?;
    Some((format!("{stem}{}", katakana(&word.base[head..])), part))
}

/// True if the word is probably part of another one that the dictionary does not have.
fn is_part(before: Option<&Morpheme<'_>>, word: &Morpheme<'_>, next: Option<&Morpheme<'_>>) -> bool {
    let joins = |other: Option<&Morpheme<'_>>| {
        other.is_some_and(|other| other.has_parts(&["名詞"]) || other.has_parts(&["接頭詞"]))
    };
    let is_noun = word.has_parts(&["名詞"]);
    (is_noun && (joins(before) || joins(next))) || word.surface.chars().count() < 2 && word.base.chars().count() < 2
}

fn is_katakana(c: char) -> bool {
    matches!(c, 'ァ'..='ヺ' | 'ー')
}

/// True if two texts of the same reading spell one word: the same kanji with other kana, another form of a kanji, or
/// a loanword with and without its final long vowel.
fn is_same_word(one: &str, other: &str) -> bool {
    let kanji = |text: &str| -> String { text.chars().filter(|c| is_kanji(*c)).collect() };
    let (of_one, of_other) = (kanji(one), kanji(other));
    if of_one.is_empty() || of_other.is_empty() {
        return one.chars().chain(other.chars()).all(is_katakana);
    }
    of_one == of_other || BOOK.with_one_form(one) == BOOK.with_one_form(other)
}

/// True if one text is in kana and the other the only one in kanji, and no episode has both.
fn is_drift((text, rare): (&str, &Spelling), (kept, usual): (&str, &Spelling), kanji: usize) -> bool {
    let is_kana = |text: &str| text.chars().count() >= KANA && text.chars().all(|c| matches!(c, 'ぁ'..='ん'));
    let is_pair = (is_kana(text) && kept.contains(is_kanji)) || (is_kana(kept) && text.contains(is_kanji));
    is_pair && kanji == 1 && rare.seen.count >= REPEATED && rare.episodes.is_disjoint(&usual.episodes)
}
