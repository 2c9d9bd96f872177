//! A whole episode from texts alone: every argument of a call comes from the text of an earlier one.

use serde_json::{Value, json};

use super::{
    FIRST, script,
    texts::{answer_call, call_in, line_with},
    unwritten,
};
use crate::harness::{SESSION, Server, Session};

/// A client that gets texts without structure.
struct Reader(Session);

impl Reader {
    async fn open(server: &Server) -> Self {
        let headers = [("x-fumi-result".parse().unwrap(), "text".parse().unwrap())];
        let http = reqwest::Client::builder().default_headers(headers.into_iter().collect());
        let url = format!("{}/all", server.url());
        Self(Session::open_as(http.build().unwrap(), &url, SESSION, json!({})).await)
    }

    async fn call(&self, tool: &str, arguments: Value) -> String {
        let answer = self.0.call(tool, arguments).await;
        let result = answer.result();
        assert!(result.get("structuredContent").is_none(), "{result}");
        assert_eq!(result["isError"], false, "{tool}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Returns the text of a reference that a question lists under this name.
    async fn fetch(&self, question: &str, name: &str) -> String {
        let reference = line_with(question, name).trim_start_matches("- ");
        let id = reference.split(' ').next().unwrap();
        self.call("fetch_artifact", json!({"artifact_id": id})).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_episode_is_written_checked_and_fixed_from_texts_alone() {
    let sample = unwritten();
    let server = Server::start(sample.app()).await;
    let reader = Reader::open(&server).await;

    let mut text = reader.call("noveler_write", json!({"episode": 1})).await;
    let plot = reader.fetch(&text, "20_プロット/話別/第001話.yaml").await;
    assert!(plot.contains("key_events:"), "{plot}");
    let mut turns = 0;
    while let Some((tool, mut arguments)) = answer_call(&text) {
        let answer = script::answer(arguments["step"].as_str().unwrap());
        let keys = answer.lines().filter_map(|line| line.split_once(": "));
        for (key, _) in keys.filter(|(key, _)| key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')) {
            assert!(text.contains(&format!("- `{key}` contains ")), "{key}: {text}");
        }
        arguments["content"] = json!(answer);
        text = reader.call(&tool, arguments).await;
        turns += 1;
    }
    assert_eq!(turns, script::steps().len());
    assert!(text.contains(FIRST) && text.contains("→ noveler_complete {\"episode\":1}"), "{text}");
    let change = call_in(&text, "noveler_write");
    assert!(change["session_id"].as_str().unwrap().starts_with("session_"), "{change}");

    // The author adds a line with a fault.
    let faulty = sample.read(FIRST) + "　風が止んだ...。\n";
    sample.file(FIRST, &faulty);
    let asked = reader.call("noveler_check", json!({"episode": 1})).await;
    let rubric = reader.fetch(&asked, "(rubric)").await;
    let items: Vec<&str> = rubric.lines().filter_map(|line| line.strip_prefix("## ")?.split(' ').next()).collect();
    let manuscript = reader.fetch(&asked, "(manuscript)").await;
    let is_plain = |line: &&str| line.chars().count() > 12 && !line.contains('《');
    let quote = manuscript.lines().rev().find(is_plain).unwrap().trim();
    let judge = |item: &str, quote: &str| json!({"item_id": item, "score": 0.8, "quotes": [quote]});
    let (tool, mut arguments) = answer_call(&asked).unwrap();
    assert_eq!(arguments["judgements"][0]["item_id"], items[0], "{arguments}");
    arguments["judgements"] = json!([judge(items[0], quote), judge(items[1], "この文は本文に無い")]);
    let judged = reader.call(&tool, arguments).await;
    assert!(judged.contains("items judged: 1, "), "{judged}");
    assert!(line_with(&judged, "rejected").contains(items[1]), "{judged}");
    let mut again = call_in(&judged, "noveler_check");
    let item = again["judgements"][0]["item_id"].as_str().unwrap().to_owned();
    again["judgements"] = json!([judge(&item, quote)]);
    let judged = reader.call("noveler_check", again).await;
    assert!(judged.contains("items judged: 2, ") && !judged.contains("rejected"), "{judged}");

    let fixed = reader.call("check_fix", call_in(&judged, "check_fix")).await;
    assert!(sample.read(FIRST).ends_with("　風が止んだ……。\n"), "{fixed}");
    let backup = line_with(&fixed, "backup_id").split("backup_id ").nth(1).unwrap();
    let backup = backup.split(' ').next().unwrap();
    let undo = json!({"action": "restore", "backup_id": backup});
    let restored = reader.call("backup_management", undo).await;
    assert!(restored.contains(&format!("restored: {FIRST}")), "{restored}");
    assert_eq!(sample.read(FIRST), faulty);
}
