//! Declared types: enumerations, composite types, ranges and domains.

use super::{
    columns::CONSTRAINTS,
    definitions::{SqlDefinitions, code},
    lexer::SqlWord,
    phrases::{bracketed_words, commas, end_of_type, name, unqualified_name, unquoted},
};
use crate::elements::{DefinitionFacts, ElementKind};

impl<'t> SqlDefinitions<'t, '_> {
    pub(super) fn declared_type(&mut self, words: &[SqlWord<'t>], at: usize, modifiers: &[&str]) {
        let rest = &words[at + 1..];
        let rest = if rest.first().is_some_and(|next| next.is("body")) { &rest[1..] } else { rest };
        let Some((name, used)) = name(rest) else { return };
        let rest = &rest[used..];
        let body = rest.iter().position(|word| word.is_sign("("));
        let is_enum = rest.iter().take(2).any(|word| word.is("enum"));
        let is_range = rest.iter().take(2).any(|word| word.is("range"));
        let is_composite = !is_range
            && body.is_some_and(|body| rest[..body].last().is_some_and(|word| word.is_any(&["as", "object", "table"])));
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
}
