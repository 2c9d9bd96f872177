//! The questions with their right answers, from the program beside this that reads Python and TypeScript, from syn, and
//! from natural.toml.

use std::{collections::BTreeMap, fs, path::Path};

use serde::Deserialize;
use serde_json::Value;

use crate::rust_sources;

/// A place that answers a question.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Place {
    pub(crate) file: String,
    /// The name of the element; empty if any part of the file is right.
    pub(crate) name: String,
    /// The line of the name; 0 if the name alone decides.
    pub(crate) line: usize,
}

/// A question about one tree.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Question {
    pub(crate) set: String,
    pub(crate) tree: String,
    pub(crate) query: String,
    pub(crate) right: Vec<Place>,
    /// `tune` or `test`; weights are chosen by the former alone.
    pub(crate) half: String,
}

/// A definition with its lines, decorators included: a document of the plain ranking.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Element {
    pub(crate) file: String,
    pub(crate) name: String,
    pub(crate) first: usize,
    pub(crate) last: usize,
}

/// All questions, and the elements of each tree.
#[derive(Debug, Deserialize)]
pub(crate) struct Questions {
    pub(crate) questions: Vec<Question>,
    pub(crate) elements: BTreeMap<String, Vec<Element>>,
}

#[derive(Deserialize)]
struct Natural {
    question: Vec<NaturalQuestion>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NaturalQuestion {
    tree: String,
    ask: String,
    /// Each a path, then the qualified name of an element.
    right: Vec<String>,
    #[serde(default)]
    held_out: bool,
}

impl Questions {
    /// Reads and makes all questions; `home` is what prepare.py filled.
    pub(crate) fn read(home: &Path) -> Self {
        let text = fs::read_to_string(home.join("questions.json")).expect("./bench ranking makes the questions");
        let mut all: Self = serde_json::from_str(&text).expect("questions");
        let (asked, elements) = rust_sources::questions(&home.join("trees"));
        all.questions.extend(asked);
        for tree in ["crates", "crates-bare"] {
            all.elements.insert(tree.to_owned(), elements.clone());
        }
        all.questions.extend(natural());
        all
    }

    /// Returns the names of all sets, in the order of their first questions.
    pub(crate) fn sets(&self) -> Vec<String> {
        let mut sets: Vec<String> = Vec::new();
        for question in &self.questions {
            if !sets.contains(&question.set) {
                sets.push(question.set.clone());
            }
        }
        sets
    }
}

fn natural() -> Vec<Question> {
    // Read at run time, so that a changed question needs no build.
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/ranking/natural.toml");
    let text = fs::read_to_string(path).expect("natural.toml is there");
    let file: Natural = toml::from_str(&text).expect("natural.toml is valid");
    file.question
        .into_iter()
        .map(|question| Question {
            set: "natural questions".to_owned(),
            tree: question.tree,
            query: question.ask,
            right: question.right.iter().map(|place| named(place)).collect(),
            half: if question.held_out { "test" } else { "tune" }.to_owned(),
        })
        .collect()
}

fn named(place: &str) -> Place {
    let (file, name) = place.split_once(' ').expect("a path and a name");
    Place {
        file: file.to_owned(),
        name: name.to_owned(),
        line: 0,
    }
}

/// A place in the answer of a method, best first.
#[derive(Clone, Debug)]
pub(crate) struct Hit {
    pub(crate) file: String,
    /// The qualified name of the element; empty for a part of a file without one.
    pub(crate) name: String,
    pub(crate) first: usize,
    pub(crate) last: usize,
}

impl Hit {
    fn is(&self, right: &Place) -> bool {
        let ends = |name: &str| self.name == name || self.name.ends_with(&format!(".{name}"));
        self.file == right.file
            && (right.name.is_empty() || ends(&right.name))
            && (right.line == 0 || (self.first..=self.last).contains(&right.line))
    }
}

impl Question {
    /// True if files are the answer rather than elements.
    pub(crate) fn is_about_files(&self) -> bool {
        self.right.iter().all(|place| place.name.is_empty())
    }

    /// Returns the 1-based rank of the first right answer.
    pub(crate) fn rank(&self, hits: &[Hit]) -> Option<usize> {
        if self.is_about_files() {
            return self.file_rank(hits.iter().map(|hit| hit.file.as_str()));
        }
        let is_right = |hit: &Hit| self.right.iter().any(|right| hit.is(right));
        hits.iter().position(is_right).map(|at| at + 1)
    }

    /// Returns the 1-based rank of the first right file.
    pub(crate) fn file_rank<'a>(&self, files: impl Iterator<Item = &'a str>) -> Option<usize> {
        let mut seen: Vec<&str> = Vec::new();
        for file in files {
            if !seen.contains(&file) {
                seen.push(file);
            }
        }
        seen.iter()
            .position(|file| self.right.iter().any(|right| right.file == *file))
            .map(|at| at + 1)
    }
}

/// Returns the hits of a reply of fumi's.
pub(crate) fn hits(reply: &Value) -> Vec<Hit> {
    let rows = reply["results"].as_array().expect("results");
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let number = |row: &Value, key: &str| {
        row[key]
            .as_u64()
            .and_then(|number| usize::try_from(number).ok())
            .unwrap_or_default()
    };
    rows.iter()
        .map(|row| Hit {
            file: text(row, "file"),
            name: text(row, "element"),
            first: number(row, "start_line"),
            last: number(row, "end_line"),
        })
        .collect()
}
