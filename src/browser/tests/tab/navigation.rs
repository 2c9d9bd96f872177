//! Tests of navigation, of settling, and of the reported results.

use std::time::Duration;

use fumi_base::errors::UserError as _;

use super::{
    chromium::Chromium,
    site::{Reply, Site},
};
use crate::{
    errors::BrowserError,
    snapshot::SnapshotRequest,
    tab::{ArrivalNote, TabSettings},
};

fn page(title: &str, body: &str) -> Reply {
    Reply::Page(format!("<!doctype html><title>{title}</title>{body}"))
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn arrival_reports_url_status_and_redirects() {
    let site = Site::new([
        ("/", page("one", "<p id=x>")),
        ("/two", page("two", "")),
        ("/first", Reply::Status(302, "location: /second\r\n", String::new())),
        ("/second", Reply::Status(301, "location: {other}/two\r\n", String::new())),
        ("/client", page("client", "<script>addEventListener('load', () => location.replace('/two'))</script>")),
        ("/nothing", Reply::Status(204, "", String::new())),
        ("/broken", Reply::Status(500, "content-type: text/html\r\n", "<title>oh</title>".to_owned())),
    ])
    .await;
    let it = Chromium::new().await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    let facts = it.tab.observe().await.unwrap();
    assert_eq!((facts.url_changed, facts.title_changed, facts.status), (true, true, Some(200)));
    let facts = it.tab.observe().await.unwrap();
    assert_eq!((facts.url_changed, facts.title_changed, facts.status), (false, false, None));

    let within = it.tab.navigate(&site.url("/#x")).await.unwrap();
    assert_eq!((within.url, within.note), (site.url("/#x"), None));

    let redirected = it.tab.navigate(&site.url("/first")).await.unwrap();
    assert_eq!(redirected.redirects, [site.url("/first"), site.url("/second")]);
    assert_eq!((redirected.url, redirected.status), (site.other("/two"), Some(200)));

    let client = it.tab.navigate(&site.url("/client")).await.unwrap();
    assert_eq!((client.url, client.title.as_str()), (site.url("/two"), "two"));

    let nothing = it.tab.navigate(&site.url("/nothing")).await.unwrap();
    assert_eq!(
        (nothing.url, nothing.status, nothing.note),
        (site.url("/two"), Some(204), Some(ArrivalNote::NoContent))
    );

    let broken = it.tab.navigate(&site.url("/broken")).await.unwrap();
    assert_eq!((broken.status, broken.title.as_str()), (Some(500), "oh"));
    assert_eq!(it.tab.observe().await.unwrap().status, Some(500));

    let none = it.tab.navigate("http://127.0.0.1:1/").await.unwrap_err();
    assert!(matches!(&none, BrowserError::PageNotLoaded { reason, .. } if reason.starts_with("net::ERR_")), "{none}");
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn back_and_forward_over_documents_and_within_one() {
    let site = Site::new([("/", page("one", "<p>first")), ("/two", page("two", "<p>second"))]).await;
    let it = Chromium::new().await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    it.tab.navigate(&site.other("/two")).await.unwrap();
    it.act("history.pushState(0, '', '/three')").await.unwrap();
    assert_eq!(it.tab.url(), site.other("/three"));

    assert_eq!(it.tab.back().await.unwrap().url, site.other("/two"));
    let back = it.tab.back().await.unwrap();
    assert_eq!((back.url, back.title.as_str()), (site.url("/"), "one"));
    let text = it.tab.snapshot(&SnapshotRequest::default()).await.unwrap().text;
    assert!(text.contains("first"), "{text}");
    assert_eq!(it.tab.forward().await.unwrap().title, "two");
    it.tab.forward().await.unwrap();
    assert_eq!(it.tab.forward().await.unwrap_err().entry(), "NO_HISTORY");
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_page_that_never_ends_is_taken_as_it_is() {
    let settings =
        TabSettings { load: Duration::from_millis(700), commit: Duration::from_millis(900), ..TabSettings::default() };
    let site = Site::new([
        ("/", page("endless", "<img src='/never'><p>There")),
        ("/endless", Reply::Endless("<title>half</title><p>Half of it".to_owned())),
        ("/never", Reply::Never),
    ])
    .await;
    let it = Chromium::with(settings).await;
    for (path, title, part) in [("/", "endless", "There"), ("/endless", "half", "Half of it")] {
        let arrival = it.tab.navigate(&site.url(path)).await.unwrap();
        assert_eq!((arrival.title.as_str(), arrival.note), (title, Some(ArrivalNote::StillLoading)));
        assert!(it.tab.observe().await.unwrap().still_loading);
        let text = it.tab.snapshot(&SnapshotRequest::default()).await.unwrap().text;
        assert!(text.contains(part), "{text}");
    }
    let late = it.tab.navigate(&site.url("/never")).await.unwrap_err();
    assert_eq!(late.entry(), "BROWSER_TOO_LATE", "{late}");
    assert_eq!(it.tab.navigate(&site.url("/")).await.unwrap().title, "endless");
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn act_waits_only_for_its_own_requests() {
    let site = Site::new([
        ("/", page("one", "<p id=out>old</p><a href='/two'>two</a><form action='/two'><button>send</button></form>")),
        ("/two", page("two", "<p>second")),
        ("/data", Reply::Held("new".to_owned())),
        ("/stream", Reply::Never),
    ])
    .await;
    let it = Chromium::new().await;
    for act in [
        "document.querySelector('a').click()",
        "document.querySelector('form').requestSubmit()",
        "setTimeout(() => location.assign('/two'))",
        "fetch('/two').then(() => { location.href = '/two' })",
    ] {
        it.tab.navigate(&site.url("/")).await.unwrap();
        it.act(act).await.unwrap();
        assert!(it.tab.url().starts_with(&site.url("/two")), "{act}: {}", it.tab.url());
        assert_eq!(it.tab.title().await, "two", "{act}");
    }

    it.tab.navigate(&site.url("/")).await.unwrap();
    site.release();
    it.act("fetch('/data').then((it) => it.text()).then((text) => { out.textContent = text })").await.unwrap();
    assert_eq!(it.value("out.textContent").await, "\"new\"");

    // A request that the act starts and that never ends delays the act for a bounded time only.
    it.act("void fetch('/stream')").await.unwrap();
    it.tab.navigate(&site.url("/")).await.unwrap();
    it.act("location.href = 'javascript:void 0'").await.unwrap();
    assert_eq!(it.tab.url(), site.url("/"));
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn earlier_requests_do_not_delay_an_act() {
    let site = Site::new([("/", page("one", "<p id=out>")), ("/stream", Reply::Never)]).await;
    // A wait for the stream would never end.
    let it = Chromium::with(TabSettings { fetch: Duration::from_hours(1), ..TabSettings::default() }).await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    let last = it.tab.state().network.last();
    it.value("void fetch('/stream')").await;
    it.tab.until(|state| (state.network.last() > last).then_some(())).await;
    it.act("out.textContent = 'quick'").await.unwrap();
    assert_eq!(it.value("out.textContent").await, "\"quick\"");
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_crashed_tab_says_so_and_goes_on_with_another_page() {
    let site = Site::new([("/", page("one", "<button>Alive</button>"))]).await;
    let it = Chromium::new().await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    it.crash();
    it.tab.until(|state| state.has_crashed.then_some(())).await;
    assert!(it.tab.observe().await.unwrap().crashed);
    assert_eq!(it.tab.snapshot(&SnapshotRequest::default()).await.unwrap_err().entry(), "TAB_CRASHED");
    assert_eq!(it.act("1").await.unwrap_err().entry(), "TAB_CRASHED");
    let arrival = it.tab.navigate(&site.url("/")).await.unwrap();
    assert_eq!(arrival.status, Some(200));
    assert!(!it.tab.observe().await.unwrap().crashed);
    let text = it.tab.snapshot(&SnapshotRequest::default()).await.unwrap().text;
    assert!(text.contains("Alive"), "{text}");
    assert_eq!(it.tab.title().await, "one");
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn refs_of_the_page_before_are_stale_and_never_another_element() {
    let site = Site::new([("/", page("one", "<button>A</button>")), ("/two", page("two", "<button>B</button>"))]).await;
    let it = Chromium::new().await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    let first = it.tab.locate(&crate::target::Target::Written("button".to_owned())).await.unwrap().reference;
    it.tab.navigate(&site.url("/two")).await.unwrap();
    let second = it.tab.locate(&crate::target::Target::Written("button".to_owned())).await.unwrap().reference;
    assert_ne!(first, second);
    let stale = it.tab.locate(&crate::target::Target::Written(first)).await.unwrap_err();
    assert_eq!(stale.entry(), "STALE_REF", "{stale}");
}
