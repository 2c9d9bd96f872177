//! The `write` tool: writes a file of the novel. An existing file is replaced only if the caller passes its hash or
//! asks to overwrite it.

use std::sync::Arc;

use fumi_base::text::{BilingualText, Locale};
use fumi_kernel::{Cx, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{
    errors::writing::WritingError,
    file_writing::{ExpectedFile, FileWriter, SavedFile},
    writing::CONTENT_BYTES,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    NovelDeps, WRITES, alone,
    data::reference::parse_hash,
    stamp, texts,
    writing::{ResourceUsage, artifact},
};

#[derive(Debug)]
pub struct WriteFile;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The path of the file.
    #[schemars(length(min = 1))]
    file_path: String,
    /// The whole text of the file.
    content: String,
    /// The hash of the file that may be replaced.
    #[schemars(length(min = 1))]
    expected_hash: Option<String>,
    /// True to replace the file whatever its content.
    #[serde(default)]
    overwrite: bool,
    #[serde(default)]
    verbose: bool,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    absolute_path: String,
    relative_path: String,
    project_root: String,
    /// The length in characters.
    content_length: usize,
    size_bytes: u64,
    sha256: String,
    /// True if the file did not exist before.
    created: bool,
    /// True if the file already had this content, so that nothing was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unchanged: bool,
    /// The file that was replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced: Option<ReplacedFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_usage: Option<ResourceUsage>,
}

/// The file that was replaced.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReplacedFile {
    sha256: String,
    size_bytes: u64,
    /// The encoding of the old file, if it was not UTF-8, which the new one always is.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
    /// The id with which `backup_management` restores the file.
    backup_id: String,
    /// The folder of the backup.
    backup_path: String,
}

impl Tool for WriteFile {
    const SPEC: ToolSpec = ToolSpec {
        name: "write",
        texts: texts!("write"),
        example: r#"{"file_path": "50_管理資料/覚え書き.md", "content": "第三話で傘を返す。\n", "overwrite": true}"#,
        ..WRITES
    };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let over = match (&args.expected_hash, args.overwrite) {
            (Some(hash), _) => ExpectedFile::Known(parse_hash(hash)?),
            (None, true) => ExpectedFile::Anything,
            (None, false) => ExpectedFile::Nothing,
        };
        let backups = deps.names.backups.clone();
        let saving = FileWriter::new(Arc::clone(&cx.project), &backups);
        if args.content.len() > CONTENT_BYTES {
            return Err(WritingError::ContentTooLarge {
                what: BilingualText::new("The content", "内容"),
                size: args.content.len(),
                limit: CONTENT_BYTES,
            }
            .into());
        }
        // The check precedes the lock, so that a refused call leaves no trace in the project.
        let (checking, path, known) = (saving.clone(), args.file_path.clone(), over.clone());
        cx.blocking(move |_, _| checking.check(&path, &known)).await?;
        let (length, bytes) = (args.content.chars().count(), args.content.len());
        let work = move |_: &_, _: &_| saving.save(&args.file_path, &args.content, &over, &stamp());
        let saved = alone(deps.novel(cx), cx, "write", work).await?;
        let told = build_output(saved, length, cx.project.shown_root(), &backups);
        let written = (!told.unchanged).then(|| (told.relative_path.clone(), bytes));
        let resource_usage = args.verbose.then(|| ResourceUsage::from_files(written.as_slice()));
        Ok(ToolOutcome::Done(Output { resource_usage, ..told }))
    }
}

fn build_output(saved: SavedFile, content_length: usize, project_root: String, backups: &str) -> Output {
    let replaced = saved.replaced.as_ref().and_then(|replaced| {
        let backup = replaced.backup.as_ref()?;
        let encoding = replaced.file.encoding.clone();
        Some(ReplacedFile {
            sha256: replaced.file.hash.digits().to_owned(),
            size_bytes: replaced.file.size,
            encoding: encoding.filter(|encoding| encoding != "utf-8"),
            backup_path: format!("{}/{}", backups.trim_end_matches('/'), backup.id),
            backup_id: backup.id.clone(),
        })
    });
    Output {
        success: true,
        absolute_path: saved.absolute,
        project_root,
        content_length,
        size_bytes: saved.file.size,
        sha256: saved.file.hash.digits().to_owned(),
        created: saved.replaced.is_none(),
        unchanged: saved.replaced.is_some() && replaced.is_none(),
        relative_path: saved.file.path,
        replaced,
        resource_usage: None,
    }
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let Self { relative_path, content_length, .. } = self;
        let id = artifact(&self.sha256);
        let mut text = match locale {
            Locale::En if self.unchanged => format!("{relative_path} had this content already ({id})"),
            Locale::Ja if self.unchanged => format!("{relative_path} はすでにこの内容でした（{id}）"),
            Locale::En => format!("{relative_path}: {content_length} characters written ({id})"),
            Locale::Ja => format!("{relative_path} に {content_length} 字を書き込みました（{id}）"),
        };
        if let Some(replaced) = &self.replaced {
            let id = &replaced.backup_id;
            text.push_str(&match locale {
                Locale::En => format!("\nThe previous file is backed up as {id}"),
                Locale::Ja => format!("\n元のファイルのバックアップ: {id}"),
            });
            if let Some(encoding) = &replaced.encoding {
                text.push_str(&match locale {
                    Locale::En => format!("\nIt was {encoding}; now it is utf-8"),
                    Locale::Ja => format!("\n文字コードは {encoding} から utf-8 に変わりました"),
                });
            }
        }
        text
    }
}
