//! 縦中横: short numbers and marks set upright in one cell of a vertical line.
//!
//! Only one or two digits, two half-width marks, or two or three full-width marks of exclamation or question are set
//! upright. Longer runs are left: half-width ones lie sideways, and full-width ones have a cell for each character.

/// Splits a text into pieces; the flag is true for pieces that are set upright.
pub(super) fn pieces(text: &str) -> Vec<(&str, bool)> {
    let mut pieces = Vec::new();
    let mut plain = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let Some((class, run)) = RunClass::ALL.into_iter().find_map(|class| Some((class, class.run(rest)?))) else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        if class.is_upright(run) && !(class == RunClass::WideDigits && is_in_number(&text[..at], &rest[run.len()..])) {
            if plain < at {
                pieces.push((&text[plain..at], false));
            }
            pieces.push((run, true));
            plain = at + run.len();
        }
        at += run.len();
    }
    if plain < text.len() {
        pieces.push((&text[plain..], false));
    }
    pieces
}

/// Returns the half-width form of a character that is set upright: the full-width one would fill the cell alone.
pub(super) fn half_width(c: char) -> char {
    match c {
        '！' | '？' | '０'..='９' => u8::try_from(u32::from(c) - 0xfee0).map_or(c, char::from),
        _ => c,
    }
}

/// The characters of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RunClass {
    HalfWidth,
    WideDigits,
    WideMarks,
}

impl RunClass {
    const ALL: [Self; 3] = [Self::HalfWidth, Self::WideDigits, Self::WideMarks];

    /// Returns the run of this class at the beginning of a text.
    fn run(self, text: &str) -> Option<&str> {
        let rest = match self {
            Self::HalfWidth => text.trim_start_matches(|c: char| c.is_ascii_graphic()),
            Self::WideDigits => text.trim_start_matches(|c| ('０'..='９').contains(&c)),
            Self::WideMarks => text.trim_start_matches(['！', '？']),
        };
        Some(&text[..text.len() - rest.len()]).filter(|run| !run.is_empty())
    }

    fn is_upright(self, run: &str) -> bool {
        match self {
            Self::HalfWidth => {
                let is_number = run.len() <= 2 && run.bytes().all(|byte| byte.is_ascii_digit());
                is_number || matches!(run, "!!" | "!?" | "?!" | "??")
            }
            // One of them is upright by itself.
            Self::WideDigits => run.chars().count() == 2,
            Self::WideMarks => matches!(run.chars().count(), 2 | 3),
        }
    }
}

/// True if a run of digits is a part of a longer number, such as １２．５ and １２，０００.
fn is_in_number(before: &str, after: &str) -> bool {
    let is_joined = |joint: Option<char>, digit: Option<char>| {
        matches!(joint, Some('．' | '，' | '・')) && matches!(digit, Some('０'..='９'))
    };
    let (mut before, mut after) = (before.chars().rev(), after.chars());
    is_joined(before.next(), before.next()) || is_joined(after.next(), after.next())
}

#[cfg(test)]
mod tests {
    use super::{half_width, pieces};

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

    #[test]
    fn full_width_marks_share_a_cell_by_two_and_by_three() {
        for marks in ["！！", "！？", "？！", "？？", "！！！", "！？！"] {
            let text = format!("「え{marks}」");
            assert_eq!(pieces(&text), [("「え", false), (marks, true), ("」", false)]);
        }
        // One mark is upright by itself, and four do not fit in a cell.
        for text in ["「え！」", "「え？　ああ！」", "「え！！！！」"] {
            assert_eq!(pieces(text), [(text, false)]);
        }
        assert_eq!("！？０９あ".chars().map(half_width).collect::<String>(), "!?09あ");
    }

    #[test]
    fn two_full_width_digits_share_a_cell_unless_they_are_part_of_a_longer_number() {
        let upright = |text| pieces(text).into_iter().filter(|(_, is_upright)| *is_upright).map(|(text, _)| text);
        assert_eq!(
            upright("１２月２５日、１１時０５分！？").collect::<Vec<_>>(),
            ["１２", "２５", "１１", "０５", "！？"]
        );
        assert_eq!(upright("１日、２０２６年、１２．５度、３・１４、１２，０００円").collect::<Vec<_>>(), [""; 0]);
    }
}
