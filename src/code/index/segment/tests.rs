//! Tests of segments: what is found, what dies, and that merging changes nothing.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use proptest::{
    collection::vec,
    prelude::*,
    sample::select,
    test_runner::{Config, RngSeed},
};

use super::{Candidates, DocFacts, SearchReach, Segment};
use crate::{
    byte_form::searched_text,
    index::{
        need::Need,
        segment_writer::{SegmentWriter, merge},
        trigrams::TrigramCounter,
    },
    languages::detect::FileLanguage,
    text_query::TextQueryOptions,
};

const IN_LINES: SearchReach = SearchReach { passes_nul: false, most_bytes: u64::MAX };

fn segment(files: &[(&str, &str)]) -> Segment {
    let mut counter = TrigramCounter::default();
    let mut writer = SegmentWriter::default();
    assert!(!writer.is_full());
    for (path, text) in files {
        let searched = searched_text(text.as_bytes());
        let facts = DocFacts {
            path: Arc::from(Path::new(path)),
            size: text.len() as u64,
            inode: 0,
            has_nul: searched.has_nul,
            language: FileLanguage::None,
        };
        writer.add(facts, counter.distinct(&searched.text));
    }
    writer.finish()
}

fn paths(segment: &Segment) -> Vec<String> {
    segment.live_documents().map(|(_, facts)| facts.path.display().to_string()).collect()
}

/// Returns the live documents that a query may match.
fn candidates(segment: &Segment, query: &str, reach: SearchReach) -> Vec<String> {
    let found = segment.candidates(&Need::new(&TextQueryOptions::new(query)), reach);
    segment
        .live_documents()
        .filter(|(doc, _)| found.contains(*doc))
        .map(|(_, facts)| facts.path.display().to_string())
        .collect()
}

#[test]
fn candidates_are_the_documents_with_all_trigrams() {
    let text = segment(&[
        ("b.txt", "Some NEEDLE here"),
        ("a.txt", "needless"),
        ("c.txt", "need\nle"),
        ("d.txt", "nothing"),
        ("e.txt", "before\0needle"),
        ("f.txt", ""),
        ("g.txt", "needs of a doodle"),
    ]);
    for (query, expected) in [
        ("needle", "a.txt b.txt"),
        ("needless|nothing", "a.txt d.txt"),
        ("need.*doodle", "g.txt"),
        ("before", "e.txt"),
        ("absent", ""),
        (r"nothing\d?", "d.txt"),
    ] {
        assert_eq!(candidates(&text, query, IN_LINES).join(" "), expected, "{query}");
    }
    // Two bytes have no trigram; `need` is in most documents.
    for query in ["ne", "need", "."] {
        assert_eq!(text.candidates(&Need::new(&TextQueryOptions::new(query)), IN_LINES), Candidates::Every, "{query}");
    }
    let across = SearchReach { passes_nul: true, ..IN_LINES };
    assert_eq!(candidates(&text, "needless", across).join(" "), "a.txt e.txt");
    let small = SearchReach { most_bytes: 15, ..IN_LINES };
    assert_eq!(candidates(&text, "needless", small).join(" "), "a.txt b.txt g.txt");
}

#[test]
fn a_killed_path_takes_what_is_below_it_along() {
    let files = ["a", "a-b", "a.rs", "a/b", "a/b.rs", "a/b/c", "ab", "b/a"].map(|path| (path, "needle"));
    for (killed, expected) in [
        ("a", "a-b a.rs ab b/a"),
        ("a/b", "a a/b.rs a-b a.rs ab b/a"),
        ("a/b.rs", "a a/b a/b/c a-b a.rs ab b/a"),
        ("b", "a a/b a/b/c a/b.rs a-b a.rs ab"),
        ("absent", "a a/b a/b/c a/b.rs a-b a.rs ab b/a"),
        ("", ""),
    ] {
        let segment = segment(&files);
        segment.kill(Path::new(killed));
        assert_eq!(paths(&segment).join(" "), expected, "{killed:?} was killed");
    }
}

#[test]
fn the_newest_of_a_path_stays() {
    let within = segment(&[("a", "first"), ("b", "other"), ("a", "second")]);
    assert_eq!(paths(&within), ["a", "b"]);
    assert_eq!(candidates(&within, "first", IN_LINES), [""; 0]);
    assert_eq!(candidates(&within, "second", IN_LINES), ["a"]);
    let parts = [
        Arc::new(segment(&[("a", "first"), ("c", "other"), ("d", "gone")])),
        Arc::new(segment(&[("b", "other"), ("a", "second")])),
    ];
    parts[0].kill(Path::new("d"));
    let merged = merge(&parts);
    assert_eq!(paths(&merged), ["a", "b", "c"]);
    assert_eq!(candidates(&merged, "first", IN_LINES), [""; 0]);
    assert_eq!(candidates(&merged, "gone", IN_LINES), [""; 0]);
    assert_eq!(candidates(&merged, "second", IN_LINES), ["a"]);
}

#[test]
fn an_empty_segment_has_no_candidates() {
    for empty in [segment(&[]), merge(&[])] {
        assert_eq!(empty.documents(), 0);
        assert!(candidates(&empty, "needle", IN_LINES).is_empty());
        empty.kill(Path::new("a"));
    }
}

/// Files of few paths and words, among others: only in a segment of some size are short lists no bitmaps.
fn files() -> impl Strategy<Value = Vec<(String, String)>> {
    let path = select(vec!["a", "b", "c/a", "c/b", "c/d/a", "d", "d-e", "e/f"]);
    let text = vec(select(vec!["foo", "bar", "Baz", "\n", " ", "x", "日本", "ſ"]), 0..12);
    let file = (path.prop_map(str::to_owned), text.prop_map(|pieces| pieces.concat()));
    let others = (0..4).prop_flat_map(|folder| {
        let others = (0..60).map(|number| (format!("c/o{folder}/{number}"), "other".to_owned()));
        Just(others.collect::<Vec<_>>())
    });
    (vec(file, 0..12), others).prop_map(|(files, others)| [files, others].concat())
}

/// Parts and paths in them that die.
fn kills() -> impl Strategy<Value = Vec<(usize, &'static str)>> {
    vec((0_usize..4, select(vec!["a", "c", "d", "c/d"])), 0..3)
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, rng_seed: RngSeed::Fixed(22), ..Config::default() })]

    /// A merge of segments is the segment of what lives in them, and each document that has a word is a candidate.
    #[test]
    fn merging_changes_nothing(parts in vec(files(), 1..4), killed in kills()) {
        let segments: Vec<Arc<Segment>> = parts
            .iter()
            .map(|files| {
                let files = files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
                Arc::new(segment(&files.collect::<Vec<_>>()))
            })
            .collect();
        for (at, path) in killed {
            if let Some(segment) = segments.get(at) {
                segment.kill(Path::new(path));
            }
        }
        // The last live text of each path.
        let mut living: Vec<(&str, &str)> = Vec::new();
        for (files, segment) in parts.iter().zip(&segments) {
            for (_, facts) in segment.live_documents() {
                let (path, text) = files.iter().rfind(|(path, _)| Path::new(path) == &*facts.path).expect("was added");
                living.retain(|(other, _)| other != path);
                living.push((path, text));
            }
        }
        let merged = merge(&segments);
        let anew = segment(&living);
        prop_assert_eq!(&merged.grams, &anew.grams);
        prop_assert_eq!(&merged.ends, &anew.ends);
        prop_assert_eq!(&merged.lists, &anew.lists);
        prop_assert_eq!(paths(&merged), paths(&anew));
        for word in ["foobar", "barbaz", "xfoo", "s b", "日本日", "bazbazbaz"] {
            let found: BTreeSet<String> = candidates(&merged, word, IN_LINES).into_iter().collect();
            for (path, text) in &living {
                let has_word = text.to_lowercase().contains(word);
                prop_assert!(!has_word || found.contains(*path), "{} in {}", word, path);
            }
        }
    }
}
