//! Tests of the isolation of sessions: handles, principals, tabs, cookies, popups.

use super::*;
use crate::{
    ResetReason,
    cookies::{CookieFilter, CookieSameSite, NewCookie},
    errors::BrowserError,
};

#[tokio::test]
#[ignore = "needs Chromium"]
async fn sessions_see_nothing_of_one_another() {
    let site = Site::new(|path| format!("<title>{path}</title>")).await;
    let browser = browser();
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..8 {
        let (browser, url) = (Arc::clone(&browser), site.url(&format!("/{number}")));
        tasks.spawn(async move {
            let session = browser.session(&owner("a"), None).await.expect("a session");
            let mut tabs = session.lock().await;
            let tab = tabs.open(Some(&url)).await.expect("a tab");
            let seen = "[document.cookie, localStorage.getItem('n')].join()";
            let before = evaluate(&tab, seen).await;
            let set = format!("document.cookie = 'n={number}; path=/'; localStorage.setItem('n', {number}); {seen}");
            (
                number,
                before,
                evaluate(&tab, &set).await,
                tabs.list().await,
                tabs.cookies(&CookieFilter::default()).await,
            )
        });
    }
    for (number, before, after, tabs, cookies) in tasks.join_all().await {
        assert_eq!((before.as_str(), after), ("\",\"", format!("\"n={number},{number}\"")));
        assert_eq!(tabs.len(), 1, "{tabs:?}");
        assert_eq!(tabs[0].url, site.url(&format!("/{number}")));
        let cookies = cookies.expect("cookies");
        assert_eq!((cookies.len(), &cookies[0].value), (1, &number.to_string()));
    }
    let diagnosis = browser.diagnose().await;
    assert_eq!((diagnosis.starts, diagnosis.sessions, diagnosis.contexts), (1, 8, 8));
    browser.shut_down().await;
}

#[tokio::test]
async fn a_handle_is_of_its_principal_alone() {
    let browser = browser();
    let session = browser.session(&owner("a"), None).await.expect("a session");
    let handle = session.handle().to_owned();
    assert_eq!((handle.len(), &handle[..2]), (18, "b_"));
    let again = browser.session(&owner("a"), Some(&handle)).await.expect("found again");
    assert!(Arc::ptr_eq(&session, &again));
    for (principal, handle) in [("b", handle.as_str()), ("a", "b_aaaaaaaaaaaaaaaa")] {
        let error = browser.session(&owner(principal), Some(handle)).await.expect_err("nobody's");
        assert!(matches!(&error, BrowserError::NoBrowserSession { handle: named } if named == handle), "{error}");
    }
    assert!(browser.close(&owner("b"), &handle).await.is_err());
    browser.close(&owner("a"), &handle).await.expect("closed");
    assert!(browser.session(&owner("a"), Some(&handle)).await.is_err());
    // A caller that still holds the session cannot start anything with it.
    assert!(matches!(session.lock().await.current().await, Err(BrowserError::NoBrowserSession { .. })));
    assert_eq!(browser.diagnose().await.starts, 0);
}

#[tokio::test]
async fn clients_without_a_handle_have_the_session_of_their_own() {
    let browser = browser();
    let client = |session: &str| SessionOwner { mcp_session: Some(session.to_owned()), ..owner("a") };
    assert!(browser.existing_session(&client("1")).is_none(), "looking up creates no session");
    let one = browser.session(&client("1"), None).await.expect("a session");
    assert!(browser.existing_session(&client("1")).is_some_and(|known| Arc::ptr_eq(&known, &one)));
    assert!(browser.existing_session(&owner("a")).is_none());
    let same = browser.session(&client("1"), None).await.expect("the same");
    let other = browser.session(&client("2"), None).await.expect("another");
    assert!(Arc::ptr_eq(&one, &same) && !Arc::ptr_eq(&one, &other));
    let by_handle = browser.session(&client("2"), Some(one.handle())).await.expect("by handle");
    assert!(Arc::ptr_eq(&one, &by_handle));
}

#[tokio::test]
async fn full_server_evicts_oldest_session_of_largest_owner() {
    let browser = BrowserService::new(BrowserSettings { max_sessions: 3, ..BrowserSettings::default() });
    let open = async |principal: &str| browser.session(&owner(principal), None).await;
    let is_there = async |session: &crate::BrowserSession, principal: &str| {
        let handle = session.handle().to_owned();
        browser.session(&owner(principal), Some(&handle)).await.is_ok()
    };
    let first = open("a").await.expect("a session");
    let second = open("a").await.expect("a session");
    let third = open("a").await.expect("a session");
    drop(first.lock().await);
    let others = open("b").await.expect("room for another");
    assert!(!is_there(&second, "a").await && is_there(&first, "a").await && is_there(&third, "a").await);
    // With two sessions and one, no principal can take more than its share from the other.
    open("a").await.expect("its own session is evicted");
    assert!(!is_there(&third, "a").await && is_there(&others, "b").await);
    let last = open("c").await.expect("a principal with two sessions loses one");
    assert!(!is_there(&first, "a").await);
    let full = open("d").await.expect_err("a principal with one session keeps it");
    assert!(matches!(full, BrowserError::TooManyBrowserSessions { limit: 3 }));
    let turn = last.lock().await;
    assert!(matches!(open("c").await, Err(BrowserError::TooManyBrowserSessions { .. })), "busy");
    drop(turn);
    // A session without pages that was not used for a while is evicted.
    others.state.grow_older(Duration::from_mins(2));
    open("d").await.expect("room");
    assert!(!is_there(&others, "b").await && is_there(&last, "c").await);
}

#[tokio::test]
async fn a_client_learns_once_that_its_session_was_evicted() {
    let browser = BrowserService::new(BrowserSettings { max_sessions: 1, ..BrowserSettings::default() });
    let client = |session: &str| SessionOwner { mcp_session: Some(session.to_owned()), ..owner("a") };
    let open = async |session: &str| browser.session(&client(session), None).await.expect("a session");
    open("unused").await;
    // Its client does not know yet that its tabs are gone.
    open("used").await.state.record_reset(ResetReason::Crash);
    assert_eq!(open("unused").await.lock().await.take_reset_reason(), None, "it had nothing to lose");
    let again = open("used").await;
    let mut tabs = again.lock().await;
    assert_eq!((tabs.take_reset_reason(), tabs.take_reset_reason()), (Some(ResetReason::Evicted), None));
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn popups_become_tabs() {
    let site = Site::new(|path| match path {
        "/" => "<title>opener</title><input id=i>".to_owned(),
        _ => "<title>popup</title><script>window.early = window.opener !== null</script>".to_owned(),
    })
    .await;
    let browser = browser();
    let session = browser.session(&owner("a"), None).await.expect("a session");
    let mut tabs = session.lock().await;
    let opener = tabs.open(Some(&site.url("/"))).await.expect("a tab");
    assert!(tabs.take_opened().await.expect("none").is_empty());
    evaluate(&opener, "window.open('/popup'); 1").await;
    let news = tabs.take_opened().await.expect("a popup");
    assert_eq!(news.iter().map(|tab| (tab.index, tab.current)).collect::<Vec<_>>(), [(1, false)]);
    assert!(tabs.take_opened().await.expect("told already").is_empty());
    // The opener is still in front and has the focus.
    assert_eq!(evaluate(&opener, "[document.visibilityState, document.hasFocus()].join()").await, "\"visible,true\"");
    let popup = tabs.select(1).await.expect("the popup");
    eventually("the popup has loaded", async || evaluate(&popup, "window.early").await == "true").await;
    eventually("its title is known", async || tabs.list().await[1].title == "popup").await;
    assert_eq!(tabs.list().await.iter().map(|tab| tab.current).collect::<Vec<_>>(), [false, true]);
    // If a popup closes itself, its opener becomes the current tab.
    evaluate(&popup, "setTimeout(() => window.close()); 1").await;
    eventually("it is gone", async || tabs.list().await.len() == 1).await;
    assert!(tabs.list().await[0].current);
    tabs.open(None).await.expect("a second");
    tabs.open(None).await.expect("a third");
    tabs.select(1).await.expect("the second");
    tabs.close(None).await.expect("closed");
    assert_eq!(tabs.list().await.iter().map(|tab| tab.current).collect::<Vec<_>>(), [false, true]);
    assert!(matches!(tabs.close(Some(7)).await, Err(BrowserError::NoTab { index: 7, count: 2 })));
    tabs.close(None).await.expect("closed");
    tabs.close(None).await.expect("closed");
    assert!(tabs.list().await.is_empty());
    tabs.current().await.expect("a new one");
    assert_eq!(tabs.list().await[0].url, "about:blank");
    browser.shut_down().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn cookies_are_set_listed_and_removed() {
    let site = Site::new(|_| String::new()).await;
    let browser = browser();
    let session = browser.session(&owner("a"), None).await.expect("a session");
    let mut tabs = session.lock().await;
    assert!(tabs.cookies(&CookieFilter::default()).await.expect("none").is_empty());
    let cookie = |name: &str| NewCookie { name: name.to_owned(), value: "1".to_owned(), ..NewCookie::default() };
    assert!(matches!(tabs.set_cookie(cookie("a")).await, Err(BrowserError::BadBrowserArgument { .. })));
    let tab = tabs.open(Some(&site.url("/x"))).await.expect("a tab");
    tabs.set_cookie(cookie("a")).await.expect("of the page");
    tabs.set_cookie(NewCookie {
        domain: Some(".example.test".to_owned()),
        path: Some("/deep".to_owned()),
        secure: Some(true),
        http_only: Some(true),
        same_site: Some(CookieSameSite::None),
        expires: Some(4_000_000_000.0),
        ..cookie("b")
    })
    .await
    .expect("of another");
    tabs.set_cookie(NewCookie { domain: Some("host.test".to_owned()), ..cookie("c") }).await.expect("of a third");
    let refused = tabs.set_cookie(NewCookie { url: Some("nonsense".to_owned()), ..cookie("d") }).await;
    assert!(matches!(refused, Err(BrowserError::BadBrowserArgument { .. })), "{refused:?}");
    let insecure = NewCookie { same_site: Some(CookieSameSite::None), ..cookie("d") };
    let refused = tabs.set_cookie(insecure).await.expect_err("dropped").to_string();
    assert!(refused.contains("sameSite") && refused.contains("secure true"), "{refused}");
    assert_eq!(evaluate(&tab, "document.cookie").await, "\"a=1\"");
    let names = async |tabs: &mut crate::SessionTabs, filter: CookieFilter| {
        let cookies = tabs.cookies(&filter).await.expect("cookies");
        cookies.into_iter().map(|cookie| cookie.name).collect::<String>()
    };
    assert_eq!(names(&mut tabs, CookieFilter::default()).await, "bac");
    for (filter, expected) in [
        (CookieFilter { name: Some("a".to_owned()), ..CookieFilter::default() }, "a"),
        (CookieFilter { domain: Some("example.test".to_owned()), ..CookieFilter::default() }, "b"),
        (CookieFilter { url: Some("https://w.example.test/deep/er".to_owned()), ..CookieFilter::default() }, "b"),
        (CookieFilter { url: Some("https://w.example.test/deeper".to_owned()), ..CookieFilter::default() }, ""),
        (CookieFilter { url: Some("http://w.example.test/deep".to_owned()), ..CookieFilter::default() }, ""),
    ] {
        assert_eq!(names(&mut tabs, filter).await, expected);
    }
    for (name, left) in [("b", "ac"), ("c", "a"), ("z", "a"), ("a", "")] {
        let filter = CookieFilter { name: Some(name.to_owned()), ..CookieFilter::default() };
        let count = tabs.delete_cookies(&filter).await.expect("deleted");
        assert_eq!((count, names(&mut tabs, CookieFilter::default()).await.as_str()), (usize::from(name != "z"), left));
    }
    tabs.set_cookie(cookie("e")).await.expect("one more");
    tabs.clear_cookies().await.expect("cleared");
    assert_eq!(evaluate(&tab, "document.cookie").await, "\"\"");
    browser.shut_down().await;
}
