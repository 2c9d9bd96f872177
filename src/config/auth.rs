//! Authentication and authorisation: the principals that may call, and their rights.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::IpAddr,
    path::PathBuf,
};

use serde::Deserialize;
use url::Url;

use super::{Config, ConfigError};

/// The signature algorithms that can be configured: those with a public key.
const ALGORITHMS: [&str; 9] = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"];

/// The settings of authentication and authorisation.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuthConfig {
    /// `none` (loopback only), `tokens` or `oauth`.
    pub mode: AuthMode,
    /// The maximum number of calls a minute for one principal, unless its entry sets another. 0: unlimited.
    pub rate_per_minute: u32,
    /// The principals of mode `tokens`.
    #[serde(default)]
    pub tokens: Vec<ConfiguredToken>,
    /// The authorization server of mode `oauth`.
    pub oauth: OAuthConfig,
}

/// The way in which callers authenticate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, fumi_base::Named)]
#[serde(rename_all = "lowercase")]
pub enum AuthMode {
    /// No authentication: any client that reaches the port may call.
    None,
    /// By a token of the list.
    Tokens,
    /// By an access token of an OAuth 2.1 authorization server.
    #[named("oauth")]
    OAuth,
}

/// A principal with a token. `fumi token new` makes one.
// The bounds are repeated in both entries (here and in `SubjectBounds`): serde cannot reject a misspelt key of a
// flattened group, and here a misspelt key would widen the rights of a token.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfiguredToken {
    /// The name of the principal in logs. Unique.
    pub name: String,
    /// The SHA-256 digest of the token, 64 hexadecimal digits. The token itself is stored nowhere.
    pub sha256: String,
    /// The toolsets that the principal may use. Empty: all.
    #[serde(default)]
    pub toolsets: Vec<String>,
    /// The folders that the principal may use, inside the allowed roots, the first being its default. Empty: all.
    #[serde(default)]
    pub roots: Vec<PathBuf>,
    /// True if the principal may only read.
    #[serde(default)]
    pub readonly: bool,
    /// The maximum number of calls a minute; if absent, `auth.rate_per_minute` applies.
    #[serde(default)]
    pub rate_per_minute: Option<u32>,
}

/// An authorization server, and the rights that its tokens grant.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OAuthConfig {
    /// The issuer, exactly as in the claim `iss` of its tokens.
    pub issuer: String,
    /// The claim `aud` of tokens for this server: the URL under which clients know it, such as
    /// `https://fumi.example.com/mcp`.
    pub audience: String,
    /// The URL of the issuer's keys. Empty: discovered at the issuer (RFC 8414, `OpenID` Connect discovery).
    pub jwks_uri: String,
    /// The accepted signature algorithms.
    pub algorithms: Vec<String>,
    /// The scope required for each toolset. A toolset that is not listed requires `fumi:TOOLSET`.
    pub scopes: BTreeMap<String, String>,
    /// The scope required for writing. Empty: every token may write.
    pub write_scope: String,
    /// The number of seconds for which the issuer's keys are cached. An unknown key causes an immediate request, but
    /// not repeatedly.
    pub jwks_seconds: u64,
    /// Narrower bounds for single subjects.
    #[serde(default)]
    pub subjects: Vec<SubjectBounds>,
}

/// The rights of one subject of the authorization server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubjectBounds {
    /// The claim `sub` of its tokens.
    pub subject: String,
    /// The toolsets that the subject may use. Empty: all.
    #[serde(default)]
    pub toolsets: Vec<String>,
    /// The folders that the subject may use, inside the allowed roots, the first being its default. Empty: all.
    #[serde(default)]
    pub roots: Vec<PathBuf>,
    /// True if the subject may only read.
    #[serde(default)]
    pub readonly: bool,
    /// The maximum number of calls a minute; if absent, `auth.rate_per_minute` applies.
    #[serde(default)]
    pub rate_per_minute: Option<u32>,
}

impl AuthConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        match self.mode {
            AuthMode::None if !self.tokens.is_empty() => Err(ConfigError(
                "auth.tokens is set, but auth.mode is \"none\", which allows every caller; set auth.mode = \"tokens\", or remove auth.tokens".to_owned(),
            )),
            AuthMode::None if self.oauth != Config::default().auth.oauth => Err(ConfigError(
                "auth.oauth is set, but auth.mode is \"none\", which allows every caller; set auth.mode = \"oauth\", or remove auth.oauth".to_owned(),
            )),
            AuthMode::None => Ok(()),
            AuthMode::Tokens => self.check_tokens(),
            AuthMode::OAuth if !self.tokens.is_empty() => Err(ConfigError(
                "auth.tokens is set, but auth.mode is \"oauth\", which accepts only access tokens of auth.oauth; remove auth.tokens".to_owned(),
            )),
            AuthMode::OAuth => self.oauth.check(),
        }
    }

    fn check_tokens(&self) -> Result<(), ConfigError> {
        if self.tokens.is_empty() {
            return Err(ConfigError(
                "auth.mode is \"tokens\", but auth.tokens is empty; create a token with `fumi token new`".to_owned(),
            ));
        }
        let (mut names, mut hashes) = (BTreeSet::new(), BTreeSet::new());
        for token in &self.tokens {
            if token.name.is_empty() || !names.insert(&token.name) {
                return Err(ConfigError(format!("auth.tokens: the name {:?} is empty or used twice", token.name)));
            }
            if token.sha256.len() != 64 || !token.sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err(ConfigError(format!(
                    "auth.tokens: sha256 of {:?} is not 64 hexadecimal digits; `fumi token new` prints it",
                    token.name
                )));
            }
            if !hashes.insert(token.sha256.to_ascii_lowercase()) {
                return Err(ConfigError(format!(
                    "auth.tokens: {:?} has the sha256 of an earlier entry, whose rights it would replace; create a token for each with `fumi token new`",
                    token.name
                )));
            }
        }
        Ok(())
    }
}

/// True if the response to a URL cannot be altered on the way: it uses HTTPS, or refers to this machine.
pub fn is_tamperproof_url(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| match url.scheme() {
        "https" => true,
        "http" => is_loopback_url(&url),
        _ => false,
    })
}

/// True if a URL refers to this machine.
pub(super) fn is_loopback_url(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_matches(['[', ']']);
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl OAuthConfig {
    fn check(&self) -> Result<(), ConfigError> {
        for (name, value) in [("issuer", &self.issuer), ("audience", &self.audience)] {
            if value.is_empty() {
                return Err(ConfigError(format!("auth.mode is \"oauth\" but auth.oauth.{name} is empty")));
            }
        }
        for (name, url) in [("issuer", &self.issuer), ("jwks_uri", &self.jwks_uri)] {
            if !url.is_empty() && !is_tamperproof_url(url) {
                return Err(ConfigError(format!(
                    "auth.oauth.{name}: {url:?} is not an https:// URL (http:// is for loopback only): an attacker who alters its responses can forge tokens"
                )));
            }
        }
        if self.algorithms.is_empty() {
            return Err(ConfigError("auth.oauth.algorithms is empty".to_owned()));
        }
        for algorithm in &self.algorithms {
            // Symmetric algorithms would turn a public key into a shared secret; `none` is not a signature.
            if !ALGORITHMS.contains(&algorithm.as_str()) {
                return Err(ConfigError(format!(
                    "auth.oauth.algorithms: {algorithm:?} is not one of {}",
                    ALGORITHMS.join(", ")
                )));
            }
        }
        Ok(())
    }
}
