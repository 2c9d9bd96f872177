//! The log as JSON, as programs read it: durations are numbers, reasons and causes are words.

use std::net::TcpListener;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use fumi::http::auth::tokens::sha256_of;
use jsonwebtoken::get_current_timestamp;
use serde_json::{Value, json};

use crate::{harness::STATELESS, novel::novel, program::Program, sample::Sample};

/// Starts a program that logs JSON.
fn start(sample: &Sample, settings: &[(&str, &str)]) -> Program {
    let mut all = vec![("LOG__FORMAT", "json")];
    all.extend_from_slice(settings);
    Program::start(sample, &all)
}

/// Posts JSON with these header lines. Returns the status.
fn post(program: &Program, path: &str, headers: &str, body: &Value) -> u16 {
    let (host, body) = (&program.address, body.to_string());
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    );
    program.ask((head + &body).as_bytes()).status
}

/// Ends the program. Returns the fields of every line of its log.
fn logged(program: Program) -> Vec<Value> {
    let log = program.survived();
    log.lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}"));
            line["fields"].clone()
        })
        .collect()
}

/// Returns the lines with a message.
fn with<'l>(lines: &'l [Value], message: &str) -> Vec<&'l Value> {
    lines.iter().filter(|fields| fields["message"] == message).collect()
}

/// Returns an address at which nothing listens.
fn closed() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

#[test]
fn a_line_of_the_access_log_has_numbers() {
    let sample = Sample::new();
    let program = start(&sample, &[]);
    assert_eq!(post(&program, "/v1/tools/list_files", "", &json!({"roots": ["."]})), 200);
    let lines = logged(program);
    let requests = with(&lines, "request");
    assert!(!requests.is_empty(), "{lines:?}");
    for fields in requests {
        for name in ["ms", "status", "bytes"] {
            assert!(fields[name].is_number(), "{name}: {fields}");
        }
    }
}

/// Clients hang up all the time: an operator is not called for that.
#[test]
fn a_client_that_hangs_up_is_not_an_error_of_the_server() {
    let sample = Sample::new();
    let program = start(&sample, &[]);
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {
            "name": "search_content",
            "arguments": {"roots": ["."], "query": "."},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": STATELESS,
                "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    })
    .to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {STATELESS}\r\n\
         Mcp-Method: tools/call\r\nMcp-Name: search_content\r\nContent-Length: {}\r\n\r\n{body}",
        program.address,
        body.len()
    );
    for _ in 0..100 {
        program.connect().send(request.as_bytes());
    }
    let log = program.survived();
    let errors: Vec<&str> = log.lines().filter(|line| line.contains(r#""level":"ERROR""#)).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn reasons_of_refusals_are_words() {
    let sample = novel();
    let sha256 = sha256_of("secret");
    let tokens = format!("[{{name=\"ci\",sha256={sha256:?}}}]");
    let program = start(&sample, &[("AUTH__MODE", "tokens"), ("AUTH__TOKENS", &tokens)]);
    for headers in ["", "Authorization: Bearer wrong\r\n"] {
        let status = post(&program, "/v1/tools/list_files", headers, &json!({"roots": ["."]}));
        assert_eq!(status, 401);
    }
    let forged = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {
            "name": "noveler_plot",
            "arguments": {"episode": 2, "regenerate": true},
            "requestState": "forged",
            "inputResponses": {"answer": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "x"}}},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": STATELESS,
                "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {"sampling": {}},
            },
        },
    });
    let headers = format!(
        "Authorization: Bearer secret\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: {STATELESS}\r\nMcp-Method: tools/call\r\nMcp-Name: noveler_plot\r\n"
    );
    post(&program, "/mcp", &headers, &forged);
    let lines = logged(program);
    let reasons = |message: &str, name: &str| -> Vec<Value> {
        let found = with(&lines, message);
        found.into_iter().map(|fields| fields[name].clone()).collect()
    };
    assert_eq!(
        reasons("refused: not authenticated", "reason"),
        ["the Authorization header is missing", "the token is not known"]
    );
    assert_eq!(reasons("a requestState was rejected", "why"), ["no seal"]);
}

#[test]
fn the_cause_of_an_unreachable_issuer_is_logged() {
    let sample = Sample::new();
    let (issuer, audience) = (format!("http://{}", closed()), "https://fumi.example.com/mcp");
    let program = start(
        &sample,
        &[("AUTH__MODE", "oauth"), ("AUTH__OAUTH__ISSUER", &issuer), ("AUTH__OAUTH__AUDIENCE", audience)],
    );
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let head = part(&json!({"alg": "ES256", "kid": "k"}));
    let claims = json!({"iss": issuer, "aud": audience, "sub": "alice", "exp": get_current_timestamp() + 600});
    let signature = URL_SAFE_NO_PAD.encode([0; 64]);
    let headers = format!("Authorization: Bearer {head}.{}.{signature}\r\n", part(&claims));
    let status = post(&program, "/v1/tools/list_files", &headers, &json!({"roots": ["."]}));
    assert_eq!(status, 503);
    let lines = logged(program);
    let failed = with(&lines, "the keys of the authorization server cannot be read");
    assert_eq!(failed.len(), 1, "{lines:?}");
    assert!(failed[0]["error"].as_str().unwrap().contains("Connection refused"), "{failed:?}");
}

#[test]
fn the_cause_of_an_unreachable_provider_is_logged() {
    let sample = novel();
    let base = format!("http://{}/v1", closed());
    let program = start(
        &sample,
        &[
            ("NOVEL__AUTHOR", "provider"),
            ("NOVEL__PROVIDER__BASE_URL", &base),
            ("NOVEL__PROVIDER__MODEL", "a-model"),
            ("NOVEL__PROVIDER__RETRY_MS", "1"),
        ],
    );
    let arguments = json!({"episode": 2, "regenerate": true});
    assert_eq!(post(&program, "/v1/tools/noveler_plot", "", &arguments), 502);
    let lines = logged(program);
    let failed = with(&lines, "the provider returned no text");
    assert_eq!(failed.len(), 1, "{lines:?}");
    assert!(failed[0]["error"].as_str().unwrap().contains("Connection refused"), "{failed:?}");
}
