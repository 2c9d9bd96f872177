//! The `noveler` tool: typed commands such as `write 1`, `plot 2 --regenerate` and `status`. Each is replaced by a call
//! of another tool; no shell is involved.

use std::collections::BTreeMap;

use fumi_base::{
    errors::UserError,
    project::quoted,
    text::{BilingualText, Locale},
};
use fumi_kernel::{Cx, Render, ReplacementCall, Tool, ToolError, ToolOutcome, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use unicode_normalization::UnicodeNormalization as _;

use super::{BOOK, NovelDeps, WRITES, suggestion::call_line, texts};

#[derive(Debug)]
pub struct Noveler;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    #[schemars(length(min = 1, max = 400))]
    command: String,
}

/// The reply if the caller cannot call the tool of the command. Otherwise that tool replies, so the schema is open.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("additionalProperties" = true))]
pub struct Output {
    success: bool,
    /// The tool that the command calls.
    tool: String,
    /// The arguments of that tool.
    arguments: Map<String, Value>,
}

/// A command and the tool that it calls.
struct TypedCommand {
    name: &'static str,
    tool: &'static str,
    /// True if the command takes an episode number.
    has_episode: bool,
    options: &'static [(&'static str, OptionValue)],
    /// An option that selects another tool.
    shortcut: Option<(&'static str, &'static str)>,
}

/// The kind of value that an option takes.
#[derive(Clone, Copy)]
enum OptionValue {
    /// A flag without a value.
    Flag,
    /// A non-negative whole number.
    Number,
    /// A single word.
    Word,
}

const COMMANDS: [TypedCommand; 7] = [
    TypedCommand {
        name: "write",
        tool: "noveler_write",
        has_episode: true,
        options: &[
            ("dry_run", OptionValue::Flag),
            ("restart", OptionValue::Flag),
            ("five_stage", OptionValue::Flag),
            ("verbose", OptionValue::Flag),
            ("word_count_target", OptionValue::Number),
            ("session_id", OptionValue::Word),
        ],
        shortcut: None,
    },
    TypedCommand {
        name: "resume",
        tool: "write_resume",
        has_episode: true,
        options: &[("session_id", OptionValue::Word)],
        shortcut: None,
    },
    TypedCommand {
        name: "check",
        tool: "noveler_check",
        has_episode: true,
        options: &[("auto_fix", OptionValue::Flag), ("verbose", OptionValue::Flag)],
        shortcut: Some(("basic", "check_basic")),
    },
    TypedCommand {
        name: "plot",
        tool: "noveler_plot",
        has_episode: true,
        options: &[("regenerate", OptionValue::Flag)],
        shortcut: None,
    },
    TypedCommand {
        name: "complete",
        tool: "noveler_complete",
        has_episode: true,
        options: &[("auto_publish", OptionValue::Flag)],
        shortcut: None,
    },
    TypedCommand { name: "status", tool: "status", has_episode: false, options: &[], shortcut: None },
    TypedCommand { name: "init", tool: "init", has_episode: false, options: &[], shortcut: None },
];

/// The error for a command that cannot be parsed.
#[derive(Debug, UserError)]
#[fact(forms = forms())]
struct UnknownCommand {
    command: String,
    reason: BilingualText,
    /// The change of the call that helps; empty for the example of the catalogue.
    change: &'static str,
}

/// Returns the commands with their options.
fn forms() -> String {
    let forms = COMMANDS.iter().map(|command| {
        let episode = if command.has_episode { " EPISODE" } else { "" };
        let names = command.options.iter().map(|(name, _)| *name);
        let names = names.chain(command.shortcut.map(|(name, _)| name));
        let options = names.fold(String::new(), |all, name| all + " [--" + &name.replace('_', "-") + "]");
        format!("{}{episode}{options}", command.name)
    });
    forms.collect::<Vec<_>>().join("; ")
}

/// Parses a command into the call that it stands for.
fn parse_command(command: &str) -> Result<ReplacementCall, UnknownCommand> {
    let unread = |en: String, ja: String| UnknownCommand {
        command: command.to_owned(),
        reason: BilingualText::new(en, ja),
        change: "",
    };
    // Normalises full-width letters and digits from an input method.
    let plain: String = command.nfkc().collect();
    let mut words = plain.split_whitespace().peekable();
    words.next_if(|word| matches!(*word, "/noveler" | "noveler"));
    let name = words.next().unwrap_or_default();
    let Some(known) = COMMANDS.iter().find(|known| known.name == name) else {
        return Err(unread(
            format!("unknown command {}", quoted(name)),
            format!("{} というコマンドはありません", quoted(name)),
        ));
    };
    let mut arguments = Map::new();
    let mut tool = known.tool;
    while let Some(word) = words.next() {
        if let Some(option) = word.strip_prefix("--") {
            let (option, inline) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
            let option = option.replace('-', "_");
            if let Some((_, other)) = known.shortcut.filter(|(name, _)| *name == option) {
                tool = other;
                continue;
            }
            let Some((name, takes)) = known.options.iter().find(|(name, _)| *name == option) else {
                return Err(unread(
                    format!("{name} has no option --{option}"),
                    format!("{name} に --{option} というオプションはありません"),
                ));
            };
            let value = match takes {
                OptionValue::Flag => Some(json!(true)),
                OptionValue::Number => {
                    inline.or_else(|| words.next()).and_then(|word| word.parse::<u64>().ok()).map(Value::from)
                }
                OptionValue::Word => inline.or_else(|| words.next()).map(Value::from),
            };
            let Some(value) = value else {
                return Err(unread(format!("--{option} needs a value"), format!("--{option} には値が必要です")));
            };
            arguments.insert((*name).to_owned(), value);
        } else if known.name == "init" {
            // Any further word, such as a title, gets the same error from `init`.
        } else if known.has_episode && !arguments.contains_key("episode") {
            let digits = word.trim_start_matches('第').trim_end_matches('話');
            let Some(episode) = digits.parse::<u32>().ok().filter(|number| (1..=99_999).contains(number)) else {
                return Err(unread(
                    format!("{} is not an episode number", quoted(word)),
                    format!("{} は話数として読めません", quoted(word)),
                ));
            };
            arguments.insert("episode".to_owned(), json!(episode));
        } else {
            return Err(unread(
                format!("{} is not understood", quoted(word)),
                format!("{} は解釈できません", quoted(word)),
            ));
        }
    }
    if known.has_episode && !arguments.contains_key("episode") {
        return Err(unread(format!("{name} needs the number of an episode"), format!("{name} には話数が必要です")));
    }
    if known.name == "resume" && !arguments.contains_key("session_id") {
        return Err(UnknownCommand {
            change: r#"{"command": "status"}"#,
            ..unread(
                "resume needs --session-id; the command status lists the open sessions".to_owned(),
                "resume には --session-id が必要です。進行中のセッションは status コマンドで分かります".to_owned(),
            )
        });
    }
    Ok(ReplacementCall { tool, arguments })
}

impl Tool for Noveler {
    const SPEC: ToolSpec = ToolSpec {
        name: "noveler",
        texts: texts!("noveler"),
        example: r#"{"command": "write 1"}"#,
        // The tool itself takes no pool slot; the call that replaces it does.
        pool: fumi_base::pools::Pool::Analysis,
        exclusive: false,
        ..WRITES
    };
    // The call that replaces this one may ask.
    const ASKS: bool = true;
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, _: &NovelDeps, _: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        Ok(ToolOutcome::Instead(parse_command(&args.command)?))
    }
}

impl Render for Output {
    fn text(&self, _: Locale) -> String {
        call_line(&self.tool, &Value::Object(self.arguments.clone()))
    }
}

/// Returns the tools behind the commands, for a test.
pub fn tools() -> BTreeMap<&'static str, &'static str> {
    COMMANDS.iter().map(|command| (command.name, command.tool)).collect()
}

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;
    use serde_json::{Value, json};

    use super::parse_command;

    #[test]
    fn typed_commands_are_parsed() {
        for (command, tool, arguments) in [
            ("write 1", "noveler_write", json!({"episode": 1})),
            ("/noveler write 第３話 --dry-run", "noveler_write", json!({"episode": 3, "dry_run": true})),
            ("ｗｒｉｔｅ　２", "noveler_write", json!({"episode": 2})),
            (
                "write 1 --word-count-target 5000 --session-id=session_x",
                "noveler_write",
                json!({"episode": 1, "word_count_target": 5000, "session_id": "session_x"}),
            ),
            ("plot --regenerate 12", "noveler_plot", json!({"regenerate": true, "episode": 12})),
            ("status", "status", json!({})),
            ("complete 1 --auto_publish", "noveler_complete", json!({"episode": 1, "auto_publish": true})),
        ] {
            let read = parse_command(command).unwrap_or_else(|error| panic!("{command}: {error}"));
            assert_eq!((read.tool, Value::Object(read.arguments)), (tool, arguments), "{command}");
        }
    }

    #[test]
    fn unknown_commands_report_known_forms() {
        for command in [
            "",
            "delete 1",
            "write",
            "write x",
            "write 0",
            "write 1 2",
            "write 1 --fast",
            "write 1 --word-count-target",
            "status 1",
            "resume 1",
            "write 1; rm -rf /",
            "$(reboot)",
        ] {
            let lesson = parse_command(command).expect_err(command).error_message();
            assert_eq!(lesson.code, "INVALID_ARGUMENTS", "{command}");
            assert!(lesson.message.en.contains("write EPISODE [--dry-run]"), "{}", lesson.message.en);
            assert!(lesson.message.ja.ends_with('。'), "{}", lesson.message.ja);
        }
    }
}
