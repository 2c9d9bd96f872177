//! `browser_console_messages`: lists the messages in the page's console.

use fumi_base::text::Locale;
use fumi_browser::MessageLevel;
use fumi_kernel::{Cx, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LOOKS, limits, observe,
    on_tab::{TabAnswer, TabContext, TabTool},
    reply::{self, ConsoleRow},
    texts,
};

#[derive(Debug)]
pub struct ConsoleMessages;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The least severe level that is listed.
    pub level: Option<MessageLevel>,
    /// True to include messages of earlier pages.
    #[serde(default)]
    pub all: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ConsoleMessagesOutput {
    /// The number of all messages of this level.
    total: usize,
    /// The newest messages, in the order of time.
    messages: Vec<ConsoleRow>,
}

/// The texts of a list of messages.
const MORE: limits::CountTexts = limits::CountTexts {
    none: ("none", "なし"),
    shown: ("newest", "新しい方から"),
    more: (
        "raise level, or use levels, patterns or maxMessages of expectation.consoleOptions",
        "level を上げるか、expectation.consoleOptions の levels、patterns、maxMessages を使ってください",
    ),
};

impl TabAnswer for ConsoleMessagesOutput {
    fn text(&self, locale: Locale) -> String {
        let lines = reply::console_lines(&self.messages);
        limits::with_count(lines, (self.messages.len(), self.total), locale, &MORE)
    }
}

impl TabTool for ConsoleMessages {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_console_messages",
        texts: texts!("browser_console_messages"),
        example: r#"{"level": "error"}"#,
        ..LOOKS
    };
    const DESPITE_DIALOG: bool = true;
    type Args = Args;
    type TabAnswer = ConsoleMessagesOutput;

    async fn act(args: Args, on: &mut TabContext<'_>, cx: &Cx) -> Result<ConsoleMessagesOutput, ToolError> {
        let options = &cx.expectation.console_options;
        // If levels are named, only they filter; the default minimum level does not apply.
        let least = if options.levels.is_some() { MessageLevel::Debug } else { MessageLevel::Info };
        let messages = on.tab.console(args.level.unwrap_or(least), args.all);
        // The list is the answer: without a limit of the caller, only its size counts.
        let limit = options.max_messages.unwrap_or(usize::MAX);
        let joins = options.remove_duplicates.unwrap_or(false);
        let (messages, omitted) = observe::last_messages(&messages, options, (limit, limits::ANSWER), joins);
        Ok(ConsoleMessagesOutput { total: messages.len() + omitted, messages })
    }
}
