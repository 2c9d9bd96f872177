//! Files of a novel by their content, artifacts, backups, and writing a file: on a copy of the sample novel, through
//! the pipeline.
//!
//! Hashes are compared with those of `sha256sum`, a program that is independent of fumi.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::symlink,
    process::Command,
    sync::Arc,
};

use fumi::app::App;
use fumi_base::text::Locale;
use fumi_kernel::{Access, Caller, ToolReply};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::novel;
use crate::{
    catalogue::answers_as_published,
    sample::{Sample, call, call_as},
    taught::{is_japanese, refused},
};

const MANUSCRIPT: &str = "40_原稿/第001話_こぶとえくぼ.md";
const PLOT: &str = "20_プロット/話別/第001話.yaml";

/// Returns the hashes of files by another program, by path.
fn sha256sum(sample: &Sample, paths: &[&str]) -> BTreeMap<String, String> {
    let output = Command::new("sha256sum").args(paths).current_dir(sample.root()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let lines = String::from_utf8(output.stdout).unwrap();
    let pair = |line: &str| line.split_once("  ").map(|(hash, path)| (path.to_owned(), hash.to_owned()));
    lines.lines().filter_map(pair).collect()
}

fn hash_of(sample: &Sample, path: &str) -> String {
    sha256sum(sample, &[path])[path].clone()
}

/// Makes a call that must succeed and be valid under its schema.
#[track_caller]
fn served(app: &App, tool: &str, reply: ToolReply) -> Value {
    assert!(!reply.is_error, "{tool}: {}", reply.text);
    assert!(!reply.text.trim().is_empty(), "{tool} has no text");
    let entry = app.catalogue.entries().iter().find(|entry| entry.spec.name == tool).unwrap();
    answers_as_published(entry, &reply.structured);
    reply.structured
}

async fn done(app: &App, tool: &str, arguments: Value) -> Value {
    let reply = call(app, tool, arguments).await;
    served(app, tool, reply)
}

/// Makes a call that must fail with a code and a kind, in both languages, and must not change the project.
async fn kind_of(sample: &Sample, app: &App, tool: &str, arguments: Value, code: &str) -> String {
    // The lease of a writer is not part of the novel.
    let state = || {
        let mut state = sample.state();
        state.retain(|(path, _)| !path.to_string_lossy().contains(".noveler/locks"));
        state.retain(|(path, content)| !(path.ends_with(".noveler") && content.is_empty()));
        state
    };
    let before = state();
    let reply = call(app, tool, arguments.clone()).await;
    refused(app, &reply, &[code]);
    let ja = Caller { locale: Locale::Ja, ..Caller::default() };
    let said = call_as(app, tool, arguments, ja, CancellationToken::new()).await;
    let message = refused(app, &said, &[code]);
    assert!(is_japanese(&message), "{message}");
    assert_eq!(state(), before, "{tool} was refused and left something");
    let url = reply.structured["error"]["troubleshooting_url"].as_str().unwrap();
    url.rsplit('#').next().unwrap().to_owned()
}

fn files(value: &Value) -> Vec<&str> {
    let rows = value.as_array().unwrap();
    rows.iter().map(|row| row["path"].as_str().unwrap_or_default()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_known_by_the_hashes_that_sha256sum_finds() {
    let sample = novel();
    sample.file(".hidden.md", "x");
    let app = sample.app();
    let listed = done(&app, "list_files_with_hashes", json!({})).await;
    let all = listed["files"].as_array().unwrap();
    let paths = files(&listed["files"]);
    assert!(paths.len() > 12 && paths.is_sorted() && !paths.contains(&".hidden.md"), "{paths:?}");
    let truth = sha256sum(&sample, &paths);
    for row in all {
        let path = row["path"].as_str().unwrap();
        assert_eq!(row["sha256"], truth[path], "{path}");
        let size = fs::metadata(sample.root().join(path)).unwrap().len();
        assert_eq!(row["size_bytes"], size, "{path}");
    }
    let some =
        done(&app, "list_files_with_hashes", json!({"path": "40_原稿", "pattern": "第*話*.md", "limit": 2})).await;
    assert_eq!((some["count"].as_u64(), some["truncated"] == true), (Some(2), true));
    let one = done(&app, "list_files_with_hashes", json!({"path": MANUSCRIPT})).await;
    assert_eq!(files(&one["files"]), [MANUSCRIPT]);
    let info = done(&app, "get_file_reference_info", json!({"file_path": MANUSCRIPT})).await;
    assert_eq!(info["sha256"], truth[MANUSCRIPT]);
    assert_eq!(info["artifact_id"], format!("artifact:{}", &truth[MANUSCRIPT][..12]));
    assert!(info["mtime"].as_str().unwrap().ends_with('Z') && info["encoding"] == "utf-8", "{info}");
    // A moved file is found by its content.
    fs::rename(sample.root().join(MANUSCRIPT), sample.root().join("第一話.md")).unwrap();
    for hash in [&truth[MANUSCRIPT][..12], &truth[MANUSCRIPT], &format!("sha256:{}", truth[MANUSCRIPT])] {
        let found = done(&app, "get_file_by_hash", json!({"hash": hash})).await;
        assert_eq!(files(&found["files"]), ["第一話.md"]);
        assert_eq!(found["hash"], truth[MANUSCRIPT]);
    }
    for (tool, arguments, code, kind) in [
        ("get_file_by_hash", json!({"hash": "abc"}), "INVALID_ARGUMENTS", "NOT_A_HASH"),
        ("get_file_by_hash", json!({"hash": "0123456789abcdef"}), "FILE_NOT_FOUND", "ARTIFACT_NOT_FOUND"),
        ("get_file_reference_info", json!({"file_path": "40_原稿"}), "INVALID_ARGUMENTS", "NOT_A_FILE"),
        ("get_file_reference_info", json!({"file_path": "40_原稿/ない.md"}), "FILE_NOT_FOUND", "FILE_NOT_FOUND"),
        ("list_files_with_hashes", json!({"pattern": "[a"}), "INVALID_QUERY", "INVALID_FILE_PATTERN"),
        ("list_files_with_hashes", json!({"path": "nowhere"}), "FILE_NOT_FOUND", "FILE_NOT_FOUND"),
    ] {
        assert_eq!(kind_of(&sample, &app, tool, arguments, code).await, kind);
    }
}

/// The hashes of these two texts begin with the same 48 bits.
const TWINS: [&str; 2] = ["collision 6594748\n", "collision 7638166\n"];

#[tokio::test(flavor = "multi_thread")]
async fn an_ambiguous_hash_prefix_selects_no_file() {
    let sample = novel();
    sample.file("一.txt", TWINS[0]).file("二.txt", TWINS[1]).file("同じ.txt", TWINS[0]);
    let truth = sha256sum(&sample, &["一.txt", "二.txt"]);
    assert_eq!(truth["一.txt"][..12], truth["二.txt"][..12]);
    let app = sample.app();
    let short = &truth["一.txt"][..12];
    for (tool, arguments) in [
        ("get_file_by_hash", json!({"hash": short})),
        ("fetch_artifact", json!({"artifact_id": format!("artifact:{short}")})),
    ] {
        assert_eq!(kind_of(&sample, &app, tool, arguments, "INVALID_ARGUMENTS").await, "HASH_AMBIGUOUS");
    }
    let found = done(&app, "get_file_by_hash", json!({"hash": truth["一.txt"]})).await;
    assert_eq!(files(&found["files"]), ["一.txt", "同じ.txt"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_missing_and_new_files_are_distinguished() {
    let sample = novel();
    let app = sample.app();
    let listed = done(&app, "list_files_with_hashes", json!({"path": "40_原稿"})).await;
    let noted: Vec<Value> = listed["files"].as_array().unwrap().clone();
    let noted: Vec<Value> = noted.iter().map(|row| json!({"path": row["path"], "hash": row["sha256"]})).collect();
    let same = done(&app, "check_file_changes", json!({"files": noted})).await;
    assert_eq!((same["is_unchanged"] == true, same["unchanged"].as_array().unwrap().len()), (true, 3));
    sample.file(MANUSCRIPT, "夜。").file("40_原稿/第004話_雨.md", "雨。");
    fs::remove_file(sample.root().join("40_原稿/第003話_備考.md")).unwrap();
    let now = done(&app, "check_file_changes", json!({"files": noted})).await;
    assert_eq!(files(&now["changed"]), [MANUSCRIPT]);
    assert_eq!(now["changed"][0]["sha256"], hash_of(&sample, MANUSCRIPT));
    assert_eq!(now["missing"], json!(["40_原稿/第003話_備考.md"]));
    assert_eq!(now["new"], json!(["40_原稿/第004話_雨.md"]));
    assert_eq!(now["unchanged"].as_array().unwrap().len(), 1);
    let outside = sample.outside();
    fs::write(outside.join("secret.md"), "秘密").unwrap();
    symlink(&outside, sample.root().join("外")).unwrap();
    for (path, code) in [
        ("../outside/secret.md", "PATH_TRAVERSAL"),
        ("外/secret.md", "OUTSIDE_PROJECT"),
        ("/etc/passwd", "OUTSIDE_PROJECT"),
        ("．．/outside/secret.md", "PATH_TRAVERSAL"),
        ("a\u{0}b", "PATH_TRAVERSAL"),
    ] {
        let arguments = json!({"files": [{"path": path, "hash": "0123456789ab"}]});
        assert_eq!(kind_of(&sample, &app, "check_file_changes", arguments, code).await, code);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_is_fetched_by_its_id_whole_or_in_parts() {
    let sample = novel();
    let app = sample.app();
    let id = |path: &str| format!("artifact:{}", &hash_of(&sample, path)[..12]);
    let whole = done(&app, "fetch_artifact", json!({"artifact_id": id(MANUSCRIPT)})).await;
    let text = sample.read(MANUSCRIPT);
    assert_eq!(whole["content"], text);
    assert_eq!((&whole["path"], &whole["hash"]), (&json!(MANUSCRIPT), &json!(hash_of(&sample, MANUSCRIPT))));
    let part = done(&app, "fetch_artifact", json!({"artifact_id": id(MANUSCRIPT), "section": "3-5"})).await;
    let lines: Vec<&str> = text.split_inclusive('\n').skip(2).take(3).collect();
    assert_eq!(
        (&part["content"], &part["start_line"], &part["end_line"]),
        (&json!(lines.concat()), &json!(3), &json!(5))
    );
    let heading =
        done(&app, "fetch_artifact", json!({"artifact_id": id(MANUSCRIPT), "section": "第一話　こぶとえくぼ"})).await;
    assert_eq!(heading["content"], text);
    let outline = done(&app, "fetch_artifact", json!({"artifact_id": id(MANUSCRIPT), "format": "json"})).await;
    assert_eq!(outline["headings"][0]["heading"], "# 第一話　こぶとえくぼ");
    let value = done(
        &app,
        "fetch_artifact",
        json!({"artifact_id": id(PLOT), "section": "/episode_info/episode_number", "format": "json"}),
    )
    .await;
    assert_eq!(value["data"], json!({"value": 1}));
    let all = done(&app, "fetch_artifact", json!({"artifact_id": id(PLOT), "format": "json"})).await;
    let title = done(&app, "fetch_artifact", json!({"artifact_id": id(PLOT), "section": "/episode_info/title"})).await;
    assert_eq!(title["content"], all["data"]["episode_info"]["title"]);
    let info = done(&app, "fetch_artifact", json!({"artifact_id": id(PLOT), "section": "/episode_info"})).await;
    let said: Value = serde_json::from_str(info["content"].as_str().unwrap()).unwrap();
    assert_eq!(said, all["data"]["episode_info"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_fetch_lists_the_existing_artifacts() {
    let sample = novel();
    let app = sample.app();
    let id = |path: &str| format!("artifact:{}", &hash_of(&sample, path)[..12]);
    // In another encoding.
    let (bytes, ..) =
        encoding_rs::SHIFT_JIS.encode("　吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\n");
    sample.file("40_原稿/猫.txt", &bytes);
    let cat = done(&app, "fetch_artifact", json!({"artifact_id": id("40_原稿/猫.txt")})).await;
    assert_eq!((&cat["encoding"], &cat["total_lines"]), (&json!("shift_jis"), &json!(1)));
    assert!(cat["content"].as_str().unwrap().starts_with("　吾輩は"), "{cat}");
    sample.file("絵.epub", [0x50, 0x4b, 3, 4, 0, 0]);
    for (arguments, code, kind) in [
        (json!({"artifact_id": id("絵.epub")}), "UNSUPPORTED_LANGUAGE", "NOT_A_TEXT"),
        (json!({"artifact_id": "artifact:xyz"}), "INVALID_ARGUMENTS", "NOT_A_HASH"),
        (json!({"artifact_id": "artifact:0123456789ab"}), "FILE_NOT_FOUND", "ARTIFACT_NOT_FOUND"),
        (json!({"artifact_id": id(MANUSCRIPT), "section": "終章"}), "INVALID_ARGUMENTS", "SECTION_NOT_FOUND"),
        (json!({"artifact_id": id(MANUSCRIPT), "section": "9000-9001"}), "INVALID_ARGUMENTS", "LINES_NOT_FOUND"),
        (json!({"artifact_id": id(MANUSCRIPT), "section": "/title"}), "INVALID_ARGUMENTS", "NOT_DATA"),
        (json!({"artifact_id": id(PLOT), "section": "/episode_info/nothing"}), "INVALID_ARGUMENTS", "VALUE_NOT_FOUND"),
    ] {
        assert_eq!(kind_of(&sample, &app, "fetch_artifact", arguments, code).await, kind);
    }
    // The error lists the existing sections.
    let reply = call(&app, "fetch_artifact", json!({"artifact_id": id(MANUSCRIPT), "section": "終章"})).await;
    assert!(reply.text.contains("# 第一話　こぶとえくぼ"), "{}", reply.text);
    let reply =
        call(&app, "fetch_artifact", json!({"artifact_id": id(PLOT), "section": "/episode_info/nothing"})).await;
    assert!(reply.text.contains("/episode_info/title"), "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_text_comes_in_parts_that_add_up() {
    let sample = novel();
    let line = |at: usize| format!("{at}行目。{}\n", "雨が降る。".repeat(30));
    let text: String = (0..400).map(line).chain(["長".repeat(40_000)]).collect();
    sample.file("40_原稿/第009話_長い.md", &text);
    let data: BTreeMap<String, String> = (0..300).map(|at| (format!("鍵{at:03}"), line(at))).collect();
    sample.file("50_管理資料/大.json", serde_json::to_string(&data).unwrap());
    let app = sample.app();
    let id = hash_of(&sample, "40_原稿/第009話_長い.md");
    let mut read = String::new();
    let mut section = None;
    let mut calls = 0;
    loop {
        let mut arguments = json!({"artifact_id": id});
        if let Some(section) = &section {
            arguments["section"] = json!(section);
        }
        let reply = call(&app, "fetch_artifact", arguments).await;
        assert!(reply.tokens() <= 25_000 && reply.text.len() <= 36_000);
        let next = reply.structured["next_section"].as_str().map(str::to_owned);
        assert_eq!(next.is_some(), reply.structured["truncated"] == true);
        if let Some(next) = &next {
            assert!(reply.text.contains(next), "the text does not say how to go on");
        }
        read.push_str(served(&app, "fetch_artifact", reply)["content"].as_str().unwrap());
        calls += 1;
        assert!(calls < 50);
        match next {
            Some(next) => section = Some(next),
            None => break,
        }
    }
    assert!(calls > 2, "{calls}");
    assert!(read == text, "the parts are not the text");
    // Large data list their keys first, and each of them can be fetched.
    let id = hash_of(&sample, "50_管理資料/大.json");
    let keys = done(&app, "fetch_artifact", json!({"artifact_id": id, "format": "json"})).await;
    assert_eq!((&keys["truncated"], &keys["next_section"]), (&json!(true), &json!("/鍵000")));
    let one = done(&app, "fetch_artifact", json!({"artifact_id": id, "section": "/鍵007"})).await;
    assert_eq!(one["content"], line(7));
}

#[tokio::test(flavor = "multi_thread")]
async fn artifacts_are_listed_with_what_made_them_and_what_is_broken() {
    let sample = novel();
    let text = "theme: 潮\n";
    sample.file("text.yaml", text);
    let hash = hash_of(&sample, "text.yaml");
    fs::remove_file(sample.root().join("text.yaml")).unwrap();
    let session = ".noveler/writes/session_20260131_100000_0123abcd";
    let stage = format!("{session}/stage_01-{}.yaml", &hash[..12]);
    sample.file(&stage, text);
    let half = format!("{session}/stage_02-{}.yaml", &hash[..12]);
    sample.file(&half, "theme: 別\n");
    let app = sample.app();
    let stages = done(&app, "list_artifacts", json!({"place": "stage"})).await;
    assert_eq!(files(&stages["artifacts"]), [&stage]);
    let row = &stages["artifacts"][0];
    assert_eq!(
        (&row["hash"], &row["source_tool"], &row["size"]),
        (&json!(hash), &json!("write_stage"), &json!(text.len()))
    );
    assert!(row["created_at"].as_str().unwrap().ends_with('Z'), "{row}");
    assert_eq!(stages["broken"], json!([half]));
    let fetched = done(&app, "fetch_artifact", json!({"artifact_id": row["artifact_id"], "section": "/theme"})).await;
    assert_eq!((&fetched["content"], &fetched["place"]), (&json!("潮"), &json!("stage")));
    let all = done(&app, "list_artifacts", json!({})).await;
    let paths = files(&all["artifacts"]);
    for path in [&stage, MANUSCRIPT, PLOT, "プロジェクト設定.yaml", "30_設定集/用語集.yaml"] {
        assert!(paths.contains(&path), "{path} is not among {paths:?}");
    }
    let mut once = paths.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), paths.len());
    let novel = done(&app, "list_artifacts", json!({"place": "novel"})).await;
    assert!(!files(&novel["artifacts"]).contains(&stage.as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_written_only_with_its_current_hash() {
    let sample = novel();
    let app = sample.app();
    let new = json!({"file_path": "40_原稿/第004話_雨.md", "content": "雨。\n"});
    let reply = done(&app, "write", new.clone()).await;
    let path = "40_原稿/第004話_雨.md";
    assert_eq!(sample.read(path), "雨。\n");
    assert_eq!(reply["sha256"], hash_of(&sample, path));
    assert_eq!(
        (&reply["relative_path"], &reply["content_length"], &reply["size_bytes"]),
        (&json!(path), &json!(3), &json!(7))
    );
    assert_eq!(reply["absolute_path"], json!(sample.root().join(path)));
    assert_eq!((&reply["project_root"], &reply["created"]), (&json!(sample.root()), &json!(true)));
    // The same call again, and a call with another file's hash: the current hash is returned, and the content is not
    // repeated.
    for (arguments, code) in [
        (new.clone(), "FILE_EXISTS"),
        (json!({"file_path": path, "content": "雪。\n", "expected_hash": "0123456789ab"}), "HASH_MISMATCH"),
        (
            json!({"file_path": path, "content": "雪。\n", "expected_hash": "0123456789ab", "overwrite": true}),
            "HASH_MISMATCH",
        ),
    ] {
        let content = arguments["content"].as_str().unwrap().to_owned();
        let refused = call(&app, "write", arguments.clone()).await;
        assert_eq!(refused.structured["error"]["details"]["current_hash"], hash_of(&sample, path));
        let told = &refused.structured["arguments"];
        sample.file("content", &content);
        let digest = json!({"content_length": 3, "sha256": hash_of(&sample, "content")});
        assert_eq!((&told["file_path"], &told["content"]), (&json!(path), &digest));
        assert_eq!(kind_of(&sample, &app, "write", arguments, code).await, code);
    }
    let known = json!({"file_path": path, "content": "雪。\n", "expected_hash": reply["sha256"]});
    let replaced = done(&app, "write", known.clone()).await;
    assert_eq!(sample.read(path), "雪。\n");
    assert_eq!((&replaced["created"], &replaced["replaced"]["sha256"]), (&json!(false), &reply["sha256"]));
    // The caller's hash is that of the old content.
    assert_eq!(kind_of(&sample, &app, "write", known, "HASH_MISMATCH").await, "HASH_MISMATCH");
    let id = replaced["replaced"]["backup_id"].as_str().unwrap();
    let folder = replaced["replaced"]["backup_path"].as_str().unwrap();
    assert_eq!(sample.read(&format!("{folder}/files/{path}")), "雨。\n");
    done(&app, "backup_management", json!({"action": "restore", "backup_id": id})).await;
    assert_eq!(sample.read(path), "雨。\n");
    let same = done(&app, "write", json!({"file_path": path, "content": "雨。\n", "overwrite": true})).await;
    assert_eq!((&same["unchanged"], same.get("replaced")), (&json!(true), None));
    let gone = json!({"file_path": "40_原稿/第005話.md", "content": "x", "expected_hash": "0123456789ab"});
    assert_eq!(kind_of(&sample, &app, "write", gone, "HASH_MISMATCH").await, "FILE_GONE");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_another_encoding_is_replaced_and_reported() {
    let sample = novel();
    let (bytes, ..) =
        encoding_rs::SHIFT_JIS.encode("　吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\n");
    sample.file("40_原稿/猫.txt", &bytes);
    let app = sample.app();
    let arguments = json!({"file_path": "40_原稿/猫.txt", "content": "犬。", "overwrite": true});
    let reply = done(&app, "write", arguments).await;
    assert_eq!(reply["replaced"]["encoding"], "shift_jis");
    let folder = reply["replaced"]["backup_path"].as_str().unwrap();
    let kept = fs::read(sample.root().join(format!("{folder}/files/40_原稿/猫.txt"))).unwrap();
    assert_eq!(kept, bytes.as_ref());
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_programs_and_outside_files_are_not_written() {
    let sample = novel();
    let outside = sample.outside();
    fs::write(outside.join("x.md"), "外").unwrap();
    symlink(&outside, sample.root().join("外")).unwrap();
    symlink(outside.join("x.md"), sample.root().join("外.md")).unwrap();
    symlink(outside.join("new.md"), sample.root().join("新.md")).unwrap();
    sample.file(".noveler/sessions/a.yaml", "a: 1");
    symlink(".noveler", sample.root().join("state")).unwrap();
    let app = sample.app();
    for (path, code, kind) in [
        (".noveler/sessions/a.yaml", "READ_ONLY", "KEPT_BY_PROGRAMS"),
        (".noveler/writes/s/stage_01.yaml", "READ_ONLY", "KEPT_BY_PROGRAMS"),
        (".noveler/locks/write", "READ_ONLY", "KEPT_BY_PROGRAMS"),
        ("./.git/hooks/pre-commit", "READ_ONLY", "KEPT_BY_PROGRAMS"),
        (".fumi/output/x.json", "READ_ONLY", "KEPT_BY_PROGRAMS"),
        ("state/sessions/a.yaml", "READ_ONLY", "KEPT_BY_PROGRAMS"),
        ("90_バックアップ/20260131T100000Z-0123abcd/manifest.yaml", "READ_ONLY", "KEPT_AS_BACKUP"),
        ("../outside/x.md", "PATH_TRAVERSAL", "PATH_TRAVERSAL"),
        ("外/x.md", "OUTSIDE_PROJECT", "OUTSIDE_PROJECT"),
        ("外.md", "OUTSIDE_PROJECT", "OUTSIDE_PROJECT"),
        ("40_原稿", "INVALID_ARGUMENTS", "NOT_A_FILE"),
        ("40_原稿/x/", "PATH_TRAVERSAL", "PATH_TRAVERSAL"),
        ("~/x.md", "PATH_TRAVERSAL", "PATH_TRAVERSAL"),
    ] {
        let arguments = json!({"file_path": path, "content": "x", "overwrite": true});
        assert_eq!(kind_of(&sample, &app, "write", arguments, code).await, kind, "{path}");
    }
    // Through a dangling link, and below a file: refused at the write.
    for path in ["新.md", "外/new.md", "state/new.yaml", "プロジェクト設定.yaml/x.md"] {
        let reply = call(&app, "write", json!({"file_path": path, "content": "x", "overwrite": true})).await;
        refused(&app, &reply, &["FILE_EXISTS"]);
    }
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(outside.join("x.md")).unwrap(), "外");
    assert_eq!(sample.read(".noveler/sessions/a.yaml"), "a: 1");
    assert!(!sample.root().join(".noveler/new.yaml").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_novel_of_four_megabytes_is_written_and_a_longer_one_is_not() {
    let sample = novel();
    let app = sample.app();
    let text = "あ".repeat((4 << 20) / 3);
    let reply = done(&app, "write", json!({"file_path": "40_原稿/長編.md", "content": text})).await;
    assert_eq!(reply["sha256"], hash_of(&sample, "40_原稿/長編.md"));
    let arguments = json!({"file_path": "40_原稿/長編2.md", "content": text + "ああ"});
    let refused = call(&app, "write", arguments.clone()).await;
    assert!(refused.structured.to_string().len() < 20_000);
    assert_eq!(kind_of(&sample, &app, "write", arguments, "FILE_TOO_LARGE").await, "CONTENT_TOO_LARGE");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_write_from_one_state_one_succeeds() {
    let sample = novel();
    let app = sample.app();
    let hash = hash_of(&sample, MANUSCRIPT);
    let all: Vec<_> = (0..8)
        .map(|at| {
            let (app, hash) = (Arc::clone(&app), hash.clone());
            tokio::spawn(async move {
                let arguments = json!({"file_path": MANUSCRIPT, "content": format!("{at}\n"), "expected_hash": hash});
                call(&app, "write", arguments).await
            })
        })
        .collect();
    let mut written = Vec::new();
    for one in all {
        let reply = one.await.unwrap();
        if reply.is_error {
            refused(&app, &reply, &["HASH_MISMATCH"]);
        } else {
            written.push(reply.structured["sha256"].clone());
        }
    }
    assert_eq!(written, [json!(hash_of(&sample, MANUSCRIPT))]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_novel_comes_back_from_its_backup_after_damage() {
    let sample = novel();
    let app = sample.app();
    let made = done(&app, "backup_management", json!({"action": "create", "reason": "第二稿の前"})).await;
    let backup = &made["backup"];
    let id = backup["backup_id"].as_str().unwrap();
    assert!(backup["total_files"].as_u64().unwrap() > 10 && backup["reason"] == "第二稿の前", "{backup}");
    let text = sample.read(MANUSCRIPT);
    fs::remove_dir_all(sample.root().join("30_設定集")).unwrap();
    sample.file(MANUSCRIPT, "壊れた");
    let whole = done(&app, "backup_management", json!({"action": "verify", "backup_id": id})).await;
    assert_eq!(whole["is_whole"], true);
    let restored = done(&app, "backup_management", json!({"action": "restore", "backup_id": id})).await;
    assert_eq!(sample.read(MANUSCRIPT), text);
    assert!(sample.root().join("30_設定集/用語集.yaml").exists());
    assert_eq!(json!(restored["restored"].as_array().unwrap().len()), backup["total_files"]);
    // The replaced content is not lost either.
    let replaced = restored["replaced_backup_id"].as_str().unwrap();
    done(&app, "backup_management", json!({"action": "restore", "backup_id": replaced, "paths": [MANUSCRIPT]})).await;
    assert_eq!(sample.read(MANUSCRIPT), "壊れた");
    // A copy that was changed afterwards: the damage is reported, and the backup is not restored.
    let copy = format!("90_バックアップ/{id}/files/{MANUSCRIPT}");
    sample.file(&copy, "偽物");
    let damaged = done(&app, "backup_management", json!({"action": "verify", "backup_id": id})).await;
    assert_eq!((&damaged["is_whole"], &damaged["changed"]), (&json!(false), &json!([MANUSCRIPT])));
    let reply = call(&app, "backup_management", json!({"action": "restore", "backup_id": id})).await;
    refused(&app, &reply, &["HASH_MISMATCH"]);
    assert_eq!(sample.read(MANUSCRIPT), "壊れた");
    // The remains of a crash are listed as such, and deleted with the old backups.
    sample.file("90_バックアップ/20200101T000000Z-0123abcd/files/a.md", "半分");
    let listed = done(&app, "backup_management", json!({"action": "list"})).await;
    assert_eq!(listed["incomplete"], json!(["20200101T000000Z-0123abcd"]));
    let total = listed["total"].as_u64().unwrap();
    assert!(total >= 2, "{listed}");
    let pruned = done(&app, "backup_management", json!({"action": "prune", "keep": 1})).await;
    assert_eq!((&pruned["total"], pruned["removed"].as_array().unwrap().len() as u64), (&json!(1), total));
}

#[tokio::test(flavor = "multi_thread")]
async fn backups_refuse_invalid_arguments() {
    let sample = novel();
    let app = sample.app();
    done(&app, "backup_management", json!({"action": "create", "paths": [MANUSCRIPT]})).await;
    for (arguments, code, kind) in [
        (json!({"action": "list", "paths": [MANUSCRIPT]}), "INVALID_ARGUMENTS", "BACKUP_ARGUMENT"),
        (json!({"action": "create", "backup_id": "x"}), "INVALID_ARGUMENTS", "BACKUP_ARGUMENT"),
        (json!({"action": "verify"}), "INVALID_ARGUMENTS", "BACKUP_ID_MISSING"),
        (json!({"action": "verify", "backup_id": "../x"}), "FILE_NOT_FOUND", "BACKUP_NOT_FOUND"),
        (json!({"action": "restore", "backup_id": "20200101T000000Z-0123abcd"}), "FILE_NOT_FOUND", "BACKUP_NOT_FOUND"),
        (json!({"action": "create", "paths": ["../x"]}), "PATH_TRAVERSAL", "PATH_TRAVERSAL"),
        (json!({"action": "restore", "backup_id": "x", "paths": ["../x"]}), "PATH_TRAVERSAL", "PATH_TRAVERSAL"),
        (json!({"action": "create", "paths": [".noveler"]}), "INVALID_ARGUMENTS", "HIDDEN_PATH"),
        (json!({"action": "create", "paths": ["ない.md"]}), "FILE_NOT_FOUND", "FILE_NOT_FOUND"),
    ] {
        assert_eq!(kind_of(&sample, &app, "backup_management", arguments.clone(), code).await, kind, "{arguments}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn read_only_callers_write_nothing() {
    let sample = novel();
    let app = sample.app();
    let caller = Caller { access: Arc::new(Access { read_only: true, ..Access::default() }), ..Caller::default() };
    let before = sample.state();
    for (tool, arguments) in [
        ("write", json!({"file_path": "x.md", "content": "x"})),
        ("backup_management", json!({"action": "create"})),
        ("convert_cli_to_json", json!({"cli_result": {"output": "x".repeat(1_000)}})),
    ] {
        let reply = call_as(&app, tool, arguments, caller.clone(), CancellationToken::new()).await;
        refused(&app, &reply, &["READ_ONLY"]);
    }
    let reply = call_as(&app, "list_artifacts", json!({}), caller, CancellationToken::new()).await;
    assert!(!reply.is_error, "{}", reply.text);
    assert_eq!(sample.state(), before);
}

/// A result in the form of a command line: a long text, a table, a few figures.
fn long_result() -> Value {
    let issues: Vec<Value> = (0..80).map(|at| json!({"line": at, "message": "文末が続けて同じです。"})).collect();
    json!({
        "command": ["noveler", "check", "1"],
        "exit_code": 0,
        "stdout": "# 検査\n".to_owned() + &"第一話を調べました。\n".repeat(200),
        "duration_seconds": 1.25,
        "issues": issues,
        "score": 85,
        "note": "短い",
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_is_brought_into_one_form_and_nothing_is_lost() {
    let sample = novel();
    let app = sample.app();
    let result = long_result();
    let reply = done(&app, "convert_cli_to_json", json!({"cli_result": result})).await;
    let response = &reply["response"];
    assert_eq!(reply["model"], "StandardResponse");
    assert_eq!((&response["command"], &response["execution_time_ms"]), (&json!("noveler check 1"), &json!(1250.0)));
    assert_eq!((&response["metadata"]["score"], &response["metadata"]["note"]), (&json!(85), &json!("短い")));
    assert_eq!(response["outputs"]["total_files"], 2);
    for row in response["outputs"]["files"].as_array().unwrap() {
        let path = row["path"].as_str().unwrap();
        assert!(path.starts_with(".noveler/json_output/"), "{path}");
        assert_eq!(row["sha256"], hash_of(&sample, path));
        assert!(path.contains(row["sha256"].as_str().unwrap()));
        let field = row["field"].as_str().unwrap();
        let id = response["metadata"].pointer(field).unwrap();
        let whole = result.pointer(field).unwrap();
        let fetched = done(&app, "fetch_artifact", json!({"artifact_id": id, "section": "1-9000"})).await;
        let content = fetched["content"].as_str().unwrap();
        match whole {
            Value::String(text) => assert_eq!(content, text),
            other => assert_eq!(&serde_json::from_str::<Value>(content).unwrap(), other),
        }
        assert_eq!((&fetched["source_tool"], &fetched["place"]), (&json!("convert_cli_to_json"), &json!("output")));
    }
    assert!(reply["token_reduction"]["reduction_percent"].as_f64().unwrap() > 80.0, "{}", reply["token_reduction"]);
    let valid = done(&app, "validate_json_response", json!({"json_data": response})).await;
    assert_eq!((&valid["valid"], &valid["model"]), (&json!(true), &json!("StandardResponse")), "{valid}");
    // Converting it again, and converting the result: no new file is written, and the result is the same.
    let before = sample.state();
    let again = done(&app, "convert_cli_to_json", json!({"cli_result": result})).await;
    assert_eq!(again["response"]["outputs"], response["outputs"]);
    let twice = done(&app, "convert_cli_to_json", json!({"cli_result": response})).await;
    assert_eq!(&twice["response"], response);
    assert_eq!(sample.state(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_is_converted_to_an_error_in_fumis_own_form() {
    let sample = novel();
    let app = sample.app();
    for (result, message) in [
        (json!({"success": false, "error": "原稿がありません"}), "原稿がありません"),
        (json!({"exit_code": 2, "stderr": "warning\nno such episode\n"}), "no such episode"),
        (json!({"error": {"code": "E003", "message": "no manuscript", "where": "40_原稿"}}), "no manuscript"),
        (json!({"status": "failed"}), "the command failed without a reason"),
        (json!({"isError": true, "message": "too late"}), "too late"),
    ] {
        let reply = done(&app, "convert_cli_to_json", json!({"cli_result": result})).await;
        let response = &reply["error_response"];
        assert_eq!((&response["success"], &response["error"]["message"]), (&json!(false), &json!(message)), "{result}");
        let valid = done(&app, "validate_json_response", json!({"json_data": response})).await;
        assert_eq!((&valid["valid"], &valid["model"]), (&json!(true), &json!("ErrorResponse")), "{valid}");
    }
    let coded = done(
        &app,
        "convert_cli_to_json",
        json!({"cli_result": {"error": {"code": "E003", "message": "x", "where": "y"}}}),
    )
    .await;
    let error = &coded["error_response"]["error"];
    assert_eq!((&error["code"], &error["details"]), (&json!("E003"), &json!({"where": "y"})));
    let long = "長い理由。".repeat(500);
    let cut = done(&app, "convert_cli_to_json", json!({"cli_result": {"success": false, "error": long}})).await;
    let response = &cut["error_response"];
    assert!(response["error"]["message"].as_str().unwrap().chars().count() < 500);
    assert_eq!(sample.read(response["outputs"]["files"][0]["path"].as_str().unwrap()), long);
    // Errors of fumi itself.
    for own in [
        call(&app, "write", json!({"file_path": "../x", "content": "x"})).await,
        call(&app, "fetch_artifact", json!({"artifact_id": "x", "section": 1})).await,
    ] {
        assert!(own.is_error);
        let valid = done(&app, "validate_json_response", json!({"json_data": own.structured})).await;
        assert_eq!(valid["valid"], true, "{valid}");
        let again = done(&app, "convert_cli_to_json", json!({"cli_result": own.structured})).await;
        assert_eq!(again["error_response"]["error"]["message"], own.structured["error"]["message"]);
        assert_eq!(again["error_response"]["error"]["code"], own.structured["error"]["code"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn problems_of_a_response_are_reported_with_their_place() {
    let sample = novel();
    let app = sample.app();
    let good = json!({
        "success": true, "command": "status", "execution_time_ms": 1, "metadata": {},
        "outputs": {"files": [], "total_files": 0, "total_size_bytes": 0}, "created_at": "2026-01-31T10:00:00Z",
    });
    let with = |pointer: &str, value: Value| {
        let mut bad = good.clone();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        bad.pointer_mut(parent).unwrap()[name] = value;
        bad
    };
    let mut lacking = good.clone();
    lacking.as_object_mut().unwrap().remove("command");
    let file = json!({"path": "a", "sha256": "zz", "size_bytes": 1, "content_type": "text/plain"});
    for (bad, path, model) in [
        (lacking, "command", "StandardResponse"),
        (with("/success", json!("yes")), "success", "StandardResponse"),
        (with("/execution_time_ms", json!(-1)), "execution_time_ms", "StandardResponse"),
        (with("/surplus", json!(1)), "surplus", "StandardResponse"),
        (with("/created_at", json!("yesterday")), "created_at", "StandardResponse"),
        (with("/outputs/total_files", json!(3)), "outputs.total_files", "StandardResponse"),
        (with("/outputs/files", json!([file])), "outputs.files[0].sha256", "StandardResponse"),
        (json!({"success": false}), "error", "ErrorResponse"),
        (json!({"success": false, "error": {"code": "x", "message": "y"}}), "error.type", "ErrorResponse"),
    ] {
        for locale in Locale::ALL {
            let caller = Caller { locale, ..Caller::default() };
            let arguments = json!({"json_data": bad});
            let reply = call_as(&app, "validate_json_response", arguments, caller, CancellationToken::new()).await;
            let reply = served(&app, "validate_json_response", reply);
            assert_eq!((&reply["valid"], &reply["model"]), (&json!(false), &json!(model)), "{bad}");
            let errors = reply["errors"].as_array().unwrap();
            let error = errors.iter().find(|error| error["path"] == path);
            let message = error.unwrap_or_else(|| panic!("{path}: {errors:?}"))["message"].as_str().unwrap();
            assert_eq!(is_japanese(message), locale == Locale::Ja, "{message}");
        }
    }
}

/// Results of every size fit the limit of a reply, in a valid form.
#[tokio::test(flavor = "multi_thread")]
async fn results_of_any_shape_fit_a_reply() {
    let sample = novel();
    let app = sample.app();
    let text = "長い文。".repeat(300);
    let deep =
        (0..60).fold(json!({"text": text}), |inner, at| json!({format!("層{at}"): inner, "note": "x".repeat(300)}));
    let many: serde_json::Map<String, Value> = (0..3_000).map(|at| (format!("鍵{at}"), json!("小さい"))).collect();
    let texts: serde_json::Map<String, Value> =
        (0..900).map(|at| (format!("鍵{at}"), json!(format!("{at}{text}")))).collect();
    let nested: serde_json::Map<String, Value> = (0..15)
        .map(|at| {
            (
                format!("枝{at}"),
                Value::Object(
                    texts
                        .clone()
                        .into_iter()
                        .take(15)
                        .map(|(name, value)| (name, json!(format!("{at}{value}"))))
                        .collect(),
                ),
            )
        })
        .collect();
    for result in [
        json!({}),
        json!({"deep": deep}),
        Value::Object(many.clone()),
        Value::Object(texts.clone()),
        Value::Object(nested),
        json!({"success": false, "error": {"type": text, "code": text, "message": text, "alternative_actions": [text], "details": many}}),
        json!({"success": false, "error": {"type": "a", "code": "b", "message": "c", "alternative_actions": [text]}}),
        json!({"metadata": {"a": 1}, "a": 2, "outputs": "keine"}),
        json!({"command": "", "created_at": "yesterday", "execution_time_ms": -3, "outputs": {"files": [1]}}),
    ] {
        let reply = call(&app, "convert_cli_to_json", json!({"cli_result": result})).await;
        assert!(reply.tokens() <= 25_000, "{} tokens", reply.tokens());
        let reply = served(&app, "convert_cli_to_json", reply);
        let response = reply.get("response").unwrap_or(&reply["error_response"]);
        let valid = done(&app, "validate_json_response", json!({"json_data": response})).await;
        assert_eq!(valid["valid"], true, "{valid}");
    }
    let secret = json!({
        "env": [{"API_KEY": "sesame-1234"}], "token": "sesame-5678", "tokens": 12, "api_keys": ["sesame-a", "sesame-b"],
        "credentials": {"password": {"old": "sesame-old", "uses": 3}}, "a/b": {"secret": "sesame-c"},
        "headers": {"X-Api-Key": "sesame-d"}, "passphrase": 4711, "words": {"tokens": ["猫", "が"], "tokenizer": "ipadic"},
    });
    let hidden = done(&app, "convert_cli_to_json", json!({"cli_result": secret})).await;
    let metadata = &hidden["response"]["metadata"];
    let positions: BTreeSet<&str> = metadata["redacted"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let expected = [
        "/env/0/API_KEY",
        "/token",
        "/api_keys/0",
        "/api_keys/1",
        "/credentials/password/old",
        "/a~1b/secret",
        "/headers/X-Api-Key",
        "/passphrase",
    ];
    assert_eq!(positions, BTreeSet::from(expected));
    assert!(!hidden.to_string().contains("sesame") && !hidden.to_string().contains("4711"), "{hidden}");
    assert_eq!((&metadata["tokens"], &metadata["credentials"]["password"]["uses"]), (&json!(12), &json!(3)));
    assert_eq!(metadata["words"], json!({"tokens": ["猫", "が"], "tokenizer": "ipadic"}));
    // A second conversion lists what the first one redacted, too.
    let mut again = hidden["response"].clone();
    again["secret"] = json!("sesame-late");
    let again = done(&app, "convert_cli_to_json", json!({"cli_result": again})).await;
    assert_eq!(again["response"]["metadata"]["redacted"].as_array().map(Vec::len), Some(expected.len() + 1), "{again}");
    let both = done(&app, "convert_cli_to_json", json!({"cli_result": {"metadata": {"a": 1}, "a": 2}})).await;
    assert_eq!(both["response"]["metadata"]["a"], 2);
    assert_eq!(both["response"]["metadata"]["metadata"], json!({"a": 1}));
}
