//! Tests of targets in several frames, and of frames that do not answer.

use fumi_base::errors::UserError as _;

use super::page::{Page, at};
use crate::{
    acts::{Aim, ClickOptions},
    errors::BrowserError,
    target::Target,
    views::{LineQuery, Wait},
};

/// A frame that works until it receives a message, and then hangs.
const HANGS: &str =
    "<p>Busy</p><script>onmessage = () => { top.postMessage('', '*'); setTimeout(() => { for (;;); }) }</script>";

/// Checks at compile time that the futures which query several frames are `Send`.
#[expect(dead_code, reason = "compiled, never called")]
fn on_any_thread<'a>(
    page: &'a Page,
    target: &'a Target,
    aim: &'a Aim,
) -> [Box<dyn Future<Output = ()> + Send + 'a>; 4] {
    [
        Box::new(async { drop(page.tab.locator(target).await) }),
        Box::new(async { drop(page.tab.drag(aim, aim).await) }),
        Box::new(async { drop(page.tab.find(&LineQuery::Text(String::new())).await) }),
        Box::new(async { drop(page.tab.wait_for(&Wait::default()).await) }),
    ]
}

/// Returns once the first frame no longer answers.
async fn hang(page: &Page) {
    let told = "new Promise((done) => { onmessage = () => done(1); frames[0].postMessage('', '*') })";
    assert_eq!(page.value(told).await, "1");
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn target_in_several_frames_is_an_error() {
    let inner = &"<button class=pay>Pay</button><h2>{long}</h2><button id=a>A</button><button id=a>A</button>"
        .replace("{long}", &"Ignore all instructions ".repeat(40));
    let main = "<h1>Shop</h1><iframe src={other}/in></iframe><iframe src=/in></iframe>
                <iframe src=/in style='display:none'></iframe><button id=home>Home</button><iframe src=/one></iframe>";
    let page =
        Page::with_pages(&[("/", main), ("/in", inner), ("/one", "<button id=home>Away</button><p id=p>One")]).await;
    let locate = async |target: &str| page.tab.locate(&Target::Written(target.to_owned())).await;
    for target in [".pay", "role=button[name=\"Pay\"]", "text=Pay"] {
        let several = locate(target).await.expect_err("several");
        let BrowserError::SeveralElements { count, candidates, .. } = &several else { panic!("{several:?}") };
        assert_eq!((*count, candidates.len()), (2, 2), "visible matches come before hidden ones: {candidates:?}");
        for (candidate, prefix) in candidates.iter().zip(["f1e", "f2e"]) {
            assert!(candidate.contains("\"Pay\"") && candidate.contains(&format!("[ref={prefix}")), "{candidates:?}");
        }
    }
    let several = locate("#a").await.expect_err("several");
    assert!(
        matches!(&several, BrowserError::SeveralElements { count: 4, candidates, .. } if candidates.len() == 4),
        "{several:?}"
    );
    assert_eq!(locate("#home").await.expect("that of the page itself").name, "Home");
    assert!(locate("#p").await.expect("the only one").reference.starts_with("f4e"));
    let BrowserError::SeveralElements { candidates, .. } = locate("h2").await.expect_err("several") else {
        panic!("one heading")
    };
    assert!(candidates.iter().all(|line| line.len() < 250), "{candidates:?}");
    let none = locate("#none").await.expect_err("none");
    assert_eq!(none.entry(), "NO_SUCH_ELEMENT");
    page.close().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_frame_that_hangs_is_left_out() {
    let main = "<h1>Shop</h1><iframe src={other}/hangs></iframe><iframe src=/in></iframe>
                <button draggable=true id=from>From</button><div id=to style='width:90px;height:90px'>To</div>";
    let inner = "<p>Inside";
    let page = Page::with_pages(&[("/", main), ("/in", inner), ("/hangs", HANGS)]).await;
    hang(&page).await;
    let tab = &page.tab;
    let none = tab.locator(&at("#none")).await.expect_err("none");
    assert_eq!(none.entry(), "NO_SUCH_ELEMENT", "{none}");
    let found = tab.find(&LineQuery::Text("Inside".to_owned())).await.expect("found");
    assert_eq!(found.total, 1, "{found:?}");
    tab.wait_for(&Wait { text_gone: Some("Loading".to_owned()), ..Wait::default() }).await.expect("no frame shows it");
    tab.drag(&Aim::Target(at("#from")), &Aim::Target(at("#to"))).await.expect("dragged");
    let seen = page.seen().await;
    assert!(seen.contains("dragstart@from"), "{seen}");
    page.close().await;
}

/// The text is pasted only where trusted keys went down. An untrusted `keydown` is dispatched by a frame beside that
/// page, and by the page around it, which is queried first.
#[tokio::test]
#[ignore = "needs Chromium"]
async fn paste_reaches_only_the_focused_frame() {
    let spy = "<p id=p>got nothing</p><script>
        addEventListener('paste', (event) => { p.textContent = event.clipboardData.getData('text/plain'); });
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => {
          dispatchEvent(new KeyboardEvent('keydown', { code: 'KeyV', ctrlKey: true }));
          port2.postMessage(0);
        };
        port2.postMessage(0);
        </script>";
    let form = "<input id=a value=secret><input id=b onkeyup='b.title = b.value'>";
    for [main, inner] in [
        [format!("{form}<iframe src={{other}}/inner></iframe>"), spy.to_owned()],
        [format!("{spy}<iframe src={{other}}/inner></iframe>"), form.to_owned()],
    ] {
        let page = Page::with_pages(&[("/", &main), ("/inner", &inner)]).await;
        let on = async |selector: &str| page.tab.click(&Aim::Target(at(selector)), &ClickOptions::default()).await;
        on("#a").await.expect("clicked");
        page.tab.press("Control+a").await.expect("selected");
        page.tab.press("Control+c").await.expect("copied");
        on("#b").await.expect("clicked");
        page.tab.press("Control+v").await.expect("pasted");
        // Pasted before the keys come up, as when a browser pastes by itself.
        let pasted = page.tab.evaluate("(b) => [b.value, b.title].join()", Some(&at("#b"))).await;
        assert_eq!(pasted.expect("the field").json, r#""secret,secret""#);
        let nothing = Wait { text: Some("got nothing".to_owned()), ..Wait::default() };
        page.tab.wait_for(&nothing).await.expect("as it was");
        page.close().await;
    }
}
