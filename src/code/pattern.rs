//! Patterns of example code: `$A.close()` finds every such call, with any expression in the place of `$A`.
//!
//! The pattern is parsed with the language's own grammar and compared with the file tree by tree (ast-grep-core), so
//! that layout and comments do not matter. Invariant: a pattern that does not parse as one node is rejected with the
//! position of the error, and never matched as something else. This module does not rewrite code.
//!
//! A comparison cannot be cancelled and follows the trees by recursion, so both sides are bounded before it begins: a
//! pattern that is too large is rejected; a node of a file that is too deep or too wide for this pattern is left out,
//! and the result reports that.

use std::{borrow::Cow, collections::HashSet, fmt};

use ast_grep_core::{
    Matcher as _, Node, Pattern, PatternError,
    language::Language as Dialect,
    matcher::{MatcherExt as _, PatternBuilder, PatternNode},
    meta_var::MetaVariable,
    tree_sitter::{LanguageExt, StrDoc, TSLanguage},
};
use tokio_util::sync::CancellationToken;

use crate::{
    errors::structure::{QuerySyntaxError, StructureError},
    languages::{Language, facts::LanguageFamily},
    parse::{LineIndex, ParsedFile, one_line, read},
};

/// The placeholder of the pattern in a context of `language.toml`.
const PLACEHOLDER: &str = "PATTERN";

/// The maximum length of a returned capture, in characters.
const CAPTURE_CHARACTERS: usize = 80;

/// The number of nodes compared between two checks of the cancellation token.
const POLL_EVERY: u32 = 1_024;

/// The maximum size of a pattern, in bytes.
const PATTERN_BYTES: usize = 64 * 1024;

/// The maximum nesting depth of a pattern. It is read and compared by recursion, in a stack of 2 MiB.
const PATTERN_DEPTH: usize = 100;

/// The maximum number of nested levels in which a `$$$` precedes another part: each level doubles the comparisons.
const PATTERN_DOUBLINGS: usize = 8;

/// The maximum depth of the nodes that one repeated variable captures: they are compared by recursion.
const NODE_DEPTH: usize = 1_000;

/// The maximum number of children of a node where a named `$$$` is followed by another: the capture of the first is
/// copied for each child that the second tries.
const NODE_CHILDREN: u32 = 4_000;

/// A compiled pattern of one language.
pub struct CodePattern {
    pattern: Pattern,
    /// True at the ids of node kinds that it can match; `None` if it can match any.
    kinds: Option<Vec<bool>>,
    /// A name that every match contains.
    literal: Option<String>,
    /// True if a variable occurs twice.
    has_repeated: bool,
    /// True if a named `$$$` is followed by another.
    has_several: bool,
}

/// All matches of a pattern in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatternMatches {
    /// The matches in the order of the text.
    pub list: Vec<PatternMatch>,
    /// True if some nodes could not be compared, because they are too deep or too wide for this pattern.
    pub is_incomplete: bool,
}

/// One match of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternMatch {
    /// The start, as a byte offset in the decoded text.
    pub start_byte: usize,
    /// The end, as an exclusive byte offset in the decoded text.
    pub end_byte: usize,
    /// The grammar's name of the node.
    pub kind: String,
    /// The variables' names and captured texts, each on one line.
    pub captures: Vec<(String, String)>,
}

impl fmt::Debug for CodePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a pattern with {:?}", self.pattern.fixed_string())
    }
}

impl CodePattern {
    /// Compiles example code. It must be one statement, expression or definition of the language.
    pub fn compile(text: &str, language: &'static Language) -> Result<Self, StructureError> {
        let text = text.trim();
        if text.len() > PATTERN_BYTES {
            return Err(invalid_pattern(text, language, PatternRejection::TooLarge));
        }
        let mut first_fault = None;
        let contexts = &language.facts.pattern.contexts;
        let bare = [PLACEHOLDER.to_owned()];
        let contexts = if contexts.is_empty() { &bare[..] } else { &contexts[..] };
        // Contexts in which the whole text is valid code come first. After them, the text is read as ast-grep reads it:
        // a body is written `{ $$$BODY }` also where the language wants statements or fields, and there the grammar
        // reports an error that is only the variable. The plainest context is the last in the data.
        let whole = contexts.iter().map(|context| (ErrorTolerance::Code, context));
        let lenient = contexts
            .iter()
            .rev()
            .map(|context| (ErrorTolerance::Variables, context));
        let unfinished = contexts.last().map(|context| (ErrorTolerance::Unfinished, context));
        let readings: Vec<_> = whole.chain(lenient).chain(unfinished).collect();
        let grammars = [
            Some(PatternGrammar::new(language)),
            language.facts.pattern.other.map(|sign| PatternGrammar(language, sign)),
        ];
        for grammar in grammars.into_iter().flatten() {
            let code = grammar.pre_process_pattern(text).into_owned();
            for (care, context) in &readings {
                match parse_in_context(context, &code, grammar, *care) {
                    Ok(pattern) => {
                        if !pattern.1 {
                            first_fault.get_or_insert(PatternRejection::Prose);
                            continue;
                        }
                        if measure_cost(&pattern.0.node).doublings > PATTERN_DOUBLINGS {
                            return Err(invalid_pattern(text, language, PatternRejection::TooLarge));
                        }
                        if pattern.is_variable() {
                            return Err(invalid_pattern(text, language, PatternRejection::OnlyVariable));
                        }
                        return Ok(Self::new(pattern.0, language));
                    }
                    Err(PatternRejection::TooLarge) => {
                        return Err(invalid_pattern(text, language, PatternRejection::TooLarge));
                    }
                    Err(trouble) => {
                        first_fault.get_or_insert(trouble);
                    }
                }
            }
        }
        Err(invalid_pattern(
            text,
            language,
            first_fault.unwrap_or(PatternRejection::Several),
        ))
    }

    fn new(pattern: Pattern, language: &'static Language) -> Self {
        let kinds = pattern.potential_kinds().map(|known| {
            let mut kinds = vec![false; language.grammar().node_kind_count()];
            for kind in &known {
                if let Some(is_possible) = kinds.get_mut(kind) {
                    *is_possible = true;
                }
            }
            kinds
        });
        // Punctuation can be left out (the comma before `$$$`), names cannot.
        let literal = pattern.fixed_string().into_owned();
        let is_name = literal.len() > 1 && literal.chars().all(|c| c.is_alphanumeric() || c == '_');
        let shape = measure_cost(&pattern.node);
        Self {
            has_repeated: shape.has_repeated,
            has_several: shape.ellipses > 1 && shape.has_named_ellipsis,
            pattern,
            kinds,
            literal: Some(literal).filter(|_| is_name),
        }
    }

    /// Returns a text that every match contains, if the pattern has one.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        self.literal.as_deref()
    }

    /// Returns every match in the file, in the order of the text.
    pub fn find(&self, parsed: &ParsedFile, cancel: &CancellationToken) -> Result<PatternMatches, StructureError> {
        let document = StrDoc {
            src: parsed.source.text.clone(),
            lang: PatternGrammar::new(parsed.source.language),
            tree: parsed.tree.clone(),
        };
        let root = ast_grep_core::AstGrep::doc(document);
        let beyond = self.incomparable_nodes(parsed, cancel)?;
        let mut found = PatternMatches::default();
        let mut visited = 0_u32;
        for node in root.root().dfs() {
            visited = visited.wrapping_add(1);
            if visited.is_multiple_of(POLL_EVERY) && cancel.is_cancelled() {
                return Err(StructureError::Cancelled);
            }
            let is_possible = self
                .kinds
                .as_ref()
                .is_none_or(|kinds| kinds.get(usize::from(node.kind_id())).copied().unwrap_or(false));
            if !is_possible {
                continue;
            }
            if beyond.contains(&node.node_id()) {
                found.is_incomplete = true;
                continue;
            }
            let Some(hit) = self.pattern.match_node(node) else {
                continue;
            };
            let mut captures: Vec<(String, String)> = hit
                .get_env()
                .get_matched_variables()
                .filter_map(|variable| capture(&hit, &parsed.source.text, &variable))
                .collect();
            captures.sort();
            let range = hit.range();
            found.list.push(PatternMatch {
                start_byte: range.start,
                end_byte: range.end,
                kind: hit.kind().into_owned(),
                captures,
            });
        }
        Ok(found)
    }

    /// Returns the ids of the nodes that cannot be compared with this pattern: empty for nearly every file.
    fn incomparable_nodes(
        &self,
        parsed: &ParsedFile,
        cancel: &CancellationToken,
    ) -> Result<HashSet<usize>, StructureError> {
        let mut beyond = HashSet::new();
        if !self.has_repeated && !self.has_several {
            return Ok(beyond);
        }
        // For each ancestor of the cursor: the depth below it, and true if it contains a node that is too wide.
        let mut around: Vec<(usize, bool)> = Vec::new();
        let mut cursor = parsed.tree.walk();
        let mut visited = 0_u32;
        loop {
            visited = visited.wrapping_add(1);
            if visited.is_multiple_of(POLL_EVERY) && cancel.is_cancelled() {
                return Err(StructureError::Cancelled);
            }
            around.push((0, self.has_several && cursor.node().child_count() > NODE_CHILDREN));
            if cursor.goto_first_child() {
                continue;
            }
            loop {
                let (depth, is_wide) = around.pop().unwrap_or_default();
                if is_wide || self.has_repeated && depth > NODE_DEPTH {
                    beyond.insert(cursor.node().id());
                }
                if let Some((outer, holds_wide)) = around.last_mut() {
                    *outer = (depth + 1).max(*outer);
                    *holds_wide |= is_wide;
                }
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return Ok(beyond);
                }
            }
        }
    }
}

/// The properties of a pattern that decide the cost of a comparison.
#[derive(Default)]
struct PatternCost<'p> {
    variables: HashSet<&'p str>,
    has_repeated: bool,
    ellipses: usize,
    has_named_ellipsis: bool,
    /// The maximum nesting of parts that follow a `$$$`.
    doublings: usize,
}

fn measure_cost(pattern: &PatternNode) -> PatternCost<'_> {
    let mut shape = PatternCost::default();
    let mut open = vec![(pattern, 0_usize)];
    while let Some((node, doublings)) = open.pop() {
        shape.doublings = shape.doublings.max(doublings);
        match node {
            PatternNode::MetaVar { meta_var } => {
                let name = match meta_var {
                    MetaVariable::Capture(name, _) => name,
                    MetaVariable::MultiCapture(name) => {
                        shape.has_named_ellipsis = true;
                        name
                    }
                    MetaVariable::Dropped(_) | MetaVariable::Multiple => continue,
                };
                shape.has_repeated |= !shape.variables.insert(name);
            }
            PatternNode::Internal { children, .. } => {
                let mut behind = 0;
                for child in children {
                    open.push((child, doublings + behind));
                    if is_ellipsis(child) {
                        shape.ellipses += 1;
                        behind = 1;
                    }
                }
            }
            PatternNode::Terminal { .. } => {}
        }
    }
    shape
}

const fn is_ellipsis(node: &PatternNode) -> bool {
    matches!(
        node,
        PatternNode::MetaVar {
            meta_var: MetaVariable::Multiple | MetaVariable::MultiCapture(_)
        }
    )
}

fn capture(
    hit: &ast_grep_core::NodeMatch<'_, StrDoc<PatternGrammar>>,
    text: &str,
    variable: &MetaVariable,
) -> Option<(String, String)> {
    let (name, range) = match variable {
        MetaVariable::Capture(name, _) => (name, hit.get_env().get_match(name)?.range()),
        MetaVariable::MultiCapture(name) => {
            let nodes = hit.get_env().get_multiple_matches(name);
            let start = nodes.first().map_or(0, |node| node.range().start);
            (name, start..nodes.last().map_or(start, |node| node.range().end))
        }
        MetaVariable::Dropped(_) | MetaVariable::Multiple => return None,
    };
    let text = text.get(range).unwrap_or_default();
    Some((name.clone(), one_line(text, CAPTURE_CHARACTERS)))
}

/// A language in ast-grep's interface, and the character that replaces the `$` of variables.
#[derive(Clone, Copy)]
struct PatternGrammar(&'static Language, char);

impl PatternGrammar {
    const fn new(language: &'static Language) -> Self {
        Self(language, language.facts.pattern.expando)
    }
}

impl Dialect for PatternGrammar {
    /// Replaces `$` before a variable with a character that can begin a name, since `$` cannot in most languages.
    fn pre_process_pattern<'q>(&self, query: &'q str) -> Cow<'q, str> {
        let expando = self.expando_char();
        if expando == '$' {
            return Cow::Borrowed(query);
        }
        let mut out = String::with_capacity(query.len());
        let mut dollars = 0;
        for c in query.chars().chain(['\0']) {
            if c == '$' {
                dollars += 1;
                continue;
            }
            let is_variable = dollars == 3 || (dollars > 0 && (c.is_ascii_uppercase() || c == '_'));
            out.extend(std::iter::repeat_n(if is_variable { expando } else { '$' }, dollars));
            dollars = 0;
            if c != '\0' {
                out.push(c);
            }
        }
        Cow::Owned(out)
    }

    fn expando_char(&self) -> char {
        self.1
    }

    fn kind_to_id(&self, kind: &str) -> u16 {
        self.0.grammar().id_for_node_kind(kind, true)
    }

    fn field_to_id(&self, field: &str) -> Option<u16> {
        self.0.grammar().field_id_for_name(field).map(std::num::NonZero::get)
    }

    fn build_pattern(&self, builder: &PatternBuilder<'_>) -> Result<Pattern, PatternError> {
        builder.build(|text| self.document(text).map_err(|error| error.to_string()))
    }
}

impl PatternGrammar {
    /// Parses a text into ast-grep's document, with the language's own reader.
    fn document(&self, text: &str) -> Result<StrDoc<Self>, StructureError> {
        // A pattern is small: cancellation is not needed.
        let (tree, _) = read(self.0, text, &CancellationToken::new())?;
        Ok(StrDoc {
            src: text.to_owned(),
            lang: *self,
            tree,
        })
    }
}

impl LanguageExt for PatternGrammar {
    fn get_ts_language(&self) -> TSLanguage {
        self.0.grammar()
    }
}

/// A pattern read in a context; the bool is true if the language reads it as code and not as prose.
struct ContextPattern(Pattern, bool);

impl ContextPattern {
    fn is_variable(&self) -> bool {
        matches!(self.0.node, ast_grep_core::matcher::PatternNode::MetaVar { .. })
    }
}

/// The reason why a text is not a pattern.
#[derive(Clone, Copy)]
enum PatternRejection {
    /// A syntax error at this byte of the pattern.
    Syntax(usize),
    /// More than one node, or less than one.
    Several,
    /// Plain prose in this language.
    Prose,
    /// A lone variable, which matches everything.
    OnlyVariable,
    /// Too large: comparing it could take for ever or overflow the stack.
    TooLarge,
}

/// The errors that are accepted in the tree of a pattern and not in that of a program.
#[derive(Clone, Copy, PartialEq)]
enum ErrorTolerance {
    /// No error is accepted.
    Code,
    /// Errors that consist of one variable, and missing tokens.
    Variables,
    /// The same, and the whole text may be one error after a keyword: `import $NAMES from $MODULE`, where the language
    /// wants a string. This error matches nodes of every kind that have the same parts.
    Unfinished,
}

fn parse_in_context(
    context: &str,
    code: &str,
    grammar: PatternGrammar,
    care: ErrorTolerance,
) -> Result<ContextPattern, PatternRejection> {
    let before = context.find(PLACEHOLDER).unwrap_or(0);
    let source = context.replacen(PLACEHOLDER, code, 1);
    let range = before..before + code.len();
    let document = grammar.document(&source).map_err(|_| PatternRejection::Syntax(0))?;
    if is_too_deep(&document.tree) {
        return Err(PatternRejection::TooLarge);
    }
    let root = ast_grep_core::AstGrep::doc(document);
    // The smallest node with exactly the range of the pattern: a statement of one expression counts as that expression.
    // The file itself is skipped: it has exactly the range of a pattern of several statements.
    let exact = root
        .root()
        .dfs()
        .skip(1)
        .filter(|node| node.is_named() && node.range() == range)
        .last();
    let broken = root
        .root()
        .dfs()
        .find(|node| (node.is_error() || node.is_missing()) && touches(node, &range))
        // An error around the whole text means only that its end is missing.
        .map(|node| match node.range().start.saturating_sub(before) {
            0 => code.len(),
            at => at.min(code.len()),
        });
    let is_code = exact.as_ref().is_some_and(|node| is_code(node, grammar.0));
    match (exact, broken) {
        (Some(node), _) if !node.is_error() && care == ErrorTolerance::Code && !has_error(&node) => {
            Ok(ContextPattern(Pattern::from(node), is_code))
        }
        (Some(node), broken) if care != ErrorTolerance::Code && is_acceptable(&node, care, code, grammar.1) => {
            let pattern = Pattern::from(node);
            let is_error = match &pattern.node {
                PatternNode::Internal { children, .. } if care == ErrorTolerance::Unfinished => {
                    children.iter().any(has_error_kind)
                }
                node => has_error_kind(node),
            };
            if is_error {
                Err(broken.map_or(PatternRejection::Several, PatternRejection::Syntax))
            } else {
                Ok(ContextPattern(pattern, is_code))
            }
        }
        (_, Some(at)) => Err(PatternRejection::Syntax(at)),
        _ => Err(PatternRejection::Several),
    }
}

/// True if a tree is nested too deep for a pattern.
fn is_too_deep(tree: &tree_sitter::Tree) -> bool {
    let mut cursor = tree.walk();
    let mut depth = 0_usize;
    loop {
        if cursor.goto_first_child() {
            depth += 1;
            // The file, and the nodes that the context puts around the pattern.
            if depth > PATTERN_DEPTH + 10 {
                return true;
            }
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
            depth -= 1;
        }
    }
}

/// True if a node is code and not prose: never in documents; in data and markup only with a token of the language in
/// it.
fn is_code(node: &Node<'_, StrDoc<PatternGrammar>>, language: &Language) -> bool {
    match language.facts.family {
        LanguageFamily::Code | LanguageFamily::Style => true,
        LanguageFamily::Document => false,
        LanguageFamily::Markup | LanguageFamily::Data => node.dfs().any(|part| !part.is_named()),
    }
}

/// True if a node is accepted as a pattern although it contains an error.
fn is_acceptable(node: &Node<'_, StrDoc<PatternGrammar>>, care: ErrorTolerance, code: &str, sign: char) -> bool {
    // A missing token is accepted, but not a missing bracket: the intended content of the bracket is unknown.
    if !is_balanced(code) {
        return false;
    }
    if care != ErrorTolerance::Unfinished || !node.is_error() {
        return !node.is_error();
    }
    let begins_with_keyword = node
        .children()
        .next()
        .is_some_and(|first| !first.is_named() && first.text().chars().all(char::is_alphabetic));
    begins_with_keyword && code.contains(sign)
}

/// True if every bracket is closed.
fn is_balanced(code: &str) -> bool {
    let mut open = Vec::new();
    code.chars().all(|c| match c {
        '(' | '[' | '{' => {
            open.push(c);
            true
        }
        ')' => open.pop() == Some('('),
        ']' => open.pop() == Some('['),
        '}' => open.pop() == Some('{'),
        _ => true,
    }) && open.is_empty()
}

fn has_error_kind(node: &PatternNode) -> bool {
    match node {
        PatternNode::Internal { kind_id, children } => {
            // The id that every grammar gives to an error node.
            *kind_id == u16::MAX || children.iter().any(has_error_kind)
        }
        _ => false,
    }
}

fn has_error(node: &Node<'_, StrDoc<PatternGrammar>>) -> bool {
    node.dfs().any(|inner| inner.is_error() || inner.is_missing())
}

fn touches(node: &Node<'_, StrDoc<PatternGrammar>>, range: &std::ops::Range<usize>) -> bool {
    let found = node.range();
    found.start <= range.end && range.start <= found.end
}

/// Builds the error, with the position in the pattern as its author wrote it: the replacement of `$` is one character
/// too.
fn invalid_pattern(text: &str, language: &'static Language, trouble: PatternRejection) -> StructureError {
    let title = &language.facts.title;
    let (at, reason, hint) = match trouble {
        PatternRejection::Syntax(byte) => {
            let code = PatternGrammar::new(language).pre_process_pattern(text).into_owned();
            let characters = code.get(..byte).map_or(0, |before| before.chars().count());
            (
                text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at),
                (
                    format!("{title} cannot read it from here on"),
                    format!("ここから先は {title} のコードとして読めません"),
                ),
                (
                    "Write one complete expression, statement or definition; $NAME (capitals) matches one node, $$$NAME any number."
                        .to_owned(),
                    "式・文・定義のいずれかを一つ、省略せずに書いてください。$NAME（大文字）はノード一つ、$$$NAME は任意個に当たります。"
                        .to_owned(),
                ),
            )
        }
        PatternRejection::Several => (
            text.len(),
            (
                "it is not exactly one node".to_owned(),
                "一つのノードになっていません".to_owned(),
            ),
            (
                "Write one expression, statement or definition; search for the parts one by one.".to_owned(),
                "式・文・定義のどれか一つにして、残りは別に検索してください。".to_owned(),
            ),
        ),
        PatternRejection::Prose => (
            0,
            (
                format!("it is plain text in {title}, not code"),
                format!("{title} ではただの文章で、コードではありません"),
            ),
            (
                "Search prose with search_content; a pattern needs files of a programming language.".to_owned(),
                "文章の検索には search_content を使い、ここではプログラミング言語のファイルを指定してください。"
                    .to_owned(),
            ),
        ),
        PatternRejection::TooLarge => (
            text.len(),
            (
                format!(
                    "it is too large: longer than {PATTERN_BYTES} bytes, nested too deep, or with too many nested $$$"
                ),
                format!("大きすぎます（{PATTERN_BYTES} バイト超、入れ子が深すぎる、または $$$ の入れ子が多すぎる）"),
            ),
            (
                "Replace parts that do not matter with $_, which matches any one node.".to_owned(),
                "条件に要らない部分は $_（任意のノード一つ）に置き換えてください。".to_owned(),
            ),
        ),
        PatternRejection::OnlyVariable => (
            0,
            (
                "a variable alone matches everything".to_owned(),
                "変数だけではあらゆるものに一致します".to_owned(),
            ),
            (
                "Add the code around it, such as $A.close() or foo($$$ARGS).".to_owned(),
                "$A.close() や foo($$$ARGS) のように、周りのコードも書いてください。".to_owned(),
            ),
        ),
    };
    let lines = LineIndex::new(text);
    let place = lines.span(text, at.min(text.len()), at.min(text.len()));
    let line = text.lines().nth(place.start_line - 1).unwrap_or_default();
    StructureError::BadPattern(Box::new(QuerySyntaxError {
        line: place.start_line,
        column: place.start_column,
        excerpt: format!("{line}\n{}^", " ".repeat(place.start_column)),
        reason,
        hint,
    }))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use tokio_util::sync::CancellationToken;

    use super::CodePattern;
    use crate::{errors::structure::StructureError, languages, parse::tests::parsed};

    fn find(path: &str, text: &str, pattern: &str) -> Vec<String> {
        let parsed = parsed(path, text);
        let pattern = CodePattern::compile(pattern, parsed.source.language).expect("a pattern");
        let hits = pattern.find(&parsed, &CancellationToken::new()).expect("hits");
        assert!(!hits.is_incomplete);
        hits.list
            .into_iter()
            .map(|hit| {
                let text = &parsed.source.text[hit.start_byte..hit.end_byte];
                let captures: Vec<String> = hit
                    .captures
                    .iter()
                    .map(|(name, text)| format!("{name}={text}"))
                    .collect();
                format!("{text} {}", captures.join(" ")).trim_end().to_owned()
            })
            .collect()
    }

    fn invalid_pattern(language: &str, pattern: &str) -> (usize, usize, String) {
        let language = languages::by_name(language).expect("known");
        match CodePattern::compile(pattern, language) {
            Err(StructureError::BadPattern(fault)) => (fault.line, fault.column, fault.hint.0.clone()),
            other => panic!("{pattern}: {other:?}"),
        }
    }

    #[test]
    fn variables_match_nodes_regardless_of_layout() {
        let python = "print(a)\nprint( b , 2)\nlog.print(c)\nprint()\n";
        assert_eq!(find("a.py", python, "print($A)"), ["print(a) A=a"]);
        assert_eq!(
            find("a.py", python, "print($$$ARGS)"),
            ["print(a) ARGS=a", "print( b , 2) ARGS=b , 2", "print() ARGS="]
        );
        assert_eq!(find("a.py", python, "$X.print($_)"), ["log.print(c) X=log"]);
        let python = "if a == a:\n    pass\nif a == b:\n    pass\n";
        assert_eq!(find("a.py", python, "$A == $A"), ["a == a A=a"]);
    }

    #[test]
    fn definitions_and_statements_are_patterns_too() {
        let python = "def f(x):\n    return x\n\nclass A(B):\n    def g(self):\n        return None\n";
        assert_eq!(
            find("a.py", python, "return $X"),
            ["return x X=x", "return None X=None"]
        );
        assert_eq!(find("a.py", python, "def $F($$$):\n    return $X").len(), 2);
        assert_eq!(find("a.py", python, "class $C($B): $$$BODY").len(), 1);
        let java = "class A { void f() { list.add(1); other(2); } }";
        assert_eq!(find("A.java", java, "$O.add($X)"), ["list.add(1) O=list X=1"]);
        let script = "const a = useState(0); el.addEventListener('click', () => go());";
        assert_eq!(
            find("a.js", script, "const $V = useState($I)"),
            ["const a = useState(0); I=0 V=a"]
        );
        assert_eq!(find("a.ts", script, "$E.addEventListener($N, $F)").len(), 1);
        assert_eq!(
            find("a.css", "a { color: red; margin: 0 }", "color: $C"),
            ["color: red; C=red"]
        );
    }

    /// The path of a file, its text with the only match between «», and the pattern.
    const EVERY: [(&str, &str, &str); 18] = [
        ("a.py", "«o.get(1)»", "$O.get($K)"),
        ("a.java", "class A { void f() { «o.get(1)»; } }", "$O.get($K)"),
        ("a.js", "function f() { «o.get(1)»; }", "$O.get($K)"),
        ("a.ts", "function f(): void { «o.get(1)»; }", "$O.get($K)"),
        ("a.tsx", "const a = <b>{«o.get(1)»}</b>;", "$O.get($K)"),
        ("a.css", "a { «color: red» }", "color: $C"),
        ("a.rs", "fn f() { «x.unwrap()»; }", "$A.unwrap()"),
        (
            "a.go",
            "package p\nfunc f() { «fmt.Println(1, 2)» }\n",
            "fmt.Println($$$A)",
        ),
        ("a.c", "void f(int *p) { «free(p)»; }\n", "free($P)"),
        ("a.cpp", "void f() { «v.push_back(1)»; }\n", "$V.push_back($X)"),
        (
            "a.cs",
            "class A { void F() { «Console.WriteLine(1)»; } }",
            "Console.WriteLine($X)",
        ),
        ("a.php", "<?php\n«$o->get(1)»;\n", "$O->get($K)"),
        ("a.rb", "def f\n  «raise E»\nend\n", "raise $E"),
        ("a.kt", "fun f() { «println(1)» }\n", "println($X)"),
        ("a.swift", "func f() { «print(1)» }\n", "print($X)"),
        ("a.scala", "object A { def f() = { «println(1)» } }\n", "println($X)"),
        ("a.sh", "f() { «rm a»; }\n", "rm $X"),
        ("a.lua", "function f() «print(1)» end\n", "print($X)"),
    ];

    #[test]
    fn every_programming_language_supports_patterns() {
        let mut wrong = String::new();
        for (path, marked, pattern) in EVERY {
            let text = marked.replace(['«', '»'], "");
            let wanted = marked.split(['«', '»']).nth(1).unwrap_or_default();
            let parsed = parsed(path, &text);
            let hits = CodePattern::compile(pattern, parsed.source.language)
                .and_then(|pattern| pattern.find(&parsed, &CancellationToken::new()));
            let found: Vec<&str> = hits
                .iter()
                .flat_map(|hits| &hits.list)
                .map(|hit| &text[hit.start_byte..hit.end_byte])
                .collect();
            if found != [wanted] {
                let _ = writeln!(wrong, "{path}: {pattern}: {hits:?}");
            }
        }
        assert!(wrong.is_empty(), "{wrong}");
    }

    #[test]
    fn invalid_patterns_are_rejected_with_position() {
        let (line, column, hint) = invalid_pattern("python", "foo($A,\n  bar(");
        assert!(line >= 1 && hint.contains("$$$NAME"), "{line}:{column} {hint}");
        assert!(invalid_pattern("python", "$A").2.contains("around it"));
        assert!(invalid_pattern("python", "a = 1\nb = 2").2.contains("one by one"));
        assert!(invalid_pattern("javascript", "function (").2.contains("one complete"));
        assert!(invalid_pattern("python", "").2.contains("one"));
    }

    #[test]
    fn too_costly_patterns_are_rejected() {
        let nested = |inner: &str, times: usize| format!("{}1{}", inner.repeat(times), ")".repeat(times));
        for pattern in [
            nested("(", 20_000),
            nested("f(", 300),
            nested("f($$$, ", 30),
            "f(1); ".repeat(20_000),
        ] {
            assert!(
                invalid_pattern("python", &pattern).2.contains("$_, which"),
                "{pattern:.40}"
            );
        }
        assert_eq!(find("a.py", "f(0, f(0, 1))\n", &nested("f($$$, ", 2)).len(), 1);
        // A text that makes the scanner of Kotlin loop in a file does so in a pattern.
        invalid_pattern("kotlin", "class $A\n@B");
    }

    #[test]
    fn oversized_nodes_are_skipped_and_reported() {
        let deep = format!("{0}1{1} + {0}1{1}\na + a\n", "(".repeat(30_000), ")".repeat(30_000));
        let wide = format!("[{0}5, {0}]\n[1, 5, 1, 7]\n", "1, ".repeat(16_000));
        for (text, pattern, found) in [(deep, "$A + $A", "a + a"), (wide, "[$$$A, 5, $$$B, 7]", "[1, 5, 1, 7]")] {
            let parsed = parsed("a.py", &text);
            let pattern = CodePattern::compile(pattern, parsed.source.language).expect("a pattern");
            let hits = pattern.find(&parsed, &CancellationToken::new()).expect("hits");
            let texts: Vec<&str> = hits
                .list
                .iter()
                .map(|hit| &text[hit.start_byte..hit.end_byte])
                .collect();
            assert_eq!((texts, hits.is_incomplete), (vec![found], true));
        }
    }

    #[test]
    fn a_cancelled_comparison_returns_nothing() {
        let parsed = parsed("a.py", &"f(1)\n".repeat(5_000));
        let pattern = CodePattern::compile("f($A)", parsed.source.language).expect("a pattern");
        let cancel = CancellationToken::new();
        cancel.cancel();
        assert_eq!(pattern.find(&parsed, &cancel), Err(StructureError::Cancelled));
    }
}
