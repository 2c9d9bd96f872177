//! Tests of JSON texts, as clients and people write them.

use super::{SERVER, check_round_trip, client};
use crate::{Server, TextError};

/// `~/.claude.json` as Claude Code writes it: state, servers of projects, and an empty table of its own.
const CLAUDE_STATE: &str = r#"{
  "numStartups": 12,
  "tipsHistory": { "shift-enter": 3 },
  "projects": {
    "/home/a/site": {
      "allowedTools": [],
      "mcpServers": {
        "fumi": {
          "type": "stdio",
          "command": "other"
        }
      },
      "history": [
        { "display": "explain } and \" in \\", "pastedContents": {} }
      ]
    }
  },
  "mcpServers": {},
  "userID": "0123"
}"#;

/// A project's `.mcp.json`, aligned by hand.
const CLAUDE_PROJECT: &str = r#"{
    "mcpServers": {
        "tickets":  { "type": "http",  "url": "https://tickets.example/mcp", "headers": { "X-Key": "${TICKETS_KEY}" } },
        "database": { "type": "stdio", "command": "npx", "args": ["-y", "db-server", "--read-only"] }
    }
}
"#;

/// `.vscode/mcp.json` with comments, a trailing comma and tabs.
const VSCODE: &str = "{\n\t// Shared with the team.\n\t\"inputs\": [\n\t\t{ \"type\": \"promptString\", \"id\": \"key\", \"description\": \"Key\", \"password\": true },\n\t],\n\t\"servers\": {\n\t\t/* the browser */\n\t\t\"browser\": {\n\t\t\t\"command\": \"npx\",\n\t\t\t\"args\": [\"browser-server@latest\"],\n\t\t}, // needs Node 20\n\t\t// \"old\": { \"url\": \"http://localhost:1/sse\" },\n\t},\n}\n";

/// Cursor's file with CRLF and a byte order mark, as an editor on Windows saves it.
const CURSOR: &str = "\u{feff}{\r\n  \"mcpServers\": {\r\n    \"files\": {\r\n      \"command\": \"cmd\",\r\n      \"args\": [\"/c\", \"npx\", \"files\"]\r\n    }\r\n  }\r\n}\r\n";

/// Gemini's settings without servers.
const GEMINI: &str = "{\n  \"security\": { \"auth\": { \"selectedType\": \"oauth-personal\" } },\n  \"ui\": {\n    \"theme\": \"GitHub\"\n  }\n}";

#[test]
fn real_files_are_restored() {
    for (id, text) in [
        ("claude-code", CLAUDE_STATE),
        ("claude-code", CLAUDE_PROJECT),
        ("vscode", VSCODE),
        ("cursor", CURSOR),
        ("gemini-cli", GEMINI),
        ("roo-code", "{\"mcpServers\":{\"a\":{\"command\":\"x\",\"alwaysAllow\":[\"y\"],\"disabled\":true}}}"),
        (
            "claude-desktop",
            "{\n  \"scale\": 0,\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"x\"\n    }\n  }\n}",
        ),
    ] {
        check_round_trip(client(id), text);
    }
}

#[test]
fn entry_follows_the_style_of_its_file() {
    for (id, text, expected) in [
        (
            "claude-code",
            CLAUDE_STATE,
            CLAUDE_STATE.replace(
                "  \"mcpServers\": {},\n  \"userID\"",
                "  \"mcpServers\": { \"fumi\": {\"type\": \"http\", \"url\": \"http://127.0.0.1:8640/mcp\"} },\n  \"userID\"",
            ),
        ),
        (
            "claude-code",
            CLAUDE_PROJECT,
            CLAUDE_PROJECT.replace(
                "\"--read-only\"] }\n",
                "\"--read-only\"] },\n        \"fumi\": {\"type\": \"http\", \"url\": \"http://127.0.0.1:8640/mcp\"}\n",
            ),
        ),
        (
            "vscode",
            VSCODE,
            VSCODE.replace(
                "// needs Node 20\n",
                "// needs Node 20\n\t\t\"fumi\": {\n\t\t\t\"type\": \"http\",\n\t\t\t\"url\": \"http://127.0.0.1:8640/mcp\"\n\t\t},\n",
            ),
        ),
        (
            "cursor",
            CURSOR,
            CURSOR.replace(
                "    }\r\n  }\r\n}",
                "    },\r\n    \"fumi\": {\r\n      \"url\": \"http://127.0.0.1:8640/mcp\"\r\n    }\r\n  }\r\n}",
            ),
        ),
        (
            "gemini-cli",
            GEMINI,
            GEMINI.replace(
                "\"GitHub\"\n  }\n",
                "\"GitHub\"\n  },\n  \"mcpServers\": {\n    \"fumi\": {\n      \"httpUrl\": \"http://127.0.0.1:8640/mcp\"\n    }\n  }\n",
            ),
        ),
        (
            "cursor",
            "{\"mcpServers\":{\"a\":{\"url\":\"b\"}}}",
            "{\"mcpServers\":{\"a\":{\"url\":\"b\"},\"fumi\":{\"url\":\"http://127.0.0.1:8640/mcp\"}}}".to_owned(),
        ),
    ] {
        assert_eq!(client(id).add(text, &SERVER).expect("valid"), expected);
    }
}

#[test]
fn small_texts_are_restored() {
    for text in [
        " ",
        "\n",
        "\r\n",
        "\t// a comment only",
        "// a comment only\n",
        "/* a */ ",
        "{}",
        "{ }",
        "{}\n",
        "\n{}\n\n",
        "{\n}\n",
        "{\r\n}\r\n",
        "{ /* none */ }",
        "{ // none\n}",
        "{ // none\n  // at all\n}\n",
        "// a\n{} // b\n",
        "{\"mcpServers\":{}}",
        "{\"mcpServers\": { }}",
        "{\"mcpServers\": {\n}}",
        "{\"mcpServers\": {\n  }\n}",
        "{ \"mcpServers\": {} }",
        "{\n  \"mcpServers\": {}\n}",
        "{\n  \"mcpServers\": {},\n}",
        "{\n  \"mcpServers\": { // none\n  }\n}\n",
        "{\n  \"mcpServers\": {\n    // \"a\": {}\n  }\n}\n",
        "{\"a\":1}",
        "{ \"a\": 1 }",
        "{\"a\": 1 // b\n}",
        "{\"a\": 1 /* b */}",
        "{\"a\": 1 /* b\n */}",
        "{\"a\": 1, // b, c\n}",
        "{\"a\": 1 /* , */ , /* b */ }",
        "{\"a\": 1\n,\n}",
        "{\"a\": 1\n  , \"b\": 2\n  , \"c\": 3\n  }",
        "{\n\"a\": 1\n}",
        "{\n\t\"a\": 1 }",
        "{\"mcpServers\": {\"a\": {} // b\n}}",
        "{\"mcpServers\": {\"a\": {\"b\": []},\n\n\n}}",
        "{\"mcp\\u0053ervers\": {\"a\": 1}}",
        "\u{feff}{}",
        "{\u{a0}}",
    ] {
        check_round_trip(client("cursor"), text);
        check_round_trip(client("claude-code"), text);
    }
}

#[test]
fn file_that_add_creates_is_removed() {
    let added = client("cursor").add("", &SERVER).expect("valid");
    assert_eq!(client("cursor").remove(&added).expect("valid"), "");
    assert_eq!(client("cursor").remove(added.trim_end()).expect("valid"), "");
    assert_eq!(client("cursor").remove("").expect("valid"), "");
}

#[test]
fn users_keys_survive_unless_they_contradict() {
    let text = "{\n  \"mcpServers\": {\n    \"fumi\": {\n      // by hand\n      \"command\": \"fumi\", // old\n      \"args\": [\"stdio\"],\n      \"timeout\": 5,\n      \"headers\": {\"X-A\": \"b\"},\n      \"url\": \"http://old\"\n    },\n    \"z\": {}\n  }\n}\n";
    let server = Server { token_variable: Some("T"), ..SERVER };
    let added = client("gemini-cli").add(text, &server).expect("valid");
    assert_eq!(
        added,
        "{\n  \"mcpServers\": {\n    \"fumi\": {\n      // by hand\n      // old\n      \"timeout\": 5,\n      \"headers\": {\"X-A\": \"b\", \"Authorization\": \"Bearer ${T}\"},\n      \"httpUrl\": \"http://127.0.0.1:8640/mcp\"\n    },\n    \"z\": {}\n  }\n}\n"
    );
    assert_eq!(client("gemini-cli").add(&added, &server).expect("valid"), added);
    // Without a token the header is a key of the user.
    assert_eq!(client("gemini-cli").add(&added, &SERVER).expect("valid"), added);
    assert_eq!(client("gemini-cli").remove(&added).expect("valid"), "{\n  \"mcpServers\": {\n    \"z\": {}\n  }\n}\n");
}

#[test]
fn another_url_replaces_only_the_value() {
    let text = "{\"mcpServers\": {\"fumi\" : {\"url\" : \"http://old\" /* x */}}}";
    assert_eq!(client("cursor").add(text, &SERVER).expect("valid"), text.replace("http://old", SERVER.url));
    let equal = "{\"mcpServers\": {\"fumi\": {\"url\": \"http:\\/\\/127.0.0.1:8640\\/mcp\"}}}";
    assert_eq!(client("cursor").add(equal, &SERVER).expect("valid"), equal);
    let other_type = "{\"mcpServers\": {\"fumi\": {\"url\": [1]}}}";
    assert_eq!(
        client("cursor").add(other_type, &SERVER).expect("valid"),
        "{\"mcpServers\": {\"fumi\": {\"url\": \"http://127.0.0.1:8640/mcp\"}}}"
    );
}

#[test]
fn entry_is_removed_wherever_it_is() {
    for (text, expected) in [
        ("{\"mcpServers\": {\"fumi\": {}, \"a\": {}}}", "{\"mcpServers\": {\"a\": {}}}"),
        ("{\"mcpServers\": { \"fumi\": {}, \"a\": {} }}", "{\"mcpServers\": { \"a\": {} }}"),
        ("{\"mcpServers\": {\"a\": {}, \"fumi\": {}, \"b\": {}}}", "{\"mcpServers\": {\"a\": {}, \"b\": {}}}"),
        (
            "{\"mcpServers\": {\"a\": {}, // c\n\"fumi\": {}, \"b\": {}}}",
            "{\"mcpServers\": {\"a\": {}, // c\n\"b\": {}}}",
        ),
        ("{\"mcpServers\": {\"a\": {}, // c\n\"fumi\": {} }}", "{\"mcpServers\": {\"a\": {} // c\n}}"),
        ("{\"mcpServers\": {// c\n\"fumi\": {} }}", "{\"mcpServers\": {// c\n}}"),
        ("{\"mcpServers\": {\n// c\n\"fumi\": {}, // d\n}}", "{\"mcpServers\": {\n// c\n// d\n}}"),
        ("{\"mcpServers\": {\"a\": {}, \"fumi\": {} /* d */ , }}", "{\"mcpServers\": {\"a\": {}, /* d */  }}"),
        ("{\"a\": 1}", "{\"a\": 1}"),
        ("{\"mcpServers\": {}}", "{\"mcpServers\": {}}"),
        ("// c", "// c"),
    ] {
        assert_eq!(client("cursor").remove(text).expect("valid"), expected, "{text}");
    }
}

#[test]
fn broken_texts_are_refused_with_their_place() {
    let add = |text: &str| client("cursor").add(text, &SERVER).expect_err(text).to_string();
    for (text, expected) in [
        ("{\n  \"あ\": 1 \"b\": 2\n}", "line 2, column 9: not valid JSON: Expected comma; correct it and try again"),
        ("{", "line 1, column 1: not valid JSON: "),
        ("{a: 1}", "line 1, column 2: not valid JSON: "),
        ("{'a': 1}", "line 1, column 2: not valid JSON: "),
        ("{} {}", "line 1, column 4: not valid JSON: "),
        ("<<<<<<< HEAD\n{}", "line 1, column 1: not valid JSON: "),
        ("[]", "line 1, column 1: the file must be an object; correct it and try again"),
        ("{\n  \"mcpServers\": [\n]}", "line 2, column 17: `mcpServers` must be an object"),
        ("{\"mcpServers\": null}", "line 1, column 16: `mcpServers` must be an object"),
        ("{\"mcpServers\": {\"fumi\": 1}}", "line 1, column 25: `fumi` must be an object"),
        ("{\"mcpServers\": {},\n\"mcpServers\": {}}", "line 2, column 1: the key `mcpServers` is repeated"),
        ("{\"mcpServers\": {\"fumi\": {}, \"fumi\": {}}}", "line 1, column 29: the key `fumi` is repeated"),
        ("{\"mcpServers\": {\"fumi\": {\"url\": 1, \"url\": 2}}}", "line 1, column 36: the key `url` is repeated"),
    ] {
        let error = add(text);
        assert!(error.starts_with(expected), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }
    assert!(client("cursor").remove("{").is_err());
    assert!(client("cursor").remove("{\"mcpServers\": 1}").is_err());
}

#[test]
fn deep_nesting_is_an_error() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let text = format!("{{\"a\": {}1{}}}", open.repeat(10_000), close.repeat(10_000));
        let error = client("cursor").add(&text, &SERVER).expect_err("too deep");
        assert!(matches!(error, TextError::Syntax { .. }), "{error}");
        assert!(client("cursor").remove(&text).is_err());
    }
}

#[test]
fn ten_megabytes_are_restored() {
    let line = format!("    {{ \"display\": \"{}\", \"pasted\": {{}} }},\n", "あ }, ".repeat(200));
    let mut text = String::from("{\n  \"history\": [\n");
    while text.len() < 9_900_000 {
        text.push_str(&line);
    }
    text.push_str("    0\n  ]\n}\n");
    check_round_trip(client("cursor"), &text);
}
