//! Speaker detection by character sheets: a pronoun or an ending that only one of the characters present uses.
//!
//! Comparisons of speech styles with the sheets must not use this module, since they would compare the sheets with
//! themselves.

use super::{CastMember, SpeechLine};
use crate::{checks::material::CheckMaterial, lexicons::PEOPLE, morphology::Morpheme};

/// Returns the index in the cast of the one character present to whom all signs of a line point.
pub fn speaker_by_sheet(
    material: &CheckMaterial<'_>,
    line: &SpeechLine,
    present: impl IntoIterator<Item = usize>,
) -> Option<usize> {
    let members = &material.cast().members;
    let mut present = present.into_iter();
    let few: Vec<usize> = present.by_ref().take(MAX_PRESENT).collect();
    if present.next().is_some() {
        return None;
    }
    let present: Vec<(usize, &CastMember)> = few.into_iter().map(|at| (at, &members[at])).collect();
    let mut signs = line
        .own_words(material)
        .flat_map(|words| by_pronoun(&words, &present).into_iter().chain(by_ending(&words, &present)));
    let first = signs.next()?;
    signs.all(|sign| sign == first).then_some(first)
}

/// Returns the owners of the pronouns of a sentence that only one of the characters present uses.
fn by_pronoun(words: &[&Morpheme<'_>], present: &[(usize, &CastMember)]) -> Vec<usize> {
    let only = |word: &Morpheme<'_>, own: fn(&CastMember) -> &[String]| {
        let mut owners = present.iter().filter(|(_, member)| own(member).iter().any(|own| own == word.surface));
        owners.next().filter(|_| owners.next().is_none()).map(|(at, _)| *at)
    };
    let is_pronoun = |word: &&&Morpheme<'_>| {
        let listed = &PEOPLE.pronouns;
        word.has_parts(&["名詞", "代名詞"]) || listed.first.has(word.base) || listed.second.has(word.base)
    };
    let pronouns = words.iter().filter(is_pronoun);
    let owners = pronouns.filter_map(|word| {
        only(word, |member| &member.first_person).or_else(|| only(word, |member| &member.second_person))
    });
    owners.collect()
}

/// Returns the only character whose longest matching ending is the longest of all.
fn by_ending(words: &[&Morpheme<'_>], present: &[(usize, &CastMember)]) -> Option<usize> {
    let heard = words.iter().filter(|word| word.parts[0] != "記号" && word.surface.chars().any(char::is_alphanumeric));
    let heard: Vec<&str> = heard.map(|word| word.surface).collect();
    let text = heard[heard.len().saturating_sub(LAST)..].concat();
    let fits = |member: &CastMember| {
        let fitting = member.endings.iter().filter(|ending| !ending.is_empty() && text.ends_with(ending.as_str()));
        fitting.map(String::len).max().unwrap_or_default()
    };
    let lengths: Vec<(usize, usize)> = present.iter().map(|(at, member)| (fits(member), *at)).collect();
    let (longest, at) = lengths.iter().copied().max().filter(|(longest, _)| *longest > 0)?;
    (lengths.iter().filter(|(length, _)| *length == longest).count() == 1).then_some(at)
}

/// The maximum number of characters present; among more no sign is distinctive.
const MAX_PRESENT: usize = 16;

/// The maximum number of words of an ending.
const LAST: usize = 12;
