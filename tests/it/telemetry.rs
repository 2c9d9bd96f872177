//! Telemetry of the real program, as a collector receives it and as Prometheus reads it: one trace for each call,
//! without values of arguments.

use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
};

use axum::{Router, body::Bytes, extract::State, http::Uri};
use opentelemetry_proto::tonic::{
    collector::{
        logs::v1::ExportLogsServiceRequest, metrics::v1::ExportMetricsServiceRequest,
        trace::v1::ExportTraceServiceRequest,
    },
    trace::v1::Span,
};
use serde_json::json;

use crate::{
    harness::{Server, Session, Stateless},
    novel,
    sample::{Sample, call},
};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";
const CANARY: &str = "canary-in-an-argument";

type Received = Arc<Mutex<Vec<(String, Bytes)>>>;

/// Starts a collector that stores everything it receives.
async fn collector() -> (String, Received) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let received = Received::default();
    let keep = async |State(received): State<Received>, uri: Uri, body: Bytes| {
        received.lock().unwrap().push((uri.path().to_owned(), body));
    };
    let routes = Router::new().fallback(keep).with_state(Arc::clone(&received));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    (url, received)
}

/// The real program, exporting to the collector.
struct Program {
    child: Child,
    base: String,
}

impl Program {
    fn start(sample: &Sample, collector: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fumi"))
            .args(["serve", "--listen", "127.0.0.1:0", "--store", "memory", "--root"])
            .arg(sample.root())
            .env("OTEL_EXPORTER_OTLP_ENDPOINT", collector)
            .env("OTEL_SERVICE_NAME", "fumi-under-test")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut ready = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready).unwrap();
        let base = ready.trim().trim_start_matches("fumi listening on ").trim_end_matches("/mcp");
        Self { base: base.to_owned(), child }
    }

    /// Ends the program, so that it exports the rest.
    fn stop(mut self) {
        let told = Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        assert!(told.success());
        assert!(self.child.wait().unwrap().success());
    }
}

fn decoded<T: prost::Message + Default>(received: &Received, path: &str) -> Vec<T> {
    let all = received.lock().unwrap();
    let of_path = all.iter().filter(|(to, _)| to == path);
    of_path.map(|(_, body)| T::decode(body.clone()).unwrap()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

/// Returns the spans of the client's trace: by id, with the names of their parents up to the client's own.
fn tree(spans: &[Span]) -> Vec<String> {
    let ours: Vec<_> = spans.iter().filter(|span| hex(&span.trace_id) == TRACE).collect();
    let by_id: HashMap<String, &Span> = ours.iter().map(|span| (hex(&span.span_id), *span)).collect();
    let mut paths: Vec<String> = ours
        .iter()
        .map(|span| {
            let (mut path, mut at) = (vec![span.name.clone()], *span);
            while let Some(parent) = by_id.get(&hex(&at.parent_span_id)) {
                path.push(parent.name.clone());
                at = parent;
            }
            assert_eq!(hex(&at.parent_span_id), PARENT, "{} hangs nowhere", span.name);
            path.reverse();
            path.join(" > ")
        })
        .collect();
    paths.sort();
    paths
}

#[tokio::test(flavor = "multi_thread")]
async fn a_calls_trace_belongs_to_the_clients_and_has_no_argument_values() {
    let sample = Sample::new();
    let (url, received) = collector().await;
    let program = Program::start(&sample, &url);
    let client = Stateless { http: reqwest::Client::new(), url: format!("{}/mcp", program.base) };
    let params = json!({"name": "search_content", "arguments": {"roots": ["."], "query": CANARY}});
    let request = client
        .prepare(1, "tools/call", Some("search_content"), params)
        .header("traceparent", format!("00-{TRACE}-{PARENT}-01"));
    assert!(request.send().await.unwrap().status().is_success());
    program.stop();
    let traces: Vec<ExportTraceServiceRequest> = decoded(&received, "/v1/traces");
    let resources: Vec<_> = traces.into_iter().flat_map(|traces| traces.resource_spans).collect();
    let service = format!("{:?}", resources[0].resource);
    assert!(service.contains("fumi-under-test"), "{service}");
    let spans: Vec<Span> =
        resources.into_iter().flat_map(|resource| resource.scope_spans).flat_map(|scope| scope.spans).collect();
    assert_eq!(
        tree(&spans),
        [
            "POST /mcp",
            "POST /mcp > tools/call search_content",
            "POST /mcp > tools/call search_content > call",
            "POST /mcp > tools/call search_content > call > cache",
            "POST /mcp > tools/call search_content > call > pool wait",
            "POST /mcp > tools/call search_content > call > search_content",
        ]
    );
    let mcp = spans.iter().find(|span| span.name == "tools/call search_content").unwrap();
    let attributes = format!("{:?}", mcp.attributes);
    for part in
        ["mcp.method.name", "tools/call", "gen_ai.tool.name", "execute_tool", "mcp.protocol.version", "2026-07-28"]
    {
        assert!(attributes.contains(part), "{part}: {attributes}");
    }
    for (path, body) in received.lock().unwrap().iter() {
        let told = String::from_utf8_lossy(body).into_owned();
        assert!(!told.contains(CANARY), "{path} contains an argument");
    }
    assert!(!decoded::<ExportMetricsServiceRequest>(&received, "/v1/metrics").is_empty(), "no metrics");
    assert!(!decoded::<ExportLogsServiceRequest>(&received, "/v1/logs").is_empty(), "no messages");
}

/// A client may send its context in the message instead, also in the session era.
#[tokio::test(flavor = "multi_thread")]
async fn a_context_in_the_message_is_the_parent() {
    let sample = Sample::new();
    let (url, received) = collector().await;
    let program = Program::start(&sample, &url);
    let session = Session::open_at(&format!("{}/mcp", program.base), crate::harness::SESSION).await;
    let params = json!({
        "name": "list_files",
        "arguments": {"roots": ["."]},
        "_meta": {"traceparent": format!("00-{TRACE}-{PARENT}-01")},
    });
    assert!(session.request("tools/call", params).await.result().is_object());
    program.stop();
    let traces: Vec<ExportTraceServiceRequest> = decoded(&received, "/v1/traces");
    let spans: Vec<Span> = traces
        .into_iter()
        .flat_map(|traces| traces.resource_spans)
        .flat_map(|resource| resource.scope_spans)
        .flat_map(|scope| scope.spans)
        .collect();
    let tree = tree(&spans);
    assert_eq!(tree[0], "tools/call list_files", "{tree:?}");
    assert!(tree.contains(&"tools/call list_files > call > list_files".to_owned()), "{tree:?}");
}

/// An episode through all its stages is one chain of calls, and each stage is timed once.
#[tokio::test(flavor = "multi_thread")]
async fn stages_of_writing_and_whole_episodes_are_counted() {
    let sample = novel::unwritten();
    let app = sample.app();
    let mut asked = call(&app, "noveler_write", json!({"episode": 1})).await.structured;
    while asked["status"] == "needs_text" {
        let mut arguments = asked["submit"]["arguments"].clone();
        arguments["content"] = json!(novel::script::answer(asked["step"].as_str().unwrap()));
        asked = call(&app, "noveler_write", arguments).await.structured;
    }
    assert_eq!(asked["success"], true, "{asked}");
    // A finished episode is not counted again.
    call(&app, "noveler_write", json!({"episode": 1})).await;
    let text = app.metrics.text();
    let line = |begins: &str| text.lines().find_map(|line| line.strip_prefix(begins)).map(str::trim);
    for stage in fumi_novel::writing::StageRoute::Whole.stages() {
        let labels = format!("fumi_novel_stage_duration_seconds_count{{stage=\"{stage}\"");
        let count = line(&labels).and_then(|rest| rest.rsplit(' ').next());
        assert_eq!(count, Some("1"), "{stage}: {text}");
    }
    let chains = line("fumi_novel_chains_completed_total").and_then(|rest| rest.rsplit(' ').next());
    assert_eq!(chains, Some("1"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_are_read_as_prometheus_reads_them() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let client = Stateless::new(&server);
    let arguments = json!({"roots": ["."], "query": "line", "total_only": true});
    for _ in 0..3 {
        assert!(!client.call("search_content", arguments.clone()).await.called().2);
    }
    client.call("list_files", json!({"roots": ["nowhere"]})).await;
    sample.file("one.py", "x = 1\n");
    assert!(!client.call("check_code_scale", json!({"file_path": "one.py"})).await.called().2);
    let _session = Session::open(&server).await;
    let answer = reqwest::get(format!("{}/metrics", server.base)).await.unwrap();
    assert!(answer.headers()["content-type"].to_str().unwrap().starts_with("text/plain; version=0.0.4"));
    let text = answer.text().await.unwrap();
    let line = |name: &str, labels: &[&str]| {
        let fits = |line: &&str| line.starts_with(name) && labels.iter().all(|label| line.contains(label));
        let line = text.lines().find(fits).unwrap_or_else(|| panic!("no {name} {labels:?} in\n{text}"));
        line.rsplit(' ').next().unwrap().parse::<f64>().unwrap()
    };
    let calls = "mcp_server_operation_duration_seconds_count";
    let search = ["mcp_method_name=\"tools/call\"", "gen_ai_tool_name=\"search_content\""];
    assert!((line(calls, &search) - 3.0).abs() < 0.1);
    let failed = ["gen_ai_tool_name=\"list_files\"", "error_type=\"FILE_NOT_FOUND\""];
    assert!((line(calls, &failed) - 1.0).abs() < 0.1);
    assert!((line("fumi_cache_lookups_total", &["result=\"hit\""]) - 2.0).abs() < 0.1);
    assert!(line("fumi_tokens_out_total", &["gen_ai_tool_name=\"search_content\"", "format=\"both\""]) >= 3.0);
    assert!(line("fumi_pool_wait_seconds_count", &["pool=\"analysis\""]) >= 2.0);
    assert!(
        line(
            "http_server_request_duration_seconds_count",
            &["http_route=\"/mcp\"", "http_response_status_code=\"200\""]
        ) >= 4.0
    );
    assert!(line("fumi_pool_places", &["pool=\"analysis\""]) >= 5.0);
    for idle in ["fumi_pool_running", "fumi_pool_waiting"] {
        assert!(line(idle, &["pool=\"analysis\""]) < 0.1, "{idle}");
    }
    assert!((line("fumi_sessions", &[]) - 1.0).abs() < 0.1);
    assert!(line("process_memory_usage", &[]) > 1_000_000.0);
    assert!(line("fumi_searched_bytes_total", &[]) > 0.0);
    assert!((line("fumi_parses_total", &[]) - 1.0).abs() < 0.1);
    assert!((line("fumi_calls_running", &[]) - 0.0).abs() < 0.1);
}

/// The tokens of a reply are counted whichever way the call is answered.
#[tokio::test(flavor = "multi_thread")]
async fn tokens_are_counted_however_a_call_is_answered() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let (stateless, session) = (Stateless::new(&server), Session::open(&server).await);
    let counted = |tool: &str| {
        let text = server.app.metrics.text();
        let own = format!("gen_ai_tool_name=\"{tool}\"");
        let lines = text.lines().filter(|line| line.starts_with("fumi_tokens_out_total{") && line.contains(&own));
        lines.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum::<u64>()
    };
    let arguments = json!({"roots": ["."], "absolute": false});
    let call = json!({"name": "list_files", "arguments": arguments});
    let with_progress = {
        let mut call = call.clone();
        call["_meta"] = json!({"progressToken": 1});
        call
    };
    let batch =
        json!({"name": "batch_execute", "arguments": {"steps": [{"tool": "list_files", "arguments": arguments}]}});
    let of_reply = |result: &serde_json::Value| result["_meta"]["fumi/tokens"].as_u64().unwrap();
    let mut before = counted("list_files");
    for (way, params) in
        [("at once", &call), ("again, from the cache", &call), ("with a progress token", &with_progress)]
    {
        let answer = stateless.request("tools/call", params.clone()).await;
        // Nothing is sent before the reply.
        assert_eq!(answer.headers["content-type"], "application/json", "{way}");
        let now = counted("list_files");
        assert_eq!(now - before, of_reply(answer.result()), "{way}");
        before = now;
    }
    for params in [&call, &with_progress] {
        let answer = session.request("tools/call", params.clone()).await;
        let now = counted("list_files");
        assert_eq!(now - before, of_reply(answer.result()), "in a session");
        before = now;
    }
    let mut batches = counted("batch_execute");
    for client in ["stateless", "session"] {
        let answer = match client {
            "stateless" => stateless.request("tools/call", batch.clone()).await,
            _ => session.request("tools/call", batch.clone()).await,
        };
        let now = counted("batch_execute");
        assert_eq!(now - batches, of_reply(answer.result()), "a batch, {client}");
        batches = now;
    }
    // The output of a step is part of the batch's reply, not a separate reply.
    assert_eq!(counted("list_files"), before);
    for accept in ["application/json", "text/plain", "text/event-stream"] {
        let request = reqwest::Client::new()
            .post(format!("{}/v1/tools/list_files", server.base))
            .header("Accept", accept)
            .json(&arguments);
        let answer = request.send().await.unwrap();
        let told = answer.headers().get("x-fumi-tokens").map(|told| told.to_str().unwrap().to_owned());
        assert_eq!(told.is_none(), accept == "text/event-stream");
        answer.text().await.unwrap();
        let now = counted("list_files");
        match told {
            Some(told) => assert_eq!((now - before).to_string(), told, "{accept}"),
            None => assert!(now > before, "{accept}"),
        }
        before = now;
    }
}
