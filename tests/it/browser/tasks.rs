//! Tasks on pages that are made of today's libraries, in the versions that `tests/browser-tasks/package-lock.json` pins;
//! `./test` builds them.
//!
//! Each is done as a model does it, from the replies alone: a ref is read from a reply, and the page's own text shows
//! the result.

use std::{env, path::PathBuf};

use serde_json::{Value, json};

use super::{
    site::Site,
    visit::{Told, Visit, reference},
};

/// Returns the folder of what `./test` builds of `tests/browser-tasks`, which has a file.
pub(super) fn built_with(file: &str) -> PathBuf {
    let home = || PathBuf::from(env::var_os("HOME").unwrap()).join(".cache");
    let cache = env::var_os("FUMI_CACHE")
        .map_or_else(|| env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from).join("fumi"), PathBuf::from);
    let built = cache.join("browser-tasks/built");
    assert!(built.join(file).is_file(), "{} is missing; ./test builds it", built.join(file).display());
    built
}

/// Returns a client with one of the built pages open, and its snapshot.
async fn at(page: &str) -> (Visit, Told) {
    let mut visit = Visit::new().await;
    let built = built_with(page);
    visit.site = Site::start_with(vec![built]).await;
    let told = visit.open(&format!("/{page}")).await;
    (visit, told)
}

/// Acts on a target and asserts that the call succeeds.
async fn act(visit: &Visit, tool: &str, arguments: Value) -> Told {
    let told = visit.call(tool, arguments).await;
    told.done();
    told
}

async fn click(visit: &Visit, target: &str) -> Told {
    act(visit, "browser_click", json!({"target": target})).await
}

async fn find(visit: &Visit, text: &str) -> String {
    act(visit, "browser_find", json!({"text": text})).await.text().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn ant_design_deletes_a_row_on_the_third_page_of_a_table() {
    let (visit, told) = at("antd-table.html").await;
    assert!(!told.snapshot().contains("more rows"), "there is room: {}", told.text());
    click(&visit, &reference(told.snapshot(), ": \"3\"")).await;
    let row = find(&visit, "Order 23").await;
    let asked = click(&visit, &reference(&row, "Order 23 | 230 yen | Delete")).await;
    let changes = asked.changes();
    assert!(changes.contains("Delete order 23?") && !changes.contains("Order 2"), "{changes}");
    click(&visit, &reference(changes, "button \"OK\"")).await;
    assert_eq!(visit.said().await, "Deleted order 23");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn ant_design_takes_a_form_in_a_modal() {
    let (visit, told) = at("antd-form.html").await;
    let modal = click(&visit, &reference(told.snapshot(), "New order")).await;
    let field = |name: &str, kind: &str, value: &str| json!({"name": name, "target": reference(modal.text(), name), "type": kind, "value": value});
    let fields =
        [field("Customer", "combobox", "Chie"), field("Pieces", "textbox", "7"), field("Note", "textbox", "soon")];
    let filled = act(&visit, "browser_fill_form", json!({"fields": fields})).await;
    let customer = "() => document.querySelector('.ant-select').innerText.trim()";
    assert_eq!(visit.value(customer).await, json!("Chie"), "{}", filled.text());
    assert!(!filled.text().contains("now contains"), "{}", filled.text());
    let ordered = click(&visit, &reference(modal.text(), "Place order")).await;
    assert_eq!(visit.said().await, "Ordered 7 for chie: soon", "{}", ordered.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn ant_design_reports_the_list_that_typing_opened() {
    let (visit, told) = at("antd-form.html").await;
    let modal = click(&visit, &reference(told.snapshot(), "New order")).await;
    let target = reference(modal.text(), "Customer");
    let typed = act(&visit, "browser_type", json!({"target": target, "text": "Bo"})).await;
    click(&visit, &reference(typed.text(), ": Botan")).await;
    click(&visit, &reference(modal.text(), "Place order")).await;
    assert!(find(&visit, "Botan").await.contains("Botan"));
    let quiet = json!({"target": target, "text": "Ai", "expectation": {"includeSnapshot": false}});
    let typed = act(&visit, "browser_type", quiet).await;
    assert!(!typed.text().contains("Aiko"), "{}", typed.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn ant_design_says_that_its_list_does_not_have_an_option() {
    let (visit, told) = at("antd-form.html").await;
    let modal = click(&visit, &reference(told.snapshot(), "New order")).await;
    let target = reference(modal.text(), "Customer");
    let field = json!({"name": "Customer", "target": target, "type": "combobox", "value": "Zoe"});
    let told = act(&visit, "browser_fill_form", json!({"fields": [field]})).await;
    assert!(told.text().contains("only typed into"), "{}", told.text());
    let select = |value: &str| json!({"target": target, "values": [value]});
    let told = visit.call("browser_select_option", select("Zoe")).await;
    assert!(told.refused().1.contains("Zoe"), "{}", told.text());
    let told = act(&visit, "browser_select_option", select("Botan")).await;
    assert!(told.text().contains("Botan"), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_click_on_radix_reports_only_the_popup() {
    let (visit, told) = at("radix.html").await;
    let page = told.snapshot().to_owned();
    let popup = click(&visit, &reference(&page, "Rename order 3")).await;
    let changes = popup.changes();
    assert!(changes.contains("New name of order 3") && !changes.contains("Field number"), "{changes}");
    click(&visit, &reference(changes, "Save name")).await;
    let asked = click(&visit, &reference(&page, "Delete order 3")).await;
    assert!(!asked.text().contains("Field number"), "{}", asked.text());
    click(&visit, &reference(asked.text(), "Yes, delete")).await;
    assert_eq!(visit.said().await, "Deleted 3");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn radix_opens_a_submenu_under_the_pointer() {
    let (visit, told) = at("radix.html").await;
    let menu = click(&visit, &reference(told.snapshot(), "More for order 4")).await;
    let hovered = act(&visit, "browser_hover", json!({"target": reference(menu.text(), "Send")})).await;
    click(&visit, &reference(hovered.text(), "By post")).await;
    assert_eq!(visit.said().await, "Posted 4");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn shoelace_takes_a_form_by_its_refs() {
    let (visit, told) = at("shoelace.html").await;
    let page = told.snapshot().to_owned();
    let fields = json!([
        {"name": "To", "target": reference(&page, "textbox \"To\""), "type": "textbox", "value": "Ann"},
        {"name": "Paper", "target": reference(&page, "combobox \"Paper\""), "type": "combobox", "value": "Ruled"},
        {"name": "Express", "target": reference(&page, "checkbox \"Express\""), "type": "checkbox", "value": "true"},
    ]);
    act(&visit, "browser_fill_form", json!({"fields": fields})).await;
    click(&visit, &reference(&page, "button \"Send letter\"")).await;
    assert_eq!(visit.said().await, "To Ann on ruled paper, express");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn lit_takes_text_and_clicks_by_their_refs() {
    let (visit, told) = at("lit.html").await;
    let page = told.snapshot().to_owned();
    let name = json!({"target": reference(&page, "Name"), "value": "Ann"});
    act(&visit, "browser_fill", name).await;
    let added = click(&visit, &reference(&page, "Add one")).await;
    assert!(added.changes().contains("1 in the cart of Ann"), "{}", added.text());
    click(&visit, &reference(&page, "Order now")).await;
    assert_eq!(visit.said().await, "Ann ordered 1");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn mui_takes_a_date_part_by_part() {
    let (visit, told) = at("mui-date.html").await;
    let page = told.snapshot().to_owned();
    let (_, leaves) = page.split_once("group \"Leaves\"").unwrap();
    let day = reference(&page, "spinbutton \"Day\"");
    for value in ["24", "22"] {
        act(&visit, "browser_fill", json!({"target": day, "value": value})).await;
        assert_eq!(visit.said().await, format!("2026-11-{value}"));
    }
    act(&visit, "browser_type", json!({"target": day, "text": "9"})).await;
    assert_eq!(visit.said().await, "2026-11-09");
    let part = |name: &str, value: &str| json!({"name": name, "target": reference(leaves, name), "type": "textbox", "value": value});
    let fields = [part("Month", "12"), part("Day", "31"), part("Year", "2026")];
    act(&visit, "browser_fill_form", json!({"fields": fields})).await;
    assert_eq!(visit.said().await, "2026-12-31");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn monaco_is_read_and_typed_into() {
    let (visit, told) = at("monaco.html").await;
    assert!(told.snapshot().contains("return a - b"), "{}", told.text());
    let editor = reference(told.snapshot(), "Code of add.js");
    let said = async || visit.said().await.replace('\u{a0}', " ");
    act(&visit, "browser_fill", json!({"target": editor, "value": "one\ntwo"})).await;
    assert_eq!(said().await, "one ⏎ two");
    assert!(find(&visit, "two").await.contains("two"));
    act(&visit, "browser_type", json!({"target": editor, "text": "let a = 1;"})).await;
    assert_eq!(said().await, "let a = 1;");
    let keys = json!({"target": ":focus", "text": "\nlet b;", "slowly": true});
    act(&visit, "browser_type", keys).await;
    assert_eq!(said().await, "let a = 1; ⏎ let b;");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn sortable_moves_an_item_by_the_pointer() {
    let (visit, _) = at("sortable.html").await;
    let drag = json!({"startTarget": "text=Fix bug", "endTarget": "text=Sleep"});
    act(&visit, "browser_drag", drag).await;
    assert_eq!(visit.said().await, "Write test, Drink tea, Sleep, Fix bug");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_bar_of_a_chart_is_found_and_clicked() {
    let (visit, _) = at("chart.html").await;
    click(&visit, &reference(&find(&visit, "Tue").await, "Tue: 80 visitors")).await;
    assert_eq!(visit.said().await, "Tue is open");
}
