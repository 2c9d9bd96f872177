//! Calls of the stateless era are answered without the protocol library where they are as they should be. Here the same
//! requests go both ways, and what comes back must be the same.

use std::sync::Arc;

use fumi::{
    mcp::{self, server::McpServer as Handler, stateless::StatelessCalls},
    tool::{Effect, catalogue::ToolEntry},
};
use http::Request;
use proptest::{
    prelude::*,
    sample::select,
    strategy::ValueTree as _,
    test_runner::{Config, RngSeed, TestRunner},
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    harness::{STATELESS, messages},
    sample::{Sample, needs_a_page},
};

/// A request as it goes out.
#[derive(Clone, Debug)]
struct Sent {
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Sent {
    fn of(message: &Value) -> Self {
        let name = message["params"]["name"].as_str().unwrap_or_default();
        let headers = [
            ("host", "localhost"),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", STATELESS),
            ("mcp-method", "tools/call"),
            ("mcp-name", name),
        ];
        Self {
            headers: headers
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .to_vec(),
            body: message.to_string().into_bytes(),
        }
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(own, _)| own != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn and(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(own, _)| own != name);
        self
    }

    fn request<B>(&self, body: B) -> Request<B> {
        let request = self
            .headers
            .iter()
            .fold(Request::post("/mcp"), |request, (name, value)| {
                request.header(name, value)
            });
        request.body(body).unwrap()
    }
}

fn call(tool: &str, arguments: &Value) -> Value {
    json!({
        "jsonrpc": "2.0", "id": 7, "method": "tools/call",
        "params": {
            "name": tool,
            "arguments": arguments,
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": STATELESS,
                "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    })
}

/// From a request to status and body.
type Library = Box<dyn Fn(Request<axum::body::Body>) -> std::pin::Pin<Box<dyn Future<Output = (u16, String)> + Send>>>;

/// Both ways over the same parts.
struct Both {
    calls: StatelessCalls,
    library: Library,
}

impl Both {
    fn new(sample: &Sample) -> Self {
        let app = sample.app();
        let streams = mcp::sessions::SessionRegistry::new(&app);
        let closing = CancellationToken::new();
        let handler = Handler::new(Arc::clone(&app), Arc::clone(&streams));
        let calls = StatelessCalls::new(handler.clone(), closing.clone());
        let service = mcp::endpoint(&app, &streams, closing, move || handler.clone()).service;
        Self {
            calls,
            library: Box::new(move |request| {
                let service = service.clone();
                Box::pin(async move {
                    let answer = service.handle(request).await.map(axum::body::Body::new);
                    let status = answer.status().as_u16();
                    let body = axum::body::to_bytes(answer.into_body(), usize::MAX).await.unwrap();
                    (status, String::from_utf8(body.to_vec()).unwrap())
                })
            }),
        }
    }

    async fn direct(&self, sent: &Sent) -> Option<Value> {
        let (parts, ()) = sent.request(()).into_parts();
        let reply = self.calls.answer(&parts, &sent.body).await?;
        Some(serde_json::from_slice(&reply).unwrap())
    }

    async fn library(&self, sent: &Sent) -> (u16, Value) {
        let (status, raw) = (self.library)(sent.request(sent.body.clone().into())).await;
        let message = messages(&raw).into_iter().next();
        (status, message.unwrap_or(Value::String(raw)))
    }
}

/// What differs from one call to the next: times, and whether and how the reply was kept.
fn comparable(mut message: Value) -> Value {
    let result = &mut message["result"];
    for pointer in [
        "/structuredContent/elapsed_ms",
        "/_meta/fumi~1elapsed_ms",
        "/_meta/fumi~1tokens",
    ] {
        if let Some(value) = result.pointer_mut(pointer) {
            assert!(value.is_u64(), "{value}");
            *value = json!(0);
        }
    }
    if let Some(error) = result.pointer_mut("/structuredContent/error/timestamp") {
        *error = json!("");
    }
    for part in ["structuredContent", "_meta"] {
        if let Some(fields) = result.get_mut(part).and_then(Value::as_object_mut) {
            fields.remove("cache_hit");
            fields.remove("execution_time_seconds");
        }
    }
    message
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tools_example_is_answered_alike_both_ways() {
    let sample = Sample::new();
    let both = Both::new(&sample);
    let app = sample.app();
    // A tool that asks makes a conversation of its call, what was written once is not written again, and a record has its own name.
    // Without a session of the protocol every call of a browser tool begins one of the browser, with a name of its own.
    // Steps of a batch say themselves how long they took, and what came from the cache.
    let is_kept = |entry: &ToolEntry| matches!(entry.spec.effect, Effect::Write | Effect::Records | Effect::OfSteps);
    let repeats = |entry: &&ToolEntry| !entry.asks && !is_kept(entry) && !needs_a_page(entry);
    for entry in app.catalogue.entries().iter().filter(repeats) {
        let name = entry.spec.name;
        let example = Value::Object(sample.example(entry));
        for arguments in [example.clone(), json!({"no_such_argument": 1})] {
            let sent = Sent::of(&call(name, &arguments));
            let (status, by_library) = both.library(&sent).await;
            assert_eq!(status, 200, "{name}");
            // Worked out, then from the cache, then as it was rendered.
            for time in 0..4 {
                let direct = both
                    .direct(&sent)
                    .await
                    .unwrap_or_else(|| panic!("{name} is left to the library"));
                assert_eq!(
                    comparable(direct.clone()).to_string(),
                    comparable(by_library.clone()).to_string(),
                    "{name}, {time}: the same fields in the same order"
                );
                let tokens = direct["result"]["_meta"]["fumi/tokens"].as_u64().unwrap();
                let other = by_library["result"]["_meta"]["fumi/tokens"].as_u64().unwrap();
                assert!(tokens.abs_diff(other) <= 12, "{name}: {tokens} and {other} tokens");
            }
        }
    }
}

/// A reply that is kept is as fresh as one that is worked out.
#[tokio::test(flavor = "multi_thread")]
async fn a_kept_reply_is_never_stale() {
    let sample = Sample::new();
    let both = Both::new(&sample);
    let sent = Sent::of(&call(
        "search_content",
        &json!({"roots": ["."], "query": "canary_[0-9]+", "total_only": true}),
    ));
    for number in 1..30_u64 {
        sample.file(&format!("src/new{number}.py"), format!("canary_{number}\n"));
        for _ in 0..4 {
            let reply = both.direct(&sent).await.unwrap();
            assert_eq!(reply["result"]["structuredContent"]["total_matches"], number);
        }
    }
}

/// What is not as it should be is for the library to judge; what is, it would answer.
#[tokio::test(flavor = "multi_thread")]
async fn irregular_requests_are_left_to_the_library() {
    let sample = Sample::new();
    let both = Both::new(&sample);
    let good = call("list_files", &json!({"roots": ["."]}));
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut message = good.clone();
        change(&mut message);
        Sent::of(&message)
    };
    let sent = Sent::of(&good);
    assert!(both.direct(&sent).await.is_some());
    let version = "io.modelcontextprotocol/protocolVersion";
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    for (what, irregular) in [
        (
            "another method in the header",
            sent.clone().with("mcp-method", "tools/list"),
        ),
        ("no method in the header", sent.clone().without("mcp-method")),
        (
            "two methods in the header",
            sent.clone().and("mcp-method", "tools/call"),
        ),
        (
            "another name in the header",
            sent.clone().with("mcp-name", "search_content"),
        ),
        ("no name in the header", sent.clone().without("mcp-name")),
        ("two names in the header", sent.clone().and("mcp-name", "list_files")),
        (
            "another version",
            sent.clone().with("mcp-protocol-version", "2025-11-25"),
        ),
        ("no version", sent.clone().without("mcp-protocol-version")),
        ("no JSON accepted", sent.clone().with("accept", "text/event-stream")),
        (
            "JSON refused",
            sent.clone().with("accept", "application/json;q=0, text/event-stream"),
        ),
        ("text", sent.clone().with("content-type", "text/plain")),
        ("no type", sent.clone().without("content-type")),
        (
            "another JSON-RPC",
            changed(&|message| message["jsonrpc"] = json!("1.0")),
        ),
        (
            "no id",
            changed(&|message| drop(message.as_object_mut().unwrap().remove("id"))),
        ),
        ("an id that is no id", changed(&|message| message["id"] = json!({}))),
        (
            "another method",
            changed(&|message| message["method"] = json!("tools/list")),
        ),
        (
            "an unknown tool",
            changed(&|message| message["params"]["name"] = json!("list_file")),
        ),
        (
            "no arguments' object",
            changed(&|message| message["params"]["arguments"] = json!([])),
        ),
        (
            "no meta",
            changed(&|message| drop(message["params"].as_object_mut().unwrap().remove("_meta"))),
        ),
        (
            "another version in the meta",
            changed(&|message| message["params"]["_meta"][version] = json!("2025-11-25")),
        ),
        (
            "no capabilities",
            changed(&|message| drop(message["params"]["_meta"].as_object_mut().unwrap().remove(capabilities))),
        ),
        (
            "wrong capabilities",
            changed(&|message| message["params"]["_meta"][capabilities] = json!({"roots": 5})),
        ),
        (
            "a wish for progress",
            changed(&|message| message["params"]["_meta"]["progressToken"] = json!(1)),
        ),
    ] {
        assert!(both.direct(&irregular).await.is_none(), "{what}");
    }
    let mut broken = sent.clone();
    broken.body.truncate(40);
    assert!(both.direct(&broken).await.is_none());
}

/// Random pieces of requests in random places: whatever is answered directly is what the library answers.
#[tokio::test(flavor = "multi_thread")]
async fn random_requests_are_answered_alike_both_ways() {
    let sample = Sample::new();
    let both = Both::new(&sample);
    let seed = std::env::var("FUMI_PROPERTY_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let mut runner = TestRunner::new(Config {
        rng_seed: RngSeed::Fixed(seed.unwrap_or(11)),
        ..Config::default()
    });
    let piece = || {
        select(vec![
            json!(null),
            json!(true),
            json!(0),
            json!(-1),
            json!(1.5),
            json!(9_007_199_254_740_993_u64),
            json!(""),
            json!("2.0"),
            json!("tools/call"),
            json!("list_files"),
            json!("mcp__x__list_files"),
            json!(STATELESS),
            json!("2025-11-25"),
            json!([]),
            json!({}),
            json!({"roots": ["."]}),
            json!({"roots": ["."], "pattern": null}),
            json!({"elicitation": {}}),
            json!({"roots": {"listChanged": true}}),
            json!(["."]),
        ])
    };
    let place = select(vec![
        "/jsonrpc",
        "/id",
        "/method",
        "/params",
        "/params/name",
        "/params/arguments",
        "/params/_meta",
        "/params/extra",
        "/params/arguments/roots",
        "/params/requestState",
        "/extra",
        "/params/_meta/io.modelcontextprotocol~1protocolVersion",
        "/params/_meta/io.modelcontextprotocol~1clientCapabilities",
        "/params/_meta/io.modelcontextprotocol~1clientInfo",
        "/params/_meta/progressToken",
        "/params/_meta/x",
    ]);
    let change = (place, piece(), any::<bool>());
    let (mut directly, mut at_all) = (0, 0);
    for _ in 0..400 {
        let (place, piece, removes) = change.new_tree(&mut runner).unwrap().current();
        let mut message = call("list_files", &json!({"roots": ["."], "count_only": true}));
        let (parent, name) = place.rsplit_once('/').unwrap();
        let name = name.replace("~1", "/");
        let Some(fields) = message.pointer_mut(parent).and_then(Value::as_object_mut) else {
            continue;
        };
        if removes {
            fields.remove(&name);
        } else {
            fields.insert(name, piece);
        }
        let sent = Sent::of(&message);
        at_all += 1;
        if let Some(direct) = both.direct(&sent).await {
            directly += 1;
            let (status, by_library) = both.library(&sent).await;
            assert_eq!(status, 200, "{message}");
            assert_eq!(comparable(direct), comparable(by_library), "{message}");
        }
    }
    assert!(
        directly > at_all / 10 && directly < at_all,
        "{directly} of {at_all} were answered directly"
    );
}
