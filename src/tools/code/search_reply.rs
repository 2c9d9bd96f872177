//! The shared arguments and reply of `search_content` and `find_and_grep`: the query, the formats, the result.

use std::ops::Range;

use fumi_base::{files::EncodingChoice, text::Locale};
use fumi_code::{
    errors::search::SearchError,
    ranked::Ranking,
    search::{Scope, ScopeOptions},
    shape::{Shape, Shaped},
    skipped::SkippedList,
    text_query::{Case, QueryOptions, Syntax},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MAX_RESULTS, SearchDeps, Walk, broken::Broken, clamp};
use crate::tool::{Cx, Next, Render, Rule, ToolError};

/// The formats that exclude one another, most efficient first.
pub const FORMATS: Rule = Rule::AtMostOne(&[
    "total_only",
    "count_only_matches",
    "summary_only",
    "group_by_file",
    "optimize_paths",
]);

/// Requires a known encoding label.
pub const ENCODING: Rule = Rule::Encoding("encoding");
/// Reduces `max_count` to [`MAX_RESULTS`].
pub const MOST_COUNT: Rule = Rule::BroughtDown("max_count", MAX_RESULTS);

/// The maximum number of context lines on either side of a match; `extract_code_section` is the tool for reading more.
const MAX_CONTEXT: usize = 100;

/// What to search for, and how.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "this is what clients send; it ends at `compile`"
)]
pub struct Text {
    /// A regular expression or text.
    #[schemars(length(min = 1))]
    query: String,
    /// How case compares.
    #[serde(default)]
    case: CaseMode,
    /// The query is text.
    #[serde(default)]
    fixed_strings: bool,
    /// Whole words.
    #[serde(default)]
    word: bool,
    /// Matches may span lines.
    #[serde(default)]
    multiline: bool,
    /// The other engine.
    #[serde(default)]
    pcre2: bool,
    /// Of all files.
    encoding: Option<String>,
    /// Lines before.
    #[schemars(range(max = 100))]
    context_before: Option<usize>,
    /// Lines after.
    #[schemars(range(max = 100))]
    context_after: Option<usize>,
    /// Per file.
    #[schemars(range(min = 1))]
    max_count: Option<u64>,
}

/// How case compares.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum CaseMode {
    #[default]
    Smart,
    Insensitive,
    Sensitive,
}

impl Text {
    /// Returns the query for the search crate, and the bound to which `max_count` was reduced, if it was.
    pub fn options(&self) -> Result<(QueryOptions, Option<u64>), ToolError> {
        let (max_count, adjusted) = match self.max_count {
            Some(_) => {
                let (count, adjusted) = clamp(self.max_count, 0);
                (Some(count as u64), adjusted)
            }
            None => (None, None),
        };
        let options = QueryOptions {
            query: self.query.clone(),
            syntax: match (self.pcre2, self.fixed_strings) {
                (false, false) => Syntax::Regex,
                (false, true) => Syntax::Literal,
                (true, false) => Syntax::Pcre2,
                (true, true) => Syntax::Pcre2Literal,
            },
            case: match self.case {
                CaseMode::Smart => Case::Smart,
                CaseMode::Insensitive => Case::Insensitive,
                CaseMode::Sensitive => Case::Sensitive,
            },
            word: self.word,
            multiline: self.multiline,
            encoding: EncodingChoice::parse(self.encoding.as_deref().unwrap_or("auto"))?,
            context_before: self.context_before.unwrap_or(0).min(MAX_CONTEXT),
            context_after: self.context_after.unwrap_or(0).min(MAX_CONTEXT),
            max_count,
        };
        Ok((options, adjusted))
    }
}

/// Which files are searched, by their paths and sizes.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct ContentGlobs {
    /// Only these.
    #[serde(default)]
    include_globs: Vec<String>,
    /// Not these.
    #[serde(default)]
    exclude_globs: Vec<String>,
    /// Larger files are left out.
    max_filesize: Option<String>,
}

impl ContentGlobs {
    /// True if only some files are to be searched.
    #[must_use]
    pub fn includes(&self) -> bool {
        !self.include_globs.is_empty()
    }

    /// Validates the globs and returns the scope of the search.
    pub fn scope(&self, walk: &Walk, deps: &SearchDeps, cx: &Cx) -> Result<Scope, ToolError> {
        let options = ScopeOptions {
            include_globs: self.include_globs.clone(),
            exclude_globs: self.exclude_globs.clone(),
            max_filesize: self.max_filesize.clone(),
            traversal: walk.traversal(),
        };
        Scope::new(&cx.project, &options, deps.file_bytes).map_err(|errors: Vec<SearchError>| ToolError::all(&errors))
    }
}

/// The form of the reply: five booleans that exclude one another, turned into one [`Shape`].
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "this is what clients send; it ends at `shape`"
)]
pub struct Format {
    /// One number.
    #[serde(default)]
    total_only: bool,
    /// A number per file.
    #[serde(default)]
    count_only_matches: bool,
    /// The files with the most matches.
    #[serde(default)]
    summary_only: bool,
    /// Rows under their file.
    #[serde(default)]
    group_by_file: bool,
    /// The common path once.
    #[serde(default)]
    optimize_paths: bool,
}

impl Format {
    /// Returns the requested shape. [`FORMATS`] rejects a call with more than one.
    #[must_use]
    pub fn shape(self) -> Shape {
        match self {
            Self { total_only: true, .. } => Shape::TotalOnly,
            Self {
                count_only_matches: true,
                ..
            } => Shape::CountOnly,
            Self { summary_only: true, .. } => Shape::Summary,
            Self {
                group_by_file: true, ..
            } => Shape::Grouped,
            Self {
                optimize_paths: true, ..
            } => Shape::OptimizedPaths,
            _ => Shape::Normal,
        }
    }
}

/// What both tools answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SearchReply {
    #[serde(flatten)]
    shaped: Shaped,
    /// The bound that a larger `max_count` was brought down to.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_count_adjusted: Option<u64>,
    /// What was passed over.
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<PassedOver>,
    /// Of a ranking: files whose syntax is broken somewhere, so that elements may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    broken: Option<Broken>,
    /// How many files were searched, if none of them matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    searched_files: Option<u64>,
    /// How many files were searched, if that is more than a project should have.
    #[serde(skip_serializing_if = "Option::is_none")]
    large_project: Option<u64>,
    /// How to get the missing rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
}

/// What was passed over, with a few examples.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PassedOver {
    /// How many files and links.
    total: u64,
    /// The first of them, each with its reason.
    examples: Vec<String>,
    /// What to do about them.
    #[serde(skip)]
    advice: Vec<fumi_base::text::Text>,
}

/// The maximum number of skipped paths that a reply names.
const EXAMPLES: usize = 5;

impl PassedOver {
    /// Returns `None` if no file was skipped.
    #[must_use]
    pub fn of(skipped: &SkippedList) -> Option<Self> {
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
        shaped: Shaped,
        skipped: &SkippedList,
        max_count_adjusted: Option<u64>,
        large_project: Option<u64>,
    ) -> Self {
        let bare = matches!(shaped, Shaped::Total(_));
        Self {
            max_count_adjusted: max_count_adjusted.filter(|_| !bare),
            skipped: PassedOver::of(skipped).filter(|_| !bare),
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
        let shaped = Shaped::Ranked(ranking.output);
        Self {
            broken: Broken::of(ranking.broken),
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
            text.push_str(&broken.of_elements(locale));
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

    fn mark(&mut self, next: &Next) {
        self.next = Some(next.clone());
    }

    fn is_bare(&self) -> bool {
        matches!(self.shaped, Shaped::Total(_))
    }
}

impl SearchReply {
    /// Clones everything but the rows, of which there may be many.
    fn clone_without_rows(&self) -> Self {
        Self {
            shaped: Shaped::Total(fumi_code::shape::TotalOutput { total_matches: 0 }),
            max_count_adjusted: self.max_count_adjusted,
            skipped: self.skipped.clone(),
            broken: self.broken.clone(),
            searched_files: self.searched_files,
            large_project: self.large_project,
            next: None,
        }
    }
}
