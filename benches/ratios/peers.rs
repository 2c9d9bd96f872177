//! The programs that fumi is compared with, and the tree that all of them search.

use std::{
    env,
    ffi::OsStr,
    fs,
    io::Read as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

/// The minimum number of files: fewer do not show how a search behaves on a real project.
const FEWEST_FILES: usize = 10_000;

/// ripgrep and fd.
pub(crate) struct Peers {
    pub(crate) rg: PathBuf,
    pub(crate) fd: PathBuf,
    pub(crate) versions: String,
}

/// A real tree.
pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    pub(crate) files: usize,
    pub(crate) what: &'static str,
    /// Keeps the folder of a generated tree.
    _copy: Option<tempfile::TempDir>,
}

impl Peers {
    /// Finds the programs that `./test` installs, or says how to get them.
    pub(crate) fn find() -> Self {
        let tools = env::var_os("FUMI_TOOLS").map_or_else(
            || env::home_dir().expect("a home folder").join(".cache/fumi/tools/bin"),
            PathBuf::from,
        );
        let version = |name: &str, wanted: &str| {
            let path = tools.join(name);
            let output = Command::new(&path).arg("--version").output();
            let said = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
            let first = said
                .as_deref()
                .ok()
                .and_then(|said| said.lines().next())
                .unwrap_or_default();
            assert!(
                first.contains(wanted),
                "\n{} should be {name} {wanted}, but prints {first:?}.\nInstall it by running ./test fast once, or with:\n  \
                 cargo install --locked --root {} ripgrep@15.2.0 fd-find@10.5.0\n",
                path.display(),
                tools.parent().unwrap_or(&tools).display(),
            );
            (path, first.to_owned())
        };
        let (rg, rg_version) = version("rg", "15.");
        let (fd, fd_version) = version("fd", "10.");
        Self {
            rg,
            fd,
            versions: format!("{rg_version}, {fd_version}"),
        }
    }

    /// Runs a program in a folder and returns its output.
    pub(crate) fn run(
        program: &Path,
        folder: &Path,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Vec<u8> {
        Self::output(Command::new(program).args(arguments).current_dir(folder))
    }

    /// Runs a command and returns its output.
    pub(crate) fn output(command: &mut Command) -> Vec<u8> {
        let mut child = command
            .env_remove("RIPGREP_CONFIG_PATH")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it was found before");
        let mut printed = Vec::new();
        let mut output = child.stdout.take().expect("it is piped");
        output.read_to_end(&mut printed).expect("readable");
        child.wait().expect("it ends");
        printed
    }

    /// The sources of fumi's dependencies, copied several times if they are too few.
    pub(crate) fn tree(&self) -> Tree {
        let registry = registry();
        let files = self.count(&registry);
        if files >= FEWEST_FILES {
            return Tree {
                root: registry,
                files,
                what: "the sources of all crates in Cargo's registry",
                _copy: None,
            };
        }
        let copy = tempfile::tempdir().expect("a folder");
        for part in 0..FEWEST_FILES.div_ceil(files.max(1)) {
            copy_tree(&registry, &copy.path().join(part.to_string()));
        }
        Tree {
            files: self.count(copy.path()),
            root: copy.path().to_path_buf(),
            what: "copies of the sources of fumi's crates",
            _copy: Some(copy),
        }
    }

    fn count(&self, root: &Path) -> usize {
        let printed = Self::run(&self.fd, root, ["--unrestricted", "--type", "f"]);
        lines(&printed)
    }
}

/// Returns the number of lines of an output.
pub(crate) fn lines(printed: &[u8]) -> usize {
    printed.split(|byte| *byte == b'\n').count() - 1
}

/// Returns the sum of the numbers that are alone in their lines.
pub(crate) fn sum(printed: &[u8]) -> u64 {
    String::from_utf8_lossy(printed)
        .lines()
        .filter_map(|line| line.parse::<u64>().ok())
        .sum()
}

/// Returns the folder in which Cargo stores the sources of crates.
pub(crate) fn registry() -> PathBuf {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--offline", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let manifest = packages
        .iter()
        .find(|package| {
            package["source"]
                .as_str()
                .is_some_and(|source| source.starts_with("registry+"))
        })
        .and_then(|package| package["manifest_path"].as_str())
        .expect("fumi has dependencies");
    // registry/src/INDEX/CRATE/Cargo.toml
    let index = Path::new(manifest)
        .ancestors()
        .nth(2)
        .expect("a crate is in a folder of its registry");
    index.to_path_buf()
}

pub(crate) fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("readable") {
        let entry = entry.expect("readable");
        let (kind, target) = (entry.file_type().expect("a type"), to.join(entry.file_name()));
        if kind.is_dir() {
            copy_tree(&entry.path(), &target);
        } else if kind.is_file() {
            fs::copy(entry.path(), target).expect("copied");
        }
    }
}
