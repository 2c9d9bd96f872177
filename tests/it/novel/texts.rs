//! Texts stand alone: each has what the next call needs, and says it once.

use fumi::app::App;
use fumi_base::text::Locale;
use serde_json::{Value, json};

use super::{
    FIRST,
    checking::{FAULTY, QUOTE, judgements},
    novel,
    plotting::PLOT,
    script, unwritten,
    writing::{ok, submission, until},
};
use crate::sample::call;

/// Returns the text of a call that must succeed.
async fn text(app: &App, tool: &str, arguments: Value) -> String {
    let reply = call(app, tool, arguments.clone()).await;
    assert!(!reply.is_error, "{tool} {arguments}: {}", reply.text);
    reply.text
}

/// Returns the text of a call that must fail.
async fn error(app: &App, tool: &str, arguments: Value) -> String {
    let reply = call(app, tool, arguments.clone()).await;
    assert!(reply.is_error, "{tool} {arguments}: {}", reply.text);
    reply.text
}

/// Returns the arguments of the call that a text suggests for a tool.
#[track_caller]
pub(super) fn call_in(text: &str, tool: &str) -> Value {
    let lead = format!(" {tool} {{");
    let line = text.lines().rev().find(|line| line.contains(&lead));
    let line = line.unwrap_or_else(|| panic!("no call of {tool}: {text}"));
    let at = line.find(&lead).unwrap() + lead.len() - 1;
    let mut values = serde_json::Deserializer::from_str(&line[at..]).into_iter();
    values.next().unwrap().unwrap()
}

/// Returns the call that takes the answer, if the text is a question.
pub(super) fn answer_call(text: &str) -> Option<(String, Value)> {
    let call = text.lines().find_map(|line| line.strip_prefix("Answer with "))?;
    let (tool, arguments) = call.split_once(' ').unwrap();
    Some((tool.to_owned(), serde_json::from_str(arguments).unwrap()))
}

/// Returns the first line with a word.
#[track_caller]
pub(super) fn line_with<'t>(text: &'t str, word: &str) -> &'t str {
    let line = text.lines().find(|line| line.contains(word));
    line.unwrap_or_else(|| panic!("no {word}: {text}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn rejected_judgements_are_named_with_the_call_that_repeats_them() {
    let sample = novel();
    let app = sample.app();
    for (tool, mut arguments) in [
        ("noveler_check", json!({"episode": 1})),
        ("check_story_elements", json!({"episode": 1})),
        ("check_story_structure", json!({"episode": 1})),
        ("execute_check_step", json!({"episode": 1, "step_id": 4})),
    ] {
        let asked = ok(&app, tool, arguments.clone()).await;
        let id = |at: usize| asked["items"][at]["item_id"].as_str().unwrap();
        let given = |item: &str, quote: &str| json!({"item_id": item, "score": 0.8, "quotes": [quote], "comment": "…"});
        arguments["session_id"] = asked["session_id"].clone();
        arguments["judgements"] = json!([given(id(0), QUOTE), given(id(1), "この文は本文に無い")]);
        let judged = text(&app, tool, arguments.clone()).await;
        assert!(
            judged.contains(&format!("! {} rejected: \"この文は本文に無い\" is not in the text", id(1))),
            "{judged}"
        );
        let mut expected = arguments.clone();
        expected["judgements"] = json!([given(id(1), "…")]);
        let again = line_with(&judged, ": send what was rejected again");
        assert_eq!(call_in(again, tool), expected, "{judged}");
        // If all are rejected, the error repeats the call of the caller.
        arguments["judgements"] = json!([given(id(1), "この文は本文に無い")]);
        let refused = error(&app, tool, arguments).await;
        assert_eq!(call_in(&refused, tool), expected, "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fixes_before_a_check_are_told_with_their_backup() {
    for tool in ["noveler_check", "check_story_elements"] {
        let sample = novel();
        sample.file(FIRST, FAULTY);
        let app = sample.app();
        let plain = text(&app, tool, json!({"episode": 1, "judge": false})).await;
        assert!(!plain.contains("fixes made"), "{plain}");
        let fixed = text(&app, tool, json!({"episode": 1, "judge": false, "auto_fix": true})).await;
        let backup = line_with(&fixed, "fixes made").split("(backup ").nth(1).unwrap();
        let restore = json!({"action": "restore", "backup_id": backup.trim_end_matches(')')});
        text(&app, "backup_management", restore).await;
        assert_eq!(sample.read(FIRST), FAULTY, "{fixed}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn issues_stand_below_their_rule_with_the_file_and_the_place() {
    let sample = novel();
    let faults = format!("{FAULTY}　TODO ここを直す。\n　港は静か...だった。\n");
    sample.file(FIRST, faults);
    let app = sample.app();
    let told = text(&app, "check_basic", json!({"episode": 1})).await;
    let head = told.lines().next().unwrap();
    assert!(head.starts_with(&format!("{FIRST} (artifact:")) && head.contains("/100, "), "{told}");
    let rows: Vec<&str> = told.lines().collect();
    let dots = line_with(&told, "「...」→「……」 3:7 BASIC-");
    assert!(dots.contains(", 8:6 BASIC-"), "{told}");
    assert_eq!(told.matches("\nellipsis (").count(), 1, "{told}");
    // The most severe come first, with the words of the text if no fix shows them.
    let severe = rows.iter().position(|row| row.starts_with("placeholder (critical): ")).unwrap();
    assert!(rows[severe + 1].contains("TODO ここを直す"), "{told}");
    assert!(!rows[1..severe].iter().any(|row| row.contains(" (low")), "{told}");
    assert!(!told.contains("session_id") && !told.contains(" @"), "{told}");
    let verbose = text(&app, "check_basic", json!({"episode": 1, "verbose": true})).await;
    let place = regex::Regex::new(r"3:7 BASIC-[0-9a-f]{12} @\d+-\d+ [0-9a-f]{12}").unwrap();
    assert!(place.is_match(&verbose), "{verbose}");
    sample.file(FIRST, "　雨だ!　風!\n".repeat(40));
    let many = text(&app, "check_basic", json!({"episode": 1})).await;
    assert!(line_with(&many, " more: ").contains("verbose: true shows 300"), "{many}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fix_can_be_judged_from_its_preview() {
    let sample = novel();
    sample.file(FIRST, format!("{FAULTY}　TODO ここを直す。\n"));
    let app = sample.app();
    let dry = json!({"episode": 1, "fix_level": "standard", "dry_run": true});
    let told = text(&app, "check_fix", dry).await;
    for row in ["half_width_mark:\n3:", "梶みちるは笑った[!→！]", "Left: only the writer can fix it:\n"] {
        assert!(told.contains(row), "{row}: {told}");
    }
    let left = told.lines().skip_while(|line| !line.starts_with("Left: ")).nth(1).unwrap();
    assert!(left.split(' ').next().unwrap().parse::<usize>().is_ok(), "{told}");
    assert!(!told.contains("\\u{"), "{told}");
    let fixed = text(&app, "check_fix", call_in(&told, "check_fix")).await;
    let place = line_with(&fixed, FIRST);
    let id = place.split(['(', ')']).nth(1).unwrap();
    let fetched = text(&app, "fetch_artifact", json!({"artifact_id": id})).await;
    assert!(fetched.contains("風が止んだ……。"), "{fetched}");
}

#[tokio::test(flavor = "multi_thread")]
async fn scores_name_their_numbers_and_leave_out_what_is_full() {
    let sample = novel();
    let app = sample.app();
    let measured = json!({"episode": 1, "judge": false});
    let elements = text(&app, "check_story_elements", measured.clone()).await;
    assert!(line_with(&elements, "emotional_expression ").ends_with(" % covered"), "{elements}");
    assert!(!elements.contains("deterministic"), "{elements}");
    let verbose = json!({"episode": 1, "judge": false, "verbose": true});
    let all = text(&app, "check_story_elements", verbose).await;
    assert!(all.contains("\nreader_engagement:\nA31-") && !elements.contains("reader_engagement:"), "{all}");
    let expression = text(&app, "check_writing_expression", json!({"episode": 1, "verbose": true})).await;
    assert!(expression.contains(" % of it") && !expression.contains("percentile"), "{expression}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_names_its_next_step() {
    let sample = novel();
    let app = sample.app();
    let tasks = text(&app, "get_check_tasks", json!({"episode": 1})).await;
    assert!(tasks.contains(" to judge)") && !tasks.contains(" s)"), "{tasks}");
    let mut call = call_in(&tasks, "execute_check_step");
    let full = regex::Regex::new(r"(?m)^A31-\d{3} [^:]* 1(:|$)").unwrap();
    for step in 1..=4 {
        assert_eq!(call["step_id"], step, "{call}");
        call["judge"] = json!(false);
        let told = text(&app, "execute_check_step", call.clone()).await;
        assert!(!full.is_match(&told), "{told}");
        call = call_in(&told, "execute_check_step");
    }
    let id = call["session_id"].as_str().unwrap();
    let status = text(&app, "get_check_status", json!({"session_id": id})).await;
    assert!(status.starts_with("Episode 1: steps 1, 2, 3, 4 of 12 done, "), "{status}");
    assert_eq!(call_in(&status, "execute_check_step"), call, "{status}");
    let history = text(&app, "get_check_history", json!({"episode": 1})).await;
    let head = "\ntime (UTC) | check | score | issues | manuscript | session_id\n";
    assert!(history.contains(head), "{history}");
    assert!(line_with(&history, " | execute_check_step 4 | ").ends_with(id), "{history}");
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_suggest_the_callers_own_call() {
    let sample = unwritten();
    let app = sample.app();
    let asked = ok(&app, "noveler_write", json!({"episode": 1})).await;
    let id = asked["session_id"].clone();
    let own = |more: Value| {
        let mut call = json!({"episode": 1, "session_id": id});
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call
    };
    let first = "plot_data_preparation:1";
    let plot = ok(&app, "noveler_plot", json!({"episode": 1})).await["artifact_id"].clone();
    sample.file("README.md", "前の内容\n");
    let backups = json!({"action": "list"});
    for (tool, arguments, (next, expected)) in [
        (
            "noveler_write",
            own(json!({"step": first, "content": "x: y"})),
            ("noveler_write", own(json!({"step": first, "content": "…"}))),
        ),
        (
            "noveler_write",
            own(json!({"step": "plot_data_preparation:2", "content": "x: y"})),
            ("noveler_write", own(json!({}))),
        ),
        (
            "noveler_write",
            own(json!({"step": "plot_data_preparatoin:1", "content": "x: y"})),
            ("noveler_write", own(json!({"step": first, "content": "x: y"}))),
        ),
        ("noveler_write", json!({"episode": 1, "content": "x: y"}), ("noveler_write", json!({"episode": 1}))),
        (
            "write_stage",
            own(json!({"stage": "design_humor"})),
            ("write_stage", own(json!({"stage": "design_humor_elements"}))),
        ),
        (
            "write_stage",
            own(json!({"stage": "design_humor_elements"})),
            ("write_stage", own(json!({"stage": "plot_data_preparation"}))),
        ),
        ("write_step_3", own(json!({})), ("write_step_1", own(json!({})))),
        ("write_step_3", json!({"episode": 1}), ("status", json!({}))),
        (
            "enhanced_execute_writing_step",
            json!({"episode": 1, "step_id": 3}),
            ("enhanced_execute_writing_step", json!({"episode": 1, "step_id": 1})),
        ),
        (
            "fetch_artifact",
            json!({"artifact_id": plot, "section": "/nothing"}),
            ("fetch_artifact", json!({"artifact_id": plot, "section": "/episode_info"})),
        ),
        (
            "fetch_artifact",
            json!({"artifact_id": plot, "section": "9000-9001"}),
            ("fetch_artifact", json!({"artifact_id": plot, "section": "1-40"})),
        ),
        ("fetch_artifact", json!({"artifact_id": "artifact:0123456789ab"}), ("list_artifacts", json!({}))),
        (
            "backup_management",
            json!({"action": "verify", "backup_id": "20260101T000000Z-00000000"}),
            ("backup_management", backups),
        ),
        ("noveler", json!({"command": "resume 1"}), ("noveler", json!({"command": "status"}))),
    ] {
        let told = error(&app, tool, arguments.clone()).await;
        assert_eq!(call_in(&told, next), expected, "{tool} {arguments}: {told}");
    }
    let told = error(&app, "write", json!({"file_path": "README.md", "content": "新しい内容\n"})).await;
    let mut call = call_in(&told, "write");
    call["content"] = json!("新しい内容\n");
    text(&app, "write", call).await;
    assert_eq!(sample.read("README.md"), "新しい内容\n", "{told}");
}

/// A client without the structure does not see names of its fields.
#[tokio::test(flavor = "multi_thread")]
async fn descriptions_name_only_what_a_text_has() {
    let sample = novel();
    let app = sample.app();
    let fields = ["needs_text", "items[]", "next_step", "next_section", "recovery_applied", "resumed_steps"];
    for entry in app.catalogue.entries().iter().filter(|entry| entry.spec.family.name == "novel") {
        for locale in Locale::ALL {
            let said = &entry.published(locale).description;
            let named: Vec<&&str> = fields.iter().filter(|field| said.contains(**field)).collect();
            assert!(named.is_empty(), "{}: {named:?}", entry.spec.name);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn resumed_sessions_say_what_is_left_and_what_is_asked_again() {
    let sample = unwritten();
    let app = sample.app();
    let first = ok(&app, "noveler_write", json!({"episode": 1})).await;
    let asked = until(&app, first, Some("design_humor_elements:1")).await;
    let id = asked["session_id"].clone();
    let resumed = text(&app, "write_resume", json!({"episode": 1, "session_id": id})).await;
    assert!(resumed.starts_with("Resumed at design_humor_elements; left: stages 4-10."), "{resumed}");
    // A file of the session is known by its id and stage.
    let read = line_with(&resumed, "- artifact:");
    assert!(!resumed.contains(".noveler/writes") && read.len() > 25, "{resumed}");
    let feedback = json!({"episode": 1, "session_id": id, "stage": "analyze_plot_structure", "user_feedback": "早く"});
    let again = text(&app, "write_stage", feedback).await;
    assert!(again.contains("! Older than their input, asked again: stages "), "{again}");
    let kept = json!({"episode": 1, "recovery_point": 1});
    let kept = text(&app, "enhanced_resume_from_partial_failure", kept).await;
    assert!(kept.starts_with("Kept: steps 1. Asked again: steps 2-10."), "{kept}");
    let tasks = text(&app, "enhanced_get_writing_tasks", json!({"episode": 1})).await;
    assert_eq!(call_in(&tasks, "enhanced_execute_writing_step"), json!({"episode": 1, "step_id": 2}), "{tasks}");
    assert!(tasks.contains(id.as_str().unwrap()), "{tasks}");
}

#[tokio::test(flavor = "multi_thread")]
async fn finished_texts_name_the_next_call_and_do_not_repeat_the_text() {
    let sample = unwritten();
    let app = sample.app();
    // Of the first sentences, which a preview would have.
    let opening: String = script::whole().trim().chars().skip(20).take(15).collect();
    let first = ok(&app, "noveler_write", json!({"episode": 1})).await;
    let asked = until(&app, first, Some("write_manuscript_draft:3")).await;
    let id = &asked["session_id"];
    let (_, arguments) = submission(&asked);
    let draft = text(&app, "write_manuscript_draft", arguments).await;
    let stage = json!({"episode": 1, "stage": "refine_manuscript_quality", "session_id": id});
    assert_eq!(call_in(&draft, "write_stage"), stage, "{draft}");
    let asked = ok(&app, "noveler_write", json!({"episode": 1, "session_id": id})).await;
    let asked = until(&app, asked, Some("finalize_manuscript:1")).await;
    let (tool, arguments) = submission(&asked);
    let done = text(&app, &tool, arguments).await;
    assert_eq!(call_in(&done, "noveler_write")["session_id"], *id, "{done}");
    let verbose = json!({"episode": 1, "session_id": id, "verbose": true});
    let traced = text(&app, "write_resume", verbose).await;
    assert!(traced.contains("\nplot_data_preparation:1 noveler_write completed: .noveler/"), "{traced}");
    let asked = ok(&app, "write_with_claude", json!({"episode": 1})).await;
    let mut arguments = asked["submit"]["arguments"].clone();
    arguments["content"] = json!(script::whole());
    let whole = text(&app, "write_with_claude", arguments).await;
    assert_eq!(call_in(&whole, "noveler_complete"), json!({"episode": 1}), "{whole}");
    let complete = text(&app, "noveler_complete", json!({"episode": 1})).await;
    assert!(complete.contains("\n.noveler/publish/episode_001/\n"), "{complete}");
    for told in [&draft, &done, &whole, &complete] {
        assert!(!told.contains(&opening), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn plans_and_plots_are_short_and_plain() {
    let sample = unwritten();
    let app = sample.app();
    let plan = text(&app, "noveler_write", json!({"episode": 1, "dry_run": true})).await;
    assert!(plan.contains("\n1 plot_data_preparation (2 turns): "), "{plan}");
    assert!(plan.lines().count() == 12 && plan.len() < 1_500, "{plan}");
    let dry = json!({"episode": 1, "step_id": 2, "dry_run": true});
    let dry = text(&app, "enhanced_execute_writing_step", dry).await;
    assert!(!dry.contains("Viewpoint:"), "{dry}");
    assert_eq!(call_in(&dry, "enhanced_execute_writing_step")["step_id"], 2, "{dry}");
    let existing = text(&app, "noveler_plot", json!({"episode": 1})).await;
    assert!(existing.starts_with("Episode 1 has a plot already, "), "{existing}");
    assert!(existing.contains("\nPlanned length: 4000 characters\n"), "{existing}");
    let asked = ok(&app, "noveler_plot", json!({"episode": 4})).await;
    let mut arguments = asked["submit"]["arguments"].clone();
    arguments["content"] = json!(PLOT);
    let saved = text(&app, "noveler_plot", arguments).await;
    assert!(saved.starts_with("Saved the plot of episode 4, 引き潮: 5 events."), "{saved}");
}

#[tokio::test(flavor = "multi_thread")]
async fn status_names_the_episodes_and_the_sessions() {
    let sample = unwritten();
    let app = sample.app();
    let asked = ok(&app, "noveler_write", json!({"episode": 1})).await;
    let (tool, arguments) = submission(&asked);
    ok(&app, &tool, arguments).await;
    let asked_to_judge = ok(&app, "noveler_check", json!({"episode": 2})).await;
    let mut arguments = asked_to_judge["submit"]["arguments"].clone();
    let manuscript = sample.read("40_原稿/第002話_ほまち.md");
    arguments["judgements"] = judgements(&asked_to_judge, manuscript.lines().last().unwrap().trim(), 0.8);
    ok(&app, "noveler_check", arguments).await;
    let told = text(&app, "status", json!({})).await;
    assert!(told.lines().next().unwrap().contains("2 drafts (2-3), 1 planned (1)"), "{told}");
    let row = format!(
        "Open writing sessions:\n- episode 1, plot_data_preparation, 0 of 10 done: {}",
        asked["session_id"].as_str().unwrap()
    );
    assert!(told.contains(&row), "{told}");
    assert!(told.contains("\nScores of reviews: episode 2 "), "{told}");
    assert_eq!(told.matches("Last activity: ").count(), 1, "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_and_artifacts_are_listed_below_their_folder_with_short_hashes() {
    let sample = unwritten();
    let app = sample.app();
    let asked = ok(&app, "noveler_write", json!({"episode": 1})).await;
    until(&app, asked, Some("analyze_plot_structure:1")).await;
    let long = regex::Regex::new("[0-9a-f]{13}").unwrap();
    let stages = text(&app, "list_artifacts", json!({"place": "stage"})).await;
    assert!(stages.contains("/\nartifact:") && stages.contains(" stage_01.yaml "), "{stages}");
    let files = text(&app, "list_files_with_hashes", json!({"pattern": "*.yaml"})).await;
    assert!(files.contains(" B") && !files.contains("utf-8"), "{files}");
    let written = text(&app, "write", json!({"file_path": "覚え書き.md", "content": "傘。\n"})).await;
    let backup = text(&app, "backup_management", json!({"action": "create", "paths": ["覚え書き.md"]})).await;
    assert!(backup.contains(" (1 file, 7 B) "), "{backup}");
    for told in [&stages, &files, &written] {
        assert!(!long.is_match(told), "{told}");
    }
    // The question of a check has its id once, in the call that answers it.
    sample.file(FIRST, FAULTY);
    let asked = text(&app, "check_story_structure", json!({"episode": 1})).await;
    assert_eq!(asked.matches("check_2").count(), 1, "{asked}");
}
