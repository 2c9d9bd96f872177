//! Rule `author_aside`: finds sentences of narration in which the author addresses the readers.

use super::{RuleReporter, unwanted::hits};
use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    lexicons::FORBIDDEN,
    manuscript::TextVoice,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let mut last_line = None;
    for (_, sentence, _) in material.sentences_in_voice(TextVoice::Narration) {
        let text = sentence.text(material.manuscript());
        let is_head = last_line != Some(sentence.line);
        last_line = Some(sentence.line);
        // The prefix keeps patterns for the head of a line from matching a sentence in the middle of it.
        let shown = if is_head { text } else { format!("・{text}") };
        if !hits(&FORBIDDEN.aside, &shown, |_| TextVoice::Narration).is_empty() {
            found.push(Finding::at(sentence.source()));
        }
    }
}
