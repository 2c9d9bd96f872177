//! The cookies of a session.

use schemars::JsonSchema;
use serde::Serialize;

use crate::devtools::protocol::storage;

/// A cookie.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cookie {
    /// Name.
    pub name: String,
    /// Value.
    pub value: String,
    /// Domain; with a dot in front it holds for subdomains too.
    pub domain: String,
    /// Path.
    pub path: String,
    /// Seconds since 1970; absent for one that ends with the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<f64>,
    /// Not for scripts.
    pub http_only: bool,
    /// Only over HTTPS.
    pub secure: bool,
    /// What it is sent with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_site: Option<String>,
}

/// A cookie to set. Without `url` and `domain` it is of the current page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewCookie {
    /// Name.
    pub name: String,
    /// Value.
    pub value: String,
    /// A URL that gives domain, path and scheme where they are missing.
    pub url: Option<String>,
    /// Domain.
    pub domain: Option<String>,
    /// Path.
    pub path: Option<String>,
    /// Seconds since 1970; absent for one that ends with the session.
    pub expires: Option<f64>,
    /// Not for scripts.
    pub http_only: Option<bool>,
    /// Only over HTTPS.
    pub secure: Option<bool>,
    /// What it is sent with.
    pub same_site: Option<SameSite>,
}

/// What a cookie is sent with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SameSite {
    /// Requests of its own site.
    Strict,
    /// Those, and navigations from others.
    Lax,
    /// All requests.
    None,
}

/// Which cookies are meant; what is absent matches all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CookieFilter {
    /// Its name.
    pub name: Option<String>,
    /// Its domain, without regard to a dot in front.
    pub domain: Option<String>,
    /// Its path.
    pub path: Option<String>,
    /// A URL that it would be sent to.
    pub url: Option<String>,
}

impl CookieFilter {
    pub(crate) fn matches(&self, cookie: &storage::Cookie) -> bool {
        let bare = |domain: &str| domain.trim_start_matches('.').to_lowercase();
        let is = |wanted: &Option<String>, found: &str| wanted.as_ref().is_none_or(|wanted| wanted == found);
        is(&self.name, &cookie.name)
            && is(&self.path, &cookie.path)
            && self
                .domain
                .as_ref()
                .is_none_or(|domain| bare(domain) == bare(&cookie.domain))
            && self.url.as_ref().is_none_or(|url| is_sent_to(cookie, url))
    }
}

/// Whether a request to a URL would carry it, its site aside.
fn is_sent_to(cookie: &storage::Cookie, url: &str) -> bool {
    let Ok(url) = url::Url::parse(url) else {
        return false;
    };
    let host = url.host_str().unwrap_or_default();
    let is_host = match cookie.domain.strip_prefix('.') {
        Some(domain) => host == domain || host.strip_suffix(domain).is_some_and(|above| above.ends_with('.')),
        None => host == cookie.domain,
    };
    let is_path = url
        .path()
        .strip_prefix(cookie.path.as_str())
        .is_some_and(|rest| rest.is_empty() || cookie.path.ends_with('/') || rest.starts_with('/'));
    is_host && is_path && (!cookie.secure || url.scheme() == "https")
}

impl SameSite {
    fn name(self) -> &'static str {
        match self {
            Self::Strict => "Strict",
            Self::Lax => "Lax",
            Self::None => "None",
        }
    }
}

impl From<storage::Cookie> for Cookie {
    fn from(cookie: storage::Cookie) -> Self {
        Self {
            name: cookie.name,
            value: cookie.value,
            domain: cookie.domain,
            path: cookie.path,
            expires: (cookie.expires >= 0.0).then_some(cookie.expires),
            http_only: cookie.http_only,
            secure: cookie.secure,
            same_site: cookie.same_site,
        }
    }
}

impl From<NewCookie> for storage::CookieParam {
    fn from(cookie: NewCookie) -> Self {
        Self {
            name: cookie.name,
            value: cookie.value,
            url: cookie.url,
            domain: cookie.domain,
            path: cookie.path,
            secure: cookie.secure,
            http_only: cookie.http_only,
            same_site: cookie.same_site.map(|site| site.name().to_owned()),
            expires: cookie.expires,
            partition_key: None,
        }
    }
}

/// The same cookie, long expired: the protocol has no command that removes one from a context.
pub(crate) fn expired(cookie: storage::Cookie) -> storage::CookieParam {
    storage::CookieParam {
        name: cookie.name,
        value: String::new(),
        // With a URL instead of a domain it stays a cookie of this host alone.
        url: (!cookie.domain.starts_with('.')).then(|| {
            let scheme = if cookie.secure { "https" } else { "http" };
            format!("{scheme}://{}{}", cookie.domain, cookie.path)
        }),
        domain: cookie.domain.starts_with('.').then_some(cookie.domain),
        path: Some(cookie.path),
        secure: Some(cookie.secure),
        http_only: Some(cookie.http_only),
        same_site: cookie.same_site,
        expires: Some(1.0),
        partition_key: cookie.partition_key,
    }
}
