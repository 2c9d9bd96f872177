//! Replies about pages of component libraries: charts, hidden fields inside drawn widgets, popups that fade, lists that
//! load. Each page shows the structure of one fault; none uses a library.

use serde_json::json;

use super::{
    today::page_of,
    visit::{Told, Visit, reference},
};

async fn select(visit: &Visit, target: &str, values: &[&str]) -> Told {
    visit.call("browser_select_option", json!({"target": target, "values": values})).await
}

/// Opens a page, runs a function in it and takes a snapshot.
async fn page_with(body: &str, function: &str) -> (Visit, Told) {
    let visit = page_of(body).await;
    visit.value(function).await;
    let told = visit.call("browser_snapshot", json!({})).await;
    told.done();
    (visit, told)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn page_sees_a_mouse() {
    let visit = page_of(
        "<style>ul { display: none } @media (hover: hover) { div:hover ul { display: block } }</style>\
        <div>Products<ul><li>Inside</ul></div>",
    )
    .await;
    for (query, matches) in [
        ("(pointer: fine)", true),
        ("(any-pointer: fine)", true),
        ("(hover: hover)", true),
        ("(any-hover: hover)", true),
        ("(pointer: none)", false),
        ("(pointer: coarse)", false),
    ] {
        assert_eq!(visit.value(&format!("() => matchMedia('{query}').matches")).await, matches, "{query}");
    }
    visit.call("browser_hover", json!({"target": "text=Products"})).await.done();
    visit.wait_for("Inside").await;
}

const CHART: &str = "<svg width=300 height=100>\
    <defs><text>Unused</text></defs><path d='M0 0L9 9'/><path d='M0 0L9 9'/>\
    <rect width=30 height=80 style='cursor: pointer' onclick=\"said.textContent = 'feb'\"><title>Feb: 5</title></rect>\
    <text x=80 y=50>Legend Q1</text><text x=80 y=80 style='cursor: pointer' onclick=\"said.textContent = 'legend'\">Toggle series</text>\
    <g style='cursor: pointer' onclick=\"said.textContent = 'node'\"><circle cx=250 cy=50 r=20 /><text x=240 y=90>Node A</text></g>\
    <g role=button aria-label=Zoom><circle cx=200 cy=50 r=9 /></g></svg>\
    <svg width=100 height=50><title>Sales</title><text id=axis x=5 y=20>Axis 12</text></svg><p id=said></p>";

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn texts_and_clickable_shapes_of_a_drawing_are_shown() {
    let visit = page_of(CHART).await;
    let told = visit.call("browser_snapshot", json!({})).await;
    let shown = told.snapshot();
    assert!(shown.contains("Legend Q1") && shown.contains("img \"Sales\": Axis 12"), "{shown}");
    assert!(!shown.contains("Unused") && shown.lines().count() < 10, "{shown}");
    for (name, said) in [("Feb: 5", "feb"), ("Toggle series", "legend"), ("Node A", "node")] {
        visit.click(&reference(shown, name)).await.done();
        assert_eq!(visit.said().await, said);
    }
    reference(shown, "button \"Zoom\"");
    for text in ["Legend", "Feb: 5", "Axis 12"] {
        let found = visit.call("browser_find", json!({"text": text})).await;
        assert_eq!(found.done()["total"], 1, "{text}: {}", found.text());
    }
    visit.value("() => { said.onclick = () => { axis.textContent = 'Axis 13'; }; }").await;
    let told = visit.click("#said").await;
    assert!(told.changes().contains("Axis 13") && !told.changes().contains("Legend"), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn shape_is_clicked_where_it_is_painted() {
    let visit = page_of(
        "<svg width=200 height=200><path id=arc style='cursor: pointer' fill=none stroke=red stroke-width=12 \
        d='M20 100 A80 80 0 1 1 180 100' onclick=\"said.textContent = 'arc'\"><title>Costs</title></path></svg><p id=said></p>",
    )
    .await;
    let told = visit.call("browser_snapshot", json!({})).await;
    visit.click(&reference(told.snapshot(), "Costs")).await.done();
    assert_eq!(visit.said().await, "arc");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn icons_and_shapes_without_a_meaning_are_not_shown() {
    let paths = "<path d='M0 0L9 9'/>".repeat(300);
    let visit = page_of(&format!(
        "<button style='cursor: pointer'>Save <svg width=16 height=16><g><title>icon/save</title>{paths}</g></svg></button>\
        <svg width=16 height=16><g><title>icon/star</title>{paths}</g></svg>\
        <div style='cursor: pointer'>Open <svg width=16 height=16>{paths}</svg></div><svg width=600 height=300>{paths}</svg>"
    ))
    .await;
    let told = visit.call("browser_snapshot", json!({})).await;
    let shown = told.snapshot();
    assert!(shown.lines().count() == 2 && !shown.contains("icon/") && !shown.contains("img"), "{shown}");
    let many = "<rect width=9 height=9 style='cursor: pointer' />".repeat(300);
    let visit = page_of(&format!("<svg width=600 height=300>{many}</svg>")).await;
    let told = visit.call("browser_snapshot", json!({})).await;
    assert!(told.snapshot().lines().count() < 20, "{}", told.snapshot());
}

/// A switch and a list as libraries draw them: the field is hidden inside the widget, and its label is elsewhere. The
/// widget handles the click itself.
const HIDDEN_FIELDS: &str = "<style>.h { position: absolute; width: 0; height: 0; opacity: 0 } .w { width: 200px; border: 1px solid }</style>\
    <label for=list>Drop</label><p><div id=drop class=w><input class=h id=list readonly role=combobox aria-haspopup=listbox aria-expanded=false><span id=shown>Pick</span></div>\
    <ul role=listbox id=options hidden><li role=option>One<li role=option>Two</ul>\
    <p><label for=power>Power</label><p><div id=switch class=w><input class=h type=checkbox role=switch id=power><span id=state>off</span></div>";
const HANDLERS: &str = "() => {
    drop.onclick = ({ target }) => { if (target !== list) options.hidden = !options.hidden; };
    options.onclick = ({ target }) => { shown.textContent = target.textContent; options.hidden = true; };
    document.querySelector('#switch').onclick = (event) => {
        event.preventDefault();
        const on = state.textContent === 'off';
        state.textContent = on ? 'on' : 'off';
        setTimeout(() => { power.checked = on; }, 30);
    }; }";

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn hidden_field_is_clicked_through_the_widget_that_contains_it() {
    let (visit, told) = page_with(HIDDEN_FIELDS, HANDLERS).await;
    visit.click(&reference(told.snapshot(), "switch \"Power\"")).await.done();
    visit.wait_for("on").await;
    let checked = "() => [power.checked, state.textContent].join()";
    assert_eq!(visit.value(checked).await, "true,on");
    let field = |value: &str| json!({"fields": [{"target": "#power", "type": "checkbox", "value": value}]});
    for (value, state) in [("true", "true,on"), ("false", "false,off"), ("false", "false,off"), ("true", "true,on")] {
        visit.call("browser_fill_form", field(value)).await.done();
        assert_eq!(visit.value(checked).await, state, "{value}");
    }
    let told = select(&visit, "#list", &["Two"]).await;
    assert_eq!(told.done()["selected"], json!(["Two"]), "{}", told.text());
    assert_eq!(visit.value("() => shown.textContent").await, "Two");
}

/// A label beside the field is pressed if nothing else shows the field.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn hidden_field_is_clicked_through_its_label_in_a_form() {
    let visit = page_of(
        "<style>input { position: absolute; opacity: 0; width: 0 }</style>\
        <div><input type=checkbox id=one><label for=one>One</label></div>\
        <div>Choose <input type=radio name=r id=two><input type=radio name=r id=three></div><label for=two>Two</label>",
    )
    .await;
    for id in ["one", "two"] {
        visit.click(&format!("#{id}")).await.done();
        assert_eq!(visit.value(&format!("() => {id}.checked")).await, true, "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn box_that_cannot_be_set_says_its_state() {
    let visit = page_of("<input type=checkbox id=box onclick='event.preventDefault()'>").await;
    let fields = json!({"fields": [{"target": "#box", "value": "true"}]});
    let told = visit.call("browser_fill_form", fields).await;
    assert!(told.refused().1.contains("it is off"), "{}", told.text());
}

const FADING: &str = "<style>.box { transition: opacity .25s } .hide { opacity: 0 }</style><h1>Fade</h1><p>What stays on the page when its dialog and its message have gone</p><button>Stay here</button>\
    <div id=dialog role=dialog aria-label=Sure class=box>Body <button id=agree>Agree</button></div>\
    <div id=toast role=alert class=box>Draft saved <button id=shut aria-label='Close toast'>x</button></div>";
const FADES: &str = "() => {
    agree.onclick = () => { dialog.classList.add('hide'); dialog.ontransitionend = () => { dialog.hidden = true; }; };
    shut.onclick = () => { toast.classList.add('hide'); toast.ontransitionend = () => toast.remove(); }; }";

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn what_fades_after_a_click_is_reported_as_gone() {
    let (visit, told) = page_with(FADING, FADES).await;
    for (button, gone) in [("Close toast", "gone: alert"), ("Agree", "gone: dialog \"Sure\"")] {
        let told = visit.click(&reference(told.snapshot(), button)).await;
        assert!(told.changes().contains(gone), "{gone}: {}", told.text());
    }
}

/// Neither an endless animation nor a change of colour delays a reply.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn click_does_not_wait_for_animations_without_an_end_or_an_effect() {
    let visit = page_of(
        "<style>@keyframes turn { to { transform: rotate(1turn) } } @keyframes grow { to { transform: scale(3) } }\
        #spinner { animation: turn 1s infinite } #long { transition: opacity 9s } button { transition: background 9s, opacity .3s }\
        button:hover { background: red; opacity: .8 }</style>\
        <p id=spinner>Busy</p><p id=long>Long</p><button onclick=\"document.querySelector('#long').style.opacity = 0\">Go</button>",
    )
    .await;
    visit.call("browser_snapshot", json!({})).await.done();
    let began = std::time::Instant::now();
    for _ in 0..3 {
        visit.click("text=Go").await.done();
    }
    assert!(began.elapsed() < std::time::Duration::from_millis(900), "{:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn message_that_was_waited_for_is_not_reported_as_new_again() {
    let (visit, _) = page_with(
        "<label>Password <input id=password></label><button id=send>Sign in</button><p id=message></p>",
        "() => { send.onclick = () => {
            send.textContent = 'Signing in…';
            message.textContent = '';
            setTimeout(() => { send.textContent = 'Sign in'; message.textContent = password.value === 'secret' ? 'Welcome' : 'Wrong password'; }, 700);
        }; }",
    )
    .await;
    let fill = |value: &str| json!({"target": "#password", "value": value});
    visit.call("browser_fill", fill("bad")).await.done();
    let told = visit.click("#send").await;
    assert!(told.text().contains("Signing in…"), "{}", told.text());
    visit.wait_for("Wrong password").await;
    visit.value("() => { const { onclick } = send; send.onclick = () => setTimeout(onclick, 200); }").await;
    visit.call("browser_fill", fill("secret")).await.done();
    let told = visit.click("#send").await;
    assert!(!told.text().contains("Wrong password"), "{}", told.text());
}

/// A list that a click opens, with options that come after `ms`. Escape closes it.
async fn loading_list(field: &str, role: &str, ms: u32, options: &str) -> Visit {
    page_with(
        &format!(
            "{field}<div id=list role={role} hidden style='width: 200px; border: 1px solid'></div><button id=next>Next</button>"
        ),
        &format!(
            "() => {{ const field = document.querySelector('#field');
            const show = (is) => {{ list.hidden = !is; field.ariaExpanded = String(is); }};
            document.onkeydown = ({{ key }}) => {{ if (key === 'Escape') show(false); }};
            field.onclick = () => {{
                if (!list.hidden) return show(false);
                show(true);
                list.innerHTML = '<div role=option aria-disabled=true>Loading…</div>';
                setTimeout(() => {{ list.innerHTML = {options}; }}, {ms});
            }};
            list.onclick = ({{ target }}) => {{
                if (list.ariaMultiSelectable) return target.setAttribute('aria-selected', 'true');
                field.textContent = target.textContent;
                show(false);
            }}; }}",
            options = json!(options),
        ),
    )
    .await
    .0
}

const FIELD: &str = "<div id=field role=combobox tabindex=0 aria-label=Remote aria-expanded=false aria-controls=list style='width: 200px'>Choose</div>";
const OPTIONS: &str = "<div role=option>Alpha</div><div role=option>Beta</div>";

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn list_that_loads_its_options_is_awaited() {
    let visit = loading_list(FIELD, "listbox", 1_200, OPTIONS).await;
    let told = select(&visit, "#field", &["Beta"]).await;
    assert_eq!(told.done()["selected"], json!(["Beta"]), "{}", told.text());
    assert_eq!(visit.value("() => field.textContent").await, "Beta");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn list_without_the_option_is_closed_again() {
    let visit = loading_list(FIELD, "listbox", 0, OPTIONS).await;
    let told = select(&visit, "#field", &["Gamma"]).await;
    assert!(told.refused().1.contains("\"Alpha\", \"Beta\""), "{}", told.text());
    assert_eq!(visit.value("() => list.hidden").await, true);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn options_of_trees_and_menus_are_chosen() {
    let field = FIELD.replace("aria-controls=list", "");
    for (list, option) in [("tree", "treeitem"), ("menu", "menuitemcheckbox"), ("grid", "gridcell")] {
        let options = OPTIONS.replace("role=option", &format!("role={option}"));
        let visit = loading_list(&field, list, 0, &options).await;
        let told = select(&visit, "#field", &["Beta"]).await;
        assert_eq!(told.done()["selected"], json!(["Beta"]), "{list}: {}", told.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn list_of_several_choices_is_closed_after_the_last() {
    let visit = loading_list(FIELD, "listbox aria-multiselectable=true", 0, OPTIONS).await;
    let told = select(&visit, "#field", &["Alpha", "Beta"]).await;
    assert_eq!(told.done()["selected"], json!(["Alpha", "Beta"]), "{}", told.text());
    let state = "() => [list.hidden, document.querySelectorAll('[aria-selected=true]').length].join()";
    assert_eq!(visit.value(state).await, "true,2");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn content_that_hovering_opens_is_reported() {
    let (visit, told) = page_with(
        "<div id=card style='width: 100px; height: 30px'>Card<div id=acts hidden><button>Remove</button></div></div>\
        <button id=late>Late</button><div id=menu role=menu hidden><div role=menuitem tabindex=-1>Sub item</div></div><button>Still</button>",
        "() => { card.onmouseenter = () => { acts.hidden = false; };
            late.onmouseenter = () => setTimeout(() => { menu.hidden = false; }, 100); }",
    )
    .await;
    for (target, opens) in [("#card", "Remove"), ("#late", "Sub item")] {
        let told = visit.call("browser_hover", json!({"target": target})).await;
        assert!(told.text().contains(opens), "{target}: {}", told.text());
    }
    let told = visit.call("browser_hover", json!({"target": reference(told.snapshot(), "Still")})).await;
    assert!(!told.text().contains("###"), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn list_that_draws_only_the_options_on_the_screen_is_searched() {
    let visit = page_with(
        "<div id=city role=combobox tabindex=0 aria-label=City aria-expanded=false aria-controls=list style='width: 200px'>Pick</div>\
        <div id=list role=listbox hidden style='height: 150px; width: 200px; overflow: auto; position: absolute'>\
        <div id=inner style='position: relative; height: 3000px'></div></div>",
        "() => {
            const draw = () => {
                const first = Math.floor(list.scrollTop / 30);
                inner.innerHTML = Array.from({ length: 7 }, (_, at) =>
                    `<div role=option style='position: absolute; height: 30px; top: ${(first + at) * 30}px'>City ${first + at}</div>`).join('');
            };
            const show = (is) => { list.hidden = !is; city.ariaExpanded = String(is); draw(); };
            list.onscroll = draw;
            city.onclick = () => show(list.hidden);
            list.onclick = ({ target }) => { city.textContent = target.textContent; show(false); };
            city.onkeydown = ({ key }) => { if (key === 'Escape') show(false); }; }",
    )
    .await
    .0;
    let told = select(&visit, "#city", &["City 62"]).await;
    assert_eq!(told.done()["selected"], json!(["City 62"]), "{}", told.text());
    assert_eq!(visit.value("() => city.textContent").await, "City 62");
    let told = select(&visit, "#city", &["Paris"]).await;
    assert!(told.refused().1.contains("unknown option \"Paris\""), "{}", told.text());
    assert_eq!(visit.value("() => list.hidden").await, true);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn page_behind_a_closed_dialog_is_not_reported_as_new() {
    let rows: Vec<String> = (0..40).map(|n| format!("<p>Line {n} of the page</p><button>Act {n}</button>")).collect();
    let rows = rows.concat();
    let (visit, told) = page_with(
        &format!(
            "<div id=page><button id=show>Open</button>{rows}<div id=log></div></div>\
            <div id=dialog role=dialog aria-modal=true aria-label=Rename hidden><button id=save>Save</button></div>"
        ),
        "() => {
            show.onclick = () => { dialog.hidden = false; page.setAttribute('aria-hidden', 'true'); };
            save.onclick = () => { dialog.hidden = true; page.removeAttribute('aria-hidden'); log.innerHTML = '<div role=alert>Error: name taken</div>'; }; }",
    )
    .await;
    let told = visit.click(&reference(told.snapshot(), "Open")).await;
    let told = visit.click(&reference(told.text(), "Save")).await;
    let changes = told.changes();
    assert!(changes.contains("Error: name taken"), "{changes}");
    assert!(changes.contains("gone: dialog \"Rename\"") && !changes.contains("Act 0"), "{changes}");
}
