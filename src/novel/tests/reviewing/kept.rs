//! Tests of a review's files: manifest, JSON Lines, scores over time, judgements of one text.

use std::fs;

use fumi_novel::{
    checks::{CheckIssue, FixLevel, ProposedFix, Severity},
    errors::reviewing::ReviewError,
    reviewing::{
        IssueResolution, JudgementLine, ManuscriptReview, ReviewId, ReviewStore, ReviewSubject, STEPS, StepExecution,
        remove_old_reviews, review_step, scores,
    },
};

use super::{at, entry, episode, sample::copied};

const SHA: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn subject(episode: u32) -> ReviewSubject {
    ReviewSubject {
        episode, manuscript: "40_原稿/第001話.md".to_owned(), sha256: SHA.to_owned(), characters: 4_000
    }
}

fn execution(tool: &str, step: Option<u32>, seconds: u32, score: Option<f64>) -> StepExecution {
    StepExecution {
        step_id: step,
        tool: tool.to_owned(),
        executed_at: at(seconds),
        execution_time: 0.25,
        success: true,
        method: "host".to_owned(),
        quality_score: score,
        issues_found: 1,
        sha256: SHA.to_owned(),
        input_file: None,
        output_file: None,
    }
}

fn issue(id: &str, fix: Option<ProposedFix>) -> CheckIssue {
    CheckIssue {
        issue_id: id.to_owned(),
        rule: "ellipsis",
        severity: Severity::Low,
        line: 3,
        column: 5,
        span: (40, 43),
        excerpt: "猫が…".to_owned(),
        message: "三点リーダーが一つです。".to_owned(),
        suggestion: "二つ続けます。".to_owned(),
        fix,
        line_hash: "0123456789ab".to_owned(),
    }
}

fn id(random: u32) -> ReviewId {
    ReviewId::new(&at(random), random)
}

/// Records a review of an episode with one execution.
fn reviewed(reviews: &ReviewStore, of: u32, seconds: u32, score: f64) -> ManuscriptReview {
    let mut review = reviews.begin(id(seconds), subject(of), &at(seconds));
    let whole = execution("noveler_check", None, seconds, Some(score));
    review.record(subject(of), whole, &[], "{}").expect("recorded");
    review
}

#[test]
fn a_review_grows_with_its_steps_and_is_found_again() {
    let (folder, novel) = copied();
    let reviews = ReviewStore::new(novel.project().clone());
    let mut review = reviews.begin(id(1), subject(1), &at(1));
    // A review is not on the disk before its first step.
    assert_eq!(entry(&reviews.load(&id(1).to_string()).expect_err("unknown")), "REVIEW_NOT_FOUND");
    let fix =
        ProposedFix { level: FixLevel::Safe, before: "…".to_owned(), after: "……".to_owned(), confidence: 0.98 };
    let first = issue("B-1", Some(fix));
    review
        .record(subject(1), execution("check_basic", Some(2), 2, Some(90.0)), std::slice::from_ref(&first), "{\"a\":1}")
        .expect("recorded");
    let other = ReviewSubject { characters: 4_100, ..subject(1) };
    let again = [first, issue("B-2", None)];
    review.record(other.clone(), execution("check_basic", Some(1), 3, None), &again, "{}").expect("recorded");
    review.record(other.clone(), execution("check_basic", Some(2), 4, None), &again, "{}").expect("recorded");
    let found = reviews.load(&id(1).to_string()).expect("a review");
    assert_eq!(found.manifest(), review.manifest());
    let manifest = found.manifest();
    assert_eq!((manifest.completed_steps.as_slice(), manifest.executions), (&[1, 2][..], 3));
    assert_eq!((&manifest.subject, &manifest.created_at, &manifest.last_updated), (&other, &at(1), &at(4)));
    // An issue found again is stored once.
    let issues = found.issues().expect("lines");
    let ids: Vec<&str> = issues.iter().map(|line| line.issue_id.as_str()).collect();
    assert_eq!(ids, ["B-1", "B-2"]);
    let kept = issues[0].fix.as_ref().expect("a fix");
    assert_eq!((kept.level.as_str(), kept.before.as_str(), kept.after.as_str()), ("safe", "…", "……"));
    assert_eq!((issues[0].severity.as_str(), issues[0].span), ("low", (40, 43)));
    let executions = found.executions().expect("lines");
    let output = executions[0].output_file.as_deref().expect("an output");
    assert_eq!(fs::read_to_string(folder.path().join(output)).expect("a file"), "{\"a\":1}");
    assert_eq!(executions.iter().map(|one| one.step_id).collect::<Vec<_>>(), [Some(2), Some(1), Some(2)]);
    // A check of one aspect gives the episode no score.
    assert!(scores(novel.project()).expect("scores").is_empty());
}

#[test]
fn lines_that_cannot_be_read_are_passed_over_and_kept() {
    let (folder, novel) = copied();
    let reviews = ReviewStore::new(novel.project().clone());
    let mut review = reviews.begin(id(1), subject(1), &at(1));
    let path = folder.path().join(review.issues_path());
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(&path, "{\"issue_id\": \"cut o").expect("written");
    review.record(subject(1), execution("check_basic", None, 2, None), &[issue("B-1", None)], "{}").expect("recorded");
    assert_eq!(review.issues().expect("lines").len(), 1);
    let text = fs::read_to_string(&path).expect("text");
    assert!(text.starts_with("{\"issue_id\": \"cut o\n{") && text.ends_with("}\n"), "{text}");
    // A resolution states what was done; an empty list writes nothing.
    review.resolve(&[]).expect("nothing");
    let resolutions = path.with_file_name("issue_resolutions.jsonl");
    assert!(!resolutions.exists());
    let skipped = IssueResolution {
        issue_id: "B-1".to_owned(),
        resolved_at: at(3),
        resolution: "skipped".to_owned(),
        fix_level: "safe".to_owned(),
        before: None,
        after: None,
        reason: Some("no fix".to_owned()),
    };
    review.resolve(std::slice::from_ref(&skipped)).expect("written");
    let line = fs::read_to_string(&resolutions).expect("text");
    assert_eq!(serde_json::from_str::<IssueResolution>(&line).expect("a line"), skipped);
    // The same input is stored in one file.
    let input = review.store_input("manuscript", "猫が鳴いた。").expect("stored");
    assert_eq!(review.store_input("manuscript", "猫が鳴いた。").expect("stored"), input);
    assert_eq!(fs::read_to_string(folder.path().join(input)).expect("text"), "猫が鳴いた。");
}

#[test]
fn invalid_review_ids_are_rejected() {
    let (folder, novel) = copied();
    let reviews = ReviewStore::new(novel.project().clone());
    let review = reviews.begin(id(1), subject(1), &at(1));
    review.save_manifest().expect("written");
    let own = review.id().to_string();
    let home = folder.path().join(".noveler/checks");
    for unknown in ["", "../../プロジェクト設定.yaml", "check_20260131_100000_ffffffff"] {
        assert_eq!(entry(&reviews.load(unknown).expect_err(unknown)), "REVIEW_NOT_FOUND");
    }
    // A folder copied by hand contains the manifest of another review.
    let copy = id(2).to_string();
    fs::create_dir(home.join(&copy)).expect("a folder");
    fs::copy(home.join(&own).join("manifest.json"), home.join(&copy).join("manifest.json")).expect("copied");
    assert_eq!(entry(&reviews.load(&copy).expect_err("another's")), "REVIEW_NOT_FOUND");
    fs::write(home.join(&own).join("manifest.json"), "{\"version\": 1").expect("written");
    let broken = reviews.load(&own).expect_err("broken");
    assert!(matches!(&broken, ReviewError::ReviewBroken { path, .. } if path.contains(&own)), "{broken}");
    entry(&broken);
    // Neither broken folder hides the other reviews.
    reviewed(&reviews, 1, 9, 80.0);
    assert_eq!(reviews.history(episode(1), 10).expect("a history").len(), 1);
}

#[test]
fn a_history_is_of_one_episode_the_newest_first() {
    let (_folder, novel) = copied();
    let reviews = ReviewStore::new(novel.project().clone());
    assert!(reviews.history(episode(1), 10).expect("none").is_empty());
    for (of, seconds) in [(1, 1), (2, 2), (1, 3)] {
        reviewed(&reviews, of, seconds, 80.0);
    }
    // The oldest review is continued.
    let mut old = reviews.load(&id(1).to_string()).expect("a review");
    old.record(subject(1), execution("check_basic", Some(1), 8, None), &[], "{}").expect("recorded");
    let names = |limit| -> Vec<(ReviewId, String)> {
        let history = reviews.history(episode(1), limit).expect("a history");
        history.into_iter().map(|(id, one)| (id, one.executed_at.to_string())).collect()
    };
    let time = |seconds| at(seconds).to_string();
    assert_eq!(names(10), [(id(1), time(8)), (id(3), time(3)), (id(1), time(1))]);
    assert_eq!(names(2).len(), 2);
}

#[test]
fn scores_are_sorted_by_episode_and_time() {
    let (folder, novel) = copied();
    let reviews = ReviewStore::new(novel.project().clone());
    assert!(scores(novel.project()).expect("none").is_empty());
    for (of, seconds, score) in [(2, 1, 71.5), (1, 3, 88.0), (1, 2, 64.0)] {
        reviewed(&reviews, of, seconds, score);
    }
    // A file name of another form is skipped.
    fs::write(folder.path().join(".noveler/checks/scores/readme.json"), "{}").expect("written");
    let all = scores(novel.project()).expect("scores");
    let told: Vec<(u32, Option<f64>)> = all.iter().map(|one| (one.episode.number(), one.score)).collect();
    assert_eq!(told, [(1, Some(64.0)), (1, Some(88.0)), (2, Some(71.5))]);
    assert_eq!((&all[1].review, all[1].method.as_str()), (&id(3), "host"));
    assert!(all[0].is_of(SHA) && !all[0].is_of("ffff"));
    // A whole review without judgements is known and has no score.
    let mut review = reviews.begin(id(7), subject(1), &at(7));
    review.record(subject(1), execution("noveler_check", None, 7, None), &[], "{}").expect("recorded");
    let all = scores(novel.project()).expect("scores");
    assert_eq!((all.len(), all[2].score), (4, None));
}

#[test]
fn judgements_count_for_the_very_text_that_was_judged() {
    let (_folder, novel) = copied();
    let review = ReviewStore::new(novel.project().clone()).begin(id(1), subject(1), &at(1));
    let line = |item: &str, score, sha256: &str| JudgementLine {
        item_id: item.to_owned(),
        score,
        quotes: vec!["猫が鳴いた".to_owned()],
        comment: String::new(),
        method: "llm_provider".to_owned(),
        judged_at: at(2),
        sha256: sha256.to_owned(),
    };
    assert!(review.opinions(SHA).expect("none").judged.is_empty());
    review.keep_judgements(&[line("A31-001", 0.2, SHA), line("A31-002", 0.5, "ffff")]).expect("stored");
    review.keep_judgements(&[line("A31-001", 0.8, SHA)]).expect("stored");
    let opinions = review.opinions(SHA).expect("opinions");
    assert_eq!((opinions.judged.len(), opinions.unstable.as_slice()), (1, &["A31-001".to_owned()][..]));
    let judged = &opinions.judged["A31-001"];
    assert!((judged.judgement.score - 0.5).abs() < 1e-9);
    assert_eq!(judged.judgement.quotes, ["猫が鳴いた"]);
}

#[test]
fn a_staged_review_has_twelve_steps_in_four_phases() {
    let ids: Vec<u32> = STEPS.iter().map(|step| step.id).collect();
    assert_eq!(ids, (1..=12).collect::<Vec<_>>());
    let phases: Vec<&str> = STEPS.chunks(3).map(|part| part[0].phase.as_str()).collect();
    assert_eq!(phases, ["basic_quality", "story_quality", "structure_quality", "expression_quality"]);
    for part in STEPS.chunks(3) {
        assert!(part.iter().all(|step| step.phase == part[0].phase.as_str()));
    }
    assert_eq!(review_step(12).expect("the last").id, 12);
    assert!(review_step(0).is_none() && review_step(13).is_none());
    let (typing, rhythm) = (&STEPS[0], &STEPS[10]);
    assert!(typing.has_rule("repeated_word") && !typing.has_rule("long_sentence"));
    // A step without listed rules applies all rules of its groups.
    assert!(rhythm.has_rule("long_sentence"));
    assert!(STEPS.iter().all(|step| step.judged_items() <= step.items.len()));
}

/// Creates the folders of 700 reviews; the first 100 are judged, and the next has the newest score. Returns the number
/// of reviews left after another one begins.
fn left_beside(new: &ReviewId) -> usize {
    let (root, novel) = copied();
    let checks = root.path().join(".noveler/checks");
    let id = |number| ReviewId::new(&at(1), number);
    for number in (0..700).filter(|number| *number != 100) {
        let folder = checks.join(id(number).to_string());
        fs::create_dir_all(&folder).expect("a folder");
        let judgements = folder.join("judgements.jsonl");
        match number {
            // A link to itself: whether there are judgements is not known.
            0 => std::os::unix::fs::symlink("judgements.jsonl", judgements).expect("a link"),
            1..100 => fs::write(judgements, "").expect("written"),
            _ => {}
        }
    }
    let reviews = ReviewStore::new(novel.project().clone());
    let mut scored = reviews.begin(id(100), subject(1), &at(1));
    let whole = execution("noveler_check", None, 1, Some(80.0));
    scored.record(subject(1), whole, &[], "{}").expect("recorded");
    remove_old_reviews(novel.project(), new);
    assert!(reviews.load(&id(100).to_string()).is_ok());
    let names = fs::read_dir(checks).expect("exists").flatten();
    let is_review = |name: String| name.starts_with("check_").then_some(());
    names.filter_map(|entry| is_review(entry.file_name().into_string().ok()?)).count()
}

#[test]
fn old_reviews_are_removed_except_protected_ones() {
    assert_eq!(left_beside(&ReviewId::new(&at(2), 0)), 601);
}

#[test]
fn no_review_is_removed_while_names_are_in_the_future() {
    assert_eq!(left_beside(&ReviewId::new(&at(1), 300)), 700);
}
