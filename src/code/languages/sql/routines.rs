//! Functions, procedures and triggers: parameters, results, modifiers, and the complexity of their bodies.

use super::{
    definitions::{SqlDefinitions, code},
    lexer::{SqlWord, WordKind, statements},
    phrases::{bracketed_words, commas, end_of_type, name, span_of_group, unqualified_name},
};
use crate::elements::{ElementKind, Param, ParamKind};

/// Keywords that end a function's result type.
const CLAUSES: [&str; 31] = [
    "language",
    "as",
    "is",
    "immutable",
    "stable",
    "volatile",
    "strict",
    "called",
    "begin",
    "return",
    "security",
    "cost",
    "rows",
    "parallel",
    "leakproof",
    "not",
    "window",
    "deterministic",
    "reads",
    "modifies",
    "contains",
    "no",
    "sql",
    "comment",
    "with",
    "set",
    "support",
    "external",
    "authid",
    "pipelined",
    "transform",
];

/// Keywords that become modifiers of a routine.
const TRAITS: [&str; 7] = ["immutable", "stable", "volatile", "strict", "leakproof", "deterministic", "pipelined"];

impl<'t> SqlDefinitions<'t, '_> {
    pub(super) fn routine(&mut self, words: &[SqlWord<'t>], at: usize, modifiers: &[&str]) {
        let Some((name, used)) = name(&words[at + 1..]) else {
            return;
        };
        let rest = &words[at + 1 + used..];
        let mut facts = code(modifiers);
        let (list, after) = if rest.first().is_some_and(|word| word.is_sign("(")) {
            (bracketed_words(rest), &rest[span_of_group(rest)..])
        } else {
            // T-SQL may omit the brackets.
            let end = rest.iter().position(|word| word.is_any(&CLAUSES)).unwrap_or(rest.len());
            let has_params = rest.first().is_some_and(|word| word.text.starts_with('@'));
            (if has_params { &rest[..end] } else { &rest[..0] }, rest)
        };
        facts.params = commas(list).into_iter().filter_map(|part| self.param(part)).collect();
        facts.params_text = self.text(list);
        let result = after.iter().position(|word| word.is_any(&["returns", "return"])).filter(|at| {
            // The RETURN of a body is not a result type.
            after[*at].is("returns") || after[..*at].is_empty()
        });
        if let Some(at) = result {
            let declared = &after[at + 1..];
            let length = end_of_type(declared, &CLAUSES);
            facts.type_name = Some(self.text(&declared[..length])).filter(|text| !text.is_empty());
        }
        let head = after.iter().position(|word| word.is_any(&["as", "is", "begin"])).unwrap_or(after.len());
        let tail = after.iter().rposition(|word| word.kind == WordKind::Text).unwrap_or(head);
        let options = after[..head].iter().chain(after.get(tail..).unwrap_or_default());
        let mut previous: Option<&SqlWord<'_>> = None;
        for word in options {
            if let Some(known) = TRAITS.iter().find(|known| word.is(known)) {
                facts.add_modifier(known);
            }
            if word.is("definer") && previous.is_some_and(|previous| previous.is("security")) {
                facts.add_modifier("security definer");
            }
            if previous.is_some_and(|previous| previous.is("language")) {
                facts.decorators = vec![format!("language {}", word.text.trim_matches('\'').to_ascii_lowercase())];
            }
            previous = Some(word);
        }
        facts.complexity = Some(1 + self.decisions(after.get(head..).unwrap_or_default()));
        let at = self.define(words, ElementKind::Function, name.clone(), facts);
        self.routines.insert(unqualified_name(&name), at);
    }

    fn param(&self, part: &[SqlWord<'t>]) -> Option<Param> {
        let mut rest = part;
        let mut kind = ParamKind::Plain;
        while let Some(mode) = rest.first().filter(|word| word.is_any(&["in", "out", "inout", "variadic"])) {
            if mode.is("variadic") {
                kind = ParamKind::Variadic;
            }
            rest = &rest[1..];
        }
        let first = rest.first()?;
        let default_at = rest.iter().position(|word| word.is("default") || word.is_sign("=") || word.is_sign(":="));
        let declared = &rest[..default_at.unwrap_or(rest.len())];
        // A parameter without a name is only a type, which may have several words or brackets.
        let is_unnamed = declared.len() == 1
            || declared.get(1).is_some_and(|word| word.is_sign("(") || word.is_sign("[") || word.is_sign("."))
            || (first.is("double") && declared.get(1).is_some_and(|word| word.is("precision")))
            || (first.is_any(&["timestamp", "time"])
                && declared.get(1).is_some_and(|word| word.is_any(&["with", "without"])))
            || (first.is_any(&["character", "bit"]) && declared.get(1).is_some_and(|word| word.is("varying")));
        let is_variable = first.text.starts_with('@');
        let (name, type_words) = if is_unnamed && !is_variable {
            (String::new(), declared)
        } else {
            (first.name(), declared.get(1..).unwrap_or_default())
        };
        // Oracle writes the mode after the name, T-SQL writes OUTPUT after the type.
        let skipped = type_words.iter().take_while(|word| word.is_any(&["in", "out", "as", "nocopy"])).count();
        Some(Param {
            name,
            type_name: Some(self.text(&type_words[skipped..])).filter(|text| !text.is_empty()),
            default: default_at.map(|at| self.text(rest.get(at + 1..).unwrap_or_default())),
            kind,
            text: self.text(part),
        })
    }

    pub(super) fn trigger(&mut self, words: &[SqlWord<'t>], at: usize, modifiers: &[&str]) {
        let Some((name, used)) = name(&words[at + 1..]) else {
            return;
        };
        let rest = &words[at + 1 + used..];
        let mut facts = code(&[&["trigger"], modifiers].concat());
        // The events that fire a trigger are at the position of a function's parameters.
        let end = rest
            .iter()
            .position(|word| {
                word.is_any(&["for", "execute", "when", "begin", "as", "referencing", "declare", "follows"])
            })
            .unwrap_or(rest.len());
        facts.params_text = self.text(&rest[..end]).to_lowercase();
        for (at, word) in rest.iter().enumerate() {
            if word.is("each") && rest.get(at + 1).is_some_and(|next| next.is("row")) {
                facts.add_modifier("for each row");
            }
            if word.is("execute") && rest.get(at + 1).is_some_and(|next| next.is_any(&["function", "procedure"])) {
                let called = self.text(&rest[at + 2..]);
                facts.decorators = vec![format!("execute {called}")];
                break;
            }
        }
        facts.complexity = Some(1 + self.decisions(rest.get(end..).unwrap_or_default()));
        let at = self.define(words, ElementKind::Function, name.clone(), facts);
        self.routines.insert(unqualified_name(&name), at);
    }

    /// Counts the decisions among the words of a body, also of one in dollar quotes. AND and OR do not count: most of
    /// them filter rows.
    fn decisions(&self, words: &[SqlWord<'_>]) -> usize {
        let mut count = 0;
        let mut previous: Option<&SqlWord<'_>> = None;
        for word in words {
            let after = |keyword: &str| previous.is_some_and(|previous| previous.is(keyword));
            if word.kind == WordKind::Text && word.text.starts_with('$') {
                let tag = word.text[1..].find('$').map_or(0, |end| end + 2);
                let body = word.text.get(tag..word.text.len().saturating_sub(tag)).unwrap_or_default();
                for inner in statements(body, || self.parsed.cancel.is_cancelled()) {
                    count += self.decisions(&inner);
                }
            } else if word.is_any(&["if", "while", "for", "foreach"]) {
                // `END IF`, `DROP TABLE IF EXISTS`, `FOR UPDATE` and `OPEN c FOR` are not decisions.
                let is_decision = !after("end") && !after("table") && !after("view") && !after("update");
                count += usize::from(is_decision);
            } else if word.is_any(&["elsif", "elseif", "when"]) {
                count += 1;
            } else if word.is_any(&["exists", "update", "each"]) && previous.is_some_and(|p| p.is_any(&["for"])) {
                count -= usize::from(count > 0);
            }
            previous = Some(word);
        }
        count
    }
}
