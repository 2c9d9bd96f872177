//! A31-023: in runs of lines without narration whose speakers nothing shows, each line beyond `longest` takes `deduction` off 1.

use std::collections::BTreeSet;

use crate::{
    checks::{
        Material,
        features::{Line, Member, SURE},
        items::{Gauge, Measure},
    },
    lexicons::PEOPLE,
    morphology::Morpheme,
};

#[expect(clippy::cast_precision_loss, reason = "counts of a text are small")]
pub(super) fn measure(material: &Material<'_>, gauge: &Gauge<'_>) -> Measure {
    let lines = &material.speakers().lines;
    if lines.is_empty() {
        return Measure::not_applicable();
    }
    let longest = gauge.limit("longest");
    let present = present(material);
    let (mut run, mut beyond, mut places) = (0_usize, 0_usize, Vec::new());
    let mut scene = 0;
    for line in lines {
        scene += usize::from(line.is_first_of_scene);
        if line.pause > 0 || line.is_first_of_scene {
            run = 0;
        }
        let here = present.get(scene.saturating_sub(1));
        if is_resolved(material, line, here) {
            run = 0;
            continue;
        }
        run += 1;
        if run > longest {
            beyond += 1;
            places.push(material.source_of(&line.visible));
        }
    }
    Measure::of(1.0 - gauge.threshold("deduction") * beyond as f64)
        .from(beyond as f64)
        .at(places)
}

/// The characters of the settings whom each scene names.
fn present(material: &Material<'_>) -> Vec<BTreeSet<usize>> {
    let scenes = material.scenes().scenes.iter();
    let named = |scene: &crate::checks::features::Stretch| {
        let words = scene.sentences(material).flat_map(|at| material.words_of(at));
        words.filter_map(|word| material.names().named(word)).collect()
    };
    scenes.map(named).collect()
}

/// Whether narration shows who says a line, or its pronoun or ending is that of one present alone.
fn is_resolved(material: &Material<'_>, line: &Line, present: Option<&BTreeSet<usize>>) -> bool {
    if line.is_shown && line.speaker.is_some() && line.confidence >= SURE || line.is_shown {
        return true;
    }
    let members = &material.cast().members;
    let present: Vec<&Member> = present.into_iter().flatten().map(|at| &members[*at]).collect();
    line.own_words(material).any(|words| by_pronoun(&words, &present) || by_ending(&words, &present))
}

/// Whether a pronoun belongs to one of them alone.
fn by_pronoun(words: &[&Morpheme<'_>], present: &[&Member]) -> bool {
    let is_of_one = |word: &Morpheme<'_>, own: fn(&Member) -> &[String]| {
        present.iter().filter(|member| own(member).iter().any(|own| own == word.surface)).count() == 1
    };
    let is_pronoun = |word: &&&Morpheme<'_>| {
        word.is(&["名詞", "代名詞"]) || PEOPLE.pronouns.first.has(word.base) || PEOPLE.pronouns.second.has(word.base)
    };
    let mut pronouns = words.iter().filter(is_pronoun);
    pronouns.any(|word| is_of_one(word, |member| &member.first_person) || is_of_one(word, |member| &member.second_person))
}

/// Whether a sentence ends as only one of them does: with the longest ending that fits.
fn by_ending(words: &[&Morpheme<'_>], present: &[&Member]) -> bool {
    let heard = words.iter().filter(|word| word.parts[0] != "記号");
    let text: String = heard.map(|word| word.surface).filter(|surface| surface.chars().any(char::is_alphanumeric)).collect();
    let fits = |member: &Member| {
        let endings = member.endings.iter().filter(|ending| !ending.is_empty() && text.ends_with(ending.as_str()));
        endings.map(String::len).max().unwrap_or_default()
    };
    let lengths: Vec<usize> = present.iter().map(|member| fits(member)).collect();
    let longest = lengths.iter().copied().max().unwrap_or_default();
    longest > 0 && lengths.iter().filter(|length| **length == longest).count() == 1
}
