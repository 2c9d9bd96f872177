//! Documentation in line comments: the comments on the lines directly above a definition, joined to one text.
//!
//! A comment documents a definition only if it is alone on its lines and no blank line separates it from the
//! definition. Languages that use one block comment need none of this; their `doc_prefixes` are enough.

use std::collections::HashMap;

use crate::{elements::ElementKind, extract::ElementDraft, parse::ParsedFile};

/// The maximum length of documentation, in characters.
const LIMIT: usize = 2_000;

/// Documents every definition that has no documentation yet with the comments above it.
///
/// `words` returns the text of a comment without its comment signs, or `None` if the comment documents nothing.
pub(super) fn document(parsed: &ParsedFile, drafts: &mut [ElementDraft<'_>], words: impl Fn(&str) -> Option<String>) {
    let text = parsed.source.text.as_str();
    // Keyed by the last line of a comment: its first line and its text.
    let comments: HashMap<usize, (usize, Option<String>)> = drafts
        .iter()
        .filter(|draft| draft.element.kind == ElementKind::Comment)
        .filter(|draft| begins_line(text, draft.element.span.start_byte))
        .map(|draft| {
            let span = draft.element.span;
            let written = parsed.text(draft.node);
            // Some grammars end a comment after its line feed.
            let lines = written.trim_end().matches('\n').count();
            (span.start_line + lines, (span.start_line, words(written)))
        })
        .collect();
    if comments.is_empty() {
        return;
    }
    for draft in drafts.iter_mut() {
        let span = draft.element.span;
        let is_first = begins_line(text, span.start_byte);
        let Some(code) = draft.code().filter(|code| is_first && code.doc.is_none()) else {
            continue;
        };
        let mut parts = Vec::new();
        let mut line = span.start_line;
        while let Some((start, words)) = line.checked_sub(1).and_then(|above| comments.get(&above)) {
            parts.extend(words.as_deref());
            line = *start;
        }
        parts.reverse();
        let doc = parts.join("\n");
        let doc = doc.trim();
        if !doc.is_empty() {
            code.doc = Some(match doc.char_indices().nth(LIMIT) {
                Some((end, _)) => format!("{}…", &doc[..end]),
                None => doc.to_owned(),
            });
        }
    }
}

/// True if only white space precedes this position on its line.
fn begins_line(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |feed| feed + 1);
    before[line..].trim().is_empty()
}
