//! Tests of session files, and of invariants after any sequence of answers, feedback and interruptions.

use fumi_base::{errors::UserError, text::Locale};
use fumi_novel::writing::{
    APPROVED, NextStep, SessionTexts, StageRoute, TurnAnswer, Workflow, WritingSession, WritingSessionStore,
    WritingStage, apply,
};
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed, TestRunner},
};

use super::{answer, at, begun, disk, episode, good, material, question, stage, until};

#[test]
fn the_file_of_the_specification_is_read_and_keeps_what_is_unknown() {
    let text = "\
version: 1
session_id: \"session_20250904_103000\"
created_at: \"2025-09-04T10:30:00Z\"
last_updated: 2025-09-04T10:35:30Z
episode: 1
current_stage: emotional_flow_design
total_stages: 10
completed_stages: [\"plot_data_preparation\"]
覚書: {色: 青, 数: [1, 2.5]}
stage_outputs:
  plot_data_preparation:
    output_file: \"a.yaml\"
    sha256: \"00\"
    characters: 3
    execution_time: 25.5
    quality_score: 81
    評: 良い
    turns:
      - {file: b, sha256: \"01\", execution_time: 1}
      - {file: c, sha256: \"02\", execution_time: 1}
  外の段階: [残す]
user_feedback:
  - stage: plot_structure_analysis
    feedback: approved
    timestamp: 2025-09-04T10:32:15Z
";
    let wrong = WritingSession::read("s.yaml", text).expect_err("a stage is left out").error_message();
    assert_eq!(wrong.code, "P002");
    assert!(wrong.message.get(Locale::En).contains("current_stage does not follow"), "{wrong:?}");
    let text = text.replace("emotional_flow_design", "analyze_plot_structure");
    let session = WritingSession::read("s.yaml", &text).expect("a session");
    let again = session.to_yaml();
    assert_eq!(WritingSession::read("s.yaml", &again).expect("a session"), session);
    for kept in ["覚書", "色: 青", "2.5", "評: 良い", "外の段階", "plot_structure"] {
        assert!(again.contains(kept), "{kept} is lost:\n{again}");
    }
    // Aliases are replaced by canonical names.
    assert_eq!(session.feedback()[0].stage, stage(2));
    for (from, to) in [
        ("version: 1", "version: 2"),
        ("total_stages: 10", "total_stages: 9"),
        ("episode: 1", "episode: 0"),
        ("[\"plot_data_preparation\"]", "[\"analyze_plot_structure\"]"),
        ("\n      - {file: c, sha256: \"02\", execution_time: 1}", ""),
    ] {
        assert!(text.contains(from), "{from}");
        let error = WritingSession::read("s.yaml", &text.replacen(from, to, 1)).expect_err(to);
        assert_eq!(error.error_message().code, "P002", "{to}");
    }
    assert_eq!(WritingSession::read("s.yaml", "").expect_err("empty").entry(), "BROKEN_SESSION");
}

#[test]
fn broken_yaml_tells_line_and_column() {
    let text = begun(&material()).write().text;
    let broken = text.replace("episode: 1", "episode: [1");
    let line = 1 + text.lines().position(|line| line.starts_with("episode: 1")).expect("an episode");
    let lesson = WritingSession::read("s.yaml", &broken).expect_err("broken").error_message();
    assert_eq!(lesson.code, "P002");
    let told =
        lesson.facts.iter().find(|(name, _)| *name == "line").expect("a line").1.en.parse::<usize>().expect("a number");
    assert!((line..=line + 1).contains(&told), "{told} is not near {line}");
    assert!(!lesson.facts.iter().any(|(name, value)| *name == "column" && value.en == "0"));
}

#[test]
fn feedback_is_used_when_a_stage_is_done_again_and_makes_later_ones_stale() {
    let material = material();
    let mut workflow = begun(&material);
    until(&mut workflow, stage(4), 2);
    workflow.feedback(stage(1), None, APPROVED, &at(1)).expect("stored");
    assert_eq!(question(&mut workflow).submit.turn, 2);
    let stepped = workflow.feedback(stage(2), None, "幕切れを静かに", &at(2)).expect("stored");
    let NextStep::Ask(ask) = &stepped.next else { panic!("it is done") };
    assert_eq!((ask.stage, ask.submit.turn), (stage(2), 1));
    assert!(ask.instruction.contains("幕切れを静かに"), "{}", ask.instruction);
    assert_eq!(ask.stale, [stage(2), stage(3)]);
    assert_eq!(workflow.session().completed(), [stage(1)]);
    until(&mut workflow, stage(3), 1);
    let ask = question(&mut workflow);
    assert_eq!(ask.stale, [stage(3)]);
    assert!(!ask.instruction.contains("幕切れを静かに"));
    // Context is cited with its present hash.
    let output = workflow.session().output(stage(2)).expect("an output");
    assert!(ask.context.iter().any(|cited| cited.path == output.output_file && cited.sha256 == output.sha256));
    assert!(ask.context.iter().any(|cited| cited.path.ends_with("第001話.yaml")));
}

#[test]
fn unknown_output_keys_survive_a_repeated_stage() {
    let material = material();
    let mut workflow = begun(&material);
    until(&mut workflow, stage(2), 1);
    let text = workflow.write().text;
    let noted = text.replacen("    characters:", "    評: 良い\n    characters:", 1);
    assert_ne!(noted, text);
    let session = WritingSession::read("s.yaml", &noted).expect("a session");
    let mut workflow = Workflow::new(session, SessionTexts::new(), &material, Locale::Ja);
    workflow.feedback(stage(1), None, "もう一度", &at(1)).expect("stored");
    until(&mut workflow, stage(2), 1);
    assert!(workflow.write().text.contains("評: 良い"));
    assert_eq!(workflow.session().stale().count(), 0);
}

/// An action on a session in a random test.
#[derive(Clone, Debug)]
enum Act {
    Good,
    Bad(String),
    Wrong(usize, usize),
    Feedback(usize, String),
    Restart,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        8 => Just(Act::Good),
        1 => "\\PC{0,30}|[-:#{}\\[\\]'\" \\na-z]{0,30}".prop_map(Act::Bad),
        1 => (1..=10_usize, 1..=3_usize).prop_map(|(stage, turn)| Act::Wrong(stage, turn)),
        1 => (1..=10_usize, "approved|\\PC{0,20}").prop_map(|(stage, said)| Act::Feedback(stage, said)),
        1 => Just(Act::Restart),
    ]
}

#[test]
fn any_sequence_keeps_the_session_sound_on_the_disk() {
    let material = material();
    let mut runner = TestRunner::new(Config {
        cases: 48,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(9),
        ..Config::default()
    });
    let run = runner.run(&prop::collection::vec(act(), 1..40), |acts| {
        let (_root, project) = disk();
        let sessions = WritingSessionStore::new(project.clone());
        let mut workflow = begun(&material);
        apply(&project, &[workflow.write()]).expect("written");
        let id = workflow.session().id().to_string();
        for (seconds, act) in acts.into_iter().enumerate() {
            let before = workflow.session().clone();
            let now = at(seconds);
            let made = match act {
                Act::Good => match workflow.step(None, &now).expect("a question").next {
                    NextStep::Ask(ask) => workflow.step(Some(answer(good(&ask))), &now),
                    NextStep::Done(_) => workflow.step(None, &now),
                },
                Act::Bad(content) => workflow.step(Some(answer(content)), &now),
                Act::Wrong(number, turn) => workflow
                    .step(Some(TurnAnswer { stage: Some(stage(number)), turn: Some(turn), ..answer("x: y") }), &now),
                Act::Feedback(number, said) => workflow.feedback(stage(number), None, &said, &now),
                Act::Restart => {
                    let recovered = sessions.load(&id, episode()).expect("a session");
                    prop_assert_eq!(&recovered.lost, &[]);
                    prop_assert_eq!(&recovered.session, workflow.session());
                    workflow = Workflow::new(recovered.session, recovered.texts, &material, Locale::En);
                    continue;
                }
            };
            if let Ok(stepped) = made {
                apply(&project, &stepped.writes).expect("written");
            } else {
                prop_assert_eq!(workflow.session(), &before);
            }
            let session = workflow.session();
            // Parsing checks every invariant of a session.
            prop_assert_eq!(&WritingSession::read("s", &session.to_yaml()).expect("sound"), session);
            let done: Vec<WritingStage> = StageRoute::Whole.stages().take(session.completed().len()).collect();
            prop_assert_eq!(session.completed(), done.as_slice());
            prop_assert_eq!(session.current(), StageRoute::Whole.stages().nth(done.len()));
        }
        Ok(())
    });
    run.unwrap_or_else(|error| panic!("{error}"));
}
