//! The `fetch_artifact` tool: returns a text by its id, or a part of it.
//!
//! A reply that cannot contain all of it names the section to request for the rest. An id always refers to the same
//! content, so no cursor is needed.

use std::{ops::Range, sync::Arc};

use fumi_base::{redact::Redactor, text::Locale};
use fumi_kernel::{Cx, NextPage, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{
    artifacts::{ArtifactStore, NovelArtifact},
    errors::{artifact::ArtifactError, project::ProjectError},
    project::YamlValue,
    sections::{self, LinePiece, TextSection},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    DATA, NovelDeps, READS,
    reference::{ArtifactInfo, parse_hash},
    texts,
};
use crate::novel::{NOVEL, REVIEW, STEPS};

/// The size above which only the keys of data are listed, in bytes of JSON: together with the rest of the reply, about
/// the default reply limit.
const DATA_BYTES: usize = 34_000;

/// The maximum number of keys listed.
const KEYS: usize = 200;

#[derive(Debug)]
pub struct FetchArtifact;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The id `artifact:` with digits, or a hash.
    #[schemars(length(min = 1))]
    artifact_id: String,
    /// The part to return.
    #[schemars(length(min = 1))]
    section: Option<String>,
    /// The form of the content.
    #[serde(default)]
    format: ArtifactFormat,
}

/// The form of the content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ArtifactFormat {
    /// As text.
    #[default]
    Raw,
    /// YAML and JSON as data, prose as its headings.
    Json,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    #[serde(flatten)]
    known: ArtifactInfo,
    /// The encoding, if it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
    /// The number of lines of the whole artifact.
    total_lines: usize,
    /// The first and the last line of `content` in the artifact.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<usize>,
    /// The text, or the requested part of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// The value. A value that is not an object is in the field `value`, because clients need one type for each field.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Map<String, Value>>,
    /// The keys of a value that is too large to be returned at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    keys: Option<Vec<ValueKey>>,
    /// The headings of a prose text.
    #[serde(skip_serializing_if = "Option::is_none")]
    headings: Option<Vec<ProseHeading>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// The `section` that continues the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_section: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<NextPage>,
    #[serde(skip)]
    shown: ShownPieces,
}

/// The text in pieces, of which a reply contains some.
#[derive(Clone, Debug, Default)]
struct ShownPieces {
    pieces: Arc<Vec<LinePiece>>,
    end: usize,
    /// True if the pieces are lines of the artifact; false if they are lines of a value in it.
    are_lines: bool,
    locale: Locale,
}

/// A part of a large value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ValueKey {
    /// The JSON pointer of the part.
    pointer: String,
    /// The size as JSON, in bytes.
    size_bytes: usize,
}

/// A heading of prose.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProseHeading {
    /// The heading with its Markdown signs.
    #[serde(rename = "heading")]
    title: String,
    start_line: usize,
    end_line: usize,
}

impl Tool for FetchArtifact {
    const SPEC: ToolSpec = ToolSpec {
        name: "fetch_artifact",
        toolset: DATA,
        // This tool is also in toolsets whose questions refer to artifacts.
        other_toolsets: &[NOVEL, STEPS, REVIEW],
        texts: texts!("fetch_artifact"),
        example: r#"{"artifact_id": "artifact:ba7816bf8f01", "section": "1-40"}"#,
        ..READS
    };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let hash = parse_hash(&args.artifact_id)?;
        let artifacts = ArtifactStore::new(deps.novel(cx));
        let locale = cx.locale();
        let redactor = Arc::clone(&cx.actor.redactor);
        let work = cx.blocking(move |cancel, _| {
            let artifact = artifacts.find(&hash, || cancel.is_cancelled())?;
            fetched(&artifacts, &artifact, &args, locale, &redactor)
        });
        Ok(ToolOutcome::Done(work.await?))
    }
}

fn fetched(
    artifacts: &ArtifactStore,
    artifact: &NovelArtifact,
    args: &Args,
    locale: Locale,
    redactor: &Redactor,
) -> Result<Output, ArtifactError> {
    let decoded = artifacts.text(artifact)?;
    let text = decoded.text;
    // A secret that is split over two pieces would not be detected, so the whole text is redacted first. Data are
    // parsed from the original text, because redacted text may not be valid YAML.
    let pieces = |text: &str, section| sections::pieces(redactor.mask(text).as_deref().unwrap_or(text), section);
    let section = args.section.as_deref().map(TextSection::parse);
    let is_data = matches!(artifact.file.content_type, "application/yaml" | "application/json");
    let mut output = Output {
        success: true,
        encoding: (decoded.encoding != "utf-8").then_some(decoded.encoding),
        total_lines: sections::count(&text),
        start_line: None,
        end_line: None,
        content: None,
        data: None,
        keys: None,
        headings: None,
        truncated: false,
        next_section: None,
        next: None,
        shown: ShownPieces { locale, are_lines: true, ..ShownPieces::default() },
        known: artifact.clone().into(),
    };
    match (&section, args.format) {
        (Some(TextSection::Pointer(pointer)), format) if is_data => {
            let value = at(&value_of(artifact, &text)?, pointer)?;
            if format == ArtifactFormat::Json {
                output.show_value(value, pointer);
            } else {
                let text = match value {
                    Value::String(text) => text,
                    other => format!("{other:#}\n"),
                };
                output.shown.are_lines = false;
                output.show(pieces(&text, None)?);
            }
        }
        (None, ArtifactFormat::Json) if is_data => output.show_value(value_of(artifact, &text)?, ""),
        (None, ArtifactFormat::Json) => {
            output.headings = Some(sections::headings(&text).into_iter().map(ProseHeading::from).collect());
        }
        (section, _) => output.show(pieces(&text, section.as_ref())?),
    }
    Ok(output)
}

/// Parses YAML or JSON as data.
fn value_of(artifact: &NovelArtifact, text: &str) -> Result<Value, ArtifactError> {
    let path = &artifact.file.path;
    let broken = |error: serde_json::Error| ProjectError::BrokenYaml {
        path: path.clone(),
        line: error.line(),
        column: error.column(),
        reason: error.to_string(),
    };
    let value = if artifact.file.content_type == "application/json" {
        serde_json::from_str(text).map_err(broken)?
    } else {
        serde_json::to_value(YamlValue::read(path, text)?).map_err(broken)?
    };
    Ok(value)
}

/// Returns the value at a pointer. If there is none, the error lists the keys at the deepest existing prefix.
fn at(value: &Value, pointer: &str) -> Result<Value, ArtifactError> {
    if let Some(found) = value.pointer(pointer) {
        return Ok(found.clone());
    }
    let mut deepest = "";
    for (end, _) in pointer.match_indices('/') {
        if value.pointer(&pointer[..end]).is_some() {
            deepest = &pointer[..end];
        }
    }
    let known = value.pointer(deepest).map(|value| keys_of(value, deepest)).unwrap_or_default();
    Err(ArtifactError::ValueNotFound {
        pointer: pointer.to_owned(),
        known: known.into_iter().map(|key| key.pointer).collect(),
    })
}

fn keys_of(value: &Value, pointer: &str) -> Vec<ValueKey> {
    let key = |name: &str, value: &Value| ValueKey {
        pointer: format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1")),
        size_bytes: value.to_string().len(),
    };
    match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| key(name, value)).take(KEYS).collect(),
        Value::Array(items) => {
            let items = items.iter().enumerate().take(KEYS);
            items.map(|(at, value)| key(&at.to_string(), value)).collect()
        }
        _ => Vec::new(),
    }
}

impl From<sections::MarkdownHeading> for ProseHeading {
    fn from(heading: sections::MarkdownHeading) -> Self {
        Self { title: heading.shown(), start_line: heading.lines.0, end_line: heading.lines.1 }
    }
}

impl Output {
    /// Shows a whole text; the parts that do not fit are cut later.
    fn show(&mut self, pieces: Vec<LinePiece>) {
        self.shown.pieces = Arc::new(pieces);
        self.take(0..self.shown.pieces.len());
    }

    fn take(&mut self, range: Range<usize>) {
        self.shown.end = range.end;
        let pieces = &self.shown.pieces[range];
        self.content = Some(pieces.iter().map(|piece| piece.text.as_str()).collect());
        if let (true, [first, .., last] | [first @ last]) = (self.shown.are_lines, pieces) {
            (self.start_line, self.end_line) = (Some(first.line), Some(last.line));
        }
    }

    /// Shows a value, or the keys of a value that is too large.
    fn show_value(&mut self, value: Value, pointer: &str) {
        if value.to_string().len() <= DATA_BYTES {
            self.data = Some(match value {
                Value::Object(fields) => fields,
                other => Map::from_iter([("value".to_owned(), other)]),
            });
            return;
        }
        let keys = keys_of(&value, pointer);
        self.truncated = true;
        self.next_section = keys.first().map(|key| key.pointer.clone());
        self.keys = Some(keys);
    }
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let mut head = self.known.line();
        if let (Some(start), Some(end)) = (self.start_line, self.end_line) {
            head.push_str(&format!(" [{start}-{end} / {}]", self.total_lines));
        }
        let mut lines = vec![head];
        lines.extend(self.content.clone());
        lines.extend(self.data.clone().map(|data| Value::Object(data).to_string()));
        let headings = self.headings.iter().flatten();
        lines.extend(headings.map(|one| format!("{}-{} {}", one.start_line, one.end_line, one.title)));
        let keys = self.keys.iter().flatten();
        lines.extend(keys.map(|key| format!("{} {} B", key.pointer, key.size_bytes)));
        if let (Some(section), None) = (&self.next_section, &self.next) {
            lines.push(match locale {
                Locale::En => format!("Too large to be shown at once: pass a path as section, such as {section}"),
                Locale::Ja => format!("一度に表示できません。{section} のようなパスを section に渡してください"),
            });
        }
        lines.extend(self.next.as_ref().map(NextPage::line));
        lines.join("\n")
    }

    fn rows(&self) -> usize {
        self.shown.pieces.len()
    }

    fn page(&self, rows: Range<usize>) -> (Self, usize) {
        let end = rows.end.min(self.rows());
        let mut page = self.clone();
        page.take(rows.start.min(end)..end);
        (page, end)
    }

    fn mark(&mut self, next: &NextPage) {
        self.truncated = true;
        let pieces = &self.shown.pieces;
        let rest = sections::remaining_section(pieces, 0..self.shown.end).filter(|_| self.shown.are_lines);
        let hint = match (self.shown.locale, &rest) {
            (Locale::En, Some(rest)) => format!("continue with section \"{rest}\""),
            (Locale::Ja, Some(rest)) => format!("続きは section \"{rest}\" で取得できます"),
            (Locale::En, None) => format!("pass a longer path, or lines of the artifact (1-{})", self.total_lines),
            (Locale::Ja, None) => {
                format!("より深いパスか、成果物の行範囲（1-{}）を section に渡してください", self.total_lines)
            }
        };
        self.next_section = rest;
        self.next = Some(NextPage { hint, ..next.clone() });
    }
}
