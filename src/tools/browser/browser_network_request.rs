//! `browser_network_request`: returns one request with its headers and bodies.

use std::collections::BTreeMap;

use fumi_base::text::{BilingualText, Locale};
use fumi_browser::{self as browser, RequestPart};
use fumi_kernel::{Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LOOKS,
    browser_network_requests::RequestRow,
    limits,
    on_tab::{TabAnswer, TabContext, TabTool},
    reply::fenced,
    texts,
};

/// The token budget of each body if all parts are requested, since the bodies share the answer.
const BODY: usize = limits::ANSWER / 2;

#[derive(Debug)]
pub struct NetworkRequest;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The number of the request in `browser_network_requests`.
    #[schemars(range(min = 1))]
    pub index: usize,
    /// The part to return; by default all parts.
    pub part: Option<RequestPart>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct NetworkRequestOutput {
    request: RequestRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_headers: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_body: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_headers: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_body: Option<String>,
    /// The reason why a requested body is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<String>,
    /// True if all parts were requested; the text then leaves out what every request has.
    #[serde(skip)]
    is_overview: bool,
}

/// The beginnings of the names of request headers that Chromium sends with every request.
const USUAL: [&str; 3] = ["sec-ch-ua", "user-agent", "upgrade-insecure-requests"];

fn is_usual(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    USUAL.iter().any(|usual| name.starts_with(usual))
}

/// Returns the reason why a body is missing: the request or response has none, or Chromium no longer has it. Without a
/// `part`, only a body that exists is missed.
fn missing(detail: &browser::RequestDetail, part: Option<RequestPart>) -> Option<BilingualText> {
    let is_asked = |wanted: RequestPart| part.is_none_or(|part| part == wanted);
    let bodies = [
        (RequestPart::RequestBody, &detail.request_body, detail.has_request_body),
        (RequestPart::ResponseBody, &detail.response_body, detail.has_response_body),
    ];
    let mut lost =
        bodies.into_iter().filter(|(which, body, has)| is_asked(*which) && body.is_none() && (*has || part.is_some()));
    Some(match lost.next()? {
        (RequestPart::RequestBody, _, false) => {
            BilingualText::new("no request body", "リクエストのボディーはありません")
        }
        (_, _, false) => BilingualText::new("no response body", "レスポンスのボディーはありません"),
        (RequestPart::RequestBody, _, true) => BilingualText::new(
            "Chromium no longer has the request body",
            "リクエストのボディーは Chromium に残っていません",
        ),
        (_, _, true) => BilingualText::new(
            "Chromium no longer has the response body; load the page again and request it before leaving",
            "レスポンスのボディーは Chromium に残っていません。ページを開き直し、移動する前に求めてください",
        ),
    })
}

impl NetworkRequestOutput {
    fn new(detail: browser::RequestDetail, part: Option<RequestPart>, locale: Locale) -> Self {
        let most = if part.is_some() { limits::ANSWER } else { BODY };
        let how = ("request only this part", "part でこの部分だけを求めてください");
        let body = |body: Option<String>| body.map(|body| limits::truncate(body, most, locale, how));
        let headers = |headers: Vec<(String, String)>| {
            // Values are complete only if the caller asked for one part.
            let shown = |value: String| {
                if part.is_some() { value } else { limits::truncate_row(&value) }
            };
            let rows = headers.into_iter().map(|(name, value)| (name, shown(value)));
            let rows = limits::keep_first(rows.collect(), most, |(name, value)| format!("{name}: {value}"));
            let headers: BTreeMap<_, _> = rows.into_iter().collect();
            (!headers.is_empty()).then_some(headers)
        };
        let missing = missing(&detail, part).map(|why| why.get(locale).to_owned());
        Self {
            missing,
            is_overview: part.is_none(),
            request: RequestRow::from(&detail.request),
            request_headers: headers(detail.request_headers),
            request_body: body(detail.request_body),
            response_headers: headers(detail.response_headers),
            response_body: body(detail.response_body),
        }
    }
}

impl TabAnswer for NetworkRequestOutput {
    fn text(&self, locale: Locale) -> String {
        let mut lines = vec![self.request.line()];
        let parts = [
            ("request", &self.request_headers, &self.request_body),
            ("response", &self.response_headers, &self.response_body),
        ];
        for (whose, headers, body) in parts {
            if let Some(headers) = headers {
                let is_shown = |name: &str| !(self.is_overview && whose == "request" && is_usual(name));
                let shown: Vec<_> = headers.iter().filter(|(name, _)| is_shown(name)).collect();
                let usual = match (headers.len() - shown.len(), locale) {
                    (0, _) => String::new(),
                    (usual, Locale::En) => format!(" (and {usual} of the browser itself: part request-headers)"),
                    (usual, Locale::Ja) => format!("（ほかにブラウザー自体のものが {usual} 件: part request-headers）"),
                };
                lines.push(format!("#### {whose} headers{usual}"));
                lines.extend(shown.into_iter().map(|(name, value)| format!("{name}: {value}")));
            }
            if let Some(body) = body {
                lines.push(format!("#### {whose} body\n{}", fenced("", body)));
            }
        }
        lines.extend(self.missing.clone());
        lines.join("\n")
    }
}

impl TabTool for NetworkRequest {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_network_request",
        texts: texts!("browser_network_request"),
        example: r#"{"index": 1, "part": "response-headers"}"#,
        ..LOOKS
    };
    const DESPITE_DIALOG: bool = true;
    type Args = Args;
    type TabAnswer = NetworkRequestOutput;

    async fn act(args: Args, on: &mut TabContext<'_>, cx: &Cx) -> Result<NetworkRequestOutput, ToolError> {
        let detail = on.tab.request(args.index, args.part).await?;
        Ok(NetworkRequestOutput::new(detail, args.part, cx.locale()))
    }
}
