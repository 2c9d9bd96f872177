//! Determines the [`Access`] of a request from its URL, its headers and its principal.
//!
//! `/mcp`, `/mcp/all`, `/mcp/A,B`, `/mcp/readonly`, `/mcp/readonly/A,B`, and the same under `/projects/NAME`. Each step
//! only narrows: the operator's toolsets, then the principal's, then the URL's, then the headers'. An unknown name is a
//! 404 (URL) or a 400 (header), one that the principal does not have is a 403. Calls are counted here, after everything
//! else, so that the rate limit never hides a 404.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode, Uri, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use fumi_base::project::{Project, quoted};
use fumi_kernel::{Access, Effect, ResultForm, catalogue::ToolsetScope, metrics::RefusalReason};
use percent_encoding::percent_decode_str;

use super::{
    auth::{Principal, challenge},
    http_error::HttpError,
    in_flight::is_answer,
    router::Edge,
};
use crate::{app::App, mcp};

/// The segment for read-only access. It is not the name of a toolset.
const READ_ONLY: &str = "readonly";
/// The segment for all toolsets. It is not the name of a toolset.
const EVERYTHING: &str = "all";

/// The access that a URL requests, unresolved.
#[derive(Debug, Default, PartialEq, Eq)]
struct RequestedScope {
    project: Option<String>,
    read_only: bool,
    /// The named toolsets; empty if the URL names none.
    toolsets: Vec<String>,
    everything: bool,
}

impl RequestedScope {
    /// Parses a path. Returns `None` if it is not the path of an MCP endpoint.
    fn parse(path: &str) -> Option<Self> {
        let decode = |segment: &str| Some(percent_decode_str(segment).decode_utf8().ok()?.into_owned());
        let path = path.strip_prefix('/')?;
        // A trailing slash is ignored.
        let mut segments = path.strip_suffix('/').unwrap_or(path).split('/');
        let mut asked = Self::default();
        let mut next = segments.next()?;
        if next == "projects" {
            asked.project = Some(decode(segments.next()?)?);
            next = segments.next()?;
        }
        if next != "mcp" {
            return None;
        }
        let mut rest = segments.peekable();
        if rest.next_if_eq(&READ_ONLY).is_some() {
            asked.read_only = true;
        }
        if rest.next_if_eq(&EVERYTHING).is_some() {
            asked.everything = true;
        } else if let Some(names) = rest.next() {
            asked.toolsets = decode(names)?.split(',').map(str::to_owned).collect();
        }
        rest.next().is_none().then_some(asked)
    }
}

/// Returns the toolsets that a token for this request should cover, and true if the request may write. The toolsets are
/// those named by the URL or the header, or that of the called tool, or the listed ones if the request names none.
pub fn scope_for_challenge(app: &App, request: &Parts) -> (ToolsetScope, bool) {
    let (path, headers) = (request.uri.path(), &request.headers);
    let asked = RequestedScope::parse(path);
    let is_mcp = asked.is_some();
    let asked = asked.unwrap_or_default();
    let is_narrowed = header_values(headers, "x-fumi-readonly").any(|value| is_true(&value).unwrap_or(false));
    let may_write = !(asked.read_only || app.config.tools.readonly || is_narrowed);
    let tool = path.strip_prefix("/v1/tools/").and_then(|name| {
        let name = percent_decode_str(name).decode_utf8().ok()?;
        app.catalogue.find(&app.scope, &name)
    });
    // The `/v1` routes write only by calling a tool. A batch needs what its steps need, and those are not read here.
    let calls = tool.filter(|_| request.method == Method::POST).map(|tool| tool.spec.effect);
    let writes = may_write && (is_mcp || calls.is_some_and(|effect| effect.needs_write() || effect == Effect::OfSteps));
    if let Some(tool) = tool.filter(|tool| tool.spec.effect != Effect::OfSteps) {
        return (ToolsetScope::single(tool.spec.toolset), writes);
    }
    let header = header_values(headers, "x-fumi-toolsets").collect::<Vec<_>>().join(",");
    let of = |names: &mut dyn Iterator<Item = &str>| {
        let scope = named(app, names, StatusCode::NOT_FOUND).ok();
        scope.filter(|scope| !scope.is_empty())
    };
    let by_url = of(&mut asked.toolsets.iter().map(String::as_str));
    let by_header = of(&mut header.split(',').map(str::trim_ascii));
    let by_project = || {
        let listed = ToolsetScope::single("code").or(&ToolsetScope::single("novel")).and(&app.scope);
        let is_by_project = !asked.everything && app.config.tools.toolsets.is_empty() && !listed.is_empty();
        if is_by_project { listed } else { app.scope.clone() }
    };
    let scope = match (by_url, by_header) {
        (Some(url), Some(header)) => url.and(&header),
        (Some(scope), None) | (None, Some(scope)) => scope,
        (None, None) => by_project(),
    };
    (scope, writes)
}

/// The layer around MCP: determines the access of a request, counts the request, and runs it with that access.
pub async fn layer(State(edge): State<Edge>, request: Request, next: Next) -> Response {
    // Messages count; streams that only listen and answers to the server's own questions do not.
    let is_counted = request.method() == Method::POST && !is_answer(request.extensions());
    match RequestedScope::parse(request.uri().path()) {
        Some(asked) => run_with_access(&edge, &asked, is_counted, request, next).await,
        None => HttpError::new(StatusCode::NOT_FOUND, "NO_SUCH_ROUTE", &[]).into_response(),
    }
}

/// The same layer for the `/v1` routes, whose URLs name no toolsets. Every request counts: a list of all tools takes as much
/// work as a call.
pub async fn plain_layer(State(edge): State<Edge>, request: Request, next: Next) -> Response {
    run_with_access(&edge, &RequestedScope::default(), true, request, next).await
}

async fn run_with_access(
    edge: &Edge,
    asked: &RequestedScope,
    is_counted: bool,
    mut request: Request,
    next: Next,
) -> Response {
    let principal = request.extensions().get::<Arc<Principal>>().map(Arc::clone);
    let principal = principal.expect("an earlier layer adds one to every request");
    let access = access(edge, &principal, asked, request.uri(), request.headers());
    let counted = if access.is_ok() && is_counted { count(edge, &principal).await } else { Ok(()) };
    match counted.and(access) {
        Ok(access) => {
            let access = Arc::new(access);
            request.extensions_mut().insert(Arc::clone(&access));
            let mut response = mcp::access::within(Arc::clone(&access), next.run(request)).await;
            // The access log reads it.
            response.extensions_mut().insert(access);
            response
        }
        Err(refusal) => {
            let principal = Some(&*principal.name).filter(|name| !name.is_empty());
            match refusal.code() {
                "RATE_LIMITED" => edge.app.kernel.metrics.refused(RefusalReason::Rate),
                "INSUFFICIENT_SCOPE" => edge.app.kernel.metrics.refused(RefusalReason::Auth),
                _ => {}
            }
            tracing::info!(target: "fumi::audit", code = refusal.code(), principal, "refused");
            refusal.into_response()
        }
    }
}

/// Counts a request of a principal.
async fn count(edge: &Edge, principal: &Principal) -> Result<(), HttpError> {
    let replicas = edge.app.replicas.is_some().then_some(&*edge.app.store);
    principal.count(replicas).await.map_err(|many| {
        HttpError::temporary(
            StatusCode::TOO_MANY_REQUESTS,
            "RATE_LIMITED",
            &[("principal", &principal.name.to_string()), ("limit", &many.per_minute)],
            many.wait,
        )
    })
}

fn access(
    edge: &Edge,
    principal: &Principal,
    asked: &RequestedScope,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<Access, HttpError> {
    let app = &edge.app;
    let all = principal.roots.as_ref().unwrap_or(&app.kernel.roots);
    let project = asked.project.as_deref().map(|name| project(all, name)).transpose()?;
    let wanted = if asked.toolsets.is_empty() {
        app.scope.clone()
    } else {
        let names = asked.toolsets.iter().map(String::as_str);
        named(app, names, StatusCode::NOT_FOUND)?
    };
    let mut scope = wanted.and(&principal.scope);
    // A request that names toolsets needs all of them; one that names none gets those that are allowed, if there are
    // any.
    if scope.is_empty() || (!asked.toolsets.is_empty() && scope != wanted) {
        return Err(challenge::insufficient_scope(&edge.auth.get(), principal, &wanted, headers));
    }
    let names = header_values(headers, "x-fumi-toolsets").collect::<Vec<_>>().join(",");
    if !names.is_empty() {
        scope = scope.and(&named(app, names.split(',').map(str::trim_ascii), StatusCode::BAD_REQUEST)?);
    }
    let mut read_only_header = false;
    for value in header_values(headers, "x-fumi-readonly") {
        read_only_header |= is_true(&value)?;
    }
    let is_unsaid = asked.toolsets.is_empty() && !asked.everything && names.is_empty();
    Ok(Access {
        principal: Arc::clone(&principal.name),
        // With a token limited to some toolsets this is false, so all of them are listed.
        by_project: is_unsaid && scope == app.scope && app.config.tools.toolsets.is_empty(),
        scope,
        listed: None,
        read_only: app.config.tools.readonly || principal.readonly || asked.read_only || read_only_header,
        roots: principal.roots.clone(),
        project,
        result: requested_form(uri, headers)?,
        revoked: principal.revoked.clone(),
    })
}

/// Returns the values of a header. Values in other encodings are kept: skipping one would widen what the caller
/// narrowed.
fn header_values(headers: &HeaderMap, name: &'static str) -> impl Iterator<Item = String> {
    let values = headers.get_all(name).iter();
    values.map(|value| String::from_utf8_lossy(value.as_bytes().trim_ascii()).into_owned())
}

/// Returns the form of results that a request asks for: the header `X-Fumi-Result`, else `?result=`.
fn requested_form(uri: &Uri, headers: &HeaderMap) -> Result<Option<ResultForm>, HttpError> {
    let by_url = || uri.query()?.split('&').find_map(|pair| pair.strip_prefix("result="));
    let Some(asked) = header_values(headers, "x-fumi-result").next().or_else(|| by_url().map(str::to_owned)) else {
        return Ok(None);
    };
    let form = ResultForm::parse(&asked);
    form.map(Some).ok_or_else(|| {
        let known: Vec<_> = ResultForm::ALL.iter().map(|form| form.name()).collect();
        HttpError::new(
            StatusCode::BAD_REQUEST,
            "UNKNOWN_RESULT_FORM",
            &[("unknown", &quoted(&asked)), ("known", &known.join(", "))],
        )
    })
}

/// Parses the value of the read-only header. An unknown value is an error, so that a caller who asked for read-only
/// access never gets write access.
fn is_true(value: &str) -> Result<bool, HttpError> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(HttpError::new(StatusCode::BAD_REQUEST, "READ_ONLY_UNCLEAR", &[("value", &quoted(value))])),
    }
}

fn project(roots: &fumi_base::roots::AllowedRoots, name: &str) -> Result<Arc<Project>, HttpError> {
    roots.named(name).map(Arc::clone).ok_or_else(|| {
        let known = match roots.names().collect::<Vec<_>>().join(", ") {
            known if known.is_empty() => "-".to_owned(),
            known => known,
        };
        HttpError::new(StatusCode::NOT_FOUND, "UNKNOWN_PROJECT", &[("unknown", &quoted(name)), ("known", &known)])
    })
}

/// Resolves toolsets by name, among those that the operator offers.
fn named<'n>(
    app: &App,
    names: impl IntoIterator<Item = &'n str>,
    status: StatusCode,
) -> Result<ToolsetScope, HttpError> {
    let names: Vec<&str> = names.into_iter().collect();
    let unknown: Vec<_> = names.iter().filter(|name| !app.scope.contains(name)).collect();
    if unknown.is_empty()
        && let Ok(scope) = app.catalogue.scope(names.iter().copied())
    {
        return Ok(scope);
    }
    let unknown: Vec<_> = unknown.into_iter().map(|name| quoted(name)).collect();
    let known: Vec<_> = app.scope.names().collect();
    Err(HttpError::new(status, "UNKNOWN_TOOLSET", &[("unknown", &unknown), ("known", &known.join(", "))]))
}

#[cfg(test)]
mod tests {
    use super::RequestedScope;

    #[test]
    fn a_path_names_a_project_read_only_and_toolsets() {
        let asked = |project: Option<&str>, read_only, toolsets: &[&str]| {
            Some(RequestedScope {
                project: project.map(str::to_owned),
                read_only,
                everything: false,
                toolsets: toolsets.iter().map(|name| (*name).to_owned()).collect(),
            })
        };
        for (path, expected) in [
            ("/mcp", asked(None, false, &[])),
            ("/mcp/code", asked(None, false, &["code"])),
            ("/mcp/code,novel", asked(None, false, &["code", "novel"])),
            ("/mcp/readonly", asked(None, true, &[])),
            ("/mcp/readonly/code%2Cnovel", asked(None, true, &["code", "novel"])),
            ("/projects/shop/mcp", asked(Some("shop"), false, &[])),
            ("/projects/%E6%9B%B8/mcp/readonly/code", asked(Some("書"), true, &["code"])),
            ("/mcp/", asked(None, false, &[])),
            ("/mcp/readonly/code/", asked(None, true, &["code"])),
            ("/mcp//", asked(None, false, &[""])),
            ("/mcp/code/readonly", None),
            ("/mcp/readonly/code/x", None),
            ("/projects/shop", None),
            ("/projects/mcp", None),
            ("/other", None),
            ("/mcp/%FF", None),
        ] {
            assert_eq!(RequestedScope::parse(path), expected, "{path}");
        }
        let everything = RequestedScope::parse("/mcp/readonly/all/").expect("a path");
        assert!(everything.everything && everything.read_only && everything.toolsets.is_empty());
    }
}
