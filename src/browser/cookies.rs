//! The cookies of a session, and the filter that selects some of them.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::devtools::protocol::storage;

#[derive(Clone, Debug, PartialEq)]
pub struct Cookie {
    pub name: String,
    pub value: String,
    /// The domain; with a leading dot the cookie is sent to subdomains too.
    pub domain: String,
    /// The path below which the cookie is sent.
    pub path: String,
    /// Seconds since 1970; absent for a cookie that expires with the session.
    pub expires: Option<f64>,
    /// True if scripts cannot read the cookie.
    pub http_only: bool,
    /// True if the cookie is sent over HTTPS only.
    pub secure: bool,
    /// The requests with which the cookie is sent: `Strict`, `Lax` or `None`.
    pub same_site: Option<String>,
}

/// A cookie to set. Without `url` and `domain` it belongs to the site of the current page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewCookie {
    pub name: String,
    pub value: String,
    /// A URL from which missing domain, path and scheme are taken.
    pub url: Option<String>,
    pub domain: Option<String>,
    pub path: Option<String>,
    /// The expiry in seconds since 1970; `None` for a cookie that expires with the session.
    pub expires: Option<f64>,
    /// True to hide the cookie from scripts.
    pub http_only: Option<bool>,
    /// True to send the cookie over HTTPS only.
    pub secure: Option<bool>,
    /// The requests with which the cookie is sent.
    pub same_site: Option<CookieSameSite>,
}

/// The requests with which a cookie is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum CookieSameSite {
    /// Requests of its own site only.
    Strict,
    /// Requests of its own site, and navigations from other sites.
    Lax,
    /// Requests of any site.
    None,
}

/// A filter of cookies; a field that is `None` matches all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CookieFilter {
    pub name: Option<String>,
    /// The domain; a leading dot is ignored.
    pub domain: Option<String>,
    pub path: Option<String>,
    /// A URL to which the cookie would be sent.
    pub url: Option<String>,
}

impl NewCookie {
    /// Returns the filter that finds the cookie after it was set.
    pub(crate) fn stored(&self) -> CookieFilter {
        let host = || url::Url::parse(self.url.as_deref()?).ok()?.host_str().map(str::to_owned);
        CookieFilter {
            name: Some(self.name.clone()),
            domain: self.domain.clone().or_else(host),
            path: self.path.clone(),
            url: None,
        }
    }
}

impl CookieFilter {
    pub(crate) fn matches(&self, cookie: &storage::StoredCookie) -> bool {
        let bare = |domain: &str| domain.trim_start_matches('.').to_lowercase();
        let is = |wanted: &Option<String>, found: &str| wanted.as_ref().is_none_or(|wanted| wanted == found);
        is(&self.name, &cookie.name)
            && is(&self.path, &cookie.path)
            && self.domain.as_ref().is_none_or(|domain| bare(domain) == bare(&cookie.domain))
            && self.url.as_ref().is_none_or(|url| is_sent_to(cookie, url))
    }
}

/// True if a request to `url` would carry the cookie; `CookieSameSite` is not considered.
fn is_sent_to(cookie: &storage::StoredCookie, url: &str) -> bool {
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

impl CookieSameSite {
    fn name(self) -> &'static str {
        match self {
            Self::Strict => "Strict",
            Self::Lax => "Lax",
            Self::None => "None",
        }
    }
}

impl From<storage::StoredCookie> for Cookie {
    fn from(cookie: storage::StoredCookie) -> Self {
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

/// Returns the cookie with an expiry in the past, which removes it: the protocol has no command to remove a cookie from
/// a context.
pub(crate) fn expired(cookie: storage::StoredCookie) -> storage::CookieParam {
    storage::CookieParam {
        name: cookie.name,
        value: String::new(),
        // A URL instead of a domain keeps it a cookie of this host only.
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
