//! Rewriting a passage: the question, what is accepted of an answer by each author, and the choice.

use std::sync::Arc;

use fumi_kernel::{Access, Caller};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    FIRST,
    models::{by_provider, by_repeated_call},
    novel,
};
use crate::{
    harness::{Server, Session},
    sample::{Sample, call, call_as},
    taught::refused,
};

const TEXT: &str = "# 第一話　題\n\n　雨が降っていた。梶みちるは傘を閉じた。\n「徳次さん」と呼んだ。返事はない。\n　\
                    ｜検潮所《けんちょうじょ》の戸は、朝の光の中で静かに閉まっていた。雨が降っていた。\n　波の音がする。\n";

const QUOTE: &str = "検潮所の戸は、朝の光の中で静かに閉まっていた。";
const MARKED: &str = "｜検潮所《けんちょうじょ》の戸は、朝の光の中で静かに閉まっていた。";

/// Three variants: good, without the ruby, and good with a finding.
fn variants() -> [&'static str; 3] {
    [
        "朝の光の中に、｜検潮所《けんちょうじょ》の閉じた戸があった。",
        "検潮所の戸は、朝の光を受けたまま閉まっていた。",
        "｜検潮所《けんちょうじょ》の戸は閉まり、朝の光だけが・・・静かだった。",
    ]
}

fn written() -> Sample {
    let sample = novel();
    sample.file(FIRST, TEXT);
    sample
}

async fn done(sample: &Sample, arguments: Value) -> (Value, String) {
    let reply = call(&sample.app(), "rewrite_passage", arguments).await;
    assert!(!reply.is_error, "{}", reply.text);
    (reply.structured, reply.text)
}

/// Calls without success and returns the message. Nothing may be written.
async fn error(sample: &Sample, arguments: Value, code: &str) -> String {
    let app = sample.app();
    let files = super::refused::written(sample);
    let reply = call(&app, "rewrite_passage", arguments).await;
    assert!(super::refused::written(sample) == files);
    refused(&app, &reply, &[code])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_is_asked_answers_and_chooses() {
    let sample = written();
    let before = sample.state();
    let arguments = json!({"episode": 1, "quote": QUOTE, "wish": "もっと静かに", "variants": 3});
    let (asked, _) = done(&sample, arguments).await;
    assert_eq!((&asked["status"], &asked["submit"]["answer"]), (&json!("needs_text"), &json!("passages")));
    let instruction = asked["instruction"].as_str().unwrap();
    // The passage with its ruby, its surroundings, the wish, the point of view, and the people nearby.
    for part in [
        MARKED,
        "雨が降っていた。\n　波の音がする。",
        "「徳次さん」と呼んだ。",
        "もっと静かに",
        "point of view: 一人称 梶みちる",
        "first person おれ",
        "おれの膝は四十一年、縮んでねえ",
        "3 variants",
    ] {
        assert!(instruction.contains(part), "{part}: {instruction}");
    }
    assert!(!instruction.contains("鯨井ふさ"), "she is not near: {instruction}");
    assert!(asked["acceptance_criteria"][1].as_str().unwrap().starts_with("13 to 37 visible"), "{asked}");
    assert_eq!(asked["response_schema"]["maxItems"], 3);
    let mut answer = asked["submit"]["arguments"].clone();
    answer["passages"] = json!(variants());
    let (judged, text) = done(&sample, answer).await;
    assert_eq!(judged["session_id"], asked["session_id"]);
    let accepted = judged["variants"].as_array().unwrap();
    assert_eq!((accepted.len(), &accepted[1]["number"]), (2, &json!(3)));
    assert_eq!((&accepted[0]["characters"], &accepted[0]["text"]), (&json!(20), &json!(variants()[0])));
    assert_eq!(judged["generation_method"], "host");
    assert!(accepted[1]["issues"].to_string().contains("・・・"), "{}", accepted[1]);
    let rejected = judged["rejected"][0]["reason"].as_str().unwrap();
    assert!(rejected.contains("検潮所《けんちょうじょ》") && text.contains(rejected), "{text}");
    assert!(text.contains("replacement") && text.contains(variants()[2]), "{text}");
    assert_eq!(sample.state(), before, "nothing is written before the choice");
    let choice = json!({"episode": 1, "quote": QUOTE, "replacement": variants()[0]});
    let (chosen, text) = done(&sample, choice.clone()).await;
    assert_eq!(sample.read(FIRST), TEXT.replace(MARKED, variants()[0]));
    let backup = chosen["backup_id"].as_str().unwrap();
    assert_eq!(sample.read(&format!("90_バックアップ/{backup}/files/{FIRST}")), TEXT);
    assert!(text.contains(backup) && text.contains("→ compare_versions {\"episode\":1}"), "{text}");
    let compared = call(&sample.app(), "compare_versions", json!({"episode": 1})).await.structured;
    assert_eq!((&compared["total"], &compared["from"]["version"]), (&json!(1), &json!(backup)));
    // The same call again finds no passage, and writes nothing.
    let message = error(&sample, choice, "Q003").await;
    assert!(message.contains(QUOTE), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn quotations_that_stand_for_no_passage_are_explained() {
    let sample = written();
    for (quote, code, part) in [
        ("雨が降っていた。", "Q003", "occurs 2 times in \"40_原稿/第001話_こぶとえくぼ.md\", at the lines 3, 5"),
        ("晴れていた。", "Q003", "does not occur in the manuscript of episode 1"),
        ("所の戸は", "Q003", "inside markup: \"｜検潮所《けんちょうじょ》\""),
        ("　\n", "INVALID_ARGUMENTS", "no visible character"),
        ("", "INVALID_ARGUMENTS", "quote"),
    ] {
        for more in [json!({}), json!({"passages": ["雨。"]}), json!({"replacement": "雨。"})] {
            let mut arguments = json!({"episode": 1, "quote": quote});
            arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let message = error(&sample, arguments, code).await;
            assert!(message.contains(part), "{quote}: {message}");
        }
    }
    let both = json!({"episode": 1, "quote": QUOTE, "passages": ["雨。"], "replacement": "雨。"});
    error(&sample, both, "INVALID_ARGUMENTS").await;
    let six = json!({"episode": 1, "quote": QUOTE, "variants": 6});
    error(&sample, six, "INVALID_ARGUMENTS").await;
    let unknown = call(&sample.app(), "rewrite_passage", json!({"episode": 9, "quote": QUOTE})).await;
    refused(&sample.app(), &unknown, &["E001", "E002", "E003", "P001"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_which_none_holds_and_texts_that_break_marks_are_refused() {
    let sample = written();
    let ask = |passages: Value| json!({"episode": 1, "quote": QUOTE, "mode": "tighten", "passages": passages});
    let message =
        error(&sample, ask(json!([MARKED, "「検潮所の戸は閉まる。", "承知しました。\n戸は閉まる。"])), "S005").await;
    for part in ["1: It is the same", "2: It has brackets", "3: It contains words"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    // Shorter than the passage, without its word and ruby.
    let (judged, _) = done(&sample, ask(json!(["戸は朝の光の中で閉まっていた。"]))).await;
    assert_eq!(judged["variants"][0]["percent"], 65, "{judged}");
    for (text, part) in [
        ("「戸は閉まる。", "brackets"),
        ("戸は《閉まる。", "brackets"),
        ("戸は\u{202e}閉まる。", "invisible"),
        ("\n", "no visible character"),
        (MARKED, "the same as the passage"),
    ] {
        let choice = json!({"episode": 1, "quote": QUOTE, "replacement": text});
        let message = error(&sample, choice, "S005").await;
        assert!(message.contains(part), "{text}: {message}");
    }
    // A chosen text may have any length.
    done(&sample, json!({"episode": 1, "quote": QUOTE, "replacement": "戸。"})).await;
    assert_eq!(sample.read(FIRST), TEXT.replace(MARKED, "戸。"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_manuscript_with_returns_in_another_encoding_keeps_both() {
    let sample = novel();
    let (bytes, ..) = encoding_rs::SHIFT_JIS.encode(TEXT);
    let returns = String::from_utf8_lossy(TEXT.as_bytes()).replace('\n', "\r\n");
    let (with_returns, ..) = encoding_rs::SHIFT_JIS.encode(&returns);
    assert_ne!(bytes, with_returns);
    sample.file(FIRST, &with_returns);
    let quote = "返事はない。\n　検潮所の戸は、";
    let choice = |text: &str| json!({"episode": 1, "quote": quote, "replacement": text});
    let message = error(&sample, choice("返事はない。\n　𠮷田の戸は、"), "Q003").await;
    assert!(message.contains("shift_jis"), "{message}");
    let answer =
        json!({"episode": 1, "quote": quote, "passages": ["返事はない。\n　｜検潮所《けんちょうじょ》の𠮷は、"]});
    assert!(error(&sample, answer, "S005").await.contains("shift_jis"));
    done(&sample, choice("返事はない。\n\n　戸だけが、")).await;
    let expected =
        returns.replace("返事はない。\r\n　｜検潮所《けんちょうじょ》の戸は、", "返事はない。\r\n\r\n　戸だけが、");
    let (expected, ..) = encoding_rs::SHIFT_JIS.encode(&expected);
    assert_eq!(std::fs::read(sample.root().join(FIRST)).unwrap(), expected.into_owned());
}

/// The passage is looked for in the manuscript as it is at the choice.
#[tokio::test(flavor = "multi_thread")]
async fn a_manuscript_that_was_edited_in_between_is_respected() {
    let sample = written();
    let (asked, _) = done(&sample, json!({"episode": 1, "quote": QUOTE})).await;
    let mut answer = asked["submit"]["arguments"].clone();
    answer["passages"] = json!([variants()[0]]);
    // Edits elsewhere stay.
    let edited = TEXT.replace("波の音がする。", "波の音が近い。");
    sample.file(FIRST, &edited);
    done(&sample, answer.clone()).await;
    let choice = json!({"episode": 1, "quote": QUOTE, "replacement": variants()[0]});
    // The passage itself was edited, or occurs twice now.
    for changed in [edited.replace("静かに", ""), format!("{edited}　{MARKED}\n")] {
        sample.file(FIRST, &changed);
        error(&sample, answer.clone(), "Q003").await;
        error(&sample, choice.clone(), "Q003").await;
        assert_eq!(sample.read(FIRST), changed);
    }
    sample.file(FIRST, &edited);
    done(&sample, choice).await;
    assert_eq!(sample.read(FIRST), edited.replace(MARKED, variants()[0]));
    // A text that contains the passage is put there once.
    let grown = json!({"episode": 1, "quote": "波の音が近い。", "replacement": "窓を開けると、波の音が近い。"});
    done(&sample, grown.clone()).await;
    assert!(error(&sample, grown, "S005").await.contains("already stands"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_may_only_read_is_refused() {
    let sample = written();
    let app = sample.app();
    let access = Access { read_only: true, ..Access::full(app.scope.clone()) };
    let reader = Caller { access: Arc::new(access), ..Caller::default() };
    let before = sample.state();
    for more in [json!({}), json!({"replacement": variants()[0]})] {
        let mut arguments = json!({"episode": 1, "quote": QUOTE});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let reply = call_as(&app, "rewrite_passage", arguments, reader.clone(), CancellationToken::new()).await;
        refused(&app, &reply, &["READ_ONLY"]);
    }
    assert_eq!(sample.state(), before);
}

/// The client's model in the session era, a stateless client that repeats its call, and a provider.
#[tokio::test(flavor = "multi_thread")]
async fn every_author_is_asked_once_and_the_variants_are_returned() {
    let text = json!(variants()).to_string();
    let message = json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": "test"});
    let is_judged = |said: &Value, method: &str| {
        let accepted = said["variants"].as_array().unwrap_or_else(|| panic!("{said}"));
        assert_eq!((accepted.len(), &said["generation_method"]), (2, &json!(method)), "{said}");
    };
    let arguments = json!({"episode": 1, "quote": QUOTE, "mode": "rewrite"});

    let sample = written();
    let before = sample.read(FIRST);
    let server = Server::start(sample.app()).await;
    let session = Session::open_able(&server, json!({"sampling": {}})).await;
    let mut called = session.begin("rewrite_passage", arguments.clone()).await;
    let request = called.asked().await;
    let prompt = request["params"]["messages"][0]["content"]["text"].as_str().unwrap();
    for part in [MARKED, "13 to 37 visible characters", "maxItems"] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    // An answer of which nothing holds is sent back with the reasons.
    let bad = json!({"role": "assistant", "content": {"type": "text", "text": "[\"雨。\"]"}, "model": "test"});
    session.respond(&request, bad).await;
    let again = called.asked().await;
    assert!(again.to_string().contains("1: It lacks or changes"), "{again}");
    session.respond(&again, message.clone()).await;
    is_judged(&called.answered().await["structuredContent"], "llm_sampling");
    assert_eq!(sample.read(FIRST), before);

    let sample = written();
    let said = by_repeated_call(&sample, "rewrite_passage", &arguments, &message).await;
    is_judged(&said, "llm_sampling");

    let sample = written();
    let said = by_provider(&sample, "rewrite_passage", json!({"episode": 1, "quote": QUOTE}), text).await;
    is_judged(&said, "llm_provider");
}

/// The longest manuscript that is checked: five variants are judged within the timeout, and a longer one is refused.
#[tokio::test(flavor = "multi_thread")]
async fn a_huge_manuscript_is_judged_within_the_timeout() {
    let sample = novel();
    let lines: Vec<String> = (0..11_000).map(|number| format!("　{number}番目の波が岸で砕ける。\n")).collect();
    let filler = lines.concat();
    sample.file(FIRST, format!("# 第一話\n\n　{MARKED}\n{filler}"));
    let passages: Vec<String> = ["朝", "昼", "夕", "夜", "晩"]
        .iter()
        .map(|time| format!("｜検潮所《けんちょうじょ》の戸は、{time}の暗がりで閉じていた。"))
        .collect();
    let arguments = json!({"episode": 1, "quote": QUOTE, "variants": 5, "passages": passages});
    let (judged, _) = done(&sample, arguments).await;
    assert_eq!(judged["variants"].as_array().unwrap().len(), 5);
    sample.file(FIRST, format!("# 第一話\n\n　{MARKED}\n{filler}{filler}"));
    error(&sample, json!({"episode": 1, "quote": QUOTE}), "Q002").await;
}
