//! A finding as a person or a program meets it: its id, its line and column, its message, its fix as before and after.
//!
//! The id depends on the rule and on the words of the line, not on where the line stands: it survives edits elsewhere.

use std::collections::HashMap;

use fumi_base::text::Locale;
use sha2::{Digest, Sha256};

use super::{
    finding::{Finding, FixLevel, Severity},
    fixing,
    material::Material,
    page::Words,
    rules,
};

/// How many characters of what was found are shown.
const SHOWN: usize = 40;

/// How many characters stand around what was found.
const AROUND: usize = 12;

/// The version of the rules: ids and findings of one version can be compared.
pub const RULE_VERSION: &str = "1";

/// A finding with its words.
#[derive(Clone, Debug, PartialEq)]
pub struct Issue {
    /// The group's prefix and twelve hexadecimal digits.
    pub issue_id: String,
    /// The rule.
    pub rule: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// Bytes of the source.
    pub span: (usize, usize),
    /// What was found, with a few characters around it.
    pub excerpt: String,
    /// What it is.
    pub message: String,
    /// What to do.
    pub suggestion: String,
    /// What a fix would write.
    pub fix: Option<Proposal>,
    /// Twelve hexadecimal digits of the line's words.
    pub line_hash: String,
}

/// What a fix would write.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The level at which it is applied.
    pub level: FixLevel,
    /// What stands there.
    pub before: String,
    /// What would stand there.
    pub after: String,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
}

impl Issue {
    /// The issues of findings, which are in the order of the text.
    #[must_use]
    pub fn all(material: &Material<'_>, findings: &[Finding], locale: Locale) -> Vec<Self> {
        let ids = ids(material, findings);
        let pairs = findings.iter().zip(ids);
        pairs
            .map(|(finding, id)| Self::of(material, finding, id, locale))
            .collect()
    }

    fn of(material: &Material<'_>, finding: &Finding, (issue_id, line_hash): (String, String), locale: Locale) -> Self {
        let source = material.manuscript().source();
        let position = material.manuscript().position(finding.source.start);
        let words = words_of(finding, locale);
        let found = shortened(&source[finding.source.clone()]);
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

/// The id of each finding, with the hash of its line.
///
/// A line is read once for all of its findings, and hashed once for each rule: one line may hold thousands of them.
#[must_use]
pub fn ids(material: &Material<'_>, findings: &[Finding]) -> Vec<(String, String)> {
    let mut known: HashMap<String, usize> = HashMap::new();
    // For each line that is different from those before it the hash of its words.
    let mut lines: Vec<String> = Vec::new();
    let mut here: Option<(usize, usize, String)> = None;
    let mut seen: HashMap<(&str, usize), (Sha256, usize)> = HashMap::new();
    let mut ids = Vec::with_capacity(findings.len());
    for finding in findings {
        let place = material
            .manuscript()
            .lines()
            .partition_point(|line| line.next <= finding.source.start);
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

/// The visible characters of a line, without white space.
fn words_of_line(material: &Material<'_>, line: usize) -> String {
    let manuscript = material.manuscript();
    let Some(line) = manuscript.lines().get(line) else {
        return String::new();
    };
    let visible = manuscript.visible_in(&line.content);
    visible.chars().filter(|c| !c.is_whitespace()).collect()
}

/// The first twelve hexadecimal digits.
fn short(hash: Sha256) -> String {
    let digest = hash.finalize();
    digest[..6]
        .iter()
        .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

fn words_of(finding: &Finding, locale: Locale) -> &'static Words {
    let page = &rules::known(finding.rule).page;
    match locale {
        Locale::En => &page.en,
        Locale::Ja => &page.ja,
    }
}

/// Fills the placeholders of a sentence, each once and from the front: what fills one is not filled again.
fn filled(sentence: &str, finding: &Finding, found: &str) -> String {
    let mut out = String::new();
    let mut rest = sentence.trim();
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        let fact = finding.facts.iter().find(|(known, _)| *known == name);
        match fact {
            Some((_, value)) => out.push_str(value),
            None if name == "found" => out.push_str(found),
            // A test of every page sees the braces.
            None => out.push_str(&format!("{{{name}}}")),
        }
        rest = after;
    }
    out + rest
}

fn shortened(text: &str) -> String {
    let text = text.trim_matches('\n');
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", text[..at].replace('\n', "⏎")),
        None => text.replace('\n', "⏎"),
    }
}

/// What was found with a few characters of its line around it. Looks at no more of a line than it shows.
fn excerpt(source: &str, finding: &Finding) -> String {
    let range = &finding.source;
    let before = source[..range.start].char_indices().rev().take(AROUND);
    let before = before.take_while(|(_, c)| *c != '\n').last();
    let from = before.map_or(range.start, |(at, _)| at);
    let after = source[range.end..].char_indices().take(AROUND);
    let after = after.take_while(|(_, c)| *c != '\n').last();
    let to = after.map_or(range.end, |(at, c)| range.end + at + c.len_utf8());
    let shown = shortened(&source[range.clone()]);
    format!("{}{shown}{}", &source[from..range.start], &source[range.end..to])
        .trim_end_matches('\r')
        .to_owned()
}

/// The stretch from the first edit to the last, before and after.
fn proposal(source: &str, finding: &Finding) -> Option<Proposal> {
    let level = rules::known(finding.rule).page.fix?;
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
    Some(Proposal {
        level,
        before: fixing::shown(&source[start..end]),
        after: fixing::shown(&after),
        confidence: finding.confidence,
    })
}
