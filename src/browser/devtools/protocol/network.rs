//! The domain Network: the requests of a page, their responses and errors.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::page::{FrameId, LoaderId};
use crate::devtools::EmptyReply;

/// The id of a request; all hops of a redirect share it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestId(pub String);

/// The names and values of HTTP header fields.
pub type Headers = BTreeMap<String, String>;

/// Starts reporting requests.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EnableNetwork {
    /// Bytes of bodies that Chromium keeps for one process.
    pub max_total_buffer_size: u64,
    /// Bytes that Chromium keeps of one body.
    pub max_resource_buffer_size: u64,
    /// Bytes of a request's body that are sent with its event.
    pub max_post_data_size: u64,
}
command!(EnableNetwork => "Network.enable" -> EmptyReply);

/// Asks for the body of a response.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetResponseBody {
    pub request_id: RequestId,
}
command!(GetResponseBody => "Network.getResponseBody" -> ResponseBody);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResponseBody {
    /// Text, or bytes in base64.
    pub body: String,
    /// True if `body` is base64.
    pub base64_encoded: bool,
}

/// Asks for the body of a request if the event did not contain it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetRequestPostData {
    pub request_id: RequestId,
}
command!(GetRequestPostData => "Network.getRequestPostData" -> PostData);

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PostData {
    pub post_data: String,
}

/// The event that a request is sent, or sent on after a redirect.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestWillBeSent {
    pub request_id: RequestId,
    /// The document that the request belongs to.
    pub loader_id: LoaderId,
    pub request: SentRequest,
    /// Seconds of a monotonic clock.
    pub timestamp: f64,
    /// The redirecting response, if this request follows a redirect.
    pub redirect_response: Option<Response>,
    /// The type of the resource: `Document`, `Stylesheet`, `Image`, `XHR`, `Fetch`, ...
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The frame that the request belongs to.
    pub frame_id: Option<FrameId>,
}
event!(RequestWillBeSent => "Network.requestWillBeSent");

/// A request as it is sent.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SentRequest {
    /// The URL without its fragment.
    pub url: String,
    /// The HTTP method, such as `GET`.
    pub method: String,
    /// The header fields without those that Chromium adds last, such as cookies.
    #[serde(default)]
    pub headers: Headers,
    /// The body, if it is small.
    pub post_data: Option<String>,
    /// True if the request has a body.
    #[serde(default)]
    pub has_post_data: bool,
}

/// The head of a response.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Response {
    /// The URL of the response.
    pub url: String,
    /// The status code, such as 200; 0 if the scheme has none.
    pub status: i64,
    #[serde(default)]
    pub headers: Headers,
    /// The media type, such as `text/html`.
    #[serde(default)]
    pub mime_type: String,
}

/// The event that the head of a response arrived.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResponseReceived {
    pub request_id: RequestId,
    /// The type of the resource, as in [`RequestWillBeSent`].
    #[serde(rename = "type")]
    pub kind: String,
    pub response: Response,
}
event!(ResponseReceived => "Network.responseReceived");

/// The event that a response arrived completely.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoadingFinished {
    pub request_id: RequestId,
    /// Seconds of the clock of [`RequestWillBeSent`].
    pub timestamp: f64,
    /// Bytes received over the network, before decompression.
    pub encoded_data_length: f64,
}
event!(LoadingFinished => "Network.loadingFinished");

/// The event that a request failed.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoadingFailed {
    pub request_id: RequestId,
    /// Seconds of the clock of [`RequestWillBeSent`].
    pub timestamp: f64,
    /// The network error, such as `net::ERR_FAILED`.
    pub error_text: String,
    /// The reason why Chromium blocked the request, if it did.
    pub blocked_reason: Option<String>,
}
event!(LoadingFailed => "Network.loadingFailed");

/// The event that a `WebSocket` was created.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebSocketCreated {
    pub request_id: RequestId,
    pub url: String,
}
event!(WebSocketCreated => "Network.webSocketCreated");

/// The event that a `WebSocket` was opened.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebSocketHandshakeResponseReceived {
    pub request_id: RequestId,
    pub response: HandshakeResponse,
}
event!(WebSocketHandshakeResponseReceived => "Network.webSocketHandshakeResponseReceived");

/// The response to the handshake of a `WebSocket`.
#[derive(Debug, Deserialize)]
pub struct HandshakeResponse {
    /// The status code; 101 on success.
    pub status: i64,
}

/// The event that a `WebSocket` was closed.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebSocketClosed {
    pub request_id: RequestId,
    /// Seconds of the clock of [`RequestWillBeSent`].
    pub timestamp: f64,
}
event!(WebSocketClosed => "Network.webSocketClosed");
