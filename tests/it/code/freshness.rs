//! A cached reply is never stale: 2,000 random changes, each followed by calls that are compared with an uncached run.

use std::{
    fs,
    path::{Path, PathBuf},
};

use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngSeed, TestRunner},
};
use serde_json::{Value, json};

use crate::sample::{Sample, call};

/// A change of the project between two calls.
#[derive(Clone, Debug)]
enum Change {
    Edit(u8, u8),
    Create(u8, u8),
    Rename(u8, u8),
    Delete(u8),
    MakeFolder(u8),
    MoveFolder(u8, u8),
    RemoveFolder(u8),
    Ignore(u8, u8),
    IgnoreAbove(u8),
    Nothing,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        6 => (any::<u8>(), any::<u8>()).prop_map(|(file, text)| Change::Edit(file, text)),
        3 => (any::<u8>(), any::<u8>()).prop_map(|(file, text)| Change::Create(file, text)),
        2 => (any::<u8>(), any::<u8>()).prop_map(|(from, to)| Change::Rename(from, to)),
        2 => any::<u8>().prop_map(Change::Delete),
        1 => any::<u8>().prop_map(Change::MakeFolder),
        1 => (any::<u8>(), any::<u8>()).prop_map(|(from, to)| Change::MoveFolder(from, to)),
        1 => any::<u8>().prop_map(Change::RemoveFolder),
        2 => (any::<u8>(), any::<u8>()).prop_map(|(folder, file)| Change::Ignore(folder, file)),
        1 => any::<u8>().prop_map(Change::IgnoreAbove),
        2 => Just(Change::Nothing),
    ]
}

/// Few names, so that several changes hit the same file: three folders deep, four files each.
fn folder(n: u8) -> String {
    ["", "a/", "a/b/", "c/"][usize::from(n % 4)].to_owned()
}

fn file(n: u8) -> String {
    format!("{}f{}.py", folder(n), n / 4 % 4)
}

fn text(n: u8) -> String {
    "def needle():\n    pass\n".repeat(usize::from(n % 5)) + "x = 1\n"
}

/// Applies a change; an impossible one changes nothing.
fn apply(root: &Path, change: &Change) {
    let at = |path: &str| root.join(path);
    let write = |path: &str, content: &str| {
        if at(path).parent().is_some_and(Path::is_dir) {
            let _ = fs::write(at(path), content);
        }
    };
    match change {
        Change::Edit(n, content) | Change::Create(n, content) => write(&file(*n), &text(*content)),
        Change::Rename(from, to) => drop(fs::rename(at(&file(*from)), at(&file(*to)))),
        Change::Delete(n) => drop(fs::remove_file(at(&file(*n)))),
        Change::MakeFolder(n) => drop(fs::create_dir_all(at(&folder(*n)))),
        Change::MoveFolder(from, to) => drop(fs::rename(at(&folder(*from % 3 + 1)), at(&folder(*to % 3 + 1)))),
        Change::RemoveFolder(n) => drop(fs::remove_dir_all(at(&folder(*n % 3 + 1)))),
        Change::Ignore(n, name) => write(&format!("{}.ignore", folder(*n)), &format!("f{}.py\n", name % 4)),
        Change::IgnoreAbove(n) => {
            let above = root.parent().unwrap().join(".ignore");
            if n % 2 == 0 {
                let _ = fs::write(above, format!("f{}.py\n", n / 2 % 4));
            } else {
                let _ = fs::remove_file(above);
            }
        }
        Change::Nothing => {}
    }
}

/// Removes the parts that may differ: times and the cache's own mark.
fn plain(mut structured: Value) -> Value {
    fn strip(value: &mut Value) {
        if let Some(fields) = value.as_object_mut() {
            fields.retain(|name, _| !name.ends_with("elapsed_ms") && name != "cache_hit");
            fields.values_mut().for_each(strip);
        } else if let Some(items) = value.as_array_mut() {
            items.iter_mut().for_each(strip);
        }
    }
    strip(&mut structured);
    structured
}

fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("search_content", json!({"query": "needle", "roots": ["."]})),
        ("search_content", json!({"query": "needle", "roots": ["."], "count_only_matches": true})),
        ("list_files", json!({"roots": ["."], "absolute": false})),
        ("find_and_grep", json!({"query": "needle", "roots": ["."], "extensions": ["py"], "total_only": true})),
        ("check_code_scale", json!({"file_path": "a/b/f1.py"})),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_changes_and_no_stale_answer() {
    const CHANGES: usize = 1_000;
    let sample = Sample::empty();
    for n in 0..=255 {
        let name = file(n);
        sample.file(&name, text(n));
    }
    let cached = sample.app();
    let mut runner = TestRunner::new(Config { rng_seed: RngSeed::Fixed(7), ..Config::default() });
    let calls = calls();
    let (mut hits, mut compared) = (0, 0);
    for step in 0..CHANGES {
        let change = change().new_tree(&mut runner).unwrap().current();
        apply(&sample.root(), &change);
        // A new process has no cache and no watch.
        let uncached = sample.app();
        // Two of the calls after each change, in turn: each runs with a warm cache 400 times.
        for (tool, arguments) in calls.iter().cycle().skip(step * 2).take(2) {
            let mine = call(&cached, tool, arguments.clone()).await;
            let truth = call(&uncached, tool, arguments.clone()).await;
            hits += u32::from(mine.cache_hit);
            compared += 1;
            if truth.is_error {
                assert_eq!(
                    mine.structured["error"]["code"], truth.structured["error"]["code"],
                    "step {step}, {change:?}, {tool}"
                );
            } else {
                assert_eq!(plain(mine.structured), plain(truth.structured), "step {step}, {change:?}, {tool}");
            }
        }
    }
    assert_eq!(compared, CHANGES * 2);
    assert!(hits > 50, "only {hits} answers came from the cache: nothing was tested");
}

/// A way to replace the root by another folder, given the folder that contains `project` and `other`.
type Replacement = fn(&Path);

const REPLACEMENTS: [(&str, Replacement); 3] = [
    ("another folder moved to its place", |outer| {
        fs::rename(outer.join("project"), outer.join("old")).unwrap();
        fs::rename(outer.join("other"), outer.join("project")).unwrap();
    }),
    ("moved away and made again", |outer| {
        fs::rename(outer.join("project"), outer.join("old")).unwrap();
        fs::create_dir(outer.join("project")).unwrap();
        fs::write(outer.join("project/b.py"), "needle needle\n").unwrap();
    }),
    ("a folder above replaced", |outer| {
        let old = outer.with_extension("old");
        fs::rename(outer, &old).unwrap();
        fs::create_dir(outer).unwrap();
        fs::rename(old.join("other"), outer.join("project")).unwrap();
        fs::remove_dir_all(old).unwrap();
    }),
];

#[tokio::test(flavor = "multi_thread")]
async fn replaced_root_is_not_answered_from_the_cache() {
    for (way, replace) in REPLACEMENTS {
        let sample = Sample::empty();
        sample.file("a.py", "needle\n");
        let root = sample.root();
        let outer = root.parent().unwrap();
        fs::create_dir(outer.join("other")).unwrap();
        fs::write(outer.join("other/b.py"), "needle needle\n").unwrap();
        let app = sample.app();
        let question = json!({"query": "needle", "roots": ["."], "total_only": true});
        let total = async || {
            let reply = call(&app, "search_content", question.clone()).await;
            (reply.structured["total_matches"].clone(), reply.cache_hit)
        };
        let before = [total().await, total().await];
        replace(outer);
        let replaced = [total().await, total().await];
        fs::write(root.join("b.py"), "needle needle needle\n").unwrap();
        let edited = [total().await, total().await];
        for (what, answers, expected) in [("before", before, 1), ("replaced", replaced, 2), ("edited", edited, 3)] {
            assert_eq!(answers, [(json!(expected), false), (json!(expected), true)], "{way}, {what}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_cached_while_the_root_is_missing_or_a_link() {
    let sample = Sample::empty();
    sample.file("a.py", "needle\n");
    let (root, app) = (sample.root(), sample.app());
    let question = json!({"query": "needle", "roots": ["."], "total_only": true});
    let is_hit = async || call(&app, "search_content", question.clone()).await.cache_hit;
    assert_eq!([is_hit().await, is_hit().await], [false, true]);
    let old = root.with_file_name("old");
    fs::rename(&root, &old).unwrap();
    assert_eq!([is_hit().await, is_hit().await], [false, false], "missing");
    std::os::unix::fs::symlink(&old, &root).unwrap();
    assert_eq!([is_hit().await, is_hit().await], [false, false], "a link");
    fs::remove_file(&root).unwrap();
    fs::rename(&old, &root).unwrap();
    assert_eq!([is_hit().await, is_hit().await], [false, true], "back");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_formats_never_share_an_answer_and_equal_calls_do() {
    let sample = Sample::empty();
    sample.file("a.py", "needle\nneedle needle\n");
    let app = sample.app();
    let ask = async |format: Value| {
        let mut arguments = json!({"query": "needle", "roots": ["."]});
        arguments.as_object_mut().unwrap().extend(format.as_object().unwrap().clone());
        call(&app, "search_content", arguments).await
    };
    let total = ask(json!({"total_only": true})).await;
    assert_eq!(
        (total.structured.clone(), total.text.as_str(), total.cache_hit),
        (json!({"total_matches": 3}), "3", false)
    );
    let counts = ask(json!({"count_only_matches": true})).await;
    assert_eq!((&counts.structured["file_counts"], counts.cache_hit), (&json!({"a.py": 3}), false));
    let again = ask(json!({"count_only_matches": true})).await;
    assert_eq!((&again.structured["cache_hit"], again.cache_hit), (&json!(true), true));
    // A bare number stays bare: the mark is only in the meta.
    let again = ask(json!({"total_only": true})).await;
    assert_eq!(
        (again.structured.clone(), again.meta()["cache_hit"].clone()),
        (json!({"total_matches": 3}), json!(true))
    );
    let summary = ask(json!({"summary_only": true})).await;
    assert!(!summary.cache_hit && summary.structured["summary"]["total_matches"] == 3);
    for other in [
        json!({"max_count": 1}),
        json!({"context_after": 1}),
        json!({"case": "sensitive"}),
        json!({"case": "insensitive"}),
        json!({"word": true}),
        json!({"include_globs": ["*.py"]}),
    ] {
        assert!(!ask(other.clone()).await.cache_hit, "{other} must not share an entry");
        assert!(ask(other.clone()).await.cache_hit, "{other} is cached");
    }
    // Delivery does not change the result: the same entry serves it.
    assert!(ask(json!({"word": true, "output_file": "x.json"})).await.cache_hit);
}

/// Links to a file whose changes are not watched, by name: the link to create, the call, and the file that changes
/// meanwhile.
fn hidden_ways() -> Vec<(&'static str, &'static str, &'static str, Value, &'static str)> {
    let own = ".fumi/output/own.py";
    vec![
        ("a link into .fumi", own, "link.py", json!({"files": ["link.py"]}), own),
        (
            "a link over a link in .fumi",
            ".fumi/output/way.py",
            "link.py",
            json!({"files": ["link.py"]}),
            ".fumi/output/way.py",
        ),
        ("a folder that is a link", ".fumi/output", "linked", json!({"roots": ["linked"]}), own),
        ("a walk that follows links", ".fumi/output", "linked", json!({"roots": ["."], "follow_symlinks": true}), own),
        (
            "a followed link that led nowhere",
            ".fumi/output/later.py",
            "linked.py",
            json!({"roots": ["."], "follow_symlinks": true}),
            ".fumi/output/later.py",
        ),
        (
            "a glob that means hidden folders too",
            "a.py",
            "linked.py",
            json!({"roots": ["."], "include_globs": ["*"]}),
            own,
        ),
        ("the inside of .git", "a.py", "linked.py", json!({"files": [".git/refs/heads/main"]}), ".git/refs/heads/main"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn what_lies_in_folders_that_do_not_count_is_never_answered_from_the_cache() {
    for (way, target, link, mut question, changed) in hidden_ways() {
        let sample = Sample::empty();
        sample.file("a.py", "x = 1\n").file(".git/refs/heads/main", "needle\n");
        sample.file(".fumi/output/own.py", "needle\n");
        std::os::unix::fs::symlink("own.py", sample.root().join(".fumi/output/way.py")).unwrap();
        std::os::unix::fs::symlink(target, sample.root().join(link)).unwrap();
        question["query"] = json!("needle");
        let cached = sample.app();
        let _ = call(&cached, "search_content", question.clone()).await;
        sample.file(changed, "needle\nneedle\n");
        let mine = call(&cached, "search_content", question.clone()).await;
        let truth = call(&sample.app(), "search_content", question).await;
        assert_eq!(plain(mine.structured), plain(truth.structured), "{way}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_of_our_own_that_appears_is_seen_by_a_glob_that_means_it() {
    let sample = Sample::empty();
    sample.file("a.py", "x = 1\n");
    let (cached, question) = (sample.app(), json!({"query": "needle", "roots": ["."], "include_globs": ["*"]}));
    let _ = call(&cached, "search_content", question.clone()).await;
    sample.file(".fumi/output/own.py", "needle\n");
    let mine = call(&cached, "search_content", question).await;
    assert_eq!(mine.structured["total_matches"], 1);
}

/// Makes the folder `sub` take its ignore rules from a file outside, and returns its path.
fn rules_outside(way: &str, sub: &Path, outside: &Path) -> PathBuf {
    if way != ".git" {
        let rules = outside.join("rules");
        fs::write(&rules, "").unwrap();
        std::os::unix::fs::symlink(&rules, sub.join(way)).unwrap();
        return rules;
    }
    // As `git worktree add` writes it.
    let (common, own) = (outside.join(".git"), outside.join(".git/worktrees/sub"));
    fs::create_dir_all(common.join("info")).unwrap();
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("commondir"), "../..\n").unwrap();
    fs::write(sub.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
    common.join("info/exclude")
}

#[tokio::test(flavor = "multi_thread")]
async fn ignore_rules_that_lie_outside_are_read_again_for_each_call() {
    for way in [".ignore", ".rgignore", ".git"] {
        for appears_later in [false, true] {
            let (sample, outside) = (Sample::empty(), tempfile::tempdir().unwrap());
            sample.file("sub/a.py", "needle\n");
            let question = json!({"query": "needle", "roots": ["."]});
            let cached = sample.app();
            if appears_later {
                let _ = call(&cached, "search_content", question.clone()).await;
            }
            let rules = rules_outside(way, &sample.root().join("sub"), outside.path());
            let before = call(&cached, "search_content", question.clone()).await;
            fs::write(rules, "a.py\n").unwrap();
            let after = call(&cached, "search_content", question).await;
            assert_eq!(
                [&before, &after].map(|reply| reply.structured["total_matches"].clone()),
                [json!(1), json!(0)],
                "{way}, later: {appears_later}"
            );
        }
    }
}
