//! Resources: the project's files and statistics by URI, for clients that read instead of calling tools.
//!
//! A path in a URI is resolved like every other: nothing outside the project is read, and an unreadable file is an
//! error that explains the next step, never an empty answer. Notifications of changes are in `subscriptions.rs`.

use std::{sync::Arc, time::Duration};

use base64::{Engine as _, engine::general_purpose};
use fumi_base::{
    encoding::{self, EncodingChoice},
    expectation::ResolvedExpectation,
    files,
    pools::Pool,
    project::{Project, ProjectPath},
    redact::Redactor,
    text::{BilingualText, Locale},
};
use fumi_kernel::{
    Answerer, CallProgress, Caller, Cx, ToolError, cut_values::json_end, pipeline, resources::STATISTICS,
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

use super::{
    prompts,
    protocol_error::{McpError, to_protocol_error},
    statistics,
    uri::{self, ResourceKind, ResourceUri},
};
use crate::app::App;

/// The number of files on one page of the list.
const PAGE: usize = 100;
/// The longest part of a binary file in one reply, in bytes; it is not shown to a model. Texts are cut as replies are,
/// since clients pass them to models; ranges read the rest.
const LONGEST: usize = 1 << 20;
/// Bytes reserved beside a text: its URI, its metadata, and the hint to the rest.
const BESIDE: usize = 2_000;
/// The timeout of one read, list or completion. It is twice that of tools, because statistics parse whole projects.
const LIMIT: Duration = Duration::from_mins(1);

/// Returns one page of the project's files, after its statistics.
///
/// A cursor contains the last path shown, so that files that are created or deleted between two pages neither repeat
/// nor hide others.
pub async fn list(
    app: &App,
    project: Arc<Project>,
    cursor: Option<&str>,
    caller: &Caller,
    cancel: &CancellationToken,
) -> Result<ListResourcesResult, ErrorData> {
    let after = cursor.map(path_of).transpose();
    let after = after.map_err(|fault| to_protocol_error(&fault.into(), caller.locale))?;
    let paths = paths(app, project, caller, cancel).await?;
    let mut resources = Vec::new();
    if after.is_none() {
        resources.extend(STATISTICS.iter().map(|name| {
            Resource::new(format!("{}{name}", uri::STATS_PREFIX), (*name).to_owned()).with_mime_type("application/json")
        }));
    }
    let from = after.map_or(0, |after| paths.partition_point(|path| *path <= after));
    let page = &paths[from..paths.len().min(from + PAGE)];
    resources.extend(page.iter().map(|path| {
        Resource::new(uri::file_uri(path), path.clone()).with_mime_type(media_type(app.resources.language(path, "")))
    }));
    let mut result = ListResourcesResult::with_all_items(resources);
    if from + page.len() < paths.len() {
        result.next_cursor = page.last().map(|path| cursor_of(path));
    }
    Ok(result)
}

fn cursor_of(path: &str) -> String {
    general_purpose::URL_SAFE_NO_PAD.encode(format!("{CURSOR}{path}"))
}

fn path_of(cursor: &str) -> Result<String, McpError> {
    general_purpose::URL_SAFE_NO_PAD
        .decode(cursor)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .and_then(|text| text.strip_prefix(CURSOR).map(str::to_owned))
        .ok_or(McpError::InvalidListCursor)
}

/// The prefix of a decoded cursor; another format will get another number.
const CURSOR: &str = "1:";

/// Returns the paths of all files that a plain walk finds and a URI can name, sorted.
async fn paths(
    app: &App,
    project: Arc<Project>,
    caller: &Caller,
    cancel: &CancellationToken,
) -> Result<Vec<String>, ErrorData> {
    let resources = Arc::clone(&app.resources);
    run(app, project, caller, cancel, move |project, cancel| {
        let files = resources.files(project, cancel)?;
        let nameable = files.iter().filter(|path| path.relative().to_str().is_some());
        Ok(nameable.map(ProjectPath::shown).collect())
    })
    .await
}

/// Runs work with a permit of the analysis pool, a timeout and the client's cancellation.
pub(super) async fn run<T: Send + 'static>(
    app: &App,
    project: Arc<Project>,
    caller: &Caller,
    cancel: &CancellationToken,
    work: impl FnOnce(&Arc<Project>, &CancellationToken) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ErrorData> {
    let _ = project.ensure_open();
    let cx = Cx {
        expectation: ResolvedExpectation::default(),
        batch: None,
        is_followed: false,
        project: Arc::clone(&project),
        actor: app.kernel.actor("resources/read", caller),
        caller: caller.clone(),
        answerer: Answerer::Host,
        cancel: cancel.child_token(),
        progress: CallProgress::default(),
        metrics: Arc::clone(&app.kernel.metrics),
        writers: Arc::clone(&app.kernel.writers),
        turn: parking_lot::Mutex::default(),
        writing: tokio::sync::watch::Sender::default(),
        permit: std::sync::OnceLock::new(),
        notes: parking_lot::Mutex::default(),
    };
    // The work also stops when its future is dropped.
    let _stop = cx.cancel.clone().drop_guard();
    let pools = &app.kernel.pools;
    let permit = pools.acquire(Pool::Analysis, &caller.access.principal, &cx.cancel).await;
    let permit = permit.map_err(|error| to_protocol_error(&error.into(), caller.locale))?;
    cx.permit.get_or_init(|| Arc::new(permit));
    let work = cx.blocking(move |cancel, _| work(&project, cancel));
    let done = pipeline::run_with_timeout(LIMIT, cancel, &cx, work).await;
    done.map_err(|error| match error.code() {
        // The text for tools names an option that does not exist here.
        "TOOL_TIMEOUT" => to_protocol_error(&McpError::ResourceTimeout { limit: LIMIT }.into(), caller.locale),
        _ => to_protocol_error(&error, caller.locale),
    })
}

/// Returns the two resource templates.
pub fn templates(locale: Locale) -> ListResourceTemplatesResult {
    let (file, stats) = match locale {
        Locale::En => (
            "A file of the project; ?lines=10-50 reads a range of lines, ?bytes=0-1048575 a range of bytes (as base64), ?project_root= another allowed project. Can be subscribed to",
            "Statistics of the project: overview, languages, complexity, files or index. Can be subscribed to: notifies of every change of its files",
        ),
        Locale::Ja => (
            "プロジェクトのファイル。?lines=10-50 で行範囲、?bytes=0-1048575 でバイト範囲（base64）、?project_root= で別の許可済みプロジェクト。購読できます",
            "プロジェクトの統計。overview、languages、complexity、files、index のいずれか。購読すると、ファイルが変わるたびに通知されます",
        ),
    };
    ListResourceTemplatesResult::with_all_items(vec![
        ResourceTemplate::new(format!("{}{{+path}}", uri::FILE_PREFIX), "code_file").with_description(file),
        ResourceTemplate::new(format!("{}{{type}}", uri::STATS_PREFIX), "project_stats")
            .with_description(stats)
            .with_mime_type("application/json"),
    ])
}

/// Reads a resource, as text or as a blob.
pub async fn read(
    app: &Arc<App>,
    project: Arc<Project>,
    own_uri: &str,
    caller: &Caller,
    cancel: &CancellationToken,
) -> Result<ReadResourceResult, ErrorData> {
    let asked = ResourceUri::parse(own_uri).map_err(|fault| to_protocol_error(&fault.into(), caller.locale))?;
    let project = match &asked.project_root {
        Some(root) => caller
            .access
            .roots(&app.kernel.roots)
            .project(root)
            .map_err(|error| to_protocol_error(&error.into(), caller.locale))?,
        None => project,
    };
    let (parts, uri, locale) = (Arc::clone(app), own_uri.to_owned(), caller.locale);
    let read = run(app, project, caller, cancel, move |project, cancel| match asked.what {
        ResourceKind::File(path) => {
            let path = project.resolve(&path)?;
            match asked.bytes {
                Some(range) => Ok(vec![part(&path, range, &parts.kernel.redactor, uri)?]),
                None => file(&path, asked.lines, &parts, &uri, locale),
            }
        }
        ResourceKind::Stats(name) => Ok(vec![stats(&parts, project, name, uri, cancel)?]),
    });
    let mut contents = read.await?;
    for content in &mut contents {
        if let ResourceContents::TextResourceContents { text, .. } = content
            && let Some(clean) = app.kernel.redactor.redact_own(text)
        {
            *text = clean;
        }
    }
    Ok(ReadResourceResult::new(contents))
}

/// Completes paths of files and names of statistics. Paths that begin with the typed text come first, then those whose
/// file name does, case-insensitively.
pub async fn complete(
    app: &App,
    project: Arc<Project>,
    request: CompleteRequestParams,
    caller: &Caller,
    cancel: &CancellationToken,
) -> Result<CompleteResult, ErrorData> {
    let typed = request.argument.value.as_str();
    let values: Vec<String> = match &request.r#ref {
        Reference::Resource(reference) if reference.uri.starts_with(uri::STATS_PREFIX) => {
            let names = STATISTICS.iter().filter(|name| name.starts_with(typed));
            names.map(|name| (*name).to_owned()).collect()
        }
        Reference::Resource(reference) if reference.uri.starts_with(uri::FILE_PREFIX) => {
            near(paths(app, project, caller, cancel).await?, typed)
        }
        Reference::Resource(reference) => {
            let fault = McpError::UnknownResource { uri: reference.uri.clone() };
            return Err(to_protocol_error(&fault.into(), caller.locale));
        }
        Reference::Prompt(prompt) => {
            let asked = (&*prompt.name, &*request.argument.name, typed);
            prompts::complete(app, project, asked, caller, cancel).await?
        }
        // Other references, which a later protocol may add, have no completions here.
        _ => Vec::new(),
    };
    let total = values.len();
    let values = values.into_iter().take(CompletionInfo::MAX_VALUES).collect();
    let mut info = CompletionInfo::new(values).map_err(|message| ErrorData::internal_error(message, None))?;
    info.total = u32::try_from(total).ok();
    info.has_more = Some(total > CompletionInfo::MAX_VALUES);
    Ok(CompleteResult::new(info))
}

fn near(paths: Vec<String>, typed: &str) -> Vec<String> {
    let (mut first, rest): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| path.starts_with(typed));
    let small = typed.to_lowercase();
    let by_name = rest.into_iter().filter(|path| {
        let name = path.rsplit('/').next().unwrap_or_default();
        name.to_lowercase().starts_with(&small)
    });
    first.extend(by_name);
    first
}

/// Returns a range of a file's bytes. Only the shown bytes are read.
fn part(
    path: &ProjectPath,
    range: (u64, Option<u64>),
    redactor: &Redactor,
    uri: String,
) -> Result<ResourceContents, ToolError> {
    let (start, end) = range;
    let wanted = end.map_or(u64::MAX, |end| (end - start).saturating_add(1));
    // A secret may begin before the range or end after it.
    let margin = redactor.margin();
    let before = start.min(margin);
    let shown = wanted.min(LONGEST as u64);
    let (mut bytes, size) = files::read_part(path, start - before, before + shown + margin)?;
    redactor.mask_bytes(&mut bytes);
    if start >= size {
        let fault = McpError::InvalidBytes {
            value: start.to_string(),
            reason: BilingualText::new("it begins after the end of the file", "開始位置がファイルの末尾を越えています"),
        };
        return Err(fault.into());
    }
    let is_cut = wanted > LONGEST as u64;
    let bytes = bytes.get(usize::try_from(before).unwrap_or(usize::MAX)..).unwrap_or_default();
    let bytes = &bytes[..bytes.len().min(usize::try_from(shown).unwrap_or(usize::MAX))];
    Ok(blob(path, start, bytes, size, uri, is_cut))
}

fn blob(path: &ProjectPath, start: u64, bytes: &[u8], size: u64, uri: String, is_cut: bool) -> ResourceContents {
    let mut meta = json!({"file_path": path.shown(), "size_bytes": size});
    let end = start + bytes.len() as u64;
    if is_cut && end < size {
        meta["truncated"] = json!(true);
        meta["next"] = json!(format!("read the rest with ?bytes={end}-"));
    }
    ResourceContents::BlobResourceContents {
        uri,
        mime_type: Some("application/octet-stream".to_owned()),
        blob: general_purpose::STANDARD.encode(bytes),
        meta: Some(object(meta)),
    }
}

fn file(
    path: &ProjectPath,
    lines: Option<(usize, Option<usize>)>,
    app: &App,
    uri: &str,
    locale: Locale,
) -> Result<Vec<ResourceContents>, ToolError> {
    let redactor = &app.kernel.redactor;
    let is_binary = |bytes: &[u8]| encoding::detect(bytes).is_single_byte() && bytes.contains(&0);
    let (mut head, size) = files::read_part(path, 0, LONGEST as u64 + redactor.margin())?;
    // Most binary files are recognised by their beginning; the rest of a large one is not read.
    if is_binary(&head) {
        redactor.mask_bytes(&mut head);
        head.truncate(LONGEST);
        return Ok(vec![blob(path, 0, &head, size, uri.to_owned(), true)]);
    }
    let mut bytes = if head.len() as u64 == size {
        head
    } else {
        drop(head);
        files::read(path, app.config.limits.file_bytes)?
    };
    if is_binary(&bytes) {
        redactor.mask_bytes(&mut bytes);
        let shown = &bytes[..bytes.len().min(LONGEST)];
        return Ok(vec![blob(path, 0, shown, bytes.len() as u64, uri.to_owned(), true)]);
    }
    let shown = path.shown();
    let mut decoded = encoding::decode(&bytes, EncodingChoice::Auto);
    if let Some(covered) = redactor.mask(&decoded.text) {
        decoded.text = covered;
    }
    let size = bytes.len();
    drop(bytes);
    let (total_lines, cut) = app.resources.lines(&shown, &decoded, lines)?;
    let language = app.resources.language(&shown, &decoded.text).unwrap_or("text");
    let encoding = decoded.encoding;
    let mut text = cut.unwrap_or(decoded.text);
    let room = app.kernel.caps.bytes.saturating_sub(BESIDE);
    let rest = cut_to(&mut text, room, (lines, total_lines), uri, locale);
    text.shrink_to_fit();
    let mut meta = json!({
        "file_path": shown,
        "size_bytes": size,
        "line_count": total_lines,
        "language": language,
        "encoding": encoding,
    });
    let mut contents = Vec::new();
    if let Some(rest) = rest {
        meta["truncated"] = json!(true);
        meta["next"] = json!(rest.how);
        // Clients pass texts to a model and leave the metadata out.
        contents.push(ResourceContents::TextResourceContents {
            uri: rest.uri,
            mime_type: Some("text/plain".to_owned()),
            text: match locale {
                Locale::En => format!("… cut, of {total_lines} lines: {}", rest.how),
                Locale::Ja => format!("… 全 {total_lines} 行のうち途中まで: {}", rest.how),
            },
            meta: None,
        });
    }
    let content = ResourceContents::TextResourceContents {
        uri: uri.to_owned(),
        mime_type: Some(media_type(Some(language))),
        text,
        meta: Some(object(meta)),
    };
    contents.insert(0, content);
    Ok(contents)
}

/// The location of the rest of a cut text.
struct TextRemainder {
    uri: String,
    how: String,
}

/// Cuts a text after the last line that fits. A line that is longer than all of the room is cut in its middle.
///
/// `lines` is the requested range, if any, and the number of lines of the file. The URI of the rest is the file's own
/// if nothing follows the line that was cut.
fn cut_to(
    text: &mut String,
    room: usize,
    (lines, total): (Option<(usize, Option<usize>)>, usize),
    uri: &str,
    locale: Locale,
) -> Option<TextRemainder> {
    let end = json_end(text, room);
    if end == text.len() {
        return None;
    }
    let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
    let others = query
        .split('&')
        .filter(|pair| !pair.is_empty() && !pair.starts_with("lines="))
        .flat_map(|pair| [pair, "&"])
        .collect::<String>();
    let (first, last) = lines.unwrap_or((1, None));
    let from = |next: usize| {
        let last = last.map_or_else(String::new, |last| last.to_string());
        format!("{path}?{others}lines={next}-{last}")
    };
    let Some(line_end) = text[..end].rfind('\n') else {
        text.truncate(end);
        let columns = match locale {
            Locale::En => format!(
                "line {first} is longer than one reply; extract_code_section reads it with start_column and end_column"
            ),
            Locale::Ja => format!(
                "{first} 行目は 1 回の返答に収まりません。extract_code_section の start_column と end_column で読めます"
            ),
        };
        if first >= last.unwrap_or(total).min(total) {
            return Some(TextRemainder { uri: uri.to_owned(), how: columns });
        }
        let uri = from(first + 1);
        let how = match locale {
            Locale::En => format!("{columns}; read {uri} for the following lines"),
            Locale::Ja => format!("{columns}。次の行からは {uri} を読んでください"),
        };
        return Some(TextRemainder { uri, how });
    };
    text.truncate(line_end + 1);
    let uri = from(first + text.bytes().filter(|byte| *byte == b'\n').count());
    let how = match locale {
        Locale::En => format!("read {uri} for the rest"),
        Locale::Ja => format!("続きは {uri} を読んでください"),
    };
    Some(TextRemainder { uri, how })
}

/// Returns the statistics of one name of [`STATISTICS`]. The error is the message for the caller.
pub async fn read_statistics(
    app: &Arc<App>,
    project: Arc<Project>,
    name: &'static str,
    caller: &Caller,
    cancel: &CancellationToken,
) -> Result<Value, String> {
    let parts = Arc::clone(app);
    let load =
        move |project: &Arc<Project>, cancel: &CancellationToken| statistics::load(&parts, project, name, cancel);
    let (text, _) = run(app, project, caller, cancel, load).await.map_err(|error| error.message.into_owned())?;
    let text = app.kernel.redactor.redact_own(&text).unwrap_or_else(|| text.to_string());
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

fn stats(
    app: &App,
    project: &Arc<Project>,
    name: &'static str,
    uri: String,
    cancel: &CancellationToken,
) -> Result<ResourceContents, ToolError> {
    let (text, generated_at) = statistics::load(app, project, name, cancel)?;
    let meta = json!({
        "stats_type": name,
        "generated_at": &*generated_at,
        "project_path": project.shown_root(),
    });
    Ok(ResourceContents::TextResourceContents {
        uri,
        mime_type: Some("application/json".to_owned()),
        text: text.to_string(),
        meta: Some(object(meta)),
    })
}

fn object(value: Value) -> MetaObject {
    match value {
        Value::Object(fields) => MetaObject(fields),
        _ => MetaObject(Map::new()),
    }
}

/// Returns the media type of a text by its language, as IANA and common use name it.
fn media_type(language: Option<&str>) -> String {
    match language {
        Some(language @ ("html" | "css" | "markdown" | "javascript")) => format!("text/{language}"),
        None | Some("text") => "text/plain".to_owned(),
        Some(other) => format!("text/x-{other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{cursor_of, near, path_of};

    #[test]
    fn list_cursor_round_trips_and_rejects_other_text() {
        for path in ["src/a b.py", "日本.txt", ""] {
            assert_eq!(path_of(&cursor_of(path)).as_deref(), Ok(path));
        }
        for other in ["", "100", "MjpiLnB5", "?"] {
            assert!(path_of(other).is_err(), "{other}");
        }
    }

    #[test]
    fn path_prefix_matches_precede_file_name_matches() {
        let paths = ["docs/main.md", "main/a.py", "src/Main.java", "src/domain.py"].map(str::to_owned);
        assert_eq!(near(paths.to_vec(), "main"), ["main/a.py", "docs/main.md", "src/Main.java"]);
    }
}
