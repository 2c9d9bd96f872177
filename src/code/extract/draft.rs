//! An element under construction: a draft, which queries and the refinements of languages make and change.

use std::cmp::Reverse;

use tree_sitter::Node;

use super::plan::DefinitionPart;
use crate::{
    elements::{CodeElement, DefinitionFacts, ElementDetail, ElementKind, ImportFacts, MarkupFacts, StyleFacts},
    parse::{ParsedFile, one_line},
};

/// The maximum length of a stored value, in characters; the section itself has the whole text.
pub(crate) const VALUE_CHARACTERS: usize = 80;

/// The maximum length of a stored type or parameter, in characters.
pub(crate) const TEXT_CHARACTERS: usize = 200;

/// The maximum length of a stored name, in characters: long enough for the whole of a name that a bindings generator
/// makes.
const NAME_CHARACTERS: usize = 1_000;

/// An element under construction, with the nodes that it comes from.
#[derive(Debug)]
pub(crate) struct ElementDraft<'t> {
    /// The node of the definition itself.
    pub(crate) node: Node<'t>,
    /// See [`ElementDraft::outer`]. Boxed, because most drafts have none, and a large file has a hundred thousand drafts.
    outer: Option<Box<Node<'t>>>,
    inner: Option<Box<Node<'t>>>,
    /// The nodes that are searched for parts: the definition, and every node around or in it that a pattern captured. Empty
    /// if that is the definition alone.
    pub(super) holders: Vec<Node<'t>>,
    /// The node of the body, if the definition has one.
    pub(crate) body: Option<Node<'t>>,
    /// The element that the draft becomes.
    pub(crate) element: CodeElement,
    /// True if the element becomes part of the result.
    pub(crate) keep: bool,
    pub(super) parts: Vec<(DefinitionPart, Node<'t>)>,
}

impl<'t> ElementDraft<'t> {
    /// Creates the draft of a definition. Refinements use it for definitions that a query cannot find.
    pub(crate) fn new(parsed: &ParsedFile, node: Node<'t>, kind: ElementKind, name: Option<Node<'t>>) -> Self {
        let name = match name {
            Some(name) => one_line(parsed.text(name), NAME_CHARACTERS),
            None => one_line(parsed.text(node), VALUE_CHARACTERS),
        };
        Self {
            node,
            outer: None,
            inner: None,
            holders: Vec::new(),
            body: None,
            element: CodeElement {
                kind,
                name,
                span: parsed.span(node),
                parent: None,
                nodes: [(node.start_byte(), node.end_byte()); 2],
                detail: empty_detail(kind),
            },
            keep: true,
            parts: Vec::new(),
        }
    }

    /// Creates the draft of a function that only encloses others and is dropped later.
    pub(super) fn scope(parsed: &ParsedFile, node: Node<'t>) -> Self {
        Self {
            keep: false,
            ..Self::from_element(
                node,
                CodeElement {
                    kind: ElementKind::Function,
                    name: String::new(),
                    span: parsed.span(node),
                    parent: None,
                    nodes: [(node.start_byte(), node.end_byte()); 2],
                    detail: empty_detail(ElementKind::Function),
                },
            )
        }
    }

    /// Creates a draft from a finished element that was found in another way, at a node of this tree.
    pub(crate) fn from_element(node: Node<'t>, element: CodeElement) -> Self {
        Self { node, outer: None, inner: None, holders: Vec::new(), body: None, element, keep: true, parts: Vec::new() }
    }

    /// Returns the enclosing node whose range the element takes, if that is not the definition.
    pub(crate) fn outer(&self) -> Option<Node<'t>> {
        self.outer.as_deref().copied()
    }

    /// Returns the function or class that the definition names, if that is a node of its own.
    pub(crate) fn inner(&self) -> Option<Node<'t>> {
        self.inner.as_deref().copied()
    }

    /// Sets the function or class that the definition names. Its parts belong to the definition too.
    pub(super) fn set_inner(&mut self, inner: Node<'t>) {
        self.inner = Some(Box::new(inner));
        self.element.nodes[1] = (inner.start_byte(), inner.end_byte());
        self.add_holder(inner);
    }

    /// Changes the kind, and replaces the detail with an empty one if the new kind needs another form.
    pub(crate) fn set_kind(&mut self, kind: ElementKind) {
        if std::mem::discriminant(&empty_detail(kind)) != std::mem::discriminant(&self.element.detail) {
            self.element.detail = empty_detail(kind);
        }
        self.element.kind = kind;
    }

    /// Adds a modifier, if the element's detail has modifiers.
    pub(crate) fn add_modifier(&mut self, modifier: &str) {
        match &mut self.element.detail {
            ElementDetail::Code(code) => code.add_modifier(modifier),
            ElementDetail::Import(import) if !import.modifiers.iter().any(|known| known == modifier) => {
                import.modifiers.push(modifier.to_owned());
            }
            _ => {}
        }
    }

    /// Extends the element to the range of an enclosing node, if that is wider.
    pub(crate) fn widen(&mut self, parsed: &ParsedFile, outer: Node<'t>) {
        self.add_holder(outer);
        let current = self.outer().unwrap_or(self.node);
        if outer.start_byte() <= current.start_byte() && current.end_byte() <= outer.end_byte() {
            self.outer = Some(Box::new(outer));
            self.element.span = parsed.span(outer);
        }
    }

    fn add_holder(&mut self, node: Node<'t>) {
        if self.holders.is_empty() {
            self.holders.push(self.node);
        }
        if !self.holders.contains(&node) {
            self.holders.push(node);
            self.holders.sort_by_key(|node| (node.start_byte(), Reverse(node.end_byte())));
        }
    }

    /// Returns the facts of the definition, or `None` if the element is not a definition.
    pub(crate) fn code(&mut self) -> Option<&mut DefinitionFacts> {
        self.element.code_mut()
    }
}

fn empty_detail(kind: ElementKind) -> ElementDetail {
    match kind {
        ElementKind::Import | ElementKind::Export => ElementDetail::Import(Box::<ImportFacts>::default()),
        ElementKind::Markup => ElementDetail::Markup(Box::<MarkupFacts>::default()),
        ElementKind::Rule | ElementKind::AtRule | ElementKind::Property => {
            ElementDetail::Style(Box::<StyleFacts>::default())
        }
        ElementKind::Heading => ElementDetail::Heading { level: 1 },
        ElementKind::Key => ElementDetail::Key { type_name: "null".into(), value: String::new() },
        ElementKind::Comment
        | ElementKind::CodeBlock
        | ElementKind::Link
        | ElementKind::Image
        | ElementKind::List
        | ElementKind::Table
        | ElementKind::FrontMatter
        | ElementKind::Package => ElementDetail::Block { info: String::new() },
        _ => ElementDetail::Code(Box::<DefinitionFacts>::default()),
    }
}
