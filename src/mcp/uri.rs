//! The URIs of resources: `code://file/{+path}` and `code://stats/{type}`, both with `?project_root=`; files also with
//! `?lines=10-50` or `?bytes=0-1048575`.
//!
//! A URI is percent-decoded once. Its path is not checked here: it is resolved like every other path of a client.

use super::protocol_error::McpError;
use fumi_base::text::BilingualText;
use fumi_kernel::resources::STATISTICS;

/// The prefix of the URIs of files.
pub const FILE_PREFIX: &str = "code://file/";
/// The prefix of the URIs of statistics.
pub const STATS_PREFIX: &str = "code://stats/";

/// The longest URI, in bytes: subscriptions keep it, and errors quote it. The longest path, percent-encoded, is
/// shorter.
const LONGEST: usize = 16 * 1024;

/// A parsed resource URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceUri {
    pub what: ResourceKind,
    /// The root of another project than that of the call.
    pub project_root: Option<String>,
    /// The first and last line; without a last line to the end.
    pub lines: Option<(usize, Option<usize>)>,
    /// The first and last byte; without a last byte to the end.
    pub bytes: Option<(u64, Option<u64>)>,
}

/// The kind of resource that a URI names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourceKind {
    /// The file at a path of the project.
    File(String),
    /// The statistics of a name, one of [`STATISTICS`].
    Stats(&'static str),
}

impl ResourceUri {
    /// Parses a URI and its parameters.
    pub fn parse(uri: &str) -> Result<Self, McpError> {
        if uri.len() > LONGEST {
            return Err(McpError::UriTooLong { limit: LONGEST });
        }
        let decode = |text: &str| {
            percent_encoding::percent_decode_str(text)
                .decode_utf8()
                .map(std::borrow::Cow::into_owned)
                .map_err(|_| McpError::UriNotUtf8 { uri: uri.to_owned() })
        };
        let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
        let mut asked = Self {
            what: if let Some(path) = path.strip_prefix(FILE_PREFIX) {
                ResourceKind::File(decode(path)?)
            } else if let Some(name) = path.strip_prefix(STATS_PREFIX) {
                let known = STATISTICS.iter().find(|known| **known == name);
                ResourceKind::Stats(known.ok_or_else(|| McpError::UnknownStatistics {
                    name: name.to_owned(),
                    known: STATISTICS.join(", "),
                })?)
            } else {
                return Err(McpError::UnknownResource { uri: uri.to_owned() });
            },
            project_root: None,
            lines: None,
            bytes: None,
        };
        let known = match asked.what {
            ResourceKind::File(_) => "project_root, lines, bytes",
            ResourceKind::Stats(_) => "project_root",
        };
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let refuse = |en: &'static str, ja: &'static str| McpError::UnknownUriParameter {
                uri: uri.to_owned(),
                name: name.to_owned(),
                reason: BilingualText::new(en, ja),
                known,
            };
            let twice = || refuse("it is given twice", "2 回指定されています");
            match (name, &asked.what) {
                ("project_root", _) if asked.project_root.is_some() => return Err(twice()),
                ("project_root", _) => asked.project_root = Some(decode(value)?),
                ("lines", ResourceKind::File(_)) if asked.lines.is_some() => return Err(twice()),
                ("bytes", ResourceKind::File(_)) if asked.bytes.is_some() => return Err(twice()),
                ("lines" | "bytes", ResourceKind::File(_)) if asked.lines.is_some() || asked.bytes.is_some() => {
                    return Err(refuse("lines and bytes cannot be combined", "lines と bytes は同時に指定できません"));
                }
                ("lines", ResourceKind::File(_)) => asked.lines = Some(lines(value)?),
                ("bytes", ResourceKind::File(_)) => asked.bytes = Some(bytes(value)?),
                ("lines", ResourceKind::Stats(_)) => {
                    return Err(refuse("statistics have no lines", "統計に行はありません"));
                }
                _ => return Err(refuse("it does not exist", "そのようなパラメーターはありません")),
            }
        }
        Ok(asked)
    }
}

/// Parses a range of lines: `10-50`, `10-` or `10`.
fn lines(value: &str) -> Result<(usize, Option<usize>), McpError> {
    let refuse = |en: &'static str, ja: &'static str| McpError::InvalidLines {
        value: value.to_owned(),
        reason: BilingualText::new(en, ja),
    };
    let number = |text: &str| {
        text.parse::<usize>().map_err(|_| refuse("it is not written as START-END", "「開始-終了」の形ではありません"))
    };
    let (start, end) = value.split_once('-').unwrap_or((value, value));
    let start = number(start)?;
    let end = if end.is_empty() { None } else { Some(number(end)?) };
    if start == 0 {
        return Err(refuse("lines begin at 1", "0 行目はありません"));
    }
    if end.is_some_and(|end| end < start) {
        return Err(refuse("the end is before the start", "終了行が開始行より前になっています"));
    }
    Ok((start, end))
}

/// Parses a range of bytes: `0-1023`, `1024-` or `7`.
fn bytes(value: &str) -> Result<(u64, Option<u64>), McpError> {
    let refuse = |en: &'static str, ja: &'static str| McpError::InvalidBytes {
        value: value.to_owned(),
        reason: BilingualText::new(en, ja),
    };
    let number = |text: &str| {
        text.parse::<u64>().map_err(|_| refuse("it is not written as START-END", "「開始-終了」の形ではありません"))
    };
    let (start, end) = value.split_once('-').unwrap_or((value, value));
    let start = number(start)?;
    let end = if end.is_empty() { None } else { Some(number(end)?) };
    if end.is_some_and(|end| end < start) {
        return Err(refuse("the end is before the start", "終了位置が開始位置より前になっています"));
    }
    Ok((start, end))
}

/// Characters of a path that a URI contains unencoded.
const PATH: &percent_encoding::AsciiSet =
    &percent_encoding::NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_').remove(b'~');

/// Returns the URI of a file, by its path relative to the project.
pub fn file_uri(path: &str) -> String {
    format!("{FILE_PREFIX}{}", percent_encoding::utf8_percent_encode(path, PATH))
}

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;

    use super::{ResourceKind, ResourceUri, file_uri};

    #[test]
    fn uris_are_decoded_once() {
        let asked = ResourceUri::parse("code://file/src/a%20b%25.py?lines=10-50").expect("a file");
        assert_eq!(asked.what, ResourceKind::File("src/a b%.py".to_owned()));
        assert_eq!(asked.lines, Some((10, Some(50))));
        assert_eq!(file_uri("日/a b.py"), "code://file/%E6%97%A5/a%20b.py");
        let asked = ResourceUri::parse("code://stats/files?project_root=/a%20b").expect("statistics");
        assert_eq!(asked.project_root.as_deref(), Some("/a b"));
    }

    #[test]
    fn a_range_is_one_line_some_lines_or_the_rest() {
        for (value, expected) in [("7", (7, Some(7))), ("7-", (7, None)), ("7-7", (7, Some(7)))] {
            let asked = ResourceUri::parse(&format!("code://file/a?lines={value}")).expect("a range");
            assert_eq!(asked.lines, Some(expected), "{value}");
        }
    }

    #[test]
    fn invalid_uris_return_specific_errors() {
        for (uri, entry, said) in [
            ("file:///etc/passwd", "UNKNOWN_RESOURCE", "code://stats/complexity"),
            ("code://stats/x", "UNKNOWN_STATISTICS", "overview, languages"),
            ("code://file/%ff", "URI_NOT_UTF8", "%ff"),
            ("code://file/a?line=1", "UNKNOWN_URI_PARAMETER", "project_root, lines"),
            ("code://file/a?lines=1&lines=2", "UNKNOWN_URI_PARAMETER", "twice"),
            ("code://stats/files?lines=1-2", "UNKNOWN_URI_PARAMETER", "no lines"),
            ("code://file/a?bytes=1&bytes=2", "UNKNOWN_URI_PARAMETER", "twice"),
            ("code://file/a?bytes=1&lines=2", "UNKNOWN_URI_PARAMETER", "cannot be combined"),
            ("code://stats/files?bytes=1-2", "UNKNOWN_URI_PARAMETER", "does not exist"),
            ("code://file/a?bytes=9-5", "INVALID_BYTES", "before the start"),
            ("code://file/a?bytes=-5", "INVALID_BYTES", "START-END"),
            ("code://file/a?lines=x", "INVALID_LINES", "START-END"),
            ("code://file/a?lines=", "INVALID_LINES", "START-END"),
            ("code://file/a?lines=-5", "INVALID_LINES", "START-END"),
            ("code://file/a?lines=0-5", "INVALID_LINES", "lines begin at 1"),
            ("code://file/a?lines=50-10", "INVALID_LINES", "before the start"),
        ] {
            let lesson = ResourceUri::parse(uri).expect_err(uri).error_message();
            assert_eq!(lesson.kind, entry, "{uri}");
            assert!(lesson.message.en.contains(said), "{uri}: {}", lesson.message.en);
            assert!(!lesson.message.en.contains('{') && !lesson.message.ja.contains('{'), "{uri}");
        }
    }
}
