//! A cached reply in rendered form: rendered once, then only copied.
//!
//! A repeated reply differs from the last one only in its elapsed time, so that everything else is stored as the JSON
//! that protocols send. Only replies with their whole answer are stored: a cut one has a cursor, which is new each
//! time. The protocol's envelope is not known here.

use std::io::Write as _;

use serde_json::Value;

use super::ToolReply;

/// The field with the elapsed time of a call.
const ELAPSED: &str = "elapsed_ms";

/// A rendered reply. Secrets are redacted already.
#[derive(Debug)]
pub struct RenderedReply {
    /// The structure as JSON, without the value of the time.
    structured: Vec<u8>,
    /// The byte offset at which the time is inserted.
    elapsed_at: Option<usize>,
    /// The text as a JSON string.
    text: String,
    /// The estimated tokens of the reply.
    tokens: usize,
}

impl RenderedReply {
    /// Renders the reply to the same call. Returns `None` for an error and for a reply with images or links.
    #[must_use]
    pub fn from_reply(reply: &ToolReply) -> Option<Self> {
        if !reply.blocks.is_empty() || reply.is_error {
            return None;
        }
        let (structured, elapsed_at) = with_gap(&reply.structured);
        Some(Self {
            structured,
            elapsed_at,
            text: Value::String(reply.text.clone()).to_string(),
            tokens: reply.tokens(),
        })
    }

    /// Returns the text as a JSON string.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the estimated tokens of the reply.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// Writes the structure as JSON, with the time of this call.
    pub fn write_structured(&self, elapsed_ms: u64, out: &mut Vec<u8>) {
        let (before, after) = self.structured.split_at(self.elapsed_at.unwrap_or(0));
        out.extend_from_slice(before);
        if self.elapsed_at.is_some() {
            write!(out, "{elapsed_ms}").expect("memory can be written to");
        }
        out.extend_from_slice(after);
    }

    /// Returns the approximate memory that it takes, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.structured.len() + self.text.len()
    }
}

/// Returns a structure as JSON without the value of its time, and the byte offset of that value.
fn with_gap(structured: &Value) -> (Vec<u8>, Option<usize>) {
    let Value::Object(fields) = structured else {
        return (structured.to_string().into_bytes(), None);
    };
    let (mut json, mut gap) = (vec![b'{'], None);
    for (at, (name, value)) in fields.iter().enumerate() {
        if at > 0 {
            json.push(b',');
        }
        serde_json::to_writer(&mut json, name).expect("a string is JSON");
        json.push(b':');
        if name == ELAPSED {
            gap = Some(json.len());
        } else {
            serde_json::to_writer(&mut json, value).expect("a value is JSON");
        }
    }
    json.push(b'}');
    (json, gap)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{RenderedReply, ToolReply};

    fn reply(structured: Value) -> ToolReply {
        ToolReply {
            structured,
            text: "a \"b\"\n文".to_owned(),
            blocks: Vec::new(),
            is_error: false,
            asked: None,
            instead: None,
            cache_hit: true,
            elapsed_ms: 7,
            usage: None,
            unfiltered: None,
            required: None,
        }
    }

    fn written(structured: Value, elapsed_ms: u64) -> Value {
        let mut out = Vec::new();
        RenderedReply::from_reply(&reply(structured))
            .expect("only structure and text")
            .write_structured(elapsed_ms, &mut out);
        serde_json::from_slice(&out).expect("it is JSON")
    }

    #[test]
    fn only_the_time_differs() {
        let of =
            |elapsed: u64| json!({"success": true, "elapsed_ms": elapsed, "rows": [{"elapsed_ms": 1}, "文 \"q\""]});
        assert_eq!(written(of(7), 12), of(12));
        for without in [
            json!({}),
            json!({"total_matches": 3}),
            json!([1, {"elapsed_ms": 2}]),
            json!(5),
        ] {
            assert_eq!(written(without.clone(), 12), without);
        }
        assert_eq!(written(json!({"elapsed_ms": 0}), 3), json!({"elapsed_ms": 3}));
    }

    #[test]
    fn the_text_is_a_json_string() {
        let ready = RenderedReply::from_reply(&reply(json!({}))).expect("only structure and text");
        let text: Value = serde_json::from_str(ready.text()).expect("it is JSON");
        assert_eq!(text, "a \"b\"\n文");
    }

    #[test]
    fn failures_and_pictures_are_not_kept() {
        let mut failed = reply(json!({}));
        failed.is_error = true;
        assert!(RenderedReply::from_reply(&failed).is_none());
    }
}
