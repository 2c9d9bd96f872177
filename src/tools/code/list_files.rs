//! The tool `list_files`: finds files by name, kind, size and age, as fd does.

use std::{ops::Range, time::Duration};

use fumi_base::{pools::Pool, text::Locale};
use fumi_code::walk::{FoundFile, ListingDetail, ListingRequest};
use fumi_kernel::{Cx, Effect, NextPage, Render, SharedOption, Tool, ToolError, ToolOutcome, ToolSpec, ToolTextFiles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    FAMILY, FileNameArgs, MAX_RESULTS, SearchDeps, TOOLSET, WalkArgs, clamp_limit,
    path_arguments::{self, GlobRoots},
};

#[derive(Debug)]
pub struct ListFiles;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The folders to search.
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
    },
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
            path: if absolute {
                file.path.shown_absolute()
            } else {
                file.path.shown()
            },
            is_dir: file.is_dir,
            size_bytes: file.size_bytes.unwrap_or_default(),
            mtime: file.mtime.unwrap_or_default(),
            ext: file.ext(),
        }
    }
}

impl Tool for ListFiles {
    const SPEC: ToolSpec = ToolSpec {
        name: "list_files",
        aliases: &[],
        toolset: TOOLSET,
        other_toolsets: &[],
        family: &FAMILY,
        listed: true,
        texts: ToolTextFiles {
            en: include_str!("list_files.en.md"),
            ja: include_str!("list_files.ja.md"),
        },
        example: r#"{"roots": ["src"], "extensions": ["py"], "absolute": false, "limit": 100}"#,
        options: &[
            SharedOption::Project,
            SharedOption::Timeout,
            SharedOption::Delivery,
            SharedOption::Cursor,
        ],
        rules: &[],
        pool: Pool::Analysis,
        exclusive: false,
        timeout: Duration::from_secs(30),
        cached: true,
        effect: Effect::ReadOnly,
    };
    type Deps = SearchDeps;
    type Args = Args;
    type Output = Output;

    fn is_pure(args: &Args) -> bool {
        !args.name.depends_on_now()
    }

    async fn call(args: Args, deps: &SearchDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let rules = GlobRoots {
            has_globs: args.name.pattern.is_some(),
            of_folders: true,
            traversal: args.walk.traversal(),
        };
        let places = path_arguments::resolve_roots(cx, &args.roots, rules).await?;
        let filter = args.name.filter(&cx.project, &places.roots, &args.walk)?;
        let filter = filter.only_within(places.within);
        let (limit, limit_adjusted) = args.limit.map_or((MAX_RESULTS, None), clamp_limit);
        let keep = usize::try_from(limit).unwrap_or(usize::MAX);
        let detail = if args.count_only {
            ListingDetail::Count
        } else {
            ListingDetail::Metadata
        };
        let sort = args.name.sort.into();
        let listing = cx
            .blocking(move |cancel, _| filter.list(ListingRequest { detail, sort, keep }, cancel))
            .await?;
        let large_project = deps.large_project(listing.visited)?;
        let skipped = (listing.skipped.total > 0).then_some(listing.skipped.total);
        if args.count_only {
            return Ok(ToolOutcome::Done(Output::Count {
                success: true,
                count_only: true,
                total_count: listing.total_count,
                skipped,
            }));
        }
        let results: Vec<_> = listing
            .entries
            .iter()
            .map(|file| ListedFileRow::new(file, args.absolute))
            .collect();
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
        }))
    }
}

impl Render for Output {
    fn text_alone(&self, locale: Locale) -> String {
        match self {
            Self::Count { .. } => format!("total: {}", self.text(locale)),
            Self::Files { .. } => self.text(locale),
        }
    }

    fn text(&self, _locale: Locale) -> String {
        let said = |name: &str, count: Option<u64>| count.map(|count| format!("{name}: {count}"));
        match self {
            Self::Count {
                total_count, skipped, ..
            } => {
                let mut lines = vec![total_count.to_string()];
                lines.extend(said("skipped", *skipped));
                lines.join("\n")
            }
            Self::Files {
                total_count,
                results,
                limit_adjusted,
                skipped,
                next,
                ..
            } => {
                let mut lines = vec![format!("{} / {total_count}", results.len())];
                lines.extend(results.iter().map(|row| {
                    if row.is_dir {
                        format!("{}/", row.path)
                    } else {
                        format!("{}\t{}", row.path, row.size_bytes)
                    }
                }));
                lines.extend(said("limit_adjusted", *limit_adjusted));
                lines.extend(said("skipped", *skipped));
                lines.extend(next.as_ref().map(NextPage::line));
                lines.join("\n")
            }
        }
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
