//! Tests that passwords which a person typed appear in no other element's text.

use super::page::{Page, at};
use crate::views::{ElementQuery, HtmlRequest};

const LOGINS: &str = "<table><tr><td>Password<td><input type=password class=secret><td><button>Show</button></tr>
    <tr><td>Again<td><input type=password><td><button>Show</button></tr></table>
    <ul><li>PIN <input type=password role=spinbutton class=secret> <button>Clear</button><li>Code <button>Clear</button></ul>
    <label>Wrapped <input type=password role=combobox class=secret></label><input type=password class=secret value=''>
    <h2>Key <input type=password class=secret></h2>
    <script>for (const field of document.querySelectorAll('.secret')) {
        field.value = 'hunter2'; field.setAttribute('value', 'hunter2');
    }</script>";

#[tokio::test]
#[ignore = "needs Chromium"]
async fn typed_password_is_not_in_other_names() {
    let page = Page::with_body(LOGINS).await;
    for target in ["role=button[name=\"Show\"]", "role=button[name=\"Clear\"]"] {
        let several = reason_of(&page, target).await;
        assert!(several.contains(" in row ") || several.contains(" in listitem "), "{several}");
        assert!(!several.contains("hunter2"), "{several}");
    }
    let rows = ElementQuery { tag_name: Some("tr".to_owned()), max_results: 9, ..ElementQuery::default() };
    let rows = page.tab.elements(&rows).await.expect("rows").found;
    assert_eq!(rows[0].name, "Password •••• Show");
    let all = ElementQuery { max_results: 99, ..ElementQuery::default() };
    let all = format!("{:?}", page.tab.elements(&all).await.expect("elements"));
    assert!(all.contains("PIN") && !all.contains("hunter2"), "{all}");
    let html = HtmlRequest { target: at("body"), depth: None, max_size: 10_000, exclude: Some("script".to_owned()) };
    let html = page.tab.html(&html).await.expect("markup").text;
    assert!(html.contains("value=\"••••\"") && !html.contains("hunter2"), "{html}");
    page.close().await;
}

/// Returns the candidates of a target with several matches, as a caller reads them.
async fn reason_of(page: &Page, target: &str) -> String {
    let error = page.tab.locator(&at(target)).await.expect_err("several");
    let facts = fumi_base::errors::UserError::facts(&error);
    facts.into_iter().map(|(_, fact)| fact.en).collect::<Vec<_>>().join("\n")
}
