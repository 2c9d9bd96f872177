//! Item A31-068: of the content words at the end of the previous episode, the share found at the beginning of this one,
//! full score at `enough` (0.1). If the purpose of the next episode is known, the mean of that and of the share of its
//! words at the end of this one.

use std::{collections::HashSet, ops::Range};

use crate::{
    checks::{
        AnalysedDraft, CheckMaterial,
        features::{characteristic_words, characteristic_words_of, head, key, tail},
        items::{ItemThresholds, Measure, ramp},
        morphology,
    },
    manuscript::ManuscriptOptions,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let context = material.context();
    let Some(previous) = context.previous.as_deref().filter(|_| context.episode != 1) else {
        return Measure::not_applicable();
    };
    let draft = AnalysedDraft::read(previous, ManuscriptOptions::default());
    let previous = CheckMaterial::new(&draft, context, material.tuning(), morphology());
    let last = tail(&previous, ends(&previous, gauge));
    let left: HashSet<String> =
        characteristic_words(&previous, &last).map(|word| key(&previous, &previous.words()[word]).to_owned()).collect();
    let characters = ends(material, gauge);
    let taken_up = found(material, &left, &head(material, characters));
    if left.is_empty() {
        return Measure::not_applicable();
    }
    let enough = gauge.threshold("enough");
    let share = |found: &[usize], asked: usize| {
        let different: HashSet<&str> = found.iter().map(|word| key(material, &material.words()[*word])).collect();
        different.len() as f64 / asked as f64
    };
    let backwards = share(&taken_up, left.len());
    let mut score = ramp(backwards, 0.0, enough);
    let mut places = taken_up;
    let purpose = context.next.as_ref().and_then(|plot| plot.episode_info.purpose.as_deref());
    let purpose = purpose.map(|purpose| characteristic_words_of(material, purpose)).unwrap_or_default();
    if !purpose.is_empty() {
        let seeded = found(material, &purpose, &tail(material, characters));
        score = f64::midpoint(score, ramp(share(&seeded, purpose.len()), 0.0, enough));
        places.truncate(4);
        places.extend(seeded);
    }
    Measure::from_score(score)
        .with_value(backwards)
        .with_places(places.into_iter().map(|word| material.words()[word].source.clone()))
}

/// Returns the number of characters of the beginning and of the end of a text.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a text is less than the text")]
fn ends(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> usize {
    let share = gauge.threshold("tenth") * material.characters() as f64;
    gauge.limit("least").max(share as usize)
}

/// Returns the words of a range that are among the wanted ones.
fn found(material: &CheckMaterial<'_>, asked: &HashSet<String>, visible: &Range<usize>) -> Vec<usize> {
    characteristic_words(material, visible)
        .filter(|word| asked.contains(key(material, &material.words()[*word])))
        .collect()
}
