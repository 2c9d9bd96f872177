//! Books that epubcheck reads without an error and without a warning.
//!
//! It is a Debian package that `./test` installs. Without it these tests fail and say so: a book that nobody checked is no
//! book.

use std::process::Command;

use fumi_novel::publish::epub::{Book, Chapter, Modified, WrittenBook, write};

use crate::{bocchan, every_feature, sample};

/// Where the package puts the program. The command of the same name needs a kernel that starts `.jar` files.
const EPUBCHECK: &str = "/usr/share/java/epubcheck.jar";

/// What epubcheck says of a book: its messages, without those that only inform.
fn complaints(book: &WrittenBook) -> Vec<String> {
    assert!(
        std::path::Path::new(EPUBCHECK).is_file(),
        "{EPUBCHECK} is missing; install it: sudo apt-get install -y --no-install-recommends epubcheck"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("book.epub");
    std::fs::write(&path, &book.output).expect("written");
    let run = Command::new("java")
        .args(["-jar", EPUBCHECK, "--locale", "en"])
        .arg(&path)
        .output()
        .expect("java is missing; install it: sudo apt-get install -y --no-install-recommends default-jre-headless");
    let said = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
    let complaints: Vec<String> = said
        .lines()
        .filter(|line| ["ERROR", "WARNING", "FATAL"].iter().any(|kind| line.starts_with(kind)))
        .map(str::to_owned)
        .collect();
    // It ends with an error exactly if it complains of one, and says so when it has read everything.
    assert!(
        said.contains("EPUBCheck completed") || said.contains("Check finished"),
        "{said}"
    );
    assert_eq!(
        run.status.success(),
        !complaints.iter().any(|line| !line.starts_with("WARNING")),
        "{said}"
    );
    complaints
}

fn modified() -> Modified {
    Modified::parse("2026-01-31T10:00:00Z").expect("a time")
}

#[test]
fn a_novel_is_a_book_without_complaints() {
    let (manuscript, work) = bocchan();
    let book = write(&Book {
        work: &work,
        modified: modified(),
        chapters: vec![Chapter {
            title: work.title.clone(),
            manuscript: &manuscript,
        }],
    });
    assert_eq!(complaints(&book), [""; 0]);
    assert_eq!(book.losses, []);
}

#[test]
fn the_sample_novel_is_a_book_of_three_chapters() {
    let (chapters, work) = sample();
    let book = write(&Book {
        work: &work,
        modified: modified(),
        chapters: chapters
            .iter()
            .map(|(title, manuscript)| Chapter {
                title: title.clone(),
                manuscript,
            })
            .collect(),
    });
    assert_eq!(complaints(&book), [""; 0]);
    assert_eq!(book.losses, []);
    assert_eq!(chapters.len(), 3);
}

#[test]
fn everything_that_a_manuscript_can_have_fits_into_a_book() {
    let (manuscript, work) = every_feature();
    let control = fumi_novel::manuscript::Manuscript::read("\u{b}\u{ffff}", fumi_novel::manuscript::Reading::default());
    let empty = fumi_novel::manuscript::Manuscript::read("", fumi_novel::manuscript::Reading::default());
    let chapters = [("第1話 <灯台>", &manuscript), ("", &control), ("空", &empty)];
    let book = write(&Book {
        work: &work,
        modified: modified(),
        chapters: chapters
            .into_iter()
            .map(|(title, manuscript)| Chapter {
                title: title.to_owned(),
                manuscript,
            })
            .collect(),
    });
    assert_eq!(complaints(&book), [""; 0]);
    let losses: Vec<String> = book
        .losses
        .iter()
        .map(|lost| format!("{} {:?}", lost.chapter, lost.loss.kind))
        .collect();
    assert_eq!(
        losses,
        [
            "0 UnknownCharacter",
            "0 Note",
            "1 Control('\\u{b}')",
            "1 Control('\\u{ffff}')"
        ]
    );
}

/// The check itself must be able to fail.
#[test]
fn a_broken_book_is_complained_of() {
    let (manuscript, work) = every_feature();
    let mut book = write(&Book {
        work: &work,
        modified: modified(),
        chapters: vec![Chapter {
            title: String::new(),
            manuscript: &manuscript,
        }],
    });
    let at = book
        .output
        .windows(8)
        .position(|window| window == b"mimetype")
        .expect("its first part");
    book.output[at] = b'M';
    assert_ne!(complaints(&book), [""; 0]);
}

#[test]
fn equal_books_are_equal_bytes() {
    let (manuscript, work) = every_feature();
    let make = || {
        let chapter = Chapter {
            title: "第1話".to_owned(),
            manuscript: &manuscript,
        };
        let chapters = vec![chapter];
        write(&Book {
            work: &work,
            modified: modified(),
            chapters,
        })
        .output
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
        assert_eq!(Modified::parse(time).is_some(), is_one, "{time}");
    }
}
