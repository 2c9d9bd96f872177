//! Comparing versions of an episode: manuscript, drafts, backups, artifacts; names that mean none; huge texts.

use fumi_base::text::Locale;
use fumi_kernel::Caller;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    FIRST, novel, script, unwritten,
    writing::{ok, until},
};
use crate::{
    sample::{Sample, call, call_as, whole},
    taught::refused,
};

const SECOND: &str = "40_原稿/第002話_ほまち.md";

async fn compared(sample: &Sample, arguments: Value) -> (Value, String) {
    let reply = call(&sample.app(), "compare_versions", arguments).await;
    assert!(!reply.is_error, "{}", reply.text);
    (reply.structured, reply.text)
}

async fn error(sample: &Sample, arguments: Value, codes: &[&str]) -> String {
    let app = sample.app();
    let before = sample.state();
    let reply = call(&app, "compare_versions", arguments).await;
    let message = refused(&app, &reply, codes);
    assert_eq!(sample.state(), before);
    message
}

async fn backed_up(sample: &Sample, paths: Value) -> String {
    let made = ok(&sample.app(), "backup_management", json!({"action": "create", "paths": paths})).await;
    made["backup"]["backup_id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_backup_is_compared_with_the_manuscript() {
    let sample = novel();
    let old = sample.read(FIRST);
    let id = backed_up(&sample, json!([FIRST])).await;
    let (same, text) = compared(&sample, json!({"episode": 1})).await;
    assert_eq!((&same["identical"], &same["total"]), (&json!(true), &json!(0)));
    assert!(text.contains("have the same text"), "{text}");
    let new = old.replace("よい海だと思っていた。", "よい海だと信じていた。\n　雨だ。");
    sample.file(FIRST, new.replace('\n', "\r\n"));
    // A newer backup of another episode is passed over.
    let other = backed_up(&sample, json!([SECOND])).await;
    let (found, text) = compared(&sample, json!({"episode": 1})).await;
    assert_eq!((&found["from"]["version"], &found["to"]["version"]), (&json!(id), &json!("manuscript")));
    assert_eq!((&found["paragraphs_changed"], &found["paragraphs_added"]), (&json!(1), &json!(1)));
    assert_eq!((&found["characters_added"], &found["characters_removed"]), (&json!(6), &json!(2)));
    let length = |version: &str| found[version]["characters"].as_u64().unwrap();
    assert_eq!(length("to"), length("from") + 3);
    let changed = found["changes"][0]["text"].as_str().unwrap();
    assert!(changed.contains("よい海だと[-思っ-]{+信じ+}ていた。"), "{changed}");
    assert!(text.contains(changed) && text.contains("{+　雨だ。+}"), "{text}");
    let caller = Caller { locale: Locale::Ja, ..whole(&sample.app()) };
    let (app, arguments) = (sample.app(), json!({"episode": 1}));
    let reply = call_as(&app, "compare_versions", arguments, caller, CancellationToken::new()).await;
    assert!(reply.text.contains("変わった段落 1 個、加わった段落 1 個、消えた段落 0 個"), "{}", reply.text);
    // The other way round, and by name.
    let (back, _) = compared(&sample, json!({"episode": 1, "from": "manuscript", "to": id})).await;
    assert_eq!((&back["paragraphs_removed"], &back["characters_removed"]), (&json!(1), &json!(6)));
    let message = error(&sample, json!({"episode": 1, "from": other}), &["INVALID_ARGUMENTS"]).await;
    assert!(message.contains(SECOND) && message.contains(&other), "{message}");
    // A manuscript that was renamed since is found by its number.
    std::fs::rename(sample.root().join(FIRST), sample.root().join("40_原稿/第001話_別の題.md")).unwrap();
    let (renamed, _) = compared(&sample, json!({"episode": 1})).await;
    assert_eq!((&renamed["from"]["path"], &renamed["total"]), (&json!(FIRST), &json!(2)));
}

#[tokio::test(flavor = "multi_thread")]
async fn line_ends_alone_are_said_and_are_no_change() {
    let sample = novel();
    backed_up(&sample, json!([FIRST])).await;
    sample.file(FIRST, sample.read(FIRST).replace('\n', "\r\n"));
    let (same, text) = compared(&sample, json!({"episode": 1})).await;
    assert_eq!(same["identical"], true);
    assert!(text.contains("only in line ends"), "{text}");
    let (sjis, ..) = encoding_rs::SHIFT_JIS.encode("# 第一話\n\n　雨だ。\n");
    sample.file(FIRST, &sjis);
    let (other, text) = compared(&sample, json!({"episode": 1})).await;
    assert!(other["paragraphs_removed"].as_u64() > Some(20) && text.contains("雨だ"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn drafts_are_found_by_session_and_by_being_the_newest() {
    let sample = unwritten();
    let app = sample.app();
    let message = error(&sample, json!({"episode": 1, "from": "draft", "to": "draft"}), &["FILE_NOT_FOUND"]).await;
    assert!(message.contains("draft of episode 1"), "{message}");
    let asked = ok(&app, "noveler_write", json!({"episode": 1})).await;
    let id = asked["session_id"].as_str().unwrap().to_owned();
    error(&sample, json!({"episode": 1, "from": id, "to": "draft"}), &["FILE_NOT_FOUND"]).await;
    let asked = until(&app, asked, Some("refine_manuscript_quality:1")).await;
    let (draft, _) = compared(&sample, json!({"episode": 1, "from": "draft", "to": id})).await;
    assert_eq!((&draft["identical"], &draft["from"]["version"]), (&json!(true), &json!(id)));
    until(&app, asked, None).await;
    // The text of the last stage: the manuscript adds the heading.
    let (written, _) = compared(&sample, json!({"episode": 1, "from": "draft"})).await;
    assert_eq!((&written["paragraphs_added"], &written["paragraphs_changed"]), (&json!(1), &json!(0)));
    assert!(written["from"]["path"].as_str().unwrap().contains("stage_10"), "{written}");
    // A session that has just begun hides no draft.
    ok(&app, "noveler_write", json!({"episode": 1, "restart": true})).await;
    let (again, _) = compared(&sample, json!({"episode": 1, "from": "draft"})).await;
    assert_eq!(again["from"]["version"], id);
    let artifact = written["from"]["artifact_id"].clone();
    let (by_hash, _) = compared(&sample, json!({"episode": 1, "from": artifact, "to": "draft"})).await;
    assert_eq!((&by_hash["identical"], &by_hash["from"]["version"]), (&json!(true), &artifact));
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_mean_no_version_are_explained() {
    let sample = novel();
    for (from, code, part) in [
        ("原稿", "INVALID_ARGUMENTS", "manuscript, draft, backup"),
        ("backup", "FILE_NOT_FOUND", "No backup contains"),
        ("20260131T100000Z-0123abcd", "FILE_NOT_FOUND", "does not exist"),
        ("session_20260131_100000_0a1b2c3d", "S001", "session_20260131_100000_0a1b2c3d"),
        ("artifact:0123456789ab", "FILE_NOT_FOUND", "0123456789ab"),
        ("../40_原稿", "INVALID_ARGUMENTS", "not a version"),
    ] {
        let message = error(&sample, json!({"episode": 1, "from": from}), &[code]).await;
        assert!(message.contains(part), "{from}: {message}");
    }
    // The session of another episode.
    let begun = ok(&sample.app(), "noveler_write", json!({"episode": 2, "restart": true})).await;
    error(&sample, json!({"episode": 1, "from": begun["session_id"]}), &["S001"]).await;
    let no_episode = json!({"episode": 9, "from": "manuscript"});
    error(&sample, no_episode, &["E001", "E002", "E003", "P001"]).await;
    // A copy that was damaged is not compared.
    let id = backed_up(&sample, json!([FIRST])).await;
    sample.file(&format!("90_バックアップ/{id}/files/{FIRST}"), "違う");
    let message = error(&sample, json!({"episode": 1, "from": id}), &["HASH_MISMATCH"]).await;
    assert!(message.contains(FIRST), "{message}");
}

/// A caller that may only read compares, and a cancelled call ends.
#[tokio::test(flavor = "multi_thread")]
async fn readers_compare_and_write_nothing() {
    let sample = novel();
    sample.file(FIRST, format!("# 第一話\n\n{}", script::whole()));
    backed_up(&sample, json!(["40_原稿"])).await;
    sample.file(FIRST, "# 第一話\n\n　別の話。\n");
    let app = sample.app();
    let access = fumi_kernel::Access { read_only: true, ..fumi_kernel::Access::full(app.scope.clone()) };
    let reader = Caller { access: std::sync::Arc::new(access), ..Caller::default() };
    let before = sample.state();
    let reply = call_as(&app, "compare_versions", json!({"episode": 1}), reader, CancellationToken::new()).await;
    assert!(!reply.is_error && reply.structured["total"].as_u64() > Some(1), "{}", reply.text);
    assert_eq!(sample.state(), before);
}

/// Texts of 4 MB without a common paragraph: the call ends in its time, and the list is bounded and continued.
#[tokio::test(flavor = "multi_thread")]
async fn huge_texts_are_compared_within_the_timeout() {
    let sample = novel();
    let line = |number: usize, word: &str| format!("　{number}番目の{word}の段落である。\n");
    let text = |word: &str| (0..90_000).map(|number| line(number * 7_919 % 90_001, word)).collect::<String>();
    let old: String = text("朝");
    sample.file(FIRST, &old[..old.floor_char_boundary(4 << 20)]);
    backed_up(&sample, json!([FIRST])).await;
    let new: String = text("夜");
    sample.file(FIRST, &new[..new.floor_char_boundary(4 << 20)]);
    let (found, text) = compared(&sample, json!({"episode": 1})).await;
    let rows = found["changes"].as_array().unwrap().len();
    assert!(found["total"].as_u64() > Some(100_000) && rows > 50 && rows <= 2_000, "{}", found["total"]);
    assert_eq!(found["truncated"], true);
    assert_eq!((&found["next"]["shown"], &found["next"]["of"]), (&json!(rows), &json!(2_000)));
    assert!(text.contains("further changes are counted") && text.contains("output_file"), "{}", found["next"]);
    // A longer text than a manuscript may be.
    sample.file(FIRST, "　雨だ。\n".repeat((4 << 20) / 13 + 1));
    error(&sample, json!({"episode": 1}), &["FILE_TOO_LARGE"]).await;
}
