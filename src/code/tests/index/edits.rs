//! Searches with the index compared with searches without it, while files are edited between them.
//!
//! 2,000 random edits, each followed by two or three queries; the index reads files in its own thread meanwhile, so that
//! every state between nothing and everything occurs. Some edits concern ignore files and repositories, since the index
//! also lists the files instead of a walk; so the number of files is compared with `rg --files` too. `FUMI_ORACLE_SEED`
//! overrides the seed, `FUMI_INDEX_EDITS` the number of edits. What a scan finds in the files is compared with `rg`
//! elsewhere (`oracle/rg.rs`).

use std::{
    env,
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt as _, fs::symlink},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

use fumi_base::project::{Project, ProjectPath};
use fumi_code::{
    index::{CodeIndexes, IndexLimits, IndexUse},
    parser_pool::ParserPool,
    place_filter::{PlaceFilter, PlaceGlob},
    ranked::{RankedQuery, rank},
    search::{RowDemand, ScopeOptions, SearchMatches, SearchScope, SearchTargets, search},
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

use super::{shown, shown_ranking};
use crate::oracle::programs;

/// Folders, files and words are few, so that edits meet each other and queries find something.
const FOLDERS: [&str; 9] =
    ["", "src", "src/deep", "src/deep/er", "lib", "lib/ignored", "lib/.hidden", ".hidden", "target"];
const NAMES: [&str; 10] = ["a.rs", "b.rs", "c.txt", "d.md", "e", ".f.rs", "日本.txt", "g.rs", "h.h", "i.json"];
const WORDS: [&str; 17] = [
    "\n```rust\nfn needle() {}\n```\n",
    "#!/bin/sh\nneedle() { x; }\n",
    "class needle { public: int x(); };\n",
    "int needle(void) { return 0; }\n",
    "fn needle() {}",
    "fn x() {}\n",
    "alpha",
    "Beta",
    "gamma_ray",
    "delta()",
    "ÉCOLE",
    "Kelvin\u{212A}",
    "\u{17F}ome lo\u{17F}t",
    "日本語",
    "x",
    "needle",
    "foo\nbar",
];
const RULE_FILES: [&str; 6] = [".gitignore", ".gitignore", ".ignore", ".rgignore", ".fdignore", ".git/info/exclude"];
const RULES: [&str; 10] = [
    "",
    "ignored\n",
    "*.txt\n",
    "/src\n!a.rs\n",
    "target\n",
    "deep/\n",
    "!.hidden\n!.f.rs\n",
    "!*.txt\n",
    "src/deep/*.rs\n!b.rs\n",
    "/lib/**\n!/lib/ignored\n",
];
const GLOBS: [&str; 11] =
    ["*.rs", "*.rs", "*.txt", "src/**", "lib/ignored", "/src/deep", "*", ".f.rs", "**/er/*", "d*", "!*.md"];

/// A project that is edited, with its index.
pub(super) struct Edited {
    pub(super) root: PathBuf,
    /// An empty folder, the home of `rg`.
    pub(super) home: PathBuf,
    pub(super) project: Arc<Project>,
    pub(super) indexes: Arc<CodeIndexes>,
    runner: TestRunner,
    /// The edits so far, for the message of a failure.
    pub(super) edits: Vec<String>,
}

impl Edited {
    pub(super) fn draw<T: Clone + std::fmt::Debug + 'static>(&mut self, values: &[T]) -> T {
        select(values.to_vec()).new_tree(&mut self.runner).expect("no filter").current()
    }

    pub(super) fn number(&mut self, most: usize) -> usize {
        (0..most).new_tree(&mut self.runner).expect("no filter").current()
    }

    fn file(&mut self) -> PathBuf {
        let (folder, name) = (self.draw(&FOLDERS), self.draw(&NAMES));
        // A name that is not UTF-8.
        let odd = OsStr::from_bytes(b"\xff.rs");
        let name = if self.number(20) == 0 { odd } else { OsStr::new(name) };
        self.root.join(folder).join(name)
    }

    /// Returns a folder of the project, or the one above it, or the repository of its worktrees.
    fn folder_with_rules(&mut self) -> PathBuf {
        let folder = self.draw(&FOLDERS);
        match self.number(8) {
            0 => self.root.parent().expect("a folder above").to_path_buf(),
            1 => self.root.with_file_name("main"),
            _ => self.root.join(folder),
        }
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
        let kind = self.number(24);
        let done = match kind {
            0..=3 => {
                let is_new_folder = self.number(2) == 0;
                let parent = file.parent().filter(|_| is_new_folder);
                let has_folder = parent.is_none_or(|parent| fs::create_dir_all(parent).is_ok());
                has_folder && fs::write(&file, &text).is_ok()
            }
            4 => fs::read(&file).is_ok_and(|old| fs::write(&file, [old, text.clone()].concat()).is_ok()),
            5 => rewritten(&file),
            6 => fs::remove_file(&file).is_ok(),
            7 => fs::rename(&file, &other).is_ok(),
            8 | 19 => fs::create_dir_all(&folder).is_ok(),
            22 | 23 => {
                // A listing is answered by the index only without ignore files that searches alone, or listings alone,
                // read.
                let folders = FOLDERS.map(|folder| self.root.join(folder));
                let above = self.root.parent().map(Path::to_path_buf);
                let names = [".rgignore", ".fdignore"];
                let files = folders.iter().chain(&above).flat_map(|folder| names.map(|name| folder.join(name)));
                files.filter(|file| fs::remove_file(file).is_ok()).count() > 0
            }
            20 => {
                // As `git worktree add` writes it.
                let git = folder.join(".git");
                let own = self.root.with_file_name("main").join(".git/worktrees/own");
                folder.is_dir() && !git.is_dir() && fs::write(git, format!("gitdir: {}\n", own.display())).is_ok()
            }
            9 => {
                // Inside, to where it is ignored, or out of the project.
                let moved = self.draw(&["moved", "target/moved", "../moved"]);
                let moved = self.root.join(moved);
                fs::rename(&folder, &moved).is_ok() || fs::rename(&moved, &folder).is_ok()
            }
            10 => self.number(2) == 0 && fs::remove_dir_all(&folder).is_ok(),
            11 | 16 | 17 => {
                let (folder, name) = (self.folder_with_rules(), self.draw(&RULE_FILES));
                let (rules, file) = (self.draw(&RULES), folder.join(name));
                let done =
                    if self.number(5) == 0 { fs::remove_file(&file).is_ok() } else { fs::write(&file, rules).is_ok() };
                self.edits.extend(done.then(|| format!("rules {} {rules:?}", file.display())));
                false
            }
            18 => {
                let folder = self.folder_with_rules();
                let repository = folder.join(self.draw(&[".git", ".git", ".jj"]));
                let done = !repository.starts_with(self.root.with_file_name("main"))
                    && (fs::remove_dir_all(&repository).is_ok() || fs::remove_file(&repository).is_ok())
                    || folder.is_dir() && fs::create_dir_all(repository.join("info")).is_ok();
                self.edits.extend(done.then(|| format!("repository {}", repository.display())));
                false
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
            self.edits.push(format!("{kind} {} {} {} {text:?}", file.display(), other.display(), folder.display()));
        }
    }

    fn query(&mut self) -> TextQueryOptions {
        let word = self.draw(&WORDS);
        let other = self.draw(&WORDS);
        let (text, syntax) = match self.number(6) {
            0 => (format!("{}|{}", regex_syntax::escape(word), regex_syntax::escape(other)), QuerySyntax::Regex),
            1 => (format!("{}.*{}", regex_syntax::escape(word), regex_syntax::escape(other)), QuerySyntax::Regex),
            2 => (word.to_uppercase(), QuerySyntax::Literal),
            _ => (word.to_owned(), QuerySyntax::Literal),
        };
        TextQueryOptions {
            multiline: text.contains('\n'),
            syntax,
            case: self.draw(&[CaseSensitivity::Smart, CaseSensitivity::Insensitive, CaseSensitivity::Sensitive]),
            ..TextQueryOptions::new(text)
        }
    }

    pub(super) fn places(&mut self) -> Vec<ProjectPath> {
        let places: Vec<PathBuf> = (0..=self.number(3))
            .map(|_| {
                if self.number(4) == 0 {
                    self.file()
                } else {
                    let folder = self.draw(&FOLDERS);
                    self.root.join(folder)
                }
            })
            .collect();
        let relative = places.iter().filter_map(|path| path.strip_prefix(&self.root).ok()?.to_str());
        relative
            .map(|path| if path.is_empty() { "." } else { path })
            .filter_map(|path| self.project.resolve(path).ok())
            .collect()
    }

    pub(super) fn globs(&mut self) -> Vec<String> {
        let globs = if self.number(3) == 0 { 1 + self.number(2) } else { 0 };
        (0..globs).map(|_| self.draw(&GLOBS).to_owned()).collect()
    }

    /// Returns the places of roots that are globs, if some are.
    pub(super) fn within(&mut self) -> Option<PlaceFilter> {
        if self.number(6) > 0 {
            return None;
        }
        let mut within = PlaceFilter::default();
        for place in self.places() {
            let glob = self.draw(&["*.rs", "**/*.rs", "**"]);
            let glob = (self.number(2) == 0).then(|| PlaceGlob::new(glob).expect("valid"));
            within.add(&place, glob);
        }
        Some(within)
    }

    /// Returns the last edits, for the message of a failure.
    pub(super) fn last_edits(&self) -> String {
        self.edits[self.edits.len().saturating_sub(30)..].join("\n")
    }

    /// Searches with and without the index. Returns the result with the index.
    fn compare(&mut self) -> Option<SearchMatches> {
        let options = self.query();
        let query = TextQuery::new(&options).ok()?;
        let scope_options = ScopeOptions {
            include_globs: self.globs(),
            exclude_globs: self.globs(),
            max_filesize: (self.number(10) == 0).then(|| "20".to_owned()),
            traversal: Traversal {
                hidden: self.number(6) == 0,
                no_ignore: self.number(6) == 0,
                follow_symlinks: self.number(8) == 0,
            },
        };
        // As the pipeline does before each call.
        let _ = self.project.ensure_open();
        let roots = if self.number(2) == 0 { self.places() } else { Vec::new() };
        let targets = SearchTargets { roots, ..SearchTargets::default() };
        let within = self.within();
        let demand = self.demand();
        let scope =
            || SearchScope::new(&self.project, &scope_options, 100 << 20).expect("valid").only_within(within.clone());
        let run = |scope: SearchScope| {
            let unstamped = self.project.unstamped();
            let found = search(&query, &targets, &scope, demand, &CancellationToken::new()).expect("not cancelled");
            (found, self.project.unstamped() > unstamped)
        };
        let (indexed, is_unstamped) = run(scope().with_index(&self.indexes));
        let (scanned, was_unstamped) = run(scope());
        let question = || {
            let places: Vec<_> = targets.roots.iter().map(ProjectPath::shown).collect();
            format!(
                "{options:?} {scope_options:?} {places:?} {within:?} walked {}\nlast edits:\n{}",
                indexed.has_walked,
                self.last_edits()
            )
        };
        assert!(
            shown(&indexed) == shown(&scanned) && is_unstamped == was_unstamped,
            "indexed {}\nscanned {}\n{}",
            shown(&indexed),
            shown(&scanned),
            question()
        );
        let are_folders = targets.roots.iter().all(|root| root.is_dir().expect("known"));
        if are_folders
            && within.is_none()
            && !scope_options.traversal.follow_symlinks
            && self.edits.len().is_multiple_of(10)
        {
            let listed = self.listed_by_rg(&scope_options, &targets.roots);
            assert_eq!(indexed.searched_files, listed.len() as u64, "{listed:?} {}", question());
        }
        Some(indexed)
    }

    /// Ranks with and without the index. Returns true if elements were found and the index excluded a file.
    fn compare_ranking(&mut self) -> bool {
        let words = self.draw(&[
            "alpha needle",
            "Beta kelvin",
            "the ray of gamma",
            "functions needle|école",
            "delta was lost",
            "日本 needle",
        ]);
        let options = ScopeOptions { include_globs: self.globs(), ..ScopeOptions::default() };
        let query = RankedQuery::new(&TextQueryOptions::new(words)).expect("a query");
        let (targets, within) = self.targets();
        let scope = || {
            let scope = SearchScope::new(&self.project, &options, 100 << 20).expect("valid");
            scope.only_within(within.clone())
        };
        let (parsers, cancel) = (ParserPool::in_process(), CancellationToken::new());
        let run = |scope: SearchScope| rank(&query, &targets, &scope, &parsers, &cancel);
        let (indexed, scanned) = (run(scope().with_index(&self.indexes)), run(scope()));
        assert_eq!(
            shown_ranking(&indexed),
            shown_ranking(&scanned),
            "{words} {options:?} {:?} {within:?}\nlast edits:\n{}",
            targets.roots,
            self.last_edits()
        );
        indexed.is_ok_and(|ranking| ranking.output.count > 0 && ranking.matches.unopened_files > 0)
    }

    fn demand(&mut self) -> RowDemand {
        self.draw(&[
            RowDemand::Rows { keep: 1_000 },
            RowDemand::Rows { keep: 3 },
            RowDemand::Counts,
            RowDemand::Top { files: 2, rows: 2 },
        ])
    }

    /// Returns the files that `rg` would search.
    fn listed_by_rg(&self, scope: &ScopeOptions, roots: &[ProjectPath]) -> Vec<PathBuf> {
        let mut args = vec!["--files".to_owned(), "--null".to_owned()];
        let flags = [("--hidden", scope.traversal.hidden), ("--no-ignore", scope.traversal.no_ignore)];
        args.extend(flags.iter().filter(|(_, on)| *on).map(|(flag, _)| (*flag).to_owned()));
        args.extend(scope.max_filesize.iter().map(|size| format!("--max-filesize={size}")));
        args.extend(scope.include_globs.iter().map(|glob| format!("--glob={glob}")));
        args.extend(scope.exclude_globs.iter().map(|glob| {
            let mark = if glob.starts_with('!') { "" } else { "!" };
            format!("--glob={mark}{glob}")
        }));
        args.push("--".to_owned());
        args.extend(roots.iter().map(|root| root.absolute().display().to_string()));
        if roots.is_empty() {
            args.push(self.root.display().to_string());
        }
        let printed = programs::rg(&args, &self.root, &self.home);
        let mut files: Vec<PathBuf> = printed
            .stdout
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty())
            .map(|path| PathBuf::from(OsStr::from_bytes(path)))
            .collect();
        // Of overlapping roots, `rg` lists the files twice.
        files.sort();
        files.dedup();
        files
    }

    /// Returns a search by another caller, which takes the changes that it is the first to see.
    fn other_caller(&self) -> impl Fn() + Send + Sync + 'static {
        let (root, indexes) = (self.root.clone(), Arc::clone(&self.indexes));
        let query = TextQuery::new(&TextQueryOptions::new("needle")).expect("valid");
        move || {
            // While it is exchanged with another folder, the project is away.
            let Ok(project) = Project::open(&root) else { return };
            if project.root() != root {
                return;
            }
            let scope = SearchScope::new(&project, &ScopeOptions::default(), 100 << 20).expect("valid");
            let scope = scope.with_index(&indexes);
            let targets = SearchTargets::default();
            let found = search(&query, &targets, &scope, RowDemand::Counts, &CancellationToken::new());
            found.expect("not cancelled");
        }
    }

    /// Waits until a search of the whole project is answered without a walk.
    fn wait_for_listing(&self) {
        let query = TextQuery::new(&TextQueryOptions::new("needle")).expect("valid");
        let _ = self.project.ensure_open();
        // Rules outside the project look different once they are older than the clock's resolution, for which the table is
        // made again. Where it could not be made, the next search may want it after a second.
        let end = Instant::now() + Duration::from_secs(30);
        while Instant::now() < end {
            let scope = SearchScope::new(&self.project, &ScopeOptions::default(), 100 << 20).expect("valid");
            let scope = scope.with_index(&self.indexes);
            let targets = SearchTargets::default();
            let found = search(&query, &targets, &scope, RowDemand::Counts, &CancellationToken::new());
            if !found.expect("not cancelled").has_walked {
                return;
            }
            self.wait_for_index();
        }
        panic!("the folders are walked; last edits:\n{}", self.last_edits());
    }

    /// Waits until the index has read and listed what searches wanted.
    fn wait_for_index(&self) {
        let index = self.indexes.open_index(&self.project).expect("it is on");
        let end = Instant::now() + Duration::from_mins(1);
        while index.size().wanted > 0 || index.size().is_listing {
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
    let number = |name: &str, default| env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default);
    let (seed, edits) = (number("FUMI_ORACLE_SEED", 22), number("FUMI_INDEX_EDITS", 2_000));
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("there").join("project");
    let limits = IndexLimits { file_bytes: 100 << 20, files: 10_000, memory: 64 << 20 };
    for root in [root.clone(), root.with_file_name("other")] {
        fs::create_dir_all(root.join(".git")).expect("a folder");
        fs::write(root.join("a.rs"), root.as_os_str().as_encoded_bytes()).expect("a file");
    }
    let own = root.with_file_name("main").join(".git/worktrees/own");
    fs::create_dir_all(&own).expect("a folder");
    fs::create_dir(root.with_file_name("main").join(".git/info")).expect("a folder");
    fs::write(own.join("commondir"), "../..\n").expect("a file");
    let home = root.with_file_name("home");
    fs::create_dir(&home).expect("a folder");
    let mut edited = Edited {
        project: Project::open(&root).expect("a project"),
        indexes: CodeIndexes::new(Arc::default(), Some(limits), None, None),
        root,
        home,
        runner: TestRunner::new(Config { rng_seed: RngSeed::Fixed(seed), ..Config::default() }),
        edits: Vec::new(),
    };
    let ends = AtomicBool::new(false);
    let other = edited.other_caller();
    thread::scope(|scope| {
        scope.spawn(|| {
            while !ends.load(Relaxed) {
                other();
            }
        });
        let _end = EndOfEdits(&ends);
        compare_between_edits(&mut edited, edits, &ends);
    });
}

/// Ends the other caller, also after a failure.
struct EndOfEdits<'a>(&'a AtomicBool);

impl Drop for EndOfEdits<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// The other caller takes time, and ends after an eighth of the edits.
fn compare_between_edits(edited: &mut Edited, edits: u64, other_ends: &AtomicBool) {
    let (mut whole, mut part, mut unopened, mut listed, mut queries, mut listings, mut elements, mut ranked) =
        (0, 0, 0, 0, 0, 0, 0, 0);
    for at in 0..edits {
        other_ends.fetch_or(at * 8 >= edits, Relaxed);
        edited.edit();
        match edited.number(6) {
            0 => edited.wait_for_index(),
            1 => edited.wait_for_listing(),
            _ => {}
        }
        listings += u64::from(edited.compare_listing());
        edited.compare_sources();
        elements += u64::from(edited.compare_query());
        ranked += u64::from(edited.compare_ranking());
        for _ in 0..2 + edited.number(2) {
            let Some(found) = edited.compare() else { continue };
            queries += 1;
            unopened += found.unopened_files;
            listed += u64::from(!found.has_walked);
            match found.index_use {
                IndexUse::Whole => whole += 1,
                IndexUse::Part => part += 1,
                IndexUse::None => {}
            }
        }
    }
    // Otherwise the index was not used, and nothing was compared.
    assert!(
        whole * 10 > queries
            && part * 50 > queries
            && unopened > queries
            && listed * 5 > queries
            && listings * 20 > edits
            && elements * 100 > edits
            && ranked * 100 > edits,
        "{queries} queries: {whole} whole, {part} in part, {listed} listed, {unopened} files not opened; {listings} of \
         {edits} listings by the index, {elements} elements, {ranked} rankings"
    );
}
