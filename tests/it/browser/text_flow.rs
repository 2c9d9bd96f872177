//! Whole tasks of a client that gets texts only: each ref, index, handle and path of a call is read in an earlier text.

use serde_json::{Value, json};

use super::visit::{Visit, eventually};
use crate::harness::Stateless;

/// A client without a session of the protocol that gets no structure. It passes the handle that it has read.
struct Reader {
    client: Stateless,
    session: Option<String>,
}

impl Reader {
    fn new(visit: &Visit) -> Self {
        let header = ("x-fumi-result".parse().unwrap(), "text".parse().unwrap());
        let http = reqwest::Client::builder().default_headers([header].into_iter().collect());
        let client = Stateless { http: http.build().unwrap(), ..Stateless::new(&visit.server) };
        Self { client, session: None }
    }

    /// Calls a tool. Returns its text and whether the call failed.
    async fn call(&mut self, tool: &str, mut arguments: Value) -> (String, bool) {
        if let Some(session) = &self.session {
            arguments["browser_session"] = json!(session);
        }
        let answer = self.client.call(tool, arguments).await;
        let result = answer.result();
        assert!(result.get("structuredContent").is_none(), "{result}");
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        assert!(serde_json::from_str::<Value>(&text).is_err(), "{tool}: {text}");
        let said = text.lines().find_map(|line| line.strip_prefix("browser_session: "));
        assert_eq!(said.is_some(), self.session.is_none(), "{tool}: {text}");
        self.session = said.map(str::to_owned).or(self.session.take());
        (text, result["isError"] == true)
    }

    /// Returns the text of a call that succeeds.
    async fn done(&mut self, tool: &str, arguments: Value) -> String {
        let (text, has_failed) = self.call(tool, arguments).await;
        assert!(!has_failed, "{tool}: {text}");
        text
    }

    /// Returns the text of a call that fails.
    async fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let (text, has_failed) = self.call(tool, arguments).await;
        assert!(has_failed, "{tool}: {text}");
        text
    }

    /// Clicks the element whose line in a text contains this part.
    async fn click(&mut self, text: &str, part: &str) -> String {
        self.done("browser_click", json!({"target": reference(text, part)})).await
    }
}

/// Returns the ref of the line that contains this part, of an element that is not gone.
#[track_caller]
fn reference(text: &str, part: &str) -> String {
    let mut lines = text.lines().filter(|line| !line.starts_with("gone: "));
    let line = lines.find(|line| line.contains(part) && line.contains("[ref="));
    let line = line.unwrap_or_else(|| panic!("no ref with {part} in\n{text}"));
    let after = line.split_once(part).and_then(|(_, rest)| rest.split_once("[ref="));
    let (_, rest) = after.unwrap_or_else(|| panic!("no ref after {part} in {line}"));
    rest.split(']').next().unwrap().to_owned()
}

#[track_caller]
fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn login_is_done_from_texts_alone() {
    let visit = Visit::new().await;
    let mut reader = Reader::new(&visit);
    // Even the text of a failed first call names the session.
    let text = reader.refused("browser_click", json!({"target": "#none"})).await;
    contains(&text, &["B002: No element on the page matches \"#none\"."]);
    assert!(!text.contains("{\""), "no call is suggested: {text}");
    let page = reader.done("browser_navigate", json!({"url": visit.site.url("/login/")})).await;
    contains(&page, &["- URL: ", "- Title: Sign in", "dialog \"Cookies\""]);
    assert!(!page.contains("Status"), "{page}");
    let text = reader.click(&page, "button \"Accept all\"").await;
    contains(&text, &["```diff", "gone: dialog \"Cookies\""]);
    let fields = json!({"fields": [
        {"target": reference(&page, "textbox \"User name\""), "value": "reader"},
        {"target": reference(&page, "textbox \"Password\""), "value": "guess"},
    ]});
    let text = reader.done("browser_fill_form", fields).await;
    contains(&text, &["~ textbox \"User name\"", "reader"]);
    assert!(!text.contains("guess"), "{text}");
    let page = reader.click(&page, "button \"Sign in\"").await;
    contains(&page, &["wrong=password", "User name or password is wrong."]);
    // The second attempt, with the refs of the new page.
    for (tool, field, name, value) in [
        ("browser_fill", "textbox \"User name\"", "value", "reader"),
        ("browser_type", "textbox \"Password\"", "text", "correct horse"),
    ] {
        let text = reader.done(tool, json!({"target": reference(&page, field), name: value})).await;
        assert_eq!(text, "done");
    }
    let list = json!({"target": reference(&page, "combobox \"Language\""), "values": ["日本語"]});
    contains(&reader.done("browser_select_option", list).await, &["selected: 日本語"]);
    let page = reader.click(&page, "button \"Sign in\"").await;
    contains(&page, &["/login/factor.html", "- Title: Second factor"]);
    let code = json!({"target": reference(&page, "textbox \"Code\""), "text": "246810", "submit": true});
    let page = reader.done("browser_type", code).await;
    contains(&page, &["/login/dashboard", "reader", "ja"]);
    let (session, text) = (reader.session.clone().unwrap(), reader.done("browser_close", json!({})).await);
    assert_eq!(text, format!("closed: {session}"));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn dialog_and_download_are_handled_from_texts_alone() {
    let visit = Visit::new().await;
    let mut reader = Reader::new(&visit);
    let page = reader.done("browser_navigate", json!({"url": visit.site.url("/dialogs/")})).await;
    let text = reader.click(&page, "button \"Confirm\"").await;
    contains(&text, &["- Dialog: confirm \"Really delete?\" ("]);
    let tool = text.split_once("\"Really delete?\" (").unwrap().1.split(')').next();
    let tool = tool.unwrap().to_owned();
    // The call that an error suggests keeps the session, and leaves the answer to the caller.
    let text = reader.refused("browser_snapshot", json!({})).await;
    let session = reader.session.clone().unwrap();
    contains(&text, &["B006", "Example, with your own values: ", &tool, &session]);
    let text = reader.done(&tool, json!({"accept": true})).await;
    contains(&text, &["accepted: confirm \"Really delete?\"", "confirm: true"]);
    let text = reader.refused(&tool, json!({"accept": true})).await;
    contains(&text, &["No dialog is open"]);

    let page = reader.done("browser_navigate", json!({"url": visit.site.url("/downloads.html")})).await;
    let mut text = reader.click(&page, "link \"Report\"").await;
    contains(&text, &["### Downloads\n- "]);
    let path = |text: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix("- .fumi/"));
        line.map(|line| format!(".fumi/{}", line.split(" (").next().unwrap()))
    };
    eventually("the file is saved", async || {
        if path(&text).is_none() {
            text = reader.done("browser_snapshot", json!({})).await;
        }
        path(&text).is_some()
    })
    .await;
    assert!(!text.contains(" from http"), "{text}");
    assert_eq!(visit.sample.read(&path(&text).unwrap()), "id,amount\n1,10\n2,20\n");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn new_tab_and_request_are_found_by_the_numbers_in_texts() {
    let visit = Visit::new().await;
    let mut reader = Reader::new(&visit);
    let page = reader.done("browser_navigate", json!({"url": visit.site.url("/popups/")})).await;
    let text = reader.click(&page, "link \"In a new tab\"").await;
    contains(&text, &["- 0: (current)"]);
    let new = text.lines().find(|line| line.contains(" (new) "));
    let new = new.unwrap_or_else(|| panic!("no new tab in\n{text}"));
    let index: usize = new[2..].split(':').next().unwrap().parse().unwrap();
    let text = reader.done("browser_tabs", json!({"action": "select", "index": index})).await;
    contains(&text, &["opened.html", &format!("- {index}: (current)")]);
    let url = visit.site.url("/console/say.html?text=a");
    reader.done("browser_navigate", json!({"url": url})).await;
    let text = reader.done("browser_network_requests", json!({})).await;
    let origin = visit.site.url("");
    assert_eq!(text.matches(origin.trim_end_matches('/')).count(), 1, "{text}");
    let row = text.lines().find(|line| line.contains(" GET /console/say.html"));
    let row = row.unwrap_or_else(|| panic!("no request in\n{text}"));
    contains(row, &["→ 200, document, "]);
    let index: usize = row.split('.').next().unwrap().parse().unwrap();
    let text = reader.done("browser_network_request", json!({"index": index})).await;
    contains(&text, &["#### request headers (and ", "#### response body\n```\n"]);
    assert!(!text.to_ascii_lowercase().contains("sec-ch-ua"), "{text}");
    let part = json!({"index": index, "part": "request-body"});
    let text = reader.done("browser_network_request", part).await;
    assert!(text.ends_with("\nno request body"), "{text}");
    let part = json!({"index": index, "part": "request-headers"});
    let text = reader.done("browser_network_request", part).await;
    contains(&text.to_ascii_lowercase(), &["user-agent: "]);
}
