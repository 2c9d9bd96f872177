//! The wire formats of providers: chat completions of `OpenAI`, messages of Anthropic.
//!
//! Replies are parsed leniently, because each compatible server omits something else, except for the two fields that
//! decide whether a reply is an answer: its text, and the reason why it ended. Nothing is sent here.

use fumi_config::{ProviderConfig, ProviderKind};
use fumi_kernel::conversation::{Prompt, Speaker};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The version of the API that requests are written for.
pub(super) const ANTHROPIC_VERSION: &str = "2023-06-01";

/// The maximum length of a shown error message, in characters.
const COMPLAINT: usize = 300;

/// Returns the path of requests, relative to the base URL.
pub(super) const fn path(kind: ProviderKind) -> &'static str {
    match kind {
        ProviderKind::OpenAi => "/chat/completions",
        ProviderKind::Anthropic => "/v1/messages",
    }
}

/// The name of the field that limits the length of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LimitField {
    /// `max_tokens`, which nearly every server accepts.
    Usual,
    /// [`LimitField::NEWER`], which reasoning models require.
    Newer,
}

impl LimitField {
    /// The newer name of the field.
    pub(super) const NEWER: &str = "max_completion_tokens";
}

/// Formats a request as JSON.
pub(super) fn body(config: &ProviderConfig, prompt: &Prompt, limit: LimitField) -> String {
    let turns = prompt.turns().iter().map(|turn| {
        let role = match turn.speaker {
            Speaker::User => "user",
            Speaker::Model => "assistant",
        };
        json!({"role": role, "content": turn.text})
    });
    let limit = match limit {
        LimitField::Usual => "max_tokens",
        LimitField::Newer => LimitField::NEWER,
    };
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(config.model));
    body.insert(limit.to_owned(), json!(config.max_tokens));
    body.insert("messages".to_owned(), turns.collect());
    Value::Object(body).to_string()
}

/// A parsed reply of a provider.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProviderReply {
    pub(super) text: String,
    pub(super) end: EndReason,
    pub(super) input_tokens: Option<u64>,
    pub(super) output_tokens: Option<u64>,
}

/// The reason why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndReason {
    /// The answer is complete.
    Whole,
    /// The answer reached the limit of its length.
    Cut,
    /// The provider, or its model, refused to write it.
    Filtered,
}

/// Parses a reply. The error describes what is wrong with it.
pub(super) fn parse_reply(kind: ProviderKind, body: &[u8]) -> Result<ProviderReply, String> {
    match kind {
        ProviderKind::OpenAi => completion(body),
        ProviderKind::Anthropic => message(body),
    }
}

/// A text, or parts of which some are text.
#[derive(Deserialize)]
#[serde(untagged)]
enum ReplyContent {
    Text(String),
    Parts(Vec<ContentPart>),
}

#[derive(Deserialize)]
struct ContentPart {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    text: String,
}

impl ReplyContent {
    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            // Thoughts and tool calls are not part of an answer.
            Self::Parts(parts) => parts
                .into_iter()
                .filter(|part| matches!(part.kind.as_str(), "text" | "output_text"))
                .map(|part| part.text)
                .collect(),
        }
    }
}

fn completion(body: &[u8]) -> Result<ProviderReply, String> {
    #[derive(Deserialize)]
    struct ReplyBody {
        choices: Vec<Choice>,
        usage: Option<ReplyUsage>,
    }
    #[derive(Deserialize)]
    struct Choice {
        message: ChoiceMessage,
        finish_reason: Option<String>,
    }
    #[derive(Deserialize)]
    struct ChoiceMessage {
        content: Option<ReplyContent>,
        refusal: Option<String>,
    }
    #[derive(Deserialize)]
    struct ReplyUsage {
        prompt_tokens: Option<u64>,
        completion_tokens: Option<u64>,
    }
    let reply: ReplyBody = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let choice = reply.choices.into_iter().next().ok_or("it has no choices")?;
    let is_refused = choice.message.refusal.is_some_and(|refusal| !refusal.is_empty());
    let end = match choice.finish_reason.as_deref() {
        Some("length") => EndReason::Cut,
        Some("content_filter") => EndReason::Filtered,
        _ if is_refused => EndReason::Filtered,
        _ => EndReason::Whole,
    };
    Ok(ProviderReply {
        text: choice.message.content.map(ReplyContent::text).unwrap_or_default(),
        end,
        input_tokens: reply.usage.as_ref().and_then(|usage| usage.prompt_tokens),
        output_tokens: reply.usage.as_ref().and_then(|usage| usage.completion_tokens),
    })
}

fn message(body: &[u8]) -> Result<ProviderReply, String> {
    #[derive(Deserialize)]
    struct ReplyBody {
        content: ReplyContent,
        stop_reason: Option<String>,
        usage: Option<ReplyUsage>,
    }
    #[derive(Deserialize)]
    struct ReplyUsage {
        input_tokens: Option<u64>,
        output_tokens: Option<u64>,
    }
    let reply: ReplyBody = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let end = match reply.stop_reason.as_deref() {
        Some("max_tokens" | "model_context_window_exceeded") => EndReason::Cut,
        Some("refusal") => EndReason::Filtered,
        _ => EndReason::Whole,
    };
    Ok(ProviderReply {
        text: reply.content.text(),
        end,
        input_tokens: reply.usage.as_ref().and_then(|usage| usage.input_tokens),
        output_tokens: reply.usage.as_ref().and_then(|usage| usage.output_tokens),
    })
}

/// Extracts the message of an error's body, in one line: both kinds have `error.message`, others nearly anything.
pub(super) fn error_message_of(body: &[u8]) -> String {
    let json: Value = serde_json::from_slice(body).unwrap_or_default();
    let said =
        ["/error/message", "/error", "/message", "/detail"].iter().find_map(|place| json.pointer(place)?.as_str());
    let said = said.map_or_else(|| String::from_utf8_lossy(body).into_owned(), str::to_owned);
    let line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(COMPLAINT).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{EndReason, ProviderKind, ProviderReply, error_message_of, parse_reply};

    fn read(kind: ProviderKind, reply: &Value) -> ProviderReply {
        parse_reply(kind, reply.to_string().as_bytes()).expect("a reply")
    }

    #[test]
    fn replies_of_both_kinds_are_read() {
        let completion = json!({
            "choices": [{"message": {"role": "assistant", "content": "雨。"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7},
        });
        let message = json!({
            "content": [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": "雨"}, {"type": "text", "text": "。"}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 5, "output_tokens": 2},
        });
        for (kind, reply) in [(ProviderKind::OpenAi, completion), (ProviderKind::Anthropic, message)] {
            let expected = ProviderReply {
                text: "雨。".to_owned(),
                end: EndReason::Whole,
                input_tokens: Some(5),
                output_tokens: Some(2),
            };
            assert_eq!(read(kind, &reply), expected);
        }
    }

    #[test]
    fn how_an_answer_ended_is_known() {
        let completion = |content: Value, reason: &str, refusal: Value| json!({"choices": [{"message": {"content": content, "refusal": refusal}, "finish_reason": reason}]});
        for (reply, expected) in [
            (completion(json!("x"), "length", Value::Null), EndReason::Cut),
            (completion(Value::Null, "content_filter", Value::Null), EndReason::Filtered),
            (completion(Value::Null, "stop", json!("I can't.")), EndReason::Filtered),
            (completion(json!("x"), "eos", Value::Null), EndReason::Whole),
        ] {
            assert_eq!(read(ProviderKind::OpenAi, &reply).end, expected, "{reply}");
        }
        for (reason, expected) in
            [("max_tokens", EndReason::Cut), ("refusal", EndReason::Filtered), ("stop_sequence", EndReason::Whole)]
        {
            let reply = json!({"content": [], "stop_reason": reason});
            assert_eq!(read(ProviderKind::Anthropic, &reply).end, expected, "{reply}");
        }
    }

    #[test]
    fn malformed_reply_is_an_error() {
        for body in ["", "{", "[]", "{\"choices\": []}", "{\"choices\": 7}", "\"x\""] {
            assert!(parse_reply(ProviderKind::OpenAi, body.as_bytes()).is_err(), "{body}");
            assert!(parse_reply(ProviderKind::Anthropic, body.as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn a_complaint_is_one_short_line() {
        for (body, expected) in [
            ("{\"error\": {\"message\": \"no\\nsuch model\"}}", "no such model"),
            ("{\"error\": \"model not found\"}", "model not found"),
            ("<html>\n502</html>", "<html> 502</html>"),
            ("", ""),
        ] {
            assert_eq!(error_message_of(body.as_bytes()), expected);
        }
        assert_eq!(error_message_of("字".repeat(999).as_bytes()).chars().count(), 300);
    }
}
