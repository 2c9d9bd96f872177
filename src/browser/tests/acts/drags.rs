//! Tests of drags inside a page, and of drops from outside.

use super::page::{Page, at, reason};
use crate::acts::{Aim, DropContent};

const BOARD: &str = "<style>div { width: 120px; height: 60px; margin: 20px; background: #ccc }</style>
    <div id=card draggable=true>Card</div><div id=bin>Bin</div><div id=deaf>Deaf</div>
    <div id=knob style='position:absolute;left:400px;top:20px;width:40px;height:40px'>Knob</div>
    <textarea id=text></textarea><input type=file id=file>
    <script>
      const dropped = [];
      card.addEventListener('dragstart', (event) => event.dataTransfer.setData('text/plain', 'the card'));
      bin.addEventListener('dragover', (event) => event.preventDefault());
      bin.addEventListener('drop', async (event) => {
        event.preventDefault();
        const { files } = event.dataTransfer;
        dropped.push(event.dataTransfer.getData('text/plain'), event.dataTransfer.getData('text/html'));
        for (const file of files) dropped.push(file.name + '=' + await file.text());
      });
      let holds = false;
      knob.addEventListener('pointerdown', (event) => { holds = true; knob.setPointerCapture(event.pointerId); });
      knob.addEventListener('pointermove', (event) => { if (holds) knob.style.left = event.clientX - 20 + 'px'; });
      knob.addEventListener('pointerup', () => { holds = false; });
    </script>";

#[tokio::test]
#[ignore = "needs Chromium"]
async fn native_drag_delivers_its_data() {
    let page = Page::with_body(BOARD).await;
    let (card, bin) = (Aim::Target(at("#card")), Aim::Target(at("#bin")));
    page.tab.drag(&card, &bin).await.expect("dragged");
    let seen = page.seen().await;
    assert_eq!(seen, "pointerdown@card mousedown@card dragstart@card dragenter@bin drop@bin dragend@card", "{seen}");
    assert_eq!(page.value("dropped.splice(0)").await, r#"["the card",""]"#);
    // The pointer is free again: no button is stuck.
    page.tab.click(&bin, &crate::acts::ClickOptions::default()).await.expect("clicked");
    assert!(page.seen().await.ends_with("mouseup@bin click@bin"));
    page.close().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn scripted_drag_follows_the_pointer() {
    let page = Page::with_body(BOARD).await;
    page.tab.drag(&Aim::Target(at("#knob")), &Aim::Point(700.0, 45.0)).await.expect("dragged");
    assert_eq!(page.value("knob.style.left").await, r#""680px""#);
    assert_eq!(page.value("holds").await, "false");
    page.close().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn drop_works_only_on_accepting_elements() {
    let page = Page::with_body(BOARD).await;
    let file = page.file("日記 1.txt", "today");
    let files = DropContent { paths: vec![file], data: Vec::new() };
    page.tab.drop_on(&at("#bin"), &files).await.expect("dropped");
    assert_eq!(
        page.value("new Promise((done) => setTimeout(() => done(dropped.splice(0)), 100))").await,
        r#"["","","日記 1.txt=today"]"#
    );
    let data = DropContent {
        paths: Vec::new(),
        data: vec![("text/plain".to_owned(), "plain".to_owned()), ("text/html".to_owned(), "<b>rich</b>".to_owned())],
    };
    page.tab.drop_on(&at("#bin"), &data).await.expect("dropped");
    assert_eq!(page.value("dropped.splice(0)").await, r#"["plain","<b>rich</b>"]"#);
    page.tab.drop_on(&at("#file"), &files).await.expect("dropped on a file field");
    assert_eq!(page.value("file.files[0].name").await, r#""日記 1.txt""#);
    page.tab.drop_on(&at("#text"), &data).await.expect("dropped on a text field");
    assert_eq!(page.value("text.value").await, r#""plain""#);
    // Chromium would open the file in place of the page.
    let refused = reason(page.tab.drop_on(&at("#deaf"), &files).await);
    assert!(refused.contains("does not accept drops"), "{refused}");
    assert!(page.value("location.protocol").await.contains("http:"));
    page.close().await;
}
