//! Sessions are isolated from each other. A session is found by its owner, by its handle or by the client's MCP
//! session.

use std::{collections::BTreeSet, sync::Arc};

use fumi::http::auth::tokens::sha256_of;
use fumi_config::{AuthMode, ConfiguredToken};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use serde_json::json;

use super::visit::{Visit, reference};
use crate::harness::{Session, Stateless};

/// The acts of one of eight clients, and a check of everything that could be another's.
async fn alone(visit: Arc<Visit>, client: Session, n: usize) -> String {
    let name = format!("client-{n}");
    let site = &visit.site;
    let call = async |tool: &str, arguments| visit.call_of(&client, tool, arguments).await;
    // Cookies.
    let url = site.url(&format!("/cookies/set?name=who&value={name}"));
    let told = call("browser_navigate", json!({"url": url})).await;
    assert!(told.snapshot().contains(&name), "{}", told.snapshot());
    let handle = told.handle();
    // The page's storage.
    visit
        .value_of(&client, &format!("() => localStorage.setItem('who', localStorage.getItem('who') ?? '{name}')"))
        .await;
    // Tabs: up to two more.
    for _ in 0..n % 3 {
        let arguments = json!({"action": "new", "url": site.url("/redirects/target.html")});
        call("browser_tabs", arguments).await.done();
    }
    // The console and the refs.
    let url = site.url(&format!("/console/say.html?text={name}"));
    call("browser_navigate", json!({"url": url})).await.done();
    let append = format!(
        "() => {{ document.body.append(Object.assign(document.createElement('button'), {{ textContent: 'of {name}', \
        onclick: () => {{ document.title += ' pressed by {name}'; }} }})); }}"
    );
    visit.value_of(&client, &append).await;
    let told = call("browser_snapshot", json!({"expectation": {"diffOptions": {"enabled": true}}})).await;
    let part = |name: &str| told.done()[name].as_str().unwrap_or_default().to_owned();
    let shown = part("changes") + &part("snapshot");
    assert!(shown.contains(&format!("of {name}")), "{shown}");
    for other in (0..8).filter(|other| *other != n) {
        assert!(!shown.contains(&format!("client-{other}")), "{shown}");
    }
    // Refs are numbered in each session separately: the same one names another button in each.
    let own = reference(&shown, &format!("of {name}"));
    call("browser_click", json!({"target": own})).await.done();
    let title = visit.value_of(&client, "() => document.title").await;
    let title = title.as_str().unwrap();
    assert_eq!(title.matches("pressed by").count(), 1, "{title}");
    assert!(title.ends_with(&format!("pressed by {name}")), "{title}");
    let told = call("browser_console_messages", json!({"all": true})).await;
    assert_eq!(told.done()["total"], 1, "{}", told.text());
    assert_eq!(told.done()["messages"][0]["text"], name);
    let told = call("browser_tabs", json!({"action": "list"})).await;
    assert_eq!(told.done()["tabs"].as_array().unwrap().len(), n % 3 + 1, "{}", told.text());
    let told = call("browser_cookies", json!({"action": "list"})).await;
    assert_eq!(told.done()["total"], 1, "{}", told.text());
    assert_eq!(told.done()["cookies"][0]["value"], name);
    assert_eq!(visit.value_of(&client, "() => localStorage.getItem('who')").await, name);
    let told = call("browser_network_requests", json!({"filter": "say.html"})).await;
    for request in told.done()["requests"].as_array().unwrap() {
        assert!(request["url"].as_str().unwrap().contains(&name), "{request}");
    }
    handle
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn eight_at_once_see_nothing_of_each_other() {
    let visit = Arc::new(Visit::new().await);
    let mut tasks = Vec::new();
    for n in 0..8 {
        let client = visit.other().await;
        tasks.push(tokio::spawn(alone(Arc::clone(&visit), client, n)));
    }
    let mut handles = BTreeSet::new();
    for task in tasks {
        handles.insert(task.await.unwrap());
    }
    assert_eq!(handles.len(), 8);
    // All of them in one Chromium.
    let told = visit.call("browser_diagnose", json!({})).await;
    let done = told.done();
    assert_eq!((&done["starts"], &done["sessions"]), (&json!(1), &json!(8)), "{done}");
}

/// Chromium has one clipboard, and one selection that the middle button pastes, for all of its contexts.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn the_clipboard_of_one_session_is_not_pasted_in_another() {
    let visit = Visit::new().await;
    let (one, two) = (visit.other().await, visit.other().await);
    let call =
        async |client: &Session, tool: &str, arguments| visit.call_of(client, tool, arguments).await.done().clone();
    let press = async |client: &Session, key: &str| call(client, "browser_press_key", json!({"key": key})).await;
    let page = json!({"url": visit.site.url("/clipboard.html")});
    call(&one, "browser_navigate", page.clone()).await;
    call(&two, "browser_navigate", page).await;
    call(&one, "browser_click", json!({"target": "#from"})).await;
    press(&one, "Control+a").await;
    press(&one, "Control+c").await;
    call(&two, "browser_click", json!({"target": "#to"})).await;
    for key in ["Control+v", "Control+Shift+V", "Shift+Insert"] {
        press(&two, key).await;
        let there = visit.value_of(&two, "() => document.querySelector('#to').value").await;
        assert_eq!(there, "", "{key}");
    }
    call(&two, "browser_click", json!({"target": "#to", "button": "middle"})).await;
    assert_eq!(visit.value_of(&two, "() => document.querySelector('#to').value").await, "");
    // A page cannot read the clipboard by itself either.
    let read = "() => navigator.clipboard.readText().then(() => 'read', (error) => error.name)";
    assert_eq!(visit.value_of(&two, read).await, "NotAllowedError");
    call(&one, "browser_click", json!({"target": "#to"})).await;
    press(&one, "Control+v").await;
    let pasted = visit.value_of(&one, "() => document.querySelector('#to').value").await;
    assert_eq!(pasted, "first line\nsecond line");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_session_belongs_to_its_principal() {
    let token = |name: &str| ConfiguredToken {
        name: name.to_owned(),
        sha256: sha256_of(name),
        toolsets: Vec::new(),
        roots: Vec::new(),
        readonly: false,
        rate_per_minute: None,
    };
    let sample = crate::sample::Sample::new();
    let app = sample.app_with(&[], |config| {
        config.auth.mode = AuthMode::Tokens;
        config.auth.tokens = vec![token("one"), token("two")];
    });
    let server = crate::harness::Server::start(app).await;
    let bearing = |token: &str| {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::from_str(&format!("Bearer {token}")).unwrap());
        reqwest::Client::builder().default_headers(headers).build().unwrap()
    };
    let one = Session::open_bearing(&server, bearing("one"), json!({})).await;
    let again = Session::open_bearing(&server, bearing("one"), json!({})).await;
    let two = Session::open_bearing(&server, bearing("two"), json!({})).await;
    let url = "data:text/html,<title>mine</title>";
    let answer = one.call("browser_navigate", json!({"url": url})).await;
    let (structured, text, has_failed) = answer.called();
    assert!(!has_failed, "{text}");
    let handle = &structured["browser_session"];
    for (tool, arguments) in [
        ("browser_snapshot", json!({"browser_session": handle})),
        ("browser_close", json!({"browser_session": handle})),
        ("browser_snapshot", json!({"browser_session": "b_0000000000000000"})),
    ] {
        let answer = two.call(tool, arguments).await;
        assert_eq!(answer.called().0["error"]["code"], "B007", "{}", answer.raw);
    }
    // A server for several principals opens private addresses only if the operator allows it.
    let private = format!("{}/livez", server.base);
    let answer = one.call("browser_navigate", json!({"url": private})).await;
    assert_eq!(answer.called().0["error"]["code"], "B005", "{}", answer.raw);
    // Its owner finds it from another MCP session too.
    let answer = again.call("browser_snapshot", json!({"browser_session": handle})).await;
    assert_eq!(answer.called().0["title"], "mine", "{}", answer.raw);
}

/// A client without an MCP session gets a new browser session with each call, unless it names one.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_handle_serves_clients_without_sessions() {
    let visit = Visit::new().await;
    let client = Stateless::new(&visit.server);
    let answer = client.call("browser_navigate", json!({"url": visit.site.url("/login/")})).await;
    let handle = answer.called().0["browser_session"].as_str().unwrap().to_owned();
    let answer = client.call("browser_click", json!({"target": "#accept", "browser_session": handle})).await;
    assert!(!answer.called().2, "{}", answer.raw);
    let answer = client.call("browser_snapshot", json!({})).await;
    let (structured, _, _) = answer.called();
    assert_eq!(structured["url"], "about:blank", "{}", answer.raw);
    assert_ne!(structured["browser_session"], handle);
    // An MCP session finds it as well, and continues with its own.
    let told = visit.call("browser_snapshot", json!({"browser_session": handle})).await;
    assert_eq!(told.done()["title"], "Sign in");
    let told = visit.call("browser_snapshot", json!({})).await;
    assert_eq!(told.done()["url"], "about:blank");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_closed_session_is_gone_with_all_it_had() {
    let visit = Visit::new().await;
    let told = visit.open("/cookies/set?name=who&value=me").await;
    let handle = told.handle();
    let told = visit.call("browser_close", json!({})).await;
    assert_eq!(told.done()["browser_session"], handle);
    let told = visit.call("browser_snapshot", json!({"browser_session": handle})).await;
    assert_eq!(told.refused().0, "B007");
    // The next call starts a new session without the old state.
    let told = visit.open("/cookies").await;
    assert_ne!(told.handle(), handle);
    assert!(told.snapshot().contains("nobody"), "{}", told.snapshot());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn too_many_sessions_are_refused_or_the_oldest_goes() {
    let visit = Visit::with(|config| config.browser.max_sessions = 2).await;
    let client = Stateless::new(&visit.server);
    let mut handles = Vec::new();
    for _ in 0..3 {
        let answer = client.call("browser_snapshot", json!({})).await;
        let (structured, text, has_failed) = answer.called();
        assert!(!has_failed, "{text}");
        handles.push(structured["browser_session"].clone());
    }
    let answer = client.call("browser_snapshot", json!({"browser_session": handles[0]})).await;
    assert_eq!(answer.called().0["error"]["code"], "B007", "{}", answer.raw);
    for handle in &handles[1..] {
        let answer = client.call("browser_snapshot", json!({"browser_session": handle})).await;
        assert!(!answer.called().2, "{}", answer.raw);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_client_whose_session_made_room_is_told_so_once() {
    let visit = Visit::with(|config| config.browser.max_sessions = 1).await;
    visit.enter("/cookies").await;
    let other = visit.other().await;
    visit.open_of(&other, "/cookies").await;
    let told = visit.call("browser_snapshot", json!({})).await;
    let notice = told.done()["notice"].as_str().unwrap_or_default();
    assert!(notice.contains("make room") && notice.contains("cookies are gone"), "{}", told.text());
    let told = visit.call("browser_snapshot", json!({})).await;
    assert!(told.done().get("notice").is_none(), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Chromium"]
async fn sessions_with_tabs_and_starts_of_chromium_are_metrics() {
    let visit = Visit::new().await;
    let metric = |name: &str| {
        let text = visit.server.app.metrics.text();
        let line = text.lines().find(|line| line.starts_with(name));
        let line = line.unwrap_or_else(|| panic!("no {name} in\n{text}"));
        line.rsplit(' ').next().unwrap().to_owned()
    };
    assert_eq!(metric("fumi_browser_starts_total"), "0", "nothing was asked for");
    let url = visit.site.url("/redirects/target.html");
    let other = Session::open(&visit.server).await;
    for client in [&visit.client, &other] {
        visit.call_of(client, "browser_navigate", json!({"url": url})).await.done();
    }
    assert_eq!(metric("fumi_browser_contexts"), "2");
    visit.call_of(&other, "browser_close", json!({})).await.done();
    assert_eq!(metric("fumi_browser_contexts"), "1");
    assert_eq!(metric("fumi_browser_starts_total"), "1", "one for both");
}
