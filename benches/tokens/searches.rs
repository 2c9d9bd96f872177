//! What the form of results saves on searches: the questions of levels.toml in every format, as clients that prefer the
//! structure showed them before, and as they show them now.
//!
//! Invariant: both show the same matches. A reply that is cut is followed to its end, since a text holds more rows than
//! a structure of the same size.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{
    clients::View,
    kernel::Kernel,
    levels::{self, FORMATS},
    trees::Tree,
};

/// A search in one format.
pub(crate) struct SearchCost {
    /// Tokens of the structure that comes with a text.
    pub(crate) before: usize,
    /// Tokens of the text alone.
    pub(crate) now: usize,
}

impl SearchCost {
    /// Returns by how many percent the tokens are fewer.
    pub(crate) fn fewer(&self) -> f64 {
        100.0 - levels::percent(self.now, self.before)
    }
}

/// Returns the costs of all searches, by format.
pub(crate) fn run(trees: &BTreeMap<&'static str, Tree>) -> Vec<(&'static str, Vec<SearchCost>)> {
    let questions = levels::questions();
    let kernels = levels::kernels(trees);
    let costs = |format: &str, questions: &[levels::Question]| {
        questions
            .iter()
            .map(|question| {
                let kernel = &kernels[question.tree.as_str()];
                let arguments = levels::in_format(&question.arguments(), format);
                SearchCost {
                    before: all_pages(kernel, View::STRUCTURE_OF_BOTH, &arguments),
                    now: all_pages(kernel, View::TEXT, &arguments),
                }
            })
            .collect()
    };
    let mut rows: Vec<_> = FORMATS
        .iter()
        .map(|format| (*format, costs(format, &questions.search)))
        .collect();
    rows.push(("ranked", costs("ranked", &questions.ranked)));
    rows
}

/// Returns the tokens of every page of a reply.
pub(crate) fn all_pages(kernel: &Kernel, view: View, arguments: &Value) -> usize {
    let mut asked = arguments.clone();
    let mut tokens = 0;
    loop {
        let reply = kernel.reply_in(view.form, "search_content", &asked);
        tokens += view.cost(&reply);
        let Some(cursor) = reply.structured["next"]["cursor"].as_str() else {
            return tokens;
        };
        asked["cursor"] = json!(cursor);
    }
}
