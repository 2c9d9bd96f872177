//! Messages of the novel tools: how to continue, in plain words, and never a silent substitute.

use fumi_base::text::Locale;
use fumi_kernel::Caller;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    FIRST, novel, script, unwritten,
    writing::{ok, refused, until},
};
use crate::sample::{call, call_as, whole};

const PLOT: &str = "20_プロット/話別/第001話.yaml";

/// A passage of the second manuscript.
const PASSAGE: &str = "翌朝の八時、徳次さんは新しい紙の端を糊で留めながら、そう答えた。";

#[tokio::test(flavor = "multi_thread")]
async fn errors_repeat_their_guidance_under_the_older_name_and_name_another_way() {
    let sample = novel();
    let app = sample.app();
    let error = refused(&app, "noveler_write", json!({"episode": 9})).await;
    assert_eq!(error["claude_guidance"], error["guidance"]);
    assert_eq!(error["alternative_actions"][0]["action"], "status");
    let error = refused(&app, "write", json!({"file_path": ".git/x", "content": "x"})).await;
    assert_ne!(error["guidance"], json!({"suggested_action": "write", "parameters": {}}), "{error}");
}

/// A name that no file system takes is refused to every user, also to root.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_cannot_be_written_suggests_another_tool_than_write() {
    let sample = novel();
    let app = sample.app();
    let path = format!("40_原稿/{}.md", "長".repeat(90));
    let error = refused(&app, "write", json!({"file_path": path, "content": "x"})).await;
    assert_eq!(error["code"], "P003");
    assert_eq!(
        (&error["guidance"]["suggested_action"], &error["guidance"]["parameters"]),
        (&json!("status"), &json!({}))
    );
    ok(&app, "status", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_manuscript_over_4_mib_is_refused_with_its_own_limit() {
    let sample = novel();
    sample.file(FIRST, "　雨だ。\n".repeat((4 << 20) / 13 + 1));
    let app = sample.app();
    let error = refused(&app, "check_basic", json!({"episode": 1})).await;
    assert_eq!(error["code"], "FILE_TOO_LARGE");
    assert_eq!((&error["details"]["path"], &error["details"]["limit"]), (&json!(FIRST), &json!("4194304")));
    assert_eq!(error["guidance"]["suggested_action"], "status");
    let text = error.to_string();
    assert!(
        text.contains("one file per episode") && !text.contains("big.log") && !text.contains("file_bytes"),
        "{text}"
    );
    ok(&app, "status", json!({})).await;
}

/// The longest text that is checked, 200,000 characters, takes far longer than a millisecond.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_beyond_its_own_time_limit_is_r001() {
    let sample = novel();
    sample.file(FIRST, "　雨だ。\n".repeat(40_000));
    let app = sample.app();
    let error = refused(&app, "check_basic", json!({"episode": 1, "timeout_ms": 1})).await;
    assert_eq!(
        (&error["code"], &error["type"], &error["details"]["limit_ms"]),
        (&json!("R001"), &json!("MCPTimeoutError"), &json!("1"))
    );
    assert_eq!(error["guidance"]["suggested_action"], "status");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_root_that_is_not_there_is_p001() {
    let sample = novel();
    let app = sample.app();
    let missing = sample.root().join("無い").to_string_lossy().into_owned();
    let error = refused(&app, "status", json!({"project_root": missing})).await;
    assert_eq!((&error["code"], &error["type"]), (&json!("P001"), &json!("MCPToolError")));
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
    // The purpose of the chapter, open foreshadowing in the ledger, and the settings of a character.
    for known in ["検潮所を閉めるまでの七日間", "F002 open, payoff in episode 3", "沿岸測地局の技官"]
    {
        assert!(instruction.contains(known), "{known}: {instruction}");
    }
}

/// The author writes the ledger while writing: foreshadowing without a payoff is reported as open.
#[tokio::test(flavor = "multi_thread")]
async fn foreshadowing_without_a_payoff_is_reported_as_open() {
    let sample = novel();
    let ledger = "50_管理資料/伏線管理.yaml";
    let more = "  - {id: F003, title: 鳴らない鈴, plant: {episode: 第1話, keywords: [鈴]}, status: planted}\n\
                \x20 - {id: F004, title: 返した鍵, plant: {episode: 1}, payoff: {content: いつか}, status: resolved}\n\
                \x20 - {id: F005, title: 欠けた茶碗, plant: {episode: 1}, payoff: {episode: 2}}\n";
    sample.file(ledger, sample.read(ledger) + more);
    let app = sample.app();
    let asked = ok(&app, "noveler_plot", json!({"episode": 3, "regenerate": true})).await;
    let instruction = asked["instruction"].as_str().unwrap();
    for known in ["F003 open, payoff not decided: 鳴らない鈴", "F005 open, payoff was due in episode 2: 欠けた茶碗"]
    {
        assert!(instruction.contains(known), "{known}: {instruction}");
    }
    assert!(!instruction.contains("F004"), "{instruction}");
    let reply = call(&app, "check_story_structure", json!({"episode": 2, "judge": false})).await;
    assert!(!reply.is_error, "{}", reply.text);
    let open = json!([
        {"id": "F002", "title": "五パーセント重い秤", "planted_in": 1, "payoff_in": 3},
        {"id": "F003", "title": "鳴らない鈴", "planted_in": 1},
    ]);
    assert_eq!(reply.structured["open_foreshadowing"], open);
    assert!(reply.text.contains("F003 鳴らない鈴 (planted in episode 1, payoff not decided)"), "{}", reply.text);
}

/// Overdue foreshadowing is not reported as settled, and the omitted entries of a long list are counted.
#[tokio::test(flavor = "multi_thread")]
async fn overdue_foreshadowing_is_reported_as_due_and_all_of_it_is_counted() {
    let sample = novel();
    let mut ledger = "foreshadowing:\n".to_owned();
    for number in 1..=45 {
        ledger
            .push_str(&format!("  - {{id: G{number:02}, title: 糸, plant: {{episode: 1}}, payoff: {{episode: 2}}}}\n"));
    }
    sample.file("50_管理資料/伏線管理.yaml", ledger);
    let app = sample.app();
    for (locale, due, more) in [
        (Locale::En, "open: G01 糸 (planted in episode 1, payoff was due in episode 2)", "open: 15 more in the ledger"),
        (Locale::Ja, "未回収: G01 糸（第1話で張り、第2話で回収する予定だった）", "未回収: ほか 15 件"),
    ] {
        let caller = Caller { locale, ..whole(&app) };
        let arguments = json!({"episode": 3, "judge": false});
        let reply = call_as(&app, "check_story_structure", arguments, caller, CancellationToken::new()).await;
        assert!(!reply.is_error, "{}", reply.text);
        assert!(reply.text.contains(due) && reply.text.contains(more), "{}", reply.text);
        let open = reply.structured["open_foreshadowing"].as_array().unwrap();
        assert_eq!((open.len(), &open[0]["overdue"]), (30, &json!(true)));
        assert_eq!(reply.structured["more_open_foreshadowing"], 15);
    }
    let reply = call(&app, "check_story_structure", json!({"episode": 3, "judge": false, "verbose": true})).await;
    assert_eq!(reply.structured["open_foreshadowing"].as_array().unwrap().len(), 45);
    assert!(reply.structured.get("more_open_foreshadowing").is_none(), "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn yaml_errors_are_reported_in_plain_words_with_their_key() {
    let sample = novel();
    sample.file(PLOT, "characters: 梶みちる\n");
    let app = sample.app();
    let error = refused(&app, "noveler_write", json!({"episode": 1})).await;
    let message = error["message"].as_str().unwrap();
    assert_eq!(error["code"], "P002");
    assert!(message.contains("`characters`: a list is required"), "{message}");
}

/// The whole path of the key, and the line of its value, at any depth.
#[tokio::test(flavor = "multi_thread")]
async fn yaml_errors_are_reported_with_the_path_of_the_key_and_its_line() {
    let sample = novel();
    let app = sample.app();
    for (text, place, key) in [
        ("episode_info:\n  title: 題\n  theme:\n    - 海\n", "line 4", "`episode_info.theme`"),
        (
            "scene_structure:\n  total_target_words:\n    - 4000\n    - 5000\n",
            "line 3",
            "`scene_structure.total_target_words`",
        ),
        ("episode_info: {title: 題, chapter_number: 一章}\n", "line 1", "`episode_info.chapter_number`"),
        ("synopsis: 一\nepisode_info:\n  title: \"閉じない\nkey_events: []\n", "line 3", "`episode_info.title`"),
        ("episode_info:\n  theme: 海\n  theme: 山\n", "line 3", "`episode_info.theme`"),
    ] {
        sample.file(PLOT, text);
        let error = refused(&app, "noveler_write", json!({"episode": 1})).await;
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(place) && message.contains(key), "{text}\n{message}");
    }
    sample.file("プロジェクト設定.yaml", "title: 題\nchecks:\n  thresholds:\n    long_sentence: {max: 多い}\n");
    let error = refused(&app, "check_basic", json!({"episode": 1})).await;
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("checks.thresholds"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_in_the_wrong_form_is_reported_with_its_chat_phrases() {
    let sample = unwritten();
    let app = sample.app();
    let asked = ok(&app, "noveler_write", json!({"episode": 1})).await;
    let mut arguments = asked["submit"]["arguments"].clone();
    arguments["content"] = json!("承知しました。以下が準備です。\n  premise: x: y\n");
    let error = refused(&app, "noveler_write", arguments).await;
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("[form]") && message.contains("[remnants]"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_names_its_author_and_that_it_was_not_judged() {
    let sample = unwritten();
    let app = sample.app();
    let asked = ok(&app, "noveler_write", json!({"episode": 1})).await;
    let asked = until(&app, asked, Some("analyze_plot_structure:1")).await;
    let session = sample.read(&format!(".noveler/sessions/{}.yaml", asked["session_id"].as_str().unwrap()));
    assert!(session.contains("written_by: host") && session.contains("method: not_evaluated"), "{session}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_written_episode_is_not_restarted_without_a_request() {
    let sample = unwritten();
    let app = sample.app();
    let asked = ok(&app, "noveler_write", json!({"episode": 1})).await;
    let done = until(&app, asked, None).await;
    let again = ok(&app, "noveler_write", json!({"episode": 1})).await;
    assert_eq!((&again["session_id"], &again["final_manuscript_path"]), (&done["session_id"], &json!(FIRST)));
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
async fn a_text_of_two_characters_does_not_score_a_hundred() {
    let sample = novel();
    sample.file(FIRST, "# 第一話\n\n　猫。\n");
    let reply = call(&sample.app(), "check_basic", json!({"episode": 1})).await;
    assert_eq!(reply.structured["word_count_check"]["status"], "below_min");
    assert!(reply.structured["quality_score"].as_f64() < Some(1.0), "{}", reply.text);
    sample.file(FIRST, format!("# 第一話\n\n{}", script::whole()));
    let reply = call(&sample.app(), "check_basic", json!({"episode": 1})).await;
    assert!(reply.structured["quality_score"].as_f64() > Some(80.0), "{}", reply.text);
}

/// Calls that ask, one for every tool that can; `SESSION` stands for the session of the writing tools.
fn asking() -> Vec<(String, Value)> {
    let steps = (2..=10).map(|step| format!("write_step_{step}"));
    let mut all = vec![
        ("noveler_write".to_owned(), json!({"episode": 1, "restart": true})),
        ("write_stage".to_owned(), json!({"episode": 1, "stage": "plot_data_preparation", "session_id": "SESSION"})),
        ("write_resume".to_owned(), json!({"episode": 1, "session_id": "SESSION"})),
        ("write_manuscript_draft".to_owned(), json!({"episode": 1})),
        ("write_with_claude".to_owned(), json!({"episode": 1})),
        ("write_step_1".to_owned(), json!({"episode": 1, "session_id": "SESSION"})),
        ("enhanced_execute_writing_step".to_owned(), json!({"episode": 1, "step_id": 1})),
        ("enhanced_resume_from_partial_failure".to_owned(), json!({"episode": 1, "recovery_point": 0})),
        ("noveler_plot".to_owned(), json!({"episode": 1, "regenerate": true})),
        ("noveler".to_owned(), json!({"command": "plot 1 --regenerate"})),
        ("noveler_check".to_owned(), json!({"episode": 2})),
        ("check_story_elements".to_owned(), json!({"episode": 2})),
        ("check_story_structure".to_owned(), json!({"episode": 2})),
        ("execute_check_step".to_owned(), json!({"episode": 2, "step_id": 4})),
        ("check_proofreading".to_owned(), json!({"episode": 2})),
        ("record_episode_state".to_owned(), json!({"episode": 2})),
        ("rewrite_passage".to_owned(), json!({"episode": 2, "quote": PASSAGE})),
        ("write_blurb".to_owned(), json!({})),
    ];
    all.extend(steps.map(|tool| (tool, json!({"episode": 1, "session_id": "SESSION"}))));
    all
}

/// The same object everywhere: a client that handles one question can handle all of them.
#[tokio::test(flavor = "multi_thread")]
async fn every_question_of_every_tool_has_every_field() {
    let sample = unwritten();
    let app = sample.app();
    let mut asked = Vec::new();
    for (tool, mut arguments) in asking() {
        let stage: usize = tool.strip_prefix("write_step_").map_or(0, |step| step.parse().unwrap());
        if arguments["session_id"] == "SESSION" {
            // A session at this step.
            let begun = ok(&app, "noveler_write", json!({"episode": 1, "restart": true})).await;
            let at = fumi_novel::writing::WritingStage::from_number(stage).map(|stage| format!("{stage}:1"));
            let at = at.filter(|_| stage > 1);
            let begun = if at.is_some() { until(&app, begun, at.as_deref()).await } else { begun };
            arguments["session_id"] = begun["session_id"].clone();
        }
        let mut question = ok(&app, &tool, arguments).await;
        if let Some(stands_for) = question.get("tool").and_then(Value::as_str).map(str::to_owned) {
            question = ok(&app, &stands_for, question["arguments"].clone()).await;
        }
        let missing: Vec<&str> = ["session_id", "step", "instruction"]
            .into_iter()
            .filter(|field| question[*field].as_str().unwrap_or_default().is_empty())
            .chain(
                ["context", "acceptance_criteria"]
                    .into_iter()
                    .filter(|field| question[*field].as_array().is_none_or(Vec::is_empty)),
            )
            .collect();
        assert!(missing.is_empty(), "{tool} lacks {missing:?}: {question}");
        assert_eq!(question["status"], "needs_text", "{tool}");
        assert!(question["response_schema"]["type"].is_string(), "{tool}: {question}");
        let submit = &question["submit"];
        assert!(
            submit["tool"].is_string() && submit["answer"].is_string() && submit["arguments"].is_object(),
            "{tool}: {submit}"
        );
        asked.push(tool);
    }
    let all = app.catalogue.entries().iter().filter(|entry| entry.asks);
    let forgotten: Vec<&str> =
        all.map(|entry| entry.spec.name).filter(|name| !asked.iter().any(|one| one == name)).collect();
    assert!(forgotten.is_empty(), "{forgotten:?} ask, and are not tried here");
}
