//! The findings of fumi's own checks in a draft, as lines of a prompt.

use std::cmp::Reverse;

use fumi_base::text::Locale;

use super::material::WritingMaterial;
use crate::{
    checks::{AnalysedDraft, CheckIssue, CheckMaterial, RuleGroup, Severity, Tuning, morphology, run_rules},
    manuscript::ManuscriptOptions,
};

/// The largest number of findings shown, the most severe first.
const SHOWN: usize = 12;

/// The largest draft that is checked, in bytes, so that a question does not take longer than a few seconds.
const CHECKED_BYTES: usize = 400_000;

/// Returns the findings of level low and above, one per line: the line of the draft, the rule, the message, the passage.
/// Empty if there are none. A malformed `checks` section of the settings counts as absent.
pub(super) fn draft_findings(draft: &str, material: &WritingMaterial, locale: Locale) -> String {
    if draft.trim().is_empty() {
        return String::new();
    }
    if draft.len() > CHECKED_BYTES {
        return match locale {
            Locale::En => format!("(not checked: the draft is larger than {} kB)", CHECKED_BYTES / 1_000),
            Locale::Ja => format!("（{} kB を超える草稿のため、チェックしていません）", CHECKED_BYTES / 1_000),
        };
    }
    let tuning = material.context.tuning().unwrap_or_else(|_| Tuning::default());
    let analysed = AnalysedDraft::read(draft, ManuscriptOptions::default());
    let checked = CheckMaterial::new(&analysed, &material.context, &tuning, morphology());
    let Some(findings) = run_rules(&checked, &RuleGroup::ALL, &|| false) else {
        return String::new();
    };
    let mut issues = CheckIssue::all(&checked, &findings, locale);
    issues.retain(|issue| issue.severity > Severity::Info);
    let count = issues.len();
    issues.sort_by_key(|issue| Reverse(issue.severity));
    let mut lines: Vec<String> = issues.into_iter().take(SHOWN).map(|issue| line(&issue, locale)).collect();
    if count > SHOWN {
        let more = count - SHOWN;
        lines.push(match locale {
            Locale::En => format!("- and {more} more"),
            Locale::Ja => format!("- ほか {more} 件"),
        });
    }
    lines.join("\n")
}

fn line(issue: &CheckIssue, locale: Locale) -> String {
    let CheckIssue { line, rule, message, excerpt, .. } = issue;
    match locale {
        Locale::En => format!("- line {line} [{rule}] {message} ({excerpt})"),
        Locale::Ja => format!("- {line} 行目 [{rule}] {message}（{excerpt}）"),
    }
}
