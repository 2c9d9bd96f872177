//! Facts: numbers with a unit, ages and colours that a text assigns to something, in settings and story alike.
//!
//! Numbers in kanji and in digits are equal. Durations are not facts: a walk may take ten minutes today and twenty
//! tomorrow.

use std::ops::Range;

use crate::{
    checks::material::CheckMaterial,
    morphology::{Ipadic, Morpheme, Morphology},
};

/// The units of facts that stay the same from scene to scene.
const UNITS: [&str; 27] = [
    "メートル",
    "センチ",
    "センチメートル",
    "ミリ",
    "ミリメートル",
    "キロ",
    "キロメートル",
    "キログラム",
    "グラム",
    "トン",
    "リットル",
    "平方メートル",
    "パーセント",
    "％",
    "歳",
    "才",
    "軒",
    "階",
    "階建て",
    "畳",
    "段",
    "字",
    "円",
    "里",
    "尺",
    "寸",
    "坪",
];

/// The stems of colour words, with the colour that each names.
const COLOURS: [(&str, char); 22] = [
    ("赤", '赤'),
    ("紅", '赤'),
    ("朱", '赤'),
    ("緋", '赤'),
    ("青", '青'),
    ("蒼", '青'),
    ("碧", '青'),
    ("白", '白'),
    ("黒", '黒'),
    ("黄", '黄'),
    ("緑", '緑'),
    ("翠", '緑'),
    ("紫", '紫'),
    ("茶", '茶'),
    ("褐", '茶'),
    ("灰", '灰'),
    ("金", '金'),
    ("銀", '銀'),
    ("紺", '紺'),
    ("藍", '紺'),
    ("橙", '橙'),
    ("桃", '桃'),
];

/// Combinations of a thing and a passing colour, which are not facts.
const PASSING_COLOURS: [(&str, char); 6] =
    [("目", '赤'), ("眼", '赤'), ("頬", '赤'), ("顔", '赤'), ("顔", '青'), ("顔", '白')];

/// A statement about a property of something.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// A number of a unit, with the measured noun if there is one.
    Number {
        /// The measured noun, such as 長さ or 高さ.
        of: Option<String>,
        /// The number of units.
        value: f64,
        /// The unit, such as 歳 or メートル.
        unit: String,
    },
    /// The colour of a thing.
    Colour {
        /// The coloured thing, by its base form.
        of: String,
        /// The colour, as one kanji.
        colour: char,
    },
}

/// A fact with the words that state it.
#[derive(Clone, Debug, PartialEq)]
pub struct FactMention {
    /// The fact that is stated.
    pub fact: Fact,
    /// The range of indices into the words that were read.
    pub words: Range<usize>,
}

/// A word from which facts are read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FactWord {
    surface: String,
    base: String,
    part: String,
    kind: String,
}

/// The facts stated in a sequence of words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatedFacts {
    /// The facts in the order of the text.
    pub places: Vec<FactMention>,
}

impl StatedFacts {
    /// Reads the facts of a line of the settings. `window` is the maximum number of words between a thing and its
    /// colour.
    pub fn of_line(line: &str, window: usize) -> Self {
        let mut words = Vec::new();
        Ipadic::shared().reader().read(line, &mut words);
        let tokens = words.iter().map(|word| {
            let surface = &line[word.range.clone()];
            FactWord {
                surface: surface.to_owned(),
                base: word.entry.base.unwrap_or(surface).to_owned(),
                part: word.entry.parts[0].to_owned(),
                kind: word.entry.parts[1].to_owned(),
            }
        });
        Self::from_words(&tokens.collect::<Vec<_>>(), window)
    }

    /// Reads the facts of a sentence of the story.
    pub fn of_sentence(material: &CheckMaterial<'_>, sentence: usize, window: usize) -> Self {
        let token = |word: &Morpheme<'_>| FactWord {
            surface: word.surface.to_owned(),
            base: word.base.to_owned(),
            part: word.parts[0].to_owned(),
            kind: word.parts[1].to_owned(),
        };
        Self::from_words(&material.words_of(sentence).iter().map(token).collect::<Vec<_>>(), window)
    }

    fn from_words(words: &[FactWord], window: usize) -> Self {
        let mut places = numbers(words);
        places.extend(colours(words, window));
        places.sort_by_key(|place| place.words.start);
        Self { places }
    }
}

fn numbers(words: &[FactWord]) -> Vec<FactMention> {
    let mut places = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let digits = words[at..].iter().take_while(|word| word.kind == "数").count();
        if digits == 0 {
            at += 1;
            continue;
        }
        let written: String = words[at..at + digits].iter().map(|word| word.surface.as_str()).collect();
        let unit = words.get(at + digits).map(|word| word.surface.as_str()).filter(|unit| UNITS.contains(unit));
        if let Some((value, unit)) = number(&written).zip(unit) {
            places.push(FactMention {
                fact: Fact::Number {
                    of: measured(&words[..at]).filter(|_| !matches!(unit, "歳" | "才")),
                    value,
                    unit: if unit == "才" { "歳".to_owned() } else { unit.to_owned() },
                },
                words: at..at + digits + 1,
            });
        }
        at += digits;
    }
    places
}

/// Returns the noun that a following number measures: 長さ二百, 長さは二百.
fn measured(before: &[FactWord]) -> Option<String> {
    let mut before = before
        .iter()
        .rev()
        .skip_while(|word| matches!(word.surface.as_str(), "は" | "が" | "も" | "、" | "約" | "およそ"));
    let noun = before.next().filter(|word| word.part == "名詞" && !matches!(word.kind.as_str(), "数" | "固有名詞"))?;
    // The dictionary splits 長さ into 長 and さ.
    let stem = before.next().filter(|_| noun.kind == "接尾").map(|word| word.surface.as_str()).unwrap_or_default();
    Some(format!("{stem}{}", noun.surface))
}

fn colours(words: &[FactWord], window: usize) -> Vec<FactMention> {
    let is_noun =
        |word: &FactWord| word.part == "名詞" && !matches!(word.kind.as_str(), "数" | "非自立" | "接尾" | "代名詞");
    let mut places = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some(colour) = colour(word) else { continue };
        let after = words.iter().enumerate().skip(at + 1).take(window + 1);
        let mut after = after.skip_while(|(_, word)| {
            word.surface == "の" || word.surface == "色" || matches!(word.part.as_str(), "形容詞" | "連体詞")
        });
        let is_attribute = word.part != "形容詞" || word.surface == word.base;
        let thing = after.next().filter(|(_, thing)| is_attribute && is_noun(thing) && self::colour(thing).is_none());
        // 目は緑: the colour is a predicate of the noun before it.
        let told = || {
            let particle =
                at.checked_sub(1).filter(|before| matches!(words[*before].surface.as_str(), "は" | "が" | "も"))?;
            let thing = particle.checked_sub(1)?;
            is_noun(&words[thing]).then_some((thing, &words[thing]))
        };
        let Some((place, thing)) = thing.or_else(told) else {
            continue;
        };
        if !PASSING_COLOURS.contains(&(thing.base.as_str(), colour)) {
            places.push(FactMention {
                fact: Fact::Colour { of: thing.base.clone(), colour },
                words: at.min(place)..at.max(place) + 1,
            });
        }
    }
    places
}

/// Returns the colour that a word names.
fn colour(word: &FactWord) -> Option<char> {
    if !matches!(word.part.as_str(), "名詞" | "形容詞") || word.base.chars().count() > 3 {
        return None;
    }
    let stem = word.base.trim_end_matches(['い', '色']).trim_start_matches("真っ").trim_start_matches("まっ");
    COLOURS.iter().find(|(name, _)| *name == stem).map(|(_, colour)| *colour)
}

/// Parses a number in kanji or in digits of either width: 二百, 200, 二〇〇, 六十八.
pub fn number(written: &str) -> Option<f64> {
    let (mut total, mut section, mut digits) = (0.0, 0.0, None::<f64>);
    for c in written.chars() {
        let digit = "〇一二三四五六七八九".chars().position(|known| known == c);
        let digit = digit.and_then(|digit| u32::try_from(digit).ok());
        let wide = u32::from(c).checked_sub(u32::from('０')).filter(|digit| *digit < 10);
        if let Some(digit) = digit.or(wide).or_else(|| c.to_digit(10)) {
            digits = Some(digits.unwrap_or(0.0) * 10.0 + f64::from(digit));
            continue;
        }
        let unit = match c {
            '十' => 10.0,
            '百' => 100.0,
            '千' => 1_000.0,
            '万' | '億' => {
                section += digits.take().unwrap_or(0.0);
                total = (total + section) * if c == '万' { 1e4 } else { 1e8 };
                section = 0.0;
                continue;
            }
            ',' | '，' => continue,
            _ => return None,
        };
        section += digits.take().unwrap_or(1.0) * unit;
    }
    Some(total + section + digits.unwrap_or(0.0)).filter(|_| !written.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{Fact, StatedFacts, number};

    #[test]
    fn numbers_are_parsed_in_kanji_and_digits() {
        let written = ["二百", "200", "２００", "二〇〇", "六十八", "一万二千", "1,200", "十", "百合"];
        let values = written.map(number);
        let expected = [
            Some(200.0),
            Some(200.0),
            Some(200.0),
            Some(200.0),
            Some(68.0),
            Some(12_000.0),
            Some(1_200.0),
            Some(10.0),
            None,
        ];
        assert_eq!(values, expected);
    }

    #[test]
    fn facts_are_read_from_numbers_and_colours() {
        let facts = |line| {
            let found = StatedFacts::of_line(line, 3).places.into_iter();
            found.map(|place| place.fact).collect::<Vec<_>>()
        };
        let number = |of: &str, value, unit: &str| Fact::Number {
            of: (!of.is_empty()).then(|| of.to_owned()),
            value,
            unit: unit.to_owned(),
        };
        let colour = |of: &str, colour| Fact::Colour { of: of.to_owned(), colour };
        assert_eq!(facts("谷に架かる長さ二百メートルの鉄橋"), [number("長さ", 200.0, "メートル")]);
        assert_eq!(facts("橋の長さは200メートル。"), [number("長さ", 200.0, "メートル")]);
        assert_eq!(facts("六十八歳の女"), [number("", 68.0, "歳")]);
        assert_eq!(facts("緑の目をしている"), [colour("目", '緑')]);
        assert_eq!(facts("黒い目を細めた。髪は銀色だ"), [colour("目", '黒'), colour("髪", '銀')]);
        assert_eq!(facts("泣いて赤い目をした。歩いて十分"), []);
    }
}
