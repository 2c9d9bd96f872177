//! Who may call, and what.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::IpAddr,
    path::PathBuf,
};

use reqwest::Url;
use serde::{Deserialize, Serialize};

use super::ConfigError;

/// Signature algorithms that can be configured: those with a public key.
const ALGORITHMS: [&str; 9] = [
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA",
];

/// Who may call, and what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Auth {
    /// `none` (loopback only), `tokens` or `oauth`.
    pub mode: AuthMode,
    /// Calls a minute that one principal may make, unless its entry says otherwise. 0: as many as it likes.
    pub rate_per_minute: u32,
    /// The principals of mode `tokens`.
    pub tokens: Vec<Token>,
    /// The authorization server of mode `oauth`.
    pub oauth: OAuth,
}

impl Default for Auth {
    fn default() -> Self {
        Self {
            mode: AuthMode::None,
            rate_per_minute: 600,
            tokens: Vec::new(),
            oauth: OAuth::default(),
        }
    }
}

/// How callers prove who they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AuthMode {
    /// Not at all: whoever reaches the port may call.
    None,
    /// By a token of the list.
    Tokens,
    /// By an access token of an OAuth 2.1 authorization server.
    OAuth,
}

impl AuthMode {
    /// As the configuration writes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Tokens => "tokens",
            Self::OAuth => "oauth",
        }
    }
}

/// A principal with a token. `fumi token new` makes one.
// The bounds stand in each of the two entries: serde cannot refuse a misspelt key of a flattened group, and here one
// would widen what a token may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// How logs call it. Unique.
    pub name: String,
    /// SHA-256 of the token, 64 hexadecimal digits. The token itself is written nowhere.
    pub sha256: String,
    /// Its toolsets. Empty: all.
    #[serde(default)]
    pub toolsets: Vec<String>,
    /// Its folders, inside the allowed roots, the first being its default. Empty: all.
    #[serde(default)]
    pub roots: Vec<PathBuf>,
    /// Whether it may only read.
    #[serde(default)]
    pub readonly: bool,
    /// Its calls a minute; without, `auth.rate_per_minute`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_minute: Option<u32>,
}

/// An authorization server, and what its tokens allow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OAuth {
    /// The issuer, exactly as its tokens say it in `iss`.
    pub issuer: String,
    /// What tokens for this server say in `aud`: the URL under which clients know it, such as `https://fumi.example.com/mcp`.
    pub audience: String,
    /// Where the issuer's keys are. Empty: asked of the issuer (RFC 8414, `OpenID` Connect discovery).
    pub jwks_uri: String,
    /// Accepted signature algorithms.
    pub algorithms: Vec<String>,
    /// The scope that each toolset needs. One that is not named needs `fumi:TOOLSET`.
    pub scopes: BTreeMap<String, String>,
    /// The scope without which a token may only read. Empty: every token may write.
    pub write_scope: String,
    /// Seconds for which the issuer's keys are kept. An unknown key is asked for at once, but not again and again.
    pub jwks_seconds: u64,
    /// Narrower bounds for single subjects.
    pub subjects: Vec<Subject>,
}

impl Default for OAuth {
    fn default() -> Self {
        Self {
            issuer: String::new(),
            audience: String::new(),
            jwks_uri: String::new(),
            algorithms: ["RS256", "PS256", "ES256", "EdDSA"].map(str::to_owned).to_vec(),
            scopes: BTreeMap::new(),
            write_scope: String::new(),
            jwks_seconds: 600,
            subjects: Vec::new(),
        }
    }
}

/// What one subject of the authorization server may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// The `sub` of its tokens.
    pub subject: String,
    /// Its toolsets. Empty: all.
    #[serde(default)]
    pub toolsets: Vec<String>,
    /// Its folders, inside the allowed roots, the first being its default. Empty: all.
    #[serde(default)]
    pub roots: Vec<PathBuf>,
    /// Whether it may only read.
    #[serde(default)]
    pub readonly: bool,
    /// Its calls a minute; without, `auth.rate_per_minute`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_minute: Option<u32>,
}

impl Auth {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        match self.mode {
            AuthMode::None if !self.tokens.is_empty() => Err(ConfigError(
                "auth.tokens says who may call, but auth.mode is \"none\", which lets everybody in; set auth.mode = \"tokens\", or take the tokens out".to_owned(),
            )),
            AuthMode::None if self.oauth != OAuth::default() => Err(ConfigError(
                "auth.oauth says who may call, but auth.mode is \"none\", which lets everybody in; set auth.mode = \"oauth\", or take auth.oauth out".to_owned(),
            )),
            AuthMode::None => Ok(()),
            AuthMode::Tokens => self.check_tokens(),
            AuthMode::OAuth if !self.tokens.is_empty() => Err(ConfigError(
                "auth.tokens stands beside auth.mode = \"oauth\", which takes access tokens of auth.oauth only; take the tokens out".to_owned(),
            )),
            AuthMode::OAuth => self.oauth.check(),
        }
    }

    fn check_tokens(&self) -> Result<(), ConfigError> {
        if self.tokens.is_empty() {
            return Err(ConfigError(
                "auth.mode is \"tokens\" but there are none; make one with `fumi token new`".to_owned(),
            ));
        }
        let mut names = BTreeSet::new();
        for token in &self.tokens {
            if token.name.is_empty() || !names.insert(&token.name) {
                return Err(ConfigError(format!(
                    "auth.tokens: the name {:?} is empty or used twice",
                    token.name
                )));
            }
            if token.sha256.len() != 64 || !token.sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err(ConfigError(format!(
                    "auth.tokens: sha256 of {:?} is not 64 hexadecimal digits; `fumi token new` prints it",
                    token.name
                )));
            }
        }
        Ok(())
    }
}

/// True if nobody on the way can change what a URL answers: HTTPS, or this machine.
#[must_use]
pub fn is_confidential(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| match url.scheme() {
        "https" => true,
        "http" => is_here(&url),
        _ => false,
    })
}

/// True if a URL is of this machine.
#[must_use]
pub(super) fn is_here(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_matches(['[', ']']);
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl OAuth {
    fn check(&self) -> Result<(), ConfigError> {
        for (name, value) in [("issuer", &self.issuer), ("audience", &self.audience)] {
            if value.is_empty() {
                return Err(ConfigError(format!(
                    "auth.mode is \"oauth\" but auth.oauth.{name} is empty"
                )));
            }
        }
        for (name, url) in [("issuer", &self.issuer), ("jwks_uri", &self.jwks_uri)] {
            if !url.is_empty() && !is_confidential(url) {
                return Err(ConfigError(format!(
                    "auth.oauth.{name}: {url:?} is no https:// URL (http:// is for loopback only): whoever can change what it answers can make tokens"
                )));
            }
        }
        if self.algorithms.is_empty() {
            return Err(ConfigError("auth.oauth.algorithms is empty".to_owned()));
        }
        for algorithm in &self.algorithms {
            // Symmetric ones would turn a public key into a shared secret; `none` is no signature.
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
