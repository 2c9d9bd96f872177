//! The reply of a browser tool: its own fields, followed by the observed state of the page.
//!
//! Text and structure contain the same; the text is Markdown with the sections that models know from Playwright. A part
//! is absent if it was not requested or is empty; facts that no caller may miss are present whenever they occur.

use fumi_base::text::Locale;
use fumi_browser as browser;
use fumi_kernel::{Block, Render};
use schemars::JsonSchema;
use serde::Serialize;

use super::{limits, on_tab::TabAnswer};

/// The reply of a browser tool: its answer with the observation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BrowserReply<D> {
    /// Always true.
    pub(super) success: bool,
    #[serde(flatten)]
    pub(super) done: D,
    #[serde(flatten)]
    pub(super) seen: ObservedPage,
    /// The Playwright lines in TypeScript that do the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<String>,
    /// The handle to pass as `browser_session` in later calls. In a batch only the first step reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) browser_session: Option<String>,
    /// True if the caller needs the handle and did not give it: it has no session of the protocol.
    #[serde(skip)]
    pub(super) is_handle_news: bool,
}

/// The state of a tab after an act.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct ObservedPage {
    /// The URL of the tab, if it changed or was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) url: Option<String>,
    /// The title of the page, if it changed or was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<String>,
    /// The HTTP status of the page, if it is new and not a success, or if it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<u16>,
    /// The open dialog. While it waits for an answer, nothing else of the page is observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) dialog: Option<DialogPart>,
    /// The file chooser that waits for files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file_chooser: Option<FileChooser>,
    /// The snapshot of the page, or of a part of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) snapshot: Option<String>,
    /// The language of the snapshot's text.
    #[serde(skip)]
    pub(super) language: &'static str,
    /// The changes since the last snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) changes: Option<String>,
    /// The console messages since the last reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) console: Option<ConsolePart>,
    /// All tabs, or only the new ones if the list was not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tabs: Option<Vec<TabRow>>,
    /// The downloads that began or ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) downloads: Option<Vec<DownloadRow>>,
    /// A notice: a crash, a page that is still loading, a session that had to start again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) notice: Option<String>,
}

/// JSON pointers to the facts that are reported without being requested, and to the session's handle. They are never
/// cut from a reply: without them a caller would continue on wrong assumptions.
const NEVER_MISSED: [&str; 10] = [
    "/browser_session",
    "/url",
    "/title",
    "/status",
    "/dialog",
    "/file_chooser",
    "/console/new_errors",
    "/tabs",
    "/downloads",
    "/notice",
];

/// An open dialog of a page.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DialogPart {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    #[serde(rename = "type")]
    kind: String,
    message: String,
    /// The initial text of a prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    default_text: Option<String>,
}

/// A file chooser that a page opened.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileChooser {
    /// True if it accepts several files.
    multiple: bool,
}

/// The changes of the console.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConsolePart {
    /// The number of errors since the last reply.
    pub(super) new_errors: usize,
    /// The messages, if they were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) messages: Option<Vec<ConsoleRow>>,
    /// The number of earlier requested messages that are left out, if any; `browser_console_messages` lists them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) omitted: Option<usize>,
}

/// A console message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ConsoleRow {
    /// `error`, `warning`, `info` or `debug`.
    level: &'static str,
    text: String,
    /// The source location as `URL:line:column`.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    /// The number of consecutive occurrences, if more than one.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
}

/// A tab of the session.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TabRow {
    /// The index, counted from 0.
    index: usize,
    title: String,
    url: String,
    /// True for the tab on which tools act.
    current: bool,
    /// True for a tab that a page has opened since the last reply.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    new: bool,
    /// The dialog that blocks the tab: select the tab and answer it.
    #[serde(skip_serializing_if = "Option::is_none")]
    dialog: Option<DialogPart>,
}

/// A download of a page.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DownloadRow {
    name: String,
    url: String,
    /// `running`, `done` or `cancelled`.
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    /// The path in the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The reason why the file was not moved into the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
}

impl From<browser::PageDialog> for DialogPart {
    fn from(dialog: browser::PageDialog) -> Self {
        Self {
            kind: dialog.kind,
            message: limits::truncate_row(&dialog.message),
            default_text: dialog.default_prompt.as_deref().map(limits::truncate_row),
        }
    }
}

impl From<browser::Chooser> for FileChooser {
    fn from(chooser: browser::Chooser) -> Self {
        Self { multiple: chooser.multiple }
    }
}

/// Returns the name of a level in Playwright's tools.
const fn word(level: browser::MessageLevel) -> &'static str {
    match level {
        browser::MessageLevel::Error => "error",
        browser::MessageLevel::Warning => "warning",
        browser::MessageLevel::Info => "info",
        browser::MessageLevel::Debug => "debug",
    }
}

impl From<&browser::ConsoleMessage> for ConsoleRow {
    fn from(message: &browser::ConsoleMessage) -> Self {
        Self {
            level: word(message.level),
            text: limits::truncate_row(&message.text),
            place: message.place.as_deref().map(limits::truncate_row),
            count: (message.repeated > 1).then_some(message.repeated),
        }
    }
}

impl ConsoleRow {
    /// Formats the message as one line with its whole source location.
    pub(super) fn line(&self) -> String {
        self.line_at(self.place.as_deref())
    }

    /// Formats the message as one line below the heading of its source file.
    fn line_at(&self, place: Option<&str>) -> String {
        let place = place.map(|place| format!("{place} "));
        let count = self.count.map(|count| format!(" ×{count}"));
        let text = self.text.replace('\n', " ⏎ ");
        format!("{}[{}] {text}{}", place.unwrap_or_default(), self.level, count.unwrap_or_default())
    }

    /// Splits the source location into the URL and `line:column`, which is empty if there is none.
    fn split_place(&self) -> Option<(&str, &str)> {
        let place = self.place.as_deref()?;
        // A number before the path is a port.
        let path = place.find("://").map_or(0, |at| {
            let host = at + "://".len();
            place[host..].find('/').map_or(place.len(), |slash| host + slash)
        });
        let numbers = place[path..].bytes().rev();
        let numbers = numbers.take_while(|byte| byte.is_ascii_digit() || *byte == b':').count();
        let start = place.len() - numbers;
        let end = place[start..].find(':').map_or(place.len(), |colon| start + colon);
        Some((&place[..end], place[end..].trim_start_matches(':')))
    }

    /// Adds the occurrences of an equal message.
    pub(super) fn add_count(&mut self, other: &Self) {
        self.count = Some(self.count.unwrap_or(1) + other.count.unwrap_or(1));
    }

    /// True if another message is equal, apart from the number of occurrences.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        (self.level, &self.text, &self.place) == (other.level, &other.text, &other.place)
    }
}

impl TabRow {
    /// Returns the row of a tab. `is_new`: a page has opened it since the last reply.
    pub(super) fn new(tab: &browser::TabInfo, is_new: bool) -> Self {
        Self {
            index: tab.index,
            title: limits::truncate_row(&tab.title),
            url: limits::truncate_row(&tab.url),
            current: tab.current,
            new: is_new,
            dialog: tab.dialog.clone().map(Into::into),
        }
    }
}

impl DownloadRow {
    /// Returns the row of a download, with its path in the project.
    pub(super) fn new(download: &browser::PageDownload, file: Option<String>) -> Self {
        Self {
            name: limits::truncate_row(&download.name),
            url: limits::truncate_row(&download.url),
            state: match download.state {
                browser::DownloadState::Running => "running",
                browser::DownloadState::Done => "done",
                browser::DownloadState::Cancelled => "cancelled",
            },
            bytes: Some(download.bytes),
            file,
            failure: None,
        }
    }

    /// Returns the row of a download that could not be moved into the project.
    pub(super) fn not_saved(download: &browser::PageDownload, why: &str) -> Self {
        Self { failure: Some(why.to_owned()), ..Self::new(download, None) }
    }
}

/// Returns a link to a page, which is its URL if it has no title.
pub(super) fn link(title: &str, url: &str) -> String {
    if title.is_empty() { url.to_owned() } else { format!("[{title}]({url})") }
}

impl TabRow {
    /// Formats the tab as one line. `is_page_shown`: the reply shows URL and title of the current tab already.
    fn line(&self, is_page_shown: bool) -> String {
        let mut line = format!("- {}:", self.index);
        line.push_str(if self.current { " (current)" } else { "" });
        line.push_str(if self.new { " (new)" } else { "" });
        if !(self.current && is_page_shown) {
            line.push_str(&format!(" {}", link(&self.title, &self.url)));
        }
        line.extend(self.dialog.iter().map(|dialog| format!(" — dialog: {}", dialog.line())));
        line
    }
}

impl DownloadRow {
    /// Formats the download as one line: a saved file by its path, any other by its name and URL.
    fn line(&self) -> String {
        let (name, state, url) = (&self.name, self.state, &self.url);
        let bytes = self.bytes.map(|bytes| format!(", {bytes} bytes")).unwrap_or_default();
        if let Some(file) = &self.file {
            let is_renamed = file.rsplit('/').next() != Some(name.as_str());
            let from = if is_renamed { format!("{name} → ") } else { String::new() };
            return format!("- {from}{file} ({state}{bytes})");
        }
        let failure = self.failure.as_ref().map(|failure| format!(": {failure}"));
        format!("- {name} ({state}{bytes}) from {url}{}", failure.unwrap_or_default())
    }
}

impl DialogPart {
    /// Formats the dialog as one line.
    pub(super) fn line(&self) -> String {
        let holds = self.default_text.as_ref().map(|text| format!(" (holds {text:?})"));
        format!("{} {:?}{}", self.kind, self.message, holds.unwrap_or_default())
    }
}

impl ObservedPage {
    /// Returns the lines of the section "Page". A page without a status has been loaded successfully.
    fn page(&self) -> Vec<String> {
        let url = self.url.as_ref().map(|url| format!("- URL: {url}"));
        let title = self.title.as_ref().filter(|title| !title.is_empty());
        let title = title.map(|title| format!("- Title: {title}"));
        let status = self.status.filter(|status| !(200..300).contains(status));
        let status = status.map(|status| format!("- Status: {status}"));
        let dialog = self.dialog.as_ref().map(|dialog| format!("- Dialog: {} (browser_handle_dialog)", dialog.line()));
        let chooser = self.file_chooser.as_ref().map(|chooser| {
            let many = if chooser.multiple { "several files" } else { "one file" };
            format!("- File chooser: {many} (browser_file_upload)")
        });
        let errors = self.console.as_ref().filter(|console| console.new_errors > 0);
        let errors = errors.map(|console| match console.new_errors {
            1 => "- Console: 1 new error".to_owned(),
            several => format!("- Console: {several} new errors"),
        });
        let notice = self.notice.as_ref().map(|notice| format!("- {notice}"));
        [url, title, status, dialog, chooser, errors, notice].into_iter().flatten().collect()
    }
}

impl ObservedPage {
    /// Returns the sections of the text that are not empty, or that say that something requested is empty.
    fn sections(&self, code: Option<&String>, locale: Locale) -> Vec<String> {
        let (none, empty) = match locale {
            Locale::En => ("none", "empty page"),
            Locale::Ja => ("なし", "空のページ"),
        };
        let quoted = |heading, language, text: Option<&String>, if_empty: &str| {
            let text = text.map(|text| match text.as_str() {
                "" => if_empty.to_owned(),
                text => fenced(language, text),
            });
            section(heading, &text.unwrap_or_default())
        };
        let is_page_shown = self.url.is_some() && self.title.is_some();
        let downloads = match &self.downloads {
            Some(rows) if rows.is_empty() => none.to_owned(),
            rows => lines(rows.as_ref(), DownloadRow::line),
        };
        let sections = [
            quoted("Code", "ts", code, ""),
            section("Page", &self.page().join("\n")),
            quoted("Snapshot", self.language, self.snapshot.as_ref(), empty),
            quoted("Changes", "diff", self.changes.as_ref(), none),
            section("Console", &console_section(self.console.as_ref())),
            section("Tabs", &lines(self.tabs.as_ref(), |tab| tab.line(is_page_shown))),
            section("Downloads", &downloads),
        ];
        sections.into_iter().flatten().collect()
    }
}

/// Returns a heading with its body, or `None` if the body is empty.
fn section(heading: &str, body: &str) -> Option<String> {
    (!body.is_empty()).then(|| format!("### {heading}\n{body}"))
}

/// Returns a fenced block that quotes a page's text, with a fence that the text itself cannot close.
pub(super) fn fenced(language: &str, text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or_default().max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}

fn lines<T>(rows: Option<&Vec<T>>, line: impl Fn(&T) -> String) -> String {
    let lines: Vec<String> = rows.into_iter().flatten().map(line).collect();
    lines.join("\n")
}

/// Returns the lines of messages, each below the URL of its source file.
pub(super) fn console_lines(rows: &[ConsoleRow]) -> Vec<String> {
    limits::grouped(rows, |row| match row.split_place() {
        Some((url, "")) => (Some(url), row.line_at(None)),
        Some((url, line)) => (Some(url), row.line_at(Some(line))),
        None => (None, row.line_at(None)),
    })
}

/// Returns the console messages, below a line that counts the omitted ones.
fn console_section(console: Option<&ConsolePart>) -> String {
    let omitted = console.and_then(|console| console.omitted);
    let omitted = omitted.map(|omitted| format!("… {omitted} earlier (browser_console_messages)"));
    let messages = console.and_then(|console| console.messages.as_deref()).unwrap_or_default();
    let lines = omitted.into_iter().chain(console_lines(messages));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns an answer that is the whole reply. It stands below a heading only if it would be JSON otherwise: clients would
/// take it for the structure.
fn alone(answer: String) -> String {
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&answer).is_ok();
    if is_json { format!("### Result\n{answer}") } else { answer }
}

impl<D: TabAnswer> Render for BrowserReply<D> {
    fn text(&self, locale: Locale) -> String {
        let answer = self.done.text(locale);
        let mut sections = self.seen.sections(self.code.as_ref(), locale);
        match (answer.is_empty(), sections.is_empty(), locale) {
            (false, true, _) if !D::HAS_HEADING => sections.push(alone(answer)),
            (false, ..) => sections.insert(0, format!("### Result\n{answer}")),
            (true, true, Locale::En) => sections.push("done".to_owned()),
            (true, true, Locale::Ja) => sections.push("完了".to_owned()),
            (true, false, _) => {}
        }
        let handle = self.browser_session.as_ref().filter(|_| self.is_handle_news);
        sections.extend(handle.map(|session| format!("browser_session: {session}")));
        sections.join("\n")
    }

    fn blocks(&self) -> Vec<Block> {
        self.done.blocks()
    }

    fn required_fields(&self) -> &'static [&'static str] {
        &NEVER_MISSED
    }
}

#[cfg(test)]
mod tests {
    use fumi_base::text::Locale;
    use serde_json::json;

    use super::{
        BrowserReply, ConsolePart, ConsoleRow, DialogPart, DownloadRow, ObservedPage, TabRow, alone, console_lines,
    };
    use crate::browser::on_tab::EmptyAnswer;
    use fumi_kernel::{Render, schema};

    fn observed(seen: ObservedPage) -> BrowserReply<EmptyAnswer> {
        BrowserReply {
            success: true,
            done: EmptyAnswer {},
            seen,
            code: None,
            browser_session: Some("bs_1".to_owned()),
            is_handle_news: true,
        }
    }

    #[test]
    fn an_answer_with_nothing_to_say_is_short_and_names_the_session() {
        let quiet = observed(ObservedPage::default());
        assert_eq!(serde_json::to_value(&quiet).expect("plain"), json!({"success": true, "browser_session": "bs_1"}));
        assert_eq!(quiet.text(Locale::En), "done\nbrowser_session: bs_1");
        let known = BrowserReply { is_handle_news: false, ..quiet };
        assert_eq!((known.text(Locale::En), known.text(Locale::Ja)), ("done".to_owned(), "完了".to_owned()));
    }

    #[test]
    fn text_and_structure_say_the_same() {
        let seen = ObservedPage {
            url: Some("http://x.test/".to_owned()),
            status: Some(404),
            dialog: Some(DialogPart { kind: "confirm".to_owned(), message: "Sure?".to_owned(), default_text: None }),
            snapshot: Some("- button \"Save\" [ref=e1]".to_owned()),
            language: "yaml",
            changes: Some(String::new()),
            console: Some(ConsolePart { new_errors: 2, messages: None, omitted: None }),
            tabs: Some(vec![TabRow {
                index: 0,
                title: "X".to_owned(),
                url: "http://x.test/".to_owned(),
                current: true,
                new: false,
                dialog: None,
            }]),
            ..ObservedPage::default()
        };
        let observed = observed(seen);
        let structure = serde_json::to_value(&observed).expect("plain");
        assert_eq!(structure["status"], 404);
        assert_eq!(structure["dialog"], json!({"type": "confirm", "message": "Sure?"}));
        assert_eq!(structure["changes"], "");
        let expected = "### Page\n- URL: http://x.test/\n- Status: 404\n- Dialog: confirm \"Sure?\" (browser_handle_dialog)\n\
            - Console: 2 new errors\n### Snapshot\n```yaml\n- button \"Save\" [ref=e1]\n```\n### Changes\nnone\n\
            ### Tabs\n- 0: (current) [X](http://x.test/)\nbrowser_session: bs_1";
        assert_eq!(observed.text(Locale::En), expected);
        assert!(observed.text(Locale::Ja).contains("### Changes\nなし"));
    }

    #[test]
    fn a_page_cannot_end_the_block_that_quotes_it() {
        let observed = observed(ObservedPage {
            snapshot: Some("- text: ```\n### Page".to_owned()),
            language: "yaml",
            ..ObservedPage::default()
        });
        assert!(observed.text(Locale::En).contains("````yaml\n- text: ```\n### Page\n````"));
    }

    #[test]
    fn what_is_usual_or_known_is_left_out() {
        let tab = |index, title: &str, new| TabRow {
            index,
            title: title.to_owned(),
            url: "http://x.test/".to_owned(),
            current: index == 0,
            new,
            dialog: None,
        };
        let seen = ObservedPage {
            url: Some("http://x.test/".to_owned()),
            title: Some(String::new()),
            status: Some(200),
            snapshot: Some(String::new()),
            tabs: Some(vec![tab(0, "", false), tab(1, "", true), tab(2, "Y", false)]),
            downloads: Some(Vec::new()),
            ..ObservedPage::default()
        };
        assert_eq!(
            observed(seen).text(Locale::En),
            "### Page\n- URL: http://x.test/\n### Snapshot\nempty page\n### Tabs\n- 0: (current)\n- 1: (new) http://x.test/\n\
             - 2: [Y](http://x.test/)\n### Downloads\nnone\nbrowser_session: bs_1"
        );
    }

    #[test]
    fn messages_stand_below_their_file() {
        let row = |text: &str, place: Option<&str>| ConsoleRow {
            level: "error",
            text: text.to_owned(),
            place: place.map(str::to_owned),
            count: None,
        };
        let rows = [
            row("a", Some("http://x.test:80/p.html:10:33")),
            row("b", Some("http://x.test:80/p.html:7")),
            row("c\nd", None),
            row("e", Some("http://x.test:80/v2")),
        ];
        let lines = [
            "http://x.test:80/p.html",
            "10:33 [error] a",
            "7 [error] b",
            "[error] c ⏎ d",
            "http://x.test:80/v2",
            "[error] e",
        ];
        assert_eq!(console_lines(&rows), lines);
    }

    #[test]
    fn download_is_its_path_or_its_name_and_url() {
        let row = |name: &str, file: Option<&str>| DownloadRow {
            name: name.to_owned(),
            url: "blob:http://x.test/1".to_owned(),
            state: "done",
            bytes: Some(6),
            file: file.map(str::to_owned),
            failure: None,
        };
        let saved = row("a.txt", Some(".fumi/browser/a.txt"));
        assert_eq!(saved.line(), "- .fumi/browser/a.txt (done, 6 bytes)");
        let renamed = row("a.txt", Some(".fumi/browser/a (2).txt"));
        assert_eq!(renamed.line(), "- a.txt → .fumi/browser/a (2).txt (done, 6 bytes)");
        assert_eq!(row("a.txt", None).line(), "- a.txt (done, 6 bytes) from blob:http://x.test/1");
    }

    #[test]
    fn answer_alone_has_a_heading_only_if_it_is_json() {
        for json in ["2", "null", "\"a\"", "{\"a\": 1}"] {
            assert_eq!(alone(json.to_owned()), format!("### Result\n{json}"));
        }
        assert_eq!(alone("- button \"Save\" [ref=e1]".to_owned()), "- button \"Save\" [ref=e1]");
    }

    #[test]
    fn the_schema_has_every_part_beside_the_tools_own() {
        let schema = schema::for_serialize::<BrowserReply<EmptyAnswer>>();
        for part in ["success", "url", "dialog", "snapshot", "changes", "code", "browser_session"] {
            assert!(schema["properties"][part].is_object(), "{part}: {schema:?}");
        }
    }
}
