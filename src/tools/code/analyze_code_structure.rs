//! The tool `analyze_code_structure`: lists the elements of a file as a table instead of its text.

use std::{ops::Range, sync::Arc, time::Duration};

use fumi_base::{pools::Pool, text::Locale};
use fumi_code::{
    elements::ElementKind,
    table::{self, TableFormat, rows::ElementRow},
};
use fumi_kernel::{Cx, Effect, NextPage, Render, SharedOption, Tool, ToolError, ToolOutcome, ToolSpec, ToolTextFiles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FAMILY, TOOLSET, path_arguments, structure_deps::StructureDeps};

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

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, JsonSchema)]
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

impl FormatType {
    const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Compact => "compact",
            Self::Csv => "csv",
            Self::Html => "html",
            Self::Json => "json",
            Self::Signatures => "signatures",
        }
    }
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
        aliases: &[],
        toolset: TOOLSET,
        other_toolsets: &[],
        family: &FAMILY,
        listed: true,
        texts: ToolTextFiles {
            en: include_str!("analyze_code_structure.en.md"),
            ja: include_str!("analyze_code_structure.ja.md"),
        },
        example: r#"{"file_path": "src/main.py", "format_type": "compact"}"#,
        options: &[SharedOption::Project, SharedOption::Timeout, SharedOption::Delivery],
        rules: &[],
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

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let mut text = match (&self.table_output, &self.elements) {
            (Some(table), _) => table.trim_end().to_owned(),
            (None, Some(rows)) => rows
                .iter()
                .filter_map(|row| serde_json::to_string(row).ok())
                .collect::<Vec<_>>()
                .join("\n"),
            (None, None) => String::new(),
        };
        // An empty text would look like a failure of the client.
        if text.is_empty() {
            text.push_str(match locale {
                Locale::En => "No elements.",
                Locale::Ja => "要素はありません。",
            });
        }
        for error in &self.parse_errors {
            text.push_str(&format!("\n⚠️ {}:{} {}", error.line, error.column, error.message));
        }
        if let Some(next) = &self.next {
            text.push('\n');
            text.push_str(&next.line());
        }
        text
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
            elements: self
                .elements
                .as_ref()
                .map(|all| all.iter().skip(rows.start).take(take).cloned().collect()),
            success: self.success,
            analysis_result: self.analysis_result.clone(),
            parse_errors: self.parse_errors.clone(),
            truncated: self.truncated,
            next: self.next.clone(),
        };
        (page, rows.end)
    }

    fn mark(&mut self, next: &NextPage) {
        self.truncated = true;
        self.next = Some(next.clone());
    }
}
