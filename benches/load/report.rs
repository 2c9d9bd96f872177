//! The page docs/load.md.

use std::{fmt::Write as _, time::Duration};

use super::wrk::Load;

/// One comparison with the bare route.
pub(crate) struct Row {
    pub(crate) what: String,
    /// Of one reply.
    pub(crate) bytes: usize,
    /// Replies a second, in the middle round.
    pub(crate) ours: f64,
    pub(crate) theirs: f64,
    pub(crate) ratio: f64,
    pub(crate) quartiles: (f64, f64),
    /// Processor time of the server for one reply.
    pub(crate) cpu: Duration,
    pub(crate) beside_cpu: Duration,
    /// In microseconds.
    pub(crate) cpu_bar: f64,
    /// The median with one client.
    pub(crate) round_trip: Duration,
    /// In microseconds.
    pub(crate) round_trip_bar: f64,
}

/// What was measured so far.
#[derive(Default)]
pub(crate) struct Report {
    ratios: Vec<String>,
    instructions: Option<u64>,
    /// The instructions of an indexed search, and the shares of its functions.
    indexed: Option<(u64, String)>,
    figures: Vec<String>,
    replicas: Vec<String>,
    floods: Vec<String>,
}

impl Report {
    pub(crate) fn ratio(&mut self, row: &Row) {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let (cpu, round_trip) = (micros(row.cpu), micros(row.round_trip));
        let held = if cpu <= row.cpu_bar && round_trip <= row.round_trip_bar {
            "yes"
        } else {
            "**no**"
        };
        let line = format!(
            "| {} | {} | {cpu:.0} µs | {round_trip:.0} µs | {:.0} µs, {:.0} µs | {held} | {:.0} | {:.0} | {:.2} | {:.2}–{:.2} | {:.0} µs |",
            row.what,
            row.bytes,
            row.cpu_bar,
            row.round_trip_bar,
            row.ours,
            row.theirs,
            row.ratio,
            row.quartiles.0,
            row.quartiles.1,
            micros(row.beside_cpu),
        );
        eprintln!("{line}");
        self.ratios.push(line);
    }

    pub(crate) fn instructions(&mut self, count: u64) {
        eprintln!("instructions of one cached call: {count}");
        self.instructions = Some(count);
    }

    pub(crate) fn indexed_search(&mut self, count: u64, shares: &[(String, f64)]) {
        eprintln!("instructions of one indexed search: {count}");
        let shares = shares
            .iter()
            .map(|(function, share)| format!("{share:.0} % `{function}`"));
        let shares: Vec<String> = shares.inspect(|share| eprintln!("{share}")).collect();
        self.indexed = Some((count, shares.join("<br>")));
    }

    pub(crate) fn figure(&mut self, what: &str, value: f64, unit: &str, bar: Option<f64>) {
        let (bar, held) = match bar {
            None => (String::new(), ""),
            Some(bar) => (format!("{bar} {unit}"), if value <= bar { "yes" } else { "**no**" }),
        };
        let line = format!("| {what} | {value:.1} {unit} | {bar} | {held} |");
        eprintln!("{line}");
        self.figures.push(line);
    }

    pub(crate) fn replicas(&mut self, what: &str, processes: usize, per_second: f64, cpu: Duration) {
        let micros = cpu.as_secs_f64() * 1e6;
        let line = format!("| {what} | {processes} | {per_second:.0} | {micros:.0} µs |");
        eprintln!("{line}");
        self.replicas.push(line);
    }

    pub(crate) fn flood(&mut self, what: &str, load: Option<Load>, probes: usize, peak: f64, bar: f64) {
        let count = |of: fn(&Load) -> u64| load.as_ref().map_or_else(String::new, |load| of(load).to_string());
        let line = format!(
            "| {what} | {} | {} | {probes} of {probes} | {peak:.0} MB | {bar} MB |",
            count(|load| load.served),
            count(|load| load.refused),
        );
        eprintln!("{line}");
        self.floods.push(line);
    }

    /// The whole page.
    pub(crate) fn page(&self, inputs: &str) -> String {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let mut page = format!(
            "# Load\n\nWritten by `./bench load`; do not edit. Inputs: `{inputs}`\n\n\
             fumi with its defaults, loaded by `wrk` over loopback, on {cores} cores that the load shares.\n"
        );
        let mut section = |title: &str, about: &str, head: &str, rows: &[String]| {
            let columns = head.matches('|').count() - 1;
            let _ = write!(
                page,
                "\n## {title}\n\n{about}\n\n{head}\n|{}\n{}\n",
                " --- |".repeat(columns),
                rows.join("\n")
            );
        };
        section(
            "Cached calls",
            "Calls over `/mcp` in the stateless era. The bars are for the processor time of a reply under load, and for the \
             median round trip of a single client. Beside them a bare axum route that reads the same JSON and returns the \
             same bytes, with the same runtime and allocator; both are loaded in turns, and the ratio is the median of the \
             rounds' ratios.",
            "| what | bytes of a reply | processor time | round trip | bars | held | fumi, replies/s | bare route, replies/s \
             | ratio | quartiles | bare route, processor time |",
            &self.ratios,
        );
        if let (Some(count), Some((search, shares))) = (self.instructions, &self.indexed) {
            section(
                "Instructions",
                "Counted by callgrind: over the whole server, 1,200 calls minus 200 calls; in the thread of a search, 200 searches, \
                 where a share contains what the function calls.",
                "| what | instructions |",
                &[
                    format!("| one cached call of search_content that counts 20 matches | {count} |"),
                    format!("| one search by the index for a word in 1 of 2,000 files<br>{shares} | {search} |"),
                ],
            );
        }
        section(
            "Open sessions",
            "Sessions of the session era, each with a GET stream.",
            "| what | measured | bar | held |",
            &self.figures,
        );
        section(
            "Replicas",
            "Cached calls over 32 connections, which all processes share. The processor time is that of fumi in all processes; Redis \
             and the load use the same cores, so more processes do not answer more.",
            "| calls | processes | replies/s, all together | processor time of a reply |",
            &self.replicas,
        );
        section(
            "Floods",
            "More than the limits allow, for 8 s. Asserted: some of it is refused with 429 or 503 and nothing is answered \
             otherwise, `/livez` answers 200 whenever it is asked, and memory stays within the bar.",
            "| what | served | refused | /livez answered | most memory | bar |",
            &self.floods,
        );
        page
    }
}

/// Asserts that memory stayed within its bar, in megabytes.
pub(crate) fn most(what: &str, peak: f64, bar: f64) {
    assert!(peak <= bar, "{what}: {peak:.0} MB at most, more than {bar} MB");
}
