//! Things in the place of ignore files that cannot be read as one, in a server that may use 2 GiB of address space.

use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    process::Command,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::Duration,
};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};

use super::text_alone;
use crate::{program::Program, sample::Sample};

/// Puts something in the place of an ignore file of a folder.
type Make = fn(&Path);

/// Every kind of file with ignore rules, and every thing in its place that has no end, is waited for, or is too large.
const UNUSABLE: [(&str, Make); 10] = [
    ("pipe", |folder| pipe(&folder.join(".gitignore"))),
    ("pipe-for-fd", |folder| pipe(&folder.join(".fdignore"))),
    ("pipe-for-rg", |folder| pipe(&folder.join(".rgignore"))),
    ("zeros", |folder| link("/dev/zero", &folder.join(".ignore"))),
    ("kernel", |folder| link("/proc/kmsg", &folder.join(".ignore"))),
    ("large", |folder| {
        fs::write(folder.join(".gitignore"), "*.a\n".repeat(100_000)).expect("written");
    }),
    ("excluded", |folder| {
        fs::create_dir_all(folder.join(".git/info")).expect("made");
        link("/dev/zero", &folder.join(".git/info/exclude"));
    }),
    ("long", |folder| {
        fs::write(folder.join(".git"), format!("gitdir: {}", "x".repeat(1 << 20))).expect("written");
    }),
    ("worktree", |folder| {
        worktree(folder);
        pipe(&folder.join("main/commondir"));
    }),
    ("repository", |folder| {
        worktree(folder);
        fs::write(folder.join("main/commondir"), ".\n").expect("written");
        fs::create_dir(folder.join("main/info")).expect("made");
        link("/dev/zero", &folder.join("main/info/exclude"));
    }),
];

fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().expect("mkfifo of coreutils");
    assert!(made.success());
}

fn link(target: &str, path: &Path) {
    symlink(target, path).expect("linked");
}

/// Makes a folder a worktree of a repository in it.
fn worktree(folder: &Path) {
    fs::create_dir(folder.join("main")).expect("made");
    fs::write(folder.join(".git"), format!("gitdir: {}\n", folder.join("main").display())).expect("written");
}

/// Calls a tool. Fails if there is no answer in a minute.
async fn call(program: &Program, tool: &str, arguments: Value) -> Value {
    let request = reqwest::Client::new()
        .post(format!("http://{}/v1/tools/{tool}", program.address))
        .timeout(Duration::from_mins(1))
        .header("Content-Type", "application/json")
        .body(arguments.to_string());
    let response = request.send().await.expect("an answer");
    serde_json::from_str(&response.text().await.expect("a body")).expect("JSON")
}

/// Returns the files in which a search finds the word, those that a listing finds, and the numbers of skipped folders.
async fn found(program: &Program, options: &Value) -> ([Vec<String>; 2], [u64; 2]) {
    let merged = |more: Value| {
        let mut arguments = options.clone();
        let arguments_map = arguments.as_object_mut().expect("an object");
        arguments_map.extend(more.as_object().expect("an object").clone());
        arguments
    };
    let search = json!({"query": "needle", "count_only_matches": true});
    let searched = call(program, "search_content", merged(search)).await;
    let listed = call(program, "list_files", merged(json!({"extensions": ["txt"]}))).await;
    let counts = searched["file_counts"].as_object().into_iter().flatten();
    let rows = listed["results"].as_array().into_iter().flatten();
    let inside = |path: &Value| {
        let (_, inside) = path.as_str().expect("a path").split_once("/project/").expect("inside");
        inside.to_owned()
    };
    let mut files =
        [counts.map(|(path, _)| path.clone()).collect::<Vec<_>>(), rows.map(|row| inside(&row["path"])).collect()];
    for files in &mut files {
        files.sort();
    }
    let skipped = [&searched["skipped"]["total"], &listed["skipped"]].map(|total| total.as_u64().unwrap_or(0));
    (files, skipped)
}

#[tokio::test(flavor = "multi_thread")]
async fn folders_with_unusable_ignore_files_are_left_out_and_named() {
    let sample = Sample::empty();
    sample.file("kept/a.txt", "needle");
    // A folder of such a name has no rules.
    sample.file("kept/.ignore/b.txt", "needle");
    for (name, make) in UNUSABLE {
        sample.file(&format!("{name}/lost.txt"), "needle");
        make(&sample.root().join(name));
    }
    let program = Program::start_within_two_gib(&sample);
    for _again in 0..2 {
        let (files, skipped) = found(&program, &json!({"roots": ["."]})).await;
        // A search reads no `.fdignore`, a listing no `.rgignore`.
        let others = ["pipe-for-fd/lost.txt", "pipe-for-rg/lost.txt"];
        assert_eq!(files, others.map(|other| vec!["kept/a.txt".to_owned(), other.to_owned()]));
        assert_eq!(skipped, [UNUSABLE.len() as u64 - 1; 2]);
    }
    let total = json!({"query": "needle", "total_only": true});
    let total = call(&program, "search_content", total).await;
    assert_eq!(total["skipped"]["total"], UNUSABLE.len() as u64 - 1, "{total}");
    // Without ignore rules, none of these files is opened.
    let (files, skipped) = found(&program, &json!({"roots": ["."], "no_ignore": true})).await;
    assert_eq!(files.map(|files| files.len()), [UNUSABLE.len() + 1; 2]);
    assert_eq!(skipped, [0; 2]);
    // As a root, as a folder above a root, and as a link that is followed.
    sample.file("zeros/deep/lost.txt", "needle");
    sample.file("links/b.txt", "needle");
    link("../zeros/deep/..", &sample.root().join("links/zeros"));
    for (options, files) in [
        (json!({"roots": ["zeros"]}), vec![]),
        (json!({"roots": ["zeros/deep", "kept"]}), vec!["kept/a.txt"]),
        (json!({"roots": ["links"], "follow_symlinks": true}), vec!["links/b.txt"]),
    ] {
        let (found, skipped) = found(&program, &options).await;
        assert_eq!(found, [files.clone(), files], "{options}");
        assert_eq!(skipped, [1; 2], "{options}");
    }
    let search = json!({"query": "needle", "roots": ["zeros"]});
    let text = text_alone(&sample.app(), "search_content", search).await;
    assert!(text.contains("zeros (unusable ignore file)") && text.contains("128 KiB"), "{text}");
}

#[tokio::test]
async fn an_unusable_ignore_file_above_the_project_leaves_it_out() {
    let sample = Sample::empty();
    sample.file("a.txt", "needle");
    let program = Program::start_within_two_gib(&sample);
    let all = json!({"roots": ["."]});
    assert_eq!(found(&program, &all).await.1, [0; 2]);
    let above = sample.root().parent().expect("a parent").join(".ignore");
    for make in [pipe as Make, |path| link("/proc/kmsg", path)] {
        make(&above);
        let (files, skipped) = found(&program, &all).await;
        assert_eq!((files.map(|files| files.len()), skipped), ([0; 2], [1; 2]));
        fs::remove_file(&above).expect("removed");
    }
    assert_eq!(found(&program, &all).await.0.map(|files| files.len()), [1; 2]);
}

/// More calls than the pool of a server has threads, each of which another answer than before is asked of.
#[tokio::test(flavor = "multi_thread")]
async fn an_ignore_file_that_is_exchanged_for_a_pipe_is_not_waited_for() {
    let sample = Sample::empty();
    for folder in 0..100 {
        sample.file(&format!("{}/{folder}/a.txt", folder % 10), "needle");
    }
    sample.file("0/.ignore", "*.log");
    let [rules, other] = [".ignore", "pipe"].map(|name| sample.root().join("0").join(name));
    pipe(&other);
    let program = Program::start_within_two_gib(&sample);
    let is_ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_ended.load(Relaxed) {
                renameat_with(CWD, &rules, CWD, &other, RenameFlags::EXCHANGE).expect("exchanged");
                thread::yield_now();
            }
        });
        let calls = async {
            for depth in 10..60 {
                let listed = call(&program, "list_files", json!({"depth": depth, "extensions": ["txt"]})).await;
                let search = json!({"query": format!("needle|{depth}"), "count_only_matches": true});
                let searched = call(&program, "search_content", search).await;
                for reply in [listed, searched] {
                    assert!(reply["error"].is_null(), "{reply}");
                }
            }
        };
        tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(calls));
        is_ended.store(true, Relaxed);
    });
    let (files, _) = found(&program, &json!({"roots": ["1"]})).await;
    assert_eq!(files.map(|files| files.len()), [10; 2]);
}
