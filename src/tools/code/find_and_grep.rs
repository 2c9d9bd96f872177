//! The tool `find_and_grep`: finds files as fd does, then searches text in them as ripgrep does, in one call.

use std::{sync::Arc, time::Duration};

use fumi_code::{
    listing::{ListingDetail, ListingRequest, ListingSort},
    search::search_found,
    shape::{StagesMeta, shape},
    text_query::TextQuery,
};
use fumi_kernel::{Cx, Tool, ToolError, ToolOutcome, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    FileNameArgs, READS, SearchDeps, WalkArgs,
    path_arguments::{self, GlobRoots},
    search_reply::{
        ContentGlobs, ENCODING_RULE, FORMAT_RULE, MAX_COUNT_RULE, ReplyFormatArgs, RoleSearch, SearchNotes,
        SearchReply, TextQueryArgs,
    },
    texts,
};

/// The maximum number of files passed to the second stage, also without a caller's limit (the design limit of a
/// project).
const MAX_FILES: u64 = 100_000;

#[derive(Debug)]
pub struct FindAndGrep;

/// The shared groups of arguments, with a limit between the two stages.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    #[serde(flatten)]
    text: TextQueryArgs,
    /// The folders to search.
    #[serde(default)]
    #[schemars(length(min = 1))]
    roots: Vec<String>,
    #[serde(flatten)]
    name: FileNameArgs,
    /// The maximum number of files that are passed to the second stage.
    #[schemars(range(min = 1))]
    file_limit: Option<u64>,
    #[serde(flatten)]
    globs: ContentGlobs,
    #[serde(flatten)]
    walk: WalkArgs,
    #[serde(flatten)]
    format: ReplyFormatArgs,
}

impl Tool for FindAndGrep {
    const SPEC: ToolSpec = ToolSpec {
        name: "find_and_grep",
        texts: texts!("find_and_grep"),
        example: r#"{"roots": ["."], "extensions": ["py"], "query": "def main", "group_by_file": true}"#,
        rules: &[FORMAT_RULE, ENCODING_RULE, MAX_COUNT_RULE],
        ..READS
    };
    type Deps = SearchDeps;
    type Args = Args;
    type Output = SearchReply;

    fn is_pure(args: &Args) -> bool {
        !args.name.depends_on_now()
    }

    async fn call(args: Args, deps: &SearchDeps, cx: &Cx) -> Result<ToolOutcome<SearchReply>, ToolError> {
        let (options, adjusted) = args.text.options()?;
        let query = TextQuery::new(&options)?;
        let rules = GlobRoots { has_globs: args.globs.includes(), of_folders: false, traversal: args.walk.traversal() };
        let places = path_arguments::resolve_roots(cx, &args.roots, rules, &deps.indexes).await?;
        let filter = args.name.filter(&cx.project, &places.roots, &args.walk)?.only_within(places.within);
        let scope = args.globs.scope(&args.walk, deps, cx)?;
        let form = args.format.shape();
        let wanted = ListingRequest {
            // Times and sizes are read only if the order needs them.
            detail: match args.name.sort {
                ListingSort::Path => ListingDetail::Names,
                ListingSort::Mtime | ListingSort::Size => ListingDetail::Metadata,
            },
            sort: args.name.sort,
            keep: usize::try_from(args.file_limit.unwrap_or(MAX_FILES).min(MAX_FILES)).unwrap_or(usize::MAX),
        };
        let (wanted_roles, parsers, indexes) = (args.text.roles, Arc::clone(&deps.parsers), Arc::clone(&deps.indexes));
        let (shaped, notes, visited, index_use) = cx
            .blocking(move |cancel, _| {
                let search =
                    RoleSearch { query, scope: scope.with_index(&indexes), form, roles: wanted_roles, parsers };
                let found = filter.with_index(&indexes).list(wanted, cancel)?;
                let find = |demand| search_found(&search.query, &found, &search.scope, demand, cancel);
                let (matches, notes) = search.run(cancel, options.max_count, find)?;
                let meta = StagesMeta {
                    searched_file_count: matches.searched_files,
                    found_file_count: found.total_count,
                    truncated: (found.entries.len() as u64) < found.total_count,
                    find_elapsed_ms: millis(found.elapsed),
                    search_elapsed_ms: millis(matches.elapsed),
                };
                let index_use = matches.index_use;
                let shaped = shape(matches, form, 0, Some(meta));
                Ok::<_, ToolError>((shaped, notes, found.visited, index_use))
            })
            .await?;
        deps.note_index_use(cx, index_use);
        let notes = SearchNotes { max_count_adjusted: adjusted, large_project: deps.large_project(visited)?, ..notes };
        Ok(ToolOutcome::Done(SearchReply::new(shaped, notes)))
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
