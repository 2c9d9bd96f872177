//! The output of run.py: what fumi sent each client, and what the client's model got.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The renderings of a result that were sent or passed on.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Rendering {
    Text,
    Structure,
    Both,
    /// The client cut the result.
    Part,
    Nothing,
}

impl Rendering {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Structure => "structure",
            Self::Both => "both",
            Self::Part => "part",
            Self::Nothing => "nothing",
        }
    }
}

/// One way of one client to give tools to its model.
#[derive(Debug, Deserialize)]
pub(crate) struct Seen {
    pub(crate) client: String,
    pub(crate) version: String,
    pub(crate) model: String,
    /// How the client gives tools to this model.
    pub(crate) variant: String,
    /// Its name in `clientInfo`.
    pub(crate) name: String,
    pub(crate) tools: Tools,
    /// The size of the search, such as "216 matches in 24 files".
    pub(crate) matches: String,
    /// By form, or `own` for the form that fumi chose, and by call.
    forms: BTreeMap<String, BTreeMap<String, CallResult>>,
    /// The longest text that the client passes on whole, by language.
    pub(crate) limits: BTreeMap<String, Limit>,
}

/// fumi's tools in the model's list before any search.
#[derive(Debug, Deserialize)]
pub(crate) struct Tools {
    pub(crate) served: usize,
    pub(crate) given: usize,
    pub(crate) json: String,
}

/// What a client made of one result.
#[derive(Debug, Deserialize)]
pub(crate) struct CallResult {
    pub(crate) sent: Rendering,
    pub(crate) passed: Rendering,
    pub(crate) received: String,
    pub(crate) is_error: bool,
    pub(crate) pictures: usize,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Limit {
    /// The longest text that was whole, and the next longer one; `None` if no text was whole, or all were.
    pub(crate) whole: Option<View>,
    pub(crate) cut: Option<View>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct View {
    pub(crate) sent: Size,
    pub(crate) received: Size,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Size {
    pub(crate) characters: usize,
    pub(crate) bytes: usize,
}

impl Seen {
    /// Returns one result; `None` if it was not tried, such as a picture without a browser.
    pub(crate) fn result(&self, form: &str, call: &str) -> Option<&CallResult> {
        self.forms.get(form)?.get(call)
    }

    /// Returns what the client passes on of a form's results, without errors, pictures and results that it cut.
    pub(crate) fn passes(&self, form: &str) -> Vec<Rendering> {
        let results = self.forms.get(form).into_iter().flatten();
        let mut passed: Vec<Rendering> = results
            .filter(|(call, result)| !["error", "picture"].contains(&call.as_str()) && result.passed != Rendering::Part)
            .map(|(_, result)| result.passed)
            .collect();
        passed.sort_unstable();
        passed.dedup();
        passed
    }
}
