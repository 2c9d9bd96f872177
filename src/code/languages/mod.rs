//! The table of languages: one folder and one line each.
//!
//! A language is its grammar, its `language.toml`, its `elements.scm`, and a `refine.rs` only for what a query cannot say.
//! Queries compile on first use, once. No native code is loaded at run time.

mod css;
pub mod detect;
mod ecma;
pub mod facts;
#[cfg(test)]
mod fixtures;
mod html;
mod java;
mod markdown;
mod python;

use std::{
    fmt,
    sync::{LazyLock, OnceLock},
};

use tree_sitter_language::LanguageFn;

use crate::{
    errors::structure::StructureError,
    extract::{Draft, Plan},
    parse::Parsed,
};

use facts::Facts;

/// What a language does to its drafts beyond its query: it may change them and add others.
pub(crate) type Refine = for<'t> fn(&'t Parsed, &mut Vec<Draft<'t>>);

/// The grammar, the folders whose queries apply, the refinement: one line a language.
macro_rules! language {
    ($name:literal, $grammar:expr, $refine:expr, $($queries:literal),+) => {
        Language::new(
            $name,
            $grammar,
            include_str!(concat!($name, "/language.toml")),
            concat!($(include_str!(concat!($queries, "/elements.scm")), "\n"),+),
            $refine,
        )
    };
}

/// Every language, in the order in which content is tried.
static TABLE: LazyLock<Vec<Language>> = LazyLock::new(|| {
    vec![
        language!("python", tree_sitter_python::LANGUAGE, python::refine, "python"),
        language!("java", tree_sitter_java::LANGUAGE, java::refine, "java"),
        language!(
            "javascript",
            tree_sitter_javascript::LANGUAGE,
            ecma::refine,
            "ecma",
            "javascript"
        ),
        language!(
            "typescript",
            tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            ecma::refine,
            "ecma",
            "typescript"
        ),
        language!(
            "tsx",
            tree_sitter_typescript::LANGUAGE_TSX,
            ecma::refine,
            "ecma",
            "typescript"
        ),
        language!("html", tree_sitter_html::LANGUAGE, html::refine, "html"),
        language!("css", tree_sitter_css::LANGUAGE, css::refine, "css"),
        language!("markdown", tree_sitter_md::LANGUAGE, markdown::refine, "markdown"),
    ]
});

/// One language that fumi can take apart.
pub struct Language {
    /// The name in arguments and replies, such as `python`.
    pub name: &'static str,
    /// The file of facts.
    pub facts: Facts,
    /// The query that finds elements.
    pub elements_scm: &'static str,
    pub(crate) refine: Refine,
    grammar: LanguageFn,
    plan: OnceLock<Plan>,
}

impl Language {
    fn new(name: &'static str, grammar: LanguageFn, facts: &str, elements_scm: &'static str, refine: Refine) -> Self {
        let facts = toml::from_str(facts)
            .unwrap_or_else(|error| panic!("languages/{name}/language.toml is malformed: {error}"));
        Self {
            name,
            facts,
            elements_scm,
            refine,
            grammar,
            plan: OnceLock::new(),
        }
    }

    /// The tree-sitter grammar.
    #[must_use]
    pub fn grammar(&self) -> tree_sitter::Language {
        self.grammar.into()
    }

    /// The compiled query and facts.
    pub(crate) fn plan(&self) -> &Plan {
        self.plan.get_or_init(|| match Plan::compile(self) {
            Ok(plan) => plan,
            Err(reason) => panic!("languages/{}/elements.scm: {reason}", self.name),
        })
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// Every language of this build.
pub fn all() -> impl Iterator<Item = &'static Language> {
    TABLE.iter()
}

/// The names of every language, for messages.
#[must_use]
pub fn known() -> String {
    all().map(|language| language.name).collect::<Vec<_>>().join(", ")
}

/// The language of a name or alias, in any case.
pub fn by_name(name: &str) -> Result<&'static Language, StructureError> {
    let wanted = name.trim().to_ascii_lowercase();
    all()
        .find(|language| language.name == wanted || language.facts.aliases.contains(&wanted))
        .ok_or_else(|| StructureError::UnknownLanguage { asked: name.to_owned() })
}

#[cfg(test)]
mod tests {
    use crate::extract::Plan;

    #[test]
    fn every_query_compiles_and_every_kind_it_names_exists() {
        let broken: Vec<String> = super::all()
            .filter_map(|language| {
                let reason = Plan::compile(language).err()?;
                Some(format!("languages/{}: {reason}", language.name))
            })
            .collect();
        assert!(broken.is_empty(), "{broken:#?}");
    }

    #[test]
    fn no_two_languages_claim_the_same_file() {
        let mut claims: Vec<(&str, &str)> = super::all()
            .flat_map(|language| {
                let facts = &language.facts;
                facts
                    .extensions
                    .iter()
                    .chain(&facts.file_names)
                    .map(|claim| (claim.as_str(), language.name))
            })
            .collect();
        claims.sort_unstable();
        for pair in claims.windows(2) {
            assert_ne!(pair[0].0, pair[1].0, "{pair:?}");
        }
    }
}
