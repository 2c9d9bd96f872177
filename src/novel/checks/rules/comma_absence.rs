//! Rule `comma_absence`: finds long sentences of narration without a comma or another pause.

use super::RuleReporter;
use crate::checks::{CheckMaterial, Finding, metrics::is_comma};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let longest = found.limit("longest");
    for (at, length) in &material.metrics().lengths.sentences {
        if *length <= longest {
            continue;
        }
        let sentence = &material.sentences()[*at];
        // Speech in the middle counts as a pause, so the text between the ends of the sentence is searched.
        if !material.text()[sentence.visible()].contains(is_rest) {
            found.push(Finding::at(sentence.source()).with("count", length));
        }
    }
}

/// True if a reader pauses at a character.
fn is_rest(c: char) -> bool {
    is_comma(c)
        || matches!(
            c,
            ',' | '…'
                | '‥'
                | '―'
                | '—'
                | '─'
                | '　'
                | '「'
                | '」'
                | '『'
                | '』'
                | '（'
                | '）'
                | '('
                | ')'
                | '【'
                | '】'
                | '〈'
                | '〉'
                | '《'
                | '》'
                | '〔'
                | '〕'
                | '［'
                | '］'
                | '“'
                | '”'
                | '〝'
                | '〟'
                | '：'
                | '；'
                | '！'
                | '？'
        )
}
