//! Books in EPUB 3: vertical text from right to left, with ruby, 縦中横 and a table of contents.
//!
//! The package is built by hand, because the available builder crate makes documents that epubcheck rejects (duplicate
//! ids, wrong page direction). Equal books have equal bytes: times are passed in, and nothing is random. A long chapter
//! is split into several files, because reading systems load a file whole.

use std::{
    fmt::Write as _,
    io::{Cursor, Write as _},
};

use fumi_base::files::sha256;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::{
    PublishLoss, WorkTitle,
    html::STYLE,
    xhtml::{FileSplitSizes, XhtmlPage, escaped, page},
};
use crate::manuscript::Manuscript;

/// The contents of a book.
#[derive(Debug)]
pub struct EpubBook<'a> {
    pub work: &'a WorkTitle,
    /// The time of the last change of the contents.
    pub modified: EpubTime,
    pub chapters: Vec<EpubChapter<'a>>,
}

/// A chapter: an episode, or a whole text.
#[derive(Debug)]
pub struct EpubChapter<'a> {
    /// The title in the table of contents.
    pub title: String,
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
pub struct ChapterLoss {
    /// The index of the chapter in the book.
    pub chapter: usize,
    pub loss: PublishLoss,
}

/// The bytes of a book with the list of losses.
#[derive(Clone, Debug)]
pub struct WrittenBook {
    /// The bytes of the `.epub` file.
    pub output: Vec<u8>,
    /// The losses by chapter, in text order.
    pub losses: Vec<ChapterLoss>,
}

/// Writes a book as an EPUB file.
pub fn write(book: &EpubBook) -> WrittenBook {
    let pages: Vec<XhtmlPage> = book
        .chapters
        .iter()
        .map(|chapter| page(chapter.manuscript, &chapter.title, FileSplitSizes::OF_BOOKS))
        .collect();
    let mut archive = Archive(ZipWriter::new(Cursor::new(Vec::new())));
    // `mimetype` is first and uncompressed, so that the file type is at a fixed offset.
    archive.add("mimetype", "application/epub+zip", CompressionMethod::Stored);
    archive.add("META-INF/container.xml", CONTAINER, CompressionMethod::Deflated);
    let mut text =
        |name: &str, content: &str| archive.add(&format!("OEBPS/{name}"), content, CompressionMethod::Deflated);
    text("content.opf", &package(book, &pages));
    text("nav.xhtml", &contents(book, &pages));
    text("style.css", STYLE);
    text("title.xhtml", &title_page(book.work));
    for (at, (chapter, page)) in book.chapters.iter().zip(&pages).enumerate() {
        for (file, body) in page.full.iter().chain([&page.body]).enumerate() {
            text(&format!("{}.xhtml", id(at, file)), &document(&chapter.title, "", body));
        }
    }
    let losses = pages
        .into_iter()
        .enumerate()
        .flat_map(|(chapter, page)| page.losses.into_iter().map(move |loss| ChapterLoss { chapter, loss }));
    WrittenBook { losses: losses.collect(), output: archive.finish() }
}

/// Returns the id of a file of a chapter in the package.
fn id(chapter: usize, file: usize) -> String {
    match file {
        0 => format!("chapter-{:04}", chapter + 1),
        _ => format!("chapter-{:04}-{:02}", chapter + 1, file + 1),
    }
}

const CONTAINER: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"#;

/// Derives a UUID from title and author, so that the next edition is the same book.
fn identifier(work: &WorkTitle) -> String {
    let hash = sha256(format!("{}\n{}", work.title, work.author).as_bytes());
    // UUID version 8 with its variant: custom contents.
    format!("urn:uuid:{}-{}-8{}-a{}-{}", &hash[..8], &hash[8..12], &hash[12..15], &hash[15..18], &hash[18..30])
}

fn package(book: &EpubBook, pages: &[XhtmlPage]) -> String {
    let mut manifest = String::new();
    let mut spine = String::new();
    let files = |(at, page): (usize, &XhtmlPage)| (0..=page.full.len()).map(move |file| id(at, file));
    for id in pages.iter().enumerate().flat_map(files) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(manifest, r#"<item id="{id}" href="{id}.xhtml" media-type="application/xhtml+xml"/>"#);
        let _ = writeln!(spine, r#"<itemref idref="{id}"/>"#);
    }
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="book-id" xml:lang="ja">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="book-id">{identifier}</dc:identifier>
<dc:title>{title}</dc:title>
<dc:creator>{author}</dc:creator>
<dc:language>ja</dc:language>
<meta property="dcterms:modified">{modified}</meta>
</metadata>
<manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="style" href="style.css" media-type="text/css"/>
<item id="title" href="title.xhtml" media-type="application/xhtml+xml"/>
{manifest}</manifest>
<spine page-progression-direction="rtl">
<itemref idref="title"/>
<itemref idref="nav"/>
{spine}</spine>
</package>
"#,
        identifier = identifier(book.work),
        title = escaped(or_untitled(&book.work.title)),
        author = escaped(or_untitled(&book.work.author)),
        modified = book.modified.0,
    )
}

/// Replaces an empty text, because elements of the package must not be empty.
fn or_untitled(text: &str) -> &str {
    if text.trim().is_empty() { "無題" } else { text.trim() }
}

/// Writes the table of contents: chapters with their headings.
fn contents(book: &EpubBook, pages: &[XhtmlPage]) -> String {
    let mut list = String::new();
    for (at, (chapter, page)) in book.chapters.iter().zip(pages).enumerate() {
        let file = format!("{}.xhtml", id(at, 0));
        let _ = write!(list, r#"<li><a href="{file}">{}</a>"#, escaped(or_untitled(&chapter.title)));
        let mut headings = String::new();
        for heading in &page.headings {
            let _ = writeln!(
                headings,
                r#"<li><a href="{}.xhtml#{}">{}</a></li>"#,
                id(at, heading.file),
                heading.id,
                escaped(or_untitled(&heading.words))
            );
        }
        if !headings.is_empty() {
            let _ = write!(list, "\n<ol>\n{headings}</ol>\n");
        }
        list.push_str("</li>\n");
    }
    let body = format!("<nav epub:type=\"toc\" id=\"toc\">\n<h1>目次</h1>\n<ol>\n{list}</ol>\n</nav>\n");
    document("目次", r#" xmlns:epub="http://www.idpf.org/2007/ops""#, &body)
}

fn title_page(work: &WorkTitle) -> String {
    let (title, author) = (escaped(or_untitled(&work.title)), escaped(or_untitled(&work.author)));
    document(&work.title, "", &format!("<h1>{title}</h1>\n<p>{author}</p>\n"))
}

fn document(title: &str, namespaces: &str, body: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml"{namespaces} xml:lang="ja" lang="ja">
<head>
<meta charset="UTF-8"/>
<title>{}</title>
<link rel="stylesheet" type="text/css" href="style.css"/>
</head>
<body>
{body}</body>
</html>
"#,
        escaped(or_untitled(title))
    )
}

/// A ZIP file written to memory; writing fails only if memory is exhausted.
struct Archive(ZipWriter<Cursor<Vec<u8>>>);

impl Archive {
    const IN_MEMORY: &str = "a ZIP file of fewer than 4 GiB and 65,535 parts is written to memory";

    fn add(&mut self, name: &str, content: &str, method: CompressionMethod) {
        // Every entry has the earliest time of the ZIP format, independent of the clock.
        let options = SimpleFileOptions::default().compression_method(method);
        self.0.start_file(name, options).expect(Self::IN_MEMORY);
        self.0.write_all(content.as_bytes()).expect(Self::IN_MEMORY);
    }

    fn finish(self) -> Vec<u8> {
        self.0.finish().expect(Self::IN_MEMORY).into_inner()
    }
}
