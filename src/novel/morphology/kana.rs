//! Hiragana as katakana, the script of readings in the dictionary.

/// Converts hiragana to katakana; other characters stay.
pub(crate) fn katakana(text: &str) -> String {
    text.chars().map(as_katakana).collect()
}

/// Converts one hiragana to katakana; any other character stays.
pub(crate) fn as_katakana(c: char) -> char {
    const BETWEEN: u32 = 'ァ' as u32 - 'ぁ' as u32;
    match c {
        'ぁ'..='ゖ' => char::from_u32(c as u32 + BETWEEN).unwrap_or(c),
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::katakana;

    #[test]
    fn hiragana_becomes_katakana_and_nothing_else_changes() {
        assert_eq!(katakana("ぁみゖ ー美Aア"), "ァミヶ ー美Aア");
    }
}
