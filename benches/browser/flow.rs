//! Signing in, in two ways, and how it is seen that it was done.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{
    client::{Reply, Session},
    site::Site,
};

/// Who signs in; the last page of both greets by this name.
const USER: &str = "Ada Lovelace";

/// A call.
pub(crate) struct Step {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
}

/// What a flow cost.
pub(crate) struct Cost {
    pub(crate) took: Duration,
    /// Of all replies.
    pub(crate) tokens: usize,
}

/// Steps through a site.
pub(crate) struct Flow {
    steps: fn(&Site) -> Vec<Step>,
    /// What the last reply must tell: nobody went blind.
    greeting: &'static [&'static str],
}

/// A form with six fields and the dashboard behind it, on `benches/browser/pages`: two navigations.
pub(crate) const FORM: Flow = Flow {
    steps: form,
    greeting: &["Welcome", USER],
};

/// The same, and ten tasks of the dashboard: twenty steps.
pub(crate) const WORK: Flow = Flow {
    steps: work,
    greeting: &["Welcome", USER],
};

/// Eight tasks of the dashboard, and a look: ten steps with one navigation.
pub(crate) const TASKS: Flow = Flow {
    steps: tasks,
    greeting: &["Welcome", USER],
};

/// A banner, a form, a second factor and a dashboard, on `tests/fixtures/browser/login`: three navigations, two of which are forms
/// that are sent and answered by a redirect, so five requests of documents.
pub(crate) const SECOND_FACTOR: Flow = Flow {
    steps: second_factor,
    greeting: &["Welcome", USER, "ja"],
};

fn step(tool: &'static str, arguments: Value) -> Step {
    Step { tool, arguments }
}

fn form(site: &Site) -> Vec<Step> {
    vec![
        step("browser_navigate", json!({"url": site.url("/login.html")})),
        step("browser_type", json!({"target": "#username", "text": USER})),
        step("browser_type", json!({"target": "#password", "text": "correct horse"})),
        step("browser_select_option", json!({"target": "#role", "values": ["admin"]})),
        step("browser_click", json!({"target": "#remember"})),
        step("browser_click", json!({"target": "input[value=pro]"})),
        step("browser_type", json!({"target": "#note", "text": "First day"})),
        step("browser_click", json!({"target": "#login-btn"})),
        step("browser_click", json!({"target": "#load-more"})),
        step("browser_snapshot", json!({"target": ".welcome"})),
    ]
}

fn work(site: &Site) -> Vec<Step> {
    let mut steps = form(site);
    let look = steps.split_off(9);
    steps.into_iter().chain((0..10).map(task)).chain(look).collect()
}

fn tasks(site: &Site) -> Vec<Step> {
    let dashboard = site.url("/dashboard.html?username=Ada%20Lovelace");
    let mut steps = vec![step("browser_navigate", json!({"url": dashboard}))];
    steps.extend((0..8).map(task));
    steps.extend(form(site).pop());
    steps
}

fn task(number: usize) -> Step {
    step("browser_click", json!({"target": format!("button[data-i='{number}']")}))
}

fn second_factor(site: &Site) -> Vec<Step> {
    vec![
        step("browser_navigate", json!({"url": site.url("/login/")})),
        step("browser_click", json!({"target": "#accept"})),
        step("browser_type", json!({"target": "#user", "text": USER})),
        step("browser_type", json!({"target": "#password", "text": "correct horse"})),
        step("browser_click", json!({"target": "#remember"})),
        step(
            "browser_select_option",
            json!({"target": "#language", "values": ["ja"]}),
        ),
        step("browser_click", json!({"target": "#enter"})),
        step("browser_type", json!({"target": "#code", "text": "246810"})),
        step("browser_click", json!({"target": "#confirm"})),
        step("browser_snapshot", json!({"target": "#account"})),
    ]
}

impl Flow {
    /// The first of the steps, one call after the other, each with this `expectation` if there is one.
    pub(crate) async fn sequential(
        &self,
        session: &Session,
        site: &Site,
        count: usize,
        expectation: Option<&Value>,
    ) -> Cost {
        let began = Instant::now();
        let mut replies = Vec::new();
        for Step { tool, mut arguments } in (self.steps)(site).into_iter().take(count) {
            // What was asked for is not left out.
            let is_left_out = |all: &Value| tool == "browser_snapshot" && all["includeSnapshot"] == false;
            if let Some(expectation) = expectation.filter(|all| !is_left_out(all)) {
                arguments["expectation"] = expectation.clone();
            }
            replies.push(session.done(tool, &arguments).await);
        }
        let took = began.elapsed();
        if count == (self.steps)(site).len() {
            self.greets(replies.last().expect("ten"));
        }
        Cost {
            took,
            tokens: replies.iter().map(Reply::tokens).sum(),
        }
    }

    /// What the replies of all ten cost a model that looks at each snapshot, those in files too.
    pub(crate) async fn looked_at(&self, session: &Session, site: &Site) -> usize {
        let mut tokens = 0;
        for Step { tool, arguments } in (self.steps)(site) {
            tokens += session.done(tool, &arguments).await.tokens_with_links();
        }
        tokens
    }

    /// The first of them in one call. Nothing is included but what the last step asks for itself, which is the snapshot.
    pub(crate) async fn batch(&self, session: &Session, site: &Site, count: usize) -> Cost {
        let steps = (self.steps)(site).into_iter().take(count);
        let steps: Vec<Value> = steps
            .map(|step| match step.tool {
                "browser_snapshot" => {
                    json!({"tool": step.tool, "arguments": step.arguments, "expectation": {"includeSnapshot": true}})
                }
                _ => json!({"tool": step.tool, "arguments": step.arguments}),
            })
            .collect();
        let arguments = json!({"steps": steps, "globalExpectation": {"includeSnapshot": false}});
        let began = Instant::now();
        let reply = session.done("browser_batch_execute", &arguments).await;
        let took = began.elapsed();
        assert_eq!(reply.structure["succeeded"], count, "not all steps: {}", reply.all());
        if count == (self.steps)(site).len() {
            self.greets(&reply);
        }
        Cost {
            took,
            tokens: reply.tokens(),
        }
    }

    fn greets(&self, reply: &Reply) {
        let all = reply.all();
        for word in self.greeting {
            assert!(all.contains(word), "nobody is greeted with {word:?}:\n{all}");
        }
    }
}
