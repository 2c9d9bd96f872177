//! Rule `indent_before_bracket`: finds indents before speech in a text where most speech has none.

use std::{collections::HashMap, ops::Range};

use super::RuleReporter;
use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    manuscript::{ManuscriptSpan, SpanKind, SpeechEnd},
    project::StylePreset,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let manuscript = material.manuscript();
    let speeches: HashMap<usize, (&Range<usize>, SpeechEnd)> = manuscript
        .spans()
        .iter()
        .filter_map(|span| match span.kind {
            // A quotation within speech is not a line of its own.
            SpanKind::Dialogue(closing) if !is_within(manuscript.spans(), span.parent) => {
                Some((span.range.start, (&span.range, closing)))
            }
            _ => None,
        })
        .collect();
    let (mut indented, mut flush) = (Vec::new(), 0_usize);
    for prose in material.paragraphs() {
        let text = &manuscript.source()[prose.source.clone()];
        let bracket = prose.source.start + (text.len() - text.trim_start().len());
        let Some((speech, closing)) = speeches.get(&bracket) else {
            continue;
        };
        // A message after 〈name〉 and a voice in 《》 are set as the author likes.
        if !manuscript.source()[bracket..].starts_with(['「', '『', '（']) {
            continue;
        }
        let rest = manuscript.visible_in(&(speech.end..prose.source.end));
        if *closing == SpeechEnd::Closed && !is_speech(rest) {
            continue;
        }
        if bracket > prose.source.start {
            indented.push(prose.source.start..bracket);
        } else {
            flush += 1;
        }
    }
    let share = indented.len() as f64 / (indented.len() + flush).max(1) as f64;
    let is_mixed = flush > 0 && share < found.threshold("minority");
    if !is_mixed && material.context().preset() != StylePreset::Bunko {
        return;
    }
    for indent in indented {
        let with_bracket = indent.start..indent.end + '「'.len_utf8();
        found.push(Finding::at(with_bracket).with_edit(indent, ""));
    }
}

/// True if the enclosing span is speech or a thought itself.
fn is_within(spans: &[ManuscriptSpan], parent: Option<usize>) -> bool {
    parent.is_some_and(|parent| matches!(spans[parent].kind, SpanKind::Dialogue(_) | SpanKind::Thought(_)))
}

/// True if the bracket before `rest` was speech, not a title or name.
fn is_speech(rest: &str) -> bool {
    let rest = rest.trim();
    let is_name = ["という", "といっ", "といふ", "とい", "とは"].iter().any(|name| rest.starts_with(name));
    rest.is_empty() || (rest.starts_with('と') && !is_name)
}
