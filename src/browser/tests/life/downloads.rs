//! Downloads of a session: of windows that are gone, too large ones, and who has them in the end.

use std::io::Read as _;

use super::*;
use crate::tab::{Download, DownloadState};

async fn opened(settings: Settings) -> (Arc<Browser>, crate::Turn, Arc<Tab>) {
    let site = Site::new(|path| match path {
        "/" => "<a href='/file' target=_blank>file</a>".to_owned(),
        "/file" => "@@ a file".to_owned(),
        _ => format!("@@{}", "x".repeat(8 << 20)),
    })
    .await;
    let browser = Browser::new(settings);
    let session = browser.session(&owner("a"), None).await.expect("a session");
    let mut tabs = session.alone().await;
    let tab = tabs.open(Some(&site.url("/"))).await.expect("a tab");
    (browser, tabs, tab)
}

/// The only download of a tab, when it has ended.
async fn ended(tab: &Tab) -> Download {
    eventually("a download has ended", async || {
        let downloads = tab.downloads();
        downloads
            .first()
            .is_some_and(|download| download.state != DownloadState::Running)
    })
    .await;
    let mut downloads = tab.downloads();
    assert_eq!(downloads.len(), 1, "{downloads:?}");
    downloads.remove(0)
}

#[tokio::test]
async fn a_link_to_another_window_is_a_download_of_the_tab() {
    let (browser, tabs, tab) = opened(Settings::default()).await;
    tab.observe().await.expect("facts");
    evaluate(&tab, "document.querySelector('a').click()").await;
    let download = ended(&tab).await;
    assert_eq!(
        (download.state, download.bytes, download.limit),
        (DownloadState::Done, 9, None)
    );
    let told = tab.observe().await.expect("facts").downloads;
    assert_eq!(told, std::slice::from_ref(&download));
    let mut copied = String::new();
    let mut file = download.open().expect("a file");
    file.read_to_string(&mut copied).expect("read");
    assert_eq!(copied, "@@ a file");
    assert!(download.open().is_some(), "it stays until it is let go");
    download.let_go();
    assert!(download.open().is_none());
    eventually("its window is gone", async || tabs.count() == 1).await;
    browser.shut_down().await;
}

#[tokio::test]
async fn a_download_that_is_too_large_is_stopped_and_says_so() {
    let (browser, _tabs, tab) = opened(Settings {
        largest_download: 1 << 20,
        ..Settings::default()
    })
    .await;
    evaluate(&tab, "location.href = '/large'; 1").await;
    let download = ended(&tab).await;
    assert_eq!(
        (download.state, download.limit),
        (DownloadState::Cancelled, Some(1 << 20))
    );
    assert_eq!(download.file, None);
    browser.shut_down().await;
}
