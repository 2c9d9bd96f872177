//! Rule `space_after_mark`: finds ！ or ？ without a full-width space although a sentence follows in the same
//! paragraph.

use std::collections::HashMap;

use super::{
    RuleReporter,
    passages::{TextPassage, is_protected, passages},
    signs::{after, before, is_digit, is_japanese, is_latin, is_letter, is_mark, runs},
};
use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    morphology::Morpheme,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let words: HashMap<usize, &Morpheme<'_>> = material.words().iter().map(|word| (word.visible.start, word)).collect();
    for passage in passages(material).filter(|passage| !passage.is_heading) {
        for run in runs(passage.text, is_mark) {
            let Some(last) = passage.text[run.clone()].chars().next_back() else {
                continue;
            };
            // In "Stop!" the mark is English.
            if last.is_ascii() && !before(passage.text, run.start).is_some_and(is_japanese)
                || is_protected(material, &passage, &run)
            {
                continue;
            }
            // In あ?day=3 it is part of an address.
            if last.is_ascii() && after(passage.text, run.end).is_some_and(|c| c.is_ascii_alphanumeric()) {
                continue;
            }
            let rest = &passage.text[run.end..];
            let next = run.end + (rest.len() - rest.trim_start_matches(' ').len());
            let follows = words.get(&(passage.start + next)).is_some_and(|word| goes_on(word));
            if !follows && begins_sentence(&passage, next) {
                push(material, found, &passage, (run.end - last.len_utf8(), run.end, next));
            }
        }
    }
}

/// Reports a mark at `from..to` after which the sentence begins at `next`.
fn push(
    material: &CheckMaterial<'_>,
    found: &mut RuleReporter<'_, '_>,
    passage: &TextPassage<'_>,
    (from, to, next): (usize, usize, usize),
) {
    let first = after(passage.text, next).map_or(0, char::len_utf8);
    let expected = format!("{}　{}", &passage.text[from..to], &passage.text[next..next + first]);
    let mark = passage.source_of(material, &(from..to));
    let finding =
        Finding::at(mark.start..passage.source_of(material, &(next..next + first)).end).with("expected", expected);
    let space = mark.end..mark.end + (next - to);
    let is_plain = next == to || material.manuscript().source().get(space.clone()) == Some(&passage.text[to..next]);
    // A bracket includes half a space.
    let is_word = after(passage.text, next).is_some_and(|c| !matches!(c, '「' | '『'));
    found.push(if is_plain && is_word { finding.with_edit(space, "　") } else { finding });
}

/// True if the text at an offset can begin a sentence.
fn begins_sentence(passage: &TextPassage<'_>, at: usize) -> bool {
    let Some(c) = after(passage.text, at) else { return false };
    let is_first = is_letter(c) || is_latin(c) || is_digit(c) || matches!(c, '「' | '『');
    let is_small = matches!(
        c,
        'っ' | 'ッ'
            | 'ー'
            | '々'
            | 'ゝ'
            | 'ゞ'
            | 'ヽ'
            | 'ヾ'
            | 'ぁ'
            | 'ぃ'
            | 'ぅ'
            | 'ぇ'
            | 'ぉ'
            | 'ゃ'
            | 'ゅ'
            | 'ょ'
    );
    // な！ん！で！ is one word.
    let is_single = is_letter(c) && after(passage.text, at + c.len_utf8()).is_some_and(is_mark);
    is_first && !is_small && !is_single
}

/// True if a word continues the sentence before the mark: 危ない！と思った.
fn goes_on(word: &Morpheme<'_>) -> bool {
    matches!(word.parts[0], "助詞" | "助動詞")
        || matches!(
            word.surface,
            "と" | "って"
                | "という"
                | "といった"
                | "といって"
                | "とか"
                | "とは"
                | "とも"
                | "とばかり"
                | "なんて"
                | "なんか"
                | "など"
                | "だの"
                | "とて"
        )
}
