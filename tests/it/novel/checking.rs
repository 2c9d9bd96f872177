//! Checks of a manuscript through the pipeline and over HTTP: findings, stored results, judgements, fixes, and replies
//! about texts that are almost empty.

use std::fs;

use fumi_base::pools::Pool;
use fumi_kernel::{Access, Caller, ToolReply};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{FIRST, novel};
use crate::{
    catalogue::answers_as_published,
    harness::{Server, Session, Stateless},
    sample::{Sample, call, call_as},
    taught::refused,
};

/// Makes a call that must succeed and be valid under its schema.
async fn done(sample: &Sample, tool: &str, arguments: Value) -> Value {
    let app = sample.app();
    let reply = call(&app, tool, arguments).await;
    assert!(!reply.is_error, "{}", reply.text);
    answers_as_published(app.catalogue.find(&app.scope, tool).unwrap(), &reply.structured);
    reply.structured
}

/// Returns the sample novel with another first episode.
fn with(text: impl AsRef<[u8]>) -> Sample {
    let sample = novel();
    sample.file(FIRST, text);
    sample
}

/// Faults of every level, one of them in speech, around ruby and a name.
pub(super) const FAULTY: &str = "# 第一話　題\n\n　風が止んだ...。梶みちるは笑った!\n「えっ…そんなの、見れるわけないじゃん。」\n　\
                      ここからは海が見れる。沖の検潮所《けんちょうじょ》…は遠い。\n　彼は的を得た答えを、、返した。\n";

fn texts<'v>(value: &'v Value, pointer: &str, key: &str) -> Vec<&'v str> {
    let list = value.pointer(pointer).and_then(Value::as_array);
    let list = list.unwrap_or_else(|| panic!("no {pointer}: {value}"));
    list.iter().map(|one| one[key].as_str().unwrap()).collect()
}

fn ids(value: &Value) -> Vec<String> {
    let lists = ["/structure_issues/formatting_issues", "/structure_issues/paragraph_issues"];
    let all = lists.iter().flat_map(|list| texts(value, list, "issue_id"));
    all.map(str::to_owned).collect()
}

fn lines(sample: &Sample, path: &str) -> Vec<Value> {
    let text = sample.read(path);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn findings_are_reported_with_their_place_and_stored() {
    let sample = with(FAULTY);
    let said = done(&sample, "check_basic", json!({"episode": 1})).await;
    let rules = texts(&said, "/structure_issues/formatting_issues", "rule");
    for rule in ["ellipsis", "half_width_mark", "period_before_bracket", "repeated_punctuation"] {
        assert!(rules.contains(&rule), "{rule} is not in {rules:?}");
    }
    let list = said["structure_issues"]["formatting_issues"].as_array().unwrap();
    let dots = list.iter().find(|issue| issue["excerpt"].as_str().unwrap().contains("...")).unwrap();
    assert_eq!((&dots["line"], &dots["col"], &dots["fix"]["level"]), (&json!(3), &json!(7), &json!("safe")));
    assert_eq!(said["word_count_check"]["status"], "below_min");
    let kept = said["detailed_report_reference"].as_str().unwrap();
    assert!(kept.contains(said["session_id"].as_str().unwrap()));
    let issues = lines(&sample, kept);
    assert_eq!(json!(issues.len()), said["issues_found"]["total"]);
    let source = sample.read(FIRST);
    for issue in &issues {
        let at = |end: usize| usize::try_from(issue["span"][end].as_u64().unwrap()).unwrap();
        assert!(source.get(at(0)..at(1)).is_some(), "{issue}");
    }
    let folder = kept.trim_end_matches("issues.jsonl");
    let manifest: Value = serde_json::from_str(&sample.read(&format!("{folder}manifest.json"))).unwrap();
    assert_eq!((&manifest["subject"]["episode"], &manifest["executions"]), (&json!(1), &json!(1)));
    let executed = lines(&sample, &format!("{folder}step_executions.jsonl"));
    assert_eq!((executed.len(), &executed[0]["tool"]), (1, &json!("check_basic")));
    let output: Value = serde_json::from_str(&sample.read(executed[0]["output_file"].as_str().unwrap())).unwrap();
    assert_eq!(output["quality_score"], said["quality_score"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_survives_what_is_edited_elsewhere() {
    let sample = with(FAULTY);
    let before = ids(&done(&sample, "check_basic", json!({"episode": 1})).await);
    sample.file(FIRST, FAULTY.replace("# 第一話　題\n", "# 第一話　別の題\n\n　新しい一行を、前に置いた。\n"));
    let after = ids(&done(&sample, "check_basic", json!({"episode": 1})).await);
    assert!(!before.is_empty());
    assert_eq!(before, after);
}

#[tokio::test(flavor = "multi_thread")]
async fn fixes_keep_speech_ruby_and_names_and_can_be_taken_back() {
    let sample = with(FAULTY);
    let tried = done(&sample, "check_fix", json!({"episode": 1, "fix_level": "standard", "dry_run": true})).await;
    assert_eq!((&tried["dry_run"], sample.read(FIRST).as_str()), (&json!(true), FAULTY));
    let fixed = done(&sample, "check_fix", json!({"episode": 1, "fix_level": "standard"})).await;
    assert_eq!(fixed["fixed_count"], tried["fixed_count"]);
    let text = sample.read(FIRST);
    for there in [
        "止んだ……。",
        "梶みちるは笑った！",
        "「えっ……そんなの、見れるわけないじゃん」",
        "海が見られる",
        "検潮所《けんちょうじょ》……は",
        "的を射た答えを、返した",
    ] {
        assert!(text.contains(there), "{there} is not in {text}");
    }
    let scores = &fixed["quality_improvement"];
    assert!(scores["after_score"].as_f64() > scores["before_score"].as_f64(), "{scores}");
    // The backup contains the old file.
    let backup = json!({"action": "restore", "backup_id": fixed["backup_id"]});
    done(&sample, "backup_management", backup).await;
    assert_eq!(sample.read(FIRST), FAULTY);
    let resolved = format!(".noveler/checks/{}/issue_resolutions.jsonl", fixed["session_id"].as_str().unwrap());
    let fixed_lines = lines(&sample, &resolved).iter().filter(|line| line["resolution"] == "fixed").count();
    assert_eq!(json!(fixed_lines), fixed["fixed_count"]);
    // Running it twice has the same result as once.
    done(&sample, "check_fix", json!({"episode": 1, "fix_level": "standard"})).await;
    let again = done(&sample, "check_fix", json!({"episode": 1, "fix_level": "standard"})).await;
    assert_eq!((&again["fixed_count"], sample.read(FIRST)), (&json!(0), text));
}

/// A file of another system is no fault in each of its lines.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_all_in_cr_lf_is_reported_once_as_information_and_written_with_lf() {
    let text = "# 第一話　題\n\n　灯台の窓に灯がともった。\n「ただいま」\n　返事はない。\n";
    let sample = with(text.replace('\n', "\r\n"));
    let rule = |said: &Value| {
        let list = said["structure_issues"]["formatting_issues"].as_array().unwrap();
        let ends = list.iter().filter(|issue| issue["rule"] == "mixed_line_end");
        ends.cloned().collect::<Vec<Value>>()
    };
    let found = rule(&done(&sample, "check_basic", json!({"episode": 1})).await);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["severity"], "info");
    assert!(found[0]["message"].as_str().unwrap().contains("CR LF: 5"), "{found:?}");
    done(&sample, "check_fix", json!({"episode": 1, "fix_level": "safe"})).await;
    assert_eq!(sample.read(FIRST), text);
    assert!(rule(&done(&sample, "check_basic", json!({"episode": 1})).await).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fix_does_not_undo_another_and_style_is_fixed_only_if_it_is_named() {
    let text = "　私にはできると思った。君なら出来るはずだ。飛ぶ事が出来るのだ。\n　山を越えることが出来るかもしれない。彼にもできるだろうと彼女は言った。\n";
    let sample = with(text);
    let fixed = done(&sample, "check_fix", json!({"episode": 1, "fix_level": "standard"})).await;
    // The more frequent spelling is kept.
    assert_eq!(sample.read(FIRST), text.replace("でき", "出来"));
    assert_eq!(texts(&fixed, "/fixes_applied", "before"), ["でき", "でき"]);
    let again = done(&sample, "check_fix", json!({"episode": 1, "fix_level": "standard"})).await;
    assert_eq!(again["fixed_count"], 0);
    let left = again["fixes_skipped"].as_array().unwrap();
    let style = left.iter().find(|left| left["fix_type"] == "auxiliary_kanji").unwrap();
    assert_eq!(style["reason"], "a matter of style; fixed if named in issue_ids");
    let named = json!({"episode": 1, "fix_level": "standard", "issue_ids": [style["issue_id"]]});
    done(&sample, "check_fix", named).await;
    assert_eq!(sample.read(FIRST), text.replace("でき", "出来").replace("事", "こと"));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_issues_named_are_fixed() {
    let sample = with(FAULTY);
    let said = done(&sample, "check_basic", json!({"episode": 1})).await;
    let list = said["structure_issues"]["formatting_issues"].as_array().unwrap();
    let mark = list.iter().find(|issue| issue["rule"] == "half_width_mark").unwrap();
    let one = json!({"episode": 1, "issue_ids": [mark["issue_id"], "BASIC-000000000000"]});
    let fixed = done(&sample, "check_fix", one).await;
    assert_eq!((&fixed["fixed_count"], &fixed["skipped_count"]), (&json!(1), &json!(1)));
    assert_eq!(sample.read(FIRST), FAULTY.replace("笑った!", "笑った！"));
    let app = sample.app();
    let before = sample.read(FIRST);
    let none = call(&app, "check_fix", json!({"episode": 1, "issue_ids": ["BASIC-000000000000"]})).await;
    refused(&app, &none, &["Q003"]);
    assert_eq!(sample.read(FIRST), before);
    // Sentences are only rewritten on request.
    let shown = done(&sample, "check_fix", json!({"episode": 1, "fix_level": "aggressive"})).await;
    assert_eq!((&shown["dry_run"], sample.read(FIRST)), (&json!(true), before));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_manuscript_stays_in_its_encoding_and_a_damaged_one_stays_as_it_is() {
    let (bytes, ..) = encoding_rs::SHIFT_JIS.encode("　風が止んだ…。彼は笑った。\n");
    let sample = with(&bytes);
    done(&sample, "check_fix", json!({"episode": 1})).await;
    let after = fs::read(sample.root().join(FIRST)).unwrap();
    assert_eq!(encoding_rs::SHIFT_JIS.decode(&after).0, "　風が止んだ……。彼は笑った。\n");
    let damaged = [&b"\xef\xbb\xbf"[..], "　風が止んだ…。".as_bytes(), b"\xff\xfe\xff\n"].concat();
    let sample = with(&damaged);
    done(&sample, "check_basic", json!({"episode": 1})).await;
    let app = sample.app();
    refused(&app, &call(&app, "check_fix", json!({"episode": 1})).await, &["P002"]);
    assert_eq!(fs::read(sample.root().join(FIRST)).unwrap(), damaged);
}

/// The expected result for a text: whether it has a score, by which method, and a rule that must report something.
#[tokio::test(flavor = "multi_thread")]
async fn almost_empty_texts_have_the_right_status() {
    let long = "　風が止んで、港の灯が一つずつ消えていった。だれも口をきかなかった。\n".repeat(5_700);
    let endless = format!("　{}。\n", "風が吹き、波が立ち、".repeat(5_000));
    let rubies = format!("　{}。\n", "港｜町《まち》の".repeat(10_000));
    let (sjis, ..) = encoding_rs::SHIFT_JIS.encode("　風が止んだ。港は静かだった。\n");
    let table: [(&str, Vec<u8>, Option<&str>, &str); 8] = [
        ("200,000 characters", long.into_bytes(), Some("deterministic"), "above_max"),
        ("empty", Vec::new(), None, "below_min"),
        ("only dialogue", "「行く？」\n「行かない」\n「なぜ」\n".into(), Some("deterministic"), "below_min"),
        ("unbalanced brackets", "　彼は「言った。\n　』（（\n".into(), Some("deterministic"), "below_min"),
        ("Shift_JIS", sjis.into_owned(), Some("deterministic"), "below_min"),
        ("10,000 rubies", rubies.into_bytes(), Some("deterministic"), "above_max"),
        ("one sentence of 50,000 characters", endless.into_bytes(), Some("deterministic"), "above_max"),
        ("English", "It was a quiet night in the harbour.\n".into(), Some("deterministic"), "below_min"),
    ];
    for (name, text, method, length) in table {
        let sample = with(&text);
        let basic = done(&sample, "check_basic", json!({"episode": 1})).await;
        assert_eq!(basic["word_count_check"]["status"], length, "{name}");
        for tool in ["check_basic", "check_rhythm", "check_writing_expression"] {
            let said = done(&sample, tool, json!({"episode": 1})).await;
            assert_eq!(said["success"], true, "{name} {tool}");
            assert_eq!(said["method"], method.unwrap_or("not_evaluated"), "{name} {tool}");
            assert_eq!(said.get("quality_score").is_some(), method.is_some(), "{name} {tool}");
        }
        match name {
            "unbalanced brackets" => {
                let rules = texts(&basic, "/structure_issues/formatting_issues", "rule");
                assert!(rules.contains(&"unbalanced_bracket"), "{rules:?}");
            }
            "only dialogue" => {
                let rhythm = done(&sample, "check_rhythm", json!({"episode": 1})).await;
                let lengths = &rhythm["rhythm_analysis"]["sentence_length_variation"];
                assert_eq!((&lengths["sentences"], lengths.get("balance_score")), (&json!(0), None));
            }
            _ => {
                // A text that is far too short is below the threshold for that reason alone.
                let remarks = basic["remarks"].as_array().into_iter().flatten();
                let others = remarks.filter(|remark| !remark.as_str().unwrap().contains("threshold")).count();
                let is_odd = matches!(name, "English" | "empty");
                assert_eq!(others, usize::from(is_odd), "{name}: {}", basic["remarks"]);
            }
        }
    }
    let sample = with("　風。\n".repeat(100_000));
    let app = sample.app();
    refused(&app, &call(&app, "check_basic", json!({"episode": 1})).await, &["Q002"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn three_checks_run_at_once_and_a_fourth_waits() {
    let sample = novel();
    let app = sample.app();
    let pools = &app.kernel.pools;
    let cancel = CancellationToken::new();
    let mut held = Vec::new();
    // One of the three is left to another principal.
    for principal in ["ann", "ann", "bob"] {
        held.push(pools.acquire(Pool::Check, &principal.into(), &cancel).await.unwrap());
    }
    assert_eq!((pools.load(Pool::Check).slots, pools.load(Pool::Check).running), (3, 3));
    let fourth = tokio::spawn({
        let app = std::sync::Arc::clone(&app);
        async move { call(&app, "check_basic", json!({"episode": 1})).await }
    });
    while pools.load(Pool::Check).waiting == 0 {
        tokio::task::yield_now().await;
    }
    assert!(!fourth.is_finished());
    held.pop();
    assert!(!fourth.await.unwrap().is_error);
}

/// Returns judgements of every open item, each with a sentence of the manuscript.
pub(crate) fn judgements(asked: &Value, quote: &str, score: f64) -> Value {
    let items = asked["items"].as_array().unwrap();
    items.iter().map(|item| json!({"item_id": item["item_id"], "score": score, "quotes": [quote]})).collect()
}

/// A sentence of the first episode.
pub(crate) const QUOTE: &str = "備考のない海が、よい海だと思っていた。";

#[tokio::test(flavor = "multi_thread")]
async fn a_host_judges_what_cannot_be_measured() {
    let sample = novel();
    let asked = done(&sample, "check_story_elements", json!({"episode": 1})).await;
    assert_eq!((&asked["status"], &asked["method"]), (&json!("needs_text"), &json!("not_evaluated")));
    assert!(asked.get("overall_score").is_none() && asked.get("quality_score").is_none(), "{asked}");
    assert_eq!(asked["submit"]["answer"], "judgements");
    let open = asked["items"].as_array().unwrap().len();
    assert_eq!(open, 32, "22 hybrid and 11 judged items, without the link to the previous episode");
    // The rubric is at the path in the question.
    let rubric = asked["context"][1].as_str().unwrap().split(' ').next().unwrap();
    let rubric = done(&sample, "fetch_artifact", json!({"artifact_id": rubric})).await;
    let rubric = rubric.to_string();
    assert!(rubric.contains("A31-005") && !rubric.contains("Measured"), "{rubric}");
    let second = done(&sample, "check_story_elements", json!({"episode": 2})).await;
    let compared = second["context"][2].as_str().unwrap();
    assert!(compared.ends_with(" (texts to compare with)"), "{compared}");
    let compared = compared.split(' ').next().unwrap();
    let compared = done(&sample, "fetch_artifact", json!({"artifact_id": compared})).await.to_string();
    let first = sample.read(FIRST);
    let end = first.lines().last().unwrap();
    for title in
        ["30_設定集/キャラクター.yaml", "20_プロット/話別/第002話.yaml", "The end of the previous episode", end]
    {
        assert!(compared.contains(title), "{title}: {compared}");
    }
    let mut arguments = asked["submit"]["arguments"].clone();
    arguments["judgements"] = judgements(&asked, QUOTE, 1.0);
    arguments["judgements"][0]["quotes"] = json!(["この文は原稿のどこにもない"]);
    let judged = done(&sample, "check_story_elements", arguments).await;
    assert_eq!((&judged["session_id"], &judged["method"]), (&asked["session_id"], &json!("host")));
    assert_eq!(judged["evaluated"]["judged"], open - 1);
    assert_eq!(judged["rejected_judgements"][0]["item_id"], asked["items"][0]["item_id"]);
    assert!(judged["overall_score"].as_f64() > Some(85.0), "{}", judged["overall_score"]);
    assert!(judged.get("status").is_none());
    // A second opinion that differs much from the first.
    let mut arguments = asked["submit"]["arguments"].clone();
    let item = asked["items"][1]["item_id"].clone();
    arguments["judgements"] = json!([{"item_id": item, "score": 0.2, "quotes": [QUOTE]}]);
    let unstable = done(&sample, "check_story_elements", arguments).await;
    assert_eq!(unstable["unstable_items"], json!([item]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judgement_decides_the_score_and_says_why() {
    let sample = novel();
    let asked = done(&sample, "noveler_check", json!({"episode": 1})).await;
    assert!(asked.get("overall_quality_score").is_none(), "{asked}");
    assert!(asked["basic_check_result"]["score"].is_f64() && asked["measurements"]["score"].is_f64(), "{asked}");
    let mut arguments = asked["submit"]["arguments"].clone();
    let comment = "波の描写が説明に終わり、人物の心が見えない。";
    let given = judgements(&asked, QUOTE, 0.33);
    let with_reason = given.as_array().unwrap().iter().map(|one| {
        let mut one = one.clone();
        one["comment"] = json!(comment);
        one
    });
    arguments["judgements"] = with_reason.collect();
    let app = sample.app();
    let judged = call(&app, "noveler_check", arguments).await;
    let score = judged.structured["overall_quality_score"].as_f64().unwrap();
    assert!((25.0..50.0).contains(&score), "{score}");
    assert!(judged.text.contains(&format!("“{comment}”")), "{}", judged.text);
    let status = done(&sample, "status", json!({})).await;
    assert_eq!(status["quality_summary"]["average_quality_score"].as_f64(), Some(score));
    // A later check without judgements does not take this one back.
    done(&sample, "noveler_check", json!({"episode": 1, "judge": false})).await;
    done(&sample, "noveler_complete", json!({"episode": 1})).await;
    let record: Value = serde_json::from_str(&sample.read(".noveler/publish/episode_001/metadata.json")).unwrap();
    assert_eq!(record["quality"], json!({"method": "host", "overall_score": score}));
    // For another text the stored judgement is not used.
    sample.file(FIRST, "　別の原稿。風が吹いた。\n");
    done(&sample, "noveler_complete", json!({"episode": 1})).await;
    let record: Value = serde_json::from_str(&sample.read(".noveler/publish/episode_001/metadata.json")).unwrap();
    assert_eq!(record["quality"], json!({"method": "not_evaluated"}));
}

/// Items that compare with a plot, settings or a previous episode are neither asked nor missed without them.
#[tokio::test(flavor = "multi_thread")]
async fn a_manuscript_without_plot_and_settings_gets_its_score_by_what_can_be_judged() {
    let sample = Sample::new();
    sample.file("40_原稿/第001話_題.md", "　備考のない海が、よい海だと思っていた。\n　風が止んだ。彼は戸を閉めた。\n");
    let asked = done(&sample, "check_story_structure", json!({"episode": 1})).await;
    let ids = texts(&asked, "/items", "item_id");
    assert!(!ids.contains(&"A31-026") && !ids.contains(&"A31-050") && !ids.contains(&"A31-068"), "{ids:?}");
    let mut arguments = asked["submit"]["arguments"].clone();
    arguments["judgements"] = judgements(&asked, QUOTE, 0.8);
    let judged = done(&sample, "check_story_structure", arguments).await;
    assert!(judged["overall_structure_score"].as_f64() > Some(60.0), "{judged}");
}

/// Returns the files of a project except the lease of the writer.
fn kept(sample: &Sample) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut state = sample.state();
    state.retain(|(path, _)| !path.ends_with(".noveler") && !path.to_string_lossy().contains("/.noveler/locks"));
    state
}

#[tokio::test(flavor = "multi_thread")]
async fn judgements_without_quotations_of_the_text_are_refused_and_nothing_is_kept() {
    let sample = novel();
    let app = sample.app();
    let before = kept(&sample);
    let told = json!([{"item_id": "A31-005", "score": 1.0, "quotes": ["この文は原稿のどこにもない"]}]);
    let reply = call(&app, "check_story_elements", json!({"episode": 1, "judgements": told})).await;
    let message = refused(&app, &reply, &["S005"]);
    assert!(message.contains("A31-005"), "{message}");
    let unknown = json!({"episode": 1, "session_id": "check_20260131_100000_0a1b2c3d", "judgements": told});
    refused(&app, &call(&app, "check_story_elements", unknown).await, &["S001"]);
    assert_eq!(kept(&sample), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clients_model_judges_in_one_request() {
    let sample = novel();
    let server = Server::start(sample.app()).await;
    let session = Session::open_able(&server, json!({"sampling": {}})).await;
    let mut called = session.begin("noveler_check", json!({"episode": 1})).await;
    let request = called.asked().await;
    let prompt = request["params"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(prompt.contains(QUOTE) && prompt.contains("A31-005"), "{prompt}");
    // The character sheet, the plot and the worn devices of the genre, for the items that compare with them.
    let sheets = ["30_設定集/キャラクター.yaml", "20_プロット/話別/第001話.yaml", "# Worn devices of the genre: "];
    for title in sheets {
        assert!(prompt.contains(title), "{title}: {prompt}");
    }
    let ids = regex::Regex::new(r"(?m)^## (A31-\d{3}) ").unwrap();
    let answer: Vec<Value> =
        ids.captures_iter(prompt).map(|found| json!({"item_id": found[1], "score": 0.8, "quotes": [QUOTE]})).collect();
    let text = json!({"role": "assistant", "content": {"type": "text", "text": json!(answer).to_string()}, "model": "m", "stopReason": "endTurn"});
    session.respond(&request, text).await;
    let said = called.answered().await["structuredContent"].clone();
    assert_eq!(said["check_stages_completed"], json!(["basic", "a31", "claude_analysis"]));
    assert_eq!((&said["method"], &said["claude_analysis_result"]["score"]), (&json!("llm_sampling"), &json!(80.0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_goes_step_by_step_and_remembers() {
    let sample = novel();
    let begun = done(&sample, "get_check_tasks", json!({"episode": 1})).await;
    let id = begun["session_id"].as_str().unwrap();
    assert_eq!(begun["tasks"].as_array().unwrap().len(), 12);
    for step in 1..=12 {
        let said = done(&sample, "get_check_status", json!({"session_id": id})).await;
        assert_eq!(said["next_step"]["id"], step);
        let arguments = json!({"episode": 1, "step_id": step, "session_id": id, "judge": false});
        let said = done(&sample, "execute_check_step", arguments).await;
        assert_eq!((&said["session_id"], &said["step_id"]), (&json!(id), &json!(step)));
    }
    let status = done(&sample, "get_check_status", json!({"session_id": id})).await;
    assert_eq!((&status["progress_percentage"], &status["is_current"]), (&json!(100.0), &json!(true)));
    assert!(status.get("next_step").is_none() && status.get("quality_score").is_none(), "{status}");
    let history = done(&sample, "get_check_history", json!({"episode": 1, "limit": 5})).await;
    let steps: Vec<u64> =
        history["history"].as_array().unwrap().iter().map(|one| one["step_id"].as_u64().unwrap()).collect();
    assert_eq!(steps, [12, 11, 10, 9, 8]);
    sample.file(FIRST, "　別の原稿。\n");
    let status = done(&sample, "get_check_status", json!({"session_id": id})).await;
    assert_eq!(status["is_current"], false);
    let app = sample.app();
    let other = json!({"episode": 2, "step_id": 1, "session_id": id});
    refused(&app, &call(&app, "execute_check_step", other).await, &["S001"]);
    // A manuscript in the arguments, and a judgement of it.
    let arguments = json!({"episode": 1, "step_id": 1, "manuscript_content": "　承知しました。以下に続きを書きます。\n", "judge": false});
    let said = done(&sample, "execute_check_step", arguments).await;
    assert!(texts(&said, "/issues", "rule").contains(&"assistant_remnant"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_only_caller_may_check_and_writes_nothing() {
    let sample = novel();
    let app = sample.app();
    let access = Access { read_only: true, ..Access::full(app.scope.clone()) };
    let caller = Caller { access: std::sync::Arc::new(access), ..Caller::default() };
    let before = sample.state();
    let as_reader =
        |tool: &'static str, arguments: Value| call_as(&app, tool, arguments, caller.clone(), CancellationToken::new());
    for tool in ["check_basic", "check_story_elements", "noveler_check", "get_check_tasks"] {
        let reply: ToolReply = as_reader(tool, json!({"episode": 1})).await;
        assert!(!reply.is_error && reply.structured.get("status").is_none(), "{tool}: {}", reply.text);
        assert!(reply.structured.get("detailed_report_reference").is_none(), "{tool}");
        assert_eq!(reply.structured["persisted"], false, "{tool}");
    }
    refused(&app, &as_reader("noveler_check", json!({"episode": 1, "auto_fix": true})).await, &["READ_ONLY"]);
    assert_eq!(sample.state(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_staged_review_of_a_read_only_caller_continues_over_calls() {
    let sample = novel();
    let app = sample.app();
    let caller = |principal: &str| Caller {
        access: std::sync::Arc::new(Access {
            read_only: true,
            principal: principal.into(),
            ..Access::full(app.scope.clone())
        }),
        ..Caller::default()
    };
    let before = sample.state();
    let ask = |tool: &'static str, arguments: Value, principal: &str| {
        call_as(&app, tool, arguments, caller(principal), CancellationToken::new())
    };
    let begun = ask("get_check_tasks", json!({"episode": 1}), "reader").await;
    let id = begun.structured["session_id"].clone();
    for step in 1..=2 {
        let arguments = json!({"episode": 1, "session_id": id, "step_id": step, "judge": false});
        let done = ask("execute_check_step", arguments, "reader").await;
        assert!(!done.is_error && done.structured["persisted"] == false, "{}", done.text);
        assert_eq!(done.structured["session_id"], id);
    }
    let status = ask("get_check_status", json!({"session_id": id}), "reader").await;
    assert_eq!(status.structured["completed_steps"], json!([1, 2]), "{}", status.text);
    let other = ask("get_check_status", json!({"session_id": id}), "another").await;
    refused(&app, &other, &["S001"]);
    assert_eq!(sample.state(), before, "nothing is written to the project");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_check_without_judgements_is_known_and_gives_no_score() {
    let sample = novel();
    let said = done(&sample, "noveler_check", json!({"episode": 1, "judge": false})).await;
    assert!(said.get("overall_quality_score").is_none() && said.get("quality_score").is_none(), "{said}");
    let status = done(&sample, "status", json!({})).await;
    assert_eq!(status["quality_summary"]["method"], "not_evaluated");
    let next = texts(&status, "/next_suggested_actions", "tool");
    assert!(next.contains(&"noveler_complete") && !next.contains(&"noveler_check"), "{status}");
    done(&sample, "noveler_complete", json!({"episode": 1})).await;
    let record: Value = serde_json::from_str(&sample.read(".noveler/publish/episode_001/metadata.json")).unwrap();
    assert_eq!(record["quality"], json!({"method": "not_evaluated"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_eighteen_steps_check_mend_and_compare() {
    let sample = with(FAULTY);
    for step in 11..=17 {
        let said = done(&sample, "enhanced_execute_writing_step", json!({"episode": 1, "step_id": step})).await;
        let result = &said["result"];
        assert_eq!(result["status"], "completed", "{said}");
        // Stories are scored by judgements alone.
        let is_scored = result["review"]["quality_score"].is_f64();
        assert_eq!(is_scored, !matches!(step, 14 | 15 | 17), "{said}");
        assert!(!said["summary"].as_str().unwrap().contains(", ,"), "{said}");
    }
    assert!(!sample.read(FIRST).contains("..."), "step 16 fixes");
    let tasks = done(&sample, "enhanced_get_writing_tasks", json!({"episode": 1})).await;
    // The steps before the fix must be repeated; the fix and the steps after it apply to this text.
    let statuses = texts(&tasks, "/tasks", "status");
    assert_eq!(statuses[10..15], ["pending"; 5]);
    assert_eq!(statuses[15..17], ["completed"; 2]);
    assert_eq!(tasks["progress_percentage"], 11.1);
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_check_and_fix_as_they_are_typed() {
    let sample = with(FAULTY);
    let server = Server::start(sample.app()).await;
    let client = Stateless::new(&server);
    for (command, field) in [("check 1 --basic", "word_count_check"), ("check 第1話", "check_stages_completed")] {
        let said = client.call("noveler", json!({"command": command})).await.result()["structuredContent"].clone();
        assert!(said.get(field).is_some(), "{command}: {said}");
    }
    let fixed = done(&sample, "noveler_check", json!({"episode": 1, "auto_fix": true, "judge": false})).await;
    assert_eq!(fixed["auto_fix_applied"], true);
    assert!(fixed["fixed_issues_count"].as_u64().unwrap() >= 4, "{fixed}");
    assert!(fixed["backup_id"].is_string(), "{fixed}");
    // Invalid arguments are refused before the text is changed.
    let app = sample.app();
    let before = sample.state();
    let both = json!({"episode": 1, "auto_fix": true, "session_id": "check_20260131_100000_0a1b2c3d"});
    refused(&app, &call(&app, "noveler_check", both).await, &["INVALID_ARGUMENTS"]);
    assert_eq!(sample.state(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn thresholds_and_unwanted_words_are_the_novels_own() {
    let sample = with("　風が止んだ。魔王は笑った。港は静かだった。\n");
    let settings = "title: 題\nchecks:\n  forbidden: [魔王]\n  disabled: [single_sentence_paragraphs]\n  thresholds: {long_sentence.longest: 60}\n";
    sample.file("プロジェクト設定.yaml", settings);
    let said = done(&sample, "check_basic", json!({"episode": 1})).await;
    assert_eq!(texts(&said, "/forbidden_expressions/violations", "rule"), ["forbidden_expression"]);
    let app = sample.app();
    for (wrong, what) in [
        ("disabled: [no_such_rule]", "no_such_rule"),
        ("thresholds: {long_sentence.longest: 1000000}", "long_sentence.longest"),
        ("treshold: 1", "treshold"),
    ] {
        sample.file("プロジェクト設定.yaml", format!("title: 題\nchecks:\n  {wrong}\n"));
        let message = refused(&app, &call(&app, "check_basic", json!({"episode": 1})).await, &["P002"]);
        assert!(message.contains(what), "{message}");
    }
}

/// The texts of the three checks that ask for judgements contain their findings before the question.
#[tokio::test(flavor = "multi_thread")]
async fn the_text_of_a_check_that_asks_holds_its_results_first() {
    let sample = novel();
    let app = sample.app();
    for tool in ["noveler_check", "check_story_structure", "check_story_elements"] {
        let asked = call(&app, tool, json!({"episode": 1})).await;
        let told = call(&app, tool, json!({"episode": 1, "judge": false})).await;
        assert_eq!(asked.structured["status"], "needs_text");
        // Except the name of the session, and the way to continue it.
        let lines = told.text.lines().filter(|line| !line.contains("check_") && !line.starts_with("→"));
        let question = asked.structured["instruction"].as_str().unwrap();
        let at = asked.text.find(question).expect("the question");
        for line in lines {
            let found = asked.text.find(line);
            assert!(found.is_some_and(|found| found < at), "{tool}: {line:?} of\n{}", asked.text);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_file_that_a_check_names_is_there() {
    let sample = with("# 第一話\n\n　灯子は坂を下りた。\n");
    let tasks = done(&sample, "get_check_tasks", json!({"episode": 1})).await;
    let id = &tasks["session_id"];
    for (tool, arguments) in [
        ("check_basic", json!({"episode": 1})),
        ("check_story_structure", json!({"episode": 1})),
        ("check_story_elements", json!({"episode": 1, "judge": false})),
        ("noveler_check", json!({"episode": 1})),
        ("execute_check_step", json!({"episode": 1, "session_id": id, "step_id": 1})),
    ] {
        let reply = done(&sample, tool, arguments).await;
        let files = reply["files"].as_array().unwrap().iter();
        for file in files.chain([&reply["detailed_report_reference"]]) {
            sample.read(file.as_str().unwrap());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_score_has_a_place_or_a_number_and_a_method() {
    let sample = novel();
    let check = json!({"episode": 1, "judge": false, "verbose": true});
    let elements = done(&sample, "check_story_elements", check.clone()).await;
    let bare: Vec<&Value> = elements["all_items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|item| item.get("score").is_some() && item.get("value").is_none() && item.get("evidence").is_none())
        .map(|item| &item["item_id"])
        .collect();
    assert!(bare.is_empty(), "{bare:?}");
    for (name, category) in elements["a31_scores"].as_object().unwrap() {
        assert_eq!(category["method"], "not_evaluated", "{name}");
    }
    for (tool, of) in
        [("check_story_structure", "structure_analysis"), ("check_writing_expression", "expression_analysis")]
    {
        let mut arguments = check.clone();
        if tool == "check_writing_expression" {
            arguments.as_object_mut().unwrap().remove("judge");
        }
        let reply = done(&sample, tool, arguments).await;
        for (name, aspect) in reply[of].as_object().unwrap_or_else(|| panic!("{reply}")) {
            // A check without scored items reports issues or figures.
            let has_items = aspect.get("evidence").is_some()
                || aspect.get("figures").is_some()
                || matches!(name.as_str(), "naturalness" | "style_consistency");
            assert!(aspect.get("score").is_none() || has_items, "{name}: {aspect}");
        }
    }
}
