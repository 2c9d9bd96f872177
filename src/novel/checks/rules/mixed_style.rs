//! Finds polite sentences in a plain narration, and plain ones in a polite one.

use super::{Found, stretches};
use crate::{
    checks::{finding::Finding, material::Material},
    manuscript::Voice,
    morphology::Morpheme,
    text::Sentence,
};

#[expect(clippy::cast_precision_loss, reason = "counts of sentences")]
pub(super) fn check(material: &Material<'_>, found: &mut Found<'_, '_>) {
    let (mut polite, mut plain): (Vec<&Sentence>, Vec<&Sentence>) = (Vec::new(), Vec::new());
    for (at, sentence, words) in material.heard(Voice::Narration) {
        match is_polite(words) {
            // Somebody's words without brackets: ご苦労さまです。と言った。
            Some(true) if material.words_of(at + 1).first().is_some_and(|word| word.surface == "と") => {}
            Some(true) => polite.push(sentence),
            Some(false) => plain.push(sentence),
            None => {}
        }
    }
    let all = polite.len() + plain.len();
    let (rarer, value) = if polite.len() <= plain.len() {
        (polite, "です・ます")
    } else {
        (plain, "だ・である")
    };
    if all < found.limit("least") || rarer.len() as f64 > found.threshold("largest_share") * all as f64 {
        return;
    }
    for sentence in rarer {
        found.push(Finding::at(sentence.source()).with("value", value));
    }
}

/// Whether a sentence ends politely; `None` where its end is of neither style.
fn is_polite(words: &[Morpheme<'_>]) -> Option<bool> {
    let last = stretches::stretches(words).pop().filter(|stretch| !stretch.is_quoted)?;
    let is_mark = |word: &&Morpheme<'_>| word.is(&["記号"]);
    let end: Vec<&Morpheme<'_>> = last.words.iter().rev().skip_while(is_mark).collect();
    let inflection = end.first()?.inflection?;
    let auxiliaries = end.iter().take_while(|word| word.is(&["助動詞"])).count();
    let is_polite = |at: usize| match end[at].base {
        "です" => true,
        // 持てあました is no ました.
        "ます" => end.get(at + 1).is_some_and(|before| before.surface != "あ"),
        _ => false,
    };
    if (0..auxiliaries).any(is_polite) {
        return Some(true);
    }
    (inflection.form == "基本形").then_some(false)
}
