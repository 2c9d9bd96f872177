//! Item A31-030: the share of scenes whose beginning names at least `kinds` (two) of time, place and person.

use crate::{
    checks::{
        CheckMaterial,
        features::{StorySegment, TimeMeaning, time_expressions},
        items::{ItemThresholds, Measure, share},
    },
    lexicons::{PEOPLE, SETTING},
    morphology::{Morpheme, WordOrigin},
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let scenes = &material.scenes().scenes;
    if scenes.len() < gauge.limit("scenes") {
        return Measure::not_applicable();
    }
    let (characters, kinds) = (gauge.limit("head"), gauge.limit("kinds"));
    let is_dim = |scene: &&StorySegment| named(material, scene, characters) < kinds;
    let dim: Vec<_> = scenes.iter().filter(is_dim).collect();
    let clear = share(scenes.len() - dim.len(), scenes.len());
    let heads = dim.iter().map(|scene| material.source_of(&scene.head(material, characters)));
    Measure::from_score(clear).with_value(clear).with_places(heads)
}

/// Returns the number of kinds among time, place and person that the beginning of a scene names.
fn named(material: &CheckMaterial<'_>, scene: &StorySegment, characters: usize) -> usize {
    let mut found = [false; 3];
    for (_, words) in scene.heads(material, characters) {
        let own = [is_time(words), is_place(words), is_person(words)];
        found = [0, 1, 2].map(|kind| found[kind] || own[kind]);
    }
    found.into_iter().filter(|found| *found).count()
}

fn is_time(words: &[Morpheme<'_>]) -> bool {
    !SETTING.time.find(words).is_empty()
        || time_expressions(words).iter().any(|told| told.meaning != TimeMeaning::OtherTime)
}

fn is_place(words: &[Morpheme<'_>]) -> bool {
    let is_own = |word: &Morpheme<'_>| word.origin == WordOrigin::Name && word.parts[2] == "地域";
    words.iter().any(is_own) || !SETTING.place.find(words).is_empty()
}

fn is_person(words: &[Morpheme<'_>]) -> bool {
    let is_own = |word: &Morpheme<'_>| word.origin == WordOrigin::Name && word.parts[2] == "人名";
    // In 一平君 the 君 is not a pronoun.
    let is_pronoun = |word: &Morpheme<'_>| {
        let pronouns = &PEOPLE.pronouns;
        !word.has_parts(&["名詞", "接尾"]) && (pronouns.first.has(word.base) || pronouns.third.has(word.base))
    };
    words.iter().any(|word| is_own(word) || is_pronoun(word)) || !PEOPLE.kin_and_roles.find(words).is_empty()
}
