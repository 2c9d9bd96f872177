//! The tool `search_content`: searches text in files, as ripgrep does.

use std::sync::Arc;

use fumi_code::{
    ranked::{RankedQuery, rank},
    search::{SearchTargets, search},
    shape::shape,
    text_query::TextQuery,
};
use fumi_kernel::{ArgumentRule, Cx, SharedOption, Tool, ToolError, ToolOutcome, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    READS, SearchDeps, WalkArgs,
    path_arguments::{self, GlobRoots, SearchPlaces},
    search_reply::{
        ContentGlobs, ENCODING_RULE, FORMAT_RULE, MAX_COUNT_RULE, ReplyFormatArgs, RoleSearch, SearchNotes,
        SearchReply, TextQueryArgs,
    },
    texts,
};

#[derive(Debug)]
pub struct SearchContent;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    #[serde(flatten)]
    text: TextQueryArgs,
    /// The folders to search.
    #[serde(default)]
    #[schemars(length(min = 1))]
    roots: Vec<String>,
    /// The files to search.
    #[serde(default)]
    #[schemars(length(min = 1))]
    files: Vec<String>,
    #[serde(flatten)]
    globs: ContentGlobs,
    #[serde(flatten)]
    walk: WalkArgs,
    #[serde(flatten)]
    format: ReplyFormatArgs,
    /// True to return the elements that match best.
    #[serde(default)]
    ranked: bool,
}

/// Excludes the options that do not apply to ranked elements.
const LINES_ONLY: ArgumentRule = ArgumentRule::Without(
    "ranked",
    &[
        "total_only",
        "count_only_matches",
        "summary_only",
        "group_by_file",
        "optimize_paths",
        "context_before",
        "context_after",
        "max_count",
        "multiline",
        "roles",
    ],
);

impl Tool for SearchContent {
    const SPEC: ToolSpec = ToolSpec {
        name: "search_content",
        texts: texts!("search_content"),
        example: r#"{"query": "def main", "roots": ["src"], "include_globs": ["*.py"], "group_by_file": true}"#,
        options: &[SharedOption::Project, SharedOption::Delivery, SharedOption::Cursor],
        rules: &[FORMAT_RULE, LINES_ONLY, ENCODING_RULE, MAX_COUNT_RULE],
        ..READS
    };
    type Deps = SearchDeps;
    type Args = Args;
    type Output = SearchReply;

    async fn call(args: Args, deps: &SearchDeps, cx: &Cx) -> Result<ToolOutcome<SearchReply>, ToolError> {
        let (options, adjusted) = args.text.options()?;
        let rules = GlobRoots {
            has_globs: args.globs.includes() || !args.files.is_empty(),
            of_folders: false,
            traversal: args.walk.traversal(),
        };
        let places = if args.roots.is_empty() && !args.files.is_empty() {
            SearchPlaces::default()
        } else {
            path_arguments::resolve_roots(cx, &args.roots, rules, &deps.indexes).await?
        };
        let targets =
            SearchTargets { roots: places.roots, files: path_arguments::resolve_paths(cx, &args.files).await? };
        let scope = args.globs.scope(&args.walk, deps, cx)?.only_within(places.within);
        if args.ranked {
            let query = RankedQuery::new(&options)?;
            let (parsers, indexes) = (Arc::clone(&deps.parsers), Arc::clone(&deps.indexes));
            let work = cx.blocking(move |cancel, _| {
                let scope = scope.with_index(&indexes);
                rank(&query, &targets, &scope, &parsers, cancel)
            });
            let ranking = work.await?;
            deps.note_index_use(cx, ranking.matches.index_use);
            let large = deps.large_project(ranking.matches.searched_files)?;
            return Ok(ToolOutcome::Done(SearchReply::ranked(ranking, large)));
        }
        let query = TextQuery::new(&options)?;
        let form = args.format.shape();
        let (wanted_roles, parsers, indexes) = (args.text.roles, Arc::clone(&deps.parsers), Arc::clone(&deps.indexes));
        let (matches, notes) = cx
            .blocking(move |cancel, _| {
                let wanted =
                    RoleSearch { query, scope: scope.with_index(&indexes), form, roles: wanted_roles, parsers };
                let find = |demand| search(&wanted.query, &targets, &wanted.scope, demand, cancel);
                wanted.run(cancel, options.max_count, find)
            })
            .await?;
        deps.note_index_use(cx, matches.index_use);
        let notes = SearchNotes {
            max_count_adjusted: adjusted,
            large_project: deps.large_project(matches.searched_files)?,
            ..notes
        };
        Ok(ToolOutcome::Done(SearchReply::new(shape(matches, form, 0, None), notes)))
    }
}
