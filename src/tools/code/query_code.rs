//! The tool `query_code`: queries elements of one or many files by a predefined key, a tree-sitter query or a code
//! pattern, with a filter.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use fumi_base::text::Locale;
use fumi_code::{
    errors::search::SearchError,
    filter::ElementFilter,
    languages::detect::detect,
    parse::{SourceFile, one_line},
    query::{QueryKind, QueryMatch, QueryMatches},
    query_files::{FileQueryMatches, FileQueryResult, QueryFilesError, query_files},
    search::{ScopeOptions, SearchScope, SearchTargets},
    syntax_errors::MalformedFiles,
    walk::Traversal,
};
use fumi_kernel::{ArgumentRule, Cx, NextPage, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    MAX_RESULTS, READS,
    malformed_files::MalformedFilesReport,
    path_arguments::{self, GlobRoots},
    search_reply::SkippedSummary,
    structure_deps::StructureDeps,
    texts,
};

/// The maximum length of a capture in a row, in characters.
const CAPTURE_CHARACTERS: usize = 80;

#[derive(Debug)]
pub struct QueryCode;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    #[schemars(length(min = 1))]
    file_path: Option<String>,
    /// The folders or files to search.
    #[serde(default)]
    #[schemars(length(min = 1))]
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
    /// The facts for the text.
    #[serde(skip)]
    notes: QueryNotes,
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
    /// The facts for the text.
    #[serde(skip)]
    notes: RowNotes,
}

/// The facts of all matches for their text.
#[derive(Clone, Debug, Default)]
struct QueryNotes {
    /// True if there are more matches than are kept.
    is_over_limit: bool,
    /// True if an earlier page had the warnings.
    is_continued: bool,
    /// True if the query is for one name, so that few short matches come with their whole text.
    is_by_name: bool,
}

/// The facts of a match for its text.
#[derive(Clone, Debug)]
struct RowNotes {
    /// The qualified name of the enclosing element, also in a summary.
    parent: Option<String>,
    /// True if the name is declared and is not only the text of the match.
    is_named: bool,
    /// The blanks before the text on its line.
    indent: String,
    /// True if `extract_code_section` finds the match by its name.
    is_element: bool,
}

impl QueryRow {
    fn new(found: QueryMatch, format: OutputFormat) -> Self {
        let whole = format == OutputFormat::Json;
        Self {
            notes: RowNotes {
                parent: found.parent.clone(),
                is_named: is_name(&found.name, &found.text),
                is_element: !found.signature.is_empty(),
                indent: found.indent,
            },
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

    /// Returns the row: `48:10 call find(c) in main` for a match without a name, `3 import os: import os` for a named
    /// one, and code of several lines below `@@ 30-33 method Cart.add`. The column is left out at the start of a line.
    fn text(&self, locale: Locale) -> String {
        let column = self.start_column.filter(|column| *column > self.notes.indent.len());
        let column = column.map(|column| format!(":{column}")).unwrap_or_default();
        let end = Some(self.end_line).filter(|end| *end > self.start_line);
        let end = end.map(|end| format!("-{end}")).unwrap_or_default();
        let captures = self.captures.iter();
        let captures = captures.map(|(name, code)| format!(" ${name}={}", one_line(code, CAPTURE_CHARACTERS)));
        let captures: String = captures.collect();
        let row = format!("{}{column}{end} {}", self.start_line, self.subject());
        match &self.text {
            Some(text) if text.contains('\n') => {
                format!("@@ {row}{captures}\n{}{}", self.notes.indent, self.code(text, locale))
            }
            Some(text) if self.notes.is_named => format!("{row}: {text}{captures}"),
            _ => format!("{row}{captures}"),
        }
    }

    /// Returns the kind with the qualified name, or with the text of a match without a name and the element around it.
    fn subject(&self) -> String {
        let mut subject = self.kind.clone();
        // A text that begins with the decorators shows them already.
        let says_decorators = |text: &String| starts_with_decorators(text, &self.decorators);
        if !self.decorators.is_empty() && !self.text.as_ref().is_some_and(says_decorators) {
            subject.push_str(&format!(" {}", self.decorators));
        }
        let (name, parent) = (&self.name, self.notes.parent.as_ref());
        if self.notes.is_named {
            let parent = parent.map(|parent| format!("{parent}.")).unwrap_or_default();
            return format!("{subject} {parent}{name}");
        }
        // Code of several lines is shown below this line, so its text is not repeated here.
        let shown = self.text.as_ref().unwrap_or(name);
        if !shown.contains('\n') {
            subject.push_str(&format!(" {shown}"));
        }
        subject.extend(parent.map(|parent| format!(" in {parent}")));
        subject
    }

    /// Returns the code, with the number of lines that it lacks.
    fn code(&self, text: &str, locale: Locale) -> String {
        let left = (self.end_line + 1 - self.start_line).saturating_sub(text.lines().count());
        match (text.strip_suffix('…').filter(|_| left > 0), locale) {
            (Some(text), Locale::En) => format!("{text}… {left} more lines"),
            (Some(text), Locale::Ja) => format!("{text}… 残り {left} 行"),
            (None, _) => text.trim_end_matches('\n').to_owned(),
        }
    }
}

/// True if a name is not only the start of the text, which stands for the name of a match without one.
fn is_name(name: &str, text: &str) -> bool {
    let line = one_line(text, usize::MAX);
    name.strip_suffix('…').map_or(line != name, |start| !line.starts_with(start))
}

/// True if the first line of a text contains the sign and the first word of its first decorator.
fn starts_with_decorators(text: &str, decorators: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = decorators.find(is_word).unwrap_or(decorators.len());
    let end = decorators[word..].find(|c| !is_word(c)).map_or(decorators.len(), |end| word + end);
    text.lines().next().is_some_and(|line| line.contains(&decorators[..end]))
}

impl Tool for QueryCode {
    const SPEC: ToolSpec = ToolSpec {
        name: "query_code",
        texts: texts!("query_code"),
        example: r#"{"file_path": "src/main.py", "query_key": "functions", "output_format": "summary"}"#,
        rules: &[
            ArgumentRule::ExactlyOne(&["query_key", "query_string", "pattern"]),
            ArgumentRule::Without("file_path", &["roots", "include_globs", "exclude_globs"]),
        ],
        ..READS
    };
    type Deps = Arc<StructureDeps>;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &Arc<StructureDeps>, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let filter = ElementFilter::parse(args.filter.as_deref().unwrap_or_default())?;
        let (kind, query_type) = match (&args.query_key, &args.query_string, &args.pattern) {
            (Some(key), ..) => (QueryKind::Key(key.clone()), key.clone()),
            (_, Some(query), _) => (QueryKind::Query(query.clone()), "custom".to_owned()),
            (.., pattern) => (QueryKind::Pattern(pattern.clone().unwrap_or_default()), "pattern".to_owned()),
        };
        let most = usize::try_from(MAX_RESULTS).unwrap_or(usize::MAX);
        let format = args.output_format;
        let is_by_name = filter.is_by_name() && format == OutputFormat::Json;
        let mut query_result = if let Some(file_path) = &args.file_path {
            let (path, deps) = (path_arguments::resolve_path(cx, file_path).await?, Arc::clone(deps));
            cx.blocking(move |cancel, _| {
                let (decoded, size) = deps.read(&path)?;
                let shown = path.shown();
                let language = detect(&shown, &decoded.text, args.language.as_deref())?;
                // Errors of the query are returned before the file is parsed.
                let question = deps.parsers.prepare(&kind, language, &deps.queries, cancel)?;
                let source = SourceFile::new(shown.clone(), decoded, size, args.language.as_deref())?;
                let found = deps.parsers.query(&question, &filter, source, most, cancel)?;
                Ok::<_, ToolError>(QueryResult::one(shown, language.name, query_type, found, format))
            })
            .await?
        } else {
            let rules = GlobRoots {
                has_globs: !args.include_globs.is_empty(),
                of_folders: false,
                traversal: Traversal::default(),
            };
            let places = path_arguments::resolve_roots(cx, &args.roots, rules, &deps.indexes).await?;
            let targets = SearchTargets { roots: places.roots, files: Vec::new() };
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
                let scope = scope.with_index(&deps.indexes);
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
        query_result.notes.is_by_name = is_by_name;
        Ok(ToolOutcome::Done(Output { success: true, query_result, truncated: false, next: None }))
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
            notes: QueryNotes { is_over_limit: found.list.len() < found.total, ..QueryNotes::default() },
            incomplete: found.is_incomplete,
            matches: Some(found.list.into_iter().map(|found| QueryRow::new(found, format)).collect()),
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
            notes: QueryNotes { is_over_limit: kept < answers.total, ..QueryNotes::default() },
            incomplete: answers.files.iter().any(|file| file.matches.is_incomplete),
            languages_passed_over: answers.unsuitable_languages.into_iter().map(str::to_owned).collect(),
            skipped: SkippedSummary::from_skipped(&answers.skipped),
            broken: MalformedFilesReport::from_files(answers.broken),
            files: Some(answers.files.into_iter().map(|file| FileRows::new(file, format)).collect()),
            ..Self::default()
        }
    }

    /// Returns what was found, and where.
    fn heading(&self, locale: Locale) -> String {
        let (total, found, searched) = (self.total_matches, self.total_files, self.searched_files);
        let what = match (self.query_type.as_str(), locale) {
            ("custom" | "pattern", Locale::En) => "matches",
            ("custom" | "pattern", Locale::Ja) => "一致",
            (key, _) => key,
        };
        let files = match (&self.file_path, locale) {
            (Some(file), Locale::En) => format!(" in {file}"),
            (Some(file), Locale::Ja) => format!("（{file}）"),
            (None, Locale::En) => {
                format!(" in {} of {} files", found.unwrap_or_default(), searched.unwrap_or_default())
            }
            (None, Locale::Ja) => {
                format!("（調べた {} ファイル中 {} ファイル）", searched.unwrap_or_default(), found.unwrap_or_default())
            }
        };
        format!("{what}: {total}{files}")
    }

    /// Returns the call that reads the first match of one name, if the matches come without their texts.
    fn reading_call(&self) -> Option<String> {
        let file = self.files.iter().flatten().next();
        let path = self.file_path.as_ref().or(file.map(|file| &file.file_path))?;
        let row = self.matches.iter().flatten().chain(file.iter().flat_map(|file| &file.matches)).next()?;
        let is_shortened = row.end_line > row.start_line && !row.text.as_ref()?.contains('\n');
        (self.notes.is_by_name && is_shortened).then(|| {
            let name = match &row.notes.parent {
                Some(parent) => format!("{parent}.{}", row.name),
                None => row.name.clone(),
            };
            let arguments = if row.notes.is_element {
                json!({"file_path": path, "element": name})
            } else {
                json!({"file_path": path, "start_line": row.start_line, "end_line": row.end_line})
            };
            format!("→ extract_code_section {arguments}")
        })
    }

    /// Returns the reasons for which matches may be missing.
    fn warnings(&self, locale: Locale) -> Vec<String> {
        let mut lines = Vec::new();
        if self.notes.is_over_limit {
            lines.push(match locale {
                Locale::En => format!("Only the first {MAX_RESULTS} matches are kept: narrow the query."),
                Locale::Ja => format!("保持されるのは先頭の {MAX_RESULTS} 件だけです。クエリを絞ってください。"),
            });
        }
        if self.incomplete {
            lines.push(match locale {
                Locale::En => "The query was too wide, so matches may be missing: narrow it.".to_owned(),
                Locale::Ja => "クエリが広すぎるため、一致が漏れている可能性があります。絞ってください。".to_owned(),
            });
        }
        // Beside matches the other languages are as expected: a query is written for its own.
        if self.total_matches == 0 && !self.languages_passed_over.is_empty() {
            let languages = self.languages_passed_over.join(", ");
            lines.push(match locale {
                Locale::En => format!("Not queried, since the query does not apply to them: {languages}"),
                Locale::Ja => format!("クエリが当てはまらないため調べていない言語: {languages}"),
            });
        }
        lines.extend(self.skipped.as_ref().map(|skipped| skipped.text(locale)));
        lines.extend(self.broken.as_ref().map(|broken| broken.match_warning(locale)));
        lines
    }

    /// Returns the number of all rows. Each file's rows follow those of the file before it.
    fn rows(&self) -> usize {
        let in_files = self.files.iter().flatten().map(|file| file.matches.len());
        self.matches.as_ref().map_or(0, Vec::len) + in_files.sum::<usize>()
    }

    /// Keeps only these rows, and the files with any of them.
    fn keep_rows(&mut self, rows: &Range<usize>) {
        let mut before = 0;
        let lists = self.matches.iter_mut().chain(self.files.iter_mut().flatten().map(|file| &mut file.matches));
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
            matches: file.matches.list.into_iter().map(|found| QueryRow::new(found, format)).collect(),
        }
    }
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let result = &self.query_result;
        let mut lines = vec![result.heading(locale)];
        lines.extend(result.matches.iter().flatten().map(|row| row.text(locale)));
        for file in result.files.iter().flatten() {
            lines.push(format!("{} ({})", file.file_path, file.match_count));
            lines.extend(file.matches.iter().map(|row| row.text(locale)));
        }
        if !result.notes.is_continued {
            lines.extend(result.reading_call());
            lines.extend(result.warnings(locale));
        }
        lines.extend(self.next.as_ref().map(NextPage::line));
        lines.join("\n")
    }

    fn rows(&self) -> usize {
        self.query_result.rows()
    }

    fn page(&self, rows: Range<usize>) -> (Self, usize) {
        let mut page = self.clone();
        page.query_result.truncated |= rows.start > 0 || rows.end < page.query_result.rows();
        page.query_result.notes.is_continued = rows.start > 0;
        page.query_result.keep_rows(&rows);
        (page, rows.end)
    }

    fn mark(&mut self, next: &NextPage) {
        self.truncated = true;
        self.next = Some(next.clone());
    }
}
