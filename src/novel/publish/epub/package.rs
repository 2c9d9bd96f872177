//! The package document: metadata of the book, its files, and their order.
//!
//! The statements that EPUB 3 reading systems ignore (`cover` as a name, the reference to the NCX) are for those of
//! EPUB 2.

use std::fmt::Write as _;

use fumi_base::files::sha256;

use super::{
    super::{WorkTitle, xhtml::escaped},
    EpubBook, or_untitled,
    pages::BookPage,
};

/// Derives a UUID from title and author, so that the next edition is the same book.
pub(super) fn identifier(work: &WorkTitle) -> String {
    let hash = sha256(format!("{}\n{}", work.title, work.author).as_bytes());
    // UUID version 8 with its variant: custom contents.
    format!("urn:uuid:{}-{}-8{}-a{}-{}", &hash[..8], &hash[8..12], &hash[12..15], &hash[15..18], &hash[18..30])
}

/// Writes the package document for pages in reading order.
pub(super) fn package(book: &EpubBook, pages: &[BookPage]) -> String {
    let mut manifest = String::new();
    let mut spine = String::new();
    if let Some(cover) = &book.details.cover {
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            manifest,
            r#"<item id="cover-image" href="{}" media-type="{}" properties="cover-image"/>"#,
            cover.file_name(),
            cover.media_type()
        );
    }
    for BookPage { id, .. } in pages {
        let _ = writeln!(manifest, r#"<item id="{id}" href="{id}.xhtml" media-type="application/xhtml+xml"/>"#);
        let _ = writeln!(spine, r#"<itemref idref="{id}"/>"#);
    }
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="book-id" xml:lang="ja">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="book-id">{identifier}</dc:identifier>
{metadata}<dc:language>ja</dc:language>
<meta property="dcterms:modified">{modified}</meta>
</metadata>
<manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
<item id="style" href="style.css" media-type="text/css"/>
{manifest}</manifest>
<spine toc="ncx" page-progression-direction="rtl">
{spine}</spine>
</package>
"#,
        identifier = identifier(book.work),
        metadata = metadata(book),
        modified = book.modified.0,
    )
}

/// Writes title, author and the details of the book, each with the statements that refine it.
fn metadata(book: &EpubBook) -> String {
    let details = book.details;
    let mut metadata = String::new();
    let mut line = |line: String| metadata.push_str(&(line + "\n"));
    let file_as = |id: &str, key: &Option<String>| {
        let refined = |key: &String| format!(r##"<meta refines="#{id}" property="file-as">{}</meta>"##, escaped(key));
        key.as_ref().map(refined)
    };
    line(format!(r#"<dc:title id="main-title">{}</dc:title>"#, escaped(or_untitled(&book.work.title))));
    file_as("main-title", &details.title_sort_key).into_iter().for_each(&mut line);
    line(format!(r#"<dc:creator id="author">{}</dc:creator>"#, escaped(or_untitled(&book.work.author))));
    line(r##"<meta refines="#author" property="role" scheme="marc:relators">aut</meta>"##.to_owned());
    file_as("author", &details.author_sort_key).into_iter().for_each(&mut line);
    if let Some(description) = &details.description {
        line(format!("<dc:description>{}</dc:description>", escaped(description)));
    }
    if let Some(series) = &details.series {
        let title = escaped(or_untitled(&series.title));
        line(format!(r#"<meta property="belongs-to-collection" id="series">{title}</meta>"#));
        line(r##"<meta refines="#series" property="collection-type">series</meta>"##.to_owned());
        if let Some(volume) = series.volume {
            line(format!(r##"<meta refines="#series" property="group-position">{volume}</meta>"##));
        }
    }
    if let Some(colophon) = &details.colophon {
        line(format!("<dc:date>{}</dc:date>", colophon.published));
        let statements = [("publisher", &colophon.publisher), ("rights", &colophon.rights)];
        for (name, text) in statements.into_iter().filter_map(|(name, text)| Some((name, text.as_ref()?))) {
            line(format!("<dc:{name}>{}</dc:{name}>", escaped(text)));
        }
    }
    if details.cover.is_some() {
        line(r#"<meta name="cover" content="cover-image"/>"#.to_owned());
    }
    metadata
}
