//! Tests of a caller's regular expressions: invalid ones, and ones that never end.

use std::time::Duration;

use fumi_base::errors::UserError as _;

use super::page::{Page, at};
use crate::{errors::BrowserError, tab::RequestFilter, views::LineQuery};

/// A pattern with exponential backtracking.
const ENDLESS: &str = "(a+)+$";
/// A timeout that is long enough for an immediate answer, however busy the machine is.
const SOON: Duration = Duration::from_secs(20);

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_pattern_that_never_ends_is_stopped_and_the_page_works_on() {
    let hard = "<button>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab</button>";
    let main = format!("{hard}<iframe src=/in></iframe><iframe src={{other}}/in></iframe>");
    let page = Page::with_pages(&[("/", &main), ("/in", &format!("{hard}<p id=p>In</p>"))]).await;
    let endless = LineQuery::Regex(ENDLESS.to_owned());
    let target = at(&format!("role=button[name=/{ENDLESS}/]"));
    let left = tokio::time::timeout(Duration::from_millis(500), page.tab.find(&endless)).await;
    assert!(left.is_err(), "{left:?}");
    let works = tokio::time::timeout(SOON, page.value("1 + 1")).await;
    assert_eq!(works.expect("the page works on after find"), "2");
    let left = tokio::time::timeout(Duration::from_millis(500), page.tab.locate(&target)).await;
    assert!(left.is_err(), "{left:?}");
    let works = tokio::time::timeout(SOON, page.value("1 + 1")).await;
    assert_eq!(works.expect("the page works on after a target"), "2");
    let works = tokio::time::timeout(SOON, page.tab.find(&LineQuery::Text("In".to_owned()))).await;
    assert_eq!(works.expect("frames work on").expect("found").total, 2);
    page.close().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_pattern_that_cannot_be_read_is_refused_as_such() {
    let page = Page::with_body("<p>text (</p>").await;
    let bad = |error: BrowserError| {
        assert_eq!(error.entry(), "BAD_PATTERN", "{error}");
        let facts = error.facts();
        assert!(facts.iter().all(|(_, fact)| !fact.en.contains('\n')), "{facts:?}");
        facts
    };
    let facts = bad(page.tab.find(&LineQuery::Regex("text (".to_owned())).await.expect_err("bad"));
    assert!(facts.iter().any(|(_, fact)| fact.en.contains("text (")), "{facts:?}");
    let filter = RequestFilter { url: Some("api/(".to_owned()), ..RequestFilter::default() };
    let facts = bad(page.tab.requests(&filter).expect_err("bad"));
    assert!(facts.iter().any(|(_, fact)| fact.en.contains("unclosed group")), "{facts:?}");
    page.close().await;
}
