//! Signing in: a password, a second factor, a page that greets. The state is a cookie; without it the browser is sent
//! back.

use std::sync::Arc;

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Response},
};

use super::{Shared, field, files, routes::escaped};

/// The password that the page expects.
const PASSWORD: &str = "correct horse";
const CODE: &str = "246810";

/// `POST /login/enter`: user, password, language, remember.
pub(super) async fn enter(form: String) -> Response {
    let given = |name| field(&form, name).unwrap_or_default();
    if given("password") != PASSWORD {
        return go("/login/?wrong=password", &[]);
    }
    let kept = if given("remember").is_empty() {
        ""
    } else {
        "; Max-Age=3600"
    };
    let user = percent_encoding::utf8_percent_encode(&given("user"), percent_encoding::NON_ALPHANUMERIC).to_string();
    go(
        "/login/factor.html",
        &[
            format!("user={user}; Path=/; HttpOnly{kept}"),
            format!("language={}; Path=/", given("language")),
        ],
    )
}

/// `POST /login/confirm`: the second factor.
pub(super) async fn confirm(headers: HeaderMap, form: String) -> Response {
    if cookie(&headers, "user").is_none() {
        return go("/login/", &[]);
    }
    if field(&form, "code").as_deref() != Some(CODE) {
        return go("/login/factor.html?wrong=code", &[]);
    }
    go("/login/dashboard", &["confirmed=yes; Path=/; HttpOnly".to_owned()])
}

/// `GET /login/dashboard`: the name of the user, and 40 tasks.
pub(super) async fn dashboard(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    let (Some(user), Some(_)) = (cookie(&headers, "user"), cookie(&headers, "confirmed")) else {
        return go("/login/", &[]);
    };
    let language = cookie(&headers, "language").unwrap_or_default();
    let Some((kind, bytes)) = files::find(&shared, "/login/dashboard.html") else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let page = String::from_utf8_lossy(&bytes)
        .replace("{{user}}", &escaped(&user))
        .replace("{{language}}", &escaped(&language));
    files::page(StatusCode::OK, kind, page.into_bytes())
}

/// `GET /login/leave`: signed out.
pub(super) async fn leave() -> Response {
    let gone = |name: &str| format!("{name}=; Path=/; Max-Age=0");
    go("/login/", &[gone("user"), gone("confirmed"), gone("language")])
}

/// Returns a cookie that the browser sent, decoded.
pub(super) fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let all = headers.get_all(header::COOKIE).iter();
    let all = all
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split("; "));
    let (_, value) = all
        .filter_map(|cookie| cookie.split_once('='))
        .find(|(key, _)| *key == name)?;
    Some(
        percent_encoding::percent_decode_str(value)
            .decode_utf8_lossy()
            .into_owned(),
    )
}

fn go(to: &str, cookies: &[String]) -> Response {
    let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response();
    for cookie in cookies {
        if let Ok(value) = cookie.parse() {
            response.headers_mut().append(header::SET_COOKIE, value);
        }
    }
    response
}
