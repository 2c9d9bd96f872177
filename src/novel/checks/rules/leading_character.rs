//! Rule `leading_character`: finds paragraphs that begin with a character that must follow another.

use std::collections::HashSet;

use super::{
    RuleReporter,
    passages::passages,
    signs::{after, is_closing},
};
use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    manuscript::MarkupIssueKind,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let issues = material.manuscript().issues().iter();
    let stray = issues.filter(|issue| matches!(issue.kind, MarkupIssueKind::StrayBracket(_)));
    let stray: HashSet<usize> = stray.map(|issue| issue.range.start).collect();
    for passage in passages(material).filter(|passage| !passage.is_heading) {
        let at = passage.text.len() - passage.text.trim_start().len();
        let Some(first) = after(passage.text, at) else { continue };
        let source = passage.source_of(material, &(at..at + first.len_utf8()));
        let is_fault = match first {
            '、' | '。' | '，' | '．' | '々' | 'ゝ' | 'ゞ' | 'ヽ' | 'ヾ' => true,
            // Two of them are a dash.
            'ー' => !passage.text[at + first.len_utf8()..].starts_with('ー'),
            // The bracket may close one opened in an earlier paragraph.
            c if is_closing(c) && !c.is_ascii() => stray.contains(&source.start),
            _ => false,
        };
        if is_fault {
            found.push(Finding::at(source));
        }
    }
}
