//! Writing by a host: question, answer, question. Tests the differences between the tools.

use fumi::app::App;
use serde_json::{Value, json};

use super::{FIRST, novel, script, unwritten};
use crate::sample::{Sample, call};

/// Calls a tool that must succeed and returns its structure.
pub(crate) async fn ok(app: &App, tool: &str, arguments: Value) -> Value {
    let reply = call(app, tool, arguments.clone()).await;
    assert!(!reply.is_error, "{tool} {arguments}: {}", reply.text);
    reply.structured
}

/// The same for a call that must fail; returns its error.
pub(crate) async fn refused(app: &App, tool: &str, arguments: Value) -> Value {
    let reply = call(app, tool, arguments.clone()).await;
    assert!(reply.is_error, "{tool} {arguments}: {}", reply.text);
    reply.structured["error"].clone()
}

/// Returns the call that a question asks for, with its scripted answer.
pub(crate) fn submission(asked: &Value) -> (String, Value) {
    assert_eq!(asked["status"], "needs_text", "{asked}");
    let mut arguments = asked["submit"]["arguments"].clone();
    arguments["content"] = json!(script::answer(asked["step"].as_str().unwrap()));
    (asked["submit"]["tool"].as_str().unwrap().to_owned(), arguments)
}

/// Answers until the call does not return a question, or until a step is asked for.
pub(crate) async fn until(app: &App, mut asked: Value, step: Option<&str>) -> Value {
    while asked["status"] == "needs_text" && asked["step"].as_str() != step {
        let (tool, arguments) = submission(&asked);
        asked = ok(app, &tool, arguments).await;
    }
    asked
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_writes_an_episode_from_its_plot_to_the_manuscript() {
    let sample = unwritten();
    let app = sample.app();
    let first = ok(&app, "noveler_write", json!({"episode": 1})).await;
    assert_eq!(first["step"], "plot_data_preparation:1");
    assert_eq!(first["submit"]["tool"], "noveler_write");
    assert_eq!(first["response_schema"]["required"], json!(["premise", "events", "cast"]));
    let reads = first["context"][0].as_str().unwrap();
    assert!(reads.starts_with("artifact:") && reads.contains("20_プロット/話別/第001話.yaml"), "{reads}");
    let done = until(&app, first, None).await;
    assert_eq!(done["total_stages_completed"], 10);
    assert_eq!(done["final_manuscript_path"], FIRST);
    assert_eq!(done["stage_results"].as_array().unwrap().len(), 10);
    assert_eq!(done["method"], "not_evaluated");
    assert!(done.get("quality_score").is_none());
    let written = sample.read(FIRST);
    assert_eq!(written, format!("# 第1話　{}\n\n{}\n", script::TITLE, script::manuscript().trim_end()));
    let preview = done["primary_output"]["preview"].as_str().unwrap();
    assert!(preview.chars().count() <= 201 && written.contains(preview.trim_end_matches('…')));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_existing_manuscript_is_backed_up_and_keeps_its_name() {
    let sample = novel();
    sample.file(FIRST, "# 前の原稿\n");
    let app = sample.app();
    let first = ok(&app, "noveler_write", json!({"episode": 1})).await;
    let done = until(&app, first, None).await;
    let id = done["primary_output"]["backup_id"].as_str().unwrap();
    assert_eq!(sample.read(&format!("90_バックアップ/{id}/files/{FIRST}")), "# 前の原稿\n");
    assert!(sample.read(FIRST).contains(script::TITLE));
}

/// The same texts make the same files, even if every call names another tool of the chain.
#[tokio::test(flavor = "multi_thread")]
async fn stages_by_name_and_by_number_stop_where_they_end() {
    let sample = unwritten();
    let app = sample.app();
    let asked = ok(&app, "write_stage", json!({"episode": 1, "stage": "plot_data_preparation"})).await;
    assert_eq!(asked["submit"]["tool"], "write_stage");
    let done = until(&app, asked, None).await;
    let session = done["session_id"].as_str().unwrap();
    assert_eq!(done["next_recommended_stage"], "analyze_plot_structure");
    assert_eq!(done["stage_result"]["turns"], 2);
    // Both spellings name the stage.
    let asked =
        ok(&app, "write_stage", json!({"episode": 1, "stage": "plot_structure_analysis", "session_id": session})).await;
    assert_eq!(asked["step"], "analyze_plot_structure:1");
    let asked = ok(&app, "write_step_2", json!({"episode": 1, "session_id": session})).await;
    assert_eq!(asked["submit"]["tool"], "write_step_2");
    let done = until(&app, asked, None).await;
    assert_eq!((&done["step"], &done["next_step"], &done["timeout_reset"]), (&json!(2), &json!(3), &json!(true)));
    assert_eq!(done["stage"], "analyze_plot_structure");
    // A finished stage returns its result.
    let again = ok(&app, "write_step_1", json!({"episode": 1, "session_id": session})).await;
    assert_eq!(again["result"]["status"], "completed");
    let resumed = ok(&app, "write_resume", json!({"episode": 1, "session_id": session})).await;
    assert_eq!((&resumed["resumed_from_stage"], &resumed["step"]), (&json!(3), &json!("design_emotional_flow:1")));
    assert_eq!(resumed["remaining_stages"].as_array().unwrap().len(), 8);
    let done = until(&app, resumed, None).await;
    assert_eq!(done["final_manuscript_path"], FIRST);
    let over = ok(&app, "write_resume", json!({"episode": 1, "session_id": session})).await;
    assert_eq!(over["remaining_stages"], json!([]));
    assert_eq!(over["execution_result"]["final_manuscript_path"], FIRST);
}

#[tokio::test(flavor = "multi_thread")]
async fn feedback_has_a_stage_done_again_and_those_after_it_go_stale() {
    let sample = unwritten();
    let app = sample.app();
    let first = ok(&app, "noveler_write", json!({"episode": 1})).await;
    let asked = until(&app, first, Some("design_humor_elements:1")).await;
    let session = asked["session_id"].clone();
    let again = ok(
        &app,
        "write_stage",
        json!({"episode": 1, "stage": "analyze_plot_structure", "session_id": session, "user_feedback": "転換点をもう一つ早く"}),
    )
    .await;
    assert_eq!(again["step"], "analyze_plot_structure:1");
    assert!(again["instruction"].as_str().unwrap().contains("転換点をもう一つ早く"));
    assert_eq!(again["stale_stages"], json!(["analyze_plot_structure", "design_emotional_flow"]));
    let done = until(&app, again, None).await;
    assert_eq!(done["stale_stages"], json!(["design_emotional_flow"]));
    let noted = ok(
        &app,
        "write_stage",
        json!({"episode": 1, "stage": "analyze_plot_structure", "session_id": session, "user_feedback": "approved"}),
    )
    .await;
    assert_eq!(noted["next_recommended_stage"], "design_emotional_flow");
}

/// The draft alone has three turns and no earlier stage; in one go there is one question and no session.
#[tokio::test(flavor = "multi_thread")]
async fn the_draft_alone_and_in_one_go() {
    let sample = unwritten();
    let app = sample.app();
    let asked = ok(&app, "write_manuscript_draft", json!({"episode": 1})).await;
    assert_eq!(asked["step"], "write_manuscript_draft:1");
    let draft = until(&app, asked, None).await;
    assert_eq!(draft["manuscript_path"], FIRST);
    assert_eq!(draft["quality_assessment"], json!({"method": "not_evaluated"}));
    assert!(draft["manuscript_text"].as_str().unwrap().chars().count() <= 201);
    assert!(sample.read(FIRST).contains("海を止めに来た人ですか"));

    let sample = Sample::empty();
    sample.file("プロジェクト設定.yaml", "title: 空の本\n");
    let app = sample.app();
    let plot = "梶みちるが島に着く。";
    let arguments = json!({"episode": 7, "plot_content": plot, "word_count_target": 4000});
    let asked = ok(&app, "write_with_claude", arguments.clone()).await;
    assert!(asked["instruction"].as_str().unwrap().contains(plot));
    let mut arguments = asked["submit"]["arguments"].clone();
    arguments["content"] = json!(script::whole());
    let done = ok(&app, "write_with_claude", arguments.clone()).await;
    assert_eq!((&done["generation_method"], &done["session_id"]), (&json!("host"), &asked["session_id"]));
    let path = done["manuscript_path"].as_str().unwrap();
    assert!(sample.read(path).ends_with(script::whole().trim_start_matches('\n')), "{path}");
    // The same text again changes nothing.
    let again = ok(&app, "write_with_claude", arguments).await;
    assert!(again.get("backup_id").is_none(), "{again}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_in_a_session_is_placed_at_once_and_replaced_at_the_end() {
    let sample = unwritten();
    let app = sample.app();
    let first = ok(&app, "noveler_write", json!({"episode": 1})).await;
    let asked = until(&app, first, Some("write_manuscript_draft:1")).await;
    let arguments = json!({"episode": 1, "session_id": asked["session_id"]});
    let asked = ok(&app, "write_manuscript_draft", arguments).await;
    assert!(asked["context"].as_array().unwrap().len() > 4, "it reads the results of the stages");
    let draft = until(&app, asked, None).await;
    assert_eq!(draft["next_recommended_stage"], "refine_manuscript_quality");
    assert!(sample.read(FIRST).contains("海を止めに来た人ですか"));
    let resumed = ok(&app, "write_resume", json!({"episode": 1, "session_id": draft["session_id"]})).await;
    let done = until(&app, resumed, None).await;
    assert!(done["primary_output"]["backup_id"].is_string());
    assert!(sample.read(FIRST).contains("海をとめに来た人ですか"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_writes_nothing_and_groups_are_five() {
    let sample = unwritten();
    let app = sample.app();
    let before = sample.state();
    let plan = ok(&app, "noveler_write", json!({"episode": 1, "dry_run": true, "five_stage": true})).await;
    assert_eq!(plan["plan"].as_array().unwrap().len(), 20);
    assert_eq!(plan["stage_groups"].as_array().unwrap().len(), 5);
    assert_eq!(plan["stage_results"].as_array().unwrap().len(), 10);
    assert_eq!(sample.state(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_session_goes_on_unless_another_is_wanted() {
    let sample = unwritten();
    let app = sample.app();
    let first = ok(&app, "noveler_write", json!({"episode_number": 1})).await;
    let (tool, arguments) = submission(&first);
    let second = ok(&app, &tool, arguments).await;
    let open = ok(&app, "noveler_write", json!({"episode": 1})).await;
    assert_eq!((&open["session_id"], &open["step"]), (&second["session_id"], &second["step"]));
    let other = ok(&app, "noveler_write", json!({"episode": 1, "restart": true})).await;
    assert_ne!(other["session_id"], second["session_id"]);
    assert_eq!(other["step"], "plot_data_preparation:1");
}

#[tokio::test(flavor = "multi_thread")]
async fn verbose_returns_the_questions_and_answers() {
    let sample = unwritten();
    let app = sample.app();
    let first = ok(&app, "noveler_write", json!({"episode": 1, "verbose": true})).await;
    let (tool, arguments) = submission(&first);
    let second = ok(&app, &tool, arguments).await;
    let trace = &second["execution_trace"][0];
    assert_eq!((&trace["stage"], &trace["status"]), (&json!("plot_data_preparation"), &json!("completed")));
    assert_eq!(sample.read(trace["prompt_file"].as_str().unwrap()), first["instruction"].as_str().unwrap());
    assert_eq!(sample.read(trace["answer_file"].as_str().unwrap()), script::answer("plot_data_preparation:1"));
    assert_eq!(second["resource_usage"]["file_operations"], 4);
}

/// `verbose` reports the same for every way to write: questions, answers, and the written files.
#[tokio::test(flavor = "multi_thread")]
async fn verbose_holds_for_every_tool_that_writes() {
    let sample = unwritten();
    let app = sample.app();
    let first = ok(&app, "write_step_1", json!({"episode": 1, "verbose": true})).await;
    let (tool, arguments) = submission(&first);
    assert_eq!(arguments["verbose"], true, "{arguments}");
    let second = ok(&app, &tool, arguments).await;
    assert_eq!(second["resource_usage"]["files"].as_array().unwrap().len(), 4, "{second}");
    let session = &second["session_id"];
    for (tool, more) in [
        ("write_resume", json!({"session_id": session})),
        ("enhanced_execute_writing_step", json!({"step_id": 1})),
        ("enhanced_get_writing_tasks", json!({})),
        ("enhanced_resume_from_partial_failure", json!({"recovery_point": 0})),
    ] {
        let mut arguments = json!({"episode": 1, "verbose": true});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let reply = ok(&app, tool, arguments).await;
        assert_eq!(reply["execution_trace"][0]["stage"], "plot_data_preparation", "{tool}: {reply}");
    }
    let asked = ok(&app, "write_manuscript_draft", json!({"episode": 1, "verbose": true})).await;
    let draft = until(&app, asked, None).await;
    let wrote = |reply: &Value| reply["resource_usage"]["files"].as_array().unwrap().contains(&json!(FIRST));
    assert!(wrote(&draft) && draft["execution_trace"].as_array().unwrap().len() == 3, "{draft}");
    let asked = ok(&app, "write_with_claude", json!({"episode": 1, "verbose": true})).await;
    let mut arguments = asked["submit"]["arguments"].clone();
    arguments["content"] = json!(script::whole() + "\n　また朝が来た。\n");
    let whole = ok(&app, "write_with_claude", arguments).await;
    assert!(wrote(&whole), "{whole}");
    let arguments = json!({"file_path": FIRST, "content": "# 一\n", "overwrite": true, "verbose": true});
    assert!(wrote(&ok(&app, "write", arguments).await));
}

/// A root inside the novel is accepted as the novel; its own prompts are used.
#[tokio::test(flavor = "multi_thread")]
async fn a_folder_inside_the_novel_will_do_and_prompts_may_be_its_own() {
    let sample = unwritten();
    sample.file("60_プロンプト/plot_data_preparation.md", "## 1\n潮の満ち干で並べること。\n");
    let app = sample.app();
    let inside = sample.root().join("20_プロット/話別");
    let asked = ok(&app, "noveler_write", json!({"episode": 1, "project_root": inside})).await;
    assert!(asked["instruction"].as_str().unwrap().contains("潮の満ち干で並べること。"));
    assert!(sample.root().join(".noveler/sessions").is_dir());
    assert!(!inside.join(".noveler").exists());
}

/// A change that an author writes between two stages is reported at once, stored, and never reported as the session's.
#[tokio::test(flavor = "multi_thread")]
async fn a_manuscript_that_the_author_rewrote_is_preserved_and_reported() {
    let sample = unwritten();
    let app = sample.app();
    let first = ok(&app, "noveler_write", json!({"episode": 1})).await;
    let asked = until(&app, first, Some("write_manuscript_draft:1")).await;
    let session = asked["session_id"].clone();
    let asked = ok(&app, "write_manuscript_draft", json!({"episode": 1, "session_id": session})).await;
    assert!(asked.get("manuscript_edited").is_none(), "{asked}");
    let draft = until(&app, asked, None).await;
    assert!(draft.get("manuscript_edited").is_none(), "{draft}");
    let own = "# 第1話　作者の題\n\n　作者が書き直した。\n";
    sample.file(FIRST, own);
    // Asking again for the draft does not replace the author's text, and the two are not confused.
    let again = ok(&app, "write_manuscript_draft", json!({"episode": 1, "session_id": session})).await;
    assert_eq!(sample.read(FIRST), own);
    assert!(again["manuscript_text"].as_str().unwrap().contains("作者が書き直した"), "{again}");
    let asked = ok(&app, "write_resume", json!({"episode": 1, "session_id": session})).await;
    assert!(asked["manuscript_edited"].as_str().unwrap().contains(FIRST), "{asked}");
    assert_eq!(sample.read(FIRST), own);
    let done = until(&app, asked, None).await;
    let backup = done["primary_output"]["backup_id"].as_str().unwrap();
    assert_eq!(sample.read(&format!("90_バックアップ/{backup}/files/{FIRST}")), own);
    assert!(done["manuscript_edited"].as_str().unwrap().contains(backup), "{done}");
    // After the end the file is left unchanged, and the reply is about the file.
    sample.file(FIRST, own);
    let after = ok(&app, "noveler_write", json!({"episode": 1})).await;
    assert_eq!((sample.read(FIRST).as_str(), &after["word_count"]), (own, &json!(9)), "{after}");
    assert!(after["primary_output"]["preview"].as_str().unwrap().contains("作者の題"), "{after}");
    assert!(after["manuscript_edited"].is_string() && after["primary_output"].get("backup_id").is_none(), "{after}");
}

/// A session that is written for another reason does not adopt the author's text.
#[tokio::test(flavor = "multi_thread")]
async fn the_authors_text_is_reported_again_after_the_session_was_written() {
    let sample = unwritten();
    let app = sample.app();
    let first = ok(&app, "noveler_write", json!({"episode": 1})).await;
    let asked = until(&app, first, Some("write_manuscript_draft:1")).await;
    let session = asked["session_id"].clone();
    let named = json!({"episode": 1, "session_id": session});
    let asked = ok(&app, "write_manuscript_draft", named).await;
    until(&app, asked, None).await;
    let own = "# 第1話　作者の題\n\n　作者が書き直した。\n";
    sample.file(FIRST, own);
    // A new target writes the session.
    let retargeted = json!({"episode": 1, "session_id": session, "word_count_target": 4100});
    for time in 1..=2 {
        let again = ok(&app, "write_manuscript_draft", retargeted.clone()).await;
        assert_eq!(sample.read(FIRST), own, "call {time}: {again}");
        assert!(again["manuscript_edited"].is_string(), "call {time}: {again}");
        assert!(again.get("backup_id").is_none(), "call {time}: {again}");
    }
    // Repeating a turn of a draft writes it too.
    let remark = json!({
        "episode": 1, "session_id": session, "stage": "write_manuscript_draft", "user_feedback": "もう少し静かに",
    });
    let asked = ok(&app, "write_stage", remark).await;
    assert_eq!(asked["step"], "write_manuscript_draft:1");
    let mut asked = json!({"status": "needs_text", "step": asked["step"], "submit": {
        "tool": "write_manuscript_draft",
        "arguments": {"episode": 1, "session_id": session, "step": asked["step"]},
    }});
    for step in ["write_manuscript_draft:2", "write_manuscript_draft:3"] {
        let (tool, arguments) = submission(&asked);
        asked = ok(&app, &tool, arguments).await;
        assert_eq!((asked["step"].as_str(), &*sample.read(FIRST)), (Some(step), own));
        assert!(asked["manuscript_edited"].is_string(), "{asked}");
    }
    let draft = until(&app, asked, None).await;
    let backup = draft["backup_id"].as_str().unwrap();
    assert_eq!(sample.read(&format!("90_バックアップ/{backup}/files/{FIRST}")), own);
    assert!(draft["manuscript_edited"].as_str().unwrap().contains(backup), "{draft}");
}

/// The same for a finished session: its replies stay about the author's file.
#[tokio::test(flavor = "multi_thread")]
async fn a_finished_session_that_is_written_again_still_shows_the_authors_file() {
    let sample = unwritten();
    let app = sample.app();
    let first = ok(&app, "noveler_write", json!({"episode": 1})).await;
    let done = until(&app, first, None).await;
    let session = done["session_id"].clone();
    let own = "# 第1話　作者の題\n\n　作者が書き直した。\n";
    sample.file(FIRST, own);
    let retargeted = json!({"episode": 1, "word_count_target": 4100});
    let approved = json!({"episode": 1, "session_id": session, "user_feedback": "approved"});
    for arguments in [retargeted.clone(), retargeted, approved.clone(), approved] {
        let after = ok(&app, "noveler_write", arguments.clone()).await;
        assert_eq!(sample.read(FIRST), own, "{arguments}");
        assert_eq!(after["word_count"], 9, "{arguments}: {after}");
        assert!(after["manuscript_edited"].is_string(), "{arguments}: {after}");
        let preview = after["primary_output"]["preview"].as_str().unwrap();
        assert!(preview.contains("作者の題"), "{arguments}: {after}");
    }
    // A tool for single stages shows the session's text, and says so.
    let stage = json!({"episode": 1, "session_id": session, "stage": "final_adjustment"});
    let shown = ok(&app, "write_stage", stage).await;
    let told = shown["manuscript_edited"].as_str().unwrap();
    assert!(told.contains("the session's own text"), "{told}");
    assert!(shown["stage_result"]["characters"].as_u64().unwrap() > 9, "{shown}");
}
