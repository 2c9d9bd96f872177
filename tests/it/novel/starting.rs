//! `fumi novel new` and `fumi novel install-commands`, tested on the real program.

use std::{fs, path::Path, process::Command};

use serde_json::Value;

use crate::{
    command_line::{fumi, refuses, run, says},
    sample::Sample,
};

fn novel(sample: &Sample, arguments: &[&str]) -> std::process::Output {
    run(sample, &[&["novel"], arguments].concat())
}

#[test]
fn a_new_novel_is_complete_and_its_first_episode_can_be_published() {
    let sample = Sample::empty();
    let made = novel(&sample, &["new", "新作", "--title", "坂の店: 「続き」", "--author", "作者", "--preset", "narou"]);
    let (out, err) = says(&made);
    assert_eq!((made.status.code(), err.as_str()), (Some(0), ""));
    assert!(out.contains("坂の店: 「続き」") && out.contains("fumi serve --root"), "{out}");
    let call = |tool: &str, arguments: &str| {
        let output = run(&sample, &["call", "--root", "新作", tool, arguments]);
        let reply: Value = serde_json::from_str(&says(&output).0).unwrap();
        (output.status.code(), reply)
    };
    let (code, status) = call("status", "{}");
    assert_eq!(code, Some(0));
    assert_eq!(status["project_overview"]["project_name"], "坂の店: 「続き」");
    assert_eq!(status["project_overview"]["planned_episodes"], 1);
    assert!(status.get("remarks").is_none(), "{status}");
    assert_eq!(status["next_suggested_actions"][0]["tool"], "noveler_write");
    sample.file("新作/40_原稿/第001話_四十年の延滞.md", "# 第一話　四十年の延滞\n\n　鈴が鳴った。\n");
    let (code, complete) = call("noveler_complete", r#"{"episode": 1}"#);
    assert_eq!((code, &complete["success"]), (Some(0), &Value::Bool(true)), "{complete}");
    let record = sample.read("新作/.noveler/publish/episode_001/metadata.json");
    assert!(record.contains("\"author\": \"作者\"") && record.contains("坂の店: 「続き」"), "{record}");
}

#[test]
fn a_folder_that_holds_something_is_refused_and_left_alone() {
    let sample = Sample::empty();
    sample.file("full/x.txt", "").file("file", "");
    let before = sample.state();
    for (arguments, part) in [
        (&["new", "full", "--title", "題"][..], "not empty"),
        (&["new", "file", "--title", "題"], "file"),
        (&["new", "a", "--title", "  "], "title"),
        (&["new", "a", "--title", "二\n行"], "title"),
        (&["new", "a", "--title", "題", "--author", ""], "author"),
        (&["new", "a", "--title", "題", "--preset", "web"], "bunko"),
        (&["new", "a", "--title", "題", "--config", "no-such.toml"], "no-such.toml"),
        (&["new", "a"], "--title"),
        (&["new"], ""),
        (&["old"], "old"),
        (&[], ""),
    ] {
        refuses(&novel(&sample, arguments), part);
    }
    assert_eq!(sample.state(), before);
    // An empty folder is accepted.
    fs::create_dir(sample.root().join("empty")).unwrap();
    assert!(novel(&sample, &["new", "empty", "--title", "題"]).status.success());
}

#[test]
fn the_names_of_a_new_novel_are_those_of_the_configuration() {
    let sample = Sample::empty();
    sample.file("fumi.toml", "[novel.names]\nmanuscripts = \"drafts\"\nsettings = \"novel.yaml\"\n");
    let made = novel(&sample, &["new", "book", "--title", "題", "--config", "fumi.toml"]);
    assert!(made.status.success(), "{}", says(&made).1);
    assert!(sample.read("book/novel.yaml").contains("title: \"題\""));
    assert!(sample.read("book/README.md").contains("`drafts/`"));
    let status = run(&sample, &["call", "--root", "book", "--config", "fumi.toml", "status"]);
    let status: Value = serde_json::from_str(&says(&status).0).unwrap();
    assert!(status.get("remarks").is_none(), "{status}");
}

#[test]
fn the_slash_command_is_installed_once_and_a_changed_one_is_not_replaced() {
    let sample = Sample::empty();
    let root = sample.root();
    let published = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/claude/commands/noveler.md"));
    let published = published.unwrap();
    let file = root.join("there/.claude/commands/noveler.md");
    let install = |more: &[&str]| novel(&sample, &[&["install-commands", "--dir", "there"], more].concat());
    for said in ["/noveler status", "already"] {
        let done = install(&[]);
        assert_eq!(done.status.code(), Some(0));
        assert!(says(&done).0.contains(said));
        assert_eq!(fs::read_to_string(&file).unwrap(), published);
    }
    fs::write(&file, "mine").unwrap();
    refuses(&install(&[]), "--force");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    assert!(install(&["--force"]).status.success());
    assert_eq!(fs::read_to_string(&file).unwrap(), published);
    // Without `--dir` it goes to the home folder; a file behind a link is updated through the link.
    let home = root.join("home");
    fs::create_dir_all(root.join("dotfiles")).unwrap();
    fs::create_dir(&home).unwrap();
    std::os::unix::fs::symlink(root.join("dotfiles"), home.join(".claude")).unwrap();
    let in_home = |command: &mut Command| command.args(["novel", "install-commands"]).output().unwrap();
    assert!(in_home(fumi().env("HOME", &home)).status.success());
    assert_eq!(fs::read_to_string(root.join("dotfiles/commands/noveler.md")).unwrap(), published);
    refuses(&in_home(fumi().env_remove("HOME")), "--dir");
}

#[test]
fn the_slash_command_allows_both_names_of_the_server_and_names_no_model() {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/claude/commands/noveler.md")).unwrap();
    let head = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).unwrap().0;
    assert!(head.contains(r#"allowed-tools: ["mcp__fumi__*", "mcp__noveler__*"]"#), "{head}");
    assert!(head.contains("argument-hint:") && head.contains("description:") && !head.contains("model"), "{head}");
    for word in ["write", "check", "plot", "status", "complete", "init", "$ARGUMENTS", "fumi novel new"] {
        assert!(text.contains(word), "{word}");
    }
}
