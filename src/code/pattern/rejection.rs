//! The reasons why a text is not a pattern, and the error that shows one with its position.

use ast_grep_core::language::Language as _;
use fumi_base::text::BilingualText;

use super::grammar::PatternGrammar;
use crate::{
    errors::structure::{QuerySyntaxError, StructureError},
    languages::Language,
    parse::LineIndex,
};

/// The maximum size of a pattern, in bytes.
pub(super) const PATTERN_BYTES: usize = 64 * 1024;

/// The reason why a text is not a pattern.
#[derive(Clone, Copy)]
pub(super) enum PatternRejection {
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

/// Builds the error, with the position in the pattern as its author wrote it: the replacement of `$` is one character
/// too.
pub(super) fn invalid_pattern(text: &str, language: &'static Language, trouble: PatternRejection) -> StructureError {
    let title = &language.facts.title;
    let (at, reason, hint) = match trouble {
        PatternRejection::Syntax(byte) => {
            let code = PatternGrammar::new(language).pre_process_pattern(text).into_owned();
            let characters = code.get(..byte).map_or(0, |before| before.chars().count());
            (
                text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at),
                BilingualText::new(
                    format!("{title} cannot read it from here on"),
                    format!("ここから先は {title} のコードとして読めません"),
                ),
                BilingualText::new(
                    "Write one complete expression, statement or definition; $NAME (capitals) matches one node, $$$NAME any number.",
                    "式・文・定義のいずれかを一つ、省略せずに書いてください。$NAME（大文字）はノード一つ、$$$NAME は任意個に当たります。",
                ),
            )
        }
        PatternRejection::Several => (
            text.len(),
            BilingualText::new("it is not exactly one node", "一つのノードになっていません"),
            BilingualText::new(
                "Write one expression, statement or definition; search for the parts one by one.",
                "式・文・定義のどれか一つにして、残りは別に検索してください。",
            ),
        ),
        PatternRejection::Prose => (
            0,
            BilingualText::new(
                format!("it is plain text in {title}, not code"),
                format!("{title} ではただの文章で、コードではありません"),
            ),
            BilingualText::new(
                "Search prose with search_content; a pattern needs files of a programming language.",
                "文章の検索には search_content を使い、ここではプログラミング言語のファイルを指定してください。",
            ),
        ),
        PatternRejection::TooLarge => (
            text.len(),
            BilingualText::new(
                format!(
                    "it is too large: longer than {PATTERN_BYTES} bytes, nested too deep, or with too many nested $$$"
                ),
                format!("大きすぎます（{PATTERN_BYTES} バイト超、入れ子が深すぎる、または $$$ の入れ子が多すぎる）"),
            ),
            BilingualText::new(
                "Replace parts that do not matter with $_, which matches any one node.",
                "条件に要らない部分は $_（任意のノード一つ）に置き換えてください。",
            ),
        ),
        PatternRejection::OnlyVariable => (
            0,
            BilingualText::new("a variable alone matches everything", "変数だけではあらゆるものに一致します"),
            BilingualText::new(
                "Add the code around it, such as $A.close() or foo($$$ARGS).",
                "$A.close() や foo($$$ARGS) のように、周りのコードも書いてください。",
            ),
        ),
    };
    let lines = LineIndex::new(text);
    let place = lines.span(text, at.min(text.len()), at.min(text.len()));
    let line = text.lines().nth(place.start_line - 1).unwrap_or_default();
    StructureError::BadPattern {
        fault: Box::new(QuerySyntaxError {
            line: place.start_line,
            column: place.start_column,
            excerpt: format!("{line}\n{}^", " ".repeat(place.start_column)),
            reason,
            hint,
        }),
    }
}
