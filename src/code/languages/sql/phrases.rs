//! Phrases of several words: names with a schema, bracketed groups, lists with commas, types.

use super::lexer::SqlWord;

/// Returns a name with its schema, and the number of words read; leading words such as `IF NOT EXISTS` are skipped.
pub(super) fn name(words: &[SqlWord<'_>]) -> Option<(String, usize)> {
    let mut at = words.iter().take_while(|word| word.is_any(&["if", "not", "exists", "concurrently"])).count();
    let mut parts = Vec::new();
    loop {
        let word = words.get(at).filter(|word| word.is_name())?;
        parts.push(word.name());
        at += 1;
        if !words.get(at).is_some_and(|word| word.is_sign(".")) {
            return Some((parts.join("."), at));
        }
        at += 1;
    }
}

/// Returns a name without its schema, in the form used for comparison.
pub(super) fn unqualified_name(name: &str) -> String {
    name.rsplit('.').next().unwrap_or(name).to_lowercase()
}

/// Returns the number of words in a bracketed group, including the brackets; 0 without a bracket.
pub(super) fn span_of_group(words: &[SqlWord<'_>]) -> usize {
    let mut depth = 0_usize;
    for (at, word) in words.iter().enumerate() {
        if word.is_sign("(") {
            depth += 1;
        } else if word.is_sign(")") {
            depth = depth.saturating_sub(1);
        }
        if depth == 0 {
            return if at == 0 { 0 } else { at + 1 };
        }
    }
    words.len()
}

/// Returns the words within the leading bracketed group.
pub(super) fn bracketed_words<'w, 't>(words: &'w [SqlWord<'t>]) -> &'w [SqlWord<'t>] {
    let span = span_of_group(words);
    // A list without a closing bracket ends with the statement.
    let closing = words.get(..span).and_then(<[_]>::last).filter(|last| last.is_sign(")"));
    words.get(1..span - usize::from(closing.is_some())).unwrap_or_default()
}

/// Splits words at the commas outside of brackets.
pub(super) fn commas<'w, 't>(words: &'w [SqlWord<'t>]) -> Vec<&'w [SqlWord<'t>]> {
    let mut depth = 0_usize;
    words
        .split(|word| {
            if word.is_sign("(") {
                depth += 1;
            } else if word.is_sign(")") {
                depth = depth.saturating_sub(1);
            }
            depth == 0 && word.is_sign(",")
        })
        .filter(|part| !part.is_empty())
        .collect()
}

/// Returns the number of words in a type, up to one of these keywords.
pub(super) fn end_of_type(words: &[SqlWord<'_>], ends: &[&str]) -> usize {
    let mut depth = 0_usize;
    for (at, word) in words.iter().enumerate() {
        if word.is_sign("(") {
            depth += 1;
        } else if word.is_sign(")") {
            depth = depth.saturating_sub(1);
        } else if depth == 0 && at > 0 && word.is_any(ends) {
            // `character varying`, `with time zone` and `SET` types are types.
            return at;
        } else if depth == 0 && at == 0 && word.is_any(ends) && !word.is_any(&["character", "null"]) {
            return 0;
        }
    }
    words.len()
}

/// Returns a string without its quotes.
pub(super) fn unquoted(text: &str) -> String {
    let start = text.find('\'').map_or(0, |at| at + 1);
    let inner = text.get(start..text.len().saturating_sub(1)).unwrap_or_default();
    inner.replace("''", "'")
}
