//! The reasons why a text is not a pattern, and the error that shows one with its position.

use ast_grep_core::language::Language as _;
use fumi_base::text::BilingualText;

use super::grammar::PatternGrammar;
use crate::{
    errors::{expressions::FAULTS, structure::StructureError},
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
    let (at, fault) = match trouble {
        PatternRejection::Syntax(byte) => {
            let code = PatternGrammar::new(language).pre_process_pattern(text).into_owned();
            let characters = code.get(..byte).map_or(0, |before| before.chars().count());
            (text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at), &FAULTS.unreadable)
        }
        PatternRejection::Several => (text.len(), &FAULTS.several_nodes),
        PatternRejection::Prose => (0, &FAULTS.prose),
        PatternRejection::TooLarge => (text.len(), &FAULTS.large),
        PatternRejection::OnlyVariable => (0, &FAULTS.only_variable),
    };
    let lines = LineIndex::new(text);
    let place = lines.span(text, at.min(text.len()), at.min(text.len()));
    let line = text.lines().nth(place.start_line - 1).unwrap_or_default();
    let excerpt = format!("{line}\n{}^", " ".repeat(place.start_column));
    let title: &str = &language.facts.title;
    let facts = [("language", BilingualText::same(title)), ("most", BilingualText::same(PATTERN_BYTES.to_string()))];
    StructureError::InvalidPattern { fault: fault.at((place.start_line, place.start_column), excerpt, &facts) }
}
