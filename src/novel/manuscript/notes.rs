//! Parser for the editor's notes ［＃…］ of Aozora Bunko.
//!
//! Only notes that change the typesetting are interpreted; all others are kept as they are. Whether a note fits the
//! text around it is decided elsewhere.

use encoding_rs::EUC_JP;

use super::Emphasis;

/// A parsed note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AozoraNote {
    /// A character that could not be typed, after its placeholder ※. `None` if the note has no code or an unknown one.
    Character(Option<char>),
    /// An indent of this line by a number of characters.
    Indent(u8),
    /// An indent of the lines from here on.
    IndentFrom(u8),
    IndentEnd,
    /// A bottom alignment of the rest of the line, this number of characters above the foot.
    FromFoot(u8),
    PageBreak,
    /// The beginning or end of an emphasis, or an emphasis of preceding words.
    Emphasis(Emphasis),
    /// The beginning or end of a heading of this level, or a heading made of preceding words.
    Heading(u8),
    /// Any other note, kept as it is.
    Other,
}

/// A note with the text that it affects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ParsedNote<'a> {
    /// A note without a target.
    Here(AozoraNote),
    /// A note on these words, which precede it.
    On(&'a str, AozoraNote),
    Begin(AozoraNote),
    End(AozoraNote),
}

/// Parses the text between ［＃ and ］. `follows_mark` is true if ※ immediately precedes the note.
pub(super) fn read(words: &str, follows_mark: bool) -> ParsedNote<'_> {
    if follows_mark {
        return ParsedNote::Here(AozoraNote::Character(character(words)));
    }
    if let Some((target, style)) = on_words(words) {
        return ParsedNote::On(target, style);
    }
    if let Some(ended) = words.strip_suffix("終わり") {
        return match style(ended) {
            Some(note) => ParsedNote::End(note),
            None if ended == "ここで字下げ" => ParsedNote::Here(AozoraNote::IndentEnd),
            None => ParsedNote::Here(AozoraNote::Other),
        };
    }
    if let Some(note) = style(words) {
        return ParsedNote::Begin(note);
    }
    let amount = |before, after| number(words.strip_prefix(before)?.strip_suffix(after)?);
    ParsedNote::Here(if matches!(words, "改ページ" | "改丁" | "改見開き") {
        AozoraNote::PageBreak
    } else if words == "地付き" {
        AozoraNote::FromFoot(0)
    } else if let Some(amount) = amount("地から", "字上げ") {
        AozoraNote::FromFoot(amount)
    } else if let Some(amount) = amount("ここから", "字下げ") {
        AozoraNote::IndentFrom(amount)
    } else if let Some(amount) = amount("", "字下げ") {
        AozoraNote::Indent(amount)
    } else {
        AozoraNote::Other
    })
}

/// Parses `「x」に傍点`, `「x」は太字`, `「x」は中見出し`.
fn on_words(words: &str) -> Option<(&str, AozoraNote)> {
    let inner = words.strip_prefix('「')?;
    let cut = ["」に", "」は"].iter().filter_map(|cut| inner.rfind(cut)).max()?;
    let said = style(&inner[cut + "」に".len()..])?;
    Some((&inner[..cut], said))
}

/// Parses the name of an emphasis or of a heading.
fn style(name: &str) -> Option<AozoraNote> {
    // A heading within a line (同行) or in a window (窓) counts as a heading.
    let heading = name.strip_prefix("同行").or(name.strip_prefix("窓")).unwrap_or(name);
    match heading {
        "大見出し" => return Some(AozoraNote::Heading(1)),
        "中見出し" => return Some(AozoraNote::Heading(2)),
        "小見出し" => return Some(AozoraNote::Heading(3)),
        _ => {}
    }
    let emphasis = match name.strip_prefix("左に").unwrap_or(name) {
        "傍点" | "白ゴマ傍点" | "丸傍点" | "白丸傍点" | "黒三角傍点" | "白三角傍点" | "二重丸傍点" | "蛇の目傍点"
        | "ばつ傍点" => Emphasis::Dots,
        "傍線" | "二重傍線" | "鎖線" | "破線" | "波線" => Emphasis::Line,
        "太字" => Emphasis::Bold,
        "斜体" => Emphasis::Italic,
        _ => return None,
    };
    Some(AozoraNote::Emphasis(emphasis))
}

/// Returns the character that a note after ※ names, by its Unicode code point or by plane, row and cell.
fn character(words: &str) -> Option<char> {
    if let Some(at) = words.find("U+") {
        let code = &words[at + 2..];
        let end = code.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(code.len());
        return char::from_u32(u32::from_str_radix(&code[..end], 16).ok()?);
    }
    words.split(['、', '水', '準']).rev().find_map(by_cell)
}

/// Decodes a cell such as `1-2-8`. Only the part of the first plane that JIS X 0208 also contains is known, because
/// EUC-JP encodes that set.
fn by_cell(code: &str) -> Option<char> {
    let mut parts = code.split('-').map(|part| part.parse::<u8>().ok());
    let (Some(Some(1)), Some(Some(row @ 1..=94)), Some(Some(cell @ 1..=94)), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    // Rows 9 to 12, 14 and 15 are empty in JIS X 0208 and used in JIS X 0213; row 13 and the rows after 84 differ.
    if !matches!(row, 1..=8 | 16..=84) {
        return None;
    }
    let bytes = [0xa0 + row, 0xa0 + cell];
    let decoded = EUC_JP.decode_without_bom_handling_and_without_replacement(&bytes)?;
    decoded.chars().next()
}

/// Parses a small number in full-width, half-width or kanji digits.
fn number(digits: &str) -> Option<u8> {
    let (mut value, rest): (u8, _) = match digits.strip_prefix('十') {
        Some("") => return Some(10),
        Some(ones) => (1, ones),
        None => (0, digits),
    };
    for c in rest.chars() {
        let digit = match c {
            '0'..='9' => u32::from(c) - u32::from('0'),
            '０'..='９' => u32::from(c) - u32::from('０'),
            _ => u32::try_from("〇一二三四五六七八九".chars().position(|kanji| kanji == c)?).ok()?,
        };
        value = value.checked_mul(10)?.checked_add(u8::try_from(digit).ok()?)?;
    }
    (!digits.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::{AozoraNote, Emphasis, ParsedNote, read};

    #[test]
    fn notes_are_parsed_by_kind() {
        for (words, expected) in [
            ("「おくれんかな」に傍点", ParsedNote::On("おくれんかな", AozoraNote::Emphasis(Emphasis::Dots))),
            ("「「い」は「ろ」」に二重傍線", ParsedNote::On("「い」は「ろ」", AozoraNote::Emphasis(Emphasis::Line))),
            ("「一」は中見出し", ParsedNote::On("一", AozoraNote::Heading(2))),
            ("白丸傍点", ParsedNote::Begin(AozoraNote::Emphasis(Emphasis::Dots))),
            ("太字終わり", ParsedNote::End(AozoraNote::Emphasis(Emphasis::Bold))),
            ("５字下げ", ParsedNote::Here(AozoraNote::Indent(5))),
            ("ここから十二字下げ", ParsedNote::Here(AozoraNote::IndentFrom(12))),
            ("ここで字下げ終わり", ParsedNote::Here(AozoraNote::IndentEnd)),
            ("地から1字上げ", ParsedNote::Here(AozoraNote::FromFoot(1))),
            ("改丁", ParsedNote::Here(AozoraNote::PageBreak)),
            ("999字下げ", ParsedNote::Here(AozoraNote::Other)),
            ("「母」の左に「ママ」の注記", ParsedNote::Here(AozoraNote::Other)),
            ("", ParsedNote::Here(AozoraNote::Other)),
        ] {
            assert_eq!(read(words, false), expected, "{words}");
        }
    }

    #[test]
    fn a_character_is_found_by_either_code() {
        for (words, expected) in [
            ("「土へん＋竒」、U+57FC、123-4", Some('埼')),
            ("U+29E3D", Some('𩸽')),
            ("始め二重山括弧、1-1-52", Some('《')),
            ("「木＋吶のつくり」、第3水準1-85-54", None),
            // JIS X 0213 and the vendor extensions of JIS X 0208 have different characters in this cell.
            ("第3水準1-89-1", None),
            ("「てへん＋発」、ページ数-行数", None),
            ("U+D800", None),
            ("1-200-1", None),
        ] {
            let ParsedNote::Here(AozoraNote::Character(found)) = read(words, true) else {
                panic!("{words}: no character");
            };
            assert_eq!(found, expected, "{words}");
        }
    }
}
