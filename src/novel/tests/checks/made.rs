//! Random manuscripts: sentences of the sample novel and of 坊っちゃん, with faults, markup, names and speech inserted.
//!
//! Runs are reproducible; `FUMI_PROPERTY_SEED` selects other texts, `FUMI_PROPERTY_TIMES` multiplies their number. The
//! properties are tested elsewhere.

use std::sync::LazyLock;

use fumi_novel::{
    checks::{ClosingQuotePeriod, NovelContext, ParagraphIndent, Tuning},
    morphology::NameLexicon,
    project::{NovelSettings, StylePreset, YamlValue},
};
use proptest::{
    prelude::*,
    sample::{Index, select},
    test_runner::{Config, TestRunner},
};

use crate::properties;

const NOVEL: [&str; 3] = [
    include_str!("../../../../examples/novel/40_原稿/第001話_こぶとえくぼ.md"),
    include_str!("../../../../examples/novel/40_原稿/第002話_ほまち.md"),
    include_str!("../../../../examples/novel/40_原稿/第003話_備考.md"),
];
pub(crate) const BOCCHAN: &str = include_str!("../fixtures/bocchan.aozora.txt");
const CHARACTERS: &str = include_str!("../../../../examples/novel/30_設定集/キャラクター.yaml");
/// Names that resemble faults.
const TERMS: &str =
    "terms: [{ term: 見れる亭 }, { term: モー・・ム }, { term: ｶﾞﾛﾝ }, { term: か゛く }, { term: 出来る屋 }]";

/// The longest line or sentence, in characters, so that a text contains several.
const LONGEST: usize = 120;

/// Lines of the sample novel, and sentences of 坊っちゃん with their rubies and notes.
pub(crate) static SENTENCES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let lines = NOVEL.into_iter().flat_map(str::lines);
    let story = BOCCHAN.rsplit_once("-----\n").expect("a legend").1;
    let story = story.split_once("\n底本：").expect("a colophon").0;
    let sentences = story.lines().flat_map(|line| line.split_inclusive('。'));
    let all = lines.chain(sentences);
    all.filter(|text| !text.is_empty() && text.chars().count() <= LONGEST).collect()
});

/// Faults that authors or programs leave in a text.
const FAULTS: &[&str] = &[
    "...",
    "・・・",
    "･･･",
    "・・",
    "…",
    "‥",
    "……。",
    "―",
    "—",
    "--",
    "ーー",
    "−",
    "－",
    "!",
    "?",
    "!?",
    "？！",
    "。。",
    "、、",
    "、。",
    "。、",
    "。」",
    "、」",
    "(",
    ")",
    "(笑)",
    "((あ))",
    "((((((((ああ))))))))",
    "｢",
    "｣",
    "｢あ｣",
    " ",
    "　",
    "\t",
    " \n",
    "\n",
    "\n　",
    "\n\n\n\n\n\n",
    "\r\n",
    "\r",
    "\u{feff}",
    "\u{fffd}",
    "\0",
    "ｶﾞ",
    "ﾊﾟﾝ",
    "｡",
    "ｱ",
    "か\u{3099}",
    "は\u{309a}",
    "e\u{301}",
    "か゛",
    "は゜",
    "う゛",
    "1",
    "12",
    "1984",
    "１２００",
    "1,200",
    "をを",
    "がが",
    "にに",
    "見れる",
    "食べれない",
    "読まさせる",
    "出来る",
    "して下さい",
    "することができる",
    "してる",
    "おっしゃられる",
    "的を得た",
    "という事だ",
    "、まるで",
    "、そして、",
    "彼は、それを、その時、見たが、",
    "と言ったが、しかし、",
    "【",
    "』",
    "『",
    "〈",
    "《",
    "》",
    "「",
    "」",
    "（",
    "）",
    "○○",
    "TODO",
    "①",
    "㈱",
    "🙂",
    "―――",
    "ヶ",
    "ーーー",
];

/// Markup that no fix may change, and text that resembles it.
const MARKUP: &[&str] = &[
    "検潮所《けんちょうじょ》",
    "｜穂刈一平《ほかりいっぺい》",
    "｜Ａ--《エー...》",
    "｜か゛!《ｶﾞ!》",
    "12年《ねん》",
    "12ねん《年》",
    "本当……漢字《かんじ》",
    "1984年《ねん》",
    "ﾊﾞスター《ブレード》",
    "{漢字|かん...じ}",
    "ば、、漢字《かんじ》",
    "！漢字《かんじ》",
    "出来る事《こと》",
    "時《とき》して下さい",
    "《《見れる》》",
    "**出来る**",
    "［＃「あ」に傍点］",
    "［＃「...」は太字］",
    "［＃改ページ］",
    "［＃地から２字上げ--］",
    "※［＃「口＋世」、U+546D］",
    "`a--b...か゛`",
    "`見れる、、`",
    "https://example.com/a?b=1!x--y...z",
    "http://example.com/",
    "梶みちる",
    "徳次",
    "ふさ",
    "一平",
    "帆待島",
    "穂刈佐和",
    "、見れる亭、",
    "、モー・・ム、",
    "、ｶﾞﾛﾝ、",
    "か゛く",
    "、出来る屋、",
];

/// Dialogue whose unusual wording must be kept.
const SPEECH: &[&str] = &[
    "「ほうじゃけん、見れんかったがなもし。出来んのう」",
    "「食べれるけん、おっしゃられたとおりに、して下さい。」",
    "「知ってる。！そう...」",
    "「1984年だ。ｶﾞﾑを、、くれ!」",
    "（見れるだろうか。出来る事なら）",
    "「おれは、、読まさせるで」と言った。",
    "『出来ますか』と書いてある。",
    "「一つ目の段落。\n「二つ目も見れる。。」",
    "「閉じない見れる",
];

/// Lines that are not prose.
const LINES: &[&str] = &[
    "# 第一話　こぶ--と...えくぼ",
    "＊＊＊",
    "---",
    "",
    "　",
    "【前書き】",
    "【後書き】",
    "　彼は見たが、それは違うと思ったので、すぐに家へ帰ろうと考えて歩き出したが、雨が降ってきたので、軒下に入って待つことにした。",
    "　それは海だった。それは山だった。それは空だった。それは彼だった。それは夢だった。",
];

/// Generates a part of a line.
fn pieces() -> impl Strategy<Value = String> {
    let sentence = any::<Index>().prop_map(|at| (*at.get(&SENTENCES)).to_owned());
    let faulty = (
        any::<Index>().prop_map(|at| (*at.get(&SENTENCES)).to_owned()),
        prop::collection::vec((any::<Index>(), select(FAULTS)), 1..4),
    );
    let faulty = faulty.prop_map(|(mut sentence, faults)| {
        for (place, fault) in faults {
            set_in(&mut sentence, place, fault);
        }
        sentence
    });
    let marked = (
        any::<Index>().prop_map(|at| (*at.get(&SENTENCES)).to_owned()),
        any::<Index>(),
        select(FAULTS),
        select(MARKUP),
        select(FAULTS),
    );
    let marked = marked.prop_map(|(mut sentence, place, before, mark, after)| {
        set_in(&mut sentence, place, &format!("{before}{mark}{after}"));
        sentence
    });
    prop_oneof![
        2 => sentence,
        4 => faulty,
        3 => marked,
        1 => select(MARKUP).prop_map(str::to_owned),
        1 => select(SPEECH).prop_map(str::to_owned),
    ]
}

/// Inserts a text between two characters.
fn set_in(text: &mut String, place: Index, what: &str) {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    text.insert_str(*place.get(&places), what);
}

/// Generates a line; some faults split it into two.
pub(crate) fn lines() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => prop::collection::vec(pieces(), 1..3).prop_map(|pieces| pieces.concat()),
        2 => select(SPEECH).prop_map(str::to_owned),
        1 => select(LINES).prop_map(str::to_owned),
    ]
}

/// Generates a manuscript of some lines.
pub(crate) fn texts() -> impl Strategy<Value = String> {
    (prop::collection::vec(lines(), 1..9), any::<bool>()).prop_map(|(lines, is_ended)| {
        let end = if is_ended { "\n" } else { "" };
        lines.join("\n") + end
    })
}

/// Generates the context of the sample novel with one of several style presets.
pub(crate) fn contexts() -> impl Strategy<Value = NovelContext> {
    let presets = [None, Some(StylePreset::Bunko), Some(StylePreset::Narou)];
    select(presets.to_vec()).prop_map(context)
}

/// Returns the context of the sample novel with a style preset.
pub(crate) fn context(style_preset: Option<StylePreset>) -> NovelContext {
    let world = [CHARACTERS, TERMS].map(|text| YamlValue::read("settings.yaml", text).expect("YAML")).to_vec();
    NovelContext {
        settings: NovelSettings { style_preset, ..NovelSettings::default() },
        names: NameLexicon::of_settings(&world),
        world,
        ..NovelContext::default()
    }
}

/// Generates options that affect fixes.
pub(crate) fn tunings() -> impl Strategy<Value = Tuning> {
    let periods = [None, Some(ClosingQuotePeriod::Remove), Some(ClosingQuotePeriod::Keep)];
    let indents = [None, Some(ParagraphIndent::Always), Some(ParagraphIndent::Never)];
    (select(periods.to_vec()), select(indents.to_vec())).prop_map(|(closing_quote_period, paragraph_indent)| Tuning {
        closing_quote_period,
        paragraph_indent,
        // Low thresholds, so that short texts contain long sentences too.
        thresholds: [("long_sentence.longest".to_owned(), 45.0), ("long_paragraph.long".to_owned(), 100.0)].into(),
        ..Tuning::default()
    })
}

/// Returns a test runner for this number of cases, which are slow to shrink.
pub(crate) fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config { max_shrink_iters: 300, ..properties::config(cases) })
}
