//! Tests of the short route: the questions, scenes as turns, lengths that are only reported, waived criteria, the style of
//! earlier episodes, and sessions on the disk.

use std::{fs, sync::Arc};

use fumi_base::text::Locale;
use fumi_novel::{
    errors::writing::WritingError,
    project::{EpisodeId, NovelSettings, WritingRoute},
    writing::{
        CallTime, FinishedText, NextStep, SessionAction, SessionSelector, SessionTexts, StageRoute, TurnAnswer,
        WaivedCriterion, Workflow, WritingMaterial, WritingService, WritingSession, WritingSessionId, WritingStage,
    },
};

use super::{acts, answer, at, episode, good, material, question, sample::copied};

fn begun(material: &WritingMaterial) -> Workflow<'_> {
    let id = WritingSessionId::new(&at(0), 1);
    let session = WritingSession::new(StageRoute::Short, id, episode(), None, &at(0));
    Workflow::new(session, SessionTexts::new(), material, Locale::Ja)
}

fn stage(name: &str) -> WritingStage {
    WritingStage::parse(name).expect("a stage")
}

fn until(workflow: &mut Workflow<'_>, step: &str) {
    for seconds in 1.. {
        let ask = question(workflow);
        if format!("{}:{}", ask.stage, ask.submit.turn) == step {
            return;
        }
        workflow.step(Some(answer(good(&ask))), &at(seconds)).expect("accepted");
    }
}

fn missed(workflow: &mut Workflow<'_>, content: &str) -> Vec<String> {
    match workflow.step(Some(answer(content)), &at(9)) {
        Err(WritingError::CriteriaMissed { misses, .. }) => misses.into_iter().map(|miss| miss.criterion).collect(),
        Ok(_) => Vec::new(),
        Err(error) => panic!("{error}"),
    }
}

/// Returns the shortest and the longest text that the question asks for.
fn bounds(workflow: &mut Workflow<'_>) -> (usize, usize) {
    let ask = question(workflow);
    let length = ask.criteria.iter().find(|one| one.name() == "length").expect("a length").sentence().ja;
    let numbers: Vec<usize> =
        length.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect();
    (numbers[0], numbers[1])
}

/// Returns a paragraph of narration with this many visible characters, which names everybody.
fn prose(characters: usize) -> String {
    let names = "梶みちると穂刈一平と穂刈徳次と鯨井ふさがいた。";
    let rest = characters.saturating_sub(names.chars().count());
    format!("　{names}{}\n", "波が来た。".chars().cycle().take(rest).collect::<String>())
}

#[test]
fn seven_questions_lead_from_the_plot_to_the_titled_manuscript() {
    let material = material();
    let mut workflow = begun(&material);
    let mut steps = Vec::new();
    let done: FinishedText = loop {
        match workflow.step(None, &at(0)).expect("a step").next {
            NextStep::Done(done) => break done,
            NextStep::Ask(ask) => {
                steps.push(format!("{}:{}/{}", ask.stage, ask.submit.turn, ask.submit.turns));
                workflow.step(Some(answer(good(&ask))), &at(steps.len())).expect("accepted");
            }
        }
    };
    let expected = [
        "plan_scenes:1/1",
        "write_scenes:1/3",
        "write_scenes:2/3",
        "write_scenes:3/3",
        "review_draft:1/1",
        "revise_passages:1/1",
        "choose_title:1/1",
    ];
    assert_eq!(steps, expected);
    let session = workflow.session();
    assert_eq!((session.completed().len(), session.current()), (5, None));
    // An empty line separates the scenes, and the replacement is made.
    let scenes = acts().map(|act| act.trim_end().to_owned()).join("\n\n");
    let text = scenes.replacen("海を止めに来た人ですか", "海をとめに来た人ですか", 1) + "\n";
    let output = session.output(stage("revise_passages")).expect("an output");
    assert_eq!(done.manuscript.sha256, output.sha256);
    assert_eq!(output.sha256, fumi_novel::references::ContentHash::from_bytes(text.as_bytes()).digits());
    assert_eq!(done.other_titles, ["梶みちる", "穂刈一平", "穂刈徳次", "鯨井ふさ"]);
    // The file of the session is read as it was written.
    assert_eq!(&WritingSession::read("s.yaml", &session.to_yaml()).expect("valid"), session);
}

#[test]
fn a_question_contains_what_its_answer_needs() {
    let material = material();
    let mut workflow = begun(&material);
    let ask = question(&mut workflow);
    for words in ["資料を読み", "12 枚まで", "全5段階の第1段階"] {
        assert!(ask.instruction.contains(words), "{words}\n{}", ask.instruction);
    }
    until(&mut workflow, "write_scenes:2");
    let ask = question(&mut workflow);
    for words in ["全3場面の2場面目", "place: 検潮所", "のうち "] {
        assert!(ask.instruction.contains(words), "{words}\n{}", ask.instruction);
    }
    let cited: Vec<&str> = ask.context.iter().map(|cited| &*cited.what.ja).collect();
    assert_eq!(cited, ["資料（プロット・文体・人物・設定・記録）", "場面の設計", "この段階の 1 回目"]);
    let wrong = format!("{}　的を得た答えだった。\n", good(&ask));
    workflow.step(Some(answer(wrong)), &at(30)).expect("accepted");
    until(&mut workflow, "review_draft:1");
    let ask = question(&mut workflow);
    let findings = ask.instruction.lines().filter(|line| line.starts_with("- ") && line.contains("的を得"));
    assert_eq!(findings.count(), 1, "{}", ask.instruction);
    assert!(ask.context.iter().all(|cited| cited.path.starts_with(".noveler/")), "{:?}", ask.context);
}

#[test]
fn lengths_of_scenes_follow_their_cards_and_a_quarter_is_only_reported() {
    let material = material();
    let mut workflow = begun(&material);
    until(&mut workflow, "write_scenes:1");
    let (from, to) = bounds(&mut workflow);
    assert!(from < to);
    // Far outside of the bounds an answer is refused, and nothing changes.
    assert_eq!(missed(&mut workflow, &prose(from / 2)), ["length"]);
    assert_eq!(missed(&mut workflow, &prose(to * 2)), ["length"]);
    assert_eq!(bounds(&mut workflow), (from, to));
    // Slightly outside it is accepted with a warning.
    let stepped = workflow.step(Some(answer(prose(from * 9 / 10))), &at(3)).expect("accepted");
    assert_eq!(stepped.warnings.len(), 1);
    assert_eq!(stepped.warnings[0].criterion, "length");
    // The second card is twice as long as the first.
    let (next, _) = bounds(&mut workflow);
    assert!(next > from * 3 / 2, "{next} {from}");
}

#[test]
fn a_criterion_is_waived_with_a_reason_that_is_kept() {
    let material = material();
    let mut workflow = begun(&material);
    until(&mut workflow, "write_scenes:1");
    for seconds in 2..=3 {
        let unnamed = format!("　{}\n", "波が来た。".repeat(bounds(&mut workflow).0 / 4 + 1));
        workflow.step(Some(answer(unnamed)), &at(seconds)).expect("accepted");
    }
    let waive = |criterion: &str| {
        vec![WaivedCriterion { criterion: criterion.to_owned(), reason: "名を明かさない".to_owned() }]
    };
    let unnamed = format!("　{}\n", "波が来た。".repeat(bounds(&mut workflow).0 / 4 + 1));
    assert_eq!(missed(&mut workflow, &unnamed), ["characters"]);
    // Only a criterion of this question can be waived.
    for other in ["key.scenes", "form", "人物"] {
        let answer = TurnAnswer { waive: waive(other), ..answer(unnamed.clone()) };
        let error = workflow.step(Some(answer), &at(4)).expect_err("refused");
        let WritingError::UnknownWaiver { known, .. } = error else { panic!("{error}") };
        assert_eq!(known, ["length", "characters", "remnants"]);
    }
    let given = TurnAnswer { waive: waive("characters"), ..answer(unnamed) };
    workflow.step(Some(given), &at(5)).expect("accepted");
    let written = workflow.session().output(stage("write_scenes")).expect("an output");
    assert_eq!(written.turns[2].waived, waive("characters"));
    assert!(workflow.session().to_yaml().contains("名を明かさない"));
    // The character stays unnamed in later stages too.
    until(&mut workflow, "revise_passages:1");
    workflow.step(Some(answer("replacements: []\n")), &at(8)).expect("accepted");
    // The structure that later questions need cannot be waived.
    let mut workflow = begun(&material);
    let answer = TurnAnswer { waive: waive("key.scenes"), ..answer("brief: 梶みちるが島に着く話") };
    assert!(matches!(workflow.step(Some(answer), &at(1)), Err(WritingError::UnknownWaiver { .. })));
}

#[test]
fn a_code_fence_around_an_answer_is_removed() {
    let material = material();
    let (mut plain, mut fenced) = (begun(&material), begun(&material));
    for seconds in 1..=7 {
        let ask = question(&mut plain);
        let content = good(&ask);
        plain.step(Some(answer(content.clone())), &at(seconds)).expect("accepted");
        let content = format!("```yaml\n{content}```\n");
        fenced.step(Some(answer(content)), &at(seconds)).expect("accepted");
    }
    assert_eq!(plain.session().to_yaml(), fenced.session().to_yaml());
}

#[test]
fn characters_may_speak_as_assistants_do() {
    let material = material();
    let mut workflow = begun(&material);
    until(&mut workflow, "write_scenes:1");
    let base = prose(bounds(&mut workflow).0 + 20);
    for good in [
        "「私はAIアシスタントとして作られました」と鯨井は言った。",
        "　彼女はAIアシスタントだった。",
        "以上、三点を確かめて、徳次は帳面を閉じた。",
        "　以下に、その手紙を写す。",
    ] {
        let mut workflow = begun(&material);
        until(&mut workflow, "write_scenes:1");
        assert_eq!(missed(&mut workflow, &format!("{base}{good}\n")), [""; 0], "{good}");
    }
    for bad in ["AI言語モデルとして、続きを書きます。", "以上です。", "承知しました。"] {
        assert_eq!(missed(&mut workflow, &format!("{base}{bad}\n")), ["remnants"], "{bad}");
    }
}

#[test]
fn scenes_planned_anew_are_written_anew() {
    let material = material();
    let mut workflow = begun(&material);
    until(&mut workflow, "review_draft:1");
    workflow.feedback(stage("plan_scenes"), None, "二場面で", &at(20)).expect("a step");
    let two = "brief: 梶みちると穂刈一平と穂刈徳次と鯨井ふさが、島で会うまでの話。\nscenes: [港, 浜]\n";
    workflow.step(Some(answer(two)), &at(21)).expect("accepted");
    let ask = question(&mut workflow);
    assert_eq!((ask.submit.turn, ask.submit.turns), (1, 2));
    assert_eq!(workflow.session().stale().collect::<Vec<_>>(), [stage("write_scenes")]);
    for (count, cards) in [(0, "[]"), (13, "[a, a, a, a, a, a, a, a, a, a, a, a, a]"), (1, "港"), (1, "['']")] {
        let mut workflow = begun(&material);
        let plan = two.replace("[港, 浜]", cards);
        assert_eq!(missed(&mut workflow, &plan), ["key.scenes"], "{count} {cards}");
    }
}

#[test]
fn a_remark_on_one_scene_repeats_it_and_keeps_the_scenes_before_it() {
    let material = material();
    let mut workflow = begun(&material);
    until(&mut workflow, "review_draft:1");
    workflow.feedback(stage("write_scenes"), Some(2), "二場面目を静かに", &at(20)).expect("a step");
    let ask = question(&mut workflow);
    assert_eq!((ask.stage, ask.submit.turn), (stage("write_scenes"), 2));
    assert!(ask.instruction.contains("二場面目を静かに"), "{}", ask.instruction);
    assert!(ask.context.iter().any(|cited| cited.what.ja == "この段階の前回の結果"), "{:?}", ask.context);
    workflow.step(Some(answer(good(&ask))), &at(21)).expect("accepted");
    // The next scene does not have the remark, and a scene that is not written cannot be remarked.
    assert!(!question(&mut workflow).instruction.contains("二場面目を静かに"));
    let error = workflow.feedback(stage("write_scenes"), Some(3), "x", &at(22)).expect_err("not written");
    assert!(matches!(error, WritingError::SceneNotWritten { asked: 3, written: 2, .. }), "{error}");
    // The same scene is not taken twice.
    let again = TurnAnswer { turn: Some(3), ..answer(acts()[1].clone()) };
    assert!(matches!(workflow.step(Some(again), &at(23)), Err(WritingError::AnswerTakenAlready { .. })));
}

#[test]
fn control_characters_and_empty_reasons_are_refused() {
    let material = material();
    let mut workflow = begun(&material);
    until(&mut workflow, "write_scenes:1");
    let base = prose(bounds(&mut workflow).0 + 20);
    for bad in ["\u{0}", "\u{1b}[31m", "\u{202e}", "\u{8}"] {
        assert_eq!(missed(&mut workflow, &format!("{base}　夜{bad}だ。\n")), ["remnants"], "{bad:?}");
    }
    for reason in ["", " \n", &"長".repeat(501)] {
        let waive = vec![WaivedCriterion { criterion: "length".to_owned(), reason: reason.to_owned() }];
        let given = TurnAnswer { waive, ..answer("　短い。\n") };
        assert!(matches!(workflow.step(Some(given), &at(3)), Err(WritingError::WaiverReason { .. })));
    }
    until(&mut workflow, "choose_title:1");
    let title = "titles: [a, b, c]\ntitle: \"あ\\0\"\nsummary: 梶みちるが帆待島の検潮所に着き、こぶを見つけるまで\n";
    assert_eq!(missed(&mut workflow, title), ["remnants"]);
}

fn now(seconds: usize) -> CallTime {
    let stamp = fumi_novel::backups::BackupTime::parse("20250904T103000Z").expect("a time");
    CallTime { moment: at(seconds), stamp, random: u32::try_from(seconds).expect("small") }
}

fn service(novel: &fumi_novel::project::NovelProject, number: u32) -> WritingService {
    let episode = EpisodeId::new(number).expect("a number");
    WritingService::new(Arc::clone(novel.project()), novel.clone(), episode, Locale::Ja).expect("a plot")
}

#[test]
fn the_settings_choose_the_route_and_an_open_session_goes_on_by_its_own() {
    let (folder, novel) = copied();
    let route = |which| service(&novel, 1).open(which, None, &now(1)).expect("a session").session().route();
    let any = SessionSelector::Latest(None);
    assert_eq!(route(any), StageRoute::Whole);
    let path = folder.path().join("プロジェクト設定.yaml");
    let settings = fs::read_to_string(&path).expect("settings") + "\nwriting_route: short\n";
    fs::write(&path, &settings).expect("written");
    assert_eq!(NovelSettings::read("s", &settings).expect("settings").writing_route, Some(WritingRoute::Short));
    assert_eq!(route(any), StageRoute::Short);
    assert_eq!(route(SessionSelector::Latest(Some(StageRoute::Whole))), StageRoute::Whole);
    assert_eq!(route(SessionSelector::New(None)), StageRoute::Short);
    // A session of ten stages, begun before, is continued.
    let desk = service(&novel, 1);
    let opened = desk.open(SessionSelector::New(Some(StageRoute::Whole)), None, &now(2)).expect("a new session");
    let begun = desk.run_step(opened, SessionAction::Peek, "t", false, &now(2)).expect("a step");
    let found = desk.open(any, None, &now(3)).expect("the session");
    assert_eq!((found.session().id(), found.is_new), (begun.session.id(), false));
    // Another route is named as an error, and a restart keeps the route of the session.
    let other = desk.open(SessionSelector::Latest(Some(StageRoute::Short)), None, &now(3)).expect_err("another route");
    assert!(matches!(other, WritingError::OtherRoute { route: "ten_stages", .. }), "{other}");
    assert_eq!(route(SessionSelector::New(None)), StageRoute::Whole);
    fs::write(&path, settings.replace("writing_route: short", "writing_route: 三段階")).expect("written");
    let error = WritingService::new(Arc::clone(novel.project()), novel.clone(), episode(), Locale::Ja);
    let error = error.expect_err("an unknown route").to_string();
    assert!(error.contains("ten_stages") && error.contains("short"), "{error}");
}

#[test]
fn a_damaged_scene_is_written_again_and_the_scenes_before_it_stay() {
    let (folder, novel) = copied();
    let desk = service(&novel, 1);
    let opened = desk.open(SessionSelector::New(Some(StageRoute::Short)), None, &now(0)).expect("a new session");
    let mut worked = desk.run_step(opened, SessionAction::Peek, "t", false, &now(0)).expect("a step");
    let id = worked.session.id().to_string();
    for seconds in 1..=3 {
        let NextStep::Ask(ask) = &worked.next else { panic!("a question") };
        let act = SessionAction::Answer(answer(good(ask)));
        let opened = desk.open(SessionSelector::Named(&id), None, &now(seconds)).expect("the session");
        worked = desk.run_step(opened, act, "t", false, &now(seconds)).expect("accepted");
    }
    let turn = &worked.session.turns()[1].file;
    fs::write(folder.path().join(turn), "別の文章").expect("damaged");
    let found = desk.open(SessionSelector::Named(&id), None, &now(9)).expect("the session");
    assert_eq!((found.session().turns().len(), found.lost.as_slice()), (1, &[stage("write_scenes")][..]));
}

#[test]
fn the_style_of_the_last_episode_and_its_worn_phrases_reach_the_writer() {
    let (folder, novel) = copied();
    // The second episode follows the first; a phrase that the first overuses is named.
    let first = folder.path().join("40_原稿/第001話_こぶとえくぼ.md");
    let text = fs::read_to_string(&first).expect("a manuscript");
    fs::write(&first, text + &"　古い橋の真ん中で待っていた。\n".repeat(5)).expect("written");
    let desk = service(&novel, 2);
    let opened = desk.open(SessionSelector::New(Some(StageRoute::Short)), None, &now(0)).expect("a new session");
    let worked = desk.run_step(opened, SessionAction::Peek, "t", false, &now(0)).expect("a step");
    let NextStep::Ask(ask) = &worked.next else { panic!("a question") };
    let prompt = fs::read_to_string(folder.path().join(&ask.context[0].path)).expect("the material");
    for words in ["文体の手本は 40_原稿/第001話_こぶとえくぼ.md", "文末は", "橋の真ん中で待っ"]
    {
        assert!(prompt.contains(words), "{words}\n{prompt}");
    }
    // The settings may name another sample.
    let settings = folder.path().join("プロジェクト設定.yaml");
    let text = fs::read_to_string(&settings).expect("settings") + "\nstyle_sample: 手本.md\nstyle_preset: bunko\n";
    fs::write(&settings, text.replacen("style_preset: bunko\n", "", 1)).expect("written");
    fs::write(folder.path().join("手本.md"), "　朝です。波が来ました。".repeat(20)).expect("written");
    let plan = service(&novel, 2).plan(StageRoute::Whole, None, &now(0));
    let draft = plan.iter().find(|turn| turn.stage == WritingStage::DRAFT).expect("a turn");
    assert!(
        draft.instruction.contains("文体の手本は 手本.md") && draft.instruction.contains("です・ます調"),
        "{}",
        draft.instruction
    );
}
