//! Queries that an operator adds for a built-in grammar: `FOLDER/LANGUAGE/KEY.scm` becomes the `query_key` KEY of
//! LANGUAGE.
//!
//! They are checked when the server starts, so that calls only use valid queries. An operator's query replaces a key
//! that the language already has. No native code is loaded, and no other file of the folder is read.

use std::collections::BTreeMap;

use crate::{
    errors::structure::StructureError,
    languages::{Language, by_name},
    query_syntax::compile,
};

/// The added queries, by language and key.
#[derive(Clone, Debug, Default)]
pub struct UserQueries {
    texts: BTreeMap<(&'static str, String), String>,
}

impl UserQueries {
    /// Adds a query if its language is known and it compiles.
    pub fn add(&mut self, language: &str, key: &str, text: String) -> Result<(), StructureError> {
        let language = by_name(language)?;
        compile(&text, language)?;
        self.texts.insert((language.name, key.to_owned()), text);
        Ok(())
    }

    /// Returns the query of a key, or `None` if the operator added none.
    pub fn get(&self, language: &Language, key: &str) -> Option<&str> {
        self.texts.get(&(language.name, key.to_owned())).map(String::as_str)
    }

    /// Returns the added keys of a language.
    pub fn keys(&self, language: &Language) -> impl Iterator<Item = &str> {
        self.texts.keys().filter(move |(name, _)| *name == language.name).map(|(_, key)| key.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::UserQueries;
    use crate::{
        errors::structure::StructureError,
        languages::by_name,
        query::{PreparedQuery, QueryKind, prepare},
    };

    #[test]
    fn added_query_is_found_and_invalid_one_rejected() {
        let python = by_name("python").expect("known");
        let mut user = UserQueries::default();
        let text = "(assert_statement) @assertion".to_owned();
        user.add("Python", "assertions", text).expect("a query");
        let asked = prepare(&QueryKind::Key("assertions".to_owned()), python, &user);
        assert!(matches!(asked, Ok(PreparedQuery::Run(_))));
        let unknown = prepare(&QueryKind::Key("assertion".to_owned()), python, &user);
        assert!(matches!(unknown, Err(StructureError::UnknownQueryKey { nearest, .. }) if nearest == ["assertions"]));
        let broken = user.add("python", "x", "(no_such_node) @x".to_owned());
        assert!(matches!(broken, Err(StructureError::InvalidQuery { .. })));
        let nowhere = user.add("klingon", "x", String::new());
        assert!(matches!(nowhere, Err(StructureError::UnknownLanguage { .. })));
    }
}
