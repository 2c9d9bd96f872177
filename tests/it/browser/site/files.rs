//! Pages from files. Each is read again for each request, because a test may change it. The browser does not cache it
//! either, so that every view is a request.

use std::{path::Path, sync::Arc};

use axum::{
    extract::State,
    http::{StatusCode, Uri, header},
    response::{IntoResponse as _, Response},
};

use super::Shared;

/// Serves any path that has no route.
pub(super) async fn file(State(shared): State<Arc<Shared>>, uri: Uri) -> Response {
    match find(&shared, uri.path()) {
        Some((kind, bytes)) => page(StatusCode::OK, kind, bytes),
        None => page(
            StatusCode::NOT_FOUND,
            "text/html; charset=utf-8",
            "<!doctype html><title>Not found</title><h1>Not found</h1>".into(),
        ),
    }
}

/// Returns a reply that must not be cached.
pub(super) fn page(status: StatusCode, kind: &'static str, bytes: Vec<u8>) -> Response {
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")];
    (status, headers, bytes).into_response()
}

/// Returns a file by its path, with its type; a folder is its `index.html`.
pub(super) fn find(shared: &Shared, path: &str) -> Option<(&'static str, Vec<u8>)> {
    let decoded = percent_encoding::percent_decode_str(path).decode_utf8().ok()?;
    let path = Path::new(decoded.trim_start_matches('/'));
    let is_plain = path
        .components()
        .all(|part| matches!(part, std::path::Component::Normal(_)));
    if !is_plain {
        return None;
    }
    shared.folders.iter().find_map(|folder| {
        let mut file = folder.join(path);
        if file.is_dir() {
            file.push("index.html");
        }
        let bytes = std::fs::read(&file).ok()?;
        Some((kind(&file), bytes))
    })
}

fn kind(file: &Path) -> &'static str {
    // The page declares its own encoding; a header would override it.
    if file.file_stem().is_some_and(|stem| stem == "shift_jis") {
        return "text/html";
    }
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("pdf") => "application/pdf",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
