//! A server with everything that the conformance suite calls. A fixture: it is served by fumi's own router, layers and
//! session manager.
//!
//! The suite's source defines what a scenario expects; names of tools, prompts and resources are the suite's. State
//! that clients carry is sealed by fumi's own seals.

use std::sync::{Arc, LazyLock};

use fumi::{
    app::App,
    mcp::{placed_tasks::PlacedTasks, request_state::StateBinding},
};
use fumi_kernel::Access;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams, CompleteResult,
        CompletionInfo, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult, Implementation,
        ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents,
        ResourceTemplate, ServerCapabilities, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
        SubscriptionFilter, Tool, UnsubscribeRequestParams, UpdateTaskParams,
    },
    service::{RequestContext, SubscriptionContext},
};
use serde_json::{Map, Value, json};
use tokio::sync::broadcast;

use super::{plain, prompts, questions, tasks};

/// A gray pixel.
pub(super) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==";

/// A list that changed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Changed {
    Tools,
    Prompts,
}

/// The handler. A clone is a handle: rmcp makes one for each session and each stateless request.
#[derive(Clone)]
pub(super) struct Everything(pub(super) Arc<Shared>);

/// The state that all handlers share.
pub(super) struct Shared {
    pub(super) changed: broadcast::Sender<Changed>,
    pub(super) app: Arc<App>,
    pub(super) tasks: PlacedTasks,
}

impl Everything {
    /// Creates a handler. Replicas share what has changed.
    pub(super) fn new(app: Arc<App>, changed: broadcast::Sender<Changed>) -> Self {
        Self(Arc::new(Shared { changed, tasks: PlacedTasks::new(app.replicas.clone()), app }))
    }
}

impl Shared {
    /// Returns the binding of a sealed state: the same as for fumi's own tools.
    pub(super) fn bound<'a>(&'a self, request: &'a CallToolRequestParams, access: &'a Access) -> StateBinding<'a> {
        static NOTHING: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
        StateBinding {
            principal: &access.principal,
            project: access.default_project(&self.app.kernel.roots).root(),
            method: "tools/call",
            name: &request.name,
            arguments: request.arguments.as_ref().unwrap_or(&NOTHING),
        }
    }
}

/// Returns the access of the caller, which the edge puts into every request.
pub(super) fn access(context: &RequestContext<RoleServer>) -> Arc<Access> {
    let parts = context.extensions.get::<http::request::Parts>().expect("it came over HTTP");
    let access = parts.extensions.get::<Arc<Access>>();
    Arc::clone(access.expect("the edge adds the caller's access"))
}

impl ServerHandler for Everything {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_completions()
            .enable_logging()
            .enable_tasks()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("everything", "1"))
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(all_tools()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        all_tools().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(answer) = tasks::call(&self.0, &request, &context).await {
            return answer;
        }
        if let Some(answer) = questions::call(&self.0, &request, &context).await {
            return answer;
        }
        match plain::call(&self.0, &request, &context).await {
            Some(answer) => answer.map(Into::into),
            None => Err(ErrorData::invalid_params(format!("no tool {}", request.name), None)),
        }
    }

    async fn list_resources(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resource = |uri: &str, name: &str, media: &str| {
            Resource::new(uri, name).with_description(format!("{name}, for tests")).with_mime_type(media)
        };
        Ok(ListResourcesResult::with_all_items(vec![
            resource("test://static-text", "a text", "text/plain"),
            resource("test://static-binary", "a picture", "image/png"),
            resource("test://watched-resource", "a text to watch", "text/plain"),
        ]))
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = ResourceTemplate::new("test://template/{id}/data", "data by id")
            .with_description("data by id, for tests")
            .with_mime_type("application/json");
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.as_str();
        let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
        let contents = match (uri, id) {
            ("test://static-text" | "test://watched-resource", _) => ResourceContents::text("A text.", uri),
            ("test://static-binary", _) => ResourceContents::blob(PNG, uri).with_mime_type("image/png"),
            (_, Some(id)) => {
                ResourceContents::text(json!({"id": id}).to_string(), uri).with_mime_type("application/json")
            }
            _ => {
                let data = json!({"uri": uri});
                return Err(ErrorData::resource_not_found("no such resource", Some(data)));
            }
        };
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn subscribe(
        &self,
        _request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut news = self.0.changed.subscribe();
        let sink = context.sink();
        loop {
            let changed = tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = news.recv() => changed.map_err(|error| ErrorData::internal_error(error.to_string(), None))?,
            };
            // A stream that did not ask for this list refuses it, which the suite checks.
            let _ = match changed {
                Changed::Tools => sink.notify_tool_list_changed().await,
                Changed::Prompts => sink.notify_prompt_list_changed().await,
            };
        }
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&request)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let values = ["testing", "tested"].map(str::to_owned).into_iter();
        let values = values.filter(|value| value.starts_with(&request.argument.value)).collect();
        let info = CompletionInfo::with_all_values(values).map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(info))
    }

    async fn set_level(
        &self,
        _request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.0.tasks.get(&request.task_id).map(GetTaskResult::new)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.tasks.update(&request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.tasks.cancel(&request.task_id)
    }
}

/// One scenario depends on the order: the first tool is called without arguments and must answer.
fn all_tools() -> Vec<Tool> {
    [plain::all(), questions::all(), tasks::all()].concat()
}

/// Returns a tool of the fixture.
pub(super) fn tool(name: &'static str, says: &'static str, schema: Value) -> Tool {
    let Value::Object(schema) = schema else {
        panic!("a schema is an object: {schema}");
    };
    Tool::new(name, says, schema)
}

/// Returns the schema of a tool without arguments.
pub(super) fn nothing() -> Value {
    json!({"type": "object", "properties": {}})
}
