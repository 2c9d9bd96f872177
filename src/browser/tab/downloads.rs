//! Files that a page gives, and files that it asks for.

use std::{fs::File, path::PathBuf, sync::Arc};

use super::{
    State, Tab,
    console::{URL, cut},
    room::{Room, Share},
};
use fumi_base::text::Text;

use crate::{
    devtools::{
        Channel, Event,
        protocol::{
            browser_downloads::{CancelDownload, DownloadProgress, DownloadWillBegin, SetDownloadBehavior},
            dom::{BackendNodeId, SetFileInputFiles},
            page::FileChooserOpened,
            target::ContextId,
        },
    },
    errors::BrowserError,
};

/// Downloads that are remembered.
const KEPT: usize = 100;

/// Downloads that a page begins until somebody looks at its tab again; what begins later is stopped.
const UNSEEN: usize = 20;

/// Longest name that is kept, in characters; file systems allow 255 bytes.
const NAME: usize = 500;

/// How far a download is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DownloadState {
    /// It comes.
    Running,
    /// It is whole.
    Done,
    /// It stopped before.
    Cancelled,
}

/// Why a download was stopped here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// It is larger than so many bytes.
    Large(u64),
    /// Those of its session take more than so many bytes together.
    Session(u64),
    /// Those of all sessions do.
    All(u64),
    /// Its page began more than so many since the tab was last looked at.
    Many(usize),
}

/// A download.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Download {
    /// Names the file in the folder of [`super::TabSettings::downloads`].
    pub id: String,
    /// Where it comes from.
    pub url: String,
    /// How the server or the page calls it: anything, also names that no file may have.
    pub name: String,
    /// How far it is.
    pub state: DownloadState,
    /// So far.
    pub bytes: u64,
    /// The file, once it is whole.
    pub file: Option<PathBuf>,
    /// Why it was stopped, if it was.
    pub stopped: Option<Stopped>,
    /// Its bytes in the room for downloads.
    share: Arc<Share>,
}

impl Download {
    /// True if it has ended and no observation holds it: a call that was told of it may still be about to take its file.
    fn may_go(&self) -> bool {
        self.state != DownloadState::Running && Arc::strong_count(&self.share) == 1
    }

    /// One that is whole, to be copied piece by piece. It stays where it is until [`Download::let_go`]: a copy that fails loses
    /// nothing.
    #[must_use]
    pub fn open(&self) -> Option<File> {
        File::open(self.file.as_ref()?).ok()
    }

    /// Removes the file. What cannot be removed goes with Chromium's profile.
    pub fn let_go(&self) {
        if let Some(file) = &self.file {
            let _ = std::fs::remove_file(file);
        }
        self.share.is(0);
    }
}

/// The downloads of a tab.
#[derive(Debug, Default)]
pub(super) struct Downloads {
    kept: Vec<Kept>,
    /// Beginnings and ends so far. It only grows.
    count: u64,
    folder: Option<PathBuf>,
    context: Option<ContextId>,
    room: Arc<Room>,
}

#[derive(Debug)]
struct Kept {
    download: Download,
    /// The number of its last beginning or end.
    number: u64,
}

/// A file chooser that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chooser {
    /// Whether it takes several files.
    pub multiple: bool,
}

/// A file chooser that waits, and whose it is.
#[derive(Debug)]
pub(super) struct Waiting {
    multiple: bool,
    field: Option<BackendNodeId>,
    channel: Channel,
}

impl Waiting {
    pub(super) fn shown(&self) -> Chooser {
        Chooser {
            multiple: self.multiple,
        }
    }
}

impl Downloads {
    /// How many beginnings and ends there were so far.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Those that began or ended after the one of this number.
    pub(super) fn after(&self, number: u64) -> Vec<Download> {
        self.kept
            .iter()
            .filter(|kept| kept.number > number)
            .map(|kept| kept.download.clone())
            .collect()
    }

    fn knows(&self, id: &str) -> bool {
        self.kept.iter().any(|kept| kept.download.id == id)
    }

    fn keep(&mut self, kept: Kept) {
        if self.kept.len() >= KEPT
            && let Some(oldest) = self.kept.iter().position(|kept| kept.download.may_go())
        {
            self.kept.remove(oldest).download.let_go();
        }
        self.kept.push(kept);
    }

    /// Told twice where it began in a tab: by its page, and by the browser. `told`: how many beginnings and ends were told. Says
    /// what has to be stopped at once.
    fn begun(&mut self, begun: DownloadWillBegin, told: u64) -> Option<CancelDownload> {
        if self.knows(&begun.guid) {
            return None;
        }
        let unseen = self.kept.iter().filter(|kept| kept.number > told).count();
        let stopped = (unseen >= UNSEEN).then_some(Stopped::Many(UNSEEN));
        let cancel = stopped.map(|_| self.cancel(&begun.guid));
        self.count += 1;
        self.keep(Kept {
            download: Download {
                id: begun.guid,
                url: cut(&begun.url, URL),
                name: cut(&begun.suggested_filename, NAME),
                state: DownloadState::Running,
                bytes: 0,
                file: None,
                stopped,
                share: Arc::new(Share::new(Arc::clone(&self.room))),
            },
            number: self.count,
        });
        cancel
    }

    fn cancel(&self, id: &str) -> CancelDownload {
        CancelDownload {
            guid: id.to_owned(),
            browser_context_id: self.context.clone(),
        }
    }

    /// Removes the files of those that were told, the oldest first, until there is room.
    fn make_room(&mut self, told: u64) {
        let mut old = self.kept.iter_mut().filter(|kept| kept.number <= told);
        while self.room.is_full()
            && let Some(kept) = old.next()
        {
            if kept.download.may_go() {
                kept.download.let_go();
                kept.download.file = None;
            }
        }
    }

    /// Says what has to be stopped, if it grows too large.
    fn went_on(&mut self, progress: &DownloadProgress, told: u64) -> Option<CancelDownload> {
        let at = self.kept.iter().position(|kept| kept.download.id == progress.guid)?;
        let download = &mut self.kept[at].download;
        if download.state != DownloadState::Running {
            return None;
        }
        download.bytes = super::network::whole(progress.received_bytes);
        download.share.is(download.bytes);
        let size = download.bytes.max(super::network::whole(progress.total_bytes));
        self.make_room(told);
        let largest = self.room.largest;
        let reason = if largest > 0 && size > largest {
            Some(Stopped::Large(largest))
        } else if self.room.is_full() {
            Some(Stopped::Session(largest))
        } else if self.room.is_whole_full() {
            Some(Stopped::All(self.room.most()))
        } else {
            None
        };
        let cancel = self.cancel(&progress.guid);
        let kept = &mut self.kept[at];
        let download = &mut kept.download;
        let is_new = download.stopped.is_none() && reason.is_some();
        download.stopped = download.stopped.or(reason);
        download.state = match progress.state.as_str() {
            // Whole before it could be stopped.
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
            download.let_go();
            download.file = None;
        }
        None
    }

    /// Takes those of a tab that closes. What nobody was told of there is told here.
    fn inherit(&mut self, kept: Vec<Kept>, told: u64) {
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

impl State {
    pub(super) fn hear_download(&mut self, channel: &Channel, event: &Event) {
        // Of two kinds; an event is one at most.
        if let Some(begun) = event.get() {
            self.download_begun(begun, channel);
        }
        if let Some(progress) = event.get() {
            self.download_went_on(&progress, channel);
        }
    }

    fn download_begun(&mut self, begun: DownloadWillBegin, channel: &Channel) {
        let told = self.seen.downloads();
        if let Some(cancel) = self.downloads.begun(begun, told) {
            Channel::of_browser(Arc::clone(channel.connection())).send(&cancel);
        }
    }

    fn download_went_on(&mut self, progress: &DownloadProgress, channel: &Channel) {
        let told = self.seen.downloads();
        if let Some(cancel) = self.downloads.went_on(progress, told) {
            Channel::of_browser(Arc::clone(channel.connection())).send(&cancel);
        }
    }

    pub(super) fn chooser_opened(&mut self, opened: &FileChooserOpened, channel: &Channel) {
        self.chooser = Some(Waiting {
            multiple: opened.mode == "selectMultiple",
            field: opened.backend_node_id,
            channel: channel.clone(),
        });
    }
}

impl Tab {
    /// Tells Chromium where the downloads of this context go.
    pub(super) fn permit_downloads(&self, context: Option<&ContextId>) {
        let folder = self.settings.downloads.clone();
        let browser = Channel::of_browser(Arc::clone(self.channel.connection()));
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

    /// What the browser says of a download that is this tab's.
    pub(crate) fn download_begun(&self, begun: DownloadWillBegin) {
        self.change(|state| state.download_begun(begun, &self.channel));
    }

    /// The same of any download; it may be this tab's.
    pub(crate) fn download_went_on(&self, progress: &DownloadProgress) {
        self.change(|state| state.download_went_on(progress, &self.channel));
    }

    /// Takes the downloads of a tab that closes, as windows do that were opened for one.
    pub(crate) fn inherit_downloads(&self, from: &Self) {
        let (kept, told) = {
            let state = &mut *from.state();
            (std::mem::take(&mut state.downloads.kept), state.seen.downloads())
        };
        self.change(|state| state.downloads.inherit(kept, told));
    }

    /// The file chooser that waits.
    #[must_use]
    pub fn chooser(&self) -> Option<Chooser> {
        self.state().chooser.as_ref().map(Waiting::shown)
    }

    /// The downloads of this tab, the oldest first.
    #[must_use]
    pub fn downloads(&self) -> Vec<Download> {
        self.state().downloads.after(0)
    }

    /// Waits until no download of this tab runs any more.
    pub async fn downloads_ended(&self) {
        self.until(|state| {
            let mut kept = state.downloads.kept.iter();
            (state.is_closed || kept.all(|kept| kept.download.state != DownloadState::Running)).then_some(())
        })
        .await;
    }

    /// Gives files (absolute paths, vetted by the caller) to the file chooser that waits; none dismisses it. False if none
    /// waits.
    pub(crate) async fn answer_chooser(&self, files: Option<Vec<String>>) -> Result<bool, BrowserError> {
        let Some(waiting) = self.state().chooser.take() else {
            return Ok(false);
        };
        let Some(files) = files else {
            return Ok(true);
        };
        let Some(field) = waiting.field else {
            // `showOpenFilePicker`: there is no field to put files into, and the page was told at once that nobody chose.
            return Err(BrowserError::Argument {
                argument: "paths",
                reason: Text::new(
                    "the page asked for files without a field, and Chromium lets nobody but a person answer that",
                    "ページが入力欄を使わずにファイルを求めています。これには人の操作でしか応じられません",
                ),
            });
        };
        let give = SetFileInputFiles {
            files,
            backend_node_id: Some(field),
            object_id: None,
        };
        self.acting(async { Ok(waiting.channel.call(&give).await.map(drop)?) })
            .await?;
        Ok(true)
    }
}
