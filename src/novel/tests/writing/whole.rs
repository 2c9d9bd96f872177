//! Tests of a whole episode, interrupted at every possible point.

use fumi_base::text::Locale;
use fumi_novel::{
    manuscript::{Manuscript, ManuscriptOptions, ManuscriptPart},
    writing::{FileWrite, NextStep, STAGES, Workflow, WritingSessionStore, WritingStage, apply},
};

use super::{acts, answer, at, begun, disk, episode, good, material, question};

/// Returns all writes of a whole episode in order, and the finished workflow.
fn written() -> (Vec<FileWrite>, Workflow<'static>) {
    let material = Box::leak(Box::new(material()));
    let mut workflow = begun(material);
    let mut writes = vec![workflow.write()];
    let mut next = workflow.step(None, &at(0)).expect("a question").next;
    for seconds in 1.. {
        let NextStep::Ask(ask) = next else { break };
        let stepped = workflow.step(Some(answer(good(&ask))), &at(seconds)).expect("accepted");
        assert!(stepped.writes.last().expect("a session").path.starts_with(".noveler/sessions/"));
        writes.extend(stepped.writes);
        next = stepped.next;
    }
    (writes, workflow)
}

/// Replaces every hash in a session by `HASH`; the hashes are verified when the session is loaded.
fn without_hashes(session: &str) -> String {
    let is_hash = |word: &str| {
        matches!(word.len(), 12 | 64) && word.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    };
    let words = session.split_inclusive([' ', '-', '.', '\n']);
    let word = |word: &str| {
        let bare = word.trim_end_matches([' ', '-', '.', '\n']);
        if is_hash(bare) { word.replacen(bare, "HASH", 1) } else { word.to_owned() }
    };
    words.map(word).collect()
}

#[test]
fn ten_stages_make_the_expected_session_and_manuscript() {
    let (writes, mut workflow) = written();
    let expected = include_str!("../fixtures/session.yaml");
    let session = without_hashes(&writes.last().expect("a session").text);
    assert!(session == expected, "{session}");
    let NextStep::Done(done) = workflow.step(None, &at(0)).expect("the end").next else {
        panic!("stages are left");
    };
    let manuscript = &writes.iter().find(|write| write.path == done.manuscript.path).expect("written").text;
    let sample = acts().concat().replacen("海を止めに来た人ですか", "海をとめに来た人ですか", 1);
    assert_eq!(manuscript.trim_end(), sample.trim_end());
    let body =
        Manuscript::read(manuscript.as_str(), ManuscriptOptions::default()).count(ManuscriptPart::Body).characters;
    assert_eq!(done.characters, body);
    assert_eq!(done.title, done.summary);
    assert!(done.title.starts_with("梶みちる"));
    // 20 turn files, one file per stage, and the session before the first and after each turn.
    assert_eq!(writes.len(), 20 + STAGES + 21);
}

#[test]
fn recovery_from_any_prefix_of_writes_gives_the_same_result() {
    let (writes, whole) = written();
    let (root, project) = disk();
    let sessions = WritingSessionStore::new(project.clone());
    let id = whole.session().id().to_string();
    assert!(sessions.load(&id, episode()).is_err());
    let material = material();
    let mut last = None;
    for (number, write) in writes.iter().enumerate() {
        apply(&project, std::slice::from_ref(write)).expect("written");
        if write.path.starts_with(".noveler/sessions/") {
            last = Some(&write.text);
        }
        let recovered = sessions.load(&id, episode()).expect("a session");
        assert_eq!(recovered.lost, [], "{number}");
        // The recovered session is the last one that was written completely.
        assert_eq!(Some(&recovered.session.to_yaml()), last, "{number}");
        // Continuing from every point would take too long and show nothing new.
        if number % 7 == 0 {
            let mut workflow = Workflow::new(recovered.session, recovered.texts, &material, Locale::En);
            for seconds in 1.. {
                let step = workflow.step(None, &at(seconds)).expect("a question").next;
                let NextStep::Ask(ask) = step else { break };
                workflow.step(Some(answer(good(&ask))), &at(seconds)).expect("accepted");
            }
            let output = |of: &Workflow| of.session().output(WritingStage::LAST).expect("an output").clone();
            assert_eq!(output(&workflow), output(&whole), "{number}");
        }
    }
    drop(root);
}

#[test]
fn a_lost_or_changed_file_costs_its_stage_and_those_after_it() {
    let (writes, whole) = written();
    let (root, project) = disk();
    apply(&project, &writes).expect("written");
    let sessions = WritingSessionStore::new(project.clone());
    let id = whole.session().id().to_string();
    let file = |number| {
        let stage = WritingStage::from_number(number).expect("a stage");
        whole.session().output(stage).expect("an output").output_file.clone()
    };
    std::fs::write(root.path().join(file(9)), "changed").expect("written");
    let recovered = sessions.load(&id, episode()).expect("a session");
    assert_eq!(recovered.lost.len(), 2);
    assert_eq!(recovered.session.completed().len(), 8);
    std::fs::remove_file(root.path().join(file(3))).expect("removed");
    let recovered = sessions.load(&id, episode()).expect("a session");
    assert_eq!(recovered.lost.len(), 8);
    assert_eq!(recovered.session.current(), WritingStage::from_number(3));
    let material = material();
    let mut workflow = Workflow::new(recovered.session, recovered.texts, &material, Locale::Ja);
    let ask = question(&mut workflow);
    assert_eq!((ask.stage.number(), ask.submit.turn, ask.stale.len()), (3, 1, 8));
}

#[test]
fn lost_turn_is_repeated_alone() {
    let material = material();
    let mut workflow = begun(&material);
    let ask = question(&mut workflow);
    let writes = workflow.step(Some(answer(good(&ask))), &at(1)).expect("accepted").writes;
    let (root, project) = disk();
    apply(&project, &writes).expect("written");
    let id = workflow.session().id().to_string();
    let sessions = WritingSessionStore::new(project.clone());
    assert_eq!(sessions.load(&id, episode()).expect("a session").session.turns().len(), 1);
    std::fs::remove_file(root.path().join(&writes[0].path)).expect("removed");
    let recovered = sessions.load(&id, episode()).expect("a session");
    assert_eq!((recovered.lost.as_slice(), recovered.session.turns().len()), (&[ask.stage][..], 0));
}
