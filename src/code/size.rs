//! Sizes in the notations of fd and ripgrep: `+10M` and `-1ki` for files to find, `10M` for files to search.
//!
//! The two dialects differ on purpose, as the originals do: fd's `k` is 1,000 and `ki` 1,024, ripgrep's `K` is 1,024.
//! This module does not read files.

use crate::errors::search::SearchError;

/// One `size` condition of a file filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeFilter {
    /// Sign `+`: this number of bytes or more.
    AtLeast(u64),
    /// Sign `-`: this number of bytes or fewer.
    AtMost(u64),
    /// No sign: exactly this number of bytes.
    Exactly(u64),
}

impl SizeFilter {
    /// Parses a size of fd: sign, digits, unit. The unit is required, in upper or lower case.
    pub fn parse(value: &str) -> Result<Self, SearchError> {
        let refused = || SearchError::InvalidSize { argument: "size", value: value.to_owned() };
        let (make, rest): (fn(u64) -> Self, &str) = match value.as_bytes().first() {
            Some(b'+') => (Self::AtLeast, &value[1..]),
            Some(b'-') => (Self::AtMost, &value[1..]),
            _ => (Self::Exactly, value),
        };
        let (number, unit) = digits(rest).ok_or_else(refused)?;
        let factor: u64 = match unit.to_ascii_lowercase().as_str() {
            "b" => 1,
            "k" | "kb" => 1_000,
            "ki" | "kib" => 1 << 10,
            "m" | "mb" => 1_000_000,
            "mi" | "mib" => 1 << 20,
            "g" | "gb" => 1_000_000_000,
            "gi" | "gib" => 1 << 30,
            "t" | "tb" => 1_000_000_000_000,
            "ti" | "tib" => 1 << 40,
            _ => return Err(refused()),
        };
        number.checked_mul(factor).map(make).ok_or_else(refused)
    }

    /// True if a file of this size passes.
    pub const fn admits(self, bytes: u64) -> bool {
        match self {
            Self::AtLeast(limit) => bytes >= limit,
            Self::AtMost(limit) => bytes <= limit,
            Self::Exactly(limit) => bytes == limit,
        }
    }
}

/// Parses a `max_filesize` of ripgrep: digits, then nothing, `K`, `M` or `G` in either case. Returns bytes.
pub fn max_filesize(value: &str) -> Result<u64, SearchError> {
    let refused = || SearchError::InvalidMaxFilesize { argument: "max_filesize", value: value.to_owned() };
    let (number, unit) = digits(value).ok_or_else(refused)?;
    let factor: u64 = match unit {
        "" => 1,
        "k" | "K" => 1 << 10,
        "m" | "M" => 1 << 20,
        "g" | "G" => 1 << 30,
        _ => return Err(refused()),
    };
    number.checked_mul(factor).ok_or_else(refused)
}

/// Returns the leading decimal number and the rest of the text.
fn digits(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::{SizeFilter, max_filesize};

    #[test]
    fn sizes_are_those_of_fd() {
        for (value, expected) in [
            ("+10M", SizeFilter::AtLeast(10_000_000)),
            ("-1K", SizeFilter::AtMost(1_000)),
            ("-1kB", SizeFilter::AtMost(1_000)),
            ("5b", SizeFilter::Exactly(5)),
            ("+1Ki", SizeFilter::AtLeast(1_024)),
            ("2MiB", SizeFilter::Exactly(2 << 20)),
        ] {
            assert_eq!(SizeFilter::parse(value), Ok(expected), "{value}");
        }
        for value in ["", "+", "10", "+18", "M", "+1bib", "+50a", "$10M", "99999999999999999999b", "99999999ti", "１k"]
        {
            assert!(SizeFilter::parse(value).is_err(), "{value}");
        }
        assert!(SizeFilter::AtMost(3).admits(3) && !SizeFilter::AtMost(3).admits(4));
    }

    #[test]
    fn max_filesize_uses_ripgrep_units() {
        assert_eq!(max_filesize("10M"), Ok(10 << 20));
        assert_eq!(max_filesize("7"), Ok(7));
        assert_eq!(max_filesize("1g"), Ok(1 << 30));
        for value in ["", "M", "10MB", "-1", "10 M"] {
            assert!(max_filesize(value).is_err(), "{value}");
        }
    }
}
