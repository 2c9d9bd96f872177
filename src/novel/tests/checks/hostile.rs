//! Tests with degenerate texts: endless, of one sign, with broken markup, of random characters, not in Japanese.
//!
//! No time limit fails here: times are printed, and a quadratic cost would exceed the runner's own limit. The findings
//! in such texts are not checked, only that their ranges lie in the text.

use std::{collections::BTreeMap, time::Instant};

use fumi_novel::{
    checks::{AnalysedDraft, CheckMaterial, FixLevel, RuleGroup, Severity, Tuning, items::evaluate, rule, run_rules},
    manuscript::ManuscriptOptions,
    morphology::Ipadic,
    project::StylePreset,
};
use proptest::{prelude::*, sample::select};

use super::{
    made::{BOCCHAN, context, runner},
    properties::{Desk, fault_of},
};

fn desk() -> Desk {
    Desk { context: context(Some(StylePreset::Bunko)), tuning: Tuning::default() }
}

/// Checks a text with all rules and items, and fixes it at several levels.
fn meets(text: &str, levels: &[FixLevel]) {
    let started = Instant::now();
    let desk = desk();
    let draft = AnalysedDraft::read(text, ManuscriptOptions::default());
    let material = CheckMaterial::new(&draft, &desk.context, &desk.tuning, Ipadic::shared());
    let shown: String = text.chars().take(20).collect();
    let fault = fault_of(&material);
    assert_eq!(fault, None, "{shown:?}");
    let evaluated = evaluate(&material, &BTreeMap::new(), |_| true, &|| false);
    assert!(evaluated.is_some(), "{shown:?}");
    let looked = started.elapsed();
    for level in levels {
        let fixed = desk.fixed(text, *level);
        assert!(fixed.original_text() == text, "{shown:?} {level:?}");
    }
    let (count, all) = (text.chars().count(), started.elapsed());
    println!("{count} characters, {shown:?}: {looked:?} for the checks, {all:?} with fixes at {levels:?}");
}

#[test]
fn a_text_of_200_000_characters() {
    let text: String = BOCCHAN.chars().cycle().take(200_000).collect();
    meets(&text, &[FixLevel::Safe]);
}

#[test]
fn sentences_of_20_000_characters() {
    let shapes = [
        "あ",
        "漢",
        "A ",
        "彼は見たが、",
        "「行く」と言って、",
        "1984年に",
        "出来る、",
        "｜漢《か》",
        "（あ",
        "は！と",
        "梶みちるの",
        "決して",
        "もし",
        "「××",
        "××は",
        "料理は何にいたしますか、",
        "申していますか、",
    ];
    for shape in shapes {
        let text = shape.chars().cycle().take(20_000).collect::<String>() + "。\n";
        meets(&text, &[FixLevel::Aggressive]);
    }
}

/// Tests only the highest fix level, which includes the lower ones.
#[test]
fn ten_thousand_brackets_of_each_kind() {
    const COUNT: usize = 10_000;
    for bracket in "「」『』（）【】〈〉《》〔〕［］()｢｣".chars() {
        meets(&bracket.to_string().repeat(COUNT), &[FixLevel::Aggressive]);
    }
    meets(&("(あ".repeat(COUNT) + &")".repeat(COUNT)), &[FixLevel::Aggressive]);
    meets(&("　".repeat(COUNT) + &"）".repeat(COUNT)), &[FixLevel::Aggressive]);
}

#[test]
fn ten_thousand_of_everything_else() {
    let pieces = [
        "漢字《かんじ》",
        "｜あ《い》",
        "［＃改ページ］",
        "`a`",
        "http://a.jp/ ",
        "\n",
        "\r\n",
        "\r",
        "、",
        "。",
        "！",
        "…",
        "―",
        "・",
        "「あ」\n",
        "「あ\n",
        "徳次",
        "梶みちる、",
    ];
    for piece in pieces {
        meets(&piece.repeat(10_000), &[FixLevel::Aggressive]);
    }
}

/// Texts that often break programs.
const ODD: &[&str] = &[
    "",
    "\0",
    "\u{fffd}",
    "\u{feff}",
    "\u{3099}",
    "\u{309a}",
    "\u{301}",
    "\u{202e}",
    "\u{200f}",
    "שלום",
    "مرحبا",
    "🙂",
    "👨\u{200d}👩\u{200d}👧",
    "葛\u{e0100}",
    "\u{e000}",
    "\u{e001}",
    "\r\n",
    "\r",
    "\n",
    "\u{2028}",
    "\u{85}",
    "\u{b}",
    "\t",
    "あ",
    "漢",
    "ア",
    "ｶﾞ",
    "A",
    "1",
    "。",
    "「",
    "」",
    "《",
    "》",
    "｜",
    "［＃",
    "］",
    "…",
    "―",
    "!",
    "か",
    "゛",
    "𠮟",
    "\u{10ffff}",
    "ﬀ",
    "①",
    "℃",
    "İ",
    "ß",
];

#[test]
fn random_characters() {
    let signs = prop_oneof![
        3 => select(ODD).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    let texts = prop::collection::vec(signs, 0..80).prop_map(|signs| signs.concat());
    let desk = desk();
    let result = runner(128).run(&texts, |text| {
        let draft = AnalysedDraft::read(text.as_str(), ManuscriptOptions::default());
        let material = CheckMaterial::new(&draft, &desk.context, &desk.tuning, Ipadic::shared());
        prop_assert_eq!(fault_of(&material), None);
        for level in FixLevel::ALL {
            let fixed = desk.fixed(&text, level);
            prop_assert_eq!(&fixed.original_text(), &text);
            prop_assert_eq!(desk.fixed(&fixed.text, level).text, fixed.text);
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn odd_texts() {
    for odd in ODD {
        meets(odd, &FixLevel::ALL);
        meets(&odd.repeat(500), &FixLevel::ALL);
        meets(&format!("\u{feff}　{odd}\r\n\r{odd}\n「{odd}"), &FixLevel::ALL);
    }
}

/// Returns the rules and severities found in a text.
fn found(text: &str) -> Vec<(&'static str, Severity)> {
    let desk = desk();
    let draft = AnalysedDraft::read(text, ManuscriptOptions::default());
    let material = CheckMaterial::new(&draft, &desk.context, &desk.tuning, Ipadic::shared());
    let findings = run_rules(&material, &RuleGroup::ALL, &|| false).expect("not cancelled");
    findings.iter().map(|finding| (finding.rule, finding.severity)).collect()
}

#[test]
fn empty_texts_have_no_findings() {
    assert_eq!(found(""), []);
}

/// Basic rules that use morphology. All other basic rules examine only signs and lines.
const ABOUT_WORDS: &[&str] = &["doubled_particle", "overused_phrase", "repeated_word", "typo", "unknown_hiragana"];

#[test]
fn rules_about_words_say_nothing_about_other_languages() {
    let english = "It was a bright cold day in April, and the clocks were striking thirteen. \"Who's there?\" she said!! He did, he did, the the end...\n\nHe looked at it, and he looked at it -- again and again, and then, because it was late, and because the rain, which had not stopped, was loud, he went home, slept, and woke.\n";
    let texts = [
        english.repeat(8),
        "Съешь же ещё этих мягких французских булок, да выпей чаю. Что делать?\n".repeat(12),
        "שלום עולם. מה שלומך?\n".repeat(12),
        "1 2 3 4 5 6 7 8 9 10.\n".repeat(12),
        "🙂🙂🙂 !!! ???\n".repeat(12),
    ];
    for text in texts {
        for (name, severity) in found(&text) {
            let is_basic = rule(name).is_some_and(|rule| rule.page.group == RuleGroup::Basic);
            let is_about_words = !is_basic || ABOUT_WORDS.contains(&name);
            assert!(!is_about_words || severity == Severity::Info, "{name} in {text:.20}");
        }
    }
    assert!(ABOUT_WORDS.iter().all(|name| rule(name).is_some()));
}
