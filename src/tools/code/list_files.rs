//! The tool `list_files`: finds files by name, kind, size and age, as fd does.

use std::{ops::Range, sync::Arc};

use fumi_base::text::Locale;
use fumi_code::{
    listing::{FoundFile, ListingDetail, ListingRequest, ListingSort},
    modified_filter::shown_time,
};
use fumi_kernel::{Cx, NextPage, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    FileNameArgs, MAX_RESULTS, READS, SearchDeps, WalkArgs, clamp_limit,
    path_arguments::{self, GlobRoots},
    search_reply::{self, SkippedSummary},
    texts,
};

#[derive(Debug)]
pub struct ListFiles;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The folders to search.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub roots: Vec<String>,
    #[serde(flatten)]
    name: FileNameArgs,
    #[serde(flatten)]
    walk: WalkArgs,
    /// True for absolute paths.
    #[serde(default = "yes")]
    pub absolute: bool,
    /// The maximum number of results.
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// True to return only the number.
    #[serde(default)]
    pub count_only: bool,
}

fn yes() -> bool {
    true
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Output {
    /// The reply to `count_only`.
    Count {
        /// Always true.
        success: bool,
        /// Always true.
        count_only: bool,
        /// The number of all matches.
        total_count: u64,
        /// The number of entries that could not be visited.
        #[serde(skip_serializing_if = "Option::is_none")]
        skipped: Option<u64>,
        /// The facts for the text.
        #[serde(skip)]
        notes: ListingNotes,
    },
    /// The reply with the files.
    Files {
        /// Always true.
        success: bool,
        /// The number of rows in this reply.
        count: usize,
        /// The number of all matches.
        total_count: u64,
        /// True if rows are missing.
        truncated: bool,
        /// The duration in milliseconds.
        elapsed_ms: u64,
        /// The listed files.
        results: Vec<ListedFileRow>,
        /// The limit that was applied instead of a larger one.
        #[serde(skip_serializing_if = "Option::is_none")]
        limit_adjusted: Option<u64>,
        /// The number of skipped entries, such as links that lead outside the project.
        #[serde(skip_serializing_if = "Option::is_none")]
        skipped: Option<u64>,
        /// The number of visited entries, if it exceeds the size of a normal project.
        #[serde(skip_serializing_if = "Option::is_none")]
        large_project: Option<u64>,
        /// The call that returns the missing rows.
        #[serde(skip_serializing_if = "Option::is_none")]
        next: Option<NextPage>,
        /// The facts for the text.
        #[serde(skip)]
        notes: ListingNotes,
    },
}

/// The facts of a listing for its text.
#[derive(Clone, Debug, Default)]
pub struct ListingNotes {
    /// The root of the project, if the rows have absolute paths.
    root: Option<String>,
    /// True if the times matter to the caller.
    shows_time: bool,
    /// The number of rows of all pages.
    rows: usize,
    /// The index of the first row of this page.
    from: usize,
    skipped: Option<SkippedSummary>,
    large_project: Option<u64>,
}

/// A listed file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListedFileRow {
    path: String,
    is_dir: bool,
    size_bytes: u64,
    /// The modification time in Unix seconds.
    mtime: i64,
    ext: String,
}

impl ListedFileRow {
    fn new(file: &FoundFile, absolute: bool) -> Self {
        Self {
            path: if absolute { file.path.shown_absolute() } else { file.path.shown() },
            is_dir: file.is_dir,
            size_bytes: file.size_bytes.unwrap_or_default(),
            mtime: file.mtime.unwrap_or_default(),
            ext: file.ext(),
        }
    }

    /// Returns the path below the root, with the size and, if it matters, the time of a file.
    fn text(&self, notes: &ListingNotes) -> String {
        let inside = notes.root.as_ref().and_then(|root| self.path.strip_prefix(root));
        let path = match inside.map(|path| path.trim_start_matches(['/', '\\'])) {
            Some("") => ".",
            Some(path) => path,
            None => &self.path,
        };
        let time = if notes.shows_time { format!("\t{}", shown_time(self.mtime)) } else { String::new() };
        if self.is_dir { format!("{path}/{time}") } else { format!("{path}\t{}{time}", self.size_bytes) }
    }
}

impl ListingNotes {
    /// Returns the first line of a listing: the rows of this page and of all, and the folder of the paths.
    fn heading(&self, shown: usize, total: u64, locale: Locale) -> String {
        let (first, last) = (self.from + 1, self.from + shown);
        let within = self.root.as_ref();
        let within = match locale {
            Locale::En => within.map(|root| format!(" in {root}")),
            Locale::Ja => within.map(|root| format!("（{root} 内）")),
        };
        let is_page = shown < self.rows;
        let is_limited = (self.rows as u64) < total;
        let rows = match locale {
            _ if total == 0 => return no_entries(locale).to_owned(),
            Locale::En if is_page => format!("{first}-{last} of {total}"),
            Locale::Ja if is_page => format!("全 {total} 件中 {first}-{last} 件目"),
            Locale::En if is_limited => format!("first {shown} of {total} (limit)"),
            Locale::Ja if is_limited => format!("全 {total} 件中、先頭 {shown} 件（limit）"),
            Locale::En if total == 1 => "1 entry".to_owned(),
            Locale::En => format!("{total} entries"),
            Locale::Ja => format!("{total} 件"),
        };
        rows + &within.unwrap_or_default()
    }

    /// Returns the notes below a number.
    fn below(&self, number: String, locale: Locale) -> String {
        let lines: Vec<_> = std::iter::once(number).chain(self.lines(None, locale)).collect();
        lines.join("\n")
    }

    fn lines(&self, limit_adjusted: Option<u64>, locale: Locale) -> impl Iterator<Item = String> {
        let adjusted = limit_adjusted.map(|bound| search_reply::adjusted_limit("limit", bound, locale));
        let skipped = self.skipped.as_ref().map(|skipped| skipped.text(locale));
        let large = self.large_project.map(|files| search_reply::large_project(files, locale));
        [adjusted, skipped, large].into_iter().flatten()
    }
}

const fn no_entries(locale: Locale) -> &'static str {
    match locale {
        Locale::En => "No files found.",
        Locale::Ja => "該当するファイルはありません。",
    }
}

impl Tool for ListFiles {
    const SPEC: ToolSpec = ToolSpec {
        name: "list_files",
        texts: texts!("list_files"),
        example: r#"{"roots": ["src"], "extensions": ["py"], "absolute": false, "limit": 100}"#,
        ..READS
    };
    type Deps = SearchDeps;
    type Args = Args;
    type Output = Output;

    fn is_pure(args: &Args) -> bool {
        !args.name.depends_on_now()
    }

    async fn call(args: Args, deps: &SearchDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let rules =
            GlobRoots { has_globs: args.name.pattern.is_some(), of_folders: true, traversal: args.walk.traversal() };
        let places = path_arguments::resolve_roots(cx, &args.roots, rules, &deps.indexes).await?;
        let filter = args.name.filter(&cx.project, &places.roots, &args.walk)?;
        let filter = filter.only_within(places.within);
        let (limit, limit_adjusted) = args.limit.map_or((MAX_RESULTS, None), clamp_limit);
        let keep = usize::try_from(limit).unwrap_or(usize::MAX);
        let detail = if args.count_only { ListingDetail::Count } else { ListingDetail::Metadata };
        let shows_time = matches!(args.name.sort, ListingSort::Mtime) || args.name.depends_on_now();
        let sort = args.name.sort;
        let indexes = Arc::clone(&deps.indexes);
        let listing = cx
            .blocking(move |cancel, _| {
                let filter = filter.with_index(&indexes);
                filter.list(ListingRequest { detail, sort, keep }, cancel)
            })
            .await?;
        deps.note_index_use(cx, listing.index_use);
        let large_project = deps.large_project(listing.visited)?;
        let skipped = (listing.skipped.total > 0).then_some(listing.skipped.total);
        let notes = ListingNotes {
            root: args.absolute.then(|| cx.project.shown_root()),
            shows_time,
            rows: listing.entries.len(),
            from: 0,
            skipped: SkippedSummary::from_skipped(&listing.skipped),
            large_project,
        };
        if args.count_only {
            return Ok(ToolOutcome::Done(Output::Count {
                success: true,
                count_only: true,
                total_count: listing.total_count,
                skipped,
                notes,
            }));
        }
        let results: Vec<_> = listing.entries.iter().map(|file| ListedFileRow::new(file, args.absolute)).collect();
        Ok(ToolOutcome::Done(Output::Files {
            success: true,
            count: results.len(),
            total_count: listing.total_count,
            truncated: (results.len() as u64) < listing.total_count,
            elapsed_ms: 0,
            results,
            limit_adjusted,
            skipped,
            large_project,
            next: None,
            notes,
        }))
    }
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        match self {
            Self::Count { total_count, notes, .. } => notes.below(total_count.to_string(), locale),
            Self::Files { total_count, results, limit_adjusted, next, notes, .. } => {
                let mut lines = vec![notes.heading(results.len(), *total_count, locale)];
                lines.extend(results.iter().map(|row| row.text(notes)));
                lines.extend(notes.lines(*limit_adjusted, locale));
                lines.extend(next.as_ref().map(NextPage::line));
                lines.join("\n")
            }
        }
    }

    fn text_alone(&self, locale: Locale) -> String {
        let Self::Count { total_count, notes, .. } = self else {
            return self.text(locale);
        };
        let total = match locale {
            _ if *total_count == 0 => no_entries(locale).to_owned(),
            Locale::En => format!("total: {total_count}"),
            Locale::Ja => format!("件数: {total_count}"),
        };
        notes.below(total, locale)
    }

    fn rows(&self) -> usize {
        match self {
            Self::Count { .. } => 0,
            Self::Files { results, .. } => results.len(),
        }
    }

    fn page(&self, rows: Range<usize>) -> (Self, usize) {
        let page = match self {
            Self::Count { .. } => self.clone(),
            // Field by field: cloning all rows to keep a few would take most of a cached reply's time.
            Self::Files {
                success,
                total_count,
                truncated,
                elapsed_ms,
                results,
                limit_adjusted,
                skipped,
                large_project,
                next,
                notes,
                count: _,
            } => {
                let end = rows.end.min(results.len());
                let kept = results[rows.start.min(end)..end].to_vec();
                Self::Files {
                    success: *success,
                    count: kept.len(),
                    total_count: *total_count,
                    truncated: *truncated || rows.start > 0 || end < results.len(),
                    elapsed_ms: *elapsed_ms,
                    results: kept,
                    limit_adjusted: *limit_adjusted,
                    skipped: *skipped,
                    large_project: *large_project,
                    next: next.clone(),
                    notes: ListingNotes { from: rows.start, ..notes.clone() },
                }
            }
        };
        (page, rows.end)
    }

    fn mark(&mut self, hint: &NextPage) {
        if let Self::Files { next, truncated, .. } = self {
            *truncated = true;
            *next = Some(hint.clone());
        }
    }
}
