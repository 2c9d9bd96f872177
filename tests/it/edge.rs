//! The HTTP edge as seen by clients: both eras on one URL, access, probes, languages, shutdown.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    catalogue::answers_as_published,
    gate::app_with_gate,
    harness::{Answer, SESSION, STATELESS, Server, Session, Stateless},
    sample::{Sample, call, only_teaches},
    taught::is_japanese,
};

#[tokio::test(flavor = "multi_thread")]
async fn both_eras_list_and_call_the_same_tools_on_one_url() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let url = format!("{}/all", server.url());
    let session = Session::open_at(&url, SESSION).await;
    let stateless = Stateless { url, ..Stateless::new(&server) };
    assert_eq!(session.initialized["protocolVersion"], SESSION);
    let names: Vec<Value> = server
        .app
        .catalogue
        .entries()
        .iter()
        .filter(|entry| entry.spec.listed)
        .map(|entry| json!(entry.spec.name))
        .collect();
    for (era, list) in [
        ("stateless", stateless.request("tools/list", json!({})).await),
        ("session", session.request("tools/list", json!({})).await),
    ] {
        let tools = list.result()["tools"].as_array().unwrap().clone();
        assert_eq!(tools.iter().map(|tool| tool["name"].clone()).collect::<Vec<_>>(), names, "{era}");
        for tool in &tools {
            assert!(tool["title"].is_string() && tool["description"].is_string(), "{era} {tool}");
            // Codex reads the title from the annotations.
            assert_eq!(tool["annotations"]["title"], tool["title"], "{era}");
            assert!(tool["outputSchema"].is_object(), "{era} {tool}");
            for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
                assert!(tool["annotations"][hint].is_boolean(), "{era} {hint} of {tool}");
            }
        }
    }
    for entry in server.app.catalogue.entries().iter().filter(|entry| !only_teaches(entry)) {
        let arguments = Value::Object(sample.example(entry));
        for (era, answer) in [
            ("stateless", stateless.call(entry.spec.name, arguments.clone()).await),
            ("session", session.call(entry.spec.name, arguments.clone()).await),
        ] {
            let (structured, text, failed) = answer.called();
            assert!(!failed && !text.is_empty(), "{era} {}: {text}", entry.spec.name);
            answers_as_published(entry, structured);
            let meta = &answer.result()["_meta"];
            assert!(meta["fumi/tokens"].is_u64() && meta["fumi/elapsed_ms"].is_u64(), "{era}: {meta}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_stateless_era_discovers_and_may_keep_the_list() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let client = Stateless::new(&server);
    let discovered = client.request("server/discover", json!({})).await;
    let versions = discovered.result()["supportedVersions"].as_array().cloned().unwrap_or_default();
    assert!(versions.contains(&json!(STATELESS)), "{}", discovered.raw);
    assert!(discovered.raw.contains("\"fumi\""), "{}", discovered.raw);
    let list = client.request("tools/list", json!({})).await;
    assert!(list.result()["ttlMs"].as_u64().is_some_and(|ms| ms > 0), "{}", list.raw);
    assert_eq!(list.result()["cacheScope"], "private");
    assert!(list.headers.get("mcp-session-id").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_that_contradict_the_body_are_refused() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let client = Stateless::new(&server);
    let request = client.prepare(
        1,
        "tools/call",
        Some("set_project_path"),
        json!({"name": "list_files", "arguments": {"roots": ["."]}}),
    );
    assert_eq!(request.send().await.unwrap().status(), StatusCode::BAD_REQUEST);
    let request = client.prepare(2, "tools/list", None, json!({})).header("Mcp-Method", "tools/call");
    assert_eq!(request.send().await.unwrap().status(), StatusCode::BAD_REQUEST);
}

#[tokio::test(flavor = "multi_thread")]
async fn older_versions_of_the_session_era_are_served() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let session = Session::open_at(&server.url(), version).await;
        assert_eq!(session.initialized["protocolVersion"], version);
        assert_eq!(session.initialized["serverInfo"]["name"], "fumi");
        assert!(session.initialized["instructions"].as_str().is_some_and(|text| text.contains("list_files")));
        let answer = session.call("list_files", json!({"roots": ["."], "count_only": true})).await;
        assert!(!answer.called().2, "{version}: {}", answer.raw);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_that_clients_add_to_every_call_are_ignored() {
    let sample = Sample::new();
    let app = sample.app();
    for tool in ["list_files", "batch_execute"] {
        let mut arguments = match tool {
            "list_files" => json!({"roots": ["."]}),
            _ => json!({"steps": [{"tool": "list_files", "arguments": {"roots": ["."], "wait_for_previous": true}}]}),
        };
        arguments["wait_for_previous"] = json!(true);
        let reply = call(&app, tool, arguments).await;
        assert!(!reply.is_error, "{}", reply.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_tool_is_a_protocol_error_with_the_nearest_names() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    for (route, tool, sentence) in [
        ("?lang=en", "list_file", "unknown tool \"list_file\"; nearest: list_files"),
        ("?lang=ja", "list_file", "\"list_file\" というツールはここにはありません。近い名前: list_files"),
        (
            "/code?lang=en",
            "noveler_write",
            "the tool \"noveler_write\" is in the toolset novel, which is not offered here",
        ),
    ] {
        let url = format!("{}{route}", server.url());
        let session = Session::open_at(&url, SESSION).await;
        let stateless = Stateless { url, ..Stateless::new(&server) };
        for answer in [stateless.call(tool, json!({})).await, session.call(tool, json!({})).await] {
            let error = answer.error();
            assert_eq!(error["code"], -32602, "{}", answer.raw);
            assert_eq!(error["data"]["code"], "UNKNOWN_TOOL", "{}", answer.raw);
            assert!(error["message"].as_str().expect("a sentence").contains(sentence), "{}", answer.raw);
            assert!(answer.raw.len() < 800, "{}", answer.raw);
        }
    }
    // A client's prefix does not change the name of the tool.
    let answer =
        Stateless::new(&server).call("mcp__fumi__list_files", json!({"roots": ["."], "count_only": true})).await;
    assert!(!answer.called().2, "{}", answer.raw);
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_hosts_and_origins_are_refused_on_every_route() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let http = reqwest::Client::new();
    for route in ["/mcp", "/livez", "/readyz", "/v1/errors", "/no-such-route"] {
        let url = format!("{}{route}", server.base);
        for (name, value) in [
            ("Host", "evil.example.com"),
            ("Host", "localhost.evil.example.com:80"),
            ("Origin", "http://evil.example.com"),
            ("Origin", "null"),
            ("Origin", "https://localhost.evil.example.com"),
        ] {
            for method in
                [reqwest::Method::GET, reqwest::Method::POST, reqwest::Method::DELETE, reqwest::Method::OPTIONS]
            {
                let answer = http.request(method.clone(), &url).header(name, value).send().await.unwrap();
                assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{method} {route} {name}: {value}");
                let allowed = answer.headers().get("access-control-allow-origin");
                assert!(allowed.is_none(), "{method} {route}");
            }
        }
        let own = http.get(&url).header("Origin", &server.base).send().await.unwrap();
        assert_ne!(own.status(), StatusCode::FORBIDDEN, "{route}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slash_behind_the_url_means_nothing() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    for path in ["/mcp/", "/mcp/code/", "/mcp/readonly/", "/mcp/readonly/code/"] {
        let client = Stateless { url: format!("{}{path}", server.base), ..Stateless::new(&server) };
        let list = client.request("tools/list", json!({})).await;
        assert_eq!(list.status, StatusCode::OK, "{path}: {}", list.raw);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_accepts_everything_is_answered() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let session = Session::open(&server).await;
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
    let http = reqwest::Client::new();
    for accept in ["*/*", "application/json, */*;q=0.5"] {
        let posted = http
            .post(server.url())
            .header("Accept", accept)
            .header("Content-Type", "application/json")
            .header("Mcp-Session-Id", &session.id)
            .body(list.to_string());
        assert_eq!(posted.send().await.unwrap().status(), StatusCode::OK, "{accept}");
        let heard = http.get(server.url()).header("Accept", accept).header("Mcp-Session-Id", &session.id);
        assert_eq!(heard.send().await.unwrap().status(), StatusCode::OK, "{accept}");
    }
    let picky = http
        .post(server.url())
        .header("Accept", "text/html")
        .header("Content-Type", "application/json")
        .body(list.to_string());
    assert_eq!(picky.send().await.unwrap().status(), StatusCode::NOT_ACCEPTABLE);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_an_allowed_origin_may_call_and_read_and_no_others() {
    let sample = Sample::new();
    let app = sample.app_with(&[], |config| {
        config.server.allowed_origins = vec!["https://app.example.com".to_owned()];
    });
    let server = Server::start(app).await;
    let client = Stateless::new(&server);
    let preflight = async |origin: &str| {
        let question = client
            .http
            .request(reqwest::Method::OPTIONS, server.url())
            .header("Origin", origin)
            .header("Access-Control-Request-Method", "POST")
            .header("Access-Control-Request-Headers", "authorization,content-type,mcp-method");
        question.send().await.unwrap()
    };
    let allowed = preflight("https://app.example.com").await;
    assert_eq!(allowed.status(), StatusCode::NO_CONTENT);
    for (name, value) in [
        ("access-control-allow-origin", "https://app.example.com"),
        ("access-control-allow-methods", "GET, POST, DELETE"),
        ("access-control-allow-headers", "Authorization, *"),
        ("vary", "origin"),
    ] {
        assert_eq!(allowed.headers()[name], value, "{name}");
    }
    let call = |origin: &str, path: &str| {
        let request = client.prepare(1, "tools/list", None, json!({})).build().unwrap();
        let (url, body) = (format!("{}{path}", server.base), request.body().unwrap().as_bytes().unwrap().to_vec());
        let posted = client.http.post(url).headers(request.headers().clone()).body(body);
        posted.header("Origin", origin).send()
    };
    // Refusals too, because the page shows the reason.
    for path in ["/mcp", "/mcp/nonsense"] {
        let answer = call("https://app.example.com", path).await.unwrap();
        assert_eq!(answer.headers()["access-control-allow-origin"], "https://app.example.com", "{path}");
        let shown = answer.headers()["access-control-expose-headers"].to_str().unwrap();
        assert!(shown.contains("Mcp-Session-Id"), "{shown}");
    }
    // A page of this machine may call, but cannot read the reply.
    for (origin, status) in [("http://localhost:3000", 405), ("https://evil.example", 403)] {
        let refused = preflight(origin).await;
        assert_eq!(refused.status(), status, "{origin}");
        assert!(!refused.headers().contains_key("access-control-allow-origin"), "{origin}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compressed_body_is_refused_by_the_name_of_its_header() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    for path in ["/mcp", "/v1/tools/list_files"] {
        let zipped = reqwest::Client::new()
            .post(format!("{}{path}", server.base))
            .header("Content-Type", "application/json")
            .header("Content-Encoding", "gzip")
            .body([0x1f, 0x8b, 0x08, 0x00].to_vec());
        let refused = zipped.send().await.unwrap();
        assert_eq!(refused.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE, "{path}");
        assert_eq!(refused.headers()["accept-encoding"], "identity");
        let text = refused.text().await.unwrap();
        assert!(text.contains("Content-Encoding") && text.contains("gzip"), "{text}");
    }
    let plain = Stateless::new(&server).prepare(1, "tools/list", None, json!({}));
    let plain = plain.header("Content-Encoding", "identity");
    assert_eq!(plain.send().await.unwrap().status(), StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn probes_and_errors_answer() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let get = async |route: &str| {
        let answer = reqwest::get(format!("{}{route}", server.base)).await.unwrap();
        (answer.status(), answer.text().await.unwrap())
    };
    assert_eq!(get("/livez").await, (StatusCode::OK, "ok\n".to_owned()));
    assert_eq!(get("/readyz").await, (StatusCode::OK, "ok\n".to_owned()));
    assert_eq!(get("/nothing").await.0, StatusCode::NOT_FOUND);
    let (status, errors) = get("/v1/errors").await;
    assert_eq!(status, StatusCode::OK);
    let errors: Value = serde_json::from_str(&errors).unwrap();
    assert!(is_japanese(errors["FILE_NOT_FOUND"]["message"]["ja"].as_str().unwrap()));
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_requests_are_refused_and_the_server_still_answers() {
    let sample = Sample::new();
    let server = Server::start(sample.app_with(&[], |config| config.limits.body_bytes = 10_000)).await;
    let client = Stateless::new(&server);
    let send = async |body: String| {
        let request = client.prepare(1, "tools/list", None, json!({})).body(body);
        request.send().await.unwrap().status()
    };
    for body in ["", "{", "[]", "null", "\"x\"", "{\"jsonrpc\": \"2.0\"}", "\u{0}"] {
        assert!(send(body.to_owned()).await.is_client_error(), "{body:?}");
    }
    assert_eq!(send("x".repeat(20_000)).await, StatusCode::PAYLOAD_TOO_LARGE);
    let session = Session::open(&server).await;
    let huge = session.call("list_files", json!({"roots": ["x".repeat(20_000)]})).await;
    assert_eq!(huge.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(!session.call("list_files", json!({"roots": ["."]})).await.called().2);
}

fn description(list: &Answer) -> String {
    list.result()["tools"][0]["description"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_caller_chooses_the_language() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let plain = Stateless::new(&server);
    let by_query = Stateless { url: format!("{}?lang=ja", plain.url), ..plain.clone() };
    // Without a requested language: the configured one, English by default.
    assert!(!is_japanese(&description(&plain.request("tools/list", json!({})).await)));
    let error = plain.call("list_files", json!({"roots": ["nowhere"]})).await;
    let (_, text, failed) = error.called();
    assert!(failed && text.contains("File or folder not found") && !is_japanese(text), "{text}");
    let configured =
        Server::start(sample.app_with(&[], |config| config.tools.language = fumi_base::text::Locale::Ja)).await;
    let error = Stateless::new(&configured).call("list_files", json!({"roots": ["nowhere"]})).await;
    let (_, text, failed) = error.called();
    assert!(failed && !text.contains("File or folder not found") && is_japanese(text), "{text}");
    // By the URL.
    assert!(is_japanese(&description(&by_query.request("tools/list", json!({})).await)));
    let error = by_query.call("list_files", json!({"roots": ["nowhere"]})).await;
    assert!(!error.called().1.contains("File or folder not found") && is_japanese(error.called().1), "{}", error.raw);
    // By the header; the URL wins over it.
    for (client, language, japanese) in
        [(&plain, "ja-JP,en;q=0.5", true), (&plain, "en-GB", false), (&by_query, "en", true)]
    {
        let request = client.prepare(1, "tools/list", None, json!({})).header("Accept-Language", language);
        let raw = request.send().await.unwrap().text().await.unwrap();
        let tools = crate::harness::messages(&raw);
        let text = tools[0]["result"]["tools"][0]["description"].as_str().unwrap();
        assert_eq!(is_japanese(text), japanese, "{language}");
    }
    // In the session era by URL, for each session.
    let session = Session::open_at(&by_query.url, SESSION).await;
    assert!(is_japanese(&description(&session.request("tools/list", json!({})).await)));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_exclusive_formats_are_refused_in_japanese_over_http() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let client = Stateless { url: format!("{}?lang=ja", server.url()), ..Stateless::new(&server) };
    let tools = server.app.catalogue.entries();
    for entry in tools.iter().filter(|entry| entry.input["properties"].get("total_only").is_some()) {
        let arguments = json!({"roots": ["."], "query": "x", "total_only": true, "summary_only": true});
        let answer = client.call(entry.spec.name, arguments).await;
        let (structured, text, failed) = answer.called();
        assert!(failed && text.contains("出力形式パラメータは排他的です"), "{text}");
        assert_eq!(structured["error"]["code"], "EXCLUSIVE_PARAMETERS");
        assert!(text.contains("total_only") && text.contains("summary_only"), "{text}");
    }
}

/// While draining, the probe fails first, the running call is finished and answered, then the server ends.
#[tokio::test(flavor = "multi_thread")]
async fn going_down_finishes_what_runs() {
    let sample = Sample::new();
    let (app, gate) = app_with_gate(&sample, |_| {});
    let server = Server::start(app).await;
    let client = Stateless::new(&server);
    // Connections that were opened before the drain are still served.
    let ready = format!("{}/readyz", server.base);
    let probe = async || client.http.get(&ready).send().await.unwrap().status();
    assert_eq!(probe().await, StatusCode::OK);
    let running = tokio::spawn({
        let client = client.clone();
        async move { client.call("wait_at_gate", json!({})).await }
    });
    gate.entered().await;
    server.begin_stop();
    server.edge.draining.cancelled().await;
    assert_eq!(probe().await, StatusCode::SERVICE_UNAVAILABLE);
    gate.open();
    let answer = running.await.unwrap();
    assert_eq!(answer.called().1, "through", "{}", answer.raw);
    drop(client);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_outlast_the_drain_are_answered_in_both_eras() {
    let sample = Sample::new();
    let (app, gate) = app_with_gate(&sample, |config| config.server.drain_seconds = 0);
    let server = Server::start(app).await;
    let (stateless, session) = (Stateless::new(&server), Session::open(&server).await);
    let call = json!({"name": "wait_at_gate", "arguments": {}});
    let running = (
        tokio::spawn({
            let call = call.clone();
            async move { stateless.request("tools/call", call).await }
        }),
        tokio::spawn(async move { session.request("tools/call", call).await }),
    );
    gate.entered().await;
    gate.entered().await;
    server.begin_stop();
    gate.stopped().await;
    gate.stopped().await;
    for answer in [running.0.await.unwrap(), running.1.await.unwrap()] {
        assert_eq!(answer.result()["structuredContent"]["error"]["code"], "CANCELLED", "{}", answer.raw);
    }
    server.stop().await;
}

/// Calls that arrive during a shutdown succeed or are refused. None is stopped as soon as it begins.
#[tokio::test(flavor = "multi_thread")]
async fn calls_that_arrive_while_the_server_goes_down_succeed_or_are_refused() {
    for _ in 0..10 {
        let sample = Sample::new();
        let server = Server::start(sample.app()).await;
        let session = Session::open(&server).await;
        let calls: Vec<_> = (0..8).map(|number| tokio::spawn(call_until_refused(session.clone(), number))).collect();
        tokio::time::sleep(Duration::from_millis(50)).await;
        server.stop().await;
        for call in calls {
            call.await.unwrap();
        }
    }
}

/// Calls a tool again and again, within the session or over REST, until the server refuses it or has ended.
async fn call_until_refused(session: Session, number: usize) {
    let arguments = json!({"roots": ["."]});
    let params = json!({"name": "list_files", "arguments": arguments});
    let message = json!({"jsonrpc": "2.0", "id": 100 + number, "method": "tools/call", "params": params});
    let url = session.url.replace("/mcp", "/v1/tools/list_files");
    loop {
        let request =
            if number.is_multiple_of(2) { session.prepare(&message) } else { session.http.post(&url).json(&arguments) };
        // A connection may close between two requests.
        let Ok(answer) = request.send().await else { return };
        let (status, text) = (answer.status(), answer.text().await.unwrap());
        if status == StatusCode::SERVICE_UNAVAILABLE {
            assert!(text.contains("shutting down"), "{text}");
            return;
        }
        assert_eq!(status, StatusCode::OK, "{text}");
        assert!(text.contains("\"results\"") && !text.contains("CANCELLED"), "{text}");
    }
}

/// The client of a call whose handler panics gets an error, and the server answers the next call.
#[tokio::test(flavor = "multi_thread")]
async fn a_panic_is_answered_in_both_eras_and_over_rest() {
    let sample = Sample::new();
    let (app, gate) = app_with_gate(&sample, |_| {});
    gate.open();
    let server = Server::start(app).await;
    let (stateless, session) = (Stateless::new(&server), Session::open(&server).await);
    let call = |panics: bool| json!({"name": "wait_at_gate", "arguments": {"panics": panics}});
    for answer in [stateless.request("tools/call", call(true)).await, session.request("tools/call", call(true)).await] {
        assert_eq!(answer.error()["code"], -32_603, "{}", answer.raw);
    }
    let url = format!("{}/v1/tools/wait_at_gate", server.base);
    let answer = stateless.http.post(url).json(&json!({"panics": true})).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
    for answer in [stateless.request("tools/call", call(false)).await, session.request("tools/call", call(false)).await]
    {
        assert_eq!(answer.called().1, "through", "{}", answer.raw);
    }
    assert_eq!(server.edge.sessions.running_calls(), 0);
}

/// A method without a declared capability is unknown. An empty list would suggest otherwise: code has no prompts.
#[tokio::test(flavor = "multi_thread")]
async fn an_undeclared_method_is_unknown() {
    let sample = Sample::new();
    let server = Server::start(sample.app_with(&[], |config| config.tools.toolsets = vec!["code".to_owned()])).await;
    let (stateless, session) = (Stateless::new(&server), Session::open(&server).await);
    let discovered = stateless.request("server/discover", json!({})).await;
    for capabilities in [&discovered.result()["capabilities"], &session.initialized["capabilities"]] {
        assert!(capabilities["tools"].is_object(), "{capabilities}");
        // Only sessions have log messages.
        let is_session = capabilities == &session.initialized["capabilities"];
        assert_eq!(capabilities["logging"].is_object(), is_session, "{capabilities}");
        assert!(capabilities["prompts"].is_null(), "{capabilities}");
    }
    for (method, params) in [("prompts/list", json!({})), ("prompts/get", json!({"name": "none"}))] {
        for answer in [stateless.request(method, params.clone()).await, session.request(method, params.clone()).await] {
            assert_eq!(answer.error()["code"], json!(-32601), "{method}: {}", answer.raw);
        }
    }
}

/// A separate thread reads the disk, for a bounded time and for one probe at a time. Without a free thread, as beside
/// hanging mounts, probes still answer.
#[test]
fn probes_answer_while_no_thread_is_left_to_look_at_the_disk() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(1)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let sample = Sample::new();
        let server = Server::start(sample.app()).await;
        let get = async |path: &str| {
            let began = std::time::Instant::now();
            let answer = reqwest::get(format!("{}{path}", server.base)).await.unwrap();
            (answer.status().as_u16(), began.elapsed())
        };
        assert_eq!(get("/readyz").await.0, 200);
        let (release, blocked) = std::sync::mpsc::channel::<()>();
        let hanging = tokio::task::spawn_blocking(move || blocked.recv());
        let short = std::time::Duration::from_secs(1);
        let long = std::time::Duration::from_secs(4);
        let ((first, took), (second, at_once)) = tokio::join!(get("/readyz"), async {
            tokio::time::sleep(short / 2).await;
            get("/readyz").await
        });
        assert!(first == 503 && took < long, "{first} after {took:?}");
        // The last known state is returned, without a second read beside the first.
        assert!(second == 200 && at_once < short, "{second} after {at_once:?}");
        for (path, status) in [("/readyz", 503), ("/livez", 200)] {
            let (answered, took) = get(path).await;
            assert!(answered == status && took < short, "{path}: {answered} after {took:?}");
        }
        drop(release);
        let _ = hanging.await.unwrap();
        let mut left = 100;
        while get("/readyz").await.0 != 200 {
            left -= 1;
            assert!(left > 0, "it never recovers");
            tokio::time::sleep(short / 20).await;
        }
    });
}
