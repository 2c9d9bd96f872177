//! The default contents of a reply: the rows of the two profiles, on one page that has a part of every kind.

use fumi_base::expectation::ExpectationProfile;
use fumi_config::Config;
use serde_json::{Value, json};

use super::visit::Visit;

/// The sections that a profile includes or leaves out.
const SECTIONS: [&str; 6] = ["snapshot", "changes", "console", "tabs", "downloads", "code"];

/// Tool, arguments, and the sections of its reply in the lean profile. Playwright's row includes everything.
fn rows(url: &str) -> Vec<(&'static str, Value, &'static [&'static str], &'static str)> {
    vec![
        ("browser_navigate", json!({"url": url}), &["snapshot"], "await page.goto('http"),
        ("browser_snapshot", json!({}), &["snapshot"], ""),
        (
            "browser_click",
            json!({"target": "#accept"}),
            &["changes"],
            "await page.getByRole('button', { name: 'Accept all' }).click();",
        ),
        (
            "browser_type",
            json!({"target": "#user", "text": "Mika"}),
            &[],
            "await page.getByRole('textbox', { name: 'User name' }).fill('Mika');",
        ),
        (
            "browser_fill",
            json!({"target": "#user", "value": "it's"}),
            &[],
            "await page.getByRole('textbox', { name: 'User name' }).fill('it\\'s');",
        ),
        (
            "browser_hover",
            json!({"target": "#user"}),
            &[],
            "await page.getByRole('textbox', { name: 'User name' }).hover();",
        ),
        ("browser_press_key", json!({"key": "Tab"}), &[], "await page.keyboard.press('Tab');"),
        ("browser_wait_for", json!({"time": 0}), &[], "await page.waitForTimeout(0);"),
        (
            "browser_evaluate",
            json!({"function": "() => console.info('said')"}),
            &["console"],
            "await page.evaluate(() => console.info('said'));",
        ),
        ("browser_find", json!({"text": "User"}), &[], ""),
        ("browser_inspect_html", json!({"target": "#user"}), &[], ""),
        ("browser_tabs", json!({"action": "list"}), &["tabs"], ""),
        (
            "browser_resize",
            json!({"width": 800, "height": 600}),
            &[],
            "await page.setViewportSize({ width: 800, height: 600 });",
        ),
    ]
}

fn sections(done: &Value) -> Vec<&'static str> {
    let has = |name: &&str| done.get(*name).is_some();
    SECTIONS.into_iter().filter(has).collect()
}

async fn with(profile: ExpectationProfile) -> Visit {
    Visit::with(move |config: &mut Config| config.browser.expectation.profile = profile).await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn the_lean_profile_returns_the_result_of_each_tool() {
    let visit = with(ExpectationProfile::Lean).await;
    for (tool, arguments, expected, _) in rows(&visit.site.url("/login/")) {
        let told = visit.call(tool, arguments).await;
        assert_eq!(sections(told.done()), expected, "{tool}: {}", told.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium"]
async fn the_compatible_profile_returns_every_section() {
    let visit = with(ExpectationProfile::Compat).await;
    for (tool, arguments, _, code) in rows(&visit.site.url("/login/")) {
        let told = visit.call(tool, arguments).await;
        let done = told.done();
        assert!(done["snapshot"].is_string(), "{tool}: {}", told.text());
        assert!(done["tabs"].is_array() && done["downloads"].is_array(), "{tool}: {}", told.text());
        let written = done["code"].as_str().unwrap_or_default();
        assert!(written.starts_with(code) && written.is_empty() == code.is_empty(), "{tool}: {written}");
    }
}
