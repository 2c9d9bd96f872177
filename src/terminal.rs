//! Output for a person at a terminal: coloured, and wrapped to its width. Into a pipe, commands print JSON instead.

use std::io::{IsTerminal as _, Write as _};

use anstyle::{AnsiColor, Style};
use fumi::setup::doctor::Finding;
use fumi_base::text::Locale;
use fumi_kernel::{Block, ToolReply};
use textwrap::Options;

const HEADING: Style = AnsiColor::Green.on_default().bold();
const NAME: Style = AnsiColor::Cyan.on_default();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// The columns before the summary of a tool. Longer names have a line of their own.
const SUMMARY_AT: usize = 28;

/// One line of the list of tools.
pub(crate) struct ListedTool<'t> {
    pub(crate) toolset: &'t str,
    pub(crate) name: &'t str,
    pub(crate) summary: &'t str,
}

/// True if a person reads standard output.
pub(crate) fn is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Returns the language of the person, from the variables that POSIX defines for messages.
pub(crate) fn language(variable: impl Fn(&str) -> Option<String>) -> Locale {
    let wanted =
        ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(|name| variable(name).filter(|value| !value.is_empty()));
    wanted.and_then(|wanted| Locale::negotiate(&wanted)).unwrap_or_default()
}

/// Prints tools, with a heading before each toolset.
pub(crate) fn print_tools<'t>(tools: impl Iterator<Item = ListedTool<'t>>) {
    let indent = " ".repeat(SUMMARY_AT);
    let (mut text, mut toolset) = (String::new(), "");
    for tool in tools {
        if tool.toolset != toolset {
            toolset = tool.toolset;
            text += &format!("{}{HEADING}{toolset}{HEADING:#}\n", if text.is_empty() { "" } else { "\n" });
        }
        let name = format!("  {NAME}{:<1$}{NAME:#}", tool.name, SUMMARY_AT - 3);
        let first = if tool.name.len() > SUMMARY_AT - 3 { format!("{name}\n{indent}") } else { format!("{name} ") };
        let wrap = Options::with_termwidth().initial_indent(&indent).subsequent_indent(&indent);
        text += &textwrap::fill(tool.summary, wrap).replacen(&indent, &first, 1);
        text.push('\n');
    }
    print(&text);
}

/// Prints findings, each fault with the step that mends it.
pub(crate) fn print_findings(findings: &[Finding]) {
    let mut text = String::new();
    for Finding { text: found, next } in findings {
        let found = visible(found);
        text += &match next {
            None => format!("{HEADING}✓{HEADING:#} {found}\n"),
            Some(next) => format!("{ERROR}✗{ERROR:#} {found}\n  → {}\n", visible(next)),
        };
    }
    print(&text);
}

/// Prints the text form of a reply, then its links and images by name. Lines are not wrapped, because some of them are
/// source code or rows of tables.
pub(crate) fn print_reply(reply: &ToolReply) {
    let is_error = reply.is_error;
    let mut text = visible(reply.text.trim_end());
    for block in &reply.blocks {
        text += &match block {
            Block::Link { uri, .. } => format!("\n{}", visible(uri)),
            Block::Label(label) => format!("\n{}", visible(label)),
            // Three bytes of four characters in base64.
            Block::Image { data, mime_type } => format!("\n[{mime_type}, {} bytes]", data.len() / 4 * 3),
        };
    }
    let text = text.as_str();
    if is_error {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        print(&format!("{ERROR}{first}{ERROR:#}\n{rest}\n"));
    } else {
        print(&format!("{text}\n"));
    }
}

/// Replaces control characters by their escapes: a file must not colour, move or rename the terminal of its reader.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() && !matches!(letter, '\n' | '\t') {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// Writes to standard output, without colours if the terminal or `NO_COLOR` asks for none. A reader that is gone is not
/// an error.
fn print(text: &str) {
    let mut out = anstream::stdout().lock();
    let _ = write!(out, "{text}").and_then(|()| out.flush());
}
