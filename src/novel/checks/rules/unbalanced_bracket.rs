//! Rule `unbalanced_bracket`: finds brackets without a closing or an opening counterpart.

use super::{
    RuleReporter,
    signs::{is_latin, is_numeral},
};
use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    manuscript::MarkupIssueKind,
};

/// The maximum number of characters of a list number.
const NUMBER: usize = 3;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for issue in material.manuscript().issues() {
        let is_fault = match issue.kind {
            MarkupIssueKind::UnclosedBracket(_) => true,
            MarkupIssueKind::StrayBracket(bracket) => bracket != '）' || !is_list(material, issue.range.start),
            _ => false,
        };
        if is_fault {
            found.push(Finding::at(issue.range.clone()));
        }
    }
}

/// True if only a number or a letter precedes the bracket in its line: 一）.
fn is_list(material: &CheckMaterial<'_>, bracket: usize) -> bool {
    let manuscript = material.manuscript();
    let line = manuscript.lines().partition_point(|line| line.next <= bracket);
    let Some(line) = manuscript.lines().get(line) else {
        return false;
    };
    let is_number = |c: &char| is_numeral(*c) || is_latin(*c) || ('ア'..='ン').contains(c) || matches!(c, '①'..='⑳');
    // The search goes backwards from the bracket, since a line may have thousands of brackets.
    let head = &manuscript.source()[line.content.start..bracket];
    let number = head.chars().rev().take(NUMBER).take_while(is_number);
    let len: usize = number.map(char::len_utf8).sum();
    len > 0 && head[..head.len() - len].trim_end().is_empty()
}
