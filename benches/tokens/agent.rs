//! The plain agent that fumi is compared with: ripgrep, and reading 60 lines around a match. It is a strong one.
//!
//! It phrases its patterns well, knows which matches to follow, never reads twice, and stops at the very line that
//! completes the answer. Its reads come without line numbers, which costs less than in most agents.

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use regex::Regex;
use serde_json::json;

use crate::{count, tasks::Answer};

/// Lines before a match, and lines in all, of one read: a definition extends below its first line.
const BEFORE: usize = 10;
const LINES: usize = 60;
/// The maximum number of reads in a row to follow a text.
const MOST_READS: usize = 40;

/// The agent's calls and their cost.
#[derive(Default)]
pub(crate) struct Work {
    /// The commands, as called.
    pub(crate) calls: Vec<String>,
    /// Tokens of the arguments.
    pub(crate) asked: usize,
    /// Tokens of the replies.
    pub(crate) replied: usize,
    /// All text that it saw.
    pub(crate) seen: String,
}

/// Follows a script until the answer has been read. A step is a command, or one of:
///
/// - `read REGEX`: 60 lines around each matching line of the last search, in its order;
///   `read REGEX in FILE` if the search was in one file, whose name ripgrep does not print;
/// - `above REGEX`: the 60 lines that end with each matching line, where the beginning of the element around it is wanted;
/// - `on`: the 60 lines after the last ones, again and again.
pub(crate) fn work(tree: &Path, script: &[String], answer: &Answer) -> Work {
    let mut agent = Agent {
        tree,
        work: Work::default(),
        hits: String::new(),
        read: BTreeSet::new(),
        last: None,
    };
    for step in script {
        if let Some(read) = step.strip_prefix("read ") {
            agent.follow(read, BEFORE, answer);
        } else if let Some(read) = step.strip_prefix("above ") {
            agent.follow(read, LINES - 1, answer);
        } else if step == "on" {
            for _ in 0..MOST_READS {
                if answer.missing(&agent.work.seen).is_empty() {
                    break;
                }
                let (file, end) = agent.last.clone().expect("something was read");
                agent.lines(&file, end + 1, end + LINES);
            }
        } else {
            agent.hits = agent.run(step);
        }
        if answer.missing(&agent.work.seen).is_empty() {
            break;
        }
    }
    agent.work
}

struct Agent<'t> {
    tree: &'t Path,
    work: Work,
    hits: String,
    read: BTreeSet<(String, usize)>,
    last: Option<(String, usize)>,
}

impl Agent<'_> {
    fn run(&mut self, command: &str) -> String {
        // Files in a fixed order, which is otherwise random and would change what is read first. It is not counted.
        let ordered = command.replacen("rg ", "rg --sort path ", 1);
        let output = Command::new("sh")
            .args(["-c", &ordered])
            .current_dir(self.tree)
            .env(
                "PATH",
                format!("{}:{}", tools().display(), env::var("PATH").unwrap_or_default()),
            )
            .env_remove("RIPGREP_CONFIG_PATH")
            .output()
            .expect("a shell");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        self.work.asked += count(&json!({ "command": command }).to_string());
        self.work.replied += count(&printed);
        self.work.calls.push(command.to_owned());
        self.work.seen.push_str(&printed);
        self.work.seen.push('\n');
        printed
    }

    /// Reads around each matching line, beginning some lines before it.
    fn follow(&mut self, read: &str, before: usize, answer: &Answer) {
        let (pattern, one_file) = match read.rsplit_once(" in ") {
            Some((pattern, file)) => (pattern, Some(file)),
            None => (read, None),
        };
        let pattern = Regex::new(pattern).expect("a regular expression");
        let mut followed = 0;
        for hit in self.hits.clone().lines().filter(|hit| pattern.is_match(hit)) {
            let mut parts = hit.splitn(3, ':');
            let file = match one_file {
                Some(file) => file,
                None => parts.next().expect("a path"),
            };
            let line: usize = parts
                .next()
                .and_then(|line| line.parse().ok())
                .unwrap_or_else(|| panic!("no line in {hit}"));
            followed += 1;
            if self.read.contains(&(file.to_owned(), line)) {
                continue;
            }
            let start = line.saturating_sub(before).max(1);
            self.lines(file, start, start + LINES - 1);
            if answer.missing(&self.work.seen).is_empty() {
                return;
            }
        }
        assert!(followed > 0, "no hit matches {read}: {}", self.hits);
    }

    fn lines(&mut self, file: &str, start: usize, end: usize) {
        let all = fs::read_to_string(self.tree.join(file)).expect("a file of the tree");
        let end = end.min(all.lines().count());
        self.run(&format!("sed -n {start},{end}p {file}"));
        self.read.extend((start..=end).map(|line| (file.to_owned(), line)));
        self.last = Some((file.to_owned(), end));
    }
}

/// Returns the folder of the ripgrep that `./test` installs.
fn tools() -> PathBuf {
    let tools = env::var_os("FUMI_TOOLS").map_or_else(
        || env::home_dir().expect("a home folder").join(".cache/fumi/tools/bin"),
        PathBuf::from,
    );
    assert!(
        tools.join("rg").is_file(),
        "ripgrep is missing in {}; run ./test fast once",
        tools.display()
    );
    tools
}
