//! Pages of current libraries: lists that are cut, popups beside the application, slotted labels, fields that write
//! their own values, editors without a box, charts. The pages in `today/` reproduce the structure, not the library.

use serde_json::{Value, json};

use super::visit::{Visit, reference};
use crate::harness::Stateless;

async fn found(visit: &Visit, text: &str) -> Value {
    visit.call("browser_find", json!({"text": text})).await.done().clone()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_row_that_a_click_changed_is_reported_though_the_snapshot_omits_it() {
    let visit = Visit::new().await;
    visit.open("/today/rows.html").await;
    let lines = found(&visit, "Complete task 27").await["lines"][0].to_string();
    let told = visit.click(&reference(&lines, "Complete task 27")).await;
    let changes = told.changes();
    assert!(changes.contains("Task 27") && changes.contains("button \"Done\" [disabled]"), "{changes}");
    assert!(!changes.contains("Task 26"), "{changes}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_popup_beside_the_application_is_all_that_changed() {
    let visit = Visit::new().await;
    visit.open("/today/portal.html").await;
    let told = visit.click("text=Delete order 3").await;
    let changes = told.changes();
    for part in ["Really?", "Keep it", "Yes, delete"] {
        assert!(changes.contains(part), "{part}: {changes}");
    }
    assert!(!changes.contains("Orders") && !changes.contains("Field number 7"), "{changes}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn the_first_act_on_a_page_without_a_snapshot_reports_its_changes() {
    let visit = Visit::new().await;
    visit.enter("/today/portal.html").await;
    let told = visit.click("text=Delete order 3").await;
    let changes = told.changes();
    assert!(changes.contains("Yes, delete") && !changes.contains("Field number 7"), "{changes}");
    // A snapshot of the previous page does not count for this one.
    visit.enter("/today/rows.html").await;
    let told = visit.click("role=button[name=\"Complete task 2\"]").await;
    assert!(told.changes().contains("\"Done\" [disabled]"), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_field_that_writes_its_own_value_takes_what_is_filled_in() {
    let visit = Visit::new().await;
    visit.enter("/today/fields.html").await;
    let day = json!({"target": "role=spinbutton[name=\"Day\"]", "value": "24"});
    visit.call("browser_fill", day).await.done();
    let held = visit.value("() => document.querySelector('#day').textContent").await;
    assert_eq!(held, "24");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_button_whose_label_is_slotted_is_clicked_by_its_ref() {
    let visit = Visit::new().await;
    let told = visit.open("/today/slotted.html").await;
    for label in ["Send letter", "Keep letter"] {
        visit.click(&reference(told.snapshot(), label)).await.done();
    }
    assert_eq!(visit.said().await, "Send letterKeep letter");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn an_editor_whose_field_has_no_box_is_typed_into_and_its_text_is_found() {
    let visit = Visit::new().await;
    let told = visit.open("/today/editor.html").await;
    let field = reference(told.snapshot(), "Code of add.js");
    let slowly = |target: &str| json!({"target": target, "text": "+1", "slowly": true});
    visit.call("browser_type", slowly(&field)).await.done();
    visit.call("browser_type", slowly(":focus")).await.done();
    let lines = found(&visit, "return a - b+1+1").await;
    assert_eq!(lines["total"], 1, "{lines}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn refs_of_two_tabs_differ() {
    let visit = Visit::new().await;
    let first = visit.open("/today/slotted.html").await;
    let url = visit.site.url("/today/editor.html");
    let second = visit.call("browser_tabs", json!({"action": "new", "url": url})).await;
    let old = reference(first.snapshot(), "Send letter");
    assert_ne!(old, reference(second.snapshot(), "Code of add.js"));
    assert_eq!(visit.click(&old).await.refused().0, "B002");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn named_parts_of_a_chart_have_refs() {
    let visit = Visit::new().await;
    let told = visit.open("/today/chart.html").await;
    visit.click(&reference(told.snapshot(), "Tue: 80 visitors")).await.done();
    assert_eq!(visit.said().await, "Tue");
}

/// Opens a table of 2,000 rows with some text in each.
async fn long_table() -> Visit {
    let visit = Visit::new().await;
    visit.enter("/today/table.html").await;
    let rows = "() => { const body = document.querySelector('tbody'); for (let n = 31; n <= 2000; n += 1) body.insertRow().insertCell().textContent = `Order ${n} of a list that is too long to be shown`; }";
    visit.value(rows).await;
    visit
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn every_row_of_a_long_table_is_reached_by_what_the_marks_name() {
    let visit = long_table().await;
    let mut told = visit.call("browser_snapshot", json!({})).await;
    let mut calls = 0;
    while !told.text().contains("Order 1000 ") {
        let mark = told.text().lines().rfind(|line| line.contains("more rows (snapshot target="));
        let mark = mark.unwrap_or_else(|| panic!("no way on:\n{}", told.text()));
        let target = mark.split_once("target=").unwrap().1.split(',').next().unwrap();
        let wide = json!({"snapshotOptions": {"maxLength": 3_000_000}});
        told = visit.call("browser_snapshot", json!({"target": target, "expectation": wide})).await;
        calls += 1;
        assert!(calls < 20, "{}", told.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_cut_text_shows_its_length_and_suggests_only_targets_that_exist() {
    let visit = long_table().await;
    let length = visit.value("() => document.body.innerText.trim().length").await.as_u64().unwrap();
    for (options, way) in
        [(json!({"format": "text"}), "maxLength"), (json!({"format": "text", "maxLength": 3_000_000}), "target")]
    {
        let options = json!({"expectation": {"snapshotOptions": options}});
        let told = visit.call("browser_snapshot", options).await;
        let mark = told.snapshot().lines().next_back().unwrap().to_owned();
        let of = mark.split(" of ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
        assert!(of.parse::<u64>().unwrap().abs_diff(length) < length / 100, "{mark}, {length}");
        assert!(mark.contains(way) && !told.snapshot().contains("characters cut"), "{mark}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn found_elements_are_distinguishable_and_usable_as_targets() {
    let visit = Visit::new().await;
    visit.enter("/today/table.html").await;
    assert_eq!(found(&visit, "e2").await["total"], 0, "a ref is not text");
    let row = found(&visit, "Order 23").await;
    let line = row["lines"][0].as_str().unwrap();
    assert!(line.contains("Order 23 | 230 yen | Delete [ref="), "{row}");
    let buttons = found(&visit, "Open").await;
    let lines: Vec<&str> = buttons["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    assert_eq!((lines.len(), buttons["refs"].as_array().unwrap().len()), (30, 30), "{buttons}");
    assert!(lines[6].contains("in article \"Card 7"), "{}", lines[6]);
    let told = visit
        .call(
            "browser_batch_execute",
            json!({"steps": [
                {"tool": "browser_find", "arguments": {"text": "Order 23"}},
                {"tool": "browser_click", "arguments": {"target": "${steps[0].result.refs[0]}"}},
            ]}),
        )
        .await;
    told.done();
    assert!(told.text().contains("Deleted 23"), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_batch_without_a_session_of_the_protocol_names_its_browser_once() {
    let visit = Visit::new().await;
    let client = Stateless::new(&visit.server);
    let opened = client.call("browser_navigate", json!({"url": visit.site.url("/today/table.html")})).await;
    let session = opened.called().0["browser_session"].clone();
    let steps = json!([
        {"tool": "browser_click", "arguments": {"target": "tr:first-child a"}},
        {"tool": "browser_find", "arguments": {"text": "Deleted"}},
    ]);
    let answer = client.call("browser_batch_execute", json!({"steps": steps, "browser_session": session})).await;
    let (batch, text, failed) = answer.called();
    assert!(!failed && batch["failed"] == 0, "{text}");
    assert!(batch["steps"][1]["result"].to_string().contains("Deleted 1"), "{batch}");
}

/// Opens a page with only this in its body.
pub(super) async fn page_of(body: &str) -> Visit {
    let visit = Visit::new().await;
    visit.enter("/console/say.html").await;
    visit.value(&format!("() => {{ document.body.innerHTML = {}; }}", json!(body))).await;
    visit
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_field_below_its_own_placeholder_names_the_control_that_can_be_clicked() {
    let visit = page_of(
        "<p id=said></p><div class=select style='position: relative; width: 200px; height: 30px' onclick='said.textContent = \"open\"'>\
        <input readonly role=combobox aria-label=City style='width: 190px; height: 24px'>\
        <span class=placeholder style='position: absolute; inset: 0'>Choose</span></div>",
    )
    .await;
    let told = visit.click("role=combobox[name=\"City\"]").await;
    let (code, text) = told.refused();
    assert_eq!(code, "B004");
    visit.click(&reference(text, "covered by")).await.done();
    assert_eq!(visit.said().await, "open");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn empty_cells_of_a_grid_keep_their_place() {
    let visit = page_of("<div role=grid><div role=row><div role=gridcell>a</div><div role=gridcell></div><div role=gridcell>c</div></div></div>").await;
    let told = visit.call("browser_snapshot", json!({})).await;
    assert!(told.snapshot().contains("row: a |  | c"), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_wait_shows_the_line_that_it_waited_for() {
    let visit = Visit::new().await;
    visit.enter("/today/table.html").await;
    let told = visit.call("browser_wait_for", json!({"text": "Order 23"})).await;
    assert!(told.text().contains("Delete [ref="), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_without_a_scheme_is_suggested_with_one() {
    let visit = Visit::new().await;
    for (tool, arguments) in [
        ("browser_navigate", json!({"url": "127.0.0.1:8000/x"})),
        ("browser_tabs", json!({"action": "new", "url": "localhost:8000/x"})),
    ] {
        let told = visit.call(tool, arguments).await;
        let (code, text) = told.refused();
        assert_eq!(code, "INVALID_ARGUMENTS", "{text}");
        assert!(text.contains("\"http://") && text.contains(":8000/x"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn messages_of_the_levels_that_a_caller_names_are_listed_alone() {
    let visit = page_of("").await;
    visit.value("() => { console.warn('one'); console.log('two'); }").await;
    let warnings = json!({"expectation": {"consoleOptions": {"levels": ["warn"]}}});
    let told = visit.call("browser_console_messages", warnings).await;
    let messages = told.done()["messages"].as_array().unwrap();
    let texts: Vec<_> = messages.iter().map(|message| message["text"].as_str().unwrap()).collect();
    assert!(texts.contains(&"one") && !texts.contains(&"two"), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn messages_stand_below_their_file_and_as_many_as_are_wanted() {
    let visit = page_of("").await;
    visit.value("() => { for (let n = 1; n <= 9; n += 1) console.error(`error ${n}`); }").await;
    let options = json!({"expectation": {"consoleOptions": {"maxMessages": 2, "patterns": ["^error "]}}});
    let told = visit.call("browser_console_messages", options).await;
    assert_eq!(told.done()["total"], 9, "{}", told.text());
    let text = told.text();
    assert!(text.starts_with("newest 2 of 9 (") && text.contains("[error] error 8\n"), "{text}");
    assert!(text.ends_with("[error] error 9") && !text.contains("error 7"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn cookie_is_shown_as_it_is_stored() {
    let visit = page_of("").await;
    // Chromium keeps no cookie for longer than 400 days.
    let set = json!({"action": "set", "name": "key", "value": "v", "path": "/", "expires": 4_000_000_000_u64, "sameSite": "Strict"});
    let told = visit.call("browser_cookies", set).await;
    let text = told.text();
    assert!(told.done()["cookies"][0]["expires"].as_f64().unwrap() < 4e9, "{text}");
    let (domain, row) = text.split_once('\n').unwrap();
    assert_eq!(domain, "127.0.0.1");
    assert!(row.starts_with("key=v; Expires=20") && row.ends_with("Z; SameSite=Strict"), "{text}");
    let told = visit.call("browser_cookies", json!({"action": "list"})).await;
    assert_eq!(told.text(), text);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn equal_options_are_found_with_their_lists() {
    let visit = page_of(
        "<label>Front <select><option>Red<option>Blue</select></label><label>Back <select><option>Red<option>Green</select></label>",
    )
    .await;
    let lines = found(&visit, "Red").await["lines"].to_string();
    for list in ["in combobox \\\"Front\\\"", "in combobox \\\"Back\\\""] {
        assert!(lines.contains(list), "{list}: {lines}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn click_that_only_focuses_its_button_changes_nothing() {
    let visit = page_of("<h1>Desk</h1><div><button>Idle</button></div><div><button>Busy</button></div><div><input aria-label=Name></div>").await;
    let page = visit.call("browser_snapshot", json!({})).await;
    for name in ["Idle", "Busy"] {
        let told = visit.click(&reference(page.snapshot(), name)).await;
        assert_eq!(told.text(), "### Changes\nnone");
    }
    let told = visit.click(&reference(page.snapshot(), "\"Name\"")).await;
    assert!(told.changes().contains("textbox \"Name\" [active]"), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_field_for_dates_without_a_box_is_set() {
    let visit = page_of("<input type=date id=d style='width:0;height:0;border:0;padding:0'>").await;
    let fill = |value: &str| json!({"target": "#d", "value": value});
    visit.call("browser_fill", fill("2026-01-31")).await.done();
    let typed = json!({"target": "#d", "text": "2026-02-28"});
    visit.call("browser_type", typed).await.done();
    assert_eq!(visit.value("() => d.value").await, "2026-02-28");
    let told = visit.call("browser_fill", fill("soon")).await;
    assert!(told.refused().1.contains("2026-01-31"), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn only_the_option_that_was_named_is_chosen_and_of_no_other_list() {
    let visit = Visit::new().await;
    visit.enter("/today/choices.html").await;
    let select =
        |name: &str, value: &str| json!({"target": format!("role=combobox[name=\"{name}\"]"), "values": [value]});
    let told = visit.call("browser_select_option", select("Sex", "Male")).await;
    assert!(told.refused().1.contains("\"Female\", \"Other\""), "{}", told.text());
    let told = visit.call("browser_select_option", select("Sex", "FEMALE")).await;
    assert_eq!(told.done()["selected"], json!(["Female"]));
    visit.call("browser_select_option", select("Sex", "Red")).await.refused();
    assert_eq!(visit.said().await, "Female");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_place_is_one_of_the_list_that_was_cut() {
    let visit = Visit::new().await;
    let told = visit.open("/today/runs.html").await;
    let marks: Vec<&str> = told.snapshot().lines().filter(|line| line.contains(" more ")).collect();
    let places: Vec<&str> =
        marks.iter().map(|mark| mark.split_once("target=").unwrap().1.split(',').next().unwrap()).collect();
    let [chips, products] = places[..] else { panic!("{marks:?}") };
    for (place, first) in [(chips, "Chip 7"), (products, "Product 7")] {
        let told = visit.call("browser_snapshot", json!({"target": place})).await;
        let mark = told.snapshot().lines().position(|line| line.contains("… 6 more ")).unwrap();
        let next = told.snapshot().lines().nth(mark + 1).unwrap().to_owned();
        let next = next + told.snapshot().lines().nth(mark + 2).unwrap();
        assert!(next.contains(first), "{place}: {}", told.text());
    }
    let beyond = products.replace("@6/", "@600/");
    let told = visit.call("browser_snapshot", json!({"target": beyond})).await;
    assert!(told.refused().1.contains("position"), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn another_name_is_another_thing_whatever_its_marks() {
    let visit = page_of("<button>Pay 1.00</button><button>Name *</button>").await;
    let told = visit.call("browser_snapshot", json!({})).await;
    let [pay, name] = ["Pay", "Name"].map(|label| reference(told.snapshot(), label));
    visit
        .value("() => { const [pay, name] = document.querySelectorAll('button'); pay.textContent = 'Pay 100'; name.textContent = 'Name'; }")
        .await;
    assert_eq!(visit.click(&pay).await.refused().0, "B002");
    visit.click(&name).await.done();
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_value_that_a_field_did_not_accept_is_reported() {
    let visit = page_of(
        "<input id=empty oninput=\"this.value = ''\"><input id=zeros oninput='this.value = Number(this.value)'>\
        <input id=upper oninput='this.value = this.value.toUpperCase()'><input id=deaf value=abc onkeydown='event.preventDefault()'>",
    )
    .await;
    for (tool, arguments) in [
        ("browser_fill", json!({"target": "#empty", "value": "0"})),
        ("browser_fill", json!({"target": "#zeros", "value": "007"})),
        ("browser_fill", json!({"target": "#upper", "value": "jp"})),
        ("browser_type", json!({"target": "#deaf", "text": "b", "slowly": true})),
    ] {
        let told = visit.call(tool, arguments.clone()).await;
        assert!(told.text().contains("now contains"), "{arguments}: {}", told.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn an_address_is_looked_at_where_a_tab_is_opened_only() {
    let visit = page_of("").await;
    for arguments in [json!({"action": "list", "url": ""}), json!({"action": "new", "url": ""})] {
        visit.call("browser_tabs", arguments).await.done();
    }
}
