//! What is looked at after something was done: as much as is wanted, and never less than what nobody may miss.
//!
//! Invariant: an address or title that changed, a dialog, a file chooser, a download, a new tab, new errors of the console
//! and a status that is no success are told whatever is wanted.

use std::sync::Arc;

use fumi_base::{
    expectation::{ConsoleLevel, ConsoleOptions, Resolved, SnapshotFormat as Format},
    text::{Locale, Text},
};
use fumi_browser::{
    self as browser, Facts, Level, SnapshotFormat, SnapshotRequest, Stopped, Tab, TabInfo, Tabs, Target,
};
use regex::RegexSet;

use super::{
    length,
    observed::{Console, Download, Message, Seen, TabRow},
    on_tab::Scope,
    saved,
};
use crate::tool::{Cx, ToolError};

/// Messages of the console beside an answer, unless the caller wants more.
const MESSAGES: usize = 10;

/// Characters of a token of most pages.
const TOKEN: usize = 4;

/// Most times that a snapshot is taken again because it is too long.
const CUTS: usize = 4;

/// What to look at.
pub(super) struct Look<'c> {
    /// The tab on which the call began.
    pub(super) began: Arc<Tab>,
    /// What the caller wants.
    pub(super) wanted: &'c Resolved,
    /// Which part of the page.
    pub(super) scope: Scope,
    /// Whether the place is told although it did not change.
    pub(super) says_place: bool,
    /// Most tokens of what changed.
    pub(super) changes: usize,
    /// Whether the snapshot is the answer, without which there is none.
    pub(super) is_answer: bool,
    /// The caller's language.
    pub(super) locale: Locale,
}

impl Look<'_> {
    /// Whether what changed is told: of the whole tree of roles only.
    pub(super) fn tells_changes(&self) -> bool {
        let options = &self.wanted.snapshot_options;
        let is_tree =
            matches!(options.format, None | Some(Format::Aria)) && self.scope.depth.is_none() && !self.scope.boxes;
        let is_whole = self.scope.target.is_none() && options.selector.is_none();
        self.wanted.snapshot && self.wanted.diff && is_tree && is_whole
    }
}

/// What pages did to the tabs since somebody last looked.
struct News {
    opened: Vec<TabInfo>,
    closed: Vec<TabInfo>,
}

/// Looks at the current tab. One that closed itself, as windows do when they have served, is no failure: what is current
/// then is looked at.
pub(super) async fn observe(tabs: &mut Tabs, look: &Look<'_>, cx: &Cx) -> Result<Seen, ToolError> {
    let news = News {
        opened: tabs.opened().await?,
        closed: tabs.closed(),
    };
    loop {
        let tab = tabs.current().await?;
        match seen(tabs, &tab, &news, look, cx).await {
            Err(_) if tab.is_closed() => {}
            seen => return seen,
        }
    }
}

async fn seen(tabs: &mut Tabs, tab: &Arc<Tab>, news: &News, look: &Look<'_>, cx: &Cx) -> Result<Seen, ToolError> {
    let facts = tab.observe().await?;
    // Who is on another tab than before is told where that is, whatever its address was when it was last seen.
    let says_place = look.says_place || !Arc::ptr_eq(tab, &look.began);
    let mut seen = Seen {
        url: (says_place || facts.url_changed).then(|| length::row(&facts.url)),
        title: (says_place || facts.title_changed).then(|| length::row(&facts.title)),
        status: facts
            .status
            .filter(|status| look.says_place || !(200..300).contains(status)),
        console: console(&facts, look),
        downloads: downloads(&facts, look, cx).await,
        tabs: tab_rows(tabs, news, look).await,
        notice: None,
        file_chooser: facts.file_chooser.map(Into::into),
        ..Seen::default()
    };
    let mut unseen = None;
    match facts.dialog.clone() {
        // Nothing answers in a page that a dialog blocks.
        Some(dialog) => seen.dialog = Some(dialog.into()),
        None => match page(tab, look, facts.opened, &mut seen).await {
            Err(error) if look.is_answer || tab.is_closed() => return Err(error),
            Err(error) => unseen = Some(error),
            Ok(()) => {}
        },
    }
    // Last, since it takes what is told once.
    seen.notice = notice(tabs, &facts, news, unseen.as_ref(), look.locale);
    Ok(seen)
}

/// The page itself, or what changed of it. A part of a page is shown as it is: differences are those of the whole.
async fn page(tab: &Tab, look: &Look<'_>, has_opened: bool, seen: &mut Seen) -> Result<(), ToolError> {
    let (wanted, scope) = (look.wanted, &look.scope);
    let options = &wanted.snapshot_options;
    let format = match options.format {
        None | Some(Format::Aria) => SnapshotFormat::Aria,
        Some(Format::Text) => SnapshotFormat::Text,
        Some(Format::Html) => SnapshotFormat::Html,
    };
    let selector = options.selector.clone().map(Target::Written);
    let target = scope.target.clone().or(selector);
    // A list or menu that opened is what the next call acts on.
    let opens = has_opened && !wanted.snapshot && !wanted.no_snapshot && tab.has_snapshot();
    if !wanted.snapshot && !opens {
        return Ok(());
    }
    if opens {
        tab.at_rest().await;
    }
    if opens || look.tells_changes() {
        // Four characters are about a token.
        let most = options.max_length.map_or(look.changes, |characters| characters / 4);
        let changes = tab.changes(most.min(length::SNAPSHOT)).await?;
        let part = if changes.whole {
            &mut seen.snapshot
        } else {
            &mut seen.changes
        };
        *part = Some(changes.text);
        return Ok(());
    }
    // A page as a whole costs little unless the caller wants much of it.
    let most = if target.is_none() && options.max_length.is_none() {
        length::PAGE
    } else {
        length::SNAPSHOT
    };
    let mut request = SnapshotRequest {
        target,
        depth: scope.depth,
        // More than that would only be cut again.
        max_length: options.max_length.map(|characters| characters.min(most * TOKEN)),
        room: None,
        format,
        boxes: scope.boxes,
    };
    let mut snapshot = tab.snapshot(&request).await?;
    let is_tree = format == SnapshotFormat::Aria;
    // Only the page knows how a long run goes on that is cut in its middle. What it shows in less room may cost more: the page itself
    // comes before what its frames hold.
    for _ in 0..CUTS {
        let Some(surplus) = length::surplus(&snapshot.text, most).filter(|_| is_tree) else {
            break;
        };
        let shown = request.room.unwrap_or_else(|| snapshot.text.chars().count());
        request.room = Some(shown.saturating_sub(surplus));
        snapshot = tab.snapshot(&request).await?;
    }
    if is_tree {
        snapshot.text = length::held(snapshot.text, most);
    }
    seen.snapshot = Some(if is_tree {
        snapshot.text
    } else {
        let how = if options.max_length.is_none() && most < length::SNAPSHOT {
            (
                "more with snapshotOptions.maxLength, or a part of the page with a target",
                "続きは snapshotOptions.maxLength を増やすか、target で部分を指定してください",
            )
        } else {
            (
                "a reply has no room for more: take the parts of the page one by one with a target, or browser_find",
                "1 回の応答にはここまでしか入りません。target で部分ごとに取るか、browser_find で探してください",
            )
        };
        length::cut_of(snapshot.text, snapshot.of, most, look.locale, how)
    });
    Ok(())
}

/// Errors are counted always; messages are listed when they are wanted.
fn console(facts: &Facts, look: &Look<'_>) -> Option<Console> {
    let options = &look.wanted.console_options;
    let wanted = look.wanted.console.then(|| wanted_messages(facts, options));
    let is_worth_saying = facts.new_console_errors > 0
        || wanted
            .as_ref()
            .is_some_and(|(messages, omitted)| !messages.is_empty() || *omitted > 0);
    let (messages, omitted) = wanted.unzip();
    is_worth_saying.then_some(Console {
        new_errors: facts.new_console_errors,
        messages,
        omitted: omitted.filter(|omitted| *omitted > 0),
    })
}

/// The last messages that the caller's options leave, and how many there are before them.
fn wanted_messages(facts: &Facts, options: &ConsoleOptions) -> (Vec<Message>, usize) {
    let mut kept: Vec<Message> = Vec::new();
    for message in chosen(&facts.console, options) {
        let message = Message::from(message);
        let same = kept.iter_mut().find(|kept| kept.is_like(&message));
        match same.filter(|_| options.remove_duplicates.unwrap_or(true)) {
            Some(same) => same.again(&message),
            None => kept.push(message),
        }
    }
    let all = kept.len();
    let surplus = all.saturating_sub(options.max_messages.unwrap_or(MESSAGES));
    kept.drain(..surplus);
    let kept = length::newest(kept, length::CONSOLE, Message::line);
    let omitted = all - kept.len();
    (kept, omitted)
}

/// The messages of the levels and patterns that a caller names.
pub(super) fn chosen<'m>(messages: &'m [browser::Message], options: &ConsoleOptions) -> Vec<&'m browser::Message> {
    let levels = options.levels.as_deref().unwrap_or_default();
    // A pattern that is none was refused before the call began.
    let patterns = RegexSet::new(options.patterns.as_deref().unwrap_or_default()).unwrap_or_default();
    let is_level = |level| levels.is_empty() || levels.iter().any(|named| level_of(*named) == level);
    let is_chosen = |message: &&browser::Message| {
        is_level(message.level) && (patterns.is_empty() || patterns.is_match(&message.text))
    };
    messages.iter().filter(is_chosen).collect()
}

/// The level that a caller means: what pages log and what they inform of is one.
const fn level_of(level: ConsoleLevel) -> Level {
    match level {
        ConsoleLevel::Error => Level::Error,
        ConsoleLevel::Warn => Level::Warning,
        ConsoleLevel::Log | ConsoleLevel::Info => Level::Info,
    }
}

/// Downloads are told whenever there are any: unwanted are only those that nothing happened to.
/// One that is whole moves into the project, if the caller may write there.
async fn downloads(facts: &Facts, look: &Look<'_>, cx: &Cx) -> Option<Vec<Download>> {
    if facts.downloads.is_empty() {
        return (look.wanted.downloads == Some(true)).then(Vec::new);
    }
    let mut told = Vec::new();
    for download in &facts.downloads {
        if let Some(stopped) = download.stopped {
            told.push(Download::lost(download, why_stopped(stopped).get(look.locale)));
            continue;
        }
        // Whatever becomes of a file, the call that it came with is done.
        told.push(match saved::take(cx, download).await {
            Ok(file) => Download::new(download, file),
            Err(error) => Download::lost(download, error.message().get(look.locale)),
        });
    }
    Some(told)
}

fn why_stopped(stopped: Stopped) -> Text {
    match stopped {
        Stopped::Large(limit) => Text::new(
            format!("stopped, since it is larger than {limit} bytes ([browser] download_mib)"),
            format!("上限の {limit} バイトを超えたため中止しました（設定 [browser] download_mib）"),
        ),
        Stopped::Session(limit) => Text::new(
            format!(
                "stopped, since the downloads of this session take more than {limit} bytes together ([browser] download_mib); the next call makes room by removing the older ones"
            ),
            format!(
                "このセッションのダウンロードが合計 {limit} バイトを超えたため中止しました（設定 [browser] download_mib）。次の呼び出しからは古いものを消して空きを作ります"
            ),
        ),
        Stopped::All(limit) => Text::new(
            format!(
                "stopped, since the downloads of all sessions take more than {limit} bytes together; try again when others have ended"
            ),
            format!(
                "全セッションのダウンロードが合計 {limit} バイトを超えたため中止しました。ほかのセッションが終わってからもう一度お試しください"
            ),
        ),
        Stopped::Many(most) => Text::new(
            format!("stopped, since the page began more than {most} downloads between two calls; start it again"),
            format!(
                "呼び出しの間にページが {most} 件を超えるダウンロードを始めたため中止しました。もう一度開始してください"
            ),
        ),
    }
}

/// What else nobody may miss, in one sentence each.
fn notice(tabs: &mut Tabs, facts: &Facts, news: &News, unseen: Option<&ToolError>, locale: Locale) -> Option<String> {
    let closed = news
        .closed
        .iter()
        .map(|tab| format!("[{}]({})", length::row(&tab.title), length::row(&tab.url)));
    let closed = closed.collect::<Vec<_>>().join(", ");
    let closed = (!closed.is_empty()).then(|| {
        Text::new(
            format!("Closed by their pages: {closed}."),
            format!("ページが閉じたタブ: {closed}。"),
        )
    });
    let refused = tabs.take_notice();
    let loss = tabs.take_loss().map(fumi_browser::Loss::text);
    let crash = facts.crashed.then(|| {
        Text::new(
            "The tab crashed: open the page again with browser_navigate.",
            "タブがクラッシュしました。browser_navigate で開き直してください。",
        )
    });
    let loading = facts
        .still_loading
        .then(|| Text::new("The page is still loading.", "ページはまだ読み込み中です。"));
    let unseen = unseen.map(|error| {
        let message = error.message();
        Text::new(
            format!("The action is done, but there is no snapshot: {}", message.en),
            format!("操作は完了しましたが、スナップショットを取得できません: {}", message.ja),
        )
    });
    let said: Vec<_> = [loss, crash, closed, refused, loading, unseen]
        .into_iter()
        .flatten()
        .collect();
    let said: Vec<_> = said.iter().map(|text| text.get(locale)).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// All tabs where they are wanted, or where nothing was said and there is something to say; the new ones otherwise.
async fn tab_rows(tabs: &Tabs, news: &News, look: &Look<'_>) -> Option<Vec<TabRow>> {
    let is_listed = look.wanted.tabs.unwrap_or_else(|| {
        let is_one_of_several = look.says_place && tabs.count() > 1;
        is_one_of_several || !news.opened.is_empty() || !news.closed.is_empty()
    });
    if is_listed {
        return Some(tabs.list().await.iter().map(Into::into).collect());
    }
    (!news.opened.is_empty()).then(|| news.opened.iter().map(Into::into).collect())
}
