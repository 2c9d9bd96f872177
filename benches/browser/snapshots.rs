//! What a look at a page costs by default: a form, a dashboard, a table of 2,000 rows.

use std::{sync::Mutex, time::Duration};

use serde_json::json;

use super::{
    Bench,
    flow::Cost,
    measure::{Pair, in_turns},
    report::{Bar, Bar::AtLeast, Bar::AtMost, Report, Row},
};

struct Page {
    name: &'static str,
    path: &'static str,
    tokens: Bar,
    time: Option<Bar>,
}

const PAGES: [Page; 3] = [
    Page {
        name: "a form to sign in",
        path: "/login.html",
        tokens: AtMost(600.0),
        time: None,
    },
    Page {
        name: "a dashboard with 40 rows",
        path: "/dashboard.html",
        tokens: AtMost(1_500.0),
        time: None,
    },
    Page {
        name: "a table of 2,000 rows",
        path: "/table.html",
        tokens: AtMost(3_000.0),
        time: Some(AtMost(300.0)),
    },
];

/// What can be acted on, as a snapshot names it.
const ACTIONABLE: [&str; 8] = [
    "link",
    "button",
    "textbox",
    "searchbox",
    "combobox",
    "checkbox",
    "radio",
    "option",
];

/// Counts what a person could act on: `option` is part of its list.
const COUNT: &str = "() => document.querySelectorAll('a[href], button, input, select, textarea').length";

pub(crate) async fn run(bench: &Bench, report: &mut Report) {
    for page in &PAGES {
        // Of the last round; it is the same in all.
        let found = Mutex::new(Pair::<f64>::default());
        let there = Mutex::new(0.0);
        let (took, tokens) = in_turns(bench, async |started| {
            let session = started.running.session(Duration::ZERO).await;
            let url = bench.site.url(page.path);
            session.done("browser_navigate", &json!({"url": url})).await;
            let reply = session.done("browser_snapshot", &json!({})).await;
            let with_ref = refs(reply.snapshot());
            let counted = session.done("browser_evaluate", &json!({"function": COUNT})).await;
            session.close().await;
            let share = with_ref as f64;
            let mut found = found.lock().unwrap();
            if started.peer.is_ours() {
                found.ours = Some(share);
            } else {
                found.theirs = Some(share);
                *there.lock().unwrap() = number(&counted.text);
            }
            Some(Cost {
                took: reply.took,
                tokens: reply.tokens(),
            })
        })
        .await;
        let (found, there) = (found.into_inner().unwrap(), there.into_inner().unwrap());
        report.row("look", Row::new(page.name, "tokens", tokens.count(), Some(page.tokens)));
        report.row(
            "look",
            Row::new(&format!("{}, time", page.name), "ms", took.millis(), page.time),
        );
        // Larger pages are cut on purpose; that what is cut can be reached is tested, not measured.
        let bar = (page.path == "/login.html").then_some(AtLeast(there));
        let what = format!("{}, refs for {there} that can be acted on", page.name);
        report.row("look", Row::new(&what, "refs", found, bar));
    }
}

/// How many of the lines are something to act on, with a reference.
fn refs(snapshot: &str) -> usize {
    let lines = snapshot
        .lines()
        .map(|line| line.trim_start().trim_start_matches("- ").trim_start_matches('\''));
    lines
        .filter(|line| line.contains("[ref="))
        .filter(|line| {
            ACTIONABLE
                .iter()
                .any(|role| *role != "option" && line.starts_with(role))
        })
        .count()
}

/// The first number in a reply.
fn number(text: &str) -> f64 {
    let digits = text
        .split(|c: char| !c.is_ascii_digit())
        .find(|digits| !digits.is_empty());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0.0)
}
