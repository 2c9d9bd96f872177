//! The keys of an authorization server: fetched, cached, and fetched again when a token names an unknown key.
//!
//! Invariant: a token whose key is cached never waits for the authorization server; keys that are too old are refreshed
//! in the background. Keys rotate: a token with an unknown key id waits for one fetch of bounded time, which all such
//! tokens share. Fetches are limited to a burst of a few and then one every ten seconds, so that invented key ids do
//! not flood the authorization server. While that server is unreachable, cached keys stay valid.

use std::{
    num::NonZeroU32,
    sync::Arc,
    time::{Duration, Instant},
};

use fumi_base::errors::with_causes;
use fumi_config::is_tamperproof_url;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use jsonwebtoken::jwk::{Jwk, JwkSet};
use parking_lot::{Mutex, MutexGuard};
use serde::Deserialize;
use tokio::{sync::watch, time::timeout};

/// The limits of fetches: per minute, and in one burst.
const A_MINUTE: NonZeroU32 = NonZeroU32::new(6).expect("six");
const AT_ONCE: NonZeroU32 = NonZeroU32::new(3).expect("three");
/// The timeout of all requests of one fetch.
const PATIENCE: Duration = Duration::from_secs(5);
/// The largest document that is read, in bytes; a key set has a few thousand.
const LARGEST: usize = 1 << 20;
/// The paths of an issuer's metadata documents: RFC 8414, then `OpenID` Connect discovery.
const DISCOVERY: [&str; 2] = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];

/// The cached keys of one issuer.
#[derive(Debug)]
pub struct IssuerKeys {
    issuer: String,
    jwks_uri: String,
    keep: Duration,
    http: reqwest::Client,
    asking: DefaultDirectRateLimiter,
    /// Locked for a few instructions, never across an `.await`.
    state: Mutex<KeyCacheState>,
}

#[derive(Debug, Default)]
struct KeyCacheState {
    known: Arc<[Jwk]>,
    fetched: Option<Instant>,
    /// The last fetch. Its channel closes when the fetch is over.
    fetch: Option<watch::Receiver<()>>,
}

/// The authorization server does not return its keys, and none are cached.
#[derive(Debug, thiserror::Error)]
#[error("no keys are available")]
pub struct NoKeys;

impl IssuerKeys {
    /// Creates an empty cache; the first token starts the first fetch. Fails if TLS cannot be set up.
    pub fn new(issuer: &str, jwks_uri: &str, keep: Duration) -> Result<Self, reqwest::Error> {
        let http = reqwest::Client::builder()
            .timeout(PATIENCE)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("fumi/", env!("CARGO_PKG_VERSION")))
            .build()?;
        let quota = Quota::per_minute(A_MINUTE).allow_burst(AT_ONCE);
        Ok(Self {
            issuer: issuer.to_owned(),
            jwks_uri: jwks_uri.to_owned(),
            keep,
            http,
            asking: RateLimiter::direct(quota),
            state: Mutex::default(),
        })
    }

    /// Returns the keys that may have signed a token with this key id: the key with that id, or all if the token names
    /// none.
    pub async fn candidates(self: &Arc<Self>, kid: Option<&str>) -> Result<Vec<Jwk>, NoKeys> {
        let found = self.known(kid);
        if found.is_empty() {
            if let Some(mut fetch) = self.refresh() {
                // Ends with an error, because nothing is ever sent.
                let _ = fetch.changed().await;
            }
        } else {
            if self.is_old() {
                self.refresh();
            }
            return Ok(found);
        }
        if self.state().known.is_empty() {
            return Err(NoKeys);
        }
        Ok(self.known(kid))
    }

    fn known(&self, kid: Option<&str>) -> Vec<Jwk> {
        let fits = |key: &&Jwk| kid.is_none_or(|kid| key.common.key_id.as_deref() == Some(kid));
        self.state().known.iter().filter(fits).cloned().collect()
    }

    fn is_old(&self) -> bool {
        let fetched = self.state().fetched;
        fetched.is_none_or(|fetched| fetched.elapsed() >= self.keep)
    }

    fn state(&self) -> MutexGuard<'_, KeyCacheState> {
        self.state.lock()
    }

    /// Returns the running fetch, or starts one. Returns `None` if the rate limit of fetches is reached.
    fn refresh(self: &Arc<Self>) -> Option<watch::Receiver<()>> {
        let mut state = self.state();
        if let Some(fetch) = state.fetch.as_ref().filter(|fetch| fetch.has_changed().is_ok()) {
            return Some(fetch.clone());
        }
        self.asking.check().ok()?;
        let (under_way, fetch) = watch::channel(());
        state.fetch = Some(fetch.clone());
        let own = Arc::clone(self);
        // A task of its own: several requests wait for it, and the first of them may be disconnected.
        tokio::spawn(async move {
            match timeout(PATIENCE, own.fetch()).await.unwrap_or(Err(FetchError::Late)) {
                Ok(keys) => {
                    let mut state = own.state();
                    state.known = keys;
                    state.fetched = Some(Instant::now());
                }
                Err(error) => {
                    let error = with_causes(&error);
                    tracing::warn!(issuer = own.issuer, error, "the keys of the authorization server cannot be read");
                }
            }
            drop(under_way);
        });
        Some(fetch)
    }

    async fn fetch(&self) -> Result<Arc<[Jwk]>, FetchError> {
        let uri = if self.jwks_uri.is_empty() { self.discover().await? } else { self.jwks_uri.clone() };
        let set: JwkSet = self.get(&uri).await?;
        Ok(set.keys.into())
    }

    async fn discover(&self) -> Result<String, FetchError> {
        #[derive(Deserialize)]
        struct Metadata {
            issuer: String,
            jwks_uri: String,
        }
        let mut last = FetchError::Empty;
        for path in DISCOVERY {
            match self.get::<Metadata>(&well_known(&self.issuer, path)).await {
                // RFC 8414, 3.3: a document of another issuer must not be used.
                Ok(metadata) if metadata.issuer == self.issuer => {
                    return if is_tamperproof_url(&metadata.jwks_uri) {
                        Ok(metadata.jwks_uri)
                    } else {
                        Err(FetchError::Open(metadata.jwks_uri))
                    };
                }
                Ok(metadata) => last = FetchError::OtherIssuer(metadata.issuer),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    async fn get<T: serde::de::DeserializeOwned>(&self, uri: &str) -> Result<T, FetchError> {
        let mut response = self.http.get(uri).send().await?.error_for_status()?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            body.extend_from_slice(&chunk);
            if body.len() > LARGEST {
                return Err(FetchError::TooLarge);
            }
        }
        Ok(serde_json::from_slice(&body)?)
    }
}

/// Returns the URL of a metadata document. RFC 8414 appends the issuer's path to the well-known path, `OpenID` Connect
/// prepends it.
fn well_known(issuer: &str, path: &str) -> String {
    let issuer = issuer.trim_end_matches('/');
    let scheme = issuer.find("://").map_or(0, |at| at + 3);
    match issuer[scheme..].find('/') {
        Some(slash) if path == DISCOVERY[0] => {
            let (host, rest) = issuer.split_at(scheme + slash);
            format!("{host}{path}{rest}")
        }
        _ => format!("{issuer}{path}"),
    }
}

/// An error of a fetch; for the log.
#[derive(Debug, thiserror::Error)]
enum FetchError {
    #[error(transparent)]
    Http(#[from] reqwest::Error),
    #[error("the response is not a valid document: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the response is too large")]
    TooLarge,
    #[error("the document belongs to the issuer {0}")]
    OtherIssuer(String),
    #[error("the issuer's jwks_uri {0} is not an https:// URL")]
    Open(String),
    #[error("no answer within {} s", PATIENCE.as_secs())]
    Late,
    #[error("no document")]
    Empty,
}

#[cfg(test)]
mod tests {
    use super::{DISCOVERY, well_known};

    #[test]
    fn documents_of_an_issuer_with_a_path() {
        let [oauth, openid] = DISCOVERY;
        for (issuer, path, expected) in [
            ("https://a.example", oauth, "https://a.example/.well-known/oauth-authorization-server"),
            ("https://a.example/", openid, "https://a.example/.well-known/openid-configuration"),
            ("https://a.example/t/1", oauth, "https://a.example/.well-known/oauth-authorization-server/t/1"),
            ("https://a.example/t/1", openid, "https://a.example/t/1/.well-known/openid-configuration"),
        ] {
            assert_eq!(well_known(issuer, path), expected);
        }
    }
}
