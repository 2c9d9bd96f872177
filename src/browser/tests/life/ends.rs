//! Tests of how sessions and Chromium end, and of what works afterwards.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::*;
use crate::{ResetReason, errors::BrowserError};

/// Returns the process group and the profile folder of the running Chromium.
fn process(browser: &BrowserService) -> (Pid, std::path::PathBuf) {
    process_of(&browser.current().expect("it runs"))
}

fn process_of(running: &crate::running::RunningChromium) -> (Pid, std::path::PathBuf) {
    let process = running.process();
    (process.group(), process.downloads().parent().expect("a folder").to_path_buf())
}

/// True if no process of the group is alive and its folder is removed. Zombies do not count: their new parent must reap
/// them.
fn is_gone((group, folder): &(Pid, std::path::PathBuf)) -> bool {
    let group = group.as_raw_nonzero().to_string();
    let lives = |stat: String| {
        let (_, after) = stat.rsplit_once(')')?;
        let mut fields = after.split_whitespace();
        let (state, of) = (fields.next()?, fields.nth(1)?);
        Some(of == group && state != "Z")
    };
    let mut processes = std::fs::read_dir("/proc").expect("Linux").flatten();
    let is_alive = processes.any(|process| {
        let stat = std::fs::read_to_string(process.path().join("stat")).ok();
        stat.and_then(lives) == Some(true)
    });
    !is_alive && !folder.exists()
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn crash_is_reported_once_and_next_call_works() {
    let browser = browser();
    let session = browser.session(&owner("a"), None).await.expect("a session");
    let mut tabs = session.lock().await;
    let tab = tabs.current().await.expect("a tab");
    let before = process(&browser);
    let waiting = tokio::spawn(async move {
        tab.page()
            .call(&crate::devtools::protocol::runtime::EvaluateExpression {
                expression: "new Promise(() => {})".to_owned(),
                unique_context_id: None,
                return_by_value: true,
                await_promise: true,
                user_gesture: false,
            })
            .await
            .map(|_| ())
    });
    kill_process_group(before.0, Signal::KILL).expect("killed");
    let told = waiting.await.expect("a task");
    assert!(matches!(told, Err(crate::devtools::CallError::Closed)), "{told:?}");
    assert_eq!((browser.contexts(), browser.diagnose().await.contexts), (0, 0));
    tabs.current().await.expect("a tab again");
    assert_eq!((tabs.take_reset_reason(), tabs.take_reset_reason()), (Some(ResetReason::Crash), None));
    eventually("the old one is gone", async || is_gone(&before)).await;
    eventually("crash noted", async || browser.diagnose().await.last_crash.is_some()).await;
    let diagnosis = browser.diagnose().await;
    let crash = diagnosis.last_crash.expect("noted");
    assert!(crash.how.contains('9'), "{}", crash.how);
    assert_eq!((diagnosis.starts, diagnosis.running), (2, true));
    assert!(diagnosis.advice.is_some());
    browser.shut_down().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn shutting_down_leaves_nothing() {
    let browser = browser();
    let session = browser.session(&owner("a"), None).await.expect("a session");
    let mut tabs = session.lock().await;
    tabs.open(Some("data:text/html,<title>x</title>")).await.expect("a tab");
    let before = process(&browser);
    assert!(!is_gone(&before));
    browser.shut_down().await;
    assert!(is_gone(&before));
    assert!(tabs.current().await.is_err(), "nothing is started afterwards");
    assert!(!browser.diagnose().await.running);
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn dropping_it_leaves_nothing() {
    let browser = browser();
    let before = {
        let session = browser.session(&owner("a"), None).await.expect("a session");
        session.lock().await.current().await.expect("a tab");
        process(&browser)
    };
    drop(browser);
    eventually("it is gone", async || is_gone(&before)).await;
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the runtime has ended")]
#[ignore = "needs Chromium"]
fn runtime_drop_leaves_no_process() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (browser, before) = runtime.block_on(async {
        let browser = browser();
        let session = browser.session(&owner("a"), None).await.expect("a session");
        session.lock().await.current().await.expect("a tab");
        let before = process(&browser);
        (browser, before)
    });
    drop(runtime);
    // The process that adopts the orphans reaps them.
    let mut tries = 0;
    while !is_gone(&before) {
        tries += 1;
        assert!(tries < 500, "{before:?} is still there");
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(browser);
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn idle_sessions_lose_their_context_and_then_their_handle() {
    let browser = BrowserService::new(BrowserSettings {
        idle: Duration::from_millis(200),
        forget: Duration::from_millis(1_500),
        ..BrowserSettings::default()
    });
    let session = browser.session(&owner("a"), None).await.expect("a session");
    let handle = session.handle().to_owned();
    {
        let mut tabs = session.lock().await;
        tabs.current().await.expect("a tab");
        // A session that a call uses is not idle, however long the call takes.
        eventually("a while passes", {
            let begin = std::time::Instant::now();
            async move || begin.elapsed() > Duration::from_millis(500)
        })
        .await;
        assert_eq!(tabs.list().await.len(), 1);
    }
    eventually("the context is closed", async || browser.diagnose().await.contexts == 0).await;
    let found = browser.session(&owner("a"), Some(&handle)).await.expect("still known");
    {
        let mut tabs = found.lock().await;
        assert!(tabs.list().await.is_empty());
        assert_eq!(tabs.take_reset_reason(), Some(ResetReason::Idle));
        tabs.current().await.expect("anew");
    }
    eventually("the handle is removed", async || browser.session(&owner("a"), Some(&handle)).await.is_err()).await;
    assert_eq!(browser.diagnose().await.contexts, 0);
    browser.shut_down().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn an_old_chromium_ends_with_its_last_context() {
    let browser = BrowserService::new(BrowserSettings {
        recycle_contexts: 1,
        patience: Duration::from_millis(100),
        ..BrowserSettings::default()
    });
    let old = browser.session(&owner("a"), None).await.expect("a session");
    old.lock().await.current().await.expect("a tab");
    let before = process_of(old.state.live_context().expect("a context").running());
    eventually("it takes no new contexts", async || browser.current().is_none()).await;
    let new = browser.session(&owner("b"), None).await.expect("a session");
    new.lock().await.current().await.expect("a tab in another");
    assert_eq!(old.lock().await.list().await.len(), 1, "the old one still serves");
    assert!(!is_gone(&before));
    browser.close(&owner("a"), old.handle()).await.expect("closed");
    eventually("it is gone", async || is_gone(&before)).await;
    browser.shut_down().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn old_chromium_does_not_end_running_calls() {
    let browser = BrowserService::new(BrowserSettings {
        recycle_contexts: 1,
        forget: Duration::from_millis(300),
        ..BrowserSettings::default()
    });
    let session = browser.session(&owner("a"), None).await.expect("a session");
    let mut tabs = session.lock().await;
    let tab = tabs.current().await.expect("a tab");
    let running = Arc::clone(session.state.live_context().expect("a context").running());
    eventually("its time is over", async || running.retired().is_some_and(|since| since > Duration::from_secs(1)))
        .await;
    assert_eq!(evaluate(&tab, "1").await, "1");
    drop(tabs);
    eventually("it ends then", async || !running.is_up()).await;
    browser.shut_down().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn a_chromium_that_hangs_is_replaced() {
    let browser = BrowserService::new(BrowserSettings { hang: Duration::from_secs(2), ..BrowserSettings::default() });
    let session = browser.session(&owner("a"), None).await.expect("a session");
    let mut tabs = session.lock().await;
    let tab = tabs.current().await.expect("a tab");
    let before = process(&browser);
    kill_process(before.0, Signal::STOP).expect("stopped");
    // A call that waits for it gets an error.
    let told = tab.page().call(&crate::devtools::protocol::browser::GetVersion {}).await;
    assert!(matches!(told, Err(crate::devtools::CallError::Closed)), "{told:?}");
    tabs.current().await.expect("a tab in another");
    assert_eq!(tabs.take_reset_reason(), Some(ResetReason::Crash));
    eventually("the old one is gone", async || is_gone(&before)).await;
    eventually("crash noted", async || browser.diagnose().await.last_crash.is_some()).await;
    let crash = browser.diagnose().await.last_crash.expect("noted");
    assert!(crash.how.contains("did not answer"), "{}", crash.how);
    browser.shut_down().await;
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn too_much_memory_empties_what_is_idle_and_then_restarts() {
    let browser = BrowserService::new(BrowserSettings {
        memory: 1,
        patience: Duration::from_secs(4),
        ..BrowserSettings::default()
    });
    let idle = browser.session(&owner("a"), None).await.expect("a session");
    idle.lock().await.current().await.expect("a tab");
    eventually("it is emptied", async || !idle.state.has_context()).await;
    assert_eq!(idle.lock().await.take_reset_reason(), Some(ResetReason::Memory));
    let busy = browser.session(&owner("a"), None).await.expect("a session");
    let mut tabs = busy.lock().await;
    tabs.current().await.expect("a tab");
    eventually("patience ends", async || tabs.list().await.is_empty()).await;
    assert_eq!(tabs.take_reset_reason(), Some(ResetReason::Memory));
    browser.shut_down().await;
}

#[tokio::test]
async fn missing_chromium_lists_searched_paths() {
    let browser = BrowserService::new(BrowserSettings {
        launch: crate::Launch { executable: Some("/no/such/chromium".into()), ..crate::Launch::default() },
        ..BrowserSettings::default()
    });
    let session = browser.session(&owner("a"), None).await.expect("a session");
    let error = session.lock().await.current().await.expect_err("none");
    assert!(matches!(&error, BrowserError::NoChromium { looked } if looked == &["/no/such/chromium"]), "{error}");
    let diagnosis = browser.diagnose().await;
    assert_eq!((diagnosis.executable, diagnosis.looked_for.len(), diagnosis.running), (None, 1, false));
    assert!(diagnosis.advice.is_some());
}

#[tokio::test]
async fn all_who_wait_for_a_start_are_told_when_it_fails() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    let (program, starts) = (folder.path().join("program"), folder.path().join("starts"));
    let script = format!("#!/bin/sh\necho started >> {}\nexec sleep 100\n", starts.display());
    std::fs::write(&program, script).expect("a program");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let browser = BrowserService::new(BrowserSettings {
        launch: crate::Launch { executable: Some(program), start: Duration::from_secs(1), ..crate::Launch::default() },
        ..BrowserSettings::default()
    });
    let mut waiting = tokio::task::JoinSet::new();
    for _ in 0..3 {
        let session = browser.session(&owner("a"), None).await.expect("a session");
        waiting.spawn(async move { session.lock().await.current().await.map(drop) });
    }
    for told in waiting.join_all().await {
        assert!(matches!(told, Err(BrowserError::ChromiumFailed { .. })), "{told:?}");
    }
    assert_eq!(std::fs::read_to_string(&starts).expect("started").lines().count(), 1);
    let session = browser.session(&owner("a"), None).await.expect("a session");
    session.lock().await.current().await.expect_err("it is tried again");
    assert_eq!(std::fs::read_to_string(&starts).expect("started").lines().count(), 2);
}

#[tokio::test]
#[ignore = "needs Chromium"]
async fn abandoned_context_is_disposed() {
    use crate::devtools::ProtocolCommand;

    #[derive(serde::Serialize)]
    struct GetBrowserContexts {}

    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Found {
        browser_context_ids: Vec<String>,
    }

    impl ProtocolCommand for GetBrowserContexts {
        const METHOD: &'static str = "Target.getBrowserContexts";
        type Reply = Found;
    }

    let browser = browser();
    let session = browser.session(&owner("a"), None).await.expect("a session");
    session.lock().await.current().await.expect("a tab");
    let running = Arc::clone(session.state.live_context().expect("a context").running());
    {
        let given_up = running.context((100, 100), |_| crate::tab::TabSettings::default());
        tokio::select! {
            biased;
            made = given_up => panic!("too early: {made:?}"),
            () = tokio::task::yield_now() => {}
        }
    }
    eventually("it was made", async || running.served() == 2).await;
    eventually("it goes", async || {
        let found = running.channel().call(&GetBrowserContexts {}).await.expect("contexts");
        found.browser_context_ids.len() == 1
    })
    .await;
    browser.shut_down().await;
}
