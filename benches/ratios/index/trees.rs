//! The trees that the index is measured on: real sources, cut to an exact number of files.
//!
//! A tree is built once, with csearch's index of it, and used by later runs. If there are too few sources, they are copied
//! again; the copies end with a comment of their own, so that no two texts are equal.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::peers::{Peers, registry};

/// The packages that even the smallest tree contains, since its questions are about them.
const FIRST: [&str; 3] = ["serde_json-", "rustix-", "tokio-1"];

/// One tree.
pub(crate) struct IndexTree {
    pub(crate) root: PathBuf,
    pub(crate) files: usize,
    /// The size of all files.
    pub(crate) bytes: u64,
    /// csearch's index.
    pub(crate) csearch_index: PathBuf,
}

impl IndexTree {
    /// Builds a tree, unless an earlier run did.
    pub(crate) fn prepare(files: usize) -> Self {
        let folder = cache().unwrap_or_else(env::temp_dir).join("index-trees");
        let root = folder.join(files.to_string());
        let csearch_index = folder.join(format!("{files}.csearch"));
        // Written last.
        let complete = folder.join(format!("{files}.complete"));
        if !complete.exists() {
            eprintln!("building a tree of {files} files in {}", root.display());
            if root.exists() {
                fs::remove_dir_all(&root).expect("removed");
            }
            fill(&root, files);
            let mut cindex = Command::new("cindex");
            Peers::output(cindex.arg("-reset").arg(&root).env("CSEARCHINDEX", &csearch_index));
            fs::write(complete, "").expect("written");
        }
        let found = files_below(&root);
        assert_eq!(found.len(), files, "{} was changed; remove it", root.display());
        let bytes = found.iter().map(|file| file.metadata().expect("it is there").len());
        Self {
            bytes: bytes.sum(),
            root,
            files,
            csearch_index,
        }
    }
}

/// Returns the folder of `./bench` for what is built once.
fn cache() -> Option<PathBuf> {
    env::var_os("FUMI_CACHE").map(PathBuf::from)
}

fn fill(root: &Path, wanted: usize) {
    let sources = sources();
    let mut numbers = 0..wanted;
    for copy in 0.. {
        let top = root.join(format!("copy{copy}"));
        for (folder, file) in &sources {
            let Some(number) = numbers.next() else { return };
            let to = top.join(file.strip_prefix(folder).expect("it is below"));
            fs::create_dir_all(to.parent().expect("a file has a folder")).expect("a folder");
            let mut bytes = fs::read(file).expect("readable");
            if let Some(mark) = comment(file).filter(|_| copy > 0 && str::from_utf8(&bytes).is_ok()) {
                bytes.extend_from_slice(format!("\n{mark} copy {copy}, file {number}\n").as_bytes());
            }
            fs::write(to, bytes).expect("written");
        }
    }
}

/// Returns what begins a comment in a file. `None` if the file must stay as it is.
fn comment(file: &Path) -> Option<&'static str> {
    match file.extension()?.to_str()? {
        "rs" | "c" | "h" | "cc" | "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "tsx" | "go" => Some("//"),
        "toml" | "py" | "sh" | "yml" | "yaml" => Some("#"),
        "md" | "txt" => Some(""),
        _ => None,
    }
}

/// Returns the sources of Cargo's registry, then those of npm packages and in Go if they are there, each with the folder
/// that contains its package.
fn sources() -> Vec<(PathBuf, PathBuf)> {
    let more = cache().map(|cache| [cache.join("npm"), cache.join("sources/go")]);
    let folders = [registry()].into_iter().chain(more.into_iter().flatten());
    let files = folders.flat_map(|folder| {
        let mut files = files_below(&folder);
        files.sort_by_cached_key(|file| {
            let name = file.strip_prefix(&folder).expect("it is below").to_path_buf();
            let is_of = |first: &&str| name.to_string_lossy().starts_with(first);
            (FIRST.iter().position(is_of).unwrap_or(FIRST.len()), name)
        });
        files.into_iter().map(move |file| (folder.clone(), file))
    });
    files.collect()
}

/// Returns all files below a folder, without links. There are none if it does not exist.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)
            .into_iter()
            .flatten()
            .map(|entry| entry.expect("readable"))
        {
            let kind = entry.file_type().expect("a type");
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            }
        }
    }
    files
}
