//! The tasks of tasks.toml, done by fumi and by the plain agent, with a check that each saw the right answer.
//!
//! Another program than fumi determines the right answer. fumi's calls are fixed beforehand, as a client makes them
//! that has read the tool list; every later one uses only the question and earlier replies.

use std::{collections::BTreeMap, process::Command};

use regex::Regex;
use serde::Deserialize;
use serde_json::Value;

use crate::{agent, cost, count, kernel::Kernel, trees::Tree};

#[derive(Deserialize)]
struct File {
    task: Vec<Script>,
}

/// A task as written in the file.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Script {
    pub(crate) name: String,
    pub(crate) question: String,
    pub(crate) tree: String,
    /// The source of the right answer.
    pub(crate) truth: String,
    /// Arguments of answers.py, which prints the right answer; each of its lines must have been seen.
    pub(crate) answer: Vec<String>,
    /// Tools with their arguments.
    pub(crate) fumi: Vec<(String, String)>,
    /// See [`agent::work`].
    pub(crate) agent: Vec<String>,
}

/// Texts that must have been seen: lines, or regular expressions if they begin with `re:`.
pub(crate) struct Answer {
    parts: Vec<Part>,
}

enum Part {
    Line(String),
    Regex(Regex),
}

impl Answer {
    fn of(tree: &Tree, script: &Script) -> Self {
        let output = Command::new("python3")
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/tokens/answers.py"))
            .args(&script.answer)
            .current_dir(&tree.folder)
            .output()
            .unwrap_or_else(|error| panic!("python3 is needed: {error}"));
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success() && !printed.trim().is_empty(),
            "{}: no answer: {}",
            script.name,
            String::from_utf8_lossy(&output.stderr)
        );
        let parts = printed
            .lines()
            .map(squeezed)
            .filter(|line| !line.is_empty())
            .map(|line| match line.strip_prefix("re:") {
                Some(regex) => Part::Regex(Regex::new(regex).expect("a regular expression")),
                None => Part::Line(line),
            })
            .collect();
        Self { parts }
    }

    /// Returns the texts that have not been seen yet.
    pub(crate) fn missing(&self, seen: &str) -> Vec<&str> {
        let seen = squeezed(seen);
        self.parts
            .iter()
            .filter_map(|part| match part {
                Part::Line(line) => (!seen.contains(line.as_str())).then_some(line.as_str()),
                Part::Regex(regex) => (!regex.is_match(&seen)).then_some(regex.as_str()),
            })
            .collect()
    }
}

/// Returns a text without the differences of white space between formats.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The calls and tokens that one of the two needed.
pub(crate) struct Taken {
    pub(crate) calls: Vec<String>,
    pub(crate) tokens: usize,
    pub(crate) is_right: bool,
}

/// A task with both results.
pub(crate) struct Done {
    pub(crate) script: Script,
    pub(crate) fumi: Taken,
    pub(crate) agent: Taken,
}

/// Does all tasks.
pub(crate) fn run(trees: &BTreeMap<&'static str, Tree>) -> Vec<Done> {
    // Read at run time, so that a changed script needs no build.
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/tokens/tasks.toml");
    let text = std::fs::read_to_string(path).expect("tasks.toml is there");
    let file: File = toml::from_str(&text).expect("tasks.toml is valid");
    file.task
        .into_iter()
        .map(|script| {
            let tree = &trees[script.tree.as_str()];
            let answer = Answer::of(tree, &script);
            let worked = agent::work(&tree.folder, &script.agent, &answer);
            let missing = answer.missing(&worked.seen);
            if !missing.is_empty() {
                eprintln!("{}: the agent has not seen {missing:?}", script.name);
            }
            let agent = Taken {
                is_right: missing.is_empty(),
                calls: worked.calls,
                tokens: worked.tokens,
            };
            let fumi = ask(tree, &script, &answer);
            Done { script, fumi, agent }
        })
        .collect()
}

fn ask(tree: &Tree, script: &Script, answer: &Answer) -> Taken {
    let kernel = Kernel::new(&[&tree.folder], false);
    let mut taken = Taken {
        calls: Vec::new(),
        tokens: 0,
        is_right: false,
    };
    let (mut text, mut structure) = (String::new(), String::new());
    for (tool, arguments) in &script.fumi {
        let arguments: Value =
            serde_json::from_str(arguments).unwrap_or_else(|error| panic!("{}: {arguments}: {error}", script.name));
        let reply = kernel.reply(tool, &arguments);
        taken.tokens += count(&arguments.to_string()) + cost(&reply);
        taken.calls.push(format!("{tool} {arguments}"));
        text.push_str(&reply.text);
        text.push('\n');
        strings(&reply.structured, &mut structure);
        structure.push_str(&reply.structured.to_string());
        structure.push('\n');
        // Some clients show only the text, others only the structure.
        let missing = [answer.missing(&text), answer.missing(&structure)].concat();
        taken.is_right = missing.is_empty();
        if taken.is_right {
            break;
        }
        if taken.calls.len() == script.fumi.len() {
            eprintln!("{}: fumi has not shown {missing:?}", script.name);
        }
    }
    taken
}

/// Appends every text in a structure, as a reader of JSON sees it.
fn strings(value: &Value, found: &mut String) {
    match value {
        Value::String(text) => {
            found.push_str(text);
            found.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(fields) => fields.values().for_each(|value| strings(value, found)),
        _ => {}
    }
}
