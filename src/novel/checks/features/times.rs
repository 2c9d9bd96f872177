//! Times in a sentence: clock times, dates, parts of the day and turns of the calendar.
//!
//! Numbers are read in kanji and in digits. 一時 and the like, which are rarely an hour, count as the single words that
//! the dictionary has. `chronology.rs` decides which moment is meant.

use std::ops::Range;

use crate::morphology::Morpheme;

/// The minutes of an hour.
pub(super) const HOUR: u32 = 60;
/// The minutes of a day.
pub(super) const DAY: u32 = 24 * HOUR;

/// The meaning of a time expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeMeaning {
    /// A clock time in minutes, with the part of the day if the text names one.
    Clock {
        /// Minutes from midnight; below noon if no part of the day is named.
        minutes: u32,
        /// The start and end of the part of the day, in minutes from midnight.
        part: Option<(u32, u32)>,
    },
    /// A part of the day: start and end in minutes from midnight. A night ends after midnight.
    Part(u32, u32),
    /// A date as month and day.
    Date(u32, u32),
    /// The next day or period begins: 翌朝, 次の日, 三日後.
    NextPeriod,
    /// The text refers to the past: 昨日, 去年, 三年前, あのころ.
    Past,
    /// The rest of the sentence is about another time: 明日, 今朝, 毎朝.
    OtherTime,
}

/// A time expression in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeExpression {
    /// The meaning of the expression.
    pub meaning: TimeMeaning,
    /// The range of its words in the sentence.
    pub words: Range<usize>,
    /// True if the time only limits or labels something: 三時まで, 三時の汽車, 夜道.
    pub is_label: bool,
}

/// The parts of the day: name, start and end in half hours.
const PARTS: [(&str, u32, u32); 30] = [
    ("未明", 0, 10),
    ("明け方", 6, 14),
    ("夜明け", 6, 14),
    ("暁", 6, 14),
    ("早朝", 8, 16),
    ("朝", 8, 23),
    ("朝方", 8, 18),
    ("午前", 0, 24),
    ("昼前", 20, 25),
    ("昼", 21, 32),
    ("お昼", 21, 32),
    ("真昼", 22, 30),
    ("昼過ぎ", 24, 32),
    ("昼下がり", 24, 33),
    ("午後", 24, 48),
    ("夕方", 30, 40),
    ("夕刻", 30, 40),
    ("夕暮れ", 30, 40),
    ("日暮れ", 30, 40),
    ("暮れ方", 30, 40),
    ("黄昏", 30, 40),
    ("宵", 34, 44),
    ("夜", 35, 58),
    ("晩", 35, 58),
    ("夜更け", 42, 58),
    ("夜ふけ", 42, 58),
    ("夜中", 42, 58),
    ("夜半", 42, 58),
    ("深夜", 42, 58),
    ("真夜中", 42, 58),
];

const TURNS: [&str; 11] =
    ["翌朝", "翌日", "翌晩", "翌年", "翌週", "翌月", "翌々日", "あくる日", "あくる朝", "明くる日", "明くる朝"];
const BACK: [&str; 26] = [
    "前日",
    "前夜",
    "昨日",
    "きのう",
    "一昨日",
    "おととい",
    "昨夜",
    "ゆうべ",
    "昨晩",
    "去年",
    "昨年",
    "一昨年",
    "先日",
    "先週",
    "先月",
    "先年",
    "昔",
    "大昔",
    "むかし",
    "かつて",
    "以前",
    "当時",
    "往時",
    "昔日",
    "いつか",
    "いつぞや",
];
const ASIDE: [&str; 18] = [
    "明日",
    "あした",
    "あす",
    "明後日",
    "あさって",
    "明朝",
    "明晩",
    "来週",
    "来月",
    "来年",
    "今朝",
    "けさ",
    "毎朝",
    "毎晩",
    "毎日",
    "毎夜",
    "毎年",
    "いつも",
];
/// The units counted before 後 and 前.
const UNITS: [&str; 16] = [
    "日",
    "日間",
    "週間",
    "か月",
    "カ月",
    "ヶ月",
    "ヵ月",
    "ヶ月間",
    "年",
    "年間",
    "時間",
    "分",
    "分間",
    "晩",
    "夜",
    "秒",
];

/// Returns the time expressions of a sentence, in order.
pub fn time_expressions(words: &[Morpheme<'_>]) -> Vec<TimeExpression> {
    let mut all: Vec<TimeExpression> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let Some((when, end)) = time(words, at) else {
            at += 1;
            continue;
        };
        // 午後三時, 朝の五時: the part of the day disambiguates the hour.
        let part = all.last().and_then(|last| match (last.meaning, when) {
            (TimeMeaning::Part(from, to), TimeMeaning::Clock { minutes, part: None }) => {
                let between = &words[last.words.end..at];
                let is_beside = between.is_empty() || (between.len() == 1 && between[0].surface == "の");
                is_beside.then_some((last.words.start, minutes, (from, to)))
            }
            _ => None,
        });
        let (when, start) = match part {
            Some((start, minutes, part)) => {
                all.pop();
                let part = Some(part);
                (TimeMeaning::Clock { minutes, part }, start)
            }
            None => (when, at),
        };
        all.push(TimeExpression { is_label: is_label(when, words, &(start..end)), meaning: when, words: start..end });
        at = end;
    }
    all
}

/// Returns the time that begins at a word, and the index after its last word.
fn time(words: &[Morpheme<'_>], at: usize) -> Option<(TimeMeaning, usize)> {
    let surface = |at: usize| words.get(at).map_or("", |word| word.surface);
    let one = words[at].surface;
    if let Some((_, from, to)) = PARTS.iter().find(|(name, ..)| *name == one) {
        return Some((TimeMeaning::Part(from * HOUR / 2, to * HOUR / 2), at + 1));
    }
    if one == "正午" {
        let part = Some((12 * HOUR, 12 * HOUR));
        return Some((TimeMeaning::Clock { minutes: 12 * HOUR, part }, at + 1));
    }
    for (known, when) in
        [(&TURNS[..], TimeMeaning::NextPeriod), (&BACK[..], TimeMeaning::Past), (&ASIDE[..], TimeMeaning::OtherTime)]
    {
        if known.contains(&one) {
            return Some((when, at + 1));
        }
    }
    match (one, surface(at + 1), surface(at + 2)) {
        ("前", "の", "日" | "晩" | "夜" | "年" | "週") => return Some((TimeMeaning::Past, at + 3)),
        ("次", "の", "日" | "朝" | "晩" | "夜" | "年" | "週") | ("明く", "る", "日" | "朝" | "晩" | "年") =>
        {
            return Some((TimeMeaning::NextPeriod, at + 3));
        }
        ("あの", "ころ" | "頃" | "日" | "とき" | "時" | "夜" | "朝" | "晩" | "年" | "夏" | "冬" | "春" | "秋", _)
        | ("幼い" | "若い" | "小さい", "ころ" | "頃" | "時分", _) => {
            return Some((TimeMeaning::Past, at + 2));
        }
        ("子供" | "子ども" | "少年" | "少女" | "学生", "の", "ころ" | "頃" | "時分") => {
            return Some((TimeMeaning::Past, at + 3));
        }
        _ => {}
    }
    counted(words, at)
}

/// Returns a time with a number: 三時, 十時二十分, 四時半, 九月三十日, 三日後, 数年前.
fn counted(words: &[Morpheme<'_>], at: usize) -> Option<(TimeMeaning, usize)> {
    let surface = |at: usize| words.get(at).map_or("", |word| word.surface);
    // 九月 is a single word in the dictionary.
    if let Some(month) = surface(at).strip_suffix('月').and_then(value) {
        let (day, end) = number(words, at + 1)?;
        return (surface(end) == "日").then_some((TimeMeaning::Date(month, day), end + 1));
    }
    let (count, end) = match surface(at) {
        "数" | "何" => (0, at + 1),
        _ => number(words, at)?,
    };
    let unit = surface(end);
    // 三日目, "the third day".
    if unit == "日" && surface(end + 1) == "目" {
        return Some((TimeMeaning::NextPeriod, end + 2));
    }
    if UNITS.contains(&unit) {
        // 三年も前, with a particle in between.
        let next = end + 1 + usize::from(matches!(surface(end + 1), "も" | "ほど" | "ばかり"));
        return match surface(next) {
            "後" | "のち" => Some((TimeMeaning::NextPeriod, next + 1)),
            "前" => Some((TimeMeaning::Past, next + 1)),
            _ => None,
        };
    }
    if unit == "月" {
        let (day, last) = number(words, end + 1)?;
        return (surface(last) == "日").then_some((TimeMeaning::Date(count, day), last + 1));
    }
    let half = match unit {
        "時" => 0,
        "時半" => HOUR / 2,
        _ => return None,
    };
    if count > 24 || end == at {
        return None;
    }
    let (more, end) = match (half, surface(end + 1), number(words, end + 1)) {
        (0, "半", _) => (HOUR / 2, end + 2),
        (0, _, Some((minutes, last))) if surface(last) == "分" && minutes < HOUR => (minutes, last + 1),
        _ => (half, end + 1),
    };
    // An hour above twelve implies its half of the day.
    let part = (count > 12).then_some((count * HOUR, count * HOUR + more));
    let minutes = if count > 12 { count * HOUR } else { count % 12 * HOUR } + more;
    Some((TimeMeaning::Clock { minutes, part }, end))
}

/// Returns the number that begins at a word, and the index after its last word.
fn number(words: &[Morpheme<'_>], at: usize) -> Option<(u32, usize)> {
    let length =
        words[at.min(words.len())..].iter().take(6).take_while(|word| word.surface.chars().all(is_numeral)).count();
    let digits: String = words[at.min(words.len())..][..length].iter().map(|word| word.surface).collect();
    Some((value(&digits)?, at + length))
}

fn is_numeral(c: char) -> bool {
    digit(c).is_some() || c == '十'
}

fn digit(c: char) -> Option<u32> {
    let kanji = "〇一二三四五六七八九".chars().position(|known| known == c);
    let wide = ('０'..='９').position(|known| known == c);
    let zero = (c == '零').then_some(0);
    c.to_digit(10).or_else(|| kanji.or(wide).or(zero).and_then(|digit| u32::try_from(digit).ok()))
}

/// Parses a number below a hundred, as 二十三, 二三, 23 or ２３.
fn value(text: &str) -> Option<u32> {
    if text.is_empty() || text.chars().count() > 4 {
        return None;
    }
    let digits = |text: &str| text.chars().try_fold(0, |sum, c| Some(sum * 10 + digit(c)?));
    match text.split_once('十') {
        None => digits(text),
        Some((tens, ones)) => {
            let tens = if tens.is_empty() { 1 } else { digits(tens)? };
            Some(tens * 10 + digits(ones)?)
        }
    }
}

/// True if a time limits or labels something and does not state the current time.
fn is_label(when: TimeMeaning, words: &[Morpheme<'_>], own: &Range<usize>) -> bool {
    let next = words.get(own.end).map_or("", |word| word.surface);
    match when {
        TimeMeaning::Clock { .. } | TimeMeaning::Date(..) => matches!(next, "まで" | "の" | "発" | "着"),
        TimeMeaning::Part(..) => {
            let begins = own.start.checked_sub(1).is_none_or(|last| words[last].surface == "、");
            let is_moment =
                matches!(next, "、" | "に" | "は" | "も" | "が" | "には" | "。" | "") || (next == "の" && begins);
            let is_each = own.start.checked_sub(1).is_some_and(|last| words[last].surface == "毎");
            !is_moment || is_each
        }
        TimeMeaning::NextPeriod | TimeMeaning::Past | TimeMeaning::OtherTime => false,
    }
}
