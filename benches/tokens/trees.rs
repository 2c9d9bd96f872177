//! The source trees that are searched: none of them is fumi's, and all exist once `./test` has run.
//!
//! Each is copied, so that no `.gitignore` above it, no cache and no compiled file changes the results of a search, and
//! hashed, so that a reader can see whether another report is about the same trees.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// The crates among fumi's dependencies that make up the tree `crates`.
const CRATES: [&str; 7] = [
    "axum",
    "clap_builder",
    "hyper",
    "regex-automata",
    "serde_json",
    "tiktoken-rs",
    "tokio",
];

/// Folders without sources, or that not every machine has (Debian's Python comes without its own tests).
const NO_SOURCES: [&str; 6] = [
    "__pycache__",
    "site-packages",
    "dist-packages",
    "lib-dynload",
    "test",
    "tests",
];

/// One tree.
pub(crate) struct Tree {
    /// Its description, with its version.
    pub(crate) what: String,
    pub(crate) folder: PathBuf,
    pub(crate) files: usize,
    /// A hash over the paths and contents of all its files.
    pub(crate) hash: String,
}

/// Copies all trees into a folder.
pub(crate) fn copy(into: &Path) -> BTreeMap<&'static str, Tree> {
    let python = said(
        "python3",
        &["-c", "import sysconfig; print(sysconfig.get_paths()['stdlib'])"],
    );
    let python_version = said("python3", &["--version"]);
    let npm = PathBuf::from(said("npm", &["root", "-g"])).join("npm");
    let npm_version = json(&fs::read(npm.join("package.json")).expect("npm comes with its sources"));
    let npm_version = npm_version["version"].as_str().expect("a version").to_owned();
    let crates = crates();
    let crate_names: Vec<String> = crates
        .iter()
        .map(|(name, version, _)| format!("{name} {version}"))
        .collect();
    let sources = [
        (
            "python",
            format!("{python_version}, its standard library without its tests"),
            vec![(String::new(), PathBuf::from(python))],
        ),
        (
            "npm",
            format!("npm {npm_version} with its own modules"),
            vec![(String::new(), npm)],
        ),
        (
            "crates",
            format!("the crates {}", crate_names.join(", ")),
            crates.into_iter().map(|(name, _, folder)| (name, folder)).collect(),
        ),
    ];
    sources
        .into_iter()
        .map(|(name, what, parts)| {
            let folder = into.join(name);
            for (part, source) in parts {
                copy_tree(&source, &folder.join(part));
            }
            let mut found = Vec::new();
            list(&folder, &mut found);
            found.sort();
            let mut all = Vec::new();
            for file in &found {
                let path = file.strip_prefix(&folder).expect("below it");
                all.extend(path.as_os_str().as_encoded_bytes());
                all.push(0);
                all.extend(fs::read(file).expect("readable"));
                all.push(0);
            }
            let hash = fumi_base::files::sha256(&all);
            let files = found.len();
            (
                name,
                Tree {
                    what,
                    folder,
                    files,
                    hash,
                },
            )
        })
        .collect()
}

/// Returns name, version and folder of each crate, by fumi's own lock file.
fn crates() -> Vec<(String, String, PathBuf)> {
    let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let metadata = json(said(&cargo, &["metadata", "--format-version", "1", "--offline", "--locked"]).as_bytes());
    CRATES
        .iter()
        .map(|name| {
            let package = metadata["packages"]
                .as_array()
                .into_iter()
                .flatten()
                .find(|package| package["name"] == *name)
                .unwrap_or_else(|| panic!("{name} is a dependency of fumi's"));
            let text = |key: &str| package[key].as_str().expect("text").to_owned();
            let manifest = PathBuf::from(text("manifest_path"));
            let folder = manifest.parent().expect("a folder").to_path_buf();
            ((*name).to_owned(), text("version"), folder)
        })
        .collect()
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("JSON")
}

/// Returns the output of a program.
pub(crate) fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap_or_else(|error| panic!("{program} is needed: {error}"));
    assert!(output.status.success(), "{program} {arguments:?} failed");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display())) {
        let entry = entry.expect("readable");
        let (kind, target) = (entry.file_type().expect("a type"), to.join(entry.file_name()));
        let name = entry.file_name().to_string_lossy().into_owned();
        if kind.is_dir() && !NO_SOURCES.contains(&name.as_str()) && !name.starts_with("config-") {
            copy_tree(&entry.path(), &target);
        } else if kind.is_file() && fs::read(entry.path()).is_ok_and(|bytes| std::str::from_utf8(&bytes).is_ok()) {
            fs::copy(entry.path(), target).expect("copied");
        }
    }
}

fn list(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            list(&path, found);
        } else {
            found.push(path);
        }
    }
}
