//! The tool `query_code`: queries elements of one or many files by a predefined key, a tree-sitter query or a code
//! pattern, with a filter.

use std::{collections::BTreeMap, ops::Range, sync::Arc, time::Duration};

use fumi_base::{pools::Pool, text::Locale};
use fumi_code::{
    errors::search::SearchError,
    filter::ElementFilter,
    languages::detect::detect,
    parse::SourceFile,
    query::{QueryKind, QueryMatch, QueryMatches},
    query_files::{FileQueryMatches, FileQueryResult, QueryFilesError, query_files},
    search::{ScopeOptions, SearchScope, SearchTargets},
    syntax_errors::MalformedFiles,
    walk::Traversal,
};
use fumi_kernel::{
    ArgumentRule, Cx, Effect, NextPage, Render, SharedOption, Tool, ToolError, ToolOutcome, ToolSpec, ToolTextFiles,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    FAMILY, MAX_RESULTS, TOOLSET,
    malformed_files::MalformedFilesReport,
    path_arguments::{self, GlobRoots},
    search_reply::SkippedSummary,
    structure_deps::StructureDeps,
};

#[derive(Debug)]
pub struct QueryCode;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    #[schemars(length(min = 1))]
    file_path: Option<String>,
    /// The folders or files to search.
    #[serde(default)]
    roots: Vec<String>,
    /// Globs of the files to search.
    #[serde(default)]
    include_globs: Vec<String>,
    /// Globs of the files to leave out.
    #[serde(default)]
    exclude_globs: Vec<String>,
    /// The language, in place of the detected one.
    language: Option<String>,
    /// The key of a predefined query.
    #[schemars(length(min = 1))]
    query_key: Option<String>,
    /// A tree-sitter query.
    #[schemars(length(min = 1))]
    query_string: Option<String>,
    /// A pattern of example code.
    #[schemars(length(min = 1))]
    pattern: Option<String>,
    /// The conditions that the results must meet.
    filter: Option<String>,
    /// The amount of detail for each result.
    #[serde(default)]
    output_format: OutputFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum OutputFormat {
    #[default]
    Json,
    Summary,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    query_result: QueryResult,
    /// True if the reply lacks rows, which `next` requests.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<NextPage>,
}

/// The matches of one file, or the files that have matches.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
struct QueryResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    file_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    query_type: String,
    total_matches: usize,
    /// The number of files with matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_files: Option<usize>,
    /// The number of files that were parsed.
    #[serde(skip_serializing_if = "Option::is_none")]
    searched_files: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<Vec<QueryRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<FileRows>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// True if the query was too wide, so that matches may be missing. Narrow it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
    /// The languages of visited files to which the query does not apply.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    languages_passed_over: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<SkippedSummary>,
    /// The files with syntax errors, where matches may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    broken: Option<MalformedFilesReport>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct FileRows {
    file_path: String,
    language: String,
    match_count: usize,
    matches: Vec<QueryRow>,
}

/// One match. A summary leaves out columns, text and parent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct QueryRow {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    start_line: usize,
    end_line: usize,
    /// The decorators, shortened if they are long.
    #[serde(skip_serializing_if = "String::is_empty")]
    decorators: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The code that matched each variable of a pattern.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    captures: BTreeMap<String, String>,
}

impl QueryRow {
    fn new(found: QueryMatch, format: OutputFormat) -> Self {
        let whole = format == OutputFormat::Json;
        Self {
            name: found.name,
            kind: found.kind,
            start_line: found.span.start_line,
            end_line: found.span.end_line,
            decorators: found.decorators,
            start_column: whole.then_some(found.span.start_column),
            end_column: whole.then_some(found.span.end_column),
            parent: found.parent.filter(|_| whole),
            text: whole.then_some(found.text),
            captures: found.captures.into_iter().filter(|_| whole).collect(),
        }
    }

    fn line(&self) -> String {
        let Self {
            name,
            kind,
            start_line,
            end_line,
            decorators,
            ..
        } = self;
        // A text that begins with the decorators shows them already.
        let is_said = self
            .text
            .as_ref()
            .is_some_and(|text| starts_with_decorators(text, decorators));
        let kind = match decorators.as_str() {
            "" => kind.clone(),
            _ if is_said => kind.clone(),
            decorators => format!("{kind} {decorators}"),
        };
        match (&self.parent, &self.text) {
            // A name that is the whole text (an import) is not repeated.
            (_, Some(text)) if text == name => format!("{start_line}-{end_line} {kind} {text}"),
            (Some(parent), Some(text)) => format!("{start_line}-{end_line} {kind} {parent}.{name}\n{text}"),
            (None, Some(text)) => format!("{start_line}-{end_line} {kind} {name}\n{text}"),
            _ => format!("{start_line}-{end_line} {kind} {name}"),
        }
    }
}

/// True if the first line of a text contains the sign and the first word of its first decorator.
fn starts_with_decorators(text: &str, decorators: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = decorators.find(is_word).unwrap_or(decorators.len());
    let end = decorators[word..]
        .find(|c| !is_word(c))
        .map_or(decorators.len(), |end| word + end);
    text.lines()
        .next()
        .is_some_and(|line| line.contains(&decorators[..end]))
}

impl Tool for QueryCode {
    const SPEC: ToolSpec = ToolSpec {
        name: "query_code",
        aliases: &[],
        toolset: TOOLSET,
        other_toolsets: &[],
        family: &FAMILY,
        listed: true,
        texts: ToolTextFiles {
            en: include_str!("query_code.en.md"),
            ja: include_str!("query_code.ja.md"),
        },
        example: r#"{"file_path": "src/main.py", "query_key": "functions", "output_format": "summary"}"#,
        options: &[
            SharedOption::Project,
            SharedOption::Timeout,
            SharedOption::Delivery,
            SharedOption::Cursor,
        ],
        rules: &[
            ArgumentRule::ExactlyOne(&["query_key", "query_string", "pattern"]),
            ArgumentRule::ExactlyOne(&["file_path", "roots"]),
            ArgumentRule::Needs("include_globs", "roots"),
            ArgumentRule::Needs("exclude_globs", "roots"),
        ],
        pool: Pool::Analysis,
        exclusive: false,
        timeout: Duration::from_secs(30),
        cached: true,
        effect: Effect::ReadOnly,
    };
    type Deps = Arc<StructureDeps>;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &Arc<StructureDeps>, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let filter = ElementFilter::parse(args.filter.as_deref().unwrap_or_default())?;
        let (kind, query_type) = match (&args.query_key, &args.query_string, &args.pattern) {
            (Some(key), ..) => (QueryKind::Key(key.clone()), key.clone()),
            (_, Some(query), _) => (QueryKind::Query(query.clone()), "custom".to_owned()),
            (.., pattern) => (
                QueryKind::Pattern(pattern.clone().unwrap_or_default()),
                "pattern".to_owned(),
            ),
        };
        let most = usize::try_from(MAX_RESULTS).unwrap_or(usize::MAX);
        let format = args.output_format;
        let query_result = if let Some(file_path) = &args.file_path {
            let (path, deps) = (path_arguments::resolve_path(cx, file_path).await?, Arc::clone(deps));
            cx.blocking(move |cancel, _| {
                let (decoded, size) = deps.read(&path)?;
                let shown = path.shown();
                let language = detect(&shown, &decoded.text, args.language.as_deref())?;
                // Errors of the query are returned before the file is parsed.
                let question = deps.parsers.prepare(&kind, language, &deps.queries, cancel)?;
                let source = SourceFile::new(shown.clone(), decoded, size, args.language.as_deref())?;
                let found = deps.parsers.query(&question, &filter, &source, most, cancel)?;
                Ok::<_, ToolError>(QueryResult::one(shown, language.name, query_type, found, format))
            })
            .await?
        } else {
            let rules = GlobRoots {
                has_globs: !args.include_globs.is_empty(),
                of_folders: false,
                traversal: Traversal::default(),
            };
            let places = path_arguments::resolve_roots(cx, &args.roots, rules).await?;
            let targets = SearchTargets {
                roots: places.roots,
                files: Vec::new(),
            };
            let options = ScopeOptions {
                include_globs: args.include_globs,
                exclude_globs: args.exclude_globs,
                ..ScopeOptions::default()
            };
            let scope = SearchScope::new(&cx.project, &options, deps.file_bytes)
                .map_err(|errors: Vec<SearchError>| ToolError::combine_same_kind(&errors))?
                .only_within(places.within);
            let deps = Arc::clone(deps);
            cx.blocking(move |cancel, _| {
                let language = args.language.as_deref();
                let answers = query_files(
                    (&kind, &deps.queries),
                    &filter,
                    language,
                    (&targets, &scope),
                    most,
                    &deps.parsers,
                    cancel,
                );
                match answers {
                    Ok(answers) => Ok(QueryResult::many(query_type, answers, format)),
                    Err(QueryFilesError::Search(error)) => Err(ToolError::from(error)),
                    Err(QueryFilesError::Structure(error)) => Err(ToolError::from(error)),
                }
            })
            .await?
        };
        Ok(ToolOutcome::Done(Output {
            success: true,
            query_result,
            truncated: false,
            next: None,
        }))
    }
}

impl QueryResult {
    fn one(file_path: String, language: &str, query_type: String, found: QueryMatches, format: OutputFormat) -> Self {
        Self {
            broken: found.broken.and_then(|place| {
                MalformedFilesReport::from_files(MalformedFiles::from_places(vec![(
                    file_path.clone(),
                    place.first_line,
                )]))
            }),
            file_path: Some(file_path),
            language: Some(language.to_owned()),
            query_type,
            total_matches: found.total,
            truncated: found.list.len() < found.total,
            incomplete: found.is_incomplete,
            matches: Some(
                found
                    .list
                    .into_iter()
                    .map(|found| QueryRow::new(found, format))
                    .collect(),
            ),
            ..Self::default()
        }
    }

    fn many(query_type: String, answers: FileQueryResult, format: OutputFormat) -> Self {
        let kept: usize = answers.files.iter().map(|file| file.matches.list.len()).sum();
        Self {
            query_type,
            total_matches: answers.total,
            total_files: Some(answers.total_files),
            searched_files: Some(answers.searched),
            truncated: kept < answers.total,
            incomplete: answers.files.iter().any(|file| file.matches.is_incomplete),
            languages_passed_over: answers.unsuitable_languages.into_iter().map(str::to_owned).collect(),
            skipped: SkippedSummary::from_skipped(&answers.skipped),
            broken: MalformedFilesReport::from_files(answers.broken),
            files: Some(
                answers
                    .files
                    .into_iter()
                    .map(|file| FileRows::new(file, format))
                    .collect(),
            ),
            ..Self::default()
        }
    }

    /// Returns the number of all rows. Each file's rows follow those of the file before it.
    fn rows(&self) -> usize {
        let in_files = self.files.iter().flatten().map(|file| file.matches.len());
        self.matches.as_ref().map_or(0, Vec::len) + in_files.sum::<usize>()
    }

    /// Keeps only these rows, and the files with any of them.
    fn keep_rows(&mut self, rows: &Range<usize>) {
        let mut before = 0;
        let lists = self
            .matches
            .iter_mut()
            .chain(self.files.iter_mut().flatten().map(|file| &mut file.matches));
        for list in lists {
            let (start, all) = (rows.start.saturating_sub(before), list.len());
            let end = rows.end.saturating_sub(before).min(all);
            before += all;
            list.truncate(end);
            list.drain(..start.min(list.len()));
        }
        if let Some(files) = &mut self.files {
            files.retain(|file| !file.matches.is_empty());
        }
    }
}

impl FileRows {
    fn new(file: FileQueryMatches, format: OutputFormat) -> Self {
        Self {
            file_path: file.path.shown(),
            language: file.language.name.to_owned(),
            match_count: file.matches.total,
            matches: file
                .matches
                .list
                .into_iter()
                .map(|found| QueryRow::new(found, format))
                .collect(),
        }
    }
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let result = &self.query_result;
        let mut lines = Vec::new();
        if let Some(matches) = &result.matches {
            let file = result.file_path.as_deref().unwrap_or_default();
            lines.push(format!("{file} {}: {}", result.query_type, result.total_matches));
            lines.extend(matches.iter().map(QueryRow::line));
        }
        if let Some(files) = &result.files {
            lines.push(format!(
                "{}: {} / {} files / {} searched",
                result.query_type,
                result.total_matches,
                result.total_files.unwrap_or_default(),
                result.searched_files.unwrap_or_default(),
            ));
            for file in files {
                lines.push(format!("{} ({})", file.file_path, file.match_count));
                lines.extend(file.matches.iter().map(QueryRow::line));
            }
        }
        if !result.languages_passed_over.is_empty() {
            lines.push(format!(
                "languages_passed_over: {}",
                result.languages_passed_over.join(", ")
            ));
        }
        if let Some(skipped) = &result.skipped {
            lines.push(skipped.text(locale));
        }
        lines.extend(result.broken.as_ref().map(|broken| broken.match_warning(locale)));
        lines.extend(self.next.as_ref().map(NextPage::line));
        lines.join("\n")
    }

    fn rows(&self) -> usize {
        self.query_result.rows()
    }

    fn page(&self, rows: Range<usize>) -> (Self, usize) {
        let mut page = self.clone();
        page.query_result.truncated |= rows.start > 0 || rows.end < page.query_result.rows();
        page.query_result.keep_rows(&rows);
        (page, rows.end)
    }

    fn mark(&mut self, next: &NextPage) {
        self.truncated = true;
        self.next = Some(next.clone());
    }
}
