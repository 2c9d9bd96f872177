//! Dropping files or data from outside the browser on an element.

use std::path::PathBuf;

use fumi_base::text::Text;

use super::{drag::dragged, upload::written};
use crate::{
    devtools::protocol::input::{DragData, DragDataItem, DragEventType},
    errors::BrowserError,
    tab::Tab,
    target::Target,
};

/// The allowed operations copy, link and move: the page chooses.
const EVERYTHING: i64 = 1 | 2 | 16;

/// The files and data of a drop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dropping {
    /// The absolute paths of the files.
    pub paths: Vec<PathBuf>,
    /// Pairs of a media type and a text.
    pub data: Vec<(String, String)>,
}

impl Tab {
    /// Drops files or data on an element, with the events of a drag from outside the browser. If the page does not
    /// accept the drag, nothing is dropped and an error is returned: Chromium would open the file instead.
    pub async fn drop_on(&self, target: &Target, dropping: &Dropping) -> Result<(), BrowserError> {
        let located = self.locate(target).await?;
        let items = dropping.data.iter().map(|(mime_type, data)| DragDataItem {
            mime_type: mime_type.clone(),
            data: data.clone(),
            ..DragDataItem::default()
        });
        let data = DragData {
            items: items.collect(),
            files: written(&dropping.paths)?,
            drag_operations_mask: EVERYTHING,
        };
        let act = async {
            let at = self.aim_again(&located, target).await?;
            let watching = self.watch_drags().await;
            for kind in [DragEventType::DragEnter, DragEventType::DragOver] {
                self.page().call(&dragged(kind, &data, at)).await?;
            }
            if self.seen_drags(&watching).await.wanted {
                self.page().call(&dragged(DragEventType::Drop, &data, at)).await?;
                return Ok(());
            }
            self.page().call(&dragged(DragEventType::DragCancel, &data, at)).await?;
            Err(BrowserError::Inert {
                target: target.to_string(),
                reason: Text::new(
                    "it takes no drop (nothing there handles dragover)",
                    "ドロップを受け付けません（dragover を処理していません）",
                ),
            })
        };
        self.acting(act).await
    }
}
