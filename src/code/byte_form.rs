//! The form in which a file's bytes are searched: as they are, or decoded from an encoding that its first bytes tell.
//!
//! Invariant: [`searched_text`] is the text that a search without a forced encoding passes to its matcher, up to the
//! first NUL. The index is made of it, so a difference would hide matches; a test compares the two. No file is opened
//! here.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use fumi_base::encoding;

/// The number of bytes read before the search method is decided. Most files are smaller, and then searched in place.
pub(crate) const HEAD_BYTES: usize = 256 << 10;

/// The number of bytes by which the encoding of a file that is not UTF-8 is detected, beginning with the line of its first
/// non-ASCII byte (detection is slow; more bytes do not change the result).
const DETECTED_BYTES: usize = 64 << 10;

/// The length of the beginning in which a file may declare its encoding.
const DECLARATION_BYTES: usize = 1 << 10;

/// The text that a search passes to its matcher.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SearchedText<'b> {
    /// The decoded text up to its first NUL, without a byte order mark. Not always UTF-8: a few broken bytes stay.
    pub(crate) text: Cow<'b, [u8]>,
    /// True if there is a NUL. A search line by line ends there, a search across lines does not.
    pub(crate) has_nul: bool,
}

/// Returns the text of a whole file as a search without a forced encoding sees it.
pub(crate) fn searched_text(bytes: &[u8]) -> SearchedText<'_> {
    let form = ByteForm::detect(&bytes[..bytes.len().min(HEAD_BYTES)], bytes.len() < HEAD_BYTES);
    let text = match Encoding::for_bom(bytes) {
        // The searcher strips a mark of UTF-8, and replaces nothing in what follows.
        Some((encoding, mark)) if encoding == UTF_8 => Cow::Borrowed(&bytes[mark..]),
        Some((encoding, _)) => decoded(encoding, bytes),
        None => match form.decoded_from.and_then(|name| Encoding::for_label(name.as_bytes())) {
            Some(encoding) => decoded(encoding, bytes),
            None => Cow::Borrowed(bytes),
        },
    };
    match memchr::memchr(0, &text) {
        None => SearchedText { text, has_nul: false },
        Some(end) => {
            let text = match text {
                Cow::Borrowed(text) => Cow::Borrowed(&text[..end]),
                Cow::Owned(mut text) => {
                    text.truncate(end);
                    Cow::Owned(text)
                }
            };
            SearchedText { text, has_nul: true }
        }
    }
}

fn decoded<'b>(encoding: &'static Encoding, bytes: &'b [u8]) -> Cow<'b, [u8]> {
    match encoding.decode(bytes).0 {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// The way in which a file's bytes are searched.
pub(crate) struct ByteForm {
    /// The encoding to decode from; `None` for UTF-8 and for files with a byte order mark (which the searcher decodes).
    pub(crate) decoded_from: Option<&'static str>,
    /// The encoding's name for the reader.
    pub(crate) named: Option<String>,
    /// True if a whole file may be searched in its buffer. A file with NUL bytes must be searched as a stream: only
    /// then does ripgrep's binary detection see all of it.
    pub(crate) in_place: bool,
}

impl ByteForm {
    pub(crate) fn detect(head: &[u8], whole: bool) -> Self {
        let raw = |in_place| Self { decoded_from: None, named: None, in_place };
        if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
            return Self {
                decoded_from: None,
                named: Some(encoding::name_of(encoding::detect(&head[..2]))),
                in_place: true,
            };
        }
        // Two checks decide nearly every file, each at the speed of memory. Escape sequences of ISO-2022-JP are ASCII,
        // and NULs mean binary or UTF-16.
        let odd = memchr::memchr2(0, 0x1b, head);
        if odd.is_none() && head.is_ascii() {
            return raw(true);
        }
        if odd.is_some_and(|at| memchr::memchr(0, &head[at..]).is_some()) {
            return Self::utf_16(head).unwrap_or_else(|| raw(false));
        }
        match std::str::from_utf8(head) {
            Ok(_) if odd.is_none() => raw(true),
            Err(error) if !whole && error.error_len().is_none() => raw(true),
            Err(_) if mostly_utf_8(head) => raw(true),
            _ => Self::detect_encoding(head).unwrap_or_else(|| raw(true)),
        }
    }

    /// Detects UTF-16 without a byte order mark, which otherwise looks binary.
    fn utf_16(head: &[u8]) -> Option<Self> {
        let sample = &head[..head.len().min(128) & !1];
        let nul = |parity: usize| sample.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
        let (even, odd) = (nul(0), nul(1));
        // A cheap check before detection: nearly all NULs are on the same side of their pairs.
        if even.max(odd) * 4 < sample.len() / 2 || even.min(odd) * 8 > even.max(odd) {
            return None;
        }
        Self::detect_encoding(&head[..head.len().min(4_096) & !1])
            .filter(|form| form.decoded_from.is_some_and(|name| name.starts_with("UTF-16")))
    }

    fn detect_encoding(head: &[u8]) -> Option<Self> {
        let mut sample = Cow::Borrowed(&head[..head.len().min(DETECTED_BYTES)]);
        let first = head.iter().position(|byte| !byte.is_ascii() || *byte == 0x1b).unwrap_or(0);
        if first > DETECTED_BYTES / 2 {
            // The beginning may declare an encoding.
            let line = memchr::memrchr(b'\n', &head[..first]).map_or(0, |end| end + 1);
            let declared = &head[..DECLARATION_BYTES];
            sample = Cow::Owned([declared, b"\n", &head[line..head.len().min(first + DETECTED_BYTES)]].concat());
        }
        if sample.len() < head.len()
            && let Some(end) = memchr::memrchr(b'\n', &sample)
            && end > DECLARATION_BYTES
        {
            // Half a character at the end would count against the right encoding.
            sample = Cow::Owned(sample[..=end].to_vec());
        }
        let encoding = encoding::detect(&sample);
        (encoding.name() != "UTF-8").then(|| Self {
            decoded_from: Some(encoding.name()),
            named: Some(encoding::name_of(encoding)),
            in_place: false,
        })
    }
}

/// True if bytes are UTF-8 but for a few: one broken character must not turn all others into Latin-1.
fn mostly_utf_8(head: &[u8]) -> bool {
    let (mut whole, mut broken) = (0_usize, 0_usize);
    for chunk in head.utf8_chunks() {
        whole += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
        if broken > 1_000 {
            break;
        }
    }
    whole > broken * 4
}
