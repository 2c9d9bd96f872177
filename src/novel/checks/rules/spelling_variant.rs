//! Rule `spelling_variant`: finds words that are spelled in two ways in one text.

use std::{collections::BTreeMap, ops::Range};

use super::{RuleReporter, phrasing, stretches};
use crate::{
    checks::{finding::Severity, material::CheckMaterial},
    lexicons::spellings::SPELLINGS,
    manuscript::{TextVoice, is_kanji},
    morphology::{Morpheme, WordOrigin},
};

/// The number of words on either side that may belong to the same longer word.
const REACH: usize = 3;

/// An occurrence of a member of a group of spellings.
#[derive(Debug)]
pub(crate) struct SpellingOccurrence<'w, 'a> {
    /// The index of the spelling in [`SPELLINGS`].
    pub member: usize,
    pub words: &'w [Morpheme<'a>],
    /// True if the words are in speech or quoted.
    pub is_spoken: bool,
    next: Option<&'w Morpheme<'a>>,
}

/// Iterates over the occurrences of the lexicon's spellings in the story, without those that are part of other words.
pub(crate) fn spelling_occurrences<'w, 'a>(
    material: &'w CheckMaterial<'a>,
) -> impl Iterator<Item = SpellingOccurrence<'w, 'a>> {
    stretches::story_stretches(material).flat_map(move |stretch| {
        let hits = SPELLINGS.find(stretch.words).into_iter();
        hits.filter_map(move |hit| {
            let words = &stretch.words[hit.words.clone()];
            let before = hit.words.start.checked_sub(1).map(|before| &stretch.words[before]);
            let next = stretch.words.get(hit.words.end);
            let of_longer = is_of_longer(stretch.words, &hit.words);
            if words.iter().any(|word| word.origin == WordOrigin::Name) || of_longer || is_part(before, words, next) {
                return None;
            }
            let is_spoken = stretch.is_quoted || material.voice_at(words[0].source.start) != TextVoice::Narration;
            Some(SpellingOccurrence { member: hit.entry, words, is_spoken, next })
        })
    })
}

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let least = found.limit("least");
    let mut groups: BTreeMap<usize, Vec<SpellingOccurrence<'_, '_>>> = BTreeMap::new();
    for place in spelling_occurrences(material) {
        groups.entry(SPELLINGS.group(place.member)).or_default().push(place);
    }
    for places in groups.values() {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for place in places {
            *counts.entry(place.member).or_default() += 1;
        }
        // Of equally frequent spellings the first of the group wins, which comes first in the map.
        let most = counts.iter().rev().max_by_key(|(member, count)| (is_term(material, **member), **count));
        let Some((kept, count)) = most.map(|(member, count)| (*member, *count)) else { continue };
        // A ruby explains the spelling.
        let has_ruby =
            |place: &SpellingOccurrence<'_, '_>| place.words.iter().any(|word| material.is_protected(&word.source));
        let rarer = places.iter().filter(|place| place.member != kept && !has_ruby(place));
        if rarer.clone().count() < least {
            continue;
        }
        for place in rarer {
            let kept = SPELLINGS.wording(kept);
            let text = kept.replacing(SPELLINGS.wording(place.member), place.words, place.next);
            let mut finding = match &text {
                Some(text) => phrasing::finding_with_wording(material, place.words, text),
                None => phrasing::at(material, place.words).with("expected", &kept.text),
            };
            finding = finding.with("count", count);
            if place.is_spoken {
                finding.edits.clear();
                found.push_with_severity(Severity::Info, finding);
            } else {
                found.push(finding);
            }
        }
    }
}

/// True if words are a part of a longer one that the lexicon names.
fn is_of_longer(words: &[Morpheme<'_>], place: &Range<usize>) -> bool {
    let text = |words: &[Morpheme<'_>]| words.iter().map(|word| word.surface).collect::<String>();
    let (before, after) = (&words[place.start.saturating_sub(REACH)..place.start], &words[place.end..]);
    SPELLINGS.is_part(&text(before), &text(&words[place.clone()]), &text(&after[..after.len().min(REACH)]))
}

/// True if the glossary of the novel contains a spelling.
fn is_term(material: &CheckMaterial<'_>, member: usize) -> bool {
    let text = &SPELLINGS.wording(member).text;
    material.context().names.names().iter().any(|name| name.surface == *text)
}

/// True if the words are likely something else, or part of it: 二十一つ, 左隣, 又五郎, 怖|わかった, おそ|ばか,
/// 戦争をはじめて.
fn is_part(before: Option<&Morpheme<'_>>, words: &[Morpheme<'_>], next: Option<&Morpheme<'_>>) -> bool {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return false };
    let form = last.inflection.map_or("", |inflection| inflection.form);
    // ひとつ and なで without a particle or auxiliary after them may be adverbs or fragments.
    let is_open = next.is_none_or(|next| !next.has_parts(&["助詞"]) && !next.has_parts(&["助動詞"]));
    let is_kana = first.surface.starts_with(|c| matches!(c, 'ぁ'..='ん'));
    let is_short = words.len() == 1 && first.surface.chars().count() < 3;
    let is_one_kanji = words.len() == 1 && first.surface.chars().count() == 1 && !is_kana;
    let touches = before.is_some_and(is_stem);
    let touches_kanji = touches && before.is_some_and(|word| word.surface.ends_with(is_kanji));
    let is_time = before.is_some_and(|word| word.parts.contains(&"副詞可能"));
    form.starts_with("体言接続特殊")
        || (touches_kanji && (first.has_parts(&["名詞", "数"]) || is_one_kanji || (is_kana && !is_time)))
        || (touches && is_kana && is_short)
        // 地下一層: a compound of nouns.
        || (touches_kanji && !is_time && words.len() == 1 && last.has_parts(&["副詞"]))
        || (is_one_kanji && next.is_some_and(|next| next.has_parts(&["名詞"]) && next.surface.starts_with(is_kanji)))
        || (is_kana && is_short && first.has_parts(&["動詞"]) && next.is_none_or(|next| next.has_parts(&["記号"])))
        || (is_open && first.surface == "ひとつ")
        || (first.has_parts(&["副詞"])
            && first.surface.ends_with('て')
            && before.is_some_and(|word| word.surface == "を"))
}

/// True if a word directly before a noun or verb likely forms one word with it.
fn is_stem(word: &Morpheme<'_>) -> bool {
    let is_bare = word.inflection.is_some_and(|inflection| inflection.form == "ガル接続");
    word.has_parts(&["名詞"]) || word.has_parts(&["接頭詞"]) || is_bare
}
