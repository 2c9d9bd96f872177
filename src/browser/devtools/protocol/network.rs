//! The domain Network: requests of a page and what came of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::page::{FrameId, LoaderId};
use crate::devtools::Nothing;

/// A request; the hops of a redirect share it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestId(pub String);

/// Names and values.
pub type Headers = BTreeMap<String, String>;

/// Begins to report requests.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Enable {
    /// Bytes of bodies kept for a process.
    pub max_total_buffer_size: u64,
    /// Bytes kept of one body.
    pub max_resource_buffer_size: u64,
    /// Bytes of a request's body that come with its event.
    pub max_post_data_size: u64,
}
command!(Enable => "Network.enable" -> Nothing);

/// The body of a response.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetResponseBody {
    /// Of which request.
    pub request_id: RequestId,
}
command!(GetResponseBody => "Network.getResponseBody" -> ResponseBody);

/// The body.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResponseBody {
    /// Text, or bytes as base64.
    pub body: String,
    /// Which of both.
    pub base64_encoded: bool,
}

/// The body of a request that did not come with its event.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetRequestPostData {
    /// Of which request.
    pub request_id: RequestId,
}
command!(GetRequestPostData => "Network.getRequestPostData" -> PostData);

/// The body.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PostData {
    /// As text.
    pub post_data: String,
}

/// A request goes out, or goes on after a redirect.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestWillBeSent {
    /// Which.
    pub request_id: RequestId,
    /// Of which document.
    pub loader_id: LoaderId,
    /// What goes out.
    pub request: Request,
    /// Seconds of a clock that only goes forward.
    pub timestamp: f64,
    /// The answer that sent it here.
    pub redirect_response: Option<Response>,
    /// `Document`, `Stylesheet`, `Image`, `XHR`, `Fetch`, ...
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Of which frame.
    pub frame_id: Option<FrameId>,
}
happening!(RequestWillBeSent => "Network.requestWillBeSent");

/// What goes out.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// Without its fragment.
    pub url: String,
    /// Such as `GET`.
    pub method: String,
    /// Without what Chromium adds at the end, such as cookies.
    #[serde(default)]
    pub headers: Headers,
    /// The body, where it is small.
    pub post_data: Option<String>,
    /// Whether there is one.
    #[serde(default)]
    pub has_post_data: bool,
}

/// The head of a response.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Response {
    /// Where it came from.
    pub url: String,
    /// Such as 200; 0 where the scheme has none.
    pub status: i64,
    /// Names and values.
    #[serde(default)]
    pub headers: Headers,
    /// Such as `text/html`.
    #[serde(default)]
    pub mime_type: String,
}

/// A response began.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResponseReceived {
    /// To which request.
    pub request_id: RequestId,
    /// As for [`RequestWillBeSent`].
    #[serde(rename = "type")]
    pub kind: String,
    /// Its head.
    pub response: Response,
}
happening!(ResponseReceived => "Network.responseReceived");

/// A response is whole.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoadingFinished {
    /// To which request.
    pub request_id: RequestId,
    /// As for [`RequestWillBeSent`].
    pub timestamp: f64,
    /// Bytes as they came over the network.
    pub encoded_data_length: f64,
}
happening!(LoadingFinished => "Network.loadingFinished");

/// Nothing came of a request.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoadingFailed {
    /// Which.
    pub request_id: RequestId,
    /// As for [`RequestWillBeSent`].
    pub timestamp: f64,
    /// Such as `net::ERR_FAILED`.
    pub error_text: String,
    /// Why Chromium did not allow it.
    pub blocked_reason: Option<String>,
}
happening!(LoadingFailed => "Network.loadingFailed");

/// A `WebSocket` begins.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebSocketCreated {
    /// Which.
    pub request_id: RequestId,
    /// Where to.
    pub url: String,
}
happening!(WebSocketCreated => "Network.webSocketCreated");

/// A `WebSocket` is open.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebSocketHandshakeResponseReceived {
    /// Which.
    pub request_id: RequestId,
    /// The answer's head.
    pub response: HandshakeResponse,
}
happening!(WebSocketHandshakeResponseReceived => "Network.webSocketHandshakeResponseReceived");

/// The head of the answer to a handshake.
#[derive(Debug, Deserialize)]
pub struct HandshakeResponse {
    /// 101 where it succeeded.
    pub status: i64,
}

/// A `WebSocket` ended.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebSocketClosed {
    /// Which.
    pub request_id: RequestId,
    /// As for [`RequestWillBeSent`].
    pub timestamp: f64,
}
happening!(WebSocketClosed => "Network.webSocketClosed");
