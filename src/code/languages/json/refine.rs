//! The meaning of JSON nodes as data. A file of several values, one per line, is a list of them.
//!
//! Comments are extracted because the grammar accepts them; so are keys around broken parts.

use tree_sitter::Node;

use crate::{
    extract::ElementDraft,
    languages::data::{DataEntry, DataNotation, DataRole, keys, parts, shorten_value, unquote},
    parse::ParsedFile,
};

pub(crate) fn refine<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    keys(parsed, drafts, &mut JsonNotation);
}

struct JsonNotation;

impl DataNotation for JsonNotation {
    fn role(&self, node: Node<'_>) -> DataRole {
        match node.kind() {
            "pair" => DataRole::Entry,
            "object" => DataRole::Mapping,
            "array" => DataRole::List,
            "document" if parts(node).len() > 1 => DataRole::List,
            "document" | "ERROR" => DataRole::Wrapper,
            _ => DataRole::Leaf,
        }
    }

    fn entry(&mut self, parsed: &ParsedFile, node: Node<'_>) -> DataEntry {
        let key = node.child_by_field_name("key").map_or("", |key| parsed.text(key));
        let (type_name, value) =
            node.child_by_field_name("value").map_or(("null", String::new()), |value| value_of(parsed, value));
        DataEntry { key: unquote(key), type_name, value }
    }
}

fn value_of(parsed: &ParsedFile, node: Node<'_>) -> (&'static str, String) {
    let text = || shorten_value(parsed.text(node));
    match node.kind() {
        "object" if node.named_child_count() > 0 => ("mapping", String::new()),
        "object" => ("mapping", text()),
        "array" if parts(node).iter().any(|item| matches!(item.kind(), "object" | "array")) => ("list", String::new()),
        "array" => ("list", text()),
        "number" => ("number", text()),
        "true" | "false" => ("boolean", text()),
        "null" => ("null", text()),
        _ => ("string", text()),
    }
}
