//! Rule `sa_ire`: finds causatives with a superfluous さ: 行かさせる, 読まさせる.

use super::{RuleReporter, phrasing, stretches};
use crate::{
    checks::{Severity, material::CheckMaterial},
    manuscript::TextVoice,
    morphology::Morpheme,
};

/// Short causatives that the dictionary has as verbs, besides those in わす. Others of that shape are ordinary verbs (動かす,
/// 聞かす, 済ます).
const CAUSATIVES: [&str; 38] = [
    "待たす",
    "働かす",
    "死なす",
    "飲ます",
    "のます",
    "行かす",
    "走らす",
    "泣かす",
    "急がす",
    "遊ばす",
    "喜ばす",
    "持たす",
    "立たす",
    "やらす",
    "あやまらす",
    "謝らす",
    "帰らす",
    "座らす",
    "語らす",
    "触らす",
    "乗らす",
    "作らす",
    "守らす",
    "休ます",
    "読ます",
    "書かす",
    "置かす",
    "弾かす",
    "歩かす",
    "泳がす",
    "運ばす",
    "選ばす",
    "学ばす",
    "並ばす",
    "呼ばす",
    "黙らす",
    "終わらす",
    "知らす",
];

/// Ordinary verbs in わす.
const ORDINARY: [&str; 9] = ["惑わす", "交わす", "表わす", "現わす", "著わす", "狂わす", "匂わす", "潤わす", "賑わす"];

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for stretch in stretches::story_stretches(material) {
        for pair in stretch.words.windows(2) {
            let [verb, suffix] = pair else { continue };
            if !is_godan(verb) || !suffix.has_parts(&["動詞", "接尾"]) {
                continue;
            }
            let stem = match suffix.base {
                "させる" => verb.surface,
                "せる" if is_causative(verb.base) => verb.surface.trim_end_matches('さ'),
                _ => continue,
            };
            let start = verb.visible.start;
            let place = start..start + stem.len() + "させ".len();
            let finding = phrasing::finding_with_wording_at(material, &place, &format!("{stem}せ"));
            // Speech may have it on purpose.
            let is_told = material.voice_at(verb.source.start) == TextVoice::Narration;
            found.push_with_severity(if is_told { Severity::Medium } else { Severity::Low }, finding);
        }
    }
}

fn is_causative(verb: &str) -> bool {
    (verb.ends_with("わす") && !ORDINARY.contains(&verb)) || CAUSATIVES.contains(&verb)
}

fn is_godan(word: &Morpheme<'_>) -> bool {
    let is_stem = |kind: &str, form: &str| kind.starts_with("五段") && form == "未然形";
    word.has_parts(&["動詞"]) && word.inflection.is_some_and(|inflection| is_stem(inflection.kind, inflection.form))
}
