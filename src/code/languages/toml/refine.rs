//! The meaning of TOML nodes as data: tables and arrays of tables by their whole path, dotted keys, inline tables.
//!
//! A table is named by its whole path and has no parent, because `[a.b]` may come before `[a]` or without it. Tables of
//! an array are counted (`bin.[0]`, `bin.[1]`), and what follows one belongs to it, as TOML defines.

use std::collections::HashMap;

use tree_sitter::Node;

use crate::{
    extract::ElementDraft,
    languages::data::{DataEntry, DataNotation, DataRole, keys, parts, shorten_value, unquote},
    parse::ParsedFile,
};

pub(crate) fn refine<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    keys(parsed, drafts, &mut TomlNotation::default());
}

#[derive(Default)]
struct TomlNotation {
    /// The number of tables in each array so far, keyed by path.
    arrays: HashMap<String, usize>,
}

impl DataNotation for TomlNotation {
    fn role(&self, node: Node<'_>) -> DataRole {
        match node.kind() {
            "pair" | "table" | "table_array_element" => DataRole::Entry,
            "inline_table" => DataRole::Mapping,
            "array" => DataRole::List,
            "document" | "ERROR" => DataRole::Wrapper,
            _ => DataRole::Leaf,
        }
    }

    fn entry(&mut self, parsed: &ParsedFile, node: Node<'_>) -> DataEntry {
        let parts = parts(node);
        let names = parts.first().map_or_else(Vec::new, |key| names(parsed, *key));
        if node.kind() == "pair" {
            let value = parts.get(1).copied();
            let (type_name, value) = value.map_or(("null", String::new()), |value| value_of(parsed, value));
            return DataEntry { key: names.join("."), type_name, value };
        }
        DataEntry {
            key: self.path(&names, node.kind() == "table_array_element"),
            type_name: "mapping",
            value: String::new(),
        }
    }

    /// Ends an entry at its last part. The grammar includes a trailing comment in an entry, and the comments before the
    /// next table in the current one.
    fn end(&self, parsed: &ParsedFile, node: Node<'_>) -> usize {
        let Some(last) = parts(node).last().copied() else {
            return node.start_byte() + parsed.text(node).trim_end().len();
        };
        let brackets = match node.kind() {
            "table" if last.kind() != "pair" => 1,
            "table_array_element" if last.kind() != "pair" => 2,
            "inline_table" | "array" => return node.end_byte(),
            _ => 0,
        };
        let text = parsed.source.text.get(last.end_byte()..node.end_byte()).unwrap_or_default();
        let closing = text.match_indices(']').nth(brackets.max(1) - 1).filter(|_| brackets > 0);
        last.end_byte() + closing.map_or(0, |(at, sign)| at + sign.len())
    }
}

impl TomlNotation {
    /// Returns the path of a table, with the index of every array of tables on it.
    fn path(&mut self, names: &[String], is_item: bool) -> String {
        let mut path = String::new();
        for (at, name) in names.iter().enumerate() {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(name);
            let is_last = at + 1 == names.len();
            let place = if is_item && is_last {
                let count = self.arrays.entry(path.clone()).or_default();
                *count += 1;
                Some(*count - 1)
            } else {
                self.arrays.get(&path).map(|count| count.saturating_sub(1))
            };
            if let Some(place) = place {
                path.push_str(&format!(".[{place}]"));
            }
        }
        path
    }
}

/// Returns the names of a dotted key. The grammar nests them to the left, as deep as the key has dots, so this avoids
/// recursion.
fn names(parsed: &ParsedFile, key: Node<'_>) -> Vec<String> {
    let (mut found, mut rest) = (Vec::new(), Some(key));
    while let Some(node) = rest.take() {
        if node.kind() != "dotted_key" {
            found.push(unquote(parsed.text(node)));
            break;
        }
        for part in parts(node).into_iter().rev() {
            if part.kind() == "dotted_key" {
                rest = Some(part);
            } else {
                found.push(unquote(parsed.text(part)));
            }
        }
    }
    found.reverse();
    found
}

fn value_of(parsed: &ParsedFile, node: Node<'_>) -> (&'static str, String) {
    let text = || shorten_value(parsed.text(node));
    match node.kind() {
        "inline_table" if node.named_child_count() > 0 => ("mapping", String::new()),
        "inline_table" => ("mapping", text()),
        "array" if parts(node).iter().any(|item| matches!(item.kind(), "inline_table" | "array")) => {
            ("list", String::new())
        }
        "array" => ("list", text()),
        "integer" | "float" => ("number", text()),
        "boolean" => ("boolean", text()),
        "string" => ("string", text()),
        _ => ("date", text()),
    }
}
