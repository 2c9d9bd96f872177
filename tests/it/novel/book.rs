//! Checks of a whole novel, on the serial of the memory tests, on sample books, and on 坊っちゃん by chapters.

use std::{fs, path::PathBuf, time::Instant};

use serde_json::{Value, json};

use crate::{
    catalogue::answers_as_published,
    sample::{Sample, call},
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
    let texts: Vec<String> =
        (1..=6).map(|episode| fixture(&format!("serial/{version}/episode_{episode:02}.md"))).collect();
    let sample = book(texts.iter().map(String::as_str));
    sample.file("30_設定集/キャラクター.yaml", fixture("serial/characters.yaml"));
    let app = sample.app();
    for episode in 1..=6 {
        let state: Value =
            serde_json::from_str(&fixture(&format!("serial/{version}/state_{episode:02}.json"))).unwrap();
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
    findings
        .map(|finding| format!("{} {}", finding["severity"].as_str().unwrap(), finding["message"].as_str().unwrap()))
        .collect()
}

/// Returns 坊っちゃん by chapters.
fn bocchan() -> Vec<String> {
    let text = fixture("fixtures/bocchan.aozora.txt");
    let mut chapters: Vec<String> = Vec::new();
    for line in text.lines().take_while(|line| !line.starts_with("底本")) {
        if line.contains("は中見出し］") {
            chapters.push(String::new());
        } else if let Some(chapter) = chapters.last_mut() {
            chapter.push_str(line);
            chapter.push('\n');
        }
    }
    assert_eq!(chapters.len(), 11);
    chapters
}

/// Returns this many episodes of at most 5,000 characters, from 坊っちゃん again and again.
fn long_serial(episodes: usize) -> Sample {
    let parts: Vec<String> = bocchan()
        .iter()
        .flat_map(|chapter| {
            let characters: Vec<char> = chapter.chars().collect();
            characters.chunks(5_000).map(|part| part.iter().collect::<String>()).collect::<Vec<_>>()
        })
        .collect();
    book(parts.iter().cycle().take(episodes).map(String::as_str))
}

#[tokio::test(flavor = "multi_thread")]
async fn clean_novels_have_nothing_to_correct() {
    for sample in [serial("clean").await, super::novel()] {
        let said = checked(&sample, json!({"verbose": true})).await;
        let counts = &said["findings_found"];
        assert_eq!((&counts["high"], &counts["medium"]), (&json!(0), &json!(0)), "{said:#}");
        assert!(counts["total"].as_u64() <= Some(5), "{said:#}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_planted_serial_shows_its_name_its_days_and_its_contradictions() {
    let sample = serial("planted").await;
    let said = checked(&sample, json!({})).await;
    let names = of_kind(&said, "name");
    assert!(names.len() == 1 && names[0].starts_with("high 「矢代耕平」"), "{names:?}");
    let days = of_kind(&said, "timeline");
    assert!(days.len() == 1 && days[0].starts_with("medium Episode 5 is on"), "{days:?}");
    assert!(said["findings_found"]["contradictions"].as_u64() >= Some(8), "{said:#}");
    let places = said["findings"][0]["places"].as_array().unwrap();
    assert!(places.iter().all(|place| place["line"].as_u64() > Some(0) && place["quote"].is_string()), "{places:?}");
    // Only what concerns one episode.
    let third = checked(&sample, json!({"episode": 3})).await;
    assert!(!of_kind(&third, "name").iter().any(|name| name.contains("耕平")), "{third:#}");
    let app = sample.app();
    let reply = call(&app, "noveler_complete", json!({"episode": 6})).await;
    assert!(reply.text.contains("→ check_book {\"episode\":6}"), "{}", reply.text);
    let clean = serial("clean").await;
    let reply = call(&clean.app(), "noveler_complete", json!({"episode": 6})).await;
    assert!(!reply.is_error && !reply.text.contains("check_book"), "{}", reply.text);
}

/// A made-up novel of six episodes with faults of every kind that needs no recorded state.
fn made_up() -> Sample {
    let days = [
        "　佐伯遼は駅で待った。子供が走っていった。佐伯は肩をすくめた。渡辺が手を振った。",
        "　雪が積もった。子供が笑った。佐伯は肩をすくめた。渡辺が茶を淹れた。佐伯遼は黙って飲んだ。",
        "　渡辺が店を閉めた。子供が泣いた。佐伯は肩をすくめた。鍵は机の上にあった。",
        "　子供が帰った。佐伯は肩をすくめた。渡邊が窓を開けた。",
        "　子ども が帰った。佐伯遥は駅で待った。佐伯は肩をすくめた。",
        "　子供が眠った。佐伯は肩をすくめた。渡辺が灯を消した。佐伯遼は歩きだした。",
    ];
    let texts: Vec<String> = days.iter().map(|day| format!("{}\n", day.replace(' ', ""))).collect();
    let sample = book(texts.iter().map(String::as_str));
    sample.file(
        "30_設定集/人物.yaml",
        "characters:\n  - {name: 佐伯 遼, reading: さえき りょう}\n  - {name: 渡辺, reading: わたなべ}\n",
    );
    let ledger = "\
foreshadowing:
  - {id: F001, title: 鍵, plant: {episode: 4}, payoff: {episode: 2}, status: resolved}
  - {id: F002, title: 手紙, plant: {episode: 1}, payoff: {episode: 5}, status: planted}
  - {id: F003, title: 時計, plant: {episode: 3, keywords: [時計]}, payoff: {episode: 9}, status: planted}
  - {id: F004, title: 机の鍵, plant: {episode: 3, keywords: [鍵]}, payoff: {episode: 9}, status: planted}
  - {id: F005, title: 雪, plant: {episode: 2, keywords: [雪]}, status: planted}
";
    sample.file("50_管理資料/伏線管理.yaml", ledger);
    sample
}

#[tokio::test(flavor = "multi_thread")]
async fn names_spellings_phrases_and_foreshadowing_are_found_over_episodes() {
    let sample = made_up();
    let said = checked(&sample, json!({})).await;
    let names = of_kind(&said, "name");
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(names[0].contains("「佐伯遥」 (1)") && names[1].contains("「渡邊」 (1)"), "{names:?}");
    let spellings = of_kind(&said, "spelling");
    assert_eq!(spellings, ["medium 「子ども」 (1) is written 「子供」 elsewhere (5 times in 5 episodes)."]);
    assert_eq!(of_kind(&said, "worn_phrase"), ["medium 「肩をすくめる」 recurs 6 times in 6 episodes."]);
    let ledger = of_kind(&said, "ledger");
    let ids: Vec<&str> = ["F001", "F002", "F003", "F004", "F005"]
        .into_iter()
        .filter(|id| ledger.iter().any(|one| one.contains(id)))
        .collect();
    assert_eq!(ids, ["F001", "F002", "F003", "F005"], "{ledger:?}");
    // Nothing is recorded, so no episode is singled out.
    assert_eq!(of_kind(&said, "state"), [""; 0]);
    assert_eq!(said["next_suggested_actions"][0]["tool"], "record_episode_state");
}

#[tokio::test(flavor = "multi_thread")]
async fn stale_missing_and_damaged_states_and_unreadable_episodes_are_named() {
    let sample = serial("clean").await;
    let first = sample.read(&manuscript(1));
    sample.file(&manuscript(1), format!("{first}　風が強い。\n"));
    fs::remove_file(sample.root().join(STATES).join("00004.yaml")).unwrap();
    sample.file(".noveler/states/00002.yaml", "episode: 2\nfacts: [\n");
    sample.file("40_原稿/第003話_別.md", "　二つめの原稿。\n");
    sample.file(&manuscript(7), "あ".repeat(250_000));
    let said = checked(&sample, json!({"verbose": true})).await;
    let states = of_kind(&said, "state");
    assert_eq!(
        states,
        [
            "low The manuscript has changed since the state was recorded: episode 1.",
            "info No state is recorded: episode 2, episode 4."
        ]
    );
    let calls: Vec<u64> = said["next_suggested_actions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|next| next["arguments"]["episode"].as_u64().unwrap())
        .collect();
    assert_eq!(calls, [1, 2, 4]);
    let remarks = said["remarks"].to_string();
    for part in ["Episode 3", "Episode 7", "00002.yaml"] {
        assert!(remarks.contains(part), "{part}: {remarks}");
    }
    assert_eq!(said["episodes"], 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_episode_and_an_unknown_one_are_told() {
    let sample = book(["　朝だ。\n"]);
    let said = checked(&sample, json!({})).await;
    assert_eq!((&said["episodes"], &said["findings_found"]["total"]), (&json!(1), &json!(0)));
    assert!(said["remarks"][0].as_str().unwrap().contains("fewer than two"), "{said}");
    let app = sample.app();
    let reply = call(&app, "check_book", json!({"episode": 3})).await;
    assert!(reply.is_error && reply.text.contains('3'), "{}", reply.text);
    let none = Sample::empty();
    let reply = call(&none.app(), "check_book", json!({})).await;
    assert!(reply.is_error, "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn bocchan_has_few_findings_of_weight() {
    let chapters = bocchan();
    let said = checked(&book(chapters.iter().map(String::as_str)), json!({"verbose": true})).await;
    let counts = &said["findings_found"];
    let of_weight = counts["high"].as_u64().unwrap() + counts["medium"].as_u64().unwrap();
    assert!((1..=40).contains(&of_weight), "{said:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn three_hundred_episodes_are_checked_in_bounded_time_and_a_short_reply() {
    let sample = long_serial(300);
    let started = Instant::now();
    let app = sample.app();
    let reply = call(&app, "check_book", json!({})).await;
    println!("300 episodes: {:?}, {} bytes", started.elapsed(), reply.text.len());
    assert!(!reply.is_error && reply.structured["episodes"] == 300, "{}", reply.text);
    assert!(
        reply.structured["findings"].as_array().unwrap().len() <= 20 && reply.text.len() < 16_000,
        "{}",
        reply.text
    );
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

/// After a character was renamed in the settings, the plots that still have the old name are listed.
#[tokio::test(flavor = "multi_thread")]
async fn characters_of_plots_whom_the_settings_do_not_know_are_named() {
    let sample = book(["# 第一話\n\n　沢村が来た。\n", "# 第二話\n\n　沢村が笑った。\n"]);
    sample
        .file("30_設定集/キャラクター.yaml", "characters:\n- {name: 沢村 剛, aliases: [剛さん]}\n- {name: 三枝ゆき}\n");
    sample.file("20_プロット/話別/第001話.yaml", "characters: [相良, 三枝ゆき]\n");
    sample.file("20_プロット/話別/第002話.yaml", "characters: [沢村, ゆき, 相良]\n");
    let said = checked(&sample, json!({})).await["remarks"].to_string();
    assert!(said.contains("not in the settings") && said.contains("相良 (1, 2)."), "{said}");
    sample.file("20_プロット/話別/第001話.yaml", "characters: [沢村剛]\n");
    sample.file("20_プロット/話別/第002話.yaml", "characters: [剛さん]\n");
    let said = checked(&sample, json!({})).await["remarks"].to_string();
    assert!(!said.contains("not in the settings"), "{said}");
}
