//! Tests of the policy with a real Chromium: requests that a page tries, and requests that arrive at a site.

use super::*;
use crate::{errors::BrowserError, policy::UrlPolicy};

async fn tab(policy: UrlPolicy) -> (Arc<BrowserService>, Arc<Tab>) {
    let browser = BrowserService::new(BrowserSettings { policy, ..BrowserSettings::default() });
    let session = browser.session(&owner("a"), None).await.expect("a session");
    let tab = session.lock().await.current().await.expect("a tab");
    (browser, tab)
}

fn policy(allow: &[String], deny: &[&str], deny_private: bool) -> UrlPolicy {
    let deny: Vec<String> = deny.iter().map(|host| (*host).to_owned()).collect();
    UrlPolicy::new(allow, &deny, deny_private).expect("patterns")
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn denied_hosts_are_unreachable_by_any_request() {
    let inner = Site::new(|_| "secret".to_owned()).await;
    let target = inner.named("/secret");
    let socket = target.replace("http:", "ws:");
    let site = Site::new({
        let target = target.clone();
        move |path| match path {
            "/redirect" => format!("-> {target}"),
            _ => format!("<title>site</title><img src='{target}?img'><iframe src='{target}?frame'></iframe>"),
        }
    })
    .await;
    let (browser, tab) = tab(policy(&[], &["localhost"], false)).await;
    let arrival = tab.navigate(&site.url("/")).await.expect("allowed");
    assert_eq!((arrival.title.as_str(), arrival.status), ("site", Some(200)));
    for denied in [target.as_str(), "file:///etc/passwd", "view-source:http://127.0.0.1/"] {
        let error = tab.navigate(denied).await.expect_err(denied);
        assert!(matches!(&error, BrowserError::UrlDenied { .. }), "{error}");
    }
    let error = tab.navigate(&site.url("/redirect")).await.expect_err("a redirect");
    assert!(matches!(&error, BrowserError::UrlDenied { url, .. } if *url == target), "{error}");
    tab.navigate(&site.url("/")).await.expect("allowed");
    let tried = format!(
        "(async () => {{
            const fetched = await fetch('{target}?fetch', {{ mode: 'no-cors' }}).then(r => r.type, () => 'failed');
            const socket = await new Promise(done => {{
                const socket = new WebSocket('{socket}');
                socket.onopen = () => done('open');
                socket.onerror = () => done('failed');
            }});
            return [fetched, socket].join();
        }})()"
    );
    // A denied request gets an answer that is as opaque as any other.
    assert_eq!(evaluate(&tab, &tried).await, "\"opaque,failed\"");
    assert!(browser.guard().recent_denial(&target).is_some());
    evaluate(&tab, &format!("window.open('{target}?popup'); 1")).await;
    evaluate(&tab, &format!("new Worker(URL.createObjectURL(new Blob([`fetch('{target}?worker')`]))); 1")).await;
    // This comes last, since the page navigates away afterwards.
    evaluate(&tab, &format!("location.href = '{target}?location'; 1")).await;
    // The pending navigation may still abort another one.
    eventually("it goes on", async || tab.navigate(&site.url("/last")).await.is_ok()).await;
    assert_eq!(inner.asked(), [""; 0]);
    browser.shut_down().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn what_is_allowed_passes_the_gate() {
    let site = Site::new(|path| format!("<title>{path}</title>")).await;
    let (browser, tab) = tab(policy(&[], &["denied.test"], false)).await;
    tab.navigate(&site.named("/name")).await.expect("by name");
    let socket = format!(
        "new Promise(done => {{ new WebSocket('ws://localhost:{}/socket').onerror = () => done('answered') }})",
        site.port
    );
    // The site does not speak WebSocket; only the request for one matters.
    assert_eq!(evaluate(&tab, &socket).await, "\"answered\"");
    let asked = site.asked();
    let host = format!("localhost:{}", site.port);
    assert!(asked.contains(&format!("{host} /name")), "{asked:?}");
    assert!(asked.contains(&format!("{host} /socket upgrade")), "{asked:?}");
    let error = tab.navigate("http://no-such-host.invalid/").await;
    assert!(error.is_err() || error.is_ok_and(|arrival| arrival.status == Some(502)));
    browser.shut_down().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn private_addresses_are_denied_but_for_those_that_are_named() {
    let inner = Site::new(|_| "secret".to_owned()).await;
    let site = Site::new(|path| format!("<title>{path}</title>")).await;
    let named = format!("127.0.0.1:{}", site.port);
    let (browser, tab) = tab(policy(&[named, "*".to_owned()], &[], true)).await;
    tab.navigate(&site.url("/")).await.expect("named");
    for host in
        ["127.0.0.1", "localhost", "a.localhost", "[::1]", "0x7f.1", "2130706433", "0.0.0.0", "[::ffff:127.0.0.1]"]
    {
        let url = format!("http://{host}:{}/", inner.port);
        let error = tab.navigate(&url).await.expect_err(host);
        assert!(matches!(error, BrowserError::UrlDenied { .. }), "{host}: {error}");
        let fetched = evaluate(&tab, &format!("fetch('{url}').then(r => r.status, () => 'failed')")).await;
        assert!(["403", "\"failed\""].contains(&fetched.as_str()), "{host}: {fetched}");
    }
    assert_eq!(inner.asked(), [""; 0]);
    browser.shut_down().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn hostname_is_denied_by_resolved_address() {
    // The policy contains only addresses, not this name, so the denial is based on the address that the name resolves
    // to.
    let inner = Site::new(|_| "secret".to_owned()).await;
    let (browser, tab) = tab(policy(&[], &["127.0.0.1", "[::1]"], false)).await;
    let error = tab.navigate(&inner.named("/")).await.expect_err("denied");
    assert!(matches!(&error, BrowserError::UrlDenied { .. }), "{error}");
    assert_eq!(inner.asked(), [""; 0]);
    browser.shut_down().await;
}
