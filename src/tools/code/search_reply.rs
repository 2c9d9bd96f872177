//! The shared arguments and reply of `search_content` and `find_and_grep`: the query, the formats, the result.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use fumi_base::{
    encoding::EncodingChoice,
    text::{BilingualText, Locale},
};
use fumi_code::{
    errors::search::SearchError,
    hit_context::{ContextFinder, FILES},
    parser_pool::ParserPool,
    ranked::Ranking,
    roles::HitRole,
    search::{RowDemand, ScopeOptions, SearchMatches, SearchScope},
    shape::{ReplyShape, ShapedReply},
    skipped::SkippedList,
    text_query::{CaseSensitivity, QuerySyntax, TextQuery, TextQueryOptions},
};
use fumi_kernel::{ArgumentRule, Cx, NextPage, Render, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::{MAX_RESULTS, SearchDeps, WalkArgs, clamp_limit, malformed_files::MalformedFilesReport};

/// The formats that exclude one another, most efficient first.
pub const FORMAT_RULE: ArgumentRule =
    ArgumentRule::AtMostOne(&["total_only", "count_only_matches", "summary_only", "group_by_file", "optimize_paths"]);

/// Requires a known encoding label.
pub const ENCODING_RULE: ArgumentRule = ArgumentRule::Encoding("encoding");
/// Reduces `max_count` to [`MAX_RESULTS`].
pub const MAX_COUNT_RULE: ArgumentRule = ArgumentRule::ClampedTo("max_count", MAX_RESULTS);

/// The maximum number of context lines on either side of a match; `extract_code_section` is the tool for reading more.
const MAX_CONTEXT: usize = 100;

/// The text to search for, with the search options.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "published arguments of clients, converted by `options`")]
pub struct TextQueryArgs {
    /// A regular expression, or a literal text with `fixed_strings`.
    #[schemars(length(min = 1))]
    query: String,
    /// The treatment of upper and lower case.
    #[serde(default)]
    case: CaseSensitivity,
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
    /// The only roles of matches to return.
    #[serde(default)]
    pub roles: Vec<HitRole>,
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
            case: self.case,
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
#[expect(clippy::struct_excessive_bools, reason = "published arguments of clients, converted by `shape`")]
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
    pub fn shape(self) -> ReplyShape {
        match self {
            Self { total_only: true, .. } => ReplyShape::TotalOnly,
            Self { count_only_matches: true, .. } => ReplyShape::CountOnly,
            Self { summary_only: true, .. } => ReplyShape::Summary,
            Self { group_by_file: true, .. } => ReplyShape::Grouped,
            Self { optimize_paths: true, .. } => ReplyShape::OptimizedPaths,
            _ => ReplyShape::Normal,
        }
    }
}

/// The reply of both search tools.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SearchReply {
    #[serde(flatten)]
    shaped: ShapedReply,
    /// The notes; for a bare number only of what was skipped, where it is too small.
    #[serde(flatten)]
    published: SearchNotes,
    /// For a ranking: the files with syntax errors, where elements may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    broken: Option<MalformedFilesReport>,
    /// The number of searched files, if none of them matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    searched_files: Option<u64>,
    /// The call that returns the missing rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<NextPage>,
    /// The notes for the text.
    #[serde(skip)]
    notes: SearchNotes,
}

/// A search with the roles that it asks for.
#[derive(Debug)]
pub struct RoleSearch {
    pub query: TextQuery,
    pub scope: SearchScope,
    pub form: ReplyShape,
    pub roles: Vec<HitRole>,
    pub parsers: Arc<ParserPool>,
}

impl RoleSearch {
    /// Returns the matches, with contexts if the form has them, and the notes about them.
    pub fn run(
        &self,
        cancel: &CancellationToken,
        max_count: Option<u64>,
        search: impl Fn(RowDemand) -> Result<SearchMatches, SearchError>,
    ) -> Result<(SearchMatches, SearchNotes), SearchError> {
        let keep = usize::try_from(MAX_RESULTS).unwrap_or(usize::MAX);
        let rows = RowDemand::Rows { keep };
        let demand = self.form.row_demand(keep);
        let mut matches = search(if self.roles.is_empty() && !self.form.has_roles() { demand } else { rows })?;
        let finder = ContextFinder { query: &self.query, scope: &self.scope, parsers: &self.parsers, cancel };
        let mut notes = SearchNotes::from_matches(&matches, max_count);
        if !self.roles.is_empty() {
            (notes.unparsed, notes.other_roles) = finder.keep_roles(&mut matches, &self.roles)?;
        } else if demand != rows && self.form.has_roles() && !matches.complete {
            // A summary shows the files with the most matches, whose rows may be among those that were not kept.
            matches = search(demand)?;
        } else if self.form.has_roles() && !finder.add_to(&mut matches)? {
            notes.files_without_roles = Some(matches.total_files());
        }
        Ok((matches, notes))
    }
}

/// The facts of a search besides its matches.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct SearchNotes {
    /// The limit that was applied instead of a larger `max_count`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_count_adjusted: Option<u64>,
    /// The maximum number of lines per file, if a file reached it; for the text.
    #[serde(skip)]
    pub max_count_reached: Option<u64>,
    /// The skipped files and links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<SkippedSummary>,
    /// True if no file was searched, so that the result says nothing about the text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_file_searched: bool,
    /// The number of matches by role, if only those of other roles were asked for and there are none.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub other_roles: BTreeMap<HitRole, usize>,
    /// The number of searched files, if it exceeds the size of a normal project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub large_project: Option<u64>,
    /// The number of files with matches, if they are too many to be parsed for roles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_without_roles: Option<usize>,
    /// The files that could not be parsed, and so are left out, if only matches of some roles are wanted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unparsed: Vec<String>,
}

impl SearchNotes {
    /// Returns the facts of these matches, of a search with this `max_count`.
    pub fn from_matches(matches: &SearchMatches, max_count: Option<u64>) -> Self {
        Self {
            skipped: SkippedSummary::from_skipped(&matches.skipped),
            no_file_searched: matches.searched_files == 0 && matches.skipped.total == 0,
            max_count_reached: max_count.filter(|most| matches.files.iter().any(|file| file.line_count >= *most)),
            ..Self::default()
        }
    }

    /// Returns what was not searched.
    fn about_files(&self, locale: Locale) -> Option<String> {
        let skipped = self.skipped.as_ref().map(|skipped| skipped.text(locale));
        let none = || match locale {
            Locale::En => "No file was searched: the globs, roots and ignore rules leave none. A folder is \"src/**\".",
            Locale::Ja => {
                "検索したファイルがありません。グロブ・roots・無視規則ですべて除かれています。フォルダーは \"src/**\" と書きます。"
            }
        };
        skipped.or_else(|| self.no_file_searched.then(|| none().to_owned()))
    }

    fn lines(&self, locale: Locale) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.other_roles.is_empty() {
            let roles = self.other_roles.iter().map(|(role, count)| format!("{} {count}", role.mark()));
            let roles = roles.collect::<Vec<_>>().join(", ");
            lines.push(match locale {
                Locale::En => format!("Matches with other roles: {roles}"),
                Locale::Ja => format!("ほかの役割の一致: {roles}"),
            });
        }
        if let Some(most) = self.max_count_reached {
            lines.push(match locale {
                Locale::En => {
                    format!("Only {most} lines per file were searched for (max_count): the totals may be larger.")
                }
                Locale::Ja => format!(
                    "1 ファイルあたり {most} 行で打ち切りました（max_count）。実際はこれより多い可能性があります。"
                ),
            });
        }
        lines.extend(self.max_count_adjusted.map(|bound| adjusted_limit("max_count", bound, locale)));
        lines.extend(self.about_files(locale));
        lines.extend(self.large_project.map(|files| large_project(files, locale)));
        if !self.unparsed.is_empty() {
            let (count, first) = (self.unparsed.len(), self.unparsed.iter().take(EXAMPLES));
            let first = first.map(String::as_str).collect::<Vec<_>>().join(", ");
            lines.push(match locale {
                Locale::En => format!("Left out, since not parsed: {count} ({first})"),
                Locale::Ja => format!("解析できず除いたファイル {count} 件: {first}"),
            });
        }
        lines.extend(self.files_without_roles.map(|files| match locale {
            Locale::En => format!("Without roles: {files} files, more than the {FILES} that are parsed."),
            Locale::Ja => format!("役割なし: {files} ファイルは、調べられる {FILES} 件を超えています。"),
        }));
        lines
    }
}

/// Returns the note that a limit was lowered.
pub fn adjusted_limit(argument: &str, bound: u64, locale: Locale) -> String {
    match locale {
        Locale::En => format!("{argument} was lowered to {bound}."),
        Locale::Ja => format!("{argument} は {bound} に下げました。"),
    }
}

/// Returns the note for a project with more files than a normal one.
pub fn large_project(files: u64, locale: Locale) -> String {
    match locale {
        Locale::En => format!("{files} files walked, a large project: narrow roots."),
        Locale::Ja => format!("大規模なプロジェクトです（{files} 件を走査）。roots を絞ってください。"),
    }
}

/// The skipped files and links, with a few examples.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SkippedSummary {
    /// The number of skipped files and links.
    total: u64,
    /// The first skipped paths, each with its reason.
    examples: Vec<String>,
    /// The same with each reason in words.
    #[serde(skip)]
    in_words: BilingualText,
    /// The advice for each reason.
    #[serde(skip)]
    advice: Vec<BilingualText>,
}

/// The maximum number of skipped paths that a reply names.
const EXAMPLES: usize = 5;

impl SkippedSummary {
    /// Returns `None` if no file was skipped.
    pub fn from_skipped(skipped: &SkippedList) -> Option<Self> {
        let examples = || skipped.examples.iter().take(EXAMPLES);
        let in_words = |locale| {
            let words =
                examples().map(|skipped| format!("{} ({})", skipped.path, skipped.reason.in_words().get(locale)));
            words.collect::<Vec<_>>().join(", ")
        };
        (skipped.total > 0).then(|| Self {
            total: skipped.total,
            examples: examples().map(|skipped| format!("{} ({:?})", skipped.path, skipped.reason)).collect(),
            in_words: BilingualText::new(in_words(Locale::En), in_words(Locale::Ja)),
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
    pub fn text(&self, locale: Locale) -> String {
        let (total, examples) = (self.total, self.in_words.get(locale));
        let mut text = match locale {
            Locale::En => format!("Skipped {total}: {examples}"),
            Locale::Ja => format!("読み飛ばし {total} 件: {examples}"),
        };
        for advice in &self.advice {
            text.push_str(&format!("\n{}", advice.get(locale)));
        }
        text
    }
}

impl SearchReply {
    /// Creates a reply from shaped matches.
    pub fn new(shaped: ShapedReply, notes: SearchNotes) -> Self {
        let is_bare = matches!(shaped, ShapedReply::Total(_));
        Self {
            published: if is_bare {
                SearchNotes {
                    skipped: notes.skipped.clone(),
                    no_file_searched: notes.no_file_searched,
                    ..SearchNotes::default()
                }
            } else {
                notes.clone()
            },
            broken: None,
            searched_files: shaped.searched_without_match(),
            next: None,
            notes,
            shaped,
        }
    }

    /// Creates a reply from a ranking.
    pub fn ranked(ranking: Ranking, large_project: Option<u64>) -> Self {
        let notes = SearchNotes { large_project, ..SearchNotes::from_matches(&ranking.matches, None) };
        Self {
            broken: MalformedFilesReport::from_files(ranking.broken),
            ..Self::new(ShapedReply::Ranked(ranking.output), notes)
        }
    }
}

impl Render for SearchReply {
    fn text(&self, locale: Locale) -> String {
        match &self.shaped {
            ShapedReply::Total(output) => match self.published.about_files(locale) {
                Some(files) => format!("{}\n{files}", output.total_matches),
                None => output.total_matches.to_string(),
            },
            _ => self.text_alone(locale),
        }
    }

    fn text_alone(&self, locale: Locale) -> String {
        let mut lines = vec![self.shaped.text()];
        if self.shaped.shows_columns() {
            let legend = match locale {
                Locale::En => "line@column: the start_column of the match in a long line",
                Locale::Ja => "行@桁: 長い行での一致の start_column",
            };
            lines.push(legend.to_owned());
        }
        lines.extend(self.notes.lines(locale));
        lines.extend(self.broken.as_ref().map(|broken| broken.ranking_warning(locale)));
        lines.extend(self.next.as_ref().map(NextPage::line));
        lines.join("\n")
    }

    fn rows(&self) -> usize {
        self.shaped.rows()
    }

    fn page(&self, rows: Range<usize>) -> (Self, usize) {
        let (shaped, end) = self.shaped.page(rows);
        let page = Self { shaped, ..self.clone_without_rows() };
        (page, end)
    }

    fn mark(&mut self, next: &NextPage) {
        self.next = Some(next.clone());
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
            published: self.published.clone(),
            broken: self.broken.clone(),
            searched_files: self.searched_files,
            next: None,
            notes: self.notes.clone(),
        }
    }
}
