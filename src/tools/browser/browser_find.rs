//! `browser_find`: searches the snapshot for lines that contain a text or match a regex, and returns them with refs.

use fumi_base::text::Locale;
use fumi_browser::LineQuery as Wanted;
use fumi_kernel::{ArgumentRule, Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LOOKS, limits,
    on_tab::{TabAnswer, TabContext, TabTool},
    texts,
};

/// The maximum number of lines that are returned. A query with more matches is too general to be useful.
const LINES: usize = 50;

/// The texts of a list of lines.
const MORE: limits::CountTexts = limits::CountTexts {
    none: (
        "none (browser_find_elements also finds hidden elements)",
        "なし（browser_find_elements は非表示の要素も探します）",
    ),
    shown: ("first", "先頭"),
    more: ("narrow the text or regex", "text か regex で絞ってください"),
};

#[derive(Debug)]
pub struct FindTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// A part of the line; case is ignored.
    #[schemars(length(min = 1))]
    pub text: Option<String>,
    /// A regular expression, in place of `text`.
    #[schemars(length(min = 1))]
    pub regex: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FindOutput {
    /// The number of all matching lines.
    total: usize,
    /// The first matching lines as in the snapshot; equal ones are followed by their surroundings.
    lines: Vec<String>,
    /// The first ref of each line that has one, in their order, for later steps of a batch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refs: Vec<String>,
}

/// Returns the first ref of a line such as `button "Save" [ref=e9]`.
fn first_ref(line: &str) -> Option<String> {
    let (_, after) = line.split_once("[ref=")?;
    let (name, _) = after.split_once(']')?;
    Some(name.to_owned())
}

impl TabAnswer for FindOutput {
    fn text(&self, locale: Locale) -> String {
        limits::with_count(self.lines.clone(), (self.lines.len(), self.total), locale, &MORE)
    }
}

impl TabTool for FindTool {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_find",
        texts: texts!("browser_find"),
        example: r#"{"text": "Save"}"#,
        rules: &[ArgumentRule::ExactlyOne(&["text", "regex"])],
        ..LOOKS
    };
    type Args = Args;
    type TabAnswer = FindOutput;

    async fn act(args: Args, on: &mut TabContext<'_>, _cx: &Cx) -> Result<FindOutput, ToolError> {
        let wanted = match (args.regex, args.text) {
            (Some(regex), _) => Wanted::Regex(regex),
            (None, text) => Wanted::Text(text.unwrap_or_default()),
        };
        let found = on.tab.find(&wanted).await?;
        Ok(FindOutput {
            total: found.total,
            refs: found.lines.iter().take(LINES).filter_map(|line| first_ref(line)).collect(),
            lines: found.lines.iter().take(LINES).map(|line| limits::truncate_row(line)).collect(),
        })
    }
}
