//! Tests with texts built from known pieces: the parser must find the pieces.

use fumi_novel::manuscript::{Emphasis, Manuscript, ManuscriptOptions, SpanKind};
use proptest::{prelude::*, sample::select};

use super::runner;

/// A piece of a line: its notation, its visible text, and the ruby or emphasis that it makes.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) written: String,
    seen: String,
    ruby: Option<(String, String)>,
    emphasis: Option<(Emphasis, String)>,
}

pub(crate) fn pieces() -> impl Strategy<Value = Piece> {
    let words = || select(&["あい", "走る、", "！", "カナ", "東京へ", "x2", "🙂", "　", "か\u{3099}"][..]);
    let kanji = || select(&["漢字", "佐々木", "𠮟", "〇"][..]);
    let ruby = || select(&["かんじ", "ルビ", "r b", "・・"][..]);
    let plain =
        |written: &str| Piece { written: written.to_owned(), seen: written.to_owned(), ruby: None, emphasis: None };
    let with_ruby = |written: String, base: &str, ruby: &str| Piece {
        written,
        seen: base.to_owned(),
        ruby: Some((base.to_owned(), ruby.to_owned())),
        emphasis: None,
    };
    let emphasised = |written: String, style, seen: &str| Piece {
        written,
        seen: seen.to_owned(),
        ruby: None,
        emphasis: Some((style, seen.to_owned())),
    };
    prop_oneof![
        words().prop_map(plain),
        // The kana before it makes the base begin at a known position.
        (kanji(), ruby()).prop_map(move |(base, ruby)| {
            let mut piece = with_ruby(format!("の{base}《{ruby}》"), base, ruby);
            piece.seen = format!("の{base}");
            piece
        }),
        (words(), ruby()).prop_map(move |(base, ruby)| with_ruby(format!("｜{base}《{ruby}》"), base, ruby)),
        (words(), ruby()).prop_map(move |(base, ruby)| with_ruby(format!("{{{base}|{ruby}}}"), base, ruby)),
        words().prop_map(move |text| emphasised(format!("《《{text}》》"), Emphasis::Dots, text)),
        words()
            .prop_map(move |text| emphasised(format!("あ{text}［＃「{text}」は太字］"), Emphasis::Bold, text))
            .prop_map(|piece| Piece { seen: format!("あ{}", piece.seen), ..piece }),
        words().prop_map(move |text| emphasised(format!("［＃傍線］{text}［＃傍線終わり］"), Emphasis::Line, text)),
    ]
}

#[test]
fn parser_finds_all_inserted_pieces() {
    let lines = prop::collection::vec(prop::collection::vec(pieces(), 1..8), 1..6);
    let result = runner(2_000).run(&lines, |lines| {
        let text = |of: fn(&Piece) -> &str| -> String {
            lines.iter().map(|line| line.iter().map(of).collect::<String>() + "\n").collect()
        };
        // Kana come first, so that no line is a heading or a break.
        let manuscript =
            Manuscript::read(text(|piece| &piece.written).replace('\n', "だ\n"), ManuscriptOptions::default());
        prop_assert_eq!(manuscript.visible().text(), text(|piece| &piece.seen).replace('\n', "だ\n"));
        prop_assert_eq!(manuscript.issues(), []);
        let of = |range: &std::ops::Range<usize>| manuscript.visible_in(range).to_owned();
        let found = |pick: &dyn Fn(&SpanKind, &std::ops::Range<usize>) -> Option<String>| -> Vec<String> {
            let spans = manuscript.spans().iter();
            spans.filter_map(|span| pick(&span.kind, &span.range)).collect()
        };
        let rubies = found(&|kind, _| match kind {
            SpanKind::Ruby { base, text } => Some(format!("{}《{}》", of(base), &manuscript.source()[text.clone()])),
            _ => None,
        });
        let wanted = lines.iter().flatten();
        let expected: Vec<String> = wanted
            .clone()
            .filter_map(|piece| piece.ruby.as_ref())
            .map(|(base, ruby)| format!("{base}《{ruby}》"))
            .collect();
        prop_assert_eq!(rubies, expected);
        let emphases = found(&|kind, range| match kind {
            SpanKind::Emphasis(style) => Some(format!("{style:?} {}", of(range))),
            _ => None,
        });
        let expected: Vec<String> = wanted
            .filter_map(|piece| piece.emphasis.as_ref())
            .map(|(style, text)| format!("{style:?} {text}"))
            .collect();
        prop_assert_eq!(emphases, expected);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}
