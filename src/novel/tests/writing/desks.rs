//! Tests of complete calls on the disk: starting and finding sessions, taking answers, placing manuscripts.

use std::{collections::BTreeSet, fs, sync::Arc};

use fumi_base::{errors::UserError, text::Locale};
use fumi_novel::{
    backups::{BackupTime, Backups},
    change_set,
    manuscript::{Manuscript, ManuscriptOptions, ManuscriptPart},
    project::{EpisodeId, EpisodePlot, NovelProject},
    references::ContentHash,
    writing::{
        AnswerCriterion, CONTENT_BYTES, CallTime, NextStep, OpenedSession, SessionAction, SessionSelector, StageRoute,
        StepOutcome, WholeEpisodeRequest, WritingMaterial, WritingService, WritingStage, manuscript, place_manuscript,
        plot_of,
    },
};

use super::{acts, answer, at, episode, good, sample::copied, stage};

const MANUSCRIPT: &str = "40_原稿/第001話_こぶとえくぼ.md";

fn now(seconds: usize) -> CallTime {
    CallTime { moment: at(seconds), stamp: stamp(), random: u32::try_from(seconds).expect("small") }
}

fn stamp() -> BackupTime {
    BackupTime::parse("20250904T103000Z").expect("a time")
}

fn desk(novel: &NovelProject) -> WritingService {
    WritingService::new(Arc::clone(novel.project()), novel.clone(), episode(), Locale::Ja).expect("a plot")
}

fn answered(desk: &WritingService, id: &str, content: String, places_draft: bool, seconds: usize) -> StepOutcome {
    let opened = desk.open(SessionSelector::Named(id), None, &now(seconds)).expect("an existing session");
    desk.run_step(opened, SessionAction::Answer(answer(content)), "write_step", places_draft, &now(seconds))
        .expect("accepted")
}

fn look(desk: &WritingService, opened: OpenedSession) -> StepOutcome {
    desk.run_step(opened, SessionAction::Peek, "look", false, &now(59)).expect("a step")
}

#[test]
fn a_session_is_begun_answered_and_delivered_over_the_manuscript_that_was_there() {
    let (folder, novel) = copied();
    let old = fs::read(folder.path().join(MANUSCRIPT)).expect("the sample's");
    let desk = desk(&novel);
    let opened = desk.open(SessionSelector::New(Some(StageRoute::Whole)), None, &now(0)).expect("a new session");
    assert!(opened.is_new);
    let begun = look(&desk, opened);
    assert!(begun.is_new && begun.delivered.is_none());
    let id = begun.session.id().to_string();
    assert_eq!(begun.written.len(), 1);
    let mut next = begun.next;
    let mut places = Vec::new();
    let mut last = None;
    for seconds in 1.. {
        let NextStep::Ask(ask) = next else { break };
        let worked = answered(&desk, &id, good(&ask), true, seconds);
        assert!(!worked.is_new && worked.lost.is_empty());
        // The prompt is stored beside the answer, unchanged.
        let traced = worked.trace.last().expect("an entry");
        assert_eq!((traced.stage, traced.turn), (ask.stage, ask.submit.turn));
        let asked = fs::read_to_string(folder.path().join(&traced.prompt_file)).expect("the question");
        assert_eq!(asked, ask.instruction);
        assert_eq!(worked.trace.len(), seconds);
        // A draft is placed when it is complete, and stays until the text is finished.
        let is_drafted = worked.session.output(WritingStage::DRAFT).is_some();
        assert_eq!(worked.delivered.is_some(), is_drafted, "{seconds}");
        places.extend(worked.delivered.iter().map(|placed| placed.backup.is_some()));
        last = worked.delivered;
        next = worked.next;
    }
    let delivered = last.expect("a manuscript");
    assert_eq!(delivered.path, MANUSCRIPT);
    // Backups are made when the file changes: of the sample before the draft, and of the draft before the finished
    // text.
    assert_eq!(places.iter().filter(|is_backed_up| **is_backed_up).count(), 2);
    assert_eq!((places[0], places.last()), (true, Some(&true)));
    let text = fs::read_to_string(folder.path().join(MANUSCRIPT)).expect("the manuscript");
    assert_eq!(ContentHash::from_bytes(text.as_bytes()).digits(), delivered.sha256);
    assert!(text.starts_with("# 第1話　梶みちる") && text.contains("海をとめに来た人ですか"), "{text}");
    let backups = Backups::new(Arc::clone(novel.project()), &novel.names().backups);
    let (kept, broken) = backups.list().expect("backups");
    assert_eq!((kept.len(), broken.len()), (2, 0));
    let of_old = ContentHash::from_bytes(&old);
    assert!(kept.iter().any(|backup| backup.files[0].sha256 == of_old.digits()));
    // Peeking at a finished session writes nothing and returns the existing manuscript.
    let again = look(&desk, desk.open(SessionSelector::Named(&id), None, &now(58)).expect("exists"));
    assert!(matches!(again.next, NextStep::Done(_)) && again.written.is_empty());
    let there = again.delivered.expect("a manuscript");
    assert_eq!((there.sha256, there.backup), (delivered.sha256, None));
    // A finished session is no longer open.
    assert!(desk.open(SessionSelector::Open(StageRoute::Whole), None, &now(57)).expect("another").is_new);
}

#[test]
fn a_draft_alone_makes_the_manuscript_of_an_episode_without_one() {
    let (folder, novel) = copied();
    fs::remove_file(folder.path().join(MANUSCRIPT)).expect("removed");
    let desk = desk(&novel);
    let opened = desk.open(SessionSelector::Open(StageRoute::Draft), None, &now(0)).expect("a new session");
    let mut worked = look(&desk, opened);
    assert_eq!(worked.session.route(), StageRoute::Draft);
    let id = worked.session.id().to_string();
    for seconds in 1.. {
        let NextStep::Ask(ask) = &worked.next else { break };
        assert_eq!(ask.stage, WritingStage::DRAFT);
        assert!(worked.delivered.is_none());
        let content = good(ask);
        worked = answered(&desk, &id, content, false, seconds);
    }
    let placed = worked.delivered.expect("a manuscript");
    assert_eq!(placed.backup, None);
    let text = fs::read_to_string(folder.path().join(&placed.path)).expect("the manuscript");
    assert_eq!(text.split_once("\n\n").expect("a heading").1.trim(), acts().concat().trim());
    // After the file was removed by hand, the session is still finished but has no manuscript.
    fs::remove_file(folder.path().join(&placed.path)).expect("removed");
    let again = look(&desk, desk.open(SessionSelector::Named(&id), None, &now(58)).expect("exists"));
    assert!(matches!(again.next, NextStep::Done(_)) && again.delivered.is_none());
}

#[test]
fn feedback_a_stage_done_again_and_a_new_length_are_kept() {
    let (folder, novel) = copied();
    let desk = desk(&novel);
    let mut worked =
        look(&desk, desk.open(SessionSelector::Open(StageRoute::Whole), None, &now(0)).expect("a new session"));
    let id = worked.session.id().to_string();
    for seconds in 1.. {
        let NextStep::Ask(ask) = &worked.next else { panic!("done") };
        if ask.stage == stage(3) {
            break;
        }
        let content = good(ask);
        worked = answered(&desk, &id, content, false, seconds);
    }
    let open = |target| {
        let opened = desk.open(SessionSelector::Open(StageRoute::Whole), target, &now(59)).expect("open");
        assert_eq!(opened.session().id().to_string(), id);
        opened
    };
    // The same length changes nothing.
    assert!(look(&desk, open(None)).written.is_empty());
    let longer = look(&desk, open(Some(9_000)));
    assert_eq!((longer.written.len(), longer.session.word_count_target()), (1, Some(9_000)));
    assert!(look(&desk, open(Some(9_000))).written.is_empty());
    let act = SessionAction::Feedback(stage(2), None, "もっと静かに".to_owned());
    let said = desk.run_step(open(None), act, "feedback", false, &now(59)).expect("remarked");
    assert_eq!(said.session.feedback().len(), 1);
    let again =
        desk.run_step(open(None), SessionAction::Repeat(stage(2)), "feedback", false, &now(59)).expect("reopened");
    let NextStep::Ask(ask) = again.next else { panic!("done") };
    assert_eq!(ask.stage, stage(2));
    assert!(ask.instruction.contains("もっと静かに"), "{}", ask.instruction);
    assert_eq!(open(None).session().current(), Some(stage(2)));
    let early =
        desk.run_step(open(None), SessionAction::Repeat(stage(5)), "feedback", false, &now(59)).expect_err("early");
    assert_eq!(early.error_message().code, "S003");
    // A lost output is reported, and the session is written.
    let output = open(None).session().output(stage(1)).expect("done").output_file.clone();
    fs::remove_file(folder.path().join(output)).expect("removed");
    let lost = look(&desk, open(None));
    assert_eq!((lost.lost.first(), lost.written.len()), (Some(&stage(1)), 1));
    assert!(look(&desk, open(None)).lost.is_empty());
}

#[test]
fn a_plan_has_every_question_and_writes_nothing() {
    let (folder, novel) = copied();
    let desk = desk(&novel);
    for (route, turns) in [(StageRoute::Whole, 20), (StageRoute::Draft, 3)] {
        let planned = desk.plan(route, Some(6_000), &now(0));
        assert_eq!(planned.len(), turns);
        for one in &planned {
            assert!(one.turn >= 1 && one.instruction.contains("第1話"), "{}: {}", one.stage.name(), one.instruction);
        }
    }
    assert_eq!(desk.material().cast.len(), 4);
    assert!(!folder.path().join(".noveler").exists());
}

#[test]
fn ambiguous_manuscript_is_never_overwritten() {
    let (folder, novel) = copied();
    let desk = desk(&novel);
    let id =
        look(&desk, desk.open(SessionSelector::New(Some(StageRoute::Draft)), None, &now(0)).expect("a new session"))
            .session
            .id()
            .to_string();
    fs::write(folder.path().join("40_原稿/第001話_別.md"), "別の原稿").expect("written");
    for (turn, content) in acts().into_iter().enumerate() {
        let opened = desk.open(SessionSelector::Named(&id), None, &now(turn)).expect("exists");
        let done = desk.run_step(opened, SessionAction::Answer(answer(content)), "write_draft", turn == 2, &now(turn));
        assert_eq!(done.is_ok(), turn < 2, "{turn}");
        if let Err(error) = done {
            let said = error.error_message().message;
            assert!(said.get(Locale::Ja).contains("第001話_別.md"), "{said:?}");
        }
    }
    // The rejected answer wrote nothing.
    let opened = desk.open(SessionSelector::Named(&id), None, &now(9)).expect("exists");
    assert_eq!(opened.session().turns().len(), 2);
    let unknown =
        desk.open(SessionSelector::Named("session_20250904_103000_00000000x"), None, &now(9)).expect_err("unknown");
    assert!(!unknown.error_message().message.get(Locale::En).is_empty());
}

#[test]
fn a_manuscript_has_a_heading_and_is_placed_once() {
    let number = |number| EpisodeId::new(number).expect("a number");
    assert_eq!(manuscript(number(4), " ", "猫。\n\n\n"), "# 第4話\n\n猫。\n");
    assert_eq!(manuscript(number(4), "一\n二", "猫。"), "# 第4話　一 二\n\n猫。\n");
    let (folder, novel) = copied();
    let place = |text| {
        let placed = place_manuscript(novel.project(), &novel, number(4), "猫の話", text, &stamp());
        let (delivered, change) = placed.expect("placed");
        change_set::apply(novel.project(), None, change.into_iter().collect()).expect("written");
        delivered
    };
    let first = place("猫。");
    assert_eq!((first.path.as_str(), first.backup), ("40_原稿/第004話_猫の話.md", None));
    assert_eq!(place("猫。").backup, None);
    let second = place("犬。");
    assert_eq!(second.path, first.path);
    assert!(second.backup.is_some() && second.sha256 != first.sha256);
    assert_eq!(fs::read_to_string(folder.path().join(&second.path)).expect("text"), "犬。");
}

#[test]
fn an_episode_at_once_is_asked_with_its_whole_plot_and_judged_like_a_manuscript() {
    let (_folder, novel) = copied();
    let material = WritingMaterial::gather(&novel, episode()).expect("a plot");
    for locale in [Locale::En, Locale::Ja] {
        let once = WholeEpisodeRequest { episode: episode(), material: &material, target: None, locale };
        let asked = once.instruction("  {plot} の中身 {min}\n", &at(0));
        // Placeholders inside plot text are not filled.
        assert!(asked.contains("{plot} の中身 {min}"), "{asked}");
        assert!(asked.contains("潮のほまち") && asked.contains("梶みちる"), "{asked}");
        assert_eq!(asked.matches('{').count(), 2, "{asked}");
        assert_eq!(once.context().len(), material.references.len());
    }
    let nothing = WritingMaterial::default();
    let once = |target, material| WholeEpisodeRequest { episode: episode(), material, target, locale: Locale::Ja };
    let names = |once: &WholeEpisodeRequest| once.criteria().iter().map(AnswerCriterion::name).collect::<Vec<_>>();
    assert_eq!(names(&once(None, &material)), ["length", "characters", "remnants"]);
    assert_eq!(names(&once(None, &nothing)), ["length", "remnants"]);
    let text = acts().concat();
    let taken = once(None, &material).accept(&format!("{text}\n\n\n")).expect("taken");
    let read = Manuscript::read(taken.text.as_str(), ManuscriptOptions::default());
    assert_eq!(taken.text, format!("{}\n", text.trim_end()));
    assert_eq!(taken.characters, read.count(ManuscriptPart::Body).characters);
    for (content, target, code) in [
        (text.clone(), Some(40_000), "S005"),
        ("短い。".to_owned(), None, "S005"),
        (format!("承知しました。\n\n{text}"), None, "S005"),
    ] {
        let error = once(target, &material).accept(&content).expect_err("refused");
        assert_eq!(error.error_message().code, code);
    }
    let large = once(None, &material).accept(&"あ".repeat(CONTENT_BYTES / 3 + 1));
    assert_ne!(large.expect_err("too large").error_message().code, "S005");
}

#[test]
fn a_plot_may_be_yaml_or_a_text_in_own_words() {
    let yaml = plot_of("episode_info:\n  title: 灯台\nkey_events: [猫が来る]\n");
    assert_eq!(yaml.episode_info.title.as_deref(), Some("灯台"));
    assert_eq!(yaml.events(), ["猫が来る"]);
    for words in ["  猫が来て、去る。\n", "猫: [", ""] {
        let plot = plot_of(words);
        assert_eq!(plot.synopsis.as_deref(), Some(words.trim()));
        assert_eq!(plot.episode_info, EpisodePlot::default().episode_info);
    }
}

#[test]
fn a_project_has_prompts_of_its_own_by_stage_and_by_turn() {
    let (folder, novel) = copied();
    let write =
        |name: &str, text: &str| fs::write(folder.path().join("60_プロンプト").join(name), text).expect("written");
    let draft = WritingStage::DRAFT;
    write(&format!("{}.md", draft.name()), "## 1\n第{episode}話の頭だけを。\n\n## 2\n真ん中を。\n");
    write(&format!("{}.md", stage(2).name()), "どの問いにも同じ言葉を。\n");
    write("no_stage.md", "だれも読まない。");
    fs::write(folder.path().join("30_設定集/壊れた.yaml"), "a: [").expect("written");
    let desk = desk(&novel);
    assert_eq!(desk.material().prompts.len(), 2);
    // An unreadable file is reported and has no other effect.
    let faults: Vec<String> = desk.material().faults.iter().map(ToString::to_string).collect();
    assert!(faults.len() == 1 && faults[0].contains("壊れた.yaml"), "{faults:?}");
    assert!(desk.material().cast.iter().any(|member| !member.aliases.is_empty()));
    let planned = desk.plan(StageRoute::Whole, None, &now(0));
    let asked = |of: WritingStage, turn| {
        let one = planned.iter().find(|one| (one.stage, one.turn) == (of, turn));
        one.expect("planned").instruction.as_str()
    };
    assert!(asked(draft, 1).contains("第1話の頭だけを。") && !asked(draft, 1).contains("真ん中"));
    assert!(asked(draft, 2).contains("真ん中を。"));
    // A turn without a section in the project's prompt uses the built-in prompt.
    let (_other, plain) = copied();
    let plain = self::desk(&plain).plan(StageRoute::Draft, None, &now(0));
    assert_eq!(asked(draft, 3), plain[2].instruction);
    for turn in 1..=stage(2).turns().len() {
        assert!(asked(stage(2), turn).contains("どの問いにも同じ言葉を。"), "{turn}");
    }
    assert!(planned.iter().all(|one| !one.instruction.contains("だれも読まない")));
}

#[test]
fn every_criterion_says_in_both_languages_what_it_asks() {
    let (_folder, novel) = copied();
    let material = WritingMaterial::gather(&novel, episode()).expect("a plot");
    let mut workflow = super::begun(&material);
    let mut names = BTreeSet::new();
    for seconds in 1.. {
        let step = workflow.step(None, &at(seconds)).expect("a question").next;
        let NextStep::Ask(ask) = step else { break };
        assert!(!ask.criteria.is_empty());
        for criterion in &ask.criteria {
            let said = criterion.sentence();
            assert!(!said.en.is_empty() && said.en != said.ja, "{said:?}");
            match criterion {
                AnswerCriterion::Key(key) => {
                    assert!(said.en.contains(&key.name) && said.en.contains(&*key.meaning.en), "{said:?}");
                    assert!(said.ja.contains(&key.name) && said.ja.contains(&*key.meaning.ja), "{said:?}");
                }
                AnswerCriterion::Length { from, to } | AnswerCriterion::WholeLength { from, to } => {
                    assert!(from < to && said.en.contains(&format!("{from} to {to}")), "{said:?}");
                }
                AnswerCriterion::Characters(cast) => assert!(said.ja.contains(&cast[0].name), "{said:?}"),
                AnswerCriterion::Form | AnswerCriterion::Remnants => {}
            }
            names.insert(criterion.name().split('.').next().unwrap_or_default().to_owned());
        }
        let content = good(&ask);
        workflow.step(Some(answer(content)), &at(seconds)).expect("accepted");
    }
    assert_eq!(Vec::from_iter(names), ["characters", "form", "key", "length", "remnants"]);
}
