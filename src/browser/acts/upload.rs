//! Uploading files: to the file chooser that the page has opened, or to a file field.

use std::path::PathBuf;

use fumi_base::text::BilingualText;

use crate::{
    devtools::protocol::dom::SetFileInputFiles, errors::BrowserError, script_reply::ScriptReply, tab::Tab,
    target::Target,
};

impl Tab {
    /// Passes files to the open file chooser; `None` closes it without files. Paths are absolute.
    pub async fn upload(&self, files: Option<&[PathBuf]>) -> Result<(), BrowserError> {
        if let (Some(chooser), Some(files)) = (self.chooser(), files)
            && files.len() > 1
            && !chooser.multiple
        {
            return Err(several());
        }
        let files = files.map(utf8_paths).transpose()?;
        if self.answer_chooser(files).await? {
            return Ok(());
        }
        Err(BrowserError::Argument {
            argument: "paths",
            reason: BilingualText::new(
                "the page has not opened a file chooser; click the field or button that opens it first",
                "ファイル選択が開いていません。先に、それを開く欄やボタンをクリックしてください",
            ),
        })
    }

    /// Passes files to a file field, or to the file field that a label or wrapper belongs to. Paths are absolute.
    pub async fn upload_to(&self, target: &Target, files: &[PathBuf]) -> Result<(), BrowserError> {
        let located = self.locate(target).await?;
        let said: ScriptReply<FileField> = self.ask(&located.frame, "isFileInput", (&located.reference,)).await?;
        let field = said.into_result(&located.called)?;
        let Some(reference) = field.reference.filter(|_| field.file) else {
            return Err(BrowserError::Unsuitable {
                target: target.to_string(),
                reason: BilingualText::new(
                    format!("it is not a file field (its role is {})", located.role),
                    format!("ファイルの欄ではありません（役割: {}）", located.role),
                ),
            });
        };
        if files.len() > 1 && !field.multiple {
            return Err(several());
        }
        let giving = async {
            let field = crate::tab::Located { reference, ..located };
            let object = self.object(&field).await?;
            let command = SetFileInputFiles {
                files: utf8_paths(files)?,
                backend_node_id: None,
                object_id: Some(object.id.clone()),
            };
            object.channel().call(&command).await?;
            Ok(())
        };
        self.acting(giving).await
    }
}

/// Converts paths to the protocol's UTF-8 strings.
pub(super) fn utf8_paths(files: &[PathBuf]) -> Result<Vec<String>, BrowserError> {
    let one = |file: &PathBuf| {
        file.to_str().map(str::to_owned).ok_or_else(|| BrowserError::Argument {
            argument: "paths",
            reason: BilingualText::new(
                format!("{} is not valid UTF-8; Chromium accepts no other names", file.display()),
                format!("{} は UTF-8 の名前ではないため、Chromium に渡せません", file.display()),
            ),
        })
    };
    files.iter().map(one).collect()
}

fn several() -> BrowserError {
    BrowserError::Argument {
        argument: "paths",
        reason: BilingualText::new(
            "this field takes only one file",
            "この欄に渡せるファイルは 1 つだけですが、複数が指定されました",
        ),
    }
}

#[derive(serde::Deserialize)]
struct FileField {
    file: bool,
    #[serde(rename = "ref")]
    reference: Option<String>,
    #[serde(default)]
    multiple: bool,
}
