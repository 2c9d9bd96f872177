//! Declarators of C and C++: `int (*open)(void *, int)` declares a variable `open`, `int *open(void)` a function.
//!
//! A declarator is read from the outside in; the wrapping next to the name decides. Types are given as written, without
//! the name: nothing is resolved and no typedef is followed.

use tree_sitter::Node;

use crate::{
    elements::{Param, ParamKind},
    extract::{TEXT_CHARACTERS, VALUE_CHARACTERS},
    parse::{ParsedFile, one_line},
};

/// A declarator without its wrappings.
#[derive(Clone, Debug, Default)]
pub(crate) struct ParsedDeclarator<'t> {
    /// The declared name; `None` for an abstract declarator or a structured binding.
    pub(crate) name: Option<Node<'t>>,
    /// The node whose parameters make it a function.
    pub(crate) function: Option<Node<'t>>,
    /// Pointers, arrays, references and functions around the name, outermost first.
    wrappings: Vec<Node<'t>>,
}

/// The declaration around a declarator, which carries the type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeclarationNode<'t>(pub(crate) Node<'t>);

impl<'t> ParsedDeclarator<'t> {
    /// Unwraps a declarator down to its name.
    pub(crate) fn read(declarator: Node<'t>) -> Self {
        let mut declared = Self::default();
        let mut node = declarator;
        // The loop ends because every step goes deeper into the tree.
        loop {
            let inner = match node.kind() {
                "init_declarator" => node.child_by_field_name("declarator"),
                "parenthesized_declarator"
                | "attributed_declarator"
                | "abstract_parenthesized_declarator"
                | "variadic_declarator"
                | "optional_type_parameter_declaration" => declarator_in(node),
                "pointer_declarator"
                | "array_declarator"
                | "function_declarator"
                | "reference_declarator"
                | "abstract_pointer_declarator"
                | "abstract_array_declarator"
                | "abstract_function_declarator"
                | "abstract_reference_declarator"
                | "pointer_type_declarator" => {
                    declared.wrappings.push(node);
                    node.child_by_field_name("declarator").or_else(|| match node.kind() {
                        "reference_declarator" | "abstract_reference_declarator" => declarator_in(node),
                        _ => None,
                    })
                }
                "structured_binding_declarator" => None,
                _ => {
                    declared.name = Some(node);
                    if let Some(cast) = cast_of(node) {
                        declared.function = cast
                            .child_by_field_name("declarator")
                            .map(Self::read)
                            .and_then(|abstracted| abstracted.wrappings.last().copied());
                    }
                    None
                }
            };
            match inner {
                Some(inner) => node = inner,
                None => break,
            }
        }
        // Arrays of functions do not exist in C: `PRIV(table)[]` is a name made by a macro.
        if let [.., around, made] = declared.wrappings.as_slice()
            && around.kind() == "array_declarator"
            && made.kind() == "function_declarator"
        {
            declared.name = Some(*made);
            declared.wrappings.pop();
        }
        if declared.function.is_none() {
            declared.function = declared
                .wrappings
                .last()
                .filter(|wrapping| wrapping.kind() == "function_declarator" && declared.name.is_some())
                .copied();
        }
        declared
    }

    /// Returns the name as written; for a conversion operator, without its parameters.
    pub(crate) fn name_text(&self, parsed: &ParsedFile) -> String {
        let Some(name) = self.name else {
            return String::new();
        };
        let end = cast_of(name)
            .and_then(|cast| cast.child_by_field_name("declarator"))
            .map_or(name.end_byte(), |params| params.start_byte());
        let text = parsed.source.text.get(name.start_byte()..end).unwrap_or_default();
        one_line(text, TEXT_CHARACTERS)
    }

    /// True if the declared object itself cannot change: `const int a`, `char *const a`, but not `const char *a`.
    pub(crate) fn is_constant(&self, parsed: &ParsedFile, holder: DeclarationNode<'_>) -> bool {
        if holder.has_qualifier(parsed, "constexpr") {
            return true;
        }
        let nearest = self.wrappings.iter().rev().find(|wrapping| wrapping.kind() != "array_declarator");
        match nearest {
            Some(pointer) if pointer.kind() == "pointer_declarator" => {
                DeclarationNode(*pointer).has_qualifier(parsed, "const")
            }
            Some(_) => false,
            None => holder.has_qualifier(parsed, "const"),
        }
    }

    /// Returns a copy that is treated as an object even if it is a function, so that its whole type counts: for
    /// typedefs and parameters.
    pub(crate) fn as_object(&self) -> Self {
        Self { function: None, ..self.clone() }
    }

    /// Returns the declared type on one line, as written; for a function, the type of its result.
    pub(crate) fn type_text(
        &self,
        parsed: &ParsedFile,
        holder: DeclarationNode<'t>,
        declarator: Node<'t>,
    ) -> Option<String> {
        if let Some(result) = self.function.and_then(trailing_result) {
            return Some(one_line(parsed.text(result), TEXT_CHARACTERS));
        }
        let base = holder.base(parsed);
        let around = match declarator.kind() {
            "init_declarator" => declarator.child_by_field_name("declarator").unwrap_or(declarator),
            _ => declarator,
        };
        let source = &parsed.source.text;
        let mut suffix = String::new();
        if let Some(name) = self.name.filter(|name| cast_of(*name).is_none()) {
            let end = self.function.map_or(name.end_byte(), |function| function.end_byte());
            suffix.push_str(source.get(around.start_byte()..name.start_byte()).unwrap_or_default());
            suffix.push_str(source.get(end..around.end_byte()).unwrap_or_default());
        } else if self.name.is_none() {
            suffix.push_str(parsed.text(around));
        }
        if let Some(bits) = declarator.next_sibling().filter(|next| next.kind() == "bitfield_clause") {
            suffix.push_str(&parsed.text(bits).replace(' ', ""));
        }
        let suffix = one_line(&suffix, TEXT_CHARACTERS);
        let text = match suffix.trim() {
            "" => base,
            suffix if suffix.starts_with(['[', ':']) => format!("{base}{suffix}"),
            suffix => format!("{base} {suffix}"),
        };
        Some(one_line(&text, TEXT_CHARACTERS)).filter(|text| !text.is_empty())
    }
}

impl DeclarationNode<'_> {
    /// True if one of the declaration's own qualifiers is `name`.
    pub(crate) fn has_qualifier(self, parsed: &ParsedFile, name: &str) -> bool {
        let mut cursor = self.0.walk();
        self.0.children(&mut cursor).any(|child| {
            matches!(child.kind(), "type_qualifier" | "storage_class_specifier") && parsed.text(child) == name
        })
    }

    /// Returns the type before the declarators, with its qualifiers.
    fn base(self, parsed: &ParsedFile) -> String {
        let mut words: Vec<String> = Vec::new();
        let mut cursor = self.0.walk();
        if !cursor.goto_first_child() {
            return String::new();
        }
        loop {
            let node = cursor.node();
            match cursor.field_name() {
                Some("declarator" | "default_value") => break,
                Some("type") => words.push(plain_type(parsed, node)),
                _ if node.kind() == "type_qualifier" && !is_declaration_modifier(parsed.text(node)) => {
                    words.push(parsed.text(node).to_owned());
                }
                _ => {}
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        words.join(" ")
    }
}

/// True for qualifiers that are modifiers of the declaration or that do not affect the type.
fn is_declaration_modifier(qualifier: &str) -> bool {
    matches!(
        qualifier,
        "constexpr" | "consteval" | "constinit" | "_Noreturn" | "noreturn" | "__extension__" | "mutable"
    )
}

/// Returns a type as written; for a type defined in place, its keyword and name.
pub(crate) fn plain_type(parsed: &ParsedFile, node: Node<'_>) -> String {
    let Some(body) = node.child_by_field_name("body") else {
        return one_line(parsed.text(node), TEXT_CHARACTERS);
    };
    let head = parsed.source.text.get(node.start_byte()..body.start_byte());
    one_line(head.unwrap_or_default(), TEXT_CHARACTERS)
}

/// Returns the parameters of a list, with names and types separated.
pub(crate) fn params_of(parsed: &ParsedFile, list: Node<'_>) -> Vec<Param> {
    let mut found = Vec::new();
    let mut cursor = list.walk();
    for child in list.named_children(&mut cursor) {
        if child.is_extra() || child.is_error() {
            continue;
        }
        let text = one_line(parsed.text(child), TEXT_CHARACTERS);
        let mut param = Param { text: text.clone(), ..Param::default() };
        match child.kind() {
            "variadic_parameter" => {
                param.name = text;
                param.kind = ParamKind::Variadic;
            }
            "identifier" => param.name = text,
            _ => {
                if let Some(declarator) = child.child_by_field_name("declarator") {
                    let declared = ParsedDeclarator::read(declarator);
                    param.name = declared.name.map_or_else(String::new, |name| parsed.text(name).to_owned());
                    param.type_name = declared.as_object().type_text(parsed, DeclarationNode(child), declarator);
                } else {
                    param.type_name = Some(DeclarationNode(child).base(parsed)).filter(|base| !base.is_empty());
                    if text == "void" {
                        continue;
                    }
                }
                param.default = child
                    .child_by_field_name("default_value")
                    .map(|value| one_line(parsed.text(value), VALUE_CHARACTERS));
                if child.kind() == "variadic_parameter_declaration" {
                    param.kind = ParamKind::Variadic;
                }
            }
        }
        found.push(param);
    }
    found
}

/// Returns the declarator within a wrapping that has no field for it.
fn declarator_in(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| {
        !child.is_extra()
            && !matches!(
                child.kind(),
                "ms_call_modifier" | "attribute_declaration" | "attribute_specifier" | "type_qualifier"
            )
    })
}

/// Returns the conversion operator that a name consists of: `operator bool` or `A::operator bool`.
fn cast_of(name: Node<'_>) -> Option<Node<'_>> {
    let mut name = name;
    while name.kind() == "qualified_identifier" {
        name = name.child_by_field_name("name")?;
    }
    (name.kind() == "operator_cast").then_some(name)
}

/// Returns the result type after `->`.
pub(super) fn trailing_result(function: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = function.walk();
    function
        .named_children(&mut cursor)
        .find(|child| child.kind() == "trailing_return_type")
        .and_then(|trailing| trailing.named_child(0))
}
