//! The tool `check_code_scale`: measures the size and complexity of files, and advises on reading them with few tokens.

use std::{ops::Range, sync::Arc, time::Duration};

use fumi_base::{
    pools::Pool,
    project::ProjectPath,
    text::{BilingualText, Locale},
    tokens,
};
use fumi_code::{
    elements::{ElementKind, ElementList},
    errors::structure::StructureError,
    file_scale::{self, Scale},
    parse::SourceFile,
    skipped::SkippedList,
    source_files,
    syntax_errors::SyntaxErrorSummary,
};
use fumi_kernel::{
    ArgumentRule, Cx, Effect, NextPage, Render, SharedOption, Tool, ToolError, ToolOutcome, ToolSpec, ToolTextFiles,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::{FAMILY, TOOLSET, path_arguments, structure_deps::StructureDeps};

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
    /// True to include `llm_guidance`; for several files off by default, because it repeats itself.
    include_guidance: Option<bool>,
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
    /// The places with syntax errors, where elements may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    parse_errors: Option<ParseErrors>,
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
    /// The language; `text` if it is not known.
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
        aliases: &[],
        toolset: TOOLSET,
        other_toolsets: &[],
        family: &FAMILY,
        listed: true,
        texts: ToolTextFiles {
            en: include_str!("check_code_scale.en.md"),
            ja: include_str!("check_code_scale.ja.md"),
        },
        example: r#"{"file_path": "src/main.py"}"#,
        options: &[SharedOption::Project, SharedOption::Timeout, SharedOption::Cursor],
        rules: &[ArgumentRule::ExactlyOne(&["file_path", "file_paths"])],
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
        let (deps, locale) = (Arc::clone(deps), cx.locale());
        let output = if let Some(file_path) = &args.file_path {
            let path = path_arguments::resolve_path(cx, file_path).await?;
            let one = cx.blocking(move |cancel, _| assess_file(&path, &args, &deps, locale, cancel));
            Output {
                success: true,
                one: Some(one.await?),
                ..Output::default()
            }
        } else {
            let paths = path_arguments::resolve_paths(cx, &args.file_paths).await?;
            cx.blocking(move |cancel, _| assess_files(&paths, &args, &deps, locale, cancel))
                .await?
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
            Err(error) => failed.push(UnreadableFile {
                path,
                error: error.message().get(locale).to_owned(),
            }),
        }
    }
    Ok(Output {
        success: true,
        files: Some(files),
        failed,
        ..Output::default()
    })
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
    let mut broken = None;
    let (scale, elements, language) = match source {
        Some(source) => {
            let file = deps.parsers.outline(source, cancel)?;
            let scale = file_scale::assess(&file, estimate);
            broken = SyntaxErrorSummary::from_errors(&file.errors, file.error_count);
            (scale, Some(file.elements), file.source.language.name)
        }
        None => (file_scale::assess_text(&text, estimate), None, "text"),
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
        parse_errors: broken.map(|broken| ParseErrors {
            count: broken.count,
            line: broken.first_line,
        }),
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
        complexity_metrics: scale
            .complexity
            .filter(|_| args.include_complexity)
            .map(|metrics| ComplexityMetrics {
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
        parse_errors: None,
    }
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

impl FileScale {
    fn text(&self) -> String {
        let info = &self.file_info;
        let mut lines = vec![format!(
            "{} {} {} lines ({} code, {} comment, {} blank) {} bytes {} ~{} tokens: {}",
            info.path,
            info.language,
            info.line_count,
            info.lines_code,
            info.lines_comment,
            info.lines_blank,
            info.size_bytes,
            info.encoding,
            self.scale_assessment.token_estimate,
            self.scale_assessment.category,
        )];
        if let Some(metrics) = &self.complexity_metrics {
            let cyclomatic = &metrics.cyclomatic;
            lines.push(format!(
                "classes {} methods {} functions {} fields {} imports {}; cyclomatic total {} average {} max {}{}",
                metrics.classes,
                metrics.methods,
                metrics.functions,
                metrics.fields,
                metrics.imports,
                cyclomatic.total,
                cyclomatic.average,
                cyclomatic.max,
                cyclomatic
                    .max_element
                    .as_ref()
                    .map(|name| format!(" ({name})"))
                    .unwrap_or_default(),
            ));
        }
        if let Some(broken) = &self.parse_errors {
            lines.push(format!("parse_errors: {}, first at line {}", broken.count, broken.line));
        }
        lines.push(self.scale_assessment.recommended_strategy.clone());
        if let Some(guidance) = &self.llm_guidance {
            lines.push(guidance.recommended_approach.clone());
            lines.extend(guidance.workflow_steps.iter().map(|step| format!("- {step}")));
            lines.push(guidance.token_optimization.clone());
        }
        for detail in self.details.iter().flatten() {
            let complexity = detail
                .complexity
                .map(|complexity| format!(" c{complexity}"))
                .unwrap_or_default();
            lines.push(format!(
                "{}-{} {} {}{complexity}",
                detail.start_line, detail.end_line, detail.kind, detail.name
            ));
        }
        lines.join("\n")
    }
}

impl Render for Output {
    fn text(&self, _locale: Locale) -> String {
        let scales = self.one.iter().chain(self.files.iter().flatten());
        let mut lines: Vec<String> = scales.map(FileScale::text).collect();
        lines.extend(
            self.failed
                .iter()
                .map(|failed| format!("{}: {}", failed.path, failed.error)),
        );
        lines.extend(self.next.as_ref().map(NextPage::line));
        lines.join("\n")
    }

    fn rows(&self) -> usize {
        match (&self.one, &self.files) {
            (Some(one), _) => one.details.as_ref().map_or(0, Vec::len),
            (None, files) => files.as_ref().map_or(0, Vec::len),
        }
    }

    fn page(&self, rows: Range<usize>) -> (Self, usize) {
        let mut page = self.clone();
        if let Some(details) = page.one.as_mut().and_then(|one| one.details.as_mut()) {
            *details = details[rows.start.min(details.len())..rows.end.min(details.len())].to_vec();
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
