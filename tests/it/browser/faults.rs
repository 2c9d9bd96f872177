//! Eight faults of other servers of this kind, which must not occur here: defaults that cancel each other, a format
//! that is ignored, differences that are never stored or leak, pictures that a batch loses, replies without necessary
//! facts, waits of a fixed length, cuts without a mark, and a batch that does not stop.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use fumi_base::tokens;
use serde_json::{Value, json};

use super::visit::{Told, Visit, minimal};
use crate::harness::Session;

/// Returns a click for a batch, with its expectation.
fn click(target: &str, expectation: &Value) -> Value {
    json!({"tool": "browser_click", "arguments": {"target": target}, "expectation": expectation})
}

fn has(done: &Value, name: &str) -> bool {
    done.get(name).is_some()
}

/// 1. Defaults that cancel each other.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn an_option_for_one_section_does_not_remove_another() {
    let visit = Visit::new().await;
    let url = visit.site.url("/console/");
    let go = |expectation: Value| json!({"url": url, "expectation": expectation});
    let told = visit.call("browser_navigate", go(json!({"includeConsole": true}))).await;
    assert!(told.snapshot().contains("All that a console shows"));
    assert!(!told.done()["console"]["messages"].as_array().unwrap().is_empty());
    let told = visit.call("browser_navigate", go(json!({"snapshotOptions": {"format": "text"}}))).await;
    assert!(!told.snapshot().contains("[ref="));
    let told = visit.call("browser_navigate", go(json!({"includeSnapshot": false}))).await;
    assert!(!has(told.done(), "snapshot"));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn step_over_batch_over_tool_over_configuration() {
    let visit = Visit::with(|config| config.browser.expectation.include_tabs = Some(true)).await;
    let url = visit.site.url("/console/");
    let go =
        |expectation: Value| json!({"tool": "browser_navigate", "arguments": {"url": url}, "expectation": expectation});
    let told = visit
        .call(
            "browser_batch_execute",
            json!({
                "globalExpectation": {"includeConsole": true, "includeSnapshot": false, "consoleOptions": {"levels": ["error"]}},
                "steps": [
                    go(json!({})),
                    go(json!({"includeSnapshot": true})),
                    go(json!({"includeConsole": false, "includeTabs": false})),
                    go(json!({"consoleOptions": {"maxMessages": 1}})),
                ],
            }),
        )
        .await;
    let seen = |at: usize| {
        let result = told.step(at);
        let messages = result["console"]["messages"].as_array().map(Vec::len);
        (has(result, "snapshot"), messages, has(result, "tabs"))
    };
    // The console has three errors: two messages, and an assertion.
    let (_, all, _) = seen(0);
    assert!(all.is_some_and(|all| all > 1), "{}", told.step(0));
    assert_eq!(seen(0), (false, all, true), "the batch, and below it the configuration");
    assert_eq!(seen(1), (true, all, true), "the step adds to the batch");
    assert_eq!(seen(2), (false, None, false), "a step's no wins");
    assert_eq!(seen(3), (false, Some(1), true), "options merge field by field");
    let levels = &told.step(3)["console"]["messages"][0]["level"];
    assert_eq!(levels, "error", "the batch's level stays");
}

/// 2. `format` is ignored.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn the_three_formats_differ() {
    let visit = Visit::new().await;
    visit.enter("/login/").await;
    let ask = |format: &str, selector: Option<&str>| {
        let mut options = json!({"format": format});
        if let Some(selector) = selector {
            options["selector"] = json!(selector);
        }
        let arguments = json!({"expectation": {"snapshotOptions": options}});
        let visit = &visit;
        async move { visit.call("browser_snapshot", arguments).await.snapshot().to_owned() }
    };
    let (aria, text, html) = (ask("aria", None).await, ask("text", None).await, ask("html", None).await);
    assert!(aria.contains("- textbox \"User name\"") && aria.contains("[ref="), "{aria}");
    assert!(text.contains("User name") && text.contains("We use cookies."), "{text}");
    assert!(!text.contains("[ref=") && !text.contains('<') && !text.contains("textbox"), "{text}");
    assert!(html.contains("<input") && html.contains("id=\"user\""), "{html}");
    for format in ["aria", "text", "html"] {
        let part = ask(format, Some("#consent")).await;
        assert!(part.contains("We use cookies") && !part.contains("User name"), "{format}: {part}");
    }
    // Also if otherwise only the changes would be returned.
    for (target, format, is_so) in [("#accept", "html", "<input"), ("#user", "text", "User name")] {
        let options = json!({"snapshotOptions": {"format": format}});
        let told = visit.call("browser_click", json!({"target": target, "expectation": options})).await;
        assert!(told.snapshot().contains(is_so) && !told.snapshot().contains("[ref="), "{format}: {}", told.text());
    }
    // Also inside a batch, and with another tool.
    let told = visit
        .batch(json!([{
            "tool": "browser_navigate",
            "arguments": {"url": visit.site.url("/login/")},
            "expectation": {"snapshotOptions": {"format": "html", "selector": "form"}},
        }]))
        .await;
    let form = told.step(0)["snapshot"].as_str().unwrap();
    assert!(form.starts_with("<form") && !form.contains("We use cookies"), "{form}");
}

/// 3. Differences that are never stored.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn each_difference_is_from_the_last_look() {
    let visit = Visit::new().await;
    visit.open("/lists/rerendered.html").await;
    let first = visit.click("text=Remove Cherry").await;
    assert!(first.changes().contains("removed Cherry"), "{}", first.changes());
    let second = visit.click("text=Remove Apple").await;
    assert!(second.changes().contains("removed Apple"), "{}", second.changes());
    assert!(!second.changes().contains("Cherry") || second.changes().contains('-'), "{}", second.changes());
    let third = visit.call("browser_snapshot", json!({"expectation": {"diffOptions": {"enabled": true}}})).await;
    assert_eq!(third.changes(), "", "nothing happened since");
    let whole = visit.call("browser_snapshot", json!({})).await;
    assert!(tokens::estimate(second.changes()) < tokens::estimate(whole.snapshot()));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn refs_of_a_difference_can_be_used() {
    let visit = Visit::new().await;
    visit.enter("/lists/rerendered.html").await;
    // A page that is much longer than its changes.
    let more = "() => { for (let i = 0; i < 40; i += 1) document.body.append(Object.assign(document.createElement('p'), { textContent: `${'word '.repeat(i)}` })); }";
    visit.value(more).await;
    visit.call("browser_snapshot", json!({})).await.done();
    let told = visit.click("#refresh").await;
    let remove = super::visit::reference(told.changes(), "Remove Banana");
    visit.click(&remove).await.done();
    assert_eq!(visit.said().await, "removed Banana");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn differences_do_not_leak_between_clients() {
    let visit = Visit::new().await;
    let other = visit.other().await;
    visit.open("/lists/rerendered.html").await;
    visit.open_of(&other, "/login/").await;
    let arguments = json!({"target": "#accept"});
    let theirs = visit.call_of(&other, "browser_click", arguments).await;
    let ours = visit.click("text=Remove Cherry").await;
    assert!(!theirs.changes().contains("Cherry"), "{}", theirs.changes());
    assert!(ours.changes().contains("removed Cherry") && !ours.changes().contains("cookies"));
    let same = json!({"expectation": {"diffOptions": {"enabled": true}}});
    for client in [&visit.client, &other] {
        let told = visit.call_of(client, "browser_snapshot", same.clone()).await;
        assert_eq!(told.changes(), "");
    }
}

/// 4. Pictures that a batch loses.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn pictures_of_a_batch_come_back_as_pictures() {
    let visit = Visit::new().await;
    visit.enter("/media/").await;
    let shoot = |format: &str| json!({"tool": "browser_take_screenshot", "arguments": {"type": format}});
    let steps = json!([shoot("png"), {"tool": "browser_snapshot"}, shoot("jpeg"), shoot("webp")]);
    for tool in ["browser_batch_execute", "batch_execute"] {
        let told = visit.call(tool, json!({"steps": steps})).await;
        assert_eq!(told.counts(), [4, 4, 0, 0]);
        let images = told.images();
        let kinds: Vec<&str> = images.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, ["image/png", "image/jpeg", "image/webp"], "{tool}");
        for ((_, data), magic) in images.iter().zip([&b"\x89PNG"[..], b"\xff\xd8\xff", b"RIFF"]) {
            assert!(STANDARD.decode(data).unwrap().starts_with(magic));
        }
        // Their bytes are only in the image.
        assert!(!told.done().to_string().contains(&images[0].1[..40]));
    }
}

/// Codex shows its model no image that has a structure beside it: it gets texts, like other known clients.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn images_come_without_a_structure_where_it_would_hide_them() {
    let visit = Visit::new().await;
    for (name, has_structure) in [("codex-mcp-client", false), ("another-client", true)] {
        let client = Session::open_named(&visit.server, name).await;
        let opened = client.call("browser_navigate", json!({"url": visit.site.url("/media/")})).await;
        assert_eq!(opened.result()["isError"], false, "{}", opened.raw);
        let answer = client.call("browser_take_screenshot", json!({})).await;
        let told = Told { answer };
        assert!(!told.has_failed() && !told.text().is_empty(), "{name}: {}", told.text());
        let images = told.images();
        assert_eq!(images.len(), 1, "{name}");
        assert!(STANDARD.decode(images[0].1).unwrap().starts_with(b"\x89PNG"), "{name}");
        assert_eq!(told.structured().is_object(), has_structure, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn pictures_are_as_large_as_was_expected() {
    let visit = Visit::new().await;
    visit.enter("/media/").await;
    let shoot = async |options: Value| {
        let arguments = json!({"expectation": {"imageOptions": options}});
        let told = visit.call("browser_take_screenshot", arguments).await;
        let size = |name: &str| told.done()[name].as_u64().unwrap();
        let (kind, data) = told.images()[0];
        assert_eq!(STANDARD.decode(data).unwrap().len() as u64, size("bytes"));
        (kind.to_owned(), size("width"), size("height"), size("bytes"))
    };
    let (kind, width, height, _) = shoot(json!({})).await;
    assert_eq!((kind.as_str(), width, height), ("image/png", 1_280, 720));
    let (kind, width, height, _) = shoot(json!({"format": "webp", "maxWidth": 320})).await;
    assert_eq!((kind.as_str(), width, height), ("image/webp", 320, 180));
    let (_, _, _, fine) = shoot(json!({"format": "jpeg", "quality": 95})).await;
    let (_, _, _, coarse) = shoot(json!({"format": "jpeg", "quality": 5})).await;
    assert!(coarse < fine, "{coarse} and {fine}");
}

/// 5. Replies without necessary facts.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn the_smallest_reply_has_the_current_address() {
    let visit = Visit::new().await;
    visit.enter("/history/").await;
    let told = visit.click_blindly("text=List").await;
    let done = told.done();
    assert!(done["url"].as_str().unwrap().ends_with("?view=list"), "{done}");
    assert!(told.text().contains("?view=list"), "{}", told.text());
    assert!(!has(done, "snapshot") && !has(done, "changes"));
    // Without changes the reply does not mention them.
    visit.enter("/lists/rerendered.html").await;
    let told = visit.click_blindly("#sort").await;
    let names: Vec<&String> = told.done().as_object().unwrap().keys().collect();
    assert_eq!(names, ["success", "browser_session"]);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn the_smallest_reply_reports_a_dialog() {
    let visit = Visit::new().await;
    visit.enter("/dialogs/").await;
    let told = visit.click_blindly("#confirm").await;
    assert_eq!(told.done()["dialog"], json!({"type": "confirm", "message": "Really delete?"}));
    assert!(told.text().contains("Really delete?"), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn the_smallest_reply_reports_a_file_chooser() {
    let visit = Visit::new().await;
    visit.enter("/upload.html").await;
    let told = visit.click_blindly("#choose").await;
    assert_eq!(told.done()["file_chooser"], json!({"multiple": true}));
    assert!(told.text().contains("browser_file_upload"), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn the_smallest_reply_reports_a_download() {
    let visit = Visit::new().await;
    visit.enter("/downloads.html").await;
    let told = visit.click_blindly("text=Report").await;
    assert_eq!(told.done()["downloads"][0]["name"], "report.csv");
    assert!(told.text().contains("report.csv"), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn the_smallest_reply_reports_a_new_tab() {
    let visit = Visit::new().await;
    visit.enter("/popups/").await;
    let told = visit.click_blindly("#target").await;
    let tabs = told.done()["tabs"].as_array().unwrap();
    assert_eq!(tabs.len(), 1, "only the new one: {tabs:?}");
    assert!(tabs[0]["url"].as_str().unwrap().ends_with("/popups/opened.html"));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn the_smallest_reply_counts_new_errors_of_the_console() {
    let visit = Visit::new().await;
    visit.enter("/console/late.html").await;
    super::visit::eventually("both late errors", async || {
        let told = visit.call("browser_console_messages", json!({"level": "error"})).await;
        told.done()["total"] == 2
    })
    .await;
    visit.call("browser_snapshot", json!({"expectation": minimal()})).await.done();
    let told = visit.click_blindly("#throw").await;
    assert_eq!(told.done()["console"], json!({"new_errors": 1}));
    assert!(told.text().lines().any(|line| line == "- Console: 1 new error"), "{}", told.text());
    let told = visit.click_blindly("h1").await;
    assert!(!has(told.done(), "console"), "they were reported");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn the_smallest_reply_reports_a_failed_status() {
    let visit = Visit::new().await;
    for status in [404, 500, 503] {
        let url = visit.site.url(&format!("/status/{status}"));
        let told = visit.call("browser_navigate", json!({"url": url, "expectation": minimal()})).await;
        assert_eq!(told.done()["status"], status);
    }
    visit.enter("/redirects/").await;
    let told = visit.call("browser_evaluate", json!({"function": "() => { location = '/status/410'; }"})).await;
    // A script returns before its page navigates; the reply waits for the new address.
    assert_eq!(told.done()["status"], 410, "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn the_smallest_reply_keeps_necessary_facts_despite_fields() {
    let visit = Visit::new().await;
    visit.enter("/dialogs/").await;
    let arguments = json!({"target": "#confirm", "expectation": {"fields": ["/success"]}});
    let told = visit.call("browser_click", arguments).await;
    assert_eq!(told.done()["dialog"]["type"], "confirm", "{}", told.text());
    assert!(told.text().contains("Really delete?"), "{}", told.text());
    // A client without an MCP session still gets the handle of its browser session.
    assert!(has(told.done(), "browser_session"), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn token_limits_and_a_full_batch_keep_necessary_facts() {
    let visit = Visit::new().await;
    visit.enter("/dialogs/").await;
    let everything = json!({"includeSnapshot": true, "includeTabs": true, "maxTokens": 60});
    let told = visit.call("browser_click", json!({"target": "#confirm", "expectation": everything})).await;
    assert_eq!(told.done()["dialog"]["message"], "Really delete?", "{}", told.text());
    assert!(has(told.done(), "browser_session"), "{}", told.text());
    visit.call("browser_handle_dialog", json!({"accept": true})).await.done();
    let step = json!({"tool": "browser_navigate", "arguments": {"url": visit.site.url("/lists/table.html")}});
    let told = visit
        .call(
            "browser_batch_execute",
            json!({"steps": [step, step, {"tool": "browser_snapshot"}], "expectation": {"maxTokens": 400}}),
        )
        .await;
    assert_eq!(told.counts(), [3, 3, 0, 0]);
    let omitted = &told.done()["steps"][0];
    assert!(omitted["omitted"].is_string() && !has(&omitted["result"], "snapshot"), "{omitted}");
    assert!(omitted["result"]["url"].as_str().unwrap().ends_with("/lists/table.html"), "{omitted}");
    assert!(told.text().contains("/lists/table.html"), "{}", told.text());
}

/// The action is done, even if the expected page did not come.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_failing_snapshot_does_not_make_the_action_fail() {
    let visit = Visit::new().await;
    visit.enter("/history/").await;
    let selector = json!({"snapshotOptions": {"selector": ".dashboard"}, "includeSnapshot": true});
    let told = visit.call("browser_click", json!({"target": "text=List", "expectation": selector})).await;
    let done = told.done();
    assert!(done["url"].as_str().unwrap().ends_with("?view=list"), "{done}");
    assert!(done["notice"].as_str().unwrap().contains(".dashboard"), "{done}");
    assert!(told.text().contains(".dashboard"), "{}", told.text());
    // If the snapshot is the whole reply, the call fails.
    let told = visit.call("browser_snapshot", json!({"target": ".dashboard"})).await;
    assert_eq!(told.refused().0, "B002");
}

/// 6. Waits of a fixed length. Counted, not timed: each click starts a timer of the page, and fixed waits would let all
/// but the last one fire before the last click.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_click_that_starts_nothing_waits_for_nothing() {
    let visit = Visit::new().await;
    visit.enter("/buttons/pointer.html").await;
    let prepare = "() => { window.fired = 0; document.querySelector('#button').addEventListener('click', () => { \
                   window.before = window.fired; setTimeout(() => { window.fired += 1; }, 3000); }); }";
    visit.value(prepare).await;
    visit.site.forget();
    let steps = vec![click("#button", &minimal()); 20];
    let told = visit.batch(json!(steps)).await;
    assert_eq!(told.counts(), [20, 20, 0, 0]);
    let before = visit.value("() => window.before").await.as_u64().unwrap();
    assert!(before < 6, "{before} timers of 3 s had fired at the last click");
    assert!(visit.site.received().is_empty());
}

/// A batch does not look at the page between two steps: the step that needs a later change of the page waits for it.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_step_waits_for_what_it_needs() {
    let visit = Visit::new().await;
    visit.enter("/buttons/pointer.html").await;
    let prepare = "() => { const later = (todo) => requestAnimationFrame(() => requestAnimationFrame(todo)); \
        document.querySelector('#button').addEventListener('click', () => later(() => { \
        const next = document.createElement('button'); next.id = 'next'; next.textContent = 'Next'; \
        next.onclick = () => later(() => { location.hash = 'arrived'; document.title = 'Arrived'; }); \
        document.body.prepend(next); })); }";
    visit.value(prepare).await;
    let steps = json!([click("#button", &minimal()), click("#next", &minimal()), {"tool": "browser_snapshot"}]);
    let told = visit.batch(steps).await;
    assert_eq!(told.counts(), [3, 3, 0, 0], "{}", told.text());
    assert!(told.step(2)["url"].as_str().unwrap().ends_with("#arrived"), "{}", told.text());
    assert_eq!(told.step(2)["title"], "Arrived");
    // The first step names the session for all of them.
    assert!(has(told.step(0), "browser_session") && !has(told.step(1), "browser_session"), "{}", told.text());
}

/// The reply waits for a change that a click starts.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_click_that_goes_elsewhere_waits_for_the_page() {
    let visit = Visit::new().await;
    visit.enter("/redirects/").await;
    visit.value("() => { document.querySelector('li:first-child a').href = '/slow?ms=700&text=Slowly+there'; }").await;
    let told = visit.click("li:first-child a").await;
    assert_eq!(told.done()["title"], "Slowly there", "{}", told.text());
    assert!(told.text().contains("heading \"Slowly there\""), "{}", told.text());
}

/// The observation begins before such a page arrives, and its snapshot is that of the page.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_page_that_arrives_during_the_observation_has_its_url() {
    let visit = Visit::new().await;
    visit.enter("/redirects/").await;
    visit.value("() => { document.querySelector('li:first-child a').href = '/slow?ms=14500&text=Late'; }").await;
    let told = visit.click("li:first-child a").await;
    assert!(told.text().contains("heading \"Late\""), "{}", told.text());
    assert!(told.done()["url"].as_str().unwrap().contains("/slow"), "{}", told.text());
    assert_eq!(told.done()["title"], "Late", "{}", told.text());
}

/// 7. Cuts without a mark.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_long_page_is_cut_with_a_word_on_how_to_go_on() {
    let visit = Visit::new().await;
    let told = visit.open("/lists/table.html").await;
    let snapshot = told.snapshot();
    assert!(tokens::estimate(snapshot) <= 3_000, "{}", tokens::estimate(snapshot));
    let mark = snapshot.lines().find(|line| line.contains("more")).unwrap_or(snapshot);
    assert!(mark.contains("1,99") && mark.contains("snapshot target=") && mark.contains("find"), "{mark}");
    // The suggested call works: the last row is found without the rest.
    let found = visit.call("browser_find", json!({"text": "Open order 1999"})).await;
    let line = found.done()["lines"][0].as_str().unwrap();
    let last = super::visit::reference(line, "Open order 1999");
    visit.click(&last).await.done();
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_page_without_runs_of_rows_costs_no_more() {
    let visit = Visit::new().await;
    visit.enter("/login/").await;
    let write = "() => { document.body.innerHTML = Array.from({ length: 400 }, (_, at) => \
        `<h2>Chapter ${at}</h2><p>${'word '.repeat(30)}${at}</p>`).join(''); }";
    visit.value(write).await;
    let told = visit.call("browser_snapshot", json!({})).await;
    let snapshot = told.snapshot();
    assert!(tokens::estimate(snapshot) <= 3_050, "{}", tokens::estimate(snapshot));
    let mark = snapshot.lines().last().unwrap();
    assert!(mark.contains("maxLength") && mark.contains("target"), "{mark}");
    // More if the caller asks for it.
    let options = json!({"snapshotOptions": {"maxLength": 30_000}});
    let longer = visit.call("browser_snapshot", json!({"expectation": options})).await;
    assert!(tokens::estimate(longer.snapshot()) > 5_000);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_picture_that_ends_early_says_so() {
    let visit = Visit::new().await;
    visit.enter("/login/").await;
    visit.value("() => { document.body.style.height = '20000px'; }").await;
    let picture = json!({"fullPage": true, "type": "jpeg", "filename": "long.jpg"});
    let told = visit.call("browser_take_screenshot", picture).await;
    let cut = &told.done()["cut"];
    assert!(cut["shown"].as_u64().unwrap() < cut["of"].as_u64().unwrap(), "{cut}");
    assert!(told.text().contains("CSS pixels"), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_cut_to_length_says_so_in_every_format() {
    let visit = Visit::new().await;
    visit.enter("/lists/table.html?rows=300").await;
    for format in ["aria", "text", "html"] {
        let options = json!({"format": format, "maxLength": 600});
        let told = visit.call("browser_snapshot", json!({"expectation": {"snapshotOptions": options}})).await;
        let snapshot = told.snapshot();
        assert!(snapshot.chars().count() < 900, "{format}: {snapshot}");
        let last = snapshot.lines().last().unwrap();
        assert!(snapshot.contains('…'), "{format}: {last}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn messages_that_are_left_out_are_counted() {
    let visit = Visit::new().await;
    let url = visit.site.url("/console/many.html");
    let expectation = json!({"includeSnapshot": false, "includeConsole": true, "consoleOptions": {"levels": ["error"], "maxMessages": 3}});
    let told = visit.call("browser_navigate", json!({"url": url, "expectation": expectation})).await;
    let console = &told.done()["console"];
    assert_eq!(console["new_errors"], 10);
    let texts: Vec<&str> =
        console["messages"].as_array().unwrap().iter().map(|message| message["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["error number 750", "error number 850", "error number 950"]);
    assert_eq!(console["omitted"], 7, "{console}");
    assert!(told.text().contains("browser_console_messages"), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn long_answers_say_that_they_are_cut() {
    let visit = Visit::new().await;
    visit.enter("/lists/table.html?rows=400").await;
    let told = visit.call("browser_evaluate", json!({"function": "() => 'long text '.repeat(20000)"})).await;
    assert_eq!(told.done()["truncated"], true);
    let told = visit.call("browser_inspect_html", json!({"target": "table", "maxSize": 500})).await;
    assert_eq!(told.done()["truncated"], true);
    let told = visit.call("browser_find_elements", json!({"role": "button", "maxResults": 5})).await;
    assert_eq!((told.done()["elements"].as_array().unwrap().len(), &told.done()["total"]), (5, &json!(400)));
}

/// 8. `stopOnFirstError` is ignored. True stops at every failure, false at none; without it the step decides.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_batch_stops_at_what_fails_unless_the_step_says_otherwise() {
    let visit = Visit::new().await;
    visit.enter("/buttons/pointer.html").await;
    visit
        .value(
            "() => { window.clicks = 0; document.querySelector('#button').onclick = () => { window.clicks += 1; }; }",
        )
        .await;
    let good = click("#button", &minimal());
    let bad = click("#nothing", &minimal());
    let mut ignored = bad.clone();
    ignored["continueOnError"] = json!(true);
    for (failing, stops, counts, clicks) in [
        (&bad, None, [3, 1, 1, 1], 1),
        (&bad, Some(true), [3, 1, 1, 1], 2),
        (&bad, Some(false), [3, 2, 1, 0], 4),
        (&ignored, None, [3, 2, 1, 0], 6),
        (&ignored, Some(true), [3, 1, 1, 1], 7),
    ] {
        let mut batch = json!({"steps": [good, failing, good]});
        if let Some(stops) = stops {
            batch["stopOnFirstError"] = json!(stops);
        }
        let told = visit.call("browser_batch_execute", batch).await;
        assert_eq!(told.counts(), counts, "{failing} {stops:?}");
        assert_eq!(told.done()["steps"][1]["error"]["code"], "B002");
        assert_eq!(visit.value("() => window.clicks").await, clicks);
    }
}
