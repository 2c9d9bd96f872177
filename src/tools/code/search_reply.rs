//! The shared arguments and reply of `search_content` and `find_and_grep`: the query, the formats, the result.

use std::ops::Range;

use fumi_base::{encoding::EncodingChoice, text::Locale};
use fumi_code::{
    errors::search::SearchError,
    ranked::Ranking,
    search::{ScopeOptions, SearchScope},
    shape::{ReplyShape, ShapedReply},
    skipped::SkippedList,
    text_query::{CaseSensitivity, QuerySyntax, TextQueryOptions},
};
use fumi_kernel::{ArgumentRule, Cx, NextPage, Render, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MAX_RESULTS, SearchDeps, WalkArgs, clamp_limit, malformed_files::MalformedFilesReport};

/// The formats that exclude one another, most efficient first.
pub const FORMAT_RULE: ArgumentRule = ArgumentRule::AtMostOne(&[
    "total_only",
    "count_only_matches",
    "summary_only",
    "group_by_file",
    "optimize_paths",
]);

/// Requires a known encoding label.
pub const ENCODING_RULE: ArgumentRule = ArgumentRule::Encoding("encoding");
/// Reduces `max_count` to [`MAX_RESULTS`].
pub const MAX_COUNT_RULE: ArgumentRule = ArgumentRule::ClampedTo("max_count", MAX_RESULTS);

/// The maximum number of context lines on either side of a match; `extract_code_section` is the tool for reading more.
const MAX_CONTEXT: usize = 100;

/// The text to search for, with the search options.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "published arguments of clients, converted by `options`"
)]
pub struct TextQueryArgs {
    /// A regular expression, or a literal text with `fixed_strings`.
    #[schemars(length(min = 1))]
    query: String,
    /// The treatment of upper and lower case.
    #[serde(default)]
    case: CaseMode,
    /// True if the query is a literal text.
    #[serde(default)]
    fixed_strings: bool,
    /// True to match whole words only.
    #[serde(default)]
    word: bool,
    /// True if matches may span lines.
    #[serde(default)]
    multiline: bool,
    /// True to use the PCRE2 engine.
    #[serde(default)]
    pcre2: bool,
    /// The encoding of all files.
    encoding: Option<String>,
    /// The number of context lines before a match.
    #[schemars(range(max = 100))]
    context_before: Option<usize>,
    /// The number of context lines after a match.
    #[schemars(range(max = 100))]
    context_after: Option<usize>,
    /// The maximum number of matching lines per file.
    #[schemars(range(min = 1))]
    max_count: Option<u64>,
}

/// The treatment of upper and lower case.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum CaseMode {
    #[default]
    Smart,
    Insensitive,
    Sensitive,
}

impl TextQueryArgs {
    /// Returns the query for the search crate, and the bound to which `max_count` was reduced, if it was.
    pub fn options(&self) -> Result<(TextQueryOptions, Option<u64>), ToolError> {
        let (max_count, adjusted) = self.max_count.map(clamp_limit).unzip();
        let options = TextQueryOptions {
            query: self.query.clone(),
            syntax: match (self.pcre2, self.fixed_strings) {
                (false, false) => QuerySyntax::Regex,
                (false, true) => QuerySyntax::Literal,
                (true, false) => QuerySyntax::Pcre2,
                (true, true) => QuerySyntax::Pcre2Literal,
            },
            case: match self.case {
                CaseMode::Smart => CaseSensitivity::Smart,
                CaseMode::Insensitive => CaseSensitivity::Insensitive,
                CaseMode::Sensitive => CaseSensitivity::Sensitive,
            },
            word: self.word,
            multiline: self.multiline,
            encoding: EncodingChoice::parse(self.encoding.as_deref().unwrap_or("auto"))?,
            context_before: self.context_before.unwrap_or(0).min(MAX_CONTEXT),
            context_after: self.context_after.unwrap_or(0).min(MAX_CONTEXT),
            max_count,
        };
        Ok((options, adjusted.flatten()))
    }
}

/// The criteria for the searched files: paths and sizes.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct ContentGlobs {
    /// Globs of the files to search.
    #[serde(default)]
    include_globs: Vec<String>,
    /// Globs of the files to leave out.
    #[serde(default)]
    exclude_globs: Vec<String>,
    /// The size above which files are skipped.
    max_filesize: Option<String>,
}

impl ContentGlobs {
    /// True if only some files are to be searched.
    #[must_use]
    pub fn includes(&self) -> bool {
        !self.include_globs.is_empty()
    }

    /// Validates the globs and returns the scope of the search.
    pub fn scope(&self, walk: &WalkArgs, deps: &SearchDeps, cx: &Cx) -> Result<SearchScope, ToolError> {
        let options = ScopeOptions {
            include_globs: self.include_globs.clone(),
            exclude_globs: self.exclude_globs.clone(),
            max_filesize: self.max_filesize.clone(),
            traversal: walk.traversal(),
        };
        SearchScope::new(&cx.project, &options, deps.file_bytes)
            .map_err(|errors: Vec<SearchError>| ToolError::combine_same_kind(&errors))
    }
}

/// The form of the reply: five booleans that exclude one another, turned into one [`ReplyShape`].
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "published arguments of clients, converted by `shape`"
)]
pub struct ReplyFormatArgs {
    /// True for the total number only.
    #[serde(default)]
    total_only: bool,
    /// True for the number of matches per file.
    #[serde(default)]
    count_only_matches: bool,
    /// True for the files with the most matches.
    #[serde(default)]
    summary_only: bool,
    /// True to group rows by file.
    #[serde(default)]
    group_by_file: bool,
    /// True to return the common part of the paths once.
    #[serde(default)]
    optimize_paths: bool,
}

impl ReplyFormatArgs {
    /// Returns the requested shape. [`FORMAT_RULE`] rejects a call with more than one.
    #[must_use]
    pub fn shape(self) -> ReplyShape {
        match self {
            Self { total_only: true, .. } => ReplyShape::TotalOnly,
            Self {
                count_only_matches: true,
                ..
            } => ReplyShape::CountOnly,
            Self { summary_only: true, .. } => ReplyShape::Summary,
            Self {
                group_by_file: true, ..
            } => ReplyShape::Grouped,
            Self {
                optimize_paths: true, ..
            } => ReplyShape::OptimizedPaths,
            _ => ReplyShape::Normal,
        }
    }
}

/// The reply of both search tools.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SearchReply {
    #[serde(flatten)]
    shaped: ShapedReply,
    /// The limit that was applied instead of a larger `max_count`.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_count_adjusted: Option<u64>,
    /// The skipped files and links.
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<SkippedSummary>,
    /// The same beside a bare number, which is for clients that get no structure.
    #[serde(skip)]
    skipped_beside: Option<SkippedSummary>,
    /// For a ranking: the files with syntax errors, where elements may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    broken: Option<MalformedFilesReport>,
    /// The number of searched files, if none of them matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    searched_files: Option<u64>,
    /// The number of searched files, if it exceeds the size of a normal project.
    #[serde(skip_serializing_if = "Option::is_none")]
    large_project: Option<u64>,
    /// The call that returns the missing rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<NextPage>,
}

/// The skipped files and links, with a few examples.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SkippedSummary {
    /// The number of skipped files and links.
    total: u64,
    /// The first skipped paths, each with its reason.
    examples: Vec<String>,
    /// The advice for each reason.
    #[serde(skip)]
    advice: Vec<fumi_base::text::BilingualText>,
}

/// The maximum number of skipped paths that a reply names.
const EXAMPLES: usize = 5;

impl SkippedSummary {
    /// Returns `None` if no file was skipped.
    #[must_use]
    pub fn from_skipped(skipped: &SkippedList) -> Option<Self> {
        (skipped.total > 0).then(|| Self {
            total: skipped.total,
            examples: skipped
                .examples
                .iter()
                .take(EXAMPLES)
                .map(|skipped| format!("{} ({:?})", skipped.path, skipped.reason))
                .collect(),
            advice: {
                let mut advice = Vec::new();
                for text in skipped.examples.iter().filter_map(|skipped| skipped.reason.advice()) {
                    if !advice.contains(&text) {
                        advice.push(text);
                    }
                }
                advice
            },
        })
    }

    /// Returns the text form: one line, and one for each piece of advice.
    #[must_use]
    pub fn text(&self, locale: Locale) -> String {
        let mut text = format!("skipped: {} {}", self.total, self.examples.join(", "));
        for advice in &self.advice {
            text.push_str(&format!("\n{}", advice.get(locale)));
        }
        text
    }
}

impl SearchReply {
    /// Creates a reply from shaped matches.
    #[must_use]
    pub fn new(
        shaped: ShapedReply,
        skipped: &SkippedList,
        max_count_adjusted: Option<u64>,
        large_project: Option<u64>,
    ) -> Self {
        let bare = matches!(shaped, ShapedReply::Total(_));
        let skipped = SkippedSummary::from_skipped(skipped);
        let (skipped, skipped_beside) = if bare { (None, skipped) } else { (skipped, None) };
        Self {
            max_count_adjusted: max_count_adjusted.filter(|_| !bare),
            skipped,
            skipped_beside,
            broken: None,
            searched_files: shaped.searched_without_match(),
            large_project: large_project.filter(|_| !bare),
            next: None,
            shaped,
        }
    }

    /// Creates a reply from a ranking.
    #[must_use]
    pub fn ranked(ranking: Ranking, large_project: Option<u64>) -> Self {
        let shaped = ShapedReply::Ranked(ranking.output);
        Self {
            broken: MalformedFilesReport::from_files(ranking.broken),
            ..Self::new(shaped, &ranking.matches.skipped, None, large_project)
        }
    }
}

impl Render for SearchReply {
    fn text(&self, locale: Locale) -> String {
        let mut text = self.shaped.text();
        if let Some(bound) = self.max_count_adjusted {
            text.push_str(&format!("\nmax_count_adjusted: {bound}"));
        }
        if let Some(skipped) = &self.skipped {
            text.push('\n');
            text.push_str(&skipped.text(locale));
        }
        if let Some(broken) = &self.broken {
            text.push('\n');
            text.push_str(&broken.ranking_warning(locale));
        }
        if let Some(next) = &self.next {
            text.push('\n');
            text.push_str(&next.line());
        }
        text
    }

    fn rows(&self) -> usize {
        self.shaped.rows()
    }

    fn page(&self, rows: Range<usize>) -> (Self, usize) {
        let (shaped, end) = self.shaped.page(rows);
        let page = Self {
            shaped,
            ..self.clone_without_rows()
        };
        (page, end)
    }

    fn mark(&mut self, next: &NextPage) {
        self.next = Some(next.clone());
    }

    fn text_alone(&self, locale: Locale) -> String {
        match &self.shaped {
            ShapedReply::Total(output) => {
                let skipped = self.skipped_beside.as_ref().map(|skipped| skipped.text(locale));
                let lines = std::iter::once(output.in_words.clone()).chain(skipped);
                lines.collect::<Vec<_>>().join("\n")
            }
            _ => self.text(locale),
        }
    }

    fn is_bare(&self) -> bool {
        matches!(self.shaped, ShapedReply::Total(_))
    }
}

impl SearchReply {
    /// Clones everything but the rows, of which there may be many.
    fn clone_without_rows(&self) -> Self {
        Self {
            shaped: ShapedReply::Total(fumi_code::shape::TotalOutput::default()),
            max_count_adjusted: self.max_count_adjusted,
            skipped: self.skipped.clone(),
            skipped_beside: None,
            broken: self.broken.clone(),
            searched_files: self.searched_files,
            large_project: self.large_project,
            next: None,
        }
    }
}
