//! Tools of the fixture that ask the client first: `InputRequired` results of the stateless era.
//!
//! Each round is a function of the request's contents. The state from round to round is sealed.

use fumi_kernel::ToolError;
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CreateMessageRequest,
        CreateMessageRequestParams, ElicitRequest, InputRequest, InputRequests, InputRequiredResult, InputResponses,
        ListRootsRequest, SamplingMessage, Tool,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

use super::{
    everything::{Shared, access, nothing, tool},
    plain::form,
};

const NAMES: [&str; 9] = [
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
    "test_streaming_elicitation",
];

pub(super) fn all() -> Vec<Tool> {
    NAMES.map(|name| tool(name, "A tool of the conformance suite that asks.", nothing())).into()
}

/// Returns `None` if the tool is not one of these.
pub(super) async fn call(
    shared: &Shared,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Result<CallToolResponse, ErrorData>> {
    if !NAMES.contains(&&*request.name) {
        return None;
    }
    Some(round(shared, request, context).await)
}

async fn round(
    shared: &Shared,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let access = access(context);
    let bound = shared.bound(request, &access);
    let seals = &shared.app.seals;
    let given = |key: &str| response(request.input_responses.as_ref(), key);
    let refused = |error: ToolError| ErrorData::invalid_params(error.message().in_both(), None);
    let step: Option<u8> = match &request.request_state {
        Some(state) => Some(seals.open(state, &bound).await.map_err(refused)?.0),
        None => None,
    };
    let carry = |step: u8| Some(seals.seal(step, &bound));
    Ok(match &*request.name {
        "test_input_required_result_sampling" => match given("capital_question") {
            Some(answer) => done(&answer["content"]["text"]),
            None => ask([("capital_question", sampling("What is the capital of France?"))], None),
        },
        "test_input_required_result_list_roots" => match given("client_roots") {
            Some(answer) => done(&answer["roots"]),
            None => ask([("client_roots", roots())], None),
        },
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            match (step, given("confirm")) {
                (Some(1), Some(_)) => done(&json!("state-ok")),
                _ => ask([("confirm", elicitation("Please confirm", &json!({"ok": {"type": "boolean"}})))], carry(1)),
            }
        }
        "test_input_required_result_multiple_inputs" => {
            let all = [given("user_name"), given("greeting"), given("client_roots")];
            if step == Some(1) && all.iter().all(Option::is_some) {
                done(&json!(all))
            } else {
                let questions =
                    [("user_name", name()), ("greeting", sampling("Generate a greeting")), ("client_roots", roots())];
                ask(questions, carry(1))
            }
        }
        "test_input_required_result_multi_round" => match (step, given("step1"), given("step2")) {
            (Some(2), _, Some(answer)) => done(&answer["content"]["color"]),
            (Some(1), Some(_), _) | (Some(2), ..) => {
                let color = elicitation("Step 2: What is your favorite color?", &json!({"color": {"type": "string"}}));
                ask([("step2", color)], carry(2))
            }
            _ => ask([("step1", name())], carry(1)),
        },
        "test_input_required_result_capabilities" => {
            let client = context.client_capabilities().unwrap_or_default();
            let mut questions = Vec::new();
            if client.sampling.is_some() {
                questions.push(("greeting", sampling("Generate a greeting")));
            }
            if client.elicitation.is_some() {
                questions.push(("user_name", name()));
            }
            ask(questions, None)
        }
        _ => match given("user_name") {
            Some(answer) => done(&answer["content"]["name"]),
            None => ask([("user_name", name())], None),
        },
    })
}

/// Returns the client's answer under a key. Only an object is an answer.
pub(super) fn response(responses: Option<&InputResponses>, key: &str) -> Option<Value> {
    responses?.get(key).filter(|answer| answer.is_object()).cloned()
}

fn done(said: &Value) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(said.to_string())]).into()
}

fn ask<'a>(questions: impl IntoIterator<Item = (&'a str, InputRequest)>, state: Option<String>) -> CallToolResponse {
    let questions: InputRequests = questions.into_iter().map(|(key, question)| (key.to_owned(), question)).collect();
    InputRequiredResult::new(Some(questions), state).into()
}

fn name() -> InputRequest {
    elicitation("What is your name?", &json!({"name": {"type": "string"}}))
}

pub(super) fn elicitation(message: &str, properties: &Value) -> InputRequest {
    InputRequest::Elicitation(ElicitRequest::new(form(message, properties)))
}

fn sampling(prompt: &str) -> InputRequest {
    let message = SamplingMessage::user_text(prompt);
    InputRequest::CreateMessage(CreateMessageRequest::new(CreateMessageRequestParams::new(vec![message], 100)))
}

fn roots() -> InputRequest {
    InputRequest::ListRoots(ListRootsRequest::default())
}
