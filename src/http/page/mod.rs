//! `GET /`: one page for people. It shows the server's state, how to connect a client, the tools and the calls so far, and has
//! a form that calls a tool (`POST /`). `GET /?view=project` shows the project in numbers, `GET /?view=novel` a novel.
//!
//! Invariants: the page loads nothing from elsewhere and works without its script; a tool is called through the same pipeline,
//! with the same access, as over `/v1/tools`. Where tokens are needed, a browser asks for one as the password of this page.

mod figures;
mod history;
mod novel;
mod project;
mod structured;

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, LazyLock},
};

use askama::Template;
use axum::{
    Extension,
    body::Bytes,
    extract::{Query, State, rejection::QueryRejection},
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    response::{Html, IntoResponse, Response},
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use fumi_base::{
    embedded,
    pools::{Pool, PoolLoad},
    text::{BilingualText, Locale},
};
use fumi_config::AuthMode;
use fumi_connect::{Client, Folders, Place, Platform, Server};
use fumi_kernel::{Access, Caller, ResultForm, ToolReply, catalogue::ToolEntry};
use serde::Deserialize;
use serde_json::{Map, Value};

pub use self::history::CallHistory;
use self::{
    figures::CallRow,
    history::{BarChart, Day},
};
use super::{health, http_error::HttpError, rest, router::Edge};
use crate::mcp::observe::{self, Operation};

/// The path of the page.
pub const PATH: &str = "/";
/// The tool that the form shows first, with arguments for any project.
const FIRST_TOOL: &str = "search_content";
const FIRST_ARGUMENTS: &str = r#"{"query": "TODO", "roots": ["."], "summary_only": true}"#;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The texts of the page by name.
static TEXTS: LazyLock<BTreeMap<String, BilingualText>> =
    LazyLock::new(|| embedded::toml("texts.toml", include_str!("texts.toml")));
/// The variable in which clients find their token, as the page shows it.
const TOKEN_VARIABLE: &str = "FUMI_TOKEN";

#[derive(Template)]
#[template(path = "page.html")]
struct Page<'p> {
    locale: Locale,
    /// Allows the style and the script of this response alone.
    nonce: String,
    version: &'static str,
    url: String,
    project: String,
    /// The other views that the caller may use: each query, and its title.
    views: Vec<(&'static str, &'static str)>,
    is_ready: bool,
    state: String,
    needs_token: bool,
    clients: Vec<ShownClient>,
    figures: Vec<(&'static str, String)>,
    pools: Vec<(&'static str, PoolLoad)>,
    day: Day,
    calls: Vec<CallRow>,
    groups: Vec<ToolGroup<'p>>,
    chosen: ChosenCall,
    reply: Option<ShownReply>,
}

impl Page<'_> {
    /// Returns a text in the language of the page.
    fn text(&self, name: &str) -> &'static str {
        text(name, self.locale)
    }
}

/// Returns a text of the page. A test refuses names without one.
fn text(name: &str, locale: Locale) -> &'static str {
    TEXTS.get(name).map_or("?", |text| text.get(locale))
}

/// The setup of one client for this server.
struct ShownClient {
    name: &'static str,
    id: &'static str,
    /// The client's own command, if it has one.
    command: Option<String>,
    /// The client's configuration file, and the content that describes this server.
    file: String,
    content: String,
    /// A link that asks the client to add the server, if it has one.
    link: Option<String>,
    /// The `fumi connect` command that writes this content.
    connect: String,
}

/// The tools of a toolset.
struct ToolGroup<'p> {
    toolset: &'static str,
    tools: Vec<ToolRow<'p>>,
}

struct ToolRow<'p> {
    name: &'static str,
    summary: &'p str,
    is_read_only: bool,
}

/// The call in the form.
struct ChosenCall {
    tool: String,
    /// JSON as it was entered, or the example of the tool.
    arguments: String,
    is_read_only: bool,
}

/// The result of the call in the form.
struct ShownReply {
    is_error: bool,
    text: String,
    /// The structured result; empty if there was no call.
    structure: String,
    /// Tokens, and elapsed milliseconds.
    cost: Option<(u64, u64)>,
}

impl ShownReply {
    fn new(reply: &ToolReply) -> Self {
        let meta = reply.meta();
        let number = |key: &str| meta[key].as_u64().unwrap_or_default();
        Self {
            is_error: reply.is_error,
            text: reply.text.clone(),
            structure: serde_json::to_string_pretty(&reply.structured).unwrap_or_default(),
            cost: Some((number("fumi/tokens"), number("fumi/elapsed_ms"))),
        }
    }

    /// A call that was not made.
    fn refused(reason: String) -> Self {
        Self { is_error: true, text: reason, structure: String::new(), cost: None }
    }
}

/// The query of the page.
#[derive(Debug, Deserialize)]
pub struct PageQuery {
    /// The tool that the form shows.
    tool: Option<String>,
    /// The arguments that the form shows; without them the example of the tool.
    arguments: Option<String>,
    #[serde(default)]
    view: View,
    /// The episode that the view of a novel shows; without it the last one with a manuscript.
    episode: Option<u32>,
}

/// The content of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum View {
    #[default]
    Server,
    Project,
    Novel,
}

/// `GET /`: the page.
pub async fn show(
    State(edge): State<Edge>,
    Extension(access): Extension<Arc<Access>>,
    query: Result<Query<PageQuery>, QueryRejection>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, HttpError> {
    let locale = rest::language(&edge, &uri, &headers);
    let Query(query) = query.map_err(|rejected| {
        let reason = BilingualText::same(rejected.body_text());
        HttpError::new(StatusCode::BAD_REQUEST, "REQUEST_REFUSED", &[("reason", &reason)])
    })?;
    match query.view {
        View::Project if has_project_view(&edge, &access) => return Ok(project::page(&edge, &access, locale).await),
        View::Novel if novel::may_view(&edge, &access) => {
            return novel::page(&edge, &access, locale, query.episode).await;
        }
        _ => {}
    }
    let entry = match &query.tool {
        Some(name) => rest::find(&edge, &access, name)?,
        None => first_tool(&edge, &access)?,
    };
    let arguments = query.arguments.unwrap_or_else(|| {
        let is_first = query.tool.is_none() && entry.spec.name == FIRST_TOOL;
        let example = if is_first { FIRST_ARGUMENTS } else { entry.spec.example };
        let example = serde_json::from_str::<Value>(example).unwrap_or_default();
        serde_json::to_string_pretty(&example).unwrap_or_default()
    });
    Ok(page(&edge, &access, locale, &headers, (entry, arguments), None).await)
}

/// `POST /`: calls a tool with the arguments of the form (`tool`, `arguments`), and returns the page with its reply.
pub async fn call(
    State(edge): State<Edge>,
    Extension(access): Extension<Arc<Access>>,
    Extension(told): Extension<observe::OperationSlot>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, HttpError> {
    let locale = rest::language(&edge, &uri, &headers);
    let mut fields: BTreeMap<_, _> = form_urlencoded::parse(&body).into_owned().collect();
    let entry = rest::find(&edge, &access, &fields.remove("tool").unwrap_or_default())?;
    told.set(Operation { method: "tools/call", tool: Some(entry.spec.name) });
    let arguments = fields.remove("arguments").unwrap_or_default();
    let reply = match parse_arguments(&arguments, locale) {
        Err(reason) => ShownReply::refused(reason),
        Ok(parsed) => {
            let caller = Caller { locale, session: None, form: ResultForm::Both, access: Arc::clone(&access) };
            let reply = rest::call_once(&edge, entry.spec.name, parsed, caller).await?;
            edge.app.kernel.metrics.tokens(entry.spec.name, ResultForm::Text, reply.tokens() as u64);
            ShownReply::new(&reply)
        }
    };
    Ok(page(&edge, &access, locale, &headers, (entry, arguments), Some(reply)).await)
}

/// Parses the arguments of the form. The error is a message for the person who filled it in.
fn parse_arguments(arguments: &str, locale: Locale) -> Result<Map<String, Value>, String> {
    if arguments.trim().is_empty() {
        return Ok(Map::new());
    }
    serde_json::from_str(arguments).map_err(|error| format!("{} {error}", text("bad_arguments", locale)))
}

fn first_tool<'e>(edge: &'e Edge, access: &Access) -> Result<&'e ToolEntry, HttpError> {
    let catalogue = &edge.app.catalogue;
    let listed = || catalogue.list(access).next();
    match catalogue.find(&access.scope, FIRST_TOOL).or_else(listed) {
        Some(entry) => Ok(entry),
        None => rest::find(edge, access, FIRST_TOOL),
    }
}

async fn page(
    edge: &Edge,
    access: &Access,
    locale: Locale,
    headers: &HeaderMap,
    (chosen, arguments): (&ToolEntry, String),
    reply: Option<ShownReply>,
) -> Response {
    let app = &edge.app;
    let (status, state) = health::readyz(State(edge.clone())).await;
    let is_ready = status == StatusCode::OK;
    let state = if is_ready {
        text("ready", locale).to_owned()
    } else {
        format!("{} {}", text("not_ready", locale), state.trim_end())
    };
    let url = url(headers);
    let nonce = nonce();
    let project = access.default_project(&app.kernel.roots);
    let counted = figures::Counted::new(&app.metrics.families());
    let page = Page {
        locale,
        nonce: nonce.clone(),
        version: env!("CARGO_PKG_VERSION"),
        project: project.shown_root(),
        views: [
            has_project_view(edge, access).then(|| ("view=project", text("project_view", locale))),
            novel::has_view(edge, access).then(|| ("view=novel", text("novel_view", locale))),
        ]
        .into_iter()
        .flatten()
        .collect(),
        is_ready,
        state,
        needs_token: app.config.auth.mode != AuthMode::None,
        clients: clients(&url, app.config.auth.mode != AuthMode::None),
        url,
        figures: figures::figures(edge, &counted, locale),
        pools: Pool::ALL.map(|pool| (pool.name(), app.kernel.pools.load(pool))).to_vec(),
        day: history::day(&edge.history, counted.totals(), locale),
        calls: counted.rows(),
        groups: groups(edge, access, locale),
        chosen: ChosenCall {
            tool: chosen.spec.name.to_owned(),
            arguments,
            is_read_only: chosen.spec.effect.is_read_only(),
        },
        reply,
    };
    rendered(&page, &nonce)
}

/// Returns the query of the page whose form has a call.
fn form_query(tool: &str, arguments: &Value, locale: Locale) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("lang", locale.tag()).append_pair("tool", tool);
    query.append_pair("arguments", &arguments.to_string());
    query.finish()
}

/// True if a caller may use the tools whose numbers the view of the project shows.
fn has_project_view(edge: &Edge, access: &Access) -> bool {
    edge.app.catalogue.find(&access.scope, FIRST_TOOL).is_some()
}

/// Returns a page as a response.
fn rendered(page: &impl Template, nonce: &str) -> Response {
    match page.render() {
        Ok(html) => (security_headers(nonce), Html(html)).into_response(),
        Err(error) => {
            tracing::error!(%error, "the page cannot be rendered");
            HttpError::new(StatusCode::INTERNAL_SERVER_ERROR, "SERVER_FAILED", &[]).into_response()
        }
    }
}

fn groups<'e>(edge: &'e Edge, access: &Access, locale: Locale) -> Vec<ToolGroup<'e>> {
    let mut groups: Vec<ToolGroup<'e>> = Vec::new();
    for entry in edge.app.catalogue.list(access) {
        let row = ToolRow {
            name: entry.spec.name,
            summary: &entry.published(locale).summary,
            is_read_only: entry.spec.effect.is_read_only(),
        };
        match groups.iter_mut().find(|group| group.toolset == entry.spec.toolset) {
            Some(group) => group.tools.push(row),
            None => groups.push(ToolGroup { toolset: entry.spec.toolset, tools: vec![row] }),
        }
    }
    groups
}

/// Returns how each client is set up. The folders of the reader are unknown, so they are shown as on Linux.
fn clients(url: &str, needs_token: bool) -> Vec<ShownClient> {
    let server = Server {
        url,
        token_variable: needs_token.then_some(TOKEN_VARIABLE),
        program: "/absolute/path/of/fumi",
        root: "/absolute/path/of/your/project",
    };
    let folders =
        Folders { platform: Platform::Linux, home: Path::new("~"), project: Path::new(""), environment: &|_| None };
    let shown = |client: &'static Client| {
        let (in_project, content) = (client.file(Place::Project, folders), client.snippet(&server));
        let mut connect = format!("fumi connect {}", client.id);
        if in_project.is_some() {
            connect += " --project";
        }
        // A client that starts fumi itself needs no URL.
        if content.contains(url) {
            connect += &format!(" --url {url}");
            if needs_token {
                connect += &format!(" --token-variable {TOKEN_VARIABLE}");
            }
        }
        let file = in_project.or_else(|| client.file(Place::User, folders)).unwrap_or_default();
        ShownClient {
            name: &client.name,
            id: &client.id,
            // The commands of clients store a token itself, not the name of its variable.
            command: client.command(&server).filter(|_| !needs_token),
            file: file.display().to_string(),
            content,
            link: client.deep_link(&server),
            connect,
        }
    };
    Client::all().iter().map(shown).collect()
}

/// Returns the URL of the MCP endpoint as the browser reaches this server. A proxy that ends TLS reports `https` in a header.
fn url(headers: &HeaderMap) -> String {
    let value = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let scheme = value("x-forwarded-proto").filter(|scheme| *scheme == "https").unwrap_or("http");
    format!("{scheme}://{}/mcp", value("host").unwrap_or("localhost"))
}

/// Returns 128 random bits in hexadecimal digits; empty if the system provides none: then the page has no style and no script.
fn nonce() -> String {
    let random = getrandom::u64().and_then(|high| Ok((high, getrandom::u64()?)));
    random.map_or_else(|_| String::new(), |(high, low)| format!("{high:016x}{low:016x}"))
}

/// Returns the headers of the page: it may load nothing, be embedded nowhere, and send only its own form. It is not cached,
/// since it differs for each caller.
fn security_headers(nonce: &str) -> HeaderMap {
    let policy = format!(
        "default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    );
    let mut headers = HeaderMap::new();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Without a referrer browsers send the form with `Origin: null`, which is refused.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::VARY, HeaderValue::from_static("accept-language, authorization"));
    headers
}

/// Replaces the credentials that a browser sends for the page (RFC 7617) by the token in them, the password. The name of the
/// user has no meaning.
pub fn take_token(headers: &mut HeaderMap) {
    let password = |value: &HeaderValue| {
        let (scheme, encoded) = value.to_str().ok()?.split_once(' ')?;
        let decoded = scheme.eq_ignore_ascii_case("basic").then(|| BASE64_STANDARD.decode(encoded.trim()))?.ok()?;
        let credentials = String::from_utf8(decoded).ok()?;
        HeaderValue::from_str(&format!("Bearer {}", credentials.split_once(':')?.1)).ok()
    };
    if let Some(bearer) = headers.get(header::AUTHORIZATION).and_then(password) {
        headers.insert(header::AUTHORIZATION, bearer);
    }
}

#[cfg(test)]
mod tests {
    use super::TEXTS;

    #[test]
    fn page_and_texts_name_the_same() {
        let sources = [
            include_str!("page.html"),
            include_str!("novel.html"),
            include_str!("project.html"),
            include_str!("mod.rs"),
            include_str!("figures.rs"),
            include_str!("history.rs"),
            include_str!("novel.rs"),
            include_str!("project.rs"),
        ]
        .concat();
        for name in TEXTS.keys() {
            assert!(sources.contains(&format!("text(\"{name}\"")), "{name} is not used");
        }
        for call in sources.split("text(\"").skip(1) {
            let name = call.split('"').next().unwrap_or_default();
            assert!(name.is_empty() || TEXTS.contains_key(name), "{name} has no text");
        }
    }
}
