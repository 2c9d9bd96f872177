//! What `language.toml` may say: everything about a language that is data.
//!
//! An unknown key is a failure of the build's tests, never silently ignored. Nothing here knows a particular language.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::elements::{Kind, ParamKind, Visibility};

/// The contents of one `language.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// The name for people, such as `TypeScript`.
    pub title: String,
    /// What the language describes, which decides the columns of its tables.
    #[serde(default)]
    pub family: Family,
    /// Other names that a caller may use, in lower case.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Another language of the table that this one is a dialect of: naming that one keeps this one's files here.
    pub dialect_of: Option<String>,
    /// File name extensions, without the dot, in lower case.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Extensions of another language that this one shares, decided by what the text shows.
    #[serde(default)]
    pub shared: Shared,
    /// Whole file names.
    #[serde(default)]
    pub file_names: Vec<String>,
    /// Interpreters of a `#!` line, without version digits.
    #[serde(default)]
    pub shebangs: Vec<String>,
    /// Regular expressions over the first 4,096 bytes of a file that nothing else identified.
    #[serde(default)]
    pub content: Vec<String>,
    /// What is put before a return type in a signature.
    #[serde(default = "colon")]
    pub return_arrow: String,
    /// What stands between a module and the names that are imported from it, where the language writes them as one path.
    /// Elsewhere it is a colon.
    pub import_path: Option<String>,
    /// What is put before and after a decorator.
    #[serde(default = "at_sign")]
    pub decorator_signs: [String; 2],
    /// Node kinds of comments.
    #[serde(default)]
    pub comments: Vec<String>,
    /// How a comment begins that documents what follows it.
    #[serde(default)]
    pub doc_prefixes: Vec<String>,
    /// Whether comments on consecutive lines are one document of what follows them without a blank line.
    #[serde(default)]
    pub doc_lines: bool,
    /// How a comment begins that documents what it stands in: the file, when that is nothing else.
    #[serde(default)]
    pub inner_doc_prefixes: Vec<String>,
    /// How a comment begins that documents what stands before it on its line.
    #[serde(default)]
    pub doc_after: Vec<String>,
    /// Regular expressions whose groups the parser reads as blanks: macros that stand where the grammar knows none. Texts of
    /// replies keep them.
    #[serde(default)]
    pub blank: Vec<String>,
    /// A sign behind which the grammar's scanner looks for a line feed and never for the end of the text: on the last line it
    /// needs one.
    pub feed_behind: Option<char>,
    /// How conditions of a preprocessor are read that cut through braces; without it, as the grammar reads them.
    pub branches: Option<Branches>,
    /// What is not looked for in bodies.
    #[serde(default)]
    pub locals: Locals,
    /// Whether the first string of a body documents it.
    #[serde(default)]
    pub docstrings: bool,
    /// Methods of these names are constructors.
    #[serde(default)]
    pub constructors: Vec<String>,
    /// Whether an all-capital variable is a constant.
    #[serde(default)]
    pub capital_constants: bool,
    /// Where the parts of a definition are found.
    #[serde(default)]
    pub parts: Parts,
    /// How parameters are told apart.
    #[serde(default)]
    pub params: Params,
    /// Who may see what.
    #[serde(default)]
    pub visibility: Visibilities,
    /// The last name of a decorator, and the modifier that it means.
    #[serde(default)]
    pub decorators: BTreeMap<String, String>,
    /// What counts as a decision.
    #[serde(default)]
    pub complexity: Complexity,
    /// Classes of tags or of properties, by name; a name that ends with `*` is a prefix.
    #[serde(default)]
    pub classes: BTreeMap<String, Vec<String>>,
    /// Tags that have no end tag.
    #[serde(default)]
    pub void_tags: Vec<String>,
    /// Tags whose end tag may be left out.
    #[serde(default)]
    pub optional_ends: Vec<String>,
    /// How patterns of example code are read.
    #[serde(default)]
    pub pattern: Example,
    /// The predefined queries.
    #[serde(default)]
    pub queries: BTreeMap<String, Selection>,
    /// Why a column of the table of languages is empty, by the column's name.
    #[serde(default)]
    pub empty: BTreeMap<String, String>,
}

fn colon() -> String {
    ": ".to_owned()
}

fn at_sign() -> [String; 2] {
    ["@".to_owned(), String::new()]
}

impl Facts {
    /// The class of a tag or property: of its whole name, else of the longest prefix.
    #[must_use]
    pub fn class_of(&self, name: &str) -> Option<&str> {
        let exact = self
            .classes
            .iter()
            .find(|(_, names)| names.iter().any(|known| known == name));
        let by_prefix = || {
            self.classes
                .iter()
                .flat_map(|(class, names)| names.iter().map(move |known| (class, known)))
                .filter_map(|(class, known)| Some((class, known.strip_suffix('*')?)))
                .filter(|(_, prefix)| name.starts_with(prefix))
                .max_by_key(|(_, prefix)| prefix.len())
        };
        exact
            .map(|(class, _)| class.as_str())
            .or_else(|| by_prefix().map(|(class, _)| class.as_str()))
    }
}

/// Extensions that belong to another language, and when they are of this one.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shared {
    /// Without the dot, in lower case; each is among the `extensions` of exactly one other language.
    pub extensions: Vec<String>,
    /// Regular expressions over the whole text; one match makes the file one of this language.
    pub content: Vec<String>,
    /// Regular expressions of passages that say nothing about it, such as those of a preprocessor's condition.
    pub except: Vec<String>,
}

/// Of a condition that cuts through braces one branch is read: the first, unless it is known to be none.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Branches {
    /// Words of conditions that are never true here.
    pub never: Vec<String>,
}

/// Definitions that count only outside of the bodies of functions; most of a file is bodies.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Locals {
    /// Node kinds of bodies.
    pub bodies: Vec<String>,
    /// Node kinds at which no pattern is tried in them.
    pub nodes: Vec<String>,
}

/// What a language describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Programs: classes, functions, variables.
    #[default]
    Code,
    /// A tree of tags.
    Markup,
    /// Rules of selectors and properties.
    Style,
    /// Prose with headings.
    Document,
    /// Keys and values.
    Data,
}

/// Names of fields or of node kinds among a definition's direct children.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Parts {
    /// The parameter list.
    pub params: Vec<String>,
    /// The return type, or the declared type of a variable.
    pub type_name: Vec<String>,
    /// Generic parameters.
    pub type_params: Vec<String>,
    /// Super classes.
    pub extends: Vec<String>,
    /// Implemented interfaces.
    pub implements: Vec<String>,
    /// The value of a variable or field.
    pub value: Vec<String>,
    /// The body: what comes after it belongs to no part.
    pub body: Vec<String>,
    /// Node kinds that are modifiers by their text.
    pub modifiers: Vec<String>,
    /// Node kinds that are decorators or annotations.
    pub decorators: Vec<String>,
    /// Node kinds whose children are looked at as if they were direct ones.
    pub groups: Vec<String>,
}

/// How the children of a parameter list become parameters.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// Node kinds, of a parameter or of what it holds first, that make it special.
    pub kinds: BTreeMap<String, ParamKind>,
    /// Node kinds that are no parameter but make those before (`positional_only`) or after (`keyword_only`) special.
    pub separators: BTreeMap<String, ParamKind>,
    /// What a plain parameter after a variadic one is.
    pub after_variadic: Option<ParamKind>,
}

/// Who may see what, where no modifier says it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Visibilities {
    /// Of everything that nothing else decides.
    pub default: Visibility,
    /// Names beginning so are private, except those that also end so.
    pub private_prefixes: Vec<String>,
    /// Names beginning so are protected.
    pub protected_prefixes: Vec<String>,
}

/// What counts as a decision of cyclomatic complexity.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Complexity {
    /// Named node kinds; `kind.field` is one that decides only where it has that field.
    pub nodes: Vec<String>,
    /// Of these, what the first child reads in one that is taken when no other is (`*` of a shell's `case`) and decides nothing.
    pub defaults: BTreeMap<String, String>,
    /// Named node kinds, not empty, of whose decisions one is none: the last arm of a match that covers everything.
    pub exhaustive: Vec<String>,
    /// Named node kinds that hide what is in them, such as the arguments of macros, which are no syntax yet.
    pub opaque: Vec<String>,
    /// Tokens: operators and keywords that the grammar does not name.
    pub tokens: Vec<String>,
    /// Tokens that count only where the grammar calls them an `operator`: C++ writes `&&` in types as well.
    pub operators: Vec<String>,
    /// Named node kinds that decide where their text is one of these: operators of a language where any word can be one.
    pub texts: BTreeMap<String, Vec<String>>,
    /// Named node kinds that make the function around them a generator.
    pub generators: Vec<String>,
}

/// How a pattern of example code becomes code that the grammar can read.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Example {
    /// What stands for the `$` of a variable: a character that can begin a name.
    pub expando: char,
    /// What stands for it where nothing can be read with the first.
    pub other: Option<char>,
    /// Texts in which `PATTERN` is the pattern, tried in turn, the plainest last; empty means the pattern alone.
    pub contexts: Vec<String>,
}

impl Default for Example {
    fn default() -> Self {
        Self {
            expando: '$',
            other: None,
            contexts: Vec::new(),
        }
    }
}

/// What a predefined query selects.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Selection {
    /// Elements of any of these kinds; empty means every kind.
    #[serde(default)]
    pub kinds: Vec<Kind>,
    /// The element class of markup, the property class of a style, the type of a key's value.
    pub class: Option<String>,
    /// A modifier that must be there.
    pub modifier: Option<String>,
}
