//! Tools of the fixture that answer at once: texts, pictures, errors, logs, progress, and schemas.

use std::time::Duration;

use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CallToolResult, ClientCapabilities, ContentBlock, CreateMessageRequestParams,
        ElicitRequestParams, LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam,
        ResourceContents, SamplingMessage, Tool,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

use super::everything::{Changed, PNG, Shared, nothing, tool};

/// Silence: four samples.
const WAV: &str = "UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQQAAACAgICA";

/// The duration of a step of a slow tool.
const STEP: Duration = Duration::from_millis(50);

pub(super) fn all() -> Vec<Tool> {
    let mut tools: Vec<_> = [
        "test_simple_text",
        "test_image_content",
        "test_audio_content",
        "test_embedded_resource",
        "test_multiple_content_types",
        "test_error_handling",
        "test_tool_with_logging",
        "test_logging_tool",
        "test_tool_with_progress",
        "test_reconnection",
        "test_missing_capability",
        "test_trigger_tool_change",
        "test_trigger_prompt_change",
        "test_elicitation_sep1034_defaults",
        "test_elicitation_sep1330_enums",
    ]
    .map(|name| tool(name, "A tool of the conformance suite.", nothing()))
    .into();
    let one = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]});
    tools.push(tool("test_sampling", "Asks the client's model.", one("prompt")));
    tools.push(tool("test_elicitation", "Asks the user.", one("message")));
    let in_header = json!({
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        "required": ["region"],
    });
    tools.push(tool("test_custom_header", "Takes an argument that stands in a header too.", in_header));
    tools.push(tool(
        "json_schema_2020_12_tool",
        "Has every keyword of its schema.",
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {
                "address": {
                    "$anchor": "addressDef",
                    "type": "object",
                    "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
                },
            },
            "properties": {
                "name": {"type": "string"},
                "address": {"$ref": "#/$defs/address"},
                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                "phone": {"type": "string"},
                "email": {"type": "string"},
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
            "additionalProperties": false,
        }),
    ));
    tools
}

/// Returns `None` if the tool is not one of these.
pub(super) async fn call(
    shared: &Shared,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Result<CallToolResult, ErrorData>> {
    let argument = |name: &str| {
        let value = request.arguments.as_ref().and_then(|arguments| arguments.get(name));
        value.and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let picture = || ContentBlock::image(PNG, "image/png");
    let blocks = match &*request.name {
        "test_simple_text" | "test_reconnection" | "json_schema_2020_12_tool" => vec![text("A simple text.")],
        "test_custom_header" => vec![text(argument("region"))],
        "test_image_content" => vec![picture()],
        "test_audio_content" => vec![ContentBlock::audio(WAV, "audio/wav")],
        "test_embedded_resource" => vec![ContentBlock::embedded_text("test://embedded-resource", "Embedded.")],
        "test_multiple_content_types" => {
            let data = ResourceContents::text("{}", "test://mixed-content-resource").with_mime_type("application/json");
            vec![text("Several kinds:"), picture(), ContentBlock::resource(data)]
        }
        "test_error_handling" => return Some(Ok(CallToolResult::error(vec![text("It fails, as it should.")]))),
        "test_tool_with_logging" | "test_logging_tool" => {
            log(context).await;
            vec![text("Logged.")]
        }
        "test_tool_with_progress" => {
            progress(context).await;
            vec![text("Done.")]
        }
        "test_missing_capability" => {
            let samples = context.client_capabilities().is_some_and(|client| client.sampling.is_some());
            if !samples {
                let required = ClientCapabilities::builder().enable_sampling().build();
                return Some(Err(ErrorData::missing_required_client_capability(required)));
            }
            vec![text("The client has a model.")]
        }
        "test_trigger_tool_change" | "test_trigger_prompt_change" => {
            let is_tools = request.name == "test_trigger_tool_change";
            // Notifications fail if the client does not listen.
            let _ = shared.changed.send(if is_tools { Changed::Tools } else { Changed::Prompts });
            vec![text("Changed.")]
        }
        "test_sampling" => {
            let message = SamplingMessage::user_text(argument("prompt"));
            let asked = context.peer.create_message(CreateMessageRequestParams::new(vec![message], 100)).await;
            vec![text(format!("{:?}", asked.map(|answer| answer.message)))]
        }
        "test_elicitation" => {
            let form = json!({"username": {"type": "string"}, "email": {"type": "string"}});
            vec![elicit(context, &argument("message"), &form).await]
        }
        "test_elicitation_sep1034_defaults" => vec![elicit(context, "Look at the defaults", &defaults()).await],
        "test_elicitation_sep1330_enums" => vec![elicit(context, "Choose", &choices()).await],
        _ => return None,
    };
    Some(Ok(CallToolResult::success(blocks)))
}

fn text(text: impl Into<String>) -> ContentBlock {
    ContentBlock::text(text)
}

/// In the stateless era only a client that names a level gets logs.
async fn log(context: &RequestContext<RoleServer>) {
    let is_session = context.meta.protocol_version().is_none();
    if !is_session && context.meta.log_level().is_none() {
        return;
    }
    for line in ["started", "at work", "done"] {
        let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(line));
        let _ = context.peer.notify_logging_message(message).await;
        tokio::time::sleep(STEP).await;
    }
}

async fn progress(context: &RequestContext<RoleServer>) {
    let Some(token) = context.meta.get_progress_token() else {
        return;
    };
    for done in [0.0, 50.0, 100.0] {
        let told = ProgressNotificationParam::new(token.clone(), done).with_total(100.0);
        let _ = context.peer.notify_progress(told).await;
        tokio::time::sleep(STEP).await;
    }
}

/// Asks the user and returns the answer.
async fn elicit(context: &RequestContext<RoleServer>, message: &str, properties: &Value) -> ContentBlock {
    let asked = context.peer.create_elicitation(form(message, properties)).await;
    text(match asked {
        Ok(answer) => format!("{:?} {}", answer.action, answer.content.unwrap_or_default()),
        Err(error) => format!("not asked: {error}"),
    })
}

/// Returns a form for the user. A field without a default is required.
pub(super) fn form(message: &str, properties: &Value) -> ElicitRequestParams {
    let fields = properties.as_object().expect("properties are an object");
    let required: Vec<_> =
        fields.iter().filter(|(_, field)| field.get("default").is_none()).map(|(name, _)| name).collect();
    let schema = json!({"type": "object", "properties": properties, "required": required});
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message.to_owned(),
        requested_schema: serde_json::from_value(schema).expect("a form of plain fields"),
    }
}

fn defaults() -> Value {
    json!({
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": true},
    })
}

fn choices() -> Value {
    let titled = json!([
        {"const": "value1", "title": "First Option"},
        {"const": "value2", "title": "Second Option"},
        {"const": "value3", "title": "Third Option"},
    ]);
    json!({
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    })
}
