//! Rule `placeholder`: finds marks of text still to be written.

use std::ops::Range;

use super::{RuleReporter, passages::passages, unwanted::hits};
use crate::{
    checks::{Severity, finding::Finding, material::CheckMaterial},
    lexicons::FORBIDDEN,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for passage in passages(material) {
        let source = |at: usize| passage.source_of(material, &(at..at + 1)).start;
        for (range, severity) in hits(&FORBIDDEN.placeholder, passage.text, |at| material.voice_at(source(at))) {
            if is_mask(&passage.text[range.clone()]) && is_censored(passage.text, &range) {
                continue;
            }
            let finding = Finding::at(passage.source_of(material, &range));
            found.push_with_severity(severity.unwrap_or(Severity::Critical), finding);
        }
    }
}

/// The signs that mask a word.
const MASKS: [char; 13] = ['○', '〇', '◯', '×', '✕', '╳', '△', '□', '●', '▲', '■', '＿', '_'];

/// Words by which a story says that signs stand for words that cannot be read.
const CENSORED: [&str; 14] = [
    "伏せ字",
    "伏字",
    "検閲",
    "黒塗り",
    "墨塗り",
    "塗りつぶ",
    "塗り潰",
    "判読",
    "読み取れな",
    "読めな",
    "滲んで",
    "にじんで",
    "かすれて",
    "掠れて",
];

fn is_mask(text: &str) -> bool {
    text.chars().all(|c| MASKS.contains(&c))
}

/// True for a mask that belongs to the story: the paragraph speaks of it, or the same quotation has several (「××は××なり」).
fn is_censored(paragraph: &str, mask: &Range<usize>) -> bool {
    if CENSORED.iter().any(|word| paragraph.contains(word)) {
        return true;
    }
    let before = &paragraph[..mask.start];
    let Some(open) = before.rfind(['「', '『', '“']).filter(|open| !before[*open..].contains(['」', '』', '”']))
    else {
        return false;
    };
    let end = paragraph[mask.end..].find(['」', '』', '”']).map_or(paragraph.len(), |at| mask.end + at);
    paragraph[open..end].matches(&paragraph[mask.clone()]).count() > 1
}
