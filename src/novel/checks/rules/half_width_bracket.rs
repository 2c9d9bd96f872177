//! `half_width_bracket`: round and corner brackets of the half width around Japanese words.

use std::ops::Range;

use super::{
    Found,
    passages::{Passage, is_kept, passages},
    signs::{after, before, is_japanese, is_letter},
};
use crate::checks::{finding::Finding, material::Material};

/// Signs that faces are made of.
const FACES: &str = "∀ωДд´｀`^∇≧≦ﾟ゜;；_艸";

pub(super) fn check(material: &Material<'_>, found: &mut Found<'_, '_>) {
    for passage in passages(material) {
        for pair in pairs(passage.text) {
            if is_japanese_pair(passage.text, &pair) {
                look(material, found, &passage, &pair);
            }
        }
    }
}

fn look(material: &Material<'_>, found: &mut Found<'_, '_>, passage: &Passage<'_>, pair: &Range<usize>) {
    let text = &passage.text[pair.clone()];
    let Some((open, close)) = text.chars().next().zip(text.chars().next_back()) else {
        return;
    };
    let ends = [
        pair.start..pair.start + open.len_utf8(),
        pair.end - close.len_utf8()..pair.end,
    ];
    if ends.iter().any(|end| is_kept(material, passage, end)) {
        return;
    }
    let [wide_open, wide_close] = if open == '(' { ["（", "）"] } else { ["「", "」"] };
    let expected = format!("{wide_open}{}{wide_close}", &passage.text[ends[0].end..ends[1].start]);
    let finding = Finding::at(passage.source_of(material, pair)).with("expected", expected);
    let [first, last] = ends.map(|end| passage.source_of(material, &end));
    found.push(finding.edited(first, wide_open).edited(last, wide_close));
}

/// The pairs of a passage in the order in which they begin.
fn pairs(text: &str) -> Vec<Range<usize>> {
    let (mut pairs, mut round, mut corner) = (Vec::new(), Vec::new(), Vec::new());
    for (at, c) in text.char_indices() {
        let open = match c {
            '(' => {
                round.push(at);
                None
            }
            '｢' => {
                corner.push(at);
                None
            }
            ')' => round.pop(),
            '｣' => corner.pop(),
            _ => None,
        };
        pairs.extend(open.map(|open| open..at + c.len_utf8()));
    }
    pairs.sort_by_key(|pair| pair.start);
    // Of pairs within each other the outer one is mended first.
    let mut end = 0;
    pairs.retain(|pair| {
        pair.start >= end && {
            end = pair.end;
            true
        }
    });
    pairs
}

fn is_japanese_pair(text: &str, pair: &Range<usize>) -> bool {
    let inner = &text[pair.clone()];
    if inner.starts_with('｢') {
        return true;
    }
    if inner.contains(|c| FACES.contains(c)) {
        return false;
    }
    let is_between =
        before(text, pair.start).is_some_and(is_japanese) && after(text, pair.end).is_some_and(is_japanese);
    inner.contains(is_letter) || is_between && inner.contains(char::is_alphanumeric)
}
