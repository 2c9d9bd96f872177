//! Tools of the fixture that become tasks if the client can follow one.

use std::{pin::Pin, time::Duration};

use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, CreateTaskResult,
        InputRequests, InputRequiredResult, Tool,
    },
    service::RequestContext,
    task_manager::{TaskContext, TaskExit, TaskOptions},
};
use serde_json::{Value, json};

use super::{
    everything::{Shared, nothing, tool},
    questions::{elicitation, response},
};

/// Tools that can only be tasks: their work outlives the call.
const ONLY_TASKS: [&str; 4] = ["failing_job", "confirm_delete", "multi_input", "test_tool_with_task"];

type Work = Pin<Box<dyn Future<Output = Result<CallToolResult, TaskExit>> + Send>>;

pub(super) fn all() -> Vec<Tool> {
    let one = |name: &str, kind: &str| json!({"type": "object", "properties": {name: {"type": kind}}});
    let labelled = json!({
        "type": "object",
        "properties": {"seconds": {"type": "number"}, "label": {"type": "string"}},
    });
    vec![
        tool("greet", "Greets at once.", one("name", "string")),
        tool("slow_compute", "Takes as long as it is told.", labelled),
        tool("failing_job", "Fails, as a tool does.", nothing()),
        tool("protocol_error_job", "Fails, as a server does.", nothing()),
        tool("confirm_delete", "Asks before it acts.", one("filename", "string")),
        tool("multi_input", "Asks for two things at once.", nothing()),
        tool("test_tool_with_task", "Asks, then becomes a task.", nothing()),
    ]
}

/// Returns `None` if the tool is not one of these.
pub(super) async fn call(
    shared: &Shared,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Result<CallToolResponse, ErrorData>> {
    let follows = context.client_capabilities().is_some_and(|client| client.supports_tasks());
    if ONLY_TASKS.contains(&&*request.name) && !follows {
        let required = ClientCapabilities::builder().enable_tasks().build();
        return Some(Err(ErrorData::missing_required_client_capability(required)));
    }
    let argument = |name: &str| request.arguments.as_ref().and_then(|arguments| arguments.get(name)).cloned();
    let task = |work: Box<dyn FnOnce(TaskContext) -> Work + Send>| {
        let options = TaskOptions::new().with_poll_interval_ms(100);
        Ok(CreateTaskResult::new(shared.tasks.spawn(options, work)).into())
    };
    Some(match &*request.name {
        "greet" => {
            let name = argument("name").unwrap_or_default();
            Ok(said(format!("Hello, {}!", name.as_str().unwrap_or_default())).into())
        }
        "slow_compute" => {
            let length = Duration::from_secs_f64(argument("seconds").and_then(|value| value.as_f64()).unwrap_or(1.0));
            if follows {
                task(Box::new(move |task| Box::pin(compute(task, length))))
            } else {
                tokio::time::sleep(length).await;
                Ok(said("computed").into())
            }
        }
        "failing_job" => task(Box::new(|_| {
            Box::pin(async { Ok(CallToolResult::error(vec![ContentBlock::text("It fails, as it should.")])) })
        })),
        "protocol_error_job" if follows => task(Box::new(|_| Box::pin(async { Err(broken().into()) }))),
        "protocol_error_job" => Err(broken()),
        "confirm_delete" => task(Box::new(|task| Box::pin(confirm(task)))),
        "multi_input" => task(Box::new(|task| Box::pin(both(task)))),
        "test_tool_with_task" => match response(request.input_responses.as_ref(), "user_name") {
            None => {
                let question = elicitation("What is your name?", &json!({"name": {"type": "string"}}));
                let questions = InputRequests::from([("user_name".to_owned(), question)]);
                Ok(InputRequiredResult::from_input_requests(questions).into())
            }
            Some(answer) => {
                task(Box::new(move |_| Box::pin(async move { Ok(said(answer["content"]["name"].to_string())) })))
            }
        },
        _ => return None,
    })
}

fn said(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn broken() -> ErrorData {
    ErrorData::internal_error("It breaks, as it should.", None)
}

/// Works until it is done or cancelled.
async fn compute(task: TaskContext, length: Duration) -> Result<CallToolResult, TaskExit> {
    tokio::select! {
        () = task.cancelled() => Err(TaskExit::Cancelled),
        () = tokio::time::sleep(length) => Ok(said("computed")),
    }
}

async fn confirm(task: TaskContext) -> Result<CallToolResult, TaskExit> {
    let question = elicitation("Really?", &json!({"confirm": {"type": "boolean"}}));
    let answer = task.request_input("confirm", question).await?;
    Ok(said(answer["content"]["confirm"].to_string()))
}

async fn both(task: TaskContext) -> Result<CallToolResult, TaskExit> {
    let ask = |key: &'static str| {
        let question = elicitation(key, &json!({"name": {"type": "string"}}));
        task.request_input(key, question)
    };
    let (one, other) = tokio::join!(ask("one"), ask("other"));
    let answers: [Value; 2] = [one?, other?];
    Ok(said(json!(answers).to_string()))
}
