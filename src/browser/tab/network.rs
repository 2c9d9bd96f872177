//! The network requests of a tab's pages and their responses: the last 1,000. Chromium keeps the bodies until they are
//! requested.

use std::collections::VecDeque;

use super::{
    TabState,
    console::{URL, truncate},
};
use crate::devtools::{
    Channel, RawEvent,
    protocol::network::{
        Headers, LoadingFailed, LoadingFinished, RequestId, RequestWillBeSent, Response, ResponseReceived,
        WebSocketClosed, WebSocketCreated, WebSocketHandshakeResponseReceived,
    },
    protocol::page::LoaderId,
};

/// The number of requests that are kept.
const KEPT: usize = 1_000;

/// The bytes of names and values that are kept of one set of headers.
const HEAD: usize = 64 << 10;

/// The maximum length of a word that a page may choose itself, such as a method, in characters.
const WORD: usize = 200;

/// A request and its outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedRequest {
    /// The number of the request in this tab, counted from 1.
    pub index: usize,
    /// The HTTP method, such as `GET`.
    pub method: String,
    /// The URL without its fragment.
    pub url: String,
    /// `document`, `script`, `xhr`, `fetch`, `image`, `websocket`, ...
    pub kind: String,
    /// The HTTP status; `None` until there is a response.
    pub status: Option<u16>,
    /// The media type, such as `text/html`.
    pub mime: Option<String>,
    /// The reason why the request failed, such as `net::ERR_CONNECTION_REFUSED`.
    pub failure: Option<String>,
    /// Bytes transferred over the network, headers included; `None` until the response is complete.
    pub bytes: Option<u64>,
    /// The time until the response was complete or had failed, in milliseconds.
    pub duration_ms: Option<u64>,
}

/// The recorded requests of a tab.
#[derive(Debug, Default)]
pub(super) struct NetworkLog {
    pub(super) kept: VecDeque<RequestRecord>,
    count: usize,
    /// Number of documents that have been in the main frame.
    pub(super) page: u64,
}

/// A recorded request with the data that is needed to fetch its bodies.
#[derive(Debug)]
pub(super) struct RequestRecord {
    pub(super) request: RecordedRequest,
    pub(super) id: RequestId,
    /// The session that can fetch the bodies.
    pub(super) channel: Channel,
    /// The start time, in seconds of Chromium's clock.
    began: f64,
    pub(super) page: u64,
    pub(super) headers: Headers,
    pub(super) body: Option<String>,
    pub(super) has_body: bool,
    pub(super) answer: Headers,
    is_open: bool,
}

impl NetworkLog {
    /// Notes that another document is in the main frame. Its own request was recorded before this call.
    pub(super) fn next_page(&mut self) {
        self.page += 1;
    }

    /// Returns the number of the last request.
    pub(super) fn last(&self) -> usize {
        self.count
    }

    /// Returns the newest request for data (`xhr` or `fetch`) after the given number that is still open. Event streams
    /// are not counted since they never end, nor are requests of an earlier page since their end is not always
    /// reported.
    pub(super) fn fetching(&self, after: usize) -> Option<usize> {
        let newest = self.kept.iter().rev();
        let newest = newest.take_while(|kept| kept.request.index > after);
        let mut open = newest.filter(|kept| {
            let is_data = matches!(kept.request.kind.as_str(), "xhr" | "fetch");
            kept.is_open && is_data && kept.page == self.page
        });
        open.next().map(|kept| kept.request.index)
    }

    fn begin(&mut self, channel: &Channel, id: RequestId, method: &str, url: &str, kind: &str) -> &mut RequestRecord {
        self.count += 1;
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(RequestRecord {
            request: RecordedRequest {
                index: self.count,
                method: truncate(method, WORD),
                url: truncate(url, URL),
                kind: kind.to_ascii_lowercase(),
                status: None,
                mime: None,
                failure: None,
                bytes: None,
                duration_ms: None,
            },
            id,
            channel: channel.clone(),
            began: 0.0,
            // The request of a main document belongs to the page that it becomes; `request_sent` adds 1.
            page: self.page,
            headers: Headers::default(),
            body: None,
            has_body: false,
            answer: Headers::default(),
            is_open: true,
        });
        let last = self.kept.len() - 1;
        &mut self.kept[last]
    }

    /// Returns the newest request with this id: the hops of a redirect share it.
    fn find(&mut self, id: &RequestId) -> Option<&mut RequestRecord> {
        self.kept.iter_mut().rev().find(|kept| kept.id == *id)
    }
}

impl RequestRecord {
    fn answered(&mut self, response: Response) {
        self.request.status = status(response.status);
        self.request.mime = Some(truncate(&response.mime_type, WORD)).filter(|mime| !mime.is_empty());
        self.answer = limit_headers(response.headers);
    }

    fn ended(&mut self, timestamp: f64) {
        self.is_open = false;
        if self.began > 0.0 {
            self.request.duration_ms = Some(rounded((timestamp - self.began) * 1_000.0));
        }
    }
}

impl TabState {
    pub(super) fn on_network_event(&mut self, channel: &Channel, event: &RawEvent) {
        match &*event.method {
            "Network.requestWillBeSent" => {
                if let Some(sent) = event.get() {
                    self.request_sent(channel, sent);
                }
            }
            "Network.responseReceived" => {
                if let Some(received) = event.get::<ResponseReceived>() {
                    self.response_received(received);
                }
            }
            "Network.loadingFinished" => {
                if let Some(finished) = event.get::<LoadingFinished>()
                    && let Some(kept) = self.network.find(&finished.request_id)
                {
                    kept.ended(finished.timestamp);
                    kept.request.bytes = Some(rounded(finished.encoded_data_length));
                }
            }
            "Network.loadingFailed" => {
                if let Some(failed) = event.get::<LoadingFailed>() {
                    self.request_failed(failed);
                }
            }
            _ => self.on_socket_event(channel, event),
        }
    }

    fn on_socket_event(&mut self, channel: &Channel, event: &RawEvent) {
        if let Some(made) = event.get::<WebSocketCreated>() {
            self.network.begin(channel, made.request_id, "GET", &made.url, "websocket");
        } else if let Some(open) = event.get::<WebSocketHandshakeResponseReceived>() {
            if let Some(kept) = self.network.find(&open.request_id) {
                kept.request.status = status(open.response.status);
            }
        } else if let Some(closed) = event.get::<WebSocketClosed>()
            && let Some(kept) = self.network.find(&closed.request_id)
        {
            kept.ended(closed.timestamp);
        }
    }

    fn request_sent(&mut self, channel: &Channel, sent: RequestWillBeSent) {
        if sent.request.url.starts_with("data:") {
            return;
        }
        let is_document = sent.request_id.0 == sent.loader_id.0;
        if let Some(response) = sent.redirect_response {
            if is_document {
                let (from, to) = (truncate(&response.url, URL), truncate(&sent.request.url, URL));
                self.navigations.redirected(&sent.loader_id, from, to);
            }
            if let Some(hop) = self.network.find(&sent.request_id) {
                hop.answered(response);
                hop.ended(sent.timestamp);
            }
        }
        let kind = sent.kind.as_deref().unwrap_or("other");
        let is_page = is_document && sent.frame_id.as_ref() == Some(&self.frames.main().id);
        let kept = self.network.begin(channel, sent.request_id, &sent.request.method, &sent.request.url, kind);
        kept.began = sent.timestamp;
        kept.page += u64::from(is_page);
        kept.headers = self::limit_headers(sent.request.headers);
        kept.has_body = sent.request.has_post_data || sent.request.post_data.is_some();
        kept.body = sent.request.post_data;
    }

    fn response_received(&mut self, received: ResponseReceived) {
        if received.kind == "Document" {
            let loader = LoaderId(received.request_id.0.clone());
            let document = self.navigations.document(&loader);
            document.status = status(received.response.status);
        }
        if let Some(kept) = self.network.find(&received.request_id) {
            kept.answered(received.response);
        }
    }

    fn request_failed(&mut self, failed: LoadingFailed) {
        self.document_failed(&LoaderId(failed.request_id.0.clone()));
        if let Some(kept) = self.network.find(&failed.request_id) {
            kept.ended(failed.timestamp);
            let reason = failed.blocked_reason.map(|reason| format!("{} ({reason})", failed.error_text));
            kept.request.failure = Some(reason.unwrap_or(failed.error_text));
        }
    }
}

/// Drops headers beyond [`HEAD`] bytes. A `…` header states how many were dropped.
fn limit_headers(mut headers: Headers) -> Headers {
    let mut room = HEAD;
    let all = headers.len();
    headers.retain(|name, value| {
        let size = name.len() + value.len();
        let fits = size <= room;
        room -= if fits { size } else { 0 };
        fits
    });
    let omitted = all - headers.len();
    if omitted > 0 {
        headers.insert("…".to_owned(), format!("{omitted} too long"));
    }
    headers
}

/// Converts a status. Schemes without statuses report 0, which becomes `None`.
fn status(status: i64) -> Option<u16> {
    u16::try_from(status).ok().filter(|status| *status != 0)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and is never negative")]
pub(super) fn rounded(number: f64) -> u64 {
    number.round() as u64
}
