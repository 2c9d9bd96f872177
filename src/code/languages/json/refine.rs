//! The meaning of JSON nodes as data. A file of several values, one per line, is a list of them.
//!
//! Comments are extracted because the grammar accepts them; so are keys around broken parts.

use tree_sitter::Node;

use crate::{
    extract::Draft,
    languages::data::{Entry, Notation, Role, keys, parts, shown, unquoted},
    parse::Parsed,
};

pub(crate) fn refine<'t>(parsed: &'t Parsed, drafts: &mut Vec<Draft<'t>>) {
    keys(parsed, drafts, &mut Json);
}

struct Json;

impl Notation for Json {
    fn role(&self, node: Node<'_>) -> Role {
        match node.kind() {
            "pair" => Role::Entry,
            "object" => Role::Mapping,
            "array" => Role::List,
            "document" if parts(node).len() > 1 => Role::List,
            "document" | "ERROR" => Role::Wrapper,
            _ => Role::Leaf,
        }
    }

    fn entry(&mut self, parsed: &Parsed, node: Node<'_>) -> Entry {
        let key = node.child_by_field_name("key").map_or("", |key| parsed.text(key));
        let (type_name, value) = node
            .child_by_field_name("value")
            .map_or(("null", String::new()), |value| value_of(parsed, value));
        Entry {
            key: unquoted(key),
            type_name,
            value,
        }
    }
}

fn value_of(parsed: &Parsed, node: Node<'_>) -> (&'static str, String) {
    let text = || shown(parsed.text(node));
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
