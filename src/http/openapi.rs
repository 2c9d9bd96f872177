//! `/openapi.json`: the `/v1` routes as an `OpenAPI` 3.1 document, generated from the catalogue.
//!
//! `OpenAPI` 3.1 uses JSON Schema 2020-12, so that the tools' own schemas are included unchanged, with references for
//! what occurs more than once ([`super::components`]). The committed `openapi/openapi.json` is the document of the
//! whole catalogue in English; a test compares them.

use std::sync::LazyLock;

use axum::{Json, extract::State};
use fumi_base::text::Locale;
use fumi_kernel::catalogue::{Catalogue, ToolEntry, ToolsetScope};
use serde_json::{Value, json};

use super::{
    auth::Authenticator,
    components::{Components, ToolSchemas},
    router::Edge,
};

/// The document without version, toolsets and tools: `/v1/tools/{name}` is the pattern of the tools' own paths.
///
/// The answer as `text/event-stream` has no schema: this version of `OpenAPI` cannot express whether a schema is of the
/// stream or of one event. A server that shuts down does not know when it will be back, so that 503 may lack
/// `Retry-After`.
static FRAME: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("openapi_frame.json"))
        .expect("the embedded frame is well-formed; a test reads it")
});

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
    let mut document = FRAME.clone();
    document["info"]["version"] = json!(env!("CARGO_PKG_VERSION"));
    document["components"]["parameters"]["toolsets"]["schema"]["pattern"] =
        json!(format!("^( *({toolsets}) *(, *({toolsets}) *)*)?$"));
    for entry in catalogue.entries().iter().filter(|entry| entry.spec.listed && entry.spec.is_in(offered)) {
        // A path without a variable takes precedence over one with a variable: a method that is missing here would be
        // undefined for this tool.
        document["paths"][format!("/v1/tools/{}", entry.spec.name)] =
            json!({"get": show(entry.spec.name), "post": call(entry, &components)});
    }
    document["components"]["schemas"] = Value::Object(components.used_by(&document));
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
    let fixed = FRAME["components"]["schemas"].as_object().into_iter().flatten();
    Components::new(calls.collect(), fixed.map(|(name, schema)| (name.clone(), schema.clone())).collect())
}

/// The parameters of a request that names no tool, or names it in its path.
fn parameters() -> &'static Value {
    &FRAME["paths"]["/v1/tools"]["get"]["parameters"]
}

fn show(name: &str) -> Value {
    let mut operation = FRAME["paths"]["/v1/tools/{name}"]["get"].clone();
    operation["operationId"] = json!(format!("show_{name}"));
    operation["parameters"] = parameters().clone();
    operation
}

fn call(entry: &ToolEntry, components: &Components) -> Value {
    let texts = entry.published(Locale::En);
    let mut responses = FRAME["paths"]["/v1/tools/{name}"]["post"]["responses"].clone();
    responses["200"]["content"]["application/json"]["schema"] = json!(components.reply(entry.spec.name));
    json!({
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
        "responses": responses,
    })
}

#[cfg(test)]
mod tests {
    use super::FRAME;

    #[test]
    fn the_frame_has_the_places_into_which_tools_are_put() {
        for place in [
            "/info/version",
            "/components/parameters/toolsets/schema/pattern",
            "/components/schemas/Error",
            "/paths/~1v1~1tools/get/parameters",
            "/paths/~1v1~1tools~1{name}/get/operationId",
            "/paths/~1v1~1tools~1{name}/post/responses/200/content/application~1json/schema",
        ] {
            assert!(FRAME.pointer(place).is_some(), "{place}");
        }
    }
}
