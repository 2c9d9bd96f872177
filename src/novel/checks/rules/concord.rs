//! Rule `concord`: finds adverbs without the ending that they demand: 決して突然の話だった.

use super::{
    RuleReporter, phrasing,
    stretches::{self, WordStretch},
};
use crate::{
    checks::material::CheckMaterial,
    lexicons::concord::{AdverbGroup, CONCORD, is_far},
    manuscript::TextVoice,
    morphology::Morpheme,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    find_clashes(material, found);
    for (_, sentence, all) in material.sentences_in_voice(TextVoice::Narration) {
        let stretches = stretches::stretches(all);
        // Before a quotation the sentence goes on.
        let Some(WordStretch { words, is_quoted: false }) = stretches.last().copied() else { continue };
        // Without a predicate after it the sentence breaks off on purpose.
        let end = words.iter().rev().find(|word| !word.has_parts(&["記号"]));
        let is_whole = words.last().is_some_and(|word| word.visible.end >= sentence.visible().end);
        if !is_whole || end.is_none_or(|word| word.inflection.is_none()) || is_cut(material, words) {
            continue;
        }
        for at in 0..words.len() {
            let Some(adverb) = adverb_at(material, words, at) else { continue };
            let rest = &words[adverb.next..];
            let end_of_words = words.last().map_or(adverb.end, |word| word.visible.end);
            let text = &material.text()[adverb.end..end_of_words];
            if is_far(text) || CONCORD.find_clash(&material.text()[..end_of_words], words[at].visible.start).is_some() {
                continue;
            }
            if !rest.is_empty() && !adverb.group.is_other_word(text) && !adverb.group.is_met(text, rest) {
                let value = &material.text()[words[at].visible.start..adverb.end];
                found.push(phrasing::at(material, &words[at..]).with("value", value));
            }
        }
    }
}

/// Reports adverbs before an ending that they cannot have, also in speech.
fn find_clashes(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for WordStretch { words, is_quoted } in stretches::story_stretches(material) {
        let Some(last) = words.last().filter(|_| !is_quoted) else { continue };
        for (at, word) in words.iter().enumerate().filter(|(_, word)| may_begin(word)) {
            let start = word.visible.start;
            let Some((adverb, length)) = CONCORD.find_clash(&material.text()[..last.visible.end], start) else {
                continue;
            };
            let end = words[at..].iter().position(|word| word.visible.end >= start + length);
            // Only whole words count: a word must end where the adverb ends.
            let is_whole = words[at..].iter().any(|word| word.visible.end == start + adverb.len());
            if let (Some(end), true) = (end, is_whole) {
                found.push(phrasing::at(material, &words[at..=at + end]).with("value", adverb));
            }
        }
    }
}

/// True if an adverb may begin with a word of this part of speech. In たとえようもない, たとえ is a verb.
fn may_begin(word: &Morpheme<'_>) -> bool {
    ["副詞", "接続詞", "名詞", "連体詞", "接頭詞"].iter().any(|part| word.has_parts(&[part]))
}

/// An adverb in a stretch of words.
struct FoundAdverb<'l> {
    /// The end of the adverb in the visible text.
    end: usize,
    /// The index of the word after it.
    next: usize,
    group: &'l AdverbGroup,
}

/// Returns the adverb that begins with a word.
fn adverb_at(material: &CheckMaterial<'_>, words: &[Morpheme<'_>], at: usize) -> Option<FoundAdverb<'static>> {
    if !may_begin(&words[at]) {
        return None;
    }
    let start = words[at].visible.start;
    let (adverb, group) = CONCORD.find(&material.text()[start..])?;
    // 三十二度と has a noun of number.
    let is_number = at.checked_sub(1).is_some_and(|before| words[before].has_parts(&["名詞", "数"]));
    let is_set =
        is_number || !group.may_begin_with(&words[at]) || group.is_set_phrase(&material.text()[..start + adverb.len()]);
    if is_set {
        return None;
    }
    let end = start + adverb.len();
    let next = at + words[at..].iter().take_while(|word| word.visible.start <= end).count().checked_sub(1)?;
    if words[next].visible.start != end {
        return None;
    }
    Some(FoundAdverb { end, next, group })
}

/// True if the sentence ends in a dash or an ellipsis.
fn is_cut(material: &CheckMaterial<'_>, words: &[Morpheme<'_>]) -> bool {
    let end = words.last().map_or(0, |word| word.visible.end);
    let text = &material.text()[..end];
    text.ends_with(['…', '―', '—', '‥'])
}
