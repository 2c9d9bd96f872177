//! The server is killed (SIGKILL) at every place of every call that writes: after the next start the result is complete
//! or absent.
//!
//! The program itself lists the places while it serves the call, and every tool that writes must be here. The result is
//! complete if it equals that of a call without a kill, and absent if it equals the state before: files of people,
//! published files, and the tools' replies about the novel. Names of sessions and times differ from run to run and are
//! ignored.

use std::{
    collections::BTreeSet,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Command, Stdio},
};

use fumi_kernel::Effect;
use regex::Regex;
use serde_json::{Value, json};
use tokio::runtime::Handle;

use super::{
    FIRST, blurb,
    checking::{QUOTE, judgements},
    novel,
    plotting::PLOT,
    script,
    writing::{ok, until},
};
use crate::{
    mortal::Mortal,
    program::undisturbed,
    sample::{Sample, copy},
};

const SECOND: &str = "40_原稿/第002話_ほまち.md";

/// A call that writes.
type Call = (&'static str, Value);

/// Returns the folder before a call, and the call.
async fn written(case: &str) -> (Sample, Call) {
    let sample = novel();
    let call = match plain(case) {
        Some(call) => call,
        None => prepared(case, &sample).await,
    };
    (sample, call)
}

/// Returns a call that needs only the sample.
fn plain(case: &str) -> Option<Call> {
    let episode = json!({"episode": 1});
    let measured = json!({"episode": 1, "judge": false});
    Some(match case {
        "write" => ("write", json!({"file_path": FIRST, "content": "新しい本文。\n", "overwrite": true})),
        "create" => ("backup_management", json!({"action": "create", "paths": ["40_原稿"]})),
        "plot" => ("noveler_plot", json!({"episode": 1, "content": PLOT, "regenerate": true})),
        "at once" => ("write_with_claude", json!({"episode": 1, "content": script::whole().replace('。', "。\n")})),
        "first stage" => ("write_stage", json!({"episode": 1, "stage": "plot_data_preparation"})),
        "first step" => ("write_step_1", episode),
        "enhanced" => ("enhanced_execute_writing_step", json!({"episode": 1, "step_id": 1})),
        "checked" => ("check_basic", episode),
        "rhythm" => ("check_rhythm", episode),
        "expression" => ("check_writing_expression", episode),
        "structure" => ("check_story_structure", measured),
        "elements" => ("check_story_elements", measured),
        "whole check" => ("noveler_check", measured),
        "rewritten" => {
            ("rewrite_passage", json!({"episode": 1, "quote": QUOTE, "replacement": "書き直した一文だった"}))
        }
        "tasks" => ("get_check_tasks", episode),
        "converted" => {
            ("convert_cli_to_json", json!({"cli_result": {"command": "x", "stdout": "長い行。\n".repeat(500)}}))
        }
        _ => return None,
    })
}

/// Returns a call after its preparation.
async fn prepared(case: &str, sample: &Sample) -> Call {
    let app = sample.app();
    let episode = json!({"episode": 1});
    match case {
        "restore" | "prune" => {
            let made = ok(&app, "backup_management", json!({"action": "create"})).await;
            if case == "prune" {
                ok(&app, "backup_management", json!({"action": "create", "paths": ["40_原稿"]})).await;
                return ("backup_management", json!({"action": "prune", "keep": 1}));
            }
            sample.file(FIRST, "後の本文。\n").file(SECOND, "後の本文。\n");
            std::fs::remove_file(sample.root().join("50_管理資料/伏線管理.yaml")).unwrap();
            let id = &made["backup"]["backup_id"];
            ("backup_management", json!({"action": "restore", "backup_id": id}))
        }
        "draft" | "last answer" => {
            let step = match case {
                "draft" => "refine_manuscript_quality:1",
                _ => "finalize_manuscript:1",
            };
            sample.file(FIRST, "# 前の原稿\n\n　前の本文。\n");
            let asked = ok(&app, "noveler_write", episode.clone()).await;
            let asked = until(&app, asked, Some(step)).await;
            let (session, answer) = (&asked["session_id"], script::answer(step));
            match case {
                "draft" => ("write_manuscript_draft", json!({"episode": 1, "session_id": session})),
                _ => ("noveler_write", json!({"episode": 1, "session_id": session, "step": step, "content": answer})),
            }
        }
        "resumed" | "recovered" => {
            let asked = ok(&app, "noveler_write", episode.clone()).await;
            let id = asked["session_id"].as_str().unwrap();
            until(&app, asked.clone(), Some("design_emotional_flow:1")).await;
            // An output is damaged: its stage must be repeated, and the session says so.
            let writes = sample.root().join(".noveler/writes").join(id);
            for file in std::fs::read_dir(writes).unwrap().map(Result::unwrap) {
                if file.file_name().to_string_lossy().starts_with("stage_02-") {
                    std::fs::write(file.path(), "damaged").unwrap();
                }
            }
            match case {
                "resumed" => ("write_resume", json!({"episode": 1, "session_id": id})),
                _ => ("enhanced_resume_from_partial_failure", json!({"episode": 1, "recovery_point": 1})),
            }
        }
        "finished" | "finished again" => {
            ok(&app, "noveler_complete", json!({"episode": 2})).await;
            if case == "finished again" {
                ok(&app, "noveler_complete", json!({"episode": 1, "auto_publish": true})).await;
                sample.file(FIRST, "# 第一話　雨\n\n　雨だ。\n");
            }
            ("noveler_complete", episode)
        }
        "blurb" => {
            // An older one, which is backed up.
            sample.file(blurb::FILE, "blurb: 前の紹介文です。\nメモ: 残すこと\n");
            ("write_blurb", json!({"content": blurb::answer().to_string(), "regenerate": true}))
        }
        "fixed" => {
            sample.file(FIRST, "# 第一話　雨\n\n　雨だ・・・。\n　「行こう。」\n");
            ("check_fix", episode)
        }
        "judged" => {
            let asked = ok(&app, "noveler_check", episode.clone()).await;
            let mut arguments = asked["submit"]["arguments"].clone();
            arguments["judgements"] = judgements(&asked, QUOTE, 1.0);
            ("noveler_check", arguments)
        }
        "proofread" => {
            let asked = ok(&app, "check_proofreading", episode.clone()).await;
            let mut arguments = asked["submit"]["arguments"].clone();
            arguments["corrections"] = json!([{"quote": "備考のない海が", "correction": "備考のない海は", "kind": "grammar", "reason": "主題。"}]);
            ("check_proofreading", arguments)
        }
        "state" => {
            let fact = json!({"kind": "attribute", "subject": "海", "about": "備考", "value": "なし", "quote": QUOTE});
            let state = json!({"summary": "検潮所に着いた日のこと。", "facts": [fact]});
            ("record_episode_state", json!({"episode": 1, "state": state}))
        }
        "step" => {
            let tasks = ok(&app, "get_check_tasks", episode.clone()).await;
            let id = &tasks["session_id"];
            ("execute_check_step", json!({"episode": 1, "session_id": id, "step_id": 1}))
        }
        other => panic!("no case {other}"),
    }
}

/// All cases. Each has a test below.
const CASES: [&str; 29] = [
    "write",
    "create",
    "restore",
    "prune",
    "plot",
    "blurb",
    "at once",
    "draft",
    "last answer",
    "first stage",
    "first step",
    "resumed",
    "recovered",
    "enhanced",
    "finished",
    "finished again",
    "fixed",
    "rewritten",
    "checked",
    "rhythm",
    "expression",
    "structure",
    "elements",
    "whole check",
    "judged",
    "proofread",
    "state",
    "tasks",
    "step",
];

/// Tools without a case of their own, with the tool that uses the same code.
const SAME: [(&str, &str); 10] = [
    ("write_step_2", "write_step_1"),
    ("write_step_3", "write_step_1"),
    ("write_step_4", "write_step_1"),
    ("write_step_5", "write_step_1"),
    ("write_step_6", "write_step_1"),
    ("write_step_7", "write_step_1"),
    ("write_step_8", "write_step_1"),
    ("write_step_9", "write_step_1"),
    ("write_step_10", "write_step_1"),
    // Its command selects the tool.
    ("noveler", "noveler_write"),
];

/// Returns what people and tools see of a novel after the next start.
fn seen(sample: &Sample) -> String {
    let app = sample.app();
    // The first thing that a server does.
    Handle::current().block_on(fumi_tools::novel::finish_interrupted(&app.kernel.roots, &app.kernel.writers));
    let answer = |tool, arguments| Handle::current().block_on(ok(&app, tool, arguments));
    let backups = answer("backup_management", json!({"action": "list"}));
    // A copy that was made before a write does not count as its result.
    let own = |backup: &&Value| !backup["reason"].as_str().is_some_and(|reason| reason.starts_with("before "));
    let backups: Vec<&Value> = backups["backups"].as_array().unwrap().iter().filter(own).collect();
    let mut shown = vec![
        answer("status", json!({})).to_string(),
        answer("get_check_history", json!({"episode": 1})).to_string(),
        json!(backups).to_string(),
    ];
    let root = sample.root();
    for (path, content) in sample.state() {
        let Ok(path) = path.strip_prefix(&root) else { continue };
        let path = path.to_string_lossy();
        let is_published = path.starts_with(".noveler/publish/");
        let is_own = path.split('/').any(|part| part.starts_with('.')) || path.starts_with("90_バックアップ");
        if content.is_empty() || (is_own && !is_published) {
            continue;
        }
        // A book contains the time, and the records contain the book's hash.
        let content = match Path::new(&*path).extension().and_then(|extension| extension.to_str()) {
            Some("epub" | "html" | "json") => String::new(),
            _ => String::from_utf8_lossy(&content).into_owned(),
        };
        shown.push(format!("{path}: {content}"));
    }
    let varying = [
        r"\d{8}[T_]\d{6}Z?[-_][0-9a-f]{8}",
        r"\d{4}-\d\d-\d\dT[0-9:.]+Z",
        r#""(execution_time\w*|elapsed_ms|created_at|median_stage_seconds|size_bytes|total_size_bytes)":[^,}]+"#,
        r#""estimated_remaining_work":"[^"]*""#,
    ];
    varying
        .iter()
        .fold(shown.join("\n"), |text, varying| Regex::new(varying).unwrap().replace_all(&text, "~").into_owned())
}

fn copied(sample: &Sample) -> Sample {
    let to = Sample::empty();
    copy(&sample.root(), &to.root());
    to
}

/// Cases whose results are not visible to people or tools at once: only hidden files differ.
const HIDDEN: [&str; 2] = ["converted", "tasks"];

/// Returns the files of a novel by path: those of people, or with `others` the rest.
fn files(sample: &Sample, others: bool) -> Vec<(String, Vec<u8>)> {
    let root = sample.root();
    let all = sample.state().into_iter().filter_map(|(path, content)| {
        let path = path.strip_prefix(&root).ok()?.to_string_lossy().into_owned();
        let is_other = path.split('/').any(|part| part.starts_with('.')) || path.starts_with("90_バックアップ");
        (is_other == others && !content.is_empty()).then_some((path, content))
    });
    all.collect()
}

/// Returns the files of people whose old text is neither in its place nor in a backup.
fn lost(before: &Sample, now: &Sample) -> Vec<String> {
    let (owned, others) = (files(now, false), files(now, true));
    let is_kept = |(path, content): &(String, Vec<u8>)| {
        let mut copies = others.iter().filter(|(copy, _)| copy.ends_with(&format!("/files/{path}")));
        owned.contains(&(path.clone(), content.clone())) || copies.any(|(_, copy)| copy == content)
    };
    let gone = files(before, false).into_iter().filter(|file| !is_kept(file));
    gone.map(|(path, _)| path).collect()
}

/// Kills the server at every place of a case.
async fn dies_everywhere(case: &'static str) {
    let (before, (tool, arguments)) = written(case).await;
    let kill = move || {
        let after = copied(&before);
        let places = Mortal::start(&after, "list").places(tool, &arguments);
        assert!(places.len() >= 4, "{case}: {places:?}");
        let (nothing, all) = (seen(&copied(&before)), seen(&after));
        assert_eq!(nothing == all, HIDDEN.contains(&case), "{case}: {all}");
        assert!(nothing != all || files(&before, true) != files(&after, true), "{case}");
        for number in 1..=places.len() {
            let sample = copied(&before);
            let place = Mortal::start(&sample, &number.to_string()).dies(tool, &arguments);
            let now = seen(&sample);
            assert_eq!(lost(&before, &sample), [""; 0], "{case}: killed at {place}");
            assert!(
                now == nothing || now == all,
                "{case}: killed at {place}, it is neither:\n{now}\nnor nothing:\n{nothing}\nnor all:\n{all}"
            );
        }
    };
    tokio::task::spawn_blocking(kill).await.unwrap();
}

macro_rules! cases {
    ($($name:ident: $case:literal,)*) => {
        $(
            #[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                assert!(CASES.contains(&$case) || $case == "converted");
                dies_everywhere($case).await;
            }
        )*
    };
}

cases! {
    a_write_is_all_or_nothing: "write",
    a_backup_is_all_or_nothing: "create",
    a_restoration_is_all_or_nothing: "restore",
    a_pruning_is_all_or_nothing: "prune",
    a_plot_is_all_or_nothing: "plot",
    a_blurb_is_all_or_nothing: "blurb",
    a_text_in_one_go_is_all_or_nothing: "at once",
    a_draft_in_its_place_is_all_or_nothing: "draft",
    the_last_answer_is_all_or_nothing: "last answer",
    a_first_stage_is_all_or_nothing: "first stage",
    a_first_step_is_all_or_nothing: "first step",
    a_resumed_session_is_all_or_nothing: "resumed",
    a_recovered_session_is_all_or_nothing: "recovered",
    a_diagnosed_step_is_all_or_nothing: "enhanced",
    a_finished_episode_is_all_or_nothing: "finished",
    an_episode_that_is_finished_again_is_all_or_nothing: "finished again",
    a_fix_is_all_or_nothing: "fixed",
    a_rewritten_passage_is_all_or_nothing: "rewritten",
    a_check_is_all_or_nothing: "checked",
    a_check_of_rhythm_is_all_or_nothing: "rhythm",
    a_check_of_expression_is_all_or_nothing: "expression",
    a_check_of_structure_is_all_or_nothing: "structure",
    a_check_of_elements_is_all_or_nothing: "elements",
    a_whole_check_is_all_or_nothing: "whole check",
    a_judged_check_is_all_or_nothing: "judged",
    a_proofreading_is_all_or_nothing: "proofread",
    a_recorded_state_is_all_or_nothing: "state",
    a_begun_review_is_all_or_nothing: "tasks",
    a_step_of_a_review_is_all_or_nothing: "step",
    a_converted_result_is_all_or_nothing: "converted",
}

/// A reply that is written to a file: before, the old file or none; after, the new one; and no unfinished file after
/// the next start.
#[tokio::test(flavor = "multi_thread")]
async fn an_output_file_is_all_or_nothing() {
    let arguments = json!({"output_file": "deep/report.json", "suppress_output": true});
    let output = Path::new(".fumi/output/deep/report.json");
    let kill = move |old: Option<&'static str>| {
        let before = novel();
        if let Some(old) = old {
            before.file(&output.to_string_lossy(), old);
        }
        let written = |sample: &Sample| std::fs::read_to_string(sample.root().join(output)).ok();
        // Except its time.
        let is_new = |text: &str| serde_json::from_str::<Value>(text).is_ok_and(|reply| reply["success"] == true);
        let after = copied(&before);
        let places = Mortal::start(&after, "list").places("status", &arguments);
        assert!(is_new(&written(&after).unwrap()));
        let (mut old_ones, mut new_ones) = (0, 0);
        for number in 1..=places.len() {
            let sample = copied(&before);
            let place = Mortal::start(&sample, &number.to_string()).dies("status", &arguments);
            let left = written(&sample);
            if left.as_deref() == old {
                old_ones += 1;
            } else {
                assert!(left.as_deref().is_some_and(is_new), "killed at {place}: {left:?}");
                new_ones += 1;
            }
            drop(Mortal::start(&sample, ""));
            let unfinished: Vec<_> = sample
                .state()
                .into_iter()
                .map(|(path, _)| path)
                .filter(|path| path.to_string_lossy().contains(".fumi-new-"))
                .collect();
            assert!(unfinished.is_empty(), "killed at {place}: {unfinished:?}");
            assert_eq!(written(&sample), left, "killed at {place}");
        }
        assert!(old_ones >= 3 && new_ones >= 2, "{places:?}");
    };
    let kills = move || [None, Some("old")].map(kill);
    tokio::task::spawn_blocking(kills).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn no_tool_that_writes_and_no_step_of_a_write_is_left_out() {
    let (mut tools, mut kinds) = (BTreeSet::new(), BTreeSet::new());
    for case in CASES.into_iter().chain(["converted"]) {
        let (sample, (tool, arguments)) = written(case).await;
        tools.insert(tool);
        let list = move || Mortal::start(&sample, "list").places(tool, &arguments);
        let places = tokio::task::spawn_blocking(list).await.unwrap();
        kinds.extend(places.iter().map(|place| place.split(' ').nth(1).unwrap().to_owned()));
    }
    tools.extend(SAME.iter().filter(|(_, same)| tools.contains(same)).map(|(tool, _)| *tool).collect::<Vec<_>>());
    let app = novel().app();
    let entries = app.catalogue.entries().iter().filter(|entry| entry.spec.family.name == "novel");
    let writing = entries.filter(|entry| matches!(entry.spec.effect, Effect::Write | Effect::Records));
    let left_out: Vec<_> = writing.map(|entry| entry.spec.name).filter(|name| !tools.contains(name)).collect();
    assert_eq!(left_out, [""; 0], "tools that write");
    let source = include_str!("../../../src/base/atomic_write.rs");
    let steps = Regex::new(r#"reach\("(\w+)""#).unwrap();
    let steps: BTreeSet<String> = steps.captures_iter(source).map(|step| step[1].to_owned()).collect();
    assert_eq!(kinds, steps, "steps of writes");
}

/// Returns the files of a new novel, without fumi's own.
fn new_novel(sample: &Sample) -> Vec<(String, Vec<u8>)> {
    let folder = sample.root().join("新作");
    let files = sample.state().into_iter().filter_map(|(path, content)| {
        let path = path.strip_prefix(&folder).ok()?.to_string_lossy().into_owned();
        (!path.starts_with('.') && !content.is_empty()).then_some((path, content))
    });
    files.collect()
}

#[test]
fn a_new_novel_that_was_killed_is_made_by_the_same_command() {
    let make = |sample: &Sample, wish: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fumi"));
        undisturbed(&mut command);
        command.current_dir(sample.root()).env("FUMI_FAILPOINT", wish);
        command.args(["novel", "new", "新作", "--title", "題"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let whole = Sample::empty();
    let listed = make(&whole, "list").wait_with_output().unwrap();
    let places = String::from_utf8(listed.stderr).unwrap().lines().count();
    let expected = new_novel(&whole);
    assert!(expected.len() > 10 && places > expected.len() * 5, "{places}");
    for number in 1..=places {
        let sample = Sample::empty();
        let mut dying = make(&sample, &number.to_string());
        let mut place = String::new();
        BufReader::new(dying.stderr.as_mut().unwrap()).read_line(&mut place).unwrap();
        dying.kill().unwrap();
        dying.wait().unwrap();
        // A complete novel is refused because the folder is not empty.
        let is_whole = new_novel(&sample) == expected;
        let again = make(&sample, "").wait_with_output().unwrap();
        assert!(again.status.success() || is_whole, "{place}: {}", String::from_utf8_lossy(&again.stderr));
        assert_eq!(new_novel(&sample), expected, "{place}");
    }
}

#[test]
fn a_new_novel_replaces_nothing_in_one_that_another_call_left() {
    let sample = novel();
    sample.file(".noveler/together/note.yaml", "restores: null\nfiles: []\n");
    let before = files(&sample, false);
    let mut command = Command::new(env!("CARGO_BIN_EXE_fumi"));
    undisturbed(&mut command);
    command.current_dir(sample.root());
    let made = command.args(["novel", "new", ".", "--title", "題"]).output().unwrap();
    assert!(!made.status.success(), "{}", String::from_utf8_lossy(&made.stdout));
    assert_eq!(files(&sample, false), before);
}
