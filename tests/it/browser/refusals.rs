//! Errors: their codes, and the next step that they suggest.

use fumi_config::Config;
use serde_json::{Value, json};

use super::{
    today::page_of,
    visit::{Told, Visit, reference},
};
use crate::harness::Stateless;

/// The text of a failed call says the same as its structure.
#[track_caller]
fn teaches(told: &Told) {
    let error = &told.structured()["error"];
    for part in [&error["message"], &error["guidance"]["explanation"]] {
        let part = part.as_str().unwrap();
        assert!(!part.is_empty() && told.text().contains(part), "{part}: {}", told.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_chromium_it_says_how_to_get_one() {
    let visit = Visit::with(|config| config.browser.executable = "/nonexistent/chromium".into()).await;
    let told = visit.call("browser_navigate", json!({"url": "about:blank"})).await;
    let (code, text) = told.refused();
    assert_eq!(code, "B001");
    for part in ["/nonexistent/chromium", "apt-get install chromium-headless-shell", "executable"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(told.structured()["error"]["guidance"]["suggested_action"], "browser_diagnose");
    let told = visit.call("browser_diagnose", json!({})).await;
    assert!(
        told.text().starts_with("Chromium: not found\nSearched: ") && told.text().contains("/nonexistent/chromium"),
        "{}",
        told.text()
    );
    // Tools without a browser still work.
    let told = visit.call("list_files", json!({"roots": ["src"]})).await;
    told.done();
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_stale_ref_offers_the_nearest() {
    let visit = Visit::new().await;
    let page = visit.open("/lists/rerendered.html").await;
    let (cherry, banana) = (reference(page.snapshot(), "Remove Cherry"), reference(page.snapshot(), "Remove Banana"));
    // Elements that only move keep their refs.
    visit.click("#sort").await.done();
    visit.click(&banana).await.done();
    assert_eq!(visit.said().await, "removed Banana");
    visit.click("#refresh").await.done();
    let told = visit.click(&cherry).await;
    let (code, text) = told.refused();
    assert_eq!(code, "B002");
    assert!(text.contains(&cherry) && text.contains("Remove Cherry"), "{text}");
    let nearest = reference(text, "Remove Cherry");
    assert_ne!(nearest, cherry);
    visit.click(&nearest).await.done();
    assert_eq!(visit.said().await, "removed Cherry");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_ref_never_means_another_element() {
    let visit = Visit::new().await;
    let page = visit.open("/buttons/replaced.html").await;
    let publish = reference(page.snapshot(), "Publish");
    visit.wait_for("Delete").await;
    let told = visit.click(&publish).await;
    assert_eq!(told.refused().0, "B002");
    assert_eq!(visit.said().await, "");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn an_element_that_is_not_there() {
    let visit = Visit::new().await;
    visit.enter("/login/").await;
    for target in ["#nothing", "e999", "text=Sign inn", "role=button[name=\"Sign innn\"]"] {
        let told = visit.click(target).await;
        let (code, text) = told.refused();
        assert_eq!(code, "B002", "{target}: {text}");
        teaches(&told);
    }
    let told = visit.click("div[[").await;
    let (code, text) = told.refused();
    assert_eq!(code, "INVALID_QUERY");
    assert!(text.contains("Invalid selector \"div[[\": not valid CSS.\n"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn several_elements_are_listed_with_refs() {
    let visit = Visit::new().await;
    visit.enter("/lists/equal-buttons.html").await;
    for target in [json!("text=Cancel"), json!({"role": "button", "name": "Cancel"}), json!("section button")] {
        let told = visit.call("browser_click", json!({"target": target})).await;
        let (code, text) = told.refused();
        assert_eq!(code, "B003", "{text}");
        for order in ["First order", "Second order", "Third order"] {
            assert!(text.contains(order), "{text}");
        }
    }
    let told = visit.click("text=Cancel").await;
    let third = reference(told.refused().1, "Third order");
    visit.click(&third).await.done();
    assert_eq!(visit.said().await, "cancelled: Third order");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn what_covers_an_element_is_named() {
    let visit = Visit::new().await;
    visit.enter("/buttons/covered.html").await;
    let told = visit.click("#buy").await;
    let (code, text) = told.refused();
    assert_eq!(code, "B004");
    assert!(text.contains("div#consent"), "{text}");
    assert_eq!(visit.value("() => document.title").await, "A covered button", "nothing was hit");
    visit.click("#accept").await.done();
    visit.click("#buy").await.done();
    assert_eq!(visit.said().await, "bought");
    visit.enter("/buttons/disabled.html?ms=0").await;
    assert_eq!(visit.click("#never").await.refused().0, "B008");
    // A search shows it before the click.
    let found = visit.call("browser_find_elements", json!({"role": "button"})).await;
    assert!(found.text().contains("- button \"Never\" button#never [disabled] [ref="), "{}", found.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn refused_act_names_the_tool_that_fits() {
    let visit = page_of("<input type=checkbox id=box><select id=list><option>Red<option disabled>Green</select>").await;
    let told = visit.call("browser_type", json!({"target": "#box", "text": "x"})).await;
    let (code, text) = told.refused();
    assert_eq!(code, "B008");
    assert!(text.contains("use browser_click or browser_fill_form"), "{text}");
    assert!(!text.contains("browser_wait_for"), "{text}");
    let told = visit.call("browser_select_option", json!({"target": "#list", "values": ["Green"]})).await;
    assert!(told.refused().1.contains("its option \"Green\" is disabled"), "{}", told.text());
    assert!(told.text().contains("Pass another element or value"), "{}", told.text());
}

/// A form is filled field by field, so an error says which field it is about and which are filled already.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn error_in_a_form_names_the_field_and_those_before_it() {
    let visit = page_of(
        "<input id=a><input id=b><input type=date id=c><input id=loud onchange=\"alert('Changed')\"><input id=d>",
    )
    .await;
    let form = |fields: &[(&str, &str)]| {
        let fields: Vec<_> = fields.iter().map(|(target, value)| json!({"target": target, "value": value})).collect();
        json!({"fields": fields})
    };
    for (fields, expected) in [
        (vec![("#c", "x")], "This was fields[0]. Nothing was filled."),
        (vec![("#a", "x"), ("#c", "x")], "This was fields[1]. Filled before it: fields[0]."),
        (vec![("#a", "y"), ("#b", "y"), ("#c", "x")], "This was fields[2]. Filled before it: fields[0] to fields[1]."),
        (vec![("#a", "z"), ("#none", "x")], "This was fields[1]. Nothing was filled."),
    ] {
        let told = visit.call("browser_fill_form", form(&fields)).await;
        assert!(told.refused().1.contains(expected), "{expected}: {}", told.text());
    }
    assert_eq!(visit.value("() => a.value + b.value").await, "yy");
    let told = visit.call("browser_fill_form", form(&[("#a", "1"), ("#loud", "2"), ("#d", "3")])).await;
    assert_eq!(told.done()["stopped_at"], 1, "{}", told.text());
    for part in ["stopped at fields[1]; later fields are not filled", "alert \"Changed\""] {
        assert!(told.text().contains(part), "{part}: {}", told.text());
    }
}

/// A suggested call is one that helps, not a call of another page or of an example.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn suggested_calls_lead_to_no_page_that_was_not_named() {
    let visit = Visit::new().await;
    visit.enter("/login/").await;
    for (tool, arguments) in [
        ("browser_navigate", json!({"url": "file:///etc/passwd"})),
        ("browser_navigate", json!({"url": "http://127.0.0.1:1/"})),
        ("browser_navigate_forward", json!({})),
        ("browser_snapshot", json!({"browser_session": "b_0000000000000000"})),
        ("browser_click", json!({"target": "#nothing"})),
        ("browser_evaluate", json!({"function": "() => nothing.at.all"})),
    ] {
        let told = visit.call(tool, arguments).await;
        let text = told.refused().1;
        let repeated = format!("{tool} {{");
        for part in [repeated.as_str(), "example.com", "Save", "document.title"] {
            assert!(!text.contains(part), "{part}: {text}");
        }
    }
    let told = visit.call("browser_navigate", json!({"url": "localhost:8000/x"})).await;
    assert!(told.refused().1.ends_with("browser_navigate {\"url\":\"http://localhost:8000/x\"}"), "{}", told.text());
}

/// A policy that allows the site's own address.
fn policy(allow: &[String], deny: &[&str]) -> impl FnOnce(&mut Config) {
    let (allow, deny) = (allow.to_vec(), deny.iter().map(|host| (*host).to_owned()).collect());
    move |config| {
        config.browser.policy.allow_hosts = allow;
        config.browser.policy.deny_hosts = deny;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn schemes_that_are_not_opened() {
    let visit = Visit::new().await;
    for url in [
        "file:///etc/passwd",
        "chrome://version/",
        "view-source:http://127.0.0.1/",
        "javascript:alert(1)",
        "devtools://devtools/bundled/inspector.html",
    ] {
        for (tool, arguments) in
            [("browser_navigate", json!({"url": url})), ("browser_tabs", json!({"action": "new", "url": url}))]
        {
            let told = visit.call(tool, arguments).await;
            assert_eq!(told.refused().0, "B005", "{tool} {url}: {}", told.text());
        }
    }
    // A page's own request to that host fails too.
    visit.enter("/redirects/").await;
    visit.click("text=To a file").await;
    let place = visit.call("browser_snapshot", json!({})).await;
    assert!(!place.text().contains("root:"), "{}", place.text());
    visit.enter("/redirects/").await;
    visit.value("() => { location.href = 'file:///etc/passwd'; }").await;
    visit.value("() => { window.open('file:///etc/passwd'); }").await;
    visit.value("() => { location.href = 'chrome://version/'; }").await;
    visit.value("() => { window.open('chrome://version/'); }").await;
    let tabs = visit.call("browser_tabs", json!({"action": "list"})).await;
    for scheme in ["file:", "chrome:"] {
        assert!(!tabs.text().contains(scheme), "{}", tabs.text());
    }
    assert_eq!(visit.value("() => document.title").await, "Ways to somewhere else");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_denied_host_by_name_by_redirect_and_by_parts_of_a_page() {
    let visit = Visit::with(policy(&[], &["localhost"])).await;
    let other = super::site::Site::start().await;
    let denied = other.url_at("localhost", "");
    let refused = async |url: String| {
        let told = visit.call("browser_navigate", json!({"url": url})).await;
        assert_eq!(told.refused().0, "B005", "{}", told.text());
    };
    refused(format!("{denied}/")).await;
    let to = visit.site.url(&format!("/redirect?to={denied}/redirects/target.html"));
    refused(to).await;
    // Over TLS the proxy refuses the tunnel before a byte is sent.
    refused(visit.site.url("/redirect?to=https://localhost:8443/")).await;
    refused(visit.site.url(&format!("/redirects/script.html?to={denied}/redirects/target.html"))).await;
    visit.enter(&format!("/redirects/parts.html?other={denied}")).await;
    super::visit::eventually("all parts were asked for", async || !visit.said().await.is_empty()).await;
    // None of these requests reached the other site.
    assert!(other.received().is_empty(), "{:?}", other.received());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn private_addresses_under_any_name() {
    let visit = Visit::with(|config| config.browser.policy.deny_private = Some(true)).await;
    let port = visit.site.port();
    for host in ["127.0.0.1", "localhost", "a.localhost", "127.1", "2130706433", "[::ffff:127.0.0.1]", "0.0.0.0"] {
        let told = visit.call("browser_navigate", json!({"url": format!("http://{host}:{port}/")})).await;
        assert_eq!(told.refused().0, "B005", "{host}: {}", told.text());
    }
    let metadata = json!({"url": "http://169.254.169.254/latest/"});
    let told = visit.call("browser_navigate", metadata).await;
    assert_eq!(told.refused().0, "B005");
    // Nor from a page without an origin.
    let page = format!(
        "data:text/html,<img src='http://127.0.0.1:{port}/part.svg'><iframe src='http://localhost:{port}/'></iframe>"
    );
    visit.call("browser_navigate", json!({"url": page})).await.done();
    let fetch =
        format!("() => fetch('http://127.0.0.1:{port}/', {{ mode: 'no-cors' }}).then(() => 'came', () => 'failed')");
    // The page gets an answer, but not from the host that it asked.
    visit.value(&fetch).await;
    assert!(visit.site.received().is_empty(), "{:?}", visit.site.received());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn while_a_dialog_is_open_others_wait_for_its_answer() {
    let visit = Visit::new().await;
    visit.enter("/dialogs/").await;
    visit.click("#confirm").await.done();
    for (tool, arguments) in [
        ("browser_snapshot", json!({})),
        ("browser_click", json!({"target": "#alert"})),
        ("browser_evaluate", json!({"function": "() => 1"})),
    ] {
        let told = visit.call(tool, arguments).await;
        let (code, text) = told.refused();
        assert_eq!(code, "B006", "{tool}");
        assert!(text.contains("Really delete?") && text.contains("browser_handle_dialog"), "{text}");
    }
    visit.call("browser_handle_dialog", json!({"accept": false})).await.done();
    assert_eq!(visit.said().await, "confirm: false");
    assert!(visit.call("browser_handle_dialog", json!({"accept": true})).await.has_failed());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_handle_is_refused() {
    let visit = Visit::new().await;
    for handle in ["b_0000000000000000", "", "b_../../x"] {
        let told = visit.call("browser_snapshot", json!({"browser_session": handle})).await;
        assert_eq!(told.refused().0, "B007", "{}", told.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_read_only_caller_can_view_pages_but_not_write_files() {
    let visit = Visit::new().await;
    let reader =
        Stateless { url: format!("{}/mcp/readonly/browser", visit.server.base), ..Stateless::new(&visit.server) };
    let list = reader.request("tools/list", json!({})).await;
    let tools = list.result()["tools"].as_array().unwrap().clone();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "browser_navigate",
            "browser_snapshot",
            "browser_find",
            "browser_find_elements",
            "browser_inspect_html",
            "browser_take_screenshot",
            "browser_wait_for",
            "browser_console_messages",
            "browser_network_requests",
            "browser_network_request",
            "browser_tabs",
            "browser_close",
            "browser_diagnose",
            "batch_execute",
            "browser_batch_execute",
        ]
    );
    for tool in &tools {
        assert_eq!(tool["annotations"]["destructiveHint"], false, "{tool}");
    }
    let before = visit.sample.state();
    let answer = reader.call("browser_navigate", json!({"url": visit.site.url("/downloads.html")})).await;
    let handle = answer.called().0["browser_session"].clone();
    assert!(handle.is_string(), "{}", answer.raw);
    for (tool, arguments) in [
        ("browser_pdf_save", json!({})),
        ("browser_click", json!({"target": "body"})),
        ("browser_evaluate", json!({"function": "() => 1"})),
        ("browser_tabs", json!({"action": "new"})),
        ("browser_take_screenshot", json!({"filename": "page.png"})),
    ] {
        let mut arguments = arguments;
        arguments["browser_session"] = handle.clone();
        let answer = reader.call(tool, arguments).await;
        assert_eq!(answer.called().0["error"]["code"], "READ_ONLY", "{}", answer.raw);
    }
    let download = json!({"url": visit.site.url("/download/report.csv"), "browser_session": handle});
    let answer = reader.call("browser_navigate", download).await;
    assert!(!answer.called().2, "{}", answer.raw);
    assert_eq!(visit.sample.state(), before);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_slider_takes_nothing_but_a_finite_number() {
    let visit = page_of(
        "<div id=loud role=slider tabindex=0 aria-label=Volume aria-valuenow=30 style='width: 90px; height: 20px'></div>",
    )
    .await;
    for value in ["NaN", "inf", "-Infinity", "1e999", "loud"] {
        let field = json!({"target": "#loud", "value": value});
        for (tool, arguments) in [("browser_fill", field.clone()), ("browser_fill_form", json!({"fields": [field]}))] {
            let told = visit.call(tool, arguments).await;
            let (code, text) = told.refused();
            assert_eq!(code, "INVALID_ARGUMENTS", "{tool} {value}: {text}");
            assert!(text.contains("value: a slider takes a finite number such as 12.5"), "{text}");
        }
    }
}

/// 500 is for faults of the server: it would call the operator.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn errors_of_the_caller_or_the_page_are_never_500_over_rest() {
    let visit = Visit::new().await;
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let unreachable = format!("http://{}/", closed.local_addr().unwrap());
    drop(closed);
    let http = reqwest::Client::new();
    for (tool, arguments, status, code) in [
        ("browser_close", json!({}), 404, "B007"),
        ("browser_click", json!({"target": "#x"}), 404, "B002"),
        ("browser_navigate", json!({"url": unreachable}), 422, "TOOL_EXECUTION_FAILED"),
    ] {
        let url = format!("{}/v1/tools/{tool}", visit.server.base);
        let answer = http.post(url).json(&arguments).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), status, "{tool}");
        let body: Value = answer.json().await.unwrap();
        assert_eq!(body["error"]["code"], code, "{body}");
        let message = body["error"]["message"].as_str().unwrap();
        assert_eq!(message.contains("nothing to close"), tool == "browser_close", "{message}");
    }
}
