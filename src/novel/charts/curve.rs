//! The tension curve: a value over an episode, with the act borders at 25 % and 75 % and numbered marks.
//!
//! A mark is a number on the curve and a line of the list below it, so that labels never overlap. Non-finite points are
//! left out; more than [`POINTS`] points are drawn as means of neighbours. The module does not judge whether a curve is
//! good.

use fumi_base::text::Locale;

use super::svg::{
    ACCENT, Anchor, GRID, GROUND, INK, MARGIN, MARKS, MUTED, Paint, SERIES, SvgSheet, TextStyle, WIDTH, clean_label,
    joined, localized, percent, polyline, spread_apart, to_f64,
};

/// The largest number of points drawn; more points are replaced by the means of neighbours.
const POINTS: usize = 240;
/// The largest number of points that get a dot each.
const DOTS: usize = 40;
/// The borders of the acts, as shares of the episode (novel-checks 2.3: 25/50/25).
const ACTS: [f64; 4] = [0.0, 0.25, 0.75, 1.0];
const HEIGHT: f64 = 210.0;
const LEFT: f64 = MARGIN + 36.0;
const RIGHT: f64 = WIDTH - MARGIN - 12.0;

/// Draws values from 0 to 1 by their positions from 0 to 1, and marks positions with labels.
pub fn curve(title: &str, points: &[(f64, f64)], marks: &[(f64, &str)], locale: Locale) -> String {
    let points = sorted(points);
    let caption = caption(&points, locale);
    let (mut sheet, top) = SvgSheet::new(title, &caption, locale);
    let mut marks: Vec<(f64, String)> = marks
        .iter()
        .filter(|(position, _)| position.is_finite())
        .map(|(position, label)| (position.clamp(0.0, 1.0), clean_label(label)))
        .collect();
    marks.sort_by(|one, other| one.0.total_cmp(&other.0));
    let more = marks.len().saturating_sub(MARKS);
    marks.truncate(MARKS);

    let badges = if marks.is_empty() { 0.0 } else { 28.0 };
    let plot = CurvePlot { acts: top + 14.0, top: top + 24.0 + badges };
    plot.axes(&mut sheet, locale);
    let drawn = grouped(&points);
    plot.draw(&mut sheet, &drawn);
    plot.mark(&mut sheet, &drawn, &marks);
    let words: Vec<String> = marks.iter().map(|mark| in_words(mark, &drawn, locale)).collect();
    let mut bottom = plot.base() + 40.0;
    if !words.is_empty() {
        bottom = sheet.list(bottom - 4.0, &words) + 8.0;
    }
    if more > 0 {
        let note =
            localized(locale, || format!("Marks not drawn: {more}."), || format!("ほか {more} か所は描いていません。"));
        sheet.text((MARGIN, bottom + 8.0), TextStyle::new(12.0, MUTED, Anchor::Start), &note);
        bottom += 20.0;
    }
    let (acts, words) = (acts_in_words(&points, locale), joined(&words, locale));
    let description = localized(
        locale,
        || format!("Course over the episode. {caption} {acts} {words}"),
        || format!("話の中での推移。{caption}{acts}{words}"),
    );
    sheet.finish(bottom + 4.0, &description)
}

/// Returns the finite points, clamped to 0 to 1 and sorted by position.
fn sorted(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let finite = points.iter().filter(|(position, value)| position.is_finite() && value.is_finite());
    let mut points: Vec<(f64, f64)> =
        finite.map(|(position, value)| (position.clamp(0.0, 1.0), value.clamp(0.0, 1.0))).collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    points
}

/// Replaces runs of neighbours by their means if there are more than [`POINTS`] points.
fn grouped(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let means = points.chunks(points.len().div_ceil(POINTS).max(1)).map(|group| {
        let sum = group.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
        (sum.0 / to_f64(group.len()), sum.1 / to_f64(group.len()))
    });
    means.collect()
}

/// Returns the value at a position, interpolated between its neighbours; `None` without points.
fn value_at(points: &[(f64, f64)], position: f64) -> Option<f64> {
    let after = points.partition_point(|point| point.0 < position);
    let (before, after) = (after.checked_sub(1).and_then(|at| points.get(at)), points.get(after));
    match (before, after) {
        (Some(before), Some(after)) if after.0 > before.0 => {
            let share = (position - before.0) / (after.0 - before.0);
            Some(before.1 + share * (after.1 - before.1))
        }
        (_, Some(point)) | (Some(point), None) => Some(point.1),
        (None, None) => None,
    }
}

fn caption(points: &[(f64, f64)], locale: Locale) -> String {
    // Reversed, because `max_by` returns the last of equal maxima; the first one is wanted.
    let highest = points.iter().rev().max_by(|one, other| one.1.total_cmp(&other.1));
    let lowest = points.iter().min_by(|one, other| one.1.total_cmp(&other.1));
    let (Some(highest), Some(lowest)) = (highest, lowest) else {
        return localized(locale, || "Nothing was measured.".to_owned(), || "測定値がありません。".to_owned());
    };
    let (count, at_highest, at_lowest) = (points.len(), percent(highest.0), percent(lowest.0));
    let (highest, lowest) = (highest.1, lowest.1);
    localized(
        locale,
        || format!("Points: {count}, highest {highest:.2} (at {at_highest}), lowest {lowest:.2} (at {at_lowest})."),
        || {
            format!(
                "測定した箇所 {count} か所、最高 {highest:.2}（{at_highest} の位置）、最低 {lowest:.2}（{at_lowest} の位置）。"
            )
        },
    )
}

fn act(at: usize, locale: Locale) -> String {
    let japanese = ["第一幕", "第二幕", "第三幕"][at];
    localized(locale, || format!("Act {}", at + 1), || japanese.to_owned())
}

/// Returns the mean of each act that has points, as sentences.
fn acts_in_words(points: &[(f64, f64)], locale: Locale) -> String {
    let mut words = Vec::new();
    let mut from = 0;
    for at in 0..3 {
        // The end of the episode belongs to the last act.
        let to = if at == 2 { points.len() } else { points.partition_point(|point| point.0 < ACTS[at + 1]) };
        let values = &points[from..to];
        from = to;
        if !values.is_empty() {
            let mean = values.iter().map(|point| point.1).sum::<f64>() / to_f64(values.len());
            let name = act(at, locale);
            words.push(localized(locale, || format!("{name} mean {mean:.2}."), || format!("{name}の平均 {mean:.2}。")));
        }
    }
    match locale {
        Locale::En => words.join(" "),
        Locale::Ja => words.concat(),
    }
}

fn in_words((position, label): &(f64, String), points: &[(f64, f64)], locale: Locale) -> String {
    let place = value_at(points, *position).map_or_else(
        || percent(*position),
        |value| {
            let position = percent(*position);
            localized(locale, || format!("{position}, {value:.2}"), || format!("{position}、{value:.2}"))
        },
    );
    match label.as_str() {
        "" => place,
        label => localized(locale, || format!("{label} ({place})"), || format!("{label}（{place}）")),
    }
}

struct CurvePlot {
    /// The baseline of the act names, as a y coordinate.
    acts: f64,
    top: f64,
}

impl CurvePlot {
    fn base(&self) -> f64 {
        self.top + HEIGHT
    }

    fn place(&self, (position, value): (f64, f64)) -> (f64, f64) {
        (LEFT + (RIGHT - LEFT) * position, self.base() - HEIGHT * value)
    }

    fn axes(&self, sheet: &mut SvgSheet, locale: Locale) {
        let small = TextStyle::new(11.0, MUTED, Anchor::End);
        for quarter in 0..=4 {
            let share = f64::from(quarter) / 4.0;
            let (x, y) = self.place((share, share));
            let paint = Paint::line(if quarter == 0 { MUTED } else { GRID }, 1.0);
            sheet.line((LEFT, y), (RIGHT, y), paint);
            sheet.text((LEFT - 6.0, y + 4.0), small, &format!("{share}"));
            let below = TextStyle::new(11.0, MUTED, Anchor::Middle);
            sheet.text((x, self.base() + 17.0), below, &percent(share));
        }
        for at in 0..3 {
            let middle = f64::midpoint(ACTS[at], ACTS[at + 1]);
            let letters = TextStyle::new(12.0, INK, Anchor::Middle);
            sheet.text((self.place((middle, 0.0)).0, self.acts), letters, &act(at, locale));
        }
        for border in [ACTS[1], ACTS[2]] {
            let x = self.place((border, 0.0)).0;
            let paint = Paint::line(MUTED, 1.5).dashed("6 4");
            sheet.line((x, self.acts - 12.0), (x, self.base()), paint);
        }
    }

    fn draw(&self, sheet: &mut SvgSheet, points: &[(f64, f64)]) {
        let places: Vec<(f64, f64)> = points.iter().map(|point| self.place(*point)).collect();
        if let ([first, .., last], true) = (places.as_slice(), places.len() > 1) {
            let mut area = vec![(first.0, self.base())];
            area.extend(&places);
            area.push((last.0, self.base()));
            sheet.path(&polyline(&area), Paint::area(SERIES).faint(0.14));
        }
        sheet.path(&polyline(&places), Paint::line(SERIES, 2.5));
        if places.len() <= DOTS {
            for place in places {
                sheet.circle(place, 3.5, Paint::area(SERIES).edged(GROUND, 1.0));
            }
        }
    }

    fn mark(&self, sheet: &mut SvgSheet, points: &[(f64, f64)], marks: &[(f64, String)]) {
        let mut places: Vec<f64> = marks.iter().map(|(position, _)| self.place((*position, 0.0)).0).collect();
        spread_apart(&mut places, 20.0, LEFT, RIGHT);
        let middle = self.top - 16.0;
        for ((position, _), place) in marks.iter().zip(&places) {
            let value = value_at(points, *position);
            let (x, y) = self.place((*position, value.unwrap_or_default()));
            // The line runs straight down for as long as possible: only its first segment bends to a badge that had to
            // move.
            let path = polyline(&[(*place, middle), (x, self.top + 4.0), (x, y)]);
            sheet.path(&path, Paint::line(ACCENT, 1.0).dashed("2 3"));
            // Without a curve, no value is shown.
            if value.is_some() {
                sheet.circle((x, y), 4.5, Paint::area(GROUND).edged(ACCENT, 2.0));
            }
        }
        for (at, place) in places.iter().enumerate() {
            sheet.badge((*place, middle), at + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{grouped, value_at};
    use crate::charts::svg::{number, to_f64};

    #[test]
    fn value_at_interpolates_and_clamps_to_ends() {
        let points = [(0.2, 0.0), (0.4, 1.0)];
        let values = [0.0, 0.2, 0.3, 0.4, 1.0].map(|position| value_at(&points, position).map(number));
        assert_eq!(values.map(Option::unwrap_or_default), ["0", "0", "0.5", "1", "1"]);
        assert!(value_at(&[], 0.5).is_none());
        assert_eq!(value_at(&[(0.5, 0.1), (0.5, 0.9)], 0.5).map(number).as_deref(), Some("0.1"));
    }

    #[test]
    fn many_points_are_few_means_in_their_order() {
        let points: Vec<(f64, f64)> = (0..10_000).map(|at| (to_f64(at) / 10_000.0, 0.5)).collect();
        let means = grouped(&points);
        assert!(means.len() <= super::POINTS);
        assert!(means.is_sorted_by(|one, other| one.0 < other.0));
    }
}
