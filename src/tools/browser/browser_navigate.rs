//! `browser_navigate`: opens a URL in the current tab.

use fumi_base::{expectation::Expectation, text::Locale};
use fumi_browser::Arrival;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ACTS, expected, length,
    on_tab::{Done, On, TabTool},
    playwright::{self, Line},
    texts,
};
use crate::tool::{Cx, Spec, ToolError};

/// See the module.
#[derive(Debug)]
pub struct Navigate;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// Where to go.
    pub url: String,
}

/// How the tab got where it is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Arrived {
    /// The addresses that led on, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    redirects: Vec<String>,
}

impl From<Arrival> for Arrived {
    fn from(arrival: Arrival) -> Self {
        Self {
            redirects: arrival.redirects.iter().map(|url| length::row(url)).collect(),
        }
    }
}

impl Done for Arrived {
    fn text(&self, _locale: Locale) -> String {
        if self.redirects.is_empty() {
            return String::new();
        }
        format!("Redirected: {} →", self.redirects.join(" → "))
    }
}

impl TabTool for Navigate {
    const SPEC: Spec = Spec {
        name: "browser_navigate",
        texts: texts!("browser_navigate"),
        example: r#"{"url": "http://localhost:8080/"}"#,
        ..ACTS
    };
    const SAYS_PLACE: bool = true;
    const CHANGES: usize = expected::WHOLE;
    type Args = Args;
    type Done = Arrived;

    fn expects(_args: &Args) -> Expectation {
        expected::arriving()
    }

    fn code(args: &Args) -> Vec<Line> {
        vec![Line::page(&format!("goto({})", playwright::quoted(&args.url)))]
    }

    async fn act(args: Args, on: &mut On<'_>, _cx: &Cx) -> Result<Arrived, ToolError> {
        Ok(on.tab.navigate(&args.url).await?.into())
    }
}
