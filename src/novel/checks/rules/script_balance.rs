//! Rule `script_balance`: finds narration with far more or far less of a script than usual, not counting names of the
//! novel.

use super::{RuleReporter, whole_text};
use crate::checks::CheckMaterial;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let shares = material.metrics().scripts.without_names;
    if shares.letters < found.limit("least") {
        return;
    }
    let bands = [
        ("漢字", shares.kanji, found.threshold("kanji_lowest"), found.threshold("kanji_highest")),
        ("ひらがな", shares.hiragana, found.threshold("hiragana_lowest"), found.threshold("hiragana_highest")),
        ("片仮名", shares.katakana, 0.0, found.threshold("katakana_highest")),
    ];
    let distance = |share: f64, lowest: f64, highest: f64| (lowest - share).max(share - highest);
    let furthest = bands.into_iter().max_by(|one, other| {
        let (one, other) = (distance(one.1, one.2, one.3), distance(other.1, other.2, other.3));
        one.total_cmp(&other)
    });
    if let Some((script, share, lowest, highest)) = furthest
        && distance(share, lowest, highest) > found.threshold("margin")
    {
        let finding = whole_text::finding(material, Vec::new())
            .with("value", script)
            .with("count", format!("{:.0}", share * 100.0))
            .with("expected", format!("{:.0}–{:.0}", lowest * 100.0, highest * 100.0));
        found.push(finding);
    }
}
