//! How deep a YAML text may be nested for its grammar.
//!
//! The scanner's buffer holds 253 open blocks, at most two of them for each column: a mapping, and a list in it that is not
//! indented.

use super::super::{
    columns::{Opening, beyond},
    unread::Unread,
};

/// Below what the buffer holds.
const MOST: usize = 120;

/// The lines that are nested too deep, or the rest of a line that is.
pub(crate) fn too_deep(text: &str) -> Vec<Unread> {
    beyond(text, MOST, openings)
}

/// Every `-`, `?` and `:` that a line begins with, and what it says behind them, which may be a key.
fn openings(line: &str, start: usize, found: &mut Vec<Opening>) {
    // As the scanner counts, in 16 bits.
    let mut column = 0_u16;
    let mut rest = line.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let next = rest.peek().map(|(_, next)| *next);
        if !matches!(c, ' ' | '\t') {
            if c == '#' {
                break;
            }
            found.push(Opening {
                column,
                byte: start + at,
            });
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
    fn blocks_beyond_the_scanners_buffer_are_left_out_and_said() {
        let keys: String = (0..400).fold(String::new(), |keys, depth| {
            keys + &format!("{}k{depth}:\n", "  ".repeat(depth))
        });
        for deep in [
            keys,
            "- ".repeat(400),
            ": ".repeat(400),
            "? ".repeat(400),
            "- ? ".repeat(400),
        ] {
            let text = format!("first: 1\n---\n{deep}\n---\nlast: 1\n");
            let parsed = parsed("a.yaml", &text);
            assert!(
                parsed
                    .errors
                    .iter()
                    .any(|error| error.message == "nested too deep to be read"),
                "{deep:.20}"
            );
            let elements = extract(&parsed, &CancellationToken::new()).expect("elements");
            assert!(elements.list.iter().any(|element| element.name == "last"), "{deep:.20}");
        }
    }

    #[test]
    fn long_lines_are_not_deep() {
        let flow = format!("a: [{}]\n- {}\n", "1, ".repeat(1_000), "b: c ".repeat(1_000));
        assert_eq!(too_deep(&flow), []);
    }
}
