//! Numbers in kanji, as vertical text has them: 二〇二六年, 三十一日, 第十二章.

/// Writes a number with 十 below one hundred, and digit by digit from there on.
pub(crate) fn in_kanji(number: u32) -> String {
    let digit = |number: u32| digits(&number.to_string());
    match (number / 10, number % 10) {
        (0, ones) => digit(ones),
        (tens @ 1..10, ones) => {
            let tens = if tens == 1 { String::new() } else { digit(tens) };
            let ones = if ones == 0 { String::new() } else { digit(ones) };
            format!("{tens}十{ones}")
        }
        _ => digit(number),
    }
}

/// Writes a year digit by digit.
pub(super) fn year_in_kanji(year: i16) -> String {
    digits(&year.to_string())
}

fn digits(number: &str) -> String {
    let kanji =
        |c: char| c.to_digit(10).and_then(|digit| "〇一二三四五六七八九".chars().nth(digit as usize)).unwrap_or(c);
    number.chars().map(kanji).collect()
}

#[cfg(test)]
mod tests {
    use super::{in_kanji, year_in_kanji};

    #[test]
    fn numbers_are_written_as_in_a_book() {
        for (number, kanji) in [
            (0, "〇"),
            (9, "九"),
            (10, "十"),
            (11, "十一"),
            (20, "二十"),
            (31, "三十一"),
            (99, "九十九"),
            (105, "一〇五"),
        ] {
            assert_eq!(in_kanji(number), kanji);
        }
        assert_eq!(year_in_kanji(2026), "二〇二六");
    }
}
