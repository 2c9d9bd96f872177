//! The parts of a definition as facts: parameters, types, heritage, values, modifiers and decorators.

use tree_sitter::Node;

use super::{
    draft::{ElementDraft, TEXT_CHARACTERS, VALUE_CHARACTERS},
    plan::{DefinitionPart, ExtractionPlan},
};
use crate::{
    elements::{ElementDetail, Param, ParamKind},
    parse::{ParsedFile, one_line},
};

impl ElementDraft<'_> {
    /// Reads the parts that captures and fields name.
    pub(super) fn read_parts(&mut self, parsed: &ParsedFile, plan: &ExtractionPlan) {
        if !self.keep || !matches!(self.element.detail, ElementDetail::Code(_)) {
            return;
        }
        let mut parts = std::mem::take(&mut self.parts);
        if self.holders.is_empty() {
            scan(self.node, plan, &mut parts);
        }
        for node in &self.holders {
            scan(*node, plan, &mut parts);
        }
        let has_value = !self.element.kind.is_callable() && !self.element.kind.is_class_like();
        self.body = parts.iter().find(|(part, _)| *part == DefinitionPart::Body).map(|(_, node)| *node);
        let facts = &parsed.source.language.facts;
        let ElementDetail::Code(code) = &mut self.element.detail else {
            return;
        };
        for (part, node) in parts {
            let text = parsed.text(node);
            match part {
                DefinitionPart::Params if code.params.is_empty() => {
                    code.params = params(parsed, node, plan);
                    code.params_text = params_text(parsed, node);
                }
                DefinitionPart::TypeName if code.type_name.is_none() => {
                    let bare = text.trim_start_matches([':', ' ']).trim_start_matches("->");
                    code.type_name = Some(one_line(bare, TEXT_CHARACTERS));
                }
                DefinitionPart::TypeParams => {
                    let bare = unbracketed(text).trim_end_matches(',');
                    code.type_params = Some(one_line(bare, TEXT_CHARACTERS).into());
                }
                DefinitionPart::Extends => code.extends = split_heritage(text),
                DefinitionPart::Implements => code.implements = split_heritage(text),
                DefinitionPart::Value if has_value && code.value.is_none() => {
                    code.value = Some(one_line(text, VALUE_CHARACTERS));
                }
                DefinitionPart::Modifier => code.add_modifier(text),
                DefinitionPart::Decorator => {
                    let text = without_comments(parsed, node);
                    let bare = text.trim_start_matches('@');
                    code.decorators.push(one_line(bare, TEXT_CHARACTERS));
                }
                _ => {}
            }
        }
        let meant: Vec<&String> =
            code.decorators.iter().filter_map(|decorator| facts.decorators.get(last_name(decorator))).collect();
        let meant: Vec<String> = meant.into_iter().cloned().collect();
        for modifier in meant {
            code.add_modifier(&modifier);
        }
    }
}

/// Collects the parts among a node's children, and among those of its groups.
fn scan<'t>(node: Node<'t>, plan: &ExtractionPlan, parts: &mut Vec<(DefinitionPart, Node<'t>)>) {
    let mut cursor = node.walk();
    if !cursor.goto_first_child() {
        return;
    }
    loop {
        let child = cursor.node();
        let by_field = cursor.field_id().and_then(|field| plan.field_parts[usize::from(field.get())]);
        match by_field.or_else(|| plan.kind_part(child)) {
            // Groups are direct children of definitions, and their own groups do not matter: one level is enough.
            Some(DefinitionPart::Group) => {
                let mut inner = child.walk();
                for part in child.children(&mut inner) {
                    if let Some(known) = plan.kind_part(part) {
                        parts.push((known, part));
                    }
                }
            }
            Some(part) => {
                let is_known = parts.iter().any(|(known, other)| *known == part && *other == child);
                if !is_known {
                    parts.push((part, child));
                }
                if part == DefinitionPart::Body {
                    return;
                }
            }
            None => {}
        }
        if !cursor.goto_next_sibling() {
            return;
        }
    }
}

/// Returns the parameters of a list, or the single parameter written without a list.
fn params(parsed: &ParsedFile, list: Node<'_>, plan: &ExtractionPlan) -> Vec<Param> {
    let facts = &parsed.source.language.facts;
    if list.named_child_count() == 0 {
        let text = parsed.text(list);
        let is_bare = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
        return if is_bare { vec![param(parsed, list, plan)] } else { Vec::new() };
    }
    let mut found: Vec<Param> = Vec::new();
    let mut later = ParamKind::Plain;
    let mut cursor = list.walk();
    for child in list.named_children(&mut cursor) {
        if child.is_extra() || child.is_error() {
            continue;
        }
        if let Some(kind) = facts.params.separators.get(child.kind()) {
            if *kind == ParamKind::PositionalOnly {
                for earlier in &mut found {
                    earlier.kind = ParamKind::PositionalOnly;
                }
            } else {
                later = *kind;
            }
            continue;
        }
        let mut next = param(parsed, child, plan);
        if next.kind == ParamKind::Plain {
            next.kind = later;
        } else if next.kind == ParamKind::Variadic
            && let Some(kind) = facts.params.after_variadic
        {
            later = kind;
        }
        found.push(next);
    }
    found
}

/// Returns the list as written, without brackets and comments.
pub(crate) fn params_text(parsed: &ParsedFile, list: Node<'_>) -> String {
    let text = without_comments(parsed, list);
    one_line(unbracketed(&text).trim_end_matches(','), TEXT_CHARACTERS)
}

/// Returns a node's text without its direct comments: a decorator of Python contains the comment after it.
fn without_comments(parsed: &ParsedFile, node: Node<'_>) -> String {
    let mut text = String::new();
    let mut at = node.start_byte();
    let mut cursor = node.walk();
    for comment in node.children(&mut cursor).filter(Node::is_extra) {
        text.push_str(parsed.source.text.get(at..comment.start_byte()).unwrap_or_default());
        at = comment.end_byte();
    }
    text.push_str(parsed.source.text.get(at..node.end_byte()).unwrap_or_default());
    text
}

fn param(parsed: &ParsedFile, node: Node<'_>, plan: &ExtractionPlan) -> Param {
    let (facts, fields) = (&parsed.source.language.facts, &plan.param_fields);
    let field = |ids: &[u16]| ids.iter().find_map(|id| node.child_by_field_id(*id));
    let mut cursor = node.walk();
    let holder = field(&fields.holder)
        .or_else(|| {
            node.named_children(&mut cursor)
                .find_map(|child| fields.name.and_then(|name| child.child_by_field_id(name)))
        })
        .or_else(|| node.named_child(0))
        .unwrap_or(node);
    let kind = [node, holder].iter().find_map(|node| facts.params.kinds.get(node.kind())).copied().unwrap_or_default();
    let text = |node: Node<'_>| one_line(parsed.text(node), TEXT_CHARACTERS);
    let declared = |node: Node<'_>| {
        let text = parsed.text(node);
        one_line(text.trim_start_matches([':', ' ']), TEXT_CHARACTERS)
    };
    Param {
        name: text(holder).trim_start_matches(['*', '.', '&']).trim_start().to_owned(),
        type_name: field(fields.type_name.as_slice()).map(declared),
        default: field(&fields.default).map(|node| one_line(parsed.text(node), VALUE_CHARACTERS)),
        kind,
        text: text(node),
    }
}

/// Splits a heritage clause at the commas outside brackets, after removing its keyword and outer brackets.
fn split_heritage(clause: &str) -> Vec<String> {
    let clause = clause.trim();
    let bare = ["extends", "implements", "permits", ":"]
        .iter()
        .find_map(|keyword| clause.strip_prefix(keyword))
        .unwrap_or_else(|| unbracketed(clause));
    let mut depth = 0_i32;
    bare.split(|c| {
        match c {
            '(' | '[' | '<' | '{' => depth += 1,
            ')' | ']' | '>' | '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth <= 0
    })
    .map(|part| one_line(part, TEXT_CHARACTERS))
    .filter(|part| !part.is_empty())
    .collect()
}

/// Returns a text without its first and last bracket.
fn unbracketed(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix(['(', '[', '<']).and_then(|rest| rest.strip_suffix([')', ']', '>'])).map_or(text, str::trim)
}

/// Returns the last part of a dotted name, without arguments: `app.route("/")` is `route`.
pub(crate) fn last_name(dotted: &str) -> &str {
    let name = dotted.split(['(', '[', '<', ' ']).next().unwrap_or(dotted);
    name.rsplit('.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::{last_name, split_heritage};

    #[test]
    fn heritage_is_cut_at_the_outer_commas() {
        assert_eq!(
            split_heritage("(Base, Generic[K, V], metaclass=Meta)"),
            ["Base", "Generic[K, V]", "metaclass=Meta"]
        );
        assert_eq!(split_heritage("implements Map<K, V>,\n  Cloneable"), ["Map<K, V>", "Cloneable"]);
        assert_eq!(split_heritage("extends React.Component"), ["React.Component"]);
        assert_eq!(split_heritage("()"), [""; 0]);
    }

    #[test]
    fn last_name_ignores_path_and_arguments() {
        assert_eq!(last_name("functools.lru_cache(maxsize=None)"), "lru_cache");
        assert_eq!(last_name("property"), "property");
    }
}
