//! Replies about widgets with little markup: lists without a role, fields without a box, choices that only an attribute
//! shows.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{
    today::page_of,
    visit::{Told, Visit, reference},
};

/// Opens the same page and takes a snapshot.
async fn seen(body: &str) -> (Visit, Told) {
    let visit = page_of(body).await;
    let told = visit.call("browser_snapshot", json!({})).await;
    told.done();
    (visit, told)
}

async fn typed(visit: &Visit, tool: &str, target: &str, text: &str) -> Told {
    let name = if tool == "browser_fill" { "value" } else { "text" };
    let told = visit.call(tool, json!({"target": target, name: text})).await;
    told.done();
    told
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_choice_that_only_an_attribute_shows_is_reported() {
    let choose =
        "onclick=\"for (const one of this.parentNode.children) one.setAttribute('aria-selected', one === this)\"";
    for role in ["", "role=tab", "role=option", "role=button", "role=listitem", "role=link", "role=gridcell"] {
        let (visit, _) = seen(&format!(
            "<div style='cursor: pointer'><div {role} {choose} aria-selected=true>Day</div><div {role} {choose}>Week</div></div>\
            <h1>Calendar</h1><p>What is planned, day by day or week by week</p><button>Print</button><button>Close</button>"
        ))
        .await;
        let told = visit.click("text=Week").await;
        let line = told.changes().lines().find(|line| line.contains("Week"));
        assert!(line.is_some_and(|line| line.contains("[selected]")), "{role}: {}", told.text());
    }
}

/// A snapshot shows some of its options.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn an_option_of_a_long_list_is_reported_when_it_is_chosen_and_when_it_is_unchosen() {
    let option = |n: usize| {
        format!(
            "<div role=option aria-selected=false style='cursor: pointer' onclick=\"this.setAttribute('aria-selected', this.getAttribute('aria-selected') !== 'true')\">Colour number {n} of all the colours that there are in this very long list of colours, of which nobody ever reads more than the first, and which is therefore cut</div>"
        )
    };
    let options: String = (1..=30).map(option).collect();
    let (visit, _) =
        seen(&format!("<div role=listbox aria-multiselectable=true aria-label=Colours>{options}</div>")).await;
    let target = "[role=option]:nth-child(20)";
    let told = visit.click(target).await;
    assert!(told.changes().contains("number 20") && told.changes().contains("[selected]"), "{}", told.text());
    let told = visit.click(target).await;
    assert!(told.changes().contains("number 20") && !told.changes().contains("[selected]"), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_list_that_typing_opened_is_reported_without_markup_of_its_field() {
    let item = "<div onclick='said.textContent = this.textContent' style='cursor: pointer'>Aiko</div>";
    let portal = format!(
        "<p id=said></p><label>Name <input id=q oninput=\"const list = document.createElement('div'); list.style = 'position: absolute; top: 90px'; \
        list.innerHTML = this.dataset.item; document.body.append(list)\" data-item=\"{item}\"></label>"
    );
    let shown = "<p id=said></p><div style='position: relative'><label>Name <input id=q oninput=\"names.className = 'open'\"></label>\
        <style>#names { display: none; position: absolute } #names.open { display: block }</style>\
        <ul id=names><li onclick='said.textContent = this.textContent' style='cursor: pointer'>Aiko</ul></div>";
    let fetched = portal
        .replace("const list", "fetch('/slow?ms=50').then(() => { const list")
        .replace("append(list)", "append(list) })");
    let unnamed = shown.replace("<ul id=names><li", "<div id=names><div").replace("Aiko</ul>", "Aiko</div></div>");
    for (page, tool) in [
        (&*unnamed, "browser_type"),
        (&unnamed, "browser_fill"),
        (portal.as_str(), "browser_type"),
        (&fetched, "browser_type"),
        (shown, "browser_fill"),
        (shown, "browser_type"),
    ] {
        let (visit, _) = seen(page).await;
        let mut told = typed(&visit, tool, "#q", "Ai").await;
        // A call waits 500 ms for the requests that it started; on a busy machine an answer may take longer.
        for _ in 0..3 {
            if page == fetched && !told.text().contains("Aiko") {
                told = typed(&visit, tool, "#q", "Ai").await;
            }
        }
        assert!(told.text().contains("Aiko"), "{tool} {page}: {}", told.text());
        visit.click(&reference(told.text(), "Aiko")).await.done();
        assert_eq!(visit.said().await, "Aiko");
        // Text that was there before is not reported as a change.
        let told = typed(&visit, tool, "#q", "Aik").await;
        let was_there = page == shown || page == unnamed;
        assert!(!was_there || !told.text().contains("Aiko"), "{}", told.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn typing_that_opens_no_list_reports_none() {
    let (visit, _) = seen(
        "<ul><li>One<li>Two</ul><div style='position: fixed; bottom: 0'>Cookies <button>OK</button></div>\
        <label>Name <input id=q oninput=\"note.textContent = this.value\"></label><p id=note></p>",
    )
    .await;
    for tool in ["browser_type", "browser_fill"] {
        let told = typed(&visit, tool, "#q", tool).await;
        assert!(!told.text().contains("###"), "{}", told.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn steps_of_a_batch_do_not_wait_for_lists_that_are_not_reported() {
    let mut times = Vec::new();
    for field in ["<input aria-label=City>", "<input role=combobox aria-expanded=false aria-label=City>"] {
        let (visit, _) = seen(&field.repeat(6)).await;
        let fill = |at: usize| json!({"tool": "browser_fill", "arguments": {"target": format!("input:nth-of-type({at})"), "value": "Kobe"}});
        let steps: Vec<_> = (1..=6).map(fill).collect();
        let began = Instant::now();
        visit.batch(json!(steps)).await.done();
        times.push(began.elapsed());
    }
    // Each list has 400 ms to open: six of them would take 2,400 ms longer.
    assert!(times[1] < times[0] + Duration::from_millis(1_200), "{times:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn the_value_of_a_field_without_a_box_is_reported() {
    let visit = page_of(
        "<style>textarea, input { width: 0; height: 0; border: 0; padding: 0 }</style>\
        <div><div aria-hidden=true><div id=code>-</div></div><textarea id=upper aria-label=Code \
        oninput=\"code.textContent = this.value.toUpperCase(); this.value = ''\"></textarea></div>\
        <div class=digits><input id=short oninput=\"this.value = this.value.slice(0, 2)\"><span>- -</span></div>",
    )
    .await;
    for (target, holds) in [("#upper", "ABCD"), ("#short", "ab")] {
        for tool in ["browser_type", "browser_fill"] {
            let told = typed(&visit, tool, target, "abcd").await;
            let expected = format!("now contains \"{holds}\"");
            assert!(told.text().contains(&expected), "{tool} {target}: {}", told.text());
        }
    }
    let told = typed(&visit, "browser_type", "#upper", "XY").await;
    assert!(!told.text().contains("now contains"), "{}", told.text());
}

/// A terminal draws the typed text after the text on its screen.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn terminal_that_shows_what_was_typed_holds_it() {
    let visit = page_of(
        "<div><div aria-hidden=true><div>Welcome</div><div id=prompt>~$ </div></div><textarea id=terminal aria-label=Terminal \
        style='width: 0; height: 0; border: 0; padding: 0' oninput=\"document.querySelector('#prompt').textContent += this.dataset.mute ? '' : this.value; this.value = ''\"></textarea></div>",
    )
    .await;
    for tool in ["browser_type", "browser_fill"] {
        let told = typed(&visit, tool, "#terminal", "ls -l").await;
        assert!(!told.text().contains("now contains"), "{tool}: {}", told.text());
    }
    visit.value("() => document.querySelector('#terminal').dataset.mute = 'yes'").await;
    let told = typed(&visit, "browser_type", "#terminal", "pwd").await;
    assert!(told.text().contains("now contains"), "{}", told.text());
}

/// A list of options without a `<select>`, and the reaction of its page to a press. `moves` times the list slides away
/// under the pointer before the button goes down.
async fn sliding_list(moves: u32, shows: &str) -> Visit {
    let option = |name: &str| format!("<div role=option style='height: 30px'>{name}</div>");
    let options: String = ["Aiko", "Botan", "Chie", "Daichi"].map(option).concat();
    let visit = page_of(&format!(
        "<div id=customer role=combobox tabindex=0 aria-label=Customer aria-expanded=false style='width: 200px'>Choose</div>\
        <div id=list role=listbox hidden style='position: absolute; top: 100px; width: 200px'>{options}</div>"
    ))
    .await;
    visit
        .value(&format!(
            "() => {{ let left = {moves};
            const show = (is) => {{ list.hidden = !is; list.style.top = '100px'; customer.ariaExpanded = String(is); }};
            customer.onclick = () => show(list.hidden);
            list.onmousemove = () => {{ if (left > 0) {{ left -= 1; list.style.top = '400px'; }} }};
            document.onclick = ({{ target }}) => {{ if (target.role === 'option') {{ {shows} }} if (target.id !== 'customer') show(false); }}; }}"
        ))
        .await;
    visit
}

const SHOWN: &str = "customer.textContent = target.textContent";

async fn choose_chie(visit: &Visit) -> Told {
    let field = json!({"target": "#customer", "type": "combobox", "value": "Chie"});
    let told = visit.call("browser_fill_form", json!({"fields": [field]})).await;
    told.done();
    told
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn option_is_pressed_again_if_the_press_met_something_else() {
    for moves in [1, 2] {
        let visit = sliding_list(moves, SHOWN).await;
        let told = choose_chie(&visit).await;
        assert_eq!(visit.value("() => customer.textContent").await, "Chie", "{}", told.text());
        assert!(!told.text().contains("now contains"), "{}", told.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn field_that_did_not_take_its_option_says_what_it_shows() {
    let told = choose_chie(&sliding_list(0, "").await).await;
    assert!(told.text().contains("now contains \"Choose\""), "{}", told.text());
    let visit = sliding_list(0, "").await;
    let select = json!({"target": "#customer", "values": ["Chie"]});
    let told = visit.call("browser_select_option", select).await;
    assert!(told.refused().1.contains("the field shows \"Choose\""), "{}", told.text());
}

/// A field often shows another text for its option, or shows it elsewhere.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn option_that_is_shown_otherwise_counts_as_chosen() {
    for shows in [
        "customer.textContent = 'No. 3'",
        "customer.insertAdjacentHTML('afterend', '<p><b>Chie</b> <button>x</button></p>')",
        "customer.remove()",
        "target.ariaSelected = 'true'",
    ] {
        let told = choose_chie(&sliding_list(0, shows).await).await;
        assert!(!told.text().contains("now contains"), "{shows}: {}", told.text());
    }
}
