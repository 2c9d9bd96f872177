//! The displayed excerpt of a line: decoded, cut around its first match if it is long, with the positions of its
//! matches.
//!
//! Invariant: positions count characters of the returned text, and lie inside it. Only the displayed part of a line is
//! decoded (the part before it is only counted), so a minified file costs no more than another.

use std::ops::Range;

/// The maximum length of a displayed line, in characters (several screen widths; a model needs no more to judge a
/// match).
pub(crate) const LINE_CHARS: usize = 400;

/// The maximum length of a displayed match that spans lines, in characters.
pub(crate) const BLOCK_CHARS: usize = 4_000;

/// The number of characters shown before the first match of a cut line.
const LEAD_CHARS: usize = 100;

/// A line or block of lines, ready for display.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Excerpt {
    pub(crate) text: String,
    /// Start and end of each match, in characters of `text`, end exclusive.
    pub(crate) spans: Vec<[usize; 2]>,
    /// The number of characters of the line before the text.
    pub(crate) start_column: usize,
    /// True if characters after the text are missing.
    pub(crate) is_cut_after: bool,
}

impl Excerpt {
    /// True if characters before or after the text are missing.
    pub(crate) const fn is_cut(&self) -> bool {
        self.start_column > 0 || self.is_cut_after
    }
}

/// Returns the excerpt of `line` (without its terminator) around matches at these byte ranges, which are in order.
pub(crate) fn excerpt_around(line: &[u8], matches: &[Range<usize>], limit: usize) -> Excerpt {
    let first = matches.first().map_or(0, |found| found.start.min(line.len()));
    let start = if longer_than(line, limit) { offset_before(line, first, LEAD_CHARS.min(limit / 2)) } else { 0 };
    let mut text = String::new();
    // The start of each match in characters, and its end in bytes.
    let mut begun: Vec<(usize, usize)> = Vec::new();
    let mut chars = 0;
    let mut at = start;
    let mut open = matches.iter().peekable();
    for (character, len) in decode(&line[start..]) {
        if chars == limit {
            break;
        }
        let next = at + len;
        while let Some(found) = open.next_if(|found| found.start < next) {
            // An empty match inside a character has no position in text.
            if found.start == at || !found.is_empty() {
                begun.push((chars, found.end));
            }
        }
        text.push(character);
        chars += 1;
        at = next;
    }
    // Matches at the very end of the line (empty ones) begin after its last character.
    if at == line.len() {
        begun.extend(open.map(|found| (chars, found.end)));
    }
    Excerpt {
        start_column: count_chars(&line[..start]),
        is_cut_after: at < line.len(),
        spans: find_ends(&begun, &line[start..at], start, chars),
        text,
    }
}

/// Returns the start of a context line, with an ellipsis if it is cut.
pub(crate) fn context_line(line: &[u8]) -> String {
    let excerpt = excerpt_around(line, &[], LINE_CHARS);
    excerpt.text + if excerpt.is_cut_after { "…" } else { "" }
}

/// Returns a line without its `\n` or `\r\n`.
pub(crate) fn without_terminator(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Finds the end of each match: the first character at or after its last byte.
fn find_ends(begun: &[(usize, usize)], shown: &[u8], start: usize, chars: usize) -> Vec<[usize; 2]> {
    let mut ends = decode(shown)
        .scan(start, |at, (_, len)| {
            let here = *at;
            *at += len;
            Some(here)
        })
        .enumerate()
        .peekable();
    let end_of = |&(first, end): &(usize, usize)| {
        while ends.next_if(|(_, at)| *at < end).is_some() {}
        [first, ends.peek().map_or(chars, |(index, _)| *index).max(first)]
    };
    begun.iter().map(end_of).collect()
}

/// Decodes bytes to characters with their lengths; an invalid sequence is one U+FFFD.
fn decode(bytes: &[u8]) -> impl Iterator<Item = (char, usize)> {
    bytes.utf8_chunks().flat_map(|chunk| {
        let broken = (!chunk.invalid().is_empty()).then_some((char::REPLACEMENT_CHARACTER, chunk.invalid().len()));
        chunk.valid().chars().map(|c| (c, c.len_utf8())).chain(broken)
    })
}

/// Counts the characters to which bytes decode, without building them.
fn count_chars(bytes: &[u8]) -> usize {
    let chunks = bytes.utf8_chunks();
    let count =
        |chunk: std::str::Utf8Chunk<'_>| chunk.valid().chars().count() + usize::from(!chunk.invalid().is_empty());
    chunks.map(count).sum()
}

/// True if bytes decode to more than `limit` characters.
fn longer_than(bytes: &[u8], limit: usize) -> bool {
    bytes.len() > limit && decode(bytes).nth(limit).is_some()
}

/// Returns the byte offset that is this number of characters before `from`.
fn offset_before(line: &[u8], from: usize, chars: usize) -> usize {
    let mut at = from;
    for _ in 0..chars {
        let Some(before) = at.checked_sub(1) else { break };
        at = before;
        // At most three bytes continue a character; more are not UTF-8.
        for _ in 0..3 {
            if at > 0 && line[at] & 0xc0 == 0x80 {
                at -= 1;
            }
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::{LINE_CHARS, context_line, excerpt_around, without_terminator};

    fn shown(line: &str, needle: &str) -> (String, Vec<String>, bool) {
        let matches: Vec<_> = line.match_indices(needle).map(|(at, m)| at..at + m.len()).collect();
        let excerpt = excerpt_around(line.as_bytes(), &matches, LINE_CHARS);
        let chars: Vec<char> = excerpt.text.chars().collect();
        let marked = excerpt.spans.iter().map(|[start, end]| chars[*start..*end].iter().collect()).collect();
        let cut = excerpt.is_cut();
        (excerpt.text, marked, cut)
    }

    #[test]
    fn spans_count_characters() {
        let (text, marked, cut) = shown("猫と犬と猫", "猫");
        assert_eq!((text.as_str(), cut), ("猫と犬と猫", false));
        assert_eq!(marked, ["猫", "猫"]);
        let excerpt = excerpt_around("é文x".as_bytes(), &[0..2, 1..1, 2..5, 6..6], LINE_CHARS);
        assert_eq!(excerpt.spans, [[0, 1], [1, 2], [3, 3]]);
    }

    #[test]
    fn a_minified_line_is_cut_around_its_first_match() {
        let line = format!("{}needle{}needle", "あ".repeat(100_000), "い".repeat(100_000));
        let (text, marked, cut) = shown(&line, "needle");
        assert_eq!(text.chars().count(), LINE_CHARS);
        assert!(cut && text.starts_with('あ') && text.ends_with('い'));
        assert_eq!(marked, ["needle"]);
        let at = line.find("needle").expect("the first needle");
        let excerpt = excerpt_around(line.as_bytes(), std::slice::from_ref(&(at..at + 6)), LINE_CHARS);
        // The first match follows the characters before the text and those of the text before it.
        assert_eq!((excerpt.start_column + excerpt.spans[0][0], excerpt.is_cut_after), (100_000, true));
    }

    #[test]
    fn long_match_is_clamped_to_the_excerpt() {
        let line = "x".repeat(1_000);
        let excerpt = excerpt_around(line.as_bytes(), std::slice::from_ref(&(0..1_000)), LINE_CHARS);
        assert_eq!((excerpt.is_cut(), excerpt.spans), (true, vec![[0, LINE_CHARS]]));
    }

    #[test]
    fn invalid_bytes_become_replacement_characters() {
        let excerpt = excerpt_around(b"a\xff\xfeb", std::slice::from_ref(&(3..4)), LINE_CHARS);
        assert_eq!((excerpt.text.as_str(), excerpt.spans), ("a\u{fffd}\u{fffd}b", vec![[3, 4]]));
        assert_eq!(without_terminator(b"a\r\n"), b"a");
        assert_eq!(context_line(b"abc"), "abc");
    }
}
