//! The trend chart: scores over checks or episodes, from left to right.
//!
//! The scale is always 0 to 100, so that a small change looks small. A non-finite score is a gap. Above [`POINTS`]
//! scores, a point is the mean of neighbours; the last check always has its label.

use fumi_base::text::Locale;

use super::svg::{
    Anchor, GRID, GROUND, INK, MARGIN, MUTED, Paint, SERIES, SvgSheet, TextStyle, WIDTH, clean_label, joined,
    localized, number, polyline, to_f64, width, wrap_text,
};

/// The largest number of points drawn; more scores are replaced by the means of neighbours.
const POINTS: usize = 120;
/// The largest number of scores that are all numbered.
const NUMBERED: usize = 12;
/// The largest number of scores listed in the description.
const DESCRIBED: usize = 40;
/// The smallest width kept for a label below the axis, in units of its font size.
const LABEL: f64 = 8.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = MARGIN + 36.0;
/// Leaves room for half a label beyond the end of the axis.
const RIGHT: f64 = WIDTH - 2.0 * MARGIN;

/// Draws scores from 0 to 100, each with the label of its check or episode.
pub fn trend(title: &str, scores: &[(&str, f64)], locale: Locale) -> String {
    let known: Vec<(&str, f64)> = scores
        .iter()
        .filter(|(_, score)| score.is_finite())
        .map(|(label, score)| (*label, score.clamp(0.0, 100.0)))
        .collect();
    let caption = caption(&known, locale);
    let (mut sheet, top) = SvgSheet::new(title, &caption, locale);
    let group = scores.len().div_ceil(POINTS).max(1);
    let points: Vec<Option<f64>> = scores.chunks(group).map(mean).collect();
    let labels: Vec<String> = scores
        .chunks(group)
        .map(|group| group.last().map_or_else(String::new, |(label, _)| clean_label(label)))
        .collect();
    let plot = TrendPlot { top: top + 16.0, slot: (RIGHT - LEFT) / to_f64(points.len().max(1)) };
    plot.grid(&mut sheet);
    plot.line(&mut sheet, &points);
    plot.labels(&mut sheet, &labels);
    let mut bottom = plot.base() + 34.0;
    if group > 1 {
        let note = localized(
            locale,
            || format!("Each point is the mean of {group} scores and is labelled with the last one."),
            || format!("一つの点は {group} 件の平均で、ラベルはその最後の一件のものです。"),
        );
        sheet.text((MARGIN, bottom + 6.0), TextStyle::new(12.0, MUTED, Anchor::Start), &note);
        bottom += 16.0;
    }
    let words = in_words(&known, locale);
    let description =
        localized(locale, || format!("Score trend. {caption} {words}"), || format!("点数の推移。{caption}{words}"));
    sheet.finish(bottom + 2.0, &description)
}

/// Returns the mean of the finite scores.
fn mean(scores: &[(&str, f64)]) -> Option<f64> {
    let known = scores.iter().map(|(_, score)| *score).filter(|score| score.is_finite());
    let (sum, count) = known.fold((0.0, 0), |(sum, count), score| (sum + score.clamp(0.0, 100.0), count + 1));
    (count > 0).then(|| sum / to_f64(count))
}

fn caption(known: &[(&str, f64)], locale: Locale) -> String {
    let (Some(first), Some(last)) = (known.first(), known.last()) else {
        return localized(locale, || "No scores.".to_owned(), || "点数がありません。".to_owned());
    };
    let (count, change) = (known.len(), last.1 - first.1);
    let change = format!("{}{}", if change > 0.0 { "+" } else { "" }, number(change));
    let (first, last) = (number(first.1), number(last.1));
    let highest = number(known.iter().map(|(_, score)| *score).fold(0.0, f64::max));
    let lowest = number(known.iter().map(|(_, score)| *score).fold(100.0, f64::min));
    if count == 1 {
        return localized(locale, || format!("One score: {last}."), || format!("1 件、{last} 点。"));
    }
    localized(
        locale,
        || format!("Scores: {count}, from {first} to {last} ({change}), highest {highest}, lowest {lowest}."),
        || format!("{count} 件、最初 {first} 点から最新 {last} 点（{change}）、最高 {highest} 点、最低 {lowest} 点。"),
    )
}

/// Lists the scores with their labels; of many, only the last [`DESCRIBED`].
fn in_words(known: &[(&str, f64)], locale: Locale) -> String {
    let from = known.len().saturating_sub(DESCRIBED);
    let words = known[from..].iter().map(|(label, score)| format!("{} {}", clean_label(label), number(*score)));
    let list = joined(&words.collect::<Vec<_>>(), locale);
    if from == 0 {
        return list;
    }
    localized(locale, || format!("The last {DESCRIBED}: {list}"), || format!("最新の {DESCRIBED} 件：{list}"))
}

struct TrendPlot {
    top: f64,
    /// The width of one point's column.
    slot: f64,
}

impl TrendPlot {
    fn base(&self) -> f64 {
        self.top + HEIGHT
    }

    fn x(&self, at: usize) -> f64 {
        LEFT + self.slot * (to_f64(at) + 0.5)
    }

    fn y(&self, score: f64) -> f64 {
        self.base() - HEIGHT * score / 100.0
    }

    fn grid(&self, sheet: &mut SvgSheet) {
        for fifth in 0..=5 {
            let score = f64::from(fifth) * 20.0;
            let paint = Paint::line(if fifth == 0 { MUTED } else { GRID }, 1.0);
            sheet.line((LEFT, self.y(score)), (RIGHT, self.y(score)), paint);
            let letters = TextStyle::new(11.0, MUTED, Anchor::End);
            sheet.text((LEFT - 6.0, self.y(score) + 4.0), letters, &number(score));
        }
    }

    fn line(&self, sheet: &mut SvgSheet, points: &[Option<f64>]) {
        let mut places = Vec::new();
        let mut path = String::new();
        for (at, point) in points.iter().enumerate() {
            match point {
                Some(score) => places.push((self.x(at), self.y(*score))),
                None => path.push_str(&polyline(&std::mem::take(&mut places))),
            }
        }
        path.push_str(&polyline(&places));
        sheet.path(&path, Paint::line(SERIES, 2.5));
        // Small dots have no edge, which would cut the line into pieces.
        let dot = Paint::area(SERIES);
        let (radius, dot) = if points.len() <= 40 { (4.0, dot.edged(GROUND, 1.0)) } else { (2.0, dot) };
        let known = || points.iter().enumerate().filter_map(|(at, point)| point.map(|score| (at, score)));
        for (at, score) in known() {
            sheet.circle((self.x(at), self.y(score)), radius, dot);
        }
        // Of many points, only the last is numbered.
        let last = known().next_back().map(|(at, _)| at);
        for (at, score) in known().filter(|(at, _)| points.len() <= NUMBERED || Some(*at) == last) {
            let neighbour = |at: Option<usize>| at.and_then(|at| points.get(at).copied().flatten());
            let higher = |other: Option<f64>| other.is_some_and(|other| other > score);
            // The number is below the point in a valley, otherwise above it, where the line does not run.
            let (before, after) = (neighbour(at.checked_sub(1)), neighbour(Some(at + 1)));
            let is_valley = (higher(before) || before.is_none()) && (higher(after) || after.is_none());
            let below = is_valley && (before.is_some() || after.is_some()) && score > 12.0;
            let y = self.y(score) + if below { 20.0 } else { -9.0 };
            let letters = TextStyle::new(12.0, INK, Anchor::Middle).bold();
            sheet.text_on_ground((self.x(at), y), letters, &number(score));
        }
    }

    /// Draws as many labels as fit side by side, always including the last.
    fn labels(&self, sheet: &mut SvgSheet, labels: &[String]) {
        let letters = TextStyle::new(11.0, MUTED, Anchor::Middle);
        let room = (self.slot / letters.size - 0.8).max(LABEL);
        let short: Vec<String> = labels.iter().map(|label| wrap_text(label, room, 1).concat()).collect();
        let widest = short.iter().map(|label| width(label)).fold(1.0, f64::max) * letters.size + 8.0;
        let fitting =
            (1..=labels.len()).find(|step| to_f64(*step) * self.slot >= widest).unwrap_or(labels.len().max(1));
        for (at, label) in short.iter().enumerate().rev().step_by(fitting) {
            let x = self.x(at);
            sheet.line((x, self.base()), (x, self.base() + 4.0), Paint::line(MUTED, 1.0));
            sheet.text((x, self.base() + 18.0), letters, label);
        }
    }
}
