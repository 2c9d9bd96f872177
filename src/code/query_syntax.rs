//! Compiling a tree-sitter query: its size is bounded before, since compilation cannot be cancelled, and an invalid query is
//! an error with its position, never an empty result.

use fumi_base::{nearest::nearest, text::BilingualText};
use tree_sitter::{Query, QueryError, QueryErrorKind, QueryPredicateArg};

use crate::{
    errors::{
        expressions::{ExpressionFault, FAULTS},
        structure::StructureError,
    },
    languages::Language,
    parse::one_line,
};

/// The maximum size of a query, in bytes: about three times that of an editor's highlighting query.
const QUERY_BYTES: usize = 64 * 1024;

/// The maximum nesting of brackets in a query. They are read by recursion, in a stack of 2 MiB.
const QUERY_DEPTH: usize = 200;

/// The maximum number of optional or repeated parts in one pattern. Their combinations are analysed when the query is
/// compiled: fifty of them take a second, a hundred take ten.
const QUERY_QUANTIFIERS: usize = 40;

/// The maximum sum, over all patterns of a query, of the squares of their numbers of optional or repeated parts.
const QUERY_SQUARES: usize = 2 * QUERY_QUANTIFIERS * QUERY_QUANTIFIERS;

/// Compiles a caller's query. Rejects unknown predicates, which would silently do nothing.
pub fn compile(text: &str, language: &'static Language) -> Result<Query, StructureError> {
    check_size(text)?;
    let grammar = language.grammar();
    let query = Query::new(&grammar, text).map_err(|error| describe_query_error(text, &error, &grammar, language))?;
    for pattern in 0..query.pattern_count() {
        if let Some(predicate) = query.general_predicates(pattern).first() {
            let shown = format!("#{}", predicate.operator);
            let arguments =
                predicate.args.iter().filter(|argument| matches!(argument, QueryPredicateArg::Capture(_))).count();
            let at = text.find(&shown).unwrap_or(0);
            let facts =
                [("predicate", BilingualText::same(shown)), ("count", BilingualText::same(arguments.to_string()))];
            return Err(bad_query(text, at, &FAULTS.unknown_predicate, &facts));
        }
    }
    if query.capture_names().iter().all(|name| name.starts_with('_')) {
        return Err(bad_query(text, text.trim_end().len(), &FAULTS.captures_nothing, &[]));
    }
    Ok(query)
}

/// Rejects a query that tree-sitter would take too long to compile, or that would overflow its stack.
fn check_size(text: &str) -> Result<(), StructureError> {
    let too_large = |at: usize, fault: &ExpressionFault, most: usize| {
        Err(bad_query(text, at, fault, &[("most", BilingualText::same(most.to_string()))]))
    };
    if text.len() > QUERY_BYTES {
        return too_large(QUERY_BYTES, &FAULTS.many_bytes, QUERY_BYTES);
    }
    let (mut depth, mut quantifiers, mut squares) = (0_usize, 0_usize, 0_usize);
    let mut signs = text.char_indices();
    while let Some((at, sign)) = signs.next() {
        match sign {
            '"' => {
                while let Some((_, c)) = signs.next().filter(|(_, c)| *c != '"') {
                    if c == '\\' {
                        signs.next();
                    }
                }
            }
            ';' => {
                signs.find(|(_, c)| *c == '\n');
            }
            // `#any-of?`
            '#' => {
                let is_closed = signs.find(|(_, c)| c.is_whitespace() || *c == ')');
                depth = depth.saturating_sub(usize::from(is_closed.is_some_and(|(_, c)| c == ')')));
            }
            '(' | '[' => {
                if depth == 0 {
                    quantifiers = 0;
                }
                depth += 1;
                if depth > QUERY_DEPTH {
                    return too_large(at, &FAULTS.many_brackets, QUERY_DEPTH);
                }
            }
            ')' | ']' => depth = depth.saturating_sub(1),
            '?' | '*' | '+' => {
                // The difference between the squares of n + 1 and n.
                squares += 2 * quantifiers + 1;
                quantifiers += 1;
                if quantifiers > QUERY_QUANTIFIERS || squares > QUERY_SQUARES {
                    return too_large(at, &FAULTS.many_repeated_parts, QUERY_QUANTIFIERS);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn describe_query_error(
    text: &str,
    error: &QueryError,
    grammar: &tree_sitter::Language,
    language: &'static Language,
) -> StructureError {
    let word = error.message.trim_matches('"');
    let kinds = || {
        (0..u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX))
            .filter(|id| grammar.node_kind_is_named(*id) && grammar.node_kind_is_visible(*id))
            .filter_map(|id| grammar.node_kind_for_id(id))
            .collect::<Vec<_>>()
    };
    let fields = || {
        (1..=u16::try_from(grammar.field_count()).unwrap_or(u16::MAX))
            .filter_map(|id| grammar.field_name_for_id(id))
            .collect::<Vec<_>>()
    };
    let (fault, names) = match error.kind {
        QueryErrorKind::NodeType => (&FAULTS.unknown_node, kinds()),
        QueryErrorKind::Field => (&FAULTS.unknown_field, fields()),
        QueryErrorKind::Capture => (&FAULTS.unknown_capture, Vec::new()),
        QueryErrorKind::Structure => (&FAULTS.impossible, Vec::new()),
        QueryErrorKind::Predicate => (&FAULTS.wrong_predicate, Vec::new()),
        QueryErrorKind::Syntax | QueryErrorKind::Language => (&FAULTS.wrong_syntax, Vec::new()),
    };
    let near = nearest(word, names, 3);
    let did_you_mean = if near.is_empty() {
        BilingualText::same("")
    } else {
        FAULTS.did_you_mean.fill(&[("near", BilingualText::list(&near))])
    };
    let shown = if error.kind == QueryErrorKind::Capture { word.to_owned() } else { format!("{word:?}") };
    let title: &str = &language.facts.title;
    let facts = [
        ("language", BilingualText::same(title)),
        ("word", BilingualText::same(shown)),
        ("message", BilingualText::same(one_line(&error.message, 200))),
        ("did_you_mean", did_you_mean),
    ];
    // A predicate's error contains only its row.
    let at = if error.kind == QueryErrorKind::Predicate {
        text.split_inclusive('\n').take(error.row).map(str::len).sum()
    } else {
        error.offset
    };
    bad_query(text, at, fault, &facts)
}

/// Builds the error for a byte of the query, with the line and a caret below it.
fn bad_query(text: &str, at: usize, fault: &ExpressionFault, facts: &[(&str, BilingualText)]) -> StructureError {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |feed| feed + 1);
    let line = text[line_start..].lines().next().unwrap_or_default();
    let column = before[line_start..].chars().count();
    // Around the position, so that a query on one long line stays readable.
    let skipped = column.saturating_sub(60);
    let shown: String = line.chars().skip(skipped).take(120).collect();
    let excerpt = format!("{shown}\n{}^", " ".repeat(column - skipped));
    let line = before.matches('\n').count() + 1;
    StructureError::InvalidQuery { fault: fault.at((line, column), excerpt, facts) }
}
