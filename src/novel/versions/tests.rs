//! Differences of prose: what is shown, what is counted, and how long hostile texts take.

use super::{ParagraphChangeKind, TextDifference, compare};

fn difference(before: &str, after: &str) -> TextDifference {
    compare(before, after, &|| false).expect("compared")
}

fn shown(before: &str, after: &str) -> Vec<String> {
    let place = |at: Option<usize>| at.map_or_else(String::new, |at| at.to_string());
    let changes = difference(before, after).changes.into_iter();
    changes.map(|change| format!("{}→{} {}", place(change.before), place(change.after), change.text)).collect()
}

#[test]
fn a_changed_paragraph_shows_its_characters() {
    let before = "# 第一話\n\n　朝、兄は以外な答えを返した。それから二人は黙って、港までの長い坂道を並んで歩いて下りていった。\n　雨だ。\n";
    let after = before.replace('以', "意").replace("長い", "").replace("雨だ。\n", "雨だ。\n　傘がない。\n");
    assert_eq!(
        shown(before, &after),
        [
            "3→3 　朝、兄は[-以-]{+意+}外な答えを返した。それから二人は黙って、港までの[-長い-]坂道を並んで歩いて下りて…",
            "→5 {+　傘がない。+}",
        ]
    );
    let found = difference(before, &after);
    assert_eq!((found.changed, found.added, found.removed, found.unchanged), (1, 1, 0, 2));
    assert_eq!((found.characters_added, found.characters_removed), (7, 3));
}

#[test]
fn equal_texts_differ_neither_by_line_ends_nor_by_a_byte_order_mark() {
    assert_eq!(difference("一\r\n二\r\n", "\u{feff}一\n二"), TextDifference { unchanged: 2, ..Default::default() });
    assert_eq!(difference("", ""), TextDifference::default());
    assert_eq!(shown("", "一\n"), ["→1 {+一+}"]);
}

#[test]
fn rewritten_paragraphs_meet_their_old_form_although_others_were_added() {
    let before = "　海は朝から荒れていた。\n　船は出ない。\n";
    let after = "　空は晴れている。\n　海は昼から荒れていた。\n　船はもう出ない。\n";
    assert_eq!(
        shown(before, after),
        ["→1 {+　空は晴れている。+}", "1→2 　海は[-朝-]{+昼+}から荒れていた。", "2→3 　船は{+もう+}出ない。"]
    );
}

#[test]
fn empty_lines_are_counted_apart() {
    let found = difference("一\n二\n", "一\n\n二\n");
    assert_eq!((found.total, found.added, found.empty_lines), (1, 0, 1));
    assert_eq!(found.changes[0].text, "{+⏎+}");
}

#[test]
fn nothing_in_common_is_shown_as_replaced_and_long_changes_are_cut() {
    assert_eq!(shown("朝の海が光る。\n", "夜、森で鳥。\n"), ["1→1 [-朝の海が光る-]{+夜、森で鳥+}。"]);
    let long = format!("{}\n", "あ".repeat(1_000));
    let text = &difference("", &long).changes[0].text;
    assert!(text.ends_with("…(600)+}") && text.chars().count() < 420, "{text}");
}

#[test]
fn a_character_is_not_separated_from_its_selector() {
    assert_eq!(shown("葛\u{e0100}城\n", "葛\u{e0101}城\n"), ["1→1 [-葛\u{e0100}-]{+葛\u{e0101}+}城"]);
}

#[test]
fn a_cancelled_comparison_ends() {
    assert_eq!(compare("一\n", "二\n", &|| true), None);
}

/// Texts of 4 MB each that are hard to compare: by lines, by pairs of paragraphs, within one paragraph.
#[test]
fn hostile_texts_are_compared_in_bounded_time() {
    let numbers = |step: usize, count: usize, line: &dyn Fn(usize) -> String| -> String {
        (0..count).map(|at| line(at * step % count)).collect()
    };
    let short = |at: usize| format!("{at}\n");
    let mixed = |at: usize| format!("　{}行目の文は{}である。\n", at % 7, at * 31 % 1_013);
    let letters = |seed: usize, count: usize| -> String {
        let mut state = seed;
        let next = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if state >> 60 & 1 == 0 { 'あ' } else { 'い' }
        };
        (0..count).map(next).collect()
    };
    let lines = |seed: usize, length: usize| -> String {
        let text: Vec<char> = letters(seed, 1_300_000).chars().collect();
        text.chunks(length).flat_map(|line| line.iter().copied().chain(['\n'])).collect()
    };
    let pairs = [
        ("permuted", numbers(1, 500_009, &short), numbers(7_919, 500_009, &short)),
        ("permuted, fewer", numbers(1, 29_989, &short), numbers(7_919, 29_989, &short)),
        ("similar", numbers(1, 90_001, &mixed), numbers(17, 90_001, &mixed)),
        ("similar, fewer", numbers(1, 29_989, &mixed), numbers(17, 29_989, &mixed)),
        ("one paragraph", letters(1, 1_300_000), letters(2, 1_300_000)),
        ("long paragraphs", lines(1, 9_000), lines(2, 9_000)),
        ("short paragraphs", lines(1, 60), lines(2, 60)),
    ];
    for (name, before, after) in pairs {
        let found = difference(&before, &after);
        assert!(found.changes.len() <= 2_000 && found.total > 0, "{name}");
        assert!(found.changes.iter().all(|change| change.text.len() < 20_000), "{name}");
        let kinds = [ParagraphChangeKind::Changed, ParagraphChangeKind::Added, ParagraphChangeKind::Removed];
        assert!(found.changes.iter().all(|change| kinds.contains(&change.kind)), "{name}");
    }
}
