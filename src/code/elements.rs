//! The model of a file's content: the one model that every query, table and measure uses.
//!
//! Invariant: elements are in the order of the text, and a parent precedes its children. Lines are 1-based and
//! inclusive, columns 0-based in characters, the end column exclusive. The model does not depend on the extraction.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The kind of an element. The names are those of captures in `elements.scm` and of `type` in replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, fumi_base::Named)]
#[serde(rename_all = "snake_case")]
pub enum ElementKind {
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

impl ElementKind {
    /// Returns the kind with a published name, or `None` for an unknown name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// True if its members are fields and methods.
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

    /// True for executable kinds, which have parameters, a body and a complexity.
    pub const fn is_callable(self) -> bool {
        matches!(self, Self::Method | Self::Constructor | Self::Function | Self::Initializer)
    }

    /// True if the kind can be the parent of other elements.
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

/// The position of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceSpan {
    /// The 1-based first line.
    pub start_line: usize,
    /// The 1-based last line, inclusive.
    pub end_line: usize,
    /// The 0-based first column, in characters.
    pub start_column: usize,
    /// The 0-based end column, in characters, exclusive.
    pub end_column: usize,
    /// The first byte in the decoded text, which is UTF-8 in any case.
    pub start_byte: usize,
    /// The end byte in the decoded text, exclusive.
    pub end_byte: usize,
}

impl SourceSpan {
    /// Returns the number of lines that the span touches.
    pub const fn lines(&self) -> usize {
        self.end_line + 1 - self.start_line
    }

    /// True if the other span lies within this one.
    pub const fn contains(&self, other: &Self) -> bool {
        self.start_byte <= other.start_byte && other.end_byte <= self.end_byte
    }
}

/// One structural element of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CodeElement {
    pub kind: ElementKind,
    /// The name; for an element without one, a text that identifies it to a reader (an import's module, a comment's
    /// first line).
    pub name: String,
    /// The position, including decorators and modifiers.
    pub span: SourceSpan,
    /// The index of the enclosing element.
    pub parent: Option<usize>,
    /// The byte ranges of its syntax nodes: the definition without decorators, and the function that it names.
    pub nodes: [(usize, usize); 2],
    /// Further facts that depend on the kind.
    pub detail: ElementDetail,
}

/// The facts about an element beyond its position.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ElementDetail {
    /// The facts of a definition in a program.
    Code(Box<DefinitionFacts>),
    /// An import or a re-export.
    Import(Box<ImportFacts>),
    /// A tag of a markup language.
    Markup(Box<MarkupFacts>),
    /// A rule or a property of a style sheet.
    Style(Box<StyleFacts>),
    /// A heading of a document.
    Heading {
        /// The level, from 1 to 6.
        level: u8,
    },
    /// A block or span of a document, or a comment.
    Block {
        /// A code block's language, a link's address, a list's marker; empty for others.
        info: String,
    },
    /// A data entry, or a list item that contains entries.
    Key {
        /// The type of the value: `string`, `number`, `boolean`, `null`, `date`, `mapping`, `list`; in YAML also
        /// `alias` and `document`.
        type_name: Cow<'static, str>,
        /// The value as written, on one line, cut at 80 characters. Empty if child entries contain it, as for mappings
        /// and nested lists. YAML's anchors and tags are included.
        value: String,
    },
}

/// The facts of a definition in a program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, as filters and tables name them")]
pub struct DefinitionFacts {
    /// The parameters in the order of the text.
    pub params: Vec<Param>,
    /// The parameter list as written, on one line, without its brackets but with separators.
    pub params_text: String,
    /// The return type of a callable, the declared type of a field or variable.
    pub type_name: Option<String>,
    /// The keywords, and the modifiers that decorators imply, in the order of the text, each once.
    pub modifiers: Vec<String>,
    pub visibility: Visibility,
    /// True if it belongs to the class, not to an instance.
    pub is_static: bool,
    /// True if it runs asynchronously.
    pub is_async: bool,
    /// True if the function is a generator, that is, contains `yield`.
    pub is_generator: bool,
    /// True if it has no body of its own, or cannot be instantiated.
    pub is_abstract: bool,
    /// True if it can be imported from outside and the language marks that.
    pub is_exported: bool,
    /// True if it is the module's default export.
    pub is_default: bool,
    /// The decorators or annotations, without the leading `@`.
    pub decorators: Vec<String>,
    /// The generic parameters as written, without the brackets. They are rare: boxed, the facts of a definition fit into
    /// 256 bytes, for which allocators have a size of their own.
    pub type_params: Option<Box<str>>,
    /// The superclasses, and for an interface its super-interfaces.
    pub extends: Vec<String>,
    /// The names of implemented interfaces.
    pub implements: Vec<String>,
    /// The value as written, cut at 80 characters.
    pub value: Option<String>,
    /// The documentation comment, without comment markers.
    pub doc: Option<String>,
    /// The cyclomatic complexity, at least 1; only for callables.
    pub complexity: Option<usize>,
}

impl DefinitionFacts {
    /// Adds a modifier unless it is already in the list.
    pub fn add_modifier(&mut self, modifier: &str) {
        if !self.modifiers.iter().any(|known| known == modifier) {
            self.modifiers.push(modifier.to_owned());
        }
    }

    /// True if the definition has this modifier.
    pub fn has_modifier(&self, modifier: &str) -> bool {
        self.modifiers.iter().any(|known| known == modifier)
    }

    /// Returns the first line of the documentation.
    pub fn doc_line(&self) -> &str {
        self.doc.as_deref().and_then(|doc| doc.lines().next()).unwrap_or_default()
    }
}

/// Returns the dotted name of a decorator and its last part: `app.route` and `route` for `app.route("/x")`.
pub fn decorator_names(decorator: &str) -> [&str; 2] {
    let end = decorator.find(['(', '[', '<', '{', '=', '"']).unwrap_or(decorator.len());
    let path = decorator[..end].split_whitespace().next().unwrap_or(decorator);
    // The name of `json:"name"` of Go is `json`.
    let path = path.trim_end_matches(':');
    [path, path.rsplit(['.', ':', '\\']).next().unwrap_or(path)]
}

/// One parameter of a callable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// The name, or a destructuring pattern as written.
    pub name: String,
    /// The declared type, if one is written.
    pub type_name: Option<String>,
    /// The default value as written.
    pub default: Option<String>,
    /// The way in which it is passed.
    pub kind: ParamKind,
    /// The whole parameter as written, on one line.
    pub text: String,
}

/// The way in which a parameter is passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParamKind {
    /// By position or by name.
    #[default]
    Plain,
    /// By position only, never by name.
    PositionalOnly,
    /// By name only, never by position.
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

/// The visibility of a definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, fumi_base::Named)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Visible from all code.
    #[default]
    Public,
    /// Visible to the class and its subclasses.
    Protected,
    /// Visible in the same package or module.
    Package,
    /// Visible to the class alone.
    Private,
}

impl Visibility {
    /// Returns the visibility that a modifier means, or `None` for another modifier.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|visibility| visibility.name() == name)
    }
}

/// An import, an include or a re-export.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportFacts {
    /// The source module, as written; empty for a plain list of modules.
    pub module: String,
    /// The imported names, in the order of the text; `*` for everything, empty for a bare side effect.
    pub names: Vec<ImportName>,
    /// The modifiers: `static`, `type`, `relative`, `re-export`, `dynamic`, `type_checking`, ...
    pub modifiers: Vec<String>,
}

/// One name of an import, with its alias.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportName {
    /// The name in the source module.
    pub name: String,
    /// The local name, if different.
    pub alias: Option<String>,
}

/// A tag of a markup language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkupFacts {
    /// The tag name, in lower case.
    pub tag: String,
    /// Names and values in the order of the text; a value is empty if none is written.
    pub attributes: Vec<(String, String)>,
    /// The class: `structure`, `heading`, `text`, `list`, `media`, `form`, `table`, `metadata`.
    pub element_class: Cow<'static, str>,
    /// The number of enclosing tags.
    pub depth: usize,
    /// The number of direct child tags.
    pub children: usize,
    /// The direct text content, on one line, cut at 80 characters.
    pub text: String,
    /// True if a required end tag is missing.
    pub is_unclosed: bool,
}

/// A rule of a style sheet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StyleFacts {
    /// The selectors, or the condition of an at-rule, on one line.
    pub selector: String,
    /// The name, value and class of each property.
    pub properties: Vec<(String, String, Cow<'static, str>)>,
    /// The class of a rule: `layout`, `box_model`, `typography`, `background`, `transition`, `interactivity`,
    /// `variables` or `other`: that of most of its properties, in a tie that of the first. For an at-rule its keyword.
    pub property_class: Cow<'static, str>,
    /// The enclosing at-rules, outermost first.
    pub media: Vec<String>,
}

/// All elements of one file.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ElementList {
    /// The elements in the order of the text; parents before children.
    pub list: Vec<CodeElement>,
    /// The documentation of the whole file.
    pub doc: Option<String>,
}

impl CodeElement {
    /// Returns the facts of a definition, or `None` for another element.
    pub fn code(&self) -> Option<&DefinitionFacts> {
        match &self.detail {
            ElementDetail::Code(code) => Some(code),
            _ => None,
        }
    }

    /// Returns the facts of a definition for modification.
    pub fn code_mut(&mut self) -> Option<&mut DefinitionFacts> {
        match &mut self.detail {
            ElementDetail::Code(code) => Some(code),
            _ => None,
        }
    }
}

impl ElementList {
    /// Returns the number of elements whose kind satisfies the predicate.
    pub fn count(&self, is_counted: impl Fn(ElementKind) -> bool) -> usize {
        self.list.iter().filter(|element| is_counted(element.kind)).count()
    }

    /// Returns the dotted names from the outermost element to this one.
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

    /// Returns the direct children of an element, or of the file.
    pub fn children(&self, of: Option<usize>) -> impl Iterator<Item = (usize, &CodeElement)> {
        self.list.iter().enumerate().filter(move |(_, element)| element.parent == of)
    }

    /// Builds an index of enclosing containers, for many look-ups.
    pub fn enclosures(&self) -> Enclosures {
        let mut spans: Vec<Enclosure> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        for (element, found) in self.list.iter().enumerate() {
            if !found.kind.is_container() {
                continue;
            }
            while open.last().is_some_and(|last| !spans[*last].contains(found.span.start_byte, found.span.end_byte)) {
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

/// An index of the containers around ranges of bytes.
///
/// Different from [`CodeElement::parent`], which is the logical parent: an attribute set in a method belongs to the
/// class.
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
    /// Returns the innermost element around these bytes, other than one of exactly these bytes.
    pub fn innermost(&self, start: usize, end: usize) -> Option<usize> {
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
    use super::ElementKind;

    #[test]
    fn every_kind_has_a_name_that_parses_back() {
        for kind in ElementKind::ALL {
            assert_eq!(ElementKind::from_name(kind.name()), Some(kind));
        }
        assert_eq!(ElementKind::EnumMember.name(), "enum_member");
    }
}
