//! `/openapi.json`: the `/v1` routes as an `OpenAPI` 3.1 document, generated from the catalogue.
//!
//! `OpenAPI` 3.1 uses JSON Schema 2020-12, so that the tools' own schemas are included unchanged, with references for
//! what occurs more than once ([`super::components`]). The committed `openapi/openapi.json` is the document of the
//! whole catalogue in English; a test compares them.

use axum::{Json, extract::State};
use fumi_base::text::Locale;
use fumi_kernel::catalogue::{Catalogue, ToolEntry, ToolsetScope};
use serde_json::{Map, Value, json};

use super::{
    auth::Authenticator,
    components::{Components, ToolSchemas},
    router::Edge,
};

/// The error statuses of a call, besides the limits.
const CALL_ERRORS: [u16; 12] = [400, 401, 403, 404, 408, 409, 413, 415, 422, 500, 502, 504];
/// The statuses of limits, which belong to all operations.
const LIMITS: [u16; 3] = [414, 429, 503];

/// Serves the document of this server. The committed document allows both servers with and without authentication; this
/// one requires a token if the server does.
pub async fn serve(State(edge): State<Edge>) -> Json<Value> {
    // Making it takes tens of milliseconds.
    let made = edge.document.get_or_init(|| document(&edge.app.catalogue, &edge.app.scope));
    let mut document = made.clone();
    if !matches!(&*edge.auth.get(), Authenticator::Disabled(_)) {
        document["security"] = json!([{"bearer": []}]);
    }
    Json(document)
}

pub fn document(catalogue: &Catalogue, offered: &ToolsetScope) -> Value {
    let components = components(catalogue);
    let toolsets = offered.names().collect::<Vec<_>>().join("|");
    let mut paths = Map::new();
    let text = json!({"type": "string"});
    for (path, about, kind, schema) in [
        ("/livez", "Reports whether the process runs", "text/plain", &text),
        ("/readyz", "Reports whether the server accepts more work", "text/plain", &text),
        ("/metrics", "Metrics for Prometheus", "text/plain", &text),
        (
            "/openapi.json",
            "This document",
            "application/json",
            &json!({"type": "object", "required": ["openapi", "info", "paths"]}),
        ),
        (
            "/v1/errors",
            "Every error code with its messages",
            "application/json",
            &json!({"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Sentences"}}),
        ),
    ] {
        let is_probe = path.ends_with('z');
        let content = json!({kind: {"schema": schema}});
        let mut responses = json!({"200": {"description": "Success", "content": content}});
        if path == "/readyz" {
            responses["503"] = json!({"description": "Draining", "content": content});
        }
        let mut operation = json!({
            "operationId": path.trim_matches('/').replace(['/', '.'], "_"),
            "summary": about,
            "responses": responses,
        });
        if is_probe {
            operation["security"] = json!([]);
        } else {
            add_error_responses(&mut operation, &[401]);
        }
        paths.insert(path.to_owned(), json!({"get": operation}));
    }
    paths.insert("/v1/tools".to_owned(), json!({"get": list()}));
    paths.insert("/v1/tools/{name}".to_owned(), any_tool());
    for entry in catalogue.entries().iter().filter(|entry| entry.spec.listed) {
        if !entry.spec.is_in(offered) {
            continue;
        }
        let name = entry.spec.name;
        // A path without a variable takes precedence over one with it: a method that is missing here would be undefined
        // for it.
        let both = json!({"get": show(&format!("show_{name}"), &parameters()), "post": call(entry, &components)});
        paths.insert(format!("/v1/tools/{name}"), both);
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "info": {
            "title": "fumi",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Token-efficient tools over text. The same tools as over MCP (/mcp), for scripts and CI.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "security": [{}, {"bearer": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
            "parameters": {
                "lang": {
                    "name": "lang",
                    "in": "query",
                    "description": "Language of descriptions and errors: en or ja. Other values are ignored. \
                        Accept-Language has the same effect",
                    "schema": {"type": "string"},
                },
                "toolsets": {
                    "name": "X-Fumi-Toolsets",
                    "in": "header",
                    "description": "Only these toolsets, separated by commas",
                    "schema": {"type": "string", "pattern": format!("^( *({toolsets}) *(, *({toolsets}) *)*)?$")},
                },
                "readonly": {
                    "name": "X-Fumi-Readonly",
                    "in": "header",
                    "description": "true: calls may not write",
                    "schema": {"type": "boolean"},
                },
            },
            "responses": responses(),
        },
    });
    let schemas = components.used_by(&document);
    document["components"]["schemas"] = Value::Object(schemas);
    document
}

/// Returns the schemas of all tools, also of those that are not offered: otherwise the name of a component would depend
/// on the settings of a server.
fn components(catalogue: &Catalogue) -> Components {
    let listed = catalogue.entries().iter().filter(|entry| entry.spec.listed);
    let calls = listed.map(|entry| ToolSchemas {
        name: entry.spec.name,
        arguments: (*entry.published(Locale::En).input).clone(),
        reply: (*entry.output).clone(),
    });
    let fixed = [("Error", error()), ("Sentences", sentences()), ("Tool", tool())];
    let fixed = fixed.into_iter().map(|(name, schema)| (name.to_owned(), schema));
    Components::new(calls.collect(), fixed.collect())
}

fn parameters() -> Value {
    json!(["lang", "toolsets", "readonly"].map(|name| json!({"$ref": format!("#/components/parameters/{name}")})))
}

fn list() -> Value {
    let schema = json!({
        "type": "object",
        "required": ["tools"],
        "properties": {"tools": {"type": "array", "items": {"$ref": "#/components/schemas/Tool"}}},
    });
    let mut operation = json!({
        "operationId": "list_tools",
        "summary": "The tools that the caller can call",
        "parameters": parameters(),
        "responses": {"200": {"description": "The tools", "content": {"application/json": {"schema": schema}}}},
    });
    add_error_responses(&mut operation, &[400, 401, 403]);
    operation
}

/// Returns the operations of `/v1/tools/{name}`, for aliases and for clients that do not know the names in advance. The
/// tools' own paths are more precise.
fn any_tool() -> Value {
    let mut all = vec![json!({
        "name": "name",
        "in": "path",
        "required": true,
        "description": "Name or alias of a tool",
        "schema": {"type": "string"},
    })];
    all.extend(parameters().as_array().into_iter().flatten().cloned());
    let all = Value::from(all);
    let mut call = json!({
        "operationId": "call_tool",
        "summary": "Calls a tool",
        "description": "The tool's own path describes its arguments and its reply.",
        "parameters": all,
        "requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}},
        "responses": {"200": answers(&json!({"type": "object"}))},
    });
    add_error_responses(&mut call, &CALL_ERRORS);
    json!({"get": show("show_tool", &all), "post": call})
}

fn show(id: &str, parameters: &Value) -> Value {
    let mut operation = json!({
        "operationId": id,
        "summary": "One tool",
        "parameters": parameters,
        "responses": {"200": {
            "description": "The tool",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Tool"}}},
        }},
    });
    add_error_responses(&mut operation, &[400, 401, 403, 404]);
    operation
}

fn call(entry: &ToolEntry, components: &Components) -> Value {
    let texts = entry.published(Locale::En);
    let mut operation = json!({
        "operationId": entry.spec.name,
        "summary": texts.summary,
        "description": texts.description,
        "tags": [entry.spec.toolset],
        "parameters": parameters(),
        "requestBody": {
            "required": true,
            "content": {"application/json": {
                "schema": components.arguments(entry.spec.name),
                "example": serde_json::from_str::<Value>(entry.spec.example).unwrap_or_default(),
            }},
        },
        "responses": {"200": answers(&json!(components.reply(entry.spec.name)))},
    });
    add_error_responses(&mut operation, &CALL_ERRORS);
    operation
}

/// Returns the successful response of a call, in each media type.
fn answers(schema: &Value) -> Value {
    let number = |about: &str| json!({"description": about, "schema": {"type": "integer"}});
    json!({
        "description": "The answer; as text/event-stream progress first, then an event `result` or `error`",
        "headers": {
            "X-Fumi-Tokens": number("Estimated tokens of the answer"),
            "X-Fumi-Elapsed-Ms": number("Milliseconds of work"),
        },
        "content": {
            "application/json": {"schema": schema},
            "text/plain": {"schema": {"type": "string"}},
            // Without a schema: this version of OpenAPI cannot express whether a schema is of the stream or of one
            // event.
            "text/event-stream": {},
        },
    })
}

fn add_error_responses(operation: &mut Value, statuses: &[u16]) {
    for status in statuses.iter().chain(&LIMITS) {
        operation["responses"][status.to_string()] = json!({"$ref": format!("#/components/responses/{status}")});
    }
}

/// Returns all error responses, one for each status.
fn responses() -> Value {
    let mut all = Map::new();
    for status in CALL_ERRORS.iter().chain(&LIMITS) {
        let about = match status {
            400 => "The request or its arguments are invalid; the error names each problem and the allowed values",
            401 => "The token is missing or invalid",
            403 => "The caller's rights, the project's boundary or read-only mode forbid it",
            404 => "The tool or file does not exist",
            408 => "The body arrived too slowly",
            409 => "The file exists, or its content is not what the caller expects",
            413 => "The body or the file is too large",
            414 => "The URL is too long",
            415 => "The body is not JSON",
            422 => "The tool cannot read this kind of file",
            429 => "The rate limit is exceeded; see Retry-After",
            500 => "The tool failed inside the server",
            502 => "The provider of models returned no text; error.details.kind names the cause",
            503 => "The server is overloaded or shutting down; see Retry-After",
            _ => "The work took too long",
        };
        let mut response = json!({
            "description": about,
            "content": {
                "application/json": {"schema": {"$ref": "#/components/schemas/Error"}},
                "text/plain": {"schema": {"type": "string"}},
            },
        });
        match status {
            401 => {
                response["headers"] = json!({"WWW-Authenticate": {"required": true, "schema": {"type": "string"}}});
            }
            429 | 503 => {
                // A server that shuts down does not know when it will be back.
                let always = *status == 429;
                let schema = json!({"type": "integer", "minimum": 1});
                response["headers"] =
                    json!({"Retry-After": {"description": "Seconds", "required": always, "schema": schema}});
            }
            _ => {}
        }
        all.insert(status.to_string(), response);
    }
    Value::Object(all)
}

/// Returns the schema of one entry of `/v1/errors`.
fn sentences() -> Value {
    let both = json!({
        "type": "object",
        "required": ["en", "ja"],
        "properties": {"en": {"type": "string"}, "ja": {"type": "string"}},
    });
    json!({
        "type": "object",
        "required": ["code", "type", "message", "next"],
        "properties": {
            "code": {"type": "string"},
            "type": {"type": "string"},
            "message": both,
            "next": both,
        },
    })
}

fn error() -> Value {
    json!({
        "type": "object",
        "required": ["success", "error"],
        "properties": {
            "success": {"const": false},
            "error": {
                "type": "object",
                "required": ["type", "code", "message"],
                "properties": {
                    "type": {"type": "string", "enum": [
                        "MCPToolError", "MCPValidationError", "MCPTimeoutError", "SecurityError", "FileRestrictionError",
                        "PathTraversalError",
                    ]},
                    "code": {"type": "string", "description": "One of GET /v1/errors"},
                    "message": {"type": "string"},
                    "details": {"type": "object"},
                    "context": {"type": "object"},
                    "guidance": {"type": "object"},
                    "troubleshooting_url": {"type": "string"},
                },
            },
        },
    })
}

fn tool() -> Value {
    let names = [
        "name",
        "title",
        "summary",
        "description",
        "toolset",
        "read_only",
        "timeout_ms",
        "example",
        "input_schema",
        "output_schema",
    ];
    json!({
        "type": "object",
        "required": names,
        "properties": {
            "name": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"},
            "title": {"type": "string"},
            "summary": {"type": "string"},
            "description": {"type": "string"},
            "toolset": {"type": "string"},
            "read_only": {"type": "boolean"},
            "timeout_ms": {"type": "integer"},
            "example": {"type": "object"},
            "input_schema": {"type": "object"},
            "output_schema": {"type": "object"},
        },
    })
}
