//! Tests of properties common to all pictures: well-formed, small, deterministic, readable, and without scripts or
//! external references.

use std::{collections::BTreeMap, ops::Range, slice::from_ref};

use fumi_base::text::Locale;
use proptest::prelude::*;

use super::{curve, radar, strip, svg, trend};

const MOST_BYTES: usize = 40_000;
const HOSTILE: &str = "<script>&\"'\u{0}]]>\u{202e}\n勇者";

/// A parsed XML element.
#[derive(Debug)]
struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
    text: String,
}

impl Element {
    fn number(&self, attribute: &str) -> f64 {
        self.attributes[attribute].parse().expect("a number")
    }
}

/// Parses the XML subset that the pictures use and panics at anything else: elements, attributes in double quotes, five
/// entities.
fn read(xml: &str) -> Vec<Element> {
    let mut elements: Vec<Element> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut rest = xml;
    while let Some((text, after)) = rest.split_once('<') {
        match open.last() {
            Some(at) => elements[*at].text.push_str(&plain(text)),
            None => assert!(text.trim().is_empty(), "text outside the picture: {text}"),
        }
        let (tag, after) = after.split_once('>').expect("an end of the tag");
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            let at = open.pop().expect("an open element");
            assert_eq!(elements[at].name, name);
            continue;
        }
        let is_empty = tag.ends_with('/');
        let tag = tag.trim_end_matches('/');
        let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(name.chars().all(|c| c.is_ascii_lowercase()) && !name.is_empty(), "{name}");
        assert!(!open.is_empty() || elements.is_empty(), "two roots");
        let mut read = BTreeMap::new();
        while let Some((key, value)) = attributes.split_once("=\"") {
            let (value, after) = value.split_once('"').expect("an end of the value");
            assert!(key.chars().all(|c| c.is_ascii_alphanumeric() || ":-".contains(c)), "{key}");
            assert!(read.insert(key.to_owned(), plain(value)).is_none(), "{key} twice");
            assert!(after.is_empty() || after.starts_with(' '), "{after}");
            attributes = after.trim_start();
        }
        assert!(attributes.is_empty(), "{attributes}");
        if !is_empty {
            open.push(elements.len());
        }
        elements.push(Element { name: name.to_owned(), attributes: read, text: String::new() });
    }
    assert!(open.is_empty() && rest.trim().is_empty());
    elements
}

fn plain(text: &str) -> String {
    let allowed = |c: char| !c.is_control() || c == '\n';
    assert!(text.chars().all(|c| allowed(c) && c != '>' && c != '\u{ffff}'), "{text}");
    let mut pieces = text.split('&');
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (entity, after) = piece.split_once(';').expect("an entity");
        plain.push_str(match entity {
            "amp" => "&",
            "lt" => "<",
            "gt" => ">",
            "quot" => "\"",
            "#39" => "'",
            _ => panic!("{entity}"),
        });
        plain.push_str(after);
    }
    plain
}

/// Returns the bounds of a line of text: left, top, right, bottom.
fn place(text: &Element) -> [f64; 4] {
    let (x, y, size) = (text.number("x"), text.number("y"), text.number("font-size"));
    let width = svg::width(&text.text) * size;
    let left = match text.attributes.get("text-anchor").map(String::as_str) {
        None => x,
        Some("middle") => x - width / 2.0,
        Some("end") => x - width,
        Some(other) => panic!("{other}"),
    };
    [left, y - 0.85 * size, left + width, y + 0.15 * size]
}

/// Checks the properties that every picture must have.
fn check(picture: &str) -> Vec<Element> {
    assert!(picture.len() < MOST_BYTES, "{} bytes", picture.len());
    let elements = read(picture);
    let drawn = ["path", "rect", "circle", "text"];
    for (at, element) in elements.iter().enumerate() {
        let expected = match at {
            0 => element.name == "svg",
            1 => element.name == "title",
            2 => element.name == "desc" && !element.text.is_empty(),
            _ => drawn.contains(&element.name.as_str()),
        };
        assert!(expected, "{element:?}");
        assert!(!element.text.contains("NaN"), "{element:?}");
        for (key, value) in &element.attributes {
            assert!(!key.starts_with("on") && key != "id" && key != "style" && !key.ends_with("href"), "{key}");
            assert!(key == "xmlns" || !value.contains("//") && !value.contains("url("), "{value}");
            assert!(!value.contains("NaN") && !value.contains("inf"), "{value}");
        }
    }
    let root = &elements[0].attributes;
    assert_eq!(root["xmlns"], "http://www.w3.org/2000/svg");
    assert_eq!(root["viewBox"], format!("0 0 {} {}", root["width"], root["height"]));
    let (width, height) = (elements[0].number("width"), elements[0].number("height"));
    let texts: Vec<&Element> = elements.iter().filter(|element| element.name == "text").collect();
    for (at, text) in texts.iter().enumerate() {
        let own = place(text);
        assert!(own[0] >= 0.0 && own[1] >= 0.0 && own[2] <= width && own[3] <= height, "cut: {text:?} {own:?}");
        for other in &texts[..at] {
            let others = place(other);
            let is_apart = own[0] >= others[2] || own[2] <= others[0] || own[1] >= others[3] || own[3] <= others[1];
            assert!(is_apart, "overlapping: {text:?}\n{other:?}");
        }
    }
    elements
}

fn description(elements: &[Element]) -> &str {
    &elements[2].text
}

fn texts(elements: &[Element]) -> Vec<&str> {
    elements.iter().filter(|element| element.name == "text").map(|element| element.text.as_str()).collect()
}

fn paths(elements: &[Element]) -> impl Iterator<Item = &Element> {
    elements.iter().filter(|element| element.name == "path")
}

const CATEGORIES: [(&str, Option<f64>); 6] = [
    ("感情描写", Some(0.72)),
    ("キャラクター造形", Some(0.81)),
    ("ストーリー展開", Some(0.64)),
    ("文章表現", None),
    ("世界観・設定", Some(0.0)),
    ("読者エンゲージメント", Some(1.0)),
];

#[test]
fn the_radar_says_what_was_not_evaluated_and_draws_no_zero_for_it() {
    let elements = check(&radar("第3話の品質", &CATEGORIES, Locale::Ja));
    assert!(description(&elements).contains("文章表現 未評価"));
    assert!(description(&elements).contains("感情描写 72%"));
    assert!(description(&elements).contains("6 項目中 5 項目を評価、平均 63%"));
    assert!(texts(&elements).contains(&"未評価"));
    let dashed = |element: &&Element| element.attributes.contains_key("stroke-dasharray");
    // One for the spoke and one for the legend.
    assert_eq!(paths(&elements).filter(dashed).count(), 2);
    // Six parts have six sides; a gap removes the two beside it.
    let outline = paths(&elements).find(|path| path.attributes.get("stroke-width").is_some_and(|width| width == "2.5"));
    assert_eq!(outline.expect("an outline").attributes["d"].matches('M').count(), 4);
    let zero = CATEGORIES.map(|(label, value)| (label, value.or(Some(0.0))));
    let elements = check(&radar("第3話の品質", &zero, Locale::Ja));
    assert_eq!(paths(&elements).filter(dashed).count(), 0);
    assert!(!description(&elements).contains("未評価"));
}

#[test]
fn a_radar_has_as_many_spokes_as_it_is_given_and_never_too_many() {
    for count in 0..40 {
        let label = "とても長い名前の付いた評価項目そのもの";
        let parts: Vec<(&str, Option<f64>)> = (0..count).map(|at| (label, (at % 3 > 0).then_some(0.5))).collect();
        for locale in Locale::ALL {
            check(&radar("", &parts, locale));
        }
    }
    let nan = check(&radar("t", &[("a", Some(f64::NAN)), ("b", Some(7.0)), ("c", Some(-1.0))], Locale::En));
    assert!(description(&nan).contains("a not evaluated, b 100%, c 0%"));
}

#[test]
fn the_strip_has_a_bar_for_each_sentence_in_three_tones() {
    let elements = check(&strip("リズム", &[5, 20, 21, 50, 51, 90], from_ref(&(1..3)), &["短文の連続"], Locale::Ja));
    for (tone, bars) in svg::TONES.iter().zip([2, 2, 2]) {
        let path = paths(&elements).find(|path| path.attributes["fill"] == *tone).expect("a tone");
        assert_eq!(path.attributes["d"].matches('M').count(), bars);
    }
    assert!(description(&elements).contains("6 文、平均 39.5 字"));
    assert!(description(&elements).contains("最長 90 字（6 文目）"));
    assert!(texts(&elements).contains(&"2〜3 文目：短文の連続"));
}

#[test]
fn a_long_strip_is_grouped_and_says_so() {
    for count in [399, 400, 401, 5_000, 100_000] {
        let lengths: Vec<usize> = (0..count).map(|at| (at * 7_919) % 97).collect();
        let runs: Vec<Range<usize>> = (0..count / 4).map(|at| at * 4..at * 4 + 3).collect();
        let elements = check(&strip("リズム", &lengths, &runs, &[], Locale::Ja));
        let bars: usize = svg::TONES
            .iter()
            .filter_map(|tone| paths(&elements).find(|path| path.attributes["fill"] == *tone))
            .map(|path| path.attributes["d"].matches('M').count())
            .sum();
        assert_eq!(bars, if count <= 400 { count } else { count.div_ceil(count.div_ceil(200)) });
        let says = texts(&elements).iter().any(|text| text.contains("文の平均"));
        assert_eq!(says, count > 400);
    }
}

#[test]
fn runs_may_overlap_be_empty_or_end_beyond_the_text() {
    let runs = [0..5, 1..4, 2..3, 2..9, 3..3, 8..400, 700..800, 9..10];
    let labels = ["一", "二", "三", "四", "空", "六"];
    let elements = check(&strip("t", &[30; 10], &runs, &labels, Locale::Ja));
    assert!(texts(&elements).contains(&"9〜10 文目：六"));
    assert!(!description(&elements).contains("空"));
    let one_sentence_endless = check(&strip("t", &[10, 50_000], &[], &[], Locale::En));
    assert!(texts(&one_sentence_endless).contains(&"Sentences longer than 120 characters, cut at the top: 1."));
}

#[test]
fn the_curve_names_its_acts_its_extremes_and_its_marks() {
    let points: Vec<(f64, f64)> = (0..=10).map(|at| (f64::from(at) / 10.0, f64::from(at) / 20.0)).collect();
    let elements = check(&curve("緊張", &points, &[(0.7, "対決"), (0.25, "")], Locale::Ja));
    for word in ["第一幕", "第二幕", "第三幕", "対決（70%、0.35）", "25%、0.12"] {
        assert!(texts(&elements).contains(&word), "{word}: {:?}", texts(&elements));
    }
    assert!(description(&elements).contains("最高 0.50（100% の位置）、最低 0.00（0% の位置）"));
    let dashed = |element: &&Element| element.attributes.get("stroke-dasharray").is_some_and(|dashes| dashes == "6 4");
    assert_eq!(paths(&elements).filter(dashed).count(), 2);
}

#[test]
fn a_mark_lies_on_the_curve_that_is_drawn() {
    let points: Vec<(f64, f64)> = (0..24_000).map(|at| (f64::from(at) / 24e3, f64::from(at % 2))).collect();
    let elements = check(&curve("緊張", &points, &[(0.3, "山")], Locale::Ja));
    assert!(texts(&elements).contains(&"山（30%、0.50）"), "{:?}", texts(&elements));
}

#[test]
fn the_trend_says_first_last_and_change_and_leaves_gaps() {
    let scores = [("第1話", 70.0), ("第2話", f64::NAN), ("第3話", 74.5), ("第4話", 80.0)];
    let elements = check(&trend("推移", &scores, Locale::Ja));
    assert!(description(&elements).contains("最初 70 点から最新 80 点（+10）"));
    assert!(description(&elements).contains("第3話 74.5"));
    assert!(texts(&elements).contains(&"第2話"));
    let line = paths(&elements).find(|path| path.attributes.get("stroke-width").is_some_and(|width| width == "2.5"));
    assert_eq!(line.expect("a line").attributes["d"].matches('L').count(), 1);
    for count in [5, 12, 13, 40, 120, 121, 1_000] {
        let names: Vec<String> = (1..=count).map(|at| format!("第{at}話 長い題名のある話")).collect();
        let scores: Vec<(&str, f64)> =
            names.iter().zip((0..100).cycle()).map(|(name, score)| (name.as_str(), f64::from(score))).collect();
        let elements = check(&trend("推移", &scores, Locale::Ja));
        assert!(texts(&elements).iter().any(|text| text.starts_with(&format!("第{count}"))), "{count}");
    }
}

#[test]
fn empty_and_single_inputs_make_pictures() {
    for locale in Locale::ALL {
        for picture in [
            radar("", &[], locale),
            radar("t", &[("a", Some(0.5))], locale),
            radar("t", &[("a", None)], locale),
            strip("", &[], &[0..3, 0..0], &["a"], locale),
            strip("t", &[0], &[], &[], locale),
            strip("t", &[12], from_ref(&(0..1)), &["a"], locale),
            curve("", &[], &[], locale),
            curve("t", &[], &[(0.5, "a")], locale),
            curve("t", &[(0.5, 0.5)], &[(0.1, "a"), (f64::NAN, "b")], locale),
            trend("", &[], locale),
            trend("t", &[("a", 50.0)], locale),
            trend("t", &[("a", f64::INFINITY)], locale),
        ] {
            check(&picture);
        }
    }
}

#[test]
fn hostile_names_are_escaped_and_cut() {
    // A quotation mark is narrow and takes six bytes when escaped: no other text makes a larger picture.
    let (endless, largest) = (HOSTILE.repeat(2_000), format!("{HOSTILE}{}", "\"".repeat(500)));
    for name in [HOSTILE, endless.as_str(), largest.as_str()] {
        for locale in Locale::ALL {
            let lengths: Vec<usize> = (0..100_000).map(|at| at % 311).collect();
            let runs: Vec<Range<usize>> = (0..3_000).map(|at| at * 30..at * 30 + 9).collect();
            let points: Vec<(f64, f64)> =
                (0..30_000).map(|at| (f64::from(at) / 3e4, f64::from(at % 7) / 6.0)).collect();
            let marks: Vec<(f64, &str)> = (0..100).map(|at| (0.9 + f64::from(at) / 1e3, name)).collect();
            for picture in [
                radar(name, &[(name, Some(0.4)); 50], locale),
                radar(name, &[(name, None); 8], locale),
                strip(name, &lengths, &runs, &vec![name; 3_000], locale),
                curve(name, &points, &marks, locale),
                trend(name, &vec![(name, 33.3); 900], locale),
            ] {
                let elements = check(&picture);
                assert!(picture.len() < 36_000, "{} bytes are too close to the limit", picture.len());
                assert!(elements[1].text.starts_with("<script>&\"']]> 勇者"), "{}", elements[1].text);
            }
        }
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let lengths: Vec<usize> = (0..900).map(|at| at % 83).collect();
    let draw = || {
        [
            radar("t", &CATEGORIES, Locale::Ja),
            strip("t", &lengths, from_ref(&(3..9)), &["a"], Locale::Ja),
            curve("t", &[(0.3, 0.4), (0.1, 0.9)], &[(0.2, "a")], Locale::Ja),
            trend("t", &[("a", 1.0), ("b", 2.0)], Locale::Ja),
        ]
    };
    assert_eq!(draw(), draw());
}

/// Returns the contrast of two colours as defined by WCAG 2.
fn contrast(one: &str, other: &str) -> f64 {
    let luminance = |colour: &str| {
        let part = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).expect("a colour")) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn colours_stand_out_from_the_ground() {
    for letters in [svg::INK, svg::MUTED, svg::ACCENT] {
        assert!(contrast(letters, svg::GROUND) >= 4.5, "{letters}");
    }
    for shape in svg::TONES.iter().chain([&svg::SERIES, &svg::ACCENT]) {
        assert!(contrast(shape, svg::GROUND) >= 3.0, "{shape}");
    }
    for pair in svg::TONES.windows(2) {
        assert!(contrast(pair[0], pair[1]) >= 1.6, "{pair:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_drawn_is_whole(
        names in proptest::collection::vec(".{0,40}", 1..30),
        numbers in proptest::collection::vec(any::<f64>(), 30),
        shares in proptest::collection::vec(0.0..1.0, 30),
        lengths in proptest::collection::vec(0_usize..400, 0..600),
        starts in proptest::collection::vec((0_usize..700, 0_usize..50), 0..30),
    ) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let runs: Vec<Range<usize>> = starts.into_iter().map(|(start, length)| start..start + length).collect();
        let parts: Vec<(&str, Option<f64>)> = names.iter().zip(&shares).map(|(name, share)| (*name, (*share > 0.3).then_some(*share))).collect();
        let scores: Vec<(&str, f64)> = names.iter().zip(&shares).map(|(name, share)| (*name, share * 100.0)).collect();
        let marks: Vec<(f64, &str)> = shares.iter().copied().zip(names.iter().copied()).collect();
        let points: Vec<(f64, f64)> = numbers.iter().copied().zip(shares.iter().copied()).collect();
        for locale in Locale::ALL {
            check(&radar(names[0], &parts, locale));
            check(&strip(names[0], &lengths, &runs, &names, locale));
            check(&curve(names[0], &points, &marks, locale));
            check(&trend(names[0], &scores, locale));
        }
    }
}
