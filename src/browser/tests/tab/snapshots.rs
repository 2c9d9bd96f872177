//! Tests of snapshots: their content, the changes since the last one, and frames that do not answer.

use fumi_base::errors::UserError as _;

use super::{
    chromium::Chromium,
    site::{Reply, Site},
};
use crate::{
    snapshot::{PageSnapshotFormat, SnapshotRequest},
    tab::AimOptions,
    target::Target,
};

fn page(body: &str) -> Reply {
    Reply::Page(format!("<!doctype html><title>t</title>{body}"))
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn changes_contain_working_refs() {
    let rows = (0..30).map(|row| format!("<li>Item <button>Edit {row}</button></li>")).collect::<String>();
    let body = format!("<h1>List</h1><ul>{rows}</ul><iframe src='{{other}}/in'></iframe>");
    let site =
        Site::new([("/", page(&body)), ("/in", page("<button id=b onclick=\"this.textContent='Done'\">Do</button>"))])
            .await;
    let it = Chromium::new().await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    let first = it.tab.changes(400).await.unwrap();
    assert!(first.whole && first.text.contains("List"), "{first:?}");
    assert!(it.tab.changes(400).await.unwrap().text.is_empty());
    it.act("document.querySelector('h1').insertAdjacentHTML('afterend', '<button>Fresh</button>')").await.unwrap();
    let changes = it.tab.changes(400).await.unwrap();
    assert!(!changes.whole && changes.text.contains("Fresh"), "{changes:?}");
    assert!(changes.text.len() < first.text.len() / 4 && !changes.text.contains("Edit 3"), "{changes:?}");
    let reference = changes.text.split("[ref=").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
    let found = it.tab.locate(&Target::Written(reference.to_owned())).await.unwrap();
    assert_eq!(found.name, "Fresh");

    let inside = it.tab.locate(&Target::Written("#b".to_owned())).await.unwrap();
    let point = it.tab.aim(&inside, AimOptions::default()).await.unwrap();
    it.press(point.x, point.y).await.unwrap();
    let changes = it.tab.changes(400).await.unwrap();
    assert!(changes.text.contains("Done") && !changes.whole, "{changes:?}");
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_part_another_form_and_a_limit() {
    let many = (0..400).map(|row| format!("<h2>Heading {row}</h2><p>Text {row}</p>")).collect::<String>();
    let site = Site::new([
        (
            "/",
            page(&format!(
                "<nav>Menu <a href='/x'>X</a></nav><iframe src='{{other}}/in'></iframe>\
                <p>Size <select><option>Small<option selected>Medium</select>, Colour <input value=red>\
                <p><input type=submit value='Send off'><main>{many}</main>"
            )),
        ),
        ("/in", page("<form aria-label=Inner><input aria-label=Mail></form>")),
    ])
    .await;
    let it = Chromium::new().await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    let ask = async |request: SnapshotRequest| it.tab.snapshot(&request).await.unwrap();
    let part =
        ask(SnapshotRequest { target: Some(Target::Written("form".to_owned())), ..SnapshotRequest::default() }).await;
    assert!(part.text.contains("textbox \"Mail\"") && !part.text.contains("Menu"), "{part:?}");
    let text = ask(SnapshotRequest { format: PageSnapshotFormat::Text, ..SnapshotRequest::default() }).await;
    assert!(text.text.contains("Menu") && !text.text.contains("[ref="), "{text:?}");
    assert!(text.text.contains("Size Medium , Colour red") && text.text.contains("Send off"), "{text:?}");
    let html =
        ask(SnapshotRequest { format: PageSnapshotFormat::Html, max_length: Some(500), ..SnapshotRequest::default() })
            .await;
    assert!(html.text.contains("<nav") && html.cut, "{html:?}");
    let short = ask(SnapshotRequest { max_length: Some(600), ..SnapshotRequest::default() }).await;
    assert!(short.cut && short.text.len() < 900 && short.text.contains('…'), "{short:?}");
    let none = SnapshotRequest { target: Some(Target::Written("#no".to_owned())), ..SnapshotRequest::default() };
    assert_eq!(it.tab.snapshot(&none).await.unwrap_err().entry(), "NO_SUCH_ELEMENT");
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_frame_that_hangs_or_crashes_does_not_cost_the_page() {
    let site = Site::new([
        ("/", page("<button>Mine</button><iframe src='{other}/in'></iframe><p>End")),
        ("/in", page("<p>Inside<script>addEventListener('message', () => { for (;;); })</script>")),
    ])
    .await;
    let it = Chromium::new().await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    it.act("frames[0].postMessage(1, '*')").await.unwrap();
    let text = it.tab.snapshot(&SnapshotRequest::default()).await.unwrap().text;
    assert!(text.contains("Mine") && text.contains("does not answer") && text.contains("End"), "{text}");
    let found = it.tab.locate(&Target::Written("text=Mine".to_owned())).await.unwrap();
    assert_eq!(found.name, "Mine");
}
