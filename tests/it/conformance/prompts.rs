//! Prompts of the fixture.

use rmcp::{
    ErrorData,
    model::{
        ContentBlock, GetPromptRequestParams, GetPromptResponse, GetPromptResult, InputRequests, InputRequiredResult,
        Prompt, PromptArgument, PromptMessage, Role,
    },
};
use serde_json::{Value, json};

use super::{
    everything::PNG,
    questions::{elicitation, response},
};

pub(super) fn all() -> Vec<Prompt> {
    let prompt = |name: &str, arguments: &[&str]| {
        let arguments = arguments.iter().map(|name| PromptArgument::new(*name).with_required(true));
        let arguments: Vec<_> = arguments.collect();
        let says = "A prompt of the conformance suite.";
        Prompt::new(name, Some(says), (!arguments.is_empty()).then_some(arguments))
    };
    vec![
        prompt("test_simple_prompt", &[]),
        prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
        prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
        prompt("test_prompt_with_image", &[]),
        prompt("test_input_required_result_prompt", &[]),
    ]
}

pub(super) fn get(request: &GetPromptRequestParams) -> Result<GetPromptResponse, ErrorData> {
    let argument = |name: &str| {
        let value = request.arguments.as_ref().and_then(|arguments| arguments.get(name));
        value.and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let user = |content| PromptMessage::new(Role::User, content);
    let text = |text: String| user(ContentBlock::text(text));
    let messages = match request.name.as_str() {
        "test_simple_prompt" => vec![text("Say something simple.".to_owned())],
        "test_prompt_with_arguments" => vec![text(format!("{} and {}", argument("arg1"), argument("arg2")))],
        "test_prompt_with_embedded_resource" => {
            let embedded = ContentBlock::embedded_text(argument("resourceUri"), "Embedded.");
            vec![user(embedded), text("What is this?".to_owned())]
        }
        "test_prompt_with_image" => {
            let picture = ContentBlock::image(PNG, "image/png");
            vec![user(picture), text("What is this?".to_owned())]
        }
        "test_input_required_result_prompt" => {
            let Some(answer) = response(request.input_responses.as_ref(), "user_context") else {
                let question = elicitation("In which context?", &json!({"context": {"type": "string"}}));
                let questions = InputRequests::from([("user_context".to_owned(), question)]);
                return Ok(InputRequiredResult::from_input_requests(questions).into());
            };
            vec![text(answer["content"]["context"].to_string())]
        }
        other => return Err(ErrorData::invalid_params(format!("no prompt {other}"), None)),
    };
    Ok(GetPromptResult::new(messages).into())
}
