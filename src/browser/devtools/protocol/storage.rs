//! The domain Storage, limited to the cookies of a browser context.

use serde::{Deserialize, Serialize};

use super::target::ContextId;
use crate::devtools::EmptyReply;

/// Asks for all cookies of a context.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetCookies {
    pub browser_context_id: ContextId,
}
command!(GetCookies => "Storage.getCookies" -> StoredCookies);

#[derive(Debug, Deserialize)]
pub struct StoredCookies {
    pub cookies: Vec<StoredCookie>,
}

/// A cookie as Chromium stores it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredCookie {
    pub name: String,
    pub value: String,
    /// The domain; with a leading dot the cookie is sent to subdomains too.
    pub domain: String,
    pub path: String,
    /// Seconds since 1970; -1 for a cookie that expires with the session.
    pub expires: f64,
    /// True if scripts cannot read the cookie.
    pub http_only: bool,
    /// True if the cookie is sent over HTTPS only.
    pub secure: bool,
    /// `Strict`, `Lax` or `None`.
    pub same_site: Option<String>,
    /// The partition that the cookie belongs to, if it is partitioned.
    pub partition_key: Option<PartitionKey>,
}

/// The partition of a cookie: cookies set below different sites are stored separately.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartitionKey {
    /// The site of the top-level page.
    pub top_level_site: String,
    /// True if a frame of another site lies between the page and the frame that set the cookie.
    pub has_cross_site_ancestor: bool,
}

/// Sets cookies. An expired cookie is removed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetCookies {
    pub cookies: Vec<CookieParam>,
    pub browser_context_id: ContextId,
}
command!(SetCookies => "Storage.setCookies" -> EmptyReply);

/// A cookie to set.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CookieParam {
    pub name: String,
    pub value: String,
    /// A URL from which missing domain, path and scheme are taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// True to send the cookie over HTTPS only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secure: Option<bool>,
    /// True to hide the cookie from scripts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_only: Option<bool>,
    /// `Strict`, `Lax` or `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_site: Option<String>,
    /// The expiry in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<f64>,
    /// The partition of the cookie, if it is partitioned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition_key: Option<PartitionKey>,
}

/// Removes all cookies of a context.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClearCookies {
    pub browser_context_id: ContextId,
}
command!(ClearCookies => "Storage.clearCookies" -> EmptyReply);
