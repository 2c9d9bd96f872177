//! `noveler_complete` and `status`: files that match the reply, and a status that never fails.

use std::{fs, process::Command};

use fumi_base::text::Locale;
use fumi_kernel::{Caller, ToolReply};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    novel, unwritten,
    writing::{ok, until},
};
use crate::{
    catalogue::answers_as_published,
    sample::{Sample, call, call_as},
    taught::refused,
};

const MANUSCRIPT: &str = "40_原稿/第001話_こぶとえくぼ.md";
const FOLDER: &str = ".noveler/publish/episode_001";
const SETTINGS: &str = "プロジェクト設定.yaml";
const COVER: &[u8] = include_bytes!("../../../src/novel/tests/fixtures/cover.png");

/// Makes a call that must succeed and be valid under its schema.
async fn done(sample: &Sample, tool: &str, arguments: Value) -> ToolReply {
    let app = sample.app();
    let reply = call(&app, tool, arguments).await;
    assert!(!reply.is_error, "{}", reply.text);
    let entry = app.catalogue.find(&app.scope, tool).unwrap();
    answers_as_published(entry, &reply.structured);
    reply
}

async fn status(sample: &Sample) -> Value {
    done(sample, "status", json!({})).await.structured
}

/// Returns the SHA-256 of a file by another program.
fn sha256sum(sample: &Sample, path: &str) -> String {
    let run = Command::new("sha256sum").arg(sample.root().join(path)).output().unwrap();
    let said = String::from_utf8(run.stdout).unwrap();
    said.trim_start_matches('\\').split(' ').next().unwrap().to_owned()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_episode_is_finished_and_its_record_names_what_is_there() {
    let sample = novel();
    let reply = done(&sample, "noveler_complete", json!({"episode": 1})).await;
    let said = &reply.structured;
    assert_eq!(said["publication_status"], "prepared");
    assert_eq!(said["detailed_report_reference"], format!("{FOLDER}/metadata.json"));
    let record: Value = serde_json::from_str(&sample.read(&format!("{FOLDER}/metadata.json"))).unwrap();
    assert_eq!((&record["status"], &record["publication_status"]), (&json!("completed"), &json!("prepared")));
    assert_eq!((&record["title"], &record["author"]), (&json!("潮のほまち"), &json!("The fumi authors")));
    assert_eq!(record["quality"], json!({"method": "not_evaluated"}));
    assert_eq!(record["manuscript"]["sha256"], sha256sum(&sample, MANUSCRIPT));
    assert!(record["created_at"].as_str().unwrap().ends_with('Z'));
    // The reply, the record and the folder agree.
    let mut named: Vec<&str> = Vec::new();
    for (file, recorded) in said["artifacts"].as_array().unwrap().iter().zip(record["artifacts"].as_array().unwrap()) {
        for key in ["format", "path", "size_bytes"] {
            assert_eq!(file[key], recorded[key], "{file}");
        }
        assert!(text(&recorded["sha256"]).starts_with(text(&file["hash"])), "{file}");
        let path = text(&file["path"]);
        assert_eq!(recorded["sha256"], sha256sum(&sample, path), "{path}");
        assert_eq!(file["size_bytes"], fs::metadata(sample.root().join(path)).unwrap().len());
        named.push(path.rsplit_once('/').unwrap().1);
    }
    named.push("metadata.json");
    named.sort_unstable();
    let mut there: Vec<String> = fs::read_dir(sample.root().join(FOLDER))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    there.sort();
    assert_eq!(named, there);
    let preview = text(&said["primary_output"]["preview"]);
    assert!(preview.chars().count() <= 200 && preview.starts_with("「海を止めに来た人ですか」"));
    assert_eq!(said["primary_output"]["word_count"], record["manuscript"]["characters"]);
    // Dialogue has short lines, so that an episode of 4,000 characters has more sheets than ten.
    let pages = said["primary_output"]["manuscript_pages"].as_u64().unwrap();
    assert!(
        (11..=16).contains(&pages) && reply.text.contains(&format!("({pages} manuscript pages)")),
        "{}",
        reply.text
    );
    // The text says the same as the structure, and is small.
    assert!(reply.text.contains("episode.epub") && reply.text.contains("→ status {}"), "{}", reply.text);
    assert!(reply.text.len() < 3_000 && said.to_string().len() < 4_500, "{}", said.to_string().len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_manuscript_that_changes_is_a_draft_again() {
    let sample = novel();
    let count = |said: &Value| {
        let about = &said["project_overview"];
        ["completed_episodes", "draft_episodes", "planned_episodes"].map(|key| about[key].as_u64().unwrap())
    };
    assert_eq!(count(&status(&sample).await), [0, 3, 0]);
    done(&sample, "noveler_complete", json!({"episode_number": 1})).await;
    let said = status(&sample).await;
    assert_eq!(count(&said), [1, 2, 0]);
    assert_eq!(said["progress_analysis"]["completion_rate"], 33.3);
    assert_eq!(
        said["next_suggested_actions"][0]["arguments"],
        json!({"episode": 2}),
        "the first draft that is not finished"
    );
    let manuscript = sample.read(MANUSCRIPT);
    sample.file(MANUSCRIPT, format!("{manuscript}　追記。\n"));
    assert_eq!(count(&status(&sample).await), [0, 3, 0]);
    // Again: the folder has only the new text.
    done(&sample, "noveler_complete", json!({"episode": 1})).await;
    assert!(sample.read(&format!("{FOLDER}/narou.txt")).ends_with("　追記。\n"));
    assert_eq!(count(&status(&sample).await), [1, 2, 0]);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs epubcheck"]
async fn two_finished_episodes_make_a_book_that_epubcheck_reads() {
    let sample = novel();
    fs::write(sample.root().join("表紙.png"), COVER).unwrap();
    let settings = sample.read(SETTINGS);
    sample.file(
        SETTINGS,
        format!(
            "{settings}title_yomi: しおのほまち\nbook:\n  series: {{title: 帆待島, volume: 1}}\n  publisher: 汐書房\n  \
             edition: 初版\n  rights: © 2026 The fumi authors\n  published: 2026-02-01\n"
        ),
    );
    done(&sample, "noveler_complete", json!({"episode": 3})).await;
    assert!(!sample.root().join(".noveler/publish/book.epub").exists());
    let reply = done(&sample, "noveler_complete", json!({"episode": 1})).await;
    let files = reply.structured["artifacts"].as_array().unwrap();
    let book = files.iter().find(|file| file["format"] == "book_epub").unwrap();
    let record: Value = serde_json::from_str(&sample.read(".noveler/publish/book.json")).unwrap();
    assert_eq!(record["sha256"], sha256sum(&sample, ".noveler/publish/book.epub"));
    assert!(text(&record["sha256"]).starts_with(text(&book["hash"])));
    let numbers: Vec<&Value> = record["episodes"].as_array().unwrap().iter().map(|one| &one["episode"]).collect();
    assert_eq!(numbers, [1, 3]);
    // The suggested next actions are to record the state, then the first missing stage of the next episode.
    let next = &reply.structured["next_suggested_actions"];
    assert_eq!((&next[0]["tool"], &next[0]["arguments"]), (&json!("record_episode_state"), &json!({"episode": 1})));
    assert_eq!((&next[1]["tool"], &next[1]["arguments"]), (&json!("noveler_complete"), &json!({"episode": 2})));
    let last = done(&sample, "noveler_complete", json!({"episode": 3})).await;
    assert_eq!(last.structured["next_suggested_actions"][1]["tool"], "noveler_plot");
    let second = done(&sample, "noveler_complete", json!({"episode": 2})).await;
    assert_eq!(second.structured["next_suggested_actions"][1]["tool"], "status");
    for book in [".noveler/publish/book.epub", ".noveler/publish/episode_001/episode.epub"] {
        let run = Command::new("java")
            .args(["-jar", "/usr/share/java/epubcheck.jar", "--locale", "en"])
            .arg(sample.root().join(book))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success() && !said.contains("WARNING"), "{book}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn auto_publish_prepares_what_is_pasted_and_posts_nothing() {
    let sample = novel();
    let plain = done(&sample, "noveler_complete", json!({"episode": 1})).await;
    let posting = done(&sample, "noveler_complete", json!({"episode": 1, "auto_publish": true, "verbose": true})).await;
    let formats = |reply: &ToolReply| -> Vec<String> {
        let files = reply.structured["artifacts"].as_array().unwrap();
        files.iter().map(|file| text(&file["format"]).to_owned()).collect()
    };
    let (plain_formats, with_posts) = (formats(&plain), formats(&posting));
    assert_eq!(with_posts[..plain_formats.len()], plain_formats[..]);
    assert_eq!(with_posts[plain_formats.len()..], ["post_narou", "post_kakuyomu"]);
    assert_eq!(posting.structured["publication_status"], "prepared");
    assert_eq!(posting.structured["execution_trace"].as_array().unwrap().len(), 2);
    assert!(plain.structured.get("execution_trace").is_none());
    let actions = posting.structured["next_actions"].to_string();
    assert!(actions.contains("次話投稿") && actions.contains("カクヨム"), "{actions}");
    let sheet = sample.read(&format!("{FOLDER}/post_narou.txt"));
    assert!(sheet.contains("======== 本文 ========\n「海を止めに来た人ですか」"), "{}", &sheet[..200]);
    // Without the option the next time, the sheets are gone: the record names only existing files.
    done(&sample, "noveler_complete", json!({"episode": 1})).await;
    assert!(!sample.root().join(FOLDER).join("post_narou.txt").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn text_that_a_format_cannot_express_is_reported_with_its_place() {
    let sample = novel();
    sample.file("40_原稿/第004話_欠け.md", "# 第四話　欠け\n\n　普通の行。\n　**太い**字と、髙い山。\n");
    let reply = done(&sample, "noveler_complete", json!({"episode": 4, "verbose": true})).await;
    let files = reply.structured["artifacts"].as_array().unwrap();
    let of = |format: &str| files.iter().find(|file| file["format"] == format).unwrap();
    assert_eq!((&of("narou")["lost"], &of("narou")["losses"][0]["places"]), (&json!(1), &json!(["4:2"])));
    assert!(text(&of("aozora_shift_jis")["losses"][0]["message"]).contains("U+9AD9"));
    assert!(of("epub").get("lost").is_none());
    assert!(reply.text.contains("(1: 4:2)"), "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_say_what_is_missing_and_write_nothing() {
    let sample = novel();
    sample
        .file("20_プロット/話別/第004話.yaml", "synopsis: まだ\n")
        .file("40_原稿/第005話.md", "# 第五話\n")
        .file("40_原稿/第006話_a.md", "　一。\n")
        .file("40_原稿/第006話_b.md", "　二。\n");
    let app = sample.app();
    let before = sample.state();
    for (episode, code) in [(4, "E003"), (5, "E003"), (6, "E001"), (7, "E001")] {
        for locale in [Locale::En, Locale::Ja] {
            let caller = Caller { locale, ..Caller::default() };
            let arguments = json!({"episode": episode});
            let reply = call_as(&app, "noveler_complete", arguments, caller, CancellationToken::new()).await;
            let message = refused(&app, &reply, &[code]);
            // File names are Japanese in both languages.
            let word = if locale == Locale::Ja { "話" } else { "pisode" };
            assert!(message.replace("40_原稿/第00", "").contains(word), "{message}");
        }
    }
    for bad in [json!({}), json!({"episode": 0}), json!({"episode": 100_000}), json!({"episode": "一"})] {
        refused(&app, &call(&app, "noveler_complete", bad).await, &["INVALID_ARGUMENTS"]);
    }
    let without_locks = |state: Vec<(std::path::PathBuf, Vec<u8>)>| {
        let is_lock = |path: &std::path::Path| path.components().any(|part| part.as_os_str() == ".noveler");
        state.into_iter().filter(|(path, _)| !is_lock(path)).collect::<Vec<_>>()
    };
    assert_eq!(without_locks(sample.state()), without_locks(before));
    assert!(!sample.root().join(".noveler/publish").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_settings_of_the_book_are_explained_and_write_nothing() {
    let sample = novel();
    done(&sample, "noveler_complete", json!({"episode": 1})).await;
    let settings = sample.read(SETTINGS);
    let app = sample.app();
    for (book, words) in [
        ("{cover: 無い.png}", ["\"無い.png\" cannot be the cover", "\"無い.png\" は本の表紙に使えません"]),
        ("{cover: 40_原稿/第001話_こぶとえくぼ.md}", ["not a PNG or JPEG", "JPEG 画像でもありません"]),
        ("{covr: a.png}", ["unknown field `covr`", "「covr」というキーはなく"]),
        ("{published: 今日}", ["`book.published`: use a date", "「book.published」: 2026-01-31"]),
    ] {
        sample.file(SETTINGS, format!("{settings}book: {book}\n"));
        for (locale, words) in [Locale::En, Locale::Ja].into_iter().zip(words) {
            let caller = Caller { locale, ..Caller::default() };
            let arguments = json!({"episode": 2});
            let reply = call_as(&app, "noveler_complete", arguments, caller, CancellationToken::new()).await;
            let message = refused(&app, &reply, &["P002"]);
            assert!(message.contains(words), "{book}: {message}");
        }
        assert!(!sample.root().join(".noveler/publish/episode_002").exists(), "{book}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_of_a_half_made_project_names_what_is_broken() {
    let sample = novel();
    sample
        .file("20_プロット/話別/第002話.yaml", "synopsis: あ\nkey_events: [\n")
        .file("プロジェクト設定.yaml", "title: \"閉じない\n")
        .file(".noveler/sessions/session_20250904_103000.yaml", "version: 1\n");
    let before = sample.state();
    let said = status(&sample).await;
    let remarks = said["remarks"].to_string();
    for part in ["第002話.yaml", "line 2, column 13", "プロジェクト設定.yaml", "session_20250904_103000"] {
        assert!(remarks.contains(part), "{part}: {remarks}");
    }
    assert_eq!(said["project_overview"]["total_episodes"], 3);
    assert_eq!(sample.state(), before, "it only reads");
    // An empty project has a status too.
    let empty = Sample::empty();
    let said = status(&empty).await;
    assert_eq!(said["project_overview"]["total_episodes"], 0);
    assert!(said["remarks"].to_string().contains("fumi novel new"), "{said}");
    let app = empty.app();
    refused(&app, &call(&app, "noveler_complete", json!({"episode": 1})).await, &["P001"]);
    assert!(!empty.root().join(".noveler/publish").exists());
    // If all episodes of a novel are finished, the next one is to be planned.
    let sample = Sample::empty();
    sample.file("40_原稿/第001話_雨.md", "# 第一話　雨\n\n　雨だ。\n");
    done(&sample, "noveler_complete", json!({"episode": 1})).await;
    let next = &status(&sample).await["next_suggested_actions"][0];
    assert_eq!((&next["tool"], &next["arguments"]), (&json!("noveler_plot"), &json!({"episode": 2})));
}

/// A writing session of the fourth episode.
const BEGUN: &str = "session_20250904_103000_1a2b3c4d";

/// Returns the sample novel with nineteen stages left, after one that took some seconds: nine of [`BEGUN`], and ten of
/// another plan.
fn begun(seconds: f64) -> Sample {
    let sample = novel();
    let turn = seconds / 2.0;
    sample
        .file("20_プロット/話別/第004話.yaml", "synopsis: 次\n")
        .file("20_プロット/話別/第005話.yaml", "synopsis: その次\n")
        .file(
            &format!(".noveler/sessions/{BEGUN}.yaml"),
            format!(
                "version: 1\nsession_id: {BEGUN}\ncreated_at: \"2025-09-04T10:30:00Z\"\nlast_updated: \"2025-09-04T10:30:40Z\"\n\
                 episode: 4\ncurrent_stage: analyze_plot_structure\ntotal_stages: 10\n\
                 completed_stages: [plot_data_preparation]\nstage_outputs:\n  plot_data_preparation:\n    output_file: a\n    \
                 sha256: b\n    characters: 9\n    execution_time: {seconds:?}\n    turns:\n    - {{file: c, sha256: d, execution_time: {turn:?}}}\n    \
                 - {{file: e, sha256: f, execution_time: {turn:?}}}\n"
            ),
        );
    sample
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_says_how_writing_goes_on_and_how_long_it_takes() {
    let sample = begun(40.0);
    let said = status(&sample).await;
    let next = &said["next_suggested_actions"][0];
    assert_eq!(next["tool"], "write_resume");
    assert_eq!(next["arguments"], json!({"episode": 4, "session_id": BEGUN}));
    assert_eq!(said["open_sessions"][0]["current_stage"], "analyze_plot_structure");
    // Nine stages of the open episode and ten of the other plan, forty seconds each.
    let progress = &said["progress_analysis"];
    assert_eq!((&progress["remaining_stages"], &progress["median_stage_seconds"]), (&json!(19), &json!(40.0)));
    assert!(text(&progress["estimated_remaining_work"]).contains("13 minutes"), "{progress}");
    let events: Vec<&str> =
        progress["recent_activity"].as_array().unwrap().iter().map(|event| text(&event["event"])).collect();
    assert_eq!(events, ["stage_completed", "started"]);
    assert_eq!(said["quality_summary"], json!({"method": "not_evaluated", "not_evaluated": 0}));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_minute_of_remaining_work_is_singular() {
    // Nineteen stages of three seconds.
    let said = status(&begun(3.0)).await;
    let left = text(&said["progress_analysis"]["estimated_remaining_work"]);
    assert!(left.contains("about 1 minute;"), "{left}");
}

/// The estimate is for the author, whose time is longer than fumi's own.
#[tokio::test(flavor = "multi_thread")]
async fn the_time_of_a_stage_begins_with_its_question() {
    let sample = unwritten();
    let app = sample.app();
    let asked = ok(&app, "noveler_write", json!({"episode": 1})).await;
    // As if the question had been asked years ago.
    let path = format!(".noveler/sessions/{}.yaml", text(&asked["session_id"]));
    let session = sample.read(&path);
    let updated = session.lines().find(|line| line.starts_with("last_updated:")).unwrap();
    sample.file(&path, session.replace(updated, "last_updated: \"2020-01-31T10:00:00Z\""));
    until(&app, asked, Some("analyze_plot_structure:1")).await;
    let progress = &status(&sample).await["progress_analysis"];
    assert!(progress["median_stage_seconds"].as_f64() > Some(3_600.0), "{progress}");
    assert!(text(&progress["estimated_remaining_work"]).contains("hours"), "{progress}");
}

#[tokio::test(flavor = "multi_thread")]
async fn judged_episodes_are_summed_up() {
    let sample = novel();
    for (episode, score) in [(1, "82.5"), (2, "55.0"), (3, "")] {
        done(&sample, "noveler_complete", json!({"episode": episode})).await;
        let path = format!(".noveler/publish/episode_{episode:03}/metadata.json");
        if !score.is_empty() {
            let judged = format!("\"method\": \"host\",\n    \"overall_score\": {score}");
            let record = sample.read(&path).replace("\"method\": \"not_evaluated\"", &judged);
            sample.file(&path, record);
        }
    }
    let said = status(&sample).await;
    assert_eq!(
        said["quality_summary"],
        json!({
            "method": "host",
            "average_quality_score": 68.8,
            "highest_score": 82.5,
            "lowest_score": 55.0,
            "episodes_below_threshold": [2],
            "not_evaluated": 1,
        })
    );
    // The judgement belongs to the text, and remains valid while the text is unchanged.
    let again = done(&sample, "noveler_complete", json!({"episode": 1})).await;
    assert!(again.text.contains("8.2/10") || again.text.contains("8.3/10"), "{}", again.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn init_teaches_how_a_novel_is_made() {
    let sample = novel();
    let app = sample.app();
    for arguments in [json!({}), json!({"project_name": "新作"})] {
        let reply = call(&app, "init", arguments).await;
        refused(&app, &reply, &["P001"]);
        assert!(reply.text.contains("fumi novel new"), "{}", reply.text);
        assert_eq!(reply.structured["error"]["details"]["kind"], "INIT_ABOLISHED");
    }
    let published = fumi_tools::published(&app.catalogue, &app.scope).to_string();
    assert!(published.contains("\"noveler_complete\"") && !published.contains("\"init\""));
}
