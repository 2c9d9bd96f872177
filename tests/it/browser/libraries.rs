//! Replies about pages of component libraries: charts, hidden fields inside drawn widgets, popups that fade, lists that
//! load. Each page shows the structure of one fault; none uses a library.

use serde_json::json;

use super::{today::page_of, visit::reference};

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
