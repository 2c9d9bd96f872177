//! Tests of the data about clients.

use std::path::{Path, PathBuf};

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{SERVER, client};
use crate::{Client, ConnectError, Folders, Place, Platform, Server};

#[test]
fn unknown_client_is_answered_with_the_list() {
    let error = Client::find("emacs").expect_err("unknown");
    assert!(matches!(error, ConnectError::UnknownClient { .. }));
    assert_eq!(
        error.to_string(),
        "unknown client `emacs`; the known clients are claude-code, cursor, vscode, codex, roo-code, claude-desktop, gemini-cli"
    );
}

#[test]
fn snippets_are_whole_files() {
    for (id, expected) in [
        (
            "claude-code",
            "{\n  \"mcpServers\": {\n    \"fumi\": {\n      \"type\": \"http\",\n      \"url\": \"http://127.0.0.1:8640/mcp\"\n    }\n  }\n}\n",
        ),
        ("codex", "[mcp_servers.fumi]\nurl = \"http://127.0.0.1:8640/mcp\"\n"),
        (
            "claude-desktop",
            "{\n  \"mcpServers\": {\n    \"fumi\": {\n      \"command\": \"/usr/local/bin/fumi\",\n      \"args\": [\"stdio\", \"--root\", \"/srv/project\"]\n    }\n  }\n}\n",
        ),
    ] {
        assert_eq!(client(id).snippet(&SERVER), expected);
    }
    for client in Client::all() {
        assert_eq!(client.remove(&client.snippet(&SERVER)).expect("valid"), "", "{}", client.id);
    }
}

#[test]
fn token_is_read_from_the_environment_where_the_client_can() {
    let server = Server { token_variable: Some("FUMI_TOKEN"), ..SERVER };
    for (id, expected) in [
        ("claude-code", "\"Authorization\": \"Bearer ${FUMI_TOKEN}\""),
        ("cursor", "\"Authorization\": \"Bearer ${env:FUMI_TOKEN}\""),
        ("vscode", "\"Authorization\": \"Bearer ${env:FUMI_TOKEN}\""),
        ("codex", "bearer_token_env_var = \"FUMI_TOKEN\""),
        ("roo-code", "\"Authorization\": \"Bearer ${env:FUMI_TOKEN}\""),
        ("gemini-cli", "\"Authorization\": \"Bearer ${FUMI_TOKEN}\""),
        ("claude-desktop", "\"stdio\""),
    ] {
        let snippet = client(id).snippet(&server);
        assert!(snippet.contains(expected), "{snippet}");
        assert!(!snippet.contains("_variable"), "{snippet}");
    }
}

#[test]
fn placeholders_in_values_are_not_filled_again() {
    let server = Server { url: "http://a/{root}\"{program}", ..SERVER };
    assert!(client("cursor").snippet(&server).contains(r#""http://a/{root}\"{program}""#));
}

#[test]
fn deep_links_carry_the_entry() {
    let link = client("cursor").deep_link(&SERVER).expect("supported");
    let config = link.strip_prefix("cursor://anysphere.cursor-deeplink/mcp/install?name=fumi&config=").expect(&link);
    let config = percent_encoding::percent_decode_str(config).decode_utf8().expect("text");
    assert_eq!(STANDARD.decode(config.as_bytes()).expect("base64"), br#"{"url":"http://127.0.0.1:8640/mcp"}"#);
    assert_eq!(
        client("vscode").deep_link(&SERVER).expect("supported"),
        "vscode:mcp/install?%7B%22name%22%3A%22fumi%22%2C%22type%22%3A%22http%22%2C%22url%22%3A%22http%3A%2F%2F127.0.0.1%3A8640%2Fmcp%22%7D"
    );
    assert_eq!(client("codex").deep_link(&SERVER), None);
}

#[test]
fn paths_follow_the_platform() {
    let path = |id: &str, platform, place| {
        let folders =
            Folders { platform, home: Path::new("/home/a"), project: Path::new("/sources/b"), environment: &|_| None };
        client(id).file(place, folders).map(|path| path.to_string_lossy().into_owned())
    };
    for (id, linux, macos, windows, project) in [
        ("claude-code", ".claude.json", ".claude.json", ".claude.json", Some(".mcp.json")),
        ("cursor", ".cursor/mcp.json", ".cursor/mcp.json", ".cursor/mcp.json", Some(".cursor/mcp.json")),
        (
            "vscode",
            ".config/Code/User/mcp.json",
            "Library/Application Support/Code/User/mcp.json",
            "AppData/Roaming/Code/User/mcp.json",
            Some(".vscode/mcp.json"),
        ),
        ("codex", ".codex/config.toml", ".codex/config.toml", ".codex/config.toml", Some(".codex/config.toml")),
        (
            "roo-code",
            ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
            "Library/Application Support/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
            "AppData/Roaming/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
            Some(".roo/mcp.json"),
        ),
        (
            "claude-desktop",
            ".config/Claude/claude_desktop_config.json",
            "Library/Application Support/Claude/claude_desktop_config.json",
            "AppData/Roaming/Claude/claude_desktop_config.json",
            None,
        ),
        (
            "gemini-cli",
            ".gemini/settings.json",
            ".gemini/settings.json",
            ".gemini/settings.json",
            Some(".gemini/settings.json"),
        ),
    ] {
        for (platform, expected) in [(Platform::Linux, linux), (Platform::MacOs, macos), (Platform::Windows, windows)] {
            assert_eq!(path(id, platform, Place::User), Some(format!("/home/a/{expected}")), "{id}");
        }
        assert_eq!(path(id, Platform::Linux, Place::Project), project.map(|file| format!("/sources/b/{file}")), "{id}");
    }
}

#[test]
fn environment_moves_the_files_of_the_user() {
    let path = |id: &str, platform, name: &'static str, value: &'static str| {
        let environment = move |asked: &str| (asked == name).then(|| value.to_owned());
        let folders =
            Folders { platform, home: Path::new("/home/a"), project: Path::new("/b"), environment: &environment };
        client(id).file(Place::User, folders).expect("a file")
    };
    for (id, platform, name, value, expected) in [
        ("codex", Platform::Linux, "CODEX_HOME", "/c", "/c/config.toml"),
        ("claude-code", Platform::MacOs, "CLAUDE_CONFIG_DIR", "/c", "/c/.claude.json"),
        ("gemini-cli", Platform::Linux, "GEMINI_CLI_HOME", "/c", "/c/.gemini/settings.json"),
        ("vscode", Platform::Linux, "XDG_CONFIG_HOME", "/c", "/c/Code/User/mcp.json"),
        ("vscode", Platform::MacOs, "XDG_CONFIG_HOME", "/c", "/home/a/Library/Application Support/Code/User/mcp.json"),
        ("vscode", Platform::Linux, "XDG_CONFIG_HOME", "relative", "/home/a/.config/Code/User/mcp.json"),
        ("claude-desktop", Platform::Windows, "APPDATA", "/c", "/c/Claude/claude_desktop_config.json"),
        ("codex", Platform::Linux, "CODEX_HOME", "", "/home/a/.codex/config.toml"),
    ] {
        assert_eq!(path(id, platform, name, value), PathBuf::from(expected), "{id} {name}");
    }
}
