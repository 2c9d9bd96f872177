//! Comparison with Ruby's own syntax tree over its standard library: the same classes, modules, methods and constants,
//! with the same names and lines. The files are those of the machine; their number is bounded, never below 300.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write as _,
    path::PathBuf,
    process::{Command, Stdio},
};

use fumi_code::{elements::ElementKind, extract::extract, parse::parse};
use tokio_util::sync::CancellationToken;

use super::{compare, source};

/// The number of files: every construct of everyday Ruby occurs, and the test stays below ten seconds.
const FILES: usize = 800;

#[test]
#[ignore = "needs ruby"]
fn definitions_are_those_of_the_interpreter() {
    let files = sources();
    assert!(files.len() >= 300, "only {} Ruby sources were found", files.len());
    let list: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/readers/ruby.rb");
    let mut theirs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in ruby(&["-W0", script], &list.join("\n")).lines() {
        let (path, fact) = line.split_once('\t').expect("a path and a fact");
        match fact {
            "refused" => {}
            "read" => {
                theirs.entry(path.to_owned()).or_default();
            }
            _ => {
                theirs.entry(path.to_owned()).or_default().insert(fact.to_owned());
            }
        }
    }
    compare(&theirs, 5_000, ours);
}

fn ruby(arguments: &[&str], input: &str) -> String {
    let mut child = Command::new("ruby")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("ruby is needed to check the elements of Ruby; install it");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("ruby ends");
    writer.join().expect("a thread").expect("ruby reads");
    assert!(output.status.success(), "ruby failed");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Returns the standard library and the gems bundled with it.
fn sources() -> Vec<PathBuf> {
    let places = "puts RbConfig::CONFIG.values_at('rubylibdir', 'vendorlibdir'), Gem.default_dir";
    let roots = ruby(&["-e", places], "");
    let mut found = BTreeSet::new();
    for root in roots.lines() {
        let mut open = vec![PathBuf::from(root)];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    open.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rb") {
                    found.insert(path);
                }
            }
        }
    }
    // An even sample that does not depend on sizes or dates.
    let step = found.len().div_ceil(FILES).max(1);
    found.into_iter().step_by(step).collect()
}

fn ours(path: &str) -> BTreeSet<String> {
    let cancel = CancellationToken::new();
    let parsed = parse(source(path), &cancel).expect("parsed");
    let elements = extract(&parsed, &cancel).expect("elements");
    let mut facts = BTreeSet::new();
    for element in &elements.list {
        let Some(code) = element.code() else { continue };
        let written = parsed.source.text.get(element.span.start_byte..).unwrap_or_default();
        let kind = match element.kind {
            ElementKind::Class if written.starts_with("class") => "class",
            ElementKind::Module if written.starts_with("module") => "module",
            // Definitions made by a call: `Point = Struct.new(:x)`.
            ElementKind::Class
            | ElementKind::Module
            | ElementKind::Struct
            | ElementKind::Record
            | ElementKind::Constant => "constant",
            ElementKind::Method | ElementKind::Constructor | ElementKind::Function => "def",
            _ => continue,
        };
        // The parser does not treat calls that define methods as definitions.
        if code.has_modifier("alias") || code.has_modifier("defined") {
            continue;
        }
        let name = match kind {
            "def" => element.name.rsplit('.').next().unwrap_or_default(),
            _ => &element.name,
        };
        // Two unary operators have two names each.
        let name = match name {
            "~@" => "~",
            "!@" => "!",
            name => name,
        };
        // With `private def`, the span begins before the definition, on the same line.
        facts.insert(format!("{kind}\t{name}\t{}\t{}", element.span.start_line, element.span.end_line));
    }
    facts
}
