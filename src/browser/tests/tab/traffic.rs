//! Tests of console, requests and downloads.

use std::time::Duration;

use fumi_base::errors::UserError as _;
use tokio::time::timeout;

use super::{
    chromium::Chromium,
    site::{Reply, Site},
};
use crate::tab::{ArrivalNote, DownloadState, MessageLevel, RequestFilter, RequestPart};

fn page(body: &str) -> Reply {
    Reply::Page(format!("<!doctype html><title>t</title>{body}"))
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn the_console_counts_levels_repeats_and_pages() {
    let site = Site::new([
        ("/", page("<script>
            console.log('%s has %d items, %c100%%', 'cart', 3, 'color: red', { a: 1, b: 'x' }, [1, 2], null, undefined);
            for (let i = 0; i < 5; i++) console.warn('again');
            console.debug('quiet'); console.error(new Error('bad')); console.assert(false, 'not so');
            setTimeout(() => { throw new TypeError('thrown') }); Promise.reject(new Error('rejected'));
            fetch('/missing');
        </script>")),
        ("/favicon.ico", Reply::Status(200, "", String::new())),
        ("/two", page("<script>new Worker(URL.createObjectURL(new Blob(['console.log(\"from a worker\"); while (false);'])))</script>")),
    ])
    .await;
    let it = Chromium::new().await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    let all = it.tab.console(MessageLevel::Debug, false);
    let text =
        all.iter().map(|it| format!("{:?} {} x{}", it.level, it.text, it.repeated)).collect::<Vec<_>>().join("\n");
    println!("{text}");
    assert!(text.contains("Info cart has 3 items, 100% {a: 1, b: \"x\"} [1, 2] null undefined x1"), "{text}");
    assert!(text.contains("Warning again x5"), "{text}");
    assert!(text.contains("Error Assertion failed: not so"), "{text}");
    assert!(text.contains("Error Uncaught TypeError: thrown"), "{text}");
    assert!(text.contains("Error Uncaught (in promise) Error: rejected"), "{text}");
    assert!(text.contains("404"), "{text}");
    let errors = it.tab.console(MessageLevel::Error, false);
    assert_eq!(errors.len(), 5, "{text}");
    assert!(errors[0].place.as_ref().unwrap().starts_with(&site.url("/:")), "{errors:?}");
    let facts = it.tab.observe().await.unwrap();
    assert_eq!((facts.new_console_errors, facts.console.len()), (5, all.len()));
    assert_eq!(it.tab.observe().await.unwrap().new_console_errors, 0);

    it.tab.navigate(&site.url("/two")).await.unwrap();
    it.tab.until(|state| (state.console.count() > 12).then_some(())).await;
    let worker = it.tab.console(MessageLevel::Debug, false);
    assert_eq!(worker.len(), 1, "{worker:?}");
    assert_eq!(it.tab.console(MessageLevel::Debug, true).len(), all.len() + 1);
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn the_console_keeps_the_last_thousand_and_cuts() {
    let site =
        Site::new([("/", page("<script>for (let i = 0; i < 1500; i++) console.log(i + 'x'.repeat(5000))</script>"))])
            .await;
    let it = Chromium::new().await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    it.tab.until(|state| (state.console.count() >= 1_500).then_some(())).await;
    let all = it.tab.console(MessageLevel::Debug, true);
    assert_eq!(all.len(), 1_000);
    let last = all.iter().rfind(|it| it.level == MessageLevel::Info).unwrap();
    assert!(last.text.starts_with("1499x") && last.text.chars().count() == 2_001, "{last:?}");
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn requests_are_found_with_their_parts() {
    let site = Site::new([
        ("/", page("<script>
            Promise.all([fetch('/api/data', { method: 'POST', body: 'q=1', headers: { 'x-mine': 'yes' } }), fetch('/api/missing'),
                fetch('/moved'), fetch('http://127.0.0.1:1/').catch(() => 0)]).then(() => { document.title = 'done' })
        </script><img src='/pixel'><img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>")),
        ("/api/data", Reply::Status(200, "content-type: application/json\r\nx-theirs: 1\r\n", "{\"a\":1}".to_owned())),
        ("/moved", Reply::Status(302, "location: /api/data\r\n", String::new())),
        ("/pixel", Reply::Status(200, "content-type: image/png\r\n", "PNG".to_owned())),
        ("/two", page("two")),
    ])
    .await;
    let it = Chromium::new().await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    assert_eq!(it.tab.title().await, "done");
    let found = |url: &str| {
        let filter = RequestFilter { url: Some(url.to_owned()), ..RequestFilter::default() };
        it.tab.requests(&filter).unwrap().0
    };
    let (all, count) = it.tab.requests(&RequestFilter::default()).unwrap();
    assert_eq!((all.len(), count), (7 + usize::from(!found("favicon").is_empty()), all.len()), "{all:#?}");
    let document = &all[0];
    assert_eq!(
        (document.kind.as_str(), document.status, document.mime.as_deref()),
        ("document", Some(200), Some("text/html"))
    );
    assert!(document.bytes.unwrap() > 0 && document.duration_ms.is_some());
    let posted = &found("/api/data$")[0];
    assert_eq!((posted.method.as_str(), posted.status), ("POST", Some(200)));
    let detail = it.tab.request(posted.index, None).await.unwrap();
    assert_eq!((detail.request_body.as_deref(), detail.response_body.as_deref()), (Some("q=1"), Some("{\"a\":1}")));
    assert!(detail.request_headers.contains(&("x-mine".to_owned(), "yes".to_owned())), "{detail:?}");
    assert!(detail.response_headers.contains(&("x-theirs".to_owned(), "1".to_owned())), "{detail:?}");
    let body = it.tab.request(posted.index, Some(RequestPart::ResponseBody)).await.unwrap();
    assert!(body.request_headers.is_empty() && body.response_body.is_some());
    assert_eq!(found("/moved")[0].status, Some(302));
    assert!(found("127.0.0.1:1/")[0].failure.as_ref().unwrap().starts_with("net::ERR_"));
    let failed = RequestFilter { status: Some((400, 599)), ..RequestFilter::default() };
    assert_eq!(it.tab.requests(&failed).unwrap().0.iter().filter(|it| it.url.contains("/api/")).count(), 1);
    let newest = RequestFilter { method: Some("get".to_owned()), most: 1, ..RequestFilter::default() };
    assert_eq!(it.tab.requests(&newest).unwrap().0.len(), 1);
    assert_eq!(it.tab.request(999, None).await.unwrap_err().entry(), "NO_REQUEST");

    it.tab.navigate(&site.url("/two")).await.unwrap();
    let (page, _) = it.tab.requests(&RequestFilter::default()).unwrap();
    assert!(page[0].url.ends_with("/two"), "{page:?}");
    let before = RequestFilter { all: true, ..RequestFilter::default() };
    assert!(it.tab.requests(&before).unwrap().1 > page.len());
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn downloads_come_by_a_link_and_by_navigating() {
    let site = Site::new([
        ("/", page("<a href='/file' download>get</a><p>Here")),
        ("/file", Reply::Status(200, "content-type: application/octet-stream\r\ncontent-disposition: attachment; filename=\"../a b.bin\"\r\n", "12345".to_owned())),
    ])
    .await;
    let it = Chromium::new().await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    it.tab.observe().await.unwrap();
    it.act("document.querySelector('a').click()").await.unwrap();
    let begun = it.tab.until(|state| (state.downloads.count() > 0).then_some(()));
    timeout(Duration::from_secs(5), begun).await.expect("a download begins");
    timeout(Duration::from_secs(5), it.tab.downloads_ended()).await.unwrap();
    let facts = it.tab.observe().await.unwrap();
    let [download] = &facts.downloads[..] else { panic!("{facts:?}") };
    assert_eq!((download.state, download.bytes), (DownloadState::Done, 5));
    assert_eq!(std::fs::read(download.file.as_ref().unwrap()).unwrap(), b"12345");
    assert!(download.file.as_ref().unwrap().starts_with(it.downloads()));

    let arrival = it.tab.navigate(&site.url("/file")).await.unwrap();
    assert_eq!((arrival.url, arrival.note), (site.url("/"), Some(ArrivalNote::Download)));
    timeout(Duration::from_secs(5), it.tab.downloads_ended()).await.unwrap();
    assert_eq!(it.tab.downloads().len(), 2);
    assert!(it.tab.observe().await.unwrap().downloads.iter().all(|it| it.state == DownloadState::Done));
}
