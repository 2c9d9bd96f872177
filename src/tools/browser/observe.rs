//! The observation after an act: the parts that the caller wants, and always the facts that no caller may miss.
//!
//! Invariant: a changed URL or title, a dialog, a file chooser, a download, a new tab, new console errors and a status
//! that is not a success are reported regardless of what is wanted.

use std::sync::Arc;

use fumi_base::{
    expectation::{ConsoleLevel, ConsoleOptions, ResolvedExpectation, SnapshotFormat as Format},
    text::{BilingualText, Locale},
};
use fumi_browser::{
    self as browser, DownloadLimit, MessageLevel, PageSnapshotFormat, SessionTabs, SnapshotRequest, Tab, TabInfo,
    TabObservation, Target,
};
use fumi_kernel::{Cx, ToolError};
use regex::RegexSet;

use super::{
    artifacts, limits,
    on_tab::SnapshotScope,
    reply::{self, ConsolePart, ConsoleRow, DownloadRow, ObservedPage, TabRow},
};

/// The default for the maximum number of console messages.
const MESSAGES: usize = 10;

/// The characters per token of most pages.
const TOKEN: usize = 4;

/// The maximum number of times that a snapshot is taken again because it is too long.
const CUTS: usize = 4;

/// The options of one observation.
pub(super) struct ObserveOptions<'c> {
    /// The tab that was current when the call began.
    pub(super) began: Arc<Tab>,
    /// The parts of the reply that the caller wants.
    pub(super) wanted: &'c ResolvedExpectation,
    /// The part of the page that the snapshot shows.
    pub(super) scope: SnapshotScope,
    /// True if URL and title are reported even if they did not change.
    pub(super) says_place: bool,
    /// The token budget of the changes.
    pub(super) changes: usize,
    /// True if the snapshot is the tool's answer: then a failed snapshot is an error of the call.
    pub(super) is_answer: bool,
    /// The language of the caller.
    pub(super) locale: Locale,
}

impl ObserveOptions<'_> {
    /// True if changes are reported instead of a snapshot. They exist only for the role tree of the whole page.
    pub(super) fn reports_changes(&self) -> bool {
        let options = &self.wanted.snapshot_options;
        let is_tree =
            matches!(options.format, None | Some(Format::Aria)) && self.scope.depth.is_none() && !self.scope.boxes;
        let is_whole = self.scope.target.is_none() && options.selector.is_none();
        self.wanted.snapshot && self.wanted.diff && is_tree && is_whole
    }
}

/// The tabs that pages have opened and closed since the last observation.
struct TabChanges {
    opened: Vec<TabInfo>,
    closed: Vec<TabInfo>,
}

/// Observes the current tab. If the tab closes itself, as popup windows do when they are done, that is not an error:
/// the tab that is current then is observed.
pub(super) async fn observe(
    tabs: &mut SessionTabs,
    look: &ObserveOptions<'_>,
    cx: &Cx,
) -> Result<ObservedPage, ToolError> {
    let news = TabChanges { opened: tabs.take_opened().await?, closed: tabs.take_closed() };
    loop {
        let tab = tabs.current().await?;
        match seen(tabs, &tab, &news, look, cx).await {
            Err(_) if tab.is_closed() => {}
            seen => return seen,
        }
    }
}

async fn seen(
    tabs: &mut SessionTabs,
    tab: &Arc<Tab>,
    news: &TabChanges,
    look: &ObserveOptions<'_>,
    cx: &Cx,
) -> Result<ObservedPage, ToolError> {
    let facts = tab.observe().await?;
    // If the current tab is another one than at the start, its URL is reported regardless of when it was last reported.
    let says_place = look.says_place || !Arc::ptr_eq(tab, &look.began);
    let mut seen = ObservedPage {
        url: (says_place || facts.url_changed).then(|| limits::truncate_row(&facts.url)),
        title: (says_place || facts.title_changed).then(|| limits::truncate_row(&facts.title)),
        language: match look.wanted.snapshot_options.format {
            None | Some(Format::Aria) => "yaml",
            Some(Format::Text) => "",
            Some(Format::Html) => "html",
        },
        status: facts.status.filter(|status| look.says_place || !(200..300).contains(status)),
        console: console(&facts, look),
        downloads: downloads(&facts, look, cx).await,
        tabs: tab_rows(tabs, news, look).await,
        notice: None,
        file_chooser: facts.file_chooser.map(Into::into),
        ..ObservedPage::default()
    };
    let mut unseen = None;
    match facts.dialog.clone() {
        // A page that a dialog blocks answers no query.
        Some(dialog) => seen.dialog = Some(dialog.into()),
        None => match page(tab, look, facts.opened, &mut seen).await {
            Err(error) if look.is_answer || tab.is_closed() => return Err(error),
            Err(error) => unseen = Some(error),
            Ok(()) => {}
        },
    }
    // A slow page may arrive while the tab is observed; the snapshot is then its own.
    if seen.dialog.is_none() && tab.url() != facts.url {
        seen.url = Some(limits::truncate_row(&tab.url()));
        seen.title = Some(limits::truncate_row(&tab.title().await));
    }
    // Comes last, since it consumes notices that are reported only once.
    seen.notice = notice(tabs, &facts, news, unseen.as_ref(), look.locale);
    Ok(seen)
}

/// Adds the page's snapshot or its changes. A part of a page is shown as it is, because changes refer to the whole
/// page.
async fn page(
    tab: &Tab,
    look: &ObserveOptions<'_>,
    has_opened: bool,
    seen: &mut ObservedPage,
) -> Result<(), ToolError> {
    let (wanted, scope) = (look.wanted, &look.scope);
    let options = &wanted.snapshot_options;
    let format = match options.format {
        None | Some(Format::Aria) => PageSnapshotFormat::Aria,
        Some(Format::Text) => PageSnapshotFormat::Text,
        Some(Format::Html) => PageSnapshotFormat::Html,
    };
    let selector = options.selector.clone().map(Target::Written);
    let target = scope.target.clone().or(selector);
    // A list or menu that opened is usually the target of the next call.
    let opens = has_opened && !wanted.snapshot && !wanted.no_snapshot && tab.has_snapshot();
    if !wanted.snapshot && !opens {
        return Ok(());
    }
    if opens {
        tab.settle_pending().await?;
    }
    if opens || look.reports_changes() {
        // A token has about four characters.
        let most = options.max_length.map_or(look.changes, |characters| characters / 4);
        let changes = tab.changes(most.min(limits::SNAPSHOT)).await?;
        let part = if changes.whole { &mut seen.snapshot } else { &mut seen.changes };
        *part = Some(changes.text);
        return Ok(());
    }
    // A whole page gets the small budget unless the caller sets a length.
    let most = if target.is_none() && options.max_length.is_none() { limits::PAGE } else { limits::SNAPSHOT };
    let mut request = SnapshotRequest {
        target,
        depth: scope.depth,
        // A longer snapshot would only be cut again.
        max_length: options.max_length.map(|characters| characters.min(most * TOKEN)),
        room: None,
        format,
        boxes: scope.boxes,
    };
    let mut snapshot = tab.snapshot(&request).await?;
    let is_tree = format == PageSnapshotFormat::Aria;
    // Only the page can continue a long list correctly that is cut in its middle. With less room it may still cost more
    // tokens, since the page's own content takes precedence over that of its frames.
    for _ in 0..CUTS {
        let Some(surplus) = limits::surplus(&snapshot.text, most).filter(|_| is_tree) else {
            break;
        };
        let shown = request.room.unwrap_or_else(|| snapshot.text.chars().count());
        request.room = Some(shown.saturating_sub(surplus));
        snapshot = tab.snapshot(&request).await?;
    }
    if is_tree {
        snapshot.text = limits::fit_snapshot(snapshot.text, most);
    }
    seen.snapshot = Some(if is_tree {
        snapshot.text
    } else {
        let is_own_limit = |own: usize| own < most * TOKEN && limits::fits(&snapshot.text, most);
        let how = if options.max_length.map_or(most < limits::SNAPSHOT, is_own_limit) {
            (
                "more with a greater snapshotOptions.maxLength, or a part of the page with a target",
                "続きは snapshotOptions.maxLength を増やすか、target で部分を指定してください",
            )
        } else {
            (
                "a reply has no room for more: request the parts of the page one by one with a target, or use browser_find",
                "1 回の応答にはここまでしか入りません。target で部分ごとに取るか、browser_find で探してください",
            )
        };
        limits::truncate_part(snapshot.text, snapshot.of, most, look.locale, how)
    });
    Ok(())
}

/// Returns the console part: errors are always counted, messages are listed only if wanted.
fn console(facts: &TabObservation, look: &ObserveOptions<'_>) -> Option<ConsolePart> {
    let options = &look.wanted.console_options;
    let wanted = look.wanted.console.then(|| {
        let limit = options.max_messages.unwrap_or(MESSAGES);
        let joins = options.remove_duplicates.unwrap_or(true);
        last_messages(&facts.console, options, (limit, limits::CONSOLE), joins)
    });
    let is_worth_saying = facts.new_console_errors > 0
        || wanted.as_ref().is_some_and(|(messages, omitted)| !messages.is_empty() || *omitted > 0);
    let (messages, omitted) = wanted.unzip();
    is_worth_saying.then_some(ConsolePart {
        new_errors: facts.new_console_errors,
        messages,
        omitted: omitted.filter(|omitted| *omitted > 0),
    })
}

/// Returns the last messages with the levels and patterns that the caller names, at most `most` of them and so many
/// tokens, and the number of those before them. `joins`: equal messages become one.
pub(super) fn last_messages(
    messages: &[browser::ConsoleMessage],
    options: &ConsoleOptions,
    (most, tokens): (usize, usize),
    joins: bool,
) -> (Vec<ConsoleRow>, usize) {
    let mut kept: Vec<ConsoleRow> = Vec::new();
    for message in filter_messages(messages, options) {
        let message = ConsoleRow::from(message);
        let same = kept.iter_mut().find(|kept| joins && kept.is_like(&message));
        match same {
            Some(same) => same.add_count(&message),
            None => kept.push(message),
        }
    }
    let all = kept.len();
    kept.drain(..all.saturating_sub(most));
    let kept = limits::keep_last(kept, tokens, ConsoleRow::line);
    let omitted = all - kept.len();
    (kept, omitted)
}

fn filter_messages<'m>(
    messages: &'m [browser::ConsoleMessage],
    options: &ConsoleOptions,
) -> Vec<&'m browser::ConsoleMessage> {
    let levels = options.levels.as_deref().unwrap_or_default();
    // An invalid pattern was rejected before the call began.
    let patterns = RegexSet::new(options.patterns.as_deref().unwrap_or_default()).unwrap_or_default();
    let is_level = |level| levels.is_empty() || levels.iter().any(|named| level_of(*named) == level);
    let is_chosen = |message: &&browser::ConsoleMessage| {
        is_level(message.level) && (patterns.is_empty() || patterns.is_match(&message.text))
    };
    messages.iter().filter(is_chosen).collect()
}

/// Returns the level for a caller's level. `log` and `info` are the same.
const fn level_of(level: ConsoleLevel) -> MessageLevel {
    match level {
        ConsoleLevel::Error => MessageLevel::Error,
        ConsoleLevel::Warn => MessageLevel::Warning,
        ConsoleLevel::Log | ConsoleLevel::Info => MessageLevel::Info,
    }
}

/// Returns the downloads. They are reported whenever there are any; the caller can only turn off an empty list. A
/// complete download is moved into the project if the caller may write there.
async fn downloads(facts: &TabObservation, look: &ObserveOptions<'_>, cx: &Cx) -> Option<Vec<DownloadRow>> {
    if facts.downloads.is_empty() {
        return (look.wanted.downloads == Some(true)).then(Vec::new);
    }
    let mut told = Vec::new();
    for download in &facts.downloads {
        if let Some(stopped) = download.stopped {
            told.push(DownloadRow::not_saved(download, why_stopped(stopped).get(look.locale)));
            continue;
        }
        // The act itself succeeded, so a failed move is reported with the download instead of as an error.
        told.push(match artifacts::import_download(cx, download).await {
            Ok(file) => DownloadRow::new(download, file),
            Err(error) => DownloadRow::not_saved(download, error.message().get(look.locale)),
        });
    }
    Some(told)
}

fn why_stopped(stopped: DownloadLimit) -> BilingualText {
    match stopped {
        DownloadLimit::Large(limit) => BilingualText::new(
            format!("stopped, since it is larger than {limit} bytes ([browser] download_mib)"),
            format!("上限の {limit} バイトを超えたため中止しました（設定 [browser] download_mib）"),
        ),
        DownloadLimit::Session(limit) => BilingualText::new(
            format!(
                "stopped, since the downloads of this session take more than {limit} bytes together ([browser] download_mib); the next call makes room by removing the older ones"
            ),
            format!(
                "このセッションのダウンロードが合計 {limit} バイトを超えたため中止しました（設定 [browser] download_mib）。次の呼び出しからは古いものを消して空きを作ります"
            ),
        ),
        DownloadLimit::All(limit) => BilingualText::new(
            format!(
                "stopped, since the downloads of all sessions take more than {limit} bytes together; try again when others have ended"
            ),
            format!(
                "全セッションのダウンロードが合計 {limit} バイトを超えたため中止しました。ほかのセッションが終わってからもう一度お試しください"
            ),
        ),
        DownloadLimit::Many(most) => BilingualText::new(
            format!("stopped, since the page began more than {most} downloads between two calls; start it again"),
            format!(
                "呼び出しの間にページが {most} 件を超えるダウンロードを始めたため中止しました。もう一度開始してください"
            ),
        ),
    }
}

/// Returns the remaining facts that no caller may miss, one sentence each.
fn notice(
    tabs: &mut SessionTabs,
    facts: &TabObservation,
    news: &TabChanges,
    unseen: Option<&ToolError>,
    locale: Locale,
) -> Option<String> {
    let link = |tab: &TabInfo| reply::link(&limits::truncate_row(&tab.title), &limits::truncate_row(&tab.url));
    let closed = news.closed.iter().map(link);
    let closed = closed.collect::<Vec<_>>().join(", ");
    let closed = (!closed.is_empty()).then(|| {
        BilingualText::new(format!("Closed by their pages: {closed}."), format!("ページが閉じたタブ: {closed}。"))
    });
    let refused = tabs.take_notice();
    let loss = tabs.take_reset_reason().map(fumi_browser::ResetReason::text);
    let crash = facts.crashed.then(|| {
        BilingualText::new(
            "The tab crashed: open the page again with browser_navigate.",
            "タブがクラッシュしました。browser_navigate で開き直してください。",
        )
    });
    let loading =
        facts.still_loading.then(|| BilingualText::new("The page is still loading.", "ページはまだ読み込み中です。"));
    let unseen = unseen.map(|error| {
        let message = error.message();
        BilingualText::new(
            format!("The action is done, but the snapshot failed: {}", message.en),
            format!("操作は完了しましたが、スナップショットを取得できません: {}", message.ja),
        )
    });
    let said: Vec<_> = [loss, crash, closed, refused, loading, unseen].into_iter().flatten().collect();
    let said: Vec<_> = said.iter().map(|text| text.get(locale)).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// Returns all tabs if they are wanted, or if nothing was specified and something changed; otherwise only the new tabs.
async fn tab_rows(tabs: &SessionTabs, news: &TabChanges, look: &ObserveOptions<'_>) -> Option<Vec<TabRow>> {
    let is_listed = look.wanted.tabs.unwrap_or_else(|| {
        let is_one_of_several = look.says_place && tabs.count() > 1;
        is_one_of_several || !news.opened.is_empty() || !news.closed.is_empty()
    });
    let row = |tab: &TabInfo| {
        let is_new = news.opened.iter().any(|opened| opened.index == tab.index);
        TabRow::new(tab, is_new)
    };
    if is_listed {
        return Some(tabs.list().await.iter().map(row).collect());
    }
    (!news.opened.is_empty()).then(|| news.opened.iter().map(row).collect())
}
