//! Scripts of a caller.

use super::page::{Page, at, reason};
use crate::target::Target;

#[tokio::test]
async fn functions_expressions_and_statements_give_json() {
    let inner = "<button id=inner>Inner</button><script>var here = 'inner'</script>";
    let main = "<title>Main</title><button id=a title=hint>Press</button><iframe src={other}/inner></iframe>
                <script>var mine = { deep: [1, 2] }; JSON.parse = null; Array.prototype.toJSON = undefined</script>";
    let page = Page::of_site(&[("/", main), ("/inner", inner)]).await;
    let json = async |script: &str| page.tab.evaluate(script, None).await.expect("a value").json;
    assert_eq!(json("() => document.title").await, r#""Main""#);
    assert_eq!(
        json("async () => { await null; return mine; };").await,
        r#"{"deep":[1,2]}"#
    );
    assert_eq!(json("function () { return 7 }").await, "7");
    assert_eq!(json("document.title + '!' // done").await, r#""Main!""#);
    assert_eq!(json("await Promise.resolve(3)").await, "3");
    assert_eq!(json("const x = 2; x * 21").await, "42");
    assert_eq!(
        json("({ when: new Date(0), big: 10n, none: undefined, gone: NaN, at: a })").await,
        r#"{"when":"1970-01-01T00:00:00.000Z","big":"10n","gone":"NaN","at":"<button id=\"a\" title=\"hint\"></button>"}"#
    );
    let nothing = page.tab.evaluate("() => {}", None).await.expect("no value");
    assert_eq!((nothing.json.as_str(), nothing.is_undefined), ("null", true));
    assert!(!page.tab.evaluate("null", None).await.expect("null").is_undefined);

    let on = async |script: &str, target: Target| page.tab.evaluate(script, Some(&target)).await.expect("a value").json;
    assert_eq!(on("element => element.title", at("#a")).await, r#""hint""#);
    assert_eq!(on("element.textContent", at("#a")).await, r#""Press""#);
    assert_eq!(
        on("element => [here, element.id, location.hostname]", at("#inner")).await,
        r#"["inner","inner","localhost"]"#
    );
    page.close().await;
}

#[tokio::test]
async fn what_a_script_throws_is_told_with_its_line_and_long_values_are_cut() {
    let page = Page::of("<p>page</p>").await;
    let fails = async |script: &str| reason(page.tab.evaluate(script, None).await);
    assert!(
        fails("() => { throw new TypeError('no way') }")
            .await
            .contains("TypeError: no way")
    );
    assert!(
        fails("() => {\n  const a = 1;\n  nope();\n}")
            .await
            .contains("ReferenceError: nope is not defined (line 3)")
    );
    assert!(fails("() => {").await.contains("SyntaxError"));
    assert!(fails("async () => { throw 'text' }").await.contains("text"));
    assert!(
        fails("() => { const a = {}; a.a = a; return a; }")
            .await
            .contains("circular")
    );

    let long = page.tab.evaluate("'x'.repeat(5000000)", None).await.expect("a value");
    assert_eq!(long.cut, Some(5_000_002));
    assert!(long.json.len() < 300_000 && long.json.starts_with(r#""\"xxx"#));

    let held = page
        .tab
        .evaluate("() => { alert('wait'); document.title = 'after'; return 1 }", None)
        .await
        .expect("held up");
    assert!(held.is_held_up);
    page.tab.handle_dialog(true, None).await.expect("answered");
    assert_eq!(page.value("document.title").await, r#""after""#, "the script went on");

    // One that never ends is stopped when its caller leaves, and the page works on.
    let endless = page.tab.evaluate("() => { for (;;); }", None);
    let left = tokio::time::timeout(std::time::Duration::from_millis(500), endless).await;
    assert!(left.is_err());
    assert_eq!(page.value("1 + 1").await, "2");
    page.close().await;
}
