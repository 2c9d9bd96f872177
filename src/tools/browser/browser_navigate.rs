//! `browser_navigate`: opens a URL in the current tab.

use fumi_base::text::Locale;
use fumi_browser::{Arrival, ArrivalNote};
use fumi_kernel::{Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    DefaultExpectation, LOOKS,
    errors::BrowserCallError,
    limits,
    on_tab::{TabAnswer, TabContext, TabTool},
    playwright::{self, CodeLine},
    texts,
};

#[derive(Debug)]
pub struct NavigateTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The URL to open.
    pub url: String,
}

/// The way in which the tab reached its page.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NavigateOutput {
    /// The URLs that redirected, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    redirects: Vec<String>,
    /// The reason why the previous page is still shown, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    stayed: Option<Stayed>,
}

/// The reason why a tab still shows its previous page.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stayed {
    /// The URL became a download.
    Download,
    /// The server sent no content (204, 205).
    NoContent,
}

impl From<Arrival> for NavigateOutput {
    fn from(arrival: Arrival) -> Self {
        Self {
            redirects: arrival.redirects.iter().map(|url| limits::truncate_row(url)).collect(),
            stayed: match arrival.note {
                Some(ArrivalNote::Download) => Some(Stayed::Download),
                Some(ArrivalNote::NoContent) => Some(Stayed::NoContent),
                Some(ArrivalNote::StillLoading) | None => None,
            },
        }
    }
}

impl TabAnswer for NavigateOutput {
    fn text(&self, locale: Locale) -> String {
        let from = self.redirects.join(" → ");
        let redirects = (!from.is_empty()).then(|| match locale {
            Locale::En => format!("Redirected from {from}"),
            Locale::Ja => format!("リダイレクト元: {from}"),
        });
        let stayed = self.stayed.map(|stayed| match (stayed, locale) {
            (Stayed::Download, Locale::En) => "The URL is a download; the tab still shows the previous page.",
            (Stayed::Download, Locale::Ja) => "ダウンロードでした。表示は元のページのままです。",
            (Stayed::NoContent, Locale::En) => "The server sent no content; the tab still shows the previous page.",
            (Stayed::NoContent, Locale::Ja) => {
                "サーバーから表示する内容が返りませんでした。表示は元のページのままです。"
            }
        });
        let lines = redirects.into_iter().chain(stayed.map(str::to_owned));
        lines.collect::<Vec<_>>().join("\n")
    }
}

impl TabTool for NavigateTool {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_navigate",
        texts: texts!("browser_navigate"),
        example: r#"{"url": "http://localhost:8080/"}"#,
        ..LOOKS
    };
    const EXPECTS: DefaultExpectation = DefaultExpectation::Arrival;
    const REPORTS_URL: bool = true;
    const SKIPS_SETTLING: bool = true;
    type Args = Args;
    type TabAnswer = NavigateOutput;

    fn code(args: &Args) -> Vec<CodeLine> {
        vec![CodeLine::page(&format!("goto({})", playwright::quoted(&args.url)))]
    }

    fn check(args: &Args, _cx: &Cx) -> Result<(), ToolError> {
        with_scheme(&args.url)
    }

    async fn act(args: Args, on: &mut TabContext<'_>, _cx: &Cx) -> Result<NavigateOutput, ToolError> {
        let arrived = match on.tab.navigate(&args.url).await {
            // Chromium died without being noticed. The advice of that error, to repeat the call, is followed at once.
            Err(error) if error.is_chromium_gone() => {
                on.tab = on.tabs.current().await?;
                on.tab.navigate(&args.url).await
            }
            arrived => arrived,
        };
        Ok(arrived?.into())
    }
}

/// Returns an error for a URL without a scheme, with the likeliest complete URL as a suggestion.
pub(super) fn with_scheme(url: &str) -> Result<(), ToolError> {
    let url = url.trim();
    if has_scheme(url) {
        return Ok(());
    }
    Err(BrowserCallError::UrlWithoutScheme { url: url.to_owned(), with: format!("http://{url}") }.into())
}

/// True if a URL has a scheme. In `localhost:8080` the part after the colon is a port.
fn has_scheme(url: &str) -> bool {
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    match url.split_once(':') {
        Some((scheme, rest)) => {
            let is_port = rest.bytes().next().is_some_and(|byte| byte.is_ascii_digit()) && scheme != "data";
            !scheme.is_empty() && is_name(scheme) && !is_port
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::has_scheme;

    #[test]
    fn a_port_is_no_scheme() {
        for url in [
            "http://a.test",
            "HTTPS://a.test:80/",
            "about:blank",
            "data:,x",
            "data:1",
            "file:///etc/passwd",
            "javascript:alert(1)",
        ] {
            assert!(has_scheme(url), "{url}");
        }
        for url in ["127.0.0.1:8000/x", "localhost:3000", "example.com", "/path", "[::1]:80", ""] {
            assert!(!has_scheme(url), "{url}");
        }
    }
}
