//! Rule `same_sentence_head`: finds consecutive sentences of narration that begin with the same word.

use super::{RuleReporter, sentence_run};
use crate::{checks::CheckMaterial, morphology::Morpheme};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let run = found.limit("run");
    let metrics = material.metrics();
    let sentences = metrics.lengths.sentences.iter();
    let heads: Vec<String> = sentences.map(|(at, _)| head(material.words_of(*at))).collect();
    for run in metrics.rows.runs(run, |one, next| !heads[one].is_empty() && heads[one] == heads[next]) {
        found.push(sentence_run::finding(material, &run).with("value", &heads[run.start]));
    }
}

/// Returns the first word after any punctuation, including prefixes: the お of お茶 and the 三 of 三人 are not words by
/// themselves.
fn head(words: &[Morpheme<'_>]) -> String {
    let mut head = String::new();
    for word in words.iter().skip_while(|word| word.has_parts(&["記号"])) {
        head.push_str(word.surface);
        if !word.has_parts(&["接頭詞"]) && !word.has_parts(&["名詞", "数"]) {
            break;
        }
    }
    head
}
