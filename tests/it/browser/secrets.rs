//! The server's secrets are in no reply about a page, even if the page contains them.

use serde_json::{Value, json};

use super::visit::Visit;

const OWN: &str = "canary-secret-0123456789";

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_secret_of_the_server_is_in_no_reply_about_a_page() {
    let visit = Visit::knowing(&[OWN], |_| {}).await;
    let page = visit.site.url(&format!("/login/?next={OWN}"));
    let write = format!(
        "() => {{ document.title = '{OWN}'; document.cookie = 'key={OWN}'; console.error('{OWN}'); \
        document.body.prepend(Object.assign(document.createElement('button'), {{ textContent: '{OWN}', id: 'own' }})); \
        return '{OWN}'; }}"
    );
    let everything = json!({
        "includeSnapshot": true,
        "includeConsole": true,
        "includeTabs": true,
        "includeCode": true,
        "consoleOptions": {"levels": ["error"]},
    });
    let mut told = 0;
    for (tool, arguments) in [
        ("browser_navigate", json!({"url": page})),
        ("browser_evaluate", json!({"function": write})),
        ("browser_snapshot", json!({})),
        ("browser_find", json!({"text": "canary"})),
        ("browser_find_elements", json!({"text": "canary"})),
        ("browser_inspect_html", json!({"target": "#own"})),
        ("browser_console_messages", json!({})),
        ("browser_network_requests", json!({})),
        ("browser_network_request", json!({"index": 0})),
        ("browser_cookies", json!({"action": "list"})),
        ("browser_tabs", json!({"action": "list"})),
        ("browser_type", json!({"target": "#user", "text": OWN})),
        ("browser_click", json!({"target": format!("text={OWN} or so")})),
        ("browser_click", json!({"target": "text=canary"})),
        ("browser_wait_for", json!({"text": OWN})),
        (
            "browser_batch_execute",
            json!({"steps": [{"tool": "browser_snapshot"}, {"tool": "browser_click", "arguments": {"target": OWN}}]}),
        ),
    ] {
        let mut arguments: Value = arguments;
        if tool != "browser_batch_execute" {
            arguments["expectation"] = everything.clone();
        }
        let reply = visit.call(tool, arguments).await;
        assert!(!reply.answer.raw.contains(OWN), "{tool}: {}", reply.answer.raw);
        told += usize::from(reply.answer.raw.contains("[redacted]"));
    }
    assert!(told > 10, "the reply does not show the page: {told}");
}
