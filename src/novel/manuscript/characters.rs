//! Classes of characters: what a ruby without a bar stands on, and what counts as a character of prose.
//!
//! The classes are those by which Aozora Bunko's own converter splits text. Whether a character is well chosen is not
//! asked here.

/// What a character is, as far as the base of a ruby goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Kanji,
    Hiragana,
    Katakana,
    /// Letters and digits of the half-width and of the full-width sort are two runs.
    HalfWidth,
    FullWidth,
    Other,
}

/// The class of a character.
pub(super) fn class(c: char) -> Class {
    match c {
        // The marks of repetition, 〆 and 〇 stand in words like any kanji, and so do ヶ and ヵ.
        '\u{4e00}'..='\u{9fff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}'
        | '々'
        | '〻'
        | '〆'
        | '〇'
        | 'ヶ'
        | 'ヵ' => Class::Kanji,
        'ぁ'..='ゖ' | 'ゝ' | 'ゞ' | 'ゟ' => Class::Hiragana,
        'ァ'..='ヴ' | 'ヷ'..='ヺ' | 'ー' | 'ヽ' | 'ヾ' | 'ヿ' => Class::Katakana,
        'A'..='Z' | 'a'..='z' | '0'..='9' | '#' | '&' | ',' | '-' | '\'' => Class::HalfWidth,
        '０'..='９'
        | 'Ａ'..='Ｚ'
        | 'ａ'..='ｚ'
        | 'Α'..='Ω'
        | 'α'..='ω'
        | 'А'..='я'
        | '−'
        | '＆'
        | '’'
        | '，'
        | '．' => Class::FullWidth,
        _ => Class::Other,
    }
}

/// Whether a character is a kanji, or one of the marks that stand in words like one.
#[must_use]
pub fn is_kanji(c: char) -> bool {
    class(c) == Class::Kanji
}

/// Whether characters are one run that carries a ruby without a bar in a file of Aozora Bunko. ※ stands for a kanji.
pub(crate) fn is_one_run(characters: impl IntoIterator<Item = char>) -> bool {
    let class = |c| if c == '※' { Class::Kanji } else { class(c) };
    let mut classes = characters.into_iter().map(class);
    let first = classes.next().unwrap_or(Class::Other);
    first != Class::Other && classes.all(|class| class == first)
}

/// Whether a reader counts it: no white space, no control character, and nothing that only changes its neighbour
/// (combining marks of kana, joiners, variation selectors).
#[must_use]
pub fn is_counted(c: char) -> bool {
    !c.is_whitespace() && !is_modifier(c)
}

/// What stands on no place of its own.
pub(super) fn is_modifier(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{3099}' | '\u{309a}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{300}'..='\u{36f}' | '\u{e0100}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    use super::{is_counted, is_kanji};

    #[test]
    fn a_place_of_its_own_is_what_counts() {
        let counted = |text: &str| text.chars().filter(|c| is_counted(*c)).count();
        assert_eq!(counted("　か\u{3099} 葛\u{e0100}。\n"), 3);
        assert_eq!(counted("👨\u{200d}👩"), 2);
    }

    #[test]
    fn kanji_are_more_than_the_unified_ones() {
        assert!("々〆〇ヶ𠮟﨑㐂".chars().all(is_kanji));
        assert!(!"あアーA１、「".chars().any(is_kanji));
    }
}
