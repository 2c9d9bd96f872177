//! `browser_cookies`: lists, sets, deletes and clears the cookies of the session.

use fumi_base::text::Locale;
use fumi_browser::{self as browser, CookieFilter, CookieSameSite};
use fumi_kernel::{Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ACTS,
    errors::BrowserCallError,
    limits,
    on_tab::{TabAnswer, TabContext, TabTool},
    texts,
};

#[derive(Debug)]
pub struct CookiesTool;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    pub action: CookieAction,
    /// The name of the cookie.
    pub name: Option<String>,
    /// The value of the cookie.
    pub value: Option<String>,
    /// The URL of the page that the cookie belongs to; by default the current page.
    pub url: Option<String>,
    /// The host that the cookie belongs to; with a leading dot, subdomains too.
    pub domain: Option<String>,
    /// The path that the cookie belongs to.
    pub path: Option<String>,
    /// The expiry in Unix seconds; without it the cookie expires with the session.
    pub expires: Option<f64>,
    /// True if scripts cannot read the cookie.
    #[serde(default)]
    pub http_only: bool,
    /// True if the cookie is sent over HTTPS only.
    #[serde(default)]
    pub secure: bool,
    /// The condition under which requests from other sites carry the cookie.
    pub same_site: Option<CookieSameSite>,
}

/// The texts of a list of cookies.
const MORE: limits::CountTexts = limits::CountTexts {
    none: ("none", "なし"),
    shown: ("first", "先頭"),
    more: ("filter by name, domain or url", "name、domain、url で絞ってください"),
};

/// An operation on cookies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CookieAction {
    /// Lists cookies.
    List,
    /// Sets one cookie.
    Set,
    /// Deletes the cookies with a name.
    Delete,
    /// Deletes all cookies.
    Clear,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct CookiesOutput {
    /// The number of all matching cookies, or of the stored ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
    /// The first matching cookies, or the one that was set, as it is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    cookies: Option<Vec<CookieRow>>,
    /// The number of deleted cookies.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<usize>,
}

/// A cookie in the reply.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CookieRow {
    name: String,
    value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The expiry in Unix seconds; absent for a cookie that expires with the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<f64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    http_only: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    secure: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    same_site: Option<String>,
}

impl CookieRow {
    /// Returns the row of a cookie. Long values are shortened unless the caller asked for the cookie by name.
    fn new(cookie: &browser::Cookie, is_named: bool) -> Self {
        Self {
            name: cookie.name.clone(),
            value: if is_named { cookie.value.clone() } else { limits::truncate_row(&cookie.value) },
            domain: Some(cookie.domain.clone()),
            path: Some(cookie.path.clone()),
            expires: cookie.expires,
            http_only: cookie.http_only,
            secure: cookie.secure,
            same_site: cookie.same_site.clone(),
        }
    }
}

impl CookieRow {
    /// Formats the cookie as one line below the heading of its domain. The usual path is left out.
    fn line(&self) -> String {
        let mut line = format!("{}={}", self.name, self.value);
        let path = self.path.iter().filter(|path| *path != "/");
        line.extend(path.map(|path| format!("; Path={path}")));
        line.extend(self.expires.map(|expires| format!("; Expires={}", date(expires))));
        for (flag, name) in [(self.http_only, "HttpOnly"), (self.secure, "Secure")] {
            line.extend(flag.then(|| format!("; {name}")));
        }
        line.extend(self.same_site.iter().map(|same_site| format!("; SameSite={same_site}")));
        line
    }
}

/// Returns a time in Unix seconds as a date, or as it is if it is beyond all dates.
#[expect(clippy::cast_possible_truncation, reason = "saturates, and such a time is not a date")]
fn date(seconds: f64) -> String {
    jiff::Timestamp::from_second(seconds as i64).map_or_else(|_| seconds.to_string(), |date| date.to_string())
}

impl CookiesOutput {
    /// Returns the answer with these cookies, as many as fit.
    fn with_rows(cookies: &[browser::Cookie], is_named: bool) -> Self {
        let rows: Vec<CookieRow> = cookies.iter().map(|cookie| CookieRow::new(cookie, is_named)).collect();
        Self {
            total: Some(rows.len()),
            cookies: Some(limits::keep_first(rows, limits::ANSWER, CookieRow::line)),
            deleted: None,
        }
    }
}

impl TabAnswer for CookiesOutput {
    fn text(&self, locale: Locale) -> String {
        let mut lines = Vec::new();
        if let (Some(cookies), Some(total)) = (&self.cookies, self.total) {
            let rows = limits::grouped(cookies, |cookie| (cookie.domain.as_deref(), cookie.line()));
            lines.push(limits::with_count(rows, (cookies.len(), total), locale, &MORE));
        }
        lines.extend(self.deleted.map(|deleted| match locale {
            Locale::En => format!("deleted: {deleted}"),
            Locale::Ja => format!("削除: {deleted}"),
        }));
        lines.join("\n")
    }
}

impl Args {
    fn filter(&self) -> CookieFilter {
        CookieFilter {
            name: self.name.clone(),
            url: self.url.clone(),
            domain: self.domain.clone(),
            path: self.path.clone(),
        }
    }

    /// Returns the cookie to set, or an error if its name or value is missing.
    fn cookie(self) -> Result<browser::NewCookie, BrowserCallError> {
        let needs = |argument| BrowserCallError::ActionNeeds { action: "set", argument };
        Ok(browser::NewCookie {
            name: self.name.ok_or_else(|| needs("name"))?,
            value: self.value.ok_or_else(|| needs("value"))?,
            url: self.url,
            domain: self.domain,
            path: self.path,
            expires: self.expires,
            http_only: self.http_only.then_some(true),
            secure: self.secure.then_some(true),
            same_site: self.same_site,
        })
    }
}

impl TabTool for CookiesTool {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_cookies",
        texts: texts!("browser_cookies"),
        example: r#"{"action": "list"}"#,
        ..ACTS
    };
    const DESPITE_DIALOG: bool = true;
    type Args = Args;
    type TabAnswer = CookiesOutput;

    async fn act(args: Args, on: &mut TabContext<'_>, _cx: &Cx) -> Result<CookiesOutput, ToolError> {
        match args.action {
            CookieAction::List => {
                let cookies = on.tabs.cookies(&args.filter()).await?;
                Ok(CookiesOutput::with_rows(&cookies, args.name.is_some()))
            }
            // Chromium shortens a life that is too long, and completes domain and path.
            CookieAction::Set => {
                let stored = on.tabs.set_cookie(args.cookie()?).await?;
                Ok(CookiesOutput::with_rows(&stored, false))
            }
            CookieAction::Delete if args.name.is_none() => {
                Err(BrowserCallError::ActionNeeds { action: "delete", argument: "name" }.into())
            }
            CookieAction::Delete => Ok(CookiesOutput {
                deleted: Some(on.tabs.delete_cookies(&args.filter()).await?),
                ..CookiesOutput::default()
            }),
            CookieAction::Clear => {
                let deleted = on.tabs.cookies(&CookieFilter::default()).await?.len();
                on.tabs.clear_cookies().await?;
                Ok(CookiesOutput { deleted: Some(deleted), ..CookiesOutput::default() })
            }
        }
    }
}
