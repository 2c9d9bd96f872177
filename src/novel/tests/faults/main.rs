//! Tests of the faults that `./bench faults` inserts into clean texts: they are at the stated positions, and the rest
//! of the text is unchanged.
//!
//! No rule is run here; the benchmark measures which faults the rules find.

#[rustfmt::skip]
#[path = "../../../../benches/faults/dice.rs"]
mod dice;
#[rustfmt::skip]
#[path = "../../../../benches/faults/inputs.rs"]
#[expect(dead_code, reason = "only the benchmark uses the rest")]
mod inputs;
#[rustfmt::skip]
#[path = "../../../../benches/faults/kinds/mod.rs"]
#[expect(dead_code, reason = "only the benchmark uses the rest")]
mod kinds;
#[rustfmt::skip]
#[path = "../../../../benches/faults/pages.rs"]
#[expect(dead_code, reason = "only the benchmark uses the rest")]
mod pages;

use std::path::PathBuf;

use inputs::{Origin, Text, texts, window, with_material};
use kinds::{Faulty, KINDS, Kind};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the first faults of a kind, each with its clean text.
fn some(kind: &Kind, texts: &[Text], wanted: usize) -> Vec<(String, u64, Faulty)> {
    let mut some = Vec::new();
    for seed in 0..100 {
        let clean = window(texts, seed).manuscript;
        let faulty = with_material(&clean, |material| kind.inject(material, seed));
        some.extend(faulty.map(|faulty| (clean, seed, faulty)));
        if some.len() == wanted {
            break;
        }
    }
    some
}

#[test]
fn every_kind_changes_what_it_says_and_nothing_else() {
    for origin in Origin::ALL {
        let texts = texts(&root(), origin);
        for kind in &KINDS {
            for (clean, seed, faulty) in some(kind, &texts, 3) {
                let name = format!("{} {seed} {}", kind.name, origin.name());
                let mut back = faulty.text.clone();
                assert_ne!(back, clean, "{name}");
                let changed = &faulty.fault.place()[faulty.fault.expected.len()..];
                for (change, place) in faulty.fault.changes.iter().zip(changed).rev() {
                    assert_eq!(faulty.text[place.clone()], change.text, "{name}");
                    back.replace_range(place.clone(), &clean[change.range.clone()]);
                }
                assert_eq!(back, clean, "{name}");
                for range in &faulty.fault.expected {
                    let found = faulty.text.get(range.clone());
                    assert!(found.is_some_and(|found| !found.is_empty()), "{name}: {range:?}");
                }
                let again = with_material(&clean, |material| kind.inject(material, seed));
                assert_eq!(again, Some(faulty), "{name}");
            }
        }
    }
}

#[test]
fn the_texts_offer_places_for_every_kind() {
    for origin in Origin::ALL {
        let texts = texts(&root(), origin);
        for kind in &KINDS {
            let found = some(kind, &texts, 3);
            assert_eq!(found.len(), 3, "{} in {} texts", kind.name, origin.name());
        }
    }
}

#[test]
fn faults_are_what_an_author_would_write() {
    let samples = [
        ("ra_nuki", "　朝、犬は餌を食べた。", vec!["食べれ"]),
        ("sa_ire", "　彼は弟に手紙を読ませた。", vec!["読まさせ"]),
        ("doubled_particle", "　男が扉を閉めた。", vec!["がが", "をを"]),
        ("doubled_joshi", "　弟は倉庫の中庭で鍵を拾った。", vec!["で中庭で"]),
        ("repeated_punctuation", "　雨だ。", vec!["。。", "、。", "。、"]),
        ("half_width_kana", "　ガムとパンを買う。", vec!["ｶﾞﾑ", "ﾊﾟﾝ"]),
        ("decomposed_character", "　彼がいる。", vec!["か\u{3099}"]),
        ("half_width_bracket", "「冗談だろう」", vec!["｢冗談だろう｣"]),
        ("period_before_bracket", "「一つ」\n「二つ」\n「三つ」\n", vec!["。」"; 3]),
    ];
    for (name, clean, wanted) in samples {
        let kind = KINDS.iter().find(|kind| kind.name == name).expect("a kind");
        let found = with_material(clean, |material| {
            let places = kind.places(material).into_iter();
            let found = places.map(|fault| {
                let mut text = clean.to_owned();
                for change in fault.changes.iter().rev() {
                    text.replace_range(change.range.clone(), &change.text);
                }
                text[fault.expected[0].clone()].to_owned()
            });
            found.collect::<Vec<_>>()
        });
        assert_eq!(found, wanted, "{name}");
    }
}

#[test]
fn carriers_take_the_style_of_their_text() {
    let texts = [("　雨だった。\n", "た。"), ("　雨でした。\n", "ました。")];
    for (clean, end) in texts {
        for name in ["double_honorific", "misuse", "tautology"] {
            let kind = KINDS.iter().find(|kind| kind.name == name).expect("a kind");
            let places = with_material(clean, |material| kind.places(material));
            assert!(places.len() >= 12, "{name}: {} carriers", places.len());
            for fault in places {
                let text = &fault.changes[0].text;
                assert!(text.ends_with(end), "{text}");
            }
        }
    }
}

#[test]
fn rubies_headings_and_speech_are_left_alone() {
    let clean = "# 扉を閉めた。\n\n「男が扉を閉めた。男は窓を開けた。」\n　｜窓が扉を《まどがとびらを》。\n";
    with_material(clean, |material| {
        for name in ["doubled_particle", "ra_nuki", "sa_ire", "mixed_style", "repeated_word"] {
            let kind = KINDS.iter().find(|kind| kind.name == name).expect("a kind");
            assert_eq!(kind.places(material), [], "{name}");
        }
    });
}

#[test]
fn places_of_a_clean_text_are_followed_through_a_fault() {
    // The text abcdefgh with two changes: bc becomes xyz, and a word is added at the end of the line.
    let change = |range: std::ops::Range<usize>, text: &str| kinds::Change { range, text: text.to_owned() };
    let fault = kinds::Fault { changes: vec![change(1..3, "xyz"), change(6..6, "!")], expected: vec![1..4, 7..8] };
    for (before, after) in [
        (0..1, 0..1),
        (0..2, 0..4),
        (1..3, 1..4),
        (3..5, 4..6),
        (3..6, 4..7),
        (4..8, 5..10),
        (6..8, 8..10),
        (8..8, 10..10),
    ] {
        assert_eq!(fault.moved(&before), after, "{before:?}");
    }
    assert_eq!(fault.place(), [1..4, 7..8, 1..4, 7..8]);
}

#[test]
fn labels_are_read_and_taken_out() {
    let page = pages::read("x", "「早く⟦period_before_bracket|。」⟧\n　雨⟦dash|―⟧だ。\n");
    assert_eq!(page.text, "「早く。」\n　雨―だ。\n");
    let labels: Vec<(&str, &str)> =
        page.labels.iter().map(|label| (label.rule.as_str(), &page.text[label.range.clone()])).collect();
    assert_eq!(labels, [("period_before_bracket", "。」"), ("dash", "―")]);
    assert!([pages::UNSEEN, pages::KNOWN].iter().all(|folder| pages::all(&root(), folder).len() >= 10));
}
