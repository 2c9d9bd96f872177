//! A language of fumi as ast-grep sees it: its parser, and the character that replaces the `$` of variables.

use std::borrow::Cow;

use ast_grep_core::{
    Pattern, PatternError,
    language::Language as Dialect,
    matcher::PatternBuilder,
    tree_sitter::{LanguageExt, StrDoc, TSLanguage},
};
use tokio_util::sync::CancellationToken;

use crate::{errors::structure::StructureError, languages::Language, parse::read};

/// A language in ast-grep's interface, and the character that replaces the `$` of variables.
#[derive(Clone, Copy)]
pub(super) struct PatternGrammar(pub(super) &'static Language, pub(super) char);

impl PatternGrammar {
    pub(super) const fn new(language: &'static Language) -> Self {
        Self(language, language.facts.pattern.expando)
    }
}

impl Dialect for PatternGrammar {
    /// Replaces `$` before a variable with a character that can begin a name, since `$` cannot in most languages.
    fn pre_process_pattern<'q>(&self, query: &'q str) -> Cow<'q, str> {
        let expando = self.expando_char();
        if expando == '$' {
            return Cow::Borrowed(query);
        }
        let mut out = String::with_capacity(query.len());
        let mut dollars = 0;
        for c in query.chars().chain(['\0']) {
            if c == '$' {
                dollars += 1;
                continue;
            }
            let is_variable = dollars == 3 || (dollars > 0 && (c.is_ascii_uppercase() || c == '_'));
            out.extend(std::iter::repeat_n(if is_variable { expando } else { '$' }, dollars));
            dollars = 0;
            if c != '\0' {
                out.push(c);
            }
        }
        Cow::Owned(out)
    }

    fn expando_char(&self) -> char {
        self.1
    }

    fn kind_to_id(&self, kind: &str) -> u16 {
        self.0.grammar().id_for_node_kind(kind, true)
    }

    fn field_to_id(&self, field: &str) -> Option<u16> {
        self.0.grammar().field_id_for_name(field).map(std::num::NonZero::get)
    }

    fn build_pattern(&self, builder: &PatternBuilder<'_>) -> Result<Pattern, PatternError> {
        builder.build(|text| self.document(text).map_err(|error| error.to_string()))
    }
}

impl PatternGrammar {
    /// Parses a text into ast-grep's document, with the language's own reader.
    pub(super) fn document(&self, text: &str) -> Result<StrDoc<Self>, StructureError> {
        // A pattern is small: cancellation is not needed.
        let (tree, _) = read(self.0, text, &CancellationToken::new())?;
        Ok(StrDoc { src: text.to_owned(), lang: *self, tree })
    }
}

impl LanguageExt for PatternGrammar {
    fn get_ts_language(&self) -> TSLanguage {
        self.0.grammar()
    }
}
