//! Item A31-018: signs of purpose, wish or reason near the viewpoint character or in their lines, per 1,000 characters.

use std::{ops::Range, sync::LazyLock};

use crate::{
    checks::{
        CheckMaterial,
        features::{Person, is_outside_speech},
        items::{ItemThresholds, Measure, per_thousand, ramp},
    },
    lexicons::{DRAMA, Phrases},
    morphology::Morpheme,
};

/// Signs in addition to those of the lexicon.
static SIGNS: LazyLock<Phrases> = LazyLock::new(|| {
    let signs = ["たい", "つもり", "うと思う", "ようと思う", "うとする", "約束", "ため", "為"];
    Phrases::new(signs)
});

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let viewpoint = material.viewpoint();
    if !viewpoint.is_known() {
        return Measure::not_applicable();
    }
    let own = Person::of_viewpoint(viewpoint);
    let sentences = material.sentences().iter().enumerate();
    let story = sentences.filter(|(_, sentence)| sentence.is_story() && is_outside_speech(sentence.voice));
    let story: Vec<usize> = story.map(|(at, _)| at).collect();
    // A first-person narrator is near throughout, since the pronoun is mostly omitted.
    let is_near = near(&story.iter().map(|at| names(material, *at)).collect::<Vec<_>>(), gauge.limit("window"));
    let mut places: Vec<Range<usize>> = Vec::new();
    for (at, _) in story.iter().zip(is_near).filter(|(_, is_near)| *is_near) {
        // A wish of another person does not count.
        let is_others = material.subjects().get(*at).is_some_and(|person| *person != own);
        let words: Vec<&Morpheme<'_>> = material.words_of(*at).iter().collect();
        places.extend(sign(&words).filter(|_| !is_others));
    }
    let lines = material.speakers().lines.iter();
    for line in lines.filter(|line| line.likely_speaker().as_ref() == Some(&own)) {
        places.extend(line.own_words(material).filter_map(|words| sign(&words)));
    }
    let rate = per_thousand(places.len(), material.characters());
    Measure::from_score(ramp(rate, 0.0, gauge.threshold("enough")))
        .with_value(rate)
        .with_places(places.iter().map(|visible| material.source_of(visible)))
}

/// True if a sentence names the viewpoint character.
fn names(material: &CheckMaterial<'_>, sentence: usize) -> bool {
    let (viewpoint, words) = (material.viewpoint(), material.words_of(sentence));
    viewpoint.is_first_person
        || words
            .iter()
            .any(|word| viewpoint.member.is_some() && material.names().member_named_by(word) == viewpoint.member)
}

/// Returns for each index true if a value at most `window` indices away is true.
fn near(is_so: &[bool], window: usize) -> Vec<bool> {
    let mut before = vec![0_usize];
    for is_so in is_so {
        before.push(before[before.len() - 1] + usize::from(*is_so));
    }
    let near = |at: usize| before[(at + window + 1).min(is_so.len())] > before[at.saturating_sub(window)];
    (0..is_so.len()).map(near).collect()
}

/// Returns the range of the first sign of a motive in a sentence, in the visible text.
fn sign(words: &[&Morpheme<'_>]) -> Option<Range<usize>> {
    let words: Vec<Morpheme<'_>> = words.iter().map(|word| (*word).clone()).collect();
    let lists = [&*SIGNS, &DRAMA.motive, &DRAMA.goal];
    let mut hits = lists.into_iter().flat_map(|list| list.find(&words));
    let hit = hits.find(|hit| {
        // 雪のために and 遅れたために state a cause, not a purpose.
        let before = hit.words.start.checked_sub(1).map(|at| &words[at]);
        let is_purpose = || before.is_some_and(|word| word.parts[0] == "動詞" || matches!(word.base, "ない" | "ぬ"));
        !matches!(words[hit.words.start].base, "ため" | "為") || is_purpose()
    })?;
    Some(words[hit.words.start].visible.start..words[hit.words.end - 1].visible.end)
}
