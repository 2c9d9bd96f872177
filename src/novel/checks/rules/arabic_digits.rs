//! Rule `arabic_digits`: finds numbers with more Arabic digits than fit side by side in vertical print.

use std::ops::Range;

use super::{
    RuleReporter,
    passages::{finding_with_replacement, is_protected, passages},
    signs::{after, before, is_digit, is_latin, runs},
};
use crate::checks::material::CheckMaterial;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    if !material.context().is_vertical() {
        return;
    }
    let longest = found.limit("longest");
    for passage in passages(material).filter(|passage| !passage.is_heading) {
        for run in runs(passage.text, |c| is_digit(c) || is_comma(c)) {
            let run = trimmed(passage.text, run);
            let number = &passage.text[run.clone()];
            let digits = number.chars().filter(|c| is_digit(*c)).count();
            if digits <= longest || touches_word(passage.text, &run) || is_protected(material, &passage, &run) {
                continue;
            }
            let expected: String = number.chars().filter_map(kanji).collect();
            let mut finding = finding_with_replacement(material, &passage, &run, &expected)
                .with("count", digits)
                .with("limit", longest);
            if is_unclear(passage.text, &run, number) {
                finding.edits.clear();
            }
            found.push(finding);
        }
    }
}

fn is_comma(c: char) -> bool {
    matches!(c, ',' | '，')
}

/// Returns a run without the commas around it.
fn trimmed(text: &str, run: Range<usize>) -> Range<usize> {
    let number = &text[run.clone()];
    let start = run.start + (number.len() - number.trim_start_matches(is_comma).len());
    start.min(run.end)..start + number.trim_matches(is_comma).len()
}

fn touches_word(text: &str, run: &Range<usize>) -> bool {
    before(text, run.start).is_some_and(is_latin) || after(text, run.end).is_some_and(is_latin)
}

/// True if the digits are part of something longer, as in 3.1415 and 03-1234-5678, or are several numbers.
fn is_unclear(text: &str, run: &Range<usize>, number: &str) -> bool {
    let is_joint = |c: Option<char>| c.is_some_and(|c| ".．:：/／-－−‐・".contains(c));
    let groups = number.split(is_comma).skip(1);
    let is_list = groups.into_iter().any(|group| group.chars().count() != 3);
    is_list || is_joint(before(text, run.start)) || is_joint(after(text, run.end))
}

fn kanji(c: char) -> Option<char> {
    let digit = match c {
        '０'..='９' => u32::from(c) - u32::from('０'),
        _ => c.to_digit(10)?,
    };
    "〇一二三四五六七八九".chars().nth(digit as usize)
}
