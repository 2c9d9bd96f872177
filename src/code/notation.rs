//! The notation of lines and encodings that all texts of replies share.

/// Returns a range of lines as `12` or `12-40`.
pub fn line_range(start: usize, end: usize) -> String {
    if start == end { start.to_string() } else { format!("{start}-{end}") }
}

/// Returns ` [shift_jis]` for an encoding other than UTF-8, for the heading of a file: an edit must keep the
/// encoding.
pub fn encoding_mark(encoding: &str) -> String {
    match encoding {
        "utf-8" => String::new(),
        other => format!(" [{other}]"),
    }
}
