//! Definitions of SQL: relations with their columns, indexes, routines, triggers, types, schemas.
//!
//! The grammar parses only a part of each dialect, so definitions are read from the words of the statements
//! ([`super::lexer`]), in the same way for every dialect. The syntax tree supplies only the comments and reports where
//! it could not parse. Queries, rights and data are not definitions. Words in the body of a routine determine its
//! complexity.

use std::collections::HashMap;

use super::{
    definitions::{SqlDefinitions, code},
    lexer::{SqlWord, WordKind, statements},
    phrases::{name, unqualified_name, unquoted},
};
use crate::{
    elements::{ElementKind, SourceSpan},
    extract::ElementDraft,
    parse::ParsedFile,
};

pub(crate) fn refine<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    let comments: Vec<SourceSpan> = drafts.iter().map(|draft| draft.element.span).collect();
    let mut reader = SqlDefinitions {
        parsed,
        root: parsed.tree.root_node(),
        drafts,
        relations: HashMap::new(),
        routines: HashMap::new(),
        comments,
    };
    for words in statements(&parsed.source.text, || parsed.cancel.is_cancelled()) {
        reader.statement(&words);
    }
}

impl<'t> SqlDefinitions<'t, '_> {
    fn statement(&mut self, words: &[SqlWord<'t>]) {
        let Some(first) = words.first() else { return };
        if first.is("create") {
            self.create(words);
        } else if first.is("alter") {
            // `ALTER PROCEDURE ... AS` of T-SQL redefines the procedure; PostgreSQL's only changes some of its
            // properties.
            let has_body = words.iter().any(|word| word.is("as"));
            if words.get(1).is_some_and(|word| word.is("table")) {
                self.alter_table(words);
            } else if has_body
                && words.get(1).is_some_and(|word| word.is_any(&["procedure", "proc", "function", "view"]))
            {
                self.create(words);
            }
        } else if first.is("comment") {
            self.comment_on(words);
        } else if let Some(file) = first.text.strip_prefix("\\i") {
            let file = file.trim_start_matches("nclude").trim_start_matches('r').trim_start_matches("_relative").trim();
            self.import(words, file.trim_matches('\''), "include");
        } else if first.is("source") {
            let file: String = words.iter().skip(1).map(|word| word.text).collect();
            self.import(words, &file, "include");
        }
    }

    fn create(&mut self, words: &[SqlWord<'t>]) {
        let mut modifiers: Vec<&str> = Vec::new();
        for (at, word) in words.iter().enumerate().skip(1).take(12) {
            let rest = &words[at + 1..];
            match word.text.to_ascii_lowercase().as_str() {
                "or" | "replace" | "alter" | "if" | "not" | "exists" | "definer" | "default" | "local" | "global"
                | "editionable" | "noneditionable" | "force" | "algorithm" | "security" | "invoker" | "undefined"
                | "merge" | "sql" | "public" | "trusted" | "procedural" => {}
                "temp" | "temporary" => modifiers.push("temporary"),
                "unique" => modifiers.push("unique"),
                found @ ("unlogged" | "external" | "foreign" | "virtual" | "transient" | "materialized"
                | "recursive" | "clustered" | "nonclustered" | "fulltext" | "spatial" | "bitmap"
                | "constraint" | "aggregate" | "private" | "dynamic" | "hybrid") => {
                    // Borrows the word from the source, because the text must live as long as the file.
                    let start = word.start;
                    let text = self.parsed.source.text.get(start..start + found.len()).unwrap_or_default();
                    modifiers.push(text);
                    if found == "aggregate" && !rest.first().is_some_and(|next| next.is("function")) {
                        return self.routine(words, at, &modifiers);
                    }
                }
                "table" => return self.table(words, at, &modifiers),
                "view" => return self.view(words, at, &modifiers),
                "index" => return self.index(words, at, &modifiers),
                "function" | "procedure" | "proc" | "macro" | "event" => {
                    if word.is_any(&["procedure", "proc"]) {
                        modifiers.insert(0, "procedure");
                    } else if word.is("macro") {
                        modifiers.insert(0, "macro");
                    } else if word.is("event") {
                        modifiers.insert(0, "event");
                    }
                    // `CREATE EVENT TRIGGER` of PostgreSQL.
                    if rest.first().is_some_and(|next| next.is("trigger")) {
                        continue;
                    }
                    return self.routine(words, at, &modifiers);
                }
                "trigger" => return self.trigger(words, at, &modifiers),
                "type" | "domain" => return self.declared_type(words, at, &modifiers),
                "schema" | "database" | "package" => {
                    let kind = if word.is("package") { ElementKind::Module } else { ElementKind::Namespace };
                    let rest = if rest.first().is_some_and(|next| next.is("body")) { &rest[1..] } else { rest };
                    if word.is("database") {
                        modifiers.push("database");
                    }
                    let named = name(rest).filter(|(name, _)| !name.eq_ignore_ascii_case("authorization"));
                    let of_owner = || name(rest.get(1..).unwrap_or_default());
                    if let Some((name, _)) = named.or_else(of_owner) {
                        self.define(words, kind, name, code(&modifiers));
                    }
                    return;
                }
                "sequence" => {
                    if let Some((name, _)) = name(rest) {
                        modifiers.insert(0, "sequence");
                        self.define(words, ElementKind::Variable, name, code(&modifiers));
                    }
                    return;
                }
                "extension" => {
                    if let Some((name, _)) = name(rest) {
                        self.import(words, &name, "extension");
                    }
                    return;
                }
                // `DEFINER = 'a'@'b'`
                _ if word.kind != WordKind::Bare || word.text.starts_with('@') => {}
                _ if words[at - 1].is_sign("=") || words[at - 1].is_sign("@") => {}
                _ => return,
            }
        }
    }

    /// Documents an earlier definition by `COMMENT ON COLUMN a.b IS '...'`.
    fn comment_on(&mut self, words: &[SqlWord<'t>]) {
        let Some(is) = words.iter().rposition(|word| word.is("is")) else {
            return;
        };
        let Some(text) = words.get(is + 1).filter(|word| word.kind == WordKind::Text) else {
            return;
        };
        let Some(what) = words.get(2) else { return };
        let from = if what.is("materialized") { 4 } else { 3 };
        let Some(target) = words.get(from..is) else { return };
        let Some((name, _)) = name(target) else { return };
        let at = if what.is_any(&["table", "view", "materialized"]) {
            self.relations.get(&unqualified_name(&name)).copied()
        } else if what.is("column") {
            let (table, column) = name.rsplit_once('.').unwrap_or(("", &name));
            let relation = self.relations.get(&unqualified_name(table)).copied();
            relation.and_then(|relation| {
                self.drafts
                    .iter()
                    .position(|draft| draft.element.parent == Some(relation) && draft.element.name == column)
            })
        } else {
            self.routines.get(&unqualified_name(&name)).copied()
        };
        if let Some(code) = at.and_then(|at| self.drafts[at].code()) {
            code.doc = Some(unquoted(text.text)).filter(|doc| !doc.is_empty());
        }
    }
}
