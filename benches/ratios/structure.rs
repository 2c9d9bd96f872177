//! The structure of large real files beside the bare tree-sitter parse of the same text.

use std::{
    cell::Cell,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use fumi_base::{
    encoding::{self, EncodingChoice},
    files,
    project::Project,
};
use fumi_code::{
    extract::extract,
    parse::{SourceFile, parse},
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tree_sitter::{Language, Parser};

use crate::{
    Bench,
    client::Server,
    kernel::Kernel,
    measure::{Cpu, Peer, WARM_UP, rounds},
    report::{Bar, Report},
    searching::SCAN,
};

/// Lines of the measured files.
const LINES: usize = 10_000;

pub(crate) fn run(bench: &Bench, report: &mut Report) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let mut measured = Vec::new();
    for (name, language, text) in [
        ("large.py", Language::from(tree_sitter_python::LANGUAGE), python(LINES)),
        (
            "large.js",
            Language::from(tree_sitter_javascript::LANGUAGE),
            javascript(LINES),
        ),
        ("Large.java", Language::from(tree_sitter_java::LANGUAGE), java(LINES)),
    ] {
        match text {
            Some(text) => {
                fs::write(root.join(name), &text).expect("written");
                measured.push((name, language, text));
            }
            None => report.note(format!(
                "{name}: no real sources of that language on this machine; not measured."
            )),
        }
    }
    let server = Server::start(&[root], &SCAN);
    let kernel = Kernel::new(&[root], false);
    let project = Project::open(root).expect("a project");
    let cancel = CancellationToken::new();
    for (name, language, text) in &measured {
        let mut client = server.client();
        let files = NewFiles::write(root, name, text, bench.rounds);
        let path = project.resolve(name).expect("it was written");
        let mut parser = Parser::new();
        parser.set_language(language).expect("the grammar fits");
        let taken = rounds(
            vec![
                Peer::new("bare parse", Cpu::Own, || {
                    let tree = parser.parse(text, None).expect("parsed");
                    u64::from(tree.root_node().child_count() > 0)
                }),
                Peer::new("read, parse and extract", Cpu::Own, || {
                    let bytes = files::read(&path, 100_000_000).expect("readable");
                    let decoded = encoding::decode(&bytes, EncodingChoice::Auto);
                    let source = SourceFile::new(*name, decoded, bytes.len() as u64, None).expect("a language");
                    let parsed = parse(source, &cancel).expect("parsed");
                    let elements = extract(&parsed, &cancel).expect("extracted");
                    u64::from(!elements.list.is_empty())
                }),
                Peer::new("fumi's pipeline", Cpu::Own, || {
                    u64::from(kernel.call("analyze_code_structure", &files.next()).is_object())
                }),
                Peer::new("fumi over HTTP", Cpu::Of(server.id()), || {
                    u64::from(client.call("analyze_code_structure", &files.next()).is_object())
                }),
            ],
            bench.rounds,
        );
        let what = format!(
            "analyze_code_structure, new file, {name}, {} lines",
            text.lines().count()
        );
        report.compare(&what, &taken, 1, Bar::Ratio(1.5));
    }
    repeats(bench, report, root);
}

/// Files that differ in a comment at their end, so that each call parses: the answers of parsers are kept by the text.
struct NewFiles<'a> {
    name: &'a str,
    next: Cell<usize>,
}

impl<'a> NewFiles<'a> {
    /// Writes one file for each call of the two peers that ask for them.
    fn write(root: &Path, name: &'a str, text: &str, rounds: usize) -> Self {
        let comment = if name == "large.py" { "#" } else { "//" };
        for n in 0..2 * (rounds + WARM_UP) {
            fs::write(root.join(format!("{n}_{name}")), format!("{text}\n{comment} {n}\n")).expect("written");
        }
        Self {
            name,
            next: Cell::new(0),
        }
    }

    /// Returns the arguments of a call about the next file.
    fn next(&self) -> Value {
        let n = self.next.get();
        self.next.set(n + 1);
        json!({"file_path": format!("{n}_{}", self.name), "format_type": "compact"})
    }
}

/// Measures an unchanged file again.
fn repeats(bench: &Bench, report: &mut Report, root: &Path) {
    let server = Server::start(&[root], &[]);
    let kernel = Kernel::new(&[root], true);
    let mut client = server.client();
    let arguments = json!({"file_path": "large.py", "format_type": "compact"});
    let request = client.request("analyze_code_structure", &arguments);
    let taken = rounds(
        vec![
            Peer::new("fumi's pipeline", Cpu::Own, || {
                u64::from(kernel.call("analyze_code_structure", &arguments).is_object())
            }),
            Peer::new("fumi over HTTP", Cpu::Of(server.id()), || {
                client.send(&request).len() as u64
            }),
        ],
        bench.rounds * 10,
    );
    for taken in &taken {
        let what = format!("analyze_code_structure again, large.py ({})", taken.name);
        report.duration(&what, taken, Bar::Milliseconds(1.0));
    }
}

/// Returns real Python: modules of the standard library, one after the other.
pub(crate) fn python(lines: usize) -> Option<String> {
    let told = Command::new("python3")
        .args(["-c", "import sysconfig; print(sysconfig.get_path('stdlib'))"])
        .output()
        .ok()?;
    joined(Path::new(String::from_utf8_lossy(&told.stdout).trim()), "py", lines)
}

/// Returns real JavaScript: npm's own.
fn javascript(lines: usize) -> Option<String> {
    let told = Command::new("npm").args(["root", "--global"]).output().ok()?;
    joined(
        &Path::new(String::from_utf8_lossy(&told.stdout).trim()).join("npm/lib"),
        "js",
        lines,
    )
}

/// Returns real Java: the JDK's, from the archive that comes with it.
fn java(lines: usize) -> Option<String> {
    let archive = env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join("java"))
        .find_map(|java| java.canonicalize().ok())
        .and_then(|java| java.ancestors().nth(2).map(|home| home.join("lib/src.zip")))
        .and_then(|archive| archive.canonicalize().ok())?;
    let out = tempfile::tempdir().ok()?;
    let program = "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\n\
                   names = [n for n in z.namelist() if n.startswith('java.base/java/util/')]\n\
                   z.extractall(sys.argv[2], names)";
    Command::new("python3")
        .args(["-c", program])
        .arg(archive)
        .arg(out.path())
        .status()
        .ok()
        .filter(std::process::ExitStatus::success)?;
    joined(out.path(), "java", lines)
}

/// Returns files of a folder by path, joined until there are enough lines; the folder again if it is too small.
fn joined(folder: &Path, extension: &str, lines: usize) -> Option<String> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).ok()?.filter_map(Result::ok) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut text = String::new();
    let mut have = 0;
    while have < lines {
        let before = have;
        for file in &files {
            // Tests of parsers contain deliberately broken or foreign text, which is not typical source.
            if file
                .components()
                .any(|part| part.as_os_str() == "test" || part.as_os_str() == "lib2to3")
            {
                continue;
            }
            let Ok(source) = fs::read_to_string(file) else { continue };
            text.push_str(&source);
            text.push('\n');
            have += source.lines().count() + 1;
            if have >= lines {
                break;
            }
        }
        if have == before {
            return None;
        }
    }
    Some(text)
}
