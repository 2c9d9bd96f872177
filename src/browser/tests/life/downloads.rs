//! Tests of a session's downloads: from windows that have closed, downloads that are too large, and their total size.

use std::io::Read as _;

use super::*;
use crate::tab::{DownloadLimit, DownloadState, PageDownload};

async fn opened(settings: BrowserSettings) -> (Arc<BrowserService>, crate::SessionGuard, Arc<Tab>) {
    let site = Site::new(|path| match path {
        "/" => "<a href='/file' target=_blank>file</a>".to_owned(),
        "/file" => "@@ a file".to_owned(),
        _ => format!("@@{}", "x".repeat(8 << 20)),
    })
    .await;
    let browser = BrowserService::new(settings);
    let session = browser.session(&owner("a"), None).await.expect("a session");
    let mut tabs = session.lock().await;
    let tab = tabs.open(Some(&site.url("/"))).await.expect("a tab");
    (browser, tabs, tab)
}

/// Returns the only download of a tab once it has ended.
async fn ended(tab: &Tab) -> PageDownload {
    eventually("a download has ended", async || {
        let downloads = tab.downloads();
        downloads.first().is_some_and(|download| download.state != DownloadState::Running)
    })
    .await;
    let mut downloads = tab.downloads();
    assert_eq!(downloads.len(), 1, "{downloads:?}");
    downloads.remove(0)
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_link_to_another_window_is_a_download_of_the_tab() {
    let (browser, tabs, tab) = opened(BrowserSettings::default()).await;
    tab.observe().await.expect("facts");
    evaluate(&tab, "document.querySelector('a').click()").await;
    let download = ended(&tab).await;
    assert_eq!((download.state, download.bytes, download.stopped), (DownloadState::Done, 9, None));
    let told = tab.observe().await.expect("facts").downloads;
    assert_eq!((told.len(), &told[0].id), (1, &download.id));
    let mut copied = String::new();
    let mut file = download.open().expect("a file");
    file.read_to_string(&mut copied).expect("read");
    assert_eq!(copied, "@@ a file");
    assert!(download.open().is_some(), "the file exists until it is removed");
    download.remove_file();
    assert!(download.open().is_none());
    eventually("its window is gone", async || tabs.count() == 1).await;
    browser.shut_down().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_download_that_is_too_large_is_stopped_and_says_so() {
    let (browser, _tabs, tab) =
        opened(BrowserSettings { largest_download: 1 << 20, ..BrowserSettings::default() }).await;
    evaluate(&tab, "location.href = '/large'; 1").await;
    let download = ended(&tab).await;
    assert_eq!((download.state, download.stopped), (DownloadState::Cancelled, Some(DownloadLimit::Large(1 << 20))));
    assert_eq!(download.file, None);
    browser.shut_down().await;
}

/// Lets a page save a file by script, and waits until that download has ended.
async fn saved(tab: &Tab, kib: usize) -> PageDownload {
    let before = tab.downloads().len();
    let save = format!(
        "{{ const a = document.createElement('a'); a.download = 'file'; \
        a.href = URL.createObjectURL(new Blob(['x'.repeat({kib} << 10)])); a.click(); 1 }}"
    );
    evaluate(tab, &save).await;
    eventually("it has ended", async || {
        let ended = |download: &PageDownload| download.state != DownloadState::Running;
        tab.downloads().get(before).is_some_and(ended)
    })
    .await;
    tab.downloads().remove(before)
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn session_budget_removes_reported_downloads() {
    let (browser, _tabs, tab) =
        opened(BrowserSettings { largest_download: 1 << 20, ..BrowserSettings::default() }).await;
    tab.observe().await.expect("facts");
    let first = saved(&tab, 600).await;
    let second = saved(&tab, 600).await;
    assert_eq!(second.stopped, Some(DownloadLimit::Session(1 << 20)));
    assert!(first.open().is_some(), "it has not been reported");
    let told = tab.observe().await.expect("facts");
    let early = saved(&tab, 600).await;
    assert_eq!(early.stopped, Some(DownloadLimit::Session(1 << 20)));
    assert!(first.open().is_some(), "a call that reported it may still copy it");
    let file = first.file.clone().expect("a file");
    drop((first, told));
    let third = saved(&tab, 600).await;
    assert_eq!((third.state, third.stopped), (DownloadState::Done, None));
    assert!(!file.exists() && third.open().is_some());
    browser.shut_down().await;
}
