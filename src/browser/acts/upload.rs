//! Uploading files to the file chooser that the page has opened.

use std::path::PathBuf;

use fumi_base::text::BilingualText;

use crate::{errors::BrowserError, tab::Tab};

impl Tab {
    /// Passes files to the open file chooser; `None` closes it without files. Paths are absolute.
    pub async fn upload(&self, files: Option<&[PathBuf]>) -> Result<(), BrowserError> {
        if let (Some(chooser), Some(files)) = (self.chooser(), files)
            && files.len() > 1
            && !chooser.multiple
        {
            return Err(BrowserError::BadBrowserArgument {
                argument: "paths",
                reason: BilingualText::new(
                    "this field takes only one file",
                    "この欄に渡せるファイルは 1 つだけですが、複数が指定されました",
                ),
            });
        }
        let files = files.map(utf8_paths).transpose()?;
        if self.answer_chooser(files).await? {
            return Ok(());
        }
        Err(BrowserError::BadBrowserArgument {
            argument: "paths",
            reason: BilingualText::new(
                "the page has not opened a file chooser; click the field or button that opens it first",
                "ファイル選択が開いていません。先に、それを開く欄やボタンをクリックしてください",
            ),
        })
    }
}

/// Converts paths to the protocol's UTF-8 strings.
pub(super) fn utf8_paths(files: &[PathBuf]) -> Result<Vec<String>, BrowserError> {
    let one = |file: &PathBuf| {
        file.to_str().map(str::to_owned).ok_or_else(|| BrowserError::BadBrowserArgument {
            argument: "paths",
            reason: BilingualText::new(
                format!("{} is not valid UTF-8; Chromium accepts no other names", file.display()),
                format!("{} は UTF-8 の名前ではないため、Chromium に渡せません", file.display()),
            ),
        })
    };
    files.iter().map(one).collect()
}
