//! The SVG writer behind the pictures: escaped text, short numbers, fitted lines, and a sheet to draw on.
//!
//! Any input gives well-formed XML, and every text is bounded. A sheet has no ids, so that one page can contain
//! several, and no style sheet, script or URL. This module does not know what the pictures show.

use std::fmt::{self, Display, Write as _};

use fumi_base::text::Locale;

/// The width of every picture, in SVG user units.
pub(super) const WIDTH: f64 = 720.0;
/// The empty space at the left and right edges.
pub(super) const MARGIN: f64 = 24.0;

/// The background; it is drawn, so that a picture looks the same on light and dark pages.
pub(super) const GROUND: &str = "#f7f7f5";
/// The colour of normal text.
pub(super) const INK: &str = "#1f2328";
/// The colour of secondary text and axes.
pub(super) const MUTED: &str = "#57606a";
/// The colour of grid lines; no information depends on them alone.
pub(super) const GRID: &str = "#c9ccd1";
/// The colour of measured data.
pub(super) const SERIES: &str = "#1f5fa8";
/// The colour of marks and highlights.
pub(super) const ACCENT: &str = "#a8321f";
/// The bar tones, from the lightest to the darkest.
pub(super) const TONES: [&str; 3] = ["#568abb", "#2b659c", "#0f2d4d"];

/// Fonts with Japanese glyphs on the common systems.
const FONTS: &str = "'Hiragino Sans','Yu Gothic','Meiryo','Noto Sans CJK JP','Noto Sans JP','IPAexGothic',sans-serif";

/// The largest number of characters of the title kept as the picture's accessible name.
const TITLE: usize = 200;
/// The largest number of characters of any other name, also in the description.
const KEPT: usize = 60;
/// The largest number of marks drawn; more would not fit side by side and are only counted.
pub(super) const MARKS: usize = 12;

/// The fill, stroke and opacity of a shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paint {
    fill: &'static str,
    stroke: &'static str,
    width: f64,
    dashes: &'static str,
    opacity: f64,
}

impl Paint {
    /// Returns a filled area without a stroke.
    pub(super) const fn area(fill: &'static str) -> Self {
        Self { fill, stroke: "", width: 0.0, dashes: "", opacity: 1.0 }
    }

    /// Returns a stroke without a fill.
    pub(super) const fn line(stroke: &'static str, width: f64) -> Self {
        Self { fill: "none", stroke, width, dashes: "", opacity: 1.0 }
    }

    /// Adds a stroke.
    pub(super) const fn edged(self, stroke: &'static str, width: f64) -> Self {
        Self { stroke, width, ..self }
    }

    /// Makes the stroke dashed.
    pub(super) const fn dashed(self, dashes: &'static str) -> Self {
        Self { dashes, ..self }
    }

    /// Sets the opacity, so that shapes below show through.
    pub(super) const fn faint(self, opacity: f64) -> Self {
        Self { opacity, ..self }
    }
}

impl Display for Paint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fill=\"{}\"", self.fill)?;
        if !self.stroke.is_empty() {
            write!(f, " stroke=\"{}\" stroke-width=\"{}\"", self.stroke, number(self.width))?;
        }
        if !self.dashes.is_empty() {
            write!(f, " stroke-dasharray=\"{}\"", self.dashes)?;
        }
        if self.opacity < 1.0 {
            write!(f, " opacity=\"{:.2}\"", self.opacity)?;
        }
        Ok(())
    }
}

/// The part of a text that lies at the given position.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// The size, colour, anchor and weight of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextStyle {
    pub(super) size: f64,
    colour: &'static str,
    anchor: Anchor,
    bold: bool,
}

impl TextStyle {
    pub(super) const fn new(size: f64, colour: &'static str, anchor: Anchor) -> Self {
        Self { size, colour, anchor, bold: false }
    }

    pub(super) const fn bold(self) -> Self {
        Self { bold: true, ..self }
    }
}

/// A picture while it is drawn.
#[derive(Debug)]
pub(super) struct SvgSheet {
    title: String,
    locale: Locale,
    body: String,
}

impl SvgSheet {
    /// Creates a sheet with a title and a small caption below it, and returns the y coordinate where the content
    /// begins.
    pub(super) fn new(title: &str, caption: &str, locale: Locale) -> (Self, f64) {
        let mut sheet = Self { title: bounded(title, TITLE), locale, body: String::new() };
        let mut y = 16.0;
        for (text, letters, most) in [
            (title, TextStyle::new(18.0, INK, Anchor::Start).bold(), 2),
            (caption, TextStyle::new(13.0, MUTED, Anchor::Start), 2),
        ] {
            for line in wrap_text(text, (WIDTH - 2.0 * MARGIN) / letters.size, most) {
                y += letters.size + 6.0;
                sheet.text((MARGIN, y), letters, &line);
            }
        }
        (sheet, y + 10.0)
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), paint: Paint) {
        let (from, to) = (PathPoint(from), PathPoint(to));
        self.path(&format!("M{from}L{to}"), paint);
    }

    /// Adds a path; an empty path adds nothing.
    pub(super) fn path(&mut self, path: &str, paint: Paint) {
        if !path.is_empty() {
            self.put(format_args!("<path d=\"{path}\" {paint}/>\n"));
        }
    }

    pub(super) fn rectangle(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), paint: Paint) {
        let [x, y, width, height] = [x, y, width, height].map(number);
        self.put(format_args!("<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {paint}/>\n"));
    }

    pub(super) fn circle(&mut self, (x, y): (f64, f64), radius: f64, paint: Paint) {
        let [x, y, radius] = [x, y, radius].map(number);
        self.put(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" {paint}/>\n"));
    }

    /// Adds one line of text at its baseline. The caller must have fitted it.
    pub(super) fn text(&mut self, (x, y): (f64, f64), letters: TextStyle, text: &str) {
        let [x, y, size] = [x, y, letters.size].map(number);
        let anchor = match letters.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let bold = if letters.bold { " font-weight=\"bold\"" } else { "" };
        let (colour, text) = (letters.colour, escaped(&clean(text)));
        self.put(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{colour}\"{anchor}{bold}>{text}</text>\n"
        ));
    }

    /// Adds a text with a background, for places where lines may run behind it.
    pub(super) fn text_on_ground(&mut self, (x, y): (f64, f64), letters: TextStyle, text: &str) {
        let width = width(text) * letters.size + 4.0;
        let left = match letters.anchor {
            Anchor::Start => x - 2.0,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width + 2.0,
        };
        let ground = Paint::area(GROUND).faint(0.85);
        self.rectangle((left, y - letters.size), (width, letters.size + 4.0), ground);
        self.text((x, y), letters, text);
    }

    /// Adds a number in a disc; [`SvgSheet::list`] explains the numbers.
    pub(super) fn badge(&mut self, (x, y): (f64, f64), number: usize) {
        self.circle((x, y), 9.0, Paint::area(ACCENT));
        let letters = TextStyle::new(11.0, GROUND, Anchor::Middle).bold();
        self.text((x, y + 4.0), letters, &number.to_string());
    }

    /// Adds the entries for the badges from 1 on, in two columns, and returns the y coordinate where the list ends.
    pub(super) fn list(&mut self, top: f64, entries: &[String]) -> f64 {
        let letters = TextStyle::new(13.0, INK, Anchor::Start);
        let column = (WIDTH - 2.0 * MARGIN) / 2.0;
        let mut y = top;
        for (row, pair) in entries.chunks(2).enumerate() {
            let mut lines = 1;
            for (side, entry) in pair.iter().enumerate() {
                let x = MARGIN + if side == 0 { 0.0 } else { column };
                self.badge((x + 9.0, y + 11.0), 2 * row + side + 1);
                let fitting = wrap_text(entry, (column - 40.0) / letters.size, 2);
                lines = lines.max(fitting.len());
                for (at, line) in fitting.iter().enumerate() {
                    self.text((x + 26.0, y + 16.0 + 17.0 * to_f64(at)), letters, line);
                }
            }
            y += 7.0 + 17.0 * to_f64(lines);
        }
        y
    }

    /// Returns the SVG document: everything above `bottom`, with its description in words.
    pub(super) fn finish(self, bottom: f64, description: &str) -> String {
        let (width, height) = (number(WIDTH), number(bottom.ceil()));
        let (inner_width, inner_height) = (number(WIDTH - 1.0), number(bottom.ceil() - 1.0));
        let paint = Paint::area(GROUND).edged(MUTED, 1.0);
        let title = escaped(&self.title);
        let description = escaped(&clean(description));
        let (tag, body) = (self.locale.tag(), self.body);
        // As first children, `<title>` and `<desc>` name and describe a picture without ids.
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" xml:lang=\"{tag}\" font-family=\"{FONTS}\">\n\
             <title>{title}</title>\n<desc>{description}</desc>\n\
             <rect x=\"0.5\" y=\"0.5\" width=\"{inner_width}\" height=\"{inner_height}\" rx=\"8\" {paint}/>\n\
             {body}</svg>\n"
        )
    }

    fn put(&mut self, element: fmt::Arguments<'_>) {
        // Writing to a `String` does not fail.
        let _ = self.body.write_fmt(element);
    }
}

/// A point in path data: `x y`.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathPoint(pub(super) (f64, f64));

impl Display for PathPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", number(self.0.0), number(self.0.1))
    }
}

/// Returns path data for a line through the points; empty for fewer than two points.
pub(super) fn polyline(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    if points.len() < 2 {
        return path;
    }
    for (at, point) in points.iter().enumerate() {
        let _ = write!(path, "{}{}", if at == 0 { 'M' } else { 'L' }, PathPoint(*point));
    }
    path
}

/// Formats a number with at most one decimal; a non-finite number becomes 0.
pub(super) fn number(value: f64) -> String {
    let rounded = if value.is_finite() { (value * 10.0).round() / 10.0 } else { 0.0 };
    // Adding 0 turns negative zero into zero.
    format!("{}", rounded + 0.0)
}

/// Formats a share as a whole percentage.
pub(super) fn percent(share: f64) -> String {
    format!("{}%", (share * 100.0).round() + 0.0)
}

/// Converts a count to a coordinate.
pub(super) fn to_f64(count: usize) -> f64 {
    count as f64
}

/// Returns the text in the reader's language.
pub(super) fn localized(locale: Locale, en: impl FnOnce() -> String, ja: impl FnOnce() -> String) -> String {
    match locale {
        Locale::En => en(),
        Locale::Ja => ja(),
    }
}

/// Joins words with the separator of the language.
pub(super) fn joined(words: &[String], locale: Locale) -> String {
    words.join(localized(locale, || ", ".to_owned(), || "、".to_owned()).as_str())
}

/// Cleans a label and cuts it to [`KEPT`] characters.
pub(super) fn clean_label(text: &str) -> String {
    bounded(text, KEPT)
}

fn bounded(text: &str, most: usize) -> String {
    let mut letters = text.chars();
    let mut kept: String = letters.by_ref().take(most).collect();
    if letters.next().is_some() {
        kept.push('…');
    }
    clean(&kept)
}

/// Removes what XML forbids and direction marks, and replaces line breaks by spaces.
fn clean(text: &str) -> String {
    let clean = text.chars().filter_map(|c| match c {
        '\t' | '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some(' '),
        '\u{fffe}' | '\u{ffff}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => None,
        c if c.is_control() => None,
        c => Some(c),
    });
    clean.collect::<String>().trim().to_owned()
}

/// Escapes a text for XML content and attributes.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Returns an estimated text width in units of the font size: Japanese characters count 1, the others rather too wide
/// than too narrow.
pub(super) fn width(text: &str) -> f64 {
    text.chars().map(letter_width).sum()
}

fn letter_width(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | ' ' | '.' | ',' | ':' | ';' | '!' | '|' | '\'' | '(' | ')' => 0.4,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '&' => 1.0,
        'A'..='Z' => 0.78,
        ' '..='~' | '\u{ff61}'..='\u{ff9f}' => 0.64,
        _ => 1.0,
    }
}

/// Breaks a text into at most `most` lines; the last one ends with … if text remains. Latin words stay whole if
/// possible.
pub(super) fn wrap_text(text: &str, line_width: f64, most: usize) -> Vec<String> {
    let text = clean(text);
    let mut lines = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() && lines.len() < most {
        let (mut used, mut cut, mut space) = (0.0, rest.len(), None);
        // The cut if this is the last line and text remains: it leaves room for the ellipsis.
        let mut shortened = 0;
        for (at, c) in rest.char_indices() {
            if used <= line_width - 1.0 {
                shortened = at;
            }
            used += letter_width(c);
            if used > line_width {
                cut = at.max(rest.chars().next().map_or(0, char::len_utf8));
                break;
            }
            if c == ' ' || c == '　' {
                space = Some(at);
            }
        }
        if cut == rest.len() {
            lines.push(rest.to_owned());
            break;
        }
        if lines.len() + 1 == most {
            lines.push(format!("{}…", rest[..shortened].trim_end()));
            break;
        }
        // A word is cut if breaking before it would leave most of the line empty.
        let cut = space.filter(|at| width(&rest[..*at]) > line_width / 3.0).unwrap_or(cut);
        lines.push(rest[..cut].trim_end().to_owned());
        rest = rest[cut..].trim_start();
    }
    lines
}

/// Moves positions apart, in order and within bounds, until neighbours keep a distance; the distance shrinks if there
/// is not enough room.
pub(super) fn spread_apart(places: &mut [f64], distance: f64, from: f64, to: f64) {
    let gaps = places.len().saturating_sub(1).max(1);
    let distance = distance.min((to - from) / to_f64(gaps));
    let mut least = from;
    for place in places.iter_mut() {
        *place = place.max(least);
        least = *place + distance;
    }
    let mut most = to;
    for place in places.iter_mut().rev() {
        *place = place.min(most);
        most = *place - distance;
    }
}

#[cfg(test)]
mod tests {
    use super::{clean_label, escaped, number, percent, spread_apart, width, wrap_text};

    #[test]
    fn numbers_are_short_and_never_negative_zero() {
        let numbers = [1.0, 0.25, -0.01, 12.34, f64::NAN, f64::INFINITY, -3.06].map(number);
        assert_eq!(numbers, ["1", "0.3", "0", "12.3", "0", "0", "-3.1"]);
        assert_eq!([0.0, 0.726, 1.0].map(percent), ["0%", "73%", "100%"]);
    }

    #[test]
    fn xml_text_is_escaped_and_forbidden_characters_removed() {
        assert_eq!(escaped("<&>\"'あ"), "&lt;&amp;&gt;&quot;&#39;あ");
        assert_eq!(clean_label("a\u{0}b\u{8}\nc\u{ffff}\u{202e}"), "ab c");
        assert_eq!(clean_label(&"長".repeat(500)).chars().count(), 61);
    }

    #[test]
    fn fitted_lines_stay_within_width() {
        for text in [
            "読者エンゲージメント",
            "reader_engagement and more words that do not fit",
            "長長長長長長長長長長長長長長長長長長長長長長長長",
            "mmmmmmmmmmmmmmmmmmmmmmmmm",
            "  ",
            "",
        ] {
            for most in 1..4 {
                let lines = wrap_text(text, 8.0, most);
                assert!(lines.len() <= most);
                assert!(lines.iter().all(|line| width(line) <= 8.0 && !line.is_empty()), "{lines:?}");
            }
        }
        assert_eq!(wrap_text("感情の描写とキャラクター", 8.0, 2), ["感情の描写とキャ", "ラクター"]);
        assert_eq!(wrap_text("world building", 8.0, 2), ["world", "building"]);
        assert_eq!(wrap_text("世界観と設定の細部", 6.0, 1), ["世界観と設…"]);
    }

    #[test]
    fn places_keep_their_order_their_distance_and_their_bounds() {
        let mut places = [0.0, 1.0, 2.0, 99.0, 100.0];
        spread_apart(&mut places, 20.0, 10.0, 90.0);
        assert_eq!(places.map(number), ["10", "30", "50", "70", "90"]);
        let mut crowded = [50.0; 4];
        spread_apart(&mut crowded, 20.0, 0.0, 30.0);
        assert_eq!(crowded.map(number), ["0", "10", "20", "30"]);
        spread_apart(&mut [], 20.0, 0.0, 30.0);
    }
}
