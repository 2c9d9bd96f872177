//! Tables, views and indexes, and the columns that `ALTER TABLE` adds.

use super::{
    columns::is_constraint,
    definitions::{SqlDefinitions, code},
    lexer::SqlWord,
    phrases::{bracketed_words, commas, name, span_of_group, unqualified_name},
};
use crate::elements::ElementKind;

impl<'t> SqlDefinitions<'t, '_> {
    pub(super) fn table(&mut self, words: &[SqlWord<'t>], at: usize, modifiers: &[&str]) {
        let Some((name, used)) = name(&words[at + 1..]) else {
            return;
        };
        let rest = &words[at + 1 + used..];
        let mut facts = code(&[&["table"], modifiers].concat());
        // `PARTITION OF parent`, `INHERITS (parent)`
        if rest.first().is_some_and(|word| word.is("partition")) {
            facts.add_modifier("partition");
            facts.extends.extend(self::name(rest.get(2..).unwrap_or_default()).map(|(name, _)| name));
        }
        if let Some(inherits) = rest.iter().position(|word| word.is("inherits")) {
            let parents = bracketed_words(&rest[inherits + 1..]);
            facts.extends.extend(commas(parents).into_iter().filter_map(|part| Some(self::name(part)?.0)));
        }
        let relation = self.define(words, ElementKind::Relation, name.clone(), facts);
        self.relations.insert(unqualified_name(&name), relation);
        let body = rest.iter().position(|word| word.is_sign("("));
        let query = rest.iter().position(|word| word.is_any(&["as", "select", "inherits", "partition"]));
        if let Some(body) = body.filter(|body| query.is_none_or(|query| *body < query)) {
            self.columns(relation, bracketed_words(&rest[body..]));
        }
    }

    pub(super) fn view(&mut self, words: &[SqlWord<'t>], at: usize, modifiers: &[&str]) {
        let Some((name, used)) = name(&words[at + 1..]) else {
            return;
        };
        let rest = &words[at + 1 + used..];
        let relation = self.define(words, ElementKind::Relation, name.clone(), code(&[&["view"], modifiers].concat()));
        self.relations.insert(unqualified_name(&name), relation);
        if rest.first().is_some_and(|word| word.is_sign("(")) {
            for part in commas(bracketed_words(rest)) {
                self.column(Some(relation), &part[..part.len().min(1)]);
            }
        }
    }

    pub(super) fn index(&mut self, words: &[SqlWord<'t>], at: usize, modifiers: &[&str]) {
        let rest = &words[at + 1..];
        let Some(on) = rest.iter().position(|word| word.is("on")) else {
            return;
        };
        let named = name(&rest[..on]).filter(|(name, _)| !name.eq_ignore_ascii_case("concurrently"));
        let after = &rest[on + 1..];
        let after = if after.first().is_some_and(|word| word.is("only")) { &after[1..] } else { after };
        let Some((table, used)) = name(after) else { return };
        let mut facts = code(modifiers);
        if rest[..on].iter().any(|word| word.is("concurrently")) {
            facts.add_modifier("concurrently");
        }
        if let Some(using) = after.iter().position(|word| word.is("using")).and_then(|at| after.get(at + 1)) {
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

    pub(super) fn alter_table(&mut self, words: &[SqlWord<'t>]) {
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
            while added.first().is_some_and(|word| word.is_any(&["column", "if", "not", "exists"])) {
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
}
