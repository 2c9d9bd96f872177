//! Writing with diagnosis: the tools find their session, repair it and report its state. And commands as users type
//! them.

use serde_json::{Value, json};

use super::{
    FIRST, novel, script, unwritten,
    writing::{ok, refused, submission, until},
};
use crate::{
    harness::Server,
    sample::{Sample, call},
};

/// Completes the stages up to a number with the steps' own tool.
async fn done_to(app: &fumi::app::App, last: usize) -> Value {
    let mut reply = Value::Null;
    for number in 1..=last {
        let asked = ok(app, "enhanced_execute_writing_step", json!({"episode": 1, "step_id": number})).await;
        assert!(asked["submit"]["arguments"].get("session_id").is_none(), "{asked}");
        reply = until(app, asked, None).await;
        assert_eq!((&reply["step_id"], &reply["next_step_id"]), (&json!(number), &json!(number + 1)));
    }
    reply
}

#[tokio::test(flavor = "multi_thread")]
async fn no_session_is_named_and_eighteen_steps_are_listed() {
    let sample = unwritten();
    let app = sample.app();
    let tasks = ok(&app, "enhanced_get_writing_tasks", json!({"episode": 1})).await;
    assert_eq!(tasks["tasks"].as_array().unwrap().len(), 18);
    assert_eq!((&tasks["current_step"], &tasks["execution_method"]), (&json!(1), &json!("enhanced_use_case")));
    assert!(tasks.get("session_id").is_none());
    done_to(&app, 2).await;
    let tasks = ok(&app, "enhanced_get_writing_tasks", json!({"episode": 1})).await;
    assert_eq!((&tasks["current_step"], &tasks["tasks"][1]["status"]), (&json!(3), &json!("completed")));
    assert!(tasks["session_id"].is_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_episode_is_seen_as_done_and_finished_by_the_last_step() {
    let sample = unwritten();
    let app = sample.app();
    let last = done_to(&app, 10).await;
    assert_eq!(last["result"]["stage_result"]["status"], "completed");
    let tasks = ok(&app, "enhanced_get_writing_tasks", json!({"episode": 1})).await;
    assert_eq!(tasks["current_step"], 11, "{tasks}");
    let done: Vec<_> = tasks["tasks"].as_array().unwrap().iter().filter(|task| task["status"] == "completed").collect();
    assert_eq!(done.len(), 10);
    // Measurements name their method.
    let check = ok(&app, "enhanced_execute_writing_step", json!({"episode": 1, "step_id": 11})).await;
    assert_eq!(check["result"]["status"], "completed");
    assert_eq!(check["result"]["review"]["method"], "deterministic");
    let finished = ok(&app, "enhanced_execute_writing_step", json!({"episode": 1, "step_id": 18})).await;
    let record = sample.read(finished["result"]["record"].as_str().unwrap());
    assert!(record.contains("prepared"), "{record}");
    let tasks = ok(&app, "enhanced_get_writing_tasks", json!({"episode": 1})).await;
    assert_eq!((&tasks["progress_percentage"], tasks.get("current_step")), (&json!(100.0), None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_session_is_repaired_and_reported() {
    let sample = unwritten();
    let app = sample.app();
    let reply = done_to(&app, 3).await;
    let file = reply["result"]["stage_result"]["file"].as_str().unwrap();
    sample.file(file, "damaged");
    let tasks = ok(&app, "enhanced_get_writing_tasks", json!({"episode": 1})).await;
    assert_eq!(tasks["diagnostics"]["damaged_stages"], json!(["design_emotional_flow"]));
    let asked = ok(&app, "enhanced_execute_writing_step", json!({"episode": 1, "step_id": 3})).await;
    assert_eq!(asked["result"]["recovery_applied"], true, "{asked}");
    assert_eq!(asked["result"]["recovered_stages"], json!(["design_emotional_flow"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_can_be_resumed_at_any_point_even_when_finished() {
    let sample = unwritten();
    let app = sample.app();
    done_to(&app, 10).await;
    let asked = ok(&app, "enhanced_resume_from_partial_failure", json!({"episode": 1, "recovery_point": 8})).await;
    assert_eq!((&asked["resumed_steps"], &asked["step"]), (&json!([9, 10]), &json!("refine_manuscript_quality:1")));
    assert_eq!(asked["results"].as_array().unwrap().len(), 8);
    // The stored answer is not requested again.
    let (tool, arguments) = submission(&asked);
    assert_eq!(tool, "enhanced_execute_writing_step");
    ok(&app, &tool, arguments).await;
    let asked = ok(&app, "enhanced_resume_from_partial_failure", json!({"episode": 1, "recovery_point": 0})).await;
    assert_eq!(asked["resumed_steps"].as_array().unwrap().len(), 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_refusal_says_which_method_it_is() {
    let sample = unwritten();
    let app = sample.app();
    for (tool, arguments, code) in [
        ("enhanced_execute_writing_step", json!({"episode": 1, "step_id": 19}), "S004"),
        ("enhanced_execute_writing_step", json!({"episode": 1, "step_id": 2.5}), "S004"),
        ("enhanced_execute_writing_step", json!({"episode": 1, "step_id": 4}), "S003"),
        ("enhanced_execute_writing_step", json!({"episode": 1, "step_id": 18}), "E003"),
        ("enhanced_execute_writing_step", json!({"episode": 9, "step_id": 1}), "E002"),
        ("enhanced_resume_from_partial_failure", json!({"episode": 1, "recovery_point": 3}), "S001"),
        ("enhanced_get_writing_tasks", json!({"episode": 0}), "INVALID_ARGUMENTS"),
    ] {
        let error = refused(&app, tool, arguments.clone()).await;
        assert_eq!(error["code"], code, "{arguments}: {error}");
        assert_eq!(error["details"]["execution_method"], "enhanced_use_case", "{error}");
    }
    assert!(!sample.root().join(".noveler").exists(), "a refused call leaves nothing");
    let nothing = Sample::empty();
    let error = refused(&nothing.app(), "enhanced_get_writing_tasks", json!({"episode": 1})).await;
    assert_eq!(error["code"], "P001");
}

/// Suggestions are about the episode of the call.
#[tokio::test(flavor = "multi_thread")]
async fn a_suggestion_is_about_the_same_episode() {
    let sample = novel();
    let app = sample.app();
    let error = refused(&app, "noveler_plot", json!({"episode": 2, "content": "x"})).await;
    assert_eq!(error["guidance"]["parameters"], json!({"episode": 2, "regenerate": true}), "{error}");
    let error = refused(&app, "noveler_write", json!({"episode": 9})).await;
    assert_eq!(error["guidance"]["parameters"], json!({"episode": 9}), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_neither_used_twice_nor_lost_nor_confused() {
    let sample = unwritten();
    let app = sample.app();
    let first = ok(&app, "noveler_write", json!({"episode": 1})).await;
    let session = first["session_id"].clone();
    let content = script::answer("plot_data_preparation:1");
    // Without its step, an answer that was sent twice is recognised by its text.
    ok(&app, "noveler_write", json!({"episode": 1, "session_id": session, "content": content})).await;
    let error = refused(&app, "noveler_write", json!({"episode": 1, "session_id": session, "content": content})).await;
    assert_eq!(error["details"]["kind"], "ANSWER_TAKEN_ALREADY", "{error}");
    // An empty remark is ignored, and an approval changes nothing.
    for said in ["", "  ", "OK", "承認。"] {
        let stage =
            json!({"episode": 1, "stage": "plot_data_preparation", "session_id": session, "user_feedback": said});
        assert_eq!(ok(&app, "write_stage", stage).await["step"], "plot_data_preparation:2", "{said:?}");
    }
    let other = json!({"episode": 1, "session_id": session, "step": "design_humor_elements:1", "content": "x: y"});
    let error = refused(&app, "write_step_1", other).await;
    assert_eq!(error["details"]["kind"], "OTHER_STAGE", "{error}");
    // A session that was replaced by a newer one is not resumed when that one is finished.
    let newer = ok(&app, "noveler_write", json!({"episode": 1, "restart": true})).await;
    until(&app, newer, None).await;
    let again = ok(&app, "noveler_write", json!({"episode": 1})).await;
    assert!(again["session_id"] != session && again["total_stages_completed"] == 10, "{again}");
    // An unreadable session is reported, not skipped.
    let path = format!(".noveler/sessions/{}.yaml", again["session_id"].as_str().unwrap());
    let broken = sample.read(&path).replace("session_id:", "session_id: [");
    sample.file(&path, broken);
    assert_eq!(refused(&app, "noveler_write", json!({"episode": 1})).await["code"], "P002");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_chain_takes_feedback_and_another_length() {
    let sample = unwritten();
    let app = sample.app();
    let first = ok(&app, "noveler_write", json!({"episode": 1})).await;
    let asked = until(&app, first, Some("design_emotional_flow:1")).await;
    let session = asked["session_id"].clone();
    let again =
        ok(&app, "noveler_write", json!({"episode": 1, "session_id": session, "user_feedback": "静かに"})).await;
    assert_eq!(again["step"], "analyze_plot_structure:1");
    assert!(again["instruction"].as_str().unwrap().contains("静かに"));
    let longer =
        ok(&app, "noveler_write", json!({"episode": 1, "session_id": session, "word_count_target": 9000})).await;
    assert!(longer["instruction"].as_str().unwrap().contains("8100 to 9900"), "{longer}");
    let still = ok(&app, "write_resume", json!({"episode": 1, "session_id": session})).await;
    assert!(still["instruction"].as_str().unwrap().contains("8100 to 9900"), "the new length is stored");
}

/// A command has the result of the call that it stands for, over every edge.
#[tokio::test(flavor = "multi_thread")]
async fn a_command_is_answered_by_its_tool() {
    let sample = novel();
    let server = Server::start(sample.app()).await;
    let http = reqwest::Client::new();
    let send = async |command: &str| {
        let url = format!("{}/v1/tools/noveler", server.base);
        let body = json!({"command": command});
        http.post(url).json(&body).send().await.unwrap().json::<Value>().await.unwrap()
    };
    assert_eq!(send("status").await["project_overview"]["total_episodes"], 3);
    assert_eq!(send("noveler plot 第２話").await["generation_method"], "existing");
    assert_eq!(send("write 1").await["step"], "plot_data_preparation:1");
    assert_eq!(send("complete 1").await["publication_status"], "prepared");
    assert_eq!(send("init 新しい本").await["error"]["details"]["kind"], "INIT_ABOLISHED");
    assert_eq!(send("rm -rf /").await["error"]["details"]["kind"], "UNKNOWN_COMMAND");
    // If its tool is not available, the command names the call.
    let reply = call(&server.app, "noveler", json!({"command": "write 1"})).await;
    assert_eq!(reply.structured["tool"], "noveler_write");
    assert!(sample.read(FIRST).starts_with('#'));
}
