//! `browser_inspect_html`: returns the HTML of one element, cleaned of scripts, styles and comments.

use fumi_base::text::Locale;
use fumi_browser::HtmlRequest;
use fumi_kernel::{Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LOOKS, limits,
    on_tab::{TabAnswer, TabContext, TabTool},
    reply::fenced,
    target::TargetArg,
    texts,
};

/// The default for the maximum number of characters.
const SIZE: usize = 10_000;

#[derive(Debug)]
pub struct InspectHtml;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// The element to inspect.
    pub target: TargetArg,
    /// The number of levels below the element.
    #[schemars(range(min = 1))]
    pub depth: Option<u32>,
    /// The maximum number of characters.
    #[schemars(range(min = 1))]
    pub max_size: Option<usize>,
    /// A CSS selector of the elements to leave out.
    pub exclude_selector: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct InspectHtmlOutput {
    /// The HTML, with marks where something was cut.
    html: String,
    /// True if something was cut.
    truncated: bool,
}

impl TabAnswer for InspectHtmlOutput {
    fn text(&self, _locale: Locale) -> String {
        fenced("html", &self.html)
    }
}

impl TabTool for InspectHtml {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_inspect_html",
        texts: texts!("browser_inspect_html"),
        example: r#"{"target": "form"}"#,
        ..LOOKS
    };
    type Args = Args;
    type TabAnswer = InspectHtmlOutput;

    async fn act(args: Args, on: &mut TabContext<'_>, cx: &Cx) -> Result<InspectHtmlOutput, ToolError> {
        let request = HtmlRequest {
            target: args.target.target(),
            depth: args.depth,
            max_size: args.max_size.unwrap_or(SIZE),
            exclude: args.exclude_selector,
        };
        let found = on.tab.html(&request).await?;
        let how = if limits::fits(&found.text, limits::ANSWER) {
            (
                "use a greater maxSize, or depth, excludeSelector or a smaller target",
                "maxSize を増やすか、depth、excludeSelector、より小さい target のいずれかで絞ってください",
            )
        } else {
            (
                "use depth, excludeSelector or a smaller target",
                "depth、excludeSelector、より小さい target のいずれかで絞ってください",
            )
        };
        let characters = found.text.len();
        let html = limits::truncate_part(found.text, found.of, limits::ANSWER, cx.locale(), how);
        Ok(InspectHtmlOutput { truncated: found.cut || html.len() != characters, html })
    }
}
