//! Browser sessions of replicas, without an MCP session.

use serde_json::json;

use super::site::Site;
use crate::{harness::Stateless, replicas::Cluster};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn browser_session_is_one_whichever_replica_gets_its_calls() {
    let (cluster, site) = (Cluster::start(3).await, Site::start().await);
    let client = Stateless { http: reqwest::Client::new(), url: cluster.balancer.url() };
    let opened = client.call("browser_navigate", json!({"url": site.url("/")})).await;
    let (structured, text, is_error) = opened.called();
    assert!(!is_error, "{text}");
    let session = structured["browser_session"].as_str().unwrap().to_owned();
    for number in 0..4 {
        let script = format!("() => document.body.dataset.number = (document.body.dataset.number ?? '') + {number}");
        let step = json!({"browser_session": session, "function": script});
        let read = client.call("browser_evaluate", step).await;
        assert!(!read.called().2, "{}", read.raw);
    }
    let step = json!({"tool": "browser_evaluate", "arguments": {"browser_session": session, "function": "() => document.body.dataset.number"}});
    let batch = client.call("batch_execute", json!({"steps": [step]})).await;
    assert!(batch.raw.contains("0123"), "{}", batch.raw);
    let closed = client.call("browser_close", json!({"browser_session": session})).await;
    assert!(!closed.called().2, "{}", closed.raw);
}
