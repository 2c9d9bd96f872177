//! Rule `single_sentence_paragraphs`: finds texts in which nearly every paragraph of narration is one sentence.

use super::RuleReporter;
use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    manuscript::TextVoice,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let (mut paragraphs, mut single, mut place) = (0_usize, 0_usize, None);
    let sentences: Vec<_> =
        material.sentences_in_voice(TextVoice::Narration).map(|(_, sentence, _)| sentence).collect();
    for paragraph in sentences.chunk_by(|one, other| one.line == other.line) {
        paragraphs += 1;
        single += usize::from(paragraph.len() == 1);
        place = place.or(paragraph.first().map(|sentence| sentence.source().start));
    }
    let share = single as f64 / paragraphs.max(1) as f64;
    if paragraphs >= found.limit("paragraphs")
        && share > found.threshold("most")
        && let Some(place) = place
    {
        found.push(Finding::at(place..place).with("value", format!("{:.0} %", share * 100.0)));
    }
}
