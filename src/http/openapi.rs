//! `/openapi.json`: the routes for programs as an OpenAPI 3.1 document, made from the catalogue.
//!
//! OpenAPI 3.1 speaks JSON Schema 2020-12, so that the tools' own schemas stand in it as they are. The committed
//! `openapi/openapi.json` is the document of the whole catalogue in English; a test compares.

use axum::{Json, extract::State};
use fumi_base::text::Locale;
use serde_json::{Map, Value, json};

use super::router::Edge;
use crate::tool::catalogue::{Catalogue, Entry};

/// The document of this server.
pub async fn serve(State(edge): State<Edge>) -> Json<Value> {
    Json(document(&edge.app.catalogue))
}

/// The document of a catalogue.
#[must_use]
pub fn document(catalogue: &Catalogue) -> Value {
    let mut paths = Map::new();
    for (path, about, kind) in [
        ("/livez", "Whether the process runs", "text/plain"),
        ("/readyz", "Whether to send more work", "text/plain"),
        ("/metrics", "Metrics for Prometheus", "text/plain"),
        ("/openapi.json", "This document", "application/json"),
        ("/v1/errors", "Every error code with its sentences", "application/json"),
    ] {
        let is_probe = path.ends_with('z');
        let mut responses = json!({"200": {"description": "Yes", "content": {kind: {}}}});
        if path == "/readyz" {
            responses["503"] = json!({"description": "Draining", "content": {kind: {}}});
        }
        let mut operation = json!({
            "operationId": path.trim_matches('/').replace(['/', '.'], "_"),
            "summary": about,
            "responses": responses,
        });
        if is_probe {
            operation["security"] = json!([]);
        } else {
            refusals(&mut operation, &[401]);
        }
        paths.insert(path.to_owned(), json!({"get": operation}));
    }
    paths.insert("/v1/tools".to_owned(), json!({"get": list()}));
    paths.insert("/v1/tools/{name}".to_owned(), json!({"get": show()}));
    for entry in catalogue.entries() {
        paths.insert(format!("/v1/tools/{}", entry.spec.name), json!({"post": call(entry)}));
    }
    json!({
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
                    "description": "Language of descriptions and errors; Accept-Language does the same",
                    "schema": {"type": "string", "enum": ["en", "ja"]},
                },
                "toolsets": {
                    "name": "X-Fumi-Toolsets",
                    "in": "header",
                    "description": "Only these toolsets, separated by commas",
                    "schema": {"type": "string"},
                },
                "readonly": {
                    "name": "X-Fumi-Readonly",
                    "in": "header",
                    "description": "true: nothing is written",
                    "schema": {"type": "string", "enum": ["true", "false"]},
                },
            },
            "schemas": {"Error": error(), "Tool": tool()},
        },
    })
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
    refusals(&mut operation, &[400, 401, 403]);
    operation
}

fn show() -> Value {
    let mut all = vec![json!({"name": "name", "in": "path", "required": true, "schema": {"type": "string"}})];
    all.extend(parameters().as_array().into_iter().flatten().cloned());
    let mut operation = json!({
        "operationId": "show_tool",
        "summary": "One tool",
        "parameters": all,
        "responses": {"200": {
            "description": "The tool",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Tool"}}},
        }},
    });
    refusals(&mut operation, &[400, 401, 403, 404]);
    operation
}

fn call(entry: &Entry) -> Value {
    let texts = entry.published(Locale::En);
    let number = |about: &str| json!({"description": about, "schema": {"type": "integer"}});
    let mut operation = json!({
        "operationId": entry.spec.name,
        "summary": texts.title,
        "description": texts.description,
        "tags": [entry.spec.toolset],
        "parameters": parameters(),
        "requestBody": {
            "required": true,
            "content": {"application/json": {
                "schema": *texts.input,
                "example": serde_json::from_str::<Value>(entry.spec.example).unwrap_or_default(),
            }},
        },
        "responses": {"200": {
            "description": "The answer; as text/event-stream progress first, then an event `result` or `error`",
            "headers": {
                "X-Fumi-Tokens": number("Estimated tokens of the answer, of its larger form"),
                "X-Fumi-Elapsed-Ms": number("Milliseconds of work"),
            },
            "content": {
                "application/json": {"schema": *entry.output},
                "text/plain": {"schema": {"type": "string"}},
                "text/event-stream": {"schema": {"type": "string"}},
            },
        }},
    });
    refusals(&mut operation, &[400, 401, 403, 404, 409, 413, 415, 422, 500, 504]);
    operation
}

/// What an operation may refuse with. Limits belong to all of them.
fn refusals(operation: &mut Value, statuses: &[u16]) {
    for status in statuses.iter().chain(&[429, 503]) {
        let about = match status {
            400 => "The request or its arguments are wrong: what, which, what is allowed",
            401 => "No token, or not a good one",
            403 => "The caller, the project's boundary or read-only mode forbids it",
            404 => "There is no such tool or file",
            409 => "The file exists, or is not what the caller thinks",
            413 => "The body or the file is too large",
            415 => "The body is no JSON",
            422 => "The file is of a kind that the tool cannot read",
            429 => "More calls than a minute has room for; see Retry-After",
            500 => "The tool failed inside the server",
            503 => "Too much at once, or going down; see Retry-After",
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
                response["headers"] = json!({"WWW-Authenticate": {"schema": {"type": "string"}}});
            }
            429 => {
                response["headers"] =
                    json!({"Retry-After": {"description": "Seconds", "schema": {"type": "integer", "minimum": 1}}});
            }
            _ => {}
        }
        operation["responses"][status.to_string()] = response;
    }
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
