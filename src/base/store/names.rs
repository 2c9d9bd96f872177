//! From a key to the name of its file.
//!
//! Invariant: two keys never share a name, also on file systems that ignore case; a name is readable as far as it can be, at
//! most 200 bytes long and never hidden. The way back is not here: a file says itself whose it is.

use crate::files::sha256;

/// Names up to this many bytes spell their key out. File systems allow 255.
const LONGEST: usize = 200;
/// How much of a longer key is spelt out, before its hash.
const HEAD: usize = 120;

/// The name of a key's file.
pub(super) fn name_of(key: &str) -> String {
    let name = spell(key);
    if name.len() <= LONGEST {
        return name;
    }
    // `~` is never spelt, so no short name looks like this.
    format!("{}~{}", head(&name), sha256(key.as_bytes()))
}

/// How the names of all keys with this prefix begin. Names of others may, too.
pub(super) fn beginning_of(prefix: &str) -> String {
    head(&spell(prefix)).to_owned()
}

/// Small letters, digits and `-_.` as they are, all else in hexadecimal: what a path, a shell or a file system without
/// case could take for something else.
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

    use super::{beginning_of, name_of};

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
            prop_assert!(name.starts_with(&beginning_of(&prefix)));
        }
    }
}
