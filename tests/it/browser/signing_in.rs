//! Signing in, as a person would: ten steps one by one, the same as one batch, and with values that pass from step to
//! step.

use fumi_base::tokens;
use serde_json::{Value, json};

use super::visit::{Told, Visit, minimal, reference};
use crate::harness::{messages, next_id};

/// Returns the ten steps. The last one reads the account.
fn steps(visit: &Visit) -> Vec<Value> {
    vec![
        json!({"tool": "browser_navigate", "arguments": {"url": visit.site.url("/login/")}}),
        json!({"tool": "browser_click", "arguments": {"target": {"role": "button", "name": "Accept all"}}}),
        json!({"tool": "browser_type", "arguments": {"target": "#user", "text": "文 & co"}}),
        json!({"tool": "browser_fill", "arguments": {"target": "#password", "value": "correct horse"}}),
        json!({"tool": "browser_click", "arguments": {"target": "#remember"}}),
        json!({"tool": "browser_select_option", "arguments": {"target": "#language", "values": ["日本語"]}}),
        json!({"tool": "browser_click", "arguments": {"target": "#enter"}}),
        json!({"tool": "browser_type", "arguments": {"target": {"text": "Code"}, "text": "246810"}}),
        json!({"tool": "browser_press_key", "arguments": {"key": "Enter"}}),
        json!({"tool": "browser_snapshot", "arguments": {"target": "#account"}}),
    ]
}

#[track_caller]
fn is_signed_in(account: &str) {
    assert!(account.contains("文 & co") && account.contains("ja"), "{account}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn step_by_step() {
    let visit = Visit::new().await;
    let mut told: Vec<Told> = Vec::new();
    for step in steps(&visit) {
        let answer = visit.call(step["tool"].as_str().unwrap(), step["arguments"].clone()).await;
        answer.done();
        told.push(answer);
    }
    is_signed_in(told[9].snapshot());
    assert_eq!(told[5].done()["selected"], json!(["日本語"]));
    assert!(told[6].done()["url"].as_str().unwrap().ends_with("/login/factor.html"));
    assert!(told[8].done()["url"].as_str().unwrap().ends_with("/login/dashboard"));
    // The site received the text that was typed.
    let sent = visit.site.received_at("/login/enter")[0].text();
    assert!(sent.contains("password=correct+horse") && sent.contains("remember=on"), "{sent}");
    // The replies for fields do not contain the typed text; the password is in no reply.
    assert!(told[2].done().get("snapshot").is_none() && told[2].done().get("changes").is_none());
    for answer in &told {
        assert!(!answer.answer.raw.contains("correct horse"), "{}", answer.answer.raw);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn by_the_refs_of_the_snapshots() {
    let visit = Visit::new().await;
    let page = visit.open("/login/").await;
    assert!(tokens::estimate(page.snapshot()) <= 600, "{}", page.snapshot());
    let of = |part| reference(page.snapshot(), part);
    visit.click(&of("\"Accept all\"")).await.done();
    let fields = json!({"fields": [
        {"name": "User name", "type": "textbox", "target": of("textbox \"User name\""), "value": "reader"},
        {"name": "Password", "type": "textbox", "target": of("textbox \"Password\""), "value": "correct horse"},
        {"name": "Remember me", "type": "checkbox", "target": of("checkbox \"Remember me\""), "value": "true"},
        {"name": "Language", "type": "combobox", "target": of("combobox \"Language\""), "value": "Français"},
    ]});
    visit.call("browser_fill_form", fields).await.done();
    let factor = visit.click(&of("button \"Sign in\"")).await;
    let code = reference(factor.snapshot(), "textbox \"Code\"");
    let arguments = json!({"target": code, "text": "246810", "submit": true});
    let dashboard = visit.call("browser_type", arguments).await;
    let snapshot = dashboard.snapshot();
    assert!(snapshot.contains("reader") && snapshot.contains("fr"), "{snapshot}");
    assert!(tokens::estimate(snapshot) <= 1_500, "{}", tokens::estimate(snapshot));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn as_one_batch() {
    let visit = Visit::new().await;
    let arguments = json!({
        "steps": steps(&visit),
        "globalExpectation": {"includeSnapshot": false},
    });
    let mut whole = arguments.clone();
    whole["steps"][9]["expectation"] = json!({"includeSnapshot": true});
    let told = visit.call("browser_batch_execute", whole).await;
    assert_eq!(told.counts(), [10, 10, 0, 0], "{}", told.text());
    is_signed_in(told.step(9)["snapshot"].as_str().unwrap());
    // Short, but with the necessary facts.
    let size = tokens::estimate(told.text()).max(tokens::estimate(&told.done().to_string()));
    assert!(size <= 1_000, "{size}");
    assert!(told.step(6)["url"].as_str().unwrap().ends_with("/login/factor.html"));
    assert!(told.step(8)["url"].as_str().unwrap().ends_with("/login/dashboard"));
    // The same through the general batch tool.
    visit.call("browser_cookies", json!({"action": "clear"})).await.done();
    let told = visit.call("batch_execute", arguments).await;
    assert_eq!(told.counts(), [10, 10, 0, 0], "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn beside_a_tool_of_code() {
    let visit = Visit::new().await;
    visit.sample.file("src/codes.py", "code = '246810'\n");
    let mut all = steps(&visit);
    all.insert(0, json!({"tool": "search_content", "arguments": {"query": "code = '246810'", "roots": ["src"]}}));
    all[8]["arguments"]["text"] = json!("${steps[0].result.count}46810");
    // The count of matches is 1, so the code is wrong, and the page says so.
    let told = visit.call("batch_execute", json!({"steps": all[..10]})).await;
    assert_eq!(told.counts(), [10, 10, 0, 0], "{}", told.text());
    let url = told.step(9)["url"].as_str().unwrap();
    assert!(url.ends_with("/login/factor.html?wrong=code"), "{url}");
    let sent = visit.site.received_at("/login/confirm")[0].text();
    assert_eq!(sent, "code=146810");
    // Steps of a browser do not run in parallel.
    let arguments = json!({"steps": [all[1], all[2]], "parallel": true});
    let told = visit.call("batch_execute", arguments).await;
    assert_eq!(told.refused().0, "INVALID_ARGUMENTS", "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn values_go_from_step_to_step() {
    let visit = Visit::new().await;
    visit.enter("/lists/equal-buttons.html").await;
    let told = visit
        .batch(json!([
            {"tool": "browser_find_elements", "arguments": {"role": "button", "text": "Cancel"}},
            {"tool": "browser_click", "arguments": {"target": "${steps[0].result.elements[1].ref}"}},
            {"tool": "browser_evaluate", "arguments": {"function": "() => document.querySelector('#said').textContent"}},
            {"tool": "browser_navigate", "arguments": {"url": format!("{}?text=${{/steps/2/result/result}}", visit.site.url("/console/say.html"))}, "expectation": minimal()},
            {"tool": "browser_evaluate", "arguments": {"function": "() => document.querySelector('#text').textContent"}},
        ]))
        .await;
    assert_eq!(told.counts(), [5, 5, 0, 0], "{}", told.text());
    assert_eq!(told.step(4)["result"], "cancelled: Second order");
}

/// The batch holds the tab: another call of the same session does not act between two steps.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_call_that_waits_for_a_tab_holds_no_slot() {
    // Each waiting call would otherwise keep the batch from its next step.
    let visit = Visit::with(|config| config.pools.browser = 1).await;
    visit.enter("/buttons/pointer.html").await;
    let pause = json!({"tool": "browser_wait_for", "arguments": {"time": 0.05}});
    let batch = visit.batch(json!(vec![pause; 10]));
    let single = || visit.call("browser_evaluate", json!({"function": "() => 1"}));
    let (told, one, two, three) = tokio::join!(batch, single(), single(), single());
    assert_eq!(told.counts(), [10, 10, 0, 0]);
    for single in [one, two, three] {
        single.done();
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_batch_has_the_tab_alone() {
    let visit = Visit::new().await;
    visit.enter("/buttons/pointer.html").await;
    visit.value("() => { window.done = []; }").await;
    let note = |what: &str| json!({"tool": "browser_evaluate", "arguments": {"function": format!("() => window.done.push('{what}')")}});
    let batch = visit.batch(json!(vec![note("batch"); 30]));
    let singles = async {
        for _ in 0..5 {
            let arguments = note("single")["arguments"].clone();
            visit.call("browser_evaluate", arguments).await.done();
        }
    };
    let (told, ()) = tokio::join!(batch, singles);
    assert_eq!(told.counts(), [30, 30, 0, 0]);
    let done = visit.value("() => window.done").await;
    let done: Vec<&str> = done.as_array().unwrap().iter().map(|what| what.as_str().unwrap()).collect();
    let first = done.iter().position(|what| *what == "batch").unwrap();
    assert_eq!(done.len(), 35);
    assert!(done[first..first + 30].iter().all(|what| *what == "batch"), "{done:?}");
}

/// Progress is reported every five seconds, and sooner when another step begins.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn each_step_of_a_long_batch_is_reported() {
    let visit = Visit::new().await;
    visit.enter("/buttons/pointer.html").await;
    let pause = json!({"tool": "browser_wait_for", "arguments": {"time": 1.5}});
    let params = json!({
        "name": "browser_batch_execute",
        "arguments": {"steps": vec![pause; 4]},
        "_meta": {"progressToken": "steps"},
    });
    let message = json!({"jsonrpc": "2.0", "id": next_id(), "method": "tools/call", "params": params});
    let raw = visit.client.prepare(&message).send().await.unwrap().text().await.unwrap();
    let notes = messages(&raw);
    let notes = notes.iter().filter(|message| message["method"] == "notifications/progress");
    for step in [2, 3, 4] {
        let said = format!("step {step}/4: browser_wait_for");
        let note = notes.clone().find(|note| note["params"]["message"] == said);
        let done = note.unwrap_or_else(|| panic!("not reported: {said}\n{raw}"))["params"]["progress"].as_f64();
        assert!(done.is_some_and(|done| done >= f64::from(step - 1)), "{said}: {done:?}");
    }
}
