//! `fumi connect` on configuration files of clients with other servers in them, and the skill that it installs.

use std::{fs, process::Output};

use serde_json::{Map, Value};

use crate::{
    command_line::{fumi, refuses, run, says},
    sample::Sample,
};

const JSON: &str = "{\n    // my servers\n    \"mcpServers\": {\n        \"github\": { \"command\": \"gh-mcp\" }, // keep\n    },\n    \"theme\": \"dark\"\n}\n";

/// Each client: its file below the home folder, and a content of that file.
fn files() -> [(&'static str, &'static str, String); 7] {
    [
        ("claude-code", ".claude.json", JSON.replace("// my servers\n    ", "").replace(", // keep", "")),
        ("cursor", ".cursor/mcp.json", JSON.to_owned()),
        ("vscode", ".config/Code/User/mcp.json", JSON.replace("mcpServers", "servers").replace('\n', "\r\n")),
        (
            "codex",
            ".codex/config.toml",
            "model = \"gpt\" # mine\n\n[mcp_servers.github]\ncommand = \"gh-mcp\"\n".to_owned(),
        ),
        (
            "roo-code",
            ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
            "{\"mcpServers\":{}}".to_owned(),
        ),
        ("claude-desktop", ".config/Claude/claude_desktop_config.json", JSON.to_owned()),
        ("gemini-cli", ".gemini/settings.json", "{ \"theme\": \"Default\" }".to_owned()),
    ]
}

/// Runs the command in a home folder of its own.
fn connect(sample: &Sample, arguments: &[&str]) -> Output {
    connect_in(sample, "C.UTF-8", arguments)
}

/// The same with a person who reads this language.
fn connect_in(sample: &Sample, language: &str, arguments: &[&str]) -> Output {
    let mut command = fumi();
    command.current_dir(sample.root()).env("HOME", sample.outside()).env("LC_ALL", language);
    for variable in ["XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"] {
        command.env_remove(variable);
    }
    command.arg("connect").args(arguments).output().unwrap()
}

/// Runs the command, which must succeed, and returns what it prints.
#[track_caller]
fn done(sample: &Sample, arguments: &[&str]) -> String {
    let output = connect(sample, arguments);
    let (out, err) = says(&output);
    assert!(output.status.success() && err.is_empty(), "{out}{err}");
    out
}

#[test]
fn entry_is_added_once_and_undo_restores_the_file() {
    let sample = Sample::empty();
    for (client, file, before) in files() {
        let path = sample.outside().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &before).unwrap();
        let out = done(&sample, &[client]);
        assert!(out.contains(file) && out.contains("names fumi"), "{out}");
        let after = fs::read_to_string(&path).unwrap();
        let entry = if client == "claude-desktop" { "\"stdio\"" } else { "http://127.0.0.1:8640/mcp" };
        assert!(after.contains(entry), "{client}: {after}");
        for part in before.split(['{', '}', '\n', ',']).map(str::trim) {
            assert!(after.contains(part), "{client} lost {part}: {after}");
        }
        assert!(done(&sample, &[client]).contains("already"), "{client}");
        assert_eq!(fs::read_to_string(&path).unwrap(), after, "{client}");
        assert!(done(&sample, &[]).lines().any(|line| line.starts_with(client) && line.ends_with("names this server")));
        assert!(done(&sample, &[client, "--undo"]).contains("does not name fumi any more"), "{client}");
        assert_eq!(fs::read_to_string(&path).unwrap(), before, "{client}");
        assert!(done(&sample, &[client, "--undo"]).contains("does not name fumi."), "{client}");
    }
}

#[test]
fn file_that_only_fumi_needed_is_deleted_again() {
    let sample = Sample::empty();
    for (client, file, _) in files() {
        done(&sample, &[client]);
        assert!(sample.outside().join(file).is_file(), "{client}");
        done(&sample, &[client, "--undo"]);
        assert!(!sample.outside().join(file).exists(), "{client}");
    }
}

/// What a person wrote is replaced only by `connect`, which says so.
#[test]
fn entry_of_another_url_or_command_is_replaced_but_not_removed() {
    let sample = Sample::empty();
    let path = sample.root().join(".cursor/mcp.json");
    for own in [
        "{\"mcpServers\":{\"fumi\":{\"command\":\"my-own\",\"env\":{\"SECRET\":\"x\"}}}}",
        "{\"mcpServers\":{\"fumi\":{\"url\":\"http://localhost:1/mcp/all\"}}}",
    ] {
        sample.file(".cursor/mcp.json", own);
        refuses(&connect(&sample, &["cursor", "--project", "--undo"]), "nothing was removed");
        assert_eq!(sample.read(".cursor/mcp.json"), own);
        assert!(done(&sample, &["cursor", "--project"]).contains("it was replaced"));
    }
    done(&sample, &["cursor", "--project", "--undo"]);
    assert!(!path.exists());
    // A symbolic link stays.
    sample.file("dotfiles.json", "");
    std::os::unix::fs::symlink(sample.root().join("dotfiles.json"), &path).unwrap();
    done(&sample, &["cursor", "--project"]);
    assert!(sample.read("dotfiles.json").contains("mcpServers"));
    done(&sample, &["cursor", "--project", "--undo"]);
    assert!(path.is_symlink());
    assert_eq!(sample.read("dotfiles.json"), "");
}

#[test]
fn print_and_refusals_write_nothing() {
    let sample = Sample::empty();
    sample.file(".mcp.json", "{\"mcpServers\": [");
    let printed = done(&sample, &["cursor", "--print", "--url", "https://fumi.example/mcp"]);
    assert!(printed.contains("https://fumi.example/mcp") && printed.contains("cursor://"), "{printed}");
    assert!(!sample.outside().join(".cursor").exists());
    let user = done(&sample, &["vscode", "--print", "--token-variable", "FUMI_TOKEN"]);
    assert!(user.contains("Bearer ${env:FUMI_TOKEN}"), "{user}");
    for (arguments, part) in [
        (&["emacs"][..], "claude-code, cursor, vscode"),
        (&["claude-code", "--project"], ".mcp.json, line 1, column 1"),
        (&["claude-desktop", "--project"], "leave out --project"),
        (&["cursor", "--print", "--undo"], "cannot be used with"),
        (&["--undo"], "<CLIENT>"),
        (&["cursor", "--url", "not a url"], "http://127.0.0.1:8640/mcp"),
        (&["cursor", "--url", "ftp://fumi.example/mcp"], "http://127.0.0.1:8640/mcp"),
        (&["cursor", "--token-variable", "fumi_0123abcd"], "FUMI_TOKEN"),
    ] {
        refuses(&connect(&sample, arguments), part);
    }
    assert_eq!(sample.read(".mcp.json"), "{\"mcpServers\": [");
    for (arguments, part) in [
        (&["emacs"][..], "クライアント emacs には対応していません"),
        (&["claude-code", "--project"], ".mcp.json: 1 行目の 16 文字目"),
    ] {
        refuses(&connect_in(&sample, "ja_JP.UTF-8", arguments), part);
    }
}

#[test]
fn skill_is_installed_and_removed_unless_it_was_changed() {
    let sample = Sample::empty();
    let skill = sample.root().join(".claude/skills/fumi/SKILL.md");
    assert!(done(&sample, &["claude-code", "--project"]).contains(".claude/skills/fumi/SKILL.md"));
    let text = fs::read_to_string(&skill).unwrap();
    done(&sample, &["claude-code", "--project", "--undo"]);
    assert!(!skill.exists() && !sample.root().join(".mcp.json").exists());
    done(&sample, &["claude-code", "--project"]);
    fs::write(&skill, format!("{text}mine\n")).unwrap();
    for undo in [&["claude-code", "--project"][..], &["claude-code", "--project", "--undo"]] {
        assert!(done(&sample, undo).contains("changed by hand"), "{undo:?}");
    }
    assert!(fs::read_to_string(&skill).unwrap().ends_with("mine\n"));
}

/// docs/clients.md shows the same entries.
#[test]
fn documents_show_what_is_written() {
    let sample = Sample::empty();
    let documents: String = include_str!("../../docs/clients.md").split_whitespace().collect();
    for client in ["claude-code", "cursor", "vscode", "roo-code", "gemini-cli"] {
        let printed = done(&sample, &[client, "--print"]);
        let entry: String =
            printed[printed.find('{').unwrap()..=printed.rfind('}').unwrap()].split_whitespace().collect();
        assert!(documents.contains(&entry), "{client}: {entry}");
    }
}

/// What the skill tells a model to call can be called like that.
#[test]
fn examples_of_the_skill_succeed() {
    let sample = Sample::new();
    let skill = include_str!("../../src/setup/skill.md");
    let calls: Vec<_> = skill.lines().filter_map(|line| line.strip_suffix("` |")?.split_once("` `{")).collect();
    assert!(calls.len() >= 8, "{calls:?}");
    for (before, arguments) in calls {
        let (tool, arguments) = (before.rsplit('`').next().unwrap(), format!("{{{arguments}"));
        let _: Map<String, Value> = serde_json::from_str(&arguments).unwrap();
        let output = run(&sample, &["call", tool, &arguments]);
        assert!(output.status.success(), "{tool} {arguments}: {:?}", says(&output));
    }
    // The names without arguments exist.
    let names =
        skill.split('`').filter(|name| name.contains('_') && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'));
    let listed = says(&run(&sample, &["tools", "--toolsets", "code,novel,browser"])).0;
    for name in names {
        assert!(listed.contains(&format!("\"name\":\"{name}\"")), "{name} is no tool");
    }
}
