//! Access: URLs and headers that narrow, bounds of principals, tokens of both kinds.
//!
//! The catalogue has a second toolset here, `notes`, with a tool that writes.

mod bounds;
mod narrowing;
mod neighbours;
mod oauth;
mod reload;
mod tokens;

use std::{sync::Arc, time::Duration};

use fumi::{app::App, http::auth::tokens::sha256_of};
use fumi_base::{pools::Pool, text::Locale};
use fumi_code::index::CodeIndexes;
use fumi_config::{Config, ConfiguredToken};
use fumi_kernel::{
    Cx, Effect, Render, Tool, ToolError, ToolOutcome, ToolSpec, ToolTextFiles,
    catalogue::{Catalogue, ToolEntry},
};
use fumi_tools::code::{ProjectDeps, SearchDeps, list_files::ListFiles, set_project_path::SetProjectPath};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{harness::Stateless, sample::Sample};

/// Writes `note.txt` into the project.
#[derive(Debug)]
struct WriteNote;

#[derive(Debug, Deserialize, JsonSchema)]
struct Args {}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    success: bool,
}

impl Tool for WriteNote {
    const SPEC: ToolSpec = ToolSpec {
        name: "write_note",
        aliases: &[],
        toolset: "notes",
        other_toolsets: &[],
        family: &fumi_tools::code::FAMILY,
        listed: true,
        texts: ToolTextFiles {
            en: "# Note\nsummary: Write a note.\nWrites a note.",
            ja: "# メモ\nsummary: メモを書く。\nメモを書きます。",
        },
        example: "{}",
        options: &[],
        rules: &[],
        pool: Pool::Write,
        exclusive: false,
        timeout: Duration::from_secs(10),
        cached: false,
        effect: Effect::Write,
    };
    type Deps = ();
    type Args = Args;
    type Output = Output;

    async fn call(_args: Args, (): &(), cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        std::fs::write(cx.project.root().join("note.txt"), "written").unwrap();
        Ok(ToolOutcome::Done(Output { success: true }))
    }
}

impl Render for Output {
    fn text(&self, _locale: Locale) -> String {
        "written".to_owned()
    }
}

/// Returns fumi's parts with the two toolsets `code` and `notes`.
fn app(sample: &Sample, change: impl FnOnce(&mut Config)) -> Arc<App> {
    let app = Arc::into_inner(sample.app_with(&[], |_| {})).expect("no other reference exists yet");
    let mut config = app.config.clone();
    // Configured explicitly, so that all toolsets are listed in every project.
    config.tools.toolsets = vec!["code".to_owned()];
    change(&mut config);
    let app = Arc::into_inner(sample.app_with(&[], |own| *own = config)).expect("no other reference exists yet");
    let project = Arc::new(ProjectDeps { roots: Arc::clone(&app.kernel.roots), sessions: Arc::clone(&app.sessions) });
    let catalogue = Catalogue::new(vec![
        ToolEntry::for_tool::<ListFiles>(Arc::new(SearchDeps::new(
            &app.config,
            Arc::clone(&app.parsers),
            CodeIndexes::new(Arc::default(), None, None, None),
        ))),
        ToolEntry::for_tool::<SetProjectPath>(project),
        ToolEntry::for_tool::<WriteNote>(Arc::new(())),
    ]);
    let scope = catalogue.scope(["code", "notes"]).unwrap();
    Arc::new(App { catalogue, scope, ..app })
}

/// Returns a token's entry without bounds.
fn entry(name: &str, token: &str) -> ConfiguredToken {
    ConfiguredToken {
        name: name.to_owned(),
        sha256: sha256_of(token),
        toolsets: Vec::new(),
        roots: Vec::new(),
        readonly: false,
        rate_per_minute: None,
    }
}

/// Returns a client that sends a token with every request.
fn bearing(token: &str) -> reqwest::Client {
    let mut headers = HeaderMap::new();
    let value = HeaderValue::from_str(&format!("Bearer {token}")).unwrap();
    headers.insert(AUTHORIZATION, value);
    reqwest::Client::builder().default_headers(headers).build().unwrap()
}

/// Returns the names of the tools that are listed for a client.
async fn listed(client: &Stateless) -> Vec<String> {
    let list = client.request("tools/list", serde_json::json!({})).await;
    let tools = list.result()["tools"].as_array().unwrap().clone();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}
