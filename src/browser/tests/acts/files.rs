//! Tests of passing files to a page.

use super::page::{Page, at, reason};
use crate::acts::{Aim, ClickOptions};

#[tokio::test]
#[ignore = "needs Chromium"]
async fn files_go_to_the_chooser() {
    let page = Page::with_body(
        "<input type=file id=one><label for=many id=label>Attach</label><input type=file id=many multiple hidden>
         <button id=open onclick='one.click()'>Open</button>",
    )
    .await;
    let tab = &page.tab;
    let (a, b) = (page.file("a.txt", "A"), page.file("写真.txt", "B"));
    let both = [a, b];
    assert!(reason(tab.upload(Some(&both)).await).contains("has not opened a file chooser"));

    tab.click(&Aim::Target(at("#open")), &ClickOptions::default()).await.expect("clicked");
    assert_eq!(tab.chooser().map(|chooser| chooser.multiple), Some(false));
    assert!(reason(tab.upload(Some(&both)).await).contains("one file"), "several only where the field takes several");
    tab.upload(Some(&both[1..])).await.expect("given");
    assert_eq!(page.value("one.files[0].text()").await, r#""B""#);
    assert!(page.seen().await.ends_with("input@one change@one"));
    assert!(tab.chooser().is_none());

    tab.click(&Aim::Target(at("#label")), &ClickOptions::default()).await.expect("clicked");
    assert_eq!(tab.chooser().map(|chooser| chooser.multiple), Some(true));
    tab.upload(Some(&both)).await.expect("given to a hidden field");
    assert_eq!(page.value("[...many.files].map((file) => file.name)").await, r#"["a.txt","写真.txt"]"#);
    page.close().await;
}
