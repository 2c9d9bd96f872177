//! Listings with the index compared with listings without it, and with fd, between the edits of `edits.rs`.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use fumi_base::project::ProjectPath;
use fumi_code::{
    filter::ElementFilter,
    index::{CodeIndexes, IndexUse},
    listing::{FileFilter, FileListing, FileOptions, ListingDetail, ListingRequest, ListingSort},
    parser_pool::ParserPool,
    place_filter::PlaceFilter,
    query::QueryKind,
    query_files::query_files,
    search::{ScopeOptions, SearchScope, SearchTargets},
    source_files::find_sources,
    user_queries::UserQueries,
    walk::Traversal,
};
use tokio_util::sync::CancellationToken;

use super::edits::Edited;
use crate::oracle::{fd, programs};

impl Edited {
    fn options(&mut self) -> FileOptions {
        let one = |values: &[&str]| -> Vec<String> { values.iter().map(|value| (*value).to_owned()).collect() };
        let (pattern, glob) = self.draw(&[
            (None, false),
            (None, false),
            (Some("a"), false),
            (Some(r"\.rs$"), false),
            (Some("*.rs"), true),
            (Some("e"), true),
        ]);
        let types = self.draw(&[&[][..], &[], &["f"], &["d"], &["l"], &["f", "d"], &["x"], &["e"], &["d", "e"]]);
        FileOptions {
            pattern: pattern.map(str::to_owned),
            glob,
            full_path_match: pattern.is_some() && self.number(8) == 0,
            types: one(types),
            extensions: one(self.draw(&[&[][..], &[], &["rs"], &["txt", "md"]])),
            exclude: one(self.draw(&[&[][..], &[], &["*.rs"], &["src"], &["deep/", "*.txt"], &["lib/**"], &["!*.rs"]])),
            depth: self.draw(&[None, None, Some(1), Some(2)]),
            size: one(self.draw(&[&[][..], &[], &[], &["+3b"], &["-10b"]])),
            traversal: Traversal {
                hidden: self.number(6) == 0,
                no_ignore: self.number(6) == 0,
                follow_symlinks: self.number(8) == 0,
            },
            ..FileOptions::default()
        }
    }

    /// Lists with and without the index. Returns true if the index knew all folders.
    pub(super) fn compare_listing(&mut self) -> bool {
        let options = self.options();
        let wanted = ListingRequest {
            detail: self.draw(&[ListingDetail::Count, ListingDetail::Names, ListingDetail::Metadata]),
            sort: self.draw(&[ListingSort::Path, ListingSort::Path, ListingSort::Mtime, ListingSort::Size]),
            keep: self.draw(&[1_000, 3]),
        };
        let _ = self.project.ensure_open();
        let roots = if self.number(2) == 0 { self.places() } else { Vec::new() };
        let within = self.within();
        let run = |indexes: Option<&Arc<CodeIndexes>>| {
            let filter = FileFilter::new(&self.project, &roots, &options, SystemTime::now()).expect("valid");
            let filter = filter.only_within(within.clone());
            let filter = match indexes {
                Some(indexes) => filter.with_index(indexes),
                None => filter,
            };
            let unstamped = self.project.unstamped();
            let listing = filter.list(wanted, &CancellationToken::new()).expect("not cancelled");
            (listing, self.project.unstamped() > unstamped)
        };
        let (indexed, is_unstamped) = run(Some(&self.indexes));
        let (walked, was_unstamped) = run(None);
        let question = || {
            let places: Vec<_> = roots.iter().map(ProjectPath::shown).collect();
            format!(
                "{options:?} {wanted:?} {places:?} {within:?} {:?}\nlast edits:\n{}",
                indexed.index_use,
                self.last_edits()
            )
        };
        assert!(
            shown(&indexed) == shown(&walked) && is_unstamped == was_unstamped,
            "indexed {}\nwalked {}\n{}",
            shown(&indexed),
            shown(&walked),
            question()
        );
        let are_folders = roots.iter().all(|root| root.is_dir().expect("known"));
        // An exclude with a slash is relative to its root, but for fd to the current folder.
        let has_same_excludes = roots.is_empty() || !options.exclude.iter().any(|glob| glob == "lib/**");
        if are_folders
            && has_same_excludes
            && within.is_none()
            && !options.traversal.follow_symlinks
            && self.edits.len().is_multiple_of(10)
        {
            let listed = self.listed_by_fd(&options, &roots);
            assert_eq!(indexed.total_count, listed.len() as u64, "{listed:?} {}", question());
        }
        indexed.index_use == IndexUse::Whole
    }

    /// Returns the places of a call, and those of its globs.
    pub(super) fn targets(&mut self) -> (SearchTargets, Option<PlaceFilter>) {
        let _ = self.project.ensure_open();
        let targets = SearchTargets { roots: self.places(), ..SearchTargets::default() };
        (targets, self.within())
    }

    /// Finds source files with and without the index.
    pub(super) fn compare_sources(&mut self) {
        let options =
            ScopeOptions { include_globs: self.globs(), exclude_globs: self.globs(), ..ScopeOptions::default() };
        let (targets, within) = self.targets();
        let scope = || {
            let scope = SearchScope::new(&self.project, &options, 100 << 20).expect("valid");
            scope.only_within(within.clone())
        };
        let run = |scope: SearchScope| -> Vec<PathBuf> {
            let found = find_sources(&targets, &scope, None, &CancellationToken::new()).expect("not cancelled");
            found.files.iter().map(|path| path.relative().to_path_buf()).collect()
        };
        let (indexed, walked) = (run(scope().with_index(&self.indexes)), run(scope()));
        assert_eq!(indexed, walked, "{options:?} {targets:?} {within:?}\n{}", self.last_edits());
    }

    /// Queries elements by their name with and without the index. Returns true if there was one.
    pub(super) fn compare_query(&mut self) -> bool {
        let name = self.draw(&["alpha", "gamma_ray", "needle", "x", "日本語"]);
        let filter = ElementFilter::parse(&format!("name={name}")).expect("a filter");
        let asked = self.draw(&[None, None, Some("rust"), Some("cpp"), Some("c")]);
        let options = ScopeOptions { include_globs: self.globs(), ..ScopeOptions::default() };
        let (targets, within) = self.targets();
        let parsers = ParserPool::in_process();
        let run = |indexes: Option<&Arc<CodeIndexes>>| {
            let scope = SearchScope::new(&self.project, &options, 100 << 20).expect("valid");
            let scope = scope.only_within(within.clone());
            let scope = match indexes {
                Some(indexes) => scope.with_index(indexes),
                None => scope,
            };
            let kind = QueryKind::Key("functions".to_owned());
            let (kind, scope) = ((&kind, &UserQueries::default()), (&targets, &scope));
            query_files(kind, &filter, asked, scope, 100, &parsers, &CancellationToken::new())
        };
        let (indexed, walked) = (run(Some(&self.indexes)), run(None));
        let shown = |found| format!("{found:?}");
        assert_eq!(shown(&indexed), shown(&walked), "{name} {options:?} {targets:?} {within:?}\n{}", self.last_edits());
        walked.is_ok_and(|found| found.total > 0)
    }

    /// Returns the paths that fd lists.
    fn listed_by_fd(&self, options: &FileOptions, roots: &[ProjectPath]) -> BTreeSet<PathBuf> {
        let roots: Vec<String> = roots.iter().map(|root| root.absolute().display().to_string()).collect();
        let whole = [self.root.display().to_string()];
        let roots = if roots.is_empty() { &whole[..] } else { &roots };
        let printed = programs::fd(&fd::arguments(options, roots), &self.root, &self.home);
        let paths = printed.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        paths.map(|path| Path::new(OsStr::from_bytes(path.strip_suffix(b"/").unwrap_or(path))).to_path_buf()).collect()
    }
}

/// Everything of a listing that a caller sees.
fn shown(listing: &FileListing) -> String {
    let rows = listing.entries.iter().map(|file| {
        let facts = (file.is_dir, file.is_symlink, file.size_bytes, file.mtime);
        format!("{} {facts:?}", file.path.relative().display())
    });
    let rows: Vec<_> = rows.collect();
    format!("{} {} {:?}\n{}", listing.total_count, listing.visited, listing.skipped, rows.join("\n"))
}
