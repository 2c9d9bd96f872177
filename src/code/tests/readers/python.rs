//! Comparison with Python's own `ast` over the installed standard library and pip: the same classes, functions,
//! methods, decorators and imports, with the same names and lines. The files are those of the machine; their number is
//! bounded, never below 300.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write as _,
    path::PathBuf,
    process::{Command, Stdio},
};

use fumi_code::{
    elements::{ElementDetail, ElementKind, ElementList, ImportFacts},
    extract::extract,
    parse::parse,
};
use tokio_util::sync::CancellationToken;

use super::{compare, source};

/// The number of files: every construct of everyday Python occurs, and the test stays below ten seconds.
const FILES: usize = 500;

#[test]
#[ignore = "needs python3"]
fn definitions_and_imports_are_those_of_ast() {
    let files = sources();
    assert!(files.len() >= 300, "only {} Python sources were found", files.len());
    compare(&ast(&files), 10_000, ours);
}

pub(crate) fn python(arguments: &[&str], input: &str) -> String {
    let mut child = Command::new("python3")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 is needed to check the elements of Python; install it");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("python3 ends");
    writer.join().expect("a thread").expect("python3 reads");
    assert!(output.status.success(), "python3 failed");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Returns the standard library without its tests, and pip, largest files first so that long ones are certainly among
/// them.
fn sources() -> Vec<PathBuf> {
    let roots = python(
        &["-c", "import os, pip; print(os.path.dirname(os.__file__)); print(os.path.dirname(pip.__file__))"],
        "",
    );
    let mut found = BTreeSet::new();
    for root in roots.lines() {
        let mut open = vec![PathBuf::from(root)];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).expect("a folder of Python").flatten() {
                let path = entry.path();
                let name = entry.file_name().to_string_lossy().into_owned();
                if path.is_dir() {
                    if !matches!(name.as_str(), "test" | "tests" | "site-packages" | "dist-packages" | "__pycache__") {
                        open.push(path);
                    }
                } else if path.extension().is_some_and(|extension| extension == "py") {
                    found.insert(path);
                }
            }
        }
    }
    // Every second file of a sorted list: an even sample that does not depend on sizes or dates.
    let step = found.len().div_ceil(FILES).max(1);
    found.into_iter().step_by(step).collect()
}

fn ast(files: &[PathBuf]) -> BTreeMap<String, BTreeSet<String>> {
    let list: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/readers/python.py");
    let mut facts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in python(&[script], &list.join("\n")).lines() {
        let (path, fact) = line.split_once('\t').expect("a path and a fact");
        match fact {
            "refused" => {}
            "read" => {
                facts.entry(path.to_owned()).or_default();
            }
            _ => {
                facts.entry(path.to_owned()).or_default().insert(fact.to_owned());
            }
        }
    }
    facts
}

fn ours(path: &str) -> BTreeSet<String> {
    let cancel = CancellationToken::new();
    let parsed = parse(source(path), &cancel).expect("parsed");
    let elements = extract(&parsed, &cancel).expect("elements");
    let mut facts = BTreeSet::new();
    for (at, element) in elements.list.iter().enumerate() {
        let (kind, name) = match element.kind {
            ElementKind::Class | ElementKind::Enum => ("class", elements.qualified_name(at)),
            ElementKind::Method | ElementKind::Constructor | ElementKind::Function if is_named(&elements, at) => {
                (if element.kind == ElementKind::Function { "function" } else { "method" }, elements.qualified_name(at))
            }
            ElementKind::Import => match &element.detail {
                ElementDetail::Import(import) => ("import", imported(import)),
                _ => panic!("an import without its detail"),
            },
            _ => continue,
        };
        let lines = format!("{}\t{}", element.span.start_line, element.span.end_line);
        for decorator in element.code().into_iter().flat_map(|code| &code.decorators) {
            let shown: String = decorator.chars().take(100).collect();
            facts.insert(format!("decorator\t{name} {shown}\t{lines}"));
        }
        facts.insert(format!("{kind}\t{name}\t{lines}"));
    }
    facts
}

/// True unless the element is a lambda, which is a function for us and an expression for `ast`.
fn is_named(elements: &ElementList, at: usize) -> bool {
    elements.list[at].code().is_some_and(|code| !code.has_modifier("lambda"))
}

fn imported(import: &ImportFacts) -> String {
    let names: Vec<String> = import
        .names
        .iter()
        .map(|name| match &name.alias {
            Some(alias) => format!("{}>{alias}", name.name),
            None => name.name.clone(),
        })
        .collect();
    let names = names.join(",");
    if import.module.is_empty() { names } else { format!("{}:{names}", import.module) }
}
