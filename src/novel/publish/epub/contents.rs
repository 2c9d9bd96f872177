//! The table of contents: a page to read (`contents.xhtml`), and the menus of reading systems of EPUB 3 (`nav.xhtml`)
//! and of older ones (`toc.ncx`).
//!
//! All are written from one tree: chapters, then episodes, then their headings. Titles in menus are plain text, because
//! many reading systems show nothing else; only the page has 縦中横.

use std::fmt::Write as _;

use super::{
    super::{
        WorkTitle,
        xhtml::{XhtmlPage, escaped, upright},
    },
    EpubBook, episode_id, or_untitled,
    package::identifier,
    pages::COLOPHON,
};

/// The entries of a table of contents.
pub(super) struct Contents {
    entries: Vec<ContentsEntry>,
    /// The landmarks: kind in the EPUB vocabulary, title, and link.
    landmarks: Vec<(&'static str, &'static str, String)>,
}

/// A line of the table of contents, with the lines below it.
pub(super) struct ContentsEntry {
    title: String,
    link: String,
    entries: Vec<Self>,
}

impl ContentsEntry {
    fn new(title: &str, link: String) -> Self {
        Self { title: or_untitled(title).to_owned(), link, entries: Vec::new() }
    }

    fn depth(&self) -> usize {
        1 + self.entries.iter().map(Self::depth).max().unwrap_or_default()
    }

    /// Writes the entry for a list; `marked_up` writes titles.
    fn list_item(&self, marked_up: fn(&str) -> String, list: &mut String) {
        // Writing to a `String` cannot fail.
        let _ = write!(list, r#"<li><a href="{}">{}</a>"#, self.link, marked_up(&self.title));
        if !self.entries.is_empty() {
            list.push_str("\n<ol>\n");
            for entry in &self.entries {
                entry.list_item(marked_up, list);
            }
            list.push_str("</ol>\n");
        }
        list.push_str("</li>\n");
    }

    /// Writes the entry for old reading systems; `order` counts the entries in reading order.
    fn nav_point(&self, order: &mut usize, map: &mut String) {
        *order += 1;
        let _ = writeln!(
            map,
            r#"<navPoint id="point-{order}" playOrder="{order}"><navLabel><text>{}</text></navLabel><content src="{}"/>"#,
            escaped(&self.title),
            self.link
        );
        for entry in &self.entries {
            entry.nav_point(order, map);
        }
        map.push_str("</navPoint>\n");
    }
}

/// Returns the id of the page on which a chapter begins, which is the file name without extension.
pub(super) fn chapter_id(chapter: usize) -> String {
    format!("chapter-{:04}", chapter + 1)
}

/// Returns the index of each episode at which a chapter begins, with the chapter's heading.
pub(super) fn chapter_starts<'a>(book: &'a EpubBook) -> impl Iterator<Item = (usize, &'a str)> {
    let before = std::iter::once(None).chain(book.episodes.iter().map(|episode| episode.chapter.as_deref()));
    let starts = book.episodes.iter().enumerate().zip(before);
    starts.filter_map(|((at, episode), before)| {
        episode.chapter.as_deref().filter(|chapter| before != Some(*chapter)).map(|chapter| (at, chapter))
    })
}

impl Contents {
    pub(super) fn new(book: &EpubBook, texts: &[XhtmlPage]) -> Self {
        let mut entries: Vec<ContentsEntry> = Vec::new();
        let mut starts = chapter_starts(book).enumerate().peekable();
        for (at, (episode, text)) in book.episodes.iter().zip(texts).enumerate() {
            let mut entry = ContentsEntry::new(&episode.title, format!("{}.xhtml", episode_id(at, 0)));
            entry.entries.extend(text.headings.iter().map(|heading| {
                ContentsEntry::new(&heading.words, format!("{}.xhtml#{}", episode_id(at, heading.file), heading.id))
            }));
            if let Some((number, (_, heading))) = starts.next_if(|(_, (start, _))| *start == at) {
                entries.push(ContentsEntry::new(heading, format!("{}.xhtml", chapter_id(number))));
            }
            match entries.last_mut().filter(|_| episode.chapter.is_some()) {
                Some(chapter) => chapter.entries.push(entry),
                None => entries.push(entry),
            }
        }
        let mut landmarks =
            vec![("titlepage", "扉", "title.xhtml".to_owned()), ("toc", "目次", "contents.xhtml".to_owned())];
        if book.details.cover.is_some() {
            landmarks.insert(0, ("cover", "表紙", "cover.xhtml".to_owned()));
        }
        landmarks.extend(entries.first().map(|first| ("bodymatter", "本文", first.link.clone())));
        if book.details.colophon.is_some() {
            let link = format!("{COLOPHON}.xhtml");
            landmarks.push(("colophon", "奥付", link.clone()));
            entries.push(ContentsEntry::new("奥付", link));
        }
        Self { entries, landmarks }
    }

    /// Returns the body of the page to read.
    pub(super) fn page(&self) -> String {
        format!("<section class=\"contents\">\n<h1>目次</h1>\n{}</section>\n", self.list(upright))
    }

    /// Returns the body of the navigation document.
    pub(super) fn nav(&self) -> String {
        let mut nav = format!("<nav epub:type=\"toc\" id=\"toc\">\n<h1>目次</h1>\n{}</nav>\n", self.list(escaped));
        nav.push_str("<nav epub:type=\"landmarks\" id=\"landmarks\" hidden=\"hidden\">\n<ol>\n");
        for (kind, title, link) in &self.landmarks {
            let _ = writeln!(nav, r#"<li><a epub:type="{kind}" href="{link}">{title}</a></li>"#);
        }
        nav.push_str("</ol>\n</nav>\n");
        nav
    }

    fn list(&self, marked_up: fn(&str) -> String) -> String {
        let mut list = "<ol>\n".to_owned();
        for entry in &self.entries {
            entry.list_item(marked_up, &mut list);
        }
        list + "</ol>\n"
    }

    /// Returns the table of contents for reading systems of EPUB 2.
    pub(super) fn ncx(&self, work: &WorkTitle) -> String {
        let (mut map, mut order) = (String::new(), 0);
        for entry in &self.entries {
            entry.nav_point(&mut order, &mut map);
        }
        format!(
            r#"<?xml version="1.0" encoding="UTF-8"?>
<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1" xml:lang="ja">
<head>
<meta name="dtb:uid" content="{identifier}"/>
<meta name="dtb:depth" content="{depth}"/>
<meta name="dtb:totalPageCount" content="0"/>
<meta name="dtb:maxPageNumber" content="0"/>
</head>
<docTitle><text>{title}</text></docTitle>
<navMap>
{map}</navMap>
</ncx>
"#,
            identifier = identifier(work),
            depth = self.entries.iter().map(ContentsEntry::depth).max().unwrap_or(1),
            title = escaped(or_untitled(&work.title)),
        )
    }
}
