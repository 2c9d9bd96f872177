//! Rule `ra_nuki`: finds potential forms without ら in narration: 見れる, 食べれる.

use std::ops::Range;

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, morphology::Morpheme};

/// The forms without ら that the dictionary has as verbs.
const KNOWN: [&str; 3] = ["見れる", "来れる", "みれる"];

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for words in stretches::narration_stretches(material) {
        for (at, word) in words.iter().enumerate() {
            let start = word.visible.start;
            if let Some(re) = own_re(word) {
                push(material, start..re, found);
            } else if is_ichidan(word) && words.get(at + 1).is_some_and(is_reru) && !is_in_pieces(&words[at + 1..]) {
                push(material, start..word.visible.end, found);
            }
        }
    }
}

/// Potential verbs of godan verbs, whose れ is superfluous: 書けれる for 書ける.
const POTENTIAL: [&str; 44] = [
    "書ける",
    "読める",
    "飛べる",
    "行ける",
    "言える",
    "泳げる",
    "話せる",
    "飲める",
    "歩ける",
    "走れる",
    "会える",
    "使える",
    "買える",
    "作れる",
    "取れる",
    "乗れる",
    "帰れる",
    "座れる",
    "遊べる",
    "選べる",
    "呼べる",
    "運べる",
    "持てる",
    "待てる",
    "勝てる",
    "打てる",
    "死ねる",
    "住める",
    "頼める",
    "動ける",
    "聞ける",
    "弾ける",
    "描ける",
    "貸せる",
    "出せる",
    "返せる",
    "直せる",
    "探せる",
    "押せる",
    "歌える",
    "洗える",
    "払える",
    "笑える",
    "眠れる",
];

/// Reports a verb whose れ directly follows its stem.
fn push(material: &CheckMaterial<'_>, stem: Range<usize>, found: &mut RuleReporter<'_, '_>) {
    let place = stem.start..stem.end + "れ".len();
    let verb = &material.text()[stem];
    let is_potential = POTENTIAL.contains(&format!("{verb}る").as_str());
    let written = format!("{verb}{}", if is_potential { "" } else { "られ" });
    found.push(phrasing::finding_with_wording_at(material, &place, &written));
}

/// Returns the position of the れ of a form such as 見れる.
fn own_re(word: &Morpheme<'_>) -> Option<usize> {
    let re = word.surface.find('れ').filter(|_| KNOWN.contains(&word.base) && word.has_parts(&["動詞"]))?;
    Some(word.visible.start + re)
}

/// True if れる cannot follow: 一段 verbs and 来る take られる. A single kana is rarely a verb.
fn is_ichidan(word: &Morpheme<'_>) -> bool {
    let Some(inflection) = word.inflection.filter(|inflection| inflection.form == "未然形") else { return false };
    let is_kana = word.surface.chars().all(|c| matches!(c, 'ぁ'..='ん'));
    let is_kind = inflection.kind.starts_with("一段") || inflection.kind.starts_with("カ変");
    word.has_parts(&["動詞"]) && is_kind && (!is_kana || word.surface.chars().count() > 1)
}

/// True if the れ belongs to きれぎれ (弱い声できれぎれに).
fn is_in_pieces(rest: &[Morpheme<'_>]) -> bool {
    rest.get(1).is_some_and(|word| word.surface.starts_with("ぎれ"))
}

fn is_reru(word: &Morpheme<'_>) -> bool {
    word.has_parts(&["動詞", "接尾"]) && word.base == "れる"
}
