//! A project root inside a git repository: ignore files of its parents apply as for ripgrep 15, in a folder of a
//! repository, of a worktree and of a submodule, also when they change between two calls.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::json;

use crate::{program::Served, sample::Sample};

/// The names of the files; each ignore file ignores one of them.
const NAMES: [&str; 9] =
    ["kept", "by_top", "by_middle", "by_root", "by_exclude", "by_ignore", "by_rgignore", "by_main", "later"];

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]);
    let done = command.args(arguments).output().unwrap();
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn write(path: PathBuf, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn tools() -> PathBuf {
    std::env::var_os("FUMI_TOOLS")
        .map_or_else(|| Path::new(&std::env::var_os("HOME").unwrap()).join(".cache/fumi/tools/bin"), PathBuf::from)
}

/// Returns the files that ripgrep finds below a root.
fn by_ripgrep(root: &Path, home: &Path) -> BTreeSet<&'static str> {
    let mut command = Command::new(tools().join("rg"));
    command.current_dir(root).env("HOME", home).env("XDG_CONFIG_HOME", home);
    let listed = command.args(["-l", "needle", "."]).output().unwrap();
    named(&String::from_utf8(listed.stdout).unwrap())
}

async fn by_fumi(server: &Served, root: &Path) -> BTreeSet<&'static str> {
    let arguments = json!({"project_root": root, "roots": ["."], "query": "needle", "count_only_matches": true});
    let url = server.url.replace("/mcp", "/v1/tools/search_content");
    let call = reqwest::Client::new().post(url).json(&arguments);
    let answer = call.send().await.unwrap();
    assert!(answer.status().is_success());
    named(&answer.text().await.unwrap())
}

fn named(text: &str) -> BTreeSet<&'static str> {
    NAMES.into_iter().filter(|name| text.contains(&format!("{name}.txt"))).collect()
}

/// Fills a root, and puts ignore files into it, the folder above it and the top of its repository.
fn fill(top: &Path, root: &Path) {
    for name in NAMES {
        write(root.join(format!("in/{name}.txt")), "needle\n");
    }
    write(top.join(".gitignore"), "by_top.txt\n");
    write(top.join(".ignore"), "by_ignore.txt\n");
    write(top.join(".rgignore"), "by_rgignore.txt\n");
    write(root.parent().unwrap().join(".gitignore"), "by_middle.txt\n/sub/in/by_main.txt\n");
    write(root.join(".gitignore"), "by_root.txt\n");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs git and ripgrep"]
async fn parent_ignore_files_apply_as_for_ripgrep() {
    let sample = Sample::empty();
    let (all, home) = (sample.root(), sample.outside());
    let main = all.join("main");
    fs::create_dir_all(&main).unwrap();
    git(&main, &["init", "--quiet"]);
    write(main.join("a"), "a\n");
    git(&main, &["add", "a"]);
    git(&main, &["commit", "--quiet", "-m", "a"]);
    // Beside the repository, and inside another one.
    git(&main, &["worktree", "add", "--quiet", "../beside"]);
    let outer = all.join("outer");
    fs::create_dir_all(&outer).unwrap();
    git(&outer, &["init", "--quiet"]);
    write(outer.join(".gitignore"), "kept.txt\n");
    git(&main, &["worktree", "add", "--quiet", "../outer/within"]);
    git(&outer, &["submodule", "--quiet", "add", "../main", "module"]);
    for repository in [&main, &outer.join(".git/modules/module")] {
        let folder = if repository.join(".git").is_dir() { repository.join(".git") } else { repository.clone() };
        write(folder.join("info/exclude"), "by_exclude.txt\n");
    }
    let plain = all.join("plain");
    let tops = [main.clone(), all.join("beside"), outer.join("within"), outer.join("module"), plain];
    let roots: Vec<_> = tops.iter().map(|top| top.join("middle/sub")).collect();
    for (top, root) in tops.iter().zip(&roots) {
        fill(top, root);
    }
    let mut command = Served::command(&sample);
    command.env("HOME", &home).env("XDG_CONFIG_HOME", &home);
    let server = Served::start(&mut command);
    for root in roots.iter().chain(&tops) {
        let expected = by_ripgrep(root, &home);
        assert!(expected.contains("kept") && !expected.contains("by_ignore"), "{}: {expected:?}", root.display());
        for _ in 0..2 {
            assert_eq!(by_fumi(&server, root).await, expected, "{}", root.display());
        }
    }
    // A change of a parent ignore file is seen by the next call, also if git keeps the file elsewhere.
    for (top, root) in tops.iter().zip(&roots) {
        write(top.join(".gitignore"), "by_top.txt\nlater.txt\n");
        assert_eq!(by_fumi(&server, root).await, by_ripgrep(root, &home), "{}", root.display());
    }
    // A repository begins above the root.
    let (top, root) = (&tops[4], &roots[4]);
    assert!(by_fumi(&server, root).await.contains("later"));
    git(top, &["init", "--quiet"]);
    assert!(!by_fumi(&server, root).await.contains("later"));
    assert_eq!(by_fumi(&server, root).await, by_ripgrep(root, &home));
    // The user's global rules, in a file that git's configuration names.
    write(home.join(".gitconfig"), "[core]\n    excludesFile = ~/rules\n");
    for global in ["kept.txt\n", "by_main.txt\n", ""] {
        write(home.join("rules"), global);
        for root in &roots {
            assert_eq!(by_fumi(&server, root).await, by_ripgrep(root, &home), "{global}");
        }
    }
    write(main.join(".git/info/exclude"), "later.txt\n");
    write(outer.join(".git/modules/module/info/exclude"), "later.txt\n");
    for (top, root) in tops.iter().zip(&roots) {
        write(top.join(".gitignore"), "");
        assert_eq!(by_fumi(&server, root).await, by_ripgrep(root, &home), "{}", root.display());
    }
}
