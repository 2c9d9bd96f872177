//! Tests of the book of all finished episodes: its details from the settings and its chapters from the plots.

use std::io::{Cursor, Read as _};

use fumi_base::{errors::UserError as _, text::Locale};
use fumi_novel::{
    errors::completion::CompletionError,
    finishing::{self, BOOK},
    writing::UtcTime,
};

use super::Novel;

const SETTINGS: &str = "プロジェクト設定.yaml";
const PNG: &[u8] = include_bytes!("../fixtures/cover.png");
const JPEG: &[u8] = include_bytes!("../fixtures/cover.jpg");

/// Returns the sample novel with two finished episodes.
fn finished() -> Novel {
    let novel = Novel::sample();
    novel.complete(1).expect("completed");
    novel.complete(2).expect("completed");
    novel
}

/// Returns a part of the book as text; `None` if it has no such part.
fn part(novel: &Novel, name: &str) -> Option<String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(novel.bytes(BOOK))).expect("a ZIP file");
    let mut text = String::new();
    archive.by_name(&format!("OEBPS/{name}")).ok()?.read_to_string(&mut text).expect("text");
    Some(text)
}

/// Binds the book and returns the error.
fn refused(novel: &Novel) -> CompletionError {
    let form = |_: &finishing::BookRecord| Vec::new();
    let bound = finishing::build_book(&novel.novel(), None, &super::now(), form, &|| false);
    bound.map(|book| book.is_some()).expect_err("refused")
}

#[test]
fn settings_describe_the_book() {
    let novel = finished();
    novel.write("画像/表紙.jpg", JPEG).write(
        SETTINGS,
        "title: 潮\ntitle_yomi: うしお\nauthor: 作者\nauthor_yomi: さくしゃ\nbook:\n  cover: 画像/表紙.jpg\n  \
         series: {title: 帆待島, volume: 3}\n  publisher: 汐書房\n  edition: 第三版\n  rights: © 作者\n  \
         published: 2025-12-24\n",
    );
    let bound = novel.bind().expect("a book");
    let package = part(&novel, "content.opf").expect("a package");
    for text in ["file-as\">ウシオ<", "file-as\">サクシャ<", ">帆待島<", "group-position\">3<", "cover.jpg", ">汐書房<"]
    {
        assert!(package.contains(text), "{text}: {package}");
    }
    let colophon = part(&novel, "colophon.xhtml").expect("a colophon");
    assert!(colophon.contains("二〇二五年十二月二十四日　第三版発行"), "{colophon}");
    assert!(colophon.contains("（うしお）") && colophon.contains("（さくしゃ）"), "{colophon}");
    assert!(bound.manuscript_pages > 20, "{bound:?}");
}

#[test]
fn the_blurb_of_the_novel_describes_the_book() {
    let novel = finished();
    let package = || part(&novel, "content.opf").expect("a package");
    novel.bind().expect("a book");
    assert!(!package().contains("dc:description"));
    novel.write("10_企画/紹介文.yaml", "blurb: |\n  島の<検潮所>が閉まる。\n\n  　嘘つきは三人。\ntags:\n");
    novel.bind().expect("a book");
    let described = "<dc:description>島の&lt;検潮所&gt;が閉まる。\n\n　嘘つきは三人。</dc:description>";
    assert!(package().contains(described), "{}", package());
}

#[test]
fn a_book_without_settings_of_its_own_is_a_first_edition_of_the_day_in_japan() {
    let novel = finished();
    let evening = UtcTime::parse("2026-01-31T20:00:00Z").expect("a time");
    let form = |record: &finishing::BookRecord| super::yaml(record);
    let (_, changes) =
        finishing::build_book(&novel.novel(), None, &evening, form, &|| false).expect("bound").expect("a book");
    fumi_novel::change_set::apply(&novel.project, None, changes).expect("written");
    let colophon = part(&novel, "colophon.xhtml").expect("a colophon");
    assert!(colophon.contains("二〇二六年二月一日　初版発行"), "{colophon}");
    assert!(!colophon.contains("（") && part(&novel, "cover.xhtml").is_none(), "{colophon}");
}

#[test]
fn chapters_come_from_their_plots_and_from_the_plots_of_episodes() {
    let novel = finished();
    novel.bind().expect("a book");
    let nav = part(&novel, "nav.xhtml").expect("contents");
    assert!(
        nav.contains("<a href=\"chapter-0001.xhtml\">第一章　潮のほまち</a>\n<ol>\n<li><a href=\"episode-0001"),
        "{nav}"
    );
    // The number in an episode's own plot wins.
    novel
        .write("20_プロット/話別/第002話.yaml", "episode_info: {chapter_number: 2}\n")
        .write("20_プロット/章別/第02章.yaml", "chapter_number: 2\ntitle: 引き算\nepisodes: [3, 4]\n");
    novel.bind().expect("a book");
    let nav = part(&novel, "nav.xhtml").expect("contents");
    assert!(
        nav.contains("<a href=\"chapter-0002.xhtml\">第二章　引き算</a>\n<ol>\n<li><a href=\"episode-0002"),
        "{nav}"
    );
    // Without chapters there is one level less.
    std::fs::remove_dir_all(novel.folder.path().join("20_プロット")).expect("removed");
    novel.bind().expect("a book");
    let nav = part(&novel, "nav.xhtml").expect("contents");
    assert!(!nav.contains("chapter-"), "{nav}");
}

#[test]
fn forewords_for_the_web_can_be_left_out_of_the_book() {
    let novel = Novel::empty();
    for number in [1, 2] {
        novel.write(&format!("40_原稿/第00{number}話.md"), "【前書き】\nどうも。\n【本文】\n　本文。\n");
        novel.complete(number).expect("completed");
    }
    novel.bind().expect("a book");
    assert!(part(&novel, "episode-0001.xhtml").expect("an episode").contains("どうも。"));
    novel.write(SETTINGS, "title: 題\nbook: {omit_author_notes: true}\n");
    novel.bind().expect("a book");
    assert!(!part(&novel, "episode-0001.xhtml").expect("an episode").contains("どうも。"));
    // The files for the sites keep it.
    assert_eq!(novel.text(".noveler/publish/episode_001/narou_foreword.txt"), "どうも。\n");
}

#[test]
fn a_changed_cover_makes_a_new_book_and_an_equal_one_does_not() {
    let novel = finished();
    novel.write("cover.png", PNG);
    let first = novel.bind().expect("a book");
    assert!(part(&novel, "content.opf").expect("a package").contains("href=\"cover.png\""));
    let form = |record: &finishing::BookRecord| super::yaml(record);
    let later = UtcTime::parse("2027-01-01T00:00:00Z").expect("a time");
    let again =
        || finishing::build_book(&novel.novel(), None, &later, form, &|| false).expect("bound").expect("a book").0;
    assert_eq!((again().created_at, again().sha256), (first.created_at, first.sha256.clone()));
    novel.write("cover.png", JPEG);
    let changed = again();
    assert_eq!(changed.created_at, later);
    assert_ne!(changed.sha256, first.sha256);
}

#[test]
fn an_unusable_cover_is_refused_with_its_reason() {
    let novel = finished();
    novel
        .write("文.png", "画像ではない")
        .write("大きい.png", [PNG, &vec![0; 9 << 20]].concat())
        .write("表紙絵.png", PNG);
    for (cover, said) in [
        ("表紙画.png", "近い名前: 表紙絵.png"),
        ("文.png", "PNG 画像でも JPEG 画像でもありません"),
        ("大きい.png", "バイト"),
        ("40_原稿", "フォルダー"),
        ("../外.png", "「..」"),
        ("/etc/hostname", "プロジェクト"),
    ] {
        novel.write(SETTINGS, format!("title: 題\nbook: {{cover: {cover}}}\n"));
        let error = refused(&novel).error_message();
        assert_eq!(error.code, "P002", "{cover}");
        let message = error.message.get(Locale::Ja);
        assert!(message.contains(said) && message.contains("本の表紙に使えません"), "{cover}: {message}");
        assert!(error.next.get(Locale::Ja).contains("book.cover"), "{}", error.next.ja);
    }
    // A file of a conventional name is taken for a cover, so it must be one as well.
    novel.write(SETTINGS, "title: 題\n").write("表紙.png", "画像ではない");
    assert!(refused(&novel).error_message().message.en.contains("PNG or JPEG"));
}

#[test]
fn broken_settings_finish_no_episode() {
    let novel = Novel::sample();
    novel.write(SETTINGS, "title: 題\nbook: {published: 去年}\n");
    let error = novel.complete(1).expect_err("refused").error_message();
    assert_eq!(error.code, "P002");
    assert!(
        error.message.ja.contains("「book.published」") && error.message.ja.contains("2026-01-31"),
        "{}",
        error.message.ja
    );
}
