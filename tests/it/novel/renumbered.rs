//! An episode inserted by hand: what still has the old number is reported, and what is published has the new one.

use serde_json::{Value, json};

use super::novel;
use crate::{
    novel::writing::ok,
    sample::{Sample, call},
};

const HEADING: &str = "第二話　ほまち";

/// Returns the sample novel with a new second episode. The old second and third one are renamed and not edited.
fn inserted() -> Sample {
    let sample = novel();
    let root = sample.root();
    for (from, to) in [
        ("40_原稿/第003話_備考.md", "40_原稿/第004話_備考.md"),
        ("40_原稿/第002話_ほまち.md", "40_原稿/第003話_ほまち.md"),
        ("20_プロット/話別/第003話.yaml", "20_プロット/話別/第004話.yaml"),
        ("20_プロット/話別/第002話.yaml", "20_プロット/話別/第003話.yaml"),
    ] {
        std::fs::rename(root.join(from), root.join(to)).unwrap();
    }
    sample.file("40_原稿/第002話_幕間.md", "# 第二話　幕間\n\n　島の夜は、潮の音だけになる。\n");
    sample
}

fn remarks(said: &Value) -> String {
    said["remarks"]
        .as_array()
        .map(|all| all.iter().map(|one| one.as_str().unwrap()).collect::<Vec<_>>().join("\n"))
        .unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_that_differ_from_the_file_are_reported() {
    let sample = novel();
    let app = sample.app();
    for tool in ["status", "check_book"] {
        let said = remarks(&ok(&app, tool, json!({})).await);
        assert!(!said.contains("heading") && !said.contains("episode_number"), "{tool}: {said}");
    }
    let sample = inserted();
    let app = sample.app();
    for tool in ["status", "check_book"] {
        let said = remarks(&ok(&app, tool, json!({})).await);
        for part in [
            "40_原稿/第003話_ほまち.md",
            "40_原稿/第004話_備考.md",
            "20_プロット/話別/第003話.yaml",
            "20_プロット/話別/第004話.yaml",
        ] {
            assert!(said.contains(part), "{tool} {part}: {said}");
        }
        assert!(!said.contains("第001話") && !said.contains("幕間"), "{tool}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_that_was_made_from_another_episode_is_reported() {
    let sample = novel();
    let app = sample.app();
    let text = sample.read("40_原稿/第002話_ほまち.md");
    let quote = text.lines().nth(2).unwrap().trim().to_owned();
    let state = json!({"summary": "こぶの正体を尋ねられた徳次が、海坊主だと答えて黙る話。", "facts": [
        {"kind": "knowledge", "subject": "穂刈徳次", "value": "海坊主と答えた", "quote": quote},
    ]});
    ok(&app, "record_episode_state", json!({"episode": 2, "state": state})).await;
    for (from, to) in [("第003話_備考", "第004話_備考"), ("第002話_ほまち", "第003話_ほまち")] {
        let [from, to] = [from, to].map(|name| sample.root().join(format!("40_原稿/{name}.md")));
        std::fs::rename(from, to).unwrap();
    }
    sample.file("40_原稿/第002話_幕間.md", "# 第二話　幕間\n\n　島の夜は、潮の音だけになる。\n");
    let said = remarks(&ok(&app, "check_book", json!({})).await);
    assert!(said.contains(".noveler/states/00002.yaml") && said.contains("episode 3"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_published_has_the_number_of_the_file() {
    let sample = inserted();
    let app = sample.app();
    let source = sample.read("40_原稿/第003話_ほまち.md");
    assert!(source.starts_with(&format!("# {HEADING}")));
    let reply = call(&app, "noveler_complete", json!({"episode": 3})).await;
    assert!(!reply.is_error, "{}", reply.text);
    assert!(reply.text.contains("第三話　ほまち") && !reply.text.contains(HEADING), "{}", reply.text);
    let said = remarks(&reply.structured);
    assert!(said.contains("40_原稿/第003話_ほまち.md") && said.contains("第三話"), "{said}");
    let folder = ".noveler/publish/episode_003";
    let record: Value = serde_json::from_str(&sample.read(&format!("{folder}/metadata.json"))).unwrap();
    assert_eq!(record["heading"], "第三話　ほまち");
    for file in record["artifacts"].as_array().unwrap() {
        let bytes = std::fs::read(sample.root().join(file["path"].as_str().unwrap())).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("第二話"), "{file}");
    }
    // The manuscript itself is the author's to change.
    assert_eq!(sample.read("40_原稿/第003話_ほまち.md"), source);
    for episode in [1, 2, 4] {
        ok(&app, "noveler_complete", json!({"episode": episode})).await;
    }
    let book: Value = serde_json::from_str(&sample.read(".noveler/publish/book.json")).unwrap();
    let headings: Vec<&str> =
        book["episodes"].as_array().unwrap().iter().map(|one| one["heading"].as_str().unwrap()).collect();
    assert_eq!(headings, ["第一話　こぶとえくぼ", "第二話　幕間", "第三話　ほまち", "第四話　備考"]);
}

/// In a novel that counts the episodes of each chapter, the first episode of the second chapter is 第一話 again.
#[tokio::test(flavor = "multi_thread")]
async fn a_heading_may_count_from_the_beginning_of_its_chapter() {
    let sample = novel();
    let plot = sample.read("20_プロット/話別/第003話.yaml").replace("chapter_number: 1", "chapter_number: 2");
    sample.file("20_プロット/話別/第003話.yaml", plot);
    let text = sample.read("40_原稿/第003話_備考.md").replacen("第三話", "第一話", 1);
    sample.file("40_原稿/第003話_備考.md", text);
    let app = sample.app();
    for tool in ["status", "check_book"] {
        let said = remarks(&ok(&app, tool, json!({})).await);
        assert!(!said.contains("heading"), "{tool}: {said}");
    }
    ok(&app, "noveler_complete", json!({"episode": 3})).await;
    let record: Value = serde_json::from_str(&sample.read(".noveler/publish/episode_003/metadata.json")).unwrap();
    assert_eq!(record["heading"], "第一話　備考");
}
