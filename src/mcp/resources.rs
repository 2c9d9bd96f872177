//! Resources: the project's files and statistics by URI, for clients that read instead of calling.
//!
//! `code://file/{+path}` and `code://stats/{type}`, both with `?project_root=`; files also with `?lines=10-50`. A URI is
//! percent-decoded once, and its path is resolved like every other: nothing outside the project is read, and what cannot
//! be read is an error, never an empty answer.

use std::{collections::BTreeMap, sync::Arc, time::SystemTime};

use base64::Engine as _;
use fumi_base::{
    files::{self, EncodingChoice},
    pools::Pool,
    project::Project,
    text::Locale,
};
use fumi_code::{
    languages::detect::guess,
    project_stats::{Depth, ProjectStats, collect},
    section::{Content, Format, Range, Sheet},
    walk::{Detail, FileFilter, FileOptions, Listed, Sort},
};
use rmcp::{
    ErrorData,
    model::{
        CompleteRequestParams, CompleteResult, CompletionInfo, ListResourceTemplatesResult, ListResourcesResult,
        MetaObject, ReadResourceResult, Reference, Resource, ResourceContents, ResourceTemplate,
    },
};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    app::App,
    tool::{Caller, Cx, Progress, ToolError},
};

/// Files on one page of the list.
const PAGE: usize = 100;
/// Files that statistics look at (the design limit of a project).
const MAX_FILES: usize = 100_000;
/// Rows in the lists inside statistics.
const STATS_ROWS: usize = 1_000;
/// Longest text of one resource, in bytes: a model cannot use more, and ranges read the rest.
const MAX_TEXT: usize = 1 << 20;
/// The statistics there are.
const STATS: [&str; 4] = ["overview", "languages", "complexity", "files"];

/// What a resource URI asks for.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    what: What,
    project_root: Option<String>,
    lines: Option<(usize, Option<usize>)>,
}

#[derive(Debug, PartialEq, Eq)]
enum What {
    File(String),
    Stats(&'static str),
}

impl Asked {
    fn parse(uri: &str) -> Result<Self, String> {
        let decode = |text: &str| {
            percent_encoding::percent_decode_str(text)
                .decode_utf8()
                .map(std::borrow::Cow::into_owned)
                .map_err(|_| format!("{uri} is not UTF-8 after percent-decoding"))
        };
        let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
        let mut asked = Self {
            what: if let Some(path) = path.strip_prefix("code://file/") {
                What::File(decode(path)?)
            } else if let Some(name) = path.strip_prefix("code://stats/") {
                let known = STATS.iter().find(|known| **known == name);
                What::Stats(
                    known.ok_or_else(|| format!("there are no statistics {name:?}; there are {}", STATS.join(", ")))?,
                )
            } else {
                return Err(format!(
                    "{uri} is no resource; use code://file/PATH or code://stats/{{{}}}",
                    STATS.join("|")
                ));
            },
            project_root: None,
            lines: None,
        };
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match name {
                "project_root" => asked.project_root = Some(decode(value)?),
                "lines" => {
                    asked.lines = Some(lines(value).ok_or_else(|| format!("lines={value} is no range such as 10-50"))?);
                }
                _ => return Err(format!("{name} is no parameter; there are project_root and lines")),
            }
        }
        Ok(asked)
    }
}

/// `10-50`, `10-` or `10`.
fn lines(value: &str) -> Option<(usize, Option<usize>)> {
    let (start, end) = value.split_once('-').unwrap_or((value, value));
    let start = start.parse().ok().filter(|start| *start > 0)?;
    let end = if end.is_empty() { None } else { Some(end.parse().ok()?) };
    Some((start, end))
}

/// Characters of a path that a URI carries as they are.
const PATH: &percent_encoding::AsciiSet = &percent_encoding::NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'.')
    .remove(b'-')
    .remove(b'_')
    .remove(b'~');

fn uri_of(path: &str) -> String {
    format!("code://file/{}", percent_encoding::utf8_percent_encode(path, PATH))
}

/// One page of the project's files, after its statistics. The cursor is the last path shown.
pub async fn list(
    project: Arc<Project>,
    cursor: Option<String>,
    cancel: CancellationToken,
) -> Result<ListResourcesResult, ErrorData> {
    let after = cursor
        .as_deref()
        .map(|cursor| {
            cursor
                .parse::<usize>()
                .map_err(|_| ErrorData::invalid_params("the cursor is none that this server gave", None))
        })
        .transpose()?
        .unwrap_or(0);
    let files = walk(project, after + PAGE, cancel).await?;
    let mut resources = Vec::new();
    if after == 0 {
        resources.extend(STATS.iter().map(|name| {
            Resource::new(format!("code://stats/{name}"), (*name).to_owned()).with_mime_type("application/json")
        }));
    }
    resources.extend(
        files
            .0
            .iter()
            .skip(after)
            .map(|path| Resource::new(uri_of(path), path.clone()).with_mime_type(media_type(path, ""))),
    );
    let mut result = ListResourcesResult::with_all_items(resources);
    if (after + PAGE) < files.1 {
        result.next_cursor = Some((after + PAGE).to_string());
    }
    Ok(result)
}

/// The first files by path, and how many there are.
async fn walk(
    project: Arc<Project>,
    keep: usize,
    cancel: CancellationToken,
) -> Result<(Vec<String>, usize), ErrorData> {
    let cx = cx(project, cancel, &Caller::default());
    let project = Arc::clone(&cx.project);
    let listed = cx
        .blocking(move |cancel, _| {
            let options = FileOptions {
                types: vec!["f".to_owned()],
                ..FileOptions::default()
            };
            let filter = FileFilter::new(&project, &[], &options, SystemTime::now())
                .map_err(|errors| ToolError::all(&errors))?;
            let wanted = Listed {
                detail: Detail::Names,
                sort: Sort::Path,
                keep,
            };
            let listing = filter.list(wanted, cancel)?;
            let total = usize::try_from(listing.total_count).unwrap_or(usize::MAX);
            Ok::<_, ToolError>((listing.entries.iter().map(|file| file.path.shown()).collect(), total))
        })
        .await;
    listed.map_err(|error| refused(&error, None))
}

/// The two templates.
#[must_use]
pub fn templates(locale: Locale) -> ListResourceTemplatesResult {
    let (file, stats) = match locale {
        Locale::En => (
            "A file of the project; ?lines=10-50 reads a range, ?project_root= another allowed project",
            "Statistics of the project: overview, languages, complexity or files",
        ),
        Locale::Ja => (
            "プロジェクトのファイル。?lines=10-50 で行範囲、?project_root= で別の許可済みプロジェクト",
            "プロジェクトの統計。overview、languages、complexity、files のいずれか",
        ),
    };
    ListResourceTemplatesResult::with_all_items(vec![
        ResourceTemplate::new("code://file/{+path}", "code_file").with_description(file),
        ResourceTemplate::new("code://stats/{type}", "project_stats")
            .with_description(stats)
            .with_mime_type("application/json"),
    ])
}

/// Reads a resource.
pub async fn read(
    app: &App,
    project: Arc<Project>,
    uri: &str,
    caller: &Caller,
    cancel: CancellationToken,
) -> Result<ReadResourceResult, ErrorData> {
    let asked =
        Asked::parse(uri).map_err(|message| ErrorData::resource_not_found(message, Some(json!({"uri": uri}))))?;
    let project = match &asked.project_root {
        Some(root) => app
            .kernel
            .roots
            .project(root)
            .map_err(|error| refused(&error.into(), caller.locale))?,
        None => project,
    };
    let cx = cx(project, cancel, caller);
    let permit = app.kernel.pools.acquire(Pool::Analysis, &cx.cancel).await;
    let _permit = permit.map_err(|error| refused(&error.into(), caller.locale))?;
    let file_bytes = app.config.limits.file_bytes;
    let (project, own_uri) = (Arc::clone(&cx.project), uri.to_owned());
    let read = cx.blocking(move |cancel, _| match asked.what {
        What::File(path) => file(&project, &path, asked.lines, file_bytes, own_uri),
        What::Stats(name) => stats(&project, name, file_bytes, own_uri, cancel),
    });
    let mut contents = read.await.map_err(|error| refused(&error, caller.locale))?;
    if let ResourceContents::TextResourceContents { text, .. } = &mut contents
        && let Some(clean) = app.kernel.redactor.own(text)
    {
        *text = clean;
    }
    Ok(ReadResourceResult::new(vec![contents]))
}

/// Completes paths of files and names of statistics.
pub async fn complete(
    project: Arc<Project>,
    request: CompleteRequestParams,
    cancel: CancellationToken,
) -> Result<CompleteResult, ErrorData> {
    let typed = request.argument.value.as_str();
    let (values, total) = match &request.r#ref {
        Reference::Resource(reference) if reference.uri.starts_with("code://stats/") => {
            let names: Vec<_> = STATS
                .iter()
                .filter(|name| name.starts_with(typed))
                .map(|name| (*name).to_owned())
                .collect();
            let total = names.len();
            (names, total)
        }
        Reference::Resource(reference) if reference.uri.starts_with("code://file/") => {
            let all = walk(project, MAX_FILES, cancel).await?.0;
            let near: Vec<_> = all.into_iter().filter(|path| path.starts_with(typed)).collect();
            let total = near.len();
            (near, total)
        }
        _ => (Vec::new(), 0),
    };
    let has_more = total > CompletionInfo::MAX_VALUES;
    let values = values.into_iter().take(CompletionInfo::MAX_VALUES).collect();
    let mut info = CompletionInfo::new(values).map_err(|message| ErrorData::internal_error(message, None))?;
    info.total = u32::try_from(total).ok();
    info.has_more = Some(has_more);
    Ok(CompleteResult::new(info))
}

fn cx(project: Arc<Project>, cancel: CancellationToken, caller: &Caller) -> Cx {
    Cx {
        project,
        caller: caller.clone(),
        cancel,
        progress: Progress::default(),
    }
}

/// A failure as a protocol error: reading has no result that could carry it.
fn refused(error: &ToolError, locale: Option<Locale>) -> ErrorData {
    ErrorData::resource_not_found(error.message().say(locale), Some(json!({"code": error.code()})))
}

fn file(
    project: &Arc<Project>,
    path: &str,
    lines: Option<(usize, Option<usize>)>,
    file_bytes: u64,
    uri: String,
) -> Result<ResourceContents, ToolError> {
    let path = project.resolve(path)?;
    let bytes = files::read(&path, file_bytes)?;
    let shown = path.shown();
    let is_binary = files::detect(&bytes).is_single_byte() && bytes.contains(&0);
    if is_binary {
        let meta = json!({"file_path": shown, "size_bytes": bytes.len()});
        return Ok(ResourceContents::BlobResourceContents {
            uri,
            mime_type: Some("application/octet-stream".to_owned()),
            blob: base64::engine::general_purpose::STANDARD.encode(&bytes),
            meta: Some(object(meta)),
        });
    }
    let decoded = files::decode(&bytes, EncodingChoice::Auto);
    let sheet = Sheet::new(&shown, &decoded);
    let total_lines = sheet.total_lines();
    let mut text = match lines {
        Some((start, end)) => match sheet.cut(&Range::lines(start, end), Format::Raw)?.content {
            Content::One(text) => text,
            Content::Lines(lines) => lines.join("\n"),
        },
        None => decoded.text.clone(),
    };
    let truncated = text.len() > MAX_TEXT;
    if truncated {
        text.truncate(text.floor_char_boundary(MAX_TEXT));
    }
    let language = guess(&shown, &decoded.text).map_or("text", |language| language.name);
    let mut meta = json!({
        "file_path": shown,
        "size_bytes": bytes.len(),
        "line_count": total_lines,
        "language": language,
        "encoding": decoded.encoding,
    });
    if truncated {
        meta["truncated"] = json!(true);
        meta["next"] = json!("read the rest by ?lines=START-END, or with extract_code_section");
    }
    Ok(ResourceContents::TextResourceContents {
        uri,
        mime_type: Some(media_type(&shown, language)),
        text,
        meta: Some(object(meta)),
    })
}

fn stats(
    project: &Arc<Project>,
    name: &'static str,
    file_bytes: u64,
    uri: String,
    cancel: &CancellationToken,
) -> Result<ResourceContents, ToolError> {
    let filter = FileFilter::new(project, &[], &FileOptions::default(), SystemTime::now())
        .map_err(|errors| ToolError::all(&errors))?;
    let depth = if name == "complexity" {
        Depth::Complexity
    } else {
        Depth::Lines
    };
    let stats = collect(&filter, depth, MAX_FILES, file_bytes, cancel)?;
    let mut body = match name {
        "overview" => overview(&stats),
        "languages" => json!({"languages": languages(&stats)}),
        "complexity" => complexity(&stats),
        _ => files_of(&stats),
    };
    let generated_at = jiff::Timestamp::now().to_string();
    let project_path = project.root().to_string_lossy();
    body["generated_at"] = json!(generated_at);
    body["project_path"] = json!(project_path);
    body["truncated"] =
        json!(stats.total_files > stats.files.len() as u64 || (name == "files" && stats.files.len() > STATS_ROWS));
    Ok(ResourceContents::TextResourceContents {
        uri,
        mime_type: Some("application/json".to_owned()),
        text: body.to_string(),
        meta: Some(object(
            json!({"stats_type": name, "generated_at": generated_at, "project_path": project_path}),
        )),
    })
}

fn overview(stats: &ProjectStats) -> Value {
    let mut largest: Vec<_> = stats.files.iter().collect();
    largest.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.path.cmp(&b.path)));
    json!({
        "total_files": stats.total_files,
        "total_lines": stats.files.iter().map(|file| file.lines).sum::<usize>(),
        "total_bytes": stats.files.iter().map(|file| file.bytes).sum::<u64>(),
        "languages": languages(stats),
        "largest_files": largest.iter().take(10).map(|file| json!({"path": file.path, "size_bytes": file.bytes, "line_count": file.lines})).collect::<Vec<_>>(),
    })
}

/// By lines, most first; the percentage is of lines.
fn languages(stats: &ProjectStats) -> Value {
    let mut by_name: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for file in &stats.files {
        let entry = by_name.entry(file.language).or_default();
        entry.0 += 1;
        entry.1 += file.lines;
    }
    let total: usize = by_name.values().map(|(_, lines)| lines).sum();
    let mut rows: Vec<_> = by_name.into_iter().collect();
    rows.sort_by(|a, b| b.1.1.cmp(&a.1.1).then_with(|| a.0.cmp(b.0)));
    rows.into_iter()
        .map(|(name, (files, lines))| {
            #[expect(clippy::cast_precision_loss, reason = "a percentage")]
            let percentage = (lines as f64 * 1000.0 / total.max(1) as f64).round() / 10.0;
            json!({"name": name, "file_count": files, "line_count": lines, "percentage": percentage})
        })
        .collect()
}

/// Levels as `McCabe`'s own paper and the SEI use them: over 10 is worth a look, over 20 a risk, over 50 untestable.
fn complexity(stats: &ProjectStats) -> Value {
    let within =
        |range: std::ops::RangeInclusive<usize>| stats.complexity.range(range).map(|(_, count)| count).sum::<usize>();
    json!({
        "average": (stats.average_complexity() * 100.0).round() / 100.0,
        "max": stats.complexity.last_key_value().map_or(0, |(complexity, _)| *complexity),
        "by_level": {
            "low": within(0..=10),
            "moderate": within(11..=20),
            "high": within(21..=50),
            "very_high": within(51..=usize::MAX),
        },
        "top": stats.top.iter().map(|callable| json!({
            "path": callable.path, "element": callable.element, "line": callable.line, "complexity": callable.complexity,
        })).collect::<Vec<_>>(),
    })
}

fn files_of(stats: &ProjectStats) -> Value {
    let rows: Vec<_> = stats
        .files
        .iter()
        .take(STATS_ROWS)
        .map(|file| {
            json!({"path": file.path, "language": file.language, "line_count": file.lines, "size_bytes": file.bytes, "modified": file.modified})
        })
        .collect();
    json!({"files": rows, "total": stats.total_files})
}

fn object(value: Value) -> MetaObject {
    match value {
        Value::Object(fields) => MetaObject(fields),
        _ => MetaObject(Map::new()),
    }
}

/// The media type of a text by its language, as IANA and common use name it.
fn media_type(path: &str, language: &str) -> String {
    let language = if language.is_empty() {
        guess(path, "").map_or("", |language| language.name)
    } else {
        language
    };
    match language {
        "html" | "css" | "markdown" | "javascript" => format!("text/{language}"),
        "" | "text" => "text/plain".to_owned(),
        other => format!("text/x-{other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Asked, What, uri_of};

    #[test]
    fn uris_are_decoded_once() {
        let asked = Asked::parse("code://file/src/a%20b%25.py?lines=10-50").expect("a file");
        assert_eq!(asked.what, What::File("src/a b%.py".to_owned()));
        assert_eq!(asked.lines, Some((10, Some(50))));
        assert_eq!(
            Asked::parse("code://file/a.py?lines=7-").expect("open").lines,
            Some((7, None))
        );
        assert_eq!(uri_of("日/a b.py"), "code://file/%E6%97%A5/a%20b.py");
        for bad in [
            "file:///etc/passwd",
            "code://stats/x",
            "code://file/a?lines=x",
            "code://file/a?line=1",
            "code://file/%ff",
        ] {
            assert!(Asked::parse(bad).is_err(), "{bad}");
        }
    }
}
