//! Item A31-024: sentences in which the viewpoint character acts ÷ words of character traits in the narration; full
//! score at `enough`.

use crate::{
    checks::{
        CheckMaterial,
        features::Person,
        items::{ItemThresholds, Measure, ramp},
    },
    lexicons::{PEOPLE, VERBS},
    manuscript::TextVoice,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let viewpoint = material.viewpoint();
    if !viewpoint.is_known() {
        return Measure::not_applicable();
    }
    let own = Person::of_viewpoint(viewpoint);
    let mut scenes = material.scenes().scenes.iter().map(|scene| scene.visible().start).peekable();
    let mut subject: Option<&Person> = None;
    let (mut actions, mut traits) = (Vec::new(), Vec::new());
    for (at, sentence, words) in material.sentences_in_voice(TextVoice::Narration) {
        while scenes.next_if(|start| *start <= sentence.visible().start).is_some() {
            subject = None;
        }
        subject = material.subjects().get(at).or(subject);
        // A first-person narrator is the subject unless another person is.
        let acts = subject.map_or(viewpoint.is_first_person, |person| *person == own);
        if acts && !VERBS.action.find(words).is_empty() {
            actions.push(sentence.source());
        }
        for hit in PEOPLE.traits.find(words) {
            traits.push(
                material.source_of(&(words[hit.words.start].visible.start..words[hit.words.end - 1].visible.end)),
            );
        }
    }
    if actions.len() + traits.len() < gauge.limit("minimum").max(1) {
        return Measure::not_applicable();
    }
    // Without trait words the ratio is the number of actions.
    let ratio = actions.len() as f64 / traits.len().max(1) as f64;
    Measure::from_score(ramp(ratio, 0.0, gauge.threshold("enough")))
        .with_value(ratio)
        .with_places(traits.into_iter().take(4).chain(actions))
}
