//! Tests that an edit keeps the ids of findings on other lines, and that local rules find the same before an added
//! sentence.
//!
//! Rules that examine a whole text are listed with reasons; a rule in no list is local.

use std::{collections::HashMap, sync::LazyLock};

use fumi_novel::checks::{Finding, RuleGroup, Tuning, ids, rule, run_rules};
use proptest::{
    prelude::*,
    sample::{Index, select},
};

use super::{
    made::{SENTENCES, context, lines, runner},
    with_material,
};

/// Rules whose findings depend on the whole text, each with the reason.
const WHOLE: &[(&str, &str)] = &[
    ("missing_indent", "the share of indented paragraphs decides"),
    ("indent_before_bracket", "the majority of the text's speeches decides"),
    ("period_before_bracket", "the majority of the text's speeches decides"),
    ("mixed_line_end", "line ends of both kinds are counted"),
    ("spelling_variant", "the more frequent spelling is kept"),
    ("mixed_style", "the more frequent style is kept"),
    ("viewpoint_slip", "the share of such sentences decides"),
    ("overused_phrase", "the allowed number depends on the length of the text"),
    ("single_sentence_paragraphs", "a share of all paragraphs"),
    ("conjunction_excess", "a share of all sentences"),
    ("noun_ending_excess", "a share of all sentences"),
    ("ending_repetition", "runs are more severe if the text has many"),
    ("monotonous_length", "the spread of all sentences"),
    ("phrase_repetition", "a share of all words"),
    ("script_balance", "shares of all letters"),
    ("direct_emotion", "a rate of the whole narration"),
    ("simile_excess", "a rate of the whole narration"),
    ("long_paragraph", "many of them are the narrator's style"),
    ("long_sentence", "many of them are the narrator's style"),
    ("comma_excess", "many of them are the narrator's style"),
    ("machine_prose", "a rate of the whole narration"),
    ("misconversion", "a spelling that is used often is the author's"),
    ("okurigana", "a spelling that is used often is the author's"),
];

/// Rules that find runs of sentences: a run at the end of a text grows with it.
const RUNS: &[(&str, &str)] = &[
    ("long_sentence_run", "the last run grows"),
    ("short_sentence_run", "the last run grows"),
    ("same_sentence_head", "the last run grows"),
    ("near_repetition", "the last run grows"),
];

/// Returns the ids of findings, keyed by the words of the line, the rule and the order within both. Repeated lines are
/// left out.
fn ids_by_line(text: &str) -> HashMap<(String, &'static str, usize), String> {
    let lines: Vec<&str> = text.split('\n').collect();
    let words = |line: &str| line.chars().filter(|c| !c.is_whitespace() && *c != '\u{feff}').collect::<String>();
    let mut times: HashMap<String, usize> = HashMap::new();
    for line in &lines {
        *times.entry(words(line)).or_default() += 1;
    }
    let (context, tuning) = (context(None), Tuning::default());
    with_material(text, &context, &tuning, |material| {
        let findings = run_rules(material, &RuleGroup::ALL, &|| false).expect("not cancelled");
        let mut nth: HashMap<(String, &str), usize> = HashMap::new();
        let mut all = HashMap::new();
        for (finding, (id, _)) in findings.iter().zip(ids(material, &findings)) {
            let line = words(lines[text[..finding.source.start].matches('\n').count()]);
            let nth = nth.entry((line.clone(), finding.rule)).or_default();
            if !line.is_empty() && times[&line] == 1 {
                all.insert((line, finding.rule, *nth), id);
            }
            *nth += 1;
        }
        all
    })
}

/// An edit of a text.
#[derive(Clone, Debug)]
enum Happens {
    LineAdded(Index, String),
    LineRemoved(Index),
    LineEdited(Index, String),
    LineEnds,
    SpaceInLine(Index),
}

fn happenings() -> impl Strategy<Value = Happens> {
    let any_sentence = || any::<Index>().prop_map(|at| (*at.get(&SENTENCES)).to_owned());
    prop_oneof![
        (any::<Index>(), any_sentence()).prop_map(|(at, line)| Happens::LineAdded(at, line)),
        any::<Index>().prop_map(Happens::LineRemoved),
        (any::<Index>(), any_sentence()).prop_map(|(at, line)| Happens::LineEdited(at, line)),
        Just(Happens::LineEnds),
        any::<Index>().prop_map(Happens::SpaceInLine),
    ]
}

impl Happens {
    fn to(&self, lines: &[String]) -> String {
        let mut lines = lines.to_vec();
        match self {
            Self::LineAdded(at, line) => lines.insert(at.index(lines.len() + 1), line.clone()),
            Self::LineRemoved(at) => {
                lines.remove(at.index(lines.len()));
            }
            Self::LineEdited(at, line) => {
                let at = at.index(lines.len());
                lines[at].push_str(line);
            }
            Self::LineEnds => return lines.join("\r\n") + "\r\n",
            Self::SpaceInLine(at) => {
                let at = at.index(lines.len());
                lines[at].push('　');
            }
        }
        lines.join("\n") + "\n"
    }
}

#[test]
fn finding_ids_survive_edits_of_other_lines() {
    let texts = prop::collection::vec(lines(), 2..9).prop_map(|lines| {
        // Each line feed ends one line, and no byte order mark is inserted into the middle.
        let one = |line: &String| line.replace('\r', "");
        let text: Vec<String> = lines.iter().map(one).collect();
        text.join("\n").split('\n').map(str::to_owned).collect::<Vec<_>>()
    });
    let result = runner(128).run(&(texts, happenings()), |(lines, happens)| {
        let before = ids_by_line(&(lines.join("\n") + "\n"));
        let after = ids_by_line(&happens.to(&lines));
        for (place, id) in &before {
            if let Some(now) = after.get(place) {
                prop_assert_eq!(now, id, "{:?}", place);
            }
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn the_same_line_has_the_same_ids_wherever_it_stands() {
    let line = "　見れる、、出来る、、とした...";
    let alone = ids_by_line(&format!("{line}\n"));
    assert!(alone.len() >= 3, "{alone:?}");
    for text in [format!("　雨だ。\n\n{line}\n"), format!("{line}\r\n　雪だ。\r\n"), format!("# 題\n　{line}　")]
    {
        let beside = ids_by_line(&text);
        for (place, id) in &alone {
            assert_eq!(beside.get(place), Some(id), "{place:?} in {text:?}");
        }
    }
}

fn findings(text: &str) -> Vec<(Finding, String)> {
    let (context, tuning) = (context(None), Tuning::default());
    with_material(text, &context, &tuning, |material| {
        let findings = run_rules(material, &RuleGroup::ALL, &|| false).expect("not cancelled");
        let ids = ids(material, &findings);
        let ids = ids.into_iter().map(|(id, _)| id);
        findings.into_iter().zip(ids).collect()
    })
}

/// Narration without brackets and markup.
static PLAIN: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let plain = |text: &&&str| !text.contains(|c| "「」『』（）《》［］｜#―".contains(c)) && text.ends_with('。');
    SENTENCES.iter().filter(plain).map(|text| text.trim()).collect()
});

#[test]
fn local_rules_find_the_same_before_a_sentence_that_is_added() {
    let is_listed = |list: &[(&str, &str)], name: &str| list.iter().any(|(rule, _)| *rule == name);
    let added = any::<Index>().prop_map(|at| *at.get(&PLAIN));
    let texts = prop::collection::vec(lines(), 1..9);
    let ends = select(&["\n", "\n＊＊＊\n"][..]);
    let result = runner(128).run(&(texts, ends, added), |(lines, end, added)| {
        // The text ends with prose, because empty lines at its end are a fault only if something follows.
        let text = lines.join("\n").trim_end().to_owned() + "\n　雨が降っている。" + end;
        let is_parted = end.contains('＊');
        let is_local = |found: &(Finding, String)| {
            let name = found.0.rule;
            !is_listed(WHOLE, name) && (is_parted || !is_listed(RUNS, name))
        };
        let before: Vec<_> = findings(&text).into_iter().filter(is_local).collect();
        let after = findings(&format!("{text}　{added}\n")).into_iter().filter(is_local);
        let after: Vec<_> = after.filter(|(finding, _)| finding.source.start < text.len()).collect();
        prop_assert_eq!(after, before);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn listed_rules_exist_and_are_unique() {
    let names: Vec<&str> = WHOLE.iter().chain(RUNS).map(|(name, _)| *name).collect();
    for (at, name) in names.iter().enumerate() {
        assert!(rule(name).is_some() && !names[..at].contains(name), "{name}");
    }
}
