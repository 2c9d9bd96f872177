//! Tests of rejected answers: each has its code and changes nothing.

use fumi_base::{errors::UserError, text::Locale};
use fumi_novel::{
    errors::writing::WritingError,
    project::EpisodeId,
    writing::{
        CONTENT_BYTES, NextStep, SessionTexts, StageRoute, TurnAnswer, Workflow, WritingSession, WritingSessionId,
        WritingSessionStore, WritingStage, apply,
    },
};

use super::{acts, answer, at, begun, disk, episode, good, material, question, stage, until};

/// Sends an answer that must be rejected without changing the session. Returns the code and the English sentence.
fn refused(workflow: &mut Workflow, answer: TurnAnswer) -> (String, String) {
    let before = workflow.session().clone();
    let error = workflow.step(Some(answer), &at(59)).expect_err("refused");
    assert_eq!(*workflow.session(), before);
    said(&error)
}

fn said(error: &WritingError) -> (String, String) {
    let lesson = error.error_message();
    (lesson.code.clone(), lesson.message.get(Locale::En).to_owned())
}

/// Returns the names of the criteria that an answer misses.
fn missed(workflow: &mut Workflow, content: &str) -> Vec<String> {
    let before = workflow.session().clone();
    let error = workflow.step(Some(answer(content)), &at(59)).expect_err("refused");
    assert_eq!(*workflow.session(), before);
    assert_eq!(said(&error).0, "S005");
    match error {
        WritingError::CriteriaMissed { misses, .. } => misses.into_iter().map(|miss| miss.criterion).collect(),
        other => panic!("{other}"),
    }
}

#[test]
fn unknown_stages_are_refused_with_the_known_ones() {
    for unknown in ["episode_design", "", "Plot_Data_Preparation", "write_manuscript_draft_2"] {
        let (code, sentence) = said(&WritingStage::parse(unknown).expect_err(unknown));
        assert_eq!(code, "S004");
        assert!(sentence.contains("design_emotional_flow"), "{sentence}");
    }
}

#[test]
fn stages_are_answered_in_their_order_and_turns_once() {
    let material = material();
    let mut workflow = begun(&material);
    let content = good(&question(&mut workflow));
    let of = |number, turn| TurnAnswer { stage: Some(stage(number)), turn, ..answer(content.clone()) };
    let (code, sentence) = refused(&mut workflow, of(4, None));
    assert_eq!(code, "S003");
    assert!(sentence.contains("plot_data_preparation, analyze_plot_structure, design_emotional_flow."), "{sentence}");
    assert_eq!(refused(&mut workflow, of(1, Some(2))).0, "INVALID_ARGUMENTS");
    workflow.step(Some(of(1, Some(1))), &at(1)).expect("accepted");
    // The same answer is sent again by a client that did not receive the reply.
    assert_eq!(refused(&mut workflow, of(1, Some(1))).0, "INVALID_ARGUMENTS");
    until(&mut workflow, stage(2), 1);
    let (code, sentence) = refused(&mut workflow, of(1, Some(1)));
    assert_eq!(code, "INVALID_ARGUMENTS");
    assert!(sentence.contains("analyze_plot_structure"), "{sentence}");
    assert_eq!(said(&workflow.feedback(stage(3), None, "x", &at(9)).expect_err("early")).0, "S003");
}

#[test]
fn every_missed_criterion_is_named() {
    let material = material();
    let mut workflow = begun(&material);
    assert_eq!(missed(&mut workflow, "承知しました。"), ["form", "remnants"]);
    assert_eq!(missed(&mut workflow, "premise: [1\nevents: 2"), ["form"]);
    assert_eq!(
        missed(&mut workflow, "premise: 短い\nevents: [a, b]\nnote: '```'"),
        ["key.premise", "key.events", "key.cast", "characters", "remnants"]
    );
    let all = good(&question(&mut workflow));
    assert_eq!(missed(&mut workflow, &all.replace("鯨井", "鈴木").replace("ふさ", "みね")), ["characters"]);
    // A later turn may correct an earlier key but not make it invalid.
    workflow.step(Some(answer(all)), &at(1)).expect("accepted");
    let second = good(&question(&mut workflow));
    assert_eq!(missed(&mut workflow, &format!("{second}cast: []\n")), ["key.cast"]);
    workflow
        .step(
            Some(answer(format!("{second}premise: あらためて、梶みちるが島に着き、こぶを見つけるまでの話\n"))),
            &at(2),
        )
        .expect("accepted");

    until(&mut workflow, stage(8), 1);
    let [first, middle, last] = acts();
    assert_eq!(missed(&mut workflow, ""), ["length"]);
    assert_eq!(missed(&mut workflow, &format!("{first}{middle}")), ["length"]);
    assert_eq!(missed(&mut workflow, &format!("続きを書きます。\n{first}")), ["remnants"]);
    workflow.step(Some(answer(first.clone())), &at(3)).expect("accepted");
    workflow.step(Some(answer(middle)), &at(4)).expect("accepted");
    let short: String = last.lines().take(2).collect();
    assert_eq!(missed(&mut workflow, &short), ["length"]);

    until(&mut workflow, stage(10), 1);
    let ask = question(&mut workflow);
    let last = good(&ask);
    assert_eq!(missed(&mut workflow, &last.replace("find: 海を止めに来た人ですか", "find: 海")), ["replacements"]);
    assert_eq!(
        missed(&mut workflow, &last.replace("find: 海を止めに来た人ですか", "find: そんな文はない")),
        ["replacements"]
    );
    let done = workflow.step(Some(answer(last)), &at(59)).expect("accepted").next;
    assert!(matches!(done, NextStep::Done(_)));
    assert_eq!(refused(&mut workflow, answer("x")).0, "INVALID_ARGUMENTS");
}

#[test]
fn missed_criteria_are_among_the_listed_ones() {
    let material = material();
    let mut workflow = begun(&material);
    let asked: Vec<String> =
        question(&mut workflow).criteria.iter().map(fumi_novel::writing::AnswerCriterion::name).collect();
    for name in missed(&mut workflow, "premise: 短い\nnote: '```'") {
        assert!(asked.contains(&name), "{name} is not in {asked:?}");
    }
}

#[test]
fn too_much_is_refused_before_it_is_read() {
    let material = material();
    let mut workflow = begun(&material);
    assert_eq!(refused(&mut workflow, answer("あ".repeat(CONTENT_BYTES / 3 + 1))).0, "FILE_TOO_LARGE");
    let error = workflow.feedback(stage(1), None, &"x".repeat(9_000), &at(1)).expect_err("too long");
    assert_eq!(said(&error).0, "FILE_TOO_LARGE");
    for _ in 0..200 {
        workflow.feedback(stage(1), None, "approved", &at(1)).expect("stored");
    }
    let error = workflow.feedback(stage(1), None, "approved", &at(1)).expect_err("too many");
    assert_eq!(error.entry(), "FEEDBACK_FULL");
}

#[test]
fn a_session_is_needed_known_and_of_its_episode() {
    let (_root, project) = disk();
    let sessions = WritingSessionStore::new(project.clone());
    let material = material();
    let mut workflow = begun(&material);
    apply(&project, &[workflow.write()]).expect("written");
    let id = workflow.session().id().to_string();
    assert!(sessions.required(stage(1), None, episode()).expect("a session is optional").is_none());
    assert!(sessions.required(stage(2), Some(&id), episode()).expect("an existing session").is_some());
    let code = |stage, id: Option<&str>, episode| said(&sessions.required(stage, id, episode).expect_err("refused")).0;
    assert_eq!(code(stage(2), None, episode()), "S002");
    for unknown in ["session_20250904_103000", "../../etc/passwd", ""] {
        assert_eq!(code(stage(2), Some(unknown), episode()), "S001");
    }
    assert_eq!(code(stage(2), Some(&id), EpisodeId::new(2).expect("a number")), "S001");
}

#[test]
fn the_open_session_of_an_episode_is_the_newest_unless_it_is_finished() {
    let (root, project) = disk();
    let sessions = WritingSessionStore::new(project.clone());
    let open = |number| {
        let found = sessions
            .open(EpisodeId::new(number).expect("a number"), |route| route == StageRoute::Whole)
            .expect("searched");
        found.map(|found| found.session.id().to_string())
    };
    assert_eq!(open(1), None);
    let material = material();
    let begin = |seconds, number| {
        let id = WritingSessionId::new(&at(seconds), 1);
        let session =
            WritingSession::new(StageRoute::Whole, id, EpisodeId::new(number).expect("a number"), None, &at(seconds));
        let mut workflow = Workflow::new(session, SessionTexts::new(), &material, Locale::Ja);
        apply(&project, &[workflow.write()]).expect("written");
        workflow
    };
    begin(1, 1);
    let mut new = begin(2, 1);
    let other = begin(3, 2).session().id().to_string();
    std::fs::write(root.path().join(".noveler/sessions/session_20250904_105900.yaml"), "version: [").expect("written");
    assert_eq!(open(1), Some(new.session().id().to_string()));
    assert_eq!((open(2), open(3)), (Some(other), None));
    while let NextStep::Ask(ask) = new.step(None, &at(4)).expect("a question").next {
        let writes = new.step(Some(answer(good(&ask))), &at(4)).expect("accepted").writes;
        apply(&project, &writes).expect("written");
    }
    assert_eq!(open(1), None, "the older session was abandoned for it");
}
