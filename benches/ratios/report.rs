//! The page docs/benchmarks.md: ratios first, since they hold on other machines too.

use std::{fmt::Write as _, time::Duration};

use crate::{Bench, measure::Taken};

/// The limit of a figure.
#[derive(Clone, Copy)]
pub(crate) enum Bar {
    None,
    Ratio(f64),
    Milliseconds(f64),
    Megabytes(f64),
}

impl Bar {
    pub(crate) fn cells(self, value: f64) -> (String, &'static str) {
        let (text, limit) = match self {
            Self::None => return (String::new(), ""),
            Self::Ratio(limit) => (limit.to_string(), limit),
            Self::Milliseconds(limit) => (format!("{limit} ms"), limit),
            Self::Megabytes(limit) => (format!("{limit} MB"), limit),
        };
        // Half a percent is lost when figures are printed.
        (text, if value <= limit * 1.005 { "yes" } else { "**no**" })
    }
}

/// The measurements so far.
#[derive(Default)]
pub(crate) struct Report {
    ratios: Vec<String>,
    figures: Vec<String>,
    notes: Vec<String>,
    /// Further sections of the page.
    sections: Vec<String>,
}

impl Report {
    /// Adds a table of fumi's programs (those after the first `peers`) against each peer.
    pub(crate) fn compare(&mut self, what: &str, taken: &[Taken], peers: usize, bar: Bar) {
        for own in &taken[peers..] {
            for peer in &taken[..peers] {
                let [low, middle, high] = own.ratio_to(peer);
                let cpu = own
                    .cpu_ratio_to(peer)
                    .map_or(String::new(), |ratio| format!("{ratio:.2}"));
                let (limit, held) = bar.cells(middle);
                let row = format!(
                    "| {what} | {} | {} | {} | {} | {middle:.2} | {low:.2}–{high:.2} | {cpu} | {limit} | {held} |",
                    own.name,
                    time(own.times.median()),
                    peer.name,
                    time(peer.times.median()),
                );
                eprintln!("{row}");
                self.ratios.push(row);
            }
        }
    }

    /// Adds a duration of fumi alone.
    pub(crate) fn duration(&mut self, what: &str, taken: &Taken, bar: Bar) {
        let milliseconds = taken.times.median().as_secs_f64() * 1e3;
        let (limit, held) = bar.cells(milliseconds);
        let row = format!("| {what} | {milliseconds:.2} ms | {limit} | {held} |");
        eprintln!("{row}");
        self.figures.push(row);
    }

    /// Adds a number.
    pub(crate) fn figure(&mut self, what: &str, value: f64, unit: &str, bar: Bar) {
        let (limit, held) = bar.cells(value);
        let row = format!("| {what} | {value:.1} {unit} | {limit} | {held} |");
        eprintln!("{row}");
        self.figures.push(row);
    }

    /// Adds a note for the reader.
    pub(crate) fn note(&mut self, note: String) {
        eprintln!("{note}");
        self.notes.push(note);
    }

    /// Adds a section, which begins with its heading.
    pub(crate) fn section(&mut self, section: String) {
        self.sections.push(section);
    }

    /// Returns the whole page.
    pub(crate) fn page(&self, bench: &Bench, inputs: &str) -> String {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let mut page = String::new();
        let mut section = |title: &str, head: &str, rows: &[String]| {
            if !rows.is_empty() {
                let columns = head.matches('|').count() - 1;
                let _ = write!(
                    page,
                    "\n## {title}\n\n{head}\n|{}\n{}\n",
                    " --- |".repeat(columns),
                    rows.join("\n")
                );
            }
        };
        section(
            "Ratios",
            "| what | fumi | median | beside | median | ratio | quartiles | processor time | bar | held |",
            &self.ratios,
        );
        section("Single figures", "| what | measured | bar | held |", &self.figures);
        page.extend(self.sections.iter().map(|section| format!("\n{section}")));
        let notes: Vec<String> = self.notes.iter().map(|note| format!("\n- {note}")).collect();
        let notes = notes.concat();
        format!(
            "# Benchmarks\n\nWritten by `./bench`; do not edit. Inputs: `{inputs}`\n\n\
             fumi beside the programs that do the same, in turns, in one run, with warm caches. A ratio is the median over \
             {} rounds of fumi's time divided by the other's in the same round; below 1, fumi is faster. Times of `rg` and \
             `fd` hold the start of their process, times over HTTP the whole round trip to a running server. Answers are \
             compared: a difference ends the run. Searches and listings under \"Ratios\" are scans: the index is off. The tree: {}, {} files. Peers: {}. Machine: {cores} cores, shared with \
             whatever else runs on it.{notes}\n{page}",
            bench.rounds, bench.tree.what, bench.tree.files, bench.peers.versions,
        )
    }
}

fn time(duration: Duration) -> String {
    format!("{} ms", milliseconds(duration))
}

/// Returns a time in milliseconds, without the unit.
pub(crate) fn milliseconds(duration: Duration) -> String {
    let milliseconds = duration.as_secs_f64() * 1e3;
    if milliseconds < 10.0 {
        format!("{milliseconds:.2}")
    } else {
        format!("{milliseconds:.0}")
    }
}
