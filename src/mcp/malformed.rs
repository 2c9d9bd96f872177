//! Requests whose `params` do not have the form of their method.
//!
//! rmcp tries every method's form and treats a request that fits none as an unknown method, which hides the error. A
//! known method with malformed `params` is answered with the expected form. Only forms are checked, never values.

use fumi_base::{project::quoted, text::BilingualText};
use rmcp::model::CustomRequest;
use serde_json::Value;

use super::protocol_error::McpError;

/// The methods of both eras that take params, with an example of valid params.
const EXPECTED: [(&str, &str); 9] = [
    ("tools/call", r#"{"name": "list_files", "arguments": {"roots": ["."]}}"#),
    ("tools/list", "{}"),
    ("prompts/list", "{}"),
    ("prompts/get", r#"{"name": "check", "arguments": {"episode": "1"}}"#),
    ("resources/list", "{}"),
    ("resources/templates/list", "{}"),
    ("resources/read", r#"{"uri": "code://file/src/main.py"}"#),
    (
        "completion/complete",
        r#"{"ref": {"type": "ref/resource", "uri": "code://file/{+path}"}, "argument": {"name": "path", "value": "src/"}}"#,
    ),
    ("ping", "{}"),
];

/// The methods of the session era.
const IN_SESSIONS: [(&str, &str); 3] = [
    ("logging/setLevel", r#"{"level": "info"}"#),
    ("resources/subscribe", r#"{"uri": "code://file/src/main.py"}"#),
    ("resources/unsubscribe", r#"{"uri": "code://file/src/main.py"}"#),
];

/// The methods of the stateless era.
const STATELESS: [(&str, &str); 4] = [
    ("subscriptions/listen", r#"{"notifications": {"resourceSubscriptions": ["code://file/src/main.py"]}}"#),
    ("tasks/get", r#"{"taskId": "the id that the call returned"}"#),
    ("tasks/cancel", r#"{"taskId": "the id that the call returned"}"#),
    (
        "tasks/update",
        r#"{"taskId": "the id that the call returned", "inputResponses": {"the key of inputRequests": {"action": "accept", "content": {}}}}"#,
    ),
];

/// Returns the error of a request that rmcp could not read; `None` if its method is unknown or `is_offered` is false for it.
pub fn diagnose(request: &CustomRequest, is_stateless: bool, is_offered: impl Fn(&str) -> bool) -> Option<McpError> {
    let of_era: &[(&str, &str)] = if is_stateless { &STATELESS } else { &IN_SESSIONS };
    let known = EXPECTED
        .iter()
        .filter(|(method, _)| !is_stateless || *method != "ping")
        .chain(of_era)
        .find(|(method, _)| *method == request.method && is_offered(method));
    let (method, expected) = known?;
    Some(McpError::MalformedRequest {
        method: (*method).to_owned(),
        reason: reason(method, request.params.as_ref()),
        expected,
    })
}

fn reason(method: &str, params: Option<&Value>) -> BilingualText {
    let is = |what: &str, value: Option<&Value>, wanted: &str, wanted_ja: &str| {
        let (found, found_ja) = match value {
            // A text of the right type, but not one of the allowed ones.
            Some(Value::String(text)) if what == "level" => (quoted(text), quoted(text)),
            _ => {
                let (en, ja) = kind(value);
                (en.to_owned(), ja.to_owned())
            }
        };
        BilingualText::new(
            format!("{what} is {found}; it must be {wanted}"),
            format!("{what} が{found_ja}になっています。{wanted_ja}で渡してください"),
        )
    };
    let Some(Value::Object(fields)) = params else {
        return is("params", params, "an object", "オブジェクト");
    };
    let (name, arguments) = (fields.get("name"), fields.get("arguments"));
    let (state, responses) = (fields.get("requestState"), fields.get("inputResponses"));
    let is_absent = |value: Option<&Value>| value.is_none_or(Value::is_null);
    let is_call = method == "tools/call";
    let (uri, task, level) = (fields.get("uri"), fields.get("taskId"), fields.get("level"));
    match method {
        "tools/call" | "prompts/get" if !matches!(name, Some(Value::String(_))) => {
            is("name", name, "a string", "文字列")
        }
        "tools/call" | "prompts/get" if !is_absent(arguments) && !arguments.is_some_and(Value::is_object) => {
            is("arguments", arguments, "an object of named arguments", "引数名をキーとするオブジェクト")
        }
        "tools/call" if !is_absent(state) && !state.is_some_and(Value::is_string) => {
            is("requestState", state, "the string that the server gave", "サーバーが返した文字列のまま")
        }
        "tasks/get" | "tasks/cancel" | "tasks/update" if !matches!(task, Some(Value::String(_))) => {
            is("taskId", task, "a string", "文字列")
        }
        // A call may have none.
        "tools/call" | "tasks/update"
            if !(responses.is_some_and(Value::is_object) || is_call && is_absent(responses)) =>
        {
            is(
                "inputResponses",
                responses,
                "an object with an answer for each key of inputRequests",
                "inputRequests のキーごとに回答を入れたオブジェクト",
            )
        }
        "resources/read" | "resources/subscribe" | "resources/unsubscribe"
            if !matches!(uri, Some(Value::String(_))) =>
        {
            is("uri", uri, "a string", "文字列")
        }
        "logging/setLevel" => is(
            "level",
            level,
            "one of debug, info, notice, warning, error, critical, alert and emergency",
            "debug、info、notice、warning、error、critical、alert、emergency のいずれか",
        ),
        _ => BilingualText::new(
            "a field is missing, or its type is not the one that the protocol defines",
            "必要なフィールドがないか、型がプロトコルの定めと違います",
        ),
    }
}

fn kind(value: Option<&Value>) -> (&'static str, &'static str) {
    match value {
        None => ("missing", "未指定"),
        Some(Value::Null) => ("null", " null "),
        Some(Value::Bool(_)) => ("a boolean", "真偽値"),
        Some(Value::Number(_)) => ("a number", "数値"),
        Some(Value::String(_)) => ("a string", "文字列"),
        Some(Value::Array(_)) => ("a list", "配列"),
        Some(Value::Object(_)) => ("an object", "オブジェクト"),
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::CustomRequest;
    use serde_json::{Value, json};

    use super::{EXPECTED, IN_SESSIONS, McpError, STATELESS, diagnose};

    fn said(method: &str, params: Value, is_stateless: bool) -> Option<String> {
        match diagnose(&CustomRequest::new(method, Some(params)), is_stateless, |method| method != "prompts/list") {
            Some(McpError::MalformedRequest { reason, .. }) => Some(reason.en.into_owned()),
            _ => None,
        }
    }

    #[test]
    fn malformed_params_name_the_wrong_field() {
        for (params, expected) in [
            (json!([]), "params is a list; it must be an object"),
            (json!({"name": 7}), "name is a number; it must be a string"),
            (
                json!({"name": "list_files", "arguments": ["."]}),
                "arguments is a list; it must be an object of named arguments",
            ),
            (
                json!({"name": "list_files", "arguments": "."}),
                "arguments is a string; it must be an object of named arguments",
            ),
            (
                json!({"name": "list_files", "requestState": 7}),
                "requestState is a number; it must be the string that the server gave",
            ),
            (
                json!({"name": "list_files", "inputResponses": []}),
                "inputResponses is a list; it must be an object with an answer for each key of inputRequests",
            ),
        ] {
            assert_eq!(said("tools/call", params, true).as_deref(), Some(expected));
        }
    }

    #[test]
    fn methods_beside_calls_name_their_wrong_field() {
        for (method, params, is_stateless, expected) in [
            ("prompts/get", json!({}), true, "name is missing; it must be a string"),
            (
                "prompts/get",
                json!({"name": "a", "arguments": []}),
                false,
                "arguments is a list; it must be an object of named arguments",
            ),
            (
                "logging/setLevel",
                json!({"level": 7}),
                false,
                "level is a number; it must be one of debug, info, notice, warning, error, critical, alert and emergency",
            ),
            (
                "logging/setLevel",
                json!({"level": "INFO"}),
                false,
                "level is \"INFO\"; it must be one of debug, info, notice, warning, error, critical, alert and emergency",
            ),
            ("tasks/update", json!({"taskId": null}), true, "taskId is null; it must be a string"),
            (
                "tasks/update",
                json!({"taskId": "a"}),
                true,
                "inputResponses is missing; it must be an object with an answer for each key of inputRequests",
            ),
        ] {
            assert_eq!(said(method, params, is_stateless).as_deref(), Some(expected), "{method}");
        }
    }

    #[test]
    fn a_method_of_the_other_era_is_unknown() {
        assert!(said("resources/subscribe", json!({}), true).is_none());
        assert!(said("subscriptions/listen", json!({}), false).is_none());
        assert!(said("no/such/method", json!({}), true).is_none());
        // It is not offered.
        assert!(said("prompts/list", json!([]), true).is_none());
    }

    #[test]
    fn expected_params_are_valid_json() {
        for (method, expected) in EXPECTED.iter().chain(&IN_SESSIONS).chain(&STATELESS) {
            assert!(serde_json::from_str::<Value>(expected).is_ok(), "{method}");
        }
    }
}
