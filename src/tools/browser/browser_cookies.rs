//! `browser_cookies`: lists, sets, deletes and clears the cookies of the session.

use fumi_base::{expectation::Expectation, text::Locale};
use fumi_browser::{self as browser, CookieFilter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ACTS, expected, length,
    on_tab::{Done, On, TabTool},
    refused::Refused,
    texts,
};
use crate::tool::{Cx, Spec, ToolError};

#[derive(Debug)]
pub struct Cookies;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// What to do.
    pub action: Action,
    /// Which cookie.
    pub name: Option<String>,
    /// What it holds.
    pub value: Option<String>,
    /// The page that it belongs to; the current one without.
    pub url: Option<String>,
    /// The host that it belongs to, with a dot for those below it.
    pub domain: Option<String>,
    /// The path that it belongs to.
    pub path: Option<String>,
    /// When it ends, in Unix seconds; with the session without.
    pub expires: Option<f64>,
    /// Whether scripts cannot read it.
    #[serde(default)]
    pub http_only: bool,
    /// Whether it is sent over HTTPS only.
    #[serde(default)]
    pub secure: bool,
    /// When other sites send it.
    pub same_site: Option<SameSite>,
}

/// What can be done to cookies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Lists them.
    List,
    /// Sets one.
    Set,
    /// Deletes those of a name.
    Delete,
    /// Deletes all.
    Clear,
}

/// When other sites send a cookie.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub enum SameSite {
    /// Never.
    Strict,
    /// With links.
    Lax,
    /// Always.
    None,
}

impl From<SameSite> for browser::SameSite {
    fn from(same_site: SameSite) -> Self {
        match same_site {
            SameSite::Strict => Self::Strict,
            SameSite::Lax => Self::Lax,
            SameSite::None => Self::None,
        }
    }
}

/// What it answers.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Kept {
    /// All that there are of what was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
    /// The first of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    cookies: Option<Vec<Row>>,
    /// How many were deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<usize>,
}

/// One cookie.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    name: String,
    value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// Unix seconds; a cookie of the session has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<f64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    http_only: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    secure: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    same_site: Option<String>,
}

impl Row {
    /// Returns the row of a cookie. Long values are shortened unless the caller asked for the cookie by name.
    fn new(cookie: &browser::Cookie, is_named: bool) -> Self {
        Self {
            name: cookie.name.clone(),
            value: if is_named {
                cookie.value.clone()
            } else {
                length::row(&cookie.value)
            },
            domain: Some(cookie.domain.clone()),
            path: Some(cookie.path.clone()),
            expires: cookie.expires,
            http_only: cookie.http_only,
            secure: cookie.secure,
            same_site: cookie.same_site.clone(),
        }
    }
}

impl Row {
    fn line(&self) -> String {
        let mut line = format!("{}={}", self.name, self.value);
        let named = [("Domain", &self.domain), ("Path", &self.path)];
        for (name, value) in named {
            line.extend(value.iter().map(|value| format!("; {name}={value}")));
        }
        line.extend(self.expires.map(|expires| format!("; Expires={expires}")));
        for (flag, name) in [(self.http_only, "HttpOnly"), (self.secure, "Secure")] {
            line.extend(flag.then(|| format!("; {name}")));
        }
        line.extend(self.same_site.iter().map(|same_site| format!("; SameSite={same_site}")));
        line
    }
}

impl Done for Kept {
    fn text(&self, locale: Locale) -> String {
        let mut lines = Vec::new();
        if let (Some(cookies), Some(total)) = (&self.cookies, self.total) {
            lines.push(length::listed(cookies.iter().map(Row::line), total, locale));
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
    fn cookie(self) -> Result<browser::NewCookie, Refused> {
        let needs = |argument| Refused::Needs {
            action: "set",
            argument,
        };
        Ok(browser::NewCookie {
            name: self.name.ok_or_else(|| needs("name"))?,
            value: self.value.ok_or_else(|| needs("value"))?,
            url: self.url,
            domain: self.domain,
            path: self.path,
            expires: self.expires,
            http_only: self.http_only.then_some(true),
            secure: self.secure.then_some(true),
            same_site: self.same_site.map(Into::into),
        })
    }
}

impl TabTool for Cookies {
    const SPEC: Spec = Spec {
        name: "browser_cookies",
        texts: texts!("browser_cookies"),
        example: r#"{"action": "list"}"#,
        ..ACTS
    };
    const DESPITE_DIALOG: bool = true;
    type Args = Args;
    type Done = Kept;

    fn expects(_args: &Args) -> Expectation {
        expected::answering()
    }

    async fn act(args: Args, on: &mut On<'_>, _cx: &Cx) -> Result<Kept, ToolError> {
        match args.action {
            Action::List => {
                let cookies = on.tabs.cookies(&args.filter()).await?;
                let is_named = args.name.is_some();
                let rows: Vec<Row> = cookies.iter().map(|cookie| Row::new(cookie, is_named)).collect();
                Ok(Kept {
                    total: Some(rows.len()),
                    cookies: Some(length::oldest(rows, length::ANSWER, Row::line)),
                    deleted: None,
                })
            }
            Action::Set => {
                on.tabs.set_cookie(args.cookie()?).await?;
                Ok(Kept::default())
            }
            Action::Delete if args.name.is_none() => Err(Refused::Needs {
                action: "delete",
                argument: "name",
            }
            .into()),
            Action::Delete => Ok(Kept {
                deleted: Some(on.tabs.delete_cookies(&args.filter()).await?),
                ..Kept::default()
            }),
            Action::Clear => {
                let deleted = on.tabs.cookies(&CookieFilter::default()).await?.len();
                on.tabs.clear_cookies().await?;
                Ok(Kept {
                    deleted: Some(deleted),
                    ..Kept::default()
                })
            }
        }
    }
}
