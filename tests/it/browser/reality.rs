//! The behaviour of real pages: dialogs, windows, frames, shadow roots, lists that grow, errors, endless pages,
//! crashes.

use fumi_base::tokens;
use serde_json::json;

use super::visit::{Visit, eventually, group, kill, minimal, reference};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn alert_confirm_and_prompt() {
    let visit = Visit::new().await;
    visit.enter("/dialogs/").await;
    for (button, kind, answer, said) in [
        ("#alert", "alert", json!({"accept": true}), "alert closed"),
        ("#confirm", "confirm", json!({"accept": true}), "confirm: true"),
        ("#prompt", "prompt", json!({"accept": true, "promptText": "文"}), "prompt: 文"),
        ("#prompt", "prompt", json!({"accept": false}), "prompt: null"),
    ] {
        let told = visit.click_blindly(button).await;
        assert_eq!(told.done()["dialog"]["type"], kind);
        let told = visit.call("browser_handle_dialog", answer).await;
        assert_eq!(told.done()["handled"]["type"], kind);
        assert!(told.done().get("dialog").is_none());
        assert_eq!(visit.said().await, said);
    }
    visit.click_blindly("#two").await.done();
    let told = visit.call("browser_handle_dialog", json!({"accept": true})).await;
    assert_eq!(told.done()["dialog"]["message"], "Second");
    visit.call("browser_handle_dialog", json!({"accept": true})).await.done();
    assert_eq!(visit.said().await, "both closed");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_page_that_asks_before_it_goes() {
    let visit = Visit::new().await;
    visit.enter("/dialogs/before-unload.html").await;
    let draft = json!({"target": "#draft", "text": "unsaved", "slowly": true});
    visit.call("browser_type", draft).await.done();
    let told = visit.click_blindly("text=Leave").await;
    assert_eq!(told.done()["dialog"]["type"], "beforeunload", "{}", told.text());
    visit.call("browser_handle_dialog", json!({"accept": false})).await.done();
    assert_eq!(visit.value("() => document.querySelector('#draft').value").await, "unsaved");
    visit.click_blindly("text=Leave").await.done();
    let told = visit.call("browser_handle_dialog", json!({"accept": true})).await;
    assert_eq!(told.done()["title"], "Arrived", "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn an_alert_before_the_page_is_there() {
    let visit = Visit::new().await;
    let url = visit.site.url("/dialogs/on-load.html");
    let told = visit.call("browser_navigate", json!({"url": url})).await;
    assert_eq!(told.done()["dialog"]["message"], "Loaded halfway");
    let told = visit.call("browser_handle_dialog", json!({"accept": true})).await;
    assert!(told.text().contains("Below"), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_window_that_a_page_opens_is_used_and_closes_itself() {
    let visit = Visit::new().await;
    visit.enter("/popups/").await;
    let told = visit.click("#open").await;
    let tabs = told.done()["tabs"].as_array().unwrap().clone();
    assert_eq!(tabs.len(), 2, "{tabs:?}");
    let index = tabs.iter().position(|tab| tab["title"] == "Opened").unwrap();
    visit.call("browser_tabs", json!({"action": "select", "index": index})).await.done();
    visit.call("browser_type", json!({"target": "#answer", "text": "42"})).await.done();
    visit.click("#send").await.done();
    let told = visit.call("browser_tabs", json!({"action": "list"})).await;
    assert_eq!(told.done()["tabs"].as_array().unwrap().len(), 1, "{}", told.text());
    visit.wait_for("answer: 42").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn tabs_are_opened_chosen_and_closed() {
    let visit = Visit::new().await;
    visit.enter("/redirects/target.html").await;
    let url = visit.site.url("/login/");
    let told = visit.call("browser_tabs", json!({"action": "new", "url": url})).await;
    assert_eq!(told.done()["title"], "Sign in");
    let told = visit.call("browser_tabs", json!({"action": "select", "index": 0})).await;
    assert_eq!(told.done()["title"], "Arrived");
    let told = visit.call("browser_tabs", json!({"action": "close", "index": 1})).await;
    assert_eq!(told.done()["title"], "Arrived");
    let told = visit.call("browser_tabs", json!({"action": "select", "index": 7})).await;
    assert_eq!(told.refused().0, "INVALID_ARGUMENTS");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn frames_of_this_and_of_another_origin() {
    let visit = Visit::new().await;
    let other = super::site::Site::start().await;
    let foreign = format!("/frames/cross-origin.html?other={}", other.url_at("localhost", ""));
    for path in ["/frames/same-origin.html", &foreign] {
        let told = visit.open(path).await;
        let button = reference(told.snapshot(), "Inner button");
        assert!(button.starts_with('f'), "{button}");
        let field = reference(told.snapshot(), "Inner field");
        let arguments = json!({"target": field, "text": "typed inside"});
        visit.call("browser_type", arguments).await.done();
        visit.click(&button).await.done();
        let told = visit.click(&button).await;
        let inside = visit.call("browser_snapshot", json!({})).await;
        let snapshot = inside.snapshot();
        assert!(snapshot.contains("typed inside") && snapshot.contains('2'), "{path}: {snapshot} {}", told.text());
    }
    assert!(visit.said().await.ends_with("clicked 2"));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn shadow_roots() {
    let visit = Visit::new().await;
    let told = visit.open("/shadow/").await;
    let field = reference(told.snapshot(), "Shadow field");
    visit.call("browser_type", json!({"target": field, "text": "dark"})).await.done();
    visit.click("role=button[name=\"Shadow button\"]").await.done();
    assert_eq!(visit.said().await, "shadow: dark");
    let told = visit.open("/shadow/nested.html").await;
    visit.click(&reference(told.snapshot(), "Deepest button")).await.done();
    assert_eq!(visit.said().await, "found");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn dragging_in_both_ways_and_dropping_from_outside() {
    let visit = Visit::new().await;
    visit.enter("/drag/").await;
    let drag = |from: &str, to: &str| json!({"startTarget": from, "endTarget": to});
    visit.call("browser_drag", drag("#from", "#to")).await.done();
    assert_eq!(visit.value("() => document.querySelector('#to').textContent").await, "a parcel");
    visit.sample.file("data/drop.txt", "twelve bytes");
    let files = json!({"target": "#files", "paths": ["data/drop.txt"]});
    visit.call("browser_drop", files).await.done();
    let told = visit.value("() => document.querySelector('#files').textContent").await;
    assert_eq!(told, "drop.txt (12)");
    let text = json!({
        "target": "#files", "data": {"text/plain": "a word"}, "expectation": {"includeCode": true},
    });
    let told = visit.call("browser_drop", text).await;
    assert_eq!(
        told.done()["code"],
        "await page.getByRole('region', { name: 'Files' }).drop({ data: { 'text/plain': 'a word' } });"
    );
    assert_eq!(visit.value("() => document.querySelector('#files').textContent").await, "a word");
    visit.enter("/drag/pointer.html").await;
    visit.call("browser_drag", drag("#box", "#goal")).await.done();
    assert_eq!(visit.said().await, "in, moved");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn choices_and_texts() {
    let visit = Visit::new().await;
    visit.enter("/forms/select.html").await;
    let select = |target: &str, values: &[&str]| json!({"target": target, "values": values});
    let told = visit.call("browser_select_option", select("#one", &["Blue"])).await;
    assert_eq!(told.done()["selected"], json!(["Blue"]));
    let told = visit.call("browser_select_option", select("#several", &["1", "Third"])).await;
    assert_eq!(told.done()["selected"], json!(["First", "Third"]));
    let told = visit.call("browser_select_option", select("#one", &["Violet"])).await;
    assert!(told.has_failed() && told.text().contains("Orange"), "{}", told.text());
    visit.click("#own").await.done();
    visit.click("text=Beta").await.done();
    assert_eq!(visit.value("() => document.querySelector('#own').textContent").await, "Beta");
    visit.enter("/forms/editable.html").await;
    for (target, value, holds) in [
        ("#rich", "新しい text", "新しい text"),
        ("#plain", "plain text", "plain text"),
        ("#digits", "a1b2", "12"),
        ("#controlled", "kept", "kept"),
    ] {
        let arguments = json!({"target": target, "text": value});
        visit.call("browser_type", arguments).await.done();
        let function = format!(
            "() => {{ const e = document.querySelector('{target}'); e.blur(); return (e.value ?? e.textContent).trim(); }}"
        );
        assert_eq!(visit.value(&function).await, holds, "{target}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn pages_are_asked_for_in_the_configured_language() {
    for (args, languages) in [(vec![], "en-US,en"), (vec!["--accept-lang=ja".to_owned()], "ja")] {
        let visit = Visit::with(|config| config.browser.args.extend(args)).await;
        visit.enter("/echo").await;
        let shown = visit.value("() => document.body.innerText").await;
        // One build adds weights, the other does not.
        let wanted = format!("\naccept-language: {languages}");
        assert!(shown.as_str().unwrap().contains(&wanted), "{shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn texts_are_copied_and_pasted_by_keys() {
    let visit = Visit::new().await;
    visit.enter("/clipboard.html").await;
    let keys = async |target: &str, keys: &[&str]| {
        visit.call("browser_click", json!({"target": target})).await.done();
        for key in keys {
            visit.call("browser_press_key", json!({"key": key})).await.done();
        }
    };
    let value = async |id: &str| visit.value(&format!("() => document.querySelector('{id}').value")).await;
    keys("#from", &["Control+a", "Control+x"]).await;
    assert_eq!(value("#from").await, "");
    // A session's clipboard lasts from page to page.
    visit.enter("/clipboard.html").await;
    keys("#to", &["Control+v", "Shift+Insert"]).await;
    assert_eq!(value("#to").await, "first line\nsecond line".repeat(2));
    // A page that handles copying or pasting itself, or uses the keys for something else.
    keys("#own", &["Control+a", "Control+c"]).await;
    keys("#taker", &["Control+v"]).await;
    assert_eq!(value("#taker").await, "took what the page made of it");
    keys("#refuser", &["Control+v"]).await;
    assert_eq!(value("#refuser").await, "");
    // A button that copies: by command it may, as everywhere; to the clipboard of all sessions it may not.
    keys("#command", &[]).await;
    keys("#taker", &["Control+v"]).await;
    // The field has one line.
    assert_eq!(value("#taker").await, "took first linesecond line");
    keys("#api", &[]).await;
    assert_eq!(visit.said().await, "refused: NotAllowedError");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_list_without_an_end() {
    let visit = Visit::new().await;
    let told = visit.open("/lists/infinite.html").await;
    assert!(tokens::estimate(told.snapshot()) <= 3_000);
    let count = "() => document.querySelectorAll('#list li').length";
    let before = visit.value(count).await.as_u64().unwrap();
    visit.call("browser_press_key", json!({"key": "End"})).await.done();
    eventually("more items", async || visit.value(count).await.as_u64().unwrap() > before).await;
    let told = visit.call("browser_find", json!({"text": "Item 25"})).await;
    assert_eq!(told.done()["total"], 1, "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn elements_that_come_late_move_or_lie_far_away() {
    let visit = Visit::new().await;
    visit.enter("/buttons/disabled.html?ms=300").await;
    visit.click("#soon").await.done();
    assert_eq!(visit.said().await, "clicked soon");
    visit.enter("/buttons/far.html").await;
    for id in ["far", "in"] {
        visit.click(&format!("#{id}")).await.done();
        assert_eq!(visit.said().await, format!("clicked {id}"));
    }
    visit.enter("/buttons/moving.html").await;
    visit.click("#comes").await.done();
    assert_eq!(visit.said().await, "clicked comes");
    visit.enter("/buttons/late.html").await;
    eventually("it is there", async || {
        let told = visit.call("browser_find_elements", json!({"text": "Late", "role": "button"})).await;
        told.done()["total"] == 1
    })
    .await;
    visit.click("#late").await.done();
    assert_eq!(visit.said().await, "clicked");
}

/// Texts in scripts are not texts of the page.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn text_in_a_script_is_not_text_of_the_page() {
    let visit = Visit::new().await;
    visit.enter("/dialogs/").await;
    visit.call("browser_wait_for", json!({"textGone": "Your name?"})).await.done();
    let told = visit.click("text=Your name?").await;
    assert_eq!(told.refused().0, "B002");
    let told = visit.call("browser_find_elements", json!({"text": "Your name?"})).await;
    assert_eq!(told.done()["total"], 0, "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn errors_of_the_console() {
    let visit = Visit::new().await;
    visit.enter("/console/").await;
    let of = async |level: &str| {
        let told = visit.call("browser_console_messages", json!({"level": level})).await;
        let messages = told.done()["messages"].as_array().unwrap().clone();
        messages.iter().map(|message| message["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let errors = of("error").await;
    assert!(errors.iter().any(|text| text.contains("an error message")), "{errors:?}");
    assert!(!errors.iter().any(|text| text.contains("a warning")));
    let all = of("debug").await;
    for part in ["a debug message", "a warning", "日本語のメッセージ", "nested"] {
        assert!(all.iter().any(|text| text.contains(part)), "{part}: {all:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn requests_that_fail() {
    let visit = Visit::new().await;
    visit.enter("/network/").await;
    eventually("all is answered", async || visit.said().await.contains("200 404 500")).await;
    let told = visit.call("browser_network_requests", json!({"statusRange": "400-599"})).await;
    let requests = told.done()["requests"].as_array().unwrap();
    let mut found: Vec<u64> = requests.iter().filter_map(|request| request["status"].as_u64()).collect();
    found.sort_unstable();
    assert_eq!(found, [404, 404, 500], "{}", told.text());
    let told = visit.call("browser_network_requests", json!({"filter": "127.0.0.1:1/"})).await;
    let refused = &told.done()["requests"][0];
    assert!(
        refused["failure"].as_str().unwrap().contains("REFUSED")
            || refused["failure"].as_str().unwrap().contains("UNSAFE_PORT"),
        "{refused}"
    );
    let told = visit.call("browser_network_requests", json!({"method": "POST"})).await;
    let index = told.done()["requests"][0]["index"].clone();
    let told = visit.call("browser_network_request", json!({"index": index})).await;
    let done = told.done();
    assert!(done["request_body"].as_str().unwrap().contains("\"n\":1"), "{done}");
    assert!(done["response_body"].as_str().unwrap().starts_with("POST /echo"), "{done}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn redirects_are_followed_and_reported() {
    let visit = Visit::new().await;
    let told = visit.open("/redirect/chain/5").await;
    assert_eq!(told.done()["title"], "Arrived");
    assert_eq!(told.done()["redirects"].as_array().unwrap().len(), 5, "{}", told.text());
    for path in ["/redirects/meta.html", "/redirects/script.html"] {
        let told = visit.open(path).await;
        assert_eq!(told.done()["title"], "Arrived", "{path}: {}", told.text());
    }
    let url = visit.site.url("/redirect/loop");
    let told = visit.call("browser_navigate", json!({"url": url})).await;
    assert!(told.has_failed() && told.text().contains("REDIRECTS"), "{}", told.text());
    let told = visit.call("browser_navigate", json!({"url": "http://127.0.0.1:9/"})).await;
    assert!(told.has_failed(), "{}", told.text());
    visit.open("/login/").await;
    let told = visit.call("browser_navigate_back", json!({})).await;
    assert_ne!(told.done()["title"], "Sign in");
    let told = visit.call("browser_navigate_forward", json!({})).await;
    assert_eq!(told.done()["title"], "Sign in");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_page_that_never_stops_loading_can_be_used() {
    let visit = Visit::new().await;
    let told = visit.open("/never/").await;
    assert!(told.snapshot().contains("Use me"));
    assert!(told.done()["notice"].as_str().unwrap().contains("still loading"));
    visit.click("text=Use me").await.done();
    assert_eq!(visit.said().await, "used");
    visit.enter("/never/polling.html").await;
    visit.click("text=Use me").await.done();
    assert_eq!(visit.said().await, "used");
    let told = visit.open("/never/page").await;
    assert!(told.snapshot().contains("Do something"), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_crashed_tab_is_reported_and_reopened() {
    let visit = Visit::new().await;
    visit.enter("/cookies/set?name=who&value=me").await;
    visit.enter("/crash.html").await;
    let page = visit.value("() => 1").await;
    assert_eq!(page, 1);
    let chromium = visit.chromium().unwrap();
    // The process of the page is the only renderer that has it, so all of them are ended.
    for renderer in renderers(chromium) {
        kill(&renderer.to_string());
    }
    eventually("the crash is reported", async || {
        let told = visit.call("browser_snapshot", json!({})).await;
        told.text().contains("crashed")
    })
    .await;
    let told = visit.call("browser_evaluate", json!({"function": "() => 1"})).await;
    assert_eq!(told.refused().0, "B007");
    let told = visit.open("/cookies").await;
    assert!(told.snapshot().contains("You are"), "{}", told.snapshot());
    assert!(told.snapshot().contains("me"), "cookies are still there: {}", told.snapshot());
    assert_eq!(visit.chromium(), Some(chromium), "Chromium itself still runs");
}

/// Returns the renderer processes of a Chromium.
fn renderers(chromium: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let ids = processes.filter_map(|process| process.file_name().to_str()?.parse().ok());
    ids.filter(|id: &u32| {
        let read = |name: &str| std::fs::read_to_string(format!("/proc/{id}/{name}")).unwrap_or_default();
        let stat = read("stat");
        let group = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(2));
        group == Some(chromium.to_string().as_str()) && read("cmdline").contains("--type=renderer")
    })
    .collect()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_chromium_that_is_killed_is_started_again_and_the_next_call_says_so() {
    let visit = Visit::new().await;
    let handle = visit.open("/login/").await.handle();
    let before = visit.chromium().unwrap();
    assert!(group(before) > 1);
    kill(&format!("-{before}"));
    eventually("all of it is gone", async || group(before) == 0).await;
    let told = visit.open("/redirects/target.html").await;
    assert!(told.done()["notice"].as_str().unwrap().contains("crashed"), "{}", told.text());
    assert_eq!(told.handle(), handle);
    assert_ne!(visit.chromium(), Some(before));
    let told = visit.call("browser_snapshot", json!({"expectation": minimal()})).await;
    assert!(told.done().get("notice").is_none(), "reported only once: {}", told.text());
    eventually("it is noted", async || {
        let told = visit.call("browser_diagnose", json!({})).await;
        told.done()["last_crash"]["how"].as_str().is_some_and(|how| how.contains('9'))
    })
    .await;
}

/// Also during a call.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_call_whose_chromium_dies_ends_with_a_refusal() {
    let visit = Visit::new().await;
    visit.enter("/login/").await;
    let chromium = visit.chromium().unwrap();
    visit.site.forget();
    let function = json!({"function": "() => fetch('/echo').then(() => new Promise(() => {}))"});
    let hangs = visit.call("browser_evaluate", function);
    let killed = async {
        visit.site.until("/echo", 1).await;
        kill(&format!("-{chromium}"));
    };
    let (told, ()) = tokio::join!(hangs, killed);
    assert_eq!(told.refused().0, "B001", "{}", told.text());
    visit.open("/login/").await;
}
