//! Replies about pages of component libraries: charts, hidden fields inside drawn widgets, popups that fade, lists that
//! load. Each page shows the structure of one fault; none uses a library.

use serde_json::json;

use super::today::page_of;

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
