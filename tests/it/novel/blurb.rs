//! The blurb of a novel: the question, what is accepted of an answer by each author, and its file.

use std::sync::Arc;

use fumi_base::text::Locale;
use fumi_kernel::{Access, Caller};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    FIRST,
    models::{by_provider, by_repeated_call},
    novel,
};
use crate::{
    catalogue::answers_as_published,
    harness::{Server, Session},
    sample::{Sample, call, call_as},
    taught::refused,
};

/// The file of the blurb.
pub(super) const FILE: &str = "10_企画/紹介文.yaml";

const SETTINGS: &str = "プロジェクト設定.yaml";

const BLURB: &str = "離島の検潮所を閉めに来た技官・梶みちるは、四十一年分の潮の記録に、海のものではない印を見つける。\n\n\u{3000}\
                     毎年一度だけ井戸に入る「人の重さ」は、だれのものか。島には、嘘つきが三人いる。";

/// Returns an answer that fits both sites.
pub(super) fn answer() -> Value {
    json!({
        "blurb": BLURB,
        "catchphrase": "嘘は、一定なら補正できる。",
        "tags": ["現代ドラマ", "離島", "海", "謎解き", "家族", "お仕事"],
    })
}

/// Returns an answer with another value of one key.
fn with(key: &str, value: Value) -> Value {
    let mut answer = answer();
    answer[key] = value;
    answer
}

async fn done(sample: &Sample, arguments: Value) -> (Value, String) {
    let app = sample.app();
    let reply = call(&app, "write_blurb", arguments).await;
    assert!(!reply.is_error, "{}", reply.text);
    answers_as_published(app.catalogue.find(&app.scope, "write_blurb").unwrap(), &reply.structured);
    (reply.structured, reply.text)
}

/// Calls without success and returns the message. Nothing may be written.
async fn error(sample: &Sample, arguments: Value, code: &str) -> String {
    let app = sample.app();
    let files = super::refused::written(sample);
    let reply = call(&app, "write_blurb", arguments).await;
    assert!(super::refused::written(sample) == files);
    refused(&app, &reply, &[code])
}

/// Answers a question with a text.
fn submission(asked: &Value, content: &Value) -> Value {
    assert_eq!((&asked["status"], &asked["submit"]["tool"]), (&json!("needs_text"), &json!("write_blurb")));
    assert_eq!(asked["submit"]["answer"], "content");
    let mut arguments = asked["submit"]["arguments"].clone();
    arguments["content"] = json!(content.to_string());
    arguments
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_is_asked_with_the_material_and_the_answer_becomes_a_file() {
    let sample = novel();
    let state = json!({"summary": "みちるが帆待島に着き、十二のこぶを見つける。", "facts": [
        {"kind": "attribute", "subject": "海", "about": "備考", "value": "なし", "quote": super::checking::QUOTE},
    ]});
    let recorded = call(&sample.app(), "record_episode_state", json!({"episode": 1, "state": state})).await;
    assert!(!recorded.is_error, "{}", recorded.text);
    let before = super::refused::written(&sample);
    let (asked, _) = done(&sample, json!({})).await;
    assert!(super::refused::written(&sample) == before, "a question writes nothing");
    let context = asked["context"].to_string();
    for file in ["10_企画/企画書.md", "50_管理資料/全体構成.yaml", "30_設定集/キャラクター.yaml", FIRST]
    {
        assert!(context.contains(file), "{file}: {context}");
    }
    for file in ["伏線管理.yaml", "用語集.yaml", "紹介文.yaml"] {
        assert!(!context.contains(file), "{file}: {context}");
    }
    let instruction = asked["instruction"].as_str().unwrap();
    let opening = sample.read(FIRST);
    let opening = opening.lines().skip(1).find(|line| !line.is_empty()).unwrap();
    for part in [
        "潮のほまち",
        "文芸",
        "小説家になろう and カクヨム",
        "10 to 1000 characters",
        "at most 35 characters",
        "at most 8, each of at most 10 characters",
        "- Episode 1: みちるが帆待島に着き、十二のこぶを見つける。",
        opening,
        "Do not tell the ending",
    ] {
        assert!(instruction.contains(part), "{part}: {instruction}");
    }
    assert!(!instruction.contains("present blurb") && !instruction.contains('{'), "{instruction}");
    assert!(instruction.chars().count() < 4_000, "long material is cited");
    let schema = &asked["response_schema"]["properties"];
    assert_eq!((&schema["blurb"]["maxLength"], &schema["tags"]["maxItems"]), (&json!(1_000), &json!(8)));
    let (saved, text) = done(&sample, submission(&asked, &answer())).await;
    assert_eq!((&saved["session_id"], &saved["generation_method"]), (&asked["session_id"], &json!("host")));
    assert_eq!((&saved["blurb"], &saved["tags"]), (&json!(BLURB), &answer()["tags"]));
    assert_eq!((&saved["sites"], &saved["blurb_file_path"]), (&json!(["narou", "kakuyomu"]), &json!(FILE)));
    assert!(saved.get("backup_id").is_none() && saved.get("warnings").is_none(), "{saved}");
    for part in [BLURB, "嘘は、一定なら補正できる。", "Tags: 現代ドラマ 離島", FILE] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let written = sample.read(FILE);
    for part in ["　毎年一度だけ井戸に入る", "離島", "narou", "kakuyomu"] {
        assert!(written.contains(part), "{part}: {written}");
    }
    // The same call returns it from now on, and the same answer again changes nothing.
    let before = super::refused::written(&sample);
    let (again, _) = done(&sample, json!({})).await;
    assert_eq!((&again["generation_method"], &again["blurb"]), (&json!("existing"), &json!(BLURB)));
    assert_eq!(again["artifact_id"], saved["artifact_id"]);
    done(&sample, json!({"content": answer().to_string()})).await;
    assert!(super::refused::written(&sample) == before);
    let message =
        error(&sample, json!({"content": with("catchphrase", json!("別の一行")).to_string()}), "FILE_EXISTS").await;
    assert!(message.contains(FILE), "{message}");
    let artifact = json!({"artifact_id": saved["artifact_id"]});
    assert!(!call(&sample.app(), "fetch_artifact", artifact).await.is_error);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_blurb_replaces_the_old_one_which_is_backed_up() {
    let sample = novel();
    let old = "blurb: |\n  前の紹介文です。\nsites: [kakuyomu]\nメモ: 帯にも使う\n";
    sample.file(FILE, old);
    let (asked, _) = done(&sample, json!({"regenerate": true})).await;
    assert!(asked["context"].to_string().contains("紹介文.yaml (the present blurb)"), "{asked}");
    assert!(asked["instruction"].as_str().unwrap().contains("The present blurb is among the material"));
    // The sites of the file are those of the new question.
    let arguments = submission(&asked, &answer());
    assert_eq!((&arguments["sites"], &arguments["regenerate"]), (&json!(["kakuyomu"]), &json!(true)));
    let (saved, text) = done(&sample, arguments.clone()).await;
    let backup = saved["backup_id"].as_str().unwrap();
    assert_eq!(sample.read(&format!("90_バックアップ/{backup}/files/{FILE}")), old);
    assert!(text.contains(backup), "{text}");
    let written = sample.read(FILE);
    assert!(written.contains("メモ: 帯にも使う") && !written.contains("前の紹介文"), "{written}");
    let (again, _) = done(&sample, arguments).await;
    assert!(again.get("backup_id").is_none(), "an equal text replaces nothing: {again}");
    // A file that cannot be read as YAML is named, and is replaced on request.
    let broken = "blurb: \"閉じない\ntags: []\n";
    sample.file(FILE, broken);
    for arguments in [json!({}), json!({"content": answer().to_string()})] {
        let message = error(&sample, arguments, "P002").await;
        assert!(message.contains(FILE), "{message}");
    }
    done(&sample, json!({"regenerate": true})).await;
    let (saved, _) = done(&sample, json!({"regenerate": true, "content": answer().to_string()})).await;
    let backup = saved["backup_id"].as_str().unwrap();
    assert_eq!(sample.read(&format!("90_バックアップ/{backup}/files/{FILE}")), broken);
    // An emptied file counts as none.
    sample.file(FILE, "blurb:\n");
    assert_eq!(done(&sample, json!({})).await.0["status"], "needs_text");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_preset_chooses_the_site_unless_the_call_names_one() {
    let sample = novel();
    let settings = sample.read(SETTINGS);
    for (preset, sites, most, tags) in [
        ("narou", json!(["narou"]), 1_000, 15),
        ("kakuyomu", json!(["kakuyomu"]), 10_000, 8),
        ("custom", json!(["narou", "kakuyomu"]), 1_000, 8),
    ] {
        sample.file(SETTINGS, settings.replace("style_preset: bunko", &format!("style_preset: {preset}")));
        let (asked, _) = done(&sample, json!({})).await;
        assert_eq!(asked["submit"]["arguments"]["sites"], sites);
        let schema = &asked["response_schema"]["properties"];
        assert_eq!((&schema["blurb"]["maxLength"], &schema["tags"]["maxItems"]), (&json!(most), &json!(tags)));
    }
    let long = with("blurb", json!("海".repeat(1_001)));
    let message = error(&sample, json!({"content": long.to_string()}), "S005").await;
    assert!(
        message.contains("[blurb] It has 1001 characters with spaces and line breaks, 1 more than 1000."),
        "{message}"
    );
    let (saved, _) = done(&sample, json!({"sites": ["kakuyomu"], "content": long.to_string()})).await;
    assert_eq!((&saved["sites"], &saved["characters"]), (&json!(["kakuyomu"]), &json!(1_001)));
    // For another site, what is too long is said of the stored text; it is not changed.
    let (existing, text) = done(&sample, json!({"sites": ["narou"]})).await;
    assert!(existing["warnings"][0].as_str().unwrap().starts_with("[blurb]") && text.contains("! [blurb]"), "{text}");
    assert!(done(&sample, json!({})).await.0.get("warnings").is_none());
    for sites in [json!([]), json!(["pixiv"])] {
        error(&sample, json!({"sites": sites}), "INVALID_ARGUMENTS").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_misses_criteria_is_refused_with_all_of_them() {
    let sample = novel();
    let bad = json!({
        "blurb": "承知しました。\n短い",
        "catchphrase": "あ".repeat(36),
        "tags": ["#離島", "謎 解き", "海、島", "SF", "sf", "とても長いタグは受け付けない"],
    });
    let message = error(&sample, json!({"content": bad.to_string()}), "S005").await;
    for part in [
        "[catchphrase] It has 36 characters, 1 more than 35.",
        "[tags] These have more than 10 characters: とても長いタグは受け付けない.",
        "#離島, 謎 解き, 海、島",
        "[tags] These occur more than once: sf.",
        "[remnants]",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    for (content, part) in [
        ("あらすじを書きました。".to_owned(), "[form] It has no top-level keys"),
        ("blurb: a: b".to_owned(), "[form] It is not valid YAML or JSON at line 1"),
        (with("title", json!("題")).to_string(), "other keys: title"),
        (with("tags", json!("離島")).to_string(), "[tags] It must be a list of texts."),
        (with("blurb", json!("## あらすじ\n島の検潮所が閉まる話です。")).to_string(), "[blurb] It has markup"),
        (with("catchphrase", json!("二行に\nわたる")).to_string(), "write one line"),
        (with("blurb", json!("島の検潮所が\u{202e}閉まる話です。")).to_string(), "U+202E"),
        (with("tags", json!([])).to_string(), "[tags] There are none"),
    ] {
        let message = error(&sample, json!({"content": content}), "S005").await;
        assert!(message.contains(part), "{part}: {message}");
    }
    error(&sample, json!({"content": "あ".repeat(100_001)}), "INVALID_ARGUMENTS").await;
    let app = sample.app();
    let caller = Caller { locale: Locale::Ja, ..Caller::default() };
    let reply =
        call_as(&app, "write_blurb", json!({"content": bad.to_string()}), caller, CancellationToken::new()).await;
    let message = refused(&app, &reply, &["S005"]);
    assert!(message.contains("[catchphrase] 36 字あり、35 字を 1 字超えています。"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_novel_lacks_is_left_out_and_without_anything_the_call_says_so() {
    // Only settings: the folder is a novel, but nothing can be presented.
    let sample = Sample::empty();
    sample.file(SETTINGS, "title: 題\nstyle_preset: narou\n");
    let message = error(&sample, json!({}), "P001").await;
    assert!(message.contains("10_企画"), "{message}");
    // An answer of the author's own is stored all the same, in the configured folder.
    let (saved, _) = done(&sample, json!({"content": answer().to_string()})).await;
    assert_eq!((&saved["blurb_file_path"], &saved["sites"]), (&json!(FILE), &json!(["narou"])));
    // A folder of numbered texts.
    let sample = Sample::empty();
    sample.file("第001話.md", "# 第一話\n\n　雨が降っていた。\n");
    let (asked, _) = done(&sample, json!({})).await;
    let instruction = asked["instruction"].as_str().unwrap();
    assert!(instruction.contains("雨が降っていた。") && instruction.contains("not decided"), "{instruction}");
    assert!(!instruction.contains("What happens in the episodes"), "{instruction}");
    error(&Sample::empty(), json!({}), "P001").await;
    error(&Sample::empty(), json!({"content": answer().to_string()}), "P001").await;
    // Broken settings are an error before anything is written.
    let sample = novel();
    sample.file(SETTINGS, "title: [");
    for arguments in [json!({}), json!({"content": answer().to_string()})] {
        error(&sample, arguments, "P002").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_may_only_read_is_refused() {
    let sample = novel();
    let app = sample.app();
    let access = Access { read_only: true, ..Access::full(app.scope.clone()) };
    let reader = Caller { access: Arc::new(access), ..Caller::default() };
    let before = sample.state();
    for arguments in [json!({}), json!({"content": answer().to_string()})] {
        let reply = call_as(&app, "write_blurb", arguments, reader.clone(), CancellationToken::new()).await;
        refused(&app, &reply, &["READ_ONLY"]);
    }
    assert_eq!(sample.state(), before);
}

/// The client's model in the session era, a stateless client that repeats its call, and a provider.
#[tokio::test(flavor = "multi_thread")]
async fn every_author_is_asked_with_the_texts_themselves_and_the_answer_is_saved() {
    let text = format!("```json\n{}\n```", answer());
    let message = json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": "test"});
    let is_saved = |sample: &Sample, said: &Value, method: &str| {
        assert_eq!((&said["blurb"], &said["generation_method"]), (&json!(BLURB), &json!(method)), "{said}");
        assert!(sample.read(FILE).contains("離島"));
    };

    let sample = novel();
    let server = Server::start(sample.app()).await;
    let session = Session::open_able(&server, json!({"sampling": {}})).await;
    let mut called = session.begin("write_blurb", json!({})).await;
    let request = called.asked().await;
    let prompt = request["params"]["messages"][0]["content"]["text"].as_str().unwrap();
    // The plans and the characters themselves, since this model cannot fetch anything.
    for part in ["謎はすべて算数で解ける", "沿岸測地局の技官", "10 to 1000 characters", "maxItems"] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    // An answer that misses criteria is sent back with the reasons.
    let bad = with("tags", json!(["#離島"])).to_string();
    let bad = json!({"role": "assistant", "content": {"type": "text", "text": bad}, "model": "test"});
    session.respond(&request, bad).await;
    let again = called.asked().await;
    assert!(again.to_string().contains("[tags] These have a space"), "{again}");
    assert!(!sample.root().join(FILE).exists());
    session.respond(&again, message.clone()).await;
    is_saved(&sample, &called.answered().await["structuredContent"], "llm_sampling");

    let sample = novel();
    let said = by_repeated_call(&sample, "write_blurb", &json!({"sites": ["narou"]}), &message).await;
    is_saved(&sample, &said, "llm_sampling");

    let sample = novel();
    let said = by_provider(&sample, "write_blurb", json!({}), text).await;
    is_saved(&sample, &said, "llm_provider");
}

/// The blurb is the description of the book.
#[tokio::test(flavor = "multi_thread")]
async fn a_book_is_not_bound_without_a_blurb_that_exists_but_cannot_be_read() {
    let sample = novel();
    let app = sample.app();
    let first = call(&app, "noveler_complete", json!({"episode": 1})).await;
    assert!(!first.is_error, "{}", first.text);
    sample.file(FILE, "blurb: [1\n");
    let reply = call(&app, "noveler_complete", json!({"episode": 2})).await;
    let message = refused(&app, &reply, &["P002"]);
    assert!(message.contains(FILE), "{message}");
    done(&sample, json!({"regenerate": true, "content": answer().to_string()})).await;
    let second = call(&app, "noveler_complete", json!({"episode": 2})).await;
    assert!(!second.is_error, "{}", second.text);
}
