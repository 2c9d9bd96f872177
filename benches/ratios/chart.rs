//! Line charts with logarithmic axes, as SVG for the documents.
//!
//! The background is drawn, so that a chart is readable on light and dark pages. The numbers stand in a table below the
//! lines, where they cannot cover each other.

use std::fmt::Write as _;

const WIDTH: f64 = 520.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 64.0;
const PLOT_HEIGHT: f64 = 240.0;
const ROW_HEIGHT: f64 = 18.0;

const GROUND: &str = "#f7f7f5";
const INK: &str = "#1f2328";
const MUTED: &str = "#57606a";
const GRID: &str = "#c9ccd1";
/// The colours of lines and their dashes, so that no line is known by its colour alone.
const LINES: [(&str, &str); 4] = [
    ("#1f5fa8", "none"),
    ("#a8321f", "7 3"),
    ("#2f6f3e", "2 3"),
    ("#6b4c9a", "8 3 2 3"),
];

/// One chart. All values are positive.
pub(crate) struct Chart {
    pub(crate) title: &'static str,
    pub(crate) x: &'static str,
    pub(crate) y: &'static str,
    pub(crate) lines: Vec<Line>,
}

/// A line, with a point for each value of the horizontal axis.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// Returns a picture of some charts side by side.
pub(crate) fn svg(charts: &[Chart]) -> String {
    let rows = charts.iter().map(|chart| chart.lines.len()).max().unwrap_or(0);
    let height = TOP + PLOT_HEIGHT + 48.0 + ROW_HEIGHT * (rows + 1) as f64;
    let width = WIDTH * charts.len() as f64;
    let titles: Vec<&str> = charts.iter().map(|chart| chart.title).collect();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"{GROUND}\"/>\n",
        titles.join("; ")
    );
    for (n, chart) in charts.iter().enumerate() {
        let _ = writeln!(svg, "<g transform=\"translate({},0)\">", WIDTH * n as f64);
        chart.draw(&mut svg);
        svg.push_str("</g>\n");
    }
    svg + "</svg>\n"
}

impl Chart {
    fn draw(&self, svg: &mut String) {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let mut columns: Vec<f64> = points().map(|point| point.0).collect();
        columns.sort_by(f64::total_cmp);
        columns.dedup();
        let across = Axis {
            from: columns[0].log10(),
            to: columns[columns.len() - 1].log10(),
            start: LEFT + 12.0,
            end: WIDTH - RIGHT - 12.0,
        };
        let lowest = points().map(|point| point.1).fold(f64::MAX, f64::min);
        let highest = points().map(|point| point.1).fold(0.0, f64::max);
        let up = Axis {
            from: lowest.log10().floor(),
            to: highest.log10().ceil(),
            start: TOP + PLOT_HEIGHT,
            end: TOP,
        };
        text(svg, (LEFT, 24.0), "start", INK, self.title);
        text(svg, (LEFT, 46.0), "start", MUTED, self.y);
        let mut power = up.from;
        while power <= up.to {
            let (value, y) = (10f64.powf(power), up.at(10f64.powf(power)));
            line(svg, (LEFT, y), (WIDTH - RIGHT, y), GRID);
            text(svg, (LEFT - 8.0, y + 4.0), "end", MUTED, &number(value));
            power += 1.0;
        }
        for column in &columns {
            let x = across.at(*column);
            line(svg, (x, TOP), (x, TOP + PLOT_HEIGHT), GRID);
            text(svg, (x, TOP + PLOT_HEIGHT + 18.0), "middle", MUTED, &number(*column));
        }
        for (series, (colour, dashes)) in self.lines.iter().zip(LINES) {
            let at = |(x, y): &(f64, f64)| format!("{:.1},{:.1}", across.at(*x), up.at(*y));
            let path: Vec<String> = series.points.iter().map(at).collect();
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"/>",
                path.join(" ")
            );
            for (x, y) in &series.points {
                let (x, y) = (across.at(*x), up.at(*y));
                let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
            }
        }
        self.draw_numbers(svg, &columns);
    }

    /// Draws the table of the values.
    fn draw_numbers(&self, svg: &mut String, columns: &[f64]) {
        let top = TOP + PLOT_HEIGHT + 46.0;
        let x = |column: usize| WIDTH - RIGHT - 64.0 * (columns.len() - 1 - column) as f64;
        text(svg, (LEFT, top), "start", MUTED, self.x);
        for (n, column) in columns.iter().enumerate() {
            text(svg, (x(n), top), "end", MUTED, &number(*column));
        }
        for (row, (series, (colour, dashes))) in self.lines.iter().zip(LINES).enumerate() {
            let y = top + ROW_HEIGHT * (row + 1) as f64;
            let _ = writeln!(
                svg,
                "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{colour}\" stroke-width=\"2\" \
                 stroke-dasharray=\"{dashes}\"/>",
                LEFT - 40.0,
                y - 4.0,
                LEFT - 8.0,
                y - 4.0
            );
            text(svg, (LEFT, y), "start", INK, &series.name);
            for (n, column) in columns.iter().enumerate() {
                if let Some((_, value)) = series.points.iter().find(|point| point.0.total_cmp(column).is_eq()) {
                    text(svg, (x(n), y), "end", INK, &number(*value));
                }
            }
        }
    }
}

/// A logarithmic axis: powers of ten, and the positions of the first and the last.
struct Axis {
    from: f64,
    to: f64,
    start: f64,
    end: f64,
}

impl Axis {
    fn at(&self, value: f64) -> f64 {
        let span = self.to - self.from;
        let share = if span > 0.0 {
            (value.log10() - self.from) / span
        } else {
            0.5
        };
        self.start + (self.end - self.start) * share
    }
}

fn line(svg: &mut String, from: (f64, f64), to: (f64, f64), colour: &str) {
    let _ = writeln!(
        svg,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\"/>",
        from.0, from.1, to.0, to.1
    );
}

fn text(svg: &mut String, at: (f64, f64), anchor: &str, colour: &str, text: &str) {
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{text}</text>",
        at.0, at.1
    );
}

/// Returns a number of two or three digits that count, with commas between thousands.
fn number(value: f64) -> String {
    if value < 0.1 {
        return format!("{value:.3}").trim_end_matches('0').to_owned();
    }
    if value < 10.0 {
        let short = format!("{value:.2}");
        return short.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
