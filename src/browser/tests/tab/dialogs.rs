//! Tests of dialogs and file choosers: the page waits, the tab reports it, and an answer lets it go on.

use fumi_base::errors::UserError as _;

use super::{
    chromium::Chromium,
    site::{Reply, Site},
};
use crate::{snapshot::SnapshotRequest, tab::Chooser};

fn page(body: &str) -> Reply {
    Reply::Page(format!("<!doctype html><title>t</title><p id=out>none</p>{body}"))
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn each_kind_stops_the_page_until_it_is_answered() {
    let site = Site::new([("/", page(""))]).await;
    let it = Chromium::new().await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    assert_eq!(it.tab.handle_dialog(true, None).await.unwrap_err().entry(), "NO_DIALOG");
    for (act, kind, accept, typed, out) in [
        ("out.textContent = String(alert('Hello'))", "alert", true, None, "undefined"),
        ("out.textContent = String(confirm('Sure?'))", "confirm", true, None, "true"),
        ("out.textContent = String(confirm('Sure?'))", "confirm", false, None, "false"),
        ("out.textContent = String(prompt('Name?', 'x'))", "prompt", true, Some("Ann"), "Ann"),
        ("out.textContent = String(prompt('Name?', 'x'))", "prompt", true, Some(""), ""),
        ("out.textContent = String(prompt('Name?', 'x'))", "prompt", true, None, "x"),
        ("out.textContent = String(prompt('Name?'))", "prompt", true, None, ""),
        ("out.textContent = String(prompt('Name?', 'x'))", "prompt", false, None, "null"),
    ] {
        it.act(act).await.unwrap();
        let facts = it.tab.observe().await.unwrap();
        let dialog = facts.dialog.unwrap();
        assert_eq!(dialog.kind, kind);
        let stopped = it.tab.snapshot(&SnapshotRequest::default()).await.unwrap_err();
        assert_eq!(stopped.entry(), "DIALOG_OPEN");
        assert_eq!(it.tab.navigate(&site.url("/")).await.unwrap_err().entry(), "DIALOG_OPEN");
        assert_eq!(it.act("1").await.unwrap_err().entry(), "DIALOG_OPEN");
        assert_eq!(it.tab.handle_dialog(accept, typed).await.unwrap(), dialog);
        assert_eq!(it.value("out.textContent").await, format!("{out:?}"));
        assert_eq!(it.tab.observe().await.unwrap().dialog, None);
    }
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn one_after_the_other_and_before_a_navigation() {
    let site = Site::new([
        ("/", page("<script>function two() { alert(1); alert(2); location.href = '/after' }</script>")),
        ("/after", page("<p>After")),
        ("/loading", page("<script>alert('while loading')</script><p>Loaded")),
    ])
    .await;
    let it = Chromium::new().await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    it.act("two()").await.unwrap();
    it.tab.handle_dialog(true, None).await.unwrap();
    assert_eq!(it.tab.dialog().unwrap().message, "2");
    it.tab.handle_dialog(true, None).await.unwrap();
    assert_eq!(it.tab.url(), site.url("/after"));

    it.tab.navigate(&site.url("/loading")).await.unwrap();
    assert_eq!(it.tab.dialog().unwrap().message, "while loading");
    it.tab.handle_dialog(true, None).await.unwrap();
    let text = it.tab.snapshot(&SnapshotRequest::default()).await.unwrap().text;
    assert!(text.contains("Loaded"), "{text}");
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_page_that_asks_before_it_is_left() {
    let site = Site::new([
        (
            "/",
            page(
                "<a href=/after>After</a><script>addEventListener('beforeunload', (event) => event.preventDefault())</script>",
            ),
        ),
        ("/after", page("<p>After")),
    ])
    .await;
    let it = Chromium::new().await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    it.press(10.0, 10.0).await.unwrap();
    let kept = it.tab.navigate(&site.url("/after")).await.unwrap_err();
    assert_eq!(kept.entry(), "DIALOG_OPEN", "{kept}");
    assert_eq!(it.tab.dialog().unwrap().kind, "beforeunload");
    it.tab.handle_dialog(false, None).await.unwrap();
    assert_eq!(it.tab.url(), site.url("/"));
    assert!(!it.tab.observe().await.unwrap().still_loading);

    it.act("document.querySelector('a').click()").await.unwrap();
    it.tab.until(|state| state.dialog.is_some().then_some(())).await;
    it.tab.handle_dialog(false, None).await.unwrap();
    assert!(!it.tab.observe().await.unwrap().still_loading, "nor after a link");

    assert_eq!(it.tab.navigate(&site.url("/after")).await.unwrap_err().entry(), "DIALOG_OPEN");
    it.tab.handle_dialog(true, None).await.unwrap();
    assert_eq!(it.tab.url(), site.url("/after"));
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_dialog_of_a_frame_of_another_process() {
    let site = Site::new([
        ("/", page("<iframe src='{other}/in'></iframe>")),
        (
            "/in",
            page("<script>addEventListener('message', () => { document.title = confirm('From inside') })</script>"),
        ),
    ])
    .await;
    let it = Chromium::new().await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    it.act("frames[0].postMessage(1, '*')").await.unwrap();
    it.tab.until(|state| state.dialog.is_some().then_some(())).await;
    assert_eq!(it.tab.dialog().unwrap().message, "From inside");
    it.tab.handle_dialog(true, None).await.unwrap();
    let inside = it.tab.frames().pop().unwrap();
    assert_eq!(it.tab.ask::<String>(&inside, "title", ()).await.unwrap(), "true");
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_file_chooser_waits_for_files() {
    let site = Site::new([("/", page("<input type=file multiple>"))]).await;
    let it = Chromium::new().await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    it.act("document.querySelector('input').click()").await.unwrap();
    it.tab.until(|state| state.chooser.is_some().then_some(())).await;
    assert_eq!(it.tab.observe().await.unwrap().file_chooser, Some(Chooser { multiple: true }));
    let file = it.downloads().join("a.txt");
    std::fs::write(&file, "abc").unwrap();
    let files = Some(vec![file.to_string_lossy().into_owned()]);
    assert!(it.tab.answer_chooser(files).await.unwrap());
    let read = it.value("document.querySelector('input').files[0].text()").await;
    assert_eq!(read, "\"abc\"");
    assert_eq!(it.tab.observe().await.unwrap().file_chooser, None);
    assert!(!it.tab.answer_chooser(None).await.unwrap());
}
