//! Several read-only callers: each has its own limit of reviews, which others do not use up.

use std::sync::Arc;

use fumi_kernel::{Access, Caller, ToolReply};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::novel;
use crate::sample::call_as;

/// The maximum number of reviews of one caller.
const MOST: usize = 50;

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_who_begins_many_reviews_loses_its_own_oldest_and_no_other() {
    let sample = novel();
    let app = sample.app();
    let ask = async |tool: &'static str, arguments: Value, principal: &str| -> ToolReply {
        let access = Access { read_only: true, principal: principal.into(), ..Access::full(app.scope.clone()) };
        let caller = Caller { access: Arc::new(access), ..Caller::default() };
        call_as(&app, tool, arguments, caller, CancellationToken::new()).await
    };
    let begin = async |principal: &str| {
        let begun = ask("get_check_tasks", json!({"episode": 1}), principal).await;
        assert!(!begun.is_error, "{}", begun.text);
        begun.structured["session_id"].clone()
    };
    // Names that begin alike.
    let beside = [("a/b", begin("a/b").await), ("ab", begin("ab").await), ("", begin("").await)];
    let mut own = Vec::new();
    for _ in 0..=MOST {
        own.push(begin("a").await);
    }
    let mut kept = 0;
    for id in own {
        let status = ask("get_check_status", json!({"session_id": id}), "a").await;
        kept += usize::from(!status.is_error);
    }
    assert_eq!(kept, MOST);
    for (principal, id) in beside {
        let status = ask("get_check_status", json!({"session_id": id}), principal).await;
        assert!(!status.is_error, "{principal}: {}", status.text);
    }
}
