//! What a reply says of files whose syntax is broken, so that they could not be read whole.
//!
//! It stands in the structure and in the text; both are absent where every file was read whole.

use fumi_base::text::{Locale, Text};
use fumi_code::broken::BrokenFiles;
use schemars::JsonSchema;
use serde::Serialize;

/// Files that could not be read whole.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Broken {
    /// How many files.
    files: usize,
    /// The first of them, each with the line of its first error.
    examples: Vec<String>,
}

impl Broken {
    /// `None` if every file was read whole.
    #[must_use]
    pub fn of(broken: BrokenFiles) -> Option<Self> {
        (broken.count > 0).then_some(Self {
            files: broken.count,
            examples: broken.examples,
        })
    }

    /// The sentence about what a query found.
    #[must_use]
    pub fn of_matches(&self, locale: Locale) -> String {
        let (files, examples) = (self.files, self.examples.join(", "));
        let text = Text::new(
            format!(
                "Not read whole because of broken syntax, matches may be missing: {files} files ({examples}). search_content finds text there."
            ),
            format!(
                "構文エラーのため全体を読めなかったファイル: {files} 件（{examples}）。一致が漏れている可能性があります。search_content なら文字列として検索できます。"
            ),
        );
        text.get(locale).to_owned()
    }

    /// The sentence about elements that were ranked: all matches are counted, but not all elements are known.
    #[must_use]
    pub fn of_elements(&self, locale: Locale) -> String {
        let (files, examples) = (self.files, self.examples.join(", "));
        let text = Text::new(
            format!(
                "Not read whole because of broken syntax, elements may be missing: {files} files ({examples}). Without ranked all matching lines are listed."
            ),
            format!(
                "構文エラーのため全体を読めなかったファイル: {files} 件（{examples}）。要素が漏れている可能性があります。ranked を外せば、一致した行がすべて返ります。"
            ),
        );
        text.get(locale).to_owned()
    }
}
