//! The nesting limit of YAML's grammar.
//!
//! The scanner's buffer fits 253 open blocks, at most two of them for each column: a mapping, and an unindented list in
//! it.

use super::super::{
    blanked::BlankedPart,
    indentation_limit::{BlockOpening, parts_beyond_columns},
};

/// The maximum number of columns, below the buffer's capacity.
const MAX_COLUMNS: usize = 120;

/// Returns the lines that are nested too deep, or the part of a line from the first column that is.
pub(crate) fn too_deep(text: &str) -> Vec<BlankedPart> {
    parts_beyond_columns(text, MAX_COLUMNS, openings)
}

/// Collects the openings of a line: every leading `-`, `?` and `:`, and the first text after them, which may be a key.
fn openings(line: &str, start: usize, found: &mut Vec<BlockOpening>) {
    // Counts in 16 bits, as the scanner does.
    let mut column = 0_u16;
    let mut rest = line.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let next = rest.peek().map(|(_, next)| *next);
        if !matches!(c, ' ' | '\t') {
            if c == '#' {
                break;
            }
            found.push(BlockOpening { column, byte: start + at });
            let is_sign = matches!(c, '-' | '?' | ':') && next.is_none_or(char::is_whitespace);
            if !is_sign {
                break;
            }
        }
        column = column.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::too_deep;
    use crate::{extract::extract, parse::tests::parsed};

    #[test]
    fn blocks_beyond_scanner_buffer_are_blanked_and_reported() {
        let keys: String =
            (0..400).fold(String::new(), |keys, depth| keys + &format!("{}k{depth}:\n", "  ".repeat(depth)));
        for deep in [keys, "- ".repeat(400), ": ".repeat(400), "? ".repeat(400), "- ? ".repeat(400)] {
            let text = format!("first: 1\n---\n{deep}\n---\nlast: 1\n");
            let parsed = parsed("a.yaml", &text);
            assert!(parsed.errors.iter().any(|error| error.message == "nested too deep to be read"), "{deep:.20}");
            let elements = extract(&parsed, &CancellationToken::new()).expect("elements");
            assert!(elements.list.iter().any(|element| element.name == "last"), "{deep:.20}");
        }
    }

    #[test]
    fn long_lines_do_not_count_as_nesting() {
        let flow = format!("a: [{}]\n- {}\n", "1, ".repeat(1_000), "b: c ".repeat(1_000));
        assert_eq!(too_deep(&flow), []);
    }
}
