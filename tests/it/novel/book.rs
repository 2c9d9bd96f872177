//! Checks of a whole novel, on the serial of the memory tests, on sample books, and on 坊っちゃん by chapters.

use std::{fs, path::PathBuf, time::Instant};

use serde_json::{Value, json};

use crate::{
    catalogue::answers_as_published,
    sample::{Sample, call},
    taught::refused,
};

const STATES: &str = ".noveler/states";

fn fixture(path: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/novel/tests");
    fs::read_to_string(folder.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn manuscript(episode: usize) -> String {
    format!("40_原稿/第{episode:03}話.md")
}

/// Returns a novel of these texts.
fn book<'t>(texts: impl IntoIterator<Item = &'t str>) -> Sample {
    let sample = Sample::empty();
    for (at, text) in texts.into_iter().enumerate() {
        sample.file(&manuscript(at + 1), text);
    }
    sample
}

/// Returns a version of the serial, with its recorded states.
async fn serial(version: &str) -> Sample {
    let texts: Vec<String> = (1..=6).map(|episode| fixture(&format!("serial/{version}/episode_{episode:02}.md"))).collect();
    let sample = book(texts.iter().map(String::as_str));
    sample.file("30_設定集/キャラクター.yaml", fixture("serial/characters.yaml"));
    let app = sample.app();
    for episode in 1..=6 {
        let state: Value = serde_json::from_str(&fixture(&format!("serial/{version}/state_{episode:02}.json"))).unwrap();
        let reply = call(&app, "record_episode_state", json!({"episode": episode, "state": state})).await;
        assert!(!reply.is_error, "{}", reply.text);
    }
    sample
}

async fn checked(sample: &Sample, arguments: Value) -> Value {
    let app = sample.app();
    let before = sample.state();
    let reply = call(&app, "check_book", arguments).await;
    assert!(!reply.is_error, "{}", reply.text);
    answers_as_published(app.catalogue.find(&app.scope, "check_book").unwrap(), &reply.structured);
    assert!(sample.state() == before, "the check only reads");
    println!("{}", reply.text);
    reply.structured
}

/// Returns the findings of a kind as `severity message`.
fn of_kind(said: &Value, kind: &str) -> Vec<String> {
    let findings = said["findings"].as_array().unwrap().iter().filter(|finding| finding["kind"] == kind);
    findings.map(|finding| format!("{} {}", finding["severity"].as_str().unwrap(), finding["message"].as_str().unwrap())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clean_serial_has_hardly_any_finding() {
    checked(&serial("clean").await, json!({"verbose": true})).await;
    checked(&super::novel(), json!({"verbose": true})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_planted_serial_shows() {
    checked(&serial("planted").await, json!({"verbose": true})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bocchan_by_chapters() {
    let text = fixture("fixtures/bocchan.aozora.txt");
    let mut chapters: Vec<String> = Vec::new();
    for line in text.lines() {
        if line.starts_with("底本") {
            break;
        }
        if line.contains("は中見出し］") {
            chapters.push(String::new());
        } else if let Some(chapter) = chapters.last_mut() {
            chapter.push_str(line);
            chapter.push('\n');
        }
    }
    assert_eq!(chapters.len(), 11);
    let sample = book(chapters.iter().map(String::as_str));
    let started = Instant::now();
    checked(&sample, json!({"verbose": true})).await;
    println!("{:?}", started.elapsed());
    let hundred: Vec<String> = chapters.iter().flat_map(|chapter| {
        let characters: Vec<char> = chapter.chars().collect();
        characters.chunks(5_000).map(|part| part.iter().collect::<String>()).collect::<Vec<_>>()
    }).cycle().take(100).collect();
    let sample = book(hundred.iter().map(String::as_str));
    let started = Instant::now();
    checked(&sample, json!({})).await;
    println!("100 episodes: {:?}", started.elapsed());
    let _ = refused;
    let _ = STATES;
}
