//! Tests of the browser's life cycle with a real Chromium: sessions, tabs, crashes, ageing, and the policy of the
//! proxy.

mod connection;
mod downloads;
mod ends;
mod proxy;
mod sessions;
mod site;
mod windows;

use std::{sync::Arc, time::Duration};

use crate::{BrowserService, BrowserSettings, SessionOwner, devtools::protocol::runtime::EvaluateExpression, tab::Tab};

use site::Site;

fn owner(principal: &str) -> SessionOwner {
    SessionOwner { principal: principal.to_owned(), mcp_session: None }
}

fn browser() -> Arc<BrowserService> {
    BrowserService::new(BrowserSettings::default())
}

/// Returns the value of an expression in the page's world, as JSON. Promises are awaited.
async fn evaluate(tab: &Tab, expression: &str) -> String {
    let evaluate = EvaluateExpression {
        expression: expression.to_owned(),
        unique_context_id: None,
        return_by_value: true,
        await_promise: true,
        user_gesture: true,
    };
    let done = tab.page().call(&evaluate).await.expect("evaluated");
    done.result.value.map_or_else(|| "undefined".to_owned(), |value| value.get().to_owned())
}

/// Waits until a condition becomes true, up to about 10 seconds: how soon is not under test.
async fn eventually(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    for _ in 0..1_000 {
        if is_so().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("never: {what}");
}
