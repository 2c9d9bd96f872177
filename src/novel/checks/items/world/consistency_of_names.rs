//! Item A31-049: 1 − `penalty` (0.25) for each distinct spelling that almost equals a name of the settings: rejected by
//! the glossary, in the other kana, or `distance` (1) edits away.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ops::Range,
};

use crate::{
    checks::{
        CheckMaterial,
        features::{Script, ScriptRun, runs, script},
        items::{ItemThresholds, Measure},
    },
    lexicons::PEOPLE,
    morphology::{Morpheme, WordOrigin, as_katakana, katakana},
};

/// The maximum number of words into which the dictionary may split a misspelled name.
const WORDS: usize = 6;
/// Titles in addition to those of the lexicon of people.
const TITLES: [&str; 6] = ["様", "殿", "氏", "君", "嬢", "翁"];

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let names: Vec<&str> = material.context().names.names().iter().map(|name| name.surface.as_str()).collect();
    if names.is_empty() {
        return Measure::not_applicable();
    }
    let runs = runs(material);
    // The first place of each variant, by spelling.
    let mut variants: BTreeMap<&str, usize> = BTreeMap::new();
    let text = material.text();
    for place in spelled_otherwise(material, &names).into_iter().chain(near(material, gauge, &names, &runs)) {
        variants
            .entry(&text[place.clone()])
            .and_modify(|first| *first = place.start.min(*first))
            .or_insert(place.start);
    }
    let mut places: Vec<Range<usize>> =
        variants.iter().map(|(spelling, start)| *start..*start + spelling.len()).collect();
    places.sort_by_key(|place| place.start);
    places.extend(
        candidates(text, &runs, gauge.limit("candidates"))
            .into_iter()
            .filter(|place| !variants.contains_key(&text[place.clone()])),
    );
    let count = variants.len() as f64;
    Measure::from_score(1.0 - gauge.threshold("penalty") * count)
        .with_value(count)
        .with_places(places.iter().map(|place| material.source_of(place)))
}

/// Returns the places of spellings that the settings reject, and of names in the other kana, as whole words.
fn spelled_otherwise(material: &CheckMaterial<'_>, names: &[&str]) -> Vec<Range<usize>> {
    let own: HashSet<&str> = names.iter().copied().collect();
    let avoided = material.glossary().entries.iter().flat_map(|entry| &entry.avoid);
    let avoided: HashSet<&str> = avoided.map(String::as_str).filter(|spelling| !own.contains(spelling)).collect();
    let folded: HashSet<String> =
        names.iter().filter(|name| name.chars().nth(1).is_some()).map(|name| katakana(name)).collect();
    // The first characters of all candidates; most words begin with none of them.
    let firsts: HashSet<char> = avoided
        .iter()
        .copied()
        .chain(folded.iter().map(String::as_str))
        .filter_map(|name| name.chars().next())
        .map(as_katakana)
        .collect();
    let mut places = Vec::new();
    for (at, _) in material.sentences().iter().enumerate().filter(|(_, sentence)| sentence.is_story()) {
        let words = material.words_of(at);
        let mut from = 0;
        while from < words.len() {
            let begins = words[from].surface.chars().next().is_some_and(|first| firsts.contains(&as_katakana(first)));
            let longest = if begins { WORDS.min(words.len() - from) } else { 0 };
            let found = (1..=longest).find(|count| {
                let spelled = &words[from..from + count];
                is_joined(spelled) && {
                    let spelling = &material.text()[spelled[0].visible.start..spelled[count - 1].visible.end];
                    let is_other =
                        || !own.contains(spelling) && is_foreign(spelled) && folded.contains(&katakana(spelling));
                    (avoided.contains(spelling) && is_named(spelled)) || is_other()
                }
            });
            if let Some(count) = found {
                places.push(words[from].visible.start..words[from + count - 1].visible.end);
            }
            from += found.unwrap_or(1);
        }
    }
    places
}

/// True if the words follow one another without a gap.
fn is_joined(words: &[Morpheme<'_>]) -> bool {
    words.windows(2).all(|pair| pair[0].visible.end == pair[1].visible.start)
}

/// True if words can be a name: one of them is a noun. 量り as a form of 量る cannot.
fn is_named(words: &[Morpheme<'_>]) -> bool {
    words.iter().any(|word| word.has_parts(&["名詞"]))
}

/// True if the dictionary does not have one of the words.
fn is_foreign(words: &[Morpheme<'_>]) -> bool {
    words.iter().any(|word| word.origin == WordOrigin::Unknown)
}

/// Returns the runs within a small edit distance of a name.
fn near(
    material: &CheckMaterial<'_>,
    gauge: &ItemThresholds<'_>,
    names: &[&str],
    runs: &[ScriptRun],
) -> Vec<Range<usize>> {
    let (distance, shortest) = (gauge.limit("distance"), gauge.limit("shortest"));
    let mut by_script: [Vec<Vec<char>>; 2] = [Vec::new(), Vec::new()];
    for name in names {
        for part in name.split(['・', '＝', '=']) {
            let characters: Vec<char> = part.chars().collect();
            let mut scripts = characters.iter().map(|c| script(*c));
            let Some(Some(first)) = scripts.next() else { continue };
            if characters.len() >= shortest && scripts.all(|own| own == Some(first)) {
                by_script[usize::from(first == Script::Kanji)].push(characters);
            }
        }
    }
    let mut seen = HashMap::new();
    let mut places = Vec::new();
    for run in runs.iter().filter(|run| !run.has_name && run.characters + distance >= shortest) {
        let written = &material.text()[run.visible.clone()];
        let own = &by_script[usize::from(run.script == Script::Kanji)];
        let found = seen.entry(written).or_insert_with(|| {
            let forms = [Some(written), without_title(written)].into_iter().flatten();
            let mut near = forms.filter(|written| {
                let characters: Vec<char> = written.chars().collect();
                own.iter().any(|name| is_near(name, &characters, distance) && !is_ordinary(name, &characters, run))
            });
            near.next().filter(|_| !names.iter().any(|name| written.contains(name)))
        });
        if let Some(variant) = found {
            places.push(run.visible.start..run.visible.start + variant.len());
        }
    }
    places
}

fn without_title(written: &str) -> Option<&str> {
    let roles = PEOPLE.kin_and_roles.entries().iter().map(String::as_str);
    let titles = roles.chain(TITLES).filter_map(|title| written.strip_suffix(title));
    titles.filter(|rest| !rest.is_empty()).min_by_key(|rest| rest.len())
}

/// True if two spellings differ by at most `distance` edits. A shortened or lengthened form, or another number, is a
/// different word.
fn is_near(name: &[char], written: &[char], distance: usize) -> bool {
    if name.len().abs_diff(written.len()) > distance || name.starts_with(written) || name.ends_with(written) {
        return false;
    }
    let is_number = |c: char| "〇一二三四五六七八九十百千".contains(c);
    if name.len() == written.len()
        && name.iter().zip(written).all(|(one, other)| one == other || (is_number(*one) && is_number(*other)))
    {
        return false;
    }
    let mut row: Vec<usize> = (0..=written.len()).collect();
    for (at, own) in name.iter().enumerate() {
        let mut before = row[0];
        row[0] = at + 1;
        for (to, other) in written.iter().enumerate() {
            let change = before + usize::from(own != other);
            before = row[to + 1];
            row[to + 1] = change.min(row[to] + 1).min(before + 1);
        }
    }
    row[written.len()] <= distance
}

/// True if the difference is within a word of the dictionary: 羅針盤 beside 羅針塔.
fn is_ordinary(name: &[char], written: &[char], run: &ScriptRun) -> bool {
    let before = name.iter().zip(written).take_while(|(one, other)| one == other).count();
    let after = name.iter().rev().zip(written.iter().rev()).take_while(|(one, other)| one == other).count();
    let until = written.len().saturating_sub(after).max(before + 1).min(written.len());
    let bytes = |count: usize| run.visible.start + written[..count].iter().map(|c| c.len_utf8()).sum::<usize>();
    let differs = bytes(before.min(written.len().saturating_sub(1)))..bytes(until);
    run.ordinary.iter().any(|word| word.start < differs.end && differs.start < word.end)
}

/// Returns the first places of frequent unknown runs.
fn candidates(text: &str, runs: &[ScriptRun], often: usize) -> Vec<Range<usize>> {
    let mut counts: HashMap<&str, (usize, Range<usize>)> = HashMap::new();
    for run in runs.iter().filter(|run| !run.is_known && run.characters >= 2) {
        counts.entry(&text[run.visible.clone()]).or_insert_with(|| (0, run.visible.clone())).0 += 1;
    }
    let mut often: Vec<Range<usize>> =
        counts.into_values().filter(|(count, _)| *count >= often).map(|(_, place)| place).collect();
    often.sort_by_key(|place| place.start);
    often
}
