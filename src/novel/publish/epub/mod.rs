//! Books in EPUB 3: vertical text from right to left, with ruby, 縦中横, a cover, a table of contents and a colophon.
//!
//! The package is built by hand, because the available builder crate makes documents that epubcheck rejects (duplicate
//! ids, wrong page direction). Equal books have equal bytes: times are passed in, and nothing is random. A long episode
//! is split into several files, because reading systems load a file whole.

mod contents;
mod cover;
mod package;
mod pages;

use std::io::{Cursor, Write as _};

use jiff::civil::Date;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

pub use self::cover::{CoverImage, NotAnImage};
use self::{contents::Contents, package::package};
use super::{
    PublishLoss, WorkTitle,
    html::STYLE,
    xhtml::{AuthorNotes, FileSplitSizes, XhtmlPage, page},
};
use crate::manuscript::Manuscript;

/// The contents of a book.
#[derive(Debug)]
pub struct EpubBook<'a> {
    pub work: &'a WorkTitle,
    pub details: &'a BookDetails,
    /// The time of the last change of the contents.
    pub modified: EpubTime,
    pub episodes: Vec<EpubEpisode<'a>>,
}

/// The data of a book beyond its title, its author and its text; none of it by default.
#[derive(Debug, Default)]
pub struct BookDetails {
    /// The reading of the title in katakana, for sorting.
    pub title_sort_key: Option<String>,
    /// The reading of the author's name in katakana, for sorting.
    pub author_sort_key: Option<String>,
    /// The text that presents the book (内容紹介).
    pub description: Option<String>,
    pub series: Option<EpubSeries>,
    pub cover: Option<CoverImage>,
    pub colophon: Option<Colophon>,
    pub author_notes: AuthorNotes,
}

/// The series to which a book belongs.
#[derive(Debug)]
pub struct EpubSeries {
    pub title: String,
    pub volume: Option<u32>,
}

/// The statements of a colophon (奥付), apart from title and author.
#[derive(Debug)]
pub struct Colophon {
    pub published: Date,
    /// The edition, such as 初版.
    pub edition: String,
    /// The reading of the title, as printed.
    pub title_yomi: Option<String>,
    /// The reading of the author's name, as printed.
    pub author_yomi: Option<String>,
    /// The publisher or circle.
    pub publisher: Option<String>,
    pub rights: Option<String>,
}

/// An episode, or a whole text.
#[derive(Debug)]
pub struct EpubEpisode<'a> {
    /// The title in the table of contents.
    pub title: String,
    /// The heading of the chapter (章) that contains the episode. A chapter begins where it differs from the one before.
    pub chapter: Option<String>,
    pub manuscript: &'a Manuscript,
}

/// A time as in the EPUB metadata: `2026-01-31T10:00:00Z`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpubTime(String);

impl EpubTime {
    /// Parses a time in UTC to the second; returns `None` for any other form.
    pub fn parse(time: &str) -> Option<Self> {
        let shape = |(c, wanted): (char, char)| if wanted == '0' { c.is_ascii_digit() } else { c == wanted };
        let fits = time.len() == 20 && time.chars().zip("0000-00-00T00:00:00Z".chars()).all(shape);
        fits.then(|| Self(time.to_owned()))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpisodeLoss {
    /// The index of the episode in the book.
    pub episode: usize,
    pub loss: PublishLoss,
}

/// The bytes of a book with the list of losses.
#[derive(Clone, Debug)]
pub struct WrittenBook {
    /// The bytes of the `.epub` file.
    pub output: Vec<u8>,
    /// The losses by episode, in text order.
    pub losses: Vec<EpisodeLoss>,
}

/// Writes a book as an EPUB file.
pub fn write(book: &EpubBook) -> WrittenBook {
    let texts: Vec<XhtmlPage> = book
        .episodes
        .iter()
        .map(|episode| page(episode.manuscript, &episode.title, FileSplitSizes::OF_BOOKS, book.details.author_notes))
        .collect();
    let contents = Contents::new(book, &texts);
    let mut archive = Archive(ZipWriter::new(Cursor::new(Vec::new())));
    // `mimetype` is first and uncompressed, so that the file type is at a fixed offset.
    archive.add("mimetype", b"application/epub+zip", CompressionMethod::Stored);
    archive.add("META-INF/container.xml", CONTAINER.as_bytes(), CompressionMethod::Deflated);
    let pages = pages::pages(book, &contents, &texts);
    let mut part = |name: &str, content: &[u8], method| archive.add(&format!("OEBPS/{name}"), content, method);
    part("content.opf", package(book, &pages).as_bytes(), CompressionMethod::Deflated);
    part("nav.xhtml", pages::nav(&contents).as_bytes(), CompressionMethod::Deflated);
    part("toc.ncx", contents.ncx(book.work).as_bytes(), CompressionMethod::Deflated);
    part("style.css", STYLE.as_bytes(), CompressionMethod::Deflated);
    if let Some(cover) = &book.details.cover {
        // An image is compressed already.
        part(cover.file_name(), cover.bytes(), CompressionMethod::Stored);
    }
    for page in &pages {
        part(&format!("{}.xhtml", page.id), page.text.as_bytes(), CompressionMethod::Deflated);
    }
    let losses = texts
        .into_iter()
        .enumerate()
        .flat_map(|(episode, text)| text.losses.into_iter().map(move |loss| EpisodeLoss { episode, loss }));
    WrittenBook { losses: losses.collect(), output: archive.finish() }
}

/// Returns the id of a file of an episode in the package, which is its name without extension.
fn episode_id(episode: usize, file: usize) -> String {
    match file {
        0 => format!("episode-{:04}", episode + 1),
        _ => format!("episode-{:04}-{:02}", episode + 1, file + 1),
    }
}

const CONTAINER: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"#;

/// Replaces an empty text, because elements of the package must not be empty.
fn or_untitled(text: &str) -> &str {
    if text.trim().is_empty() { "無題" } else { text.trim() }
}

/// A ZIP file written to memory; writing fails only if memory is exhausted.
struct Archive(ZipWriter<Cursor<Vec<u8>>>);

impl Archive {
    const IN_MEMORY: &str = "a ZIP file of fewer than 4 GiB and 65,535 parts is written to memory";

    fn add(&mut self, name: &str, content: &[u8], method: CompressionMethod) {
        // Every entry has the earliest time of the ZIP format, independent of the clock.
        let options = SimpleFileOptions::default().compression_method(method);
        self.0.start_file(name, options).expect(Self::IN_MEMORY);
        self.0.write_all(content).expect(Self::IN_MEMORY);
    }

    fn finish(self) -> Vec<u8> {
        self.0.finish().expect(Self::IN_MEMORY).into_inner()
    }
}
