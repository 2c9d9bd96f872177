//! Tests of every rule against its manual page: the faults of the bad text are found and fixed as documented, and
//! nothing else is reported.
//!
//! One rule at a time: `RULE=ellipsis cargo nextest run --release -p fumi-novel -E 'test(/^checks::/)'`.

use std::collections::{BTreeSet, HashSet};

use fumi_base::text::Locale;
use fumi_novel::{
    checks::{CheckIssue, CheckRule, FixLevel, FixRequest, RULES, Sample, Severity, fix, run_rules},
    manuscript::ManuscriptOptions,
    morphology::Ipadic,
};

use super::{context, tuning, with_material};

/// The number of findings in 1,000 characters for which a rule's score is 0.
const WORST: f64 = 10.0;

/// The largest number of characters for weighing a sample, so that a single finding in a long paragraph still counts.
const MOST_WEIGHED: usize = 300;

fn chosen() -> Vec<&'static CheckRule> {
    let only = std::env::var("RULE").unwrap_or_default();
    let rules = RULES.iter().filter(|rule| only.is_empty() || only.split(',').any(|name| name == rule.name));
    rules.collect()
}

/// Returns the findings of a rule in a sample, as quoted source text.
fn finds(rule: &CheckRule, sample: &Sample) -> Vec<String> {
    let (context, tuning) = (context(sample), tuning(sample));
    with_material(&sample.text, &context, &tuning, |material| {
        let findings = run_rules(material, &[rule.page.group], &|| false).expect("not cancelled");
        let own = findings.iter().filter(|finding| finding.rule == rule.name);
        own.map(|finding| sample.text[finding.source.clone()].to_owned()).collect()
    })
}

/// Returns a rule's score of a text, from 0 to 1.
fn score(found: usize, text: &str) -> f64 {
    let characters = text.chars().filter(|c| !c.is_whitespace()).count().clamp(1, MOST_WEIGHED);
    (1.0 - found as f64 * 1_000.0 / characters as f64 / WORST).max(0.0)
}

#[test]
fn every_rule_finds_what_its_page_says_and_nothing_else() {
    let mut faults = Vec::new();
    for rule in chosen() {
        let page = &rule.page;
        for (name, sample) in [("good", &page.good), ("misleading", &page.misleading)] {
            let found = finds(rule, sample);
            if !found.is_empty() {
                faults.push(format!("{}: {name}: found {found:?}", rule.name));
            }
        }
        let found = finds(rule, &page.bad);
        let as_said = match page.bad.count {
            Some(count) => found.len() == count,
            None => found == page.bad.finds && !found.is_empty(),
        };
        if !as_said {
            faults.push(format!(
                "{}: bad: found {found:?}\n    instead of {:?} {:?}",
                rule.name, page.bad.finds, page.bad.count
            ));
        }
        let (good, bad) = (score(0, &page.good.text), score(found.len(), &page.bad.text));
        if good < bad + 0.3 {
            faults.push(format!("{}: the good text scores {good:.2}, the bad one {bad:.2}", rule.name));
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn every_fix_is_the_one_of_its_page_and_a_second_run_changes_nothing() {
    let mut faults = Vec::new();
    for rule in chosen() {
        let sample = &rule.page.bad;
        let Some(level) = rule.page.fix else {
            if sample.fixed.is_some() {
                faults.push(format!("{}: a fixed text without a level", rule.name));
            }
            continue;
        };
        if level == FixLevel::Aggressive {
            continue;
        }
        let Some(expected) = &sample.fixed else {
            faults.push(format!("{}: the fixed text is missing", rule.name));
            continue;
        };
        let (context, mut tuning) = (context(sample), tuning(sample));
        // Enables only this rule.
        tuning.disabled = RULES.iter().map(|rule| rule.name.to_owned()).filter(|name| name != rule.name).collect();
        let fixing = FixRequest {
            reading: ManuscriptOptions::default(),
            context: &context,
            tuning: &tuning,
            morphology: Ipadic::shared(),
            level,
        };
        let fixed = fix(&sample.text, fixing, None, &|| false).expect("not cancelled");
        // A matter of style and a proofreader's proposal are fixed only if they are named.
        let named: BTreeSet<String> = fixed.skipped.iter().map(|left| left.issue_id.clone()).collect();
        let fixed = match (rule.page.severity, level) {
            (Severity::Info, _) | (_, FixLevel::Named) => {
                fix(&sample.text, fixing, Some(&named), &|| false).expect("not cancelled")
            }
            _ => fixed,
        };
        if fixed.text != *expected {
            faults.push(format!("{}: fixed to\n{:?}\n    instead of\n{expected:?}", rule.name, fixed.text));
        }
        assert_eq!(fixed.original_text(), sample.text, "{}", rule.name);
        let again = fix(&fixed.text, fixing, None, &|| false).expect("not cancelled");
        assert_eq!(again.text, fixed.text, "{}", rule.name);
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn messages_quote_whole_words() {
    for (name, message, suggestion) in [
        ("double_honorific", "「おっしゃられました」は二重敬語です。", "「おっしゃいました」と書いてください。"),
        ("misuse", "「的を得て」は誤用とされる言い方です。", "「的を射て」と書いてください。"),
    ] {
        let rule = RULES.iter().find(|rule| rule.name == name).expect("a rule");
        let sample = &rule.page.bad;
        let (context, tuning) = (context(sample), tuning(sample));
        with_material(&sample.text, &context, &tuning, |material| {
            let findings = run_rules(material, &[rule.page.group], &|| false).expect("not cancelled");
            let issues = CheckIssue::all(material, &findings, Locale::Ja);
            let first = issues.iter().find(|issue| issue.rule == name).expect("an issue");
            assert_eq!((first.message.as_str(), first.suggestion.as_str()), (message, suggestion));
        });
    }
}

#[test]
fn every_page_says_all_that_it_must() {
    let mut faults = Vec::new();
    let mut names = HashSet::new();
    for rule in RULES.iter() {
        let page = &rule.page;
        assert!(names.insert(rule.name), "{} is listed twice", rule.name);
        for words in [&page.en, &page.ja] {
            let all = [&words.title, &words.manual, &words.message, &words.suggestion];
            if all.iter().any(|words| words.trim().is_empty()) {
                faults.push(format!("{}: an empty text", rule.name));
            }
            if words.manual.trim().chars().count() < 60 {
                faults.push(format!("{}: the manual is too short", rule.name));
            }
        }
        for threshold in &page.threshold {
            let is_in_range = (threshold.low..=threshold.high).contains(&threshold.value);
            if !is_in_range || threshold.unit.is_empty() || threshold.source.is_empty() || threshold.low < 0.0 {
                faults.push(format!("{}: threshold {}", rule.name, threshold.name));
            }
        }
        let sample = &page.bad;
        let (context, tuning) = (context(sample), tuning(sample));
        with_material(&sample.text, &context, &tuning, |material| {
            let findings = run_rules(material, &[page.group], &|| false).expect("not cancelled");
            for locale in [Locale::En, Locale::Ja] {
                for issue in CheckIssue::all(material, &findings, locale) {
                    let has_brace = |text: &str| text.contains(['{', '}']) && !issue.excerpt.contains(['{', '}']);
                    if issue.rule == rule.name && (has_brace(&issue.message) || has_brace(&issue.suggestion)) {
                        faults.push(format!("{}: {} {}", rule.name, issue.message, issue.suggestion));
                    }
                }
            }
        });
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}
