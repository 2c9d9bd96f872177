//! Properties over generated texts: members, spaces, comments, commas and line endings in any mixture.

use jsonc_parser::{ParseOptions, parse_to_value};
use proptest::prelude::*;
use toml_edit::Document;

use super::{SERVER, check_round_trip, client};

/// Space between two tokens. A line comment ends its line.
fn space() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => Just(""),
        3 => Just(" "),
        3 => Just("\n  "),
        1 => Just("\r\n\t"),
        1 => Just("/* , } */"),
        1 => Just("/* a\n b */"),
        2 => Just(" // , \" {\n"),
        1 => Just("// c\r\n    "),
        1 => Just("\u{a0}"),
    ];
    proptest::collection::vec(part, 0..3).prop_map(|parts| parts.concat())
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("1".to_owned()),
        Just("null".to_owned()),
        Just("\"}, \\\" // \\u00e9 あ\"".to_owned()),
        Just("-1.5e3".to_owned()),
        Just("{}".to_owned()),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            object(inner.clone(), "k", Just(None).boxed()),
            (proptest::collection::vec((space(), inner, space()), 0..3), any::<bool>()).prop_map(
                |(values, has_trailing_comma)| {
                    let trailing = if has_trailing_comma && !values.is_empty() { "," } else { "" };
                    let values: Vec<String> = values.into_iter().map(|(a, value, b)| a + &value + &b).collect();
                    format!("[{}{trailing}]", values.join(","))
                }
            ),
        ]
    })
}

/// An object with numbered keys and perhaps one more member at the end or the start.
fn object(
    value: impl Strategy<Value = String> + 'static,
    prefix: &'static str,
    member: BoxedStrategy<Option<(String, String)>>,
) -> impl Strategy<Value = String> {
    let member_parts = (space(), space(), space(), value, space());
    (proptest::collection::vec(member_parts, 0..4), member, any::<bool>(), any::<bool>(), space(), space(), space())
        .prop_map(move |(members, extra, is_first, has_trailing_comma, a, b, end)| {
            let mut members: Vec<String> = members
                .into_iter()
                .enumerate()
                .map(|(at, (a, b, c, value, d))| format!("{a}\"{prefix}{at}\"{b}:{c}{value}{d}"))
                .collect();
            if let Some((key, value)) = extra {
                let at = if is_first { 0 } else { members.len() };
                members.insert(at, format!("{a}\"{key}\":{b}{value}"));
            }
            let trailing = if has_trailing_comma && !members.is_empty() { "," } else { "" };
            format!("{{{}{trailing}{end}}}", members.join(","))
        })
}

fn document() -> impl Strategy<Value = String> {
    let table = object(value(), "server", Just(None).boxed());
    let table = prop_oneof![1 => Just(None), 3 => table.prop_map(|table| Some(("mcpServers".to_owned(), table)))];
    (prop_oneof![Just(""), Just("\u{feff}")], space(), object(value(), "k", table.boxed()), space())
        .prop_map(|(bom, before, object, after)| format!("{bom}{before}{object}{after}"))
}

/// Documents whose table has the entry, written by hand in any way.
fn document_with_entry() -> impl Strategy<Value = String> {
    let contradiction = value().prop_map(|value| Some(("command".to_owned(), value)));
    let entry = object(value(), "k", prop_oneof![Just(None), contradiction].boxed());
    let table = object(value(), "server", entry.prop_map(|entry| Some(("fumi".to_owned(), entry))).boxed());
    let root = object(value(), "k", table.prop_map(|table| Some(("mcpServers".to_owned(), table))).boxed());
    (space(), root, space()).prop_map(|(before, root, after)| before + &root + &after)
}

fn parsed(text: &str) -> serde_json::Value {
    let text = text.trim_start_matches('\u{feff}');
    let value = parse_to_value(text, &ParseOptions::default()).expect("valid").expect("a value");
    to_json(value)
}

fn to_json(value: jsonc_parser::JsonValue) -> serde_json::Value {
    use jsonc_parser::JsonValue as J;
    match value {
        J::Null => serde_json::Value::Null,
        J::Boolean(value) => value.into(),
        J::Number(value) => format!("number {value}").into(),
        J::String(value) => value.into_owned().into(),
        J::Array(values) => values.into_iter().map(to_json).collect::<Vec<_>>().into(),
        J::Object(members) => serde_json::Value::Object(
            members.into_iter().map(|(key, value)| (key.into_owned(), to_json(value))).collect(),
        ),
    }
}

/// Returns true if `text` without its inserted parts is `old`, with at most `count` insertions.
fn is_extension(old: &str, text: &str, count: usize) -> bool {
    let common = old.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
    let (old, text) = (&old.as_bytes()[common..], &text.as_bytes()[common..]);
    if count == 0 || text.ends_with(old) {
        return text.ends_with(old) && (count > 0 || text.len() == old.len());
    }
    // One comma is inserted apart from the member.
    text.first() == Some(&b',')
        && is_extension(&String::from_utf8_lossy(old), &String::from_utf8_lossy(&text[1..]), count - 1)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, max_global_rejects: 1_000_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_is_restored_and_only_the_entry_differs(text in document()) {
        let cursor = client("cursor");
        let added = check_round_trip(cursor, &text);
        prop_assert!(is_extension(&text, &added, 2), "{added:?}");
        let mut with = parsed(&added);
        let servers = with["mcpServers"].as_object_mut().expect("a table");
        prop_assert_eq!(servers.remove("fumi"), Some(serde_json::json!({"url": SERVER.url})));
        if servers.is_empty() && parsed(&text).get("mcpServers").is_none() {
            with.as_object_mut().expect("an object").remove("mcpServers");
        }
        prop_assert_eq!(with, parsed(&text));
    }

    #[test]
    fn entry_by_hand_is_updated_and_removed(text in document_with_entry()) {
        let cursor = client("cursor");
        let added = cursor.add(&text, &SERVER).expect("valid");
        prop_assert_eq!(cursor.add(&added, &SERVER).expect("valid"), added.as_str());
        let mut expected = parsed(&text);
        let entry = expected["mcpServers"]["fumi"].as_object_mut().expect("an entry");
        entry.remove("command");
        entry.insert("url".to_owned(), SERVER.url.into());
        prop_assert_eq!(parsed(&added), expected.clone());

        for text in [text, added] {
            let removed = cursor.remove(&text).expect("valid");
            let mut expected = expected.clone();
            let servers = expected["mcpServers"].as_object_mut().expect("a table");
            servers.remove("fumi");
            // A table, or a file, that looks as if `add` had created it is removed as a whole.
            if removed.trim().is_empty() {
                prop_assert_eq!(expected, serde_json::json!({"mcpServers": {}}));
                continue;
            }
            if servers.is_empty() && cursor.remove(&removed).is_ok() {
                let Ok(Some(_)) = parse_to_value(&removed, &ParseOptions::default()) else { continue };
                if parsed(&removed).get("mcpServers").is_none() {
                    expected.as_object_mut().expect("an object").remove("mcpServers");
                }
            }
            prop_assert_eq!(parsed(&removed), expected, "{}", removed);
        }
    }

    #[test]
    fn toml_is_restored_and_only_the_entry_differs(
        lines in proptest::collection::vec(prop_oneof![
            Just(""), Just("# c, ["), Just("  "), Just("[a]"), Just("[mcp_servers.b]"), Just("[mcp_servers]"),
            Just("[[c]]"), Just("[mcp_servers.b.env]"),
        ], 0..8),
        ending in prop_oneof![Just("\n"), Just("\r\n")],
        has_last_newline in any::<bool>(),
    ) {
        let mut text = String::new();
        for (at, line) in lines.iter().enumerate() {
            text += &format!("{line}{ending}k{at} = \"{at}\" # ]{ending}");
        }
        if !has_last_newline {
            text.truncate(text.len() - if text.is_empty() { 0 } else { ending.len() });
        }
        prop_assume!(!text.is_empty() && Document::parse(text.as_str()).is_ok());
        let added = check_round_trip(client("codex"), &text);
        prop_assert!(added.starts_with(&text));
    }

    #[test]
    fn toml_entry_by_hand_is_updated_and_removed(
        lines in proptest::collection::vec(prop_oneof![
            2 => Just(""),
            1 => Just("# c, ["),
            1 => Just("[a]"),
            1 => Just("[mcp_servers]"),
            1 => Just("[mcp_servers.b]"),
            3 => Just("[mcp_servers.fumi]"),
            1 => Just("[mcp_servers.fumi.tools.a]"),
            1 => Just("[[mcp_servers.fumi.list]]"),
            1 => Just("mcp_servers.fumi.command = 'x'"),
            1 => Just("mcp_servers.fumi.tools.b.c = [\n 1, # d\n]"),
            1 => Just("fumi.command = 'x' # c"),
            1 => Just("fumi = { command = 'x', k = [1, 2], args = [] }"),
            1 => Just("mcp_servers = { b = {}, fumi = { args = [','], }, c = {} }"),
            1 => Just("mcp_servers = {fumi={}}"),
            1 => Just("command = \"\"\"\n[mcp_servers.fumi]\"\"\""),
        ], 1..6),
        has_last_newline in any::<bool>(),
    ) {
        let mut text = String::new();
        for (at, line) in lines.iter().enumerate() {
            text += &format!("{line}\nk{at} = \"{at}\" # ]\n");
        }
        text.truncate(text.len() - usize::from(!has_last_newline));
        let original = text.parse::<toml::Table>();
        prop_assume!(original.as_ref().is_ok_and(|table| {
            table.get("mcp_servers").and_then(|servers| servers.get("fumi")).is_some_and(toml::Value::is_table)
        }));
        let codex = client("codex");
        let mut expected = original.expect("valid");
        let added = codex.add(&text, &SERVER).expect("valid");
        prop_assert_eq!(codex.add(&added, &SERVER).expect("valid"), added.as_str());
        let entry = expected["mcp_servers"]["fumi"].as_table_mut().expect("a table");
        entry.remove("command");
        entry.remove("args");
        entry.insert("url".to_owned(), SERVER.url.into());
        prop_assert_eq!(added.parse::<toml::Table>().expect("valid"), expected.clone(), "{}", added);

        let servers = expected["mcp_servers"].as_table_mut().expect("a table");
        servers.remove("fumi");
        let is_empty = servers.is_empty();
        for text in [text, added] {
            let mut removed = codex.remove(&text).expect("valid").parse::<toml::Table>().expect("valid");
            if is_empty {
                removed.entry("mcp_servers").or_insert(toml::Table::new().into());
            }
            prop_assert_eq!(&removed, &expected, "{}", text);
        }
    }

    #[test]
    fn arbitrary_texts_do_not_panic(text in "[\\[\\]{}\",:/*\\n\\r #=.a-c\u{feff}]{0,40}", is_remove in any::<bool>()) {
        for id in ["cursor", "codex"] {
            let _ = if is_remove { client(id).remove(&text) } else { client(id).add(&text, &SERVER) };
        }
    }
}
