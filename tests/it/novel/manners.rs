//! What an author meets on the way: suggestions that can be followed, one judgement of a length, Japanese replies that
//! are Japanese, and no advice where there is nothing to do.

use std::sync::Arc;

use fumi::app::App;
use fumi_base::text::Locale;
use fumi_kernel::{Access, Caller, ToolReply, catalogue::ToolsetScope};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    FIRST, novel,
    plotting::PLOT,
    script, unwritten,
    writing::{ok, refused, until},
};
use crate::{
    command_line::{fumi, run},
    sample::{Sample, call, call_as, whole},
};

/// Makes a call that must succeed, in Japanese.
async fn in_japanese(app: &App, tool: &str, arguments: Value) -> ToolReply {
    let caller = Caller { locale: Locale::Ja, ..whole(app) };
    let reply = call_as(app, tool, arguments.clone(), caller, CancellationToken::new()).await;
    assert!(!reply.is_error, "{tool} {arguments}: {}", reply.text);
    reply
}

/// Makes a call that must succeed, with one toolset.
async fn within(app: &App, toolset: &'static str, tool: &str, arguments: Value) -> ToolReply {
    let access = Access::full(ToolsetScope::single(toolset));
    let caller = Caller { access: Arc::new(access), locale: Locale::Ja, ..Caller::default() };
    let reply = call_as(app, tool, arguments.clone(), caller, CancellationToken::new()).await;
    assert!(!reply.is_error, "{tool} {arguments}: {}", reply.text);
    reply
}

/// Returns the tools of the calls that a text names, one a line.
fn called(text: &str) -> Vec<String> {
    let calls = text.lines().filter_map(|line| line.strip_prefix("→ "));
    calls.map(|call| call.split(' ').next().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_suggest_only_tools_that_the_caller_can_call() {
    let sample = novel();
    // The name is written in another way in the first episode only.
    sample.file("40_原稿/第001話_こぶとえくぼ.md", sample.read(FIRST).replacen("。\n", "...。\n", 2));
    let ledger = "50_管理資料/伏線管理.yaml";
    sample.file(
        ledger,
        sample.read(ledger) + "  - {id: F009, title: 鈴, plant: {episode: 1}, payoff: {episode: 2}, status: planted}\n",
    );
    let app = sample.app();
    let whole_reply = in_japanese(&app, "noveler_complete", json!({"episode": 1})).await;
    let all = called(&whole_reply.text);
    assert!(all.contains(&"record_episode_state".to_owned()), "{}", whole_reply.text);
    assert!(all.contains(&"check_book".to_owned()), "{}", whole_reply.text);
    for (toolset, tool, arguments) in [
        ("novel", "noveler_complete", json!({"episode": 1})),
        ("novel", "status", json!({})),
        ("novel", "check_basic", json!({"episode": 1})),
        ("novel-review", "check_book", json!({})),
        ("novel-review", "get_check_tasks", json!({"episode": 1})),
        ("novel-review", "execute_check_step", json!({"episode": 1, "step_id": 1})),
        ("novel-review", "check_proofreading", json!({"episode": 1})),
        ("novel-review", "enhanced_execute_writing_step", json!({"episode": 1, "step_id": 11})),
    ] {
        let reply = within(&app, toolset, tool, arguments).await;
        let scope = ToolsetScope::single(toolset);
        let mut named = called(&reply.text);
        let suggested = reply.structured["next_suggested_actions"].as_array().into_iter().flatten();
        named.extend(suggested.map(|call| call["tool"].as_str().unwrap().to_owned()));
        for name in named {
            assert!(app.catalogue.find(&scope, &name).is_some(), "{tool} in {toolset} names {name}: {}", reply.text);
        }
    }
    // The finding itself is told.
    let reply = within(&app, "novel", "noveler_complete", json!({"episode": 1})).await;
    assert!(reply.text.contains("! ほかの話と比べて気になる点が"), "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_check_judges_a_length_as_the_writing_does() {
    let sample = novel();
    for (characters, status, said) in [
        (1_100, "ok", "適正"),
        (990, "ok", "適正"),
        (981, "warning", "やや不足"),
        (743, "warning", "やや不足"),
        (742, "below_min", "不足"),
        (1_211, "warning", "やや超過"),
        (1_513, "above_max", "超過"),
    ] {
        sample.file(FIRST, format!("　{}。\n", "あ".repeat(characters - 1)));
        let app = sample.app();
        let reply = in_japanese(&app, "check_basic", json!({"episode": 1, "word_count_target": 1_100})).await;
        let count = &reply.structured["word_count_check"];
        assert_eq!((&count["actual"], &count["status"]), (&json!(characters), &json!(status)));
        assert!(reply.text.contains(&format!("文字数: {said}（")), "{characters}: {}", reply.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_record_has_the_title_and_the_summary_of_the_written_episode() {
    let sample = unwritten();
    let app = sample.app();
    let asked = ok(&app, "noveler_write", json!({"episode": 1, "route": "short"})).await;
    until(&app, asked, None).await;
    let record = async || -> Value {
        ok(&app, "noveler_complete", json!({"episode": 1})).await;
        serde_json::from_str(&sample.read(".noveler/publish/episode_001/metadata.json")).unwrap()
    };
    let kept = record().await;
    assert_eq!(kept["episode_title"], script::TITLE);
    assert_eq!(kept["summary"], "梶みちるが帆待島の検潮所に着き、十二のこぶを見つけるまで。");
    // The heading that the author writes counts, with a number or without.
    for (heading, title) in [("# 第1話　凪\n", "凪"), ("# プロローグ\n", "プロローグ"), ("# 第一話\n", "こぶとえくぼ")]
    {
        let text = sample.read(FIRST);
        sample.file(FIRST, format!("{heading}{}", text.split_once('\n').unwrap().1));
        assert_eq!(record().await["episode_title"], title, "{heading}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn brackets_of_other_uses_are_not_called_rubies() {
    let sample = novel();
    let text = "# 第一話\n\n　ため息をついて《鑑定》を発動する。\n　《聞こえるか》と声がした。\n　それはひかり《ライト》だった。\n";
    sample.file(FIRST, text);
    let app = sample.app();
    let reply = in_japanese(&app, "noveler_complete", json!({"episode": 1})).await;
    let said: Vec<&str> = reply.text.lines().filter(|line| line.contains('《')).collect();
    assert_eq!(said.len(), 1, "{said:#?}");
    assert!(said[0].contains("1 か所") && said[0].contains("5:"), "{said:?}");
    assert!(!reply.text.contains("ルビを振れる文字がありません"), "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_without_fixes_advises_nothing() {
    let sample = novel();
    sample.file(FIRST, "# 第一話\n\n　朝になった。\n　港は静かだ。\n");
    let app = sample.app();
    for dry_run in [true, false] {
        let reply = in_japanese(&app, "check_fix", json!({"episode": 1, "dry_run": dry_run})).await;
        assert_eq!(reply.structured["fixed_count"], 0);
        assert!(reply.text.contains("修正する箇所はありません"), "{}", reply.text);
        assert_eq!(reply.structured["next_suggested_actions"], json!([]), "{}", reply.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_with_a_session_that_no_question_named_is_refused() {
    let sample = novel();
    let app = sample.app();
    let before = sample.state();
    let wrong = json!({"episode": 4, "session_id": "session_id", "content": PLOT});
    let error = refused(&app, "noveler_plot", wrong).await;
    assert_eq!(error["code"], "INVALID_ARGUMENTS", "{error}");
    assert!(error["message"].as_str().unwrap().contains("session_id"), "{error}");
    assert_eq!(sample.state(), before);
    let error = refused(&app, "write_blurb", json!({"session_id": "x"})).await;
    assert_eq!(error["code"], "INVALID_ARGUMENTS", "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_know_the_short_route() {
    let sample = unwritten();
    let app = sample.app();
    let asked = ok(&app, "noveler_write", json!({"episode": 1, "route": "short"})).await;
    let asked = until(&app, asked, Some("write_scenes:1")).await;
    let tasks = async || in_japanese(&app, "enhanced_get_writing_tasks", json!({"episode": 1})).await;
    let open = tasks().await;
    assert!(open.text.contains("5 段階のうち 1 段階が完了"), "{}", open.text);
    assert_eq!(called(&open.text), ["noveler_write"], "{}", open.text);
    assert!(open.structured.get("current_step").is_none(), "{}", open.structured);
    until(&app, asked, None).await;
    let written = tasks().await;
    assert_eq!(written.structured["current_step"], 11, "{}", written.text);
    assert!(written.text.contains("5 段階をすべて書き終えています"), "{}", written.text);
    assert!(written.text.contains("（基本チェック）: 未着手") && written.text.contains("完了"), "{}", written.text);
    ok(&app, "noveler_complete", json!({"episode": 1})).await;
    let complete = tasks().await;
    assert_eq!(complete.structured["progress_percentage"], 100.0);
    for word in ["pending", "completed", "safe の修正", "のうち 0 段階"] {
        assert!(!complete.text.contains(word), "{word}: {}", complete.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn japanese_replies_are_in_japanese() {
    let sample = novel();
    let ledger = "50_管理資料/伏線管理.yaml";
    sample.file(
        ledger,
        sample.read(ledger) + "  - {id: F009, title: 鈴, plant: {episode: 1}, payoff: {episode: 2}, status: planted}\n",
    );
    let app = sample.app();
    let asked = in_japanese(&app, "noveler_plot", json!({"episode": 2, "regenerate": true})).await;
    let mut arguments = asked.structured["submit"]["arguments"].clone();
    arguments["content"] = json!(PLOT);
    let placed = in_japanese(&app, "noveler_plot", arguments).await;
    assert!(placed.text.contains("（バックアップ ") && !placed.text.contains("(backup "), "{}", placed.text);
    let listed = in_japanese(&app, "backup_management", json!({"action": "list"})).await;
    assert!(listed.text.contains("「プロットを作り直す前」"), "{}", listed.text);
    let found = in_japanese(&app, "check_book", json!({})).await;
    assert!(found.text.contains("／伏線管理: ") && !found.text.contains("ledger"), "{}", found.text);
    assert!(!found.text.lines().any(|line| line.ends_with("。 2") || line.starts_with('[')), "{}", found.text);
    let state = json!({"summary": "みちるが帆待島に着き、十二のこぶを見つける。", "facts": [
        {"kind": "place", "subject": "梶みちる", "value": "検潮所", "quote": "海を止めに来た人ですか"},
    ]});
    in_japanese(&app, "record_episode_state", json!({"episode": 1, "state": state})).await;
    let asked = in_japanese(&app, "noveler_plot", json!({"episode": 2, "regenerate": true})).await;
    let instruction = asked.structured["instruction"].as_str().unwrap();
    assert!(instruction.contains("居場所　梶みちる") && !instruction.contains("place"), "{instruction}");
}

/// The same contradiction under the short name that people use for the coat of an animal.
#[tokio::test(flavor = "multi_thread")]
async fn the_coat_of_an_animal_is_compared_under_each_of_its_names() {
    let sample = novel();
    let app = sample.app();
    for (episode, colour, contradictions) in [(1, "灰色", 0), (2, "黒", 1)] {
        let path = sample.root().join("40_原稿");
        let mut files = std::fs::read_dir(path).unwrap().map(|file| file.unwrap().path());
        let file = files.find(|file| file.to_string_lossy().contains(&format!("第{episode:03}話"))).unwrap();
        std::fs::write(&file, format!("# 第{episode}話\n\n　猫の毛は{colour}だった。\n")).unwrap();
        let state = json!({"summary": "猫が岸壁を歩くだけの、短い一日の話である。", "facts": [
            {"kind": "attribute", "subject": "猫", "about": "毛", "value": colour, "quote": format!("猫の毛は{colour}だった")},
        ]});
        let said = ok(&app, "record_episode_state", json!({"episode": episode, "state": state})).await;
        assert_eq!(said["contradictions"].as_array().unwrap().len(), contradictions, "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plot_is_not_asked_for_from_the_sample_beside_other_characters() {
    let sample = Sample::empty();
    let made = run(&sample, &["novel", "new", "新作", "--title", "題"]);
    assert!(made.status.success(), "{made:?}");
    let app = sample.app();
    let root = sample.root().join("新作");
    let ask = async || {
        let arguments = json!({"episode": 1, "regenerate": true, "project_root": root});
        in_japanese(&app, "noveler_plot", arguments).await
    };
    let untouched = ask().await;
    assert!(untouched.text.contains("見本の物語のプロットを求めています"), "{}", untouched.text);
    std::fs::write(root.join("30_設定集/キャラクター.yaml"), "characters:\n  - name: 三雲なお\n").unwrap();
    let own = ask().await;
    let instruction = own.structured["instruction"].as_str().unwrap();
    for word in ["つづき堂", "これまでのプロット"] {
        assert!(!instruction.contains(word), "{word}: {instruction}");
    }
    assert!(instruction.contains("三雲なお"), "{instruction}");
    assert!(
        own.text.contains("見本のままのファイルは使っていません") && own.text.contains("第01章.yaml"),
        "{}",
        own.text
    );
    assert!(!own.structured["context"].to_string().contains("第01章.yaml"), "{}", own.structured);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_accepted_with_a_warning_says_so() {
    let sample = unwritten();
    let app = sample.app();
    let asked = ok(&app, "noveler_write", json!({"episode": 1, "route": "short"})).await;
    let asked = until(&app, asked, Some("write_scenes:1")).await;
    let nearly = |asked: &Value, sentence: &str| {
        let length = asked["acceptance_criteria"][0].as_str().unwrap();
        let mut numbers = length.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok());
        let least: usize = numbers.next().unwrap();
        json!(format!("　{}\n", sentence.repeat(least * 9 / 50)))
    };
    let mut arguments = asked["submit"]["arguments"].clone();
    arguments["content"] = nearly(&asked, "波が来た。");
    let reply = in_japanese(&app, "noveler_write", arguments.clone()).await;
    assert!(reply.text.contains("回答は受け取りました。ただし、可視文字が"), "{}", reply.text);
    assert!(!reply.text.contains("字以上の文章"), "{}", reply.text);
    arguments["step"] = json!("write_scenes:2");
    arguments["content"] = nearly(&reply.structured, "風が来た。");
    let reply = call(&app, "noveler_write", arguments).await;
    assert!(reply.text.contains("! [length] The answer was accepted."), "{}", reply.text);
}

#[test]
fn the_command_line_answers_in_the_language_of_the_person() {
    let sample = novel();
    let said = |variables: &[(&str, &str)]| {
        let mut command = fumi();
        command.current_dir(sample.root()).args(["call", "check_basic", r#"{"episode": 1}"#]);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        let reply: Value = serde_json::from_slice(&output.stdout).unwrap();
        reply["summary"].as_str().unwrap().starts_with('第')
    };
    assert!(!said(&[]));
    assert!(said(&[("LANG", "ja_JP.UTF-8")]));
    assert!(!said(&[("LANG", "C.UTF-8")]));
    // The language of fumi's configuration is the more explicit wish.
    assert!(said(&[("LANG", "en_GB.UTF-8"), ("FUMI__TOOLS__LANGUAGE", "ja")]));
    assert!(!said(&[("LANG", "ja_JP.UTF-8"), ("FUMI__TOOLS__LANGUAGE", "en")]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reason_of_a_proofreader_and_the_correction_are_two_sentences() {
    let sample = novel();
    sample.file(FIRST, "# 第一話\n\n　石段が百八個ある。\n");
    let app = sample.app();
    let correction =
        json!({"quote": "石段が百八個ある", "correction": "石段が百八段ある", "kind": "grammar", "reason": "数え方"});
    let arguments = json!({"episode": 1, "corrections": [correction]});
    let reply = in_japanese(&app, "check_proofreading", arguments).await;
    assert!(reply.text.contains("数え方。「石段が百八段ある」に直してください。"), "{}", reply.text);
}
