//! The table of languages: one folder and one line for each.
//!
//! A language is its grammar, its `language.toml`, its `elements.scm`, and a `refine.rs` only for what a query cannot
//! express. Queries are compiled once, on first use. No native code is loaded at run time.

mod bash;
pub(crate) mod blanked;
mod c;
mod cpp;
mod csharp;
mod css;
mod data;
pub mod detect;
mod ecma;
pub mod facts;
#[cfg(test)]
mod fixtures;
mod go;
mod html;
mod indentation_limit;
mod java;
mod json;
mod kotlin;
mod line_docs;
mod lua;
mod markdown;
mod php;
mod preprocessor_branches;
mod python;
mod ruby;
mod rust;
mod scala;
mod sql;
mod swift;
mod toml;
mod yaml;

use std::{
    borrow::Cow,
    fmt,
    ops::Range,
    sync::{LazyLock, OnceLock},
};

use fumi_base::embedded;
use regex::bytes;
use tree_sitter_language::LanguageFn;

use crate::{
    errors::structure::StructureError,
    extract::{ElementDraft, ExtractionPlan},
    parse::{EmbeddedRange, ParsedFile},
    roles::RoleRules,
};

use blanked::{BlankedPart, ParserText};
use facts::LanguageFacts;
#[cfg(test)]
pub(crate) use fixtures::fixture_texts;

/// A refinement of a language's drafts beyond its query; it may change drafts and add others.
pub(crate) type Refine = for<'t> fn(&'t ParsedFile, &mut Vec<ElementDraft<'t>>);

/// A function that finds texts in other languages within a file.
pub(crate) type Embeds = fn(&ParsedFile) -> Vec<EmbeddedRange>;

/// A function that finds the parts of a text that the grammar must not see.
pub(crate) type FindUnparseable = fn(&str) -> Vec<BlankedPart>;

/// Returns a file of a language's folder. Tests read it at run time, so that trying a query needs no build.
macro_rules! data {
    ($folder:literal, $file:literal) => {{
        #[cfg(not(test))]
        let text = include_str!(concat!($folder, "/", $file));
        #[cfg(test)]
        let text = tests::data($folder, $file);
        text
    }};
}

/// Builds a language from its grammar, its refinement and the folders whose queries apply.
macro_rules! language {
    ($name:literal, $grammar:expr, $refine:expr, $($queries:literal),+) => {
        Language::new(
            $name,
            $grammar,
            data!($name, "language.toml"),
            [$(data!($queries, "elements.scm")),+].join("\n"),
            $refine,
        )
    };
}

/// Every language, in the order in which content patterns are tried.
static TABLE: LazyLock<Vec<Language>> = LazyLock::new(|| {
    vec![
        language!("python", tree_sitter_python::LANGUAGE, python::refine, "python").with_unparseable(python::too_deep),
        language!("java", tree_sitter_java::LANGUAGE, java::refine, "java"),
        language!("javascript", tree_sitter_javascript::LANGUAGE, ecma::refine, "ecma", "javascript"),
        language!("typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT, ecma::refine, "ecma", "typescript"),
        language!("tsx", tree_sitter_typescript::LANGUAGE_TSX, ecma::refine, "ecma", "typescript"),
        language!("html", tree_sitter_html::LANGUAGE, html::refine, "html").with_embeds(html::embeds),
        language!("css", tree_sitter_css::LANGUAGE, css::refine, "css"),
        language!("rust", tree_sitter_rust::LANGUAGE, rust::refine, "rust"),
        language!("go", tree_sitter_go::LANGUAGE, go::refine, "go"),
        language!("c", tree_sitter_c::LANGUAGE, c::refine, "c"),
        language!("cpp", tree_sitter_cpp::LANGUAGE, cpp::refine, "c", "cpp"),
        language!("csharp", tree_sitter_c_sharp::LANGUAGE, csharp::refine, "csharp"),
        language!("php", tree_sitter_php::LANGUAGE_PHP, php::refine, "php"),
        language!("ruby", tree_sitter_ruby::LANGUAGE, ruby::refine, "ruby").with_unparseable(ruby::long_heredoc_words),
        language!("kotlin", tree_sitter_kotlin_ng::LANGUAGE, kotlin::refine, "kotlin"),
        language!("swift", tree_sitter_swift::LANGUAGE, swift::refine, "swift"),
        language!("scala", tree_sitter_scala::LANGUAGE, scala::refine, "scala"),
        language!("sql", tree_sitter_sequel::LANGUAGE, sql::refine, "sql"),
        language!("bash", tree_sitter_bash::LANGUAGE, bash::refine, "bash"),
        language!("lua", tree_sitter_lua::LANGUAGE, lua::refine, "lua"),
        language!("yaml", tree_sitter_yaml::LANGUAGE, yaml::refine, "yaml").with_unparseable(yaml::too_deep),
        language!("json", tree_sitter_json::LANGUAGE, json::refine, "json"),
        language!("toml", tree_sitter_toml_ng::LANGUAGE, toml::refine, "toml"),
        language!("markdown", tree_sitter_md::LANGUAGE, markdown::refine, "markdown").with_embeds(markdown::embeds),
    ]
});

/// A language whose files fumi can parse.
pub struct Language {
    /// The name in arguments and replies, such as `python`.
    pub name: &'static str,
    /// The contents of `language.toml`.
    pub facts: LanguageFacts,
    /// The query that finds elements.
    pub elements_scm: String,
    pub(crate) refine: Refine,
    pub(crate) embeds: Option<Embeds>,
    spare: Option<FindUnparseable>,
    grammar: LanguageFn,
    plan: OnceLock<ExtractionPlan>,
    roles: OnceLock<RoleRules>,
    blank: OnceLock<Vec<bytes::Regex>>,
}

impl Language {
    fn new(name: &'static str, grammar: LanguageFn, facts: &str, elements_scm: String, refine: Refine) -> Self {
        let facts = embedded::toml(&format!("languages/{name}/language.toml"), facts);
        Self {
            name,
            facts,
            elements_scm,
            refine,
            embeds: None,
            spare: None,
            grammar,
            plan: OnceLock::new(),
            roles: OnceLock::new(),
            blank: OnceLock::new(),
        }
    }

    fn with_embeds(mut self, embeds: Embeds) -> Self {
        self.embeds = Some(embeds);
        self
    }

    fn with_unparseable(mut self, spare: FindUnparseable) -> Self {
        self.spare = Some(spare);
        self
    }

    pub fn grammar(&self) -> tree_sitter::Language {
        self.grammar.into()
    }

    /// Returns the text as the parser reads it: of the same length, with blanks for the matches of `blank` in the facts
    /// and for what the grammar cannot handle.
    pub(crate) fn parser_text<'t>(&self, text: &'t str) -> ParserText<'t> {
        let patterns = self.blank.get_or_init(|| {
            // Byte patterns are twenty times as fast on texts that are not all ASCII.
            let compiled = |pattern: &String| {
                let regex = bytes::RegexBuilder::new(pattern).unicode(false).build();
                regex.expect("a test compiles every pattern")
            };
            self.facts.blank.iter().map(compiled).collect()
        });
        let mut text = Cow::Borrowed(text);
        if let Some(branches) = &self.facts.branches {
            let unreadable = preprocessor_branches::blanked_ranges(&text, &branches.never);
            blank(&mut text, unreadable);
        }
        for pattern in patterns {
            let found: Vec<Range<usize>> = pattern
                .captures_iter(text.as_bytes())
                .flat_map(|found| found.iter().skip(1).flatten().map(|group| group.range()).collect::<Vec<_>>())
                .collect();
            blank(&mut text, found);
        }
        let unread = self.spare.map_or_else(Vec::new, |spare| spare(&text));
        blank(&mut text, unread.iter().map(|part| part.bytes.clone()).collect());
        ParserText { text, unread }
    }

    /// Returns the compiled positions that decide roles.
    pub(crate) fn role_rules(&self) -> &RoleRules {
        self.roles.get_or_init(|| RoleRules::compile(self))
    }

    /// Returns the compiled query and facts.
    pub(crate) fn plan(&self) -> &ExtractionPlan {
        self.plan.get_or_init(|| match ExtractionPlan::compile(self) {
            Ok(plan) => plan,
            Err(reason) => panic!("languages/{}/elements.scm: {reason}", self.name),
        })
    }
}

/// Replaces every byte of these ranges by a blank, except line feeds. Does nothing if a range cuts a character.
fn blank(text: &mut Cow<'_, str>, ranges: Vec<Range<usize>>) {
    if ranges.is_empty() {
        return;
    }
    let mut bytes = text.as_bytes().to_vec();
    for range in ranges {
        for byte in bytes[range].iter_mut().filter(|byte| **byte != b'\n') {
            *byte = b' ';
        }
    }
    if let Ok(blanked) = String::from_utf8(bytes) {
        *text = Cow::Owned(blanked);
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

/// Returns every language of this build.
pub fn all() -> impl Iterator<Item = &'static Language> {
    TABLE.iter()
}

/// Returns the names of every language, for messages.
pub fn known_names() -> String {
    all().map(|language| language.name).collect::<Vec<_>>().join(", ")
}

/// Returns the language of a name or alias, ignoring ASCII case.
pub fn by_name(name: &str) -> Result<&'static Language, StructureError> {
    let wanted = name.trim().to_ascii_lowercase();
    all()
        .find(|language| language.name == wanted || language.facts.aliases.contains(&wanted))
        .ok_or_else(|| StructureError::UnknownLanguage { language: name.to_owned() })
}

/// Returns the language of a code block's tag: a name, an alias, an extension or an interpreter.
pub(crate) fn by_tag(tag: &str) -> Option<&'static Language> {
    let wanted = tag.to_ascii_lowercase();
    by_name(&wanted)
        .ok()
        .or_else(|| all().find(|language| language.facts.extensions.contains(&wanted)))
        .or_else(|| all().find(|language| language.facts.shebangs.contains(&wanted)))
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use crate::extract::ExtractionPlan;

    pub(super) fn data(folder: &str, file: &str) -> &'static str {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("languages").join(folder).join(file);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        text.leak()
    }

    #[test]
    fn every_query_compiles_and_every_kind_it_names_exists() {
        let broken: Vec<String> = super::all()
            .filter_map(|language| {
                let reason = ExtractionPlan::compile(language).err()?;
                Some(format!("languages/{}: {reason}", language.name))
            })
            .collect();
        assert!(broken.is_empty(), "{broken:#?}");
    }

    #[test]
    fn every_pattern_of_every_language_is_a_regular_expression() {
        for language in super::all() {
            let facts = &language.facts;
            let shared = &facts.shared;
            let patterns = [&facts.content, &facts.blank, &shared.content, &shared.except, &shared.guarded];
            for pattern in patterns.into_iter().flatten() {
                let compiled = regex::Regex::new(pattern);
                assert!(compiled.is_ok(), "languages/{}: {compiled:?}", language.name);
            }
            let groups = |pattern: &String| {
                let regex = regex::bytes::RegexBuilder::new(pattern).unicode(false).build();
                regex.map_or(0, |regex| regex.captures_len())
            };
            assert!(facts.blank.iter().all(|pattern| groups(pattern) > 1), "{}", language.name);
        }
    }

    #[test]
    fn shared_extension_has_one_owner_and_one_detectable_other() {
        let mut sharing: Vec<&str> = Vec::new();
        for language in super::all() {
            let shared = &language.facts.shared;
            assert_eq!(shared.extensions.is_empty(), shared.content.is_empty(), "{}", language.name);
            for extension in &shared.extensions {
                let owners: Vec<&str> = super::all()
                    .filter(|owner| owner.facts.extensions.contains(extension))
                    .map(|owner| owner.name)
                    .collect();
                assert_eq!(owners.len(), 1, ".{extension} of {}: {owners:?}", language.name);
                assert_ne!(owners[0], language.name);
                assert!(!sharing.contains(&extension.as_str()), ".{extension} is shared twice");
                sharing.push(extension);
            }
        }
    }

    #[test]
    fn file_names_belong_to_one_language() {
        let mut claims: Vec<(&str, &str)> = super::all()
            .flat_map(|language| {
                let facts = &language.facts;
                facts.extensions.iter().chain(&facts.file_names).map(|claim| (claim.as_str(), language.name))
            })
            .collect();
        claims.sort_unstable();
        for pair in claims.windows(2) {
            assert_ne!(pair[0].0, pair[1].0, "{pair:?}");
        }
    }
}
