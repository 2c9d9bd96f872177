//! docs/requirements.toml: every tool and every test that it names exists, and each requirement marked as met has both.
//!
//! A person has to judge whether the tests show what the sentence says. `docs/regenerate --pages` makes a page of the
//! file.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;

use crate::sample::Sample;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    planned_tools: Vec<String>,
    requirement: Vec<Requirement>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Requirement {
    id: String,
    sentence: String,
    tools: Vec<String>,
    tests: Vec<String>,
    state: State,
    missing: Option<String>,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum State {
    Met,
    Partly,
    Planned,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn file() -> File {
    let text = fs::read_to_string(root().join("docs/requirements.toml")).unwrap();
    toml::from_str(&text).unwrap()
}

/// Returns the files that may contain the test: a module is a file, or a folder with `mod.rs`.
fn files(binary: &str, modules: &[&str]) -> Vec<PathBuf> {
    let folder = match binary.split_once("::") {
        None => "tests/it".to_owned(),
        Some((of, binary)) => format!("src/{}/tests/{binary}", of.trim_start_matches("fumi-")),
    };
    let path = root().join(folder).join(modules.join("/"));
    vec![path.with_extension("rs"), path.join("mod.rs")]
}

/// True if a source has a test of this name: a function with the attribute right above it.
fn has_test(source: &str, name: &str) -> bool {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let head = format!("fn {name}(");
    let mut places = (0..lines.len()).filter(|at| lines[*at].contains(&head));
    places.any(|at| {
        let above = lines[..at].iter().rev();
        let mut attributes = above.take_while(|line| line.starts_with("#["));
        attributes.any(|line| line.starts_with("#[test]") || line.starts_with("#[tokio::test"))
    })
}

#[test]
fn a_test_is_found_behind_another_function_of_its_name() {
    let other = "fn kept() {}\n";
    assert!(has_test(&format!("{other}mod tests {{\n    #[test]\n    fn kept() {{}}\n}}"), "kept"));
    assert!(!has_test(other, "kept"));
}

fn is_there(test: &str) -> bool {
    let (binary, path) = test.split_once(' ').unwrap_or(("it", test));
    let mut modules: Vec<&str> = path.split("::").collect();
    let name = modules.pop().unwrap_or_default();
    let sources = files(binary, &modules).into_iter().filter_map(|file| fs::read_to_string(file).ok());
    sources.into_iter().any(|source| has_test(&source, name))
}

#[test]
fn every_tool_and_test_that_a_requirement_names_is_there() {
    let app = Sample::empty().app();
    let known: BTreeSet<&str> = app.catalogue.entries().iter().map(|entry| entry.spec.name).collect();
    let File { planned_tools, requirement: requirements } = file();
    let there = planned_tools.iter().filter(|tool| known.contains(tool.as_str()));
    let mut faults: Vec<String> = there.map(|tool| format!("{tool} is planned, and there")).collect();
    for requirement in requirements {
        let Requirement { id, tools, tests, .. } = &requirement;
        let (planned, present): (Vec<_>, Vec<_>) = tools.iter().partition(|tool| planned_tools.contains(tool));
        let unknown = present.iter().filter(|tool| !known.contains(tool.as_str()));
        faults.extend(unknown.map(|tool| format!("{id}: no tool {tool}")));
        match requirement.state {
            State::Met if !planned.is_empty() || tests.is_empty() => {
                faults.push(format!("{id}: met without tools or tests"));
            }
            State::Planned if planned.is_empty() => faults.push(format!("{id}: its tools are there; who tests them?")),
            _ => {}
        }
        let lost = tests.iter().filter(|test| !is_there(test));
        faults.extend(lost.map(|test| format!("{id}: no test {test}")));
        if requirement.missing.is_some() == (requirement.state == State::Met) {
            faults.push(format!("{id}: `missing` must be set unless the requirement is met"));
        }
        if requirement.sentence.is_empty() {
            faults.push(format!("{id}: no sentence"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_requirements_of_the_specification_are_listed_once_each() {
    let listed: Vec<String> = file().requirement.into_iter().map(|requirement| requirement.id).collect();
    let numbered = (16..=18).chain(26..=30).map(|number| format!("REQ-MCP-{number:03}"));
    let named = [
        "REQ-WRITE-MCP-003",
        "REQ-WRITE-TEN-004",
        "REQ-QUALITY-STAGED-004",
        "REQ-DATA-001",
        "REQ-DATA-002",
        "REQ-DATA-003",
        "REQ-OPS-WRITE-001",
    ];
    let wanted: Vec<String> = named.map(str::to_owned).into_iter().chain(numbered).collect();
    assert_eq!(listed, wanted);
}
