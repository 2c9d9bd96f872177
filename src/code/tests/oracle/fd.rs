//! `list_files` compared with fd 10: the same set of paths for every combination of options, and the same rejected
//! calls.

use std::{cell::Cell, collections::BTreeSet, time::SystemTime};

use fumi_code::{
    listing::{FileFilter, FileOptions, ListingDetail, ListingRequest, ListingSort},
    walk::Traversal,
};
use proptest::{
    collection::vec,
    option::{of, weighted},
    prelude::*,
    sample::{select, subsequence},
    test_runner::{Config, TestRunner},
};
use tokio_util::sync::CancellationToken;

use super::{
    programs,
    rg::seeded,
    tree::{Git, Tree},
};

/// One call, given to both sides.
#[derive(Clone, Debug)]
struct Call {
    roots: Vec<&'static str>,
    options: FileOptions,
}

impl Call {
    fn arguments(&self) -> Vec<String> {
        arguments(&self.options, &owned(&self.roots))
    }
}

fn owned(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

fn calls() -> impl Strategy<Value = Call> {
    let roots = select(vec![
        vec![],
        vec!["src"],
        vec!["lib", "docs"],
        vec![".", "src/a"],
        vec![".hidden"],
        vec!["build", "ignored_dir"],
        vec!["日本語", "vendor"],
        vec!["src/nested"],
    ]);
    let name = weighted(
        0.6,
        select(vec![
            ("needle", false, false),
            ("main", false, false),
            ("MAIN", false, false),
            ("Upper", false, false),
            (r"\.rs$", false, false),
            (r"^[a-l]", false, false),
            (r"\w+\.txt", false, false),
            ("文", false, false),
            ("か\u{3099}", false, false),
            (r"^\.", false, false),
            (r"\.(py|md)$", false, false),
            ("(", false, false),
            ("a/b", false, false),
            (".", false, false),
            ("*.rs", true, false),
            ("*.{py,md}", true, false),
            ("[!a-m]*", true, false),
            ("*", true, false),
            ("MAIN*", true, false),
            ("{a", true, false),
            (".*", true, false),
            ("src/.*rs", false, true),
            ("project/lib", false, true),
            ("**/src/**/*.rs", true, true),
            ("/LIB/", false, true),
        ]),
    );
    let types = prop_oneof![
        20 => Just(vec![]),
        8 => subsequence(vec!["f", "d", "l", "x", "e"], 1..3),
        2 => Just(vec!["file", "symlink"]),
        1 => Just(vec!["q"]),
    ];
    let extensions = prop_oneof![
        4 => Just(vec![]),
        1 => subsequence(vec!["rs", "TXT", ".py", "outer-ignore", "gitignore"], 1..3),
    ];
    let exclude = prop_oneof![
        10 => Just(vec![]),
        5 => subsequence(vec!["*.rs", "src", "lib/", "**/a", "nested", "!main.rs", "*.{txt,md}", "日本語", "/main.rs"], 1..3),
        1 => Just(vec!["[bad"]),
    ];
    let size = prop_oneof![
        20 => Just(vec![]),
        5 => vec(select(vec!["+1k", "-100b", "0b", "+10Ki", "-1M", "+200kib"]), 1..3),
        1 => Just(vec!["nonsense"]),
    ];
    let within = weighted(
        0.1,
        select(vec!["2h", "1d", "2weeks", "90days", "@1000000000", "2020-01-01", "2020-01-01 10:00:00", "soon"]),
    );
    let before =
        weighted(0.1, select(vec!["2h", "1d", "2weeks", "1y", "@4000000000", "2030-01-01T00:00:00Z", "10 apples"]));
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (roots, name, types, extensions, exclude, size, within, before, (of(1_usize..5), flags)).prop_map(
        |(roots, name, types, extensions, mut exclude, size, within, before, (depth, flags))| {
            if roots.len() > 1 {
                // With several roots fd resolves an anchored glob against the first, we against each: a deliberate
                // difference.
                exclude.retain(|glob| !glob.starts_with('/'));
            }
            let (pattern, glob, full_path_match) =
                name.map_or((None, false, false), |(pattern, glob, full)| (Some(pattern.to_owned()), glob, full));
            Call {
                roots,
                options: FileOptions {
                    pattern,
                    glob,
                    full_path_match,
                    types: owned(&types),
                    extensions: owned(&extensions),
                    exclude: owned(&exclude),
                    depth,
                    size: owned(&size),
                    changed_within: within.map(str::to_owned),
                    changed_before: before.map(str::to_owned),
                    traversal: Traversal { follow_symlinks: flags.0, hidden: flags.1, no_ignore: flags.2 },
                },
            }
        },
    )
}

/// Returns a call as fd's arguments.
pub(crate) fn arguments(options: &FileOptions, roots: &[String]) -> Vec<String> {
    let mut args = Vec::new();
    for (flag, on) in [
        ("--glob", options.glob),
        ("--full-path", options.full_path_match),
        ("--follow", options.traversal.follow_symlinks),
        ("--hidden", options.traversal.hidden),
        ("--no-ignore", options.traversal.no_ignore),
    ] {
        if on {
            args.push(flag.to_owned());
        }
    }
    for (flag, values) in [
        ("--type", &options.types),
        ("--extension", &options.extensions),
        ("--exclude", &options.exclude),
        ("--size", &options.size),
    ] {
        args.extend(values.iter().map(|value| format!("{flag}={value}")));
    }
    for (flag, value) in [
        ("--max-depth", options.depth.map(|depth| depth.to_string())),
        ("--changed-within", options.changed_within.clone()),
        ("--changed-before", options.changed_before.clone()),
    ] {
        args.extend(value.map(|value| format!("{flag}={value}")));
    }
    args.push("--".to_owned());
    args.push(options.pattern.clone().unwrap_or_default());
    args.extend(roots.iter().cloned());
    args
}

/// Returns fd's paths, or `None` if it rejected the call.
fn theirs(tree: &Tree, call: &Call) -> Option<BTreeSet<String>> {
    let printed = programs::fd(&call.arguments(), &tree.root, &tree.home);
    if printed.stdout.is_empty() && printed.code != 0 {
        return None;
    }
    let paths = printed.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    Some(
        paths
            .map(|path| {
                let path = std::str::from_utf8(path).expect("UTF-8 names");
                path.trim_start_matches("./").trim_end_matches('/').to_owned()
            })
            .collect(),
    )
}

/// Returns our paths, or `None` if we rejected the call.
fn ours(tree: &Tree, call: &Call) -> Option<BTreeSet<String>> {
    let roots: Vec<_> = call.roots.iter().map(|root| tree.project.resolve(root).expect("inside")).collect();
    let filter = FileFilter::new(&tree.project, &roots, &call.options, SystemTime::now()).ok()?;
    let list = |detail| {
        let wanted = ListingRequest { detail, sort: ListingSort::Path, keep: 10_000 };
        filter.list(wanted, &CancellationToken::new()).expect("not cancelled")
    };
    let listing = list(ListingDetail::Metadata);
    let paths: Vec<String> = listing.entries.iter().map(|entry| entry.path.shown()).collect();
    assert!(paths.is_sorted(), "{paths:?}");
    assert_eq!(listing.total_count, paths.len() as u64);
    assert_eq!(list(ListingDetail::Count).total_count, listing.total_count, "{call:?}");
    Some(paths.into_iter().collect())
}

fn compare(git: Git) {
    let tree = Tree::new(git);
    let listed = Cell::new(0_usize);
    let mut runner = TestRunner::new(Config { cases: 200, ..seeded() });
    runner
        .run(&calls(), |call| {
            let (ours, theirs) = (ours(&tree, &call), theirs(&tree, &call));
            listed.set(listed.get() + theirs.as_ref().map_or(0, BTreeSet::len));
            prop_assert_eq!(ours.is_some(), theirs.is_some(), "only one side rejects: {:?}", call.arguments());
            if let (Some(ours), Some(theirs)) = (ours, theirs) {
                let extra: Vec<_> = ours.difference(&theirs).collect();
                let missing: Vec<_> = theirs.difference(&ours).collect();
                prop_assert!(
                    extra.is_empty() && missing.is_empty(),
                    "extra {:?}, missing {:?}: fd {:?}",
                    extra,
                    missing,
                    call.arguments()
                );
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(listed.get() > 300, "the calls list too few files: {listed:?}");
}

#[test]
#[ignore = "needs fd"]
fn the_same_files_in_a_repository() {
    compare(Git::Root);
}

#[test]
#[ignore = "needs fd"]
fn the_same_files_inside_an_outer_repository() {
    compare(Git::Outer);
}

#[test]
#[ignore = "needs fd"]
fn the_same_files_outside_a_repository() {
    compare(Git::None);
}
