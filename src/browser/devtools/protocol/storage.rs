//! The domain Storage, limited to the cookies of a browser context.

use serde::{Deserialize, Serialize};

use super::target::ContextId;

/// The partition of a cookie: cookies set below different sites are stored separately.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartitionKey {
    /// The site of the top-level page.
    pub top_level_site: String,
    /// True if a frame of another site lies between the page and the frame that set the cookie.
    pub has_cross_site_ancestor: bool,
}

protocol! {
    /// Asks for all cookies of a context.
    command GetCookies: "Storage.getCookies" -> StoredCookies {
        browser_context_id: ContextId,
    }

    received StoredCookies {
        cookies: Vec<StoredCookie>,
    }

    /// A cookie as Chromium stores it.
    #[derive(Clone)]
    received StoredCookie {
        name: String,
        value: String,
        /// The domain; with a leading dot the cookie is sent to subdomains too.
        domain: String,
        path: String,
        /// Seconds since 1970; -1 for a cookie that expires with the session.
        expires: f64,
        /// True if scripts cannot read the cookie.
        http_only: bool,
        /// True if the cookie is sent over HTTPS only.
        secure: bool,
        /// `Strict`, `Lax` or `None`.
        same_site: Option<String>,
        /// The partition that the cookie belongs to, if it is partitioned.
        partition_key: Option<PartitionKey>,
    }

    /// Sets cookies. An expired cookie is removed.
    command SetCookies: "Storage.setCookies" {
        cookies: Vec<CookieParam>,
        browser_context_id: ContextId,
    }

    /// A cookie to set.
    #[derive(Clone, Default)]
    sent CookieParam {
        name: String,
        value: String,
        /// A URL from which missing domain, path and scheme are taken.
        #[serde(skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        domain: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        /// True to send the cookie over HTTPS only.
        #[serde(skip_serializing_if = "Option::is_none")]
        secure: Option<bool>,
        /// True to hide the cookie from scripts.
        #[serde(skip_serializing_if = "Option::is_none")]
        http_only: Option<bool>,
        /// `Strict`, `Lax` or `None`.
        #[serde(skip_serializing_if = "Option::is_none")]
        same_site: Option<String>,
        /// The expiry in seconds since 1970.
        #[serde(skip_serializing_if = "Option::is_none")]
        expires: Option<f64>,
        /// The partition of the cookie, if it is partitioned.
        #[serde(skip_serializing_if = "Option::is_none")]
        partition_key: Option<PartitionKey>,
    }

    /// Removes all cookies of a context.
    command ClearCookies: "Storage.clearCookies" {
        browser_context_id: ContextId,
    }
}
