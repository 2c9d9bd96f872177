//! What callers of the novel tools are told: where to go on, in plain words, and never silently something else.

use serde_json::{Value, json};

use super::{
    FIRST, novel, script, unwritten,
    writing::{ok, refused, until},
};
use crate::sample::call;

const PLOT: &str = "20_プロット/話別/第001話.yaml";

#[tokio::test(flavor = "multi_thread")]
async fn errors_repeat_their_guidance_under_the_older_name_and_name_another_way() {
    let sample = novel();
    let app = sample.app();
    let error = refused(&app, "noveler_write", json!({"episode": 9})).await;
    assert_eq!(error["claude_guidance"], error["guidance"]);
    assert_eq!(error["alternative_actions"][0]["action"], "status");
    let error = refused(&app, "write", json!({"file_path": ".git/x", "content": "x"})).await;
    assert_ne!(
        error["guidance"],
        json!({"suggested_action": "write", "parameters": {}}),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_root_that_is_not_there_is_p001() {
    let sample = novel();
    let app = sample.app();
    let missing = sample.root().join("無い").to_string_lossy().into_owned();
    let error = refused(&app, "status", json!({"project_root": missing})).await;
    assert_eq!(
        (&error["code"], &error["type"]),
        (&json!("P001"), &json!("MCPToolError"))
    );
    let outside = sample.outside().to_string_lossy().into_owned();
    let error = refused(&app, "status", json!({"project_root": outside})).await;
    assert_eq!(error["code"], "ROOT_NOT_ALLOWED");
}

#[tokio::test(flavor = "multi_thread")]
async fn results_go_to_files_though_no_list_says_so() {
    let sample = novel();
    let app = sample.app();
    let arguments = json!({"episode": 1, "output_file": "check.json", "suppress_output": true, "timeout_ms": 30_000});
    let receipt = ok(&app, "check_basic", arguments).await;
    assert_eq!(receipt["output_file_path"], ".fumi/output/check.json");
    let kept: Value = serde_json::from_str(&sample.read(".fumi/output/check.json")).unwrap();
    assert_eq!(kept["episode"], 1);
    let entry = app.catalogue.find(&app.scope, "check_basic").unwrap();
    let published = &entry.published(fumi_base::text::Locale::En).input["properties"];
    assert!(published.get("output_file").is_none() && published.get("project_root").is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plot_is_asked_for_with_all_that_is_known() {
    let sample = novel();
    let app = sample.app();
    let asked = ok(&app, "noveler_plot", json!({"episode": 2, "regenerate": true})).await;
    let context = asked["context"].to_string();
    for file in ["章別/第01章.yaml", "伏線管理.yaml", "キャラクター.yaml"] {
        assert!(context.contains(file), "{file}: {context}");
    }
    let instruction = asked["instruction"].as_str().unwrap();
    // The purpose of the chapter, what is open in the ledger, and what the settings say of a character.
    for known in [
        "検潮所を閉めるまでの七日間",
        "F002 open, payoff in episode 3",
        "沿岸測地局の技官",
    ] {
        assert!(instruction.contains(known), "{known}: {instruction}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_of_yaml_are_told_in_plain_words_with_their_key() {
    let sample = novel();
    sample.file(PLOT, "characters: 梶みちる\n");
    let app = sample.app();
    let error = refused(&app, "noveler_write", json!({"episode": 1})).await;
    let message = error["message"].as_str().unwrap();
    assert_eq!(error["code"], "P002");
    assert!(
        message.contains("`characters`: a list is needed")
            && message.contains("「characters」: ここには一覧が必要です"),
        "{message}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_of_no_form_is_told_its_assistants_words_at_once() {
    let sample = unwritten();
    let app = sample.app();
    let asked = ok(&app, "noveler_write", json!({"episode": 1})).await;
    let mut arguments = asked["submit"]["arguments"].clone();
    arguments["content"] = json!("承知しました。以下が準備です。\n  premise: x: y\n");
    let error = refused(&app, "noveler_write", arguments).await;
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("[form]") && message.contains("[remnants]"),
        "{message}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_says_who_wrote_and_that_nobody_judged() {
    let sample = unwritten();
    let app = sample.app();
    let asked = ok(&app, "noveler_write", json!({"episode": 1})).await;
    let asked = until(&app, asked, Some("analyze_plot_structure:1")).await;
    let session = sample.read(&format!(
        ".noveler/sessions/{}.yaml",
        asked["session_id"].as_str().unwrap()
    ));
    assert!(
        session.contains("written_by: host") && session.contains("method: not_evaluated"),
        "{session}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_episode_that_is_written_is_not_begun_again_unasked() {
    let sample = unwritten();
    let app = sample.app();
    let asked = ok(&app, "noveler_write", json!({"episode": 1})).await;
    let done = until(&app, asked, None).await;
    let again = ok(&app, "noveler_write", json!({"episode": 1})).await;
    assert_eq!(
        (&again["session_id"], &again["final_manuscript_path"]),
        (&done["session_id"], &json!(FIRST))
    );
    let anew = ok(&app, "noveler_write", json!({"episode": 1, "restart": true})).await;
    assert_eq!(anew["status"], "needs_text");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plot_of_another_episode_is_refused_and_zero_words_say_nothing() {
    let sample = unwritten();
    let plot = sample.read(PLOT);
    sample.file(PLOT, plot.replace("episode_number: 1", "episode_number: 2"));
    let app = sample.app();
    let error = refused(&app, "noveler_write", json!({"episode": 1})).await;
    assert_eq!(error["details"]["kind"], "PLOT_OF_ANOTHER_EPISODE", "{error}");
    sample.file(PLOT, plot.replace("total_target_words: 4000", "total_target_words: 0"));
    let plot = ok(&app, "noveler_plot", json!({"episode": 1})).await;
    assert_eq!(plot["plot_quality_preview"]["estimated_length"], 4000, "{plot}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_of_two_characters_is_no_hundred() {
    let sample = novel();
    sample.file(FIRST, "# 第一話\n\n　猫。\n");
    let reply = call(&sample.app(), "check_basic", json!({"episode": 1})).await;
    assert_eq!(reply.structured["word_count_check"]["status"], "below_min");
    assert!(reply.structured["quality_score"].as_f64() < Some(1.0), "{}", reply.text);
    sample.file(FIRST, format!("# 第一話\n\n{}", script::whole()));
    let reply = call(&sample.app(), "check_basic", json!({"episode": 1})).await;
    assert!(
        reply.structured["quality_score"].as_f64() > Some(80.0),
        "{}",
        reply.text
    );
}
