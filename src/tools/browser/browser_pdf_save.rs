//! `browser_pdf_save`: saves the page as a PDF in the project.

use std::io::Cursor;

use fumi_base::{files::sha256, text::Locale};
use fumi_kernel::{Cx, Effect, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LOOKS,
    artifacts::{self, SavedFile},
    on_tab::{TabAnswer, TabContext, TabTool},
    playwright::CodeLine,
    texts,
};

#[derive(Debug)]
pub struct PdfSave;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The name of the file.
    #[schemars(length(min = 1))]
    pub filename: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct PdfSaveOutput {
    /// The path in the project.
    file: String,
    /// The size in bytes.
    bytes: usize,
    /// True if the file replaced an earlier one of that name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    replaced: bool,
}

impl TabAnswer for PdfSaveOutput {
    fn text(&self, locale: Locale) -> String {
        let replaced = SavedFile::replaced(self.replaced, locale);
        format!("{} ({} bytes{replaced})", self.file, self.bytes)
    }
}

impl TabTool for PdfSave {
    const SPEC: ToolSpec = ToolSpec {
        name: "browser_pdf_save",
        texts: texts!("browser_pdf_save"),
        example: r#"{"filename": "page.pdf"}"#,
        effect: Effect::Write,
        ..LOOKS
    };
    type Args = Args;
    type TabAnswer = PdfSaveOutput;

    fn code(_args: &Args) -> Vec<CodeLine> {
        vec![CodeLine::page("pdf()")]
    }

    fn check(args: &Args, cx: &Cx) -> Result<(), ToolError> {
        let place = args.filename.as_deref().map(|filename| artifacts::output_path(cx, filename));
        place.transpose().map(drop)
    }

    async fn act(args: Args, on: &mut TabContext<'_>, cx: &Cx) -> Result<PdfSaveOutput, ToolError> {
        let pdf = on.tab.pdf().await?;
        let bytes = pdf.len();
        // The default name is derived from the content, so the same document gets the same name again; a timestamp
        // would not do.
        let name = args.filename.unwrap_or_else(|| format!("page-{}.pdf", &sha256(&pdf)[..12]));
        let saved = artifacts::save(cx, &name, "pdf", Cursor::new(pdf)).await?;
        Ok(PdfSaveOutput { file: saved.path, bytes, replaced: saved.is_replacement })
    }
}
