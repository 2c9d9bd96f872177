//! Rule `viewpoint_slip`: finds first-person pronouns in a third-person narration.

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, manuscript::TextVoice, morphology::Morpheme};

const FIRST_PERSON: [&str; 30] = [
    "私",
    "わたし",
    "わたくし",
    "あたし",
    "あたくし",
    "ワタシ",
    "アタシ",
    "僕",
    "ぼく",
    "ボク",
    "俺",
    "おれ",
    "オレ",
    "儂",
    "わし",
    "ワシ",
    "吾輩",
    "我輩",
    "わが輩",
    "我々",
    "われわれ",
    "我ら",
    "われら",
    "僕ら",
    "ぼくら",
    "俺ら",
    "おれら",
    "私ら",
    "小生",
    "拙者",
];

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let pov = material.context().pov();
    let is_third = pov.contains("三人称") || pov.to_lowercase().contains("third");
    if !is_third || pov.contains("一人称") {
        return;
    }
    let mut sentences = 0;
    let mut slips: Vec<Vec<&Morpheme<'_>>> = Vec::new();
    for (_, _, words) in material.sentences_in_voice(TextVoice::Narration) {
        sentences += 1;
        let own: Vec<&Morpheme<'_>> = stretches::unquoted(words).filter(|word| is_first_person(word)).collect();
        if !own.is_empty() {
            slips.push(own);
        }
    }
    if sentences < found.limit("least") || slips.len() > found.limit("most") {
        return;
    }
    for word in slips.into_iter().flatten() {
        found.push(phrasing::at(material, std::slice::from_ref(word)));
    }
}

fn is_first_person(word: &Morpheme<'_>) -> bool {
    word.has_parts(&["名詞", "代名詞"]) && FIRST_PERSON.contains(&word.base)
}
