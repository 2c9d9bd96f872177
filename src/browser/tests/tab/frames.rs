//! Frames of this process and of others, in each other, late, gone; hostile ones.

use super::{
    chromium::Chromium,
    site::{Reply, Site},
};
use crate::{snapshot::SnapshotRequest, target::Target};

fn page(body: &str) -> Reply {
    Reply::Page(format!("<!doctype html><title>t</title>{body}"))
}

fn written(target: &str) -> Target {
    Target::Written(target.to_owned())
}

#[tokio::test]
async fn frames_of_any_process_stand_below_their_line() {
    let site = Site::new([
        ("/", page("<h1>Top</h1><iframe src='/same'></iframe><iframe src='{other}/cross'></iframe><p>End</p>")),
        ("/same", page("<button>Same</button>")),
        ("/cross", page("<h2>Cross</h2><iframe src='{here}/deep'></iframe>")),
        ("/deep", page("<button>Deep</button><script>addEventListener('click', (e) => document.title = e.target.localName + e.isTrusted)</script>")),
    ])
    .await;
    let it = Chromium::new().await;
    let arrival = it.tab.navigate(&site.url("/")).await.unwrap();
    assert_eq!(
        (arrival.status, arrival.title.as_str(), arrival.note),
        (Some(200), "t", None)
    );
    let text = it.tab.snapshot(&SnapshotRequest::default()).await.unwrap().text;
    println!("{text}");
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} in {text}"));
    assert!(at("Top") < at("Same") && at("Same") < at("Cross") && at("Cross") < at("Deep") && at("Deep") < at("End"));
    let indent = |part: &str| {
        text.lines()
            .find(|line| line.contains(part))
            .map(|line| line.len() - line.trim_start().len())
    };
    assert_eq!(
        (indent("Top"), indent("Same"), indent("Deep")),
        (Some(0), Some(2), Some(4))
    );

    let deep = it.tab.locate(&written("role=button[name=\"Deep\"]")).await.unwrap();
    assert!(deep.reference.starts_with('f'), "{deep:?}");
    let again = it.tab.locate(&written(&deep.reference)).await.unwrap();
    assert_eq!((again.name.as_str(), again.frame.number), ("Deep", deep.frame.number));
    let point = it.tab.aim(&deep).await.unwrap();
    it.press(point.x, point.y).await.unwrap();
    assert_eq!(
        it.tab.ask::<String>(&deep.frame, "title", ()).await.unwrap(),
        "buttontrue"
    );
}
