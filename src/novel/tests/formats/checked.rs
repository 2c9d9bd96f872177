//! Tests that epubcheck reads our books without errors or warnings.
//!
//! epubcheck is a Debian package that `./test` installs. Without it these tests fail with a hint, so that no book is
//! left unchecked.

use std::{
    io::{Cursor, Read as _},
    process::Command,
};

use fumi_novel::{
    manuscript::{Manuscript, ManuscriptOptions},
    publish::epub::{EpubBook, EpubChapter, EpubTime, WrittenBook, write},
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

fn modified() -> EpubTime {
    EpubTime::parse("2026-01-31T10:00:00Z").expect("a time")
}

#[test]
#[ignore = "needs epubcheck"]
fn epubcheck_accepts_a_novel() {
    let (manuscript, work) = bocchan();
    let book = write(&EpubBook {
        work: &work,
        modified: modified(),
        chapters: vec![EpubChapter { title: work.title.clone(), manuscript: &manuscript }],
    });
    assert_eq!(complaints(&book), [""; 0]);
    assert_eq!(book.losses, []);
    let files = chapter_files(&book);
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    // Files are split only before headings: no file is too large for a reading system, and none is tiny.
    assert!((4..=9).contains(&names.len()), "{names:?}");
    assert_eq!(names[..2], ["OEBPS/chapter-0001-02.xhtml", "OEBPS/chapter-0001-03.xhtml"]);
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
    let chapter = EpubChapter { title: "第1話".to_owned(), manuscript: &manuscript };
    let book = write(&EpubBook { work: &work, modified: modified(), chapters: vec![chapter] });
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
        names.filter(|name| name.contains("/chapter-")).map(|name| (name.clone(), part(book, &name))).collect();
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
    let book = write(&EpubBook {
        work: &work,
        modified: modified(),
        chapters: chapters.iter().map(|(title, manuscript)| EpubChapter { title: title.clone(), manuscript }).collect(),
    });
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
    let book = write(&EpubBook {
        work: &work,
        modified: modified(),
        chapters: chapters
            .into_iter()
            .map(|(title, manuscript)| EpubChapter { title: title.to_owned(), manuscript })
            .collect(),
    });
    assert_eq!(complaints(&book), [""; 0]);
    let losses: Vec<String> = book.losses.iter().map(|lost| format!("{} {:?}", lost.chapter, lost.loss.kind)).collect();
    assert_eq!(losses, ["0 UnknownCharacter", "0 Note", "1 Control('\\u{b}')", "1 Control('\\u{ffff}')"]);
}

/// Checks that the validation itself can fail.
#[test]
#[ignore = "needs epubcheck"]
fn epubcheck_rejects_a_broken_book() {
    let (manuscript, work) = every_feature();
    let mut book = write(&EpubBook {
        work: &work,
        modified: modified(),
        chapters: vec![EpubChapter { title: String::new(), manuscript: &manuscript }],
    });
    let at = book.output.windows(8).position(|window| window == b"mimetype").expect("its first part");
    book.output[at] = b'M';
    assert_ne!(complaints(&book), [""; 0]);
}

#[test]
fn equal_books_are_equal_bytes() {
    let (manuscript, work) = every_feature();
    let make = || {
        let chapter = EpubChapter { title: "第1話".to_owned(), manuscript: &manuscript };
        let chapters = vec![chapter];
        write(&EpubBook { work: &work, modified: modified(), chapters }).output
    };
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
