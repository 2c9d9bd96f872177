//! Tests of frames: in this process and others, nested, late, removed, and hostile.

use super::{
    chromium::Chromium,
    site::{Reply, Site},
};
use crate::{
    emulate::{Emulation, PreferredColorScheme},
    snapshot::SnapshotRequest,
    tab::AimOptions,
    target::Target,
};

fn page(body: &str) -> Reply {
    Reply::Page(format!("<!doctype html><title>t</title>{body}"))
}

fn written(target: &str) -> Target {
    Target::Written(target.to_owned())
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn frames_of_any_process_stand_below_their_line() {
    let site = Site::new([
        ("/", page("<h1>Top</h1><iframe src='/same'></iframe><iframe src='{other}/cross'></iframe><p>End</p>")),
        ("/same", page("<button>Same</button>")),
        ("/cross", page("<h2>Cross</h2><iframe src='{here}/deep'></iframe>")),
        ("/deep", page("<button>Deep</button><script>addEventListener('click', (e) => document.body.append(e.target.localName + e.isTrusted))</script>")),
    ])
    .await;
    let it = Chromium::new().await;
    let arrival = it.tab.navigate(&site.url("/")).await.unwrap();
    assert_eq!((arrival.status, arrival.title.as_str(), arrival.note), (Some(200), "t", None));
    let text = it.tab.snapshot(&SnapshotRequest::default()).await.unwrap().text;
    println!("{text}");
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} in {text}"));
    assert!(at("Top") < at("Same") && at("Same") < at("Cross") && at("Cross") < at("Deep") && at("Deep") < at("End"));
    let indent =
        |part: &str| text.lines().find(|line| line.contains(part)).map(|line| line.len() - line.trim_start().len());
    assert_eq!((indent("Top"), indent("Same"), indent("Deep")), (Some(0), Some(2), Some(4)));

    let deep = it.tab.locate(&written("role=button[name=\"Deep\"]")).await.unwrap();
    assert!(deep.reference.starts_with('f'), "{deep:?}");
    let again = it.tab.locate(&written(&deep.reference)).await.unwrap();
    assert_eq!((again.name.as_str(), again.frame.number), ("Deep", deep.frame.number));
    let point = it.tab.aim(&deep, AimOptions::default()).await.unwrap();
    it.press(point.x, point.y).await.unwrap();
    it.tab.locate(&written("text=buttontrue")).await.unwrap();
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn frames_come_late_move_between_processes_and_go() {
    let site = Site::new([
        ("/", page("<button onclick=\"show('{here}/a')\">a</button><script>
            function show(url) { let f = document.querySelector('iframe') ?? document.body.appendChild(document.createElement('iframe')); f.src = url }
            </script>")),
        ("/a", page("<p>inside a")),
        ("/b", page("<p>inside b")),
    ])
    .await;
    let it = Chromium::new().await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    let texts = async || it.tab.snapshot(&SnapshotRequest::default()).await.unwrap().text;
    let session = || it.tab.frames().last().unwrap().channel().session().cloned();
    let own = it.tab.page().session().cloned();

    it.act(&format!("show('{}')", site.url("/a"))).await.unwrap();
    assert!(texts().await.contains("inside a"), "{}", texts().await);
    assert_eq!(session(), own);

    it.act(&format!("show('{}')", site.other("/b"))).await.unwrap();
    assert!(texts().await.contains("inside b"), "{}", texts().await);
    assert_ne!(session(), own, "a frame of another site has a process of its own");

    it.act(&format!("show('{}')", site.url("/a"))).await.unwrap();
    assert!(texts().await.contains("inside a"), "{}", texts().await);
    assert_eq!(session(), own);

    it.act(&format!("show('{}')", site.other("/b"))).await.unwrap();
    let inside = it.tab.locate(&written("text=inside b")).await.unwrap();
    it.act("document.querySelector('iframe').remove()").await.unwrap();
    assert_eq!(it.tab.frames().len(), 1);
    let gone = it.tab.locate(&written(&inside.reference)).await.unwrap_err();
    assert_eq!(fumi_base::errors::UserError::entry(&gone), "STALE_REF", "{gone}");
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn preferences_reach_frames_that_come_later() {
    let site = Site::new([
        ("/", page("<p>Top")),
        ("/in", page("<p><script>document.write(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')</script>")),
    ])
    .await;
    let it = Chromium::new().await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    let dark = Emulation { color_scheme: Some(PreferredColorScheme::Dark), ..Emulation::default() };
    it.tab.emulate(&dark).await.unwrap();
    let add = format!(
        "document.body.append(Object.assign(document.createElement('iframe'), {{ src: '{}' }}))",
        site.other("/in")
    );
    it.act(&add).await.unwrap();
    let text = it.tab.snapshot(&SnapshotRequest::default()).await.unwrap().text;
    assert!(text.contains("dark"), "{text}");
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_frame_that_is_covered_or_scrolled_away_is_told_and_reached() {
    let site = Site::new([
        ("/", page("<style>iframe { width: 400px; height: 150px; border: 7px solid; transform: scale(.5); transform-origin: 0 0 }</style>
            <div style='height: 3000px'></div><iframe src='{other}/in'></iframe><div style='height: 3000px'></div>")),
        ("/in", page("<div style='height: 900px'></div><button onclick=\"this.textContent = 'Pressed'\">Press</button><div style='height: 900px'></div>")),
        ("/covered", page("<iframe src='{other}/in'></iframe><div id=veil style='position: fixed; inset: 0'></div>")),
    ])
    .await;
    let it = Chromium::new().await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    let button = it.tab.locate(&written("button")).await.unwrap();
    assert_eq!(button.frame.number, 1);
    let point = it.tab.aim(&button, AimOptions::default()).await.unwrap();
    it.press(point.x, point.y).await.unwrap();
    it.tab.locate(&written("text=Pressed")).await.unwrap();

    it.tab.navigate(&site.url("/covered")).await.unwrap();
    let button = it.tab.locate(&written("button")).await.unwrap();
    let covered = it.tab.aim(&button, AimOptions::default()).await.unwrap_err();
    assert!(covered.to_string().contains("<div#veil>"), "{covered}");
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_hostile_page_cannot_reach_fumi() {
    let site = Site::new([(
        "/",
        Reply::Status(
            200,
            "content-type: text/html\r\ncontent-security-policy: default-src 'none'; script-src 'unsafe-inline'\r\n",
            "<title>h</title><script>
                for (const name of ['JSON', 'Promise', 'Array', 'Map', 'WeakMap', 'Object', 'fumi']) window[name] = undefined;
                Element.prototype.getAttribute = Element.prototype.querySelectorAll = () => { throw new Error('trap') };
                window.requestAnimationFrame = () => {}; document.querySelectorAll = () => [];
            </script><button>Still here</button>"
                .to_owned(),
        ),
    )])
    .await;
    let it = Chromium::new().await;
    it.tab.navigate(&site.url("/")).await.unwrap();
    let text = it.tab.snapshot(&SnapshotRequest::default()).await.unwrap().text;
    assert!(text.contains("button \"Still here\" [ref="), "{text}");
    assert_eq!(it.value("typeof fumi").await, "\"undefined\"");
    it.tab.aim(&it.tab.locate(&written("text=Still here")).await.unwrap(), AimOptions::default()).await.unwrap();
}
