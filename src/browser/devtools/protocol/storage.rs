//! The domain Storage, as far as cookies of a context go.

use serde::{Deserialize, Serialize};

use super::target::ContextId;
use crate::devtools::Nothing;

/// Asks for all cookies of a context.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetCookies {
    /// The context.
    pub browser_context_id: ContextId,
}
command!(GetCookies => "Storage.getCookies" -> Cookies);

/// The cookies.
#[derive(Debug, Deserialize)]
pub struct Cookies {
    /// All of them.
    pub cookies: Vec<Cookie>,
}

/// A cookie as Chromium keeps it.
#[derive(Clone, Debug, Deserialize)]
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
    /// Seconds since 1970; -1 for one that ends with the session.
    pub expires: f64,
    /// Not for scripts.
    pub http_only: bool,
    /// Only over HTTPS.
    pub secure: bool,
    /// `Strict`, `Lax` or `None`.
    pub same_site: Option<String>,
    /// The site below which it is kept apart.
    pub partition_key: Option<PartitionKey>,
}

/// The site below which a cookie is kept apart.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartitionKey {
    /// The site of the page.
    pub top_level_site: String,
    /// Whether a frame of another site is between.
    pub has_cross_site_ancestor: bool,
}

/// Sets cookies; one that has expired is removed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetCookies {
    /// Which.
    pub cookies: Vec<CookieParam>,
    /// The context.
    pub browser_context_id: ContextId,
}
command!(SetCookies => "Storage.setCookies" -> Nothing);

/// A cookie to set.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CookieParam {
    /// Name.
    pub name: String,
    /// Value.
    pub value: String,
    /// A URL that gives domain, path and scheme where they are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Only over HTTPS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secure: Option<bool>,
    /// Not for scripts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_only: Option<bool>,
    /// `Strict`, `Lax` or `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_site: Option<String>,
    /// Seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<f64>,
    /// The site below which it is kept apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition_key: Option<PartitionKey>,
}

/// Removes all cookies of a context.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClearCookies {
    /// The context.
    pub browser_context_id: ContextId,
}
command!(ClearCookies => "Storage.clearCookies" -> Nothing);
