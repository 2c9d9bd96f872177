//! Random texts: lines of mixed scripts, every kind of line end, in encodings that real files have.
//!
//! A text contains only characters that its encoding can represent, so that decoding must return it exactly.

use encoding_rs::{EUC_JP, Encoding, ISO_2022_JP, SHIFT_JIS, UTF_8};
use fumi_base::encoding::EncodingChoice;
use proptest::{collection::vec, prelude::*, sample::select};

/// Pieces that every Japanese encoding can represent.
const COMMON: [&str; 14] = ["a", "Z", "0", " ", "\t", "_", ".", "(", "名", "前", "を", "カ", "、", "表"];

/// Pieces that only Unicode can represent: beyond the basic plane, combining, zero-width joined, other line separators.
const UNICODE: [&str; 6] = ["😀", "é", "e\u{301}", "👩\u{200d}💻", "\u{2028}", "ß"];

/// The encoding of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    Utf8,
    Utf8Marked,
    ShiftJis,
    EucJp,
    Iso2022Jp,
    Utf16Little,
    Utf16Big,
}

impl Written {
    const ALL: [Self; 7] =
        [Self::Utf8, Self::Utf8Marked, Self::ShiftJis, Self::EucJp, Self::Iso2022Jp, Self::Utf16Little, Self::Utf16Big];

    fn is_unicode(self) -> bool {
        !matches!(self, Self::ShiftJis | Self::EucJp | Self::Iso2022Jp)
    }

    const fn encoding(self) -> &'static Encoding {
        match self {
            Self::ShiftJis => SHIFT_JIS,
            Self::EucJp => EUC_JP,
            Self::Iso2022Jp => ISO_2022_JP,
            _ => UTF_8,
        }
    }

    /// Returns the encoding's label for a caller; files with a byte order mark need none.
    pub(crate) fn choice(self) -> EncodingChoice {
        if self.is_unicode() { EncodingChoice::Auto } else { EncodingChoice::Fixed(self.encoding()) }
    }

    pub(crate) fn bytes(self, text: &str) -> Vec<u8> {
        match self {
            Self::Utf8 => text.as_bytes().to_vec(),
            Self::Utf8Marked => format!("\u{feff}{text}").into_bytes(),
            Self::Utf16Little => format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Self::Utf16Big => format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect(),
            Self::ShiftJis | Self::EucJp | Self::Iso2022Jp => {
                let (bytes, _, failed) = self.encoding().encode(text);
                assert!(!failed, "{text:?} cannot be written so");
                bytes.into_owned()
            }
        }
    }
}

/// Generates a text and its encoding. Short lines and long ones, empty texts, with or without a last line end.
pub(crate) fn texts() -> impl Strategy<Value = (String, Written)> {
    (select(Written::ALL.to_vec()), select(vec!["\n", "\r\n", "mixed"])).prop_flat_map(|(written, end)| {
        let mut pieces: Vec<&str> = COMMON.to_vec();
        if written.is_unicode() {
            pieces.extend(UNICODE);
        }
        let ends = if end == "mixed" { vec!["\n", "\r\n"] } else { vec![end] };
        let piece = select(pieces);
        let line = prop_oneof![8 => vec(piece.clone(), 0..12), 1 => vec(piece, 300..700)].prop_map(|all| all.concat());
        (vec((line, select(ends)), 0..12), any::<bool>()).prop_map(move |(lines, is_ended)| {
            let mut text: String = lines.iter().flat_map(|(line, end)| [line.as_str(), end]).collect();
            if !is_ended {
                text.truncate(text.trim_end_matches(['\r', '\n']).len());
            }
            (text, written)
        })
    })
}
