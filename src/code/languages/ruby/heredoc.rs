//! The length limit of heredoc end words in Ruby's grammar.
//!
//! The scanner stores the word's length in one byte and checks it with an assertion. It also takes the string after
//! `<<"` for an end word, though nearly always that is an append operator: then only the operator is blanked and
//! nothing is lost.

use std::{cell::LazyCell, collections::HashSet, ops::Range};

use super::super::blanked::BlankedPart;

/// The maximum length of an end word that the scanner can store, in characters.
const MAX_WORD_CHARACTERS: usize = 255;

/// Returns the `<<` signs before words that are too long.
pub(crate) fn long_heredoc_words(text: &str) -> Vec<BlankedPart> {
    let mut found = Vec::new();
    // A heredoc's end word is on a line of its own. Lines are collected once, when the first long word is found.
    let lines = LazyCell::new(|| {
        text.lines().map(str::trim).filter(|line| line.len() > MAX_WORD_CHARACTERS).collect::<HashSet<_>>()
    });
    let mut from = 0;
    while let Some(at) = text[from..].find("<<").map(|at| from + at) {
        from = at + 2;
        let rest = &text[from..];
        let rest = rest.strip_prefix(['-', '~']).unwrap_or(rest);
        let Some(word) = word(rest) else { continue };
        let is_heredoc = lines.contains(&rest[word]);
        found.push(BlankedPart {
            bytes: at..from,
            reason: is_heredoc.then_some("the end word of the heredoc is too long to be parsed"),
        });
    }
    found
}

/// Returns the range of the word at the start of a text, if it is too long.
fn word(text: &str) -> Option<Range<usize>> {
    let first = text.chars().next()?;
    let (start, is_inside): (usize, Box<dyn Fn(char) -> bool>) = match first {
        '"' | '\'' | '`' => (1, Box::new(move |c| c != first)),
        _ => (0, Box::new(|c| c.is_alphanumeric() || c == '_')),
    };
    let end = text[start..].char_indices().take_while(|(_, c)| is_inside(*c)).nth(MAX_WORD_CHARACTERS)?.0;
    let rest = text[start + end..].find(|c| !is_inside(c)).unwrap_or(text.len() - start - end);
    Some(start..start + end + rest)
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use crate::{extract::extract, parse::tests::parsed};

    fn names_and_errors(text: &str) -> (Vec<String>, Vec<String>) {
        let parsed = parsed("a.rb", text);
        let elements = extract(&parsed, &CancellationToken::new()).expect("elements");
        (
            elements.list.into_iter().map(|element| element.name).collect(),
            parsed.errors.into_iter().map(|error| error.message).collect(),
        )
    }

    #[test]
    fn appended_long_string_is_not_a_heredoc() {
        let text = format!("def f(log)\n  log <<\"{}\"\nend\ndef g; end\n", "a ".repeat(200));
        assert_eq!(names_and_errors(&text), (vec!["f".to_owned(), "g".to_owned()], vec![]));
    }

    #[test]
    fn heredoc_with_long_end_word_is_reported() {
        for (open, word) in [("<<", "A".repeat(300)), ("<<~'", "B".repeat(256))] {
            let quote = if open.ends_with('\'') { "'" } else { "" };
            let text = format!("def f; end\nX = {open}{word}{quote}\ntext\n{word}\ndef g; end\n");
            let (names, errors) = names_and_errors(&text);
            assert!(names.contains(&"g".to_owned()), "{names:?}");
            assert!(errors.iter().any(|error| error.contains("heredoc")), "{errors:?}");
        }
        let short = format!("X = <<{0}\ntext\n{0}\n", "A".repeat(255));
        assert_eq!(names_and_errors(&short), (vec!["X".to_owned()], vec![]));
    }
}
