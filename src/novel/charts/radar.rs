//! The quality radar: one spoke for each part of a score; a longer spoke means a better score.
//!
//! A part that was not evaluated is a gap: its spoke is dashed and labelled so in words, and the outline stops at its
//! neighbours. It is never drawn as 0. Only the first [`MOST`] parts are drawn; the number of the others is shown.

use std::f64::consts::TAU;

use fumi_base::text::Locale;

use super::svg::{
    self, ACCENT, Anchor, GRID, GROUND, INK, MARGIN, MUTED, Paint, PathPoint, SERIES, SvgSheet, TextStyle, WIDTH,
    clean_label, joined, localized, number, percent, polyline, to_f64, wrap_text,
};

/// The largest number of spokes with labels beside them; more spokes get numbers and a list below the picture.
const LABELLED: usize = 8;
/// The largest number of spokes drawn; more could not be distinguished.
const MOST: usize = 24;
/// The distance of 100 % from the centre, in SVG user units.
const RADIUS: f64 = 140.0;

/// Draws the parts of a score, each from 0 to 1, or `None` if the part was not evaluated.
pub fn radar(title: &str, parts: &[(&str, Option<f64>)], locale: Locale) -> String {
    let evaluated = |value: &Option<f64>| value.filter(|value| value.is_finite()).map(|value| value.clamp(0.0, 1.0));
    let values: Vec<Option<f64>> = parts.iter().map(|(_, value)| evaluated(value)).collect();
    let caption = caption(&values, locale);
    let (mut sheet, top) = SvgSheet::new(title, &caption, locale);
    let (labels, values): (Vec<String>, Vec<Option<f64>>) =
        parts.iter().zip(values).take(MOST).map(|((label, _), value)| (clean_label(label), value)).unzip();
    let words: Vec<String> =
        labels.iter().zip(&values).map(|(label, value)| format!("{label} {}", in_words(*value, locale))).collect();

    let radar = Radar { centre: (WIDTH / 2.0, top + 64.0 + RADIUS), count: labels.len() };
    radar.grid(&mut sheet, &values);
    radar.outline(&mut sheet, &values);
    radar.scale(&mut sheet);
    let mut bottom = radar.centre.1 + RADIUS + 64.0;
    if labels.len() <= LABELLED {
        for (at, (label, value)) in labels.iter().zip(&values).enumerate() {
            radar.label(&mut sheet, at, label, &in_words(*value, locale));
        }
    } else {
        for at in 0..labels.len() {
            sheet.badge(radar.place(at, RADIUS + 16.0), at + 1);
        }
        bottom = sheet.list(bottom - 24.0, &words) + 16.0;
    }
    if values.contains(&None) {
        let note = localized(locale, || "not evaluated (not 0)".to_owned(), || "未評価（0 ではありません）".to_owned());
        sheet.line((MARGIN, bottom), (MARGIN + 32.0, bottom), MISSING);
        sheet.text((MARGIN + 40.0, bottom + 4.0), TextStyle::new(12.0, MUTED, Anchor::Start), &note);
        bottom += 12.0;
    }
    let more = parts.len() - labels.len();
    if more > 0 {
        let note =
            localized(locale, || format!("Parts not drawn: {more}."), || format!("ほか {more} 項目は描いていません。"));
        sheet.text((MARGIN, bottom + 14.0), TextStyle::new(12.0, MUTED, Anchor::Start), &note);
        bottom += 20.0;
    }
    let description = localized(
        locale,
        || format!("Quality radar. {caption} {}", joined(&words, locale)),
        || format!("品質のレーダー図。{caption}{}", joined(&words, locale)),
    );
    sheet.finish(bottom + 12.0, &description)
}

/// The paint of a spoke without a value.
const MISSING: Paint = Paint::line(ACCENT, 1.5).dashed("5 4");

fn caption(values: &[Option<f64>], locale: Locale) -> String {
    let known: Vec<f64> = values.iter().copied().flatten().collect();
    if known.is_empty() {
        return localized(
            locale,
            || format!("0 of {} parts evaluated.", values.len()),
            || format!("{} 項目中 0 項目を評価。", values.len()),
        );
    }
    let mean = percent(known.iter().sum::<f64>() / to_f64(known.len()));
    localized(
        locale,
        || format!("{} of {} parts evaluated, mean {mean}.", known.len(), values.len()),
        || format!("{} 項目中 {} 項目を評価、平均 {mean}。", values.len(), known.len()),
    )
}

fn in_words(value: Option<f64>, locale: Locale) -> String {
    value.map_or_else(|| localized(locale, || "not evaluated".to_owned(), || "未評価".to_owned()), percent)
}

struct Radar {
    centre: (f64, f64),
    count: usize,
}

impl Radar {
    /// Returns the sine and cosine of a spoke's angle: the first spoke points up, the others follow clockwise.
    fn direction(&self, at: f64) -> (f64, f64) {
        (TAU * at / to_f64(self.count.max(1))).sin_cos()
    }

    fn place(&self, at: usize, distance: f64) -> (f64, f64) {
        let (sin, cos) = self.direction(to_f64(at));
        (self.centre.0 + distance * sin, self.centre.1 - distance * cos)
    }

    fn grid(&self, sheet: &mut SvgSheet, values: &[Option<f64>]) {
        for ring in 1..=4 {
            let radius = RADIUS * f64::from(ring) / 4.0;
            let colour = if ring == 4 { MUTED } else { GRID };
            sheet.circle(self.centre, radius, Paint::line(colour, 1.0));
        }
        for (at, value) in values.iter().enumerate() {
            let paint = if value.is_some() { Paint::line(GRID, 1.0) } else { MISSING };
            sheet.line(self.centre, self.place(at, RADIUS), paint);
        }
    }

    fn outline(&self, sheet: &mut SvgSheet, values: &[Option<f64>]) {
        let corner = |at: usize| values[at].map(|value| self.place(at, RADIUS * value));
        let (mut areas, mut edges) = (String::new(), String::new());
        for at in 0..self.count {
            let next = (at + 1) % self.count;
            let (Some(own), Some(other)) = (corner(at), corner(next)) else {
                continue;
            };
            // Two spokes lie on one line and a single spoke has no neighbour: no area is drawn for fewer than three.
            if self.count > 2 {
                areas.push_str(&polyline(&[self.centre, own, other]));
                areas.push('Z');
            }
            if self.count > 1 {
                edges.push_str(&polyline(&[own, other]));
            }
        }
        sheet.path(&areas, Paint::area(SERIES).faint(0.18));
        sheet.path(&edges, Paint::line(SERIES, 2.5));
        for at in 0..self.count {
            let Some(place) = corner(at) else { continue };
            sheet.circle(place, 4.0, Paint::area(SERIES).edged(GROUND, 1.0));
            let neighbours = [(at + 1) % self.count, (at + self.count - 1) % self.count];
            if self.count > 2 && neighbours.iter().any(|other| values[*other].is_some()) {
                continue;
            }
            // A part whose neighbours are gaps gets a line as long as its value.
            sheet.path(&format!("M{}L{}", PathPoint(self.centre), PathPoint(place)), Paint::line(SERIES, 1.5));
        }
    }

    /// Draws the numbers of the rings, between the first two spokes.
    fn scale(&self, sheet: &mut SvgSheet) {
        let (sin, cos) = if self.count < 2 { (1.0, 0.0) } else { self.direction(0.5) };
        for ring in 1..=4 {
            let radius = RADIUS * f64::from(ring) / 4.0 - 8.0;
            let place = (self.centre.0 + radius * sin, self.centre.1 - radius * cos + 4.0);
            let text = number(f64::from(ring) * 25.0);
            sheet.text_on_ground(place, TextStyle::new(11.0, MUTED, Anchor::Middle), &text);
        }
    }

    fn label(&self, sheet: &mut SvgSheet, at: usize, label: &str, value: &str) {
        let (sin, cos) = self.direction(to_f64(at));
        let (x, y) = self.place(at, RADIUS + 14.0);
        let anchor = match sin {
            sin if sin > 0.1 => Anchor::Start,
            sin if sin < -0.1 => Anchor::End,
            _ => Anchor::Middle,
        };
        let room = match anchor {
            Anchor::Start => WIDTH - MARGIN - x,
            Anchor::End => x - MARGIN,
            Anchor::Middle => 260.0,
        };
        let name = TextStyle::new(14.0, INK, anchor);
        let lines = wrap_text(label, room / name.size, 2);
        // The lines end above an upper spoke, begin below a lower one, and are centred on a level one.
        let height = 17.0 * to_f64(lines.len() + 1);
        let mut baseline = y + 13.0 - height * f64::midpoint(1.0, cos);
        for line in &lines {
            sheet.text((x, baseline), name, line);
            baseline += 17.0;
        }
        sheet.text((x, baseline), TextStyle::new(13.0, svg::MUTED, anchor).bold(), value);
    }
}
