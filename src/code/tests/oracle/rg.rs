//! `search_content` compared with ripgrep 15: the same counts by file, and the same lines, positions and context.

use std::{cell::Cell, collections::BTreeMap};

use fumi_base::encoding::EncodingChoice;
use fumi_code::{
    search::{RowDemand, ScopeOptions, SearchMatches, SearchScope, SearchTargets, search},
    text_query::{CaseSensitivity, QuerySyntax, TextQuery, TextQueryOptions},
    walk::Traversal,
};
use proptest::{
    option::weighted,
    prelude::*,
    sample::{select, subsequence},
    test_runner::{Config, RngSeed, TestRunner},
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    programs,
    tree::{Git, Tree},
};

/// Returns a configuration with a fixed seed, for the same cases on every run; `FUMI_ORACLE_SEED` overrides it.
pub(crate) fn seeded() -> Config {
    let seed = std::env::var("FUMI_ORACLE_SEED").ok().and_then(|seed| seed.parse().ok());
    Config { failure_persistence: None, rng_seed: RngSeed::Fixed(seed.unwrap_or(15)), ..Config::default() }
}

/// One call, given to both sides.
#[derive(Clone, Debug)]
struct Call {
    query: TextQueryOptions,
    scope: ScopeOptions,
    roots: Vec<&'static str>,
    files: Vec<&'static str>,
}

fn owned(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

fn queries() -> impl Strategy<Value = TextQueryOptions> {
    let text = select(vec![
        ("needle", QuerySyntax::Regex),
        ("Needle", QuerySyntax::Regex),
        ("foo", QuerySyntax::Regex),
        ("foo|needle", QuerySyntax::Regex),
        (r"ne+dle\b", QuerySyntax::Regex),
        (r"\bfoo\b.*needle", QuerySyntax::Regex),
        (r"^\s*let ", QuerySyntax::Regex),
        (r"needle$", QuerySyntax::Regex),
        (r"^$", QuerySyntax::Regex),
        (r".", QuerySyntax::Regex),
        (r"\w+", QuerySyntax::Regex),
        (r"x*", QuerySyntax::Regex),
        ("名前", QuerySyntax::Regex),
        ("猫.*猫", QuerySyntax::Regex),
        (r"\p{Han}+", QuerySyntax::Regex),
        ("[^a-z]needle", QuerySyntax::Regex),
        (r"fn main\(\) \{\n", QuerySyntax::Regex),
        (r"needle[^}]*foo", QuerySyntax::Regex),
        (r"foo\s+needle", QuerySyntax::Regex),
        (r"needle\r?$", QuerySyntax::Regex),
        ("(?-i)NEEDLE", QuerySyntax::Regex),
        ("(", QuerySyntax::Regex),
        (r"(?=foo)", QuerySyntax::Regex),
        ("--version", QuerySyntax::Literal),
        ("foo(", QuerySyntax::Literal),
        ("needle.find(\"foo", QuerySyntax::Literal),
        ("NEEDLE", QuerySyntax::Literal),
        (r"(?<!foo )needle", QuerySyntax::Pcre2),
        (r"\b(\w{1,9}) \1", QuerySyntax::Pcre2),
        ("[", QuerySyntax::Pcre2),
    ]);
    let case = select(vec![
        CaseSensitivity::Smart,
        CaseSensitivity::Smart,
        CaseSensitivity::Insensitive,
        CaseSensitivity::Sensitive,
    ]);
    let context = prop_oneof![3 => Just((0, 0)), 2 => (0_usize..4, 0_usize..4)];
    (text, case, weighted(0.2, Just(())), weighted(0.25, Just(())), context, weighted(0.25, 1_u64..5)).prop_map(
        |((query, syntax), case, word, multiline, context, max_count)| TextQueryOptions {
            syntax,
            case,
            word: word.is_some(),
            multiline: multiline.is_some(),
            context_before: context.0,
            context_after: context.1,
            max_count,
            ..TextQueryOptions::new(query)
        },
    )
}

fn calls() -> impl Strategy<Value = Call> {
    // Roots that do not overlap: ripgrep would search their files twice. No root is a link: we show its target.
    let places = prop_oneof![
        3 => Just((vec![], vec![])),
        4 => select(vec![
            (vec!["src"], vec![]),
            (vec!["lib", "docs"], vec![]),
            (vec![".hidden", "build"], vec![]),
            (vec!["日本語", "vendor", "src/nested"], vec![]),
            (vec!["ignored_dir", "lib"], vec![]),
        ]),
        3 => select(vec![
            (vec![], vec!["src/main.rs"]),
            (vec![], vec!["lib/__init__.py", "src/gen_code.rs", ".env"]),
            (vec![], vec!["debug.log", "min.js", "utf16le.txt", "crlf.txt"]),
            (vec![], vec!["early.bin", "late.bin", "lib/middle.bin"]),
            (vec!["docs"], vec!["context.txt", "-dash.txt"]),
        ]),
    ];
    let include = prop_oneof![
        3 => Just(vec![]),
        2 => subsequence(vec!["*.rs", "*.txt", "src/**", "/lib/*.py", "docs/", "*.{md,py}", "!*.log", "**/deep/**", "日本語/*"], 1..3),
        1 => Just(vec!["[bad"]),
    ];
    let exclude =
        subsequence(vec!["*.rs", "lib", "/src/a", "**/nested/**", "!*.txt", "*.bin", "huge*", "docs/*.md"], 0..3);
    let size = weighted(0.15, select(vec!["100", "1K", "1M", "junk"]));
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (queries(), places, include, exclude, size, flags).prop_map(
        |(query, (roots, files), include, exclude, size, flags)| Call {
            query,
            scope: ScopeOptions {
                include_globs: owned(&include),
                exclude_globs: owned(&exclude),
                max_filesize: size.map(str::to_owned),
                traversal: Traversal { follow_symlinks: flags.0, hidden: flags.1, no_ignore: flags.2 },
            },
            roots,
            files,
        },
    )
}

/// Returns the call as ripgrep's arguments, after those for the output.
fn arguments(call: &Call, encoding: Option<&str>) -> Vec<String> {
    let (query, scope) = (&call.query, &call.scope);
    let mut args = Vec::new();
    let case = match query.case {
        CaseSensitivity::Smart => "--smart-case",
        CaseSensitivity::Insensitive => "--ignore-case",
        CaseSensitivity::Sensitive => "--case-sensitive",
    };
    args.push(case.to_owned());
    for (flag, on) in [
        ("--fixed-strings", matches!(query.syntax, QuerySyntax::Literal | QuerySyntax::Pcre2Literal)),
        ("--pcre2", matches!(query.syntax, QuerySyntax::Pcre2 | QuerySyntax::Pcre2Literal)),
        ("--word-regexp", query.word),
        ("--multiline", query.multiline),
        ("--follow", scope.traversal.follow_symlinks),
        ("--hidden", scope.traversal.hidden),
        ("--no-ignore", scope.traversal.no_ignore),
    ] {
        if on {
            args.push(flag.to_owned());
        }
    }
    args.push(format!("--before-context={}", query.context_before));
    args.push(format!("--after-context={}", query.context_after));
    for (flag, value) in [
        ("--max-count", query.max_count.map(|count| count.to_string())),
        ("--max-filesize", scope.max_filesize.clone()),
        ("--encoding", encoding.map(str::to_owned)),
    ] {
        args.extend(value.map(|value| format!("{flag}={value}")));
    }
    args.extend(scope.include_globs.iter().map(|glob| format!("--glob={glob}")));
    args.extend(scope.exclude_globs.iter().map(|glob| {
        let mark = if glob.starts_with('!') { "" } else { "!" };
        format!("--glob={mark}{glob}")
    }));
    args.push(format!("--regexp={}", query.query));
    args.push("--".to_owned());
    args.extend(owned(&call.roots));
    args.extend(owned(&call.files));
    if call.roots.is_empty() && call.files.is_empty() {
        args.push(".".to_owned());
    }
    args
}

/// Returns ripgrep's matches by file, or `None` if it rejected the call.
fn their_counts(tree: &Tree, call: &Call, encoding: Option<&str>) -> Option<BTreeMap<String, u64>> {
    let mut args = owned(&["--count-matches", "--with-filename", "--null"]);
    args.extend(arguments(call, encoding));
    let printed = programs::rg(&args, &tree.root, &tree.home);
    if printed.code == 2 && refuses(&printed.stderr) {
        return None;
    }
    let text = String::from_utf8(printed.stdout).expect("UTF-8 names");
    let counts = text.lines().map(|line| {
        let (path, count) = line.split_once('\0').expect("a name and a count");
        (plain(path), count.parse().expect("a number"))
    });
    Some(counts.collect())
}

/// True if the call was rejected. Exit code 2 also means that some file could not be read (a loop, a broken link);
/// those messages begin with the program's name and the path.
fn refuses(stderr: &str) -> bool {
    stderr.lines().any(|line| {
        [
            "regex parse error",
            "error parsing glob",
            "invalid number",
            "invalid size",
            "not allowed",
            "PCRE2",
            "backreferences",
            "look-around",
            "--max-filesize",
        ]
        .iter()
        .any(|word| line.contains(word))
    })
}

fn plain(path: &str) -> String {
    path.trim_start_matches("./").to_owned()
}

/// A printed line: its number, its text, and the positions of its matches (empty for context).
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    number: u64,
    /// The text, or `None` if the bytes are not UTF-8.
    text: Option<String>,
    spans: Option<Vec<[usize; 2]>>,
}

/// Returns ripgrep's lines by file, without files that turned out to be binary.
fn their_lines(tree: &Tree, call: &Call, encoding: Option<&str>) -> BTreeMap<String, Vec<Line>> {
    let mut args = owned(&["--json"]);
    args.extend(arguments(call, encoding));
    let printed = programs::rg(&args, &tree.root, &tree.home);
    let mut lines: BTreeMap<String, Vec<Line>> = BTreeMap::new();
    for message in printed.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let message: Value = serde_json::from_slice(message).expect("JSON");
        let data = &message["data"];
        let Some(path) = data["path"]["text"].as_str().map(plain) else {
            continue;
        };
        match message["type"].as_str() {
            Some(kind @ ("match" | "context")) => {
                let text = data["lines"]["text"].as_str();
                let spans = (kind == "match").then(|| {
                    let bytes =
                        |key| move |m: &Value| usize::try_from(m[key].as_u64().expect("a place")).expect("fits");
                    let all = data["submatches"].as_array().expect("a list");
                    all.iter().map(|m| [bytes("start")(m), bytes("end")(m)]).collect::<Vec<_>>()
                });
                lines.entry(path).or_default().push(Line {
                    number: data["line_number"].as_u64().expect("a number"),
                    spans: spans.map(|spans| text.map_or_else(Vec::new, |text| in_characters(text, &spans))),
                    text: text.map(|text| trimmed(text).to_owned()),
                });
            }
            Some("end") if !data["binary_offset"].is_null() => {
                lines.remove(&path);
            }
            Some("end") => {
                let file = lines.entry(path.clone()).or_default();
                drop_context_of_nothing(file, call.query.context_after);
                if file.is_empty() {
                    lines.remove(&path);
                }
            }
            _ => {}
        }
    }
    lines
}

/// Removes a trailing match. Across lines, `^$` also matches after the last line break. ripgrep drops that match, but
/// has already printed the lines before it; we show no context without its match.
fn drop_context_of_nothing(lines: &mut Vec<Line>, context_after: usize) {
    let Some(last) = lines.iter().rfind(|line| line.spans.is_some()) else {
        lines.clear();
        return;
    };
    let height = last.text.as_deref().map_or(0, |text| text.matches('\n').count());
    let end = last.number + (height + context_after) as u64;
    lines.retain(|line| line.number <= end);
}

fn trimmed(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// Converts byte positions to character positions, not past the end of the text without its line break.
fn in_characters(text: &str, spans: &[[usize; 2]]) -> Vec<[usize; 2]> {
    if text.len() > 20_000 {
        // Longer than our excerpts, so never compared; and counting would take quadratic time.
        return Vec::new();
    }
    let last = trimmed(text).chars().count();
    // An expression that may match nothing also does so between the bytes of a character; text has no position there.
    let place = |byte: usize| text.get(..byte).map(|before| before.chars().count().min(last));
    let spans = spans.iter().filter_map(|[start, end]| Some([place(*start)?, place(*end)?]));
    spans.collect()
}

/// Returns our result, or `None` if we rejected the call.
fn ours(tree: &Tree, call: &Call, need: RowDemand) -> Option<SearchMatches> {
    let query = TextQuery::new(&call.query).ok();
    let scope = SearchScope::new(&tree.project, &call.scope, 100 << 20).ok();
    let resolve = |paths: &[&str]| -> Vec<_> {
        let paths = paths.iter().map(|path| tree.project.resolve(path).expect("inside"));
        paths.collect()
    };
    let targets = SearchTargets { roots: resolve(&call.roots), files: resolve(&call.files) };
    Some(search(&query?, &targets, &scope?, need, &CancellationToken::new()).expect("not cancelled"))
}

fn our_counts(matches: &SearchMatches) -> BTreeMap<String, u64> {
    let counts = matches.files.iter().map(|file| (file.path.shown(), file.match_count));
    counts.collect()
}

fn our_lines(matches: &SearchMatches) -> BTreeMap<String, Vec<(Line, bool)>> {
    let mut lines = BTreeMap::new();
    for file in &matches.files {
        let all: &mut Vec<(Line, bool)> = lines.entry(file.path.shown()).or_default();
        for row in &file.lines {
            let context = |number, text: &String| {
                let is_long = text.chars().count() > 400;
                let cut = text.strip_suffix('…').filter(|_| is_long);
                (Line { number, text: Some(cut.unwrap_or(text).to_owned()), spans: None }, cut.is_some())
            };
            let first = row.line - row.context_before.len() as u64;
            all.extend((first..).zip(&row.context_before).map(|(number, text)| context(number, text)));
            let line = Line { number: row.line, text: Some(row.text.clone()), spans: Some(row.spans.clone()) };
            all.push((line, row.line_truncated));
            let after = row.line + 1 + row.text.matches('\n').count() as u64;
            all.extend((after..).zip(&row.context_after).map(|(number, text)| context(number, text)));
        }
    }
    lines
}

/// Returns the difference between two lines, if any. A cut line must be a part of the whole one.
fn differ(ours: &Line, cut: bool, theirs: &Line) -> bool {
    if ours.number != theirs.number || ours.spans.is_some() != theirs.spans.is_some() {
        return true;
    }
    let (Some(our_text), Some(their_text)) = (&ours.text, &theirs.text) else {
        return false;
    };
    if cut {
        return !their_text.contains(our_text.as_str());
    }
    our_text != their_text || ours.spans != theirs.spans
}

fn compare_lines(
    ours: &BTreeMap<String, Vec<(Line, bool)>>,
    theirs: &BTreeMap<String, Vec<Line>>,
    binary: impl Fn(&str) -> bool,
) -> Result<(), String> {
    for (path, lines) in ours.iter().filter(|(path, _)| !binary(path)) {
        let expected = theirs.get(path).ok_or_else(|| format!("{path}: only ours"))?;
        for ((line, cut), expected) in lines.iter().zip(expected) {
            if differ(line, *cut, expected) {
                return Err(format!("{path}: ours {line:?}, theirs {expected:?}"));
            }
        }
        if lines.len() != expected.len() {
            return Err(format!("{path}: {} lines, not {}", lines.len(), expected.len()));
        }
    }
    match theirs.keys().find(|path| !ours.contains_key(*path)) {
        Some(path) => Err(format!("{path}: only theirs")),
        None => Ok(()),
    }
}

/// Compares one call and returns the number of matches.
fn check(tree: &Tree, call: &Call, encoding: Option<&str>) -> Result<u64, String> {
    let asked = || arguments(call, encoding).join(" ");
    let theirs = their_counts(tree, call, encoding);
    let counted = ours(tree, call, RowDemand::Counts);
    if theirs.is_some() != counted.is_some() {
        return Err(format!("refused by {}: rg {}", if theirs.is_some() { "us" } else { "rg" }, asked()));
    }
    let (Some(theirs), Some(counted)) = (theirs, counted) else {
        return Ok(0);
    };
    let differences: Vec<_> = {
        let ours = our_counts(&counted);
        let paths: std::collections::BTreeSet<_> = ours.keys().chain(theirs.keys()).cloned().collect();
        let each = paths.into_iter().map(|path| {
            let (ours, theirs) = (ours.get(&path).copied(), theirs.get(&path).copied());
            (path, ours, theirs)
        });
        each.filter(|(_, ours, theirs)| ours != theirs).collect()
    };
    if !differences.is_empty() {
        return Err(format!("counts (ours, theirs) {differences:?}: rg {}", asked()));
    }
    let total: u64 = theirs.values().sum();
    if counted.total_matches != total {
        return Err(format!("total {} is not {total}: rg {}", counted.total_matches, asked()));
    }
    // Every row is needed here: some queries match on most lines of the large files.
    let shown = ours(tree, call, RowDemand::Rows { keep: 1_000_000 }).ok_or("refused the second time")?;
    if our_counts(&shown) != theirs {
        return Err(format!("counts change when rows are shown: rg {}", asked()));
    }
    let named_binary = |path: &str| call.files.contains(&path) && path.contains(".bin");
    compare_lines(&our_lines(&shown), &their_lines(tree, call, encoding), named_binary)
        .map_err(|difference| format!("{difference}: rg {}", asked()))?;
    Ok(total)
}

fn compare(git: Git) {
    let tree = Tree::new(git);
    let matched = Cell::new(0_u64);
    let mut runner = TestRunner::new(Config { cases: 200, ..seeded() });
    runner
        .run(&calls(), |call| {
            matched.set(matched.get() + check(&tree, &call, None).map_err(TestCaseError::fail)?);
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(matched.get() > 1_000, "the calls have too few matches: {matched:?}");
}

#[test]
#[ignore = "needs ripgrep"]
fn the_same_matches_in_a_repository() {
    compare(Git::Root);
}

#[test]
#[ignore = "needs ripgrep"]
fn the_same_matches_inside_an_outer_repository() {
    compare(Git::Outer);
}

#[test]
#[ignore = "needs ripgrep"]
fn the_same_matches_outside_a_repository() {
    compare(Git::None);
}

#[test]
#[ignore = "needs ripgrep"]
fn the_same_matches_in_a_named_encoding() {
    let tree = Tree::new(Git::None);
    let text = "吾輩は猫である。名前はまだ無い。\nneedle と猫\n".repeat(30);
    for label in ["shift_jis", "euc-jp", "iso-2022-jp", "utf-16le", "latin1", "utf-8"] {
        let EncodingChoice::Fixed(encoding) = EncodingChoice::parse(label).expect("known") else {
            panic!("fixed");
        };
        let path = tree.root.join("encoded.txt");
        let bytes = match label {
            "utf-16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            "latin1" => b"caf\xe9 needle na\xefve\n".to_vec(),
            _ => encoding.encode(&text).0.into_owned(),
        };
        std::fs::write(path, bytes).expect("a file");
        for query in ["猫", "名前|needle", r"caf\w", r"^n\w+ と"] {
            let call = Call {
                query: TextQueryOptions {
                    encoding: EncodingChoice::Fixed(encoding),
                    context_before: 1,
                    ..TextQueryOptions::new(query)
                },
                scope: ScopeOptions::default(),
                roots: vec![],
                files: vec!["encoded.txt", "src/main.rs"],
            };
            check(&tree, &call, Some(label)).unwrap_or_else(|difference| panic!("{label}: {difference}"));
        }
    }
}
