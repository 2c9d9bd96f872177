//! Rule `stray_voiced_mark`: finds ゛ or ゜ after a kana with which it composes one character.

use unicode_normalization::char::compose;

use super::{
    RuleReporter,
    passages::{finding_with_replacement, passages},
    signs::is_kana,
};
use crate::{checks::material::CheckMaterial, manuscript::TextVoice};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for passage in passages(material) {
        let signs: Vec<(usize, char)> = passage.text.char_indices().collect();
        let marked = |at: usize| signs.get(at + 1).is_some_and(|(_, mark)| is_mark(*mark)) && is_kana(signs[at].1);
        let mut at = 0;
        while at + 1 < signs.len() {
            if !marked(at) {
                at += 1;
                continue;
            }
            let first = at;
            while at < signs.len() && marked(at) {
                at += 2;
            }
            let pairs: Vec<Option<char>> =
                (first..at).step_by(2).map(|pair| whole(signs[pair].1, signs[pair + 1].1)).collect();
            let voice = material.voice_at(passage.source_of(material, &(signs[first].0..signs[first].0 + 1)).start);
            // た゛す゛け゛て゛ is a choked voice.
            if pairs.contains(&None) || (pairs.len() > 1 && voice != TextVoice::Narration) {
                continue;
            }
            for (pair, whole) in (first..).step_by(2).zip(pairs.into_iter().flatten()) {
                let (mark, c) = signs[pair + 1];
                found.push(finding_with_replacement(
                    material,
                    &passage,
                    &(signs[pair].0..mark + c.len_utf8()),
                    &whole.to_string(),
                ));
            }
        }
    }
}

fn is_mark(c: char) -> bool {
    matches!(c, '゛' | '゜' | 'ﾞ' | 'ﾟ')
}

/// Returns the single character that a kana and a mark compose. う゛ expresses a voice and is rarely meant as ゔ.
fn whole(kana: char, mark: char) -> Option<char> {
    let combining = if matches!(mark, '゛' | 'ﾞ') { '\u{3099}' } else { '\u{309a}' };
    if kana == 'う' { None } else { compose(kana, combining) }
}
