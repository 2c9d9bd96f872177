//! The page docs/browser-benchmarks.md, and the figures in docs/saving-tokens.md.

use std::{fmt::Write as _, fs, path::Path};

use super::{
    Bench,
    measure::Pair,
    peers::{SHELL, installed, packages},
};

/// What fumi should hold.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bar {
    AtMost(f64),
    AtLeast(f64),
}

/// One figure of both programs.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    what: String,
    unit: &'static str,
    pair: Pair<f64>,
    bar: Option<Bar>,
}

/// A flow with a certain `expectation`, for the pages on saving tokens: names in both languages, tokens, and what all would cost.
#[derive(Clone, Debug)]
pub(crate) struct Saving {
    pub(crate) what: (&'static str, &'static str),
    pub(crate) tokens: usize,
    pub(crate) everything: usize,
}

/// What was measured so far.
#[derive(Default)]
pub(crate) struct Report {
    rows: Vec<(&'static str, Row)>,
    pub(crate) savings: Vec<Saving>,
}

/// The sections of the page, in order.
const SECTIONS: [(&str, &str, &str); 8] = [
    (
        "form",
        "Signing in",
        "A form with user, password, role, a box, a plan and a note, then the dashboard with 40 rows, a button there, and a look at the \
         greeting: ten steps over HTTP on loopback, in a session whose tab is open. A batch includes no snapshot but the last, of \
         one section; that it greets the right user is checked. Playwright MCP writes the snapshots of all other calls to files on \
         its machine, and its replies link to them.",
    ),
    (
        "form away",
        "The same from further away",
        "100 ms are added to each call: the client sleeps before it sends. The two and five steps are the first of the ten; the \
         twenty are the ten and ten tasks that are done on the dashboard; those on one page are eight of these tasks, with the way \
         there and a look. What a batch saves grows with its steps, and shrinks with the navigations among them, which take as long as \
         ever.",
    ),
    (
        "factor",
        "Signing in with a second factor",
        "A harder site: consent to cookies, user, password, a box, a language, a second factor, a look at the greeting. Both forms are \
         answered by a redirect. A batch saves round trips and snapshots, but no navigation, of which there are three here instead of \
         two. The form above is held to the bars for distant servers; here the figures have none.",
    ),
    (
        "look",
        "A look at a page",
        "`browser_snapshot` without arguments. Of a reply the larger of text and structure counts, with the tokenizer o200k.",
    ),
    (
        "savings",
        "What `expectation` saves",
        "The tokens of all replies of a flow, and how many fewer they are than with everything included (snapshot, console, \
         downloads, tabs, code). The flow with a second factor has no bars: its pages are so small that the reply of a batch, most of \
         which says how each step went, is a fifth of everything, and would miss 80 %.",
    ),
    (
        "eight",
        "Eight sessions at once",
        "Each in a session of its own on one server: it signs in, sets a cookie, says something in the console, and must see \
         only its own. *Bleeds* are sessions that saw something of another.",
    ),
    (
        "end",
        "Processes and memory",
        "Processes of Chromium that still run two seconds after the server got SIGKILL. Growth is that of fumi's resident \
         memory after a warm-up of a tenth of the same work.",
    ),
    (
        "whole",
        "Signing in with the whole Chromium",
        "The first form in the browser of people, which fumi takes where the build without windows is not installed: the same engine, \
         and a toolbar beside each page that nobody sees.",
    ),
];

impl Row {
    pub(crate) fn new(what: &str, unit: &'static str, pair: Pair<f64>, bar: Option<Bar>) -> Self {
        Self {
            what: what.to_owned(),
            unit,
            pair,
            bar,
        }
    }

    fn line(&self) -> String {
        let shown = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| figure(value, self.unit));
        let Pair { ours, theirs } = self.pair;
        let ratio = ours.zip(theirs).filter(|(ours, _)| *ours > 0.0);
        let ratio = ratio.map_or_else(String::new, |(ours, theirs)| format!("{:.2}", theirs / ours));
        let (bar, held) = match self.bar {
            None => (String::new(), ""),
            Some(bar) => {
                let (text, holds): (_, Box<dyn Fn(f64) -> bool>) = match bar {
                    Bar::AtMost(most) => (
                        format!("at most {}", figure(most, self.unit)),
                        Box::new(move |value| value <= most),
                    ),
                    Bar::AtLeast(least) => (
                        format!("at least {}", figure(least, self.unit)),
                        Box::new(move |value| value >= least),
                    ),
                };
                let held = ours.map_or("not measured", |ours| if holds(ours) { "yes" } else { "**no**" });
                (text, held)
            }
        };
        format!(
            "| {} | {} | {} | {ratio} | {bar} | {held} |",
            self.what,
            shown(ours),
            shown(theirs)
        )
    }
}

/// A number with its unit, as exact as it is worth.
fn figure(value: f64, unit: &str) -> String {
    let digits = usize::from(matches!(unit, "times" | "%" | "MB"));
    let grouped = grouped(&format!("{value:.digits$}"));
    format!("{grouped} {unit}")
}

/// 12345.6 as 12,345.6.
fn grouped(number: &str) -> String {
    let (whole, rest) = number.find('.').map_or((number, ""), |at| number.split_at(at));
    let mut grouped = String::new();
    for (at, digit) in whole.char_indices() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) && !grouped.ends_with('-') {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + rest
}

impl Report {
    pub(crate) fn row(&mut self, section: &'static str, row: Row) {
        eprintln!("{}", row.line());
        self.rows.push((section, row));
    }

    /// The whole page.
    pub(crate) fn page(&self, bench: &Bench, inputs: &str) -> String {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let version = std::process::Command::new(installed(SHELL)).arg("--version").output();
        let version = version.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        let mut page = format!(
            "# The browser tools beside Playwright MCP\n\nWritten by `./bench browser`; do not edit. Inputs: `{inputs}`\n\n\
             fumi with its defaults and {} drive the same browser ({}, the build without windows) over the same pages, called over HTTP by the same client, in \
             turns, on {cores} cores. Figures are medians of {} rounds after one that does not count. The ratio is the peer's figure \
             divided by fumi's. A dash is what a program was not measured with, or can not do.\n",
            packages(" "),
            version.unwrap_or_default(),
            bench.rounds,
        );
        for (key, title, about) in SECTIONS {
            let rows: Vec<String> = self
                .rows
                .iter()
                .filter(|(section, _)| *section == key)
                .map(|(_, row)| row.line())
                .collect();
            if rows.is_empty() {
                continue;
            }
            let _ = write!(
                page,
                "\n## {title}\n\n{about}\n\n| what | fumi | Playwright MCP | ratio | bar | held |\n| --- | --- | --- | --- | --- | --- |\n{}\n",
                rows.join("\n")
            );
        }
        page
    }

    /// Writes the figures into a page, between its markers. Without figures it stays as it is.
    pub(crate) fn fill(&self, path: &Path, is_japanese: bool) {
        if self.savings.is_empty() {
            return;
        }
        let mut table = if is_japanese {
            "| 流れと設定 | トークン | すべてを含めた場合との差 |\n| --- | --- | --- |\n".to_owned()
        } else {
            "| flow and `expectation` | tokens | fewer than with everything |\n| --- | --- | --- |\n".to_owned()
        };
        for saving in &self.savings {
            let what = if is_japanese { saving.what.1 } else { saving.what.0 };
            let fewer = match fewer(saving.tokens, saving.everything) {
                share if share < 0.05 => "–".to_owned(),
                share if is_japanese => format!("{share:.0} % 減"),
                share => format!("{share:.0} %"),
            };
            let _ = writeln!(table, "| {what} | {} | {fewer} |", grouped(&saving.tokens.to_string()));
        }
        let text = fs::read_to_string(path).expect("the page is there");
        let (begin, end) = ("<!-- measured:begin -->\n", "<!-- measured:end -->");
        let (before, rest) = text.split_once(begin).expect("the first marker");
        let (_, after) = rest.split_once(end).expect("the second marker");
        fs::write(path, format!("{before}{begin}{table}{end}{after}")).expect("the page can be written");
    }
}

/// How much less, in per cent.
pub(crate) fn fewer(tokens: usize, everything: usize) -> f64 {
    100.0 * (1.0 - tokens as f64 / everything.max(1) as f64)
}
