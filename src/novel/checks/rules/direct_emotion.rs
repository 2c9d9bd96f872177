//! Rule `direct_emotion`: finds narration that names feelings too often instead of showing them.

use super::{Found, phrasing, rates, stretches};
use crate::{checks::material::Material, lexicons::EMOTION, morphology::Morpheme};

pub(super) fn check(material: &Material<'_>, found: &mut Found<'_, '_>) {
    let mut named: Vec<&[Morpheme<'_>]> = Vec::new();
    for words in stretches::narrated(material) {
        let hits = EMOTION.words.find(words);
        named.extend(hits.into_iter().map(|hit| &words[hit.words]));
    }
    let places: Vec<_> = named.iter().map(|words| phrasing::visible(words)).collect();
    rates::push_excess(material, found, &places);
}
