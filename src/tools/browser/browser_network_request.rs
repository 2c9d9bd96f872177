//! `browser_network_request`: returns one request with its headers and bodies.

use std::collections::BTreeMap;

use fumi_base::{expectation::Expectation, text::Locale};
use fumi_browser::{self as browser, RequestPart};
use fumi_kernel::{Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LOOKS,
    browser_network_requests::RequestRow,
    default_expectation, limits,
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
    pub part: Option<RequestPartArg>,
}

/// A part of a request or its response.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RequestPartArg {
    /// The headers of the request.
    RequestHeaders,
    /// The body of the request.
    RequestBody,
    /// The headers of the response.
    ResponseHeaders,
    /// The body of the response.
    ResponseBody,
}

impl From<RequestPartArg> for RequestPart {
    fn from(part: RequestPartArg) -> Self {
        match part {
            RequestPartArg::RequestHeaders => Self::RequestHeaders,
            RequestPartArg::RequestBody => Self::RequestBody,
            RequestPartArg::ResponseHeaders => Self::ResponseHeaders,
            RequestPartArg::ResponseBody => Self::ResponseBody,
        }
    }
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
}

impl NetworkRequestOutput {
    fn new(detail: browser::RequestDetail, part: Option<RequestPartArg>, locale: Locale) -> Self {
        let most = if part.is_some() { limits::ANSWER } else { BODY };
        let how = ("request only this part", "part でこの部分だけを求めてください");
        let body = |body: Option<String>| body.map(|body| limits::truncate(body, most, locale, how));
        let headers = |headers: Vec<(String, String)>| {
            // Values are complete only if the caller asked for one part.
            let shown = |value: String| {
                if part.is_some() {
                    value
                } else {
                    limits::truncate_row(&value)
                }
            };
            let rows = headers.into_iter().map(|(name, value)| (name, shown(value)));
            let rows = limits::keep_first(rows.collect(), most, |(name, value)| format!("{name}: {value}"));
            let headers: BTreeMap<_, _> = rows.into_iter().collect();
            (!headers.is_empty()).then_some(headers)
        };
        Self {
            request: RequestRow::from(&detail.request),
            request_headers: headers(detail.request_headers),
            request_body: body(detail.request_body),
            response_headers: headers(detail.response_headers),
            response_body: body(detail.response_body),
        }
    }
}

impl TabAnswer for NetworkRequestOutput {
    fn text(&self, _locale: Locale) -> String {
        let mut lines = vec![self.request.line()];
        let parts = [
            ("request", &self.request_headers, &self.request_body),
            ("response", &self.response_headers, &self.response_body),
        ];
        for (whose, headers, body) in parts {
            if let Some(headers) = headers {
                lines.push(format!("#### {whose} headers"));
                lines.extend(headers.iter().map(|(name, value)| format!("{name}: {value}")));
            }
            if let Some(body) = body {
                lines.push(format!("#### {whose} body\n{}", fenced("", body)));
            }
        }
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

    fn expects(_args: &Args) -> Expectation {
        default_expectation::answer_only()
    }

    async fn act(args: Args, on: &mut TabContext<'_>, cx: &Cx) -> Result<NetworkRequestOutput, ToolError> {
        let detail = on.tab.request(args.index, args.part.map(Into::into)).await?;
        Ok(NetworkRequestOutput::new(detail, args.part, cx.locale()))
    }
}
