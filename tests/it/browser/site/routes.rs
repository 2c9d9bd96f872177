//! Behaviour that a file cannot have. Each route is for one case; pages beside it in `tests/fixtures/browser` link to
//! it.

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Path, Request},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::{any, get, post},
};

use super::{
    Shared,
    endless::{End, pieces, stuck_after},
    field, files, login, query,
};

const HTML: &str = "text/html; charset=utf-8";

pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/login/enter", post(login::enter))
        .route("/login/confirm", post(login::confirm))
        .route("/login/dashboard", get(login::dashboard))
        .route("/login/leave", get(login::leave))
        // ?ms= is the time before the reply; ?text= is its text.
        .route("/slow", any(slow))
        // Any status, with a small page; 204 and 304 have none.
        .route("/status/{code}", any(status))
        // ?to= and ?status= (302).
        .route("/redirect", any(redirect))
        // N hops, the last to /redirects/target.html.
        .route("/redirect/chain/{hops}", any(chain))
        .route(
            "/redirect/loop",
            any(|| async { moved(StatusCode::FOUND, "/redirect/loop") }),
        )
        // A page whose body never ends; the browser shows the received part. `/never/reply` does not even begin.
        .route("/never/page", get(never))
        .route("/never/reply", any(std::future::pending::<Response>))
        .route(
            "/never/image.png",
            get(|| async { reply("image/png", stuck_after("\u{89}PNG")) }),
        )
        // The connection breaks in the middle.
        .route("/broken", any(broken))
        .route("/download/report.csv", get(report))
        // ?pieces= (20) of 1,024 bytes, ?ms= (100) apart.
        .route("/download/slow", get(slow_download))
        .route("/download/named", get(named))
        .route("/upload", post(upload))
        .route("/cookies", get(cookies))
        .route("/cookies/set", get(set_cookie))
        .route("/echo", any(echo))
        .route("/auth/basic", get(basic))
        .fallback(any(files::file))
}

/// Escapes a text for a page.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

fn reply(kind: &'static str, body: Body) -> Response {
    (
        [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")],
        body,
    )
        .into_response()
}

fn html(title: &str, body: &str) -> Vec<u8> {
    let title = escaped(title);
    format!("<!doctype html><html lang=\"en\"><title>{title}</title><h1>{title}</h1>{body}</html>").into_bytes()
}

fn asked(request: &Request, name: &str) -> Option<String> {
    field(&query(request.uri()), name)
}

fn millis(request: &Request, otherwise: u64) -> Duration {
    let given = asked(request, "ms").and_then(|ms| ms.parse().ok());
    Duration::from_millis(given.unwrap_or(otherwise))
}

async fn slow(request: Request) -> Response {
    tokio::time::sleep(millis(&request, 1_000)).await;
    let text = asked(&request, "text").unwrap_or_else(|| "Slow".to_owned());
    files::page(StatusCode::OK, HTML, html(&text, ""))
}

async fn status(Path(code): Path<u16>) -> Response {
    let status = StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_REQUEST);
    if matches!(code, 204 | 304) {
        return status.into_response();
    }
    files::page(
        status,
        HTML,
        html(&format!("Status {code}"), "<p>This page came with its status.</p>"),
    )
}

fn moved(status: StatusCode, to: &str) -> Response {
    (status, [(header::LOCATION, to)]).into_response()
}

async fn redirect(request: Request) -> Response {
    let status = asked(&request, "status").and_then(|status| status.parse().ok());
    let status = StatusCode::from_u16(status.unwrap_or(302)).unwrap_or(StatusCode::FOUND);
    moved(
        status,
        &asked(&request, "to").unwrap_or_else(|| "/redirects/target.html".to_owned()),
    )
}

async fn chain(Path(hops): Path<u32>) -> Response {
    match hops {
        0 | 1 => moved(StatusCode::FOUND, "/redirects/target.html"),
        _ => moved(StatusCode::MOVED_PERMANENTLY, &format!("/redirect/chain/{}", hops - 1)),
    }
}

async fn never() -> Response {
    // Browsers show nothing before they have some bytes.
    let start = String::from_utf8_lossy(&html(
        "Still loading",
        "<p>The rest of this page never comes.</p><button>Do something</button>",
    ))
    .replace("</html>", &" ".repeat(2_048));
    reply(HTML, stuck_after(&start))
}

async fn broken() -> Response {
    let body = pieces(
        "<p>The connection breaks now.</p>",
        2,
        Duration::from_millis(20),
        End::Broken,
    );
    reply(HTML, body)
}

async fn report() -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"report.csv\""),
    ];
    (headers, "id,amount\n1,10\n2,20\n").into_response()
}

async fn slow_download(request: Request) -> Response {
    let count: usize = asked(&request, "pieces")
        .and_then(|count| count.parse().ok())
        .unwrap_or(20);
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (
            header::CONTENT_DISPOSITION,
            "attachment; filename=\"slow.bin\"".to_owned(),
        ),
        (header::CONTENT_LENGTH, (count * 1_024).to_string()),
    ];
    let body = pieces(&"x".repeat(1_024), count, millis(&request, 100), End::Well);
    (headers, body).into_response()
}

/// ?name= is the file name that the server sends, unchanged: `../evil.sh`, 日本語, quotes.
async fn named(request: Request) -> Response {
    let name = asked(&request, "name").unwrap_or_else(|| "報告書.txt".to_owned());
    let encoded = percent_encoding::utf8_percent_encode(&name, percent_encoding::NON_ALPHANUMERIC);
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename*=UTF-8''{encoded}"),
        ),
    ];
    (headers, "text\n").into_response()
}

/// Lists the uploaded files. The stored request has the whole body.
async fn upload(body: Bytes) -> Response {
    let text = String::from_utf8_lossy(&body);
    let names = text
        .split("filename=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    let items = names.fold(String::new(), |all, name| all + "<li>" + &escaped(name) + "</li>");
    files::page(
        StatusCode::OK,
        HTML,
        html("Uploaded", &format!("<ul>{items}</ul><p>{} bytes</p>", body.len())),
    )
}

/// Shows the cookies of the caller.
async fn cookies(headers: HeaderMap) -> Response {
    let who = login::cookie(&headers, "who").unwrap_or_else(|| "nobody".to_owned());
    let all = headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let all = all.collect::<Vec<_>>().join("; ");
    let body = format!(
        "<p>You are <b id=\"who\">{}</b>.</p><pre id=\"all\">{}</pre>",
        escaped(&who),
        escaped(&all)
    );
    files::page(StatusCode::OK, HTML, html("Cookies", &body))
}

/// ?name=, ?value= and ?more= (`; HttpOnly` ...).
async fn set_cookie(request: Request) -> Response {
    let given = |name| asked(&request, name).unwrap_or_default();
    let cookie = format!("{}={}; Path=/{}", given("name"), given("value"), given("more"));
    let mut response = moved(StatusCode::SEE_OTHER, "/cookies");
    if let Ok(cookie) = cookie.parse() {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// Returns the request as text.
async fn echo(request: Request) -> Response {
    let mut text = format!("{} {}\n", request.method(), request.uri());
    for (name, value) in request.headers() {
        text += &format!("{name}: {}\n", value.to_str().unwrap_or("?"));
    }
    reply("text/plain; charset=utf-8", Body::from(text))
}

/// Accepts only `user` with `pass`.
async fn basic(headers: HeaderMap) -> Response {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if given == Some("Basic dXNlcjpwYXNz") {
        return files::page(StatusCode::OK, HTML, html("Let in", ""));
    }
    let mut response = files::page(StatusCode::UNAUTHORIZED, HTML, html("Who are you?", ""));
    let challenge = header::HeaderValue::from_static("Basic realm=\"site\"");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    response
}
