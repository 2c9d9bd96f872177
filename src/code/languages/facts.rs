//! The schema of `language.toml`: everything about a language that is data.
//!
//! An unknown key fails the build's tests and is never silently ignored. Nothing here depends on a particular language.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::elements::{ElementKind, ParamKind, Visibility};

/// The contents of one `language.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanguageFacts {
    /// The name for display, such as `TypeScript`.
    pub title: String,
    /// The kind of content that the language describes, which decides the columns of its tables.
    #[serde(default)]
    pub family: LanguageFamily,
    /// Other names that a caller may use, in lower case.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The base language of this dialect; a caller who names the base language keeps files of this dialect here.
    pub dialect_of: Option<String>,
    /// File name extensions, without the dot, in lower case.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Extensions of another language that this one shares, decided by the content of the file.
    #[serde(default)]
    pub shared: SharedExtensions,
    /// Complete file names, matched exactly.
    #[serde(default)]
    pub file_names: Vec<String>,
    /// Interpreters of a `#!` line, without version digits.
    #[serde(default)]
    pub shebangs: Vec<String>,
    /// Regular expressions over the first 4,096 bytes of a file that nothing else identified.
    #[serde(default)]
    pub content: Vec<String>,
    /// The text before a return type in a signature.
    #[serde(default = "colon")]
    pub return_arrow: String,
    /// The separator between a module and the names imported from it, if the language writes them as one path.
    /// Elsewhere it is a colon.
    pub import_path: Option<String>,
    /// The text before and after a decorator.
    #[serde(default = "at_sign")]
    pub decorator_signs: [String; 2],
    /// Node kinds of comments.
    #[serde(default)]
    pub comments: Vec<String>,
    /// Prefixes of comments that document what follows them.
    #[serde(default)]
    pub doc_prefixes: Vec<String>,
    /// True if comments on consecutive lines form one document for what follows them without a blank line.
    #[serde(default)]
    pub doc_lines: bool,
    /// Prefixes of comments that document what encloses them: the file, if nothing else does.
    #[serde(default)]
    pub inner_doc_prefixes: Vec<String>,
    /// Prefixes of comments that document what precedes them on their line.
    #[serde(default)]
    pub doc_after: Vec<String>,
    /// Regular expressions whose groups are blanked for the parser: macros at positions where the grammar allows none.
    /// Texts of replies keep them.
    #[serde(default)]
    pub blank: Vec<String>,
    /// A character after which the grammar's scanner looks for a line feed without checking for the end of the text, so
    /// the last line needs one.
    pub feed_behind: Option<char>,
    /// Handling of preprocessor conditions that cut through braces; `None` leaves them to the grammar.
    pub branches: Option<BranchFacts>,
    /// Definitions that are not searched for in bodies.
    #[serde(default)]
    pub locals: Locals,
    /// The words and signs that are in every element and every decision.
    #[serde(default)]
    pub landmarks: LandmarkFacts,
    /// True if the first string of a body documents it.
    #[serde(default)]
    pub docstrings: bool,
    /// Names of methods that are constructors.
    #[serde(default)]
    pub constructors: Vec<String>,
    /// True if a variable in capitals is a constant.
    #[serde(default)]
    pub capital_constants: bool,
    /// Fields and node kinds of the parts of a definition.
    #[serde(default)]
    pub parts: PartFacts,
    /// Node kinds that distinguish the kinds of parameters.
    #[serde(default)]
    pub params: ParamFacts,
    /// Rules for visibility without a modifier.
    #[serde(default)]
    pub visibility: Visibilities,
    /// The modifier that a decorator means, keyed by the last part of the decorator's name.
    #[serde(default)]
    pub decorators: BTreeMap<String, String>,
    /// Node kinds that count as decisions for cyclomatic complexity.
    #[serde(default)]
    pub complexity: ComplexityFacts,
    /// Classes of tags or of properties, by name; a name that ends with `*` is a prefix.
    #[serde(default)]
    pub classes: BTreeMap<String, Vec<String>>,
    /// Tags that have no end tag.
    #[serde(default)]
    pub void_tags: Vec<String>,
    /// Tags whose end tag may be omitted.
    #[serde(default)]
    pub optional_ends: Vec<String>,
    /// Settings for patterns of example code.
    #[serde(default)]
    pub pattern: PatternFacts,
    /// The positions in the syntax that decide the role of a name.
    #[serde(default)]
    pub roles: RoleFacts,
    /// The predefined queries, keyed by name.
    #[serde(default)]
    pub queries: BTreeMap<String, Selection>,
    /// Reasons for empty columns in the table of languages, keyed by the column's name.
    #[serde(default)]
    pub empty: BTreeMap<String, String>,
}

fn colon() -> String {
    ": ".to_owned()
}

fn at_sign() -> [String; 2] {
    ["@".to_owned(), String::new()]
}

impl LanguageFacts {
    /// Returns the class of a tag or property: that of its whole name, else that of the longest matching prefix.
    pub fn class_of(&self, name: &str) -> Option<&str> {
        let exact = self.classes.iter().find(|(_, names)| names.iter().any(|known| known == name));
        let by_prefix = || {
            self.classes
                .iter()
                .flat_map(|(class, names)| names.iter().map(move |known| (class, known)))
                .filter_map(|(class, known)| Some((class, known.strip_suffix('*')?)))
                .filter(|(_, prefix)| name.starts_with(prefix))
                .max_by_key(|(_, prefix)| prefix.len())
        };
        exact.map(|(class, _)| class.as_str()).or_else(|| by_prefix().map(|(class, _)| class.as_str()))
    }
}

/// Extensions owned by another language, and the patterns that identify files of this one.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SharedExtensions {
    /// Extensions without the dot, in lower case; each is among the `extensions` of exactly one other language.
    pub extensions: Vec<String>,
    /// Regular expressions over the whole text; one match assigns the file to this language.
    pub content: Vec<String>,
    /// Regular expressions of passages to ignore, such as comments.
    pub except: Vec<String>,
    /// Regular expressions of passages that only compilers of this language read (`#ifdef __cplusplus`). They are ignored,
    /// unless the text outside of them consists of directives.
    pub guarded: Vec<String>,
}

/// Settings for conditions that cut through braces: only the first branch is kept, unless it is known never to be true.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BranchFacts {
    /// Words whose conditions are never true in this language.
    pub never: Vec<String>,
}

/// Definitions that count only outside of the bodies of functions, which make up most of a file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Locals {
    /// Node kinds of function bodies.
    pub bodies: Vec<String>,
    /// Node kinds within bodies at which no query pattern is tried.
    pub nodes: Vec<String>,
}

/// The landmarks that guide the extraction through a tree: each element and each decision contains one of the words or
/// signs, or is the child of one of the nodes. Without words and signs, all nodes are visited.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LandmarkFacts {
    /// Keywords, of letters and digits.
    pub words: Vec<String>,
    /// Signs such as `//`, which do not begin with a letter or a digit.
    pub signs: Vec<String>,
    /// Node kinds whose children are all visited.
    pub nodes: Vec<String>,
}

/// The kind of content that a language describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LanguageFamily {
    /// Programs: classes, functions, variables.
    #[default]
    Code,
    /// A tree of tags.
    Markup,
    /// Rules of selectors and properties.
    Style,
    /// Prose with headings.
    Document,
    /// Data as keys and values.
    Data,
}

/// Names of fields, or of node kinds among a definition's direct children.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PartFacts {
    pub params: Vec<String>,
    /// The return type, or the declared type of a variable.
    pub type_name: Vec<String>,
    pub type_params: Vec<String>,
    pub extends: Vec<String>,
    pub implements: Vec<String>,
    /// The value of a variable or field.
    pub value: Vec<String>,
    /// The body; nodes after it belong to no part.
    pub body: Vec<String>,
    /// Node kinds whose text is a modifier.
    pub modifiers: Vec<String>,
    /// Node kinds that are decorators or annotations.
    pub decorators: Vec<String>,
    /// Node kinds whose children are searched as if they were direct children.
    pub groups: Vec<String>,
}

/// Rules by which the children of a parameter list become parameters.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ParamFacts {
    /// Node kinds that make a parameter special; either its own kind or that of its first child.
    pub kinds: BTreeMap<String, ParamKind>,
    /// Node kinds that are not parameters but make those before (`positional_only`) or after (`keyword_only`) special.
    pub separators: BTreeMap<String, ParamKind>,
    /// The kind of a plain parameter after a variadic one.
    pub after_variadic: Option<ParamKind>,
}

/// Rules for visibility without a modifier.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Visibilities {
    /// The visibility if no other rule applies.
    pub default: Visibility,
    /// Prefixes of private names, except names that also end with the prefix.
    pub private_prefixes: Vec<String>,
    /// Prefixes of protected names.
    pub protected_prefixes: Vec<String>,
}

/// The decisions that count for cyclomatic complexity.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ComplexityFacts {
    /// Named node kinds; `kind.field` counts only if the node has that field.
    pub nodes: Vec<String>,
    /// Default branches, which are not decisions: the text of the first named child, keyed by node kind (`*` of a
    /// shell's `case`). A keyword is not a named child.
    pub defaults: BTreeMap<String, String>,
    /// Named node kinds with one decision fewer than they contain, if they are not empty: the last arm of an exhaustive
    /// match.
    pub exhaustive: Vec<String>,
    /// Named node kinds whose content is ignored, such as the arguments of macros, which are not parsed as syntax.
    pub opaque: Vec<String>,
    /// Tokens: operators and keywords that the grammar does not name.
    pub tokens: Vec<String>,
    /// Tokens that count only in the grammar's field `operator`: C++ writes `&&` in types as well.
    pub operators: Vec<String>,
    /// Named node kinds that count if their text is one of these: for languages in which any word can be an operator.
    pub texts: BTreeMap<String, Vec<String>>,
    /// Named node kinds that make the enclosing function a generator.
    pub generators: Vec<String>,
}

/// Positions in the syntax that decide the role of a name; see [`crate::roles`].
///
/// A position is a node kind (the name is anywhere within such a node), or a child of one: `KIND.FIELD`, `KIND>CHILD` for a
/// child's own kind, `KIND>first`, `KIND>last` and `KIND>only` for the first, last and sole named child, `KIND>*` for every
/// child. `KIND[WORD]` is a node with a child in the field `WORD`, or with that word.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RoleFacts {
    /// The language whose positions apply too.
    pub extends: Option<String>,
    /// Children that are called.
    pub calls: Vec<String>,
    /// Children that are defined: the names of definitions and parameters.
    pub definitions: Vec<String>,
    /// Patterns whose names are defined, unless they begin with a capital: those are compared.
    pub bindings: Vec<String>,
    /// Children that are assigned.
    pub writes: Vec<String>,
    /// Nodes and children that name types.
    pub types: Vec<String>,
    /// Nodes and children that import.
    pub imports: Vec<String>,
    /// Nodes that are literal texts.
    pub strings: Vec<String>,
    /// Nodes and children within literal texts or types that are code or values.
    pub code: Vec<String>,
    /// Children that have the role of their parent: the last part of a dotted name, the members of a tuple.
    pub parts: Vec<String>,
}

/// Settings that turn a pattern of example code into code that the grammar can parse.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PatternFacts {
    /// The character that replaces the `$` of a variable: one that can begin a name.
    pub expando: char,
    /// The character to try if the text does not parse with the first one.
    pub other: Option<char>,
    /// Texts in which `PATTERN` is replaced by the pattern, tried in turn, the plainest last; empty means the pattern
    /// alone.
    pub contexts: Vec<String>,
    /// Pairs of node kinds that the grammar gives to the same code in different places, such as a name in an expression and
    /// in a type.
    pub twins: Vec<[String; 2]>,
    /// `PARENT>NODE` of the nodes whose code the grammar leaves as tokens, such as the arguments of a macro.
    pub tokens: Option<String>,
}

impl Default for PatternFacts {
    fn default() -> Self {
        Self { expando: '$', other: None, contexts: Vec::new(), twins: Vec::new(), tokens: None }
    }
}

/// The elements that a predefined query selects.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Selection {
    /// The kinds of elements to select; empty means every kind.
    #[serde(default)]
    pub kinds: Vec<ElementKind>,
    /// The element class of markup, the property class of a style, or the type of a key's value.
    pub class: Option<String>,
    /// A modifier that the element must have.
    pub modifier: Option<String>,
}
