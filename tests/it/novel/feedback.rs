//! Wishes about a finished episode: the accepted text stays, the author's own changes stay, and an abandoned session does
//! not come back unnoticed.

use fumi::app::App;
use serde_json::{Value, json};

use super::{
    FIRST, script, unwritten,
    writing::{ok, refused, submission, until},
};
use crate::sample::{Sample, call};

/// A passage that the scripted revision leaves as it is, and what a wish makes of it.
const BEFORE: &str = "それが穂刈一平《ほかりいっぺい》だった。";
const AFTER: &str = "その子が穂刈一平《ほかりいっぺい》だった。";

/// The passage of the scripted revision, before and after it.
const DRAFTED: &str = "「海を止めに来た人ですか」";
const REVISED: &str = "海をとめに来た人ですか";

async fn finished(app: &App, route: &str) -> Value {
    let first = ok(app, "noveler_write", json!({"episode": 1, "route": route})).await;
    until(app, first, None).await
}

/// Returns the text of everything that a question lists to read.
async fn listed(app: &App, asked: &Value) -> Vec<String> {
    let mut texts = Vec::new();
    for cited in asked["context"].as_array().unwrap() {
        let id = cited.as_str().unwrap().split(' ').next().unwrap();
        let reply = call(app, "fetch_artifact", json!({"artifact_id": id})).await;
        assert!(!reply.is_error, "{}", reply.text);
        texts.push(reply.structured.to_string());
    }
    texts
}

/// Answers a question with one replacement and the keys of the script.
async fn replaced(app: &App, asked: &Value, find: &str, replace: &str) -> Value {
    let (tool, mut arguments) = submission(asked);
    let step = asked["step"].as_str().unwrap();
    let kept: String =
        script::answer(step).lines().filter(|line| !line.starts_with("replacements")).collect::<Vec<_>>().join("\n");
    arguments["content"] = json!(format!("{kept}\nreplacements: [{{find: {find}, replace: {replace}}}]\n"));
    ok(app, &tool, arguments).await
}

fn wish(session: &Value, step: &str) -> Value {
    json!({"episode": 1, "session_id": session, "step": step, "user_feedback": "出会いをもっと静かに"})
}

async fn a_wish_keeps_the_accepted_replacements(route: &str, step: &str) {
    let sample = unwritten();
    let app = sample.app();
    let done = finished(&app, route).await;
    assert!(sample.read(FIRST).contains(REVISED));
    let asked = ok(&app, "noveler_write", wish(&done["session_id"], step)).await;
    assert_eq!(asked["step"], step);
    // The question shows the finished manuscript and not the text before the revision.
    let texts = listed(&app, &asked).await;
    assert_eq!(texts.iter().filter(|text| text.contains(REVISED)).count(), 1, "{}", asked["context"]);
    assert!(!texts.iter().any(|text| text.contains(DRAFTED)), "{}", asked["context"]);
    let next = replaced(&app, &asked, BEFORE, AFTER).await;
    until(&app, next, None).await;
    let text = sample.read(FIRST);
    assert!(text.contains(REVISED) && text.contains(AFTER) && !text.contains(BEFORE), "{text}");
    // A second wish may quote what the first one made.
    let asked = ok(&app, "noveler_write", wish(&done["session_id"], step)).await;
    let next = replaced(&app, &asked, AFTER, BEFORE).await;
    until(&app, next, None).await;
    let text = sample.read(FIRST);
    assert!(text.contains(REVISED) && text.contains(BEFORE), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wish_keeps_the_replacements_of_the_short_route() {
    a_wish_keeps_the_accepted_replacements("short", "revise_passages:1").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wish_keeps_the_replacements_of_the_ten_stages() {
    a_wish_keeps_the_accepted_replacements("ten_stages", "finalize_manuscript:1").await;
}

/// A stage that writes the whole text anew shows the text that it replaces.
#[tokio::test(flavor = "multi_thread")]
async fn a_wish_about_an_earlier_stage_shows_the_finished_manuscript() {
    let sample = unwritten();
    let app = sample.app();
    let done = finished(&app, "ten_stages").await;
    let asked = ok(&app, "noveler_write", wish(&done["session_id"], "refine_manuscript_quality:1")).await;
    assert!(listed(&app, &asked).await.iter().any(|text| text.contains(REVISED)), "{}", asked["context"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_review_is_about_the_revised_text() {
    let sample = unwritten();
    let app = sample.app();
    let done = finished(&app, "short").await;
    let asked = ok(&app, "noveler_write", wish(&done["session_id"], "review_draft:1")).await;
    let texts = listed(&app, &asked).await;
    assert!(texts.iter().any(|text| text.contains(REVISED)), "{}", asked["context"]);
    assert!(!texts.iter().any(|text| text.contains(DRAFTED)), "{}", asked["context"]);
    let asked = until(&app, asked, Some("revise_passages:1")).await;
    let next = replaced(&app, &asked, BEFORE, AFTER).await;
    until(&app, next, None).await;
    let text = sample.read(FIRST);
    assert!(text.contains(REVISED) && text.contains(AFTER), "{text}");
}

/// Scenes that are written anew are revised anew: an old replacement does not bring the old scenes back.
#[tokio::test(flavor = "multi_thread")]
async fn scenes_written_anew_replace_the_revised_text() {
    let sample = unwritten();
    let app = sample.app();
    let done = finished(&app, "short").await;
    let asked = ok(&app, "noveler_write", wish(&done["session_id"], "write_scenes:1")).await;
    let (tool, mut arguments) = submission(&asked);
    arguments["content"] = json!(script::answer("write_scenes:1").replace(BEFORE, AFTER));
    let asked = ok(&app, &tool, arguments).await;
    until(&app, asked, None).await;
    let text = sample.read(FIRST);
    assert!(text.contains(REVISED) && text.contains(AFTER), "{text}");
}

/// Changes by hand, or by `check_fix`, are the text that a wish starts from.
#[tokio::test(flavor = "multi_thread")]
async fn a_wish_starts_from_a_manuscript_that_was_edited() {
    for (route, step) in
        [("short", "revise_passages:1"), ("short", "choose_title:1"), ("ten_stages", "finalize_manuscript:1")]
    {
        let sample = unwritten();
        let app = sample.app();
        let done = finished(&app, route).await;
        let edited = sample.read(FIRST).replace("鉛筆の芯を舐めた", "鉛筆の先を舐めた");
        sample.file(FIRST, &edited);
        let asked = ok(&app, "noveler_write", wish(&done["session_id"], step)).await;
        let told = asked["manuscript_edited"].as_str().unwrap();
        assert!(told.contains("continues from"), "{step}: {told}");
        assert!(listed(&app, &asked).await.iter().any(|text| text.contains("鉛筆の先を舐めた")), "{step}");
        let end = if step == "choose_title:1" {
            until(&app, asked, None).await
        } else {
            let next = replaced(&app, &asked, "鉛筆の先を舐めた", "鉛筆の先をなめた").await;
            until(&app, next, None).await
        };
        let text = sample.read(FIRST);
        let expected = if step == "choose_title:1" { "鉛筆の先を舐めた" } else { "鉛筆の先をなめた" };
        assert!(text.contains(expected) && text.contains(REVISED), "{step}: {text}");
        assert_eq!(text.matches("# 第1話").count(), 1, "{step}: {text}");
        assert!(end.get("manuscript_edited").is_none(), "{step}: {end}");
    }
}

fn open_sessions(status: &Value) -> usize {
    status["open_sessions"].as_array().map_or(0, Vec::len)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_offered_call_leads_to_a_stage_that_can_change_the_text() {
    for (route, step) in [("short", "revise_passages"), ("ten_stages", "finalize_manuscript")] {
        let sample = unwritten();
        let app = sample.app();
        let done = finished(&app, route).await;
        let reply = call(&app, "noveler_write", json!({"episode": 1})).await;
        let line = reply.text.lines().find(|line| line.contains("user_feedback")).unwrap();
        let offered = line.strip_prefix("→ noveler_write ").unwrap();
        let mut calls = serde_json::Deserializer::from_str(offered).into_iter::<Value>();
        let mut arguments = calls.next().unwrap().unwrap();
        assert_eq!(arguments["step"], step, "{line}");
        arguments["user_feedback"] = json!("結びをもっと静かに");
        // Without its step the wish reaches the same stage.
        let bare = json!({"episode": 1, "session_id": done["session_id"], "user_feedback": "もっと短く"});
        for arguments in [arguments, bare] {
            let asked = ok(&app, "noveler_write", arguments.clone()).await;
            assert_eq!(asked["step"], format!("{step}:1"), "{arguments}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn asking_for_a_change_leaves_a_finished_episode_finished() {
    let sample = unwritten();
    let app = sample.app();
    let done = finished(&app, "short").await;
    ok(&app, "noveler_complete", json!({"episode": 1})).await;
    let asked = ok(&app, "noveler_write", wish(&done["session_id"], "revise_passages:1")).await;
    let status = ok(&app, "status", json!({})).await;
    assert_eq!((open_sessions(&status), &status["project_overview"]["completed_episodes"]), (0, &json!(1)), "{status}");
    assert_eq!(status["progress_analysis"]["remaining_stages"].as_u64(), Some(0), "{status}");
    // With the first accepted answer the session is in progress.
    replaced(&app, &asked, BEFORE, AFTER).await;
    assert_eq!(open_sessions(&ok(&app, "status", json!({})).await), 1);
}

fn session_count(sample: &Sample) -> usize {
    std::fs::read_dir(sample.root().join(".noveler/sessions")).unwrap().count()
}

#[tokio::test(flavor = "multi_thread")]
async fn resuming_an_abandoned_session_names_the_newer_one() {
    let sample = unwritten();
    let app = sample.app();
    let first = ok(&app, "noveler_write", json!({"episode": 1, "route": "short"})).await;
    let old = until(&app, first, Some("write_scenes:2")).await["session_id"].clone();
    let again = ok(&app, "noveler_write", json!({"episode": 1, "restart": true})).await;
    let new = again["session_id"].as_str().unwrap().to_owned();
    let resume = |id: &Value| json!({"episode": 1, "session_id": id});
    let error = refused(&app, "write_resume", resume(&old)).await;
    assert_eq!(error["details"]["kind"], "SESSION_REPLACED", "{error}");
    assert!(error["message"].as_str().unwrap().contains(&new), "{error}");
    // The call that the error suggests resumes the newer one.
    let suggested = ok(&app, "write_resume", resume(&json!(new))).await;
    assert_eq!(suggested["session_id"], new);
    // It stays so when the newer one is finished. A caller that means the old one passes it to noveler_write.
    until(&app, again, None).await;
    let written = sample.read(FIRST);
    let error = refused(&app, "write_resume", resume(&old)).await;
    assert!(error["message"].as_str().unwrap().contains(&new), "{error}");
    let meant = ok(&app, "noveler_write", resume(&old)).await;
    assert_eq!((&meant["session_id"], &meant["step"]), (&old, &json!("write_scenes:2")));
    assert_eq!((sample.read(FIRST), session_count(&sample)), (written, 2));
}
