//! Columns of relations with their types and constraints, and the constraints of whole tables.

use super::{
    definitions::{SqlDefinitions, TEXT_CHARACTERS},
    lexer::{SqlWord, WordKind},
    phrases::{bracketed_words, commas, end_of_type, name, span_of_group, unquoted},
};
use crate::{
    elements::{DefinitionFacts, ElementKind},
    parse::one_line,
};

/// Keywords that end the type of a column or of a result.
pub(super) const CONSTRAINTS: [&str; 30] = [
    "not",
    "null",
    "default",
    "primary",
    "unique",
    "references",
    "check",
    "constraint",
    "generated",
    "collate",
    "auto_increment",
    "autoincrement",
    "identity",
    "comment",
    "on",
    "as",
    "stored",
    "virtual",
    "key",
    "character",
    "charset",
    "invisible",
    "encode",
    "distkey",
    "sortkey",
    "rowguidcol",
    "sparse",
    "foreign",
    "enable",
    "storage",
];

impl<'t> SqlDefinitions<'t, '_> {
    pub(super) fn columns(&mut self, relation: usize, body: &[SqlWord<'t>]) {
        let mut later = Vec::new();
        for part in commas(body) {
            if is_constraint(part) {
                later.push(part);
            } else {
                self.column(Some(relation), part);
            }
        }
        for part in later {
            self.constraint(relation, part);
        }
    }

    pub(super) fn column(&mut self, relation: Option<usize>, part: &[SqlWord<'t>]) -> Option<usize> {
        let (first, rest) = part.split_first()?;
        if !first.is_name() && first.kind != WordKind::Text {
            return None;
        }
        let type_end = end_of_type(rest, &CONSTRAINTS);
        let mut facts = DefinitionFacts {
            type_name: Some(self.text(&rest[..type_end])).filter(|text| !text.is_empty()),
            ..DefinitionFacts::default()
        };
        self.constraints(&mut facts, &rest[type_end..]);
        if facts.type_name.as_deref().is_some_and(|name| name.to_ascii_lowercase().contains("serial")) {
            facts.add_modifier("auto_increment");
        }
        let name = match first.kind {
            WordKind::Text => first.text.trim_matches('\'').to_owned(),
            _ => first.name(),
        };
        let comment = part.iter().position(|word| word.is("comment")).and_then(|at| part.get(at + 1));
        if let Some(comment) = comment.filter(|word| word.kind == WordKind::Text) {
            facts.doc = Some(unquoted(comment.text));
        }
        Some(self.push(part, ElementKind::Field, name, facts, relation))
    }

    /// Reads the constraints after a column's type.
    pub(super) fn constraints(&self, facts: &mut DefinitionFacts, words: &[SqlWord<'t>]) {
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let next = words.get(at + 1);
            let next_is = |keyword: &str| next.is_some_and(|next| next.is(keyword));
            if word.is("constraint") {
                at += 2;
                continue;
            }
            if word.is("not") && next_is("null") {
                facts.add_modifier("not null");
            } else if word.is("primary") {
                facts.add_modifier("primary key");
            } else if word.is("unique") {
                facts.add_modifier("unique");
            } else if word.is_any(&["auto_increment", "autoincrement"]) {
                facts.add_modifier("auto_increment");
            } else if word.is("identity") {
                facts.add_modifier("identity");
            } else if word.is("generated") {
                facts.add_modifier("generated");
            } else if word.is("check") {
                facts.add_modifier("check");
                at += 1 + span_of_group(&words[at + 1..]);
                continue;
            } else if word.is("references") {
                facts.add_modifier(&self.reference(&words[at + 1..]));
                at += 1;
            } else if word.is("set") {
                // ON DELETE SET NULL, SET DEFAULT.
                at += 2;
                continue;
            } else if word.is("default") && facts.value.is_none() {
                let length = end_of_type(&words[at + 1..], &CONSTRAINTS).max(1);
                let value = words.get(at + 1..at + 1 + length).unwrap_or_default();
                facts.value = Some(self.text(value)).filter(|text| !text.is_empty());
                at += 1 + length;
                continue;
            } else if word.is("as") && facts.value.is_none() && next.is_some_and(|next| next.is_sign("(")) {
                facts.add_modifier("generated");
                facts.value = Some(self.text(&words[at + 1..at + 1 + span_of_group(&words[at + 1..])]));
            }
            if word.is_sign("(") {
                at += span_of_group(&words[at..]);
            } else {
                at += 1;
            }
        }
    }

    /// Returns a reference such as `references countries(id)`.
    fn reference(&self, words: &[SqlWord<'t>]) -> String {
        let Some((target, used)) = name(words) else {
            return "references".to_owned();
        };
        let columns = words
            .get(used)
            .filter(|word| word.is_sign("("))
            .map_or(String::new(), |_| self.text(&words[used..used + span_of_group(&words[used..])]));
        one_line(&format!("references {target}{columns}"), TEXT_CHARACTERS)
    }

    /// Applies a table constraint to the columns that it names; a key of `MySQL` is an index.
    pub(super) fn constraint(&mut self, relation: usize, part: &[SqlWord<'t>]) {
        let bare = match part.first() {
            Some(first) if first.is("constraint") && part.get(1).is_some_and(|word| !word.is_any(&KEYS)) => &part[2..],
            Some(first) if first.is("constraint") => &part[1..],
            _ => part,
        };
        let Some(first) = bare.first() else { return };
        let Some(open) = bare.iter().position(|word| word.is_sign("(")) else {
            return;
        };
        let columns: Vec<String> =
            commas(bracketed_words(&bare[open..])).into_iter().filter_map(|part| Some(part.first()?.name())).collect();
        let modifier = if first.is("primary") {
            "primary key".to_owned()
        } else if first.is("unique") {
            "unique".to_owned()
        } else if first.is("foreign") {
            match bare.iter().position(|word| word.is("references")) {
                Some(at) => self.reference(&bare[at + 1..]),
                None => return,
            }
        } else if first.is_any(&["key", "index", "fulltext", "spatial"]) {
            let named = bare[..open].iter().rev().find(|word| word.is_name() && !word.is_any(&KEYS));
            let facts = DefinitionFacts {
                value: Some(self.text(&bare[open..open + span_of_group(&bare[open..])])),
                modifiers: if first.is_any(&["key", "index"]) {
                    Vec::new()
                } else {
                    vec![first.text.to_ascii_lowercase()]
                },
                ..DefinitionFacts::default()
            };
            let name = named.map_or_else(|| columns.join("_"), SqlWord::name);
            self.push(part, ElementKind::Index, name, facts, Some(relation));
            return;
        } else {
            return;
        };
        for draft in self.drafts.iter_mut() {
            let is_meant = draft.element.parent == Some(relation)
                && columns.iter().any(|column| column.eq_ignore_ascii_case(&draft.element.name));
            if let Some(code) = draft.code().filter(|_| is_meant) {
                // Several columns are unique together, which does not make any of them unique.
                if modifier != "unique" || columns.len() == 1 {
                    code.add_modifier(&modifier);
                }
            }
        }
    }
}

/// Keywords with which a table constraint can begin.
const KEYS: [&str; 10] =
    ["primary", "unique", "foreign", "check", "key", "index", "fulltext", "spatial", "exclude", "like"];

pub(super) fn is_constraint(part: &[SqlWord<'_>]) -> bool {
    let Some(first) = part.first() else { return true };
    if first.is("constraint") {
        return true;
    }
    // A column may be called `key` or `index`: then a type follows, whereas a constraint has a list.
    let second = part.get(1);
    first.is_any(&KEYS)
        && second.is_some_and(|second| {
            second.is_sign("(")
                || second.is_any(&["key", "index", "nulls"])
                || (part.get(2).is_some_and(|third| third.is_sign("(") || third.is("using")) && !second.is_any(&TYPES))
                || first.is_any(&["like", "exclude"])
        })
}

/// Types that are followed by brackets.
const TYPES: [&str; 10] =
    ["varchar", "char", "character", "numeric", "decimal", "int", "integer", "nvarchar", "varbinary", "bigint"];
