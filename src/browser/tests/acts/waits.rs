//! Tests of waiting and finding.

use std::time::Duration;

use fumi_base::errors::UserError as _;

use super::page::{Page, at, reason};
use crate::{
    acts::{Aim, ClickOptions},
    snapshot::SnapshotRequest,
    views::{ElementQuery, HtmlRequest, LineQuery, Wait},
};

fn text(text: &str) -> Wait {
    Wait { text: Some(text.to_owned()), ..Wait::default() }
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn texts_are_waited_for_in_every_frame() {
    let inner = "<p id=p>nothing</p><script>setTimeout(() => p.textContent = 'came late', 700)</script>";
    let main = "<p id=load>Loading</p><script>setTimeout(() => load.remove(), 300)</script><iframe src={other}/inner></iframe>";
    let page = Page::with_pages(&[("/", main), ("/inner", inner)]).await;
    page.tab.wait_for(&text("came late")).await.expect("seen in the frame");
    let gone = Wait { text_gone: Some("Loading".to_owned()), ..Wait::default() };
    page.tab.wait_for(&gone).await.expect("gone");
    let never = Wait { time: Some(Duration::from_millis(300)), ..text("never") };
    let late = reason(page.tab.wait_for(&never).await);
    assert!(late.contains("never") && late.contains("300 ms"), "{late}");
    let long = Wait { time: Some(Duration::from_secs(61)), ..Wait::default() };
    assert!(reason(page.tab.wait_for(&long).await).contains("60 seconds"));
    page.close().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn lines_elements_and_markup_are_found() {
    let row = |row| format!("<li>Order {row} <button>Pay {row}</button>");
    let rows = (0..200).map(row).collect::<Vec<_>>().concat();
    let main = format!("<ul id=list>{rows}</ul><iframe src={{other}}/inner></iframe>");
    let inner = "<button class=pay data-x=1 onclick=''>Pay inside<script>1</script></button>";
    let page = Page::with_pages(&[("/", &main), ("/inner", inner)]).await;
    let found = page.tab.find(&LineQuery::Text("pay 150".to_owned())).await.expect("found");
    assert!(found.total >= 1 && found.lines[0].contains("[ref="), "{found:?}");
    let found = page.tab.find(&LineQuery::Regex("/PAY (\\d+7|inside)/i".to_owned())).await.expect("found");
    assert!(found.lines.iter().any(|line| line.contains("Pay inside")), "{found:?}");
    assert!(reason(page.tab.find(&LineQuery::Regex("(".to_owned())).await).contains("regular expression"));

    let query = ElementQuery {
        role: Some("button".to_owned()),
        attributes: vec![("data-x".to_owned(), "1".to_owned())],
        max_results: 5,
        ..ElementQuery::default()
    };
    let elements = page.tab.elements(&query).await.expect("found");
    assert_eq!((elements.total, elements.found.len()), (1, 1));
    let pay = &elements.found[0];
    assert_eq!((pay.role.as_str(), pay.name.as_str(), pay.visible), ("button", "Pay inside", true));
    let html = HtmlRequest {
        target: crate::target::Target::Written(pay.reference.clone()),
        depth: None,
        max_size: 1_000,
        exclude: None,
    };
    let html = page.tab.html(&html).await.expect("markup");
    assert_eq!((html.text.as_str(), html.cut), (r#"<button class="pay" data-x="1">Pay inside</button>"#, false));
    page.close().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_role_matches_what_a_snapshot_lists() {
    let page = Page::with_body(
        "<div role=slider aria-label=Volume tabindex=0 aria-valuenow=3 style='height:0'></div>
        <div role=slider aria-label=Speed tabindex=0 aria-valuenow=3>3</div>
        <button hidden>Save</button><button>Save</button>",
    )
    .await;
    let shown = page.tab.snapshot(&SnapshotRequest::default()).await.expect("a snapshot").text;
    let listed = shown.lines().find(|line| line.contains("Volume")).expect("the element without an area");
    let found = page.tab.locate(&at("role=slider[name=\"Volume\"]")).await.expect("found");
    assert!(listed.contains(&format!("[ref={}]", found.reference)), "{listed} {}", found.reference);
    let save = Aim::Target(at("role=button[name=\"Save\"]"));
    page.tab.click(&save, &ClickOptions::default()).await.expect("the visible one");
    page.close().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_line_break_separates_words() {
    let page = Page::with_body(
        "<p>Total 10<br>20 pcs</p><table><tr><td>07:30<br>08:15<td>3<br>4</table><p>改行<br>次の行</p>
        <button id=b>First<br>Second</button>",
    )
    .await;
    let shown = page.tab.snapshot(&SnapshotRequest::default()).await.expect("a snapshot").text;
    for line in ["paragraph: Total 10 20 pcs", "row: 07:30 08:15 | 3 4", "paragraph: 改行 次の行"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let button = shown.lines().find(|line| line.contains("button")).expect("the button");
    assert!(button.ends_with(']') && button.contains("button \"First Second\""), "{button}");
    let found = page.tab.find(&LineQuery::Text("Total 10 20".to_owned())).await.expect("found");
    assert_eq!(found.total, 1, "{found:?}");
    page.tab.wait_for(&text("改行 次の行")).await.expect("seen");
    assert_eq!(page.tab.locate(&at("text=First Second")).await.expect("found").role, "button");
    page.close().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn dialog_ends_a_blocked_wait() {
    let page =
        Page::with_body("<p>Order</p><script>onmessage = () => setTimeout(() => alert('Paid?'), 100)</script>").await;
    page.value("postMessage('', '*')").await;
    let waiting = Wait { time: Some(Duration::from_secs(3)), ..text("never") };
    let stopped = page.tab.wait_for(&waiting).await.expect_err("stopped");
    assert_eq!(stopped.entry(), "DIALOG_OPEN", "{stopped}");
    page.tab.handle_dialog(true, None).await.expect("answered");
    page.close().await;
}
