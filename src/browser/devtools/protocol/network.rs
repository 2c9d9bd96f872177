//! The domain Network: the requests of a page, their responses and errors.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::page::{FrameId, LoaderId};

/// The id of a request; all hops of a redirect share it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestId(pub String);

/// The names and values of HTTP header fields.
pub type Headers = BTreeMap<String, String>;

protocol! {
    /// Starts reporting requests.
    command EnableNetwork: "Network.enable" {
        /// Bytes of bodies that Chromium keeps for one process.
        max_total_buffer_size: u64,
        /// Bytes that Chromium keeps of one body.
        max_resource_buffer_size: u64,
        /// Bytes of a request's body that are sent with its event.
        max_post_data_size: u64,
    }

    /// Asks for the body of a response.
    command GetResponseBody: "Network.getResponseBody" -> ResponseBody {
        request_id: RequestId,
    }

    received ResponseBody {
        /// Text, or bytes in base64.
        body: String,
        /// True if `body` is base64.
        base64_encoded: bool,
    }

    /// Asks for the body of a request if the event did not contain it.
    command GetRequestPostData: "Network.getRequestPostData" -> PostData {
        request_id: RequestId,
    }

    received PostData {
        post_data: String,
    }

    /// The event that a request is sent, or sent on after a redirect.
    event RequestWillBeSent: "Network.requestWillBeSent" {
        request_id: RequestId,
        /// The document that the request belongs to.
        loader_id: LoaderId,
        request: SentRequest,
        /// Seconds of a monotonic clock.
        timestamp: f64,
        /// The redirecting response, if this request follows a redirect.
        redirect_response: Option<Response>,
        /// The type of the resource: `Document`, `Stylesheet`, `Image`, `XHR`, `Fetch`, ...
        #[serde(rename = "type")]
        kind: Option<String>,
        /// The frame that the request belongs to.
        frame_id: Option<FrameId>,
    }

    /// A request as it is sent.
    received SentRequest {
        /// The URL without its fragment.
        url: String,
        /// The HTTP method, such as `GET`.
        method: String,
        /// The header fields without those that Chromium adds last, such as cookies.
        #[serde(default)]
        headers: Headers,
        /// The body, if it is small.
        post_data: Option<String>,
        /// True if the request has a body.
        #[serde(default)]
        has_post_data: bool,
    }

    /// The head of a response.
    received Response {
        /// The URL of the response.
        url: String,
        /// The status code, such as 200; 0 if the scheme has none.
        status: i64,
        #[serde(default)]
        headers: Headers,
        /// The media type, such as `text/html`.
        #[serde(default)]
        mime_type: String,
    }

    /// The event that the head of a response arrived.
    event ResponseReceived: "Network.responseReceived" {
        request_id: RequestId,
        /// The type of the resource, as in [`RequestWillBeSent`].
        #[serde(rename = "type")]
        kind: String,
        response: Response,
    }

    /// The event that a response arrived completely.
    event LoadingFinished: "Network.loadingFinished" {
        request_id: RequestId,
        /// Seconds of the clock of [`RequestWillBeSent`].
        timestamp: f64,
        /// Bytes received over the network, before decompression.
        encoded_data_length: f64,
    }

    /// The event that a request failed.
    event LoadingFailed: "Network.loadingFailed" {
        request_id: RequestId,
        /// Seconds of the clock of [`RequestWillBeSent`].
        timestamp: f64,
        /// The network error, such as `net::ERR_FAILED`.
        error_text: String,
        /// The reason why Chromium blocked the request, if it did.
        blocked_reason: Option<String>,
    }

    /// The event that a `WebSocket` was created.
    event WebSocketCreated: "Network.webSocketCreated" {
        request_id: RequestId,
        url: String,
    }

    /// The event that a `WebSocket` was opened.
    event WebSocketHandshakeResponseReceived: "Network.webSocketHandshakeResponseReceived" {
        request_id: RequestId,
        response: HandshakeResponse,
    }

    /// The response to the handshake of a `WebSocket`.
    received HandshakeResponse {
        /// The status code; 101 on success.
        status: i64,
    }

    /// The event that a `WebSocket` was closed.
    event WebSocketClosed: "Network.webSocketClosed" {
        request_id: RequestId,
        /// Seconds of the clock of [`RequestWillBeSent`].
        timestamp: f64,
    }
}
