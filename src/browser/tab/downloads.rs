//! Files that a page gives, and files that it asks for.

use std::path::PathBuf;

use super::{
    State, Tab,
    console::{URL, cut},
};
use crate::{
    devtools::{
        Channel, Event,
        protocol::{
            browser_downloads::{DownloadProgress, DownloadWillBegin, SetDownloadBehavior},
            dom::{BackendNodeId, SetFileInputFiles},
            page::FileChooserOpened,
            target::ContextId,
        },
    },
    errors::BrowserError,
};

/// Downloads that are remembered.
const KEPT: usize = 100;

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
}

impl Download {
    /// The bytes of one that is whole. There is no file any more then: what cannot be removed goes with Chromium's profile.
    #[must_use]
    pub fn take(&self) -> Option<Vec<u8>> {
        let file = self.file.as_ref()?;
        let bytes = std::fs::read(file).ok()?;
        let _ = std::fs::remove_file(file);
        Some(bytes)
    }
}

/// The downloads of a tab.
#[derive(Debug, Default)]
pub(super) struct Downloads {
    kept: Vec<Kept>,
    /// Beginnings and ends so far. It only grows.
    count: u64,
    folder: Option<PathBuf>,
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

    fn begun(&mut self, begun: DownloadWillBegin) {
        self.count += 1;
        if self.kept.len() == KEPT {
            self.kept.remove(0);
        }
        self.kept.push(Kept {
            download: Download {
                id: begun.guid,
                url: cut(&begun.url, URL),
                name: cut(&begun.suggested_filename, NAME),
                state: DownloadState::Running,
                bytes: 0,
                file: None,
            },
            number: self.count,
        });
    }

    fn went_on(&mut self, progress: &DownloadProgress) {
        let Some(kept) = self.kept.iter_mut().find(|kept| kept.download.id == progress.guid) else {
            return;
        };
        kept.download.bytes = super::network::whole(progress.received_bytes);
        let state = match progress.state.as_str() {
            "completed" => DownloadState::Done,
            "canceled" => DownloadState::Cancelled,
            _ => return,
        };
        self.count += 1;
        kept.number = self.count;
        kept.download.state = state;
        if state == DownloadState::Done {
            kept.download.file = self.folder.as_ref().map(|folder| folder.join(&progress.guid));
        }
    }
}

impl State {
    pub(super) fn hear_download(&mut self, event: &Event) {
        // Of two kinds; an event is one at most.
        if let Some(begun) = event.get() {
            self.downloads.begun(begun);
        }
        if let Some(progress) = event.get() {
            self.downloads.went_on(&progress);
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
        let browser = Channel::of_browser(std::sync::Arc::clone(self.channel.connection()));
        browser.send(&SetDownloadBehavior {
            behavior: if folder.is_some() { "allowAndName" } else { "deny" },
            browser_context_id: context.cloned(),
            download_path: folder.as_ref().map(|folder| folder.to_string_lossy().into_owned()),
            events_enabled: true,
        });
        self.state().downloads.folder = folder;
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
        let (Some(files), Some(field)) = (files, waiting.field) else {
            return Ok(true);
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
