//! Searching one file: opened through its checked project path, decoded if necessary, always counted, shown only as far
//! as requested.
//!
//! Invariant: the counts are those of ripgrep (`--count-matches`), also when no row is kept. A file found by a walk
//! that turns out to be binary counts nothing; one that the caller named is searched completely. The one deliberate
//! difference: a file that is not UTF-8 is decoded in the encoding detected from its first bytes, while ripgrep
//! searches raw bytes.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, Read},
    ops::Range,
};

use fumi_base::{
    encoding::{self, EncodingChoice},
    project::ProjectPath,
};
use grep_matcher::Matcher;
use grep_searcher::{
    BinaryDetection, Encoding, Searcher, SearcherBuilder, Sink, SinkContext, SinkContextKind, SinkFinish, SinkMatch,
};
use tokio_util::sync::CancellationToken;

use crate::{
    byte_form::{ByteForm, HEAD_BYTES},
    cancellable_matcher::CancellableMatcher,
    excerpt::{BLOCK_CHARS, LINE_CHARS, context_line, excerpt_around, without_terminator},
    pcre2_matcher::MatchInterruption,
    search::LineMatch,
    skipped::SkipReason,
    text_query::{MatchEngine, TextQuery},
    work_counters,
};

/// The maximum size in memory of a line, and of a file in a multi-line search, in bytes.
const HEAP_BYTES: usize = 200 << 20;

/// The number of bytes after the last line of a multi-line match that are visible when its matches are counted again
/// (as in ripgrep).
const LOOK_AHEAD: usize = 128;

/// The reason why a file is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileOrigin {
    /// A walk found the file.
    Found,
    /// The caller named the file.
    Named,
}

/// The matches of one file.
#[derive(Debug, Default)]
pub(crate) struct FileTally {
    pub(crate) matches: u64,
    pub(crate) lines: u64,
    pub(crate) rows: Vec<LineMatch>,
    /// True if there are more rows than were kept.
    pub(crate) more_rows: bool,
    /// The encoding that the file was decoded from, if not UTF-8.
    pub(crate) encoding: Option<String>,
    /// True if NUL bytes were found (and searched past, if the caller named the file).
    pub(crate) binary: bool,
}

/// A searcher of files, one after the other. Each thread has its own.
pub(crate) struct FileSearcher<'a> {
    /// A clone for each thread, used for all its files: engines keep scratch space and cached states.
    engine: MatchEngine,
    bench: SearcherState<'a>,
}

/// The state that a thread reuses from file to file.
struct SearcherState<'a> {
    query: &'a TextQuery,
    cancel: &'a CancellationToken,
    /// The size in bytes above which files found by a walk are skipped.
    most_bytes: u64,
    wants_rows: bool,
    /// The searchers by encoding; `None` for files that need no decoding.
    searchers: HashMap<Option<&'static str>, Searcher>,
    /// The buffer for the first bytes of a file. Always of full length once used, so that it is cleared only once.
    head: Vec<u8>,
}

/// The reason and the row limit for one file.
#[derive(Clone, Copy)]
struct FileSearchRequest {
    origin: FileOrigin,
    keep: usize,
}

impl<'a> FileSearcher<'a> {
    pub(crate) fn new(query: &'a TextQuery, most_bytes: u64, wants_rows: bool, cancel: &'a CancellationToken) -> Self {
        Self {
            engine: query.engine.clone(),
            bench: SearcherState { query, cancel, most_bytes, wants_rows, searchers: HashMap::new(), head: Vec::new() },
        }
    }

    /// Searches a file and keeps at most `keep` rows of it.
    pub(crate) fn search(
        &mut self,
        path: &ProjectPath,
        origin: FileOrigin,
        keep: usize,
    ) -> Result<FileTally, SkipReason> {
        let file = path.open().map_err(|error| SkipReason::from_path_error(&error))?;
        let wanted = FileSearchRequest { origin, keep };
        match self.engine {
            MatchEngine::Rust(ref matcher) => self.bench.polled(matcher, file.into_std(), wanted),
            MatchEngine::Pcre2(ref matcher) => self.bench.polled(matcher.as_ref(), file.into_std(), wanted),
        }
    }
}

impl SearcherState<'_> {
    fn polled<M: Matcher>(
        &mut self,
        matcher: &M,
        file: File,
        wanted: FileSearchRequest,
    ) -> Result<FileTally, SkipReason>
    where
        M::Error: Into<MatchInterruption>,
    {
        let matcher = CancellableMatcher::new(matcher, self.query.repetitions, self.cancel);
        self.run(&matcher, file, wanted).map_err(|error| match matcher.halt() {
            Some(MatchInterruption::MatchLimit) => SkipReason::MatchLimit,
            Some(MatchInterruption::LongText) => SkipReason::LongText,
            _ => SkipReason::from_io_error(&error),
        })
    }

    fn run<M: Matcher>(&mut self, matcher: &M, mut file: File, wanted: FileSearchRequest) -> io::Result<FileTally> {
        // Taken out, because the searcher is borrowed from `self` too; put back below.
        let mut buffer = std::mem::take(&mut self.head);
        if buffer.is_empty() {
            // The system gives memory that is 0 already, and most files touch little of it.
            buffer = vec![0; HEAD_BYTES];
        }
        let result = read_head(&mut file, &mut buffer)
            .and_then(|filled| self.search_from(matcher, &buffer[..filled], filled < HEAD_BYTES, file, wanted));
        self.head = buffer;
        result
    }

    /// Searches a file whose first bytes (all of them, if `whole`) have been read.
    fn search_from<M: Matcher>(
        &mut self,
        matcher: &M,
        head: &[u8],
        whole: bool,
        file: File,
        wanted: FileSearchRequest,
    ) -> io::Result<FileTally> {
        if wanted.origin == FileOrigin::Found {
            let size = if whole { head.len() as u64 } else { file.metadata()?.len() };
            if size > self.most_bytes {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
        }
        let form = match self.query.encoding {
            EncodingChoice::Auto => ByteForm::detect(head, whole),
            EncodingChoice::Fixed(encoding) => ByteForm {
                decoded_from: Some(encoding.name()),
                named: Some(encoding::name_of(encoding)),
                in_place: false,
            },
        };
        work_counters::count_searched(head.len());
        let mut sink = TallySink {
            matcher,
            keep: wanted.keep,
            tally: FileTally::default(),
            before: Vec::new(),
            found: Vec::new(),
            binary_at: None,
            convert: wanted.origin == FileOrigin::Named,
        };
        let cancel = self.cancel;
        let searcher = self.searcher(form.decoded_from, wanted.origin);
        let rest = CancellableReader { inner: file, cancel };
        if searcher.multi_line_with_matcher(matcher) {
            if whole {
                searcher.search_slice(matcher, head, &mut sink)?;
            } else {
                let mut all = head.to_vec();
                rest.take((HEAP_BYTES - HEAD_BYTES) as u64).read_to_end(&mut all)?;
                if all.len() >= HEAP_BYTES {
                    return Err(io::ErrorKind::FileTooLarge.into());
                }
                searcher.search_slice(matcher, &all, &mut sink)?;
            }
        } else if whole && form.in_place {
            searcher.search_slice(matcher, head, &mut sink)?;
        } else {
            searcher.search_reader(matcher, head.chain(rest), &mut sink)?;
        }
        let mut tally = sink.tally;
        tally.encoding = form.named.filter(|name| name != "utf-8");
        Ok(tally)
    }

    fn searcher(&mut self, encoding: Option<&'static str>, origin: FileOrigin) -> &mut Searcher {
        let query = self.query;
        let wants_rows = self.wants_rows;
        let searcher = self.searchers.entry(encoding).or_insert_with(|| {
            let mut builder = SearcherBuilder::new();
            builder
                .multi_line(query.multiline)
                .line_number(wants_rows)
                .heap_limit(Some(HEAP_BYTES))
                // Names come from encoding_rs itself, so they are known.
                .encoding(encoding.and_then(|name| Encoding::new(name).ok()))
                .max_matches(query.max_count);
            // Context changes the counts of ripgrep, so it is requested even if no row is kept: in a multi-line search
            // a NUL in a context line ends the file, and matching lines in the context after the last allowed match
            // count.
            if wants_rows || query.multiline {
                builder.before_context(query.context_before);
            }
            if wants_rows || query.multiline || query.max_count.is_some() {
                builder.after_context(query.context_after);
            }
            builder.build()
        });
        searcher.set_binary_detection(match origin {
            FileOrigin::Found => BinaryDetection::quit(b'\0'),
            FileOrigin::Named => BinaryDetection::convert(b'\0'),
        });
        searcher
    }
}

/// Reads the first bytes of a file; fewer than the buffer holds if the file is shorter.
fn read_head(file: &mut File, head: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < head.len() {
        match file.read(&mut head[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// A reader that ends early when the call is cancelled.
struct CancellableReader<'a, R> {
    inner: R,
    cancel: &'a CancellationToken,
}

impl<R: Read> Read for CancellableReader<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Ok(0);
        }
        let read = self.inner.read(buf)?;
        work_counters::count_searched(read);
        Ok(read)
    }
}

/// A sink that counts matches, and makes rows of the first of them.
struct TallySink<'a, M> {
    matcher: &'a M,
    keep: usize,
    tally: FileTally,
    /// The context lines since the last match, for the next one.
    before: Vec<String>,
    found: Vec<Range<usize>>,
    binary_at: Option<u64>,
    convert: bool,
}

impl<M: Matcher> TallySink<'_, M> {
    /// Finds the matches inside a matching line again, because the searcher reports only lines.
    fn count(&mut self, searcher: &Searcher, mat: &SinkMatch<'_>, wanted: usize) -> io::Result<u64> {
        let range = mat.bytes_range_in_buffer();
        let buffer = mat.buffer();
        let end = if searcher.multi_line_with_matcher(self.matcher) {
            buffer.len().min(range.end + LOOK_AHEAD)
        } else if buffer[range.clone()].ends_with(b"\n") {
            // A look-around must not see the line end.
            range.end - 1
        } else {
            range.end
        };
        let found = &mut self.found;
        found.clear();
        let mut count = 0_u64;
        self.matcher
            .find_iter_at(&buffer[..end], range.start, |each| {
                if each.start() >= range.end {
                    return false;
                }
                count += 1;
                // An empty match inside a character has no column; hundreds of them would displace those that have one.
                let is_within =
                    each.is_empty() && each.start() < end && buffer[each.start()] & 0b1100_0000 == 0b1000_0000;
                if found.len() < wanted && !is_within {
                    found.push(each.start() - range.start..each.end() - range.start);
                }
                true
            })
            .map_err(|error| io::Error::other(error.to_string()))?;
        // The line matched in its context, even if it does not match on its own.
        Ok(count.max(1))
    }

    fn row(&mut self, mat: &SinkMatch<'_>, multi_line: bool) {
        let limit = if multi_line { BLOCK_CHARS } else { LINE_CHARS };
        let shown = excerpt_around(without_terminator(mat.bytes()), &self.found, limit);
        self.tally.rows.push(LineMatch {
            line: mat.line_number().unwrap_or_default(),
            line_truncated: shown.is_cut(),
            start_column: shown.start_column,
            is_cut_after: shown.is_cut_after,
            text: shown.text,
            spans: shown.spans,
            context_before: std::mem::take(&mut self.before),
            context_after: Vec::new(),
            context: None,
        });
    }
}

impl<M: Matcher> Sink for TallySink<'_, M> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, mat: &SinkMatch<'_>) -> io::Result<bool> {
        let before_nul = self.binary_at.is_none_or(|nul| mat.absolute_byte_offset() + mat.bytes().len() as u64 <= nul);
        let shown = self.tally.rows.len() < self.keep && before_nul;
        let multi_line = searcher.multi_line_with_matcher(self.matcher);
        let wanted = match (shown, multi_line) {
            (false, _) => 0,
            (true, false) => LINE_CHARS + 1,
            (true, true) => BLOCK_CHARS + 1,
        };
        self.tally.matches += self.count(searcher, mat, wanted)?;
        self.tally.lines += if multi_line { mat.lines().count() as u64 } else { 1 };
        if shown {
            self.row(mat, multi_line);
        } else {
            self.tally.more_rows = true;
            self.before.clear();
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        if self.tally.more_rows || self.keep == 0 {
            return Ok(true);
        }
        let line = context_line(without_terminator(context.bytes()));
        match context.kind() {
            SinkContextKind::Before => self.before.push(line),
            SinkContextKind::After | SinkContextKind::Other => {
                if let Some(row) = self.tally.rows.last_mut() {
                    row.context_after.push(line);
                }
            }
        }
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, offset: u64) -> io::Result<bool> {
        self.binary_at = Some(offset);
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.tally.binary = finish.binary_byte_offset().is_some();
        if self.tally.binary && !self.convert {
            // Binary detection is a filter: matches before the NUL do not count either.
            self.tally = FileTally { binary: true, ..FileTally::default() };
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, fs};

    use encoding_rs::{EUC_JP, Encoding, ISO_2022_JP, SHIFT_JIS};
    use fumi_base::project::Project;
    use grep_matcher::{LineTerminator, Match, Matcher, NoCaptures, NoError};
    use proptest::{
        collection::vec,
        prelude::*,
        sample::select,
        test_runner::{Config, RngSeed},
    };
    use tokio_util::sync::CancellationToken;

    use super::{FileOrigin, FileSearchRequest, FileSearcher};
    use crate::{
        byte_form::{HEAD_BYTES, searched_text},
        text_query::{TextQuery, TextQueryOptions},
    };

    /// Matches nothing, and remembers what it was asked to search.
    struct Recorder {
        seen: RefCell<Vec<u8>>,
        /// True for a matcher of lines, which is given many lines at once, or one text across lines.
        takes_lines: bool,
    }

    impl Matcher for Recorder {
        type Captures = NoCaptures;
        type Error = NoError;

        fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, NoError> {
            self.seen.borrow_mut().extend_from_slice(&haystack[at..]);
            Ok(None)
        }

        fn new_captures(&self) -> Result<NoCaptures, NoError> {
            Ok(NoCaptures::new())
        }

        fn line_terminator(&self) -> Option<LineTerminator> {
            self.takes_lines.then(|| LineTerminator::byte(b'\n'))
        }
    }

    /// Returns what a search passes to its matcher.
    fn seen(content: &[u8], multiline: bool) -> Vec<u8> {
        let root = tempfile::tempdir().expect("a folder");
        fs::write(root.path().join("a"), content).expect("a file");
        let project = Project::open(root.path()).expect("a project");
        let file = project.resolve("a").expect("inside").open().expect("readable");
        let query = TextQuery::new(&TextQueryOptions { multiline, ..TextQueryOptions::new("x") }).expect("valid");
        let cancel = CancellationToken::new();
        let mut searcher = FileSearcher::new(&query, u64::MAX, true, &cancel);
        let recorder = Recorder { seen: RefCell::default(), takes_lines: !multiline };
        let request = FileSearchRequest { origin: FileOrigin::Found, keep: 1 };
        searcher.bench.run(&recorder, file.into_std(), request).expect("searched");
        recorder.seen.into_inner()
    }

    /// Compares the text that a search passes to its matcher with that of the index. At a NUL the search may end before
    /// it has passed all text before it.
    fn check(content: &[u8], what: &str) {
        let searched = searched_text(content);
        for multiline in [false, true] {
            let mut seen = seen(content, multiline);
            if let Some(end) = seen.iter().position(|byte| *byte == 0) {
                assert!(multiline && searched.has_nul, "{what}: a search by lines passes a NUL");
                seen.truncate(end);
                assert!(seen == *searched.text, "{what}: the index has another text before the NUL");
            }
            assert!(
                seen == *searched.text || (searched.has_nul && searched.text.starts_with(&seen)),
                "{what}: a search (multiline: {multiline}) sees {} bytes, the index {}",
                seen.len(),
                searched.text.len()
            );
        }
    }

    fn utf_16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    fn encoded(encoding: &'static Encoding, text: &str) -> Vec<u8> {
        encoding.encode(text).0.into_owned()
    }

    const TEXT: &str = "吾輩は猫である。名前はまだ無い。\nどこで生れたかとんと見当がつかぬ。\r\nABC def\n";

    #[test]
    fn the_index_sees_the_text_of_a_search() {
        let (little, big) = (u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes);
        let long = TEXT.repeat(HEAD_BYTES / TEXT.len() + 1);
        let ascii = "fn main() { let a = 1; }\n".repeat(HEAD_BYTES / 24 + 1);
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        for (length, text) in [("short", TEXT), ("long", long.as_str()), ("ascii", ascii.as_str())] {
            for (form, bytes) in [
                ("utf-8", text.as_bytes().to_vec()),
                ("utf-8 with mark", format!("\u{feff}{text}").into_bytes()),
                ("utf-16le with mark", utf_16(&format!("\u{feff}{text}"), little)),
                ("utf-16be with mark", utf_16(&format!("\u{feff}{text}"), big)),
                ("utf-16le", utf_16(text, little)),
                ("utf-16be", utf_16(text, big)),
                ("shift_jis", encoded(SHIFT_JIS, text)),
                ("euc-jp", encoded(EUC_JP, text)),
                ("iso-2022-jp", encoded(ISO_2022_JP, text)),
                (
                    "latin",
                    text.replace("猫", "")
                        .chars()
                        .filter(char::is_ascii)
                        .map(|c| c as u8)
                        .chain(*b"caf\xe9\n")
                        .collect(),
                ),
                ("a broken byte", [text.as_bytes(), b"\xff", text.as_bytes()].concat()),
                ("a cut character", text.as_bytes()[..text.len() - 1 - "f\n".len()].to_vec()),
            ] {
                for (tail, after) in [
                    ("", &b""[..]),
                    ("a NUL at the end", b"\0"),
                    ("a binary tail", b"\0\x01\xfe\xff\0abc\n\xe3\x81"),
                    ("half a unit", b"\xd8"),
                ] {
                    files.push((format!("{length}, {form}, {tail}"), [&bytes, after].concat()));
                }
                for at in [0, 1, 3, 100, 9_000, HEAD_BYTES - 1, HEAD_BYTES, HEAD_BYTES + 5] {
                    if at < bytes.len() {
                        let with_nul = [&bytes[..at], b"\0", &bytes[at..]].concat();
                        files.push((format!("{length}, {form}, a NUL at {at}"), with_nul));
                    }
                }
            }
        }
        for few in ["", "\0", "\n", "a", "\u{feff}", "\u{feff}\0", "\u{1b}", "\u{1b}$B"] {
            files.push((format!("{few:?}"), few.as_bytes().to_vec()));
        }
        for few in [&b"\xff\xfe"[..], b"\xfe\xff", b"\xff\xfea", b"\xff\xfea\0", b"\xef\xbb", b"\xff", b"\xfe\xff\xd8"]
        {
            files.push((format!("{few:?}"), few.to_vec()));
        }
        for length in [HEAD_BYTES - 1, HEAD_BYTES, HEAD_BYTES + 1] {
            files.push((format!("one line of {length}"), vec![b'a'; length]));
            files.push((
                format!("one character before {length}"),
                [&vec![b'a'; length - 1][..], "日".as_bytes()].concat(),
            ));
        }
        assert!(files.len() > 200, "only {} files", files.len());
        for (what, content) in files {
            check(&content, &what);
        }
    }

    proptest! {
        #![proptest_config(Config { failure_persistence: None, rng_seed: RngSeed::Fixed(22), ..Config::default() })]

        #[test]
        fn the_index_sees_the_text_of_a_search_in_random_bytes(
            pieces in vec(prop_oneof![
                4 => select(vec![&b"a"[..], b"\n", b" = 1;\r\n", b"Z"]),
                2 => select(vec!["日本".as_bytes(), b"\x93\xfa\x96\x7b", b"\xc6\xfc\xcb\xdc", b"\x1b$BF|K\\\x1b(B"]),
                1 => select(vec![&b"\0"[..], b"\xff", b"\xfe", b"\xef\xbb\xbf", b"\xe3", b"\x1b"]),
                1 => select(vec![&b"a\0b\0"[..], b"\0a\0b"]),
            ], 0..40),
        ) {
            check(&pieces.concat(), "random pieces");
        }
    }
}
