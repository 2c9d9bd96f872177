//! Tests of basic rules beyond their manual pages: configuration options, and endless texts.

use std::time::{Duration, Instant};

use fumi_novel::checks::{ClosingQuotePeriod, NovelContext, ParagraphIndent, RuleGroup, Tuning, run_rules};

use super::with_material;

/// Returns the findings of one rule in a text, as quoted source text.
fn finds(rule: &str, text: &str, tuning: &Tuning) -> Vec<String> {
    with_material(text, &NovelContext::default(), tuning, |material| {
        let findings = run_rules(material, &[RuleGroup::Basic], &|| false).expect("not cancelled");
        let own = findings.iter().filter(|finding| finding.rule == rule);
        own.map(|finding| text[finding.source.clone()].to_owned()).collect()
    })
}

#[test]
fn a_period_before_a_bracket_is_what_the_option_says() {
    let text = "「行く。」\n「来る。」\n「待て」\n";
    let with = |option| Tuning { closing_quote_period: option, ..Tuning::default() };
    let of = |option| finds("period_before_bracket", text, &with(option)).len();
    assert_eq!(of(None), 0);
    assert_eq!(of(Some(ClosingQuotePeriod::Remove)), 2);
    assert_eq!(of(Some(ClosingQuotePeriod::Keep)), 0);
    assert_eq!(finds("period_before_bracket", "「だが、」\n", &Tuning::default()), ["、」"]);
}

#[test]
fn an_indent_is_missing_as_the_option_says() {
    let text = "朝だ。\n　夜だ。\n";
    let with = |option| Tuning { paragraph_indent: option, ..Tuning::default() };
    let of = |option| finds("missing_indent", text, &with(option));
    assert!(of(None).is_empty() && of(Some(ParagraphIndent::Never)).is_empty());
    assert_eq!(of(Some(ParagraphIndent::Always)), ["朝"]);
}

#[test]
fn texts_without_an_end_take_time_in_proportion() {
    let lines = [
        "「行く。」と".repeat(20_000),
        "）一）".repeat(20_000),
        "あ！い？」『（".repeat(10_000),
        "(あ".repeat(20_000) + &")".repeat(20_000),
        "行った。".repeat(15_000),
        "｜《あ》《《".repeat(10_000),
        "ー―-…・。、−".repeat(10_000),
        "　\n".repeat(60_000),
        "か゛\t１ｶﾞ○".repeat(10_000),
    ];
    for line in lines {
        let started = Instant::now();
        let text = format!("# 題\n{line}\n");
        finds("", &text, &Tuning::default());
        assert!(started.elapsed() < Duration::from_secs(20), "{line:.20}");
    }
}
