//! Data languages: the walk over keys that YAML, JSON and TOML share.
//!
//! Every key of a mapping is an element. An item of a list is an element, named by its index (`[0]`), if it is a
//! mapping or contains one; plain values in lists are not elements, so a long list costs nothing. Each language's
//! [`DataNotation`] defines what its nodes mean.

use std::collections::HashMap;

use tree_sitter::{Node, TreeCursor};

use crate::{
    elements::{CodeElement, ElementDetail, ElementKind},
    extract::ElementDraft,
    parse::{ParsedFile, one_line},
};

/// The maximum length of a value, in characters; longer values are read with the section itself.
const VALUE_CHARACTERS: usize = 80;

/// The maximum length of a key, in characters. Conditions of TOML targets have some hundred characters and differ only
/// at their ends.
const KEY_CHARACTERS: usize = 1_000;

/// The meaning of a node in a data language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataRole {
    /// A key with its value.
    Entry,
    /// A set of entries, as in an object.
    Mapping,
    /// A sequence of items, as in an array.
    List,
    /// One of several documents, counted like an item.
    Document,
    /// A value or a key whose children are ignored.
    Leaf,
    /// A node without a meaning of its own that wraps other nodes.
    Wrapper,
}

/// The content of an entry: its key, type and value.
#[derive(Debug)]
pub(crate) struct DataEntry {
    /// The key without quotes; for a TOML table, the whole path.
    pub(crate) key: String,
    /// The type of the value, such as `string` or `mapping`.
    pub(crate) type_name: &'static str,
    /// The value as written in the source.
    pub(crate) value: String,
}

/// The notation of a data language.
pub(crate) trait DataNotation {
    /// Returns the meaning of a node.
    fn role(&self, node: Node<'_>) -> DataRole;

    /// Reads the entry at a node.
    fn entry(&mut self, parsed: &ParsedFile, node: Node<'_>) -> DataEntry;

    /// Returns the byte offset at which a node's element ends. Grammars include the empty lines that follow in an
    /// entry.
    fn end(&self, parsed: &ParsedFile, node: Node<'_>) -> usize {
        node.start_byte() + parsed.text(node).trim_end().len()
    }
}

/// A node that the cursor is inside of.
struct CursorFrame<'t> {
    /// The depth of the node in the syntax tree.
    depth: usize,
    node: Node<'t>,
    /// The index of the draft made for the node, if any.
    draft: Option<usize>,
    /// The number of items so far, for a list.
    items: Option<usize>,
    /// The index of the node in the enclosing list.
    place: Option<usize>,
}

/// Adds the keys of a file to the drafts, which already contain its comments.
pub(crate) fn keys<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>, notation: &mut impl DataNotation) {
    let comments: HashMap<usize, usize> = drafts.iter().enumerate().map(|(at, draft)| (draft.node.id(), at)).collect();
    let mut frames: Vec<CursorFrame<'t>> = Vec::new();
    let mut cursor = parsed.tree.walk();
    let (mut depth, mut visited) = (0_usize, 0_u32);
    loop {
        visited = visited.wrapping_add(1);
        // The extraction itself reports a cancelled token as an error.
        if visited.is_multiple_of(4_096) && parsed.cancel.is_cancelled() {
            return;
        }
        let node = cursor.node();
        let role = if let Some(comment) = comments.get(&node.id()) {
            let span = drafts[*comment].element.span;
            let around = frames.iter().rev().filter_map(|frame| frame.draft);
            let parent = around.into_iter().find(|at| drafts[*at].element.span.contains(&span));
            drafts[*comment].element.parent = parent;
            DataRole::Leaf
        } else if is_key(&frames, &cursor, depth) {
            DataRole::Leaf
        } else {
            count_item(&mut frames, node, depth);
            notation.role(node)
        };
        match role {
            DataRole::Entry => {
                let parent = parent_for_entry(parsed, drafts, &mut frames, notation, node, depth);
                let entry = notation.entry(parsed, node);
                let end = notation.end(parsed, node);
                let at = push(parsed, drafts, (node, end), parent, entry);
                frames.push(CursorFrame::new(depth, node, Some(at)));
            }
            DataRole::Mapping if frames.last().is_some_and(CursorFrame::is_list) => {
                parent_for_entry(parsed, drafts, &mut frames, notation, node, depth);
            }
            DataRole::Document => {
                let place = frames.last().and_then(CursorFrame::place_of_last).unwrap_or(0);
                let end = notation.end(parsed, node);
                let at = push(parsed, drafts, (node, end), None, item(place, "document"));
                frames.push(CursorFrame::new(depth, node, Some(at)));
            }
            DataRole::List => {
                let place = frames.last().and_then(CursorFrame::place_of_last);
                frames.push(CursorFrame { items: Some(0), place, ..CursorFrame::new(depth, node, None) });
            }
            DataRole::Mapping | DataRole::Leaf | DataRole::Wrapper => {}
        }
        if role != DataRole::Leaf && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        loop {
            while frames.last().is_some_and(|frame| frame.depth == depth) {
                frames.pop();
            }
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return;
            }
            depth -= 1;
        }
    }
}

impl<'t> CursorFrame<'t> {
    const fn new(depth: usize, node: Node<'t>, draft: Option<usize>) -> Self {
        Self { depth, node, draft, items: None, place: None }
    }

    const fn is_list(&self) -> bool {
        self.items.is_some()
    }

    /// Returns the index of the item counted last.
    fn place_of_last(&self) -> Option<usize> {
        self.items.map(|items| items.saturating_sub(1))
    }
}

/// True if the cursor is at the key of the enclosing entry: keys of YAML may be mappings themselves.
fn is_key(frames: &[CursorFrame<'_>], cursor: &TreeCursor<'_>, depth: usize) -> bool {
    let is_in_entry = frames.last().is_some_and(|frame| frame.depth + 1 == depth && frame.draft.is_some());
    is_in_entry && cursor.field_name() == Some("key")
}

/// Counts an item: every named child of a list is one.
fn count_item(frames: &mut [CursorFrame<'_>], node: Node<'_>, depth: usize) {
    if let Some(frame) = frames.last_mut()
        && frame.depth + 1 == depth
        && let Some(items) = &mut frame.items
        && node.is_named()
        && !node.is_error()
    {
        *items += 1;
    }
}

/// Returns the parent element of an entry. Directly in a list that is an item, which is created here; enclosing lists
/// that have no element yet get theirs too.
fn parent_for_entry<'t>(
    parsed: &'t ParsedFile,
    drafts: &mut Vec<ElementDraft<'t>>,
    frames: &mut Vec<CursorFrame<'t>>,
    notation: &impl DataNotation,
    node: Node<'t>,
    depth: usize,
) -> Option<usize> {
    let mut parent = None;
    for frame in frames.iter_mut() {
        if let Some(place) = frame.place.filter(|_| frame.draft.is_none()) {
            let list = (frame.node, notation.end(parsed, frame.node));
            frame.draft = Some(push(parsed, drafts, list, parent, item(place, "list")));
        }
        parent = frame.draft.or(parent);
    }
    if let Some(place) = frames.last().and_then(CursorFrame::place_of_last) {
        let end = notation.end(parsed, node);
        parent = Some(push(parsed, drafts, (node, end), parent, item(place, "mapping")));
        frames.push(CursorFrame::new(depth, node, parent));
    }
    parent
}

fn item(place: usize, type_name: &'static str) -> DataEntry {
    DataEntry { key: format!("[{place}]"), type_name, value: String::new() }
}

fn push<'t>(
    parsed: &'t ParsedFile,
    drafts: &mut Vec<ElementDraft<'t>>,
    (node, end): (Node<'t>, usize),
    parent: Option<usize>,
    entry: DataEntry,
) -> usize {
    let name = one_line(&entry.key, KEY_CHARACTERS);
    // In a broken text, an entry may reach beyond the computed end of its parent, which is then extended.
    let mut around = parent;
    while let Some(holder) = around.filter(|holder| drafts[*holder].element.span.end_byte < end) {
        let element = &mut drafts[holder].element;
        let start = element.span.start_byte;
        element.span = parsed.lines.span(&parsed.source.text, start, end);
        around = element.parent;
    }
    let element = CodeElement {
        kind: ElementKind::Key,
        // An empty key is still a key and needs a name by which it can be selected.
        name: if name.is_empty() { "\"\"".to_owned() } else { name },
        span: parsed.lines.span(&parsed.source.text, node.start_byte(), end),
        parent,
        nodes: [(node.start_byte(), end); 2],
        detail: ElementDetail::Key { type_name: entry.type_name.into(), value: entry.value },
    };
    drafts.push(ElementDraft::from_element(node, element));
    drafts.len() - 1
}

/// Returns a value shortened for display.
pub(crate) fn shorten_value(text: &str) -> String {
    one_line(text, VALUE_CHARACTERS)
}

/// Returns the named children of a node, without comments and errors.
pub(crate) fn parts(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra() && !child.is_error()).collect()
}

/// Returns a key without its quotes and with its escapes resolved.
pub(crate) fn unquote(text: &str) -> String {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return inner.replace("''", "'");
    }
    match text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) if inner.contains('\\') => unescaped(inner),
        Some(inner) => inner.to_owned(),
        None => text.to_owned(),
    }
}

/// Resolves the escapes that JSON, TOML and YAML share, and the most common of YAML's own.
fn unescaped(text: &str) -> String {
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let read = if c == '\\' { escape(&mut rest) } else { u32::from(c) };
        match (u16::try_from(read), char::from_u32(read)) {
            // The halves of a surrogate pair follow each other.
            (Ok(unit), _) => units.push(unit),
            (_, Some(c)) => units.extend_from_slice(c.encode_utf16(&mut [0; 2])),
            _ => {}
        }
    }
    String::from_utf16_lossy(&units)
}

/// Returns the code point of an escape sequence.
fn escape(rest: &mut std::str::Chars<'_>) -> u32 {
    let digits = match rest.next().unwrap_or('\\') {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        'n' => return 0x0a,
        't' => return 0x09,
        'r' => return 0x0d,
        'b' => return 0x08,
        'f' => return 0x0c,
        'e' => return 0x1b,
        '0' => return 0,
        other => return u32::from(other),
    };
    let code: String = rest.by_ref().take(digits).collect();
    u32::from_str_radix(&code, 16).unwrap_or(u32::from(char::REPLACEMENT_CHARACTER))
}

#[cfg(test)]
mod tests {
    use super::unquote;

    #[test]
    fn keys_lose_their_quotes_and_escapes() {
        for (written, read) in [
            ("plain", "plain"),
            ("\"a b\"", "a b"),
            ("'it''s'", "it's"),
            (r#""a\"b\\c""#, "a\"b\\c"),
            (r#""\u6587\ud83d\ude00""#, "文😀"),
            (r#""\U0001F600\x41""#, "😀A"),
            (r#""\ud83d""#, "\u{fffd}"),
            (r#""cut\u12""#, "cut\u{12}"),
        ] {
            assert_eq!(unquote(written), read, "{written}");
        }
    }
}
