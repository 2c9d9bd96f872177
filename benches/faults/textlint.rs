//! textlint as a comparison: its findings in the faulty texts that fumi does not have, and the time of both for a whole
//! book.
//!
//! `./bench faults` installs it; versions are in textlint.toml. Invariant: both programs get the same files, and both
//! are started anew for each measurement. Without textlint the run ends with the way to install it, and does not write
//! a report without it.

use std::{
    collections::HashMap,
    env, fs,
    ops::Range,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    inputs::{bocchan, story},
    measure::{Case, touch},
};

/// Packages and versions.
const PINNED: &str = include_str!("textlint.toml");

/// The argument with which this program checks one file only.
pub(crate) const LOOK: &str = "look-at";

/// How often each program checks the book; textlint takes ten seconds.
const ROUNDS: usize = 3;

/// The maximum share of textlint's time and memory.
pub(crate) const PART: f64 = 0.1;

/// The folder in which textlint is installed.
#[derive(Debug)]
pub(crate) struct Textlint {
    home: PathBuf,
}

/// A finding of textlint that fumi does not have.
#[derive(Debug)]
pub(crate) struct Missed {
    pub(crate) kind: &'static str,
    pub(crate) message: String,
    pub(crate) shown: String,
}

/// textlint's findings on the faulty texts.
#[derive(Debug, Default)]
pub(crate) struct Parity {
    /// The number of findings that the clean text does not have.
    pub(crate) fresh: usize,
    pub(crate) missed: Vec<Missed>,
}

/// Wall time in seconds, and peak memory in megabytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) seconds: f64,
    pub(crate) megabytes: f64,
}

/// Both programs over one book: medians, and the medians of the ratios of each round.
#[derive(Debug)]
pub(crate) struct Race {
    pub(crate) fumi: Cost,
    pub(crate) textlint: Cost,
    pub(crate) time: f64,
    pub(crate) memory: f64,
}

/// The packages for the comparison, each with its version after a sign.
pub(crate) fn packages(sign: &str) -> Vec<String> {
    let table: toml::Table = PINNED.parse().expect("a table of versions");
    let packages = table.iter();
    packages
        .map(|(name, version)| format!("{name}{sign}{}", version.as_str().unwrap_or_default()))
        .collect()
}

impl Textlint {
    /// Finds what `./bench faults` installs, or says how to get it.
    pub(crate) fn find() -> Self {
        let home = env::var_os("FUMI_TEXTLINT").map_or_else(
            || env::home_dir().expect("a home folder").join(".cache/fumi/textlint"),
            PathBuf::from,
        );
        let textlint = Self { home };
        for file in [textlint.node(), textlint.program()] {
            assert!(
                file.exists(),
                "\n{} is missing. ./bench faults installs it where npm reaches its registry; or set FUMI_TEXTLINT to a folder \
                 in which this was run:\n  npm install node@VERSION {}\n",
                file.display(),
                packages("@").join(" "),
            );
        }
        textlint
    }

    fn node(&self) -> PathBuf {
        self.home.join("node_modules/node/bin/node")
    }

    fn program(&self) -> PathBuf {
        self.home.join("node_modules/textlint/bin/textlint.js")
    }

    /// Returns textlint for a file or a folder with one rule or preset at its defaults.
    fn command(&self, rule: &str, folder: &Path, what: &str) -> Command {
        let settings = folder.join(format!("{rule}.json"));
        fs::write(&settings, json!({"rules": {rule: true}}).to_string()).expect("written");
        let mut command = Command::new(self.node());
        command
            .arg(self.program())
            .args(["--format", "json", "--rules-base-directory"]);
        command
            .arg(self.home.join("node_modules"))
            .arg("--config")
            .arg(&settings)
            .arg(what);
        command.current_dir(folder).stdin(Stdio::null());
        command
    }

    /// Returns textlint's findings in files, by file: message, and bytes.
    fn findings(&self, rule: &str, files: &HashMap<String, &str>) -> HashMap<String, Vec<(String, Range<usize>)>> {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            fs::write(folder.path().join(name), text).expect("written");
        }
        let output = self.command(rule, folder.path(), "*.txt").output().expect("node runs");
        let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!(
                "textlint's output is not JSON ({error}): {}",
                String::from_utf8_lossy(&output.stderr)
            );
        });
        let mut findings = HashMap::new();
        for result in said.as_array().expect("an array of files") {
            let path = Path::new(result["filePath"].as_str().expect("a path"));
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            let bytes = bytes(files[name.as_str()]);
            let place = |value: &Value| bytes[usize::try_from(value.as_u64().expect("an index")).expect("small")];
            let messages = result["messages"].as_array().expect("messages").iter().map(|message| {
                let text = message["message"].as_str().expect("a text").to_owned();
                (text, place(&message["range"][0])..place(&message["range"][1]))
            });
            findings.insert(name, messages.collect());
        }
        assert_eq!(findings.len(), files.len(), "textlint passes files over");
        findings
    }

    /// Returns textlint's findings about the faults.
    pub(crate) fn parity(&self, cases: &[Case]) -> Parity {
        let clean_name = |case: &Case| format!("clean-{}-{}.txt", case.origin.name(), case.seed);
        let faulty_name = |case: &Case| format!("{}-{}-{}.txt", case.kind.name, case.origin.name(), case.seed);
        let mut files: HashMap<String, &str> = HashMap::new();
        for case in cases {
            files.insert(clean_name(case), &case.clean);
            files.insert(faulty_name(case), &case.faulty.text);
        }
        let findings = self.findings("general-novel-style-ja", &files);
        let mut parity = Parity::default();
        for case in cases {
            let text = &case.faulty.text;
            let known = &findings[&clean_name(case)];
            let moved: Vec<(&str, Range<usize>)> = known
                .iter()
                .map(|(message, range)| (message.as_str(), case.faulty.fault.moved(range)))
                .collect();
            let fresh = findings[&faulty_name(case)].iter();
            for (message, range) in fresh.filter(|(message, range)| !moved.contains(&(message.as_str(), range.clone())))
            {
                parity.fresh += 1;
                let lines = whole_lines(text, range);
                if !case.fresh.iter().any(|finding| touch(&finding.source, &lines)) {
                    parity.missed.push(Missed {
                        kind: case.kind.name,
                        message: message.clone(),
                        shown: case.shown(range),
                    });
                }
            }
        }
        parity
    }

    /// Runs both on 坊っちゃん, in turns.
    pub(crate) fn race(&self, root: &Path) -> Race {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("book.txt");
        fs::write(&file, story(&bocchan(root))).expect("written");
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            let mut own = Command::new(env::current_exe().expect("this program"));
            own.arg(LOOK).arg(&file);
            let mut other = self.command("preset-japanese", folder.path(), "book.txt");
            rounds.push((cost(&mut own), cost(&mut other)));
        }
        let median = |value: &dyn Fn(&(Cost, Cost)) -> f64| {
            let mut values: Vec<f64> = rounds.iter().map(value).collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        Race {
            fumi: Cost {
                seconds: median(&|(own, _)| own.seconds),
                megabytes: median(&|(own, _)| own.megabytes),
            },
            textlint: Cost {
                seconds: median(&|(_, other)| other.seconds),
                megabytes: median(&|(_, other)| other.megabytes),
            },
            time: median(&|(own, other)| own.seconds / other.seconds),
            memory: median(&|(own, other)| own.megabytes / other.megabytes),
        }
    }
}

/// Runs a program to its end. Its memory is polled, since it cannot be read after the end; the peak only rises, so the
/// last value is at most a few milliseconds old.
fn cost(command: &mut Command) -> Cost {
    let began = Instant::now();
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let status = format!("/proc/{}/status", child.id());
    let mut kilobytes = 0.0_f64;
    let ended = loop {
        if let Some(ended) = child.try_wait().expect("it can be waited for") {
            break ended;
        }
        let said = fs::read_to_string(&status).unwrap_or_default();
        let mark = said.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let mark = mark.and_then(|mark| mark.trim().trim_end_matches(" kB").parse::<f64>().ok());
        kilobytes = kilobytes.max(mark.unwrap_or(0.0));
        thread::sleep(Duration::from_millis(2));
    };
    // textlint ends with 1 if it finds anything, and with 2 if it could not check.
    assert!(matches!(ended.code(), Some(0 | 1)), "{command:?} failed: {ended}");
    Cost {
        seconds: began.elapsed().as_secs_f64(),
        megabytes: kilobytes / 1e3,
    }
}

/// Returns the byte of each UTF-16 unit of a text, in which textlint counts, and of its end.
fn bytes(text: &str) -> Vec<usize> {
    let units = text
        .char_indices()
        .flat_map(|(at, c)| std::iter::repeat_n(at, c.len_utf16()));
    units.chain([text.len()]).collect()
}

/// Returns the lines that contain a range.
fn whole_lines(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at);
    start..end
}
