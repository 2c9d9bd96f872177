//! Compiling a tree-sitter query: its size is bounded before, since compilation cannot be cancelled, and an invalid query is
//! an error with its position, never an empty result.

use fumi_base::{nearest::nearest, text::BilingualText};
use tree_sitter::{Query, QueryError, QueryErrorKind, QueryPredicateArg};

use crate::{
    errors::structure::{QuerySyntaxError, StructureError},
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
            return Err(bad_query(
                text,
                at,
                BilingualText::new(
                    format!("unknown predicate {shown} with {arguments} captures"),
                    format!("述語 {shown} は使えません"),
                ),
                BilingualText::new(
                    "Known: #eq?, #not-eq?, #any-eq?, #match?, #not-match?, #any-match?, #any-of?, #not-any-of?.",
                    "使える述語: #eq?、#not-eq?、#any-eq?、#match?、#not-match?、#any-match?、#any-of?、#not-any-of?",
                ),
            ));
        }
    }
    if query.capture_names().iter().all(|name| name.starts_with('_')) {
        return Err(bad_query(
            text,
            text.trim_end().len(),
            BilingualText::new("it captures nothing", "キャプチャがありません"),
            BilingualText::new(
                "Put a capture such as @found after the node to return.",
                "取り出したいノードの後に @found のような名前を付けてください。",
            ),
        ));
    }
    Ok(query)
}

/// Rejects a query that tree-sitter would take too long to compile, or that would overflow its stack.
fn check_size(text: &str) -> Result<(), StructureError> {
    let too_large = |at: usize, en: String, ja: String| {
        let hint = BilingualText::new("Split it into several queries.", "クエリを分けてください。");
        Err(bad_query(text, at, BilingualText::new(en, ja), hint))
    };
    if text.len() > QUERY_BYTES {
        return too_large(
            QUERY_BYTES,
            format!("it has more than {QUERY_BYTES} bytes"),
            format!("{QUERY_BYTES} バイトを超えています"),
        );
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
                    return too_large(
                        at,
                        format!("more than {QUERY_DEPTH} brackets are open here"),
                        format!("開き括弧が {QUERY_DEPTH} 個を超えて重なっています"),
                    );
                }
            }
            ')' | ']' => depth = depth.saturating_sub(1),
            '?' | '*' | '+' => {
                // The difference between the squares of n + 1 and n.
                squares += 2 * quantifiers + 1;
                quantifiers += 1;
                if quantifiers > QUERY_QUANTIFIERS || squares > QUERY_SQUARES {
                    return too_large(
                        at,
                        "too many optional or repeated parts before this one".to_owned(),
                        "ここまでに、省略や繰り返しのできる部分が多すぎます".to_owned(),
                    );
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
    let suggest = |names: Vec<&str>| {
        let near = nearest(word, names, 3);
        if near.is_empty() {
            BilingualText::same("")
        } else {
            BilingualText::new(format!("Did you mean {}?", near.join(", ")), format!("もしかして: {}", near.join("、")))
        }
    };
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
    let title = &language.facts.title;
    let (reason, hint) = match error.kind {
        QueryErrorKind::NodeType => (
            BilingualText::new(
                format!("{title} has no node type {word:?}"),
                format!("{title} に {word:?} というノード型はありません"),
            ),
            suggest(kinds()),
        ),
        QueryErrorKind::Field => (
            BilingualText::new(
                format!("{title} has no field {word:?}"),
                format!("{title} に {word:?} というフィールドはありません"),
            ),
            suggest(fields()),
        ),
        QueryErrorKind::Capture => (
            BilingualText::new(
                format!("the capture @{word} is used but not defined"),
                format!("キャプチャ @{word} が定義されていません"),
            ),
            BilingualText::new(
                "A predicate names captures of its own pattern.",
                "述語には同じパターン内のキャプチャを書いてください。",
            ),
        ),
        QueryErrorKind::Structure => (
            BilingualText::new("this pattern can never match", "このパターンに一致するものは文法上ありません"),
            BilingualText::new(
                "The node cannot occur there: leave out a level or the field, or use (_).",
                "その位置にこのノードは現れません。階層やフィールドを省くか、(_) を使ってください。",
            ),
        ),
        QueryErrorKind::Predicate => (
            BilingualText::new(
                one_line(&error.message, 200),
                format!("述語の書き方に誤りがあります: {}", one_line(&error.message, 200)),
            ),
            BilingualText::new(
                "Example: ((identifier) @x (#match? @x \"^get\")).",
                "例: ((identifier) @x (#match? @x \"^get\"))",
            ),
        ),
        QueryErrorKind::Syntax | QueryErrorKind::Language => (
            BilingualText::new("the syntax is wrong here", "この位置の構文に誤りがあります"),
            BilingualText::new(
                "Check the parentheses: a pattern is (node_type field: (child) @capture) @capture.",
                "括弧の対応を確かめてください。パターンは (node_type field: (child) @capture) @capture の形です。",
            ),
        ),
    };
    // A predicate's error contains only its row.
    let at = if error.kind == QueryErrorKind::Predicate {
        text.split_inclusive('\n').take(error.row).map(str::len).sum()
    } else {
        error.offset
    };
    bad_query(text, at, reason, hint)
}

/// Builds the error for a byte of the query, with the line and a caret below it.
fn bad_query(text: &str, at: usize, reason: BilingualText, hint: BilingualText) -> StructureError {
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
    StructureError::BadQuery {
        fault: Box::new(QuerySyntaxError {
            line: before.matches('\n').count() + 1,
            column,
            excerpt: format!("{shown}\n{}^", " ".repeat(column - skipped)),
            reason,
            hint,
        }),
    }
}
