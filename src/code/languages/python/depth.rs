//! The indentation limit of Python's grammar.
//!
//! The scanner's buffer fits 383 indentations beside the 255 strings that it counts at most. Python itself allows 100.

use super::super::{
    blanked::BlankedPart,
    indentation_limit::{BlockOpening, parts_beyond_columns},
};

/// The maximum number of indentation columns, below the buffer's capacity.
const MAX_COLUMNS: usize = 380;

/// Returns the lines that are indented too deep.
pub(crate) fn too_deep(text: &str) -> Vec<BlankedPart> {
    parts_beyond_columns(text, MAX_COLUMNS, |line, start, found| {
        let mut column = 0_u16;
        for (at, c) in line.char_indices() {
            // Counts as the scanner does, which restarts at a form feed and wraps after 65,535.
            match c {
                ' ' => column = column.wrapping_add(1),
                '\t' => column = column.wrapping_add(8),
                '\r' | '\u{c}' => column = 0,
                _ => {
                    found.push(BlockOpening { column, byte: start + at });
                    break;
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use crate::{extract::extract, parse::tests::parsed};

    #[test]
    fn indentation_beyond_scanner_buffer_is_blanked_and_reported() {
        let mut text = String::from("def f():\n    return 1\n");
        for depth in 0..600 {
            text.push_str(&" ".repeat(depth));
            text.push_str("if 1:\n");
        }
        text.push_str(&" ".repeat(600));
        // A string gives the buffer an odd length, the one that does not fit.
        text.push_str("x = \"a\"\ndef g():\n    return \"b\"\n");
        let parsed = parsed("a.py", &text);
        let names: Vec<String> = extract(&parsed, &CancellationToken::new())
            .expect("elements")
            .list
            .into_iter()
            .map(|element| element.name)
            .collect();
        assert_eq!(names, ["f", "g"]);
        assert!(parsed.errors.iter().any(|error| error.message == "nested too deep to be read"));
        assert!(parsed.error_count > 200, "{}", parsed.error_count);
    }
}
