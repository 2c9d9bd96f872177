//! Tests of searches: which files are searched, what is counted, and which rows are kept.

use std::{fs, os::unix::fs::symlink, sync::Arc, time::SystemTime};

use fumi_base::project::Project;
use tokio_util::sync::CancellationToken;

use super::{RowDemand, ScopeOptions, SearchMatches, SearchScope, SearchTargets, search, search_found};
use crate::{
    errors::search::SearchError,
    listing::{FileFilter, FileOptions, ListingDetail, ListingRequest, ListingSort},
    skipped::SkipReason,
    text_query::{QuerySyntax, TextQuery, TextQueryOptions},
};

const MOST: u64 = 100 << 20;
const ROWS: RowDemand = RowDemand::Rows { keep: 10_000 };

fn project(files: &[(&str, &[u8])]) -> (tempfile::TempDir, Arc<Project>) {
    let root = tempfile::tempdir().expect("a folder");
    for (file, content) in files {
        let path = root.path().join(file);
        fs::create_dir_all(path.parent().expect("below the root")).expect("a folder");
        fs::write(path, content).expect("a file");
    }
    let project = Project::open(root.path()).expect("a project");
    (root, project)
}

fn found(project: &Arc<Project>, files: &[&str], options: &TextQueryOptions, need: RowDemand) -> SearchMatches {
    let targets = SearchTargets {
        files: files.iter().map(|file| project.resolve(file).expect("inside")).collect(),
        ..SearchTargets::default()
    };
    let scope = SearchScope::new(project, &ScopeOptions::default(), MOST).expect("valid");
    let query = TextQuery::new(options).expect("valid");
    search(&query, &targets, &scope, need, &CancellationToken::new()).expect("not cancelled")
}

/// Returns `path:line:text` of each row.
fn rows(matches: &SearchMatches) -> Vec<String> {
    let file = |file: &super::FileMatches| {
        let path = file.path.shown();
        file.lines.iter().map(move |line| format!("{path}:{}:{}", line.line, line.text)).collect::<Vec<_>>()
    };
    matches.files.iter().flat_map(file).collect()
}

#[test]
fn exactly_the_named_files_are_searched_even_hidden_and_once() {
    let (_root, project) =
        project(&[("a/__init__.py", b"x = 1\n"), ("b/__init__.py", b"x = 2\n"), (".env", b"x = 3\n")]);
    let options = TextQueryOptions::new("x =");
    let one = found(&project, &["a/__init__.py", "./a/__init__.py"], &options, ROWS);
    assert_eq!(rows(&one), ["a/__init__.py:1:x = 1"]);
    let hidden = found(&project, &[".env", "."], &options, ROWS);
    assert_eq!((hidden.total_matches, hidden.total_files()), (3, 3));
}

#[test]
fn japanese_files_are_found_in_every_encoding() {
    let text = "吾輩は猫である。\n名前はまだ無い。\nどこで生れたかとんと見当がつかぬ。\n";
    let sjis = encode("shift_jis", text);
    let euc = encode("euc-jp", text);
    let jis = encode("iso-2022-jp", text);
    let utf_16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked = [b"\xff\xfe".as_slice(), &utf_16].concat();
    let (_root, project) =
        project(&[("e.txt", &euc), ("j.txt", &jis), ("m.txt", &marked), ("s.txt", &sjis), ("u.txt", text.as_bytes())]);
    let matches = found(&project, &[], &TextQueryOptions::new("名前"), ROWS);
    let each: Vec<_> = ["e", "j", "m", "s", "u"].iter().map(|f| format!("{f}.txt:2:名前はまだ無い。")).collect();
    assert_eq!(rows(&matches), each);
    assert_eq!(matches.files[0].lines[0].spans, [[0, 2]]);
    let encodings: Vec<_> = matches.files.iter().map(|file| file.encoding.as_deref()).collect();
    assert_eq!(encodings, [Some("euc-jp"), Some("iso-2022-jp"), Some("utf-16le"), Some("shift_jis"), None]);
}

fn encode(label: &str, text: &str) -> Vec<u8> {
    match fumi_base::encoding::EncodingChoice::parse(label).expect("known") {
        fumi_base::encoding::EncodingChoice::Fixed(encoding) => encoding.encode(text).0.into_owned(),
        fumi_base::encoding::EncodingChoice::Auto => panic!("a fixed encoding"),
    }
}

#[test]
fn one_broken_character_does_not_make_a_file_latin() {
    let content = [("文".repeat(50) + "\n").as_bytes(), b"\xff\n", "文字\n".as_bytes()].concat();
    let (_root, project) = project(&[("a.txt", &content)]);
    assert_eq!(rows(&found(&project, &[], &TextQueryOptions::new("文字"), ROWS)), ["a.txt:3:文字"]);
}

#[test]
fn context_lines_appear_once() {
    let (_root, project) = project(&[("a.txt", b"1\n2\nhit\n4\n5\nhit\n7\n")]);
    let mut options = TextQueryOptions::new("hit");
    (options.context_before, options.context_after) = (2, 1);
    let matches = found(&project, &[], &options, ROWS);
    let [first, second] = &matches.files[0].lines[..] else {
        panic!("two rows");
    };
    assert_eq!((first.context_before.join(","), first.context_after.join(",")), ("1,2".into(), "4".into()));
    assert_eq!((second.context_before.join(","), second.context_after.join(",")), ("5".into(), "7".into()));
}

#[test]
fn rows_are_bounded_and_counts_are_exact() {
    let many = "hit hit\n".repeat(1_000);
    let (_root, project) = project(&[("a", many.as_bytes()), ("b", many.as_bytes()), ("c", b"hit\n")]);
    let options = TextQueryOptions::new("hit");
    let cut = found(&project, &[], &options, RowDemand::Rows { keep: 1_005 });
    assert_eq!((cut.total_matches, cut.total_lines, cut.total_files()), (4_001, 2_001, 3));
    let kept: Vec<_> = cut.files.iter().map(|file| file.lines.len()).collect();
    assert_eq!((kept, cut.complete), (vec![1_000, 5, 0], false));
    let all = found(&project, &[], &options, ROWS);
    assert_eq!((all.rows(), all.complete), (2_001, true));
    let top = found(&project, &[], &options, RowDemand::Top { files: 1, rows: 3 });
    let kept: Vec<_> = top.files.iter().map(|file| file.lines.len()).collect();
    assert_eq!((kept, top.total_matches), (vec![3, 0, 0], 4_001));
    let counts = found(&project, &[], &options, RowDemand::Counts);
    assert_eq!((counts.total_matches, counts.rows()), (4_001, 0));
}

#[test]
fn matches_across_lines_are_one_row() {
    let (_root, project) = project(&[("a.rs", b"fn a(\n    x: u8,\n) {}\nfn b() {}\n")]);
    let mut options = TextQueryOptions::new(r"fn a\([^)]*\)");
    options.multiline = true;
    let matches = found(&project, &[], &options, ROWS);
    assert_eq!(rows(&matches), ["a.rs:1:fn a(\n    x: u8,\n) {}"]);
    assert_eq!((matches.total_matches, matches.total_lines), (1, 3));
}

#[test]
fn binary_files_count_only_when_named() {
    let (_root, project) = project(&[("a.bin", b"hit\n\0\nhit\n"), ("b.txt", b"hit\n")]);
    let options = TextQueryOptions::new("hit");
    let walked = found(&project, &["."], &options, ROWS);
    assert_eq!((rows(&walked), walked.total_matches), (vec!["b.txt:1:hit".to_owned()], 1));
    let named = found(&project, &["a.bin"], &options, ROWS);
    assert_eq!((rows(&named), named.total_matches), (vec!["a.bin:1:hit".to_owned()], 2));
    assert_eq!(named.skipped.examples[0].reason, SkipReason::BinaryMatches);
}

#[test]
fn links_that_leave_the_project_are_not_searched() {
    let (root, project) = project(&[("a.txt", b"hit\n")]);
    let outside = tempfile::tempdir().expect("a folder");
    fs::write(outside.path().join("b.txt"), "hit\n").expect("a file");
    symlink(outside.path(), root.path().join("out")).expect("a link");
    symlink(outside.path().join("b.txt"), root.path().join("b.txt")).expect("a link");
    let options = ScopeOptions {
        traversal: crate::walk::Traversal { follow_symlinks: true, ..Default::default() },
        ..ScopeOptions::default()
    };
    let scope = SearchScope::new(&project, &options, MOST).expect("valid");
    let query = TextQuery::new(&TextQueryOptions::new("hit")).expect("valid");
    let matches =
        search(&query, &SearchTargets::default(), &scope, ROWS, &CancellationToken::new()).expect("not cancelled");
    assert_eq!(rows(&matches), ["a.txt:1:hit"]);
    let skipped: Vec<_> = matches.skipped.examples.iter().map(|skipped| skipped.path.as_str()).collect();
    assert_eq!(skipped, ["b.txt", "out"]);
}

#[test]
fn search_found_keeps_to_listing_and_globs() {
    let (_root, project) = project(&[
        ("src/big.rs", b"hit hit hit, and more of it\n"),
        ("src/small.rs", b"hit\n"),
        ("src/skip/other.rs", b"hit hit hit hit hit hit hit hit\n"),
        ("notes.txt", b"hit\n"),
    ]);
    let filter = FileFilter::new(
        &project,
        &[],
        &FileOptions { extensions: vec!["rs".to_owned()], ..FileOptions::default() },
        SystemTime::now(),
    )
    .expect("valid");
    let wanted = ListingRequest { detail: ListingDetail::Metadata, sort: ListingSort::Size, keep: 2 };
    let listing = filter.list(wanted, &CancellationToken::new()).expect("not cancelled");
    let options = ScopeOptions { exclude_globs: vec!["skip/".to_owned()], ..ScopeOptions::default() };
    let scope = SearchScope::new(&project, &options, MOST).expect("valid");
    let query = TextQuery::new(&TextQueryOptions::new("hit")).expect("valid");
    let matches = search_found(&query, &listing, &scope, ROWS, &CancellationToken::new()).expect("not cancelled");
    assert_eq!((listing.total_count, matches.searched_files), (3, 1));
    assert_eq!(rows(&matches), ["src/big.rs:1:hit hit hit, and more of it"]);
}

#[test]
fn too_large_files_are_reported() {
    let (_root, project) = project(&[("a.log", b"hit, and some more\n"), ("b", b"hit\n")]);
    let scope = SearchScope::new(&project, &ScopeOptions::default(), 10).expect("valid");
    let query = TextQuery::new(&TextQueryOptions::new("hit")).expect("valid");
    let matches =
        search(&query, &SearchTargets::default(), &scope, ROWS, &CancellationToken::new()).expect("not cancelled");
    assert_eq!(rows(&matches), ["b:1:hit"]);
    let skipped = &matches.skipped.examples[0];
    assert_eq!((skipped.path.as_str(), skipped.reason), ("a.log", SkipReason::TooLarge));
}

#[test]
fn pcre2_supports_look_around() {
    let (_root, project) = project(&[("a", b"foobar foobaz\n")]);
    let mut options = TextQueryOptions::new("foo(?!bar)");
    options.syntax = QuerySyntax::Pcre2;
    let matches = found(&project, &[], &options, ROWS);
    assert_eq!(matches.files[0].lines[0].spans, [[7, 10]]);
}

#[test]
fn cancelled_search_stops_and_errors_are_collected() {
    let (_root, project) = project(&[("a", b"hit\n")]);
    let scope = SearchScope::new(&project, &ScopeOptions::default(), MOST).expect("valid");
    let query = TextQuery::new(&TextQueryOptions::new("hit")).expect("valid");
    let cancel = CancellationToken::new();
    cancel.cancel();
    let stopped = search(&query, &SearchTargets::default(), &scope, ROWS, &cancel);
    assert_eq!(stopped.expect_err("cancelled"), SearchError::Cancelled);
    let options = ScopeOptions {
        include_globs: vec!["[".to_owned()],
        exclude_globs: vec!["{a".to_owned()],
        max_filesize: Some("10MB".to_owned()),
        ..ScopeOptions::default()
    };
    assert_eq!(SearchScope::new(&project, &options, MOST).expect_err("refused").len(), 3);
}
