//! The memory of a serial: states of six episodes by a reader, and the contradictions that fumi reports. The serial exists
//! clean and with ten planted contradictions; its reader saw neither the list of them nor the other version.

use std::{fs, path::PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    catalogue::answers_as_published,
    harness::{Server, Session},
    sample::{Sample, call},
    taught::refused,
};

const EPISODES: usize = 6;

#[derive(Debug, Deserialize)]
struct Planted {
    contradiction: Vec<PlantedContradiction>,
}

#[derive(Debug, Deserialize)]
struct PlantedContradiction {
    episode: usize,
    class: String,
    quote: String,
    against_episode: usize,
}

fn serial(path: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/novel/tests/serial");
    fs::read_to_string(folder.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn manuscript(episode: usize) -> String {
    format!("40_原稿/第{episode:03}話_霧鐘塔.md")
}

/// Returns a project with the serial.
fn project(version: &str) -> Sample {
    let sample = Sample::empty();
    sample.file("30_設定集/キャラクター.yaml", serial("characters.yaml"));
    for episode in 1..=EPISODES {
        sample.file(&manuscript(episode), serial(&format!("{version}/episode_{episode:02}.md")));
    }
    sample
}

fn state(version: &str, episode: usize) -> Value {
    serde_json::from_str(&serial(&format!("{version}/state_{episode:02}.json"))).unwrap()
}

async fn recorded(sample: &Sample, arguments: Value) -> Value {
    let app = sample.app();
    let reply = call(&app, "record_episode_state", arguments).await;
    assert!(!reply.is_error, "{}", reply.text);
    answers_as_published(app.catalogue.find(&app.scope, "record_episode_state").unwrap(), &reply.structured);
    reply.structured
}

/// Records all states of a version; returns the messages of the contradictions with their episodes. Without `noted`, the
/// reader's own contradictions are left out, so that only the comparison of facts finds any.
async fn contradictions(version: &str, noted: bool) -> Vec<(usize, String)> {
    let sample = project(version);
    let mut found = Vec::new();
    for episode in 1..=EPISODES {
        let mut state = state(version, episode);
        if !noted {
            state["contradictions"] = json!([]);
        }
        let said = recorded(&sample, json!({"episode": episode, "state": state, "verbose": true})).await;
        assert!(said.get("rejected_facts").is_none(), "{}", said["rejected_facts"]);
        let issues = said["contradictions"].as_array().unwrap();
        found.extend(issues.iter().map(|issue| (episode, issue["message"].as_str().unwrap().to_owned())));
    }
    found
}

/// Splits findings into the classes of planted contradictions that they meet, and those that meet none.
fn judged(found: &[(usize, String)]) -> (Vec<String>, Vec<&(usize, String)>) {
    let planted: Planted = toml::from_str(&serial("planted.toml")).unwrap();
    // The message shortens a passage to 40 characters.
    let part = |text: &str| text.chars().take(12).collect::<String>();
    let meets = |one: &PlantedContradiction, (episode, message): &(usize, String)| {
        let passages = message.split('「').skip(1).map(|rest| rest.split('」').next().unwrap_or_default());
        let mut passages = passages.filter(|passage| passage.chars().count() > 1);
        *episode == one.episode
            && passages.any(|passage| one.quote.contains(&part(passage)) || passage.contains(&part(&one.quote)))
    };
    let classes = planted.contradiction.iter().filter(|one| found.iter().any(|finding| meets(one, finding)));
    let classes = classes.map(|one| one.class.clone()).collect();
    let false_ones =
        found.iter().filter(|finding| !planted.contradiction.iter().any(|one| meets(one, finding))).collect();
    assert!(planted.contradiction.iter().all(|one| one.against_episode < one.episode));
    (classes, false_ones)
}

#[tokio::test(flavor = "multi_thread")]
async fn planted_contradictions_are_reported_and_a_clean_serial_has_none() {
    let found = contradictions("planted", true).await;
    let (classes, false_ones) = judged(&found);
    println!("with the reader's: {} of 10 {classes:?}; others {false_ones:#?}", classes.len());
    assert!(classes.len() >= 8 && false_ones.is_empty(), "{classes:?} {false_ones:#?}");
    assert_eq!(contradictions("clean", true).await, [], "a clean serial");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sample_novel_contradicts_itself_nowhere() {
    let sample = super::novel();
    for episode in 1..=3 {
        let state = state("example", episode);
        let said = recorded(&sample, json!({"episode": episode, "state": state, "verbose": true})).await;
        assert!(said["recorded"].as_u64() > Some(60), "{said}");
        assert_eq!(said["contradictions"], json!([]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn facts_alone_contradict_in_half_of_the_planted_places_and_nowhere_else() {
    let found = contradictions("planted", false).await;
    let (classes, false_ones) = judged(&found);
    println!("by comparison: {} of 10 {classes:?}; others {false_ones:#?}", classes.len());
    assert!(classes.len() >= 5 && false_ones.is_empty(), "{classes:?} {false_ones:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_is_kept_as_a_file_and_its_contradictions_end_with_either_passage() {
    let sample = project("planted");
    for episode in 1..=3 {
        recorded(&sample, json!({"episode": episode, "state": state("planted", episode)})).await;
    }
    let kept = sample.read(".noveler/states/00003.yaml");
    assert!(kept.contains("summary:") && kept.contains("鳶色") && kept.contains("method: host"), "{kept}");
    let shown = async |sample: &Sample| {
        recorded(sample, json!({"episode": 3, "ask": false})).await["contradictions"].as_array().unwrap().len()
    };
    let before = shown(&sample).await;
    assert!(before >= 2, "{before}");
    // The passage of this episode, then the one of the earlier episode.
    let third = sample.read(&manuscript(3));
    sample.file(&manuscript(3), third.replace("鳶色の瞳", "灰色の瞳"));
    let mended = shown(&sample).await;
    assert!(mended < before, "{mended}");
    let first = sample.read(&manuscript(1));
    sample.file(&manuscript(1), first.replace("わしは、あの塔には二度と上がらん", "俺は、あの塔には二度と上がらん"));
    let left = shown(&sample).await;
    assert!(left < mended, "{left}");
    // A file that an author broke is named and left out; recording the episode again mends it.
    sample.file(".noveler/states/00002.yaml", "episode: 2\nfacts: [\n");
    for tool in ["record_episode_state", "noveler_check"] {
        let app = sample.app();
        let arguments = json!({"episode": 3, if tool == "noveler_check" { "judge" } else { "ask" }: false});
        let reply = call(&app, tool, arguments).await;
        assert!(!reply.is_error && reply.text.contains(".noveler/states/00002.yaml"), "{}", reply.text);
    }
    let said = recorded(&sample, json!({"episode": 2, "state": state("planted", 2)})).await;
    assert!(said["recorded"].as_u64() > Some(20), "{said}");
    assert!(!recorded(&sample, json!({"episode": 3, "ask": false})).await.to_string().contains("00002.yaml"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fact_without_its_passage_is_rejected_and_alone_nothing_is_kept() {
    let sample = project("clean");
    let mut given = state("clean", 1);
    let kept = given["facts"].as_array().unwrap().len();
    let wrong = json!({"kind": "number", "subject": "階段", "about": "段数", "value": "十段", "quote": "十段の階段"});
    given["facts"].as_array_mut().unwrap().push(wrong.clone());
    given["contradictions"] =
        json!([{"quote": given["facts"][0]["quote"], "episode": 5, "other_quote": "どこにも", "reason": "理由"}]);
    let said = recorded(&sample, json!({"episode": 1, "state": given})).await;
    assert_eq!((&said["recorded"], said["rejected_facts"].as_array().unwrap().len()), (&json!(kept), 2), "{said}");
    let app = sample.app();
    let none = json!({"summary": "何も起こらない一日の話である。", "facts": [wrong]});
    let reply = call(&app, "record_episode_state", json!({"episode": 2, "state": none})).await;
    refused(&app, &reply, &["S005"]);
    assert!(!sample.root().join(".noveler/states/00002.yaml").exists());
}

/// The client's model gets the settings and the record of the earlier episodes with their quotations.
#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_asked_with_the_record_of_the_earlier_episodes() {
    let sample = project("planted");
    recorded(&sample, json!({"episode": 1, "state": state("planted", 1)})).await;
    let server = Server::start(sample.app()).await;
    let session = Session::open_able(&server, json!({"sampling": {}})).await;
    let mut called = session.begin("record_episode_state", json!({"episode": 2})).await;
    let request = called.asked().await;
    let prompt = request["params"]["messages"][0]["content"]["text"].as_str().unwrap();
    for part in ["百六十四段。聞いていたとおりです", "百四十六段", "利き手", "# Record of the earlier episodes"]
    {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    let text = state("planted", 2).to_string();
    let message = json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": "m"});
    session.respond(&request, message).await;
    let said = called.answered().await["structuredContent"].clone();
    assert!(said["contradictions"].as_array().unwrap().len() >= 2, "{said}");
    assert!(sample.read(".noveler/states/00002.yaml").contains("method: llm_sampling"));
}

/// Plots and drafts are asked for with the story so far, and with the facts about the people of the plot.
#[tokio::test(flavor = "multi_thread")]
async fn plots_and_drafts_are_given_what_is_recorded() {
    let sample = project("clean");
    sample.file("10_企画/企画書.md", "# 霧鐘塔の鐘守\n\n鐘の舌を探す話。\n");
    for episode in 1..=2 {
        recorded(&sample, json!({"episode": episode, "state": state("clean", episode)})).await;
    }
    let app = sample.app();
    let asked = call(&app, "noveler_plot", json!({"episode": 7})).await.structured;
    let instruction = asked["instruction"].as_str().unwrap();
    let summary = state("clean", 1)["summary"].as_str().unwrap().chars().take(20).collect::<String>();
    for part in [summary.as_str(), "百四十六段", "灰色", "Promises and open questions"] {
        assert!(instruction.contains(part), "{part}: {instruction}");
    }
    assert!(asked["context"].to_string().contains("10_企画/企画書.md"), "{}", asked["context"]);
    let plot = "episode_info: {title: 鐘}\nsynopsis: 有馬が塔に上る。\ncharacters: [有馬 玲]\nkey_events: [有馬が鍵を開ける]\n";
    let arguments = json!({"episode": 3, "plot_content": plot});
    let asked = call(&app, "write_with_claude", arguments).await.structured;
    let instruction = asked["instruction"].as_str().unwrap();
    assert!(instruction.contains(&summary) && instruction.contains("灰色"), "{instruction}");
    // 権藤 is not in the plot.
    assert!(!instruction.contains("first_person 権藤 辰巳"), "{instruction}");
}

/// A writer must not be told as settled what two episodes state differently.
#[tokio::test(flavor = "multi_thread")]
async fn facts_that_contradict_each_other_are_handed_on_with_both_values() {
    let sample = Sample::empty();
    sample.file("30_設定集/キャラクター.yaml", "characters:\n- {name: 相良 剛, aliases: [相良]}\n");
    sample.file(
        "40_原稿/第001話.md",
        "# 第一話\n\n　相良は左手で茶碗を取った。棚は六十四番で、相良は長靴を履いている。\n",
    );
    sample.file("40_原稿/第002話.md", "# 第二話\n\n　相良は利き手の右で判を押した。\n");
    sample.file("40_原稿/第003話.md", "# 第三話\n\n　相良の利き手は左である。\n");
    let fact = |subject: &str, about: &str, value: &str, quote: &str| json!({"kind": "attribute", "subject": subject, "about": about, "value": value, "quote": quote});
    for (episode, facts) in [
        (
            1,
            json!([
                fact("相良", "利き手", "左", "左手で茶碗を取った"),
                fact("相良", "履物", "長靴", "長靴を履いている"),
            ]),
        ),
        (2, json!([fact("相良 剛", "利き手", "右", "利き手の右で判を押した")])),
        (3, json!([fact("相良", "利き手", "左", "相良の利き手は左である")])),
    ] {
        let state = json!({"summary": "相良が棚の前に立ち、判を押すまでの話である。", "facts": facts});
        recorded(&sample, json!({"episode": episode, "state": state})).await;
    }
    let app = sample.app();
    let plot = "synopsis: 相良が棚を開ける\ncharacters: [相良]\nkey_events: [相良が鍵を回す]\n";
    let asked = call(&app, "write_with_claude", json!({"episode": 4, "plot_content": plot})).await.structured;
    let instruction = asked["instruction"].as_str().unwrap();
    let is_recorded = |line: &&str| line.starts_with("- ") && line.contains("利き手");
    let lines: Vec<&str> = instruction.lines().filter(is_recorded).collect();
    assert_eq!(lines.len(), 1, "{instruction}");
    assert!(lines[0].contains("左 (episodes 1, 3)") && lines[0].contains("右 (episode 2)"), "{instruction}");
    let [heading, contradicted, lasting] =
        ["contradict each other", "／利き手", "／履物"].map(|part| instruction.find(part).unwrap());
    assert!(heading < contradicted && contradicted < lasting, "{instruction}");
}
