//! Tests of filters: a filter skips only files that the index knows and that cannot match.

use std::{fs, path::Path, sync::Arc};

use fumi_base::{encoding::EncodingChoice, project::Project};

use super::{ContentFilter, IndexedFiles};
use crate::{
    index::{document::DocumentReader, segment::Segment, segment_writer::SegmentWriter},
    text_query::{QuerySyntax, TextQuery, TextQueryOptions},
};

const MOST: u64 = 1 << 20;

/// Writes files and indexes them.
fn indexed(files: &[(&str, &str)]) -> Arc<Segment> {
    let root = tempfile::tempdir().expect("a folder");
    let mut writer = SegmentWriter::default();
    let mut reader = DocumentReader::default();
    for (name, text) in files {
        fs::write(root.path().join(name), text).expect("a file");
        let project = Project::open(root.path()).expect("a project");
        let path = project.resolve(name).expect("inside");
        let document = reader.read(&path, MOST).expect("readable");
        writer.add(document.facts, document.grams);
    }
    Arc::new(writer.finish())
}

fn filter(indexed: &Arc<IndexedFiles>, options: &TextQueryOptions) -> Option<ContentFilter> {
    ContentFilter::new(indexed, &TextQuery::new(options).expect("valid"), MOST)
}

#[test]
fn only_known_files_without_the_words_are_skipped() {
    let older = indexed(&[("a", "needle"), ("b", "hay"), ("c", "hay and straw")]);
    let newer = indexed(&[("a", "hay now"), ("d", "needle too"), ("e", "grass"), ("f", "clover")]);
    let indexed = Arc::new(IndexedFiles::new(vec![older, Arc::clone(&newer)]));
    assert_eq!(indexed.segments().len(), 2);
    let needle = filter(&indexed, &TextQueryOptions::new("needle")).expect("a filter");
    let opened = |filter: &ContentFilter| {
        ["a", "b", "c", "d", "e", "f", "unknown"]
            .iter()
            .filter(|name| filter.may_match(Path::new(name)))
            .copied()
            .collect::<String>()
    };
    assert_eq!(opened(&needle), "dunknown");
    assert!(indexed.knows(Path::new("b")) && !indexed.knows(Path::new("unknown")));
    // A change that arrives later makes the file unknown, also for a filter in use.
    newer.kill(Path::new("e"));
    assert!(!indexed.knows(Path::new("e")));
    assert_eq!(opened(&needle), "deunknown");
    assert_eq!(opened(&filter(&indexed, &TextQueryOptions::new("needle")).expect("a filter")), "deunknown");
}

#[test]
fn a_query_that_excludes_nothing_has_no_filter() {
    let indexed = Arc::new(IndexedFiles::new(vec![indexed(&[("a", "needle"), ("b", "hay"), ("c", "straw")])]));
    let plain = TextQueryOptions::new("needle");
    let forced = TextQueryOptions { encoding: EncodingChoice::parse("shift_jis").expect("known"), ..plain.clone() };
    let pcre2 = |query: &str, syntax| TextQueryOptions { syntax, ..TextQueryOptions::new(query) };
    for (options, is_filter) in [
        (plain, true),
        (forced, false),
        (TextQueryOptions::new("ne"), false),
        (TextQueryOptions::new(r"[a-z]{12}\(\d"), false),
        (pcre2("needle", QuerySyntax::Pcre2), false),
        (pcre2("needle", QuerySyntax::Pcre2Literal), true),
        (pcre2("é", QuerySyntax::Pcre2Literal), false),
    ] {
        assert_eq!(filter(&indexed, &options).is_some(), is_filter, "{}", options.query);
    }
    assert!(filter(&Arc::new(IndexedFiles::default()), &TextQueryOptions::new("needle")).is_none());
}
