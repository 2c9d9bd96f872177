//! Rule `direct_emotion`: finds narration that names feelings too often instead of showing them.

use super::{RuleReporter, phrasing, rates, stretches};
use crate::{checks::material::CheckMaterial, lexicons::EMOTION, morphology::Morpheme};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let mut named: Vec<&[Morpheme<'_>]> = Vec::new();
    for words in stretches::narration_stretches(material) {
        let hits = EMOTION.words.find(words);
        named.extend(hits.into_iter().map(|hit| &words[hit.words]));
    }
    let places: Vec<_> = named.iter().map(|words| phrasing::visible(words)).collect();
    rates::push_excess(material, found, &places);
}
