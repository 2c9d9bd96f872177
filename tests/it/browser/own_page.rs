//! fumi's own page in Chromium: checked by axe-core at the widths of a phone and of a desktop, in light and dark, and used by its
//! controls.

use std::fs;

use serde_json::json;

use super::{tasks::built_with, visit::Visit};
use crate::{
    harness::{SESSION, Server, Session},
    novel::novel,
    sample::Sample,
};

/// Returns a browser, and the server of a novel with a script, whose page shows calls.
async fn start() -> (Visit, Sample, Server) {
    let (visit, sample) = (Visit::new().await, novel());
    sample.file("src/count.py", "def easy():\n    return 1\n\ndef hard(x):\n    return 1 if x else 2\n");
    let server = Server::start(sample.app()).await;
    let session = Session::open_at(&format!("{}/all?result=text", server.url()), SESSION).await;
    for root in ["src", "src", "missing"] {
        session.call("list_files", json!({"roots": [root]})).await;
    }
    session.call("noveler_check", json!({"episode": 2, "judge": false})).await;
    (visit, sample, server)
}

async fn open(visit: &Visit, url: &str) {
    visit.call("browser_navigate", json!({"url": url})).await.done();
}

/// Asserts that the console has no message of the level `error`, from any page so far.
async fn console_is_clean(visit: &Visit) {
    let told = visit.call("browser_console_messages", json!({"level": "error", "all": true})).await;
    assert_eq!(told.done()["messages"], json!([]), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn page_is_accessible_at_each_width_and_in_each_colour_scheme() {
    let axe = fs::read_to_string(built_with("axe.min.js").join("axe.min.js")).unwrap();
    let check = format!(
        "async () => {{ {axe}; const found = await axe.run(); return found.violations.map(one => [one.id, one.nodes.map(node => node.html)]); }}"
    );
    let (visit, _sample, server) = start().await;
    for width in [360, 1_280] {
        visit.call("browser_resize", json!({"width": width, "height": 800})).await.done();
        for scheme in ["light", "dark"] {
            visit.call("browser_emulate", json!({"colorScheme": scheme})).await.done();
            for query in [
                "?lang=en",
                "?lang=ja&tool=write",
                "?lang=en&view=project",
                "?lang=en&view=novel",
                "?lang=ja&view=novel&episode=1",
            ] {
                open(&visit, &format!("{}/{query}", server.base)).await;
                assert_eq!(visit.value(&check).await, json!([]), "{query} at {width}, {scheme}");
                let overflow = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth";
                assert_eq!(visit.value(overflow).await, json!(0), "{query} at {width}, {scheme}");
                let colour = visit.value("() => getComputedStyle(document.body).backgroundColor").await;
                assert_eq!(colour == "rgb(255, 255, 255)", scheme == "light", "{colour}");
            }
        }
    }
    console_is_clean(&visit).await;
    // The check finds a fault.
    visit.value("() => document.documentElement.removeAttribute('lang') ?? true").await;
    assert_eq!(visit.value(&check).await[0][0], "html-has-lang");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn every_control_of_the_page_works() {
    let (visit, _sample, server) = start().await;
    open(&visit, &format!("{}/?lang=en", server.base)).await;
    let address = "() => location.pathname + location.search + location.hash";
    // A client's command, without a clipboard too.
    for clipboard in
        ["() => true", "() => { Object.defineProperty(navigator, 'clipboard', {value: undefined}); return true }"]
    {
        visit.value(clipboard).await;
        visit.value("() => { document.getElementById('copied').textContent = ''; return true }").await;
        visit.click("role=button[name=\"Copy the command Claude Code\"]").await.done();
        visit.wait_for("Copied.").await;
    }
    visit.call("browser_select_option", json!({"target": "#tool", "values": ["list_files"]})).await.done();
    visit.wait_for("Try a tool").await;
    assert_eq!(visit.value(address).await, "/?lang=en&tool=list_files#try");
    let arguments = json!({"target": "#arguments", "value": "{\"roots\": [\"src\"]}"});
    visit.call("browser_fill", arguments).await.done();
    visit.click("role=button[name=\"Run\"]").await.done();
    let reply = visit.value("() => document.querySelector('#reply').textContent").await;
    assert!(reply.as_str().is_some_and(|reply| reply.contains("Succeeded.") && reply.contains("src/")), "{reply}");
    visit.click("role=link[name=\"日本語\"]").await.done();
    assert_eq!(visit.value("() => document.documentElement.lang").await, "ja");
    // From the keyboard alone: the first stop leads past the header.
    visit.call("browser_press_key", json!({"key": "Tab"})).await.done();
    assert_eq!(visit.value("() => document.activeElement.className").await, "skip");
    visit.call("browser_press_key", json!({"key": "Enter"})).await.done();
    assert_eq!(visit.value("() => location.hash").await, "#main");
    let painted = visit.value("() => performance.getEntriesByName('first-contentful-paint').length").await;
    assert_eq!(painted, json!(1));
    console_is_clean(&visit).await;
}

/// A question of a person: the clicks that answer it, and a function that returns the answer on the page.
const QUESTIONS: [(&str, &[&str], &str); 10] = [
    ("Does the server work?", &[], "document.querySelector('.state').textContent === 'Ready.'"),
    (
        "How many tokens did we save today?",
        &[],
        "[...document.querySelectorAll('dt')].find(term => term.textContent === 'Tokens saved').nextElementSibling.textContent > 0",
    ),
    (
        "Which tool fails most?",
        &[],
        "[...document.querySelectorAll('[aria-labelledby=calls] tbody tr')].sort((a, b) => b.cells[3].textContent - a.cells[3].textContent)[0].cells[0].textContent === 'list_files'",
    ),
    (
        "How do I connect Cursor?",
        &["text=Cursor"],
        "document.querySelector('details[open] a[href^=\"cursor:\"]') !== null",
    ),
    (
        "Which arguments does check_code_scale take?",
        &["role=link[name=\"check_code_scale\"]"],
        "document.querySelector('#arguments').value.includes('file_path')",
    ),
    (
        "Which function is the most complex?",
        &["role=link[name=\"The project in numbers\"]"],
        "document.querySelector('[aria-labelledby=elements] tbody th').textContent === 'hard'",
    ),
    (
        "What is its source?",
        &["role=link[name=\"The project in numbers\"]", "role=link[name=\"hard\"]", "role=button[name=\"Run\"]"],
        "document.querySelector('#reply pre').textContent.includes('1 if x else 2')",
    ),
    (
        "How is the rhythm of episode 2?",
        &["role=link[name=\"The novel\"]", "role=link[name=\"ほまち\"]"],
        "document.querySelector('#review').textContent.endsWith(' 2') && document.querySelector('[aria-label=Rhythm] title').textContent === 'Sentences of the narration'",
    ),
    (
        "Which foreshadowing is open after episode 1?",
        &["role=link[name=\"The novel\"]", "role=link[name=\"こぶとえくぼ\"]"],
        "document.querySelector('[aria-labelledby=threads]').textContent.includes('F001 台帳にない盥')",
    ),
    (
        "What does the review of the last episode say?",
        &["role=link[name=\"The novel\"]", "role=link[name=\"the whole review\"]", "role=button[name=\"Run\"]"],
        "document.querySelector('#reply pre').textContent.includes('/100')",
    ),
];

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn each_of_ten_questions_is_answered_within_three_clicks() {
    let (visit, _sample, server) = start().await;
    for (question, clicks, answer) in QUESTIONS {
        assert!(clicks.len() <= 3, "{question}");
        open(&visit, &format!("{}/?lang=en", server.base)).await;
        for target in clicks {
            visit.click(target).await.done();
        }
        assert_eq!(visit.value(&format!("() => {answer}")).await, json!(true), "{question}");
    }
    console_is_clean(&visit).await;
}
