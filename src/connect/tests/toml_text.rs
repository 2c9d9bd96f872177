//! Tests of TOML texts, as Codex and people write them.

use super::{SERVER, check_round_trip, client};
use crate::{Server, TextError};

const CODEX: &str = "# Codex\nmodel = \"gpt-5.5\"   # the default\napproval_policy = \"on-request\"\n\n[projects.\"/home/a/site\"]\ntrust_level = \"trusted\"\n\n[mcp_servers.docs]\ncommand = \"npx\"\nargs = [\n  \"-y\",\n  \"docs-server\", # pinned below\n]\n\n[mcp_servers.docs.env]\nKEY = \"\"\"\n[mcp_servers.fumi]\n\"\"\"\n\n[tui]\nnotifications = true\n";

const ENTRY: &str = "[mcp_servers.fumi]\nurl = \"http://127.0.0.1:8640/mcp\"\n";

#[test]
fn texts_are_restored() {
    assert_eq!(check_round_trip(client("codex"), CODEX), format!("{CODEX}\n{ENTRY}"));
    for text in [
        "\n",
        " ",
        "# only a comment",
        "a = 1",
        "a = 1\n",
        "a = 1\n\n",
        "a = 1\n\n\n",
        "a = 1\r\n",
        "a = 1\r\n\r\n[b]",
        "\u{feff}a = 1\n",
        "[mcp_servers]",
        "[mcp_servers]\n# none\n",
        "[mcp_servers]\na.url = \"b\"\n",
        "mcp_servers.a.url = \"b\"\n",
        "mcp_servers = {}\n",
        "mcp_servers = { }\n",
        "mcp_servers = {a = {url = \"b\"}}\n",
        "mcp_servers = { a = { url = \"b\" }, }\n",
        "mcp_servers = { a = { url = \"b\" } } # c\n[d]\n",
        "[[mcp]]\na = 1\n[[mcp]]\na = 2\n",
    ] {
        check_round_trip(client("codex"), text);
    }
}

#[test]
fn empty_text_becomes_the_entry_alone() {
    assert_eq!(client("codex").add("", &SERVER).expect("valid"), ENTRY);
    assert_eq!(client("codex").remove(ENTRY).expect("valid"), "");
    assert_eq!(client("codex").remove("").expect("valid"), "");
    assert_eq!(client("codex").remove(CODEX).expect("valid"), CODEX);
}

#[test]
fn users_keys_survive_unless_they_contradict() {
    let text = "[mcp_servers.fumi] # mine\ncommand = \"fumi\" # old\nargs = [\n  \"stdio\",\n]\n# slow\nstartup_timeout_sec = 20\n\n[mcp_servers.fumi.env]\nA = \"b\"\n\n[mcp_servers.fumi.tools.search_content]\napproval_mode = \"approve\"\n\n[other]\na = 1\n";
    let server = Server { token_variable: Some("T"), ..SERVER };
    let added = client("codex").add(text, &server).expect("valid");
    assert_eq!(
        added,
        "[mcp_servers.fumi] # mine\n# slow\nstartup_timeout_sec = 20\nurl = \"http://127.0.0.1:8640/mcp\"\nbearer_token_env_var = \"T\"\n\n[mcp_servers.fumi.tools.search_content]\napproval_mode = \"approve\"\n\n[other]\na = 1\n"
    );
    assert_eq!(client("codex").add(&added, &server).expect("valid"), added);
    assert_eq!(client("codex").remove(&added).expect("valid"), "[other]\na = 1\n");
}

#[test]
fn every_form_of_the_entry_is_updated_and_removed() {
    for (text, updated, removed) in [
        (
            "a = 1\n\n[mcp_servers.fumi]\nurl = 'x' # c\n\n[b]\n",
            "a = 1\n\n[mcp_servers.fumi]\nurl = \"http://127.0.0.1:8640/mcp\" # c\n\n[b]\n",
            "a = 1\n\n[b]\n",
        ),
        (
            "[mcp_servers]\nfumi = { enabled = true, command = \"x\" }\na = { url = \"b\" }\n",
            "[mcp_servers]\nfumi = { enabled = true, url = \"http://127.0.0.1:8640/mcp\" }\na = { url = \"b\" }\n",
            "[mcp_servers]\na = { url = \"b\" }\n",
        ),
        (
            "[mcp_servers]\nfumi.enabled = true\na = { url = \"b\" }\n",
            "[mcp_servers]\nfumi.enabled = true\nfumi.url = \"http://127.0.0.1:8640/mcp\"\na = { url = \"b\" }\n",
            "[mcp_servers]\na = { url = \"b\" }\n",
        ),
        (
            "mcp_servers.fumi.enabled = true",
            "mcp_servers.fumi.enabled = true\nmcp_servers.fumi.url = \"http://127.0.0.1:8640/mcp\"",
            "",
        ),
        (
            "[mcp_servers.fumi.tools.a]\nb = 1\n",
            "[mcp_servers.fumi.tools.a]\nb = 1\n\n[mcp_servers.fumi]\nurl = \"http://127.0.0.1:8640/mcp\"\n",
            "",
        ),
        (
            "mcp_servers = { fumi = {}, a = {} }\n",
            "mcp_servers = { fumi = { url = \"http://127.0.0.1:8640/mcp\" }, a = {} }\n",
            "mcp_servers = { a = {} }\n",
        ),
        (
            "mcp_servers = { a = {}, fumi = { url = 1 } }\n",
            "mcp_servers = { a = {}, fumi = { url = \"http://127.0.0.1:8640/mcp\" } }\n",
            "mcp_servers = { a = {} }\n",
        ),
        (
            "[mcp_servers.fumi]\nurl = \"a\"\n[mcp_servers.fumi.env]\nb = \"c\"",
            "[mcp_servers.fumi]\nurl = \"http://127.0.0.1:8640/mcp\"",
            "",
        ),
    ] {
        let added = client("codex").add(text, &SERVER).expect(text);
        assert_eq!(added, updated);
        assert_eq!(client("codex").add(&added, &SERVER).expect("valid"), added);
        assert_eq!(client("codex").remove(&added).expect("valid"), removed, "{added}");
        assert_eq!(client("codex").remove(text).expect("valid"), removed, "{text}");
    }
}

#[test]
fn broken_texts_are_refused_with_their_place() {
    for (text, expected) in [
        ("a = 1\nb = = 2\n", "line 2, column 5: not valid TOML: "),
        ("a = 1\na = 2\n", "line 2, column 1: not valid TOML: "),
        ("\nmcp_servers = 1\n", "line 2, column 15: `mcp_servers` must be a table"),
        ("[[mcp_servers]]\na = 1\n", "line 1, column 1: `mcp_servers` must be a table"),
        ("[mcp_servers]\nfumi = \"x\"\n", "line 2, column 8: `fumi` must be a table"),
        ("mcp_servers = { fumi.url = \"x\" }\n", "line 1, column 17: `fumi` must be a table without dotted keys"),
    ] {
        let error = client("codex").add(text, &SERVER).expect_err(text).to_string();
        assert!(error.starts_with(expected), "{error}");
        assert!(!error.contains('\n'), "{error}");
        assert!(client("codex").remove(text).is_err(), "{text}");
    }
}

#[test]
fn table_in_place_of_a_value_is_refused() {
    for text in ["[mcp_servers.fumi]\n[mcp_servers.fumi.url]\n", "[[mcp_servers.fumi.url]]\n[mcp_servers.fumi]\n"] {
        let error = client("codex").add(text, &SERVER).expect_err(text).to_string();
        assert!(error.contains("`url` must be a value"), "{error}");
        assert_eq!(client("codex").remove(text).expect("valid"), "");
    }
}

#[test]
fn deep_nesting_is_an_error() {
    for (open, close) in [("[", "]"), ("{a=", "}")] {
        let text = format!("a = {}1{}\n", open.repeat(10_000), close.repeat(10_000));
        let error = client("codex").add(&text, &SERVER).expect_err("too deep");
        assert!(matches!(error, TextError::Syntax { .. }), "{error}");
    }
    let text = format!("a{} = 1\n", ".a".repeat(10_000));
    client("codex").add(&text, &SERVER).expect_err("too deep");
}
