//! Errors: their codes, both languages, and that a failed call leaves the project unchanged.

use fumi_base::text::Locale;
use fumi_kernel::Caller;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    novel, script, unwritten,
    writing::{ok, refused, submission, until},
};
use crate::sample::{Sample, call_as};

/// Returns the files of a project, without the locks of its servers.
pub(crate) fn written(sample: &Sample) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut state = sample.state();
    state.retain(|(path, _)| !path.ends_with(".noveler") && !path.to_string_lossy().contains(".noveler/locks"));
    state
}

/// Asserts that a call fails with guidance in both languages, and writes nothing.
async fn taught(sample: &Sample, tool: &str, arguments: Value) -> Value {
    let app = sample.app();
    let before = written(sample);
    let mut said = Vec::new();
    for locale in Locale::ALL {
        let caller = Caller { locale, ..Caller::default() };
        let reply = call_as(&app, tool, arguments.clone(), caller, CancellationToken::new()).await;
        assert!(reply.is_error, "{tool} {arguments}: {}", reply.text);
        let error = reply.structured["error"].clone();
        for text in [&error["message"], &error["guidance"]["explanation"]] {
            let text = text.as_str().unwrap();
            assert!(!text.is_empty(), "{error}");
            // Names and quoted texts may be Japanese in English sentences too.
            assert!(locale == Locale::En || text.chars().any(|c| ('ぁ'..='ん').contains(&c)), "{text}");
        }
        said.push(error);
    }
    assert_eq!(said[0]["code"], said[1]["code"]);
    assert_ne!(said[0]["message"], said[1]["message"]);
    assert!(written(sample) == before, "{tool} {arguments} wrote something");
    said.swap_remove(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_file_is_named_with_a_remedy() {
    let error = taught(&Sample::empty(), "noveler_write", json!({"episode": 1})).await;
    assert_eq!(error["code"], "P001", "{error}");
    let error = taught(&novel(), "noveler_write", json!({"episode": 9})).await;
    assert_eq!(error["code"], "E002", "{error}");
    assert_eq!(error["guidance"]["suggested_action"], "noveler_plot");
    let error = taught(&novel(), "noveler_write", json!({"episode": 0})).await;
    assert_eq!(error["code"], "INVALID_ARGUMENTS", "{error}");
    let broken = novel();
    broken.file("20_プロット/話別/第001話.yaml", "episode_info:\n  title: \"開いたまま\nsynopsis: x\n");
    let error = taught(&broken, "noveler_write", json!({"episode": 1})).await;
    assert_eq!(error["code"], "P002", "{error}");
    assert!(error["details"]["line"].as_str().is_some_and(|line| line != "0"), "{error}");
    assert!(error["message"].as_str().unwrap().contains("line"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_settings_stop_what_is_written_by_them() {
    for settings in ["title: こぶ\nstyle_preset: bunkoo\n", "title: [こぶ\n"] {
        let sample = novel();
        sample.file("プロジェクト設定.yaml", settings);
        for tool in
            ["noveler_write", "noveler_plot", "write_with_claude", "noveler_complete", "check_fix", "write_step_1"]
        {
            let arguments = match tool {
                "noveler_plot" => json!({"episode": 1, "regenerate": true}),
                _ => json!({"episode": 1}),
            };
            let error = taught(&sample, tool, arguments).await;
            assert_eq!(error["code"], "P002", "{tool}: {error}");
            let message = error["message"].as_str().unwrap();
            assert!(message.contains("プロジェクト設定.yaml") && message.contains("line"), "{message}");
        }
        // A call that only reads reports it beside the rest.
        let status = ok(&sample.app(), "status", json!({})).await;
        assert!(status["remarks"].to_string().contains("プロジェクト設定.yaml"), "{status}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stages_are_known_and_come_in_their_order() {
    let sample = novel();
    for (unknown, nearest) in [
        ("emotional_flow_desing", " Nearest: design_emotional_flow. Stages: "),
        ("", ". Stages: "),
        ("xyz", ". Stages: "),
    ] {
        let error = taught(&sample, "write_stage", json!({"episode": 1, "stage": unknown})).await;
        assert_eq!(error["code"], "S004", "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(nearest) && message.contains("design_humor_elements"), "{message}");
    }
    let error = taught(&sample, "write_stage", json!({"episode": 1, "stage": "design_humor_elements"})).await;
    assert_eq!(error["code"], "S002", "{error}");
    let error = taught(&sample, "write_step_5", json!({"episode": 1})).await;
    assert_eq!(error["code"], "S002", "{error}");
    for id in ["session_20260131_100000_0a1b2c3d", "../../etc/passwd", "x"] {
        let error = taught(&sample, "write_resume", json!({"episode": 1, "session_id": id})).await;
        assert_eq!(error["code"], "S001", "{error}");
    }
    let app = sample.app();
    let asked = ok(&app, "write_step_1", json!({"episode": 1})).await;
    let session = asked["session_id"].clone();
    for (tool, stage) in
        [("write_stage", Some("write_manuscript_draft")), ("write_step_8", None), ("write_manuscript_draft", None)]
    {
        let mut arguments = json!({"episode": 1, "session_id": session});
        if let Some(stage) = stage {
            arguments["stage"] = json!(stage);
        }
        let error = taught(&sample, tool, arguments).await;
        assert_eq!(error["code"], "S003", "{error}");
        assert!(error["message"].as_str().unwrap().contains("plot_data_preparation"), "{error}");
    }
    // The session of one episode is not valid for another.
    let error = taught(&sample, "write_resume", json!({"episode": 2, "session_id": session})).await;
    assert_eq!(error["code"], "S001", "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_text_gets_the_missing_criteria_and_advice() {
    let sample = unwritten();
    let app = sample.app();
    let asked = ok(&app, "noveler_write", json!({"episode": 1})).await;
    let mut arguments = asked["submit"]["arguments"].clone();
    arguments["content"] = json!("承知しました。premise: 短い\n");
    let error = taught(&sample, "noveler_write", arguments.clone()).await;
    assert_eq!(error["code"], "S005", "{error}");
    arguments["content"] = json!("premise: 短い\nevents: [a, b]\ncast: []\n");
    let error = taught(&sample, "noveler_write", arguments.clone()).await;
    for key in ["[key.premise]", "[key.events]", "[key.cast]", "[characters]"] {
        assert!(error["message"].as_str().unwrap().contains(key), "{key}: {error}");
    }
    arguments["step"] = json!("plot_data_preparation:2");
    arguments["content"] = json!(script::answer("plot_data_preparation:1"));
    let error = taught(&sample, "noveler_write", arguments.clone()).await;
    assert_eq!(error["code"], "INVALID_ARGUMENTS", "{error}");
    // An answer without its session could belong to another one.
    let error = taught(&sample, "noveler_write", json!({"episode": 1, "content": "x"})).await;
    assert_eq!(error["code"], "S002", "{error}");
    // An answer that is sent twice is used once.
    let (tool, arguments) = submission(&asked);
    ok(&app, &tool, arguments.clone()).await;
    let error = taught(&sample, &tool, arguments).await;
    assert_eq!(error["code"], "INVALID_ARGUMENTS", "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn oversized_and_outside_files_are_refused() {
    let sample = unwritten();
    let app = sample.app();
    let asked = ok(&app, "noveler_write", json!({"episode": 1})).await;
    let mut arguments = asked["submit"]["arguments"].clone();
    arguments["content"] = json!("あ".repeat((4 << 20) / 3 + 1));
    let error = refused(&app, "noveler_write", arguments).await;
    assert_eq!(error["code"], "FILE_TOO_LARGE", "{error}");
    // A title becomes a part of a file's name and of nothing else.
    let asked = until(&app, asked, Some("finalize_manuscript:1")).await;
    let (tool, mut arguments) = submission(&asked);
    arguments["content"] =
        json!(script::answer("finalize_manuscript:1").replace("title: こぶとえくぼ", "title: ../../外/こぶ:えくぼ"));
    let done = ok(&app, &tool, arguments).await;
    let path = done["final_manuscript_path"].as_str().unwrap();
    assert!(path.starts_with("40_原稿/第001話_") && path.matches('/').count() == 1, "{path}");
    sample.read(path);
}
