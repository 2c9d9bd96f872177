//! Dropping files or data from outside the browser on an element.

use std::path::PathBuf;

use fumi_base::text::BilingualText;

use super::{drag::drag_event, upload::utf8_paths};
use crate::{
    devtools::protocol::input::{DragData, DragDataItem, DragEventType},
    errors::BrowserError,
    tab::{AimOptions, Tab},
    target::Target,
};

/// The allowed operations copy, link and move: the page chooses.
const EVERYTHING: i64 = 1 | 2 | 16;

/// The files and data of a drop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DropContent {
    /// The absolute paths of the files.
    pub paths: Vec<PathBuf>,
    /// Pairs of a media type and a text.
    pub data: Vec<(String, String)>,
}

impl Tab {
    /// Drops files or data on an element, with the events of a drag from outside the browser. If the page does not
    /// accept the drag, nothing is dropped and an error is returned: Chromium would open the file instead.
    pub async fn drop_on(&self, target: &Target, dropping: &DropContent) -> Result<(), BrowserError> {
        let located = self.locate(target).await?;
        let items = dropping.data.iter().map(|(mime_type, data)| DragDataItem {
            mime_type: mime_type.clone(),
            data: data.clone(),
            ..DragDataItem::default()
        });
        let data =
            DragData { items: items.collect(), files: utf8_paths(&dropping.paths)?, drag_operations_mask: EVERYTHING };
        let act = async {
            let (_, at) = self.aim_or_relocate(&located, target, AimOptions::default()).await?;
            let watching = self.start_recording_drags().await;
            for kind in [DragEventType::DragEnter, DragEventType::DragOver] {
                self.page().call(&drag_event(kind, &data, at)).await?;
            }
            if self.recorded_drags(&watching).await.wanted {
                self.page().call(&drag_event(DragEventType::Drop, &data, at)).await?;
                return Ok(());
            }
            self.page().call(&drag_event(DragEventType::DragCancel, &data, at)).await?;
            Err(BrowserError::ElementUnsuitable {
                target: target.to_string(),
                reason: BilingualText::new(
                    "it does not accept drops (nothing there handles dragover)",
                    "ドロップを受け付けません（dragover を処理していません）",
                ),
            })
        };
        self.acting(act).await
    }
}
