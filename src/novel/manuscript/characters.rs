//! Character classes: the base of a ruby without a bar, and the characters that count as prose.
//!
//! The classes follow Aozora Bunko's own converter. The module does not judge the choice of characters.

/// The class of a character for finding the base of a ruby.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CharacterClass {
    Kanji,
    Hiragana,
    Katakana,
    /// Half-width letters and digits; the full-width ones form a run of their own.
    HalfWidth,
    FullWidth,
    Other,
}

pub(super) fn class(c: char) -> CharacterClass {
    match c {
        // Iteration marks, 〆, 〇, ヶ and ヵ occur in words as kanji do.
        '\u{4e00}'..='\u{9fff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}'
        | '々'
        | '〻'
        | '〆'
        | '〇'
        | 'ヶ'
        | 'ヵ' => CharacterClass::Kanji,
        'ぁ'..='ゖ' | 'ゝ' | 'ゞ' | 'ゟ' => CharacterClass::Hiragana,
        'ァ'..='ヴ' | 'ヷ'..='ヺ' | 'ー' | 'ヽ' | 'ヾ' | 'ヿ' => CharacterClass::Katakana,
        'A'..='Z' | 'a'..='z' | '0'..='9' | '#' | '&' | ',' | '-' | '\'' => CharacterClass::HalfWidth,
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
        | '．' => CharacterClass::FullWidth,
        _ => CharacterClass::Other,
    }
}

/// True if a character is a kanji, or one of the marks that occur in words as kanji do.
pub fn is_kanji(c: char) -> bool {
    class(c) == CharacterClass::Kanji
}

/// True if the characters form one run that carries a ruby without a bar in an Aozora file. ※ counts as a kanji.
pub(crate) fn is_one_run(characters: impl IntoIterator<Item = char>) -> bool {
    let class = |c| if c == '※' { CharacterClass::Kanji } else { class(c) };
    let mut classes = characters.into_iter().map(class);
    let first = classes.next().unwrap_or(CharacterClass::Other);
    first != CharacterClass::Other && classes.all(|class| class == first)
}

/// True if a character is counted: not white space, not a control character, and not a mark that only modifies its
/// neighbour (combining marks of kana, joiners, variation selectors).
pub fn is_counted(c: char) -> bool {
    !c.is_whitespace() && !is_modifier(c)
}

/// True for control characters and for marks without a position of their own.
pub(crate) fn is_modifier(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{3099}' | '\u{309a}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{300}'..='\u{36f}' | '\u{e0100}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    use super::{is_counted, is_kanji};

    #[test]
    fn combining_marks_are_not_counted() {
        let counted = |text: &str| text.chars().filter(|c| is_counted(*c)).count();
        assert_eq!(counted("　か\u{3099} 葛\u{e0100}。\n"), 3);
        assert_eq!(counted("👨\u{200d}👩"), 2);
    }

    #[test]
    fn kanji_include_iteration_marks_and_extensions() {
        assert!("々〆〇ヶ𠮟﨑㐂".chars().all(is_kanji));
        assert!(!"あアーA１、「".chars().any(is_kanji));
    }
}
