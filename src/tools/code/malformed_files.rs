//! The part of a reply that reports files with syntax errors, whose results may be incomplete.
//!
//! Both the structured and the text form contain it; it is absent if no file has syntax errors.

use fumi_base::text::{BilingualText, Locale};
use fumi_code::syntax_errors::MalformedFiles;
use schemars::JsonSchema;
use serde::Serialize;

/// The files with syntax errors, whose results may be incomplete.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MalformedFilesReport {
    /// The number of files.
    files: usize,
    /// The first files, each with the line of its first error.
    examples: Vec<String>,
}

impl MalformedFilesReport {
    /// Returns `None` if no file has syntax errors.
    pub fn from_files(broken: MalformedFiles) -> Option<Self> {
        (broken.count > 0).then_some(Self { files: broken.count, examples: broken.examples })
    }

    /// Returns the number of files, the ending of its plural, and the examples.
    fn shown(&self) -> (usize, &'static str, String) {
        (self.files, if self.files == 1 { "" } else { "s" }, self.examples.join(", "))
    }

    /// Returns the sentence for the results of a query.
    pub fn match_warning(&self, locale: Locale) -> String {
        let (files, s, examples) = self.shown();
        let text = BilingualText::new(
            format!(
                "Syntax errors in {files} file{s} ({examples}), so matches may be missing. search_content finds text there."
            ),
            format!(
                "構文エラーのため全体を読めなかったファイル: {files} 件（{examples}）。一致が漏れている可能性があります。search_content なら文字列として検索できます。"
            ),
        );
        text.get(locale).to_owned()
    }

    /// Returns the sentence for a ranking: all matches are counted, but some elements may be unknown.
    pub fn ranking_warning(&self, locale: Locale) -> String {
        let (files, s, examples) = self.shown();
        let text = BilingualText::new(
            format!(
                "Syntax errors in {files} file{s} ({examples}), so elements may be missing. Without ranked all matching lines are listed."
            ),
            format!(
                "構文エラーのため全体を読めなかったファイル: {files} 件（{examples}）。要素が漏れている可能性があります。ranked を外せば、一致した行がすべて返ります。"
            ),
        );
        text.get(locale).to_owned()
    }
}
