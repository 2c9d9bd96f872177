//! Tests of pages that harm their readers, on purpose or not.

use std::time::Duration;

use super::{
    chromium::Chromium,
    site::{Reply, Site},
};
use crate::{
    errors::BrowserError,
    snapshot::SnapshotRequest,
    tab::{MessageLevel, RequestFilter, TabSettings},
};

fn page(body: &str) -> Reply {
    Reply::Page(format!("<!doctype html><title>t</title>{body}"))
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn lone_surrogate_does_not_break_the_page() {
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
    let console = it.tab.console(MessageLevel::Info, false);
    assert!(console.iter().any(|it| it.text == "wrote \u{fffd}"), "{console:?}");
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn recorded_page_data_is_truncated() {
    let body = "<script>
        const long = 'x'.repeat(50_000);
        const head = Object.fromEntries([...Array(9)].map((_, i) => ['x-long-' + i, 'y'.repeat(10_000)]));
        const fetched = fetch('/file?' + long, { headers: head }).catch(() => 0);
        (0, eval)('console.log(1)\\n//# sourceURL=http://' + long);
        fetched.then(() => { document.title = 'done' });
    </script>";
    // Chromium itself limits response headers to 256 KiB.
    let headers: String = (0..9).map(|i| format!("x-long-{i}: {}\r\n", "z".repeat(10_000))).collect();
    let file = Reply::Status(200, Box::leak(headers.into_boxed_str()), "1".to_owned());
    let site = Site::new([("/", page(body)), ("/file", file)]).await;
    let it = Chromium::new().await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    assert_eq!(it.tab.title().await, "done");
    let (requests, _) = it.tab.requests(&RequestFilter::default()).unwrap();
    let file = requests.iter().find(|it| it.url.contains("/file")).unwrap();
    assert_eq!(file.url.chars().count(), 4_001);
    let detail = it.tab.request(file.index, None).await.unwrap();
    for headers in [detail.request_headers, detail.response_headers] {
        let bytes: usize = headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        assert!((50_000..66_000).contains(&bytes), "{bytes}");
        assert_eq!(headers.last().unwrap().1, "3 too long");
    }
    let console = it.tab.console(MessageLevel::Info, false);
    let place = console.iter().find_map(|it| it.place.as_ref()).unwrap();
    assert_eq!(place.chars().count(), 4_001, "{}", place.len());
}

fn short_settings() -> TabSettings {
    let seconds = Duration::from_secs;
    TabSettings { commit: seconds(8), load: seconds(1), answer: seconds(6), ..TabSettings::default() }
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_script_that_never_ends_is_reported_and_stopped_by_a_navigation() {
    let site = Site::new([("/", page("<p>Busy")), ("/next", page("<p>Next"))]).await;
    let it = Chromium::with(short_settings()).await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    for next in ["/", "/next"] {
        it.act("setTimeout(() => { for (;;); }, 50)").await.unwrap();
        tokio::time::sleep(Duration::from_millis(300)).await;
        let busy = it.tab.snapshot(&SnapshotRequest::default()).await.unwrap_err();
        assert!(matches!(&busy, BrowserError::PageBusy { url, .. } if *url == site.url("/")), "{busy}");
        let arrival = it.tab.navigate(&site.url(next)).await.unwrap();
        assert_eq!(arrival.url, site.url(next));
    }
    let text = it.tab.snapshot(&SnapshotRequest::default()).await.unwrap().text;
    assert!(text.contains("Next"), "{text}");
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_link_whose_server_does_not_answer_leaves_the_page_usable() {
    let site = Site::new([("/", page("<a href=/never>Go</a>")), ("/never", Reply::Never)]).await;
    let it = Chromium::with(short_settings()).await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    for script in ["document.links[0].click()", "setTimeout(() => document.links[0].click(), 1500)"] {
        let late = match it.act(script).await {
            Ok(()) => {
                tokio::time::sleep(Duration::from_secs(2)).await;
                it.tab.snapshot(&SnapshotRequest::default()).await.map(drop).unwrap_err()
            }
            Err(late) => late,
        };
        assert!(matches!(late, BrowserError::BrowserTooLate { .. }) && late.to_string().contains("/never"), "{late}");
        let text = it.tab.snapshot(&SnapshotRequest::default()).await.unwrap().text;
        assert!(text.contains("Go"), "{text}");
    }
}
