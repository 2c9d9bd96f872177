//! Comparison with the TypeScript compiler's own parser over whole published packages: TypeScript, TSX, declaration
//! files and JavaScript. The same definitions, members, imports and exports, with the same names, lines and modifiers.
//!
//! The packages and the compiler are pinned in `./test`, which installs them into its cache. Types are not checked.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use fumi_code::{
    elements::{DefinitionFacts, ElementDetail, ElementKind, ElementList, ImportFacts},
    extract::extract,
    parse::parse,
};
use tokio_util::sync::CancellationToken;

use super::{Known, compare_but, source};

/// Folders below the installed packages, each with n for a sample of every nth file: all files if the code is varied,
/// fewer if many files are of one kind.
const TYPESCRIPT: [(&str, usize); 7] = [
    ("rxjs/src", 1),
    ("zod/src", 1),
    ("@reduxjs/toolkit/src", 1),
    ("@tanstack/query-core/src", 1),
    ("mobx/src", 1),
    ("@trpc/server/src", 1),
    ("immer/src", 1),
];
const DECLARATIONS: [(&str, usize); 4] =
    [("typescript/lib", 1), ("@types/node", 1), ("@types/three", 5), ("@angular/core", 1)];
const TSX: [(&str, usize); 3] =
    [("react-aria-components/src", 1), ("@tanstack/react-router/src", 1), ("@tanstack/react-query/src", 1)];
const JAVASCRIPT: [(&str, usize); 9] = [
    ("npm/lib", 1),
    ("npm/node_modules", 5),
    ("lodash-es", 8),
    ("react/cjs", 1),
    ("react-dom/cjs", 5),
    ("three/src", 2),
    ("three/examples/jsm/controls", 1),
    ("three/examples/jsm/loaders", 2),
    ("preact/src", 1),
];

/// The places that the grammar cannot read; replies list them as `parse_errors`. See docs/deliberate-differences.md.
const NO_SEMICOLON: &str = "a line that begins with < or ( after a member of an interface without a semicolon";
const TYPESCRIPT_KNOWN: [Known; 7] = [
    ("mobx/src/api/action.ts", 40..=99, NO_SEMICOLON),
    ("mobx/src/api/computed.ts", 27..=42, NO_SEMICOLON),
    ("mobx/src/api/observable.ts", 140..=231, NO_SEMICOLON),
    ("@reduxjs/toolkit/src/createSlice.ts", 334..=419, NO_SEMICOLON),
    ("@reduxjs/toolkit/src/devtoolsExtension.ts", 211..=213, NO_SEMICOLON),
    ("@reduxjs/toolkit/src/listenerMiddleware/types.ts", 374..=975, NO_SEMICOLON),
    ("immer/src/types/types-external.ts", 187..=271, NO_SEMICOLON),
];
const DECLARATIONS_KNOWN: [Known; 2] = [
    ("@angular/core/types/core.d.ts", 4394..=4394, "a parameter of the name `using`"),
    ("@angular/core/types/core.d.ts", 4465..=4465, "a parameter of the name `using`"),
];
const JAVASCRIPT_KNOWN: [Known; 1] =
    [("npm/lib/base-cmd.js", 224..=231, "a line that begins with [ after an arrow function without a semicolon")];

#[test]
#[ignore = "needs Node.js"]
fn typescript_is_that_of_the_compiler() {
    check(&TYPESCRIPT, &["ts"], (600, 10_000), &TYPESCRIPT_KNOWN);
}

#[test]
#[ignore = "needs Node.js"]
fn declaration_files_are_those_of_the_compiler() {
    check(&DECLARATIONS, &["ts"], (250, 30_000), &DECLARATIONS_KNOWN);
}

#[test]
#[ignore = "needs Node.js"]
fn tsx_is_that_of_the_compiler() {
    check(&TSX, &["tsx", "ts"], (100, 2_500), &[]);
}

#[test]
#[ignore = "needs Node.js"]
fn javascript_is_that_of_the_compiler() {
    check(&JAVASCRIPT, &["js", "mjs", "cjs"], (600, 8_000), &JAVASCRIPT_KNOWN);
}

fn check(folders: &[(&str, usize)], extensions: &[&str], (least_files, least_facts): (usize, usize), known: &[Known]) {
    let packages = packages();
    let mut files = Vec::new();
    for (folder, step) in folders {
        let mut found = Vec::new();
        list(&packages.join(folder), extensions, &mut found);
        found.sort();
        files.extend(found.into_iter().step_by(*step));
    }
    let theirs = compiler(&packages, &files);
    assert!(theirs.len() >= least_files, "only {} files were read", theirs.len());
    compare_but(&theirs, least_facts, known, ours);
}

/// Returns the folder in which `./test` installs the packages.
fn packages() -> PathBuf {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = set("FUMI_CACHE").unwrap_or_else(|| {
        let caches = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
        caches.expect("a home folder").join("fumi")
    });
    let packages = cache.join("npm");
    assert!(
        packages.join("typescript/package.json").is_file(),
        "the TypeScript compiler and the packages to compare are missing in {}; run ./test fast, which installs them with npm",
        packages.display()
    );
    packages
}

fn list(folder: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}; run ./test fast, which installs it", folder.display()));
    for entry in entries.flatten() {
        let path = entry.path();
        // Links of packages form cycles.
        let kind = entry.file_type().expect("a kind");
        if kind.is_dir() {
            list(&path, extensions, found);
        } else if kind.is_file() && path.extension().is_some_and(|known| extensions.iter().any(|one| known == *one)) {
            found.push(path);
        }
    }
}

fn compiler(packages: &Path, files: &[PathBuf]) -> BTreeMap<String, BTreeSet<String>> {
    let mut child = Command::new("node")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/readers/typescript.mjs"))
        .arg(packages.join("typescript"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node is needed to check the elements of TypeScript and JavaScript; install Node.js 20 or newer");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let writer = std::thread::spawn(move || stdin.write_all(input.join("\n").as_bytes()));
    let output = child.wait_with_output().expect("node ends");
    writer.join().expect("a thread").expect("node reads");
    assert!(output.status.success(), "node failed");
    let mut facts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in String::from_utf8(output.stdout).expect("UTF-8").lines() {
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
    (0..elements.list.len()).filter_map(|at| fact(&elements, at)).collect()
}

fn fact(elements: &ElementList, at: usize) -> Option<String> {
    let element = &elements.list[at];
    let (name, modifiers) = match &element.detail {
        ElementDetail::Code(code) => (elements.qualified_name(at), words(element.kind, parent(elements, at), code)),
        ElementDetail::Import(import) => {
            let around = element.parent.map(|parent| elements.qualified_name(parent) + ".");
            let modifiers = import.modifiers.iter().filter(|word| {
                matches!(
                    (element.kind, word.as_str()),
                    (ElementKind::Import, "type" | "require" | "dynamic")
                        | (ElementKind::Export, "type" | "commonjs" | "assigned" | "namespace")
                )
            });
            (around.unwrap_or_default() + &related(import), modifiers.cloned().collect())
        }
        _ => return None,
    };
    let modifiers: BTreeSet<String> = modifiers;
    let modifiers: Vec<String> = modifiers.into_iter().collect();
    Some(format!(
        "{}\t{name}\t{}\t{}\t{}",
        element.kind.name(),
        element.span.start_line,
        element.span.end_line,
        modifiers.join(" ")
    ))
}

fn parent(elements: &ElementList, at: usize) -> Option<ElementKind> {
    elements.list[at].parent.map(|parent| elements.list[parent].kind)
}

/// The modifiers that both readers know.
fn words(kind: ElementKind, parent: Option<ElementKind>, code: &DefinitionFacts) -> BTreeSet<String> {
    let known = |word: &&String| {
        matches!(
            word.as_str(),
            "export"
                | "default"
                | "declare"
                | "abstract"
                | "static"
                | "override"
                | "readonly"
                | "async"
                | "get"
                | "set"
        ) || (matches!(word.as_str(), "const" | "let" | "var")
            && matches!(kind, ElementKind::Variable | ElementKind::Function | ElementKind::Class))
    };
    if kind == ElementKind::Initializer {
        return BTreeSet::new();
    }
    let mut words: BTreeSet<String> = code.modifiers.iter().filter(known).cloned().collect();
    if code.is_generator {
        words.insert("generator".to_owned());
    }
    let is_member = matches!(kind, ElementKind::Method | ElementKind::Constructor | ElementKind::Field);
    let _ = parent;
    if is_member && parent.is_some_and(ElementKind::is_class_like) {
        words.insert(code.visibility.name().to_owned());
    }
    words
}

fn related(import: &ImportFacts) -> String {
    let names: Vec<String> = import
        .names
        .iter()
        .map(|name| match &name.alias {
            Some(alias) => format!("{}>{alias}", name.name),
            None => name.name.clone(),
        })
        .collect();
    format!("{}:{}", import.module, names.join(","))
}
