//! The tool `check_code_scale`: measures the size and complexity of files, and advises on reading them with few tokens.

use std::{ops::Range, sync::Arc};

use fumi_base::{
    project::ProjectPath,
    text::{BilingualText, Locale},
    tokens,
};
use fumi_code::{
    elements::{ElementKind, ElementList},
    errors::structure::StructureError,
    file_scale::{self, Scale},
    notation::{encoding_mark, line_range},
    outline::Outline,
    parse::SourceFile,
    skipped::SkippedList,
    source_files,
    syntax_errors::SyntaxErrorSummary,
    table::{self, TableFormat},
};
use fumi_kernel::{ArgumentRule, Cx, NextPage, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::{READS, path_arguments, structure_deps::StructureDeps, texts};

#[derive(Debug)]
pub struct CheckCodeScale;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    #[schemars(length(min = 1))]
    file_path: Option<String>,
    /// Paths of several files.
    #[serde(default)]
    file_paths: Vec<String>,
    /// The language, in place of the detected one.
    language: Option<String>,
    /// True to include `complexity_metrics`.
    #[serde(default = "yes")]
    include_complexity: bool,
    /// True to include `details`.
    #[serde(default)]
    include_details: bool,
    /// The table of elements to include.
    include_structure: Option<StructureFormat>,
    /// True to include `llm_guidance`; for several files off by default, because it repeats itself.
    include_guidance: Option<bool>,
}

/// A table of `analyze_code_structure`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum StructureFormat {
    Compact,
    Signatures,
}

fn yes() -> bool {
    true
}

/// The scale of one file, or a list for several files.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    #[serde(flatten)]
    one: Option<FileScale>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<FileScale>>,
    /// The files that could not be read, each with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failed: Vec<UnreadableFile>,
    /// True if the reply lacks rows, which `next` requests.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<NextPage>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct UnreadableFile {
    path: String,
    error: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct FileScale {
    file_info: FileInfo,
    scale_assessment: ScaleAssessment,
    #[serde(skip_serializing_if = "Option::is_none")]
    complexity_metrics: Option<ComplexityMetrics>,
    #[serde(skip_serializing_if = "Option::is_none")]
    llm_guidance: Option<ReadingGuidance>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Vec<ElementScale>>,
    /// The table of elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    structure: Option<String>,
    /// The places with syntax errors, where elements may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    parse_errors: Option<ParseErrors>,
    /// True if an earlier page had everything but the elements.
    #[serde(skip)]
    is_continued: bool,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ParseErrors {
    count: usize,
    /// The line of the first syntax error.
    line: usize,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct FileInfo {
    path: String,
    size_bytes: u64,
    line_count: usize,
    /// The language; `text` if it is not known, `binary` if the file is not text.
    language: String,
    lines_code: usize,
    lines_comment: usize,
    lines_blank: usize,
    encoding: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ScaleAssessment {
    category: String,
    recommended_strategy: String,
    token_estimate: usize,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ComplexityMetrics {
    total_elements: usize,
    classes: usize,
    methods: usize,
    functions: usize,
    fields: usize,
    imports: usize,
    cyclomatic: CyclomaticMetrics,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct CyclomaticMetrics {
    total: usize,
    average: f64,
    max: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_element: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ReadingGuidance {
    recommended_approach: String,
    workflow_steps: Vec<String>,
    token_optimization: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ElementScale {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    start_line: usize,
    end_line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    complexity: Option<usize>,
}

impl Tool for CheckCodeScale {
    const SPEC: ToolSpec = ToolSpec {
        name: "check_code_scale",
        texts: texts!("check_code_scale"),
        example: r#"{"file_path": "src/main.py"}"#,
        rules: &[
            ArgumentRule::ExactlyOne(&["file_path", "file_paths"]),
            ArgumentRule::Without("include_structure", &["include_details"]),
        ],
        ..READS
    };
    type Deps = Arc<StructureDeps>;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &Arc<StructureDeps>, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let (deps, locale) = (Arc::clone(deps), cx.locale());
        let output = if let Some(file_path) = &args.file_path {
            let path = path_arguments::resolve_path(cx, file_path).await?;
            let one = cx.blocking(move |cancel, _| assess_file(&path, &args, &deps, locale, cancel));
            Output { success: true, one: Some(one.await?), ..Output::default() }
        } else {
            let (mut paths, mut failed, mut errors) = (Vec::new(), Vec::new(), Vec::new());
            for (raw, resolved) in args.file_paths.iter().zip(path_arguments::resolve_each(cx, &args.file_paths).await?)
            {
                match resolved {
                    Ok(path) => paths.push(path),
                    Err(error) => {
                        failed
                            .push(UnreadableFile { path: raw.clone(), error: error.message().get(locale).to_owned() });
                        errors.push(error);
                    }
                }
            }
            if let Some(error) = ToolError::combine(errors).filter(|_| paths.is_empty()) {
                return Err(error);
            }
            let mut output = cx.blocking(move |cancel, _| assess_files(&paths, &args, &deps, locale, cancel)).await?;
            output.failed.extend(failed);
            output
        };
        Ok(ToolOutcome::Done(output))
    }
}

/// Assesses several files at once; an unreadable file does not hide the others.
fn assess_files(
    paths: &[ProjectPath],
    args: &Args,
    deps: &StructureDeps,
    locale: Locale,
    cancel: &CancellationToken,
) -> Result<Output, ToolError> {
    let sources = source_files::process_each(paths, SkippedList::default(), cancel, |path| {
        Ok(Some((path.shown(), assess_file(path, args, deps, locale, cancel))))
    })?;
    let (mut files, mut failed) = (Vec::new(), Vec::new());
    for (path, scale) in sources.results {
        match scale {
            Ok(scale) => files.push(scale),
            Err(error) => failed.push(UnreadableFile { path, error: error.message().get(locale).to_owned() }),
        }
    }
    Ok(Output { success: true, files: Some(files), failed, ..Output::default() })
}

fn assess_file(
    path: &ProjectPath,
    args: &Args,
    deps: &StructureDeps,
    locale: Locale,
    cancel: &CancellationToken,
) -> Result<FileScale, ToolError> {
    let (decoded, size) = deps.read(path)?;
    let estimate = tokens::estimate(&decoded.text);
    let encoding = decoded.encoding.clone();
    let text = decoded.text.clone();
    let source = match SourceFile::new(path.shown(), decoded, size, args.language.as_deref()) {
        Ok(source) => Some(source),
        // A text in an unknown language still has lines and a size.
        Err(StructureError::UnsupportedLanguage { .. } | StructureError::EmptyFile { .. })
            if args.language.is_none() =>
        {
            None
        }
        Err(error) => return Err(error.into()),
    };
    let (mut broken, mut structure) = (None, None);
    let (scale, elements, language) = if let Some(source) = source {
        let file = deps.parsers.outline(source, cancel)?;
        let scale = file_scale::assess(&file, estimate);
        broken = SyntaxErrorSummary::from_errors(&file.errors, file.error_count);
        structure = args.include_structure.map(|format| table_of(&file, format));
        (scale, Some(file.elements), file.source.language.name)
    } else {
        let language = if file_scale::is_binary(&text) { "binary" } else { "text" };
        (file_scale::assess_text(&text, estimate), None, language)
    };
    let info = FileInfo {
        path: path.shown(),
        size_bytes: size,
        line_count: scale.lines.total,
        language: language.to_owned(),
        lines_code: scale.lines.code,
        lines_comment: scale.lines.comment,
        lines_blank: scale.lines.blank,
        encoding,
    };
    Ok(FileScale {
        parse_errors: broken.map(|broken| ParseErrors { count: broken.count, line: broken.first_line }),
        structure,
        ..published(info, scale, elements.as_ref(), args, locale)
    })
}

fn published(
    file_info: FileInfo,
    scale: Scale,
    elements: Option<&ElementList>,
    args: &Args,
    locale: Locale,
) -> FileScale {
    let say = |text: BilingualText| text.get(locale).to_owned();
    let guidance = scale.guidance;
    let wants_guidance = args.include_guidance.unwrap_or(args.file_path.is_some());
    FileScale {
        file_info,
        scale_assessment: ScaleAssessment {
            category: scale.category.name().to_owned(),
            recommended_strategy: say(guidance.strategy.text()),
            token_estimate: scale.token_estimate,
        },
        complexity_metrics: scale.complexity.filter(|_| args.include_complexity).map(|metrics| ComplexityMetrics {
            total_elements: metrics.total_elements,
            classes: metrics.classes,
            methods: metrics.methods,
            functions: metrics.functions,
            fields: metrics.fields,
            imports: metrics.imports,
            cyclomatic: CyclomaticMetrics {
                total: metrics.cyclomatic.total,
                average: (metrics.cyclomatic.average * 100.0).round() / 100.0,
                max: metrics.cyclomatic.max,
                max_element: metrics.cyclomatic.max_element,
            },
        }),
        llm_guidance: wants_guidance.then(|| ReadingGuidance {
            recommended_approach: say(guidance.approach.text()),
            workflow_steps: guidance.steps.iter().map(|step| say(step.text())).collect(),
            token_optimization: say(guidance.tokens.text()),
        }),
        details: elements.filter(|_| args.include_details).map(details),
        structure: None,
        parse_errors: None,
        is_continued: false,
    }
}

/// Returns the table without its heading, whose facts the scale has.
fn table_of(file: &Outline, format: StructureFormat) -> String {
    let (table, heading) = match format {
        StructureFormat::Compact => (table::render(TableFormat::Compact, file), table::heading(file)),
        StructureFormat::Signatures => (table::render(TableFormat::Signatures, file), String::new()),
    };
    let table = table.strip_prefix(&heading).unwrap_or(&table);
    table.trim_matches('\n').to_owned()
}

fn details(elements: &ElementList) -> Vec<ElementScale> {
    elements
        .list
        .iter()
        .enumerate()
        .filter(|(_, element)| element.kind != ElementKind::Comment)
        .map(|(at, element)| ElementScale {
            name: elements.qualified_name(at),
            kind: element.kind.name().to_owned(),
            start_line: element.span.start_line,
            end_line: element.span.end_line,
            complexity: element.code().and_then(|code| code.complexity),
        })
        .collect()
}

impl FileInfo {
    /// Returns what the file is: path, language, lines by content, size, and an encoding other than UTF-8.
    fn text(&self) -> String {
        let counts = [(self.lines_code, "code"), (self.lines_comment, "comment"), (self.lines_blank, "blank")];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, name)| format!("{count} {name}")).collect();
        let counts = if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) };
        let (place, size_bytes) = (self.place(), self.size_bytes);
        let encoding = encoding_mark(&self.encoding);
        format!("{place}{counts} {size_bytes} bytes{encoding}")
    }

    /// Returns the path, the language and the number of lines.
    fn place(&self) -> String {
        let s = if self.line_count == 1 { "" } else { "s" };
        format!("{} {} {} line{s}", self.path, self.language, self.line_count)
    }
}

impl ComplexityMetrics {
    fn text(&self) -> String {
        let counts = [
            ("classes", self.classes),
            ("methods", self.methods),
            ("functions", self.functions),
            ("fields", self.fields),
            ("imports", self.imports),
        ];
        let counts = counts.iter().filter(|(_, count)| *count > 0);
        let counts: Vec<String> = counts.map(|(name, count)| format!("{name} {count}")).collect();
        let CyclomaticMetrics { total, average, .. } = self.cyclomatic;
        let complexity = self.cyclomatic.most();
        let complexity = complexity.map(|most| format!("complexity {total}, average {average}, {most}"));
        let counts = Some(counts.join(", ")).filter(|counts| !counts.is_empty());
        let parts: Vec<String> = counts.into_iter().chain(complexity).collect();
        parts.join("; ")
    }
}

impl CyclomaticMetrics {
    /// Returns the most complex callable, if there is any.
    fn most(&self) -> Option<String> {
        let Self { max, max_element, .. } = self;
        max_element.as_ref().map(|name| format!("max {max} {name}"))
    }
}

impl FileScale {
    fn text(&self, locale: Locale) -> String {
        let mut lines = Vec::new();
        if self.is_continued {
            lines.push(self.file_info.path.clone());
        } else {
            let ScaleAssessment { category, token_estimate, .. } = &self.scale_assessment;
            lines.push(format!("{} ~{token_estimate} tokens: {category}", self.file_info.text()));
            let metrics = self.complexity_metrics.as_ref().map(ComplexityMetrics::text);
            lines.extend(metrics.filter(|metrics| !metrics.is_empty()));
            lines.extend(self.parse_errors.as_ref().map(|errors| errors.text(locale)));
            lines.push(self.advice());
        }
        lines.extend(self.rows());
        lines.join("\n")
    }

    /// Returns one line for a file of several.
    fn line(&self, locale: Locale) -> String {
        let place = self.file_info.place();
        let tokens = self.scale_assessment.token_estimate;
        let metrics = self.complexity_metrics.as_ref();
        let most = metrics.and_then(|metrics| metrics.cyclomatic.most());
        let most = most.map(|most| format!(", complexity {most}")).unwrap_or_default();
        let errors = self.parse_errors.as_ref().map(|errors| format!(" {}", errors.text(locale)));
        let first = format!("{place} ~{tokens} tokens{most} {}{}", self.advice(), errors.unwrap_or_default());
        let lines: Vec<String> = std::iter::once(first).chain(self.rows()).collect();
        lines.join("\n")
    }

    /// Returns the way to read the file, with its calls if the caller wants guidance.
    fn advice(&self) -> String {
        let strategy = &self.scale_assessment.recommended_strategy;
        match &self.llm_guidance {
            Some(guidance) => format!("→ {strategy}: {}", guidance.workflow_steps.join(" ")),
            None => format!("→ {strategy}"),
        }
    }

    /// Returns a line for each element, or the table.
    fn rows(&self) -> impl Iterator<Item = String> {
        let structure = self.structure.clone().filter(|table| !table.is_empty());
        let details = self.details.iter().flatten().map(|element| {
            let ElementScale { name, kind, .. } = element;
            let lines = line_range(element.start_line, element.end_line);
            let complexity = element.complexity;
            let complexity = complexity.map(|complexity| format!(" complexity {complexity}"));
            format!("{lines} {kind} {name}{}", complexity.unwrap_or_default())
        });
        details.chain(structure)
    }
}

impl ParseErrors {
    fn text(&self, locale: Locale) -> String {
        let Self { count, line } = self;
        match locale {
            Locale::En if *count == 1 => format!("Syntax error at line {line}: elements there may be missing."),
            Locale::En => format!("{count} syntax errors, the first at line {line}: elements there may be missing."),
            Locale::Ja => {
                format!("構文エラー {count} 件（最初は {line} 行目）。該当箇所の要素は漏れている可能性があります。")
            }
        }
    }
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let one = self.one.iter().map(|scale| scale.text(locale));
        let several = self.files.iter().flatten().map(|scale| scale.line(locale));
        let failed = self.failed.iter().map(|failed| format!("{}: {}", failed.path, failed.error));
        let next = self.next.as_ref().map(NextPage::line);
        let lines: Vec<String> = one.chain(several).chain(failed).chain(next).collect();
        lines.join("\n")
    }

    fn rows(&self) -> usize {
        match (&self.one, &self.files) {
            (Some(one), _) => match (&one.details, &one.structure) {
                (Some(details), _) => details.len(),
                (None, Some(table)) => table.lines().count(),
                (None, None) => 0,
            },
            (None, files) => files.as_ref().map_or(0, Vec::len),
        }
    }

    fn page(&self, rows: Range<usize>) -> (Self, usize) {
        let mut page = self.clone();
        if let Some(one) = &mut page.one {
            one.is_continued = rows.start > 0;
        }
        if let Some(details) = page.one.as_mut().and_then(|one| one.details.as_mut()) {
            *details = details[rows.start.min(details.len())..rows.end.min(details.len())].to_vec();
        }
        if let Some(table) = page.one.as_mut().and_then(|one| one.structure.as_mut()) {
            let lines: Vec<&str> = table.lines().skip(rows.start).take(rows.len()).collect();
            *table = lines.join("\n");
        }
        if let Some(files) = &mut page.files {
            *files = files[rows.start.min(files.len())..rows.end.min(files.len())].to_vec();
        }
        (page, rows.end)
    }

    fn mark(&mut self, next: &NextPage) {
        self.truncated = true;
        self.next = Some(next.clone());
    }
}
