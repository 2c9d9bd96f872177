//! Replaces lone surrogates in JSON. JavaScript can cut a text between the two surrogates of an emoji; JSON can express
//! the half (`\ud83d`), a Rust string cannot. A single half anywhere in a page would make the whole reply unreadable.

use memchr::{memchr, memmem};

/// Bytes of an escape such as `\ufffd`.
const ESCAPE: usize = 6;

/// Overwrites, in place, every escape of a surrogate without its partner with `\ufffd`, which has the same length. All
/// other JSON is left unchanged.
pub fn replace_lone_surrogates(json: &mut [u8]) {
    let is_surrogate = |at: usize| matches!(json.get(at + 2), Some(b'd' | b'D'));
    if !memmem::find_iter(json, b"\\u").any(is_surrogate) {
        return;
    }
    let mut at = 0;
    while let Some(found) = json.get(at..).and_then(|rest| memchr(b'\\', rest)) {
        let here = at + found;
        at = match unit(json, here) {
            Some(0xd800..=0xdbff) if matches!(unit(json, here + ESCAPE), Some(0xdc00..=0xdfff)) => here + 2 * ESCAPE,
            Some(0xd800..=0xdfff) => {
                json[here..here + ESCAPE].copy_from_slice(b"\\ufffd");
                here + ESCAPE
            }
            Some(_) => here + ESCAPE,
            // A backslash and the character that it escapes, which may be another backslash.
            None => here + 2,
        };
    }
}

/// Replaces lone surrogates in a `String`, for JSON that was written inside a page and arrives as a string within JSON.
pub fn without_lone_surrogates(json: String) -> String {
    let mut bytes = json.into_bytes();
    replace_lone_surrogates(&mut bytes);
    String::from_utf8(bytes).unwrap_or_default()
}

/// Returns the UTF-16 code unit whose escape begins at byte `at`.
fn unit(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at + ESCAPE)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Writes UTF-16 as a JSON string, with every code unit escaped except ASCII letters and digits.
    fn escaped(units: &[u16]) -> String {
        let written = units.iter().map(|unit| match u8::try_from(*unit) {
            Ok(letter) if letter.is_ascii_alphanumeric() => char::from(letter).to_string(),
            Ok(b'\\') => "\\\\".to_owned(),
            Ok(b'"') => "\\\"".to_owned(),
            _ => format!("\\u{unit:04x}"),
        });
        format!("\"{}\"", written.collect::<String>())
    }

    fn unit() -> impl Strategy<Value = u16> {
        prop_oneof![
            any::<u16>(),
            0xd7f0..0xe010_u16,
            0xd83c..0xd840_u16,
            0xdc00..0xdc08_u16,
            Just(u16::from(b'\\')),
            Just(u16::from(b'u')),
            Just(u16::from(b'd')),
            Just(u16::from(b'"')),
        ]
    }

    proptest! {
        #[test]
        fn whatever_a_page_cuts_can_be_read(units in prop::collection::vec(unit(), 0..40)) {
            let read: String = serde_json::from_str(&without_lone_surrogates(escaped(&units))).expect("JSON");
            prop_assert_eq!(read, String::from_utf16_lossy(&units));
        }

        #[test]
        fn what_is_whole_stays(text in "(\\PC|[\\\\ud😀\u{1}\"]){0,40}") {
            let plain = serde_json::to_string(&text).expect("JSON");
            prop_assert_eq!(&without_lone_surrogates(plain.clone()), &plain);
            let all = escaped(&text.encode_utf16().collect::<Vec<_>>());
            prop_assert_eq!(&without_lone_surrogates(all.clone()), &all);
        }

        #[test]
        fn whatever_the_bytes_it_ends(mut bytes in prop::collection::vec(prop_oneof![Just(b'\\'), Just(b'u'), Just(b'd'), any::<u8>()], 0..60)) {
            let length = bytes.len();
            replace_lone_surrogates(&mut bytes);
            prop_assert_eq!(bytes.len(), length);
        }
    }
}
