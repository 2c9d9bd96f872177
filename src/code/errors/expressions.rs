//! The reasons why a query or a pattern is refused; the sentences are in `expressions.toml`.

use std::sync::LazyLock;

use fumi_base::{embedded, text::BilingualText};
use serde::Deserialize;

use super::structure::QuerySyntaxError;

/// The sentences about one fault of an expression.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpressionFault {
    reason: BilingualText,
    hint: BilingualText,
}

impl ExpressionFault {
    /// Returns the error at a 1-based line and a 0-based column, with the sentences filled by facts.
    pub(crate) fn at(
        &self,
        (line, column): (usize, usize),
        excerpt: String,
        facts: &[(&str, BilingualText)],
    ) -> Box<QuerySyntaxError> {
        let (reason, hint) = (self.reason.fill(facts), self.hint.fill(facts));
        Box::new(QuerySyntaxError { line, column, excerpt, reason, hint })
    }
}

/// All faults, by the names of `expressions.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpressionFaults {
    pub did_you_mean: BilingualText,
    pub too_complex: ExpressionFault,
    pub many_bytes: ExpressionFault,
    pub many_brackets: ExpressionFault,
    pub many_repeated_parts: ExpressionFault,
    pub captures_nothing: ExpressionFault,
    pub unknown_predicate: ExpressionFault,
    pub wrong_predicate: ExpressionFault,
    pub unknown_node: ExpressionFault,
    pub unknown_field: ExpressionFault,
    pub unknown_capture: ExpressionFault,
    pub impossible: ExpressionFault,
    pub wrong_syntax: ExpressionFault,
    pub unreadable: ExpressionFault,
    pub several_nodes: ExpressionFault,
    pub prose: ExpressionFault,
    pub large: ExpressionFault,
    pub only_variable: ExpressionFault,
}

pub(crate) static FAULTS: LazyLock<ExpressionFaults> =
    LazyLock::new(|| embedded::toml("expressions.toml", include_str!("expressions.toml")));
