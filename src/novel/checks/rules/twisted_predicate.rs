//! Rule `twisted_predicate`: finds predicates that do not fit their subject: 夢は、劇場で演じたい.

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, manuscript::TextVoice, morphology::Morpheme};

/// Subjects that someone wants or does: they are followed by こと, not by the verb itself.
const AIMS: [&str; 14] = [
    "夢", "目的", "願い", "望み", "目標", "希望", "念願", "仕事", "役目", "役割", "日課", "趣味", "特技", "習慣",
];

/// Subjects that are followed by a reason or a fact: から, ため, こと.
const FACTS: [&str; 6] = ["理由", "原因", "問題", "きっかけ", "狙い", "特徴"];

/// The smallest number of words between the subject and its predicate; shorter sentences have other subjects (夢は叶った).
const SHORTEST: usize = 6;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for (_, _, sentence) in material.sentences_in_voice(TextVoice::Narration) {
        for words in stretches::stretches(sentence).iter().filter(|stretch| !stretch.is_quoted).map(|own| own.words) {
            let Some(topic) = words.iter().position(|word| word.surface == "は" && word.has_parts(&["助詞", "係助詞"])) else {
                continue;
            };
            let is_comma = |at: usize| words.get(at).is_some_and(|word| word.has_parts(&["記号", "読点"]));
            let Some(noun) = topic.checked_sub(1).map(|before| &words[before]) else { continue };
            let rest = &words[topic + 1..];
            let is_topic_of_all = rest.iter().all(|word| word.surface != "は");
            if !is_comma(topic + 1) || rest.len() < SHORTEST || !is_topic_of_all {
                continue;
            }
            let is_cleft = topic >= 2 && noun.surface == "の" && words[topic - 2].inflection.is_some();
            if is_twisted(noun, is_cleft, rest) {
                found.push(phrasing::at(material, words).with("value", noun.surface));
            }
        }
    }
}

/// True if a predicate says what someone does or wants instead of what its subject is.
fn is_twisted(noun: &Morpheme<'_>, is_cleft: bool, rest: &[Morpheme<'_>]) -> bool {
    let predicate: Vec<&Morpheme<'_>> =
        rest.iter().rev().skip_while(|word| word.has_parts(&["記号"])).take_while(|word| is_predicate(word)).collect();
    let ends_in_verb = predicate.iter().any(|word| word.has_parts(&["動詞"]));
    let has = |bases: &[&str]| predicate.iter().any(|word| bases.contains(&word.base));
    let has_object = || rest.iter().any(|word| word.surface == "を" && word.has_parts(&["助詞"]));
    let is_passive = || has(&["れる", "られる", "せる", "させる"]);
    // …なければならない, …できない: an obligation or an inability of a person.
    let is_bound = || {
        let tail: String = rest.iter().rev().take(8).collect::<Vec<_>>().into_iter().rev().map(|word| word.surface).collect();
        ["なければならない", "なければならなかった", "ことができない", "ことができなかった", "られなかった", "られない"]
            .iter()
            .any(|end| tail.trim_end_matches('。').ends_with(end))
    };
    if has(&["だ", "です", "ある"]) {
        return false;
    }
    if AIMS.contains(&noun.surface) {
        return has(&["たい"]) || (ends_in_verb && has_object() && !is_passive());
    }
    (FACTS.contains(&noun.surface) || is_cleft) && (has(&["たい"]) || is_bound())
}

fn is_predicate(word: &Morpheme<'_>) -> bool {
    word.has_parts(&["助動詞"]) || word.has_parts(&["動詞"]) || word.has_parts(&["形容詞"]) || matches!(word.surface, "て" | "で")
}
