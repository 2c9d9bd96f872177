//! What a model is shown of a reply, by the client: the rows of src/mcp/clients.toml.
//!
//! Invariant: where a result has no structure, every client passes on its text.

use fumi_kernel::{ResultForm, ToolReply};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;

use crate::count;

/// What a client passes on to the model of a result that has a text and a structure.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PassedOn {
    Text,
    Structure,
    Both,
}

impl PassedOn {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Text => "the text",
            Self::Structure => "the structure",
            Self::Both => "both",
        }
    }
}

/// The form of results, with what is passed on of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct View {
    pub(crate) form: ResultForm,
    passes: PassedOn,
}

impl View {
    /// Only the text, which has no structure beside it.
    pub(crate) const TEXT: Self = Self {
        form: ResultForm::Text,
        passes: PassedOn::Text,
    };

    /// The structure of a result with both: what Claude Code and Codex showed before fumi chose the form.
    pub(crate) const STRUCTURE_OF_BOTH: Self = Self {
        form: ResultForm::Both,
        passes: PassedOn::Structure,
    };

    /// Creates the view of a client that gets a form.
    pub(crate) const fn new(form: ResultForm, passes: PassedOn) -> Self {
        let passes = match form {
            ResultForm::Both => passes,
            ResultForm::Text => PassedOn::Text,
            ResultForm::Structured => PassedOn::Structure,
        };
        Self { form, passes }
    }

    /// Returns the tokens of a reply that was made in the form of the view.
    pub(crate) fn cost(self, reply: &ToolReply) -> usize {
        let structure = || count(&reply.structured.to_string());
        match self.passes {
            PassedOn::Text => count(&self.text(reply)),
            PassedOn::Structure => structure(),
            PassedOn::Both => count(&self.text(reply)) + structure(),
        }
    }

    /// Returns what a model reads of a reply, in which an answer is looked for.
    pub(crate) fn shown(self, reply: &ToolReply) -> String {
        let structure = || {
            let mut read = String::new();
            strings(&reply.structured, &mut read);
            read + &reply.structured.to_string()
        };
        match self.passes {
            PassedOn::Text => self.text(reply),
            PassedOn::Structure => structure(),
            PassedOn::Both => self.text(reply) + "\n" + &structure(),
        }
    }

    /// Returns the text as it is sent: without the structure, a text that is JSON by itself gets a heading.
    fn text(self, reply: &ToolReply) -> String {
        if self.form == ResultForm::Text && serde_json::from_str::<IgnoredAny>(&reply.text).is_ok() {
            return format!("→\n{}", reply.text);
        }
        reply.text.clone()
    }
}

/// Appends every text in a structure, as a reader of JSON sees it.
fn strings(value: &Value, found: &mut String) {
    match value {
        Value::String(text) => {
            found.push_str(text);
            found.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(fields) => fields.values().for_each(|value| strings(value, found)),
        _ => {}
    }
}

/// A client of the file.
#[derive(Deserialize)]
pub(crate) struct Client {
    #[serde(rename = "client")]
    pub(crate) name: String,
    pub(crate) passes: PassedOn,
    /// The form that fumi sends it.
    pub(crate) form: ResultForm,
}

impl Client {
    /// Returns what its model sees of fumi's results.
    pub(crate) const fn view(&self) -> View {
        View::new(self.form, self.passes)
    }

    /// Returns what its model would see if fumi sent every client the text and the structure.
    pub(crate) const fn view_of_both(&self) -> View {
        View::new(ResultForm::Both, self.passes)
    }
}

/// Returns every view that is counted: those that a client has, or would have without fumi's choice.
pub(crate) fn views() -> Vec<View> {
    let mut views = vec![View::TEXT, View::STRUCTURE_OF_BOTH];
    for view in known().iter().flat_map(|client| [client.view(), client.view_of_both()]) {
        if !views.contains(&view) {
            views.push(view);
        }
    }
    views
}

/// Returns all clients of the file.
pub(crate) fn known() -> Vec<Client> {
    #[derive(Deserialize)]
    struct File {
        client: Vec<Client>,
    }
    let file: File = toml::from_str(include_str!("../../src/mcp/clients.toml")).expect("a test reads it");
    file.client
}
