//! An issue: a finding prepared for users and programs, with its id, line and column, message, and fix as before and
//! after.
//!
//! The id depends on the rule and on the text of the line, not on the line number, so it survives edits elsewhere; that of a
//! proofreader's finding depends on what it says.

use std::{collections::HashMap, ops::Range};

use fumi_base::{template, text::Locale};
use sha2::{Digest, Sha256};

use super::{
    finding::{Finding, FixLevel, Severity},
    fixing,
    material::CheckMaterial,
    page::{RuleGroup, RuleTexts},
    rules,
};

/// The maximum number of characters of the found text that are shown.
const SHOWN: usize = 40;

/// The number of characters shown on either side of the found text.
const AROUND: usize = 12;

/// The version of the rules. Ids and findings are comparable within one version.
pub const RULE_VERSION: &str = "1";

/// A finding with its id and its localised message.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckIssue {
    /// The prefix of the rule's group and twelve hexadecimal digits.
    pub issue_id: String,
    /// The name of the rule.
    pub rule: &'static str,
    /// The severity of the finding.
    pub severity: Severity,
    /// The line number, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The start and end byte in the source.
    pub span: (usize, usize),
    /// The found text with a few characters around it.
    pub excerpt: String,
    /// A sentence about the finding in the requested language.
    pub message: String,
    /// Advice for the author in the requested language.
    pub suggestion: String,
    /// The automatic fix, if there is one.
    pub fix: Option<ProposedFix>,
    /// Twelve hexadecimal digits of the hash of the line's text.
    pub line_hash: String,
}

/// An automatic fix as before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct ProposedFix {
    /// The lowest level at which the fix is applied.
    pub level: FixLevel,
    /// The text that the fix would replace, shortened.
    pub before: String,
    /// The text that the fix would write, shortened.
    pub after: String,
    /// The confidence in the fix, from 0 to 1.
    pub confidence: f64,
}

impl CheckIssue {
    /// Builds the issues of findings, which must be in the order of the text.
    pub fn all(material: &CheckMaterial<'_>, findings: &[Finding], locale: Locale) -> Vec<Self> {
        let ids = ids(material, findings);
        let pairs = findings.iter().zip(ids);
        pairs.map(|(finding, id)| Self::from_finding(material, finding, id, locale)).collect()
    }

    fn from_finding(
        material: &CheckMaterial<'_>,
        finding: &Finding,
        (issue_id, line_hash): (String, String),
        locale: Locale,
    ) -> Self {
        let source = material.manuscript().source();
        let position = material.manuscript().position(finding.source.start);
        let words = words_of(finding, locale);
        let found = shortened(&source[finding.quoted.clone()]);
        Self {
            issue_id,
            rule: finding.rule,
            severity: finding.severity,
            line: position.line,
            column: position.column,
            span: (finding.source.start, finding.source.end),
            excerpt: excerpt(source, finding),
            message: filled(&words.message, finding, &found),
            suggestion: filled(&words.suggestion, finding, &found),
            fix: proposal(source, finding),
            line_hash,
        }
    }
}

/// Returns the id of each finding, with the hash of its line.
///
/// Each line is read once for all of its findings and hashed once per rule, since one line may have thousands of
/// findings.
pub fn ids(material: &CheckMaterial<'_>, findings: &[Finding]) -> Vec<(String, String)> {
    let mut known: HashMap<String, usize> = HashMap::new();
    // The hash of each distinct line text, in order of first occurrence.
    let mut lines: Vec<String> = Vec::new();
    let mut here: Option<(usize, usize, String)> = None;
    let mut seen: HashMap<(&str, usize), (Sha256, usize)> = HashMap::new();
    let mut ids = Vec::with_capacity(findings.len());
    for finding in findings {
        if let Some(id) = id_of_reading(material, finding) {
            ids.push(id);
            continue;
        }
        let place = material.manuscript().lines().partition_point(|line| line.next <= finding.source.start);
        if here.as_ref().is_none_or(|(line, ..)| *line != place) {
            let words = words_of_line(material, place);
            let nth = *known.entry(words.clone()).or_insert(lines.len());
            if nth == lines.len() {
                lines.push(short(Sha256::new().chain_update(&words)));
            }
            here = Some((place, nth, words));
        }
        let Some((_, nth, words)) = &here else { continue };
        let (hash, occurrence) = seen.entry((finding.rule, *nth)).or_insert_with(|| {
            let hash = Sha256::new().chain_update(finding.rule).chain_update(b"\0");
            (hash.chain_update(words).chain_update(b"\0"), 0)
        });
        let own = hash.clone().chain_update(occurrence.to_string());
        *occurrence += 1;
        let group = rules::rule(finding.rule).map_or("", |rule| rule.page.group.prefix());
        ids.push((format!("{group}-{}", short(own)), lines[*nth].clone()));
    }
    ids
}

/// Returns the id of a finding that a model made: by what it says, so that an id never means another proposal. `None` for
/// the findings of other rules.
fn id_of_reading(material: &CheckMaterial<'_>, finding: &Finding) -> Option<(String, String)> {
    let group = rules::rule(finding.rule)?.page.group;
    if group != RuleGroup::Proofreading {
        return None;
    }
    let source = material.manuscript().source();
    let mut hash = Sha256::new().chain_update(finding.rule).chain_update(&source[finding.source.clone()]);
    for (name, value) in &finding.facts {
        hash.update("\0");
        hash.update(name);
        hash.update(value);
    }
    let line = material.manuscript().lines().partition_point(|line| line.next <= finding.source.start);
    let words = words_of_line(material, line);
    Some((format!("{}-{}", group.prefix(), short(hash)), short(Sha256::new().chain_update(words))))
}

/// Returns the visible characters of a line, without white space.
fn words_of_line(material: &CheckMaterial<'_>, line: usize) -> String {
    let manuscript = material.manuscript();
    let Some(line) = manuscript.lines().get(line) else {
        return String::new();
    };
    let visible = manuscript.visible_in(&line.content);
    visible.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Returns the first twelve hexadecimal digits of a hash.
fn short(hash: Sha256) -> String {
    let digest = hash.finalize();
    digest[..6].iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

fn words_of(finding: &Finding, locale: Locale) -> &'static RuleTexts {
    let page = &rules::rule_of_finding(finding.rule).page;
    match locale {
        Locale::En => &page.en,
        Locale::Ja => &page.ja,
    }
}

/// Fills the placeholders of a sentence. An unknown one keeps its braces; a test of every page detects them.
fn filled(sentence: &str, finding: &Finding, found: &str) -> String {
    template::fill(sentence.trim(), ("{", "}"), |name| {
        let fact = finding.facts.iter().find(|(known, _)| *known == name);
        let value = fact.map(|(_, value)| value.as_str());
        value.or((name == "found").then_some(found)).map(Into::into)
    })
}

fn shortened(text: &str) -> String {
    let text = text.trim_matches('\n');
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", text[..at].replace('\n', "⏎")),
        None => text.replace('\n', "⏎"),
    }
}

/// Returns the found text with a few characters of its line around it.
fn excerpt(source: &str, finding: &Finding) -> String {
    surrounded(source, &finding.source, &shortened(&source[finding.source.clone()]))
}

/// Returns a text for a range of the source, with a few characters of the line around it. Reads no more of the line than
/// it shows.
pub(crate) fn surrounded(source: &str, range: &Range<usize>, shown: &str) -> String {
    let before = source[..range.start].char_indices().rev().take(AROUND);
    let before = before.take_while(|(_, c)| *c != '\n').last();
    let from = before.map_or(range.start, |(at, _)| at);
    let after = source[range.end..].char_indices().take(AROUND);
    let after = after.take_while(|(_, c)| *c != '\n').last();
    let to = after.map_or(range.end, |(at, c)| range.end + at + c.len_utf8());
    format!("{}{shown}{}", &source[from..range.start], &source[range.end..to]).trim_end_matches('\r').to_owned()
}

/// Returns the range from the first edit of a finding to the last, as before and after.
fn proposal(source: &str, finding: &Finding) -> Option<ProposedFix> {
    let level = rules::rule_of_finding(finding.rule).page.fix?;
    let start = finding.edits.iter().map(|edit| edit.range.start).min()?;
    let end = finding.edits.iter().map(|edit| edit.range.end).max()?;
    let mut after = String::new();
    let mut at = start;
    for edit in &finding.edits {
        after.push_str(&source[at..edit.range.start]);
        after.push_str(&edit.text);
        at = edit.range.end;
    }
    after.push_str(&source[at..end]);
    Some(ProposedFix {
        level,
        before: fixing::shown(&source[start..end]),
        after: fixing::shown(&after),
        confidence: finding.confidence,
    })
}
