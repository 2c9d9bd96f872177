//! Responses to callers without a sufficient token: the status, how to get a token, and the metadata of the protected
//! resource.
//!
//! RFC 6750 (`WWW-Authenticate`), RFC 9728 (metadata). A 403 names every scope that the URL needs, not only the missing
//! one, so that a client asks its user once; a 401 names the same scopes and no others.

use std::time::Duration;

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode, Uri, header, request::Parts},
    response::{IntoResponse, Response},
};
use fumi_base::text::BilingualText;
use fumi_kernel::catalogue::ToolsetScope;
use serde_json::json;

use super::{AuthError, Authenticator, Principal, oauth::OAuthVerifier};
use crate::{
    app::App,
    http::{access, http_error::HttpError, page, router::Edge},
};

/// The path of the metadata document; a client may append the path of the resource.
pub const METADATA: &str = "/.well-known/oauth-protected-resource";
/// The path of the metadata document with the path of the resource appended.
pub const METADATA_OF: &str = "/.well-known/oauth-protected-resource/{*resource}";
/// The `Retry-After` of a token that cannot be checked now.
const AWAY: Duration = Duration::from_secs(10);

/// Returns 401, or 503 while the authorization server is unreachable.
pub fn unauthenticated(app: &App, auth: &Authenticator, denied: &AuthError, request: &Parts) -> HttpError {
    let (reason, ja, error) = match denied {
        AuthError::Missing(en, ja) => (*en, *ja, None),
        AuthError::Invalid(en, ja) => (*en, *ja, Some("invalid_token")),
        AuthError::Unavailable => {
            return HttpError::temporary(StatusCode::SERVICE_UNAVAILABLE, "AUTHORIZATION_SERVER_AWAY", &[], AWAY);
        }
    };
    let mut parts = vec!["realm=\"fumi\"".to_owned()];
    if let Some(error) = error {
        parts.push(format!("error=\"{error}\""));
        parts.push(format!("error_description=\"{reason}\""));
    }
    if let Authenticator::OAuth(oauth) = auth {
        let (scope, writes) = access::scope_for_challenge(app, request);
        parts.push(format!("scope=\"{}\"", oauth.wanted(&scope, writes).join(" ")));
        parts.push(format!("resource_metadata=\"{}\"", metadata_url(oauth, &request.headers)));
    }
    let challenge = match request.uri.path() {
        // A browser asks its user, who gives the token as the password.
        page::PATH => "Basic realm=\"fumi\", charset=\"UTF-8\"".to_owned(),
        _ => format!("Bearer {}", parts.join(", ")),
    };
    let reason = BilingualText::new(reason, ja);
    HttpError::new(StatusCode::UNAUTHORIZED, "UNAUTHENTICATED", &[("reason", &reason)])
        .with_header(header::WWW_AUTHENTICATE, &challenge)
}

/// Returns 403: the principal may not use these toolsets.
pub fn insufficient_scope(
    auth: &Authenticator,
    principal: &Principal,
    wanted: &ToolsetScope,
    headers: &HeaderMap,
) -> HttpError {
    let joined = |names: Vec<&str>| match names.join(", ") {
        names if names.is_empty() => "-".to_owned(),
        names => names,
    };
    let needed = match auth {
        Authenticator::OAuth(oauth) => oauth.needed(wanted),
        _ => wanted.names().collect(),
    };
    let refusal = |needed: String| {
        HttpError::new(
            StatusCode::FORBIDDEN,
            "INSUFFICIENT_SCOPE",
            &[
                ("principal", &principal.name.to_string()),
                ("what", &joined(wanted.names().collect())),
                ("needed", &needed),
                ("has", &joined(principal.scope.names().collect())),
            ],
        )
    };
    let Authenticator::OAuth(oauth) = auth else {
        return refusal(joined(needed));
    };
    let challenge = format!(
        "Bearer realm=\"fumi\", error=\"insufficient_scope\", scope=\"{}\", resource_metadata=\"{}\"",
        needed.join(" "),
        metadata_url(oauth, headers)
    );
    refusal(joined(needed)).with_header(header::WWW_AUTHENTICATE, &challenge)
}

/// Returns the URL of the metadata document. It is built from the configured audience if that is a URL, else from the
/// `Host` header, which an earlier layer has checked.
fn metadata_url(oauth: &OAuthVerifier, headers: &HeaderMap) -> String {
    let audience = oauth.audience().parse::<Uri>().ok();
    let known = audience.as_ref().and_then(|uri| {
        let (scheme, authority) = (uri.scheme_str()?, uri.authority()?);
        Some(format!("{scheme}://{authority}{METADATA}{}", uri.path().trim_end_matches('/')))
    });
    known.unwrap_or_else(|| {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        format!("http://{}{METADATA}", host.unwrap_or("localhost"))
    })
}

/// Serves the metadata document; 404 unless an authorization server is configured.
pub async fn metadata(State(edge): State<Edge>) -> Response {
    let auth = edge.auth.get();
    let Authenticator::OAuth(oauth) = &*auth else {
        return HttpError::new(StatusCode::NOT_FOUND, "NO_SUCH_ROUTE", &[]).into_response();
    };
    Json(json!({
        "resource": oauth.audience(),
        "authorization_servers": [oauth.issuer()],
        "scopes_supported": oauth.scopes().collect::<Vec<_>>(),
        "bearer_methods_supported": ["header"],
        "resource_name": "fumi",
    }))
    .into_response()
}
