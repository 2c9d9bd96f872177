//! Rule `humble_honorific`: finds humble verbs that are used to honour someone: 部長が申された.

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, morphology::Morpheme};

/// Humble verbs, by base form, each with the honorific verb.
const HUMBLE: [(&str, &str); 17] = [
    ("申す", "おっしゃる"),
    ("申し上げる", "おっしゃる"),
    ("参る", "いらっしゃる"),
    ("まいる", "いらっしゃる"),
    ("伺う", "いらっしゃる"),
    ("うかがう", "いらっしゃる"),
    ("頂く", "召し上がる"),
    ("いただく", "召し上がる"),
    ("致す", "なさる"),
    ("いたす", "なさる"),
    ("存じる", "ご存じだ"),
    ("拝見", "ご覧になる"),
    ("拝読", "お読みになる"),
    ("拝聴", "お聞きになる"),
    ("拝借", "お借りになる"),
    ("差し上げる", "くださる"),
    ("頂戴", "お受け取りになる"),
];

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for stretch in stretches::story_stretches(material) {
        let words = stretch.words;
        for (at, word) in words.iter().enumerate() {
            let Some((_, honorific)) = HUMBLE.iter().find(|(humble, _)| *humble == word.base) else { continue };
            let rest = &words[at + 1..];
            // 拝見 is a noun with する.
            let has_suru = rest.first().is_some_and(|next| next.base == "する");
            let is_noun = word.has_parts(&["名詞"]);
            if is_noun != has_suru {
                continue;
            }
            let rest = &rest[usize::from(has_suru)..];
            let length = honoured(rest);
            // 皆様に助けていただかれた has an auxiliary verb.
            let is_auxiliary = word.has_parts(&["動詞", "非自立"]);
            if length > 0 && !is_auxiliary {
                let end = at + 1 + usize::from(has_suru) + length;
                found.push(phrasing::at(material, &words[at..end]).with("expected", honorific));
            }
        }
    }
}

/// Returns the number of words after a humble verb that honour its subject: れる of 申された, てください of いただいてください.
fn honoured(rest: &[Morpheme<'_>]) -> usize {
    let is_reru = |word: &Morpheme<'_>| word.has_parts(&["動詞", "接尾"]) && matches!(word.base, "れる" | "られる");
    match rest {
        [first, ..] if is_reru(first) => 1,
        [te, asked, ..] if te.surface == "て" && matches!(asked.base, "くださる" | "下さる") => 2,
        _ => 0,
    }
}
