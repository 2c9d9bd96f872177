//! Searches with the index compared with searches without it, over the sources of crates.
//!
//! The same queries run with and without the filter and must give the same files, rows, counts and skipped paths.
//! `FUMI_ORACLE_SEED` overrides the seed of the queries.

mod disk;
mod edits;
mod listings;

use std::{
    env, fs,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use fumi_base::project::{Project, ProjectPath};
use fumi_code::{
    errors::search::SearchError,
    index::{CodeIndexes, IndexLimits, IndexUse},
    listing::{FileFilter, FileOptions, ListingDetail, ListingRequest, ListingSort},
    parser_pool::ParserPool,
    ranked::{RankedOutput, RankedQuery, Ranking, rank},
    search::{RowDemand, ScopeOptions, SearchMatches, SearchScope, SearchTargets, search},
    text_query::{CaseSensitivity, QuerySyntax, TextQuery, TextQueryOptions},
};
use proptest::{
    prelude::*,
    sample::{Index, select},
    strategy::ValueTree,
    test_runner::{Config, RngSeed, TestRunner},
};
use tokio_util::sync::CancellationToken;

const MOST: u64 = 100 << 20;

/// One crate of so many is searched: some thousand files.
const EVERY: usize = 10;

/// Some crates of the registry, and the files in them.
struct Crates {
    project: Arc<Project>,
    roots: Vec<ProjectPath>,
    files: Vec<ProjectPath>,
}

impl Crates {
    fn open() -> Self {
        let home = env::var_os("CARGO_HOME").map(PathBuf::from);
        let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")));
        let registry = home.expect("a home").join("registry/src");
        let project = Project::open(&registry).expect("cargo keeps sources");
        let folders = |folder: &PathBuf| -> Vec<PathBuf> {
            let entries = fs::read_dir(folder).expect("readable").map(|entry| entry.expect("readable").path());
            entries.filter(|path| path.is_dir()).collect()
        };
        let mut crates: Vec<PathBuf> = folders(&registry).iter().flat_map(folders).collect();
        crates.sort();
        let roots: Vec<ProjectPath> = crates
            .iter()
            .step_by(EVERY)
            .map(|path| {
                let relative = path.strip_prefix(&registry).expect("below it");
                project.resolve(relative.to_str().expect("UTF-8")).expect("inside")
            })
            .collect();
        let options = FileOptions { types: vec!["f".to_owned()], ..FileOptions::default() };
        let request = ListingRequest { detail: ListingDetail::Names, sort: ListingSort::Path, keep: usize::MAX };
        let files = FileFilter::new(&project, &roots, &options, SystemTime::now())
            .expect("valid")
            .list(request, &CancellationToken::new())
            .expect("not cancelled");
        Self { files: files.entries.into_iter().map(|file| file.path).collect(), project, roots }
    }

    /// Indexes the files that a search finds.
    fn index(&self) -> Arc<CodeIndexes> {
        let limits = IndexLimits { file_bytes: MOST, files: 100_000, memory: 256 << 20 };
        let indexes = CodeIndexes::new(Arc::default(), Some(limits), None, None);
        let query = TextQuery::new(&TextQueryOptions::new("no such text")).expect("valid");
        let first = self.search(&query, RowDemand::Counts, Some(&indexes));
        assert_eq!((first.index_use, first.unopened_files), (IndexUse::None, 0));
        let index = indexes.open_index(&self.project).expect("it is on");
        let end = Instant::now() + Duration::from_mins(5);
        while index.size().wanted > 0 {
            assert!(Instant::now() < end, "the index does not end: {:?}", index.size());
            std::thread::yield_now();
        }
        assert_eq!(index.size().files, self.files.len(), "{:?}", index.size());
        indexes
    }

    fn search(&self, query: &TextQuery, need: RowDemand, indexes: Option<&Arc<CodeIndexes>>) -> SearchMatches {
        let (targets, scope) = self.whole(indexes);
        search(query, &targets, &scope, need, &CancellationToken::new()).expect("not cancelled")
    }

    /// Returns the places and the scope of a search of all crates.
    fn whole(&self, indexes: Option<&Arc<CodeIndexes>>) -> (SearchTargets, SearchScope) {
        let scope = SearchScope::new(&self.project, &ScopeOptions::default(), MOST).expect("valid");
        let scope = match indexes {
            Some(indexes) => scope.with_index(indexes),
            None => scope,
        };
        let targets = SearchTargets { roots: self.roots.clone(), ..SearchTargets::default() };
        (targets, scope)
    }
}

/// Everything of a result that a caller sees.
fn shown(matches: &SearchMatches) -> String {
    let SearchMatches {
        files,
        total_matches,
        total_lines,
        searched_files,
        complete,
        skipped,
        index_use: _,
        unopened_files: _,
        has_walked: _,
        is_named_file: _,
        elapsed: _,
    } = matches;
    let files: Vec<String> = files
        .iter()
        .map(|file| {
            let counts = (file.match_count, file.line_count, &file.encoding);
            format!("{} {counts:?} {:?}", file.path.shown(), file.lines)
        })
        .collect();
    format!("{total_matches} {total_lines} {searched_files} {complete} {skipped:?}\n{}", files.join("\n"))
}

/// Draws queries from the texts of files.
struct QueryDraw<'c> {
    crates: &'c Crates,
    runner: TestRunner,
}

impl QueryDraw<'_> {
    fn draw<T>(&mut self, strategy: impl Strategy<Value = T>) -> T {
        strategy.new_tree(&mut self.runner).expect("no filter").current()
    }

    fn pick<T: Clone + std::fmt::Debug + 'static>(&mut self, values: &[T]) -> T {
        self.draw(select(values.to_vec()))
    }

    /// Returns two literals of 1 to 20 characters from one file, each from one line.
    fn literals(&mut self) -> [String; 2] {
        loop {
            let at = self.draw(any::<Index>());
            let file = at.get(&self.crates.files);
            let text = String::from_utf8_lossy(&fs::read(file.absolute()).expect("readable")).into_owned();
            let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
            if lines.is_empty() || text.contains('\0') {
                continue;
            }
            return [(); 2].map(|()| {
                let line: Vec<char> = self.draw(any::<Index>()).get(&lines).trim().chars().collect();
                let from = self.draw(any::<Index>()).index(line.len());
                let length = self.draw(1_usize..=20);
                line.iter().skip(from).take(length).collect()
            });
        }
    }

    fn query(&mut self) -> TextQueryOptions {
        let [a, b] = self.literals();
        let [first, second] = [&a, &b].map(|text| regex_escaped(text));
        let kind = self.draw(0..20);
        let (text, syntax) = match kind {
            0..=8 => (a, self.pick(&[QuerySyntax::Literal, QuerySyntax::Literal, QuerySyntax::Pcre2Literal])),
            9 | 10 => {
                let at = self.draw(any::<Index>()).index(a.chars().count());
                let other = self.pick(&['a', 'Z', '_', '猫', '\u{212A}']);
                let changed = a.chars().enumerate().map(|(place, c)| if place == at { other } else { c });
                (changed.collect(), QuerySyntax::Literal)
            }
            11..=17 => {
                let form = self.pick(&[
                    "A.*B", "A|B", "(A)?B", "(A|B){2}", "(?i)A", "(?-i)A", r"\bA\b", "A[a-z_]+", r"^\s*A", "A$",
                    r"A\s+B", "(A|B)+x?", "[A-Z]A", r"A\w{2}",
                ]);
                (form.replace('A', &first).replace('B', &second), QuerySyntax::Regex)
            }
            _ => {
                let fixed = self.pick(&[
                    "fn",
                    "unsafe",
                    "license",
                    r"[a-z]{12}\(\d",
                    "日本",
                    "0x[0-9a-f]{8}",
                    r"impl.*Iterator for",
                    "no_such_word_at_all",
                    r"^$",
                    "TODO|FIXME|XXX",
                    r"\.await\?",
                    "utf-?8",
                    r"\{\n\s*let x",
                ]);
                (fixed.to_owned(), QuerySyntax::Regex)
            }
        };
        let context = self.pick(&[(0, 0), (0, 0), (2, 1)]);
        TextQueryOptions {
            multiline: text.contains(r"\n") || self.draw(0..6) == 0,
            syntax,
            case: self.pick(&[CaseSensitivity::Smart, CaseSensitivity::Insensitive, CaseSensitivity::Sensitive]),
            word: self.draw(0..8) == 0,
            context_before: context.0,
            context_after: context.1,
            max_count: self.pick(&[None, None, None, Some(1), Some(3)]),
            ..TextQueryOptions::new(text)
        }
    }
}

/// Escapes what has a meaning in an expression, and the letters that stand for the literals.
fn regex_escaped(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            'A' => r"\x41".to_owned(),
            'B' => r"\x42".to_owned(),
            c if c.is_ascii_punctuation() => format!("\\{c}"),
            c => c.to_string(),
        })
        .collect()
}

#[test]
fn a_search_with_the_index_finds_what_one_without_it_finds() {
    let crates = Crates::open();
    let indexes = crates.index();
    let seed = env::var("FUMI_ORACLE_SEED").ok().and_then(|seed| seed.parse().ok());
    let mut queries = QueryDraw {
        crates: &crates,
        runner: TestRunner::new(Config { rng_seed: RngSeed::Fixed(seed.unwrap_or(22)), ..Config::default() }),
    };
    let all = crates.files.len();
    let (mut selective, mut candidates) = (0, 0);
    for _ in 0..100 {
        let options = queries.query();
        let Ok(query) = TextQuery::new(&options) else {
            // A literal with a backslash in a class, or a line break.
            continue;
        };
        let need =
            queries.pick(&[RowDemand::Rows { keep: 10_000 }, RowDemand::Counts, RowDemand::Top { files: 3, rows: 5 }]);
        let scanned = crates.search(&query, need, None);
        let filtered = crates.search(&query, need, Some(&indexes));
        let opened = all - usize::try_from(filtered.unopened_files).expect("few");
        assert!(
            shown(&scanned) == shown(&filtered),
            "{options:?}: {} matches without the index, {} with it",
            scanned.total_matches,
            filtered.total_matches
        );
        if scanned.total_files() * 20 < all {
            selective += 1;
            candidates += opened;
        }
    }
    assert!(all > 1_500 && selective > 40, "{all} files, {selective} selective queries");
    let share = candidates * 100 / (all * selective);
    assert!(share < 30, "selective queries open {share} % of the files");
}

/// Returns what a caller sees of a ranking.
fn shown_ranking(ranking: &Result<Ranking, SearchError>) -> String {
    let output = ranking.as_ref().map(|ranking| {
        let skipped = &ranking.matches.skipped;
        let output = RankedOutput { elapsed_ms: 0, ..ranking.output.clone() };
        format!("{output:#?} {skipped:?} {:?}", ranking.broken)
    });
    output.unwrap_or_else(|error| format!("{error:?}"))
}

#[test]
fn a_ranking_with_the_index_is_that_without_it() {
    let crates = Crates::open();
    let indexes = crates.index();
    for words in ["Deserialize a map with unknown keys", "ス文字 の encoding", "buffer"] {
        let query = RankedQuery::new(&TextQueryOptions::new(words)).expect("a query");
        let (parsers, cancel) = (ParserPool::in_process(), CancellationToken::new());
        let run = |indexes: Option<&Arc<CodeIndexes>>| {
            let (targets, scope) = crates.whole(indexes);
            rank(&query, &targets, &scope, &parsers, &cancel)
        };
        let (with_index, without) = (run(Some(&indexes)), run(None));
        assert_eq!(shown_ranking(&with_index), shown_ranking(&without), "{words}");
        let matches = with_index.expect("ranked").matches;
        assert!(matches.total_files() > 100, "{words}: {} files", matches.total_files());
    }
}

/// Files that are gone make room for others in an index whose memory was full.
#[test]
fn memory_of_deleted_files_is_used_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let project = Project::open(folder.path()).expect("a project");
    let limits = IndexLimits { file_bytes: MOST, files: 100_000, memory: 50_000 };
    let indexes = CodeIndexes::new(Arc::default(), Some(limits), None, None);
    let query = TextQuery::new(&TextQueryOptions::new("no such text")).expect("valid");
    for part in ["first", "second"] {
        for n in 0..400 {
            let words: Vec<String> = (0..200).map(|word| format!("{part}{}", n * 200 + word)).collect();
            fs::write(folder.path().join(format!("{part}{n}.txt")), words.join(" ")).expect("a file");
        }
        let end = Instant::now() + Duration::from_mins(1);
        loop {
            let scope = SearchScope::new(&project, &ScopeOptions::default(), MOST).expect("valid");
            let targets =
                SearchTargets { roots: vec![project.resolve(".").expect("the root")], ..SearchTargets::default() };
            let (scope, cancel) = (scope.with_index(&indexes), CancellationToken::new());
            let found = search(&query, &targets, &scope, RowDemand::Counts, &cancel).expect("not cancelled");
            if found.unopened_files == 400 {
                break;
            }
            assert!(Instant::now() < end, "{part}: {}", found.unopened_files);
            std::thread::yield_now();
        }
        let size = indexes.open_index(&project).expect("it is on").size();
        assert!(size.bytes >= limits.memory, "full: {size:?}");
        for n in 0..400 {
            fs::remove_file(folder.path().join(format!("{part}{n}.txt"))).expect("removed");
        }
    }
}
