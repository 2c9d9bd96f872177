//! The short route as a host uses it: new novels begin with it, criteria are waived, and other tools of the chain take
//! its sessions or say why not.

use serde_json::json;

use super::{
    FIRST, script, unwritten,
    writing::{ok, refused, submission, until},
};
use crate::{command_line::run, sample::Sample, sample::call};

const SHORT: &str = r#"{"episode": 1, "route": "short"}"#;

fn short() -> serde_json::Value {
    serde_json::from_str(SHORT).unwrap()
}

/// Returns the shortest text that a question asks for, in visible characters.
fn shortest(asked: &serde_json::Value) -> usize {
    let length = asked["acceptance_criteria"][0].as_str().unwrap();
    length.split(|c: char| !c.is_ascii_digit()).find_map(|number| number.parse().ok()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn seven_questions_make_the_manuscript_and_lead_to_the_checks() {
    let sample = unwritten();
    let app = sample.app();
    let first = ok(&app, "noveler_write", short()).await;
    assert_eq!(first["step"], "plan_scenes:1");
    let scenes = &first["response_schema"]["properties"]["scenes"];
    assert_eq!((&scenes["minItems"], &scenes["maxItems"]), (&json!(1), &json!(12)));
    let done = until(&app, first, None).await;
    assert_eq!((&done["total_stages_completed"], &done["final_manuscript_path"]), (&json!(5), &json!(FIRST)));
    let written = sample.read(FIRST);
    assert_eq!(written, format!("# 第1話　{}\n\n{}\n", script::TITLE, script::manuscript_by_scenes().trim_end()));
    assert_eq!(done["other_titles"].as_array().unwrap().len(), 4);
    let next = done["next_suggested_actions"].as_array().unwrap();
    let tools: Vec<&str> = next.iter().map(|call| call["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["noveler_check", "noveler_complete"]);
}

/// A host has its own answers and what earlier replies listed in its conversation. One that begins anew sees everything.
#[tokio::test(flavor = "multi_thread")]
async fn a_reply_to_an_answer_lists_only_what_is_new() {
    let sample = unwritten();
    let app = sample.app();
    let listed = |asked: &serde_json::Value| -> Vec<String> {
        let context = asked["context"].as_array().unwrap().iter();
        context.map(|cited| cited.as_str().unwrap().split_once(' ').unwrap().1.to_owned()).collect()
    };
    let material = "the material: plot, style, characters, settings, record".to_owned();
    let first = ok(&app, "noveler_write", short()).await;
    assert_eq!(listed(&first), [material.as_str()]);
    let id = first["context"][0].as_str().unwrap().split(' ').next().unwrap().to_owned();
    let text = ok(&app, "fetch_artifact", json!({"artifact_id": id})).await.to_string();
    // The plot, a sheet, a relation between two people of the plot, a term of the plot; and neither a person nor a term
    // that it does not name.
    for words in [
        "気象通報の口調で話す小学生",
        "備考の欄に「なし」としか書いたことがない",
        "年下の観測員として扱う",
        "差し渡し八十センチ",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains("佐和") && !text.contains("様式第九号"), "{text}");
    let asked = until(&app, first, Some("write_scenes:2")).await;
    assert_eq!(listed(&asked), Vec::<String>::new());
    let again = ok(&app, "noveler_write", json!({"episode": 1, "session_id": asked["session_id"]})).await;
    assert_eq!(listed(&again), [material.as_str(), "Planning the scenes", "turn 1 of this stage"]);
    // Changed settings are new.
    let sheets = "30_設定集/キャラクター.yaml";
    let edited = sample.read(sheets).replace("備考の欄に「なし」としか書いたことがない", "備考の欄を埋めない");
    std::fs::write(sample.root().join(sheets), edited).unwrap();
    let (tool, mut arguments) = submission(&again);
    arguments["content"] = json!(script::answer("write_scenes:2"));
    let asked = ok(&app, &tool, arguments).await;
    assert_eq!(listed(&asked), [material.as_str()]);
    let id = asked["context"][0].as_str().unwrap().split(' ').next().unwrap().to_owned();
    let text = ok(&app, "fetch_artifact", json!({"artifact_id": id})).await.to_string();
    assert!(text.contains("備考の欄を埋めない"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_novel_is_written_by_the_short_route() {
    let sample = Sample::empty();
    let made = run(&sample, &["novel", "new", "新作", "--title", "題"]);
    assert!(made.status.success(), "{made:?}");
    let app = sample.app();
    let root = json!(sample.root().join("新作"));
    let plan = ok(&app, "noveler_write", json!({"episode": 1, "dry_run": true, "project_root": root})).await;
    assert_eq!(plan["plan"][0]["step"], "plan_scenes:1");
    let long = json!({"episode": 1, "dry_run": true, "project_root": root, "route": "ten_stages"});
    assert_eq!(ok(&app, "noveler_write", long).await["plan"].as_array().unwrap().len(), 20);
    let status = ok(&app, "status", json!({"project_root": root})).await;
    assert!(status.to_string().contains("noveler_write"), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missed_criterion_is_waived_by_the_call_that_the_error_names() {
    let sample = unwritten();
    let app = sample.app();
    let first = ok(&app, "noveler_write", short()).await;
    let mut asked = until(&app, first, Some("write_scenes:1")).await;
    let unnamed = |asked: &serde_json::Value| format!("　{}\n", "波が来た。".repeat(shortest(asked) / 4 + 1));
    for step in ["write_scenes:2", "write_scenes:3"] {
        let (tool, mut arguments) = submission(&asked);
        arguments["content"] = json!(unnamed(&asked));
        asked = ok(&app, &tool, arguments).await;
        assert_eq!(asked["step"], step);
    }
    let (tool, mut arguments) = submission(&asked);
    arguments["content"] = json!(unnamed(&asked));
    let session = asked["session_id"].as_str().unwrap().to_owned();
    let kept = || sample.read(&format!(".noveler/sessions/{session}.yaml"));
    let before = kept();
    let error = refused(&app, &tool, arguments.clone()).await;
    assert_eq!(error["code"], "S005");
    let said = error.to_string();
    assert!(said.contains("[characters]") && said.contains("waive"), "{said}");
    arguments["waive"] = json!({"人物": "名を伏せる"});
    let error = refused(&app, &tool, arguments.clone()).await;
    let said = error.to_string();
    assert!(said.contains("characters") && said.contains("length"), "{said}");
    assert_eq!(kept(), before);
    arguments["waive"] = json!({"characters": "名を伏せる"});
    let next = ok(&app, &tool, arguments).await;
    assert_eq!(next["step"], "review_draft:1");
    // The reason stands in the session.
    assert!(kept().contains("名を伏せる"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_length_that_is_wrong_by_little_is_reported_with_the_next_question() {
    let sample = unwritten();
    let app = sample.app();
    let first = ok(&app, "noveler_write", short()).await;
    let asked = until(&app, first, Some("write_scenes:1")).await;
    let (tool, mut arguments) = submission(&asked);
    arguments["content"] = json!(format!("　{}\n", "波が来た。".repeat(shortest(&asked) * 9 / 50)));
    let reply = call(&app, &tool, arguments).await;
    assert_eq!(reply.structured["step"], "write_scenes:2", "{}", reply.text);
    assert!(reply.text.contains("! [length]"), "{}", reply.text);
    assert!(reply.structured["warnings"][0].as_str().unwrap().starts_with("[length]"), "{}", reply.structured);
}

#[tokio::test(flavor = "multi_thread")]
async fn other_tools_of_the_chain_take_its_sessions_or_say_why_not() {
    let sample = unwritten();
    let app = sample.app();
    let asked = ok(&app, "noveler_write", short()).await;
    let session = asked["session_id"].clone();
    let of = |more: serde_json::Value| {
        let mut arguments = json!({"episode": 1, "session_id": session});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    assert_eq!(ok(&app, "write_resume", of(json!({}))).await["step"], "plan_scenes:1");
    let content = script::answer("plan_scenes:1");
    let done =
        ok(&app, "write_stage", of(json!({"stage": "plan_scenes", "content": content, "step": "plan_scenes:1"}))).await;
    assert_eq!(done["next_recommended_stage"], "write_scenes");
    for (tool, more) in [
        ("write_manuscript_draft", json!({})),
        ("write_step_8", json!({})),
        ("write_stage", json!({"stage": "write_manuscript_draft"})),
    ] {
        let error = refused(&app, tool, of(more)).await;
        assert!(error.to_string().contains("write_scenes"), "{tool}: {error}");
    }
    let error = refused(&app, "noveler_write", json!({"episode": 1, "route": "ten_stages"})).await;
    assert!(error.to_string().contains(session.as_str().unwrap()), "{error}");
    // Without a session id the open session of the short route goes on.
    assert_eq!(ok(&app, "noveler_write", json!({"episode": 1})).await["session_id"], session);
    let status = ok(&app, "status", json!({})).await;
    assert!(status.to_string().contains(session.as_str().unwrap()), "{status}");
    let tasks = ok(&app, "enhanced_get_writing_tasks", json!({"episode": 1})).await;
    assert!(!tasks.to_string().contains("plan_scenes"), "{tasks}");
}

/// Returns the number of files in the folder of sessions.
fn sessions(sample: &Sample) -> usize {
    std::fs::read_dir(sample.root().join(".noveler/sessions")).unwrap().count()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_tool_begins_a_second_session_beside_an_open_one() {
    let sample = unwritten();
    let app = sample.app();
    let first = ok(&app, "noveler_write", short()).await;
    let asked = until(&app, first, Some("write_scenes:3")).await;
    let id = asked["session_id"].as_str().unwrap();
    for (tool, arguments) in [
        ("enhanced_execute_writing_step", json!({"episode": 1, "step_id": 1})),
        ("write_step_1", json!({"episode": 1})),
        ("write_stage", json!({"episode": 1, "stage": "plot_data_preparation"})),
        ("write_manuscript_draft", json!({"episode": 1})),
    ] {
        let error = refused(&app, tool, arguments).await;
        assert_eq!(error["code"], "S003", "{tool}: {error}");
        assert!(error["message"].as_str().unwrap().contains(id), "{tool}: {error}");
    }
    assert_eq!(sessions(&sample), 1);
    // A first stage of the short route continues the open session.
    let again = ok(&app, "noveler_write", json!({"episode": 1})).await;
    assert_eq!((again["session_id"].as_str(), &again["step"]), (Some(id), &json!("write_scenes:3")));
}

/// What `restart` leaves behind is not offered again, neither at once nor when the new session is finished.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_restarted_is_not_resumed() {
    let sample = unwritten();
    let app = sample.app();
    let first = ok(&app, "noveler_write", short()).await;
    let asked = until(&app, first, Some("write_scenes:1")).await;
    let old = asked["session_id"].as_str().unwrap();
    let again = ok(&app, "noveler_write", json!({"episode": 1, "route": "short", "restart": true})).await;
    let new = again["session_id"].as_str().unwrap().to_owned();
    assert_ne!(new, old);
    // An answer to the old question does not bring the old session back.
    let (tool, mut arguments) = submission(&asked);
    arguments["content"] = json!(script::answer("write_scenes:1"));
    ok(&app, &tool, arguments).await;
    let status = ok(&app, "status", json!({})).await;
    let open: Vec<&str> =
        status["open_sessions"].as_array().unwrap().iter().map(|one| one["session_id"].as_str().unwrap()).collect();
    assert_eq!(open, [new.as_str()], "{status}");
    until(&app, again, None).await;
    for arguments in [None, Some(json!({"episode": 1}))] {
        if let Some(arguments) = arguments {
            ok(&app, "noveler_complete", arguments).await;
        }
        let status = ok(&app, "status", json!({})).await;
        assert!(status.get("open_sessions").is_none(), "{status}");
        assert_eq!(status["next_suggested_actions"].to_string().matches("write_resume").count(), 0, "{status}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remark_on_a_scene_keeps_the_others_whatever_tool_takes_it() {
    let sample = unwritten();
    let app = sample.app();
    let first = ok(&app, "noveler_write", short()).await;
    let asked = until(&app, first, Some("review_draft:1")).await;
    let id = &asked["session_id"];
    // A scene that does not exist: the call that the error names changes the last one only.
    let wrong = json!({"episode": 1, "session_id": id, "step": "write_scenes:9", "user_feedback": "静かに"});
    let error = refused(&app, "noveler_write", wrong).await;
    assert!(error["message"].as_str().unwrap().contains("turn 9"), "{error}");
    assert!(error.to_string().contains("write_scenes:3"), "{error}");
    let remark = json!({"episode": 1, "session_id": id, "stage": "write_scenes", "step": "write_scenes:3",
        "user_feedback": "静かに"});
    let again = ok(&app, "write_stage", remark).await;
    assert_eq!(again["step"], "write_scenes:3");
    let other = json!({"episode": 1, "session_id": id, "stage": "write_scenes", "step": "plan_scenes:1",
        "user_feedback": "静かに"});
    refused(&app, "write_stage", other).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_material_follows_damaged_files() {
    let sample = unwritten();
    let app = sample.app();
    let first = ok(&app, "noveler_write", short()).await;
    let id = first["context"][0].as_str().unwrap().split(' ').next().unwrap().to_owned();
    let folder = format!(".noveler/writes/{}", first["session_id"].as_str().unwrap());
    let files = std::fs::read_dir(sample.root().join(folder)).unwrap().map(|file| file.unwrap().path());
    let file = files.into_iter().find(|file| file.to_string_lossy().contains("material-")).unwrap();
    // An edited file is written again by the call that cites it.
    std::fs::write(&file, "別の資料").unwrap();
    ok(&app, "noveler_write", json!({"episode": 1, "session_id": first["session_id"]})).await;
    ok(&app, "fetch_artifact", json!({"artifact_id": id})).await;
    // Settings that break on the way are reported with the material that lacks them.
    std::fs::write(sample.root().join("30_設定集/キャラクター.yaml"), "characters: [").unwrap();
    let (tool, mut arguments) = submission(&first);
    arguments["content"] = json!(script::answer("plan_scenes:1"));
    let reply = call(&app, &tool, arguments).await;
    assert!(reply.text.contains("! ") && reply.text.contains("キャラクター.yaml"), "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_shows_the_route_that_would_follow() {
    let sample = unwritten();
    let app = sample.app();
    let asked = json!({"episode": 1, "route": "short", "word_count_target": 1000, "dry_run": true});
    let plan = ok(&app, "noveler_write", asked).await;
    let next = &plan["next_suggested_actions"][0]["arguments"];
    assert_eq!((&next["route"], &next["word_count_target"]), (&json!("short"), &json!(1000)));
    ok(&app, "noveler_write", short()).await;
    let plan = ok(&app, "noveler_write", json!({"episode": 1, "dry_run": true})).await;
    assert_eq!(plan["plan"][0]["step"], "plan_scenes:1");
}
