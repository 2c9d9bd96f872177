//! Issues in replies.

use fumi_base::text::Locale;
use fumi_novel::checks::{CheckIssue, FixLevel, Severity};
use schemars::JsonSchema;
use serde::Serialize;

use super::SEVERITIES_IN_JAPANESE;

/// The maximum number of issues shown in one list; the report has all of them.
pub(super) const SHOWN_ISSUES: usize = 30;

/// The maximum number of issues shown in one list with `verbose`.
pub(super) const VERBOSE_ISSUES: usize = 300;

/// An issue of a text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct IssueReport {
    /// The id for `check_fix`. It depends on the rule and the words of the line, not on the line number.
    issue_id: String,
    rule: &'static str,
    /// `info`, `low`, `medium`, `high` or `critical`.
    severity: &'static str,
    /// The line, counted from 1.
    line: usize,
    /// The column in characters, counted from 1.
    col: usize,
    excerpt: String,
    message: String,
    suggestion: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<IssueFix>,
    /// Start and end in bytes of the text in UTF-8, whatever encoding the file has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    span: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line_hash: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct IssueFix {
    /// `safe`, `standard`, `aggressive`, or `named` for a fix that `check_fix` applies only by its id.
    level: &'static str,
    before: String,
    after: String,
    /// From 0 to 1.
    confidence: f64,
}

impl IssueReport {
    pub(super) fn from_issue(issue: &CheckIssue, verbose: bool) -> Self {
        Self {
            issue_id: issue.issue_id.clone(),
            rule: issue.rule,
            severity: issue.severity.name(),
            line: issue.line,
            col: issue.column,
            excerpt: issue.excerpt.clone(),
            message: issue.message.clone(),
            suggestion: issue.suggestion.clone(),
            fix: issue.fix.as_ref().map(|fix| IssueFix {
                level: fix.level.name(),
                before: fix.before.clone(),
                after: fix.after.clone(),
                confidence: fix.confidence,
            }),
            span: if verbose { vec![issue.span.0, issue.span.1] } else { Vec::new() },
            line_hash: verbose.then(|| issue.line_hash.clone()),
        }
    }

    /// Returns the place and the id, for a row whose rule and fix are in the heading.
    fn place(&self) -> String {
        let Self { line, col, issue_id, .. } = self;
        match (self.span.as_slice(), &self.line_hash) {
            ([start, end], Some(hash)) => format!("{line}:{col} {issue_id} @{start}-{end} {hash}"),
            _ => format!("{line}:{col} {issue_id}"),
        }
    }

    /// Returns the change of the fix. Brackets show white space, too.
    fn change(&self) -> Option<String> {
        let fix = self.fix.as_ref()?;
        let shown = |text: &str| text.replace('\n', "⏎");
        Some(format!("「{}」→「{}」", shown(&fix.before), shown(&fix.after)))
    }

    fn words(&self, locale: Locale) -> String {
        // A reason that a proofreader wrote need not be a sentence.
        let ends = self.message.ends_with(['。', '！', '？', '：']) || self.suggestion.is_empty();
        let between = match locale {
            Locale::Ja if ends => "",
            Locale::Ja => "。",
            Locale::En => " ",
        };
        format!("{}{between}{}", self.message, self.suggestion).trim().to_owned()
    }

    fn severity(&self, locale: Locale) -> &'static str {
        let rank = Severity::ALL.iter().position(|one| one.name() == self.severity);
        rank.filter(|_| locale == Locale::Ja).map_or(self.severity, |rank| SEVERITIES_IN_JAPANESE[rank])
    }
}

/// Returns the issues as lines of text, the most severe first: the issues of one rule stand below a heading, which has
/// what they share.
pub(super) fn lines(issues: &[&IssueReport], locale: Locale) -> Vec<String> {
    let mut groups: Vec<Vec<&IssueReport>> = Vec::new();
    for issue in issues {
        let key = |one: &IssueReport| (one.rule, one.severity, one.fix.as_ref().map(|fix| fix.level));
        match groups.iter_mut().find(|group| key(group[0]) == key(issue)) {
            Some(group) => group.push(issue),
            None => groups.push(vec![issue]),
        }
    }
    let rank = |group: &Vec<&IssueReport>| Severity::ALL.iter().position(|one| one.name() == group[0].severity);
    groups.sort_by_key(|group| std::cmp::Reverse(rank(group)));
    groups.iter().flat_map(|group| group_lines(group, locale)).collect()
}

/// Returns the lines of the issues of one rule, which have the same severity and level of fixes.
fn group_lines(group: &[&IssueReport], locale: Locale) -> Vec<String> {
    let first = group[0];
    let level = first.fix.as_ref().map(|fix| fix.level);
    let is_named = level == Some(FixLevel::Named.name());
    let fixed_at = level.map(|level| format!("check_fix {}", if is_named { "issue_ids" } else { level }));
    let about: Vec<String> = std::iter::once(first.severity(locale).to_owned()).chain(fixed_at).collect();
    let mut head = match locale {
        Locale::En => format!("{} ({})", first.rule, about.join(", ")),
        Locale::Ja => format!("{}（{}）", first.rule, about.join("、")),
    };
    let has_same_words = group.iter().all(|issue| issue.words(locale) == first.words(locale));
    // A change of marks and white space explains itself.
    if has_same_words && !is_named && level != Some(FixLevel::Safe.name()) {
        head.push_str(&format!(": {}", first.words(locale)));
    }
    let mut rows: Vec<String> = Vec::new();
    let mut changes: Vec<(String, Vec<String>)> = Vec::new();
    for issue in group {
        // The reason for a proofreader's correction is its own.
        match issue.change().filter(|_| !is_named) {
            Some(change) => match changes.iter_mut().find(|(known, _)| *known == change) {
                Some((_, places)) => places.push(issue.place()),
                None => changes.push((change, vec![issue.place()])),
            },
            None if has_same_words && !is_named => rows.push(format!("{} {}", issue.place(), issue.excerpt)),
            None => rows.push(format!("{} {}: {}", issue.place(), issue.excerpt, issue.words(locale))),
        }
    }
    rows.extend(changes.into_iter().map(|(change, places)| format!("{change} {}", places.join(", "))));
    std::iter::once(head).chain(rows).collect()
}
