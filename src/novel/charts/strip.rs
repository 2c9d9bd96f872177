//! The rhythm strip: one bar for each sentence in order, as high as the sentence is long.
//!
//! Short, medium and long sentences have three tones, and two lines mark the thresholds, so that no information depends
//! on colour alone. Above 400 sentences, a bar is the mean of several neighbours and a thin line above it their
//! longest. The caller decides what a run is.

use std::{fmt::Write as _, ops::Range};

use fumi_base::text::Locale;

use super::svg::{
    ACCENT, Anchor, GRID, INK, MARGIN, MARKS, MUTED, Paint, SvgSheet, TONES, TextStyle, WIDTH, clean_label, joined,
    localized, number, percent, spread_apart, to_f64, width,
};
use crate::checks::metrics::{MEDIUM, SHORT, Spread};

/// The largest number of sentences with one bar each.
const SINGLE: usize = 400;
/// The largest number of bars for more sentences: each is still wide enough for the thin line above it.
const GROUPED: usize = 200;
/// The height of the bar area, in SVG user units.
const HEIGHT: f64 = 180.0;
/// The largest width of a bar including the gap after it.
const WIDEST: f64 = 28.0;
/// The smallest and largest top of the scale, in characters: both thresholds are always visible, and one extremely long
/// sentence does not flatten all others.
const SCALE: (usize, usize) = (60, 120);
/// The largest number of brackets drawn; further runs would touch these.
const BRACKETS: usize = 240;
/// The number of rows for brackets of overlapping runs.
const ROWS: usize = 3;
const LEFT: f64 = MARGIN + 32.0;
const RIGHT: f64 = WIDTH - MARGIN;

/// Draws sentences by their lengths and marks runs of them. `labels` names the runs in the same order; a run without a
/// label shows only its position.
pub fn strip(title: &str, lengths: &[usize], runs: &[Range<usize>], labels: &[&str], locale: Locale) -> String {
    let group = if lengths.len() > SINGLE { lengths.len().div_ceil(GROUPED) } else { 1 };
    let caption = caption(lengths, locale);
    let (mut sheet, top) = SvgSheet::new(title, &caption, locale);
    let shares = legend(&mut sheet, top, lengths, locale);
    let longest = lengths.iter().copied().max().unwrap_or_default();
    let bars = lengths.len().div_ceil(group).max(1);
    let strip = RhythmStrip {
        top: top + 44.0,
        scale: longest.next_multiple_of(10).clamp(SCALE.0, SCALE.1),
        group,
        slot: ((RIGHT - LEFT) / to_f64(bars)).min(WIDEST),
    };
    strip.axes(&mut sheet, lengths.len(), locale);
    let runs = strip.runs(lengths.len(), runs, labels);
    let mut bottom = strip.base() + 30.0;
    let marks: Vec<String> = runs.iter().take(MARKS).map(|run| run.in_words(locale)).collect();
    bottom = strip.mark(&mut sheet, bottom, &runs);
    strip.bars(&mut sheet, lengths);
    if !marks.is_empty() {
        bottom = sheet.list(bottom, &marks);
    }
    for note in notes(&strip, lengths, runs.len(), locale) {
        bottom += 18.0;
        sheet.text((MARGIN, bottom), TextStyle::new(12.0, MUTED, Anchor::Start), &note);
    }
    let runs = joined(&marks, locale);
    let description = localized(
        locale,
        || format!("Sentence lengths in order. {caption} {shares}. {runs}"),
        || format!("文の長さを順に並べた図。{caption}{shares}。{runs}"),
    );
    sheet.finish(bottom + 14.0, &description)
}

fn caption(lengths: &[usize], locale: Locale) -> String {
    // Reversed, because `max_by_key` returns the last of equal maxima; the first one is wanted.
    let longest = lengths.iter().enumerate().rev().max_by_key(|(_, length)| **length);
    let Some((at, longest)) = longest else {
        return localized(locale, || "No sentences.".to_owned(), || "文がありません。".to_owned());
    };
    let spread = Spread::from_numbers(lengths.iter().map(|length| to_f64(*length)));
    let (count, mean, variation, at) = (lengths.len(), number(spread.mean), spread.variation(), at + 1);
    localized(
        locale,
        || {
            format!(
                "Sentences: {count}, mean {mean} characters, coefficient of variation {variation:.2}, longest {longest} \
                 characters (sentence {at})."
            )
        },
        || format!("{count} 文、平均 {mean} 字、変動係数 {variation:.2}、最長 {longest} 字（{at} 文目）。"),
    )
}

fn class(length: f64) -> usize {
    usize::from(length > to_f64(SHORT)) + usize::from(length > to_f64(MEDIUM))
}

/// Draws the three tones with their sentence counts, and returns the same in words.
fn legend(sheet: &mut SvgSheet, top: f64, lengths: &[usize], locale: Locale) -> String {
    let mut counts = [0_usize; 3];
    for length in lengths {
        counts[class(to_f64(*length))] += 1;
    }
    let from = SHORT + 1;
    let names = match locale {
        Locale::En => {
            [format!("short (up to {SHORT})"), format!("medium ({from} to {MEDIUM})"), format!("long (over {MEDIUM})")]
        }
        Locale::Ja => {
            [format!("短（{SHORT} 字まで）"), format!("中（{from}〜{MEDIUM} 字）"), format!("長（{MEDIUM} 字超）")]
        }
    };
    let letters = TextStyle::new(12.0, INK, Anchor::Start);
    let mut x = MARGIN;
    let mut words = Vec::new();
    for ((name, count), tone) in names.into_iter().zip(counts).zip(TONES) {
        let share = percent(to_f64(count) / to_f64(lengths.len().max(1)));
        let text = localized(locale, || format!("{name}: {count}, {share}"), || format!("{name}{count} 文、{share}"));
        sheet.rectangle((x, top), (12.0, 12.0), Paint::area(tone));
        sheet.text((x + 18.0, top + 10.5), letters, &text);
        x += 18.0 + width(&text) * letters.size + 20.0;
        words.push(text);
    }
    match locale {
        Locale::En => words.join("; "),
        Locale::Ja => words.join("。"),
    }
}

fn notes(strip: &RhythmStrip, lengths: &[usize], runs: usize, locale: Locale) -> Vec<String> {
    let (group, scale) = (strip.group, strip.scale);
    let mut notes = Vec::new();
    if group > 1 {
        notes.push(localized(
            locale,
            || format!("Each bar is the mean of {group} sentences; the thin line above it is the longest of them."),
            || format!("棒一本は {group} 文の平均、その上の細い線はその中で最長の文です。"),
        ));
    }
    let beyond = lengths.iter().filter(|length| **length > scale).count();
    if beyond > 0 {
        notes.push(localized(
            locale,
            || format!("Sentences longer than {scale} characters, cut at the top: {beyond}."),
            || format!("{scale} 字を超える {beyond} 文は、上端で切ってあります。"),
        ));
    }
    if runs > MARKS {
        let more = runs - MARKS;
        notes.push(localized(
            locale,
            || format!("Runs without a number: {more}."),
            || format!("ほか {more} か所には番号を付けていません。"),
        ));
    }
    notes
}

/// A marked run of sentences and its horizontal extent.
struct StripRun {
    sentences: Range<usize>,
    label: String,
    /// The x coordinate of the start; `to` is that of the end.
    from: f64,
    to: f64,
}

impl StripRun {
    fn in_words(&self, locale: Locale) -> String {
        let (first, last) = (self.sentences.start + 1, self.sentences.end);
        let place = match (locale, first == last) {
            (Locale::En, true) => format!("sentence {first}"),
            (Locale::En, false) => format!("sentences {first} to {last}"),
            (Locale::Ja, true) => format!("{first} 文目"),
            (Locale::Ja, false) => format!("{first}〜{last} 文目"),
        };
        match self.label.as_str() {
            "" => place,
            label => localized(locale, || format!("{place}: {label}"), || format!("{place}：{label}")),
        }
    }
}

struct RhythmStrip {
    top: f64,
    /// The sentence length at the top of the bar area, in characters.
    scale: usize,
    /// The number of sentences that one bar represents.
    group: usize,
    /// The width of a bar including the gap after it.
    slot: f64,
}

impl RhythmStrip {
    fn base(&self) -> f64 {
        self.top + HEIGHT
    }

    fn height(&self, length: f64) -> f64 {
        HEIGHT * (length / to_f64(self.scale)).min(1.0)
    }

    /// Returns the x coordinate of the start of a sentence.
    fn place(&self, sentence: usize) -> f64 {
        LEFT + self.slot * to_f64(sentence) / to_f64(self.group)
    }

    fn axes(&self, sheet: &mut SvgSheet, count: usize, locale: Locale) {
        let muted = TextStyle::new(11.0, MUTED, Anchor::End);
        for length in [SHORT, MEDIUM, self.scale] {
            let y = self.base() - self.height(to_f64(length));
            let paint = Paint::line(if length == self.scale { GRID } else { MUTED }, 1.0);
            sheet.line((LEFT, y), (RIGHT, y), if length == self.scale { paint } else { paint.dashed("2 4") });
            sheet.text((LEFT - 6.0, y + 4.0), muted, &length.to_string());
        }
        sheet.line((LEFT, self.base()), (RIGHT, self.base()), Paint::line(MUTED, 1.0));
        sheet.text((LEFT - 6.0, self.base() + 4.0), muted, "0");
        let unit = localized(locale, || "chars".to_owned(), || "字".to_owned());
        sheet.text((LEFT - 6.0, self.top - 12.0), muted, &unit);

        let sentence = self.slot / to_f64(self.group);
        let steps = (0..).map(|power| 10_usize.pow(power)).flat_map(|power| [power, 2 * power, 5 * power]);
        let step = steps.take(40).find(|step| to_f64(*step) * sentence >= 44.0).unwrap_or(usize::MAX);
        let numbers = (1..=count / step).map(|at| at * step);
        let first = (count > 0 && step > 1 && to_f64(step - 1) * sentence >= 28.0).then_some(1);
        for at in first.into_iter().chain(numbers) {
            let x = self.place(at - 1) + sentence / 2.0;
            let letters = TextStyle::new(11.0, MUTED, Anchor::Middle);
            sheet.text((x, self.base() + 16.0), letters, &at.to_string());
        }
    }

    fn bars(&self, sheet: &mut SvgSheet, lengths: &[usize]) {
        let gap = if self.slot >= 4.0 { 1.0 } else { self.slot / 4.0 };
        let (base, wide) = (number(self.base()), number(self.slot - gap));
        let mut bars = [const { String::new() }; 3];
        let mut longest = String::new();
        for (at, group) in lengths.chunks(self.group).enumerate() {
            let mean = group.iter().copied().map(to_f64).sum::<f64>() / to_f64(group.len());
            let (x, y) = (LEFT + self.slot * to_f64(at), self.base() - self.height(mean));
            let bar = &mut bars[class(mean)];
            let (left, high) = (number(x), number(y));
            // Writing to a `String` does not fail.
            let _ = write!(bar, "M{left} {base}V{high}h{wide}V{base}z");
            if mean > to_f64(self.scale) {
                // A segment above the top line shows that the bar is cut.
                let (above, end) = (number(self.top - 3.0), number(self.top - 9.0));
                let _ = write!(bar, "M{left} {above}V{end}h{wide}V{above}z");
            }
            let most = group.iter().copied().max().unwrap_or_default();
            let most = self.base() - self.height(to_f64(most));
            if self.group > 1 && most < y {
                let _ = write!(longest, "M{} {high}V{}", number(x + (self.slot - gap) / 2.0), number(most));
            }
        }
        sheet.path(&longest, Paint::line(INK, 1.0));
        for (bars, tone) in bars.iter().zip(TONES) {
            sheet.path(bars, Paint::area(tone));
        }
    }

    /// Returns the runs that contain sentences, in text order.
    fn runs(&self, count: usize, runs: &[Range<usize>], labels: &[&str]) -> Vec<StripRun> {
        let labels = labels.iter().copied().chain(std::iter::repeat(""));
        let runs = runs.iter().zip(labels).filter_map(|(run, label)| {
            let sentences = run.start..run.end.min(count);
            let (from, to) = (self.place(sentences.start), self.place(sentences.end));
            (!sentences.is_empty()).then(|| StripRun {
                sentences,
                label: clean_label(label),
                from,
                to: to.max(from + 3.0),
            })
        });
        let mut runs: Vec<StripRun> = runs.collect();
        runs.sort_by_key(|run| (run.sentences.start, run.sentences.end));
        runs
    }

    /// Marks the runs below the bars and returns the y coordinate where the marks end.
    fn mark(&self, sheet: &mut SvgSheet, top: f64, runs: &[StripRun]) -> f64 {
        if runs.is_empty() {
            return top - 6.0;
        }
        for run in runs.iter().take(MARKS) {
            let shade = Paint::area(ACCENT).faint(0.12);
            sheet.rectangle((run.from, self.top), (run.to - run.from, HEIGHT), shade);
        }
        // The x coordinate from which each row is free.
        let mut free = [f64::MIN; ROWS];
        let (mut path, mut drawn) = (String::new(), 0);
        let mut rows = Vec::new();
        for run in runs {
            let row = free.iter().position(|end| *end <= run.from);
            let within = free[ROWS - 1] >= run.to;
            let row_or_last = row.unwrap_or(ROWS - 1);
            rows.push(row_or_last);
            if drawn == BRACKETS || (row.is_none() && within) {
                continue;
            }
            drawn += 1;
            free[row_or_last] = run.to;
            let y = top + 8.0 * to_f64(row_or_last);
            let (y, above, from, to) = (number(y + 4.0), number(y - 1.0), number(run.from), number(run.to));
            let _ = write!(path, "M{from} {above}V{y}H{to}V{above}");
        }
        sheet.path(&path, Paint::line(ACCENT, 2.0));
        let used = rows.iter().copied().max().unwrap_or_default();
        let middle = top + 8.0 * to_f64(used) + 26.0;
        let mut places: Vec<f64> = runs.iter().take(MARKS).map(|run| f64::midpoint(run.from, run.to)).collect();
        let from = places.clone();
        spread_apart(&mut places, 20.0, LEFT + 9.0, RIGHT - 9.0);
        for (at, (place, from)) in places.iter().zip(from).enumerate() {
            let bracket = top + 8.0 * to_f64(rows[at]) + 4.0;
            sheet.line((from, bracket), (*place, middle), Paint::line(ACCENT, 1.0));
        }
        for (at, place) in places.iter().enumerate() {
            sheet.badge((*place, middle), at + 1);
        }
        middle + 20.0
    }
}
