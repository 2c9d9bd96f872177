//! How the edge says no: one form for every refusal that happens before a tool is asked.
//!
//! The body is the error object of the tools, so that a client reads one form everywhere; the sentences stand in
//! `errors.toml` beside this file. Which status means what is decided by those who refuse.

use std::{sync::LazyLock, time::Duration};

use axum::{
    Json,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use fumi_base::errors::{Book, Lesson};
use serde_json::{Map, Value, json};

/// The refusals of the edge.
pub static BOOK: LazyLock<Book> = LazyLock::new(|| Book::embedded(include_str!("errors.toml")));

/// A refused request.
#[derive(Debug)]
pub struct Refusal {
    status: StatusCode,
    lesson: Box<Lesson>,
    headers: HeaderMap,
}

impl Refusal {
    /// A refusal by its entry in the book.
    #[must_use]
    pub fn new(status: StatusCode, entry: &'static str, facts: &[(&'static str, String)]) -> Self {
        Self {
            status,
            lesson: Box::new(BOOK.lesson(entry, facts)),
            headers: HeaderMap::new(),
        }
    }

    /// The same for a while: says in how many seconds (at least one) it is worth trying again.
    #[must_use]
    pub fn for_now(status: StatusCode, entry: &'static str, facts: &[(&'static str, String)], wait: Duration) -> Self {
        let seconds = seconds(wait);
        let mut facts = facts.to_vec();
        facts.push(("retry_after", seconds.to_string()));
        Self::new(status, entry, &facts).with(header::RETRY_AFTER, &seconds.to_string())
    }

    /// Adds a header. A value that no header can have is left out.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(name, value);
        }
        self
    }

    /// The public code.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.lesson.code
    }
}

/// Whole seconds, rounded up, at least one: zero would invite a client to try at once.
fn seconds(wait: Duration) -> u64 {
    (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1)
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Self {
            status,
            lesson,
            headers,
        } = self;
        let details: Map<String, Value> = lesson
            .facts
            .iter()
            .filter(|(name, _)| !name.ends_with("_ja"))
            .map(|(name, value)| ((*name).to_owned(), json!(value)))
            .collect();
        let body = json!({
            "success": false,
            "error": {
                "type": lesson.class.name(),
                "code": lesson.code,
                "message": lesson.message.say(None),
                "details": details,
                "guidance": {"explanation": lesson.next.say(None)},
                "troubleshooting_url": format!("/v1/errors#{}", lesson.kind),
            },
        });
        (status, headers, Json(body)).into_response()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::seconds;

    #[test]
    fn waiting_is_rounded_up_to_whole_seconds() {
        for (millis, expected) in [(0, 1), (1, 1), (1_000, 1), (1_001, 2), (59_999, 60)] {
            assert_eq!(seconds(Duration::from_millis(millis)), expected);
        }
    }
}
