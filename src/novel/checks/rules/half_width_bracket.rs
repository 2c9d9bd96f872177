//! Rule `half_width_bracket`: finds half-width round and corner brackets around Japanese words.

use std::{collections::BTreeMap, ops::Range};

use super::{
    RuleReporter,
    passages::{TextPassage, is_protected, passages},
    signs::{after, before, is_japanese, is_letter},
};
use crate::checks::{finding::Finding, material::CheckMaterial};

/// Characters used in emoticons.
const FACES: &str = "∀ωДд´｀`^∇≧≦ﾟ゜;；_艸";

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for passage in passages(material) {
        let pairs = pairs(passage.text);
        if pairs.is_empty() {
            continue;
        }
        let places = |is: fn(char) -> bool| passage.text.char_indices().filter(move |(_, c)| is(*c)).map(|(at, _)| at);
        let letters: Vec<usize> = places(is_letter).collect();
        let words: Vec<usize> = places(char::is_alphanumeric).collect();
        let mut rest = pairs.as_slice();
        while let [outer, ..] = rest {
            let (nest, after) = rest.split_at(rest.partition_point(|pair| pair.start < outer.end));
            look(material, found, &passage, nest, [&letters, &words]);
            rest = after;
        }
    }
}

/// Checks a pair and all pairs within it. They make one finding and are fixed together, however deeply they nest.
fn look(
    material: &CheckMaterial<'_>,
    found: &mut RuleReporter<'_, '_>,
    passage: &TextPassage<'_>,
    nest: &[Range<usize>],
    [letters, words]: [&[usize]; 2],
) {
    let Some(outer) = nest.first() else { return };
    let text = passage.text;
    if text[outer.clone()].starts_with('(') && text[outer.clone()].contains(|c| FACES.contains(c)) {
        return;
    }
    // The replacement at each place that is fixed.
    let mut wide: BTreeMap<usize, &str> = BTreeMap::new();
    let holds = |places: &[usize], pair: &Range<usize>| {
        let first = places.get(places.partition_point(|at| *at < pair.start));
        first.is_some_and(|at| *at < pair.end)
    };
    for pair in nest.iter().filter(|pair| pair.end <= outer.end) {
        let is_round = text[pair.start..].starts_with('(');
        let close = if is_round { ')' } else { '｣' };
        let ends =
            [pair.start..pair.start + if is_round { 1 } else { '｢'.len_utf8() }, pair.end - close.len_utf8()..pair.end];
        let is_beside = |at: Option<usize>, c: Option<char>| {
            c.is_some_and(is_japanese) || at.is_some_and(|at| wide.contains_key(&at))
        };
        let left = before(text, pair.start);
        let is_between = is_beside(left.map(|c| pair.start - c.len_utf8()), left)
            && is_beside(Some(pair.end), after(text, pair.end));
        let is_fault = !is_round || holds(letters, pair) || is_between && holds(words, pair);
        if is_fault && !ends.iter().any(|end| is_protected(material, passage, end)) {
            let signs = if is_round { ["（", "）"] } else { ["「", "」"] };
            wide.extend(ends.into_iter().map(|end| end.start).zip(signs));
        } else if pair == outer {
            return;
        }
    }
    let (mut expected, mut at) = (String::new(), outer.start);
    let mut finding = Finding::at(passage.source_of(material, outer));
    for (place, sign) in wide {
        let end = place + after(text, place).map_or(0, char::len_utf8);
        expected.push_str(&text[at..place]);
        expected.push_str(sign);
        at = end;
        finding = finding.with_edit(passage.source_of(material, &(place..end)), sign);
    }
    found.push(finding.with("expected", expected));
}

/// Returns the bracket pairs of a passage, ordered by their beginning.
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
    pairs
}
