//! Rule `sa_ire`: finds causatives with a superfluous さ: 行かさせる, 読まさせる.

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, morphology::Morpheme};

/// Short causatives that the dictionary has as verbs. Others of that shape are ordinary verbs (動かす, 聞かす, 済ます).
const CAUSATIVES: [&str; 18] = [
    "待たす",
    "働かす",
    "歌わす",
    "死なす",
    "飲ます",
    "のます",
    "行かす",
    "言わす",
    "走らす",
    "泣かす",
    "笑わす",
    "急がす",
    "遊ばす",
    "喜ばす",
    "持たす",
    "立たす",
    "払わす",
    "やらす",
];

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for words in stretches::narration_stretches(material) {
        for pair in words.windows(2) {
            let [verb, suffix] = pair else { continue };
            if !is_godan(verb) || !suffix.has_parts(&["動詞", "接尾"]) {
                continue;
            }
            let stem = match suffix.base {
                "させる" => verb.surface,
                "せる" if CAUSATIVES.contains(&verb.base) => verb.surface.trim_end_matches('さ'),
                _ => continue,
            };
            let start = verb.visible.start;
            let place = start..start + stem.len() + "させ".len();
            found.push(phrasing::finding_with_wording_at(material, &place, &format!("{stem}せ")));
        }
    }
}

fn is_godan(word: &Morpheme<'_>) -> bool {
    let is_stem = |kind: &str, form: &str| kind.starts_with("五段") && form == "未然形";
    word.has_parts(&["動詞"]) && word.inflection.is_some_and(|inflection| is_stem(inflection.kind, inflection.form))
}
