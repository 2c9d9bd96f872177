//! What a file is made of: the one model that every query, table and measure uses.
//!
//! Invariant: elements are in the order of the text, and a parent stands before its children. Lines are 1-based and
//! inclusive, columns 0-based in characters, the end column exclusive. The model does not know how it was found.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// What an element is. The names are those of capture names in `elements.scm` and of `type` in replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Kind {
    Package,
    Namespace,
    Class,
    Interface,
    Enum,
    Record,
    Struct,
    Annotation,
    Type,
    Method,
    Constructor,
    Function,
    Initializer,
    Field,
    EnumMember,
    Variable,
    Constant,
    Import,
    Export,
    Comment,
    Heading,
    CodeBlock,
    Link,
    Image,
    List,
    Table,
    FrontMatter,
    Markup,
    Rule,
    AtRule,
    Property,
    Trait,
    Impl,
    Protocol,
    Extension,
    Object,
    Union,
    Module,
    Macro,
    Relation,
    Index,
    Key,
}

impl Kind {
    const ALL: [(Self, &'static str); 42] = [
        (Self::Package, "package"),
        (Self::Namespace, "namespace"),
        (Self::Class, "class"),
        (Self::Interface, "interface"),
        (Self::Enum, "enum"),
        (Self::Record, "record"),
        (Self::Struct, "struct"),
        (Self::Annotation, "annotation"),
        (Self::Type, "type"),
        (Self::Method, "method"),
        (Self::Constructor, "constructor"),
        (Self::Function, "function"),
        (Self::Initializer, "initializer"),
        (Self::Field, "field"),
        (Self::EnumMember, "enum_member"),
        (Self::Variable, "variable"),
        (Self::Constant, "constant"),
        (Self::Import, "import"),
        (Self::Export, "export"),
        (Self::Comment, "comment"),
        (Self::Heading, "heading"),
        (Self::CodeBlock, "code_block"),
        (Self::Link, "link"),
        (Self::Image, "image"),
        (Self::List, "list"),
        (Self::Table, "table"),
        (Self::FrontMatter, "front_matter"),
        (Self::Markup, "markup"),
        (Self::Rule, "rule"),
        (Self::AtRule, "at_rule"),
        (Self::Property, "property"),
        (Self::Trait, "trait"),
        (Self::Impl, "impl"),
        (Self::Protocol, "protocol"),
        (Self::Extension, "extension"),
        (Self::Object, "object"),
        (Self::Union, "union"),
        (Self::Module, "module"),
        (Self::Macro, "macro"),
        (Self::Relation, "relation"),
        (Self::Index, "index"),
        (Self::Key, "key"),
    ];

    /// The published name, such as `enum_member`.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(kind, _)| *kind == self)
            .map_or("element", |(_, name)| name)
    }

    /// The kind of a published name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(_, known)| *known == name)
            .map(|(kind, _)| *kind)
    }

    /// Whether its members are fields and methods.
    #[must_use]
    pub const fn is_class_like(self) -> bool {
        matches!(
            self,
            Self::Class
                | Self::Interface
                | Self::Enum
                | Self::Record
                | Self::Struct
                | Self::Annotation
                | Self::Trait
                | Self::Impl
                | Self::Protocol
                | Self::Extension
                | Self::Object
                | Self::Union
                | Self::Relation
        )
    }

    /// Whether it runs: it has parameters, a body, a complexity.
    #[must_use]
    pub const fn is_callable(self) -> bool {
        matches!(
            self,
            Self::Method | Self::Constructor | Self::Function | Self::Initializer
        )
    }

    /// Whether it can be the parent of others.
    #[must_use]
    pub const fn is_container(self) -> bool {
        self.is_class_like()
            || self.is_callable()
            || matches!(
                self,
                Self::Namespace
                    | Self::Module
                    | Self::Key
                    | Self::Field
                    | Self::EnumMember
                    | Self::Variable
                    | Self::Constant
                    | Self::Heading
                    | Self::Markup
                    | Self::Rule
                    | Self::AtRule
            )
    }
}

/// Where an element stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// 1-based.
    pub start_line: usize,
    /// 1-based, inclusive.
    pub end_line: usize,
    /// 0-based, in characters.
    pub start_column: usize,
    /// 0-based, in characters, exclusive.
    pub end_column: usize,
    /// In the decoded text, which is UTF-8 whatever the file was.
    pub start_byte: usize,
    /// In the decoded text, exclusive.
    pub end_byte: usize,
}

impl Span {
    /// How many lines it touches.
    #[must_use]
    pub const fn lines(&self) -> usize {
        self.end_line + 1 - self.start_line
    }

    /// Whether the other lies within this one.
    #[must_use]
    pub const fn contains(&self, other: &Self) -> bool {
        self.start_byte <= other.start_byte && other.end_byte <= self.end_byte
    }
}

/// One thing in a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Element {
    /// What it is.
    pub kind: Kind,
    /// Its name; for what has none, what identifies it to a reader (an import's module, a comment's first line).
    pub name: String,
    /// Where it stands, decorators and modifiers included.
    pub span: Span,
    /// The element around it, by its index.
    pub parent: Option<usize>,
    /// The bytes of the syntax nodes that it is: the definition without decorators, and the function that it names.
    pub nodes: [(usize, usize); 2],
    /// What else is known, by what it is.
    pub detail: Detail,
}

/// What is known of an element beyond its place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Detail {
    /// A definition of a program.
    Code(Box<Code>),
    /// An import or a re-export.
    Import(Box<Import>),
    /// A tag.
    Markup(Box<Markup>),
    /// A rule or a property of a style sheet.
    Style(Box<Style>),
    /// A heading of a document.
    Heading {
        /// 1 to 6.
        level: u8,
    },
    /// A block or span of a document, or a comment.
    Block {
        /// A code block's language, a link's address, a list's marker; empty where there is none.
        info: String,
    },
    /// An entry of data, or an item of a list that has entries of its own.
    Key {
        /// `string`, `number`, `boolean`, `null`, `date`, `mapping`, `list`; of YAML also `alias` and `document`.
        type_name: Cow<'static, str>,
        /// As written, on one line, cut at 80 characters. Empty where the entries below say it: of mappings and of lists
        /// that hold others. YAML's anchors and tags stand here.
        value: String,
    },
}

/// A definition of a program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, as filters and tables name it"
)]
pub struct Code {
    /// In the order of the text.
    pub params: Vec<Param>,
    /// The parameter list as written, on one line, without its brackets: separators and all.
    pub params_text: String,
    /// The return type of a callable, the declared type of a field or variable.
    pub type_name: Option<String>,
    /// Keywords and what decorators mean, in the order of the text, each once.
    pub modifiers: Vec<String>,
    /// Who may see it.
    pub visibility: Visibility,
    /// Belongs to the class, not to an instance.
    pub is_static: bool,
    /// Runs asynchronously.
    pub is_async: bool,
    /// Yields.
    pub is_generator: bool,
    /// Has no body of its own, or cannot be instantiated.
    pub is_abstract: bool,
    /// Can be imported from outside, where the language says so.
    pub is_exported: bool,
    /// Is the module's default export.
    pub is_default: bool,
    /// Decorators or annotations, without the leading `@`.
    pub decorators: Vec<String>,
    /// Generic parameters as written, without the brackets.
    pub type_params: Option<String>,
    /// Super classes and, of an interface, super interfaces.
    pub extends: Vec<String>,
    /// Implemented interfaces.
    pub implements: Vec<String>,
    /// The value as written, cut at 80 characters.
    pub value: Option<String>,
    /// What its author wrote about it, without comment signs.
    pub doc: Option<String>,
    /// Cyclomatic complexity, at least 1; of callables only.
    pub complexity: Option<usize>,
}

impl Code {
    /// Adds a modifier once.
    pub fn add_modifier(&mut self, modifier: &str) {
        if !self.modifiers.iter().any(|known| known == modifier) {
            self.modifiers.push(modifier.to_owned());
        }
    }

    /// Whether a modifier is there.
    #[must_use]
    pub fn has_modifier(&self, modifier: &str) -> bool {
        self.modifiers.iter().any(|known| known == modifier)
    }

    /// The first line of the documentation.
    #[must_use]
    pub fn doc_line(&self) -> &str {
        self.doc
            .as_deref()
            .and_then(|doc| doc.lines().next())
            .unwrap_or_default()
    }
}

/// What a decorator is called: `app.route` and `route` of `app.route("/x")`.
#[must_use]
pub fn decorator_names(decorator: &str) -> [&str; 2] {
    let end = decorator
        .find(['(', '[', '<', '{', '=', '"'])
        .unwrap_or(decorator.len());
    let path = decorator[..end].split_whitespace().next().unwrap_or(decorator);
    // `json:"name"` of Go is `json`.
    let path = path.trim_end_matches(':');
    [path, path.rsplit(['.', ':', '\\']).next().unwrap_or(path)]
}

/// One parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// Its name, or a destructuring pattern as written.
    pub name: String,
    /// Its declared type.
    pub type_name: Option<String>,
    /// Its default value as written.
    pub default: Option<String>,
    /// How it is passed.
    pub kind: ParamKind,
    /// The whole of it as written, on one line.
    pub text: String,
}

/// How a parameter is passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParamKind {
    /// By position or by name.
    #[default]
    Plain,
    /// By position only.
    PositionalOnly,
    /// By name only.
    KeywordOnly,
    /// Takes all further positional arguments.
    Variadic,
    /// Takes all further named arguments.
    Keywords,
    /// The object itself, written as a parameter.
    Receiver,
    /// Declares a field at the same time.
    Field,
}

/// Who may see a definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Everyone.
    #[default]
    Public,
    /// The class and its heirs.
    Protected,
    /// The same package or module.
    Package,
    /// The class alone.
    Private,
}

impl Visibility {
    /// The published name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Protected => "protected",
            Self::Package => "package",
            Self::Private => "private",
        }
    }

    /// The visibility of a modifier's name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Public, Self::Protected, Self::Package, Self::Private]
            .into_iter()
            .find(|visibility| visibility.name() == name)
    }
}

/// An import, an include, a re-export.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// Where from, as written; empty for a plain list of modules.
    pub module: String,
    /// What, in the order of the text; `*` for everything, none for a bare side effect.
    pub names: Vec<ImportName>,
    /// `static`, `type`, `relative`, `re-export`, `dynamic`, `type_checking`, ...
    pub modifiers: Vec<String>,
}

/// One imported name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportName {
    /// As it is called where it comes from.
    pub name: String,
    /// As it is called here, when that differs.
    pub alias: Option<String>,
}

/// A tag of a markup language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Markup {
    /// In lower case.
    pub tag: String,
    /// Name and value in the order of the text; a value is empty where none is written.
    pub attributes: Vec<(String, String)>,
    /// `structure`, `heading`, `text`, `list`, `media`, `form`, `table`, `metadata`.
    pub element_class: Cow<'static, str>,
    /// How many tags enclose it.
    pub depth: usize,
    /// How many tags stand directly in it.
    pub children: usize,
    /// The text directly in it, on one line, cut at 80 characters.
    pub text: String,
    /// Whether its end tag is missing though it needs one.
    pub is_unclosed: bool,
}

/// A rule of a style sheet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Style {
    /// The selectors, or the condition of an at-rule, on one line.
    pub selector: String,
    /// Name, value, class of the property.
    pub properties: Vec<(String, String, Cow<'static, str>)>,
    /// Of a rule `layout`, `box_model`, `typography`, `background`, `transition`, `interactivity`, `variables` or
    /// `other`: the class of most of its properties, of the first of them when even. Of an at-rule its keyword.
    pub property_class: Cow<'static, str>,
    /// The at-rules around it, outermost first.
    pub media: Vec<String>,
}

/// All elements of one file.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Elements {
    /// In the order of the text; parents before children.
    pub list: Vec<Element>,
    /// What the file's author wrote about the whole file.
    pub doc: Option<String>,
}

impl Element {
    /// The facts of a definition, when it is one.
    #[must_use]
    pub fn code(&self) -> Option<&Code> {
        match &self.detail {
            Detail::Code(code) => Some(code),
            _ => None,
        }
    }

    /// The facts of a definition, to be changed.
    pub fn code_mut(&mut self) -> Option<&mut Code> {
        match &mut self.detail {
            Detail::Code(code) => Some(code),
            _ => None,
        }
    }
}

impl Elements {
    /// How many there are of any of these kinds.
    #[must_use]
    pub fn count(&self, is_counted: impl Fn(Kind) -> bool) -> usize {
        self.list.iter().filter(|element| is_counted(element.kind)).count()
    }

    /// The names from the outermost element to this one, with dots.
    #[must_use]
    pub fn qualified_name(&self, index: usize) -> String {
        let mut names = Vec::new();
        let mut at = Some(index);
        while let Some(element) = at.and_then(|index| self.list.get(index)) {
            names.push(element.name.as_str());
            at = element.parent;
        }
        names.reverse();
        names.join(".")
    }

    /// The direct children of an element, or of the file.
    pub fn children(&self, of: Option<usize>) -> impl Iterator<Item = (usize, &Element)> {
        self.list
            .iter()
            .enumerate()
            .filter(move |(_, element)| element.parent == of)
    }

    /// The index of what encloses what; built once for many questions.
    #[must_use]
    pub fn enclosures(&self) -> Enclosures {
        let mut spans: Vec<Enclosure> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        for (element, found) in self.list.iter().enumerate() {
            if !found.kind.is_container() {
                continue;
            }
            while open
                .last()
                .is_some_and(|last| !spans[*last].contains(found.span.start_byte, found.span.end_byte))
            {
                open.pop();
            }
            spans.push(Enclosure {
                start: found.span.start_byte,
                end: found.span.end_byte,
                element,
                around: open.last().copied(),
            });
            open.push(spans.len() - 1);
        }
        Enclosures(spans)
    }
}

/// Which container lies around a range of bytes.
///
/// Apart from [`Element::parent`], which says where something belongs: an attribute set in a method belongs to the class.
#[derive(Debug)]
pub struct Enclosures(Vec<Enclosure>);

#[derive(Debug)]
struct Enclosure {
    start: usize,
    end: usize,
    element: usize,
    around: Option<usize>,
}

impl Enclosure {
    const fn contains(&self, start: usize, end: usize) -> bool {
        self.start <= start && end <= self.end
    }
}

impl Enclosures {
    /// The innermost element around these bytes, other than one of exactly these bytes.
    #[must_use]
    pub fn around(&self, start: usize, end: usize) -> Option<usize> {
        let after = self.0.partition_point(|enclosure| enclosure.start <= start);
        let mut at = after.checked_sub(1);
        while let Some(enclosure) = at.and_then(|index| self.0.get(index)) {
            if enclosure.contains(start, end) && (enclosure.start, enclosure.end) != (start, end) {
                return Some(enclosure.element);
            }
            at = enclosure.around;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Kind;

    #[test]
    fn the_list_of_kinds_is_complete_and_each_name_reads_back() {
        for (kind, name) in Kind::ALL {
            assert_eq!(Kind::from_name(name), Some(kind));
            assert_eq!(kind.name(), name);
        }
        assert_eq!(Kind::ALL.len(), Kind::Key as usize + 1);
    }
}
