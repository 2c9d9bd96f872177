//! fumi as an OAuth 2.1 resource server: access tokens are JSON Web Tokens (RFC 9068) of one issuer.
//!
//! A token is accepted if one of the issuer's keys signed it with an accepted algorithm, it is meant for this server
//! (`aud`), is of this issuer (`iss`), names a subject and is valid now (`exp`, `nbf`, with a minute of clock skew).
//! Its scopes become toolsets. Opaque tokens and introspection are not supported.

use std::{
    collections::HashMap,
    str::FromStr as _,
    sync::Arc,
    time::{Duration, SystemTime},
};

use fumi_base::roots::AllowedRoots;
use fumi_config::ConfigError;
use fumi_kernel::catalogue::ToolsetScope;
use jsonwebtoken::{
    Algorithm, DecodingKey, Validation, decode, decode_header,
    jwk::{Jwk, PublicKeyUse},
};
use moka::sync::Cache;
use serde::Deserialize;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{AuthError, LimitContext, Principal, PrincipalRate, keys::IssuerKeys};

/// The tolerated clock skew between the issuer and this server, in seconds.
const SKEW: u64 = 60;
/// The number of subjects whose rate is counted, and the time until the count of an idle one is forgotten. That time is longer
/// than the minute over which requests are counted, so that a caller gains nothing by being forgotten.
const SUBJECTS: u64 = 10_000;
const REMEMBERED: Duration = Duration::from_mins(10);

/// The error for a token without `sub`.
const NO_SUBJECT: AuthError = AuthError::Invalid("it names no subject (sub)", "主体（sub）がありません");

/// The configured resource server.
#[derive(Debug)]
pub struct OAuthVerifier {
    config: fumi_config::AuthConfig,
    gone: CancellationToken,
    keys: Arc<IssuerKeys>,
    issuer: String,
    audience: String,
    algorithms: Vec<Algorithm>,
    /// Each toolset with the OAuth scope that it needs.
    scopes: Vec<(ToolsetScope, String)>,
    write_scope: String,
    rate_per_minute: u32,
    subjects: HashMap<String, SubjectLimits>,
    rates: Cache<String, Option<Arc<PrincipalRate>>>,
}

/// The configured limits of one subject.
#[derive(Debug)]
struct SubjectLimits {
    scope: ToolsetScope,
    roots: Option<Arc<AllowedRoots>>,
    readonly: bool,
    rate_per_minute: u32,
}

/// The claims that are read from a token. The others are validated before.
#[derive(Debug, Deserialize)]
struct Claims {
    #[serde(default)]
    sub: String,
    /// The expiry, in seconds since 1970.
    #[serde(default)]
    exp: f64,
    /// The granted scopes; in RFC 9068 one string, separated by spaces.
    #[serde(default)]
    scope: ScopeClaim,
    /// The claim that some issuers use instead of `scope`.
    #[serde(default)]
    scp: ScopeClaim,
}

#[derive(Debug, Default, Deserialize)]
#[serde(untagged)]
enum ScopeClaim {
    #[default]
    None,
    One(String),
    Many(Vec<String>),
}

impl ScopeClaim {
    fn all(&self) -> Vec<&str> {
        match self {
            Self::None => Vec::new(),
            Self::One(scopes) => scopes.split_whitespace().collect(),
            Self::Many(scopes) => scopes.iter().map(String::as_str).collect(),
        }
    }
}

impl Claims {
    fn scopes(&self) -> Vec<&str> {
        [self.scope.all(), self.scp.all()].concat()
    }
}

impl OAuthVerifier {
    pub(super) fn open(auth: &fumi_config::AuthConfig, allowed: LimitContext<'_>) -> Result<Self, ConfigError> {
        let config = &auth.oauth;
        let keys = IssuerKeys::new(&config.issuer, &config.jwks_uri, Duration::from_secs(config.jwks_seconds));
        let keys = keys.map_err(|error| ConfigError(format!("auth.oauth: {error}")))?;
        let algorithms = config.algorithms.iter().map(|name| Algorithm::from_str(name));
        let algorithms = algorithms.collect::<Result<_, _>>();
        let known = allowed.catalogue.toolsets();
        if let Some(unknown) = config.scopes.keys().find(|name| !known.contains(name.as_str())) {
            return Err(ConfigError(format!("auth.oauth.scopes: unknown toolset {unknown}")));
        }
        let scopes = known.iter().map(|toolset| {
            let needed = config.scopes.get(*toolset).cloned();
            let scope = allowed.scope("auth.oauth.scopes", &[(*toolset).to_owned()])?;
            Ok((scope, needed.unwrap_or_else(|| format!("fumi:{toolset}"))))
        });
        let subjects = config.subjects.iter().map(|subject| {
            let entry = format!("auth.oauth.subjects {:?}", subject.subject);
            let bounds = SubjectLimits {
                scope: allowed.scope(&entry, &subject.toolsets)?,
                roots: allowed.roots(&entry, &subject.roots)?,
                readonly: subject.readonly,
                rate_per_minute: subject.rate_per_minute.unwrap_or(allowed.rate_per_minute),
            };
            Ok((subject.subject.clone(), bounds))
        });
        Ok(Self {
            config: auth.clone(),
            gone: CancellationToken::new(),
            keys: Arc::new(keys),
            issuer: config.issuer.clone(),
            audience: config.audience.clone(),
            algorithms: algorithms.map_err(|error| ConfigError(format!("auth.oauth.algorithms: {error}")))?,
            scopes: scopes.collect::<Result<_, ConfigError>>()?,
            write_scope: config.write_scope.clone(),
            rate_per_minute: allowed.rate_per_minute,
            subjects: subjects.collect::<Result<_, ConfigError>>()?,
            rates: Cache::builder().max_capacity(SUBJECTS).time_to_idle(REMEMBERED).build(),
        })
    }

    /// Returns the principal of a token, limited to the scopes of the token.
    pub async fn principal(&self, token: &str) -> Result<Arc<Principal>, AuthError> {
        let claims = self.check(token).await?;
        let bounds = self.subjects.get(&claims.sub);
        let granted = claims.scopes();
        let mut scope = ToolsetScope::default();
        for (toolset, needed) in &self.scopes {
            if granted.contains(&needed.as_str()) {
                scope = scope.or(toolset);
            }
        }
        let may_write = self.write_scope.is_empty() || granted.contains(&self.write_scope.as_str());
        let per_minute = bounds.map_or(self.rate_per_minute, |bounds| bounds.rate_per_minute);
        let rate = self.rates.get_with_by_ref(&claims.sub, || PrincipalRate::new(per_minute).map(Arc::new));
        Ok(Arc::new(Principal {
            name: Arc::from(claims.sub),
            scope: bounds.map_or_else(|| scope.clone(), |bounds| scope.and(&bounds.scope)),
            readonly: !may_write || bounds.is_some_and(|bounds| bounds.readonly),
            roots: bounds.and_then(|bounds| bounds.roots.clone()),
            rate,
            end: end_of(claims.exp),
            revoked: self.gone.clone(),
        }))
    }

    /// True if this verifier was built from this configuration.
    pub(super) fn is_of(&self, config: &fumi_config::AuthConfig) -> bool {
        self.config == *config
    }

    /// Ends the streams of all subjects.
    pub(super) fn end_streams(&self) {
        self.gone.cancel();
    }

    async fn check(&self, token: &str) -> Result<Claims, AuthError> {
        let malformed =
            AuthError::Invalid("the token is not a signed JSON Web Token", "署名付きの JSON Web Token ではありません");
        let header = decode_header(token).map_err(|_| malformed)?;
        // Also rejects "none", which the library does not know as an algorithm.
        if !self.algorithms.contains(&header.alg) {
            return Err(AuthError::Invalid(
                "its signature algorithm is not accepted",
                "署名アルゴリズムが許可されていません",
            ));
        }
        let mut wanted = Validation::new(header.alg);
        wanted.leeway = SKEW;
        wanted.validate_nbf = true;
        wanted.set_issuer(&[&self.issuer]);
        wanted.set_audience(&[&self.audience]);
        wanted.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        let keys = self.keys.candidates(header.kid.as_deref()).await;
        let mut refused = AuthError::Invalid("no key of the issuer signed it", "発行者の鍵で署名されていません");
        for key in keys.map_err(|_| AuthError::Unavailable)?.iter().filter(|key| signs(key, header.alg)) {
            let Ok(key) = DecodingKey::from_jwk(key) else { continue };
            match decode::<Claims>(token, &key, &wanted) {
                Ok(token) if !token.claims.sub.is_empty() => return Ok(token.claims),
                Ok(_) => refused = NO_SUBJECT,
                Err(error) => refused = reason(&error, refused),
            }
        }
        Err(refused)
    }

    /// Returns the OAuth scopes that these toolsets need.
    pub fn needed(&self, scope: &ToolsetScope) -> Vec<&str> {
        let needs = self.scopes.iter().filter(|(toolset, _)| !toolset.and(scope).is_empty());
        needs.map(|(_, needed)| needed.as_str()).collect()
    }

    /// Returns the OAuth scopes for these toolsets, and the write scope if `writes`.
    pub fn wanted(&self, scope: &ToolsetScope, writes: bool) -> Vec<&str> {
        let write = Some(self.write_scope.as_str()).filter(|scope| writes && !scope.is_empty());
        self.needed(scope).into_iter().chain(write).collect()
    }

    /// Returns all supported OAuth scopes.
    pub fn scopes(&self) -> impl Iterator<Item = &str> {
        let write = Some(self.write_scope.as_str()).filter(|scope| !scope.is_empty());
        self.scopes.iter().map(|(_, scope)| scope.as_str()).chain(write)
    }

    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Returns this server's identifier in the `aud` claim of tokens.
    pub fn audience(&self) -> &str {
        &self.audience
    }
}

/// Returns the end of a token's validity. Returns `None` if the time is not representable.
fn end_of(exp: f64) -> Option<Instant> {
    let end = SystemTime::UNIX_EPOCH.checked_add(Duration::try_from_secs_f64(exp + SKEW as f64).ok()?)?;
    let left = end.duration_since(SystemTime::now()).unwrap_or_default();
    Instant::now().checked_add(left)
}

/// True if a key may sign with an algorithm. Keys declared for encryption may not.
fn signs(key: &Jwk, algorithm: Algorithm) -> bool {
    let for_signing = !matches!(key.common.public_key_use, Some(PublicKeyUse::Encryption));
    let fits = key.common.key_algorithm.is_none_or(|own| own.to_string() == format!("{algorithm:?}"));
    for_signing && fits
}

fn reason(error: &jsonwebtoken::errors::Error, otherwise: AuthError) -> AuthError {
    use jsonwebtoken::errors::ErrorKind;
    match error.kind() {
        ErrorKind::ExpiredSignature => AuthError::Invalid("it has expired", "有効期限が切れています"),
        ErrorKind::ImmatureSignature => AuthError::Invalid("it is not valid yet", "まだ有効になっていません"),
        ErrorKind::InvalidAudience => {
            AuthError::Invalid("it is meant for another server (aud)", "別のサーバー向けのトークンです（aud）")
        }
        ErrorKind::InvalidIssuer => AuthError::Invalid("it is from another issuer (iss)", "発行者が違います（iss）"),
        ErrorKind::MissingRequiredClaim(claim) if claim == "sub" => NO_SUBJECT,
        // Claims are parsed after the signature was verified.
        ErrorKind::Json(_) => AuthError::Invalid(
            "one of its claims has the wrong type (sub is text, exp a number, scope and scp text or a list of texts)",
            "クレームの型が違います（sub は文字列、exp は数値、scope と scp は文字列か文字列の配列）",
        ),
        ErrorKind::MissingRequiredClaim(_) => {
            AuthError::Invalid("it lacks one of exp, iss, aud, sub", "exp、iss、aud、sub のいずれかがありません")
        }
        _ => otherwise,
    }
}
