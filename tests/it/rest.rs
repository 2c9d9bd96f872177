//! The routes for scripts: the same replies as over MCP, meaningful statuses, progress as events, and a correct `OpenAPI`
//! document.

use std::collections::{BTreeSet, HashSet};

use fumi::http::openapi;
use fumi_base::text::Locale;
use fumi_kernel::Effect;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    catalogue::answers_as_published,
    gate::app_with_gate,
    harness::{Server, messages},
    sample::{Sample, call, needs_a_page},
};

async fn post(server: &Server, tool: &str, arguments: &Value) -> reqwest::Response {
    let url = format!("{}/v1/tools/{tool}", server.base);
    reqwest::Client::new().post(url).json(arguments).send().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_answers_as_through_the_pipeline() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let document = openapi::document(&server.app.catalogue, &server.app.scope);
    let list: Value = reqwest::get(format!("{}/v1/tools", server.base)).await.unwrap().json().await.unwrap();
    let names: Vec<_> = server
        .app
        .catalogue
        .entries()
        .iter()
        .filter(|entry| entry.spec.listed)
        .map(|entry| json!(entry.spec.name))
        .collect();
    let listed: Vec<_> = list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(listed, names);
    for (entry, tool) in
        server.app.catalogue.entries().iter().filter(|entry| entry.spec.listed).zip(list["tools"].as_array().unwrap())
    {
        let name = entry.spec.name;
        let one: Value = reqwest::get(format!("{}/v1/tools/{name}", server.base)).await.unwrap().json().await.unwrap();
        assert_eq!(&one, tool);
        assert_eq!(one["output_schema"], Value::Object((*entry.output).clone()));
        assert_eq!(one["summary"], json!(entry.published(Locale::En).summary));
        // Steps contain their own duration and whether the cache answered.
        if needs_a_page(entry) || entry.spec.effect == Effect::OfSteps {
            continue;
        }
        let arguments = Value::Object(sample.example(entry));
        let answer = post(&server, name, &arguments).await;
        assert_eq!(answer.status(), StatusCode::OK, "{name}");
        assert!(answer.headers().contains_key("x-fumi-tokens") && answer.headers().contains_key("x-fumi-elapsed-ms"));
        let mut answer: Value = answer.json().await.unwrap();
        answers_as_published(entry, &answer);
        let schema = json!({"components": document["components"], "allOf": [reply_schema(&document, name)]});
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(validator.is_valid(&answer), "{name}: not as in the document: {answer}");
        let mut same = call(&server.app, name, arguments).await.structured;
        if name == "noveler" {
            // The other call has answered here; the pipeline alone only names it.
            assert_eq!(same["tool"], "noveler_write");
            continue;
        }
        // A second call of a tool that writes has another result.
        if matches!(entry.spec.effect, Effect::Write | Effect::Records) {
            continue;
        }
        for fleeting in ["elapsed_ms", "cache_hit", "execution_time_seconds"] {
            answer.as_object_mut().unwrap().remove(fleeting);
            same.as_object_mut().unwrap().remove(fleeting);
        }
        if let (Some(one), Some(other)) = (answer["meta"].as_object_mut(), same["meta"].as_object_mut()) {
            one.clear();
            other.clear();
        }
        assert_eq!(answer, same, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_says_what_happened() {
    let sample = Sample::new();
    sample.file("picture.bin", b"\x00\x01\x02".repeat(100));
    let server = Server::start(sample.app_with(&[], |config| config.limits.body_bytes = 10_000)).await;
    for (tool, arguments, status, code) in [
        ("list_files", json!({"roots": ["."]}), 200, ""),
        ("list_files", json!({"roots": []}), 400, "INVALID_ARGUMENTS"),
        ("list_files", json!({"rots": ["."]}), 400, "INVALID_ARGUMENTS"),
        ("list_files", json!({"roots": ["nowhere"]}), 404, "FILE_NOT_FOUND"),
        ("list_files", json!({"roots": ["../x"]}), 400, "PATH_TRAVERSAL"),
        ("list_files", json!({"roots": ["/etc"]}), 403, "OUTSIDE_PROJECT"),
        ("list_files", json!({"roots": ["."], "project_root": "/etc"}), 403, "ROOT_NOT_ALLOWED"),
        ("search_content", json!({"roots": ["."], "query": "("}), 400, "INVALID_QUERY"),
        ("analyze_code_structure", json!({"file_path": "picture.bin"}), 422, "UNSUPPORTED_LANGUAGE"),
        ("search_conten", json!({}), 404, "UNKNOWN_TOOL"),
    ] {
        let answer = post(&server, tool, &arguments).await;
        assert_eq!(answer.status().as_u16(), status, "{tool} {arguments}");
        let body: Value = answer.json().await.unwrap();
        assert_eq!(body["error"]["code"].as_str().unwrap_or_default(), code, "{body}");
    }
    let http = reqwest::Client::new();
    let url = format!("{}/v1/tools/list_files", server.base);
    for (kind, body, status) in [
        ("application/json", r#"{"roots": ["."]}"#.to_owned(), 200),
        ("application/json; charset=utf-8", r#"{"roots": ["."]}"#.to_owned(), 200),
        ("application/json", "[]".to_owned(), 400),
        ("application/json", "{".to_owned(), 400),
        ("application/json", "\u{feff}{}".to_owned(), 400),
        ("application/json", String::new(), 200),
        ("text/plain", r#"{"roots": ["."]}"#.to_owned(), 415),
        ("application/json", format!("{{\"roots\": [\"{}\"]}}", "a".repeat(20_000)), 413),
    ] {
        let answer = http.post(&url).header("Content-Type", kind).body(body.clone()).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), status, "{kind} {}", &body[..body.len().min(60)]);
    }
    for (method, path) in
        [(Method::PUT, "/v1/tools/list_files"), (Method::POST, "/v1/tools"), (Method::POST, "/openapi.json")]
    {
        let answer = http.request(method, format!("{}{path}", server.base)).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::METHOD_NOT_ALLOWED, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn text_and_languages_are_chosen_by_the_request() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let http = reqwest::Client::new();
    let url = format!("{}/v1/tools/search_content", server.base);
    let arguments = json!({"roots": ["."], "query": "line", "total_only": true});
    let text = http.post(&url).header("Accept", "text/plain").json(&arguments).send().await.unwrap();
    let total = call(&server.app, "search_content", arguments).await.structured["total_matches"].clone();
    assert_eq!(text.text().await.unwrap(), format!("{total}\n"));
    for (query, language, japanese) in [("", "ja", true), ("?lang=ja", "en", true), ("?lang=en", "ja", false)] {
        let request = http.post(format!("{url}{query}")).header("Accept-Language", language).json(&json!({}));
        let body = request.send().await.unwrap().text().await.unwrap();
        assert_eq!(body.contains("引数"), japanese, "{query} {language}: {body}");
    }
    let entries = server.app.catalogue.entries().iter();
    let readable = entries.filter(|entry| entry.spec.listed && !entry.spec.effect.needs_write());
    for (header, value, count) in [("X-Fumi-Toolsets", "code", 9), ("X-Fumi-Readonly", "true", readable.count())] {
        let list = http.get(format!("{}/v1/tools", server.base)).header(header, value);
        let list: Value = list.send().await.unwrap().json().await.unwrap();
        assert_eq!(list["tools"].as_array().unwrap().len(), count, "{header}");
    }
    let written = json!({"roots": ["."], "output_file": "x.json"});
    let refused = http.post(format!("{}/v1/tools/list_files", server.base)).header("X-Fumi-Readonly", "true");
    assert_eq!(refused.json(&written).send().await.unwrap().status(), StatusCode::FORBIDDEN);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_has_progress_and_then_the_result() {
    let sample = Sample::new();
    let (app, gate) = app_with_gate(&sample, |_| {});
    let server = Server::start(app).await;
    let http = reqwest::Client::new();
    let url = format!("{}/v1/tools/wait_at_gate", server.base);
    let mut answer = http.post(&url).header("Accept", "text/event-stream").json(&json!({})).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    gate.entered().await;
    let first = String::from_utf8(answer.chunk().await.unwrap().unwrap().to_vec()).unwrap();
    assert!(first.contains("event: progress"), "{first}");
    assert_eq!(messages(&first)[0], json!({"progress": 1, "total": 10}));
    gate.open();
    let rest = answer.text().await.unwrap();
    assert!(rest.contains("event: result"), "{rest}");
    assert_eq!(messages(&rest).last().unwrap(), &json!({"success": true}));
    // An error is an event too.
    let failed = http.post(format!("{}/v1/tools/list_files", server.base)).header("Accept", "text/event-stream");
    let failed = failed.json(&json!({"roots": ["nowhere"]})).send().await.unwrap().text().await.unwrap();
    assert!(failed.contains("event: error") && failed.contains("FILE_NOT_FOUND"), "{failed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn hanging_up_stops_the_work() {
    let sample = Sample::new();
    let (app, gate) = app_with_gate(&sample, |_| {});
    let server = Server::start(app).await;
    for accept in ["application/json", "text/event-stream"] {
        let http = reqwest::Client::new();
        let request = http.post(format!("{}/v1/tools/wait_at_gate", server.base)).header("Accept", accept);
        let running = tokio::spawn(async move { request.json(&json!({})).send().await.unwrap().text().await });
        gate.entered().await;
        running.abort();
        gate.stopped().await;
        while server.edge.sessions.running_calls() > 0 {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_queue_is_503_and_says_when_to_come_back() {
    let sample = Sample::new();
    let (app, gate) = app_with_gate(&sample, |config| {
        config.pools.analysis = 1;
        config.pools.queue = 0;
    });
    let server = Server::start(app).await;
    let url = format!("{}/v1/tools/wait_at_gate", server.base);
    let running = tokio::spawn(reqwest::Client::new().post(&url).json(&json!({})).send());
    gate.entered().await;
    let refused = post(&server, "wait_at_gate", &json!({})).await;
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    let wait: u64 = refused.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!(wait >= 1);
    assert_eq!(refused.json::<Value>().await.unwrap()["error"]["code"], "BUSY");
    gate.open();
    assert_eq!(running.await.unwrap().unwrap().status(), StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_is_the_committed_one_and_names_every_route() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let document: Value = reqwest::get(format!("{}/openapi.json", server.base)).await.unwrap().json().await.unwrap();
    let committed: Value = serde_json::from_str(include_str!("../../openapi/openapi.json")).unwrap();
    assert_eq!(document, committed, "run docs/regenerate");
    assert_eq!(document["openapi"], "3.1.0");
    let http = reqwest::Client::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let method: Method = method.to_uppercase().parse().unwrap();
            let url = format!("{}{}", server.base, path.replace("{name}", "list_files"));
            let status = http.request(method.clone(), &url).send().await.unwrap().status();
            let documented = &document["paths"][path][method.as_str().to_lowercase()]["responses"];
            assert!(documented.get(status.as_str()).is_some(), "{method} {path}: {status}");
            assert_ne!(status, StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
        }
        let url = format!("{}{}", server.base, path.replace("{name}", "list_files"));
        let refused = http.put(url).send().await.unwrap();
        assert_eq!(refused.status(), StatusCode::METHOD_NOT_ALLOWED, "{path}");
        let taken = refused.headers()["allow"].to_str().unwrap().split(',');
        let taken: BTreeSet<_> = taken.filter(|method| *method != "HEAD").map(str::to_lowercase).collect();
        let documented: BTreeSet<_> = methods.as_object().unwrap().keys().cloned().collect();
        assert_eq!(taken, documented, "{path}");
    }
}

/// Returns the schema of a tool's reply in the document.
fn reply_schema<'d>(document: &'d Value, tool: &str) -> &'d Value {
    let call = &document["paths"][format!("/v1/tools/{tool}")]["post"];
    &call["responses"]["200"]["content"]["application/json"]["schema"]
}

/// Calls a function with a value and each value in it.
fn each_value<'v>(value: &'v Value, visit: &mut dyn FnMut(&'v Value)) {
    visit(value);
    match value {
        Value::Array(items) => items.iter().for_each(|item| each_value(item, visit)),
        Value::Object(fields) => fields.values().for_each(|field| each_value(field, visit)),
        _ => {}
    }
}

/// Collects the schemas of a document: those of bodies, headers and parameters, and the components.
fn collect_schemas<'d>(value: &'d Value, found: &mut Vec<&'d Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_schemas(item, found)),
        Value::Object(fields) => {
            for (name, field) in fields {
                match name.as_str() {
                    "schema" => found.push(field),
                    "schemas" => found.extend(field.as_object().unwrap().values()),
                    _ => collect_schemas(field, found),
                }
            }
        }
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_large_schema_stands_twice_in_the_document_and_every_reference_resolves() {
    let sample = Sample::new();
    let app = sample.app();
    let document = openapi::document(&app.catalogue, &app.scope);
    let mut schemas = Vec::new();
    collect_schemas(&document, &mut schemas);
    assert!(schemas.len() > 100, "only {} schemas", schemas.len());
    let mut large = HashSet::new();
    for schema in schemas {
        each_value(schema, &mut |part| {
            let mut size = 0;
            each_value(part, &mut |_| size += 1);
            assert!(size <= 40 || large.insert(part), "stands twice: {part}");
        });
    }
    let mut targets = BTreeSet::new();
    each_value(&document, &mut |value| {
        if let Some(target) = value.get("$ref").and_then(Value::as_str) {
            // A definition of a tool's own schema would be looked for in the document.
            assert!(target.starts_with("#/components/"), "{target}");
            assert!(document.pointer(&target[1..]).is_some(), "{target}");
            targets.insert(target);
        }
    });
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        let target = format!("#/components/schemas/{name}");
        assert!(targets.contains(target.as_str()), "nothing refers to {name}");
    }
}

/// Returns a schema with the components instead of the references to them.
fn resolved(schema: &Value, document: &Value) -> Value {
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        return resolved(document.pointer(&target[1..]).unwrap(), document);
    }
    match schema {
        Value::Array(items) => items.iter().map(|item| resolved(item, document)).collect(),
        Value::Object(fields) => fields.iter().map(|(name, field)| (name.clone(), resolved(field, document))).collect(),
        other => other.clone(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_has_the_schemas_that_mcp_clients_see() {
    let sample = Sample::new();
    let app = sample.app();
    let whole = openapi::document(&app.catalogue, &app.scope);
    for entry in app.catalogue.entries().iter().filter(|entry| entry.spec.listed) {
        let name = entry.spec.name;
        let call = &whole["paths"][format!("/v1/tools/{name}")]["post"];
        let arguments = &call["requestBody"]["content"]["application/json"]["schema"];
        let published = json!(*entry.published(Locale::En).input);
        assert_eq!(resolved(arguments, &whole), published, "{name}");
        let reply = reply_schema(&whole, name);
        assert!(reply.get("$ref").is_some(), "{name}: {reply}");
        assert_eq!(resolved(reply, &whole), json!(*entry.output), "{name}");
    }
    // A server with fewer tools has the same components, so that a client made from either document knows both.
    for toolset in app.catalogue.toolsets() {
        let scope = app.catalogue.scope([toolset]).unwrap();
        let narrow = openapi::document(&app.catalogue, &scope);
        for (name, schema) in narrow["components"]["schemas"].as_object().unwrap() {
            assert_eq!(schema, &whole["components"]["schemas"][name], "{toolset}: {name}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_url_gets_the_list_of_routes() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let told = reqwest::get(format!("{}/nowhere", server.base)).await.unwrap();
    assert_eq!(told.status(), StatusCode::NOT_FOUND);
    let told: Value = told.json().await.unwrap();
    let languages: Vec<_> = told["error"]["guidance"]["explanation"].as_str().unwrap().lines().collect();
    assert_eq!(languages.len(), 2, "{told}");
    for route in fumi::http::router::routes(&server.edge) {
        // The same route with a slash at its end is not listed.
        let begins = route.path.split("/{").next().unwrap().trim_end_matches('/');
        // Clients find the metadata by the challenge, and only if an issuer is configured.
        for told in languages.iter().filter(|_| !begins.starts_with("/.well-known/")) {
            assert!(told.contains(begins), "{begins}: {told}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_is_too_large_is_refused_by_its_name() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    for (number, refused) in [(5.0, Value::Null), (9e15, json!("start_line")), (1e24, json!("start_line"))] {
        let arguments = json!({"file_path": "src/main.py", "start_line": number});
        let answer = post(&server, "extract_code_section", &arguments).await;
        let answer: Value = answer.json().await.unwrap();
        assert_eq!(answer["error"]["details"]["problems"][0]["parameter"], refused, "{answer}");
    }
}
