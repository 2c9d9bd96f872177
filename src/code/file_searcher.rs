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
    cancellable_matcher::CancellableMatcher,
    excerpt::{BLOCK_CHARS, LINE_CHARS, context_line, excerpt_around, without_terminator},
    pcre2_matcher::MatchInterruption,
    search::LineMatch,
    skipped::SkipReason,
    text_query::{MatchEngine, TextQuery},
    work_counters,
};

/// The number of bytes read before the search method is decided. Most files are smaller, and then searched in place.
const HEAD_BYTES: usize = 256 << 10;

/// The number of bytes from which the encoding of a file that is not UTF-8 is detected (detection is slow; more bytes
/// do not change the result).
const DETECTED_BYTES: usize = 64 << 10;

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
            bench: SearcherState {
                query,
                cancel,
                most_bytes,
                wants_rows,
                searchers: HashMap::new(),
                head: Vec::new(),
            },
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
        let matcher = CancellableMatcher::new(matcher, self.cancel);
        self.run(&matcher, file, wanted).map_err(|error| match error.kind() {
            _ if matcher.halt() == Some(MatchInterruption::MatchLimit) => SkipReason::MatchLimit,
            _ => SkipReason::from_io_error(&error),
        })
    }

    fn run<M: Matcher>(&mut self, matcher: &M, mut file: File, wanted: FileSearchRequest) -> io::Result<FileTally> {
        // Taken out, because the searcher is borrowed from `self` too; put back below.
        let mut buffer = std::mem::take(&mut self.head);
        buffer.resize(HEAD_BYTES, 0);
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
            let size = if whole {
                head.len() as u64
            } else {
                file.metadata()?.len()
            };
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

/// The way in which a file's bytes are searched.
struct ByteForm {
    /// The encoding to decode from; `None` for UTF-8 and for files with a byte order mark (which the searcher decodes).
    decoded_from: Option<&'static str>,
    /// The encoding's name for the reader.
    named: Option<String>,
    /// True if a whole file may be searched in its buffer. A file with NUL bytes must be searched as a stream: only
    /// then does ripgrep's binary detection see all of it.
    in_place: bool,
}

impl ByteForm {
    fn detect(head: &[u8], whole: bool) -> Self {
        let raw = |in_place| Self {
            decoded_from: None,
            named: None,
            in_place,
        };
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
        let mut sample = &head[..head.len().min(DETECTED_BYTES)];
        if sample.len() < head.len()
            && let Some(end) = memchr::memrchr(b'\n', sample)
        {
            // Half a character at the end would count against the right encoding.
            sample = &sample[..=end];
        }
        let encoding = encoding::detect(sample);
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
        let before_nul = self
            .binary_at
            .is_none_or(|nul| mat.absolute_byte_offset() + mat.bytes().len() as u64 <= nul);
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
            self.tally = FileTally {
                binary: true,
                ..FileTally::default()
            };
        }
        Ok(())
    }
}
