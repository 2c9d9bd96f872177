//! The node kinds at which a match of a query can begin, derived from the query's text. If few kinds qualify, trying
//! the query only at their nodes takes half the time of running it over the whole tree.
//!
//! Invariant: a kind that is left out cannot begin a match. A pattern that this reader does not understand (a wildcard,
//! a token, siblings without a parent) gives `None`, and then the query runs over everything. This module does not
//! validate queries.

use tree_sitter::{Language, Query};

/// Returns, by the ids of node kinds, true if a match of the query can begin there.
pub(crate) fn start_kinds(query: &Query, text: &str, grammar: &Language) -> Option<Vec<bool>> {
    let mut starts = vec![false; grammar.node_kind_count()];
    for pattern in 0..query.pattern_count() {
        if !query.is_pattern_rooted(pattern) {
            return None;
        }
        let pattern = text.get(query.start_byte_for_pattern(pattern)..query.end_byte_for_pattern(pattern))?;
        for name in roots(pattern)? {
            let mut is_known = false;
            for id in 0..u16::try_from(starts.len()).ok()? {
                if grammar.node_kind_for_id(id) == Some(name) && grammar.node_kind_is_named(id) {
                    // Nodes never have a supertype as their kind: they have one of its subtypes.
                    if grammar.node_kind_is_supertype(id) {
                        return None;
                    }
                    starts[usize::from(id)] = true;
                    is_known = true;
                }
            }
            if !is_known {
                return None;
            }
        }
    }
    Some(starts)
}

/// Returns the node kinds at the root of a pattern.
fn roots(pattern: &str) -> Option<Vec<&str>> {
    let pattern = trimmed(pattern);
    if let Some(alternatives) = pattern.strip_prefix('[') {
        let mut found = Vec::new();
        let mut rest = trimmed(alternatives);
        while !rest.starts_with(']') {
            found.extend(roots(rest)?);
            rest = trimmed(after_bracketed(rest)?);
            // A capture or a quantifier of the alternative.
            while rest.starts_with(['@', '?', '+', '*']) {
                let end = rest.find([' ', '\n', '\t', '\r', ']', '(', '['])?;
                rest = trimmed(&rest[end..]);
            }
        }
        return Some(found);
    }
    let inside = trimmed(pattern.strip_prefix('(')?);
    if inside.starts_with(['(', '[']) {
        return roots(inside);
    }
    let end = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let name = &inside[..end];
    let is_kind = !matches!(name, "" | "_" | "MISSING" | "ERROR") && !inside[end..].starts_with('/');
    is_kind.then(|| vec![name])
}

/// Returns the text after the bracketed item at its start.
fn after_bracketed(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut is_quoted = false;
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '"' if previous != '\\' => is_quoted = !is_quoted,
            '(' | '[' if !is_quoted => depth += 1,
            ')' | ']' if !is_quoted => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return text.get(at + 1..);
                }
            }
            // Brackets in a comment would be miscounted; this pattern is run over the whole tree.
            ';' if !is_quoted => return None,
            _ => {}
        }
        previous = c;
    }
    None
}

/// Removes leading white space and comments.
fn trimmed(text: &str) -> &str {
    let mut text = text.trim_start();
    while let Some(comment) = text.strip_prefix(';') {
        text = comment.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
    }
    text
}

#[cfg(test)]
mod tests {
    use tree_sitter::{Language, Query};

    use super::{roots, start_kinds};

    #[test]
    fn pattern_roots_are_first_node_kinds() {
        for (pattern, expected) in [
            ("(a name: (b)) @c", Some(vec!["a"])),
            ("; why\n(a)", Some(vec!["a"])),
            ("((a) @x (#eq? @x \"(\"))", Some(vec!["a"])),
            ("[(a (b)) (c \"]\")] @d", Some(vec!["a", "c"])),
            ("[(a) @x\n [(b) (c)]]", Some(vec!["a", "b", "c"])),
            ("(_ name: (a))", None),
            ("\"if\"", None),
            ("[(a) \"b\"]", None),
            ("(a/b)", None),
        ] {
            assert_eq!(roots(pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn supertypes_and_loose_siblings_disable_start_kinds() {
        let python = Language::from(tree_sitter_python::LANGUAGE);
        let of = |text: &str| start_kinds(&Query::new(&python, text).expect("valid"), text, &python);
        let kinds = of("(class_definition) @a\n[(assignment) (comment)] @b").expect("understood");
        let names: std::collections::BTreeSet<_> = (0_u16..)
            .zip(&kinds)
            .filter(|(_, begins)| **begins)
            .filter_map(|(id, _)| python.node_kind_for_id(id))
            .collect();
        assert_eq!(
            names.into_iter().collect::<Vec<_>>(),
            ["assignment", "class_definition", "comment"]
        );
        assert!(of("(expression) @a").is_none());
        assert!(of("((comment) @a . (assignment) @b)").is_none());
    }
}
