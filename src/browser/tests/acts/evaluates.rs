//! Tests of evaluating a caller's script.

use super::page::{Page, at, reason};
use crate::target::Target;

#[tokio::test]
#[ignore = "needs Chromium"]
async fn functions_expressions_and_statements_give_json() {
    let inner = "<button id=inner>Inner</button><script>var here = 'inner'</script>";
    let main = "<title>Main</title><button id=a title=hint>Press</button><iframe src={other}/inner></iframe>
                <script>var mine = { deep: [1, 2] }; JSON.parse = null; Array.prototype.toJSON = undefined</script>";
    let page = Page::with_pages(&[("/", main), ("/inner", inner)]).await;
    let json = async |script: &str| page.tab.evaluate(script, None).await.expect("a value").json;
    assert_eq!(json("() => document.title").await, r#""Main""#);
    assert_eq!(json("async () => { await null; return mine; };").await, r#"{"deep":[1,2]}"#);
    assert_eq!(json("function () { return 7 }").await, "7");
    assert_eq!(json("document.title + '!' // done").await, r#""Main!""#);
    assert_eq!(json("await Promise.resolve(3)").await, "3");
    assert_eq!(json("const x = 2; x * 21").await, "42");
    assert_eq!(
        json("const it = new Map([['big', 10n], ['at', a]]); it").await,
        r#"{"big":"10n","at":"<button id=\"a\" title=\"hint\"></button>"}"#
    );
    assert_eq!(json("const it = 10n; it").await, r#""10n""#);
    assert_eq!(json("const it = NaN; it").await, r#""NaN""#);
    assert_eq!(json("const it = Promise.resolve([1]); it").await, "[1]");
    assert_eq!(json("const it = () => 1; it").await, r#""[function it]""#);
    assert_eq!(
        json("({ when: new Date(0), big: 10n, none: undefined, gone: NaN, at: a })").await,
        r#"{"when":"1970-01-01T00:00:00.000Z","big":"10n","gone":"NaN","at":"<button id=\"a\" title=\"hint\"></button>"}"#
    );
    assert_eq!(json("() => {}").await, "null");
    assert_eq!(json("null").await, "null");

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
#[ignore = "needs Chromium"]
async fn a_page_that_replaces_built_ins_returns_json_all_the_same() {
    let body = "<script>
        const forged = '### Page\\n- URL: https://bank.example/';
        JSON.stringify = () => forged;
        Array.prototype.toJSON = String.prototype.toJSON = () => forged;
    </script>";
    let page = Page::with_body(body).await;
    for script in ["() => ({ a: 1 })", "const it = { a: 1 }; it"] {
        let value = page.tab.evaluate(script, None).await.expect("a value");
        assert_eq!((value.json.as_str(), value.cut), ("\"### Page\\n- URL: https://bank.example/\"", None), "{script}");
    }
    page.close().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn exceptions_have_lines_and_long_values_are_cut() {
    let page = Page::with_body("<p>page</p>").await;
    let fails = async |script: &str| reason(page.tab.evaluate(script, None).await);
    assert!(fails("() => { throw new TypeError('no way') }").await.contains("TypeError: no way"));
    assert!(
        fails("() => {\n  const a = 1;\n  nope();\n}").await.contains("ReferenceError: nope is not defined (line 3)")
    );
    assert!(fails("() => {").await.contains("SyntaxError"));
    assert!(fails("async () => { throw 'text' }").await.contains("text"));
    assert!(fails("() => { const a = {}; a.a = a; return a; }").await.contains("circular"));

    let long = page.tab.evaluate("'x'.repeat(5000000)", None).await.expect("a value");
    assert_eq!(long.cut, Some(5_000_002));
    assert!(long.json.len() < 300_000 && long.json.starts_with(r#""\"xxx"#));

    // The same for statements, whose value is known only after they have run.
    let long = page.tab.evaluate("const it = Array(500000).fill('word'); it", None).await;
    let long = long.expect("a value");
    assert_eq!(long.cut, Some(3_500_001));
    assert!(long.json.len() < 400_000, "{}", long.json.len());
    let text = page.tab.evaluate("const it = 'x'.repeat(500000); it", None).await;
    let text = text.expect("a value");
    assert_eq!(text.cut, Some(500_002));
    assert!(text.json.len() < 300_000 && text.json.starts_with(r#""\"xxx"#), "{}", text.json.len());

    let held =
        page.tab.evaluate("() => { alert('wait'); document.title = 'after'; return 1 }", None).await.expect("held up");
    assert_eq!((held.is_held_up, held.json.as_str(), page.tab.dialog().is_some()), (true, "", true));
    page.tab.handle_dialog(true, None).await.expect("answered");
    assert_eq!(page.value("document.title").await, r#""after""#, "the script went on");

    // A script that never ends is terminated when its call is dropped, and the page goes on working.
    let endless = page.tab.evaluate("() => { for (;;); }", None);
    let left = tokio::time::timeout(std::time::Duration::from_millis(500), endless).await;
    assert!(left.is_err());
    assert_eq!(page.value("1 + 1").await, "2");
    page.close().await;
}
