//! The tool `extract_code_section`: returns exactly the requested lines or element.

use std::{ops::Range, sync::Arc};

use fumi_base::{encoding::Decoded, text::Locale};
use fumi_code::{
    errors::structure::StructureError,
    languages::detect::is_binary,
    notation::{encoding_mark, line_range},
    parse::SourceFile,
    section::{FileSection, SectionContent, SectionCutter, SectionFormat, SectionRange},
};
use fumi_kernel::{ArgumentRule, Cx, NextPage, Render, SharedOption, Tool, ToolError, ToolOutcome, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{READS, path_arguments, structure_deps::StructureDeps, texts};

/// The maximum length of a piece, in characters. Longer lines are split, so that one minified line still fits a reply
/// in parts.
const PIECE_CHARS: usize = 4_000;

#[derive(Debug)]
pub struct ExtractCodeSection;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    #[schemars(length(min = 1))]
    file_path: String,
    /// The first line, counted from 1.
    #[schemars(range(min = 1))]
    start_line: Option<usize>,
    /// The last line.
    #[schemars(range(min = 1))]
    end_line: Option<usize>,
    /// The first column, on the first line.
    #[schemars(range(min = 0))]
    start_column: Option<usize>,
    /// The end column, on the last line.
    #[schemars(range(min = 0))]
    end_column: Option<usize>,
    /// Several ranges of lines.
    #[serde(default)]
    sections: Vec<LineRangeArg>,
    /// The name of the element to return.
    #[schemars(length(min = 1))]
    element: Option<String>,
    /// The form of the content.
    #[serde(default)]
    format: SectionFormat,
}

/// One range of lines.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct LineRangeArg {
    /// The first line, counted from 1.
    #[schemars(range(min = 1))]
    start_line: usize,
    /// The last line.
    #[schemars(range(min = 1))]
    end_line: Option<usize>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    /// The section, if lines or an element were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    partial_content_result: Option<SectionPart>,
    /// The sections, if `sections` was passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    partial_content_results: Option<Vec<SectionPart>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<NextPage>,
    /// The lines of the sections after those of this page.
    #[serde(skip)]
    further: Vec<(usize, usize)>,
}

/// One section of the file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct SectionPart {
    file_path: String,
    start_line: usize,
    end_line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<usize>,
    total_lines: usize,
    /// The content as text, or as a list of lines in `json`.
    #[schemars(schema_with = "content_schema")]
    content: PartContent,
    format: &'static str,
    encoding: String,
    /// The qualified name, if the section was requested by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    element: Option<String>,
    /// True if the requested end is after the end of the file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    clamped: bool,
    /// The last line of the whole section and the end column on it. This may be a part of it.
    #[serde(skip)]
    whole_end: (usize, Option<usize>),
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum PartContent {
    Text(String),
    Lines(Vec<String>),
}

/// Returns two schemas with one type each: some clients do not accept a list of types.
fn content_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]})
}

impl Tool for ExtractCodeSection {
    const SPEC: ToolSpec = ToolSpec {
        name: "extract_code_section",
        texts: texts!("extract_code_section"),
        example: r#"{"file_path": "src/main.py", "start_line": 1, "end_line": 20}"#,
        options: &[SharedOption::Project],
        rules: &[
            ArgumentRule::ExactlyOne(&["start_line", "sections", "element"]),
            ArgumentRule::Needs("end_line", "start_line"),
            ArgumentRule::Needs("start_column", "start_line"),
            ArgumentRule::Needs("end_column", "start_line"),
        ],
        ..READS
    };
    type Deps = Arc<StructureDeps>;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &Arc<StructureDeps>, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let path = path_arguments::resolve_path(cx, &args.file_path).await?;
        let deps = Arc::clone(deps);
        let redactor = Arc::clone(&cx.actor.redactor);
        let output = cx
            .blocking(move |cancel, _| {
                let (decoded, size) = deps.read(&path)?;
                let (shown, format) = (path.shown(), args.format);
                if is_binary(&shown, &decoded.text) {
                    return Err(StructureError::BinaryFile { path: shown }.into());
                }
                let part = |section: FileSection| SectionPart::new(&shown, section, format, &decoded.encoding);
                // Cutting could split a secret, and its parts would not be recognised, so secrets are covered first.
                let covered = redactor.mask(&decoded.text).map(|text| Decoded { text, ..decoded.clone() });
                let sheet = SectionCutter::new(&shown, covered.as_ref().unwrap_or(&decoded));
                let mut output = Output {
                    success: true,
                    partial_content_result: None,
                    partial_content_results: None,
                    truncated: false,
                    next: None,
                    further: Vec::new(),
                };
                if let Some(name) = &args.element {
                    let source = SourceFile::new(shown.clone(), decoded.clone(), size, None)?;
                    let file = deps.parsers.outline(source, cancel)?;
                    let cut = sheet.cut_element(name, &file.elements, format);
                    let section =
                        cut.map_err(|error| error.with_parse_error(file.errors.first().map(|error| error.line)))?;
                    output.partial_content_result = Some(part(section));
                } else if let Some(start_line) = args.start_line {
                    let range = SectionRange {
                        start_line,
                        end_line: args.end_line,
                        start_column: args.start_column,
                        end_column: args.end_column,
                    };
                    output.partial_content_result = Some(part(sheet.cut(&range, format)?));
                } else {
                    let mut parts = Vec::with_capacity(args.sections.len());
                    for lines in &args.sections {
                        let range = SectionRange::lines(lines.start_line, lines.end_line);
                        parts.push(part(sheet.cut(&range, format)?));
                    }
                    output.partial_content_results = Some(parts);
                }
                Ok::<_, ToolError>(output)
            })
            .await?;
        Ok(ToolOutcome::Done(output))
    }
}

impl SectionPart {
    fn new(path: &str, section: FileSection, format: SectionFormat, encoding: &str) -> Self {
        Self {
            file_path: path.to_owned(),
            start_line: section.start_line,
            end_line: section.end_line,
            start_column: section.start_column,
            end_column: section.end_column,
            total_lines: section.total_lines,
            content: match section.content {
                SectionContent::One(text) => PartContent::Text(text),
                SectionContent::Lines(lines) => PartContent::Lines(lines),
            },
            format: format.name(),
            encoding: encoding.to_owned(),
            element: section.element,
            clamped: section.is_clamped,
            whole_end: (section.end_line, section.end_column),
        }
    }

    /// Splits the content into lines, or parts of very long lines; the second value is true if a line ends with the
    /// piece.
    fn pieces(&self) -> Vec<(&str, bool)> {
        let lines: Vec<&str> = match &self.content {
            PartContent::Text(text) => text.split_inclusive('\n').collect(),
            PartContent::Lines(lines) => lines.iter().map(String::as_str).collect(),
        };
        let mut pieces = Vec::with_capacity(lines.len());
        for line in lines {
            let mut rest = line;
            while let Some((at, _)) = rest.char_indices().nth(PIECE_CHARS) {
                pieces.push((&rest[..at], false));
                rest = &rest[at..];
            }
            pieces.push((rest, true));
        }
        pieces
    }

    /// Returns the same section with only a range of its pieces.
    fn slice(&self, wanted: Range<usize>) -> Self {
        let pieces = self.pieces();
        let ended = |pieces: &[(&str, bool)]| pieces.iter().filter(|(_, ends)| *ends).count();
        let wanted = wanted.start.min(pieces.len())..wanted.end.min(pieces.len());
        let before = ended(&pieces[..wanted.start]);
        let inside = &pieces[wanted.clone()];
        let lines = ended(inside);
        let cut_short = inside.last().is_some_and(|(_, ends)| !ends);
        let start_line = self.start_line + before;
        Self {
            start_line,
            end_line: (start_line + lines + usize::from(cut_short)).saturating_sub(1).max(start_line),
            end_column: if cut_short {
                let on_line = inside.iter().rev().take_while(|(_, ends)| !ends);
                let shown: usize = on_line.map(|(text, _)| text.chars().count()).sum();
                let number = match self.format {
                    "text" => format!("{}:", start_line + lines).len(),
                    _ => 0,
                };
                let before = self.start_column.filter(|_| lines == 0).unwrap_or_default();
                Some(before + shown - number)
            } else {
                self.end_column.filter(|_| wanted.end == pieces.len())
            },
            content: match &self.content {
                PartContent::Text(_) => PartContent::Text(inside.iter().map(|(text, _)| *text).collect()),
                PartContent::Lines(_) => {
                    let lines = inside.split_inclusive(|(_, ends)| *ends);
                    PartContent::Lines(lines.map(|line| line.iter().map(|(text, _)| *text).collect()).collect())
                }
            },
            ..self.clone()
        }
    }

    /// Returns the path, the lines, the number of lines of the file, and what else a later call or an edit needs.
    fn header(&self) -> String {
        let lines = line_range(self.start_line, self.end_line);
        let columns = match (self.start_column, self.end_column) {
            (None, None) => String::new(),
            (start, None) => format!(" from column {}", start.unwrap_or_default()),
            (start, Some(end)) => format!(" columns {}-{end}", start.unwrap_or_default()),
        };
        let element = self.element.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
        let encoding = encoding_mark(&self.encoding);
        let clamped = if self.clamped { " (end of file)" } else { "" };
        let Self { file_path, total_lines, .. } = self;
        format!("{file_path}:{lines}{columns} of {total_lines}{element}{encoding}{clamped}")
    }

    /// Returns the content as the file has it, or with line numbers.
    fn body(&self) -> String {
        match &self.content {
            PartContent::Lines(lines) => lines.join("\n"),
            PartContent::Text(text) => text.clone(),
        }
    }

    /// Returns the content below its header.
    fn headed(&self) -> String {
        let body = self.body();
        let body = if self.format == "raw" { body.as_str() } else { body.trim_end_matches('\n') };
        format!("{}\n{body}", self.header())
    }

    /// Returns the text beside the structure: in the formats of exact content without a header.
    fn text(&self) -> String {
        match &self.content {
            PartContent::Lines(lines) => serde_json::to_string(lines).unwrap_or_default(),
            PartContent::Text(text) if self.format == "raw" => text.clone(),
            PartContent::Text(_) => self.headed(),
        }
    }
}

impl Output {
    /// Returns the place from which the rest is read, if the reply is cut. The counts of the cut are those of pieces,
    /// which tell a reader nothing.
    fn rest(&self) -> Option<String> {
        self.next.as_ref().map(|next| format!("… {}", next.hint))
    }

    fn parts(&self) -> impl Iterator<Item = &SectionPart> {
        self.partial_content_result.iter().chain(self.partial_content_results.iter().flatten())
    }
}

/// Joins texts by line ends. Exact content ends with its own.
fn joined(texts: impl Iterator<Item = String>) -> String {
    let mut out = String::new();
    for text in texts {
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        out.push_str(&text);
    }
    out
}

impl Render for Output {
    fn text(&self, _locale: Locale) -> String {
        // Several exact contents one after the other would read as one.
        let has_headers = self.parts().count() > 1;
        let text = |part: &SectionPart| if has_headers { part.headed() } else { part.text() };
        joined(self.parts().map(text).chain(self.rest()))
    }

    fn text_alone(&self, _locale: Locale) -> String {
        // First, where it cannot be taken for a line of the content.
        joined(self.rest().into_iter().chain(self.parts().map(SectionPart::headed)))
    }

    fn rows(&self) -> usize {
        self.parts().map(|part| part.pieces().len()).sum()
    }

    fn page(&self, rows: Range<usize>) -> (Self, usize) {
        let mut at = 0;
        let mut parts = Vec::new();
        let mut further = Vec::new();
        for part in self.parts() {
            let pieces = part.pieces().len();
            let (from, to) = (rows.start.max(at), rows.end.min(at + pieces));
            if from < to {
                parts.push(part.slice(from - at..to - at));
            }
            if at >= rows.end {
                further.push((part.start_line, part.end_line));
            }
            at += pieces;
        }
        let page = Self {
            further,
            partial_content_results: self.partial_content_results.is_some().then(|| parts.clone()),
            partial_content_result: self.partial_content_result.is_some().then(|| parts.pop()).flatten(),
            success: self.success,
            truncated: self.truncated,
            next: None,
        };
        (page, rows.end)
    }

    fn mark(&mut self, next: &NextPage) {
        self.truncated = true;
        let mut next = next.clone();
        let last = self.parts().last();
        if let Some(last) = last.filter(|_| !self.further.is_empty()) {
            let (whole_end, _) = last.whole_end;
            let rest = (last.end_line < whole_end).then_some((last.end_line + 1, whole_end));
            let sections = rest.iter().chain(&self.further);
            let sections: Vec<String> =
                sections.map(|(start, end)| format!(r#"{{"start_line": {start}, "end_line": {end}}}"#)).collect();
            next.hint = format!("sections [{}]; {}", sections.join(", "), next.hint);
        } else if let Some(last) = last {
            let end = match last.whole_end {
                (line, Some(column)) => format!(", end_line {line}, end_column {column}"),
                (line, None) if line < last.total_lines => format!(", end_line {line}"),
                (_, None) => String::new(),
            };
            next.hint = match last.end_column {
                Some(column) => format!("start_line {}, start_column {column}{end}; {}", last.end_line, next.hint),
                None => format!("start_line {}{end}; {}", last.end_line + 1, next.hint),
            };
        }
        self.next = Some(next);
    }
}
