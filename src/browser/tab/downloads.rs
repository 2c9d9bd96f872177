//! Downloads of a tab, and its open file chooser.
//!
//! Files stay in the session's download folder until they are copied or removed; the sizes are limited by
//! `download_budget.rs`.

use std::{fs::File, path::PathBuf, sync::Arc};

use super::{
    Tab, TabState,
    console::{URL, truncate},
    download_budget::{DownloadBudget, DownloadShare},
};
use fumi_base::text::BilingualText;

use crate::{
    devtools::{
        Channel, RawEvent,
        protocol::{
            browser_downloads::{CancelDownload, DownloadProgress, DownloadWillBegin, SetDownloadBehavior},
            dom::{BackendNodeId, SetFileInputFiles},
            page::FileChooserOpened,
            target::ContextId,
        },
    },
    errors::BrowserError,
};

/// The number of downloads that are remembered.
const KEPT: usize = 100;

/// The number of downloads that a page may start between two observations of its tab. Any further download is
/// cancelled.
const UNSEEN: usize = 20;

/// The maximum length of a stored file name, in characters; file systems allow 255 bytes.
const NAME: usize = 500;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DownloadState {
    /// The download is in progress.
    Running,
    /// The download is complete.
    Done,
    /// The download ended before it was complete.
    Cancelled,
}

/// The limit because of which fumi stopped a download.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DownloadLimit {
    /// The download is larger than this number of bytes.
    Large(u64),
    /// The downloads of the session exceed this number of bytes in total.
    Session(u64),
    /// The downloads of all sessions exceed this number of bytes in total.
    All(u64),
    /// The page started more than this number of downloads since the last observation of the tab.
    Many(usize),
}

/// A download of a page, in progress or ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageDownload {
    /// The id, which is also the file's name in the folder [`super::TabSettings::downloads`].
    pub id: String,
    /// The URL that the file is downloaded from.
    pub url: String,
    /// The file name that the server or the page suggests: any text, possibly not a valid file name.
    pub name: String,
    pub state: DownloadState,
    /// Bytes received so far.
    pub bytes: u64,
    /// The path of the file, once the download is complete.
    pub file: Option<PathBuf>,
    /// The limit that stopped the download, if any.
    pub stopped: Option<DownloadLimit>,
    /// The download's part of the session's download budget.
    share: Arc<DownloadShare>,
}

impl PageDownload {
    /// True if the download has ended and no observation refers to it: a call that reported it may still be about to
    /// copy its file.
    fn is_removable(&self) -> bool {
        self.state != DownloadState::Running && Arc::strong_count(&self.share) == 1
    }

    /// Opens the file of a complete download, so that it can be copied piece by piece. The file stays in place until
    /// [`PageDownload::remove_file`] is called, so a failed copy loses nothing.
    pub fn open(&self) -> Option<File> {
        File::open(self.file.as_ref()?).ok()
    }

    /// Removes the file and releases its bytes of the budget. A file that cannot be removed is deleted with Chromium's
    /// profile.
    pub fn remove_file(&self) {
        if let Some(file) = &self.file {
            let _ = std::fs::remove_file(file);
        }
        self.share.set_bytes(0);
    }
}

/// The downloads of a tab.
#[derive(Debug, Default)]
pub(super) struct Downloads {
    kept: Vec<DownloadRecord>,
    /// Number of starts and ends of downloads so far. Never decreases.
    count: u64,
    folder: Option<PathBuf>,
    context: Option<ContextId>,
    room: Arc<DownloadBudget>,
}

#[derive(Debug)]
struct DownloadRecord {
    download: PageDownload,
    /// The sequence number of the last start or end of this download.
    number: u64,
}

/// An open file chooser, as it is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chooser {
    /// True if it accepts several files.
    pub multiple: bool,
}

/// An open file chooser together with the field and session that it belongs to.
#[derive(Debug)]
pub(super) struct OpenFileChooser {
    multiple: bool,
    field: Option<BackendNodeId>,
    channel: Channel,
}

impl OpenFileChooser {
    pub(super) fn shown(&self) -> Chooser {
        Chooser { multiple: self.multiple }
    }
}

impl Downloads {
    /// Returns the number of starts and ends of downloads so far.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Returns the downloads that started or ended after the given sequence number.
    pub(super) fn after(&self, number: u64) -> Vec<PageDownload> {
        self.kept.iter().filter(|kept| kept.number > number).map(|kept| kept.download.clone()).collect()
    }

    fn knows(&self, id: &str) -> bool {
        self.kept.iter().any(|kept| kept.download.id == id)
    }

    fn keep(&mut self, kept: DownloadRecord) {
        if self.kept.len() >= KEPT
            && let Some(oldest) = self.kept.iter().position(|kept| kept.download.is_removable())
        {
            self.kept.remove(oldest).download.remove_file();
        }
        self.kept.push(kept);
    }

    /// Records a new download. A start is reported twice, by the page and by the browser; the second report is ignored.
    /// `told` is the sequence number up to which callers have been informed. Returns the command that cancels the
    /// download, if it exceeds [`UNSEEN`].
    fn record_start(&mut self, begun: DownloadWillBegin, told: u64) -> Option<CancelDownload> {
        if self.knows(&begun.guid) {
            return None;
        }
        let unseen = self.kept.iter().filter(|kept| kept.number > told).count();
        let stopped = (unseen >= UNSEEN).then_some(DownloadLimit::Many(UNSEEN));
        let cancel = stopped.map(|_| self.cancel(&begun.guid));
        self.count += 1;
        self.keep(DownloadRecord {
            download: PageDownload {
                id: begun.guid,
                url: truncate(&begun.url, URL),
                name: truncate(&begun.suggested_filename, NAME),
                state: DownloadState::Running,
                bytes: 0,
                file: None,
                stopped,
                share: Arc::new(DownloadShare::new(Arc::clone(&self.room))),
            },
            number: self.count,
        });
        cancel
    }

    fn cancel(&self, id: &str) -> CancelDownload {
        CancelDownload { guid: id.to_owned(), browser_context_id: self.context.clone() }
    }

    /// Removes the files of downloads that callers have been informed of, the oldest first, until the session is within
    /// its budget.
    fn make_room(&mut self, told: u64) {
        let mut old = self.kept.iter_mut().filter(|kept| kept.number <= told);
        while self.room.is_full()
            && let Some(kept) = old.next()
        {
            if kept.download.is_removable() {
                kept.download.remove_file();
                kept.download.file = None;
            }
        }
    }

    /// Records the progress of a download. Returns the command that cancels it, if a limit has just been exceeded.
    fn record_progress(&mut self, progress: &DownloadProgress, told: u64) -> Option<CancelDownload> {
        let at = self.kept.iter().position(|kept| kept.download.id == progress.guid)?;
        let download = &mut self.kept[at].download;
        if download.state != DownloadState::Running {
            return None;
        }
        download.bytes = super::network::rounded(progress.received_bytes);
        download.share.set_bytes(download.bytes);
        let size = download.bytes.max(super::network::rounded(progress.total_bytes));
        self.make_room(told);
        let largest = self.room.largest;
        let reason = if largest > 0 && size > largest {
            Some(DownloadLimit::Large(largest))
        } else if self.room.is_full() {
            Some(DownloadLimit::Session(largest))
        } else if self.room.is_total_full() {
            Some(DownloadLimit::All(self.room.total_limit()))
        } else {
            None
        };
        let cancel = self.cancel(&progress.guid);
        let kept = &mut self.kept[at];
        let download = &mut kept.download;
        let is_new = download.stopped.is_none() && reason.is_some();
        download.stopped = download.stopped.or(reason);
        download.state = match progress.state.as_str() {
            // The download was complete before it could be cancelled.
            "completed" if download.stopped.is_some() => DownloadState::Cancelled,
            "completed" => DownloadState::Done,
            "canceled" => DownloadState::Cancelled,
            _ => return is_new.then_some(cancel),
        };
        self.count += 1;
        kept.number = self.count;
        if progress.state == "completed" {
            download.file = self.folder.as_ref().map(|folder| folder.join(&progress.guid));
        }
        if download.state == DownloadState::Cancelled {
            download.remove_file();
            download.file = None;
        }
        None
    }

    /// Takes over the downloads of a tab that closes. Downloads not yet reported in that tab (`number > told`) are
    /// reported in this one.
    fn inherit(&mut self, kept: Vec<DownloadRecord>, told: u64) {
        for mut kept in kept {
            if self.knows(&kept.download.id) {
                continue;
            }
            kept.number = if kept.number > told {
                self.count += 1;
                self.count
            } else {
                0
            };
            self.keep(kept);
        }
    }
}

impl TabState {
    pub(super) fn on_download_event(&mut self, channel: &Channel, event: &RawEvent) {
        // There are two kinds of events; an event is at most one of them.
        if let Some(begun) = event.get() {
            self.on_download_start(begun, channel);
        }
        if let Some(progress) = event.get() {
            self.on_download_progress(&progress, channel);
        }
    }

    fn on_download_start(&mut self, begun: DownloadWillBegin, channel: &Channel) {
        let told = self.seen.downloads();
        if let Some(cancel) = self.downloads.record_start(begun, told) {
            Channel::for_browser(Arc::clone(channel.connection())).send(&cancel);
        }
    }

    fn on_download_progress(&mut self, progress: &DownloadProgress, channel: &Channel) {
        let told = self.seen.downloads();
        if let Some(cancel) = self.downloads.record_progress(progress, told) {
            Channel::for_browser(Arc::clone(channel.connection())).send(&cancel);
        }
    }

    pub(super) fn chooser_opened(&mut self, opened: &FileChooserOpened, channel: &Channel) {
        self.chooser = Some(OpenFileChooser {
            multiple: opened.mode == "selectMultiple",
            field: opened.backend_node_id,
            channel: channel.clone(),
        });
    }
}

impl Tab {
    /// Sets Chromium's download folder for this browser context, or denies downloads if no folder is set.
    pub(super) fn permit_downloads(&self, context: Option<&ContextId>) {
        let folder = self.settings.downloads.clone();
        let browser = Channel::for_browser(Arc::clone(self.channel.connection()));
        browser.send(&SetDownloadBehavior {
            behavior: if folder.is_some() { "allowAndName" } else { "deny" },
            browser_context_id: context.cloned(),
            download_path: folder.as_ref().map(|folder| folder.to_string_lossy().into_owned()),
            events_enabled: true,
        });
        let downloads = &mut self.state().downloads;
        (downloads.folder, downloads.context) = (folder, context.cloned());
        downloads.room = Arc::clone(&self.settings.room);
    }

    /// Records the start of a download of this tab, as reported by the browser.
    pub(crate) fn on_download_start(&self, begun: DownloadWillBegin) {
        self.change(|state| state.on_download_start(begun, &self.channel));
    }

    /// Records the progress of a download, if it belongs to this tab.
    pub(crate) fn on_download_progress(&self, progress: &DownloadProgress) {
        self.change(|state| state.on_download_progress(progress, &self.channel));
    }

    /// Takes over the downloads of a tab that closes, such as a window that was opened only for a download.
    pub(crate) fn inherit_downloads(&self, from: &Self) {
        let (kept, told) = {
            let state = &mut *from.state();
            (std::mem::take(&mut state.downloads.kept), state.seen.downloads())
        };
        self.change(|state| state.downloads.inherit(kept, told));
    }

    /// Returns the open file chooser, if any.
    pub fn chooser(&self) -> Option<Chooser> {
        self.state().chooser.as_ref().map(OpenFileChooser::shown)
    }

    /// Returns the downloads of this tab, the oldest first.
    pub fn downloads(&self) -> Vec<PageDownload> {
        self.state().downloads.after(0)
    }

    /// Waits until no download of this tab is in progress, or the tab is closed.
    pub async fn downloads_ended(&self) {
        self.until(|state| {
            let mut kept = state.downloads.kept.iter();
            (state.is_closed || kept.all(|kept| kept.download.state != DownloadState::Running)).then_some(())
        })
        .await;
    }

    /// Passes files (absolute paths, validated by the caller) to the open file chooser; `None` dismisses it. Returns
    /// false if no file chooser is open.
    pub(crate) async fn answer_chooser(&self, files: Option<Vec<String>>) -> Result<bool, BrowserError> {
        let Some(waiting) = self.state().chooser.take() else {
            return Ok(false);
        };
        let Some(files) = files else {
            return Ok(true);
        };
        let Some(field) = waiting.field else {
            // `showOpenFilePicker`: no field exists to put files into, and the page was informed at once that no file
            // was chosen.
            return Err(BrowserError::BadBrowserArgument {
                argument: "paths",
                reason: BilingualText::new(
                    "the page asked for files without a field; in Chromium only a person can answer that",
                    "ページが入力欄を使わずにファイルを求めています。これには人の操作でしか応じられません",
                ),
            });
        };
        let give = SetFileInputFiles { files, backend_node_id: field };
        self.acting(async { Ok(waiting.channel.call(&give).await.map(drop)?) }).await?;
        Ok(true)
    }
}
