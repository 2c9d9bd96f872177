//! What leaving out saves: the same flows with everything included, by the defaults, and by what a careful caller asks for.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{
    Bench, Started,
    client::Session,
    flow::{self, Cost, FORM, SECOND_FACTOR},
    measure::{Pair, in_turns},
    report::{Bar::AtLeast, Report, Row, Saving, fewer},
};

/// A way to go through a flow.
struct Way {
    what: (&'static str, &'static str),
    /// By how many per cent it must be cheaper than with everything included.
    bar: Option<f64>,
    flow: Flow,
    asking: Asking,
}

#[derive(Clone, Copy)]
enum Flow {
    /// Nothing but going to a page.
    Visit,
    /// Four steps: a form, and a dashboard with 40 rows.
    Short,
    /// Ten steps.
    Long(&'static flow::Flow),
    /// A picture of the page.
    Picture,
}

#[derive(Clone, Copy, PartialEq)]
enum Asking {
    Everything,
    Defaults,
    /// Nothing on the way, at the end one section.
    Scoped,
    /// The same in one call.
    Batch,
}

use Asking::{Batch, Defaults, Everything, Scoped};
use Flow::{Long, Picture, Short, Visit};

/// Ten steps of a harder site.
const HARDER: Flow = Long(&SECOND_FACTOR);

const WAYS: [Way; 17] = [
    way(
        "visit a page, everything",
        "ページを開く（すべて）",
        None,
        Visit,
        Everything,
    ),
    way("visit a page, defaults", "ページを開く（既定）", None, Visit, Defaults),
    way(
        "visit a page, nothing included",
        "ページを開く（何も含めない）",
        Some(50.0),
        Visit,
        Scoped,
    ),
    way("four steps, everything", "4 手順（すべて）", None, Short, Everything),
    way("four steps, defaults", "4 手順（既定）", Some(50.0), Short, Defaults),
    way(
        "four steps, one section at the end",
        "4 手順（最後に一区画だけ）",
        Some(80.0),
        Short,
        Scoped,
    ),
    way(
        "four steps, the same as a batch",
        "4 手順（同じ内容を一括実行）",
        Some(80.0),
        Short,
        Batch,
    ),
    way(
        "ten steps, everything",
        "10 手順（すべて）",
        None,
        Long(&FORM),
        Everything,
    ),
    way(
        "ten steps, defaults",
        "10 手順（既定）",
        Some(50.0),
        Long(&FORM),
        Defaults,
    ),
    way(
        "ten steps, one section at the end",
        "10 手順（最後に一区画だけ）",
        Some(80.0),
        Long(&FORM),
        Scoped,
    ),
    way(
        "ten steps, the same as a batch",
        "10 手順（同じ内容を一括実行）",
        Some(80.0),
        Long(&FORM),
        Batch,
    ),
    way(
        "second factor, everything",
        "2 要素認証つき 10 手順（すべて）",
        None,
        HARDER,
        Everything,
    ),
    way(
        "second factor, defaults",
        "2 要素認証つき 10 手順（既定）",
        None,
        HARDER,
        Defaults,
    ),
    way(
        "second factor, one section at the end",
        "2 要素認証つき 10 手順（最後に一区画だけ）",
        None,
        HARDER,
        Scoped,
    ),
    way(
        "second factor, the same as a batch",
        "2 要素認証つき 10 手順（同じ内容を一括実行）",
        None,
        HARDER,
        Batch,
    ),
    way(
        "a screenshot, everything",
        "スクリーンショット（すべて）",
        None,
        Picture,
        Everything,
    ),
    way(
        "a screenshot, defaults",
        "スクリーンショット（既定）",
        Some(80.0),
        Picture,
        Defaults,
    ),
];

const fn way(english: &'static str, japanese: &'static str, bar: Option<f64>, flow: Flow, asking: Asking) -> Way {
    Way {
        what: (english, japanese),
        bar,
        flow,
        asking,
    }
}

pub(crate) async fn run(bench: &Bench, report: &mut Report) {
    let mut everything = 0;
    for way in &WAYS {
        let (_, tokens) = in_turns(bench, async |started| walk(bench, started, way).await).await;
        report.row("savings", Row::new(way.what.0, "tokens", tokens.count(), None));
        let Some(ours) = tokens.ours else { continue };
        if way.asking == Everything {
            everything = ours;
        } else {
            let saved = Pair {
                ours: Some(fewer(ours, everything)),
                theirs: None,
            };
            let bar = way.bar.map(AtLeast);
            report.row(
                "savings",
                Row::new(&format!("{}: fewer than with everything", way.what.0), "%", saved, bar),
            );
        }
        report.savings.push(Saving {
            what: way.what,
            tokens: ours,
            everything,
        });
    }
}

async fn walk(bench: &Bench, started: &Started, way: &Way) -> Option<Cost> {
    // The peer has neither, and is measured with its defaults.
    if !started.peer.is_ours() && way.asking != Defaults {
        return None;
    }
    let session = started.running.session(Duration::ZERO).await;
    if let Picture = way.flow {
        let page = bench.site.url("/dashboard.html");
        session.done("browser_navigate", &json!({"url": page})).await;
    }
    let cost = match (way.flow, way.asking) {
        (Long(flow), Batch) => flow.batch(&session, &bench.site, 10).await,
        (Long(flow), _) => {
            flow.sequential(&session, &bench.site, 10, way.asking.expectation().as_ref())
                .await
        }
        (Short, Batch) => batch(&session, short(bench)).await,
        (Short, Scoped) => scoped(&session, short(bench)).await,
        (Short, asking) => calls(&session, short(bench), asking).await,
        (Visit, asking) => calls(&session, short(bench).into_iter().take(1).collect(), asking).await,
        (Picture, asking) => calls(&session, vec![("browser_take_screenshot", json!({}))], asking).await,
    };
    session.close().await;
    Some(cost)
}

impl Asking {
    fn expectation(self) -> Option<Value> {
        match self {
            Everything => Some(including(true)),
            Defaults => None,
            Scoped | Batch => Some(including(false)),
        }
    }
}

/// To the form, a name, a password, and on to the dashboard.
fn short(bench: &Bench) -> Vec<(&'static str, Value)> {
    vec![
        ("browser_navigate", json!({"url": bench.site.url("/login.html")})),
        ("browser_type", json!({"target": "#username", "text": "Ada Lovelace"})),
        ("browser_type", json!({"target": "#password", "text": "correct horse"})),
        ("browser_click", json!({"target": "#login-btn"})),
    ]
}

async fn calls(session: &Session, steps: Vec<(&'static str, Value)>, asking: Asking) -> Cost {
    let expectation = asking.expectation();
    let steps = steps.into_iter().map(|(tool, mut arguments)| {
        if let Some(expectation) = &expectation {
            arguments["expectation"] = expectation.clone();
        }
        (tool, arguments)
    });
    called(session, steps.collect()).await
}

async fn scoped(session: &Session, steps: Vec<(&'static str, Value)>) -> Cost {
    let last = steps.len() - 1;
    let steps = steps.into_iter().enumerate().map(|(at, (tool, mut arguments))| {
        arguments["expectation"] = if at == last { section() } else { including(false) };
        (tool, arguments)
    });
    called(session, steps.collect()).await
}

async fn called(session: &Session, steps: Vec<(&'static str, Value)>) -> Cost {
    let began = Instant::now();
    let mut tokens = 0;
    for (tool, arguments) in steps {
        tokens += session.done(tool, &arguments).await.tokens();
    }
    Cost {
        took: began.elapsed(),
        tokens,
    }
}

async fn batch(session: &Session, steps: Vec<(&'static str, Value)>) -> Cost {
    let last = steps.len() - 1;
    let steps = steps.into_iter().enumerate().map(|(at, (tool, arguments))| {
        let mut step = json!({"tool": tool, "arguments": arguments});
        if at == last {
            step["expectation"] = section();
        }
        step
    });
    let arguments = json!({"steps": steps.collect::<Vec<_>>(), "globalExpectation": including(false)});
    let reply = session.done("browser_batch_execute", &arguments).await;
    assert!(
        reply.all().contains("1,024.00"),
        "the dashboard is not there:\n{}",
        reply.all()
    );
    Cost {
        took: reply.took,
        tokens: reply.tokens(),
    }
}

fn including(is: bool) -> Value {
    json!({"includeSnapshot": is, "includeConsole": is, "includeDownloads": is, "includeTabs": is, "includeCode": is})
}

/// One card of the dashboard.
fn section() -> Value {
    json!({
        "includeSnapshot": true,
        "snapshotOptions": {"selector": ".user-dashboard .card", "maxLength": 1_000},
        "consoleOptions": {"levels": ["error"]},
    })
}
