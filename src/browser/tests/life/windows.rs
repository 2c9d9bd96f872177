//! Tests of windows that pages open and close by themselves, in any number.

use super::*;

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
    let shown = |tabs: &[crate::TabInfo]| tabs.iter().map(|tab| tab.url.clone()).collect::<Vec<_>>();
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
