//! Rule `ellipsis`: finds ellipses in other characters than ……, or of an odd number of ….

use std::ops::Range;

use super::{
    RuleReporter,
    passages::{finding_with_replacement, is_protected, passages},
    signs::{after, before, count, divides_words, even, is_digit, is_latin, runs},
};
use crate::checks::material::CheckMaterial;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for passage in passages(material) {
        for run in runs(passage.text, |c| is_leader(c) || is_dot(c)) {
            let run = trimmed(passage.text, run);
            let expected = "…".repeat(even(dots(&passage.text[run.clone()])));
            if stands_for_dots(passage.text, &run)
                && passage.text[run.clone()] != expected
                && !is_protected(material, &passage, &run)
            {
                found.push(finding_with_replacement(material, &passage, &run, &expected));
            }
        }
    }
}

fn is_leader(c: char) -> bool {
    matches!(c, '…' | '‥')
}

fn is_dot(c: char) -> bool {
    matches!(c, '・' | '･' | '.' | '．')
}

/// Returns a run without a single dot at its beginning or end, which is a bullet or a full stop.
fn trimmed(text: &str, mut run: Range<usize>) -> Range<usize> {
    let inner = &text[run.clone()];
    let is_single = |dots: &str| dots.chars().count() == 1 && inner.contains(is_leader);
    let head = &inner[..inner.len() - inner.trim_start_matches(is_dot).len()];
    let tail = &inner[inner.trim_end_matches(is_dot).len()..];
    if is_single(head) {
        run.start += head.len();
    }
    if is_single(tail) {
        run.end -= tail.len();
    }
    run
}

fn stands_for_dots(text: &str, run: &Range<usize>) -> bool {
    let dots = &text[run.clone()];
    // (・・;) is a face, and ・・・　― is Morse code.
    let is_of_face = |c: Option<char>| matches!(c, Some('(' | ')' | ';' | '^' | '_'));
    let (left, right) = (text[..run.start].trim_end(), text[run.end..].trim_start());
    let is_code = dots.contains('・') && (left.ends_with(['―', '・']) || right.starts_with(['―', '・']));
    if is_code || is_of_face(before(text, run.start)) || is_of_face(after(text, run.end)) {
        return false;
    }
    if dots.contains(is_leader) {
        return true;
    }
    // Full stops in English, numbers and paths have their own conventions.
    let is_foreign = |c: Option<char>| c.is_some_and(|c| is_latin(c) || is_digit(c) || matches!(c, '/' | '\\'));
    let is_english =
        dots.contains(['.', '．']) && (is_foreign(before(text, run.start)) || is_foreign(after(text, run.end)));
    count(text, run) >= 2 && !is_english && !divides_words(text, run)
}

/// Returns the number of three-dot signs that a run amounts to.
fn dots(run: &str) -> usize {
    let dots: usize = run
        .chars()
        .map(|c| {
            if c == '…' {
                3
            } else if c == '‥' {
                2
            } else {
                1
            }
        })
        .sum();
    dots.div_ceil(3)
}
