//! The format of one file: a line of fixed length, the key, the value.
//!
//! Invariant: content that [`StoreRecord::parse`] accepts was written completely by [`StoreRecord::bytes`]; the hash
//! covers all but the expiry, which alone is changed in place. The line is text, so that `head -2` shows an operator
//! the key of the file.

use super::{Expiry, MAX_KEY_BYTES, MAX_VALUE_BYTES, Version};
use crate::files::sha256;

/// The first bytes of every file; another format gets another number.
const MAGIC: &str = "fumi-store 1 ";
/// The offset of the expiry, in bytes from the beginning.
pub(super) const EXPIRY_AT: u64 = MAGIC.len() as u64;
/// The length of the first line with its end: the magic, then expiry, version, the two lengths and the hash, each
/// followed by one byte.
const LINE: usize = MAGIC.len() + 17 + 17 + 9 + 9 + 65;
/// The maximum size of a file, in bytes.
pub(super) const LARGEST: u64 = (LINE + MAX_KEY_BYTES + 1 + MAX_VALUE_BYTES) as u64;

/// An entry with its key.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StoreRecord {
    pub(super) key: String,
    pub(super) value: Vec<u8>,
    pub(super) version: Version,
    pub(super) expires: Expiry,
}

impl StoreRecord {
    /// Returns the content of the file.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = format!(
            "{MAGIC}{} {:016x} {:08x} {:08x} {}\n{}\n",
            expiry(self.expires),
            self.version.0,
            self.key.len(),
            self.value.len(),
            hash(self.version, &self.key, &self.value),
            self.key,
        )
        .into_bytes();
        bytes.extend_from_slice(&self.value);
        bytes
    }

    /// Parses the content of a file; the error is the reason why it is invalid.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, &'static str> {
        let rest = bytes.strip_prefix(MAGIC.as_bytes()).ok_or("not a file of a store")?;
        let torn = "it is torn";
        let line = rest.get(..LINE - MAGIC.len()).ok_or(torn)?;
        let line = std::str::from_utf8(line).map_err(|_| torn)?.strip_suffix('\n').ok_or(torn)?;
        let mut fields = line.split(' ');
        let mut number = || u64::from_str_radix(fields.next().unwrap_or_default(), 16).map_err(|_| torn);
        let (expires, version, key_bytes, value_bytes) = (number()?, number()?, number()?, number()?);
        let written = fields.next().ok_or(torn)?;
        let body = &bytes[LINE..];
        let key_bytes = usize::try_from(key_bytes).map_err(|_| torn)?;
        let (key, value) = body.split_at_checked(key_bytes).ok_or(torn)?;
        let value = value.strip_prefix(b"\n").ok_or(torn)?;
        if value.len() as u64 != value_bytes {
            return Err(torn);
        }
        let key = std::str::from_utf8(key).map_err(|_| torn)?;
        let version = Version(version);
        if hash(version, key, value) != written {
            return Err("it was changed or is damaged");
        }
        Ok(Self {
            key: key.to_owned(),
            value: value.to_vec(),
            version,
            expires: Expiry((expires != u64::MAX).then_some(expires)),
        })
    }
}

/// Formats an expiry as written at [`EXPIRY_AT`].
pub(super) fn expiry(expires: Expiry) -> String {
    format!("{:016x}", expires.0.unwrap_or(u64::MAX))
}

fn hash(version: Version, key: &str, value: &[u8]) -> String {
    // Each is hashed separately first, so that a key cannot pass for the beginning of a value.
    let parts = format!("{:016x} {} {}", version.0, sha256(key.as_bytes()), sha256(value));
    sha256(parts.as_bytes())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Expiry, StoreRecord, Version};

    fn record(key: String, value: Vec<u8>, expires: Option<u64>) -> StoreRecord {
        StoreRecord { key, value, version: Version(7), expires: Expiry(expires) }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(key in ".{1,40}", value: Vec<u8>, expires in proptest::option::of(0..u64::MAX)) {
            let record = record(key, value, expires);
            prop_assert_eq!(StoreRecord::parse(&record.bytes()), Ok(record));
        }

        #[test]
        fn what_is_cut_or_changed_is_refused(key in ".{1,40}", value: Vec<u8>, at: prop::sample::Index, bit in 0..8u8) {
            let whole = record(key, value, None).bytes();
            let cut = at.index(whole.len());
            prop_assert!(StoreRecord::parse(&whole[..cut]).is_err());
            let mut changed = whole.clone();
            changed[cut] ^= 1 << bit;
            // The expiry is not covered, and letters of a hexadecimal number have two forms.
            if let Ok(read) = StoreRecord::parse(&changed) {
                prop_assert_eq!(read.bytes().split_off(30), whole[30..].to_vec());
            }
        }

        #[test]
        fn nothing_makes_it_panic(bytes: Vec<u8>) {
            let _ = StoreRecord::parse(&bytes);
            let _ = StoreRecord::parse(&[b"fumi-store 1 ".as_slice(), &bytes].concat());
        }
    }
}
