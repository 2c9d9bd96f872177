//! Authentication: from the `Authorization` header to a [`Principal`].
//!
//! Every route except the probes and the metadata of the protected resource requires it before any look-up, so that a
//! request without a token learns nothing, not even what exists. A token is checked and dropped: it is not logged, not
//! stored and not passed on. The access of a principal to a URL is decided in [`super::access`].

pub mod challenge;
pub mod keys;
pub mod oauth;
pub mod rate_limit;
mod shared_rate;
pub mod stream_expiry;
pub mod tokens;

use std::sync::Arc;

use axum::http::{HeaderMap, header, request::Parts};
use fumi_base::{roots::AllowedRoots, store::Store};
use fumi_config::{AuthMode, ConfigError};
use fumi_kernel::{
    catalogue::{Catalogue, ToolsetScope},
    metrics::RefusalReason,
};
use rate_limit::{PrincipalRate, RateLimitError};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{health, http_error::HttpError, page, router::Edge};
use crate::app::App;

/// An authenticated caller and its limits.
#[derive(Debug)]
pub struct Principal {
    /// The name in logs; empty without authentication.
    pub name: Arc<str>,
    /// The toolsets that it may use.
    pub scope: ToolsetScope,
    /// True if it may only read.
    pub readonly: bool,
    /// The allowed roots of this principal; `None` means all.
    pub roots: Option<Arc<AllowedRoots>>,
    rate: Option<Arc<PrincipalRate>>,
    /// The expiry of its access token, clock skew included.
    end: Option<Instant>,
    /// Cancelled when a new configuration removes or changes this principal.
    pub revoked: CancellationToken,
}

impl Principal {
    /// Returns the principal of every caller when authentication is off.
    pub fn anonymous(scope: ToolsetScope) -> Self {
        Self {
            name: Arc::default(),
            scope,
            readonly: false,
            roots: None,
            rate: None,
            end: None,
            revoked: CancellationToken::new(),
        }
    }

    /// Counts one call against the rate limit of this principal, if it has one.
    pub async fn count(&self, replicas: Option<&dyn Store>) -> Result<(), RateLimitError> {
        match &self.rate {
            Some(rate) => rate.count(&self.name, replicas).await,
            None => Ok(()),
        }
    }
}

/// The configured limits of one principal, without its name.
#[derive(Clone, Copy, Debug)]
struct PrincipalLimits<'a> {
    /// The entry of the configuration, for error messages.
    entry: &'a str,
    toolsets: &'a [String],
    roots: &'a [std::path::PathBuf],
    readonly: bool,
    rate_per_minute: Option<u32>,
}

/// The values that configured limits are checked against.
#[derive(Clone, Copy, Debug)]
struct LimitContext<'a> {
    catalogue: &'a Catalogue,
    roots: &'a AllowedRoots,
    rate_per_minute: u32,
}

impl LimitContext<'_> {
    fn scope(&self, entry: &str, toolsets: &[String]) -> Result<ToolsetScope, ConfigError> {
        let known = self.catalogue.toolsets();
        let names: Vec<&str> = if toolsets.is_empty() {
            known.iter().copied().collect()
        } else {
            toolsets.iter().map(String::as_str).collect()
        };
        self.catalogue.scope(names).map_err(|unknown| {
            ConfigError(format!(
                "{entry}: unknown toolset {}; this build has {}",
                unknown.join(", "),
                known.into_iter().collect::<Vec<_>>().join(", ")
            ))
        })
    }

    fn roots(&self, entry: &str, roots: &[std::path::PathBuf]) -> Result<Option<Arc<AllowedRoots>>, ConfigError> {
        let absolute: Vec<_> = roots.iter().map(|root| root.canonicalize().unwrap_or_else(|_| root.clone())).collect();
        let narrowed = self.roots.narrowed(&absolute);
        let narrowed =
            narrowed.map_err(|error| ConfigError(format!("{entry}: the root {}: {}", error.path, error.reason.0)))?;
        Ok(narrowed.map(Arc::new))
    }

    fn principal(&self, name: &str, bounds: PrincipalLimits<'_>) -> Result<Principal, ConfigError> {
        Ok(Principal {
            name: Arc::from(name),
            scope: self.scope(bounds.entry, bounds.toolsets)?,
            readonly: bounds.readonly,
            roots: self.roots(bounds.entry, bounds.roots)?,
            rate: PrincipalRate::new(bounds.rate_per_minute.unwrap_or(self.rate_per_minute)).map(Arc::new),
            end: None,
            revoked: CancellationToken::new(),
        })
    }
}

/// The error of a failed authentication. Reasons are in English and Japanese.
#[derive(Debug)]
pub enum AuthError {
    /// No token, or a malformed `Authorization` header.
    Missing(&'static str, &'static str),
    /// A token that is not accepted.
    Invalid(&'static str, &'static str),
    /// The token cannot be checked now.
    Unavailable,
}

impl AuthError {
    /// Returns the reason in English, for the log.
    const fn reason(&self) -> &'static str {
        match self {
            Self::Missing(reason, _) | Self::Invalid(reason, _) => reason,
            Self::Unavailable => "the authorization server is unavailable",
        }
    }
}

/// The configured method of authentication.
#[derive(Debug)]
pub enum Authenticator {
    /// Off: every caller is the same principal.
    Disabled(Arc<Principal>),
    /// A token of the configured list.
    Tokens(tokens::StaticTokens),
    /// An access token of an authorization server.
    OAuth(Arc<oauth::OAuthVerifier>),
}

impl Authenticator {
    /// Builds it from the configuration.
    pub fn open(config: &fumi_config::AuthConfig, app: &App) -> Result<Self, ConfigError> {
        Self::open_after(None, config, app)
    }

    /// Builds it again from a new configuration. Unchanged principals stay the same objects and keep their rate limits.
    pub fn reopen(&self, config: &fumi_config::AuthConfig, app: &App) -> Result<Self, ConfigError> {
        Self::open_after(Some(self), config, app)
    }

    fn open_after(before: Option<&Self>, config: &fumi_config::AuthConfig, app: &App) -> Result<Self, ConfigError> {
        let allowed = LimitContext {
            catalogue: &app.catalogue,
            roots: &app.kernel.roots,
            rate_per_minute: config.rate_per_minute,
        };
        Ok(match (config.mode, before) {
            (AuthMode::None, Some(Self::Disabled(anybody))) => Self::Disabled(Arc::clone(anybody)),
            (AuthMode::None, _) => Self::Disabled(Arc::new(Principal::anonymous(app.scope.clone()))),
            (AuthMode::Tokens, before) => {
                let before = match before {
                    Some(Self::Tokens(before)) => before.entries(),
                    _ => &[],
                };
                Self::Tokens(tokens::StaticTokens::open(&config.tokens, allowed, before)?)
            }
            (AuthMode::OAuth, Some(Self::OAuth(oauth))) if oauth.is_of(config) => Self::OAuth(Arc::clone(oauth)),
            (AuthMode::OAuth, _) => Self::OAuth(Arc::new(oauth::OAuthVerifier::open(config, allowed)?)),
        })
    }

    /// Ends the streams of all principals that `now` lacks or has changed.
    pub fn end_streams(&self, now: &Self) {
        match (self, now) {
            (Self::Disabled(own), Self::Disabled(now)) if Arc::ptr_eq(own, now) => {}
            (Self::OAuth(own), Self::OAuth(now)) if Arc::ptr_eq(own, now) => {}
            (Self::Disabled(own), _) => own.revoked.cancel(),
            (Self::OAuth(own), _) => own.end_streams(),
            (Self::Tokens(own), Self::Tokens(now)) => own.end_streams(now.entries()),
            (Self::Tokens(own), _) => own.end_streams(&[]),
        }
    }

    /// Returns the principal of a request with these headers.
    pub async fn principal(&self, headers: &HeaderMap) -> Result<Arc<Principal>, AuthError> {
        match self {
            Self::Disabled(anybody) => Ok(Arc::clone(anybody)),
            Self::Tokens(tokens) => tokens.principal(bearer(headers)?),
            Self::OAuth(oauth) => oauth.principal(bearer(headers)?).await,
        }
    }
}

/// Returns the token of a request. Tokens elsewhere (in the URL) are ignored: URLs are logged.
fn bearer(headers: &HeaderMap) -> Result<&str, AuthError> {
    let mut all = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = all.next() else {
        return Err(AuthError::Missing("the Authorization header is missing", "Authorization ヘッダーがありません"));
    };
    let token = value
        .to_str()
        .ok()
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| token.trim())
        .filter(|token| !token.is_empty());
    match (token, all.next()) {
        (Some(token), None) => Ok(token),
        _ => Err(AuthError::Missing(
            "the Authorization header is not one \"Bearer TOKEN\"",
            "Authorization ヘッダーが「Bearer トークン」の形になっていません",
        )),
    }
}

/// Puts the [`Principal`] into the request's extensions, or refuses the request.
pub async fn authenticate(edge: &Edge, parts: &mut Parts) -> Result<(), HttpError> {
    let path = parts.uri.path();
    if health::is_probe(path) || path.starts_with(challenge::METADATA) {
        return Ok(());
    }
    if path == page::PATH {
        page::take_token(&mut parts.headers);
    }
    let auth = edge.auth.get();
    match auth.principal(&parts.headers).await {
        Ok(principal) => {
            parts.extensions.insert(principal);
            Ok(())
        }
        Err(denied) => {
            edge.app.kernel.metrics.refused(RefusalReason::Auth);
            tracing::info!(target: "fumi::audit", reason = denied.reason(), "refused: not authenticated");
            Err(challenge::unauthenticated(&edge.app, &auth, &denied, parts))
        }
    }
}
