//! Pages that harm whoever looks at them, on purpose or not.

use super::{
    chromium::Chromium,
    site::{Reply, Site},
};
use crate::{snapshot::SnapshotRequest, tab::Level};

fn page(body: &str) -> Reply {
    Reply::Page(format!("<!doctype html><title>t</title>{body}"))
}

#[tokio::test]
async fn half_a_character_does_not_cost_the_page() {
    let body = "<p id=p></p><button>After</button><script>
        const half = '😀'.slice(0, 1);
        document.title = p.textContent = 'cut ' + half;
        p.setAttribute('aria-label', half);
        console.log('wrote ' + half);
    </script>";
    let site = Site::new([("/", page(body))]).await;
    let it = Chromium::new().await;
    let arrival = it.tab.navigate(&site.url("/")).await.unwrap();
    assert_eq!(arrival.title, "cut \u{fffd}");
    let text = it.tab.snapshot(&SnapshotRequest::default()).await.unwrap().text;
    assert!(text.contains("cut \u{fffd}") && text.contains("After"), "{text}");
    let console = it.tab.console(Level::Info, false);
    assert!(console.iter().any(|it| it.text == "wrote \u{fffd}"), "{console:?}");
}
