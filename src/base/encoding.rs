//! Encodings of text files: detection by mark, content and declaration, and decoding.
//!
//! Text is never silently damaged: where the encoding is known, no U+FFFD appears.

use std::sync::LazyLock;

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, ISO_2022_JP, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252,
};

use crate::{errors::UserError, project::BOOK};

/// The number of bytes used to detect a file's encoding; more does not change the result of `chardetng` for real text.
const DETECTION_BYTES: usize = 1 << 20;

/// The encoding that a caller asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EncodingChoice {
    /// Detected for each file separately.
    Auto,
    /// The same for every file.
    Fixed(&'static Encoding),
}

/// The error of a caller that named an unknown encoding.
#[derive(Debug, UserError)]
pub struct UnknownEncoding {
    pub label: String,
}

impl EncodingChoice {
    /// Parses a label of the WHATWG Encoding Standard, `auto`, or one of the common other spellings.
    pub fn parse(label: &str) -> Result<Self, UnknownEncoding> {
        let plain = label.trim().to_ascii_lowercase().replace('_', "-");
        let label_of = match plain.as_str() {
            "" | "auto" => return Ok(Self::Auto),
            "utf8" => "utf-8",
            "shift-jis" | "cp932" => "shift_jis",
            "eucjp" => "euc-jp",
            "iso2022jp" => "iso-2022-jp",
            "latin-1" => "latin1",
            other => other,
        };
        Encoding::for_label(label_of.as_bytes())
            .or_else(|| Encoding::for_label(label.trim().as_bytes()))
            .map(Self::Fixed)
            .ok_or_else(|| UnknownEncoding { label: label.to_owned() })
    }
}

/// A file's text and the encoding from which it was decoded.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// The text, without a byte order mark.
    pub text: String,
    /// The encoding's name in lower case, such as `utf-8` or `shift_jis`.
    pub encoding: String,
    /// True if the file began with a byte order mark.
    pub bom: bool,
    /// True if some bytes were invalid in that encoding and became U+FFFD.
    pub damaged: bool,
}

/// Returns the encoding of a file by its first bytes, in this order: byte order mark, ISO-2022-JP escapes, valid UTF-8,
/// UTF-16 without a mark, the file's own declaration (if the bytes are valid in that encoding), the guess of
/// `chardetng`.
pub fn detect(bytes: &[u8]) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    let cut = bytes.len() > DETECTION_BYTES;
    let head = &bytes[..bytes.len().min(DETECTION_BYTES)];
    // NUL is ASCII, but text contains none: UTF-16 of Latin text is ASCII bytes with NUL between them.
    if head.is_ascii() && !head.contains(&0) {
        return if has_iso_2022_jp_escape(head) { ISO_2022_JP } else { UTF_8 };
    }
    if let Some(encoding) = utf_16_without_mark(head) {
        return encoding;
    }
    match std::str::from_utf8(head) {
        Ok(_) => return UTF_8,
        // Only the last character is cut in two.
        Err(error) if cut && error.valid_up_to() + 4 > head.len() => return UTF_8,
        Err(_) => {}
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Allow);
    detector.feed(head, !cut);
    let mut guessed = detector.guess(None, chardetng::Utf8Detection::Allow);
    if [GBK, GB18030, EUC_KR, BIG5].contains(&guessed) && is_kanji_of_euc_jp(head) {
        guessed = EUC_JP;
    }
    if let Some(encoding) = declared(head).filter(|encoding| is_valid_in(head, encoding, cut)) {
        // Any bytes are valid in a single-byte encoding, so that such a declaration may be outdated.
        let is_japanese = [SHIFT_JIS, EUC_JP, ISO_2022_JP].contains(&guessed) && !is_latin(head);
        let is_leftover = encoding.is_single_byte() && is_japanese && is_valid_in(head, guessed, cut);
        return if is_leftover { guessed } else { encoding };
    }
    if OTHER_SCRIPTS.contains(&guessed.name()) && is_latin(head) { WINDOWS_1252 } else { guessed }
}

/// The minimum number of kanji for which the share of rare ones distinguishes Japanese from Chinese.
const LEAST_KANJI: usize = 12;

/// True if the non-ASCII characters are kanji in EUC-JP, as in comments without kana, for which `chardetng` guesses Chinese
/// or Korean. The rows of JIS X 0208 decide. Rows from 48 on contain rare kanji in JIS X 0208, but a quarter of the common
/// Chinese characters in GB 2312. Rows 41 to 47 contain every fifth kanji of Japanese text, but no Hangul in EUC-KR.
fn is_kanji_of_euc_jp(bytes: &[u8]) -> bool {
    let (mut kanji, mut common, mut rare) = (0, 0, 0);
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        rest = after;
        if first.is_ascii() {
            continue;
        }
        let [second, after @ ..] = rest else { break };
        if !(0xa1..=0xf4).contains(first) || *second < 0xa1 {
            return false;
        }
        rest = after;
        kanji += usize::from(*first >= 0xb0);
        common += usize::from((0xc9..=0xcf).contains(first));
        rare += usize::from(*first >= 0xd0);
    }
    kanji >= LEAST_KANJI && common * 20 >= kanji && rare * 20 <= kanji
}

/// Encodings of Cyrillic, Greek, Hebrew, Arabic and Thai that `chardetng` also guesses for a few accented letters.
const OTHER_SCRIPTS: [&str; 13] = [
    "windows-1251",
    "KOI8-U",
    "KOI8-R",
    "ISO-8859-5",
    "IBM866",
    "x-mac-cyrillic",
    "windows-1253",
    "ISO-8859-7",
    "windows-1255",
    "ISO-8859-8",
    "windows-1256",
    "ISO-8859-6",
    "windows-874",
];

/// Patterns of declarations of an encoding: a comment in the first two lines (PEP 263, Ruby, Emacs), the declaration of
/// XML, `@charset` of CSS, `<meta charset>` of HTML.
static DECLARATIONS: LazyLock<[regex::bytes::Regex; 4]> = LazyLock::new(|| {
    [
        r"\A(?:[ \t\x0c]*(?:#[^\n]*)?\r?\n)?[ \t\x0c]*#[^\n]*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)",
        r#"\A\s*<\?xml[^>]*?\sencoding\s*=\s*["']([-_.:a-zA-Z0-9]+)["']"#,
        r#"\A@charset "([-_.:a-zA-Z0-9]+)";"#,
        r#"(?is)\A\s*<(?:(?:!doctype\s|!--|\?xml\s|html|head|title).*?<)?meta\s[^>]*?charset\s*=\s*["']?\s*([-_.:a-z0-9]+)"#,
    ]
    .map(|pattern| regex::bytes::Regex::new(pattern).expect("a constant pattern"))
});

/// The number of bytes searched for a declaration, the same as in browsers.
const DECLARATION_BYTES: usize = 1_024;

/// Returns the encoding that a file declares, if it is not UTF-8. UTF-16 is ignored, since the declaration itself would
/// be UTF-16.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(DECLARATION_BYTES)];
    let label = DECLARATIONS.iter().find_map(|declaration| declaration.captures(head)?.get(1))?;
    let label = std::str::from_utf8(label.as_bytes()).ok()?.to_ascii_lowercase();
    // Emacs appends the kind of line ends.
    let label = ["-unix", "-dos", "-mac"].iter().find_map(|end| label.strip_suffix(end)).unwrap_or(&label);
    match EncodingChoice::parse(label).ok()? {
        EncodingChoice::Fixed(encoding) if encoding.is_ascii_compatible() && encoding != UTF_8 => Some(encoding),
        _ => None,
    }
}

/// True if the bytes are valid text of an encoding. If they were cut, the last character may be incomplete: at most 3
/// bytes of it are present.
fn is_valid_in(bytes: &[u8], encoding: &'static Encoding, cut: bool) -> bool {
    let forgiven = if cut { 3.min(bytes.len()) } else { 0 };
    let mut ends = bytes.len() - forgiven..=bytes.len();
    ends.any(|end| !encoding.decode_without_bom_handling(&bytes[..end]).1)
}

/// True if most non-ASCII bytes occur between Latin letters, as accented letters do: words of other scripts contain no
/// Latin letters.
fn is_latin(bytes: &[u8]) -> bool {
    let (mut among, mut apart) = (0_usize, 0_usize);
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|byte| !byte.is_ascii()) {
        let before = if at > 0 { rest[at - 1] } else { 0 };
        let length = rest[at..].iter().take_while(|byte| !byte.is_ascii()).count();
        let after = rest.get(at + length).copied().unwrap_or(0);
        if length <= 2 && (before.is_ascii_alphabetic() || after.is_ascii_alphabetic()) {
            among += 1;
        } else {
            apart += 1;
        }
        rest = &rest[at + length..];
    }
    among > apart
}

/// True if the bytes contain an escape of ISO-2022-JP, which is ASCII bytes with escapes that switch the character set
/// (JIS X 0201, 0208).
fn has_iso_2022_jp_escape(bytes: &[u8]) -> bool {
    const ESCAPES: [&[u8]; 4] = [b"$B", b"$@", b"(J", b"(I"];
    bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == 0x1b)
        .any(|(at, _)| ESCAPES.iter().any(|escape| bytes[at + 1..].starts_with(escape)))
}

/// Detects UTF-16 without a mark by NUL in every other byte, as in mostly Latin text.
fn utf_16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(4_096) & !1];
    let pairs = sample.len() / 2;
    if pairs < 4 {
        return None;
    }
    let high_nul = sample.chunks_exact(2).filter(|pair| pair[0] == 0).count();
    let low_nul = sample.chunks_exact(2).filter(|pair| pair[1] == 0).count();
    if low_nul * 10 >= pairs * 4 && high_nul * 20 < pairs {
        Some(UTF_16LE)
    } else if high_nul * 10 >= pairs * 4 && low_nul * 20 < pairs {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// Decodes a file's bytes with the chosen or detected encoding.
pub fn decode(bytes: &[u8], choice: EncodingChoice) -> Decoded {
    let encoding = match choice {
        EncodingChoice::Auto => detect(bytes),
        EncodingChoice::Fixed(encoding) => encoding,
    };
    let bom = Encoding::for_bom(bytes).is_some_and(|(found, _)| found == encoding);
    let (text, used, damaged) = encoding.decode(bytes);
    Decoded { text: text.into_owned(), encoding: name_of(used), bom, damaged }
}

/// Returns the name that replies use for an encoding.
pub fn name_of(encoding: &'static Encoding) -> String {
    if encoding == WINDOWS_1252 {
        // Windows-1252 is the superset that browsers read Latin-1 as; Latin-1 is the well-known name.
        "latin1".to_owned()
    } else {
        encoding.name().to_ascii_lowercase()
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{EUC_JP, ISO_2022_JP, SHIFT_JIS};

    use super::{EncodingChoice, decode};

    #[test]
    fn kanji_without_kana_are_japanese() {
        for (text, encoding) in [
            ("/* 漢字変換処理 */ f(); /* 文字列比較関数 */ g(); /* 使用禁止 */", EUC_JP),
            ("/* 中文字符转换处理 */ f(); /* 文件系统错误 */ g(); /* 用户名不能为空 */", encoding_rs::GBK),
            ("/* 파일을 찾을 수 없습니다 */ f(); /* 한글입니다 */", encoding_rs::EUC_KR),
        ] {
            let bytes = encoding.encode(text).0;
            assert_eq!(super::detect(&bytes), encoding, "{text}");
        }
    }

    #[test]
    fn declared_encoding_wins_and_accents_are_latin() {
        let latin = b"caf\xe9";
        let cyrillic = encoding_rs::WINDOWS_1251.encode("Привет, мир и люди").0.into_owned();
        let short = EUC_JP.encode("日本").0.into_owned();
        for (head, body, encoding) in [
            ("", &latin[..], "latin1"),
            ("x = '", latin, "latin1"),
            ("", &cyrillic, "windows-1251"),
            ("# -*- coding: latin-1 -*-\n", latin, "latin1"),
            ("#!/usr/bin/python\n# vim: set fileencoding=koi8_r :\n", latin, "koi8-r"),
            ("# encoding: euc-jp\nputs '", &short, "euc-jp"),
            ("<?xml version='1.0' encoding='windows-1251'?>\n<a>", latin, "windows-1251"),
            ("<html><meta charset=windows-1250>", latin, "windows-1250"),
            ("<meta http-equiv='Content-Type' content='text/html; charset=Shift_JIS'>", b"\x83\x65", "shift_jis"),
            ("@charset \"iso-8859-2\";\n", latin, "iso-8859-2"),
            // The bytes are not EUC-JP, the label is unknown, and the declaration comes too late.
            ("# coding: euc-jp\n", latin, "latin1"),
            ("# coding: klingon\n", latin, "latin1"),
            ("\n\n# coding: koi8-r\n", latin, "latin1"),
            ("# coding: latin-1\n", "日本".as_bytes(), "utf-8"),
        ] {
            let bytes = [head.as_bytes(), body, b"\n"].concat();
            let decoded = decode(&bytes, EncodingChoice::Auto);
            assert_eq!((decoded.encoding.as_str(), decoded.damaged), (encoding, false), "{head}");
        }
    }

    #[test]
    fn a_false_declaration_is_not_believed() {
        let text = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。";
        for (encoding, name) in [(SHIFT_JIS, "shift_jis"), (EUC_JP, "euc-jp")] {
            for head in [
                "<!DOCTYPE html>\n<html><meta charset=\"utf-8\"><p>",
                "<!DOCTYPE html>\n<html><meta charset=\"latin1\"><p>",
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a>",
                "# coding: koi8-r\n# ",
                "```html\n<meta charset=\"windows-1252\">\n```\n",
            ] {
                let bytes = [head.as_bytes(), &encoding.encode(text).0].concat();
                let decoded = decode(&bytes, EncodingChoice::Auto);
                assert_eq!((decoded.encoding.as_str(), decoded.damaged), (name, false), "{head}");
            }
        }
    }

    #[test]
    fn a_declaration_is_believed_where_the_last_character_is_cut() {
        let mut bytes = b"# coding: shift_jis\n#".to_vec();
        while bytes.len() <= super::DETECTION_BYTES {
            bytes.extend_from_slice(b"\x93\xfa");
        }
        assert_eq!(super::detect(&bytes), SHIFT_JIS);
        bytes.insert(20, b'#');
        assert_eq!(super::detect(&bytes), SHIFT_JIS);
    }

    #[test]
    fn japanese_text_survives_in_every_encoding() {
        let text = "吾輩は猫である。名前はまだ無い。\nどこで生れたかとんと見当がつかぬ。ｶﾀｶﾅ、カタカナ、漢字。\n";
        for encoding in [SHIFT_JIS, EUC_JP, ISO_2022_JP] {
            let text = if encoding == ISO_2022_JP { text.replace("ｶﾀｶﾅ", "") } else { text.to_owned() };
            let (bytes, _, lossy) = encoding.encode(&text);
            assert!(!lossy);
            let decoded = decode(&bytes, EncodingChoice::Auto);
            assert_eq!(decoded.text, text, "{}", encoding.name());
            assert_eq!(decoded.encoding, encoding.name().to_ascii_lowercase());
            assert!(!decoded.damaged);
        }
        for (mark, unit) in
            [(&b"\xff\xfe"[..], u16::to_le_bytes as fn(u16) -> [u8; 2]), (&b"\xfe\xff"[..], u16::to_be_bytes)]
        {
            let bytes: Vec<u8> = mark.iter().copied().chain(text.encode_utf16().flat_map(unit)).collect();
            let decoded = decode(&bytes, EncodingChoice::Auto);
            assert_eq!((decoded.text.as_str(), decoded.bom), (text, true));
        }
    }

    #[test]
    fn plain_and_latin_text_are_told_apart() {
        assert_eq!(decode(b"hello", EncodingChoice::Auto).encoding, "utf-8");
        assert_eq!(decode("naïve – 文".as_bytes(), EncodingChoice::Auto).encoding, "utf-8");
        let latin = decode(b"na\xefve caf\xe9 d\xe9j\xe0 vu", EncodingChoice::Auto);
        assert_eq!((latin.text.as_str(), latin.encoding.as_str()), ("naïve café déjà vu", "latin1"));
        let bare: Vec<u8> = "plain utf-16 text é".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode(&bare, EncodingChoice::Auto).encoding, "utf-16le");
        let ascii: Vec<u8> = "plain ascii text".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decode(&ascii, EncodingChoice::Auto).text, "plain ascii text");
    }

    #[test]
    fn labels_are_those_of_browsers_and_a_few_more() {
        for label in ["auto", "", "utf-8", "UTF8", "Shift_JIS", "sjis", "euc-jp", "ISO-2022-JP", "latin1", "utf-16le"] {
            assert!(EncodingChoice::parse(label).is_ok(), "{label}");
        }
        assert!(EncodingChoice::parse("klingon").is_err());
    }
}
