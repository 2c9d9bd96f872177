//! Proofreading by a model, over HTTP: what is accepted and rejected, by each author, and what `check_fix` makes of it.

use std::sync::Arc;

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

const TEXT: &str = "# 第一話　題\n\n　兄は以外な答えを返した。右の頬に笑窪が浮かぶ。\n「すぐに帰るわ」と兄わ言った。\n　\
                    ｜検潮所《けんちょうじょ》を出ろと、左の頬に笑窪が浮かんだ。彼が黙る。彼が笑う。\n";

/// Returns the answer of a proofreader: three corrections, one of them in speech, a query, and one that is ambiguous.
fn answer() -> Value {
    json!([
        {"quote": "以外な", "correction": "意外な", "kind": "misconversion", "reason": "思いがけないの意味。"},
        {"quote": "すぐに帰るわ", "correction": "すぐに帰る", "kind": "usage", "reason": "兄の口調ではない。"},
        {"quote": "検潮所を出ろ", "correction": "検潮所を出る", "kind": "typo", "reason": "打ち間違い。"},
        {"quote": "左の頬に", "correction": null, "kind": "inconsistency", "reason": "冒頭では「右の頬に笑窪」。"},
        {"quote": "彼が", "correction": "兄が", "kind": "usage", "reason": "誰のことか曖昧。"},
    ])
}

fn written() -> Sample {
    let sample = novel();
    sample.file(FIRST, TEXT);
    sample
}

async fn done(sample: &Sample, tool: &str, arguments: Value) -> (Value, String) {
    let app = sample.app();
    let reply = call(&app, tool, arguments).await;
    assert!(!reply.is_error, "{}", reply.text);
    answers_as_published(app.catalogue.find(&app.scope, tool).unwrap(), &reply.structured);
    (reply.structured, reply.text)
}

/// Returns the ids of the proofreader's findings in a reply, by rule.
fn found<'v>(reply: &'v Value, rule: &str) -> Vec<&'v str> {
    let issues = reply["issues"].as_array().unwrap().iter();
    issues.filter(|issue| issue["rule"] == rule).map(|issue| issue["issue_id"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hosts_corrections_are_verified_listed_and_applied_by_their_ids() {
    let sample = written();
    let (asked, _) = done(&sample, "check_proofreading", json!({"episode": 1})).await;
    assert_eq!((&asked["status"], &asked["submit"]["answer"]), (&json!("needs_text"), &json!("corrections")));
    let sheets = asked["context"][1].as_str().unwrap();
    assert!(sheets.ends_with(" (texts to compare with)"), "{sheets}");
    let mut arguments = asked["submit"]["arguments"].clone();
    arguments["corrections"] = answer();
    let (read, text) = done(&sample, "check_proofreading", arguments).await;
    // The rules have found one of them too: it is listed once, with their id.
    assert_eq!((&read["accepted"], &read["corrections"], &read["queries"]), (&json!(4), &json!(2), &json!(1)));
    assert_eq!(found(&read, "misconversion").len(), 1);
    assert_eq!(read["session_id"], asked["session_id"]);
    let rejected = read["rejected_corrections"][0]["reason"].as_str().unwrap();
    assert!(rejected.contains("「彼が」") || rejected.contains("\"彼が\": it occurs 2 times"), "{rejected}");
    // The reason and the call that applies the corrections are in the text too.
    let ids = found(&read, "correction");
    assert!(text.contains("兄の口調ではない。") && text.contains("issue_ids"), "{text}");
    assert!(ids.iter().all(|id| text.contains(id)), "{text}");
    let severities: Vec<&Value> = read["issues"].as_array().unwrap().iter().map(|one| &one["severity"]).collect();
    assert_eq!(severities[0], "high", "the query about a contradiction comes first");
    // Other checks list them until the text changes; they do not cost a point.
    let (whole, _) = done(&sample, "noveler_check", json!({"episode": 1, "judge": false, "verbose": true})).await;
    assert!(whole.to_string().contains(ids[0]), "{whole}");
    assert_eq!(whole["basic_check_result"]["score"], asked["quality_score"]);
    // A correction that no other rule makes is applied at no level without its id.
    let every = json!({"episode": 1, "fix_level": "aggressive", "dry_run": false});
    let (fixed, text) = done(&sample, "check_fix", every).await;
    assert!(text.contains("proofreader's correction") && sample.read(FIRST).contains("帰るわ"), "{text} {fixed}");
    let (read, _) = done(&sample, "check_proofreading", json!({"episode": 1, "ask": false})).await;
    let ids = found(&read, "correction");
    let (fixed, _) = done(&sample, "check_fix", json!({"episode": 1, "issue_ids": ids})).await;
    assert_eq!(fixed["fixed_count"], ids.len(), "{fixed}");
    let text = sample.read(FIRST);
    for expected in ["意外な答え", "「すぐに帰る」", "｜検潮所《けんちょうじょ》を出ると"]
    {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let (read, _) = done(&sample, "check_proofreading", json!({"episode": 1, "ask": false})).await;
    assert_eq!((&read["corrections"], &read["queries"]), (&json!(0), &json!(1)));
    // A proofreader who finds nothing clears the list.
    let (read, _) = done(&sample, "check_proofreading", json!({"episode": 1, "corrections": []})).await;
    assert_eq!((&read["corrections"], &read["queries"]), (&json!(0), &json!(0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn rejected_corrections_are_sent_again_to_the_same_review() {
    let sample = written();
    let (asked, _) = done(&sample, "check_proofreading", json!({"episode": 1})).await;
    let mut arguments = asked["submit"]["arguments"].clone();
    arguments["corrections"] = answer();
    let (_, text) = done(&sample, "check_proofreading", arguments).await;
    let again = super::texts::call_in(&text, "check_proofreading");
    assert_eq!(again["corrections"][0]["quote"], "彼が", "{again}");
    let mut again = again;
    again["corrections"][0] =
        json!({"quote": "彼が黙る", "correction": "兄が黙る", "kind": "usage", "reason": "曖昧。"});
    let (read, _) = done(&sample, "check_proofreading", again).await;
    assert_eq!((&read["accepted"], &read["corrections"], &read["queries"]), (&json!(1), &json!(3), &json!(1)));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_of_which_nothing_holds_is_refused_and_nothing_is_kept() {
    let sample = written();
    let app = sample.app();
    let given = json!([{"quote": "どこにもない文", "correction": "文", "kind": "typo", "reason": "理由"}]);
    let reply = call(&app, "check_proofreading", json!({"episode": 1, "corrections": given})).await;
    let message = refused(&app, &reply, &["S005"]);
    assert!(message.contains("どこにもない文"), "{message}");
    assert!(!sample.root().join(".noveler/checks/corrections").exists());
    let kind = json!([{"quote": "以外な", "kind": "style", "reason": "理由"}]);
    let reply = call(&app, "check_proofreading", json!({"episode": 1, "corrections": kind})).await;
    refused(&app, &reply, &["INVALID_ARGUMENTS"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_sees_the_verified_corrections_and_nothing_is_written() {
    let sample = written();
    let app = sample.app();
    let access = Access { read_only: true, ..Access::full(app.scope.clone()) };
    let reader = Caller { access: Arc::new(access), ..Caller::default() };
    let before = sample.state();
    let arguments = json!({"episode": 1, "corrections": answer()});
    let reply = call_as(&app, "check_proofreading", arguments, reader, CancellationToken::new()).await;
    assert!(!reply.is_error, "{}", reply.text);
    assert_eq!((&reply.structured["accepted"], &reply.structured["persisted"]), (&json!(4), &json!(false)));
    assert_eq!(found(&reply.structured, "correction").len(), 2);
    assert_eq!(sample.state(), before);
}

/// The client's model in the session era, a stateless client that repeats its call, and a provider.
#[tokio::test(flavor = "multi_thread")]
async fn every_author_is_asked_once_and_gets_the_same_corrections_accepted() {
    let text = answer().to_string();
    let message = json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": "test"});
    let is_read = |said: &Value| assert_eq!((&said["accepted"], &said["queries"]), (&json!(4), &json!(1)), "{said}");

    let sample = written();
    let server = Server::start(sample.app()).await;
    let session = Session::open_able(&server, json!({"sampling": {}})).await;
    let mut called = session.begin("check_proofreading", json!({"episode": 1})).await;
    let request = called.asked().await;
    let prompt = request["params"]["messages"][0]["content"]["text"].as_str().unwrap();
    for part in ["以外な答え", "30_設定集/キャラクター.yaml", "misconversion"] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    session.respond(&request, message.clone()).await;
    is_read(&called.answered().await["structuredContent"]);
    assert!(sample.read(".noveler/checks/corrections/00001.jsonl").contains("llm_sampling"));

    let sample = written();
    let said = by_repeated_call(&sample, "check_proofreading", &json!({"episode": 1}), &message).await;
    is_read(&said);

    let sample = written();
    let said = by_provider(&sample, "check_proofreading", json!({"episode": 1}), text).await;
    is_read(&said);
    assert!(sample.read(".noveler/checks/corrections/00001.jsonl").contains("llm_provider"));
}
