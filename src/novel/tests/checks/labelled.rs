//! Tests of measured items and of rules on labelled texts: an item is scored by measuring only if it ranks good texts
//! above bad ones, and rules find more in texts with more faults.
//!
//! The texts are in `labelled/`: the beginnings of 24 public-domain works, and 16 texts of our own in four classes.
//! `cargo nextest run --release --workspace --no-capture -E 'test(checks::labelled)'` prints the ranks.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use fumi_novel::checks::{
    Finding, NovelContext, RuleGroup, Score, Severity, Tuning,
    items::{EvaluationKind, ITEMS},
    run_rules,
};
use serde::Deserialize;

use super::with_material;

/// The smallest probability that a good text scores above a bad one for an item to be scored.
const RANKS: f64 = 0.75;

#[derive(Deserialize)]
struct Labels {
    bad: BTreeMap<String, Vec<String>>,
    with_files: WithFiles,
}

#[derive(Deserialize)]
struct WithFiles {
    items: BTreeSet<String>,
}

/// A labelled text with the measured scores of all items and the score of the rules.
struct Labelled {
    name: String,
    /// `literature`, `good`, `mediocre`, `cliche` or `broken`.
    class: String,
    items: BTreeMap<&'static str, f64>,
    rules: f64,
}

fn labelled() -> Vec<Labelled> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/labelled");
    let mut all = Vec::new();
    for part in ["literature", "own"] {
        for entry in fs::read_dir(folder.join(part)).expect("the texts") {
            let path = entry.expect("a text").path();
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let class = if part == "own" { name.split('_').next().unwrap_or_default() } else { part };
            let text = fs::read_to_string(&path).expect("a text");
            with_material(&text, &NovelContext::default(), &Tuning::default(), |material| {
                let findings = run_rules(material, &RuleGroup::ALL, &|| false).expect("findings");
                let measured =
                    ITEMS.iter().filter_map(|item| Some((item.id.as_str(), item.measured(material)?.score?)));
                all.push(Labelled {
                    class: class.to_owned(),
                    items: measured.collect(),
                    rules: Score::from_findings(&findings, material.characters()).0,
                    name: name.clone(),
                });
            });
        }
    }
    all.sort_by(|one, other| one.name.cmp(&other.name));
    all
}

/// Returns the probability that a good value is above a bad one, where equal ones count half; 0.5 is chance. `None` if
/// one side is empty.
pub(super) fn rank(good: &[f64], bad: &[f64]) -> Option<f64> {
    let wins = good.iter().flat_map(|good| {
        bad.iter().map(move |bad| match good.total_cmp(bad) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        })
    });
    let pairs = good.len() * bad.len();
    (pairs > 0).then(|| wins.sum::<f64>() / pairs as f64)
}

fn values<'l>(texts: &'l [Labelled], classes: &[&str], of: impl Fn(&'l Labelled) -> Option<f64>) -> Vec<f64> {
    texts.iter().filter(|text| classes.contains(&text.class.as_str())).filter_map(of).collect()
}

#[test]
fn an_item_is_scored_by_measuring_only_if_it_ranks_good_texts_above_bad_ones() {
    let texts = labelled();
    let labels: Labels = toml::from_str(include_str!("../labelled/labels.toml")).expect("labels");
    let measured: Vec<_> = ITEMS.iter().filter(|item| item.page.kind != EvaluationKind::Judged).collect();
    let mut known = labels.bad.keys().chain(&labels.with_files.items);
    assert!(known.all(|id| measured.iter().any(|item| item.id == *id)), "an item that is not measured");
    let mut wrong = Vec::new();
    for item in measured {
        let of = |text: &Labelled| text.items.get(item.id.as_str()).copied();
        let bad: Vec<&str> = labels.bad.get(&item.id).into_iter().flatten().map(String::as_str).collect();
        let rank = rank(&values(&texts, &["literature", "good"], of), &values(&texts, &bad, of));
        let is_proven = labels.with_files.items.contains(&item.id) || rank.is_some_and(|rank| rank >= RANKS);
        println!("{} {}: rank {rank:.2?}, scored: {}", item.id, item.name, item.page.is_scored);
        if is_proven != item.page.is_scored {
            wrong.push(format!("{} {}: rank {rank:.2?}, is_scored = {}", item.id, item.name, item.page.is_scored));
        }
    }
    assert!(wrong.is_empty(), "{} items\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn rules_find_least_in_good_texts_and_most_in_broken_ones() {
    let texts = labelled();
    let of = |class| values(&texts, &[class], |text| Some(text.rules));
    let ranks = [
        ("good", "mediocre"),
        ("mediocre", "broken"),
        ("literature", "broken"),
        ("good", "cliche"),
        ("literature", "cliche"),
    ];
    for (better, worse) in ranks {
        let rank = rank(&of(better), &of(worse)).expect("texts of both classes");
        println!("{better} above {worse}: {rank:.2}");
        assert!(rank >= 0.95, "{better} {:?}, {worse} {:?}", of(better), of(worse));
    }
}

/// Sentences by another hand, written to mislead these rules: each can be right. Every line is a text of its own.
#[test]
fn rules_about_wrong_words_find_nothing_in_correct_sentences() {
    let rules = [
        "misconversion",
        "okurigana",
        "concord",
        "tari",
        "humble_honorific",
        "twisted_predicate",
        "missing_particle",
        "misuse",
        "doubled_joshi",
        "doubled_particle",
        "repeated_word",
        "typo",
        "wrong_particle",
    ];
    let lines: Vec<&str> = include_str!("../labelled/correct.txt").lines().filter(|line| !line.is_empty()).collect();
    assert!(lines.len() > 900);
    let mut found = Vec::new();
    for line in lines {
        with_material(line, &NovelContext::default(), &Tuning::default(), |material| {
            let findings = run_rules(material, &RuleGroup::ALL, &|| false).expect("findings");
            let own = findings.iter().filter(|finding| rules.contains(&finding.rule));
            found.extend(own.map(|finding| format!("{} {}: {line}", finding.rule, &line[finding.source.clone()])));
        });
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// Monologues that mix polite and plain sentences.
const MIXED: [&str; 2] = ["18_kikigaki.txt", "47_reijo.txt"];

/// Passages by another hand in many manners: a play, letters, dialects, a chat, the voice of a machine, old style. The rules that
/// judge a whole text by its manner are not asked of a monologue that mixes manners.
#[test]
fn correct_passages_have_no_finding_of_medium_severity() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/labelled/passages");
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("passages").map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    assert_eq!(paths.len(), 100);
    let mut found = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).expect("readable");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        with_material(&text, &NovelContext::default(), &Tuning::default(), |material| {
            let findings = run_rules(material, &RuleGroup::ALL, &|| false).expect("findings");
            let is_mixed = |finding: &Finding| finding.rule == "mixed_style" && MIXED.contains(&name.as_str());
            let grave = findings.iter().filter(|finding| finding.severity >= Severity::Medium && !is_mixed(finding));
            found.extend(grave.map(|finding| format!("{name} {}: {}", finding.rule, &text[finding.source.clone()])));
        });
    }
    assert!(found.is_empty(), "{found:#?}");
}
