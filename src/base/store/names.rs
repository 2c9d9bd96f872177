//! The file names of keys.
//!
//! Invariant: two keys never share a name, not even on file systems that ignore case; a name is readable as far as
//! possible, at most 200 bytes long and never hidden. Names are not decoded here: each file contains its own key.

use crate::files::sha256;

/// The maximum length of a name that spells its key out, in bytes. File systems allow 255.
const LONGEST: usize = 200;
/// The number of bytes of a longer name that are kept, before the hash of the key.
const HEAD: usize = 120;

/// Returns the name of a key's file.
pub(super) fn name_of(key: &str) -> String {
    let name = spell(key);
    if name.len() <= LONGEST {
        return name;
    }
    // `~` is never spelt, so no short name has this form.
    format!("{}~{}", head(&name), sha256(key.as_bytes()))
}

/// Returns a common prefix of the names of all keys with this prefix. Names of other keys may have it too.
pub(super) fn common_prefix(prefix: &str) -> String {
    head(&spell(prefix)).to_owned()
}

/// Spells a key: small letters, digits and `-_.` as they are, all else in hexadecimal, since a path, a shell or a file
/// system without case could misread it.
fn spell(key: &str) -> String {
    let mut name = String::with_capacity(key.len() + 8);
    for (at, byte) in key.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => name.push(char::from(byte)),
            b'.' if at > 0 => name.push('.'),
            _ => name.push_str(&format!("%{byte:02x}")),
        }
    }
    name
}

fn head(name: &str) -> &str {
    &name[..name.len().min(HEAD)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{common_prefix, name_of};

    #[test]
    fn names_are_plain() {
        for (key, name) in [
            ("session/0b7e", "session%2f0b7e"),
            ("..", "%2e."),
            (".git", "%2egit"),
            ("A b", "%41%20b"),
            ("a%2fb", "a%252fb"),
            ("文", "%e6%96%87"),
        ] {
            assert_eq!(name_of(key), name);
        }
        let long = name_of(&"長い名前".repeat(250));
        assert!(long.len() < 200 && long.starts_with("%e9%95%b7"), "{long}");
    }

    proptest! {
        #[test]
        fn no_two_keys_share_a_name(a in ".{1,300}", b in ".{1,300}") {
            prop_assert_eq!(a == b, name_of(&a).to_lowercase() == name_of(&b).to_lowercase());
            for name in [name_of(&a), name_of(&b)] {
                prop_assert!(name.len() <= 200 && !name.starts_with('.') && !name.contains('/'));
            }
        }

        #[test]
        fn names_begin_as_their_prefix_does(prefix in ".{0,200}", rest in ".{1,200}") {
            let name = name_of(&format!("{prefix}{rest}"));
            prop_assert!(name.starts_with(&common_prefix(&prefix)));
        }
    }
}
