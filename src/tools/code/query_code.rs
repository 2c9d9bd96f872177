//! `query_code`: elements of a file by a predefined key or by a tree-sitter query, filtered.

use std::{ops::Range, sync::Arc, time::Duration};

use fumi_base::{pools::Pool, text::Locale};
use fumi_code::{
    extract::extract,
    filter::Filter,
    languages::detect::detect,
    parse::{Source, parse},
    query::{self, Match, QueryKind},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MAX_RESULTS, TOOLSET, source::StructureDeps};
use crate::tool::{Cx, Effect, Next, Outcome, Render, Rule, SharedOption, Spec, Texts, Tool, ToolError};

/// See the module.
#[derive(Debug)]
pub struct QueryCode;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The file.
    #[schemars(length(min = 1))]
    file_path: String,
    /// Instead of the detected one.
    language: Option<String>,
    /// A predefined query.
    #[schemars(length(min = 1))]
    query_key: Option<String>,
    /// A tree-sitter query.
    #[schemars(length(min = 1))]
    query_string: Option<String>,
    /// Conditions on the results.
    filter: Option<String>,
    /// How much of each.
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

/// What it answers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    query_result: QueryResult,
    /// Whether the reply lacks rows that `next` brings.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct QueryResult {
    file_path: String,
    language: String,
    query_type: String,
    total_matches: usize,
    matches: Vec<Row>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// The query was too wide; matches may be missing. Narrow it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
}

/// One match; a summary leaves out columns, text and parent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Row {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    start_line: usize,
    end_line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Row {
    fn new(found: Match, format: OutputFormat) -> Self {
        let whole = format == OutputFormat::Json;
        Self {
            name: found.name,
            kind: found.kind,
            start_line: found.span.start_line,
            end_line: found.span.end_line,
            start_column: whole.then_some(found.span.start_column),
            end_column: whole.then_some(found.span.end_column),
            parent: found.parent.filter(|_| whole),
            text: whole.then_some(found.text),
        }
    }

    fn line(&self) -> String {
        let Self {
            name,
            kind,
            start_line,
            end_line,
            ..
        } = self;
        match (&self.parent, &self.text) {
            // A name that is the whole text (an import) is not said twice.
            (_, Some(text)) if text == name => format!("{start_line}-{end_line} {kind} {text}"),
            (Some(parent), Some(text)) => format!("{start_line}-{end_line} {kind} {parent}.{name}\n{text}"),
            (None, Some(text)) => format!("{start_line}-{end_line} {kind} {name}\n{text}"),
            _ => format!("{start_line}-{end_line} {kind} {name}"),
        }
    }
}

impl Tool for QueryCode {
    const SPEC: Spec = Spec {
        name: "query_code",
        aliases: &[],
        toolset: TOOLSET,
        texts: Texts {
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
        rules: &[Rule::ExactlyOne(&["query_key", "query_string"])],
        pool: Pool::Analysis,
        timeout: Duration::from_secs(30),
        cached: true,
        effect: Effect::ReadOnly,
    };
    type Deps = Arc<StructureDeps>;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &Arc<StructureDeps>, cx: &Cx) -> Result<Outcome<Output>, ToolError> {
        let path = cx.project.resolve(&args.file_path)?;
        let filter = Filter::parse(args.filter.as_deref().unwrap_or_default())?;
        let deps = Arc::clone(deps);
        let output = cx
            .blocking(move |cancel, _| {
                let (decoded, size) = deps.read(&path)?;
                let (kind, query_type) = match (args.query_key, args.query_string) {
                    (Some(key), _) => (QueryKind::Key(key.clone()), key),
                    (None, query) => (QueryKind::Query(query.unwrap_or_default()), "custom".to_owned()),
                };
                let shown = path.shown();
                let language = detect(&shown, &decoded.text, args.language.as_deref())?;
                // A bad query is told before the file is parsed.
                let prepared = query::prepare(&kind, language)?;
                let parsed = parse(
                    Source::new(shown.clone(), decoded, size, args.language.as_deref())?,
                    cancel,
                )?;
                let elements = extract(&parsed, cancel)?;
                let most = usize::try_from(MAX_RESULTS).unwrap_or(usize::MAX);
                let found = query::run(&prepared, &filter, &parsed, &elements, most, cancel)?;
                Ok::<_, ToolError>(Output {
                    success: true,
                    query_result: QueryResult {
                        file_path: shown,
                        language: language.name.to_owned(),
                        query_type,
                        total_matches: found.total,
                        truncated: found.list.len() < found.total,
                        incomplete: found.is_incomplete,
                        matches: found
                            .list
                            .into_iter()
                            .map(|found| Row::new(found, args.output_format))
                            .collect(),
                    },
                    truncated: false,
                    next: None,
                })
            })
            .await?;
        Ok(Outcome::Done(output))
    }
}

impl Render for Output {
    fn text(&self, _locale: Locale) -> String {
        let result = &self.query_result;
        let mut lines = vec![format!(
            "{} {}: {}",
            result.file_path, result.query_type, result.total_matches
        )];
        lines.extend(result.matches.iter().map(Row::line));
        lines.extend(self.next.as_ref().map(Next::line));
        lines.join("\n")
    }

    fn rows(&self) -> usize {
        self.query_result.matches.len()
    }

    fn page(&self, rows: Range<usize>) -> (Self, usize) {
        let mut page = self.clone();
        let result = &mut page.query_result;
        let end = rows.end.min(result.matches.len());
        result.truncated |= rows.start > 0 || end < result.matches.len();
        result.matches = result.matches[rows.start.min(end)..end].to_vec();
        (page, rows.end)
    }

    fn mark(&mut self, next: &Next) {
        self.truncated = true;
        self.next = Some(next.clone());
    }
}
