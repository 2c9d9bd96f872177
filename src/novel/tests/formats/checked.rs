//! Tests that epubcheck reads our books without errors or warnings.
//!
//! epubcheck is a Debian package that `./test` installs. Without it these tests fail with a hint, so that no book is
//! left unchecked.

use std::{
    io::{Cursor, Read as _},
    process::Command,
};

use fumi_novel::{
    manuscript::{Manuscript, ManuscriptOptions, ManuscriptPart},
    publish::{
        AuthorNotes, PublishLossKind, WorkTitle,
        epub::{BookDetails, Colophon, CoverImage, EpubBook, EpubEpisode, EpubSeries, EpubTime, WrittenBook, write},
    },
};

use super::{bocchan, every_feature, sample};

/// The path of the packaged program. The command `epubcheck` needs a kernel that can start `.jar` files.
const EPUBCHECK: &str = "/usr/share/java/epubcheck.jar";

/// Returns epubcheck's messages about a book, except informational ones.
fn complaints(book: &WrittenBook) -> Vec<String> {
    assert!(
        std::path::Path::new(EPUBCHECK).is_file(),
        "{EPUBCHECK} is missing; install it: sudo apt-get install -y --no-install-recommends epubcheck"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("book.epub");
    std::fs::write(&path, &book.output).expect("written");
    let run =
        Command::new("java").args(["-jar", EPUBCHECK, "--locale", "en"]).arg(&path).output().expect(
            "java is missing; install it: sudo apt-get install -y --no-install-recommends default-jre-headless",
        );
    let said = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
    let complaints: Vec<String> = said
        .lines()
        .filter(|line| ["ERROR", "WARNING", "FATAL"].iter().any(|kind| line.starts_with(kind)))
        .map(str::to_owned)
        .collect();
    // The exit status is an error exactly if errors are reported; this text appears when everything was read.
    assert!(said.contains("EPUBCheck completed") || said.contains("Check finished"), "{said}");
    assert_eq!(run.status.success(), !complaints.iter().any(|line| !line.starts_with("WARNING")), "{said}");
    complaints
}

/// Writes a book of titles and texts, without anything else.
fn plain_book<'a>(work: &WorkTitle, episodes: impl IntoIterator<Item = (&'a str, &'a Manuscript)>) -> WrittenBook {
    let episodes = episodes.into_iter().map(|(title, manuscript)| (None, title, manuscript));
    written(work, &BookDetails::default(), episodes)
}

/// Writes a book of chapters, titles and texts.
fn written<'a>(
    work: &WorkTitle,
    details: &BookDetails,
    episodes: impl IntoIterator<Item = (Option<&'a str>, &'a str, &'a Manuscript)>,
) -> WrittenBook {
    let episodes = episodes.into_iter().map(|(chapter, title, manuscript)| EpubEpisode {
        title: title.to_owned(),
        chapter: chapter.map(str::to_owned),
        manuscript,
    });
    let modified = EpubTime::parse("2026-01-31T10:00:00Z").expect("a time");
    write(&EpubBook { work, details, modified, episodes: episodes.collect() })
}

#[test]
#[ignore = "needs epubcheck"]
fn epubcheck_accepts_a_novel() {
    let (manuscript, work) = bocchan();
    let book = plain_book(&work, [(work.title.as_str(), &manuscript)]);
    assert_eq!(complaints(&book), [""; 0]);
    assert_eq!(book.losses, []);
    let files = chapter_files(&book);
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    // Files are split only before headings: no file is too large for a reading system, and none is tiny.
    assert!((4..=9).contains(&names.len()), "{names:?}");
    assert_eq!(names[..2], ["OEBPS/episode-0001-02.xhtml", "OEBPS/episode-0001-03.xhtml"]);
    assert!(files.iter().all(|(_, text)| text.len() < 96 << 10));
    let cut = files[..files.len() - 1].iter();
    for (name, text) in cut {
        let story = text.split_once("<section class=\"story\">\n").expect("a section").1;
        assert!(story.starts_with("<h2 id="), "{name}");
    }
    for (_, text) in &files {
        assert_eq!(text.matches("<section").count(), text.matches("</section>").count());
    }
    let contents = part(&book, "OEBPS/nav.xhtml");
    for heading in 1..=11 {
        let file = files.iter().find(|(_, text)| text.contains(&format!("id=\"h{heading}\"")));
        let (name, _) = file.expect("a heading");
        let link = format!("{}#h{heading}\"", name.trim_start_matches("OEBPS/"));
        assert!(contents.contains(&link), "{link}");
    }
}

#[test]
#[ignore = "needs epubcheck"]
fn a_chapter_without_headings_is_cut_between_scenes_and_else_between_paragraphs() {
    let paragraph = format!("　{}\n", "潮".repeat(400));
    let scene = paragraph.repeat(60);
    let source = format!("# 第1話\n\n{scene}{scene}＊＊＊\n{}", scene.repeat(6));
    let manuscript = Manuscript::read(source, ManuscriptOptions::default());
    let (_, work) = bocchan();
    let book = plain_book(&work, [("第1話", &manuscript)]);
    assert_eq!(complaints(&book), [""; 0]);
    let mut files = chapter_files(&book);
    files.sort_by_key(|(name, _)| name.replace(".xhtml", ""));
    assert!(files.len() > 2 && files.iter().all(|(_, text)| text.len() < 200 << 10));
    let first = files[1].1.split_once("<section class=\"story\">\n").expect("a section").1;
    assert!(first.starts_with("<p class=\"break\">＊＊＊</p>"), "{}", &first[..60]);
    let letters: usize = files.iter().map(|(_, text)| text.matches('潮').count()).sum();
    assert_eq!(letters, 400 * 60 * 8);
}

/// Returns the files of a book's chapters, by name.
fn chapter_files(book: &WrittenBook) -> Vec<(String, String)> {
    let archive = zip::ZipArchive::new(Cursor::new(&book.output)).expect("a ZIP file");
    let names = archive.file_names().map(|name| name.expect("a name").into_owned());
    let mut files: Vec<(String, String)> =
        names.filter(|name| name.contains("/episode-")).map(|name| (name.clone(), part(book, &name))).collect();
    files.sort();
    files
}

/// Returns the contents of a file in a book.
fn part(book: &WrittenBook, name: &str) -> String {
    let mut archive = zip::ZipArchive::new(Cursor::new(&book.output)).expect("a ZIP file");
    let mut text = String::new();
    let mut file = archive.by_name(name).expect(name);
    file.read_to_string(&mut text).expect("text");
    text
}

#[test]
#[ignore = "needs epubcheck"]
fn the_sample_novel_is_a_book_of_three_chapters() {
    let (chapters, work) = sample();
    let book = plain_book(&work, chapters.iter().map(|(title, manuscript)| (title.as_str(), manuscript)));
    assert_eq!(complaints(&book), [""; 0]);
    assert_eq!(book.losses, []);
    assert_eq!(chapters.len(), 3);
}

#[test]
#[ignore = "needs epubcheck"]
fn everything_that_a_manuscript_can_have_fits_into_a_book() {
    let (manuscript, work) = every_feature();
    let control =
        fumi_novel::manuscript::Manuscript::read("\u{b}\u{ffff}", fumi_novel::manuscript::ManuscriptOptions::default());
    let empty = fumi_novel::manuscript::Manuscript::read("", fumi_novel::manuscript::ManuscriptOptions::default());
    let chapters = [("第1話 <灯台>", &manuscript), ("", &control), ("空", &empty)];
    let book = plain_book(&work, chapters);
    assert_eq!(complaints(&book), [""; 0]);
    let losses: Vec<String> = book.losses.iter().map(|lost| format!("{} {:?}", lost.episode, lost.loss.kind)).collect();
    assert_eq!(losses, ["0 UnknownCharacter", "0 Note", "1 Control('\\u{b}')", "1 Control('\\u{ffff}')"]);
}

/// Returns the details of a book that has all of them.
fn all_details(cover: &[u8]) -> BookDetails {
    BookDetails {
        title_sort_key: Some("トウダイトネコ".to_owned()),
        author_sort_key: Some("サクシャ & ナカマ".to_owned()),
        description: Some("島に<灯>がともる。\n\n　猫 & 灯台の記。".to_owned()),
        series: Some(EpubSeries { title: "灯台 <記>".to_owned(), volume: Some(2) }),
        cover: Some(CoverImage::read(cover.to_vec()).expect("an image")),
        colophon: Some(Colophon {
            published: jiff::civil::date(2026, 2, 11),
            edition: "第2版".to_owned(),
            title_yomi: Some("とうだいとねこ".to_owned()),
            author_yomi: Some("さくしゃ".to_owned()),
            publisher: Some("汐 & 書房".to_owned()),
            rights: Some("© 2026 <作者>".to_owned()),
        }),
        author_notes: AuthorNotes::Kept,
    }
}

const PNG: &[u8] = include_bytes!("../fixtures/cover.png");
const JPEG: &[u8] = include_bytes!("../fixtures/cover.jpg");

/// Writes a book with all details, two chapters, an episode before them and a chapter that continues.
fn full_book(cover: &[u8]) -> WrittenBook {
    let (manuscript, work) = every_feature();
    let episodes = [
        (None, "序"),
        (Some("第一章　灯台"), "第1話"),
        (Some("第一章　灯台"), "第2話"),
        (Some("第二章　猫 & 猫"), "第3話"),
    ];
    written(&work, &all_details(cover), episodes.map(|(chapter, title)| (chapter, title, &manuscript)))
}

#[test]
#[ignore = "needs epubcheck"]
fn epubcheck_accepts_a_book_with_cover_chapters_and_colophon() {
    for cover in [PNG, JPEG] {
        assert_eq!(complaints(&full_book(cover)), [""; 0]);
    }
}

#[test]
fn details_of_a_book_are_in_its_package() {
    let package = part(&full_book(JPEG), "OEBPS/content.opf");
    for line in [
        r##"<meta refines="#main-title" property="file-as">トウダイトネコ</meta>"##,
        r##"<meta refines="#author" property="file-as">サクシャ &amp; ナカマ</meta>"##,
        r#"<meta property="belongs-to-collection" id="series">灯台 &lt;記&gt;</meta>"#,
        r##"<meta refines="#series" property="collection-type">series</meta>"##,
        r##"<meta refines="#series" property="group-position">2</meta>"##,
        "<dc:description>島に&lt;灯&gt;がともる。\n\n　猫 &amp; 灯台の記。</dc:description>",
        "<dc:date>2026-02-11</dc:date>",
        "<dc:publisher>汐 &amp; 書房</dc:publisher>",
        "<dc:rights>© 2026 &lt;作者&gt;</dc:rights>",
        r#"<item id="cover-image" href="cover.jpg" media-type="image/jpeg" properties="cover-image"/>"#,
        r#"<spine toc="ncx" page-progression-direction="rtl">"#,
    ] {
        assert!(package.contains(line), "{line}: {package}");
    }
    let order: Vec<&str> =
        package.split("<itemref idref=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(
        order,
        [
            "cover",
            "title",
            "contents",
            "episode-0001",
            "chapter-0001",
            "episode-0002",
            "episode-0003",
            "chapter-0002",
            "episode-0004",
            "colophon"
        ]
    );
}

#[test]
fn contents_have_chapters_above_their_episodes_for_new_and_old_readers() {
    let book = full_book(PNG);
    let nav = part(&book, "OEBPS/nav.xhtml");
    // The headings within an episode are the level below it.
    let levels = levels_of(&nav);
    assert_eq!(
        levels[..8],
        [
            "1 episode-0001.xhtml",
            "2 episode-0001.xhtml#h1",
            "2 episode-0001.xhtml#h2",
            "1 chapter-0001.xhtml",
            "2 episode-0002.xhtml",
            "3 episode-0002.xhtml#h1",
            "3 episode-0002.xhtml#h2",
            "2 episode-0003.xhtml",
        ]
    );
    assert!(nav.contains("<a href=\"chapter-0002.xhtml\">第二章　猫 &amp; 猫</a>"), "{nav}");
    for landmark in [
        "epub:type=\"cover\" href=\"cover.xhtml\"",
        "epub:type=\"titlepage\" href=\"title.xhtml\"",
        "epub:type=\"toc\" href=\"contents.xhtml\"",
        "epub:type=\"bodymatter\" href=\"episode-0001.xhtml\"",
        "epub:type=\"colophon\" href=\"colophon.xhtml\"",
    ] {
        assert!(nav.contains(landmark), "{landmark}: {nav}");
    }
    assert!(part(&book, "OEBPS/cover.xhtml").contains("<body class=\"cover\">"));
    // The page to read has the same entries, with 縦中横; old readers get them in the same order.
    let page = part(&book, "OEBPS/contents.xhtml");
    assert_eq!(levels_of(&page.replace("</section>", "</nav>")), levels);
    assert!(page.contains("第<span class=\"tcy\">1</span>話") && nav.contains(">第1話<"), "{page}");
    let ncx = part(&book, "OEBPS/toc.ncx");
    let points: Vec<&str> = ncx.split("<content src=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let links: Vec<&str> = levels.iter().filter_map(|entry| entry.split_once(' ')).map(|(_, link)| link).collect();
    assert_eq!(points, links);
    assert!(ncx.contains("<meta name=\"dtb:depth\" content=\"3\"/>"), "{ncx}");
    let package = part(&book, "OEBPS/content.opf");
    let identifier = package.split("book-id\">").nth(1).and_then(|rest| rest.split('<').next()).expect("an identifier");
    assert!(ncx.contains(identifier), "{ncx}");
}

/// Returns the links in the table of contents, each with its level.
fn levels_of(nav: &str) -> Vec<String> {
    let (toc, _) = nav.split_once("</nav>").expect("a table of contents");
    let (mut level, mut entries) = (0, Vec::new());
    for tag in toc.split('<') {
        match tag.split(['>', ' ']).next() {
            Some("ol") => level += 1,
            Some("/ol") => level -= 1,
            Some("a") => entries.push(format!("{level} {}", tag.split('"').nth(1).expect("a link"))),
            _ => {}
        }
    }
    entries
}

#[test]
fn a_colophon_states_date_edition_people_and_rights() {
    let colophon = part(&full_book(PNG), "OEBPS/colophon.xhtml");
    for line in [
        "<h1>灯台と猫 &lt;&amp;&gt; &quot;1&quot;（とうだいとねこ）</h1>",
        "<p>二〇二六年二月十一日　第<span class=\"tcy\">2</span>版発行</p>",
        "<p>著者　作者 &amp; 仲間（さくしゃ）</p>",
        "<p>発行　汐 &amp; 書房</p>",
        "<p class=\"rights\">© 2026 &lt;作者&gt;</p>",
    ] {
        assert!(colophon.contains(line), "{line}: {colophon}");
    }
    let (manuscript, work) = every_feature();
    let plain = plain_book(&work, [("題", &manuscript)]);
    let archive = zip::ZipArchive::new(Cursor::new(&plain.output)).expect("a ZIP file");
    let names: Vec<String> = archive.file_names().map(|name| name.expect("a name").into_owned()).collect();
    assert!(!names.iter().any(|name| name.contains("colophon") || name.contains("cover")), "{names:?}");
}

#[test]
fn a_book_without_author_notes_lists_what_was_left_out() {
    let source = "# 第1話\n\n【前書き】\nどうも。\n【本文】\n　本文。\n【後書き】\nまた。\n";
    let manuscript = Manuscript::read(source, ManuscriptOptions::default());
    let (_, work) = every_feature();
    let details = BookDetails { author_notes: AuthorNotes::LeftOut, ..BookDetails::default() };
    let book = written(&work, &details, [(None, "第1話", &manuscript)]);
    let text = part(&book, "OEBPS/episode-0001.xhtml");
    assert!(text.contains("本文。") && !text.contains("どうも。") && !text.contains("また。"), "{text}");
    let losses: Vec<PublishLossKind> = book.losses.iter().map(|lost| lost.loss.kind).collect();
    assert_eq!(losses, [ManuscriptPart::Foreword, ManuscriptPart::Afterword].map(PublishLossKind::LeftOut));
    let kept = plain_book(&work, [("第1話", &manuscript)]);
    assert!(part(&kept, "OEBPS/episode-0001.xhtml").contains("どうも。") && kept.losses.is_empty());
}

/// Checks that the validation itself can fail.
#[test]
#[ignore = "needs epubcheck"]
fn epubcheck_rejects_a_broken_book() {
    let (manuscript, work) = every_feature();
    let mut book = plain_book(&work, [("", &manuscript)]);
    let at = book.output.windows(8).position(|window| window == b"mimetype").expect("its first part");
    book.output[at] = b'M';
    assert_ne!(complaints(&book), [""; 0]);
}

#[test]
fn equal_books_are_equal_bytes() {
    let (manuscript, work) = every_feature();
    let make = || plain_book(&work, [("第1話", &manuscript)]).output;
    assert_eq!(make(), make());
}

#[test]
fn times_have_one_form() {
    for (time, is_one) in [
        ("2026-01-31T10:00:00Z", true),
        ("2026-01-31T10:00:00+09:00", false),
        ("2026-1-31T10:00:00Z", false),
        ("２026-01-31T10:00:0Z", false),
        ("", false),
    ] {
        assert_eq!(EpubTime::parse(time).is_some(), is_one, "{time}");
    }
}
