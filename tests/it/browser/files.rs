//! Files that pages get and send: only those of the project, and only into its own folder.

use serde_json::{Value, json};

use super::visit::{Visit, eventually};

/// Clicks, and waits until the download is complete. A reply reports when it begins and when it has ended.
async fn downloaded(visit: &Visit, target: &str) -> Value {
    let mut last = visit.click(target).await.done()["downloads"][0].clone();
    eventually("it is whole", async || {
        if last["state"] != "done" {
            let told = visit.call("browser_snapshot", json!({})).await;
            last = told.done()["downloads"][0].clone();
        }
        last["state"] == "done"
    })
    .await;
    last
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_file_of_the_project_is_uploaded() {
    let visit = Visit::new().await;
    visit.sample.file("data/写真.txt", "picture").file("data/b.txt", "second");
    visit.enter("/upload.html").await;
    visit.click("#choose").await.done();
    let files = json!({"paths": ["data/写真.txt", "data/b.txt"]});
    let told = visit.call("browser_file_upload", files).await;
    assert!(told.done().get("file_chooser").is_none(), "{}", told.text());
    assert_eq!(visit.said().await, "写真.txt, b.txt");
    visit.click("#one").await.done();
    visit.call("browser_file_upload", json!({"paths": ["data/b.txt"]})).await.done();
    let told = visit.click("#send").await;
    assert_eq!(told.done()["title"], "Uploaded", "{}", told.text());
    assert!(visit.site.received_at("/upload")[0].text().contains("second"));
    // Without paths the call cancels the chooser.
    visit.enter("/upload.html").await;
    visit.click("#choose").await.done();
    let told = visit.call("browser_file_upload", json!({})).await;
    assert!(told.done().get("file_chooser").is_none(), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn files_outside_the_project_are_not_uploaded() {
    let visit = Visit::new().await;
    let outside = visit.sample.outside().join("secret.txt");
    std::fs::write(&outside, "secret").unwrap();
    std::os::unix::fs::symlink(&outside, visit.sample.root().join("link.txt")).unwrap();
    visit.enter("/upload.html").await;
    for path in [
        "/etc/passwd",
        "../outside/secret.txt",
        outside.to_str().unwrap(),
        "link.txt",
        "none.txt",
        // A folder may hold links that lead outside.
        "src",
    ] {
        visit.click("#choose").await.done();
        let told = visit.call("browser_file_upload", json!({"paths": [path]})).await;
        assert!(told.has_failed(), "{path}: {}", told.text());
        let dropped = json!({"target": "h1", "paths": [path]});
        assert!(visit.call("browser_drop", dropped).await.has_failed(), "{path}");
        visit.enter("/upload.html").await;
    }
    assert_eq!(visit.said().await, "");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn downloads_land_in_the_project() {
    let visit = Visit::new().await;
    visit.enter("/downloads.html").await;
    let download = downloaded(&visit, "text=Report").await;
    assert_eq!((&download["state"], &download["file"]), (&json!("done"), &json!(".fumi/browser/report.csv")));
    assert_eq!(visit.sample.read(".fumi/browser/report.csv"), "id,amount\n1,10\n2,20\n");
    assert_eq!(visit.sample.read(".fumi/.gitignore"), "*\n");
    // A second one of the same name does not replace the first.
    let download = downloaded(&visit, "text=Report").await;
    assert_eq!(download["file"], ".fumi/browser/report (2).csv");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_download_takes_no_name_that_exists() {
    let visit = Visit::new().await;
    visit.enter("/downloads.html").await;
    visit.sample.file(".fumi/browser/report.csv", "first");
    let link = visit.sample.root().join(".fumi/browser/report (2).csv");
    std::os::unix::fs::symlink("nowhere", link).unwrap();
    for number in 4..=999 {
        visit.sample.file(&format!(".fumi/browser/report ({number}).csv"), "kept");
    }
    let download = downloaded(&visit, "text=Report").await;
    assert_eq!(download["file"], ".fumi/browser/report (3).csv", "{download}");
    let download = downloaded(&visit, "text=Report").await;
    let failure = download["failure"].as_str().unwrap_or_default();
    assert!(failure.contains("numbered variants"), "{download}");
    assert_eq!(visit.sample.read(".fumi/browser/report.csv"), "first");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_pdf_that_is_opened_is_a_download() {
    let visit = Visit::new().await;
    visit.enter("/redirects/target.html").await;
    let url = visit.site.url("/media/page.pdf");
    let told = visit.call("browser_navigate", json!({"url": url})).await;
    assert_eq!(told.done()["title"], "Arrived", "{}", told.text());
    eventually("it is whole", async || {
        visit.sample.root().join(".fumi/browser/page.pdf").exists() || {
            visit.call("browser_snapshot", json!({})).await.done();
            false
        }
    })
    .await;
    assert!(visit.sample.read(".fumi/browser/page.pdf").starts_with("%PDF-1.4"));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn windows_that_are_opened_for_downloads_do_not_stay() {
    let visit = Visit::new().await;
    visit.enter("/downloads.html").await;
    visit.value("() => { for (const link of document.links) link.target = '_blank'; }").await;
    for _ in 0..4 {
        downloaded(&visit, "text=Report").await;
    }
    eventually("one tab is left", async || {
        let told = visit.call("browser_tabs", json!({"action": "list"})).await;
        told.done()["tabs"].as_array().unwrap().len() == 1
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_long_download_is_reported_when_it_is_complete() {
    let visit = Visit::new().await;
    visit.enter("/downloads.html").await;
    visit.value("() => { document.querySelector('a[href=\"/download/slow\"]').href += '?pieces=8&ms=100'; }").await;
    let told = visit.click_blindly("text=Slow").await;
    assert_eq!(told.done()["downloads"][0]["name"], "slow.bin", "{}", told.text());
    eventually("it is whole", async || {
        let told = visit.call("browser_snapshot", json!({})).await;
        told.done()["downloads"][0]["state"] == "done"
    })
    .await;
    assert_eq!(visit.sample.read(".fumi/browser/slow.bin").len(), 8 * 1_024);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn a_download_beyond_the_configured_size_is_stopped() {
    let visit = Visit::with(|config| config.browser.download_mib = 1).await;
    visit.enter("/downloads.html").await;
    visit.value("() => { document.querySelector('a[href=\"/download/slow\"]').href += '?pieces=2000&ms=1'; }").await;
    let mut last = visit.click_blindly("text=Slow").await.done()["downloads"][0].clone();
    eventually("it is stopped", async || {
        if last["state"] == "running" {
            let told = visit.call("browser_snapshot", json!({})).await;
            last = told.done()["downloads"][0].clone();
        }
        last["state"] == "cancelled"
    })
    .await;
    let failure = last["failure"].as_str().unwrap_or_default();
    assert!(failure.contains("download_mib"), "{last}");
    assert!(!visit.sample.root().join(".fumi/browser/slow.bin").exists());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn downloads_beyond_the_limit_of_a_call_are_stopped() {
    let visit = Visit::new().await;
    visit.enter("/downloads.html").await;
    // Chromium begins only a few at once.
    let save = "async () => { for (let n = 0; n < 25; n += 1) { save(`${n}.txt`, 'x'); \
        await new Promise((done) => setTimeout(done, 100)); } }";
    let told = visit.call("browser_evaluate", json!({"function": save})).await;
    let downloads = told.done()["downloads"].as_array().unwrap();
    let (stopped, kept): (Vec<_>, Vec<_>) = downloads.iter().partition(|download| download["failure"].is_string());
    assert_eq!((kept.len(), stopped.len()), (20, 5), "{}", told.text());
    assert!(stopped[0]["failure"].as_str().unwrap().contains("more than 20"), "{}", told.text());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn names_of_downloads_stay_names() {
    let visit = Visit::new().await;
    visit.enter("/downloads.html").await;
    downloaded(&visit, "text=A name in Japanese").await;
    assert_eq!(visit.sample.read(".fumi/browser/報告書.txt"), "text\n");
    let download = downloaded(&visit, "text=A name that climbs").await;
    let file = download["file"].as_str().unwrap();
    assert!(file.starts_with(".fumi/browser/") && !file.contains("../"), "{file}");
    for (path, _) in visit.sample.state() {
        let is_evil = path.to_string_lossy().contains("evil");
        assert!(!is_evil || path.starts_with(visit.sample.root().join(".fumi/browser")), "{path:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn pdfs_and_pictures_are_written_where_downloads_are() {
    let visit = Visit::new().await;
    visit.enter("/media/print.html").await;
    let told = visit.call("browser_pdf_save", json!({"filename": "page.pdf"})).await;
    assert_eq!(told.done()["file"], ".fumi/browser/page.pdf");
    let written = std::fs::read(visit.sample.root().join(".fumi/browser/page.pdf")).unwrap();
    assert!(written.starts_with(b"%PDF"));
    let told = visit.call("browser_take_screenshot", json!({"filename": "page.webp"})).await;
    assert_eq!(told.done()["mime_type"], "image/webp");
    assert!(told.images().is_empty());
    assert!(visit.sample.root().join(".fumi/browser/page.webp").is_file());
    // A name without an extension gets that of its format, and a file that was there is said to be replaced.
    for (tool, path, replaced) in [
        ("browser_pdf_save", ".fumi/browser/page.pdf", true),
        ("browser_take_screenshot", ".fumi/browser/page.png", false),
        ("browser_take_screenshot", ".fumi/browser/page.png", true),
    ] {
        let told = visit.call(tool, json!({"filename": "page"})).await;
        let done = told.done();
        assert_eq!((&done["file"], done["replaced"] == true), (&json!(path), replaced), "{done}");
        assert!(told.text().contains(path), "{}", told.text());
        assert_eq!(told.text().contains("replaced the earlier file"), replaced, "{}", told.text());
    }
    let before = visit.sample.state();
    for name in ["../page.pdf", "/tmp/page.pdf", "a/../../page.pdf", ".fumi/../page.pdf"] {
        let told = visit.call("browser_pdf_save", json!({"filename": name})).await;
        assert!(told.has_failed(), "{name}: {}", told.text());
    }
    assert_eq!(visit.sample.state(), before);
}
