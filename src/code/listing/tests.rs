//! Tests of file searches: what is found and counted, in which order, and which options are refused.

use std::{fs, os::unix::fs::symlink, path::Path, sync::Arc, time::SystemTime};

use fumi_base::project::Project;
use tokio_util::sync::CancellationToken;

use super::{FileFilter, FileListing, FileOptions, ListingDetail, ListingRequest, ListingSort, Traversal};
use crate::{errors::search::SearchError, skipped::SkipReason};

fn tree(files: &[&str]) -> (tempfile::TempDir, Arc<Project>) {
    let root = tempfile::tempdir().expect("a folder");
    for file in files {
        let path = root.path().join(file);
        fs::create_dir_all(path.parent().expect("below the root")).expect("a folder");
        fs::write(path, file).expect("a file");
    }
    let project = Project::open(root.path()).expect("a project");
    (root, project)
}

fn list(project: &Arc<Project>, roots: &[&str], options: &FileOptions, wanted: ListingRequest) -> FileListing {
    let roots: Vec<_> = roots.iter().map(|root| project.resolve(root).expect("inside")).collect();
    FileFilter::new(project, &roots, options, SystemTime::now())
        .expect("valid")
        .list(wanted, &CancellationToken::new())
        .expect("not cancelled")
}

const ALL: ListingRequest = ListingRequest { detail: ListingDetail::Names, sort: ListingSort::Path, keep: 10_000 };

fn names(listing: &FileListing) -> Vec<String> {
    listing.entries.iter().map(|entry| entry.path.shown()).collect()
}

#[test]
fn overlapping_roots_and_files_as_roots_count_once() {
    let (_root, project) = tree(&["a/x.py", "a/b/y.py", "a/b/z.txt"]);
    let options = FileOptions { extensions: vec!["PY".to_owned()], ..FileOptions::default() };
    let listing = list(&project, &["a", "a/b", ".", "a/b/y.py"], &options, ALL);
    assert_eq!(names(&listing), ["a/b/y.py", "a/x.py"]);
    assert_eq!(listing.total_count, 2);
    assert_eq!(names(&list(&project, &["a/b/y.py"], &options, ALL)), ["a/b/y.py"]);
}

#[test]
fn total_count_is_not_limited_by_keep() {
    let (_root, project) = tree(&["1", "2", "3", "4"]);
    let options = FileOptions::default();
    let two = list(&project, &["."], &options, ListingRequest { keep: 2, ..ALL });
    assert_eq!((names(&two), two.total_count), (vec!["1".to_owned(), "2".to_owned()], 4));
    let count = list(&project, &["."], &options, ListingRequest { detail: ListingDetail::Count, ..ALL });
    assert_eq!((count.entries.len(), count.total_count), (0, 4));
}

#[test]
fn links_are_followed_inside_only_and_loops_end() {
    let (root, project) = tree(&["src/deep/f.rs"]);
    let outside = tempfile::tempdir().expect("a folder");
    fs::write(outside.path().join("secret"), "s").expect("a file");
    symlink(outside.path(), root.path().join("out")).expect("a link");
    symlink("..", root.path().join("src/deep/loop")).expect("a link");
    symlink("src/deep", root.path().join("in")).expect("a link");
    let options = FileOptions {
        types: vec!["f".to_owned()],
        traversal: Traversal { follow_symlinks: true, ..Traversal::default() },
        ..FileOptions::default()
    };
    let listing = list(&project, &["."], &options, ALL);
    let found = names(&listing);
    assert!(found.contains(&"in/f.rs".to_owned()) && found.contains(&"src/deep/f.rs".to_owned()), "{found:?}");
    assert!(!found.iter().any(|name| name.contains("secret")), "{found:?}");
    let reasons: Vec<_> = listing.skipped.examples.iter().map(|s| (s.path.as_str(), s.reason)).collect();
    assert!(reasons.contains(&("out", SkipReason::OutsideProject)), "{reasons:?}");
    assert!(reasons.contains(&("src/deep/loop", SkipReason::LinkLoop)), "{reasons:?}");
}

#[test]
fn listing_is_sorted_before_truncation() {
    let (root, project) = tree(&["a", "b", "c"]);
    fs::write(root.path().join("b"), "the largest of them").expect("written");
    let old = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000);
    for (name, after) in [("a", 5), ("b", 0), ("c", 9)] {
        let file = fs::File::options().write(true).open(root.path().join(name)).expect("a file");
        file.set_modified(old + std::time::Duration::from_secs(after)).expect("set");
    }
    let first = |sort| {
        let wanted = ListingRequest { detail: ListingDetail::Metadata, sort, keep: 1 };
        let listing = list(&project, &["."], &FileOptions::default(), wanted);
        (names(&listing).remove(0), listing.entries[0].mtime)
    };
    assert_eq!(first(ListingSort::Path), ("a".to_owned(), Some(1_005)));
    assert_eq!(first(ListingSort::Mtime), ("c".to_owned(), Some(1_009)));
    assert_eq!(first(ListingSort::Size), ("b".to_owned(), Some(1_000)));
}

#[test]
fn all_errors_are_returned_together() {
    let (_root, project) = tree(&["a"]);
    let options = FileOptions {
        pattern: Some("文字(".to_owned()),
        types: vec!["q".to_owned()],
        exclude: vec!["[".to_owned()],
        size: vec!["10".to_owned()],
        changed_within: Some("soon".to_owned()),
        ..FileOptions::default()
    };
    let faults = FileFilter::new(&project, &[], &options, SystemTime::now()).expect_err("refused");
    assert_eq!(faults.len(), 5, "{faults:?}");
    assert!(matches!(&faults[0], SearchError::InvalidRegex { column: 3, .. }), "{:?}", faults[0]);
}

#[test]
fn a_cancelled_walk_stops() {
    let files: Vec<String> = (0..500).map(|n| format!("d{}/{n}", n % 7)).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let (_root, project) = tree(&files);
    let cancel = CancellationToken::new();
    cancel.cancel();
    let filter = FileFilter::new(&project, &[], &FileOptions::default(), SystemTime::now()).expect("valid");
    assert_eq!(filter.list(ALL, &cancel).expect_err("cancelled"), SearchError::Cancelled);
    assert!(Path::new(project.root()).exists());
}
