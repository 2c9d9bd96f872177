//! Comparison with the JDK's own compiler over a sample of the JDK's own sources: the same classes, methods, fields,
//! initializers and imports, with the same names and lines. The sources come from a JDK's `src.zip`, read by that JDK's
//! compiler.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use fumi_code::{
    elements::{ElementDetail, ElementKind, ElementList},
    extract::extract,
    parse::parse,
};
use tokio_util::sync::CancellationToken;

use super::{compare, source};

/// The sampling interval over the archive's files, about 450 of 14,000: every construct occurs, and the test stays
/// short.
const STEP: &str = "30";

#[test]
#[ignore = "needs a JDK"]
fn declarations_are_those_of_the_compiler() {
    let jdk = jdk();
    let folder = tempfile::tempdir().expect("a folder");
    let output = Command::new(jdk.join("bin/java"))
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/readers/Reader.java"))
        .arg(jdk.join("lib/src.zip"))
        .arg(folder.path())
        .arg(STEP)
        .output()
        .expect("java runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let mut theirs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in text.lines() {
        let (path, fact) = line.split_once('\t').expect("a path and a fact");
        let facts = theirs.entry(path.to_owned()).or_default();
        if fact != "read" {
            facts.insert(fact.to_owned());
        }
    }
    assert!(theirs.len() > 300, "only {} files were read", theirs.len());
    compare(&theirs, 10_000, ours);
}

/// Returns a JDK with its sources: that of `JAVA_HOME`, or one in a usual system location.
fn jdk() -> PathBuf {
    let installed = ["/usr/lib/jvm", "/Library/Java/JavaVirtualMachines", "/opt"]
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok())
        .flat_map(|entries| entries.flatten().map(|entry| entry.path()));
    let mut all: Vec<PathBuf> = env::var_os("JAVA_HOME")
        .map(PathBuf::from)
        .into_iter()
        .chain(installed)
        .filter(|home| is_complete(home))
        .collect();
    all.sort();
    all.pop().expect("a JDK with lib/src.zip is needed to check the elements of Java; install one and set JAVA_HOME")
}

fn is_complete(home: &Path) -> bool {
    home.join("bin/java").is_file() && home.join("lib/src.zip").is_file()
}

fn ours(path: &str) -> BTreeSet<String> {
    let cancel = CancellationToken::new();
    let parsed = parse(source(path), &cancel).expect("parsed");
    let elements = extract(&parsed, &cancel).expect("elements");
    (0..elements.list.len()).filter_map(|at| fact(&elements, at)).collect()
}

fn fact(elements: &ElementList, at: usize) -> Option<String> {
    let element = &elements.list[at];
    let name = elements.qualified_name(at);
    let (kind, has_end) = match element.kind {
        ElementKind::Class
        | ElementKind::Interface
        | ElementKind::Enum
        | ElementKind::Record
        | ElementKind::Annotation => (element.kind.name(), true),
        ElementKind::Method | ElementKind::Constructor => ("method", true),
        ElementKind::Field | ElementKind::EnumMember | ElementKind::Initializer => (element.kind.name(), false),
        ElementKind::Import => {
            let ElementDetail::Import(import) = &element.detail else {
                return None;
            };
            let is_static = if import.modifiers.is_empty() { "" } else { "static " };
            return Some(format!("import\t{is_static}{}\t{}\t-", element.name, element.span.start_line));
        }
        _ => return None,
    };
    let end = if has_end { element.span.end_line.to_string() } else { "-".to_owned() };
    Some(format!("{kind}\t{name}\t{}\t{end}", element.span.start_line))
}
