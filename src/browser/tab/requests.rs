//! Queries on a tab's recorded requests: a filtered list, and the details of one request.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Tab, TabState,
    network::{RecordedRequest, RequestRecord},
};
use crate::{
    devtools::protocol::network::{GetRequestPostData, GetResponseBody},
    errors::BrowserError,
};

/// A filter for requests. Criteria that are not given match all requests.
#[derive(Clone, Debug, Default)]
pub struct RequestFilter {
    /// A regular expression that is searched for in the URL.
    pub url: Option<String>,
    /// The range of statuses, both ends included.
    pub status: Option<(u16, u16)>,
    /// The HTTP method, such as `POST`, in any case.
    pub method: Option<String>,
    /// True to include requests of earlier pages of this tab.
    pub all: bool,
    /// The maximum number of requests, the newest ones; 0 means no limit.
    pub most: usize,
}

/// A part of a request or its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RequestPart {
    /// The headers of the request.
    RequestHeaders,
    /// The body of the request.
    RequestBody,
    /// The headers of the response.
    ResponseHeaders,
    /// The body of the response.
    ResponseBody,
}

/// A request with the requested parts.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestDetail {
    pub request: RecordedRequest,
    /// Names and values of the request's headers; empty if not requested.
    pub request_headers: Vec<(String, String)>,
    /// The request's body as text.
    pub request_body: Option<String>,
    /// True if the request has a body, whether or not Chromium still has it.
    pub has_request_body: bool,
    /// Names and values of the response's headers; empty if not requested.
    pub response_headers: Vec<(String, String)>,
    /// The response's body as text. A body that is not text is replaced by a description.
    pub response_body: Option<String>,
    /// True if the response can have a body, whether or not Chromium still has it.
    pub has_response_body: bool,
}

impl Tab {
    /// Returns the requests that match the filter, the oldest first, and their number before the limit.
    pub fn requests(&self, filter: &RequestFilter) -> Result<(Vec<RecordedRequest>, usize), BrowserError> {
        let read = |url: &String| {
            Regex::new(url).map_err(|error| BrowserError::BadPattern {
                pattern: url.clone(),
                // The lines above the last one show the position in the pattern.
                reason: error.to_string().lines().last().unwrap_or_default().replace("error: ", ""),
            })
        };
        let url = filter.url.as_ref().map(read).transpose()?;
        let TabState { network, .. } = &*self.state();
        let meant = |kept: &&RequestRecord| {
            let request = &kept.request;
            (filter.all || kept.page >= network.page)
                && url.as_ref().is_none_or(|url| url.is_match(&request.url))
                && filter.method.as_ref().is_none_or(|method| method.eq_ignore_ascii_case(&request.method))
                && filter
                    .status
                    .is_none_or(|(from, to)| request.status.is_some_and(|status| (from..=to).contains(&status)))
        };
        let mut found: Vec<_> = network.kept.iter().filter(meant).map(|kept| kept.request.clone()).collect();
        let count = found.len();
        if filter.most > 0 && count > filter.most {
            found.drain(..count - filter.most);
        }
        Ok((found, count))
    }

    /// Returns a request with one part, or with all parts if none is given. Bodies that Chromium no longer has are left
    /// out.
    pub async fn request(&self, index: usize, part: Option<RequestPart>) -> Result<RequestDetail, BrowserError> {
        let (mut detail, id, channel) = {
            let state = self.state();
            let kept = state.network.kept.iter().find(|kept| kept.request.index == index);
            let kept = kept.ok_or(BrowserError::NoRequest { index })?;
            let detail = RequestDetail {
                request: kept.request.clone(),
                request_headers: kept.headers.clone().into_iter().collect(),
                request_body: kept.body.clone(),
                has_request_body: kept.has_body,
                response_headers: kept.answer.clone().into_iter().collect(),
                response_body: None,
                // A redirect has no body, and its id is that of the response that it led to.
                has_response_body: kept.request.status.is_some_and(|status| !(300..400).contains(&status)),
            };
            (detail, kept.id.clone(), kept.channel.clone())
        };
        let wants = |wanted| part.is_none_or(|part| part == wanted);
        if wants(RequestPart::RequestBody) && detail.has_request_body && detail.request_body.is_none() {
            let ask = GetRequestPostData { request_id: id.clone() };
            detail.request_body = channel.call(&ask).await.ok().map(|data| data.post_data);
        }
        if wants(RequestPart::ResponseBody) && detail.has_response_body {
            // Chromium may have dropped the body with its page, or not kept it because of its size.
            let body = channel.call(&GetResponseBody { request_id: id }).await.ok();
            let mime = detail.request.mime.clone().unwrap_or_default();
            detail.response_body =
                body.map(|body| if body.base64_encoded { decoded(&body.body, &mime) } else { body.body });
        }
        if !wants(RequestPart::RequestHeaders) {
            detail.request_headers.clear();
        }
        if !wants(RequestPart::RequestBody) {
            detail.request_body = None;
        }
        if !wants(RequestPart::ResponseHeaders) {
            detail.response_headers.clear();
        }
        Ok(detail)
    }
}

/// Decodes a body that Chromium sent as bytes because it does not know it to be text. Bytes that are not UTF-8 are
/// replaced by a description.
fn decoded(body: &str, mime: &str) -> String {
    let bytes = STANDARD.decode(body).unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_else(|error| format!("({} bytes of {mime})", error.as_bytes().len()))
}
