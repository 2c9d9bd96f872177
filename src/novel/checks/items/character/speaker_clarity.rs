//! Item A31-023: in runs of lines without narration and without any sign of the speaker, each line beyond `longest`
//! deducts `deduction` from 1, but all together no more than their share of the lines.

use crate::{
    checks::{
        CheckMaterial,
        features::{LinePosition, SpeechLine},
        items::{ItemThresholds, Measure},
    },
    lexicons::PEOPLE,
    morphology::{Morpheme, WordOrigin},
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let lines = &material.speakers().lines;
    if lines.is_empty() {
        return Measure::not_applicable();
    }
    let longest = gauge.limit("longest");
    let (mut run, mut beyond, mut places) = (0_usize, 0_usize, Vec::new());
    for line in lines {
        if line.follows != LinePosition::Directly {
            run = 0;
        }
        if is_resolved(material, line) {
            run = 0;
            continue;
        }
        run += 1;
        if run > longest {
            beyond += 1;
            places.push(material.source_of(&line.visible));
        }
    }
    // The loss is capped, so that a long chapter does not lose more only because it has more lines.
    let lost = (gauge.threshold("deduction") * beyond as f64).min(beyond as f64 / lines.len() as f64);
    Measure::from_score(1.0 - lost).with_value(beyond as f64).with_places(places)
}

/// True if narration identifies the speaker, or if the pronoun, ending or form of address in the line does.
fn is_resolved(material: &CheckMaterial<'_>, line: &SpeechLine) -> bool {
    line.is_shown || line.speaker_by_sheet.is_some() || line.own_words(material).any(|words| calls(&words))
}

/// True if a sentence begins or ends with a vocative set off by punctuation: お婆さん、.
fn calls(words: &[&Morpheme<'_>]) -> bool {
    let is_mark = |word: &&&Morpheme<'_>| word.parts[0] == "記号";
    let inner: Vec<Morpheme<'_>> = words.iter().skip_while(is_mark).map(|word| (*word).clone()).collect();
    let end = inner.len() - inner.iter().rev().take_while(|word| word.parts[0] == "記号").count();
    let inner = &inner[..end];
    let person = |at: usize| {
        let role = PEOPLE.kin_and_roles.at(inner, at).map(|hit| hit.words.end);
        let is_name = inner.get(at)?.origin == WordOrigin::Name;
        let after = if is_name { at + 1 } else { role? };
        let suffixes = inner[after..].iter().take_while(|word| word.has_parts(&["名詞", "接尾"]));
        Some(after + suffixes.count())
    };
    let is_first = person(0).is_some_and(|after| inner.get(after).is_some_and(|word| word.parts[0] == "記号"));
    let last = inner.iter().rposition(|word| word.parts[0] == "記号").map(|at| at + 1);
    is_first || last.is_some_and(|at| person(at) == Some(inner.len()))
}
