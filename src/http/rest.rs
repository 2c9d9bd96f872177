//! `/v1/tools`: the same tools over plain JSON, for scripts and CI.
//!
//! Nothing is decided here: a call goes through the pipeline like every other, and its result becomes a status.
//! `Accept` chooses the form: the structure (JSON), the compact text (`text/plain`), or a stream of progress and then
//! the result (`text/event-stream`), whose status is always 200, because it is sent before the result is known.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use axum::{
    Extension, Json,
    body::Bytes,
    extract::{Path, State, rejection::PathRejection},
    http::{HeaderMap, HeaderName, StatusCode, Uri, header},
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use fumi_base::{
    project::quoted,
    text::{BilingualText, Locale},
};
use fumi_kernel::{
    Access, CallProgress, Caller, ResultForm, ToolReply, catalogue::ToolEntry, conversation::CallRunner,
};
use futures_core::Stream;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::{http_error::HttpError, router::Edge};
use crate::mcp::{
    self,
    observe::{self, Operation},
};

/// The interval of progress events.
const EVERY: Duration = Duration::from_millis(500);

/// `GET /v1/tools`: lists the tools that the caller can call.
pub async fn list(
    State(edge): State<Edge>,
    Extension(access): Extension<Arc<Access>>,
    uri: Uri,
    headers: HeaderMap,
) -> Json<Value> {
    let locale = language(&edge, &uri, &headers);
    let tools: Vec<_> = edge.app.catalogue.list(&access).map(|entry| shown(entry, locale)).collect();
    Json(json!({"tools": tools}))
}

/// `GET /v1/tools/{name}`: describes one tool.
pub async fn show(
    State(edge): State<Edge>,
    Extension(access): Extension<Arc<Access>>,
    path: Result<Path<String>, PathRejection>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Json<Value>, HttpError> {
    let entry = find(&edge, &access, &tool_name(path)?)?;
    Ok(Json(shown(entry, language(&edge, &uri, &headers))))
}

/// Returns the name in a path. One that is not UTF-8 is the path of no route.
fn tool_name(path: Result<Path<String>, PathRejection>) -> Result<String, HttpError> {
    path.map(|Path(name)| name).map_err(|_| HttpError::new(StatusCode::NOT_FOUND, "NO_SUCH_ROUTE", &[]))
}

/// `POST /v1/tools/{name}`: calls a tool. The body is the arguments as an object; an empty body means no arguments.
pub async fn call(
    State(edge): State<Edge>,
    Extension(access): Extension<Arc<Access>>,
    Extension(told): Extension<observe::OperationSlot>,
    path: Result<Path<String>, PathRejection>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, HttpError> {
    let entry = find(&edge, &access, &tool_name(path)?)?.spec.name;
    told.set(Operation { method: "tools/call", tool: Some(entry) });
    let arguments = arguments(&headers, &body)?;
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    let wants = |form: &str| accept.is_some_and(|accept| accept.contains(form));
    let as_text = wants("text/plain") && !wants("json") && !wants("text/event-stream");
    let caller = Caller {
        locale: language(&edge, &uri, &headers),
        session: None,
        // The text of the form `both`: a result that is one number is a bare number there, which scripts can read.
        form: if as_text { ResultForm::Both } else { ResultForm::Structured },
        access,
    };
    if wants("text/event-stream") {
        return Ok(stream(edge, entry, arguments, caller).into_response());
    }
    let reply = call_once(&edge, entry, arguments, caller).await?;
    let form = if as_text { ResultForm::Text } else { reply.form };
    edge.app.kernel.metrics.tokens(entry, form, reply.tokens() as u64);
    Ok(answer(reply, as_text))
}

/// Calls a tool that the caller has looked up. The call is cancelled if the returned future is dropped.
pub(super) async fn call_once(
    edge: &Edge,
    tool: &'static str,
    arguments: Map<String, Value>,
    caller: Caller,
) -> Result<ToolReply, HttpError> {
    in_task(edge, |stop| run_counted(edge.clone(), tool, arguments, caller, CallProgress::default(), stop)).await
}

/// Calls a tool for a view of the page. The call is not counted in the metrics of calls.
pub(super) async fn call_for_view(
    edge: &Edge,
    tool: &'static str,
    arguments: Map<String, Value>,
    caller: Caller,
) -> Result<ToolReply, HttpError> {
    in_task(edge, |stop| run(edge.clone(), tool, arguments, caller, CallProgress::default(), stop)).await
}

/// Runs a call in a task of its own, so that a call whose client disconnected is cancelled and awaited, not only dropped.
/// Cancelling the token that `call` gets stops the call.
async fn in_task<F: Future<Output = ToolReply> + Send + 'static>(
    edge: &Edge,
    call: impl FnOnce(CancellationToken) -> F,
) -> Result<ToolReply, HttpError> {
    let stop = edge.closing.child_token();
    let work = call(stop.clone());
    let _guard = stop.drop_guard();
    tokio::spawn(work.in_current_span()).await.map_err(|panic| {
        tracing::error!(error = %panic, "a call panicked");
        HttpError::new(StatusCode::INTERNAL_SERVER_ERROR, "CALL_FAILED", &[])
    })
}

/// Returns a tool that the caller can call.
pub(super) fn find<'e>(edge: &'e Edge, access: &Access, name: &str) -> Result<&'e ToolEntry, HttpError> {
    let catalogue = &edge.app.catalogue;
    catalogue.find(&access.scope, name).ok_or_else(|| {
        let problem = catalogue.unknown_tool(access, name);
        HttpError::new(StatusCode::NOT_FOUND, "UNKNOWN_TOOL", &[("problem", &problem)])
    })
}

/// Returns the language that a request asks for, else the configured one.
pub(super) fn language(edge: &Edge, uri: &Uri, headers: &HeaderMap) -> Locale {
    mcp::access::requested_language(uri, headers).unwrap_or(edge.app.config.tools.language)
}

fn shown(entry: &ToolEntry, locale: Locale) -> Value {
    let texts = entry.published(locale);
    json!({
        "name": entry.spec.name,
        "title": texts.title,
        "summary": texts.summary,
        "description": texts.description,
        "toolset": entry.spec.toolset,
        "read_only": entry.spec.effect.is_read_only(),
        "timeout_ms": u64::try_from(entry.spec.timeout.as_millis()).unwrap_or(u64::MAX),
        "example": serde_json::from_str::<Value>(entry.spec.example).unwrap_or_default(),
        "input_schema": *texts.input,
        "output_schema": *entry.output,
    })
}

fn arguments(headers: &HeaderMap, body: &[u8]) -> Result<Map<String, Value>, HttpError> {
    let refuse = |status, en: String, ja: &'static str| {
        HttpError::new(status, "BODY_REFUSED", &[("reason", &BilingualText::new(en, ja))])
    };
    if body.is_empty() {
        return Ok(Map::new());
    }
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_json = kind.is_none_or(|kind| {
        let kind = kind.split(';').next().unwrap_or_default().trim();
        kind.eq_ignore_ascii_case("application/json") || kind.to_ascii_lowercase().ends_with("+json")
    });
    if !is_json {
        let kind = quoted(kind.unwrap_or_default());
        return Err(refuse(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            format!("its Content-Type is {kind}, not application/json"),
            "Content-Type が application/json ではありません",
        ));
    }
    match serde_json::from_slice(body) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(_) => {
            Err(refuse(StatusCode::BAD_REQUEST, "not a JSON object".to_owned(), "JSON オブジェクトではありません"))
        }
        Err(error) => Err(refuse(StatusCode::BAD_REQUEST, format!("not valid JSON: {error}"), "JSON として読めません")),
    }
}

async fn run(
    edge: Edge,
    tool: &'static str,
    arguments: Map<String, Value>,
    caller: Caller,
    progress: CallProgress,
    cancel: CancellationToken,
) -> ToolReply {
    let app = &edge.app;
    let _open = edge.sessions.open_call(None);
    let entry = app.catalogue.find(&caller.access.scope, tool);
    let entry = entry.expect("the caller has looked it up");
    let talk = CallRunner {
        kernel: &app.kernel,
        catalogue: &app.catalogue,
        caller: &caller,
        project: caller.access.default_project(&app.kernel.roots),
        cancel: &cancel,
        progress: &progress,
    };
    Box::pin(talk.call(entry, arguments, |question| app.provider_for(question))).await
}

async fn run_counted(
    edge: Edge,
    tool: &'static str,
    arguments: Map<String, Value>,
    caller: Caller,
    progress: CallProgress,
    cancel: CancellationToken,
) -> ToolReply {
    let (metrics, started) = (Arc::clone(&edge.app.kernel.metrics), Instant::now());
    let reply = run(edge, tool, arguments, caller, progress, cancel).await;
    metrics.rest_call(tool, reply.is_error, started.elapsed());
    reply
}

/// The `Retry-After` of a 503 whose error does not name another time, in seconds.
const RETRY_SECONDS: u64 = 2;

/// Returns a reply as a response: its structure or its text, its status, and headers with its metadata.
fn answer(reply: ToolReply, as_text: bool) -> Response {
    let status = status(&reply);
    let meta = reply.meta();
    let mut headers = HeaderMap::new();
    for (name, key) in [("x-fumi-tokens", "fumi/tokens"), ("x-fumi-elapsed-ms", "fumi/elapsed_ms")] {
        headers.insert(HeaderName::from_static(name), meta[key].as_u64().unwrap_or_default().into());
    }
    let wait = retry_after(&reply).or_else(|| (status == StatusCode::SERVICE_UNAVAILABLE).then_some(RETRY_SECONDS));
    if let Some(wait) = wait {
        headers.insert(header::RETRY_AFTER, wait.into());
    }
    if as_text {
        return (status, headers, reply.text + "\n").into_response();
    }
    (status, headers, Json(reply.structured)).into_response()
}

/// Returns the seconds after which a call that found no free slot is worth retrying.
fn retry_after(reply: &ToolReply) -> Option<u64> {
    let wait = reply.structured["error"]["details"]["retry_after_ms"].as_u64();
    wait.filter(|_| reply.is_error).map(|wait| wait.div_ceil(1_000).max(1))
}

/// Returns the HTTP status of a reply. The error code in the body is more specific.
fn status(reply: &ToolReply) -> StatusCode {
    let Some(code) = reply.error_code() else {
        return StatusCode::OK;
    };
    let error = &reply.structured["error"];
    status_of(&code, error["details"]["kind"].as_str().unwrap_or(&code), error["type"].as_str().unwrap_or_default())
}

/// Returns the status of an error with this code, catalogue entry and type. 500 is for errors of the server alone.
fn status_of(code: &str, kind: &str, class: &str) -> StatusCode {
    match (code, class) {
        ("FILE_NOT_FOUND" | "RESOURCE_NOT_FOUND" | "P001" | "E001" | "E002" | "E003" | "S001" | "B002" | "B007", _) => {
            StatusCode::NOT_FOUND
        }
        ("FILE_TOO_LARGE", _) => StatusCode::PAYLOAD_TOO_LARGE,
        // The state of the session or of the page forbids it: a stage out of order, an open dialog.
        ("FILE_EXISTS" | "HASH_MISMATCH" | "S003" | "B003" | "B004" | "B006" | "B008", _) => StatusCode::CONFLICT,
        ("BUSY" | "OUT_OF_MEMORY" | "CANCELLED" | "R002" | "R004" | "R005" | "B001", _) => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        ("R003", _) => StatusCode::BAD_GATEWAY,
        ("TOOL_TIMEOUT" | "R001", _) => StatusCode::GATEWAY_TIMEOUT,
        ("READ_ONLY" | "ROOT_NOT_ALLOWED" | "B005", _) | (_, "SecurityError") => StatusCode::FORBIDDEN,
        (_, "MCPValidationError" | "PathTraversalError") => StatusCode::BAD_REQUEST,
        (_, "FileRestrictionError") | ("PARSER_STOPPED", _) => StatusCode::UNPROCESSABLE_ENTITY,
        // Many errors share this code.
        ("TOOL_EXECUTION_FAILED", _) => match kind {
            "NO_DIALOG" | "NO_HISTORY" | "FEEDBACK_FULL" => StatusCode::CONFLICT,
            "PAGE_NOT_LOADED" | "SCRIPT_THREW" | "CHROMIUM_REFUSED" | "UNREADABLE" => StatusCode::UNPROCESSABLE_ENTITY,
            "PICTURE_TOO_LARGE" => StatusCode::PAYLOAD_TOO_LARGE,
            "STATE_UNAVAILABLE" | "STATE_UNKNOWN" => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        },
        // Errors of the novel tools with codes of their own: projects, stages, criteria, quality.
        (novel, _) if novel.len() == 4 && novel.starts_with(['P', 'S', 'Q']) => StatusCode::UNPROCESSABLE_ENTITY,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Runs a call in a task, and streams its progress and then its result. The call is cancelled when the stream is
/// dropped.
fn stream(
    edge: Edge,
    tool: &'static str,
    arguments: Map<String, Value>,
    caller: Caller,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let (tell, told) = mpsc::channel(4);
    let stop = edge.closing.child_token();
    let guard = stop.clone().drop_guard();
    let work = async move {
        let progress = CallProgress::default();
        let locale = caller.locale;
        let metrics = Arc::clone(&edge.app.kernel.metrics);
        let work = run_counted(edge, tool, arguments, caller, progress.clone(), stop);
        tokio::pin!(work);
        let reply = loop {
            tokio::select! {
                biased;
                reply = &mut work => break reply,
                () = tokio::time::sleep(EVERY) => {
                    let (done, total) = progress.get();
                    let mut far = json!({"progress": done});
                    if let Some(total) = total {
                        far["total"] = json!(total);
                    }
                    if let Some(doing) = progress.current_step() {
                        far["message"] = json!(doing.get(locale));
                    }
                    // A client that does not read skips this event.
                    let _ = tell.try_send(Event::default().event("progress").data(far.to_string()));
                }
            }
        };
        metrics.tokens(tool, reply.form, reply.tokens() as u64);
        let name = if reply.is_error { "error" } else { "result" };
        let _ = tell.send(Event::default().event(name).data(reply.structured.to_string())).await;
    };
    tokio::spawn(work.in_current_span());
    Sse::new(CallEvents { told, _guard: guard }).keep_alive(KeepAlive::default())
}

/// The events of one call. Dropping the stream cancels the call.
#[derive(Debug)]
struct CallEvents {
    told: mpsc::Receiver<Event>,
    _guard: tokio_util::sync::DropGuard,
}

impl Stream for CallEvents {
    type Item = Result<Event, Infallible>;
    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.told.poll_recv(context).map(|event| event.map(Ok))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::status_of;
    use crate::http::{http_error, router::all_errors};

    #[test]
    fn only_server_errors_have_status_500() {
        let all = all_errors(&fumi_tools::errors());
        let entries = all.as_object().expect("books");
        // The refusals of the service have statuses of their own.
        let of_service = |kind: &str| {
            let mut books = http_error::BOOK.entries().chain(crate::mcp::protocol_error::BOOK.entries());
            books.any(|(name, _)| name == kind)
        };
        let internal: BTreeSet<_> = entries
            .iter()
            .filter(|(kind, _)| !of_service(kind))
            .filter(|(kind, entry)| {
                let text = |key: &str| entry[key].as_str().unwrap_or_default();
                let status = status_of(text("code"), kind, text("type"));
                status.as_u16() == 500
            })
            .map(|(kind, _)| kind.as_str())
            .collect();
        assert_eq!(internal, BTreeSet::from(["BACKUP_UNLISTED", "TOOL_EXECUTION_FAILED", "WRITE_UNFINISHED"]));
    }
}
