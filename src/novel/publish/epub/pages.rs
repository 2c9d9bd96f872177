//! The pages of a book in reading order: cover, title page, contents, chapters with their episodes, colophon.
//!
//! Every page is a document of its own, so that it begins on a new page in any reading system.

use super::{
    super::{
        WorkTitle,
        kanji_numbers::{in_kanji, year_in_kanji},
        xhtml::{XhtmlPage, escaped, upright},
    },
    Colophon, CoverImage, EpubBook,
    contents::{Contents, chapter_id, chapter_starts},
    episode_id, or_untitled,
};

/// The id of the colophon's page.
pub(super) const COLOPHON: &str = "colophon";

/// A page of a book.
pub(super) struct BookPage {
    /// The id in the package, which is the file name without extension.
    pub(super) id: String,
    /// The whole document.
    pub(super) text: String,
}

impl BookPage {
    fn new(id: impl Into<String>, title: &str, body: &str) -> Self {
        Self { id: id.into(), text: document(title, "", body) }
    }
}

/// Writes all pages.
pub(super) fn pages(book: &EpubBook, contents: &Contents, texts: &[XhtmlPage]) -> Vec<BookPage> {
    let mut pages = Vec::new();
    pages.extend(book.details.cover.as_ref().map(cover_page));
    pages.push(title_page(book.work));
    pages.push(BookPage::new("contents", "目次", &contents.page()));
    let mut starts = chapter_starts(book).enumerate().peekable();
    for (at, (episode, text)) in book.episodes.iter().zip(texts).enumerate() {
        if let Some((number, (_, heading))) = starts.next_if(|(_, (start, _))| *start == at) {
            let body = format!("<section class=\"chapter\">\n<h1>{}</h1>\n</section>\n", upright(or_untitled(heading)));
            pages.push(BookPage::new(chapter_id(number), heading, &body));
        }
        for (file, body) in text.full.iter().chain([&text.body]).enumerate() {
            pages.push(BookPage::new(episode_id(at, file), &episode.title, body));
        }
    }
    pages.extend(book.details.colophon.as_ref().map(|colophon| colophon_page(book.work, colophon)));
    pages
}

/// Writes the navigation document, which reading systems show as a menu.
pub(super) fn nav(contents: &Contents) -> String {
    document("目次", "", &contents.nav())
}

fn cover_page(cover: &CoverImage) -> BookPage {
    let file = cover.file_name();
    let body =
        format!("<section epub:type=\"cover\" class=\"cover\">\n<img src=\"{file}\" alt=\"表紙\" />\n</section>\n");
    // The style sheet fits the picture to the page.
    BookPage { id: "cover".to_owned(), text: document("表紙", " class=\"cover\"", &body) }
}

fn title_page(work: &WorkTitle) -> BookPage {
    let (title, author) = (upright(or_untitled(&work.title)), upright(or_untitled(&work.author)));
    let body = format!(
        "<section epub:type=\"titlepage\" class=\"titlepage\">\n<h1>{title}</h1>\n<p>{author}</p>\n</section>\n"
    );
    BookPage::new("title", &work.title, &body)
}

/// Writes the colophon with the usual statements in their usual order: title, date and edition, author, publisher,
/// rights. Dates in vertical text are written in kanji.
fn colophon_page(work: &WorkTitle, colophon: &Colophon) -> BookPage {
    let yomi = |yomi: &Option<String>| yomi.as_ref().map(|yomi| format!("（{}）", escaped(yomi))).unwrap_or_default();
    let date = colophon.published;
    let [month, day] = [date.month(), date.day()].map(|number| in_kanji(number.unsigned_abs().into()));
    let mut body = format!(
        "<section epub:type=\"colophon\" class=\"imprint\">\n<h1>{}{}</h1>\n<p>{}年{month}月{day}日　{}発行</p>\n\
         <p>著者　{}{}</p>\n",
        upright(or_untitled(&work.title)),
        yomi(&colophon.title_yomi),
        year_in_kanji(date.year()),
        upright(&colophon.edition),
        upright(or_untitled(&work.author)),
        yomi(&colophon.author_yomi),
    );
    if let Some(publisher) = &colophon.publisher {
        body.push_str(&format!("<p>発行　{}</p>\n", upright(publisher)));
    }
    if let Some(rights) = &colophon.rights {
        body.push_str(&format!("<p class=\"rights\">{}</p>\n", upright(rights)));
    }
    body.push_str("</section>\n");
    BookPage::new(COLOPHON, "奥付", &body)
}

/// Returns a page with a title; `attributes` are those of its body, each after a space.
fn document(title: &str, attributes: &str, body: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="ja" lang="ja">
<head>
<meta charset="UTF-8"/>
<title>{}</title>
<link rel="stylesheet" type="text/css" href="style.css"/>
</head>
<body{attributes}>
{body}</body>
</html>
"#,
        escaped(or_untitled(title))
    )
}
