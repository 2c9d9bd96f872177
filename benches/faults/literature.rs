//! Findings of level medium and above in literature, beside the notes of a person who read each of them.
//!
//! `readings.toml` has a line for each finding: the work, the rule, the text, and whether an editor of today would mark it. A finding
//! without a line counts as wrong.

use std::{collections::BTreeMap, fs, path::Path};

use fumi_novel::{
    checks::{AnalysedDraft, CheckMaterial, Finding, NovelContext, RuleGroup, Severity, Tuning, run_rules},
    morphology::Ipadic,
    text::Sentences,
};
use serde::Deserialize;

use crate::inputs::{bocchan, with_material};

/// The findings of one rule.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Row {
    pub(crate) findings: usize,
    pub(crate) right: usize,
    pub(crate) unread: usize,
}

/// The findings in all works.
#[derive(Debug, Default)]
pub(crate) struct Literature {
    pub(crate) works: usize,
    pub(crate) characters: usize,
    pub(crate) rules: BTreeMap<&'static str, Row>,
    /// The findings that are wrong or not read, as lines of the report.
    pub(crate) wrong: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Readings {
    reading: Vec<Reading>,
}

/// What a person noted about a finding.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reading {
    work: String,
    rule: String,
    /// The found text, or its beginning.
    text: String,
    is_right: bool,
    #[serde(rename = "why")]
    _why: String,
}

pub(crate) fn run(root: &Path) -> Literature {
    let readings = fs::read_to_string(root.join("benches/faults/readings.toml")).expect("readings.toml");
    let readings: Readings = toml::from_str(&readings).expect("readings.toml is well-formed");
    let mut literature = Literature::default();
    let manuscript = bocchan(root);
    let draft = AnalysedDraft {
        sentences: Sentences::find(&manuscript),
        manuscript,
    };
    let (context, tuning) = (NovelContext::default(), Tuning::default());
    literature.add(
        "bocchan",
        &CheckMaterial::new(&draft, &context, &tuning, Ipadic::shared()),
        &readings.reading,
    );
    let folder = root.join("src/novel/tests/labelled/literature");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("the works")
        .map(|entry| entry.expect("a work").path())
        .collect();
    paths.sort();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a work");
        with_material(&text, |material| literature.add(&name, material, &readings.reading));
    }
    literature
}

impl Literature {
    fn add(&mut self, work: &str, material: &CheckMaterial<'_>, readings: &[Reading]) {
        self.works += 1;
        self.characters += material.characters();
        let findings = run_rules(material, &RuleGroup::ALL, &|| false).expect("the call is not cancelled");
        for finding in findings.iter().filter(|finding| finding.severity >= Severity::Medium) {
            let text = found(material, finding);
            let is_same = |reading: &&Reading| {
                reading.work == work && reading.rule == finding.rule && text.starts_with(&reading.text)
            };
            let reading = readings.iter().find(is_same);
            let row = self.rules.entry(finding.rule).or_default();
            row.findings += 1;
            match reading {
                Some(reading) if reading.is_right => row.right += 1,
                Some(_) => self.wrong.push(format!("- `{}` {work}: {text}", finding.rule)),
                None => {
                    row.unread += 1;
                    self.wrong
                        .push(format!("- `{}` {work}, not read: {text}", finding.rule));
                }
            }
        }
    }

    /// Returns the sums of all rules.
    pub(crate) fn all(&self) -> Row {
        self.rules.values().fold(Row::default(), |sum, row| Row {
            findings: sum.findings + row.findings,
            right: sum.right + row.right,
            unread: sum.unread + row.unread,
        })
    }
}

/// Returns the found text with the characters around it, so that a word is known by its place.
fn found(material: &CheckMaterial<'_>, finding: &Finding) -> String {
    let source = material.manuscript().source();
    let end = source[finding.source.start..]
        .char_indices()
        .nth(24)
        .map_or(source.len(), |(at, _)| finding.source.start + at);
    let line = source[finding.source.start..end].split('\n').next().unwrap_or_default();
    line.to_owned()
}
