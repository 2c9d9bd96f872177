//! 縦中横: short numbers and marks set upright in one cell of a vertical line.
//!
//! Only one or two digits, or two half-width marks of exclamation or question, are set upright. Longer runs are left
//! sideways.

/// Splits a text into pieces; the flag is true for pieces that are set upright.
pub(super) fn pieces(text: &str) -> Vec<(&str, bool)> {
    let mut pieces = Vec::new();
    let mut plain = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let run = rest.len() - rest.trim_start_matches(is_latin).len();
        if run == 0 {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        if is_upright(&rest[..run]) {
            if plain < at {
                pieces.push((&text[plain..at], false));
            }
            pieces.push((&rest[..run], true));
            plain = at + run;
        }
        at += run;
    }
    if plain < text.len() {
        pieces.push((&text[plain..], false));
    }
    pieces
}

fn is_latin(c: char) -> bool {
    c.is_ascii_graphic()
}

fn is_upright(run: &str) -> bool {
    let is_number = run.len() <= 2 && run.bytes().all(|byte| byte.is_ascii_digit());
    is_number || matches!(run, "!!" | "!?" | "?!" | "??")
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn short_numbers_and_double_marks_stand_upright() {
        for (text, expected) in [
            ("あと3日", vec![("あと", false), ("3", true), ("日", false)]),
            ("12月25日!?", vec![("12", true), ("月", false), ("25", true), ("日", false), ("!?", true)]),
            ("100円と2026年と3.5度とV2と!!!", vec![("100円と2026年と3.5度とV2と!!!", false)]),
            ("", vec![]),
        ] {
            assert_eq!(pieces(text), expected, "{text}");
        }
    }
}
