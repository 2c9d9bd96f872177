//! The meaning of YAML nodes as data: documents, block and flow style, anchors, aliases, tags.
//!
//! Plain values have the types of YAML 1.2's core schema; a date, which that schema lacks, is recognised by its form.
//! An alias is shown but never followed: its target could be arbitrarily large.

use std::sync::LazyLock;

use regex::Regex;
use tree_sitter::Node;

use crate::{
    extract::ElementDraft,
    languages::data::{DataEntry, DataNotation, DataRole, keys, parts, shorten_value, unquote},
    parse::ParsedFile,
};

pub(crate) fn refine<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    keys(parsed, drafts, &mut YamlNotation);
}

struct YamlNotation;

impl DataNotation for YamlNotation {
    fn role(&self, node: Node<'_>) -> DataRole {
        match node.kind() {
            "block_mapping_pair" | "flow_pair" => DataRole::Entry,
            "block_mapping" | "flow_mapping" => DataRole::Mapping,
            "block_sequence" | "flow_sequence" => DataRole::List,
            "stream" if has_documents(node) => DataRole::List,
            "document" if node.parent().is_some_and(has_documents) => DataRole::Document,
            "stream" | "document" | "block_sequence_item" | "block_node" | "flow_node" | "ERROR" => DataRole::Wrapper,
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

fn has_documents(stream: Node<'_>) -> bool {
    parts(stream).len() > 1
}

fn value_of(parsed: &ParsedFile, node: Node<'_>) -> (&'static str, String) {
    let (mut tag, mut before, mut content) = ("", String::new(), None);
    for part in parts(node) {
        match part.kind() {
            "anchor" | "tag" => {
                if part.kind() == "tag" {
                    tag = parsed.text(part);
                }
                if !before.is_empty() {
                    before.push(' ');
                }
                before.push_str(parsed.text(part));
            }
            _ => content = Some(part),
        }
    }
    let Some(content) = content else {
        return (tagged(tag).unwrap_or("null"), shorten_value(&before));
    };
    let (type_name, is_said_below) = match content.kind() {
        "block_mapping" | "flow_mapping" => ("mapping", content.named_child_count() > 0),
        "block_sequence" | "flow_sequence" => ("list", holds_others(content)),
        "alias" => ("alias", false),
        "plain_scalar" => (plain(parsed, content), false),
        _ => ("string", false),
    };
    let value = if is_said_below { before } else { parsed.text(node).to_owned() };
    (tagged(tag).unwrap_or(type_name), shorten_value(&value))
}

/// True if a list contains mappings or lists, so that its items are elements instead of a one-line value.
fn holds_others(list: Node<'_>) -> bool {
    parts(list).into_iter().any(|item| {
        let inner = if item.kind() == "block_sequence_item" { item.named_child(0).unwrap_or(item) } else { item };
        inner.kind() == "flow_pair"
            || parts(inner).iter().any(|part| {
                matches!(part.kind(), "block_mapping" | "flow_mapping" | "block_sequence" | "flow_sequence")
            })
    })
}

fn plain(parsed: &ParsedFile, node: Node<'_>) -> &'static str {
    static DATE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\d{4}-\d{1,2}-\d{1,2}(([Tt]|\s+)\d{1,2}:\d\d:\d\d.*)?$")
            .expect("a constant, compiled by every test of a date")
    });
    match node.named_child(0).map_or("", |scalar| scalar.kind()) {
        "integer_scalar" | "float_scalar" => "number",
        "boolean_scalar" => "boolean",
        "null_scalar" => "null",
        "timestamp_scalar" => "date",
        _ if DATE.is_match(parsed.text(node)) => "date",
        _ => "string",
    }
}

/// Returns the type of YAML's own tags; an application's tags do not define a type.
fn tagged(tag: &str) -> Option<&'static str> {
    Some(match tag {
        "!!str" | "!!binary" => "string",
        "!!int" | "!!float" => "number",
        "!!bool" => "boolean",
        "!!null" => "null",
        "!!timestamp" => "date",
        "!!seq" => "list",
        "!!map" | "!!omap" | "!!set" => "mapping",
        _ => return None,
    })
}
