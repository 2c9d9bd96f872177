//! Searches with the index compared with searches without it, while files are edited between them.
//!
//! 2,000 random edits, each followed by two or three queries; the index reads files in its own thread meanwhile, so that
//! every state between nothing and everything occurs. `FUMI_ORACLE_SEED` overrides the seed, `FUMI_INDEX_EDITS` the
//! number of edits. What a scan finds is compared with `rg` elsewhere (`oracle/rg.rs`).

use std::{
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use fumi_base::project::Project;
use fumi_code::{
    index::{CodeIndexes, IndexLimits, IndexUse},
    search::{RowDemand, ScopeOptions, SearchScope, SearchTargets, search},
    text_query::{CaseSensitivity, QuerySyntax, TextQuery, TextQueryOptions},
    walk::Traversal,
};
use proptest::{
    prelude::*,
    sample::select,
    strategy::ValueTree,
    test_runner::{Config, RngSeed, TestRunner},
};
use tokio_util::sync::CancellationToken;

use super::shown;

/// Folders, files and words are few, so that edits meet each other and queries find something.
const FOLDERS: [&str; 6] = ["", "src", "src/deep", "lib", "lib/ignored", ".hidden"];
const NAMES: [&str; 6] = ["a.rs", "b.rs", "c.txt", "d.md", "e", "日本.txt"];
const WORDS: [&str; 10] = [
    "alpha",
    "Beta",
    "gamma_ray",
    "delta()",
    "ÉCOLE",
    "Kelvin\u{212A}",
    "日本語",
    "x",
    "needle",
    "foo\nbar",
];
const RULES: [&str; 4] = ["", "ignored\n", "*.txt\n", "/src\n!a.rs\n"];

/// A project that is edited, with its index.
struct Edited {
    root: PathBuf,
    project: Arc<Project>,
    indexes: Arc<CodeIndexes>,
    runner: TestRunner,
    /// The edits so far, for the message of a failure.
    edits: Vec<String>,
}

impl Edited {
    fn draw<T: Clone + std::fmt::Debug + 'static>(&mut self, values: &[T]) -> T {
        select(values.to_vec())
            .new_tree(&mut self.runner)
            .expect("no filter")
            .current()
    }

    fn number(&mut self, most: usize) -> usize {
        (0..most).new_tree(&mut self.runner).expect("no filter").current()
    }

    fn file(&mut self) -> PathBuf {
        let (folder, name) = (self.draw(&FOLDERS), self.draw(&NAMES));
        self.root.join(folder).join(name)
    }

    fn folder(&mut self) -> PathBuf {
        let folder = self.draw(&FOLDERS[1..]);
        self.root.join(folder)
    }

    fn text(&mut self) -> Vec<u8> {
        let words: Vec<&str> = (0..self.number(5)).map(|_| self.draw(&WORDS)).collect();
        let text = words.join(" ");
        match self.number(12) {
            0 => encoding_rs::SHIFT_JIS.encode(&text).0.into_owned(),
            1 => [text.as_bytes(), b"\0tail needle"].concat(),
            2 => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            _ => text.into_bytes(),
        }
    }

    /// Edits the tree once. An edit that is impossible now does nothing.
    fn edit(&mut self) {
        let (file, other, folder) = (self.file(), self.file(), self.folder());
        let text = self.text();
        let kind = self.number(17);
        let done = match kind {
            0..=3 => fs::write(&file, &text).is_ok(),
            4 => fs::read(&file).is_ok_and(|old| fs::write(&file, [old, text.clone()].concat()).is_ok()),
            5 => rewritten(&file),
            6 => fs::remove_file(&file).is_ok(),
            7 => fs::rename(&file, &other).is_ok(),
            8 => fs::create_dir_all(&folder).is_ok(),
            9 => {
                fs::rename(&folder, self.root.join("moved")).is_ok()
                    || fs::rename(self.root.join("moved"), &folder).is_ok()
            }
            10 => fs::remove_dir_all(&folder).is_ok(),
            11 => {
                let rules = self.draw(&RULES);
                fs::write(self.root.join(".gitignore"), rules).is_ok()
            }
            12 => fs::remove_file(&file).is_ok() && symlink(&other, &file).is_ok(),
            13 => fs::remove_dir_all(&folder).is_ok() && fs::write(&folder, &text).is_ok(),
            14 => self.number(8) == 0 && exchanged(&self.root),
            15 => fs::hard_link(&file, &other).is_ok(),
            _ => {
                // A call with `project_root` opens the folder anew.
                self.project = Project::open(&self.root).expect("a project");
                false
            }
        };
        if done {
            self.edits.push(format!(
                "{kind} {} {} {} {text:?}",
                file.display(),
                other.display(),
                folder.display()
            ));
        }
    }

    fn query(&mut self) -> TextQueryOptions {
        let word = self.draw(&WORDS);
        let other = self.draw(&WORDS);
        let (text, syntax) = match self.number(6) {
            0 => (
                format!("{}|{}", regex_syntax::escape(word), regex_syntax::escape(other)),
                QuerySyntax::Regex,
            ),
            1 => (
                format!("{}.*{}", regex_syntax::escape(word), regex_syntax::escape(other)),
                QuerySyntax::Regex,
            ),
            2 => (word.to_uppercase(), QuerySyntax::Literal),
            _ => (word.to_owned(), QuerySyntax::Literal),
        };
        TextQueryOptions {
            multiline: text.contains('\n'),
            syntax,
            case: self.draw(&[
                CaseSensitivity::Smart,
                CaseSensitivity::Insensitive,
                CaseSensitivity::Sensitive,
            ]),
            ..TextQueryOptions::new(text)
        }
    }

    /// Searches with and without the index. Returns the use of the index and the number of files that were not opened.
    fn compare(&mut self) -> (IndexUse, u64) {
        let options = self.query();
        let Ok(query) = TextQuery::new(&options) else {
            return (IndexUse::None, 0);
        };
        let scope_options = ScopeOptions {
            include_globs: self.draw(&[vec![], vec![], vec!["*.rs".to_owned()]]),
            traversal: Traversal {
                hidden: self.number(4) == 0,
                no_ignore: self.number(4) == 0,
                follow_symlinks: self.number(6) == 0,
            },
            ..ScopeOptions::default()
        };
        // As the pipeline does before each call.
        let _ = self.project.ensure_open();
        let scope = || SearchScope::new(&self.project, &scope_options, 100 << 20).expect("valid");
        let run = |scope: SearchScope| {
            let targets = SearchTargets::default();
            let demand = RowDemand::Rows { keep: 1_000 };
            search(&query, &targets, &scope, demand, &CancellationToken::new()).expect("not cancelled")
        };
        let indexed = run(scope().with_index(&self.indexes));
        let scanned = run(scope());
        assert!(
            shown(&indexed) == shown(&scanned),
            "{options:?} {scope_options:?}\nindexed {}\nscanned {}\nlast edits:\n{}",
            shown(&indexed),
            shown(&scanned),
            self.edits[self.edits.len().saturating_sub(12)..].join("\n")
        );
        (indexed.index_use, indexed.unopened_files)
    }

    /// Waits until the index has read what searches wanted.
    fn wait_for_index(&self) {
        let index = self.indexes.of(&self.project).expect("it is on");
        let end = Instant::now() + Duration::from_mins(1);
        while index.size().wanted > 0 {
            assert!(Instant::now() < end, "the index does not end: {:?}", index.size());
            std::thread::yield_now();
        }
    }
}

/// Exchanges the project with the folder `other` beside it.
fn exchanged(root: &Path) -> bool {
    let (other, between) = (root.with_file_name("other"), root.with_file_name("between"));
    fs::rename(root, &between).is_ok() && fs::rename(&other, root).is_ok() && fs::rename(&between, &other).is_ok()
}

/// Replaces the text of a file by another one of the same length, and restores its time of modification.
fn rewritten(file: &Path) -> bool {
    let Ok((old, metadata)) = fs::read(file).and_then(|old| Ok((old, fs::metadata(file)?))) else {
        return false;
    };
    let new: Vec<u8> = old.iter().rev().copied().collect();
    let restored = || {
        let time = metadata.modified()?;
        fs::OpenOptions::new().write(true).open(file)?.set_modified(time)
    };
    fs::write(file, new).is_ok() && restored().is_ok()
}

#[test]
fn searches_between_edits_find_what_a_scan_finds() {
    let number = |name: &str, default| {
        env::var(name)
            .ok()
            .and_then(|value| value.parse().ok())
            .unwrap_or(default)
    };
    let (seed, edits) = (number("FUMI_ORACLE_SEED", 22), number("FUMI_INDEX_EDITS", 2_000));
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("there").join("project");
    let limits = IndexLimits {
        file_bytes: 100 << 20,
        files: 10_000,
        memory: 64 << 20,
    };
    for root in [root.clone(), root.with_file_name("other")] {
        fs::create_dir_all(root.join(".git")).expect("a folder");
        fs::write(root.join("a.rs"), root.as_os_str().as_encoded_bytes()).expect("a file");
    }
    let mut edited = Edited {
        project: Project::open(&root).expect("a project"),
        indexes: CodeIndexes::new(Arc::default(), Some(limits)),
        root,
        runner: TestRunner::new(Config {
            rng_seed: RngSeed::Fixed(seed),
            ..Config::default()
        }),
        edits: Vec::new(),
    };
    let (mut whole, mut part, mut unopened, mut queries) = (0, 0, 0, 0);
    for _ in 0..edits {
        edited.edit();
        if edited.number(3) == 0 {
            edited.wait_for_index();
        }
        for _ in 0..2 + edited.number(2) {
            let (used, skipped) = edited.compare();
            queries += 1;
            unopened += skipped;
            match used {
                IndexUse::Whole => whole += 1,
                IndexUse::Part => part += 1,
                IndexUse::None => {}
            }
        }
    }
    // Otherwise the index was not used, and nothing was compared.
    assert!(
        whole * 10 > queries && part * 50 > queries && unopened > queries,
        "{queries} queries: {whole} whole, {part} in part, {unopened} files not opened"
    );
}
