//! universal-ctags over real sources of languages that have no reader of their own here: the same definitions, of the same
//! kind, on a line of the element. The sources are those that `./test` fetched; none are part of the repository.
//!
//! A check of sanity, not of every fact: ctags knows neither ends nor visibility, and what it misreads stands in the table.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    ffi::OsStr,
    fmt::Write as _,
    fs,
    io::Write as _,
    path::PathBuf,
    process::{Command, Stdio},
};

use fumi_code::{
    elements::{Element, Elements, Kind},
    extract::extract,
    parse::parse,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::source;

/// A language as ctags and fumi name its definitions.
struct Check {
    /// As ctags calls it.
    language: &'static str,
    /// The folder of `$FUMI_CACHE/sources` that `./test` filled.
    sources: &'static str,
    extensions: &'static [&'static str],
    /// A kind of ctags, and the kinds of ours that it can be. A kind that is not named is not compared.
    kinds: &'static [(&'static str, &'static [Kind])],
    /// Whether a tag's line is the first of its element, and not only one of its lines.
    is_first_line: bool,
    /// Whether ctags can read a file at all.
    is_readable: fn(&Elements, &str) -> bool,
    /// What only one of the two has, with a reason.
    is_expected: fn(&Difference<'_>) -> bool,
    /// How many files are read: an even sample of all.
    files: usize,
}

/// What one has and the other has not; the text is that of the file.
enum Difference<'d> {
    Theirs(&'d Tag, &'d str),
    Ours(&'d Elements, usize),
}

struct Tag {
    kind: String,
    name: String,
    line: usize,
}

const GO: Check = Check {
    language: "Go",
    sources: "go",
    extensions: &["go"],
    kinds: &[
        ("package", &[Kind::Package]),
        ("func", &[Kind::Function, Kind::Method]),
        ("methodSpec", &[Kind::Method]),
        ("struct", &[Kind::Struct]),
        ("interface", &[Kind::Interface]),
        ("type", &[Kind::Type]),
        ("talias", &[Kind::Type]),
        ("const", &[Kind::Constant]),
        ("var", &[Kind::Variable, Kind::Function]),
        ("member", &[Kind::Field]),
        ("anonMember", &[Kind::Field]),
    ],
    is_first_line: true,
    is_readable: |elements, text| {
        // Before version 6 ctags knows no type parameters and loses its way behind them, where they are given too.
        let is_generic = |element: &Element| element.code().is_some_and(|code| code.type_params.is_some());
        !elements.list.iter().any(is_generic) && !text.contains("](")
    },
    is_expected: go_differs,
    files: 600,
};

fn go_differs(difference: &Difference<'_>) -> bool {
    match difference {
        // A blank defines nothing, and a value that goes on in the next line no constants.
        Difference::Theirs(tag, text) => {
            let before = text.lines().nth(tag.line.saturating_sub(2)).unwrap_or_default();
            tag.kind == "const" && (tag.name == "_" || before.trim_end().ends_with(['|', '+', '&', '-', '*', '=']))
        }
        // ctags reads neither the bodies of functions nor structs without a name.
        Difference::Ours(elements, at) => {
            let mut around = elements.list[*at].parent.map(|parent| &elements.list[parent]);
            while let Some(element) = around {
                if element.kind.is_callable() || element.kind == Kind::Field {
                    return true;
                }
                around = element.parent.map(|parent| &elements.list[parent]);
            }
            false
        }
    }
}

#[test]
fn definitions_of_go_are_those_of_ctags() {
    check(&GO);
}

fn check(check: &Check) {
    let files = files(check);
    let theirs = tags(check, &files);
    let (mut differences, mut compared) = (String::new(), 0);
    for file in &files {
        let tags = theirs.get(file).map_or(&[][..], Vec::as_slice);
        compared += compare(check, file, tags, &mut differences);
    }
    assert!(differences.is_empty(), "{differences}");
    assert!(compared > 10_000, "only {compared} definitions were compared");
}

/// How many tags there were. Each takes the smallest element of its kind and name around its line. What is left on either side differs.
fn compare(check: &Check, file: &str, tags: &[Tag], differences: &mut String) -> usize {
    let cancel = CancellationToken::new();
    let parsed = parse(source(file), &cancel).expect("parsed");
    let elements = extract(&parsed, &cancel).expect("elements");
    if !(check.is_readable)(&elements, &parsed.source.text) {
        return 0;
    }
    let kinds: BTreeSet<Kind> = check
        .kinds
        .iter()
        .flat_map(|(_, kinds)| kinds.iter().copied())
        .collect();
    let mut open: Vec<usize> = (0..elements.list.len())
        .filter(|at| kinds.contains(&elements.list[*at].kind))
        .collect();
    for tag in tags {
        let Some((_, wanted)) = check.kinds.iter().find(|(kind, _)| *kind == tag.kind) else {
            continue;
        };
        // `a, b` of one declaration: the second name can stand in a later line.
        let is_shared = |element: &Element| {
            let is_other = |other: &&Element| other.span == element.span;
            elements.list.iter().filter(is_other).nth(1).is_some()
        };
        let fits = |element: &Element| {
            wanted.contains(&element.kind)
                && last(&element.name) == tag.name
                && (element.span.start_line..=element.span.end_line).contains(&tag.line)
                && (!check.is_first_line || element.span.start_line == tag.line || is_shared(element))
        };
        let found = (0..open.len())
            .filter(|place| fits(&elements.list[open[*place]]))
            .min_by_key(|place| elements.list[open[*place]].span.lines());
        match found {
            Some(place) => {
                open.remove(place);
            }
            None if (check.is_expected)(&Difference::Theirs(tag, &parsed.source.text)) => {}
            None => {
                // Writing to a String cannot fail.
                let _ = writeln!(
                    differences,
                    "{file}:{}: ctags alone has {} {}",
                    tag.line, tag.kind, tag.name
                );
            }
        }
    }
    for at in open {
        if !(check.is_expected)(&Difference::Ours(&elements, at)) {
            let element = &elements.list[at];
            let (line, kind) = (element.span.start_line, element.kind.name());
            let _ = writeln!(
                differences,
                "{file}:{line}: fumi alone has {kind} {}",
                elements.qualified_name(at)
            );
        }
    }
    tags.len()
}

/// A method whose type stands in another file has its name before its own.
fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn files(check: &Check) -> Vec<String> {
    let cache = env::var_os("FUMI_CACHE").map(PathBuf::from).or_else(|| {
        let caches = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        Some(caches.or_else(|| Some(env::home_dir()?.join(".cache")))?.join("fumi"))
    });
    let root = cache.expect("a folder for caches").join("sources").join(check.sources);
    let mut found = BTreeSet::new();
    let mut open = vec![root.clone()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
            if path.is_dir() {
                open.push(path);
            } else if check.extensions.contains(&extension) {
                found.insert(path.display().to_string());
            }
        }
    }
    assert!(
        found.len() >= 100,
        "only {} sources of {} in {}; ./test fetches them",
        found.len(),
        check.language,
        root.display()
    );
    let step = found.len().div_ceil(check.files).max(1);
    found.into_iter().step_by(step).collect()
}

fn tags(check: &Check, files: &[String]) -> BTreeMap<String, Vec<Tag>> {
    let mut child = Command::new("ctags")
        .args([
            "--options=NONE",
            "--output-format=json",
            "--fields=+n",
            "--kinds-all=*",
            "-L",
            "-",
            "-f",
            "-",
        ])
        .arg(format!("--languages={}", check.language))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("universal-ctags is needed to check elements; install it");
    let mut stdin = child.stdin.take().expect("a pipe");
    let list = files.join("\n");
    let writer = std::thread::spawn(move || stdin.write_all(list.as_bytes()));
    let output = child.wait_with_output().expect("ctags ends");
    writer.join().expect("a thread").expect("ctags reads");
    assert!(
        output.status.success(),
        "ctags failed: is it universal-ctags, with JSON?"
    );
    let mut tags: BTreeMap<String, Vec<Tag>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let tag: Value = serde_json::from_str(line).expect("a line of JSON");
        let text = |key: &str| tag[key].as_str().map(str::to_owned);
        let line = tag["line"].as_u64().and_then(|line| usize::try_from(line).ok());
        let (Some(path), Some(name), Some(kind), Some(line)) = (text("path"), text("name"), text("kind"), line) else {
            continue;
        };
        tags.entry(path).or_default().push(Tag { kind, name, line });
    }
    tags
}
