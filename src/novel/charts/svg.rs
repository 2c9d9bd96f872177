//! What the pictures are written with: clean and escaped letters, short numbers, lines that fit, and a sheet to draw on.
//!
//! Whatever goes in, well-formed XML comes out, and every text is bounded. A sheet has no ids, so several can stand on one page,
//! and no style sheet, script or address. It knows nothing of what is drawn.

use std::fmt::{self, Display, Write as _};

use fumi_base::text::Locale;

/// How wide every picture is, in its own units.
pub(super) const WIDTH: f64 = 720.0;
/// What stays empty at its sides.
pub(super) const MARGIN: f64 = 24.0;

/// The ground; it is drawn, so that a picture looks the same on a light and on a dark page.
pub(super) const GROUND: &str = "#f7f7f5";
/// Letters.
pub(super) const INK: &str = "#1f2328";
/// Letters that matter less, and axes.
pub(super) const MUTED: &str = "#57606a";
/// Lines that only help to read; nothing is said by them alone.
pub(super) const GRID: &str = "#c9ccd1";
/// What is measured.
pub(super) const SERIES: &str = "#1f5fa8";
/// What is pointed at.
pub(super) const ACCENT: &str = "#a8321f";
/// From the lightest to the darkest.
pub(super) const TONES: [&str; 3] = ["#568abb", "#2b659c", "#0f2d4d"];

/// Fonts that have Japanese letters, on the systems that have them.
const FONTS: &str = "'Hiragino Sans','Yu Gothic','Meiryo','Noto Sans CJK JP','Noto Sans JP','IPAexGothic',sans-serif";

/// How many characters of the title are kept as the name of the picture.
const TITLE: usize = 200;
/// How many characters of any other name are kept, in the description as well.
const KEPT: usize = 60;
/// From how many marks on the rest is only counted: more do not fit side by side.
pub(super) const MARKS: usize = 12;

/// How a shape is painted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paint {
    fill: &'static str,
    stroke: &'static str,
    width: f64,
    dashes: &'static str,
    opacity: f64,
}

impl Paint {
    /// An area.
    pub(super) const fn area(fill: &'static str) -> Self {
        Self {
            fill,
            stroke: "",
            width: 0.0,
            dashes: "",
            opacity: 1.0,
        }
    }

    /// A line.
    pub(super) const fn line(stroke: &'static str, width: f64) -> Self {
        Self {
            fill: "none",
            stroke,
            width,
            dashes: "",
            opacity: 1.0,
        }
    }

    /// The same, with a line around it.
    pub(super) const fn edged(self, stroke: &'static str, width: f64) -> Self {
        Self { stroke, width, ..self }
    }

    /// The same, as dashes.
    pub(super) const fn dashed(self, dashes: &'static str) -> Self {
        Self { dashes, ..self }
    }

    /// The same, so that what is below shows through.
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

/// Which part of a text stands at its place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How letters look.
#[derive(Clone, Copy, Debug)]
pub(super) struct Letters {
    pub(super) size: f64,
    colour: &'static str,
    anchor: Anchor,
    bold: bool,
}

impl Letters {
    pub(super) const fn new(size: f64, colour: &'static str, anchor: Anchor) -> Self {
        Self {
            size,
            colour,
            anchor,
            bold: false,
        }
    }

    pub(super) const fn bold(self) -> Self {
        Self { bold: true, ..self }
    }
}

/// A picture while it is drawn.
#[derive(Debug)]
pub(super) struct Sheet {
    title: String,
    locale: Locale,
    body: String,
}

impl Sheet {
    /// A sheet with its title at the top, and below it a caption in small letters; says where the rest begins.
    pub(super) fn new(title: &str, caption: &str, locale: Locale) -> (Self, f64) {
        let mut sheet = Self {
            title: bounded(title, TITLE),
            locale,
            body: String::new(),
        };
        let mut y = 16.0;
        for (text, letters, most) in [
            (title, Letters::new(18.0, INK, Anchor::Start).bold(), 2),
            (caption, Letters::new(13.0, MUTED, Anchor::Start), 2),
        ] {
            for line in fit(text, (WIDTH - 2.0 * MARGIN) / letters.size, most) {
                y += letters.size + 6.0;
                sheet.text((MARGIN, y), letters, &line);
            }
        }
        (sheet, y + 10.0)
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), paint: Paint) {
        let (from, to) = (Point(from), Point(to));
        self.path(&format!("M{from}L{to}"), paint);
    }

    /// A path; of an empty one nothing is drawn.
    pub(super) fn path(&mut self, path: &str, paint: Paint) {
        if !path.is_empty() {
            self.put(format_args!("<path d=\"{path}\" {paint}/>\n"));
        }
    }

    pub(super) fn rectangle(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), paint: Paint) {
        let [x, y, width, height] = [x, y, width, height].map(number);
        self.put(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {paint}/>\n"
        ));
    }

    pub(super) fn circle(&mut self, (x, y): (f64, f64), radius: f64, paint: Paint) {
        let [x, y, radius] = [x, y, radius].map(number);
        self.put(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" {paint}/>\n"));
    }

    /// One line of text on its base line. Who calls has made it fit.
    pub(super) fn text(&mut self, (x, y): (f64, f64), letters: Letters, text: &str) {
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

    /// A text that lines may run behind.
    pub(super) fn text_on_ground(&mut self, (x, y): (f64, f64), letters: Letters, text: &str) {
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

    /// A number in a disc: what it stands for is in the list of [`Sheet::list`].
    pub(super) fn badge(&mut self, (x, y): (f64, f64), number: usize) {
        self.circle((x, y), 9.0, Paint::area(ACCENT));
        let letters = Letters::new(11.0, GROUND, Anchor::Middle).bold();
        self.text((x, y + 4.0), letters, &number.to_string());
    }

    /// What the badges from 1 on stand for, in two columns; says where it ends.
    pub(super) fn list(&mut self, top: f64, entries: &[String]) -> f64 {
        let letters = Letters::new(13.0, INK, Anchor::Start);
        let column = (WIDTH - 2.0 * MARGIN) / 2.0;
        let mut y = top;
        for (row, pair) in entries.chunks(2).enumerate() {
            let mut lines = 1;
            for (side, entry) in pair.iter().enumerate() {
                let x = MARGIN + if side == 0 { 0.0 } else { column };
                self.badge((x + 9.0, y + 11.0), 2 * row + side + 1);
                let fitting = fit(entry, (column - 40.0) / letters.size, 2);
                lines = lines.max(fitting.len());
                for (at, line) in fitting.iter().enumerate() {
                    self.text((x + 26.0, y + 16.0 + 17.0 * real(at)), letters, line);
                }
            }
            y += 7.0 + 17.0 * real(lines);
        }
        y
    }

    /// The picture: everything above `bottom`, with its description in words.
    pub(super) fn finish(self, bottom: f64, description: &str) -> String {
        let (width, height) = (number(WIDTH), number(bottom.ceil()));
        let (inner_width, inner_height) = (number(WIDTH - 1.0), number(bottom.ceil() - 1.0));
        let paint = Paint::area(GROUND).edged(MUTED, 1.0);
        let title = escaped(&self.title);
        let description = escaped(&clean(description));
        let (tag, body) = (self.locale.tag(), self.body);
        // A title and a description that are the first children need no ids to be the name and the description of a picture.
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" xml:lang=\"{tag}\" font-family=\"{FONTS}\">\n\
             <title>{title}</title>\n<desc>{description}</desc>\n\
             <rect x=\"0.5\" y=\"0.5\" width=\"{inner_width}\" height=\"{inner_height}\" rx=\"8\" {paint}/>\n\
             {body}</svg>\n"
        )
    }

    fn put(&mut self, element: fmt::Arguments<'_>) {
        // Writing to a text does not fail.
        let _ = self.body.write_fmt(element);
    }
}

/// A place in a path: `x y`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point(pub(super) (f64, f64));

impl Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", number(self.0.0), number(self.0.1))
    }
}

/// A broken line through some places; none of fewer than two.
pub(super) fn polyline(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    if points.len() < 2 {
        return path;
    }
    for (at, point) in points.iter().enumerate() {
        let _ = write!(path, "{}{}", if at == 0 { 'M' } else { 'L' }, Point(*point));
    }
    path
}

/// A number with at most one decimal; 0 for what is no number.
pub(super) fn number(value: f64) -> String {
    let rounded = if value.is_finite() {
        (value * 10.0).round() / 10.0
    } else {
        0.0
    };
    // Adding 0 makes a plain zero of the negative one.
    format!("{}", rounded + 0.0)
}

/// A share as people read it.
pub(super) fn percent(share: f64) -> String {
    format!("{}%", (share * 100.0).round() + 0.0)
}

/// A count as a coordinate.
#[expect(clippy::cast_precision_loss, reason = "what is counted and drawn is far below 2⁵²")]
pub(super) fn real(count: usize) -> f64 {
    count as f64
}

/// The one of two texts that a reader reads.
pub(super) fn either(locale: Locale, en: impl FnOnce() -> String, ja: impl FnOnce() -> String) -> String {
    match locale {
        Locale::En => en(),
        Locale::Ja => ja(),
    }
}

/// A list of words in a sentence.
pub(super) fn joined(words: &[String], locale: Locale) -> String {
    words.join(either(locale, || ", ".to_owned(), || "、".to_owned()).as_str())
}

/// A name as the description and the marks hold it: clean, and not longer than a line or two.
pub(super) fn kept(text: &str) -> String {
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

/// A text without what XML forbids, what breaks a line, and what turns the direction of what follows.
fn clean(text: &str) -> String {
    let clean = text.chars().filter_map(|c| match c {
        '\t' | '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some(' '),
        '\u{fffe}' | '\u{ffff}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => None,
        c if c.is_control() => None,
        c => Some(c),
    });
    clean.collect::<String>().trim().to_owned()
}

/// Letters as XML has them, in text and in attributes.
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

/// How wide a text is in units of its size: Japanese letters are 1, the others rather too wide than too narrow.
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

/// A text in at most `most` lines of a width, the last one with … if there is more. Words of Latin letters stay whole if they can.
pub(super) fn fit(text: &str, line_width: f64, most: usize) -> Vec<String> {
    let text = clean(text);
    let mut lines = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() && lines.len() < most {
        let (mut used, mut cut, mut space) = (0.0, rest.len(), None);
        // What a line ends with if the text goes on after the last one: room for … is kept.
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
        // A word that leaves most of a line empty is cut all the same.
        let cut = space.filter(|at| width(&rest[..*at]) > line_width / 3.0).unwrap_or(cut);
        lines.push(rest[..cut].trim_end().to_owned());
        rest = rest[cut..].trim_start();
    }
    lines
}

/// Moves places apart, in their order, until neighbours keep a distance, within bounds; nearer if there is not enough room.
pub(super) fn apart(places: &mut [f64], distance: f64, from: f64, to: f64) {
    let gaps = places.len().saturating_sub(1).max(1);
    let distance = distance.min((to - from) / real(gaps));
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
    use super::{apart, escaped, fit, kept, number, percent, width};

    #[test]
    fn numbers_are_short_and_never_negative_zero() {
        let numbers = [1.0, 0.25, -0.01, 12.34, f64::NAN, f64::INFINITY, -3.06].map(number);
        assert_eq!(numbers, ["1", "0.3", "0", "12.3", "0", "0", "-3.1"]);
        assert_eq!([0.0, 0.726, 1.0].map(percent), ["0%", "73%", "100%"]);
    }

    #[test]
    fn letters_that_xml_knows_are_escaped_and_those_that_it_forbids_left_out() {
        assert_eq!(escaped("<&>\"'あ"), "&lt;&amp;&gt;&quot;&#39;あ");
        assert_eq!(kept("a\u{0}b\u{8}\nc\u{ffff}\u{202e}"), "ab c");
        assert_eq!(kept(&"長".repeat(500)).chars().count(), 61);
    }

    #[test]
    fn a_line_is_never_wider_than_its_place() {
        for text in [
            "読者エンゲージメント",
            "reader_engagement and more words that do not fit",
            "長長長長長長長長長長長長長長長長長長長長長長長長",
            "mmmmmmmmmmmmmmmmmmmmmmmmm",
            "  ",
            "",
        ] {
            for most in 1..4 {
                let lines = fit(text, 8.0, most);
                assert!(lines.len() <= most);
                assert!(
                    lines.iter().all(|line| width(line) <= 8.0 && !line.is_empty()),
                    "{lines:?}"
                );
            }
        }
        assert_eq!(
            fit("感情の描写とキャラクター", 8.0, 2),
            ["感情の描写とキャ", "ラクター"]
        );
        assert_eq!(fit("world building", 8.0, 2), ["world", "building"]);
        assert_eq!(fit("世界観と設定の細部", 6.0, 1), ["世界観と設…"]);
    }

    #[test]
    fn places_keep_their_order_their_distance_and_their_bounds() {
        let mut places = [0.0, 1.0, 2.0, 99.0, 100.0];
        apart(&mut places, 20.0, 10.0, 90.0);
        assert_eq!(places.map(number), ["10", "30", "50", "70", "90"]);
        let mut crowded = [50.0; 4];
        apart(&mut crowded, 20.0, 0.0, 30.0);
        assert_eq!(crowded.map(number), ["0", "10", "20", "30"]);
        apart(&mut [], 20.0, 0.0, 30.0);
    }
}
