//! The cost of the list of tools by URL, of a running fumi: what each conversation pays before its first question.

use std::path::Path;

use fumi_kernel::ResultForm;
use serde_json::{Value, json};

use crate::{count, server::Server};

/// The version of the protocol without sessions.
const STATELESS: &str = "2026-07-28";

/// The languages of descriptions.
pub(crate) const LANGUAGES: [&str; 2] = ["en", "ja"];

/// The forms that are compared: lists have output schemas where results have a structure.
pub(crate) const FORMS: [ResultForm; 2] = [ResultForm::Text, ResultForm::Both];

/// The fields of a tool that clients show to the model; they keep the others for themselves.
const OF_MODEL: [&str; 4] = ["name", "title", "description", "inputSchema"];

/// The URLs, by whether the project is a novel.
const URLS: [(&str, bool); 6] = [
    ("/mcp", false),
    ("/mcp", true),
    ("/mcp/code", false),
    ("/mcp/browser", false),
    ("/mcp/code,browser", false),
    ("/mcp/all", false),
];

/// The tokens of a list.
#[derive(Clone, Copy)]
pub(crate) struct ListCost {
    /// All fields of its tools.
    pub(crate) sent: usize,
    /// The fields for the model.
    pub(crate) of_model: usize,
}

/// The lists of a URL.
pub(crate) struct UrlLists {
    pub(crate) url: &'static str,
    pub(crate) is_novel: bool,
    pub(crate) tools: usize,
    /// By form, then by language.
    pub(crate) costs: Vec<Vec<ListCost>>,
}

impl UrlLists {
    /// Returns what a model pays at most, in any language. It is the same in both forms.
    pub(crate) fn most_of_model(&self) -> usize {
        self.costs
            .iter()
            .flatten()
            .map(|cost| cost.of_model)
            .max()
            .unwrap_or_default()
    }
}

/// Asks for every list.
pub(crate) fn run(code: &Path) -> Vec<UrlLists> {
    let novel = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/novel");
    let servers = [code, &novel].map(|root| Server::start(root, &[]));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime starts");
    let lists = URLS
        .iter()
        .map(|(url, is_novel)| {
            let address = &servers[usize::from(*is_novel)].address;
            runtime.block_on(lists_of(address, url, *is_novel))
        })
        .collect();
    servers.into_iter().for_each(Server::stop);
    lists
}

async fn lists_of(address: &str, url: &'static str, is_novel: bool) -> UrlLists {
    let (mut costs, mut tools) = (Vec::new(), 0);
    for form in FORMS {
        let mut of_form = Vec::new();
        for language in LANGUAGES {
            let full = format!("http://{address}{url}?result={}&lang={language}", form.name());
            let list = listed(&full).await;
            tools = list.len();
            of_form.push(cost(&list));
        }
        costs.push(of_form);
    }
    UrlLists {
        url,
        is_novel,
        tools,
        costs,
    }
}

/// Returns the tools of a list, as a client gets them.
async fn listed(url: &str) -> Vec<Value> {
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/list",
        "params": {"_meta": {
            "io.modelcontextprotocol/protocolVersion": STATELESS,
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }},
    });
    let request = reqwest::Client::new()
        .post(url)
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", STATELESS)
        .header("mcp-method", "tools/list")
        .json(&body);
    let text = request
        .send()
        .await
        .expect("fumi answers")
        .text()
        .await
        .expect("a text");
    // One message, or a stream of events with one.
    let message = text.lines().find_map(|line| {
        let message = line.strip_prefix("data:").unwrap_or(line);
        serde_json::from_str::<Value>(message).ok()
    });
    let mut message = message.unwrap_or_else(|| panic!("{url}: {text}"));
    match message["result"]["tools"].take() {
        Value::Array(tools) => tools,
        _ => panic!("{url}: {text}"),
    }
}

fn cost(tools: &[Value]) -> ListCost {
    let of_model = |tool: &Value| {
        let fields = OF_MODEL
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), tool.get(*name)?.clone())));
        Value::Object(fields.collect())
    };
    ListCost {
        sent: tools.iter().map(|tool| count(&tool.to_string())).sum(),
        of_model: tools.iter().map(|tool| count(&of_model(tool).to_string())).sum(),
    }
}
