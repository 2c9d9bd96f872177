//! Cut replies: whole lines, each below its parent, and a target for the rest.

use fumi_base::tokens;
use serde_json::json;

use super::{
    today::page_of,
    visit::{Visit, reference},
};

/// Returns the target that a mark names first.
fn way_on(text: &str) -> String {
    let mark = text.lines().rfind(|line| line.contains("target="));
    let mark = mark.unwrap_or_else(|| panic!("no way on:\n{text}"));
    let target = mark.split_once("target=").unwrap().1;
    target.split([',', ' ', ';', ')']).next().unwrap().to_owned()
}

/// Creates items so long that a reply does not have room for the usual number of a run.
async fn long_items() -> Visit {
    let visit = page_of("<ul aria-label=Letters tabindex=0></ul>").await;
    visit
        .value(
            "() => { const list = document.querySelector('ul'); for (let n = 1; n <= 60; n += 1) { \
            const item = document.createElement('li'); item.innerHTML = `Letter ${n}. ${'長い手紙です。'.repeat(150)} <a href=/>Answer ${n}</a>`; \
            list.append(item); } }",
        )
        .await;
    visit
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_cut_inside_a_run_says_where_the_run_goes_on() {
    let visit = long_items().await;
    let told = visit.call("browser_snapshot", json!({})).await;
    let mut text = told.snapshot().to_owned();
    let mut next = 1;
    let mut calls = 0;
    loop {
        for line in text.lines() {
            assert!(line.trim_start().starts_with("- "), "half a line: {line}");
            // The last line of a letter that is shown is whole, too.
            let Some(rest) = line.split_once("Letter ").map(|(_, rest)| rest) else {
                continue;
            };
            let number: u32 = rest.split('.').next().unwrap().parse().unwrap();
            // The last item of a run follows a mark.
            if number == next {
                next += 1;
            }
        }
        if next > 60 {
            break;
        }
        let target = way_on(&text);
        calls += 1;
        assert!(calls < 40, "no way to letter {next}, at {target}:\n{text}");
        let told = visit.call("browser_snapshot", json!({"target": target})).await;
        told.done();
        told.snapshot().clone_into(&mut text);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn elements_after_the_clicked_row_are_not_shown_as_its_parts() {
    let visit = page_of("<main><h1>Tasks</h1><table><tbody></tbody></table></main><aside><h2>Log</h2></aside>").await;
    visit
        .value(
            "() => { for (let n = 1; n <= 40; n += 1) { const row = document.querySelector('tbody').insertRow(); \
            row.insertCell().innerHTML = `<h3>Task ${n}</h3><p>by somebody who has been asked to do it by the end of the week</p>`; \
            const cell = row.insertCell(); cell.innerHTML = `<ul><li><button>Do ${n}</button></li><li>open</li></ul>`; \
            row.querySelector('button').onclick = ({ target }) => { target.disabled = true; row.querySelector('li:last-child').textContent = 'done'; \
            const told = document.createElement('section'); told.innerHTML = `<p>Task ${n} is done</p><button>Undo</button>`; document.body.prepend(told); }; } }",
        )
        .await;
    visit.call("browser_snapshot", json!({})).await.done();
    let told = visit.click("text=Do 27").await;
    let changes = told.changes();
    let undo = changes.lines().position(|line| line.contains("Undo")).unwrap();
    let place = changes.lines().take(undo).filter(|line| line.starts_with('@')).last();
    assert_eq!(place, Some("@ page"), "{changes}");
}

/// Adds `count` elements to the body, each with the markup that an expression of `n` returns.
async fn run_of(count: usize, markup: &str) -> Visit {
    let visit = page_of("<main></main>").await;
    visit
        .value(&format!(
            "() => {{ document.querySelector('main').innerHTML = Array.from({{ length: {count} }}, (_, n) => {markup}).join(''); }}"
        ))
        .await;
    visit
}

/// Returns the last line of a snapshot of at most so many characters.
async fn mark_of(visit: &Visit, target: &str, most: usize) -> String {
    let asked = json!({"target": target, "expectation": {"snapshotOptions": {"maxLength": most}}});
    let told = visit.call("browser_snapshot", asked).await;
    told.done();
    told.snapshot().lines().last().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn member_too_long_for_a_reply_names_its_parts_and_the_next_member() {
    let visit = run_of(
        20,
        "`<article><h3>Item ${n}</h3><p>${'word '.repeat(60)}</p><section aria-label=\"Part ${n}\"><p>About it</p><button>Do</button></section></article>`",
    )
    .await;
    let told = visit.call("browser_snapshot", json!({})).await;
    let place = way_on(told.snapshot());
    let (holder, run) = (place.split('@').next().unwrap(), place.split('/').next_back().unwrap());
    let mark = mark_of(&visit, &format!("{holder}@3/{run}"), 300).await;
    assert!(mark.contains("(region \"Part 3\")"), "{mark}");
    assert!(mark.contains(&format!(", {holder}@4/{run} or")), "{mark}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn members_without_a_line_of_their_own_keep_their_place() {
    for (markup, first, next) in [
        ("`<div class=msg>Message ${n}, ${'word '.repeat(12)}</div>`", "Message 0", "Message 3"),
        ("`<div class=card><h3>Card ${n}</h3><p>${'word '.repeat(12)}</p></div>`", "Card 0", "Card 2"),
    ] {
        let visit = run_of(100, markup).await;
        let mark = mark_of(&visit, "main", 265).await;
        assert!(mark.contains("lines cut (snapshot target="), "{first}: {mark}");
        let told = visit.call("browser_snapshot", json!({"target": way_on(&mark)})).await;
        told.done();
        assert!(told.snapshot().contains(next) && !told.snapshot().contains(first), "{mark}\n{}", told.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn cut_in_a_run_inside_a_run_names_the_rest_of_both() {
    let visit = run_of(
        200,
        "`<article><h3>Card ${n}</h3><button>Buy ${n}</button><ul>${Array.from({ length: 12 }, (_, k) => `<li><a href=/>Tag ${n}-${k}</a>`).join('')}</ul></article>`",
    )
    .await;
    let mark = mark_of(&visit, "main", 4_800).await;
    let ways = mark.split_once("target=").unwrap().1;
    let places: Vec<&str> = ways.split([',', ';', ' ']).filter(|way| way.contains('@')).collect();
    let [tags, cards] = places[..] else {
        panic!("two places: {mark}");
    };
    let told = visit.call("browser_snapshot", json!({"target": tags})).await;
    let first = told.snapshot().split_once("Tag ").unwrap_or_else(|| panic!("{}", told.text())).1;
    let number: usize = first.split('-').next().unwrap().parse().unwrap();
    assert!(told.snapshot().contains(&format!("Tag {number}-11")), "{}", told.text());
    let told = visit.call("browser_snapshot", json!({"target": cards})).await;
    assert!(told.snapshot().contains(&format!("Buy {}\"", number + 1)), "{}", told.text());
    assert!(!told.snapshot().contains(&format!("Buy {number}\"")), "{}", told.text());
}

/// The page itself has more room in the second snapshot than in the first, where its frame takes most of it.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn snapshot_of_a_page_with_frames_keeps_its_limit() {
    let visit = page_of("<iframe width=600></iframe><div id=texts></div>").await;
    visit
        .value(
            "() => { const lines = (text, count) => Array.from({ length: count }, (_, n) => `<h2>${n}</h2><p>${text}`).join(''); \
            document.querySelector('iframe').srcdoc = lines('An English line of some words for the frame. '.repeat(8), 60); \
            texts.innerHTML = lines('日本語の長い文章がここに書かれている。'.repeat(15), 60); \
            return new Promise((done) => { document.querySelector('iframe').onload = () => done(1); }); }",
        )
        .await;
    let told = visit.call("browser_snapshot", json!({})).await;
    told.done();
    let size = tokens::estimate(told.snapshot());
    assert!((1_500..=3_000).contains(&size), "{size} tokens:\n{}", told.snapshot());
    assert!(told.snapshot().lines().last().unwrap().contains("lines cut"), "{}", told.snapshot());
}

/// The way on names the limit that was hit.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn cut_by_the_limit_of_the_caller_names_that_limit() {
    let visit = run_of(120, "`<p>Line ${n} of a long page</p><button>Do ${n}</button>`").await;
    let html = json!({"expectation": {"snapshotOptions": {"format": "html", "maxLength": 300}}});
    for (tool, arguments, way) in [
        ("browser_snapshot", html, "a greater snapshotOptions.maxLength"),
        ("browser_inspect_html", json!({"target": "main", "maxSize": 300}), "a greater maxSize"),
        (
            "browser_find_elements",
            json!({"role": "button", "maxResults": 3}),
            "first 3 of 120 (narrow the call, or maxResults up to 100)",
        ),
        ("browser_find", json!({"text": "Do "}), "first 50 of 120 (narrow the text or regex)"),
        ("browser_find", json!({"text": "nowhere"}), "none (browser_find_elements also finds hidden elements)"),
    ] {
        let told = visit.call(tool, arguments).await;
        told.done();
        assert!(told.text().contains(way), "{way}: {}", told.text());
        let fence = if tool == "browser_snapshot" { "```html\n" } else { "" };
        assert!(told.text().contains(fence), "{}", told.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn part_that_the_depth_cut_has_a_ref() {
    let visit = run_of(3, "`<section><h2>Part ${n}</h2><button>Do ${n}</button></section>`").await;
    let told = visit.call("browser_snapshot", json!({"depth": 1})).await;
    let cut = reference(told.snapshot(), "more inside (depth)");
    let told = visit.call("browser_snapshot", json!({"target": cut})).await;
    assert!(told.snapshot().contains("button \"Do 2\""), "{}", told.text());
}
