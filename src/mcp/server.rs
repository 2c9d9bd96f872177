//! One handler for both eras: lists the catalogue, runs calls, reads resources.
//!
//! rmcp makes a new handler per session and per stateless request, so nothing lives in it but handles to shared parts.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
        ContentBlock, Implementation, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject,
        PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, Resource, ServerCapabilities,
        ServerConfig, Tool, ToolAnnotations,
    },
    service::{NotificationContext, RequestContext},
};
use serde_json::{Value, json};

use super::{progress, resources, roots, sessions::Streams};
use crate::{
    app::App,
    tool::{
        Block, Caller, Effect, Progress, Reply,
        catalogue::{Entry, Scope},
        pipeline::{self, Call},
    },
};
use fumi_base::text::Locale;

/// How long a client may keep the tool list, in milliseconds. It changes only with the server.
const LIST_TTL_MS: u64 = 300_000;

/// The first protocol version without sessions. Versions are dates, so they compare as text.
const STATELESS_SINCE: &str = "2026-07-28";

/// The handler. Cloning it clones handles.
#[derive(Clone, Debug)]
pub struct Server {
    app: Arc<App>,
    streams: Arc<Streams>,
    client_roots: Arc<roots::ClientRoots>,
}

impl Server {
    /// A handler over the shared parts.
    #[must_use]
    pub fn new(app: Arc<App>, streams: Arc<Streams>) -> Self {
        let client_roots = Arc::clone(streams.client_roots());
        Self {
            app,
            streams,
            client_roots,
        }
    }

    fn scope(&self) -> &Scope {
        &self.app.scope
    }

    /// Who calls, from the HTTP request (or the one client of stdio).
    ///
    /// A session is one that the manager opened, named by a request of its own era: a stateless request that carries a
    /// session's id must not borrow its project, and an invented id must leave nothing behind.
    fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        let parts = context.extensions.get::<http::request::Parts>();
        let header = |name: &str| parts.and_then(|parts| parts.headers.get(name)?.to_str().ok());
        let asked = parts
            .and_then(|parts| parts.uri.query())
            .and_then(|query| query.split('&').find_map(|pair| pair.strip_prefix("lang=")))
            .and_then(Locale::negotiate)
            .or_else(|| header("accept-language").and_then(Locale::negotiate));
        Caller {
            principal: String::new(),
            session: match parts {
                Some(_) => header("mcp-session-id")
                    .filter(|id| self.streams.is_open(id))
                    .filter(|_| header("mcp-protocol-version").is_none_or(|version| version < STATELESS_SINCE))
                    .map(str::to_owned),
                None => Some("stdio".to_owned()),
            },
            locale: asked,
        }
    }

    /// A protocol error without the server's secrets; the pipeline does the same for results.
    fn redacted(&self, mut error: ErrorData) -> ErrorData {
        let redactor = &self.app.kernel.redactor;
        error.message = redactor.message(&error.message).into();
        if let Some(uri) = error.data.as_mut().and_then(|data| data.get_mut("uri"))
            && let Some(text) = uri.as_str().map(|uri| redactor.message(uri))
        {
            *uri = json!(text);
        }
        error
    }

    /// The language of descriptions: what the caller asked for, else the configured one.
    fn language(&self, caller: &Caller) -> Locale {
        caller.locale.unwrap_or(self.app.config.tools.language)
    }
}

/// A tool as the protocol shows it.
fn published(entry: &Entry, locale: Locale) -> Tool {
    let shown = entry.published(locale);
    let spec = &entry.spec;
    let annotations = ToolAnnotations::new()
        .read_only(spec.effect == Effect::ReadOnly)
        .destructive(spec.effect == Effect::Write)
        .idempotent(spec.effect != Effect::Write)
        .open_world(false);
    Tool::new(spec.name, shown.description.clone(), Arc::clone(&shown.input))
        .with_title(shown.title.clone())
        .with_raw_output_schema(Arc::clone(&entry.output))
        .with_annotations(annotations)
}

/// A reply as the protocol carries it.
fn result(reply: Reply) -> CallToolResult {
    let Value::Object(meta) = reply.meta() else {
        unreachable!("the meta of a reply is an object");
    };
    let mut content = vec![ContentBlock::text(reply.text)];
    content.extend(reply.blocks.into_iter().map(|block| match block {
        Block::Link { uri, name, mime_type } => {
            ContentBlock::resource_link(Resource::new(uri, name).with_mime_type(mime_type))
        }
        Block::Image { data, mime_type } => ContentBlock::image(data, mime_type),
    }));
    let mut result = if reply.is_error {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    };
    result.structured_content = Some(reply.structured);
    result.with_meta(Some(MetaObject(meta)))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_completions()
            .build();
        let identity = Implementation::new("fumi", env!("CARGO_PKG_VERSION")).with_title("fumi");
        ServerConfig::new(capabilities)
            .with_server_info(identity)
            .with_instructions(match self.app.config.tools.language {
                Locale::En => include_str!("instructions.en.md"),
                Locale::Ja => include_str!("instructions.ja.md"),
            })
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let locale = self.language(&self.caller(&context));
        let tools = self
            .app
            .catalogue
            .list(self.scope())
            .map(|entry| published(entry, locale))
            .collect();
        // Private, because the language depends on the caller.
        Ok(ListToolsResult::with_all_items(tools)
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let entry = self.app.catalogue.find(self.scope(), name)?;
        Some(published(entry, self.app.config.tools.language))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(entry) = self.app.catalogue.find(self.scope(), &request.name) else {
            let near = self.app.catalogue.nearest(self.scope(), &request.name);
            let known: Vec<_> = self
                .app
                .catalogue
                .list(self.scope())
                .map(|entry| entry.spec.name)
                .collect();
            return Err(ErrorData::invalid_params(
                format!(
                    "unknown tool {:?}; nearest: {}; all: {}",
                    self.app
                        .kernel
                        .redactor
                        .message(&request.name.chars().take(100).collect::<String>()),
                    near.join(", "),
                    known.join(", ")
                ),
                Some(json!({"nearest": near, "tools": known})),
            ));
        };
        let caller = self.caller(&context);
        let _open = self.streams.open_call(caller.session.as_deref());
        let project = roots::project(&self.app, &self.client_roots, &caller, &context).await;
        let progress = Progress::default();
        let _ticker = progress::tell(&context, &progress);
        let call = Call {
            arguments: request.arguments.unwrap_or_default(),
            caller,
            project,
            cancel: context.ct.clone(),
            progress,
        };
        let reply = pipeline::run(&self.app.kernel, entry, call).await;
        Ok(result(reply).into())
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let caller = self.caller(&context);
        let project = roots::project(&self.app, &self.client_roots, &caller, &context).await;
        resources::list(project, page.and_then(|page| page.cursor), context.ct.clone()).await
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::templates(self.language(&self.caller(&context))))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let caller = self.caller(&context);
        let _open = self.streams.open_call(caller.session.as_deref());
        let project = roots::project(&self.app, &self.client_roots, &caller, &context).await;
        let read = resources::read(&self.app, project, &request.uri, &caller, context.ct.clone())
            .await
            .map_err(|error| self.redacted(error))?;
        Ok(read.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let caller = self.caller(&context);
        let project = roots::project(&self.app, &self.client_roots, &caller, &context).await;
        resources::complete(project, request, context.ct.clone()).await
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        if let Some(parts) = context.extensions.get::<http::request::Parts>()
            && let Some(session) = parts.headers.get("mcp-session-id").and_then(|id| id.to_str().ok())
        {
            self.client_roots.forget(session);
        }
    }
}
