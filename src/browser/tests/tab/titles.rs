//! Tests of the titles of pages that have just arrived.

use super::{
    chromium::Chromium,
    site::{Reply, Site},
};
use crate::{BrowserService, BrowserSettings, SessionOwner};

fn page(title: &str) -> Reply {
    Reply::Page(format!("<!doctype html><title>{title}</title>"))
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_page_after_a_crash_has_its_title_every_time() {
    let site = Site::new([("/", page("one"))]).await;
    let it = Chromium::new().await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    for round in 0..8 {
        it.crash();
        it.tab.until(|state| state.has_crashed.then_some(())).await;
        assert_eq!(it.tab.navigate(&site.url("/")).await.unwrap().title, "one", "{round}");
    }
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_window_has_the_title_of_the_page_that_is_on_its_way_to_it() {
    let popup = "<!doctype html><script src=/held></script><title>popup</title>";
    let site = Site::new([
        ("/", page("opener")),
        ("/popup", Reply::Page(popup.to_owned())),
        ("/held", Reply::Held(String::new())),
    ])
    .await;
    let browser = BrowserService::new(BrowserSettings::default());
    let owner = SessionOwner { principal: "a".to_owned(), mcp_session: None };
    let session = browser.session(&owner, None).await.unwrap();
    let mut tabs = session.lock().await;
    let opener = tabs.open(Some(&site.url("/"))).await.unwrap();
    for number in 1..=4 {
        opener.evaluate("void window.open('/popup')", None).await.unwrap();
        assert_eq!(tabs.take_opened().await.unwrap().len(), 1);
        let window = tabs.select(number).await.unwrap();
        let (title, ()) = tokio::join!(window.title(), async { site.release() });
        assert_eq!(title, "popup", "window {number}");
        assert_eq!(window.observe().await.unwrap().title, "popup");
        tabs.select(0).await.unwrap();
    }
    opener.evaluate("void window.open('')", None).await.unwrap();
    tabs.take_opened().await.unwrap();
    let window = tabs.select(5).await.unwrap();
    assert_eq!(window.title().await, "", "an empty window has none");
    browser.shut_down().await;
}
