//! Tests of screenshots, printing and emulated preferences.

use super::page::{Page, at};
use crate::{
    emulate::{EmulatedMedium, Emulation, MotionPreference, PreferredColorScheme},
    views::{Screenshot, ScreenshotFormat, ScreenshotOptions},
};

fn size(picture: &Screenshot) -> (u32, u32) {
    (picture.width, picture.height)
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn pictures_have_the_size_and_form_that_was_asked_for() {
    let inner =
        "<style>body { margin: 0; background: lime }</style><div id=green style='width:90px;height:50px'></div>";
    let main = "<style>body { margin: 0 }</style><div id=box style='width:200.5px;height:100px;background:red'></div>
                <iframe src={other}/inner style='border:0;width:300px;height:100px'></iframe>
                <div style='height:2800px'></div><div id=low style='width:10px;height:2000px;background:blue'></div>";
    let page = Page::with_pages(&[("/", main), ("/inner", inner)]).await;
    let shoot = async |shot: ScreenshotOptions| page.tab.screenshot(&shot).await.expect("a picture");
    let seen = shoot(ScreenshotOptions::default()).await;
    assert_eq!((size(&seen), seen.mime, &seen.bytes[1..4]), ((1280, 720), "image/png", &b"PNG"[..]));
    let small = ScreenshotOptions { max_width: Some(640), max_height: Some(10_000), ..ScreenshotOptions::default() };
    assert_eq!(size(&shoot(small).await), (640, 360));
    let jpeg =
        shoot(ScreenshotOptions { format: ScreenshotFormat::Jpeg, quality: Some(40), ..ScreenshotOptions::default() })
            .await;
    assert_eq!((size(&jpeg), jpeg.mime, &jpeg.bytes[..2]), ((1280, 720), "image/jpeg", &b"\xff\xd8"[..]));
    let webp = shoot(ScreenshotOptions {
        format: ScreenshotFormat::Webp,
        max_height: Some(300),
        ..ScreenshotOptions::default()
    })
    .await;
    assert_eq!((size(&webp), webp.mime), ((533, 300), "image/webp"));
    let full = shoot(ScreenshotOptions { full_page: true, ..ScreenshotOptions::default() }).await;
    assert_eq!((full.width, full.cut), (1280, None));
    assert!(full.height > 4_900, "{}", full.height);
    let element = |selector: &str| ScreenshotOptions { target: Some(at(selector)), ..ScreenshotOptions::default() };
    assert_eq!(size(&shoot(element("#box")).await), (201, 100));
    let tall = shoot(element("#low")).await;
    assert_eq!(size(&tall), (10, 2000), "larger than the viewport");
    let framed = shoot(element("#green")).await;
    assert_eq!(size(&framed), (90, 50));

    page.value("document.getElementById('low').style.height = '40000px'").await;
    let endless =
        shoot(ScreenshotOptions { full_page: true, max_width: Some(64), ..ScreenshotOptions::default() }).await;
    assert_eq!(endless.height, 800);
    assert!(endless.cut.is_some_and(|(shown, of)| shown == 16_000 && of > 42_000), "{:?}", endless.cut);
    page.close().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn pages_are_printed_resized_and_shown_as_their_user_likes_it() {
    let inner = "<script>top.postMessage('', '*'); onmessage = (event) => \
                 event.source.postMessage(matchMedia('(prefers-color-scheme: dark)').matches, '*')</script>";
    let main = "<p>Paper</p><script>const dark = []; onmessage = (event) => dark.push(event.data)</script>
                <iframe src={other}/inner></iframe>";
    let page = Page::with_pages(&[("/", main), ("/inner", inner)]).await;
    let pdf = page.tab.pdf().await.expect("printed");
    assert!(pdf.starts_with(b"%PDF-") && pdf.len() > 1_000, "{}", pdf.len());

    page.tab.resize(800, 600).await.expect("resized");
    assert_eq!(page.value("[innerWidth, innerHeight, screen.width]").await, "[800,600,800]");
    assert!(page.tab.resize(0, 600).await.is_err());
    let picture = page.tab.screenshot(&ScreenshotOptions::default()).await.expect("a picture");
    assert_eq!(size(&picture), (800, 600));

    let like = "['(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)', 'print'].map((it) => matchMedia(it).matches)";
    assert_eq!(page.value(like).await, "[false,false,false]");
    let dark = Emulation { color_scheme: Some(PreferredColorScheme::Dark), ..Emulation::default() };
    page.tab.emulate(&dark).await.expect("dark");
    let rest = Emulation {
        reduced_motion: Some(MotionPreference::Reduce),
        media: Some(EmulatedMedium::Print),
        ..Emulation::default()
    };
    page.tab.emulate(&rest).await.expect("the rest");
    assert_eq!(page.value(like).await, "[true,true,true]", "what was set before stays");
    let asked = "new Promise((done) => { onmessage = (event) => done(event.data); frames[0].postMessage('', '*') })";
    assert_eq!(page.value(asked).await, "true", "in frames of other processes too");
    page.close().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_picture_of_a_huge_element_is_made_smaller_and_says_so() {
    let page =
        Page::with_body("<div id=huge style='width:8000px;height:8000px;background:linear-gradient(red, blue)'></div>")
            .await;
    let huge = ScreenshotOptions { target: Some(at("#huge")), ..ScreenshotOptions::default() };
    let picture = page.tab.screenshot(&huge).await.expect("a picture");
    let pixels = u64::from(picture.width) * u64::from(picture.height);
    assert!((39_000_000..=40_100_000).contains(&pixels), "{:?}", size(&picture));
    assert_eq!((picture.width, picture.cut), (picture.height, None), "all of it");
    assert!(picture.is_reduced);
    let seen = page.tab.screenshot(&ScreenshotOptions::default()).await.expect("a picture");
    assert!(!seen.is_reduced);
    page.close().await;
}
