//! Rule `placeholder`: finds marks of text still to be written.

use std::collections::{HashMap, HashSet};

use super::{RuleReporter, passages::passages, unwanted::hits};
use crate::{
    checks::{Severity, finding::Finding, material::CheckMaterial},
    lexicons::FORBIDDEN,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for passage in passages(material) {
        let source = |at: usize| passage.source_of(material, &(at..at + 1)).start;
        let hits = hits(&FORBIDDEN.placeholder, passage.text, |at| material.voice_at(source(at)));
        let masks = hits.iter().filter(|(range, _)| is_mask(&passage.text[range.clone()]));
        let starts: Vec<usize> = masks.map(|(range, _)| range.start).collect();
        let censored = censored(passage.text, &starts);
        for (range, severity) in hits {
            if censored.contains(&range.start) {
                continue;
            }
            let finding = Finding::at(passage.source_of(material, &range));
            found.push_with_severity(severity.unwrap_or(Severity::Critical), finding);
        }
    }
}

/// The signs that mask a word.
const MASKS: [char; 13] = ['○', '〇', '◯', '×', '✕', '╳', '△', '□', '●', '▲', '■', '＿', '_'];

/// The signs that begin a quotation, and those that end one.
const OPEN: [char; 3] = ['「', '『', '“'];
const CLOSE: [char; 3] = ['」', '』', '”'];

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

/// Returns those masks, given by their starts, that belong to the story: all of them if the paragraph speaks of masked words,
/// and those of which the same quotation has several (「××は××なり」).
fn censored(paragraph: &str, masks: &[usize]) -> HashSet<usize> {
    if masks.is_empty() || CENSORED.iter().any(|word| paragraph.contains(word)) {
        return masks.iter().copied().collect();
    }
    let signs = paragraph.match_indices(|c: char| OPEN.contains(&c) || CLOSE.contains(&c));
    let signs: Vec<(usize, bool)> = signs.map(|(at, sign)| (at, sign.starts_with(OPEN))).collect();
    // Each mask in a quotation, with the place where that begins and its sign.
    let quoted: Vec<(usize, (usize, Option<char>))> = masks
        .iter()
        .filter_map(|mask| {
            let before = signs.partition_point(|(at, _)| at < mask).checked_sub(1)?;
            let (open, _) = signs[before].1.then_some(signs[before])?;
            Some((*mask, (open, paragraph[*mask..].chars().next())))
        })
        .collect();
    let mut counts: HashMap<(usize, Option<char>), usize> = HashMap::new();
    for (_, group) in &quoted {
        *counts.entry(*group).or_default() += 1;
    }
    quoted.into_iter().filter(|(_, group)| counts[group] > 1).map(|(mask, _)| mask).collect()
}
