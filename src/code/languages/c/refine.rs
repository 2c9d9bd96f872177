//! Refines C elements beyond the syntax: declarators, names of unnamed types, includes and include guards.
//!
//! `static` outside of a struct hides a name from other files: such a definition is private. A macro with a value but
//! without parameters is a constant. Macros are not expanded and conditions are not evaluated: every branch of an `#if`
//! counts.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use regex::Regex;
use tree_sitter::Node;

use super::declarator::{DeclarationNode, ParsedDeclarator, params_of, trailing_result};
use crate::{
    elements::{CodeElement, DefinitionFacts, ElementDetail, ElementKind, ImportFacts, Param, ParamKind, Visibility},
    extract::{ElementDraft, TEXT_CHARACTERS, VALUE_CHARACTERS, params_text},
    parse::{ParsedFile, one_line},
};

pub(crate) fn refine<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    read_declarators(parsed, drafts);
    for draft in drafts.iter_mut() {
        let is_hidden = draft.element.parent.is_none()
            && matches!(draft.element.kind, ElementKind::Function | ElementKind::Variable | ElementKind::Constant);
        if let Some(code) = draft.code().filter(|_| is_hidden)
            && code.is_static
        {
            code.visibility = Visibility::Private;
        }
    }
}

/// Reads every declarator; shared by C and C++.
pub(crate) fn read_declarators<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    let guard = guard(parsed);
    for at in 0..drafts.len() {
        let parent = drafts[at].element.parent.map(|parent| drafts[parent].element.kind);
        let node = drafts[at].node;
        let draft = &mut drafts[at];
        match draft.element.kind {
            ElementKind::Import if matches!(node.kind(), "preproc_include" | "preproc_call") => include(parsed, draft),
            ElementKind::Macro => {
                directive(parsed, draft, guard);
                // A macro has no scope, wherever it is defined.
                draft.element.parent = None;
            }
            ElementKind::Struct | ElementKind::Union | ElementKind::Enum | ElementKind::Class => aggregate(draft),
            _ if node.kind() == "function_definition" => function_definition(parsed, draft),
            ElementKind::Variable
            | ElementKind::Field
            | ElementKind::Type
            | ElementKind::Function
            | ElementKind::Method
                if draft.outer().is_some() =>
            {
                declared(parsed, draft, parent);
            }
            _ => {}
        }
        if let Some(code) = draft.code() {
            for decorator in &mut code.decorators {
                *decorator = bare_attribute(decorator);
            }
        }
    }
    typedefs(drafts);
    add_unparsed_directives(parsed, drafts);
}

/// Adds directives that the grammar has no place for. A directive is always on a line of its own, so they are found by
/// searching the text.
fn add_unparsed_directives<'t>(parsed: &'t ParsedFile, drafts: &mut Vec<ElementDraft<'t>>) {
    static DEFINE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^[ \t]*(#[ \t]*define[ \t]+(\w+)(\([^()\n]*\))?((?:[^\n]*\\\r?\n)*[^\n]*))$")
            .expect("a constant pattern")
    });
    let root = parsed.tree.root_node();
    let known: HashSet<usize> = drafts
        .iter()
        .filter(|draft| matches!(draft.node.kind(), "preproc_def" | "preproc_function_def"))
        .map(|draft| draft.node.start_byte())
        .collect();
    let text = &parsed.source.text;
    for found in DEFINE.captures_iter(text) {
        let (Some(whole), Some(name)) = (found.get(1), found.get(2)) else {
            continue;
        };
        let at = root.descendant_for_byte_range(whole.start(), whole.start() + 1);
        let is_text = at.is_some_and(|node| matches!(node.kind(), "comment" | "string_content" | "raw_string_content"));
        if is_text || known.contains(&whole.start()) {
            continue;
        }
        let mut code = DefinitionFacts::default();
        let value = found.get(4).map_or("", |value| value.as_str());
        let value = one_line(&value.replace("\\\n", " "), VALUE_CHARACTERS);
        code.value = Some(value).filter(|value| !value.is_empty());
        let mut kind = ElementKind::Macro;
        if let Some(list) = found.get(3) {
            macro_params(&mut code, list.as_str().trim_matches(['(', ')']));
        } else if code.value.is_some() {
            kind = ElementKind::Constant;
            code.add_modifier("macro");
        }
        drafts.push(ElementDraft::from_element(
            root,
            CodeElement {
                kind,
                name: name.as_str().to_owned(),
                span: parsed.lines.span(text, whole.start(), whole.end()),
                parent: None,
                nodes: [(whole.start(), whole.end()); 2],
                detail: ElementDetail::Code(Box::new(code)),
            },
        ));
    }
}

fn include(parsed: &ParsedFile, draft: &mut ElementDraft<'_>) {
    let path = draft.node.child_by_field_name("path").or_else(|| draft.node.child_by_field_name("argument"));
    let Some(path) = path else { return };
    let text = one_line(parsed.text(path), TEXT_CHARACTERS);
    let mut found = ImportFacts::default();
    if text.starts_with('<') {
        found.modifiers.push("system".to_owned());
    } else if text.starts_with('"') {
        found.modifiers.push("local".to_owned());
    } else {
        found.modifiers.push("computed".to_owned());
    }
    if let ElementDetail::Import(import) = &draft.element.detail {
        found.modifiers.extend(import.modifiers.iter().cloned());
    }
    text.trim_matches(['<', '>', '"']).clone_into(&mut found.module);
    draft.element.name.clone_from(&found.module);
    draft.element.detail = ElementDetail::Import(Box::new(found));
}

/// Refines `#define`: a macro if it has parameters or no value, else a constant.
fn directive(parsed: &ParsedFile, draft: &mut ElementDraft<'_>, guard: Option<&str>) {
    let params = draft.node.child_by_field_name("parameters");
    let is_guard = guard == Some(draft.element.name.as_str());
    let Some(code) = draft.code() else { return };
    if let Some(list) = params {
        macro_params(code, &params_text(parsed, list));
    } else if code.value.is_some() {
        code.add_modifier("macro");
        draft.element.kind = ElementKind::Constant;
    } else if is_guard {
        code.add_modifier("guard");
    }
}

fn macro_params(code: &mut DefinitionFacts, list: &str) {
    code.params_text = one_line(list, TEXT_CHARACTERS);
    code.params = list
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(|name| Param {
            name: name.to_owned(),
            text: name.to_owned(),
            kind: if name.ends_with("...") { ParamKind::Variadic } else { ParamKind::Plain },
            ..Param::default()
        })
        .collect();
}

/// Returns the name of the include guard, which is the name that the file's first condition tests.
fn guard(parsed: &ParsedFile) -> Option<&str> {
    let root = parsed.tree.root_node();
    let mut cursor = root.walk();
    let first = root
        .named_children(&mut cursor)
        .find(|child| child.kind() != "comment" && parsed.text(*child).trim() != "#pragma once")?;
    match first.kind() {
        "preproc_ifdef" if first.child(0).is_some_and(|token| token.kind() == "#ifndef") => {
            first.child_by_field_name("name").map(|name| parsed.text(name))
        }
        "preproc_if" => {
            let condition = parsed.text(first.child_by_field_name("condition")?);
            let name = condition.trim().strip_prefix('!')?.trim().strip_prefix("defined")?;
            Some(name.trim_matches([' ', '\t', '(', ')']))
        }
        _ => None,
    }
}

/// Names a struct, union or enum that has no name of its own.
fn aggregate(draft: &mut ElementDraft<'_>) {
    let node = draft.node;
    let has_name = node.child_by_field_name("name").is_some();
    let is_typedef = draft.outer().is_some_and(|outer| outer.kind() == "type_definition");
    if has_name {
        return;
    }
    let kind = draft.element.kind.name();
    draft.element.name = format!("<anonymous {kind}>");
    if let Some(code) = draft.code()
        && is_typedef
    {
        code.modifiers.retain(|modifier| modifier != "anonymous");
    }
}

fn function_definition<'t>(parsed: &'t ParsedFile, draft: &mut ElementDraft<'t>) {
    let Some(declarator) = draft.node.child_by_field_name("declarator") else {
        draft.keep = false;
        return;
    };
    let declared = ParsedDeclarator::read(declarator);
    let Some(name) = declared.name.filter(|name| is_name(parsed, *name)) else {
        draft.keep = false;
        return;
    };
    let holder = DeclarationNode(draft.node);
    draft.element.name = declared.name_text(parsed);
    let list = declared.function.and_then(|function| function.child_by_field_name("parameters"));
    // `TEST(Suite, Name) { ... }` is a macro call; only the arguments distinguish one from another, so the name
    // includes them.
    let declared_type = draft.node.child_by_field_name("type");
    let is_macro = declared_type.is_none()
        && name.kind() == "identifier"
        && draft.element.parent.is_none()
        && is_capital(&draft.element.name);
    // A macro call with one argument parses as a type and a name in brackets.
    if let Some(word) = declared_type.filter(|_| declarator.kind() == "parenthesized_declarator")
        && is_capital(parsed.text(word))
    {
        draft.element.name = format!("{}({})", parsed.text(word), draft.element.name);
        if let Some(code) = draft.code() {
            code.add_modifier("macro");
        }
        return;
    }
    let declared_type = declared.type_text(parsed, holder, declarator);
    let Some(code) = draft.code() else { return };
    code.type_name = declared_type;
    qualifiers(parsed, holder, code);
    attributes(parsed, declared.function, code);
    if let Some(list) = list {
        code.params = params_of(parsed, list);
        code.params_text = params_text(parsed, list);
        if is_macro && !code.params_text.is_empty() {
            code.add_modifier("macro");
            let arguments = code.params_text.clone();
            code.params.clear();
            code.params_text.clear();
            draft.element.name.push_str(&format!("({arguments})"));
        }
    }
}

/// True if the node can be a name: broken source yields keywords and missing nodes here.
fn is_name(parsed: &ParsedFile, name: Node<'_>) -> bool {
    const KEYWORDS: [&str; 34] = [
        "auto", "bool", "break", "case", "char", "class", "const", "continue", "default", "do", "double", "else",
        "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "return", "short", "signed", "sizeof",
        "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while",
    ];
    let is_shaped = name.kind().ends_with("identifier")
        || matches!(
            name.kind(),
            "primitive_type"
                | "function_declarator"
                | "destructor_name"
                | "operator_name"
                | "operator_cast"
                | "template_function"
                | "template_method"
                | "template_type"
                | "dependent_name"
        );
    let text = parsed.text(name);
    is_shaped && !text.is_empty() && !KEYWORDS.contains(&text)
}

fn is_capital(name: &str) -> bool {
    name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase)
}

/// Refines a declarator of a declaration, a member or a typedef.
fn declared<'t>(parsed: &'t ParsedFile, draft: &mut ElementDraft<'t>, parent: Option<ElementKind>) {
    let declarator = draft.node;
    let Some(holder) = draft.outer().map(holder_of) else {
        return;
    };
    if matches!(declarator.kind(), "alias_declaration" | "concept_definition") {
        return;
    }
    let declared = ParsedDeclarator::read(declarator);
    let Some(name) = declared.name else {
        draft.keep = declarator.kind() == "init_declarator" || declarator.kind() == "structured_binding_declarator";
        draft.element.name = one_line(parsed.text(declarator.child(0).unwrap_or(declarator)), TEXT_CHARACTERS);
        return;
    };
    if !is_name(parsed, name) {
        draft.keep = false;
        return;
    }
    let has_lambda = draft.inner().is_some();
    let is_function = declared.function.is_some() && draft.element.kind != ElementKind::Type && !has_lambda;
    let in_class = parent.is_some_and(ElementKind::is_class_like);
    draft.element.name = declared.name_text(parsed);
    let type_text = declared.type_text(parsed, holder, declarator);
    let is_constant = declared.is_constant(parsed, holder);
    if is_function {
        // The grammar also marks the declaration that `extern "C"` applies to as a body.
        draft.body = None;
        draft.set_kind(if in_class { ElementKind::Method } else { ElementKind::Function });
    } else if draft.element.kind == ElementKind::Variable && !in_class && is_constant {
        draft.set_kind(ElementKind::Constant);
    }
    let value = default_of(declarator).filter(|_| !is_function && draft.element.kind == ElementKind::Field);
    let list = declared.function.and_then(|function| function.child_by_field_name("parameters"));
    let is_type = draft.element.kind == ElementKind::Type;
    let lambda = draft.inner().and_then(|lambda| lambda.child_by_field_name("declarator"));
    let Some(code) = draft.code() else { return };
    if has_lambda {
        code.type_name = lambda.and_then(trailing_result).map(|result| one_line(parsed.text(result), TEXT_CHARACTERS));
        if let Some(list) = lambda.and_then(|lambda| lambda.child_by_field_name("parameters")) {
            code.params = params_of(parsed, list);
            code.params_text = params_text(parsed, list);
        }
    } else {
        code.type_name = if is_type { declared.as_object().type_text(parsed, holder, declarator) } else { type_text };
    }
    qualifiers(parsed, holder, code);
    if let Some(value) = value {
        code.value = Some(one_line(parsed.text(value), VALUE_CHARACTERS));
    }
    if is_function {
        code.value = None;
        code.add_modifier("prototype");
        attributes(parsed, declared.function, code);
        if let Some(list) = list {
            code.params = params_of(parsed, list);
            code.params_text = params_text(parsed, list);
        }
    }
}

/// Adds the attributes that follow the parameters.
fn attributes(parsed: &ParsedFile, function: Option<Node<'_>>, code: &mut DefinitionFacts) {
    let Some(function) = function else { return };
    let mut cursor = function.walk();
    for child in function.named_children(&mut cursor) {
        if matches!(child.kind(), "attribute_specifier" | "attribute_declaration") {
            code.decorators.push(one_line(parsed.text(child), TEXT_CHARACTERS));
        }
    }
}

/// Returns the default value of a member: the node that follows its declarator, before the next one.
fn default_of(declarator: Node<'_>) -> Option<Node<'_>> {
    let mut after = declarator.next_sibling();
    while let Some(node) = after {
        match node.kind() {
            "=" | "bitfield_clause" | "comment" => after = node.next_sibling(),
            "," | ";" => return None,
            _ => return node.is_named().then_some(node),
        }
    }
    None
}

/// Adds the qualifiers that describe the definition rather than its type.
fn qualifiers(parsed: &ParsedFile, holder: DeclarationNode<'_>, code: &mut DefinitionFacts) {
    for name in ["constexpr", "consteval", "constinit", "_Noreturn", "noreturn", "mutable"] {
        if holder.has_qualifier(parsed, name) {
            code.add_modifier(name);
        }
    }
}

/// Returns the node that carries the type, within the statements that wrap it.
fn holder_of(outer: Node<'_>) -> DeclarationNode<'_> {
    let mut node = outer;
    while matches!(node.kind(), "template_declaration" | "friend_declaration" | "linkage_specification") {
        let mut cursor = node.walk();
        let inner = node.named_children(&mut cursor).find(|child| {
            matches!(
                child.kind(),
                "declaration"
                    | "field_declaration"
                    | "template_declaration"
                    | "friend_declaration"
                    | "function_definition"
            )
        });
        match inner {
            Some(inner) => node = inner,
            None => break,
        }
    }
    DeclarationNode(node)
}

/// Gives an unnamed type the name of its first typedef. An unnamed type of a variable becomes part of the variable.
fn typedefs(drafts: &mut [ElementDraft<'_>]) {
    // The first alias of each statement, keyed by the byte at which the statement begins.
    let mut aliases: HashMap<usize, usize> = HashMap::new();
    for (at, draft) in drafts.iter().enumerate() {
        if let Some(outer) = draft.outer().filter(|outer| outer.kind() == "type_definition")
            && draft.element.kind == ElementKind::Type
            && draft.keep
        {
            let first = aliases.entry(outer.start_byte()).or_insert(at);
            if drafts[*first].node.start_byte() > draft.node.start_byte() {
                *first = at;
            }
        }
    }
    let mut names: HashMap<usize, (&'static str, String)> = HashMap::new();
    for at in 0..drafts.len() {
        let draft = &drafts[at];
        let is_aggregate = matches!(
            draft.element.kind,
            ElementKind::Struct | ElementKind::Union | ElementKind::Enum | ElementKind::Class
        );
        if !is_aggregate {
            continue;
        }
        let has_name = draft.node.child_by_field_name("name").is_some();
        let alias = draft
            .outer()
            .filter(|outer| outer.kind() == "type_definition")
            .and_then(|outer| aliases.get(&outer.start_byte()).copied());
        if let Some(alias) = alias {
            let name = drafts[alias].element.name.clone();
            if !has_name {
                drafts[alias].keep = false;
                let kind = drafts[at].element.kind.name();
                names.insert(drafts[at].element.span.start_byte, (kind, name.clone()));
                drafts[at].element.name = name;
            }
            if let Some(code) = drafts[at].code() {
                code.add_modifier("typedef");
            }
            continue;
        }
        let declares = draft.element.parent.filter(|parent| {
            let parent = &drafts[*parent];
            matches!(parent.element.kind, ElementKind::Variable | ElementKind::Constant | ElementKind::Field)
                && parent
                    .outer()
                    .and_then(|outer| holder_of(outer).0.child_by_field_name("type"))
                    .is_some_and(|declared| declared == draft.node)
        });
        if let Some(variable) = declares {
            if has_name {
                drafts[at].element.parent = drafts[variable].element.parent;
            } else {
                drafts[at].keep = false;
            }
        }
    }
    other_aliases(drafts, &names);
    unnamed(drafts);
}

/// Moves members of a type without any name to the enclosing type, as the language does.
fn unnamed(drafts: &mut [ElementDraft<'_>]) {
    for at in 0..drafts.len() {
        let is_in_callable = |at: usize| {
            let parent = drafts[at].element.parent;
            parent.is_some_and(|parent| drafts[parent].element.kind.is_callable())
        };
        // An unnamed type of a local variable is as local as the variable.
        let around = [Some(at), drafts[at].element.parent];
        let is_local = around.into_iter().flatten().any(|at| {
            let element = &drafts[at].element;
            element.kind.is_class_like() && element.name.starts_with("<anonymous ") && is_in_callable(at)
        });
        if is_local {
            drafts[at].keep = false;
            continue;
        }
        while let Some(parent) = drafts[at].element.parent {
            let around = &drafts[parent].element;
            let is_unnamed = around.kind.is_class_like() && around.name.starts_with("<anonymous ");
            if !is_unnamed || !matches!(drafts[at].element.kind, ElementKind::Field | ElementKind::EnumMember) {
                break;
            }
            drafts[at].element.parent = around.parent;
        }
    }
}

/// Renames the type in further aliases of a type that took its name from the first: `typedef struct { ... } A, *B;`.
fn other_aliases(drafts: &mut [ElementDraft<'_>], names: &HashMap<usize, (&'static str, String)>) {
    for draft in drafts.iter_mut().filter(|draft| draft.element.kind == ElementKind::Type) {
        let known = names.get(&draft.element.span.start_byte);
        if let (Some((keyword, name)), Some(code)) = (known, draft.code())
            && let Some(rest) = code.type_name.as_deref().and_then(|text| text.strip_prefix(keyword))
        {
            code.type_name = Some(format!("{name}{rest}"));
        }
    }
}

/// Returns an attribute without its brackets: `[[nodiscard]]` becomes `nodiscard`.
fn bare_attribute(text: &str) -> String {
    let text = text.trim();
    for (open, close) in [("[[", "]]"), ("__attribute__((", "))"), ("__attribute__ ((", "))"), ("__declspec(", ")")] {
        if let Some(bare) = text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)) {
            return bare.trim().to_owned();
        }
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use crate::{extract::extract, parse::tests::parsed, table::signature};

    fn signatures(path: &str, text: &str) -> Vec<String> {
        let parsed = parsed(path, text);
        let elements = extract(&parsed, &CancellationToken::new()).expect("elements");
        assert_eq!(parsed.errors, [], "{text}");
        let facts = &parsed.source.language.facts;
        elements.list.iter().map(|element| signature(element, facts)).collect()
    }

    #[test]
    fn preprocessor_macros_do_not_hide_declarations() {
        for (text, expected) in [
            ("ZEXTERN int ZEXPORT deflate(int flush);\n", "deflate(int flush): int"),
            (
                "extern int atoi (const char *p) __THROW __attribute_pure__ __nonnull ((1));\n",
                "atoi(const char *p): int",
            ),
            ("static BYTE decode(void* p) { return 0; }\n", "decode(void* p): BYTE"),
            ("__BEGIN_DECLS\nint open(void);\n__END_DECLS\n", "open(void): int"),
            ("typedef int (APIENTRY *callback)(int);\n", "callback: int (APIENTRY *)(int)"),
        ] {
            assert_eq!(signatures("a.c", text), [expected]);
        }
        let header = "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif\n";
        assert_eq!(signatures("a.h", header), ["f(void): int"]);
        let class = "class API_EXPORT Store : public Base {\n  Q_OBJECT\npublic slots:\n  void open();\n};\n";
        assert_eq!(signatures("a.h", class), ["Store extends Base", "open() -> void"]);
    }

    #[test]
    fn directives_are_found_anywhere() {
        let text = "enum a {\n  B,\n#define B B\n  C\n};\n";
        assert_eq!(signatures("a.c", text), ["a", "B", "B = B", "C"]);
    }

    #[test]
    fn branch_after_directive_is_not_a_function() {
        let text = "int f(int a) {\n  if (a) {\n    a = 1;\n  }\n#ifdef B\n  else if (a) {\n    a = 2;\n  }\n#endif\n  return a;\n}\n";
        assert_eq!(signatures("a.c", text), ["f(int a): int"]);
    }

    #[test]
    fn innermost_wrapping_decides_declared_kind() {
        let text = "const int PRIV(table)[] = { 1 };\nint *f(void), (*g)(void), *h[3];\nvoid (*signal(int n, void (*to)(int)))(int);\n";
        assert_eq!(
            signatures("a.c", text),
            [
                "PRIV(table): const int[] = { 1 }",
                "f(void): int *",
                "g: int (*)(void)",
                "h: int *[3]",
                "signal(int n, void (*to)(int)): void (*)(int)"
            ]
        );
    }
}
