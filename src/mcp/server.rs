//! The protocol handler for both eras: lists the catalogue, runs calls, reads resources.
//!
//! rmcp creates a new handler for each session and for each stateless request, so a handler contains only handles to
//! shared parts (and, between the two halves of one `subscriptions/listen`, the streams that the first half prepared).

use std::{collections::HashSet, convert::Infallible, sync::Arc};

use parking_lot::{Mutex, MutexGuard};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, CompleteRequestParams,
        CompleteResult, ContentBlock, CreateTaskResult, CustomRequest, CustomResult, DiscoverResult, ErrorCode,
        GetPromptRequestMethod, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult,
        Implementation, InitializeRequestParams, InitializeResult, JsonObject, ListPromptsRequestMethod,
        ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject,
        PaginatedRequestParams, PromptsCapability, ReadResourceRequestParams, ReadResourceResponse, Resource,
        ServerCapabilities, ServerConfig, SubscribeRequestMethod, SubscribeRequestParams, SubscriptionFilter, Task,
        Tool, ToolAnnotations, UnsubscribeRequestParams, UpdateTaskParams,
    },
    service::{NotificationContext, Peer, RequestContext, SubscriptionContext},
};
use serde_json::{Value, json};

use super::{
    ask::{Conversation, ConversationOutcome, can_sample},
    clients,
    era::{self, STATELESS_SINCE},
    instructions, log_messages, malformed,
    observe::{Operation, no_error},
    progress, prompts,
    protocol_error::{McpError, to_protocol_error},
    resources, roots,
    session_registry::SessionRegistry,
    subscriptions::{PreparedStream, Subscriber},
    tasks::LongCall,
};
use crate::app::App;
use fumi_base::project::Project;
use fumi_kernel::{
    Access, Block, CallProgress, Caller, Effect, ResultForm, ToolReply,
    catalogue::{Published, ToolEntry},
};

/// The result length up to which a client should not cut results by itself, in characters: lists are cut here, with a
/// cursor, and other results are useless without their end.
const LONGEST_RESULT: usize = 256 * 1024;
/// The time for which a client may cache the tool list, in milliseconds. The list changes with the server and with the
/// project; only sessions are notified.
const LIST_TTL_MS: u64 = 300_000;

/// The longest part of a URI that an error shows: the longest possible path.
const LONGEST_URI: usize = 4_096;

/// The session id of the one client of standard input and output.
const STDIO: &str = "stdio";

/// The handler. Cloning it clones handles.
#[derive(Clone, Debug)]
pub struct McpServer {
    app: Arc<App>,
    /// The access of the session or request for which this handler was created.
    access: Arc<Access>,
    streams: Arc<SessionRegistry>,
    client_roots: Arc<roots::ClientRoots>,
    /// Streams that listen already and are not confirmed yet. Locked for single operations.
    prepared: Arc<Mutex<Vec<PreparedStream>>>,
}

impl McpServer {
    /// Creates a handler over the shared parts.
    pub fn new(app: Arc<App>, streams: Arc<SessionRegistry>) -> Self {
        let client_roots = Arc::clone(streams.client_roots());
        let access = super::access::current().unwrap_or_else(|| {
            Arc::new(Access { by_project: app.config.tools.toolsets.is_empty(), ..Access::full(app.scope.clone()) })
        });
        Self { app, access, streams, client_roots, prepared: Arc::default() }
    }

    /// Returns the project of a call, without regard to its arguments.
    async fn project(&self, caller: &Caller, context: &RequestContext<RoleServer>) -> Arc<Project> {
        roots::project(&self.app, &self.client_roots, caller, context).await
    }

    /// Returns the caller's access, with the list limited by the project of its session.
    async fn listed(&self, caller: &Caller, context: &RequestContext<RoleServer>) -> Access {
        if !caller.access.by_project {
            return Access::clone(&caller.access);
        }
        let project = self.project(caller, context).await;
        tokio::task::block_in_place(|| self.app.listed_access(&caller.access, &project))
    }

    /// True if a session is still open.
    fn is_open(&self, session: &str) -> bool {
        session == STDIO || self.streams.is_open(session)
    }

    /// Moves the subscriptions of a session that changed projects.
    async fn follow(&self, caller: &Caller, session: &str, project: &Arc<Project>, peer: &Peer<RoleServer>) {
        let subscriptions = self.streams.subscriptions();
        let who = self.subscriber(caller, session, peer);
        subscriptions.move_to_project(&who, project, || self.is_open(session)).await;
    }

    fn subscriber<'a>(&'a self, caller: &'a Caller, session: &'a str, peer: &'a Peer<RoleServer>) -> Subscriber<'a> {
        Subscriber { app: &self.app, session, access: &caller.access, peer }
    }

    /// Rejects a cursor: only paginated lists have cursors.
    fn no_cursor(&self, page: Option<&PaginatedRequestParams>, caller: &Caller) -> Result<(), ErrorData> {
        match page.and_then(|page| page.cursor.as_ref()) {
            Some(_) => Err(self.redacted(to_protocol_error(&McpError::InvalidListCursor.into(), caller.locale))),
            None => Ok(()),
        }
    }

    /// Returns the caller of a request (or the one client of stdio).
    ///
    /// A session counts only if the manager opened it and a request of its own era names it: a stateless request that
    /// carries a session's id must not use its project, and an invented id must leave nothing behind.
    fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        let mut caller = match context.extensions.get::<http::request::Parts>() {
            Some(parts) => self.caller_of(parts),
            None => Caller {
                access: Arc::clone(&self.access),
                session: Some(STDIO.to_owned()),
                locale: self.app.config.tools.language,
                ..Caller::default()
            },
        };
        // In a session, the requested form and the client are those of its first request, so that lists and calls agree.
        let asked = self.access.result;
        let client = match context.peer.peer_info() {
            Some(info) if caller.session.is_some() => Some(info.client_info.clone()),
            _ => context.client_info(),
        };
        caller.form = clients::result_form(asked, &self.app.config.tools, client.as_ref());
        caller
    }

    fn caller_of(&self, parts: &http::request::Parts) -> Caller {
        let access = parts.extensions.get::<Arc<Access>>().unwrap_or(&self.access);
        Caller {
            access: Arc::clone(access),
            session: era::session_id(&parts.headers).filter(|id| self.streams.is_open(id)).map(str::to_owned),
            locale: super::access::requested_language(&parts.uri, &parts.headers)
                .unwrap_or(self.app.config.tools.language),
            form: ResultForm::default(),
        }
    }

    /// True if a call may take as long as a model writes, and can be a task.
    fn offers_tasks(&self) -> bool {
        let asks = self.app.catalogue.list(&self.access).any(|entry| entry.asks);
        asks && (self.app.provider.is_some() || self.app.config.novel.author.asks_clients())
    }

    /// Starts the call as a task, if a model will be asked and the client supports tasks.
    async fn as_task(
        &self,
        entry: &ToolEntry,
        request: &CallToolRequestParams,
        caller: &Caller,
        project: &Arc<Project>,
        context: &RequestContext<RoleServer>,
    ) -> Option<Task> {
        let samples = can_sample(&self.app, context);
        let follows = context.client_capabilities().is_some_and(|client| client.supports_tasks());
        let is_long = entry.asks && (self.app.provider.is_some() || samples);
        if !follows || !is_long || request.request_state.is_some() {
            return None;
        }
        let long = LongCall {
            app: Arc::clone(&self.app),
            streams: Arc::clone(&self.streams),
            caller: caller.clone(),
            project: Arc::clone(project),
            tool: entry.spec.name,
            arguments: request.arguments.clone().unwrap_or_default(),
            samples,
        };
        self.streams.tasks().begin(long).await
    }

    fn prepared(&self) -> MutexGuard<'_, Vec<PreparedStream>> {
        self.prepared.lock()
    }

    /// Takes the prepared stream that was confirmed with this filter. Over HTTP there is only one; over standard input
    /// two streams may begin at once, and streams that watch the same resources are interchangeable.
    fn take_prepared(&self, accepted: &SubscriptionFilter) -> PreparedStream {
        let uris = accepted.resource_subscriptions.as_deref().unwrap_or_default();
        let mut all = self.prepared();
        let fits = |prepared: &PreparedStream| {
            prepared.uris().count() == uris.iter().collect::<HashSet<_>>().len()
                && prepared.uris().all(|uri| uris.iter().any(|accepted| accepted == uri))
        };
        let at = all.iter().position(fits);
        at.map(|at| all.swap_remove(at)).unwrap_or_default()
    }

    /// Stores what the client of a session chose.
    async fn store_choices(&self, session: &str, locale: fumi_base::text::Locale) -> Result<(), ErrorData> {
        self.streams.store_choices(session).await.map_err(|lost| to_protocol_error(&lost.into(), locale))
    }

    /// Removes the server's secrets from a protocol error, as the pipeline does from results.
    fn redacted(&self, mut error: ErrorData) -> ErrorData {
        let redactor = &self.app.kernel.redactor;
        error.message = redactor.redact_message(&error.message).into();
        error
    }

    /// Redacts an error about a resource. The data of a not-found error names the resource, as the protocol requires.
    fn about(&self, uri: &str, mut error: ErrorData) -> ErrorData {
        if error.code == ErrorCode::RESOURCE_NOT_FOUND
            && let Some(Value::Object(data)) = &mut error.data
        {
            // Truncated after redaction: a part of a secret would not be recognised.
            let shown = self.app.kernel.redactor.redact_own(uri).unwrap_or_else(|| uri.to_owned());
            let shown: String = shown.chars().take(LONGEST_URI).collect();
            data.insert("uri".to_owned(), Value::from(shown));
        }
        self.redacted(error)
    }
}

/// Converts a tool to the protocol's form, as a caller sees it.
fn published(app: &App, access: &Access, entry: &ToolEntry, shown: &Published, form: ResultForm) -> Tool {
    let catalogue = &app.catalogue;
    let spec = &entry.spec;
    let annotations = if spec.effect == Effect::OfSteps {
        // A batch may do what the tools that the caller is offered may do.
        let steps = || catalogue.list(access).map(|entry| &entry.spec).filter(|step| step.effect != Effect::OfSteps);
        let writes = steps().any(|step| step.effect.needs_write());
        ToolAnnotations::with_title(&shown.title)
            .read_only(!writes)
            .destructive(writes)
            .idempotent(!writes)
            .open_world(steps().any(|step| step.family.is_open_world))
    } else {
        ToolAnnotations::with_title(&shown.title)
            .read_only(spec.effect.is_read_only())
            .destructive(spec.effect.needs_write())
            .idempotent(matches!(spec.effect, Effect::ReadOnly | Effect::Session))
            .open_world(spec.family.is_open_world)
    };
    let mut meta = JsonObject::from_iter([("anthropic/maxResultSizeChars".to_owned(), json!(LONGEST_RESULT))]);
    // For the client's own tool search; it is not shown to a model, so that no token budget counts it.
    let hint = entry.search_hint();
    if !hint.is_empty() {
        meta.insert("anthropic/searchHint".to_owned(), json!(hint));
    }
    if app.config.tools.always_load.iter().any(|name| name == spec.name) {
        meta.insert("anthropic/alwaysLoad".to_owned(), json!(true));
    }
    let tool = Tool::new(spec.name, shown.description.clone(), Arc::clone(&shown.input))
        .with_title(shown.title.clone())
        .with_annotations(annotations)
        .with_meta(MetaObject(meta));
    if form.has_structure() {
        tool.with_raw_output_schema(Arc::clone(&entry.output))
    } else {
        // A client may refuse results without the structure that a schema promises.
        tool
    }
}

/// Converts a reply to the protocol's form.
pub(super) fn to_call_result(mut reply: ToolReply) -> CallToolResult {
    let Value::Object(meta) = reply.meta() else {
        unreachable!("the meta of a reply is an object");
    };
    let mut content = Vec::new();
    // A failure is shown to the model as text, whatever else the client gets.
    if reply.form != ResultForm::Structured || reply.is_error {
        content.push(ContentBlock::text(text_of(&mut reply)));
    }
    content.extend(reply.blocks.into_iter().map(|block| match block {
        Block::Link { uri, name, mime_type } => {
            ContentBlock::resource_link(Resource::new(uri, name).with_mime_type(mime_type))
        }
        Block::Label(text) => ContentBlock::text(text),
        Block::Image { data, mime_type } => ContentBlock::image(data, mime_type),
    }));
    let mut result = if reply.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = reply.form.has_structure().then_some(reply.structured);
    result.with_meta(Some(MetaObject(meta)))
}

/// Returns the text of a reply. Clients that get no structure take a text that is JSON by itself for one, and may refuse
/// it: such a text gets a heading.
fn text_of(reply: &mut ToolReply) -> String {
    let text = std::mem::take(&mut reply.text);
    if reply.form == ResultForm::Text && serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok() {
        format!("→\n{text}")
    } else {
        text
    }
}

impl ServerHandler for McpServer {
    /// Returns the server's configuration without the instructions: the SDK calls this for every stateless request, and
    /// rendering them takes longer than a cached call.
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_completions()
            .build();
        if self.offers_tasks() {
            let tasks = ServerCapabilities::builder().enable_tasks().build();
            capabilities.extensions = tasks.extensions;
        }
        capabilities.prompts = prompts::has_any(&self.app, &self.access).then(PromptsCapability::default);
        let identity = Implementation::new("fumi", env!("CARGO_PKG_VERSION")).with_title("fumi");
        ServerConfig::new(capabilities).with_server_info(identity)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let mut result = DiscoverResult::from_server_info(versions, self.get_info());
        result.instructions = Some(instructions::for_default_project(&self.app, &self.access));
        Ok(result)
    }

    /// Sessions have log messages: the first event of a call in versions before 2025-11-25 is one (`replay.rs`).
    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut info = self.negotiate_initialize(&request)?;
        let has_roots = request.capabilities.roots.is_some();
        context.peer.set_peer_info(request);
        info.capabilities.logging = Some(JsonObject::default());
        if let Some(tools) = &mut info.capabilities.tools {
            tools.list_changed = Some(true);
        }
        info.instructions = Some(if has_roots {
            // The session's project is determined later.
            instructions::for_any_project(&self.app, &self.access)
        } else {
            instructions::for_default_project(&self.app, &self.access)
        });
        Ok(info)
    }

    #[expect(deprecated, reason = "the protocol deprecates it from 2026-07-28 on; sessions are older")]
    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let Some(session) = self.caller(&context).session else {
            return Err(ErrorData::method_not_found::<rmcp::model::SetLevelRequestMethod>());
        };
        self.streams.set_debug(&session, log_messages::wants_debug(&request));
        self.store_choices(&session, self.caller(&context).locale).await
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let work = async {
            let caller = self.caller(&context);
            self.no_cursor(page.as_ref(), &caller)?;
            let locale = caller.locale;
            let listed = self.listed(&caller, &context).await;
            let tools = self
                .app
                .catalogue
                .list(&listed)
                .map(|entry| {
                    let shown = entry.published_in(locale, listed.listed_scope());
                    published(&self.app, &caller.access, entry, shown, caller.form)
                })
                .collect();
            // Private, because language, toolsets and project depend on the caller.
            Ok(ListToolsResult::with_all_items(tools).with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Private))
        };
        Operation::new("tools/list").run(&self.app, &context, no_error, work).await
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let entry = self.app.catalogue.find(&self.access.scope, name)?;
        let shown = entry.published_in(self.app.config.tools.language, self.access.listed_scope());
        Some(published(&self.app, &self.access, entry, shown, ResultForm::default()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = self.caller(&context);
        let access = &caller.access;
        let Some(entry) = self.app.catalogue.find(&access.scope, &request.name) else {
            let fault = McpError::UnknownTool { problem: self.app.catalogue.unknown_tool(access, &request.name) };
            return Err(self.redacted(to_protocol_error(&fault.into(), caller.locale)));
        };
        // On the heap from the start: the future of the library has room for that of this function, and is moved several times.
        let work = Box::pin(async {
            let _open = self.streams.open_call(caller.session.as_deref());
            let project = self.project(&caller, &context).await;
            if let Some(task) = self.as_task(entry, &request, &caller, &project, &context).await {
                return Ok(ConversationOutcome::Task(Box::new(task)));
            }
            let progress = CallProgress::default();
            let _ticker = progress::start_ticker(&context, &progress, caller.locale);
            let before = Arc::clone(&project);
            let conversation = Conversation { app: &self.app, context: &context, caller: &caller, project, progress };
            // On the heap: it may run several calls, each with its own state.
            let held = Box::pin(conversation.run(entry, request)).await;
            if let Some(session) = &caller.session {
                let project = self.project(&caller, &context).await;
                self.follow(&caller, session, &project, &context.peer).await;
                let access = &caller.access;
                let listed = |project| tokio::task::block_in_place(|| self.app.listed_access(access, project).listed);
                if project.root() != before.root()
                    && listed(&project) != listed(&before)
                    && let Err(error) = context.peer.notify_tool_list_changed().await
                {
                    tracing::debug!(%error, "a client could not be notified of its new tool list");
                }
                self.store_choices(session, caller.locale).await?;
            }
            held.map_err(|error| self.redacted(error))
        });
        let operation = Operation { method: "tools/call", tool: Some(entry.spec.name) };
        let stop = async {
            self.streams.stopping().cancelled().await;
            context.ct.cancel();
            std::future::pending::<Infallible>().await
        };
        let work = async {
            tokio::select! {
                biased;
                answered = work => answered,
                never = stop => match never {},
            }
        };
        let reply = match operation.run(&self.app, &context, ConversationOutcome::error_code, work).await? {
            ConversationOutcome::Reply(reply) => *reply,
            ConversationOutcome::Required(required) => return Ok((*required).into()),
            ConversationOutcome::Task(task) => return Ok(CreateTaskResult::new(*task).into()),
        };
        let form = reply.form;
        let structure_tokens = (form == ResultForm::Text).then(|| reply.structure_tokens() as u64);
        let result = to_call_result(reply);
        // Estimated once: on a large reply that takes as long as the rest of a cached call.
        let meta = result.meta.as_ref();
        let tokens = meta.and_then(|meta| meta.0.get("fumi/tokens")?.as_u64());
        let metrics = &self.app.kernel.metrics;
        let tokens = tokens.unwrap_or_default();
        metrics.tokens(entry.spec.name, form, tokens);
        if let Some(saved) = structure_tokens.and_then(|structure| structure.checked_sub(tokens)) {
            metrics.tokens_saved(entry.spec.name, saved);
        }
        Ok(result.into())
    }

    /// A caller without prompts gets an error, since the capability is not declared; the library would return an empty
    /// list.
    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let work = async {
            let caller = self.caller(&context);
            if !prompts::has_any(&self.app, &caller.access) {
                return Err(ErrorData::method_not_found::<ListPromptsRequestMethod>());
            }
            self.no_cursor(page.as_ref(), &caller)?;
            let all = prompts::list(&self.app, &caller.access, caller.locale);
            // Cached like the tools that the prompts name.
            Ok(ListPromptsResult::with_all_items(all).with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Private))
        };
        Operation::new("prompts/list").run(&self.app, &context, no_error, work).await
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let work = async {
            let caller = self.caller(&context);
            if !prompts::has_any(&self.app, &caller.access) {
                return Err(ErrorData::method_not_found::<GetPromptRequestMethod>());
            }
            prompts::get(&self.app, &caller.access, &request, caller.locale)
                .map(Into::into)
                .map_err(|error| self.redacted(to_protocol_error(&error, caller.locale)))
        };
        Operation::new("prompts/get").run(&self.app, &context, no_error, work).await
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let tasks = self.streams.tasks();
        let work = async { tasks.get(&request.task_id, &self.caller(&context)).await.map(GetTaskResult::new) };
        Operation::new("tasks/get").run(&self.app, &context, no_error, work).await
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let (tasks, caller) = (self.streams.tasks(), self.caller(&context));
        let work = async { tasks.update(&request.task_id, request.input_responses, &caller).await };
        Operation::new("tasks/update").run(&self.app, &context, no_error, work).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let (tasks, caller) = (self.streams.tasks(), self.caller(&context));
        let work = async { tasks.cancel(&request.task_id, &caller).await };
        Operation::new("tasks/cancel").run(&self.app, &context, no_error, work).await
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let work = async {
            let caller = self.caller(&context);
            let _open = self.streams.open_call(caller.session.as_deref());
            let project = self.project(&caller, &context).await;
            let cursor = page.and_then(|page| page.cursor);
            resources::list(&self.app, project, cursor.as_deref(), &caller, &context.ct)
                .await
                .map_err(|error| self.redacted(error))
        };
        Operation::new("resources/list").run(&self.app, &context, no_error, work).await
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let work = async {
            let caller = self.caller(&context);
            self.no_cursor(page.as_ref(), &caller)?;
            Ok(resources::templates(caller.locale))
        };
        Operation::new("resources/templates/list").run(&self.app, &context, no_error, work).await
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let work = async {
            let caller = self.caller(&context);
            let _open = self.streams.open_call(caller.session.as_deref());
            let project = self.project(&caller, &context).await;
            let read = resources::read(&self.app, project, &request.uri, &caller, &context.ct)
                .await
                .map_err(|error| self.about(&request.uri, error))?;
            Ok(read.into())
        };
        Operation::new("resources/read").run(&self.app, &context, no_error, work).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let work = async {
            let caller = self.caller(&context);
            let _open = self.streams.open_call(caller.session.as_deref());
            let project = self.project(&caller, &context).await;
            resources::complete(&self.app, project, request, &caller, &context.ct)
                .await
                .map_err(|error| self.redacted(error))
        };
        Operation::new("completion/complete").run(&self.app, &context, no_error, work).await
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let work = async {
            let caller = self.caller(&context);
            let Some(session) = caller.session.as_deref() else {
                return Err(ErrorData::method_not_found::<SubscribeRequestMethod>());
            };
            let _open = self.streams.open_call(caller.session.as_deref());
            let project = self.project(&caller, &context).await;
            self.streams
                .subscriptions()
                .subscribe(&self.subscriber(&caller, session, &context.peer), project, &request.uri, || {
                    self.is_open(session)
                })
                .await
                .map_err(|error| self.about(&request.uri, to_protocol_error(&error, caller.locale)))?;
            self.store_choices(session, caller.locale).await
        };
        Operation::new("resources/subscribe").run(&self.app, &context, no_error, work).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let work = async {
            let caller = self.caller(&context);
            let Some(session) = &caller.session else { return Ok(()) };
            self.streams.subscriptions().unsubscribe(session, &request.uri);
            self.store_choices(session, caller.locale).await
        };
        Operation::new("resources/unsubscribe").run(&self.app, &context, no_error, work).await
    }

    /// The first half of `subscriptions/listen`, before it is confirmed.
    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let uris = requested.resource_subscriptions.as_deref().unwrap_or_default();
        // Without a session a URI means the default project, unless it names another.
        let project = self.app.sessions.project(STDIO);
        let project = project.unwrap_or_else(|| Arc::clone(self.access.default_project(&self.app.kernel.roots)));
        let subscriptions = self.streams.subscriptions();
        let prepared = tokio::task::block_in_place(|| subscriptions.prepare(&self.app, &self.access, &project, uris));
        let accepted = SubscriptionFilter::builder().resource_subscriptions(prepared.uris()).build();
        self.prepared().push(prepared);
        Some(accepted)
    }

    /// The second half of `subscriptions/listen`: notifies until the client disconnects or the server ends.
    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let request = context.request_context();
        let prepared = self.take_prepared(context.accepted());
        self.streams
            .subscriptions()
            .stream(&self.app, prepared, context.sink(), request.ct.clone())
            .await
            .map_err(|error| self.redacted(to_protocol_error(&error, self.caller(request).locale)))
    }

    /// Receives every request that rmcp cannot parse, whatever its method is.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let version = context.protocol_version();
        let is_stateless = version.is_some_and(|version| version.as_str() >= STATELESS_SINCE);
        let access = self.caller(&context).access;
        let is_offered = |method: &str| match method.split('/').next() {
            Some("prompts") => prompts::has_any(&self.app, &access),
            Some("tasks") => self.offers_tasks(),
            _ => true,
        };
        let fault = malformed::diagnose(&request, is_stateless, is_offered);
        let fault = fault.unwrap_or(McpError::UnknownMethod { method: request.method });
        Err(self.redacted(to_protocol_error(&fault.into(), self.caller(&context).locale)))
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        if let Some(parts) = context.extensions.get::<http::request::Parts>()
            && let Some(session) = parts.headers.get("mcp-session-id").and_then(|id| id.to_str().ok())
        {
            self.client_roots.forget(session);
            if self.caller_of(parts).access.by_project {
                let told = context.peer.notify_tool_list_changed().await;
                drop(told.inspect_err(
                    |error| tracing::debug!(%error, "a client could not be notified of its new tool list"),
                ));
            }
        }
    }
}
