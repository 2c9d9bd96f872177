//! Pairs of facts that a proofreader wrote: which of them contradict each other for fumi, and which should.

use fumi_novel::{
    checks::{Severity, features::Cast},
    memory::{EpisodeState, StoryFact, StoryFactKind, compare_with_earlier},
    writing::UtcTime,
};
use serde::Deserialize;

/// Kind, about, the values in the first and in the second episode, and both quotations.
type Pair = (StoryFactKind, String, String, String, String, String);

#[derive(Deserialize)]
struct Pairs {
    honest: Vec<Pair>,
    contradicting: Vec<Pair>,
}

fn state(episode: u32, (kind, about, value, quote): (StoryFactKind, &str, &str, &str)) -> EpisodeState {
    let about = (!about.is_empty()).then(|| about.to_owned());
    EpisodeState {
        session_id: None,
        episode,
        sha256: String::new(),
        method: "host".to_owned(),
        recorded_at: UtcTime::parse("2026-01-01T00:00:00Z").expect("a time"),
        summary: "あらすじ。".to_owned(),
        facts: vec![StoryFact {
            kind,
            subject: "汐見澪".to_owned(),
            about,
            value: value.to_owned(),
            quote: quote.to_owned(),
        }],
        contradictions: Vec::new(),
    }
}

/// Returns the pairs that contradict each other at level medium or above.
fn contradicting(pairs: &[Pair]) -> Vec<String> {
    let is_reported = |(kind, about, one, two, quote, other): &&Pair| {
        let first = state(1, (*kind, about, one, quote));
        let found = compare_with_earlier(&state(2, (*kind, about, two, other)), &[first], &[], &Cast::default());
        found.iter().any(|one| one.severity >= Severity::Medium)
    };
    pairs.iter().filter(is_reported).map(|(_, about, one, two, ..)| format!("{about}: {one}/{two}")).collect()
}

#[test]
fn facts_that_exclude_each_other_are_told_from_those_that_do_not() {
    let pairs: Pairs = toml::from_str(include_str!("../serial/pairs.toml")).expect("pairs");
    let (wrong, right) = (contradicting(&pairs.honest), contradicting(&pairs.contradicting));
    println!("{} of {} honest: {wrong:#?}", wrong.len(), pairs.honest.len());
    println!("{} of {} contradicting: {right:#?}", right.len(), pairs.contradicting.len());
    assert!(wrong.len() <= 8, "{wrong:#?}");
    assert!(right.len() >= 20, "{right:#?}");
}
