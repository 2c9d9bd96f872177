//! The documentation of definitions and files: comments before or after them, and docstrings.

use tree_sitter::Node;

use super::draft::ElementDraft;
use crate::{elements::ElementKind, languages::facts::LanguageFacts, parse::ParsedFile};

/// The maximum length of stored documentation, in characters.
const DOC_CHARACTERS: usize = 2_000;

/// Attaches to definitions the comment before them or the docstring in their body.
pub(super) fn document(parsed: &ParsedFile, drafts: &mut [ElementDraft<'_>], facts: &LanguageFacts) {
    let mut last_comment: Option<usize> = None;
    let mut after: Vec<usize> = Vec::new();
    for at in 0..drafts.len() {
        let kind = drafts[at].element.kind;
        if kind == ElementKind::Comment {
            let is_after = !facts.doc_after.is_empty() && begins(parsed, &drafts[at], &facts.doc_after);
            if is_after {
                after.push(at);
            }
            last_comment = Some(at).filter(|_| !is_after);
            continue;
        }
        if !drafts[at].keep {
            continue;
        }
        let before = last_comment.filter(|_| !facts.doc_prefixes.is_empty() && !facts.doc_lines).and_then(|comment| {
            let comment = drafts[comment].element.span;
            let between = parsed.source.text.get(comment.end_byte..drafts[at].element.span.start_byte)?;
            let text = parsed.source.text.get(comment.start_byte..comment.end_byte)?;
            let is_doc = facts.doc_prefixes.iter().any(|prefix| text.starts_with(prefix.as_str()));
            (is_doc && between.trim().is_empty()).then(|| strip_comment_markers(text))
        });
        let inside = drafts[at]
            .body
            .filter(|_| facts.docstrings && (kind.is_callable() || kind.is_class_like()))
            .and_then(|body| docstring(parsed, body));
        let lines = || facts.doc_lines.then(|| lines_before(parsed, drafts, at, facts)).flatten();
        if let (Some(doc), Some(code)) = (before.or_else(lines).or(inside), drafts[at].code()) {
            code.doc = Some(doc).filter(|doc| !doc.is_empty());
        }
    }
    for comment in after {
        doc_after(parsed, drafts, comment);
    }
}

fn begins(parsed: &ParsedFile, comment: &ElementDraft<'_>, prefixes: &[String]) -> bool {
    let span = comment.element.span;
    let text = parsed.source.text.get(span.start_byte..span.end_byte).unwrap_or_default();
    prefixes.iter().any(|prefix| text.starts_with(prefix.as_str()))
}

/// Attaches a trailing comment to the definition before it on the same line.
fn doc_after(parsed: &ParsedFile, drafts: &mut [ElementDraft<'_>], comment: usize) {
    let span = drafts[comment].element.span;
    let text = &parsed.source.text;
    let documented = drafts.iter_mut().take(comment).rev().find(|draft| {
        let before = draft.element.span;
        draft.element.kind != ElementKind::Comment
            && before.end_line == span.start_line
            && text
                .get(before.end_byte..span.start_byte)
                .is_some_and(|between| between.trim_matches([' ', '\t', ',', ';']).is_empty())
    });
    let doc = text.get(span.start_byte..span.end_byte).map(strip_comment_markers);
    if let Some(code) = documented.and_then(ElementDraft::code)
        && code.doc.is_none()
    {
        code.doc = doc.filter(|doc| !doc.is_empty());
    }
}

/// Returns the comments on the lines directly before a definition, each alone on its lines.
fn lines_before(parsed: &ParsedFile, drafts: &[ElementDraft<'_>], at: usize, facts: &LanguageFacts) -> Option<String> {
    let text = parsed.source.text.as_str();
    let definition = drafts[at].element.span.start_byte;
    let mut start = definition;
    let mut end = definition;
    for comment in drafts[..at].iter().rev() {
        let span = comment.element.span;
        // Others of the same declaration: `a` of `var a, b int`.
        if span.start_byte == definition {
            continue;
        }
        // An enclosing element ends after the start: no comment of this definition precedes it.
        let Some(between) = text.get(span.end_byte..start) else {
            break;
        };
        let written = text.get(span.start_byte..span.end_byte)?;
        let is_adjacent = between.trim().is_empty() && between.matches('\n').count() < 2;
        let is_doc =
            comment.element.kind == ElementKind::Comment && facts.doc_prefixes.iter().any(|p| written.starts_with(p));
        let line = text[..span.start_byte].rfind('\n').map_or(0, |feed| feed + 1);
        if !is_adjacent
            || !is_doc
            || begins(parsed, comment, &facts.doc_after)
            || !text[line..span.start_byte].trim().is_empty()
        {
            break;
        }
        if start == definition {
            end = span.end_byte;
        }
        start = span.start_byte;
    }
    Some(strip_comment_markers(text.get(start..end)?)).filter(|doc| !doc.is_empty())
}

/// Returns the documentation of the whole file: the comments that document their enclosing item, or those before the
/// package clause.
pub(super) fn file_doc(parsed: &ParsedFile, drafts: &[ElementDraft<'_>], facts: &LanguageFacts) -> Option<String> {
    if facts.doc_lines
        && let Some(package) = drafts.iter().position(|draft| draft.element.kind == ElementKind::Package)
    {
        return lines_before(parsed, drafts, package, facts);
    }
    let inner: Vec<String> = drafts
        .iter()
        .filter(|draft| draft.element.kind == ElementKind::Comment && draft.element.parent.is_none())
        .filter_map(|draft| inner_doc(parsed, draft, facts))
        .collect();
    Some(cut(inner.join("\n").trim(), DOC_CHARACTERS)).filter(|doc| !doc.is_empty())
}

/// Returns the text of a comment that documents its enclosing item, or `None` for any other comment.
pub(crate) fn inner_doc(parsed: &ParsedFile, comment: &ElementDraft<'_>, facts: &LanguageFacts) -> Option<String> {
    let text = parsed.text(comment.node);
    let is_inner = facts.inner_doc_prefixes.iter().any(|prefix| text.starts_with(prefix.as_str()));
    // Not in the arguments of a macro, which are not parsed as syntax.
    let is_hidden = || {
        let around = comment.node.parent().map(|parent| parent.kind());
        around.is_some_and(|around| facts.complexity.opaque.iter().any(|kind| kind == around))
    };
    (is_inner && !is_hidden()).then(|| strip_comment_markers(text))
}

/// Returns a documentation comment without its markers.
pub(crate) fn strip_comment_markers(comment: &str) -> String {
    let is_after = ["/**<", "/*!<", "///<", "//!<"].iter().any(|sign| comment.starts_with(sign));
    let has_line_signs = comment.starts_with("//");
    let mut bare = comment;
    for sign in ["/**", "/*!", "/*"] {
        while let Some(rest) = bare.strip_prefix(sign) {
            bare = rest;
        }
    }
    while let Some(rest) = bare.strip_suffix("*/") {
        bare = rest;
    }
    let mut doc = String::with_capacity(bare.len());
    for line in bare.split('\n') {
        let line = line.trim();
        let line = line
            .strip_prefix("///")
            .or_else(|| line.strip_prefix("//!"))
            .or_else(|| line.strip_prefix("//").filter(|_| has_line_signs))
            .unwrap_or(line);
        let line = line.strip_prefix('*').unwrap_or(line);
        // `///<` documents the definition before it.
        doc.push_str(line.strip_prefix('<').filter(|_| is_after).unwrap_or(line).trim_start());
        doc.push('\n');
    }
    cut(doc.trim(), DOC_CHARACTERS)
}

/// Returns the string literal that a body begins with.
pub(super) fn docstring(parsed: &ParsedFile, body: Node<'_>) -> Option<String> {
    let mut cursor = body.walk();
    let first = body.named_children(&mut cursor).find(|child| !child.is_extra())?;
    let string = if first.kind() == "expression_statement" { first.named_child(0)? } else { first };
    if string.kind() != "string" {
        return None;
    }
    let text = parsed.text(string);
    let quote = text.find(['"', '\''])?;
    if text[..quote].contains(['f', 'F', 'b', 'B']) {
        return None;
    }
    let bare = text[quote..].trim_matches(['"', '\'']);
    let lines: Vec<&str> = bare.trim().lines().map(str::trim).collect();
    Some(cut(&lines.join("\n"), DOC_CHARACTERS)).filter(|doc| !doc.is_empty())
}

fn cut(text: &str, limit: usize) -> String {
    let end = (text.len() > limit).then(|| text.char_indices().nth(limit)).flatten();
    match end {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::strip_comment_markers;

    #[test]
    fn comment_markers_are_stripped() {
        assert_eq!(strip_comment_markers("/**\n * Adds.\n *\n * @param a one\n */"), "Adds.\n\n@param a one");
        assert_eq!(strip_comment_markers("/** Short. */"), "Short.");
    }
}
