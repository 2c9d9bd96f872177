//! `browser_console_messages`: lists the messages in the page's console.

use fumi_base::{expectation::Expectation, text::Locale};
use fumi_browser as browser;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LOOKS, expected, length,
    observed::Message,
    observing,
    on_tab::{Done, On, TabTool},
    texts,
};
use crate::tool::{Cx, Spec, ToolError};

#[derive(Debug)]
pub struct ConsoleMessages;

/// What the client sends.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The least severe that is listed.
    pub level: Option<Level>,
    /// Also those of earlier pages.
    #[serde(default)]
    pub all: bool,
}

/// How severe a message is.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Only errors.
    Error,
    /// Warnings too.
    Warning,
    /// What pages usually write.
    Info,
    /// All.
    Debug,
}

impl From<Level> for browser::Level {
    fn from(level: Level) -> Self {
        match level {
            Level::Error => Self::Error,
            Level::Warning => Self::Warning,
            Level::Info => Self::Info,
            Level::Debug => Self::Debug,
        }
    }
}

/// What it answers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Listed {
    /// All of this level.
    total: usize,
    /// The newest of them, the oldest first.
    messages: Vec<Message>,
}

impl Done for Listed {
    fn text(&self, locale: Locale) -> String {
        length::listed(self.messages.iter().map(Message::line), self.total, locale)
    }
}

impl TabTool for ConsoleMessages {
    const SPEC: Spec = Spec {
        name: "browser_console_messages",
        texts: texts!("browser_console_messages"),
        example: r#"{"level": "error"}"#,
        ..LOOKS
    };
    const DESPITE_DIALOG: bool = true;
    type Args = Args;
    type Done = Listed;

    fn expects(_args: &Args) -> Expectation {
        expected::answering()
    }

    async fn act(args: Args, on: &mut On<'_>, cx: &Cx) -> Result<Listed, ToolError> {
        let options = &cx.expectation.console_options;
        // If levels are named, only they filter; the default minimum level does not apply.
        let least = if options.levels.is_some() {
            Level::Debug
        } else {
            Level::Info
        };
        let messages = on.tab.console(args.level.unwrap_or(least).into(), args.all);
        let rows: Vec<Message> = observing::chosen(&messages, options)
            .into_iter()
            .map(Into::into)
            .collect();
        Ok(Listed {
            total: rows.len(),
            messages: length::newest(rows, length::ANSWER, Message::line),
        })
    }
}
