//! The tool `analyze_code_structure`: lists the elements of a file as a table instead of its text.

use std::{ops::Range, sync::Arc};

use fumi_base::text::Locale;
use fumi_code::{
    elements::ElementKind,
    languages::facts::LanguageFamily,
    table::{self, TableFormat, rows::ElementRow},
};
use fumi_kernel::{Cx, NextPage, Render, SharedOption, Tool, ToolError, ToolOutcome, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{READS, path_arguments, structure_deps::StructureDeps, texts};

#[derive(Debug)]
pub struct AnalyzeCodeStructure;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    #[schemars(length(min = 1))]
    file_path: String,
    /// The form of the table.
    #[serde(default)]
    format_type: FormatType,
    /// The language, in place of the detected one.
    language: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, JsonSchema, fumi_base::Named)]
#[serde(rename_all = "lowercase")]
enum FormatType {
    #[default]
    Full,
    Compact,
    Csv,
    Html,
    Json,
    Signatures,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names are published")]
pub struct Output {
    success: bool,
    analysis_result: AnalysisSummary,
    /// The table, in every format except `json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    table_output: Option<String>,
    /// The rows, in the format `json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "rows_schema")]
    elements: Option<Vec<ElementRow>>,
    /// The places that do not follow the grammar; the elements around them are listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parse_errors: Vec<ParseErrorRow>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<NextPage>,
    /// The facts for the text.
    #[serde(skip)]
    notes: OutlineNotes,
}

/// The facts of a file for the text of its structure.
#[derive(Clone, Debug)]
struct OutlineNotes {
    format: FormatType,
    family: LanguageFamily,
    /// The path, the language and the number of lines.
    heading: String,
    /// The number of all syntax errors, of which the first are listed.
    error_count: usize,
}

/// Returns the schema of the rows: every cell is text or a number, and the cells present depend on the element.
fn rows_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "type": "array",
        "items": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "type": {"type": "string"},
                "name": {"type": "string"},
                "parent": {"type": "string"},
                "signature": {"type": "string"},
                "decorators": {"type": "string"},
                "visibility": {"type": "string"},
                "modifiers": {"type": "string"},
                "class": {"type": "string"},
                "value": {"type": "string"},
                "start_line": {"type": "integer"},
                "end_line": {"type": "integer"},
                "complexity": {"type": "integer"},
                "doc": {"type": "string"}
            }
        }
    })
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct AnalysisSummary {
    file_path: String,
    language: String,
    total_elements: usize,
    format_type: String,
    encoding: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ParseErrorRow {
    line: usize,
    column: usize,
    message: String,
}

impl Tool for AnalyzeCodeStructure {
    const SPEC: ToolSpec = ToolSpec {
        name: "analyze_code_structure",
        texts: texts!("analyze_code_structure"),
        example: r#"{"file_path": "src/main.py", "format_type": "compact"}"#,
        options: &[SharedOption::Project],
        ..READS
    };
    type Deps = Arc<StructureDeps>;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &Arc<StructureDeps>, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let path = path_arguments::resolve_path(cx, &args.file_path).await?;
        let deps = Arc::clone(deps);
        let output = cx
            .blocking(move |cancel, _| {
                let file = deps.outline(&path, args.language.as_deref(), cancel)?;
                let form = match args.format_type {
                    FormatType::Full => Some(TableFormat::Full),
                    FormatType::Compact => Some(TableFormat::Compact),
                    FormatType::Csv => Some(TableFormat::Csv),
                    FormatType::Html => Some(TableFormat::Html),
                    FormatType::Signatures => Some(TableFormat::Signatures),
                    FormatType::Json => None,
                };
                Ok::<_, ToolError>(Output {
                    notes: OutlineNotes {
                        format: args.format_type,
                        family: file.source.language.facts.family,
                        heading: table::heading(&file),
                        error_count: file.error_count,
                    },
                    success: true,
                    analysis_result: AnalysisSummary {
                        file_path: path.shown(),
                        language: file.source.language.name.to_owned(),
                        total_elements: file.elements.count(|kind| kind != ElementKind::Comment),
                        format_type: args.format_type.name().to_owned(),
                        encoding: file.source.encoding.clone(),
                    },
                    table_output: form.map(|form| table::render(form, &file)),
                    elements: form.is_none().then(|| table::rows::rows(&file)),
                    parse_errors: file
                        .errors
                        .iter()
                        .map(|error| ParseErrorRow {
                            line: error.line,
                            column: error.column,
                            message: error.message.clone(),
                        })
                        .collect(),
                    truncated: false,
                    next: None,
                })
            })
            .await?;
        Ok(ToolOutcome::Done(output))
    }
}

impl ParseErrorRow {
    fn text(&self, locale: Locale) -> String {
        let Self { line, column, message } = self;
        match locale {
            Locale::En => format!("Syntax error at line {line}, column {column}: {message}"),
            Locale::Ja => format!("構文エラー（{line} 行目、桁 {column}）: {message}"),
        }
    }
}

impl Output {
    /// Returns the table. Rows of the format `json` are those of `csv`, which cost half as much.
    fn table(&self) -> String {
        match (&self.table_output, &self.elements) {
            (Some(table), _) => table.trim_end().to_owned(),
            (None, rows) => {
                table::csv::render(self.notes.family, rows.as_deref().unwrap_or_default()).trim_end().to_owned()
            }
        }
    }

    /// Returns the syntax errors, and what they mean for the table.
    fn warnings(&self, locale: Locale) -> Vec<String> {
        let mut lines: Vec<String> = self.parse_errors.iter().map(|error| error.text(locale)).collect();
        if lines.is_empty() {
            return lines;
        }
        let more = self.notes.error_count.saturating_sub(lines.len());
        lines.push(match locale {
            Locale::En if more > 0 => format!("{more} more syntax errors; elements there may be missing."),
            Locale::En => "Elements there may be missing.".to_owned(),
            Locale::Ja if more > 0 => {
                format!("ほかに構文エラー {more} 件。該当箇所の要素は漏れている可能性があります。")
            }
            Locale::Ja => "該当箇所の要素は漏れている可能性があります。".to_owned(),
        });
        lines
    }

    /// Returns the ways to the rest of a cut table. A line of the table is not always an element, so the number of lines does
    /// not tell which elements are missing.
    fn rest(&self, locale: Locale) -> Option<String> {
        let NextPage { shown, of, .. } = self.next.as_ref()?;
        let is_shortest = self.notes.format == FormatType::Signatures;
        let (shorter, shorter_ja) = if is_shortest {
            (" or extract_code_section by lines", "extract_code_section（行指定）")
        } else {
            (
                " extract_code_section by lines, or format_type signatures",
                "extract_code_section（行指定）、format_type signatures ",
            )
        };
        Some(match locale {
            Locale::En => {
                format!(
                    "… {shown} / {of} lines of the table. The rest: query_code with query_key and filter,{shorter}."
                )
            }
            Locale::Ja => format!(
                "… 表の {shown} / {of} 行。続きは query_code（query_key と filter）、{shorter_ja}のいずれかで得られます。"
            ),
        })
    }

    fn lines(&self, heading: Option<&String>, locale: Locale) -> String {
        let mut lines: Vec<String> = heading.cloned().into_iter().collect();
        lines.extend(Some(self.table()).filter(|table| !table.is_empty()));
        // An empty text would look like a failure of the client. A CSV file has its header, and nothing but rows.
        if self.analysis_result.total_elements == 0 && self.notes.format != FormatType::Csv {
            lines.push(match locale {
                Locale::En => "No elements.".to_owned(),
                Locale::Ja => "要素はありません。".to_owned(),
            });
        }
        lines.extend(self.warnings(locale));
        lines.extend(self.rest(locale));
        lines.join("\n")
    }
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let is_bare = self.notes.format == FormatType::Signatures;
        self.lines(Some(&self.notes.heading).filter(|_| is_bare), locale)
    }

    fn text_alone(&self, locale: Locale) -> String {
        // The tables of the other formats begin with a heading of their own.
        let is_bare = matches!(self.notes.format, FormatType::Signatures | FormatType::Csv | FormatType::Json);
        self.lines(Some(&self.notes.heading).filter(|_| is_bare), locale)
    }

    fn rows(&self) -> usize {
        match (&self.table_output, &self.elements) {
            (Some(table), _) => table.lines().count(),
            (None, Some(rows)) => rows.len(),
            (None, None) => 0,
        }
    }

    fn page(&self, rows: Range<usize>) -> (Self, usize) {
        let take = rows.len();
        let page = Self {
            table_output: self
                .table_output
                .as_ref()
                .map(|table| table.lines().skip(rows.start).take(take).collect::<Vec<_>>().join("\n")),
            elements: self.elements.as_ref().map(|all| all.iter().skip(rows.start).take(take).cloned().collect()),
            success: self.success,
            analysis_result: self.analysis_result.clone(),
            parse_errors: self.parse_errors.clone(),
            truncated: self.truncated,
            next: self.next.clone(),
            notes: self.notes.clone(),
        };
        (page, rows.end)
    }

    fn mark(&mut self, next: &NextPage) {
        self.truncated = true;
        self.next = Some(next.clone());
    }
}
