//! Definitions of SQL: relations with their columns, indexes, routines, triggers, types, schemas.
//!
//! The grammar parses only a part of each dialect, so definitions are read from the words of the statements
//! ([`words`]), in the same way for every dialect. The syntax tree supplies only the comments and reports where it
//! could not parse. Queries, rights and data are not definitions. Words in the body of a routine determine its
//! complexity.
//!
//! [`words`]: super::words

use std::collections::HashMap;

use tree_sitter::Node;

use super::lexer::{SqlWord, WordKind, statements};
use crate::{
    elements::{CodeElement, DefinitionFacts, ElementDetail, ElementKind, ImportFacts, Param, ParamKind, SourceSpan},
    extract::ElementDraft,
    parse::{ParsedFile, one_line},
};

/// The maximum length of a type, a value or a list of columns, in characters.
const TEXT_CHARACTERS: usize = 80;

/// Keywords that end the type of a column or of a result.
const CONSTRAINTS: [&str; 30] = [
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
const TRAITS: [&str; 7] = [
    "immutable",
    "stable",
    "volatile",
    "strict",
    "leakproof",
    "deterministic",
    "pipelined",
];

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

struct SqlDefinitions<'t, 'd> {
    parsed: &'t ParsedFile,
    root: Node<'t>,
    drafts: &'d mut Vec<ElementDraft<'t>>,
    /// Tables and views, keyed by name in lower case and without a schema.
    relations: HashMap<String, usize>,
    /// Routines, indexes, types and schemas, keyed in the same way.
    routines: HashMap<String, usize>,
    /// The spans of comments, in the order of the text.
    comments: Vec<SourceSpan>,
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
                && words
                    .get(1)
                    .is_some_and(|word| word.is_any(&["procedure", "proc", "function", "view"]))
            {
                self.create(words);
            }
        } else if first.is("comment") {
            self.comment_on(words);
        } else if let Some(file) = first.text.strip_prefix("\\i") {
            let file = file
                .trim_start_matches("nclude")
                .trim_start_matches('r')
                .trim_start_matches("_relative")
                .trim();
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
                    let text = self
                        .parsed
                        .source
                        .text
                        .get(start..start + found.len())
                        .unwrap_or_default();
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
                    let kind = if word.is("package") {
                        ElementKind::Module
                    } else {
                        ElementKind::Namespace
                    };
                    let rest = if rest.first().is_some_and(|next| next.is("body")) {
                        &rest[1..]
                    } else {
                        rest
                    };
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

    fn table(&mut self, words: &[SqlWord<'t>], at: usize, modifiers: &[&str]) {
        let Some((name, used)) = name(&words[at + 1..]) else {
            return;
        };
        let rest = &words[at + 1 + used..];
        let mut facts = code(&[&["table"], modifiers].concat());
        // `PARTITION OF parent`, `INHERITS (parent)`
        if rest.first().is_some_and(|word| word.is("partition")) {
            facts.add_modifier("partition");
            facts
                .extends
                .extend(self::name(rest.get(2..).unwrap_or_default()).map(|(name, _)| name));
        }
        if let Some(inherits) = rest.iter().position(|word| word.is("inherits")) {
            let parents = bracketed_words(&rest[inherits + 1..]);
            facts
                .extends
                .extend(commas(parents).into_iter().filter_map(|part| Some(self::name(part)?.0)));
        }
        let relation = self.define(words, ElementKind::Relation, name.clone(), facts);
        self.relations.insert(unqualified_name(&name), relation);
        let body = rest.iter().position(|word| word.is_sign("("));
        let query = rest
            .iter()
            .position(|word| word.is_any(&["as", "select", "inherits", "partition"]));
        if let Some(body) = body.filter(|body| query.is_none_or(|query| *body < query)) {
            self.columns(relation, bracketed_words(&rest[body..]));
        }
    }

    fn columns(&mut self, relation: usize, body: &[SqlWord<'t>]) {
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

    fn column(&mut self, relation: Option<usize>, part: &[SqlWord<'t>]) -> Option<usize> {
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
        if facts
            .type_name
            .as_deref()
            .is_some_and(|name| name.to_ascii_lowercase().contains("serial"))
        {
            facts.add_modifier("auto_increment");
        }
        let name = match first.kind {
            WordKind::Text => first.text.trim_matches('\'').to_owned(),
            _ => first.name(),
        };
        let comment = part
            .iter()
            .position(|word| word.is("comment"))
            .and_then(|at| part.get(at + 1));
        if let Some(comment) = comment.filter(|word| word.kind == WordKind::Text) {
            facts.doc = Some(unquoted(comment.text));
        }
        Some(self.push(part, ElementKind::Field, name, facts, relation))
    }

    /// Reads the constraints after a column's type.
    fn constraints(&self, facts: &mut DefinitionFacts, words: &[SqlWord<'t>]) {
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
            .map_or(String::new(), |_| {
                self.text(&words[used..used + span_of_group(&words[used..])])
            });
        one_line(&format!("references {target}{columns}"), TEXT_CHARACTERS)
    }

    /// Applies a table constraint to the columns that it names; a key of `MySQL` is an index.
    fn constraint(&mut self, relation: usize, part: &[SqlWord<'t>]) {
        let bare = match part.first() {
            Some(first) if first.is("constraint") && part.get(1).is_some_and(|word| !word.is_any(&KEYS)) => &part[2..],
            Some(first) if first.is("constraint") => &part[1..],
            _ => part,
        };
        let Some(first) = bare.first() else { return };
        let Some(open) = bare.iter().position(|word| word.is_sign("(")) else {
            return;
        };
        let columns: Vec<String> = commas(bracketed_words(&bare[open..]))
            .into_iter()
            .filter_map(|part| Some(part.first()?.name()))
            .collect();
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
            let named = bare[..open]
                .iter()
                .rev()
                .find(|word| word.is_name() && !word.is_any(&KEYS));
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
                && columns
                    .iter()
                    .any(|column| column.eq_ignore_ascii_case(&draft.element.name));
            if let Some(code) = draft.code().filter(|_| is_meant) {
                // Several columns are unique together, which does not make any of them unique.
                if modifier != "unique" || columns.len() == 1 {
                    code.add_modifier(&modifier);
                }
            }
        }
    }

    fn view(&mut self, words: &[SqlWord<'t>], at: usize, modifiers: &[&str]) {
        let Some((name, used)) = name(&words[at + 1..]) else {
            return;
        };
        let rest = &words[at + 1 + used..];
        let relation = self.define(
            words,
            ElementKind::Relation,
            name.clone(),
            code(&[&["view"], modifiers].concat()),
        );
        self.relations.insert(unqualified_name(&name), relation);
        if rest.first().is_some_and(|word| word.is_sign("(")) {
            for part in commas(bracketed_words(rest)) {
                self.column(Some(relation), &part[..part.len().min(1)]);
            }
        }
    }

    fn index(&mut self, words: &[SqlWord<'t>], at: usize, modifiers: &[&str]) {
        let rest = &words[at + 1..];
        let Some(on) = rest.iter().position(|word| word.is("on")) else {
            return;
        };
        let named = name(&rest[..on]).filter(|(name, _)| !name.eq_ignore_ascii_case("concurrently"));
        let after = &rest[on + 1..];
        let after = if after.first().is_some_and(|word| word.is("only")) {
            &after[1..]
        } else {
            after
        };
        let Some((table, used)) = name(after) else { return };
        let mut facts = code(modifiers);
        if rest[..on].iter().any(|word| word.is("concurrently")) {
            facts.add_modifier("concurrently");
        }
        if let Some(using) = after
            .iter()
            .position(|word| word.is("using"))
            .and_then(|at| after.get(at + 1))
        {
            facts.add_modifier(&format!("using {}", using.text.to_ascii_lowercase()));
        }
        if let Some(open) = after[used..].iter().position(|word| word.is_sign("(")) {
            let list = &after[used + open..];
            facts.value = Some(self.text(&list[..span_of_group(list)]));
        }
        if after.iter().any(|word| word.is("where")) {
            facts.add_modifier("partial");
        }
        facts.type_name = Some(table.clone());
        let name = named.map_or_else(|| format!("on {table}"), |(name, _)| name);
        let at = self.define(words, ElementKind::Index, name.clone(), facts);
        self.routines.insert(unqualified_name(&name), at);
    }

    fn routine(&mut self, words: &[SqlWord<'t>], at: usize, modifiers: &[&str]) {
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
        let result = after
            .iter()
            .position(|word| word.is_any(&["returns", "return"]))
            .filter(|at| {
                // The RETURN of a body is not a result type.
                after[*at].is("returns") || after[..*at].is_empty()
            });
        if let Some(at) = result {
            let declared = &after[at + 1..];
            let length = end_of_type(declared, &CLAUSES);
            facts.type_name = Some(self.text(&declared[..length])).filter(|text| !text.is_empty());
        }
        let head = after
            .iter()
            .position(|word| word.is_any(&["as", "is", "begin"]))
            .unwrap_or(after.len());
        let tail = after
            .iter()
            .rposition(|word| word.kind == WordKind::Text)
            .unwrap_or(head);
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
                facts.decorators = vec![format!(
                    "language {}",
                    word.text.trim_matches('\'').to_ascii_lowercase()
                )];
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
        while let Some(mode) = rest
            .first()
            .filter(|word| word.is_any(&["in", "out", "inout", "variadic"]))
        {
            if mode.is("variadic") {
                kind = ParamKind::Variadic;
            }
            rest = &rest[1..];
        }
        let first = rest.first()?;
        let default_at = rest
            .iter()
            .position(|word| word.is("default") || word.is_sign("=") || word.is_sign(":="));
        let declared = &rest[..default_at.unwrap_or(rest.len())];
        // A parameter without a name is only a type, which may have several words or brackets.
        let is_unnamed = declared.len() == 1
            || declared
                .get(1)
                .is_some_and(|word| word.is_sign("(") || word.is_sign("[") || word.is_sign("."))
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
        let skipped = type_words
            .iter()
            .take_while(|word| word.is_any(&["in", "out", "as", "nocopy"]))
            .count();
        Some(Param {
            name,
            type_name: Some(self.text(&type_words[skipped..])).filter(|text| !text.is_empty()),
            default: default_at.map(|at| self.text(rest.get(at + 1..).unwrap_or_default())),
            kind,
            text: self.text(part),
        })
    }

    fn trigger(&mut self, words: &[SqlWord<'t>], at: usize, modifiers: &[&str]) {
        let Some((name, used)) = name(&words[at + 1..]) else {
            return;
        };
        let rest = &words[at + 1 + used..];
        let mut facts = code(&[&["trigger"], modifiers].concat());
        // The events that fire a trigger are at the position of a function's parameters.
        let end = rest
            .iter()
            .position(|word| {
                word.is_any(&[
                    "for",
                    "execute",
                    "when",
                    "begin",
                    "as",
                    "referencing",
                    "declare",
                    "follows",
                ])
            })
            .unwrap_or(rest.len());
        facts.params_text = self.text(&rest[..end]).to_lowercase();
        for (at, word) in rest.iter().enumerate() {
            if word.is("each") && rest.get(at + 1).is_some_and(|next| next.is("row")) {
                facts.add_modifier("for each row");
            }
            if word.is("execute")
                && rest
                    .get(at + 1)
                    .is_some_and(|next| next.is_any(&["function", "procedure"]))
            {
                let called = self.text(&rest[at + 2..]);
                facts.decorators = vec![format!("execute {called}")];
                break;
            }
        }
        facts.complexity = Some(1 + self.decisions(rest.get(end..).unwrap_or_default()));
        let at = self.define(words, ElementKind::Function, name.clone(), facts);
        self.routines.insert(unqualified_name(&name), at);
    }

    fn declared_type(&mut self, words: &[SqlWord<'t>], at: usize, modifiers: &[&str]) {
        let rest = &words[at + 1..];
        let rest = if rest.first().is_some_and(|next| next.is("body")) {
            &rest[1..]
        } else {
            rest
        };
        let Some((name, used)) = name(rest) else { return };
        let rest = &rest[used..];
        let body = rest.iter().position(|word| word.is_sign("("));
        let is_enum = rest.iter().take(2).any(|word| word.is("enum"));
        let is_range = rest.iter().take(2).any(|word| word.is("range"));
        let is_composite = !is_range
            && body.is_some_and(|body| {
                rest[..body]
                    .last()
                    .is_some_and(|word| word.is_any(&["as", "object", "table"]))
            });
        let mut facts = code(modifiers);
        let kind = if is_enum {
            ElementKind::Enum
        } else if is_composite {
            ElementKind::Struct
        } else {
            ElementKind::Type
        };
        if words[at].is("domain") {
            facts.add_modifier("domain");
            let base = rest.first().filter(|word| word.is("as")).map_or(rest, |_| &rest[1..]);
            let length = end_of_type(base, &CONSTRAINTS);
            facts.type_name = Some(self.text(&base[..length]));
            self.constraints(&mut facts, &base[length..]);
        } else if is_range {
            facts.add_modifier("range");
        }
        let defined = self.define(words, kind, name.clone(), facts);
        self.routines.insert(unqualified_name(&name), defined);
        let inside = body.map_or(&rest[..0], |body| bracketed_words(&rest[body..]));
        if is_enum {
            for part in commas(inside) {
                if let [word, ..] = part {
                    self.push(
                        part,
                        ElementKind::EnumMember,
                        unquoted(word.text),
                        DefinitionFacts::default(),
                        Some(defined),
                    );
                }
            }
        } else if is_composite {
            self.columns(defined, inside);
        }
    }

    fn alter_table(&mut self, words: &[SqlWord<'t>]) {
        let mut rest = &words[2..];
        while rest.first().is_some_and(|word| word.is_any(&["only", "if", "exists"])) {
            rest = &rest[1..];
        }
        let Some((table, used)) = name(rest) else { return };
        let known = self.relations.get(&unqualified_name(&table)).copied();
        for part in commas(&rest[used..]) {
            if !part.first().is_some_and(|word| word.is("add")) {
                continue;
            }
            let mut added = &part[1..];
            if is_constraint(added) {
                if let Some(relation) = known {
                    self.constraint(relation, added);
                }
                continue;
            }
            while added
                .first()
                .is_some_and(|word| word.is_any(&["column", "if", "not", "exists"]))
            {
                added = &added[1..];
            }
            if let Some(at) = self.column(None, added) {
                // The column is outside of its table, so its name includes the table's.
                let element = &mut self.drafts[at].element;
                element.name = format!("{table}.{}", element.name);
                if let Some(code) = element.code_mut() {
                    code.modifiers.insert(0, "added".to_owned());
                }
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

    fn import(&mut self, words: &[SqlWord<'t>], module: &str, modifier: &str) {
        let detail = ElementDetail::Import(Box::new(ImportFacts {
            module: module.to_owned(),
            names: Vec::new(),
            modifiers: vec![modifier.to_owned()],
        }));
        let span = self.span(words);
        let element = CodeElement {
            kind: ElementKind::Import,
            name: module.to_owned(),
            span,
            parent: None,
            nodes: [(span.start_byte, span.end_byte); 2],
            detail,
        };
        self.drafts.push(ElementDraft::from_element(self.root, element));
    }

    /// Adds a definition that covers a whole statement, with the comment before it.
    fn define(&mut self, words: &[SqlWord<'t>], kind: ElementKind, name: String, mut facts: DefinitionFacts) -> usize {
        facts.doc = words.first().and_then(|first| self.doc(first.start));
        self.push(words, kind, name, facts, None)
    }

    fn push(
        &mut self,
        words: &[SqlWord<'t>],
        kind: ElementKind,
        name: String,
        facts: DefinitionFacts,
        parent: Option<usize>,
    ) -> usize {
        let span = self.span(words);
        let element = CodeElement {
            kind,
            name,
            span,
            parent,
            nodes: [(span.start_byte, span.end_byte); 2],
            detail: ElementDetail::Code(Box::new(facts)),
        };
        self.drafts.push(ElementDraft::from_element(self.root, element));
        self.drafts.len() - 1
    }

    fn span(&self, words: &[SqlWord<'_>]) -> SourceSpan {
        let start = words.first().map_or(0, |word| word.start);
        let end = words.last().map_or(start, SqlWord::end);
        self.parsed.lines.span(&self.parsed.source.text, start, end)
    }

    /// Returns words as written, on one line.
    fn text(&self, words: &[SqlWord<'_>]) -> String {
        let (Some(first), Some(last)) = (words.first(), words.last()) else {
            return String::new();
        };
        let text = self.parsed.source.text.get(first.start..last.end()).unwrap_or_default();
        one_line(text, TEXT_CHARACTERS)
    }

    /// Returns the comments directly above a statement, without their comment signs.
    fn doc(&self, start: usize) -> Option<String> {
        let text = &self.parsed.source.text;
        let mut at = self.comments.partition_point(|comment| comment.end_byte <= start);
        let mut next = start;
        let mut lines: Vec<String> = Vec::new();
        while let Some(comment) = at.checked_sub(1).and_then(|at| self.comments.get(at)) {
            let between = text.get(comment.end_byte..next)?;
            let is_own_line = text[..comment.start_byte]
                .bytes()
                .rev()
                .take_while(|byte| *byte != b'\n')
                .all(|byte| byte.is_ascii_whitespace());
            if !between.trim().is_empty() || between.matches('\n').count() > 1 || !is_own_line {
                break;
            }
            let written = text.get(comment.start_byte..comment.end_byte)?;
            let bare = written.trim_start_matches("/*").trim_end_matches("*/");
            let bare: Vec<&str> = bare
                .lines()
                .map(|line| line.trim().trim_start_matches(['-', '*']).trim())
                .collect();
            lines.insert(0, bare.join("\n").trim().to_owned());
            next = comment.start_byte;
            at -= 1;
        }
        let doc = lines.join("\n").trim().chars().take(2_000).collect::<String>();
        Some(doc).filter(|doc| !doc.is_empty())
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
                let body = word
                    .text
                    .get(tag..word.text.len().saturating_sub(tag))
                    .unwrap_or_default();
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

/// Keywords with which a table constraint can begin.
const KEYS: [&str; 10] = [
    "primary", "unique", "foreign", "check", "key", "index", "fulltext", "spatial", "exclude", "like",
];

fn is_constraint(part: &[SqlWord<'_>]) -> bool {
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
const TYPES: [&str; 10] = [
    "varchar",
    "char",
    "character",
    "numeric",
    "decimal",
    "int",
    "integer",
    "nvarchar",
    "varbinary",
    "bigint",
];

fn code(modifiers: &[&str]) -> DefinitionFacts {
    let mut code = DefinitionFacts::default();
    for modifier in modifiers {
        code.add_modifier(&modifier.to_ascii_lowercase());
    }
    code
}

/// Returns a name with its schema, and the number of words read; leading words such as `IF NOT EXISTS` are skipped.
fn name(words: &[SqlWord<'_>]) -> Option<(String, usize)> {
    let mut at = words
        .iter()
        .take_while(|word| word.is_any(&["if", "not", "exists", "concurrently"]))
        .count();
    let mut parts = Vec::new();
    loop {
        let word = words.get(at).filter(|word| word.is_name())?;
        parts.push(word.name());
        at += 1;
        if !words.get(at).is_some_and(|word| word.is_sign(".")) {
            return Some((parts.join("."), at));
        }
        at += 1;
    }
}

/// Returns a name without its schema, in the form used for comparison.
fn unqualified_name(name: &str) -> String {
    name.rsplit('.').next().unwrap_or(name).to_lowercase()
}

/// Returns the number of words in a bracketed group, including the brackets; 0 without a bracket.
fn span_of_group(words: &[SqlWord<'_>]) -> usize {
    let mut depth = 0_usize;
    for (at, word) in words.iter().enumerate() {
        if word.is_sign("(") {
            depth += 1;
        } else if word.is_sign(")") {
            depth = depth.saturating_sub(1);
        }
        if depth == 0 {
            return if at == 0 { 0 } else { at + 1 };
        }
    }
    words.len()
}

/// Returns the words within the leading bracketed group.
fn bracketed_words<'w, 't>(words: &'w [SqlWord<'t>]) -> &'w [SqlWord<'t>] {
    let span = span_of_group(words);
    // A list without a closing bracket ends with the statement.
    let closing = words.get(..span).and_then(<[_]>::last).filter(|last| last.is_sign(")"));
    words.get(1..span - usize::from(closing.is_some())).unwrap_or_default()
}

/// Splits words at the commas outside of brackets.
fn commas<'w, 't>(words: &'w [SqlWord<'t>]) -> Vec<&'w [SqlWord<'t>]> {
    let mut depth = 0_usize;
    words
        .split(|word| {
            if word.is_sign("(") {
                depth += 1;
            } else if word.is_sign(")") {
                depth = depth.saturating_sub(1);
            }
            depth == 0 && word.is_sign(",")
        })
        .filter(|part| !part.is_empty())
        .collect()
}

/// Returns the number of words in a type, up to one of these keywords.
fn end_of_type(words: &[SqlWord<'_>], ends: &[&str]) -> usize {
    let mut depth = 0_usize;
    for (at, word) in words.iter().enumerate() {
        if word.is_sign("(") {
            depth += 1;
        } else if word.is_sign(")") {
            depth = depth.saturating_sub(1);
        } else if depth == 0 && at > 0 && word.is_any(ends) {
            // `character varying`, `with time zone` and `SET` types are types.
            return at;
        } else if depth == 0 && at == 0 && word.is_any(ends) && !word.is_any(&["character", "null"]) {
            return 0;
        }
    }
    words.len()
}

/// Returns a string without its quotes.
fn unquoted(text: &str) -> String {
    let start = text.find('\'').map_or(0, |at| at + 1);
    let inner = text.get(start..text.len().saturating_sub(1)).unwrap_or_default();
    inner.replace("''", "'")
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use crate::{extract::extract, languages::by_name, parse::tests::parsed, table::signature};

    /// Returns the last line, qualified name, signature, modifiers and complexity of each definition.
    fn outline(text: &str) -> Vec<String> {
        let parsed = parsed("a.sql", text);
        let facts = &by_name("sql").expect("known").facts;
        let elements = extract(&parsed, &CancellationToken::new()).expect("elements");
        let line = |(at, element): (usize, &crate::elements::CodeElement)| {
            let code = element.code()?;
            Some(format!(
                "{} {} {} [{}] {}",
                element.span.end_line,
                elements.qualified_name(at),
                signature(element, facts),
                code.modifiers.join(" "),
                code.complexity.unwrap_or(0)
            ))
        };
        elements.list.iter().enumerate().filter_map(line).collect()
    }

    #[test]
    fn t_sql_definitions_are_found() {
        assert_eq!(
            outline(
                "CREATE OR ALTER PROCEDURE [dbo].[Get] @id int = 1, @all bit OUTPUT\nAS\nBEGIN\n  IF @id > 1 BEGIN SELECT 1; END\n  SELECT 2;\nEND\nGO\nCREATE TABLE #t ([Id] int IDENTITY(1,1) NOT NULL, Name nvarchar(max) NULL)\nGO\nALTER FUNCTION f(@a int) RETURNS int AS BEGIN RETURN @a END\n"
            ),
            [
                "6 dbo.Get dbo.Get(@id int = 1, @all bit OUTPUT) [procedure] 2",
                "8 #t #t [table] 0",
                "8 #t.Id Id: int [identity not null] 0",
                "8 #t.Name Name: nvarchar(max) [] 0",
                "10 f f(@a int) returns int [] 1",
            ]
        );
    }

    #[test]
    fn oracle_definitions_are_found() {
        assert_eq!(
            outline(
                "CREATE OR REPLACE FUNCTION total (p_id IN NUMBER, p_x OUT VARCHAR2) RETURN NUMBER IS\n  v NUMBER;\nBEGIN\n  FOR r IN (SELECT 1 FROM dual) LOOP\n    v := 1;\n  END LOOP;\n  RETURN v;\nEXCEPTION WHEN OTHERS THEN RETURN 0;\nEND total;\n/\nCREATE TABLE t (id NUMBER(10) DEFAULT 1 NOT NULL, CONSTRAINT t_pk PRIMARY KEY (id));\n"
            ),
            [
                "9 total total(p_id IN NUMBER, p_x OUT VARCHAR2) returns NUMBER [] 3",
                "11 t t [table] 0",
                "11 t.id id: NUMBER(10) = 1 [not null primary key] 0",
            ]
        );
    }

    #[test]
    fn mysql_and_sqlite_definitions_are_found() {
        assert_eq!(
            outline(
                "DELIMITER //\nCREATE DEFINER=`root`@`localhost` PROCEDURE pay(IN who BIGINT)\nBEGIN\n  IF who THEN SELECT CASE who WHEN 1 THEN 2 END; END IF;\nEND//\nDELIMITER ;\nCREATE TABLE IF NOT EXISTS `key` (`key` varchar(9) CHARACTER SET utf8 DEFAULT 'a,b', FULLTEXT KEY ft (`key`), CONSTRAINT fk FOREIGN KEY (`key`) REFERENCES o (`x`) ON DELETE SET NULL);\nCREATE TRIGGER tr AFTER INSERT ON t BEGIN UPDATE t SET a = 1; END;\nCREATE VIRTUAL TABLE docs USING fts5(body);\n"
            ),
            [
                "5 pay pay(IN who BIGINT) [procedure] 3",
                "7 key key [table] 0",
                "7 key.key key: varchar(9) = 'a,b' [references o(`x`)] 0",
                "7 key.ft ft = (`key`) [fulltext] 0",
                "8 tr tr(after insert on t) [trigger] 1",
                "9 docs docs [table virtual] 0",
                "9 docs.body body [] 0",
            ]
        );
    }

    #[test]
    fn broken_statement_does_not_hide_later_ones() {
        assert_eq!(
            outline("CREATE TABLE a (b int;\n\nCREATE TABLE;\nCREATE VIEW v AS SELECT 'x;\n"),
            ["1 a a [table] 0", "1 a.b b: int [] 0", "4 v v [view] 0"]
        );
    }
}
