//! Issues in replies.

use fumi_novel::checks::CheckIssue;
use schemars::JsonSchema;
use serde::Serialize;

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
    /// `safe`, `standard` or `aggressive`.
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
            span: if verbose {
                vec![issue.span.0, issue.span.1]
            } else {
                Vec::new()
            },
            line_hash: verbose.then(|| issue.line_hash.clone()),
        }
    }

    /// Returns the issue as one line of text.
    pub(super) fn line(&self) -> String {
        let fix = self
            .fix
            .as_ref()
            .map_or(String::new(), |fix| format!(" [{}]", fix.level));
        format!(
            "{}:{} {} {}: {} {} ({}){fix}",
            self.line, self.col, self.severity, self.rule, self.message, self.suggestion, self.issue_id
        )
    }
}
