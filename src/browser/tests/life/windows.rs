//! Tests of windows that pages open and close by themselves, in any number.

use super::*;
use crate::{
    acts::DropContent, errors::BrowserError, snapshot::SnapshotRequest, target::Target, views::ScreenshotOptions,
};

fn shown(tabs: &[crate::TabInfo]) -> Vec<String> {
    tabs.iter().map(|tab| tab.url.clone()).collect()
}

async fn opener() -> (Arc<BrowserService>, crate::SessionGuard, Arc<Tab>, Site) {
    let site = Site::new(|path| format!("<title>{path}</title>")).await;
    let browser = browser();
    let session = browser.session(&owner("a"), None).await.expect("a session");
    let mut tabs = session.lock().await;
    let tab = tabs.open(Some(&site.url("/"))).await.expect("a tab");
    (browser, tabs, tab, site)
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_page_that_opens_windows_without_end_gets_no_more_than_a_session_has() {
    let (browser, mut tabs, tab, _site) = opener().await;
    evaluate(&tab, "for (let i = 0; i < 40; i++) window.open('/popup'); 1").await;
    let mut news = 0;
    eventually("all tabs within the limit exist", async || {
        news += tabs.take_opened().await.expect("the windows").len();
        news == 31
    })
    .await;
    assert_eq!((tabs.count(), tabs.list().await.len()), (32, 32));
    let notice = tabs.take_notice().expect("the limit is reported");
    assert!(notice.en.contains("32") && notice.ja.contains("32"), "{notice:?}");
    assert!(tabs.take_notice().is_none(), "once");
    let full = tabs.open(None).await.expect_err("no room");
    assert!(full.to_string().contains("32"), "{full}");
    tabs.close(Some(31)).await.expect("closed");
    tabs.open(None).await.expect("room again");
    assert!(tabs.take_closed().is_empty(), "a tab that the caller closed is not reported");
    browser.shut_down().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_window_that_never_comes_up_fails_no_act() {
    let (browser, mut tabs, tab, _site) = opener().await;
    // The window lives in the process of its opener, which no longer answers.
    let hang = "setTimeout(() => { window.open('about:blank'); for (;;); }); 1";
    evaluate(&tab, hang).await;
    eventually("it is on its way", async || tabs.is_any_coming()).await;
    assert!(tabs.take_opened().await.expect("no failure").is_empty());
    assert!(tabs.take_opened().await.expect("it is not waited for again").is_empty());
    assert_eq!(tabs.count(), 1);
    browser.shut_down().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn windows_that_close_are_told_once_and_dialogs_of_others_are_seen() {
    let (browser, mut tabs, tab, site) = opener().await;
    evaluate(&tab, "window.two = window.open('/two'); window.three = window.open('/three'); 1").await;
    let opened = tabs.take_opened().await.expect("two");
    assert_eq!(opened.iter().map(|tab| tab.index).collect::<Vec<_>>(), [1, 2]);
    eventually("it has arrived", async || shown(&tabs.list().await)[1] == site.url("/two")).await;
    evaluate(&tab, "window.two.close(); window.three.setTimeout(() => window.three.confirm('Sure?')); 1").await;
    eventually("it is gone", async || tabs.count() == 2).await;
    let closed = tabs.take_closed();
    assert_eq!((closed[0].index, shown(&closed)), (1, vec![site.url("/two")]));
    assert!(tabs.take_closed().is_empty(), "told already");
    eventually("its dialog is seen", async || {
        let dialog = tabs.list().await[1].dialog.clone();
        dialog.is_some_and(|dialog| dialog.message == "Sure?")
    })
    .await;
    browser.shut_down().await;
}

/// Returns a tab with a zone that accepts a drag, and drops a file and a link to it there.
async fn dropped_on(zone: &str) -> (Arc<BrowserService>, crate::SessionGuard, Arc<Tab>) {
    let (browser, tabs, tab, _site) = opener().await;
    let page =
        format!("document.body.innerHTML = `<div id=zone ondragover='event.preventDefault()' {zone}>Zone</div>`; 1");
    evaluate(&tab, &page).await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("secret.txt");
    std::fs::write(&file, "secret").expect("written");
    let link = ("text/uri-list".to_owned(), format!("file://{}", file.display()));
    for dropping in [
        DropContent { paths: vec![file.clone()], data: Vec::new() },
        DropContent { paths: Vec::new(), data: vec![link] },
    ] {
        tab.drop_on(&Target::Written("#zone".to_owned()), &dropping).await.expect("dropped");
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    (browser, tabs, tab)
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_drop_that_the_page_leaves_alone_opens_nothing() {
    let (browser, mut tabs, _tab) = dropped_on("").await;
    assert_eq!(shown(&tabs.take_opened().await.expect("no failure")), [""; 0]);
    assert_eq!(tabs.count(), 1);
    browser.shut_down().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_file_that_chromium_opens_is_not_read() {
    // The page hides the drop from the handler that prevents Chromium from opening the file.
    let (browser, mut tabs, _tab) = dropped_on("ondrop='event.stopPropagation()'").await;
    let opened = tabs.take_opened().await.expect("the files");
    assert!(shown(&opened).iter().all(|url| url.starts_with("file:")), "{opened:?}");
    let tab = tabs.select(opened[0].index).await.expect("selected");
    let refused = |what: &str, error: BrowserError| {
        assert!(matches!(&error, BrowserError::UrlDenied { url, .. } if url.starts_with("file:")), "{what}: {error}");
    };
    refused("snapshot", tab.snapshot(&SnapshotRequest::default()).await.expect_err("a snapshot"));
    refused("evaluate", tab.evaluate("() => document.body.innerText", None).await.expect_err("a value"));
    refused("screenshot", tab.screenshot(&ScreenshotOptions::default()).await.expect_err("a picture"));
    refused("pdf", tab.pdf().await.expect_err("a document"));
    tab.navigate("about:blank").await.expect("it can be left");
    tab.snapshot(&SnapshotRequest::default()).await.expect("read");
    browser.shut_down().await;
}
